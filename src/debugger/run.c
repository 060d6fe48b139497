/*
 * Setting waves going, stepping them, and finding out what happened.
 *
 * Waves that run freely are left to the device. Waves that step (and waves that have to be taken
 * past a breakpoint before they may run) take turns here, one instruction each, between slices in
 * which the others run.
 */
#include "debugger/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"

#define ROUNDS 4096         /* turns of stepping waves in one pump, at most */
#define PUMP_NS 20000000ull /* breakpoints that do not stop are not followed for longer in one pump */

static bool is_stepping(const struct wave *w)
{
    return w->go == GO_STEP || w->go == GO_RANGE || w->go == GO_PASS;
}

/* Sets have room for the largest device: only the words that this one uses are touched. */
static void fill_set(struct wt_debugger *d, struct wt_wave_set *set, int byte)
{
    memset(set->word, byte, d->words * sizeof set->word[0]);
}

static void copy_set(struct wt_debugger *d, struct wt_wave_set *to, const struct wt_wave_set *from)
{
    memcpy(to->word, from->word, d->words * sizeof to->word[0]);
}

static void one_wave(struct wt_debugger *d, struct wt_wave_set *set, uint32_t wave)
{
    fill_set(d, set, 0);
    wt_wave_set_add(set, wave);
}

/* ---- events ---- */

void dbg_push_event(struct wt_debugger *d, const struct wt_event *event)
{
    if (d->first_event == d->events)
        d->first_event = d->events = 0;
    if (d->events == d->event_capacity) {
        size_t capacity = d->event_capacity ? 2 * d->event_capacity : 16;
        struct wt_event *more = realloc(d->event, capacity * sizeof *more);
        if (!more)
            return;
        d->event = more;
        d->event_capacity = capacity;
    }
    d->event[d->events++] = *event;
}

static bool has_event(const struct wt_debugger *d)
{
    return d->first_event < d->events;
}

struct wt_event wt_debugger_next_event(struct wt_debugger *d)
{
    if (!has_event(d))
        return (struct wt_event){.kind = WT_EVENT_NONE};
    return d->event[d->first_event++];
}

/* ---- who goes ---- */

static void leave_steppers(struct wt_debugger *d, uint32_t wave)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->steppers; i++)
        if (d->stepper[i] != wave)
            d->stepper[kept++] = d->stepper[i];
    d->steppers = kept;
}

static void set_go(struct wt_debugger *d, uint32_t wave, enum wave_go go)
{
    struct wave *w = &d->wave[wave];
    bool was = is_stepping(w);
    w->go = (uint8_t)go;
    if (was && !is_stepping(w))
        leave_steppers(d, wave);
    if (!was && is_stepping(w))
        d->stepper[d->steppers++] = wave;
    if (!is_stepping(w))
        w->pending = w->lifted = w->told = false;
    if (go == GO_FREE)
        wt_wave_set_add(&d->free, wave);
    else
        wt_wave_set_remove(&d->free, wave);
}

/* Whether anything that was resumed can still be expected to stop. */
static void update_going(struct wt_debugger *d)
{
    d->going = d->steppers > 0 || dbg_any_free_active(d);
}

static void all_stopped(struct wt_debugger *d)
{
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (w->go == GO_STOPPED)
            continue;
        w->go = GO_STOPPED;
        w->pending = w->lifted = w->told = false;
        dbg_forget(d, i);
    }
    fill_set(d, &d->free, 0);
    d->steppers = 0;
    d->going = false;
}

void dbg_stop_everything(struct wt_debugger *d)
{
    all_stopped(d);
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        d->wave[i].has_met = d->wave[i].met_trap = false;
        d->wave[i].followed = 0;
        dbg_forget(d, i);
    }
    d->any_followed = false;
    d->ended = d->lost = false;
    d->active_known = false;
    d->current = 0;
    d->first_event = d->events = 0;
}

