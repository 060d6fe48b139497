/* The link to a host process, as its endpoint speaks it (object/sm_wire.h). See process.h. */
#include "debug/sm/process.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/process/connection.h"
#include "debug/process/core_request.h"
#include "debug/process/history.h"
#include "debug/sm/internal.h"

/* Generic addresses (emulator/sm/sm.h). */
#define SHARED_WINDOW UINT64_C(0xfe000000)
#define LOCAL_WINDOW UINT64_C(0xff000000)

/* The registers of one GPU. */
struct registers {
    struct wt_bus bus; /* first */
    struct wt_sm_process *process;
    uint32_t gpu;
};

struct wt_sm_process {
    struct wt_process_history history; /* first */
    struct wt_sm_link link;
    struct wt_connection connection;
    unsigned gpus, sms[SM_WIRE_DEVICES];
    struct registers registers[SM_WIRE_DEVICES];
    struct wt_bus *bus[SM_WIRE_DEVICES];
    struct sm_wire_warp *warp; /* of all GPUs, from the last look; NULL: none */
    bool fresh[SM_WIRE_DEVICES];
};

static uint32_t warps_of(const struct wt_sm_process *p, uint32_t gpu)
{
    return p->sms[gpu] * SMP_WARPS;
}

/* Splits a warp's global number into its GPU and its number there. WT_NO_HANDLE: any. */
static void locate(const struct wt_sm_process *p, uint32_t warp, struct sm_wire_request *request)
{
    request->device = 0;
    request->warp = warp;
    while (request->device + 1 < p->gpus && request->warp >= warps_of(p, request->device))
        request->warp -= warps_of(p, request->device++);
}

static enum wt_status ask(struct wt_sm_process *p, const struct sm_wire_request *request,
                          const void *more, struct sm_wire_answer *answer, void *out, size_t room,
                          struct wt_error *err)
{
    struct wt_connection *c = &p->connection;
    enum wt_status status;
    if ((status = wt_connection_send(c, request, sizeof *request, err)) != WT_OK ||
        (status = wt_connection_send(c, more, sm_wire_follows(request), err)) != WT_OK ||
        (status = wt_connection_receive(c, answer, sizeof *answer, err)) != WT_OK)
        return status;
    if (answer->result == SM_WIRE_ENDED)
        return wt_connection_ended(c, (uint32_t)answer->value[0], answer->value[1], err);
    if (answer->size > room)
        return wt_connection_lost(c, "it answers with more than was asked for", err);
    return wt_connection_receive(c, out, answer->size, err);
}

/* A request whose answer is exactly @p size bytes, or a refusal: then WT_INVALID. */
static enum wt_status ask_for(struct wt_sm_process *p, const struct sm_wire_request *request,
                              void *out, size_t size, const char *what, struct wt_error *err)
{
    struct sm_wire_answer answer;
    const enum wt_status status = ask(p, request, NULL, &answer, out, size, err);
    if (status)
        return status;
    return answer.result < 0 || answer.size != size
               ? wt_fail(err, WT_INVALID, "process %d: there is no %s", p->connection.pid, what)
               : WT_OK;
}

/* ---- registers ---- */

static enum wt_status transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err)
{
    enum { MOST = 256 };
    struct registers *r = (struct registers *)bus;
    struct sm_wire_register list[MOST];
    enum wt_status status = WT_OK;
    for (size_t done = 0, n; done < count && !status; done += n) {
        n = count - done < MOST ? count - done : MOST;
        for (size_t i = 0; i < n; i++)
            list[i] = (struct sm_wire_register){.addr = ops[done + i].addr,
                                                .write = ops[done + i].write,
                                                .value = ops[done + i].value};
        const struct sm_wire_request request = {
            .kind = SM_WIRE_REGISTERS, .device = r->gpu, .size = (uint32_t)(n * sizeof *list)};
        struct sm_wire_answer answer;
        r->process->fresh[r->gpu] = false;
        bus->round_trips++;
        status = ask(r->process, &request, list, &answer, list, n * sizeof *list, err);
        if (!status && answer.size != n * sizeof *list)
            status = wt_connection_lost(&r->process->connection, "it has no such register", err);
        for (size_t i = 0; i < n && !status; i++)
            ops[done + i].value = list[i].value;
    }
    return status;
}

