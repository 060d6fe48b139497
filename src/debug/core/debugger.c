/* Opening and closing, threads, and what is known of waves. */
#include "debug/core/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AUTO_LANES 1024

/* ---- opening and closing ---- */

static void free_debugger(struct wt_debugger *d)
{
    if (!d)
        return;
    dbg_free_breakpoints(d);
    if (d->probe)
        d->ops->close(d->probe);
    free(d->registers);
    free(d->wave);
    free(d->present.wave);
    free(d->trace);
    free(d->generation);
    free(d->stepper);
    free(d->thread);
    dbg_close_registers(d);
    dbg_free_watchpoints(d);
    free(d->scratch);
    free(d->event);
    free(d->leftover);
    free(d);
}

enum wt_status wt_debugger_open(const struct wt_target *target, const struct wt_probe_ops *probe,
                                const struct wt_debugger_options *options,
                                struct wt_debugger **debugger, struct wt_error *err)
{
    static const struct wt_debugger_options defaults;
    *debugger = NULL;
    struct wt_debugger *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the debugger");
    d->target = target;
    d->ops = probe;
    d->options = options ? *options : defaults;
    d->wanted_mode = d->options.threads;
    enum wt_status status = probe->open(target, !d->options.dm_only, &d->probe, err);
    if (status) {
        free_debugger(d);
        return status;
    }
    if ((status = dbg_add_registers(d, probe->topology(d->probe), err)) ||
        (status = dbg_open_registers(d, err))) {
        free_debugger(d);
        return status;
    }
    uint32_t waves = d->topology->waves;
    d->words = (waves + 31) / 32;
    d->wave = calloc(waves, sizeof *d->wave);
    d->generation = calloc(waves, sizeof *d->generation);
    d->stepper = calloc(waves, sizeof *d->stepper);
    if (!d->wave || !d->generation || !d->stepper) {
        free_debugger(d);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u waves",
                       (unsigned)waves);
    }
    struct wt_wave_set halted;
    if ((status = dbg_look(d, &halted, err))) {
        free_debugger(d);
        return status;
    }
    /* Whatever is not halted runs, or will when it is spawned. */
    for (uint32_t w = 0; w < waves; w++) {
        if (wt_wave_set_has(&halted, w))
            continue;
        d->wave[w].go = GO_FREE;
        wt_wave_set_add(&d->free, w);
    }
    d->going = dbg_any_free_active(d);
    dbg_choose_mode(d);
    *debugger = d;
    return WT_OK;
}

void wt_debugger_close(struct wt_debugger *d)
{
    if (!d)
        return;
    dbg_to_present(d, NULL);
    wt_debugger_remove_all_breakpoints(d);
    dbg_sync_breakpoints(d, NULL);
    wt_debugger_remove_all_watchpoints(d);
    dbg_sync_watchpoints(d, NULL);
    free_debugger(d);
}

const struct wt_topology *wt_debugger_topology(struct wt_debugger *d)
{
    return d->topology;
}

const struct wt_target *wt_debugger_target(struct wt_debugger *d)
{
    return d->target;
}

/* ---- the program ---- */

