/* Agent expressions: each opcode as the GDB manual describes it, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "frontend/rsp/agent.h"

struct world {
    uint8_t memory[64]; /* at 0x1000 */
    char text[256];
    size_t length;
};

static wt_lanes read_memory(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    struct world *w = context;
    wt_lanes got = 0;
    for (; which; which &= which - 1) {
        const unsigned k = wt_lanes_lowest(which);
        if (addr[k] < 0x1000 || addr[k] - 0x1000 > sizeof w->memory - size)
            continue;
        uint64_t value = 0;
        memcpy(&value, w->memory + (addr[k] - 0x1000), size);
        out[k] = value;
        got |= wt_lane_bit(k);
    }
    return got;
}

static void print(void *context, const char *text, size_t length)
{
    struct world *w = context;
    if (w->length + length < sizeof w->text) {
        memcpy(w->text + w->length, text, length);
        w->length += length;
        w->text[w->length] = 0;
    }
}

static struct world world = {
    .memory = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x91, 'h', 'e', 'y', 0}};
static const struct wt_expr_world reach = {.context = &world, .read = read_memory, .print = print};

/* For lanes 0 to count - 1. Register n of lane k holds 1000 + n + 100 * k. */
static wt_lanes run_lanes(const uint8_t *bytes, size_t length, unsigned count, uint64_t *value)
{
    struct wt_expr *e;
    struct wt_error err = {0};
    if (wt_agent_compile(bytes, length, NULL, &e, NULL, &err))
        fail_msg("%s", err.text);
    size_t registers;
    const unsigned *number = wt_expr_registers(e, &registers);
    uint64_t cell[16][WT_MAX_LANES];
    const uint64_t *row[16];
    assert_true(registers <= 16);
    for (size_t i = 0; i < registers; i++) {
        row[i] = cell[i];
        for (unsigned k = 0; k < count; k++)
            cell[i][k] = 1000 + number[i] + 100 * k;
    }
    const wt_lanes known = wt_expr_run(e, row, count, &reach, value);
    wt_expr_free(e);
    return known;
}

static bool run(const uint8_t *bytes, size_t length, uint64_t *value)
{
    uint64_t ignored;
    return run_lanes(bytes, length, 1, value ? value : &ignored) == 1;
}

#define GIVES(want, ...)                                                                           \
    do {                                                                                           \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                    \
        uint64_t got_ = 0;                                                                         \
        assert_true(run(bytes_, sizeof bytes_, &got_));                                            \
        assert_true(got_ == (uint64_t)(want));                                                     \
    } while (0)

#define FAILS(...)                                                                                 \
    do {                                                                                           \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                    \
        assert_false(run(bytes_, sizeof bytes_, NULL));                                            \
    } while (0)

#define REFUSED(...)                                                                               \
    do {                                                                                           \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                    \
        struct wt_expr *a_;                                                                        \
        struct wt_error err_ = {0};                                                                \
        assert_int_equal(wt_agent_compile(bytes_, sizeof bytes_, NULL, &a_, NULL, &err_),          \
                         WT_INVALID);                                                              \
        assert_null(a_);                                                                           \
        assert_non_null(strstr(err_.text, "agent expression"));                                    \
    } while (0)

#define C8(n) 0x22, (n)
#define END 0x27
#define MINUS_ONE 0x22, 0xff, 0x16, 8

static void constants_are_unsigned_and_big_endian(void **state)
{
    GIVES(0xfe, C8(0xfe), END);
    GIVES(0xfedc, 0x23, 0xfe, 0xdc, END);
    GIVES(0xfedcba98, 0x24, 0xfe, 0xdc, 0xba, 0x98, END);
    GIVES(0xfedcba9876543210, 0x25, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, END);
}

