/* Resumes waves: distributes plans to waves, and steps them off breakpoints. */
#include "debug/core/resume.h"

#include <string.h>

#include "debug/core/breakpoints.h"
#include "debug/core/events.h"
#include "debug/core/halt.h"
#include "debug/core/hits.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/plan.h"
#include "debug/core/step.h"
#include "debug/core/stop.h"
#include "debug/core/stuck.h"
#include "debug/core/sync.h"

/* If the lanes of a wave are given different actions, the strongest one applies. */
static int strength(enum wt_resume_kind kind)
{
    return kind == WT_RESUME_STEP ? 3 : kind == WT_RESUME_RANGE ? 2 : 1;
}

static int strength_of(const struct wave *w)
{
    return w->go == GO_PLAN ? strength(w->plan.kind) : w->go == GO_FREE ? 1 : 0;
}

static void assign(struct wt_debugger *d, uint32_t wave, unsigned lane, const struct wt_resume *r)
{
    assert(wave < d->topology->waves && lane < d->topology->lanes);
    if (dbg_has_plan(r))
        d->wave[wave].plan = dbg_plan_of(r, lane);
    dbg_set_go(d, wave, dbg_has_plan(r) ? GO_PLAN : GO_FREE);
}

static bool named_before(const struct wt_resume *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (list[k].thread == list[i].thread)
            return true;
    return false;
}

/* The lane that a step of a whole wave follows. */
static unsigned lane_to_follow(struct wt_debugger *d, uint32_t wave)
{
    uint32_t current_wave;
    unsigned lane = 0;
    if (d->threads.current &&
        dbg_locate_there(d, d->threads.current, &current_wave, &lane, WT_IGNORED) == WT_OK &&
        current_wave == wave)
        return lane;
    if (dbg_need_mask(d, wave, WT_IGNORED) == WT_OK && d->wave[wave].mask)
        return wt_lanes_lowest(d->wave[wave].mask);
    return 0;
}

/* Waves that no entry names follow the entry for thread 0. */
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
    struct wt_wave_set named;
    dbg_fill_set(d, &named, 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t wave;
        unsigned lane;
        /* Entries after one for all threads have no effect. */
        if (rest && &list[i] > rest)
            break;
        if (list[i].thread == 0 || list[i].kind == WT_RESUME_STOP || named_before(list, i) ||
            dbg_locate_there(d, list[i].thread, &wave, &lane, WT_IGNORED) ||
            !wt_wave_set_has(eligible, wave))
            continue;
        d->wave[wave].focus = (uint8_t)(lane + 1);
        bool first = !wt_wave_set_has(&named, wave);
        wt_wave_set_add(&named, wave);
        const bool alone = d->threads.mode == WT_THREADS_WAVES || d->wave[wave].self.lanes == 1;
        if ((alone && first) || strength(list[i].kind) > strength_of(&d->wave[wave]))
            assign(d, wave, lane, &list[i]);
    }
}

/* Prepares waves that are about to run: takes them off breakpoints and traps that they have
 * reported. */
