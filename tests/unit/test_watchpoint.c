/*
 * Watchpoints of the debugger against the emulator, in both widths, with the memory port and
 * through the Debug Module alone, at once done and slow; and the refusal of a device that cannot
 * watch.
 */

#include "debug/core/going.h"
#include "mixed_program.h"
#include "steered.h"
#include "../names.h"
#include "wait.h"

static const struct rig_options variants[] = {
    {.xlen = 32, .warps = 2},
    {.xlen = 64, .warps = 2, .threads = 32},
    {.xlen = 32, .warps = 2, .dm_only = true},
    {.xlen = 32, .warps = 2, .dm_clock = 1},
    {.xlen = 64, .warps = 2, .dm_only = true, .dm_clock = 1, .ebreak_after = true},
};

#define PLACE 0x10000000u

/* Each lane writes its number to a word of its own, then all write one word, and read it; thrice.
 * Both warps do it, the second one 0x100 further on. */
enum {
    BEFORE = CODE + 4 * 13,
    OWN = BEFORE + 4,
    COMMON = OWN + 4,
    LOOK = OWN + 8,
    AGAIN = OWN + 12
};
static const uint32_t program[] = {
    CSRR(A0, 0xfc1),         AUIPC(A1, 0),     ADDI(A1, A1, 3 * 4), WSPAWN(A0, A1),
    ADDI(T0, X0, -1),        TMC(T0),          CSRR(S1, 0xcc1),     SLLI(S1, S1, 8), /* warp */
    CSRR(S2, 0xcc0),         SLLI(A5, S2, 2),                                        /* lane */
    LUI(A4, PLACE >> 12),    ADD(A4, A4, S1),  ADD(A5, A5, A4),     ADDI(T2, X0, 3),
    /* OWN */ SW(S2, A5, 0), SW(T2, A4, 0x80), LW(A0, A4, 0x80),    ADDI(T2, T2, -1),
    BNEZ(T2, -16),           TMC(X0),
};

static struct rig *begin(const struct rig_options *v)
{
    struct rig_options options = *v;
    options.schedule = "lockstep";
    return rig_new(&options, program, sizeof program / sizeof *program);
}

static void watch(struct rig *r, enum wt_watchpoint_kind kind, uint64_t addr, uint64_t size,
                  bool changes)
{
    OK(wt_debugger_insert_watchpoint(
        r->d, &(struct wt_watchpoint_request){kind, {0, addr}, size, 1, changes, 0, 0, NULL, 0, 0},
        &err));
}

static void unwatch(struct rig *r, enum wt_watchpoint_kind kind, uint64_t addr, uint64_t size,
                    bool changes)
{
    OK(wt_debugger_remove_watchpoint(
        r->d, &(struct wt_watchpoint_request){kind, {0, addr}, size, 1, changes, 0, 0, NULL, 0, 0},
        &err));
}

static void expect(struct wt_event e, enum wt_stop_reason reason, wt_thread thread)
{
    if (e.kind != WT_EVENT_STOPPED || e.reason != reason || (thread && e.thread != thread))
        fail_msg("%s %s thread %u \"%s\", not %s thread %u", event_name(e.kind),
                 reason_name(e.reason), (unsigned)e.thread, e.text, reason_name(reason),
                 (unsigned)thread);
}

/* Both warps stand before the loop. */
static void all_to_loop(struct rig *r)
{
    OK(wt_debugger_insert_breakpoint(r->d, BEFORE, NULL, 0, NULL, 0, &err));
    expect(go(r), WT_STOP_BREAKPOINT, 1);
    expect(resume(r, r->machine->lanes + 1, WT_RESUME_CONTINUE), WT_STOP_BREAKPOINT, 0);
    OK(wt_debugger_remove_breakpoint(r->d, BEFORE, &err));
}

static uint64_t pc_of(struct rig *r, wt_thread thread)
{
    return reg(r, thread, 32);
}

static void a_write_stops_behind_it_and_names_the_lane(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        all_to_loop(r);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 4 * 2 + 1, 1, false);
        for (unsigned i = 0; i < 3; i++) {
            const struct wt_event e = go(r);
            expect(e, WT_STOP_WATCHPOINT, 3);
            assert_int_equal(e.watch, WT_WATCHPOINT_WRITE);
            assert_true(e.addr.offset == PLACE + 9 && e.lanes == 4);
            assert_string_equal(
                e.text, i ? "device 0, core 0, warp 0, thread 2 wrote to 0x10000008: 0x2 -> 0x2"
                          : "device 0, core 0, warp 0, thread 2 wrote to 0x10000008: 0x0 -> 0x2");
            assert_int_equal(pc_of(r, 3), COMMON);
            assert_int_equal(reg(r, 3, T2), 3 - i);
        }
        assert_int_equal(go(r).kind, WT_EVENT_EXITED);
        rig_free(r);
    }
}

