/*
 * Non-stop: the lanes of a wave that met a breakpoint together, where each lane is a thread. GDB
 * evaluates by itself what it cannot send along with a breakpoint, for the thread that a stop
 * names, so each lane gets a stop of its own. GDB steps a thread for which the condition does not
 * hold off the breakpoint and continues it, one thread after another. The first of these steps
 * moves the whole wave: the other lanes are shown at the breakpoint from then on, and their steps
 * are answered without going on (hits.c does the same in all-stop, where GDB hears of one thread at
 * a time). The wave itself goes on when the last of its lanes has been continued: a lane whose
 * condition holds stands where GDB shows it.
 *
 * `next`, `step` and `finish` of one lane go on behind a call: GDB inserts a breakpoint where the
 * call returns, or where the function begins, and continues that lane alone. The wave goes on with
 * it then, and the lanes that stay behind are shown at the breakpoint as before, until they are
 * stepped: that step is answered where their wave is. Such a breakpoint is inserted after a step of
 * the lane, or its address is one that the lane returns to.
 */
#include "frontend/rsp/session.h"

#include <assert.h>

#include "base/array.h"
#include "base/bits.h"

#define STACK_BYTES 4096 /* searched for return addresses */

static struct wt_rsp_held *held_of(struct wt_rsp_session *s, wt_thread thread)
{
    struct wt_wave wave;
    if (!s->held_count || !wt_debugger_thread_wave(s->debugger, thread, &wave))
        return NULL;
    for (size_t i = 0; i < s->held_count; i++)
        if (s->held[i].wave == wave.id)
            return &s->held[i];
    return NULL;
}

static void drop(struct wt_rsp_session *s, struct wt_rsp_held *held)
{
    assert(held >= s->held && held < s->held + s->held_count);
    *held = s->held[--s->held_count];
}

/* Which of the lanes that met the breakpoint a thread is; none where it is none of them. */
static wt_lanes lane_of(struct wt_rsp_session *s, const struct wt_rsp_held *held, wt_thread thread)
{
    for (wt_lanes rest = held->met; rest; rest &= rest - 1) {
        const unsigned lane = wt_lanes_lowest(rest);
        if (wt_debugger_thread_of_lane(s->debugger, held->thread, lane) == thread)
            return wt_lane_bit(lane);
    }
    return 0;
}

/* Reports the stop of the first lane at a breakpoint. If memory runs out the other lanes merely
 * stop. */
static void open_held(struct wt_rsp_session *s, const struct wt_event *event)
{
    struct wt_thread_position place;
    struct wt_wave wave;
    struct wt_rsp_held *held = held_of(s, event->thread);
    if (held)
        drop(s, held);
    if (wt_debugger_thread_mode(s->debugger) != WT_THREADS_LANES ||
        wt_debugger_thread_position(s->debugger, event->thread, &place, WT_IGNORED) ||
        !wt_debugger_thread_wave(s->debugger, event->thread, &wave) ||
        !wt_rsp_client_decides(s, place.pc))
        return;
    struct wt_rsp_held *grown =
        wt_array_grow(s->held, &s->held_capacity, s->held_count + 1, sizeof *grown);
    if (!grown)
        return;
    s->held = grown;
    s->held[s->held_count++] =
        (struct wt_rsp_held){.wave = wave.id,
                             .thread = event->thread,
                             .met = place.active,
                             .left = place.active,
                             .untold = place.active & ~wt_lane_bit(place.lane),
                             .before = {.pc = place.pc, .written = -1}};
}

void wt_rsp_note_held(struct wt_rsp_session *s, struct wt_event *event)
{
    if (event->kind != WT_EVENT_STOPPED)
        return;
    if (event->reason == WT_STOP_BREAKPOINT) {
        open_held(s, event);
        return;
    }
    struct wt_rsp_held *held = held_of(s, event->thread);
    if (held && event->reason == WT_STOP_STEP)
        held->stepped = event->thread;
    if (!held || event->reason != WT_STOP_REQUESTED)
        return;
    const wt_lanes lane = lane_of(s, held, event->thread) & held->untold;
    held->untold &= ~lane;
    if (wt_rsp_knows_stopped(s, event->thread)) {
        held->left &= ~lane; /* the client did not resume it: there is nothing to wait for */
        held->met &= ~lane;
    } else if (lane)
        event->reason = WT_STOP_BREAKPOINT;
}

static int register_of(const struct wt_rsp_session *s, enum wt_register_role role)
{
    for (size_t i = 0; i < s->topology->register_count; i++)
        if (s->topology->registers[i].role == role)
            return (int)i;
    return -1;
}

