/*
 * Random numbers in kernels ("cuRAND Library", "Device API"): XORWOW (Marsaglia 2003),
 * Philox4x32-10 (Salmon et al. 2011) and MRG32k3a (L'Ecuyer 1999), seeded and split into sequences
 * as NVIDIA's documentation says, so that the numbers are those of its GPUs. Quasi-random
 * generators, MTGP32 and the Poisson distribution are not there.
 */
#ifndef WAVETRAP_CURAND_KERNEL_H
#define WAVETRAP_CURAND_KERNEL_H

#include <cuda_runtime.h>

#if defined __cplusplus && defined __CUDA__

#define WAVETRAP_RANDOM static inline __attribute__((device))

#define CURAND_2POW32_INV 2.3283064e-10f
#define CURAND_2POW53_INV_DOUBLE 1.1102230246251565e-16
#define CURAND_2PI 6.2831855f
#define CURAND_2PI_DOUBLE 6.283185307179586

/* The second number of a pair of normal ones, kept for the next call. */
struct wavetrap_random_pair {
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};

struct curandStateXORWOW : wavetrap_random_pair {
    unsigned d, v[5];
};
struct curandStatePhilox4_32_10 : wavetrap_random_pair {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE; /* number of the next output */
};
struct curandStateMRG32k3a : wavetrap_random_pair {
    unsigned s1[3], s2[3];
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace wavetrap_random
{
typedef unsigned long long u64;

/* ---- XORWOW: five words are a linear sequence, to which a sum is added ---- */

WAVETRAP_RANDOM void step(unsigned v[5])
{
    const unsigned t = v[0] ^ v[0] >> 2;
    for (int i = 0; i < 4; i++)
        v[i] = v[i + 1];
    v[4] = v[3] ^ v[3] << 4 ^ t ^ t << 1;
}

/* a = a * b of polynomials over bits, modulo that of the sequence; bit i is that of x^i. */
WAVETRAP_RANDOM void multiply(unsigned a[5], const unsigned b[5])
{
    const unsigned modulus[5] = {0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e};
    unsigned r[5] = {0, 0, 0, 0, 0};
    for (int i = 159; i >= 0; i--) {
        const unsigned over = 0u - (r[4] >> 31), adds = 0u - (b[i / 32] >> i % 32 & 1);
        for (int j = 4; j >= 0; j--)
            r[j] = (r[j] << 1 | (j ? r[j - 1] >> 31 : 0)) ^ (modulus[j] & over) ^ (a[j] & adds);
    }
    for (int j = 0; j < 5; j++)
        a[j] = r[j];
}

/* n times as many steps as x^k, which is `power`, stands for. */
WAVETRAP_RANDOM void skip(unsigned v[5], u64 n, unsigned power[5])
{
    unsigned all[5] = {1, 0, 0, 0, 0}, sum[5] = {0, 0, 0, 0, 0};
    if (!n)
        return;
    for (; n; n >>= 1) {
        if (n & 1)
            multiply(all, power);
        if (n > 1) {
            const unsigned once[5] = {power[0], power[1], power[2], power[3], power[4]};
            multiply(power, once);
        }
    }
    for (int i = 0; i < 160; i++, step(v))
        for (int j = 0; j < 5; j++)
            sum[j] ^= v[j] & (0u - (all[i / 32] >> i % 32 & 1));
    for (int j = 0; j < 5; j++)
        v[j] = sum[j];
}

/* ---- Philox: a counter and a key make four numbers ---- */

WAVETRAP_RANDOM uint4 philox(uint4 c, uint2 key)
{
    for (int i = 0; i < 10; i++) {
        const unsigned low0 = 0xd2511f53u * c.x, high0 = __umulhi(0xd2511f53u, c.x);
        const unsigned low1 = 0xcd9e8d57u * c.z, high1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}

WAVETRAP_RANDOM void add(unsigned &low, unsigned &high, u64 n, unsigned *carry)
{
    const u64 old = (u64)high << 32 | low, sum = old + n;
    low = (unsigned)sum;
    high = (unsigned)(sum >> 32);
    *carry = sum < old;
}

WAVETRAP_RANDOM void next_four(curandStatePhilox4_32_10 *s, u64 n)
{
    unsigned carry;
    add(s->ctr.x, s->ctr.y, n, &carry);
    add(s->ctr.z, s->ctr.w, carry, &carry);
    s->output = philox(s->ctr, s->key);
}

/* ---- MRG32k3a: two linear sequences of three numbers, each modulo a prime ---- */

enum : unsigned { M1 = 4294967087u, M2 = 4294944443u };

/* One step of a sequence as a matrix; two of them multiplied, in a. */
struct matrix {
    unsigned m[3][3];
};
WAVETRAP_RANDOM matrix product(const matrix &a, const matrix &b, unsigned modulus)
{
    matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            u64 sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + (u64)a.m[i][k] * b.m[k][j] % modulus) % modulus;
            r.m[i][j] = (unsigned)sum;
        }
    return r;
}

/* n * 2^shift steps. */
WAVETRAP_RANDOM void skip(unsigned s[3], matrix power, unsigned modulus, u64 n, int shift)
{
    if (!n)
        return;
    for (int i = 0; i < shift; i++)
        power = product(power, power, modulus);
    for (; n; n >>= 1, power = product(power, power, modulus)) {
        const unsigned old[3] = {s[0], s[1], s[2]};
        for (int i = 0; n & 1 && i < 3; i++) {
            u64 sum = 0;
            for (int k = 0; k < 3; k++)
                sum = (sum + (u64)power.m[i][k] * old[k] % modulus) % modulus;
            s[i] = (unsigned)sum;
        }
    }
}
WAVETRAP_RANDOM void skip(curandStateMRG32k3a *s, u64 n, int shift)
{
    const matrix one = {{{0, 1, 0}, {0, 0, 1}, {M1 - 810728, 1403580, 0}}};
    const matrix two = {{{0, 1, 0}, {0, 0, 1}, {M2 - 1370589, 0, 527612}}};
    skip(s->s1, one, M1, n, shift);
    skip(s->s2, two, M2, n, shift);
}

/* From 1 to M1. */
WAVETRAP_RANDOM unsigned next(curandStateMRG32k3a *s)
{
    const u64 p1 = ((u64)1403580 * s->s1[1] % M1 + (u64)(M1 - 810728) * s->s1[0] % M1) % M1;
    const u64 p2 = ((u64)527612 * s->s2[2] % M2 + (u64)(M2 - 1370589) * s->s2[0] % M2) % M2;
    for (int i = 0; i < 2; i++) {
        s->s1[i] = s->s1[i + 1];
        s->s2[i] = s->s2[i + 1];
    }
    s->s1[2] = (unsigned)p1;
    s->s2[2] = (unsigned)p2;
    return (unsigned)(p1 > p2 ? p1 - p2 : p1 + M1 - p2);
}

/* ---- distributions ---- */

WAVETRAP_RANDOM float uniform(unsigned x)
{
    return x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2;
}
WAVETRAP_RANDOM u64 bits53(unsigned x, unsigned y)
{
    return x ^ (u64)y << 21;
}
WAVETRAP_RANDOM double uniform_double(unsigned x, unsigned y)
{
    return bits53(x, y) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2;
}

/* Two normal numbers of a radius and an angle (Box and Muller 1958). */
WAVETRAP_RANDOM float2 normal(float u, float angle)
{
    const float radius = sqrtf(-2.0f * logf(u));
    float2 pair;
    __sincosf(angle, &pair.x, &pair.y);
    return make_float2(pair.x * radius, pair.y * radius);
}
WAVETRAP_RANDOM float2 normal(unsigned x, unsigned y)
{
    const float turn = CURAND_2POW32_INV * CURAND_2PI;
    return normal(uniform(x), y * turn + turn / 2);
}
WAVETRAP_RANDOM double2 normal_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1)
{
    const double radius = sqrt(-2.0 * log(uniform_double(x0, x1)));
    double2 pair;
    sincospi(bits53(y0, y1) * (CURAND_2POW53_INV_DOUBLE * 2) + CURAND_2POW53_INV_DOUBLE, &pair.x,
             &pair.y);
    return make_double2(pair.x * radius, pair.y * radius);
}
} // namespace wavetrap_random

