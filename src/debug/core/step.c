/*
 * Steps one wave by one instruction: off a breakpoint, past a trap, or normally; and does what has
 * to follow the step.
 */
#include "base/clock.h"
#include "base/wave_name.h"
#include "debug/core/step.h"

#include <stdio.h>
#include <string.h>

#include "debug/core/breakpoints.h"
#include "debug/core/halt.h"
#include "debug/core/hits.h"
#include "debug/core/judge.h"
#include "debug/core/known.h"
#include "debug/core/patches.h"
#include "debug/core/plan.h"
#include "debug/core/rows.h"
#include "debug/core/stop.h"
#include "debug/core/sync.h"

/*
 * Whether the device stands still between accesses of its debug registers, so that waves need not
 * be halted while a breakpoint is lifted for a moment. This is asked only while some wave runs.
 */
static bool device_is_frozen(struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    if (d->run.frozen == FROZEN_UNKNOWN && services->pump && services->time) {
        struct wt_probe_summary summary;
        uint64_t before = services->time(d->target->context);
        for (int i = 0; i < 8; i++)
            if (d->ops->summary(d->probe, &summary, WT_IGNORED))
                return false;
        d->run.frozen = services->time(d->target->context) == before ? FROZEN : NOT_FROZEN;
    }
    return d->run.frozen == FROZEN;
}

/* Moves a wave past an instruction without executing it. */
static enum wt_status skip_instruction(struct wt_debugger *d, uint32_t wave, unsigned length,
                                       struct wt_probe_step *step, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    *step = (struct wt_probe_step){
        .done = true, .active = true, .cause = WT_HALT_STEP, .pc = w->pc + length};
    return dbg_write_pc(d, wave, step->pc, err);
}

/* A device whose steps are late does this one while all others stand still: their time must not
 * come before the breakpoint is planted again. It is given up where nothing moves, or for so long:
 * then the wave waits for others. */
static enum wt_status wait_for_step(struct wt_debugger *d, uint32_t wave,
                                    struct wt_probe_step *step, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    const uint64_t until = wt_clock_ns() + DBG_STEP_MS * 1000000ull;
    enum wt_status status = WT_OK;
    while (!status && !step->done && wt_clock_ns() <= until) {
        if (services->pump && services->pump(d->target->context, 1) == WT_PUMP_IDLE)
            break;
        status = d->ops->step_poll(d->probe, wave, step, err);
    }
    return status;
}

/* Plants a breakpoint that was lifted for a step. The step may have ended the kernel, and the host
 * program may have freed the code since: then there is nothing to plant. */
static enum wt_status plant_again(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                  struct wt_error *err)
{
    struct wt_error why;
    const enum wt_status status = dbg_write_patch(d, wave, &bp->trap, &why);
    const bool freed = status == WT_INVALID && d->topology->host_launches;
    bp->planted = !status;
    bp->doubtful = status && !freed;
    if (!status || freed)
        return WT_OK;
    if (err)
        *err = why;
    return status;
}

/* One instruction from under a breakpoint: lift it, step, plant it again. No other wave goes on
 * meanwhile, nor does one begin. */
static enum wt_status step_off(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                               struct wt_probe_step *step, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    if (dbg_covers_trap(bp))
        return skip_instruction(d, wave, bp->covered.length, step, err);
    const bool late = d->topology->late_stops;
    /* A program that runs by itself may launch others at any moment. */
    const bool launches = d->topology->host_launches && d->run.launches_run;
    const bool others = dbg_any_free_active(d) || (launches && !d->target->services->pump);
    const bool hold = others && (late || !device_is_frozen(d));
    struct wt_wave_set held;
    enum wt_status status = WT_OK, plant = WT_OK, release = WT_OK;
    if (hold) {
        /* Waves that have halted since the last scan are not held: a halt request would overwrite
         * the cause of their halt, and the resume request after the step would set them going, so
         * that they would never be examined. A wave that halts after the scan is resumed onto its
         * breakpoint, which halts it again. */
        for (unsigned i = 0; i < d->sets.words; i++)
            held.word[i] = d->sets.free.word[i] & ~d->sets.unseen.word[i];
        if ((status = dbg_halt(d, &held, err)))
            return status;
    }
    status = dbg_write_patch(d, wave, &bp->original, err);
    if (!status)
        status = d->ops->step(d->probe, wave, step, err);
    if (!status && late && others)
        status = wait_for_step(d, wave, step, err);
    if (!status && !step->done && !others) {
        /* The wave waits, and no other wave runs: the breakpoint may stay lifted. */
        bp->planted = false;
        w->lifted = true;
        return WT_OK;
    }
    if (!status && !step->done) {
        /* The wave waits for others: plant the breakpoint again, let the others run, try again
         * later. */
        struct wt_wave_set one;
        dbg_one_wave(d, &one, wave);
        status = dbg_halt(d, &one, err);
    }
    plant = plant_again(d, wave, bp, status ? WT_IGNORED : err);
    if (hold)
        release = d->ops->resume(d->probe, &held, status || plant ? WT_IGNORED : err);
    return status ? status : plant ? plant : release;
}

