/*
 * Memory that several processes have: a file without a name, which its owner keeps open and others
 * open through /proc. Nothing is a file before it is shared.
 */
#ifndef WT_RUNTIME_KFD_SHARED_H
#define WT_RUNTIME_KFD_SHARED_H

#include <stdbool.h>
#include <stdint.h>

/**
 * The words of a HsaSharedMemoryHandle by which another process finds the memory. The runtime keeps
 * marks of its own in the last two of the handle's eight words.
 */
struct host_shared_handle {
    uint32_t magic, pid, fd, pages;
    uint64_t inode;
};

/**
 * Moves @p size bytes of private memory at @p at, with their contents, into a file that is mapped
 * in their place. Nobody may write them meanwhile. @p name: of the file. Returns its descriptor,
 * which the caller closes; -1: there is no memory for it.
 */
int host_share(void *at, uint64_t size, const char *name);
/**
 * Fills in the handle of the file @p fd of this process; false where it is no file, or too large.
 */
bool host_shared_describe(int fd, uint64_t size, struct host_shared_handle *handle);
/**
 * Opens the file that @p handle describes. Returns a descriptor, which the caller closes; -1: there
 * is none, or its owner has ended.
 */
int host_shared_open(const struct host_shared_handle *handle);

#endif
