/*
 * Kernels in HIP, each doing one kind of thing that programs do. The same source is a HIP program and,
 * with cpu.h, a program for the CPU: both print what the kernels leave in their buffers, in
 * hexadecimal, so that the two can be compared. DIRECT leaves out the kernels that clang-19 has ask
 * for a device queue: those with indirect calls, and those that ask the host.
 */
#ifdef ON_CPU
#include "cpu.h"
#define LAUNCH(kernel, grid, block, shared, ...) cpu::launch(kernel, grid, block, __VA_ARGS__)
#define DYNAMIC_SHARED(type, name) type *name = (type *)cpu::shared
#else
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#define LAUNCH(kernel, grid, block, shared, ...)                                                   \
    kernel<<<grid, block, shared>>>(__VA_ARGS__);                                                  \
    check(hipGetLastError());                                                                      \
    check(hipDeviceSynchronize())
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
// That of Debian's headers asks for what clang-19 does not have any more.
#define atomicInc(p, x) __builtin_amdgcn_atomic_inc32(p, x, __ATOMIC_RELAXED, "agent")
#endif
#include <vector>

typedef unsigned long long u64;
typedef long long s64;
#define NOINLINE __attribute__((noinline))
enum { N = 1024, BLOCK = 128 };

__device__ static inline unsigned index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline u64 bits(double x)
{
    u64 b;
    memcpy(&b, &x, 8);
    return x != x ? 0x7ff8000000000000u : b; // CPUs have another NaN
}

__device__ static inline unsigned bits(float x)
{
    unsigned b;
    memcpy(&b, &x, 4);
    return x != x ? 0x7fc00000u : b;
}

// ---- arithmetic ----

__global__ void integers(const unsigned *in, unsigned *out)
{
    const unsigned i = index(), a = in[i], b = in[(i + 7) % N];
    const int x = (int)a, y = (int)b;
    const u64 p = (u64)a << 32 | b, q = (u64)b << 17 ^ a;
    unsigned *o = out + 16 * i;
    o[0] = a + b * 3 - (a ^ b);
    o[1] = __umulhi(a, b) + (unsigned)__mulhi(x, y);
    o[2] = a / (b | 1) + a % (b | 1);
    o[3] = (unsigned)(x / (y | 1) - x % (y | 1));
    o[4] = (unsigned)(x >> (b & 31)) + (a << (b & 31)) + (a >> (b & 31));
    o[5] = (unsigned)(__popc(a) + 100 * __clz(x) + 10000 * __ffs(y & 0xff00));
    o[6] = __brev(a) ^ (unsigned)__popcll(p) ^ (unsigned)__clzll((s64)p) << 8;
    o[7] = (unsigned)(p / (q | 1)) + (unsigned)(p % (q | 1));
    o[8] = (unsigned)((s64)p / ((s64)q | 1) >> 3);
    o[9] = (unsigned)(__umul64hi(p, q) >> 20);
    o[10] = (unsigned)((p * q) >> 32);
    o[11] = (unsigned)((s64)p >> (b & 63)) + (unsigned)(p << (a & 63) >> 32);
    o[12] = (unsigned)(x < y) + 2 * (a < b) + 4 * ((s64)p < (s64)q) + 8 * (p < q);
    o[13] = (unsigned)(x < 0 ? -x : x) + (unsigned)(x < y ? x : y) + (a > b ? a : b);
    o[14] = (unsigned)(short)a * (unsigned)(signed char)b + (unsigned char)(a >> 8);
    o[15] = (a << 13 | a >> 19) + (unsigned)((p >> 7 | p << 57) >> 32);
}