static void arithmetic_is_that_of_64_bits(void **state)
{
    GIVES(12, C8(5), C8(7), 0x02, END);
    GIVES(-2, C8(5), C8(7), 0x03, END);
    GIVES(35, C8(5), C8(7), 0x04, END);
    GIVES(-3, C8(7), MINUS_ONE, 0x04, C8(2), 0x05, END);
    GIVES(0x7fffffffffffffff, MINUS_ONE, C8(2), 0x06, END);
    GIVES(-1, C8(7), MINUS_ONE, 0x04, C8(2), 0x07, END);
    GIVES(1, MINUS_ONE, C8(2), 0x08, END);
    FAILS(C8(1), C8(0), 0x05, END);
    FAILS(C8(1), C8(0), 0x06, END);
    FAILS(C8(1), C8(0), 0x07, END);
    FAILS(C8(1), C8(0), 0x08, END);
    /* the least number divided by -1 must not trap the host */
    GIVES(0x8000000000000000, 0x25, 0x80, 0, 0, 0, 0, 0, 0, 0, MINUS_ONE, 0x05, END);
    GIVES(0, 0x25, 0x80, 0, 0, 0, 0, 0, 0, 0, MINUS_ONE, 0x07, END);
}

static void shifts_and_bits(void **state)
{
    GIVES(20, C8(5), C8(2), 0x09, END);
    GIVES(0, C8(5), C8(64), 0x09, END);
    GIVES(-1, MINUS_ONE, C8(3), 0x0a, END);
    GIVES(-1, MINUS_ONE, C8(200), 0x0a, END);
    GIVES(1, MINUS_ONE, C8(63), 0x0b, END);
    GIVES(0, MINUS_ONE, C8(64), 0x0b, END);
    GIVES(1, C8(0), 0x0e, END);
    GIVES(0, C8(9), 0x0e, END);
    GIVES(4, C8(12), C8(6), 0x0f, END);
    GIVES(14, C8(12), C8(6), 0x10, END);
    GIVES(10, C8(12), C8(6), 0x11, END);
    GIVES(-13, C8(12), 0x12, END);
}

static void comparisons(void **state)
{
    GIVES(1, C8(3), C8(3), 0x13, END);
    GIVES(0, C8(3), C8(4), 0x13, END);
    GIVES(1, MINUS_ONE, C8(4), 0x14, END);
    GIVES(0, C8(4), MINUS_ONE, 0x14, END);
    GIVES(0, MINUS_ONE, C8(4), 0x15, END);
    GIVES(1, C8(4), MINUS_ONE, 0x15, END);
}

static void extensions(void **state)
{
    GIVES(-128, C8(0x80), 0x16, 8, END);
    GIVES(127, C8(0x7f), 0x16, 8, END);
    GIVES(0x80, C8(0x80), 0x16, 64, END);
    GIVES(0xff, MINUS_ONE, 0x2a, 8, END);
    GIVES(-1, MINUS_ONE, 0x2a, 64, END);
    GIVES(7, C8(0x80), C8(7), 0x2b, 0x29, END); /* swap, pop */
    /* of a register, which no translator can fold */
    GIVES(-24, 0x26, 0, 0, 0x16, 8, END); /* 1000 is 0x3e8 */
    GIVES(0xe8, 0x26, 0, 0, 0x2a, 8, END);
    FAILS(C8(1), 0x16, 0, END);
}

static void memory(void **state)
{
    GIVES(0x88, 0x23, 0x10, 0, 0x17, END);
    GIVES(0x7788, 0x23, 0x10, 0, 0x18, END);
    GIVES(0x55667788, 0x23, 0x10, 0, 0x19, END);
    GIVES(0x9122334455667788, 0x23, 0x10, 0, 0x1a, END);
    FAILS(C8(0), 0x19, END);
    FAILS(MINUS_ONE, 0x1a, END);
}

static void jumps(void **state)
{
    GIVES(1, C8(5), 0x20, 0, 8, C8(2), END, C8(1), END); /* if_goto taken */
    GIVES(2, C8(0), 0x20, 0, 8, C8(2), END, C8(1), END);
    GIVES(1, 0x21, 0, 6, C8(2), END, C8(1), END);
    FAILS(0x21, 0, 0);                         /* for ever */
    REFUSED(0x21, 0, 1, END);                  /* into an operand */
    REFUSED(0x21, 0x70, 0, END);               /* nowhere */
    GIVES(3, C8(3), 0x21, 0, 5, 0x16, 8, END); /* a constant jumped past is not a constant there */
    GIVES(0, 0x21, 0, 3, END);
}

