/*
 * The Debug Module against the VxDebug specification, section by section: each test says which
 * sentence it holds the emulator to. Programs are a few hand-assembled words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/fault.h"
#include "base/wave_view.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/run.h"
#include "emulator/vortex/vortex.h"
#include "wait.h"

#define BASE 0x80000000u

/* Instructions, by the RISC-V manual's formats; register numbers as in the ABI table. */
enum { T0 = 5, T1 = 6, T2 = 7, A0 = 10 };
static uint32_t addi(unsigned rd, unsigned rs1, int imm)
{
    return 0x13u | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}
static uint32_t lui(unsigned rd, uint32_t imm)
{
    return 0x37u | rd << 7 | imm << 12;
}
static uint32_t csrr(unsigned rd, unsigned csr)
{
    return 0x2073u | rd << 7 | csr << 20;
}
static uint32_t csrw(unsigned csr, unsigned rs1)
{
    return 0x1073u | rs1 << 15 | csr << 20;
}
static uint32_t jal(unsigned rd, int imm)
{
    const uint32_t i = (uint32_t)imm;
    return 0x6fu | rd << 7 | wt_field(i, 19, 12) << 12 | wt_field(i, 11, 11) << 20 |
           wt_field(i, 10, 1) << 21 | wt_field(i, 20, 20) << 31;
}
static uint32_t lw(unsigned rd, unsigned rs1, int imm)
{
    return 0x2003u | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}
static uint32_t sw(unsigned rs2, unsigned rs1)
{
    return 0x2023u | rs2 << 20 | rs1 << 15;
}
static uint32_t tmc(unsigned rs1)
{
    return 0x0bu | rs1 << 15;
}
static uint32_t wspawn(unsigned rs1, unsigned rs2)
{
    return 0x100bu | rs1 << 15 | rs2 << 20;
}
static uint32_t bar(unsigned rs1, unsigned rs2)
{
    return 0x400bu | rs1 << 15 | rs2 << 20;
}
#define EBREAK 0x00100073u

/* DCTRL's bits. */
#define DMACTIVE (1u << 31)
#define NDMRESET (1u << 30)
#define ALLHALTED (1u << 29)
#define ANYHALTED (1u << 28)
#define ALLRUNNING (1u << 27)
#define ANYRUNNING (1u << 26)
#define ALLUNAVAIL (1u << 25)
#define ANYUNAVAIL (1u << 24)
#define INJECTREQ (1u << 6)
#define STEPREQ (1u << 3)
#define RESETHALTREQ (1u << 2)
#define RESUMEREQ (1u << 1)
#define HALTREQ (1u << 0)

enum { NONE, CAUSE_EBREAK, CAUSE_HALTREQ, CAUSE_STEP, CAUSE_RESETHALTREQ };

static struct vx_device *d;

static void start(const char *gpu, const uint32_t *program, size_t words)
{
    struct vx_config config;
    struct wt_error err;
    vx_config_default(&config);
    wt_schedule_parse("rr:1", &config.schedule, WT_IGNORED);
    if (wt_config_parse(&vx_config_table, &config, gpu, &err))
        fail_msg("%s", err.text);
    assert_int_equal(vx_device_new(&config, &d, &err), WT_OK);
    struct wt_segment segment = {.addr = BASE,
                                 .size = words * 4,
                                 .bytes = (uint8_t *)(uintptr_t)program,
                                 .length = words * 4,
                                 .executable = true};
    const struct wt_image image = {.format = WT_IMAGE_RAW, .segment = &segment, .segments = 1};
    assert_int_equal(vx_device_load(d, &image, &err), WT_OK);
}
#define START(gpu, ...)                                                                            \
    const uint32_t program_[] = {__VA_ARGS__};                                                     \
    start(gpu, program_, sizeof program_ / sizeof program_[0])

static int stop(void **state)
{
    vx_device_free(d);
    d = NULL;
    return 0;
}

