/* Comparisons, predicates, selection. See emit.h. */
#include <assert.h>

#include "emulator/translate/emit.h"

void emit_store_predicate(struct emitter *e)
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
    if (emit_is_partial(e) || e->few) {
        x86_integer(&e->code, X86_XOR, false, X86_AX, to);
        x86_integer(&e->code, X86_AND, false, X86_AX, emit_executing(e));
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

void emit_add_signs(struct emitter *e, unsigned strip, unsigned from)
{
    if (e->looping) { /* ax is 0 before the loop; 8 lanes are 32 bytes of a row */
        emit_vector(e, VMOVMSKPS, X86_DX, 0, x86_reg(from));
        x86_integer(&e->code, X86_LOAD, false, X86_R8, x86_reg(X86_R10));
        x86_shift(&e->code, false, X86_R8, 2);
        x86_shift_by(&e->code, X86_DX, X86_R8);
        x86_integer(&e->code, X86_OR, true, X86_AX, x86_reg(X86_DX));
        return;
    }
    emit_vector(e, VMOVMSKPS, strip ? X86_DX : X86_AX, 0, x86_reg(from));
    if (!strip)
        return;
    x86_shift(&e->code, true, X86_DX, 8 * strip);
    x86_integer(&e->code, X86_OR, true, X86_AX, x86_reg(X86_DX));
}

void emit_store_lanes(struct emitter *e, uint32_t slot)
{
    x86_integer(&e->code, X86_AND, true, X86_AX, FIELD(mask));
    x86_integer(&e->code, X86_STORE, true, X86_AX, x86_mem(SCALARS, slot));
}

/* A predicate of 64 lanes. */
static void compare_lanes(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    const unsigned how = n->how & 7;
    const bool same = how == 0 || how == 7;
    if (same)
        x86_set(&e->code, X86_AX, how ? UINT64_MAX : 0);
    if (!same && e->sparse) {
        x86_set(&e->code, X86_AX, 0);
        const size_t loop = emit_begin_parts(e);
        compare_part(e, c, 0, T0);
        emit_add_signs(e, 0, T0);
        emit_end_parts(e, loop);
    }
    for (unsigned half = 0; half < 2 && !same && !e->sparse; half++) {
        for (unsigned i = 0; i < 4; i++)
            compare_part(e, c, 4 * half + i, T0 + i);
        gather_signs(e);
        if (!half)
            x86_integer(&e->code, X86_LOAD, false, X86_DX, x86_reg(X86_AX));
    }
    if (!same && !e->sparse) {
        x86_shift(&e->code, true, X86_AX, 32);
        x86_integer(&e->code, X86_OR, true, X86_AX, x86_reg(X86_DX));
    }
    if (c.opposite && !same)
        x86_integer_number(&e->code, X86_XOR, true, X86_AX, -1);
    emit_store_lanes(e, n->d);
}

/* Whether a selection behind the comparison finds its outcome in a register. */
static bool keeps_outcome(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    return e->few && !n->combine && !n->conditional;
}

/* Ones in T0, or its complement, are kept in the result's register. */
static void keep_outcome(struct emitter *e, bool opposite)
{
    if (!keeps_outcome(e))
        return;
    if (opposite)
        emit_vector(e, VPXOR, e->result, T0, emit_literal(e, UINT32_MAX, false));
    else
        emit_vector(e, VMOVDQU, e->result, 0, x86_reg(T0));
}

/* They are those of the predicate that has been stored. */
static void note_outcome(struct emitter *e)
{
    if (keeps_outcome(e))
        emit_keep_ones(e);
}

/* A predicate. */
static void compare(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    const unsigned how = n->how & 7;
    if (how == 0 || how == 7) {
        x86_set(&e->code, X86_AX, how ? UINT32_MAX : 0);
        emit_store_predicate(e);
        return;
    }
    emit_parts(e, n->wide);
    if (e->few) {
        compare_part(e, c, 0, T0);
        keep_outcome(e, c.opposite);
        emit_signs_of_few(e, n->wide);
    }
    for (unsigned i = 0; i < 4 && !n->wide && !e->few; i++)
        compare_part(e, c, i, T0 + i);
    if (!n->wide && !e->few)
        gather_signs(e);
    for (unsigned i = 0; i < 8 && n->wide && !e->few; i++) {
        compare_part(e, c, i, T0);
        gather_wide_signs(e, i);
    }
    if (c.opposite)
        x86_not(&e->code, X86_AX);
    emit_store_predicate(e);
    note_outcome(e);
}

/* A row of ones and zeros. */
static void set(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct comparison c = comparison_of(n);
    for (unsigned i = 0; i < emit_parts(e, emit_is_wide_result(n)); i++) {
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

unsigned emit_float_predicate(unsigned how)
{
    static const uint8_t numbers[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                        0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
    return numbers[how & 15];
}

/* A predicate of 64 lanes, whose exceptions are the program's: lanes that do not execute compare 1
 * with 1. */
static void float_compare_lanes(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        if (e->some)
            emit_idle(e, false, i, T4);
        for (unsigned k = 0; k < 2; k++) {
            const unsigned from = emit_loaded(e, emit_part(e, &n->s[k], false, i), T0 + k);
            if (e->some)
                x86_vector_number(&e->code, VPBLENDVB, T0 + k, from,
                                  emit_literal(e, 0x3f800000, false), T4 << 4);
            else if (from != T0 + k)
                emit_vector(e, VMOVDQU, T0 + k, 0, x86_reg(from));
        }
        x86_vector_number(&e->code, VCMPPS, T0, T0, x86_reg(T1), emit_float_predicate(n->how));
        emit_add_signs(e, i, T0);
    }
    emit_store_lanes(e, n->d);
}

static void float_compare(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_parts(e, n->wide);
    if (n->alu.flushes)
        emit_call_for_small(e, emit_parts(e, false), 2);
    for (unsigned i = 0; i < emit_parts(e, n->wide); i++) {
        const unsigned to = n->wide ? T0 : T0 + i;
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], n->wide, i), to);
        x86_vector_number(&e->code, n->wide ? VCMPPD : VCMPPS, to, a,
                          emit_part(e, &n->s[1], n->wide, i), emit_float_predicate(n->how));
        if (n->wide && !e->few)
            gather_wide_signs(e, i);
    }
    if (e->few) {
        keep_outcome(e, false);
        emit_signs_of_few(e, n->wide);
    } else if (!n->wide) {
        gather_signs(e);
    }
    emit_store_predicate(e);
    note_outcome(e);
}

