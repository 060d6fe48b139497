/* What the instructions of operands.def compute, by the C compiler's numbers and libm's fused sums.
 * See operands.h. */
#include "operands.h"

#include <math.h>
#include <string.h>

int gfx90a;

#define WITH_908 1
#define WITH_90A 1

static float f(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static uint64_t of_f(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static double d(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t of_d(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double low(uint64_t pair)
{
    const uint16_t half = (uint16_t)pair;
    _Float16 x;
    memcpy(&x, &half, sizeof x);
    return x;
}

static double high(uint64_t pair)
{
    return low(pair >> 16);
}

static uint64_t of_h(double x)
{
    const _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

/* a b + c, rounded to odd: another rounding to a half is that of the exact sum. The product of two
 * singles is exact. */
static double fma_odd(double a, double b, double c)
{
    const double p = a * b, sum = p + c, back = sum - p, error = (p - (sum - back)) + (c - back);
    uint64_t bits = of_d(sum);
    if (isfinite(sum) && error != 0 && !(bits & 1))
        bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    return d(bits);
}

static float flushed(float x)
{
    return isnormal(x) || isnan(x) || isinf(x) ? x : copysignf(0, x);
}

static uint64_t dot2(uint64_t a, uint64_t b, uint64_t c)
{
    float x[4] = {(float)low(a), (float)high(a), (float)low(b), (float)high(b)};
    for (int i = 0; i < 4 && gfx90a; i++)
        if (x[i] != 0 && fabsf(x[i]) < 0x1p-14f)
            x[i] = 0;
    return of_f(flushed((x[0] * x[2] + x[1] * x[3]) + flushed(f(c))));
}

static uint64_t dot(uint64_t a, uint64_t b, uint64_t c, int bits, int is_signed)
{
    int64_t sum = is_signed ? (int32_t)c : (int64_t)c;
    for (int at = 0; at < 32; at += bits) {
        int64_t x = (int64_t)(a >> at & ((1u << bits) - 1)),
                y = (int64_t)(b >> at & ((1u << bits) - 1));
        if (is_signed) {
            x -= x >> (bits - 1) << bits;
            y -= y >> (bits - 1) << bits;
        }
        sum += x * y;
    }
    return (uint32_t)sum;
}

#define ROW(name, kinds, text, ...)                                                                \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c;                                                                 \
        return __VA_ARGS__;                                                                        \
    }
#define ATOMIC ROW
#define PRODUCT(...)
#include "operands.def"
#undef ROW
#undef ATOMIC

#define ROW(name, kinds, text, ...) {#name, kinds, name},
#define ATOMIC(...)
const struct row rows[] = {
#include "operands.def"
};
#undef ROW
#undef ATOMIC

#define ROW(...)
#define ATOMIC(name, kind, text, ...) {#name, kind, name},
const struct row atomics[] = {
#include "operands.def"
};
#undef ATOMIC
#undef PRODUCT

#define ATOMIC(...)
#define PRODUCT(name, ...) {#name, __VA_ARGS__},
const struct product products[] = {
#include "operands.def"
};

/* ---- numbers ---- */

static uint64_t next(uint64_t *seed)
{
    uint64_t x = *seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Most are near 1, so that sums meet; some are denormal, zeros, large, seldom infinite or no
 * number. */
static uint64_t floating(uint64_t *seed, int fraction, int exponent)
{
    const uint64_t most = (UINT64_C(1) << exponent) - 1, bias = most >> 1, what = next(seed) % 64,
                   r = next(seed), at = r >> 56;
    uint64_t low_bits = next(seed) & ((UINT64_C(1) << fraction) - 1), e;
    if (what % 8 == 7)
        low_bits = at & 1 ? (UINT64_C(1) << fraction) - 1 - (at >> 1 & 1) : at >> 1 & 1;
    if (what < 40)
        e = bias - 4 + r % 9;
    else if (what < 46)
        e = r % 3;
    else if (what < 50)
        e = most - 1 - r % 3;
    else if (what < 52)
        e = 0, low_bits = at & 1 ? 0 : low_bits;
    else if (what < 53)
        e = most, low_bits = at & 1 ? 0 : low_bits;
    else
        e = r % most;
    return (next(seed) >> 63) << (fraction + exponent) | e << fraction | low_bits;
}

uint64_t number(uint64_t *seed, char kind)
{
    static const uint32_t ends[] = {0,          1,          0x7fffffff, 0x80000000,
                                    0xffffffff, 0x80008000, 0x7fff7fff, 0x88888888};
    const char half = kind == 'P' ? 'h' : kind == 'B' ? 'f' : kind == 'U' ? 'u' : 0;
    if (half) {
        const uint64_t one = number(seed, half);
        return one | number(seed, half) << (half == 'h' ? 16 : 32);
    }
    switch (kind) {
    case 'h':
        return floating(seed, 10, 5);
    case 'b':
        return floating(seed, 7, 8);
    case 'f':
        return floating(seed, 23, 8);
    case 'F':
    case 'm':
    case 'd':
        return floating(seed, 52, 11);
    default:
        return next(seed) % 4 ? next(seed) & 0xffffffff : ends[next(seed) % 8];
    }
}

int same(char kind, uint64_t x, uint64_t y)
{
    switch (kind) {
    case 'f':
        return (isnan(f(x)) && isnan(f(y))) || (uint32_t)x == (uint32_t)y;
    case 'B':
        return same('f', x, y) && same('f', x >> 32, y >> 32);
    case 'h':
    case 'P':
        return ((isnan(low(x)) && isnan(low(y))) || (uint16_t)x == (uint16_t)y) &&
               ((isnan(high(x)) && isnan(high(y))) || (uint16_t)(x >> 16) == (uint16_t)(y >> 16));
    case 'm':
        return same('F', x, y) || d(x) == d(y);
    case 'F':
    case 'd':
        return (isnan(d(x)) && isnan(d(y))) || x == y;
    default:
        return x == y;
    }
}

/* ---- products of matrices ---- */

static float sum_of(const struct product *p, float x)
{
    const int drops = gfx90a && (p->kind == 'h' || p->kind == 'b');
    return drops && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static double element(const struct product *p, const uint32_t *lane, int n)
{
    const float least = p->kind == 'h' ? 0x1p-14f : 0x1p-126f;
    const uint32_t half = lane[n / 2] >> n % 2 * 16 & 0xffff;
    float x;
    switch (p->kind) {
    case 'd':
        return d(lane[0] | (uint64_t)lane[1] << 32);
    case 'f':
        return f(lane[0]);
    case 'i':
        return (int8_t)(lane[0] >> 8 * n);
    default:
        x = p->kind == 'h' ? (float)low(half) : f((uint64_t)half << 16);
        return gfx90a && fabsf(x) < least ? 0 : x;
    }
}

/* A chain of fused sums; of halves and bfloats products that are rounded are added in pairs, then
 * to the sum. */
static uint64_t sum(const struct product *p, const double *a, const double *b, uint64_t c)
{
    if (p->kind == 'i') {
        int64_t total = (int32_t)c;
        for (int k = 0; k < p->k; k++)
            total += (int64_t)a[k] * (int64_t)b[k];
        return (uint32_t)total;
    }
    if (p->kind == 'd') {
        double total = d(c);
        for (int k = 0; k < p->k; k++)
            total = fma(a[k], b[k], total);
        return of_d(total);
    }
    float total = f(c);
    if (p->group > 1 && gfx90a && total != 0 && fabsf(total) < 0x1p-126f)
        total = 0;
    for (int k = 0; k < p->k; k += p->group) {
        float part[4];
        if (p->group == 1) {
            total = fmaf((float)a[k], (float)b[k], total);
            continue;
        }
        for (int n = 0; n < p->group; n++)
            part[n] = sum_of(
                p, fmaf((float)a[k + n], (float)b[k + n], 0)); /* a product that is 0 is +0 */
        for (int count = p->group; count > 1; count /= 2)
            for (int n = 0; n < count / 2; n++)
                part[n] = sum_of(p, part[2 * n] + part[2 * n + 1]);
        total = sum_of(p, total + part[0]);
    }
    return of_f(sum_of(p, total));
}

size_t wrong_elements(const struct product *p, const uint32_t *a, const uint32_t *b,
                      const uint32_t *c, const uint32_t *to)
{
    const int words = p->kind == 'd' ? 2 : 1, bits = p->kind == 'd'   ? 64
                                                     : p->kind == 'f' ? 32
                                                     : p->kind == 'i' ? 8
                                                                      : 16;
    const int given = p->per * bits / 32, results = p->side * p->side * p->blocks / 64 * words;
    double row[16], column[16];
    size_t wrong = 0;
    for (int block = 0; block < p->blocks; block++)
        for (int i = 0; i < p->side; i++)
            for (int j = 0; j < p->side; j++) {
                for (int k = 0; k < p->k; k++) {
                    const int first = p->kind == 'd'  ? 16 * k + p->side * block
                                      : p->blocks > 1 ? p->side * block
                                                      : p->side * (k / p->per);
                    const int n = p->kind == 'd' ? 0 : p->blocks > 1 ? k : k % p->per;
                    row[k] = element(p, a + (first + i) * given, n);
                    column[k] = element(p, b + (first + j) * given, n);
                }
                int r = i, lane = 4 * block + j;
                if (p->kind == 'd')
                    r = i / 4, lane = 16 * (i % 4) + p->side * block + j;
                else if (p->side == 32)
                    r = 16 * block + 4 * (i / 8) + i % 4, lane = 32 * (i / 4 % 2) + j;
                else if (p->side == 16)
                    r = 4 * block + i % 4, lane = 16 * (i / 4) + j;
                const int at = lane * results + r * words;
                const uint64_t had = words == 2 ? c[at] | (uint64_t)c[at + 1] << 32 : c[at],
                               got = words == 2 ? to[at] | (uint64_t)to[at + 1] << 32 : to[at];
                wrong += !same(p->kind == 'd'   ? 'F'
                               : p->kind == 'i' ? 'u'
                                                : 'f',
                               got, sum(p, row, column, had));
            }
    return wrong;
}