/* Halts every wave, those that are not active included: they must not start running unseen. */
static enum wt_status halt_everything(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_wave_set all;
    fill_set(d, &all, 0xff);
    enum wt_status status = d->ops->halt(d->probe, &all, err);
    all_stopped(d);
    if (!status)
        status = dbg_look(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

/* The device did not answer: nothing is known to run any more, and the client is told. */
static void lose(struct wt_debugger *d, const struct wt_error *err)
{
    all_stopped(d);
    d->active_known = false;
    d->lost = true;
    struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .reason = WT_STOP_LOST, .thread = d->current};
    snprintf(event.text, sizeof event.text, "%.255s", err->text);
    dbg_push_event(d, &event);
}

/* ---- stopping ---- */

static wt_thread first_thread(struct wt_debugger *d)
{
    for (unsigned i = 0; i < d->words; i++)
        if (d->active.word[i])
            return dbg_thread_of(d, 32 * i + (uint32_t)__builtin_ctz(d->active.word[i]), 0);
    return 0;
}

/* Events for the other lanes of a wave that stopped by itself, where lanes are threads. */
static void tell_other_lanes(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    if (d->mode != WT_THREADS_LANES)
        return;
    for (unsigned i = 0; i < d->topology->lanes; i++) {
        struct wt_event other = {.kind = WT_EVENT_STOPPED,
                                 .reason = WT_STOP_REQUESTED,
                                 .thread = dbg_thread_of(d, wave, i)};
        if (i != lane)
            dbg_push_event(d, &other);
    }
}

/*
 * Something happened to @p lane of @p wave: stop it (non-stop), or everything (all-stop), and tell.
 * Text and signal are filled in by the caller.
 */
static enum wt_status stop_for(struct wt_debugger *d, uint32_t wave, unsigned lane,
                               enum wt_stop_reason reason, const struct wt_event *more,
                               struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED};
    if (more)
        event = *more;
    event.kind = WT_EVENT_STOPPED;
    event.reason = reason;
    enum wt_status status;
    if (d->nonstop) {
        struct wt_wave_set one;
        one_wave(d, &one, wave);
        if ((status = d->ops->halt(d->probe, &one, err)))
            return status;
        set_go(d, wave, GO_STOPPED);
        update_going(d);
        if ((status = dbg_look(d, NULL, err)))
            return status;
    } else if ((status = halt_everything(d, err))) {
        return status;
    }
    event.thread = dbg_thread_of(d, wave, lane);
    if (!dbg_is_active(d, wave))
        event.thread = first_thread(d);
    else if (d->mode == WT_THREADS_WAVES && dbg_need_mask(d, wave, NULL) == WT_OK &&
             !wt_has_lane(d->wave[wave].mask, d->chosen_lane))
        d->chosen_lane = lane;
    d->current = event.thread;
    d->wave[wave].focus = (uint8_t)(lane + 1);
    dbg_push_event(d, &event);
    if (d->nonstop && dbg_is_active(d, wave))
        tell_other_lanes(d, wave, lane);
    return WT_OK;
}

