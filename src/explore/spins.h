/*
 * Waves that spin: they repeat instructions until another wave writes what they read. A wave that
 * comes back to a state in which it has been, while neither it nor another one has changed memory
 * that it has read since, does the same for ever: it waits until another wave changes that.
 */
#ifndef WT_EXPLORE_SPINS_H
#define WT_EXPLORE_SPINS_H

#include "base/map.h"
#include "explore/steps.h"

enum { EXPLORE_STATES = 16 }; /* states of a wave that are remembered: the last ones */

/** The state of a wave since memory that it had read was changed. */
struct explore_spin {
    uint64_t state[EXPLORE_STATES]; /**< hashes */
    unsigned states;
    bool waits;
    uint64_t pc; /**< the last issued instruction's */
    struct explore_access *read;
    size_t reads, capacity;
};

struct explore_spins {
    struct explore_spin wave[EXPLORE_WAVES];
    struct wt_map value; /**< what memory holds, of places of 8 bytes that were accessed */
    struct wt_map clock; /**< registers, by number from 1 on, that tell the time */
    bool clocks_known;
    explore_waves waiting; /**< the waves that wait, as bits */
    bool failed;           /**< the host has no memory left */
};

/** A run begins. So many waves have had numbers so far. */
void explore_spins_clear(struct explore_spins *s, uint32_t waves);
/**
 * Takes the step that was made last. Returns the waves, as bits, that waited for what it has
 * written, and go on.
 */
explore_waves explore_spins_step(struct explore_spins *s, struct explore_steps *steps);
/** Frees all. */
void explore_spins_free(struct explore_spins *s);

#endif
