/*
 * Roots, quotients, conversions and classes of singles of shapes with scalars. What is not
 * ordinary, as a denormal number, is found before anything is computed, and left to the handler.
 * See emit.h.
 */
#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

enum { PARTS = 8, LEAST = 0x800000, INFINITE = 0x7f800000, ONE = 0x3f800000 };

/* ---- sources that are not ordinary: zeros in T3 ---- */

static void begin_check(struct emitter *e)
{
    emit_vector(e, VPCMPEQD, T3, T3, x86_reg(T3));
}

/* Of a part of sources in `part`, all that execute are within [low, low + span], as unsigned
 * numbers. T1 and T2 are free for it. */
static void check_within(struct emitter *e, unsigned part, uint32_t low, uint32_t span)
{
    emit_vector(e, VPSUBD, T1, part, emit_literal(e, low, false));
    emit_vector(e, VPMINUD, T2, T1, emit_literal(e, span, false));
    emit_vector(e, VPCMPEQD, T1, T1, x86_reg(T2));
    emit_vector(e, VPAND, T3, T3, x86_reg(T1));
}

/* The handler is called if one is not. */
static void end_check(struct emitter *e)
{
    emit_vector(e, VPTEST, T3, 0, emit_literal(e, UINT32_MAX, false));
    emit_call(e, X86_NOT_BELOW);
}

/* A part of a source in `into`, 1 for the lanes that do not execute (as an integer it is a single
 * exactly, too), without its sign if `magnitude`. T4 is free for it. */
static void load_ordinary(struct emitter *e, unsigned source, unsigned strip, bool magnitude,
                          unsigned into)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[source];
    const struct x86_place part = emit_part(e, s, false, strip);
    unsigned from = emit_loaded(e, part, into);
    if (e->some) {
        const unsigned idle = emit_idle(e, false, strip, T4);
        x86_vector_number(&e->code, VPBLENDVB, into, from, emit_literal(e, ONE, false), idle << 4);
        from = into;
    }
    if (magnitude)
        emit_vector(e, VPAND, into, from, emit_literal(e, INT32_MAX, false));
    else if (from != into)
        emit_vector(e, VMOVDQU, into, 0, x86_reg(from));
}

/* The biased exponent of a part. */
static void exponent(struct emitter *e, unsigned reg)
{
    x86_vector_number(&e->code, VPSHIFTD, 6, reg, x86_reg(reg), 1);
    x86_vector_number(&e->code, VPSHIFTD, 2, reg, x86_reg(reg), 24);
}

/* ---- what raises nothing on the GPU, and inexact results on the host ---- */

void emit_keep_flags(struct emitter *e, void (*with)(struct x86_code *, struct x86_place))
{
    struct x86_code *code = &e->code;
    x86_test_byte(code, x86_mem(SCALARS, e->shape->exceptions), 0x20);
    const size_t past = x86_jump(code, X86_NOT_ZERO);
    with(code, FIELD(flags));
    x86_land(code, past, code->size);
}

static void root_or_inverse(struct emitter *e)
{
    const bool root = e->insn[e->at].op == WT_ROWS_FLOAT_ROOT;
    begin_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, !root, T0);
        /* an inverse is no denormal number, either */
        check_within(e, T0, LEAST, (root ? INFINITE - 1 : 0x7e800000) - LEAST);
    }
    end_check(e);
    emit_keep_flags(e, x86_store_flags);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, false, T0);
        if (root)
            emit_vector(e, VSQRTPS, T0, 0, x86_reg(T0));
        else
            emit_vector(e, VMOVDQU, T1, 0, emit_literal(e, ONE, false));
        if (!root)
            emit_vector(e, VDIVPS, T0, T1, x86_reg(T0));
        emit_store(e, i, T0);
    }
    emit_keep_flags(e, x86_load_flags);
    emit_keep(e);
}

/* ---- conversions ---- */

