/*
 * The layer that probes of stopping hardware share, under a family of its own: four slots, whose
 * waves count instructions. It says what a family has to add, and that run control works with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "debug/standstill/standstill.h"

enum { SLOTS = 4, PER_CORE = 2 };

/* The hardware. */
struct slot {
    bool alive, halted; /* halted: by itself, for an exception */
    unsigned launch, index, pc;
    unsigned
        accesses; /* to watched memory, by its last instruction: bits, one for each watchpoint */
};

/* All of the family: the device, and what it has been told to do. */
struct wt_probe {
    struct wt_standstill common;
    struct slot slot[SLOTS];
    unsigned stops, goes, events;
    uint32_t only;             /* of the last going */
    bool fresh_run;            /* the program was reset */
    bool happened;             /* the device has something to tell */
    bool ended;                /* the program has */
    uint64_t code, code_known; /* the list of modules */
};

struct row {
    struct wt_standstill_row common;
    unsigned pc;
};

static struct wt_error err;

/* ---- the family ---- */

static const struct wt_watchpoint watchpoints[] = {
    {.kind = WT_WATCHPOINT_WRITE, .addr = {0, 0x100}, .size = 4},
    {.kind = WT_WATCHPOINT_WRITE, .addr = {0, 0x200}, .size = 4},
    {.kind = WT_WATCHPOINT_ACCESS, .addr = {0, 0x100}, .size = 8},
};
enum { WATCHPOINTS = sizeof watchpoints / sizeof *watchpoints };

/* Two lanes each. */
static enum wt_status take_accesses(struct wt_probe *p, uint32_t wave, struct wt_error *e)
{
    struct row *row = (struct row *)wt_standstill_row(p, wave);
    enum wt_status status = WT_OK;
    for (unsigned i = 0; i < WATCHPOINTS; i++)
        for (unsigned lane = 0; lane < 2 && p->slot[wave].accesses >> i & 1 && !status; lane++)
            status =
                wt_standstill_note_hit(p, wave, &watchpoints[i], row->pc - 1, 1u << lane, NULL, e);
    p->slot[wave].accesses = 0;
    row->common.run = row->common.step = false;
    row->common.cause = WT_HALT_WATCH;
    return status;
}

static enum wt_status stop(struct wt_probe *p, struct wt_error *e)
{
    enum wt_status status = WT_OK;
    p->stops++;
    p->common.still = true;
    wt_standstill_begin_list(p);
    for (uint32_t i = 0; i < SLOTS && !status; i++) {
        struct row *row = (struct row *)wt_standstill_row(p, i);
        const struct slot *slot = &p->slot[i];
        struct wt_standstill_launch *launch;
        if (!slot->alive)
            continue;
        if ((status = wt_standstill_find_launch(p, 0, (uint64_t[2]){slot->launch}, &launch, e)) !=
            WT_OK)
            return status;
        struct wt_wave wave = {.lanes = 8, .dispatch = launch->number, .index = slot->index};
        wave.id = wt_standstill_name(&wave, (uint32_t[3]){1, 1, 1});
        if (row->common.wave.id != wave.id)
            *row = (struct row){.common = {.wave = wave, .run = !p->common.hold}};
        row->common.present = true;
        row->pc = slot->pc;
        if (slot->halted && row->common.run) {
            row->common.run = row->common.step = false;
            row->common.cause = WT_HALT_EXCEPTION;
        } else if (slot->accesses) {
            status = take_accesses(p, i, e);
        } else if (row->common.step) {
            row->common.run = row->common.step = false;
            row->common.cause = WT_HALT_STEP;
        }
    }
    return status;
}

/* Each wave that goes executes one instruction. */
static enum wt_status go(struct wt_probe *p, uint32_t only, struct wt_error *e)
{
    (void)e;
    p->goes++;
    p->only = only;
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct wt_standstill_row *row = wt_standstill_row(p, i);
        if (row->present && row->run && (only == WT_NO_HANDLE || i == only))
            p->slot[i].pc++;
    }
    return WT_OK;
}

