/*
 * HIP on the CPU, as far as kernels.hip needs it: the same source, compiled as C++ for the host.
 * The work-items of a group take turns, each in a context of its own. One goes on until it comes to
 * a barrier, where it waits for its group, or to something that the lanes of a wave do together:
 * there it waits until each lane of its wave waits somewhere or has ended; then those at the first
 * place do it. (Places are addresses: compile it with -O0, so that they are in the order of the
 * source.)
 */
#ifndef CPU_H
#define CPU_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __launch_bounds__(n)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};
struct int2 {
    int x, y;
};
struct int4 {
    int x, y, z, w;
};
struct float4 {
    float x, y, z, w;
};
static inline int2 make_int2(int x, int y)
{
    return {x, y};
}
static inline int4 make_int4(int x, int y, int z, int w)
{
    return {x, y, z, w};
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

#ifndef LANES
#define LANES 64
#endif

namespace cpu
{
enum { MOST_ITEMS = 1024, WAVE = LANES, STACK = 1 << 16, SHARED = 65536 };
enum state { RUNNING, AT_BARRIER, TOGETHER, ENDED };
inline ucontext_t scheduler, context[MOST_ITEMS];
inline char stack[MOST_ITEMS][STACK];
inline state is[MOST_ITEMS];
inline const void *place[MOST_ITEMS]; // where an item waits for its wave
inline uint64_t value[MOST_ITEMS],
    left[MOST_ITEMS];               // what each has brought, and what those that go on see
inline uint64_t active[MOST_ITEMS]; // the lanes that did it together
inline unsigned current, items;
alignas(16) inline char shared[SHARED];
inline std::function<void()> body;
} // namespace cpu

inline dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cpu
{
inline void start()
{
    const unsigned n = current;
    body();
    is[n] = ENDED;
}

inline void wait(state why)
{
    const unsigned n = current;
    is[n] = why;
    swapcontext(&context[n], &scheduler);
}

inline void go_on(unsigned n)
{
    current = n;
    is[n] = RUNNING;
    threadIdx = dim3(n % blockDim.x, n / blockDim.x % blockDim.y, n / blockDim.x / blockDim.y);
    swapcontext(&scheduler, &context[n]);
}

// Lets the lanes of the wave that are at one place go on; false if none waits for the others.
inline bool release_wave(unsigned first)
{
    const unsigned end = first + WAVE < items ? first + WAVE : items;
    const void *where = nullptr;
    uint64_t lanes = 0;
    for (unsigned n = first; n < end; n++)
        if (is[n] == TOGETHER && (!where || place[n] < where))
            where = place[n];
    for (unsigned n = first; n < end; n++)
        if (is[n] == TOGETHER && place[n] == where)
            lanes |= (uint64_t)1 << (n - first);
    for (unsigned n = first; n < end; n++)
        if (lanes >> (n - first) & 1)
            active[n] = lanes, left[n] = value[n];
    for (unsigned n = first; n < end; n++)
        if (lanes >> (n - first) & 1)
            go_on(n);
    return lanes != 0;
}

inline void run_group()
{
    items = blockDim.x * blockDim.y * blockDim.z;
    for (unsigned n = 0; n < items; n++) {
        getcontext(&context[n]);
        context[n].uc_stack.ss_sp = stack[n];
        context[n].uc_stack.ss_size = STACK;
        context[n].uc_link = &scheduler;
        makecontext(&context[n], start, 0);
        go_on(n);
    }
    for (bool some = true; some;) {
        some = false;
        for (unsigned first = 0; first < items; first += WAVE)
            while (release_wave(first))
                some = true;
        for (unsigned n = 0; n < items; n++)
            if (is[n] == AT_BARRIER) {
                some = true;
                go_on(n);
            }
    }
}

template <typename F, typename... A> void launch(F kernel, dim3 grid, dim3 block, A... arguments)
{
    gridDim = grid;
    blockDim = block;
    body = [=] { kernel(arguments...); };
    for (blockIdx.z = 0; blockIdx.z < grid.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++)
                run_group();
}

template <typename T> __attribute__((noinline)) uint64_t together(T x)
{
    uint64_t bits = 0;
    memcpy(&bits, &x, sizeof x);
    value[current] = bits;
    place[current] = __builtin_return_address(0);
    wait(TOGETHER);
    return active[current];
}

template <typename T> T of_lane(unsigned lane)
{
    T x;
    memcpy(&x, &left[current / WAVE * WAVE + lane], sizeof x);
    return x;
}
} // namespace cpu

#define __syncthreads() cpu::wait(cpu::AT_BARRIER)
#define __threadfence() ((void)0)

#define TOGETHER inline __attribute__((always_inline))
static TOGETHER uint64_t __ballot(int x)
{
    const uint64_t lanes = cpu::together(x);
    uint64_t result = 0;
    for (unsigned i = 0; i < cpu::WAVE; i++)
        if (lanes >> i & 1 && cpu::of_lane<int>(i))
            result |= (uint64_t)1 << i;
    return result;
}
static TOGETHER int __any(int x)
{
    return __ballot(x) != 0;
}
static TOGETHER int __all(int x)
{
    return __ballot(!x) == 0;
}
template <typename T> TOGETHER T shuffled(T x, int lane)
{
    cpu::together(x);
    return cpu::of_lane<T>((unsigned)lane);
}
static inline int lane_of()
{
    return (int)(cpu::current % cpu::WAVE);
}
template <typename T> TOGETHER T __shfl(T x, int from, int width = cpu::WAVE)
{
    return shuffled(x, (lane_of() & -width) + (from & (width - 1)));
}
template <typename T> TOGETHER T __shfl_up(T x, unsigned by, int width = cpu::WAVE)
{
    const int self = lane_of();
    return shuffled(x, self - (int)by < (self & -width) ? self : self - (int)by);
}
template <typename T> TOGETHER T __shfl_down(T x, unsigned by, int width = cpu::WAVE)
{
    const int self = lane_of();
    return shuffled(x, (self & (width - 1)) + (int)by >= width ? self : self + (int)by);
}
template <typename T> TOGETHER T __shfl_xor(T x, int mask, int width = cpu::WAVE)
{
    const int self = lane_of(), to = self ^ mask;
    return shuffled(x, to >= ((self + width) & -width) ? self : to);
}

template <typename T> T atomicAdd(T *p, T x)
{
    T old = *p;
    *p = old + x;
    return old;
}
template <typename T> T atomicSub(T *p, T x)
{
    T old = *p;
    *p = old - x;
    return old;
}
template <typename T> T atomicMin(T *p, T x)
{
    T old = *p;
    *p = x < old ? x : old;
    return old;
}
template <typename T> T atomicMax(T *p, T x)
{
    T old = *p;
    *p = x > old ? x : old;
    return old;
}
template <typename T> T atomicAnd(T *p, T x)
{
    T old = *p;
    *p = old & x;
    return old;
}
template <typename T> T atomicOr(T *p, T x)
{
    T old = *p;
    *p = old | x;
    return old;
}
template <typename T> T atomicXor(T *p, T x)
{
    T old = *p;
    *p = old ^ x;
    return old;
}
template <typename T> T atomicExch(T *p, T x)
{
    T old = *p;
    *p = x;
    return old;
}
template <typename T> T atomicCAS(T *p, T is, T x)
{
    T old = *p;
    *p = old == is ? x : old;
    return old;
}
static inline unsigned atomicInc(unsigned *p, unsigned x)
{
    unsigned old = *p;
    *p = old >= x ? 0 : old + 1;
    return old;
}

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(uint64_t x)
{
    return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(int64_t x)
{
    return x ? __builtin_clzll((uint64_t)x) : 64;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline unsigned __brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
static inline unsigned __umulhi(unsigned x, unsigned y)
{
    return (uint64_t)x * y >> 32;
}
static inline int __mulhi(int x, int y)
{
    return (int64_t)x * y >> 32;
}
static inline uint64_t __umul64hi(uint64_t x, uint64_t y)
{
    return (unsigned __int128)x * y >> 64;
}
static inline float __uint_as_float(unsigned x)
{
    float f;
    memcpy(&f, &x, 4);
    return f;
}
static inline unsigned __float_as_uint(float f)
{
    unsigned x;
    memcpy(&x, &f, 4);
    return x;
}

#endif
