/* Walks beside a debugger. See debugged.h. */
#include "runtime/i915/debugged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "emulator/machine/machine.h"
#include "runtime/common/armed.h"
#include "runtime/common/counted.h"
#include "runtime/i915/code.h"
#include "runtime/i915/kernels.h"

/* Issues of a slice: as many as take about a millisecond, since whoever wants the device waits for
 * the end of one. How long an issue takes depends on the kernel and on how this program was built.
 */
enum { LEAST_SLICE = 1 << 8, FIRST_SLICE = 1 << 10, MOST_SLICE = 1 << 16, SLICE_NS = 1000000 };

/* The news of all GPUs, for which the endpoint's thread waits. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t launches; /* launches of the process: each walk of its batches is one */
} news = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((constructor)) static void init_news(void)
{
    pthread_condattr_t clock;
    news.launches = 0; /* a child counts its own */
    pthread_mutex_init(&news.lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&news.changed, &clock);
    pthread_condattr_destroy(&clock);
}

void drm_debugged_init(struct drm_debugged *g, uint32_t number, struct gen_device *device,
                       const struct wt_host_core_ops *core)
{
    *g = (struct drm_debugged){
        .hosted = {.machine = gen_machine(device), .core = core, .recorded = &drm_recording_ops},
        .number = number,
        .device = device,
        .slice = FIRST_SLICE};
    gen_machine(device)->device = number;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
}

/* A thread that is not there any more may have had the locks. */
void drm_debugged_after_fork(struct drm_debugged *g, struct gen_device *device)
{
    const struct wt_hosted before = g->hosted;
    init_news();
    drm_debugged_init(g, g->number, device, g->core);
    g->planted = before.planted;
    g->final = before.final;
    g->apart.count_code = before.apart.count_code;
    g->apart.family = before.apart.family;
}

void drm_debugged_free(struct drm_debugged *g)
{
    watched_forget(&g->watched);
    wt_counted_forget(&g->hosted);
}

/* ---- walks ---- */

/* The device is taken, or its walk has it. Who waits for an attention waits no longer when all GPUs
 * rest. */
static void set_rest(struct drm_debugged *g, bool rests)
{
    pthread_mutex_lock(&news.lock);
    g->busy = !rests;
    pthread_cond_broadcast(&news.changed);
    pthread_mutex_unlock(&news.lock);
}

void drm_debugged_begin(struct drm_debugged *g, uint64_t address, uint8_t *code, size_t room)
{
    pthread_mutex_lock(&g->lock);
    drm_code_runs(g->number, address, code, room);
    while (g->held || (g->attached && g->known != drm_code_state()))
        pthread_cond_wait(&g->changed, &g->lock);
    g->walking = true;
    pthread_mutex_lock(&news.lock);
    g->launch = ++news.launches;
    pthread_mutex_unlock(&news.lock);
    set_rest(g, false);
}