/* No wave is active: read the exit word through whichever wave can. */
static enum wt_status report_end(struct wt_debugger *d, struct wt_error *err)
{
    uint8_t word[4] = {0};
    struct wt_event event = {.kind = WT_EVENT_EXITED};
    struct wt_error why;
    all_stopped(d);
    struct wt_wave_set one;
    one_wave(d, &one, 0);
    enum wt_status status = d->ops->halt(d->probe, &one, err);
    if (status)
        return status;
    if (d->ops->read_memory(d->probe, 0, 0, d->target->exit_addr, word, sizeof word, &why))
        snprintf(event.text, sizeof event.text, "the exit word cannot be read: %.200s", why.text);
    if ((status = d->ops->resume(d->probe, &one, err)))
        return status;
    event.status = d->exit_status = (uint32_t)wt_load_le(word, 4);
    d->ended = true;
    d->current = 0;
    dbg_choose_mode(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

/* A mistake of the program, if the device found one. */
static enum wt_status check_fault(struct wt_debugger *d, struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    struct wt_target_fault fault;
    if (!services->fault)
        return WT_OK;
    fault.present = false;
    services->fault(d->target->context, &fault);
    if (!fault.present)
        return WT_OK;
    struct wt_event event = {.signal = (int)fault.signal};
    snprintf(event.text, sizeof event.text, "%s", fault.text);
    uint32_t wave = fault.wave < d->topology->waves ? fault.wave : 0;
    unsigned lane = fault.lanes ? wt_lanes_lowest(fault.lanes) : 0;
    enum wt_status status = stop_for(d, wave, lane, WT_STOP_FAULT, &event, err);
    /* The others may go on; this one is halted. */
    if (!status && d->nonstop && services->clear_fault)
        services->clear_fault(d->target->context);
    return status;
}

/* ---- one instruction ---- */

/*
 * Whether the device stands still between accesses of its debug registers, so that waves need not
 * be halted while a breakpoint is lifted for a moment. Only asked while something runs.
 */
static bool device_is_frozen(struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    if (d->frozen == FROZEN_UNKNOWN && services->pump && services->time) {
        struct wt_probe_summary summary;
        uint64_t before = services->time(d->target->context);
        for (int i = 0; i < 8; i++)
            if (d->ops->summary(d->probe, &summary, NULL))
                return false;
        d->frozen = services->time(d->target->context) == before ? FROZEN : NOT_FROZEN;
    }
    return d->frozen == FROZEN;
}

/* Moves a wave past an instruction without executing it. */
static enum wt_status skip_instruction(struct wt_debugger *d, uint32_t wave, unsigned length,
                                       struct wt_probe_step *step, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    *step = (struct wt_probe_step){
        .done = true, .active = true, .cause = WT_HALT_STEP, .pc = w->pc + length};
    return d->ops->write_register(d->probe, wave, 0, (unsigned)d->topology->pc_index, step->pc, err);
}

/* One instruction from under a breakpoint: lift it, step, plant it again. */
static enum wt_status step_over(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                struct wt_probe_step *step, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    if (dbg_covers_trap(bp))
        return skip_instruction(d, wave, bp->length, step, err);
    bool others = dbg_any_free_active(d), hold = others && !device_is_frozen(d);
    struct wt_wave_set held;
    enum wt_status status = WT_OK, plant = WT_OK, release = WT_OK;
    if (hold) {
        copy_set(d, &held, &d->free);
        if ((status = d->ops->halt(d->probe, &held, err)))
            return status;
    }
    status = dbg_raw_write(d, wave, 0, bp->addr, bp->original, bp->length, err);
    if (!status)
        status = d->ops->step(d->probe, wave, step, err);
    if (!status && !step->done && !others) {
        /* It waits, and nobody else can run into the gap: leave it open. */
        bp->planted = false;
        w->lifted = true;
        return WT_OK;
    }
    if (!status && !step->done) {
        /* It waits for others: close the gap, let them run, try again. */
        struct wt_wave_set one;
        one_wave(d, &one, wave);
        status = d->ops->halt(d->probe, &one, err);
    }
    plant = dbg_raw_write(d, wave, 0, bp->addr, bp->trap, bp->length, status ? NULL : err);
    if (hold)
        release = d->ops->resume(d->probe, &held, status || plant ? NULL : err);
    return status ? status : plant ? plant : release;
}

enum turn {
    TURN_WAITS, /**< the instruction cannot issue yet */
    TURN_MOVED, /**< it has; another one is to follow */
    TURN_OVER,  /**< nothing more to do: it stopped, or runs freely now */
};

/* Says once that a step cannot be done. */
static void tell_waiting(struct wt_debugger *d, uint32_t wave)
{
    struct wave *w = &d->wave[wave];
    char text[512], why[128] = "";
    if (w->told || !d->options.output)
        return;
    w->told = true;
    if (d->target->services->wave_detail) {
        struct wt_wave_detail detail;
        d->target->services->wave_detail(d->target->context, wave, &detail);
        if (detail.wait[0])
            snprintf(why, sizeof why, " (%s)", detail.wait);
    }
    int n = snprintf(text, sizeof text,
                     "core %u %s %u cannot go on by itself%s, and nothing else runs: the step "
                     "stays pending; interrupt it, or resume other threads too\n",
                     (unsigned)(wave / d->topology->waves_per_core), d->topology->wave_word,
                     (unsigned)(wave % d->topology->waves_per_core), why);
    d->options.output(d->options.context, text, (size_t)n);
}

/* A wave has met a breakpoint: stop for it, or let it pass. */
static enum wt_status meet_breakpoint(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                      bool *stopped, struct wt_error *err)
{
    unsigned lane;
    enum wt_status status = dbg_evaluate(d, bp, wave, stopped, &lane, err);
    if (status || !*stopped)
        return status;
    struct wave *w = &d->wave[wave];
    w->has_met = true;
    w->met_trap = false;
    w->met = bp->addr;
    if (bp->conditions.count)
        d->chosen_lane = lane;
    return stop_for(d, wave, lane, WT_STOP_BREAKPOINT, NULL, err);
}

/* A wave has met a breakpoint instruction of the program's own. */
static enum wt_status meet_trap(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    w->has_met = w->met_trap = true;
    w->met = w->pc;
    enum wt_status status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    struct wt_event event = {.signal = WT_SIGNAL_TRAP};
    snprintf(event.text, sizeof event.text,
             "a breakpoint instruction of the program's own; resuming goes past it");
    return stop_for(d, wave, w->mask ? wt_lanes_lowest(w->mask) : 0, WT_STOP_TRAP, &event, err);
}

/* A stepping wave whose warp has no lanes left. */
static enum wt_status step_ended(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_event event = {0};
    bool told = d->wave[wave].go != GO_PASS;
    enum wt_status status = dbg_look(d, NULL, err);
    if (status)
        return status;
    bool any = false;
    for (unsigned i = 0; i < d->words; i++)
        any |= d->active.word[i] != 0;
    if (!any)
        return report_end(d, err);
    if (!told || d->nonstop) {
        /* It may be set to work again: it must not be found halted then. */
        struct wt_wave_set one;
        one_wave(d, &one, wave);
        set_go(d, wave, GO_FREE);
        update_going(d);
        return d->ops->resume(d->probe, &one, err);
    }
    snprintf(event.text, sizeof event.text, "core %u %s %u has ended",
             (unsigned)(wave / d->topology->waves_per_core), d->topology->wave_word,
             (unsigned)(wave % d->topology->waves_per_core));
    return stop_for(d, wave, 0, WT_STOP_STEP, &event, err);
}

/* What to do after a stepping wave has moved. */
static enum wt_status after_move(struct wt_debugger *d, uint32_t wave, enum turn *turn,
                                 struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
    enum wt_status status;
    if (w->go == GO_PASS) {
        struct wt_wave_set one;
        one_wave(d, &one, wave);
        set_go(d, wave, GO_FREE);
        dbg_forget(d, wave);
        *turn = TURN_OVER;
        return d->ops->resume(d->probe, &one, err);
    }
    if ((status = dbg_need_mask(d, wave, err)))
        return status;
    bool here = wt_has_lane(w->mask, w->lane);
    bool inside = w->go == GO_RANGE && w->pc >= w->start && w->pc < w->end;
    if (here && !inside) {
        *turn = TURN_OVER;
        return stop_for(d, wave, w->lane, WT_STOP_STEP, NULL, err);
    }
    *turn = TURN_MOVED;
    if (bp && bp->planted) {
        bool stopped;
        status = meet_breakpoint(d, wave, bp, &stopped, err);
        if (stopped)
            *turn = TURN_OVER;
    }
    return status;
}

/* Takes back a step that has not been done, and closes the gap that it left in a breakpoint. */
static enum wt_status take_back_step(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    one_wave(d, &one, wave);
    enum wt_status status = d->ops->halt(d->probe, &one, err);
    bool lifted = d->wave[wave].lifted;
    d->wave[wave].pending = d->wave[wave].lifted = false;
    return status || !lifted ? status : dbg_sync_breakpoints(d, err);
}

/* The device takes one step at a time: one that waits makes room for another wave's. */
static enum wt_status take_back_pending(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    for (size_t i = 0; i < d->steppers; i++) {
        uint32_t other = d->stepper[i];
        if (other == wave || !d->wave[other].pending)
            continue;
        enum wt_status status = take_back_step(d, other, err);
        if (status)
            return status;
    }
    return WT_OK;
}

/* A stepping wave's turn. */
static enum wt_status take_turn(struct wt_debugger *d, uint32_t wave, enum turn *turn,
                                struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    struct wt_probe_step step = {0};
    enum wt_status status = WT_OK;
    *turn = TURN_WAITS;
    if (w->pending) {
        status = d->ops->step_poll(d->probe, wave, &step, err);
        if (!status && step.done && w->lifted) {
            w->lifted = false;
            status = dbg_sync_breakpoints(d, err);
        }
    } else {
        if (d->steppers > 1 && (status = take_back_pending(d, wave, err)))
            return status;
        if ((status = dbg_need_pc(d, wave, err)))
            return status;
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        unsigned length = 0;
        if (w->has_met && w->met_trap && w->met == w->pc)
            length = dbg_trap_length(d, wave, w->pc);
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
    if ((status = check_fault(d, err)) || w->go == GO_STOPPED) {
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
    if (!step.active) {
        *turn = TURN_OVER;
        return step_ended(d, wave, err);
    }
    if (step.cause == WT_HALT_BREAKPOINT) {
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        bool stays = knew && before == w->pc;
        if (bp && bp->planted && stays)
            return WT_OK; /* it was planted again while the step was pending: try once more */
        bool stopped = true;
        if (bp && bp->planted)
            status = meet_breakpoint(d, wave, bp, &stopped, err);
        else
            status = meet_trap(d, wave, err);
        *turn = stopped ? TURN_OVER : TURN_MOVED;
        return status;
    }
    w->has_met = false;
    return after_move(d, wave, turn, err);
}

/* ---- looking at what happened ---- */

static enum wt_status resume_one(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wt_wave_set one;
    one_wave(d, &one, wave);
    set_go(d, wave, GO_FREE);
    return d->ops->resume(d->probe, &one, err);
}

/* A wave that ran has halted. */
static enum wt_status look_at_halted(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    dbg_forget(d, wave);
    set_go(d, wave, GO_STOPPED);
    enum wt_status status = dbg_need_pc(d, wave, err);
    if (status)
        return status;
    if (w->cause == WT_HALT_BREAKPOINT) {
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        if (bp && bp->planted) {
            bool stopped;
            enum turn turn;
            status = meet_breakpoint(d, wave, bp, &stopped, err);
            if (status || stopped)
                return status;
            set_go(d, wave, GO_PASS);
            return take_turn(d, wave, &turn, err);
        }
        if (dbg_trap_length(d, wave, w->pc))
            return meet_trap(d, wave, err);
        return resume_one(d, wave, err); /* lifted in the meantime */
    }
    if (w->cause == WT_HALT_STEP)
        return resume_one(d, wave, err); /* a step of long ago has come through */
    if ((status = dbg_need_mask(d, wave, err)))
        return status;
    struct wt_event event = {0};
    snprintf(event.text, sizeof event.text, "halted by someone else's request");
    return stop_for(d, wave, w->mask ? wt_lanes_lowest(w->mask) : 0, WT_STOP_INTERRUPTED, &event,
                    err);
}

/* Only a part was resumed, and all of it has ended: tell, or the client would wait for ever. */
static enum wt_status report_idle(struct wt_debugger *d, struct wt_error *err)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_REQUESTED};
    snprintf(event.text, sizeof event.text,
             "what was resumed has ended; the other threads were not resumed");
    enum wt_status status = halt_everything(d, err);
    if (status)
        return status;
    event.thread = d->current = first_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

/* Finds what happened: a fault, waves that halted, the end. */
static enum wt_status look(struct wt_debugger *d, bool *found, struct wt_error *err)
{
    struct wt_wave_set halted;
    size_t events = d->events - d->first_event;
    enum wt_status status = check_fault(d, err);
    if (status || (!d->nonstop && d->events - d->first_event > events))
        return status;
    if ((status = dbg_look(d, &halted, err)))
        return status;
    bool any = false;
    for (unsigned i = 0; i < d->words; i++) {
        any |= d->active.word[i] != 0;
        uint32_t bits = d->free.word[i] & d->active.word[i] & halted.word[i];
        for (; bits; bits &= bits - 1) {
            *found = true;
            status = look_at_halted(d, 32 * i + (uint32_t)__builtin_ctz(bits), err);
            if (status || (!d->nonstop && has_event(d)))
                return status;
        }
    }
    if (!any)
        return report_end(d, err);
    if (!d->nonstop && !d->steppers && !dbg_any_free_active(d) && !has_event(d))
        return report_idle(d, err);
    if (d->nonstop)
        update_going(d);
    return WT_OK;
}

/* Lets the device run for a while, and looks. *idle: it cannot do more by itself. */
static enum wt_status run_device(struct wt_debugger *d, uint64_t budget, bool *idle, bool *found,
                                 struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    *idle = *found = false;
    if (services->pump) {
        enum wt_pump result = services->pump(d->target->context, budget);
        if (result == WT_PUMP_RAN)
            return WT_OK;
        *idle = result == WT_PUMP_IDLE;
    } else {
        *idle = true; /* it runs by itself: look again later */
    }
    return look(d, found, err);
}

/* Issues that a slice has used; 1 where the device does not tell its time. */
static uint64_t issues_since(struct wt_debugger *d, uint64_t start)
{
    const struct wt_target_services *services = d->target->services;
    return services->time ? services->time(d->target->context) - start : 1;
}

static uint64_t issue_time(struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    return services->time ? services->time(d->target->context) : 0;
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* All that goes runs freely. Breakpoints that do not stop end a slice early: go on with its rest. */
static enum wt_status advance_free(struct wt_debugger *d, uint64_t budget, bool *soon,
                                   struct wt_error *err)
{
    bool idle = false, found = false;
    enum wt_status status = WT_OK;
    uint64_t start = issue_time(d), used = 0, until = now_ns() + PUMP_NS;
    for (unsigned round = 0; round < ROUNDS && used < budget; round++) {
        /* The client's interrupt must be seen, however slow the conditions are. */
        if (round && now_ns() > until)
            break;
        status = run_device(d, budget - used, &idle, &found, err);
        used = issues_since(d, start);
        if (status || has_event(d) || !found || d->steppers || !d->going)
            break;
    }
    *soon = found || !idle || d->steppers || has_event(d);
    return status;
}

/* Some waves step: one instruction each, and a share of issues for those that run. */
static enum wt_status advance_steps(struct wt_debugger *d, uint64_t budget, bool *soon,
                                    struct wt_error *err)
{
    enum wt_status status;
    uint64_t used = 0;
    *soon = true;
    for (unsigned round = 0; round < ROUNDS && used < budget && d->steppers && d->going; round++) {
        bool waiting = true, all_pending = true, any_pending = false, ran = false;
        for (size_t i = 0; i < d->steppers; i++) {
            all_pending &= d->wave[d->stepper[i]].pending;
            any_pending |= d->wave[d->stepper[i]].pending;
        }
        uint64_t share = dbg_count_free_active(d);
        if (all_pending)
            share = budget - used;
        else if (any_pending && share == 0)
            share = 1;
        if (share) {
            bool idle, found;
            status = run_device(d, share, &idle, &found, err);
            if (status || (has_event(d) && !d->nonstop))
                return status;
            ran = !idle || found;
        }
        used += share + 1;
        for (size_t i = 0; i < d->steppers;) {
            enum turn turn;
            uint32_t wave = d->stepper[i];
            if ((status = take_turn(d, wave, &turn, err)) || (has_event(d) && !d->nonstop))
                return status;
            waiting &= turn == TURN_WAITS;
            /* A wave that is done leaves the list, and the next one is in its place. */
            if (i < d->steppers && d->stepper[i] == wave)
                i++;
        }
        if (waiting && !ran && d->steppers) {
            if (d->target->services->pump)
                for (size_t i = 0; i < d->steppers; i++)
                    tell_waiting(d, d->stepper[i]);
            *soon = false;
            return WT_OK;
        }
    }
    return WT_OK;
}

static enum wt_status advance(struct wt_debugger *d, uint64_t budget, bool *soon,
                              struct wt_error *err)
{
    return d->steppers ? advance_steps(d, budget, soon, err) : advance_free(d, budget, soon, err);
}

bool wt_debugger_pump(struct wt_debugger *d, uint64_t budget)
{
    if (has_event(d) && !d->nonstop)
        return true;
    if (!d->going)
        return has_event(d);
    struct wt_error err = {0};
    bool soon;
    if (advance(d, budget ? budget : 1, &soon, &err)) {
        lose(d, &err);
        return true;
    }
    return soon || has_event(d);
}

bool wt_debugger_running(struct wt_debugger *d)
{
    return d->going;
}

void wt_debugger_set_nonstop(struct wt_debugger *d, bool nonstop)
{
    d->nonstop = nonstop;
}

/* ---- interrupting ---- */

/* Non-stop: halts a wave that runs, and tells of each of its threads. */
static enum wt_status stop_wave(struct wt_debugger *d, uint32_t wave, unsigned lane,
                                struct wt_error *err)
{
    if (d->wave[wave].go == GO_STOPPED)
        return WT_OK;
    if (dbg_is_active(d, wave)) {
        dbg_forget(d, wave);
        return stop_for(d, wave, lane, WT_STOP_REQUESTED, NULL, err);
    }
    return WT_OK;
}

enum wt_status wt_debugger_interrupt(struct wt_debugger *d, struct wt_error *err)
{
    if (!d->going)
        return wt_fail(err, WT_STATE, "nothing is running");
    enum wt_status status;
    if (d->nonstop) {
        status = dbg_look(d, NULL, err);
        for (uint32_t w = 0; w < d->topology->waves && !status; w++)
            status = stop_wave(d, w, 0, err);
        return status;
    }
    if ((status = halt_everything(d, err)))
        return status;
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED};
    event.thread = wt_debugger_current_thread(d);
    if (!event.thread)
        return report_end(d, err);
    d->current = event.thread;
    dbg_push_event(d, &event);
    return WT_OK;
}

/* ---- resuming ---- */

static int strength(enum wt_resume_kind kind)
{
    switch (kind) {
    case WT_RESUME_STOP:
        return 4;
    case WT_RESUME_STEP:
        return 3;
    case WT_RESUME_RANGE:
        return 2;
    default:
        return 1;
    }
}

static int strength_of(const struct wave *w)
{
    return w->go == GO_STEP ? 3 : w->go == GO_RANGE ? 2 : w->go == GO_FREE ? 1 : 0;
}

static void assign(struct wt_debugger *d, uint32_t wave, unsigned lane, const struct wt_resume *r)
{
    struct wave *w = &d->wave[wave];
    w->lane = (uint8_t)lane;
    w->start = r->start;
    w->end = r->end;
    set_go(d, wave,
           r->kind == WT_RESUME_STEP    ? GO_STEP
           : r->kind == WT_RESUME_RANGE ? GO_RANGE
                                        : GO_FREE);
}

static bool named_before(const struct wt_resume *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (list[k].thread == list[i].thread)
            return true;
    return false;
}

static enum wt_status check_list(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                                 struct wt_error *err)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t wave;
        unsigned lane;
        if (list[i].kind == WT_RESUME_STOP && !d->nonstop)
            return wt_fail(err, WT_INVALID, "threads can be stopped one by one only in non-stop");
        if (list[i].thread == 0)
            continue;
        enum wt_status status = dbg_locate(d, list[i].thread, &wave, &lane, err);
        if (status)
            return status;
        if (!dbg_is_active(d, wave))
            return wt_fail(err, WT_INVALID, "thread %u has ended", (unsigned)list[i].thread);
    }
    return WT_OK;
}

/* The lane that a step of a whole wave follows. */
static unsigned lane_to_follow(struct wt_debugger *d, uint32_t wave)
{
    uint32_t current_wave;
    unsigned lane = 0;
    if (d->current && dbg_locate(d, d->current, &current_wave, &lane, NULL) == WT_OK &&
        current_wave == wave)
        return lane;
    if (dbg_need_mask(d, wave, NULL) == WT_OK && d->wave[wave].mask)
        return wt_lanes_lowest(d->wave[wave].mask);
    return 0;
}

/* Waves that nobody has named do what the entry for thread 0 says. */
static void assign_rest(struct wt_debugger *d, const struct wt_resume *r,
                        const struct wt_wave_set *eligible)
{
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        if (!wt_wave_set_has(eligible, w))
            continue;
        if (r->kind == WT_RESUME_CONTINUE)
            assign(d, w, 0, r);
        else if (dbg_is_active(d, w))
            assign(d, w, lane_to_follow(d, w), r);
    }
}

