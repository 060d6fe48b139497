/* Operations of shapes with 64 lanes and scalars. See emit.h. */
#include "emulator/translate/emit.h"

enum { PARTS = 8 }; /* parts of a row */

/* ---- singles with exact exception flags ---- */

/* Part `strip` of a source, which is 1 for lanes that do not execute, so that they raise nothing.
 * T4 has ones for those. */
static unsigned counting(struct emitter *e, unsigned source, unsigned strip, unsigned into)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[source];
    const unsigned from = emit_loaded(e, emit_part(e, s, false, strip), into);
    if (!e->some)
        return from;
    x86_vector_number(&e->code, VPBLENDVB, into, from, emit_literal(e, 0x3f800000, false), T4 << 4);
    return into;
}

/* Part `strip` of the result, in a register. */
static unsigned raising_part(struct emitter *e, unsigned op, unsigned sources, unsigned strip)
{
    if (e->some)
        emit_idle(e, false, strip, T4);
    unsigned a = counting(e, 0, strip, T0);
    const unsigned b = counting(e, 1, strip, T1);
    if (sources == 2) {
        emit_vector(e, op, T0, a, x86_reg(b));
        return T0;
    }
    const unsigned c = counting(e, 2, strip, T2);
    if (a != T0)
        emit_vector(e, VMOVDQU, T0, 0, x86_reg(a));
    emit_vector(e, op, T0, c, x86_reg(b));
    return T0;
}

/* Whether a single is a NaN or denormal. */
static bool is_special(uint64_t value)
{
    const uint32_t size = (uint32_t)value & INT32_MAX;
    return size > 0x7f800000 || (size && size < 0x800000);
}

/* The NaN that the host's instructions make where no source is a NaN; a source may equal it. */
#define HOST_NAN 0xffc00000u

/* Ones in T1 for lanes of a part of which the bits are a NaN's. As integers: a comparison of floats
 * would raise the exception of denormal numbers. */
static void find_nans(struct emitter *e, struct x86_place part)
{
    emit_vector(e, VMOVDQU, T1, 0, emit_literal(e, INT32_MAX, false));
    emit_vector(e, VPAND, T1, T1, part);
    emit_vector(e, VPCMPGTD, T1, T1, emit_literal(e, 0x7f800000, false));
}

/*
 * Of three sources, hosts may take another NaN than the first one: T3 gets ones where a result is a
 * NaN, and another one than a source that is, made quiet, or one that no source was.
 */
static void find_other_nans(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct cache kept = e->cache; /* results are where sources may have been */
    emit_forget(e);
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned r = emit_result(e, i);
        emit_vector(e, VPCMPEQD, T2, r, emit_literal(e, HOST_NAN, false));
        for (unsigned k = 0; k < 3; k++) {
            const struct x86_place part = emit_part(e, &n->s[k], false, i);
            if (n->s[k].constant && !is_special(n->s[k].value))
                continue;
            find_nans(e, part);
            emit_vector(e, VMOVDQU, T0, 0, emit_literal(e, 0x400000, false));
            emit_vector(e, VPOR, T0, T0, part);
            emit_vector(e, VPCMPEQD, T0, T0, x86_reg(r));
            emit_vector(e, VPANDN, T1, T0, x86_reg(T1));
            emit_vector(e, VPOR, T2, T2, x86_reg(T1));
        }
        find_nans(e, x86_reg(r));
        emit_vector(e, VPAND, T2, T2, x86_reg(T1));
        emit_vector(e, VPOR, T3, T3, x86_reg(T2));
    }
    e->cache = kept;
}

/* Of two sources, the host takes the first one that is a NaN, made quiet (Intel SDM, volume 1,
 * 4.8.3.5). If the handler is called, nothing has been stored. */
static void raising(struct emitter *e, unsigned op, unsigned sources)
{
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned r = raising_part(e, op, sources, i);
        if (sources == 2)
            emit_vector(e, VPCMPEQD, T1, r, emit_literal(e, HOST_NAN, false));
        else
            find_nans(e, x86_reg(r));
        emit_vector(e, VPOR, T3, T3, x86_reg(T1));
        emit_vector(e, VMOVDQU, emit_result(e, i), 0, x86_reg(r));
    }
    if (sources == 3) {
        emit_vector(e, VPTEST, T3, 0, x86_reg(T3));
        const size_t past = x86_jump(&e->code, X86_ZERO);
        find_other_nans(e);
        x86_land(&e->code, past, e->code.size);
    }
    emit_call_for_noted(e);
    for (unsigned i = 0; i < PARTS; i++)
        emit_store(e, i, emit_result(e, i));
    emit_keep(e);
}

