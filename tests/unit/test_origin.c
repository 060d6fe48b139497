/* Where addresses come from (machine/origin.h): functions of a small machine of eight registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "emulator/machine/origin.h"

/* Instructions are short. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { REGISTERS = 8, STACK = 7, BEGIN = 0x1000 };

enum op { SET, ADD, SUB, SHL, AND, OR, XOR, MUL, BIT, PICK, LOAD, ACCESS, JUMP, BRANCH, LOST, END };

/* d = a op b; SET, SHL and AND have the number n. ACCESS: at the address d. JUMP, BRANCH: to
 * instruction n. */
struct insn {
    enum op op;
    int d, a, b;
    int64_t n;
};

static void begin(void *context, struct wt_flow *f, wt_origin_value *reg)
{
    for (unsigned r = 0; r < REGISTERS; r++)
        reg[r] = wt_flow_number(f);
    reg[STACK] = wt_flow_base(f, STACK);
}

static bool step(void *context, struct wt_flow *f, uint64_t pc, wt_origin_value *reg,
                 struct wt_flow_step *s)
{
    const struct insn *i = (const struct insn *)context + (pc - BEGIN) / 4;
    const wt_origin_value a = reg[i->a], b = reg[i->b], n = wt_flow_constant(f, i->n);
    s->bytes = 4;
    s->falls = i->op != JUMP && i->op != END;
    s->branches = i->op == JUMP || i->op == BRANCH;
    s->loses = i->op == LOST;
    s->target = BEGIN + 4 * (uint64_t)i->n;
    if (i->op == ACCESS)
        s->address[s->accesses++] = reg[i->d];
    if (i->op >= ACCESS)
        return true;
    reg[i->d] = i->op == SET    ? n
                : i->op == ADD  ? wt_flow_sum(f, a, b)
                : i->op == SUB  ? wt_flow_difference(f, a, b)
                : i->op == SHL  ? wt_flow_shifted(f, a, n)
                : i->op == AND  ? wt_flow_and(f, a, n)
                : i->op == OR   ? wt_flow_or(f, a, b)
                : i->op == XOR  ? wt_flow_xor(f, a, b)
                : i->op == MUL  ? wt_flow_product(f, a, b)
                : i->op == BIT  ? wt_flow_bit(f)
                : i->op == PICK ? wt_flow_choice(f, a, b)
                                : wt_flow_number(f);
    return true;
}

static const struct wt_flow_family family = {
    .registers = REGISTERS, .stack = STACK, .begin = begin, .step = step};

/* The only access of a function; `known` false: there is no analysis. */
static struct wt_origin find(const struct insn *list, size_t length)
{
    size_t count;
    struct wt_origin *found =
        wt_origins_find(&family, (void *)list, BEGIN, BEGIN + 4 * length, &count);
    const struct wt_origin one = found ? found[0] : (struct wt_origin){.known = false};
    assert_true(count == (found ? 1 : 0));
    free(found);
    return one;
}
#define FIND(...)                                                                                  \
    find((const struct insn[]){__VA_ARGS__, {END}},                                                \
         sizeof((const struct insn[]){__VA_ARGS__, {END}}) / sizeof(struct insn))

static void test_a_sum_of_a_constant_and_an_index(void **state)
{
    const struct wt_origin o = FIND({SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x8000}, {ADD, 3, 1, 2},
                                    {SET, 4, 0, 0, -4}, {ADD, 3, 3, 4}, {ACCESS, 3});
    assert_true(o.known && o.index && o.scaled);
    assert_int_equal(o.constant, 0x7ffc);
    assert_int_equal(o.base, WT_ORIGIN_NO_BASE);
    assert_int_equal(o.step, 4);
    assert_int_equal(o.apart, 0);
}

static void test_a_number_that_may_be_an_address_is_told(void **state)
{
    assert_false(FIND({SET, 2, 0, 0, 64}, {ADD, 3, 1, 2}, {ACCESS, 3}).scaled);
    const struct wt_origin constant = FIND({SET, 3, 0, 0, 64}, {ACCESS, 3});
    assert_true(constant.known && !constant.index);
}

