/*
 * The arithmetic of Gen9's instructions (Skylake PRM volume 2a), a function each: rows of channels
 * in, a row out. Floating point is the host's where rounding to nearest with denormals is asked
 * for, else softfloat's; where a result is NaN, softfloat decides which one.
 */
#include "emulator/gen/internal.h"

#include <math.h>
#include <string.h>
#ifdef GEN_FMA
#include <immintrin.h>
#endif

/* Whether the operation is one of 64 bits: source 0 or the destination are (PRM, shl). */
static bool is_wide(const struct gen_alu *x)
{
    return gen_type_size(x->u->insn.src[0].type) == 8 || gen_type_size(x->u->insn.dst.type) == 8;
}

static bool saturates_wide(const struct gen_alu *x)
{
    return x->u->insn.saturate && gen_type_size(x->u->insn.dst.type) == 8;
}

/* A result of 128 bits in the range of q or uq. */
__extension__ typedef __int128 int128;

static int64_t clamp_wide(const struct gen_alu *x, int128 value)
{
    if (x->u->insn.dst.type == GEN_UQ)
        return value < 0 ? 0 : value > (int128)UINT64_MAX ? -1 : (int64_t)(uint64_t)value;
    return value < INT64_MIN ? INT64_MIN : value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* A source's element as a number of 128 bits. */
static int128 wide_value(const struct gen_alu *x, unsigned source, int64_t value)
{
    const struct gen_operand *o = &x->u->insn.src[source];
    return o->type == GEN_UQ && !o->negate ? (int128)(uint64_t)value : (int128)value;
}

#define EACH for (unsigned i = 0; i < x->n; i++)
/* The rows as values of a type. */
#define ROWS(type)                                                                                 \
    const type *const a = x->a, *const b = x->b;                                                   \
    (void)a, (void)b

/* One operation on integers; of 32 bits it wraps. */
#define INTEGERS(on32, on64)                                                                       \
    if (x->domain == GEN_INT32) {                                                                  \
        ROWS(gen_u32);                                                                             \
        EACH x->r->ud[i] = (uint32_t)(on32);                                                       \
        return;                                                                                    \
    }                                                                                              \
    if (x->domain == GEN_INT64) {                                                                  \
        ROWS(gen_u64);                                                                             \
        EACH x->r->uq[i] = (uint64_t)(on64);                                                       \
        return;                                                                                    \
    }

/* The NaN that the operands determine, if the host's result is NaN. */
#define FIX_NAN(row, soft_result)                                                                  \
    EACH if (x->r->row[i] != x->r->row[i]) x->r->row[i] = (soft_result)

#define FLOATS(on32, soft32, on64, soft64)                                                         \
    if (x->domain == GEN_FLOAT) {                                                                  \
        ROWS(gen_f32);                                                                             \
        const gen_u32 *const ua = x->a, *const ub = x->b;                                          \
        (void)ua, (void)ub;                                                                        \
        if (x->soft) {                                                                             \
            EACH x->r->f[i] = wt_float_of_bits(soft32);                                            \
            return;                                                                                \
        }                                                                                          \
        EACH x->r->f[i] = (on32);                                                                  \
        FIX_NAN(f, wt_float_of_bits(soft32));                                                      \
        return;                                                                                    \
    }                                                                                              \
    ROWS(gen_f64);                                                                                 \
    const gen_u64 *const ua = x->a, *const ub = x->b;                                              \
    (void)ua, (void)ub;                                                                            \
    if (x->soft) {                                                                                 \
        EACH x->r->df[i] = wt_double_of_bits(soft64);                                              \
        return;                                                                                    \
    }                                                                                              \
    EACH x->r->df[i] = (on64);                                                                     \
    FIX_NAN(df, wt_double_of_bits(soft64))

/* ---- moves and logic ---- */

void gen_alu_mov(struct gen_alu *x)
{
    const size_t size = x->domain == GEN_INT32 || x->domain == GEN_FLOAT ? 4 : 8;
    gen_copy_row(x->r, x->a, x->n * size);
    /* A conversion between floats quiets NaNs and may flush denormals: store's functions do. */
}

void gen_alu_movi(struct gen_alu *x)
{
    gen_alu_mov(x);
}

void gen_alu_not(struct gen_alu *x)
{
    INTEGERS(~a[i], ~a[i])
}

void gen_alu_and(struct gen_alu *x)
{
    INTEGERS(a[i] & b[i], a[i] & b[i])
}

void gen_alu_or(struct gen_alu *x)
{
    INTEGERS(a[i] | b[i], a[i] | b[i])
}

void gen_alu_xor(struct gen_alu *x)
{
    INTEGERS(a[i] ^ b[i], a[i] ^ b[i])
}

/* ---- shifts: the count is of five bits, or six where 64 are shifted ---- */

void gen_alu_shl(struct gen_alu *x)
{
    const unsigned mask = is_wide(x) ? 63 : 31;
    if (saturates_wide(x)) {
        ROWS(gen_i64);
        EACH x->r->q[i] = clamp_wide(x, wide_value(x, 0, a[i]) * ((int128)1 << (b[i] & 63)));
        return;
    }
    INTEGERS(a[i] << (b[i] & 31), a[i] << (b[i] & mask))
}

void gen_alu_shr(struct gen_alu *x)
{
    const unsigned mask = is_wide(x) ? 63 : 31;
    /* Bits above those of the execution type do not come in. */
    const uint64_t kept = is_wide(x) ? UINT64_MAX : UINT32_MAX;
    INTEGERS(a[i] >> (b[i] & 31), (a[i] & kept) >> (b[i] & mask))
}

void gen_alu_asr(struct gen_alu *x)
{
    const unsigned mask = is_wide(x) ? 63 : 31;
    const bool logical = x->u->insn.src[0].type == GEN_UQ;
    INTEGERS((int32_t)a[i] >> (b[i] & 31),
             logical ? (int64_t)(a[i] >> (b[i] & mask)) : (int64_t)a[i] >> (b[i] & mask))
}

/* ---- comparisons ---- */

/* A bit for each channel where the expression holds. */
#define BITS(expression)                                                                           \
    do {                                                                                           \
        EACH flags |= (uint32_t)((expression) != 0) << i;                                          \
    } while (0)

/* The condition that holds for two numbers; neither less nor equal nor greater: unordered. */
static uint32_t compare(const struct gen_alu *x, enum gen_condition condition, bool nan_is_true)
{
    uint32_t flags = 0;
#define COMPARE(type)                                                                              \
    do {                                                                                           \
        ROWS(type);                                                                                \
        switch (condition) {                                                                       \
        case GEN_COND_EQ:                                                                          \
            BITS(a[i] == b[i]);                                                                    \
            break;                                                                                 \
        case GEN_COND_NE:                                                                          \
            BITS(a[i] != b[i]);                                                                    \
            break;                                                                                 \
        case GEN_COND_GT:                                                                          \
            BITS(a[i] > b[i]);                                                                     \
            break;                                                                                 \
        case GEN_COND_GE:                                                                          \
            BITS(a[i] >= b[i]);                                                                    \
            break;                                                                                 \
        case GEN_COND_LT:                                                                          \
            BITS(a[i] < b[i]);                                                                     \
            break;                                                                                 \
        case GEN_COND_LE:                                                                          \
            BITS(a[i] <= b[i]);                                                                    \
            break;                                                                                 \
        case GEN_COND_UN:                                                                          \
            BITS(a[i] != a[i] || b[i] != b[i]);                                                    \
            break;                                                                                 \
        default:                                                                                   \
            break;                                                                                 \
        }                                                                                          \
        if (nan_is_true)                                                                           \
            BITS(b[i] != b[i]);                                                                    \
    } while (0)
    const struct gen_insn *insn = &x->u->insn;
    switch (x->domain) {
    case GEN_INT32:
        COMPARE(gen_i32);
        break;
    case GEN_INT64:
        if (insn->src[0].type == GEN_UQ || insn->src[1].type == GEN_UQ)
            COMPARE(gen_u64);
        else
            COMPARE(gen_i64);
        break;
    case GEN_FLOAT:
        COMPARE(gen_f32);
        break;
    case GEN_DOUBLE:
        COMPARE(gen_f64);
        break;
    }
    return flags;
}

/* Signs and zeros of a row: bits of the channels below zero, and of those that are zero. */
#define SIGNS(type)                                                                                \
    do {                                                                                           \
        const type *const r = (const type *)x->r;                                                  \
        EACH less |= (uint32_t)(r[i] < 0) << i;                                                    \
        EACH equal |= (uint32_t)(r[i] == 0) << i;                                                  \
        EACH unordered |= (uint32_t)(r[i] != r[i]) << i;                                           \
    } while (0)

uint32_t gen_test_row(struct gen_alu *x)
{
    uint32_t less = 0, equal = 0, unordered = 0;
    if (x->domain == GEN_FLOAT)
        SIGNS(gen_f32);
    else if (x->domain == GEN_DOUBLE)
        SIGNS(gen_f64);
    else if (x->domain == GEN_INT32)
        SIGNS(gen_i32);
    else
        SIGNS(gen_i64);
    if (!gen_type_is_float(x->u->insn.dst.type) && !gen_type_is_signed(x->u->insn.dst.type))
        less = 0;
    switch ((enum gen_condition)x->u->insn.condition) {
    case GEN_COND_EQ:
        return equal;
    case GEN_COND_NE:
        return ~equal;
    case GEN_COND_GT:
        return ~(less | equal | unordered);
    case GEN_COND_GE:
        return ~(less | unordered);
    case GEN_COND_LT:
        return less;
    default: /* GEN_COND_LE */
        return less | equal;
    }
}

/* Flushed denormals compare as zeros. */
static void flush_rows(struct gen_alu *x, union gen_values *a, union gen_values *b)
{
    if (!x->fp.flush_input)
        return;
    gen_copy_row(a, x->a, x->n * (x->domain == GEN_FLOAT ? 4 : 8));
    gen_copy_row(b, x->b, x->n * (x->domain == GEN_FLOAT ? 4 : 8));
    x->a = a;
    x->b = b;
    for (unsigned i = 0; i < 2 * x->n; i++) {
        union gen_values *row = i < x->n ? a : b;
        const unsigned k = i % x->n;
        if (x->domain == GEN_FLOAT && !(row->ud[k] & 0x7f800000))
            row->ud[k] &= 0x80000000;
        if (x->domain == GEN_DOUBLE && !(row->uq[k] & UINT64_C(0x7ff0000000000000)))
            row->uq[k] &= UINT64_C(1) << 63;
    }
}

/* The destination gets all ones where the condition holds. */
static void all_ones(struct gen_alu *x)
{
    const bool real = gen_type_is_float(x->u->insn.dst.type);
    x->has_flags = true;
    if (x->only_flags)
        return;
    x->domain = real && gen_type_size(x->u->insn.dst.type) == 8 ? GEN_DOUBLE
                : real                                          ? GEN_FLOAT
                                                                : GEN_INT64;
    EACH
    {
        const bool is = x->flags >> i & 1;
        if (x->domain == GEN_INT64)
            x->r->q[i] = -(int64_t)is;
        else if (x->domain == GEN_FLOAT)
            x->r->ud[i] = is ? UINT32_MAX : 0;
        else
            x->r->uq[i] = is ? UINT64_MAX : 0;
    }
}

void gen_alu_cmp(struct gen_alu *x)
{
    union gen_values a, b;
    flush_rows(x, &a, &b);
    x->flags = compare(x, x->u->insn.condition, false);
    all_ones(x);
}

/* As cmp, but true where the second source is NaN: what sel needs for minima and maxima. */
void gen_alu_cmpn(struct gen_alu *x)
{
    union gen_values a, b;
    flush_rows(x, &a, &b);
    x->flags = compare(x, x->u->insn.condition, true);
    all_ones(x);
}

static void choose(struct gen_alu *x, uint32_t first)
{
    if (x->domain == GEN_INT32 || x->domain == GEN_FLOAT) {
        ROWS(gen_u32);
        EACH x->r->ud[i] = first >> i & 1 ? a[i] : b[i];
    } else {
        ROWS(gen_u64);
        EACH x->r->uq[i] = first >> i & 1 ? a[i] : b[i];
    }
}

/* Source 0 where the predicate, or else the condition, says so. */
void gen_alu_sel(struct gen_alu *x)
{
    const struct gen_insn *insn = &x->u->insn;
    choose(x, insn->condition ? compare(x, insn->condition, true) : gen_predicate(x->t, insn));
}

/* Source 0 where source 2 compares so with zero. */
void gen_alu_csel(struct gen_alu *x)
{
    static const union gen_values zeros;
    struct gen_alu third = *x;
    third.a = x->c;
    third.b = &zeros;
    choose(x, compare(&third, x->u->insn.condition, false));
}

/* ---- sums and products ---- */

void gen_alu_add(struct gen_alu *x)
{
    if (saturates_wide(x)) {
        ROWS(gen_i64);
        EACH x->r->q[i] = clamp_wide(x, wide_value(x, 0, a[i]) + wide_value(x, 1, b[i]));
        return;
    }
    INTEGERS(a[i] + b[i], a[i] + b[i])
    FLOATS(a[i] + b[i], wt_f32_add(ua[i], ub[i], &x->fp), a[i] + b[i],
           wt_f64_add(ua[i], ub[i], &x->fp));
}

void gen_alu_mul(struct gen_alu *x)
{
    if (saturates_wide(x)) {
        ROWS(gen_i64);
        EACH x->r->q[i] = clamp_wide(x, wide_value(x, 0, a[i]) * wide_value(x, 1, b[i]));
        return;
    }
    INTEGERS(a[i] * b[i], a[i] * b[i])
    FLOATS(a[i] * b[i], wt_f32_mul(ua[i], ub[i], &x->fp), a[i] * b[i],
           wt_f64_mul(ua[i], ub[i], &x->fp));
}

void gen_alu_avg(struct gen_alu *x)
{
    ROWS(gen_i64);
    EACH x->r->q[i] = (int64_t)((wide_value(x, 0, a[i]) + wide_value(x, 1, b[i]) + 1) >> 1);
}

/* The accumulator as a number of the instruction's kind. */
static int64_t accumulator(const struct gen_alu *x, unsigned i)
{
    const struct gen_registers *g = x->t->g;
    const unsigned size = gen_type_size(x->u->insn.dst.type) < 4 ? 2 : 4;
    const uint64_t low =
        wt_load_le((const uint8_t *)g->acc + (i * size) % (2 * GEN_GRF_BYTES), size);
    if (size == 2)
        return wt_sign_extend(low, 16);
    return (int64_t)(low | (uint64_t)g->acc_high[i % 16] << 32);
}

void gen_alu_mac(struct gen_alu *x)
{
    const struct gen_registers *g = x->t->g;
    if (x->domain == GEN_INT32 || x->domain == GEN_INT64) {
        ROWS(gen_i64);
        EACH x->r->uq[i] = (uint64_t)accumulator(x, i) + (uint64_t)a[i] * (uint64_t)b[i];
        return;
    }
    EACH
    {
        if (x->domain == GEN_FLOAT) {
            ROWS(gen_u32);
            const uint32_t acc =
                (uint32_t)wt_load_le((const uint8_t *)g->acc + i * 4 % (2 * GEN_GRF_BYTES), 4);
            x->r->ud[i] = wt_f32_add(wt_f32_mul(a[i], b[i], &x->fp), acc, &x->fp);
        } else {
            ROWS(gen_u64);
            const uint64_t acc =
                wt_load_le((const uint8_t *)g->acc + i * 8 % (2 * GEN_GRF_BYTES), 8);
            x->r->uq[i] = wt_f64_add(wt_f64_mul(a[i], b[i], &x->fp), acc, &x->fp);
        }
    }
}

/* The second half of a product of 32 bits: the upper half of source 1 times source 0, added to the
 * accumulator, which has the lower half's product. The destination gets the upper 32 bits. */
void gen_alu_mach(struct gen_alu *x)
{
    ROWS(gen_i64);
    EACH x->r->uq[i] =
        (uint64_t)accumulator(x, i) + (((uint64_t)a[i] * (uint64_t)(b[i] >> 16)) << 16);
}

void gen_alu_addc(struct gen_alu *x)
{
    ROWS(gen_u64);
    x->has_carry = true;
    EACH
    {
        const uint64_t sum = (a[i] & UINT32_MAX) + (b[i] & UINT32_MAX);
        x->r->uq[i] = sum & UINT32_MAX;
        x->carry->uq[i] = sum >> 32;
    }
}

void gen_alu_subb(struct gen_alu *x)
{
    ROWS(gen_u64);
    x->has_carry = true;
    EACH
    {
        const uint64_t left = a[i] & UINT32_MAX, right = b[i] & UINT32_MAX;
        x->r->uq[i] = (left - right) & UINT32_MAX;
        x->carry->uq[i] = left < right;
    }
}

/* ---- three sources ---- */

/* hf in and out: one rounding, which f would make two. */
static bool is_half(const struct gen_alu *x)
{
    const struct gen_insn *insn = &x->u->insn;
    return insn->dst.type == GEN_HF && insn->src[0].type == GEN_HF && insn->src[1].type == GEN_HF &&
           insn->src[2].type == GEN_HF;
}

static uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp)
{
    return wt_f16_to_f32(
        wt_f16_fma(wt_f32_to_f16(a, fp), wt_f32_to_f16(b, fp), wt_f32_to_f16(c, fp), fp), fp);
}

