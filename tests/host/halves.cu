// Numbers of 16 bits in CUDA C++: `halves` compares kernels with the host's _Float16 of the compiler.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cmath>
#include <vector>

static void say(const char *what, bool right)
{
    std::printf("%s %s\n", what, right ? "right" : "wrong");
}

static unsigned short bits_of(_Float16 value)
{
    unsigned short bits;
    std::memcpy(&bits, &value, 2);
    return bits;
}

static _Float16 number(unsigned short bits)
{
    _Float16 value;
    std::memcpy(&value, &bits, 2);
    return value;
}

static bool same(unsigned short a, _Float16 expected)
{
    return expected != expected ? (a & 0x7fff) > 0x7c00 : a == bits_of(expected);
}

// ---- conversions: every number there is ----

__global__ void widens(float *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __half2float(__ushort_as_half((unsigned short)i));
}

static bool all_numbers()
{
    float *out;
    cudaMallocManaged(&out, 65536 * sizeof *out);
    widens<<<256, 256>>>(out);
    bool right = !cudaDeviceSynchronize();
    for (unsigned i = 0; i < 65536; i++) {
        const float expected = (float)number((unsigned short)i), host = __half2float(__ushort_as_half((unsigned short)i));
        right &= expected != expected ? out[i] != out[i] && host != host : out[i] == expected && host == expected;
    }
    cudaFree(out);
    return right;
}

static std::vector<float> samples()
{
    std::vector<float> list = {0, -0.0f, 1, 65504, 65519.9f, 65520, 1e9f, -1e9f, INFINITY, NAN, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, 0x1.000002p-25f,
                               0x1p-14f, 0x1.ffcp-15f, 0x1.ffep-15f, 0x1.fffp-15f, 2049, 2050, 2051, 1.0009766f, 1.00048828f, 1e-30f, 0.1f, -0.3f};
    unsigned seed = 7;
    for (int i = 0; i < 400; i++) {
        seed = seed * 1664525u + 1013904223u;
        list.push_back(ldexpf((float)(int)seed / 2147483648.0f, (int)(seed >> 8) % 36 - 26));
    }
    return list;
}

__global__ void narrows(const float *in, unsigned short (*out)[4], int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i][0] = __half_as_ushort(__float2half(in[i]));
    out[i][1] = __half_as_ushort(__float2half_rz(in[i]));
    out[i][2] = __half_as_ushort(__float2half_rd(in[i]));
    out[i][3] = __half_as_ushort(__float2half_ru(in[i]));
}

static bool roundings()
{
    const std::vector<float> list = samples();
    const int n = (int)list.size();
    float *in;
    unsigned short(*out)[4];
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    std::memcpy(in, list.data(), n * sizeof *in);
    narrows<<<(n + 63) / 64, 64>>>(in, out, n);
    bool right = !cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        const float x = in[i];
        right &= same(out[i][0], (_Float16)x) && same(__half_as_ushort(__float2half(x)), (_Float16)x);
        if (x != x)
            continue;
        const float zero = (float)number(out[i][1]), down = (float)number(out[i][2]), up = (float)number(out[i][3]);
        right &= down <= x && up >= x && std::fabs(zero) <= std::fabs(x) && (zero == down || zero == up) &&
                 out[i][1] == __half_as_ushort(__float2half_rz(x)) && out[i][2] == __half_as_ushort(__float2half_rd(x)) &&
                 ((float)(_Float16)x == x ? down == up : down == (float)(_Float16)x || up == (float)(_Float16)x);
    }
    cudaFree(in);
    cudaFree(out);
    return right;
}

// ---- arithmetic ----

struct results {
    unsigned short sum, difference, product, quotient, fused, most, negative, root, sine;
    bool less, equal, unordered;
    int nearest, down;
    unsigned short pair[4];
};

