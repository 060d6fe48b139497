/* The kernels of queues.c, in each of its languages. */
#ifdef __OPENCL_C_VERSION__
#define KERNEL kernel void
#define GLOBAL global
#define NUMBER get_global_id(0)
#else
#define KERNEL static void
#define GLOBAL
#endif

KERNEL put(GLOBAL int *to, int first)
{
    to[first + NUMBER] = NUMBER + 1; /* BUG put_store */
}

KERNEL get(GLOBAL int *to, GLOBAL const int *from)
{
    to[NUMBER] += from[NUMBER]; /* BUG get_load */
}