/* Eight or four channels at once, where the host can; false: it cannot. By hand: in code that may
 * round in any way, compilers do not make vectors of it. */
#ifdef GEN_FMA
__attribute__((target("avx2,fma"))) static void fused_by_eight(struct gen_alu *x)
{
    const gen_u32 *const a = x->a, *const b = x->b, *const c = x->c;
    for (unsigned i = 0; i < x->n; i += 8)
        _mm256_storeu_ps(x->r->f + i,
                         _mm256_fmadd_ps(_mm256_loadu_ps((const float *)(const void *)(b + i)),
                                         _mm256_loadu_ps((const float *)(const void *)(c + i)),
                                         _mm256_loadu_ps((const float *)(const void *)(a + i))));
    FIX_NAN(f, wt_float_of_bits(wt_f32_fma(b[i], c[i], a[i], &x->fp)));
}

__attribute__((target("avx2,fma"))) static void fused_by_four(struct gen_alu *x)
{
    const gen_u64 *const a = x->a, *const b = x->b, *const c = x->c;
    for (unsigned i = 0; i < x->n; i += 4)
        _mm256_storeu_pd(x->r->df + i,
                         _mm256_fmadd_pd(_mm256_loadu_pd((const double *)(const void *)(b + i)),
                                         _mm256_loadu_pd((const double *)(const void *)(c + i)),
                                         _mm256_loadu_pd((const double *)(const void *)(a + i))));
    FIX_NAN(df, wt_double_of_bits(wt_f64_fma(b[i], c[i], a[i], &x->fp)));
}

