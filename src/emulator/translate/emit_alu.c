/* Arithmetic. See emit.h. */
#include <assert.h>

#include "emulator/translate/emit.h"

/* ---- operations ---- */

static unsigned strips(struct emitter *e)
{
    return emit_parts(e, emit_is_wide_result(&e->insn[e->at]));
}

/* The lower dwords of a part become qwords, by their sign, if the instruction is of these. */
static void extend_lower(struct emitter *e, unsigned reg)
{
    if (!e->insn[e->at].alu.lower)
        return;
    x86_vector_number(&e->code, VPSHIFTD, 4, T3, x86_reg(reg), 31);
    x86_vector_number(&e->code, VPSHUFD, T3, 0, x86_reg(T3), 0xa0);
    x86_vector_number(&e->code, VPBLENDD, reg, reg, x86_reg(T3), 0xaa);
}

/* d = a op b */
static void binary(struct emitter *e, unsigned op)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), T0);
        emit_vector(e, op, emit_result(e, i), a, emit_part(e, &n->s[1], n->wide, i));
        extend_lower(e, emit_result(e, i));
        emit_store(e, i, emit_result(e, i));
    }
    emit_keep(e);
}

/* Products of qwords. */
static void multiply_qwords(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], true, i), T0),
                       b = emit_loaded(e, emit_part(e, &n->s[1], true, i), T1);
        x86_vector_number(&e->code, VPSHIFTQ, 2, T2, x86_reg(a), 32);
        emit_vector(e, VPMULUDQ, T2, T2, x86_reg(b));
        x86_vector_number(&e->code, VPSHIFTQ, 2, T3, x86_reg(b), 32);
        emit_vector(e, VPMULUDQ, T3, T3, x86_reg(a));
        emit_vector(e, VPADDQ, T2, T2, x86_reg(T3));
        x86_vector_number(&e->code, VPSHIFTQ, 6, T2, x86_reg(T2), 32);
        emit_vector(e, VPMULUDQ, T3, a, x86_reg(b));
        emit_vector(e, VPADDQ, T2, T2, x86_reg(T3));
        emit_store(e, i, T2);
    }
    emit_keep(e);
}

static void multiply(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->wide && !n->alu.lower)
        multiply_qwords(e);
    else
        binary(e, n->wide ? VPMULUDQ : VPMULLD);
}

/* The upper halves of products of dwords: the even ones, then the odd ones. */
static void multiply_high(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned op = n->is_signed ? VPMULDQ : VPMULUDQ;
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0),
                       b = emit_loaded(e, emit_part(e, &n->s[1], false, i), T1);
        emit_vector(e, op, T2, a, x86_reg(b));
        x86_vector_number(&e->code, VPSHIFTQ, 2, T2, x86_reg(T2), 32);
        x86_vector_number(&e->code, VPSHIFTQ, 2, T0, x86_reg(a), 32);
        x86_vector_number(&e->code, VPSHIFTQ, 2, T1, x86_reg(b), 32);
        emit_vector(e, op, T1, T0, x86_reg(T1));
        x86_vector_number(&e->code, VPBLENDD, T2, T2, x86_reg(T1), 0xaa);
        emit_store(e, i, T2);
    }
    emit_keep(e);
}

/* d = op a */
static void unary(struct emitter *e, unsigned op)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        emit_vector(e, op, emit_result(e, i), 0, emit_part(e, &n->s[0], n->wide, i));
        emit_store(e, i, emit_result(e, i));
    }
    emit_keep(e);
}

/* d = value op a */
static void of_number(struct emitter *e, unsigned op, uint64_t value)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        emit_vector(e, VMOVDQU, T0, 0, emit_literal(e, value, true));
        emit_vector(e, op, T1, T0, emit_part(e, &n->s[0], n->wide, i));
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

static void multiply_add(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0);
        emit_vector(e, VPMULLD, T1, a, emit_part(e, &n->s[1], false, i));
        emit_vector(e, VPADDD, T1, T1, emit_part(e, &n->s[2], false, i));
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

