/*
 * Singles of shapes with 64 lanes and scalars in vectors of 512 bits: sums, products, comparisons
 * with exact exception flags, conversions, roots, quotients. See emit_512.h.
 */
#include "emulator/translate/emit_512.h"

enum { NANS = 0x81, DENORMAL = 0x20 }; /* classes of floats */

/* The NaN that the host's instructions make where no source is a NaN; a source may equal it. */
#define HOST_NAN 0xffc00000u

/* Calls the handler if k6 has ones. */
static void call_for_noted(struct emitter *e)
{
    k(e, KORTESTW, K6, 0, K6);
    emit_call(e, X86_NOT_ZERO);
}

/*
 * Of three sources, hosts may take another NaN than the first one: k6 gets ones where a result is a
 * NaN, and another one than a source that is, made quiet, or one that no source was.
 */
static void find_other_nans(struct emitter *e, unsigned bank)
{
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned r = bank + i;
        zn(e, ZFPCLASSPS, K7, 0, x86_reg(r), 0, NANS);
        zn(e, ZPCMPD, K5, r, in_all(e, HOST_NAN), K7, IS_EQUAL);
        k(e, KORW, K6, K6, K5);
        for (unsigned s = 0; s < 3; s++) {
            const unsigned from = loaded(e, s, i, T0);
            zn(e, ZFPCLASSPS, K5, 0, x86_reg(from), K7, NANS);
            z(e, VPOR, T1, from, in_all(e, 0x400000));
            zn(e, ZPCMPD, K5, T1, x86_reg(r), K5, IS_NOT_EQUAL);
            k(e, KORW, K6, K6, K5);
        }
    }
}

/* Of two sources, the host takes the first one that is a NaN, made quiet (Intel SDM, volume 1,
 * 4.8.3.5). If the handler is called, nothing has been stored. Results of lanes that do not execute
 * are 0. */
static void raising(struct emitter *e, unsigned op, unsigned sources)
{
    const unsigned bank = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned d = bank + i, mask = emit_512_executing(e, i);
        if (sources == 3) {
            load(e, 0, i, d);
            const unsigned c = loaded(e, 2, i, T0);
            x86_512(&e->code, op, d, c, emit_512_source(e, 1, i), mask ? mask | X86_ZEROS : 0);
            zn(e, ZFPCLASSPS, K5, 0, x86_reg(d), 0, NANS);
        } else {
            const unsigned a = loaded(e, 0, i, T0);
            x86_512(&e->code, op, d, a, emit_512_source(e, 1, i), mask ? mask | X86_ZEROS : 0);
            zn(e, ZPCMPD, K5, d, in_all(e, HOST_NAN), 0, IS_EQUAL);
        }
        k(e, KORW, K6, K6, K5);
    }
    if (sources == 3) {
        k(e, KORTESTW, K6, 0, K6);
        const size_t past = x86_jump(&e->code, X86_ZERO);
        find_other_nans(e, bank);
        x86_land(&e->code, past, e->code.size);
    }
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++)
        store(e, bank, i, bank + i);
    keep(e, bank);
}

/* A single becomes an integer that compares in the same order, and the other way round. */
static void make_key(struct emitter *e, unsigned to, unsigned from)
{
    zn(e, VPSHIFTD, 4, T2, x86_reg(from), 0, 31);
    zn(e, VPSHIFTD, 2, T2, x86_reg(T2), 0, 1);
    z(e, VPXOR, to, from, x86_reg(T2));
}

/* Minimum or maximum, where no source is a NaN or denormal. */
static void extreme(struct emitter *e)
{
    const unsigned op = e->insn[e->at].op == WT_ROWS_FLOAT_MIN ? VPMINSD : VPMAXSD;
    const unsigned bank = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned mask = emit_512_executing(e, i);
        for (unsigned s = 0; s < 2; s++) {
            zn(e, ZFPCLASSPS, K5, 0, x86_reg(loaded(e, s, i, T0)), mask, NANS | DENORMAL);
            k(e, KORW, K6, K6, K5);
        }
    }
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        make_key(e, T0, loaded(e, 0, i, T0));
        make_key(e, T1, loaded(e, 1, i, T1));
        z(e, op, T1, T0, x86_reg(T1));
        make_key(e, T1, T1);
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

