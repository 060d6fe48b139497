/*
 * The common part of 32-bit and 64-bit floating point, included by valu_f32.c and valu_f64.c: REAL
 * is 32 or 64. Loops over many lanes are written for each width, so that compilers make vectors of
 * them.
 */
#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define OF_WIDTH(name) JOIN(name, REAL, ) /* nan32, nan64 */
#define REAL_NAN JOIN(F, REAL, _NAN)
#define REAL_INF JOIN(F, REAL, _INF)
#define REAL_SIGN JOIN(F, REAL, _SIGN)
#define SOFT_OF(operation) JOIN(wt_f, REAL, operation) /* wt_f32_add */

#if REAL == 32
#define REAL_ROWS ROWS32
#define FLOAT_OF_BITS wt_float_of_bits
#define BITS_OF_FLOAT wt_float_bits
#define HOST_FLOOR floorf
#define SINGLE true
#define ONE 0x3f800000u
#define BELOW_ONE 0x3f7fffffu
enum { MANTISSA_BITS = 23, MOST_EXPONENT = 0xff, BIAS = 127 };
typedef uint32_t real; /* the bits of a number */
typedef float host_real;
/* Of division (section 12.12): the difference of exponents from which on the quotient is scaled
 * down, by which power of two numbers are scaled, the exponent of the numerator up to which they
 * are, and the difference from which down the quotient is 0. */
enum { FAR_APART = 96, SCALE = 64, SMALL_NUMERATOR = 23, ZERO_QUOTIENT = -150 };
#else
#define REAL_ROWS ROWS64
#define FLOAT_OF_BITS wt_double_of_bits
#define BITS_OF_FLOAT wt_double_bits
#define HOST_FLOOR floor
#define SINGLE false
#define ONE 0x3ff0000000000000u
#define BELOW_ONE 0x3fefffffffffffffu
enum { MANTISSA_BITS = 52, MOST_EXPONENT = 0x7ff, BIAS = 1023 };
typedef uint64_t real;
typedef double host_real;
enum { FAR_APART = 768, SCALE = 128, SMALL_NUMERATOR = 53, ZERO_QUOTIENT = -1075 };
#endif

typedef void (*host_fn)(real *d, const real *a, const real *b, const real *c);
typedef real (*soft_fn)(real a, real b, real c, struct wt_fp *fp);

/* A kernel that computes lane by lane. */
#define SOFT(name, call)                                                                           \
    static real soft_##name(real a, real b, real c, struct wt_fp *fp)                              \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return call;                                                                               \
    }
#define ROW_SOFT(name)                                                                             \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        compute_soft(v, soft_##name);                                                              \
    }
#define COMMA ,

/* The result where a source is a NaN: the first such source, quieted. */
static inline real settle(real r, real x, real y, real z)
{
    const real last = OF_WIDTH(either)(OF_WIDTH(nan)(z), OF_WIDTH(quiet)(z), REAL_NAN);
    const real nan = OF_WIDTH(either)(OF_WIDTH(nan)(x), OF_WIDTH(quiet)(x),
                                      OF_WIDTH(either)(OF_WIDTH(nan)(y), OF_WIDTH(quiet)(y), last));
    return OF_WIDTH(either)(OF_WIDTH(nan)(r), nan, r);
}

/* Computes lane by lane, with the exceptions and modes of MODE. */
static void compute_soft(struct gcn_valu *v, soft_fn soft)
{
    REAL_ROWS;
    struct wt_fp fp = gcn_fp_env(v->w, SINGLE);
    uint8_t flags = 0;
    const bool denormal = OF_WIDTH(gcn_fp_denormal)(a) || OF_WIDTH(gcn_fp_denormal)(b) ||
                          OF_WIDTH(gcn_fp_denormal)(c);
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        const real x = a[i], y = b ? b[i] : 0, z = c ? c[i] : 0;
        fp.flags = 0;
        d[i] = soft(x, y, z, &fp);
        if (denormal)
            OF_WIDTH(note_denormal)(&fp, x, y, z);
        flags |= fp.flags;
    }
    fp.flags = flags;
    gcn_fp_raise(v->w, &fp);
}

/* ---- division (section 12.12) ---- */

/* The biased exponent. */
static int exponent_of(real x)
{
    return (int)(x >> MANTISSA_BITS & MOST_EXPONENT);
}

/* Whether x / y, rounded, is denormal. */
static bool quotient_is_denormal(real x, real y)
{
    /* Most are not: of normal numbers, the exponents tell. */
    const int p = exponent_of(x), q = exponent_of(y);
    if (p && q && q != MOST_EXPONENT && p - q >= 2 - BIAS)
        return false;
    struct wt_fp fp = {.propagate_nan = true};
    return OF_WIDTH(denormal)(SOFT_OF(_div)(x, y, &fp));
}

/* v_div_scale (section 12.12). */
static real div_scale(real x, real den, real num, uint8_t *vcc)
{
    struct wt_fp fp = {.propagate_nan = true};
    *vcc = 0;
    if (!(num & ~REAL_SIGN) || !(den & ~REAL_SIGN))
        return REAL_NAN;
    if (OF_WIDTH(nan)(num) || OF_WIDTH(nan)(den))
        return OF_WIDTH(nan)(x) ? OF_WIDTH(quiet)(x) : x;
    if (exponent_of(num) - exponent_of(den) >= FAR_APART) {
        *vcc = 1;
        return x == den ? OF_WIDTH(gcn_ldexp)(x, SCALE, &fp) : x;
    }
    if (OF_WIDTH(denormal)(den))
        return OF_WIDTH(gcn_ldexp)(x, SCALE, &fp);
    const bool inverse = quotient_is_denormal(ONE, den);
    const bool quotient = quotient_is_denormal(num, den);
    if (inverse && quotient) {
        *vcc = 1;
        return x == den ? OF_WIDTH(gcn_ldexp)(x, -SCALE, &fp) : x;
    }
    if (inverse)
        return OF_WIDTH(gcn_ldexp)(x, -SCALE, &fp);
    if (quotient) {
        *vcc = 1;
        return x == num ? OF_WIDTH(gcn_ldexp)(x, SCALE, &fp) : x;
    }
    return exponent_of(num) <= SMALL_NUMERATOR ? OF_WIDTH(gcn_ldexp)(x, SCALE, &fp) : x;
}

