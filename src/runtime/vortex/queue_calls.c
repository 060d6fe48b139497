/* The functions of queues. */
#include <inttypes.h>

#include "runtime/vortex/queue.h"

API3(vx_queue_create, "%p, %p, *%p", (vx_device_h, device), (const vx_queue_info_t *, info),
     (vx_queue_h *, queue, HANDLE(queue)))
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!queue)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the handle");
    if (info && info->struct_size < sizeof *info)
        return call_fail(err, VX_ERR_INVALID_INFO, "struct_size is %zu, at least %zu is wanted",
                         info->struct_size, sizeof *info);
    if (info &&
        (info->priority > VX_QUEUE_PRIORITY_HIGH || info->flags & ~VX_QUEUE_PROFILING_ENABLE))
        return call_fail(err, VX_ERR_INVALID_VALUE, "priority %u, flags 0x%x: there are no such",
                         info->priority, info->flags);
    endpoint_queues_by(waits_tell_debugger);
    state_lock();
    const enum vx_result result = queue_new(g, info, queue, err);
    state_unlock();
    return result;
}

RETAINS(vx_queue_retain, vx_queue_h, HANDLE_QUEUE, struct queue, refs)

/* Gives a share of a queue back, with which its commands end. */
static void give_back(struct queue *q, struct wt_error *err)
{
    if (--q->refs)
        return;
    handle_end(q->handle);
    wait_queue(q, q->enqueued, UINT64_MAX, "vx_queue_release", err);
    queue_free(q);
}

API3(vx_queue_release, "%p", (vx_queue_h, queue))
{
    state_lock();
    struct queue *q = handle_need(HANDLE_QUEUE, queue, err);
    if (q)
        give_back(q, err);
    state_unlock();
    return q ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

/* Commands run as soon as they can anyway. */
API3(vx_queue_flush, "%p", (vx_queue_h, queue))
{
    state_lock();
    const struct queue *q = handle_need(HANDLE_QUEUE, queue, err);
    state_unlock();
    return q ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

API3(vx_queue_finish, "%p, %" PRIu64, (vx_queue_h, queue), (uint64_t, timeout_ns))
{
    enum vx_result result = VX_ERR_INVALID_HANDLE;
    state_lock();
    struct queue *q = handle_need(HANDLE_QUEUE, queue, err);
    if (q) {
        q->refs++;
        result = wait_queue(q, q->enqueued, timeout_ns, "vx_queue_finish", err);
        give_back(q, err);
    }
    state_unlock();
    return result;
}
