/* Opening and closing, and the life of the program. */
#include "debug/core/state.h"

#include <stdlib.h>
#include <string.h>

#include "debug/core/added_registers.h"
#include "debug/core/breakpoints.h"
#include "debug/core/dispatches.h"
#include "debug/core/errand.h"
#include "debug/core/events.h"
#include "debug/core/halt.h"
#include "debug/core/held.h"
#include "debug/core/hits.h"
#include "debug/core/known.h"
#include "debug/core/lost.h"
#include "debug/core/numbering.h"
#include "debug/core/past.h"
#include "debug/core/rows.h"
#include "debug/core/sync.h"
#include "debug/core/watchpoints.h"

/* ---- opening and closing ---- */

static void free_debugger(struct wt_debugger *d)
{
    if (!d)
        return;
    dbg_free_breakpoints(d);
    dbg_release_code(d);
    if (d->probe)
        d->ops->close(d->probe);
    free(d->added.registers);
    free(d->wave);
    free(d->history.present.wave);
    free(d->history.trace);
    free(d->history.resumed);
    free(d->cache.generation);
    free(d->run.stepper);
    free(d->threads.list);
    free(d->dispatches.list);
    free(d->dispatches.there);
    wt_debugger_drop_touches(d);
    wt_touches_free(&d->errand.touches);
    wt_slice_found_free(&d->sliced);
    free(d->errand.waves);
    dbg_thread_table_free(&d->threads.numbers);
    dbg_close_registers(d);
    dbg_free_watchpoints(d);
    free(d->events.list);
    free(d->news.list);
    free(d->news.there);
    free(d->leftovers.list);
    free(d);
}

/*
 * Allocates rows for all waves that the device may ever have, so that no row moves when the table
 * grows. Unused rows are never touched and cost only address space.
 */
static enum wt_status make_wave_table(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_topology *t = &d->shape;
    assert(t->register_count && t->pc_index < t->register_count && t->space_count);
    assert(t->code_granule && t->frame_space < t->space_count);
    if (!t->most_waves)
        t->most_waves = t->waves;
    if (t->waves == 0 || t->waves > t->most_waves || t->most_waves > WT_MAX_WAVES)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the %s device says that it holds %u to %u %ss; 1 to %u can be debugged",
                       t->family, (unsigned)t->waves, (unsigned)t->most_waves, t->wave_word,
                       (unsigned)WT_MAX_WAVES);
    d->sets.words = (t->most_waves + 31) / 32;
    d->wave = calloc(t->most_waves, sizeof *d->wave);
    d->cache.generation = calloc(t->most_waves, sizeof *d->cache.generation);
    d->run.patience.wave = WT_NO_HANDLE;
    d->run.stepper = calloc(t->most_waves, sizeof *d->run.stepper);
    if (!dbg_reserve_events(d, 1) || !d->wave || !d->cache.generation || !d->run.stepper)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u waves",
                       (unsigned)t->most_waves);
    return WT_OK;
}

enum wt_status wt_debugger_open(const struct wt_target *target, const struct wt_probe_ops *probe,
                                const struct wt_debugger_options *options,
                                struct wt_debugger **debugger, struct wt_error *err)
{
    static const struct wt_debugger_options defaults;
    assert(target && target->services && probe && probe->open && debugger && err);
    *debugger = NULL;
    struct wt_debugger *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the debugger");
    d->target = target;
    d->ops = probe;
    d->options = options ? *options : defaults;
    d->threads.wanted_mode = d->options.threads;
    d->threads.auto_lanes = 1024;
    enum wt_status status = probe->open(probe, target, !d->options.dm_only, &d->probe, err);
    if (status) {
        free_debugger(d);
        return status;
    }
    if ((status = dbg_add_registers(d, probe->topology(d->probe), err)) ||
        (status = make_wave_table(d, err)) || (status = dbg_open_registers(d, err))) {
        free_debugger(d);
        return status;
    }
    if ((status = dbg_thread_table_init(&d->threads.numbers, d->topology->fixed_slots,
                                        d->topology->lanes, err))) {
        free_debugger(d);
        return status;
    }
    struct wt_wave_set halted;
    if ((status = dbg_scan(d, &halted, err))) {
        free_debugger(d);
        return status;
    }
    /* Every wave that is not halted runs, or will run when it is spawned. */
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        if (wt_wave_set_has(&halted, w))
            continue;
        d->wave[w].go = GO_FREE;
        wt_wave_set_add(&d->sets.free, w);
    }
    bool any_halted = false;
    for (unsigned i = 0; i < d->sets.words; i++)
        any_halted |= halted.word[i] & d->sets.active.word[i];
    /* A host program in which no wave is halted goes on launching kernels. */
    d->run.going = d->run.launches_run =
        dbg_any_free_active(d) || (d->topology->host_launches && !any_halted);
    dbg_choose_mode(d);
    *debugger = d;
    return WT_OK;
}

