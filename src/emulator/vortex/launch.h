/*
 * Launches: what the launch unit of Vortex 3.0 (KMU) runs, and how those start it that have no
 * reset for it: drivers of host programs.
 *
 * The unit goes through the CTAs of a grid, x first, cluster by cluster, and gives them to the
 * cores in turn. A core has places for as many CTAs as it has warps, or as fit its local memory. It
 * starts the warps of a CTA one by one in its lowest free slots, so that a CTA may have more warps
 * than the core has slots. A slot's first warp since the launch begins at STARTUP_ADDR; the
 * following ones begin 20 bytes before the PC at which the last one ended: at the instructions
 * that call the kernel. (SimX 3.0: kmu.cpp, cta_dispatcher.cpp.)
 */
#ifndef WT_EMULATOR_VORTEX_LAUNCH_H
#define WT_EMULATOR_VORTEX_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct vortex_work;
struct vx_device;

/** A launch as the DCRs 0x010 to 0x023 of Vortex 3.0 describe it. */
struct vx_launch {
    uint64_t startup;      /**< STARTUP_ADDR: the first instruction of the image */
    uint64_t entry;        /**< KERNEL_ENTRY: the kernel's function, which CSR CTA_ENTRY has */
    uint64_t argument;     /**< STARTUP_ARG: mscratch of each warp */
    uint32_t grid[3];      /**< CTAs: x, y, z. Nothing runs where one is 0 */
    uint32_t block[3];     /**< threads of a CTA: x, y, z */
    uint32_t cluster[3];   /**< CTAs of a cluster, all on one core; each divides that of the grid */
    uint32_t local_size;   /**< bytes of local memory of a CTA, 0 to 16384 */
    uint32_t block_size;   /**< threads of a CTA in all; 0: nothing runs */
    uint32_t warp_step[3]; /**< from the first thread of a warp to that of the next one, with
                                carries from x to y to z */
};

/** Sets block_size and warp_step to what `block` means in warps of @p threads threads, as the
 * runtime of Vortex 3.0 does. */
void vx_launch_complete(struct vx_launch *launch, unsigned threads);

/** Copies the launch that the device's DCRs describe now. */
void vx_device_launch_registers(const struct vx_device *device, struct vx_launch *launch);

/**
 * Sets the DCRs to a launch and starts it (vx_device_start). WT_UNSUPPORTED: the device's profile
 * has no launch unit.
 */
enum wt_status vx_device_launch(struct vx_device *device, const struct vx_launch *launch,
                                struct wt_error *err);

/**
 * Starts what the DCRs describe, on warps as they are after reset; general registers, memory, the
 * issue time and the Debug Module stay. Profile v2: warp 0 of each core at STARTUP_ADDR. The
 * machine has active warps then, unless the launch has nothing to run; the launch has ended when
 * it has none (WT_RUN_ENDED). WT_INVALID: warps are active, a fault has not been cleared, or the
 * launch is none that the unit can end: a cluster that does not divide the grid, more local memory
 * than a core has.
 */
enum wt_status vx_device_start(struct vx_device *device, struct wt_error *err);

/**
 * Tells what an active warp works on. A warp that another one has started (wspawn) works on what
 * the launch unit has given its core first. False: nothing that the launch unit has started is
 * active there.
 */
bool vx_device_work(const struct vx_device *device, uint32_t warp, struct vortex_work *work);

/**
 * Ends a launch that has not ended: no warp is active then, and no CTA starts any more. For a
 * driver whose program gives a launch up, or whose launch has met a fault; and for one with a new
 * device, which has launched what its configuration says, as after a reset.
 */
void vx_device_stop(struct vx_device *device);

#endif
