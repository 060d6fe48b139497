/*
 * IEEE 754 arithmetic in integers, once for all formats. An operand is unpacked to a number
 * sign, significand * 2^exponent; an operation makes the exact result of it (or one whose bit 0
 * says "and a little more", far below the last bit that any format keeps); round_pack() then
 * rounds once. Each function is written for a format that is a constant where it is called, so
 * that the compiler makes one copy for each.
 */
#include "emulator/machine/softfloat.h"

__extension__ typedef unsigned __int128 u128;

/* Every helper is inlined with a constant format. */
#define INLINE static inline __attribute__((always_inline))

struct soft_format {
    int exp_bits;
    int frac_bits;
};

static const struct soft_format f16 = {5, 10};
static const struct soft_format f32 = {8, 23};
static const struct soft_format f64 = {11, 52};

enum soft_kind {
    FINITE, /* zero too: its significand is 0 */
    INFINITE,
    QUIET_NAN,
    SIGNALLING_NAN,
};

/* sig * 2^exp, negative if sign. For a NaN, sig is the fraction field. */
struct soft_number {
    enum soft_kind kind;
    bool sign;
    int exp;
    u128 sig;
};

INLINE int bias(struct soft_format f)
{
    return (1 << (f.exp_bits - 1)) - 1;
}

INLINE uint64_t sign_bit(struct soft_format f)
{
    return (uint64_t)1 << (f.exp_bits + f.frac_bits);
}

INLINE uint64_t fraction_mask(struct soft_format f)
{
    return ((uint64_t)1 << f.frac_bits) - 1;
}

INLINE uint64_t quiet_bit(struct soft_format f)
{
    return (uint64_t)1 << (f.frac_bits - 1);
}

/* An infinity; without a sign also the mask of the exponent field. */
INLINE uint64_t infinity(struct soft_format f, bool sign)
{
    return ((((uint64_t)1 << f.exp_bits) - 1) << f.frac_bits) | (sign ? sign_bit(f) : 0);
}

INLINE uint64_t largest(struct soft_format f, bool sign)
{
    return infinity(f, sign) - 1;
}

INLINE uint64_t zero(struct soft_format f, bool sign)
{
    return sign ? sign_bit(f) : 0;
}

INLINE uint64_t canonical_nan(struct soft_format f)
{
    return infinity(f, false) | quiet_bit(f);
}

INLINE int top_bit(u128 sig)
{
    return (uint64_t)(sig >> 64) ? 127 - __builtin_clzll((uint64_t)(sig >> 64))
                                 : 63 - __builtin_clzll((uint64_t)sig);
}

INLINE struct soft_number unpack(struct soft_format f, uint64_t bits, const struct wt_fp *fp)
{
    int exp = (int)((bits & infinity(f, false)) >> f.frac_bits);
    uint64_t fraction = bits & fraction_mask(f);
    struct soft_number n = {FINITE, (bits & sign_bit(f)) != 0, 0, fraction};
    if (exp == (1 << f.exp_bits) - 1) {
        if (fraction)
            n.kind = fraction & quiet_bit(f) ? QUIET_NAN : SIGNALLING_NAN;
        else
            n.kind = INFINITE;
    } else if (exp == 0) {
        n.exp = 1 - bias(f) - f.frac_bits;
        if (fp->flush_input)
            n.sig = 0;
    } else {
        n.exp = exp - bias(f) - f.frac_bits;
        n.sig |= (u128)1 << f.frac_bits;
    }
    return n;
}

INLINE bool is_nan(struct soft_number n)
{
    return n.kind >= QUIET_NAN;
}

INLINE bool is_zero(struct soft_number n)
{
    return n.kind == FINITE && n.sig == 0;
}

/* ---- rounding ---- */

/*
 * sig * 2^-shift as an integer, rounded as fp says for a number of this sign. The last bit of
 * sig may stand for a remainder. sig is less than 2^127.
 */