/* ---- initialisation ---- */

WAVETRAP_RANDOM void skipahead(unsigned long long n, curandStateXORWOW *s)
{
    unsigned power[5] = {2, 0, 0, 0, 0};
    wavetrap_random::skip(s->v, n, power);
    s->d += 362437u * (unsigned)n;
}
/* n * 2^67 numbers. */
WAVETRAP_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW *s)
{
    unsigned power[5] = {0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2};
    wavetrap_random::skip(s->v, n, power);
}
WAVETRAP_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, curandStateXORWOW *s)
{
    const unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    const unsigned t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    *s = curandStateXORWOW{};
    s->d = 6615241u + t1 + t0;
    s->v[0] = 123456789u + t0;
    s->v[1] = 362436069u ^ t0;
    s->v[2] = 521288629u + t1;
    s->v[3] = 88675123u ^ t1;
    s->v[4] = 5783321u + t0;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}

WAVETRAP_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s)
{
    const unsigned at = s->STATE + (unsigned)(n & 3);
    s->STATE = at & 3;
    wavetrap_random::next_four(s, n / 4 + at / 4);
}
/* n * 2^66 numbers: the upper half of the counter. */
WAVETRAP_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s)
{
    unsigned carry;
    wavetrap_random::add(s->ctr.z, s->ctr.w, n, &carry);
    wavetrap_random::next_four(s, 0);
}
WAVETRAP_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, curandStatePhilox4_32_10 *s)
{
    *s = curandStatePhilox4_32_10{};
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}

