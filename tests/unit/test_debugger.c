/*
 * The debugger against the emulator: each truth is checked with the memory port and through the
 * Debug Module alone, in both widths, with a Debug Module that is at once done and one that is
 * slow, with either convention for DPC, and with none of the emulator's services.
 */

#include "debug/core/going.h"
#include "agent_code.h"
#include "steered.h"
#include "../names.h"

static const struct rig_options variants[] = {
    {.xlen = 32},
    {.xlen = 64},
    {.xlen = 32, .dm_only = true},
    {.xlen = 64, .dm_only = true},
    {.xlen = 32, .dm_clock = 1},
    {.xlen = 64, .dm_only = true, .dm_clock = 1},
    {.xlen = 32, .ebreak_after = true},
    {.xlen = 32, .dm_only = true, .bare = true, .dm_clock = 1, .ebreak_after = true},
    {.xlen = 64, .dm_only = true, .bare = true},
};

static void insert(struct rig *r, uint64_t addr)
{
    OK(agent_insert_breakpoint(r->d, addr, NULL, 0, NULL, 0, &err));
}

static void remove_bp(struct rig *r, uint64_t addr)
{
    OK(wt_debugger_remove_breakpoint(r->d, addr, &err));
}

static uint64_t pc(struct rig *r, wt_thread thread)
{
    return reg(r, thread, 32);
}

static void expect_stop(struct wt_event e, enum wt_stop_reason reason, wt_thread thread)
{
    if (e.kind != WT_EVENT_STOPPED || e.reason != reason || (thread && e.thread != thread))
        fail_msg("%s %s thread %u \"%s\", not %s thread %u", event_name(e.kind),
                 reason_name(e.reason), (unsigned)e.thread, e.text, reason_name(reason),
                 (unsigned)thread);
}

static void expect_exit(struct wt_event e, uint32_t status)
{
    if (e.kind != WT_EVENT_EXITED || e.status != status)
        fail_msg("%s %s status %u \"%s\", not exit %u", event_name(e.kind), reason_name(e.reason),
                 (unsigned)e.status, e.text, (unsigned)status);
}

/* ---- one thread ---- */

static const uint32_t counting[] = {
    /* 00 */ ADDI(T2, X0, 0),
    /* 04 */ ADDI(T2, T2, 1), /* loop */
    /* 08 */ ADDI(T0, X0, 5),
    /* 0c */ ANDI(A0, T2, 0x7ff),
    /* 10 */ J(X0, -12),
};

static void a_breakpoint_stops_each_time_without_the_client_stepping(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        assert_int_equal(pc(r, 1), CODE);
        insert(r, CODE + 8);
        for (unsigned i = 1; i <= 5; i++) {
            expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
            assert_int_equal(pc(r, 1), CODE + 8);
            assert_int_equal(reg(r, 1, T2), i);
        }
        remove_bp(r, CODE + 8);
        insert(r, CODE + 12);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(pc(r, 1), CODE + 12);
        assert_int_equal(reg(r, 1, T2), 5);
        rig_free(r);
    }
}

static void each_client_has_its_own_breakpoint_at_an_address(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        struct wt_error why;
        const uint8_t is_3[] = {0x26, 0, T2, 0x22, 3, 0x13, 0x27};
        const struct agent_code third = {is_3, sizeof is_3};
        struct wt_expr *condition = NULL;
        OK(agent_compile(r->d, &third, &condition, NULL, &err));
        /* One stops the third time, the other one each time. */
        OK(wt_debugger_insert_breakpoint_of(r->d, 1, CODE + 8, &condition, 1, NULL, 0, &err));
        OK(wt_debugger_insert_breakpoint_of(r->d, 2, CODE + 8, NULL, 0, NULL, 0, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 1);
        /* What one removes is its own. */
        OK(wt_debugger_remove_breakpoint_of(r->d, 2, CODE + 8, &err));
        assert_int_equal(wt_debugger_remove_breakpoint_of(r->d, 2, CODE + 8, &why), WT_INVALID);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 3);
        OK(wt_debugger_insert_breakpoint_of(r->d, 2, CODE + 8, NULL, 0, NULL, 0, &err));
        OK(wt_debugger_remove_breakpoint_of(r->d, 1, CODE + 8, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 4);
        wt_expr_free(condition);
        rig_free(r);
    }
}

static void one_client_prints_where_another_one_stops(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        const uint8_t is_3[] = {0x26, 0, T2, 0x22, 3, 0x13, 0x27};
        const uint8_t print[] = {0x22, 0, 0x22, 0, 0x34, 0, 0, 2, '.', 0, 0x27};
        const struct agent_code third = {is_3, sizeof is_3}, dot = {print, sizeof print};
        struct wt_expr *condition = NULL, *command = NULL;
        OK(agent_compile(r->d, &third, &condition, NULL, &err));
        OK(agent_compile(r->d, &dot, &command, NULL, &err));
        OK(wt_debugger_insert_breakpoint_of(r->d, 1, CODE + 8, NULL, 0, &command, 1, &err));
        OK(wt_debugger_insert_breakpoint_of(r->d, 2, CODE + 8, &condition, 1, NULL, 0, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 3);
        assert_string_equal(r->output, "...");
        /* One that stops each time, and what goes on is not printed again. */
        OK(wt_debugger_insert_breakpoint_of(r->d, 2, CODE + 8, NULL, 0, NULL, 0, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 4);
        assert_string_equal(r->output, "....");
        /* The condition of the one that prints is its own. */
        OK(wt_debugger_insert_breakpoint_of(r->d, 1, CODE + 8, &condition, 1, &command, 1, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 5);
        assert_string_equal(r->output, "....");
        wt_expr_free(condition);
        wt_expr_free(command);
        rig_free(r);
    }
}

static void clients_that_lift_step_and_insert_see_every_pass(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        insert(r, CODE + 8);
        for (unsigned i = 1; i <= 3; i++) {
            expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
            assert_int_equal(reg(r, 1, T2), i);
            remove_bp(r, CODE + 8);
            expect_stop(step(r, 1), WT_STOP_STEP, 1);
            assert_int_equal(pc(r, 1), CODE + 12);
            insert(r, CODE + 8);
        }
        rig_free(r);
    }
}

static void a_step_onto_a_breakpoint_does_not_hide_it(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        insert(r, CODE + 4);
        expect_stop(step(r, 1), WT_STOP_STEP, 1);
        assert_int_equal(pc(r, 1), CODE + 4);
        /* It has not executed it yet, so it meets it now. */
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 0);
        /* A step from it executes the original instruction. */
        expect_stop(step(r, 1), WT_STOP_STEP, 1);
        assert_int_equal(pc(r, 1), CODE + 8);
        assert_int_equal(reg(r, 1, T2), 1);
        rig_free(r);
    }
}

static void setting_pc_to_a_breakpoint_meets_it_again(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        insert(r, CODE + 8);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        OK(wt_debugger_write_number(r->d, 1, (unsigned)wt_debugger_topology(r->d)->pc_index,
                                    CODE + 8, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 1);
        rig_free(r);
    }
}

static void what_the_client_reads_is_the_original(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        uint32_t word = 0;
        uint16_t half;
        insert(r, CODE + 8);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        r->machine->ops->read_memory(r->machine, 0, 0, CODE + 8, &word, 4);
        assert_int_equal(word, EBREAK); /* it is really there */
        OK(wt_debugger_read_memory(r->d, 1, wt_address_of(CODE + 8), &word, 4, &err));
        assert_int_equal(word, counting[2]);
        OK(wt_debugger_read_memory(r->d, 1, wt_address_of(CODE + 10), &half, 2, &err));
        assert_int_equal(half, counting[2] >> 16);
        /* New code over it is what runs, and the breakpoint stays. */
        uint32_t other = ADDI(T2, T2, 100);
        OK(wt_debugger_write_memory(r->d, 1, wt_address_of(CODE + 8), &other, 4, &err));
        OK(wt_debugger_read_memory(r->d, 1, wt_address_of(CODE + 8), &word, 4, &err));
        assert_int_equal(word, other);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 102);
        wt_debugger_remove_all_breakpoints(r->d);
        expect_stop(step(r, 1), WT_STOP_STEP, 1);
        r->machine->ops->read_memory(r->machine, 0, 0, CODE + 8, &word, 4);
        assert_int_equal(word, other);
        rig_free(r);
    }
}