INLINE u128 round_shift(u128 sig, int shift, bool sign, const struct wt_fp *fp, bool *inexact)
{
    *inexact = false;
    if (shift <= 0)
        return sig << -shift;
    u128 kept = shift < 128 ? sig >> shift : 0;
    u128 rest = shift < 128 ? sig - (kept << shift) : sig;
    if (rest == 0)
        return kept;
    *inexact = true;
    /* Against half of the last place; more than 127 places down nothing reaches half. */
    u128 half = shift < 128 ? (u128)1 << (shift - 1) : ~(u128)0;
    bool up;
    switch (fp->round) {
    case WT_RTZ:
        up = false;
        break;
    case WT_RDN:
        up = sign;
        break;
    case WT_RUP:
        up = !sign;
        break;
    case WT_RMM:
        up = rest >= half;
        break;
    default:
        up = rest > half || (rest == half && (kept & 1));
    }
    return kept + up;
}

INLINE uint64_t overflowed(struct soft_format f, bool sign, struct wt_fp *fp)
{
    fp->flags |= WT_FP_OVERFLOW | WT_FP_INEXACT;
    bool to_largest =
        fp->round == WT_RTZ || (fp->round == WT_RDN && !sign) || (fp->round == WT_RUP && sign);
    return to_largest ? largest(f, sign) : infinity(f, sign);
}

/* The finite number n in this format: the only place that rounds a floating-point result. */
INLINE uint64_t round_pack(struct soft_format f, struct soft_number n, struct wt_fp *fp)
{
    if (n.sig == 0)
        return zero(f, n.sign);

    int min_exp = 1 - bias(f); /* least exponent of a normal number */
    int exp = n.exp + top_bit(n.sig);
    int last = exp - f.frac_bits; /* the place of the last bit kept */
    bool inexact;
    bool tiny = exp < min_exp;
    if (tiny) {
        /* Tininess after rounding (IEEE 754, 7.5): as if the exponent had no lower bound. */
        if (exp == min_exp - 1) {
            u128 unbounded = round_shift(n.sig, last - n.exp, n.sign, fp, &inexact);
            tiny = unbounded >> (f.frac_bits + 1) == 0;
        }
        if (tiny && fp->flush_output) {
            fp->flags |= WT_FP_UNDERFLOW | WT_FP_INEXACT;
            return zero(f, n.sign);
        }
        last = min_exp - f.frac_bits;
    }

    u128 sig = round_shift(n.sig, last - n.exp, n.sign, fp, &inexact);
    if (sig >> (f.frac_bits + 1)) { /* the carry went out: 10.00…0 */
        sig >>= 1;
        last++;
    }
    if (last + f.frac_bits > bias(f))
        return overflowed(f, n.sign, fp);
    if (inexact)
        fp->flags |= WT_FP_INEXACT | (tiny ? WT_FP_UNDERFLOW : 0);

    uint64_t biased = sig >> f.frac_bits ? (uint64_t)(last + f.frac_bits + bias(f)) : 0;
    return zero(f, n.sign) | (biased << f.frac_bits) | ((uint64_t)sig & fraction_mask(f));
}

/* ---- NaN ---- */

/* The result of an invalid operation; raises invalid. */
INLINE uint64_t invalid(struct soft_format f, struct wt_fp *fp)
{
    fp->flags |= WT_FP_INVALID;
    return canonical_nan(f);
}

/* Raises invalid for a signalling NaN. */
INLINE void signal_nan(struct soft_number n, struct wt_fp *fp)
{
    if (n.kind == SIGNALLING_NAN)
        fp->flags |= WT_FP_INVALID;
}

/* The result for NaN operands; a is the first of them, in format f. */
INLINE uint64_t nan_of(struct soft_format f, struct soft_number a, const struct wt_fp *fp)
{
    if (!fp->propagate_nan)
        return canonical_nan(f);
    return infinity(f, a.sign) | quiet_bit(f) | (uint64_t)a.sig;
}

/* The result of a two-operand operation of which at least one operand is a NaN. */
INLINE uint64_t nan_of_two(struct soft_format f, struct soft_number a, struct soft_number b,
                           struct wt_fp *fp)
{
    signal_nan(a, fp);
    signal_nan(b, fp);
    return nan_of(f, is_nan(a) ? a : b, fp);
}

/* ---- arithmetic ---- */

/* n >> shift; bits shifted out are kept as a sticky bit 0. */
INLINE u128 shift_right_jam(u128 n, int shift)
{
    if (shift == 0)
        return n;
    if (shift >= 128)
        return n != 0;
    return (n >> shift) | ((n << (128 - shift)) != 0);
}

/* The sign of a sum that is exactly zero, of two terms that are not zeros of one sign. */
INLINE bool zero_sum_sign(const struct wt_fp *fp)
{
    return fp->round == WT_RDN;
}

