/*
 * Reduction: the sum of an array. Each thread adds up a part; the threads of a core add up their
 * sums in local memory, half as many at each step; the cores add theirs to the total.
 */
#include "check.h"
#include "vortex.h"

#define N 5000

struct job {
    const uint32_t *values;
    uint32_t total;
};

static uint32_t values[N];

/** Warps of a core that take part: each of their threads needs a word of local memory. */
static unsigned working_warps(void)
{
    unsigned most = VX_LOCAL_MEMORY_SIZE / (sizeof(uint32_t) * vx_lanes());
    return vx_warps() < most ? vx_warps() : most; /* the same for all lanes */
}

static void sum(void *p)
{
    struct job *job = p;
    uint32_t *partial = vx_local_memory();
    unsigned threads = working_warps() * vx_lanes();
    unsigned me = vx_warp() * vx_lanes() + vx_lane();

    if (vx_warp() < working_warps()) { /* the same for all lanes of a warp: a plain if will do */
        uint32_t mine = 0;
        size_t stride = (size_t)threads * vx_cores();
        size_t first = (size_t)vx_core() * threads + vx_warp() * vx_lanes();
        for (; first < N; first += stride) {
            uint32_t value = 0;
            VX_IF (first + vx_lane() < N)
                value = job->values[first + vx_lane()];
            VX_END
            mine += value;
        }
        partial[me] = mine;
    }
    vx_barrier();
    for (unsigned left = threads; left > 1;) {
        unsigned half = (left + 1) / 2;
        VX_IF (me + half < left)
            partial[me] += partial[me + half];
        VX_END
        vx_barrier();
        left = half;
    }
    VX_IF (me == 0)
        vx_atomic_add(&job->total, partial[0]);
    VX_END
}

int main(void)
{
    struct job job = {values, 0};
    uint32_t expected = 0;
    for (unsigned i = 0; i < N; i++) {
        values[i] = noise(i);
        expected += values[i];
    }
    vx_launch(sum, &job);
    printf("reduce: the sum of %u numbers is %lu\n", N, (unsigned long)job.total);
    return job.total != expected;
}
