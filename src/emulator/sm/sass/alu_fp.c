/*
 * Floating point: binary32 and binary64, exact in each rounding mode (machine/softfloat.h). A NaN
 * result of binary32 is 0x7fffffff. The approximations of MUFU are the exact results, rounded.
 */
#include "emulator/sm/sass/alu.h"

#include <math.h>
#include <string.h>

#include "emulator/machine/softfloat.h"

#define SIGN 0x80000000u
#define QNAN 0x7fffffffu
#define ONE 0x3f800000u

static bool is_nan(uint32_t v)
{
    return (v & 0x7fffffff) > 0x7f800000;
}

static bool is_nan64(uint64_t v)
{
    return (v << 1) > UINT64_C(0xffe0000000000000);
}

static enum wt_round round_of(unsigned field)
{
    static const enum wt_round modes[4] = {WT_RNE, WT_RDN, WT_RUP, WT_RTZ};
    return modes[field & 3];
}

static uint32_t flush(uint32_t v)
{
    return v & 0x7f800000 ? v : v & SIGN;
}

static uint32_t signs(uint32_t v, bool negate, bool absolute)
{
    v = absolute ? v & ~SIGN : v;
    return negate ? v ^ SIGN : v;
}

static uint64_t signs64(uint64_t v, bool negate, bool absolute)
{
    const uint64_t sign = (uint64_t)1 << 63;
    v = absolute ? v & ~sign : v;
    return negate ? v ^ sign : v;
}

/* The result as it is written: one NaN, .SAT. */
static uint32_t finish(uint32_t v, bool saturated)
{
    if (!saturated)
        return is_nan(v) ? QNAN : v;
    if (is_nan(v) || v & SIGN)
        return 0;
    return v > ONE ? ONE : v;
}

/* Z where a result is 0, S where it is negative; both where it is no number. */
static void set_float_cc(const struct sm_exec *x, unsigned cc)
{
    if (!sm_bit(x->word, cc))
        return;
    uint32_t z = 0, s = 0;
    FOR_LANES (i) {
        const uint32_t v = x->d[0][i];
        z |= (uint32_t)(is_nan(v) || !(v & ~SIGN)) << i;
        s |= (uint32_t)(is_nan(v) || (v & SIGN && v != SIGN)) << i;
    }
    sm_set_cc(x, cc, z, s, 0, 0);
}

static struct wt_fp mode_of(unsigned round, bool ftz)
{
    return (struct wt_fp){.round = (uint8_t)round_of(round),
                          .propagate_nan = true,
                          .flush_input = ftz,
                          .flush_output = ftz};
}

/* ---- sums ---- */

static unsigned add(struct sm_exec *x, bool na, bool aa, bool nb, bool ab, unsigned round, bool ftz,
                    bool saturated, unsigned cc)
{
    FOR_LANES (i) {
        const uint32_t a = signs(x->a[i], na, aa), b = signs(x->b[i], nb, ab);
        struct wt_fp fp = mode_of(round, ftz);
        x->d[0][i] = finish(wt_f32_add(a, b, &fp), saturated);
    }
    set_float_cc(x, cc);
    return 1;
}

unsigned sm_alu_fadd(struct sm_exec *x)
{
    const uint64_t w = x->word;
    return add(x, sm_bit(w, 48), sm_bit(w, 46), sm_bit(w, 45), sm_bit(w, 49), SM_FIELD(w, rnd39),
               SM_FIELD(w, ftz44), SM_FIELD(w, sat50), 47);
}

/* FSWZADD: the signs of A and B depend on the lane's place among four (as nouveau's compiler, Mesa,
 * uses it: PP is a + b, NP b - a, PN a - b, ZP b). */