/* T3 gets ones where a part of a source is a NaN or denormal. */
static void note_special(struct emitter *e, unsigned source, unsigned strip)
{
    const struct x86_place part = emit_part(e, &e->insn[e->at].s[source], false, strip);
    emit_vector(e, VMOVDQU, T1, 0, emit_literal(e, INT32_MAX, false));
    emit_vector(e, VPAND, T1, T1, part);
    emit_vector(e, VPCMPGTD, T2, T1, emit_literal(e, 0x7f800000, false));
    emit_vector(e, VPOR, T3, T3, x86_reg(T2));
    emit_vector(e, VPADDD, T1, T1, emit_literal(e, UINT32_MAX, false));
    emit_vector(e, VPMINUD, T2, T1, emit_literal(e, 0x7ffffe, false));
    emit_vector(e, VPCMPEQD, T2, T2, x86_reg(T1));
    emit_vector(e, VPOR, T3, T3, x86_reg(T2));
}

/* A single becomes an integer that compares in the same order, and the other way round. */
static void make_key(struct emitter *e, unsigned to, unsigned from, unsigned scratch)
{
    x86_vector_number(&e->code, VPSHIFTD, 4, scratch, x86_reg(from), 31);
    x86_vector_number(&e->code, VPSHIFTD, 2, scratch, x86_reg(scratch), 1);
    emit_vector(e, VPXOR, to, from, x86_reg(scratch));
}

/* Minimum or maximum, where no source is a NaN or denormal. */
static void extreme(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned k = 0; k < 2; k++)
        if (n->s[k].constant && is_special(n->s[k].value)) {
            emit_call(e, X86_ALWAYS);
            emit_forget(e);
            return;
        }
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < PARTS; i++)
        for (unsigned k = 0; k < 2; k++)
            if (!n->s[k].constant)
                note_special(e, k, i);
    emit_call_for_noted(e);
    for (unsigned i = 0; i < PARTS; i++) {
        make_key(e, T0, emit_loaded(e, emit_part(e, &n->s[0], false, i), T0), T2);
        make_key(e, T1, emit_loaded(e, emit_part(e, &n->s[1], false, i), T1), T2);
        emit_vector(e, n->op == WT_ROWS_FLOAT_MIN ? VPMINSD : VPMAXSD, T0, T0, x86_reg(T1));
        make_key(e, T0, T0, T2);
        emit_store(e, i, T0);
    }
    emit_keep(e);
}

/* ---- two operations, carries, pairs of rows ---- */

/* to = a op b, dwords; T2 is free for it. */
static void one_of_two(struct emitter *e, unsigned op, unsigned to, unsigned a,
                       const struct wt_rows_source *s, unsigned strip)
{
    const struct x86_place b = emit_part(e, s, false, strip);
    if (op == WT_ROWS_SHIFT_LEFT && s->constant) {
        x86_vector_number(&e->code, VPSHIFTD, 6, to, x86_reg(a), (unsigned)s->value & 31);
    } else if (op == WT_ROWS_SHIFT_LEFT) {
        emit_vector(e, VMOVDQU, T2, 0, emit_literal(e, 31, false));
        emit_vector(e, VPAND, T2, T2, b);
        emit_vector(e, VPSLLVD, to, a, x86_reg(T2));
    } else {
        emit_vector(e,
                    op == WT_ROWS_ADD   ? VPADDD
                    : op == WT_ROWS_AND ? VPAND
                    : op == WT_ROWS_OR  ? VPOR
                                        : VPXOR,
                    to, a, b);
    }
}

static void two(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0);
        one_of_two(e, n->how, T1, a, &n->s[1], i);
        one_of_two(e, n->combine, T1, T1, &n->s[2], i);
        emit_store(e, i, T1);
    }
    emit_keep(e);
}

/* Ones in T3 for the lanes of a part that carry. */
static void spread_carry(struct emitter *e, unsigned strip)
{
    if (e->looping)
        emit_load_byte(e, T3, e->insn[e->at].s[2].slot);
    else
        emit_vector(e, VPBROADCASTD, T3, 0,
                    x86_mem(SCALARS, e->insn[e->at].s[2].slot + strip / 4 * 4));
    emit_spread(e, T3, T3, false, strip % 4);
}

/* Sums and differences with a carry in: the signs of T2 are the carry out. */
static void carry_part(struct emitter *e, unsigned a, struct x86_place b, unsigned strip)
{
    spread_carry(e, strip);
    if (e->insn[e->at].op == WT_ROWS_ADD_CARRY) { /* (a & b) | ((a | b) & ~sum) */
        emit_vector(e, VPADDD, T1, a, b);
        emit_vector(e, VPSUBD, T1, T1, x86_reg(T3));
        emit_vector(e, VPOR, T2, a, b);
        emit_vector(e, VPANDN, T2, T1, x86_reg(T2));
        emit_vector(e, VPAND, T3, a, b);
    } else { /* (~a & b) | (~(a & ~b) & difference) */
        emit_vector(e, VPSUBD, T1, a, b);
        emit_vector(e, VPADDD, T1, T1, x86_reg(T3));
        emit_vector(e, VPANDN, T2, emit_loaded(e, b, T2), x86_reg(a));
        emit_vector(e, VPANDN, T2, T2, x86_reg(T1));
        emit_vector(e, VPANDN, T3, a, b);
    }
    emit_vector(e, VPOR, T2, T2, x86_reg(T3));
}