static void a_range_is_stepped_until_it_is_left(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        const struct wt_resume range = {
            .thread = 1, .kind = WT_RESUME_RANGE, .start = CODE, .end = CODE + 16};
        OK(wt_debugger_run(r->d, WT_FORWARDS, &range, 1, &err));
        expect_stop(wait_event(r), WT_STOP_STEP, 1);
        assert_int_equal(pc(r, 1), CODE + 16);
        /* A breakpoint within the range stops it. */
        insert(r, CODE + 12);
        const struct wt_resume whole = {
            .thread = 1, .kind = WT_RESUME_RANGE, .start = CODE, .end = CODE + 20};
        OK(wt_debugger_run(r->d, WT_FORWARDS, &whole, 1, &err));
        expect_stop(wait_event(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(pc(r, 1), CODE + 12);
        assert_int_equal(reg(r, 1, T2), 2);
        rig_free(r);
    }
}

static void an_endless_program_is_interrupted(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        for (int i = 0; i < 10; i++) {
            wt_debugger_pump(r->d, 1000);
            assert_int_equal(wt_debugger_next_event(r->d).kind, WT_EVENT_NONE);
        }
        assert_true(wt_debugger_running(r->d));
        OK(wt_debugger_interrupt(r->d, &err));
        expect_stop(wait_event(r), WT_STOP_INTERRUPTED, 1);
        assert_false(wt_debugger_running(r->d));
        assert_true(reg(r, 1, T2) > 100);
        uint64_t time = r->machine->time;
        wt_debugger_pump(r->d, 1000);
        assert_int_equal(r->machine->time, time);
        rig_free(r);
    }
}

static const uint32_t own_ebreak[] = {
    /* 00 */ ADDI(A0, X0, 1),
    /* 04 */ EBREAK,
    /* 08 */ EBREAK,
    /* 0c */ ADDI(A0, A0, 41),
    /* 10 */ SW(A0, X0, 0x88),
    /* 14 */ TMC(X0),
};

static void an_ebreak_of_the_program_traps_once_and_is_passed(void **state)
{
    FOR_VARIANTS(v)
    {
        if (v->ebreak_after)
            continue; /* two in a row do not tell which convention holds */
        struct rig *r = rig_new(v, own_ebreak, 6);
        expect_stop(go(r), WT_STOP_TRAP, 1);
        assert_int_equal(pc(r, 1), CODE + 4);
        expect_stop(go(r), WT_STOP_TRAP, 1);
        assert_int_equal(pc(r, 1), CODE + 8);
        expect_stop(step(r, 1), WT_STOP_STEP, 1);
        assert_int_equal(pc(r, 1), CODE + 12);
        expect_exit(go(r), 42);
        uint32_t status;
        assert_true(wt_debugger_ended(r->d, &status));
        assert_int_equal(status, 42);
        /* And again, with a breakpoint on one of them. */
        OK(wt_debugger_reset(r->d, &err));
        insert(r, CODE + 8);
        expect_stop(go(r), WT_STOP_TRAP, 1);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(pc(r, 1), CODE + 8);
        expect_exit(go(r), 42);
        rig_free(r);
    }
}

static const uint32_t faulty[] = {
    /* 00 */ ADDI(A0, X0, 1),
    /* 04 */ 0xffffffff,
    /* 08 */ TMC(X0),
};

static void a_fault_stops_at_its_instruction_and_can_be_mended(void **state)
{
    FOR_VARIANTS(v)
    {
        if (v->bare)
            continue; /* debug registers do not tell of faults */
        struct rig *r = rig_new(v, faulty, 3);
        for (int i = 0; i < 2; i++) {
            struct wt_event e = go(r);
            expect_stop(e, WT_STOP_FAULT, 1);
            assert_int_equal(e.fault, WT_FAULT_ILLEGAL);
            assert_true(e.text[0] != 0);
            assert_int_equal(pc(r, 1), CODE + 4);
        }
        struct wt_event e = step(r, 1);
        expect_stop(e, WT_STOP_FAULT, 1);
        uint32_t nop = ADDI(X0, X0, 0);
        OK(wt_debugger_write_memory(r->d, 1, wt_address_of(CODE + 4), &nop, 4, &err));
        assert_int_equal(go(r).kind, WT_EVENT_EXITED);
        rig_free(r);
    }
}

static void a_restart_runs_from_the_beginning(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, own_ebreak, 6);
        uint32_t one = 1;
        insert(r, CODE + 12);
        while (go(r).reason != WT_STOP_BREAKPOINT)
            ;
        OK(wt_debugger_write_memory(r->d, 1, wt_address_of(CODE), &one, 4, &err));
        OK(wt_debugger_restart(r->d, &err));
        assert_int_equal(pc(r, 1), CODE);
        if (!v->bare) {
            OK(wt_debugger_read_memory(r->d, 1, wt_address_of(CODE), &one, 4, &err));
            assert_int_equal(one, own_ebreak[0]);
            struct wt_event e;
            while ((e = go(r)).reason == WT_STOP_TRAP)
                ;
            expect_stop(e, WT_STOP_BREAKPOINT, 1);
            assert_int_equal(pc(r, 1), CODE + 12);
        }
        rig_free(r);
    }
}

/* ---- lanes ---- */

static const uint32_t divergent[] = {
    /* 00 */ ADDI(A0, X0, 15),
    /* 04 */ TMC(A0),
    /* 08 */ CSRR(A1, 0xcc0),
    /* 0c */ ANDI(A2, A1, 1),
    /* 10 */ SPLIT(S5, A2),
    /* 14 */ BEQZ(A2, 12),
    /* 18 */ ADDI(A3, X0, 111), /* lanes 1 and 3 */
    /* 1c */ J(X0, 8),
    /* 20 */ ADDI(A3, X0, 222), /* lanes 0 and 2 */
    /* 24 */ JOIN(S5),
    /* 28 */ ADDI(A4, A3, 1),
    /* 2c */ SW(A4, X0, 0x88),
    /* 30 */ TMC(X0),
};

static void a_step_follows_its_lane_through_divergence(void **state)
{
    FOR_VARIANTS(v)
    {
        for (unsigned lane = 0; lane < 4; lane++) {
            struct rig *r = rig_new(v, divergent, 13);
            expect_stop(step(r, 1), WT_STOP_STEP, 1);
            expect_stop(step(r, 1), WT_STOP_STEP, 1);
            const uint64_t odd[] = {0x0c, 0x10, 0x14, 0x18, 0x1c, 0x24},
                           even[] = {0x0c, 0x10, 0x14, 0x20, 0x24};
            const uint64_t *path = lane & 1 ? odd : even;
            for (size_t i = 0; i < (lane & 1 ? 6 : 5); i++) {
                expect_stop(step(r, 1 + lane), WT_STOP_STEP, 1 + lane);
                assert_int_equal(pc(r, 1 + lane), CODE + path[i]);
                /* Where nothing tells where a sleeping lane wakes up, it is shown when it does. */
                if (!(lane & 1) && path[i] == 0x14 && !r->services.wave_detail) {
                    expect_stop(step(r, 1 + lane), WT_STOP_STEP, 1 + lane);
                    assert_int_equal(pc(r, 1 + lane), CODE + 0x14);
                }
            }
            while (pc(r, 1 + lane) != CODE + 0x28)
                expect_stop(step(r, 1 + lane), WT_STOP_STEP, 1 + lane);
            assert_int_equal(reg(r, 1 + lane, A3), lane & 1 ? 111 : 222);
            assert_int_equal(reg(r, 1 + lane, A1), lane);
            rig_free(r);
        }
    }
}

