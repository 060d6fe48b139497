#include "vortex.h"

#define GLOBAL
#include "work.h"

#define N 64

static int from[N], to[N];

static void work(void *p, size_t i)
{
    work_on(from, to, (int)i, 7); /* work */
}

int main(void)
{
    for (int i = 0; i < N; i++)
        from[i] = i;
    vx_parallel(N, work, NULL);
    return to[5] == 4 * 5 + 5 + 2 + 7 ? 0 : 1;
}