void wt_debugger_focus(struct wt_debugger *d, wt_thread thread)
{
    uint32_t wave;
    unsigned lane;
    if (d->mode == WT_THREADS_LANES && dbg_locate(d, thread, &wave, &lane, NULL) == WT_OK)
        d->wave[wave].focus = (uint8_t)(lane + 1);
}

static void assign_all(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                       const struct wt_wave_set *eligible)
{
    const struct wt_resume *rest = NULL;
    for (size_t i = 0; i < count; i++) {
        if (list[i].thread == 0 && list[i].kind != WT_RESUME_STOP) {
            rest = &list[i];
            assign_rest(d, rest, eligible);
            break;
        }
    }
    bool alone = d->mode == WT_THREADS_WAVES || d->topology->lanes == 1;
    struct wt_wave_set named;
    fill_set(d, &named, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t wave;
        unsigned lane;
        /* What comes after an entry for all threads has nothing left to name. */
        if (rest && &list[i] > rest)
            break;
        if (list[i].thread == 0 || list[i].kind == WT_RESUME_STOP || named_before(list, i) ||
            dbg_locate(d, list[i].thread, &wave, &lane, NULL) || !wt_wave_set_has(eligible, wave))
            continue;
        d->wave[wave].focus = (uint8_t)(lane + 1);
        bool first = !wt_wave_set_has(&named, wave);
        wt_wave_set_add(&named, wave);
        if ((alone && first) || strength(list[i].kind) > strength_of(&d->wave[wave]))
            assign(d, wave, lane, &list[i]);
    }
}

