/* Waves that come and go in one slot: each has threads of its own, and nothing follows a stranger.
 */
#include "debug/core/going.h"
#include "debug/core/thread_table.h"
#include "steered.h"
#include "target/emulated.h"
#include "target/vortex.h"
#include "wait.h"

#include <sys/mman.h>
#include <unistd.h>

static const struct rig_options variants[] = {
    {.xlen = 32},
    {.xlen = 64},
    {.xlen = 32, .dm_only = true},
    {.xlen = 64, .dm_only = true, .dm_clock = 1},
};

#define CHILD (CODE + 0x30)

/* Warp 0 starts warp 1 three times, one after the other. */
static const uint32_t families[] = {
    /* 00 */ ADDI(S1, X0, 3),
    /* 04 */ ADDI(T0, X0, 2),
    /* 08 */ AUIPC(T1, 0),
    /* 0c */ ADDI(T1, T1, 0x28),
    /* 10 */ WSPAWN(T0, T1),
    /* 14 */ CSRR(A0, 0xcc3), /* the core's active warps */
    /* 18 */ ADDI(A0, A0, -1),
    /* 1c */ BNEZ(A0, -8),
    /* 20 */ ADDI(S1, S1, -1),
    /* 24 */ BNEZ(S1, -0x14),
    /* 28 */ TMC(X0),
    /* 2c */ ADDI(X0, X0, 0),
    /* 30 */ ADDI(A2, A2, 1),
    /* 34 */ ADDI(A3, A3, 1),
    /* 38 */ TMC(X0),
};
#define WORDS (sizeof families / sizeof *families)

static void name_of(struct wt_debugger *d, wt_thread thread, char text[96])
{
    wt_debugger_thread_name(d, thread, text, 96);
}

/* ---- the table ---- */

static const struct dbg_numbered *number(struct dbg_thread_table *t, wt_wave_handle handle,
                                         wt_wave_id id, unsigned lanes)
{
    const struct wt_wave wave = {.id = id, .lanes = lanes};
    return dbg_thread_table_number(t, handle, &wave);
}

static void numbers_belong_to_one_wave(void **state)
{
    struct dbg_thread_table t;
    OK(dbg_thread_table_init(&t, 4, 8, &err));
    assert_null(dbg_thread_table_find(&t, 0));
    assert_null(dbg_thread_table_find(&t, 17));
    /* The first wave of a fixed slot has the numbers of the slot. */
    assert_int_equal(number(&t, 2, 1002, 8)->first, 17);
    assert_int_equal(number(&t, 0, 1000, 8)->first, 1);
    /* All others are numbered behind them, each with as many numbers as it has lanes. */
    assert_int_equal(number(&t, 2, 2002, 8)->first, 33);
    assert_int_equal(number(&t, 9, 3000, 32)->first, 41);
    assert_int_equal(number(&t, 10, 3001, 16)->first, 73);
    /* A wave keeps its numbers, whatever it is bound to. */
    assert_int_equal(number(&t, 11, 3000, 32)->first, 41);
    assert_int_equal(dbg_thread_table_find(&t, 41 + 31)->wave.id, 3000);
    assert_int_equal(dbg_thread_table_find(&t, 41 + 31)->handle, 11);
    assert_int_equal(dbg_thread_table_find(&t, 73)->wave.id, 3001);
    assert_int_equal(dbg_thread_table_find(&t, 24)->wave.id, 1002);
    assert_null(dbg_thread_table_find(&t, 9)); /* nobody was in slot 1 */
    assert_null(dbg_thread_table_find(&t, 89));
    for (wt_wave_id id = 5000; id < 9000; id++)
        assert_non_null(number(&t, 9, id, 1 + id % 128));
    for (wt_wave_id id = 5000; id < 9000; id++) {
        const uint32_t first = number(&t, 9, id, 1 + id % 128)->first;
        assert_int_equal(dbg_thread_table_find(&t, first)->wave.id, id);
        assert_int_equal(dbg_thread_table_find(&t, (uint32_t)(first + id % 128))->wave.id, id);
    }
    dbg_thread_table_clear(&t);
    assert_null(dbg_thread_table_find(&t, 17));
    assert_int_equal(number(&t, 2, 7, 8)->first, 17);
    dbg_thread_table_free(&t);
}

