/* Arithmetic, comparisons, selection. See emit.h. */
#include <assert.h>

#include "emulator/translate/emit.h"

/* ---- operations ---- */

static unsigned strips(const struct wt_rows_insn *n)
{
    return emit_is_wide_result(n) ? 8 : 4;
}

/* d = a op b */
static void binary(struct emitter *e, unsigned op, bool wide)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(n); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], wide, i), T0);
        emit_vector(e, op, emit_result(e, i), a, emit_part(e, &n->s[1], wide, i));
        emit_store(e, i, emit_result(e, i));
    }
    emit_keep(e);
}

/* d = op a */
static void unary(struct emitter *e, unsigned op)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(n); i++) {
        emit_vector(e, op, emit_result(e, i), 0, emit_part(e, &n->s[0], n->wide, i));
        emit_store(e, i, emit_result(e, i));
    }
    emit_keep(e);
}

/* d = value op a */
static void of_number(struct emitter *e, unsigned op, uint64_t value)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < strips(n); i++) {
        emit_vector(e, VMOVDQU, T0, 0, emit_literal(e, value, true));
        emit_vector(e, op, T1, T0, emit_part(e, &n->s[0], n->wide, i));
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

static void multiply_add(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < 4; i++) {
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
    for (unsigned i = 0; i < 8; i++) {
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
    for (unsigned i = 0; i < 8; i++) {
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

/* Shifts: left 6, right 2, signed 4 of the instructions with a number. */
static void shift(struct emitter *e, unsigned by_number, unsigned by_row)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool number = n->s[1].constant;
    const uint32_t bits = (uint32_t)n->s[1].value;
    for (unsigned i = 0; i < strips(n); i++) {
        if (number) {
            const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), T0);
            x86_vector_number(&e->code, n->wide ? VPSHIFTQ : VPSHIFTD, by_number, emit_result(e, i),
                              x86_reg(a), bits < 255 ? bits : 255);
        } else {
            struct x86_place by = x86_reg(T1);
            if (n->wide)
                emit_widened(e, &n->s[1], false, i, T1);
            else
                by = emit_part(e, &n->s[1], false, i);
            emit_vector(e, by_row, emit_result(e, i),
                        emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), T0), by);
        }
        emit_store(e, i, emit_result(e, i));
    }
    emit_keep(e);
}

/* A NaN in a register becomes the one that there is. */
static void settle_nan(struct emitter *e, unsigned reg, unsigned scratch)
{
    x86_vector_number(&e->code, VCMPPS, scratch, reg, x86_reg(reg), 3);
    x86_vector_number(&e->code, VBLENDVPS, reg, reg, emit_literal(e, 0x7fffffff, false),
                      scratch << 4);
}

