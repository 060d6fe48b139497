/*
 * The probe of the SM: warps are halted by the stop trigger, resumed by the run trigger, stepped in
 * single step mode. Between two operations SMs are locked down only if nothing of them is to run.
 * See sm.h.
 */
#include "debug/sm/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    unsigned sms = 0;
    for (unsigned i = 0; i < p->link->gpus; i++)
        sms += p->link->sms[i];
    if (!sms || sms > SMP_MOST_SMS)
        return wt_fail(err, WT_UNSUPPORTED, "the driver tells of %u SMs; a debugger takes 1 to %u",
                       sms, SMP_MOST_SMS);
    p->topology = (struct wt_topology){.family = "sm",
                                       .arch = "nvptx64",
                                       .triple = "nvptx64-nvidia-cuda",
                                       .clusters = 1,
                                       .devices = p->link->gpus,
                                       .device_cores = p->link->sms,
                                       .cores = sms,
                                       .waves_per_core = SMP_WARPS,
                                       .waves = sms * SMP_WARPS,
                                       .host_launches = p->link->host_launches,
                                       .lanes = SMP_LANES,
                                       .wave_word = "warp",
                                       .lane_word = "lane",
                                       .has_grid = true,
                                       .code_granule = 8};
    smp_describe_spaces(p);
    p->row = calloc(p->topology.waves, sizeof *p->row);
    if (!p->row || !smp_describe_registers(p))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u warps",
                       (unsigned)p->topology.waves);
    return WT_OK;
}

static void free_probe(struct wt_probe *p)
{
    free(p->row);
    free(p->registers);
    free(p->names);
    free(p);
}

static enum wt_status probe_open(const struct wt_target *target, bool use_memory_port,
                                 struct wt_probe **probe, struct wt_error *err)
{
    struct wt_probe *p = calloc(1, sizeof *p);
    (void)use_memory_port; /* memory is the driver's to read */
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->link = target->link;
    const enum wt_status status = describe(p, err);
    if (status != WT_OK) {
        free_probe(p);
        return status;
    }
    *probe = p;
    return WT_OK;
}

static void probe_close(struct wt_probe *p)
{
    smp_let_go(p);
    free_probe(p);
}

static const struct wt_topology *topology(struct wt_probe *p)
{
    return &p->topology;
}

/* ---- warps ---- */

static enum wt_status summary(struct wt_probe *p, struct wt_probe_summary *s, struct wt_error *err)
{
    (void)err;
    *s = (struct wt_probe_summary){.all_unavailable = true};
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        if (!p->row[i].present)
            continue;
        s->all_unavailable = false;
        s->any_running |= p->row[i].run;
        s->any_halted |= !p->row[i].run;
    }
    return WT_OK;
}

/* Modules have come or gone: clients are told, and modules_known() follows. */
static void take_code(struct wt_probe *p, const struct wt_sm_event *event)
{
    if (!event->code || (p->code_told && event->code_state == p->code_state))
        return;
    smp_push_event(p, WT_PROBE_MODULES_CHANGED, 0);
    p->code_told = true;
    p->code_state = event->code_state;
}

static enum wt_status modules_known(struct wt_probe *p, struct wt_error *err)
{
    if (!p->code_told)
        return WT_OK;
    p->code_told = false;
    enum wt_status status = p->link->ops->code_known(p->link->context, p->code_state, err);
    return status == WT_IO && smp_has_ended(p) ? WT_OK : status;
}

/* What there is to see: where the driver tells of nothing, the rows are as they were. */
static enum wt_status look(struct wt_probe *p, struct wt_error *err)
{
    struct wt_sm_event event = {.stopped = true};
    enum wt_status status = WT_OK;
    if (p->link->ops->event)
        status = p->link->ops->event(p->link->context, &event, err);
    if (status)
        return status;
    take_code(p, &event);
    if (event.stopped || p->hold || !p->scanned)
        status = smp_look(p, err);
    p->scanned = true;
    return status;
}

static enum wt_status scan(struct wt_probe *p, struct wt_wave_set *active,
                           struct wt_wave_set *halted, struct wt_error *err)
{
    const unsigned words = p->topology.waves / 32;
    enum wt_status status = look(p, err);
    if (status == WT_IO && smp_has_ended(p))
        status = WT_OK;
    if (status != WT_OK)
        return status;
    p->stands = false;
    memset(active->word, 0, words * sizeof *active->word);
    memset(halted->word, 0, words * sizeof *halted->word);
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        if (!p->row[i].present)
            continue;
        wt_wave_set_add(active, i);
        if (!p->row[i].run)
            wt_wave_set_add(halted, i);
    }
    return smp_go(p, WT_NO_HANDLE, err);
}

