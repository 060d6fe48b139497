/* The trap unit of an SM, sentence by sentence of its description (docs/sm-trap.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "sm_rig.h"
#include "emulator/machine/state.h"

/* R20: where data goes; R21 is its upper half, 0. */
#define BASE "    MOV32I R20, 0x40000;\n    MOV R21, RZ;\n"
#define PUT(reg, at) "    STG.E [R20+" at "], " reg ";\n"
#define SEVEN "    MOV R7, 0x7;\n"

static void test_a_trap_is_precise(void **state)
{
    struct rig r;
    rig_open(&r, "", BASE SEVEN "    BPT.TRAP 0x3;\n" PUT("R7", "0x0") "    EXIT;\n",
             "    S2R R8, SR_WARPERRORSTATUS;\n    S2R R9, SR_GLOBALERRORSTATUS;\n" PUT("R8", "0x4")
                 PUT("R9", "0x8") "    BPT.PAUSE;\n    RTT;\n",
             1);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(data(&r, 0), 0); /* nothing behind the trap has been executed */
    assert_int_equal(data(&r, 1), 3 << 16);
    assert_int_equal(data(&r, 2), 1 << 11); /* the global ESR tells the type */
    assert_int_equal(reg(&r, WARP_ESR), 3 << 16);
    /* The PC is behind the trap: the fifth instruction is in the second bundle. */
    assert_int_equal(reg(&r, WARP_ESR_PC), CODE + 0x30);
    assert_int_equal(r.d->warp[0].stack[0].pc, CODE + 0x30);
    assert_int_equal(reg(&r, TRAPS), 1);
    resume(&r);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(data(&r, 0), 7);
    rig_close(&r);
}

static void test_all_warps_enter_the_handler(void **state)
{
    /* Block 0 traps, the others loop; each says in the handler that it is there. */
    struct rig r;
    rig_open(&r, "",
             BASE "    S2R R0, SR_CTAID.X;\n    ISETP.NE.AND P0, PT, R0, RZ, PT;\n"
                  "loop:\n    @P0 BRA loop;\n    BPT.TRAP 0x1;\n    EXIT;\n",
             BASE "    S2R R1, SR_CTAID.X;\n    SHL R1, R1, 0x2;\n    IADD R20, R20, R1;\n"
                  "    MOV R7, 0x7;\n" PUT("R7", "0x0") "    BPT.PAUSE;\n    RTT;\n",
             4);
    assert_int_equal(run(&r, 2000), WT_RUN_HALTED);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(data(&r, i), 7);
    assert_int_equal(reg(&r, PAUSE), 0xf);
    assert_int_equal(reg(&r, VALID), 0xf);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    assert_int_equal(reg(&r, TRAPS), 1);
    rig_close(&r);
}

static void test_pause_notifies_whatever_the_mask_says(void **state)
{
    struct rig r;
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", "    BPT.PAUSE;\n    RTT;\n", 1);
    set_reg(&r, GLOBAL_REPORT, 0);
    const uint32_t before = r.d->unit[0].interrupts;
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(r.d->unit[0].interrupts, before + 1);
    assert_int_equal(reg(&r, GLOBAL_ESR) & SM_GESR_BPT_PAUSE, SM_GESR_BPT_PAUSE);
    assert_int_equal(reg(&r, EXCEPTION), 2);
    set_reg(&r, GLOBAL_ESR, SM_GESR_BPT_PAUSE); /* ones clear */
    assert_int_equal(reg(&r, GLOBAL_ESR) & SM_GESR_BPT_PAUSE, 0);
    /* It does not go on by itself. */
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    rig_close(&r);
}

static void test_bpt_int(void **state)
{
    struct rig r;
    rig_open(&r, "",
             BASE "    BPT.INT;\n    S2R R8, SR_GLOBALERRORSTATUS;\n" PUT("R8", "0x0")
                 SEVEN PUT("R7", "0x4") "    EXIT;\n",
             "    BPT.INT;\n    RTT;\n", 1);
    set_reg(&r, GLOBAL_ESR, 0);
    assert_int_equal(r.m->ops->run(r.m, 3), WT_RUN_EVENT); /* an interrupt, and nothing traps */
    assert_int_equal(reg(&r, STATUS0), 0);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(data(&r, 0), 0); /* S2R reads the bit as 0 */
    assert_int_equal(data(&r, 1), 7);
    assert_int_equal(reg(&r, GLOBAL_ESR), SM_GESR_BPT_INT); /* only the CPU clears it */
    set_reg(&r, GLOBAL_ESR, SM_GESR_BPT_INT);
    assert_int_equal(reg(&r, GLOBAL_ESR), 0);
    rig_close(&r);
    /* In the handler, too. */
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", "    BPT.INT;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(reg(&r, GLOBAL_ESR), SM_GESR_BPT_INT | 1 << 10);
    rig_close(&r);
    /* Without the report bit there is no interrupt. */
    rig_open(&r, "", "    BPT.INT;\n    EXIT;\n", NULL, 1);
    set_reg(&r, GLOBAL_REPORT, 0);
    assert_int_equal(r.m->ops->run(r.m, 100), WT_RUN_ENDED);
    assert_int_equal(r.d->unit[0].interrupts, 0);
    assert_int_equal(reg(&r, GLOBAL_ESR), SM_GESR_BPT_INT);
    rig_close(&r);
}

/* A handler that pauses quietly; block 3's warp pauses loudly if it is there. */
#define MOSTLY_QUIET                                                                               \
    "    S2R R1, SR_CTAID.X;\n    ISETP.EQ.AND P0, PT, R1, 0x3, PT;\n    @P0 BRA loud;\n"          \
    "    BPT.PAUSE_QUIET;\n    RTT;\nloud:\n    BPT.PAUSE;\n    RTT;\n"

