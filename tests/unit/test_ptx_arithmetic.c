/*
 * Executors of PTX's arithmetic, whole rows and few lanes, beside softfloat and bits counted one by
 * one: results of the lanes that count, and that the others keep what they had. WAVETRAP_LONG=N
 * takes N times as many operands.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/half.h"
#include "emulator/sm/ptx/image.h"
#include "ptx_rig.h"

enum { A, B, C, F, D, PLACES, ROUNDS = 300 };

static const char *const op_name[] = {
#define M(name, integers, floats) #name,
#include "emulator/sm/ptx/math.def"
#undef M
};

static const uint8_t dwords[D] = {4, 4, 4, 4}, qwords[D] = {8, 8, 8, 8};

struct rig {
    _Alignas(64) uint32_t rows[2 * PLACES][SM_LANES];
    struct sm_warp w;
    struct ptx_op o;
    struct sm_uop u;
};

static uint64_t value(const struct rig *g, unsigned place, unsigned bytes, unsigned lane)
{
    return ptx_get(g->rows[2 * place], bytes, lane);
}

/* Runs one executor on new operands under a mask, and compares it with what `want` gives. `from`
 * has the bytes of each operand, `to` those of the result. */
static void once(struct rig *g, sm_op run, const uint8_t from[D], unsigned to,
                 uint64_t (*want)(const struct ptx_op *, const uint64_t *))
{
    static const uint32_t masks[] = {0xffffffff, 0x7fffffff, 0x80000001, 0x0000003f, 0x000001ff};
    const uint64_t r = random64();
    const uint32_t mask = r & 1 ? (uint32_t)(r >> 32) | 1 : masks[(r >> 1) % 5];
    struct rig before;
    for (unsigned p = A; p < PLACES; p++)
        for (unsigned i = 0; i < SM_LANES; i++)
            ptx_put(g->rows[2 * p], p == D ? to : from[p], i, operand(p == D ? to : from[p]));
    g->o.d = (r >> 8 & 7) == 0 && from[A] == to ? 2 * A * PTX_ROW_BYTES : 2 * D * PTX_ROW_BYTES;
    for (unsigned p = A; p < D; p++)
        g->o.s[p].slot = 2 * p * PTX_ROW_BYTES;
    g->o.guard = PTX_NO_SLOT;
    g->w.r = g->rows;
    g->w.mask = mask;
    g->u.ptx = &g->o;
    g->u.step = 1;
    before = *g;
    assert_ptr_equal(run(&g->w, &g->u), &g->u + 1);
    for (unsigned i = 0; i < SM_LANES; i++) {
        const unsigned d = g->o.d / PTX_ROW_BYTES / 2;
        const uint64_t in[] = {value(&before, A, from[A], i), value(&before, B, from[B], i),
                               value(&before, C, from[C], i), value(&before, F, from[F], i)};
        const uint64_t expected = mask >> i & 1 ? want(&g->o, in) : value(&before, d, to, i);
        const uint64_t got = value(g, d, to, i);
        if (got != expected)
            fail_msg(
                "%s type %u from %u round %u ftz %u sat %u flag %u combine %u, mask 0x%x, lane "
                "%u: 0x%llx 0x%llx 0x%llx give 0x%llx, not 0x%llx",
                op_name[g->o.how], g->o.type, g->o.from_type, g->o.round, g->o.ftz, g->o.sat,
                g->o.flag, g->o.combine, mask, i, (unsigned long long)in[0],
                (unsigned long long)in[1], (unsigned long long)in[2], (unsigned long long)got,
                (unsigned long long)expected);
    }
}

static unsigned rounds(void)
{
    const char *text = getenv("WAVETRAP_LONG");
    return ROUNDS * (text ? (unsigned)atoi(text) : 1);
}

/* ---- floats ---- */

static uint32_t flushed(const struct ptx_op *o, uint64_t a)
{
    return (uint32_t)a & (o->ftz && !(a & 0x7f800000) ? 0x80000000u : 0xffffffffu);
}

