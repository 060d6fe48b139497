#define GLOBAL global
#define MEMORY global const int *from, global int *to,
#define GIVEN from, to,
#define FAIL *(global volatile int *)0 = 1
#include "planted.h"

kernel void planted(global const int *from, global int *to, int n)
{
    PLANT(from, to, get_global_id(0), n);
}
