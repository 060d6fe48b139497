/* cuda_bf16.h in kernels and on the host: bfloats. The truth is the nearer one of the two numbers
 * that are next to an exact result. */
#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 65536 };

static float widened(unsigned short bits)
{
    const unsigned word = (unsigned)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Of the number `value` plus `rest`, which is far smaller. What is behind the greatest number is as
 * far away as if there were one more. */
static unsigned short nearest(long double value, long double rest = 0)
{
    if (std::isnan(value))
        return 0x7fff;
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    const long double size = std::fabs(value);
    if (std::isinf(size) || size >= 0x1p128L)
        return (unsigned short)(sign | 0x7f80);
    unsigned low = 0, high = 0x7f80;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (widened((unsigned short)middle) <= size ? low : high) = middle;
    }
    const long double above = high == 0x7f80 ? 0x1p128L : (long double)widened((unsigned short)high);
    const long double down = size - widened((unsigned short)low), up = above - size;
    const bool less = rest != 0 ? (rest < 0) == (value > 0) : !(low & 1);
    return (unsigned short)(sign | (down < up || (down == up && less) ? low : high));
}

static bool same(unsigned short a, unsigned short b)
{
    const bool nan = (a & 0x7fff) > 0x7f80 && (b & 0x7fff) > 0x7f80;
    return a == b || nan;
}

struct results {
    unsigned short sum, difference, product, quotient, together, least, most, narrow, zero, down, up, of_whole, clamped;
    unsigned compared, unordered;
    int nearest;
    long long above;
};

/* Of 64 bits, often close to the middle between two numbers. */
__host__ __device__ static long long whole_of(unsigned i)
{
    const unsigned long long high = (i * 2654435761u | 1ull << 31) >> (i & 31) << 32;
    return (long long)((i & 1 ? -high : high) + (i >> 3) % 3 - 1);
}

__host__ __device__ static void compute(unsigned i, results *out)
{
    const __nv_bfloat16 a = __ushort_as_bfloat16((unsigned short)i);
    const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)(i * 40503u + 977));
    const __nv_bfloat16 c = __ushort_as_bfloat16((unsigned short)(i * 7919u + 16256));
    unsigned word = i * 2654435761u;
    float whole;
    memcpy(&whole, &word, sizeof whole);
    out->sum = __bfloat16_as_ushort(a + b);
    out->difference = __bfloat16_as_ushort(a - b);
    out->product = __bfloat16_as_ushort(__hmul(a, b));
    out->quotient = __bfloat16_as_ushort(a / b);
    out->together = __bfloat16_as_ushort(__hfma(a, b, c));
    out->least = __bfloat16_as_ushort(__hmin(a, b));
    out->most = __bfloat16_as_ushort(__hmax(a, b));
    out->narrow = __bfloat16_as_ushort(__float2bfloat16(whole));
    out->zero = __bfloat16_as_ushort(__float2bfloat16_rz(whole));
    out->down = __bfloat16_as_ushort(__float2bfloat16_rd(whole));
    out->up = __bfloat16_as_ushort(__float2bfloat16_ru(whole));
    out->of_whole = __bfloat16_as_ushort(__ll2bfloat16_rn(whole_of(i)));
    out->clamped = __bfloat16_as_ushort(__hadd_sat(a, b));
    out->nearest = __bfloat162int_rn(a);
    out->above = __bfloat162ll_ru(a);
    out->unordered = __hltu(a, b) | __hequ(a, b) << 1 | __hbgeu2(__nv_bfloat162(a, b), __nv_bfloat162(b, a)) << 2 | __hisinf(a) << 3;
    out->compared = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5;
}

__global__ void all(results *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    compute(i, &out[i]);
}