static enum wt_status make_ready(struct wt_debugger *d, const struct wt_wave_set *eligible,
                                 struct wt_error *err)
{
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (!wt_wave_set_has(eligible, i) || w->go != GO_FREE)
            continue;
        if (!w->has_reported || !dbg_is_active(d, i))
            continue;
        enum wt_status status = dbg_need_pc(d, i, err);
        if (status)
            return status;
        struct breakpoint *bp = dbg_find_breakpoint(d, w->pc);
        if (w->pc == w->reported_pc && (w->reported_trap || dbg_is_set(bp)))
            dbg_set_go(d, i, GO_PASS);
        /* Another wave may stop the run before this one is off its breakpoint: it is not reported
         * again then. */
        w->has_reported = w->go == GO_PASS;
    }
    for (size_t i = 0; i < d->run.stepper_count;) {
        uint32_t wave = d->run.stepper[i];
        enum turn turn;
        if (d->wave[wave].go == GO_PASS && wt_wave_set_has(eligible, wave)) {
            /* The waves that are about to run are still halted, so that none can slip past a
             * breakpoint while it is lifted. */
            struct wt_wave_set free;
            dbg_copy_set(d, &free, &d->sets.free);
            dbg_fill_set(d, &d->sets.free, 0);
            enum wt_status status = dbg_take_turn(d, wave, &turn, err);
            if (status || dbg_is_over(d))
                return status;
            bool others = false;
            for (unsigned k = 0; k < d->sets.words; k++) {
                others |= free.word[k] != 0;
                d->sets.free.word[k] |= free.word[k];
            }
            if (d->wave[wave].pending && others && (status = dbg_take_back_step(d, wave, err)))
                return status;
        }
        if (i < d->run.stepper_count && d->run.stepper[i] == wave)
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
    dbg_fill_set(d, &eligible, 0);
    for (uint32_t w = 0; w < d->topology->waves; w++)
        if (d->wave[w].go == GO_STOPPED)
            wt_wave_set_add(&eligible, w);
    assign_all(d, list, count, &eligible);
    for (uint32_t w = 0; w < d->topology->waves && d->run.nonstop; w++) {
        /* Waves that are spawned later run, too: no client would resume them. */
        if (wt_wave_set_has(&eligible, w) && !dbg_is_active(d, w))
            dbg_set_go(d, w, GO_FREE);
    }
    /* If all waves are resumed, waves that begin later run, too. */
    d->run.launches_run = d->run.nonstop;
    for (size_t i = 0; i < count; i++)
        d->run.launches_run |= list[i].thread == 0 && list[i].kind == WT_RESUME_CONTINUE;
    dbg_begin_patience(d, &list[0]);
    d->ops->hold_launches(d->probe, !d->run.launches_run || d->run.to_launch);
    /* `held`: these waves are marked to run but are still halted, so memory can be written through
     * them. */
    dbg_copy_set(d, &d->sets.held, &eligible);
    if ((status = dbg_sync_all(d, err)))
        return status;
    if (services->clear_fault)
        services->clear_fault(d->target->context);
    if ((status = make_ready(d, &eligible, err)) || dbg_is_over(d))
        return status;
    bool any = d->run.launches_run;
    for (unsigned i = 0; i < d->sets.words; i++) {
        /* Of a program that runs by itself, a wave may have begun, and be held, since the last
         * scan. */
        go.word[i] = eligible.word[i] & d->sets.free.word[i] &
                     (d->run.launches_run && !d->target->services->pump ? UINT32_MAX
                                                                        : d->sets.active.word[i]);
        any |= go.word[i] != 0;
    }
    for (uint32_t w = 0; w < d->topology->waves; w++)
        if (wt_wave_set_has(&eligible, w) && d->wave[w].go == GO_FREE)
            dbg_forget(d, w);
    d->run.going = true;
    return any ? d->ops->resume(d->probe, &go, err) : WT_OK;
}

/* Non-stop: stops the waves that are to stop. *others: the client also asked for something else. */
static enum wt_status stop_named(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                                 bool *others, struct wt_error *err)
{
    enum wt_status status;
    *others = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t wave = 0, end = d->topology->waves;
        unsigned lane = 0;
        *others |= list[i].kind != WT_RESUME_STOP;
        if (list[i].kind != WT_RESUME_STOP)
            continue;
        if (list[i].thread &&
            dbg_locate_there(d, list[i].thread, &wave, &lane, WT_IGNORED) == WT_OK)
            end = wave + 1;
        for (; wave < end; wave++)
            if ((status = dbg_stop_wave(d, wave, lane, err)))
                return status;
    }
    return WT_OK;
}

enum wt_status dbg_begin_live(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                              struct wt_error *err)
{
    bool others;
    enum wt_status status = stop_named(d, list, count, &others, err);
    if (status || !others)
        return status;
    dbg_drop_hits(d);
    if ((status = dbg_keep_still(d, true, err)))
        return status;
    status = dbg_end_still(d, set_going(d, list, count, err), err);
    dbg_fill_set(d, &d->sets.held, 0);
    if (status && !d->run.nonstop) {
        dbg_halt_everything(d, WT_IGNORED);
        d->run.lost = true;
    }
    return status;
}
