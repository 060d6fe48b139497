/*
 * Time travel: any point of a recorded run is the same on the way there and on every return,
 * whatever came from outside on the way, whatever the budget; checked by hashes of the whole state
 * and against a model that just runs again from reset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "emulator/machine/state.h"
#include "emulator/machine/timeline.h"
#include "mixed_program.h"

static unsigned printed;

static void count_line(void *context, unsigned slot, const char *line, size_t length)
{
    printed++;
}

struct fixture {
    struct rig *r;
    struct wt_machine *m;
    struct wt_timeline *t;
    struct wt_error err;
};

static struct fixture begin(const struct rig_options *options, const uint32_t *code, size_t words,
                            uint64_t budget, uint64_t interval)
{
    struct fixture f = {.r = rig_device(options, code, words)};
    f.m = f.r->machine;
    printed = 0;
    f.m->console = count_line;
    assert_int_equal(wt_timeline_new(f.m, budget, &f.t, &f.err), WT_OK);
    wt_timeline_set_interval(f.t, interval);
    return f;
}

static void end(struct fixture *f)
{
    wt_timeline_free(f->t);
    rig_free(f->r);
}

static uint64_t hash(struct fixture *f)
{
    return f->m->ops->hash(f->m);
}

static void go(struct fixture *f, uint64_t time)
{
    assert_int_equal(wt_timeline_goto(f->t, time, &f->err), WT_OK);
}

static uint64_t random_state;

/* 0 .. below-1 */
static uint64_t any(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

#define PLACES 64

/* Runs to the end (or `most` issues), noting the hash at random times. */
static size_t run_and_note(struct fixture *f, uint64_t most, uint64_t stride, uint64_t *time,
                           uint64_t *at)
{
    size_t n = 0;
    enum wt_run run = WT_RUN_BUDGET;
    time[n] = f->m->time;
    at[n++] = hash(f);
    while (run == WT_RUN_BUDGET && f->m->time < most && n < PLACES) {
        run = wt_timeline_run(f->t, 1 + any(stride));
        time[n] = f->m->time;
        at[n++] = hash(f);
    }
    assert_true(run == WT_RUN_BUDGET || run == WT_RUN_ENDED);
    return n;
}

static void return_to_all(struct fixture *f, size_t n, const uint64_t *time, const uint64_t *at,
                          unsigned trips)
{
    for (unsigned i = 0; i < trips; i++) {
        const size_t to = any(n);
        go(f, time[to]);
        assert_true(f->m->time == time[to]);
        assert_true(hash(f) == at[to]);
        /* and forwards again */
        const size_t on = to + any(n - to);
        while (f->m->time < time[on])
            wt_timeline_run(f->t, 1 + any(time[on] - f->m->time));
        assert_true(f->m->time == time[on]);
        assert_true(hash(f) == at[on]);
    }
}

static const char *const schedules[] = {"rr:1", "rr:64", "lockstep", "random:7"};
static const struct rig_options shapes[] = {
    {.xlen = 32, .cores = 1, .warps = 4, .threads = 4},
    {.xlen = 64, .cores = 2, .warps = 4, .threads = 4},
    {.xlen = 32, .cores = 3, .warps = 2, .threads = 32},
    {.xlen = 64, .cores = 1, .warps = 5, .threads = 2},
    {.xlen = 32, .cores = 1, .warps = 1, .threads = 1},
};

static void every_point_is_the_same_on_every_return(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 50);
    random_state = 1;
    for (size_t s = 0; s < 5; s++)
        for (size_t k = 0; k < 4; k++) {
            struct rig_options options = shapes[s];
            options.schedule = schedules[k];
            struct fixture f = begin(&options, code, words, UINT64_MAX, 500);
            uint64_t time[PLACES], at[PLACES];
            const size_t n = run_and_note(&f, UINT64_MAX, 700, time, at);
            assert_true(f.m->fault.kind == WT_FAULT_NONE);
            assert_true(f.m->time > 1500);
            return_to_all(&f, n, time, at, 60);
            /* The same without any timeline. */
            go(&f, wt_timeline_end(f.t));
            struct rig *plain = rig_device(&options, code, words);
            plain->machine->ops->run(plain->machine, f.m->time);
            assert_true(plain->machine->ops->hash(plain->machine) == hash(&f));
            rig_free(plain);
            end(&f);
        }
}