static void masked_off_lanes_are_shown_where_they_wake_up(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, divergent, 13);
        insert(r, CODE + 0x14);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err));
        assert_int_equal(count, 4);
        unsigned enabled = 0;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(list[i].id, 1 + i);
            assert_int_equal(list[i].lane, i);
            assert_int_equal(list[i].pc, CODE + 0x14);
            enabled += list[i].enabled;
        }
        assert_int_equal(enabled, 2);
        for (unsigned i = 0; i < 4; i++) {
            char name[64], want[64];
            OK(wt_debugger_threads(r->d, &list, &count, &err));
            bool off = !list[i].enabled;
            wt_debugger_thread_name(r->d, 1 + i, name, sizeof name);
            snprintf(want, sizeof want, "device 0, core 0, warp 0, thread %u%s", i,
                     off ? " (masked off)" : "");
            assert_string_equal(name, want);
            if (off) { /* its pc cannot be set, its registers can */
                struct wt_error why;
                unsigned index = (unsigned)wt_debugger_topology(r->d)->pc_index;
                assert_int_equal(wt_debugger_write_number(r->d, 1 + i, index, CODE, &why),
                                 WT_STATE);
                OK(wt_debugger_write_number(r->d, 1 + i, A5, 99 + i, &err));
                assert_int_equal(reg(r, 1 + i, A5), 99 + i);
            }
        }
        /* After a few steps of the lanes that run, the others still wait at the split. */
        wt_thread on = list[0].enabled ? 1 : 2, off = list[0].enabled ? 2 : 1;
        remove_bp(r, CODE + 0x14);
        expect_stop(step(r, on), WT_STOP_STEP, on);
        assert_int_not_equal(pc(r, on), CODE + 0x14);
        if (!v->bare)
            assert_int_equal(pc(r, off), CODE + 0x14);
        rig_free(r);
    }
}

static size_t mask_index(struct rig *r)
{
    const struct wt_topology *t = wt_debugger_topology(r->d);
    size_t i = 0;
    while (t->registers[i].role != WT_ROLE_EXEC_MASK)
        i++;
    return i;
}

static void the_active_lanes_can_be_chosen(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, divergent, 13);
        struct wt_error why;
        insert(r, CODE + 0x0c);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        const unsigned index = (unsigned)mask_index(r);
        uint64_t mask = 0;
        assert_int_equal(wt_debugger_check_call(r->d, 3, &why), WT_STATE);
        OK(wt_debugger_write_number(r->d, 1, index, 4, &err));
        OK(wt_debugger_read_numbers(r->d, 1, &index, 1, &mask, &err));
        assert_int_equal(mask, 4);
        OK(wt_debugger_check_call(r->d, 3, &err));
        assert_int_equal(wt_debugger_check_call(r->d, 1, &why), WT_STATE);
        /* Lane 0 is off, and waits nowhere. */
        const unsigned pc_index = (unsigned)wt_debugger_topology(r->d)->pc_index;
        assert_int_equal(wt_debugger_write_number(r->d, 1, pc_index, CODE, &why), WT_STATE);
        assert_null(strstr(why.text, "divergence"));
        assert_int_equal(wt_debugger_write_number(r->d, 1, index, 0, &why), WT_INVALID);
        assert_int_equal(wt_debugger_write_number(r->d, 1, index, 16, &why), WT_INVALID);
        for (unsigned reg_number = T0; reg_number <= T1; reg_number++)
            assert_int_equal(reg(r, 1, reg_number), 0); /* what was borrowed was given back */
        expect_stop(step(r, 3), WT_STOP_STEP, 3);
        OK(wt_debugger_write_number(r->d, 3, index, 15, &err));
        assert_int_equal(reg(r, 1, A2), 0);
        assert_int_equal(reg(r, 2, A2), 0); /* it was off when a2 was computed */
        expect_exit(go(r), 223);
        rig_free(r);
    }
}

/* reg 11 (a1, the lane), const8 N, equal, end */
#define LANE_IS(n)                                                                                 \
    {                                                                                              \
        0x26, 0, A1, 0x22, n, 0x13, 0x27                                                           \
    }

static void a_condition_chooses_the_lane(void **state)
{
    FOR_VARIANTS(v)
    {
        for (unsigned lane = 0; lane < 4; lane++) {
            struct rig *r = rig_new(v, divergent, 13);
            const uint8_t code[] = LANE_IS(lane);
            const struct agent_code condition = {code, sizeof code};
            OK(agent_insert_breakpoint(r->d, CODE + 0x0c, &condition, 1, NULL, 0, &err));
            expect_stop(go(r), WT_STOP_BREAKPOINT, 1 + lane);
            assert_int_equal(reg(r, 1 + lane, A1), lane);
            expect_exit(go(r), 112); /* lane 3 stores last, and is odd */
            rig_free(r);
        }
    }
}

static void only_active_lanes_meet_a_breakpoint(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, divergent, 13);
        const uint8_t code[] = LANE_IS(0);
        const struct agent_code condition = {code, sizeof code};
        /* Lane 0 does not come by 0x18. */
        OK(agent_insert_breakpoint(r->d, CODE + 0x18, &condition, 1, NULL, 0, &err));
        expect_exit(go(r), 112);
        rig_free(r);
    }
}

/* Where the target hands out registers, nothing is planted for a condition, and nothing asked of
 * the debug registers until it holds. */
static void conditions_that_the_engine_evaluates_touch_nothing(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        const struct rig_options o = {.xlen = xlen};
        struct rig *r = rig_new(&o, counting, 5);
        /* (t2 & 0x7ff) == 0x700: after 1,792 times round; then 2,048 times later */
        const uint8_t code[] = {0x26, 0, T2, 0x23, 7, 0xff, 0x0f, 0x23, 7, 0, 0x13, 0x27};
        const struct agent_code condition = {code, sizeof code};
        OK(agent_insert_breakpoint(r->d, CODE + 8, &condition, 1, NULL, 0, &err));
        for (unsigned i = 0; i < 3; i++) {
            const uint64_t before = r->accesses;
            expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
            assert_int_equal(reg(r, 1, T2), 0x700 + 0x800 * i);
            assert_true(r->accesses - before < 100);
            uint32_t there;
            assert_true(r->machine->ops->read_memory(r->machine, 0, 0, CODE + 8, &there, 4));
            assert_int_equal(there, counting[2]);
        }
        /* A step arrives at it like a run: 2,048 times round, one instruction each. */
        const struct wt_resume inside = {
            .thread = 1, .kind = WT_RESUME_RANGE, .start = CODE, .end = CODE + 0x14};
        OK(wt_debugger_run(r->d, WT_FORWARDS, &inside, 1, &err));
        expect_stop(wait_event(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 0x700 + 0x800 * 3);
        /* Removed, it stops nobody. */
        OK(wt_debugger_remove_breakpoint(r->d, CODE + 8, &err));
        OK(wt_debugger_insert_breakpoint(r->d, CODE + 0x10, NULL, 0, NULL, 0, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 0x700 + 0x800 * 3 + 1);
        rig_free(r);
    }
}

static void a_condition_that_fails_stops(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        const uint8_t code[] = {0x22, 1, 0x22, 0, 0x05, 0x27}; /* 1 / 0 */
        const uint8_t no_register[] = {0x26, 0x7f, 0xff, 0x27};
        const struct agent_code condition = {code, sizeof code},
                                other = {no_register, sizeof no_register};
        OK(agent_insert_breakpoint(r->d, CODE + 8, &condition, 1, NULL, 0, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        OK(agent_insert_breakpoint(r->d, CODE + 8, &other, 1, NULL, 0, &err));
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(reg(r, 1, T2), 2);
        const uint8_t bad[] = {0x26};
        const struct agent_code malformed = {bad, 1};
        struct wt_error why;
        assert_int_equal(agent_insert_breakpoint(r->d, CODE + 8, &malformed, 1, NULL, 0, &why),
                         WT_INVALID);
        rig_free(r);
    }
}

static void commands_print_for_each_lane_and_do_not_stop(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, divergent, 13);
        /* a1, channel, function; printf of one argument */
        const uint8_t code[] = {0x26, 0,   A1,  0x22, 0,   0x22, 0,   0x34, 1, 0,   9,
                                'l',  'a', 'n', 'e',  ' ', '%',  'd', '\n', 0, 0x27};
        const uint8_t odd[] = {0x26, 0, A1, 0x22, 1, 0x0f, 0x27};
        const struct agent_code command = {code, sizeof code}, condition = {odd, sizeof odd};
        OK(agent_insert_breakpoint(r->d, CODE + 0x0c, &condition, 1, &command, 1, &err));
        expect_exit(go(r), 112);
        assert_string_equal(r->output, "lane 1\nlane 3\n");
        rig_free(r);
    }
}

/* ---- warps ---- */

