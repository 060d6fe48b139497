/*
 * Where the calls of waves come back to, as their instructions have told (wt_wave_tell_call): for
 * reports of what a wave does now. No part of the state: after a state was restored the calls of
 * before are not known.
 */
#ifndef WT_EMULATOR_MACHINE_TRAIL_H
#define WT_EMULATOR_MACHINE_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/lanes.h"

struct wt_called_place;
struct wt_machine;

/** A call that lanes have not come back from. */
struct wt_trail_call {
    uint64_t back;
    uint64_t frame; /**< the caller's, as the operation `frame` says */
    wt_lanes lanes;
};

/** Those of a wave, the innermost last. */
struct wt_trail {
    uint64_t id; /**< the wave's */
    struct wt_trail_call *call;
    size_t count, room;
};

/** Where a lane's calls come back to, the innermost first; returns how many of these @p back has,
 * up to WT_TRAIL. */
unsigned wt_trail_of(const struct wt_machine *m, uint32_t wave, unsigned lane,
                     uint64_t back[WT_TRAIL]);
/** A place of a wave at @p pc, with the calls of the lowest of @p lanes, which go to @p back. */
struct wt_called_place wt_trail_place(const struct wt_machine *m, uint32_t wave, wt_lanes lanes,
                                      uint64_t pc, uint64_t back[WT_TRAIL]);
/** Forgets all calls. */
void wt_trail_forget(struct wt_machine *m);
/** Frees them. */
void wt_trail_free(struct wt_machine *m);

#endif