static void a_program_is_recorded_to_its_end(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 20);
    struct fixture f = begin(&shapes[0], code, words, UINT64_MAX, 500);
    assert_int_equal(wt_timeline_run(f.t, 1 << 20), WT_RUN_ENDED);
    const uint64_t last = f.m->time, before = hash(&f);
    assert_true(wt_timeline_end(f.t) == last && wt_timeline_start(f.t) == 0);
    go(&f, 0);
    assert_false(wt_timeline_at_end(f.t));
    assert_int_equal(wt_timeline_run(f.t, last + 100), WT_RUN_ENDED);
    assert_true(f.m->time == last && hash(&f) == before);
    assert_int_equal(wt_timeline_goto(f.t, last + 1, &f.err), WT_INVALID);
    assert_true(f.m->time == last && hash(&f) == before);
    end(&f);
}

/* A register of the debug hardware is read after each few issues, as a debugger would do it. */
static void poke(struct fixture *f, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        wt_timeline_run(f->t, 3);
        wt_timeline_input(
            f->t,
            &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = VX_DM_WMASK, .value = i & 1});
    }
}

/* The way from the nearest saved state to the end, with what a debugger did on it. */
static void a_long_log_leaves_states_near(void **state)
{
    static const uint32_t code[] = {ADDI(T0, T0, 1), J(X0, -4)};
    const uint64_t mib = (uint64_t)1 << 20;
    struct fixture f = begin(&shapes[0], code, 2, 96 * mib, 0);
    poke(&f, 40000);
    struct wt_timeline_stats stats;
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.log > 2 * mib && stats.log < 72 * mib && !stats.lost);
    /* An entry counts for the interval: by issues alone there would be no second state. */
    assert_true(stats.snapshots > 2);
    assert_true(f.m->time - wt_timeline_saved_before(f.t, f.m->time) < 60000);
    uint64_t at = f.m->time - 1000;
    const uint64_t now = hash(&f), end_time = f.m->time;
    go(&f, at);
    const uint64_t then = hash(&f);
    go(&f, 0);
    go(&f, at);
    assert_true(hash(&f) == then);
    go(&f, end_time);
    assert_true(hash(&f) == now);

    /* Beyond its part of the budget it loses its beginning, and the states stay. */
    poke(&f, 1200000);
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.log <= 72 * mib && stats.bytes <= 96 * mib + mib);
    assert_true(stats.snapshots > 2);
    assert_true(stats.lost > 0 && stats.lost == wt_timeline_start(f.t));
    assert_true(f.m->time - wt_timeline_saved_before(f.t, f.m->time) < 60000);
    const uint64_t last = hash(&f), last_time = f.m->time;
    assert_int_equal(wt_timeline_goto(f.t, stats.lost - 1, &f.err), WT_INVALID);
    uint64_t before[3];
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3; i++) {
            go(&f, stats.lost + (last_time - stats.lost) * i / 3);
            if (round == 1)
                assert_true(hash(&f) == before[i]);
            before[i] = hash(&f);
        }
        go(&f, last_time);
        assert_true(hash(&f) == last);
    }
    end(&f);
}

/* What is written costs more than its bytes. */
static void a_write_is_counted_with_what_the_host_needs_for_it(void **state)
{
    static const uint32_t code[] = {ADDI(T0, T0, 1), J(X0, -4)};
    struct fixture f = begin(&shapes[0], code, 2, (uint64_t)512 << 20, 0);
    struct wt_timeline_stats before, after;
    wt_timeline_stats(f.t, &before);
    for (uint32_t i = 0; i < 100000; i++)
        wt_timeline_input(f.t, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                  .addr = CODE + 0x1000 + i % 64 * 4,
                                                  .bytes = &i,
                                                  .size = 4});
    wt_timeline_stats(f.t, &after);
    assert_true(after.log - before.log >= 100000 * (sizeof(struct wt_input) + 32));
    end(&f);
}