static const uint32_t spawning[] = {
    /* 00 */ ADDI(A0, X0, 4),
    /* 04 */ AUIPC(A1, 0),
    /* 08 */ ADDI(A1, A1, 0x24),
    /* 0c */ WSPAWN(A0, A1),
    /* 10 */ J(X0, 0x18),
    /* 14 */ ADDI(A0, X0, 1), /* back: wait for all to end */
    /* 18 */ WSPAWN(A0, X0),
    /* 1c */ SW(S2, X0, 0x88),
    /* 20 */ TMC(X0),
    /* 24 */ ADDI(A4, X0, 0),
    /* 28 */ CSRR(A1, 0xcc1), /* every warp: count its number up */
    /* 2c */ ADDI(S2, A1, 10),
    /* 30 */ ADDI(S3, X0, 3),
    /* 34 */ ADDI(S3, S3, -1),
    /* 38 */ BNEZ(S3, -4),
    /* 3c */ ADDI(S2, S2, 1),
    /* 40 */ BEQZ(A1, -0x2c), /* warp 0 goes back */
    /* 44 */ TMC(X0),
};

static void every_warp_stops_once_at_a_breakpoint(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        unsigned seen = 0;
        insert(r, CODE + 0x3c);
        for (int i = 0; i < 4; i++) {
            struct wt_event e = go(r);
            expect_stop(e, WT_STOP_BREAKPOINT, 0);
            unsigned warp = (e.thread - 1) / 4;
            assert_int_equal(seen >> warp & 1, 0);
            seen |= 1u << warp;
            assert_int_equal(pc(r, e.thread), CODE + 0x3c);
            assert_int_equal(reg(r, e.thread, A1), warp);
            assert_int_equal(reg(r, e.thread, S2), warp + 10);
        }
        assert_int_equal(seen, 15);
        expect_exit(go(r), 11);
        rig_free(r);
    }
}

static void a_stop_halts_all_warps_at_the_same_issue_time(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        insert(r, CODE + 0x3c);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
        uint64_t time = r->machine->time;
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err));
        for (size_t i = 0; i < count; i++)
            assert_false(list[i].running);
        for (int i = 0; i < 100; i++)
            assert_false(wt_debugger_pump(r->d, 1000));
        assert_int_equal(r->machine->time, time);
        rig_free(r);
    }
}

static void stepping_one_warp_leaves_the_others_where_they_are(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        insert(r, CODE + 0x30);
        wt_thread first = go(r).thread;
        while ((go(r).thread - 1) / 4 == (first - 1) / 4)
            ;
        wt_thread second = wt_debugger_current_thread(r->d);
        wt_debugger_remove_all_breakpoints(r->d);
        uint64_t at = pc(r, first);
        uint64_t expected[] = {0x34, 0x38, 0x34, 0x38, 0x34, 0x38, 0x3c};
        for (int i = 0; i < 7; i++) {
            expect_stop(step(r, second), WT_STOP_STEP, second);
            assert_int_equal(pc(r, second), CODE + expected[i]);
            assert_int_equal(pc(r, first), at);
        }
        rig_free(r);
    }
}

static void a_warp_that_a_step_spawns_is_found_halted_at_its_first_instruction(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        for (int i = 0; i < 4; i++)
            expect_stop(step(r, 1), WT_STOP_STEP, 1);
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err));
        assert_int_equal(count, 16);
        for (unsigned w = 1; w < 4; w++) {
            assert_int_equal(list[4 * w].pc, CODE + 0x28);
            assert_true(list[4 * w].enabled);
            assert_false(list[4 * w + 1].enabled);
        }
        expect_exit(go(r), 11);
        rig_free(r);
    }
}

static void a_step_over_the_end_of_a_warp_stops(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        insert(r, CODE + 0x44);
        wt_thread thread = go(r).thread;
        struct wt_event e = step(r, thread);
        expect_stop(e, WT_STOP_STEP, 0);
        /* The event is of no thread: that warp has ended, and no other one has stepped. */
        assert_true(e.wave_ended);
        assert_int_equal(e.thread, 0);
        assert_non_null(strstr(e.text, "has ended"));
        assert_false(wt_debugger_thread_alive(r->d, thread));
        const wt_thread current = wt_debugger_current_thread(r->d);
        assert_true(wt_debugger_thread_alive(r->d, current));
        assert_int_not_equal((current - 1) / 4, (thread - 1) / 4);
        rig_free(r);
    }
}

static const uint32_t meeting[] = {
    /* 00 */ ADDI(A0, X0, 2),
    /* 04 */ AUIPC(A1, 0),
    /* 08 */ ADDI(A1, A1, 0x0c),
    /* 0c */ WSPAWN(A0, A1),
    /* 10 */ CSRR(A1, 0xcc1), /* both warps */
    /* 14 */ ADDI(A2, X0, 0),
    /* 18 */ ADDI(A3, X0, 2),
    /* 1c */ BAR(A2, A3),
    /* 20 */ ADDI(A4, X0, 77),
    /* 24 */ SW(A4, X0, 0x88),
    /* 28 */ TMC(X0),
};

static void a_step_that_waits_says_so_and_can_be_interrupted(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, meeting, 11);
        insert(r, CODE + 0x1c);
        wt_thread first = go(r).thread;
        wt_thread other = first == 1 ? 5 : 1;
        wt_debugger_remove_all_breakpoints(r->d);
        /* The barrier itself issues; what comes after it does not. */
        expect_stop(step(r, first), WT_STOP_STEP, first);
        resume_thread(r, first, WT_RESUME_STEP);
        for (int i = 0; i < 20; i++) {
            wt_debugger_pump(r->d, 1000);
            assert_int_equal(wt_debugger_next_event(r->d).kind, WT_EVENT_NONE);
        }
        assert_true(wt_debugger_running(r->d));
        assert_non_null(strstr(r->output, "stays pending"));
        OK(wt_debugger_interrupt(r->d, &err));
        expect_stop(wait_event(r), WT_STOP_INTERRUPTED, 0);
        assert_int_equal(pc(r, first), CODE + 0x20);
        /* The other can be stepped, although that step was never done. */
        while (pc(r, other) != CODE + 0x20)
            expect_stop(step(r, other), WT_STOP_STEP, other);
        assert_int_equal(pc(r, first), CODE + 0x20);
        expect_stop(step(r, first), WT_STOP_STEP, first);
        assert_int_equal(pc(r, first), CODE + 0x24);
        assert_int_equal(pc(r, other), CODE + 0x20);
        expect_exit(go(r), 77);
        rig_free(r);
    }
}

static void a_step_that_waits_is_done_when_others_run(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, meeting, 11);
        insert(r, CODE + 0x1c);
        wt_thread first = go(r).thread;
        wt_debugger_remove_all_breakpoints(r->d);
        expect_stop(step(r, first), WT_STOP_STEP, first);
        const struct wt_resume how[] = {{.thread = first, .kind = WT_RESUME_STEP},
                                        {.thread = 0, .kind = WT_RESUME_CONTINUE}};
        OK(wt_debugger_run(r->d, WT_FORWARDS, how, 2, &err));
        expect_stop(wait_event(r), WT_STOP_STEP, first);
        assert_int_equal(pc(r, first), CODE + 0x24);
        rig_free(r);
    }
}

static void a_breakpoint_on_a_barrier_lets_all_through(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, meeting, 11);
        insert(r, CODE + 0x1c);
        insert(r, CODE + 0x20);
        unsigned at[2] = {0};
        struct wt_event e;
        while ((e = go(r)).kind == WT_EVENT_STOPPED) {
            expect_stop(e, WT_STOP_BREAKPOINT, 0);
            at[pc(r, e.thread) == CODE + 0x20]++;
        }
        expect_exit(e, 77);
        assert_int_equal(at[0], 2);
        assert_int_equal(at[1], 2);
        rig_free(r);
    }
}

static void a_resumed_thread_whose_warp_ends_does_not_leave_the_client_waiting(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        insert(r, CODE + 0x44);
        wt_thread thread = go(r).thread;
        resume_thread(r, thread, WT_RESUME_CONTINUE);
        struct wt_event e = wait_event(r);
        assert_int_equal(e.kind, WT_EVENT_STOPPED);
        assert_int_equal(e.reason, WT_STOP_REQUESTED);
        assert_false(wt_debugger_running(r->d));
        rig_free(r);
    }
}

/* Its only warp is the one through which breakpoints are planted: it must not go before they are.
 */
