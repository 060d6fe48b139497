/*
 * The emulated end of a JTAG link: the TAP's states against the diagram of IEEE 1149.1, and the
 * Debug Transport Module against chapter "Debug Transport Module" of RISC-V Debug Specification
 * 0.13; driven with the scan builder, whose streams are checked on the way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bus/jtag/dtm.h"
#include "bus/jtag/scan.h"
#include "bus/jtag/stream.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* All arrows of the diagram, by the names that the standard gives the states. */
static const struct {
    enum wt_tap_state from, at_0, at_1;
} diagram[] = {
    {WT_TAP_RESET, WT_TAP_IDLE, WT_TAP_RESET},
    {WT_TAP_IDLE, WT_TAP_IDLE, WT_TAP_SELECT_DR},
    {WT_TAP_SELECT_DR, WT_TAP_CAPTURE_DR, WT_TAP_SELECT_IR},
    {WT_TAP_CAPTURE_DR, WT_TAP_SHIFT_DR, WT_TAP_EXIT1_DR},
    {WT_TAP_SHIFT_DR, WT_TAP_SHIFT_DR, WT_TAP_EXIT1_DR},
    {WT_TAP_EXIT1_DR, WT_TAP_PAUSE_DR, WT_TAP_UPDATE_DR},
    {WT_TAP_PAUSE_DR, WT_TAP_PAUSE_DR, WT_TAP_EXIT2_DR},
    {WT_TAP_EXIT2_DR, WT_TAP_SHIFT_DR, WT_TAP_UPDATE_DR},
    {WT_TAP_UPDATE_DR, WT_TAP_IDLE, WT_TAP_SELECT_DR},
    {WT_TAP_SELECT_IR, WT_TAP_CAPTURE_IR, WT_TAP_RESET},
    {WT_TAP_CAPTURE_IR, WT_TAP_SHIFT_IR, WT_TAP_EXIT1_IR},
    {WT_TAP_SHIFT_IR, WT_TAP_SHIFT_IR, WT_TAP_EXIT1_IR},
    {WT_TAP_EXIT1_IR, WT_TAP_PAUSE_IR, WT_TAP_UPDATE_IR},
    {WT_TAP_PAUSE_IR, WT_TAP_PAUSE_IR, WT_TAP_EXIT2_IR},
    {WT_TAP_EXIT2_IR, WT_TAP_SHIFT_IR, WT_TAP_UPDATE_IR},
    {WT_TAP_UPDATE_IR, WT_TAP_IDLE, WT_TAP_SELECT_DR},
};

static void the_tap_moves_as_in_the_diagram(void **state)
{
    assert_int_equal(COUNT(diagram), WT_TAP_STATES);
    for (size_t i = 0; i < COUNT(diagram); i++) {
        assert_int_equal(wt_tap_next(diagram[i].from, false), diagram[i].at_0);
        assert_int_equal(wt_tap_next(diagram[i].from, true), diagram[i].at_1);
    }
}

static void five_ones_reset_from_anywhere(void **state)
{
    for (size_t i = 0; i < COUNT(diagram); i++) {
        enum wt_tap_state s = diagram[i].from;
        for (int k = 0; k < WT_TAP_RESET_CLOCKS; k++)
            s = wt_tap_next(s, true);
        assert_int_equal(s, WT_TAP_RESET);
    }
    /* …and four do not, from the state that is farthest. */
    enum wt_tap_state s = WT_TAP_SHIFT_IR;
    for (int k = 0; k < WT_TAP_RESET_CLOCKS - 1; k++)
        s = wt_tap_next(s, true);
    assert_int_not_equal(s, WT_TAP_RESET);
}