/* The upper and the lower halves become singles exactly, and their sum is rounded once. */
void emit_float_of_unsigned(struct emitter *e, unsigned from)
{
    x86_vector_number(&e->code, VPSHIFTD, 2, T1, x86_reg(from), 16);
    emit_vector(e, VCVTDQ2PS, T1, 0, x86_reg(T1));
    emit_vector(e, VMULPS, T1, T1, emit_literal(e, 0x47800000, false)); /* 65536 */
    emit_vector(e, VPAND, T0, from, emit_literal(e, 0xffff, false));
    emit_vector(e, VCVTDQ2PS, T0, 0, x86_reg(T0));
    emit_vector(e, VADDPS, T1, T1, x86_reg(T0));
}

static void of_integer(struct emitter *e)
{
    const bool is_signed = e->insn[e->at].op == WT_ROWS_FLOAT_OF_SIGNED;
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, false, T0);
        if (is_signed)
            emit_vector(e, VCVTDQ2PS, T1, 0, x86_reg(T0));
        else
            emit_float_of_unsigned(e, T0);
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

/* Of numbers below 2^31, neither denormal nor, if the results are unsigned, negative. */
static void truncate(struct emitter *e)
{
    const bool is_signed = e->insn[e->at].is_signed;
    begin_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, is_signed, T0);
        check_within(e, T0, 0, 0x4effffff);
        check_within(e, T0, LEAST, UINT32_MAX - (LEAST - 1)); /* from there on, or 0 */
    }
    end_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, false, T0);
        emit_vector(e, VCVTTPS2DQ, T0, 0, x86_reg(T0));
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* ---- the steps of a division (Vega ISA manual, section 12.12) ---- */

/* The exponents of the numerator and the denominator, sources 2 and 1, have bounds, and so has
 * their difference: from -below to above. */
static void check_apart(struct emitter *e, unsigned strip, uint32_t least, uint32_t most,
                        uint32_t most_denominator, uint32_t below, uint32_t above)
{
    load_ordinary(e, 1, strip, false, T0);
    exponent(e, T0);
    check_within(e, T0, 1, most_denominator - 1);
    load_ordinary(e, 2, strip, false, T0);
    exponent(e, T0);
    check_within(e, T0, least, most - least);
    load_ordinary(e, 1, strip, false, T1);
    exponent(e, T1);
    emit_vector(e, VPSUBD, T0, T0, x86_reg(T1));
    check_within(e, T0, 0 - below, below + above);
}

/* Of numbers whose quotient needs no scale, and is no denormal number: one of them as it is. */
static void scale(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    begin_check(e);
    for (unsigned i = 0; i < PARTS; i++)
        check_apart(e, i, 24, 254, 252, 125, 95);
    end_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, false, T0);
        emit_store(e, i, T0);
    }
    x86_set(&e->code, X86_AX, 0);
    x86_integer(&e->code, X86_STORE, true, X86_AX, x86_mem(SCALARS, n->alu.carry));
    emit_keep(e);
}

/* Of normal numbers whose quotient is not far below the least one, only the sign is put right. */
static void fix(struct emitter *e)
{
    begin_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        check_apart(e, i, 1, 254, 254, 150, 254);
        load_ordinary(e, 0, i, true, T0);
        check_within(e, T0, 0, INFINITE);
        check_within(e, T0, LEAST, UINT32_MAX - (LEAST - 1));
    }
    end_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 1, i, false, T0);
        load_ordinary(e, 2, i, false, T1);
        emit_vector(e, VPXOR, T0, T0, x86_reg(T1));
        emit_vector(e, VPAND, T0, T0, emit_literal(e, UINT32_C(1) << 31, false));
        load_ordinary(e, 0, i, true, T1);
        emit_vector(e, VPOR, T0, T0, x86_reg(T1));
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* ---- classes ---- */

/*
 * The number of a class's bit: of -infinity to -0 2 to 5, of 0 to infinity 6 to 9. T0 becomes 0 for
 * an infinity, 1 for a normal number, 2 for a denormal one, 3 for 0: 2 more than that, or less
 * than 9.
 */