static void a_device_that_does_not_wait_meets_its_first_breakpoint(void **state)
{
    const struct rig_options options = {
        .warps = 1, .dm_only = true, .bare = true, .restless = true};
    struct rig *r = rig_new(&options, divergent, 13);
    insert(r, CODE + 0x08);
    insert(r, CODE + 0x0c);
    expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
    assert_int_equal(pc(r, 1), CODE + 0x08);
    rig_free(r);
}

/* Warps that run on while one of them is looked at and taken past its breakpoint. */
static void breakpoints_that_do_not_stop_are_invisible_on_a_device_that_does_not_wait(void **state)
{
    static const char *const schedules[] = {"rr:1", "lockstep", "random:3"};
    for (unsigned i = 0; i < 24; i++) {
        const unsigned xlen = i & 1 ? 64 : 32;
        const struct rig_options options = {.xlen = xlen,
                                            .dm_only = true,
                                            .bare = true,
                                            .restless = true,
                                            .dm_clock = i >> 1 & 1,
                                            .ebreak_after = i >> 2 & 1,
                                            .schedule = schedules[i / 8]};
        const uint8_t no[] = {0x22, 0, 0x27};
        const struct agent_code never = {no, sizeof no};
        struct rig *r = rig_new(&options, spawning, 18);
        OK(agent_insert_breakpoint(r->d, CODE + 0x34, &never, 1, NULL, 0, &err));
        expect_exit(go(r), 11);
        rig_free(r);
        /* channel, function; printf */
        const uint8_t print[] = {0x22, 0, 0x22, 0, 0x34, 0, 0, 2, '.', 0, 0x27};
        const struct agent_code command = {print, sizeof print};
        r = rig_new(&options, spawning, 18);
        OK(agent_insert_breakpoint(r->d, CODE + 0x34, NULL, 0, &command, 1, &err));
        expect_exit(go(r), 11);
        assert_string_equal(r->output, "............"); /* three times in each of four warps */
        rig_free(r);
    }
}

/*
 * Warps meet their breakpoints between any two transactions of the halt that another one's stop
 * leads to. Where DPC points behind the ebreak, a hit that is taken for a requested halt is lost,
 * and with it the instruction at the breakpoint.
 */
static void every_warp_stops_each_time_on_a_device_that_does_not_wait(void **state)
{
    for (unsigned i = 0; i < 400; i++) {
        char schedule[16];
        snprintf(schedule, sizeof schedule, "random:%u", i);
        const struct rig_options options = {.xlen = i & 1 ? 64 : 32,
                                            .dm_only = true,
                                            .bare = true,
                                            .restless = true,
                                            .stride = 1 + i / 8 % 10,
                                            .dm_clock = i >> 1 & 1,
                                            .ebreak_after = i >> 2 & 1,
                                            .schedule = schedule};
        struct rig *r = rig_new(&options, spawning, 18);
        insert(r, CODE + 0x38);
        unsigned hits[4] = {0};
        struct wt_event e;
        while ((e = go(r)).kind == WT_EVENT_STOPPED) {
            expect_stop(e, WT_STOP_BREAKPOINT, e.thread);
            assert_int_equal(pc(r, e.thread), CODE + 0x38);
            hits[(e.thread - 1) / 4]++;
            assert_true(hits[(e.thread - 1) / 4] <= 3);
        }
        for (unsigned w = 0; w < 4; w++)
            assert_int_equal(hits[w], 3);
        expect_exit(e, 11);
        rig_free(r);
    }
}

/* General and floating-point registers are read like memory where the target has ports, and by
 * injection elsewhere: the same values, and no access of a debug register. */
static void registers_come_through_the_targets_port(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct rig *r[2];
        for (unsigned k = 0; k < 2; k++) {
            const struct rig_options options = {.xlen = xlen, .dm_only = k == 1};
            r[k] = rig_new(&options, divergent, 13);
            insert(r[k], CODE + 0x0c);
            expect_stop(go(r[k]), WT_STOP_BREAKPOINT, 0);
        }
        const struct wt_topology *t = wt_debugger_topology(r[0]->d);
        for (unsigned i = 0; i < t->register_count; i++) {
            const struct wt_register *one = &t->registers[i];
            if (strcmp(one->set, "cpu") != 0 && strcmp(one->set, "fpu") != 0)
                continue;
            for (wt_thread thread = 1; thread <= 4; thread++) {
                uint8_t value[2][WT_REGISTER_BITS / 8] = {{0}};
                const uint64_t before = r[0]->accesses;
                for (unsigned k = 0; k < 2; k++)
                    OK(wt_debugger_read_registers(r[k]->d, thread, &i, 1, value[k], &err));
                assert_memory_equal(value[0], value[1], wt_register_size(one));
                if (one->scope == WT_SCOPE_LANE && one->number <= 64)
                    assert_int_equal(r[0]->accesses, before);
            }
        }
        rig_free(r[0]);
        rig_free(r[1]);
    }
}

/* ---- clients' ways ---- */

static void stepping_another_lane_after_a_breakpoint_moves(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, divergent, 13);
        insert(r, CODE + 0x08);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        remove_bp(r, CODE + 0x08); /* as GDB does: lift, step, then insert for the next step */
        expect_stop(step(r, 1), WT_STOP_STEP, 1);
        insert(r, CODE + 0x08);
        expect_stop(step(r, 2), WT_STOP_STEP, 2);
        assert_int_equal(pc(r, 2), CODE + 0x10);
        rig_free(r);
    }
}

/* ---- non-stop ---- */

static void in_nonstop_other_warps_run_on(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        wt_debugger_set_nonstop(r->d, true);
        insert(r, CODE + 0x3c);
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        unsigned stopped = 0, others = 0;
        for (int i = 0; i < 10000 && wt_debugger_running(r->d); i++)
            wt_debugger_pump(r->d, 100);
        for (struct wt_event e; (e = wt_debugger_next_event(r->d)).kind != WT_EVENT_NONE;) {
            assert_int_equal(e.kind, WT_EVENT_STOPPED);
            if (e.reason == WT_STOP_BREAKPOINT)
                stopped |= 1u << (e.thread - 1) / 4;
            else
                others++;
            assert_int_equal(pc(r, e.thread), CODE + 0x3c);
        }
        assert_int_equal(stopped, 15);
        assert_int_equal(others, 12);
        /* One goes on by itself. */
        resume_thread(r, 5, WT_RESUME_CONTINUE);
        for (int i = 0; i < 1000 && wt_debugger_running(r->d); i++)
            wt_debugger_pump(r->d, 100);
        assert_false(wt_debugger_thread_alive(r->d, 5));
        assert_int_equal(pc(r, 1), CODE + 0x3c);
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        expect_exit(wait_event(r), 11);
        rig_free(r);
    }
}

static void in_nonstop_a_thread_is_stopped_by_request(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        wt_debugger_set_nonstop(r->d, true);
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        for (int i = 0; i < 5; i++)
            wt_debugger_pump(r->d, 100);
        struct wt_error why;
        uint64_t value;
        unsigned index = T2;
        assert_int_equal(wt_debugger_read_numbers(r->d, 1, &index, 1, &value, &why), WT_STATE);
        resume_thread(r, 1, WT_RESUME_STOP);
        for (wt_thread t = 1; t <= 4; t++)
            expect_stop(wait_event(r), WT_STOP_REQUESTED, t);
        assert_false(wt_debugger_running(r->d));
        assert_true(reg(r, 1, T2) > 0);
        rig_free(r);
    }
}

/* ---- shapes ---- */