static void ways_lead_where_they_should_and_are_short(void **state)
{
    unsigned longest = 0;
    for (size_t from = 0; from < WT_TAP_STATES; from++) {
        for (size_t to = 0; to < WT_TAP_STATES; to++) {
            uint32_t tms;
            unsigned length = wt_tap_path((enum wt_tap_state)from, (enum wt_tap_state)to, &tms);
            enum wt_tap_state s = (enum wt_tap_state)from;
            for (unsigned i = 0; i < length; i++)
                s = wt_tap_next(s, tms >> i & 1);
            assert_int_equal(s, to);
            assert_true(from != to || length == 0);
            if (length > longest)
                longest = length;
        }
    }
    assert_int_equal(longest, 8);
    uint32_t tms;
    assert_int_equal(wt_tap_path(WT_TAP_UPDATE_DR, WT_TAP_SHIFT_DR, &tms), 3);
    assert_int_equal(tms, 1); /* Select, Capture, Shift */
}

/* ---- a DTM in front of 16 registers that count what is done to them ---- */

struct rig {
    struct wt_dtm dtm;
    struct wt_scan scan;
    uint32_t reg[256];
    unsigned reads, writes;
    uint8_t tdo[4096];
    size_t replies;
};

static uint32_t read_reg(void *context, uint32_t addr)
{
    struct rig *r = context;
    r->reads++;
    return r->reg[addr % COUNT(r->reg)];
}

static void write_reg(void *context, uint32_t addr, uint32_t value)
{
    struct rig *r = context;
    r->writes++;
    r->reg[addr % COUNT(r->reg)] = value;
}

static struct rig *rig_with(const struct wt_dtm_config *config)
{
    struct rig *r = calloc(1, sizeof *r);
    const struct wt_bus_device device = {.context = r, .read = read_reg, .write = write_reg};
    wt_dtm_init(&r->dtm, config, &device);
    for (unsigned i = 0; i < COUNT(r->reg); i++)
        r->reg[i] = 0x11111111u * (i & 15);
    return r;
}

static struct rig *rig_new(unsigned cycles)
{
    struct wt_dtm_config config = wt_dtm_default_config(cycles);
    return rig_with(&config);
}

static void rig_free(struct rig *r)
{
    wt_scan_free(&r->scan);
    free(r);
}

/* Sends what the scan has; the replies are bits in r->tdo. */
static void send(struct rig *r)
{
    bool quit;
    wt_scan_end(&r->scan);
    size_t taken = wt_bitbang_take(&r->dtm, r->scan.out, r->scan.length, r->tdo, sizeof r->tdo,
                                   &r->replies, &quit);
    assert_int_equal(taken, r->scan.length);
    assert_int_equal(r->replies, r->scan.reads);
    assert_false(quit);
    /* Both ends agree on where the TAP is. */
    assert_int_equal(r->dtm.state, r->scan.state);
    wt_scan_clear(&r->scan);
    for (size_t i = 0; i < r->replies; i++) {
        assert_in_range(r->tdo[i], '0', '1');
        r->tdo[i] -= '0';
    }
}

static uint64_t reply(const struct rig *r)
{
    uint64_t value = 0;
    for (size_t i = 0; i < r->replies; i++)
        value |= (uint64_t)r->tdo[i] << i;
    return value;
}

static uint64_t scan(struct rig *r, enum wt_tap_state shift, uint64_t tdi, unsigned bits)
{
    wt_scan_go(&r->scan, shift);
    wt_scan_shift(&r->scan, tdi, bits, UINT64_MAX, true);
    wt_scan_go(&r->scan, shift == WT_TAP_SHIFT_IR ? WT_TAP_UPDATE_IR : WT_TAP_UPDATE_DR);
    send(r);
    return reply(r);
}

static uint64_t irscan(struct rig *r, unsigned ir)
{
    return scan(r, WT_TAP_SHIFT_IR, ir, WT_DTM_IR_BITS);
}

static uint64_t drscan(struct rig *r, uint64_t tdi, unsigned bits)
{
    return scan(r, WT_TAP_SHIFT_DR, tdi, bits);
}

static void idle(struct rig *r, unsigned clocks)
{
    wt_scan_idle(&r->scan, clocks);
    send(r);
}

struct dmi {
    uint32_t address, data;
    unsigned op;
};