static void test_what_a_loop_counts_up_is_an_index(void **state)
{
    /* for (r1 = 0x100; …; r1 += 4) access(r1); */
    const struct wt_origin pointer = FIND({SET, 1, 0, 0, 0x100}, {SET, 2, 0, 0, 4}, {ACCESS, 1},
                                          {ADD, 1, 1, 2}, {BRANCH, 0, 0, 0, 2});
    assert_true(pointer.known && pointer.index && pointer.scaled);
    assert_int_equal(pointer.constant, 0x100);
    assert_int_equal(pointer.apart, 0);
    /* Of two loops: for (r1 = 0x100; …; r1 += 64) for (r3 = r1; …; r3 += 4) access(r3); */
    const struct wt_origin inner = FIND(
        {SET, 1, 0, 0, 0x100}, {SET, 2, 0, 0, 4}, {SET, 5, 0, 0, 64}, {SET, 6}, {ADD, 3, 1, 6},
        {ACCESS, 3}, {ADD, 3, 3, 2}, {BRANCH, 0, 0, 0, 5}, {ADD, 1, 1, 5}, {BRANCH, 0, 0, 0, 4});
    assert_true(inner.known && inner.index);
    assert_int_equal(inner.constant, 0x100);
    assert_int_equal(inner.step, 68);
}

/* for (r1 = 0; …; r1++) access(0x100 + 4 * r1); compilers jump to the condition first. */
static void test_a_loop_may_begin_with_its_condition(void **state)
{
    const struct wt_origin o = FIND({SET, 2, 0, 0, 1}, {SET, 1}, {JUMP, 0, 0, 0, 8},
                                    {SHL, 3, 1, 0, 2}, {SET, 4, 0, 0, 0x100}, {ADD, 4, 4, 3},
                                    {ACCESS, 4}, {ADD, 1, 1, 2}, {BRANCH, 0, 0, 0, 3});
    assert_true(o.known && o.index && o.scaled);
    assert_int_equal(o.constant, 0x100);
    assert_int_equal(o.step, 4);
    assert_int_equal(o.apart, 0);
}

/* An outer loop that goes back to where two ways into an inner one part: each place's value is made
 * of the other's. Added around the loops: 4, 8; a factor on the way is no sum. */
static void test_loops_that_share_their_ways(void **state)
{
    const struct wt_origin o =
        FIND({SET, 1, 0, 0, 0x100}, {SET, 2, 0, 0, 4}, {BRANCH, 0, 0, 0, 4}, {ADD, 1, 1, 2},
             {ACCESS, 1}, {BRANCH, 0, 0, 0, 4}, {ADD, 1, 1, 2}, {BRANCH, 0, 0, 0, 2});
    assert_true(o.known && o.index && o.scaled);
    assert_int_equal(o.constant, 0x100);
    assert_int_equal(o.apart, 4);
    assert_int_equal(o.step, UINT64_MAX);
    assert_false(FIND({SET, 1, 0, 0, 0x100}, {BRANCH, 0, 0, 0, 3}, {SHL, 1, 1, 0, 1}, {ACCESS, 1},
                      {SHL, 1, 1, 0, 1}, {BRANCH, 0, 0, 0, 1})
                     .known);
}

/* A register of which nothing is known at first, and 0x100 when the function begins anew. */
static void test_a_loop_to_the_begin_keeps_what_the_function_begins_with(void **state)
{
    const struct wt_origin o = FIND({SHL, 2, 2, 0, 2}, {ADD, 3, 1, 2}, {ACCESS, 3},
                                    {SET, 1, 0, 0, 0x100}, {BRANCH, 0, 0, 0, 0});
    assert_true(!o.known || !o.scaled);
}

