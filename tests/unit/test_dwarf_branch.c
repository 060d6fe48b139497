/*
 * Branches of DWARF expressions (DWARF 5, 2.5.1.5), compiled for lanes 0 to 31: each lane computes
 * what the stack machine of the standard computes for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/build.h"
#include "debug/source/frames.h"

enum { LANES = 32, APERTURE = 1 << 20, FILE_DWARF = 16, FILE_BYTES = 32, MOST = 128 };

static const struct wt_space spaces[] = {
    {.name = "memory", .dwarf = 0, .address_bits = 64},
    {.name = "registers", .dwarf = -1, .address_bits = 12, .aperture = APERTURE},
};
static const struct wt_register lane = {.name = "_lane", .bits = 32, .dwarf = -1};
static const struct wt_topology topology = {.spaces = spaces,
                                            .space_count = 2,
                                            .registers = &lane,
                                            .register_count = 1,
                                            .file_space = 1,
                                            .file_dwarf = FILE_DWARF,
                                            .file_bytes = FILE_BYTES,
                                            .address_bits = 64};

/* A register that is a constant. */
static enum wt_status a_register(struct wt_build *b, const struct wt_frame *frame, uint64_t number,
                                 struct wt_operand *o, struct wt_error *err)
{
    (void)frame, (void)err;
    *o = (struct wt_operand){
        .piece_count = 1,
        .piece = {
            {.kind = WT_PIECE_CELL, .vector = wt_build_constant(b, number), .reg = 0, .size = 4}}};
    return WT_OK;
}

static const struct wt_frame_ops frame_ops = {.dwarf_register = a_register};

/* An operation. A jump's operand is the index of the operation that it goes to; `by` is added. */
struct op {
    uint8_t atom;
    uint64_t number;
    int by;
};

#define LANE                                                                                       \
    {                                                                                              \
        .atom = WT_OP_INTEL_PUSH_LANE                                                              \
    }
#define REGS                                                                                       \
    {                                                                                              \
        .atom = WT_OP_INTEL_REGS                                                                   \
    }
#define BITS                                                                                       \
    {                                                                                              \
        .atom = WT_OP_INTEL_PUSH_BITS                                                              \
    }
#define C(n)                                                                                       \
    {                                                                                              \
        .atom = DW_OP_const1u, .number = (n)                                                       \
    }
#define OP(name)                                                                                   \
    {                                                                                              \
        .atom = DW_OP_##name                                                                       \
    }
#define BRA(to)                                                                                    \
    {                                                                                              \
        .atom = DW_OP_bra, .number = (to)                                                          \
    }
#define SKIP(to)                                                                                   \
    {                                                                                              \
        .atom = DW_OP_skip, .number = (to)                                                         \
    }
#define SKIP_BY(to, bytes)                                                                         \
    {                                                                                              \
        .atom = DW_OP_skip, .number = (to), .by = (bytes)                                          \
    }
#define PIECE                                                                                      \
    {                                                                                              \
        .atom = DW_OP_piece, .number = 4                                                           \
    }

static unsigned bytes_of(uint8_t atom)
{
    return atom == DW_OP_bra || atom == DW_OP_skip                                     ? 3
           : atom == DW_OP_const1u || atom == DW_OP_piece || atom == DW_OP_plus_uconst ? 2
                                                                                       : 1;
}

struct result {
    enum wt_status status;
    struct wt_error err;
    struct wt_operand o;
    wt_lanes known;
    uint64_t value[LANES];
};

/* Memory holds addresses; none below 16. */
static wt_lanes read_memory(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    wt_lanes got = 0;
    (void)context;
    for (; which; which &= which - 1) {
        const unsigned k = wt_lanes_lowest(which);
        if (addr[k] < 16)
            continue;
        out[k] = addr[k] & ~UINT64_C(0) >> (64 - 8 * size);
        got |= wt_lane_bit(k);
    }
    return got;
}