static bool fused_row(struct gen_alu *x)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return false;
    if (x->domain == GEN_FLOAT)
        fused_by_eight(x);
    else
        fused_by_four(x);
    return true;
}
#else
static bool fused_row(struct gen_alu *x)
{
    return false;
}
#endif

/* source 1 * source 2 + source 0, rounded once. */
void gen_alu_mad(struct gen_alu *x)
{
    if (x->domain == GEN_INT32 || x->domain == GEN_INT64) {
        const gen_u32 *const c32 = x->c;
        const gen_u64 *const c64 = x->c;
        INTEGERS(b[i] * c32[i] + a[i], b[i] * c64[i] + a[i])
    }
    if (x->domain == GEN_FLOAT) {
        const gen_u32 *const a = x->a, *const b = x->b, *const c = x->c;
        const bool half = is_half(x);
        if (!half && !x->soft && x->n >= 8 && fused_row(x))
            return;
        EACH
        {
            float result = half || x->soft ? NAN
                                           : fmaf(wt_float_of_bits(b[i]), wt_float_of_bits(c[i]),
                                                  wt_float_of_bits(a[i]));
            if (half)
                result = wt_float_of_bits(half_fma(b[i], c[i], a[i], &x->fp));
            else if (result != result)
                result = wt_float_of_bits(wt_f32_fma(b[i], c[i], a[i], &x->fp));
            x->r->f[i] = result;
        }
        return;
    }
    if (!x->soft && x->n >= 4 && fused_row(x))
        return;
    const gen_u64 *const a = x->a, *const b = x->b, *const c = x->c;
    EACH
    {
        double result = x->soft ? (double)NAN
                                : fma(wt_double_of_bits(b[i]), wt_double_of_bits(c[i]),
                                      wt_double_of_bits(a[i]));
        if (result != result)
            result = wt_double_of_bits(wt_f64_fma(b[i], c[i], a[i], &x->fp));
        x->r->df[i] = result;
    }
}

