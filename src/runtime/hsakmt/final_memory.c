/* See final_memory.h. */
#include "runtime/hsakmt/final_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/hsakmt/debugger_memory.h"

/* Of what was freed; more of it is not kept. */
#define MOST_KEPT ((uint64_t)512 << 20)
#define READ_BYTES ((size_t)64 * HOST_PAGE)

/* Memory that was freed: whole pages. */
struct freed {
    uint64_t addr, size;
    uint8_t *bytes; /* NULL: all are zero */
};

struct host_final {
    pthread_mutex_t lock; /* each GPU's thread and each thread of the program may free */
    struct freed *freed;  /* apart from each other, in no order */
    size_t freed_count, freed_capacity;
    uint64_t kept;
};

bool host_final_want(struct host *host)
{
    if (!host->final && (host->final = calloc(1, sizeof *host->final)))
        pthread_mutex_init(&host->final->lock, NULL);
    atomic_store(&host->final_wanted, host->final != NULL);
    return host->final;
}

static void forget_freed(struct host_final *f)
{
    for (size_t i = 0; i < f->freed_count; i++)
        free(f->freed[i].bytes);
    f->freed_count = 0;
    f->kept = 0;
}

void host_final_forget(struct host *host)
{
    if (!host->final)
        return;
    forget_freed(host->final);
    free(host->final->freed);
    pthread_mutex_destroy(&host->final->lock);
    free(host->final);
    host->final = NULL;
    atomic_store(&host->final_wanted, false);
}

void host_final_kernel(struct host_gpu *gpu)
{
    struct host_final *f = gpu->host->final;
    if (!f)
        return;
    pthread_mutex_lock(&f->lock);
    forget_freed(f);
    pthread_mutex_unlock(&f->lock);
}

/* ---- what was freed ---- */

/* Takes over the bytes. Without host memory they are not kept. */
static void add(struct host_final *f, uint64_t addr, uint64_t size, uint8_t *bytes)
{
    struct freed *more =
        wt_array_grow(f->freed, &f->freed_capacity, f->freed_count + 1, sizeof *more);
    if (!more) {
        free(bytes);
        return;
    }
    f->freed = more;
    f->freed[f->freed_count++] = (struct freed){addr, size, bytes};
    f->kept += bytes ? size : 0;
}

/* The part of a freed piece that lies in [addr, end), as one of its own. */
static void keep_part(struct host_final *f, const struct freed *whole, uint64_t addr, uint64_t end)
{
    uint8_t *bytes = NULL;
    if (addr >= end)
        return;
    if (whole->bytes) {
        if (!(bytes = malloc(end - addr)))
            return;
        memcpy(bytes, whole->bytes + (addr - whole->addr), end - addr);
    }
    add(f, addr, end - addr, bytes);
}

/* Somebody else has this address now. */
static void cut(struct host_final *f, uint64_t addr, uint64_t size)
{
    const uint64_t end = addr + size;
    for (size_t i = 0; i < f->freed_count;) {
        const struct freed whole = f->freed[i];
        if (whole.addr >= end || whole.addr + whole.size <= addr) {
            i++;
            continue;
        }
        f->freed[i] = f->freed[--f->freed_count];
        f->kept -= whole.bytes ? whole.size : 0;
        /* These lie outside, and are met again without effect. */
        keep_part(f, &whole, whole.addr, addr < whole.addr ? whole.addr : addr);
        keep_part(f, &whole, end > whole.addr + whole.size ? whole.addr + whole.size : end,
                  whole.addr + whole.size);
        free(whole.bytes);
    }
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* The length of the run of pages at the beginning that are zero, or are not. */
static size_t run_of(const uint8_t *bytes, size_t size, bool *zero)
{
    size_t length = HOST_PAGE;
    *zero = is_zero(bytes, HOST_PAGE);
    while (length < size && is_zero(bytes + length, HOST_PAGE) == *zero)
        length += HOST_PAGE;
    return length;
}

static void keep(struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    struct host_final *f = gpu->host->final;
    uint8_t *bytes = malloc(READ_BYTES);
    for (uint64_t done = 0, part; bytes && done < size; done += part) {
        bool zero;
        part = size - done < READ_BYTES ? size - done : READ_BYTES;
        if (!host_gpu_copy(gpu, addr + done, bytes, (size_t)part))
            break;
        part = run_of(bytes, (size_t)part, &zero);
        if (!zero && f->kept + part > MOST_KEPT)
            break;
        uint8_t *own = zero ? NULL : malloc((size_t)part);
        if (own)
            memcpy(own, bytes, (size_t)part);
        if (zero || own)
            add(f, addr + done, part, own);
    }
    free(bytes);
}

void host_final_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    struct host_final *f = gpu->host->final;
    if (!f)
        return;
    const uint64_t first = addr & ~(uint64_t)(HOST_PAGE - 1);
    const uint64_t whole = (addr + size - first + HOST_PAGE - 1) & ~(uint64_t)(HOST_PAGE - 1);
    pthread_mutex_lock(&f->lock);
    cut(f, first, whole);
    keep(gpu, first, whole);
    pthread_mutex_unlock(&f->lock);
}

