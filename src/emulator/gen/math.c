/*
 * The math instruction (Skylake PRM volume 7, "Extended Math"). Functions that the manual gives a
 * bound for are computed in double precision and rounded once, so they are within it, and the same
 * on every run. Division and square root are rounded correctly.
 */
#include "emulator/gen/internal.h"

#include <math.h>
#include <string.h>

static uint32_t nan_of(uint32_t bits)
{
    return bits | 0x400000;
}

static float one_float(enum gen_math function, float a, float b)
{
    const double wide = (double)a;
    switch (function) {
    case GEN_MATH_INV:
        return 1.0f / a;
    case GEN_MATH_LOG:
        return (float)log2(wide);
    case GEN_MATH_EXP:
        return (float)exp2(wide);
    case GEN_MATH_SQT:
        return sqrtf(a);
    case GEN_MATH_RSQT:
        return (float)(1.0 / sqrt(wide));
    case GEN_MATH_SIN:
        return (float)sin(wide);
    case GEN_MATH_COS:
        return (float)cos(wide);
    case GEN_MATH_FDIV:
    case GEN_MATH_INVM:
        return a / b;
    case GEN_MATH_POW:
        return (float)pow(fabs(wide), (double)b);
    case GEN_MATH_RSQTM:
        return sqrtf(a);
    default:
        return 0;
    }
}

static float flushed(const struct gen_alu *x, float value, bool flush)
{
    return flush && fabsf(value) < 0x1p-126f ? copysignf(0.0f, value) : value;
}

static void floats(struct gen_alu *x, enum gen_math function)
{
    const gen_f32 *const a = x->a, *const b = x->b;
    const bool two = x->u->insn.sources == 2;
    for (unsigned i = 0; i < x->n; i++) {
        const float left = flushed(x, a[i], x->fp.flush_input);
        const float right = two ? flushed(x, b[i], x->fp.flush_input) : 0;
        const bool negative_root =
            (function == GEN_MATH_SQT || function == GEN_MATH_RSQTM) && left < 0;
        uint32_t bits;
        x->r->f[i] = flushed(x, one_float(function, left, right), x->fp.flush_output);
        if (x->r->f[i] == x->r->f[i])
            continue;
        /* Which NaN: an operand's, else the default one. */
        bits = 0xffc00000;
        if (left != left)
            memcpy(&bits, &a[i], sizeof bits);
        else if (two && right != right)
            memcpy(&bits, &b[i], sizeof bits);
        x->r->ud[i] = negative_root ? 0xffc00000 : nan_of(bits);
    }
}

/* math.invm and math.rsqtm begin a division or a square root that madm goes on with, unless the
 * flag "early out" says that the result is there already. It always is, correctly rounded. */
static void doubles(struct gen_alu *x, enum gen_math function)
{
    const gen_u64 *const a = x->a, *const b = x->b;
    for (unsigned i = 0; i < x->n; i++)
        x->r->uq[i] = function == GEN_MATH_INVM || function == GEN_MATH_FDIV
                          ? wt_f64_div(a[i], b[i], &x->fp)
                          : wt_f64_sqrt(a[i], &x->fp);
}

/* ---- integers ---- */

/* Quotients by zero are the nearest number (PRM, "INT DIV"). */
static int64_t quotient(int64_t a, int64_t b, bool is_signed)
{
    if (!is_signed)
        return b ? (int64_t)((uint32_t)a / (uint32_t)b) : (int64_t)UINT32_MAX;
    if (!b)
        return a < 0 ? INT32_MIN : INT32_MAX;
    return a / b; /* of 64 bits: INT32_MIN / -1 does not trap, and wraps when it is stored */
}

static int64_t remainder_of(int64_t a, int64_t b, bool is_signed)
{
    if (!is_signed)
        return b ? (int64_t)((uint32_t)a % (uint32_t)b) : (int64_t)UINT32_MAX;
    if (!b)
        return a < 0 ? INT32_MIN : INT32_MAX;
    return a % b;
}

/* Both results of idiv: the remainder goes to the registers behind the quotient's. */
static void store_remainder(struct gen_alu *x, const gen_i64 *a, const gen_i64 *b, bool is_signed)
{
    const struct gen_operand *o = &x->u->insn.dst;
    const unsigned first =
        (o->reg + (x->n * 4 + GEN_GRF_BYTES - 1) / GEN_GRF_BYTES) * GEN_GRF_BYTES;
    if (o->file != GEN_GRF || o->indirect || first + x->n * 4 > GEN_REGISTER_FILE)
        return;
    for (unsigned i = 0; i < x->n; i++)
        if (x->on >> i & 1)
            wt_store_le(x->t->g->r + first + 4 * i, (uint64_t)remainder_of(a[i], b[i], is_signed),
                        4);
}

static void integers(struct gen_alu *x, enum gen_math function)
{
    const gen_i64 *const a = x->a, *const b = x->b;
    const struct gen_insn *insn = &x->u->insn;
    const bool is_signed = gen_type_is_signed(insn->src[0].type);
    assert(insn->sources == 2);
    for (unsigned i = 0; i < x->n; i++)
        x->r->q[i] = function == GEN_MATH_IREM ? remainder_of(a[i], b[i], is_signed)
                                               : quotient(a[i], b[i], is_signed);
    if (function == GEN_MATH_IDIV)
        store_remainder(x, a, b, is_signed);
}

void gen_alu_math(struct gen_alu *x)
{
    const enum gen_math function = x->u->insn.condition;
    memset(x->r, 0, sizeof *x->r);
    if (x->domain == GEN_FLOAT)
        floats(x, function);
    else if (x->domain == GEN_DOUBLE)
        doubles(x, function);
    else
        integers(x, function);
    if (function == GEN_MATH_INVM || function == GEN_MATH_RSQTM) {
        x->flags = UINT32_MAX;
        x->has_flags = true;
    }
}
