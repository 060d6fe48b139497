/*
 * The meanings that the table of gfx900 states are what its instructions do: each row is executed
 * in each of its forms on random operands, with any modifiers, beside the plain evaluator of its
 * meaning (machine/meaning.h). Operands are as gcn_operands() lists them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/gcn/exec/fp.h"
#include "emulator/gcn/know/block.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/softfloat.h"
#include "gcn_rig.h"
#include "gcn_words.h"
#include "meaning_float.h"
#include "planted.h"

enum {
    WAVES = 4,   /* whose operands words are tried with, 64 each */
    UNTOLD = 81, /* rows of whose results the evaluator does not say the bits; it only falls */
    UNTRANSLATED = 928, /* rows that the translator has no code for; it only falls */
    WIDE = 3,           /* rows that it has code for where the host has AVX-512 alone */
    PLANTED = 20
};

struct registers {
    uint32_t v[REGISTERS][GCN_LANES], s[GCN_SCALARS];
    bool scc;
};

static unsigned words_each = 40; /* of a row's form: with 10,240 operands */
static const struct gcn_model
    *only; /* on which rows are tried; NULL: each on the first that has it */
static struct wt_fp single, other;
static struct floats floats = {{compute_float}, &single, &other, false, false};

/* ---- what the meaning says ---- */

/* Bits of an operand in a lane; 64 at most. */
static uint64_t bits_of(const struct registers *r, const struct wt_insn_operand *o, unsigned lane)
{
    const unsigned n = o->number;
    uint64_t low, high = 0;
    if (o->kind == WT_OPERAND_CONSTANT)
        return (uint64_t)o->value;
    if (o->file == GCN_FILE_STATE)
        return r->scc;
    low = o->file == GCN_FILE_V ? r->v[n][lane] : r->s[n];
    if (o->first + o->bits > 32)
        high = o->file == GCN_FILE_V ? r->v[n + 1][lane] : r->s[n + 1];
    low |= high << 32;
    return o->by_lane ? low >> lane & 1 : low >> o->first;
}

static unsigned width_of(const struct wt_insn_operand *o)
{
    return o->by_lane                       ? 1
           : o->kind == WT_OPERAND_CONSTANT ? 64
           : o->file == GCN_FILE_STATE      ? 1
                                            : o->bits;
}

/* The lane that an operand is of, for a lane; -1: none, WT_NO_LANE: the lane stays as it is. */
static int lane_of(const struct gcn_uop *u, const struct wt_insn_operand *o, unsigned lane,
                   const struct registers *r, uint64_t exec)
{
    if (o->kind != WT_OPERAND_ROW)
        return (int)lane;
    if (o->whose >= WT_LANE_0)
        return o->whose - WT_LANE_0;
    if (o->whose == WT_LANE_FIRST)
        return exec ? __builtin_ctzll(exec) : 0;
    if (!o->crosses)
        return (int)lane;
    if (u->row->encoding == GCN_DS) { /* ds_swizzle_b32, ds_bpermute_b32 */
        const unsigned at = o->leaf == WT_M_A
                                ? gcn_swizzled((uint32_t)u->imm, lane)
                                : (r->v[u->src[0]][lane] + (uint32_t)u->imm) / 4 % GCN_LANES;
        return exec >> at & 1 ? (int)at : -1;
    }
    if (u->form != GCN_FORM_DPP) /* v_readlane_b32 */
        return (int)(r->s[u->src[1]] % GCN_LANES);
    const int from = gcn_dpp_lane(u->dpp, (int)lane);
    const bool there = from >= 0 && exec >> from & 1,
               enabled = u->row_mask >> (lane / 16) & 1 && u->bank_mask >> (lane / 4 % 4) & 1;
    return !enabled || (!there && !u->bound_ctrl) ? WT_NO_LANE : there ? from : -1;
}

