/* The Vortex probe: how it reaches a device, and what only the person who starts it knows. */
#ifndef WT_DEBUG_VORTEX_VORTEX_H
#define WT_DEBUG_VORTEX_VORTEX_H

#include "bus/bus.h"
#include "debug/core/probe.h"

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_vortex_link {
    struct wt_bus *bus;
    uint64_t exit_addr; /**< where the program leaves its exit word */
    unsigned xlen;      /**< 32, 64, or 0: find out from the device */
    bool ctas;          /**< Vortex 3.0: the CSRs of traps and CTAs are registers */
    unsigned wait_ms;   /**< how long the device may take for one request; 0: 2000 */
};

/** The Vortex probe: VxDebug Debug Module registers over a register bus. */
extern const struct wt_probe_ops wt_probe_vortex;

#endif
