/* Barriers of sub-groups, which have no code (object/gen_steps.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "object/gen_steps.h"

#define OP(opcode, length) ((uint32_t)(length) << 16 | (opcode))
#define LINE(line) OP(8, 4), 3, line, 1

/*
 * Kernel k calls f at line 5, which has a barrier at line 12; kernel g has one of its work-group
 * alone, and h, which is not a kernel and nobody calls, one of its sub-group.
 */
static const uint32_t module[] = {
    0x07230203, 0x00010000, 0,         20,         0, /* the header: 20 ids */
    OP(15, 4),  6,          10,        'k',        OP(15, 4), 6,          11,
    'g',        OP(7, 4),   3,         0x2e2f61,   0, /* OpString "a/." */
    OP(43, 4),  1,          4,         3,          OP(43, 4), 1,          5,
    2, /* OpConstant: sub-group, work-group */
    OP(54, 5),  1,          10,        0,          9,         LINE(4),    LINE(5),
    OP(57, 4),  1,          16,        12,         LINE(7),   OP(56, 1),  OP(54, 5),
    1,          11,         0,         9,          LINE(30),  OP(224, 4), 5,
    5,          4,          OP(56, 1), OP(54, 5),  1,         12,         0,
    9,          LINE(11),   LINE(12),  OP(224, 4), 4,         4,          4,
    LINE(14),   OP(56, 1),  OP(54, 5), 1,          13,        0,          9,
    LINE(40),   OP(224, 4), 4,         4,          4,         OP(56, 1),
};
enum { WORDS = sizeof module / sizeof *module, K = 1, F = 3 };

static struct gen_steps *steps_of(const uint32_t *words, size_t count, const char *kernel)
{
    return gen_steps_make((const uint8_t *)words, count * sizeof *words, kernel, NULL, 0);
}

static void kernels_that_come_to_a_barrier_have_steps(void **state)
{
    struct gen_steps *k = steps_of(module, WORDS, "k");
    assert_non_null(k);
    assert_true(gen_steps_knows(k));
    assert_false(gen_steps_has_lines(k)); /* of no instruction */
    gen_steps_free(k);
    assert_null(steps_of(module, WORDS, "g"));
    assert_null(gen_steps_copy(NULL));
}

/* Kernel k has three copies: the event of the one is dropped, that of the next one is stored to
 * variable 17 alone, and that of the last one is stored to 18, which something waits for. */
static const uint32_t copies[] = {
    0x07230203, 0x00010000, 0,  24, 0,          OP(15, 4),  6,          10, 'k',
    OP(54, 5),  1,          10, 0,  9,          OP(59, 4),  1,          17, 7,
    OP(59, 4),  1,          18, 7,  LINE(5),    OP(259, 9), 1,          19, 4,
    5,          6,          2,  2,  3,          LINE(6),    OP(259, 9), 1,  20,
    4,          5,          6,  2,  2,          3,          OP(62, 3),  17, 20,
    LINE(7),    OP(259, 9), 1,  21, 4,          5,          6,          2,  2,
    3,          OP(62, 3),  18, 21, OP(260, 4), 4,          5,          18, OP(56, 1),
};

static void copies_are_known_for_which_nothing_waits(void **state)
{
    struct gen_steps *k = steps_of(copies, sizeof copies / sizeof *copies, "k");
    uint64_t at = 1;
    assert_false(gen_steps_has_barriers(k));
    assert_true(gen_steps_unwaited(k, 0, &at) && !at);
    assert_true(gen_steps_unwaited(k, 1, &at));
    assert_false(gen_steps_unwaited(k, 2, &at));
    gen_steps_free(k);
    assert_false(gen_steps_unwaited(NULL, 0, &at));
}

static void without_a_module_that_has_the_kernel_nothing_is_known(void **state)
{
    const struct {
        const uint32_t *words;
        size_t count;
        const char *kernel;
    } of[] = {{NULL, 0, "k"}, {module, 3, "k"}, {module, WORDS, "h"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct gen_steps *made = steps_of(of[i].words, of[i].count, of[i].kernel),
                         *s = gen_steps_copy(made);
        assert_false(gen_steps_knows(made) || gen_steps_knows(s));
        assert_false(gen_steps_has_lines(s));
        gen_steps_free(made);
        gen_steps_free(s);
    }
}

static bool between(const struct gen_steps *s, uint32_t function, uint32_t from, uint32_t to,
                    bool again)
{
    const struct gen_step a = {function, from}, b = {function, to};
    return gen_steps_between(s, a, b, again);
}

static void lines_say_what_is_on_the_way(void **state)
{
    struct gen_steps *made = steps_of(module, WORDS, "k"), *s = gen_steps_copy(made);
    gen_steps_free(made);
    assert_non_null(s);
    assert_true(between(s, K, 4, 7, false)); /* the call */
    assert_true(between(s, K, 5, 5, false)); /* … in the line of both */
    assert_false(between(s, K, 6, 7, false));
    assert_true(between(s, K, 6, 7, true)); /* around a loop */
    assert_true(between(s, K, 7, 6, false));
    assert_false(
        between(s, K, 7, 4, false)); /* the loop has lines 4 to 7, and the call's between */
    assert_true(between(s, F, 11, 14, false));
    assert_false(between(s, F, 13, 14, false));
    assert_true(between(s, 0, 13, 14, false)); /* not known */
    assert_true(gen_steps_between(s, (struct gen_step){K, 6}, (struct gen_step){F, 13}, false));
    gen_steps_free(s);
}

/* In memory of its own size, so that sanitizers see what is read beyond. */
static void damaged_modules_are_read_within_their_bounds(void **state)
{
    for (size_t count = 0; count <= WORDS; count++) {
        uint32_t *part = malloc(count * sizeof *part + 1);
        assert_non_null(part);
        memcpy(part, module, count * sizeof *part);
        gen_steps_free(steps_of(part, count, "k"));
        for (size_t i = 0; i < count; i++) {
            const uint32_t values[] = {0, 7, UINT32_MAX, part[i] ^ 0x10000, part[i] + 1};
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                part[i] = values[v];
                gen_steps_free(steps_of(part, count, "k"));
            }
            part[i] = module[i];
        }
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_come_to_a_barrier_have_steps),
        cmocka_unit_test(copies_are_known_for_which_nothing_waits),
        cmocka_unit_test(without_a_module_that_has_the_kernel_nothing_is_known),
        cmocka_unit_test(lines_say_what_is_on_the_way),
        cmocka_unit_test(damaged_modules_are_read_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