static void only_changes_count_where_that_is_wanted(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        all_to_loop(r);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 4 * 2, 4, true);
        /* Byte 1 of its word is never other than 0. */
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 4 * 3 + 1, 3, true);
        expect(go(r), WT_STOP_WATCHPOINT, 3);
        assert_int_equal(go(r).kind, WT_EVENT_EXITED);
        rig_free(r);
    }
}

static void the_lane_that_is_looked_at_is_told_first(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        const unsigned lanes = r->machine->lanes;
        char all[64];
        all_to_loop(r);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 0x80, 4, false);
        watch(r, WT_WATCHPOINT_READ, PLACE + 0x180, 4, false);
        wt_debugger_focus(r->d, 4);
        struct wt_event e = go(r);
        expect(e, WT_STOP_WATCHPOINT, 4);
        assert_true(e.lanes == wt_lanes_first(lanes));
        snprintf(all, sizeof all, lanes == 4 ? "so did threads 0-2" : "so did threads 0-2, 4-31");
        assert_non_null(strstr(e.text, "thread 3 wrote to 0x10000080: 0x3 -> 0x3; "));
        assert_non_null(strstr(e.text, all));
        /* The one that it stopped for is looked at from then on; of another warp, the lowest. */
        expect(go(r), WT_STOP_WATCHPOINT, 0);
        do {
            e = go(r);
        } while (e.kind == WT_EVENT_STOPPED && e.watch != WT_WATCHPOINT_READ);
        expect(e, WT_STOP_WATCHPOINT, lanes + 1);
        assert_non_null(strstr(e.text, "warp 1, thread 0 read 0x10000180: 0x"));
        rig_free(r);
    }
}

static void each_watchpoint_of_one_instruction_is_told(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        all_to_loop(r);
        watch(r, WT_WATCHPOINT_WRITE, PLACE, 4, false);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 4, 4, false);
        watch(r, WT_WATCHPOINT_ACCESS, PLACE + 6, 100, false); /* the same byte lies in it, too */
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 12, 2, false);
        wt_debugger_focus(r->d, 2);
        const uint64_t time = r->machine->time;
        struct wt_event e = go(r);
        expect(e, WT_STOP_WATCHPOINT, 2);
        assert_true(e.addr.offset == PLACE + 4);
        const uint64_t after = r->machine->time;
        assert_true(after > time);
        uint32_t seen = 0;
        for (unsigned i = 0; i < 3; i++) {
            /* Clients lift them at each stop. */
            unwatch(r, WT_WATCHPOINT_WRITE, PLACE + 12, 2, false);
            watch(r, WT_WATCHPOINT_WRITE, PLACE + 12, 2, false);
            e = go(r);
            expect(e, WT_STOP_WATCHPOINT, 0);
            assert_true(r->machine->time == after);
            seen |= 1u << (e.addr.offset - PLACE);
        }
        assert_int_equal(seen, 1u << 0 | 1u << 6 | 1u << 12);
        /* What is not watched any more is not told. */
        do {
            e = go(r);
        } while (r->machine->time == after);
        unwatch(r, WT_WATCHPOINT_WRITE, PLACE, 4, false);
        unwatch(r, WT_WATCHPOINT_WRITE, PLACE + 4, 4, false);
        unwatch(r, WT_WATCHPOINT_ACCESS, PLACE + 6, 100, false);
        unwatch(r, WT_WATCHPOINT_WRITE, PLACE + 12, 2, false);
        assert_int_equal(go(r).kind, WT_EVENT_EXITED);
        assert_int_equal(r->watched, 0);
        rig_free(r);
    }
}