/* V_DIV_SCALE lane by lane. */
static void div_scale_each(struct gcn_valu *v)
{
    REAL_ROWS;
    struct wt_fp fp = gcn_fp_env(v->w, SINGLE);
    for (unsigned i = 0; i < GCN_LANES; i++) {
        v->m[i] = 0;
        if (!(v->exec >> i & 1))
            continue;
        OF_WIDTH(note_denormal)(&fp, a[i], b[i], c[i]);
        uint8_t scaled = 0;
        d[i] = div_scale(a[i], b[i], c[i], &scaled);
        v->m[i] = 0 - (uint32_t)scaled;
    }
    gcn_fp_raise(v->w, &fp);
}

/* V_DIV_FMAS lane by lane: @p scaled where VCC says that V_DIV_SCALE has scaled. */
static void div_fmas_each(struct gcn_valu *v, soft_fn scaled)
{
    REAL_ROWS;
    const uint64_t vcc = gcn_pair(&v->w->s[GCN_VCC]);
    struct wt_fp fp = gcn_fp_env(v->w, SINGLE);
    uint8_t flags = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        if (!(v->exec >> i & 1))
            continue;
        const real x = a[i], y = b[i], z = c[i];
        fp.flags = 0;
        d[i] = vcc >> i & 1 ? scaled(x, y, z, &fp) : SOFT_OF(_fma)(x, y, z, &fp);
        OF_WIDTH(note_denormal)(&fp, x, y, z);
        flags |= fp.flags;
    }
    fp.flags = flags;
    gcn_fp_raise(v->w, &fp);
}

/* v_div_fixup (section 12.12). */
static real div_fixup(real q, real den, real num, struct wt_fp *fp)
{
    const real sign = (den ^ num) & REAL_SIGN;
    den = OF_WIDTH(flushed)(den, fp->flush_input);
    num = OF_WIDTH(flushed)(num, fp->flush_input);
    const real x = den & ~REAL_SIGN, y = num & ~REAL_SIGN;
    if (OF_WIDTH(nan)(num))
        return OF_WIDTH(quiet)(num);
    if (OF_WIDTH(nan)(den))
        return OF_WIDTH(quiet)(den);
    if ((!x && !y) || (x == REAL_INF && y == REAL_INF)) {
        fp->flags |= WT_FP_INVALID;
        return REAL_NAN | REAL_SIGN;
    }
    if (!x || y == REAL_INF) {
        fp->flags |= x ? 0 : WT_FP_DIVZERO;
        return sign | REAL_INF;
    }
    if (x == REAL_INF || !y)
        return sign;
    if (exponent_of(num) - exponent_of(den) < ZERO_QUOTIENT)
        return sign;
    /* A quotient that is a NaN comes of steps that overflowed. */
    return sign | (OF_WIDTH(nan)(q) ? REAL_INF : q & ~REAL_SIGN);
}

/* ---- parts of a number ---- */

/* Makes a NaN quiet; rounds any other number to an integer. */
static real rounded(real a, host_real (*how)(host_real), struct wt_fp *fp)
{
    if (OF_WIDTH(nan)(a))
        return SOFT_OF(_add)(a, a, fp);
    return BITS_OF_FLOAT(how(FLOAT_OF_BITS(OF_WIDTH(flushed)(a, fp->flush_input))));
}

/* v_fract. */
static real fract(real a, struct wt_fp *fp)
{
    if (OF_WIDTH(nan)(a))
        return SOFT_OF(_add)(a, a, fp);
    if ((a & ~REAL_SIGN) == REAL_INF) {
        fp->flags |= WT_FP_INVALID;
        return REAL_NAN;
    }
    a = OF_WIDTH(flushed)(a, fp->flush_input);
    const real r = SOFT_OF(_sub)(a, BITS_OF_FLOAT(HOST_FLOOR(FLOAT_OF_BITS(a))), fp);
    return r >= ONE && !(r & REAL_SIGN) ? BELOW_ONE : r;
}

/* The exponent of a finite number whose mantissa is 0.5 or more and below 1; 0 has 0. */
static int frexp_of(real a, real *mantissa)
{
    const real leading = (real)1 << MANTISSA_BITS;
    int exponent = exponent_of(a);
    if (exponent == 0) {
        if (!(a & ~REAL_SIGN)) {
            *mantissa = a;
            return 0;
        }
        while (!(a & leading)) {
            a = (a & REAL_SIGN) | (a & (leading - 1)) << 1;
            exponent--;
        }
        exponent++;
    }
    *mantissa = (a & (REAL_SIGN | (leading - 1))) | (real)(BIAS - 1) << MANTISSA_BITS;
    return exponent - (BIAS - 1);
}

/* v_frexp_mant: the fraction of 0.5 to 1. */
static real frexp_mant(real a, struct wt_fp *fp)
{
    if ((a & REAL_INF) == REAL_INF)
        return OF_WIDTH(nan)(a) ? OF_WIDTH(quiet)(a) : a;
    real mantissa;
    frexp_of(OF_WIDTH(flushed)(a, fp->flush_input), &mantissa);
    return mantissa;
}
