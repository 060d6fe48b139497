/*
 * Which bits of results are defined, derived from meanings (check/definedness.h): for the rows of
 * gfx900, of Vortex, of Gen9 for integers, and of PTX for integers by type. A bit that differs
 * between two of the values that up to five undefined bits of the operands may have is never called
 * defined.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "check/definedness.h"
#include "emulator/gcn/isa.h"
#include "emulator/gen/isa.h"
#include "emulator/sm/ptx/know/meaning.h"
#include "emulator/vortex/isa.h"

enum {
    TRIALS = 400,
    MOST_UNDEFINED = 5,
    /* Per cent of all trials in which no bit is called undefined that is not; they only rise. */
    EXACT = 82,
    EXACT_VORTEX = 83,
    EXACT_GEN = 78, /* of avg, mach, sad2 and sada2 every bit may depend on all of the operands */
    EXACT_PTX = 62  /* products are many */
};

/* A row of any family: bits of each leaf. */
struct row {
    const char *name;
    const uint8_t *meaning;
    unsigned bits[WT_M_LEAVES];
};

static uint64_t random_state;

static uint64_t any(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

/* ---- operands ---- */

static unsigned bits_of(char letter)
{
    return strchr("sh", letter) ? 16 : strchr("UF", letter) ? 64 : letter == 'm' ? 1 : 32;
}

/* The bits of each leaf, by the row's letters. */
static void widths_of(const struct gcn_row *row, unsigned *bits)
{
    const char *letters = strchr(row->operands, ':');
    const bool packed = strchr("pP", *row->operands);
    memset(bits, 0, WT_M_LEAVES * sizeof *bits);
    for (unsigned i = 0; letters && letters[1 + i] && i < 3; i++)
        bits[WT_M_A + i] = packed ? 16 : bits_of(letters[1 + i]);
    if (letters && letters[1] && letters[2] == 'd') /* the old result */
        bits[WT_M_B] = bits_of(*row->operands);
    if (letters && letters[1] && letters[2] && letters[3] == 'd')
        bits[WT_M_C] = bits_of(*row->operands);
    if (row->encoding == GCN_DS)
        bits[WT_M_A] = bits[WT_M_B] = 32;
    bits[WT_M_OLD] = bits_of(*row->operands);
    bits[WT_M_SCC] = bits[WT_M_VCC] = 1;
    bits[WT_M_EXEC] = 64;
    bits[WT_M_M0] = bits[WT_M_LANE] = 32;
    bits[WT_M_STATE] = bits[WT_M_NEXT] = bits_of(*row->operands);
}

/* Likewise of Vortex; floats have the last format of the name. */
static void vortex_widths_of(const struct vx_insn *row, unsigned xlen, unsigned *bits)
{
    const unsigned format = row->name[strlen(row->name) - 1] == 'd' ? 64 : 32;
    unsigned source = WT_M_A;
    memset(bits, 0, WT_M_LEAVES * sizeof *bits);
    for (const char *l = row->operands; *l; l++)
        if (strchr("stj56ZErlu", *l) && source <= WT_M_C)
            bits[source++] = xlen;
        else if (strchr("STR", *l))
            bits[source++] = format;
    bits[WT_M_NEXT] = bits[WT_M_TARGET] = xlen;
}

static uint64_t value_of(unsigned bits)
{
    static const uint64_t odd[] = {0,         1,          2,    31,       UINT64_MAX,
                                   INT64_MIN, 0x80000000, 0xff, 0x7f0005, 5};
    const uint64_t all = any(UINT32_MAX) << 32 | any(UINT32_MAX);
    const uint64_t x = any(3) ? all : odd[any(sizeof odd / sizeof *odd)];
    return (any(3) ? x : x & any(UINT32_MAX) & any(UINT32_MAX)) & (UINT64_MAX >> (64 - bits));
}

/* Leaves that a meaning has, a bit each. */
static uint32_t leaves_of(const uint8_t *code)
{
    uint32_t leaves = 0;
    while (*code == WT_M_OUT || *code == WT_M_JUMP) {
        const bool jumps = *code == WT_M_JUMP;
        code += jumps ? 1 : 2;
        for (unsigned left = jumps ? 2 : 1; left; left--) {
            const struct wt_meaning_node node = wt_meaning_take(&code);
            left += node.operands;
            leaves |= node.op > WT_M_K && node.op < WT_M_LANE ? 1u << node.op : 0;
        }
    }
    return leaves;
}

/* ---- the truth ---- */

static bool evaluate(const uint8_t *code, struct wt_meaning_operands *in, uint64_t *value)
{
    bool first = true;
    while (*code == WT_M_OUT || *code == WT_M_JUMP) {
        const bool jumps = *code == WT_M_JUMP;
        const unsigned to = jumps ? WT_RESULT_JUMPS : code[1];
        code += jumps ? 1 : 2;
        const struct wt_meaning_value is = wt_meaning_evaluate(&code, in);
        if (!is.bits)
            return false;
        value[to] = is.value;
        if (jumps)
            break;
        in->leaf[WT_M_RESULT] = first ? is : in->leaf[WT_M_RESULT];
        first = false;
    }
    return true;
}

struct undefined {
    unsigned leaf, bit;
};

/* A trial: whether the row is evaluated; *exact: no bit is called undefined without need. */
static bool try(const struct row *row, bool *exact)
{
    struct wt_meant_operands in = {.clamp = any(2)};
    struct wt_meaning_operands plain = {.clamp = in.clamp};
    struct wt_meant result[WT_RESULTS];
    struct undefined undefined[MOST_UNDEFINED];
    uint64_t first[WT_RESULTS] = {0}, differs[WT_RESULTS] = {0};
    unsigned list[WT_M_LEAVES], count = 0, holes;
    const uint32_t leaves = leaves_of(row->meaning);
    const unsigned *bits = row->bits;
    for (unsigned i = 0; i < WT_M_LEAVES; i++) {
        if (!bits[i])
            continue;
        in.leaf[i].bits = plain.leaf[i].bits = bits[i];
        in.leaf[i].is.value = plain.leaf[i].value = i == WT_M_LANE ? any(64) : value_of(bits[i]);
        if (leaves >> i & 1)
            list[count++] = i;
    }
    holes = count ? 1 + (unsigned)any(MOST_UNDEFINED) : 0;
    for (unsigned k = 0; k < holes; k++) {
        const unsigned leaf = list[any(count)];
        undefined[k] = (struct undefined){leaf, (unsigned)any(any(2)           ? bits[leaf]
                                                              : bits[leaf] < 6 ? bits[leaf]
                                                                               : 6)};
        in.leaf[leaf].is.undefined |= UINT64_C(1) << undefined[k].bit;
    }
    wt_meant_results(row->meaning, &in, result);
    for (unsigned n = 0; n < 1u << holes; n++) {
        struct wt_meaning_operands one = plain;
        uint64_t value[WT_RESULTS] = {0};
        for (unsigned k = 0; k < holes; k++)
            one.leaf[undefined[k].leaf].value &= ~(UINT64_C(1) << undefined[k].bit);
        for (unsigned k = 0; k < holes; k++)
            one.leaf[undefined[k].leaf].value |= (uint64_t)(n >> k & 1) << undefined[k].bit;
        if (!evaluate(row->meaning, &one, value))
            return false;
        if (!n)
            memcpy(first, value, sizeof first);
        for (unsigned r = 0; r < WT_RESULTS; r++)
            differs[r] |= first[r] ^ value[r];
    }
    for (unsigned r = 0; r < WT_RESULTS; r++) {
        if (differs[r] & ~result[r].is.undefined)
            fail_msg("%s: bits 0x%lx of result %u are called defined", row->name,
                     (unsigned long)(differs[r] & ~result[r].is.undefined), r);
        *exact &= differs[r] == result[r].is.undefined;
    }
    return true;
}

struct tried {
    unsigned rows, trials, exact;
};

static void try_row(const struct row *row, struct tried *all)
{
    unsigned own = 0;
    for (unsigned t = 0; t < TRIALS; t++) {
        bool is_exact = true;
        if (!try(row, &is_exact))
            break;
        all->rows += t == 0;
        all->trials++;
        own += is_exact;
    }
    all->exact += own;
    if (getenv("EXACT"))
        printf("%s %u\n", row->name, own);
}

static void is_exact(const struct tried *all, unsigned percent)
{
    printf("%u rows; %u of %u trials exact\n", all->rows, all->exact, all->trials);
    assert_true(100 * (uint64_t)all->exact >= percent * (uint64_t)all->trials);
}

static void no_row_calls_defined_what_is_not(void **state)
{
    struct tried all = {0};
    (void)state;
    for (unsigned i = 0; i < GCN_INSNS; i++) {
        struct row row = {gcn_rows[i].name, gcn_rows[i].meaning, {0}};
        random_state = i;
        widths_of(&gcn_rows[i], row.bits);
        if (*row.meaning == WT_M_OUT)
            try_row(&row, &all);
    }
    is_exact(&all, EXACT);
}

static void nor_one_of_vortex(void **state)
{
    struct tried all = {0};
    (void)state;
    for (unsigned i = 0; i < 2 * VX_INSN_COUNT; i++) {
        const unsigned xlen = i % 2 ? 64 : 32;
        const struct vx_insn *insn = &vx_insns[i / 2];
        struct row row = {insn->name, insn->meaning[i % 2], {0}};
        random_state = i;
        vortex_widths_of(insn, xlen, row.bits);
        if ((!insn->xlen || insn->xlen == xlen) &&
            (*row.meaning == WT_M_OUT || *row.meaning == WT_M_JUMP))
            try_row(&row, &all);
    }
    is_exact(&all, EXACT_VORTEX);
}

static void nor_one_of_gen(void **state)
{
    struct tried all = {0};
    (void)state;
    for (unsigned i = 0; i < GEN_INSNS; i++)
        for (unsigned bits = 32; bits <= 64; bits += 32) {
            struct row row = {gen_rows[i].name, gen_rows[i].meaning[0], {0}};
            random_state = i;
            row.bits[WT_M_A] = row.bits[WT_M_B] = row.bits[WT_M_C] = bits;
            row.bits[WT_M_VCC] = 1;
            if (*row.meaning == WT_M_OUT)
                try_row(&row, &all);
        }
    is_exact(&all, EXACT_GEN);
}

static void nor_one_of_ptx(void **state)
{
    static const char *const names[] = {
#define M(name, integers, floats) #name,
#include "emulator/sm/ptx/math.def"
#undef M
    };
    struct tried all = {0};
    (void)state;
    for (unsigned math = 0; math < PTX_MATHS; math++)
        for (unsigned type = PTX_U16; type <= PTX_S64; type++) {
            struct ptx_meaning m;
            const struct ptx_op op = {.run = ptx_integer((enum ptx_math)math, (enum ptx_type)type),
                                      .how = math == PTX_OP_lop3 ? 0x96 : math == PTX_OP_addc,
                                      .combine = (uint8_t)(math - PTX_OP_addc),
                                      .is_signed = type >= PTX_S8};
            struct row row = {names[math], m.code, {0}};
            random_state = math * PTX_TYPES + type;
            if (!op.run || !ptx_meaning_of(&op, &m))
                continue;
            for (unsigned k = 0; k < 4; k++)
                row.bits[WT_M_A + k] = m.width[k + 1];
            row.bits[WT_M_VCC] = 1;
            try_row(&row, &all);
        }
    is_exact(&all, EXACT_PTX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_calls_defined_what_is_not), cmocka_unit_test(nor_one_of_vortex),
        cmocka_unit_test(nor_one_of_gen), cmocka_unit_test(nor_one_of_ptx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