static void many_lanes_become_threads_of_warps(void **state)
{
    const struct rig_options big = {.cores = 16, .warps = 4, .threads = 128};
    struct rig *r = rig_new(&big, divergent, 13);
    assert_int_equal(wt_debugger_thread_mode(r->d), WT_THREADS_WAVES); /* 16 * 128 lanes */
    const struct wt_thread_info *list;
    size_t count;
    OK(wt_debugger_threads(r->d, &list, &count, &err));
    assert_int_equal(count, 16);
    assert_int_equal(list[1].id, 1 + 4 * 128);
    assert_int_equal(list[1].core, 1);
    char name[64];
    wt_debugger_thread_name(r->d, list[1].id, name, sizeof name);
    assert_string_equal(name, "device 0, core 1, warp 0");
    insert(r, CODE + 0x0c);
    wt_thread thread = go(r).thread;
    OK(wt_debugger_choose_lane(r->d, 3, &err));
    assert_int_equal(reg(r, thread, A1), 3);
    OK(wt_debugger_choose_lane(r->d, 100, &err));
    assert_int_equal(reg(r, thread, A1), 0); /* never enabled: never written */
    struct wt_error why;
    assert_int_equal(wt_debugger_choose_lane(r->d, 128, &why), WT_INVALID);
    wt_debugger_set_thread_mode(r->d, WT_THREADS_LANES);
    OK(wt_debugger_threads(r->d, &list, &count, &err));
    assert_int_equal(count, 16 * 128);
    rig_free(r);

    const struct rig_options edge = {.cores = 8, .warps = 1, .threads = 128};
    r = rig_new(&edge, divergent, 13);
    assert_int_equal(wt_debugger_thread_mode(r->d), WT_THREADS_LANES); /* 1,024 */
    rig_free(r);
}

static void a_hundred_warps_need_several_windows(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig_options wide = *v;
        wide.cores = 10;
        wide.warps = 10;
        wide.threads = 2;
        wide.schedule = "lockstep";
        struct rig *r = rig_new(&wide, counting, 5);
        insert(r, CODE + 8);
        uint8_t seen[100] = {0};
        for (int i = 0; i < 10; i++) {
            struct wt_event e = go(r);
            expect_stop(e, WT_STOP_BREAKPOINT, 0);
            seen[(e.thread - 1) / 2]++;
        }
        for (int core = 0; core < 10; core++)
            assert_int_equal(seen[10 * core], 1);
        rig_free(r);
    }
}

/* ---- anything ---- */

/* One thing that a client might do; false when the program has ended. */
static bool do_something(struct rig *r, size_t words)
{
    static const uint8_t warp_is_1[] = {0x26, 0, A1, 0x22, 1, 0x13, 0x27};
    const struct agent_code condition = {warp_is_1, sizeof warp_is_1};
    struct wt_resume how[3] = {{0}};
    struct wt_error why;
    const struct wt_thread_info *list;
    size_t count, resumed = 1;
    uint64_t value[66];
    unsigned index[66];
    uint8_t bytes[100];
    OK(wt_debugger_threads(r->d, &list, &count, &err));
    if (count == 0)
        return false;
    const struct wt_thread_info info = list[(size_t)rand() % count];
    uint64_t addr = CODE + 4 * ((uint64_t)rand() % words);
    switch (rand() % 12) {
    case 0:
        insert(r, addr);
        return true;
    case 1:
        OK(agent_insert_breakpoint(r->d, addr, &condition, 1, NULL, 0, &err));
        return true;
    case 2:
    case 3:
        wt_debugger_remove_breakpoint(r->d, addr, &why);
        return true;
    case 4:
        for (unsigned i = 0; i < 66; i++)
            index[i] = i;
        OK(wt_debugger_read_numbers(r->d, info.id, index, 66, value, &err));
        OK(wt_debugger_write_number(r->d, info.id, A0, value[A0], &err));
        return true;
    case 5:
        OK(wt_debugger_read_memory(r->d, info.id, wt_address_of(addr + 1), bytes, sizeof bytes,
                                   &err));
        OK(wt_debugger_write_memory(r->d, info.id, wt_address_of(addr + 1), bytes, sizeof bytes,
                                    &err));
        return true;
    case 6:
    case 7:
    case 8:
        how[0] = (struct wt_resume){.thread = info.id, .kind = WT_RESUME_STEP};
        break;
    case 9:
        how[0] = (struct wt_resume){
            .thread = info.id, .kind = WT_RESUME_RANGE, .start = addr, .end = addr + 12};
        how[1].kind = WT_RESUME_CONTINUE;
        resumed = 2;
        break;
    case 10:
        how[0] = (struct wt_resume){.thread = info.id, .kind = WT_RESUME_STEP};
        how[1].kind = WT_RESUME_CONTINUE;
        resumed = 2;
        break;
    default:
        break; /* all go on */
    }
    OK(wt_debugger_run(r->d, WT_FORWARDS, how, resumed, &err));
    for (int i = rand() % 20; i >= 0; i--)
        wt_debugger_pump(r->d, 1 + (uint64_t)rand() % 8);
    struct wt_event e = wt_debugger_next_event(r->d);
    if (e.kind == WT_EVENT_NONE && wt_debugger_interrupt(r->d, &why) == WT_OK)
        e = wt_debugger_next_event(r->d);
    assert_int_not_equal(e.kind, WT_EVENT_NONE);
    if (e.kind == WT_EVENT_STOPPED && (e.reason == WT_STOP_FAULT || e.reason == WT_STOP_LOST))
        fail_msg("the program is said to fail: %s", e.text);
    assert_false(wt_debugger_running(r->d));
    return e.kind != WT_EVENT_EXITED;
}

static void whatever_a_debugger_does_the_program_ends_the_same(void **state)
{
    const struct {
        const uint32_t *code;
        size_t words;
        uint32_t status;
    } program[] = {{divergent, 13, 112}, {spawning, 18, 11}, {meeting, 11, 77}};
    srand(13);
    for (int i = 0; i < 40; i++) {
        FOR_VARIANTS(v)
        {
            struct rig_options o = *v;
            char schedule[32];
            size_t k = (size_t)rand() % 3;
            snprintf(schedule, sizeof schedule, rand() % 2 ? "random:%d" : "rr:%d", 1 + rand() % 9);
            o.schedule = schedule;
            struct rig *r = rig_new(&o, program[k].code, program[k].words);
            bool going = true;
            for (int n = 0; n < 60 && going; n++)
                going = do_something(r, program[k].words);
            if (going) {
                wt_debugger_remove_all_breakpoints(r->d);
                expect_exit(go(r), program[k].status);
            }
            uint32_t status;
            assert_true(wt_debugger_ended(r->d, &status));
            assert_int_equal(status, program[k].status);
            /* And nothing is left in its code. */
            wt_debugger_remove_all_breakpoints(r->d);
            wt_debugger_close(r->d);
            r->d = NULL;
            for (size_t word = 0; word < program[k].words; word++) {
                uint32_t now;
                r->machine->ops->read_memory(r->machine, 0, 0, CODE + 4 * word, &now, 4);
                assert_int_equal(now, program[k].code[word]);
            }
            rig_free(r);
        }
    }
}

/* ---- a device that fails ---- */

static void a_lost_device_is_reported_wherever_it_is_lost(void **state)
{
    FOR_VARIANTS(v)
    {
        for (unsigned k = 1; k < 60; k += 7) {
            struct rig *r = rig_new(v, spawning, 18);
            struct wt_error why;
            insert(r, CODE + 0x3c);
            expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
            r->fail_at = r->accesses + k;
            const struct wt_resume all = {.thread = 0, .kind = WT_RESUME_CONTINUE};
            if (wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &why) == WT_OK) {
                struct wt_event e = wait_event(r);
                if (e.reason != WT_STOP_BREAKPOINT && e.reason != WT_STOP_LOST)
                    fail_msg("access %u: %s %s", k, reason_name(e.reason), e.text);
            } else {
                assert_non_null(strstr(why.text, "cut"));
            }
            assert_false(wt_debugger_running(r->d));
            /* The wire is mended: all is there again, the breakpoint too, and the program ends. */
            r->fail_at = 0;
            const struct wt_thread_info *list;
            size_t count;
            OK(wt_debugger_threads(r->d, &list, &count, &err));
            for (size_t i = 0; i < count; i++)
                assert_false(list[i].running);
            struct wt_event e;
            for (int i = 0; i < 8 && (e = go(r)).kind == WT_EVENT_STOPPED; i++) {
                expect_stop(e, WT_STOP_BREAKPOINT, 0);
                assert_int_equal(pc(r, e.thread), CODE + 0x3c);
            }
            expect_exit(e, 11);
            rig_free(r);
        }
    }
}

static void a_device_that_hangs_times_out(void **state)
{
    const struct rig_options dm = {.dm_only = true};
    struct rig *r = rig_new(&dm, counting, 5);
    struct wt_error why = {0};
    uint32_t word;
    expect_stop(step(r, 1), WT_STOP_STEP, 1);
    r->hang_at = r->accesses + 10;
    assert_int_equal(wt_debugger_read_memory(r->d, 1, wt_address_of(CODE), &word, 4, &why),
                     WT_TIMEOUT);
    assert_non_null(strstr(why.text, "injectstate"));
    r->hang_at = 0;
    OK(wt_debugger_read_memory(r->d, 1, wt_address_of(CODE), &word, 4, &err));
    assert_int_equal(word, counting[0]);
    rig_free(r);
}

