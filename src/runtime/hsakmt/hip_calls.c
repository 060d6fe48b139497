/*
 * Functions of HIP (hip_runtime_api.h, parts of which are C++). The objects of the table have the
 * sizes that the program asks for; memory is freed when the quarantine lets it go.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/common/calls.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_HIP = 3, /* hipErrorNotInitialized */
    INVALID_HANDLE = 400,
    NOT_READY = 600,
};
/* hipMemcpyKind */
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

struct dim3 {
    uint32_t x, y, z;
};

/* Streams, events and modules are objects in spaces of their own. */
static const char streams, events, modules;

/* ---- calls ---- */

#define LOOK_UP(function, name) CALLS_LOOK_UP(function, name, "libamdhip64.so.5")

/* Notes a call that HIP has refused. */
static int leave(const char *name, int result)
{
    static const char *(*_Atomic text)(int);
    calls_depth--;
    const struct wt_host_checks *c = result && result != NOT_READY ? calls_checks() : NULL;
    if (!c)
        return result;
    c->call(WT_FOUND_FAILED_CALL, WT_NOTE, NULL, "%s: %s", name,
            LOOK_UP(text, "hipGetErrorName") ? text(result) : "");
    return result;
}

/* Begins the definition of a function; CALL calls HIP's. */
#define FUNCTION(name, ...)                                                                        \
    static int (*_Atomic real_##name)(__VA_ARGS__);                                                \
    __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define CALL(name, ...)                                                                            \
    (LOOK_UP(real_##name, #name) ? (calls_depth++, leave(#name, real_##name(__VA_ARGS__))) : NO_HIP)

/* ---- memory ---- */

static int made(int result, const void *at, size_t size, const char *by)
{
    void *const *p = at;
    const struct wt_host_checks *c = calls_checks();
    if (!result && c && p && *p && size)
        c->made(NULL, calls_address(*p), size, by);
    return result;
}

/* Defines a function that allocates `size` bytes at *p. What is kept of freed memory must not be
 * the reason that there is none. */
#define ALLOCATES(name, parameters, bytes, ...)                                                    \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        const struct wt_host_checks *c = calls_checks();                                           \
        if (!LOOK_UP(real_##name, #name))                                                          \
            return NO_HIP;                                                                         \
        calls_depth++;                                                                             \
        int result = real_##name(__VA_ARGS__);                                                     \
        if (result == OUT_OF_MEMORY && c && c->release_kept())                                     \
            result = real_##name(__VA_ARGS__);                                                     \
        return made(leave(#name, result), p, result ? 0 : (bytes), #name);                         \
    }
#define UNPACK(...) __VA_ARGS__
ALLOCATES(hipMalloc, (void **p, size_t size), size, p, size)
ALLOCATES(hipExtMallocWithFlags, (void **p, size_t size, unsigned flags), size, p, size, flags)
ALLOCATES(hipMallocManaged, (void **p, size_t size, unsigned flags), size, p, size, flags)
ALLOCATES(hipMallocAsync, (void **p, size_t size, void *stream), size, p, size, stream)
ALLOCATES(hipMallocFromPoolAsync, (void **p, size_t size, void *pool, void *stream), size, p, size,
          pool, stream)
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
struct extent { /* hipExtent */
    size_t width, height, depth;
};

ALLOCATES(hipMalloc3D, (struct pitched * p, struct extent extent),
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
    void *at = result ? NULL : device_address(p);
    return made(result, &at, size, "hipHostRegister");
}

FUNCTION(hipHostUnregister, void *p)
{
    const struct wt_host_checks *c = calls_checks();
    void *at = c ? device_address(p) : NULL;
    if (at)
        c->forget(NULL, calls_address(at), "hipHostUnregister");
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

/* Whether a list that ends with NULL has the function that has made an object. */
static bool is_made_by(const struct wt_object *o, const char *const *makers)
{
    while (*makers && strcmp(o->by, *makers) != 0)
        makers++;
    return *makers;
}

/* Memory that only GPUs have by the rules of HIP; and the host's, which GPUs may access. */
static const char *const makers_of_device[] = {
    "hipMalloc",      "hipMallocAsync",   "hipMallocFromPoolAsync",
    "hipMallocPitch", "hipMemAllocPitch", NULL};
static const char *const makers_of_host[] = {"hipHostMalloc", "hipHostAlloc", "hipMallocHost",
                                             "hipMemAllocHost", NULL};

static bool is_of_device(const struct wt_host_checks *c, const void *p)
{
    struct wt_object o;
    return c->find(NULL, calls_address(p), &o) && !o.freed && is_made_by(&o, makers_of_device);
}

/* HIP's functions that free memory of one kind do not free the other's: "invalid, including host
 * pointers allocated with hipHostMalloc" (HIP API, hipFree; hipHostFree likewise). ROCm frees both.
 */
static void check_kind(const struct wt_host_checks *c, const struct wt_object *o, const char *by)
{
    const bool host = strcmp(by, "hipHostFree") == 0 || strcmp(by, "hipFreeHost") == 0;
    if (is_made_by(o, host ? makers_of_device : makers_of_host))
        c->call(WT_FOUND_BAD_FREE, WT_ERROR, o, "%s: memory of %s", by, o->by);
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
        int result;                                                                                \
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
    int result;
    if (LOOK_UP(real_hipFree, "hipFree") &&
        frees(calls_checks(), p, stream, false, *(void **)&real_hipFree, "hipFreeAsync", &result))
        return result;
    return CALL(hipFreeAsync, p, stream);
}

/* ---- copies and fills ---- */

static void check_direction(const void *to, const void *from, int kind, const char *by)
{
    static const char *const words[] = {"hipMemcpyHostToHost", "hipMemcpyHostToDevice",
                                        "hipMemcpyDeviceToHost", "hipMemcpyDeviceToDevice"};
    const struct wt_host_checks *c = calls_checks();
    if (!c || !c->wants(WT_CHECK_API) || kind < HOST_TO_HOST || kind > DEVICE_TO_DEVICE)
        return;
    const bool to_device = kind & 1, from_device = kind & 2;
    if (to_device ? c->is_of_host(calls_address(to)) : is_of_device(c, to))
        c->call(WT_FOUND_WRONG_DIRECTION, WT_ERROR, NULL, "%s: %s to memory of the %s", by,
                words[kind], to_device ? "host" : "device");
    else if (from_device ? c->is_of_host(calls_address(from)) : is_of_device(c, from))
        c->call(WT_FOUND_WRONG_DIRECTION, WT_ERROR, NULL, "%s: %s from memory of the %s", by,
                words[kind], from_device ? "host" : "device");
}

/* How much of a copy may be made. */
static size_t copied_to(const void *to, const void *from, size_t size, int kind, const char *by)
{
    if (size)
        check_direction(to, from, kind, by);
    return calls_copied(to, from, size, by);
}

static bool is_destroyed(const void *space, const void *handle, const char *what, const char *by);

#define COPIES(name, kind, to_type, from_type)                                                     \
    FUNCTION(name, to_type to, from_type from, size_t size)                                        \
    {                                                                                              \
        const size_t most = copied_to((const void *)to, (const void *)from, size, kind, #name);    \
        return size && !most ? SUCCESS : CALL(name, to, from, most);                               \
    }                                                                                              \
    FUNCTION(name##Async, to_type to, from_type from, size_t size, void *stream)                   \
    {                                                                                              \
        if (is_destroyed(&streams, stream, "stream", #name "Async"))                               \
            return INVALID_HANDLE;                                                                 \
        const size_t most =                                                                        \
            copied_to((const void *)to, (const void *)from, size, kind, #name "Async");            \
        return size && !most ? SUCCESS : CALL(name##Async, to, from, most, stream);                \
    }
COPIES(hipMemcpyHtoD, HOST_TO_DEVICE, void *, void *)
COPIES(hipMemcpyDtoH, DEVICE_TO_HOST, void *, void *)
COPIES(hipMemcpyDtoD, DEVICE_TO_DEVICE, void *, void *)

FUNCTION(hipMemcpy, void *to, const void *from, size_t size, int kind)
{
    const size_t most = copied_to(to, from, size, kind, "hipMemcpy");
    return size && !most ? SUCCESS : CALL(hipMemcpy, to, from, most, kind);
}

FUNCTION(hipMemcpyAsync, void *to, const void *from, size_t size, int kind, void *stream)
{
    if (is_destroyed(&streams, stream, "stream", "hipMemcpyAsync"))
        return INVALID_HANDLE;
    const size_t most = copied_to(to, from, size, kind, "hipMemcpyAsync");
    return size && !most ? SUCCESS : CALL(hipMemcpyAsync, to, from, most, kind, stream);
}

FUNCTION(hipMemcpyWithStream, void *to, const void *from, size_t size, int kind, void *stream)
{
    if (is_destroyed(&streams, stream, "stream", "hipMemcpyWithStream"))
        return INVALID_HANDLE;
    const size_t most = copied_to(to, from, size, kind, "hipMemcpyWithStream");
    return size && !most ? SUCCESS : CALL(hipMemcpyWithStream, to, from, most, kind, stream);
}

FUNCTION(hipMemcpyPeer, void *to, int device, const void *from, int other, size_t size)
{
    const size_t most = calls_copied(to, from, size, "hipMemcpyPeer");
    return size && !most ? SUCCESS : CALL(hipMemcpyPeer, to, device, from, other, most);
}

FUNCTION(hipMemcpyPeerAsync, void *to, int device, const void *from, int other, size_t size,
         void *stream)
{
    const size_t most = calls_copied(to, from, size, "hipMemcpyPeerAsync");
    return size && !most ? SUCCESS
                         : CALL(hipMemcpyPeerAsync, to, device, from, other, most, stream);
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

FUNCTION(hipMemcpy2D, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
         size_t height, int kind)
{
    const size_t rows =
        rows_copied(to, to_pitch, from, from_pitch, width, height, kind, "hipMemcpy2D");
    return height && !rows ? SUCCESS
                           : CALL(hipMemcpy2D, to, to_pitch, from, from_pitch, width, rows, kind);
}

FUNCTION(hipMemcpy2DAsync, void *to, size_t to_pitch, const void *from, size_t from_pitch,
         size_t width, size_t height, int kind, void *stream)
{
    if (is_destroyed(&streams, stream, "stream", "hipMemcpy2DAsync"))
        return INVALID_HANDLE;
    const size_t rows =
        rows_copied(to, to_pitch, from, from_pitch, width, height, kind, "hipMemcpy2DAsync");
    return height && !rows
               ? SUCCESS
               : CALL(hipMemcpy2DAsync, to, to_pitch, from, from_pitch, width, rows, kind, stream);
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

#define COPIES_TO_SYMBOL(name, other_type, first, second, symbol, other, written)                  \
    FUNCTION(name, other_type first, const void *second, size_t size, size_t offset, int kind)     \
    {                                                                                              \
        const size_t most = of_symbol(symbol, offset, other, size, written, #name);                \
        return size && !most ? SUCCESS : CALL(name, first, second, most, offset, kind);            \
    }                                                                                              \
    FUNCTION(name##Async, other_type first, const void *second, size_t size, size_t offset,        \
             int kind, void *stream)                                                               \
    {                                                                                              \
        const size_t most = of_symbol(symbol, offset, other, size, written, #name "Async");        \
        return size && !most ? SUCCESS                                                             \
                             : CALL(name##Async, first, second, most, offset, kind, stream);       \
    }
COPIES_TO_SYMBOL(hipMemcpyToSymbol, const void *, to, from, to, from, true)
COPIES_TO_SYMBOL(hipMemcpyFromSymbol, void *, to, from, from, to, false)

#define FILLS(name, type, element)                                                                 \
    FUNCTION(name, void *to, type value, size_t count)                                             \
    {                                                                                              \
        const size_t most =                                                                        \
            calls_judged(to, count * (element), WT_ACCESS_STORE, #name) / (element);               \
        return count && !most ? SUCCESS : CALL(name, to, value, most);                             \
    }                                                                                              \
    FUNCTION(name##Async, void *to, type value, size_t count, void *stream)                        \
    {                                                                                              \
        if (is_destroyed(&streams, stream, "stream", #name "Async"))                               \
            return INVALID_HANDLE;                                                                 \
        const size_t most =                                                                        \
            calls_judged(to, count * (element), WT_ACCESS_STORE, #name "Async") / (element);       \
        return count && !most ? SUCCESS : CALL(name##Async, to, value, most, stream);              \
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
    return height && !rows ? SUCCESS : CALL(hipMemset2D, to, pitch, value, width, rows);
}

FUNCTION(hipMemset2DAsync, void *to, size_t pitch, int value, size_t width, size_t height,
         void *stream)
{
    const size_t rows = rows_filled(to, pitch, width, height, "hipMemset2DAsync");
    return height && !rows ? SUCCESS
                           : CALL(hipMemset2DAsync, to, pitch, value, width, rows, stream);
}

/* ---- streams, events, modules ---- */

/* Handles up to 2 are the default streams. */
static bool is_destroyed(const void *space, const void *handle, const char *what, const char *by)
{
    const struct wt_host_checks *c = calls_checks();
    struct wt_object o;
    if (!c || calls_address(handle) <= 2 || !c->find(space, calls_address(handle), &o) || !o.freed)
        return false;
    c->call(WT_FOUND_USE_AFTER_DESTROY, WT_ERROR, &o, "%s: the %s was destroyed before", by, what);
    return c->wants(WT_CHECK_API);
}

static int made_handle(int result, const void *space, void *const *handle, const char *by)
{
    const struct wt_host_checks *c = calls_checks();
    if (!result && c && handle && *handle)
        c->made(space, calls_address(*handle), 1, by);
    return result;
}

static void destroyed_handle(const void *space, const void *handle, const char *by)
{
    const struct wt_host_checks *c = calls_checks();
    if (c && handle)
        c->forget(space, calls_address(handle), by);
}

/* Defines a function that makes an object, whose handle goes to its first argument. */
#define MAKES(name, space, parameters, ...)                                                        \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        return made_handle(CALL(name, __VA_ARGS__), &(space), handle, #name);                      \
    }
MAKES(hipStreamCreate, streams, (void **handle), handle)
MAKES(hipStreamCreateWithFlags, streams, (void **handle, unsigned flags), handle, flags)
MAKES(hipStreamCreateWithPriority, streams, (void **handle, unsigned flags, int priority), handle,
      flags, priority)
MAKES(hipEventCreate, events, (void **handle), handle)
MAKES(hipEventCreateWithFlags, events, (void **handle, unsigned flags), handle, flags)
MAKES(hipModuleLoad, modules, (void **handle, const char *path), handle, path)
MAKES(hipModuleLoadData, modules, (void **handle, const void *image), handle, image)
MAKES(hipModuleLoadDataEx, modules,
      (void **handle, const void *image, unsigned count, int *options, void **values), handle,
      image, count, options, values)

#define DESTROYS(name, space, what)                                                                \
    FUNCTION(name, void *handle)                                                                   \
    {                                                                                              \
        if (is_destroyed(&(space), handle, what, #name))                                           \
            return INVALID_HANDLE;                                                                 \
        destroyed_handle(&(space), handle, #name);                                                 \
        return CALL(name, handle);                                                                 \
    }
DESTROYS(hipStreamDestroy, streams, "stream")
DESTROYS(hipEventDestroy, events, "event")
DESTROYS(hipModuleUnload, modules, "module")

/* Defines a function that uses the object `handle`, one of its arguments. */
#define USES(name, space, what, parameters, ...)                                                   \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        return is_destroyed(&(space), handle, what, #name) ? INVALID_HANDLE                        \
                                                           : CALL(name, __VA_ARGS__);              \
    }
USES(hipStreamSynchronize, streams, "stream", (void *handle), handle)
USES(hipStreamQuery, streams, "stream", (void *handle), handle)
USES(hipEventSynchronize, events, "event", (void *handle), handle)
USES(hipEventQuery, events, "event", (void *handle), handle)
USES(hipModuleGetFunction, modules, "module", (void **function, void *handle, const char *name),
     function, handle, name)
USES(hipModuleGetGlobal, modules, "module",
     (void **address, size_t *size, void *handle, const char *name), address, size, handle, name)
USES(hipLaunchKernel, streams, "stream",
     (const void *function, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
      void *handle),
     function, grid, block, arguments, shared, handle)
USES(hipLaunchCooperativeKernel, streams, "stream",
     (const void *function, struct dim3 grid, struct dim3 block, void **arguments, unsigned shared,
      void *handle),
     function, grid, block, arguments, shared, handle)
USES(hipModuleLaunchKernel, streams, "stream",
     (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
      unsigned block_y, unsigned block_z, unsigned shared, void *handle, void **arguments,
      void **extra),
     function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, handle, arguments, extra)

FUNCTION(hipEventRecord, void *event, void *stream)
{
    return is_destroyed(&events, event, "event", "hipEventRecord") ||
                   is_destroyed(&streams, stream, "stream", "hipEventRecord")
               ? INVALID_HANDLE
               : CALL(hipEventRecord, event, stream);
}

FUNCTION(hipEventElapsedTime, float *ms, void *first, void *second)
{
    return is_destroyed(&events, first, "event", "hipEventElapsedTime") ||
                   is_destroyed(&events, second, "event", "hipEventElapsedTime")
               ? INVALID_HANDLE
               : CALL(hipEventElapsedTime, ms, first, second);
}

FUNCTION(hipStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    return is_destroyed(&streams, stream, "stream", "hipStreamWaitEvent") ||
                   is_destroyed(&events, event, "event", "hipStreamWaitEvent")
               ? INVALID_HANDLE
               : CALL(hipStreamWaitEvent, stream, event, flags);
}

/* ---- other calls that often fail ---- */

FUNCTION(hipDeviceReset, void)
{
    const struct wt_host_checks *c = calls_checks();
    if (c)
        (void)c->release_kept();
    return CALL(hipDeviceReset);
}

#define NOTES(name, parameters, ...)                                                               \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        return CALL(name, ##__VA_ARGS__);                                                          \
    }
NOTES(hipSetDevice, (int device), device)
NOTES(hipDeviceSynchronize, (void))
NOTES(hipGetSymbolAddress, (void **address, const void *symbol), address, symbol)
NOTES(hipHostGetDevicePointer, (void **address, void *p, unsigned flags), address, p, flags)