/* What the approximate functions are (docs/ptx.md): the exact value, rounded. */
static uint32_t rounded(double exact)
{
    return wt_float_bits((float)exact);
}

static uint64_t single(const struct ptx_op *o, const uint64_t *in)
{
    struct wt_fp fp = {
        .round = o->round, .propagate_nan = true, .flush_input = o->ftz, .flush_output = o->ftz};
    const uint32_t a = (uint32_t)in[0], b = (uint32_t)in[1], c = (uint32_t)in[2];
    const double exact = (double)wt_float_of_bits(flushed(o, a));
    uint32_t r = 0;
    switch (o->how) {
    case PTX_OP_add:
        r = wt_f32_add(a, b, &fp);
        break;
    case PTX_OP_sub:
        r = wt_f32_sub(a, b, &fp);
        break;
    case PTX_OP_mul:
        r = wt_f32_mul(a, b, &fp);
        break;
    case PTX_OP_fma:
        r = wt_f32_fma(a, b, c, &fp);
        break;
    case PTX_OP_div:
        r = wt_f32_div(a, b, &fp);
        break;
    case PTX_OP_rcp:
        r = o->flag ? flushed(o, rounded(1 / exact)) : wt_f32_div(0x3f800000, a, &fp);
        break;
    case PTX_OP_sqrt:
        r = o->flag ? flushed(o, rounded(sqrt(exact))) : wt_f32_sqrt(a, &fp);
        break;
    case PTX_OP_rsqrt:
        r = flushed(o, rounded(1 / sqrt(exact)));
        break;
    case PTX_OP_min:
    case PTX_OP_max:
        if (o->flag && (exact != exact || wt_float_of_bits(b) != wt_float_of_bits(b)))
            return 0x7fffffff;
        r = o->how == PTX_OP_min ? wt_f32_min(flushed(o, a), flushed(o, b), &fp)
                                 : wt_f32_max(flushed(o, a), flushed(o, b), &fp);
        break;
    case PTX_OP_abs:
        r = flushed(o, a) & 0x7fffffff;
        break;
    case PTX_OP_neg:
        r = flushed(o, a) ^ 0x80000000u;
        break;
    default:
        return (a & 0x80000000u) | (b & 0x7fffffff);
    }
    const float v = wt_float_of_bits(r);
    if (v != v)
        r = 0x7fffffff;
    return o->sat ? (v >= 1 ? 0x3f800000 : v > 0 ? r : 0) : r;
}

static bool is_nan(uint64_t a)
{
    return (a & INT64_MAX) > UINT64_C(0x7ff) << 52;
}

static uint64_t before_nan(const struct ptx_op *o, const uint64_t *in)
{
    struct wt_fp fp = {.round = o->round, .propagate_nan = true};
    const uint64_t sign = UINT64_C(1) << 63;
    switch (o->how) {
    case PTX_OP_rcp:
        return wt_f64_div(UINT64_C(0x3ff) << 52, in[0], &fp);
    case PTX_OP_sqrt:
        return wt_f64_sqrt(in[0], &fp);
    case PTX_OP_rsqrt:
        return wt_double_bits(1 / sqrt(wt_double_of_bits(in[0])));
    case PTX_OP_min:
        return wt_f64_min(in[0], in[1], &fp);
    case PTX_OP_max:
        return wt_f64_max(in[0], in[1], &fp);
    case PTX_OP_abs:
        return in[0] & ~sign;
    case PTX_OP_neg:
        return in[0] ^ sign;
    default:
        return (in[0] & sign) | (in[1] & ~sign);
    }
}

/* NaNs as a GPU of compute capability 9.0 has them (docs/ptx.md): the last operand's that is one,
 * quiet, or a negative one of an invalid operation. */
