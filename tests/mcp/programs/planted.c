#include "vortex.h"

#define N 64

static int from[N], to[N];

#define GLOBAL
#define MEMORY
#define GIVEN
#define FAIL __builtin_trap()
#include "planted.h"

static void work(void *p, size_t i)
{
    PLANT((int)i, 7);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        from[i] = i;
    vx_parallel(N, work, NULL);
    return 0;
}