/* ---- a slot with several waves ---- */

static void the_next_wave_of_a_slot_has_other_threads(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, families, WORDS);
        char name[96];
        wt_thread thread[3];
        OK(wt_debugger_insert_breakpoint(r->d, CHILD, NULL, 0, NULL, 0, &err));
        for (int i = 0; i < 3; i++) {
            resume_thread(r, 0, WT_RESUME_CONTINUE);
            const struct wt_event e = wait_event(r);
            assert_int_equal(e.reason, WT_STOP_BREAKPOINT);
            thread[i] = e.thread;
        }
        /* 4 warps of 4 threads: the first wave of warp 1 has the numbers of its slot. */
        assert_int_equal(thread[0], 5);
        assert_int_equal(thread[1], 17);
        assert_int_equal(thread[2], 21);
        for (int i = 0; i < 3; i++) {
            name_of(r->d, thread[i], name);
            assert_string_equal(name, "device 0, core 0, warp 1, thread 0");
            assert_int_equal(wt_debugger_thread_alive(r->d, thread[i]), i == 2);
        }
        struct wt_error why;
        const struct wt_resume step = {.thread = thread[0], .kind = WT_RESUME_STEP};
        assert_int_equal(wt_debugger_run(r->d, WT_FORWARDS, &step, 1, &why), WT_INVALID);
        assert_string_equal(why.text, "thread 5 has ended");
        /* The threads of the program's next run are numbered from the beginning. */
        OK(wt_debugger_reset(r->d, &err));
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        assert_int_equal(wait_event(r).thread, 5);
        rig_free(r);
    }
}

static void a_step_ends_with_its_wave(void **state)
{
    FOR_VARIANTS(v)
    {
        struct rig *r = rig_new(v, families, WORDS);
        OK(wt_debugger_insert_breakpoint(r->d, CHILD, NULL, 0, NULL, 0, &err));
        resume_thread(r, 0, WT_RESUME_CONTINUE);
        assert_int_equal(wait_event(r).thread, 5);
        OK(wt_debugger_remove_breakpoint(r->d, CHILD, &err));
        /* A range that the next wave of the slot would be in for ever; all others go on. */
        const struct wt_resume range[] = {
            {.thread = 5, .kind = WT_RESUME_RANGE, .start = CODE, .end = CODE + 0x100},
            {.kind = WT_RESUME_CONTINUE}};
        OK(wt_debugger_run(r->d, WT_FORWARDS, range, 2, &err));
        const struct wt_event e = wait_event(r);
        assert_int_equal(e.kind, WT_EVENT_STOPPED);
        assert_int_equal(e.reason, WT_STOP_STEP);
        assert_string_equal(e.text, "device 0, core 0, warp 1 has ended");
        /* It is told of no other wave's thread. */
        assert_true(e.wave_ended);
        assert_int_equal(e.thread, 0);
        assert_int_equal(wt_debugger_current_thread(r->d), 1);
        rig_free(r);
    }
}

/* ---- backwards and forwards in a recorded run ---- */

struct recorded {
    struct vx_config config;
    struct wt_emulated_options options;
    struct wt_emulated e;
    int fd;
    char path[32];
};

static void record(struct recorded *r)
{
    memset(r, 0, sizeof *r);
    r->fd = memfd_create("program.bin", 0);
    assert_int_equal(write(r->fd, families, sizeof families), sizeof families);
    snprintf(r->path, sizeof r->path, "/proc/self/fd/%d", r->fd);
    vx_config_default(&r->config);
    r->config.xlen = 32;
    r->config.warps = r->config.threads = 4;
    r->options.gpu = (struct wt_gpu){.family = &wt_family_vortex, .config = &r->config};
    r->options.base = CODE;
    r->options.base_given = true;
    r->options.history_memory = 64 << 20;
    OK(wt_emulated_open(&r->e, &r->options, r->path, &err));
    OK(wt_emulated_debug(&r->e, NULL, NULL, &err));
}