static void test_all_quiet_returns_to_user_mode(void **state)
{
    struct rig r;
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", MOSTLY_QUIET, 3);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, PAUSE), 7);
    assert_int_equal(reg(&r, STATUS0), 0); /* no RUN_TRIGGER was needed */
    assert_int_equal(reg(&r, GLOBAL_ESR), 1 << 10);
    rig_close(&r);
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", MOSTLY_QUIET, 4);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, PAUSE), 15);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED); /* one was not quiet */
    finish(&r);
    rig_close(&r);
}

/* Under the stop trigger quiet pauses need RUN_TRIGGER, too: the driver clears STOP_TRIGGER before
 * it, and warps must be woken while the SM is trapped. */
static void test_all_quiet_under_the_stop_trigger(void **state)
{
    struct rig r;
    rig_open(&r, "", BASE SEVEN "    BPT.TRAP 0x2;\n" PUT("R7", "0x0") "    EXIT;\n",
             "    BPT.PAUSE_QUIET;\n    RTT;\n", 3);
    set_reg(&r, CONTROL0, STOP);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    set_reg(&r, CONTROL0, 0);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    assert_int_equal(reg(&r, PAUSE), 7);
    assert_int_equal(reg(&r, GLOBAL_ESR) & SM_GESR_BPT_PAUSE, 0);
    resume(&r);
    /* They trap, and pause quietly in an event of their own. */
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, STATUS0), 0);
    assert_int_equal(reg(&r, PAUSE), 7);
    set_reg(&r, CONTROL0, STOP); /* trapped again, every live warp is paused */
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    resume(&r);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(reg(&r, INCONSISTENT), 0);
    assert_int_equal(data(&r, 0), 7);
    rig_close(&r);
}

/* Traps that wait for IDE.EN are taken one by one, the lowest first; BPT.INT is not masked. */
static void test_several_masked_traps(void **state)
{
    struct rig r;
    rig_open(&r, "",
             BASE SEVEN "    IDE.DIS;\n    BPT.TRAP 0x5;\n    BPT.TRAP 0x3;\n    BPT.INT;\n" PUT(
                 "R7", "0x0") "    IDE.EN;\n" PUT("R7", "0x4") "    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, WARP_ESR), 3 << 16);
    assert_int_equal(reg(&r, GLOBAL_ESR) >> 8, 1 << 3);
    assert_int_equal(reg(&r, GLOBAL_ESR) & SM_GESR_BPT_INT, SM_GESR_BPT_INT);
    assert_int_equal(data(&r, 0), 7);
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, WARP_ESR), 5 << 16);
    assert_int_equal(reg(&r, GLOBAL_ESR) >> 8, 1 << 3 | 1 << 5);
    assert_int_equal(data(&r, 1), 0); /* nothing behind IDE.EN yet */
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(data(&r, 1), 7);
    rig_close(&r);
}

