/*
 * Shapes without scalars, of 16 and 32 lanes, in vectors of 512 bits: which instructions they do;
 * qwords and singles; accesses at addresses of 64 bits. See emit_512.h.
 */
#include <string.h>

#include "base/bits.h"
#include "emulator/translate/emit_512.h"

enum { OR_DIFFERENCE = 0xf6 }; /* VPTERNLOGD: a | b ^ c */

/* ---- qwords ---- */

/* Part `strip` of qwords of the dwords of a source, in a register. */
static unsigned widened(struct emitter *e, unsigned i, unsigned strip, unsigned into)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct wt_rows_source *s = &n->s[i];
    const uint64_t value =
        n->is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)s->value : (uint32_t)s->value;
    if (s->constant)
        z(e, ZPBROADCASTQ, into, 0, emit_literal(e, value, true));
    else
        z(e, n->is_signed ? ZPMOVSXDQ : ZPMOVZXDQ, into, 0,
          x86_mem(FRAME, s->slot + 32 * (size_t)strip));
    return into;
}

static void widen(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint32_t factor = (uint32_t)n->s[1].value;
    const bool shifts = n->s[1].constant && !(factor & (factor - 1)) && (int32_t)factor > 0;
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        /* the bank may be that of the addend */
        const unsigned into = n->op == WT_ROWS_MULTIPLY_ADD_WIDE ? T1 : emit_512_target(e, bank, i);
        const unsigned d = widened(e, 0, i, into);
        if (n->op != WT_ROWS_WIDEN && shifts)
            zn(e, ZPSHIFTQ, 6, d, x86_reg(d), 0, (unsigned)__builtin_ctz(factor));
        else if (n->op != WT_ROWS_WIDEN)
            z(e, n->is_signed ? ZPMULDQ : ZPMULUDQ, d, d, x86_reg(widened(e, 1, i, T0)));
        if (n->op == WT_ROWS_MULTIPLY_ADD_WIDE)
            z(e, ZPADDQ, d, d, emit_512_source(e, 2, i));
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* The lower dwords of two parts of qwords, of which the first is in a register, as one part there;
 * T0 has even numbers. */
static void lower_halves(struct emitter *e, unsigned to, struct x86_place second)
{
    z(e, ZPERMT2D, to, T0, second);
}

static void load_even_numbers(struct emitter *e)
{
    uint8_t even[LANES];
    for (unsigned i = 0; i < LANES; i++)
        even[i] = (uint8_t)(2 * i);
    z(e, ZPMOVZXBD, T0, 0, x86_literal(&e->code, even, sizeof even));
}

static void narrow(struct emitter *e)
{
    const unsigned bank = emit_512_choose(e);
    load_even_numbers(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load(e, 0, 2 * i, T1);
        const struct x86_place second = emit_512_source(e, 0, 2 * i + 1);
        lower_halves(e, T1, x86_reg(emit_512_loaded(e, second, T2)));
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

static void negate(struct emitter *e)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        z(e, VPXOR, T1, T1, x86_reg(T1));
        z(e, emit_512_is_wide(e) ? ZPSUBQ : VPSUBD, T1, T1, emit_512_source(e, 0, i));
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

/* ---- what a family gives ---- */

/* The result has what is at a place in all lanes. */
static void alike(struct emitter *e, struct x86_place place)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        const unsigned d = emit_512_target(e, bank, i);
        z(e, emit_512_is_wide(e) ? ZPBROADCASTQ : ZPBROADCASTD, d, 0, place);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

static void given(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const size_t number = (size_t)n->s[0].value;
    if (!n->how) {
        alike(e, emit_field(offsetof(struct wt_rows_state, given) + 4 * number));
        return;
    }
    const unsigned bank = emit_512_choose_home(e);
    x86_integer(&e->code, X86_LOAD, true, X86_DX, FIELD(given_rows));
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned d = emit_512_target(e, bank, i);
        z(e, VMOVDQU, d, 0, x86_mem(X86_DX, row_of(e) * number + 64 * (size_t)i));
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* ---- division: see emit_given.c ---- */

/* The handler is called where the divisor of a lane that executes is 0. */
static void check_divisors(struct emitter *e)
{
    if (e->insn[e->at].s[1].constant)
        return;
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned mask = emit_512_executing(e, i);
        zn(e, ZPCMPUD, emit_512_bits(i), loaded(e, 1, i, T0), in_all(e, 0), mask, IS_EQUAL);
    }
    k(e, KORTESTW, K5, 0, parts_of(e) > 1 ? K6 : K5);
    emit_call(e, X86_NOT_ZERO);
}

/* Eight dwords of a source as doubles, in a register. */
static void doubles(struct emitter *e, unsigned i, unsigned strip, unsigned to)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[i];
    const bool is_signed = e->insn[e->at].is_signed;
    const uint32_t value = (uint32_t)s->value;
    const double number = is_signed ? (double)(int32_t)value : (double)value;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (s->constant)
        z(e, ZPBROADCASTQ, to, 0, emit_literal(e, bits, true));
    else
        z(e, is_signed ? ZCVTDQ2PD : ZCVTUDQ2PD, to, 0,
          x86_mem(FRAME, s->slot + 32 * (size_t)strip));
}

/* Eight quotients, in the lower half of a register; T2 is free for it. `inverse`: T3 has it. */
static void divide_eight(struct emitter *e, unsigned strip, unsigned to, bool inverse)
{
    doubles(e, 0, strip, to);
    if (!inverse)
        doubles(e, 1, strip, T2);
    z(e, inverse ? ZMULPD : ZDIVPD, to, to, x86_reg(inverse ? T3 : T2));
    z(e, e->insn[e->at].is_signed ? ZCVTTPD2DQ : ZCVTTPD2UDQ, to, 0, x86_reg(to));
}

static void divide_all(struct emitter *e, unsigned bank, bool inverse)
{
    for (unsigned i = 0; i < parts_of(e); i++) {
        divide_eight(e, 2 * i, T0, inverse);
        divide_eight(e, 2 * i + 1, T1, inverse);
        zn(e, ZINSERT, T0, T0, x86_reg(T1), 0, 1);
        if (e->insn[e->at].op == WT_ROWS_REMAINDER) {
            z(e, VPMULLD, T0, T0, emit_512_source(e, 1, i));
            z(e, VPSUBD, T0, loaded(e, 0, i, T1), x86_reg(T0));
        }
        store(e, bank, i, T0);
    }
}

/*
 * T3 becomes what numbers are multiplied by where all lanes have one divisor d: (1 + 2^-50) / d,
 * which is more than 1 / d in spite of two roundings of 2^-53, so that a product is no less than
 * the quotient, and exceeds it by less than a part of 2^49, so that it does not reach the next
 * whole number, from which the quotient is 1 / d away: the number is less than 2^49. Returns a
 * jump, where the lanes' divisors differ; 0: they are constant.
 */
static size_t invert(struct emitter *e)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[1];
    const bool is_signed = e->insn[e->at].is_signed;
    const double more = 1 + 1 / (double)(UINT64_C(1) << 50);
    if (s->constant) {
        const uint32_t value = (uint32_t)s->value;
        const double d = is_signed ? (double)(int32_t)value : (double)value;
        z(e, ZPBROADCASTQ, T3, 0, emit_literal(e, wt_double_bits(more / d), true));
        return 0;
    }
    z(e, ZPBROADCASTD, T3, 0, x86_mem(FRAME, s->slot));
    for (unsigned i = 0; i < parts_of(e); i++)
        zn(e, ZPCMPUD, emit_512_bits(i), T3, emit_512_source(e, 1, i), 0, IS_NOT_EQUAL);
    k(e, KORTESTW, K5, 0, parts_of(e) > 1 ? K6 : K5);
    const size_t apart = x86_jump(&e->code, X86_NOT_ZERO);
    z(e, is_signed ? ZCVTDQ2PD : ZCVTUDQ2PD, T3, 0, x86_reg(T3));
    z(e, ZPBROADCASTQ, T2, 0, emit_literal(e, wt_double_bits(more), true));
    z(e, ZDIVPD, T3, T2, x86_reg(T3));
    return apart;
}

static void divide(struct emitter *e)
{
    check_divisors(e);
    const unsigned bank = emit_512_choose_home(e);
    const size_t apart = invert(e);
    divide_all(e, bank, true);
    if (apart) {
        const size_t done = x86_jump(&e->code, X86_ALWAYS);
        x86_land(&e->code, apart, e->code.size);
        divide_all(e, bank, false);
        x86_land(&e->code, done, e->code.size);
    }
    keep(e, bank);
}

/* ---- singles ---- */

/* Ones in k7 where a part in a register is a NaN. */
static void find_nans(struct emitter *e, unsigned reg)
{
    zn(e, VCMPPS, K7, reg, x86_reg(reg), 0, 3);
}

/* The lesser or the greater ones, in T1; a NaN where both are, or, if `how`, one is. */
static void extreme_part(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool max = n->op == WT_ROWS_FLOAT_MAX;
    const unsigned op = max ? VMAXPS : VMINPS, a = loaded(e, 0, strip, T0),
                   b = loaded(e, 1, strip, T3);
    /* the host's instruction gives the second one of two zeros */
    z(e, op, T1, a, x86_reg(b));
    z(e, op, T2, b, x86_reg(a));
    z(e, max ? VPAND : VPOR, T1, T1, x86_reg(T2));
    find_nans(e, a);
    x86_512(&e->code, VMOVDQU, T1, 0, x86_reg(n->how ? a : b), K7);
    find_nans(e, b);
    x86_512(&e->code, VMOVDQU, T1, 0, x86_reg(n->how ? b : a), K7);
}

static bool is_extreme(unsigned op)
{
    return op == WT_ROWS_FLOAT_MIN || op == WT_ROWS_FLOAT_MAX;
}

/* A part of the result of any other operation, in a register. */
static void single_part(struct emitter *e, unsigned op, unsigned sources, unsigned strip,
                        unsigned to)
{
    const unsigned kind = e->insn[e->at].op;
    if (kind == WT_ROWS_FLOAT_ABSOLUTE || kind == WT_ROWS_FLOAT_NEGATE) {
        const bool sign = kind == WT_ROWS_FLOAT_NEGATE;
        z(e, sign ? VPXOR : VPAND, to, loaded(e, 0, strip, T0),
          in_all(e, sign ? UINT32_C(1) << 31 : INT32_MAX));
    } else if (sources == 1) {
        z(e, op, to, 0, emit_512_source(e, 0, strip));
    } else if (sources == 3) {
        load(e, 0, strip, to);
        const unsigned c = loaded(e, 2, strip, T0);
        z(e, op, to, c, emit_512_source(e, 1, strip));
    } else {
        z(e, op, to, loaded(e, 0, strip, T0), emit_512_source(e, 1, strip));
    }
}

/* The NaNs of a part become the one that there is: where k7 is 1. */
static void settle_nans(struct emitter *e, unsigned reg)
{
    x86_512(&e->code, ZPBROADCASTD, reg, 0, emit_literal(e, 0x7fffffff, false), K7);
}

/* An operation on singles, whose NaN is always the same. Results wait for a comparison only where
 * there is one. */
static void single(struct emitter *e, unsigned op, unsigned sources)
{
    static const unsigned to[2] = {T1, T3};
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool extreme = is_extreme(n->op);
    if (n->guarded) {
        x86_test_byte(&e->code, FIELD(guard), 1);
        emit_call(e, X86_NOT_ZERO);
    }
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e) && extreme; i++) {
        extreme_part(e, i);
        find_nans(e, T1);
        settle_nans(e, T1);
        store(e, bank, i, T1);
    }
    for (unsigned i = 0; i < parts_of(e) && !extreme; i++) {
        single_part(e, op, sources, i, to[i]);
    }
    if (!extreme) { /* a comparison of two parts finds the NaNs of both */
        zn(e, VCMPPS, K5, to[0], x86_reg(to[parts_of(e) - 1]), 0, 3);
        k(e, KORTESTW, K5, 0, K5);
        const size_t none = x86_jump(&e->code, X86_ZERO);
        for (unsigned i = 0; i < parts_of(e); i++) { /* but the one that sources may have been */
            zn(e, VCMPPS, K5 + i, to[i], x86_reg(to[i]), 0, 3);
            zn(e, ZPCMPD, K5 + i, to[i], in_all(e, INT32_MAX), K5 + i, IS_NOT_EQUAL);
        }
        k(e, KORTESTW, K5, 0, parts_of(e) > 1 ? K6 : K5);
        const size_t same = x86_jump(&e->code, X86_ZERO);
        for (unsigned i = 0; i < parts_of(e); i++)
            x86_512(&e->code, ZPBROADCASTD, to[i], 0, emit_literal(e, INT32_MAX, false), K5 + i);
        x86_land(&e->code, none, e->code.size);
        x86_land(&e->code, same, e->code.size);
        for (unsigned i = 0; i < parts_of(e); i++)
            store(e, bank, i, to[i]);
    }
    keep(e, bank);
}

