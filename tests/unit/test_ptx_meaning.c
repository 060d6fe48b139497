/*
 * The meanings that math.def states, composed with what records of PTX add (types, carries, tables,
 * conditions), and those of comparisons, selections, conversions and video instructions, are what
 * their executors do: each is executed on random operands, beside the plain evaluator
 * (machine/meaning.h). Operands are as ptx_operands() lists them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/exec/rows.h"
#include "emulator/sm/ptx/know/block.h"
#include "emulator/sm/ptx/exec/video.h"
#include "emulator/sm/ptx/know/meaning.h"
#include "emulator/translate/rows.h"
#include "meaning_float.h"
#include "planted.h"
#include "ptx_rig.h"

enum {
    PLANTED = 20,
    ROWS = 24,
    FIRST = 4, /* row of source 0; each place has two */
    RESULT = FIRST + 8,
    SECOND = RESULT + 2,
    UNTOLD = 20,       /* rows whose results the evaluator does not say; it only falls */
    UNTRANSLATED = 461 /* rows that the translator has no code for; it only falls */
};
static unsigned warps_each = 40; /* of a row, of 32 operands each */

static const char *const name_of[] = {
#define M(name, integers, floats) #name,
#include "emulator/sm/ptx/math.def"
#undef M
};

/* ---- records ---- */

enum kind {
    INTEGERS,
    FLOATS,
    VIDEO,
    COMPARISON,
    SELECTION,
    CHOICE,
    CONVERSION,
    LOGIC,
    TEST,
    KINDS
};
static const char *const kind_name[] = {"integer", "float", "video", "setp", "selp",
                                        "slct",    "cvt",   "logic", "testp"};

struct row {
    enum kind kind;
    unsigned math, type, from;
};

static unsigned any(unsigned below)
{
    return (unsigned)(random64() >> 20) % below;
}

static bool is_integer(unsigned type)
{
    return (type >= PTX_U8 && type <= PTX_S64) || (type >= PTX_B8 && type <= PTX_B64);
}

/* Floats that the evaluator has: no bfloat16. */
static bool is_real(unsigned type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_F32 || type == PTX_F64;
}

static bool integer(const struct row *r, struct ptx_op *op)
{
    op->run = ptx_integer((enum ptx_math)r->math, (enum ptx_type)r->type);
    op->how = (uint8_t)(r->math == PTX_OP_prmt ? 0 : random64());
    op->is_signed = r->type >= PTX_S8 && r->type <= PTX_S64;
    op->combine = (uint8_t)(r->math - PTX_OP_addc);
    op->flag = any(2);
    if (r->math == PTX_OP_bmsk || r->math == PTX_OP_szext)
        op->how &= 1;
    return op->run && is_integer(r->type) && (r->math != PTX_OP_abs || op->is_signed);
}

static bool real(const struct row *r, struct ptx_op *op)
{
    const bool single = r->type == PTX_F32, half = r->type == PTX_F16 || r->type == PTX_F16X2;
    const bool rounds =
        !half && (r->math == PTX_OP_add || r->math == PTX_OP_sub || r->math == PTX_OP_mul ||
                  r->math >= PTX_OP_fma || r->math == PTX_OP_div);
    op->ftz = single && any(2);
    op->sat = single && any(4) == 0 && r->math <= PTX_OP_fma;
    op->round = rounds && any(2) ? (uint8_t)any(4) : WT_RNE;
    op->how = (uint8_t)r->math;
    op->run = ptx_float((enum ptx_math)r->math, (enum ptx_type)r->type,
                        op->round == WT_RNE && !op->ftz && !op->sat);
    return op->run && is_real(r->type);
}

