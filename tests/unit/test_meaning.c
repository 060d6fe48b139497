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
                                       cmocka_unit_test(parts_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