static void the_stack(void **state)
{
    GIVES(10, C8(5), 0x28, 0x02, END);           /* dup */
    GIVES(5, C8(5), C8(6), 0x29, END);           /* pop */
    GIVES(1, C8(5), C8(6), 0x2b, 0x03, END);     /* swap: 6 - 5 */
    GIVES(5, C8(5), C8(6), C8(7), 0x32, 2, END); /* pick */
    GIVES(7, C8(5), C8(6), C8(7), 0x32, 0, END);
    FAILS(C8(5), C8(6), C8(7), 0x32, 3, END);
    GIVES(2, C8(1), C8(2), C8(3), 0x33, END); /* rot: 1 2 3 -> 3 1 2 */
    GIVES(1, C8(1), C8(2), C8(3), 0x33, 0x29, END);
    GIVES(3, C8(1), C8(2), C8(3), 0x33, 0x29, 0x29, END);
    FAILS(0x02, END);
    FAILS(C8(1), 0x02, END);
    FAILS(0x29, END);
    FAILS(C8(1), 0x28, 0x21, 0, 2); /* grows without end */
}

static void registers_are_named_once_each(void **state)
{
    const uint8_t bytes[] = {0x26, 0, 7, 0x26, 0x10, 0x41, 0x02, 0x26, 0, 7, 0x03, END};
    struct wt_expr *e;
    struct wt_error err;
    size_t count;
    assert_int_equal(wt_agent_compile(bytes, sizeof bytes, NULL, &e, NULL, &err), WT_OK);
    const unsigned *number = wt_expr_registers(e, &count);
    assert_int_equal(count, 2);
    assert_int_equal(number[0], 7);
    assert_int_equal(number[1], 0x1041);
    wt_expr_free(e);
    GIVES(1000 + 0x1041, 0x26, 0, 7, 0x26, 0x10, 0x41, 0x02, 0x26, 0, 7, 0x03, END);
}

static void what_cannot_work_here(void **state)
{
    REFUSED(0x00);
    REFUSED(0x0c);           /* trace */
    REFUSED(C8(0), 0x0d, 1); /* trace_quick */
    REFUSED(0x30, 0, 1);     /* trace16 */
    REFUSED(0x2e, 0, 1);     /* tracev */
    REFUSED(0x2f);           /* tracenz */
    REFUSED(0x31);
    REFUSED(0x35);
    REFUSED(0x40);
    REFUSED(0xff);
    FAILS(0x2c, 0, 1, END); /* getv */
    FAILS(C8(1), 0x2d, 0, 1, END);
    FAILS(C8(1), 0x1b, END);          /* floating point */
    GIVES(5, C8(5), END, 0x2c, 0, 1); /* not reached */
}

static void truncated_operands_are_refused(void **state)
{
    REFUSED(0x22);
    REFUSED(0x23, 1);
    REFUSED(0x24, 1, 2, 3);
    REFUSED(0x25, 1, 2, 3, 4, 5, 6, 7);
    REFUSED(0x26, 0);
    REFUSED(0x20, 0);
    REFUSED(0x16);
    REFUSED(0x34, 0, 0);
    REFUSED(0x34, 0, 0, 5, 'a', 'b', 'c', 0);
    REFUSED(0x34, 0, 0, 3, 'a', 'b', 'c'); /* no NUL */
    REFUSED(0x34, 0, 0, 0);
    REFUSED(0x34, 200, 0, 2, 'a', 0);
}

static void printed(const uint8_t *bytes, size_t length, bool ok, const char *want)
{
    world.length = 0;
    world.text[0] = 0;
    assert_int_equal(run(bytes, length, NULL), ok);
    assert_string_equal(world.text, want);
}

