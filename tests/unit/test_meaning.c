/* The plain evaluator of meanings (machine/meaning.h): results that were computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "emulator/machine/operands.h"
#include "emulator/machine/meaning_code.h"

enum { MOST = 24 };
#define X(bits, a, b, c, clamps, result, ...)                                                      \
    {                                                                                              \
        {__VA_ARGS__}, {{a, bits}, {b, bits}, {c, bits}}, clamps, result                           \
    }
static const struct {
    uint8_t code[MOST];
    struct wt_meaning_value leaf[3];
    bool clamp;
    uint64_t result;
} truths[] = {
    X(32, 0x0f0f, 0x00ff, 0, false, 0x000f, AND(A, B)),
    X(32, 0, 0, 0, false, 0xffffffff, NOT(A)),
    X(8, 0xcc, 0xaa, 0xf0, false, 0xb8, LOGIC(0xca, A, B, C)),
    X(32, 0x12345678, 0, 0, false, 0x56, PART(8, 8, A)),
    X(16, 0x1234, 0xabcd, 0, false, 0xabcd1234, JOIN(A, B)),
    X(16, 0x8001, 0, 0, false, 0xffff8001, SEXT(32, A)),
    X(16, 0x8001, 0, 0, false, 0x8001, ZEXT(32, A)),
    X(8, 0x16, 0, 0, false, 0x68, REVERSE(A)),
    X(32, 0x80000001, 33, 0, false, 2, SHL(A, B)),
    X(32, 0x80000001, 33, 0, false, 0, SHL_OUT(A, B)),
    X(32, 0x80000000, 4, 0, false, 0xf8000000, SAR(A, B)),
    X(32, 0x80000000, 99, 0, false, 0xffffffff, SAR_OUT(A, B)),
    X(32, 0x00abcdef, 8, 8, false, 0xcd, FIELD(A, B, C)),
    X(32, 0x00abcdef, 8, 8, false, 0xffffffcd, FIELD_S(A, B, C)),
    X(32, 0xffff0000, 24, 31, false, 0xffffffff, FIELD_S(A, B, C)),
    X(32, 0xffff0000, 24, 0, false, 0, FIELD_S(A, B, C)),
    X(32, 0xffffffff, 1, 0, false, 0, ADD(A, B)),
    X(32, 0xffffffff, 1, 0, false, 1, CARRY(A, B, K(1, 0))),
    X(64, UINT64_MAX, 0, 0, false, 1, CARRY(A, B, K(1, 1))),
    X(32, 5, 5, 0, false, 1, BORROW(A, B, K(1, 1))),
    X(32, 5, 5, 0, false, 0xffffffff, SUBC(A, B, K(1, 1))),
    X(32, 0x7fffffff, 1, 0, false, 1, OVERFLOW_ADD(A, B)),
    X(32, 0x80000000, 1, 0, false, 1, OVERFLOW_SUB(A, B)),
    X(32, 0x80000000, 0x80000000, 0, false, 0x40000000, MUL_HIGH_S(A, B)),
    X(32, 0xffffffff, 0xffffffff, 0, false, 0xfffffffe, MUL_HIGH(A, B)),
    X(64, UINT64_MAX, 2, 0, false, 1, MUL_HIGH(A, B)),
    X(32, 0xffffff, 3, 0, false, 0x2fffffd,
      MUL(ZEXT(32, PART(0, 24, A)), ZEXT(32, PART(0, 24, B)))),
    X(32, 3, 7, 0, false, 4, DIFFERENCE(A, B)),
    X(32, 0x12345, 0, 0, false, 0x2345, CLAMP(16, A)),
    X(32, 0x12345, 0, 0, true, 0xffff, CLAMP(16, A)),
    X(32, 0xffff0000, 0, 0, true, 0x8000, CLAMP_S(16, A)),
    X(32, 0xffff0000, 0, 0, true, 0, CLAMP_SU(16, A)),
    X(32, 300, 0, 0, false, 255, SAT(8, A)),
    X(32, 0xffffffff, 1, 0, false, 1, LT_S(A, B)),
    X(32, 0xffffffff, 1, 0, false, 0, LT(A, B)),
    X(32, 0xffffffff, 1, 0, false, 0xffffffff, MIN_S(A, B)),
    X(32, 5, 0xfffffff0, 7, false, 5, MED_S(A, B, C)),
    X(32, 5, 0xfffffff0, 7, false, 7, MED(A, B, C)),
    X(32, 0x00f0, 0, 0, false, 24, HIGHEST(A)),
    X(32, 0x00f0, 0, 0, false, 4, LOWEST(A)),
    X(32, 0, 0, 0, false, 0xffffffff, LOWEST(A)),
    X(32, 0xfff00000, 0, 0, false, 12, UNLIKE(A)),
    X(32, 0x0100, 0, 0, false, 0x0f00, QUADS(A)),
    X(32, 0x10000100, 0, 0, false, 0x84, QUAD_ANY(A)),
    X(8, 0x05, 0, 0, false, 0x33, TWICE(A)),
    X(32, 0x44332211, 0x88776655, 0x0c070800, false, 0x00440055, PERMUTE(A, B, C)),
};

static void truths_are_evaluated(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++) {
        struct wt_meaning_operands in = {.clamp = truths[i].clamp};
        const uint8_t *code = truths[i].code;
        for (unsigned k = 0; k < 3; k++)
            in.leaf[WT_M_A + k] = truths[i].leaf[k];
        const struct wt_meaning_value is = wt_meaning_evaluate(&code, &in);
        if (!is.bits || is.value != truths[i].result)
            fail_msg("truth %zu is 0x%llx", i, (unsigned long long)is.value);
    }
}

/* Statements, precedence by parentheses, constants, widths of types, outcomes of comparisons. */
static void meanings_are_said(void **state)
{
    static const struct {
        uint8_t code[MOST];
        const char *text;
    } said[] = {
        {{OUT_SCC(ADD(A, B)) WT_M_END}, ": d = a + b; scc = d != 0"},
        {{OUT(D, MUL(ADD(A, B), ZEXT(32, PART(8, 8, C)))) WT_M_END},
         ": d = (a + b) * zext32(c[15:8])"},
        {{OUT(D, MIN_S(SUB(A, B), NOT(C))) WT_M_END}, ": d = signed min(a - b, not c)"},
        {{OUT(D, PART(WT_M_WIDTH, 8, ZEXT(WT_M_WIDTH2, A))) WT_M_END}, ": d = zext2W(a)[262:W]"},
        {{OUT(D, LOGIC(0xca, A, K(32, 7), OLD)) WT_M_END}, ": d = table 0xca(a, 7, old d)"},
        {{OUT(MASK, FCOMPARE(LESS | UNORDERED, A, B)) WT_M_END}, ": mask = float a <? b"},
        {{ATOMIC(ADD(BASE, OFFSET), XOR(MEMORY, A)) OUT(D, MEMORY) WT_M_END},
         ": atomic at base + offset: memory = memory ^ a; d = memory"},
        {{JUMP(NOT(SCC), TARGET) WT_M_END}, ": if not scc, jump to target"},
        {{OUT(D, NEXT) JUMP(K(1, 1), A) WT_M_END}, ": d = next; jump to a"},
        {{UNSAID(IMAGE) WT_M_END}, ": accesses an image"},
        {{WT_M_END}, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        char text[128] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        assert_non_null(out);
        assert_int_equal(wt_meaning_print(out, ": ", said[i].code), said[i].text[0] != 0);
        fclose(out);
        assert_string_equal(text, said[i].text);
    }
}

/* A part that all uses of a leaf have in common. */
static void parts_are_found(void **state)
{
    static const uint8_t one[] = {OUT(D, ADD(PART(8, 4, A), PART(8, 4, A))) WT_M_END},
                         two[] = {OUT(D, JOIN(PART(0, 8, A), PART(8, 8, A))) WT_M_END},
                         all[] = {OUT(D, JOIN(PART(0, 8, A), A)) WT_M_END};
    uint8_t first, bits;
    (void)state;
    assert_true(wt_meaning_part(one, WT_M_A, &first, &bits));
    assert_int_equal(first, 8);
    assert_int_equal(bits, 4);
    assert_false(wt_meaning_part(two, WT_M_A, &first, &bits));
    assert_false(wt_meaning_part(all, WT_M_A, &first, &bits));
    assert_false(wt_meaning_part(one, WT_M_B, &first, &bits));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(truths_are_evaluated),
                                       cmocka_unit_test(parts_are_found),
                                       cmocka_unit_test(meanings_are_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