/* No state but the first fits: the run begins anew rather than to grow for ever. */
static void the_smallest_budget_bounds_the_log(void **state)
{
    static const uint32_t code[] = {ADDI(T0, T0, 1), J(X0, -4)};
    struct fixture f = begin(&shapes[0], code, 2, 1 << 10, 0);
    struct wt_timeline_stats stats;
    poke(&f, 10000);
    wt_timeline_stats(f.t, &stats);
    assert_int_equal(stats.lost, 0);
    poke(&f, 1200000);
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.lost > 0 && stats.log < (uint64_t)80 << 20);
    const uint64_t now = hash(&f), time = f.m->time;
    go(&f, stats.lost);
    go(&f, time);
    assert_true(hash(&f) == now);
    end(&f);
}

static void a_small_budget_reaches_every_point(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 2000);
    random_state = 2;
    static const uint64_t budgets[] = {0, 100 << 10, 1 << 20};
    const uint64_t since_last = 64 << 10; /* pages written since the last snapshot */
    for (size_t b = 0; b < 3; b++) {
        struct fixture f = begin(&shapes[1], code, words, budgets[b], 200);
        uint64_t time[PLACES], at[PLACES];
        const size_t n = run_and_note(&f, 200000, 8000, time, at);
        assert_true(f.m->time > 150000);
        struct wt_timeline_stats stats;
        wt_timeline_stats(f.t, &stats);
        assert_true(stats.bytes <= budgets[b] + since_last || stats.snapshots == 1);
        if (b == 2)
            assert_true(stats.snapshots > 10);
        return_to_all(&f, n, time, at, 6);
        go(&f, 0);
        assert_true(hash(&f) == at[0]);
        wt_timeline_stats(f.t, &stats);
        assert_true(stats.bytes <= budgets[b] + since_last || stats.snapshots == 1);
        end(&f);
    }
}

/* What is near is reached in few issues; what is far in more, but not in all. */
static void snapshots_get_sparser_with_the_distance(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 2000);
    struct fixture f = begin(&shapes[0], code, words, 600 << 10, 100);
    struct wt_timeline_stats stats;
    wt_timeline_run(f.t, 200000);
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.snapshots > 8 && stats.snapshots < 2000);
    assert_true(stats.widest_gap < 150000);
    assert_true(stats.widest_gap > 200);
    end(&f);
}

static void nothing_is_printed_twice(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 100);
    struct fixture f = begin(&shapes[0], code, words, UINT64_MAX, 300);
    wt_timeline_run(f.t, 5000);
    const unsigned lines = printed;
    const uint64_t before = hash(&f);
    assert_true(lines > 5);
    go(&f, 10);
    wt_timeline_run(f.t, 4990);
    assert_int_equal(printed, lines);
    assert_true(hash(&f) == before); /* half lines as well */
    wt_timeline_run(f.t, 5000);
    assert_true(printed > lines);
    end(&f);
}

static uint32_t input(struct fixture *f, struct wt_input in)
{
    return wt_timeline_input(f->t, &in);
}

static void dm(struct fixture *f, uint32_t addr, uint32_t value)
{
    input(f, (struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = addr, .value = value});
}

static uint32_t dm_read(struct fixture *f, uint32_t addr)
{
    return input(f, (struct wt_input){.kind = WT_INPUT_DEBUG_READ, .addr = addr});
}

enum {
    DM_ON = 1u << 31,
    DM_RESET = 1u << 30,
    DM_INJECT = 1u << 6,
    DM_STEP = 1u << 3,
    DM_RESUME = 2,
    DM_HALT = 1
};

