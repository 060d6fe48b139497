/*
 * The mean of each value and its two neighbours, with a mistake: `make demo` finds it. It needs no C library.
 */
#include "bare.h"
#include "vortex.h"

#define N 16 /* values: one for each thread of a core of 4 warps of 4 threads */

static int in[N], out[N];
static int tile[N + 2]; /* the values, and the neighbours of the first and of the last one */

static void blur(void *unused)
{
    (void)unused;
    unsigned i = vx_warp() * vx_lanes() + vx_lane(), t = i + 1;
    tile[t] = in[i];
    VX_IF (t == 1)
        tile[0] = in[i];
    VX_END
    VX_IF (t == N)
        tile[t] = in[i] + 3;
    VX_END
    vx_barrier();
    out[i] = (tile[t - 1] + tile[t] + tile[t + 1]) / 3;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        in[i] = 3 * i;
    vx_launch(blur, 0);
    for (int i = 1; i < N - 1; i++)
        if (out[i] != 3 * i) {
            vx_print("out[%] is %, not %\n", i, out[i], 3 * i);
            return 1;
        }
    return 0;
}