/*
 * The sum of two finite numbers of at most 106 bits each. With the top bit of both at 125 they
 * have 20 zero bits below, so that aligning them loses something only where the exponents differ
 * so much that at most one bit cancels, and the sticky bit 0 stays far below the rounding place.
 */
INLINE struct soft_number sum(struct soft_number a, struct soft_number b, const struct wt_fp *fp)
{
    if (a.sig == 0 && b.sig == 0) {
        if (a.sign != b.sign)
            a.sign = zero_sum_sign(fp);
        return a;
    }
    if (a.sig == 0)
        return b;
    if (b.sig == 0)
        return a;

    int up = 125 - top_bit(a.sig);
    a.sig <<= up;
    a.exp -= up;
    up = 125 - top_bit(b.sig);
    b.sig <<= up;
    b.exp -= up;
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        struct soft_number swap = a;
        a = b;
        b = swap;
    }
    b.sig = shift_right_jam(b.sig, a.exp - b.exp);
    if (a.sign == b.sign) {
        a.sig += b.sig;
    } else {
        a.sig -= b.sig;
        if (a.sig == 0)
            a.sign = zero_sum_sign(fp);
    }
    return a;
}

INLINE uint64_t add(struct soft_format f, uint64_t a_bits, uint64_t b_bits, bool negate_b,
                    struct wt_fp *fp)
{
    struct soft_number a = unpack(f, a_bits, fp), b = unpack(f, b_bits, fp);
    if (is_nan(a) || is_nan(b))
        return nan_of_two(f, a, b, fp);
    b.sign ^= negate_b;
    if (a.kind == INFINITE && b.kind == INFINITE && a.sign != b.sign)
        return invalid(f, fp);
    if (a.kind == INFINITE)
        return infinity(f, a.sign);
    if (b.kind == INFINITE)
        return infinity(f, b.sign);
    return round_pack(f, sum(a, b, fp), fp);
}

/* The exact product of two finite numbers: at most 106 bits. */
INLINE struct soft_number product(struct soft_number a, struct soft_number b)
{
    a.sign ^= b.sign;
    a.exp += b.exp;
    a.sig = (u128)(uint64_t)a.sig * (uint64_t)b.sig;
    return a;
}

INLINE uint64_t mul(struct soft_format f, uint64_t a_bits, uint64_t b_bits, struct wt_fp *fp)
{
    struct soft_number a = unpack(f, a_bits, fp), b = unpack(f, b_bits, fp);
    if (is_nan(a) || is_nan(b))
        return nan_of_two(f, a, b, fp);
    if (a.kind == INFINITE || b.kind == INFINITE) {
        if (is_zero(a) || is_zero(b))
            return invalid(f, fp);
        return infinity(f, a.sign ^ b.sign);
    }
    return round_pack(f, product(a, b), fp);
}

INLINE uint64_t fused(struct soft_format f, uint64_t a_bits, uint64_t b_bits, uint64_t c_bits,
                      struct wt_fp *fp)
{
    struct soft_number a = unpack(f, a_bits, fp), b = unpack(f, b_bits, fp),
                       c = unpack(f, c_bits, fp);
    /* infinity * 0 is invalid whatever is added, a quiet NaN too (RISC-V F, "FMADD"). */
    bool bad_product = (a.kind == INFINITE && is_zero(b)) || (is_zero(a) && b.kind == INFINITE);
    if (bad_product)
        fp->flags |= WT_FP_INVALID;
    if (is_nan(a) || is_nan(b) || is_nan(c)) {
        signal_nan(c, fp);
        return nan_of_two(f, a, is_nan(b) ? b : c, fp);
    }
    if (bad_product)
        return canonical_nan(f);
    bool product_sign = a.sign ^ b.sign;
    if (a.kind == INFINITE || b.kind == INFINITE) {
        if (c.kind == INFINITE && c.sign != product_sign)
            return invalid(f, fp);
        return infinity(f, product_sign);
    }
    if (c.kind == INFINITE)
        return infinity(f, c.sign);
    return round_pack(f, sum(product(a, b), c, fp), fp);
}