/* False: the lane stays as it is. */
static bool fetch(const struct gcn_uop *u, const struct wt_insn_operands *o,
                  const struct registers *r, uint64_t exec, unsigned lane, unsigned half,
                  struct wt_meaning_operands *in)
{
    memset(in, 0, sizeof *in);
    in->floats = &floats.is;
    in->clamp = o->clamp;
    in->leaf[WT_M_LANE] = (struct wt_meaning_value){lane, 32};
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        struct wt_meaning_value *leaf = &in->leaf[x->leaf];
        if (!x->reads || !x->leaf)
            continue;
        const int from = lane_of(u, x, lane, r, exec);
        if (from == WT_NO_LANE)
            return false;
        uint64_t is = from < 0 ? 0 : bits_of(r, x, (unsigned)from);
        const unsigned own = width_of(x), bits = wt_operand_leaf_bits(o, x, own);
        if (x->is_zero)
            is = !is;
        leaf->value |= wt_operand_leaf(o, x, own, half, is, false) << leaf->bits;
        leaf->bits += bits;
    }
    return true;
}

/* The results, by enum wt_meaning_result. */
static void evaluate(const uint8_t *code, struct wt_meaning_operands *in,
                     struct wt_meaning_value result[static WT_RESULTS])
{
    bool first = true;
    memset(result, 0, WT_RESULTS * sizeof *result);
    while (*code == WT_M_OUT) {
        const unsigned to = code[1];
        code += 2;
        result[to] = wt_meaning_evaluate(&code, in);
        if (first)
            in->leaf[WT_M_RESULT] = result[to];
        first = false;
    }
}

static void put_bits(uint32_t *word, const struct wt_insn_operand *o, uint64_t is)
{
    const uint32_t mask =
        (uint32_t)((o->bits < 32 ? (UINT64_C(1) << o->bits) - 1 : UINT32_MAX) << o->first);
    *word = (*word & ~mask) | ((uint32_t)is << o->first & mask);
}

static void put_result(struct registers *r, const struct wt_insn_operand *o, unsigned lane,
                       uint64_t is)
{
    const unsigned n = o->number;
    if (o->file == GCN_FILE_STATE) {
        r->scc = is;
        return;
    }
    if (o->by_lane) {
        const uint32_t bit = 1u << lane % 32;
        r->s[n + lane / 32] = (r->s[n + lane / 32] & ~bit) | (is ? bit : 0);
        return;
    }
    put_bits(o->file == GCN_FILE_V ? &r->v[n][lane] : &r->s[n], o, is);
    if (o->bits > 32)
        *(o->file == GCN_FILE_V ? &r->v[n + 1][lane] : &r->s[n + 1]) = (uint32_t)(is >> 32);
}

/* The registers after it, of those before; false: the evaluator does not say all. */
static bool mean(const struct gcn_uop *u, const struct wt_insn_operands *o, const uint8_t *code,
                 const struct registers *before, struct registers *after)
{
    const uint64_t exec = gcn_pair(&before->s[GCN_EXEC]);
    *after = *before;
    for (unsigned lane = 0; lane < (u->row->encoding < GCN_VOP2 ? 1 : GCN_LANES); lane++) {
        struct wt_meaning_value result[WT_RESULTS] = {{0}};
        uint8_t from[WT_RESULTS] = {0};
        bool changes = true;
        for (unsigned half = 0; half <= (o->packed > 0); half++) {
            struct wt_meaning_operands in;
            struct wt_meaning_value own[WT_RESULTS];
            changes &= fetch(u, o, before, exec, lane, half, &in);
            evaluate(code, &in, own);
            for (unsigned k = 0; k < WT_RESULTS; k++) {
                result[k].value |= own[k].value << o->packed * half;
                result[k].bits += own[k].bits;
            }
        }
        for (unsigned i = 0; i < o->count; i++) {
            const struct wt_insn_operand *x = &o->list[i];
            if (!x->writes || !x->result)
                continue;
            const struct wt_meaning_value *is = &result[x->result];
            const bool of_wave = x->kind == WT_OPERAND_SCALAR && !x->by_lane;
            if (changes && !is->bits)
                return false;
            const uint64_t value =
                wt_operand_result(x, width_of(x), is->bits, from[x->result], is->value);
            from[x->result] = (uint8_t)(from[x->result] + x->width);
            if (of_wave ? lane == 0
                        : x->by_lane || (x->whose >= WT_LANE_0 ? x->whose - WT_LANE_0 == (int)lane
                                                               : changes && exec >> lane & 1))
                put_result(after, x, lane,
                           x->by_lane && !(changes && exec >> lane & 1) ? 0 : value);
        }
    }
    return true;
}