static void test_launches_wait_for_user_mode(void **state)
{
    /* 65 blocks of 32 warps' room: the SM holds 32 blocks at a time. The first one pauses. */
    struct rig r;
    rig_open(&r, "",
             "    S2R R0, SR_CTAID.X;\n    ISETP.NE.AND P0, PT, R0, RZ, PT;\n    @P0 EXIT;\n"
             "    BPT.TRAP 0x2;\n    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 40);
    assert_int_equal(run(&r, 10), WT_RUN_BUDGET);
    assert_int_equal(reg(&r, STATUS0) & IN_TRAP, IN_TRAP);
    const uint64_t started = r.d->grid.next;
    assert_true(started < 40);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(r.d->grid.next, started); /* places are free, but none has started */
    resume(&r);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(r.d->grid.done, 40);
    rig_close(&r);
    /* All quiet: launches go on while the warps stay paused. */
    rig_open(&r, "",
             "    S2R R0, SR_CTAID.X;\n    ISETP.GE.AND P0, PT, R0, 0x20, PT;\n    @P0 EXIT;\n"
             "    BPT.TRAP 0x2;\n    EXIT;\n",
             "    S2R R1, SR_CTAID.X;\n    ISETP.EQ.AND P0, PT, R1, 0x1f, PT;\n    @P0 EXIT;\n"
             "    BPT.PAUSE_QUIET;\n    RTT;\n",
             40);
    assert_int_equal(run(&r, 2000), WT_RUN_HALTED);
    assert_int_equal(r.d->grid.next, 40);
    assert_int_equal(r.d->grid.done,
                     9); /* the one that left the handler by EXIT, and those behind */
    rig_close(&r);
}

/* Without a handler it makes no difference to the other blocks that a debugger pauses warps: they
 * have the places that they would have had, at the same times. */
static void test_blocks_start_beside_paused_warps(void **state)
{
    struct rig r;
    rig_open(&r, "", "    NOP;\n    NOP;\n    EXIT;\n", NULL, 40);
    set_reg(&r, CONTROL0, STOP | 1);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    const uint64_t started = r.d->grid.next;
    assert_true(started < 40);
    set_reg(&r, PAUSE, 1);
    set_reg(&r, CONTROL0, 1);
    set_reg(&r, CONTROL0, 1 | RUN);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(r.d->grid.next, 40);
    assert_int_equal(r.d->grid.done, 39);
    assert_int_equal(reg(&r, VALID), 1);
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(reg(&r, INCONSISTENT), 0);
    rig_close(&r);
    /* Under the stop trigger they start, but issue nothing: warp 0 alone goes to its end. */
    rig_open(&r, "", "    NOP;\n    NOP;\n    EXIT;\n", NULL, 40);
    set_reg(&r, CONTROL0, STOP | 1);
    set_reg(&r, PAUSE, ~1u);
    set_reg(&r, CONTROL0, STOP | 1 | RUN);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(r.m->time, 3);
    assert_int_equal(r.d->grid.next, started + 1);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    assert_int_equal(reg(&r, PAUSE), ~0u);
    resume(&r);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(r.d->grid.done, 40);
    assert_int_equal(reg(&r, INCONSISTENT), 0);
    rig_close(&r);
}

/* An error, whatever follows it, and a store that must not be reached before the error is taken. */
static uint32_t reached(const char *options, const char *between)
{
    char kernel[400];
    struct rig r;
    snprintf(kernel, sizeof kernel,
             BASE SEVEN "    MOV R4, 0x2;\n    LDS R5, [R4];\n%s" PUT("R7", "0x0") "    EXIT;\n",
             between);
    rig_open(&r, options, kernel, "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, WARP_ESR), SM_MISALIGNED_ADDR);
    assert_int_equal(reg(&r, WARP_ESR_PC), CODE + 0x30); /* of the LDS, however late */
    const uint32_t stored = data(&r, 0);
    rig_close(&r);
    return stored;
}

static void test_drain_takes_errors_before_the_next_instruction(void **state)
{
    assert_int_equal(reached("", ""), 0); /* precise without delay */
    assert_int_equal(reached("", "    BPT.DRAIN;\n"), 0);
    assert_int_equal(reached("error-delay=8", ""), 7);
    assert_int_equal(reached("error-delay=8", "    BPT.DRAIN;\n"), 0);
    /* Others do not help. */
    assert_int_equal(reached("error-delay=8", "    BPT.INT;\n"), 7);
}

static void test_drain_does_not_wait_for_l1_errors(void **state)
{
    for (unsigned late = 0; late < 2; late++) {
        struct rig r;
        rig_open(&r, late ? "memory-delay=8" : "",
                 BASE SEVEN "    MOV R4, 0x8;\n    LDG R5, [R4];\n    BPT.DRAIN;\n" PUT(
                     "R7", "0x0") "    EXIT;\n",
                 "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
        assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
        assert_int_equal(reg(&r, GLOBAL_ESR), SM_GESR_L1_ERROR | SM_GESR_BPT_PAUSE);
        assert_int_equal(data(&r, 0), late ? 7 : 0);
        rig_close(&r);
    }
}

static void test_pause_does_not_drain(void **state)
{
    /* The error is of the program, and a trap comes before it arrives. The handler reads the ESR
     * before and behind its DRAIN. */
    for (unsigned drains = 0; drains < 2; drains++) {
        char handler[600];
        struct rig r;
        snprintf(handler, sizeof handler,
                 "    S2R R8, SR_WARPERRORSTATUS;\n" PUT(
                     "R8", "0x4") "%s"
                                  "    S2R R8, SR_WARPERRORSTATUS;\n" PUT(
                                      "R8", "0x8") "    BPT.PAUSE;\n"
                                                   "    RTT.TERMINATE;\n",
                 drains ? "    BPT.DRAIN;\n" : "    NOP;\n");
        rig_open(&r, "error-delay=100",
                 BASE "    MOV R4, 0x2;\n    LDS R5, [R4];\n    BPT.TRAP 0x1;\n    EXIT;\n",
                 handler, 1);
        assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
        assert_int_equal(data(&r, 1), 1 << 16);
        assert_int_equal(data(&r, 2), 1 << 16 | (drains ? SM_MISALIGNED_ADDR : 0));
        rig_close(&r);
    }
}

static void test_pause_outside_the_handler_is_an_error(void **state)
{
    static const char *const forms[] = {"BPT.PAUSE", "BPT.PAUSE_QUIET",   "RTT",         "SAM",
                                        "BPT.CAL",   "BPT.DRAIN_ILLEGAL", "BPT.TRAP 0x9"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char kernel[100];
        struct rig r;
        snprintf(kernel, sizeof kernel, "    %s;\n    EXIT;\n", forms[i]);
        rig_open(&r, "", kernel, "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
        assert_int_equal(run(&r, 100), WT_RUN_HALTED);
        assert_int_equal(reg(&r, WARP_ESR), SM_ILLEGAL_INSTR_ENCODING);
        rig_close(&r);
    }
}

/* The eighth mode of BPT, bits 8:6, has no name and does nothing but be wrong, with a handler and
 * in it. */
static void test_mode_7_of_bpt_is_no_instruction(void **state)
{
    static const uint8_t word[8] = {0xc0, 0x01, 0, 0, 0, 0, 0xa0, 0xe3};
    char text[80];
    struct rig r;
    sm_disassemble(wt_load_le(word, 8), CODE + 8, 0, text, sizeof text);
    assert_null(strstr(text, "BPT"));
    rig_open(&r, "", "    NOP;\n    EXIT;\n", "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
    assert_true(sm_device_write(r.d, CODE + 8, word, sizeof word));
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, WARP_ESR), SM_ILLEGAL_INSTR_ENCODING);
    rig_close(&r);
}

static void test_errors_that_are_not_reported_do_not_trap(void **state)
{
    struct rig r;
    rig_open(&r, "", BASE SEVEN "    BPT.TRAP 0x0;\n" PUT("R7", "0x0") "    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 1);
    set_reg(&r, WARP_REPORT, ~(1u << SM_ILLEGAL_INSTR_PARAM));
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(data(&r, 0), 7);
    rig_close(&r);
}

/* Errors of the PC are those of the warp, too: it enters the handler with its ESR. */
static void test_errors_of_the_pc(void **state)
{
    static const struct {
        const char *to;
        uint32_t code;
        uint64_t pc;
    } cases[] = {{"0xc", SM_MISALIGNED_PC, 0xc}, {"0x100", SM_PC_OVERFLOW, 0x108}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned cut = 0; cut < 2; cut++) { /* the jump is the last one of a run */
            char kernel[100];
            struct rig r;
            snprintf(kernel, sizeof kernel, "    MOV R1, %s;\n    JMX R1;\n    EXIT;\n",
                     cases[i].to);
            rig_open(&r, "", kernel, "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 2);
            if (cut)
                assert_int_equal(run(&r, 2), WT_RUN_BUDGET);
            assert_int_equal(run(&r, 100), WT_RUN_HALTED);
            assert_int_equal(reg(&r, WARP_ESR), cases[i].code);
            assert_int_equal(reg(&r, WARP_ESR_PC), cases[i].pc);
            assert_int_equal(reg(&r, PAUSE), 3);
            resume(&r);
            assert_int_equal(run(&r, 100), WT_RUN_ENDED);
            rig_close(&r);
            /* Nothing is there that could be skipped instead. */
            rig_open(&r, "", kernel, "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
            set_reg(&r, WARP_REPORT, ~(1u << SM_MISALIGNED_PC));
            assert_int_equal(run(&r, 100), i ? WT_RUN_HALTED : WT_RUN_FAULT);
            rig_close(&r);
            /* Nobody takes it. */
            rig_open(&r, "", kernel, NULL, 1);
            assert_int_equal(run(&r, 100), WT_RUN_FAULT);
            assert_int_equal(r.m->fault.pc, cases[i].pc);
            assert_int_equal(r.m->fault.time, 2);
            assert_string_equal(r.m->fault.name, sm_error_name(cases[i].code));
            rig_close(&r);
        }
}

/* "BPT.TRAP with a 0 immediate value is illegal"; the others are told by both ESRs. */
static void test_every_immediate_of_a_trap(void **state)
{
    for (unsigned n = 0; n < 8; n++) {
        char kernel[60];
        struct rig r;
        snprintf(kernel, sizeof kernel, "    BPT.TRAP 0x%x;\n    EXIT;\n", n);
        rig_open(&r, "", kernel, "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
        assert_int_equal(run(&r, 100), WT_RUN_HALTED);
        assert_int_equal(reg(&r, WARP_ESR), n ? n << 16 : SM_ILLEGAL_INSTR_PARAM);
        assert_int_equal(reg(&r, GLOBAL_ESR), SM_GESR_BPT_PAUSE | (n ? 1u << (8 + n) : 0));
        assert_int_equal(reg(&r, TRAPS), n > 0);
        rig_close(&r);
    }
}

/* "caused by previous instructions from the executing warp": another warp's errors still come
 * late. */
static void test_drain_is_of_its_own_warp(void **state)
{
    struct rig r;
    rig_open(&r, "error-delay=8",
             "    LDS R5, [R4];\n    NOP;\n    NOP;\n    BPT.DRAIN;\n    NOP;\n    EXIT;\n",
             "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 2);
    struct sm_warp *w = r.d->warp;
    for (unsigned lane = 0; lane < SM_LANES; lane++)
        w[0].r[4][lane] = 2;
    w[1].pc = CODE + 0x28; /* at the DRAIN */
    assert_int_equal(r.m->engine->turn(r.m, 0, 1), 1);
    assert_int_equal(w[0].late_code[0], SM_MISALIGNED_ADDR);
    assert_int_equal(r.m->engine->turn(r.m, 1, 1), 1);
    assert_int_equal(w[1].pc, CODE + 0x30);
    assert_int_equal(w[0].late_code[0], SM_MISALIGNED_ADDR);
    assert_int_equal(reg(&r, STATUS0), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(r.m->engine->turn(r.m, 0, 1), 1);
    assert_true(w[0].trapped && w[1].must_enter);
    assert_int_equal(sm_trap_entry(&w[0])->pc, CODE + 0x30); /* before the next instruction */
    rig_close(&r);
}

static void test_masked_traps_wait(void **state)
{
    struct rig r;
    rig_open(&r, "",
             BASE SEVEN "    IDE.DIS;\n    BPT.TRAP 0x2;\n" PUT("R7", "0x0") "    IDE.EN;\n" PUT(
                 "R7", "0x4") "    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(data(&r, 0), 7);
    assert_int_equal(data(&r, 1), 0);
    assert_int_equal(reg(&r, WARP_ESR), 2 << 16);
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    assert_int_equal(data(&r, 1), 7);
    rig_close(&r);
    /* 7 is not maskable. */
    rig_open(&r, "", BASE SEVEN "    IDE.DIS;\n    BPT.TRAP 0x7;\n" PUT("R7", "0x0") "    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(data(&r, 0), 0);
    assert_int_equal(reg(&r, WARP_ESR), 7 << 16);
    rig_close(&r);
    /* In the handler traps wait for RTT. */
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n",
             "    S2R R8, SR_WARPERRORSTATUSCLEAR;\n    SHR R8, R8, 0x10;\n"
             "    ISETP.EQ.AND P0, PT, R8, 0x5, PT;\n    @P0 BRA second;\n    BPT.TRAP 0x5;\n"
             "    RTT;\nsecond:\n    BPT.PAUSE;\n    RTT;\n",
             1);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, GLOBAL_ESR) >> 8, 1 << 2 | 1 << 5);
    rig_close(&r);
}

/* ---- the debugger's registers ---- */

#define ENDLESS BASE "loop:\n    IADD R0, R0, 0x1;\n    BRA loop;\n"
#define GOOD_HANDLER                                                                               \
    "again:\n    S2R R8, SR_GLOBALERRORSTATUS;\n    LOP32I.AND R8, R8, 0x10000;\n"                 \
    "    ISETP.NE.AND P0, PT, R8, RZ, PT;\n    @P0 BRA stop;\n    RTT;\n"                          \
    "stop:\n    BPT.DRAIN;\n    BPT.PAUSE;\n    BRA again;\n"

static void test_stop_and_resume(void **state)
{
    static const char *const handlers[] = {GOOD_HANDLER, NULL};
    for (unsigned i = 0; i < 2; i++) {
        struct rig r;
        rig_open(&r, "", ENDLESS, handlers[i], 3);
        assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
        set_reg(&r, CONTROL0, reg(&r, CONTROL0) | STOP);
        if (!handlers[i]) /* whoever has stopped it knows: the next run is not a report of that */
            assert_int_equal(r.m->ops->run(r.m, 100), WT_RUN_HALTED);
        assert_int_equal(run(&r, 100), WT_RUN_HALTED);
        assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
        assert_int_equal(reg(&r, PAUSE), 7);
        assert_int_equal(reg(&r, CONTROL0), STOP); /* a level; RUN_TRIGGER would clear itself */
        resume(&r);
        assert_int_equal(reg(&r, CONTROL0), 0);
        assert_int_equal(run(&r, 400), WT_RUN_BUDGET);
        assert_int_equal(reg(&r, STATUS0), 0);
        assert_int_equal(reg(&r, INCONSISTENT), 0);
        rig_close(&r);
    }
}

static void test_a_handler_that_returns_while_stopped_is_held(void **state)
{
    struct rig r;
    rig_open(&r, "", ENDLESS, "    NOP;\n    RTT;\n", 2);
    assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
    set_reg(&r, CONTROL0, STOP);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    assert_int_equal(reg(&r, VALID), 3);
    assert_int_equal(reg(&r, PAUSE), 0); /* told from the good case by the masks */
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
    assert_int_equal(reg(&r, STATUS0), 0);
    rig_close(&r);
}

static void test_an_empty_sm_is_held_by_the_stop_trigger(void **state)
{
    struct rig r;
    rig_open(&r, "", "    EXIT;\n", GOOD_HANDLER, 1);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    set_reg(&r, CONTROL0, STOP);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    resume(&r);
    assert_int_equal(reg(&r, STATUS0), 0);
    rig_close(&r);
}

static void test_the_pause_mask_chooses_who_wakes(void **state)
{
    struct rig r;
    rig_open(&r, "",
             "    S2R R0, SR_CTAID.X;\n    ISETP.NE.AND P0, PT, R0, RZ, PT;\n    @P0 BRA out;\n"
             "    BPT.TRAP 0x2;\nout:\n    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 3);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    set_reg(&r, PAUSE, 5);
    set_reg(&r, STATUS0, RUN); /* the description has the trigger here */
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, VALID), 5); /* warp 1 has gone */
    resume(&r);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    rig_close(&r);
}

static void test_single_steps(void **state)
{
    static const char *const handlers[] = {GOOD_HANDLER, "    BPT.PAUSE;\n    RTT;\n", NULL};
    for (unsigned i = 0; i < 3; i++) {
        struct rig r;
        rig_open(&r, "", "    NOP;\n" ENDLESS, handlers[i], 2);
        set_reg(&r, CONTROL0, STOP);
        assert_int_equal(run(&r, 100), WT_RUN_HALTED);
        for (unsigned step = 1; step < 6; step++) {
            set_reg(&r, GLOBAL_ESR, ~0u);
            set_reg(&r, PAUSE, 2); /* warp 1 stays */
            set_reg(&r, CONTROL0, STEP);
            set_reg(&r, CONTROL0, STEP | RUN);
            /* The step ends in the handler, which pauses by itself or is told to stop. */
            if (i != 1)
                for (unsigned n = 0; n < 20 && !(reg(&r, GLOBAL_ESR) & SM_GESR_SINGLE_STEP); n++)
                    run(&r, 1);
            if (i != 1)
                set_reg(&r, CONTROL0, STEP | STOP);
            assert_int_equal(run(&r, 100), WT_RUN_HALTED);
            assert_int_equal(reg(&r, GLOBAL_ESR) & SM_GESR_SINGLE_STEP, SM_GESR_SINGLE_STEP);
            const struct sm_warp *w = &r.d->warp[0];
            const uint64_t pc = handlers[i] ? w->stack[0].pc : w->pc;
            static const uint64_t at[] = {0x8, 0x10, 0x18, 0x28, 0x30, 0x28};
            assert_int_equal(pc - CODE, at[step]);
            assert_int_equal(reg(&r, INCONSISTENT), 0);
        }
        rig_close(&r);
    }
}

static void test_wakes_out_of_order_are_reported(void **state)
{
    /* Warp 0 has paused, warp 1 is still on its way. */
    struct rig r;
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", "    BPT.PAUSE;\n    RTT;\n", 2);
    assert_int_equal(run(&r, 2), WT_RUN_BUDGET);
    assert_int_equal(reg(&r, PAUSE), 1);
    resume(&r);
    assert_int_equal(reg(&r, INCONSISTENT), 1);
    assert_int_equal(run(&r, 1), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "warp 1 of SM 0 has neither paused nor exited"));
    wt_machine_clear_fault(r.m);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    rig_close(&r);
    /* All quiet, so the SM is not trapped. */
    rig_open(&r, "",
             "    S2R R0, SR_CTAID.X;\n    ISETP.NE.AND P0, PT, R0, RZ, PT;\n    @P0 BRA out;\n"
             "    BPT.TRAP 0x2;\nout:\n    EXIT;\n",
             "    BPT.PAUSE_QUIET;\n    RTT;\n", 2);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    resume(&r);
    assert_int_equal(run(&r, 1), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "is not trapped"));
    wt_machine_clear_fault(r.m);
    assert_int_equal(run(&r, 100), WT_RUN_ENDED);
    rig_close(&r);
}

static void test_other_sms_stop_with_any(void **state)
{
    /* Blocks 0 and 1 are on different SMs; the first one traps. */
    for (unsigned any = 0; any < 2; any++) {
        struct rig r;
        rig_open(&r, "sms=2",
                 "    S2R R0, SR_CTAID.X;\n    ISETP.EQ.AND P0, PT, R0, 0x1, PT;\nloop:\n"
                 "    @P0 BRA loop;\n    BPT.TRAP 0x2;\n    EXIT;\n",
                 "    BPT.PAUSE;\n    RTT;\n", 2);
        set_reg(&r, 0x200 + CONTROL0, any ? 4 : 0);
        assert_int_equal(run(&r, 500), any ? WT_RUN_HALTED : WT_RUN_BUDGET);
        assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
        assert_int_equal(reg(&r, 0x200 + STATUS0), any ? IN_TRAP | LOCKED : 0);
        assert_int_equal(reg(&r, 0x200 + CONTROL0), any ? STOP | 4 : 0);
        rig_close(&r);
    }
}

static void test_stop_on_any_warp(void **state)
{
    for (unsigned any = 0; any < 2; any++) {
        struct rig r;
        rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", GOOD_HANDLER, 2);
        set_reg(&r, CONTROL0, any ? 2 : 0);
        assert_int_equal(run(&r, 500), any ? WT_RUN_HALTED : WT_RUN_ENDED);
        assert_int_equal(reg(&r, CONTROL0), any ? STOP | 2 : 0);
        assert_int_equal(reg(&r, STATUS0), any ? IN_TRAP | LOCKED : 0);
        rig_close(&r);
    }
}

/* The way of an interrupt to the CPU: SM, TPC, GPC; forwarding is cleared by the driver, and set
 * again upon a resume. */
static void test_the_tree_of_exceptions(void **state)
{
    enum { EXCEPTION_EN = 0x50c / 4, GPC_EXCEPTION = 0xbf24, SM1 = 0x200 };
    struct rig r;
    rig_open(&r, "sms=2",
             "    S2R R0, SR_CTAID.X;\n    ISETP.EQ.AND P0, PT, R0, RZ, PT;\n    @P0 EXIT;\n"
             "    BPT.TRAP 0x2;\n    EXIT;\n",
             "    BPT.PAUSE;\n    RTT;\n", 2);
    assert_int_equal(reg(&r, EXCEPTION_EN), 2);
    assert_int_equal(reg(&r, GPC_EXCEPTION), 0);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, EXCEPTION), 0);
    assert_int_equal(reg(&r, SM1 + EXCEPTION), 2);
    assert_int_equal(reg(&r, GPC_EXCEPTION), 1 << 17);
    set_reg(&r, SM1 + EXCEPTION_EN, 0);
    assert_int_equal(reg(&r, SM1 + EXCEPTION), 2);
    assert_int_equal(reg(&r, GPC_EXCEPTION), 0);
    set_reg(&r, SM1 + EXCEPTION_EN, 2);
    assert_int_equal(reg(&r, GPC_EXCEPTION), 1 << 17);
    set_reg(&r, SM1 + GLOBAL_ESR, ~0u);
    assert_int_equal(reg(&r, SM1 + EXCEPTION), 0);
    assert_int_equal(reg(&r, GPC_EXCEPTION), 0);
    rig_close(&r);
}

/* Broadcast registers: each SM stops, and goes on. */
static void test_broadcasts(void **state)
{
    enum { ALL = 0xc000, SM1 = 0x200 };
    struct rig r;
    rig_open(&r, "sms=2", ENDLESS, GOOD_HANDLER, 2);
    assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
    set_reg(&r, ALL + CONTROL0, STOP);
    assert_int_equal(run(&r, 500), WT_RUN_HALTED);
    for (unsigned sm = 0; sm < 2; sm++) {
        assert_int_equal(reg(&r, sm * SM1 + STATUS0), IN_TRAP | LOCKED);
        assert_int_equal(reg(&r, sm * SM1 + VALID), 1);
        assert_int_equal(reg(&r, sm * SM1 + PAUSE), 1);
    }
    set_reg(&r, ALL + PAUSE, 0);
    set_reg(&r, ALL + CONTROL0, 0);
    set_reg(&r, ALL + CONTROL0, RUN);
    assert_int_equal(run(&r, 100), WT_RUN_BUDGET);
    assert_int_equal(reg(&r, STATUS0), 0);
    assert_int_equal(reg(&r, SM1 + STATUS0), 0);
    rig_close(&r);
}

static void test_returns_from_the_handler(void **state)
{
    static const struct {
        const char *how;
        uint32_t stored[2]; /* behind the RTT, behind the trap */
    } cases[] = {{"RTT", {0, 7}}, {"RTT.FALLTHROUGH", {7, 0}}, {"RTT.TERMINATE", {0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char handler[100];
        struct rig r;
        snprintf(handler, sizeof handler, "    %s;\n" PUT("R7", "0x0") "    EXIT;\n", cases[i].how);
        rig_open(&r, "", BASE SEVEN "    BPT.TRAP 0x2;\n" PUT("R7", "0x4") "    EXIT;\n", handler,
                 1);
        assert_int_equal(run(&r, 100), WT_RUN_ENDED);
        assert_int_equal(data(&r, 0), cases[i].stored[0]);
        assert_int_equal(data(&r, 1), cases[i].stored[1]);
        assert_int_equal(reg(&r, STATUS0), 0);
        rig_close(&r);
    }
    struct rig r;
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", "    RTT.PREEMPTED;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    assert_string_equal(r.m->fault.name, "ILLEGAL_INSTR_PARAM");
    rig_close(&r);
}

/* The entry of a trap takes room on the call-return stack. */
static void test_a_full_stack_has_no_room_for_a_trap(void **state)
{
    struct rig r;
    rig_open(&r, "",
             "    MOV R2, RZ;\nagain:\n    SSY again;\n    IADD R2, R2, 0x1;\n"
             "    ISETP.LT.AND P0, PT, R2, 0x40, PT;\n    @P0 BRA again;\n    BPT.TRAP 0x2;\n"
             "    EXIT;\n",
             "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 1);
    assert_int_equal(run(&r, 1000), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "PHYSICAL_STACK_OVERFLOW"));
    assert_int_equal(reg(&r, GLOBAL_ESR) & SM_GESR_STACK_OVERFLOW, SM_GESR_STACK_OVERFLOW);
    rig_close(&r);
}

/* GETCRSPTR, SETCRSPTR: entries may be dropped; GETLMEMBASE, SETLMEMBASE: local memory may be
 * another one. */
static void test_a_handler_changes_stack_and_local_memory(void **state)
{
    struct rig r;
    rig_open(&r, "",
             BASE SEVEN "    SSY here;\n    SSY here;\nhere:\n    BPT.TRAP 0x2;\n"
                        "    MOV R4, RZ;\n    STL [R4], R7;\n    EXIT;\n",
             BASE "    GETCRSPTR R8;\n" PUT("R8", "0x400") "    GETLMEMBASE R9;\n" PUT(
                 "R9", "0x404") "    MOV32I R9, 0x400;\n    SETLMEMBASE R9;\n    RTT;\n",
             1);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(data(&r, 256), 3); /* two of SSY, and the trap's */
    assert_int_equal(data(&r, 257), LOCAL >> 8);
    assert_int_equal(data(&r, 0), 7); /* 0x400 << 8 is where data goes */
    rig_close(&r);
    /* Without the trap's entry there is no way back. */
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n",
             "    MOV R8, RZ;\n    SETCRSPTR R8;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    assert_string_equal(r.m->fault.name, "STACK_ERROR");
    rig_close(&r);
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n",
             "    MOV R8, 0x9;\n    SETCRSPTR R8;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "SETCRSPTR: 9 entries, and there are 1"));
    rig_close(&r);
}

/* "All warps enter the trap handler when a BPT.TRAP or error is encountered": an error, too, and
 * new blocks wait for it as for a trap. */
static void test_an_error_brings_all_warps_in_and_holds_blocks(void **state)
{
    struct rig r;
    rig_open(&r, "",
             "    S2R R0, SR_CTAID.X;\n    ISETP.NE.AND P0, PT, R0, RZ, PT;\n"
             "loop:\n    @P0 BRA loop;\n    BPT.TRAP 0x0;\n    EXIT;\n",
             "    BPT.PAUSE;\n    RTT.TERMINATE;\n", 40);
    assert_int_equal(run(&r, 20000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, WARP_ESR), SM_ILLEGAL_INSTR_PARAM);
    assert_int_equal(reg(&r, PAUSE), UINT32_MAX); /* 32 blocks are on an SM at a time */
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    assert_int_equal(r.d->grid.next, 32);
    resume(&r);
    run(&r, 1000);
    assert_int_equal(r.d->grid.next, 40);
    rig_close(&r);
}

static void test_debugger_mode_pauses_without_a_handler(void **state)
{
    struct rig r;
    rig_open(&r, "", BASE SEVEN "    BPT.TRAP 0x1;\n" PUT("R7", "0x0") "    EXIT;\n", NULL, 2);
    set_reg(&r, CONTROL0, 1);
    assert_int_equal(run(&r, 100), WT_RUN_HALTED);
    assert_int_equal(reg(&r, STATUS0), IN_TRAP | LOCKED);
    assert_int_equal(reg(&r, WARP_ESR), 1 << 16);
    assert_int_equal(data(&r, 0), 0);
    for (unsigned n = 0; n < 2; n++) {
        resume(&r);
        run(&r, 100);
    }
    assert_int_equal(data(&r, 0), 7);
    assert_int_equal(reg(&r, VALID), 0);
    rig_close(&r);
}

/* At any moment of a session, with a breakpoint and steps: when the debugger has gone, the kernel
 * ends by itself, with all that it was to do. */
static void test_a_debugger_goes_at_any_moment(void **state)
{
    static const char kernel[] =
        BASE "    S2R R1, SR_CTAID.X;\n    SHL R1, R1, 0x2;\n"
             "    IADD R20, R20, R1;\n" SEVEN PUT("R7", "0x0") "    EXIT;\n";
    static const uint8_t trap[8] = {0xc0, 0, 0x10, 0, 0, 0, 0xa0, 0xe3}; /* BPT.TRAP 0x1 */
    const uint64_t at = CODE + 0x30;                                     /* IADD */
    for (unsigned moment = 0; moment < 40; moment++) {
        const uint32_t mode = 1 | (moment % 2 ? STEP : 0);
        struct rig r;
        uint8_t before[8];
        rig_open(&r, "", kernel, NULL, 2);
        assert_true(r.m->ops->read_memory(r.m, 0, 0, at, before, sizeof before));
        assert_true(sm_device_write(r.d, at, trap, sizeof trap));
        set_reg(&r, CONTROL0, mode | (moment % 3 ? 0 : STOP));
        for (unsigned i = 0; i < moment / 2; i++) {
            run(&r, 1);
            if (!reg(&r, TRAPS))
                set_reg(&r, CONTROL0, mode | RUN);
        }
        assert_true(sm_device_write(r.d, at, before, sizeof before));
        sm_device_release(r.d);
        assert_int_equal(reg(&r, STATUS0) | reg(&r, CONTROL0) | reg(&r, TRAPS) | reg(&r, PAUSE), 0);
        assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
        assert_true(data(&r, 0) == 7 && data(&r, 1) == 7);
        rig_close(&r);
    }
}

static void test_barriers_survive_a_trap(void **state)
{
    /* Of two warps of a block one waits at the barrier while the other traps. */
    struct sm_config config;
    struct wt_error err;
    struct rig r;
    sm_config_default(&config);
    assert_int_equal(sm_device_new(&config, &r.d, &err), WT_OK);
    r.m = sm_machine(r.d);
    place(r.d, CODE, ".kernel",
          BASE
          "    S2R R0, SR_TID.X;\n    ISETP.LT.AND P0, PT, R0, 0x20, PT;\n"
          "    @P0 BRA wait;\n    NOP;\n    BPT.TRAP 0x2;\nwait:\n    BAR.SYNC 0x0;\n" SEVEN PUT(
              "R7", "0x0") "    EXIT;\n");
    place(r.d, HANDLER, ".handler", "    BPT.PAUSE;\n    RTT;\n");
    sm_device_set_trap_handler(r.d, HANDLER);
    assert_int_equal(sm_device_map(r.d, DATA, DATA_SIZE, true, &err), WT_OK);
    const struct sm_launch launch = {
        .entry = CODE, .grid = {1, 1, 1}, .block = {64, 1, 1}, .registers = 32};
    assert_int_equal(sm_device_launch(r.d, &launch, &err), WT_OK);
    assert_int_equal(run(&r, 1000), WT_RUN_HALTED);
    assert_int_equal(reg(&r, PAUSE), 3);
    assert_int_equal(data(&r, 0), 0);
    resume(&r);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(data(&r, 0), 7);
    rig_close(&r);
}

static void test_masks_in_the_handler(void **state)
{
    /* Half of the lanes trap: SAM activates all, RAM goes back. */
    struct rig r;
    rig_open(&r, "",
             BASE "    S2R R0, SR_TID.X;\n    ISETP.LT.AND P0, PT, R0, 0x10, PT;\n    SSY join;\n"
                  "    @P0 BRA join2;\n    BPT.TRAP 0x2;\n    SYNC;\njoin2:\n    SYNC;\njoin:\n"
                  "    EXIT;\n",
             "    SAM;\n    VOTE.ALL R8, PT, PT;\n    RAM;\n    VOTE.ALL R9, PT, PT;\n" PUT(
                 "R8", "0x0") PUT("R9", "0x4") "    GETCRSPTR R8;\n" PUT("R8", "0x8") "    RTT;\n",
             1);
    assert_int_equal(run(&r, 1000), WT_RUN_ENDED);
    assert_int_equal(data(&r, 0), 0xffffffff);
    assert_int_equal(data(&r, 1), 0xffff0000);
    assert_int_equal(data(&r, 2), 3); /* SSY, the branch, the trap */
    rig_close(&r);
}

static void test_an_error_in_the_handler_ends_the_launch(void **state)
{
    struct rig r;
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", "    BPT.TRAP 0x0;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    rig_close(&r);
    rig_open(&r, "", "    BPT.TRAP 0x2;\n    EXIT;\n", "    BPT.TRAP 0x7;\n    RTT;\n", 1);
    assert_int_equal(run(&r, 100), WT_RUN_FAULT);
    assert_non_null(strstr(r.m->fault.text, "BPT.TRAP 0x7 in the trap handler"));
    rig_close(&r);
}

/* ---- the same states however a run is cut ---- */

static void test_runs_can_be_cut_anywhere(void **state)
{
    static const char kernel[] =
        BASE "    S2R R0, SR_CTAID.X;\n    MOV R4, 0x2;\n    MOV R2, RZ;\nloop:\n"
             "    IADD R2, R2, 0x1;\n    LOP.AND.NZ P0, RZ, R2, 0x3;\n    @P0 BRA on;\n"
             "    LDS R5, [R4];\non:\n    BPT.TRAP 0x2;\n    ISETP.LT.AND P1, PT, R2, 0x9, PT;\n"
             "    @P1 BRA loop;\n    EXIT;\n";
    static const char handler[] =
        "    BPT.DRAIN;\n    S2R R8, SR_WARPERRORSTATUSCLEAR;\n    LOP.AND R8, R8, 0xff;\n"
        "    ISETP.EQ.AND P6, PT, R8, RZ, PT;\n    @!P6 IADD R4, R4, 0x2;\n    RTT;\n";
    static const char *const options[] = {"", "error-delay=3", "error-delay=8,memory-delay=5"};
    for (unsigned i = 0; i < 3; i++) {
        struct rig a, b;
        rig_open(&a, options[i], kernel, handler, 5);
        rig_open(&b, options[i], kernel, handler, 5);
        uint64_t seed = 12345 + i;
        for (unsigned step = 0; step < 400 && a.m->active; step++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const uint64_t n = 1 + (seed >> 33) % 9;
            run(&a, n);
            for (uint64_t k = 0; k < n; k++)
                run(&b, 1);
            struct wt_state *saved = wt_state_save(b.m);
            assert_non_null(saved);
            assert_int_equal(a.m->ops->hash(a.m), b.m->ops->hash(b.m));
            run(&b, 7);
            wt_state_restore(b.m, saved);
            wt_state_free(saved);
            assert_int_equal(a.m->ops->hash(a.m), b.m->ops->hash(b.m));
        }
        assert_int_equal(a.m->active, 0);
        assert_int_equal(a.m->fault.kind, WT_FAULT_NONE);
        rig_close(&a);
        rig_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_trap_is_precise),
        cmocka_unit_test(test_all_warps_enter_the_handler),
        cmocka_unit_test(test_pause_notifies_whatever_the_mask_says),
        cmocka_unit_test(test_bpt_int),
        cmocka_unit_test(test_all_quiet_returns_to_user_mode),
        cmocka_unit_test(test_all_quiet_under_the_stop_trigger),
        cmocka_unit_test(test_several_masked_traps),
        cmocka_unit_test(test_launches_wait_for_user_mode),
        cmocka_unit_test(test_blocks_start_beside_paused_warps),
        cmocka_unit_test(test_drain_takes_errors_before_the_next_instruction),
        cmocka_unit_test(test_drain_does_not_wait_for_l1_errors),
        cmocka_unit_test(test_pause_does_not_drain),
        cmocka_unit_test(test_pause_outside_the_handler_is_an_error),
        cmocka_unit_test(test_mode_7_of_bpt_is_no_instruction),
        cmocka_unit_test(test_errors_that_are_not_reported_do_not_trap),
        cmocka_unit_test(test_errors_of_the_pc),
        cmocka_unit_test(test_every_immediate_of_a_trap),
        cmocka_unit_test(test_drain_is_of_its_own_warp),
        cmocka_unit_test(test_masked_traps_wait),
        cmocka_unit_test(test_stop_and_resume),
        cmocka_unit_test(test_a_handler_that_returns_while_stopped_is_held),
        cmocka_unit_test(test_an_empty_sm_is_held_by_the_stop_trigger),
        cmocka_unit_test(test_the_pause_mask_chooses_who_wakes),
        cmocka_unit_test(test_single_steps),
        cmocka_unit_test(test_wakes_out_of_order_are_reported),
        cmocka_unit_test(test_other_sms_stop_with_any),
        cmocka_unit_test(test_stop_on_any_warp),
        cmocka_unit_test(test_the_tree_of_exceptions),
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_returns_from_the_handler),
        cmocka_unit_test(test_a_full_stack_has_no_room_for_a_trap),
        cmocka_unit_test(test_a_handler_changes_stack_and_local_memory),
        cmocka_unit_test(test_an_error_brings_all_warps_in_and_holds_blocks),
        cmocka_unit_test(test_debugger_mode_pauses_without_a_handler),
        cmocka_unit_test(test_a_debugger_goes_at_any_moment),
        cmocka_unit_test(test_barriers_survive_a_trap),
        cmocka_unit_test(test_masks_in_the_handler),
        cmocka_unit_test(test_an_error_in_the_handler_ends_the_launch),
        cmocka_unit_test(test_runs_can_be_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
