/*
 * Functions of HIP's for memory. The objects of the table have the sizes that the program asks for;
 * memory is freed when the quarantine lets it go.
 */
#include "runtime/hip/calls.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* hipMemcpyKind */
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

/* ---- memory ---- */

/* Whether a list that ends with NULL has the function that has made an object. */
static bool is_made_by(const char *by, const char *const *makers)
{
    while (*makers && strcmp(by, *makers) != 0)
        makers++;
    return *makers;
}

/* Memory that only GPUs have by the rules of HIP; and the host's, which GPUs may access. */
static const char *const makers_of_device[] = {
    "hipMalloc",      "hipMallocAsync",   "hipMallocFromPoolAsync",
    "hipMallocPitch", "hipMemAllocPitch", NULL};
static const char *const makers_of_host[] = {"hipHostMalloc", "hipHostAlloc", "hipMallocHost",
                                             "hipMemAllocHost", NULL};

static int made(int result, const void *at, size_t size, const char *by)
{
    void *const *p = at;
    const struct wt_host_checks *c = calls_checks();
    const struct wt_host_order *o = hip_order();
    if (result || !c || !p || !*p || !size)
        return result;
    c->made(NULL, calls_address(*p), size, by);
    if (o)
        o->memory_made(calls_address(*p), size,
                       is_made_by(by, makers_of_host) || strcmp(by, "hipMallocManaged") == 0);
    return result;
}

/* Defines a function that allocates `size` bytes at *p. What is kept of freed memory must not be
 * the reason that there is none. */
#define ALLOCATES(name, parameters, bytes, ...)                                                    \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        ALLOCATE(name, bytes, __VA_ARGS__);                                                        \
        return result;                                                                             \
    }
/* Likewise for an operation of `stream`, which writes all of the memory. */
#define ALLOCATES_IN(name, parameters, bytes, ...)                                                 \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        hip_give(stream, #name, true);                                                             \
        ALLOCATE(name, bytes, __VA_ARGS__);                                                        \
        hip_accesses(result ? NULL : *p, bytes, WT_ACCESS_STORE);                                  \
        return hip_given(result, stream, false);                                                   \
    }