static struct dmi dmi(struct rig *r, unsigned op, uint32_t address, uint32_t data)
{
    uint64_t out = drscan(r, (uint64_t)address << 34 | (uint64_t)data << 2 | op, 34 + 7);
    return (struct dmi){(uint32_t)(out >> 34), (uint32_t)(out >> 2), out & 3};
}

static unsigned dmistat(struct rig *r, uint32_t write)
{
    irscan(r, WT_DTM_DTMCS);
    unsigned stat = drscan(r, write, 32) >> 10 & 3;
    irscan(r, WT_DTM_DMI);
    return stat;
}

static void after_reset_the_data_register_is_idcode(void **state)
{
    struct rig *r = rig_new(0);
    assert_int_equal(drscan(r, 0, 32), WT_DTM_DEFAULT_IDCODE);
    /* IEEE 1149.1: bit 0 is 1, and 0x7f is not a manufacturer. */
    assert_int_equal(WT_DTM_DEFAULT_IDCODE & 1, 1);
    assert_int_not_equal(WT_DTM_DEFAULT_IDCODE >> 1 & 0x7f, 0x7f);
    irscan(r, WT_DTM_DTMCS);
    assert_int_not_equal(drscan(r, 0, 32), WT_DTM_DEFAULT_IDCODE);
    wt_scan_reset(&r->scan);
    send(r);
    assert_int_equal(drscan(r, 0, 32), WT_DTM_DEFAULT_IDCODE);
    /* The other way to reset. */
    irscan(r, WT_DTM_DTMCS);
    wt_dtm_trst(&r->dtm, true);
    wt_dtm_pins(&r->dtm, true, false, false); /* clocks do nothing while TRST is asserted */
    wt_dtm_pins(&r->dtm, false, false, false);
    assert_int_equal(r->dtm.state, WT_TAP_RESET);
    wt_dtm_trst(&r->dtm, false);
    r->scan.state = WT_TAP_RESET;
    assert_int_equal(drscan(r, 0, 32), WT_DTM_DEFAULT_IDCODE);
    rig_free(r);
}

static void the_instruction_register_has_five_bits_and_captures_01(void **state)
{
    struct rig *r = rig_new(0);
    /* What goes in comes out five clocks later. */
    assert_int_equal(scan(r, WT_TAP_SHIFT_IR, 0x2b5, 10), (0x2b5 << 5 | 1) & 0x3ff);
    rig_free(r);
}

static void every_other_instruction_is_bypass(void **state)
{
    for (unsigned ir = 0; ir < 32; ir++) {
        struct rig *r = rig_new(0);
        if (ir == WT_DTM_IDCODE || ir == WT_DTM_DTMCS || ir == WT_DTM_DMI) {
            rig_free(r);
            continue;
        }
        irscan(r, ir);
        assert_int_equal(drscan(r, 0x5a5b, 17), 0x5a5b << 1 & 0x1ffff);
        assert_int_equal(r->reads + r->writes, 0);
        rig_free(r);
    }
}

static void dtmcs_tells_version_width_and_wait(void **state)
{
    struct wt_dtm_config config = {.idcode = 0x1001, .abits = 9, .idle = 5, .cycles = 0};
    struct rig *r = rig_with(&config);
    assert_int_equal(drscan(r, 0, 32), 0x1001);
    irscan(r, WT_DTM_DTMCS);
    assert_int_equal(drscan(r, 0, 32), 5 << 12 | 9 << 4 | 1);
    irscan(r, WT_DTM_DMI);
    uint64_t read_100 = (uint64_t)0x100 << 34 | WT_DMI_READ;
    drscan(r, read_100, 34 + 9);
    assert_int_equal(r->reads, 1);
    /* A pattern comes out after the register's 43 bits. */
    assert_int_equal(drscan(r, 0x2d, 34 + 9 + 6) >> 43, 0x2d);
    rig_free(r);
}

