/*
 * The meanings that the table of Gen9 states, composed with what records add (types, signs,
 * conditions), are what its instructions do: each row of arithmetic is executed on random operands,
 * beside the plain evaluator (machine/meaning.h). Operands are as gen_operands() lists them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/translate/match.h"
#include "gen_words.h"
#include "meaning_float.h"
#include "planted.h"

enum {
    PLANTED = 20,
    STATES_EACH = 64,
    WORDS = 3000,
    FEW = 400,
    UNTOLD = 12,      /* rows of arithmetic that the evaluator never says; it only falls */
    UNTRANSLATED = 22 /* rows of arithmetic that the translator has no code for; it only falls */
};
static unsigned channels_each = 10240; /* operands of a row */

/* ---- what the meaning says ---- */

/* Where an operand's bits begin in struct state; less than 0: it is not looked at here. */
static int place_of(const struct wt_insn_operands *o, const struct wt_insn_operand *x,
                    unsigned lane)
{
    static const int begin[] = {
        [GEN_FILE_R] = 0, [GEN_FILE_ACC] = AT_ACC, [GEN_FILE_A] = AT_A, [GEN_FILE_F] = AT_F};
    static const unsigned bytes[] = {[GEN_FILE_R] = GEN_REGISTER_FILE,
                                     [GEN_FILE_ACC] = ACC_BYTES,
                                     [GEN_FILE_A] = A_BYTES,
                                     [GEN_FILE_F] = F_BYTES};
    const unsigned e = lane - o->first_lane, row = x->row ? x->row : 32;
    if (x->crosses || (x->file == GEN_FILE_ACC && x->writes) || x->file > GEN_FILE_F)
        return -1;
    if (x->by_lane)
        return 8 * AT_F + (int)(x->number / 4 * 32u + (8u * (x->number % 4) + lane) % 32);
    const unsigned bit = 8u * x->number + x->first + e / row * x->row_step + e % row * x->step;
    return bit + x->bits > 8 * bytes[x->file] ? -1 : 8 * begin[x->file] + (int)bit;
}

static uint64_t bits_at(const struct state *s, int bit, unsigned count)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < count; i++, bit++)
        all |= (uint64_t)(s->b[bit / 8] >> bit % 8 & 1) << i;
    return all;
}

static void put_bits(struct state *s, int bit, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++, bit++)
        s->b[bit / 8] =
            (uint8_t)((s->b[bit / 8] & ~(1 << bit % 8)) | (int)(value >> i & 1) << bit % 8);
}

static unsigned own_of(const struct wt_insn_operand *x)
{
    return x->by_lane ? 1 : x->kind == WT_OPERAND_CONSTANT ? 64 : x->bits;
}

/* Whether operands are of files and channels that are looked at here; accumulators that are
 * written and predicates of several channels are not. */
static bool is_told(const struct gen_insn *insn, const struct wt_insn_operands *o)
{
    const bool near = insn->row->format == GEN_FORMAT_MATH && gen_math_is_near(insn->condition);
    bool told = o->operation == WT_DOES_MEANT && !o->mixes && insn->predicate <= 1 && !near;
    for (unsigned i = 0; i < o->count; i++)
        for (unsigned l = 0; l < o->lanes && o->list[i].kind != WT_OPERAND_CONSTANT; l++)
            told &= place_of(o, &o->list[i], o->first_lane + l) >= 0;
    return told;
}

