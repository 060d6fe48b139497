/* Functions of HIP's for streams, events, modules and launches; and others that often fail. */
#include "runtime/hip/calls.h"

#include <stdlib.h>

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

struct dim3 {
    uint32_t x, y, z;
};

/* Events and modules are objects in spaces of their own. */
static const char events, modules;

/* HIP has said that all is done. Returns that. */
static int hip_waited(int result, void *stream, bool all)
{
    const struct wt_host_order *o = result ? NULL : hip_order();
    if (o && all)
        o->host_waits_for_all();
    else if (o)
        o->host_waits(stream);
    if (o)
        o->leave();
    return result;
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
    const struct wt_host_order *o = hip_order();
    if (o)
        o->gone(handle);
    if (c && handle)
        c->forget(space, calls_address(handle), by);
}

/* Defines a function that makes an object, whose handle goes to its first argument. */
#define MAKES(name, space, parameters, ...)                                                        \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        return made_handle(CALL(name, __VA_ARGS__), &(space), handle, #name);                      \
    }
/* Defines one that makes a stream. */
enum { NON_BLOCKING = 1 }; /* hipStreamNonBlocking */
#define MAKES_STREAM(name, flags, parameters, ...)                                                 \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        const int result = made_handle(CALL(name, __VA_ARGS__), &hip_streams, handle, #name);      \
        const struct wt_host_order *o = result || !handle ? NULL : hip_order();                    \
        if (o)                                                                                     \
            o->stream_made(*handle, !((flags)&NON_BLOCKING));                                      \
        return result;                                                                             \
    }
