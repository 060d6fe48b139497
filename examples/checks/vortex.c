#include "vortex.h"

static const int table[4] = {1, 2, 3, 4};

static void fill(void *to)
{
    ((int *)to)[vx_lane()] = 5;
}

int main(void)
{
    vx_launch(fill, (void *)table); /* in a segment that must not be written */
    return 0;
}
