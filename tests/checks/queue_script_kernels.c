/* The kernels of queue_script.c: one for each pair of buffers, of OpenCL and of Vortex 3.0. */
#ifdef __OPENCL_C_VERSION__
#define GET(t, f)                                                                                  \
    kernel void get_##t##f(global int *to, global const int *from)                                 \
    {                                                                                              \
        to[get_global_id(0)] += from[get_global_id(0)];                                            \
    }
#else
#include "../host/vortex3_start.h"
struct arguments {
    uint32_t to, from, first;
};
#define GET(t, f)                                                                                  \
    void kernel_get_##t##f(const struct arguments *args)                                           \
    {                                                                                              \
        const unsigned number = CSR(0xcd6) * CSR(0xcd9) + CSR(0xcd3);                              \
        ((int *)(uintptr_t)args->to)[number] += ((const int *)(uintptr_t)args->from)[number];      \
    }                                                                                              \
    KERNEL_NAME(kernel_get_##t##f);
#endif
#define ROW(t) GET(t, 0) GET(t, 1) GET(t, 2) GET(t, 3)
ROW(0)
ROW(1)
ROW(2)
ROW(3)
