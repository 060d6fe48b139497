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

/** What a warp works on, as the launch unit of Vortex 3.0 has given it. */
struct wt_vortex_work {
    uint32_t group[3], block[3]; /**< blockIdx, blockDim */
    uint32_t grid[3];            /**< threads of the whole grid */
    uint32_t rank;               /**< of the warp in its CTA */
    uint32_t place;              /**< of the CTA in its core */
    uint32_t local_size;         /**< bytes of its local memory */
    uint64_t local;              /**< its address */
};

/** Tells what an active warp works on; false: on nothing that the launch unit has given it. */
typedef bool wt_vortex_work_fn(void *context, uint32_t warp, struct wt_vortex_work *work);

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_vortex_link {
    struct wt_bus *bus;
    uint64_t exit_addr;      /**< where the program leaves its exit word */
    unsigned xlen;           /**< 32, 64, or 0: find out from the device */
    bool ctas;               /**< Vortex 3.0: the CSRs of traps and CTAs are registers */
    wt_vortex_work_fn *work; /**< beside the Debug Module's registers; NULL: there is none */
    void *work_context;
    unsigned wait_ms;                  /**< how long the device may take for one request; 0: 2000 */
    const struct wt_vortex_host *host; /**< NULL: the device is alone, and runs one program */
};

/** The Vortex probe: VxDebug Debug Module registers over a register bus. */
extern const struct wt_probe_ops wt_probe_vortex;

#endif
