/*
 * How the program's threads wait for signals. HIP's runtime waits actively: a thread that waits for
 * a kernel uses a whole core, which the emulation of that kernel needs. As a tool of the HSA
 * runtime this library turns active waits into blocking ones, which spin for 200 microseconds
 * before they sleep: a kernel that is shorter than that is noticed at once.
 */
#include "runtime/hsakmt/tool.h"

enum { HOW_BLOCKED = 0 };

/* A tool has no context of its own in these calls: the runtime's functions are the process's. */
static wait_function *runtime_wait_relaxed, *runtime_wait_scacquire;

static int64_t wait_relaxed(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                            int how)
{
    (void)how;
    return runtime_wait_relaxed(signal, condition, value, timeout, HOW_BLOCKED);
}

static int64_t wait_scacquire(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                              int how)
{
    (void)how;
    return runtime_wait_scacquire(signal, condition, value, timeout, HOW_BLOCKED);
}

void host_tool_wait(struct core_table *core)
{
    runtime_wait_relaxed = core->wait_relaxed;
    runtime_wait_scacquire = core->wait_scacquire;
    core->wait_relaxed = wait_relaxed;
    core->wait_scacquire = wait_scacquire;
}
