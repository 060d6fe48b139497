/*
 * A histogram with atomics: each core counts in its local memory, where many threads want the same
 * counter at once, and then adds its counters to those of all.
 */
#include "check.h"
#include "vortex.h"

#define N 4000
#define BINS 32

struct job {
    const uint8_t *samples;
    uint32_t *bins;
};

static uint8_t samples[N];
static uint32_t bins[BINS], expected[BINS];

static void count(void *p)
{
    struct job *job = p;
    uint32_t *mine = vx_local_memory();
    unsigned lanes = vx_lanes();
    unsigned first = vx_warp() * lanes;
    unsigned threads = vx_warps() * lanes;

    for (unsigned bin = first; bin < BINS; bin += threads) {
        VX_IF (bin + vx_lane() < BINS)
            mine[bin + vx_lane()] = 0;
        VX_END
    }
    vx_barrier();
    for (unsigned i = vx_core() * threads + first; i < N; i += vx_cores() * threads) {
        VX_IF (i + vx_lane() < N)
            vx_atomic_add(&mine[job->samples[i + vx_lane()] % BINS], 1);
        VX_END
    }
    vx_barrier();
    for (unsigned bin = first; bin < BINS; bin += threads) {
        VX_IF (bin + vx_lane() < BINS)
            vx_atomic_add(&job->bins[bin + vx_lane()], mine[bin + vx_lane()]);
        VX_END
    }
}

int main(void)
{
    struct job job = {samples, bins};
    for (unsigned i = 0; i < N; i++) {
        samples[i] = (uint8_t)((noise(i) & 15) + (noise(N + i) & 15)); /* two dice */
        expected[samples[i] % BINS]++;
    }
    vx_launch(count, &job);
    for (unsigned bin = 0; bin < BINS; bin++)
        printf("%2u %lu\n", bin, (unsigned long)bins[bin]);
    return judge("histogram", bins, expected, BINS, sizeof bins[0]);
}
