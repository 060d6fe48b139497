/* Whose turn it is: the program's or its debugger's. See debug.h. */
#include "runtime/cuda/debug.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "runtime/common/interrupt.h"
#include "runtime/cuda/gpu_internal.h"

#define BUDGET 20000 /* issues of a kernel that a debugger looks at */
#define LOOK_MS 50   /* a kernel that stands looks whether Ctrl-C was pressed */

/*
 * The gate is shut by whoever uses the devices: a call of the program, for as long as it lasts, but
 * for the times between two runs of a kernel; or a request of the debugger. The debugger comes
 * first: a kernel waits while one is wanted.
 */
static struct {
    pthread_mutex_t gate;
    pthread_cond_t let;   /* the debugger has left, or changed something */
    pthread_cond_t moved; /* a kernel came back from a run */
    unsigned wanted;      /* requests that wait for the gate, or are being served */
    unsigned watchers;    /* requests that wait for the end of a run */
    uint64_t runs, pokes;
    uint64_t seen;   /* pokes that the last run has seen */
    uint64_t waited; /* runs that a request has waited for, or found to be over */
    bool held, followed, stopped;
    uint64_t state, known; /* of the list of modules; 0: not known */
    bool unloaded;         /* since that state: debug_module_removed() */
    struct debug_module *module;
    size_t module_count, module_room;
    uint64_t next_module;
    struct sm_wire_launch launch;
    uint64_t bank[SM_BANKS]; /* of the launch: addresses, bytes */
    uint32_t bank_size[SM_BANKS];
    struct gpu *gpu;       /* of the launch */
    uint32_t interrupts;   /* that its SMs had raised before the run */
    struct wt_fault fault; /* with which the kernel is to end; kind 0: with none */
} shared = {.gate = PTHREAD_MUTEX_INITIALIZER,
            .let = PTHREAD_COND_INITIALIZER,
            .moved = PTHREAD_COND_INITIALIZER,
            .state = 1,
            .next_module = 1};

/* By the gate alone the debugger might starve beside a kernel that takes it again at once. */
static _Atomic unsigned waiting;

void debug_enter(void)
{
    pthread_mutex_lock(&shared.gate);
}

void debug_leave(void)
{
    pthread_mutex_unlock(&shared.gate);
}

void debug_enter_as_debugger(void)
{
    waiting++;
    pthread_mutex_lock(&shared.gate);
    shared.wanted++;
    waiting--;
}

void debug_leave_as_debugger(void)
{
    shared.wanted--;
    pthread_cond_broadcast(&shared.let);
    pthread_mutex_unlock(&shared.gate);
}

void debug_forget(void)
{
    pthread_mutex_init(&shared.gate, NULL);
    pthread_cond_init(&shared.let, NULL);
    pthread_cond_init(&shared.moved, NULL);
    shared.wanted = shared.watchers = 0;
    waiting = 0;
    shared.followed = shared.held = false;
    shared.launch.runs = false;
}

/* ---- waiting ---- */

static bool wait_for(pthread_cond_t *cond, unsigned ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(cond, &shared.gate, &until) != ETIMEDOUT;
}

/* Whether a run has ended that no request has waited for, perhaps before the request came. The run
 * must have begun after the debugger's last change. */
static bool wait_is_over(void)
{
    return shared.runs != shared.waited && shared.seen == shared.pokes;
}

void debug_wait(unsigned ms)
{
    shared.wanted--;
    shared.watchers++;
    if (shared.gpu)
        wt_recording_asked(shared.gpu->recording);
    pthread_cond_broadcast(&shared.let);
    while (shared.launch.runs && !wait_is_over() && wait_for(&shared.moved, ms))
        continue;
    shared.waited = shared.runs;
    shared.watchers--;
    shared.wanted++;
    pthread_cond_broadcast(&shared.let);
}

void debug_poke(void)
{
    shared.pokes++;
    pthread_cond_broadcast(&shared.let);
}

bool debug_has_news(void)
{
    return shared.followed && shared.stopped && !shared.watchers;
}

uint64_t debug_budget(const struct gpu *gpu, uint64_t without)
{
    shared.interrupts = sm_device_interrupts(gpu->device);
    return shared.followed ? BUDGET : without;
}

static void tell(void)
{
    shared.runs++;
    shared.seen = shared.pokes;
    pthread_cond_broadcast(&shared.moved);
}

/* Gives way to the debugger, if it wants to come in. */
static void give_way(void)
{
    while (shared.wanted || waiting)
        wait_for(&shared.let, LOOK_MS);
}

/* All SMs stop behind an instruction that has accessed watched memory, so that it is as the access
 * has left it. */
static void take_hits(struct gpu *gpu)
{
    struct wt_machine *m = sm_machine(gpu->device);
    watched_take(&gpu->watched, m, NULL);
    for (uint32_t sm = 0; sm < m->waves / SM_WARPS; sm++)
        wt_hosted_input(&gpu->hosted, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                         .bytes = &sm,
                                                         .size = sizeof sm,
                                                         .operation = sm_do_stop});
}

/* Whether a debugger is to be told how a run came back. An event may be no more than an atomic of a
 * recorded kernel. */
static bool is_news(const struct gpu *gpu, enum wt_run result)
{
    return result != WT_RUN_BUDGET &&
           (result != WT_RUN_EVENT || sm_device_interrupts(gpu->device) != shared.interrupts);
}

