/*
 * Run control. A run goes in one direction until an event happens that a client wants: a
 * breakpoint, a watchpoint, the end of a step plan, the end of the program. There are two ways of
 * running below it: on the device (live.c, resume.c, step.c), and through the recorded run
 * (recorded.c). Both stop by the same rules (judge.c, hits.c, plan.c) and report in the same way
 * (stop.c). Replays that a client asks for without a run (errand.c) are pumped and interrupted like
 * a run.
 */
#include "debug/core/errand.h"
#include "debug/core/events.h"
#include "debug/core/hits.h"
#include "debug/core/judged.h"
#include "debug/core/known.h"
#include "debug/core/live.h"
#include "debug/core/lost.h"
#include "debug/core/numbering.h"
#include "debug/core/past.h"
#include "debug/core/recorded.h"
#include "debug/core/resume.h"
#include "debug/core/stop.h"

/* Invariants between any two calls of the debugger. */
static void check(const struct wt_debugger *d)
{
    const struct run *run = &d->run;
    assert(run->stepper_count <= d->topology->waves);
    for (size_t i = 0; i < run->stepper_count; i++)
        assert(dbg_is_stepping(&d->wave[run->stepper[i]]));
    assert(!d->travel.going || (d->history.in_past && !run->going));
    assert(d->errand.kind == ERRAND_NONE || d->travel.going);
    assert(!run->stopping.on || (d->topology->late_stops && !run->going));
    assert(!d->history.in_past || d->history.present.wave);
    assert(d->hits.next <= d->hits.reports.count);
    assert(d->hits.reports.count <= d->hits.reports.capacity);
    assert(d->events.first <= d->events.count && d->events.count <= d->events.capacity);
    assert(d->news.next <= d->news.count && d->news.count <= d->news.capacity);
}

bool wt_debugger_running(struct wt_debugger *d)
{
    return d->run.going || d->travel.going || d->run.stopping.on;
}

bool wt_debugger_is_nonstop(const struct wt_debugger *d)
{
    return d->run.nonstop;
}

void wt_debugger_set_nonstop(struct wt_debugger *d, bool nonstop)
{
    d->run.nonstop = nonstop;
}

/* ---- beginning ---- */

static enum wt_status check_list(struct wt_debugger *d, enum wt_direction direction,
                                 const struct wt_resume *list, size_t count, struct wt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t wave;
        unsigned lane;
        enum wt_status status;
        if (list[i].kind == WT_RESUME_STOP && direction == WT_BACKWARDS)
            return wt_fail(err, WT_INVALID, "a stop has no direction");
        if (list[i].kind == WT_RESUME_STOP && !d->run.nonstop)
            return wt_fail(err, WT_INVALID, "threads can be stopped one by one only in non-stop");
        if (list[i].thread == 0)
            continue;
        if ((status = dbg_locate_there(d, list[i].thread, &wave, &lane, err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

/* Whether a run may begin; brings the cached state of the device up to date. */
static enum wt_status check_state(struct wt_debugger *d, enum wt_direction direction,
                                  struct wt_error *err)
{
    enum wt_status status;
    if (direction == WT_BACKWARDS) {
        if ((status = dbg_need_history(d, err)) != WT_OK)
            return status;
    } else if (d->run.ended) {
        return wt_fail(err, WT_STATE, "the program has ended; run it again");
    } else if (d->post_mortem && !d->history.in_past) {
        return wt_fail(err, WT_STATE,
                       "the core file ends here; you can go back to any time before");
    } else if ((d->run.going && !d->run.nonstop) || d->travel.going || d->run.stopping.on) {
        return wt_fail(err, WT_STATE, "the program is running already");
    }
    if ((status = dbg_regain(d, err)) != WT_OK)
        return status;
    if (d->history.in_past && (status = dbg_need_history(d, err)) != WT_OK)
        return status;
    return !d->sets.active_known || d->run.nonstop ? dbg_scan(d, NULL, err) : WT_OK;
}

static enum wt_status begin(struct wt_debugger *d, enum wt_direction direction,
                            const struct wt_resume *list, size_t count, struct wt_error *err)
{
    const bool backwards = direction == WT_BACKWARDS;
    enum wt_status status;
    struct stop stop;
    if ((status = check_state(d, direction, err)) != WT_OK || count == 0 ||
        (status = check_list(d, direction, list, count, err)) != WT_OK)
        return status;
    /* One instruction may have hit several watchpoints: each hit is reported before any
     * wave moves. */
    if (!d->run.nonstop && dbg_next_hit(d, backwards, &stop))
        return dbg_report(d, &stop, err);
    return backwards || d->history.in_past ? dbg_begin_recorded(d, backwards, list, count, err)
                                           : dbg_begin_live(d, list, count, err);
}

enum wt_status wt_debugger_run(struct wt_debugger *d, enum wt_direction direction,
                               const struct wt_resume *list, size_t count, struct wt_error *err)
{
    check(d);
    const enum wt_status status = begin(d, direction, list, count, err);
    return status == WT_IO && dbg_tell_end(d) ? WT_OK : status;
}

enum wt_status wt_debugger_run_to_launch(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    if (!d->topology->host_launches || d->run.nonstop)
        return wt_fail(err, WT_UNSUPPORTED, "nothing here waits for launches");
    d->run.to_launch = true;
    const enum wt_status status = wt_debugger_run(d, WT_FORWARDS, &all, 1, err);
    d->run.to_launch &= !status;
    return status;
}

/* ---- on the way ---- */

static bool pump(struct wt_debugger *d, uint64_t budget)
{
    if (d->run.stopping.on) {
        dbg_pump_stop(d, budget);
        return true;
    }
    if (dbg_has_event(d) && !d->run.nonstop)
        return true;
    if (d->errand.kind != ERRAND_NONE)
        return dbg_run_errand(d);
    if (d->travel.going)
        return dbg_advance_recorded(d, budget);
    return d->run.going ? dbg_advance_live(d, budget) : dbg_has_event(d);
}

bool wt_debugger_pump(struct wt_debugger *d, uint64_t budget)
{
    check(d);
    const bool soon = pump(d, budget ? budget : 1);
    dbg_take_judged(d, d->run.ended);
    return soon;
}

enum wt_status wt_debugger_interrupt(struct wt_debugger *d, struct wt_error *err)
{
    check(d);
    if (d->errand.kind != ERRAND_NONE)
        return dbg_give_up_errand(d, err);
    if (d->travel.going)
        return dbg_interrupt_recorded(d, err);
    if (d->run.stopping.on)
        return WT_OK; /* it stops already */
    return d->run.going ? dbg_interrupt_live(d, err) : wt_fail(err, WT_STATE, "nothing is running");
}