static void wake_dm(struct fixture *f)
{
    dm(f, VX_DM_DCTRL, DM_ON);
    dm(f, VX_DM_DCONFIG, 1); /* ebreak halts */
    dm(f, VX_DM_WMASK, 0xffffffff);
}

/* A breakpoint halts without an issue. It must be met again where it was, and resumed where it was.
 */
static void halts_at_breakpoints_come_back(void **state)
{
    static const uint32_t code[] = {ADDI(A0, A0, 1), ADDI(A0, A0, 1), EBREAK,
                                    ADDI(A0, A0, 1), ADDI(A0, A0, 1), TMC(X0)};
    struct fixture f = begin(&(struct rig_options){.warps = 2}, code, 6, UINT64_MAX, 1);
    wake_dm(&f);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_EVENT);
    assert_true(f.m->time == 2);
    assert_int_equal(dm_read(&f, VX_DM_WSTATUS), 1);
    const uint64_t halted = hash(&f);
    /* Over it: the instruction takes its place. */
    static const uint32_t nop = ADDI(A0, A0, 7);
    assert_true(input(
        &f,
        (struct wt_input){.kind = WT_INPUT_MEMORY, .addr = CODE + 8, .bytes = &nop, .size = 4}));
    dm(&f, VX_DM_DCTRL, DM_ON | DM_RESUME);
    const uint64_t resumed = hash(&f);
    assert_true(resumed != halted);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_ENDED);
    const uint64_t last = hash(&f);
    assert_true(f.m->time == 6);
    for (uint64_t back = 6; back-- > 0;) {
        go(&f, back);
        wt_timeline_run(f.t, 6 - back);
        assert_true(f.m->time == 6 && hash(&f) == last);
        go(&f, 2);
        assert_true(hash(&f) == resumed);
    }
    end(&f);
}

/* Notes the state; of several at one time the last one. */
static void note(struct fixture *f, uint64_t *time, uint64_t *at, size_t *n)
{
    if (*n && time[*n - 1] == f->m->time)
        (*n)--;
    time[*n] = f->m->time;
    at[(*n)++] = hash(f);
}

static void states_share_registers_that_have_not_changed(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 50);
    struct rig *r = rig_device(&shapes[0], code, words);
    struct wt_machine *m = r->machine;
    m->ops->run(m, 1000);
    const uint64_t at_first = m->ops->hash(m);
    struct wt_state *first = wt_state_save(m);
    const uint64_t all = m->kept_bytes;
    struct wt_state *second = wt_state_save(m);
    assert_true(all > 0 && m->kept_bytes == all);
    m->ops->run(m, 1);
    const uint64_t at_third = m->ops->hash(m);
    struct wt_state *third = wt_state_save(m);
    assert_true(m->kept_bytes > all && m->kept_bytes - all <= all / 2); /* one warp's of several */
    wt_state_restore(m, first);
    assert_true(m->ops->hash(m) == at_first);
    m->ops->run(m, 300);
    wt_state_restore(m, third);
    assert_true(m->ops->hash(m) == at_third);
    wt_state_restore(m, second);
    assert_true(m->ops->hash(m) == at_first);
    wt_state_free(first);
    wt_state_free(second);
    wt_state_free(third);
    assert_true(m->kept_bytes == all); /* the machine has copies of what it is now */
    rig_free(r);
}