WAVETRAP_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a *s)
{
    wavetrap_random::skip(s, n, 0);
}
/* n * 2^76 numbers. */
WAVETRAP_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s)
{
    wavetrap_random::skip(s, n, 76);
}
/* n * 2^127 numbers. */
WAVETRAP_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s)
{
    wavetrap_random::skip(s, n, 127);
}
WAVETRAP_RANDOM void curand_init(unsigned long long seed, unsigned long long subsequence,
                                 unsigned long long offset, curandStateMRG32k3a *s)
{
    const unsigned salted[2] = {(unsigned)seed ^ 0x55555555u, (unsigned)(seed >> 32) ^ 0xaaaaaaaau};
    *s = curandStateMRG32k3a{};
    for (int i = 0; i < 3; i++) {
        s->s1[i] = s->s2[i] = 12345;
        if (!seed)
            continue;
        s->s1[i] = (unsigned)(salted[i % 2] * 12345ull % wavetrap_random::M1);
        s->s2[i] = (unsigned)(salted[1 - i % 2] * 12345ull % wavetrap_random::M2);
    }
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
}

/* ---- numbers ---- */

WAVETRAP_RANDOM unsigned curand(curandStateXORWOW *s)
{
    wavetrap_random::step(s->v);
    s->d += 362437;
    return s->v[4] + s->d;
}
WAVETRAP_RANDOM unsigned curand(curandStatePhilox4_32_10 *s)
{
    const unsigned four[4] = {s->output.x, s->output.y, s->output.z, s->output.w};
    const unsigned number = four[s->STATE & 3];
    skipahead(1, s);
    return number;
}
WAVETRAP_RANDOM unsigned curand(curandStateMRG32k3a *s)
{
    return (unsigned)(wavetrap_random::next(s) * 1.000000048662);
}
WAVETRAP_RANDOM uint4 curand4(curandStatePhilox4_32_10 *s)
{
    const unsigned x = curand(s), y = curand(s), z = curand(s);
    return make_uint4(x, y, z, curand(s));
}

