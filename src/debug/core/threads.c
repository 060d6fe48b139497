/* Threads: the lanes, or whole waves, that a front end sees. */
#include "debug/core/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define AUTO_LANES 1024 /* lanes in active waves up to which each is a thread of its own */

void dbg_choose_mode(struct wt_debugger *d)
{
    d->mode = d->wanted_mode;
    if (d->wanted_mode != WT_THREADS_AUTO)
        return;
    uint64_t waves = 0;
    for (unsigned i = 0; i < d->words; i++)
        waves += (unsigned)__builtin_popcount(d->active.word[i]);
    d->mode = waves * d->topology->lanes <= AUTO_LANES ? WT_THREADS_LANES : WT_THREADS_WAVES;
}

enum wt_thread_mode wt_debugger_thread_mode(struct wt_debugger *d)
{
    return d->mode;
}

void wt_debugger_set_thread_mode(struct wt_debugger *d, enum wt_thread_mode mode)
{
    d->wanted_mode = mode;
    dbg_choose_mode(d);
    if (d->current && d->mode == WT_THREADS_WAVES)
        d->current -= (d->current - 1) % d->topology->lanes;
}

enum wt_status wt_debugger_choose_lane(struct wt_debugger *d, unsigned lane, struct wt_error *err)
{
    if (lane >= d->topology->lanes)
        return wt_fail(err, WT_INVALID, "there is no %s %u: a %s has %u of them (0 to %u)",
                       d->topology->lane_word, lane, d->topology->wave_word, d->topology->lanes,
                       d->topology->lanes - 1);
    d->chosen_lane = lane;
    return WT_OK;
}

unsigned wt_debugger_chosen_lane(struct wt_debugger *d)
{
    return d->chosen_lane;
}

wt_thread dbg_thread_of(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    return 1 + wave * d->topology->lanes + (d->mode == WT_THREADS_LANES ? lane : 0);
}

enum wt_status dbg_locate(struct wt_debugger *d, wt_thread thread, uint32_t *wave, unsigned *lane,
                          struct wt_error *err)
{
    if (thread == 0)
        thread = wt_debugger_current_thread(d);
    uint32_t flat = thread - 1;
    if (thread == 0 || flat / d->topology->lanes >= d->topology->waves)
        return wt_fail(err, WT_INVALID, "there is no thread %u", (unsigned)thread);
    *wave = flat / d->topology->lanes;
    *lane = flat % d->topology->lanes;
    if (d->mode == WT_THREADS_WAVES)
        *lane = d->chosen_lane;
    return WT_OK;
}

static bool reserve_threads(struct wt_debugger *d, size_t count)
{
    if (count <= d->thread_capacity)
        return true;
    struct wt_thread_info *more = realloc(d->thread, count * sizeof *more);
    if (!more)
        return false;
    d->thread = more;
    d->thread_capacity = count;
    return true;
}

static enum wt_status list_wave(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    unsigned lanes = d->mode == WT_THREADS_LANES ? d->topology->lanes : 1;
    bool running = d->wave[wave].go != GO_STOPPED;
    if (!reserve_threads(d, d->threads + lanes))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the list of threads");
    if (!running) {
        enum wt_status status = dbg_need_pc(d, wave, err);
        if (!status)
            status = dbg_need_mask(d, wave, err);
        if (status)
            return status;
    }
    wt_lanes mask = running ? wt_lanes_first(d->topology->lanes) : d->wave[wave].mask;
    struct wt_wave_detail detail;
    detail.waiters = 0;
    if (!running && d->target->services->wave_detail && mask != wt_lanes_first(d->topology->lanes))
        d->target->services->wave_detail(d->target->context, wave, &detail);
    for (unsigned i = 0; i < lanes; i++) {
        unsigned lane = d->mode == WT_THREADS_LANES ? i : d->chosen_lane;
        struct wt_thread_info *info = &d->thread[d->threads++];
        *info = (struct wt_thread_info){
            .id = dbg_thread_of(d, wave, lane),
            .wave = wave,
            .core = wave / d->topology->waves_per_core,
            .wave_in_core = wave % d->topology->waves_per_core,
            .lane = lane,
            .enabled = d->mode == WT_THREADS_LANES ? wt_has_lane(mask, lane) : mask != 0,
            .running = running,
        };
        if (!running)
            info->pc = wt_has_lane(mask, lane) ? d->wave[wave].pc
                                               : dbg_wake_up_pc(&detail, lane, d->wave[wave].pc);
    }
    return WT_OK;
}

