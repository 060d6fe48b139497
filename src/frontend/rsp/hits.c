/*
 * The lanes of a wave that met a breakpoint together. GDB evaluates for one thread, the one that a
 * stop names, what it cannot send along with a breakpoint: conditions with floating point or
 * convenience variables, `break … thread N`, dprintf of its own. When that does not hold it steps
 * the thread off the breakpoint and continues, without a word to the user and without looking at
 * the list of threads. Then the hit of the next lane is reported. The wave has left the breakpoint
 * by then: the lane is shown at it, with the register that the instruction has written as it was
 * before, and the step off it is answered without going on, as after a watchpoint (watchpoints.c).
 * Backwards the device is put to the time of the hit again.
 *
 * A client that asks for the list of threads shows the stop to a person, who is told of the wave
 * once. A breakpoint that GDB inserts at a stop that it shows to nobody is where a `next` of one
 * thread goes on behind a call: the other waves that come by are told of once, too.
 */
#include "frontend/rsp/session.h"

#include <assert.h>
#include <string.h>

void wt_rsp_see_stop(struct wt_rsp_session *s)
{
    struct wt_thread_position place;
    struct wt_error ignored;
    s->seen = true;
    if (wt_debugger_thread_position(s->debugger, wt_rsp_thread(s), &place, &ignored) == WT_OK)
        s->seen_pc = place.pc;
    if (!s->each_lane)
        wt_rsp_close_hits(s);
}

static const struct wt_rsp_breakpoint *breakpoint_at(const struct wt_rsp_session *s, uint64_t addr)
{
    for (size_t i = 0; i < s->breakpoint_count; i++)
        if (s->breakpoints[i].addr == addr)
            return &s->breakpoints[i];
    return NULL;
}

bool wt_rsp_client_decides(const struct wt_rsp_session *s, uint64_t pc)
{
    const struct wt_rsp_breakpoint *b = breakpoint_at(s, pc);
    return b && !b->evaluated && !b->internal;
}

void wt_rsp_close_hits(struct wt_rsp_session *s)
{
    s->hits.state = WT_RSP_HITS_NONE;
}

static void open_hits(struct wt_rsp_session *s, const struct wt_event *event)
{
    struct wt_rsp_hits *h = &s->hits;
    struct wt_thread_position place;
    struct wt_error ignored;
    wt_rsp_close_hits(s);
    if (s->nonstop || s->lldb || event->kind != WT_EVENT_STOPPED ||
        event->reason != WT_STOP_BREAKPOINT ||
        wt_debugger_thread_position(s->debugger, event->thread, &place, &ignored))
        return;
    const wt_lanes left = place.active & ~wt_lane_bit(place.lane);
    if (!wt_rsp_client_decides(s, place.pc) || !left)
        return;
    *h = (struct wt_rsp_hits){.state = WT_RSP_HITS_STANDING,
                              .thread = event->thread,
                              .backwards = s->backwards,
                              .left = left,
                              .before = {.pc = place.pc, .written = -1},
                              .chosen_lane = place.lane};
}

bool wt_rsp_keep_before(struct wt_rsp_session *s, wt_thread thread, wt_lanes lanes,
                        struct wt_rsp_before *before)
{
    struct wt_instruction instruction;
    struct wt_error ignored;
    if (wt_debugger_instruction(s->debugger, thread, before->pc, &instruction, &ignored))
        return false;
    before->written = instruction.written;
    if (before->written < 0)
        return true;
    const unsigned index = (unsigned)before->written;
    const size_t size = wt_register_row(&s->topology->registers[index], lanes);
    before->lanes = lanes;
    return size <= sizeof before->row && wt_debugger_read_rows(s->debugger, thread, lanes, &index,
                                                               1, before->row, &ignored) == WT_OK;
}

bool wt_rsp_show_before(struct wt_rsp_session *s, const struct wt_rsp_before *before,
                        wt_thread thread, unsigned lane)
{
    struct wt_rsp_shown *shown = wt_rsp_show_at(s, thread, before->pc);
    if (!shown)
        return false;
    shown->written = before->written;
    if (before->written < 0)
        return true;
    const struct wt_register *r = &s->topology->registers[before->written];
    const size_t size = wt_register_size(r);
    const unsigned earlier = wt_lanes_count(before->lanes & (wt_lane_bit(lane) - 1));
    if (size > sizeof shown->value)
        return false;
    memcpy(shown->value, before->row + (r->scope == WT_SCOPE_LANE ? earlier * size : 0), size);
    return true;
}