/* False: the evaluator does not say all. */
static bool mean_lane(const struct wt_insn_operands *o, const uint8_t *code,
                      const struct state *before, struct state *after, unsigned lane)
{
    static const struct wt_fp fp = {.propagate_nan = true};
    const struct floats floats = {{compute_float}, &fp, &fp, true, false};
    struct wt_meaning_operands in = {.floats = &floats.is};
    struct wt_meaning_value result[WT_RESULTS] = {{0}};
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        const unsigned own = own_of(x);
        if (!x->reads || !x->leaf)
            continue;
        const uint64_t is = x->kind == WT_OPERAND_CONSTANT
                                ? (uint64_t)x->value
                                : bits_at(before, place_of(o, x, lane), own);
        struct wt_meaning_value *leaf = &in.leaf[x->leaf]; /* its lower parts come first */
        leaf->value |= wt_operand_leaf(o, x, own, 0, is, false) << leaf->bits;
        leaf->bits += wt_operand_leaf_bits(o, x, own);
    }
    for (bool first = true; *code == WT_M_OUT; first = false) {
        const unsigned to = code[1];
        code += 2;
        result[to] = wt_meaning_evaluate(&code, &in);
        in.leaf[WT_M_RESULT] = first ? result[to] : in.leaf[WT_M_RESULT];
    }
    bool any = false;
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        const struct wt_meaning_value *r = &result[x->result];
        if (!x->writes || !x->result)
            continue;
        if (!r->bits)
            return false;
        any = true;
        put_bits(after, place_of(o, x, lane), own_of(x),
                 wt_operand_result(x, own_of(x), r->bits, 0, r->value));
    }
    return any;
}

/* ---- each row ---- */

/* Whether a channel executes it: those that a predicate leaves out do not. */
static bool executes(const struct gen_insn *insn, const struct wt_insn_operands *o,
                     const struct state *s, unsigned lane)
{
    if (!insn->no_mask && !(s->mask >> lane & 1))
        return false;
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].guards)
            return bits_at(s, place_of(o, &o->list[i], lane), 1) != o->list[i].inverted;
    return true;
}

/* A word on random states: operands that were compared; 0: the evaluator does not say all. Where
 * @p plants, a mistake is, and *differs says whether it was found. */
static unsigned try_word(const struct gen_word *word, const struct gen_insn *insn, bool plants,
                         bool *differs)
{
    static struct state before, after, meant;
    unsigned done = 0;
    for (unsigned k = 0; k < STATES_EACH; k++) {
        struct wt_insn_operands o;
        uint8_t copy[WT_MOST_COMPOSED];
        fill(&before, insn);
        if (!gen_operands(insn, address_of, before.b, &o))
            return done;
        gen_list_meaning(insn, &o);
        const uint8_t *code = wt_operands_meaning(&o);
        if (!is_told(insn, &o) || (plants && !plant(code, copy)))
            return done;
        bool told = true;
        unsigned channels = 0;
        meant = before;
        for (unsigned l = o.first_lane; l < (unsigned)o.first_lane + o.lanes && told; l++)
            if (executes(insn, &o, &before, l)) {
                told = mean_lane(&o, plants ? copy : code, &before, &meant, l);
                channels++;
            }
        if (!told)
            return done;
        execute(word, &before, &after);
        if (after.fault)
            return done;
        done += channels;
        for (unsigned i = 0; i < BYTES; i++) {
            if (meant.b[i] == after.b[i] || (i >= AT_ACC && i < AT_A))
                continue;
            char text[200];
            *differs = true;
            if (plants)
                return done;
            gen_text(insn, text, sizeof text);
            fail_msg("%s: byte %u is 0x%02x, not 0x%02x (0x%02x before)", text, i, after.b[i],
                     meant.b[i], before.b[i]);
        }
    }
    return done;
}

static unsigned try_row(const struct gen_row *row, bool plants, bool *differs)
{
    unsigned done = 0;
    for (unsigned words = 0; done < channels_each && words < (done ? WORDS : FEW) && !*differs;
         words++) {
        struct gen_insn insn;
        struct gen_word word;
        const char *why;
        do
            word = word_of(row);
        while (!gen_decode(&word, &insn, &why));
        done += try_word(&word, &insn, plants, differs);
    }
    return done;
}

static bool is_arithmetic(const struct gen_row *row)
{
    return row->format >= GEN_FORMAT_ONE && row->format <= GEN_FORMAT_MATH;
}

