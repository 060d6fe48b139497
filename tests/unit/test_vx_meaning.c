/*
 * The meanings that the table of Vortex states are what its instructions do: each row of either
 * width is executed on random operands, beside the plain evaluator of its meaning
 * (machine/meaning.h). Operands are as vx_operands() lists them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/softfloat.h"
#include "emulator/vortex/block.h"

enum {
    LANES = 32,
    PLANTED = 20,
    UNTOLD = 14,       /* rows of whose results the evaluator does not say all; it only falls */
    UNTRANSLATED = 113 /* rows of RV64 that the translator has no code for; it only falls */
};
#include "meaning_float.h"
#include "planted.h"
#include "vx_rig.h"

static unsigned words_each = 320; /* of a row: with 10,240 operands */

/* ---- what the meaning says ---- */

struct means {
    const uint8_t *meaning;
    uint32_t word;
    unsigned xlen;
    struct wt_insn_operands o;
    struct wt_fp fp;
    uint8_t from[WT_MAX_LANES]; /* lanes of a shuffle */
};

static uint64_t low(uint64_t x, unsigned bits)
{
    return x & (UINT64_MAX >> (64 - bits));
}

/* Floats that are not NaN-boxed are NaNs, but as bits. */
static uint64_t float_of(uint64_t x, const struct means *is)
{
    const bool as_bits =
        (is->meaning[2] == WT_M_SEXT && is->meaning[4] == WT_M_A) || *is->meaning == WT_M_STORE;
    return as_bits || x >> 32 == UINT32_MAX ? low(x, 32) : 0x7fc00000;
}

static unsigned bits_of(const struct means *is, const struct wt_insn_operand *o)
{
    return o->width ? o->width : o->bits ? o->bits : is->xlen;
}

static uint64_t value_of(const struct means *is, const struct state *s,
                         const struct wt_insn_operand *o, unsigned lane)
{
    const unsigned from = o->crosses ? is->from[lane] : lane, bits = bits_of(is, o);
    if (o->kind == WT_OPERAND_CONSTANT)
        return low((uint64_t)o->value, bits);
    const unsigned place = place_of(o);
    const uint64_t x =
        s->row[place][place == FFLAGS || place == FRM || place == SCRATCH ? 0 : from];
    return o->file == VX_FILE_F && bits == 32 ? float_of(x, is) : low(x, bits);
}

/* NULL: no access is there. */
static uint8_t *data_at(struct state *s, uint64_t address, unsigned bits)
{
    return address < AREA || address + bits / 8 > AREA + DATA ? NULL : &s->data[address - AREA];
}

static void fetch(const struct means *is, const struct state *s, unsigned lane,
                  struct wt_meaning_operands *in, const struct wt_meaning_floats *floats)
{
    memset(in, 0, sizeof *in);
    in->floats = floats;
    in->leaf[WT_M_NEXT] = (struct wt_meaning_value){CODE + 4, is->xlen};
    for (unsigned i = 0; i < is->o.count; i++) {
        const struct wt_insn_operand *o = &is->o.list[i];
        struct wt_meaning_value *leaf = &in->leaf[o->leaf];
        if (o->kind == WT_OPERAND_CONSTANT)
            in->leaf[WT_M_TARGET] =
                (struct wt_meaning_value){low(CODE + (uint64_t)o->value, is->xlen), is->xlen};
        if (o->kind == WT_OPERAND_MEMORY)
            in->leaf[WT_M_OFFSET] =
                (struct wt_meaning_value){low((uint64_t)o->value, is->xlen), is->xlen};
        else if (o->reads && o->leaf) {
            leaf->value |= value_of(is, s, o, lane) << leaf->bits;
            leaf->bits += bits_of(is, o);
        }
    }
}

static const struct wt_insn_operand *memory_of(const struct wt_insn_operands *o)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].kind == WT_OPERAND_MEMORY)
            return &o->list[i];
    return NULL;
}

static void put_result(const struct means *is, struct state *s, unsigned lane, unsigned result,
                       struct wt_meaning_value value)
{
    for (unsigned i = 0; i < is->o.count; i++) {
        const struct wt_insn_operand *o = &is->o.list[i];
        if (!o->writes || o->kind != WT_OPERAND_ROW || o->result != result)
            continue;
        assert_int_equal(value.bits, bits_of(is, o));
        s->row[place_of(o)][lane] =
            value.value |
            (o->file == VX_FILE_F && value.bits == 32 ? UINT64_C(0xffffffff00000000) : 0);
    }
}

/* Whether a row is that result. */
static bool has_row_of(const struct wt_insn_operands *o, unsigned result)
{
    bool has = false;
    for (unsigned i = 0; i < o->count; i++)
        has |=
            o->list[i].kind == WT_OPERAND_ROW && o->list[i].writes && o->list[i].result == result;
    return has;
}

