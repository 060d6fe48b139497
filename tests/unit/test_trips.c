/*
 * How many round trips each operation of the probe and of the debugger takes, exactly: over a wire
 * a round trip is what costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "debug/core/going.h"
#include "rig.h"
#include "wait.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call)                                                                                  \
            fail_msg("%s: %s", #call, err.text);                                                   \
    } while (0)

static struct wt_error err;

/* All warps and lanes count; each warp begins with its own number. */
static const uint32_t all_go[] = {
    /* 00 */ CSRR(A0, 0xfc1),
    /* 04 */ AUIPC(A1, 0),
    /* 08 */ ADDI(A1, A1, 12),
    /* 0c */ WSPAWN(A0, A1),
    /* 10 */ ADDI(A0, X0, -1), /* every warp */
    /* 14 */ TMC(A0),
    /* 18 */ ADDI(A2, X0, 0),
    /* 1c */ ADDI(A2, A2, 1), /* loop */
    /* 20 */ J(X0, -4),
};

static struct rig *new_rig(unsigned xlen, unsigned warps, unsigned threads, bool after)
{
    const struct rig_options o = {.xlen = xlen,
                                  .warps = warps,
                                  .threads = threads,
                                  .dm_only = true,
                                  .bare = true,
                                  .ebreak_after = after,
                                  .schedule = "rr:1"};
    struct rig *r = rig_new(&o, all_go, sizeof all_go / 4);
    const struct wt_thread_info *list;
    size_t count;
    OK(wt_debugger_threads(r->d, &list, &count, &err));
    return r;
}

#define TRIPS(r, call)                                                                             \
    __extension__({                                                                                \
        uint64_t before_ = (r)->bus.round_trips;                                                   \
        OK(call);                                                                                  \
        (int)((r)->bus.round_trips - before_);                                                     \
    })

static struct wt_event wait_event(struct rig *r)
{
    struct wt_event e;
    wt_debugger_pump(r->d, 1000);
    UNTIL((e = wt_debugger_next_event(r->d)).kind != WT_EVENT_NONE, wt_debugger_pump(r->d, 1000));
    return e;
}

/* One column: a device, and what each operation takes on it. */
struct column {
    unsigned xlen, warps, threads;
    bool after; /* DPC is behind an ebreak */
    int interrupt, threads_listed, gprs, all_registers, read_memory, first_hit, next_hit, step;
};

static const struct column columns[] = {
    {32, 4, 32, false, 4, 3, 1, 7, 2, 7, 5, 5}, {32, 32, 4, false, 4, 3, 1, 7, 2, 7, 5, 5},
    {64, 4, 4, false, 5, 4, 3, 3, 4, 10, 6, 6}, {64, 32, 32, false, 5, 4, 3, 3, 4, 10, 6, 6},
    {32, 32, 4, true, 4, 3, 1, 7, 2, 9, 9, 5},
};

#define FOR_COLUMNS(c)                                                                             \
    for (const struct column *c = columns; c < columns + sizeof columns / sizeof *c; c++)

static void expect(const struct column *c, const char *what, int got, int want)
{
    if (got != want)
        fail_msg("rv%u, %u warps of %u threads%s: %s takes %d round trips, not %d", c->xlen,
                 c->warps, c->threads, c->after ? ", DPC behind ebreaks" : "", what, got, want);
}

static const struct wt_resume everybody = {.thread = 0, .kind = WT_RESUME_CONTINUE};

/* A device with all its warps in their loop, stopped. */
static struct rig *looping(const struct column *c)
{
    struct rig *r = new_rig(c->xlen, c->warps, c->threads, c->after);
    expect(c, "resuming all", TRIPS(r, wt_debugger_run(r->d, WT_FORWARDS, &everybody, 1, &err)), 2);
    for (int i = 0; i < 50; i++)
        wt_debugger_pump(r->d, 1000);
    expect(c, "stopping all", TRIPS(r, wt_debugger_interrupt(r->d, &err)), c->interrupt);
    assert_int_equal(wait_event(r).reason, WT_STOP_INTERRUPTED);
    return r;
}

/* The registers of the stop, of each warp: not some round trips for each, however many there are.
 */
static void listing_threads(void **state)
{
    FOR_COLUMNS(c)
    {
        struct rig *r = looping(c);
        const struct wt_thread_info *list;
        size_t count;
        expect(c, "listing the threads", TRIPS(r, wt_debugger_threads(r->d, &list, &count, &err)),
               c->threads_listed);
        assert_int_equal(count, c->warps * c->threads);
        for (size_t i = 0; i < count; i++) {
            assert_true(list[i].pc == CODE + 0x1c || list[i].pc == CODE + 0x20);
            assert_true(list[i].enabled);
        }
        expect(c, "listing them again", TRIPS(r, wt_debugger_threads(r->d, &list, &count, &err)),
               0);
        rig_free(r);
    }
}

