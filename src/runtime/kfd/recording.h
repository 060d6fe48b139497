/*
 * The recording of what a GPU does for a debugger (runtime/common/recording.h), as this driver does
 * it. Shared memory is what hsa calls fine-grained: hipHostMalloc, signals, the buffers of printf.
 *
 * The GPU is entered for each of these functions. While it is away the program's threads wait in
 * host_enter().
 */
#ifndef WT_RUNTIME_KFD_RECORDING_H
#define WT_RUNTIME_KFD_RECORDING_H

#include "object/kfd_wire.h"
#include "runtime/common/recording.h"
#include "runtime/kfd/host.h"

extern const struct wt_recording_ops host_recording_ops;
/**
 * Delays the interrupt of a wave, of whatever kind, until the program can see the wave's stores.
 */
void host_recording_interrupt(struct host_gpu *gpu, uint32_t wave, uint32_t data);
/**
 * Does an operation of the driver's debug interface, recorded where the GPU is; *call becomes the
 * answer.
 */
void host_recording_call(struct host_gpu *gpu, struct kfd_debug_call *call);
/** As wt_recording_read, and reads the save areas of queues, too. */
bool host_recording_read(struct host_gpu *gpu, uint64_t addr, void *out, size_t *size);
/** As wt_recording_write, and writes the save areas of queues, too. */
bool host_recording_write(struct host_gpu *gpu, uint64_t addr, const void *bytes, size_t *size);

#endif