static bool video(const struct row *r, struct ptx_op *op)
{
    const bool parts = r->math >= PTX_OP_vadd2;
    op->run = parts ? ptx_op_parts : ptx_op_scalar_video;
    op->size = r->math % 2 == PTX_OP_vadd2 % 2 ? 16 : 8;
    for (op->how = 0; op->how < 10 && ptx_video_of(op) != (enum ptx_math)r->math;)
        op->how++;
    const bool shifts = r->math == PTX_OP_vshl || r->math == PTX_OP_vshr;
    op->type = (uint8_t)(parts ? 3 * any(2) : any(shifts ? 2 : 4));
    op->combine = (uint8_t)(r->math == PTX_OP_vset || parts ? any(8) : any(2));
    for (unsigned i = 1; i < 3; i++)
        op->vector[i] = any(7);
    op->vector[0] = 0;
    return r->math >= PTX_OP_vadd && r->math < PTX_OP_fma &&
           ptx_video_of(op) == (enum ptx_math)r->math;
}

static bool comparison(const struct row *r, struct ptx_op *op)
{
    static const uint8_t results[] = {PTX_U32, PTX_S32, PTX_F32, PTX_U16, PTX_F16};
    op->run = ptx_set_predicate((enum ptx_type)r->type);
    op->type = op->from_type = (uint8_t)r->type;
    op->how = (uint8_t)(1 + (is_integer(r->type) ? any(6) : any(14)));
    if (r->type == PTX_F32 && any(2)) {
        op->run = ptx_set_predicate_flushing();
        op->ftz = true;
    }
    op->combine = (uint8_t)any(3);
    op->flag = any(2);
    if (op->flag)
        op->type = r->type == PTX_F16X2 ? any(2) ? PTX_U32 : PTX_F16X2
                                        : results[any(r->type == PTX_F16 ? 5 : 3)];
    if (any(2))
        op->s[2].slot = PTX_NO_SLOT;
    if (any(2) && !op->flag)
        op->d2 = SECOND * PTX_ROW_BYTES;
    return op->run && (is_integer(r->type) || is_real(r->type));
}

static bool conversion(const struct row *r, struct ptx_op *op)
{
    const bool of_integer = is_integer(r->from), to_integer = is_integer(r->type);
    op->type = (uint8_t)r->type;
    op->from_type = (uint8_t)r->from;
    op->size = ptx_type_bytes((enum ptx_type)r->from) == 8 ? 8 : 4;
    op->element = ptx_type_bytes((enum ptx_type)r->type) == 8 ? 8 : 4;
    op->round = (uint8_t)(of_integer && to_integer ? 0 : any(4));
    op->sat = of_integer && to_integer && any(2);
    op->flag = !of_integer && r->from == r->type && any(2);
    op->run = ptx_convert(op);
    return (of_integer || is_real(r->from)) && (to_integer || is_real(r->type)) &&
           r->type != PTX_F16X2 && r->from != PTX_F16X2;
}

/* One of those of the row; false: there is none. */
static bool make(const struct row *r, struct ptx_op *op)
{
    *op = (struct ptx_op){.d = RESULT * PTX_ROW_BYTES,
                          .d2 = PTX_NO_SLOT,
                          .guard = PTX_NO_SLOT,
                          .type = (uint8_t)r->type};
    for (unsigned k = 0; k < 4; k++)
        op->s[k] = (struct ptx_source){.slot = (FIRST + 2 * k) * PTX_ROW_BYTES, .negated = false};
    const bool alone = !r->math && !r->from;
    switch (r->kind) {
    case INTEGERS:
        return !r->from && integer(r, op);
    case FLOATS:
        return !r->from && real(r, op);
    case VIDEO:
        return !r->from && r->type == PTX_U32 && video(r, op);
    case COMPARISON:
        op->s[2].negated = any(2);
        return alone && comparison(r, op);
    case SELECTION:
        op->run = ptx_select((enum ptx_type)r->type);
        op->s[2].negated = any(2);
        return alone && (r->type == PTX_U32 || r->type == PTX_U64);
    case CHOICE:
        op->run = ptx_choose((enum ptx_type)r->type);
        op->flag = any(2);
        op->ftz = op->flag && any(2);
        return alone && (r->type == PTX_U32 || r->type == PTX_U64);
    case CONVERSION:
        return !r->math && r->from && conversion(r, op);
    case LOGIC:
        op->run = ptx_op_predicate;
        op->how = (uint8_t)any(16);
        op->s[0].negated = any(2);
        op->s[1] = op->how == 3 || op->how == 12 ? op->s[0] : op->s[1];
        return alone && r->type == PTX_PRED;
    default:
        op->run = ptx_op_testp;
        op->how = (uint8_t)any(6);
        return alone && (r->type == PTX_F32 || r->type == PTX_F64);
    }
}

