/*
 * Conditions of breakpoints on an emulated device that is recorded: they go by the engine, leave
 * nothing behind, and the way through the past goes by the same.
 */
#include "debug/core/going.h"
#include "steered.h"
#include "target/emulated.h"
#include "target/vortex.h"
#include "wait.h"

#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 60000 };

#define LOOP (CODE + 0x0c)

/* All lanes count to 60,000; lane n is n ahead. */
static const uint32_t counting[] = {
    /* 00 */ ADDI(A0, X0, -1),
    /* 04 */ TMC(A0),
    /* 08 */ CSRR(A1, 0xcc0),
    /* 0c */ ADDI(A1, A1, 1), /* loop */
    /* 10 */ J(X0, -4),
    /* 14 */ TMC(X0),
};

struct recorded {
    struct vx_config config;
    struct wt_emulated_options options;
    struct wt_emulated e;
    struct wt_debugger *d;
    int fd;
    char path[32];
};

static void record(struct recorded *r, unsigned xlen)
{
    memset(r, 0, sizeof *r);
    r->fd = memfd_create("program.bin", 0);
    assert_int_equal(write(r->fd, counting, sizeof counting), sizeof counting);
    snprintf(r->path, sizeof r->path, "/proc/self/fd/%d", r->fd);
    vx_config_default(&r->config);
    r->config.xlen = xlen;
    r->config.threads = 8;
    r->options.gpu = (struct wt_gpu){.family = &wt_family_vortex, .config = &r->config};
    r->options.debugged = true;
    r->options.base = CODE;
    r->options.base_given = true;
    r->options.history_memory = 64 << 20;
    OK(wt_emulated_open(&r->e, &r->options, r->path, &err));
    OK(wt_emulated_debug(&r->e, NULL, NULL, &err));
    r->d = r->e.debugger;
}

static void end(struct recorded *r)
{
    wt_debugger_close(r->d);
    r->e.debugger = NULL;
    wt_emulated_close(&r->e);
    close(r->fd);
}

static struct wt_event next(struct wt_debugger *d)
{
    struct wt_event e;
    UNTIL((e = wt_debugger_next_event(d)).kind != WT_EVENT_NONE || !wt_debugger_running(d),
          wt_debugger_pump(d, 100000));
    return e;
}

static struct wt_event go_on(struct wt_debugger *d)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    OK(wt_debugger_run(d, WT_FORWARDS, &all, 1, &err));
    return next(d);
}

static struct wt_event go_back(struct wt_debugger *d)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    OK(wt_debugger_run(d, WT_BACKWARDS, &all, 1, &err));
    return next(d);
}

static uint64_t value_of(struct wt_debugger *d, wt_thread thread)
{
    const unsigned a1 = A1;
    uint64_t value;
    OK(wt_debugger_read_numbers(d, thread, &a1, 1, &value, &err));
    return value;
}

/* Stops the lanes whose a1 is this number. */
static void stop_at(struct wt_debugger *d, uint64_t addr, uint32_t number)
{
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector same = wt_expr_temporary(e, 0);
    wt_expr_add(e, WT_EXPR_EQUAL, 0, same, wt_expr_register(e, A1), wt_expr_constant(e, number));
    wt_expr_add(e, WT_EXPR_END, 0, same, same, same);
    OK(wt_expr_finish(e, &err));
    OK(wt_debugger_insert_breakpoint(d, addr, &e, 1, NULL, 0, &err));
    wt_expr_free(e);
}

/* `$_time == time` for each lane. */
static void stop_at_time(struct wt_debugger *d, uint64_t addr, uint64_t time)
{
    const struct wt_topology *t = wt_debugger_topology(d);
    unsigned index = 0;
    while (index < t->register_count && strcmp(t->registers[index].name, "_time") != 0)
        index++;
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector same = wt_expr_temporary(e, 0);
    wt_expr_add(e, WT_EXPR_EQUAL, 0, same, wt_expr_register(e, index), wt_expr_constant(e, time));
    wt_expr_add(e, WT_EXPR_END, 0, same, same, same);
    OK(wt_expr_finish(e, &err));
    OK(wt_debugger_insert_breakpoint(d, addr, &e, 1, NULL, 0, &err));
    wt_expr_free(e);
}

