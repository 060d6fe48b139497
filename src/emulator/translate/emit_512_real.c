/*
 * Singles of shapes with 64 lanes and scalars in vectors of 512 bits: sums, products, comparisons
 * with exact exception flags, conversions. See emit_512.h.
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
    for (unsigned i = 0; i < PARTS; i++) {
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
    for (unsigned i = 0; i < PARTS; i++) {
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
    for (unsigned i = 0; i < PARTS; i++)
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
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned mask = emit_512_executing(e, i);
        for (unsigned s = 0; s < 2; s++) {
            zn(e, ZFPCLASSPS, K5, 0, x86_reg(loaded(e, s, i, T0)), mask, NANS | DENORMAL);
            k(e, KORW, K6, K6, K5);
        }
    }
    call_for_noted(e);
    for (unsigned i = 0; i < PARTS; i++) {
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
    for (unsigned i = 0; i < PARTS; i++) {
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
    for (unsigned i = 0; i < PARTS; i++) {
        const unsigned mask = emit_512_executing(e, i), d = emit_512_target(e, bank, i);
        x86_512(&e->code, op, d, 0, emit_512_source(e, 0, i), mask);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

bool emit_512_real(struct emitter *e)
{
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
    case WT_ROWS_FLOAT_COMPARE:
        float_compare(e);
        return true;
    case WT_ROWS_FLOAT_OF_SIGNED:
        of_integer(e, VCVTDQ2PS);
        return true;
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        of_integer(e, ZCVTUDQ2PS);
        return true;
    default:
        return false;
    }
}
