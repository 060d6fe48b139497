/* Definedness of memory, which all devices of a process share. See init_state.h. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_state.h"
#include "emulator/machine/machine.h"

static struct {
    pthread_mutex_t lock;
    struct wt_map spaces; /* address of the space's word + 1 -> struct init_space */
    struct init_origin **origin;
    size_t origins, origin_room;
    struct wt_check_init *checks;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

void init_lock(void)
{
    pthread_mutex_lock(&shared.lock);
}

void init_unlock(void)
{
    pthread_mutex_unlock(&shared.lock);
}

struct init_space *init_memory_of(const void *space)
{
    uint64_t *there = wt_map_add(&shared.spaces, (uint64_t)(uintptr_t)space + 1);
    struct init_space *s = there ? (struct init_space *)(uintptr_t)*there : NULL;
    if (there && !s && (s = calloc(1, sizeof *s)))
        *there = (uint64_t)(uintptr_t)s;
    return s;
}

/* ---- origins ---- */

static uint32_t add_origin(const struct init_origin *o)
{
    struct init_origin **grown = wt_array_grow(shared.origin, &shared.origin_room,
                                               shared.origins + 1, sizeof(*grown)),
                       *copy = grown ? malloc(sizeof *copy) : NULL;
    shared.origin = grown ? grown : shared.origin;
    if (!copy)
        return 0;
    *copy = *o;
    grown[shared.origins++] = copy;
    return (uint32_t)shared.origins - 1;
}

uint32_t init_new_origin(const struct init_origin *o)
{
    static const enum wt_defined_origin fixed[INIT_FIXED] = {WT_ORIGIN_UNKNOWN, WT_ORIGIN_REGISTER,
                                                             WT_ORIGIN_PRIVATE, WT_ORIGIN_GROUP,
                                                             WT_ORIGIN_INACTIVE};
    while (shared.origins < INIT_FIXED) {
        const size_t before = shared.origins;
        add_origin(&(struct init_origin){.kind = fixed[before]});
        if (shared.origins == before)
            return 0;
    }
    return o ? add_origin(o) : 0;
}

void init_add_lanes(uint32_t origin, wt_lanes lanes)
{
    if (origin < shared.origins)
        shared.origin[origin]->lanes |= lanes;
}

const struct init_origin *init_origin_of(uint32_t number)
{
    static const struct init_origin none = {.kind = WT_ORIGIN_UNKNOWN};
    return number < shared.origins ? shared.origin[number] : &none;
}

void init_enter(struct wt_check_init *c)
{
    init_lock();
    init_new_origin(NULL);
    c->next = shared.checks;
    shared.checks = c;
    init_unlock();
}

void init_leave(struct wt_check_init *c)
{
    init_lock();
    for (struct wt_check_init **at = &shared.checks; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    for (size_t i = 0; i < shared.origins; i++)
        if (shared.origin[i]->by == c)
            shared.origin[i]->by = NULL;
    init_unlock();
}

/* ---- objects ---- */

static bool is_made_by(const struct wt_object *object, const char *const *names, size_t count)
{
    for (size_t i = 0; object->by && i < count; i++)
        if (strcmp(object->by, names[i]) == 0)
            return true;
    return false;
}

bool init_is_hidden(const struct wt_object *object)
{
    /* Of allocators whose memory the host sees by copies alone; what others make is written by the
       host, too, which nobody sees. */
    static const char *const names[] = {"hipMalloc",
                                        "hipMallocAsync",
                                        "hipMallocPitch",
                                        "hipMalloc3D",
                                        WT_CHECK_HEAP,
                                        "hipMallocFromPoolAsync",
                                        "hipExtMallocWithFlags",
                                        "cudaMalloc",
                                        "cudaMallocAsync",
                                        "cudaMallocPitch",
                                        "cudaMalloc3D",
                                        "cuMemAlloc",
                                        "cuMemAllocAsync",
                                        "cuMemAllocPitch",
                                        "cudaMallocFromPoolAsync",
                                        "cuMemAllocFromPoolAsync",
                                        "hipMallocArray",
                                        "hipMalloc3DArray",
                                        "hipArrayCreate",
                                        "hipArray3DCreate",
                                        "cuArrayCreate",
                                        "cuArray3DCreate",
                                        "cuMipmappedArrayCreate",
                                        "cudaMallocArray",
                                        "cudaMalloc3DArray",
                                        "cudaMallocMipmappedArray",
                                        "clCreateBuffer",
                                        "clCreateBufferWithProperties",
                                        "clCreateImage",
                                        "clCreateImageWithProperties",
                                        "clCreateImage2D",
                                        "clCreateImage3D",
                                        "zeImageCreate",
                                        "zeMemAllocDevice",
                                        "omp_target_alloc"};
    return is_made_by(object, names, sizeof names / sizeof *names);
}

bool init_is_of_both(const struct wt_object *object)
{
    static const char *const names[] = {"hipMallocManaged",  "hipHostMalloc",   "hipHostAlloc",
                                        "hipMallocHost",     "hipMemAllocHost", "cudaMallocManaged",
                                        "cuMemAllocManaged", "cudaMallocHost",  "cuMemAllocHost",
                                        "cudaHostAlloc",     "cuMemHostAlloc",  "clSVMAlloc",
                                        "zeMemAllocShared",  "zeMemAllocHost"};
    return is_made_by(object, names, sizeof names / sizeof *names);
}

struct wt_check_init *init_checks(void)
{
    return shared.checks;
}

/* ---- changes of the host ---- */

void init_note_change(const void *space, uint64_t addr, uint64_t size)
{
    for (struct wt_check_init *c = init_checks(); c; c = c->next)
        if (c->space == space && c->past.kept && c->machine->time >= c->run.most) {
            c->past.now = c->machine->time;
            init_note_host(&c->past, c->global, addr, size);
        }
}

void init_define_of_host(const void *space, uint64_t addr, uint64_t size)
{
    struct init_space *s = size ? init_memory_of(space) : NULL;
    init_note_change(space, addr, size);
    if (s)
        init_define(s, addr, size);
}