/* ---- what the meaning says ---- */

struct state {
    _Alignas(64) uint32_t r[ROWS][SM_LANES];
    uint32_t carry;
};

static uint64_t bits_at(const struct state *s, const struct wt_insn_operand *o, unsigned lane)
{
    const uint8_t *row = (const uint8_t *)s->r + o->number;
    if (o->file == SM_FILE_STATE)
        return s->carry >> lane & 1;
    if (o->by_lane)
        return (*(const uint32_t *)row >> lane & 1) != o->inverted;
    return wt_load_le(row + lane * o->step / 8, o->step / 8) >> o->first & wt_low_bits(o->bits);
}

static void put_bits(struct state *s, const struct wt_insn_operand *o, unsigned lane,
                     uint64_t value)
{
    uint8_t *row = (uint8_t *)s->r + o->number;
    uint32_t *mask = o->file == SM_FILE_STATE ? &s->carry : (uint32_t *)row;
    if (o->by_lane)
        *mask = (*mask & ~(1u << lane)) | (uint32_t)value << lane;
    else
        wt_store_le(row + lane * o->step / 8, value, o->step / 8);
}

/* Floats as PTX has them: one NaN, but of doubles. */
static struct wt_meaning_value compute(const struct wt_meaning_floats *is,
                                       const struct wt_meaning_node *node,
                                       const struct wt_meaning_value *v)
{
    struct wt_meaning_value r = compute_float(is, node, v);
    const uint64_t x = v[0].value, y = node->operands > 1 ? v[1].value : 0,
                   z = node->operands > 2 ? v[2].value : 0;
    const bool whole = node->op >= WT_M_FTRUNC && node->op <= WT_M_FROUND;
    if (node->op > WT_M_FROUND && node->op != WT_M_FLOAT_F)
        return r;
    if (node->op == WT_M_FLOAT_F && v[0].bits == DOUBLE && is_nan(x, DOUBLE))
        return (struct wt_meaning_value){0, 0}; /* it keeps bits of a NaN */
    if (r.bits < DOUBLE && r.bits && is_nan(r.value, r.bits))
        r.value = wt_low_bits(r.bits - 1);
    else if (r.bits == DOUBLE && is_nan(r.value, DOUBLE) && !whole && node->op != WT_M_FLOAT_F)
        r.value =
            node->op == WT_M_FDIV || node->op == WT_M_FSQRT ? nan_of(x, y, 0) : nan_of(y, z, x);
    return r;
}

static uint32_t saturated(uint32_t r)
{
    const float v = wt_float_of_bits(r);
    return v >= 1 ? 0x3f800000 : v > 0 ? r : 0;
}

/* False: the evaluator does not say all. */
static bool mean_lane(const struct ptx_op *op, const struct wt_insn_operands *o,
                      const uint8_t *code, const struct state *before, struct state *after,
                      unsigned lane)
{
    const struct wt_fp single = {.round = op->round,
                                 .propagate_nan = true,
                                 .flush_input = op->ftz,
                                 .flush_output = op->ftz},
                       other = {.round = op->round, .propagate_nan = true};
    const struct floats floats = {{compute}, &single, &other, true, false};
    struct wt_meaning_value result[2][WT_RESULTS] = {{{0}}};
    bool any_result = false;
    for (unsigned half = 0; half <= (o->packed > 0); half++) {
        struct wt_meaning_operands in = {.floats = &floats.is};
        for (unsigned i = 0; i < o->count; i++) {
            const struct wt_insn_operand *x = &o->list[i];
            const unsigned own = x->by_lane ? 1 : x->bits;
            if (x->reads && x->leaf)
                in.leaf[x->leaf] = (struct wt_meaning_value){
                    wt_operand_leaf(o, x, own, half, bits_at(before, x, lane), false),
                    wt_operand_leaf_bits(o, x, own)};
        }
        for (const uint8_t *at = code; *at == WT_M_OUT;) {
            const unsigned to = at[1];
            at += 2;
            result[half][to] = wt_meaning_evaluate(&at, &in);
        }
    }
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        const unsigned own = x->by_lane ? 1 : x->bits;
        const struct wt_meaning_value *low = &result[0][x->result], *high = &result[1][x->result];
        if (!x->writes)
            continue;
        if (!low->bits)
            return false;
        uint64_t value = low->value | high->value << (high->bits ? low->bits : 0);
        if (op->sat && o->mixes)
            value = saturated((uint32_t)value);
        put_bits(after, x, lane, wt_operand_result(x, own, low->bits + high->bits, 0, value));
        any_result = true;
    }
    return any_result;
}

