/* Sets of waves, by their numbers in a search. */
#ifndef WT_EXPLORE_WAVES_H
#define WT_EXPLORE_WAVES_H

#include <stdbool.h>
#include <stdint.h>

/** So many waves, by number, can be told apart. */
enum { EXPLORE_WAVES = 512, EXPLORE_WORDS = EXPLORE_WAVES / 64 };
/** A set of waves: bit n stands for wave n. */
typedef struct {
    uint64_t word[EXPLORE_WORDS];
} explore_waves;

/** Whether a set has a wave. */
static inline bool waves_have(const explore_waves *s, uint32_t wave)
{
    return s->word[wave / 64] >> wave % 64 & 1;
}

/** Adds one. */
static inline void waves_add(explore_waves *s, uint32_t wave)
{
    s->word[wave / 64] |= UINT64_C(1) << wave % 64;
}

/** Takes one out. */
static inline void waves_drop(explore_waves *s, uint32_t wave)
{
    s->word[wave / 64] &= ~(UINT64_C(1) << wave % 64);
}

/** The waves of two sets. */
static inline explore_waves waves_or(explore_waves a, explore_waves b)
{
    for (unsigned i = 0; i < EXPLORE_WORDS; i++)
        a.word[i] |= b.word[i];
    return a;
}

/** Those of both. */
static inline explore_waves waves_and(explore_waves a, explore_waves b)
{
    for (unsigned i = 0; i < EXPLORE_WORDS; i++)
        a.word[i] &= b.word[i];
    return a;
}

/** Those of the first set that the second one does not have. */
static inline explore_waves waves_less(explore_waves a, explore_waves b)
{
    for (unsigned i = 0; i < EXPLORE_WORDS; i++)
        a.word[i] &= ~b.word[i];
    return a;
}

/** The lowest wave from @p from on; UINT32_MAX: there is none. */
static inline uint32_t waves_next(const explore_waves *s, uint32_t from)
{
    for (uint32_t i = from / 64; i < EXPLORE_WORDS; i++) {
        const uint64_t word = i == from / 64 ? s->word[i] & UINT64_MAX << from % 64 : s->word[i];
        if (word)
            return i * 64 + (uint32_t)__builtin_ctzll(word);
    }
    return UINT32_MAX;
}

/** Whether a set has no wave. */
static inline bool waves_are_none(const explore_waves *s)
{
    return waves_next(s, 0) == UINT32_MAX;
}

/** Whether two sets are equal. */
static inline bool waves_are_equal(const explore_waves *a, const explore_waves *b)
{
    bool equal = true;
    for (unsigned i = 0; i < EXPLORE_WORDS; i++)
        equal &= a->word[i] == b->word[i];
    return equal;
}

#endif