enum wt_status wt_debugger_reset(struct wt_debugger *d, struct wt_error *err)
{
    /* What is in memory stays, and becomes the beginning of a new run. */
    enum wt_status status = dbg_change_past(d, err);
    if (status)
        return status;
    dbg_forget_past(d);
    dbg_stop_everything(d);
    for (size_t i = 0; i < d->traces; i++)
        d->trace[i].time = 0; /* what is planted now is there from the beginning */
    status = d->ops->reset_halted(d->probe, err);
    if (!status && d->target->services->clear_fault)
        d->target->services->clear_fault(d->target->context);
    if (!status)
        status = dbg_look(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

enum wt_status wt_debugger_restart(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    enum wt_status status;
    if (services->reload) {
        if ((status = services->reload(d->target->context, err)))
            return status;
        dbg_forget_past(d);
        d->traces = 0;
        /* What was planted went with the old contents. */
        for (size_t i = 0; i < d->bps; i++)
            d->bp[i].planted = d->bp[i].doubtful = false;
    }
    return wt_debugger_reset(d, err);
}

bool wt_debugger_ended(struct wt_debugger *d, uint32_t *status)
{
    if (!d->ended)
        return false;
    if (status)
        *status = d->exit_status;
    return true;
}

/* ---- waves ---- */

enum wt_status dbg_look(struct wt_debugger *d, struct wt_wave_set *halted, struct wt_error *err)
{
    struct wt_wave_set ignored;
    enum wt_status status =
        dbg_note(d, d->ops->scan(d->probe, &d->active, halted ? halted : &ignored, err));
    d->active_known = !status;
    return status;
}

bool dbg_is_active(struct wt_debugger *d, uint32_t wave)
{
    return wt_wave_set_has(&d->active, wave);
}

bool dbg_any_free_active(struct wt_debugger *d)
{
    for (unsigned i = 0; i < d->words; i++)
        if (d->free.word[i] & d->active.word[i])
            return true;
    return false;
}

uint32_t dbg_count_free_active(struct wt_debugger *d)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < d->words; i++)
        count += (uint32_t)__builtin_popcount(d->free.word[i] & d->active.word[i]);
    return count;
}

void dbg_forget(struct wt_debugger *d, uint32_t wave)
{
    d->wave[wave].have_pc = d->wave[wave].have_mask = false;
    d->generation[wave]++;
    d->shared_generation++;
}

void dbg_forget_all(struct wt_debugger *d)
{
    for (uint32_t w = 0; w < d->topology->waves; w++)
        dbg_forget(d, w);
}

enum wt_status dbg_need_pc(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    if (w->have_pc)
        return WT_OK;
    enum wt_status status = dbg_note(d, d->ops->halt_cause(d->probe, wave, &w->cause, &w->pc, err));
    w->have_pc = !status;
    return status;
}

enum wt_status dbg_need_mask(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    if (w->have_mask)
        return WT_OK;
    enum wt_status status = dbg_note(d, d->ops->mask(d->probe, wave, &w->mask, err));
    w->have_mask = !status;
    return status;
}

/* Where a lane that is masked off wakes up, as far as the divergence stack tells; else @p pc. */
static uint64_t wake_up_pc(const struct wt_wave_detail *detail, unsigned lane, uint64_t pc)
{
    for (unsigned i = 0; i < detail->waiters && i < WT_MAX_LANES; i++)
        if (wt_has_lane(detail->waiter[i].lanes, lane))
            return detail->waiter[i].pc;
    return pc;
}

enum wt_status dbg_lane_pc(struct wt_debugger *d, uint32_t wave, unsigned lane, uint64_t *pc,
                           struct wt_error *err)
{
    enum wt_status status = dbg_need_pc(d, wave, err);
    if (!status)
        status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    *pc = d->wave[wave].pc;
    if (wt_has_lane(d->wave[wave].mask, lane) || !d->target->services->wave_detail)
        return WT_OK;
    struct wt_wave_detail detail;
    d->target->services->wave_detail(d->target->context, wave, &detail);
    *pc = wake_up_pc(&detail, lane, *pc);
    return WT_OK;
}

/* ---- threads ---- */

void dbg_choose_mode(struct wt_debugger *d)
{
    d->mode = d->wanted_mode;
    if (d->wanted_mode != WT_THREADS_AUTO)
        return;
    uint64_t waves = 0;
    for (unsigned i = 0; i < d->words; i++)
        waves += (unsigned)__builtin_popcount(d->active.word[i]);
    d->mode = waves * d->topology->lanes <= AUTO_LANES ? WT_THREADS_LANES : WT_THREADS_WAVES;
}

enum wt_thread_mode wt_debugger_thread_mode(struct wt_debugger *d)
{
    return d->mode;
}