MAKES_STREAM(hipStreamCreate, 0, (void **handle), handle)
MAKES_STREAM(hipStreamCreateWithFlags, flags, (void **handle, unsigned flags), handle, flags)
MAKES_STREAM(hipStreamCreateWithPriority, flags, (void **handle, unsigned flags, int priority),
             handle, flags, priority)
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
        if (hip_is_destroyed(&(space), handle, what, #name))                                       \
            return INVALID_HANDLE;                                                                 \
        destroyed_handle(&(space), handle, #name);                                                 \
        return CALL(name, handle);                                                                 \
    }
DESTROYS(hipStreamDestroy, hip_streams, "stream")
DESTROYS(hipEventDestroy, events, "event")
DESTROYS(hipModuleUnload, modules, "module")

/* Defines a function that uses the object `handle`, one of its arguments. */
#define USES(name, space, what, parameters, ...)                                                   \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        return hip_is_destroyed(&(space), handle, what, #name) ? INVALID_HANDLE                    \
                                                               : CALL(name, __VA_ARGS__);          \
    }
/* Defines one by which the host waits for a stream, or sees that it has done all. */
#define WAITS(name)                                                                                \
    FUNCTION(name, void *handle)                                                                   \
    {                                                                                              \
        return hip_is_destroyed(&hip_streams, handle, "stream", #name)                             \
                   ? INVALID_HANDLE                                                                \
                   : hip_waited(CALL(name, handle), handle, false);                                \
    }
WAITS(hipStreamSynchronize)
WAITS(hipStreamQuery)

/* The host has seen, if @p result says so, that an event is over. */
static int waited_for(int result, void *event)
{
    const struct wt_host_order *o = result ? NULL : hip_order();
    if (o)
        o->host_waits_for_event(event);
    if (o)
        o->leave();
    return result;
}

#define WAITS_FOR(name)                                                                            \
    FUNCTION(name, void *handle)                                                                   \
    {                                                                                              \
        return hip_is_destroyed(&events, handle, "event", #name)                                   \
                   ? INVALID_HANDLE                                                                \
                   : waited_for(CALL(name, handle), handle);                                       \
    }
WAITS_FOR(hipEventSynchronize)
WAITS_FOR(hipEventQuery)

USES(hipModuleGetFunction, modules, "module", (void **function, void *handle, const char *name),
     function, handle, name)
USES(hipModuleGetGlobal, modules, "module",
     (void **address, size_t *size, void *handle, const char *name), address, size, handle, name)
/* Defines one that gives a kernel to a stream. */
#define LAUNCHES(name, parameters, ...)                                                            \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        if (hip_is_destroyed(&hip_streams, handle, "stream", #name))                               \
            return INVALID_HANDLE;                                                                 \
        hip_give(handle, #name, false);                                                            \
        return hip_given(CALL(name, __VA_ARGS__), handle, false);                                  \
    }
LAUNCHES(hipLaunchKernel,
         (const void *function, struct dim3 grid, struct dim3 block, void **arguments,
          size_t shared, void *handle),
         function, grid, block, arguments, shared, handle)
LAUNCHES(hipLaunchCooperativeKernel,
         (const void *function, struct dim3 grid, struct dim3 block, void **arguments,
          unsigned shared, void *handle),
         function, grid, block, arguments, shared, handle)
LAUNCHES(hipModuleLaunchKernel,
         (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
          unsigned block_y, unsigned block_z, unsigned shared, void *handle, void **arguments,
          void **extra),
         function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, handle, arguments,
         extra)

FUNCTION(hipEventRecord, void *event, void *stream)
{
    if (hip_is_destroyed(&events, event, "event", "hipEventRecord") ||
        hip_is_destroyed(&hip_streams, stream, "stream", "hipEventRecord"))
        return INVALID_HANDLE;
    const int result = CALL(hipEventRecord, event, stream);
    const struct wt_host_order *o = result ? NULL : hip_order();
    if (o)
        o->record(event, stream);
    return result;
}

FUNCTION(hipEventElapsedTime, float *ms, void *first, void *second)
{
    if (hip_is_destroyed(&events, first, "event", "hipEventElapsedTime") ||
        hip_is_destroyed(&events, second, "event", "hipEventElapsedTime"))
        return INVALID_HANDLE;
    /* The time says that both are over. */
    return waited_for(waited_for(CALL(hipEventElapsedTime, ms, first, second), first), second);
}

/* A stream waits for an event, or (NULL) for a value, which tells nobody whose it is. */
static int made_wait(int result, void *stream, void *event)
{
    const struct wt_host_order *o = result ? NULL : hip_order();
    if (o)
        o->stream_waits(stream, event);
    return result;
}

FUNCTION(hipStreamWaitEvent, void *stream, void *event, unsigned flags)
{
    return hip_is_destroyed(&hip_streams, stream, "stream", "hipStreamWaitEvent") ||
                   hip_is_destroyed(&events, event, "event", "hipStreamWaitEvent")
               ? INVALID_HANDLE
               : made_wait(CALL(hipStreamWaitEvent, stream, event, flags), stream, event);
}

FUNCTION(hipStreamWaitValue32, void *stream, void *p, uint32_t value, unsigned flags, uint32_t mask)
{
    return made_wait(CALL(hipStreamWaitValue32, stream, p, value, flags, mask), stream, NULL);
}

FUNCTION(hipStreamWaitValue64, void *stream, void *p, uint64_t value, unsigned flags, uint64_t mask)
{
    return made_wait(CALL(hipStreamWaitValue64, stream, p, value, flags, mask), stream, NULL);
}

/* The value may tell the host what the stream has done. */
FUNCTION(hipStreamWriteValue32, void *stream, void *p, uint32_t value, unsigned flags)
{
    return hip_waited(CALL(hipStreamWriteValue32, stream, p, value, flags), stream, false);
}

FUNCTION(hipStreamWriteValue64, void *stream, void *p, uint64_t value, unsigned flags)
{
    return hip_waited(CALL(hipStreamWriteValue64, stream, p, value, flags), stream, false);
}

/* A function of the program comes behind what the stream was given, as does what the host does from
 * then on. */
struct callback {
    void (*function)(void *stream, int result, void *data);
    void *data;
};

static void call_back(void *stream, int result, void *data)
{
    const struct callback callback = *(struct callback *)data;
    free(data);
    hip_waited(0, stream, false);
    callback.function(stream, result, callback.data);
}

FUNCTION(hipStreamAddCallback, void *stream, void (*function)(void *stream, int result, void *data),
         void *data, unsigned flags)
{
    struct callback *c = hip_order() && function ? malloc(sizeof *c) : NULL;
    if (!c)
        return CALL(hipStreamAddCallback, stream, function, data, flags);
    *c = (struct callback){function, data};
    return CALL(hipStreamAddCallback, stream, call_back, c, flags);
}

/* ---- graphs ---- */

/* Captured work is not done. Other threads' calls meanwhile are not followed, so that behind it
 * all counts as waited for. */
static void end_capture(void)
{
    const struct wt_host_order *o = atomic_fetch_sub(&hip_captured, 1) == 1 ? hip_order() : NULL;
    if (o) {
        o->host_waits_for_all();
        o->leave();
    }
}

FUNCTION(hipStreamBeginCapture, void *stream, int mode)
{
    const struct wt_host_order *o = hip_order();
    if (o)
        o->enter();
    hip_captured++;
    const int result = CALL(hipStreamBeginCapture, stream, mode);
    if (result)
        end_capture();
    return result;
}

FUNCTION(hipStreamEndCapture, void *stream, void **graph)
{
    const int result = CALL(hipStreamEndCapture, stream, graph);
    if (hip_captured)
        end_capture();
    return result;
}

/* All of a graph is one operation; launches of one come one behind the other. */
FUNCTION(hipGraphLaunch, void *graph, void *stream)
{
    const struct wt_host_order *o;
    if (hip_is_destroyed(&hip_streams, stream, "stream", "hipGraphLaunch"))
        return INVALID_HANDLE;
    if ((o = hip_order()))
        o->stream_waits(stream, graph);
    hip_give(stream, "hipGraphLaunch", false);
    const int result = hip_given(CALL(hipGraphLaunch, graph, stream), stream, false);
    if ((o = hip_order()))
        o->record(graph, stream);
    return result;
}

FUNCTION(hipGraphExecDestroy, void *graph)
{
    const struct wt_host_order *o = hip_order();
    if (o)
        o->gone(graph);
    return CALL(hipGraphExecDestroy, graph);
}

/* ---- other calls that often fail ---- */

FUNCTION(hipDeviceReset, void)
{
    const struct wt_host_checks *c = calls_checks();
    if (c)
        (void)c->release_kept();
    return hip_waited(CALL(hipDeviceReset), NULL, true);
}

FUNCTION(hipDeviceSynchronize, void)
{
    return hip_waited(CALL(hipDeviceSynchronize), NULL, true);
}

#define NOTES(name, parameters, ...)                                                               \
    FUNCTION(name, UNPACK parameters)                                                              \
    {                                                                                              \
        return CALL(name, ##__VA_ARGS__);                                                          \
    }
NOTES(hipSetDevice, (int device), device)
NOTES(hipGetSymbolAddress, (void **address, const void *symbol), address, symbol)
NOTES(hipHostGetDevicePointer, (void **address, void *p, unsigned flags), address, p, flags)
