/* Kernels: each runs within the program's calls that wait for it, until its end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check/race.h"
#include "emulator/machine/machine.h"
#include "runtime/common/armed.h"
#include "object/vortex_wire.h"
#include "runtime/common/catch.h"
#include "runtime/common/counted.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/tally.h"
#include "runtime/vortex/internal.h"

/* Issues at a time: a few milliseconds, until a debugger that comes is heard. */
#define RUN 100000

static uint64_t next_number(void)
{
    static uint64_t last; /* under the gate */
    return ++last;
}

/* The stacks and thread-local variables of a launch are none of the one before. Entered. */
static void begin_races(struct gpu *g)
{
    struct wt_check_race *r = wt_counted_race(&g->hosted, g->machine);
    const uint64_t stacks = gpu_memory_end(g);
    struct wt_object own;
    if (!r)
        return;
    wt_check_race_set_order(r, g->order);
    wt_check_race_renewed(r, stacks,
                          g->config.profile->local_mem_base[g->config.xlen == 64] - stacks);
    state_lock();
    for (const struct buffer *b = g->buffers; b; b = b->next)
        if (b->program.threads && wt_object_find(g->machine, b->program.threads, &own, NULL, NULL))
            wt_check_race_renewed(r, own.addr, own.size);
    state_unlock();
}

/* Entered. False: the launch unit refuses what the registers say. */
static bool begin(struct gpu *g)
{
    struct wt_gate *gate = gpu_gate();
    wt_gate_await(gate);
    wt_gate_await_present(gate, g->recording);
    state_lock();
    const uint64_t programs = g->programs;
    state_unlock();
    const uint64_t number = next_number();
    wt_final_kernel(gpu_final());
    wt_counted_before_kernel(&g->hosted, programs, g->machine);
    begin_races(g);
    wt_recording_before_kernel(g->recording);
    const bool launched = gpu_do(g, vx_do_launch, &number, sizeof number);
    wt_recording_after_kernel(g->recording);
    if (!launched) {
        wt_tally_refused(VORTEX_WIRE_FAMILY, "a launch whose grid or local memory makes no sense");
        return false;
    }
    wt_tally_add(VORTEX_WIRE_FAMILY, 1, 0);
    wt_gate_began(gate, &g->hosted);
    g->began = g->machine->time;
    g->slice = 0; /* a debugger says how far it goes */
    g->begun = g->ran = true;
    return true;
}

/* With a debugger each slice of the kernel is one that it asks for, so that the kernel stands where
 * the debugger looks at it. Entered. */
static bool await_debugger(struct gpu *g, enum wt_run *result)
{
    struct wt_gate *gate = gpu_gate();
    const enum wt_run came = g->came_back = *result;
    if (!gate->followed || came == WT_RUN_ENDED)
        return wt_gate_turn(gate, result, came != WT_RUN_BUDGET);
    *result = WT_RUN_HALTED;
    return wt_gate_turn(gate, result, came != WT_RUN_BUDGET);
}

/* Entered. False: its time is over. */
static bool go_on(struct gpu *g, uint64_t until_ms, enum wt_run *result)
{
    struct wt_gate *gate = gpu_gate();
    struct wt_machine *m = g->machine;
    bool more = true, late = false;
    wt_interrupt_attend(true);
    while (more && !late) {
        const uint64_t before = m->time;
        *result = wt_hosted_run(&g->hosted, gate->followed ? g->slice : RUN, false);
        wt_tally_add(VORTEX_WIRE_FAMILY, 0, m->time > before ? m->time - before : 0);
        if (wt_interrupt_take())
            report_interrupted(g);
        if (*result == WT_RUN_WATCH && armed_take(&g->hosted))
            watched_take(&g->watched, m, NULL);
        more = await_debugger(g, result);
        late = more && (uint64_t)wt_clock_ms() >= until_ms;
    }
    wt_interrupt_attend(false);
    return !late;
}

static enum vx_result end(struct gpu *g, enum wt_run result, struct wt_error *err)
{
    struct wt_machine *m = g->machine;
    wt_gate_ended(gpu_gate());
    m->ops->flush_console(m);
    wt_tally_translated(VORTEX_WIRE_FAMILY, vx_device_translated(g->device), &g->translated);
    if (g->printed)
        fflush(stdout); /* what is written to stderr from now on comes behind it */
    g->printed = false;
    g->cycles = m->time - g->began;
    g->started = false;
    if (call_logged())
        call_note("  kernel %s on device %u: %" PRIu64 " instructions of warps", g->kernel_name,
                  g->number, g->cycles);
    if (result == WT_RUN_ENDED)
        return VX_SUCCESS;
    const bool access = m->fault.kind == WT_FAULT_ACCESS || m->fault.kind == WT_FAULT_MISALIGNED;
    g->lost = true;
    report_fault(g);
    wt_tally_fault(VORTEX_WIRE_FAMILY);
    call_fail(err, VX_ERR_DEVICE_LOST, "the kernel %s has ended by a fault: %s", g->kernel_name,
              m->fault.text);
    gpu_do(g, vx_do_abandon, NULL, 0);
    if (wt_catch_ends(access))
        wt_catch_end();
    return VX_ERR_DEVICE_LOST;
}

enum vx_result run_kernel(struct gpu *g, uint64_t ms, struct wt_error *err)
{
    const uint64_t now = (uint64_t)wt_clock_ms();
    enum wt_run run = WT_RUN_ENDED;
    enum vx_result result;
    wt_gate_enter(gpu_gate());
    if (!g->begun && !begin(g)) {
        g->started = false;
        result = call_fail(err, VX_ERR_INVALID_VALUE,
                           "the launch unit refuses the kernel %s: a cluster does not divide the "
                           "grid, or a CTA wants more local memory than a core has",
                           g->kernel_name);
    } else if (go_on(g, ms > UINT64_MAX - now ? UINT64_MAX : now + ms, &run))
        result = end(g, run, err);
    else
        result = call_fail(err, VX_ERR_TIMEOUT,
                           "the kernel %s has not ended within %" PRIu64 " milliseconds",
                           g->kernel_name, ms);
    wt_gate_leave(gpu_gate());
    return result;
}

void start_kernel(struct gpu *g, const char *name)
{
    snprintf(g->kernel_name, sizeof g->kernel_name, "%s", name);
    g->started = true;
    g->begun = g->lost = false;
    g->order = NULL;
}

/* One for all GPUs: the gate knows of one kernel that runs. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void turn_take(void)
{
    pthread_mutex_lock(&turn);
}

void turn_give(void)
{
    pthread_mutex_unlock(&turn);
}

void gpu_enter(struct gpu *g)
{
    turn_take();
    for (unsigned i = 0; i < gpu_count(); i++) /* one that a wait has left half done, too */
        if (gpu_at(i)->started && (gpu_at(i) == g || gpu_at(i)->begun))
            run_kernel(gpu_at(i), UINT64_MAX, WT_IGNORED);
    wt_gate_enter(gpu_gate());
    wt_gate_await_present(gpu_gate(), g->recording);
}

void gpu_leave(struct gpu *g)
{
    wt_gate_leave(gpu_gate());
    turn_give();
}

enum vx_result gpu_run_and_leave(struct gpu *g, struct wt_error *err)
{
    wt_gate_leave(gpu_gate());
    const enum vx_result result = run_kernel(g, UINT64_MAX, err);
    turn_give();
    return result;
}