static uint64_t twice(const struct ptx_op *o, const uint64_t *in)
{
    const uint64_t r = before_nan(o, in), quiet = UINT64_C(1) << 51;
    const bool compares = o->how == PTX_OP_min || o->how == PTX_OP_max;
    if (o->how == PTX_OP_copysign)
        return r;
    if (o->how == PTX_OP_abs || o->how == PTX_OP_neg)
        return is_nan(in[0]) ? in[0] | quiet : r;
    if (!is_nan(r))
        return r;
    return compares && is_nan(in[1]) ? in[1] | quiet
           : is_nan(in[0])           ? in[0] | quiet
                                     : UINT64_C(0xfff8) << 48;
}

static void test_singles_are_softfloats(void **state)
{
    static const uint8_t ops[] = {PTX_OP_add, PTX_OP_sub,  PTX_OP_mul,     PTX_OP_fma, PTX_OP_div,
                                  PTX_OP_rcp, PTX_OP_sqrt, PTX_OP_rsqrt,   PTX_OP_min, PTX_OP_max,
                                  PTX_OP_abs, PTX_OP_neg,  PTX_OP_copysign};
    enum { SATURATING = 4, ROUNDED = 7 }; /* the first ones */
    (void)state;
    struct rig g = {0};
    for (unsigned n = rounds(); n; n--)
        for (size_t k = 0; k < sizeof ops; k++) {
            const uint64_t r = random64();
            g.o = (struct ptx_op){.how = ops[k], .type = PTX_F32, .ftz = r & 1};
            g.o.sat = k < SATURATING && r >> 1 & 1;
            g.o.round = k < ROUNDED && r >> 2 & 1 ? (uint8_t)(r >> 3 & 3) : WT_RNE;
            /* isa/ptx_folded has the approximate quotients, which are no rounded ones */
            g.o.flag = ops[k] != PTX_OP_div && g.o.round == WT_RNE && r >> 8 & 1;
            const bool plain = !g.o.ftz && !g.o.sat && g.o.round == WT_RNE;
            once(&g, ptx_float(ops[k], PTX_F32, plain), dwords, 4, single);
        }
}

static void test_doubles_are_softfloats(void **state)
{
    static const uint8_t ops[] = {PTX_OP_rcp, PTX_OP_sqrt, PTX_OP_rsqrt, PTX_OP_min,
                                  PTX_OP_max, PTX_OP_abs,  PTX_OP_neg,   PTX_OP_copysign};
    (void)state;
    struct rig g = {0};
    for (unsigned n = rounds(); n; n--)
        for (size_t k = 0; k < sizeof ops; k++) {
            g.o = (struct ptx_op){.how = ops[k], .type = PTX_F64};
            once(&g, ptx_float(ops[k], PTX_F64, true), qwords, 8, twice);
        }
}

/* ---- halves and bfloat16 ---- */

/* a * b + c of bfloat16: rounded up and down, of which the odd one is rounded once more. */
static uint64_t brain(const struct ptx_op *o, uint32_t a, uint32_t b, uint32_t c)
{
    struct wt_fp up = {.round = WT_RUP, .propagate_nan = true}, near = {.propagate_nan = true},
                 down = {.round = WT_RDN, .propagate_nan = true};
    const uint64_t one = UINT64_C(0x3ff) << 52, sign = UINT64_C(1) << 63;
    const uint64_t x = wt_f32_to_f64(a << 16, &near), y = wt_f32_to_f64(b << 16, &near);
    const bool sums = o->how == PTX_OP_add || o->how == PTX_OP_sub;
    const uint64_t factor = sums ? one : y, z = o->how == PTX_OP_mul   ? sign
                                                : o->how == PTX_OP_add ? y
                                                : o->how == PTX_OP_sub
                                                    ? y ^ sign
                                                    : wt_f32_to_f64(c << 16, &near);
    const uint64_t high = wt_f64_fma(x, factor, z, &up), low = wt_f64_fma(x, factor, z, &down);
    const bool exact = high == low || !((high | low) << 1);
    const uint16_t r = ptx_bfloat(exact     ? wt_f64_fma(x, factor, z, &near)
                                  : low & 1 ? low
                                            : high,
                                  WT_RNE);
    return o->combine & RELU && r & 0x8000 ? 0 : r;
}

