/*
 * Scheduling policies: which wave issues next, and how many instructions it may issue before the
 * next choice. All are deterministic functions of the policy's own state, which is part of the
 * machine's state.
 */
#ifndef WT_EMULATOR_MACHINE_SCHEDULE_H
#define WT_EMULATOR_MACHINE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
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

/** The ready set and the scheduling state. A part of the machine's state. */
struct wt_turns {
    struct wt_schedule policy;
    uint32_t waves;       /**< how many there are in all */
    uint32_t ready_count; /**< how many of them can issue */
    uint64_t *ready;      /**< which ones, as a bit set of 64 a word */
    uint64_t *round;      /**< lockstep: those whose turn in this round is still to come */
    uint32_t current;     /**< the wave whose turn it is */
    uint32_t left;        /**< instructions left of its turn; 0: the next one is chosen first */
};

/**
 * Sets up @p waves waves, of which none is ready. False without host memory; wt_turns_free may be
 * called then, too.
 */
bool wt_turns_init(struct wt_turns *turns, const struct wt_schedule *policy, uint32_t waves);
/** Frees what wt_turns_init has taken. */
void wt_turns_free(struct wt_turns *turns);

/** Restores the state of wt_turns_init: no wave is ready, and the first turn is the first one's. */
void wt_turns_reset(struct wt_turns *turns);

/** With no wave ready: makes the next turn of round robin that of the first wave to be ready. */
void wt_turns_rewind(struct wt_turns *turns);

/** Copies the state of @p from, which is of the same number of waves. */
void wt_turns_copy(struct wt_turns *to, const struct wt_turns *from);

/** Bytes of host memory that the sets take beside the struct itself. */
size_t wt_turns_bytes(const struct wt_turns *turns);

/** Asserts that the counts and sets agree. */
void wt_turns_check(const struct wt_turns *turns);

/** 64-bit words of `ready`, and of `round`. */
static inline size_t wt_turns_words(const struct wt_turns *turns)
{
    return (turns->waves + 63) / 64;
}

/** Whether a wave (0 .. waves-1) can issue. */
static inline bool wt_turns_is_ready(const struct wt_turns *turns, uint32_t wave)
{
    return turns->ready[wave / 64] >> (wave % 64) & 1;
}

/** Puts a wave into the ready set, or takes it out. */
static inline void wt_turns_set_ready(struct wt_turns *turns, uint32_t wave, bool ready)
{
    if (wt_turns_is_ready(turns, wave) == ready)
        return;
    turns->ready[wave / 64] ^= (uint64_t)1 << (wave % 64);
    turns->ready_count += ready ? 1u : -1u;
}

/**
 * Begins the next turn: chooses the wave and the length of its turn by the policy. At least one
 * wave must be ready.
 */
void wt_turns_choose(struct wt_turns *turns);

/**
 * Makes `current` a ready wave, with `left` instructions, 1 or more, of its turn: the wave whose
 * turn is not over, or the next one. False if no wave is ready.
 */
static inline bool wt_turns_next(struct wt_turns *turns)
{
    if (!turns->ready_count)
        return false;
    if (!turns->left || !wt_turns_is_ready(turns, turns->current))
        wt_turns_choose(turns);
    return true;
}

#endif
