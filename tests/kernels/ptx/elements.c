/*
 * The functions of elements.h over arrays of N: as functions of the host; as kernels of GCC's
 * OpenACC; as kernels of clang's CUDA. One file, so that each compiler has the same source.
 */
#define N 256

#if defined(__CUDA__)
#define FUNCTION static __device__ __attribute__((noinline))
#define F(name, result, type, expression)                                                          \
    extern "C" __global__ void name(result *out, const type *A, const type *B)                     \
    {                                                                                              \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                  \
        const type a = A[i], b = B[i];                                                             \
        (void)a, (void)b;                                                                          \
        out[i] = (result)(expression);                                                             \
    }
#include "cuda.h"
#elif defined(OPENACC)
#define FUNCTION _Pragma("acc routine seq") static __attribute__((noinline))
/* One variable is passed on: a kernel's parameter points to a pointer to it. */
#define F(name, result, type, expression)                                                          \
    struct name {                                                                                  \
        type a[N], b[N];                                                                           \
        result out[N];                                                                             \
    };                                                                                             \
    void name(struct name *all)                                                                    \
    {                                                                                              \
        _Pragma("acc parallel loop deviceptr(all)") for (int i = 0; i < N; i++)                    \
        {                                                                                          \
            const type a = all->a[i], b = all->b[i];                                               \
            (void)a, (void)b;                                                                      \
            all->out[i] = (result)(expression);                                                    \
        }                                                                                          \
    }
#else
#define F(name, result, type, expression)                                                          \
    void name(result *out, const type *A, const type *B)                                           \
    {                                                                                              \
        for (int i = 0; i < N; i++) {                                                              \
            const type a = A[i], b = B[i];                                                         \
            (void)a, (void)b;                                                                      \
            out[i] = (result)(expression);                                                         \
        }                                                                                          \
    }
#endif
#include "elements.h"