static enum wt_status event(struct wt_probe *p, bool wait, struct wt_link_event *out,
                            struct wt_error *e)
{
    (void)wait;
    p->events++;
    if (p->ended)
        return wt_fail(e, WT_IO, "the link is broken");
    *out = (struct wt_link_event){
        .attention = p->happened, .code = p->code != p->code_known, .code_state = p->code};
    p->happened = false;
    return WT_OK;
}

static void view(const struct wt_standstill_row *row, uint64_t *pc, wt_lanes *mask)
{
    *pc = ((const struct row *)row)->pc;
    *mask = 0xff;
}

static void exception(const struct wt_standstill_row *row, struct wt_probe_exception *out)
{
    *out = (struct wt_probe_exception){.fault = {.kind = WT_FAULT_ILLEGAL}};
    snprintf(out->fault.text, sizeof out->fault.text, "at %u", ((const struct row *)row)->pc);
}

static enum wt_status read_rows(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *e)
{
    (void)lanes, (void)index, (void)count, (void)e;
    *out = (uint8_t)p->slot[wave].pc;
    return WT_OK;
}

static enum wt_status write_row(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                unsigned index, const uint8_t *bytes, struct wt_error *e)
{
    (void)lanes, (void)index, (void)e;
    p->slot[wave].pc = *bytes;
    return WT_OK;
}

static enum wt_status describe(struct wt_probe *p, struct wt_error *e)
{
    (void)e;
    p->common.topology = (struct wt_topology){.waves_per_core = PER_CORE, .wave_word = "wave"};
    return WT_OK;
}

static const struct wt_standstill_ops family = {
    .stop = stop,
    .go = go,
    .event = event,
    .view = view,
    .exception = exception,
    .read_rows = read_rows,
    .write_row = write_row,
};

static const struct wt_standstill_kind kind = {
    .ops = &family,
    .probe_size = sizeof(struct wt_probe),
    .row_size = sizeof(struct row),
    .describe = describe,
};

static bool has_ended(void *context, uint32_t *status, char *text, size_t size)
{
    *status = 3;
    snprintf(text, size, "it is over");
    return ((struct wt_probe *)context)->ended;
}

static enum wt_status reset(void *context, struct wt_error *e)
{
    (void)e;
    ((struct wt_probe *)context)->fresh_run = true;
    return WT_OK;
}

static enum wt_status code_known(void *context, uint64_t state, struct wt_error *e)
{
    (void)e;
    ((struct wt_probe *)context)->code_known = state;
    return WT_OK;
}

/* ---- what tests do ---- */

static struct wt_wave_set active, halted;

static struct wt_probe *open_probe(bool host_launches)
{
    static const struct wt_link_ops of_host = {.ended = has_ended, .code_known = code_known},
                                    alone = {.ended = has_ended, .reset = reset};
    static struct wt_link link;
    static const struct wt_target_services services = {.pump = NULL};
    const struct wt_target target = {.link = &link, .services = &services};
    static const struct wt_probe_ops ops = {.standstill = &kind};
    struct wt_probe *p;
    link = (struct wt_link){
        host_launches ? &of_host : &alone, NULL, host_launches, 1, {SLOTS / PER_CORE}, {0}};
    assert_int_equal(wt_standstill_open(&ops, &target, false, &p, &err), WT_OK);
    assert_int_equal(p->common.topology.waves, SLOTS);
    link.context = p;
    return p;
}

static void begin(struct wt_probe *p, unsigned slot, unsigned launch, unsigned index)
{
    p->slot[slot] = (struct slot){.alive = true, .launch = launch, .index = index};
}

static void scan(struct wt_probe *p, uint32_t want_active, uint32_t want_halted)
{
    assert_int_equal(wt_standstill_scan(p, &active, &halted, &err), WT_OK);
    assert_int_equal(active.word[0], want_active);
    assert_int_equal(halted.word[0], want_halted);
}

static struct wt_probe_event next(struct wt_probe *p)
{
    struct wt_probe_event out;
    assert_int_equal(wt_standstill_next_event(p, &out, &err), WT_OK);
    return out;
}

static const struct wt_wave_set *set(uint32_t waves)
{
    static struct wt_wave_set s;
    s.word[0] = waves;
    return &s;
}

/* ---- tests ---- */

