/* Rows that a family gives, division, and rows of qwords as two of dwords. See emit.h. */
#include <string.h>

#include "emulator/translate/emit.h"

static const uint64_t two_to_52 = UINT64_C(0x433) << 52; /* a double, the units of which are 1 */

/* ---- what a family gives ---- */

static void given(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const size_t number = (size_t)n->s[0].value;
    const unsigned parts = emit_parts(e, false);
    if (n->how)
        x86_integer(&e->code, X86_LOAD, true, X86_DX, FIELD(given_rows));
    else
        emit_vector(e, VPBROADCASTD, T0, 0,
                    emit_field(offsetof(struct wt_rows_state, given) + 4 * number));
    for (unsigned i = 0; i < parts; i++) {
        if (n->how && e->few)
            emit_load_few(e, T0, X86_DX, (uint32_t)(4 * e->shape->lanes * number), false);
        else if (n->how)
            emit_vector(e, VMOVDQU, T0, 0,
                        x86_mem(X86_DX, 4 * e->shape->lanes * number + 32 * (size_t)i));
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* ---- division ---- */

/* The handler is called where the divisor of a lane that executes is 0. */
static void check_divisors(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->s[1].constant)
        return;
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        emit_vector(e, VMOVDQU, T0, 0, emit_part(e, &n->s[1], false, i));
        emit_vector(e, VPCMPEQD, T0, T0, emit_literal(e, 0, false));
        if (emit_is_partial(e))
            emit_vector(e, VPANDN, T0, emit_idle(e, false, i, T1), x86_reg(T0));
        emit_vector(e, VPOR, T3, T3, x86_reg(T0));
    }
    emit_test_any(e, T3, false);
    emit_call(e, X86_NOT_ZERO);
}

/* Four dwords of a source, of those `strip` * 4 and on, as doubles. */
static void doubles(struct emitter *e, const struct wt_rows_source *s, unsigned strip, unsigned to)
{
    const bool is_signed = e->insn[e->at].is_signed;
    if (is_signed && !s->constant) {
        emit_vector(e, VCVTDQ2PD, to, 0, emit_half(e, s, strip, to));
        return;
    }
    const uint32_t value = (uint32_t)s->value;
    const double number = is_signed ? (double)(int32_t)value : (double)value;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (s->constant) {
        emit_vector(e, VMOVDQU, to, 0, emit_literal(e, bits, true));
        return;
    }
    emit_widened(e, s, false, strip, to);
    emit_vector(e, VPOR, to, to, emit_literal(e, two_to_52, true));
    emit_vector(e, VSUBPD, to, to, emit_literal(e, two_to_52, true));
}

/*
 * The quotients of four dwords, in the lower half of a register, or in its qwords. Rounded to 53
 * bits a quotient does not reach the next whole number: it is 1 / 2^32 away from it at least.
 */
static void divide_four(struct emitter *e, unsigned strip, unsigned to)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    doubles(e, &n->s[0], strip, to);
    doubles(e, &n->s[1], strip, T2);
    emit_vector(e, VDIVPD, to, to, x86_reg(T2));
    if (n->is_signed) {
        emit_vector(e, VCVTTPD2DQ, to, 0, x86_reg(to));
        return;
    }
    x86_vector_number(&e->code, VROUNDPD, to, 0, x86_reg(to), 3);
    emit_vector(e, VADDPD, to, to, emit_literal(e, two_to_52, true));
}

static void divide(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    check_divisors(e);
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        divide_four(e, 2 * i, T0);
        if (!e->few)
            divide_four(e, 2 * i + 1, T1);
        if (e->few && !n->is_signed) {
            x86_vector_number(&e->code, VPSHUFD, T0, 0, x86_reg(T0), 0x08);
        } else if (!e->few && n->is_signed) {
            x86_vector_number(&e->code, VINSERTI128, T0, T0, x86_reg(T1), 1);
        } else if (!e->few) {
            x86_vector_number(&e->code, VSHUFPS, T0, T0, x86_reg(T1), 0x88);
            x86_vector_number(&e->code, VPERMQ, T0, 0, x86_reg(T0), 0xd8);
        }
        if (n->op == WT_ROWS_REMAINDER) {
            emit_vector(e, VPMULLD, T0, T0, emit_part(e, &n->s[1], false, i));
            const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T1);
            emit_vector(e, VPSUBD, T0, a, x86_reg(T0));
        }
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* ---- rows of qwords as two of dwords ---- */

/* The upper dwords go to the row behind the result's. */
static void split(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct wt_rows_source *s = &n->s[0];
    const uint32_t row = 4 * e->shape->lanes;
    for (unsigned half = 0; half < 2; half++)
        for (unsigned i = 0; i < emit_parts(e, false); i++) {
            emit_vector(e, VMOVDQU, T0, 0, emit_part(e, s, true, 2 * i));
            if (e->few) {
                x86_vector_number(&e->code, VPSHUFD, T0, 0, x86_reg(T0), half ? 0x0d : 0x08);
            } else {
                x86_vector_number(&e->code, VSHUFPS, T0, T0, emit_part(e, s, true, 2 * i + 1),
                                  half ? 0xdd : 0x88);
                x86_vector_number(&e->code, VPERMQ, T0, 0, x86_reg(T0), 0xd8);
            }
            emit_store_from(e, n->d + half * row, i, T0);
        }
    emit_evict(e, n->d, 2 * row);
}

/* The upper dwords are in the row behind the source's. */
static void join(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct wt_rows_source upper = n->s[0];
    upper.slot += 4 * e->shape->lanes;
    for (unsigned i = 0; i < emit_parts(e, true); i++) {
        emit_widened(e, &n->s[0], false, i, T0);
        emit_widened(e, &upper, false, i, T1);
        x86_vector_number(&e->code, VPSHIFTQ, 6, T1, x86_reg(T1), 32);
        emit_vector(e, VPOR, T0, T0, x86_reg(T1));
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

void emit_given(struct emitter *e)
{
    const unsigned op = e->insn[e->at].op;
    if (op == WT_ROWS_SPLIT) {
        split(e);
        return;
    }
    emit_choose(e);
    if (op == WT_ROWS_GIVEN)
        given(e);
    else if (op == WT_ROWS_PARAMETER)
        emit_parameter(e);
    else if (op == WT_ROWS_JOIN)
        join(e);
    else
        divide(e);
}