/* The hit of the next lane; false if it cannot be told. */
static bool tell_next(struct wt_rsp_session *s)
{
    struct wt_rsp_hits *h = &s->hits;
    assert(h->left && h->state != WT_RSP_HITS_NONE);
    const unsigned lane = wt_lanes_lowest(h->left);
    struct wt_error ignored;
    if (!breakpoint_at(s, h->before.pc))
        return false;
    if (wt_debugger_thread_mode(s->debugger) == WT_THREADS_WAVES &&
        wt_debugger_choose_lane(s->debugger, lane, &ignored))
        return false;
    const wt_thread thread = wt_debugger_thread_of_lane(s->debugger, h->thread, lane);
    if (h->state == WT_RSP_HITS_PASSED && !wt_rsp_show_before(s, &h->before, thread, lane))
        return false;
    h->left &= ~wt_lane_bit(lane);
    h->thread = thread;
    const struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .reason = WT_STOP_BREAKPOINT, .thread = thread};
    wt_rsp_reply_stop(s, &event);
    return true;
}

/* All have been told, and nobody saw it: a warp's thread shows the lane that it showed. */
static void end_hits(struct wt_rsp_session *s)
{
    struct wt_error ignored;
    if (wt_debugger_thread_mode(s->debugger) == WT_THREADS_WAVES)
        wt_debugger_choose_lane(s->debugger, s->hits.chosen_lane, &ignored);
    wt_rsp_close_hits(s);
}

bool wt_rsp_next_hit(struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    struct wt_rsp_hits *h = &s->hits;
    if (h->state == WT_RSP_HITS_NONE)
        return false;
    if (h->backwards && h->state != WT_RSP_HITS_STANDING) {
        wt_rsp_close_hits(s); /* the client has turned round */
        return false;
    }
    h->backwards = false;
    if (count == 1 && list[0].kind == WT_RESUME_STEP && list[0].thread == h->thread) {
        if (h->state == WT_RSP_HITS_STANDING && h->left &&
            wt_rsp_keep_before(s, h->thread, h->left, &h->before))
            h->state = WT_RSP_HITS_STEPPING;
        else if (h->state != WT_RSP_HITS_PASSED || !wt_rsp_shown_pc(s, h->thread))
            wt_rsp_close_hits(s);
        return false;
    }
    bool all = false;
    for (size_t i = 0; i < count; i++)
        all |= list[i].thread == 0 && list[i].kind == WT_RESUME_CONTINUE;
    if (all && h->left && tell_next(s))
        return true;
    end_hits(s);
    return false;
}

bool wt_rsp_next_hit_back(struct wt_rsp_session *s, const struct wt_resume *resume)
{
    struct wt_rsp_hits *h = &s->hits;
    struct wt_debugger_time time;
    struct wt_error ignored;
    if (h->state == WT_RSP_HITS_NONE)
        return false;
    if (resume->kind == WT_RESUME_STEP && resume->thread == h->thread && h->left &&
        h->state == WT_RSP_HITS_STANDING &&
        wt_debugger_time(s->debugger, &time, &ignored) == WT_OK) {
        h->backwards = true;
        h->time = time.now;
        h->state = WT_RSP_HITS_STEPPING;
        return false;
    }
    if (resume->kind == WT_RESUME_CONTINUE && h->backwards && h->state == WT_RSP_HITS_PASSED &&
        wt_debugger_goto(s->debugger, h->time, &ignored) == WT_OK) {
        h->state = WT_RSP_HITS_STANDING;
        if (tell_next(s))
            return true;
    }
    end_hits(s);
    return false;
}

void wt_rsp_note_hits(struct wt_rsp_session *s, const struct wt_event *event)
{
    struct wt_rsp_hits *h = &s->hits;
    if (h->state == WT_RSP_HITS_STEPPING && event->kind == WT_EVENT_STOPPED &&
        event->reason == WT_STOP_STEP && event->thread == h->thread)
        h->state = WT_RSP_HITS_PASSED;
    else
        open_hits(s, event);
}
