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
    unsigned short sum, difference, product, quotient, together, least, most, narrow;
    unsigned compared;
};

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
    const bool least = std::isnan(a) || b < a, most = std::isnan(a) || a < b;
    return same(r.sum, nearest((long double)a + b)) && same(r.difference, nearest((long double)a - b)) &&
           same(r.product, nearest((long double)a * b)) && same(r.quotient, nearest((long double)a / b)) &&
           same(r.together, nearest(sum, std::isnan(missing) ? 0 : missing)) && same(r.least, least ? bb : ab) &&
           same(r.most, most ? bb : ab) && same(r.narrow, nearest(whole)) &&
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
    return 0;
}
