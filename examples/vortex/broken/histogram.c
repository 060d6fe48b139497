/*
 * A histogram with a mistake, for the tutorial "Who overwrote my result?" (docs/overwritten.md):
 * between clearing the bins and counting a barrier is missing.
 */
#include "check.h"
#include "vortex.h"

#define N 256
#define BINS 16

static uint8_t samples[N];
static uint32_t bins[BINS], expected[BINS];

static void count(void *p)
{
    const uint8_t *sample = p;
    unsigned first = vx_warp() * vx_lanes(), threads = vx_warps() * vx_lanes();

    for (unsigned bin = first; bin < BINS; bin += threads)
        bins[bin + vx_lane()] = 0;
    for (unsigned i = first; i < N; i += threads)
        vx_atomic_add(&bins[sample[i + vx_lane()]], 1);
}

int main(void)
{
    for (unsigned i = 0; i < N; i++) {
        samples[i] = (uint8_t)(noise(i) % BINS);
        expected[samples[i]]++;
    }
    vx_launch(count, samples);
    return judge("histogram", bins, expected, BINS, sizeof bins[0]);
}