static void float_binary(struct emitter *e, unsigned op)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < 4; i++) {
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
    for (unsigned i = 0; i < 4; i++) {
        const struct x86_place a = emit_part(e, &n->s[0], false, i);
        emit_vector(e, VMOVDQU, T0, 0, a);
        const unsigned c = emit_loaded(e, emit_part(e, &n->s[2], false, i), T1);
        emit_vector(e, VFMADD132PS, T0, c, emit_part(e, &n->s[1], false, i));
        settle_nan(e, T0, T2);
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/*
 * Of doubles. Which NaN a result is depends on the order in which the host's instruction has its
 * operands: then the handler computes it, and nothing is stored here.
 */
static void wide_float(struct emitter *e, unsigned op)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < 8; i++) {
        if (op == VFMADD132PD) {
            emit_vector(e, VMOVDQU, T0, 0, emit_part(e, &n->s[0], true, i));
            emit_vector(e, op, T0, emit_loaded(e, emit_part(e, &n->s[2], true, i), T1),
                        emit_part(e, &n->s[1], true, i));
            emit_vector(e, VMOVDQU, i, 0, x86_reg(T0));
        } else {
            emit_vector(e, op, i, emit_loaded(e, emit_part(e, &n->s[0], true, i), T0),
                        emit_part(e, &n->s[1], true, i));
        }
        x86_vector_number(&e->code, VCMPPD, T2, i, x86_reg(i), 3);
        emit_vector(e, VPOR, T3, T3, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T3, 0, x86_reg(T3));
    emit_call(e, X86_NOT_ZERO);
    for (unsigned i = 0; i < 8; i++)
        emit_store(e, i, i);
    emit_keep(e);
}

/* An operation on singles, or the one on doubles. */
static void either_float(struct emitter *e, unsigned single, unsigned twice)
{
    if (e->insn[e->at].wide)
        wide_float(e, twice);
    else if (single == VFMADD132PS)
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
    emit_evict(&e->cache, n->d, 4);
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
};

static struct comparison comparison_of(const struct wt_rows_insn *n)
{
    const unsigned how = n->how & 7;
    const bool opposite = how == (WT_ROWS_LESS | WT_ROWS_GREATER) || how == WT_ROWS_GREATER ||
                          how == (WT_ROWS_GREATER | WT_ROWS_EQUAL);
    const unsigned h = opposite ? how ^ 7 : how; /* EQUAL, LESS | EQUAL, LESS */
    if (h == WT_ROWS_EQUAL)
        return (struct comparison){n->wide ? VPCMPEQQ : VPCMPEQD, false, opposite, 0};
    if (n->is_signed)
        return h == WT_ROWS_LESS
                   ? (struct comparison){n->wide ? VPCMPGTQ : VPCMPGTD, true, opposite, 0}
                   : (struct comparison){n->wide ? VPCMPGTQ : VPCMPGTD, false, !opposite, 0};
    /* a <= b: the lesser one is a; a < b: not b <= a */
    return h == WT_ROWS_LESS ? (struct comparison){VPCMPEQD, true, !opposite, VPMINUD}
                             : (struct comparison){VPCMPEQD, false, opposite, VPMINUD};
}

static void compare(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    const struct wt_rows_source *first = &n->s[c.swapped], *second = &n->s[!c.swapped];
    const unsigned how = n->how & 7;
    if (how == 0 || how == 7) {
        x86_set(&e->code, X86_AX, how ? UINT32_MAX : 0);
        store_predicate(e);
        return;
    }
    if (n->wide && c.extreme) {
        emit_leave(e, X86_ALWAYS);
        return;
    }
    for (unsigned i = 0; i < 4 && !n->wide; i++) {
        const struct x86_place a = emit_part(e, first, false, i),
                               b = emit_part(e, second, false, i);
        if (c.extreme) {
            emit_vector(e, c.extreme, T0 + i, emit_loaded(e, a, T0 + i), b);
            emit_vector(e, c.op, T0 + i, T0 + i, a);
        } else {
            emit_vector(e, c.op, T0 + i, emit_loaded(e, a, T0 + i), b);
        }
    }
    if (!n->wide)
        gather_signs(e);
    for (unsigned i = 0; i < 8 && n->wide; i++) {
        emit_vector(e, c.op, T0, emit_loaded(e, emit_part(e, first, true, i), T0),
                    emit_part(e, second, true, i));
        gather_wide_signs(e, i);
    }
    if (c.opposite)
        x86_not(&e->code, X86_AX);
    store_predicate(e);
}

static void float_compare(struct emitter *e)
{
    /* Predicates of VCMPPS that raise no exception, by the outcomes for which they hold. */
    static const uint8_t predicate[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                          0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
    const struct wt_rows_insn *n = &e->insn[e->at];
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
    for (unsigned i = 0; i < strips(n); i++) {
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
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
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
        binary(e, n->wide ? VPADDQ : VPADDD, n->wide);
        break;
    case WT_ROWS_SUBTRACT:
        binary(e, n->wide ? VPSUBQ : VPSUBD, n->wide);
        break;
    case WT_ROWS_MULTIPLY:
        binary(e, VPMULLD, false);
        break;
    case WT_ROWS_MULTIPLY_ADD:
        multiply_add(e);
        break;
    case WT_ROWS_AND:
        binary(e, VPAND, n->wide);
        break;
    case WT_ROWS_OR:
        binary(e, VPOR, n->wide);
        break;
    case WT_ROWS_XOR:
        binary(e, VPXOR, n->wide);
        break;
    case WT_ROWS_SHIFT_LEFT:
        shift(e, 6, n->wide ? VPSLLVQ : VPSLLVD);
        break;
    case WT_ROWS_SHIFT_RIGHT:
        shift(e, 2, n->wide ? VPSRLVQ : VPSRLVD);
        break;
    case WT_ROWS_SHIFT_SIGNED:
        shift(e, 4, VPSRAVD);
        break;
    case WT_ROWS_MIN:
        binary(e, VPMINUD, false);
        break;
    case WT_ROWS_MAX:
        binary(e, VPMAXUD, false);
        break;
    case WT_ROWS_MIN_SIGNED:
        binary(e, VPMINSD, false);
        break;
    case WT_ROWS_MAX_SIGNED:
        binary(e, VPMAXSD, false);
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
    case WT_ROWS_FLOAT_ADD:
        either_float(e, VADDPS, VADDPD);
        break;
    case WT_ROWS_FLOAT_SUBTRACT:
        either_float(e, VSUBPS, VSUBPD);
        break;
    case WT_ROWS_FLOAT_MULTIPLY:
        either_float(e, VMULPS, VMULPD);
        break;
    case WT_ROWS_FLOAT_DIVIDE:
        either_float(e, VDIVPS, VDIVPD);
        break;
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
        either_float(e, VFMADD132PS, VFMADD132PD);
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