/* ---- each row ---- */

static bool is_scalar(const struct gcn_row *row)
{
    return row->encoding < GCN_VOP2;
}

/* Instructions of the wave have no vector registers. */
static void fill(struct registers *r, bool scalar)
{
    for (unsigned n = 0; n < REGISTERS && !scalar; n++)
        for (unsigned l = 0; l < GCN_LANES; l++)
            r->v[n][l] = number();
    for (unsigned n = 0; n < GCN_SCALARS; n++)
        r->s[n] = number();
    r->scc = any(2);
    if (!any(3))
        gcn_set_pair(&r->s[GCN_EXEC], ALL);
    else if (!gcn_pair(&r->s[GCN_EXEC]))
        r->s[GCN_EXEC] = 1;
}

/* Words that name what the list of operands does not know before: other lanes by a register of
 * vectors, memory. */
static bool is_told(const struct gcn_uop *u, const struct wt_insn_operands *o)
{
    if (o->operation != WT_DOES_MEANT || o->mixes || u->row == &gcn_rows[GCN_I_ds_permute_b32])
        return false;
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        if (x->kind == WT_OPERAND_MEMORY)
            return false;
        if (x->file == GCN_FILE_S && x->kind == WT_OPERAND_SCALAR &&
            x->number + (x->bits + 31u) / 32 > GCN_TTMP && x->number < GCN_M0)
            return false; /* a trap handler's */
        if (x->crosses && x->kind == WT_OPERAND_ROW && u->form != GCN_FORM_DPP &&
            u->row->encoding != GCN_DS && (x->writes || u->src[1] >= GCN_INLINE))
            return false;
    }
    return true;
}

static void show(const struct registers *before, const struct registers *is,
                 const struct registers *meant, const struct gcn_uop *u, unsigned form)
{
    for (unsigned n = 0; n < REGISTERS; n++)
        for (unsigned l = 0; l < GCN_LANES; l++)
            if (is->v[n][l] != meant->v[n][l])
                fail_msg("%s, form %u (0x%08x 0x%08x): v%u lane %u is 0x%08x, not 0x%08x",
                         u->row->name, form, u->word[0], u->word[1], n, l, is->v[n][l],
                         meant->v[n][l]);
    for (unsigned n = 0; n < GCN_SCALARS; n++)
        if (is->s[n] != meant->s[n])
            fail_msg("%s, form %u (0x%08x 0x%08x): scalar %u is 0x%08x, not 0x%08x", u->row->name,
                     form, u->word[0], u->word[1], n, is->s[n], meant->s[n]);
    if (is->scc != meant->scc)
        fail_msg("%s, form %u (0x%08x 0x%08x): SCC is %u (%u before)", u->row->name, form,
                 u->word[0], u->word[1], is->scc, before->scc);
}

enum outcome { AGREES, DIFFERS, UNKNOWN };

