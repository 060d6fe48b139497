/* Threads: the lanes, or whole waves, that a front end sees. */
#include "debug/core/threads.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/wave_name.h"
#include "debug/core/known.h"
#include "debug/core/lost.h"
#include "debug/core/numbering.h"

enum wt_thread_mode wt_debugger_thread_mode(struct wt_debugger *d)
{
    return d->threads.mode;
}

void wt_debugger_set_thread_mode(struct wt_debugger *d, enum wt_thread_mode mode)
{
    d->threads.wanted_mode = mode;
    dbg_choose_mode(d);
}

void wt_debugger_set_auto_lanes(struct wt_debugger *d, unsigned most)
{
    d->threads.auto_lanes = most;
    dbg_choose_mode(d);
}

enum wt_status wt_debugger_choose_lane(struct wt_debugger *d, unsigned lane, struct wt_error *err)
{
    if (lane >= d->topology->lanes)
        return wt_fail(err, WT_INVALID, "there is no %s %u: a %s has %u of them (0 to %u)",
                       d->topology->lane_word, lane, d->topology->wave_word, d->topology->lanes,
                       d->topology->lanes - 1);
    d->threads.chosen_lane = lane;
    return WT_OK;
}

unsigned wt_debugger_chosen_lane(struct wt_debugger *d)
{
    return d->threads.chosen_lane;
}

enum wt_status dbg_refresh(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = dbg_regain(d, err);
    if (status || (d->sets.active_known && !d->run.going))
        return status;
    return dbg_scan(d, NULL, err);
}

void wt_debugger_focus(struct wt_debugger *d, wt_thread thread)
{
    uint32_t wave;
    unsigned lane;
    if (dbg_locate_there(d, thread, &wave, &lane, WT_IGNORED) != WT_OK)
        return;
    d->threads.current = dbg_thread_of(d, wave, lane);
    if (d->threads.mode == WT_THREADS_LANES)
        d->wave[wave].focus = (uint8_t)(lane + 1);
}

void wt_debugger_pass_breakpoint(struct wt_debugger *d, wt_thread thread)
{
    uint32_t wave;
    unsigned lane;
    if (dbg_locate_there(d, thread, &wave, &lane, WT_IGNORED) != WT_OK ||
        dbg_need_pc(d, wave, WT_IGNORED) != WT_OK)
        return;
    d->wave[wave].has_reported = true;
    d->wave[wave].reported_trap = false;
    d->wave[wave].reported_pc = d->wave[wave].pc;
}

bool wt_debugger_thread_alive(struct wt_debugger *d, wt_thread thread)
{
    uint32_t wave;
    unsigned lane;
    struct wt_error ignored;
    if (thread == 0 || dbg_refresh(d, &ignored) ||
        dbg_locate_there(d, thread, &wave, &lane, &ignored))
        return false;
    return dbg_thread_of(d, wave, lane) == thread;
}

bool wt_debugger_thread_wave(struct wt_debugger *d, wt_thread thread, struct wt_wave *wave)
{
    const struct dbg_numbered *n = dbg_find_numbered(d, thread);
    if (!n)
        return false;
    *wave = n->wave;
    return true;
}

void wt_debugger_thread_name(struct wt_debugger *d, wt_thread thread, char *text, size_t size)
{
    struct wt_wave at;
    uint32_t wave;
    unsigned lane;
    struct wt_error ignored;
    if (!wt_debugger_thread_wave(d, thread, &at) || dbg_locate(d, thread, &wave, &lane, &ignored)) {
        snprintf(text, size, "?");
        return;
    }
    bool lanes = d->threads.mode == WT_THREADS_LANES;
    char slot[WT_WAVE_NAME], lane_text[64] = "", note[16] = "";
    wt_debugger_name_wave(d, &at, slot, sizeof slot);
    if (lanes)
        snprintf(lane_text, sizeof lane_text, ", %s %u", d->topology->lane_word, lane);
    if (lanes && d->sets.active_known && dbg_is_there(d, thread) && dbg_stands(d, wave) &&
        dbg_need_mask(d, wave, &ignored) == WT_OK && !wt_has_lane(d->wave[wave].mask, lane))
        snprintf(note, sizeof note, " (masked off)");
    snprintf(text, size, "%s%s%s", slot, lane_text, note);
}

wt_thread wt_debugger_current_thread(struct wt_debugger *d)
{
    if (d->threads.current && wt_debugger_thread_alive(d, d->threads.current))
        return d->threads.current;
    if (dbg_refresh(d, WT_IGNORED))
        return 0;
    for (unsigned i = 0; i < d->sets.words; i++) {
        if (!d->sets.active.word[i])
            continue;
        uint32_t wave = 32 * i + (uint32_t)__builtin_ctz(d->sets.active.word[i]);
        unsigned lane = 0;
        if (dbg_stands(d, wave) && dbg_need_mask(d, wave, WT_IGNORED) == WT_OK &&
            d->wave[wave].mask)
            lane = wt_lanes_lowest(d->wave[wave].mask);
        return dbg_thread_of(d, wave, lane);
    }
    return 0;
}

