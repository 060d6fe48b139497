/* Hashing a state part by part. */
#ifndef WT_EMULATOR_MACHINE_HASH_H
#define WT_EMULATOR_MACHINE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

#include "base/lanes.h"

struct wt_machine;

/** Adds @p size bytes to *hash; the order of the calls counts. */
static inline void wt_mix(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = XXH3_64bits_withSeed(bytes, size, *hash);
}

/** Adds a number to *hash, as 8 bytes in the host's order. */
static inline void wt_mix_number(uint64_t *hash, uint64_t number)
{
    wt_mix(hash, &number, sizeof number);
}

/** Adds a set of lanes to *hash, as two numbers. */
static inline void wt_mix_lanes(uint64_t *hash, wt_lanes lanes)
{
    wt_mix_number(hash, (uint64_t)lanes);
    wt_mix_number(hash, (uint64_t)(lanes >> 64));
}

/** The numbers of every machine's hash: issue time, kind of fault, the wave whose turn it is, what
 * is left of the turn, and the schedule's kind, turn, seed and state. */
void wt_hash_machine(uint64_t numbers[8], const struct wt_machine *m);

#endif