/* Likewise with operands whose mantissa and exponent go on in accumulators. math.invm and
 * math.rsqtm leave nothing there (math.c), so that numbers are as long as their registers. */
void gen_alu_madm(struct gen_alu *x)
{
    gen_alu_mad(x);
}

/* source 0 * source 1 + (1 - source 0) * source 2. */
void gen_alu_lrp(struct gen_alu *x)
{
    const gen_u32 *const a = x->a, *const b = x->b, *const c = x->c;
    const uint32_t one = 0x3f800000;
    assert(x->domain == GEN_FLOAT);
    EACH
    {
        const uint32_t rest = wt_f32_mul(wt_f32_sub(one, a[i], &x->fp), c[i], &x->fp);
        x->r->ud[i] = wt_f32_fma(a[i], b[i], rest, &x->fp);
    }
}

/* ---- rounding ---- */

#define ROUNDING(name, on32, on64)                                                                 \
    void gen_alu_##name(struct gen_alu *x)                                                         \
    {                                                                                              \
        if (x->domain == GEN_FLOAT) {                                                              \
            const gen_f32 *const a = x->a;                                                         \
            EACH x->r->f[i] = (on32);                                                              \
            FIX_NAN(f, wt_float_of_bits(wt_float_bits(a[i]) | 0x400000));                          \
        } else if (x->domain == GEN_DOUBLE) {                                                      \
            const gen_f64 *const a = x->a;                                                         \
            EACH x->r->df[i] = (on64);                                                             \
            FIX_NAN(df, wt_double_of_bits(wt_double_bits(a[i]) | UINT64_C(1) << 51));              \
        } else {                                                                                   \
            gen_alu_mov(x);                                                                        \
        }                                                                                          \
    }

