/* The link to a host process, as its endpoint speaks it (object/kfd_wire.h). See process.h. */
#include "debug/gcn/process_ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/process/connection.h"
#include "debug/process/history.h"
#include "object/kfd_wire.h"

struct wt_gcn_process {
    struct wt_process_history history; /* first */
    struct wt_gcn_link link;
    struct wt_connection connection;
    uint32_t gpus;
};

enum wt_status gcnp_ask(struct wt_gcn_process *p, struct kfd_wire_request *request,
                        const void *more, struct kfd_wire_answer *answer, void *out, size_t room,
                        struct wt_error *err)
{
    struct wt_connection *c = &p->connection;
    enum wt_status status;
    if ((status = wt_connection_send(c, request, sizeof *request, err)) != WT_OK ||
        (status = wt_connection_send(c, more, kfd_wire_follows(request), err)) != WT_OK ||
        (status = wt_connection_receive(c, answer, sizeof *answer, err)) != WT_OK)
        return status;
    if (answer->result == KFD_WIRE_ENDED)
        return wt_connection_ended(c, (uint32_t)answer->call.arg[0], answer->call.arg[1], err);
    if (answer->size > room)
        return wt_connection_lost(c, "it answers with more than was asked for", err);
    return wt_connection_receive(c, out, answer->size, err);
}

/* ---- the link ---- */

static enum wt_status link_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_CALL, .call = *call};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(context, &request, NULL, &answer, NULL, 0, err);
    if (status == WT_OK)
        *call = answer.call;
    return status;
}

static enum wt_status link_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                  uint32_t *count, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_QUEUES};
    struct kfd_wire_answer answer;
    const enum wt_status status =
        gcnp_ask(context, &request, NULL, &answer, list, room * sizeof *list, err);
    if (status == WT_OK && answer.result < 0)
        return wt_fail(err, WT_STATE, "process %d has more than %u queues",
                       ((struct wt_gcn_process *)context)->connection.pid, KFD_DEBUG_QUEUES);
    if (status == WT_OK)
        *count = answer.size / (uint32_t)sizeof *list;
    return status;
}

static enum wt_status link_devices(void *context, struct kfd_device_entry *list, uint32_t room,
                                   uint32_t *count, struct wt_error *err)
{
    const struct wt_gcn_process *p = context;
    struct kfd_wire_request request = {.kind = KFD_WIRE_DEVICES};
    struct kfd_wire_answer answer;
    const enum wt_status status =
        gcnp_ask(context, &request, NULL, &answer, list, room * sizeof *list, err);
    *count = status == WT_OK ? answer.size / (uint32_t)sizeof *list : 0;
    if (status == WT_OK && !*count)
        return wt_fail(err, WT_INVALID, "process %d has no GPU", p->connection.pid);
    return status;
}

static enum wt_status link_read(void *context, uint64_t addr, void *out, size_t size,
                                struct wt_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < KFD_WIRE_MOST ? size - done : KFD_WIRE_MOST;
        struct kfd_wire_request request = {
            .kind = KFD_WIRE_READ, .addr = addr + done, .size = (uint32_t)part};
        struct kfd_wire_answer answer;
        const enum wt_status status =
            gcnp_ask(context, &request, NULL, &answer, (uint8_t *)out + done, part, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0 || answer.size != part)
            return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

static enum wt_status link_write(void *context, uint64_t addr, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < KFD_WIRE_MOST ? size - done : KFD_WIRE_MOST;
        struct kfd_wire_request request = {
            .kind = KFD_WIRE_WRITE, .addr = addr + done, .size = (uint32_t)part};
        struct kfd_wire_answer answer;
        const enum wt_status status =
            gcnp_ask(context, &request, (const uint8_t *)bytes + done, &answer, NULL, 0, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0)
            return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

static enum wt_status link_event(void *context, bool wait, struct wt_gcn_event *event,
                                 struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_EVENT, .addr = wait ? KFD_WIRE_WAIT_MS : 0};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(context, &request, NULL, &answer, NULL, 0, err);
    *event = (struct wt_gcn_event){.exception = false};
    if (status == WT_OK && answer.result > 0)
        *event = (struct wt_gcn_event){.exception = answer.result & KFD_WIRE_EXCEPTION,
                                       .code = answer.result & KFD_WIRE_CODE,
                                       .code_state = answer.call.arg[0]};
    return status;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_CODE_KNOWN, .addr = state};
    struct kfd_wire_answer answer;
    return gcnp_ask(context, &request, NULL, &answer, NULL, 0, err);
}

