/* Events. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/vortex/queue.h"

struct event *event_new(struct gpu *g, const char *by, bool held)
{
    struct event *e = calloc(1, sizeof *e);
    void *handle = e && held ? handle_new(HANDLE_EVENT, e) : NULL;
    if (!e || (held && !handle)) {
        free(e);
        return NULL;
    }
    *e = (struct event){.gpu = g, .handle = handle, .refs = held, .by = by};
    return e;
}

/* The handle ends with the program's last share. */
void event_drop(struct event *e)
{
    if (!e->refs && e->handle) {
        handle_end(e->handle);
        e->handle = NULL;
    }
    if (e->refs || e->uses)
        return;
    order_drop_signals(e);
    free(e);
}

void event_tell(FILE *out, const struct event *e, uint64_t value)
{
    fprintf(out, "event %p of %s to reach %" PRIu64 "; it is at %" PRIu64 "\n", e->handle, e->by,
            value, e->value);
}

/* ---- functions ---- */

API3(vx_event_create, "%p, *%p", (vx_device_h, device), (vx_event_h *, event, HANDLE(event)))
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!event)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the handle");
    state_lock();
    struct event *e = event_new(g, "vx_event_create", true);
    if (e)
        *event = e->handle;
    state_unlock();
    return e ? VX_SUCCESS : call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

API3(vx_event_signal, "%p, %" PRIu64, (vx_event_h, event), (uint64_t, value))
{
    state_lock();
    struct event *e = handle_need(HANDLE_EVENT, event, err);
    if (e && e->value < value) {
        e->value = value;
        order_signalled(e, value, NULL);
        state_changed();
    }
    state_unlock();
    return e ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

API3(vx_event_get_value, "%p, *%llu", (vx_event_h, event), (uint64_t *, value, RESULT(value)))
{
    state_lock();
    struct event *e = handle_need(HANDLE_EVENT, event, err);
    if (e && value)
        *value = e->value;
    if (e && value && e->value)
        order_host_waited(e, e->value);
    state_unlock();
    return !e      ? VX_ERR_INVALID_HANDLE
           : value ? VX_SUCCESS
                   : call_fail(err, VX_ERR_INVALID_VALUE, "no place for the value");
}

RETAINS(vx_event_retain, vx_event_h, HANDLE_EVENT, struct event, refs)

API3(vx_event_release, "%p", (vx_event_h, event))
{
    state_lock();
    struct event *e = handle_need(HANDLE_EVENT, event, err);
    if (e) {
        e->refs--;
        event_drop(e);
    }
    state_unlock();
    return e ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

static enum vx_result get_times(const struct event *e, vx_profile_info_t *times,
                                struct wt_error *err)
{
    if (!times)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the times");
    if (!e->timed)
        return call_fail(err, VX_ERR_NOT_SUPPORTED,
                         "the event is of no command of a queue with VX_QUEUE_PROFILING_ENABLE");
    if (!e->ended)
        return call_fail(err, VX_ERR_NOT_SUPPORTED, "its command has not ended");
    *times = e->times;
    return VX_SUCCESS;
}

API3(vx_event_get_profiling, "%p, %p", (vx_event_h, event), (vx_profile_info_t *, times))
{
    state_lock();
    const struct event *e = handle_need(HANDLE_EVENT, event, err);
    const enum vx_result result = e ? get_times(e, times, err) : VX_ERR_INVALID_HANDLE;
    state_unlock();
    return result;
}