__global__ void floats(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    const float a = __uint_as_float(in[i]), b = __uint_as_float(in[(i + 5) % N]);
    const float c = (float)(int)in[i] * 0x1p-20f, d = (float)(in[(i + 5) % N] >> 8) + 0.5f;
    unsigned *o = out + 16 * i;
    o[0] = bits(a + b);
    o[1] = bits(a * b);
    o[2] = bits(a / b);
    o[3] = bits(fmaf(c, d, -c));
    o[4] = bits(sqrtf(fabsf(a)));
    o[5] = bits(c / d);
    o[6] = bits(floorf(c) + ceilf(c));
    o[7] = bits(rintf(c) - truncf(c));
    o[8] = bits(fminf(a, b)) ^ bits(fmaxf(c, d));
    o[9] = (unsigned)(int)c + (unsigned)d;
    o[10] = (unsigned)(a < b) + 2 * (a == a) + 4 * (c >= d) + 8 * (a != b) + 16 * !(a <= b);
    o[11] = bits(copysignf(d, c)) ^ bits(ldexpf(c, (int)(in[i] % 40) - 20));
    o[12] = bits((float)(double)a) + bits((float)((double)c / 3));
    o[13] = bits(fmodf(c, d + 1));
    o[14] = bits((float)(s64)((u64)in[i] << 31)) ^ bits((float)((u64)in[i] << 33));
    o[15] = bits(d - c * d + c);
}

__global__ void doubles(const unsigned *in, u64 *out)
{
    const unsigned i = index();
    u64 raw = (u64)in[i] << 32 | in[(i + 3) % N];
    double a, b = (double)(int)in[i] / 4096, c = (double)raw;
    memcpy(&a, &raw, 8);
    u64 *o = out + 10 * i;
    o[0] = bits(a + b);
    o[1] = bits(a * c);
    o[2] = bits(b / c);
    o[3] = bits(sqrt(fabs(a)));
    o[4] = bits(fma(b, c, -c));
    o[5] = bits(floor(b) + rint(b) * 3);
    o[6] = (u64)(s64)b + (u64)c / 2;
    o[7] = bits((double)(float)b + (double)(s64)raw);
    o[8] = (u64)(a < b) + 2 * (c > b) + 4 * (a == a);
    o[9] = bits(fmin(a, b)) ^ bits(fmax(b, c));
}

__global__ void halves(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    _Float16 a, b, c = (_Float16)((float)(int)in[i] * 0x1p-24f);
    const unsigned short low = (unsigned short)in[i], high = (unsigned short)(in[i] >> 16);
    memcpy(&a, &low, 2);
    memcpy(&b, &high, 2);
    unsigned *o = out + 6 * i;
    o[0] = bits((float)(a + b));
    o[1] = bits((float)(a * c));
    o[2] = bits((float)(a - b * c));
    o[3] = (unsigned)(a < b) + 2 * (a == b) + 4 * (c >= a);
    o[4] = bits((float)(c * c + c)) ^ bits((float)(-a));
    o[5] = (unsigned)(int)(c * (_Float16)8) + bits((float)(_Float16)(int)(in[i] & 0xfff));
}

// Compared within bounds: of each function the value in single and in double precision.
__global__ void functions(const unsigned *in, double *out)
{
    const unsigned i = index();
    const float x = (float)(int)in[i] * 0x1p-28f, p = fabsf(x) + 0.01f;
    const double y = x, q = p;
    double *o = out + 20 * i;
    const float single[10] = {sinf(x), cosf(x), tanf(x), expf(x), logf(p), powf(p, x), atan2f(x, p), tanhf(x), cbrtf(x),
                              exp2f(x)};
    const double twice[10] = {sin(y), cos(y), tan(y), exp(y), log(q), pow(q, y), atan2(y, q), tanh(y), cbrt(y), exp2(y)};
    for (int k = 0; k < 10; k++) {
        o[k] = single[k];
        o[10 + k] = twice[k];
    }
}

// ---- memory ----

__global__ void atomics(const unsigned *in, unsigned *count, u64 *wide, float *sum)
{
    const unsigned i = index(), x = in[i];
    atomicAdd(&count[0], x);
    atomicSub(&count[1], x >> 3);
    atomicMin(&count[2], x);
    atomicMax(&count[3], x);
    atomicMin((int *)&count[4], (int)x);
    atomicMax((int *)&count[5], (int)x);
    atomicAnd(&count[6], x | 0xffff);
    atomicOr(&count[7], x & 0x11111);
    atomicXor(&count[8], x);
    atomicInc(&count[9], 100u);
    atomicAdd(&wide[0], (u64)x * x);
    atomicMax(&wide[1], (u64)x << 20);
    atomicAdd(sum, (float)(x % 16));
    // A lock-free product by compare and swap.
    unsigned old = count[10], seen;
    do {
        seen = old;
        old = atomicCAS(&count[10], seen, seen * (x | 1));
    } while (old != seen);
    if (atomicExch(&count[11 + x % 4], 1u) == 0)
        atomicAdd(&count[15], 1u);
}