/* Whether a thread may return to an address: it is in its return address register, or on its stack.
 */
static bool returns_to(struct wt_rsp_session *s, wt_thread thread, uint64_t addr)
{
    const int index[] = {register_of(s, WT_ROLE_RA), register_of(s, WT_ROLE_SP)};
    const size_t size = s->topology->address_bits / 8;
    uint64_t ra, sp;
    uint8_t stack[STACK_BYTES];
    size_t there = 0;
    if (index[0] < 0 || index[1] < 0 ||
        wt_debugger_read_numbers(s->debugger, thread, &(unsigned){(unsigned)index[0]}, 1, &ra,
                                 WT_IGNORED) ||
        wt_debugger_read_numbers(s->debugger, thread, &(unsigned){(unsigned)index[1]}, 1, &sp,
                                 WT_IGNORED))
        return false;
    bool found = ra == addr;
    if (!found && wt_rsp_read_memory(s, sp, stack, sizeof stack, &there, WT_IGNORED))
        return false;
    for (size_t at = 0; !found && at + size <= there; at += size)
        found = wt_load_le(stack + at, size) == addr;
    return found;
}

void wt_rsp_note_way(struct wt_rsp_session *s, uint64_t addr)
{
    struct wt_rsp_held *held = s->nonstop && s->general ? held_of(s, s->general) : NULL;
    if (held && addr != held->before.pc &&
        (held->stepped == s->general || returns_to(s, s->general, addr)))
        held->bound = s->general;
}

/* The client stops a thread that it takes for running, though its wave is held. */
static void tell_standing(struct wt_rsp_session *s, wt_thread thread)
{
    const struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .reason = WT_STOP_REQUESTED, .thread = thread};
    if (!wt_rsp_knows_stopped(s, thread))
        wt_rsp_push_notice(s, &event);
}

/* Applies one action to a thread of a held wave; false if the wave stays as it is. */
static bool goes(struct wt_rsp_session *s, struct wt_rsp_held *held, const struct wt_resume *resume)
{
    if (resume->kind == WT_RESUME_STOP) {
        tell_standing(s, resume->thread);
        return false;
    }
    const wt_lanes lane = lane_of(s, held, resume->thread);
    /* A lane that has stayed behind: its step is done already. */
    if (resume->kind != WT_RESUME_CONTINUE && !(lane & held->left) &&
        wt_rsp_shown_pc(s, resume->thread))
        return true;
    held->untold = 0;
    held->left &= ~lane;
    if (!held->left) {
        drop(s, held);
        return true;
    }
    if (resume->kind == WT_RESUME_CONTINUE && lane && held->bound != resume->thread) {
        wt_rsp_take_shown(s, resume->thread);
        wt_rsp_set_known(s, resume->thread, false);
        return false;
    }
    if (resume->kind == WT_RESUME_CONTINUE)
        held->bound = held->stepped = 0;
    if (held->passed)
        return true;
    held->passed = held->to_show = true;
    if (!wt_rsp_keep_before(s, resume->thread, held->left, &held->before))
        drop(s, held); /* the lanes are where the step takes them */
    return true;
}

/* Applies an action for all threads to those of held waves. */
static void all_go(struct wt_rsp_session *s, enum wt_resume_kind kind)
{
    if (kind != WT_RESUME_STOP)
        s->held_count = 0;
    for (size_t i = 0; i < s->held_count; i++) {
        struct wt_wave wave;
        if (!wt_debugger_thread_wave(s->debugger, s->held[i].thread, &wave))
            continue;
        for (unsigned lane = 0; lane < wave.lanes; lane++)
            tell_standing(s, wt_debugger_thread_of_lane(s->debugger, s->held[i].thread, lane));
    }
}

size_t wt_rsp_hold(struct wt_rsp_session *s, struct wt_resume *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct wt_rsp_held *held = list[i].thread ? held_of(s, list[i].thread) : NULL;
        if (!list[i].thread)
            all_go(s, list[i].kind);
        if (!held || goes(s, held, &list[i]))
            list[kept++] = list[i];
    }
    return kept;
}

void wt_rsp_show_held(struct wt_rsp_session *s)
{
    for (size_t i = 0; i < s->held_count; i++) {
        struct wt_rsp_held *held = &s->held[i];
        for (wt_lanes rest = held->to_show ? held->left : 0; rest; rest &= rest - 1) {
            const unsigned lane = wt_lanes_lowest(rest);
            const wt_thread thread = wt_debugger_thread_of_lane(s->debugger, held->thread, lane);
            wt_rsp_show_before(s, &held->before, thread, lane);
        }
        held->to_show = false;
    }
}
