/*
 * The accesses that would be ordered before those of a wave, had each atomic store that it has read
 * released all that came before. Reports alone ask for them. So a place has a list of its stores,
 * to which it only adds, and a wave notes how far it has read which list; the set is made when it
 * is asked for.
 */
#ifndef WT_CHECK_RACE_HINT_H
#define WT_CHECK_RACE_HINT_H

#include "base/map.h"
#include "check/clocks.h"

/** A place's list; shared. */
struct race_hints;

/** Places that a wave has read; zeros: nothing. */
struct race_hint {
    struct wt_clocks *set; /**< set of lists that it has noted no more */
    struct race_note {
        struct race_hints *hints;
        size_t count; /**< stores that it has read */
    } * note;
    size_t notes, room;
    struct wt_map noted; /**< race_hints: number of the note, from 1 */
};

/** Notes in a place's list (NULL: there is none yet) that a wave has stored there at a clock, and
 * what it knew. False without host memory, as likewise below. */
bool race_hint_add(struct race_hints **of, uint32_t wave, uint32_t clock, struct wt_clocks *known);
/** A wave has read what a place's list has. */
bool race_hint_read(struct race_hint *w, struct race_hints *of);
/** The clock up to which the accesses of @p wave would be ordered; 0: none. */
uint32_t race_hint_of(struct race_hint *w, uint32_t wave);
/** Drops all of it. */
void race_hint_drop(struct race_hint *w);
/** One reference to a place's list less. NULL is allowed. */
void race_hints_drop(struct race_hints *h);

#endif
