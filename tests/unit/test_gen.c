/*
 * The EU of Gen9: register regions, conversions, predicates, control flow, mistakes, and time
 * travel, by assembled code (iga64) on a device of one subslice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "emulator/gen/gen.h"
#include "emulator/gen/isa.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/machine/state.h"
#include "gen_rig.h"

static int16_t word_of(struct rig *r, unsigned number, unsigned index)
{
    int16_t value[16];
    read_register(r, number, value);
    return value[index];
}

static int32_t dword_of(struct rig *r, unsigned number, unsigned index)
{
    int32_t value[8];
    read_register(r, number + index / 8, value);
    return value[index % 8];
}

static float float_of(struct rig *r, unsigned number, unsigned index)
{
    const int32_t bits = dword_of(r, number, index);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* add (16) r6.0<1>:w r1.7<16;8,1>:b r2.17<16;8,1>:b; the swizzle of dst.xyz, three additions;
 * mov (16) r40.0<1>:w r4.1<16;8,2>:w. */
static const uint64_t regions_code[] = {0x20c02a6800800040, 0x00ad00512aad0027, 0x22403ae800800040,
                                        0x008d01c03a8d0080, 0x22803ae800800040, 0x008d02003a8d00c0,
                                        0x22c03ae800800040, 0x008d01403a8d0100, 0x25001a6800800001,
                                        0x0000000000ae0082, 0x2fe0020c00600001, 0x00000000008d0000,
                                        0x2000020407600031, 0x8200001006000fe0};

/* The byte addition: two rows of eight bytes in each source, from r1.7 and r2.17 on, sixteen bytes
 * apart. The first sum is 3 + 9 = 0xc. */
static void test_regions_of_bytes_are_added(void **state)
{
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 16; i++) {
        const unsigned at = i / 8 * 16 + i % 8;
        r.file[1 * BYTES + 7 + at] = (uint8_t)(3 + 5 * i);
        r.file[2 * BYTES + 17 + at] = (uint8_t)(9 - 7 * (int)i);
    }
    start(&r, regions_code, sizeof regions_code);
    run_to_end(&r, sizeof regions_code);
    assert_int_equal(word_of(&r, 6, 0), 0xc);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(word_of(&r, 6, i), (int8_t)(3 + 5 * i) + (int8_t)(9 - 7 * (int)i));
    finish(&r);
}

/* r4.1<16;8,2>:w: words 1, 3, 5 … 15 of r4, then those of the register behind it. */
static void test_a_region_skips_every_second_word(void **state)
{
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 32; i++)
        wt_store_le(r.file + 4 * BYTES + 2 * i, 1000 + i, 2);
    start(&r, regions_code, sizeof regions_code);
    run_to_end(&r, sizeof regions_code);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(word_of(&r, 40, i), 1000 + i / 8 * 16 + 1 + 2 * (i % 8));
    finish(&r);
}

/* dst.x = src0.y + src1.z, dst.y = src0.z + src1.w, dst.z = src0.w + src1.x. */
static void test_a_swizzle_is_three_additions(void **state)
{
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 8 * 8 * 4;
         i++) { /* r2 to r9: x y z w of source 0; r10 on: of source 1 */
        const float value = (float)(100 * (i / 16) + i % 16) + (i >= 64 ? 0.5f : 0.0f);
        memcpy(r.file + 2 * BYTES + 4 * i, &value, 4);
    }
    start(&r, regions_code, sizeof regions_code);
    struct wt_machine *m = gen_machine(r.device);
    float before[12][16];
    for (unsigned n = 0; n < 12; n++)
        memcpy(before[n], r.file + (2 + 2 * n) * BYTES, 64);
    assert_int_equal(m->ops->run(m, 4), WT_RUN_BUDGET);
    for (unsigned i = 0; i < 16; i++) {
        assert_true(float_of(&r, 18, i) == before[1][i] + before[6][i]);
        /* The first instruction of the code has written r6. */
        assert_true(float_of(&r, 22, i) == before[3][i] + before[4][i]);
    }
    run_to_end(&r, sizeof regions_code);
    finish(&r);
}

