/* Operations of the kernel driver (object/kfd_wire.h). */
#include "debug/gcn/internal.h"

#include <errno.h>
#include <string.h>

enum wt_status gcnp_call(struct wt_probe *p, struct kfd_debug_call *call, struct wt_error *err)
{
    const struct wt_wire_request request = {
        .verb = KFD_WIRE_CALL, .follows = sizeof *call, .wave = WT_NO_HANDLE};
    struct wt_wire_answer answer;
    const enum wt_status status =
        wt_link_ask(p->common.link, &request, call, &answer, call, sizeof *call, err);
    if (status != WT_OK)
        return status;
    if (call->result >= 0)
        return WT_OK;
    return wt_fail(err, call->result == -EINVAL ? WT_INVALID : WT_STATE,
                   "the driver refuses debug operation %u: %s", (unsigned)call->op,
                   strerror(-call->result));
}

/* A list that the driver has, of @p size bytes at most. */
static enum wt_status list(struct wt_probe *p, uint32_t verb, void *to, size_t size,
                           uint32_t *bytes, struct wt_error *err)
{
    const struct wt_link *link = p->common.link;
    struct wt_wire_answer answer;
    const enum wt_status status =
        link->ops->ask(link->context, &(struct wt_wire_request){.verb = verb, .wave = WT_NO_HANDLE},
                       NULL, &answer, to, size, err);
    *bytes = status ? 0 : answer.size;
    return status;
}

enum wt_status gcnp_list_queues(struct wt_probe *p, struct wt_error *err)
{
    uint32_t bytes;
    const enum wt_status status = list(p, KFD_WIRE_QUEUES, p->queue, sizeof p->queue, &bytes, err);
    p->queues = bytes / (uint32_t)sizeof *p->queue;
    return status;
}

enum wt_status gcnp_list_devices(struct wt_probe *p, struct wt_error *err)
{
    uint32_t bytes;
    const enum wt_status status =
        list(p, KFD_WIRE_DEVICES, p->device, sizeof p->device, &bytes, err);
    p->devices = bytes / (uint32_t)sizeof *p->device;
    return status || p->devices ? status : wt_fail(err, WT_INVALID, "the program has no GPU");
}
