#define GLOBAL global
#include "work.h"

kernel void work(global const int *from, global int *to, int n)
{
    int i = get_global_id(0);
    work_on(from, to, i, n); /* work */
}
