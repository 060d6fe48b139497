/*
 * Functions of the library that the runtime does not call: copies between processes, and features
 * that an emulated Vega does not have (performance counters, SPM, memory of graphics). They answer
 * as a driver without the feature does.
 */
#include "base/refused.h"
#include "runtime/kfd/host.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/uio.h>

/* ---- memory of other processes ---- */

static struct iovec *vectors(const HsaMemoryRange *range, uint64_t count)
{
    struct iovec *v = malloc(count * sizeof *v);
    for (uint64_t i = 0; v && i < count; i++)
        v[i] = (struct iovec){range[i].MemoryAddress, range[i].SizeInBytes};
    return v;
}

/* All memory of GPUs is that of processes. */
static HSAKMT_STATUS transfer(bool write, uint32_t pid, const HsaMemoryRange *local,
                              uint64_t local_count, const HsaMemoryRange *remote,
                              uint64_t remote_count, HSAuint64 *copied)
{
    if (!local || !remote || !local_count || !remote_count)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    if (local_count > IOV_MAX || remote_count > IOV_MAX)
        return HSAKMT_STATUS_ERROR;
    struct iovec *from = vectors(local, local_count), *to = vectors(remote, remote_count);
    const ssize_t size = !from || !to ? -1
                         : write
                             ? process_vm_writev((pid_t)pid, from, local_count, to, remote_count, 0)
                             : process_vm_readv((pid_t)pid, from, local_count, to, remote_count, 0);
    free(from);
    free(to);
    if (copied)
        *copied = size > 0 ? (uint64_t)size : 0;
    return size < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtProcessVMRead(HSAuint32 pid, HsaMemoryRange *local, HSAuint64 local_count,
                                  HsaMemoryRange *remote, HSAuint64 remote_count, HSAuint64 *copied)
{
    return transfer(false, pid, local, local_count, remote, remote_count, copied);
}

HSAKMT_STATUS hsaKmtProcessVMWrite(HSAuint32 pid, HsaMemoryRange *local, HSAuint64 local_count,
                                   HsaMemoryRange *remote, HSAuint64 remote_count,
                                   HSAuint64 *copied)
{
    return transfer(true, pid, local, local_count, remote, remote_count, copied);
}

/* ---- performance counters: there are none ---- */

static HSAKMT_STATUS no_counters(uint32_t node, bool complete)
{
    const struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (!complete)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    return node > host->gpus ? HSAKMT_STATUS_INVALID_NODE_UNIT : HSAKMT_STATUS_NOT_SUPPORTED;
}

/* Nothing can have been registered. */
static HSAKMT_STATUS no_trace(HSATraceId trace)
{
    if (!host_get())
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    return trace ? HSAKMT_STATUS_INVALID_HANDLE : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS hsaKmtPmcGetCounterProperties(HSAuint32 node, HsaCounterProperties **properties)
{
    return no_counters(node, properties != NULL);
}

HSAKMT_STATUS hsaKmtPmcRegisterTrace(HSAuint32 node, HSAuint32 count, HsaCounter *counters,
                                     HsaPmcTraceRoot *root)
{
    return no_counters(node, count && counters && root);
}

HSAKMT_STATUS hsaKmtPmcUnregisterTrace(HSAuint32 node, HSATraceId trace)
{
    return no_trace(trace);
}

HSAKMT_STATUS hsaKmtPmcAcquireTraceAccess(HSAuint32 node, HSATraceId trace)
{
    return no_trace(trace);
}

HSAKMT_STATUS hsaKmtPmcReleaseTraceAccess(HSAuint32 node, HSATraceId trace)
{
    return no_trace(trace);
}

HSAKMT_STATUS hsaKmtPmcStartTrace(HSATraceId trace, void *buffer, HSAuint64 size)
{
    return no_trace(trace);
}

HSAKMT_STATUS hsaKmtPmcQueryTrace(HSATraceId trace)
{
    return no_trace(trace);
}

HSAKMT_STATUS hsaKmtPmcStopTrace(HSATraceId trace)
{
    return no_trace(trace);
}

/* ---- the streaming performance monitor: there is none ---- */

static HSAKMT_STATUS no_file(uint32_t node)
{
    const struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    return node > host->gpus ? HSAKMT_STATUS_INVALID_NODE_UNIT : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS hsaKmtSPMAcquire(HSAuint32 node)
{
    return no_file(node);
}

HSAKMT_STATUS hsaKmtSPMRelease(HSAuint32 node)
{
    return no_file(node);
}

HSAKMT_STATUS hsaKmtSPMSetDestBuffer(HSAuint32 node, HSAuint32 size, HSAuint32 *timeout,
                                     HSAuint32 *copied, void *buffer, bool *lost)
{
    if (copied)
        *copied = 0;
    if (lost)
        *lost = false;
    return no_file(node);
}

/* ---- system management events, pages of AddressSanitizer: there are none ---- */

HSAKMT_STATUS hsaKmtOpenSMI(HSAuint32 node, int *fd)
{
    return no_file(node);
}

/* These are for a library that was compiled for AddressSanitizer on GPUs; so says ROCm's own, too.
 */
HSAKMT_STATUS hsaKmtReplaceAsanHeaderPage(void *address)
{
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtReturnAsanHeaderPage(void *address)
{
    return HSAKMT_STATUS_NOT_SUPPORTED;
}

/* ---- samples of PCs: there are none ---- */

static HSAKMT_STATUS no_samples(void)
{
    return host_get() ? HSAKMT_STATUS_NOT_SUPPORTED : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

HSAKMT_STATUS hsaKmtPcSamplingSupport(void)
{
    return no_samples();
}

HSAKMT_STATUS hsaKmtPcSamplingQueryCapabilities(HSAuint32 node, void *info, HSAuint32 size,
                                                HSAuint32 *needed)
{
    return needed ? no_samples() : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS hsaKmtPcSamplingCreate(HSAuint32 node, HsaPcSamplingInfo *info, HSAuint32 *trace)
{
    return info && trace ? no_samples() : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS hsaKmtPcSamplingDestroy(HSAuint32 node, HSAuint32 trace)
{
    return no_samples();
}

HSAKMT_STATUS hsaKmtPcSamplingStart(HSAuint32 node, HSAuint32 trace)
{
    return no_samples();
}

HSAKMT_STATUS hsaKmtPcSamplingStop(HSAuint32 node, HSAuint32 trace)
{
    return no_samples();
}

/* ---- graphics ---- */

/* Debian's library has no other answer either. */
HSAKMT_STATUS hsaKmtMapGraphicHandle(HSAuint32 node, HSAuint64 device, HSAuint64 resource,
                                     HSAuint64 offset, HSAuint64 size, HSAuint64 *address)
{
    return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtUnmapGraphicHandle(HSAuint32 node, HSAuint64 address, HSAuint64 size)
{
    return hsaKmtUnmapMemoryToGPU((void *)(uintptr_t)address);
}

#define COUNTERS "\0there are no performance counters\0"
#define MONITOR "\0there is no streaming performance monitor\0"
#define SAMPLES "\0no PCs are sampled: --profile\0"
#define ASAN "\0AddressSanitizer does not run on GPUs here: --check=memory\0"

WT_REFUSED_FUNCTIONS static const char refused[] =
    "hsaKmtPmcGetCounterProperties" COUNTERS "hsaKmtPmcRegisterTrace" COUNTERS
    "hsaKmtPmcUnregisterTrace" COUNTERS "hsaKmtPmcAcquireTraceAccess" COUNTERS
    "hsaKmtPmcReleaseTraceAccess" COUNTERS "hsaKmtPmcStartTrace" COUNTERS
    "hsaKmtPmcQueryTrace" COUNTERS "hsaKmtPmcStopTrace" COUNTERS "hsaKmtSPMAcquire" MONITOR
    "hsaKmtSPMRelease" MONITOR "hsaKmtSPMSetDestBuffer" MONITOR "hsaKmtOpenSMI\0"
    "there are no system management events\0"
    "hsaKmtPcSamplingSupport" SAMPLES "hsaKmtPcSamplingQueryCapabilities" SAMPLES
    "hsaKmtPcSamplingCreate" SAMPLES "hsaKmtPcSamplingDestroy" SAMPLES
    "hsaKmtPcSamplingStart" SAMPLES "hsaKmtPcSamplingStop" SAMPLES
    "hsaKmtReplaceAsanHeaderPage" ASAN "hsaKmtReturnAsanHeaderPage" ASAN "hsaKmtMapGraphicHandle\0"
    "it has no other answer in Debian's library either\0";