ROUNDING(rndu, ceilf(a[i]), ceil(a[i]))
ROUNDING(rndd, floorf(a[i]), floor(a[i]))
ROUNDING(rnde, rintf(a[i]), rint(a[i]))
ROUNDING(rndz, truncf(a[i]), trunc(a[i]))
ROUNDING(frc, a[i] - floorf(a[i]), a[i] - floor(a[i]))

/* ---- bits ---- */

/* Sources and results of these are dwords. */
#define DWORDS(expression)                                                                         \
    ROWS(gen_i64);                                                                                 \
    EACH                                                                                           \
    {                                                                                              \
        const uint32_t v = (uint32_t)a[i], w = b ? (uint32_t)b[i] : 0;                             \
        (void)w;                                                                                   \
        x->r->q[i] = (int64_t)(uint32_t)(expression);                                              \
    }

void gen_alu_lzd(struct gen_alu *x)
{
    DWORDS(v ? __builtin_clz(v) : 32)
}

/* The first bit from the top that is one; of a signed number, that is not the sign. */
static uint32_t first_high(uint32_t value, bool is_signed)
{
    if (is_signed && value >> 31)
        value = ~value;
    return value ? (uint32_t)__builtin_clz(value) : UINT32_MAX;
}

void gen_alu_fbh(struct gen_alu *x)
{
    const bool is_signed = gen_type_is_signed(x->u->insn.src[0].type);
    DWORDS(first_high(v, is_signed))
}