/* @p as: the row with another meaning; NULL: its own, of which all must agree. */
static enum outcome try_form(struct gcn_wave *w, const struct gcn_row *row, unsigned form,
                             const struct gcn_row *as)
{
    static struct registers before, after, meant;
    rig_take_model_of(row);
    rig_model = only ? only : rig_model;
    for (unsigned trial = 0; trial < words_each; trial++) {
        uint32_t word[3];
        struct gcn_uop u;
        struct wt_insn_operands o;
        const char *why;
        unsigned tries = 0;
        do {
            make_words(row, form, word);
            u = (struct gcn_uop){0};
            if (++tries == 2000)
                return trial ? AGREES : UNKNOWN;
        } while (!gcn_decode(rig_model, GCN_LANES, word, 3, &u, &why) || u.row != row ||
                 !gcn_operands(&u, &o) || !is_told(&u, &o));
        u.run = gcn_handler_of(&u);
        for (unsigned k = 0; k < (is_scalar(row) ? WAVES * GCN_LANES : WAVES); k++) {
            fill(&before, is_scalar(row));
            memcpy(w->v, before.v, is_scalar(row) ? 0 : sizeof before.v);
            memcpy(w->s, before.s, sizeof before.s);
            w->scc = before.scc;
            w->mode = (uint32_t)any(16); /* any rounding; denormals are zeros */
            w->mode |= any(2) ? GCN_MODE_IEEE : 0;
            floats.ieee = w->mode & GCN_MODE_IEEE;
            w->trapsts = 0;
            single = gcn_fp_env(w, true);
            other = gcn_fp_env(w, false);
            if (!mean(&u, &o, as ? as->meaning : row->meaning, &before, &meant))
                return UNKNOWN;
            assert_non_null(u.run(w, &u));
            memcpy(after.v, is_scalar(row) ? before.v : w->v, sizeof after.v);
            memcpy(after.s, w->s, sizeof after.s);
            after.scc = w->scc;
            if (memcmp(after.v, meant.v, sizeof after.v) == 0 &&
                memcmp(after.s, meant.s, sizeof after.s) == 0 && after.scc == meant.scc)
                continue;
            if (!as)
                show(&before, &after, &meant, &u, form);
            return DIFFERS;
        }
    }
    return AGREES;
}

static struct gcn_wave *begin(struct rig *r)
{
    static const uint32_t code[64] = {S_NOP};
    *r = rig_new("rr:1", 1, 64, code, 64);
    run(r, 1);
    return wave_of(r, 0);
}

static bool is_computed(const struct gcn_row *row)
{
    /* Of accumulation registers, tests/isa/gcn/test_gcn_mfma.py is the reference. */
    return rig_encodes(row) && gcn_row_executes(row) && *row->meaning == WT_M_OUT &&
           !strpbrk(row->operands, "aWXTYZ");
}

static void rows_do_what_they_mean(void **state)
{
    struct rig r;
    rig_model = only ? only : rig_model;
    struct gcn_wave *w = begin(&r);
    unsigned rows = 0, untold = 0;
    (void)state;
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        const struct gcn_row *row = &gcn_rows[i];
        bool all = true;
        if (!is_computed(row) || (only && !(row->models & only->set)))
            continue;
        for (unsigned form = 0; form < FORMS; form++)
            if ((row->forms & form_bits[form]) == form_bits[form]) {
                random_state = i;
                all &= try_form(w, row, form, NULL) == AGREES;
            }
        rows++;
        untold += !all;
        if (!all && getenv("UNTOLD"))
            printf("%s\n", row->name);
    }
    printf("%u rows%s%s, %u of them in the evaluator's own words\n", rows, only ? " of " : "",
           only ? only->target.name : "", rows - untold);
    assert_in_range(untold, 0, UNTOLD);
    rig_free(&r);
}

static void planted_mistakes_are_found(void **state)
{
    enum { STEP = 17 };
    struct rig r;
    struct gcn_wave *w = begin(&r);
    unsigned planted = 0;
    (void)state;
    for (unsigned i = 0; planted < PLANTED; i = (i + STEP) % GCN_INSNS) {
        uint8_t copy[WT_M_MOST];
        const struct gcn_row *row = &gcn_rows[i];
        struct gcn_row as = *row;
        const unsigned form = row->encoding == GCN_VOP3 || row->encoding < GCN_VOP2 ||
                                      row->encoding == GCN_VOP3P || row->forms & GCN_LIT
                                  ? PLAIN
                                  : LONG;
        random_state = i;
        if (!is_computed(row) || try_form(w, row, form, NULL) != AGREES ||
            !plant(row->meaning, copy))
            continue;
        as.meaning = copy;
        random_state = i;
        if (try_form(w, row, form, &as) != DIFFERS)
            fail_msg("%s: a mistake in its meaning is not found", row->name);
        planted++;
    }
    rig_free(&r);
}