static struct wt_event next(struct wt_debugger *d)
{
    struct wt_event e;
    UNTIL((e = wt_debugger_next_event(d)).kind != WT_EVENT_NONE || !wt_debugger_running(d),
          wt_debugger_pump(d, 1000));
    return e;
}

static struct wt_event go_on(struct wt_debugger *d, wt_thread thread, enum wt_resume_kind kind)
{
    const struct wt_resume how = {.thread = thread, .kind = kind};
    OK(wt_debugger_run(d, WT_FORWARDS, &how, 1, &err));
    return next(d);
}

static struct wt_event reverse(struct wt_debugger *d, wt_thread thread, enum wt_resume_kind kind)
{
    const struct wt_resume how = {
        .thread = thread, .kind = kind, .start = CODE, .end = CODE + 0x100};
    OK(wt_debugger_run(d, WT_BACKWARDS, &how, 1, &err));
    return next(d);
}

static uint64_t now(struct wt_debugger *d)
{
    struct wt_debugger_time time;
    OK(wt_debugger_time(d, &time, &err));
    return time.now;
}

static void a_way_through_the_past_follows_no_stranger(void **state)
{
    struct recorded r;
    record(&r);
    struct wt_debugger *d = r.e.debugger;
    uint64_t at[3];
    wt_thread thread[3];
    OK(wt_debugger_insert_breakpoint(d, CHILD, NULL, 0, NULL, 0, &err));
    for (int i = 0; i < 3; i++) {
        const struct wt_event e = go_on(d, 0, WT_RESUME_CONTINUE);
        assert_int_equal(e.reason, WT_STOP_BREAKPOINT);
        thread[i] = e.thread;
        at[i] = now(d);
    }
    assert_true(thread[1] > 16 && thread[2] > thread[1]);
    OK(wt_debugger_remove_breakpoint(d, CHILD, &err));
    assert_int_equal(go_on(d, thread[2], WT_RESUME_STEP).reason, WT_STOP_STEP);
    /* Back to its first instruction, and no further: the slot's last wave is a stranger. */
    struct wt_event e = reverse(d, thread[2], WT_RESUME_RANGE);
    assert_int_equal(e.reason, WT_STOP_HISTORY_BEGIN);
    assert_string_equal(
        e.text, "device 0, core 0, warp 1 begins here: before, another warp was in its slot");
    assert_int_equal(e.thread, thread[2]);
    assert_int_equal(now(d), at[2]);
    assert_int_equal(reverse(d, thread[2], WT_RESUME_STEP).reason, WT_STOP_HISTORY_BEGIN);
    assert_int_equal(now(d), at[2]);
    /* A wave that time travel leads back to has its old numbers. */
    OK(wt_debugger_goto(d, at[0], &err));
    assert_true(wt_debugger_thread_alive(d, thread[0]));
    assert_false(wt_debugger_thread_alive(d, thread[1]));
    assert_false(wt_debugger_thread_alive(d, thread[2]));
    OK(wt_debugger_goto(d, at[1], &err));
    assert_true(wt_debugger_thread_alive(d, thread[1]));
    assert_false(wt_debugger_thread_alive(d, thread[0]));
    /* Forwards, a range ends with the wave, also where its slot is taken again. */
    const struct wt_resume range = {
        .thread = thread[1], .kind = WT_RESUME_RANGE, .start = CODE, .end = CODE + 0x100};
    OK(wt_debugger_run(d, WT_FORWARDS, &range, 1, &err));
    e = next(d);
    assert_int_equal(e.reason, WT_STOP_STEP);
    assert_true(now(d) > at[1] && now(d) <= at[2]);
    assert_false(wt_debugger_thread_alive(d, thread[1]));
    wt_debugger_close(d);
    r.e.debugger = NULL;
    wt_emulated_close(&r.e);
    close(r.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_belong_to_one_wave),
        cmocka_unit_test(the_next_wave_of_a_slot_has_other_threads),
        cmocka_unit_test(a_step_ends_with_its_wave),
        cmocka_unit_test(a_way_through_the_past_follows_no_stranger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
