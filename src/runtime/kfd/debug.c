/*
 * The driver's debug interface of linux 4.20 to 5.16 (amdkfd: kfd_chardev.c, kfd_dbgmgr.c): wave
 * control and address watch for one registered process, and the functions of the library that ask
 * for them. The functions of the driver are in a layer of their own, which its ioctls use, too;
 * they return 0 or a negative errno.
 */
#include "runtime/kfd/host.h"

#include <errno.h>
#include <stdio.h>

#include "emulator/gcn/debug.h"

enum { MOST_WATCHES_ASKED = 100 /* MAX_ALLOWED_NUM_POINTS */, TRAP_MAJOR = 10, TRAP_MINOR = 3 };

/* ---- the driver ---- */

int host_debug_register(struct host_gpu *gpu)
{
    host_enter(gpu);
    const bool other = gpu->debugger;
    gpu->debugger = gpu->debugged = true;
    host_leave(gpu);
    return other ? -EINVAL : 0;
}

int host_debug_unregister(struct host_gpu *gpu)
{
    host_enter_to_change(gpu, HOST_DEBUG_USED);
    const bool registered = gpu->debugger;
    if (registered)
        gcn_driver_debugger_gone(gpu->device, GCN_KFD_VMID);
    gpu->debugger = false;
    host_leave(gpu);
    return registered ? 0 : -EINVAL;
}

int host_debug_wave_control(struct host_gpu *gpu, const struct gcn_wave_control *control)
{
    if (control->message & GCN_WAVE_MESSAGE_RESERVED)
        fprintf(stderr,
                "wavetrap: " HOST_GPU ": wave control: reserved bits 0x%x of the message are "
                "ignored, as by the driver\n",
                HOST_GPU_IS(gpu), control->message & GCN_WAVE_MESSAGE_RESERVED);
    host_enter_to_change(gpu, HOST_DEBUG_USED);
    const int result =
        gpu->debugger ? gcn_driver_wave_control(gpu->device, GCN_KFD_VMID, control) : -EINVAL;
    host_leave(gpu);
    return result;
}

int host_debug_address_watch(struct host_gpu *gpu, const struct gcn_watch_request *request)
{
    host_enter_to_change(gpu, HOST_DEBUG_USED);
    const int result =
        gpu->debugger ? gcn_driver_address_watch(gpu->device, GCN_KFD_VMID, request) : -EINVAL;
    host_leave(gpu);
    return result;
}

/* ---- the library ---- */

/* The library knows each node; the driver knows GPUs only. */
static HSAKMT_STATUS find(uint32_t node, struct host_gpu **gpu)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    *gpu = host_gpu_of(host, node);
    return *gpu        ? HSAKMT_STATUS_SUCCESS
           : node == 0 ? HSAKMT_STATUS_ERROR
                       : HSAKMT_STATUS_INVALID_NODE_UNIT;
}

static HSAKMT_STATUS status_of(int result)
{
    return result ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtDbgRegister(HSAuint32 node)
{
    struct host_gpu *gpu;
    const HSAKMT_STATUS status = find(node, &gpu);
    return status ? status : status_of(host_debug_register(gpu));
}

HSAKMT_STATUS hsaKmtDbgUnregister(HSAuint32 node)
{
    struct host_gpu *gpu;
    const HSAKMT_STATUS status = find(node, &gpu);
    return status ? status : status_of(host_debug_unregister(gpu));
}

HSAKMT_STATUS hsaKmtDbgWavefrontControl(HSAuint32 node, HSA_DBG_WAVEOP operand,
                                        HSA_DBG_WAVEMODE mode, HSAuint32 trap,
                                        HsaDbgWaveMessage *message)
{
    struct host_gpu *gpu;
    const HSAKMT_STATUS status = find(node, &gpu);
    if (status)
        return status;
    if (!message)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    const struct gcn_wave_control control = {.op = operand,
                                             .mode = mode,
                                             .trap_id = trap,
                                             .message = message->DbgWaveMsg.WaveMsgInfoGen2.Value};
    return status_of(host_debug_wave_control(gpu, &control));
}

HSAKMT_STATUS hsaKmtDbgAddressWatch(HSAuint32 node, HSAuint32 count, HSA_DBG_WATCH_MODE mode[],
                                    void *address[], HSAuint64 mask[], HsaEvent *event[])
{
    struct host_gpu *gpu;
    uint32_t modes[MOST_WATCHES_ASKED];
    uint64_t addresses[MOST_WATCHES_ASKED];
    const HSAKMT_STATUS status = find(node, &gpu);
    /* @p event: the driver has none either. */
    if (status)
        return status;
    if (count > MOST_WATCHES_ASKED || (count && (!mode || !address)))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    for (uint32_t i = 0; i < count; i++) {
        modes[i] = mode[i];
        addresses[i] = (uint64_t)(uintptr_t)address[i];
    }
    /* The library sends masks if the first one is not 0; the driver takes them if the first byte of
     * that is not 0. */
    const struct gcn_watch_request request = {.count = count,
                                              .mode = modes,
                                              .addr = addresses,
                                              .mask =
                                                  count && mask && mask[0] & 0xff ? mask : NULL};
    return status_of(host_debug_address_watch(gpu, &request));
}

/* The version of the interface of ROCm's own driver for which this library was made. */
HSAKMT_STATUS hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *major, HSAuint32 *minor);
HSAKMT_STATUS hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *major, HSAuint32 *minor)
{
    if (!host_get())
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (!major || !minor)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *major = TRAP_MAJOR;
    *minor = TRAP_MINOR;
    return HSAKMT_STATUS_SUCCESS;
}