static bool right(unsigned i, const results &r)
{
    const unsigned short ab = (unsigned short)i, bb = (unsigned short)(i * 40503u + 977), cb = (unsigned short)(i * 7919u + 16256);
    const float a = widened(ab), b = widened(bb), c = widened(cb);
    const unsigned word = i * 2654435761u;
    float whole;
    memcpy(&whole, &word, sizeof whole);
    /* The product is exact; what the sum has not is known exactly. */
    const long double product = (long double)a * b, sum = product + c, part = sum - product;
    const long double missing = (product - (sum - part)) + (c - part);
    const bool least = std::isnan(a) || b < a, most = std::isnan(a) || a < b, nan = std::isnan(a) || std::isnan(b);
    const unsigned short low = a == b ? ab | bb : least ? bb : ab, high = a == b ? ab & bb : most ? bb : ab; /* -0 is below 0 */
    const unsigned short cut = std::isnan(whole) ? 0x7fff : (unsigned short)(word >> 16), next = cut + (!std::isnan(whole) && word & 0xffff);
    const float sum_of_two = widened(nearest((long double)a + b));
    const long double limited = std::fmax(-0x1p63L, std::fmin(0x1p63L - 1, std::ceil((long double)a)));
    return same(r.sum, nearest((long double)a + b)) && same(r.difference, nearest((long double)a - b)) &&
           same(r.product, nearest((long double)a * b)) && same(r.quotient, nearest((long double)a / b)) &&
           same(r.together, nearest(sum, std::isnan(missing) ? 0 : missing)) && same(r.least, low) && same(r.most, high) &&
           same(r.zero, cut) && same(r.down, word >> 31 ? next : cut) && same(r.up, word >> 31 ? cut : next) &&
           same(r.of_whole, nearest((long double)whole_of(i))) && same(r.clamped, sum_of_two > 0 ? nearest(std::fmin(sum_of_two, 1.0f)) : 0) &&
           r.nearest == (std::isnan(a) ? 0 : (int)std::fmax(-0x1p31, std::fmin(0x1p31 - 1, std::nearbyint((double)a)))) &&
           r.above == (std::isnan(a) ? 0 : (long long)limited) &&
           r.unordered == (unsigned)((nan || a < b) | (nan || a == b) << 1 | (nan || (a >= b && b >= a)) << 2 | (std::isinf(a) ? a < 0 ? -1 : 1 : 0) * 8) && same(r.narrow, nearest(whole)) &&
           r.compared == (unsigned)((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5);
}

/* Between two numbers of 8 bits: by the distance from both. */
static bool doubles()
{
    bool good = true;
    for (unsigned i = 0x80; i < 0x7f00; i++) {
        const double low = widened((unsigned short)i), high = widened((unsigned short)(i + 1)), middle = (low + high) / 2;
        const double step = (high - low) * 0x1p-40;
        const double given[] = {low + step, middle - step, middle, middle + step, high - step};
        const unsigned want[] = {i, i, i + (i & 1), i + 1, i + 1};
        for (int k = 0; k < 5; k++)
            good &= __double2bfloat16(given[k]).__x == want[k] && __double2bfloat16(-given[k]).__x == (want[k] | 0x8000);
    }
    return good;
}

/* Functions that only kernels have: roots and whole numbers are exact, others are next to it. */
__global__ void functions(unsigned short *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __nv_bfloat16 a = __ushort_as_bfloat16((unsigned short)i);
    const __nv_bfloat16 of[] = {hsqrt(a), hfloor(a), hrint(a), hexp2(a), hlog2(a), htanh(a), hrcp(a), hcos(a)};
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = of[k].__x;
}

static bool functions_are_right()
{
    unsigned short *out;
    cudaMallocManaged(&out, 8 * N * sizeof *out);
    functions<<<N / 256, 256>>>(out);
    bool good = !cudaDeviceSynchronize();
    for (unsigned i = 0; i < N; i++) {
        const long double a = widened((unsigned short)i);
        const long double of[] = {std::sqrt(a), std::floor(a), std::nearbyint(a), std::exp2(a), std::log2(a), std::tanh(a), 1 / a, std::cos(a)};
        for (int k = 0; k < 8; k++) {
            const unsigned short want = nearest(of[k]), got = out[8 * i + k];
            good &= same(got, want) || (k > 2 && (want ^ got) < 0x8000 && (got == want + 1 || got == want - 1));
        }
    }
    return good;
}

__global__ void together(__nv_bfloat16 *sum, __nv_bfloat162 *pair)
{
    const int i = threadIdx.x;
    atomicAdd(&sum[1], __nv_bfloat16(1));
    atomicAdd(pair, __halves2bfloat162(__nv_bfloat16(1), __nv_bfloat16(2)));
    __nv_bfloat16 total = __shfl_xor_sync(~0u, __nv_bfloat16(i), 5);
    for (int step = 16; step; step /= 2)
        total += __shfl_down_sync(~0u, total, step);
    if (!i)
        sum[2] = total;
}

static bool across()
{
    __nv_bfloat16 *sum;
    __nv_bfloat162 *pair;
    cudaMallocManaged(&sum, 4 * sizeof *sum);
    cudaMallocManaged(&pair, sizeof *pair);
    for (int i = 0; i < 4; i++)
        sum[i] = i;
    *pair = __float2bfloat162_rn(0);
    together<<<1, 32>>>(sum, pair);
    return !cudaDeviceSynchronize() && (float)sum[0] == 0 && (float)sum[1] == 33 && (float)sum[2] == 496 && (float)sum[3] == 3 &&
           __low2float(*pair) == 32 && __high2float(*pair) == 64;
}

int main()
{
    results *out;
    cudaMallocManaged(&out, N * sizeof *out);
    all<<<N / 256, 256>>>(out);
    cudaDeviceSynchronize();
    unsigned on_gpu = 0, on_host = 0;
    for (unsigned i = 0; i < N; i++) {
        results mine;
        compute(i, &mine);
        on_gpu += right(i, out[i]);
        on_host += right(i, mine);
    }
    printf("kernel: %u of %u right\nhost: %u of %u right\ndoubles %s\n", on_gpu, (unsigned)N, on_host, (unsigned)N,
           doubles() ? "right" : "wrong");
    printf("functions %s\nacross threads %s\n", functions_are_right() ? "right" : "wrong", across() ? "right" : "wrong");
    return 0;
}