static void single_steps_come_back(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 50);
    for (unsigned clock = 0; clock < 4; clock += 3) {
        struct rig_options options = shapes[0];
        options.dm_clock = clock;
        struct fixture f = begin(&options, code, words, UINT64_MAX, 40);
        wake_dm(&f);
        wt_timeline_run(f.t, 1000);
        dm(&f, VX_DM_DCTRL, DM_ON | DM_HALT);
        static uint64_t time[400], at[400];
        size_t n = 0;
        random_state = 3;
        for (unsigned i = 0; i < 40; i++) {
            dm(&f, VX_DM_DSELECT, (uint32_t)any(4) << 7);
            note(&f, time, at, &n);
            dm(&f, VX_DM_DCTRL, DM_ON | DM_STEP);
            note(&f, time, at, &n);
            while (clock && dm_read(&f, VX_DM_DCTRL) >> 4 & 3 && any(8)) /* cycles pass */
                note(&f, time, at, &n);
            wt_timeline_run(f.t, 3); /* a warp that waited may step now */
            note(&f, time, at, &n);
            dm(&f, VX_DM_DCTRL, DM_ON | (i % 4 == 3 ? DM_RESUME : DM_HALT));
            note(&f, time, at, &n);
            wt_timeline_run(f.t, 20);
            note(&f, time, at, &n);
        }
        assert_true(f.m->time > 1100 && n > 12 && n < 400);
        for (size_t i = n; i-- > 0;) {
            go(&f, time[i]);
            assert_true(f.m->time == time[i] && hash(&f) == at[i]);
        }
        wt_timeline_run(f.t, time[n - 1] - f.m->time);
        assert_true(f.m->time == time[n - 1] && hash(&f) == at[n - 1]);
        end(&f);
    }
}

static void a_fault_can_be_left_backwards_and_repaired(void **state)
{
    static const uint32_t code[] = {ADDI(A0, A0, 1), ADDI(A0, A0, 1), 0, ADDI(A0, A0, 1), TMC(X0)};
    struct fixture f = begin(&(struct rig_options){.warps = 1}, code, 5, UINT64_MAX, 1);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_FAULT);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_FAULT);
    const uint64_t faulted = hash(&f);
    go(&f, 1);
    assert_int_equal(f.m->fault.kind, WT_FAULT_NONE);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_FAULT);
    assert_int_equal(f.m->fault.kind, WT_FAULT_ILLEGAL);
    assert_true(hash(&f) == faulted);
    go(&f, 1);
    static const uint32_t nop = ADDI(A0, A0, 7);
    input(&f,
          (struct wt_input){.kind = WT_INPUT_MEMORY, .addr = CODE + 8, .bytes = &nop, .size = 4});
    struct wt_timeline_stats stats;
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.branches == 1 && wt_timeline_end(f.t) == 1 && wt_timeline_at_end(f.t));
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_ENDED);
    assert_true(f.m->time == 5);
    go(&f, 0);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_ENDED);
    assert_true(f.m->time == 5);
    end(&f);
}

static void a_cleared_fault_is_recorded(void **state)
{
    static const uint32_t code[] = {ADDI(A0, A0, 1), 0, ADDI(A0, A0, 1), TMC(X0)};
    struct fixture f = begin(&(struct rig_options){.warps = 1}, code, 4, UINT64_MAX, 1);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_FAULT);
    static const uint32_t nop = ADDI(A0, A0, 7);
    input(&f,
          (struct wt_input){.kind = WT_INPUT_MEMORY, .addr = CODE + 4, .bytes = &nop, .size = 4});
    input(&f, (struct wt_input){.kind = WT_INPUT_CLEAR_FAULT});
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_ENDED);
    const uint64_t last = hash(&f);
    go(&f, 0);
    assert_int_equal(wt_timeline_run(f.t, 100), WT_RUN_ENDED);
    assert_true(f.m->time == 4 && hash(&f) == last);
    end(&f);
}

