/* The link to a host process: its warps and modules (object/sm_wire.h). See process.h. */
#include "debug/sm/process.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "debug/process/link.h"
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
    struct wt_process_link link; /* first: the context of a target's services */
    struct wt_sm_link sm;
    unsigned gpus, sms[WT_WIRE_DEVICES];
    struct registers registers[WT_WIRE_DEVICES];
    struct wt_bus *bus[WT_WIRE_DEVICES];
    struct sm_wire_warp *warp;      /* of all GPUs, from the last look; NULL: none */
    uint64_t seen[WT_WIRE_DEVICES]; /* the link's changes at that look */
};

static uint32_t warps_of(const struct wt_sm_process *p, uint32_t gpu)
{
    return p->sms[gpu] * SMP_WARPS;
}

/* A request whose answer is exactly @p size bytes, or a refusal: then WT_INVALID. */
static enum wt_status ask_for(struct wt_sm_process *p, const struct wt_wire_request *request,
                              void *out, size_t size, const char *what, struct wt_error *err)
{
    struct wt_wire_answer answer;
    const enum wt_status status =
        wt_process_link_ask(&p->link, request, NULL, &answer, out, size, err);
    if (status)
        return status;
    return answer.result < 0 || answer.size != size
               ? wt_fail(err, WT_INVALID, "process %d: there is no %s", p->link.connection.pid,
                         what)
               : WT_OK;
}

/* ---- registers ---- */

