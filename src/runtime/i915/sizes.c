/*
 * How many work-items a group has in each dimension. The walker does not say; where the threads of
 * a kernel get their local ids, these do.
 */
#include <string.h>

#include "emulator/gen/gen.h"
#include "runtime/i915/internal.h"

enum { GRF = 32, DIMENSIONS = 3 };

/* Local ids of a thread: for each dimension a row of 16-bit numbers, whose length is a multiple of
 * a GRF. */
static uint32_t row_bytes(const struct gen_walk *walk)
{
    const uint32_t bytes = walk->simd * 2u;
    return bytes < GRF ? GRF : bytes;
}

void drm_walk_sizes(const struct gen_walk *walk, const uint8_t *payload, size_t room,
                    struct gen_walk *out)
{
    const uint32_t row = row_bytes(walk),
                   items_of_last = (uint32_t)__builtin_popcount(
                       walk->last_mask & (uint32_t)((UINT64_C(1) << walk->simd) - 1));
    const uint64_t items = (uint64_t)(walk->threads - 1) * walk->simd + items_of_last;
    uint32_t size[DIMENSIONS] = {0};
    if (walk->thread_bytes != DIMENSIONS * row || !payload ||
        room < walk->cross_bytes + (size_t)walk->thread_bytes * walk->threads)
        return;
    for (uint32_t thread = 0; thread < walk->threads; thread++)
        for (uint32_t i = 0; i < DIMENSIONS; i++)
            for (uint32_t lane = 0; lane < walk->simd && thread * walk->simd + lane < items;
                 lane++) {
                uint16_t id;
                memcpy(&id,
                       payload + walk->cross_bytes + (size_t)thread * walk->thread_bytes +
                           (size_t)i * row + 2 * (size_t)lane,
                       sizeof id);
                size[i] = id >= size[i] ? id + 1u : size[i];
            }
    if ((uint64_t)size[0] * size[1] * size[2] != items)
        return; /* something else is there */
    for (unsigned i = 0; i < DIMENSIONS; i++) {
        out->block[i] = size[i];
        out->grid[i] = size[i] * walk->end[i];
    }
}