static uint32_t rd(unsigned addr)
{
    return vx_dm_read(d, addr);
}
static void wr(unsigned addr, uint32_t value)
{
    vx_dm_write(d, addr, value);
}
static void wake(void)
{
    wr(VX_DM_DCTRL, DMACTIVE);
}
static void request(uint32_t bits)
{
    wr(VX_DM_DCTRL, DMACTIVE | bits);
}
static void select_lane(unsigned warp, unsigned thread)
{
    wr(VX_DM_DSELECT, (rd(VX_DM_DSELECT) & 0xffc00000) | warp << 7 | thread);
}
static void select_window(unsigned window)
{
    wr(VX_DM_DSELECT, (rd(VX_DM_DSELECT) & 0x003fffff) | window << 22);
}
static unsigned hacause(void)
{
    return wt_field(rd(VX_DM_DCTRL), 11, 9);
}
static void inject(uint32_t instruction)
{
    wr(VX_DM_INJECT, instruction);
    request(INJECTREQ);
}
static uint32_t read_x(unsigned warp, unsigned thread, unsigned r)
{
    select_lane(warp, thread);
    inject(csrw(0x7b2, r));
    return rd(VX_DM_DSCRATCH0);
}
static void write_x(unsigned warp, unsigned thread, unsigned r, uint32_t value)
{
    select_lane(warp, thread);
    wr(VX_DM_DSCRATCH0, value);
    inject(csrr(r, 0x7b2));
}
static enum wt_run run(uint64_t issues)
{
    struct wt_machine *m = vx_machine(d);
    return m->ops->run(m, issues);
}
/* A loop that counts in t0, for ever. */
#define COUNT addi(T0, T0, 1), jal(0, -4)

/* ---- 0x0 PLATFORM ---- */

static void platform_describes_the_shape(void **state)
{
    START("clusters=2,cores=3,warps=5,threads=8", COUNT);
    wake();
    const uint32_t p = rd(VX_DM_PLATFORM);
    assert_int_equal(wt_field(p, 31, 28), 1); /* platformid of Vortex */
    assert_int_equal(wt_field(p, 27, 21), 2); /* numclusters */
    assert_int_equal(wt_field(p, 20, 12), 3); /* numcores of a cluster */
    assert_int_equal(wt_field(p, 11, 3), 5);  /* numwarps of a core */
    assert_int_equal(wt_field(p, 2, 0), 3);   /* log2 of threads a warp */
    wr(VX_DM_PLATFORM, 0);
    assert_int_equal(rd(VX_DM_PLATFORM), p); /* R */
}

static void the_largest_shapes_can_be_described(void **state)
{
    START("clusters=64,cores=1,warps=511,threads=128", COUNT);
    wake();
    const uint32_t p = rd(VX_DM_PLATFORM);
    assert_int_equal(wt_field(p, 27, 21), 64);
    assert_int_equal(wt_field(p, 11, 3), 511);
    assert_int_equal(wt_field(p, 2, 0), 7);
    /* "Upto 32k total warps": the last window of the arrays. */
    select_window(64 * 511 / 32 - 1);
    wr(VX_DM_WMASK, 0xffffffff);
    assert_int_equal(rd(VX_DM_WMASK), 0xffffffff);
    request(HALTREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 0xffffffff);
    select_lane(64 * 511 - 1, 127);
    wr(VX_DM_DSCRATCH0, 77);
    assert_int_equal(rd(VX_DM_DSCRATCH0), 77);
}

static void one_thread_a_warp_is_log2_zero(void **state)
{
    START("threads=1,warps=1", COUNT);
    wake();
    assert_int_equal(wt_field(rd(VX_DM_PLATFORM), 2, 0), 0);
}

/* ---- 0x1 DCONFIG ---- */

static void dconfig_fields_are_rw_and_the_rest_reserved(void **state)
{
    START("warps=1", COUNT);
    wake();
    wr(VX_DM_DCONFIG, 0xffffffff);
    assert_int_equal(rd(VX_DM_DCONFIG), 0xfc000001);
    wr(VX_DM_DCONFIG, 0);
    assert_int_equal(rd(VX_DM_DCONFIG), 0);
    wr(VX_DM_DCONFIG, 5u << 29 | 3u << 26 | 1);
    assert_int_equal(rd(VX_DM_DCONFIG), 5u << 29 | 3u << 26 | 1);
}

static void ndmreset_lasts_two_to_the_nrc_cycles(void **state)
{
    for (unsigned nrc = 0; nrc < 8; nrc++) {
        /* One core cycle between two accesses makes the reset visible. */
        START("warps=1,dm-clock=1", COUNT);
        wake();
        wr(VX_DM_DCONFIG, nrc << 29);
        request(NDMRESET);
        unsigned cycles = 0;
        while (rd(VX_DM_DCTRL) & NDMRESET)
            cycles++;
        assert_int_equal(cycles, 1u << nrc);
        stop(NULL);
    }
}

