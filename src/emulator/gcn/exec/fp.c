/* Modes, exceptions and output modifiers of floating point. See fp.h. */
#include "emulator/gcn/exec/fp.h"

/* MODE.FP_ROUND: to nearest, up, down, towards zero. */
static const uint8_t rounds[4] = {WT_RNE, WT_RUP, WT_RDN, WT_RTZ};

struct wt_fp gcn_fp_env(const struct gcn_wave *w, bool single)
{
    const unsigned denormal = gcn_fp_denormals(w, single);
    return (struct wt_fp){
        .round = rounds[gcn_fp_rounding(w, single)],
        .propagate_nan = true,
        .flush_input = !(denormal & 1),
        .flush_output = !(denormal & 2),
    };
}

void gcn_fp_raise(struct gcn_wave *w, const struct wt_fp *fp)
{
    const unsigned f = fp->flags;
    w->trapsts |=
        (f & WT_FP_INVALID ? GCN_EXCP_INVALID : 0u) | (f & WT_FP_DIVZERO ? GCN_EXCP_DIV0 : 0u) |
        (f & WT_FP_OVERFLOW ? GCN_EXCP_OVERFLOW : 0u) |
        (f & WT_FP_UNDERFLOW ? GCN_EXCP_UNDERFLOW : 0u) |
        (f & WT_FP_INEXACT ? GCN_EXCP_INEXACT : 0u) | (f & FP_DENORMAL ? GCN_EXCP_DENORM : 0u);
}

bool gcn_fp_host_fma(void)
{
#if defined(GCN_HOST_FLOATS) && defined(GCN_CLONES)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static CLONED some_denormal16(const uint32_t *x, bool *some)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < GCN_LANES; i++)
        any |= denormal16(x[i]) | denormal16(x[i] >> 16);
    *some = any;
}

static CLONED some_denormal32(const uint32_t *x, bool *some)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < GCN_LANES; i++)
        any |= denormal32(x[i]);
    *some = any;
}

static CLONED some_denormal64(const uint64_t *x, bool *some)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < GCN_LANES; i++)
        any |= denormal64(x[i]);
    *some = any;
}

bool gcn_fp_denormal16(const uint32_t *x)
{
    bool some = false;
    if (x)
        some_denormal16(x, &some);
    return some;
}

bool gcn_fp_denormal32(const uint32_t *x)
{
    bool some = false;
    if (x)
        some_denormal32(x, &some);
    return some;
}

bool gcn_fp_denormal64(const uint64_t *x)
{
    bool some = false;
    if (x)
        some_denormal64(x, &some);
    return some;
}

