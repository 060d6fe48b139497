/* Arithmetic, comparisons, selection. See emit.h. */
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
    if (!e->insn[e->at].lower)
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
    if (n->wide && !n->lower)
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
    for (unsigned i = 0; i < 4; i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], true, 2 * i), T0);
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
    const bool qwords = n->wide && !n->lower;
    if (!n->modulo && !n->wide)
        return emit_part(e, &n->s[1], false, strip);
    if (n->modulo) {
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
    const bool qwords = n->wide && !n->lower, is_signed = qwords && how == 4;
    const uint32_t value = (uint32_t)n->s[1].value, least = value < 255 ? value : 255;
    const uint32_t bits = n->modulo ? value & (qwords ? 63 : 31) : least;
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

/* The same by a row. */
static void shift_by_row(struct emitter *e, unsigned how)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool qwords = n->wide && !n->lower, is_signed = qwords && how == 4;
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

static void float_binary(struct emitter *e, unsigned op)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0);
        emit_vector(e, op, T1, a, emit_part(e, &n->s[1], false, i));
        settle_nan(e, T1, T2);
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

static void float_multiply_add(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(e); i++) {
        const struct x86_place a = emit_part(e, &n->s[0], false, i);
        emit_vector(e, VMOVDQU, T0, 0, a);
        const unsigned c = emit_loaded(e, emit_part(e, &n->s[2], false, i), T1);
        emit_vector(e, fused(VFMADD132PS, n->how), T0, c, emit_part(e, &n->s[1], false, i));
        settle_nan(e, T0, T2);
        emit_store(e, i, T0);
    }
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
    if ((n->raises && e->some) || strips(e) > CACHED) {
        emit_call(e, X86_ALWAYS);
        emit_forget(e);
        return;
    }
    if (n->boxed)
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
        x86_vector_number(&e->code, n->boxed ? VCMPPS : VCMPPD, T2, d, x86_reg(d), 3);
        emit_vector(e, VPOR, T3, T3, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T3, 0, emit_literal(e, n->boxed ? UINT32_MAX : UINT64_MAX, true));
    emit_call(e, X86_NOT_ZERO);
    for (unsigned i = 0; i < strips(e); i++)
        emit_store(e, i, emit_result(e, i));
    emit_keep(e);
}

/* An operation on singles, or the one on doubles, of so many sources. */
static void either_float(struct emitter *e, unsigned single, unsigned twice, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->guarded) {
        x86_test_byte(&e->code, FIELD(guard), 1);
        emit_call(e, X86_NOT_ZERO);
    }
    if (n->wide)
        wide_float(e, n->boxed ? single : twice, sources);
    else if (sources == 3)
        float_multiply_add(e);
    else
        float_binary(e, single);
}

/* ---- predicates ---- */

/* The predicate in ax becomes the result, for the lanes that execute. */
static void store_predicate(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct x86_place to = x86_mem(FRAME, n->d);
    if (n->combine) {
        emit_load_predicate(e, &n->s[2], X86_DX);
        x86_integer(&e->code,
                    n->combine == WT_ROWS_WITH_AND  ? X86_AND
                    : n->combine == WT_ROWS_WITH_OR ? X86_OR
                                                    : X86_XOR,
                    false, X86_AX, x86_reg(X86_DX));
    }
    if (e->some) {
        x86_integer(&e->code, X86_XOR, false, X86_AX, to);
        x86_integer(&e->code, X86_AND, false, X86_AX, FIELD(mask));
        x86_integer(&e->code, X86_XOR, false, X86_AX, to);
    }
    x86_integer(&e->code, X86_STORE, false, X86_AX, to);
    emit_evict(e, n->d, 4);
}

/* Ones in T0 … T3 for lanes where a comparison holds, as a mask in ax. */
static void gather_signs(struct emitter *e)
{
    static const uint32_t order[8] = {0, 4, 1, 5, 2, 6, 3, 7};
    emit_vector(e, VPACKSSDW, T0, T0, x86_reg(T1));
    emit_vector(e, VPACKSSDW, T2, T2, x86_reg(T3));
    emit_vector(e, VPACKSSWB, T0, T0, x86_reg(T2));
    emit_vector(e, VMOVDQU, T1, 0, x86_literal(&e->code, order, sizeof order));
    emit_vector(e, VPERMD, T0, T1, x86_reg(T0));
    emit_vector(e, VPMOVMSKB, X86_AX, 0, x86_reg(T0));
}

