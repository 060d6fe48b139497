/* Waves, for clients: where each stands, and why it waits. */
#include "debug/core/waves.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/wave_name.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/threads.h"

enum wt_status wt_debugger_waves(struct wt_debugger *d, const wt_wave_id **list, size_t *count,
                                 struct wt_error *err)
{
    *count = 0;
    enum wt_status status = dbg_refresh(d, err);
    if (status)
        return status;
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        if (!dbg_is_active(d, w))
            continue;
        wt_wave_id *more = wt_array_grow(d->threads.wave_list, &d->threads.wave_list_capacity,
                                         *count + 1, sizeof *d->threads.wave_list);
        if (!more)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for the list of waves");
        d->threads.wave_list = more;
        d->threads.wave_list[(*count)++] = d->wave[w].self.id;
    }
    *list = d->threads.wave_list;
    return WT_OK;
}

enum wt_status wt_debugger_tell_waves(struct wt_debugger *d, bool tell, struct wt_error *err)
{
    if (!tell) {
        free(d->news.there);
        d->news.there = NULL;
        return WT_OK;
    }
    if (d->news.there)
        return WT_OK;
    d->news.there = calloc(d->topology->most_waves, sizeof *d->news.there);
    if (!d->news.there)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for news of %ss", d->topology->wave_word);
    if (d->sets.active_known)
        dbg_tell_waves(d);
    return WT_OK;
}

wt_wave_id wt_debugger_wave_in(struct wt_debugger *d, unsigned core, unsigned slot)
{
    struct wt_error ignored;
    if (dbg_refresh(d, &ignored))
        return WT_NO_WAVE;
    for (uint32_t w = 0; w < d->topology->waves; w++)
        if (dbg_is_active(d, w) && d->wave[w].self.core == core && d->wave[w].self.slot == slot)
            return d->wave[w].self.id;
    return WT_NO_WAVE;
}

enum wt_status dbg_find_wave(struct wt_debugger *d, wt_wave_id id, uint32_t *wave,
                             struct wt_error *err)
{
    enum wt_status status = dbg_refresh(d, err);
    if (status)
        return status;
    /* Waves are mostly asked for in order: the search begins behind the last one found. */
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        const uint32_t w = (d->threads.wave_hint + i) % d->topology->waves;
        if (d->wave[w].self.id != id || !dbg_is_active(d, w))
            continue;
        *wave = w;
        d->threads.wave_hint = w + 1;
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID, "the %s has ended", d->topology->wave_word);
}

enum wt_status wt_debugger_wave(struct wt_debugger *d, wt_wave_id id, struct wt_wave_info *info,
                                struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = dbg_find_wave(d, id, &wave, err);
    if (status)
        return status;
    info->wave = d->wave[wave].self;
    info->running = !dbg_stands(d, wave);
    info->pc = 0;
    info->mask = 0;
    info->has_detail = info->has_wait = false;
    if (info->running)
        return WT_OK;
    if ((status = dbg_need_pc(d, wave, err)) || (status = dbg_need_mask(d, wave, err)))
        return status;
    info->pc = d->wave[wave].pc;
    info->mask = d->wave[wave].mask;
    const struct wt_target_services *services = d->target->services;
    info->has_detail = dbg_wave_detail(d, wave, &info->detail);
    info->has_wait = info->has_detail ||
                     (services->wave_waits &&
                      services->wave_waits(d->target->context, wave, id, &info->detail.view));
    return WT_OK;
}

enum wt_status wt_debugger_thread_position(struct wt_debugger *d, wt_thread thread,
                                           struct wt_thread_position *position,
                                           struct wt_error *err)
{
    uint32_t wave;
    enum wt_status status;
    if ((status = dbg_stopped_thread(d, thread, &wave, &position->lane, err)) ||
        (status = dbg_need_pc(d, wave, err)) || (status = dbg_need_mask(d, wave, err)))
        return status;
    position->pc = d->wave[wave].pc;
    position->active = d->wave[wave].mask;
    return WT_OK;
}

wt_thread wt_debugger_thread_of_lane(struct wt_debugger *d, wt_thread thread, unsigned lane)
{
    uint32_t wave;
    unsigned own;
    struct wt_error ignored;
    return dbg_locate(d, thread, &wave, &own, &ignored) ? 0 : dbg_thread_of(d, wave, lane);
}

/* ---- calling functions ---- */

enum wt_status wt_debugger_check_call(struct wt_debugger *d, wt_thread thread, struct wt_error *err)
{
    const struct wt_topology *t = d->topology;
    uint32_t wave;
    unsigned lane;
    enum wt_status status;
    if ((status = dbg_locate(d, thread, &wave, &lane, err)) ||
        (status = dbg_need_mask(d, wave, err)))
        return status;
    const wt_lanes mask = d->wave[wave].mask, own = wt_lane_bit(lane);
    if (mask == own)
        return WT_OK;
    if (!(mask & own))
        return wt_fail(err, WT_STATE,
                       "%s %u is masked off and cannot run a function now: choose an active %s",
                       t->lane_word, lane, t->lane_word);
    /* The bare name of the register: clients differ in how they write registers. */
    char advice[160] = "";
    for (size_t i = 0; i < t->register_count; i++)
        if (t->registers[i].role == WT_ROLE_EXEC_MASK && !t->registers[i].read_only &&
            t->lanes <= t->registers[i].bits && t->lanes <= 64)
            snprintf(advice, sizeof advice, " (%s = 0x%llx; afterwards 0x%llx again)",
                     t->registers[i].name, (unsigned long long)own, (unsigned long long)mask);
    char name[WT_WAVE_NAME];
    wt_debugger_slot_text(d, &d->wave[wave].self, name, sizeof name);
    return wt_fail(err, WT_STATE,
                   "all %u active %ss of %s would run the function, each with its own registers. "
                   "Nothing was done. Make %s %u the only active one first%s",
                   wt_lanes_count(mask), t->lane_word, name, t->lane_word, lane, advice);
}