/* Whether the kernel stands, for its debugger. */
static bool stands(const struct gpu *gpu, enum wt_run result, uint64_t pokes)
{
    if (shared.fault.kind || wt_interrupt_pending())
        return false;
    return wt_recording_waits(gpu->recording) ||
           (result == WT_RUN_HALTED && shared.followed && shared.pokes == pokes);
}

bool debug_turn(struct gpu *gpu, enum wt_run *result)
{
    const uint64_t pokes = shared.pokes;
    shared.stopped |= is_news(gpu, *result);
    if (*result == WT_RUN_WATCH)
        take_hits(gpu);
    tell();
    /* Else this thread might take the gate again before the watchers, for ever. Those that have
     * come since wait for its next run. */
    while (shared.watchers && wait_is_over())
        wait_for(&shared.let, LOOK_MS);
    wt_recording_asked(gpu->recording);
    give_way();
    while (stands(gpu, *result, pokes))
        wait_for(&shared.let, LOOK_MS);
    give_way();
    if (shared.fault.kind) {
        sm_machine(gpu->device)->fault = shared.fault;
        *result = WT_RUN_FAULT;
        return false;
    }
    if (*result == WT_RUN_FAULT && !sm_machine(gpu->device)->fault.kind)
        return true; /* the debugger has gone back, and it has another future */
    if (*result == WT_RUN_HALTED)
        return shared.followed || shared.pokes != pokes;
    return *result == WT_RUN_BUDGET || *result == WT_RUN_EVENT || *result == WT_RUN_WATCH;
}

/* ---- launches ---- */

void debug_launch_wait(void)
{
    shared.state += shared.unloaded;
    shared.unloaded = false;
    while ((shared.held || (shared.followed && shared.known != shared.state)) &&
           !wt_interrupt_pending())
        wait_for(&shared.let, LOOK_MS);
}

void debug_launch_began(struct gpu *gpu, const struct sm_launch *launch)
{
    shared.gpu = gpu;
    shared.launch =
        (struct sm_wire_launch){.number = launch->number, .runs = true, .device = gpu->number};
    memcpy(shared.launch.block, launch->block, sizeof shared.launch.block);
    memcpy(shared.launch.grid, launch->grid, sizeof shared.launch.grid);
    memcpy(shared.bank, launch->bank, sizeof shared.bank);
    memcpy(shared.bank_size, launch->bank_size, sizeof shared.bank_size);
    shared.fault.kind = WT_FAULT_NONE;
    shared.stopped = true;
}

void debug_launch_ended(void)
{
    shared.launch.runs = false;
    shared.gpu = NULL;
    shared.stopped = true;
    tell();
}

struct sm_wire_launch debug_launch(void)
{
    return shared.launch;
}

bool debug_bank(unsigned bank, uint64_t *addr, uint32_t *size)
{
    *addr = bank < SM_BANKS ? shared.bank[bank] : 0;
    *size = bank < SM_BANKS ? shared.bank_size[bank] : 0;
    return shared.launch.number > 0;
}

void debug_fail(const struct wt_fault *fault)
{
    if (shared.launch.runs)
        shared.fault = *fault;
}

/* ---- modules ---- */

void debug_module_added(const struct gpu *gpu, const struct gpu_module *module)
{
    struct debug_module *grown =
        wt_array_grow(shared.module, &shared.module_room, shared.module_count + 1, sizeof *grown);
    if (!grown)
        return; /* the program runs; its code has no symbols */
    shared.module = grown;
    shared.unloaded = false;
    grown[shared.module_count++] = (struct debug_module){.wire = {.id = shared.next_module++,
                                                                  .code = module->code,
                                                                  .data = module->data,
                                                                  .device = gpu->number,
                                                                  .texts = (uint32_t)module->count,
                                                                  .is_cubin = !module->count},
                                                         .module = module};
    shared.state++;
}

void debug_module_removed(const struct gpu_module *module)
{
    for (size_t i = 0; i < shared.module_count; i++) {
        if (shared.module[i].module != module)
            continue;
        memmove(&shared.module[i], &shared.module[i + 1],
                (--shared.module_count - i) * sizeof *shared.module);
        shared.unloaded = true;
        return;
    }
}

const struct debug_module *debug_modules(size_t *count, uint64_t *state)
{
    *count = shared.module_count;
    *state = shared.state;
    return shared.module;
}

/* ---- who is there ---- */

void debug_hold(bool hold)
{
    shared.held = hold;
    pthread_cond_broadcast(&shared.let);
}

bool debug_held(void)
{
    return shared.held;
}

void debug_follow(bool follow)
{
    shared.followed = follow;
    shared.known = 0;
    debug_hold(false);
}

bool debug_followed(void)
{
    return shared.followed;
}

void debug_known(uint64_t state)
{
    shared.known = state;
    pthread_cond_broadcast(&shared.let);
}

int debug_event(uint64_t *state)
{
    if (shared.gpu)
        wt_recording_asked(shared.gpu->recording);
    const int happened =
        (shared.stopped ? WT_WIRE_STOPPED : 0) | (shared.known != shared.state ? WT_WIRE_CODE : 0);
    shared.stopped = false;
    *state = shared.state;
    return happened;
}