static enum wt_status step_over(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                struct wt_probe_step *step, struct wt_error *err)
{
    enum wt_status status = dbg_keep_still(d, true, err);
    if (status)
        return status;
    return dbg_end_still(d, step_off(d, wave, bp, step, err), err);
}

/* Reports, once, that a step cannot be done. */
void dbg_tell_waiting(struct wt_debugger *d, uint32_t wave)
{
    struct wave *w = &d->wave[wave];
    char text[512], why[128] = "";
    if (w->told || !d->options.output)
        return;
    w->told = true;
    struct wt_wave_detail detail;
    if (dbg_wave_detail(d, wave, &detail) && detail.view.waiting)
        snprintf(why, sizeof why, " (%s)", detail.view.wait);
    char name[WT_WAVE_NAME];
    wt_debugger_name_wave(d, &w->self, name, sizeof name);
    int n =
        snprintf(text, sizeof text,
                 "%s cannot continue by itself%s, and nothing else runs: the step stays pending; "
                 "interrupt it, or resume other threads too\n",
                 name, why);
    d->options.output(d->options.context, text, (size_t)n);
}

enum wt_status dbg_come_to_breakpoint(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                      bool *stopped, struct wt_error *err)
{
    const struct arrival arrival = {.wave = wave, .pc = bp->addr};
    struct stop stop;
    enum wt_status status = dbg_judge_breakpoint(d, bp, &arrival, stopped, &stop, err);
    if (status)
        return status;
    if (*stopped)
        return dbg_stop(d, &stop, err);
    /* It is not judged again if another wave stops the run before this one is off it. */
    d->wave[wave].has_reported = true;
    d->wave[wave].reported_trap = false;
    d->wave[wave].reported_pc = bp->addr;
    return WT_OK;
}

enum wt_status dbg_come_to_trap(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    const struct wave *w = &d->wave[wave];
    enum wt_status status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    struct stop stop = {.wave = wave,
                        .id = w->self.id,
                        .lane = w->mask ? wt_lanes_lowest(w->mask) : 0,
                        .event = {.reason = WT_STOP_TRAP, .fault = WT_FAULT_TRAP},
                        .passes = true,
                        .trap = true,
                        .pc = w->pc};
    snprintf(stop.event.text, sizeof stop.event.text,
             "a breakpoint instruction of the program's own; resuming goes past it");
    if (d->ops->gives_up)
        stop.event.gives_up =
            d->ops->gives_up(d->probe, wave, stop.event.text, sizeof stop.event.text);
    return dbg_stop(d, &stop, err);
}

enum wt_status dbg_come_to_exception(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_probe_exception exception;
    enum wt_status status = d->ops->exception(d->probe, wave, &exception, err);
    if (status)
        return status;
    struct wt_fault fault = exception.fault, recorded;
    fault.wave = wave;
    fault.id = d->wave[wave].self.id;
    /* The device's record has more than its registers: lanes, address, text. */
    if (dbg_wave_fault(d, wave, &recorded))
        fault = recorded;
    const struct stop stop = dbg_stop_of(d, &fault, exception.raised);
    return dbg_stop(d, &stop, err);
}

/* Reports the accesses of an instruction that debug hardware has found, one for each watchpoint. In
 * non-stop mode clients are told of accesses one by one, as of waves. */
enum wt_status dbg_come_to_watch(struct wt_debugger *d, uint32_t wave, bool *stopped,
                                 struct wt_error *err)
{
    struct wt_watchpoint_hit hit;
    struct stop stop;
    bool any;
    *stopped = false;
    dbg_begin_watched(d);
    do {
        enum wt_status status = d->ops->watched(d->probe, wave, &hit, &any, err);
        if (status)
            return status;
        if (!any)
            break;
        if (!dbg_add_watched(d, &hit)) { /* it was removed in the meantime */
            *stopped = true;
            stop = (struct stop){
                .wave = wave, .id = hit.id, .lane = hit.lane, .event = dbg_event_of_watched(&hit)};
        }
    } while (!d->run.nonstop);
    *stopped |= dbg_next_hit(d, false, &stop);
    return *stopped ? dbg_stop(d, &stop, err) : WT_OK;
}