static void an_access_shows_in_the_next_scan(void **state)
{
    struct rig *r = rig_new(0);
    irscan(r, WT_DTM_DMI);
    assert_int_equal(dmi(r, WT_DMI_WRITE, 3, 0xdeadbeef).op, WT_DMI_OK);
    assert_int_equal(r->reg[3], 0xdeadbeef);
    assert_int_equal(dmi(r, WT_DMI_READ, 3, 0).op, WT_DMI_OK);
    struct dmi d = dmi(r, WT_DMI_READ, 5, 0);
    assert_int_equal(d.op, WT_DMI_OK);
    assert_int_equal(d.data, 0xdeadbeef);
    assert_int_equal(d.address, 3);
    d = dmi(r, WT_DMI_NOP, 9, 0x1234);
    assert_int_equal(d.data, 0x55555555);
    /* A nop touches nothing, and the result stays to be seen. */
    d = dmi(r, WT_DMI_NOP, 0, 0);
    assert_int_equal(d.data, 0x55555555);
    assert_int_equal(r->reads, 2);
    assert_int_equal(r->writes, 1);
    rig_free(r);
}

static void nothing_happens_before_update(void **state)
{
    struct rig *r = rig_new(0);
    irscan(r, WT_DTM_DMI);
    wt_scan_go(&r->scan, WT_TAP_SHIFT_DR);
    wt_scan_shift(&r->scan, (uint64_t)4 << 34 | 7 << 2 | WT_DMI_WRITE, 41, 0, true);
    wt_scan_go(&r->scan, WT_TAP_PAUSE_DR);
    send(r);
    assert_int_equal(r->writes, 0);
    /* The rising edge into Update-DR is not enough; the falling one in it is what counts. */
    wt_dtm_pins(&r->dtm, true, true, false);
    wt_dtm_pins(&r->dtm, false, true, false);
    wt_dtm_pins(&r->dtm, true, true, false);
    assert_int_equal(r->dtm.state, WT_TAP_UPDATE_DR);
    assert_int_equal(r->writes, 0);
    wt_dtm_pins(&r->dtm, false, true, false);
    assert_int_equal(r->writes, 1);
    assert_int_equal(r->reg[4], 7);
    rig_free(r);
}

/* "The data scanned into dmi in this access will be ignored. This status is sticky." */
static void busy_is_sticky_and_what_follows_is_not_done(void **state)
{
    struct rig *r = rig_new(10);
    irscan(r, WT_DTM_DMI);
    dmi(r, WT_DMI_WRITE, 1, 0xaaaa);
    assert_int_equal(dmi(r, WT_DMI_WRITE, 2, 0xbbbb).op, WT_DMI_BUSY); /* 3 clocks: too early */
    idle(r, 100);
    assert_int_equal(dmi(r, WT_DMI_WRITE, 3, 0xcccc).op, WT_DMI_BUSY); /* sticky, though done */
    assert_int_equal(r->reg[1], 0xaaaa);
    assert_int_equal(r->writes, 1);
    assert_int_equal(dmistat(r, 0), WT_DMI_BUSY);
    assert_int_equal(dmistat(r, WT_DTM_DMIRESET), WT_DMI_BUSY); /* captured before it is cleared */
    assert_int_equal(dmistat(r, 0), WT_DMI_OK);
    assert_int_equal(dmi(r, WT_DMI_WRITE, 4, 0xdddd).op, WT_DMI_OK);
    idle(r, 100);
    assert_int_equal(r->reg[4], 0xdddd);
    rig_free(r);
}

static void dmireset_lets_the_access_complete(void **state)
{
    struct rig *r = rig_new(1000);
    irscan(r, WT_DTM_DMI);
    dmi(r, WT_DMI_READ, 6, 0);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_BUSY);
    assert_int_equal(r->reads, 0);
    dmistat(r, WT_DTM_DMIRESET);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_BUSY); /* still in progress */
    dmistat(r, WT_DTM_DMIRESET);
    idle(r, 1000);
    struct dmi d = dmi(r, WT_DMI_NOP, 0, 0);
    assert_int_equal(d.op, WT_DMI_OK);
    assert_int_equal(d.data, 0x66666666);
    assert_int_equal(r->reads, 1);
    rig_free(r);
}

