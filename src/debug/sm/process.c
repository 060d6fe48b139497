/* The link to a host process: its warps and modules (object/sm_wire.h). See process.h. */
#include "debug/sm/process.h"

#include <stdlib.h>
#include <string.h>

#include "debug/process/link.h"
#include "debug/sm/internal.h"

/* Generic addresses (emulator/sm/sm.h). */
#define SHARED_WINDOW UINT64_C(0xfe000000)
#define LOCAL_WINDOW UINT64_C(0xff000000)

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
            p, &request, list, p->link.waves[request.device] * sizeof *list, "list of warps", err);
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
        memcpy(row, bytes, number < WT_SM_P0 || number >= WT_SM_FRAME ? sizeof bytes : 8);
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

static enum wt_status link_fail(void *context, uint32_t warp, struct wt_error *err)
{
    struct wt_wire_request request = {.verb = SM_WIRE_FAIL};
    struct wt_wire_answer answer;
    wt_process_link_locate(context, warp, &request);
    return wt_process_link_tell(context, request, &answer, err);
}

static const struct wt_sm_link_ops process_link = {
    .launch = link_launch,
    .warp = link_warp,
    .read_row = link_read_row,
    .write_row = link_write_row,
    .read_file = link_read_file,
    .bank = link_bank,
    .local = link_local,
    .fail = link_fail,
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

enum wt_status wt_sm_process_begin(struct wt_sm_process *p, struct wt_error *err)
{
    const struct wt_wire_hello *hello = &p->link.hello;
    uint32_t warps = 0;
    for (unsigned i = 0; i < hello->devices; i++) {
        if (!hello->units[i] || hello->units[i] > SMP_MOST_SMS)
            return wt_fail(err, WT_UNSUPPORTED, "process %d has a GPU of %u SMs",
                           p->link.connection.pid, (unsigned)hello->units[i]);
        p->sms[i] = hello->units[i];
        p->link.waves[i] = p->sms[i] * SMP_WARPS;
        warps += p->link.waves[i];
    }
    p->warp = calloc(warps, sizeof *p->warp);
    if (!p->warp)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %u warps", warps);
    p->link.changes = 1; /* nothing has been seen */
    p->link.wait = SM_WIRE_WAIT;
    p->sm = (struct wt_sm_link){.common = {&wt_process_link_ops, p, true},
                                .ops = &process_link,
                                .gpus = hello->devices,
                                .sms = p->sms,
                                .shared_window = SHARED_WINDOW,
                                .local_window = LOCAL_WINDOW};
    return WT_OK;
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