static enum wt_status transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err)
{
    enum { MOST = 256 };
    struct registers *r = (struct registers *)bus;
    struct wt_wire_register list[MOST];
    enum wt_status status = WT_OK;
    for (size_t done = 0, n; done < count && !status; done += n) {
        n = count - done < MOST ? count - done : MOST;
        for (size_t i = 0; i < n; i++)
            list[i] = (struct wt_wire_register){.addr = ops[done + i].addr,
                                                .write = ops[done + i].write,
                                                .value = ops[done + i].value};
        const struct wt_wire_request request = {
            .verb = WT_WIRE_REGISTERS, .device = r->gpu, .follows = (uint32_t)(n * sizeof *list)};
        struct wt_wire_answer answer;
        r->process->link.changes++;
        bus->round_trips++;
        status = wt_process_link_ask(&r->process->link, &request, list, &answer, list,
                                     n * sizeof *list, err);
        if (!status && answer.size != n * sizeof *list)
            status =
                wt_connection_lost(&r->process->link.connection, "it has no such register", err);
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
    const struct wt_wire_request request = {.verb = SM_WIRE_LAUNCH};
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
    struct wt_wire_request request = {.verb = SM_WIRE_WARPS};
    wt_process_link_locate(&p->link, warp, &request);
    struct sm_wire_warp *list = p->warp + (warp - request.wave);
    if (p->seen[request.device] != p->link.changes) {
        const enum wt_status status = ask_for(
            p, &request, list, warps_of(p, request.device) * sizeof *list, "list of warps", err);
        if (status)
            return status;
        p->seen[request.device] = p->link.changes;
    }
    const struct sm_wire_warp *w = &list[request.wave];
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
    struct wt_wire_request request = {.verb = SM_WIRE_READ_ROW, .number = number};
    wt_process_link_locate(context, warp, &request);
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
    struct wt_wire_answer answer;
    struct wt_wire_request request = {
        .verb = SM_WIRE_WRITE_ROW, .follows = sizeof bytes, .number = number, .lanes = lanes};
    wt_process_link_locate(&p->link, warp, &request);
    memcpy(bytes, row, number < WT_SM_P0 ? sizeof bytes : 8);
    p->link.changes++;
    const enum wt_status status =
        wt_process_link_ask(&p->link, &request, bytes, &answer, NULL, 0, err);
    if (!status && answer.result < 0)
        return wt_fail(err, WT_INVALID, "register %u of warp %u cannot be written so", number,
                       warp);
    return status;
}

static enum wt_status link_read_file(void *context, uint32_t warp, uint64_t offset, void *out,
                                     size_t size, struct wt_error *err)
{
    struct wt_wire_request request = {
        .verb = SM_WIRE_READ_FILE, .size = (uint32_t)size, .value = offset};
    wt_process_link_locate(context, warp, &request);
    return ask_for(context, &request, out, size, "such part of the warp's register file", err);
}

/* ---- memory ---- */

static enum wt_status link_read(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                                void *out, size_t size, struct wt_error *err)
{
    struct wt_wire_request request = {.lane = lane, .addr = addr};
    wt_process_link_locate(context, warp, &request);
    return wt_process_link_read(context, request, out, size, err);
}

static enum wt_status link_write(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                                 const void *bytes, size_t size, struct wt_error *err)
{
    struct wt_wire_request request = {.lane = lane, .addr = addr};
    wt_process_link_locate(context, warp, &request);
    return wt_process_link_write(context, request, bytes, size, err);
}

static enum wt_status pair(struct wt_sm_process *p, const struct wt_wire_request *request,
                           const char *what, uint64_t *addr, uint32_t *size, struct wt_error *err)
{
    struct wt_wire_answer answer;
    const enum wt_status status = wt_process_link_tell(&p->link, *request, &answer, err);
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
    const struct wt_wire_request request = {.verb = SM_WIRE_BANK, .number = bank};
    return pair(context, &request, "kernel", addr, size, err);
}

static enum wt_status link_local(void *context, uint32_t warp, unsigned lane, uint64_t *addr,
                                 uint32_t *size, struct wt_error *err)
{
    struct wt_wire_request request = {.verb = SM_WIRE_LOCAL, .lane = lane};
    wt_process_link_locate(context, warp, &request);
    return pair(context, &request, "such warp", addr, size, err);
}

/* ---- time ---- */

static enum wt_status link_wait(void *context, struct wt_error *err)
{
    struct wt_wire_answer answer;
    struct wt_sm_process *p = context;
    p->link.changes++;
    return wt_process_link_tell(&p->link, (struct wt_wire_request){.verb = SM_WIRE_WAIT}, &answer,
                                err);
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    return wt_process_link_ended(context, status, text, size);
}

static enum wt_status link_event(void *context, struct wt_sm_event *event, struct wt_error *err)
{
    int happened;
    uint64_t code;
    const enum wt_status status = wt_process_link_event(context, false, &happened, &code, err);
    if (!status)
        *event = (struct wt_sm_event){.stopped = happened & WT_WIRE_STOPPED,
                                      .code = happened & WT_WIRE_CODE,
                                      .code_state = code};
    return status;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    return wt_process_link_code_known(context, state, err);
}

static enum wt_status link_fail(void *context, uint32_t warp, struct wt_error *err)
{
    struct wt_wire_request request = {.verb = SM_WIRE_FAIL};
    struct wt_wire_answer answer;
    wt_process_link_locate(context, warp, &request);
    return wt_process_link_tell(context, request, &answer, err);
}

/* ---- watched memory ---- */

static enum wt_status link_watch(void *context, const struct wt_wire_watch *list, size_t count,
                                 struct wt_error *err)
{
    return wt_process_link_watch(context, list, count, err);
}

static enum wt_status link_take_hits(void *context, struct wt_wire_hit **list, size_t *count,
                                     struct wt_error *err)
{
    return wt_process_link_hits(context, ((struct wt_sm_process *)context)->gpus, list, count, err);
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

static bool wave_detail(void *context, uint32_t warp, wt_wave_id id, struct wt_wave_detail *detail)
{
    struct {
        struct wt_wave_view view;
        struct sm_wire_waiters waiter[SM_WIRE_MOST_WAITERS];
    } got;
    struct wt_wire_request request = {.verb = WT_WIRE_WAITS, .value = id};
    struct wt_wire_answer answer;
    *detail = (struct wt_wave_detail){0};
    wt_process_link_locate(context, warp, &request);
    if (wt_process_link_ask(context, &request, NULL, &answer, &got, sizeof got, WT_IGNORED) !=
            WT_OK ||
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

void wt_sm_process_offer_detail(struct wt_target_services *services)
{
    services->wave_waits = NULL; /* the detail has more */
    services->wave_detail = wave_detail;
}

/* ---- connecting ---- */

static enum wt_status take_sms(struct wt_sm_process *p, struct wt_error *err)
{
    const struct wt_wire_hello *hello = &p->link.hello;
    p->gpus = hello->devices;
    for (unsigned i = 0; i < p->gpus; i++)
        if (!hello->units[i] || hello->units[i] > SMP_MOST_SMS)
            return wt_fail(err, WT_UNSUPPORTED, "process %d has a GPU of %u SMs",
                           p->link.connection.pid, (unsigned)hello->units[i]);
        else
            p->sms[i] = hello->units[i];
    return WT_OK;
}

static enum wt_status take_registers(struct wt_sm_process *p, struct wt_error *err)
{
    uint32_t warps = 0;
    for (unsigned i = 0; i < p->gpus; i++) {
        p->registers[i] =
            (struct registers){.bus = {.ops = &registers_ops}, .process = p, .gpu = i};
        p->bus[i] = &p->registers[i].bus;
        p->link.waves[i] = warps_of(p, i);
        warps += warps_of(p, i);
    }
    p->warp = calloc(warps, sizeof *p->warp);
    return p->warp ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for %u warps", warps);
}

enum wt_status wt_sm_process_open(const struct wt_process_place *place,
                                  struct wt_sm_process **process, struct wt_error *err)
{
    enum wt_status status;
    const struct wt_wire_request attach = {.verb = WT_WIRE_ATTACH};
    struct wt_wire_answer answer;
    struct wt_sm_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->link.changes = 1; /* nothing has been seen */
    p->link.history.lanes = SMP_LANES;
    p->sm = (struct wt_sm_link){.bus = p->bus,
                                .ops = &process_link,
                                .context = p,
                                .sms = p->sms,
                                .host_launches = true,
                                .shared_window = SHARED_WINDOW,
                                .local_window = LOCAL_WINDOW};
    if ((status = wt_process_link_open(&p->link, place, SM_WIRE_SOCKET, SM_WIRE_FAMILY, err)) !=
            WT_OK ||
        (status = take_sms(p, err)) != WT_OK || (status = take_registers(p, err)) != WT_OK ||
        (status = wt_process_link_tell(&p->link, attach, &answer, err)) != WT_OK) {
        wt_sm_process_close(p);
        return status;
    }
    p->sm.gpus = p->gpus;
    *process = p;
    return WT_OK;
}

void wt_sm_process_close(struct wt_sm_process *p)
{
    if (!p)
        return;
    wt_process_link_close(&p->link);
    free(p->warp);
    free(p);
}

const struct wt_sm_link *wt_sm_process_link(struct wt_sm_process *p)
{
    return &p->sm;
}

struct wt_process_link *wt_sm_process_wire(struct wt_sm_process *p)
{
    return &p->link;
}

/* ---- modules ---- */

enum wt_status wt_sm_process_modules(struct wt_sm_process *p, struct sm_wire_module **list,
                                     size_t *count, struct wt_error *err)
{
    void *all;
    const enum wt_status status =
        wt_process_link_list(&p->link, SM_WIRE_MODULES, sizeof **list, &all, count, err);
    *list = all;
    return status;
}

enum wt_status wt_sm_process_text(struct wt_sm_process *p, const struct sm_wire_module *module,
                                  uint32_t number, char **text, size_t *length,
                                  struct wt_error *err)
{
    uint8_t *bytes;
    const struct wt_wire_request request = {
        .verb = SM_WIRE_TEXT, .number = number, .addr = module->id};
    const enum wt_status status = wt_process_link_read_all(&p->link, request, &bytes, length, err);
    *text = bytes || status ? (char *)bytes : strdup("");
    return status || *text ? status : wt_fail(err, WT_NO_MEMORY, "out of memory for a text");
}