/*
 * LLDB takes the threads at a breakpoint past it one after another, each time lifting the
 * breakpoint, stepping that thread alone, and inserting it again. Lanes of one wave move together:
 * the first of these steps has moved all of them, and the rest must not move them again.
 */
static bool went_along(struct wt_debugger *d, const struct wt_resume *r)
{
    uint32_t wave;
    unsigned lane;
    if (d->nonstop || d->mode != WT_THREADS_LANES || r->kind != WT_RESUME_STEP || r->thread == 0 ||
        dbg_locate(d, r->thread, &wave, &lane, NULL))
        return false;
    struct wave *w = &d->wave[wave];
    struct breakpoint *bp = dbg_find_breakpoint(d, w->left);
    if (!wt_has_lane(w->followed, lane) || !w->came_back || (bp && bp->inserted) ||
        dbg_need_pc(d, wave, NULL) || w->pc == w->left)
        return false;
    w->followed &= ~wt_lane_bit(lane);
    struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .reason = WT_STOP_STEP, .thread = r->thread};
    d->current = r->thread;
    dbg_push_event(d, &event);
    return true;
}

/* Notes which lanes a step off a breakpoint takes along. */
static void note_followers(struct wt_debugger *d, uint32_t wave)
{
    struct wave *w = &d->wave[wave];
    w->followed = 0;
    if (w->go != GO_STEP || d->mode != WT_THREADS_LANES || dbg_need_pc(d, wave, NULL) ||
        dbg_need_mask(d, wave, NULL) || !dbg_find_breakpoint(d, w->pc))
        return;
    w->followed = w->mask & ~wt_lane_bit(w->lane);
    w->left = w->pc;
    w->came_back = false;
    d->any_followed = true;
}