static void a_step_is_told_as_well(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        all_to_loop(r);
        watch(r, WT_WATCHPOINT_WRITE, PLACE, 0x80, false);
        expect(resume(r, 2, WT_RESUME_STEP), WT_STOP_STEP, 2);
        expect(resume(r, 2, WT_RESUME_STEP), WT_STOP_WATCHPOINT, 2);
        assert_int_equal(pc_of(r, 2), COMMON);
        unwatch(r, WT_WATCHPOINT_WRITE, PLACE, 0x80, false);
        expect(resume(r, 2, WT_RESUME_STEP), WT_STOP_STEP, 2);
        /* In the midst of a range, and off a breakpoint. */
        watch(r, WT_WATCHPOINT_READ, PLACE + 0x80, 4, false);
        const struct wt_resume range = {
            .thread = 2, .kind = WT_RESUME_RANGE, .start = OWN, .end = AGAIN + 4};
        OK(wt_debugger_run(r->d, WT_FORWARDS, &range, 1, &err));
        expect(wait_event(r), WT_STOP_WATCHPOINT, 2);
        assert_int_equal(pc_of(r, 2), AGAIN);
        OK(wt_debugger_insert_breakpoint(r->d, LOOK, NULL, 0, NULL, 0, &err));
        expect(resume(r, 1, WT_RESUME_CONTINUE), WT_STOP_BREAKPOINT, 0);
        assert_int_equal(pc_of(r, 1), LOOK);
        expect(resume(r, 1, WT_RESUME_CONTINUE), WT_STOP_WATCHPOINT, 0);
        assert_int_equal(pc_of(r, 1), AGAIN);
        rig_free(r);
    }
}

static void waves_that_nobody_steps_are_told_too(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        const unsigned lanes = r->machine->lanes;
        all_to_loop(r);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 0x100, 4, false);
        /* Warp 0 steps a long range, warp 1 runs meanwhile. */
        const struct wt_resume how[] = {
            {.thread = 1, .kind = WT_RESUME_RANGE, .start = BEFORE, .end = AGAIN + 8},
            {.kind = WT_RESUME_CONTINUE}};
        OK(wt_debugger_run(r->d, WT_FORWARDS, how, 2, &err));
        const struct wt_event e = wait_event(r);
        expect(e, WT_STOP_WATCHPOINT, lanes + 1);
        rig_free(r);
    }
}

static void nonstop_halts_that_wave_only(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        const unsigned lanes = r->machine->lanes;
        all_to_loop(r);
        wt_debugger_set_nonstop(r->d, true);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 0x100, 4, false);
        struct wt_event e = go(r);
        expect(e, WT_STOP_WATCHPOINT, lanes + 1);
        for (unsigned i = 1; i < lanes; i++)
            expect(wt_debugger_next_event(r->d), WT_STOP_REQUESTED, 0);
        /* The other one comes to its end. */
        UNTIL(!wt_debugger_running(r->d), wt_debugger_pump(r->d, 100));
        assert_false(wt_debugger_thread_alive(r->d, 1));
        assert_true(wt_debugger_thread_alive(r->d, lanes + 1));
        expect(resume(r, lanes + 1, WT_RESUME_CONTINUE), WT_STOP_WATCHPOINT, lanes + 1);
        rig_free(r);
    }
}

static void a_thread_may_be_a_wave(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig_options options = *v;
        options.threads_mode = WT_THREADS_WAVES;
        struct rig *r = begin(&options);
        watch(r, WT_WATCHPOINT_WRITE, 0, PLACE, false);
        watch(r, WT_WATCHPOINT_WRITE, PLACE + 0x80, 4, false);
        OK(wt_debugger_insert_breakpoint(r->d, OWN, NULL, 0, NULL, 0, &err));
        const struct wt_event first = go(r);
        expect(first, WT_STOP_BREAKPOINT, 0);
        OK(wt_debugger_choose_lane(r->d, 1, &err));
        unwatch(r, WT_WATCHPOINT_WRITE, 0, PLACE, false);
        struct wt_event e;
        do {
            e = go(r);
        } while (e.reason == WT_STOP_BREAKPOINT);
        expect(e, WT_STOP_WATCHPOINT, 1);
        assert_int_equal(wt_debugger_chosen_lane(r->d), 1);
        rig_free(r);
    }
}

static void a_restart_keeps_them(void **state)
{
    struct rig *r = begin(&variants[0]);
    watch(r, WT_WATCHPOINT_WRITE, PLACE + 0x80, 4, true);
    expect(go(r), WT_STOP_WATCHPOINT, 1);
    OK(wt_debugger_restart(r->d, &err));
    expect(go(r), WT_STOP_WATCHPOINT, 1);
    assert_int_equal(r->watched, 1);
    wt_debugger_remove_all_watchpoints(r->d);
    assert_int_equal(go(r).kind, WT_EVENT_EXITED);
    assert_int_equal(r->watched, 0);
    rig_free(r);
}

/* ---- conditions ---- */