/* ---- all that there is ---- */

/* The first range at or behind an address that a GPU may use. */
static bool next_used(struct host *host, uint64_t from, uint64_t *addr, uint64_t *end)
{
    bool any = false;
    for (uint32_t i = 0; i < host->gpus; i++) {
        uint64_t start, size;
        if (!gcn_device_next_mapped(host->gpu[i].device, from, &start, &size) ||
            (any && start >= *addr))
            continue;
        *addr = start;
        *end = start + size;
        any = true;
    }
    return any;
}

static const struct freed *next_freed(const struct host_final *f, uint64_t from)
{
    const struct freed *best = NULL;
    for (size_t i = 0; i < f->freed_count; i++)
        if (f->freed[i].addr + f->freed[i].size > from && (!best || f->freed[i].addr < best->addr))
            best = &f->freed[i];
    return best;
}

/* False: the program has taken the page away behind the driver's back. */
static bool used_piece(struct host *host, uint64_t addr, uint64_t end, uint8_t *bytes, size_t most,
                       struct host_final_piece *piece)
{
    size_t size = end - addr < most ? (size_t)(end - addr) : most;
    bool zero;
    if (!host_debugger_copy(host, addr, bytes, size, true) &&
        !host_debugger_copy(host, addr, bytes, size = HOST_PAGE, true))
        return false;
    const size_t length = run_of(bytes, size, &zero);
    *piece = (struct host_final_piece){addr, length, zero ? 0 : length};
    return true;
}

static void freed_piece(const struct freed *freed, uint64_t from, uint8_t *bytes, size_t most,
                        struct host_final_piece *piece)
{
    const uint64_t at = freed->addr < from ? from : freed->addr;
    const uint64_t left = freed->addr + freed->size - at;
    const uint64_t length = freed->bytes && left > most ? most : left;
    *piece = (struct host_final_piece){at, length, freed->bytes ? (size_t)length : 0};
    if (freed->bytes)
        memcpy(bytes, freed->bytes + (at - freed->addr), (size_t)length);
}

bool host_final_next(struct host *host, uint64_t from, uint8_t *bytes, size_t most,
                     struct host_final_piece *piece)
{
    struct host_final *f = host->final;
    uint64_t addr = 0, end = 0;
    bool any = false;
    if (!f)
        return false;
    pthread_mutex_lock(&f->lock);
    if (from == 0)
        for (uint64_t at = 0; next_used(host, at, &addr, &end); at = end)
            cut(f, addr, end - addr);
    for (bool found = false; !found; from = addr + HOST_PAGE) {
        const bool used = next_used(host, from, &addr, &end);
        const struct freed *freed = next_freed(f, from);
        if (!used && !freed)
            break;
        any = found = freed && (!used || freed->addr < addr);
        if (found)
            freed_piece(freed, from, bytes, most, piece);
        else
            any = found = used_piece(host, addr, end, bytes, most, piece);
    }
    pthread_mutex_unlock(&f->lock);
    return any;
}