/* The program afresh in a device that was without power, its Debug Module asleep. */
static void power_cycle(struct rig *r)
{
    rig_load(r, WT_IGNORED);
    vx_dm_write(r->device, VX_DM_DCTRL, 0);
}

static void a_device_that_was_without_power_is_taken_up_again(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        struct wt_error why = {0};
        uint64_t value;
        const unsigned index = T0;
        insert(r, CODE + 0x3c);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
        wt_thread thread = wt_debugger_current_thread(r->d);
        power_cycle(r);
        /* What injects notices; registers that are still known need no device. */
        enum wt_status status = WT_OK;
        for (int i = 0; i < 2 && !status; i++) {
            const struct wt_resume one = {.thread = 0, .kind = WT_RESUME_CONTINUE};
            status = i ? wt_debugger_run(r->d, WT_FORWARDS, &one, 1, &why)
                       : wt_debugger_read_numbers(r->d, thread, &index, 1, &value, &why);
        }
        assert_int_equal(status, WT_IO);
        assert_non_null(
            strstr(why.text, "the Debug Module is not active any more (DCTRL reads 0x"));
        /* The next command finds it: halted, in its first instructions, the breakpoint inserted. */
        OK(wt_debugger_reattach(r->d, &err));
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err));
        assert_true(list[0].core == 0 && list[0].wave_in_core == 0);
        assert_false(list[0].running);
        struct wt_event e;
        for (int i = 0; i < 8 && (e = go(r)).kind == WT_EVENT_STOPPED; i++) {
            expect_stop(e, WT_STOP_BREAKPOINT, 0);
            assert_int_equal(pc(r, e.thread), CODE + 0x3c);
        }
        expect_exit(e, 11);
        rig_free(r);
    }
}

static void an_access_that_failed_has_the_device_looked_at_afresh(void **state)
{
    const struct rig_options dm = {.dm_only = true};
    struct rig *r = rig_new(&dm, spawning, 18);
    struct wt_error why = {0};
    uint32_t word;
    insert(r, CODE + 0x3c);
    expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
    r->fail_at = r->accesses + 3;
    assert_int_equal(wt_debugger_read_memory(r->d, 0, wt_address_of(CODE), &word, 4, &why), WT_IO);
    r->fail_at = 0;
    /* Meanwhile it was reset, its memory loaded: what the debugger planted is gone. */
    power_cycle(r);
    OK(wt_debugger_read_memory(r->d, 0, wt_address_of(CODE + 0x3c), &word, 4, &err));
    assert_int_equal(word, spawning[0x3c / 4]);
    expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
    rig_free(r);
}

static void reattaching_stops_what_runs(void **state)
{
    const struct rig_options dm = {.dm_only = true};
    struct rig *r = rig_new(&dm, counting, 5);
    const struct wt_resume all = {.thread = 0, .kind = WT_RESUME_CONTINUE};
    OK(wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &err));
    OK(wt_debugger_reattach(r->d, &err));
    assert_false(wt_debugger_running(r->d));
    struct wt_event e = wt_debugger_next_event(r->d);
    assert_int_equal(e.kind, WT_EVENT_STOPPED);
    assert_int_equal(e.reason, WT_STOP_INTERRUPTED);
    /* It cannot be had: the client is told, and that it is not there. */
    OK(wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &err));
    r->fail_at = 1;
    struct wt_error why;
    assert_int_equal(wt_debugger_reattach(r->d, &why), WT_IO);
    e = wt_debugger_next_event(r->d);
    assert_int_equal(e.reason, WT_STOP_LOST);
    r->fail_at = 0;
    rig_free(r);
}

/* Whoever asked for a stop waits for an event: there is one, whatever happens to the wire. */
static void an_interrupt_is_always_answered(void **state)
{
    FOR_VARIANTS(v)
    {
        bool interrupted = false;
        for (unsigned k = 1; !interrupted; k++) {
            struct rig *r = rig_new(v, counting, 5);
            const struct wt_resume all = {.thread = 0, .kind = WT_RESUME_CONTINUE};
            OK(wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &err));
            r->fail_at = r->accesses + k;
            OK(wt_debugger_interrupt(r->d, &err));
            struct wt_event e = wt_debugger_next_event(r->d);
            assert_int_equal(e.kind, WT_EVENT_STOPPED);
            interrupted = e.reason == WT_STOP_INTERRUPTED;
            if (!interrupted) {
                assert_int_equal(e.reason, WT_STOP_LOST);
                assert_non_null(strstr(e.text, "cut"));
            }
            assert_false(wt_debugger_running(r->d));
            r->fail_at = 0;
            expect_stop(step(r, 1), WT_STOP_STEP, 1);
            rig_free(r);
        }
    }
}

/* ---- what another debugger left behind ---- */

/* Plants a breakpoint instruction past the debugger. */
static void plant(struct rig *r, uint64_t addr, uint32_t word, size_t size)
{
    assert_true(r->machine->ops->write_memory(r->machine, 0, 0, addr, &word, size));
}

static void forgotten_breakpoints_are_found_and_lifted(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        uint32_t big[3000];
        for (size_t i = 0; i < 3000; i++)
            big[i] = i < 18 ? spawning[i] : i == 100 ? EBREAK : ADDI(0, 0, (int)(i & 0x7ff));
        assert_true(r->machine->ops->write_memory(r->machine, 0, 0, CODE, big, sizeof big));
        const struct wt_code code[] = {{CODE, (const uint8_t *)big, sizeof big}};
        uint64_t looked, total;
        size_t count;
        OK(wt_debugger_find_leftovers(r->d, 0, &looked, &total, &err));
        assert_int_equal(total, 0); /* no code is known */
        wt_debugger_set_code(r->d, code, 1);
        insert(r, CODE + 0x3c);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 0);
        /* The debugger's own one is none, nor is the program's, at 400. */
        OK(wt_debugger_find_leftovers(r->d, 0, &looked, &total, &err));
        wt_debugger_leftovers(r->d, &count);
        assert_int_equal(count, 0);
        assert_int_equal(looked, sizeof big);
        assert_int_equal(total, sizeof big);
        /* In the first instruction, across the border of what is read at a time, a short one, and
         * under the debugger's own. */
        plant(r, CODE, EBREAK, 4);
        plant(r, CODE + 4094, EBREAK, 4);
        plant(r, CODE + 4094 + 4096, 0x9002, 2);
        plant(r, CODE + sizeof big - 4, EBREAK, 4);
        OK(wt_debugger_find_leftovers(r->d, 0, &looked, &total, &err));
        const struct wt_leftover *list = wt_debugger_leftovers(r->d, &count);
        assert_int_equal(count, 4);
        assert_int_equal(list[0].addr, CODE);
        assert_int_equal(list[1].addr, CODE + 4094);
        assert_int_equal(list[1].original.size, 4);
        assert_int_equal(list[2].addr, CODE + 4094 + 4096);
        assert_int_equal(list[2].original.size, 2);
        assert_int_equal(list[3].addr, CODE + sizeof big - 4);
        OK(wt_debugger_lift_leftovers(r->d, &err));
        wt_debugger_leftovers(r->d, &count);
        assert_int_equal(count, 0);
        uint8_t now[sizeof big];
        OK(wt_debugger_read_memory(r->d, 0, wt_address_of(CODE), now, sizeof now, &err));
        assert_memory_equal(now, big, sizeof big);
        struct wt_event e = go(r); /* ours is still there */
        expect_stop(e, WT_STOP_BREAKPOINT, 0);
        assert_int_equal(pc(r, e.thread), CODE + 0x3c);
        rig_free(r);
    }
}