/* The registers belong to the process. */
static void close_registers(struct wt_bus *bus)
{
    (void)bus;
}

static const struct wt_bus_ops registers_ops = {
    .name = "process", .transact = transact, .close = close_registers};

/* ---- warps ---- */

static enum wt_status link_launch(void *context, struct wt_sm_launch *out, struct wt_error *err)
{
    struct wt_sm_process *p = context;
    const struct sm_wire_request request = {.kind = SM_WIRE_LAUNCH};
    struct sm_wire_launch launch;
    const enum wt_status status =
        ask_for(p, &request, &launch, sizeof launch, "kernel launch", err);
    if (status)
        return status;
    *out = (struct wt_sm_launch){.number = launch.number, .runs = launch.runs};
    memcpy(out->block, launch.block, sizeof out->block);
    memcpy(out->grid, launch.grid, sizeof out->grid);
    return WT_OK;
}

static enum wt_status link_warp(void *context, uint32_t warp, struct wt_sm_warp *out,
                                struct wt_error *err)
{
    struct wt_sm_process *p = context;
    struct sm_wire_request request = {.kind = SM_WIRE_WARPS};
    locate(p, warp, &request);
    struct sm_wire_warp *list = p->warp + (warp - request.warp);
    if (!p->fresh[request.device]) {
        const enum wt_status status = ask_for(
            p, &request, list, warps_of(p, request.device) * sizeof *list, "list of warps", err);
        if (status)
            return status;
        p->fresh[request.device] = true;
    }
    const struct sm_wire_warp *w = &list[request.warp];
    if (!w->present)
        return wt_fail(err, WT_STATE, "there is no warp %u now", warp);
    *out = (struct wt_sm_warp){.id = w->id,
                               .index = w->index,
                               .pc = w->pc,
                               .active = w->active,
                               .steps = w->steps,
                               .error = {.kind = w->kind <= WT_FAULT_HOST ? w->kind : WT_FAULT_NONE,
                                         .lanes = w->lanes,
                                         .pc = w->error_pc}};
    memcpy(out->block, w->block, sizeof out->block);
    return WT_OK;
}

static enum wt_status link_read_row(void *context, uint32_t warp, unsigned number, void *row,
                                    struct wt_error *err)
{
    uint8_t bytes[SM_WIRE_ROW];
    struct sm_wire_request request = {.kind = SM_WIRE_READ_ROW, .number = number};
    locate(context, warp, &request);
    const enum wt_status status =
        ask_for(context, &request, bytes, sizeof bytes, "such register of the warp", err);
    if (!status)
        memcpy(row, bytes, number < WT_SM_P0 || number == WT_SM_LOCAL ? sizeof bytes : 8);
    return status;
}

static enum wt_status link_write_row(void *context, uint32_t warp, unsigned number, uint32_t lanes,
                                     const void *row, struct wt_error *err)
{
    struct wt_sm_process *p = context;
    uint8_t bytes[SM_WIRE_ROW] = {0};
    struct sm_wire_answer answer;
    struct sm_wire_request request = {.kind = SM_WIRE_WRITE_ROW, .number = number, .lanes = lanes};
    locate(p, warp, &request);
    memcpy(bytes, row, number < WT_SM_P0 ? sizeof bytes : 8);
    p->fresh[request.device] = false;
    const enum wt_status status = ask(p, &request, bytes, &answer, NULL, 0, err);
    if (!status && answer.result < 0)
        return wt_fail(err, WT_INVALID, "register %u of warp %u cannot be written so", number,
                       warp);
    return status;
}

