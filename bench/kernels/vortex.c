/*
 * Those kernels of gcn.cl that need divergence, barriers or a stack, for a Vortex: KERNEL names
 * one. They are built with the library of examples/vortex.
 */
#include <stdint.h>

#include "vortex.h"

enum { ITEMS = 4096, TILE = 256 };

static uint32_t input[ITEMS], output[ITEMS];

struct number {
    uint32_t x, steps;
};

static inline int step(void *p)
{
    struct number *n = p;
    const uint32_t odd = 0 - (n->x & 1);
    n->x = (odd & (3 * n->x + 1)) | (~odd & n->x / 2);
    n->steps++;
    return n->x != 1;
}

static inline uint32_t collatz(unsigned i)
{
    struct number n = {(input[i] & 0xffff) + 2, 0};
    vx_while(step, &n);
    return n.steps;
}

static inline uint32_t tiles(unsigned i)
{
    volatile uint32_t *tile = vx_local_memory();
    const unsigned l = i % TILE;
    uint32_t x = input[i];
    for (unsigned k = 0; k < 50; k++) {
        tile[l] = x;
        vx_barrier();
        x += tile[(l + 1) % TILE] ^ tile[(l * 7 + k) % TILE];
        vx_barrier();
    }
    return x;
}

static inline uint32_t scratch(unsigned i)
{
    uint32_t x = input[i];
    volatile uint32_t slot[64];
    for (unsigned k = 0; k < 64; k++)
        slot[k] = x + k;
    for (unsigned k = 0; k < 100; k++) {
        x = slot[(x + k) & 63] + k;
        slot[k & 63] = x;
    }
    return x;
}

static void all(void *unused)
{
    (void)unused;
    for (unsigned i = vx_thread(); i < ITEMS; i += vx_cores() * vx_warps() * vx_lanes())
        output[i] = KERNEL(i);
}

int main(void)
{
    for (unsigned i = 0; i < ITEMS; i++)
        input[i] = i * 2654435761u;
    vx_launch(all, 0);
    return 0;
}