/* A lane; false: the evaluator does not say all. *pc: where it goes on. */
static bool mean_lane(const struct means *is, const struct state *before, struct state *after,
                      unsigned lane, uint64_t *pc)
{
    const struct floats floats = {{compute_float}, &is->fp, &is->fp, true, false};
    const struct wt_insn_operand *memory = memory_of(&is->o);
    struct wt_meaning_operands in;
    fetch(is, before, lane, &in, &floats.is);
    for (const uint8_t *code = is->meaning; *code != WT_M_END;) {
        const uint8_t statement = *code++, result = statement == WT_M_OUT ? *code++ : 0;
        const struct wt_meaning_value x = wt_meaning_evaluate(&code, &in);
        if (statement >= WT_M_LANES || !x.bits)
            return statement == WT_M_OUT && !has_row_of(&is->o, result);
        if (statement == WT_M_OUT) {
            put_result(is, after, lane, result, x);
            continue;
        }
        if (statement == WT_M_JUMP) {
            const struct wt_meaning_value to = wt_meaning_evaluate(&code, &in);
            *pc = x.value ? to.value : CODE + 4;
            continue;
        }
        uint8_t *data = data_at(after, x.value, memory->bits);
        if (!data) {
            *pc = 0;
            return true;
        }
        in.leaf[WT_M_MEMORY] =
            (struct wt_meaning_value){wt_load_le(data, memory->bits / 8), memory->bits};
        if (statement != WT_M_LOAD)
            wt_store_le(data,
                        statement == WT_M_STORE ? in.leaf[WT_M_A].value
                                                : wt_meaning_evaluate(&code, &in).value,
                        memory->bits / 8);
    }
    return true;
}

/* ---- each row ---- */

enum outcome { AGREES, DIFFERS, UNKNOWN };

static bool jumps(const uint8_t *meaning)
{
    return wt_meaning_jump(meaning);
}

/* Whether two states are the same, but for flags and reservations. */
static bool agree(const struct state *a, const struct state *b)
{
    return !memcmp(a->row, b->row, FFLAGS * sizeof *a->row) && a->pc == b->pc &&
           !memcmp(a->data, b->data, DATA);
}

static void show(const struct vx_insn *row, const struct means *is, const struct state *a,
                 const struct state *b)
{
    for (unsigned p = 0; p < FFLAGS; p++)
        for (unsigned l = 0; l < LANES; l++)
            if (a->row[p][l] != b->row[p][l])
                fail_msg("%s (0x%08x, RV%u): row %u lane %u is 0x%llx, not 0x%llx", row->name,
                         is->word, is->xlen, p, l, (unsigned long long)a->row[p][l],
                         (unsigned long long)b->row[p][l]);
    fail_msg("%s (0x%08x, RV%u): pc 0x%llx, not 0x%llx, or memory", row->name, is->word, is->xlen,
             (unsigned long long)a->pc, (unsigned long long)b->pc);
}

/* @p planted: another meaning; NULL: its own, of which all must agree. */
static enum outcome try_row(struct vx_device *d, const struct vx_insn *row, unsigned xlen,
                            const uint8_t *planted)
{
    static struct state before, after, meant;
    struct means is = {.meaning = row->meaning[xlen == 64], .xlen = xlen};
    const bool alone = jumps(is.meaning); /* lanes that disagree are a mistake */
    for (unsigned trial = 0; trial < words_each * (alone ? LANES : 1); trial++) {
        uint64_t pc = CODE + 4;
        if (!alone || trial % LANES == 0) {
            is.word = word_of(row);
            assert_true(vx_operands(is.word, xlen, &is.o));
            put_word(d, is.word);
            fill(&before);
        }
        for (unsigned i = 0; i < is.o.count && alone; i++)
            if (is.o.list[i].kind == WT_OPERAND_ROW)
                fill_row(&before, place_of(&is.o.list[i]));
        help(&before, row, &is.o, xlen);
        if (alone)
            before.mask = UINT64_C(1) << any() % LANES;
        const unsigned rm = is.word >> 12 & 7;
        is.fp = (struct wt_fp){.round = (uint8_t)(rm == 7 ? before.row[FRM][0] : rm)};
        if (*is.meaning == WT_M_UNSAID || (strchr(row->operands, 'm') && is.fp.round > WT_RMM))
            continue;
        if (vx_insn_find(is.word, xlen) >= VX_INSN_shfl_up) {
            put(d, &before);
            vx_lane_sources(vx_machine(d), 0, CODE, is.from);
        }
        meant = before;
        is.meaning = planted ? planted : is.meaning;
        for (unsigned l = 0; l < LANES; l++)
            if (before.mask >> l & 1 && !mean_lane(&is, &before, &meant, l, &pc))
                return UNKNOWN;
        after = run(d, &before);
        meant.pc = pc;
        if (after.fault || agree(&after, &meant))
            continue;
        if (!planted)
            show(row, &is, &after, &meant);
        return DIFFERS;
    }
    return *is.meaning == WT_M_UNSAID ? UNKNOWN : AGREES;
}