static void classify(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    begin_check(e);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, true, T0);
        check_within(e, T0, 0, INFINITE);
    }
    end_check(e);
    x86_set(&e->code, X86_AX, 0);
    for (unsigned i = 0; i < PARTS; i++) {
        load_ordinary(e, 0, i, false, T3);
        emit_vector(e, VPAND, T1, T3, emit_literal(e, INT32_MAX, false));
        x86_vector_number(&e->code, VPSHIFTD, 4, T3, x86_reg(T3), 31);
        emit_vector(e, VPCMPGTD, T0, T1, emit_literal(e, INFINITE - 1, false));
        emit_vector(e, VMOVDQU, T2, 0, emit_literal(e, LEAST, false));
        emit_vector(e, VPCMPGTD, T2, T2, x86_reg(T1));
        emit_vector(e, VPSUBD, T0, T0, x86_reg(T2));
        emit_vector(e, VPCMPEQD, T1, T1, emit_literal(e, 0, false));
        emit_vector(e, VPSUBD, T0, T0, x86_reg(T1));
        emit_vector(e, VPADDD, T0, T0, emit_literal(e, 1, false));
        /* with the sign k + 2, else 9 - k, which is ~k + 10 */
        emit_vector(e, VPXOR, T1, T3, emit_literal(e, UINT32_MAX, false));
        emit_vector(e, VPXOR, T0, T0, x86_reg(T1));
        emit_vector(e, VPAND, T1, T1, emit_literal(e, 8, false));
        emit_vector(e, VPADDD, T0, T0, x86_reg(T1));
        emit_vector(e, VPADDD, T0, T0, emit_literal(e, 2, false));
        const unsigned b = emit_loaded(e, emit_part(e, &n->s[1], false, i), T1);
        emit_vector(e, VPSRLVD, T0, b, x86_reg(T0));
        x86_vector_number(&e->code, VPSHIFTD, 6, T0, x86_reg(T0), 31);
        emit_vector(e, VMOVMSKPS, X86_DX, 0, x86_reg(T0));
        x86_shift(&e->code, true, X86_DX, 8 * i);
        x86_integer(&e->code, X86_OR, true, X86_AX, x86_reg(X86_DX));
    }
    emit_store_lanes(e, n->d);
}

bool emit_real(struct emitter *e)
{
    switch ((enum wt_rows_op)e->insn[e->at].op) {
    case WT_ROWS_FLOAT_ROOT:
    case WT_ROWS_FLOAT_INVERSE:
        root_or_inverse(e);
        return true;
    case WT_ROWS_FLOAT_OF_SIGNED:
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        of_integer(e);
        return true;
    case WT_ROWS_FLOAT_TRUNCATE:
        truncate(e);
        return true;
    case WT_ROWS_DIVISION_SCALE:
        scale(e);
        return true;
    case WT_ROWS_DIVISION_FIX:
        fix(e);
        return true;
    case WT_ROWS_FLOAT_CLASS:
        classify(e);
        return true;
    default:
        return false;
    }
}

/* ---- scalars from memory ---- */

void emit_fetch(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const unsigned bytes = 4u * n->access.words;
    x86_integer(code, X86_LOAD, true, X86_AX, x86_mem(SCALARS, n->s[0].slot));
    if (n->s[1].scalar) {
        x86_integer(code, X86_LOAD, false, X86_DX, x86_mem(SCALARS, n->s[1].slot));
        x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_DX));
    }
    x86_integer_number(code, X86_ADD, true, X86_AX, (int32_t)n->access.offset);
    x86_integer_number(code, X86_AND, true, X86_AX, ~3);
    emit_find_page(e, false);
    x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
    x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)(WT_PAGE_SIZE - bytes));
    emit_call(e, X86_ABOVE);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    emit_note_access(e);
    for (unsigned at = 0; at < bytes; at += bytes - at < 8 ? 4 : 8) {
        const bool wide = bytes - at >= 8;
        x86_integer(code, X86_LOAD, wide, X86_AX, x86_mem(X86_DX, at));
        x86_integer(code, X86_STORE, wide, X86_AX, x86_mem(SCALARS, n->d + at));
    }
}
