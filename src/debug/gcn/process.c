/* The link to a host process: the driver's debug operations (object/kfd_wire.h). See process.h. */
#include "debug/gcn/process.h"

#include <stdlib.h>
#include <string.h>

#include "debug/process/link.h"
#include "object/kfd_wire.h"

struct wt_gcn_process {
    struct wt_process_link link; /* first: the context of a target's services */
    struct wt_gcn_link gcn;
};

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

static enum wt_status link_read(void *context, uint64_t addr, void *out, size_t size,
                                struct wt_error *err)
{
    return wt_process_link_read(context, (struct wt_wire_request){.addr = addr}, out, size, err);
}

static enum wt_status link_write(void *context, uint64_t addr, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    return wt_process_link_write(context, (struct wt_wire_request){.addr = addr}, bytes, size, err);
}

static enum wt_status link_event(void *context, bool wait, struct wt_gcn_event *event,
                                 struct wt_error *err)
{
    int happened;
    uint64_t code;
    const enum wt_status status = wt_process_link_event(context, wait, &happened, &code, err);
    *event = (struct wt_gcn_event){.exception = happened & WT_WIRE_STOPPED,
                                   .code = happened & WT_WIRE_CODE,
                                   .code_state = happened ? code : 0};
    return status;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    return wt_process_link_code_known(context, state, err);
}

static enum wt_status link_watch(void *context, const struct wt_wire_watch *list, size_t count,
                                 struct wt_error *err)
{
    return wt_process_link_watch_on(context, 0, list, count, err);
}

static enum wt_status link_take_hits(void *context, struct wt_wire_hit **list, size_t *count,
                                     struct wt_error *err)
{
    return wt_process_link_hits(context, 1, list, count, err);
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    return wt_process_link_ended(context, status, text, size);
}

static const struct wt_gcn_link_ops process_link = {
    .call = link_call,
    .queues = link_queues,
    .devices = link_devices,
    .read = link_read,
    .write = link_write,
    .event = link_event,
    .code_known = link_code_known,
    .watch = link_watch,
    .take_hits = link_take_hits,
    .ended = link_ended,
};

/* ---- connecting ---- */

enum wt_status wt_gcn_process_open(const struct wt_process_place *place,
                                   struct wt_gcn_process **process, struct wt_error *err)
{
    enum wt_status status;
    struct wt_gcn_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->link.history.lanes = 64;
    p->gcn = (struct wt_gcn_link){.ops = &process_link, .context = p, .host_launches = true};
    if ((status = wt_process_link_open(&p->link, place, KFD_WIRE_SOCKET, KFD_WIRE_FAMILY, err)) !=
        WT_OK) {
        wt_gcn_process_close(p);
        return status;
    }
    *process = p;
    return WT_OK;
}

void wt_gcn_process_close(struct wt_gcn_process *p)
{
    if (!p)
        return;
    wt_process_link_close(&p->link);
    free(p);
}

bool wt_gcn_process_is_elsewhere(const struct wt_gcn_process *p)
{
    return p->link.connection.elsewhere;
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

const struct wt_gcn_link *wt_gcn_process_link(struct wt_gcn_process *p)
{
    return &p->gcn;
}

struct wt_process_link *wt_gcn_process_wire(struct wt_gcn_process *p)
{
    return &p->link;
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