void wt_debugger_set_thread_mode(struct wt_debugger *d, enum wt_thread_mode mode)
{
    d->wanted_mode = mode;
    dbg_choose_mode(d);
    if (d->current && d->mode == WT_THREADS_WAVES)
        d->current -= (d->current - 1) % d->topology->lanes;
}

enum wt_status wt_debugger_choose_lane(struct wt_debugger *d, unsigned lane, struct wt_error *err)
{
    if (lane >= d->topology->lanes)
        return wt_fail(err, WT_INVALID, "there is no %s %u: a %s has %u of them (0 to %u)",
                       d->topology->lane_word, lane, d->topology->wave_word, d->topology->lanes,
                       d->topology->lanes - 1);
    d->chosen_lane = lane;
    return WT_OK;
}

unsigned wt_debugger_chosen_lane(struct wt_debugger *d)
{
    return d->chosen_lane;
}

wt_thread dbg_thread_of(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    return 1 + wave * d->topology->lanes + (d->mode == WT_THREADS_LANES ? lane : 0);
}

enum wt_status dbg_locate(struct wt_debugger *d, wt_thread thread, uint32_t *wave, unsigned *lane,
                          struct wt_error *err)
{
    if (thread == 0)
        thread = wt_debugger_current_thread(d);
    uint32_t flat = thread - 1;
    if (thread == 0 || flat / d->topology->lanes >= d->topology->waves)
        return wt_fail(err, WT_INVALID, "there is no thread %u", (unsigned)thread);
    *wave = flat / d->topology->lanes;
    *lane = flat % d->topology->lanes;
    if (d->mode == WT_THREADS_WAVES)
        *lane = d->chosen_lane;
    return WT_OK;
}

static bool reserve_threads(struct wt_debugger *d, size_t count)
{
    if (count <= d->thread_capacity)
        return true;
    struct wt_thread_info *more = realloc(d->thread, count * sizeof *more);
    if (!more)
        return false;
    d->thread = more;
    d->thread_capacity = count;
    return true;
}

static enum wt_status list_wave(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    unsigned lanes = d->mode == WT_THREADS_LANES ? d->topology->lanes : 1;
    bool running = d->wave[wave].go != GO_STOPPED;
    if (!reserve_threads(d, d->threads + lanes))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the list of threads");
    if (!running) {
        enum wt_status status = dbg_need_pc(d, wave, err);
        if (!status)
            status = dbg_need_mask(d, wave, err);
        if (status)
            return status;
    }
    wt_lanes mask = running ? wt_lanes_first(d->topology->lanes) : d->wave[wave].mask;
    struct wt_wave_detail detail;
    detail.waiters = 0;
    if (!running && d->target->services->wave_detail && mask != wt_lanes_first(d->topology->lanes))
        d->target->services->wave_detail(d->target->context, wave, &detail);
    for (unsigned i = 0; i < lanes; i++) {
        unsigned lane = d->mode == WT_THREADS_LANES ? i : d->chosen_lane;
        struct wt_thread_info *info = &d->thread[d->threads++];
        *info = (struct wt_thread_info){
            .id = dbg_thread_of(d, wave, lane),
            .wave = wave,
            .core = wave / d->topology->waves_per_core,
            .wave_in_core = wave % d->topology->waves_per_core,
            .lane = lane,
            .enabled = d->mode == WT_THREADS_LANES ? wt_has_lane(mask, lane) : mask != 0,
            .running = running,
        };
        if (!running)
            info->pc = wt_has_lane(mask, lane) ? d->wave[wave].pc
                                               : wake_up_pc(&detail, lane, d->wave[wave].pc);
    }
    return WT_OK;
}

enum wt_status dbg_refresh(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = dbg_regain(d, err);
    if (status || (d->active_known && !d->going))
        return status;
    return dbg_look(d, NULL, err);
}