static void a_warp_that_another_debugger_left_at_a_breakpoint_stands_at_it(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, spawning, 18);
        insert(r, CODE + 0x3c);
        /* All warps meet it, and nobody looks: then the debugger dies. */
        const struct wt_resume all = {.thread = 0, .kind = WT_RESUME_CONTINUE};
        OK(wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &err));
        for (int i = 0; i < 100; i++)
            rig_pump(r, 1000);
        struct wt_debugger *dead = r->d;
        const struct wt_debugger_options how = {.dm_only = v->dm_only};
        OK(wt_debugger_open(&r->target, &wt_probe_vortex, &how, &r->d, &err));
        if (wt_debugger_running(r->d))
            OK(wt_debugger_interrupt(r->d, &err));
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err));
        assert_true(count >= 12);
        for (size_t i = 0; i < count; i++)
            if (list[i].core || list[i].wave_in_core)
                assert_int_equal(list[i].pc, CODE + 0x3c);
        wt_debugger_close(dead);
        rig_free(r);
    }
}

static void requests_that_make_no_sense_are_refused(void **state)
{
    struct rig *r = rig_new(&variants[0], counting, 5);
    struct wt_error why;
    uint64_t value;
    unsigned index = 5, bad = 100000;
    const struct wt_resume none = {.thread = 999, .kind = WT_RESUME_STEP};
    const struct wt_resume stop = {.thread = 1, .kind = WT_RESUME_STOP};
    assert_int_equal(wt_debugger_run(r->d, WT_FORWARDS, &none, 1, &why), WT_INVALID);
    assert_int_equal(wt_debugger_run(r->d, WT_FORWARDS, &stop, 1, &why), WT_INVALID);
    assert_int_equal(wt_debugger_read_numbers(r->d, 9, &index, 1, &value, &why), WT_INVALID);
    assert_int_equal(wt_debugger_read_numbers(r->d, 1, &bad, 1, &value, &why), WT_INVALID);
    assert_int_equal(wt_debugger_write_number(r->d, 1, bad, 1, &why), WT_INVALID);
    assert_int_equal(agent_insert_breakpoint(r->d, CODE + 1, NULL, 0, NULL, 0, &why), WT_INVALID);
    assert_int_equal(agent_insert_breakpoint(r->d, 1ull << 32, NULL, 0, NULL, 0, &why), WT_INVALID);
    assert_int_equal(wt_debugger_remove_breakpoint(r->d, CODE, &why), WT_INVALID);
    assert_int_equal(wt_debugger_interrupt(r->d, &why), WT_STATE);
    char name[8];
    wt_debugger_thread_name(r->d, 4000000000u, name, sizeof name);
    assert_string_equal(name, "?");
    assert_false(wt_debugger_thread_alive(r->d, 0));
    resume_thread(r, 0, WT_RESUME_CONTINUE);
    const struct wt_resume all = {.thread = 0, .kind = WT_RESUME_CONTINUE};
    assert_int_equal(wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &why), WT_STATE);
    assert_int_equal(wt_debugger_read_numbers(r->d, 1, &index, 1, &value, &why), WT_STATE);
    rig_free(r);
}

static void closing_leaves_the_program_as_it_was(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, counting, 5);
        uint32_t word;
        insert(r, CODE + 8);
        expect_stop(go(r), WT_STOP_BREAKPOINT, 1);
        wt_debugger_close(r->d);
        r->machine->ops->read_memory(r->machine, 0, 0, CODE + 8, &word, 4);
        assert_int_equal(word, counting[2]);
        /* Attached again, it is found halted there. */
        const struct wt_debugger_options how = {.dm_only = v->dm_only};
        OK(wt_debugger_open(&r->target, &wt_probe_vortex, &how, &r->d, &err));
        assert_false(wt_debugger_running(r->d));
        assert_int_equal(pc(r, 1), CODE + 8);
        assert_int_equal(reg(r, 1, T2), 1);
        rig_free(r);
    }
}

static void attaching_to_a_running_program_leaves_it_running(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_device(v, counting, 5);
        r->machine->ops->run(r->machine, 1000);
        const struct wt_debugger_options how = {.dm_only = v->dm_only};
        OK(wt_debugger_open(&r->target, &wt_probe_vortex, &how, &r->d, &err));
        assert_true(wt_debugger_running(r->d));
        uint64_t time = r->machine->time;
        wt_debugger_pump(r->d, 1000);
        assert_true(r->machine->time > time);
        insert(r, CODE + 8); /* while it runs */
        expect_stop(wait_event(r), WT_STOP_BREAKPOINT, 1);
        assert_int_equal(pc(r, 1), CODE + 8);
        rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_breakpoint_stops_each_time_without_the_client_stepping),
        cmocka_unit_test(each_client_has_its_own_breakpoint_at_an_address),
        cmocka_unit_test(one_client_prints_where_another_one_stops),
        cmocka_unit_test(clients_that_lift_step_and_insert_see_every_pass),
        cmocka_unit_test(a_step_onto_a_breakpoint_does_not_hide_it),
        cmocka_unit_test(setting_pc_to_a_breakpoint_meets_it_again),
        cmocka_unit_test(what_the_client_reads_is_the_original),
        cmocka_unit_test(a_range_is_stepped_until_it_is_left),
        cmocka_unit_test(an_endless_program_is_interrupted),
        cmocka_unit_test(an_ebreak_of_the_program_traps_once_and_is_passed),
        cmocka_unit_test(a_fault_stops_at_its_instruction_and_can_be_mended),
        cmocka_unit_test(a_restart_runs_from_the_beginning),
        cmocka_unit_test(a_step_follows_its_lane_through_divergence),
        cmocka_unit_test(masked_off_lanes_are_shown_where_they_wake_up),
        cmocka_unit_test(the_active_lanes_can_be_chosen),
        cmocka_unit_test(a_condition_chooses_the_lane),
        cmocka_unit_test(only_active_lanes_meet_a_breakpoint),
        cmocka_unit_test(conditions_that_the_engine_evaluates_touch_nothing),
        cmocka_unit_test(a_condition_that_fails_stops),
        cmocka_unit_test(commands_print_for_each_lane_and_do_not_stop),
        cmocka_unit_test(every_warp_stops_once_at_a_breakpoint),
        cmocka_unit_test(a_stop_halts_all_warps_at_the_same_issue_time),
        cmocka_unit_test(stepping_one_warp_leaves_the_others_where_they_are),
        cmocka_unit_test(a_warp_that_a_step_spawns_is_found_halted_at_its_first_instruction),
        cmocka_unit_test(a_step_over_the_end_of_a_warp_stops),
        cmocka_unit_test(a_step_that_waits_says_so_and_can_be_interrupted),
        cmocka_unit_test(a_step_that_waits_is_done_when_others_run),
        cmocka_unit_test(a_breakpoint_on_a_barrier_lets_all_through),
        cmocka_unit_test(a_resumed_thread_whose_warp_ends_does_not_leave_the_client_waiting),
        cmocka_unit_test(a_device_that_does_not_wait_meets_its_first_breakpoint),
        cmocka_unit_test(breakpoints_that_do_not_stop_are_invisible_on_a_device_that_does_not_wait),
        cmocka_unit_test(every_warp_stops_each_time_on_a_device_that_does_not_wait),
        cmocka_unit_test(registers_come_through_the_targets_port),
        cmocka_unit_test(stepping_another_lane_after_a_breakpoint_moves),
        cmocka_unit_test(in_nonstop_other_warps_run_on),
        cmocka_unit_test(in_nonstop_a_thread_is_stopped_by_request),
        cmocka_unit_test(many_lanes_become_threads_of_warps),
        cmocka_unit_test(a_hundred_warps_need_several_windows),
        cmocka_unit_test(whatever_a_debugger_does_the_program_ends_the_same),
        cmocka_unit_test(a_lost_device_is_reported_wherever_it_is_lost),
        cmocka_unit_test(a_device_that_hangs_times_out),
        cmocka_unit_test(a_device_that_was_without_power_is_taken_up_again),
        cmocka_unit_test(an_access_that_failed_has_the_device_looked_at_afresh),
        cmocka_unit_test(reattaching_stops_what_runs),
        cmocka_unit_test(an_interrupt_is_always_answered),
        cmocka_unit_test(forgotten_breakpoints_are_found_and_lifted),
        cmocka_unit_test(a_warp_that_another_debugger_left_at_a_breakpoint_stands_at_it),
        cmocka_unit_test(requests_that_make_no_sense_are_refused),
        cmocka_unit_test(closing_leaves_the_program_as_it_was),
        cmocka_unit_test(attaching_to_a_running_program_leaves_it_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