static wt_wave_id wave_id(struct wt_probe *p, wt_wave_handle wave)
{
    assert(wave < p->topology.waves);
    return p->row[wave].id;
}

static void describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    const struct smp_row *row = &p->row[handle];
    unsigned device = 0, behind = p->link->sms[0];
    while (handle / SMP_WARPS >= behind)
        behind += p->link->sms[++device];
    *wave = (struct wt_wave){.id = row->id,
                             .device = device,
                             .lanes = SMP_LANES,
                             .core = handle / SMP_WARPS,
                             .slot = handle % SMP_WARPS,
                             .has_work = true,
                             .dispatch = row->dispatch,
                             .index = row->index};
    memcpy(wave->group, row->block, sizeof wave->group);
    for (unsigned i = 0; i < 3; i++) {
        wave->block[i] = p->launch.block[i];
        wave->grid[i] = p->launch.block[i] * p->launch.grid[i];
    }
}

static bool any_present(const struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->topology.waves; i++)
        if (p->row[i].present)
            return true;
    return false;
}

static enum wt_status next_event(struct wt_probe *p, struct wt_probe_event *event,
                                 struct wt_error *err)
{
    (void)err;
    if (p->first_event < p->events) {
        *event = p->event[p->first_event++];
        return WT_OK;
    }
    *event = (struct wt_probe_event){.kind = WT_PROBE_NOTHING};
    if (p->told_end || any_present(p) ||
        !p->link->ops->ended(p->link->context, &event->status, event->text, sizeof event->text))
        return WT_OK;
    p->told_end = true;
    event->kind = WT_PROBE_ENDED;
    return WT_OK;
}

/* ---- run control ---- */

static void hold_launches(struct wt_probe *p, bool hold)
{
    p->hold = hold;
}

static enum wt_status halt(struct wt_probe *p, const struct wt_wave_set *waves,
                           struct wt_error *err)
{
    enum wt_status status = smp_hold_still(p, err);
    for (uint32_t i = 0; i < p->topology.waves && !status; i++) {
        struct smp_row *row = &p->row[i];
        if (!row->present || !row->run || !wt_wave_set_has(waves, i))
            continue;
        row->run = row->step = false;
        row->cause = WT_HALT_REQUEST;
    }
    return status ? status : smp_go(p, WT_NO_HANDLE, err);
}

/* A warp that goes on from its mistake or its own trap does what it would without a debugger. */
static enum wt_status give_up(struct wt_probe *p, uint32_t warp, struct wt_error *err)
{
    const struct smp_row *row = &p->row[warp];
    return p->link->ops->fail && (row->cause == WT_HALT_EXCEPTION ||
                                  (row->aborts_at && row->aborts_at == row->pc))
               ? p->link->ops->fail(p->link->context, warp, err)
               : WT_OK;
}

static enum wt_status resume(struct wt_probe *p, const struct wt_wave_set *waves,
                             struct wt_error *err)
{
    enum wt_status status = smp_hold_still(p, err);
    for (uint32_t i = 0; i < p->topology.waves && !status; i++) {
        struct smp_row *row = &p->row[i];
        if (!row->present || !wt_wave_set_has(waves, i))
            continue;
        if ((status = give_up(p, i, err)) != WT_OK)
            return status;
        row->run = true;
        row->step = false;
        row->cause = WT_HALT_NONE;
    }
    p->stands = false;
    return status ? status : smp_go(p, WT_NO_HANDLE, err);
}

/* How far a step had come when the SMs were locked down; @p id is the warp that steps. */
static void judge_step(const struct wt_probe *p, uint32_t wave, wt_wave_id id,
                       struct wt_probe_step *step)
{
    const struct smp_row *row = &p->row[wave];
    *step = (struct wt_probe_step){.done = true};
    if (!row->present || row->id != id)
        return;
    step->active = true;
    step->done = !row->run;
    step->cause = row->cause;
    step->pc = row->pc;
}

