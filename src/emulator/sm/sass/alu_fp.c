/*
 * Floating point: binary32 and binary64, exact in each rounding mode (machine/softfloat.h). A NaN
 * result of binary32 is 0x7fffffff. The approximations of MUFU are the exact results, rounded.
 */
#include "emulator/sm/sass/alu.h"

#include <math.h>
#include <string.h>

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

static uint32_t flush(uint32_t v)
{
    return v & 0x7f800000 ? v : v & SIGN;
}

static uint32_t flushed(uint32_t v, const struct wt_fp *fp)
{
    return fp->flush_input ? flush(v) : v;
}

/* A row whose signs say `signs` (as SM_NEG_A, SM_ABS_A); of doubles they are in the upper half. */
static const uint32_t *with_signs(const uint32_t *row, uint32_t *to, unsigned signs, unsigned half)
{
    if (!(signs & (SM_NEG_A | SM_ABS_A)))
        return row;
    memmove(to, row, half * sizeof *to);
    FOR_LANES (i) {
        const uint32_t v = row[half + i] & (signs & SM_ABS_A ? ~SIGN : ~0u);
        to[half + i] = v ^ (signs & SM_NEG_A ? SIGN : 0);
    }
    return to;
}

/* The operands get their signs; how the instruction computes. */
static struct wt_fp begin(struct sm_exec *x, unsigned half)
{
    const unsigned mods = x->u->mods;
    const bool ftz = mods & SM_FTZ;
    x->a = with_signs(x->a, x->a_row, mods / SM_NEG_A, half);
    x->b = with_signs(x->b, x->b_row, mods / SM_NEG_B, half);
    x->c = with_signs(x->c, x->c_row, mods / SM_NEG_C & SM_NEG_A, half);
    return (struct wt_fp){.round = (uint8_t)sm_round(x->u->round),
                          .propagate_nan = true,
                          .flush_input = ftz,
                          .flush_output = ftz};
}

/* Writes a row: one NaN, .SAT. Z where a result is 0, S where it is negative; both where it is no
 * number. */
static unsigned finish(struct sm_exec *x)
{
    uint32_t z = 0, s = 0;
    FOR_LANES (i) {
        uint32_t v = x->d[0][i];
        if (x->u->mods & SM_SAT)
            v = is_nan(v) || v & SIGN ? 0 : v > ONE ? ONE : v;
        v = is_nan(v) ? QNAN : v;
        x->d[0][i] = v;
        z |= (uint32_t)(is_nan(v) || !(v & ~SIGN)) << i;
        s |= (uint32_t)(is_nan(v) || (v & SIGN && v != SIGN)) << i;
    }
    sm_set_cc(x, z, s, 0, 0);
    return 1;
}

/* ---- sums ---- */

unsigned sm_alu_fadd(struct sm_exec *x)
{
    struct wt_fp fp = begin(x, 0);
    FOR_LANES (i)
        x->d[0][i] = wt_f32_add(x->a[i], x->b[i], &fp);
    return finish(x);
}

/* FSWZADD: the signs of A and B depend on the lane's place among four (as nouveau's compiler, Mesa,
 * uses it: PP is a + b, NP b - a, PN a - b, ZP b). */
unsigned sm_alu_fswzadd(struct sm_exec *x)
{
    struct wt_fp fp = begin(x, 0);
    unsigned signs_of[4];
    for (unsigned lane = 0; lane < 4; lane++)
        signs_of[lane] = sm_swizzle(x->u->word, lane);
    FOR_LANES (i) {
        const unsigned signs = signs_of[i & 3];
        const uint32_t a = signs == 3 ? SIGN : x->a[i] ^ (signs == 1 ? SIGN : 0);
        x->d[0][i] = wt_f32_add(a, x->b[i] ^ (signs == 2 ? SIGN : 0), &fp);
    }
    return finish(x);
}

/* ---- products ---- */

/* .FMZ: zero times anything is +0. */
static bool is_fmz_zero(const struct sm_exec *x, uint32_t a, uint32_t b)
{
    return x->u->mods & SM_FMZ && (!(flush(a) & ~SIGN) || !(flush(b) & ~SIGN));
}