static enum wt_status link_read_file(void *context, uint32_t warp, uint64_t offset, void *out,
                                     size_t size, struct wt_error *err)
{
    struct sm_wire_request request = {
        .kind = SM_WIRE_READ_FILE, .size = (uint32_t)size, .value = offset};
    locate(context, warp, &request);
    return ask_for(context, &request, out, size, "such part of the warp's register file", err);
}

/* ---- memory ---- */

static enum wt_status link_read(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                                void *out, size_t size, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t done = 0, n; done < size && !status; done += n) {
        n = size - done < SM_WIRE_MOST ? size - done : SM_WIRE_MOST;
        struct sm_wire_request request = {
            .kind = SM_WIRE_READ, .lane = lane, .size = (uint32_t)n, .value = addr + done};
        locate(context, warp, &request);
        status = ask_for(context, &request, (uint8_t *)out + done, n, "memory", err);
        if (status == WT_INVALID)
            return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                           (unsigned long long)addr);
    }
    return status;
}

static enum wt_status link_write(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                                 const void *bytes, size_t size, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t done = 0, n; done < size && !status; done += n) {
        n = size - done < SM_WIRE_MOST ? size - done : SM_WIRE_MOST;
        struct sm_wire_request request = {
            .kind = SM_WIRE_WRITE, .lane = lane, .size = (uint32_t)n, .value = addr + done};
        struct sm_wire_answer answer;
        locate(context, warp, &request);
        status = ask(context, &request, (const uint8_t *)bytes + done, &answer, NULL, 0, err);
        if (!status && answer.result < 0)
            return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                           (unsigned long long)addr);
    }
    return status;
}

static enum wt_status pair(struct wt_sm_process *p, const struct sm_wire_request *request,
                           const char *what, uint64_t *addr, uint32_t *size, struct wt_error *err)
{
    struct sm_wire_answer answer;
    const enum wt_status status = ask(p, request, NULL, &answer, NULL, 0, err);
    if (status)
        return status;
    if (answer.result < 0)
        return wt_fail(err, WT_STATE, "there is no %s now", what);
    *addr = answer.value[0];
    *size = (uint32_t)answer.value[1];
    return WT_OK;
}

static enum wt_status link_bank(void *context, unsigned bank, uint64_t *addr, uint32_t *size,
                                struct wt_error *err)
{
    const struct sm_wire_request request = {.kind = SM_WIRE_BANK, .number = bank};
    return pair(context, &request, "kernel", addr, size, err);
}

static enum wt_status link_local(void *context, uint32_t warp, unsigned lane, uint64_t *addr,
                                 uint32_t *size, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_LOCAL, .lane = lane};
    locate(context, warp, &request);
    return pair(context, &request, "such warp", addr, size, err);
}

/* ---- time ---- */

static enum wt_status simple(struct wt_sm_process *p, struct sm_wire_request *request,
                             struct sm_wire_answer *answer, struct wt_error *err)
{
    return ask(p, request, NULL, answer, NULL, 0, err);
}

static enum wt_status link_wait(void *context, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_WAIT};
    struct sm_wire_answer answer;
    struct wt_sm_process *p = context;
    memset(p->fresh, 0, sizeof p->fresh);
    return simple(p, &request, &answer, err);
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_sm_process *p = context;
    *status = p->connection.end.status;
    snprintf(text, size, "%s", p->connection.end.text);
    return p->connection.ended;
}

static enum wt_status link_event(void *context, struct wt_sm_event *event, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_EVENT};
    struct sm_wire_answer answer;
    const enum wt_status status = simple(context, &request, &answer, err);
    if (status)
        return status;
    *event = (struct wt_sm_event){.stopped = answer.result & SM_WIRE_STOPPED,
                                  .code = answer.result & SM_WIRE_CODE,
                                  .code_state = answer.value[0]};
    return WT_OK;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_KNOWN, .value = state};
    struct sm_wire_answer answer;
    return simple(context, &request, &answer, err);
}

static enum wt_status link_fail(void *context, uint32_t warp, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_FAIL};
    struct sm_wire_answer answer;
    locate(context, warp, &request);
    return simple(context, &request, &answer, err);
}