static enum wt_status step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                           struct wt_error *err)
{
    struct smp_row *row;
    enum wt_status status = smp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    const wt_wave_id id = row->id;
    if ((status = give_up(p, wave, err)) != WT_OK)
        return status;
    row->run = row->step = true;
    row->cause = WT_HALT_NONE;
    p->stands = false;
    /* Nobody else issues meanwhile: a breakpoint may have been lifted for this instruction. */
    if ((status = smp_go(p, wave, err)) != WT_OK ||
        (status = p->link->ops->wait(p->link->context, err)) != WT_OK ||
        (status = smp_hold_still(p, err)) != WT_OK)
        return status;
    judge_step(p, wave, id, step);
    p->stands = true; /* a warp that has begun meanwhile would miss the breakpoint, too */
    return WT_OK;
}

static enum wt_status step_poll(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                struct wt_error *err)
{
    const wt_wave_id id = p->row[wave].id;
    enum wt_status status = smp_look(p, err);
    if (status != WT_OK)
        return status;
    judge_step(p, wave, id, step);
    p->stands = p->suspended && step->done;
    return smp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status halt_cause(struct wt_probe *p, uint32_t wave, enum wt_halt_cause *cause,
                                 uint64_t *pc, struct wt_error *err)
{
    struct smp_row *row;
    enum wt_status status = smp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *cause = row->cause;
    *pc = row->pc;
    return smp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status mask(struct wt_probe *p, uint32_t wave, wt_lanes *lanes, struct wt_error *err)
{
    struct smp_row *row;
    enum wt_status status = smp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *lanes = row->active;
    return smp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status exception(struct wt_probe *p, uint32_t wave,
                                struct wt_probe_exception *exception, struct wt_error *err)
{
    struct smp_row *row;
    enum wt_status status = smp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *exception = (struct wt_probe_exception){
        .kind = row->error.kind, .pc = row->error.pc, .lanes = row->error.lanes};
    snprintf(exception->text, sizeof exception->text, "%.200s", row->error.text);
    return WT_OK;
}

/* BPT.TRAP 1 is a breakpoint: one of its own ends the kernel of a host program. Nobody takes the
 * others where no trap handler is. */
static bool gives_up(struct wt_probe *p, uint32_t wave, char *text, size_t size)
{
    struct smp_row *row = &p->row[wave];
    if (p->link->ops->fail && row->trap == 1) {
        row->aborts_at = row->pc;
        snprintf(text, size, "a trap of the program's own, which ends the kernel");
        return true;
    }
    if (row->trap == 1 || p->link->has_handler)
        return false;
    snprintf(text, size, "BPT.TRAP 0x%x, and there is no trap handler", row->trap);
    return true;
}

static enum wt_status reset_halted(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status;
    if (!p->link->ops->reset)
        return wt_fail(err, WT_UNSUPPORTED, "the program alone can run its kernels again");
    if ((status = p->link->ops->reset(p->link->context, err)) != WT_OK)
        return status;
    p->hold = true;
    p->suspended = p->stands = p->told_end = false;
    memset(p->row, 0, p->topology.waves * sizeof *p->row);
    return smp_hold_still(p, err);
}

/* The rows keep the warps' names; the rest is read once the SMs are locked down. */
static void replaced(struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        p->row[i].present = p->row[i].run = p->row[i].step = false;
        p->row[i].cause = WT_HALT_REQUEST;
    }
    p->suspended = p->stands = p->told_end = false;
}

/* ---- rows and memory ---- */

static enum wt_status read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err)
{
    enum wt_status status = smp_read_rows(p, wave, lanes, index, count, out, err);
    enum wt_status after = smp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                                const uint8_t *row, struct wt_error *err)
{
    enum wt_status status = smp_write_row(p, wave, lanes, index, row, err);
    enum wt_status after = smp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

const struct wt_probe_ops wt_probe_sm = {
    .family = "sm",
    .open = probe_open,
    .close = probe_close,
    .topology = topology,
    .summary = summary,
    .scan = scan,
    .wave_id = wave_id,
    .describe_wave = describe_wave,
    .next_event = next_event,
    .modules_known = modules_known,
    .hold_launches = hold_launches,
    .halt = halt,
    .resume = resume,
    .step = step,
    .step_poll = step_poll,
    .halt_cause = halt_cause,
    .exception = exception,
    .gives_up = gives_up,
    .mask = mask,
    .reset_halted = reset_halted,
    .read_rows = read_rows,
    .write_row = write_row,
    .read_memory = smp_read_memory,
    .write_memory = smp_write_memory,
    .replaced = replaced,
    .window = smp_window,
    .patch = smp_patch,
    .decode = smp_decode,
    .find_home = smp_find_home,
    .find_caller = smp_find_caller,
};
