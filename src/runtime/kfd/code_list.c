/*
 * The code objects that the runtime has loaded, as a debugger in another process follows them. On a
 * real system such a debugger has a breakpoint in the program at the function that the runtime
 * calls at each change of its list (r_brk of struct r_debug). Here the driver compares the list
 * with the one last reported to the debugger, whenever the debugger asks and before each launch. A
 * launch waits until the debugger knows the list, so that its breakpoints are in place.
 */
#include "runtime/kfd/host.h"

#include <link.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_OBJECTS 4096

/* Copies up to `size` bytes of this process, which may change or go at any time; how many were
 * there. */
static size_t copy(const void *from, void *to, size_t size)
{
    struct iovec there = {.iov_base = (void *)(uintptr_t)from, .iov_len = size};
    struct iovec here = {.iov_base = to, .iov_len = size};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

bool host_code_begin(struct host *host, struct host_code *code)
{
    struct r_debug debug;
    if (copy(host->debug, &debug, sizeof debug) != sizeof debug || debug.r_state != RT_CONSISTENT)
        return false;
    *code = (struct host_code){.next = debug.r_map};
    return true;
}

bool host_code_next(struct host_code *code)
{
    struct link_map map;
    if (!code->next || copy(code->next, &map, sizeof map) != sizeof map)
        return false;
    code->uri[strnlen(code->uri, copy(map.l_name, code->uri, sizeof code->uri - 1))] = 0;
    code->bias = map.l_addr;
    code->next = ++code->count < MOST_OBJECTS ? map.l_next : NULL;
    return true;
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
    struct host_code code;
    const uint64_t freed = atomic_load(&host->code_freed);
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), &freed, sizeof freed);
    *state = 0;
    if (!host->debug)
        return true;
    if (!host_code_begin(host, &code))
        return false;
    while (host_code_next(&code))
        hash = mix(mix(hash, &code.bias, sizeof code.bias), code.uri, strlen(code.uri));
    if (code.next)
        return false;
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