static void float_compare(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned a = loaded(e, 0, i, T0), mask = emit_512_executing(e, i);
        zn(e, VCMPPS, emit_512_bits(i), a, emit_512_source(e, 1, i), mask,
           emit_float_predicate(n->how));
        emit_512_join(e, i);
    }
    emit_512_store_predicate(e, n->d);
}

static void of_integer(struct emitter *e, unsigned op)
{
    const unsigned bank = emit_512_choose(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned mask = emit_512_executing(e, i), d = emit_512_target(e, bank, i);
        x86_512(&e->code, op, d, 0, emit_512_source(e, 0, i), mask);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* ---- roots, quotients, classes: the handler does NaNs, infinities and denormal numbers ---- */

enum { LEAST = 0x800000, INFINITE = 0x7f800000, ONE = 0x3f800000 };

/* A part of a source in `into`, perhaps without its sign. */
static void load_ordinary(struct emitter *e, unsigned i, unsigned strip, bool magnitude,
                          unsigned into)
{
    if (magnitude)
        z(e, VPAND, into, loaded(e, i, strip, into), in_all(e, INT32_MAX));
    else
        load(e, i, strip, into);
}

/* k6 gets ones where those of a part that execute are not within [low, low + span], as unsigned
 * numbers. T2 is free for it. */
static void check_within(struct emitter *e, unsigned strip, unsigned part, uint32_t low,
                         uint32_t span)
{
    z(e, VPSUBD, T2, part, in_all(e, low));
    zn(e, ZPCMPUD, K5, T2, in_all(e, span), emit_512_executing(e, strip), IS_GREATER);
    k(e, KORW, K6, K6, K5);
}

/* The biased exponent of a part. */
static void exponent(struct emitter *e, unsigned reg)
{
    zn(e, VPSHIFTD, 6, reg, x86_reg(reg), 0, 1);
    zn(e, VPSHIFTD, 2, reg, x86_reg(reg), 0, 24);
}

static void root_or_inverse(struct emitter *e)
{
    const bool root = e->insn[e->at].op == WT_ROWS_FLOAT_ROOT;
    const unsigned bank = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load_ordinary(e, 0, i, !root, T0);
        /* an inverse is no denormal number, either */
        check_within(e, i, T0, LEAST, (root ? INFINITE - 1 : 0x7e800000) - LEAST);
    }
    call_for_noted(e);
    emit_keep_flags(e, x86_store_flags);
    emit_512_loaded(e, in_all(e, ONE), T1);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned from = loaded(e, 0, i, T0), mask = emit_512_executing(e, i);
        x86_512(&e->code, root ? VSQRTPS : VDIVPS, T0, root ? 0 : T1, x86_reg(from), mask);
        store(e, bank, i, T0);
    }
    emit_keep_flags(e, x86_load_flags);
    keep(e, bank);
}

/* Of numbers below 2^31, neither denormal nor, if the results are unsigned, negative. */
static void truncate(struct emitter *e)
{
    const bool is_signed = e->insn[e->at].is_signed;
    const unsigned bank = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load_ordinary(e, 0, i, is_signed, T0);
        check_within(e, i, T0, 0, 0x4effffff);
        check_within(e, i, T0, LEAST, UINT32_MAX - (LEAST - 1)); /* from there on, or 0 */
    }
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned mask = emit_512_executing(e, i), d = emit_512_target(e, bank, i);
        x86_512(&e->code, VCVTTPS2DQ, d, 0, emit_512_source(e, 0, i), mask);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* The exponents of the numerator and the denominator, sources 2 and 1, have bounds, and so has
 * their difference: from -below to above (Vega ISA manual, section 12.12). */
