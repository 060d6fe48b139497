/*
 * The gfx900 device by its C interface: what may be mapped, which dispatches are refused, the
 * completion signal, the trap handler, and how instructions are disassembled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "emulator/machine/groups.h"
#include "emulator/gcn/gcn.h"

#define CODE UINT64_C(0x10000)
#define HANDLER UINT64_C(0x11000)
#define DESCRIPTOR UINT64_C(0x20000)
#define PACKET UINT64_C(0x30000)
#define SIGNAL UINT64_C(0x40000)

struct rig {
    struct gcn_device *device;
    struct wt_machine *m;
    struct wt_error err;
    uint8_t packet[64], descriptor[64];
};

static void store(struct rig *r, uint64_t addr, const uint32_t *word, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint8_t bytes[4];
        wt_store_le(bytes, word[i], 4);
        assert_true(gcn_device_write(r->device, addr + 4 * i, bytes, 4));
    }
}

/* A device with these instructions, and a packet for one work-group of 64 work-items. */
static struct rig rig(const uint32_t *word, size_t words)
{
    static const uint64_t pages[] = {CODE, HANDLER, DESCRIPTOR, PACKET, SIGNAL};
    struct rig r = {0};
    struct gcn_config config;
    gcn_config_default(&config);
    assert_int_equal(gcn_device_new(&config, &r.device, &r.err), WT_OK);
    r.m = gcn_machine(r.device);
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        assert_int_equal(gcn_device_map(r.device, pages[i], 4096, true, &r.err), WT_OK);
    store(&r, CODE, word, words);
    wt_store_le(r.descriptor + 16, CODE - DESCRIPTOR, 8);
    wt_store_le(r.descriptor + 48, 1 | 1 << 6, 4);
    wt_store_le(r.packet, 2, 2);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(r.packet + 4 + 2 * i, i ? 1 : 64, 2);
        wt_store_le(r.packet + 12 + 4 * i, i ? 1 : 64, 4);
    }
    wt_store_le(r.packet + 32, DESCRIPTOR, 8);
    return r;
}

static enum wt_status dispatch(struct rig *r)
{
    gcn_device_write(r->device, DESCRIPTOR, r->descriptor, sizeof r->descriptor);
    gcn_device_write(r->device, PACKET, r->packet, sizeof r->packet);
    return gcn_device_dispatch(r->device, PACKET, 0, &r->err);
}

/* A lane's value of v0, v1, … */
static uint32_t vector(struct rig *r, uint32_t wave, unsigned number, unsigned lane)
{
    uint32_t row[64];
    assert_true(r->m->ops->read_row(r->m, wave, GCN_REGISTER_V0 + number, row));
    return row[lane];
}

static const uint32_t endpgm[] = {0xbf810000};

static void test_what_is_mapped(void **state)
{
    struct rig r = rig(endpgm, 1);
    uint8_t byte = 1;
    assert_int_equal(gcn_device_map(r.device, CODE + 100, 1, true, &r.err), WT_INVALID);
    assert_non_null(strstr(r.err.text, "mapped there already"));
    assert_int_equal(gcn_device_map(r.device, 0x5000, 0, true, &r.err), WT_INVALID);
    assert_int_equal(gcn_device_map(r.device, UINT64_MAX - 4, 16, true, &r.err), WT_INVALID);
    assert_int_equal(gcn_device_map(r.device, UINT64_C(1) << 48, 16, true, &r.err), WT_INVALID);
    assert_int_equal(gcn_device_map(r.device, (UINT64_C(1) << 48) - 4096, 4096, true, &r.err),
                     WT_OK);
    assert_true(gcn_device_write(r.device, (UINT64_C(1) << 48) - 1, &byte, 1));
    assert_false(gcn_device_write(r.device, UINT64_C(1) << 48, &byte, 1));
    assert_false(gcn_device_read(r.device, UINT64_MAX, &byte, 1));
    gcn_device_free(r.device);
}