static void a_reset_begins_a_new_timeline(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 50);
    struct fixture f = begin(&shapes[0], code, words, UINT64_MAX, 100);
    const uint64_t first = hash(&f);
    wt_timeline_run(f.t, 3000);
    struct wt_timeline_stats stats;
    input(&f, (struct wt_input){.kind = WT_INPUT_RESET});
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.restarts == 1 && wt_timeline_end(f.t) == 0 && f.m->time == 0);
    const uint64_t again = hash(&f); /* memory stays */
    assert_true(first != again);
    wt_timeline_run(f.t, 1000);
    wake_dm(&f);
    go(&f, 0);
    assert_true(hash(&f) == again);
    dm(&f, VX_DM_DCTRL, DM_ON); /* at this point it sleeps */
    dm(&f, VX_DM_DCTRL, DM_ON | DM_RESET);
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.restarts == 2);
    end(&f);

    /* A reset that takes cycles, asked for while looking, ends with them. */
    struct rig_options options = shapes[0];
    options.dm_clock = 1;
    f = begin(&options, code, words, UINT64_MAX, 100);
    wake_dm(&f);
    wt_timeline_run(f.t, 1000);
    assert_int_equal(wt_timeline_look(f.t, true, &f.err), WT_OK);
    dm(&f, VX_DM_DCTRL, DM_ON | DM_RESET);
    while (dm_read(&f, VX_DM_DCTRL) & DM_RESET)
        wt_timeline_run(f.t, 1);
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.restarts == 1 && wt_timeline_end(f.t) == f.m->time);
    wt_timeline_run(f.t, 500);
    const uint64_t last = hash(&f), at = f.m->time;
    assert_true(at >= 500);
    go(&f, 100);
    wt_timeline_run(f.t, at - 100);
    assert_true(f.m->time == at && hash(&f) == last);
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.restarts == 1);
    end(&f);
}

static void looking_leaves_no_trace(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 50);
    struct fixture f = begin(&shapes[1], code, words, UINT64_MAX, 300);
    wake_dm(&f);
    wt_timeline_run(f.t, 3000);
    const uint64_t last = hash(&f);
    go(&f, 1500);
    const uint64_t there = hash(&f);
    assert_int_equal(wt_timeline_look(f.t, true, &f.err), WT_OK);
    dm(&f, VX_DM_DCTRL, DM_ON | DM_HALT);
    dm(&f, VX_DM_INJECT, ADDI(S2, S2, 5));
    dm(&f, VX_DM_DCTRL, DM_ON | DM_INJECT);
    assert_true(hash(&f) != there);
    assert_int_equal(wt_timeline_look(f.t, false, &f.err), WT_OK);
    assert_true(hash(&f) == there && wt_timeline_end(f.t) == 3000);
    assert_int_equal(wt_timeline_look(f.t, true, &f.err), WT_OK);
    dm(&f, VX_DM_DCTRL, DM_ON | DM_RESUME);
    wt_timeline_run(f.t, 700);
    go(&f, 3000); /* ends looking */
    assert_true(hash(&f) == last);
    struct wt_timeline_stats stats;
    wt_timeline_stats(f.t, &stats);
    assert_true(stats.branches == 0);
    end(&f);
}

/* What was done while looking can be made to count. */
static void a_look_can_become_a_change(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 50);
    for (unsigned past = 0; past < 2; past++) {
        struct fixture f = begin(&shapes[1], code, words, UINT64_MAX, 300);
        wake_dm(&f);
        wt_timeline_run(f.t, 3000);
        if (past)
            go(&f, 1500);
        const uint64_t at = f.m->time;
        static const uint32_t word = 0x12345678;
        assert_int_equal(wt_timeline_look(f.t, true, &f.err), WT_OK);
        assert_int_equal(wt_timeline_at_end(f.t), !past);
        dm(&f, VX_DM_DCTRL, DM_ON | DM_HALT);
        input(&f, (struct wt_input){
                      .kind = WT_INPUT_MEMORY, .addr = 0x10000200, .bytes = &word, .size = 4});
        dm(&f, VX_DM_INJECT, ADDI(S2, S2, 5));
        dm(&f, VX_DM_DCTRL, DM_ON | DM_INJECT);
        dm(&f, VX_DM_DCTRL, DM_ON | DM_STEP);
        assert_true(f.m->time == at + 1);
        dm(&f, VX_DM_DCTRL, DM_ON | DM_RESUME);
        const uint64_t changed = hash(&f);
        assert_int_equal(wt_timeline_commit(f.t, &f.err), WT_OK);
        assert_true(wt_timeline_end(f.t) == at + 1 && wt_timeline_at_end(f.t));
        struct wt_timeline_stats stats;
        wt_timeline_stats(f.t, &stats);
        assert_true(stats.branches == past);
        while (f.m->time < 2500 + at)
            wt_timeline_run(f.t, 2500 + at - f.m->time);
        const uint64_t last = hash(&f);
        go(&f, 200);
        go(&f, at + 1);
        assert_true(hash(&f) == changed);
        go(&f, 200);
        wt_timeline_run(f.t, 2300 + at);
        assert_true(f.m->time == 2500 + at && hash(&f) == last);
        /* Not after the machine has run. */
        assert_int_equal(wt_timeline_look(f.t, true, &f.err), WT_OK);
        wt_timeline_run(f.t, 10);
        assert_int_equal(wt_timeline_commit(f.t, &f.err), WT_STATE);
        assert_int_equal(wt_timeline_look(f.t, false, &f.err), WT_OK);
        assert_true(hash(&f) == last);
        assert_int_equal(wt_timeline_commit(f.t, &f.err), WT_OK); /* nothing to do */
        assert_true(hash(&f) == last);
        end(&f);
    }
}