static struct result run_ops(const struct op *list, size_t count)
{
    Dwarf_Op ops[MOST];
    uint64_t offset[MOST + 1], number[LANES];
    const uint64_t *row[1] = {number};
    const struct wt_expr_world world = {.read = read_memory};
    const struct wt_frame frame = {0};
    struct result r = {0};
    struct wt_build b = {.expr = wt_expr_new(), .topology = &topology, .frame_ops = &frame_ops};
    assert_non_null(b.expr);
    assert_true(count <= MOST);
    offset[0] = 0;
    for (size_t i = 0; i < count; i++)
        offset[i + 1] = offset[i] + bytes_of(list[i].atom);
    for (size_t i = 0; i < count; i++) {
        const bool jumps = list[i].atom == DW_OP_bra || list[i].atom == DW_OP_skip;
        ops[i] = (Dwarf_Op){.atom = list[i].atom, .number = list[i].number, .offset = offset[i]};
        if (jumps)
            ops[i].number = offset[list[i].number] - offset[i + 1] + (uint64_t)(int64_t)list[i].by;
    }
    r.status = wt_build_location(&b, NULL, ops, count, &frame, 0, 8, &r.o, &r.err);
    if (!r.status) {
        const wt_expr_vector v = r.o.piece[0].vector;
        wt_expr_add(b.expr, WT_EXPR_END, 0, wt_expr_temporary(b.expr, 0), v, v);
        assert_int_equal(wt_expr_finish(b.expr, &r.err), WT_OK);
        assert_false(wt_expr_loops(b.expr));
        for (unsigned k = 0; k < LANES; k++)
            number[k] = k;
        r.known = wt_expr_run(b.expr, row, LANES, &world, r.value);
    }
    wt_expr_free(b.expr);
    return r;
}

#define RUN(...)                                                                                   \
    run_ops((const struct op[]){__VA_ARGS__},                                                      \
            sizeof((const struct op[]){__VA_ARGS__}) / sizeof(struct op))

/* For each lane k, the value. */
#define GIVES(want, ...)                                                                           \
    do {                                                                                           \
        const struct result r_ = RUN(__VA_ARGS__);                                                 \
        assert_string_equal(r_.err.text, "");                                                      \
        assert_int_equal(r_.status, WT_OK);                                                        \
        assert_int_equal(r_.known, wt_lanes_first(LANES));                                         \
        for (uint64_t k = 0; k < LANES; k++)                                                       \
            assert_int_equal(r_.value[k], (uint64_t)(want));                                       \
    } while (0)

#define REFUSED(how, said, ...)                                                                    \
    do {                                                                                           \
        const struct result r_ = RUN(__VA_ARGS__);                                                 \
        assert_non_null(strstr(r_.err.text, said));                                                \
        assert_int_equal(r_.status, how);                                                          \
    } while (0)

/* As Intel's compiler describes a variable of SIMD32 code: lanes from 16 on have another register.
 */
static void halves_of_the_lanes_choose(void **state)
{
    GIVES(k < 16 ? k + 7 : k - 16 + 100, LANE, OP(lit16), OP(ge), BRA(8), LANE, OP(lit7), OP(plus),
          SKIP(13), LANE, OP(lit16), OP(minus), C(100), OP(plus), OP(stack_value));
    /* Each side has its own DW_OP_stack_value. */
    GIVES(k < 16 ? 1 : 2, LANE, OP(lit16), OP(ge), BRA(7), OP(lit1), OP(stack_value), SKIP(9),
          OP(lit2), OP(stack_value));
}

/* A place in the register file: the lane's dword of r2 on, or of r20 on. */
static void registers_are_chosen(void **state)
{
    GIVES(APERTURE + (k < 16 ? 2 * FILE_BYTES : 20 * FILE_BYTES) + (k & 7) * 4, LANE, OP(lit16),
          OP(ge), BRA(7), C(FILE_DWARF + 2), REGS, SKIP(9), C(FILE_DWARF + 20), REGS, LANE,
          OP(lit7), OP(and), C(32), OP(mul), C(32), BITS, OP(stack_value));
}

static void what_lies_below_on_the_stack_stays(void **state)
{
    GIVES(300 + 50 + (k < 4 ? k : 2 * k), C(200), C(100), OP(plus), C(50), LANE, OP(dup), OP(lit4),
          OP(lt), BRA(11), OP(lit2), OP(mul), OP(plus), OP(plus), OP(stack_value));
}

static void branches_nest(void **state)
{
    GIVES(1 + k / 8, LANE, OP(lit16), OP(ge), BRA(12), LANE, OP(lit8), OP(ge), BRA(10), OP(lit1),
          SKIP(20), OP(lit2), SKIP(20), LANE, OP(lit24), OP(ge), BRA(18), OP(lit3), SKIP(20),
          OP(lit4), OP(nop), OP(stack_value));
}

/* A side that would fail is executed by none of the others. */
static void a_lane_executes_its_own_side_only(void **state)
{
    GIVES(k < 16 ? 5 : k, LANE, OP(lit16), OP(ge), BRA(6), OP(lit5), SKIP(8), LANE, OP(deref),
          OP(stack_value));
    const struct result r =
        RUN(LANE, OP(lit4), OP(ge), BRA(7), LANE, OP(deref), SKIP(8), OP(lit5), OP(stack_value));
    assert_int_equal(r.status, WT_OK);
    assert_int_equal(r.known, wt_lanes_first(LANES) & ~wt_lanes_first(4));
}

