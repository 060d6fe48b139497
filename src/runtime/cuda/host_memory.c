/* libcuda: memory of the host that kernels can access: allocated here, or registered by the program
 * ("CUDA Driver API": 6.13). */
#include <stdlib.h>
#include <sys/mman.h>

#include "check/objects.h"
#include "runtime/cuda/checks.h"
#include "runtime/cuda/order.h"
#include "runtime/cuda/state.h"

struct seen {
    uint8_t *at;
    size_t bytes;
    size_t whole;    /* that are mapped, of memory that was allocated here */
    bool registered; /* the program's own; else it was allocated here */
    unsigned flags;
    uint64_t owner; /* id of the context that it was made for */
    struct seen *next;
};

static struct seen *seen; /* under the lock */

/*
 * The whole pages of a range but for those that another one has, too: ranges do not overlap, so
 * only a first or last page is shared.
 */
static void pages_alone(const struct seen *of, uint64_t *from, uint64_t *size)
{
    const uint64_t page = 4096, mask = page - 1;
    uint64_t to = ((uintptr_t)of->at + of->bytes + mask) & ~mask;
    bool first = false, last = false;
    *from = (uintptr_t)of->at & ~mask;
    for (const struct seen *s = seen; s; s = s->next) {
        const uint64_t begin = (uintptr_t)s->at & ~mask, end = (uintptr_t)s->at + s->bytes;
        if (s == of)
            continue;
        first |= begin <= *from && end > *from;
        last |= begin <= to - page && end > to - page;
    }
    *from += first ? page : 0;
    to -= last ? page : 0;
    *size = to > *from ? to - *from : 0;
}

static bool overlaps_seen(const void *address, size_t bytes)
{
    const uintptr_t at = (uintptr_t)address;
    for (const struct seen *s = seen; s; s = s->next)
        if (at < (uintptr_t)s->at + s->bytes && (uintptr_t)s->at < at + bytes)
            return true;
    return false;
}

static struct seen **find_seen(const void *address)
{
    struct seen **s = &seen;
    while (*s && ((const uint8_t *)address < (*s)->at ||
                  (const uint8_t *)address >= (*s)->at + (*s)->bytes))
        s = &(*s)->next;
    return s;
}

bool memory_is_seen(uint64_t address)
{
    return *find_seen((const void *)(uintptr_t)address) != NULL;
}

bool memory_is_mapped(uint64_t address, uint64_t size)
{
    const uint64_t page = 4096, begin = address & ~(page - 1);
    return size <= UINT64_MAX - address &&
           msync((void *)(uintptr_t)begin, address + size - begin, MS_ASYNC) == 0;
}

bool memory_is_allocated(uint64_t address)
{
    const struct seen *s = *find_seen((const void *)(uintptr_t)address);
    return s && !s->registered;
}

bool memory_seen(uint64_t address, uint64_t *base, uint64_t *size)
{
    const struct seen *s = *find_seen((const void *)(uintptr_t)address);
    *base = s ? (uintptr_t)s->at : 0;
    *size = s ? s->bytes : 0;
    return s != NULL;
}

