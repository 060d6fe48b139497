/* A kernel with a mistake, for the README: one warp leaves before the barrier at which the others
 * wait for it. */
#include "vortex.h"

static void work(void *p)
{
    (void)p;
    if (vx_warp() == 2)
        return;
    vx_barrier();
}

int main(void)
{
    vx_launch(work, 0);
    return 0;
}