/* Notes which memory nobody but the threads of a walk uses while it runs. */
static void note_own(struct drm_debugged *g, const struct gen_walk *walk)
{
    const uint64_t address = (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1;
    const uint64_t threads = gen_machine(g->device)->waves;
    uint8_t base[8] = {0};
    memset(g->own, 0, sizeof g->own);
    if (walk->has_scratch)
        g->own[0] = (struct drm_own){walk->general + walk->scratch,
                                     (UINT64_C(1024) << walk->scratch_code) * threads};
    if (walk->private_bytes &&
        gen_device_read(g->device, walk->payload + walk->private_at, base, sizeof base))
        g->own[1] = (struct drm_own){wt_load_le(base, sizeof base) & address,
                                     walk->private_bytes * threads};
}

enum wt_status drm_debugged_walk(struct drm_debugged *g, uint64_t root,
                                 const struct wt_i915_mapping *mappings, size_t count,
                                 const struct gen_walk *walk, struct wt_error *err)
{
    g->lost_memory = false;
    g->mappings = mappings;
    g->mapping_count = count;
    gen_device_use_table(g->device, root);
    note_own(g, walk);
    wt_counted_before_kernel(&g->hosted, drm_code_state(), g->object_space);
    wt_counted_set_copies(&g->hosted, !g->judged);
    if (!g->judged)
        gen_machine(g->device)->judge = NULL;
    wt_recording_before_kernel(g->recording);
    const enum wt_status status = gen_device_walk(g->device, walk, err);
    wt_recording_after_kernel(g->recording);
    if (status) { /* it has not begun: its number is the next one's, unless another GPU's was given
                   */
        pthread_mutex_lock(&news.lock);
        news.launches -= news.launches == g->launch;
        pthread_mutex_unlock(&news.lock);
    }
    return status;
}

enum wt_run drm_debugged_run(struct drm_debugged *g)
{
    const uint64_t began = wt_clock_ns();
    const enum wt_run why = wt_hosted_run(&g->hosted, g->slice, !g->attached && !g->held);
    const uint64_t took = wt_clock_ns() - began;
    if (took > 2 * SLICE_NS)
        g->slice = g->slice * SLICE_NS / took;
    if (g->slice < LEAST_SLICE)
        g->slice = LEAST_SLICE;
    else if (took < SLICE_NS / 2 && why == WT_RUN_BUDGET && g->slice < MOST_SLICE)
        g->slice *= 2;
    return why;
}

void drm_debugged_lost_memory(struct drm_debugged *g, uint64_t addr)
{
    if (!wt_recording_on(g->recording))
        return;
    wt_machine_forget_code(gen_machine(g->device)); /* what is gone is not to be read again */
    g->mapping_count = 0;
    g->lost_memory = true;
    g->lost_addr = addr;
}

void drm_debugged_walked(struct drm_debugged *g)
{
    wt_recording_end(g->recording, WT_RECORDING_NOT_YET);
    g->mapping_count = 0;
}

/* A mutex is not fair: whoever wants the device gets it now. */
static void make_way(struct drm_debugged *g)
{
    while (g->wanted)
        pthread_cond_wait(&g->changed, &g->lock);
}

/* It is told without the device, for which a thread that waits for it could wait long. */
static void set_attention(struct drm_debugged *g, bool any)
{
    pthread_mutex_lock(&news.lock);
    g->attention = any;
    pthread_cond_broadcast(&news.changed);
    pthread_mutex_unlock(&news.lock);
}

/* The walk stands at this very moment until the debugger has seen why: as it lets threads go one
 * after the other, it may write TD_CLR yet. */
static void stop(struct drm_debugged *g)
{
    g->stopped = g->unasked = true;
    set_attention(g, true);
}

/* The thread that has accessed watched memory stops behind its instruction. More threads may do
 * that before the debugger asks: it may be letting threads go just now. Without host memory the
 * thread goes on. */
static void take_hits(struct drm_debugged *g)
{
    struct wt_machine *m = gen_machine(g->device);
    const uint32_t thread = m->hit->wave;
    if (watched_take(&g->watched, m, NULL))
        wt_hosted_input(&g->hosted, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                       .bytes = &thread,
                                                       .size = sizeof thread,
                                                       .operation = gen_do_hold});
}

/* Whether the walk stands, for its debugger. */
static bool stands(const struct drm_debugged *g)
{
    return wt_recording_is_away(g->recording) || (g->attached && (g->stopped || g->unasked));
}

/* The debugger sees the thread before its instruction. Returns whether that is tried again. */
static bool tell_fault(struct drm_debugged *g)
{
    struct wt_machine *m = gen_machine(g->device);
    if (g->fault_time == m->time + 1)
        return false;
    g->fault_time = m->time + 1;
    g->faulted = true;
    stop(g);
    make_way(g);
    /* A debugger that is just letting other threads go does not know of the fault yet. */
    while (stands(g) || (g->attached && g->faulted))
        pthread_cond_wait(&g->changed, &g->lock);
    const bool again = !g->faulted || !m->fault.kind; /* or it has gone back, to another future */
    g->faulted = false;
    if (again)
        wt_hosted_input(&g->hosted, &(struct wt_input){.kind = WT_INPUT_CLEAR_FAULT});
    return again;
}

/* All threads wait in a system routine of the program's own, for TD_CLR. Others want to know how
 * the walk is, too. */
static void wait_a_moment(struct drm_debugged *g)
{
    enum { MOMENT_NS = 10000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += MOMENT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&g->changed, &g->lock, &until);
}

bool drm_debugged_continue(struct drm_debugged *g, enum wt_run why)
{
    if (why == WT_RUN_FAULT && g->attached)
        return tell_fault(g) && !g->lost_memory;
    if (why == WT_RUN_WATCH && g->attached && armed_take(&g->hosted))
        take_hits(g);
    if (g->attached && gen_device_attention(g->device))
        stop(g);
    if (why == WT_RUN_HALTED && g->attached) {
        g->stopped = true;
        set_rest(g, true);
    }
    make_way(g);
    while (stands(g)) {
        g->stands = true;
        pthread_cond_wait(&g->changed, &g->lock);
        g->stands = false;
    }
    if (why == WT_RUN_HALTED && !g->attached)
        wait_a_moment(g);
    return why == WT_RUN_BUDGET || why == WT_RUN_EVENT || why == WT_RUN_HALTED ||
           why == WT_RUN_WATCH;
}

