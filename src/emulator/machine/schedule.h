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
#include <stdio.h>

#include "base/error.h"

enum wt_schedule_kind {
    WT_SCHEDULE_RR,       /**< rr:N  round robin over all waves, N instructions a turn */
    WT_SCHEDULE_LOCKSTEP, /**< lockstep  every wave that can issues one instruction, in turn */
    WT_SCHEDULE_RANDOM,   /**< random:SEED  a random wave, a random turn of 1..16 instructions */
    WT_SCHEDULE_FILE,     /**< file:F  a list of choices */
};

/** From an issue time on a wave, by its slot, has the turn, as long as it can issue. */
struct wt_choice {
    uint64_t time;
    uint32_t wave;
};

/**
 * A list of choices. Where a turn ends before the time of the next choice, and behind the last one,
 * the next wave that can issue has its turn, as in round robin; behind the last choice turns are 64
 * instructions long.
 */
struct wt_choices {
    struct wt_choice *at; /**< by time: each is later than the one before */
    size_t count, capacity;
};

struct wt_schedule {
    enum wt_schedule_kind kind;
    uint32_t turn;                    /**< rr: instructions a turn, 1 .. 1,000,000 */
    uint64_t seed;                    /**< random: the seed as given */
    uint64_t state;                   /**< random: generator state */
    const struct wt_choices *choices; /**< file: the list, which outlives the schedule; NULL: it is
                                           empty */
};

#define WT_SCHEDULE_DEFAULT "rr:64"

/** No turn is longer. */
enum { WT_LONGEST_TURN = 1000000 };
/** Instructions of the longest turn that a schedule gives. */
uint32_t wt_schedule_longest(const struct wt_schedule *schedule);

/** The schedules that there are, for messages and helps. */
#define WT_SCHEDULES "rr:N, lockstep, random:SEED or file:FILE"

/**
 * Parses "rr:N", "lockstep", "random:SEED" or "file:FILE", of which it reads the file. WT_INVALID
 * with a message otherwise, WT_IO where the file cannot be read. The caller frees the schedule by
 * wt_schedule_free(); copies of it are valid until then.
 */
enum wt_status wt_schedule_parse(const char *text, struct wt_schedule *schedule,
                                 struct wt_error *err);
/** Frees what wt_schedule_parse() has made; the schedule is then one of zeros. */
void wt_schedule_free(struct wt_schedule *schedule);

/**
 * Parses the text of a file of choices (docs/command.md, "Files of choices") into *choices, which
 * is empty before and which the caller frees by wt_choices_free(), also after a failure. @p name is
 * the file's: messages begin with "NAME:LINE: ".
 */
enum wt_status wt_choices_parse(struct wt_choices *choices, const char *name, const char *text,
                                struct wt_error *err);
/** Appends a choice, and drops those that are not earlier. False without host memory: the list
 * stays as it was. */
bool wt_choices_add(struct wt_choices *choices, uint64_t time, uint32_t wave);
/** The text of a choice that could not be followed: a format for its time and wave. */
#define WT_CHOICE_MISSED                                                                           \
    "the schedule's choice at issue time %" PRIu64 " could not be followed: wave %" PRIu32         \
    " could not issue then; the file is of another program, or of other options"
/** Writes a list as wt_choices_parse() takes it. A write error shows in ferror(out). */
void wt_choices_print(const struct wt_choices *choices, FILE *out);
/** Frees a list; it is empty then. */
void wt_choices_free(struct wt_choices *choices);

/** The ready set and the scheduling state. A part of the machine's state. */
struct wt_turns {
    struct wt_schedule policy;
    uint32_t waves;       /**< how many there are in all */
    uint32_t ready_count; /**< how many of them can issue */
    uint64_t *ready;      /**< which ones, as a bit set of 64 a word */
    uint64_t *round;      /**< lockstep: those whose turn in this round is still to come */
    uint32_t current;     /**< the wave whose turn it is */
    uint32_t left;        /**< instructions left of its turn; 0: the next one is chosen first */
    bool missed;          /**< file: a choice could not be followed: its wave could not issue */
    struct wt_choice first_missed; /**< then: the earliest such choice */
    struct wt_choices own;  /**< file: the list of a schedule that was read from a core file */
    struct wt_choices *log; /**< gets each choice that is made; NULL: nothing does. Where the host
                                 has no memory for it, log_failed is set */
    bool log_failed;
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

/**
 * With no wave ready, before a launch that is alone: what is random depends on the seed and the
 * launch's number alone, and a new round begins, whatever has run before, and beside what. @p
 * launch: a driver's number of it, from 1; 0: without a driver.
 */
void wt_turns_begin(struct wt_turns *turns, uint64_t launch);

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

/** Puts a wave, @p bit of a word of the ready set, into the set, or takes it out. */
static inline void wt_turns_set_ready_bit(struct wt_turns *turns, uint32_t word, uint64_t bit,
                                          bool ready)
{
    if (((turns->ready[word] & bit) != 0) == ready)
        return;
    turns->ready[word] ^= bit;
    turns->ready_count += ready ? 1u : -1u;
}

/** Likewise of a wave by its number. */
static inline void wt_turns_set_ready(struct wt_turns *turns, uint32_t wave, bool ready)
{
    wt_turns_set_ready_bit(turns, wave / 64, (uint64_t)1 << wave % 64, ready);
}

/** Of round robin: begins the turn of the next ready wave, if it is among the next ones up to a
 * multiple of 64; else does nothing. Whether it has. */
static inline bool wt_turns_step(struct wt_turns *turns)
{
    const uint32_t next = turns->current + 1;
    const uint64_t others = next < turns->waves ? turns->ready[next / 64] >> next % 64 : 0;
    if (!others)
        return false;
    turns->current = next + (uint32_t)__builtin_ctzll(others);
    turns->left = turns->policy.turn;
    return true;
}

/**
 * Begins the next turn, at an issue time: chooses the wave and the length of its turn by the
 * policy. At least one wave must be ready.
 */
void wt_turns_choose(struct wt_turns *turns, uint64_t time);

/**
 * Makes `current` a ready wave, with `left` instructions, 1 or more, of its turn: the wave whose
 * turn is not over, or the next one. False if no wave is ready. @p time: the issue time.
 */
static inline bool wt_turns_next(struct wt_turns *turns, uint64_t time)
{
    if (!turns->ready_count)
        return false;
    if (!turns->left || !wt_turns_is_ready(turns, turns->current))
        wt_turns_choose(turns, time);
    return true;
}

#endif