/* Gets waves ready that are about to run: off breakpoints that they have met, past traps. */
static enum wt_status make_ready(struct wt_debugger *d, const struct wt_wave_set *eligible,
                                 struct wt_error *err)
{
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (!wt_wave_set_has(eligible, i) || w->go != GO_FREE)
            continue;
        w->followed = 0;
        if (!w->has_met || !dbg_is_active(d, i))
            continue;
        enum wt_status status = dbg_need_pc(d, i, err);
        if (status)
            return status;
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        if (w->pc == w->met && (w->met_trap || (bp && bp->planted)))
            set_go(d, i, GO_PASS);
        w->has_met = w->go == GO_PASS && w->met_trap;
    }
    for (size_t i = 0; i < d->steppers;) {
        uint32_t wave = d->stepper[i];
        enum turn turn;
        if (d->wave[wave].go == GO_PASS && wt_wave_set_has(eligible, wave)) {
            /* The waves that are about to run do not yet: nothing can slip through the gap. */
            struct wt_wave_set free;
            copy_set(d, &free, &d->free);
            fill_set(d, &d->free, 0);
            enum wt_status status = take_turn(d, wave, &turn, err);
            if (status || (has_event(d) && !d->nonstop))
                return status;
            bool others = false;
            for (unsigned k = 0; k < d->words; k++) {
                others |= free.word[k] != 0;
                d->free.word[k] |= free.word[k];
            }
            if (d->wave[wave].pending && others && (status = take_back_step(d, wave, err)))
                return status;
        }
        if (i < d->steppers && d->stepper[i] == wave)
            i++;
    }
    return WT_OK;
}