/* dmihardreset: "causing the DTM to forget about any outstanding DMI transactions" */
static void dmihardreset_forgets_the_access(void **state)
{
    struct rig *r = rig_new(1000);
    irscan(r, WT_DTM_DMI);
    dmi(r, WT_DMI_WRITE, 6, 1);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_BUSY);
    dmistat(r, WT_DTM_DMIHARDRESET);
    idle(r, 3000);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_OK);
    assert_int_equal(r->writes, 0);
    rig_free(r);
}

/* dtmcs.idle is "how many cycles to spend in Run-Test/Idle after every DMI scan": it is enough. */
static void the_wait_that_is_told_is_enough_and_no_less_is(void **state)
{
    for (unsigned cycles = 0; cycles <= 10; cycles++) {
        struct rig *r = rig_new(cycles);
        unsigned told = r->dtm.config.idle;
        assert_in_range(told, 0, 7);
        irscan(r, WT_DTM_DMI);
        for (unsigned i = 0; i < 20; i++) {
            assert_int_equal(dmi(r, i & 1 ? WT_DMI_READ : WT_DMI_WRITE, i & 15, i).op, WT_DMI_OK);
            idle(r, told);
        }
        if (told) {
            dmi(r, WT_DMI_READ, 0, 0);
            idle(r, told - 1);
            assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_BUSY);
        }
        rig_free(r);
    }
}

static void failure_is_sticky_until_dmireset(void **state)
{
    struct wt_dtm_config config = wt_dtm_default_config(0);
    config.addresses = 13;
    struct rig *r = rig_with(&config);
    irscan(r, WT_DTM_DMI);
    dmi(r, WT_DMI_READ, 13, 0);
    assert_int_equal(dmi(r, WT_DMI_WRITE, 1, 5).op, WT_DMI_FAILED);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_FAILED);
    assert_int_equal(r->reads + r->writes, 0);
    assert_int_equal(dmistat(r, WT_DTM_DMIRESET), WT_DMI_FAILED);
    assert_int_equal(dmi(r, WT_DMI_READ, 12, 0).op, WT_DMI_OK);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).data, 0xcccccccc);
    /* The reserved operation */
    dmi(r, 3, 1, 1);
    assert_int_equal(dmi(r, WT_DMI_NOP, 0, 0).op, WT_DMI_FAILED);
    rig_free(r);
}

static void tap_reset_leaves_the_dmi_as_it_is(void **state)
{
    struct rig *r = rig_new(10);
    irscan(r, WT_DTM_DMI);
    dmi(r, WT_DMI_READ, 7, 0);
    wt_scan_reset(&r->scan);
    send(r);
    assert_int_equal(r->reads, 0);
    irscan(r, WT_DTM_DMI); /* over 10 clocks by now */
    struct dmi d = dmi(r, WT_DMI_NOP, 0, 0);
    assert_int_equal(d.op, WT_DMI_OK);
    assert_int_equal(d.data, 0x77777777);
    rig_free(r);
}

static void a_pulled_cable_leaves_a_fresh_tap(void **state)
{
    struct rig *r = rig_new(50);
    irscan(r, WT_DTM_DMI);
    dmi(r, WT_DMI_WRITE, 7, 0x1234);
    dmi(r, WT_DMI_WRITE, 8, 0x1234);
    wt_dtm_unplug(&r->dtm);
    assert_int_equal(r->reg[7], 0x1234); /* it was on its way */
    assert_int_equal(r->writes, 1);
    r->scan.state = WT_TAP_RESET;
    assert_int_equal(drscan(r, 0, 32), WT_DTM_DEFAULT_IDCODE);
    assert_int_equal(dmistat(r, 0), WT_DMI_OK);
    rig_free(r);
}

/* ---- the stream ---- */

static size_t take(struct rig *r, const char *text, char *out, size_t room, size_t *replies,
                   bool *quit)
{
    return wt_bitbang_take(&r->dtm, (const uint8_t *)text, strlen(text), (uint8_t *)out, room,
                           replies, quit);
}