/* ---- watched memory ---- */

static enum sm_wire_access access_of(bool read, bool write)
{
    return read && write ? SM_ACCESS_ANY : read ? SM_ACCESS_READ : SM_ACCESS_WRITE;
}

/* What all warps see alike is watched on all GPUs. */
static enum wt_status watch_on(struct wt_sm_process *p, uint32_t gpu, struct sm_wire_watch *list,
                               const struct wt_sm_watch *asked, size_t count, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_WATCH, .device = gpu};
    struct sm_wire_answer answer;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        struct sm_wire_request of = {.device = gpu};
        if (asked[i].warp != WT_NO_HANDLE)
            locate(p, asked[i].warp, &of);
        if (of.device == gpu)
            list[n++] = (struct sm_wire_watch){.kind = access_of(asked[i].read, asked[i].write),
                                               .warp = of.warp,
                                               .addr = asked[i].addr,
                                               .size = asked[i].size};
    }
    request.size = (uint32_t)(n * sizeof *list);
    const enum wt_status status = ask(p, &request, list, &answer, NULL, 0, err);
    if (!status && answer.result < 0)
        return wt_fail(err, WT_NO_MEMORY, "the program has no memory for watchpoints");
    return status;
}

static enum wt_status link_watch(void *context, const struct wt_sm_watch *asked, size_t count,
                                 struct wt_error *err)
{
    struct wt_sm_process *p = context;
    enum wt_status status = WT_OK;
    if (count > SM_WIRE_MOST / sizeof(struct sm_wire_watch))
        return wt_fail(err, WT_UNSUPPORTED, "%zu watchpoints are too many", count);
    struct sm_wire_watch *list = calloc(count + 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (uint32_t gpu = 0; gpu < p->gpus && !status; gpu++)
        status = watch_on(p, gpu, list, asked, count, err);
    free(list);
    return status;
}

static struct wt_sm_hit hit_of(const struct sm_wire_hit *from, uint32_t first_warp)
{
    struct wt_sm_hit hit = {.read = from->kind != SM_ACCESS_WRITE,
                            .write = from->kind != SM_ACCESS_READ,
                            .id = from->id,
                            .warp = first_warp + from->warp,
                            .lane = from->lane,
                            .size = from->size,
                            .pc = from->pc,
                            .addr = from->addr};
    static_assert(sizeof hit.before == sizeof from->before, "an access has at most 16 bytes");
    memcpy(hit.before, from->before, sizeof hit.before);
    memcpy(hit.after, from->after, sizeof hit.after);
    return hit;
}

static enum wt_status link_take_hits(void *context, struct wt_sm_hit **list, size_t *count,
                                     struct wt_error *err)
{
    struct wt_sm_process *p = context;
    struct sm_wire_hit *hits = malloc(SM_WIRE_MOST);
    enum wt_status status =
        hits ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for accesses to watched memory");
    uint32_t first_warp = 0;
    *list = NULL;
    *count = 0;
    for (uint32_t gpu = 0; gpu < p->gpus && !status; gpu++) {
        const struct sm_wire_request request = {.kind = SM_WIRE_HITS, .device = gpu};
        struct sm_wire_answer answer;
        status = ask(p, &request, NULL, &answer, hits, SM_WIRE_MOST, err);
        const size_t more = status ? 0 : answer.size / sizeof *hits;
        struct wt_sm_hit *grown = more ? realloc(*list, (*count + more) * sizeof *grown) : NULL;
        if (more && !grown)
            status = wt_fail(err, WT_NO_MEMORY, "out of memory for accesses to watched memory");
        *list = grown ? grown : *list;
        for (size_t i = 0; i < more && !status; i++)
            grown[(*count)++] = hit_of(&hits[i], first_warp);
        first_warp += warps_of(p, gpu);
    }
    free(hits);
    if (!status)
        return WT_OK;
    free(*list);
    *list = NULL;
    *count = 0;
    return status;
}

static const struct wt_sm_link_ops process_link = {
    .launch = link_launch,
    .warp = link_warp,
    .read_row = link_read_row,
    .write_row = link_write_row,
    .read_file = link_read_file,
    .read = link_read,
    .write = link_write,
    .bank = link_bank,
    .local = link_local,
    .wait = link_wait,
    .ended = link_ended,
    .event = link_event,
    .code_known = link_code_known,
    .fail = link_fail,
    .watch = link_watch,
    .take_hits = link_take_hits,
};

/* ---- time travel ---- */

static enum wt_status ask_history(struct wt_process_history *history,
                                  const struct wt_travel_request *asked, const void *more,
                                  struct wt_travel_answer *answer, void *out, size_t room,
                                  struct wt_error *err)
{
    struct wt_sm_process *p = (struct wt_sm_process *)history;
    const struct sm_wire_request request = {.kind = SM_WIRE_HISTORY,
                                            .number = (uint32_t)asked->what,
                                            .size = asked->size,
                                            .value = asked->argument};
    struct sm_wire_answer told = {.size = 0};
    memset(p->fresh, 0, sizeof p->fresh);
    const enum wt_status status = ask(p, &request, more, &told, out, room, err);
    *answer = (struct wt_travel_answer){told.result, told.size, told.value[0]};
    return status;
}

static enum wt_status ask_time(struct wt_process_history *history, uint64_t *time,
                               struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_TIME};
    struct sm_wire_answer answer = {.size = 0};
    const enum wt_status status = simple((struct wt_sm_process *)history, &request, &answer, err);
    *time = answer.value[0];
    return status;
}