#define NOTE(bits, type, single)                                                                   \
    void gcn_fp_note##bits(struct gcn_valu *v, const type *x)                                      \
    {                                                                                              \
        if ((v->w->trapsts & GCN_EXCP_DENORM) || !(gcn_fp_denormals(v->w, single) & 1) ||          \
            !gcn_fp_denormal##bits(x))                                                             \
            return;                                                                                \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            if ((v->exec >> i & 1) && denormal##bits(x[i]))                                        \
                v->w->trapsts |= GCN_EXCP_DENORM;                                                  \
    }
NOTE(16, uint32_t, false)
NOTE(32, uint32_t, true)
NOTE(64, uint64_t, false)

uint64_t gcn_ldexp64(uint64_t x, int32_t n, struct wt_fp *fp)
{
    if ((x & F64_INF) == F64_INF)
        return nan64(x) ? wt_f64_add(x, x, fp) : x;
    if (fp->flush_input)
        x = flushed64(x, true);
    if (!(x & ~F64_SIGN))
        return x;
    int64_t exponent = (int64_t)(x >> 52 & 0x7ff);
    uint64_t mantissa = x & 0xfffffffffffff;
    if (exponent == 0) { /* make it a normal number */
        exponent = 1;
        while (!(mantissa >> 52)) {
            mantissa <<= 1;
            exponent--;
        }
        mantissa &= 0xfffffffffffff;
    }
    exponent += n;
    const uint64_t sign = x & F64_SIGN;
    if (exponent >= 1 && exponent <= 2046)
        return sign | (uint64_t)exponent << 52 | mantissa;
    /* Too large or too small: one multiplication rounds and raises what must be raised. */
    if (exponent > 2046)
        return wt_f64_mul(sign | (uint64_t)2046 << 52 | mantissa, (uint64_t)1025 << 52, fp);
    if (exponent < -60)
        exponent = -60; /* less than half of the least number, but not zero */
    return wt_f64_mul(sign | (uint64_t)(exponent + 100) << 52 | mantissa,
                      (uint64_t)(1023 - 100) << 52, fp);
}

uint32_t gcn_ldexp32(uint32_t x, int32_t n, struct wt_fp *fp)
{
    if ((x & F32_INF) == F32_INF)
        return nan32(x) ? wt_f32_add(x, x, fp) : x;
    x = flushed32(x, fp->flush_input);
    /* Exact in 64 bits, then rounded once. */
    struct wt_fp exact = {.propagate_nan = true};
    const int32_t limited = n > 500 ? 500 : n < -500 ? -500 : n;
    return wt_f64_to_f32(gcn_ldexp64(wt_f32_to_f64(x, &exact), limited, &exact), fp);
}

/*
 * Section 6.2.1 "Output modifiers": OMOD multiplies by 2, 4 or 1/2 and does so only where output
 * denormals are flushed and IEEE mode is off; -0 becomes +0. CLAMP limits to [0, 1]; a NaN becomes
 * 0 with DX10_CLAMP.
 */
static uint32_t output32(uint32_t x, unsigned omod, bool clamp, bool dx10, struct wt_fp *fp)
{
    static const uint32_t factor[4] = {0, 0x40000000, 0x40800000, 0x3f000000};
    if (omod) {
        x = wt_f32_mul(x, factor[omod], fp);
        if (x == F32_SIGN)
            x = 0;
    }
    if (clamp) {
        if (nan32(x))
            return dx10 ? 0 : x;
        if (x & F32_SIGN)
            return 0;
        if (x > 0x3f800000)
            return 0x3f800000;
    }
    return x;
}

static uint64_t output64(uint64_t x, unsigned omod, bool clamp, bool dx10, struct wt_fp *fp)
{
    static const uint64_t factor[4] = {0, 0x4000000000000000, 0x4010000000000000,
                                       0x3fe0000000000000};
    if (omod) {
        x = wt_f64_mul(x, factor[omod], fp);
        if (x == F64_SIGN)
            x = 0;
    }
    if (clamp) {
        if (nan64(x))
            return dx10 ? 0 : x;
        if (x & F64_SIGN)
            return 0;
        if (x > 0x3ff0000000000000)
            return 0x3ff0000000000000;
    }
    return x;
}

static uint32_t output16(uint32_t x, unsigned omod, bool clamp, bool dx10, struct wt_fp *fp)
{
    static const uint16_t factor[4] = {0, 0x4000, 0x4400, 0x3800};
    x &= 0xffff;
    if (omod) {
        x = wt_f16_mul((uint16_t)x, factor[omod], fp);
        if (x == F16_SIGN)
            x = 0;
    }
    if (clamp) {
        if (nan16(x))
            return dx10 ? 0 : x;
        if (x & F16_SIGN)
            return 0;
        if (x > 0x3c00)
            return 0x3c00;
    }
    return x;
}

void gcn_fp_output(struct gcn_wave *w, const struct gcn_uop *u, char type, void *results)
{
    const bool dx10 = w->mode & GCN_MODE_DX10_CLAMP;
    const bool omod = !(w->mode & GCN_MODE_IEEE) && !(gcn_fp_denormals(w, type == 'f') & 2);
    const unsigned factor = omod ? u->omod : 0;
    struct wt_fp fp = gcn_fp_env(w, type == 'f');
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (type == 'F') {
            uint64_t *d = results;
            d[i] = output64(d[i], factor, u->clamp, dx10, &fp);
        } else {
            uint32_t *d = results;
            d[i] = type == 'f' ? output32(d[i], factor, u->clamp, dx10, &fp)
                               : output16(d[i], factor, u->clamp, dx10, &fp);
        }
    }
}