/* ---- each row ---- */

enum outcome { NONE, AGREES, DIFFERS, UNKNOWN };

static void fill(struct state *s, const struct wt_insn_operands *o)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < SM_LANES; l++)
            s->r[r][l] = (uint32_t)random64();
    s->carry = (uint32_t)random64();
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        for (unsigned l = 0; l < SM_LANES && x->reads && x->kind == WT_OPERAND_ROW; l++)
            wt_store_le((uint8_t *)s->r + x->number + l * x->step / 8,
                        operand(x->width == 16 || o->packed ? 2 : x->step / 8), x->step / 8);
    }
}

/* @p plants: a mistake is in the meaning, NONE if there is none that it can have. */
static enum outcome try_row(const struct row *row, bool plants)
{
    static struct state before, after, meant;
    static struct sm_warp w;
    struct ptx_op op;
    struct sm_ptx image = {.op = &op, .op_count = 1, .function_count = 1};
    struct ptx_function_info whole = {.end = 1, .rows = ROWS};
    struct sm_uop u = {.ptx = &op, .step = 1};
    struct wt_insn_operands o;
    bool told = false;
    image.function = &whole;
    for (unsigned n = 0; n < warps_each; n++) {
        uint8_t copy[WT_MOST_COMPOSED];
        if (!make(row, &op))
            return NONE;
        w.r = before.r;
        w.mask = any(3) ? UINT32_MAX : (uint32_t)random64() | 1;
        assert_true(ptx_operands(&w, &image, 0, &o));
        if (o.operation != WT_DOES_MEANT)
            fail_msg("%s %s type %u is not a meaning", kind_name[row->kind], name_of[row->math],
                     row->type);
        if (plants && !plant(o.composed, copy))
            return NONE;
        fill(&before, &o);
        w.carry = before.carry;
        after = meant = before;
        bool all = true;
        for (unsigned l = 0; l < SM_LANES && all; l++)
            if (w.mask >> l & 1)
                all = mean_lane(&op, &o, plants ? copy : o.composed, &before, &meant, l);
        w.r = after.r;
        assert_ptr_equal(op.run(&w, &u), &u + 1);
        after.carry = w.carry;
        if (!all)
            continue;
        told = true;
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned l = 0; l < SM_LANES; l++)
                if (after.r[r][l] != meant.r[r][l]) {
                    if (plants)
                        return DIFFERS;
                    fail_msg("%s %s type %u from %u, how %u combine %u flag %u round %u ftz %u sat "
                             "%u: row "
                             "%u lane %u is 0x%x, not 0x%x, of 0x%x 0x%x 0x%x",
                             kind_name[row->kind], name_of[row->math], row->type, row->from, op.how,
                             op.combine, op.flag, op.round, op.ftz, op.sat, r, l, after.r[r][l],
                             meant.r[r][l], before.r[FIRST + (r & 1)][l], before.r[FIRST + 2][l],
                             before.r[FIRST + 4][l]);
                }
        if (after.carry != meant.carry && plants)
            return DIFFERS;
        assert_int_equal(after.carry, meant.carry);
    }
    return told ? AGREES : UNKNOWN;
}

