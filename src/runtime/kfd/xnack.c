/*
 * XNACK: a GPU whose instructions may be repeated after a page fault uses all of the process's
 * memory. A process has it on or off. Nothing migrates: what an access finds unmapped is lent to
 * the GPU until a kernel begins, since the program may have given the memory back by then.
 */
#include "runtime/kfd/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool all_may(const struct host *host)
{
    bool all = true;
    for (uint32_t i = 0; i < host->gpus; i++)
        all &= host->gpu[i].config.model->target.xnack == GCN_XNACK_EITHER;
    return all;
}

/* Of [*addr, *end), which holds @p at, only what lies between memory of the runtime's. */
static void cut_allocations(const struct host *host, uint64_t at, uint64_t *addr, uint64_t *end)
{
    for (size_t i = 0; i < host->allocations; i++) {
        const struct host_allocation *a = host->allocation[i];
        const uint64_t behind = a->gpu_addr + a->reserved;
        if (behind <= at && behind > *addr)
            *addr = (behind + HOST_PAGE - 1) & ~(uint64_t)(HOST_PAGE - 1);
        else if (a->gpu_addr > at && a->gpu_addr < *end)
            *end = a->gpu_addr & ~(uint64_t)(HOST_PAGE - 1);
        else if (a->gpu_addr <= at && at < behind)
            *end = *addr;
    }
}

/* An access of a GPU, which is entered. */
static bool lend(void *context, uint64_t at)
{
    struct host_gpu *gpu = context;
    struct host *host = gpu->host;
    struct host_mapping mapping;
    if (!host->xnack || !host_mapping_at(at, &mapping) || !mapping.readable)
        return false;
    pthread_mutex_lock(&host->table_lock);
    cut_allocations(host, at, &mapping.first, &mapping.end);
    pthread_mutex_unlock(&host->table_lock);
    return mapping.first < mapping.end &&
           gcn_device_lend(gpu->device, mapping.first, mapping.end, at, mapping.writable);
}

void host_xnack_take_back(struct host_gpu *gpu)
{
    if (gpu->host->xnack)
        gcn_device_take_back(gpu->device);
}

static bool has_queues(const struct host *host)
{
    bool has = false;
    for (uint32_t i = 0; i < host->gpus; i++)
        has |= host->gpu[i].queues != NULL;
    return has;
}

/* The GPUs are entered, or not started. */
static void set(struct host *host, bool on)
{
    host->xnack = on;
    for (uint32_t i = 0; i < host->gpus; i++) {
        struct host_gpu *gpu = &host->gpu[i];
        if (gpu->target.xnack != GCN_XNACK_OFF || gpu->config.model->target.xnack)
            gpu->target.xnack = on ? GCN_XNACK_ON : GCN_XNACK_OFF;
        if (gpu->device)
            gcn_device_set_lender(gpu->device, on ? lend : NULL, gpu);
    }
}

int host_xnack_set(struct host *host, bool on)
{
    int result = 0;
    if (on && !all_may(host))
        return -EPERM;
    pthread_mutex_lock(&host->lock);
    host_enter_all(host);
    if (on != host->xnack && has_queues(host))
        result = -EBUSY;
    else if (on != host->xnack)
        set(host, on);
    host_leave_all(host);
    pthread_mutex_unlock(&host->lock);
    return result;
}

void host_xnack_begin(struct host *host)
{
    const char *asked = getenv("HSA_XNACK");
    set(host, asked && strcmp(asked, "1") == 0 && all_may(host));
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    switch (host_xnack_set(host, enable)) {
    case 0:
        return HSAKMT_STATUS_SUCCESS;
    case -EBUSY:
        return HSAKMT_STATUS_ERROR;
    default:
        return HSAKMT_STATUS_NOT_SUPPORTED;
    }
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *enable)
{
    const struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    *enable = host->xnack;
    return HSAKMT_STATUS_SUCCESS;
}