INLINE uint64_t divide(struct soft_format f, uint64_t a_bits, uint64_t b_bits, struct wt_fp *fp)
{
    struct soft_number a = unpack(f, a_bits, fp), b = unpack(f, b_bits, fp);
    if (is_nan(a) || is_nan(b))
        return nan_of_two(f, a, b, fp);
    bool sign = a.sign ^ b.sign;
    if (a.kind == INFINITE)
        return b.kind == INFINITE ? invalid(f, fp) : infinity(f, sign);
    if (b.kind == INFINITE)
        return zero(f, sign);
    if (b.sig == 0) {
        if (a.sig == 0)
            return invalid(f, fp);
        fp->flags |= WT_FP_DIVZERO;
        return infinity(f, sign);
    }
    if (a.sig == 0)
        return zero(f, sign);

    /* Two bits more than the format keeps, at least, and a sticky bit for the remainder. */
    int up = 2 * f.frac_bits + 5 - top_bit(a.sig);
    b.exp += top_bit(b.sig) - f.frac_bits;
    b.sig <<= f.frac_bits - top_bit(b.sig);
    u128 dividend = a.sig << up;
    u128 quotient = dividend / b.sig;
    bool remainder = quotient * b.sig != dividend;
    struct soft_number n = {FINITE, sign, a.exp - up - b.exp, quotient << 1 | remainder};
    n.exp -= 1;
    return round_pack(f, n, fp);
}

INLINE uint64_t square_root(struct soft_format f, uint64_t bits, struct wt_fp *fp)
{
    struct soft_number n = unpack(f, bits, fp);
    if (is_nan(n))
        return nan_of_two(f, n, n, fp);
    if (is_zero(n))
        return zero(f, n.sign);
    if (n.sign)
        return invalid(f, fp);
    if (n.kind == INFINITE)
        return infinity(f, false);

    /* An even exponent, and enough bits for a root of two bits more than the format keeps. */
    int root_bits = f.frac_bits + 3;
    int up = 2 * root_bits - 1 - top_bit(n.sig);
    up -= (n.exp - up) & 1;
    n.sig <<= up;
    n.exp = (n.exp - up) / 2;

    u128 root = 0;
    for (int bit = root_bits - 1; bit >= 0; bit--) {
        u128 trial = root | (u128)1 << bit;
        if (trial * trial <= n.sig)
            root = trial;
    }
    bool remainder = root * root != n.sig;
    n.sig = root << 1 | remainder;
    n.exp -= 1;
    return round_pack(f, n, fp);
}

/* ---- comparison ---- */

/* Orders two numbers that are no NaN: -1, 0 or 1. The zeros are equal. */
INLINE int order(struct soft_format f, uint64_t a, uint64_t b, const struct wt_fp *fp)
{
    struct soft_number na = unpack(f, a, fp), nb = unpack(f, b, fp);
    /* The encodings without their signs are in the order of the magnitudes. */
    int64_t ia = is_zero(na) ? 0 : (int64_t)(a & (sign_bit(f) - 1));
    int64_t ib = is_zero(nb) ? 0 : (int64_t)(b & (sign_bit(f) - 1));
    ia = na.sign ? -ia : ia;
    ib = nb.sign ? -ib : ib;
    return (ia > ib) - (ia < ib);
}

/* True when one is a NaN; invalid is raised for a signalling one, or for any. */
INLINE bool unordered(struct soft_format f, uint64_t a_bits, uint64_t b_bits, bool any,
                      struct wt_fp *fp)
{
    struct soft_number a = unpack(f, a_bits, fp), b = unpack(f, b_bits, fp);
    signal_nan(a, fp);
    signal_nan(b, fp);
    if (!is_nan(a) && !is_nan(b))
        return false;
    if (any)
        fp->flags |= WT_FP_INVALID;
    return true;
}

INLINE bool equal(struct soft_format f, uint64_t a, uint64_t b, struct wt_fp *fp)
{
    return !unordered(f, a, b, false, fp) && order(f, a, b, fp) == 0;
}

INLINE bool less(struct soft_format f, uint64_t a, uint64_t b, struct wt_fp *fp)
{
    return !unordered(f, a, b, true, fp) && order(f, a, b, fp) < 0;
}

INLINE bool less_or_equal(struct soft_format f, uint64_t a, uint64_t b, struct wt_fp *fp)
{
    return !unordered(f, a, b, true, fp) && order(f, a, b, fp) <= 0;
}

/* An operand as it is, but for a denormal that is to be flushed. */
INLINE uint64_t operand(struct soft_format f, uint64_t bits, const struct wt_fp *fp)
{
    struct soft_number n = unpack(f, bits, fp);
    return is_zero(n) ? zero(f, n.sign) : bits;
}