static void multiply_wide(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        emit_widened(e, &n->s[0], n->is_signed, i, T0);
        emit_widened(e, &n->s[1], n->is_signed, i, T1);
        emit_vector(e, n->is_signed ? VPMULDQ : VPMULUDQ, T0, T0, x86_reg(T1));
        if (n->op == WT_ROWS_MULTIPLY_ADD_WIDE)
            emit_vector(e, VPADDQ, T0, T0, emit_part(e, &n->s[2], true, i));
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

static void widen(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        emit_widened(e, &n->s[0], n->is_signed, i, T0);
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* The lower dwords of two parts of qwords, as one part. */
static void lower_halves(struct emitter *e, unsigned d, unsigned a, struct x86_place b)
{
    x86_vector_number(&e->code, VSHUFPS, d, a, b, 0x88);
    x86_vector_number(&e->code, VPERMQ, d, 0, x86_reg(d), 0xd8);
}

static void narrow(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], true, 2 * i), T0);
        if (e->few)
            x86_vector_number(&e->code, VPSHUFD, T1, 0, x86_reg(a), 0x08);
        else
            lower_halves(e, T1, a, emit_part(e, &n->s[0], true, 2 * i + 1));
        /* banks that have the source are not written before its parts have been read */
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

/* The number of bits by which a part is shifted; T1 is free for it. */
static struct x86_place shift_amount(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool qwords = n->wide && !n->alu.lower;
    if (!n->alu.modulo && !n->wide)
        return emit_part(e, &n->s[1], false, strip);
    if (n->alu.modulo) {
        emit_vector(e, VMOVDQU, T1, 0, emit_literal(e, qwords ? 63 : 31, n->wide));
        emit_vector(e, VPAND, T1, T1, emit_part(e, &n->s[1], n->wide, strip));
    } else {
        emit_widened(e, &n->s[1], false, strip, T1);
    }
    return x86_reg(T1);
}

/* The sign of a qword that was shifted to the right, whose sign bit is in T2 by now. */
static void restore_sign(struct emitter *e, unsigned reg)
{
    emit_vector(e, VPXOR, reg, reg, x86_reg(T2));
    emit_vector(e, VPSUBQ, reg, reg, x86_reg(T2));
}

/* Shifts by a number: left 6, right 2, signed 4. */
static void shift_by_number(struct emitter *e, unsigned how)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool qwords = n->wide && !n->alu.lower, is_signed = qwords && how == 4;
    const uint32_t value = (uint32_t)n->s[1].value, least = value < 255 ? value : 255;
    const uint32_t bits = n->alu.modulo ? value & (qwords ? 63 : 31) : least;
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), T0),
                       d = emit_result(e, i);
        x86_vector_number(&e->code, qwords ? VPSHIFTQ : VPSHIFTD, is_signed ? 2 : how, d,
                          x86_reg(a), bits);
        if (is_signed) {
            const struct x86_place sign = emit_literal(e, UINT64_C(1) << (63 - bits), true);
            emit_vector(e, VPXOR, d, d, sign);
            emit_vector(e, VPSUBQ, d, d, sign);
        }
        extend_lower(e, d);
        emit_store(e, i, d);
    }
    emit_keep(e);
}

/* Likewise by a row. */
static void shift_by_row(struct emitter *e, unsigned how)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool qwords = n->wide && !n->alu.lower, is_signed = qwords && how == 4;
    const unsigned op = how == 6   ? (qwords ? VPSLLVQ : VPSLLVD)
                        : qwords   ? VPSRLVQ
                        : how == 4 ? VPSRAVD
                                   : VPSRLVD;
    for (unsigned i = 0; i < strips(e); i++) {
        const struct x86_place by = shift_amount(e, i);
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), T0);
        if (is_signed) {
            emit_vector(e, VMOVDQU, T2, 0, emit_literal(e, UINT64_C(1) << 63, true));
            emit_vector(e, VPSRLVQ, T2, T2, by);
        }
        emit_vector(e, op, T0, a, by);
        if (is_signed)
            restore_sign(e, T0);
        extend_lower(e, T0);
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

static void shift(struct emitter *e, unsigned how)
{
    if (e->insn[e->at].s[1].constant)
        shift_by_number(e, how);
    else
        shift_by_row(e, how);
}

/* A NaN in a register becomes the one that there is. */
static void settle_nan(struct emitter *e, unsigned reg, unsigned scratch)
{
    x86_vector_number(&e->code, VCMPPS, scratch, reg, x86_reg(reg), 3);
    x86_vector_number(&e->code, VBLENDVPS, reg, reg, emit_literal(e, 0x7fffffff, false),
                      scratch << 4);
}

/* The fused operation with its product or addend negated (WT_ROWS_FLOAT_MULTIPLY_ADD). */
static unsigned fused(unsigned op, unsigned how)
{
    return op + (how & 1 ? 4u << 8 : 0) + (how & 2 ? 2u << 8 : 0);
}

