/* See gate.h. */
#include "runtime/common/gate.h"

#include <errno.h>
#include <time.h>

#include "base/fault.h"
#include "emulator/machine/machine.h"
#include "object/process_wire.h"
#include "runtime/common/interrupt.h"

#define BUDGET 20000 /* issues of a kernel that a debugger looks at */
#define LOOK_MS 50   /* a kernel that stands looks whether Ctrl-C was pressed */

void wt_gate_enter(struct wt_gate *g)
{
    pthread_mutex_lock(&g->lock);
}

void wt_gate_leave(struct wt_gate *g)
{
    pthread_mutex_unlock(&g->lock);
}

void wt_gate_enter_as_debugger(struct wt_gate *g)
{
    g->waiting++;
    pthread_mutex_lock(&g->lock);
    g->wanted++;
    g->waiting--;
}

void wt_gate_leave_as_debugger(struct wt_gate *g)
{
    g->wanted--;
    pthread_cond_broadcast(&g->let);
    pthread_mutex_unlock(&g->lock);
}

void wt_gate_forget(struct wt_gate *g)
{
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->let, NULL);
    pthread_cond_init(&g->moved, NULL);
    g->wanted = g->watchers = 0;
    g->waiting = 0;
    g->followed = g->held = false;
    g->gpu = NULL;
}

/* ---- waiting ---- */

static bool wait_for(struct wt_gate *g, pthread_cond_t *cond, unsigned ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(cond, &g->lock, &until) != ETIMEDOUT;
}

/* Whether a run has ended that no request has waited for, perhaps before the request came. The run
 * must have begun after the debugger's last change. */
static bool wait_is_over(const struct wt_gate *g)
{
    return g->runs != g->waited && g->seen == g->pokes;
}

void wt_gate_wait(struct wt_gate *g, unsigned ms)
{
    g->wanted--;
    g->watchers++;
    if (g->gpu)
        wt_recording_asked(g->gpu->recording);
    pthread_cond_broadcast(&g->let);
    while (g->gpu && !wait_is_over(g) && wait_for(g, &g->moved, ms))
        continue;
    g->waited = g->runs;
    g->watchers--;
    g->wanted++;
    pthread_cond_broadcast(&g->let);
}

void wt_gate_poke(struct wt_gate *g)
{
    g->pokes++;
    pthread_cond_broadcast(&g->let);
}

bool wt_gate_has_news(const struct wt_gate *g)
{
    return g->followed && g->stopped && !g->watchers;
}

static void tell(struct wt_gate *g)
{
    g->runs++;
    g->seen = g->pokes;
    pthread_cond_broadcast(&g->moved);
}

/* Gives way to the debugger, if it wants to come in. */
static void give_way(struct wt_gate *g)
{
    while (g->wanted || g->waiting)
        wait_for(g, &g->let, LOOK_MS);
}

/* Whether the kernel stands, for its debugger. */
static bool stands(const struct wt_gate *g, enum wt_run result, uint64_t pokes)
{
    if (g->fault.kind || wt_interrupt_pending())
        return false;
    return wt_recording_waits(g->gpu->recording) ||
           (result == WT_RUN_HALTED && g->followed && g->pokes == pokes);
}

/* ---- kernels ---- */

void wt_gate_await(struct wt_gate *g)
{
    while ((g->held || (g->followed && g->known != g->code)) && !wt_interrupt_pending())
        wait_for(g, &g->let, LOOK_MS);
}

void wt_gate_await_present(struct wt_gate *g, const struct wt_recording *recording)
{
    while (g->followed && wt_recording_is_away(recording) && !wt_interrupt_pending())
        wait_for(g, &g->let, LOOK_MS);
}

void wt_gate_began(struct wt_gate *g, struct wt_hosted *gpu)
{
    g->gpu = gpu;
    g->fault.kind = WT_FAULT_NONE;
    g->stopped = true;
}

uint64_t wt_gate_budget(const struct wt_gate *g, uint64_t without)
{
    return g->followed ? BUDGET : without;
}

bool wt_gate_turn(struct wt_gate *g, enum wt_run *result, bool news)
{
    const uint64_t pokes = g->pokes;
    struct wt_machine *m = g->gpu->machine;
    g->stopped |= news;
    tell(g);
    /* Else this thread might take the gate again before the watchers, for ever. Those that have
     * come since wait for its next run. */
    while (g->watchers && wait_is_over(g))
        wait_for(g, &g->let, LOOK_MS);
    wt_recording_asked(g->gpu->recording);
    give_way(g);
    while (stands(g, *result, pokes))
        wait_for(g, &g->let, LOOK_MS);
    give_way(g);
    if (g->fault.kind) {
        m->fault = g->fault;
        *result = WT_RUN_FAULT;
        return false;
    }
    if (*result == WT_RUN_FAULT && !m->fault.kind)
        return true; /* the debugger has gone back, and it has another future */
    if (*result == WT_RUN_HALTED)
        return g->followed || g->pokes != pokes;
    return *result == WT_RUN_BUDGET || *result == WT_RUN_EVENT || *result == WT_RUN_WATCH;
}

void wt_gate_ended(struct wt_gate *g)
{
    g->gpu = NULL;
    g->stopped = true;
    tell(g);
}

void wt_gate_fail(struct wt_gate *g, const struct wt_fault *fault)
{
    if (g->gpu)
        g->fault = *fault;
}

/* ---- who is there ---- */

void wt_gate_hold(struct wt_gate *g, bool hold)
{
    g->held = hold;
    pthread_cond_broadcast(&g->let);
}

void wt_gate_follow(struct wt_gate *g, bool follow)
{
    g->followed = follow;
    g->known = 0;
    wt_gate_hold(g, false);
}

void wt_gate_code_known(struct wt_gate *g, uint64_t state)
{
    g->known = state;
    pthread_cond_broadcast(&g->let);
}

int wt_gate_event(struct wt_gate *g, uint64_t *code)
{
    if (g->gpu)
        wt_recording_asked(g->gpu->recording);
    const int happened =
        (g->stopped ? WT_WIRE_STOPPED : 0) | (g->known != g->code ? WT_WIRE_CODE : 0);
    g->stopped = false;
    *code = g->code;
    return happened;
}