/* Ones in a register for the lanes of a part for which the predicate in another one is 1. */
void emit_spread(struct emitter *e, unsigned to, unsigned from, bool wide, unsigned strip)
{
    uint32_t bits[8];
    const unsigned lanes = wide ? 4 : 8;
    for (unsigned i = 0; i < 8; i++)
        bits[i] = 1u << (strip * lanes + (wide ? i / 2 : i));
    const struct x86_place row =
        e->few ? emit_bits_of_few(wide) : x86_literal(&e->code, bits, sizeof bits);
    emit_vector(e, VPAND, to, from, row);
    emit_vector(e, VPCMPEQD, to, to, row);
}

void emit_load_byte(struct emitter *e, unsigned to, uint32_t slot)
{
    x86_integer(&e->code, X86_LOAD, true, X86_R8, x86_reg(X86_R10));
    x86_shift(&e->code, false, X86_R8, 5);
    x86_integer(&e->code, X86_ADD, true, X86_R8, x86_reg(SCALARS));
    emit_vector(e, VPBROADCASTB, to, 0, x86_mem(X86_R8, slot));
}

static void select_rows(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct wt_rows_source *p = &n->s[2];
    const struct wt_rows_source *yes = &n->s[p->negated], *no = &n->s[!p->negated];
    const unsigned kept = e->few && !p->constant ? emit_kept_ones(e, p->slot, n->wide) : NOTHING;
    if (kept != NOTHING) {
        emit_parts(e, n->wide);
        const unsigned other = emit_loaded(e, emit_part(e, no, n->wide, 0), T2);
        x86_vector_number(&e->code, VPBLENDVB, T2, other, emit_part(e, yes, n->wide, 0), kept << 4);
        emit_store(e, 0, T2);
        emit_keep(e);
        return;
    }
    if (p->constant)
        emit_vector(e, VMOVDQU, T0, 0, emit_literal(e, (uint32_t)p->value, false));
    else if (!p->scalar)
        emit_vector(e, VPBROADCASTD, T0, 0, x86_mem(FRAME, p->slot));
    for (unsigned i = 0; i < emit_parts(e, emit_is_wide_result(n)); i++) {
        if (p->scalar && e->looping)
            emit_load_byte(e, T0, p->slot);
        else if (p->scalar && i % 4 == 0)
            emit_vector(e, VPBROADCASTD, T0, 0, x86_mem(SCALARS, p->slot + i));
        emit_spread(e, T1, T0, n->wide, p->scalar ? i % 4 : i);
        const unsigned other = emit_loaded(e, emit_part(e, no, n->wide, i), T2);
        x86_vector_number(&e->code, VPBLENDVB, T2, other, emit_part(e, yes, n->wide, i), T1 << 4);
        emit_store(e, i, T2);
    }
    emit_keep(e);
}

void emit_predicate(struct emitter *e)
{
    switch ((enum wt_rows_op)e->insn[e->at].op) {
    case WT_ROWS_COMPARE:
        if (e->shape->scalars)
            compare_lanes(e);
        else
            compare(e);
        break;
    case WT_ROWS_FLOAT_COMPARE:
        if (e->shape->scalars)
            float_compare_lanes(e);
        else
            float_compare(e);
        break;
    case WT_ROWS_SET:
        set(e);
        break;
    case WT_ROWS_SELECT:
        select_rows(e);
        break;
    default:
        assert(e->insn[e->at].op == WT_ROWS_PREDICATE);
        emit_load_predicate(e, &e->insn[e->at].s[0], X86_AX);
        emit_store_predicate(e);
        break;
    }
}