static void ebreak_halts_only_with_eh(void **state)
{
    START("warps=1,threads=1", addi(A0, 0, 1), EBREAK, addi(A0, A0, 1), tmc(0));
    wake();
    wr(VX_DM_DCONFIG, 0);
    assert_int_equal(run(100), WT_RUN_ENDED); /* without EH an ebreak stops the core (SimX) */
    assert_int_equal(rd(VX_DM_WSTATUS), 0);
    stop(NULL);
    start("warps=1,threads=1", program_, 4);
    wake();
    wr(VX_DM_DCONFIG, 1);
    assert_int_equal(run(100), WT_RUN_EVENT);
    assert_int_equal(rd(VX_DM_WSTATUS), 1);
    assert_int_equal(hacause(), CAUSE_EBREAK);
    assert_int_equal(rd(VX_DM_DPC), BASE + 4); /* at the ebreak */
    assert_int_equal(read_x(0, 0, A0), 1);
}

static void a_compressed_ebreak_halts_too(void **state)
{
    START("warps=1,threads=1", 0x00019002 /* c.ebreak; c.nop */, tmc(0));
    wake();
    wr(VX_DM_DCONFIG, 1);
    assert_int_equal(run(100), WT_RUN_EVENT);
    assert_int_equal(hacause(), CAUSE_EBREAK);
    assert_int_equal(rd(VX_DM_DPC), BASE);
}

static void dpc_may_follow_the_convention_of_the_rtl(void **state)
{
    START("warps=1,threads=1,ebreak-pc=after", addi(A0, 0, 1), EBREAK, tmc(0));
    wake();
    wr(VX_DM_DCONFIG, 1);
    assert_int_equal(run(100), WT_RUN_EVENT);
    assert_int_equal(rd(VX_DM_DPC), BASE + 8);
}

/* ---- 0x2 DSELECT, 0x3 WMASK, 0x4 WACTIVE, 0x5 WSTATUS ---- */

static void dselect_keeps_all_its_fields(void **state)
{
    START("", COUNT);
    wake();
    wr(VX_DM_DSELECT, 0xffffffff);
    assert_int_equal(rd(VX_DM_DSELECT), 0xffffffff);
    wr(VX_DM_DSELECT, 0x12345678);
    assert_int_equal(rd(VX_DM_DSELECT), 0x12345678);
}

static void wmask_has_a_window_of_32_warps_each(void **state)
{
    START("cores=10,warps=4", COUNT);
    wake();
    select_window(0);
    wr(VX_DM_WMASK, 0x11111111);
    select_window(1);
    wr(VX_DM_WMASK, 0xffffffff); /* 40 warps: only 8 exist in this window */
    assert_int_equal(rd(VX_DM_WMASK), 0xff);
    select_window(0);
    assert_int_equal(rd(VX_DM_WMASK), 0x11111111);
    select_window(2);
    wr(VX_DM_WMASK, 0xffffffff);
    assert_int_equal(rd(VX_DM_WMASK), 0);
}

static void wactive_shows_active_warps(void **state)
{
    START("cores=2,warps=4", COUNT);
    wake();
    assert_int_equal(rd(VX_DM_WACTIVE), 0x11); /* warp 0 of each core after reset */
    wr(VX_DM_WACTIVE, 0xffffffff);
    wr(VX_DM_WSTATUS, 0xffffffff);
    assert_int_equal(rd(VX_DM_WACTIVE), 0x11); /* R */
    assert_int_equal(rd(VX_DM_WSTATUS), 0);    /* R */
}

static void halt_and_resume_touch_selected_warps_only(void **state)
{
    START("cores=3,warps=2", COUNT);
    wake();
    wr(VX_DM_WMASK, 1u << 2); /* core 1, warp 0 */
    request(HALTREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 1u << 2);
    run(300);
    assert_int_equal(read_x(2, 0, T0), 0);
    assert_true(read_x(0, 0, T0) > 10);
    assert_true(read_x(4, 0, T0) > 10);
    wr(VX_DM_WMASK, 1u << 0);
    request(HALTREQ); /* what was halted before stays so */
    assert_int_equal(rd(VX_DM_WSTATUS), 1u << 2 | 1u << 0);
    wr(VX_DM_WMASK, 1u << 2);
    request(RESUMEREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 1u << 0);
    run(100);
    assert_true(read_x(2, 0, T0) > 10);
}

/* ---- 0x6 DCTRL ---- */