#define PRINTS(ok, want, ...)                                                                      \
    do {                                                                                           \
        const uint8_t bytes_[] = {__VA_ARGS__};                                                    \
        printed(bytes_, sizeof bytes_, ok, want);                                                  \
    } while (0)

static void printf_prints(void **state)
{
    /* The arguments in reverse, the channel, the function. */
    PRINTS(true, "a=5 b=-1\n", MINUS_ONE, C8(5), C8(0), C8(0), 0x34, 2, 0, 12, 'a', '=', '%', 'd',
           ' ', 'b', '=', '%', 'd', '\n', 0, 0, END);
    PRINTS(true, "  2a|0x2a|052|*", C8('*'), C8(42), C8(42), C8(42), C8(0), C8(0), 0x34, 4, 0, 16,
           '%', '4', 'x', '|', '%', '#', 'x', '|', '%', '0', '3', 'o', '|', '%', 'c', 0, END);
    PRINTS(true, "hey 100%", 0x23, 0x10, 0x08, C8(0), C8(0), 0x34, 1, 0, 9, '%', 's', ' ', '1', '0',
           '0', '%', '%', 0, END);
    PRINTS(true, "he", 0x23, 0x10, 0x08, C8(0), C8(0), 0x34, 1, 0, 5, '%', '.', '2', 's', 0, END);
    PRINTS(true, "4294967295 18446744073709551615", MINUS_ONE, MINUS_ONE, C8(0), C8(0), 0x34, 2, 0,
           9, '%', 'u', ' ', '%', 'l', 'l', 'u', 0, 0, END);
    PRINTS(true, "<unreadable>", C8(9), C8(0), C8(0), 0x34, 1, 0, 3, '%', 's', 0, END);
    PRINTS(false, "x", C8(0), C8(0), 0x34, 0, 0, 4, 'x', '%', 'd', 0, END); /* no argument */
    PRINTS(false, "", C8(1), C8(0), C8(0), 0x34, 1, 0, 3, '%', 'n', 0, END);
    /* A float is what was made of 32 bits, anything else a double. */
    PRINTS(true, "1.500000", 0x24, 0x3f, 0xc0, 0, 0, 0x16, 32, C8(0), C8(0), 0x34, 1, 0, 3, '%',
           'f', 0, END);
    PRINTS(true, "-2.25|2.2e+00", 0x25, 0x40, 0x02, 0, 0, 0, 0, 0, 0, 0x25, 0xc0, 0x02, 0, 0, 0, 0,
           0, 0, C8(0), C8(0), 0x34, 2, 0, 8, '%', 'g', '|', '%', '.', '1', 'e', 0, END);
    PRINTS(false, "", C8(1), C8(0), C8(0), 0x34, 1, 0, 4, '%', 'L', 'f', 0, END);
    PRINTS(true, "\t%d!", C8(0), C8(0), 0x34, 0, 0, 9, '\\', 't', '\\', '4', '5', 'd', '\\', '!', 0,
           END); /* escapes as they were typed; a percent sign of one begins nothing */
    PRINTS(false, "", C8(1), C8(0), C8(0), 0x34, 1, 0, 2, '%', 0, END);
    PRINTS(false, "", C8(0), 0x34, 0, 0, 2, 'x', 0, END); /* channel missing */
}

/* ---- lanes together ---- */

#define REG(n) 0x26, 0, (n)

static void lanes_part_and_come_together(void **state)
{
    /* 1 for registers of less than 1300 (lanes 0 to 2), else 2; and the register on top of it. */
    /* reg 0; const 1300; less_unsigned; if_goto A; const 2; goto B; A: const 1; B: reg 0; add */
    const uint8_t whole[] = {REG(0), 0x23, 0x05, 0x14, 0x15,  0x20,   0,    15,
                             C8(2),  0x21, 0,    17,   C8(1), REG(0), 0x02, END};
    uint64_t value[6];
    assert_true(run_lanes(whole, sizeof whole, 6, value) == 0x3f);
    for (unsigned k = 0; k < 6; k++)
        assert_int_equal(value[k], 1000 + 100 * k + (k < 3 ? 1 : 2));
}