static void test_waves_stand_still_for_a_look_only(void **state)
{
    struct wt_probe *p;
    struct wt_probe_summary summary;
    uint8_t pc;
    p = open_probe(false);
    begin(p, 0, 7, 0);
    begin(p, 3, 7, 1);
    scan(p, 0x9, 0);
    assert_int_equal(p->stops, 1);
    assert_int_equal(p->goes, 1);
    assert_int_equal(wt_standstill_halt(p, set(0x1), &err), WT_OK);
    scan(p, 0x9, 0x1);
    assert_int_equal(p->slot[0].pc, 1); /* before it was halted; wave 3 goes on */
    assert_int_equal(p->slot[3].pc, 3);
    assert_int_equal(wt_standstill_summary(p, &summary, &err), WT_OK);
    assert_true(summary.any_halted && summary.any_running && !summary.all_unavailable);
    assert_int_equal(wt_standstill_halt(p, set(0x8), &err), WT_OK);
    /* Launches are not held: the device goes on for those that come. */
    assert_false(p->common.still);
    wt_standstill_hold_launches(p, true);
    scan(p, 0x9, 0x9);
    assert_true(p->common.still);
    const unsigned stops = p->stops, goes = p->goes;
    assert_int_equal(wt_standstill_read_rows(p, 3, 1, NULL, 1, &pc, &err), WT_OK);
    assert_int_equal(pc, 3);
    assert_int_equal(wt_standstill_write_row(p, 3, 1, 0, &(uint8_t){40}, &err), WT_OK);
    scan(p, 0x9, 0x9);
    assert_int_equal(p->stops, stops);
    assert_int_equal(p->goes, goes);
    assert_int_equal(wt_standstill_resume(p, set(0x8), &err), WT_OK);
    assert_int_equal(p->slot[3].pc, 41);
    assert_false(p->common.still);
    wt_standstill_close(p);
}

static void test_a_step_is_of_one_wave_and_all_stay(void **state)
{
    struct wt_probe *p;
    struct wt_probe_step step;
    enum wt_halt_cause cause;
    uint64_t pc;
    p = open_probe(false);
    begin(p, 0, 7, 0);
    begin(p, 1, 7, 1);
    scan(p, 0x3, 0);
    assert_int_equal(wt_standstill_halt(p, set(0x1), &err), WT_OK);
    const unsigned other = p->slot[1].pc;
    assert_int_equal(wt_standstill_step(p, 0, &step, &err), WT_OK);
    assert_int_equal(p->only, 0);
    assert_true(step.done && step.active);
    assert_int_equal(step.cause, WT_HALT_STEP);
    assert_int_equal(step.pc, 2);
    assert_int_equal(p->slot[1].pc, other);
    /* Nothing goes before the next scan: a breakpoint may not be in memory again. */
    const unsigned goes = p->goes;
    assert_int_equal(wt_standstill_halt_cause(p, 0, &cause, &pc, &err), WT_OK);
    assert_int_equal(pc, 2);
    assert_int_equal(p->goes, goes);
    scan(p, 0x3, 0x1);
    assert_int_equal(p->goes, goes + 1);
    assert_int_equal(p->slot[1].pc, other + 1);
    /* The slot of a wave that steps has another wave: that one is not the one that has stepped. */
    assert_int_equal(wt_standstill_hold(p, &err), WT_OK);
    wt_standstill_row(p, 0)->wave.id++;
    p->common.still = false;
    assert_int_equal(wt_standstill_step_poll(p, 0, &step, &err), WT_OK);
    assert_true(step.done && !step.active);
    wt_standstill_close(p);
}

