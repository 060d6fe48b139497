/*
 * Tracks where in the recorded run the device is (in the present or in the past), and moves between
 * the two.
 *
 * In the past every wave is halted and can be inspected as usual; the target undoes that before it
 * goes on. The debugger plants no breakpoints there, but the breakpoints planted when the run was
 * recorded are found in memory again.
 */
#include "debug/core/past.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/core/halt.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/patches.h"

enum wt_status dbg_need_history(struct wt_debugger *d, struct wt_error *err)
{
    if (!dbg_history(d))
        return wt_fail(err, WT_UNSUPPORTED,
                       d->options.unrecorded
                           ? "the run is not recorded: --no-history was given"
                           : "the run is not recorded: the target has no history");
    const char *missing = wt_debugger_unrecorded(d);
    if (missing)
        return wt_fail(err, WT_UNSUPPORTED, "%s", missing);
    if (d->run.nonstop)
        return wt_fail(err, WT_STATE, "there is no way back in non-stop mode");
    if (d->run.going || d->travel.going || d->run.stopping.on)
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    return WT_OK;
}

const char *wt_debugger_unrecorded(const struct wt_debugger *d)
{
    const struct wt_history_services *history = dbg_history(d);
    return history && history->missing ? history->missing(d->target->context) : NULL;
}

bool wt_debugger_has_history(struct wt_debugger *d)
{
    return dbg_history(d) != NULL;
}

/* Keeps the state of the present, so that the device can come back to it. */
enum wt_status dbg_leave_present(struct wt_debugger *d, struct wt_error *err)
{
    if (d->history.in_past)
        return WT_OK;
    d->history.present = (struct present){.wave = dbg_copy_waves(d),
                                          .ended = d->run.ended,
                                          .exit_status = d->run.exit_status,
                                          .current = d->threads.current,
                                          .mode = d->threads.mode,
                                          .chosen_lane = d->threads.chosen_lane};
    if (!d->history.present.wave)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of the present");
    d->history.in_past = true;
    return WT_OK;
}

void dbg_end_travel(struct wt_debugger *d)
{
    wt_touches_free(&d->errand.touches);
    free(d->errand.waves);
    d->errand = (struct errand){.kind = ERRAND_NONE};
    d->travel = (struct travel){0};
}

/* The part of a wave's id that all waves of one run of a device share (wt_machine_wave_id). */
static uint64_t run_of(wt_wave_id id)
{
    return id >> 44;
}

bool dbg_was_told(const struct wt_debugger *d, wt_wave_id id, uint64_t time)
{
    return d->history.told_of != WT_NO_WAVE && run_of(id) == run_of(d->history.told_of) &&
           time <= d->history.told;
}

enum wt_status dbg_go_before_mistake(struct wt_debugger *d, wt_wave_id id, uint64_t time,
                                     struct wt_error *err)
{
    uint64_t start, end;
    d->history.told_of = id;
    d->history.told = time;
    if (d->history.in_past || d->run.nonstop || !dbg_history(d) || wt_debugger_unrecorded(d))
        return WT_OK;
    dbg_history(d)->extent(d->target->context, &start, &end);
    if (time < start || time >= end)
        return WT_OK;
    d->history.before_mistake = true;
    return dbg_go(d, time, err);
}

void dbg_forget_past(struct wt_debugger *d)
{
    d->history.before_mistake = false;
    free(d->history.present.wave);
    d->history.present = (struct present){0};
    d->history.in_past = false;
    dbg_end_travel(d);
}

