/* Atomic operations that AMD's hardware drops: those that PCI Express lacks, on fine-grained memory
 * of the host. A twin has memory that is coarse-grained. Each case says what has become of its
 * memory and of what the operations have returned. */
#include <hip/hip_runtime.h>
#include <stdlib.h>

#include "cases.h"

enum { N = 64, WAS = 5 };
enum kind { DEVICE, DEVICE_FINE, HOST, HOST_COARSE, MANAGED, MANAGED_COARSE, REGISTERED };

#define KERNEL(name, T, ...)                                                                       \
    __global__ void name(T *p, T *out)                                                             \
    {                                                                                              \
        T *at = p + threadIdx.x;                                                                   \
        const T value = threadIdx.x;                                                               \
        out[threadIdx.x] = __VA_ARGS__;                                                            \
    }
typedef unsigned long long wide;
KERNEL(maximum, int, atomicMax(at, value))     /* BUG maximum */
KERNEL(minimum, int, atomicMin(at, value))     /* BUG minimum */
KERNEL(both, unsigned, atomicAnd(at, value))   /* BUG both */
KERNEL(some, unsigned, atomicOr(at, value))    /* BUG some */
KERNEL(odd, wide, atomicXor(at, value))        /* BUG odd */
KERNEL(next, unsigned, atomicInc(at, value))   /* BUG next */
KERNEL(before, unsigned, atomicDec(at, value)) /* BUG before */
KERNEL(sum, int, atomicAdd(at, value))
KERNEL(swap, int, atomicExch(at, value))
KERNEL(compare, int, atomicCAS(at, WAS, value))
/* Models from gfx908 on have singles in hardware, a gfx90a doubles, too; the others add as well as
 * they can. */
#if defined(__gfx908__) || defined(__gfx90a__)
#define ADD_F32 "global_atomic_add_f32 %0, %1, off\n s_waitcnt vmcnt(0)"
#endif
#ifdef __gfx90a__
#define ADD_F64 "global_atomic_add_f64 %0, %1, off\n s_waitcnt vmcnt(0)"
#endif
__global__ void real(float *p, float *out)
{
    float *at = p + threadIdx.x;
    const float value = threadIdx.x + 1;
#ifdef ADD_F32
    __asm__ volatile(ADD_F32 ::"v"(at), "v"(value) : "memory");
#else
    *at += value;
#endif
    out[threadIdx.x] = 0;
}
__global__ void long_real(double *p, double *out)
{
    double *at = p + threadIdx.x;
    const double value = threadIdx.x + 1;
#ifdef ADD_F64
    __asm__ volatile(ADD_F64 ::"v"(at), "v"(value) : "memory");
#else
    *at += value;
#endif
    out[threadIdx.x] = 0;
}
/* One of the wave's, whose address all lanes have. */
__global__ void together(int *p, int *out)
{
    out[threadIdx.x] = atomicOr(p, 1 << threadIdx.x % 32); /* BUG together */
}

static void *registered;

static void *memory(enum kind kind, size_t size)
{
    void *p = NULL, *of_gpu;
    switch (kind) {
    case DEVICE:
        (void)hipMalloc(&p, size);
        break;
    case DEVICE_FINE:
        (void)hipExtMallocWithFlags(&p, size, hipDeviceMallocFinegrained);
        break;
    case HOST:
        (void)hipHostMalloc(&p, size, hipHostMallocCoherent);
        break;
    case HOST_COARSE:
        (void)hipHostMalloc(&p, size, hipHostMallocNonCoherent);
        break;
    case REGISTERED:
        registered = aligned_alloc(4096, 4096);
        (void)hipHostRegister(registered, 4096, 0);
        (void)hipHostGetDevicePointer(&of_gpu, registered, 0);
        return of_gpu;
    default:
        (void)hipMallocManaged(&p, size);
        if (kind == MANAGED_COARSE)
            (void)hipMemAdvise(p, size, hipMemAdviseSetCoarseGrain, 0);
    }
    return p;
}

static void give_back(enum kind kind, void *p)
{
    if (kind == REGISTERED) {
        (void)hipHostUnregister(registered);
        free(registered);
    } else if (kind == HOST || kind == HOST_COARSE) {
        (void)hipHostFree(p);
    } else {
        (void)hipFree(p);
    }
}

template <typename T> static void run(void (*kernel)(T *, T *), enum kind kind)
{
    T *p = (T *)memory(kind, N * sizeof(T)), *out, old[N], now[N];
    if (!p) {
        printf("no memory\n");
        exit(1);
    }
    for (T &one : now)
        one = WAS;
    (void)hipMalloc(&out, sizeof old);
    (void)hipMemset(out, 0xff, sizeof old);
    (void)hipMemcpy(p, now, sizeof now, hipMemcpyDefault);
    kernel<<<1, N>>>(p, out);
    (void)hipMemcpy(now, p, sizeof now, hipMemcpyDefault);
    (void)hipMemcpy(old, out, sizeof old, hipMemcpyDeviceToHost);
    unsigned dropped = 0;
    for (int i = 0; i < N; i++)
        dropped += now[i] == WAS && old[i] == 0;
    printf("%s is %s\n", case_name, dropped == N ? "dropped" : dropped ? "wrong" : "done");
    result(now, sizeof now);
    (void)hipFree(out);
    give_back(kind, p);
}

#define PLANTED(name, kernel, bad_memory, good_memory)                                             \
    static void name(int bad)                                                                      \
    {                                                                                              \
        run(kernel, bad ? bad_memory : good_memory);                                               \
    }
PLANTED(host_max, maximum, HOST, HOST_COARSE)
PLANTED(host_min, minimum, HOST, DEVICE)
PLANTED(host_and, both, HOST, DEVICE)
PLANTED(host_or, some, HOST, DEVICE_FINE)
PLANTED(host_xor, odd, HOST, HOST_COARSE)
PLANTED(host_inc, next, HOST, DEVICE)
PLANTED(host_dec, before, HOST, DEVICE)
PLANTED(host_together, together, HOST, DEVICE)
#define OF_KIND(name, kernel, kind)                                                                \
    static void name(int)                                                                          \
    {                                                                                              \
        run(kernel, kind);                                                                         \
    }
PLANTED(managed_max, maximum, MANAGED, MANAGED_COARSE)
PLANTED(registered_max, maximum, REGISTERED, DEVICE)
PLANTED(host_real, real, HOST, DEVICE)
PLANTED(fine_real, real, DEVICE_FINE, DEVICE)
PLANTED(managed_real, real, MANAGED, HOST_COARSE)
PLANTED(fine_long, long_real, DEVICE_FINE, DEVICE)
PLANTED(host_long, long_real, HOST, HOST_COARSE)
OF_KIND(host_add, sum, HOST)
OF_KIND(host_swap, swap, HOST)
OF_KIND(host_compare, compare, HOST)
OF_KIND(managed_add, sum, MANAGED)
OF_KIND(fine_max, maximum, DEVICE_FINE)

CASES(CASE(host_max), CASE(host_min), CASE(host_and), CASE(host_or), CASE(host_xor), CASE(host_inc),
      CASE(host_dec), CASE(host_together), CASE(managed_max), CASE(registered_max), CASE(host_add),
      CASE(host_real), CASE(fine_real), CASE(managed_real), CASE(fine_long), CASE(host_long), CASE(host_swap), CASE(host_compare), CASE(managed_add),
      CASE(fine_max))

int main(int argc, char **argv)
{
    setenv("HSA_FORCE_FINE_GRAIN_PCIE", "1", 1); /* else the runtime offers no DEVICE_FINE */
    run_cases(argc, argv);
    return 0;
}