/* ---- any order of operations, against a model that runs again from reset ---- */

struct done {
    uint64_t time, after;
    struct wt_input in;
    uint32_t word;
};

/* The state that `n` inputs and a run to `time` lead to. */
static uint64_t model(const struct rig_options *options, const uint32_t *code, size_t words,
                      struct done *done, size_t n, uint64_t time)
{
    struct rig *r = rig_device(options, code, words);
    struct wt_machine *m = r->machine;
    for (size_t i = 0; i <= n; i++) {
        const uint64_t to = i < n ? done[i].time : time;
        for (unsigned idle = 0; m->time < to && idle < 2;) {
            const uint64_t before = m->time;
            m->ops->run(m, to - m->time);
            idle = m->time == before ? idle + 1 : 0;
        }
        if (i == n)
            break;
        if (done[i].in.kind == WT_INPUT_MEMORY)
            m->ops->write_memory(m, done[i].in.wave, 0, done[i].in.addr, &done[i].word, 4);
        else
            vx_dm_write(r->device, (uint32_t)done[i].in.addr, done[i].in.value);
    }
    assert_true(m->time == time);
    const uint64_t result = m->ops->hash(m);
    rig_free(r);
    return result;
}

static struct wt_input random_input(void)
{
    static const uint32_t requests[] = {DM_ON | DM_HALT, DM_ON | DM_RESUME, DM_ON | DM_RESUME,
                                        DM_ON | DM_STEP, DM_ON | DM_INJECT, DM_ON};
    struct wt_input in = {.kind = WT_INPUT_DEBUG_WRITE};
    switch (any(6)) {
    case 0:
    case 1:
        in = (struct wt_input){.kind = WT_INPUT_MEMORY,
                               .wave = (uint32_t)any(2) * 4,
                               .size = 4,
                               .addr = any(2) ? 0x10000000 + any(64) * 4 : 0xffff0000 + any(8) * 4};
        break;
    case 2:
        in.addr = VX_DM_DSELECT;
        in.value = (uint32_t)any(8) << 7 | (uint32_t)any(4);
        break;
    case 3:
        in.addr = any(2) ? VX_DM_INJECT : VX_DM_DSCRATCH0;
        in.value = ADDI(S2 + any(4), S2, any(100));
        break;
    default:
        in.addr = VX_DM_DCTRL;
        in.value = requests[any(6)];
        break;
    }
    return in;
}

