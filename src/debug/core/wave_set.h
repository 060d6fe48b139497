/* A set of waves of a device, in windows of 32 as debug hardware has them. */
#ifndef WT_DEBUG_CORE_WAVE_SET_H
#define WT_DEBUG_CORE_WAVE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/**
 * The most waves that are resident on a device at once. No GPU has more: a Vortex Debug Module
 * names 32,768 (DSELECT.warpsel has 15 bits), 64 compute units of GCN hold 2,560, 144 SMs hold
 * 9,216. wt_debugger_open() refuses a probe that has room for more.
 */
#define WT_MAX_WAVES 32768

/** 4 KiB, so that it can live anywhere; only words [0, (most_waves + 31) / 32) are used. */
struct wt_wave_set {
    uint32_t word[WT_MAX_WAVES / 32];
};

/** Whether the handle @p wave is in the set. */
static inline bool wt_wave_set_has(const struct wt_wave_set *set, uint32_t wave)
{
    WT_CHECK(wave < WT_MAX_WAVES);
    return set->word[wave / 32] >> (wave % 32) & 1;
}

/** Adds the handle @p wave. */
static inline void wt_wave_set_add(struct wt_wave_set *set, uint32_t wave)
{
    WT_CHECK(wave < WT_MAX_WAVES);
    set->word[wave / 32] |= (uint32_t)1 << (wave % 32);
}

/** Removes the handle @p wave, if it is there. */
static inline void wt_wave_set_remove(struct wt_wave_set *set, uint32_t wave)
{
    WT_CHECK(wave < WT_MAX_WAVES);
    set->word[wave / 32] &= ~((uint32_t)1 << (wave % 32));
}

#endif
