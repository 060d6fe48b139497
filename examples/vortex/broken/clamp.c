/*
 * A clamp with a mistake, for the tutorial "It crashed in CI" (docs/post-mortem.md): threads of a warp
 * may disagree about a condition that is tested without VX_IF.
 */
#include "check.h"
#include "vortex.h"

#define N 256
#define LIMIT 240

static uint8_t samples[N];
static uint8_t clamped[N], expected[N];

static uint8_t clamp(uint8_t sample)
{
    if (sample > LIMIT)
        return LIMIT;
    return sample;
}

static void clamp_all(void *p)
{
    const uint8_t *sample = p;
    unsigned first = vx_warp() * vx_lanes(), threads = vx_warps() * vx_lanes();

    for (unsigned i = first; i < N; i += threads) {
        unsigned mine = i + vx_lane();
        clamped[mine] = clamp(sample[mine]);
    }
}

int main(void)
{
    for (unsigned i = 0; i < N; i++) {
        samples[i] = (uint8_t)noise(i);
        expected[i] = samples[i] < LIMIT ? samples[i] : LIMIT;
    }
    vx_launch(clamp_all, samples);
    return judge("clamp", clamped, expected, N, sizeof clamped[0]);
}
