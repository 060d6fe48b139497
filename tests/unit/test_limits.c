/*
 * The limits that docs/limits.md states, at the limit: the largest device, debugged through its
 * registers alone, and devices that take their time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "debug/core/going.h"
#include "rig.h"

static struct wt_error err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s", err.text);                                                              \
    } while (0)

/* Every warp of every core comes to `count` with 32 lanes, and counts in t1 for ever. */
enum { COUNT = 7 };
static const uint32_t all_warps[] = {
    CSRR(T0, 0xfc1), AUIPC(T1, 0),    ADDI(T1, T1, 3 * 4), WSPAWN(T0, T1), ADDI(T0, X0, -1),
    TMC(T0),         ADDI(T1, X0, 0), ADDI(T1, T1, 1),     J(X0, -4),
};
#define WORDS (sizeof all_warps / sizeof *all_warps)

static struct wt_event wait_event(struct rig *r)
{
    for (int i = 0; i < 100000; i++) {
        struct wt_event e = wt_debugger_next_event(r->d);
        if (e.kind != WT_EVENT_NONE)
            return e;
        wt_debugger_pump(r->d, 1000000);
    }
    return wt_debugger_next_event(r->d);
}

static void resume_all(struct rig *r)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    OK(wt_debugger_run(r->d, WT_FORWARDS, &all, 1, &err));
}

static uint64_t register_of(struct rig *r, wt_thread thread, unsigned index)
{
    uint64_t value = 0;
    OK(wt_debugger_read_numbers(r->d, thread, &index, 1, &value, &err));
    return value;
}

/* 32,768 warps of 128 threads: as many as DSELECT.warpsel and threadsel can name. */
static void the_largest_device_is_debugged(void **state)
{
    const struct rig_options options = {.cores = 128,
                                        .warps = 256,
                                        .threads = 128,
                                        .bare = true,
                                        .dm_only = true,
                                        .schedule = "rr:1"};
    struct rig *r = rig_new(&options, all_warps, WORDS);
    const struct wt_topology *t = wt_debugger_topology(r->d);
    const struct wt_thread_info *list;
    size_t count;

    /* Described. */
    assert_int_equal(t->waves, 32768);
    assert_int_equal(t->lanes, 128);
    assert_int_equal(t->cores, 128);
    OK(wt_debugger_threads(r->d, &list, &count, &err));
    assert_int_equal(count, 128); /* the first warp of each core, seen as a whole */
    assert_int_equal(wt_debugger_thread_mode(r->d), WT_THREADS_WAVES);

    /* Every warp is set going, and every one of them halts. */
    resume_all(r);
    for (unsigned i = 0; i < 200; i++)
        wt_debugger_pump(r->d, 10000);
    assert_true(wt_debugger_running(r->d));
    OK(wt_debugger_interrupt(r->d, &err));
    assert_int_equal(wait_event(r).reason, WT_STOP_INTERRUPTED);
    OK(wt_debugger_threads(r->d, &list, &count, &err));
    assert_int_equal(count, 32768);
    assert_int_equal(list[32767].wave_in_core, 255);
    assert_int_equal(list[32767].core, 127);
    for (size_t i = 0; i < count; i++)
        assert_false(list[i].running);

    /* Windowed: the last warp and its last thread, reached through the last window. */
    const wt_thread last = list[32767].id;
    assert_int_equal(register_of(r, last, T0), 0xffffffff);
    OK(wt_debugger_choose_lane(r->d, 127, &err));
    OK(wt_debugger_write_number(r->d, last, S2, 0x1234567, &err));
    assert_int_equal(register_of(r, last, S2), 0x1234567);
    OK(wt_debugger_choose_lane(r->d, 31, &err));
    assert_int_equal(register_of(r, last, S2), 0);
    const uint64_t counted = register_of(r, last, T1);
    for (unsigned window = 0; window < 1024; window++) {
        vx_dm_write(r->device, VX_DM_DSELECT, window << 22);
        assert_int_equal(vx_dm_read(r->device, VX_DM_WACTIVE), 0xffffffff);
        assert_int_equal(vx_dm_read(r->device, VX_DM_WSTATUS), 0xffffffff);
    }

    /* Resumed: it goes on, and a breakpoint stops them all. */
    resume_all(r);
    for (unsigned i = 0; i < 40; i++)
        wt_debugger_pump(r->d, 10000);
    OK(wt_debugger_interrupt(r->d, &err));
    wait_event(r);
    assert_true(register_of(r, last, T1) > counted);
    OK(wt_debugger_insert_breakpoint(r->d, CODE + 4 * COUNT, NULL, 0, NULL, 0, &err));
    resume_all(r);
    const struct wt_event hit = wait_event(r);
    assert_int_equal(hit.reason, WT_STOP_BREAKPOINT);
    assert_int_equal(register_of(r, hit.thread, (unsigned)t->pc_index), CODE + 4 * COUNT);
    /* And one warp steps. */
    const struct wt_resume step = {.thread = last, .kind = WT_RESUME_STEP};
    const uint64_t pc = register_of(r, last, (unsigned)t->pc_index);
    OK(wt_debugger_run(r->d, WT_FORWARDS, &step, 1, &err));
    assert_int_equal(wait_event(r).thread, last);
    assert_int_not_equal(register_of(r, last, (unsigned)t->pc_index), pc);
    rig_free(r);
}

/* Requests of a slow Debug Module are waited for, however many polls of a fast bus that takes. */
static void a_module_may_take_many_cycles(void **state)
{
    const struct rig_options options = {.cores = 2,
                                        .warps = 4,
                                        .threads = 4,
                                        .bare = true,
                                        .dm_only = true,
                                        .dm_clock = 1,
                                        .schedule = "rr:1"};
    struct rig *r = rig_new(&options, all_warps, WORDS);
    vx_dm_write(r->device, VX_DM_DCONFIG, 7u << 29 | 7u << 26); /* 128 cycles each */
    OK(wt_debugger_reset(r->d, &err));
    assert_int_equal(register_of(r, 1, (unsigned)wt_debugger_topology(r->d)->pc_index), CODE);
    rig_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_device_is_debugged),
        cmocka_unit_test(a_module_may_take_many_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