static void a_lane_fails_alone(void **state)
{
    /* 1 / (register - 1200): lane 2 divides by zero. */
    const uint8_t divide[] = {C8(1), REG(0), 0x23, 0x04, 0xb0, 0x03, 0x05, END};
    uint64_t value[4];
    assert_true(run_lanes(divide, sizeof divide, 4, value) == 0xb);
    assert_int_equal(value[3], 0);
    /* Memory at the register + 0xc18 (0x1000 for lane 0): 64 bytes are there. */
    const uint8_t load[] = {REG(0), 0x23, 0x0c, 0x18, 0x02, 0x17, END};
    assert_true(run_lanes(load, sizeof load, 3, value) == 1);
    assert_int_equal(value[0], 0x88);
    /* Lanes whose register is 1100 and more go round for ever; lane 0 gets through. */
    const uint8_t loop[] = {REG(0), 0x23, 0x04, 0x4c, 0x15, 0x20, 0, 13, 0x21, 0, 0, C8(7), END};
    assert_true(run_lanes(loop, sizeof loop, 3, value) == 1);
    assert_int_equal(value[0], 7);
}

static void lanes_loop_as_often_as_each_wants(void **state)
{
    /* n = register - 1000; s = 0; while (n) s += 3, n -= 100. On the stack: s n. */
    uint64_t value[WT_MAX_LANES];
    const uint8_t fixed[] = {C8(0),   REG(0), 0x23, 0x03, 0xe8, 0x03, /* s, n */
                             0x28,    0x0e,   0x20, 0,    25,         /* 9: leave if n is 0 */
                             C8(100), 0x03,                           /* n -= 100 */
                             0x2b,    C8(3),  0x02, 0x2b,             /* s += 3 */
                             0x21,    0,      9,    0x29, END};
    assert_true(run_lanes(fixed, sizeof fixed, WT_MAX_LANES, value) == ~(wt_lanes)0);
    for (unsigned k = 0; k < WT_MAX_LANES; k++)
        assert_int_equal(value[k], 3 * k);
}

static void ways_that_meet_with_other_depths_fail(void **state)
{
    /* if_goto over a push: the stack is deeper on one of the ways. */
    FAILS(C8(1), 0x20, 0, 7, C8(2), C8(3), END);
}

/* Random bytes are refused or run; nothing else can be said of them, sanitizers say the rest. */
static void random_bytes_do_no_harm(void **state)
{
    srand(7);
    for (int i = 0; i < 200000; i++) {
        uint8_t bytes[48];
        size_t length = (size_t)rand() % sizeof bytes;
        for (size_t k = 0; k < length; k++)
            bytes[k] = rand() % 4 ? (uint8_t)(rand() % 0x36) : (uint8_t)rand();
        struct wt_expr *e;
        struct wt_error err;
        if (wt_agent_compile(bytes, length, NULL, &e, NULL, &err))
            continue;
        size_t count;
        wt_expr_registers(e, &count);
        assert_true(count <= length);
        uint64_t zeros[8] = {0}, value[8];
        const uint64_t *row[48];
        for (size_t k = 0; k < 48; k++)
            row[k] = zeros;
        world.length = 0;
        wt_expr_run(e, row, 8, &reach, value);
        wt_expr_free(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_unsigned_and_big_endian),
        cmocka_unit_test(arithmetic_is_that_of_64_bits),
        cmocka_unit_test(shifts_and_bits),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(extensions),
        cmocka_unit_test(memory),
        cmocka_unit_test(jumps),
        cmocka_unit_test(the_stack),
        cmocka_unit_test(registers_are_named_once_each),
        cmocka_unit_test(what_cannot_work_here),
        cmocka_unit_test(truncated_operands_are_refused),
        cmocka_unit_test(printf_prints),
        cmocka_unit_test(lanes_part_and_come_together),
        cmocka_unit_test(a_lane_fails_alone),
        cmocka_unit_test(lanes_loop_as_often_as_each_wants),
        cmocka_unit_test(ways_that_meet_with_other_depths_fail),
        cmocka_unit_test(random_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
