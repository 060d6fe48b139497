/*
 * How the program's threads wait for signals, and how the GPUs' threads wait for packets.
 *
 * HIP's runtime waits actively: a thread that waits for a kernel uses a whole core, which the
 * emulation of that kernel needs. As a tool of the HSA runtime this library turns active waits into
 * blocking ones: they look for 0.1 ms, unless that was in vain the last times, giving way to other
 * threads between two looks, for the GPU's thread may be on the same core; then the runtime's own
 * wait spins for 0.2 ms and sleeps.
 *
 * A GPU's thread that has found no packet for a while sleeps. Packets come without a call, so that
 * it looks again from time to time. A store to a signal, as a program rings a doorbell, wakes it at
 * once. So does a debugger, whose thread then sleeps until a GPU's thread has had a turn.
 */
#include "runtime/common/host_checks.h"
#include "runtime/kfd/tool.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HOW_BLOCKED = 0 };
enum { CONDITION_EQ, CONDITION_NE, CONDITION_LT, CONDITION_GTE };
/* Nanoseconds, as are the runtime's timeouts: the driver's clock has 1 GHz. */
enum { LOOK_FOR = 100000, SHORT_TIMEOUT = 1000000, SLEEP_FOR = 1000000 };

/* A tool has no context of its own in these calls: the runtime's functions are the process's, and
 * so are the threads that wait for doorbells. */
static load_function *runtime_load_relaxed, *runtime_load_scacquire;
static store_function *runtime_store_relaxed, *runtime_store_screlease;
static wait_function *runtime_wait_relaxed, *runtime_wait_scacquire;
struct bell {
    _Atomic uint32_t rung, sleeping;
};
static struct bell doorbell, turned;
static atomic_bool debugged;

/* ---- the program's threads ---- */

static bool is_met(int condition, int64_t is, int64_t value)
{
    switch (condition) {
    case CONDITION_EQ:
        return is == value;
    case CONDITION_NE:
        return is != value;
    case CONDITION_LT:
        return is < value;
    default:
        return is >= value;
    }
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Waits at which this thread looks only once, and those since it has looked for longer. */
static _Thread_local unsigned leaves_out, left_out;

/* Whether the condition becomes true soon; *is: the signal's value then. A thread that has looked
 * in vain looks only once at its next waits, the more of them the oftener that was so. */
static bool comes_soon(load_function *load, uint64_t signal, int condition, int64_t value,
                       int64_t *is)
{
    enum { MOST_LEFT_OUT = 64 };
    const bool looks = left_out >= leaves_out;
    const int64_t until = looks ? now() + LOOK_FOR : 0;
    left_out = looks ? 0 : left_out + 1;
    do {
        *is = load(signal);
        if (is_met(condition, *is, value)) {
            leaves_out = 0;
            return true;
        }
        if (looks)
            sched_yield();
    } while (looks && now() < until);
    if (looks && leaves_out < MOST_LEFT_OUT)
        leaves_out = 2 * leaves_out + 1;
    return false;
}

/* A debugger may hold the kernels for hours: a thread that has looked in vain then sleeps before
 * the runtime's wait, which spins. True: the wait is over; *is: the signal's value. */
static bool sleeps(load_function *load, uint64_t signal, int condition, int64_t value,
                   uint64_t *timeout, int64_t *is)
{
    const uint64_t ns = *timeout < SLEEP_FOR ? *timeout : SLEEP_FOR;
    if (leaves_out <= 1 || !atomic_load(&debugged))
        return false;
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
    *is = load(signal);
    *timeout -= *timeout == UINT64_MAX ? 0 : ns;
    return is_met(condition, *is, value) || !*timeout;
}

static int64_t wait_for(load_function *load, wait_function *wait, uint64_t signal, int condition,
                        int64_t value, uint64_t timeout)
{
    int64_t is;
    if (timeout >= SHORT_TIMEOUT && (comes_soon(load, signal, condition, value, &is) ||
                                     sleeps(load, signal, condition, value, &timeout, &is)))
        return is;
    return wait(signal, condition, value, timeout, HOW_BLOCKED);
}

static int64_t wait_relaxed(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                            int how)
{
    return wait_for(runtime_load_relaxed, runtime_wait_relaxed, signal, condition, value, timeout);
}

static int64_t wait_scacquire(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                              int how)
{
    return wait_for(runtime_load_scacquire, runtime_wait_scacquire, signal, condition, value,
                    timeout);
}

void host_waits_under_debugger(bool is)
{
    atomic_store(&debugged, is);
}

/* ---- doorbells, and the GPUs' turns ---- */

static void ring(struct bell *bell)
{
    atomic_fetch_add(&bell->rung, 1);
    if (atomic_load(&bell->sleeping))
        syscall(SYS_futex, &bell->rung, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void sleep_until(struct bell *bell, uint32_t seen, unsigned ns)
{
    const struct timespec pause = {.tv_nsec = ns};
    atomic_fetch_add(&bell->sleeping, 1);
    syscall(SYS_futex, &bell->rung, FUTEX_WAIT_PRIVATE, seen, &pause, NULL, 0);
    atomic_fetch_sub(&bell->sleeping, 1);
}

uint32_t host_doorbells(void)
{
    return atomic_load(&doorbell.rung);
}

void host_ring_doorbell(void)
{
    ring(&doorbell);
}

void host_sleep(uint32_t seen, unsigned ns)
{
    sleep_until(&doorbell, seen, ns);
}

uint32_t host_turns(void)
{
    return atomic_load(&turned.rung);
}

void host_tell_turn(void)
{
    ring(&turned);
}

void host_sleep_for_turn(uint32_t seen, unsigned ns)
{
    sleep_until(&turned, seen, ns);
}

static void store_relaxed(uint64_t signal, int64_t value)
{
    if (wt_host_listener())
        wt_host_listener()->launching(0);
    runtime_store_relaxed(signal, value);
    ring(&doorbell);
}

static void store_screlease(uint64_t signal, int64_t value)
{
    if (wt_host_listener())
        wt_host_listener()->launching(0);
    runtime_store_screlease(signal, value);
    ring(&doorbell);
}

void host_tool_wait(struct core_table *core)
{
    runtime_load_relaxed = core->load_relaxed;
    runtime_load_scacquire = core->load_scacquire;
    runtime_store_relaxed = core->store_relaxed;
    runtime_store_screlease = core->store_screlease;
    runtime_wait_relaxed = core->wait_relaxed;
    runtime_wait_scacquire = core->wait_scacquire;
    core->store_relaxed = store_relaxed;
    core->store_screlease = store_screlease;
    core->wait_relaxed = wait_relaxed;
    core->wait_scacquire = wait_scacquire;
}