static void rows_do_what_they_mean(void **state)
{
    unsigned rows = 0, untold = 0;
    (void)state;
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct vx_device *d = device_new(xlen);
        for (unsigned i = 0; i < VX_INSN_COUNT; i++) {
            seed = 1 + i;
            if (!has_row(i, xlen) || *vx_meaning(i, xlen) == WT_M_UNSAID)
                continue;
            const bool told = try_row(d, &vx_insns[i], xlen, NULL) == AGREES;
            rows++;
            untold += !told && xlen == 64;
            if (!told && getenv("UNTOLD"))
                printf("%s\n", vx_insns[i].name);
        }
        vx_device_free(d);
    }
    printf("%u rows of both widths, %u of RV64 not in the evaluator's own words\n", rows, untold);
    assert_int_equal(untold, UNTOLD);
}

static void planted_mistakes_are_found(void **state)
{
    enum { STEP = 7 };
    struct vx_device *d = device_new(64);
    unsigned planted = 0;
    (void)state;
    for (unsigned i = 0; planted < PLANTED; i = (i + STEP) % VX_INSN_COUNT) {
        uint8_t copy[WT_M_MOST];
        seed = 1 + i;
        if (!has_row(i, 64) || *vx_meaning(i, 64) == WT_M_UNSAID ||
            !plant(vx_meaning(i, 64), copy) || try_row(d, &vx_insns[i], 64, NULL) != AGREES)
            continue;
        seed = 1 + i;
        if (try_row(d, &vx_insns[i], 64, copy) != DIFFERS)
            fail_msg("%s: a mistake in its meaning is not found", vx_insns[i].name);
        planted++;
    }
    vx_device_free(d);
}

/* Rows without a meaning, by reason: a list that only shrinks. */
static void rows_without_meaning_have_a_reason(void **state)
{
    static const unsigned most[WT_UNSAID_REASONS] = {
        [WT_UNSAID_ABSENT] = 7, /* of units that are not modelled */
        [WT_UNSAID_TRAP] = 5,   /* ecall, ebreak, uret, sret, mret */
        [WT_UNSAID_SIGNAL] = 3, /* vx_bar, vx_wsync, vx_bar.arrive */
        [WT_UNSAID_PARTS] = 2}; /* vx_packlb, vx_packlh */
    unsigned count[WT_UNSAID_REASONS] = {0}, said = 0;
    (void)state;
    for (unsigned i = 0; i < VX_INSN_COUNT; i++)
        if (*vx_meaning(i, 64) != WT_M_UNSAID)
            said++;
        else
            count[vx_meaning(i, 64)[1]]++;
    for (unsigned k = 0; k < WT_UNSAID_REASONS; k++)
        assert_int_equal(count[k], most[k]);
    printf("%u of %u rows have a meaning\n", said, (unsigned)VX_INSN_COUNT);
}

static void rows_without_translation_get_fewer(void **state)
{
    enum { TRIES = 200 };
    static struct vx_code page;
    struct vx_device *d = device_new(64);
    unsigned without = 0, rows = 0;
    (void)state;
    d->warp[0].code = &page;
    for (unsigned i = 0; i < VX_INSN_COUNT; i++) {
        bool translated = false;
        if (!has_row(i, 64))
            continue;
        seed = 1 + i;
        for (unsigned n = 0; n < TRIES && !translated; n++) {
            struct wt_rows_insn to = {0};
            page.uop[0] = vx_decode(d, word_of(&vx_insns[i]), 2);
            translated = vx_as_rows(&d->warp[0], &page.uop[0], (enum vx_insn_id)i, &to);
        }
        rows++;
        without += !translated;
        if (!translated && getenv("UNTRANSLATED"))
            printf("%s\n", vx_insns[i].name);
    }
    printf("%u of %u rows have no translation\n", without, rows);
    assert_int_equal(without, UNTRANSLATED);
    d->warp[0].code = NULL;
    vx_device_free(d);
}

/* test_vx_meaning [WORDS]: so many of each row; 320 are 10,240 operands. */
int main(int argc, char **argv)
{
    words_each = argc > 1 ? (unsigned)atoi(argv[1]) : words_each;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_what_they_mean),
                                       cmocka_unit_test(planted_mistakes_are_found),
                                       cmocka_unit_test(rows_without_meaning_have_a_reason),
                                       cmocka_unit_test(rows_without_translation_get_fewer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
