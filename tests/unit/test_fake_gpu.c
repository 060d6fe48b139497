/*
 * The debugger on a GPU that is unlike Vortex in everything (fake_gpu.h): registers by rows and
 * scopes, memory of lanes and groups, breakpoints of one bit, conditions of narrow and wide waves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bits.h"
#include "debug/core/going.h"
#include "debug/core/session.h"
#include "fake_gpu.h"
#include "wait.h"

static struct wt_error err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

struct bench {
    struct fake_gpu *gpu;
    struct wt_debugger *d;
    wt_thread first[GPU_WAVES]; /* the threads of the waves' first lanes */
};

static void take_threads(struct bench *b)
{
    const struct wt_thread_info *list;
    size_t count;
    OK(wt_debugger_threads(b->d, &list, &count, &err));
    for (size_t i = 0; i < count; i++)
        if (list[i].lane == 0)
            b->first[list[i].wave - 1000] = list[i].id;
}

static struct bench open_bench(void)
{
    struct bench b = {.gpu = fake_gpu_new()};
    OK(wt_debugger_open(&b.gpu->target, &fake_gpu_probe, NULL, &b.d, &err));
    take_threads(&b);
    return b;
}

static void close_bench(struct bench *b)
{
    wt_debugger_close(b->d);
    fake_gpu_free(b->gpu);
}

static struct wt_event go(struct bench *b)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    struct wt_event event;
    OK(wt_debugger_run(b->d, WT_FORWARDS, &all, 1, &err));
    for (int i = 0; i < 10000; i++) {
        wt_debugger_pump(b->d, 100);
        if ((event = wt_debugger_next_event(b->d)).kind != WT_EVENT_NONE)
            return event;
    }
    fail_msg("nothing happens");
    return event;
}

/* ---- threads ---- */

static void waves_have_as_many_threads_as_lanes(void **state)
{
    struct bench b = open_bench();
    const struct wt_thread_info *list;
    size_t count, of[GPU_WAVES] = {0};
    OK(wt_debugger_threads(b.d, &list, &count, &err));
    assert_int_equal(count, 8 + 8 + 32 + 32);
    for (size_t i = 0; i < count; i++)
        of[list[i].wave - 1000]++;
    for (unsigned w = 0; w < GPU_WAVES; w++)
        assert_int_equal(of[w], fake_gpu_lanes(w));
    close_bench(&b);
}

/* ---- waves, dispatches and the end ---- */

/* Lets all go, and pumps for a while: nothing must happen. */
static void go_quietly(struct bench *b)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    OK(wt_debugger_run(b->d, WT_FORWARDS, &all, 1, &err));
    for (int i = 0; i < 100; i++)
        wt_debugger_pump(b->d, 100);
    assert_int_equal(wt_debugger_next_event(b->d).kind, WT_EVENT_NONE);
}

static struct wt_event next(struct bench *b)
{
    struct wt_event event;
    UNTIL((event = wt_debugger_next_event(b->d)).kind != WT_EVENT_NONE,
          assert_true(wt_debugger_pump(b->d, 10)));
    return event;
}

static void an_idle_device_is_no_end(void **state)
{
    struct bench b = open_bench();
    const struct wt_thread_info *list;
    size_t count;
    uint32_t status = 0;
    fake_gpu_put(b.gpu, 1, GPU_END, 0, 0);
    go_quietly(&b);
    assert_true(wt_debugger_running(b.d));
    assert_false(wt_debugger_ended(b.d, NULL));
    /* It can be stopped, and goes on, without a single wave. */
    OK(wt_debugger_interrupt(b.d, &err));
    struct wt_event event = next(&b);
    assert_int_equal(event.kind, WT_EVENT_STOPPED);
    assert_int_equal(event.reason, WT_STOP_INTERRUPTED);
    assert_int_equal(event.thread, 0);
    OK(wt_debugger_threads(b.d, &list, &count, &err));
    assert_int_equal(count, 0);
    go_quietly(&b);
    /* The host's end is the end. */
    fake_gpu_end(b.gpu, 3);
    for (int i = 0; i < 3; i++)
        wt_debugger_pump(b.d, 100);
    assert_int_equal(wt_debugger_next_event(b.d).kind, WT_EVENT_EXITED);
    assert_true(wt_debugger_ended(b.d, &status));
    assert_int_equal(status, 3);
    close_bench(&b);
}

static void waves_come_and_go(void **state)
{
    struct bench b = open_bench();
    fake_gpu_put(b.gpu, 1, GPU_END, 0, 0);
    fake_gpu_put(b.gpu, 11, GPU_ADD, 9, 1);
    fake_gpu_put(b.gpu, 13, GPU_END, 0, 0);
    go_quietly(&b);
    /* A breakpoint is met by waves that were not there when it was set. */
    OK(wt_debugger_insert_breakpoint(b.d, 12 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    wt_thread thread[3];
    for (unsigned i = 0; i < 3; i++) {
        struct wt_wave wave;
        struct wt_event event;
        fake_gpu_launch(b.gpu, 2, 10);
        UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE,
              wt_debugger_pump(b.d, 10));
        assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
        thread[i] = event.thread;
        assert_true(wt_debugger_thread_wave(b.d, event.thread, &wave));
        assert_int_equal(wave.id, 2000 + i);
        assert_int_equal(wave.dispatch, 1 + i);
        assert_int_equal(wave.lanes, 32);
        for (unsigned k = 0; k < i; k++) {
            assert_true(thread[i] >= thread[k] + 32);
            assert_false(wt_debugger_thread_alive(b.d, thread[k]));
        }
        /* A step ends with its wave, although the next one is in its slot at once. */
        if (i == 2) {
            const struct wt_resume step[] = {
                {.thread = thread[i], .kind = WT_RESUME_RANGE, .end = GPU_CODE},
                {.kind = WT_RESUME_CONTINUE}};
            b.gpu->relaunch = true;
            OK(wt_debugger_run(b.d, WT_FORWARDS, step, 2, &err));
            UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE,
                  wt_debugger_pump(b.d, 10));
            assert_int_equal(event.reason, WT_STOP_STEP);
            assert_string_equal(event.text,
                                "device 0, dispatch 3, group (0,0,0), core 1, thread 0 has ended");
            assert_true(event.thread != thread[i]);
            break;
        }
        go_quietly(&b);
    }
    close_bench(&b);
}