unsigned sm_alu_fmul(struct sm_exec *x)
{
    /* 2^0, 2^-1, 2^-2, 2^-3, 2^3, 2^2, 2^1 */
    static const uint32_t factors[8] = {ONE,        0x3f000000, 0x3e800000, 0x3e000000,
                                        0x41000000, 0x40800000, 0x40000000, ONE};
    struct wt_fp fp = begin(x, 0);
    const unsigned scale = x->u->how;
    FOR_LANES (i) {
        const uint32_t a = scale ? wt_f32_mul(x->a[i], factors[scale], &fp) : x->a[i];
        x->d[0][i] = is_fmz_zero(x, a, x->b[i]) ? 0 : wt_f32_mul(a, x->b[i], &fp);
    }
    return finish(x);
}

unsigned sm_alu_ffma(struct sm_exec *x)
{
    struct wt_fp fp = begin(x, 0);
    FOR_LANES (i)
        x->d[0][i] = is_fmz_zero(x, x->a[i], x->b[i]) ? wt_f32_add(x->c[i], 0, &fp)
                                                      : wt_f32_fma(x->a[i], x->b[i], x->c[i], &fp);
    return finish(x);
}

/* ---- comparisons ---- */

/* Fields fcmp: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered. */
static uint32_t holds(const struct sm_exec *x, uint32_t less, uint32_t equal, uint32_t unordered)
{
    const unsigned how = x->u->how;
    return (how & 1 ? less : 0) | (how & 2 ? equal : 0) |
           (how & 4 ? ~(less | equal | unordered) : 0) | (how & 8 ? unordered : 0);
}

static uint32_t compare(struct sm_exec *x)
{
    struct wt_fp fp = begin(x, 0);
    uint32_t less = 0, equal = 0, unordered = 0;
    FOR_LANES (i) {
        const uint32_t a = flushed(x->a[i], &fp), b = flushed(x->b[i], &fp);
        less |= (uint32_t)wt_f32_lt(a, b, &fp) << i;
        equal |= (uint32_t)wt_f32_eq(a, b, &fp) << i;
        unordered |= (uint32_t)(is_nan(a) || is_nan(b)) << i;
    }
    return holds(x, less, equal, unordered);
}

unsigned sm_alu_fsetp(struct sm_exec *x)
{
    return sm_set_predicates(x, compare(x));
}

unsigned sm_alu_fset(struct sm_exec *x)
{
    return sm_set_row(x, compare(x));
}

/* FCMP: a where c compares with 0, else b. */
unsigned sm_alu_fcmp(struct sm_exec *x)
{
    static const uint32_t zeros[SM_LANES];
    const uint32_t *a = x->a, *b = x->b;
    x->a = x->c;
    x->b = zeros;
    const uint32_t mask = compare(x);
    FOR_LANES (i)
        x->d[0][i] = mask >> i & 1 ? a[i] : b[i];
    return 1;
}

unsigned sm_alu_fmnmx(struct sm_exec *x)
{
    const uint32_t smaller = sm_source_predicate(x, 39, 42);
    struct wt_fp fp = begin(x, 0);
    FOR_LANES (i) {
        const uint32_t a = flushed(x->a[i], &fp), b = flushed(x->b[i], &fp);
        x->d[0][i] = smaller >> i & 1 ? wt_f32_min(a, b, &fp) : wt_f32_max(a, b, &fp);
    }
    return finish(x);
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
    sm_set_predicate(x, 3, mask);
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
    enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT };
    begin(x, 0);
    FOR_LANES (i) {
        const uint32_t a = x->a[i];
        /* Denormal operands count as zeros, but for RCP and RSQ of pairs. */
        const double v = to_host(flush(a));
        double result;
        switch (x->u->how) {
        case COS:
            result = cos(v);
            break;
        case SIN:
            result = sin(v);
            break;
        case EX2:
            result = exp2(to_host(a));
            break;
        case LG2:
            result = log2(v);
            break;
        case RCP:
            result = 1.0 / v;
            break;
        case RSQ:
            result = 1.0 / sqrt(v);
            break;
        case RCP64H:
        case RSQ64H:
            x->d[0][i] = upper(a, x->u->how == RSQ64H);
            continue;
        default:
            result = sqrt(v);
            break;
        }
        x->d[0][i] = to_single(result);
    }
    return x->u->how == RCP64H || x->u->how == RSQ64H ? 1 : finish(x);
}