/* Part `strip` of the lesser or the greater ones, in T1. */
static void extreme_part(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool max = n->op == WT_ROWS_FLOAT_MAX;
    const unsigned op = max ? VMAXPS : VMINPS;
    const struct x86_place b = emit_part(e, &n->s[1], false, strip);
    const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, strip), T0);
    /* the host's instruction gives the second one of two zeros */
    emit_vector(e, op, T1, a, b);
    emit_vector(e, op, T2, emit_loaded(e, b, T2), x86_reg(a));
    emit_vector(e, max ? VPAND : VPOR, T1, T1, x86_reg(T2));
    x86_vector_number(&e->code, VCMPPS, T2, a, x86_reg(a), 3);
    if (n->how)
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    else
        x86_vector_number(&e->code, VBLENDVPS, T1, T1, b, T2 << 4);
    x86_vector_number(&e->code, VCMPPS, T2, emit_loaded(e, b, T2), b, 3);
    if (n->how)
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    else
        x86_vector_number(&e->code, VBLENDVPS, T1, T1, x86_reg(a), T2 << 4);
}

/* Part `strip` of the result of an operation on singles, in T1. */
static void single_part(struct emitter *e, unsigned op, unsigned sources, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct x86_place a = emit_part(e, &n->s[0], false, strip);
    if (n->op == WT_ROWS_FLOAT_MIN || n->op == WT_ROWS_FLOAT_MAX) {
        extreme_part(e, strip);
    } else if (n->op == WT_ROWS_FLOAT_ABSOLUTE || n->op == WT_ROWS_FLOAT_NEGATE) {
        const bool negate = n->op == WT_ROWS_FLOAT_NEGATE;
        emit_vector(e, negate ? VPXOR : VPAND, T1, emit_loaded(e, a, T0),
                    emit_literal(e, negate ? UINT32_C(1) << 31 : INT32_MAX, false));
    } else if (sources == 1) {
        emit_vector(e, op, T1, 0, a);
    } else if (sources == 3) {
        emit_vector(e, VMOVDQU, T1, 0, a);
        const unsigned c = emit_loaded(e, emit_part(e, &n->s[2], false, strip), T0);
        emit_vector(e, op, T1, c, emit_part(e, &n->s[1], false, strip));
    } else {
        emit_vector(e, op, T1, emit_loaded(e, a, T0), emit_part(e, &n->s[1], false, strip));
    }
    settle_nan(e, T1, T2);
}

static void saturate(struct emitter *e, unsigned reg)
{
    emit_vector(e, VMAXPS, reg, reg, emit_literal(e, 0, false)); /* of a NaN, and -0, 0 */
    emit_vector(e, VMINPS, reg, reg, emit_literal(e, 0x3f800000, false));
}

/* An operation on singles. If the handler is called, nothing has been stored. */
static void single(struct emitter *e, unsigned op, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned parts = strips(e);
    if (n->alu.flushes)
        emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < parts; i++) {
        if (n->alu.flushes)
            emit_note_small_sources(e, i, sources);
        single_part(e, op, sources, i);
        if (n->alu.flushes)
            emit_note_small(e, x86_reg(T1), T0);
        if (n->alu.saturates)
            saturate(e, T1);
        if (n->alu.flushes)
            emit_vector(e, VMOVDQU, emit_result(e, i), 0, x86_reg(T1));
        else
            emit_store(e, i, T1);
    }
    if (n->alu.flushes)
        emit_call_for_noted(e);
    for (unsigned i = 0; i < parts && n->alu.flushes; i++)
        emit_store(e, i, emit_result(e, i));
    emit_keep(e);
}

/* The handler is called where a single among the sources is not boxed. T3 is free for it. */
static void check_boxes(struct emitter *e, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_vector(e, VMOVDQU, T3, 0, emit_part(e, &n->s[0], true, 0));
    for (unsigned i = 0; i < strips(e); i++)
        for (unsigned k = 0; k < sources; k++)
            if (i + k && (!k || n->s[k].slot != n->s[k - 1].slot))
                emit_vector(e, VPAND, T3, T3, emit_part(e, &n->s[k], true, i));
    emit_vector(e, VPTEST, T3, 0, emit_literal(e, (uint64_t)UINT32_MAX << 32, true));
    emit_call(e, X86_NOT_BELOW);
}

/*
 * Of doubles, and of boxed singles, the upper dwords of which are quiet NaNs that raise nothing, in
 * rows that registers hold.
 * Which NaN a result is depends on the order in which the host's instruction has its operands: then
 * the handler computes it, and nothing is stored here.
 */