static void check_apart(struct emitter *e, unsigned strip, uint32_t least, uint32_t most,
                        uint32_t most_denominator, uint32_t below, uint32_t above)
{
    load_ordinary(e, 1, strip, false, T1);
    exponent(e, T1);
    check_within(e, strip, T1, 1, most_denominator - 1);
    load_ordinary(e, 2, strip, false, T0);
    exponent(e, T0);
    check_within(e, strip, T0, least, most - least);
    z(e, VPSUBD, T0, T0, x86_reg(T1));
    check_within(e, strip, T0, 0 - below, below + above);
}

/* Of numbers whose quotient needs no scale, and is no denormal number: one of them as it is. */
static void scale(struct emitter *e)
{
    const unsigned bank = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++)
        check_apart(e, i, 24, 254, 252, 125, 95);
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++)
        store(e, bank, i, loaded(e, 0, i, T0));
    x86_set(&e->code, X86_AX, 0);
    x86_integer(&e->code, X86_STORE, true, X86_AX, x86_mem(SCALARS, e->insn[e->at].alu.carry));
    keep(e, bank);
}

/* Of normal numbers whose quotient is not far below the least one, only the sign is put right. */
static void fix(struct emitter *e)
{
    const unsigned bank = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        check_apart(e, i, 1, 254, 254, 150, 254);
        load_ordinary(e, 0, i, true, T0);
        check_within(e, i, T0, 0, INFINITE);
        check_within(e, i, T0, LEAST, UINT32_MAX - (LEAST - 1));
    }
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load_ordinary(e, 1, i, false, T0);
        z(e, VPXOR, T0, T0, emit_512_source(e, 2, i));
        z(e, VPAND, T0, T0, in_all(e, UINT32_C(1) << 31));
        load_ordinary(e, 0, i, true, T1);
        z(e, VPOR, T0, T0, x86_reg(T1));
        store(e, bank, i, T0);
    }
    keep(e, bank);
}

/* A number in a register's lanes for which k7 is 1. */
static void put(struct emitter *e, unsigned to, uint32_t value)
{
    x86_512(&e->code, ZPBROADCASTD, to, 0, emit_literal(e, value, false), K7);
}

/* The number of a class's bit: of 0 to infinity 6 to 9, and 11 less that for the other sign. */
static void classify(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    static const struct {
        uint8_t is, number;
    } classes[] = {{0x06, 6}, {DENORMAL, 7}, {0x18, 9}};
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned from = loaded(e, 0, i, T0);
        zn(e, ZFPCLASSPS, K5, 0, x86_reg(from), emit_512_executing(e, i), NANS);
        k(e, KORW, K6, K6, K5);
    }
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned from = loaded(e, 0, i, T0);
        emit_512_loaded(e, in_all(e, 8), T1);
        for (unsigned c = 0; c < sizeof classes / sizeof classes[0]; c++) {
            zn(e, ZFPCLASSPS, K7, 0, x86_reg(from), 0, classes[c].is);
            put(e, T1, classes[c].number);
        }
        z(e, ZPTESTMD, K7, from, in_all(e, UINT32_C(1) << 31));
        emit_512_loaded(e, in_all(e, 11), T2);
        x86_512(&e->code, VPSUBD, T1, T2, x86_reg(T1), K7);
        emit_512_loaded(e, in_all(e, 1), T2);
        z(e, VPSLLVD, T1, T2, x86_reg(T1));
        z(e, ZPTESTMD, emit_512_bits(i), T1, emit_512_source(e, 1, i));
        emit_512_join(e, i);
    }
    emit_512_store_predicate(e, n->d);
}

/* ---- doubles, in pairs of rows ---- */