unsigned sm_alu_fswzadd(struct sm_exec *x)
{
    FOR_LANES (i) {
        const unsigned signs_of = sm_swizzle(x->word, i & 3);
        const uint32_t a = signs_of == 3 ? SIGN : signs(x->a[i], signs_of == 1, false);
        const uint32_t b = signs(x->b[i], signs_of == 2, false);
        struct wt_fp fp = mode_of(SM_FIELD(x->word, rnd39), SM_FIELD(x->word, ftz44));
        x->d[0][i] = finish(wt_f32_add(a, b, &fp), false);
    }
    set_float_cc(x, 47);
    return 1;
}

static void wide_immediate(struct sm_exec *x)
{
    FOR_LANES (i)
        x->b_row[i] = (uint32_t)sm_bits(x->word, 20, 32);
    x->b = x->b_row;
}

unsigned sm_alu_fadd32i(struct sm_exec *x)
{
    const uint64_t w = x->word;
    wide_immediate(x);
    return add(x, sm_bit(w, 56), sm_bit(w, 54), sm_bit(w, 53), sm_bit(w, 57), 0, SM_FIELD(w, ftz55),
               false, 52);
}

/* ---- products ---- */

enum { FTZ = 1, FMZ = 2 };

/* .FMZ: zero times anything is +0. */
static bool is_fmz_zero(unsigned fmz, uint32_t a, uint32_t b)
{
    return fmz == FMZ && (!(flush(a) & ~SIGN) || !(flush(b) & ~SIGN));
}

static unsigned multiply(struct sm_exec *x, bool negate, unsigned scale, unsigned round,
                         unsigned fmz, bool saturated, unsigned cc)
{
    /* 2^0, 2^-1, 2^-2, 2^-3, 2^3, 2^2, 2^1 */
    static const uint32_t factors[8] = {ONE,        0x3f000000, 0x3e800000, 0x3e000000,
                                        0x41000000, 0x40800000, 0x40000000, ONE};
    FOR_LANES (i) {
        uint32_t a = x->a[i];
        const uint32_t b = signs(x->b[i], negate, false);
        struct wt_fp fp = mode_of(round, fmz != 0);
        if (scale)
            a = wt_f32_mul(a, factors[scale], &fp);
        x->d[0][i] = is_fmz_zero(fmz, a, b) ? 0 : finish(wt_f32_mul(a, b, &fp), saturated);
    }
    set_float_cc(x, cc);
    return 1;
}

unsigned sm_alu_fmul(struct sm_exec *x)
{
    const uint64_t w = x->word;
    return multiply(x, sm_bit(w, 48), SM_FIELD(w, scale41), SM_FIELD(w, rnd39), SM_FIELD(w, fmz44),
                    SM_FIELD(w, sat50), 47);
}

unsigned sm_alu_fmul32i(struct sm_exec *x)
{
    wide_immediate(x);
    return multiply(x, false, 0, 0, SM_FIELD(x->word, fmz53), SM_FIELD(x->word, sat55), 52);
}

static unsigned multiply_add(struct sm_exec *x, bool nb, bool nc, unsigned round, unsigned fmz,
                             bool saturated, unsigned cc)
{
    FOR_LANES (i) {
        const uint32_t a = x->a[i], b = signs(x->b[i], nb, false), c = signs(x->c[i], nc, false);
        struct wt_fp fp = mode_of(round, fmz != 0);
        const uint32_t sum =
            is_fmz_zero(fmz, a, b) ? wt_f32_add(c, 0, &fp) : wt_f32_fma(a, b, c, &fp);
        x->d[0][i] = finish(sum, saturated);
    }
    set_float_cc(x, cc);
    return 1;
}

unsigned sm_alu_ffma(struct sm_exec *x)
{
    const uint64_t w = x->word;
    return multiply_add(x, sm_bit(w, 48), sm_bit(w, 49), SM_FIELD(w, rnd51), SM_FIELD(w, fmz53),
                        SM_FIELD(w, sat50), 47);
}

