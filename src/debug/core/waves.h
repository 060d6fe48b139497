/* See waves.c. */
#ifndef WT_DEBUG_CORE_WAVES_H
#define WT_DEBUG_CORE_WAVES_H

#include "debug/core/state.h"

/** The handle of an active wave; WT_INVALID if it has ended. */
enum wt_status dbg_find_wave(struct wt_debugger *d, wt_wave_id id, uint32_t *wave,
                             struct wt_error *err);

#endif
