/*
 * The code objects that the runtime has loaded, as a debugger in another process follows them. On a
 * real system such a debugger has a breakpoint in the program at the function that the runtime
 * calls at each change of its list (r_brk of struct r_debug). Here the driver compares the list
 * with the one last reported to the debugger, whenever the debugger asks and before each launch. A
 * launch waits until the debugger knows the list, so that its breakpoints are in place.
 */
#include "runtime/hsakmt/host.h"

#include <link.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_OBJECTS 4096

size_t host_code_copy(const void *from, void *to, size_t size)
{
    struct iovec there = {.iov_base = (void *)(uintptr_t)from, .iov_len = size};
    struct iovec here = {.iov_base = to, .iov_len = size};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool host_code_state(struct host *host, uint64_t *state)
{
    struct r_debug debug;
    struct link_map map;
    char uri[512];
    const void *list = host->debug;
    const uint64_t freed = atomic_load(&host->code_freed);
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &freed, sizeof freed);
    *state = 0;
    if (!list)
        return true;
    if (host_code_copy(list, &debug, sizeof debug) != sizeof debug ||
        debug.r_state != RT_CONSISTENT)
        return false;
    const void *at = debug.r_map;
    for (unsigned n = 0; at && n < MOST_OBJECTS; n++, at = map.l_next) {
        if (host_code_copy(at, &map, sizeof map) != sizeof map)
            return false;
        const size_t length = strnlen(uri, host_code_copy(map.l_name, uri, sizeof uri));
        hash = mix(mix(hash, &map.l_addr, sizeof map.l_addr), uri, length);
    }
    *state = hash | 1;
    return true;
}

void host_code_follow(struct host *host, bool follow)
{
    atomic_store(&host->code_known, HOST_CODE_UNKNOWN);
    atomic_store(&host->code_followed, follow);
    atomic_store(&host->held, false);
}

bool host_launches_wait(struct host *host)
{
    uint64_t state;
    if (atomic_load(&host->held))
        return true;
    if (!atomic_load(&host->code_followed))
        return false;
    return !host_code_state(host, &state) || state != atomic_load(&host->code_known);
}
