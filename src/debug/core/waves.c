/* What there is to know of a whole wave: where it stands, why it waits. */
#include "debug/core/internal.h"

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