/* if, else, endif; a loop with break and cont: sums of the odd numbers up to r1. */
static const uint64_t flow_code[] = {
    0x20000a2005800010, 0x000400041e8d0020, 0x25001e2800800001, 0x0000000000000000,
    0x20000e0000810022, 0x0000003000000040, 0x25001e2800800001, 0x0001000100000000,
    0x20000e0000800024, 0x0000002000000020, 0x25001e2800800001, 0x0002000200000000,
    0x2000000000800025, 0x000000300e000000, 0x25401e2800800001, 0x0000000000000000,
    0x25801e2800800001, 0x0000000000000000, 0x25400a2800800040, 0x000100011e8d0540,
    0x20000a2003800010, 0x008d00200a8d0540, 0x20000e0000810028, 0x0000004000000040,
    0x20000a2201800005, 0x000100011e8d0540, 0x20000e0200810029, 0x0000002000000020,
    0x25800a2800800040, 0x008d05400a8d0580, 0x2000000000800027, 0xffffffa00e000000,
    0x25c00a2800800040, 0x006400641e8d0580, 0x2fe0020c00600001, 0x00000000008d0000,
    0x2000020407600031, 0x8200001006000fe0};

static void test_channels_go_their_own_ways(void **state)
{
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 16; i++)
        wt_store_le(r.file + BYTES + 4 * i, i, 4);
    start(&r, flow_code, sizeof flow_code);
    run_to_end(&r, sizeof flow_code);
    for (unsigned i = 0; i < 16; i++) {
        int32_t sum = 0;
        for (unsigned k = 1; k <= i; k += 2)
            sum += (int32_t)k;
        assert_int_equal(dword_of(&r, 40, i), i < 4 ? 1 : 2);
        assert_int_equal(dword_of(&r, 46, i), sum + 100);
    }
    finish(&r);
}

/* Predicates over groups of channels; saturation; an indirect region; a product of 64 bits in two
 * halves; packed immediates. */
static const uint64_t mixed_code[] = {
    0x2600060400000001, 0x0001010000000000, 0x25001e2800800001, 0x0000000000000000,
    0x25001e2800880001, 0x0001000100000000, 0x25401e2800890001, 0x0001000100000000,
    0x25801e2800910001, 0x0007000700000000, 0x65c00a8880600040, 0x00fa00fa1e8d0020,
    0x2200164400000001, 0x0024002400000000, 0x26000a2800600001, 0x00000000808d81fc,
    0x24000a2000600041, 0x00ae00a0128d0080, 0x26400a2810600049, 0x008d00a00a8d0080,
    0x2660082800600001, 0x00000000008d0400, 0x26800ae800600001, 0x00000000008d0020,
    0x26c0366800600001, 0x7654321000000000, 0x26e02ee800600001, 0x3020100000000000,
    0x2fe0020c00600001, 0x00000000008d0000, 0x2000020407600031, 0x8200001006000fe0};

static void test_predicates_types_and_accumulators(void **state)
{
    static const float packed[4] = {0.0f, 0.25f, 0.5f, 1.0f};
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 8; i++) {
        wt_store_le(r.file + BYTES + 4 * i, (uint64_t)(int64_t)((int)i - 3), 4);
        wt_store_le(r.file + 4 * BYTES + 4 * i, (uint64_t)(int64_t)(-123456789 - (int)i), 4);
        wt_store_le(r.file + 5 * BYTES + 4 * i, 0x7654321 + 0x1111111 * i, 4);
    }
    start(&r, mixed_code, sizeof mixed_code);
    run_to_end(&r, sizeof mixed_code);
    uint8_t saturated[32];
    read_register(&r, 46, saturated);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(dword_of(&r, 40, i),
                         i >= 8); /* f0 = 0x10100: bit 8 is in the second eight */
        assert_int_equal(dword_of(&r, 42, i), 0);
        assert_int_equal(dword_of(&r, 44, i), i == 8 ? 0 : 7);
    }
    for (unsigned i = 0; i < 8; i++) {
        const int64_t product =
            (int64_t)(-123456789 - (int)i) * (0x7654321 + 0x1111111 * (int64_t)i);
        assert_int_equal(saturated[4 * i], i < 3 ? 247 + i : i + 247 > 255 ? 255 : 247 + i);
        assert_int_equal(dword_of(&r, 48, i), (int)i - 3);
        assert_int_equal(dword_of(&r, 50, i), (int32_t)(product >> 32));
        assert_int_equal(dword_of(&r, 51, i), (int32_t)product);
        assert_true(float_of(&r, 52, i) == (float)((int)i - 3));
        assert_int_equal(word_of(&r, 54, i), i < 8 ? (int)i - (i > 7 ? 16 : 0) : 0);
        assert_true(float_of(&r, 55, i) == packed[i % 4]);
    }
    finish(&r);
}