/* The next row that there is, in the order of kinds, operations, types. */
static bool next(struct row *r)
{
    static const unsigned maths[KINDS] = {
        [INTEGERS] = PTX_MATHS, [FLOATS] = PTX_MATHS, [VIDEO] = PTX_MATHS};
    struct ptx_op op;
    do {
        if (++r->from == PTX_TYPES || r->kind != CONVERSION) {
            r->from = 0;
            r->type++;
        }
        if (r->type == PTX_TYPES) {
            r->type = 0;
            r->math++;
        }
        if (r->math >= (maths[r->kind] ? maths[r->kind] : 1)) {
            r->math = 0;
            r->kind++;
        }
    } while (r->kind < KINDS && !make(r, &op));
    return r->kind < KINDS;
}

static void rows_do_what_they_mean(void **state)
{
    unsigned rows = 0, untold = 0;
    (void)state;
    for (struct row r = {.kind = INTEGERS}; next(&r);) {
        const bool told = try_row(&r, false) == AGREES;
        rows++;
        untold += !told;
        if (!told)
            printf("%s %s of type %u is not in the evaluator's own words\n", kind_name[r.kind],
                   name_of[r.math], r.type);
    }
    printf("%u rows, %u of them not in the evaluator's own words\n", rows, untold);
    assert_int_equal(untold, UNTOLD);
}

static void planted_mistakes_are_found(void **state)
{
    enum { STEP = 9 };
    unsigned planted = 0, n = 0;
    (void)state;
    for (struct row r = {.kind = INTEGERS}; next(&r) && planted < PLANTED;) {
        if (n++ % STEP)
            continue;
        const enum outcome is = try_row(&r, true);
        if (is == NONE || is == UNKNOWN)
            continue;
        if (is != DIFFERS)
            fail_msg("%s %s of type %u: a mistake in its meaning is not found", kind_name[r.kind],
                     name_of[r.math], r.type);
        planted++;
    }
    assert_int_equal(planted, PLANTED);
}

static void rows_without_translation_get_fewer(void **state)
{
    enum { TRIES = 200 };
    unsigned without = 0, rows = 0;
    (void)state;
    for (struct row r = {.kind = INTEGERS}; next(&r);) {
        bool translated = false;
        for (unsigned n = 0; n < TRIES && !translated; n++) {
            struct wt_rows_insn to = {0};
            struct ptx_op op;
            translated = make(&r, &op) && ptx_as_rows(&op, &to);
        }
        rows++;
        without += !translated;
        if (!translated && getenv("UNTRANSLATED"))
            printf("%s %s of type %u from %u\n", kind_name[r.kind], name_of[r.math], r.type,
                   r.from);
    }
    printf("%u of %u rows have no translation\n", without, rows);
    assert_int_equal(without, UNTRANSLATED);
}

/* Operations of math.def whose meaning says no more than on which operands they depend: a list that
 * only shrinks. */
#include "emulator/machine/meaning_code.h"
enum { WIDTH = 0xff, WIDTH2 = 0xfe };
static const uint8_t says[][2 * WT_M_MOST] = {
#define M(name, integers, floats) {integers floats WT_M_END},
#include "emulator/sm/ptx/math.def"
#undef M
};

static void opaque_rows_are_listed(void **state)
{
    static const char opaque[] = " fns"            /* a search, which stops */
                                 " sin cos tanh "; /* approximations without a word */
    (void)state;
    for (unsigned i = 0; i < PTX_MATHS; i++) {
        const uint8_t *meaning = says[i] + (*says[i] == WT_M_UNSAID ? 2 : 0);
        char name[32];
        snprintf(name, sizeof name, " %s ", name_of[i]);
        if ((meaning[2] < WT_M_OPAQUE1) == (strstr(opaque, name) != NULL))
            fail_msg("%s", name);
    }
}

/* test_ptx_meaning [WARPS]: so many of each row, of 32 operands. */
int main(int argc, char **argv)
{
    warps_each = argc > 1 ? (unsigned)atoi(argv[1]) : warps_each;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_what_they_mean),
                                       cmocka_unit_test(planted_mistakes_are_found),
                                       cmocka_unit_test(rows_without_translation_get_fewer),
                                       cmocka_unit_test(opaque_rows_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