static void dmactive_zero_resets_the_registers(void **state)
{
    START("", COUNT);
    wake();
    wr(VX_DM_DCONFIG, 1);
    wr(VX_DM_DSELECT, 0x85);
    wr(VX_DM_WMASK, 0xf);
    wr(VX_DM_INJECT, EBREAK);
    wr(VX_DM_DSELECT, 0x81);
    wr(VX_DM_DSCRATCH3, 0x1234);
    assert_int_equal(rd(VX_DM_DSCRATCH3), 0x1234);
    wr(VX_DM_DSELECT, 0x85);
    wr(VX_DM_DCTRL, 0);
    assert_int_equal(rd(VX_DM_DCTRL) >> 31, 0);
    assert_int_equal(rd(VX_DM_DSELECT), 0);
    assert_int_equal(rd(VX_DM_WMASK), 0);
    assert_int_equal(rd(VX_DM_INJECT), 0);
    assert_int_equal(rd(VX_DM_DCONFIG) & 1, 0);
    wr(VX_DM_DSELECT, 0x85); /* asleep, it takes nothing but dmactive */
    assert_int_equal(rd(VX_DM_DSELECT), 0);
    wr(VX_DM_DCTRL, DMACTIVE);
    wr(VX_DM_DSELECT, 0x81);
    assert_int_equal(rd(VX_DM_DSCRATCH3), 0);
}

static void the_write_that_wakes_does_nothing_else(void **state)
{
    START("warps=1", COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    wr(VX_DM_DCTRL, 0);
    wr(VX_DM_DCTRL, DMACTIVE | HALTREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 0);
    assert_true(rd(VX_DM_DCTRL) & DMACTIVE);
}

static void summary_bits_cover_halted_or_active_warps(void **state)
{
    const uint32_t summary =
        ALLHALTED | ANYHALTED | ALLRUNNING | ANYRUNNING | ALLUNAVAIL | ANYUNAVAIL;
    START("cores=2,warps=2", COUNT);
    wake();
    /* Two running, two unavailable. */
    assert_int_equal(rd(VX_DM_DCTRL) & summary, ALLRUNNING | ANYRUNNING | ANYUNAVAIL);
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    assert_int_equal(rd(VX_DM_DCTRL) & summary, ANYHALTED | ANYRUNNING | ANYUNAVAIL);
    wr(VX_DM_WMASK, 5);
    request(HALTREQ);
    assert_int_equal(rd(VX_DM_DCTRL) & summary, ALLHALTED | ANYHALTED | ANYUNAVAIL);
    wr(VX_DM_WMASK, 0xf); /* a halt bit makes an inactive warp halted */
    request(HALTREQ);
    assert_int_equal(rd(VX_DM_DCTRL) & summary, ALLHALTED | ANYHALTED);
    assert_int_equal(rd(VX_DM_WSTATUS), 0xf);
}

static void summary_bits_read_zero_when_no_warp_is_there(void **state)
{
    START("warps=2", tmc(0));
    wake();
    assert_int_equal(run(10), WT_RUN_ENDED);
    assert_int_equal(rd(VX_DM_DCTRL), DMACTIVE | ALLUNAVAIL | ANYUNAVAIL);
}

static void request_bits_read_zero_and_may_be_written_back(void **state)
{
    START("warps=1", COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    const uint32_t value = rd(VX_DM_DCTRL);
    assert_int_equal(value & (HALTREQ | RESUMEREQ | RESETHALTREQ | STEPREQ | INJECTREQ), 0);
    /* Clients read, change one field and write the whole register back. */
    wr(VX_DM_DCTRL, value);
    assert_int_equal(rd(VX_DM_DCTRL), value);
    wr(VX_DM_DCTRL, value ^ (ALLHALTED | ALLRUNNING | 0x7u << 9));
    assert_int_equal(rd(VX_DM_DCTRL), value);
}

static void hacause_is_of_the_selected_warp(void **state)
{
    START("cores=2,warps=1", COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    select_lane(0, 0);
    assert_int_equal(hacause(), CAUSE_HALTREQ);
    select_lane(1, 0);
    assert_int_equal(hacause(), NONE);
    select_lane(0, 0);
    request(RESUMEREQ);
    assert_int_equal(hacause(), NONE);
}

static void a_step_issues_one_instruction_of_the_selected_warp(void **state)
{
    START("cores=2,warps=1", addi(T0, T0, 1), addi(T0, T0, 1), addi(T0, T0, 1), tmc(0));
    wake();
    wr(VX_DM_WMASK, 3);
    request(HALTREQ);
    select_lane(1, 0);
    request(STEPREQ);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 0); /* stepstate NONE */
    assert_int_equal(hacause(), CAUSE_STEP);
    assert_int_equal(rd(VX_DM_DPC), BASE + 4);
    assert_int_equal(read_x(1, 0, T0), 1);
    assert_int_equal(rd(VX_DM_WSTATUS), 3);
    select_lane(0, 0);
    assert_int_equal(rd(VX_DM_DPC), BASE);
    assert_int_equal(vx_machine(d)->time, 1);
}

static void step_and_inject_states_run_req_inflight_none(void **state)
{
    START("warps=1,dm-clock=1", addi(T0, T0, 1), addi(T0, T0, 1), tmc(0));
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    request(STEPREQ);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 1); /* REQ */
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 2); /* INFLIGHT */
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 0); /* NONE */
    assert_int_equal(rd(VX_DM_DPC), BASE + 4);
    wr(VX_DM_INJECT, csrw(0x7b2, T0));
    request(INJECTREQ);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 8, 7), 1);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 8, 7), 2);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 8, 7), 0);
    assert_int_equal(rd(VX_DM_DSCRATCH0), 1);
}