static enum wt_status ask_recording(struct wt_process_history *history, uint64_t budget,
                                    int32_t *result, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_RECORD, .value = budget};
    struct sm_wire_answer answer = {.result = 0};
    const enum wt_status status = simple((struct wt_sm_process *)history, &request, &answer, err);
    *result = answer.result;
    return status;
}

static const struct wt_process_history_ops history_ops = {
    .ask = ask_history, .time = ask_time, .record = ask_recording};

enum wt_status wt_sm_process_record(struct wt_sm_process *p, uint64_t budget,
                                    struct wt_target_services *services, struct wt_error *err)
{
    p->history.lanes = SMP_LANES;
    return wt_process_history_begin(&p->history, &history_ops, p->connection.pid, p->gpus, budget,
                                    services, err);
}

static bool wave_detail(void *context, uint32_t warp, wt_wave_id id, struct wt_wave_detail *detail)
{
    struct {
        struct wt_wave_view view;
        struct sm_wire_waiters waiter[SM_WIRE_MOST_WAITERS];
    } got;
    struct sm_wire_request request = {.kind = SM_WIRE_DETAIL, .value = id};
    struct sm_wire_answer answer;
    *detail = (struct wt_wave_detail){0};
    locate(context, warp, &request);
    if (ask(context, &request, NULL, &answer, &got, sizeof got, WT_IGNORED) != WT_OK ||
        answer.result < 0 || answer.size < sizeof got.view ||
        !wt_connection_has_view(&got.view, sizeof got.view))
        return false;
    detail->view = got.view;
    detail->waiter_count = (unsigned)((answer.size - sizeof got.view) / sizeof *got.waiter);
    for (unsigned i = 0; i < detail->waiter_count; i++)
        detail->waiter[i] =
            (struct wt_wave_waiters){.lanes = got.waiter[i].lanes, .pc = got.waiter[i].pc};
    return true;
}

static bool wave_fault(void *context, uint32_t warp, wt_wave_id id, struct wt_fault *out)
{
    struct sm_wire_request request = {.kind = SM_WIRE_FAULT, .value = id};
    struct sm_wire_answer answer;
    locate(context, warp, &request);
    return ask(context, &request, NULL, &answer, out, sizeof *out, WT_IGNORED) == WT_OK &&
           answer.result >= 0 && wt_connection_has_fault(out, answer.size);
}