/* Each makes one of two addresses, 128 bytes apart, and adds an index. */
static void test_a_choice_of_constants_is_told(void **state)
{
    const struct wt_origin ways =
        FIND({SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x100}, {BRANCH, 0, 0, 0, 4}, {SET, 2, 0, 0, 0x180},
             {ADD, 3, 1, 2}, {ACCESS, 3});
    const struct wt_origin bit =
        FIND({SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x100}, {BIT, 4}, {SHL, 4, 4, 0, 7}, {ADD, 3, 1, 2},
             {ADD, 3, 3, 4}, {ACCESS, 3});
    const struct wt_origin mask =
        FIND({SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x100}, {BIT, 4}, {SET, 5}, {SUB, 4, 5, 4},
             {AND, 4, 4, 0, 128}, {ADD, 3, 1, 2}, {OR, 3, 3, 4}, {ACCESS, 3});
    const struct wt_origin toggled =
        FIND({SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x100}, {SET, 5, 0, 0, 0x80}, {ADD, 3, 1, 2},
             {ACCESS, 3}, {XOR, 2, 2, 5}, {BRANCH, 0, 0, 0, 3});
    const struct wt_origin swapped = FIND(
        {SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x100}, {SET, 4, 0, 0, 0x180}, {SET, 6}, {ADD, 3, 1, 2},
        {ACCESS, 3}, {ADD, 5, 2, 6}, {ADD, 2, 4, 6}, {ADD, 4, 5, 6}, {BRANCH, 0, 0, 0, 4});
    const struct wt_origin picked =
        FIND({SHL, 1, 1, 0, 2}, {SET, 2, 0, 0, 0x100}, {SET, 4, 0, 0, 0x180}, {PICK, 2, 2, 4},
             {ADD, 3, 1, 2}, {ACCESS, 3});
    const struct wt_origin all[] = {ways, bit, mask, toggled, swapped, picked};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        assert_true(!all[i].known || all[i].apart >= 128);
    assert_true(ways.known && bit.known && picked.known);
    /* A number from memory may be 0 or 1. */
    const struct wt_origin number =
        FIND({LOAD, 4}, {SHL, 4, 4, 0, 7}, {SET, 2, 0, 0, 0x100}, {ADD, 3, 4, 2}, {ACCESS, 3});
    assert_true(number.known && number.step >= 128);
}

static void test_bases_are_not_mixed(void **state)
{
    const struct wt_origin stack =
        FIND({SET, 1, 0, 0, -32}, {ADD, 7, 7, 1}, {SHL, 2, 2, 0, 2}, {ADD, 3, 7, 2}, {ACCESS, 3});
    assert_true(stack.known && stack.index);
    assert_int_equal(stack.base, STACK);
    assert_int_equal(stack.constant, -32);
    assert_int_equal(stack.moved, -32);
    assert_false(
        FIND({SET, 2, 0, 0, 0x100}, {BRANCH, 0, 0, 0, 3}, {ADD, 2, 7, 2}, {ACCESS, 2}).known);
    /* The stack pointer moves by a number: what is behind it is not known. */
    assert_false(FIND({SHL, 1, 1, 0, 4}, {SUB, 7, 7, 1}, {ACCESS, 7}).known);
    assert_false(FIND({MUL, 3, 7, 1}, {ACCESS, 3}).known);
}

static void test_ways_that_are_not_known(void **state)
{
    assert_false(FIND({SET, 1, 0, 0, 0x100}, {ACCESS, 1}, {LOST}).known);
    /* A jump into a part that was walked through already. */
    const struct wt_origin o =
        FIND({SET, 1, 0, 0, 0x100}, {SET, 2, 0, 0, 0x200}, {SHL, 3, 3, 0, 2}, {ADD, 4, 1, 3},
             {ACCESS, 4}, {SET, 6}, {ADD, 1, 2, 6}, {BRANCH, 0, 0, 0, 3});
    assert_true(o.known);
    assert_int_equal(o.apart, 0x100);
}

/* The number of values before an instruction decides whether it makes their table grow. */
static void test_values_are_right_wherever_their_table_grows(void **state)
{
    enum { MOST = 64 };
    struct insn list[MOST + 3];
    for (size_t before = 0; before <= MOST; before++) {
        for (size_t i = 0; i < before; i++)
            list[i] = (struct insn){SET, 4, 0, 0, (int64_t)i + 1000};
        list[before] = (struct insn){XOR, 3, 1, 2};
        list[before + 1] = (struct insn){ACCESS, 3};
        list[before + 2] = (struct insn){END};
        const struct wt_origin o = find(list, before + 3);
        assert_true(o.known && o.index && !o.scaled && !o.constant && !o.apart);
        assert_int_equal(o.step, 1);
        assert_int_equal(o.base, WT_ORIGIN_NO_BASE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sum_of_a_constant_and_an_index),
        cmocka_unit_test(test_a_number_that_may_be_an_address_is_told),
        cmocka_unit_test(test_what_a_loop_counts_up_is_an_index),
        cmocka_unit_test(test_a_loop_may_begin_with_its_condition),
        cmocka_unit_test(test_loops_that_share_their_ways),
        cmocka_unit_test(test_a_loop_to_the_begin_keeps_what_the_function_begins_with),
        cmocka_unit_test(test_a_choice_of_constants_is_told),
        cmocka_unit_test(test_bases_are_not_mixed),
        cmocka_unit_test(test_ways_that_are_not_known),
        cmocka_unit_test(test_values_are_right_wherever_their_table_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