static void test_packets_that_are_refused(void **state)
{
    static const struct {
        unsigned at, size;
        uint64_t value;
        const char *words;
    } bad[] = {
        {0, 2, 3, "not a kernel dispatch (type 3)"},
        {4, 2, 0, "without work-items"},
        {16, 4, 0, "without work-items"},
        {6, 2, 17, "1088 work-items"},
        {28, 4, 65537, "65537 bytes of LDS"},
        {32, 8, 0x99000, "kernel descriptor should be"},
        {32, 8, UINT64_MAX, "kernel descriptor should be"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rig r = rig(endpgm, 1);
        wt_store_le(r.packet + bad[i].at, bad[i].value, bad[i].size);
        assert_int_equal(dispatch(&r), WT_INVALID);
        if (!strstr(r.err.text, bad[i].words))
            fail_msg("'%s' does not say '%s'", r.err.text, bad[i].words);
        assert_int_equal(r.m->ops->run(r.m, 10), WT_RUN_ENDED);
        gcn_device_free(r.device);
    }
    struct rig r = rig(endpgm, 1);
    assert_int_equal(gcn_device_dispatch(r.device, 0x900000, 0, &r.err), WT_INVALID);
    gcn_device_free(r.device);
}

static void test_descriptors_that_are_refused(void **state)
{
    static const struct {
        unsigned at, size;
        uint64_t value;
        const char *words;
    } bad[] = {
        {16, 8, CODE - DESCRIPTOR + 4, "not a multiple of 256"},
        {16, 8, 0x900000, "no memory is mapped at the kernel's entry"},
        {56, 2, 1 << 10, "waves of 32 lanes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rig r = rig(endpgm, 1);
        wt_store_le(r.descriptor + bad[i].at, bad[i].value, bad[i].size);
        assert_int_equal(dispatch(&r), WT_INVALID);
        if (!strstr(r.err.text, bad[i].words))
            fail_msg("'%s' does not say '%s'", r.err.text, bad[i].words);
        gcn_device_free(r.device);
    }
    /* 16 waves of 256 registers are 4 too many for each SIMD. */
    struct rig r = rig(endpgm, 1);
    wt_store_le(r.descriptor + 48, 63, 4);
    wt_store_le(r.packet + 4, 1024, 2);
    wt_store_le(r.packet + 12, 1024, 4);
    assert_int_equal(dispatch(&r), WT_INVALID);
    assert_non_null(strstr(r.err.text, "does not fit a compute unit"));
    gcn_device_free(r.device);
}

static void test_completion_counts_the_signal_down(void **state)
{
    struct rig r = rig(endpgm, 1);
    uint8_t value[8] = {1};
    gcn_device_write(r.device, SIGNAL + 8, value, 8);
    wt_store_le(r.packet + 12, 64 * 1000 + 1, 4);
    wt_store_le(r.packet + 56, SIGNAL, 8);
    assert_int_equal(dispatch(&r), WT_OK);
    assert_int_equal(r.m->ops->run(r.m, 500), WT_RUN_BUDGET);
    gcn_device_read(r.device, SIGNAL + 8, value, 8);
    assert_int_equal(wt_load_le(value, 8), 1);
    assert_int_equal(r.m->ops->run(r.m, 5000), WT_RUN_ENDED);
    assert_int_equal(r.m->time, 1001);
    gcn_device_read(r.device, SIGNAL + 8, value, 8);
    assert_int_equal(wt_load_le(value, 8), 0);
    /* Another one may come. */
    assert_int_equal(dispatch(&r), WT_OK);
    gcn_device_free(r.device);
}

static void test_initial_state(void **state)
{
    struct rig r = rig((const uint32_t[]){0xbf800000, 0xbf810000}, 2);
    uint32_t value, coordinate[3], index;
    /* kernarg pointer; work-group ids x, y, z; v0 to v2; rounding up, no denormals of 32 bits. */
    wt_store_le(r.descriptor + 56, 1 << 3, 2);
    wt_store_le(r.descriptor + 52, 2 << 1 | 7 << 7 | 2 << 11, 4);
    wt_store_le(r.descriptor + 48, 1 | 1 << 6 | 1 << 12 | 0xc << 16 | 1 << 21, 4);
    wt_store_le(r.packet + 40, UINT64_C(0x123456789a), 8);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(r.packet + 4 + 2 * i, 4, 2);
        wt_store_le(r.packet + 12 + 4 * i, 6, 4);
    }
    assert_int_equal(dispatch(&r), WT_OK);
    for (uint32_t wave = 0; wave < r.m->waves; wave++) {
        if (!wt_wave_group(gcn_machine(r.device), wave, coordinate, &index))
            continue;
        uint32_t exec[2];
        assert_true(gcn_wave_scalar(r.device, wave, 0, &value) && value == 0x3456789a);
        assert_true(gcn_wave_scalar(r.device, wave, 1, &value) && value == 0x12);
        for (unsigned i = 0; i < 3; i++)
            assert_true(gcn_wave_scalar(r.device, wave, 2 + i, &value) && value == coordinate[i]);
        assert_true(gcn_wave_hwreg(r.device, wave, 1, &value) && value == (1 | 0xc0 | 1 << 8));
        /* The outer groups have 2 work-items a side instead of 4. */
        uint32_t side[3], items = 1;
        for (unsigned i = 0; i < 3; i++)
            items *= side[i] = coordinate[i] ? 2 : 4;
        assert_true(gcn_wave_scalar(r.device, wave, 126, &exec[0]));
        assert_true(gcn_wave_scalar(r.device, wave, 127, &exec[1]));
        assert_int_equal(__builtin_popcount(exec[0]) + __builtin_popcount(exec[1]), items);
        for (uint32_t lane = 0; lane < items; lane++) {
            const uint32_t at[3] = {lane % side[0], lane / side[0] % side[1],
                                    lane / side[0] / side[1]};
            for (unsigned i = 0; i < 3; i++)
                assert_int_equal(vector(&r, wave, i, lane), at[i]);
        }
    }
    gcn_device_free(r.device);
}

static void test_trap_handler(void **state)
{
    /* s_trap 3; s_mov_b32 s5, 7; s_endpgm. The handler notes what it finds, skips the trap,
     * returns. */
    static const uint32_t program[] = {0xbf920003, 0xbe850087, 0xbf810000};
    static const uint32_t handler[] = {
        0xbe88006c,             /* s_mov_b32 s8, ttmp0 */
        0xbe89006d,             /* s_mov_b32 s9, ttmp1 */
        0xb88a0802,             /* s_getreg_b32 s10, STATUS[1:0]: its immediate is set below */
        0x806c846c,             /* s_add_u32 ttmp0, ttmp0, 4 */
        0x826d806d,             /* s_addc_u32 ttmp1, ttmp1, 0 */
        0x866dff6d, 0x0000ffff, /* s_and_b32 ttmp1, ttmp1, 0xffff */
        0xbe801f6c,             /* s_rfe_b64 ttmp[0:1] */
    };
    struct rig r = rig(program, 3);
    uint32_t value, word = 0xb88a0000 | 2 | 5 << 6; /* s_getreg_b32 s10, hwreg(STATUS, 5, 1) */
    store(&r, HANDLER, handler, 8);
    store(&r, HANDLER + 8, &word, 1);
    gcn_device_set_trap_handler(r.device, HANDLER, 0);
    assert_int_equal(dispatch(&r), WT_OK);
    assert_int_equal(r.m->ops->run(r.m, 1 + 7 + 1), WT_RUN_BUDGET);
    assert_true(gcn_wave_scalar(r.device, 0, 8, &value) && value == (uint32_t)CODE);
    assert_true(gcn_wave_scalar(r.device, 0, 9, &value) && value == 3 << 16);
    assert_true(gcn_wave_scalar(r.device, 0, 10, &value) && value == 1); /* PRIV */
    assert_true(gcn_wave_scalar(r.device, 0, 5, &value) && value == 7);
    assert_true(gcn_wave_hwreg(r.device, 0, 2, &value) && !(value >> 5 & 1));
    assert_int_equal(r.m->ops->run(r.m, 10), WT_RUN_ENDED);
    gcn_device_free(r.device);
    /* Without one it is a fault. */
    r = rig(program, 3);
    assert_int_equal(dispatch(&r), WT_OK);
    assert_int_equal(r.m->ops->run(r.m, 10), WT_RUN_FAULT);
    assert_int_equal(r.m->fault.kind, WT_FAULT_TRAP);
    assert_int_equal(r.m->fault.pc, CODE);
    gcn_device_free(r.device);
}

static void test_floating_point_exceptions_trap(void **state)
{
    static const uint32_t program[] = {
        0xbe8b0080,             /* s_mov_b32 s11, 0 */
        0x7e024480,             /* v_rcp_f32 v1, 0: not enabled yet */
        0xba003301, 0x00000004, /* s_setreg_imm32_b32 hwreg(MODE, 12, 7), 4: division by zero */
        0x7e0202f2,             /* v_mov_b32 v1, 1.0: what was raised before does not trap */
        0x7e024480,             /* v_rcp_f32 v1, 0 */
        0xbe850087,             /* s_mov_b32 s5, 7 */
        0xbf810000,
    };
    /* s_mov_b32 s8, ttmp0; s_mov_b32 s9, ttmp1; s_add_u32 s11, s11, 1; s_rfe_b64 ttmp[0:1] */
    static const uint32_t handler[] = {0xbe88006c, 0xbe89006d, 0x800b810b, 0xbe801f6c};
    struct rig r = rig(program, 8);
    uint32_t value;
    store(&r, HANDLER, handler, 4);
    gcn_device_set_trap_handler(r.device, HANDLER, 0);
    assert_int_equal(dispatch(&r), WT_OK);
    assert_int_equal(r.m->ops->run(r.m, 6 + 4), WT_RUN_BUDGET);
    /* The PC is that of the next instruction; the result is there. */
    assert_true(gcn_wave_scalar(r.device, 0, 8, &value) && value == (uint32_t)CODE + 24);
    assert_true(gcn_wave_scalar(r.device, 0, 9, &value) && value == 1 << 25); /* PCRewind 1 */
    assert_true(gcn_wave_scalar(r.device, 0, 11, &value) && value == 1);
    assert_true(gcn_wave_scalar(r.device, 0, 5, &value) && value == 7);
    assert_int_equal(vector(&r, 0, 1, 0), 0x7f800000);
    assert_true(gcn_wave_hwreg(r.device, 0, 3, &value) && (value & 0x7f) == 4);
    assert_int_equal(r.m->ops->run(r.m, 10), WT_RUN_ENDED);
    gcn_device_free(r.device);
    /* Without a handler it is a fault at the instruction, which has had its effect. */
    r = rig(program, 8);
    assert_int_equal(dispatch(&r), WT_OK);
    assert_int_equal(r.m->ops->run(r.m, 20), WT_RUN_FAULT);
    assert_int_equal(r.m->fault.kind, WT_FAULT_EXCEPTION);
    assert_int_equal(r.m->fault.pc, CODE + 20);
    assert_non_null(strstr(r.m->fault.text, "v_rcp_f32: division by zero"));
    assert_int_equal(vector(&r, 0, 1, 0), 0x7f800000);
    gcn_device_free(r.device);
}

static void test_a_wave_that_halts_itself(void **state)
{
    static const uint32_t program[] = {0xbf8d0001, 0xbf810000}; /* s_sethalt 1 */
    struct rig r = rig(program, 2);
    assert_int_equal(dispatch(&r), WT_OK);
    assert_int_equal(r.m->ops->run(r.m, 10), WT_RUN_HALTED);
    assert_int_equal(r.m->time, 1);
    gcn_device_free(r.device);
}

static void test_code_that_is_written_is_seen(void **state)
{
    /* A loop over one instruction, which the host changes while the loop runs. */
    static const uint32_t program[] = {0xbe850081, 0xbf82fffe}; /* s_mov_b32 s5, 1; s_branch -2 */
    static const uint32_t other[] = {0xbe850082};
    struct rig r = rig(program, 2);
    uint32_t value;
    assert_int_equal(dispatch(&r), WT_OK);
    r.m->ops->run(r.m, 10);
    assert_true(gcn_wave_scalar(r.device, 0, 5, &value) && value == 1);
    store(&r, CODE, other, 1);
    r.m->ops->run(r.m, 10);
    assert_true(gcn_wave_scalar(r.device, 0, 5, &value) && value == 2);
    gcn_device_free(r.device);
}

static void test_disassembly(void **state)
{
    static const struct {
        uint32_t word[2];
        unsigned length;
        const char *text; /* its beginning, which does not need LLVM */
    } rows[] = {
        {{0xbf810000, 0}, 4, "s_endpgm"},
        {{0x7e0002ff, 5}, 8, "v_mov_b32_e32"},
        {{0xd1c30001, 0x04120502}, 8, "v_mad_u32_u24"},
        {{0xffffffff, 0}, 4, ".long 0xffffffff"},
        {{0x7e0002f9, 0x00070600}, 8, ".long 0x7e0002f9"}, /* a selector that does not exist */
    };
    struct gcn_disassembler *d = gcn_disassembler_new(gcn_models, 64);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t bytes[8];
        char text[128];
        wt_store_le(bytes, rows[i].word[0], 4);
        wt_store_le(bytes + 4, rows[i].word[1], 4);
        assert_int_equal(gcn_disassemble(d, bytes, 8, 0, text, sizeof text), rows[i].length);
        assert_int_equal(strncmp(text, rows[i].text, strlen(rows[i].text)), 0);
    }
    gcn_disassembler_free(d);
}

static void test_configuration(void **state)
{
    struct gcn_config config;
    struct wt_error err;
    gcn_config_default(&config);
    assert_int_equal(wt_config_parse(&gcn_config_table, &config, "cu=64", &err), WT_OK);
    assert_int_equal(config.cu, 64);
    static const char *const bad[] = {"cu=0", "cu=65", "cu=x", "cu", "cu=1x", "lanes=4", "cu=1,,"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(wt_config_parse(&gcn_config_table, &config, bad[i], &err), WT_INVALID);
    assert_int_equal(config.cu, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_mapped),
        cmocka_unit_test(test_packets_that_are_refused),
        cmocka_unit_test(test_descriptors_that_are_refused),
        cmocka_unit_test(test_completion_counts_the_signal_down),
        cmocka_unit_test(test_initial_state),
        cmocka_unit_test(test_trap_handler),
        cmocka_unit_test(test_floating_point_exceptions_trap),
        cmocka_unit_test(test_a_wave_that_halts_itself),
        cmocka_unit_test(test_code_that_is_written_is_seen),
        cmocka_unit_test(test_disassembly),
        cmocka_unit_test(test_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