static void wide_float(struct emitter *e, unsigned op, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if ((n->raises && emit_is_partial(e)) || strips(e) > CACHED) {
        emit_call(e, X86_ALWAYS);
        emit_forget(e);
        return;
    }
    if (n->alu.boxed)
        check_boxes(e, sources);
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned d = emit_result(e, i);
        if (sources == 1) {
            emit_vector(e, op, d, 0, emit_part(e, &n->s[0], true, i));
        } else if (sources == 3) {
            emit_vector(e, VMOVDQU, T0, 0, emit_part(e, &n->s[0], true, i));
            emit_vector(e, op, T0, emit_loaded(e, emit_part(e, &n->s[2], true, i), T1),
                        emit_part(e, &n->s[1], true, i));
            emit_vector(e, VMOVDQU, d, 0, x86_reg(T0));
        } else {
            emit_vector(e, op, d, emit_loaded(e, emit_part(e, &n->s[0], true, i), T0),
                        emit_part(e, &n->s[1], true, i));
        }
        x86_vector_number(&e->code, n->alu.boxed ? VCMPPS : VCMPPD, T2, d, x86_reg(d), 3);
        emit_vector(e, VPOR, T3, T3, x86_reg(T2));
    }
    if (e->few)
        emit_test_any(e, T3, true);
    else
        emit_vector(e, VPTEST, T3, 0,
                    emit_literal(e, n->alu.boxed ? UINT32_MAX : UINT64_MAX, true));
    emit_call(e, X86_NOT_ZERO);
    for (unsigned i = 0; i < strips(e); i++)
        emit_store(e, i, emit_result(e, i));
    emit_keep(e);
}

/* An operation on singles, or the one on doubles, of so many sources. */
static void either_float(struct emitter *e, unsigned of_singles, unsigned twice, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->guarded) {
        x86_test_byte(&e->code, FIELD(guard), 1);
        emit_call(e, X86_NOT_ZERO);
    }
    if (n->wide)
        wide_float(e, n->alu.boxed ? of_singles : twice, sources);
    else
        single(e, of_singles, sources);
}

/* ---- bits ---- */

static void field(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned first = (unsigned)n->s[1].value, count = (unsigned)n->s[2].value;
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0);
        x86_vector_number(&e->code, VPSHIFTD, 6, T0, x86_reg(a), 32 - first - count);
        x86_vector_number(&e->code, VPSHIFTD, n->is_signed ? 4 : 2, T0, x86_reg(T0), 32 - count);
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* T1: bit 2b + c of a table for bits of T0, b, and of c. */
static void logic_of_two(struct emitter *e, unsigned table, unsigned to, struct x86_place c)
{
    /* The result is d ^ (b & e): d (`zero`) is the one for b = 0, and e (`change`) is 1 where the
     * one for b = 1 differs. Each of d and e is 0, ones, c or ~c. */
    const unsigned zero = table & 3, change = zero ^ table >> 2;
    const struct x86_place ones = emit_literal(e, UINT32_MAX, false);
    emit_vector(e, VPXOR, to, to, x86_reg(to));
    if (change == 1 || change == 2)
        emit_vector(e, change == 1 ? VPANDN : VPAND, to, change == 1 ? emit_loaded(e, c, T2) : T0,
                    change == 1 ? x86_reg(T0) : c);
    else if (change)
        emit_vector(e, VMOVDQU, to, 0, x86_reg(T0));
    if (zero == 1 || zero == 2)
        emit_vector(e, VPXOR, to, to, c);
    if (zero & 1)
        emit_vector(e, VPXOR, to, to, ones);
}

