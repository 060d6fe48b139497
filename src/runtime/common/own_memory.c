/* See own_memory.h. */
#include "runtime/common/own_memory.h"

#include <sys/uio.h>
#include <unistd.h>

size_t wt_own_memory_copy(uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    struct iovec there = {.iov_base = (void *)(uintptr_t)addr, .iov_len = size};
    struct iovec here = {.iov_base = bytes, .iov_len = size};
    const ssize_t moved = out ? process_vm_readv(getpid(), &here, 1, &there, 1, 0)
                              : process_vm_writev(getpid(), &here, 1, &there, 1, 0);
    return moved > 0 ? (size_t)moved : 0;
}

bool wt_own_memory_read(uint64_t addr, uint8_t *bytes, size_t size)
{
    return wt_own_memory_copy(addr, bytes, size, true) == size;
}
