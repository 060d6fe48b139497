/*
 * Functions of libgomp, GCC's runtime of OpenMP. What a target region maps lies in one block of
 * GPUs' memory, together with a table of the addresses: each mapped range becomes an object, and so
 * does the table. The addresses are in the table when the kernel is launched. Where a list of maps
 * has one of a kind that is not known here, nothing becomes an object, and the whole block may be
 * accessed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork_lock.h"
#include "runtime/common/calls.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))

/* Kinds of maps (gomp-constants.h), the lower eight bits. */
enum {
    MAP_ALLOC = 0,
    MAP_TOFROM = 3,
    MAP_POINTER = 4,
    MAP_TO_PSET = 5,
    MAP_FIRSTPRIVATE = 12,
    MAP_FIRSTPRIVATE_INT = 13,
    MAP_USE_DEVICE_PTR = 14,
    MAP_ZERO_LENGTH = 15,
    MAP_ALWAYS_TO = 17,
    MAP_ALWAYS_TOFROM = 19,
    MAP_ATTACH = 80,
    MAP_FORCE_DETACH = 82,
    MAP_FORCE_ALLOC = 128,
    MAP_FORCE_TOFROM = 131,
};

/* A list of maps, as constructs give it to libgomp. */
struct maps {
    size_t count;
    void **host;
    size_t *sizes;
    unsigned short *kinds;
};

/* A target region that the calling thread is in, until its kernel is launched. */
struct gomp_region {
    struct maps maps;
    struct {
        uint64_t addr, size;
    } block[8]; /* that were allocated meanwhile */
    unsigned blocks;
    struct gomp_region *next; /* next of those whose kernels were not launched yet */
};
static _Thread_local struct gomp_region *region;
static struct gomp_region *all;                          /* regions of all threads */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of it and of blocks */

WT_LOCK_OVER_FORKS(regions, lock)

static void begin_region(struct gomp_region *r)
{
    pthread_mutex_lock(&lock);
    r->next = all;
    all = r;
    pthread_mutex_unlock(&lock);
}

static void end_region(const struct gomp_region *r)
{
    pthread_mutex_lock(&lock);
    for (struct gomp_region **at = &all; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    pthread_mutex_unlock(&lock);
}

#define LOOK_UP(function, name) CALLS_LOOK_UP(function, name, "libgomp.so.1")

static unsigned kind_of(const struct maps *m, size_t i)
{
    return m->kinds[i] & 0xff;
}

/* Bytes of a mapped range; 0: it is none. */
static size_t mapped_size(const struct maps *m, size_t i)
{
    const unsigned kind = kind_of(m, i);
    const bool is = kind <= MAP_TOFROM || kind == MAP_TO_PSET ||
                    (kind >= MAP_ALWAYS_TO && kind <= MAP_ALWAYS_TOFROM) ||
                    (kind >= MAP_FORCE_ALLOC && kind <= MAP_FORCE_TOFROM);
    return kind == MAP_POINTER ? sizeof(void *) : is ? m->sizes[i] : 0;
}

static bool all_known(const struct maps *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const unsigned kind = kind_of(m, i);
        if (!(kind <= MAP_TO_PSET || (kind >= MAP_FIRSTPRIVATE && kind <= MAP_ZERO_LENGTH) ||
              (kind >= MAP_ALWAYS_TO && kind <= MAP_ALWAYS_TOFROM) ||
              (kind >= MAP_ATTACH && kind <= MAP_FORCE_DETACH) ||
              (kind >= MAP_FORCE_ALLOC && kind <= MAP_FORCE_TOFROM)))
            return false;
    }
    return true;
}

/* Kinds for libgomp: mapped ranges are aligned to more than they need, so that most of them do not
 * touch. Returns @p kinds where there is nothing to change; else the caller frees it. */
static unsigned short *aligned(const struct wt_host_checks *c, const struct maps *m)
{
    enum { ALIGN = 8 /* the logarithm, in the upper eight bits */ };
    unsigned short *kinds = c && m->count > 1 && c->wants(WT_CHECK_MEMORY) && all_known(m)
                                ? malloc(m->count * sizeof *kinds)
                                : NULL;
    if (!kinds)
        return m->kinds;
    for (size_t i = 0; i < m->count; i++) {
        const bool more = mapped_size(m, i) && m->kinds[i] >> 8 < ALIGN;
        kinds[i] = (unsigned short)(more ? kind_of(m, i) | ALIGN << 8 : m->kinds[i]);
    }
    return kinds;
}

/* Makes an object, unless one holds it: of a construct around this one. */
static void made(const struct wt_host_checks *c, uint64_t addr, size_t size)
{
    struct wt_object o;
    if (size && c->is_of_gpus(addr) && !(c->find(NULL, addr, &o) && !o.freed))
        c->made(NULL, addr, size, WT_HOST_MAPPED);
}

/* ---- what the driver tells ---- */