static void any_order_of_operations_agrees_with_a_model(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 100);
    for (unsigned round = 0; round < 12; round++) {
        static struct done done[200];
        size_t n = 0;
        struct rig_options options = {.xlen = 32,
                                      .cores = 2,
                                      .warps = 4,
                                      .threads = 4,
                                      .schedule = schedules[round % 4],
                                      .dm_clock = round >= 8 ? 3 : 0};
        struct fixture f =
            begin(&options, code, words, round % 3 ? UINT64_MAX : 300 << 10, 50 + round * 40);
        random_state = 100 + round;
        for (unsigned i = 0; i < 3; i++) {
            done[n++] = (struct done){.in = {.kind = WT_INPUT_DEBUG_WRITE,
                                             .addr = i == 2 ? VX_DM_WMASK : VX_DM_DCTRL,
                                             .value = i == 2 ? 0x5a : DM_ON}};
            wt_timeline_input(f.t, &done[n - 1].in);
        }
        size_t most = n;
        for (unsigned i = 0; i < 120; i++) {
            switch (any(3)) {
            case 0:
                wt_timeline_run(f.t, 1 + any(150));
                break;
            case 1:
                if (n < 190) {
                    /* What was done later, in the future that this drops, is no more. */
                    for (n = 0; n < most && done[n].after <= f.m->time;)
                        n++;
                    struct done *d = &done[n];
                    d->in = random_input();
                    d->word = (uint32_t)any(UINT32_MAX);
                    struct wt_input in = d->in;
                    in.bytes = in.size ? &d->word : NULL;
                    d->time = f.m->time;
                    wt_timeline_input(f.t, &in);
                    d->after = f.m->time;
                    most = ++n;
                }
                break;
            case 2:
                go(&f, any(wt_timeline_end(f.t) + 1));
                break;
            }
            size_t have = 0;
            while (have < most && done[have].after <= f.m->time)
                have++;
            assert_true(f.m->fault.kind == WT_FAULT_NONE);
            assert_true(hash(&f) == model(&options, code, words, done, have, f.m->time));
        }
        end(&f);
    }
}

static void writing_the_same_place_again_takes_no_more_memory(void **state)
{
    uint32_t code[128];
    const size_t words = mixed_program(code, 20);
    struct fixture f = begin(&shapes[0], code, words, UINT64_MAX, 500);
    struct wt_timeline_stats stats;
    wt_timeline_run(f.t, 300);
    static uint8_t block[4096];
    uint64_t bytes = 0;
    for (unsigned i = 0; i < 1000; i++) {
        memset(block, (int)i, sizeof block);
        const struct wt_input in = {
            .kind = WT_INPUT_MEMORY, .addr = 0x20000000, .bytes = block, .size = sizeof block};
        assert_true(input(&f, in));
        wt_timeline_stats(f.t, &stats);
        if (i == 0)
            bytes = stats.bytes;
    }
    assert_true(stats.bytes == bytes);
    const uint64_t before = hash(&f), time = f.m->time;
    wt_timeline_run(f.t, 200);
    go(&f, 0);
    go(&f, time);
    assert_true(hash(&f) == before);
    uint8_t got;
    assert_true(f.m->ops->read_memory(f.m, 0, 0, 0x20000fff, &got, 1));
    assert_int_equal(got, 999 & 0xff);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_the_same_on_every_return),
        cmocka_unit_test(a_program_is_recorded_to_its_end),
        cmocka_unit_test(a_small_budget_reaches_every_point),
        cmocka_unit_test(a_long_log_leaves_states_near),
        cmocka_unit_test(a_write_is_counted_with_what_the_host_needs_for_it),
        cmocka_unit_test(the_smallest_budget_bounds_the_log),
        cmocka_unit_test(snapshots_get_sparser_with_the_distance),
        cmocka_unit_test(nothing_is_printed_twice),
        cmocka_unit_test(halts_at_breakpoints_come_back),
        cmocka_unit_test(states_share_registers_that_have_not_changed),
        cmocka_unit_test(single_steps_come_back),
        cmocka_unit_test(a_fault_can_be_left_backwards_and_repaired),
        cmocka_unit_test(a_cleared_fault_is_recorded),
        cmocka_unit_test(a_reset_begins_a_new_timeline),
        cmocka_unit_test(looking_leaves_no_trace),
        cmocka_unit_test(a_look_can_become_a_change),
        cmocka_unit_test(any_order_of_operations_agrees_with_a_model),
        cmocka_unit_test(writing_the_same_place_again_takes_no_more_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