static enum wt_status set_going(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                                struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    struct wt_wave_set eligible, go;
    enum wt_status status;
    fill_set(d, &eligible, 0);
    for (uint32_t w = 0; w < d->topology->waves; w++)
        if (d->wave[w].go == GO_STOPPED)
            wt_wave_set_add(&eligible, w);
    assign_all(d, list, count, &eligible);
    for (uint32_t w = 0; w < d->topology->waves && d->nonstop; w++) {
        /* Waves that are spawned later run, too: nobody waits for them to be resumed. */
        if (wt_wave_set_has(&eligible, w) && !dbg_is_active(d, w))
            set_go(d, w, GO_FREE);
    }
    for (size_t i = 0; i < d->steppers; i++)
        if (wt_wave_set_has(&eligible, d->stepper[i]))
            note_followers(d, d->stepper[i]);
    if ((status = dbg_sync_breakpoints(d, err)))
        return status;
    if (services->clear_fault)
        services->clear_fault(d->target->context);
    if ((status = make_ready(d, &eligible, err)) || (has_event(d) && !d->nonstop))
        return status;
    bool any = false;
    for (unsigned i = 0; i < d->words; i++) {
        go.word[i] = eligible.word[i] & d->free.word[i];
        any |= go.word[i] != 0;
    }
    for (uint32_t w = 0; w < d->topology->waves; w++)
        if (wt_wave_set_has(&eligible, w) && d->wave[w].go == GO_FREE)
            dbg_forget(d, w);
    d->going = true;
    return any ? d->ops->resume(d->probe, &go, err) : WT_OK;
}