void gen_alu_fbl(struct gen_alu *x)
{
    DWORDS(v ? (uint32_t)__builtin_ctz(v) : UINT32_MAX)
}

void gen_alu_cbit(struct gen_alu *x)
{
    const unsigned bits = gen_type_size(x->u->insn.src[0].type) * 8;
    const uint32_t mask = bits < 32 ? ((uint32_t)1 << bits) - 1 : UINT32_MAX;
    DWORDS(__builtin_popcount(v & mask))
}

static uint32_t reversed(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}

void gen_alu_bfrev(struct gen_alu *x)
{
    DWORDS(reversed(v))
}

/* A mask of source 0 bits from bit source 1 on. */
void gen_alu_bfi1(struct gen_alu *x)
{
    DWORDS((((uint32_t)1 << (v & 31)) - 1) << (w & 31))
}

/* Source 1 put where mask source 0 is, source 2 elsewhere. */
void gen_alu_bfi2(struct gen_alu *x)
{
    const gen_i64 *const c = x->c;
    DWORDS(((w << (v ? __builtin_ctz(v) : 0)) & v) | ((uint32_t)c[i] & ~v))
}

static int64_t extracted(uint32_t width, uint32_t offset, uint32_t value, bool is_signed)
{
    width &= 31;
    offset &= 31;
    if (!width)
        return 0;
    if (width + offset < 32)
        value <<= 32 - width - offset;
    const unsigned by = width + offset < 32 ? 32 - width : offset;
    return is_signed ? (int32_t)value >> by : (int64_t)(value >> by);
}