static void carry(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool adds = n->op == WT_ROWS_ADD_CARRY;
    if (e->sparse)
        x86_set(&e->code, X86_AX, 0);
    const size_t loop = emit_begin_parts(e);
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        const struct x86_place b = emit_part(e, &n->s[1], false, i);
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0);
        if (n->alu.carries) {
            carry_part(e, a, b, i);
        } else { /* there is none where the greater one is the sum, or the first one */
            emit_vector(e, adds ? VPADDD : VPSUBD, T1, a, b);
            emit_vector(e, VPMAXUD, T2, a, adds ? x86_reg(T1) : b);
            emit_vector(e, VPCMPEQD, T2, T2, x86_reg(adds ? T1 : a));
        }
        emit_add_signs(e, i, T2);
        emit_store(e, i, T1);
    }
    emit_end_parts(e, loop);
    if (!n->alu.carries)
        x86_integer_number(&e->code, X86_XOR, true, X86_AX, -1);
    emit_store_lanes(e, n->alu.carry);
    emit_keep(e);
}

/*
 * The half of a pair in T1, and that in T2 into which bits of it move, are shifted by T0; T3 and T4
 * are free. Of three terms, those that are shifted by 32 or more (or, seen so, below 0) are 0.
 */
static void shift_pair(struct emitter *e, unsigned op, unsigned back)
{
    emit_vector(e, op, T2, T2, x86_reg(T0));
    emit_vector(e, VMOVDQU, T3, 0, emit_literal(e, 32, false));
    emit_vector(e, VPSUBD, T4, T0, x86_reg(T3));
    emit_vector(e, VPSUBD, T3, T3, x86_reg(T0));
    emit_vector(e, back, T3, T1, x86_reg(T3));
    emit_vector(e, op, T4, T1, x86_reg(T4));
    emit_vector(e, VPOR, T2, T2, x86_reg(T3));
    emit_vector(e, VPOR, T2, T2, x86_reg(T4));
    emit_vector(e, op, T1, T1, x86_reg(T0));
}

/* Likewise by a number below 32: T3 is free for it. */
static void shift_pair_by(struct emitter *e, bool left, unsigned by)
{
    struct x86_code *code = &e->code;
    x86_vector_number(code, VPSHIFTD, left ? 6 : 2, T2, x86_reg(T2), by);
    x86_vector_number(code, VPSHIFTD, left ? 2 : 6, T3, x86_reg(T1), 32 - by);
    emit_vector(e, VPOR, T2, T2, x86_reg(T3));
    x86_vector_number(code, VPSHIFTD, left ? 6 : 2, T1, x86_reg(T1), by);
}

static void pair(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint32_t row = 4 * e->shape->lanes;
    const bool left = n->op == WT_ROWS_PAIR_LEFT;
    for (unsigned i = 0; i < PARTS; i++) {
        const struct wt_rows_source half[2] = {{.slot = n->s[0].slot + (left ? 0 : row)},
                                               {.slot = n->s[0].slot + (left ? row : 0)}};
        const unsigned by = (unsigned)n->s[1].value & 63;
        const bool known = n->s[1].constant && by < 32;
        if (!known) {
            emit_vector(e, VMOVDQU, T0, 0, emit_literal(e, 63, false));
            emit_vector(e, VPAND, T0, T0, emit_part(e, &n->s[1], false, i));
        }
        emit_vector(e, VMOVDQU, T1, 0, x86_mem(FRAME, half[0].slot + 32 * i));
        emit_vector(e, VMOVDQU, T2, 0, x86_mem(FRAME, half[1].slot + 32 * i));
        if (known)
            shift_pair_by(e, left, by);
        else
            shift_pair(e, left ? VPSLLVD : VPSRLVD, left ? VPSRLVD : VPSLLVD);
        emit_store_from(e, n->d + (left ? 0 : row), i, T1);
        emit_store_from(e, n->d + (left ? row : 0), i, T2);
    }
    emit_evict(e, n->d, 2 * row);
}

