/*
 * Scheduling policies: which wave issues next, and how many instructions it may issue before the
 * next choice. All are deterministic functions of the policy's own state, which is part of the
 * machine's state.
 */
#ifndef WT_EMULATOR_SCHEDULE_H
#define WT_EMULATOR_SCHEDULE_H

#include <stdint.h>

#include "wavetrap/error.h"

enum wt_schedule_kind {
    WT_SCHEDULE_RR,       /**< rr:N  round robin over all waves, N instructions a turn */
    WT_SCHEDULE_LOCKSTEP, /**< lockstep  every wave that can issues one instruction, in turn */
    WT_SCHEDULE_RANDOM,   /**< random:SEED  a random wave, a random turn of 1..16 instructions */
};

struct wt_schedule {
    enum wt_schedule_kind kind;
    uint32_t turn;  /**< rr: instructions a turn, 1 .. 1,000,000 */
    uint64_t seed;  /**< random: the seed as given */
    uint64_t state; /**< random: generator state */
};

#define WT_SCHEDULE_DEFAULT "rr:64"

/** Parses "rr:N", "lockstep" or "random:SEED" (WT_INVALID with a message otherwise). */
enum wt_status wt_schedule_parse(const char *text, struct wt_schedule *schedule,
                                 struct wt_error *err);

/** Puts the policy back to its start (at reset). */
void wt_schedule_reset(struct wt_schedule *schedule);

/** Random: the next number of the sequence (splitmix64). */
uint64_t wt_schedule_random(struct wt_schedule *schedule);

/** The waves that a choice is made of, as bit sets of 64 a word. */
struct wt_candidates {
    uint32_t waves;        /**< how many there are in all */
    const uint64_t *ready; /**< which of them can issue */
    uint32_t ready_count;  /**< how many; 1 or more */
    uint64_t *round;       /**< lockstep: those whose turn in this round is still to come */
    uint32_t last;         /**< the wave that was chosen last */
};

/** Chooses the wave that issues next; *turn is how many instructions it may issue. */
uint32_t wt_schedule_next(struct wt_schedule *schedule, const struct wt_candidates *from,
                          uint32_t *turn);

#endif