/* Half of a part of a source, a pair, in a register; 1 is what lanes that do not execute have. */
static void load_half(struct emitter *e, unsigned i, bool upper, unsigned strip, unsigned into)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[i];
    struct x86_place half;
    if (s->constant) {
        half = in_all(e, (uint32_t)(upper ? s->value >> 32 : s->value));
    } else if (s->scalar) {
        half = x86_mem(SCALARS, s->slot + (upper ? 4 : 0));
        half.each = true;
    } else {
        half = emit_512_row(e, s->slot + (upper ? row_of(e) : 0), strip);
    }
    unsigned from = emit_512_loaded(e, half, into);
    if (upper && s->sign_off) {
        z(e, VPAND, into, from, in_all(e, INT32_MAX));
        from = into;
    }
    if (upper && s->sign_over) {
        z(e, VPXOR, into, from, in_all(e, UINT32_C(1) << 31));
        from = into;
    }
    if (e->some)
        x86_512(&e->code, ZPBLENDMD, into, from, in_all(e, upper ? 0x3ff00000 : 0), K_IDLE + strip);
    else if (from != into)
        z(e, VMOVDQU, into, 0, x86_reg(from));
}

/* Its qwords: those of lanes 0, 1, 4, 5, ... in a register, those of 2, 3, 6, ... in the next one.
 * T4 is free for it. */
static void load_doubles(struct emitter *e, unsigned i, unsigned strip, unsigned to)
{
    load_half(e, i, false, strip, T4);
    load_half(e, i, true, strip, to + 1);
    z(e, VPUNPCKLDQ, to, T4, x86_reg(to + 1));
    z(e, VPUNPCKHDQ, to + 1, T4, x86_reg(to + 1));
}

/* The handler is called where a result is a NaN; then nothing has been stored. */
static void doubles(struct emitter *e, unsigned op, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned low = emit_512_choose(e), high = emit_512_choose(e);
    k(e, KANDNW, K6, K6, K6);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load_doubles(e, 0, i, T0);
        load_doubles(e, 1, i, T2);
        if (sources == 3)
            load_doubles(e, 2, i, SOURCE);
        for (unsigned half = 0; half < 2; half++) {
            const unsigned d = T0 + half, c = T2 + half;
            z(e, op, d, sources == 3 ? SOURCE + half : d, x86_reg(c));
            zn(e, ZFPCLASSPD, K5, 0, x86_reg(d), 0, NANS);
            k(e, KORW, K6, K6, K5);
        }
        zn(e, VSHUFPS, low + i, T0, x86_reg(T1), 0, 0x88);
        zn(e, VSHUFPS, high + i, T0, x86_reg(T1), 0, 0xdd);
    }
    call_for_noted(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        emit_512_store(e, n->d, low, i, low + i);
        emit_512_store(e, n->d + row_of(e), high, i, high + i);
    }
    keep(e, low);
    emit_512_keep(e, n->d + row_of(e), high);
}

bool emit_512_real(struct emitter *e)
{
    const bool wide = e->insn[e->at].wide;
    switch ((enum wt_rows_op)e->insn[e->at].op) {
    case WT_ROWS_FLOAT_ADD:
        if (wide)
            doubles(e, ZADDPD, 2);
        else
            raising(e, VADDPS, 2);
        return true;
    case WT_ROWS_FLOAT_SUBTRACT:
        raising(e, VSUBPS, 2);
        return true;
    case WT_ROWS_FLOAT_MULTIPLY:
        if (wide)
            doubles(e, ZMULPD, 2);
        else
            raising(e, VMULPS, 2);
        return true;
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
        if (wide)
            doubles(e, VFMADD132PD, 3);
        else
            raising(e, VFMADD132PS, 3);
        return true;
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
        extreme(e);
        return true;
    case WT_ROWS_FLOAT_COMPARE:
        float_compare(e);
        return true;
    case WT_ROWS_FLOAT_OF_SIGNED:
        of_integer(e, VCVTDQ2PS);
        return true;
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        of_integer(e, ZCVTUDQ2PS);
        return true;
    case WT_ROWS_FLOAT_ROOT:
    case WT_ROWS_FLOAT_INVERSE:
        root_or_inverse(e);
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