static void a_step_of_a_waiting_warp_stays_requested(void **state)
{
    /* Two cores; each warp 0 waits at global barrier 0 for both. */
    START("cores=2,warps=1", lui(T0, 0x80000), addi(T1, 0, 2), bar(T0, T1), addi(T2, T2, 1), COUNT);
    wake();
    wr(VX_DM_WMASK, 3);
    request(HALTREQ);
    select_lane(0, 0);
    for (int i = 0; i < 3; i++)
        request(STEPREQ);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 0); /* the BAR itself has issued */
    request(STEPREQ);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 1); /* but nothing after it can */
    assert_int_equal(rd(VX_DM_WSTATUS), 2);
    wr(VX_DM_WMASK, 2);
    request(RESUMEREQ); /* the other core arrives, the barrier opens */
    UNTIL(!wt_field(rd(VX_DM_DCTRL), 5, 4), assert_int_not_equal(run(1), WT_RUN_HALTED));
    assert_int_equal(hacause(), CAUSE_STEP);
    assert_int_equal(read_x(0, 0, T2), 1);
}

static void stepping_an_ebreak_reports_ebreak(void **state)
{
    START("warps=1", EBREAK, tmc(0));
    wake();
    wr(VX_DM_DCONFIG, 1);
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    request(STEPREQ);
    assert_int_equal(hacause(), CAUSE_EBREAK);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 5, 4), 0);
    assert_int_equal(rd(VX_DM_DPC), BASE);
}