static void registers(void **state)
{
    FOR_COLUMNS(c)
    {
        struct rig *r = looping(c);
        unsigned index[200];
        static uint64_t value[32 * 200];
        size_t all = wt_debugger_topology(r->d)->register_count;
        for (unsigned i = 0; i < 200; i++)
            index[i] = i;
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err));
        expect(c, "reading 32 GPRs and the pc",
               TRIPS(r, wt_debugger_read_numbers(r->d, 1, index, 33, value, &err)), c->gprs);
        expect(c, "reading them again",
               TRIPS(r, wt_debugger_read_numbers(r->d, 1, index, 33, value, &err)), 0);
        expect(c, "reading all registers",
               TRIPS(r, wt_debugger_read_numbers(r->d, 2, index, all, value, &err)),
               c->all_registers);
        expect(c, "writing a register", TRIPS(r, wt_debugger_write_number(r->d, 1, 7, 5, &err)), 1);
        rig_free(r);
    }
}

/* All GPRs of all lanes of a warp: as many as of one lane. */
static void registers_of_all_lanes(void **state)
{
    FOR_COLUMNS(c)
    {
        const struct rig_options o = {.xlen = c->xlen,
                                      .warps = c->warps,
                                      .threads = c->threads,
                                      .dm_only = true,
                                      .bare = true};
        struct rig *r = rig_device(&o, all_go, sizeof all_go / 4);
        struct wt_probe *p;
        struct wt_wave_set all;
        unsigned index[32];
        static uint64_t value[32 * 32];
        memset(&all, 0xff, sizeof all);
        for (unsigned i = 0; i < 32; i++)
            index[i] = i;
        OK(wt_probe_vortex.open(&wt_probe_vortex, &r->target, false, &p, &err));
        expect(c, "the probe's halt", TRIPS(r, wt_probe_vortex.halt(p, &all, &err)), 2);
        expect(c, "the GPRs of all lanes",
               TRIPS(r, rig_read_values(&wt_probe_vortex, p, 0, wt_lanes_first(c->threads), index,
                                        32, value, &err)),
               c->gprs);
        wt_probe_vortex.close(p);
        vx_device_free(r->device);
        free(r);
    }
}

static void memory(void **state)
{
    FOR_COLUMNS(c)
    {
        struct rig *r = looping(c);
        static uint8_t bytes[65536];
        expect(c, "reading 4 KiB",
               TRIPS(r, wt_debugger_read_memory(r->d, 1, wt_address_of(0x90000000), bytes, 4096,
                                                &err)),
               c->read_memory);
        expect(c, "reading 4 KiB more",
               TRIPS(r, wt_debugger_read_memory(r->d, 1, wt_address_of(0x90001000), bytes, 4096,
                                                &err)),
               1);
        expect(
            c, "reading a byte",
            TRIPS(r, wt_debugger_read_memory(r->d, 1, wt_address_of(0x90001003), bytes, 1, &err)),
            1);
        expect(c, "writing 4 KiB",
               TRIPS(r, wt_debugger_write_memory(r->d, 1, wt_address_of(0x90000000), bytes, 4096,
                                                 &err)),
               1);
        expect(c, "reading 64 KiB",
               TRIPS(r, wt_debugger_read_memory(r->d, 1, wt_address_of(0x90000000), bytes, 65536,
                                                &err)),
               4);
        expect(c, "writing 64 KiB",
               TRIPS(r, wt_debugger_write_memory(r->d, 1, wt_address_of(0x90000000), bytes, 65536,
                                                 &err)),
               4);
        rig_free(r);
    }
}

static int to_event(struct rig *r, enum wt_stop_reason reason)
{
    uint64_t before = r->bus.round_trips;
    assert_int_equal(wait_event(r).reason, reason);
    return (int)(r->bus.round_trips - before);
}

static void steps_and_breakpoints(void **state)
{
    FOR_COLUMNS(c)
    {
        struct rig *r = looping(c);
        const struct wt_resume step = {.thread = 1, .kind = WT_RESUME_STEP};
        const struct wt_thread_info *list;
        size_t count;
        OK(wt_debugger_threads(r->d, &list, &count, &err)); /* as clients do at each stop */
        expect(c, "asking for a step", TRIPS(r, wt_debugger_run(r->d, WT_FORWARDS, &step, 1, &err)),
               0);
        expect(c, "a step", to_event(r, WT_STOP_STEP), c->step);
        /* Where it stands is known from the step, and the others have not moved. */
        expect(c, "listing the threads after it",
               TRIPS(r, wt_debugger_threads(r->d, &list, &count, &err)), 0);
        expect(c, "inserting a breakpoint",
               TRIPS(r, wt_debugger_insert_breakpoint(r->d, CODE + 0x1c, NULL, 0, NULL, 0, &err)),
               c->xlen == 64 ? 4 : 2);
        OK(wt_debugger_run(r->d, WT_FORWARDS, &everybody, 1, &err));
        expect(c, "the first stop at it", to_event(r, WT_STOP_BREAKPOINT), c->first_hit);
        OK(wt_debugger_run(r->d, WT_FORWARDS, &everybody, 1, &err));
        expect(c, "the next one", to_event(r, WT_STOP_BREAKPOINT), c->next_hit);
        rig_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing_threads),        cmocka_unit_test(registers),
        cmocka_unit_test(registers_of_all_lanes), cmocka_unit_test(memory),
        cmocka_unit_test(steps_and_breakpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
