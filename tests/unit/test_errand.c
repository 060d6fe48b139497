/* Replays that take long: they are pumped, can be given up, and end where they should. */
#include "debug/core/going.h"
#include "steered.h"
#include "target/emulated.h"
#include "target/vortex.h"
#include "wait.h"
#include "debug/core/touches.h"

#include <sys/mman.h>
#include <unistd.h>

#define ISSUES 20000000u
#define COUNTER 0x10000000u

/* Counts in memory, for ever; one word before it is written once. */
static const uint32_t endless[] = {
    /* 00 */ (COUNTER >> 12) << 12 | S1 << 7 | 0x37, /* lui */
    /* 04 */ SW(S1, S1, 8),
    /* 08 */ ADDI(FP, FP, 1),
    /* 0c */ SW(FP, S1, 0),
    /* 10 */ J(X0, -8),
};

struct recorded {
    struct vx_config config;
    struct wt_emulated_options options;
    struct wt_emulated e;
    int fd;
    char path[32];
};

static struct recorded r;

static uint64_t now(void)
{
    struct wt_debugger_time time;
    OK(wt_debugger_time(r.e.debugger, &time, &err));
    return time.now;
}

/* A run of ISSUES with one saved state, at its beginning. */
static int record(void **state)
{
    memset(&r, 0, sizeof r);
    r.fd = memfd_create("program.bin", 0);
    assert_int_equal(write(r.fd, endless, sizeof endless), sizeof endless);
    snprintf(r.path, sizeof r.path, "/proc/self/fd/%d", r.fd);
    vx_config_default(&r.config);
    r.config.xlen = 32;
    r.config.warps = r.config.threads = 1;
    r.options.gpu = (struct wt_gpu){.family = &wt_family_vortex, .config = &r.config};
    r.options.base = CODE;
    r.options.base_given = true;
    r.options.history_memory = 64 << 20;
    OK(wt_emulated_open(&r.e, &r.options, r.path, &err));
    OK(wt_emulated_debug(&r.e, NULL, NULL, &err));
    wt_timeline_set_interval(r.e.timeline, (uint64_t)1 << 40);
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    OK(wt_debugger_run(r.e.debugger, WT_FORWARDS, &all, 1, &err));
    while (r.e.machine->time < ISSUES)
        wt_debugger_pump(r.e.debugger, 1000000);
    OK(wt_debugger_interrupt(r.e.debugger, &err));
    assert_int_equal(wt_debugger_next_event(r.e.debugger).reason, WT_STOP_INTERRUPTED);
    return 0;
}

static int tear_down(void **state)
{
    wt_debugger_close(r.e.debugger);
    r.e.debugger = NULL;
    wt_emulated_close(&r.e);
    close(r.fd);
    return 0;
}

static struct wt_event finish(void)
{
    struct wt_event event;
    UNTIL((event = wt_debugger_next_event(r.e.debugger)).kind != WT_EVENT_NONE,
          assert_true(wt_debugger_pump(r.e.debugger, 1000)));
    return event;
}

static void a_goto_comes_in_parts(void **state)
{
    uint64_t at, to;
    struct wt_error why;
    const uint64_t aim = ISSUES - 10;
    OK(wt_debugger_begin_goto(r.e.debugger, aim, &err));
    wt_debugger_pump(r.e.debugger, 1000);
    /* It is under way: what needs a stopped target is refused, and its progress is told. */
    assert_true(wt_debugger_running(r.e.debugger));
    assert_int_equal(wt_debugger_next_event(r.e.debugger).kind, WT_EVENT_NONE);
    assert_true(wt_debugger_progress(r.e.debugger, &at, &to));
    assert_true(at > 0 && at < aim && to == aim);
    assert_int_equal(wt_debugger_goto(r.e.debugger, 0, &why), WT_STATE);
    const struct wt_event event = finish();
    assert_int_equal(event.kind, WT_EVENT_ARRIVED);
    assert_int_equal(event.reason, WT_STOP_STEP);
    assert_int_equal(now(), aim);
    assert_false(wt_debugger_running(r.e.debugger));
    assert_false(wt_debugger_progress(r.e.debugger, &at, &to));
    OK(wt_debugger_goto(r.e.debugger, 7, &err));
    assert_int_equal(now(), 7);
    assert_int_equal(wt_debugger_next_event(r.e.debugger).kind, WT_EVENT_NONE);
}

static void a_goto_that_is_given_up_stands_on_the_way(void **state)
{
    OK(wt_debugger_begin_goto(r.e.debugger, ISSUES - 10, &err));
    wt_debugger_pump(r.e.debugger, 1000);
    OK(wt_debugger_interrupt(r.e.debugger, &err));
    const struct wt_event event = finish();
    assert_int_equal(event.kind, WT_EVENT_ARRIVED);
    assert_int_equal(event.reason, WT_STOP_INTERRUPTED);
    assert_true(now() > 0 && now() < ISSUES - 10);
    assert_false(wt_debugger_running(r.e.debugger));
    assert_true(wt_debugger_thread_alive(r.e.debugger, 1));
}

static void a_search_that_is_given_up_changes_nothing(void **state)
{
    const struct wt_watchpoint_request where = {.addr = wt_address_of(COUNTER + 8), .size = 4};
    struct wt_touch *list;
    size_t count;
    bool more;
    const uint64_t here = now();
    OK(wt_debugger_begin_touches(r.e.debugger, &where, NULL, 1, NULL, &err));
    wt_debugger_pump(r.e.debugger, 1000);
    assert_true(wt_debugger_running(r.e.debugger));
    OK(wt_debugger_interrupt(r.e.debugger, &err));
    struct wt_event event = finish();
    assert_int_equal(event.kind, WT_EVENT_SEARCHED);
    assert_int_equal(event.reason, WT_STOP_INTERRUPTED);
    assert_int_equal(now(), here);
    wt_debugger_take_touches(r.e.debugger, &list, &count, &more);
    assert_int_equal(count, 0);
    /* To its end, it finds the one write, and stands where it stood. */
    OK(wt_debugger_begin_touches(r.e.debugger, &where, NULL, 1, NULL, &err));
    event = finish();
    assert_int_equal(event.kind, WT_EVENT_SEARCHED);
    assert_int_equal(event.reason, WT_STOP_STEP);
    assert_int_equal(now(), here);
    wt_debugger_take_touches(r.e.debugger, &list, &count, &more);
    assert_int_equal(count, 1);
    assert_int_equal(list[0].time, 1);
    assert_int_equal(list[0].pc, CODE + 4);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_goto_comes_in_parts, record, tear_down),
        cmocka_unit_test_setup_teardown(a_goto_that_is_given_up_stands_on_the_way, record,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_search_that_is_given_up_changes_nothing, record,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