/* Only the calls that stand here cut objects from what libgomp allocates. */
static bool allocated(uint64_t addr, uint64_t size)
{
    enum { MOST = sizeof region->block / sizeof *region->block };
    if (!region)
        return calls_depth;
    pthread_mutex_lock(&lock);
    if (region->blocks == MOST)
        memmove(region->block, region->block + 1, --region->blocks * sizeof *region->block);
    region->block[region->blocks].addr = addr;
    region->block[region->blocks++].size = size;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Whether a block begins at an address and has room for the table; *size becomes its size. */
static bool find_block(const struct gomp_region *r, uint64_t addr, uint64_t *size)
{
    for (unsigned i = r->blocks; i-- > 0;)
        if (r->block[i].addr == addr) {
            *size = r->block[i].size;
            return r->maps.count * sizeof addr <= *size;
        }
    return false;
}

/* The block that is the kernel's first argument; where that is not known, the one whose address
 * begins another block, which then has the arguments. False: there is none. */
static bool find_table(const struct gomp_region *r, const struct wt_host_checks *c,
                       uint64_t argument, uint64_t *addr, uint64_t *size)
{
    if ((*addr = argument))
        return find_block(r, argument, size);
    for (unsigned i = r->blocks; i-- > 0;)
        if (r->block[i].size >= sizeof *addr &&
            (!c || c->is_of_gpus(r->block[i].addr))) { /* not freed meanwhile */
            *addr = *(const uint64_t *)(uintptr_t)r->block[i].addr;
            if (*addr != r->block[i].addr && find_block(r, *addr, size))
                return true;
        }
    return false;
}

/* Whether what is in a table can be the addresses of a region. */
static bool is_table(const struct wt_host_checks *c, const struct maps *m, uint64_t addr,
                     uint64_t size)
{
    const uint64_t *table = (const uint64_t *)(uintptr_t)addr;
    struct wt_object o;
    for (size_t i = 0; i < m->count; i++) {
        const size_t bytes = kind_of(m, i) == MAP_FIRSTPRIVATE ? m->sizes[i] : mapped_size(m, i);
        const bool within = table[i] - addr < size && bytes <= size - (table[i] - addr);
        if (kind_of(m, i) == MAP_FIRSTPRIVATE_INT
                ? table[i] != calls_address(m->host[i])
                : bytes && !within && !(c->find(NULL, table[i], &o) && !o.freed))
            return false;
    }
    return true;
}

/* The calling thread launches a kernel if a table is ready. */
static void launching(uint64_t argument)
{
    const struct gomp_region *r = region;
    uint64_t addr, size;
    if (!r || !all_known(&r->maps))
        return;
    calls_depth--; /* it is the program's */
    const struct wt_host_checks *c = calls_checks();
    if (!find_table(r, c, argument, &addr, &size)) {
        calls_depth++;
        return;
    }
    const uint64_t *table = (const uint64_t *)(uintptr_t)addr;
    region = NULL;
    if (c && is_table(c, &r->maps, addr, size)) {
        c->made(NULL, addr, r->maps.count * sizeof *table, "");
        for (size_t i = 0; i < r->maps.count; i++)
            made(c, table[i],
                 kind_of(&r->maps, i) == MAP_FIRSTPRIVATE ? r->maps.sizes[i]
                                                          : mapped_size(&r->maps, i));
    }
    calls_depth++;
    end_region(r);
}

/* A GPU may find a packet before the program has rung the doorbell. */
static bool prepares(uint64_t arguments)
{
    uint64_t size, table;
    bool is = false;
    pthread_mutex_lock(&lock);
    for (const struct gomp_region *r = all; r && !is; r = r->next)
        if (all_known(&r->maps) && find_block(r, arguments, &size) && size >= sizeof table) {
            table = *(const uint64_t *)(uintptr_t)arguments;
            is = table != arguments && find_block(r, table, &size);
        }
    pthread_mutex_unlock(&lock);
    return is;
}

/* As calls_checks(). The driver is loaded when libgomp looks for devices. */
static const struct wt_host_checks *checks(void)
{
    static int (*_Atomic count)(void);
    static const struct wt_host_calls listener = {
        .allocated = allocated, .launching = launching, .prepares = prepares};
    if (LOOK_UP(count, "omp_get_num_devices"))
        (void)count();
    const struct wt_host_checks *c = calls_checks();
    if (c)
        c->listen(&listener);
    return c;
}

/* ---- target regions ---- */

EXPORT void GOMP_target_ext(int device, void (*fn)(void *), size_t count, void **host,
                            size_t *sizes, unsigned short *kinds, unsigned flags, void **depend,
                            void **arguments)
{
    static void (*_Atomic real)(int, void (*)(void *), size_t, void **, size_t *, unsigned short *,
                                unsigned, void **, void **);
    struct gomp_region here = {.maps = {count, host, sizes, kinds}}, *before = region;
    unsigned short *own = aligned(checks(), &here.maps);
    if (!LOOK_UP(real, "GOMP_target_ext"))
        return;
    region = count ? &here : NULL;
    if (region)
        begin_region(&here);
    calls_depth++;
    real(device, fn, count, host, sizes, own, flags, depend, arguments);
    calls_depth--;
    end_region(&here);
    region = before;
    if (own != kinds)
        free(own);
}

/* ---- data ---- */

static int (*_Atomic is_present)(const void *, int);
static int (*_Atomic default_device)(void);
static void (*_Atomic begin_data)(int, size_t, void **, size_t *, unsigned short *);
static void (*_Atomic end_data)(void);

/* The address that a device has mapped memory at; 0: it is not mapped. */
static uint64_t translated(int device, void *host)
{
    void *address = host;
    size_t size = sizeof address;
    unsigned short kind = MAP_USE_DEVICE_PTR;
    if (!is_present(host, device < 0 ? default_device() : device))
        return 0;
    begin_data(device, 1, &address, &size, &kind);
    end_data();
    return calls_address(address);
}

static void note_data(int device, const struct maps *m)
{
    const struct wt_host_checks *c = calls_checks();
    if (!c || !all_known(m) || !LOOK_UP(is_present, "omp_target_is_present") ||
        !LOOK_UP(default_device, "omp_get_default_device") ||
        !LOOK_UP(begin_data, "GOMP_target_data_ext") || !LOOK_UP(end_data, "GOMP_target_end_data"))
        return;
    for (size_t i = 0; i < m->count; i++) {
        const size_t size = mapped_size(m, i);
        const uint64_t addr = size ? translated(device, m->host[i]) : 0;
        if (addr && addr != calls_address(m->host[i]))
            made(c, addr, size);
    }
}

EXPORT void GOMP_target_data_ext(int device, size_t count, void **host, size_t *sizes,
                                 unsigned short *kinds)
{
    if (!LOOK_UP(begin_data, "GOMP_target_data_ext"))
        return;
    const struct maps m = {count, host, sizes, kinds};
    unsigned short *own = aligned(checks(), &m);
    calls_depth++;
    begin_data(device, count, host, sizes, own);
    calls_depth--;
    note_data(device, &m);
    if (own != kinds)
        free(own);
}

EXPORT void GOMP_target_enter_exit_data(int device, size_t count, void **host, size_t *sizes,
                                        unsigned short *kinds, unsigned flags, void **depend)
{
    static void (*_Atomic real)(int, size_t, void **, size_t *, unsigned short *, unsigned,
                                void **);
    if (!LOOK_UP(real, "GOMP_target_enter_exit_data"))
        return;
    const struct maps m = {count, host, sizes, kinds};
    unsigned short *own = aligned(checks(), &m);
    calls_depth++;
    real(device, count, host, sizes, own, flags, depend);
    calls_depth--;
    note_data(device, &m);
    if (own != kinds)
        free(own);
}

/* ---- functions for programs ---- */

static void note_allocated(const struct wt_host_checks *c, void *p, size_t size, const char *by)
{
    if (c && p && size && c->is_of_gpus(calls_address(p)))
        c->made(NULL, calls_address(p), size, by);
}

/* Whether memory may be freed, as far as anybody knows. */
static bool may_free(void *p, const char *by)
{
    const struct wt_host_checks *c = p ? calls_checks() : NULL;
    return !c || !c->is_of_gpus(calls_address(p)) || c->free(NULL, calls_address(p), by);
}

EXPORT void *omp_target_alloc(size_t size, int device)
{
    static void *(*_Atomic real)(size_t, int);
    if (!LOOK_UP(real, "omp_target_alloc"))
        return NULL;
    const struct wt_host_checks *c = checks();
    calls_depth++;
    void *p = real(size, device);
    calls_depth--;
    note_allocated(c, p, size, "omp_target_alloc");
    return p;
}

EXPORT void omp_target_free(void *p, int device)
{
    static void (*_Atomic real)(void *, int);
    if (!LOOK_UP(real, "omp_target_free") || !may_free(p, "omp_target_free"))
        return;
    calls_depth++;
    real(p, device);
    calls_depth--;
}

EXPORT void *acc_malloc(size_t size)
{
    static void *(*_Atomic real)(size_t);
    if (!LOOK_UP(real, "acc_malloc"))
        return NULL;
    const struct wt_host_checks *c = checks();
    calls_depth++;
    void *p = real(size);
    calls_depth--;
    note_allocated(c, p, size, "acc_malloc");
    return p;
}

EXPORT void acc_free(void *p)
{
    static void (*_Atomic real)(void *);
    if (!LOOK_UP(real, "acc_free") || !may_free(p, "acc_free"))
        return;
    calls_depth++;
    real(p);
    calls_depth--;
}

EXPORT int omp_target_memcpy(void *to, const void *from, size_t size, size_t to_offset,
                             size_t from_offset, int to_device, int from_device)
{
    static int (*_Atomic real)(void *, const void *, size_t, size_t, size_t, int, int);
    if (!LOOK_UP(real, "omp_target_memcpy"))
        return 1;
    const size_t most = calls_copied((char *)to + to_offset, (const char *)from + from_offset, size,
                                     "omp_target_memcpy");
    return size && !most ? 0 : real(to, from, most, to_offset, from_offset, to_device, from_device);
}