struct asked {
    unsigned reg; /* has this value: */
    uint64_t value;
    unsigned calls;
    uint64_t pc;     /* of the last call */
    uint64_t silent; /* at this one nothing is known */
};

static struct wt_expr *condition_at(void *context, uint64_t pc)
{
    struct asked *asked = context;
    asked->calls++;
    asked->pc = pc;
    if (pc == asked->silent)
        return NULL;
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector same = wt_expr_temporary(e, 0);
    wt_expr_add(e, WT_EXPR_EQUAL, 32, same, wt_expr_register(e, asked->reg),
                wt_expr_constant(e, asked->value));
    wt_expr_add(e, WT_EXPR_END, 0, same, same, same);
    OK(wt_expr_finish(e, &err));
    return e;
}

static struct wt_watchpoint_request watch_if(struct rig *r, enum wt_watchpoint_kind kind,
                                             uint64_t addr, struct asked *asked, uint32_t tag)
{
    const struct wt_watchpoint_request request = {
        .kind = kind,
        .addr = wt_address_of(addr),
        .size = 4,
        .thread = 1,
        .tag = tag,
        .owner = 7,
        .condition = wt_watch_condition_new(r->d, condition_at, asked)};
    OK(wt_debugger_insert_watchpoint(r->d, &request, &err));
    return request;
}

/* The third of the writes of T2 to the common word, for which alone the target comes back. Through
 * the Debug Module alone the client has to decide. */
static void a_condition_that_does_not_hold_is_no_stop(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        uint32_t before = 99;
        struct asked asked = {.reg = T2, .value = 1};
        all_to_loop(r);
        const struct wt_watchpoint_request request =
            watch_if(r, WT_WATCHPOINT_WRITE, PLACE + 0x80, &asked, 5);
        r->returns = 0;
        for (unsigned i = v->dm_only ? 0 : 2; i < 3; i++) {
            const struct wt_event e = go(r);
            expect(e, WT_STOP_WATCHPOINT, 1);
            assert_true(e.tag == 5 && e.owner == 7 && e.undecided == v->dm_only);
            assert_true(e.lanes == wt_lanes_first(r->machine->lanes));
            assert_int_equal(reg(r, 1, T2), 3 - i);
            assert_int_equal(pc_of(r, 1), LOOK);
            assert_true(wt_debugger_other_side(r->d, &request, &before));
            assert_int_equal(before, i ? 4 - i : 0);
        }
        if (!v->dm_only) {
            assert_int_equal(r->returns, 1);
            assert_true(asked.calls == 1 && asked.pc == LOOK);
        }
        wt_watch_condition_end(request.condition);
        OK(wt_debugger_remove_watchpoint(r->d, &request, &err));
        assert_int_equal(go(r).kind, WT_EVENT_EXITED);
        assert_false(wt_debugger_other_side(r->d, &request, &before));
        rig_free(r);
    }
}

/* Of the lanes that write, those for which it holds are told, the lowest first. */
static void it_holds_for_some_lanes(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        struct asked asked = {.reg = S2, .value = 2}; /* the lane */
        all_to_loop(r);
        const struct wt_watchpoint_request request =
            watch_if(r, WT_WATCHPOINT_ACCESS, PLACE + 0x80, &asked, 1);
        for (unsigned i = 0; i < 6; i++) { /* a write and a read, thrice */
            const struct wt_event e = go(r);
            expect(e, WT_STOP_WATCHPOINT, v->dm_only ? 1 : 3);
            assert_true(e.lanes == (v->dm_only ? wt_lanes_first(r->machine->lanes) : 4));
        }
        wt_watch_condition_end(request.condition);
        rig_free(r);
    }
}

/* Where the client has no expression for a place, each access there is a stop. */
static void what_nothing_is_known_of_is_a_stop(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = begin(v);
        struct asked asked = {.reg = T2, .value = 77, .silent = AGAIN};
        all_to_loop(r);
        const struct wt_watchpoint_request request =
            watch_if(r, WT_WATCHPOINT_ACCESS, PLACE + 0x80, &asked, 1);
        unsigned stops = 0;
        struct wt_event e;
        while ((e = go(r)).kind == WT_EVENT_STOPPED) {
            stops++;
            assert_true(e.undecided);
            assert_true(v->dm_only || pc_of(r, 1) == AGAIN);
        }
        assert_int_equal(stops, v->dm_only ? 6 : 3);
        wt_watch_condition_end(request.condition);
        rig_free(r);
    }
}