/* A wave that runs freely has reached a breakpoint that the target watches for the debugger. */
static enum wt_status come_to_watched(struct wt_debugger *d, const struct wt_watchpoint_hit *hit,
                                      bool *stopped, struct wt_error *err)
{
    const struct breakpoint *bp = dbg_find_breakpoint(d, hit->pc);
    const struct wave *w = &d->wave[hit->wave];
    struct stop stop;
    /* The instruction at which a step arrives is examined when the step is done. */
    if (!bp || !bp->watched || (w->go != GO_FREE && w->ended.id == WT_NO_WAVE))
        return WT_OK;
    const struct arrival arrival = {.wave = hit->wave,
                                    .pc = hit->pc,
                                    .code = bp->watched,
                                    .mask = hit->mask,
                                    .time = hit->time};
    enum wt_status status = dbg_judge_breakpoint(d, bp, &arrival, stopped, &stop, err);
    if (status || !*stopped)
        return status;
    dbg_forget(d, hit->wave);
    return dbg_stop(d, &stop, err);
}

enum wt_status dbg_check_hits(struct wt_debugger *d, bool *any, bool *stopped, struct wt_error *err)
{
    const struct wt_watchpoint_hit *list;
    struct stop stop;
    *any = *stopped = false;
    if (!dbg_is_watching(d))
        return WT_OK;
    const size_t count = d->target->services->watchpoint_hits(d->target->context, &list);
    *any = count != 0;
    for (size_t i = 0; i < count; i++)
        dbg_meet(d, list[i].wave, list[i].id);
    for (size_t i = 0; i < count && !*stopped; i++) {
        enum wt_status status =
            list[i].execute ? come_to_watched(d, &list[i], stopped, err) : WT_OK;
        if (status)
            return status;
    }
    if (*stopped || !count || !dbg_take_hits(d, list, count, 0))
        return WT_OK;
    *stopped = dbg_next_hit(d, false, &stop);
    return *stopped ? dbg_stop(d, &stop, err) : WT_OK;
}

/* A stepping wave has ended; @p ended describes it. */
static enum wt_status step_ended(struct wt_debugger *d, uint32_t wave, const struct wt_wave *ended,
                                 struct wt_error *err)
{
    bool told = d->wave[wave].go != GO_PASS;
    d->wave[wave].ended = (struct wt_wave){.id = WT_NO_WAVE};
    enum wt_status status = dbg_scan(d, NULL, err);
    if (status)
        return status;
    bool any = false;
    for (unsigned i = 0; i < d->sets.words; i++)
        any |= d->sets.active.word[i] != 0;
    bool over = false;
    if (!any && ((status = dbg_take_events(d, &over, err)) || over))
        return status;
    if (!told || d->run.nonstop) {
        dbg_set_go(d, wave, GO_FREE);
        dbg_update_going(d);
        return WT_OK;
    }
    char name[WT_WAVE_NAME];
    wt_debugger_name_wave(d, ended, name, sizeof name);
    struct stop stop = {.wave = wave, .id = ended->id, .event = {.reason = WT_STOP_STEP}};
    snprintf(stop.event.text, sizeof stop.event.text, "%s has ended", name);
    return dbg_stop(d, &stop, err);
}

/* Does what follows a stepping wave's move. */
static enum wt_status after_move(struct wt_debugger *d, uint32_t wave, enum turn *turn,
                                 struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
    enum wt_status status;
    if (w->go == GO_PASS) {
        struct wt_wave_set one;
        dbg_one_wave(d, &one, wave);
        dbg_set_go(d, wave, GO_FREE);
        dbg_forget(d, wave);
        *turn = TURN_OVER;
        return d->ops->resume(d->probe, &one, err);
    }
    if ((status = dbg_need_mask(d, wave, err)))
        return status;
    if (dbg_plan_done(&w->plan, w->pc, w->mask, d->target->services->wave_detail != NULL)) {
        const struct stop stop = dbg_plan_stop(wave, w->self.id, &w->plan);
        *turn = TURN_OVER;
        return dbg_stop(d, &stop, err);
    }
    *turn = TURN_MOVED;
    if (dbg_is_set(bp)) {
        bool stopped;
        status = dbg_come_to_breakpoint(d, wave, bp, &stopped, err);
        if (stopped)
            *turn = TURN_OVER;
    }
    return status;
}