enum wt_status dbg_refresh(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = dbg_regain(d, err);
    if (status || (d->active_known && !d->going))
        return status;
    return dbg_look(d, NULL, err);
}

/* Looks at all stopped waves together, as far as they are not known yet. */
static enum wt_status survey(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < d->topology->waves && d->ops->survey; w++)
        count += dbg_is_active(d, w) && d->wave[w].go == GO_STOPPED &&
                 (!d->wave[w].have_pc || !d->wave[w].have_mask);
    if (count < 2)
        return WT_OK;
    uint32_t *list = malloc(count * sizeof *list), n = 0;
    struct wt_probe_view *view = malloc(count * sizeof *view);
    enum wt_status status = WT_OK;
    if (!list || !view)
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for the list of threads");
    for (uint32_t w = 0; w < d->topology->waves && !status; w++)
        if (dbg_is_active(d, w) && d->wave[w].go == GO_STOPPED &&
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
    d->threads = 0;
    enum wt_status status = dbg_refresh(d, err);
    if (!status)
        status = survey(d, err);
    for (unsigned i = 0; i < d->words && !status; i++)
        for (uint32_t bits = d->active.word[i]; bits && !status; bits &= bits - 1)
            status = list_wave(d, 32 * i + (uint32_t)__builtin_ctz(bits), err);
    *list = d->thread;
    *count = status ? 0 : d->threads;
    return status;
}

bool wt_debugger_thread_alive(struct wt_debugger *d, wt_thread thread)
{
    uint32_t wave;
    unsigned lane;
    if (thread == 0 || dbg_refresh(d, NULL) || dbg_locate(d, thread, &wave, &lane, NULL))
        return false;
    return dbg_is_active(d, wave) && dbg_thread_of(d, wave, lane) == thread;
}

void wt_debugger_thread_name(struct wt_debugger *d, wt_thread thread, char *text, size_t size)
{
    uint32_t wave;
    unsigned lane;
    if (thread == 0 || dbg_locate(d, thread, &wave, &lane, NULL)) {
        snprintf(text, size, "?");
        return;
    }
    bool lanes = d->mode == WT_THREADS_LANES;
    char place[64] = "", note[16] = "";
    if (lanes)
        snprintf(place, sizeof place, " %s %u", d->topology->lane_word, lane);
    if (d->active_known && dbg_is_active(d, wave) && d->wave[wave].go == GO_STOPPED &&
        dbg_need_mask(d, wave, NULL) == WT_OK && lanes && !wt_has_lane(d->wave[wave].mask, lane))
        snprintf(note, sizeof note, " (masked off)");
    snprintf(text, size, "core %u %s %u%s%s", (unsigned)(wave / d->topology->waves_per_core),
             d->topology->wave_word, (unsigned)(wave % d->topology->waves_per_core), place, note);
}

wt_thread wt_debugger_current_thread(struct wt_debugger *d)
{
    if (d->current && wt_debugger_thread_alive(d, d->current))
        return d->current;
    if (dbg_refresh(d, NULL))
        return 0;
    for (unsigned i = 0; i < d->words; i++) {
        if (!d->active.word[i])
            continue;
        uint32_t wave = 32 * i + (uint32_t)__builtin_ctz(d->active.word[i]);
        unsigned lane = 0;
        if (d->wave[wave].go == GO_STOPPED && dbg_need_mask(d, wave, NULL) == WT_OK &&
            d->wave[wave].mask)
            lane = wt_lanes_lowest(d->wave[wave].mask);
        return dbg_thread_of(d, wave, lane);
    }
    return 0;
}