/* RRO prepares an operand for MUFU, whose functions take it as it is here. */
unsigned sm_alu_rro(struct sm_exec *x)
{
    begin(x, 0);
    memcpy(x->d[0], x->b, sizeof x->d[0]);
    return 1;
}

/* ---- doubles ---- */

static bool is_odd(unsigned number)
{
    return number % 2 && number != SM_RZ;
}

/* Pairs begin with an even register: D (`pairs` & 1), A, B, and C (`pairs` & 2). */
static bool are_pairs(struct sm_exec *x, unsigned pairs)
{
    const struct sm_uop *u = x->u;
    const bool has_b = u->form == SM_FORM_R || u->form == SM_FORM_RC;
    if ((pairs & 1 && is_odd(u->d)) || is_odd(u->a) || (has_b && is_odd(u->b)) ||
        (pairs & 2 && u->form != SM_FORM_RC && is_odd(u->c)))
        x->error = SM_MISALIGNED_REG;
    return !x->error;
}

static void set_double_cc(const struct sm_exec *x)
{
    uint32_t z = 0, s = 0;
    FOR_LANES (i) {
        const uint64_t v = x->d[0][i] | (uint64_t)x->d[1][i] << 32;
        z |= (uint32_t)(is_nan64(v) || !(v << 1)) << i;
        s |= (uint32_t)(is_nan64(v) || (v >> 63 && v << 1)) << i;
    }
    sm_set_cc(x, z, s, 0, 0);
}

/* `...`: what is known before its lanes are computed. */
#define DOUBLE(name, pairs, value, ...)                                                            \
    unsigned sm_alu_##name(struct sm_exec *x)                                                      \
    {                                                                                              \
        if (!are_pairs(x, pairs))                                                                  \
            return 0;                                                                              \
        struct wt_fp fp = begin(x, SM_LANES);                                                      \
        __VA_ARGS__                                                                                \
        FOR_LANES (i) {                                                                            \
            const uint64_t a = sm_pair(x->a, i), b = sm_pair(x->b, i);                             \
            sm_put_pair(x, i, value);                                                              \
        }                                                                                          \
        set_double_cc(x);                                                                          \
        return 2;                                                                                  \
    }

DOUBLE(dadd, 1, wt_f64_add(a, b, &fp))
DOUBLE(dmul, 1, wt_f64_mul(a, b, &fp))
DOUBLE(dfma, 3, wt_f64_fma(a, b, sm_pair(x->c, i), &fp))
DOUBLE(dmnmx, 1, smaller >> i & 1 ? wt_f64_min(a, b, &fp) : wt_f64_max(a, b, &fp),
       const uint32_t smaller = sm_source_predicate(x, 39, 42);)

static uint32_t compare64(struct sm_exec *x)
{
    struct wt_fp fp = begin(x, SM_LANES);
    uint32_t less = 0, equal = 0, unordered = 0;
    FOR_LANES (i) {
        const uint64_t a = sm_pair(x->a, i), b = sm_pair(x->b, i);
        less |= (uint32_t)wt_f64_lt(a, b, &fp) << i;
        equal |= (uint32_t)wt_f64_eq(a, b, &fp) << i;
        unordered |= (uint32_t)(is_nan64(a) || is_nan64(b)) << i;
    }
    return holds(x, less, equal, unordered);
}

unsigned sm_alu_dsetp(struct sm_exec *x)
{
    return are_pairs(x, 0) ? sm_set_predicates(x, compare64(x)) : 0;
}

unsigned sm_alu_dset(struct sm_exec *x)
{
    return are_pairs(x, 0) ? sm_set_row(x, compare64(x)) : 0;
}
