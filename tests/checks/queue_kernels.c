/* The kernels of queues.c, in each of its languages. Level Zero gets one in a module: else Intel's
 * compiler gives no lines. */
#ifdef __OPENCL_C_VERSION__
#define KERNEL kernel void
#define GLOBAL global
#ifdef __AMDGCN__ /* without a library */
#define NUMBER (int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#else
#define NUMBER get_global_id(0)
#endif
#else
#define KERNEL static void
#define GLOBAL
#endif

#ifndef WITHOUT_PUT
KERNEL put(GLOBAL int *to, int first)
{
    to[first + NUMBER] = NUMBER + 1; /* BUG put_store */
}
#endif

#if defined __AMDGCN__ && defined __OPENCL_C_VERSION__
/* Waits until a signal of HSA is 0. */
KERNEL get_when(GLOBAL int *to, GLOBAL const int *from, GLOBAL long *signal)
{
    while (__opencl_atomic_load((GLOBAL atomic_long *)signal, memory_order_acquire,
                                memory_scope_all_svm_devices))
        ;
    to[NUMBER] += from[NUMBER]; /* BUG when_load */
}
#endif

#ifndef WITHOUT_GET
KERNEL get(GLOBAL int *to, GLOBAL const int *from)
{
    to[NUMBER] += from[NUMBER]; /* BUG get_load */
}
#endif