static void unary(struct emitter *e, unsigned op)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        z(e, op, T1, 0, emit_512_source(e, 0, i));
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

static void float_compare(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < parts_of(e); i++) {
        zn(e, VCMPPS, emit_512_bits(i), loaded(e, 0, i, T0), emit_512_source(e, 1, i), 0,
           emit_float_predicate(n->how));
        emit_512_join(e, i);
    }
    emit_512_store_predicate(e, n->d);
}

void emit_512_plain(struct emitter *e)
{
    const unsigned how = e->insn[e->at].how;
    switch ((enum wt_rows_op)e->insn[e->at].op) {
    case WT_ROWS_NEGATE:
        negate(e);
        break;
    case WT_ROWS_ABSOLUTE:
        unary(e, VPABSD);
        break;
    case WT_ROWS_NARROW:
        narrow(e);
        break;
    case WT_ROWS_DIVIDE:
    case WT_ROWS_REMAINDER:
        divide(e);
        break;
    case WT_ROWS_GIVEN:
        given(e);
        break;
    case WT_ROWS_PARAMETER:
        alike(e, emit_find_parameter(e));
        break;
    case WT_ROWS_FLOAT_ADD:
        single(e, VADDPS, 2);
        break;
    case WT_ROWS_FLOAT_SUBTRACT:
        single(e, VSUBPS, 2);
        break;
    case WT_ROWS_FLOAT_MULTIPLY:
        single(e, VMULPS, 2);
        break;
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
        single(e, VFMADD132PS + (how & 1 ? 4u << 8 : 0) + (how & 2 ? 2u << 8 : 0), 3);
        break;
    case WT_ROWS_FLOAT_DIVIDE:
        single(e, VDIVPS, 2);
        break;
    case WT_ROWS_FLOAT_ROOT:
        single(e, VSQRTPS, 1);
        break;
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
        single(e, 0, 2);
        break;
    case WT_ROWS_FLOAT_ABSOLUTE:
    case WT_ROWS_FLOAT_NEGATE:
        single(e, 0, 1);
        break;
    case WT_ROWS_FLOAT_COMPARE:
        float_compare(e);
        break;
    case WT_ROWS_FLOAT_OF_SIGNED:
        unary(e, VCVTDQ2PS);
        break;
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        unary(e, ZCVTUDQ2PS);
        break;
    default:
        widen(e);
        break;
    }
}