static void characters_without_a_meaning_are_ignored(void **state)
{
    struct rig *r = rig_new(0);
    char out[64];
    size_t replies;
    bool quit;
    for (int c = 1; c < 256; c++) {
        char text[] = {(char)c, 0};
        struct wt_dtm before = r->dtm;
        take(r, text, out, sizeof out, &replies, &quit);
        assert_int_equal(replies, c == 'R');
        assert_int_equal(quit, c == 'Q');
        if (!strchr("01234567tu", c))
            assert_memory_equal(&before, &r->dtm, sizeof before);
        wt_dtm_trst(&r->dtm, false);
        wt_dtm_unplug(&r->dtm);
    }
    rig_free(r);
}

static void a_reply_without_room_waits(void **state)
{
    struct rig *r = rig_new(0);
    char out[2];
    size_t replies;
    bool quit;
    const char *text = "RbRBRR4";
    assert_int_equal(take(r, text, out, 2, &replies, &quit), 4); /* up to the third R */
    assert_int_equal(replies, 2);
    assert_int_equal(take(r, text + 4, out, 2, &replies, &quit), 3);
    assert_int_equal(replies, 2);
    assert_int_equal(take(r, "R", out, 0, &replies, &quit), 0);
    /* Nothing after a goodbye is taken. */
    assert_int_equal(take(r, "BQ0R", out, 2, &replies, &quit), 2);
    assert_true(quit);
    assert_int_equal(replies, 0);
    rig_free(r);
}

static bool admit(struct wt_bitbang_gate *gate, const char *text)
{
    return wt_bitbang_admit(gate, (const uint8_t *)text, strlen(text));
}

/* A browser's method may be made of commands, and may come in pieces; what is behind it is not. */
static void nothing_is_done_before_a_debugger_waits(void **state)
{
    struct wt_bitbang_gate gate = {.length = 0};
    char method[2000];
    memset(method, '0', sizeof method);
    method[sizeof method - 1] = 0;
    assert_false(admit(&gate, "rr0123\n"));
    assert_false(gate.begun || gate.foreign);
    assert_true(admit(&gate, "4R"));
    assert_memory_equal(gate.held, "rr0123\n4R", 9);

    gate = (struct wt_bitbang_gate){.length = 0};
    assert_false(admit(&gate, method));
    assert_false(admit(&gate, "R / HTTP/1.1\r\n"));
    assert_true(gate.foreign && !gate.begun);

    gate = (struct wt_bitbang_gate){.length = 0};
    unsigned pieces = 0;
    for (; !gate.foreign && pieces < 20; pieces++)
        assert_false(admit(&gate, method));
    assert_int_equal(pieces, WT_BITBANG_FIRST / (sizeof method - 1) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tap_moves_as_in_the_diagram),
        cmocka_unit_test(five_ones_reset_from_anywhere),
        cmocka_unit_test(ways_lead_where_they_should_and_are_short),
        cmocka_unit_test(after_reset_the_data_register_is_idcode),
        cmocka_unit_test(the_instruction_register_has_five_bits_and_captures_01),
        cmocka_unit_test(every_other_instruction_is_bypass),
        cmocka_unit_test(dtmcs_tells_version_width_and_wait),
        cmocka_unit_test(an_access_shows_in_the_next_scan),
        cmocka_unit_test(nothing_happens_before_update),
        cmocka_unit_test(busy_is_sticky_and_what_follows_is_not_done),
        cmocka_unit_test(dmireset_lets_the_access_complete),
        cmocka_unit_test(dmihardreset_forgets_the_access),
        cmocka_unit_test(the_wait_that_is_told_is_enough_and_no_less_is),
        cmocka_unit_test(failure_is_sticky_until_dmireset),
        cmocka_unit_test(tap_reset_leaves_the_dmi_as_it_is),
        cmocka_unit_test(a_pulled_cable_leaves_a_fresh_tap),
        cmocka_unit_test(characters_without_a_meaning_are_ignored),
        cmocka_unit_test(a_reply_without_room_waits),
        cmocka_unit_test(nothing_is_done_before_a_debugger_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