static void jumps_to_the_next_operation_and_to_the_end(void **state)
{
    GIVES(k, LANE, OP(lit1), BRA(3), SKIP(4), OP(stack_value));
    GIVES(k < 8 ? 0 : k, LANE, OP(stack_value), OP(dup), OP(lit8), OP(ge), BRA(8), OP(drop),
          OP(lit0));
    GIVES(k, LANE, OP(stack_value), SKIP(3));
}

static void what_is_jumped_over_is_not_executed(void **state)
{
    GIVES(3, OP(lit3), SKIP(4), OP(drop), OP(drop), OP(stack_value));
}

static void loops_are_refused(void **state)
{
    REFUSED(WT_UNSUPPORTED, "loop", LANE, OP(lit0), BRA(0), OP(stack_value));
    REFUSED(WT_UNSUPPORTED, "loop", LANE, SKIP(1));
}

static void sides_must_agree(void **state)
{
    REFUSED(WT_INVALID, "different numbers of values", LANE, BRA(3), OP(lit1), OP(stack_value));
    REFUSED(WT_INVALID, "different numbers of values", LANE, BRA(4), OP(lit1), SKIP(6), OP(lit1),
            OP(lit2), OP(stack_value));
    REFUSED(WT_UNSUPPORTED, "different kinds", LANE, BRA(5), C(FILE_DWARF), REGS, SKIP(6), OP(lit1),
            OP(stack_value));
    REFUSED(WT_UNSUPPORTED, "different kinds", LANE, BRA(5), OP(lit1), OP(stack_value), SKIP(6),
            OP(lit1));
    REFUSED(WT_UNSUPPORTED, "between pieces", LANE, BRA(5), OP(lit1), PIECE, SKIP(7), OP(lit2),
            PIECE);
    REFUSED(WT_UNSUPPORTED, "between registers", LANE, BRA(4), OP(reg1), SKIP(5), OP(reg2));
}

static void damaged_branches_are_refused(void **state)
{
    REFUSED(WT_INVALID, "malformed", BRA(1), OP(lit1));
    /* Into an operation, and behind the end. */
    REFUSED(WT_INVALID, "malformed", LANE, SKIP_BY(2, 1), C(1), OP(stack_value));
    REFUSED(WT_INVALID, "malformed", LANE, SKIP_BY(3, 1), OP(stack_value));
    REFUSED(WT_INVALID, "malformed", LANE, SKIP_BY(3, 0x7000), OP(stack_value));
    REFUSED(WT_INVALID, "malformed", LANE, SKIP_BY(2, 1));
}

static struct result run_branches(size_t branches)
{
    struct op list[MOST] = {OP(lit1)};
    for (size_t i = 0; i < branches; i++) {
        list[2 * i + 1] = (struct op)LANE;
        list[2 * i + 2] = (struct op)BRA(2 * branches + 1);
    }
    list[2 * branches + 1] = (struct op)OP(stack_value);
    return run_ops(list, 2 * branches + 2);
}

static void many_branches_to_one_place(void **state)
{
    const struct result all = run_branches(32), more = run_branches(33);
    assert_int_equal(all.status, WT_OK);
    for (unsigned k = 0; k < LANES; k++)
        assert_int_equal(all.value[k], 1);
    assert_int_equal(more.status, WT_UNSUPPORTED);
    assert_non_null(strstr(more.err.text, "too many branches"));
}

/* Intel's compiler writes constants of 128 and more as they are, so that the operation behind one
 * is read as its second byte. */
static void a_location_that_leaves_two_values_is_damaged(void **state)
{
    REFUSED(WT_INVALID, "damaged: a location ends with more than one value", LANE, C(100),
            OP(stack_value));
    REFUSED(WT_INVALID, "damaged: a location ends with more than one value", LANE, C(100));
}

#define ADDRESS_AT(n)                                                                              \
    LANE, OP(lit2), OP(shr), {.atom = DW_OP_plus_uconst, .number = FILE_DWARF + (n)}, REGS, LANE,  \
        OP(lit3), OP(and), C(64), OP(mul), C(64), BITS

/* As Intel's compiler describes a vector of three elements in memory: the first place counts. */
static void a_vector_has_one_address(void **state)
{
    GIVES(APERTURE + 8 * FILE_BYTES + 8 * k, ADDRESS_AT(8), ADDRESS_AT(10), ADDRESS_AT(12));
    REFUSED(WT_INVALID, "damaged", ADDRESS_AT(8), ADDRESS_AT(10), ADDRESS_AT(13));
    REFUSED(WT_INVALID, "damaged", ADDRESS_AT(8), ADDRESS_AT(10), OP(stack_value));
}

