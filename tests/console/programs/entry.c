/* Arguments that no register holds any more where their values are wanted: the callers know them.
 */
#include "vortex.h"

volatile int sink;
int a[64];

__attribute__((noinline, noipa)) int leaf(int n, int *p, long long w)
{
    sink = n + (int)w + *p;
    int again = sink * 3;
    for (p = a; *p; p++)
        again += *p;
    sink = again; /* leaf */
    return again;
}

__attribute__((noinline, noipa)) int mid(int k, int *q)
{
    int mine = leaf(k + 3, q, k * 5LL);
    return mine + leaf(7, q, -1) + k;
}

__attribute__((noinline, noipa)) int through(int n, int *q)
{
    sink = n + *q;
    int other = sink * 5;
    for (int *p = a; *p; p++)
        other += *p;
    sink = other; /* through */
    return other;
}

__attribute__((noinline, noipa)) int by_pointer(int (*which)(int, int *), int k)
{
    return which(k + 40, a) + k;
}

static void body(void *p, size_t i)
{
    a[i] += mid((int)i * 2, (int *)p + i) + by_pointer(through, (int)i);
}

int main(void)
{
    vx_parallel(64, body, a);
    return 0;
}