static uint64_t one_half(const struct ptx_op *o, uint32_t a, uint32_t b, uint32_t c)
{
    if (o->type == PTX_F16 || o->type == PTX_F16X2)
        return ptx_half_lane(o, (uint16_t)a, (uint16_t)b, (uint16_t)c);
    struct ptx_op single_op = *o;
    switch (o->how) {
    case PTX_OP_min:
    case PTX_OP_max:
        single_op.type = PTX_F32;
        return single(&single_op, (uint64_t[]){a << 16, b << 16, 0}) >> 16;
    case PTX_OP_abs:
    case PTX_OP_neg:
        return single(&single_op, (uint64_t[]){a << 16, 0, 0}) >> 16;
    default:
        return brain(o, a & 0xffff, b & 0xffff, c & 0xffff);
    }
}

static uint64_t halves(const struct ptx_op *o, const uint64_t *in)
{
    const uint64_t low = one_half(o, in[0] & 0xffff, in[1] & 0xffff, in[2] & 0xffff);
    if (ptx_type_bytes(o->type) == 2)
        return low;
    return low | one_half(o, (uint32_t)in[0] >> 16, (uint32_t)in[1] >> 16, (uint32_t)in[2] >> 16)
                     << 16;
}

static void test_halves_are_softfloats(void **state)
{
    static const uint8_t ops[] = {PTX_OP_add, PTX_OP_sub, PTX_OP_mul, PTX_OP_fma,
                                  PTX_OP_min, PTX_OP_max, PTX_OP_abs, PTX_OP_neg};
    static const uint8_t types[] = {PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2},
                         from[D] = {2, 2, 2, 2};
    enum { COMPUTING = 4 }; /* the first ones */
    (void)state;
    struct rig g = {0};
    for (unsigned n = rounds(); n; n--)
        for (size_t k = 0; k < sizeof ops * sizeof types; k++) {
            const uint64_t r = random64();
            g.o = (struct ptx_op){.how = ops[k % sizeof ops], .type = types[k / sizeof ops]};
            const bool brains = g.o.type == PTX_BF16 || g.o.type == PTX_BF16X2;
            const bool compares = g.o.how == PTX_OP_min || g.o.how == PTX_OP_max;
            g.o.ftz = !brains && r & 1;
            g.o.sat = !brains && k % sizeof ops < COMPUTING && r >> 1 & 1;
            g.o.flag = compares && r >> 2 & 1; /* .NaN */
            g.o.combine = g.o.how == PTX_OP_fma && r >> 3 & 1 ? RELU : 0;
            once(&g, ptx_float(g.o.how, g.o.type, !(r & 15)), from, 2, halves);
        }
}

/* ---- conversions (9.7.9.21) ---- */

static uint64_t widened(unsigned type, uint64_t v)
{
    const unsigned bits = 8 * ptx_type_bytes((enum ptx_type)type);
    const bool is_signed = type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
    const uint64_t low = bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
    return is_signed ? (uint64_t)wt_sign_extend(low, bits) : low;
}

/* A single as a half or a bfloat16. */
static uint32_t to_half(bool brains, uint32_t a)
{
    struct wt_fp fp = {.propagate_nan = true};
    return (a & 0x7fffffff) > 0x7f800000 ? 0x7fff
           : brains                      ? ptx_bfloat(wt_f32_to_f64(a, &fp), WT_RNE)
                                         : wt_f32_to_f16(a, &fp);
}

