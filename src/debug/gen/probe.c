/*
 * The probe of Gen9: threads are halted, resumed and stepped through TD_CTL, TD_ATT and TD_CLR and
 * through what the system routine has saved of them. Between two operations threads wait in the
 * routine only if nothing of them is to run. See gen.h.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "debug/gen/internal.h"

/* ---- opening ---- */

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    if (!p->info.subslices || p->info.subslices > GENP_SUBSLICES)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the driver tells of %u subslices; Gen9 has 1 to 9 of them",
                       (unsigned)p->info.subslices);
    p->topology = (struct wt_topology){.family = "gen9",
                                       .arch = "intelgt",
                                       .triple = "spir64-unknown-unknown",
                                       .clusters = 1,
                                       .cores = p->info.subslices,
                                       .waves_per_core = GENP_SUBSLICE_THREADS,
                                       .waves = p->info.subslices * GENP_SUBSLICE_THREADS,
                                       .host_launches = p->link->host_launches,
                                       .lanes = GENP_LANES,
                                       .wave_word = "thread",
                                       .lane_word = "channel",
                                       .has_grid = true,
                                       .code_granule = 8};
    genp_describe_spaces(p);
    p->row = calloc(p->topology.waves, sizeof *p->row);
    if (!p->row || !genp_describe_registers(p))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u threads",
                       (unsigned)p->topology.waves);
    return WT_OK;
}

static void free_probe(struct wt_probe *p)
{
    free(p->row);
    free(p->registers);
    free(p->launch);
    free(p->event);
    free(p);
}

static enum wt_status probe_open(const struct wt_target *target, bool use_memory_port,
                                 struct wt_probe **probe, struct wt_error *err)
{
    struct wt_probe *p = calloc(1, sizeof *p);
    enum wt_status status;
    (void)use_memory_port; /* the link has all memory */
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->link = target->link;
    p->target = target;
    if ((status = p->link->ops->info(p->link->context, &p->info, err)) != WT_OK ||
        (status = describe(p, err)) != WT_OK) {
        free_probe(p);
        return status;
    }
    *probe = p;
    return WT_OK;
}

static void probe_close(struct wt_probe *p)
{
    p->link->ops->detach(p->link->context);
    free_probe(p);
}

static const struct wt_topology *topology(struct wt_probe *p)
{
    return &p->topology;
}

/* ---- threads ---- */

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

static void list_threads(const struct wt_probe *p, struct wt_wave_set *active,
                         struct wt_wave_set *halted)
{
    const unsigned words = (p->topology.waves + 31) / 32;
    memset(active->word, 0, words * sizeof *active->word);
    memset(halted->word, 0, words * sizeof *halted->word);
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        if (!p->row[i].present)
            continue;
        wt_wave_set_add(active, i);
        if (!p->row[i].run)
            wt_wave_set_add(halted, i);
    }
}

/* Kernels have come or gone: clients are told, and modules_known() follows. */
static enum wt_status take_code(struct wt_probe *p, const struct wt_gen_event *event,
                                struct wt_error *err)
{
    if (!event->code || (p->code_told && event->code_state == p->code_state))
        return WT_OK;
    if (!genp_push_event(p, (struct wt_probe_event){.kind = WT_PROBE_MODULES_CHANGED}))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an event");
    p->code_told = true;
    p->code_state = event->code_state;
    return WT_OK;
}

static enum wt_status modules_known(struct wt_probe *p, struct wt_error *err)
{
    if (!p->code_told)
        return WT_OK;
    p->code_told = false;
    enum wt_status status = p->link->ops->code_known(p->link->context, p->code_state, err);
    return status == WT_IO && genp_has_ended(p) ? WT_OK : status;
}

static enum wt_status scan(struct wt_probe *p, struct wt_wave_set *active,
                           struct wt_wave_set *halted, struct wt_error *err)
{
    struct wt_gen_event event = {.attention = true};
    enum wt_status status = WT_OK;
    /* Halting a program that runs by itself takes its time: it is done when the driver has
     * something to tell. */
    if (p->link->host_launches && !p->stopped && p->scanned) {
        status = p->link->ops->event(p->link->context, false, &event, err);
        if (status == WT_IO && genp_has_ended(p))
            status = WT_OK;
    }
    if (status != WT_OK || (status = take_code(p, &event, err)) != WT_OK ||
        ((event.attention || p->hold) && (status = genp_hold_still(p, err)) != WT_OK))
        return status;
    p->scanned = true;
    p->stands = false;
    list_threads(p, active, halted);
    return genp_go(p, WT_NO_HANDLE, err);
}

static wt_wave_id wave_id(struct wt_probe *p, wt_wave_handle wave)
{
    assert(wave < p->topology.waves);
    return p->row[wave].id;
}

static void describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    const struct genp_row *row = &p->row[handle];
    const uint32_t slot = handle % GENP_SUBSLICE_THREADS;
    *wave = (struct wt_wave){.id = row->id,
                             .lanes = row->saved.simd,
                             .core = handle / GENP_SUBSLICE_THREADS,
                             .simd = slot / GENP_EU_THREADS,
                             .slot = slot,
                             .has_work = true,
                             .dispatch = row->dispatch,
                             .index = row->saved.index};
    memcpy(wave->group, row->saved.group, sizeof wave->group);
    memcpy(wave->block, row->saved.block, sizeof wave->block);
    memcpy(wave->grid, row->saved.grid, sizeof wave->grid);
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
    if (p->first_event < p->event_count) {
        *event = p->event[p->first_event++];
        return WT_OK;
    }
    *event = (struct wt_probe_event){.kind = WT_PROBE_NOTHING};
    genp_has_ended(p);
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