static enum wt_status link_watch_local(void *context, const struct kfd_wire_watch *list,
                                       size_t count, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_WATCH,
                                       .size = (uint32_t)(count * sizeof *list)};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(context, &request, list, &answer, NULL, 0, err);
    if (status != WT_OK || answer.result >= 0)
        return status;
    return wt_fail(err, WT_NO_MEMORY, "the program cannot watch LDS: %s", strerror(-answer.result));
}

static enum wt_status link_local_hits(void *context, struct kfd_wire_hit *list, size_t room,
                                      size_t *count, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_HITS};
    struct kfd_wire_answer answer = {.size = 0};
    const enum wt_status status =
        gcnp_ask(context, &request, NULL, &answer, list, room * sizeof *list, err);
    *count = status == WT_OK ? answer.size / sizeof *list : 0;
    return status;
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_gcn_process *p = context;
    *status = p->connection.end.status;
    snprintf(text, size, "%s", p->connection.end.text);
    return p->connection.ended;
}

static const struct wt_gcn_link_ops process_link = {
    .call = link_call,
    .queues = link_queues,
    .devices = link_devices,
    .read = link_read,
    .write = link_write,
    .event = link_event,
    .code_known = link_code_known,
    .watch_local = link_watch_local,
    .local_hits = link_local_hits,
    .ended = link_ended,
};

/* ---- connecting ---- */

static enum wt_status greet(struct wt_gcn_process *p, struct kfd_wire_hello *hello,
                            uint64_t *code_state, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_HELLO};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(p, &request, NULL, &answer, hello, sizeof *hello, err);
    if (status != WT_OK)
        return status;
    *code_state = answer.call.arg[0];
    const bool expected = answer.size == sizeof *hello && hello->magic == KFD_WIRE_MAGIC &&
                          hello->request_bytes == sizeof request;
    return wt_connection_judge_greeting(&p->connection, answer.result, expected, err);
}

enum wt_status wt_gcn_process_open(int pid, struct wt_gcn_process **process, struct wt_error *err)
{
    struct kfd_wire_hello hello;
    uint64_t code_state;
    enum wt_status status;
    struct wt_gcn_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->link = (struct wt_gcn_link){.ops = &process_link, .context = p, .host_launches = true};
    if ((status = wt_connection_open(&p->connection, pid, KFD_WIRE_SOCKET, err)) != WT_OK ||
        (status = greet(p, &hello, &code_state, err)) != WT_OK) {
        wt_gcn_process_close(p);
        return status;
    }
    p->gpus = hello.gpus;
    *process = p;
    return WT_OK;
}

void wt_gcn_process_close(struct wt_gcn_process *p)
{
    if (!p)
        return;
    wt_connection_close(&p->connection);
    wt_process_history_end(&p->history);
    free(p);
}

int wt_gcn_process_id(const struct wt_gcn_process *p)
{
    return p->connection.pid;
}

const struct wt_gcn_link *wt_gcn_process_link(struct wt_gcn_process *p)
{
    return &p->link;
}

uint32_t wt_gcn_process_gpus(const struct wt_gcn_process *p)
{
    return p->gpus;
}

enum wt_status wt_gcn_process_register(struct wt_gcn_process *p, uint32_t gpu, bool write,
                                       uint32_t addr, uint32_t *value, struct wt_error *err)
{
    enum wt_status status;
    struct kfd_wire_request request = {.kind =
                                           write ? KFD_WIRE_REGISTER_WRITE : KFD_WIRE_REGISTER_READ,
                                       .gpu = gpu,
                                       .addr = addr,
                                       .call = {.arg = {*value}}};
    struct kfd_wire_answer answer;
    if ((status = gcnp_ask(p, &request, NULL, &answer, NULL, 0, err)) != WT_OK)
        return status;
    if (!write)
        *value = (uint32_t)answer.call.arg[0];
    return WT_OK;
}

static bool wave_waits(void *context, uint32_t wave, wt_wave_id id, struct wt_wave_view *view)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_WAITS, .addr = wave, .call = {.arg = {id}}};
    struct kfd_wire_answer answer;
    return gcnp_ask(context, &request, NULL, &answer, view, sizeof *view, WT_IGNORED) == WT_OK &&
           answer.result >= 0 && wt_connection_has_view(view, answer.size);
}