enum wt_status dbg_stopped_thread(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                  unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_regain(d, err);
    if (!status && (d->travel.going || d->run.stopping.on))
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    if (!status && thread == 0)
        thread = wt_debugger_current_thread(d);
    if (!status)
        status = dbg_locate(d, thread, wave, lane, err);
    if (!status && (!d->sets.active_known || d->run.going))
        status = dbg_scan(d, NULL, err);
    if (status)
        return status;
    if (!dbg_is_there(d, thread))
        return wt_fail(err, WT_INVALID, "thread %u has ended", (unsigned)thread);
    if (d->wave[*wave].go != GO_STOPPED)
        return dbg_refuse_running(d, &d->wave[*wave], err);
    return WT_OK;
}

/* ---- the list ---- */

static bool reserve_threads(struct wt_debugger *d, size_t count)
{
    struct wt_thread_info *more =
        wt_array_grow(d->threads.list, &d->threads.capacity, count, sizeof *more);
    if (!more)
        return false;
    d->threads.list = more;
    return true;
}

static enum wt_status list_wave(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    const struct wave *w = &d->wave[wave];
    const wt_lanes all = wt_lanes_first(w->self.lanes);
    const unsigned lanes = d->threads.mode == WT_THREADS_LANES ? w->self.lanes : 1;
    const bool running = !dbg_stands(d, wave);
    if (!reserve_threads(d, d->threads.count + lanes) || !dbg_thread_of(d, wave, 0))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the list of threads");
    if (!running) {
        enum wt_status status = dbg_need_pc(d, wave, err);
        if (!status)
            status = dbg_need_mask(d, wave, err);
        if (status)
            return status;
    }
    const wt_lanes mask = running ? all : w->mask;
    struct wt_wave_detail detail;
    detail.waiter_count = 0;
    if (!running && mask != all)
        dbg_wave_detail(d, wave, &detail);
    for (unsigned i = 0; i < lanes; i++) {
        unsigned lane = i;
        if (d->threads.mode == WT_THREADS_WAVES)
            lane = d->threads.chosen_lane < w->self.lanes ? d->threads.chosen_lane : 0;
        struct wt_thread_info *info = &d->threads.list[d->threads.count++];
        *info = (struct wt_thread_info){
            .id = dbg_thread_of(d, wave, lane),
            .wave = w->self.id,
            .core = w->self.core,
            .wave_in_core = w->self.slot,
            .lane = lane,
            .enabled = d->threads.mode == WT_THREADS_LANES ? wt_has_lane(mask, lane) : mask != 0,
            .running = running,
        };
        if (!running)
            info->pc = wt_has_lane(mask, lane) ? w->pc : dbg_wake_up_pc(&detail, lane, w->pc);
    }
    return WT_OK;
}

/* Looks at all stopped waves together, except those whose state is known. */
static enum wt_status survey(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < d->topology->waves && d->ops->survey; w++)
        count += dbg_is_active(d, w) && dbg_stands(d, w) &&
                 (!d->wave[w].have_pc || !d->wave[w].have_mask);
    if (count < 2)
        return WT_OK;
    uint32_t *list = malloc(count * sizeof *list), n = 0;
    struct wt_probe_view *view = malloc(count * sizeof *view);
    enum wt_status status = WT_OK;
    if (!list || !view)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for the list of threads");
    for (uint32_t w = 0; w < d->topology->waves && !status; w++)
        if (dbg_is_active(d, w) && dbg_stands(d, w) &&
            (!d->wave[w].have_pc || !d->wave[w].have_mask))
            list[n++] = w;
    if (!status)
        status = dbg_note(d, d->ops->survey(d->probe, list, n, view, err));
    for (uint32_t i = 0; i < n && !status; i++) {
        struct wave *w = &d->wave[list[i]];
        if (!w->have_pc) {
            w->pc = view[i].pc;
            w->cause = view[i].cause;
        }
        if (!w->have_mask)
            w->mask = view[i].mask;
        w->have_pc = w->have_mask = true;
    }
    free(list);
    free(view);
    return status;
}

enum wt_status wt_debugger_threads(struct wt_debugger *d, const struct wt_thread_info **list,
                                   size_t *count, struct wt_error *err)
{
    d->threads.count = 0;
    enum wt_status status = dbg_refresh(d, err);
    if (!status)
        status = survey(d, err);
    for (unsigned i = 0; i < d->sets.words && !status; i++)
        for (uint32_t bits = d->sets.active.word[i]; bits && !status; bits &= bits - 1)
            status = list_wave(d, 32 * i + (uint32_t)__builtin_ctz(bits), err);
    *list = d->threads.list;
    *count = status ? 0 : d->threads.count;
    return status;
}