/* source 0 bits of source 2, from bit source 1 on. */
void gen_alu_bfe(struct gen_alu *x)
{
    const gen_i64 *const a = x->a, *const b = x->b, *const c = x->c;
    const bool is_signed = gen_type_is_signed(x->u->insn.src[0].type);
    EACH x->r->q[i] = extracted((uint32_t)a[i], (uint32_t)b[i], (uint32_t)c[i], is_signed);
}

/* ---- sums over channels ---- */

/* Modulo 2^64, as sums of it: the row is for words and bytes, but any code may be executed. */
static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Sums of absolute differences of pairs: the even channels get them. */
void gen_alu_sad2(struct gen_alu *x)
{
    ROWS(gen_i64);
    memset(x->r, 0, sizeof *x->r);
    for (unsigned i = 0; i + 1 < x->n; i += 2)
        x->r->q[i] = (int64_t)(distance(a[i], b[i]) + distance(a[i + 1], b[i + 1]));
    x->on &= 0x55555555;
}

void gen_alu_sada2(struct gen_alu *x)
{
    gen_alu_sad2(x);
    EACH x->r->q[i] = (int64_t)((uint64_t)x->r->q[i] + (uint64_t)accumulator(x, i));
}

/* Products of groups of four, added up; each channel of a group gets the sum. */
static void dot(struct gen_alu *x, unsigned count, bool homogeneous)
{
    ROWS(gen_u32);
    assert(x->domain == GEN_FLOAT);
    for (unsigned at = 0; at < x->n; at += 4) {
        uint32_t sum = 0;
        for (unsigned k = 0; k < count && at + k < x->n; k++) {
            const uint32_t product =
                homogeneous && k == 3 ? b[at + k] : wt_f32_mul(a[at + k], b[at + k], &x->fp);
            sum = k ? wt_f32_add(sum, product, &x->fp) : product;
        }
        for (unsigned k = 0; k < 4 && at + k < x->n; k++)
            x->r->ud[at + k] = sum;
    }
}

void gen_alu_dp4(struct gen_alu *x)
{
    dot(x, 4, false);
}

void gen_alu_dph(struct gen_alu *x)
{
    dot(x, 4, true);
}

void gen_alu_dp3(struct gen_alu *x)
{
    dot(x, 3, false);
}

void gen_alu_dp2(struct gen_alu *x)
{
    dot(x, 2, false);
}

/* ---- planes ---- */

/* Float `index` of the four that source 0 begins with. */
static uint32_t coefficient(const struct gen_alu *x, unsigned index)
{
    const struct gen_operand *o = &x->u->insn.src[0];
    const unsigned at =
        (o->reg * GEN_GRF_BYTES + (o->subreg & ~15u) + 4 * index) % GEN_REGISTER_FILE;
    return (uint32_t)wt_load_le(x->t->g->r + at, 4);
}

/* p * source 1 + q, where p and q are the first and last of source 0's four. */
void gen_alu_line(struct gen_alu *x)
{
    ROWS(gen_u32);
    assert(x->domain == GEN_FLOAT);
    EACH x->r->ud[i] = wt_f32_fma(coefficient(x, 0), b[i], coefficient(x, 3), &x->fp);
}

/* p * u + q * v + r; u and v are in turn in the registers from source 1 on. */
void gen_alu_pln(struct gen_alu *x)
{
    const struct gen_operand *o = &x->u->insn.src[1];
    assert(x->domain == GEN_FLOAT && o->file == GEN_GRF);
    EACH
    {
        const unsigned pair = (o->reg + 2 * (i / 8)) * GEN_GRF_BYTES + 4 * (i % 8);
        const uint32_t u = (uint32_t)wt_load_le(x->t->g->r + pair % GEN_REGISTER_FILE, 4);
        const uint32_t v =
            (uint32_t)wt_load_le(x->t->g->r + (pair + GEN_GRF_BYTES) % GEN_REGISTER_FILE, 4);
        const uint32_t part = wt_f32_fma(coefficient(x, 1), v, coefficient(x, 3), &x->fp);
        x->r->ud[i] = wt_f32_fma(coefficient(x, 0), u, part, &x->fp);
    }
}
