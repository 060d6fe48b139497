/* For leaving.py, on Vortex: warps whose lanes diverge; the exit status is 7 if all that they
 * computed is right. */
#include "vortex.h"

enum { N = 64, ROUNDS = 400 };

static int out[N];

__attribute__((noinline)) int weigh(int value, int by)
{
    int weighed = value * by + 70001;
    return weighed ^ (value & 0x12345);
}

/* What a client calls, and is killed meanwhile. */
__attribute__((used, noinline)) static int later(int sum, int turns)
{
    for (int k = 0; k < turns; k++)
        sum = weigh(sum, k + 3);
    return sum;
}

static void busy(void *p, size_t i)
{
    const int round = *(const int *)p;
    int sum = weigh((int)i, round); /* fill */
    sum = weigh(sum, 3);            /* sum */
    out[i] = weigh(sum, round + 1); /* store */
}

int main(void)
{
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        vx_parallel(N, busy, &round);
        for (int i = 0; i < N; i++)
            wrong += out[i] != weigh(weigh(weigh(i, round), 3), round + 1);
    }
    return wrong ? 1 : 7;
}