/* Ones in the qwords of T0 where it holds for part `strip`: its bits of the mask in ax. */
static void gather_wide_signs(struct emitter *e, unsigned strip)
{
    emit_vector(e, VMOVMSKPD, strip ? X86_DX : X86_AX, 0, x86_reg(T0));
    if (!strip)
        return;
    x86_shift(&e->code, true, X86_DX, 4 * strip);
    x86_integer(&e->code, X86_OR, false, X86_AX, x86_reg(X86_DX));
}

/* The comparison of integers that is done, and whether its opposite is wanted. */
struct comparison {
    unsigned op;
    bool swapped; /* b op a */
    bool opposite;
    unsigned extreme; /* not 0: a op' b is compared with a */
    bool flipped;     /* the sign bits are inverted before */
};

static struct comparison comparison_of(const struct wt_rows_insn *n)
{
    const unsigned how = n->how & 7;
    const bool opposite = how == (WT_ROWS_LESS | WT_ROWS_GREATER) || how == WT_ROWS_GREATER ||
                          how == (WT_ROWS_GREATER | WT_ROWS_EQUAL);
    const unsigned h = opposite ? how ^ 7 : how; /* EQUAL, LESS | EQUAL, LESS */
    if (h == WT_ROWS_EQUAL)
        return (struct comparison){n->wide ? VPCMPEQQ : VPCMPEQD, false, opposite, 0, false};
    const bool less = h == WT_ROWS_LESS; /* else: not greater */
    if (n->is_signed || n->wide)
        return (struct comparison){n->wide ? VPCMPGTQ : VPCMPGTD, less, less == opposite, 0,
                                   !n->is_signed};
    /* a <= b: the lesser one is a; a < b: not b <= a */
    return (struct comparison){VPCMPEQD, less, less != opposite, VPMINUD, false};
}

/* Ones in a register where it holds for part `strip` of sources 0 and 1; of qwords T1 is not kept.
 */
static void compare_part(struct emitter *e, struct comparison c, unsigned strip, unsigned to)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_place a = emit_part(e, &n->s[c.swapped], n->wide, strip),
                     b = emit_part(e, &n->s[!c.swapped], n->wide, strip);
    if (c.flipped) {
        const struct x86_place sign =
            emit_literal(e, n->wide ? UINT64_C(1) << 63 : UINT32_C(1) << 31, n->wide);
        emit_vector(e, VPXOR, T1, emit_loaded(e, b, T1), sign);
        emit_vector(e, VPXOR, to, emit_loaded(e, a, to), sign);
        a = x86_reg(to);
        b = x86_reg(T1);
    }
    if (c.extreme) {
        emit_vector(e, c.extreme, to, emit_loaded(e, a, to), b);
        emit_vector(e, c.op, to, to, a);
    } else {
        emit_vector(e, c.op, to, emit_loaded(e, a, to), b);
    }
}

/* A predicate. */
static void compare(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    const unsigned how = n->how & 7;
    if (how == 0 || how == 7) {
        x86_set(&e->code, X86_AX, how ? UINT32_MAX : 0);
        store_predicate(e);
        return;
    }
    emit_parts(e, n->wide);
    for (unsigned i = 0; i < 4 && !n->wide; i++)
        compare_part(e, c, i, T0 + i);
    if (!n->wide)
        gather_signs(e);
    for (unsigned i = 0; i < 8 && n->wide; i++) {
        compare_part(e, c, i, T0);
        gather_wide_signs(e, i);
    }
    if (c.opposite)
        x86_not(&e->code, X86_AX);
    store_predicate(e);
}