/* A region that goes beyond r127 is a mistake: mov (16) r1.0<1>:d r127.0<8;8,1>:d. */
static void test_a_region_outside_the_registers_is_a_mistake(void **state)
{
    static const uint64_t code[] = {0x20200a2800800001, 0x00000000008d0fe0};
    struct rig r;
    open_rig(&r);
    start(&r, code, sizeof code);
    struct wt_machine *m = gen_machine(r.device);
    assert_int_equal(m->ops->run(m, 10), WT_RUN_FAULT);
    assert_int_equal(m->fault.kind, WT_FAULT_ILLEGAL);
    assert_int_equal(m->fault.pc, CODE);
    assert_non_null(strstr(m->fault.text, "r127.0<8;8,1>:d"));
    gen_device_free(r.device);
}

/* mov (1) REGISTER, number + 0x1000; mov (1) r10.0, REGISTER. */
static void flow_control_code(uint64_t code[8], unsigned reg, unsigned element)
{
    const uint64_t value = 0x1000 + reg * 0x100 + element;
    code[0] = UINT64_C(0x2000060000000001) | (uint64_t)(0xd0 + reg) << 53 | (uint64_t)element << 48;
    code[1] = value << 32;
    code[2] = UINT64_C(0x2140000800000001);
    code[3] = (0xd0 + reg) << 5 | element;
    /* The end: mov (8) r127, r0; send to the thread spawner. */
    memcpy(code + 4, regions_code + sizeof regions_code / 8 - 4, 32);
}

/* fc has 39 elements in five registers (iga64 warns of the others). */
static void test_the_elements_of_fc(void **state)
{
    static const unsigned count[] = {32, 1, 1, 4, 1, 0};
    unsigned elements = 0;
    for (unsigned reg = 0; reg < 6; reg++)
        for (unsigned i = 0; i < 32; i++) {
            struct rig r;
            uint64_t code[8];
            flow_control_code(code, reg, i);
            open_rig(&r);
            start(&r, code, sizeof code);
            struct wt_machine *m = gen_machine(r.device);
            const int result = (int)m->ops->run(m, 2);
            assert_int_equal(result, i < count[reg] ? WT_RUN_BUDGET : WT_RUN_FAULT);
            if (result == WT_RUN_BUDGET) {
                assert_int_equal(dword_of(&r, 10, 0), 0x1000 + reg * 0x100 + i);
                elements++;
            } else {
                assert_int_equal(m->fault.kind, WT_FAULT_ILLEGAL);
            }
            gen_device_free(r.device);
        }
    assert_int_equal(elements, 39);
}

/* As Intel's system routine does: eight dwords at an element, which are none of the next one's. */
static void test_rows_of_fc(void **state)
{
    /* mov (8) fc3.1<1>:ud r1.0<8;8,1>:ud; mov (8) fc3.2<1>:ud r2.0<8;8,1>:ud;
     * mov (8) r10.0<1>:ud fc3.1<8;8,1>:ud; mov (8) r11.0<1>:ud fc3.2<0;1,0>:ud */
    static const uint64_t code[] = {0x3a61020000600001, 0x00000000008d0020, 0x3a62020000600001,
                                    0x00000000008d0040, 0x2140000800600001, 0x00000000008d1a61,
                                    0x2160000800600001, 0x0000000000001a62, 0x2fe0020c00600001,
                                    0x00000000008d0000, 0x2000020407600031, 0x8200001006000fe0};
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 16; i++)
        wt_store_le(r.file + BYTES + 4 * i, 100 + i, 4);
    start(&r, code, sizeof code);
    run_to_end(&r, sizeof code);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(dword_of(&r, 10, i), 100 + i);
        assert_int_equal(dword_of(&r, 11, i), 108);
    }
    finish(&r);
}