/* Launches a wave in each slot of [from, to), at instruction 10. */
static void launch_many(struct bench *b, unsigned from, unsigned to)
{
    for (unsigned slot = from; slot < to; slot++)
        fake_gpu_launch(b->gpu, slot, 10);
}

static size_t waves_there(struct bench *b)
{
    struct wt_work work;
    OK(wt_debugger_work(b->d, &work, &err));
    wt_work_free(&work);
    return work.wave_count;
}

static void the_table_of_waves_grows(void **state)
{
    struct bench b = open_bench();
    const struct wt_topology *t = wt_debugger_topology(b.d);
    const struct wt_thread_info *list;
    size_t count;
    fake_gpu_put(b.gpu, 1, GPU_END, 0, 0);
    fake_gpu_put(b.gpu, 10, GPU_ADD, 9, 1);
    fake_gpu_put(b.gpu, 11, GPU_ADD, 9, 2);
    fake_gpu_put(b.gpu, 12, GPU_END, 0, 0);
    assert_int_equal(t->waves, GPU_WAVES);
    go_quietly(&b);
    /* While it runs: a breakpoint stops the waves that have come. */
    OK(wt_debugger_insert_breakpoint(b.d, 11 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    launch_many(&b, 4, 40);
    assert_int_equal(next(&b).reason, WT_STOP_BREAKPOINT);
    assert_int_equal(t->waves, 40);
    assert_int_equal(waves_there(&b), 36);
    /* While all stand: those that have come are held, and one of them steps. */
    launch_many(&b, 40, GPU_MOST_WAVES);
    OK(wt_debugger_reattach(b.d, &err));
    OK(wt_debugger_threads(b.d, &list, &count, &err));
    assert_int_equal(count, GPU_MOST_WAVES - 4);
    assert_int_equal(t->waves, GPU_MOST_WAVES);
    for (size_t i = 0; i < count; i++)
        assert_false(list[i].running);
    assert_int_equal(list[count - 1].pc, 10 * GPU_INSTRUCTION);
    const struct wt_resume step = {.thread = list[count - 1].id, .kind = WT_RESUME_STEP};
    OK(wt_debugger_run(b.d, WT_FORWARDS, &step, 1, &err));
    const struct wt_event event = next(&b);
    assert_int_equal(event.reason, WT_STOP_STEP);
    assert_int_equal(event.thread, step.thread);
    assert_int_equal(b.gpu->wave[GPU_MOST_WAVES - 1].r[9][31], 1);
    assert_int_equal(b.gpu->wave[GPU_MOST_WAVES - 2].r[9][31], 0);
    /* Each of the others comes to the breakpoint, and all come to their end. */
    for (unsigned stops = 1; stops < GPU_MOST_WAVES - 4; stops++)
        assert_int_equal(go(&b).reason, WT_STOP_BREAKPOINT);
    go_quietly(&b);
    assert_int_equal(waves_there(&b), 0);
    for (unsigned w = 4; w < GPU_MOST_WAVES; w++)
        assert_int_equal(b.gpu->wave[w].r[9][31], 3);
    close_bench(&b);
}

static struct wt_topology too_large;

static const struct wt_topology *topology_of_too_many(struct wt_probe *p)
{
    too_large = *fake_gpu_probe.topology(p);
    too_large.most_waves = WT_MAX_WAVES + 1;
    return &too_large;
}

static void more_waves_than_have_names_are_refused(void **state)
{
    struct wt_probe_ops probe = fake_gpu_probe;
    struct fake_gpu *gpu = fake_gpu_new();
    struct wt_debugger *d;
    probe.topology = topology_of_too_many;
    assert_int_equal(wt_debugger_open(&gpu->target, &probe, NULL, &d, &err), WT_UNSUPPORTED);
    assert_null(d);
    assert_string_equal(err.text, "the fake device says that it holds 4 to 32769 threads; 1 to "
                                  "32768 can be debugged");
    fake_gpu_free(gpu);
}

static void launches_are_held_while_all_stand(void **state)
{
    struct bench b = open_bench();
    fake_gpu_put(b.gpu, 1, GPU_END, 0, 0);
    go_quietly(&b);
    OK(wt_debugger_interrupt(b.d, &err));
    assert_int_equal(next(&b).reason, WT_STOP_INTERRUPTED);
    fake_gpu_launch(b.gpu, 0, 10);
    assert_true(b.gpu->wave[0].halted);
    const struct wt_thread_info *list;
    size_t count;
    OK(wt_debugger_reattach(b.d, &err));
    OK(wt_debugger_threads(b.d, &list, &count, &err));
    assert_int_equal(count, 8);
    assert_int_equal(list[0].pc, 10 * GPU_INSTRUCTION);
    assert_false(list[0].running);
    /* One thread steps: others that begin are held, too. */
    const struct wt_resume step = {.thread = list[0].id, .kind = WT_RESUME_STEP};
    OK(wt_debugger_run(b.d, WT_FORWARDS, &step, 1, &err));
    fake_gpu_launch(b.gpu, 3, 20);
    assert_true(b.gpu->wave[3].halted);
    UNTIL(wt_debugger_next_event(b.d).kind != WT_EVENT_NONE, wt_debugger_pump(b.d, 10));
    assert_int_equal(b.gpu->wave[3].pc, 20 * GPU_INSTRUCTION);
    /* All go on: both run, and what begins from now on does. */
    fake_gpu_put(b.gpu, 30, GPU_END, 0, 0);
    go_quietly(&b);
    assert_false(b.gpu->wave[0].active || b.gpu->wave[3].active);
    fake_gpu_launch(b.gpu, 1, 20);
    assert_false(b.gpu->wave[1].halted);
    close_bench(&b);
}

/* With stops that arrive late. */
static void a_stop_is_told_once_all_have_halted(void **state)
{
    struct bench b = open_bench();
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    const struct wt_thread_info *list;
    size_t count;
    struct wt_error why;
    struct wt_event event;
    uint64_t value;
    const unsigned pc = GPU_PC;
    fake_gpu_put(b.gpu, 20, GPU_CALL, 4, 0); /* for ever */
    b.gpu->wave[0].pc = 4 * GPU_INSTRUCTION; /* so that it comes to the breakpoint first */
    OK(wt_debugger_insert_breakpoint(b.d, 10 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    b.gpu->latency = 3;
    OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
    UNTIL(b.gpu->wave[0].halted, wt_debugger_pump(b.d, 1));
    /* One has stopped; the others have been asked. */
    for (int i = 0; i < 2; i++) {
        assert_false(b.gpu->wave[1].halted);
        assert_true(wt_debugger_running(b.d));
        assert_int_equal(wt_debugger_next_event(b.d).kind, WT_EVENT_NONE);
        assert_int_equal(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &why), WT_STATE);
        assert_int_equal(wt_debugger_read_numbers(b.d, b.first[0], &pc, 1, &value, &why), WT_STATE);
        OK(wt_debugger_threads(b.d, &list, &count, &err));
        assert_true(list[0].running);
        wt_debugger_pump(b.d, 1);
    }
    UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE,
          assert_true(wt_debugger_pump(b.d, 1)));
    assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
    assert_int_equal(event.thread, b.first[0]);
    for (unsigned w = 0; w < GPU_WAVES; w++)
        assert_true(b.gpu->wave[w].halted);
    assert_false(wt_debugger_running(b.d));
    OK(wt_debugger_read_numbers(b.d, b.first[0], &pc, 1, &value, &err));
    assert_int_equal(value, 10 * GPU_INSTRUCTION);
    /* Waves that met it on the way are told next; an interrupt is late, too. */
    OK(wt_debugger_remove_breakpoint(b.d, 10 * GPU_INSTRUCTION, &err));
    OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
    for (int i = 0; i < 10; i++)
        wt_debugger_pump(b.d, 1);
    OK(wt_debugger_interrupt(b.d, &err));
    assert_int_equal(wt_debugger_next_event(b.d).kind, WT_EVENT_NONE);
    UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE,
          assert_true(wt_debugger_pump(b.d, 1)));
    assert_int_equal(event.reason, WT_STOP_INTERRUPTED);
    close_bench(&b);
}

/* All waves come to a breakpoint at once. One is told, and another stops the run before the first
 * has left the breakpoint: the first passes it when the run goes on. */
static void a_wave_that_is_slow_to_leave_its_breakpoint_is_told_once(void **state)
{
    struct bench b = open_bench();
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    struct wt_event event;
    fake_gpu_put(b.gpu, 20, GPU_END, 0, 0);
    OK(wt_debugger_insert_breakpoint(b.d, 10 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    b.gpu->latency = 3;
    for (unsigned w = 0; w < GPU_WAVES; w++) {
        OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
        UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE,
              wt_debugger_pump(b.d, 10));
        assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
        assert_int_equal(event.thread, b.first[w]);
        for (unsigned i = 0; i < GPU_WAVES; i++)
            assert_int_equal(b.gpu->wave[i].pc, 10 * GPU_INSTRUCTION);
    }
    OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
    UNTIL(!b.gpu->wave[0].active && !b.gpu->wave[1].active && !b.gpu->wave[2].active &&
              !b.gpu->wave[3].active,
          wt_debugger_pump(b.d, 10));
    close_bench(&b);
}

/* A client replaces all that it has, as when a module comes: no wave can pass meanwhile. */
static void a_breakpoint_that_is_replaced_is_there_all_the_time(void **state)
{
    struct bench b = open_bench();
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    const uint64_t old = 10 * GPU_INSTRUCTION, gone = 11 * GPU_INSTRUCTION;
    const uint64_t new = 12 * GPU_INSTRUCTION;
    uint8_t before[16 * GPU_INSTRUCTION];
    fake_gpu_put(b.gpu, 20, GPU_CALL, 20, 0); /* for ever */
    for (unsigned w = 0; w < GPU_WAVES; w++)
        b.gpu->wave[w].pc = 20 * GPU_INSTRUCTION;
    OK(wt_debugger_insert_breakpoint(b.d, old, NULL, 0, NULL, 0, &err));
    OK(wt_debugger_insert_breakpoint(b.d, gone, NULL, 0, NULL, 0, &err));
    OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
    wt_debugger_pump(b.d, 10);
    memcpy(before, b.gpu->memory, sizeof before);
    wt_debugger_begin_changes(b.d);
    OK(wt_debugger_remove_breakpoint(b.d, old, &err));
    OK(wt_debugger_remove_breakpoint(b.d, gone, &err));
    assert_memory_equal(b.gpu->memory, before, sizeof before);
    OK(wt_debugger_insert_breakpoint(b.d, old, NULL, 0, NULL, 0, &err));
    OK(wt_debugger_insert_breakpoint(b.d, new, NULL, 0, NULL, 0, &err));
    assert_memory_equal(b.gpu->memory, before, sizeof before);
    OK(wt_debugger_end_changes(b.d, &err));
    assert_memory_equal(b.gpu->memory + old, before + old, GPU_INSTRUCTION);
    assert_memory_not_equal(b.gpu->memory + gone, before + gone, GPU_INSTRUCTION);
    assert_memory_not_equal(b.gpu->memory + new, before + new, GPU_INSTRUCTION);
    close_bench(&b);
}

/* From under a breakpoint that is planted, as the others run: they do not pass it meanwhile. */
static void a_late_step_is_done_while_others_run(void **state)
{
    struct bench b = open_bench();
    const struct wt_resume step[] = {{.thread = b.first[0], .kind = WT_RESUME_STEP},
                                     {.kind = WT_RESUME_CONTINUE}};
    struct wt_event event;
    fake_gpu_put(b.gpu, 20, GPU_CALL, 15, 0); /* for ever */
    for (unsigned w = 1; w < GPU_WAVES; w++)
        b.gpu->wave[w].pc = 15 * GPU_INSTRUCTION;
    OK(wt_debugger_insert_breakpoint(b.d, 10 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    assert_int_equal(go(&b).thread, b.first[0]);
    const uint32_t before = b.gpu->wave[1].pc;
    b.gpu->latency = 5;
    OK(wt_debugger_run(b.d, WT_FORWARDS, step, 2, &err));
    UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE, wt_debugger_pump(b.d, 10));
    assert_int_equal(event.reason, WT_STOP_STEP);
    assert_int_equal(event.thread, b.first[0]);
    assert_int_equal(b.gpu->wave[0].pc, 11 * GPU_INSTRUCTION);
    assert_int_not_equal(b.gpu->wave[1].pc, before);
    close_bench(&b);
}

/* All waves come to a breakpoint at once; the program ends three of them before the debugger has
 * asked why. */
static void a_halted_wave_that_the_program_ends_is_no_error(void **state)
{
    struct bench b = open_bench();
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    struct wt_event event;
    fake_gpu_put(b.gpu, 20, GPU_END, 0, 0);
    OK(wt_debugger_insert_breakpoint(b.d, 10 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    b.gpu->takes[0] = b.gpu->takes[1] = b.gpu->takes[3] = true;
    OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
    UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE, wt_debugger_pump(b.d, 10));
    assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
    assert_int_equal(event.thread, b.first[2]);
    assert_false(b.gpu->takes[0] || b.gpu->takes[1]);
    OK(wt_debugger_run(b.d, WT_FORWARDS, &all, 1, &err));
    UNTIL(!b.gpu->wave[2].active, wt_debugger_pump(b.d, 10));
    assert_false(b.gpu->takes[3]);
    event = wt_debugger_next_event(b.d);
    assert_true(event.kind == WT_EVENT_NONE || event.reason != WT_STOP_LOST);
    close_bench(&b);
}

static void several_steps_are_under_way(void **state)
{
    struct bench b = open_bench();
    b.gpu->latency = 5;
    wt_debugger_set_nonstop(b.d, true);
    const struct wt_resume steps[] = {{.thread = b.first[0], .kind = WT_RESUME_STEP},
                                      {.thread = b.first[2] + 7, .kind = WT_RESUME_STEP},
                                      {.thread = b.first[3], .kind = WT_RESUME_STEP}};
    OK(wt_debugger_run(b.d, WT_FORWARDS, steps, 3, &err));
    unsigned most = 0, stops = 0;
    for (int i = 0; i < 100; i++) {
        unsigned under_way = 0;
        wt_debugger_pump(b.d, 1);
        for (unsigned w = 0; w < GPU_WAVES; w++)
            under_way += b.gpu->wave[w].steps_in != 0;
        most = under_way > most ? under_way : most;
        for (struct wt_event e; (e = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE;)
            stops += e.reason == WT_STOP_STEP;
    }
    assert_int_equal(most, 3);
    assert_int_equal(stops, 3);
    for (unsigned w = 0; w < GPU_WAVES; w++)
        assert_int_equal(b.gpu->wave[w].pc, w == 1 ? 0 : GPU_INSTRUCTION);
    close_bench(&b);
}

/* ---- watchpoints, and the past ---- */

/* Each wave adds to r9 and stores it to its lanes' private memory, twice, and ends. */
static struct bench open_recorded(void)
{
    struct bench b = {.gpu = fake_gpu_new()};
    fake_gpu_put(b.gpu, 0, GPU_ADD, 9, 1);
    fake_gpu_put(b.gpu, 1, GPU_STORE, 8, 9);
    fake_gpu_put(b.gpu, 2, GPU_ADD, 9, 2);
    fake_gpu_put(b.gpu, 3, GPU_STORE, 8, 9);
    fake_gpu_put(b.gpu, 5, GPU_END, 0, 0);
    fake_gpu_record(b.gpu);
    OK(wt_debugger_open(&b.gpu->target, &fake_gpu_probe, NULL, &b.d, &err));
    take_threads(&b);
    return b;
}

static struct wt_event reverse(struct bench *b, wt_thread thread, enum wt_resume_kind kind)
{
    const struct wt_resume how = {.thread = thread, .kind = kind, .end = GPU_CODE};
    OK(wt_debugger_run(b->d, WT_BACKWARDS, &how, 1, &err));
    return next(b);
}

static uint32_t private_word(struct bench *b, wt_thread thread)
{
    uint8_t word[4];
    OK(wt_debugger_read_memory(b->d, thread, (struct wt_address){GPU_SPACE_PRIVATE, 8}, word, 4,
                               &err));
    return (uint32_t)wt_load_le(word, 4);
}

static void a_lanes_private_memory_is_watched(void **state)
{
    struct bench b = open_recorded();
    const wt_thread lane = b.first[2] + 21;
    const struct wt_watchpoint_request watch = {
        .kind = WT_WATCHPOINT_WRITE, .addr = {GPU_SPACE_PRIVATE, 10}, .size = 1, .thread = lane};
    OK(wt_debugger_insert_watchpoint(b.d, &watch, &err));
    for (uint32_t value = 1; value <= 3; value += 2) {
        const struct wt_event event = go(&b);
        assert_int_equal(event.reason, WT_STOP_WATCHPOINT);
        assert_int_equal(event.thread, lane);
        assert_int_equal(wt_lanes_count(event.lanes), 1);
        assert_int_equal(event.addr.space, GPU_SPACE_PRIVATE);
        assert_int_equal(private_word(&b, lane), value);
    }
    go_quietly(&b);
    close_bench(&b);
}

static void the_past_of_a_wave_is_searched(void **state)
{
    struct bench b = open_recorded();
    const wt_thread lane = b.first[3] + 30;
    const unsigned pc = GPU_PC;
    uint64_t value;
    OK(wt_debugger_insert_breakpoint(b.d, 4 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    while (go(&b).thread != b.first[3])
        continue;
    assert_int_equal(private_word(&b, lane), 3);
    wt_debugger_remove_all_breakpoints(b.d);
    /* Instruction by instruction, of the lane of a wide wave among narrow ones. */
    for (unsigned n = 3; n < 4; n--) {
        struct wt_event event = reverse(&b, lane, WT_RESUME_STEP);
        assert_int_equal(event.reason, WT_STOP_STEP);
        assert_int_equal(event.thread, lane);
        OK(wt_debugger_read_numbers(b.d, lane, &pc, 1, &value, &err));
        assert_int_equal(value, n * GPU_INSTRUCTION);
        assert_int_equal(private_word(&b, lane), n > 1 ? 1 : 0);
    }
    assert_int_equal(reverse(&b, lane, WT_RESUME_STEP).reason, WT_STOP_HISTORY_BEGIN);
    /* Forwards along the recorded run, to the end of it. */
    const struct wt_resume step = {.thread = lane, .kind = WT_RESUME_STEP};
    OK(wt_debugger_run(b.d, WT_FORWARDS, &step, 1, &err));
    assert_int_equal(next(&b).reason, WT_STOP_STEP);
    OK(wt_debugger_read_numbers(b.d, lane, &pc, 1, &value, &err));
    assert_int_equal(value, GPU_INSTRUCTION);
    /* Back to the last write of one lane. */
    struct wt_debugger_time time;
    OK(wt_debugger_time(b.d, &time, &err));
    OK(wt_debugger_goto(b.d, time.end, &err));
    const struct wt_watchpoint_request watch = {
        .kind = WT_WATCHPOINT_WRITE, .addr = {GPU_SPACE_PRIVATE, 8}, .size = 4, .thread = lane};
    OK(wt_debugger_insert_watchpoint(b.d, &watch, &err));
    const struct wt_event event = reverse(&b, 0, WT_RESUME_CONTINUE);
    assert_int_equal(event.reason, WT_STOP_WATCHPOINT);
    assert_int_equal(event.thread, lane);
    assert_int_equal(private_word(&b, lane), 1);
    close_bench(&b);
}

static void the_past_of_a_slot_is_not_that_of_its_wave(void **state)
{
    struct bench b = open_recorded();
    struct wt_event event;
    go_quietly(&b);
    OK(wt_debugger_insert_breakpoint(b.d, 12 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    fake_gpu_launch(b.gpu, 1, 10);
    event = next(&b);
    assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
    const wt_thread new = event.thread;
    assert_true(new != b.first[1]);
    /* Two instructions back is its first one; before, another wave was there. */
    assert_int_equal(reverse(&b, new, WT_RESUME_STEP).reason, WT_STOP_STEP);
    assert_int_equal(reverse(&b, new, WT_RESUME_STEP).reason, WT_STOP_STEP);
    event = reverse(&b, new, WT_RESUME_STEP);
    assert_int_equal(event.reason, WT_STOP_HISTORY_BEGIN);
    assert_int_equal(event.thread, new);
    assert_string_equal(event.text, "device 0, dispatch 1, group (1,0,0), core 0, thread 1 begins "
                                    "here: before, another thread was in its slot");
    /* The wave that was there has its old threads. */
    OK(wt_debugger_goto(b.d, 0, &err));
    assert_true(wt_debugger_thread_alive(b.d, b.first[1]));
    assert_false(wt_debugger_thread_alive(b.d, new));
    close_bench(&b);
}

struct told {
    unsigned began, ended;
    uint64_t last;
    unsigned waves_began, waves_ended, groups_began, groups_ended;
    wt_wave_id wave[8]; /* those that began, in their order */
};

static void note_news(void *context, const struct wt_probe_event *event)
{
    struct told *t = context;
    t->began += event->kind == WT_PROBE_DISPATCH_BEGAN;
    t->ended += event->kind == WT_PROBE_DISPATCH_ENDED;
    if (event->kind == WT_PROBE_WAVE_BEGAN)
        t->wave[t->waves_began++ % 8] = event->wave;
    else if (event->kind == WT_PROBE_WAVE_ENDED)
        t->waves_ended++;
    else if (event->kind == WT_PROBE_GROUP_BEGAN)
        t->groups_began++;
    else if (event->kind == WT_PROBE_GROUP_ENDED)
        t->groups_ended++;
    else
        t->last = event->dispatch;
}

static void note_nothing(void *context)
{
}

static void note_stop(void *context, const struct wt_event *event)
{
}

static bool always_false(void *context)
{
    return false;
}

/* The id of the dispatch of a number, which has one wave in one group. */
static uint64_t work_of(struct bench *b, uint64_t number)
{
    struct wt_work work;
    uint64_t id = 0;
    OK(wt_debugger_work(b->d, &work, &err));
    for (size_t i = 0; i < work.dispatch_count; i++) {
        const struct wt_dispatch *d = &work.dispatch[i];
        if (d->number != number)
            continue;
        id = d->id;
        assert_int_equal(d->wave_count, 1);
        assert_int_equal(d->group_count, 1);
        assert_ptr_equal(d->group->of, d);
        assert_ptr_equal(d->group->wave[0], d->wave[0]);
        assert_int_equal(d->wave[0]->dispatch, id);
    }
    wt_work_free(&work);
    return id;
}

static void dispatches_are_told_to_each_client(void **state)
{
    static const struct wt_client_ops ops = {.handle = note_nothing,
                                             .event = note_stop,
                                             .news = note_news,
                                             .answer = always_false,
                                             .is_full = always_false,
                                             .is_idle = always_false};
    struct wt_client_ops deaf = ops;
    deaf.news = NULL;
    struct told t[2] = {{0}};
    struct bench b = {.gpu = fake_gpu_new()};
    OK(wt_debugger_open(&b.gpu->target, &fake_gpu_probe, NULL, &b.d, &err));
    struct wt_session *session = wt_session_new(b.d);
    struct wt_client *client[] = {wt_session_join(session, &ops, &t[0]),
                                  wt_session_join(session, &deaf, NULL),
                                  wt_session_join(session, &ops, &t[1])};
    fake_gpu_put(b.gpu, 1, GPU_END, 0, 0);
    go_quietly(&b);
    fake_gpu_launch(b.gpu, 1, 0);
    fake_gpu_launch(b.gpu, 3, 0);
    assert_int_equal(waves_there(&b), 2);
    for (int i = 0; i < 10; i++)
        wt_session_pump(session, 100);
    assert_int_equal(waves_there(&b), 0);
    wt_session_pump(session, 0);
    for (int i = 0; i < 2; i++) {
        /* With that of the waves that were there to begin with. */
        assert_int_equal(t[i].began, 3);
        assert_int_equal(t[i].ended, 3);
    }
    assert_int_equal(wt_debugger_dispatch(b.d, t[0].last)->number, 2);
    assert_int_equal(wt_debugger_dispatch(b.d, t[0].last)->wave_count, 0);
    /* A later run has launches of the same numbers, which are other dispatches. */
    OK(wt_debugger_reset(b.d, &err));
    assert_null(wt_debugger_dispatch(b.d, t[0].last));
    const uint64_t again = work_of(&b, 2);
    assert_true(again > t[0].last);
    wt_session_pump(session, 0);
    assert_int_equal(t[0].began, 6);
    for (int i = 0; i < 3; i++)
        wt_client_leave(client[i]);
    wt_session_free(session);
    close_bench(&b);
}

static void waves_are_told_to_clients_that_want_it(void **state)
{
    static const struct wt_client_ops ops = {.handle = note_nothing,
                                             .event = note_stop,
                                             .news = note_news,
                                             .waves = true,
                                             .answer = always_false,
                                             .is_full = always_false,
                                             .is_idle = always_false};
    struct wt_client_ops other = ops;
    other.waves = false;
    struct told t[2] = {{0}};
    struct bench b = open_bench();
    struct wt_session *session = wt_session_new(b.d);
    struct wt_client *client[] = {wt_session_join(session, &ops, &t[0]),
                                  wt_session_join(session, &other, &t[1])};
    const struct wt_thread_info *list;
    size_t count;
    fake_gpu_put(b.gpu, 1, GPU_END, 0, 0);
    /* Those that are there to begin with, once. */
    for (int i = 0; i < 2; i++)
        wt_session_pump(session, 0);
    assert_int_equal(t[0].waves_began, GPU_WAVES);
    assert_int_equal(t[0].waves_ended, 0);
    assert_int_equal(t[0].groups_began, GPU_GROUPS);
    /* They end; the next wave of a slot is another one. */
    go_quietly(&b);
    OK(wt_debugger_threads(b.d, &list, &count, &err));
    wt_session_pump(session, 100);
    assert_int_equal(t[0].waves_began, GPU_WAVES);
    assert_int_equal(t[0].waves_ended, GPU_WAVES);
    OK(wt_debugger_insert_breakpoint(b.d, 0, NULL, 0, NULL, 0, &err));
    fake_gpu_launch(b.gpu, 1, 0);
    UNTIL(!wt_debugger_running(b.d), wt_session_pump(session, 10));
    wt_session_pump(session, 0);
    assert_int_equal(t[0].waves_began, GPU_WAVES + 1);
    assert_int_equal(t[0].waves_ended, GPU_WAVES);
    assert_int_equal(t[0].groups_began, GPU_GROUPS + 1);
    assert_int_equal(t[0].groups_ended, GPU_GROUPS);
    struct wt_wave_info info;
    OK(wt_debugger_wave(b.d, t[0].wave[GPU_WAVES % 8], &info, &err));
    assert_int_equal(info.wave.dispatch, 1);
    /* The other client hears of dispatches alone; without the first one nobody asks. */
    assert_int_equal(t[1].waves_began + t[1].waves_ended + t[1].groups_began, 0);
    wt_client_leave(client[0]);
    struct wt_probe_event news;
    wt_debugger_remove_all_breakpoints(b.d);
    go_quietly(&b);
    OK(wt_debugger_threads(b.d, &list, &count, &err));
    while (wt_debugger_next_news(b.d, &news))
        assert_true(news.kind == WT_PROBE_DISPATCH_BEGAN || news.kind == WT_PROBE_DISPATCH_ENDED);
    assert_int_equal(news.kind, WT_PROBE_DISPATCH_ENDED);
    wt_client_leave(client[1]);
    wt_session_free(session);
    close_bench(&b);
}

/* ---- registers ---- */

static void registers_of_2048_bits_are_bytes(void **state)
{
    struct bench b = open_bench();
    uint8_t value[256], got[256 + 4];
    const unsigned both[] = {GPU_WIDE + 3, 7};
    for (unsigned i = 0; i < sizeof value; i++)
        value[i] = (uint8_t)(3 * i + 1);
    assert_int_equal(wt_debugger_topology(b.d)->registers[GPU_WIDE].bits, 2048);
    assert_true(wt_debugger_topology(b.d)->register_count >= 400);
    OK(wt_debugger_write_register(b.d, b.first[2], GPU_WIDE + 3, value, &err));
    assert_memory_equal(b.gpu->wave[2].wide[3], value, sizeof value);
    b.gpu->wave[2].r[7][0] = 0x11223344;
    OK(wt_debugger_read_registers(b.d, b.first[2], both, 2, got, &err));
    assert_memory_equal(got, value, sizeof value);
    assert_int_equal(wt_load_le(got + 256, 4), 0x11223344);
    /* It is not a number; the others are. */
    uint64_t number;
    struct wt_error why;
    assert_int_equal(wt_debugger_read_numbers(b.d, b.first[2], both, 1, &number, &why), WT_INVALID);
    OK(wt_debugger_read_numbers(b.d, b.first[2], both + 1, 1, &number, &err));
    assert_int_equal(number, 0x11223344);
    close_bench(&b);
}

static void a_row_has_the_lanes_that_were_asked_for(void **state)
{
    struct bench b = open_bench();
    const unsigned index[] = {5, GPU_GROUP_REGISTER, GPU_PC};
    uint8_t row[4 * 32 + 6 + 4 * 32];
    b.gpu->group_register[1] = 0x112233445566;
    for (unsigned lane = 0; lane < 32; lane++)
        b.gpu->wave[3].r[5][lane] = 100 + lane;
    /* Two lanes, then all: the two are kept. */
    OK(wt_debugger_read_rows(b.d, b.first[3], 0x80000010, index, 1, row, &err));
    assert_int_equal(wt_load_le(row, 4), 104);
    assert_int_equal(wt_load_le(row + 4, 4), 131);
    OK(wt_debugger_read_rows(b.d, b.first[3], wt_lanes_first(32), index, 3, row, &err));
    for (unsigned lane = 0; lane < 32; lane++) {
        assert_int_equal(wt_load_le(row + 4 * lane, 4), 100 + lane);
        assert_int_equal(wt_load_le(row + 4 * 32 + 6 + 4 * lane, 4), 0); /* each lane has a pc */
    }
    assert_true(wt_load_le(row + 4 * 32, 6) == 0x112233445566);
    /* A wave of 8 lanes has no lane 8. */
    struct wt_error why;
    assert_int_equal(wt_debugger_read_rows(b.d, b.first[0], 0x100, index, 1, row, &why),
                     WT_INVALID);
    close_bench(&b);
}

/* What is known is not read again: of a lane or wave until it moves, of what waves share until one
 * of them does, of what is unsteady never. */
static void rows_are_kept_as_long_as_they_hold(void **state)
{
    struct bench b = open_bench();
    const unsigned index[] = {5, GPU_SCALAR + 2, GPU_GROUP_REGISTER, GPU_CORE_REGISTER};
    const unsigned counter = GPU_COUNTER, shared = GPU_GROUP_REGISTER;
    uint8_t bytes[64];
    uint64_t one, two;
    OK(wt_debugger_read_registers(b.d, b.first[0], index, 4, bytes, &err));
    unsigned before = b.gpu->row_reads;
    OK(wt_debugger_read_registers(b.d, b.first[0], index, 4, bytes, &err));
    assert_int_equal(b.gpu->row_reads, before);
    /* Another lane has its own r5; the rest is known. */
    const unsigned read = b.gpu->registers_read;
    OK(wt_debugger_read_registers(b.d, b.first[0] + 1, index, 4, bytes, &err));
    assert_int_equal(b.gpu->registers_read, read + 1);
    OK(wt_debugger_read_numbers(b.d, b.first[0], &counter, 1, &one, &err));
    OK(wt_debugger_read_numbers(b.d, b.first[0], &counter, 1, &two, &err));
    assert_int_not_equal(one, two);
    /* Waves 0 and 2 share a register; one writes it. */
    OK(wt_debugger_write_number(b.d, b.first[2], shared, 77, &err));
    OK(wt_debugger_read_numbers(b.d, b.first[0], &shared, 1, &one, &err));
    assert_int_equal(one, 77);
    /* Wave 0's own are known still. */
    before = b.gpu->row_reads;
    OK(wt_debugger_read_registers(b.d, b.first[0], index, 2, bytes, &err));
    assert_int_equal(b.gpu->row_reads, before);
    /* Until it runs. */
    const struct wt_resume step = {.thread = b.first[0], .kind = WT_RESUME_STEP};
    OK(wt_debugger_run(b.d, WT_FORWARDS, &step, 1, &err));
    UNTIL(wt_debugger_next_event(b.d).kind != WT_EVENT_NONE, wt_debugger_pump(b.d, 1));
    OK(wt_debugger_read_registers(b.d, b.first[0], index, 2, bytes, &err));
    assert_int_equal(b.gpu->row_reads, before + 1);
    close_bench(&b);
}

/* ---- memory ---- */

static void memory_is_that_of_the_lane(void **state)
{
    struct bench b = open_bench();
    const struct wt_address private = {GPU_SPACE_PRIVATE, 8}, local = {GPU_SPACE_LOCAL, 4},
                            end = {GPU_SPACE_PRIVATE, GPU_PRIVATE - 3}, none = {7, 0};
    uint32_t value = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        value = 40 + lane;
        OK(wt_debugger_write_memory(b.d, b.first[1] + lane, private, &value, 4, &err));
    }
    for (unsigned lane = 0; lane < 8; lane++) {
        assert_int_equal(b.gpu->wave[1].private[lane][8], 40 + lane);
        OK(wt_debugger_read_memory(b.d, b.first[1] + lane, private, &value, 4, &err));
        assert_int_equal(value, 40 + lane);
    }
    assert_int_equal(b.gpu->wave[0].private[0][8], 0);
    /* Waves 1 and 3 are a group. */
    value = 0xabcd;
    OK(wt_debugger_write_memory(b.d, b.first[3], local, &value, 4, &err));
    OK(wt_debugger_read_memory(b.d, b.first[1] + 5, local, &value, 4, &err));
    assert_int_equal(value, 0xabcd);
    OK(wt_debugger_read_memory(b.d, b.first[0], local, &value, 4, &err));
    assert_int_equal(value, 0);
    struct wt_error why;
    assert_int_equal(wt_debugger_read_memory(b.d, b.first[0], end, &value, 4, &why), WT_INVALID);
    assert_int_equal(wt_debugger_read_memory(b.d, b.first[0], none, &value, 4, &why), WT_INVALID);
    close_bench(&b);
}

/* ---- breakpoints ---- */

static uint8_t break_byte(const struct bench *b, unsigned n)
{
    return b->gpu->memory[n * GPU_INSTRUCTION + GPU_BREAK_BYTE];
}

static void a_breakpoint_is_one_bit(void **state)
{
    struct bench b = open_bench();
    fake_gpu_put(b.gpu, 2, GPU_ADD, 9, 5);
    fake_gpu_put(b.gpu, 3, GPU_ADD, 9, 7);
    fake_gpu_put(b.gpu, 6, GPU_END, 0, 0);
    /* Two in one window. */
    OK(wt_debugger_insert_breakpoint(b.d, 2 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    OK(wt_debugger_insert_breakpoint(b.d, 3 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    struct wt_error why;
    assert_int_equal(wt_debugger_insert_breakpoint(b.d, 40, NULL, 0, NULL, 0, &why), WT_INVALID);
    assert_int_equal(wt_debugger_insert_breakpoint(b.d, GPU_CODE, NULL, 0, NULL, 0, &why),
                     WT_INVALID);
    struct wt_event event = go(&b);
    assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
    assert_int_equal(break_byte(&b, 2), 0x81 | GPU_BREAK_BIT);
    assert_int_equal(break_byte(&b, 3), 0x81 | GPU_BREAK_BIT);
    assert_int_equal(break_byte(&b, 4), 0x81);
    assert_int_equal(b.gpu->wave[0].r[9][0], 0);
    /* Memory is shown without it. */
    uint8_t bytes[64];
    OK(wt_debugger_read_memory(b.d, 0, wt_address_of(32), bytes, 32, &err));
    assert_int_equal(bytes[GPU_BREAK_BYTE], 0x81);
    assert_int_equal(bytes[GPU_INSTRUCTION + GPU_BREAK_BYTE], 0x81);
    /* The program changes the bits beside it: they stay as it left them. */
    b.gpu->memory[3 * GPU_INSTRUCTION + GPU_BREAK_BYTE] = 0x08 | GPU_BREAK_BIT;
    /* All four waves meet both: eight stops, then the end. */
    for (unsigned stops = 1; stops < 2 * GPU_WAVES; stops++)
        assert_int_equal(go(&b).reason, WT_STOP_BREAKPOINT);
    fake_gpu_end(b.gpu, 7);
    event = go(&b);
    assert_int_equal(event.kind, WT_EVENT_EXITED);
    assert_int_equal(event.status, 7);
    for (unsigned w = 0; w < GPU_WAVES; w++)
        assert_int_equal(b.gpu->wave[w].r[9][fake_gpu_lanes(w) - 1], 12);
    OK(wt_debugger_reset(b.d, &err));
    wt_debugger_remove_all_breakpoints(b.d);
    OK(wt_debugger_insert_breakpoint(b.d, 5 * GPU_INSTRUCTION, NULL, 0, NULL, 0, &err));
    assert_int_equal(go(&b).reason, WT_STOP_BREAKPOINT);
    assert_int_equal(break_byte(&b, 2), 0x81);
    assert_int_equal(break_byte(&b, 3), 0x08);
    close_bench(&b);
}

static void a_step_is_one_instruction_of_16_bytes(void **state)
{
    struct bench b = open_bench();
    const unsigned pc = GPU_PC;
    uint64_t value;
    fake_gpu_put(b.gpu, 0, GPU_ADD, 9, 1);
    OK(wt_debugger_insert_breakpoint(b.d, 0, NULL, 0, NULL, 0, &err));
    const struct wt_resume step = {.thread = b.first[2] + 31, .kind = WT_RESUME_STEP};
    OK(wt_debugger_run(b.d, WT_FORWARDS, &step, 1, &err));
    struct wt_event event;
    UNTIL((event = wt_debugger_next_event(b.d)).kind != WT_EVENT_NONE, wt_debugger_pump(b.d, 1));
    assert_int_equal(event.reason, WT_STOP_STEP);
    assert_int_equal(event.thread, b.first[2] + 31);
    OK(wt_debugger_read_numbers(b.d, event.thread, &pc, 1, &value, &err));
    assert_int_equal(value, GPU_INSTRUCTION);
    assert_int_equal(b.gpu->wave[2].r[9][31], 1);
    assert_int_equal(b.gpu->wave[0].r[9][0], 0);
    close_bench(&b);
}

static void breakpoints_left_in_memory_are_found(void **state)
{
    struct bench b = open_bench();
    uint8_t file[GPU_CODE];
    uint64_t looked, total;
    size_t count;
    fake_gpu_put(b.gpu, 17, GPU_ADD, 9, 1);
    memcpy(file, b.gpu->memory, sizeof file);
    file[40 * GPU_INSTRUCTION + GPU_BREAK_BYTE] |= GPU_BREAK_BIT; /* the program's own */
    b.gpu->memory[40 * GPU_INSTRUCTION + GPU_BREAK_BYTE] |= GPU_BREAK_BIT;
    b.gpu->memory[17 * GPU_INSTRUCTION + GPU_BREAK_BYTE] |= GPU_BREAK_BIT;
    b.gpu->memory[18 * GPU_INSTRUCTION + 5] = 1; /* changed, and no breakpoint */
    const struct wt_code code = {0, file, sizeof file};
    wt_debugger_set_code(b.d, &code, 1);
    OK(wt_debugger_find_leftovers(b.d, 0, &looked, &total, &err));
    const struct wt_leftover *list = wt_debugger_leftovers(b.d, &count);
    assert_int_equal(count, 1);
    assert_int_equal(list[0].addr, 17 * GPU_INSTRUCTION);
    OK(wt_debugger_lift_leftovers(b.d, &err));
    assert_int_equal(break_byte(&b, 17), 0x81);
    assert_int_equal(break_byte(&b, 40), 0x81 | GPU_BREAK_BIT);
    close_bench(&b);
}

/* ---- conditions ---- */

/* r9 == value */
static struct wt_expr *r9_is(uint32_t value)
{
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector same = wt_expr_temporary(e, 0);
    wt_expr_add(e, WT_EXPR_EQUAL, 0, same, wt_expr_register(e, 9), wt_expr_constant(e, value));
    wt_expr_add(e, WT_EXPR_END, 0, same, same, same);
    OK(wt_expr_finish(e, &err));
    return e;
}

static void a_condition_is_asked_of_all_lanes(void **state)
{
    struct bench b = open_bench();
    fake_gpu_put(b.gpu, 1, GPU_ADD, 9, 1);
    fake_gpu_put(b.gpu, 3, GPU_END, 0, 0);
    for (unsigned w = 0; w < GPU_WAVES; w++)
        for (unsigned lane = 0; lane < fake_gpu_lanes(w); lane++)
            b.gpu->wave[w].r[9][lane] = 100 * w + lane;
    /* Lane 29 of wave 3; a wave of 8 lanes has none such. */
    struct wt_expr *condition = r9_is(300 + 29 + 1);
    OK(wt_debugger_insert_breakpoint(b.d, 2 * GPU_INSTRUCTION, &condition, 1, NULL, 0, &err));
    wt_expr_free(condition);
    struct wt_event event = go(&b);
    assert_int_equal(event.reason, WT_STOP_BREAKPOINT);
    assert_int_equal(event.thread, b.first[3] + 29);
    /* And a value of each of its lanes. */
    struct wt_lane_value result[32];
    condition = r9_is(307);
    OK(wt_debugger_evaluate(b.d, 1003, wt_lanes_first(32), condition, 0, result, NULL, &err));
    for (unsigned lane = 0; lane < 32; lane++)
        assert_true(result[lane].known && result[lane].value == (lane == 6));
    wt_expr_free(condition);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_as_many_threads_as_lanes),
        cmocka_unit_test(an_idle_device_is_no_end),
        cmocka_unit_test(waves_come_and_go),
        cmocka_unit_test(the_table_of_waves_grows),
        cmocka_unit_test(more_waves_than_have_names_are_refused),
        cmocka_unit_test(launches_are_held_while_all_stand),
        cmocka_unit_test(dispatches_are_told_to_each_client),
        cmocka_unit_test(waves_are_told_to_clients_that_want_it),
        cmocka_unit_test(a_lanes_private_memory_is_watched),
        cmocka_unit_test(the_past_of_a_wave_is_searched),
        cmocka_unit_test(the_past_of_a_slot_is_not_that_of_its_wave),
        cmocka_unit_test(a_stop_is_told_once_all_have_halted),
        cmocka_unit_test(a_wave_that_is_slow_to_leave_its_breakpoint_is_told_once),
        cmocka_unit_test(a_breakpoint_that_is_replaced_is_there_all_the_time),
        cmocka_unit_test(a_late_step_is_done_while_others_run),
        cmocka_unit_test(a_halted_wave_that_the_program_ends_is_no_error),
        cmocka_unit_test(several_steps_are_under_way),
        cmocka_unit_test(registers_of_2048_bits_are_bytes),
        cmocka_unit_test(a_row_has_the_lanes_that_were_asked_for),
        cmocka_unit_test(rows_are_kept_as_long_as_they_hold),
        cmocka_unit_test(memory_is_that_of_the_lane),
        cmocka_unit_test(a_breakpoint_is_one_bit),
        cmocka_unit_test(a_step_is_one_instruction_of_16_bytes),
        cmocka_unit_test(breakpoints_left_in_memory_are_found),
        cmocka_unit_test(a_condition_is_asked_of_all_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
