/*
 * A Vortex in a host process, whose program launches one kernel after the other.
 */
#ifndef WT_EMULATOR_VORTEX_HOST_H
#define WT_EMULATOR_VORTEX_HOST_H

#include "emulator/machine/timeline.h"
#include "emulator/vortex/vortex.h"

/* Operations of WT_INPUT_OPERATION; each returns 0 where its bytes make no sense. */

/**
 * Starts what the device configuration registers say (vx_device_start); 0, too, where that is
 * refused. The bytes are the kernel's number in the process, from 1, as a uint64_t.
 */
uint32_t vx_do_launch(struct wt_machine *m, const void *bytes, size_t size);
/** Ends all warps, and forgets a fault; no bytes. A new device has a kernel, too, which is to be
 * abandoned. */
uint32_t vx_do_abandon(struct wt_machine *m, const void *bytes, size_t size);

struct vx_dcr_write {
    uint32_t addr, value;
};
/** Writes a device configuration register; the bytes are a struct vx_dcr_write. */
uint32_t vx_do_write_dcr(struct wt_machine *m, const void *bytes, size_t size);

/** These operations, for recordings and core files. */
extern const wt_input_operation vx_operations[];

#endif
