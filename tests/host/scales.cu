// ldexp and scalbn of both widths against the host's libm: random bit patterns, numbers at the
// edges, and powers from far below to far above what the formats have.
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { COUNT = 32768, THREADS = 128 };

__global__ void scale(const double *a, const float *b, const int *n, double *ldexps, double *scalbns,
                      float *ldexpfs, float *scalbnfs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ldexps[i] = ldexp(a[i], n[i]);
    scalbns[i] = scalbn(a[i], n[i]);
    ldexpfs[i] = ldexpf(b[i], n[i]);
    scalbnfs[i] = scalbnf(b[i], n[i]);
}

template <typename T, typename Bits> static unsigned differ(const char *name, T got, T want, T of, int n)
{
    Bits g, w, o;
    memcpy(&g, &got, sizeof g), memcpy(&w, &want, sizeof w), memcpy(&o, &of, sizeof o);
    if (g == w || (got != got && want != want))
        return 0;
    printf("%s(%llx, %d) = %llx, not %llx\n", name, (unsigned long long)o, n, (unsigned long long)g, (unsigned long long)w);
    return 1;
}

int main()
{
    static const uint64_t edges[] = {0, 1, 0xfffffffffffff, 0x10000000000000, 0x3ff0000000000000, 0x7fefffffffffffff,
                                     0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff};
    static const int powers[] = {INT_MIN, INT_MIN + 1, -2200, -2099, -1075, -1074, -1073, -1022, -150, -149, -53, -1,
                                 0, 1, 52, 127, 254, 277, 1023, 1024, 2046, 2097, 2098, 2200, INT_MAX};
    double *a, *r[2];
    float *b, *s[2];
    int *n;
    uint64_t seed = 1;
    cudaMallocManaged(&a, COUNT * sizeof *a), cudaMallocManaged(&b, COUNT * sizeof *b), cudaMallocManaged(&n, COUNT * sizeof *n);
    for (int k = 0; k < 2; k++)
        cudaMallocManaged(&r[k], COUNT * sizeof *a), cudaMallocManaged(&s[k], COUNT * sizeof *b);
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        uint64_t bits = seed ^ seed >> 29;
        if (i % 3 == 0)
            bits = edges[i / 3 % 10] | (bits & 1) << 63;
        const uint32_t small = bits >> 63 << 31 | (i % 3 == 0 ? (uint32_t)(bits >> 29 & 0x7fffffff) | (bits & 1) : (uint32_t)bits & 0x7fffffff);
        memcpy(&a[i], &bits, sizeof bits), memcpy(&b[i], &small, sizeof small);
        n[i] = i % 4 == 0 ? powers[i / 4 % 25] : (int)(seed >> 33) % 2200;
    }
    scale<<<COUNT / THREADS, THREADS>>>(a, b, n, r[0], r[1], s[0], s[1]);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 2;
    unsigned wrong = 0;
    for (int i = 0; i < COUNT && wrong < 20; i++) {
        wrong += differ<double, uint64_t>("ldexp", r[0][i], ldexp(a[i], n[i]), a[i], n[i]);
        wrong += differ<double, uint64_t>("scalbn", r[1][i], scalbn(a[i], n[i]), a[i], n[i]);
        wrong += differ<float, uint32_t>("ldexpf", s[0][i], ldexpf(b[i], n[i]), b[i], n[i]);
        wrong += differ<float, uint32_t>("scalbnf", s[1][i], scalbnf(b[i], n[i]), b[i], n[i]);
    }
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