void wt_debugger_close(struct wt_debugger *d)
{
    if (!d)
        return;
    dbg_to_present(d, WT_IGNORED);
    wt_debugger_remove_all_breakpoints(d);
    dbg_sync_breakpoints(d, WT_IGNORED);
    wt_debugger_remove_all_watchpoints(d);
    dbg_sync_watchpoints(d, WT_IGNORED);
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

static void stop_everything(struct wt_debugger *d)
{
    dbg_all_stopped(d);
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        d->wave[i].has_reported = d->wave[i].reported_trap = false;
        dbg_forget(d, i);
    }
    d->run.ended = d->run.lost = d->run.stopping.on = false;
    d->sets.active_known = false;
    d->threads.current = 0;
    dbg_thread_table_clear(&d->threads.numbers); /* the threads of a new run are numbered anew */
    d->events.first = d->events.count = 0;
    d->news.next = d->news.count = 0;
    dbg_forget_dispatches(d);
    dbg_drop_hits(d);
}

enum wt_status wt_debugger_reset(struct wt_debugger *d, struct wt_error *err)
{
    if (!d->ops->reset_halted)
        return wt_fail(err, WT_UNSUPPORTED, "this device cannot be reset by its debug hardware");
    /* Memory is not reset: the new run begins with its present contents, which are those of any
     * issue time during a search of the past. */
    if (d->travel.going)
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    enum wt_status status = dbg_change_past(d, err);
    if (status)
        return status;
    dbg_forget_past(d);
    d->history.told_of = WT_NO_WAVE;
    stop_everything(d);
    for (size_t i = 0; i < d->history.trace_count; i++)
        d->history.trace[i].time =
            0; /* the new run has the planted breakpoints from its beginning */
    status = d->ops->reset_halted(d->probe, err);
    /* A wave that had issued nothing keeps its id; its launch is another one. */
    for (uint32_t w = 0; w < d->shape.waves; w++)
        d->wave[w].unlisted = true;
    if (!status && d->target->services->clear_fault)
        d->target->services->clear_fault(d->target->context);
    if (!status)
        status = dbg_scan(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

enum wt_status wt_debugger_restart(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    enum wt_status status;
    /* Another client may wait for the end of a replay, which ends with the run. */
    const enum errand_kind errand = services->reload ? d->errand.kind : ERRAND_NONE;
    if (services->reload) {
        if ((status = services->reload(d->target->context, err)))
            return status;
        dbg_forget_past(d);
        d->history.trace_count = 0;
        /* The reload has overwritten the planted breakpoints. */
        for (size_t i = 0; i < d->breakpoints.count; i++)
            d->breakpoints.list[i].planted = d->breakpoints.list[i].doubtful = false;
    }
    status = wt_debugger_reset(d, err);
    dbg_tell_dropped(d, errand);
    return status;
}

enum wt_status wt_debugger_reattach(struct wt_debugger *d, struct wt_error *err)
{
    bool going = d->run.going || d->run.stopping.on;
    if (d->travel.going)
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    enum wt_status status = d->ops->reconnect ? d->ops->reconnect(d->probe, err) : WT_OK;
    d->run.lost = true;
    if (!status)
        status = dbg_regain(d, err);
    if (going && status) {
        dbg_lose(d, err);
    } else if (going) {
        struct wt_event event = {.kind = WT_EVENT_STOPPED,
                                 .reason = WT_STOP_INTERRUPTED,
                                 .thread = wt_debugger_current_thread(d)};
        dbg_push_event(d, &event);
    }
    return status;
}

bool wt_debugger_ended(struct wt_debugger *d, uint32_t *status)
{
    if (!d->run.ended)
        return false;
    if (status)
        *status = d->run.exit_status;
    return true;
}

void wt_debugger_set_stop_at_end(struct wt_debugger *d, bool stop)
{
    d->run.stop_at_end = stop;
}

bool wt_debugger_stops_at_end(struct wt_debugger *d)
{
    return d->run.stop_at_end;
}