/* One address may be watched with several conditions: each that holds is told by its tag. */
static void each_condition_counts_for_itself(void **state)
{
    struct rig *r = begin(&variants[0]);
    struct asked two = {.reg = T2, .value = 2}, low = {.reg = S2, .value = 0};
    all_to_loop(r);
    const struct wt_watchpoint_request a = watch_if(r, WT_WATCHPOINT_WRITE, PLACE + 0x80, &two, 1);
    const struct wt_watchpoint_request b = watch_if(r, WT_WATCHPOINT_WRITE, PLACE + 0x80, &low, 2);
    static const uint32_t tags[] = {2, 1, 2, 2};
    for (unsigned i = 0; i < 4; i++) {
        const struct wt_event e = go(r);
        expect(e, WT_STOP_WATCHPOINT, 1);
        assert_int_equal(e.tag, tags[i]);
    }
    assert_int_equal(go(r).kind, WT_EVENT_EXITED);
    wt_watch_condition_end(a.condition);
    wt_watch_condition_end(b.condition);
    rig_free(r);
}

/* Writes that change nothing do not make the target come back, either. */
static void writes_of_the_same_value_are_no_return(void **state)
{
    struct rig *r = begin(&variants[0]);
    all_to_loop(r);
    watch(r, WT_WATCHPOINT_WRITE, PLACE + 4 * 2, 4, true);
    r->returns = 0;
    expect(go(r), WT_STOP_WATCHPOINT, 3);
    assert_int_equal(r->returns, 1);
    assert_int_equal(go(r).kind, WT_EVENT_EXITED);
    assert_true(r->returns <= 3); /* the two warps end */
    rig_free(r);
}

static void what_cannot_be_watched_is_refused(void **state)
{
    struct wt_error why;
    struct rig *r = begin(&variants[0]);
    const struct wt_watchpoint_request wrong[] = {
        {WT_WATCHPOINT_WRITE, {0, PLACE}, 0, 1, false, 0, 0, NULL, 0, 0},
        {WT_WATCHPOINT_WRITE, {0, 0xfffffffc}, 5, 1, false, 0, 0, NULL, 0, 0},
        {WT_WATCHPOINT_WRITE, {0, 0x100000000}, 1, 1, false, 0, 0, NULL, 0, 0},
        {WT_WATCHPOINT_WRITE, {0, PLACE}, UINT64_MAX, 1, false, 0, 0, NULL, 0, 0},
        {WT_WATCHPOINT_WRITE, {0, PLACE}, 4, 99999, false, 0, 0, NULL, 0, 0},
        {WT_WATCHPOINT_WRITE, {1, PLACE}, 4, 1, false, 0, 0, NULL, 0, 0}, /* no such space */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(wt_debugger_insert_watchpoint(r->d, &wrong[i], &why), WT_INVALID);
    const struct wt_watchpoint_request fine = {
        WT_WATCHPOINT_WRITE, {0, 0xfffffffc}, 4, 1, false, 0, 0, NULL, 0, 0};
    assert_int_equal(wt_debugger_remove_watchpoint(r->d, &fine, &why), WT_INVALID);
    OK(wt_debugger_insert_watchpoint(r->d, &fine, &err));
    rig_free(r);
    const struct rig_options bare = {.bare = true};
    r = begin(&bare);
    assert_int_equal(wt_debugger_insert_watchpoint(r->d, &fine, &why), WT_UNSUPPORTED);
    assert_non_null(strstr(why.text, "has no watchpoints"));
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_stops_behind_it_and_names_the_lane),
        cmocka_unit_test(only_changes_count_where_that_is_wanted),
        cmocka_unit_test(the_lane_that_is_looked_at_is_told_first),
        cmocka_unit_test(each_watchpoint_of_one_instruction_is_told),
        cmocka_unit_test(a_step_is_told_as_well),
        cmocka_unit_test(waves_that_nobody_steps_are_told_too),
        cmocka_unit_test(nonstop_halts_that_wave_only),
        cmocka_unit_test(a_thread_may_be_a_wave),
        cmocka_unit_test(a_restart_keeps_them),
        cmocka_unit_test(a_condition_that_does_not_hold_is_no_stop),
        cmocka_unit_test(it_holds_for_some_lanes),
        cmocka_unit_test(what_nothing_is_known_of_is_a_stop),
        cmocka_unit_test(each_condition_counts_for_itself),
        cmocka_unit_test(writes_of_the_same_value_are_no_return),
        cmocka_unit_test(what_cannot_be_watched_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