unsigned sm_alu_ffma32i(struct sm_exec *x)
{
    const uint64_t w = x->word;
    wide_immediate(x);
    x->c = x->w->r[x->u->d];
    return multiply_add(x, sm_bit(w, 56), sm_bit(w, 57), 0, SM_FIELD(w, fmz53), SM_FIELD(w, sat55),
                        52);
}

/* ---- comparisons ---- */

/* Field fcmp48: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered. */
static bool holds(unsigned how, bool less, bool equal, bool unordered)
{
    if (unordered)
        return how >> 3 & 1;
    return how >> (less ? 0 : equal ? 1 : 2) & 1;
}

static uint32_t compare(const struct sm_exec *x, unsigned how, bool na, bool aa, bool nb, bool ab,
                        bool ftz)
{
    uint32_t mask = 0;
    FOR_LANES (i) {
        uint32_t a = signs(x->a[i], na, aa), b = signs(x->b[i], nb, ab);
        struct wt_fp fp = mode_of(0, ftz);
        if (ftz) {
            a = flush(a);
            b = flush(b);
        }
        mask |=
            (uint32_t)holds(how, wt_f32_lt(a, b, &fp), wt_f32_eq(a, b, &fp), is_nan(a) || is_nan(b))
            << i;
    }
    return mask;
}

static unsigned set_predicates(struct sm_exec *x, uint32_t mask)
{
    const uint32_t p = sm_source_predicate(x, 39, 42);
    const unsigned how = SM_FIELD(x->word, bool45);
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 3, 3), sm_combine(how, mask, p));
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 0, 3), sm_combine(how, ~mask, p));
    return 0;
}

static unsigned set_register(struct sm_exec *x, uint32_t mask)
{
    const unsigned rows =
        sm_set_row(x, sm_combine(SM_FIELD(x->word, bool45), mask, sm_source_predicate(x, 39, 42)),
                   SM_FIELD(x->word, bf52));
    sm_set_logic_cc(x, 47);
    return rows;
}

unsigned sm_alu_fsetp(struct sm_exec *x)
{
    const uint64_t w = x->word;
    return set_predicates(x, compare(x, SM_FIELD(w, fcmp48), sm_bit(w, 43), sm_bit(w, 7),
                                     sm_bit(w, 6), sm_bit(w, 44), SM_FIELD(w, ftz47)));
}

unsigned sm_alu_fset(struct sm_exec *x)
{
    const uint64_t w = x->word;
    return set_register(x, compare(x, SM_FIELD(w, fcmp48), sm_bit(w, 43), sm_bit(w, 54),
                                   sm_bit(w, 53), sm_bit(w, 44), SM_FIELD(w, ftz55)));
}

/* FCMP: a where c compares with 0, else b. */
unsigned sm_alu_fcmp(struct sm_exec *x)
{
    static const uint32_t zeros[SM_LANES];
    const uint32_t *a = x->a, *b = x->b;
    x->a = x->c;
    x->b = zeros;
    const uint32_t mask = compare(x, SM_FIELD(x->word, fcmpsel), false, false, false, false,
                                  SM_FIELD(x->word, ftz47));
    FOR_LANES (i)
        x->d[0][i] = mask >> i & 1 ? a[i] : b[i];
    return 1;
}

unsigned sm_alu_fmnmx(struct sm_exec *x)
{
    const uint64_t w = x->word;
    const uint32_t smaller = sm_source_predicate(x, 39, 42);
    const bool ftz = SM_FIELD(w, ftz44);
    FOR_LANES (i) {
        uint32_t a = signs(x->a[i], sm_bit(w, 48), sm_bit(w, 46));
        uint32_t b = signs(x->b[i], sm_bit(w, 45), sm_bit(w, 49));
        struct wt_fp fp = mode_of(0, ftz);
        a = ftz ? flush(a) : a;
        b = ftz ? flush(b) : b;
        x->d[0][i] =
            finish(smaller >> i & 1 ? wt_f32_min(a, b, &fp) : wt_f32_max(a, b, &fp), false);
    }
    set_float_cc(x, 47);
    return 1;
}