/* The qwords of a part of source 2, of the even lanes or of the odd ones, in T3. */
static void addend(struct emitter *e, unsigned strip, bool odd)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[2];
    const struct wt_rows_source high = {.slot = s->slot + 4 * e->shape->lanes};
    if (s->constant || s->scalar) {
        emit_vector(e, VMOVDQU, T3, 0,
                    s->constant ? emit_literal(e, s->value, true) : x86_reg(SOURCE + 2));
        return;
    }
    const unsigned half = emit_loaded(e, emit_part(e, odd ? s : &high, false, strip), T3);
    x86_vector_number(&e->code, VPSHIFTQ, odd ? 2 : 6, T3, x86_reg(half), 32);
    x86_vector_number(&e->code, VPBLENDD, T3, T3, emit_part(e, odd ? &high : s, false, strip),
                      odd ? 0xaa : 0x55);
}

/* T3 is added to the qwords of a register; `carries` gets ones where that overflows. T4 is free. */
static void add_qwords(struct emitter *e, unsigned to, unsigned carries)
{
    const struct x86_place sign = emit_literal(e, UINT64_C(1) << 63, true);
    emit_vector(e, VPADDQ, to, to, x86_reg(T3));
    emit_vector(e, VPXOR, T3, T3, sign);
    emit_vector(e, VPXOR, T4, to, sign);
    emit_vector(e, VPCMPGTQ, carries, T3, x86_reg(T4));
}

/* The products of the even lanes are in T1, those of the odd ones in T2. */
static void pair_multiply_add(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint32_t row = 4 * e->shape->lanes;
    const bool adds = !n->s[2].constant || n->s[2].value;
    if (n->s[2].scalar)
        emit_vector(e, VPBROADCASTQ, SOURCE + 2, 0, x86_mem(SCALARS, n->s[2].slot));
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned a = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0);
        const struct x86_place b = emit_part(e, &n->s[1], false, i);
        emit_vector(e, VPMULUDQ, T1, a, b);
        x86_vector_number(&e->code, VPSHIFTQ, 2, T2, x86_reg(a), 32);
        x86_vector_number(&e->code, VPSHIFTQ, 2, T0, x86_reg(emit_loaded(e, b, T0)), 32);
        emit_vector(e, VPMULUDQ, T2, T2, x86_reg(T0));
        if (adds) {
            addend(e, i, false);
            add_qwords(e, T1, T0);
            addend(e, i, true);
            add_qwords(e, T2, T3);
            x86_vector_number(&e->code, VPBLENDD, T0, T0, x86_reg(T3), 0xaa);
            emit_add_signs(e, i, T0);
        }
        x86_vector_number(&e->code, VPSHIFTQ, 6, T3, x86_reg(T2), 32);
        x86_vector_number(&e->code, VPBLENDD, T0, T1, x86_reg(T3), 0xaa);
        x86_vector_number(&e->code, VPSHIFTQ, 2, T1, x86_reg(T1), 32);
        x86_vector_number(&e->code, VPBLENDD, T1, T1, x86_reg(T2), 0xaa);
        emit_store_from(e, n->d, i, T0);
        emit_store_from(e, n->d + row, i, T1);
    }
    if (!adds)
        x86_set(&e->code, X86_AX, 0);
    emit_store_lanes(e, n->alu.carry);
    emit_evict(e, n->d, 2 * row);
}

/* ---- an instruction ---- */

void emit_guard(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->guarded) {
        x86_test_byte(&e->code, FIELD(guard), 1);
        emit_call(e, X86_NOT_ZERO);
    }
    if (n->op == WT_ROWS_FLOAT_MULTIPLY_ADD && n->alu.carries) {
        x86_integer(&e->code, X86_LOAD, true, X86_AX, x86_mem(SCALARS, n->alu.carry));
        x86_integer(&e->code, X86_AND, true, X86_AX, FIELD(mask));
        emit_call(e, X86_NOT_ZERO);
    }
}

bool emit_wave(struct emitter *e)
{
    emit_guard(e);
    emit_scalars(e);
    switch ((enum wt_rows_op)e->insn[e->at].op) {
    case WT_ROWS_FLOAT_ADD:
        raising(e, VADDPS, 2);
        return true;
    case WT_ROWS_FLOAT_SUBTRACT:
        raising(e, VSUBPS, 2);
        return true;
    case WT_ROWS_FLOAT_MULTIPLY:
        raising(e, VMULPS, 2);
        return true;
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
        raising(e, VFMADD132PS, 3);
        return true;
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
        extreme(e);
        return true;
    case WT_ROWS_TWO:
        two(e);
        return true;
    case WT_ROWS_ADD_CARRY:
    case WT_ROWS_SUBTRACT_CARRY:
        carry(e);
        return true;
    case WT_ROWS_PAIR_LEFT:
    case WT_ROWS_PAIR_RIGHT:
        pair(e);
        return true;
    case WT_ROWS_PAIR_MULTIPLY_ADD:
        pair_multiply_add(e);
        return true;
    default:
        return emit_real(e);
    }
}
