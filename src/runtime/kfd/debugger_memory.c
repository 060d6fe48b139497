/* See debugger_memory.h. */
#include "runtime/kfd/debugger_memory.h"

#include "runtime/common/own_memory.h"
#include "runtime/kfd/recording.h"

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

bool host_debugger_copy(struct host *host, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done;
        if (copy_recorded(host, addr + done, bytes + done, &part, out))
            continue;
        const uint64_t at = (uintptr_t)piece(host, addr + done, &part);
        part = wt_own_memory_copy(at, bytes + done, part, out);
        if (!part)
            return false;
    }
    return true;
}

bool host_gpu_copy(struct host_gpu *gpu, uint64_t addr, uint8_t *bytes, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        uint64_t room;
        void *at = gcn_device_pointer(gpu->device, addr + done, &room);
        part = at && room < size - done ? (size_t)room : size - done;
        part = wt_own_memory_copy(at ? (uintptr_t)at : addr + done, bytes + done, part, true);
        if (!part)
            return false;
    }
    return true;
}

bool host_gpu_read_plain(void *gpu, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host_gpu *g = gpu;
    if (!host_gpu_copy(g, addr, bytes, size))
        return false;
    wt_planted_lift(&g->host->planted, addr, bytes, size);
    return true;
}