static uint64_t converted(const struct ptx_op *o, const uint64_t *in)
{
    struct wt_fp fp = {.round = o->round, .propagate_nan = true};
    const uint64_t a = in[0], v = widened(o->from_type, a);
    const bool is_signed = o->from_type == PTX_S32;
    if (o->from_type == PTX_BF16)
        return (uint32_t)a << 16;
    if (o->from_type == PTX_F16) {
        const uint32_t r = wt_f16_to_f32((uint16_t)a, &fp);
        return (r & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : r;
    }
    if (o->type == PTX_F16X2 || o->type == PTX_BF16X2) /* of two singles; the first is the upper */
        return to_half(o->type == PTX_BF16X2, (uint32_t)a) << 16 |
               to_half(o->type == PTX_BF16X2, (uint32_t)in[1]);
    if (o->type == PTX_F16 || o->type == PTX_BF16)
        return to_half(o->type == PTX_BF16, (uint32_t)a);
    if (o->from_type == PTX_F32) {
        const float x = wt_float_of_bits((uint32_t)a);
        if (o->type == PTX_F64)
            return wt_f32_to_f64((uint32_t)a, &fp);
        if (x != x)
            return o->type == PTX_F32 ? 0x7fffffff : 0;
        if (o->type == PTX_S32)
            return (uint32_t)wt_f32_to_i32((uint32_t)a, &fp);
        if (o->type == PTX_U32)
            return wt_f32_to_u32((uint32_t)a, &fp);
        return wt_float_bits(o->round == WT_RTZ   ? truncf(x)
                             : o->round == WT_RDN ? floorf(x)
                             : o->round == WT_RUP ? ceilf(x)
                                                  : rintf(x));
    }
    if (o->from_type == PTX_F64) {
        /* a NaN keeps its sign and its upper bits */
        return is_nan(a) ? (uint32_t)(a >> 63 << 31 | 0x7fc00000 | (a >> 29 & 0x3fffff))
                         : wt_f64_to_f32(a, &fp);
    }
    if (o->type == PTX_F32)
        return is_signed ? wt_i64_to_f32((int32_t)a, &fp) : wt_u64_to_f32((uint32_t)a, &fp);
    if (o->type == PTX_F64)
        return is_signed ? wt_i64_to_f64((int64_t)v, &fp) : wt_u64_to_f64(v, &fp);
    const uint64_t r = widened(o->type, v);
    return o->element == 4 ? (uint32_t)r : r;
}

static void test_conversions_are_softfloats(void **state)
{
    static const struct {
        uint8_t to, from, rounds; /* a bit for each enum wt_round */
    } cases[] = {
        {PTX_S32, PTX_F32, 15}, {PTX_U32, PTX_F32, 15},  {PTX_F32, PTX_F32, 15},
        {PTX_F32, PTX_F64, 15}, {PTX_F64, PTX_F32, 1},   {PTX_F32, PTX_S32, 15},
        {PTX_F32, PTX_U32, 15}, {PTX_F64, PTX_S32, 15},  {PTX_F64, PTX_U32, 15},
        {PTX_F16, PTX_F32, 1},  {PTX_BF16, PTX_F32, 1},  {PTX_F32, PTX_F16, 1},
        {PTX_F32, PTX_BF16, 1}, {PTX_F16X2, PTX_F32, 1}, {PTX_BF16X2, PTX_F32, 1},
        {PTX_U64, PTX_U32, 1},  {PTX_S64, PTX_S32, 1},   {PTX_U64, PTX_S32, 1},
        {PTX_U32, PTX_U64, 1},  {PTX_S32, PTX_S64, 1},   {PTX_U8, PTX_U32, 1},
        {PTX_S8, PTX_U32, 1},   {PTX_U32, PTX_S8, 1},    {PTX_S16, PTX_U16, 1},
        {PTX_U16, PTX_S8, 1},   {PTX_S32, PTX_S16, 1},   {PTX_U32, PTX_U8, 1},
        {PTX_S64, PTX_S8, 1},   {PTX_U16, PTX_U64, 1},
    };
    (void)state;
    struct rig g = {0};
    for (unsigned n = rounds(); n; n--)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const uint8_t to = ptx_type_bytes(cases[k].to) == 8 ? 8 : 4;
            const unsigned bytes = ptx_type_bytes(cases[k].from);
            const bool half = cases[k].from == PTX_F16 || cases[k].from == PTX_BF16;
            const uint8_t from[D] = {half ? 2 : bytes == 8 ? 8 : 4, 4, 4, 4};
            uint8_t round = random64() & 3;
            while (!(cases[k].rounds >> round & 1))
                round = (round + 1) & 3;
            g.o = (struct ptx_op){.type = cases[k].to,
                                  .from_type = cases[k].from,
                                  .round = round,
                                  .size = half ? 4 : from[A],
                                  .element = to,
                                  .flag = cases[k].to == PTX_F32 && cases[k].from == PTX_F32};
            once(&g, ptx_convert(&g.o), from, to, converted);
        }
}

