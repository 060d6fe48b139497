/* What there is to know of a whole wave: where it stands, why it waits. */
#include "debug/core/internal.h"

#include <stdio.h>

enum wt_status wt_debugger_wave(struct wt_debugger *d, uint32_t wave, struct wt_wave_info *info,
                                struct wt_error *err)
{
    if (wave >= d->topology->waves)
        return wt_fail(err, WT_INVALID, "there is no %s %u: they go from 0 to %u",
                       d->topology->wave_word, (unsigned)wave, (unsigned)d->topology->waves - 1);
    enum wt_status status = dbg_refresh(d, err);
    if (status)
        return status;
    info->wave = wave;
    info->core = wave / d->topology->waves_per_core;
    info->wave_in_core = wave % d->topology->waves_per_core;
    info->active = dbg_is_active(d, wave);
    info->running = info->active && d->wave[wave].go != GO_STOPPED;
    info->pc = 0;
    info->mask = 0;
    info->has_detail = false;
    if (!info->active || info->running)
        return WT_OK;
    if ((status = dbg_need_pc(d, wave, err)) || (status = dbg_need_mask(d, wave, err)))
        return status;
    info->pc = d->wave[wave].pc;
    info->mask = d->wave[wave].mask;
    info->has_detail = d->target->services->wave_detail != NULL;
    if (info->has_detail) {
        info->detail = (struct wt_wave_detail){0};
        d->target->services->wave_detail(d->target->context, wave, &info->detail);
    }
    return WT_OK;
}

enum wt_status wt_debugger_thread_place(struct wt_debugger *d, wt_thread thread,
                                        struct wt_thread_place *place, struct wt_error *err)
{
    uint32_t wave;
    enum wt_status status;
    if ((status = dbg_stopped_thread(d, thread, &wave, &place->lane, err)) ||
        (status = dbg_need_pc(d, wave, err)) || (status = dbg_need_mask(d, wave, err)))
        return status;
    place->pc = d->wave[wave].pc;
    place->active = d->wave[wave].mask;
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
    /* The text goes through GDB's protocol, which keeps '$' for itself. */
    char advice[160] = "";
    for (size_t i = 0; i < t->register_count; i++)
        if (t->registers[i].role == WT_ROLE_EXEC_MASK && !t->registers[i].read_only &&
            t->lanes <= t->registers[i].bits && t->lanes <= 64)
            snprintf(advice, sizeof advice, " (%s = 0x%llx; afterwards 0x%llx again)",
                     t->registers[i].name, (unsigned long long)own, (unsigned long long)mask);
    return wt_fail(err, WT_STATE,
                   "all %u active %ss of core %u %s %u would run the function, each with its own "
                   "registers. Nothing was done. Make %s %u the only active one first%s",
                   wt_lanes_count(mask), t->lane_word, (unsigned)(wave / t->waves_per_core),
                   t->wave_word, (unsigned)(wave % t->waves_per_core), t->lane_word, lane, advice);
}