/* `whole`: bytes that are mapped of memory that was allocated here. */
static CUresult see(void *at, size_t bytes, size_t whole, unsigned flags, const char *by)
{
    struct wt_error err;
    struct gpu *g;
    uint64_t from, size;
    struct seen *s = malloc(sizeof *s);
    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *s = (struct seen){at, bytes, whole, !whole, flags, state_entered_id(), seen};
    pages_alone(s, &from, &size);
    for (CUdevice i = 0; size && (g = state_gpu(i)); i++)
        if (gpu_see(g, from, size, &err) != WT_OK) {
            while (i-- > 0)
                gpu_see_no_more(state_gpu(i), from, size);
            free(s);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    seen = s;
    order_made((uintptr_t)at, bytes, whole ? WT_OF_BOTH : WT_OF_REGISTERED);
    if (wt_checks_wanted())
        wt_object_made(NULL, (uintptr_t)at, bytes, checks_entry(by));
    return CUDA_SUCCESS;
}

uint64_t memory_owner(uint64_t address)
{
    const struct seen *s = *find_seen((const void *)(uintptr_t)address);
    return s ? s->owner : 0;
}

static void unmap(void *context, uint64_t at)
{
    munmap((void *)(uintptr_t)at, (uintptr_t)context);
}

static void drop(struct seen **place, const char *by)
{
    struct gpu *g;
    struct seen *s = *place;
    uint64_t from, size;
    order_gone((uintptr_t)s->at);
    pages_alone(s, &from, &size);
    for (CUdevice i = 0; size && (g = state_gpu(i)); i++)
        gpu_see_no_more(g, from, size);
    *place = s->next;
    if (wt_checks_wanted())
        wt_object_freed(NULL, (uintptr_t)s->at, checks_entry(by));
    if (!s->registered)
        wt_object_keep((uintptr_t)s->at, s->whole, unmap, (void *)(uintptr_t)s->whole);
    free(s);
}

static void lose(struct seen **place)
{
    checks_lost((uintptr_t)(*place)->at);
    drop(place, "the end of its context");
}

void memory_drop(uint64_t owner)
{
    for (struct seen **place = &seen; *place;)
        if ((*place)->owner == owner)
            lose(place);
        else
            place = &(*place)->next;
}

static CUresult see_no_more(void *at, bool registered, const char *by)
{
    CUresult result = state_lock();
    if (result)
        return result;
    if (!at)
        return state_leave(registered ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
    struct seen **place = find_seen(at), *s = *place;
    if (!registered && (!s || s->at != at || s->registered))
        checks_bad_free((uintptr_t)at, checks_entry(by));
    if (!s || s->at != at || s->registered != registered)
        return state_leave(registered && !s ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
                                            : CUDA_ERROR_INVALID_VALUE);
    drop(place, by);
    return state_leave(CUDA_SUCCESS);
}

static CUresult allocate_host(void **address, size_t bytes, unsigned flags, const char *by)
{
    struct gpu *g;
    CUresult result = state_enter(&g);
    if (result)
        return result;
    if (!address || flags > 7)
        return state_leave(CUDA_ERROR_INVALID_VALUE);
    if (!bytes) {
        *address = NULL;
        return state_leave(CUDA_SUCCESS);
    }
    const size_t whole = bytes + wt_check_redzone();
    void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return state_leave(CUDA_ERROR_OUT_OF_MEMORY);
    if ((result = see(at, bytes, whole, flags, by)) != CUDA_SUCCESS)
        munmap(at, whole);
    else
        *address = at;
    return state_leave(result);
}

API(cuMemAllocHost_v2, "*%p, %zu", (void **, address, HANDLE(address)), (size_t, bytes))
{
    return allocate_host(address, bytes, 0, "cuMemAllocHost");
}

API(cuMemHostAlloc, "*%p, %zu, %u", (void **, address, HANDLE(address)), (size_t, bytes),
    (unsigned, flags))
{
    return allocate_host(address, bytes, flags, "cuMemHostAlloc");
}

API(cuMemFreeHost, "%p", (void *, address))
{
    return checks_free_fails((uintptr_t)address, see_no_more(address, false, "cuMemFreeHost"));
}

API_IN(state_enter(&g), cuMemHostRegister_v2, "%p, %zu, %u", (void *, address), (size_t, bytes),
       (unsigned, flags))
{
    enum { KNOWN_FLAGS = 15 }; /* CU_MEMHOSTREGISTER_… */
    if (!address || !bytes || flags > KNOWN_FLAGS || !memory_is_mapped((uintptr_t)address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return overlaps_seen(address, bytes) ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                         : see(address, bytes, 0, flags, "cuMemHostRegister");
}

API(cuMemHostUnregister, "%p", (void *, address))
{
    return see_no_more(address, true, "cuMemHostUnregister");
}

/* It is the same address. */
static CUresult enter_seen(const void *at, struct gpu **gpu)
{
    const CUresult result = state_lock();
    return result ? result : state_enter_owner(memory_owner((uintptr_t)at), gpu);
}

API_IN(enter_seen(host, &g), cuMemHostGetDevicePointer_v2, "*0x%llx, %p, %u",
       (CUdeviceptr *, device, RESULT(device)), (void *, host), (unsigned, flags))
{
    if (!device || flags || !*find_seen(host))
        return CUDA_ERROR_INVALID_VALUE;
    *device = (uintptr_t)host;
    return CUDA_SUCCESS;
}

/* Memory that was allocated has the flags that it was given; all of it is at its own address. */
API_IN(enter_seen(address, &g), cuMemHostGetFlags, "*%llu, %p", (unsigned *, flags, RESULT(flags)),
       (void *, address))
{
    const struct seen *s = *find_seen(address);
    if (flags && s)
        *flags = s->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return flags && s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