/* Looks at all stopped waves together, as far as they are not known yet. */
static enum wt_status survey(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < d->topology->waves && d->ops->survey; w++)
        count += dbg_is_active(d, w) && d->wave[w].go == GO_STOPPED &&
                 (!d->wave[w].have_pc || !d->wave[w].have_mask);
    if (count < 2)
        return WT_OK;
    uint32_t *list = malloc(count * sizeof *list), n = 0;
    struct wt_probe_view *view = malloc(count * sizeof *view);
    enum wt_status status = WT_OK;
    if (!list || !view)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for the list of threads");
    for (uint32_t w = 0; w < d->topology->waves && !status; w++)
        if (dbg_is_active(d, w) && d->wave[w].go == GO_STOPPED &&
            (!d->wave[w].have_pc || !d->wave[w].have_mask))
            list[n++] = w;
    if (!status)
        status = dbg_note(d, d->ops->survey(d->probe, list, n, view, err));
    for (uint32_t i = 0; i < n && !status; i++) {
        struct wave *w = &d->wave[list[i]];
        if (!w->have_pc) {
            w->pc = view[i].pc;
            w->cause = view[i].cause;
        }
        if (!w->have_mask)
            w->mask = view[i].mask;
        w->have_pc = w->have_mask = true;
    }
    free(list);
    free(view);
    return status;
}

enum wt_status wt_debugger_threads(struct wt_debugger *d, const struct wt_thread_info **list,
                                   size_t *count, struct wt_error *err)
{
    d->threads = 0;
    enum wt_status status = dbg_refresh(d, err);
    if (!status)
        status = survey(d, err);
    for (unsigned i = 0; i < d->words && !status; i++)
        for (uint32_t bits = d->active.word[i]; bits && !status; bits &= bits - 1)
            status = list_wave(d, 32 * i + (uint32_t)__builtin_ctz(bits), err);
    *list = d->thread;
    *count = status ? 0 : d->threads;
    return status;
}

bool wt_debugger_thread_alive(struct wt_debugger *d, wt_thread thread)
{
    uint32_t wave;
    unsigned lane;
    if (thread == 0 || dbg_refresh(d, NULL) || dbg_locate(d, thread, &wave, &lane, NULL))
        return false;
    return dbg_is_active(d, wave) && dbg_thread_of(d, wave, lane) == thread;
}

void wt_debugger_thread_name(struct wt_debugger *d, wt_thread thread, char *text, size_t size)
{
    uint32_t wave;
    unsigned lane;
    if (thread == 0 || dbg_locate(d, thread, &wave, &lane, NULL)) {
        snprintf(text, size, "?");
        return;
    }
    bool lanes = d->mode == WT_THREADS_LANES;
    char place[64] = "", note[16] = "";
    if (lanes)
        snprintf(place, sizeof place, " %s %u", d->topology->lane_word, lane);
    if (d->active_known && dbg_is_active(d, wave) && d->wave[wave].go == GO_STOPPED &&
        dbg_need_mask(d, wave, NULL) == WT_OK && lanes && !wt_has_lane(d->wave[wave].mask, lane))
        snprintf(note, sizeof note, " (masked off)");
    snprintf(text, size, "core %u %s %u%s%s", (unsigned)(wave / d->topology->waves_per_core),
             d->topology->wave_word, (unsigned)(wave % d->topology->waves_per_core), place, note);
}

wt_thread wt_debugger_current_thread(struct wt_debugger *d)
{
    if (d->current && wt_debugger_thread_alive(d, d->current))
        return d->current;
    if (dbg_refresh(d, NULL))
        return 0;
    for (unsigned i = 0; i < d->words; i++) {
        if (!d->active.word[i])
            continue;
        uint32_t wave = 32 * i + (uint32_t)__builtin_ctz(d->active.word[i]);
        unsigned lane = 0;
        if (d->wave[wave].go == GO_STOPPED && dbg_need_mask(d, wave, NULL) == WT_OK &&
            d->wave[wave].mask)
            lane = wt_lanes_lowest(d->wave[wave].mask);
        return dbg_thread_of(d, wave, lane);
    }
    return 0;
}