/* tm0 has two elements: the issue time, 64 bits of it. */
static void test_the_time_is_that_of_issues(void **state)
{
    /* mov (1) r10.0, tm0.0; mov (1) r10.1, tm0.1; mov (1) r10.2, tm0.0 */
    static const uint64_t code[] = {0x2140000800000001, 0x1800,
                                    0x2144000800000001, 0x1804,
                                    0x2148000800000001, 0x1800,
                                    0x2fe0020c00600001, 0x00000000008d0000,
                                    0x2000020407600031, 0x8200001006000fe0};
    struct rig r;
    open_rig(&r);
    start(&r, code, sizeof code);
    run_to_end(&r, sizeof code);
    assert_int_equal(dword_of(&r, 10, 1), 0);
    assert_int_equal(dword_of(&r, 10, 2) - dword_of(&r, 10, 0), 2);
    finish(&r);
}

/* (W) mad (2) r10.2<1>.xy:df r10.2<2;1>.xyxy:df r8.0<2;1>.xyxy:df -r79.0<1>.xyxy:df, as Intel's
 * compiler computes one double: xy of the mask and of the swizzles is one of two. */
static void test_one_of_two_doubles_is_written(void **state)
{
    static const uint64_t code[] = {0x0a86dc040020015b, 0x13c220101100a888, 0x2fe0020c00600001,
                                    0x00000000008d0000, 0x2000020407600031, 0x8200001006000fe0};
    static const double before[] = {1.5, 100}, by[] = {3, 200}, less[] = {0.25, 300};
    struct rig r;
    double got[4];
    open_rig(&r);
    memcpy(r.file + 10 * BYTES + 16, before, sizeof before);
    memcpy(r.file + 8 * BYTES, by, sizeof by);
    memcpy(r.file + 79 * BYTES, less, sizeof less);
    start(&r, code, sizeof code);
    run_to_end(&r, sizeof code);
    read_register(&r, 10, got);
    assert_true(got[2] == 1.5 - 3 * 0.25);
    assert_true(got[3] == 100);
    finish(&r);
}

/* Restrictions of regions (PRM volume 7): what breaks one is not executed, and the report says
 * which. Each is an instruction beside one that keeps it (code by iga64). */
static void test_restrictions_of_regions(void **state)
{
    static const struct {
        uint64_t code[2];
        const char *why; /* NULL: it is executed */
    } cases[] = {
        /* mov (16) r40.0<1>:df r20.0<0;1,0>:df */
        {{0x250032c800800001, 0x0000000000000280}, "its destination spans more than two registers"},
        /* mov (8) r40.0<1>:df r20.0<4;4,1>:df */
        {{0x250032c800600001, 0x0000000000690280}, NULL},
        /* mov (8) r40.0<4>:d r20.0<8;8,1>:d */
        {{0x65000a2800600001, 0x00000000008d0280}, "its destination spans more than two registers"},
        /* mov (16) r40.0<1>:d r20.0<16;8,2>:d */
        {{0x25000a2800800001, 0x0000000000ae0280},
         "a row of a source region crosses the boundary of a register"},
        /* mov (16) r40.0<1>:d r20.4<8;8,1>:d */
        {{0x25000a2800800001, 0x00000000008d0290}, "a source region spans more than two registers"},
        /* mov (8) r40.0<1>:w r20.1<16;8,2>:w */
        {{0x25001a6800600001, 0x0000000000ae0282}, NULL},
        /* mov (8) r40.0<1>:w r20.2<16;8,2>:w */
        {{0x25001a6800600001, 0x0000000000ae0284},
         "a row of a source region crosses the boundary of a register"},
        /* mov (4) r40.0<1>:d r20.0<8;8,1>:d */
        {{0x25000a2800400001, 0x00000000008d0280},
         "the width of a source region is larger than the execution size"},
        /* mov (8) r40.0<1>:d r20.0<4;1,1>:d */
        {{0x25000a2800600001, 0x0000000000610280},
         "a source region of width 1 has a horizontal stride"},
        /* mov (1) r40.0<1>:d r20.0<1;1,0>:d */
        {{0x25000a2800000001, 0x0000000000200280},
         "a source region of one element has a vertical stride"},
        /* mov (8) r40.0<1>:d r20.0<0;8,0>:d */
        {{0x25000a2800600001, 0x00000000000c0280},
         "a source region without strides has a width other than 1"},
        /* mov (8) r40.0<1>:d r20.0<4;8,1>:d */
        {{0x25000a2800600001, 0x00000000006d0280},
         "a source region of one row has a vertical stride other than"},
        /* mov (8) r40.0<1>:d r20.0<4;4,1>:d */
        {{0x25000a2800600001, 0x0000000000690280}, NULL},
        /* add (8) r40.0<1>:w r20.0<8;8,1>:d r21.0<8;8,1>:d */
        {{0x25000a6800600040, 0x008d02a00a8d0280},
         "its destination is narrower than the type it computes in"},
        /* add (8) r40.0<2>:w r20.0<8;8,1>:d r21.0<8;8,1>:d */
        {{0x45000a6800600040, 0x008d02a00a8d0280}, NULL},
        /* mov (8) r40.0<1>:ub r20.0<8;8,1>:ub */
        {{0x2500228800600001, 0x00000000008d0280}, NULL},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig r;
        open_rig(&r);
        start(&r, cases[i].code, sizeof cases[i].code);
        struct wt_machine *m = gen_machine(r.device);
        const int result = (int)m->ops->run(m, 1);
        if (!cases[i].why && result != WT_RUN_BUDGET)
            fail_msg("case %u: %s", i, m->fault.text);
        if (cases[i].why && (result != WT_RUN_FAULT || m->fault.kind != WT_FAULT_ILLEGAL ||
                             !strstr(m->fault.text, cases[i].why)))
            fail_msg("case %u: not '%s': %s", i, cases[i].why, m->fault.text);
        gen_device_free(r.device);
    }
}

