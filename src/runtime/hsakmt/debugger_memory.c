/* See debugger_memory.h. */
#include "runtime/hsakmt/debugger_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include "runtime/hsakmt/recording.h"

/* A piece of memory as the GPUs have it: an address of the process in most cases. */
static void *piece(struct host *host, uint64_t addr, size_t *size)
{
    for (uint32_t i = 0; i < host->gpus; i++) {
        uint64_t room;
        void *at = gcn_device_pointer(host->gpu[i].device, addr, &room);
        if (!at)
            continue;
        if (*size > room)
            *size = (size_t)room;
        return at;
    }
    return (void *)(uintptr_t)addr;
}

/* The copy that a recorded GPU uses instead of the process's memory. */
static bool copy_recorded(struct host *host, uint64_t addr, uint8_t *bytes, size_t *size, bool out)
{
    for (uint32_t i = 0; i < host->gpus; i++)
        if (out ? host_recording_read(&host->gpu[i], addr, bytes, size)
                : host_recording_write(&host->gpu[i], addr, bytes, size))
            return true;
    return false;
}

/* By the kernel, so that an address without memory is an error and no signal. */
bool host_debugger_copy(struct host *host, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done;
        if (copy_recorded(host, addr + done, bytes + done, &part, out))
            continue;
        struct iovec there = {.iov_base = piece(host, addr + done, &part)};
        struct iovec here = {.iov_base = bytes + done, .iov_len = part};
        there.iov_len = part;
        const ssize_t moved = out ? process_vm_readv(getpid(), &here, 1, &there, 1, 0)
                                  : process_vm_writev(getpid(), &here, 1, &there, 1, 0);
        if (moved <= 0)
            return false;
        part = (size_t)moved;
    }
    return true;
}

bool host_gpu_copy(struct host_gpu *gpu, uint64_t addr, uint8_t *bytes, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        uint64_t room;
        void *at = gcn_device_pointer(gpu->device, addr + done, &room);
        struct iovec there = {.iov_base = at ? at : (void *)(uintptr_t)(addr + done)};
        struct iovec here = {.iov_base = bytes + done, .iov_len = size - done};
        there.iov_len = at && room < size - done ? (size_t)room : size - done;
        const ssize_t moved = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (moved <= 0)
            return false;
        part = (size_t)moved;
    }
    return true;
}
