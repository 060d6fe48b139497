/*
 * Handles LLDB's way of stepping off a breakpoint. LLDB steps the threads at a breakpoint one after
 * another: it lifts the breakpoint, steps that thread alone, and inserts the breakpoint again.
 * Lanes of one wave move together, so the first of these steps has moved all active lanes; the
 * steps of the other lanes are answered without moving the wave again.
 */
#include "frontend/rsp/session.h"

#include <stdlib.h>

#include "base/array.h"

static bool has_breakpoint(const struct wt_rsp_session *s, uint64_t addr)
{
    for (size_t i = 0; i < s->breakpoint_count; i++)
        if (s->breakpoints[i].addr == addr)
            return true;
    return false;
}

static struct wt_rsp_followed *find(struct wt_rsp_session *s, wt_wave_id wave)
{
    for (size_t i = 0; i < s->follow.wave_count; i++)
        if (s->follow.wave[i].id == wave)
            return &s->follow.wave[i];
    return NULL;
}

void wt_rsp_forget_followed(struct wt_rsp_session *s)
{
    s->follow.wave_count = 0;
    s->follow.has_lifted = false;
}

void wt_rsp_follow_insert(struct wt_rsp_session *s, uint64_t addr)
{
    for (size_t i = 0; i < s->follow.wave_count; i++)
        s->follow.wave[i].inserted_again |= s->follow.wave[i].left == addr;
    s->follow.has_lifted &= s->follow.lifted != addr;
}

void wt_rsp_follow_remove(struct wt_rsp_session *s, uint64_t addr)
{
    s->follow.lifted = addr;
    s->follow.has_lifted = true;
}

bool wt_rsp_went_along(struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    struct wt_thread_position place;
    struct wt_wave wave;
    struct wt_error ignored;
    if (!s->lldb || s->nonstop || count != 1 || list[0].kind != WT_RESUME_STEP || !list[0].thread ||
        wt_debugger_thread_mode(s->debugger) != WT_THREADS_LANES || !s->follow.wave_count ||
        !wt_debugger_thread_wave(s->debugger, list[0].thread, &wave) ||
        wt_debugger_thread_position(s->debugger, list[0].thread, &place, &ignored))
        return false;
    struct wt_rsp_followed *f = find(s, wave.id);
    if (!f || !wt_has_lane(f->lanes, place.lane) || !f->inserted_again ||
        has_breakpoint(s, f->left) || place.pc == f->left)
        return false;
    f->lanes &= ~wt_lane_bit(place.lane);
    return true;
}

static void forget_wave(struct wt_rsp_session *s, wt_thread thread)
{
    struct wt_wave wave;
    struct wt_rsp_followed *f = NULL;
    if (wt_debugger_thread_wave(s->debugger, thread, &wave))
        f = find(s, wave.id);
    if (f)
        *f = s->follow.wave[--s->follow.wave_count];
}

/* A thread is stepped: notes the lanes that move with it off a breakpoint that was lifted. If
 * memory runs out nothing is noted, and LLDB's other steps move the wave. */
static void note_step(struct wt_rsp_session *s, wt_thread thread)
{
    struct wt_rsp_follow *f = &s->follow;
    struct wt_thread_position place;
    struct wt_wave wave;
    struct wt_error ignored;
    if (!f->has_lifted || !wt_debugger_thread_wave(s->debugger, thread, &wave) ||
        wt_debugger_thread_position(s->debugger, thread, &place, &ignored) || place.pc != f->lifted)
        return;
    struct wt_rsp_followed *more =
        wt_array_grow(f->wave, &f->wave_capacity, f->wave_count + 1, sizeof *more);
    if (!more)
        return;
    f->wave = more;
    f->wave[f->wave_count++] = (struct wt_rsp_followed){
        .id = wave.id, .lanes = place.active & ~wt_lane_bit(place.lane), .left = place.pc};
}

void wt_rsp_follow_resume(struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    if (!s->lldb)
        return;
    for (size_t i = 0; i < count; i++) {
        if (list[i].thread == 0) {
            wt_rsp_forget_followed(s);
            return;
        }
        forget_wave(s, list[i].thread);
    }
    for (size_t i = 0; i < count && !s->nonstop; i++)
        if (list[i].kind == WT_RESUME_STEP &&
            wt_debugger_thread_mode(s->debugger) == WT_THREADS_LANES)
            note_step(s, list[i].thread);
    s->follow.has_lifted = false;
}
