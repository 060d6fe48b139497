/* For leaving.py: as leaving.cu, in regions of OpenMP. */
#include <poll.h>
#include <stdio.h>

enum { N = 256 };

#pragma omp declare target
__attribute__((noinline)) int weigh(int value, int by)
{
    int weighed = value * by + 70001;
    return weighed ^ (value & 0x12345);
}

int later(int sum, int turns)
{
    for (int k = 0; k < turns; k++)
        sum = weigh(sum, k + 3); // turn
    return sum;
}
#pragma omp end declare target

int main(void)
{
    int out[N], wrong = 0, round = 0;
    for (;; round++) {
#pragma omp target teams distribute parallel for map(from : out)
        for (int i = 0; i < N; i++) {
            int sum = weigh(i, round);        // fill
            out[i] = later(sum, (i & 3) + 2); // store
        }
        for (int i = 0; i < N; i++)
            wrong += out[i] != later(weigh(i, round), (i & 3) + 2);
        if (round == 0)
            printf("ready\n"), fflush(stdout);
        struct pollfd in = {0, POLLIN, 0};
        if (poll(&in, 1, 1) > 0)
            break;
    }
    printf("%d launches, %d wrong\n", round + 1, wrong);
    return 0;
}
