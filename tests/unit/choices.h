/*
 * What tests that compare translated blocks with handlers share. Random choices: those that an
 * input says, as long as it lasts (tests/fuzz/fuzz_blocks.c), then those of a seed.
 */
#ifndef WT_TESTS_CHOICES_H
#define WT_TESTS_CHOICES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "emulator/machine/machine.h"

#ifdef FUZZED
enum { STEPS = 30 }; /* of a program, each of some hundred issues at most */
#else
enum { STEPS = 200 };
#endif

static struct {
    const uint8_t *input;
    size_t left; /* bytes of it */
    uint64_t state;
} choices;

static void choose_by_seed(uint64_t seed)
{
    choices.state = 0x9e3779b97f4a7c15u + seed;
}

static uint32_t below(uint32_t n)
{
    if (choices.left >= 2) {
        const uint32_t value = choices.input[0] | (uint32_t)choices.input[1] << 8;
        choices.input += 2;
        choices.left -= 2;
        return (n > 1 << 16 ? value * 0x9e3779b1u : value) % n;
    }
    choices.state ^= choices.state >> 12;
    choices.state ^= choices.state << 25;
    choices.state ^= choices.state >> 27;
    return (uint32_t)((choices.state * 0x2545f4914f6cdd1du >> 32) % n);
}

/* Whether two machines have the same hits of watches. */
static bool have_same_hits(const struct wt_machine *a, const struct wt_machine *b)
{
    bool same = a->hits == b->hits;
    for (size_t i = 0; same && i < a->hits; i++) {
        const struct wt_watch_hit *x = &a->hit[i], *y = &b->hit[i];
        same = x->kind == y->kind && x->time == y->time && x->wave == y->wave && x->id == y->id &&
               x->lane == y->lane && x->mask == y->mask && x->hits == y->hits && x->pc == y->pc &&
               x->addr == y->addr && x->home == y->home && x->size == y->size &&
               memcmp(x->before, y->before, sizeof x->before) == 0 &&
               memcmp(x->after, y->after, sizeof x->after) == 0;
    }
    return same;
}

#endif
