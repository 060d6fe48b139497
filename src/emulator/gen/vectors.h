/* Vectors of eight 32-bit lanes, for rows of channels and of messages. */
#ifndef WT_EMULATOR_GEN_VECTORS_H
#define WT_EMULATOR_GEN_VECTORS_H

#include "emulator/gen/internal.h"

enum { LANES = 8 };

typedef uint32_t vector_ud __attribute__((vector_size(32)));
/* Likewise where it lies in registers. */
typedef uint32_t vector_at __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t vector_uq __attribute__((vector_size(32)));
typedef int32_t vector_d __attribute__((vector_size(32)));
typedef float vector_f __attribute__((vector_size(32)));
typedef uint16_t vector_uw __attribute__((vector_size(16)));
typedef int16_t vector_w __attribute__((vector_size(16)));

#define INLINE inline __attribute__((always_inline))
/* Compiled twice on x86-64, for hosts with and without AVX2: the results are the same. */
#ifdef GEN_CLONES
#define CLONED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONED
#endif

/* Translated code runs on hosts with AVX2 only. */
#ifdef __x86_64__
#define QUICK __attribute__((target("avx2")))
#else
#define QUICK
#endif

/* Bit i of block k's lane i. */
static INLINE void lane_bits(unsigned block, vector_ud *bits)
{
    *bits = (vector_ud){1, 2, 4, 8, 16, 32, 64, 128} << (block * LANES);
}

/* All ones in the lanes whose bits are set. */
static INLINE void spread_bits(uint32_t on, unsigned block, vector_ud *mask)
{
    vector_ud bits;
    lane_bits(block, &bits);
    *mask = (vector_ud)(((bits & on) == bits));
}

/* A bit for each lane that is all ones. */
static INLINE uint32_t gather_bits(const vector_ud *mask, unsigned blocks)
{
    vector_ud sum = {0};
    for (unsigned k = 0; k < blocks; k++) {
        vector_ud bits;
        lane_bits(k, &bits);
        sum |= mask[k] & bits;
    }
    sum |= __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 4, 5, 6, 7);
    sum |= __builtin_shufflevector(sum, sum, 2, 3, 2, 3, 2, 3, 2, 3);
    return sum[0] | sum[1];
}

#endif
