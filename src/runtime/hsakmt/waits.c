/*
 * How the program's threads wait for signals. HIP's runtime waits actively: a thread that waits for
 * a kernel uses a whole core, which the emulation of that kernel needs. The HSA runtime lets a tool
 * replace functions of its interface ("HSA_TOOLS_LIB", hsa_api_trace.h); this library is such a
 * tool and turns active waits into blocking ones, which spin for 200 microseconds before they
 * sleep: a kernel that is shorter than that is noticed at once.
 */
#include "runtime/hsakmt/host.h"

/* hsa_api_trace.h is C++; this is the part of its tables that is used. */
struct table_version {
    uint32_t major, size, step, reserved; /* the minor number is the table's size */
};

/* A signal wait: signal, condition, value, timeout, and how to wait. */
typedef int64_t wait_function(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                              int how);
enum { HOW_BLOCKED = 0, CORE_MAJOR = 1 };

struct core_table {
    struct table_version version;
    void (*before[43])(void);
    wait_function *wait_relaxed, *wait_scacquire;
};

struct api_table {
    struct table_version version;
    struct core_table *core;
};

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

/** Called by the HSA runtime when it starts; false would unload the tool. */
bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *failed)
{
    struct core_table *core = ((struct api_table *)table)->core;
    (void)version, (void)failed_count, (void)failed;
    if (core->version.major == CORE_MAJOR && core->version.size >= sizeof *core) {
        runtime_wait_relaxed = core->wait_relaxed;
        runtime_wait_scacquire = core->wait_scacquire;
        core->wait_relaxed = wait_relaxed;
        core->wait_scacquire = wait_scacquire;
    }
    return true;
}

void OnUnload(void)
{
}
