/* The link to a host process: the driver's debug operations (object/kfd_wire.h). See process.h. */
#include "debug/gcn/process.h"

#include <string.h>

#include "debug/process/link.h"
#include "object/kfd_wire.h"

/* ---- the link ---- */

static enum wt_status link_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = KFD_WIRE_CALL, .follows = sizeof *call};
    struct kfd_debug_call done;
    struct wt_process_link *link = context;
    struct wt_wire_answer answer;
    const enum wt_status status =
        wt_process_link_ask(link, &request, call, &answer, &done, sizeof done, err);
    if (status == WT_OK && answer.size != sizeof done)
        return wt_connection_lost(&link->connection, "it refuses an operation of the driver", err);
    if (status == WT_OK)
        *call = done;
    return status;
}

static enum wt_status link_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                  uint32_t *count, struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = KFD_WIRE_QUEUES};
    struct wt_process_link *link = context;
    struct wt_wire_answer answer;
    const enum wt_status status =
        wt_process_link_ask(link, &request, NULL, &answer, list, room * sizeof *list, err);
    if (status == WT_OK && answer.result < 0)
        return wt_fail(err, WT_STATE, "process %d has more than %u queues", link->connection.pid,
                       KFD_DEBUG_QUEUES);
    if (status == WT_OK)
        *count = answer.size / (uint32_t)sizeof *list;
    return status;
}

static enum wt_status link_devices(void *context, struct kfd_device_entry *list, uint32_t room,
                                   uint32_t *count, struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = KFD_WIRE_DEVICES};
    struct wt_process_link *link = context;
    struct wt_wire_answer answer;
    const enum wt_status status =
        wt_process_link_ask(link, &request, NULL, &answer, list, room * sizeof *list, err);
    *count = status == WT_OK ? answer.size / (uint32_t)sizeof *list : 0;
    if (status == WT_OK && !*count)
        return wt_fail(err, WT_INVALID, "process %d has no GPU", link->connection.pid);
    return status;
}

static const struct wt_gcn_link_ops process_link = {
    .call = link_call,
    .queues = link_queues,
    .devices = link_devices,
};

/* ---- connecting ---- */

void wt_gcn_process_begin(struct wt_gcn_process *p)
{
    memcpy(p->link.waves, p->link.hello.units, sizeof p->link.waves);
    p->gcn = (struct wt_gcn_link){.common = {&wt_process_link_ops, p, true}, .ops = &process_link};
}

uint64_t wt_gcn_process_mapped(struct wt_gcn_process *p, const char *path, uint64_t offset)
{
    const struct wt_wire_request request = {
        .verb = KFD_WIRE_MAPPED, .addr = offset, .follows = (uint32_t)strlen(path) + 1};
    struct wt_wire_answer answer;
    return wt_process_link_ask(&p->link, &request, path, &answer, NULL, 0, WT_IGNORED) == WT_OK &&
                   answer.result >= 0
               ? answer.value[0]
               : 0;
}

/* ---- code ---- */

enum wt_status wt_gcn_process_code_list(struct wt_gcn_process *p, uint64_t *addr, uint64_t *state,
                                        struct wt_error *err)
{
    const enum wt_status status = wt_process_link_hello(&p->link, state, err);
    if (status == WT_OK)
        *addr = p->link.hello.place[0];
    return status;
}