/* In (0, 1]. */
template <class State> WAVETRAP_RANDOM float curand_uniform(State *s)
{
    return wavetrap_random::uniform(curand(s));
}
template <class State> WAVETRAP_RANDOM double curand_uniform_double(State *s)
{
    const unsigned x = curand(s);
    return wavetrap_random::uniform_double(x, curand(s));
}
WAVETRAP_RANDOM double curand_uniform_double(curandStateMRG32k3a *s)
{
    return wavetrap_random::next(s) * 2.3283065498378288e-10;
}
WAVETRAP_RANDOM float curand_uniform(curandStateMRG32k3a *s)
{
    return (float)curand_uniform_double(s);
}
WAVETRAP_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
    const float x = curand_uniform(s), y = curand_uniform(s), z = curand_uniform(s);
    return make_float4(x, y, z, curand_uniform(s));
}
WAVETRAP_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
    const double x = curand_uniform_double(s);
    return make_double2(x, curand_uniform_double(s));
}

WAVETRAP_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10 *s)
{
    const double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
    return make_double4(a.x, a.y, b.x, b.y);
}

template <class State> WAVETRAP_RANDOM float2 curand_normal2(State *s)
{
    const unsigned x = curand(s);
    return wavetrap_random::normal(x, curand(s));
}
WAVETRAP_RANDOM float2 curand_normal2(curandStateMRG32k3a *s)
{
    const float u = curand_uniform(s);
    return wavetrap_random::normal(u, curand_uniform(s) * CURAND_2PI);
}
template <class State> WAVETRAP_RANDOM double2 curand_normal2_double(State *s)
{
    const unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s);
    return wavetrap_random::normal_double(x0, x1, y0, curand(s));
}
WAVETRAP_RANDOM double2 curand_normal2_double(curandStateMRG32k3a *s)
{
    const double radius = sqrt(-2.0 * log(curand_uniform_double(s)));
    const double angle = curand_uniform_double(s) * CURAND_2PI_DOUBLE;
    double2 pair;
    sincos(angle, &pair.x, &pair.y);
    return make_double2(pair.x * radius, pair.y * radius);
}
WAVETRAP_RANDOM float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
    const float2 a = curand_normal2(s), b = curand_normal2(s);
    return make_float4(a.x, a.y, b.x, b.y);
}

template <class State> WAVETRAP_RANDOM float2 curand_log_normal2(State *s, float mean, float stddev)
{
    const float2 pair = curand_normal2(s);
    return make_float2(expf(mean + stddev * pair.x), expf(mean + stddev * pair.y));
}
template <class State>
WAVETRAP_RANDOM double2 curand_log_normal2_double(State *s, double mean, double stddev)
{
    const double2 pair = curand_normal2_double(s);
    return make_double2(exp(mean + stddev * pair.x), exp(mean + stddev * pair.y));
}

/* Of a pair, one number at a time; `kind` is the flag of the distribution. */
#define WAVETRAP_ONE_OF_TWO(flag, kind, extra, pair_of)                                            \
    if (s->flag == kind) {                                                                         \
        s->flag = 0;                                                                               \
        return s->extra;                                                                           \
    }                                                                                              \
    const auto pair = pair_of;                                                                     \
    s->flag = kind;                                                                                \
    s->extra = pair.y;                                                                             \
    return pair.x;
template <class State> WAVETRAP_RANDOM float curand_normal(State *s)
{
    WAVETRAP_ONE_OF_TWO(boxmuller_flag, 1, boxmuller_extra, curand_normal2(s))
}
template <class State> WAVETRAP_RANDOM double curand_normal_double(State *s)
{
    WAVETRAP_ONE_OF_TWO(boxmuller_flag_double, 1, boxmuller_extra_double, curand_normal2_double(s))
}
template <class State> WAVETRAP_RANDOM float curand_log_normal(State *s, float mean, float stddev)
{
    WAVETRAP_ONE_OF_TWO(boxmuller_flag, 2, boxmuller_extra, curand_log_normal2(s, mean, stddev))
}
template <class State>
WAVETRAP_RANDOM double curand_log_normal_double(State *s, double mean, double stddev)
{
    WAVETRAP_ONE_OF_TWO(boxmuller_flag_double, 2, boxmuller_extra_double,
                        curand_log_normal2_double(s, mean, stddev))
}
#undef WAVETRAP_ONE_OF_TWO
#undef WAVETRAP_RANDOM

#endif

#endif