__global__ void arithmetic(const float *in, results *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const half a = __float2half(in[i]), b = __float2half(in[(i * 7 + 3) % n]), c = in[(i * 5 + 1) % n];
    results &r = out[i];
    r.sum = __half_as_ushort(a + b);
    r.difference = __half_as_ushort(__hsub(a, b));
    r.product = __half_as_ushort(a * b);
    r.quotient = __half_as_ushort(__hdiv(a, b));
    r.fused = __half_as_ushort(__hfma(a, b, c));
    r.most = __half_as_ushort(__hmax(a, b));
    r.negative = __half_as_ushort(-a);
    r.root = __half_as_ushort(hsqrt(a));
    r.sine = __half_as_ushort(hsin(a));
    r.less = __hlt(a, b);
    r.equal = a == b;
    r.unordered = __hltu(a, b);
    r.nearest = __half2int_rn(a);
    r.down = __half2int_rd(a);
    half2 p = __halves2half2(a, b), q = make_half2(c, a);
    p += q;
    r.pair[0] = __half_as_ushort(p.x), r.pair[1] = __half_as_ushort(p.y);
    p = __hfma2(q, q, __lowhigh2highlow(p));
    r.pair[2] = __half_as_ushort(__low2half(p)), r.pair[3] = __half_as_ushort(__high2half(p));
}

static _Float16 fused(_Float16 a, _Float16 b, _Float16 c)
{
    return (_Float16)((double)a * (double)b + (double)c);
}

static bool operations()
{
    const std::vector<float> list = samples();
    const int n = (int)list.size();
    float *in;
    results *out;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    std::memcpy(in, list.data(), n * sizeof *in);
    arithmetic<<<(n + 63) / 64, 64>>>(in, out, n);
    bool right = !cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        const _Float16 a = in[i], b = in[(i * 7 + 3) % n], c = in[(i * 5 + 1) % n];
        const results &r = out[i];
        const bool nan = a != a || b != b;
        right &= same(r.sum, a + b) && same(r.difference, a - b) && same(r.product, a * b) && same(r.quotient, a / b) &&
                 same(r.fused, fused(a, b, c)) && same(r.root, (_Float16)std::sqrt((float)a)) &&
                 (nan || r.negative == (bits_of(a) ^ 0x8000)) && r.less == (a < b) && r.equal == (a == b) && r.unordered == (nan || a < b);
        if (!nan)
            right &= (float)number(r.most) == std::fmax((float)a, (float)b);
        if (std::fabs((float)a) < 1e6f)
            right &= r.nearest == (int)std::nearbyint((float)a) && r.down == (int)std::floor((float)a) &&
                     std::fabs((float)number(r.sine) - std::sin((float)a)) < 2e-3;
        const _Float16 x = a + c, y = b + a;
        right &= same(r.pair[0], x) && same(r.pair[1], y) && same(r.pair[2], fused(c, c, y)) && same(r.pair[3], fused(a, a, x));
    }
    cudaFree(in);
    cudaFree(out);
    return right;
}

// ---- across threads ----

__global__ void together(half *sum, half2 *pair, half *shuffled)
{
    const int i = threadIdx.x;
    atomicAdd(&sum[1], half(1.0f));
    atomicAdd(pair, make_half2(1, 2));
    shuffled[i] = __shfl_xor_sync(~0u, half(i), 5);
    half total = __ldg(&sum[2]);
    for (int step = 16; step; step /= 2)
        total += __shfl_down_sync(~0u, total, step);
    if (i == 0)
        sum[3] = total;
}

static bool across()
{
    half *sum, *shuffled;
    half2 *pair;
    cudaMallocManaged(&sum, 4 * sizeof *sum);
    cudaMallocManaged(&shuffled, 32 * sizeof *shuffled);
    cudaMallocManaged(&pair, sizeof *pair);
    for (int i = 0; i < 4; i++)
        sum[i] = half(i * 0.5f);
    *pair = half2(0.0f, 0.0f);
    together<<<1, 32>>>(sum, pair, shuffled);
    bool right = !cudaDeviceSynchronize() && (float)sum[0] == 0 && (float)sum[1] == 32.5f && (float)sum[3] == 32 &&
                 __low2float(*pair) == 32 && __high2float(*pair) == 64;
    for (int i = 0; i < 32; i++)
        right &= (float)shuffled[i] == (i ^ 5);
    return right;
}

int main()
{
    say("all numbers", all_numbers());
    say("roundings", roundings());
    say("operations", operations());
    say("across threads", across());
}