/* ---- fields of bits (9.7.1.19 to 9.7.1.21), a bit at a time ---- */

static unsigned bits_of(const struct ptx_op *o)
{
    return o->type == PTX_U64 || o->type == PTX_S64 ? 64 : 32;
}

static uint64_t extracted(const struct ptx_op *o, const uint64_t *in)
{
    const unsigned bits = bits_of(o), pos = in[1] & 0xff, length = in[2] & 0xff;
    const unsigned top = pos + length - 1 < bits - 1 ? pos + length - 1 : bits - 1;
    const bool is_signed = o->type == PTX_S32 || o->type == PTX_S64;
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++) {
        const bool inside = i < length && pos + i < bits;
        const uint64_t sign = is_signed && length ? in[0] >> top & 1 : 0;
        r |= (inside ? in[0] >> (pos + i) & 1 : sign) << i;
    }
    return r;
}

static uint64_t inserted(const struct ptx_op *o, const uint64_t *in)
{
    const unsigned bits = bits_of(o), pos = in[2] & 0xff, length = in[3] & 0xff;
    uint64_t r = in[1];
    for (unsigned i = 0; i < length && pos + i < bits; i++) {
        const uint64_t bit = UINT64_C(1) << (pos + i);
        r = (r & ~bit) | (in[0] >> i & 1 ? bit : 0);
    }
    return r;
}

static uint64_t reversed(const struct ptx_op *o, const uint64_t *in)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits_of(o); i++)
        r |= (in[0] >> i & 1) << (bits_of(o) - 1 - i);
    return r;
}

static void test_fields_are_bits(void **state)
{
    static const struct {
        uint8_t op, type, from[D];
        uint64_t (*want)(const struct ptx_op *, const uint64_t *);
    } cases[] = {
        {PTX_OP_bfe, PTX_U32, {4, 4, 4, 4}, extracted},
        {PTX_OP_bfe, PTX_S32, {4, 4, 4, 4}, extracted},
        {PTX_OP_bfe, PTX_U64, {8, 4, 4, 4}, extracted},
        {PTX_OP_bfe, PTX_S64, {8, 4, 4, 4}, extracted},
        {PTX_OP_bfi, PTX_U32, {4, 4, 4, 4}, inserted},
        {PTX_OP_bfi, PTX_U64, {8, 8, 4, 4}, inserted},
        {PTX_OP_brev, PTX_U32, {4, 4, 4, 4}, reversed},
        {PTX_OP_brev, PTX_U64, {8, 8, 4, 4}, reversed},
    };
    (void)state;
    struct rig g = {0};
    for (unsigned n = rounds(); n; n--)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            g.o = (struct ptx_op){.how = cases[k].op, .type = cases[k].type};
            once(&g, ptx_integer(cases[k].op, cases[k].type), cases[k].from, bits_of(&g.o) / 8,
                 cases[k].want);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_singles_are_softfloats),
        cmocka_unit_test(test_doubles_are_softfloats),
        cmocka_unit_test(test_halves_are_softfloats),
        cmocka_unit_test(test_conversions_are_softfloats),
        cmocka_unit_test(test_fields_are_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