static bool wave_fault(void *context, uint32_t wave, wt_wave_id id, struct wt_fault *out)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_FAULT, .addr = wave, .call = {.arg = {id}}};
    struct kfd_wire_answer answer;
    return gcnp_ask(context, &request, NULL, &answer, out, sizeof *out, WT_IGNORED) == WT_OK &&
           answer.result >= 0 && wt_connection_has_fault(out, answer.size);
}

void wt_gcn_process_offer_faults(struct wt_target_services *services)
{
    services->wave_fault = wave_fault;
}

void wt_gcn_process_offer_waits(struct wt_target_services *services)
{
    services->wave_waits = wave_waits;
}

/* ---- time travel ---- */

static enum wt_status ask_history(struct wt_process_history *history,
                                  const struct wt_travel_request *asked, const void *more,
                                  struct wt_travel_answer *answer, void *out, size_t room,
                                  struct wt_error *err)
{
    struct kfd_wire_request request = {
        .kind = KFD_WIRE_HISTORY,
        .size = asked->size,
        .call = {.op = KFD_DEBUG_QUERY_EVENT, .arg = {asked->what, asked->argument}}};
    struct kfd_wire_answer told = {.size = 0};
    const enum wt_status status =
        gcnp_ask((struct wt_gcn_process *)history, &request, more, &told, out, room, err);
    *answer = (struct wt_travel_answer){told.result, told.size, told.call.arg[1]};
    return status;
}

static enum wt_status ask_time(struct wt_process_history *history, uint64_t *time,
                               struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_TIME};
    struct kfd_wire_answer answer = {.size = 0};
    const enum wt_status status =
        gcnp_ask((struct wt_gcn_process *)history, &request, NULL, &answer, NULL, 0, err);
    *time = answer.call.arg[0];
    return status;
}

static enum wt_status ask_recording(struct wt_process_history *history, uint64_t budget,
                                    int32_t *result, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_RECORD, .addr = budget};
    struct kfd_wire_answer answer = {.result = 0};
    const enum wt_status status =
        gcnp_ask((struct wt_gcn_process *)history, &request, NULL, &answer, NULL, 0, err);
    *result = answer.result;
    return status;
}

static const struct wt_process_history_ops history_ops = {
    .ask = ask_history, .time = ask_time, .record = ask_recording, .lanes = 64};

enum wt_status wt_gcn_process_record(struct wt_gcn_process *p, uint64_t budget,
                                     struct wt_target_services *services, struct wt_error *err)
{
    return wt_process_history_begin(&p->history, &history_ops, p->connection.pid, p->gpus, budget,
                                    services, err);
}

/* ---- memory after the end ---- */

enum wt_status wt_gcn_process_want_memory(struct wt_gcn_process *p, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_FINAL};
    struct kfd_wire_answer answer;
    return gcnp_ask(p, &request, NULL, &answer, NULL, 0, err);
}

void wt_gcn_process_final_memory(struct wt_gcn_process *p, wt_process_piece_fn *found,
                                 void *context)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_FINAL_NEXT};
    const struct wt_process_final final = {&request, sizeof request, &request.addr,
                                           sizeof(struct kfd_wire_answer)};
    wt_process_final_memory(&p->connection, &final, found, context);
}

enum wt_status wt_gcn_process_code_list(struct wt_gcn_process *p, uint64_t *addr, uint64_t *state,
                                        struct wt_error *err)
{
    struct kfd_wire_hello hello;
    const enum wt_status status = greet(p, &hello, state, err);
    if (status == WT_OK)
        *addr = hello.debug;
    return status;
}

enum wt_status wt_gcn_process_reachable(int pid, bool *reachable, struct wt_error *err)
{
    return wt_connection_reachable(pid, KFD_WIRE_SOCKET, reachable, err);
}

/* ---- which there are ---- */

static enum wt_status count_gpus(struct wt_connection *connection, unsigned *gpus,
                                 struct wt_error *err)
{
    struct wt_gcn_process p = {.connection = *connection};
    struct kfd_wire_hello hello = {0};
    uint64_t code_state;
    const enum wt_status status = greet(&p, &hello, &code_state, err);
    *gpus = hello.gpus;
    return status;
}

enum wt_status wt_gcn_processes(void (*found)(void *context, int pid, unsigned gpus,
                                              const char *name),
                                void *context, struct wt_error *err)
{
    return wt_connection_each(KFD_WIRE_SOCKET, count_gpus, found, context, err);
}