/* Rows without a meaning, by reason: a list that only shrinks. */
static void rows_without_meaning_have_a_reason(void **state)
{
    static const unsigned most[WT_UNSAID_REASONS] = {
        [WT_UNSAID_ABSENT] = 43,
        [WT_UNSAID_FORK] =
            5, /* s_cbranch_g_fork, s_cbranch_i_fork, s_cbranch_join, s_subvector_loop */
        [WT_UNSAID_TRAP] = 3, /* s_rfe_b64, s_rfe_restore_b64, s_trap */
        [WT_UNSAID_MODE] =
            9, /* s_setreg, indexing, VSKIP, v_clrexcp, s_round_mode, s_denorm_mode */
        [WT_UNSAID_NAMED] = 11,  /* s_movrel, v_movrel, s_set_gpr_idx_on */
        [WT_UNSAID_SIGNAL] = 11, /* s_barrier, s_sendmsg, s_sethalt, s_setkill, ds_gws */
        [WT_UNSAID_DEBUG] = 4,   /* s_cbranch_cdbg */
        [WT_UNSAID_TWO] = 1,     /* buffer_store_lds_dword */
        [WT_UNSAID_IMAGE] = 57,
        [WT_UNSAID_WIDE] = 1}; /* v_mqsad_u32_u8 */
    unsigned count[WT_UNSAID_REASONS] = {0}, said = 0;
    (void)state;
    for (unsigned i = 0; i < GCN_INSNS; i++)
        if (*gcn_rows[i].meaning != WT_M_UNSAID)
            said++;
        else
            count[gcn_rows[i].meaning[1]]++;
    for (unsigned k = 0; k < WT_UNSAID_REASONS; k++)
        assert_int_equal(count[k], most[k]);
    printf("%u of %u rows have a meaning\n", said, (unsigned)GCN_INSNS);
}

/* Whether the translator has code for a word of a row's. */
static bool is_translated(struct gcn_wave *w, const struct gcn_row *row)
{
    enum { TRIES = 400 };
    rig_take_model_of(row);
    for (unsigned form = 0; form < FORMS; form++)
        for (unsigned i = 0; i < TRIES && (row->forms & form_bits[form]) == form_bits[form]; i++) {
            struct wt_rows_insn to = {0};
            struct gcn_uop u = {0};
            uint32_t word[3];
            uint16_t rows[GCN_FILES] = {0};
            const char *why;
            make_words(row, form, word);
            if (!gcn_decode(rig_model, GCN_LANES, word, 3, &u, &why) || u.row != row)
                continue;
            u.run = gcn_handler_of(&u);
            if (gcn_block_insn(w, &u, &to, rows))
                return true;
        }
    return false;
}

static void rows_without_translation_get_fewer(void **state)
{
    struct rig r;
    struct gcn_wave *w = begin(&r);
    unsigned without = 0, rows = 0;
    (void)state;
    random_state = 1;
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        if (!(gcn_rows[i].models & gcn_models[0].set)) /* gfx900 */
            continue;
        rows++;
        if (!is_translated(w, &gcn_rows[i])) {
            without++;
            if (getenv("UNTRANSLATED"))
                printf("%s\n", gcn_rows[i].name);
        }
    }
    printf("%u of %u rows have no translation\n", without, rows);
    assert_in_range(without, 0, UNTRANSLATED + (wt_rows_has_512() ? 0 : WIDE));
    rig_free(&r);
}

/* test_gcn_meaning [WORDS]: so many of each row's form; 40 are 10,240 operands. */
/* test_gcn_meaning [WORDS [MODEL]]: with a model, its rows alone, on it. */
int main(int argc, char **argv)
{
    only = argc > 2 ? gcn_model_find(argv[2], strlen(argv[2])) : NULL;
    words_each = argc > 1 ? (unsigned)atoi(argv[1]) : words_each;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_what_they_mean),
                                       cmocka_unit_test(planted_mistakes_are_found),
                                       cmocka_unit_test(rows_without_meaning_have_a_reason),
                                       cmocka_unit_test(rows_without_translation_get_fewer)};
    const struct CMUnitTest first[] = {tests[0]};
    return only ? cmocka_run_group_tests(first, NULL, NULL)
                : cmocka_run_group_tests(tests, NULL, NULL);
}