static void the_engine_knows_the_issue_time(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct recorded r;
        record(&r, xlen);
        struct wt_debugger_time before, after;
        OK(wt_debugger_time(r.d, &before, &err));
        const uint64_t time = before.now + 3 + 2 * 777; /* the loop has two instructions */
        stop_at_time(r.d, LOOP, time);
        assert_int_equal(go_on(r.d).reason, WT_STOP_BREAKPOINT);
        OK(wt_debugger_time(r.d, &after, &err));
        assert_int_equal(after.now, time);
        assert_true(after.stats.log - before.stats.log < 10000);
        stop_at(r.d, LOOP, ROUNDS);
        assert_int_equal(go_on(r.d).reason, WT_STOP_BREAKPOINT);
        stop_at_time(r.d, LOOP, time);
        assert_int_equal(go_back(r.d).reason, WT_STOP_BREAKPOINT);
        OK(wt_debugger_time(r.d, &after, &err));
        assert_int_equal(after.now, time);
        end(&r);
    }
}

static void conditions_that_do_not_hold_are_not_logged(void **state)
{
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        struct recorded r;
        record(&r, xlen);
        struct wt_debugger_time before, after;
        OK(wt_debugger_time(r.d, &before, &err));
        stop_at(r.d, LOOP, ROUNDS);
        /* Lane 7 is 7 ahead, so that it comes to the number first. */
        struct wt_event e = go_on(r.d);
        assert_int_equal(e.reason, WT_STOP_BREAKPOINT);
        assert_int_equal(e.thread, 8);
        assert_int_equal(value_of(r.d, 8), ROUNDS);
        assert_int_equal(value_of(r.d, 1), ROUNDS - 7);
        OK(wt_debugger_time(r.d, &after, &err));
        assert_true(after.now > 2 * (ROUNDS - 8));
        assert_true(after.stats.log - before.stats.log < 10000);
        /* The next lane, two instructions on; the first lane's turn is seven rounds later. */
        e = go_on(r.d);
        assert_int_equal(e.thread, 7);
        assert_int_equal(value_of(r.d, 7), ROUNDS);
        end(&r);
    }
}

static void the_past_goes_by_the_same_conditions(void **state)
{
    struct recorded r;
    record(&r, 32);
    stop_at(r.d, LOOP, ROUNDS);
    assert_int_equal(go_on(r.d).thread, 8);
    /* Back to where lane 5 has 1,000, which is before lane 1 has it. */
    stop_at(r.d, LOOP, 1000);
    struct wt_event e = go_back(r.d);
    assert_int_equal(e.reason, WT_STOP_BREAKPOINT);
    assert_int_equal(e.thread, 1);
    assert_int_equal(value_of(r.d, 1), 1000);
    for (unsigned thread = 2; thread <= 8; thread++) {
        e = go_back(r.d);
        assert_int_equal(e.thread, thread);
        assert_int_equal(value_of(r.d, thread), 1000);
    }
    assert_int_equal(go_back(r.d).reason, WT_STOP_HISTORY_BEGIN);
    /* And forwards again. */
    for (unsigned thread = 8; thread; thread--) {
        e = go_on(r.d);
        assert_int_equal(e.reason, WT_STOP_BREAKPOINT);
        assert_int_equal(e.thread, thread);
    }
    assert_int_equal(go_on(r.d).reason, WT_STOP_HISTORY_END);
    end(&r);
}

/* Another client changes the breakpoint while a search for it is under way. */
static void a_search_keeps_the_conditions_that_it_began_with(void **state)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    struct recorded r;
    record(&r, 32);
    stop_at(r.d, LOOP, ROUNDS);
    assert_int_equal(go_on(r.d).thread, 8);
    stop_at(r.d, LOOP, 1000);
    OK(wt_debugger_run(r.d, WT_BACKWARDS, &all, 1, &err));
    OK(wt_debugger_remove_breakpoint(r.d, LOOP, &err));
    stop_at(r.d, LOOP, 2000);
    const struct wt_event e = next(r.d);
    assert_int_equal(e.kind, WT_EVENT_STOPPED);
    assert_int_equal(go_back(r.d).kind, WT_EVENT_STOPPED);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_that_do_not_hold_are_not_logged),
        cmocka_unit_test(the_engine_knows_the_issue_time),
        cmocka_unit_test(the_past_goes_by_the_same_conditions),
        cmocka_unit_test(a_search_keeps_the_conditions_that_it_began_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