static bool in_set(const struct wt_probe *p, const struct wt_wave_set *waves, uint32_t i)
{
    return p->row[i].present && wt_wave_set_has(waves, i);
}

static enum wt_status halt(struct wt_probe *p, const struct wt_wave_set *waves,
                           struct wt_error *err)
{
    enum wt_status status = genp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        struct genp_row *row = &p->row[i];
        if (!in_set(p, waves, i) || !row->run)
            continue;
        row->run = row->step = row->held = false;
        row->cause = WT_HALT_REQUEST;
    }
    return genp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status resume(struct wt_probe *p, const struct wt_wave_set *waves,
                             struct wt_error *err)
{
    enum wt_status status = genp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        struct genp_row *row = &p->row[i];
        if (!in_set(p, waves, i))
            continue;
        row->run = true;
        row->step = false;
        row->cause = WT_HALT_NONE;
        row->causes = 0;
    }
    p->stands = false;
    p->went = true;
    return genp_go(p, WT_NO_HANDLE, err);
}

/* How far a step had come in the last scan; @p id is the thread that steps. */
static void judge_step(const struct wt_probe *p, uint32_t wave, wt_wave_id id,
                       struct wt_probe_step *step)
{
    const struct genp_row *row = &p->row[wave];
    *step = (struct wt_probe_step){.done = true};
    if (!row->present || row->id != id)
        return;
    step->active = true;
    step->done = !row->run;
    step->cause = row->cause;
    step->pc = genp_row_pc(row);
}

static enum wt_status step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                           struct wt_error *err)
{
    struct genp_row *row;
    struct wt_gen_event event;
    enum wt_status status = genp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    const wt_wave_id id = row->id;
    row->run = row->step = p->went = true;
    row->cause = WT_HALT_NONE;
    row->causes = 0;
    p->stands = false;
    /* Nobody else issues meanwhile: a breakpoint may have been lifted for this instruction. */
    if ((status = genp_go(p, wave, err)) != WT_OK ||
        (status = p->link->ops->event(p->link->context, true, &event, err)) != WT_OK ||
        (status = genp_hold_still(p, err)) != WT_OK)
        return status;
    judge_step(p, wave, id, step);
    p->stands = true; /* a thread that has begun meanwhile would miss the breakpoint, too */
    return WT_OK;
}

static enum wt_status step_poll(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                struct wt_error *err)
{
    const wt_wave_id id = p->row[wave].id;
    enum wt_status status = genp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    judge_step(p, wave, id, step);
    p->stands = step->done;
    return genp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status halt_cause(struct wt_probe *p, uint32_t wave, enum wt_halt_cause *cause,
                                 uint64_t *pc, struct wt_error *err)
{
    struct genp_row *row;
    enum wt_status status = genp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *cause = row->cause;
    *pc = genp_row_pc(row);
    return genp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status exception(struct wt_probe *p, uint32_t wave,
                                struct wt_probe_exception *exception, struct wt_error *err)
{
    struct genp_row *row;
    enum wt_status status = genp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    genp_describe_exception(row, exception);
    return WT_OK;
}

static enum wt_status mask(struct wt_probe *p, uint32_t wave, wt_lanes *lanes, struct wt_error *err)
{
    struct genp_row *row;
    enum wt_status status = genp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *lanes = row->saved.ce;
    return genp_go(p, WT_NO_HANDLE, err);
}

/* Threads that begin enter the routine: TD_CTL stays as it is over a reset of the program's side.
 */
static enum wt_status reset_halted(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status;
    if (!p->link->ops->reset)
        return wt_fail(err, WT_UNSUPPORTED, "the program alone can run its kernels again");
    if ((status = genp_hold_still(p, err)) != WT_OK ||
        (status = p->link->ops->reset(p->link->context, err)) != WT_OK)
        return status;
    if (!p->went) /* what was there before a first run nobody has seen */
        p->launch_count = p->event_count = p->first_event = 0;
    p->hold = true;
    p->stopped = p->stands = p->told_end = false;
    p->run++;
    memset(p->row, 0, p->topology.waves * sizeof *p->row);
    return genp_hold_still(p, err);
}

/* The rows keep the threads' names; the rest is in the records, once they are in the routine. */
static void replaced(struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        p->row[i].present = p->row[i].run = p->row[i].step = p->row[i].held = false;
        p->row[i].cause = WT_HALT_REQUEST;
        p->row[i].causes = 0;
    }
    p->stopped = p->stands = p->told_end = false;
}

/* ---- rows and memory: looked at while all stand still ---- */

static enum wt_status read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err)
{
    enum wt_status status = genp_read_rows(p, wave, lanes, index, count, out, err);
    enum wt_status after = genp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                                const uint8_t *row, struct wt_error *err)
{
    enum wt_status status = genp_write_row(p, wave, lanes, index, row, err);
    enum wt_status after = genp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

const struct wt_probe_ops wt_probe_gen = {
    .family = "gen9",
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
    .mask = mask,
    .reset_halted = reset_halted,
    .read_rows = read_rows,
    .write_row = write_row,
    .read_memory = genp_read_memory,
    .write_memory = genp_write_memory,
    .replaced = replaced,
    .window = genp_window,
    .patch = genp_patch,
    .decode = genp_decode,
};
