/* The Vortex probe: how it reaches a device, and what only the person who starts it knows. */
#ifndef WT_DEBUG_VORTEX_VORTEX_H
#define WT_DEBUG_VORTEX_VORTEX_H

#include "bus/bus.h"
#include "debug/core/probe.h"

/** A host program in whose process the device is: it launches kernels, and loads code. */
struct wt_vortex_host {
    void *context;
    /** Whether the list of modules is another one than code_known() was told; *state becomes its
     * number. */
    enum wt_status (*code_changed)(void *context, bool *changed, uint64_t *state,
                                   struct wt_error *err);
    /** The debugger knows the list in this state: launches that wait for that go on. */
    enum wt_status (*code_known)(void *context, uint64_t state, struct wt_error *err);
    /** Whether the program has ended, with which status and words for people. */
    bool (*ended)(void *context, uint32_t *status, char *text, size_t size);
};

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_vortex_link {
    struct wt_bus *bus;
    uint64_t exit_addr;                /**< where the program leaves its exit word */
    unsigned xlen;                     /**< 32, 64, or 0: find out from the device */
    bool ctas;                         /**< Vortex 3.0: the CSRs of traps and CTAs are registers */
    unsigned wait_ms;                  /**< how long the device may take for one request; 0: 2000 */
    const struct wt_vortex_host *host; /**< NULL: the device is alone, and runs one program */
};

/** The Vortex probe: VxDebug Debug Module registers over a register bus. */
extern const struct wt_probe_ops wt_probe_vortex;

#endif