static void parts_of_registers_have_1_to_8_bytes(void **state)
{
    REFUSED(WT_UNSUPPORTED, "parts of 0 bits", C(FILE_DWARF + 2), REGS, OP(lit0), OP(lit0), BITS);
    REFUSED(WT_UNSUPPORTED, "parts of 80 bits", C(FILE_DWARF + 2), REGS, OP(lit0), C(80), BITS);
    REFUSED(WT_INVALID, "malformed", OP(lit2), OP(lit0), OP(lit8), BITS);
}

/* What the lanes have of the bytes of an expression, of which register 0 is 0. */
static struct result read_bytes(const uint8_t *bytes, size_t length)
{
    struct result r = {0};
    Dwarf_Op *ops = NULL;
    size_t count;
    r.status = wt_dwarf_read(bytes, length, &ops, &count, &r.err);
    r.known = ops && count ? 1 : 0;
    for (size_t i = 0; ops && i < count; i++)
        if (ops[i].atom == DW_OP_constu || ops[i].atom == DW_OP_plus_uconst)
            r.value[0] = ops[i].number;
    free(ops);
    return r;
}

#define READ(...) read_bytes((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

#define IS_READ(want, ...)                                                                         \
    do {                                                                                           \
        const struct result r_ = READ(__VA_ARGS__);                                                \
        assert_int_equal(r_.status, WT_OK);                                                        \
        assert_int_equal(r_.known, 1);                                                             \
        assert_int_equal(r_.value[0], want);                                                       \
    } while (0)

/* Intel's compiler writes constants as bytes; LEB128 would take the next operation in. */
static void constants_are_read_as_they_make_sense(void **state)
{
    enum { LANE_ = WT_OP_INTEL_PUSH_LANE };
    IS_READ(5, LANE_, DW_OP_constu, 5, DW_OP_plus, DW_OP_stack_value);
    IS_READ(204, LANE_, DW_OP_constu, 204, DW_OP_xor, DW_OP_stack_value);
    IS_READ(0x1c05, LANE_, DW_OP_constu, 0x05, 0x1c, DW_OP_plus, DW_OP_stack_value);
    IS_READ(0x12345678, LANE_, DW_OP_constu, 0x78, 0x56, 0x34, 0x12, DW_OP_xor, DW_OP_stack_value);
    IS_READ(UINT64_C(0xfedcba9876543210), LANE_, DW_OP_constu, 0x10, 0x32, 0x54, 0x76, 0x98, 0xba,
            0xdc, 0xfe, DW_OP_xor, DW_OP_stack_value);
    /* Behind a branch, which says where operations begin. */
    IS_READ(200, LANE_, LANE_, DW_OP_bra, 3, 0, DW_OP_constu, 200, DW_OP_plus, DW_OP_stack_value);
    /* 1220 in LEB128 or 2500 in two bytes. */
    const struct result r = READ(LANE_, DW_OP_constu, 0xc4, 0x09, DW_OP_minus, DW_OP_stack_value);
    assert_int_equal(r.status, WT_INVALID);
    assert_string_equal(r.err.text,
                        "the debug information is damaged: a constant in a location can "
                        "be read in two ways");
    /* 6504 in two bytes; LEB128 would be 104 and its absolute value. */
    IS_READ(6504, LANE_, DW_OP_plus_uconst, 0x68, 0x19, DW_OP_stack_value);
    /* A register's number, and a part of an address. */
    IS_READ(128, LANE_, DW_OP_plus_uconst, 0x80, 0x01);
    IS_READ(130, LANE_, DW_OP_plus_uconst, 0x82, 0x01, WT_OP_INTEL_REGS, DW_OP_stack_value);
    /* Neither makes sense: as the standard says. */
    IS_READ(0x2748, LANE_, DW_OP_constu, 0xc8, 0xce, 0x00, DW_OP_stack_value);
    assert_int_equal(READ(LANE_, 0xff).known, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_of_the_lanes_choose),
        cmocka_unit_test(registers_are_chosen),
        cmocka_unit_test(what_lies_below_on_the_stack_stays),
        cmocka_unit_test(branches_nest),
        cmocka_unit_test(a_lane_executes_its_own_side_only),
        cmocka_unit_test(jumps_to_the_next_operation_and_to_the_end),
        cmocka_unit_test(what_is_jumped_over_is_not_executed),
        cmocka_unit_test(loops_are_refused),
        cmocka_unit_test(sides_must_agree),
        cmocka_unit_test(damaged_branches_are_refused),
        cmocka_unit_test(many_branches_to_one_place),
        cmocka_unit_test(a_location_that_leaves_two_values_is_damaged),
        cmocka_unit_test(a_vector_has_one_address),
        cmocka_unit_test(parts_of_registers_have_1_to_8_bytes),
        cmocka_unit_test(constants_are_read_as_they_make_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
