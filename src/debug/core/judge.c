/*
 * Decides whether a run stops. The rules are the same for both directions and both ways of running.
 * This file handles breakpoints, whose conditions and commands are run here, and step plans.
 * Watchpoints are in hits.c.
 */
#include "debug/core/judge.h"

#include <stdio.h>

#include "base/text.h"
#include "debug/core/conditions.h"
#include "debug/core/judged.h"

/* A condition that cannot be read stops the run, which is said. */
static void tell_unread(const struct wt_debugger *d, wt_lanes lanes, struct wt_event *event)
{
    if (!lanes)
        return;
    event->undecided = true;
    wt_unread_text(d->topology, "breakpoint", lanes, event->text, sizeof event->text);
}

void wt_unread_text(const struct wt_topology *topology, const char *what, wt_lanes lanes,
                    char *text, size_t size)
{
    char list[WT_LANES_TEXT];
    wt_lanes_list(lanes, ", ", list, sizeof list);
    snprintf(text, size, "the %s's condition cannot be read here in %s%s %.180s", what,
             topology->lane_word, wt_lanes_count(lanes) > 1 ? "s" : "", list);
}

void wt_debugger_leave_out(struct wt_debugger *d, wt_wave_id wave, const uint64_t *addr,
                           size_t count)
{
    d->run.left_out.wave = wave;
    d->run.left_out.addr = addr;
    d->run.left_out.count = count;
    d->run.left_out.times = 0;
}

uint64_t wt_debugger_left_out(const struct wt_debugger *d)
{
    return d->run.left_out.times;
}

/* Whether a breakpoint is not to stop a wave; it is counted. */
static bool leaves_out(struct wt_debugger *d, const struct breakpoint *bp, wt_wave_id wave)
{
    if (wave == d->run.left_out.wave || bp->claim_count > 1)
        return false;
    for (size_t i = 0; i < d->run.left_out.count; i++)
        if (d->run.left_out.addr[i] == bp->addr) {
            d->run.left_out.times++;
            return true;
        }
    return false;
}

enum wt_status dbg_judge_breakpoint(struct wt_debugger *d, const struct breakpoint *bp,
                                    const struct arrival *a, bool *stops, struct stop *stop,
                                    struct wt_error *err)
{
    wt_lanes lanes = 0;
    assert(a->wave < d->topology->waves);
    if (a->code) {
        lanes = dbg_evaluate_in_engine(a->code, a->wave, a->pc, a->mask, a->time, !a->backwards);
        *stops = lanes != 0;
    } else if (dbg_judged(d, bp, a->wave, &lanes)) {
        *stops = lanes != 0;
    } else {
        enum wt_status status = dbg_evaluate(d, bp, a->wave, !a->backwards, stops, &lanes, err);
        if (status)
            return status;
    }
    const struct bp_code *code = a->code ? a->code : bp->code;
    *stop = (struct stop){.wave = a->wave,
                          .id = d->wave[a->wave].self.id,
                          .lane = dbg_lane_to_stop(d, a->wave, lanes),
                          .event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_BREAKPOINT},
                          .choose_lane = dbg_has_conditions(code),
                          .passes = true,
                          .pc = a->pc};
    *stops = *stops && !leaves_out(d, bp, stop->id);
    if (*stops && dbg_has_conditions(code))
        tell_unread(d, code->unread & lanes, &stop->event);
    return WT_OK;
}

struct stop dbg_plan_stop(uint32_t wave, wt_wave_id id, const struct plan *plan)
{
    return (struct stop){.wave = wave,
                         .id = id,
                         .lane = plan->lane,
                         .event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_STEP}};
}