static void rows_do_what_they_mean(void **state)
{
    unsigned rows = 0, told = 0;
    (void)state;
    open_device();
    for (unsigned i = 0; i < GEN_INSNS; i++) {
        bool differs = false;
        seed = i + 1;
        if (!is_arithmetic(&gen_rows[i]))
            continue;
        const unsigned done = try_row(&gen_rows[i], false, &differs);
        rows++;
        told += done >= channels_each;
        if (done < channels_each && getenv("UNTOLD"))
            printf("%s %u\n", gen_rows[i].name, done);
    }
    printf("%u rows of arithmetic, %u of them in the evaluator's own words\n", rows, told);
    assert_in_range(rows - told, 0, UNTOLD);
    gen_device_free(device);
}

static void planted_mistakes_are_found(void **state)
{
    enum { STEP = 7 };
    unsigned planted = 0;
    (void)state;
    open_device();
    for (unsigned i = 0; planted < PLANTED; i = (i + STEP) % GEN_INSNS) {
        bool differs = false;
        seed = i + 1 + planted;
        if (i == GEN_LZD) /* its mistake would be in whether -a is 0, where +a is no other number */
            continue;
        if (!is_arithmetic(&gen_rows[i]) ||
            (try_row(&gen_rows[i], true, &differs) < 64 && !differs))
            continue;
        if (!differs)
            fail_msg("%s: a mistake in its meaning is not found", gen_rows[i].name);
        planted++;
    }
    gen_device_free(device);
}

/* Rows without a meaning, by reason: a list that only shrinks. */
static void rows_without_meaning_have_a_reason(void **state)
{
    static const unsigned most[WT_UNSAID_REASONS] = {
        [WT_UNSAID_TRAP] = 1,  /* illegal */
        [WT_UNSAID_NAMED] = 6, /* movi; math and messages by their function */
    };
    unsigned count[WT_UNSAID_REASONS] = {0}, said = 0;
    (void)state;
    for (unsigned i = 0; i < GEN_INSNS; i++) {
        const uint8_t *const *meaning = gen_rows[i].meaning;
        const bool integers = *meaning[0] != WT_M_UNSAID;
        if (integers || *meaning[1] != WT_M_UNSAID)
            said++;
        else
            count[meaning[meaning[0][1] == WT_UNSAID_ABSENT][1]]++;
    }
    for (unsigned k = 0; k < WT_UNSAID_REASONS; k++)
        assert_int_equal(count[k], most[k]);
    printf("%u of %u rows have a meaning\n", said, (unsigned)GEN_INSNS);
}

static bool is_row(const uint8_t *meaning, uint8_t bits)
{
    const uint8_t all[] = {bits, bits, bits};
    struct wt_rows_match m;
    return *meaning != WT_M_UNSAID && wt_rows_match(meaning, all, bits == 64, &m);
}

/* Rows of arithmetic whose meaning is no pattern of the translator's, for no type. */
static void rows_without_translation_get_fewer(void **state)
{
    unsigned without = 0, rows = 0;
    (void)state;
    for (unsigned i = 0; i < GEN_INSNS; i++) {
        const uint8_t *const *meaning = gen_rows[i].meaning;
        if (!is_arithmetic(&gen_rows[i]))
            continue;
        const bool is = is_row(meaning[0], 32) || is_row(meaning[1], 32) || is_row(meaning[1], 64);
        rows++;
        without += !is;
        if (!is && getenv("UNTRANSLATED"))
            printf("%s\n", gen_rows[i].name);
    }
    printf("%u of %u rows have no translation\n", without, rows);
    assert_int_equal(without, UNTRANSLATED);
}

/* test_gen_meaning [OPERANDS]: so many of each row. */
int main(int argc, char **argv)
{
    channels_each = argc > 1 ? (unsigned)atoi(argv[1]) : channels_each;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_what_they_mean),
                                       cmocka_unit_test(planted_mistakes_are_found),
                                       cmocka_unit_test(rows_without_meaning_have_a_reason),
                                       cmocka_unit_test(rows_without_translation_get_fewer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