void wt_sm_process_offer_detail(struct wt_target_services *services)
{
    services->wave_fault = wave_fault;
    services->wave_detail = wave_detail;
}

/* ---- core files ---- */

struct core_ask {
    struct wt_sm_process *process;
    uint32_t gpu;
};

static enum wt_status ask_for_core(void *context, const void *bytes, uint32_t size, int32_t *result,
                                   char *why, size_t room, struct wt_error *err)
{
    const struct core_ask *a = context;
    const struct sm_wire_request request = {.kind = SM_WIRE_CORE, .device = a->gpu, .size = size};
    struct sm_wire_answer answer;
    const enum wt_status status = ask(a->process, &request, bytes, &answer, why, room, err);
    *result = status ? 0 : answer.result;
    return status;
}

static enum wt_status save_core_file(void *context, const struct wt_core_file_request *request,
                                     struct wt_error *err)
{
    struct core_ask ask = {.process = context};
    struct sm_wire_request at = {.warp = WT_NO_HANDLE};
    if (request->wave != WT_NO_HANDLE)
        locate(ask.process, request->wave, &at);
    ask.gpu = at.device;
    return wt_core_request(request, at.warp, SM_WIRE_MOST, ask_for_core, &ask, err);
}

void wt_sm_process_offer_core_files(struct wt_target_services *services)
{
    services->save_core_file = save_core_file;
}

/* ---- memory after the end ---- */

enum wt_status wt_sm_process_want_memory(struct wt_sm_process *p, struct wt_error *err)
{
    struct sm_wire_request request = {.kind = SM_WIRE_FINAL};
    struct sm_wire_answer answer;
    return simple(p, &request, &answer, err);
}

void wt_sm_process_final_memory(struct wt_sm_process *p, wt_process_piece_fn *found, void *context)
{
    struct sm_wire_request request = {.kind = SM_WIRE_FINAL_NEXT};
    const struct wt_process_final final = {&request, sizeof request, &request.value,
                                           sizeof(struct sm_wire_answer)};
    wt_process_final_memory(&p->connection, &final, found, context);
}

/* ---- connecting ---- */

static enum wt_status greet(struct wt_sm_process *p, struct wt_error *err)
{
    const struct sm_wire_request request = {.kind = SM_WIRE_HELLO};
    struct sm_wire_answer answer;
    struct sm_wire_hello hello;
    enum wt_status status = ask(p, &request, NULL, &answer, &hello, sizeof hello, err);
    if (status)
        return status;
    const bool expected = answer.size == sizeof hello && hello.magic == SM_WIRE_MAGIC &&
                          hello.request_bytes == sizeof request && hello.devices &&
                          hello.devices <= SM_WIRE_DEVICES;
    if ((status = wt_connection_judge_greeting(&p->connection, answer.result, expected, err)))
        return status;
    p->gpus = hello.devices;
    for (unsigned i = 0; i < p->gpus; i++)
        if (!hello.sms[i] || hello.sms[i] > SMP_MOST_SMS)
            return wt_fail(err, WT_UNSUPPORTED, "process %d has a GPU of %u SMs", p->connection.pid,
                           (unsigned)hello.sms[i]);
        else
            p->sms[i] = hello.sms[i];
    return WT_OK;
}

static enum wt_status take_registers(struct wt_sm_process *p, struct wt_error *err)
{
    uint32_t warps = 0;
    for (unsigned i = 0; i < p->gpus; i++) {
        p->registers[i] =
            (struct registers){.bus = {.ops = &registers_ops}, .process = p, .gpu = i};
        p->bus[i] = &p->registers[i].bus;
        warps += warps_of(p, i);
    }
    p->warp = calloc(warps, sizeof *p->warp);
    return p->warp ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for %u warps", warps);
}