#define ALLOCATE(name, bytes, ...)                                                                 \
    const struct wt_host_checks *c = calls_checks();                                               \
    if (!LOOK_UP(real_##name, #name))                                                              \
        return NO_HIP;                                                                             \
    hip_enter();                                                                                   \
    int result = real_##name(__VA_ARGS__);                                                         \
    if (result == OUT_OF_MEMORY && c && c->release_kept())                                         \
        result = real_##name(__VA_ARGS__);                                                         \
    result = made(hip_leave(#name, result), p, result ? 0 : (bytes), #name)
ALLOCATES(hipMalloc, (void **p, size_t size), size, p, size)
ALLOCATES(hipExtMallocWithFlags, (void **p, size_t size, unsigned flags), size, p, size, flags)
ALLOCATES(hipMallocManaged, (void **p, size_t size, unsigned flags), size, p, size, flags)
ALLOCATES_IN(hipMallocAsync, (void **p, size_t size, void *stream), size, p, size, stream)
ALLOCATES_IN(hipMallocFromPoolAsync, (void **p, size_t size, void *pool, void *stream), size, p,
             size, pool, stream)
ALLOCATES(hipMallocPitch, (void **p, size_t *pitch, size_t width, size_t height), *pitch *height, p,
          pitch, width, height)
ALLOCATES(hipMemAllocPitch,
          (void **p, size_t *pitch, size_t width, size_t height, unsigned element), *pitch *height,
          p, pitch, width, height, element)
ALLOCATES(hipHostMalloc, (void **p, size_t size, unsigned flags), size, p, size, flags)
ALLOCATES(hipHostAlloc, (void **p, size_t size, unsigned flags), size, p, size, flags)
ALLOCATES(hipMallocHost, (void **p, size_t size), size, p, size)
ALLOCATES(hipMemAllocHost, (void **p, size_t size), size, p, size)

struct pitched { /* hipPitchedPtr */
    void *p;
    size_t pitch, width, height;
};
struct hip_copy_extent { /* hipExtent */
    size_t width, height, depth;
};

ALLOCATES(hipMalloc3D, (struct pitched * p, struct hip_copy_extent extent),
          p->pitch *extent.height *extent.depth, p, extent)

/* Registered memory is the object at the address that GPUs have it at. */
static void *device_address(void *p)
{
    static int (*_Atomic get)(void **, void *, unsigned);
    void *at = NULL;
    int result = NO_HIP;
    if (LOOK_UP(get, "hipHostGetDevicePointer")) {
        calls_depth++;
        result = get(&at, p, 0);
        calls_depth--;
    }
    return result ? NULL : at;
}

FUNCTION(hipHostRegister, void *p, size_t size, unsigned flags)
{
    const int result = CALL(hipHostRegister, p, size, flags);
    const struct wt_host_order *o = result ? NULL : hip_order();
    void *at = result ? NULL : device_address(p);
    made(result, &at, size, "hipHostRegister"); /* where kernels have it */
    if (o && at)
        o->memory_made(calls_address(p), size, true);
    return result;
}

FUNCTION(hipHostUnregister, void *p)
{
    const struct wt_host_checks *c = calls_checks();
    void *at = c ? device_address(p) : NULL;
    const struct wt_host_order *o = at ? hip_order() : NULL;
    if (at)
        c->forget(NULL, calls_address(at), "hipHostUnregister");
    if (o)
        o->memory_gone(calls_address(p));
    return CALL(hipHostUnregister, p);
}

/* Whether all that was launched so far has ended. */
static bool is_idle(void *stream, bool all)
{
    static int (*_Atomic wait)(void *), (*_Atomic wait_for_all)(void);
    calls_depth++;
    const bool idle = all ? LOOK_UP(wait_for_all, "hipDeviceSynchronize") && !wait_for_all()
                          : LOOK_UP(wait, "hipStreamSynchronize") && !wait(stream);
    calls_depth--;
    return idle;
}

/* Memory of the quarantine; @p context: HIP's function. */
static void release(void *context, uint64_t addr)
{
    int (*give_back)(void *);
    *(void **)&give_back = context;
    calls_depth++;
    (void)give_back((void *)(uintptr_t)addr);
    calls_depth--;
}

static bool is_of_device(const struct wt_host_checks *c, const void *p)
{
    struct wt_object o;
    return c->find(NULL, calls_address(p), &o) && !o.freed && is_made_by(o.by, makers_of_device);
}

/* HIP's functions that free memory of one kind do not free the other's: "invalid, including host
 * pointers allocated with hipHostMalloc" (HIP API, hipFree; hipHostFree likewise). ROCm frees both.
 */
static void check_kind(const struct wt_host_checks *c, const struct wt_object *o, const char *by)
{
    const bool host = strcmp(by, "hipHostFree") == 0 || strcmp(by, "hipFreeHost") == 0;
    if (is_made_by(o->by, host ? makers_of_device : makers_of_host))
        c->call(WT_FOUND_BAD_FREE, o, "%s: memory of %s", by, o->by);
}

/* Frees an object as soon as no kernel uses it any more. False: HIP is to do it. */
static bool frees(const struct wt_host_checks *c, void *p, void *stream, bool all, void *give_back,
                  const char *by, int *result)
{
    struct wt_object o;
    *result = INVALID_VALUE;
    if (!c || !p || !c->wants(WT_CHECK_MEMORY))
        return false;
    if (!c->find(NULL, calls_address(p), &o)) {
        if (c->is_of_host(calls_address(p)))
            c->free(NULL, calls_address(p), by); /* nobody has allocated it */
        return false;
    }
    const bool good = !o.freed && o.addr == calls_address(p);
    if (good)
        check_kind(c, &o, by);
    if (good && !is_idle(stream, all)) {
        c->forget(NULL, o.addr, by);
        return false;
    }
    if (!c->free(NULL, calls_address(p), by))
        return true;
    c->keep(o.addr, o.size, release, give_back);
    *result = SUCCESS;
    return true;
}

#define FREES(name)                                                                                \
    FUNCTION(name, void *p)                                                                        \
    {                                                                                              \
        const struct wt_host_order *o = hip_order();                                               \
        int result;                                                                                \
        if (o && p)                                                                                \
            o->memory_gone(calls_address(p));                                                      \
        if (LOOK_UP(real_##name, #name) &&                                                         \
            frees(calls_checks(), p, NULL, true, *(void **)&real_##name, #name, &result))          \
            return result;                                                                         \
        return CALL(name, p);                                                                      \
    }
FREES(hipFree)
FREES(hipHostFree)
FREES(hipFreeHost)

FUNCTION(hipFreeAsync, void *p, void *stream)
{
    const struct wt_host_checks *c = calls_checks();
    struct wt_object o;
    int result;
    hip_give(stream, "hipFreeAsync", true);
    if (c && c->find(NULL, calls_address(p), &o))
        hip_accesses(p, o.size, WT_ACCESS_STORE);
    if (!LOOK_UP(real_hipFree, "hipFree") ||
        !frees(c, p, stream, false, *(void **)&real_hipFree, "hipFreeAsync", &result))
        result = CALL(hipFreeAsync, p, stream);
    return hip_given(result, stream, false);
}

/* ---- copies and fills ---- */

/* Whether a copy that is not to wait does ("If host or dest are not pinned, the memory copy will be
 * performed synchronously", hipMemcpyAsync). */
static bool is_pageable(const void *to, const void *from)
{
    const struct wt_host_checks *c = calls_checks();
    return c && (c->is_of_host(calls_address(to)) || c->is_of_host(calls_address(from)));
}

static void give_copy(void *stream, const void *to, const void *from, size_t size, const char *by)
{
    const struct wt_host_checks *c = calls_checks();
    if (c)
        c->copy_begins(calls_address(to), calls_address(from), size, by);
    hip_give(stream, by, true);
    hip_accesses(from, size, WT_ACCESS_LOAD);
    hip_accesses(to, size, WT_ACCESS_STORE);
}

static void check_direction(const void *to, const void *from, int kind, const char *by)
{
    static const char *const words[] = {"hipMemcpyHostToHost", "hipMemcpyHostToDevice",
                                        "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice"};
    const struct wt_host_checks *c = calls_checks();
    if (!c || !c->wants(WT_CHECK_API) || kind < HOST_TO_HOST || kind > DEVICE_TO_DEVICE)
        return;
    const bool to_device = kind & 1, from_device = kind & 2;
    if (to_device ? c->is_of_host(calls_address(to)) : is_of_device(c, to))
        c->call(WT_FOUND_WRONG_DIRECTION, NULL, "%s: %s to memory of the %s", by, words[kind],
                to_device ? "host" : "device");
    else if (from_device ? c->is_of_host(calls_address(from)) : is_of_device(c, from))
        c->call(WT_FOUND_WRONG_DIRECTION, NULL, "%s: %s from memory of the %s", by, words[kind],
                from_device ? "host" : "device");
}

/* How much of a copy may be made. */
static size_t copied_to(const void *to, const void *from, size_t size, int kind, const char *by)
{
    if (size)
        check_direction(to, from, kind, by);
    return calls_copied(to, from, size, by);
}

#define COPIES(name, kind, to_type, from_type)                                                     \
    FUNCTION(name, to_type to, from_type from, size_t size)                                        \
    {                                                                                              \
        const size_t most = copied_to((const void *)to, (const void *)from, size, kind, #name);    \
        if (size && !most)                                                                         \
            return SUCCESS;                                                                        \
        give_copy(NULL, to, from, most, #name);                                                    \
        return hip_given(CALL(name, to, from, most), NULL, true);                                  \
    }                                                                                              \
    FUNCTION(name##Async, to_type to, from_type from, size_t size, void *stream)                   \
    {                                                                                              \
        if (hip_is_destroyed(&hip_streams, stream, "stream", #name "Async"))                       \
            return INVALID_HANDLE;                                                                 \
        const size_t most =                                                                        \
            copied_to((const void *)to, (const void *)from, size, kind, #name "Async");            \
        if (size && !most)                                                                         \
            return SUCCESS;                                                                        \
        give_copy(stream, to, from, most, #name "Async");                                          \
        return hip_given(CALL(name##Async, to, from, most, stream), stream,                        \
                         is_pageable(to, from));                                                   \
    }
COPIES(hipMemcpyHtoD, HOST_TO_DEVICE, void *, void *)
COPIES(hipMemcpyDtoH, DEVICE_TO_HOST, void *, void *)
COPIES(hipMemcpyDtoD, DEVICE_TO_DEVICE, void *, void *)

FUNCTION(hipMemcpy, void *to, const void *from, size_t size, int kind)
{
    const size_t most = copied_to(to, from, size, kind, "hipMemcpy");
    if (size && !most)
        return SUCCESS;
    give_copy(NULL, to, from, most, "hipMemcpy");
    return hip_given(CALL(hipMemcpy, to, from, most, kind), NULL, true);
}

FUNCTION(hipMemcpyAsync, void *to, const void *from, size_t size, int kind, void *stream)
{
    if (hip_is_destroyed(&hip_streams, stream, "stream", "hipMemcpyAsync"))
        return INVALID_HANDLE;
    const size_t most = copied_to(to, from, size, kind, "hipMemcpyAsync");
    if (size && !most)
        return SUCCESS;
    give_copy(stream, to, from, most, "hipMemcpyAsync");
    return hip_given(CALL(hipMemcpyAsync, to, from, most, kind, stream), stream,
                     is_pageable(to, from));
}

FUNCTION(hipMemcpyWithStream, void *to, const void *from, size_t size, int kind, void *stream)
{
    if (hip_is_destroyed(&hip_streams, stream, "stream", "hipMemcpyWithStream"))
        return INVALID_HANDLE;
    const size_t most = copied_to(to, from, size, kind, "hipMemcpyWithStream");
    if (size && !most)
        return SUCCESS;
    give_copy(stream, to, from, most, "hipMemcpyWithStream");
    return hip_given(CALL(hipMemcpyWithStream, to, from, most, kind, stream), stream, true);
}

FUNCTION(hipMemcpyPeer, void *to, int device, const void *from, int other, size_t size)
{
    const size_t most = calls_copied(to, from, size, "hipMemcpyPeer");
    if (size && !most)
        return SUCCESS;
    give_copy(NULL, to, from, most, "hipMemcpyPeer");
    return hip_given(CALL(hipMemcpyPeer, to, device, from, other, most), NULL, true);
}

FUNCTION(hipMemcpyPeerAsync, void *to, int device, const void *from, int other, size_t size,
         void *stream)
{
    const size_t most = calls_copied(to, from, size, "hipMemcpyPeerAsync");
    if (size && !most)
        return SUCCESS;
    give_copy(stream, to, from, most, "hipMemcpyPeerAsync");
    return hip_given(CALL(hipMemcpyPeerAsync, to, device, from, other, most, stream), stream,
                     false);
}

/* The rows of a box that may be copied whole; those of the first mistake on may not. */
static size_t rows_copied(const char *to, size_t to_pitch, const char *from, size_t from_pitch,
                          size_t width, size_t height, int kind, const char *by)
{
    size_t y = 0;
    if (width && height)
        check_direction(to, from, kind, by);
    while (y < height && calls_copied(to + y * to_pitch, from + y * from_pitch, width, by) == width)
        y++;
    return y;
}

static void give_rows(void *stream, const char *to, size_t to_pitch, const char *from,
                      size_t from_pitch, size_t width, size_t height, const char *by)
{
    hip_give(stream, by, true);
    for (size_t y = 0; y < height; y++) {
        hip_accesses(from ? from + y * from_pitch : NULL, width, WT_ACCESS_LOAD);
        hip_accesses(to + y * to_pitch, width, WT_ACCESS_STORE);
    }
}

FUNCTION(hipMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, int kind)
{
    const size_t rows =
        rows_copied(to, to_pitch, from, from_pitch, width, height, kind, "hipMemcpy2D");
    if (height && !rows)
        return SUCCESS;
    give_rows(NULL, to, to_pitch, from, from_pitch, width, rows, "hipMemcpy2D");
    return hip_given(CALL(hipMemcpy2D, to, to_pitch, from, from_pitch, width, rows, kind), NULL,
                     true);
}

FUNCTION(hipMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch,
         size_t width, size_t height, int kind, void *stream)
{
    if (hip_is_destroyed(&hip_streams, stream, "stream", "hipMemcpy2DAsync"))
        return INVALID_HANDLE;
    const size_t rows =
        rows_copied(to, to_pitch, from, from_pitch, width, height, kind, "hipMemcpy2DAsync");
    if (height && !rows)
        return SUCCESS;
    give_rows(stream, to, to_pitch, from, from_pitch, width, rows, "hipMemcpy2DAsync");
    return hip_given(
        CALL(hipMemcpy2DAsync, to, to_pitch, from, from_pitch, width, rows, kind, stream), stream,
        is_pageable(to, from));
}

/* How much of a copy to or from a variable may be made, as far as the other side says: the runtime
 * itself refuses one that leaves the variable. */
static size_t of_symbol(const void *symbol, size_t offset, const void *other, size_t size,
                        bool written, const char *by)
{
    static int (*_Atomic get)(void **, const void *);
    const struct wt_host_checks *c = size ? calls_checks() : NULL;
    void *at = NULL;
    int result = NO_HIP;
    if (!c || !LOOK_UP(get, "hipGetSymbolAddress"))
        return size;
    calls_depth++;
    result = get(&at, symbol);
    calls_depth--;
    if (result)
        return size;
    c->list_variables();
    const enum wt_access here = written ? WT_ACCESS_STORE : WT_ACCESS_LOAD,
                         there = written ? WT_ACCESS_LOAD : WT_ACCESS_STORE;
    calls_judged((char *)at + offset, size, here, by);
    return calls_judged(other, size, there, by);
}

/* A copy to or from a variable, as far as the other side says. */
static void give_other(void *stream, const void *other, size_t size, bool written, const char *by)
{
    hip_give(stream, by, true);
    hip_accesses(other, size, written ? WT_ACCESS_LOAD : WT_ACCESS_STORE);
}

#define COPIES_TO_SYMBOL(name, other_type, first, second, symbol, other, written)                  \
    FUNCTION(name, other_type first, const void *second, size_t size, size_t offset, int kind)     \
    {                                                                                              \
        const size_t most = of_symbol(symbol, offset, other, size, written, #name);                \
        if (size && !most)                                                                         \
            return SUCCESS;                                                                        \
        give_other(NULL, other, most, written, #name);                                             \
        return hip_given(CALL(name, first, second, most, offset, kind), NULL, true);               \
    }                                                                                              \
    FUNCTION(name##Async, other_type first, const void *second, size_t size, size_t offset,        \
             int kind, void *stream)                                                               \
    {                                                                                              \
        const size_t most = of_symbol(symbol, offset, other, size, written, #name "Async");        \
        if (size && !most)                                                                         \
            return SUCCESS;                                                                        \
        give_other(stream, other, most, written, #name "Async");                                   \
        return hip_given(CALL(name##Async, first, second, most, offset, kind, stream), stream,     \
                         is_pageable(other, other));                                               \
    }
COPIES_TO_SYMBOL(hipMemcpyToSymbol, const void *, to, from, to, from, true)
COPIES_TO_SYMBOL(hipMemcpyFromSymbol, void *, to, from, from, to, false)

#define FILLS(name, type, element)                                                                 \
    FUNCTION(name, void *to, type value, size_t count)                                             \
    {                                                                                              \
        const size_t most =                                                                        \
            calls_judged(to, count * (element), WT_ACCESS_STORE, #name) / (element);               \
        if (count && !most)                                                                        \
            return SUCCESS;                                                                        \
        hip_give(NULL, #name, true);                                                               \
        hip_accesses(to, most *(element), WT_ACCESS_STORE);                                        \
        return hip_given(CALL(name, to, value, most), NULL, true);                                 \
    }                                                                                              \
    FUNCTION(name##Async, void *to, type value, size_t count, void *stream)                        \
    {                                                                                              \
        if (hip_is_destroyed(&hip_streams, stream, "stream", #name "Async"))                       \
            return INVALID_HANDLE;                                                                 \
        const size_t most =                                                                        \
            calls_judged(to, count * (element), WT_ACCESS_STORE, #name "Async") / (element);       \
        if (count && !most)                                                                        \
            return SUCCESS;                                                                        \
        hip_give(stream, #name "Async", true);                                                     \
        hip_accesses(to, most *(element), WT_ACCESS_STORE);                                        \
        return hip_given(CALL(name##Async, to, value, most, stream), stream, false);               \
    }
FILLS(hipMemset, int, 1u)
FILLS(hipMemsetD8, unsigned char, 1u)
FILLS(hipMemsetD16, unsigned short, 2u)
FILLS(hipMemsetD32, int, 4u)

static size_t rows_filled(char *to, size_t pitch, size_t width, size_t height, const char *by)
{
    size_t y = 0;
    while (y < height && calls_judged(to + y * pitch, width, WT_ACCESS_STORE, by) == width)
        y++;
    return y;
}

FUNCTION(hipMemset2D, void *to, size_t pitch, int value, size_t width, size_t height)
{
    const size_t rows = rows_filled(to, pitch, width, height, "hipMemset2D");
    if (height && !rows)
        return SUCCESS;
    give_rows(NULL, to, pitch, NULL, 0, width, rows, "hipMemset2D");
    return hip_given(CALL(hipMemset2D, to, pitch, value, width, rows), NULL, true);
}

FUNCTION(hipMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
         void *stream)
{
    const size_t rows = rows_filled(to, pitch, width, height, "hipMemset2DAsync");
    if (height && !rows)
        return SUCCESS;
    give_rows(stream, to, pitch, NULL, 0, width, rows, "hipMemset2DAsync");
    return hip_given(CALL(hipMemset2DAsync, to, pitch, value, width, rows, stream), stream, false);
}