INLINE uint64_t min_or_max(struct soft_format f, uint64_t a_bits, uint64_t b_bits, bool max,
                           struct wt_fp *fp)
{
    struct soft_number a = unpack(f, a_bits, fp), b = unpack(f, b_bits, fp);
    if (is_nan(a) && is_nan(b))
        return nan_of_two(f, a, b, fp);
    signal_nan(a, fp);
    signal_nan(b, fp);
    if (is_nan(a))
        return operand(f, b_bits, fp);
    if (is_nan(b))
        return operand(f, a_bits, fp);
    int ordered = order(f, a_bits, b_bits, fp);
    bool a_is_less = ordered < 0 || (ordered == 0 && a.sign);
    return operand(f, a_is_less != max ? a_bits : b_bits, fp);
}

/* RISC-V F, "Floating-point classify": bit numbers of the mask. */
INLINE unsigned classify(struct soft_format f, uint64_t bits)
{
    const struct wt_fp as_it_is = {0};
    struct soft_number n = unpack(f, bits, &as_it_is);
    bool normal = n.sig >> f.frac_bits != 0;
    if (n.kind == SIGNALLING_NAN)
        return 1u << 8;
    if (n.kind == QUIET_NAN)
        return 1u << 9;
    if (n.kind == INFINITE)
        return n.sign ? 1u << 0 : 1u << 7;
    if (n.sig == 0)
        return n.sign ? 1u << 3 : 1u << 4;
    if (normal)
        return n.sign ? 1u << 1 : 1u << 6;
    return n.sign ? 1u << 2 : 1u << 5;
}

/* ---- conversion ---- */

INLINE uint64_t convert(struct soft_format from, struct soft_format to, uint64_t bits,
                        struct wt_fp *fp)
{
    struct soft_number n = unpack(from, bits, fp);
    if (is_nan(n)) {
        signal_nan(n, fp);
        int widen = to.frac_bits - from.frac_bits; /* a payload keeps its top bits */
        n.sig = widen >= 0 ? n.sig << widen : n.sig >> -widen;
        return nan_of(to, n, fp);
    }
    if (n.kind == INFINITE)
        return infinity(to, n.sign);
    return round_pack(to, n, fp);
}

/* The integer between min and max; both are given as magnitudes, min below zero. */
INLINE uint64_t to_integer(struct soft_format f, uint64_t bits, uint64_t min, uint64_t max,
                           struct wt_fp *fp)
{
    struct soft_number n = unpack(f, bits, fp);
    bool negative = n.sign && !is_nan(n);
    uint64_t limit = negative ? min : max;
    /* From 2^64 on it is too large for every integer, and for shifting. */
    bool fits = n.kind == FINITE && (n.sig == 0 || n.exp + top_bit(n.sig) < 64);
    if (fits) {
        bool inexact;
        u128 integer = round_shift(n.sig, -n.exp, n.sign, fp, &inexact);
        if (integer <= limit) {
            if (inexact)
                fp->flags |= WT_FP_INEXACT;
            return negative ? -(uint64_t)integer : (uint64_t)integer;
        }
    }
    fp->flags |= WT_FP_INVALID;
    return negative ? -limit : limit;
}

INLINE uint64_t from_integer(struct soft_format f, bool sign, uint64_t magnitude, struct wt_fp *fp)
{
    struct soft_number n = {FINITE, sign, 0, magnitude};
    return round_pack(f, n, fp);
}

INLINE uint64_t from_signed(struct soft_format f, int64_t a, struct wt_fp *fp)
{
    return from_integer(f, a < 0, a < 0 ? -(uint64_t)a : (uint64_t)a, fp);
}

/* ---- the functions of the header, for each format ---- */