/* The device is back in the present, in the state in which it was left. */
static enum wt_status arrive_in_present(struct wt_debugger *d, struct wt_error *err)
{
    d->ops->replaced(d->probe);
    memcpy(d->wave, d->history.present.wave, d->topology->waves * sizeof *d->wave);
    d->run.ended = d->history.present.ended;
    d->run.exit_status = d->history.present.exit_status;
    d->threads.current = d->history.present.current;
    d->threads.mode = d->history.present.mode; /* of the waves that are there, as `current` is */
    dbg_forget_past(d);
    dbg_forget_all(d);
    enum wt_status status = dbg_scan(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

/* Halts every wave at the time that the device was moved to, so that the waves can be inspected. */
enum wt_status dbg_inspect_here(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = dbg_history(d)->inspect(d->target->context, err);
    if (status)
        return status;
    d->ops->replaced(d->probe);
    dbg_forget_all(d);
    return dbg_halt_everything(d, err);
}

/* The device was moved in time: the cached state of its waves is void. */
enum wt_status dbg_arrive(struct wt_debugger *d, struct wt_error *err)
{
    if (d->history.in_past && !dbg_history(d)->in_past(d->target->context))
        return arrive_in_present(d, err);
    d->run.ended = false;
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        d->wave[w].go = GO_STOPPED;
        d->wave[w].has_reported = d->wave[w].reported_trap = false;
    }
    return dbg_inspect_here(d, err);
}

enum wt_status dbg_go(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    assert(dbg_history(d) && !d->run.going);
    enum wt_status status = dbg_leave_present(d, err);
    if (!status)
        status = dbg_history(d)->go(d->target->context, time, err);
    return status ? status : dbg_arrive(d, err);
}

enum wt_status dbg_to_present(struct wt_debugger *d, struct wt_error *err)
{
    uint64_t start, end;
    if (!d->history.in_past)
        return WT_OK;
    dbg_history(d)->extent(d->target->context, &start, &end);
    dbg_end_travel(d);
    return dbg_go(d, end, err);
}

enum wt_status dbg_change_past(struct wt_debugger *d, struct wt_error *err)
{
    if (d->post_mortem)
        return wt_fail(err, WT_STATE,
                       "this is a core file: it can be looked at, not changed or run");
    if (!d->history.in_past)
        return WT_OK;
    enum wt_status status = dbg_history(d)->branch(d->target->context, err);
    if (status)
        return status;
    dbg_forget_past(d);
    d->history.told_of = WT_NO_WAVE;
    /* The breakpoints in memory now were planted in an earlier present. */
    for (size_t i = 0; i < d->breakpoints.count; i++)
        d->breakpoints.list[i].planted = d->breakpoints.list[i].doubtful = false;
    dbg_drop_later_traces(d);
    if ((status = dbg_lift_traces(d, err)))
        return status;
    snprintf(d->notice[NOTICE_NEW_FUTURE], sizeof d->notice[0],
             "A new future begins at issue time %" PRIu64
             ": the recording after it is discarded.\n",
             d->target->services->time(d->target->context));
    return WT_OK;
}

enum wt_status wt_debugger_time(struct wt_debugger *d, struct wt_debugger_time *time,
                                struct wt_error *err)
{
    const struct wt_history_services *h = dbg_history(d);
    if (!h || !d->target->services->time)
        return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
    *time = (struct wt_debugger_time){.now = d->target->services->time(d->target->context),
                                      .in_past = d->history.in_past};
    h->extent(d->target->context, &time->start, &time->end);
    h->stats(d->target->context, &time->stats);
    return WT_OK;
}

enum wt_status wt_debugger_hash(struct wt_debugger *d, uint64_t *hash, struct wt_error *err)
{
    const struct wt_history_services *h = dbg_history(d);
    enum wt_status status = dbg_need_history(d, err);
    if (status)
        return status;
    const size_t most = d->history.in_past ? d->history.trace_count : d->breakpoints.count;
    struct wt_patch *patch = calloc(most ? most : 1, sizeof *patch);
    if (!patch)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a hash");
    const size_t patches = dbg_list_patches(d, patch, most);
    status = h->hash(d->target->context, patch, patches, hash, err);
    free(patch);
    return status || !d->history.in_past ? status : dbg_inspect_here(d, err);
}

bool dbg_has_past(struct wt_debugger *d)
{
    uint64_t start = 0, end = 0;
    if (dbg_history(d))
        dbg_history(d)->extent(d->target->context, &start, &end);
    return start < end;
}