static void logic(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned zero = n->how & 15, change = zero ^ n->how >> 4;
    for (unsigned i = 0; i < strips(e); i++) {
        const struct x86_place c = emit_part(e, &n->s[2], false, i);
        emit_vector(e, VMOVDQU, T0, 0, emit_part(e, &n->s[1], false, i));
        logic_of_two(e, change, T1, c);
        emit_vector(e, VPAND, T1, T1, emit_part(e, &n->s[0], false, i));
        logic_of_two(e, zero, T3, c);
        emit_vector(e, VPXOR, T1, T1, x86_reg(T3));
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

static void float_of_unsigned(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        emit_float_of_unsigned(e, emit_loaded(e, emit_part(e, &n->s[0], false, i), T0));
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

/* ---- an instruction ---- */

/* Whether an operation does each part of dwords by itself. */
static bool is_by_parts(unsigned op)
{
    return op >= WT_ROWS_MOVE && op <= WT_ROWS_MAX_SIGNED;
}

static void emit_plain(struct emitter *e);

void emit_alu(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_choose(e);
    if (e->sparse && (is_by_parts(n->op) || n->op == WT_ROWS_SELECT || n->op == WT_ROWS_FIELD ||
                      n->op == WT_ROWS_LOGIC || n->op == WT_ROWS_TWO)) {
        emit_scalars(e);
        const size_t loop = emit_begin_parts(e);
        emit_plain(e);
        emit_end_parts(e, loop);
    } else {
        emit_plain(e);
    }
}

static void emit_plain(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (e->shape->scalars && emit_wave(e))
        return;
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
        if (n->alu.boxed)
            check_boxes(e, 1);
        unary(e, VMOVDQU);
        break;
    case WT_ROWS_NOT:
        of_number(e, VPXOR, UINT64_MAX);
        break;
    case WT_ROWS_NEGATE:
        of_number(e, n->wide ? VPSUBQ : VPSUBD, 0);
        break;
    case WT_ROWS_ABSOLUTE:
        unary(e, VPABSD);
        break;
    case WT_ROWS_ADD:
        binary(e, n->wide && !n->alu.lower ? VPADDQ : VPADDD);
        break;
    case WT_ROWS_SUBTRACT:
        binary(e, n->wide && !n->alu.lower ? VPSUBQ : VPSUBD);
        break;
    case WT_ROWS_MULTIPLY:
        multiply(e);
        break;
    case WT_ROWS_MULTIPLY_HIGH:
        multiply_high(e);
        break;
    case WT_ROWS_MULTIPLY_ADD:
        multiply_add(e);
        break;
    case WT_ROWS_AND:
        binary(e, VPAND);
        break;
    case WT_ROWS_OR:
        binary(e, VPOR);
        break;
    case WT_ROWS_XOR:
        binary(e, VPXOR);
        break;
    case WT_ROWS_SHIFT_LEFT:
        shift(e, 6);
        break;
    case WT_ROWS_SHIFT_RIGHT:
        shift(e, 2);
        break;
    case WT_ROWS_SHIFT_SIGNED:
        shift(e, 4);
        break;
    case WT_ROWS_MIN:
        binary(e, VPMINUD);
        break;
    case WT_ROWS_MAX:
        binary(e, VPMAXUD);
        break;
    case WT_ROWS_MIN_SIGNED:
        binary(e, VPMINSD);
        break;
    case WT_ROWS_MAX_SIGNED:
        binary(e, VPMAXSD);
        break;
    case WT_ROWS_WIDEN:
        widen(e);
        break;
    case WT_ROWS_MULTIPLY_WIDE:
    case WT_ROWS_MULTIPLY_ADD_WIDE:
        multiply_wide(e);
        break;
    case WT_ROWS_NARROW:
        narrow(e);
        break;
    case WT_ROWS_FLOAT_ADD:
        either_float(e, VADDPS, VADDPD, 2);
        break;
    case WT_ROWS_FLOAT_SUBTRACT:
        either_float(e, VSUBPS, VSUBPD, 2);
        break;
    case WT_ROWS_FLOAT_MULTIPLY:
        either_float(e, VMULPS, VMULPD, 2);
        break;
    case WT_ROWS_FLOAT_DIVIDE:
        either_float(e, VDIVPS, VDIVPD, 2);
        break;
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
        either_float(e, fused(VFMADD132PS, n->how), fused(VFMADD132PD, n->how), 3);
        break;
    case WT_ROWS_FLOAT_ROOT:
        either_float(e, VSQRTPS, VSQRTPD, 1);
        break;
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
        single(e, 0, 2);
        break;
    case WT_ROWS_FLOAT_ABSOLUTE:
    case WT_ROWS_FLOAT_NEGATE:
        single(e, 0, 1);
        break;
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        float_of_unsigned(e);
        break;
    case WT_ROWS_FIELD:
        field(e);
        break;
    case WT_ROWS_LOGIC:
        logic(e);
        break;
    case WT_ROWS_COMPARE:
    case WT_ROWS_FLOAT_COMPARE:
    case WT_ROWS_SET:
    case WT_ROWS_SELECT:
    case WT_ROWS_PREDICATE:
        emit_predicate(e);
        break;
    case WT_ROWS_FLOAT_OF_SIGNED:
        unary(e, VCVTDQ2PS);
        break;
    default:
        assert(false);
        break;
    }
}