/* Cancels a step that has not been done, and plants the breakpoint again that was lifted for it. */
enum wt_status dbg_take_back_step(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    dbg_one_wave(d, &one, wave);
    enum wt_status status = dbg_halt(d, &one, err);
    bool lifted = d->wave[wave].lifted;
    d->wave[wave].pending = d->wave[wave].lifted = false;
    return status || !lifted ? status : dbg_sync_breakpoints(d, err);
}

/* The device takes one step at a time: a pending step is cancelled to make room for
 * another wave's. */
static enum wt_status take_back_pending(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    for (size_t i = 0; i < d->run.stepper_count; i++) {
        uint32_t other = d->run.stepper[i];
        if (other == wave || !d->wave[other].pending)
            continue;
        enum wt_status status = dbg_take_back_step(d, other, err);
        if (status)
            return status;
    }
    return WT_OK;
}

/* Gives a stepping wave its turn. */
enum wt_status dbg_take_turn(struct wt_debugger *d, uint32_t wave, enum turn *turn,
                             struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    struct wt_probe_step step = {0};
    assert(dbg_is_stepping(w) || w->ended.id != WT_NO_WAVE);
    enum wt_status status = WT_OK;
    *turn = TURN_WAITS;
    if (w->ended.id != WT_NO_WAVE) {
        /* Another wave has taken over the slot, and must not be stepped in place of this one. */
        const struct wt_wave ended = w->ended;
        *turn = TURN_OVER;
        return step_ended(d, wave, &ended, err);
    }
    const struct wt_wave stepped = w->self;
    if (w->pending) {
        status = d->ops->step_poll(d->probe, wave, &step, err);
        if (!status && step.done && w->lifted) {
            w->lifted = false;
            status = dbg_sync_breakpoints(d, err);
        }
    } else {
        if (d->topology->one_step && d->run.stepper_count > 1 &&
            (status = take_back_pending(d, wave, err)))
            return status;
        if ((status = dbg_need_pc(d, wave, err)))
            return status;
        if (w->go != GO_PASS && (status = dbg_need_mask(d, wave, err)))
            return status;
        if (w->go == GO_PLAN)
            dbg_plan_issues(&w->plan, w->mask);
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        unsigned length = 0;
        if (w->has_reported && w->reported_trap && w->reported_pc == w->pc)
            length = dbg_skipped_length(d, wave, w->pc);
        if (bp && bp->planted)
            status = step_over(d, wave, bp, &step, err);
        else if (length)
            status = skip_instruction(d, wave, length, &step, err);
        else
            status = d->ops->step(d->probe, wave, &step, err);
        w->pending = !status && !step.done && (w->lifted || !(bp && bp->planted));
    }
    if (status)
        return status;
    if ((status = dbg_check_fault(d, err)) || w->go == GO_STOPPED) {
        *turn = TURN_OVER;
        return status;
    }
    if (!step.done)
        return WT_OK;
    uint64_t before = w->pc;
    bool knew = w->have_pc;
    dbg_forget(d, wave);
    w->pending = w->told = false;
    w->pc = step.pc;
    w->cause = step.cause;
    w->have_pc = true;
    if (!step.active || d->ops->wave_id(d->probe, wave) != stepped.id) {
        *turn = TURN_OVER;
        return step_ended(d, wave, &stepped, err);
    }
    if (step.cause == WT_HALT_BREAKPOINT) {
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        bool stays = knew && before == w->pc;
        if (bp && bp->planted && stays)
            return WT_OK; /* it was planted again while the step was pending: try once more */
        w->has_reported = false;
        bool stopped = true;
        if (bp && bp->planted)
            status = dbg_come_to_breakpoint(d, wave, bp, &stopped, err);
        else
            status = dbg_come_to_trap(d, wave, err);
        *turn = stopped ? TURN_OVER : TURN_MOVED;
        return status;
    }
    if (step.cause == WT_HALT_EXCEPTION) {
        *turn = TURN_OVER;
        return dbg_come_to_exception(d, wave, err);
    }
    w->has_reported = false;
    bool any, stopped = false;
    if (step.cause == WT_HALT_WATCH &&
        ((status = dbg_come_to_watch(d, wave, &stopped, err)) || stopped)) {
        *turn = TURN_OVER;
        return status;
    }
    if ((status = dbg_check_hits(d, &any, &stopped, err)) || stopped) {
        *turn = TURN_OVER;
        return status;
    }
    return after_move(d, wave, turn, err);
}