void drm_debugged_end(struct drm_debugged *g)
{
    g->walking = g->stopped = g->unasked = false;
    g->fault_time = 0;
    set_rest(g, true);
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

uint32_t drm_debugged_batch_reads(struct drm_debugged *g, uint32_t addr)
{
    drm_debugged_enter(g);
    const uint32_t value =
        g->attached && addr == GEN_TD_CTL
            ? g->td_ctl
            : wt_hosted_input(&g->hosted,
                              &(struct wt_input){.kind = WT_INPUT_DEBUG_READ, .addr = addr});
    drm_debugged_leave(g);
    return value;
}

void drm_debugged_batch_writes(struct drm_debugged *g, uint32_t addr, uint32_t value)
{
    drm_debugged_enter(g);
    if (addr == GEN_TD_CTL)
        g->td_ctl = value & GEN_TD_CTL_MASK;
    if (!g->attached)
        wt_hosted_input(
            &g->hosted,
            &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = addr, .value = value});
    drm_debugged_leave(g);
}

void drm_debugged_reset(struct drm_debugged *g)
{
    struct wt_machine *m = gen_machine(g->device);
    m->ops->reset(m);
    g->td_ctl = 0;
}

/* ---- the debugger ---- */

void drm_debugged_enter(struct drm_debugged *g)
{
    g->wanted++;
    pthread_mutex_lock(&g->lock);
    g->wanted--;
}

/* A walk that goes on standing need not wake up for each request of the debugger. */
void drm_debugged_leave(struct drm_debugged *g)
{
    if (!g->stands || !stands(g))
        pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

void drm_debugged_attach(struct drm_debugged *g, bool on)
{
    struct wt_machine *m = gen_machine(g->device);
    if (g->attached != on)
        gen_device_debug(g->device, on);
    if (g->attached && !on)
        m->ops->debug_write(m, GEN_TD_CTL, g->td_ctl);
    if (!on)
        watched_set(&g->watched, gen_machine(g->device), NULL, 0, false);
    g->attached = on;
    g->held = g->stopped = g->unasked = false;
    set_attention(g, false);
    set_rest(g, !g->walking);
    g->known = 0;
}

void drm_debugged_write(struct drm_debugged *g, uint32_t addr, uint32_t value)
{
    wt_hosted_input(&g->hosted,
                    &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = addr, .value = value});
    /* In the past that is for a look only. */
    if (addr == GEN_MCR_SELECTOR || wt_recording_is_away(g->recording))
        return;
    /* Who halts threads looks at them next: of these it knows. */
    if (addr == GEN_TD_CTL && value & GEN_TD_CTL_HALT)
        gen_device_attention(g->device);
    g->stopped = g->walking && addr == GEN_TD_CTL && value & GEN_TD_CTL_HALT;
    set_rest(g, !g->walking);
}

/* The size of an object is what the program asked for, where that is known. */
static struct wt_block block_of(const struct wt_i915_mapping *m)
{
    return (struct wt_block){m->address, m->asked ? m->asked : m->size};
}

void drm_debugged_note_memory(const struct drm_debugged *g, struct wt_fault *f)
{
    struct wt_block below = {0}, above = {0};
    if (f->kind != WT_FAULT_ACCESS || *f->memory || f->addr >= GEN_SLM_APERTURE)
        return;
    for (size_t i = 0; i < g->mapping_count && !above.size; i++) {
        if (g->mappings[i].address <= f->addr)
            below = block_of(&g->mappings[i]);
        else
            above = block_of(&g->mappings[i]);
    }
    wt_fault_near(f->addr, below, above, f->memory, sizeof f->memory);
}

const struct wt_fault *drm_debugged_fault(const struct drm_debugged *g)
{
    struct wt_fault *fault = &gen_machine(g->device)->fault;
    if (!g->faulted || !fault->kind)
        return NULL;
    drm_debugged_note_memory(g, fault);
    return fault;
}

void drm_debugged_retry(struct drm_debugged *g)
{
    g->faulted = false;
}

void drm_debugged_know(struct drm_debugged *g, uint64_t state)
{
    g->known = state;
}

void drm_debugged_hold(struct drm_debugged *g, bool held)
{
    drm_debugged_enter(g);
    g->held = held;
    drm_debugged_leave(g);
}

void drm_debugged_asked(struct drm_debugged *g)
{
    drm_debugged_enter(g);
    pthread_mutex_lock(&news.lock);
    g->unasked = g->attention; /* of which it is told now */
    pthread_mutex_unlock(&news.lock);
    drm_debugged_leave(g);
}

/* The lock of the news is held. */
static bool all_rest(struct drm_debugged *const *gpus, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++)
        all &= !gpus[i]->busy;
    return all;
}

/* The lock of the news is held. */
static bool take_attention(struct drm_debugged *const *gpus, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any |= gpus[i]->attention;
        gpus[i]->attention = false;
    }
    return any;
}

bool drm_debugged_attention(struct drm_debugged *const *gpus, size_t count, uint64_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(ms * 1000000);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&news.lock);
    bool any = take_attention(gpus, count);
    while (ms && !any && !all_rest(gpus, count) &&
           pthread_cond_timedwait(&news.changed, &news.lock, &until) != ETIMEDOUT)
        any = take_attention(gpus, count);
    any |= take_attention(gpus, count);
    pthread_mutex_unlock(&news.lock);
    return any;
}