__global__ void shared(const unsigned *in, unsigned *out)
{
    __shared__ unsigned tile[16][17], part[256];
    const unsigned x = threadIdx.x, y = threadIdx.y, n = y * 16 + x;
    const unsigned at = (blockIdx.y * 2 + blockIdx.x) * 256;
    tile[y][x] = in[at + n];
    part[n] = in[at + n] % 1000;
    __syncthreads();
    out[at + n] = tile[x][y];
    for (unsigned half = 128; half; half /= 2) {
        if (n < half)
            part[n] += part[n + half];
        __syncthreads();
    }
    if (n == 0)
        out[N + blockIdx.y * 2 + blockIdx.x] = part[0];
}

__global__ void dynamic_shared(const unsigned *in, unsigned *out)
{
    DYNAMIC_SHARED(unsigned, place);
    unsigned *first = place, *second = place + BLOCK;
    const unsigned t = threadIdx.x;
    first[t] = in[index()] % 100;
    __syncthreads();
    for (unsigned by = 1; by < BLOCK; by *= 2) { // a sum up to each
        second[t] = first[t] + (t >= by ? first[t - by] : 0);
        __syncthreads();
        unsigned *other = first;
        first = second;
        second = other;
    }
    out[index()] = first[t];
}

__global__ void private_arrays(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    unsigned char order[24];
    int key[24];
    for (unsigned k = 0; k < 24; k++) {
        order[k] = (unsigned char)k;
        key[k] = (int)(in[(i + k * k) % N] >> (k % 8));
    }
    for (unsigned k = 1; k < 24; k++)
        for (unsigned j = k; j && key[order[j - 1]] > key[order[j]]; j--) {
            const unsigned char swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    unsigned hash = 0;
    for (unsigned k = 0; k < 24; k++)
        hash = hash * 31 + order[(k + i) % 24];
    out[i] = hash;
}

__constant__ int weights[8] = {3, -1, 4, 1, -5, 9, 2, -6};
__device__ unsigned total[4];
struct shape {
    int4 a;
    signed char low;
    unsigned short middle;
    u64 high;
    float4 f;
    unsigned bit : 3, field : 13, rest : 16;
};

__global__ void structures(shape s, const int4 *in, int4 *out, unsigned *totals)
{
    const unsigned i = index();
    int4 v = in[i];
    s.bit = (unsigned)v.x;
    s.field += (unsigned)v.y;
    s.middle += (unsigned short)v.z;
    v.x = v.x * weights[i % 8] + s.a.y + s.low;
    v.y = (int)(s.bit + s.field * 8u + s.rest);
    v.z = (int)(s.high >> (i % 64)) + s.middle;
    v.w ^= (int)bits(s.f.x + s.f.w);
    out[i] = v;
    atomicAdd(&total[i % 4], (unsigned)v.y);
    __threadfence();
    __syncthreads();
    if (gridDim.x == 1 && i < 4)
        totals[i] = total[i];
}

// ---- control flow and calls ----

__global__ void divergence(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    unsigned x = in[i] % 10000 + 1, steps = 0;
    while (x != 1) {
        x = x % 2 ? 3 * x + 1 : x / 2;
        if (++steps > 300)
            break;
    }
    for (unsigned k = 0; k < i % 11; k++) {
        if (k % 3 == in[i] % 3)
            continue;
        switch ((in[i] >> k) % 6) {
        case 0:
            x += steps;
            break;
        case 1:
            x ^= k * 77;
            // falls through
        case 2:
            x *= 5;
            break;
        case 3:
            if (x & 1)
                goto done;
            x--;
            break;
        default:
            x = x << 3 | x >> 29;
        }
    }
done:
    out[i] = x + steps * 1000;
}

__device__ NOINLINE unsigned ackermann(unsigned m, unsigned n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ NOINLINE u64 mixed(u64 a, float b, const unsigned *c, short d, int4 e)
{
    return a * 3 + (u64)(s64)(b * 16) + c[(unsigned)d % 4] + (u64)(unsigned)(e.x ^ e.w);
}

__global__ void calls(const unsigned *in, u64 *out)
{
    const unsigned i = index();
    unsigned own[4] = {i, in[i], 7, i * i};
    u64 x = ackermann(i % 3, in[i] % 4);
    if (in[i] & 1)
        x += mixed(in[i], (float)(i % 100) / 4, own, (short)i, make_int4((int)i, 2, 3, (int)in[i]));
    else
        x ^= mixed(i, 2.5f, in + i % 1000, (short)(i * 3), make_int4(1, 2, 3, 4));
    out[i] = x;
}

typedef unsigned (*operation)(unsigned, unsigned);
__device__ NOINLINE unsigned plus(unsigned a, unsigned b) { return a + b; }
__device__ NOINLINE unsigned times(unsigned a, unsigned b) { return a * (b | 1); }
__device__ NOINLINE unsigned folded(unsigned a, unsigned b)
{
    unsigned r = 0;
    for (unsigned k = 0; k < (b & 15); k++)
        r = r * 33 + (a >> k);
    return r;
}
__device__ operation table[3] = {plus, times, folded};

__global__ void function_pointers(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    operation second = in[i] & 4 ? plus : folded;
    unsigned x = table[in[i] % 3](in[i], i);
    for (unsigned k = 0; k < 5; k++)
        x = table[(x >> k) % 3](x, k);
    out[i] = second(x, in[i]);
}

// ---- C++ ----

template <unsigned n> struct power {
    template <typename T> __device__ static T of(T x) { return x * power<n - 1>::of(x); }
};
template <> struct power<0> {
    template <typename T> __device__ static T of(T) { return T(1); }
};
template <typename... T> __device__ auto sum_of(T... x) { return (x + ...); }
template <typename T, typename F> __device__ T reduced(const T *p, unsigned n, T x, F f)
{
    for (unsigned k = 0; k < n; k++)
        x = f(x, p[k]);
    return x;
}
struct modular {
    unsigned value;
    __device__ modular(unsigned v) : value(v % 65521) {}
    __device__ friend modular operator*(modular a, modular b) { return (unsigned)((u64)a.value * b.value % 65521); }
};

template <typename T> __global__ void templates(const T *in, T *out)
{
    const unsigned i = index();
    T four[4] = {in[i], in[(i + 1) % N], in[(i + 2) % N], in[(i + 3) % N]};
    const T bias = (T)(i % 5);
    T x = reduced(four, 4, T(0), [=](T a, T b) { return a * 2 + b + bias; });
    x += power<5>::of(four[0]) + sum_of(four[1], four[2], T(3));
    if constexpr (sizeof(T) == 4)
        x += (T)power<7>::of(modular((unsigned)i)).value;
    out[i] = x;
}

struct figure {
    unsigned size;
    __device__ figure(unsigned s) : size(s) {}
    __device__ virtual ~figure() {}
    __device__ virtual unsigned area() const = 0;
    __device__ virtual unsigned corners() const { return size % 7; }
};
struct square : figure {
    __device__ square(unsigned s) : figure(s) {}
    __device__ unsigned area() const override { return size * size; }
    __device__ unsigned corners() const override { return 4; }
};
struct strip : figure {
    unsigned width;
    __device__ strip(unsigned s, unsigned w) : figure(s), width(w) {}
    __device__ unsigned area() const override { return size * width; }
};
__device__ NOINLINE unsigned measured(const figure *f)
{
    return f->area() * 10 + f->corners();
}

__global__ void virtual_functions(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    square a(in[i] % 1000);
    strip b(in[i] % 500, i);
    const figure *f = in[i] & 8 ? (const figure *)&a : &b;
    out[i] = measured(f) + (in[i] & 16 ? measured(&a) : measured(&b));
}

// ---- lanes of a wave ----

__global__ void votes(const unsigned *in, u64 *out)
{
    const unsigned i = index(), x = in[i];
    u64 *o = out + 4 * i;
    o[0] = __ballot(x & 1);
    o[1] = (u64)__any(x % 97 == 0) | (u64)__all(x > 5) << 1 | (u64)__popcll(__ballot(x & 2)) << 8;
    o[2] = 0;
    if (x & 4) { // those lanes alone
        o[2] = __ballot(x & 8);
        o[2] ^= (u64)__any(x % 61 == 0) << 63;
    }
    o[3] = __ballot(1);
}

__global__ void shuffles(const unsigned *in, unsigned *out)
{
    const unsigned i = index();
    const int x = (int)in[i];
    unsigned *o = out + 8 * i;
    o[0] = (unsigned)__shfl(x, (int)(i * 7 % 64));
    o[1] = (unsigned)__shfl(x, (int)(i * 5 % 16), 16);
    o[2] = (unsigned)__shfl_up(x, 3);
    o[3] = (unsigned)__shfl_down(x, 5, 32);
    o[4] = (unsigned)__shfl_xor(x, 21);
    o[5] = bits(__shfl_xor((float)x, 1, 2));
    int sum = x;
    for (int by = 32; by; by /= 2)
        sum += __shfl_xor(sum, by);
    o[6] = (unsigned)sum;
    int up_to = x % 1000;
    for (unsigned by = 1; by < 64; by *= 2) {
        const int other = __shfl_up(up_to, by);
        if (i % 64 >= by)
            up_to += other;
    }
    o[7] = (unsigned)up_to;
}

// ---- what asks the host ----

// What it returns keeps the last call for printf from being a tail call, whose target clang-15 holds in
// a register that it restores before the jump.
__device__ NOINLINE float tell(unsigned i, const char *what, float x)
{
    printf("%u says %s: %.3f\n", i, what, x);
    return x + 1;
}

__global__ void prints(const unsigned *in)
{
    const unsigned i = index();
    if (i % 100 >= 60)
        return;
    printf("%u: %d %u %x %08X %o %c %%\n", i, (int)in[i], in[i], in[i], in[i], in[i] >> 9, 'a' + i % 26);
    printf("%u: %5.2f %e %g %lld %llx %hd\n", i, (double)(int)in[i] / 65536, (double)in[i], (float)i / 3, (s64)in[i] << 20,
           (u64)in[i] << 30, (short)in[i]);
    float said = 0;
    for (unsigned k = 0; k < in[i] % 3; k++)
        said = tell(i, in[i] & 1 ? "odd" : "even, and a text that is longer than what one message to the host holds: "
                            "0123456789012345678901234567890123456789", said);
    printf("%u is done\n", i);
}

__global__ void allocates(const unsigned *in, unsigned *out)
{
    const unsigned i = index(), n = in[i] % 50 + 1;
    unsigned *p = (unsigned *)malloc(n * sizeof *p), x = 0;
    if (!p) {
        out[i] = 0xffffffff;
        return;
    }
    for (unsigned k = 0; k < n; k++)
        p[k] = in[(i + k) % N] + k;
    for (unsigned k = 0; k < n; k++)
        x = x * 31 + p[n - 1 - k];
    free(p);
    out[i] = x;
}

// ---- the host's side ----

#ifdef ON_CPU
template <typename T> struct buffer {
    std::vector<T> host;
    T *device;
    explicit buffer(std::vector<T> h) : host(h), device(host.data()) {}
    void fetch() {}
};
#else
static void check(hipError_t error)
{
    if (error != hipSuccess) {
        fprintf(stderr, "%s\n", hipGetErrorString(error));
        exit(1);
    }
}

template <typename T> struct buffer {
    std::vector<T> host;
    T *device;
    explicit buffer(std::vector<T> h) : host(h)
    {
        check(hipMalloc((void **)&device, host.size() * sizeof(T)));
        check(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
    }
    void fetch() { check(hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost)); }
};
#endif

// Numbers of every size, some of them next to powers of two.
static std::vector<unsigned> numbers(size_t count)
{
    std::vector<unsigned> v(count);
    u64 seed = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        v[i] = (unsigned)(seed >> 32);
        if (i % 5 == 0)
            v[i] >>= i % 32;
        if (i % 16 == 3)
            v[i] = (1u << i / 16 % 32) - (unsigned)(i / 512 % 2);
    }
    return v;
}

template <typename T> static void show(const char *name, buffer<T> &b)
{
    b.fetch();
    printf("== %s", name);
    const unsigned char *p = (const unsigned char *)b.host.data();
    for (size_t i = 0; i < b.host.size() * sizeof(T); i++)
        printf("%s%02x", i % 32 ? "" : "\n", p[i]);
    printf("\n");
}

#define RUN(kernel, type, each)                                                                    \
    {                                                                                              \
        buffer<type> out(std::vector<type>(N * each));                                             \
        LAUNCH(kernel, dim3(N / BLOCK), dim3(BLOCK), 0, in.device, out.device);                    \
        show(#kernel, out);                                                                        \
    }

int main()
{
    buffer<unsigned> in(numbers(N));
    show("in", in);
    RUN(integers, unsigned, 16)
    RUN(floats, unsigned, 16)
    RUN(doubles, u64, 10)
    RUN(halves, unsigned, 6)
    RUN(functions, double, 20)
    {
        std::vector<unsigned> start(16);
        start[2] = 0xffffffff, start[6] = 0xffffffff, start[10] = 1;
        buffer<unsigned> count(start);
        buffer<u64> wide(std::vector<u64>(2));
        buffer<float> sum(std::vector<float>(1));
        LAUNCH(atomics, dim3(N / BLOCK), dim3(BLOCK), 0, in.device, count.device, wide.device, sum.device);
        show("atomics", count);
        show("atomics, wide", wide);
        show("atomics, sum", sum);
    }
    {
        buffer<unsigned> out(std::vector<unsigned>(N + 4));
        LAUNCH(shared, dim3(2, 2), dim3(16, 16), 0, in.device, out.device);
        show("shared", out);
    }
    {
        buffer<unsigned> out{std::vector<unsigned>(N)};
        LAUNCH(dynamic_shared, dim3(N / BLOCK), dim3(BLOCK), 2 * BLOCK * sizeof(unsigned), in.device, out.device);
        show("dynamic_shared", out);
    }
    RUN(private_arrays, unsigned, 1)
    {
        shape s = {{1, -2, 3, -4}, -77, 54321, 0x123456789abcdef0u, {1.5f, 2, 3, -4.25f}, 5, 1234, 999};
        std::vector<int4> v(256);
        for (int i = 0; i < 256; i++)
            v[i] = make_int4((int)in.host[4 * i], (int)in.host[4 * i + 1], (int)in.host[4 * i + 2], (int)in.host[4 * i + 3]);
        buffer<int4> from(v), out{std::vector<int4>(256)};
        buffer<unsigned> totals{std::vector<unsigned>(4)};
        LAUNCH(structures, dim3(1), dim3(256), 0, s, from.device, out.device, totals.device);
        show("structures", out);
        show("structures, totals", totals);
    }
    RUN(divergence, unsigned, 1)
    RUN(calls, u64, 1)
#ifndef DIRECT
    RUN(function_pointers, unsigned, 1)
#endif
    RUN(templates<unsigned>, unsigned, 1)
    {
        std::vector<double> v(N);
        for (int i = 0; i < N; i++)
            v[i] = (double)(int)in.host[i] / 1024;
        buffer<double> from(v), out{std::vector<double>(N)};
        LAUNCH(templates<double>, dim3(N / BLOCK), dim3(BLOCK), 0, from.device, out.device);
        show("templates<double>", out);
    }
    RUN(votes, u64, 4)
    RUN(shuffles, unsigned, 8)
#ifndef DIRECT
    RUN(virtual_functions, unsigned, 1)
    RUN(allocates, unsigned, 1)
    printf("== prints\n");
    fflush(stdout);
    LAUNCH(prints, dim3(N / BLOCK), dim3(BLOCK), 0, in.device);
#endif
    printf("== end\n");
    return 0;
}