static void test_kept_waves_stand_still_until_they_are_kept_no_more(void **state)
{
    struct wt_probe *p;
    struct wt_probe_step step;
    uint8_t pc;
    p = open_probe(true);
    begin(p, 0, 7, 0);
    begin(p, 1, 7, 1);
    scan(p, 0x3, 0);
    assert_int_equal(wt_standstill_keep(p, true, &err), WT_OK);
    assert_false(p->common.still); /* nothing has asked for it */
    assert_int_equal(wt_standstill_halt(p, set(0x1), &err), WT_OK);
    assert_true(p->common.still);
    const unsigned stops = p->stops, goes = p->goes, other = p->slot[1].pc;
    /* Launches are not held, and wave 1 is to run: yet nothing goes but what steps. */
    assert_int_equal(wt_standstill_read_rows(p, 0, 1, NULL, 1, &pc, &err), WT_OK);
    assert_int_equal(wt_standstill_resume(p, set(0x0), &err), WT_OK);
    scan(p, 0x3, 0x1);
    assert_int_equal(p->stops, stops);
    assert_int_equal(p->goes, goes);
    assert_int_equal(wt_standstill_step(p, 0, &step, &err), WT_OK);
    assert_true(step.done && step.active);
    assert_int_equal(p->goes, goes + 1);
    assert_int_equal(p->only, 0);
    assert_int_equal(wt_standstill_keep(p, true, &err), WT_OK);
    assert_int_equal(wt_standstill_resume(p, set(0x1), &err), WT_OK);
    assert_int_equal(wt_standstill_keep(p, false, &err), WT_OK);
    assert_int_equal(p->slot[1].pc, other);
    assert_int_equal(wt_standstill_keep(p, false, &err), WT_OK);
    assert_int_equal(p->goes, goes + 2);
    assert_int_equal(p->slot[0].pc, pc + 2);
    assert_int_equal(p->slot[1].pc, other + 1);
    assert_false(p->common.still);
    wt_standstill_close(p);
}

/* Modules that come after clients were told: their kernels wait until clients are told again. */
static void test_modules_are_known_as_they_were_when_they_were_told(void **state)
{
    struct wt_probe *p;
    p = open_probe(true);
    scan(p, 0, 0);
    p->code = 1;
    scan(p, 0, 0);
    assert_int_equal(next(p).kind, WT_PROBE_MODULES_CHANGED);
    p->code = 2;
    scan(p, 0, 0);
    assert_int_equal(wt_standstill_modules_known(p, &err), WT_OK);
    assert_int_equal(p->code_known, 1);
    assert_int_equal(next(p).kind, WT_PROBE_MODULES_CHANGED);
    assert_int_equal(wt_standstill_modules_known(p, &err), WT_OK);
    assert_int_equal(p->code_known, 2);
    assert_int_equal(next(p).kind, WT_PROBE_NOTHING);
    wt_standstill_close(p);
}

static void test_launches_and_modules_are_told(void **state)
{
    struct wt_probe *p;
    struct wt_wave wave;
    p = open_probe(true);
    begin(p, 2, 7, 5);
    scan(p, 0x4, 0);
    assert_int_equal(next(p).kind, WT_PROBE_NOTHING);
    wt_standstill_describe_wave(p, 2, &wave);
    assert_int_equal(wave.core, 1);
    assert_int_equal(wave.slot, 0);
    assert_int_equal(wave.dispatch, 1);
    assert_int_equal(wave.index, 5);
    assert_true(wave.has_work && wave.id == wt_standstill_wave_id(p, 2));
    /* A host program runs by itself: nothing stops where nothing has happened. */
    const unsigned stops = p->stops;
    scan(p, 0x4, 0);
    assert_int_equal(p->stops, stops);
    begin(p, 2, 8, 5);
    p->code = 1;
    p->happened = true;
    scan(p, 0x4, 0);
    assert_int_equal(p->stops, stops + 1);
    assert_int_equal(next(p).kind, WT_PROBE_MODULES_CHANGED);
    wt_standstill_describe_wave(p, 2, &wave);
    assert_int_equal(wave.dispatch, 2);
    /* Modules are told once, until they are known. */
    p->happened = true;
    scan(p, 0x4, 0);
    assert_int_equal(next(p).kind, WT_PROBE_NOTHING);
    assert_int_equal(wt_standstill_modules_known(p, &err), WT_OK);
    assert_int_equal(p->code_known, 1);
    assert_int_equal(wt_standstill_reset_halted(p, &err), WT_UNSUPPORTED);
    wt_standstill_close(p);
}

