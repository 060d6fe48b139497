/* Lanes that part, with variables of each side, and of the function around. */
#include "vortex.h"

int out[64];
volatile int sink;

__attribute__((noinline)) int use(int a)
{
    sink = a; /* use */
    return a + 1;
}

static void work(void *p, size_t i)
{
    int *to = p;
    int all = (int)i * 10;
    VX_IF(i & 1)
    {
        int odd = all + 1;
        odd = use(odd);
        to[i] = odd; /* odd */
    }
    VX_ELSE
    {
        int even = all + 2;
        even = use(even);
        to[i] = even + all; /* even */
    }
    VX_END
    to[i] += all; /* end */
}

int main(void)
{
    vx_parallel(64, work, out);
    return 0;
}