#define FORMAT_FUNCTIONS(F, T)                                                                     \
    T wt_##F##_add(T a, T b, struct wt_fp *fp)                                                     \
    {                                                                                              \
        return (T)add(F, a, b, false, fp);                                                         \
    }                                                                                              \
    T wt_##F##_sub(T a, T b, struct wt_fp *fp)                                                     \
    {                                                                                              \
        return (T)add(F, a, b, true, fp);                                                          \
    }                                                                                              \
    T wt_##F##_mul(T a, T b, struct wt_fp *fp)                                                     \
    {                                                                                              \
        return (T)mul(F, a, b, fp);                                                                \
    }                                                                                              \
    T wt_##F##_div(T a, T b, struct wt_fp *fp)                                                     \
    {                                                                                              \
        return (T)divide(F, a, b, fp);                                                             \
    }                                                                                              \
    T wt_##F##_sqrt(T a, struct wt_fp *fp)                                                         \
    {                                                                                              \
        return (T)square_root(F, a, fp);                                                           \
    }                                                                                              \
    T wt_##F##_fma(T a, T b, T c, struct wt_fp *fp)                                                \
    {                                                                                              \
        return (T)fused(F, a, b, c, fp);                                                           \
    }                                                                                              \
    bool wt_##F##_eq(T a, T b, struct wt_fp *fp)                                                   \
    {                                                                                              \
        return equal(F, a, b, fp);                                                                 \
    }                                                                                              \
    bool wt_##F##_lt(T a, T b, struct wt_fp *fp)                                                   \
    {                                                                                              \
        return less(F, a, b, fp);                                                                  \
    }                                                                                              \
    bool wt_##F##_le(T a, T b, struct wt_fp *fp)                                                   \
    {                                                                                              \
        return less_or_equal(F, a, b, fp);                                                         \
    }                                                                                              \
    T wt_##F##_min(T a, T b, struct wt_fp *fp)                                                     \
    {                                                                                              \
        return (T)min_or_max(F, a, b, false, fp);                                                  \
    }                                                                                              \
    T wt_##F##_max(T a, T b, struct wt_fp *fp)                                                     \
    {                                                                                              \
        return (T)min_or_max(F, a, b, true, fp);                                                   \
    }                                                                                              \
    unsigned wt_##F##_class(T a)                                                                   \
    {                                                                                              \
        return classify(F, a);                                                                     \
    }                                                                                              \
    int32_t wt_##F##_to_i32(T a, struct wt_fp *fp)                                                 \
    {                                                                                              \
        return (int32_t)to_integer(F, a, (uint64_t)INT32_MAX + 1, INT32_MAX, fp);                  \
    }                                                                                              \
    uint32_t wt_##F##_to_u32(T a, struct wt_fp *fp)                                                \
    {                                                                                              \
        return (uint32_t)to_integer(F, a, 0, UINT32_MAX, fp);                                      \
    }                                                                                              \
    int64_t wt_##F##_to_i64(T a, struct wt_fp *fp)                                                 \
    {                                                                                              \
        return (int64_t)to_integer(F, a, (uint64_t)INT64_MAX + 1, INT64_MAX, fp);                  \
    }                                                                                              \
    uint64_t wt_##F##_to_u64(T a, struct wt_fp *fp)                                                \
    {                                                                                              \
        return to_integer(F, a, 0, UINT64_MAX, fp);                                                \
    }                                                                                              \
    T wt_i64_to_##F(int64_t a, struct wt_fp *fp)                                                   \
    {                                                                                              \
        return (T)from_signed(F, a, fp);                                                           \
    }                                                                                              \
    T wt_u64_to_##F(uint64_t a, struct wt_fp *fp)                                                  \
    {                                                                                              \
        return (T)from_integer(F, false, a, fp);                                                   \
    }

FORMAT_FUNCTIONS(f16, uint16_t)
FORMAT_FUNCTIONS(f32, uint32_t)
FORMAT_FUNCTIONS(f64, uint64_t)

uint32_t wt_f16_to_f32(uint16_t a, struct wt_fp *fp)
{
    return (uint32_t)convert(f16, f32, a, fp);
}

uint64_t wt_f16_to_f64(uint16_t a, struct wt_fp *fp)
{
    return convert(f16, f64, a, fp);
}

uint16_t wt_f32_to_f16(uint32_t a, struct wt_fp *fp)
{
    return (uint16_t)convert(f32, f16, a, fp);
}

uint64_t wt_f32_to_f64(uint32_t a, struct wt_fp *fp)
{
    return convert(f32, f64, a, fp);
}

uint16_t wt_f64_to_f16(uint64_t a, struct wt_fp *fp)
{
    return (uint16_t)convert(f64, f16, a, fp);
}

uint32_t wt_f64_to_f32(uint64_t a, struct wt_fp *fp)
{
    return (uint32_t)convert(f64, f32, a, fp);
}
