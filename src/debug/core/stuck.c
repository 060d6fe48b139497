/*
 * Ends a run in which nothing goes on, where its client wants to hear of it: the waves that were
 * resumed wait for others, or one of them spins. A wave spins that comes back to an equal state
 * again and again: memory is no part of the state, so that a few times prove nothing.
 */
#include "debug/core/stuck.h"

#include <stdio.h>

#include "base/clock.h"
#include "debug/core/events.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/stop.h"

/* Steps before states are read: most lines take fewer. */
#define FIRST_STEPS 256u
/* Of states that differ at one place so many are read, and then one in so many. */
#define DIFFERENT 64u

bool wt_debugger_tells_waits(const struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    return services->wave_detail || services->wave_waits;
}

void dbg_begin_patience(struct wt_debugger *d, const struct wt_resume *first)
{
    struct run_patience *p = &d->run.patience;
    const struct run_patience before = *p;
    *p = (struct run_patience){.wave = WT_NO_HANDLE};
    if (!first->patience || d->run.nonstop || !wt_debugger_tells_waits(d) ||
        dbg_locate_there(d, first->thread, &p->wave, &p->lane, WT_IGNORED) != WT_OK)
        return;
    const wt_wave_id id = d->wave[p->wave].self.id;
    if (first->goes_on && before.id == id) {
        const struct run_patience at = *p;
        *p = before;
        p->wave = at.wave;
        p->lane = at.lane;
        p->until_ns = 0;
    }
    p->id = id;
    p->limit = p->limit ? p->limit : FIRST_STEPS;
    p->ms = first->patience;
    p->most = first->most;
}

static enum wt_status end_run(struct wt_debugger *d, enum wt_stuck stuck, const char *text,
                              struct wt_error *err)
{
    const struct run_patience *p = &d->run.patience;
    struct stop stop = {.wave = p->wave,
                        .id = p->id,
                        .lane = p->lane,
                        .event = {.reason = WT_STOP_STEP, .stuck = stuck}};
    snprintf(stop.event.text, sizeof stop.event.text, "%s", text);
    d->run.patience.wave = WT_NO_HANDLE;
    return dbg_stop(d, &stop, err);
}

/* Whether the wave, after one more step, has come back to the state that is kept often enough. One
 * that does not recur is given up after a time that grows, so that a state of any loop is kept for
 * long enough. */
static bool spins(struct wt_debugger *d, const struct wave *w)
{
    const struct wt_target_services *services = d->target->services;
    struct run_patience *p = &d->run.patience;
    if (++p->steps < FIRST_STEPS || !services->wave_state)
        return false;
    p->kept++;
    if (p->state && p->pc == w->pc && (p->other < DIFFERENT || p->other % DIFFERENT == 0)) {
        if (services->wave_state(d->target->context, p->wave, p->id) == p->state) {
            p->kept = p->other = 0;
            return ++p->same >= WT_SPINS;
        }
        p->same = 0;
    }
    p->other += p->pc == w->pc;
    if (p->state && p->kept < p->limit)
        return false;
    p->limit += p->limit / 2;
    p->pc = w->pc;
    p->state = services->wave_state(d->target->context, p->wave, p->id);
    p->kept = p->same = p->other = 0;
    return false;
}

enum wt_status dbg_count_step(struct wt_debugger *d, struct wt_error *err)
{
    const struct run_patience *p = &d->run.patience;
    const struct wave *w = &d->wave[p->wave];
    if (w->go != GO_PLAN || !w->have_pc || w->self.id != p->id || d->run.launches_run)
        return WT_OK;
    if (spins(d, w))
        return end_run(d, WT_STUCK_SPINS, "", err);
    return p->most && p->steps >= p->most && !p->same ? end_run(d, WT_STUCK_LONG, "", err) : WT_OK;
}

/* Why a wave that was resumed waits; false: it does not, or that is not known. */
static bool waits(struct wt_debugger *d, uint32_t wave, struct wt_wave_view *view)
{
    return dbg_wave_view(d, wave, view) && view->waiting;
}

enum wt_status dbg_end_patience(struct wt_debugger *d, bool still, struct wt_error *err)
{
    struct run_patience *p = &d->run.patience;
    struct wt_wave_view own, view;
    const bool free = dbg_any_free_active(d);
    if (!d->run.going || dbg_is_over(d) || d->run.launches_run)
        return WT_OK;
    const uint64_t now = free ? wt_clock_ns() : 0;
    if (free && !p->until_ns)
        p->until_ns = now + p->ms * 1000000u;
    if (still && dbg_is_active(d, p->wave) && waits(d, p->wave, &own)) {
        bool all = true;
        for (uint32_t w = 0; w < d->topology->waves && all; w++)
            all = w == p->wave || d->wave[w].go == GO_STOPPED || !dbg_is_active(d, w) ||
                  waits(d, w, &view);
        if (all)
            return end_run(d,
                           own.at_barrier && !own.between_cores ? WT_STUCK_BARRIER : WT_STUCK_WAITS,
                           own.wait, err);
    }
    return free && now > p->until_ns ? end_run(d, WT_STUCK_LONG, "", err) : WT_OK;
}