static void requests_act_in_the_order_halt_resume_step_inject(void **state)
{
    START("warps=1", addi(T0, T0, 1), COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    wr(VX_DM_INJECT, addi(T0, 0, 9));
    request(HALTREQ | RESUMEREQ | STEPREQ | INJECTREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 1);
    assert_int_equal(rd(VX_DM_DPC), BASE);
    request(RESUMEREQ | STEPREQ | INJECTREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 0);
    assert_int_equal(rd(VX_DM_DPC), BASE);
    request(HALTREQ);
    request(STEPREQ | INJECTREQ);
    assert_int_equal(rd(VX_DM_DPC), BASE + 4);
    assert_int_equal(read_x(0, 0, T0), 1);
}

static void ndmreset_resets_cores_but_not_memory_registers_or_dm(void **state)
{
    START("cores=2,warps=2", addi(T0, T0, 1), jal(0, -4));
    wake();
    wr(VX_DM_WMASK, 1);
    run(100);
    request(HALTREQ);
    const uint32_t t0 = read_x(0, 0, T0);
    const uint32_t marker = 0x12345678;
    struct wt_machine *m = vx_machine(d);
    assert_true(m->ops->write_memory(m, 0, 0, 0x90000000, &marker, 4));
    request(NDMRESET);
    assert_int_equal(rd(VX_DM_DCTRL) & NDMRESET, 0);
    assert_int_equal(rd(VX_DM_WSTATUS), 0);
    assert_int_equal(rd(VX_DM_WACTIVE), 5);
    assert_int_equal(rd(VX_DM_WMASK), 1);
    assert_int_equal(rd(VX_DM_DPC), BASE);
    assert_int_equal(hacause(), NONE);
    assert_int_equal(read_x(0, 0, T0), t0);
    uint32_t got = 0;
    m->ops->read_memory(m, 0, 0, 0x90000000, &got, 4);
    assert_int_equal(got, marker);
    assert_int_equal(m->time, 0);
}

static void reset_halt_stops_selected_warps_at_the_first_instruction(void **state)
{
    START("cores=2,warps=2", COUNT);
    wake();
    run(50);
    wr(VX_DM_WMASK, 0x3);  /* core 0 only, its warp 1 too */
    request(RESETHALTREQ); /* latched, in a write of its own … */
    assert_int_equal(rd(VX_DM_DCTRL) & RESETHALTREQ, 0);
    assert_int_equal(rd(VX_DM_WSTATUS), 0);
    request(NDMRESET); /* … until the reset that it goes with */
    assert_int_equal(rd(VX_DM_WSTATUS), 3);
    assert_int_equal(hacause(), CAUSE_RESETHALTREQ);
    assert_int_equal(rd(VX_DM_DPC), BASE);
    run(50);
    assert_int_equal(rd(VX_DM_DPC), BASE);
    request(NDMRESET); /* the request is spent */
    assert_int_equal(rd(VX_DM_WSTATUS), 0);
}

static void a_warp_halted_while_inactive_starts_halted(void **state)
{
    START("warps=2", addi(T0, 0, 2), lui(T1, 0x80000), addi(T1, T1, 20), wspawn(T0, T1), jal(0, 0),
          addi(T2, T2, 1), jal(0, -4));
    wake();
    wr(VX_DM_WMASK, 2);
    request(HALTREQ);
    assert_int_equal(rd(VX_DM_WSTATUS), 2);
    run(100);
    assert_int_equal(rd(VX_DM_WACTIVE), 3);
    assert_int_equal(read_x(1, 0, T2), 0);
    select_lane(1, 0);
    assert_int_equal(rd(VX_DM_DPC), BASE + 20);
    request(RESUMEREQ);
    run(100);
    assert_true(read_x(1, 0, T2) > 10);
}

/* ---- 0x7 DPC ---- */

static void dpc_moves_a_halted_warp_only(void **state)
{
    START("warps=1", COUNT, addi(T1, 0, 7), tmc(0));
    wake();
    wr(VX_DM_DPC, BASE + 8); /* running: ignored */
    assert_int_equal(rd(VX_DM_DPC), BASE);
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    wr(VX_DM_DPC, BASE + 8);
    assert_int_equal(rd(VX_DM_DPC), BASE + 8);
    request(STEPREQ);
    assert_int_equal(read_x(0, 0, T1), 7);
    wr(VX_DM_DPC, BASE + 9);
    assert_int_equal(rd(VX_DM_DPC), BASE + 8); /* bit 0 reads 0 */
}

/* ---- 0x8 INJECT, 0x9-0xc DSCRATCH ---- */

static void injection_reads_and_writes_gprs_of_one_thread(void **state)
{
    START("warps=2,threads=4", COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    for (unsigned t = 0; t < 4; t++) /* threads 1..3 are switched off: they can be reached too */
        write_x(0, t, A0, 100 + t);
    for (unsigned t = 0; t < 4; t++)
        assert_int_equal(read_x(0, t, A0), 100 + t);
    select_lane(0, 0);
    assert_int_equal(rd(VX_DM_DPC), BASE); /* the PC has not moved */
    assert_int_equal(read_x(1, 2, A0), 0); /* an inactive warp can be looked into as well */
    write_x(1, 2, A0, 5);
    assert_int_equal(read_x(1, 2, A0), 5);
    assert_int_equal(rd(VX_DM_WACTIVE), 1);
}

static void injection_reads_csrs_and_the_real_mask(void **state)
{
    START("warps=1,threads=4", addi(T0, 0, 5), tmc(T0), COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    request(STEPREQ);
    request(STEPREQ);
    select_lane(0, 3);
    inject(csrr(T1, 0xcc4));
    assert_int_equal(read_x(0, 3, T1), 5);
    inject(csrr(T1, 0xcc0));
    assert_int_equal(read_x(0, 3, T1), 3);
}

static void injection_reaches_memory_and_code(void **state)
{
    START("warps=1,threads=1", addi(A0, 0, 1), addi(A0, 0, 2), tmc(0));
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    request(STEPREQ);
    write_x(0, 0, T0, BASE + 4);
    inject(lw(T1, T0, 0));
    assert_int_equal(read_x(0, 0, T1), addi(A0, 0, 2));
    write_x(0, 0, T1, addi(A0, 0, 42));
    inject(sw(T1, T0)); /* the fetch sees it at once */
    request(STEPREQ);
    assert_int_equal(read_x(0, 0, A0), 42);
}

static void an_injected_jump_moves_the_pc(void **state)
{
    START("warps=1,threads=1", COUNT, addi(A0, 0, 3), tmc(0));
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    inject(jal(0, 8));
    assert_int_equal(rd(VX_DM_DPC), BASE + 8);
    request(STEPREQ);
    assert_int_equal(read_x(0, 0, A0), 3);
}

static void an_injected_tmc_sets_the_mask(void **state)
{
    START("warps=1,threads=4", COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    write_x(0, 2, T0, 6);
    inject(tmc(T0));
    struct wt_wave_view view;
    vx_machine(d)->ops->view(vx_machine(d), 0, &view);
    assert_true(view.mask == 6);
    assert_int_equal(rd(VX_DM_DPC), BASE);
}

static void an_injected_nonsense_has_no_effect(void **state)
{
    START("warps=1,threads=4", COUNT);
    wake();
    wr(VX_DM_WMASK, 1);
    request(HALTREQ);
    const uint64_t before = vx_machine(d)->ops->hash(vx_machine(d));
    inject(0xffffffff);
    inject(0);
    inject(csrw(0x123, T0));
    assert_int_equal(vx_machine(d)->ops->hash(vx_machine(d)), before);
    assert_int_equal(wt_field(rd(VX_DM_DCTRL), 8, 7), 0);
    assert_int_equal(vx_machine(d)->fault.kind, WT_FAULT_NONE);
}

static void injected_instructions_are_not_issues(void **state)
{
    START("warps=1,threads=1", COUNT);
    wake();
    run(10);
    const uint64_t time = vx_machine(d)->time;
    (void)read_x(0, 0, T0);
    assert_int_equal(vx_machine(d)->time, time);
    inject(csrr(T1, 0xb02)); /* minstret */
    assert_int_equal(read_x(0, 0, T1), 10);
}

static void dscratch_is_four_csrs_of_32_bits_a_thread(void **state)
{
    START("warps=2,threads=2,xlen=64", COUNT);
    wake();
    for (unsigned warp = 0; warp < 2; warp++)
        for (unsigned thread = 0; thread < 2; thread++)
            for (unsigned i = 0; i < 4; i++) {
                select_lane(warp, thread);
                wr(VX_DM_DSCRATCH0 + i, 1000 * warp + 100 * thread + i);
            }
    for (unsigned warp = 0; warp < 2; warp++)
        for (unsigned thread = 0; thread < 2; thread++)
            for (unsigned i = 0; i < 4; i++) {
                select_lane(warp, thread);
                assert_int_equal(rd(VX_DM_DSCRATCH0 + i), 1000 * warp + 100 * thread + i);
                inject(csrr(T0, 0x7b2 + i));
                inject(csrw(0x7b2 + (i + 1) % 4, T0)); /* the CSR is the register */
                assert_int_equal(rd(VX_DM_DSCRATCH0 + (i + 1) % 4), 1000 * warp + 100 * thread + i);
                wr(VX_DM_DSCRATCH0 + (i + 1) % 4, 1000 * warp + 100 * thread + (i + 1) % 4);
            }
    select_lane(0, 0);
    wr(VX_DM_DSCRATCH0, 0x80000000);
    inject(csrr(T0, 0x7b2)); /* 32 bits on RV64: not sign-extended */
    inject(addi(T0, 0, 32));
    inject(csrr(T1, 0x7b2));
    inject(0x00535333u); /* srl t1, t1, t0: the high half */
    inject(csrw(0x7b3, T1));
    assert_int_equal(rd(VX_DM_DSCRATCH0 + 1), 0);
}

static void registers_that_do_not_exist_read_zero(void **state)
{
    START("", COUNT);
    wake();
    for (unsigned addr = 0xd; addr < 0x40; addr++) {
        wr(addr, 0xffffffff);
        assert_int_equal(rd(addr), 0);
    }
    select_lane(4000, 5); /* no such warp */
    wr(VX_DM_DSCRATCH0, 1);
    assert_int_equal(rd(VX_DM_DSCRATCH0), 0);
    assert_int_equal(rd(VX_DM_DPC), 0);
    request(STEPREQ);
    inject(addi(T0, 0, 1));
    select_lane(0, 100); /* no such thread */
    inject(addi(T0, 0, 1));
    assert_int_equal(read_x(0, 0, T0), 0);
}

/* A device that a debugger leaves alone runs the same with the DM awake. */
static void an_idle_dm_changes_nothing(void **state)
{
    START("cores=2,warps=2", addi(T0, T0, 1), addi(T1, T0, 3), jal(0, -8));
    run(1000);
    struct wt_machine *m = vx_machine(d);
    const uint64_t hash = m->ops->hash(m);
    stop(NULL);
    start("cores=2,warps=2", program_, 3);
    m = vx_machine(d);
    wake();
    wr(VX_DM_WMASK, 0xf);
    for (int i = 0; i < 100; i++) {
        run(10);
        (void)rd(VX_DM_DCTRL);
        (void)rd(VX_DM_WSTATUS);
    }
    assert_true(m->ops->hash(m) == hash);
}

/* A turn as long as can be: straight-line code must not grow the host's stack. */
static void long_turns_run_in_constant_stack(void **state)
{
    static uint32_t words[2000];
    for (int i = 0; i < 1999; i++)
        words[i] = addi(T0, T0, 1);
    words[1999] = jal(0, -1999 * 4);
    start("warps=1,threads=4", words, 2000);
    struct wt_machine *m = vx_machine(d);
    stop(NULL);
    struct vx_config config;
    vx_config_default(&config);
    wt_schedule_parse("rr:1000000", &config.schedule, WT_IGNORED);
    assert_int_equal(vx_device_new(&config, &d, WT_IGNORED), WT_OK);
    m = vx_machine(d);
    assert_true(m->ops->write_memory(m, 0, 0, BASE, words, sizeof words));
    assert_int_equal(run(5000000), WT_RUN_BUDGET);
    assert_int_equal(m->time, 5000000);
}

#define TEST(f) cmocka_unit_test_teardown(f, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(platform_describes_the_shape),
        TEST(the_largest_shapes_can_be_described),
        TEST(one_thread_a_warp_is_log2_zero),
        TEST(dconfig_fields_are_rw_and_the_rest_reserved),
        TEST(ndmreset_lasts_two_to_the_nrc_cycles),
        TEST(ebreak_halts_only_with_eh),
        TEST(a_compressed_ebreak_halts_too),
        TEST(dpc_may_follow_the_convention_of_the_rtl),
        TEST(dselect_keeps_all_its_fields),
        TEST(wmask_has_a_window_of_32_warps_each),
        TEST(wactive_shows_active_warps),
        TEST(halt_and_resume_touch_selected_warps_only),
        TEST(dmactive_zero_resets_the_registers),
        TEST(the_write_that_wakes_does_nothing_else),
        TEST(summary_bits_cover_halted_or_active_warps),
        TEST(summary_bits_read_zero_when_no_warp_is_there),
        TEST(request_bits_read_zero_and_may_be_written_back),
        TEST(hacause_is_of_the_selected_warp),
        TEST(a_step_issues_one_instruction_of_the_selected_warp),
        TEST(step_and_inject_states_run_req_inflight_none),
        TEST(a_step_of_a_waiting_warp_stays_requested),
        TEST(stepping_an_ebreak_reports_ebreak),
        TEST(requests_act_in_the_order_halt_resume_step_inject),
        TEST(ndmreset_resets_cores_but_not_memory_registers_or_dm),
        TEST(reset_halt_stops_selected_warps_at_the_first_instruction),
        TEST(a_warp_halted_while_inactive_starts_halted),
        TEST(dpc_moves_a_halted_warp_only),
        TEST(injection_reads_and_writes_gprs_of_one_thread),
        TEST(injection_reads_csrs_and_the_real_mask),
        TEST(injection_reaches_memory_and_code),
        TEST(an_injected_jump_moves_the_pc),
        TEST(an_injected_tmc_sets_the_mask),
        TEST(an_injected_nonsense_has_no_effect),
        TEST(injected_instructions_are_not_issues),
        TEST(dscratch_is_four_csrs_of_32_bits_a_thread),
        TEST(registers_that_do_not_exist_read_zero),
        TEST(an_idle_dm_changes_nothing),
        TEST(long_turns_run_in_constant_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