enum wt_status wt_sm_process_open(int pid, struct wt_sm_process **process, struct wt_error *err)
{
    enum wt_status status;
    struct sm_wire_request attach = {.kind = SM_WIRE_ATTACH};
    struct sm_wire_answer answer;
    struct wt_sm_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->link = (struct wt_sm_link){.bus = p->bus,
                                  .ops = &process_link,
                                  .context = p,
                                  .sms = p->sms,
                                  .host_launches = true,
                                  .shared_window = SHARED_WINDOW,
                                  .local_window = LOCAL_WINDOW};
    if ((status = wt_connection_open(&p->connection, pid, SM_WIRE_SOCKET, err)) != WT_OK ||
        (status = greet(p, err)) != WT_OK || (status = take_registers(p, err)) != WT_OK ||
        (status = simple(p, &attach, &answer, err)) != WT_OK) {
        wt_sm_process_close(p);
        return status;
    }
    p->link.gpus = p->gpus;
    *process = p;
    return WT_OK;
}

enum wt_status wt_sm_process_reachable(int pid, bool *reachable, struct wt_error *err)
{
    return wt_connection_reachable(pid, SM_WIRE_SOCKET, reachable, err);
}

void wt_sm_process_close(struct wt_sm_process *p)
{
    if (!p)
        return;
    wt_connection_close(&p->connection);
    wt_process_history_end(&p->history);
    free(p->warp);
    free(p);
}

const struct wt_sm_link *wt_sm_process_link(struct wt_sm_process *p)
{
    return &p->link;
}

/* ---- modules ---- */

enum wt_status wt_sm_process_modules(struct wt_sm_process *p, struct sm_wire_module **list,
                                     size_t *count, struct wt_error *err)
{
    const struct sm_wire_request request = {.kind = SM_WIRE_MODULES};
    struct sm_wire_answer answer;
    *list = malloc(SM_WIRE_MOST);
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a list of modules");
    const enum wt_status status = ask(p, &request, NULL, &answer, *list, SM_WIRE_MOST, err);
    *count = status ? 0 : answer.size / sizeof **list;
    if (status) {
        free(*list);
        *list = NULL;
    }
    return status;
}

#define MOST_TEXT (256u << 20)

enum wt_status wt_sm_process_text(struct wt_sm_process *p, const struct sm_wire_module *module,
                                  uint32_t number, char **text, size_t *length,
                                  struct wt_error *err)
{
    enum wt_status status = WT_OK;
    struct sm_wire_answer answer;
    *text = NULL;
    *length = 0;
    do {
        if (*length > MOST_TEXT) {
            status = wt_fail(err, WT_INVALID, "the text of a module does not end");
            break;
        }
        char *grown = realloc(*text, *length + SM_WIRE_MOST + 1);
        if (!grown) {
            status = wt_fail(err, WT_NO_MEMORY, "out of memory for a module's text");
            break;
        }
        *text = grown;
        const struct sm_wire_request request = {.kind = SM_WIRE_TEXT,
                                                .number = number,
                                                .lanes = (uint32_t)*length,
                                                .size = SM_WIRE_MOST,
                                                .value = module->id};
        status = ask(p, &request, NULL, &answer, *text + *length, SM_WIRE_MOST, err);
        if (!status && answer.result < 0)
            status = wt_fail(err, WT_INVALID, "a module is gone");
        *length += status ? 0 : answer.size;
    } while (!status && answer.size == SM_WIRE_MOST);
    if (status) {
        free(*text);
        *text = NULL;
    } else {
        (*text)[*length] = 0;
    }
    return status;
}

/* ---- which there are ---- */

static enum wt_status count_gpus(struct wt_connection *connection, unsigned *gpus,
                                 struct wt_error *err)
{
    struct wt_sm_process p = {.connection = *connection};
    const enum wt_status status = greet(&p, err);
    *gpus = p.gpus;
    return status;
}

enum wt_status wt_sm_processes(void (*found)(void *context, int pid, unsigned gpus,
                                             const char *name),
                               void *context, struct wt_error *err)
{
    return wt_connection_each(SM_WIRE_SOCKET, count_gpus, found, context, err);
}