/* ---- divisions and functions ---- */

/* FCHK: lanes whose quotient the short sequence (reciprocal, Newton) may get wrong. */
unsigned sm_alu_fchk(struct sm_exec *x)
{
    uint32_t mask = 0;
    FOR_LANES (i) {
        const int a = (int)(x->a[i] >> 23 & 255), b = (int)(x->b[i] >> 23 & 255);
        const bool slow = a == 0 || a == 255 || b == 0 || b >= 253 || a - b > 125 || a - b < -125;
        mask |= (uint32_t)slow << i;
    }
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 3, 3), mask);
    return 0;
}

static uint32_t to_single(double v)
{
    uint64_t bits;
    struct wt_fp fp = {.propagate_nan = true};
    memcpy(&bits, &v, sizeof bits);
    return wt_f64_to_f32(bits, &fp);
}

static double to_host(uint32_t v)
{
    float f;
    memcpy(&f, &v, sizeof f);
    return (double)f;
}

/* The upper half of a double's function: the lower half of the operand is 0. */
static uint32_t upper(uint32_t v, bool root)
{
    const uint64_t bits = (uint64_t)v << 32;
    double d;
    memcpy(&d, &bits, sizeof d);
    d = root ? 1.0 / sqrt(d) : 1.0 / d;
    uint64_t result;
    memcpy(&result, &d, sizeof result);
    return isnan(d) ? 0x7fffffff : (uint32_t)(result >> 32);
}

unsigned sm_alu_mufu(struct sm_exec *x)
{
    const uint64_t w = x->word;
    const unsigned how = SM_FIELD(w, mufu20);
    FOR_LANES (i) {
        const uint32_t a = signs(x->a[i], sm_bit(w, 48), sm_bit(w, 46));
        /* Denormal operands count as zeros, but for RCP and RSQ of pairs. */
        const double v = to_host(flush(a));
        uint32_t result;
        switch (how) {
        case 0:
            result = to_single(cos(v));
            break;
        case 1:
            result = to_single(sin(v));
            break;
        case 2:
            result = to_single(exp2(to_host(a)));
            break;
        case 3:
            result = to_single(log2(v));
            break;
        case 4:
            result = to_single(1.0 / v);
            break;
        case 5:
            result = to_single(1.0 / sqrt(v));
            break;
        case 6:
        case 7:
            result = upper(a, how == 7);
            break;
        default:
            result = to_single(sqrt(v));
            break;
        }
        x->d[0][i] = how == 6 || how == 7 ? result : finish(result, SM_FIELD(w, sat50));
    }
    return 1;
}

/* RRO prepares an operand for MUFU, whose functions take it as it is here. */
unsigned sm_alu_rro(struct sm_exec *x)
{
    const uint64_t w = x->word;
    FOR_LANES (i)
        x->d[0][i] = signs(x->b[i], sm_bit(w, 45), sm_bit(w, 49));
    return 1;
}

/* ---- doubles ---- */

static uint64_t pair(const uint32_t *row, unsigned i)
{
    return row[i] | (uint64_t)row[i + SM_LANES] << 32;
}

static void put_pair(struct sm_exec *x, unsigned i, uint64_t value)
{
    x->d[0][i] = (uint32_t)value;
    x->d[1][i] = (uint32_t)(value >> 32);
}

/* Pairs begin with an even register. */
static bool are_pairs(struct sm_exec *x, bool d, bool c)
{
    const struct sm_uop *u = x->u;
    const bool b_register = u->form == SM_FORM_R || u->form == SM_FORM_RC;
    const bool odd = (d && u->d % 2 && u->d != SM_RZ) || (u->a % 2 && u->a != SM_RZ) ||
                     (b_register && u->b % 2 && u->b != SM_RZ) ||
                     (c && !u->c_constant && u->c % 2 && u->c != SM_RZ);
    if (odd)
        x->error = SM_MISALIGNED_REG;
    return !odd;
}