static void test_a_program_that_ends_has_no_waves(void **state)
{
    struct wt_probe *p;
    enum wt_halt_cause cause;
    uint8_t byte = 0;
    uint64_t pc;
    p = open_probe(true);
    begin(p, 0, 7, 0);
    scan(p, 0x1, 0);
    p->ended = true;
    scan(p, 0, 0); /* the link is broken, and that is not a mistake */
    assert_int_equal(wt_standstill_halt_cause(p, 0, &cause, &pc, &err), WT_STATE);
    assert_string_equal(err.text, "wave 0 is not active");
    assert_int_equal(wt_standstill_read_rows(p, 0, 1, NULL, 1, &byte, &err), WT_STATE);
    assert_int_equal(wt_standstill_write_row(p, 0, 1, 0, &byte, &err), WT_STATE);
    struct wt_probe_event told = next(p);
    assert_int_equal(told.kind, WT_PROBE_ENDED);
    assert_int_equal(told.status, 3);
    assert_string_equal(told.text, "it is over");
    assert_int_equal(next(p).kind, WT_PROBE_NOTHING);
    wt_standstill_close(p);
}

static void test_exceptions_and_resets(void **state)
{
    struct wt_probe *p;
    struct wt_probe_exception what;
    p = open_probe(false);
    begin(p, 0, 7, 0);
    scan(p, 0x1, 0);
    p->slot[0].halted = true;
    scan(p, 0x1, 0x1);
    assert_int_equal(wt_standstill_exception(p, 0, &what, &err), WT_OK);
    assert_string_equal(what.fault.text, "at 1");
    const wt_wave_id id = wt_standstill_wave_id(p, 0);
    /* Behind the probe's back: names stay, what is remembered of stops goes. */
    assert_int_equal(wt_standstill_hold(p, &err), WT_OK);
    wt_standstill_replaced(p);
    assert_false(p->common.still);
    assert_false(wt_standstill_row(p, 0)->present);
    assert_true(wt_standstill_wave_id(p, 0) == id);
    /* After a reset a wave of the same launch is another one, and held before it begins. */
    begin(p, 0, 7, 0);
    assert_int_equal(wt_standstill_reset_halted(p, &err), WT_OK);
    assert_true(p->fresh_run);
    scan(p, 0x1, 0x1);
    assert_int_equal(p->slot[0].pc, 0);
    assert_true(wt_standstill_wave_id(p, 0) != id);
    wt_standstill_forget(p);
    assert_int_equal(next(p).kind, WT_PROBE_NOTHING);
    wt_standstill_close(p);
}

/* The wave halts for an access: of which lanes to which watchpoint? */
static void hears_of(struct wt_probe *p, uint32_t wave, const struct wt_watchpoint *asked)
{
    struct wt_watchpoint_hit watched;
    bool any;
    enum wt_halt_cause cause;
    uint64_t pc;
    assert_int_equal(wt_standstill_halt_cause(p, wave, &cause, &pc, &err), WT_OK);
    assert_int_equal(cause, WT_HALT_WATCH);
    assert_int_equal(wt_standstill_watched(p, wave, &watched, &any, &err), WT_OK);
    assert_true(any);
    assert_int_equal(watched.read, asked->kind != WT_WATCHPOINT_WRITE);
    assert_int_equal(watched.write, asked->kind != WT_WATCHPOINT_READ);
    assert_int_equal(watched.addr.offset, asked->addr.offset);
    assert_int_equal(watched.pc, pc - 1);
    assert_int_equal(watched.lanes, 3);
}

static void test_each_access_is_told_before_its_wave_goes_on(void **state)
{
    struct wt_probe *p;
    struct wt_watchpoint_hit watched;
    bool any;
    struct wt_probe_step step;
    p = open_probe(false);
    for (unsigned i = 0; i < 3; i++)
        begin(p, i, 7, i);
    scan(p, 0x7, 0);
    /* Three waves access watched memory before all stand still; the first by three watchpoints. */
    p->slot[0].accesses = 7;
    p->slot[1].accesses = p->slot[2].accesses = 1;
    scan(p, 0x7, 0x7);
    /* The debugger hears of one, stops, and lets all go. */
    hears_of(p, 0, &watchpoints[0]);
    const unsigned pc[] = {p->slot[0].pc, p->slot[1].pc, p->slot[2].pc};
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0x7);
    hears_of(p, 1, &watchpoints[0]);
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0x5);
    assert_int_not_equal(p->slot[1].pc, pc[1]);
    hears_of(p, 0, &watchpoints[1]);
    hears_of(p, 0, &watchpoints[2]);
    assert_int_equal(wt_standstill_watched(p, 0, &watched, &any, &err), WT_OK);
    assert_false(any);
    /* One that is to step has not done so. */
    assert_int_equal(wt_standstill_step(p, 2, &step, &err), WT_OK);
    assert_true(step.done && step.active);
    assert_int_equal(step.cause, WT_HALT_WATCH);
    assert_int_equal(step.pc, pc[2]);
    hears_of(p, 2, &watchpoints[0]);
    assert_int_equal(p->slot[0].pc, pc[0]);
    assert_int_equal(p->slot[2].pc, pc[2]);
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0);
    wt_standstill_close(p);
}