enum wt_status wt_debugger_resume(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                                  struct wt_error *err)
{
    enum wt_status status;
    if (d->ended)
        return wt_fail(err, WT_STATE, "the program has ended; run it again");
    if (d->going && !d->nonstop)
        return wt_fail(err, WT_STATE, "the program is running already");
    if (!d->active_known || d->nonstop) {
        if ((status = dbg_look(d, NULL, err)))
            return status;
    }
    if (count == 0)
        return WT_OK;
    if ((status = check_list(d, list, count, err)))
        return status;
    d->lost = false;
    if (count == 1 && went_along(d, &list[0]))
        return WT_OK;
    for (size_t i = 0; i < count && d->nonstop; i++) {
        uint32_t wave = 0, end = d->topology->waves;
        unsigned lane = 0;
        if (list[i].kind != WT_RESUME_STOP)
            continue;
        if (list[i].thread && dbg_locate(d, list[i].thread, &wave, &lane, NULL) == WT_OK)
            end = wave + 1;
        for (; wave < end; wave++)
            if ((status = stop_wave(d, wave, lane, err)))
                return status;
    }
    bool only_stops = true;
    for (size_t i = 0; i < count; i++)
        only_stops &= list[i].kind == WT_RESUME_STOP;
    if (only_stops)
        return WT_OK;
    status = set_going(d, list, count, err);
    if (status && !d->nonstop)
        halt_everything(d, NULL);
    return status;
}