static void set_double_cc(const struct sm_exec *x)
{
    if (!sm_bit(x->word, 47))
        return;
    uint32_t z = 0, s = 0;
    FOR_LANES (i) {
        const uint64_t v = x->d[0][i] | (uint64_t)x->d[1][i] << 32;
        z |= (uint32_t)(is_nan64(v) || !(v << 1)) << i;
        s |= (uint32_t)(is_nan64(v) || (v >> 63 && v << 1)) << i;
    }
    sm_set_cc(x, 47, z, s, 0, 0);
}

#define DOUBLE(name, has_c, rounding, value)                                                       \
    unsigned sm_alu_##name(struct sm_exec *x)                                                      \
    {                                                                                              \
        const uint64_t w = x->word;                                                                \
        if (!are_pairs(x, true, has_c))                                                            \
            return 0;                                                                              \
        FOR_LANES (i) {                                                                            \
            struct wt_fp fp = mode_of(SM_FIELD(w, rounding), false);                               \
            const uint64_t a = pair(x->a, i), b = pair(x->b, i);                                   \
            put_pair(x, i, value);                                                                 \
        }                                                                                          \
        set_double_cc(x);                                                                          \
        return 2;                                                                                  \
    }

DOUBLE(dadd, false, rnd39,
       wt_f64_add(signs64(a, sm_bit(w, 48), sm_bit(w, 46)),
                  signs64(b, sm_bit(w, 45), sm_bit(w, 49)), &fp))
DOUBLE(dmul, false, rnd39, wt_f64_mul(a, signs64(b, sm_bit(w, 48), false), &fp))
DOUBLE(dfma, true, rnd50,
       wt_f64_fma(a, signs64(b, sm_bit(w, 48), false), signs64(pair(x->c, i), sm_bit(w, 49), false),
                  &fp))

unsigned sm_alu_dmnmx(struct sm_exec *x)
{
    const uint64_t w = x->word;
    const uint32_t smaller = sm_source_predicate(x, 39, 42);
    if (!are_pairs(x, true, false))
        return 0;
    FOR_LANES (i) {
        struct wt_fp fp = mode_of(0, false);
        const uint64_t a = signs64(pair(x->a, i), sm_bit(w, 48), sm_bit(w, 46));
        const uint64_t b = signs64(pair(x->b, i), sm_bit(w, 45), sm_bit(w, 49));
        put_pair(x, i, smaller >> i & 1 ? wt_f64_min(a, b, &fp) : wt_f64_max(a, b, &fp));
    }
    set_double_cc(x);
    return 2;
}

static uint32_t compare64(const struct sm_exec *x, unsigned how, bool na, bool aa, bool nb, bool ab)
{
    uint32_t mask = 0;
    FOR_LANES (i) {
        struct wt_fp fp = {0};
        const uint64_t a = signs64(pair(x->a, i), na, aa), b = signs64(pair(x->b, i), nb, ab);
        mask |= (uint32_t)holds(how, wt_f64_lt(a, b, &fp), wt_f64_eq(a, b, &fp),
                                is_nan64(a) || is_nan64(b))
                << i;
    }
    return mask;
}

unsigned sm_alu_dsetp(struct sm_exec *x)
{
    const uint64_t w = x->word;
    if (!are_pairs(x, false, false))
        return 0;
    return set_predicates(x, compare64(x, SM_FIELD(w, fcmp48), sm_bit(w, 43), sm_bit(w, 7),
                                       sm_bit(w, 6), sm_bit(w, 44)));
}

unsigned sm_alu_dset(struct sm_exec *x)
{
    const uint64_t w = x->word;
    if (!are_pairs(x, false, false))
        return 0;
    return set_register(x, compare64(x, SM_FIELD(w, fcmp48), sm_bit(w, 43), sm_bit(w, 54),
                                     sm_bit(w, 53), sm_bit(w, 44)));
}