/* The debugger is told that a wave has halted for an exception, and asks which. */
static void hears_of_exception(struct wt_probe *p, uint32_t wave, const char *text)
{
    struct wt_probe_exception what;
    enum wt_halt_cause cause;
    uint64_t pc;
    assert_int_equal(wt_standstill_halt_cause(p, wave, &cause, &pc, &err), WT_OK);
    assert_int_equal(cause, WT_HALT_EXCEPTION);
    assert_int_equal(wt_standstill_exception(p, wave, &what, &err), WT_OK);
    assert_string_equal(what.fault.text, text);
}

/* A driver's record names a wave by its slot and its id: it is about no other one of the slot. */
static void test_a_record_of_a_wave_is_not_of_its_successor(void **state)
{
    struct wt_probe *p;
    (void)state;
    p = open_probe(false);
    begin(p, 1, 7, 1);
    scan(p, 0x2, 0);
    const wt_wave_id first = wt_standstill_wave_id(p, 1);
    assert_true(wt_standstill_is_in(p, 1, first));
    assert_false(wt_standstill_is_in(p, 0, first));
    assert_false(wt_standstill_is_in(p, SLOTS, first));
    p->slot[1].alive = false;
    scan(p, 0, 0);
    assert_false(wt_standstill_is_in(p, 1, first));
    begin(p, 1, 7, 2);
    scan(p, 0x2, 0);
    assert_false(wt_standstill_is_in(p, 1, first));
    assert_true(wt_standstill_is_in(p, 1, wt_standstill_wave_id(p, 1)));
    wt_standstill_close(p);
}

static void test_each_exception_is_told_before_its_wave_goes_on(void **state)
{
    struct wt_probe *p;
    struct wt_probe_step step;
    p = open_probe(false);
    for (unsigned i = 0; i < 3; i++)
        begin(p, i, 7, i);
    scan(p, 0x7, 0);
    /* Three waves raise one before all stand still, the third of them after an access. */
    p->slot[0].halted = p->slot[1].halted = p->slot[2].halted = true;
    scan(p, 0x7, 0x7);
    p->slot[0].halted = p->slot[1].halted = p->slot[2].halted = false;
    assert_int_equal(
        wt_standstill_note_hit(p, 2, &watchpoints[0], p->slot[2].pc - 1, 3, NULL, &err), WT_OK);
    /* The debugger hears of one, stops, and lets all go. */
    hears_of_exception(p, 0, "at 1");
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0x6);
    assert_true(wt_standstill_has_news(p, 1) && wt_standstill_has_news(p, 2));
    /* One that is to step has not done so. */
    assert_int_equal(wt_standstill_step(p, 1, &step, &err), WT_OK);
    assert_true(step.done && step.active);
    assert_int_equal(step.cause, WT_HALT_EXCEPTION);
    assert_int_equal(step.pc, 1);
    hears_of_exception(p, 1, "at 1");
    assert_int_equal(wt_standstill_step(p, 1, &step, &err), WT_OK);
    assert_int_equal(step.cause, WT_HALT_STEP);
    assert_int_equal(step.pc, 2);
    /* Of both, the exception first. */
    hears_of_exception(p, 2, "at 1");
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0x4);
    hears_of(p, 2, &watchpoints[0]);
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0);
    wt_standstill_close(p);
}

