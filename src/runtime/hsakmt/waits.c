/*
 * How the program's threads wait for signals, and how the GPUs' threads wait for packets.
 *
 * HIP's runtime waits actively: a thread that waits for a kernel uses a whole core, which the
 * emulation of that kernel needs. As a tool of the HSA runtime this library turns active waits into
 * blocking ones: they look for 0.1 ms, giving way to other threads between two looks, for the GPU's
 * thread may be on the same core; then the runtime's own wait spins for 0.2 ms and sleeps.
 *
 * A GPU's thread that has found no packet for a while sleeps. Packets come without a call, so that
 * it looks again from time to time. A store to a signal, as a program rings a doorbell, wakes it at
 * once.
 */
#include "runtime/common/host_checks.h"
#include "runtime/hsakmt/host.h"
#include "runtime/hsakmt/tool.h"

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
enum { LOOK_FOR = 100000, SHORT_TIMEOUT = 1000000 };

/* A tool has no context of its own in these calls: the runtime's functions are the process's, and
 * so are the threads that wait for doorbells. */
static load_function *runtime_load_relaxed, *runtime_load_scacquire;
static store_function *runtime_store_relaxed, *runtime_store_screlease;
static wait_function *runtime_wait_relaxed, *runtime_wait_scacquire;
static _Atomic uint32_t rung, sleeping;

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

/* Whether the condition becomes true soon; *is: the signal's value then. */
static bool comes_soon(load_function *load, uint64_t signal, int condition, int64_t value,
                       int64_t *is)
{
    const int64_t until = now() + LOOK_FOR;
    do {
        *is = load(signal);
        if (is_met(condition, *is, value))
            return true;
        sched_yield();
    } while (now() < until);
    return false;
}

static int64_t wait_relaxed(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                            int how)
{
    int64_t is;
    if (timeout >= SHORT_TIMEOUT && comes_soon(runtime_load_relaxed, signal, condition, value, &is))
        return is;
    return runtime_wait_relaxed(signal, condition, value, timeout, HOW_BLOCKED);
}

static int64_t wait_scacquire(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                              int how)
{
    int64_t is;
    if (timeout >= SHORT_TIMEOUT &&
        comes_soon(runtime_load_scacquire, signal, condition, value, &is))
        return is;
    return runtime_wait_scacquire(signal, condition, value, timeout, HOW_BLOCKED);
}

/* ---- doorbells ---- */

static void ring(void)
{
    atomic_fetch_add(&rung, 1);
    if (atomic_load(&sleeping))
        syscall(SYS_futex, &rung, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

uint32_t host_doorbells(void)
{
    return atomic_load(&rung);
}

void host_sleep(uint32_t seen, unsigned ns)
{
    const struct timespec pause = {.tv_nsec = ns};
    atomic_fetch_add(&sleeping, 1);
    syscall(SYS_futex, &rung, FUTEX_WAIT_PRIVATE, seen, &pause, NULL, 0);
    atomic_fetch_sub(&sleeping, 1);
}

static void store_relaxed(uint64_t signal, int64_t value)
{
    if (wt_host_listener())
        wt_host_listener()->launching(0);
    runtime_store_relaxed(signal, value);
    ring();
}

static void store_screlease(uint64_t signal, int64_t value)
{
    if (wt_host_listener())
        wt_host_listener()->launching(0);
    runtime_store_screlease(signal, value);
    ring();
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