/* A row of ones and zeros. */
static void set(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    for (unsigned i = 0; i < strips(e); i++) {
        compare_part(e, c, i, T0);
        if (c.opposite)
            emit_vector(e, n->wide ? VPADDQ : VPADDD, T0, T0, emit_literal(e, 1, n->wide));
        else
            x86_vector_number(&e->code, n->wide ? VPSHIFTQ : VPSHIFTD, 2, T0, x86_reg(T0),
                              n->wide ? 63 : 31);
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

size_t emit_decide(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    const unsigned parts = emit_parts(e, n->wide);
    const bool one = parts == 1 && !e->some;
    for (unsigned i = 0; i < parts; i++) {
        compare_part(e, c, i, T0);
        const unsigned idle = e->some ? emit_idle(e, n->wide, i, T1) : 0;
        if (e->some)
            emit_vector(e, VPOR, T0, T0, x86_reg(idle));
        if (!one)
            emit_vector(e, i ? VPAND : VMOVDQU, T2, i ? T2 : 0, x86_reg(T0));
        if (e->some)
            emit_vector(e, VPANDN, T0, idle, x86_reg(T0));
        if (!one)
            emit_vector(e, i ? VPOR : VMOVDQU, T3, i ? T3 : 0, x86_reg(T0));
    }
    const unsigned all = one ? T0 : T2, any = one ? T0 : T3; /* where it holds for all parts, any */
    const struct x86_place ones = emit_literal(e, UINT64_MAX, true);
    emit_vector(e, VPTEST, c.opposite ? all : any, 0, c.opposite ? ones : x86_reg(any));
    const size_t past = x86_jump(&e->code, c.opposite ? X86_BELOW : X86_ZERO);
    emit_vector(e, VPTEST, c.opposite ? any : all, 0, c.opposite ? x86_reg(any) : ones);
    emit_leave(e, c.opposite ? X86_NOT_ZERO : X86_NOT_BELOW);
    return past;
}

static void float_compare(struct emitter *e)
{
    /* Predicates of VCMPPS that raise no exception, by the outcomes for which they hold. */
    static const uint8_t predicate[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                          0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_parts(e, n->wide);
    for (unsigned i = 0; i < (n->wide ? 8 : 4); i++) {
        const unsigned to = n->wide ? T0 : T0 + i;
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), to);
        x86_vector_number(&e->code, n->wide ? VCMPPD : VCMPPS, to, a,
                          emit_part(e, &n->s[1], n->wide, i), predicate[n->how & 15]);
        if (n->wide)
            gather_wide_signs(e, i);
    }
    if (!n->wide)
        gather_signs(e);
    store_predicate(e);
}

/* Ones in a register for the lanes of a part for which the predicate in another one is 1. */
void emit_spread(struct emitter *e, unsigned to, unsigned from, bool wide, unsigned strip)
{
    uint32_t bits[8];
    const unsigned lanes = wide ? 4 : 8;
    for (unsigned i = 0; i < 8; i++)
        bits[i] = 1u << (strip * lanes + (wide ? i / 2 : i));
    const struct x86_place row = x86_literal(&e->code, bits, sizeof bits);
    emit_vector(e, VPAND, to, from, row);
    emit_vector(e, VPCMPEQD, to, to, row);
}

static void select_rows(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct wt_rows_source *p = &n->s[2];
    const struct wt_rows_source *yes = &n->s[p->negated], *no = &n->s[!p->negated];
    if (p->constant)
        emit_vector(e, VMOVDQU, T0, 0, emit_literal(e, (uint32_t)p->value, false));
    else
        emit_vector(e, VPBROADCASTD, T0, 0, x86_mem(FRAME, p->slot));
    for (unsigned i = 0; i < strips(e); i++) {
        emit_spread(e, T1, T0, n->wide, i);
        const unsigned other = emit_loaded(e, emit_part(e, no, n->wide, i), T2);
        x86_vector_number(&e->code, VPBLENDVB, T2, other, emit_part(e, yes, n->wide, i), T1 << 4);
        emit_store(e, i, T2);
    }
    emit_keep(e);
}

/* ---- an instruction ---- */

void emit_alu(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_choose(e);
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
        if (n->boxed)
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
        binary(e, n->wide && !n->lower ? VPADDQ : VPADDD);
        break;
    case WT_ROWS_SUBTRACT:
        binary(e, n->wide && !n->lower ? VPSUBQ : VPSUBD);
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
    case WT_ROWS_SELECT:
        select_rows(e);
        break;
    case WT_ROWS_COMPARE:
        compare(e);
        break;
    case WT_ROWS_SET:
        set(e);
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
    case WT_ROWS_FLOAT_COMPARE:
        float_compare(e);
        break;
    case WT_ROWS_FLOAT_OF_SIGNED:
        unary(e, VCVTDQ2PS);
        break;
    default:
        assert(false);
        break;
    }
}