static void test_accesses_that_nobody_wants_to_hear_of(void **state)
{
    struct wt_probe *p;
    struct wt_watchpoint_hit watched;
    bool any;
    p = open_probe(false);
    for (unsigned i = 0; i < 3; i++)
        begin(p, i, 7, i);
    scan(p, 0x7, 0);
    p->slot[0].accesses = 3;
    p->slot[1].accesses = 1;
    p->slot[2].accesses = 2;
    scan(p, 0x7, 0x7);
    /* The first watchpoint is removed. */
    wt_standstill_keep_hits(p, &watchpoints[1], 1);
    assert_true(wt_standstill_has_hit(p, 0) && wt_standstill_has_hit(p, 2));
    assert_false(wt_standstill_has_hit(p, 1));
    /* Another wave has come into the slot of one that has made an access. */
    begin(p, 2, 7, 9);
    scan(p, 0x7, 0x3);
    assert_false(wt_standstill_has_hit(p, 2));
    assert_int_equal(wt_standstill_watched(p, 2, &watched, &any, &err), WT_OK);
    assert_false(any);
    assert_int_equal(wt_standstill_resume(p, set(0x7), &err), WT_OK);
    scan(p, 0x7, 0x1);
    wt_standstill_replaced(p);
    assert_int_equal(p->common.hit_count, 0);
    wt_standstill_close(p);
}

static struct wt_watchpoint_hit hit_of(struct wt_probe *p, uint32_t wave)
{
    struct wt_watchpoint_hit watched;
    bool any;
    assert_int_equal(wt_standstill_watched(p, wave, &watched, &any, &err), WT_OK);
    assert_true(any);
    return watched;
}

static void test_writes_of_several_waves(void **state)
{
    struct wt_probe *p;
    p = open_probe(false);
    for (unsigned i = 0; i < 3; i++)
        begin(p, i, 7, i);
    scan(p, 0x7, 0);
    assert_int_equal(wt_standstill_first_watched(p), WT_NO_HANDLE);
    /* The device has numbered them, and tells what each has written: the first one is told first,
     * whatever its slot. */
    for (unsigned i = 0; i < 3; i++) {
        const struct wt_watched_values values = {
            .order = 9 - i, .size = 4, .before = {2 - i}, .after = {3 - i}};
        assert_int_equal(
            wt_standstill_note_hit(p, i, &watchpoints[0], p->slot[i].pc - 1, 1, &values, &err),
            WT_OK);
    }
    for (unsigned i = 3; i-- > 0;) {
        assert_int_equal(wt_standstill_first_watched(p), i);
        const struct wt_watchpoint_hit hit = hit_of(p, i);
        assert_int_equal(hit.known, WT_WATCHED_TOLD);
        assert_int_equal(hit.values->before[0], 2 - i);
        assert_int_equal(hit.values->after[0], 3 - i);
    }
    /* It has not: the values of two writes cannot be told apart, those of one are memory's. */
    p->slot[0].accesses = p->slot[1].accesses = 1;
    p->slot[2].accesses = 2;
    scan(p, 0x7, 0x7);
    wt_standstill_mix_hits(p, &watchpoints[0]);
    wt_standstill_mix_hits(p, &watchpoints[1]);
    assert_int_equal(hit_of(p, 0).known, WT_WATCHED_MIXED);
    assert_int_equal(hit_of(p, 1).known, WT_WATCHED_MIXED);
    assert_int_equal(hit_of(p, 2).known, WT_WATCHED_NOW);
    wt_standstill_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_access_is_told_before_its_wave_goes_on),
        cmocka_unit_test(test_each_exception_is_told_before_its_wave_goes_on),
        cmocka_unit_test(test_accesses_that_nobody_wants_to_hear_of),
        cmocka_unit_test(test_writes_of_several_waves),
        cmocka_unit_test(test_waves_stand_still_for_a_look_only),
        cmocka_unit_test(test_a_step_is_of_one_wave_and_all_stay),
        cmocka_unit_test(test_kept_waves_stand_still_until_they_are_kept_no_more),
        cmocka_unit_test(test_modules_are_known_as_they_were_when_they_were_told),
        cmocka_unit_test(test_launches_and_modules_are_told),
        cmocka_unit_test(test_a_record_of_a_wave_is_not_of_its_successor),
        cmocka_unit_test(test_a_program_that_ends_has_no_waves),
        cmocka_unit_test(test_exceptions_and_resets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
