/* Where the lanes of a diverged wave are: see places.c. */
#ifndef WT_DEBUG_SOURCE_PLACES_H
#define WT_DEBUG_SOURCE_PLACES_H

#include "debug/source/source.h"

/** Lanes of a wave that go on at the same place, which is not that of the scope's lane. */
struct wt_place {
    uint64_t pc;
    wt_lanes lanes;
};

struct wt_places {
    wt_lanes own; /**< lanes that are where the scope's lane is */
    struct wt_place place[WT_MAX_LANES];
    unsigned count;
};

/** The pc of a lane: the wave's or, for a lane that waits, the address where it waits. */
uint64_t wt_place_of_lane(const struct wt_wave_info *info, unsigned lane);
/** Whether some lanes of the scope's wave go on elsewhere, and where. */
bool wt_places_find(const struct wt_view *scope, struct wt_places *places);
/**
 * The scope as lanes of another place have it: *view, whose frame is that of the same call (NULL:
 * they are not in it). The caller frees the frames that are returned, if any.
 */
struct wt_frames *wt_places_view(const struct wt_view *scope, const struct wt_place *place,
                                 struct wt_view *view);

#endif