/* wait n0.0 without anyone who signals. */
static void test_a_wait_for_nothing_is_a_deadlock(void **state)
{
    static const uint64_t code[] = {0x3200000400000030, 0x0000000000001200};
    struct rig r;
    open_rig(&r);
    start(&r, code, sizeof code);
    struct wt_machine *m = gen_machine(r.device);
    assert_int_equal(m->ops->run(m, 10), WT_RUN_FAULT);
    assert_int_equal(m->fault.kind, WT_FAULT_DEADLOCK);
    assert_int_equal(m->time, 0);
    gen_device_free(r.device);
}

/* Any point of a run is reached again from a state before it. */
static void test_a_restored_state_goes_on_as_before(void **state)
{
    struct rig r;
    open_rig(&r);
    for (unsigned i = 0; i < 16; i++)
        wt_store_le(r.file + BYTES + 4 * i, i, 4);
    start(&r, flow_code, sizeof flow_code);
    struct wt_machine *m = gen_machine(r.device);
    for (unsigned at = 0; at < 60; at += 7) {
        struct wt_state *saved = wt_state_save(m);
        const uint64_t here = m->ops->hash(m);
        assert_non_null(saved);
        m->ops->run(m, 20);
        const uint64_t there = m->ops->hash(m);
        wt_state_restore(m, saved);
        assert_true(m->ops->hash(m) == here);
        for (unsigned i = 0; i < 20; i++)
            m->ops->run(m, 1);
        assert_true(m->ops->hash(m) == there);
        wt_state_restore(m, saved);
        wt_state_free(saved);
        m->ops->run(m, 7);
    }
    gen_device_free(r.device);
}

/* The list of registers has the numbers of Intel's GDB. */
static void test_registers_are_numbered_as_gdb_does(void **state)
{
    size_t count;
    const struct gen_register_row *row = gen_register_list(&count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(row[i].number, i);
    assert_string_equal(row[0].name, "r0");
    assert_string_equal(row[127].name, "r127");
    assert_string_equal(row[144].name, "cr0");
    assert_string_equal(row[144].type, "control_reg");
    assert_int_equal(row[144].bits, 128);
    assert_string_equal(row[145].name, "ip");
    assert_int_equal(row[145].bits, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_of_bytes_are_added),
        cmocka_unit_test(test_a_region_skips_every_second_word),
        cmocka_unit_test(test_a_swizzle_is_three_additions),
        cmocka_unit_test(test_channels_go_their_own_ways),
        cmocka_unit_test(test_predicates_types_and_accumulators),
        cmocka_unit_test(test_a_region_outside_the_registers_is_a_mistake),
        cmocka_unit_test(test_one_of_two_doubles_is_written),
        cmocka_unit_test(test_the_elements_of_fc),
        cmocka_unit_test(test_rows_of_fc),
        cmocka_unit_test(test_the_time_is_that_of_issues),
        cmocka_unit_test(test_restrictions_of_regions),
        cmocka_unit_test(test_a_wait_for_nothing_is_a_deadlock),
        cmocka_unit_test(test_a_restored_state_goes_on_as_before),
        cmocka_unit_test(test_registers_are_numbered_as_gdb_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
