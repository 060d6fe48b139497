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

/** The work of a warp, as the launch unit of Vortex 3.0 has given it. */
struct wt_vortex_work {
    uint32_t group[3], block[3]; /**< blockIdx, blockDim */
    uint32_t grid[3];            /**< threads of the whole grid */
    uint32_t rank;               /**< rank of the warp in its CTA */
    uint32_t place;              /**< place of the CTA in its core */
    uint32_t local_size;         /**< bytes of its local memory */
    uint64_t local;              /**< its address */
};

/** Tells what an active warp works on; false: on nothing that the launch unit has given it. */
typedef bool wt_vortex_work_fn(void *context, uint32_t warp, struct wt_vortex_work *work);

/** One of several GPUs behind one bus. */
struct wt_vortex_gpu {
    unsigned cores, warps,
        threads; /**< cores of all its clusters, warps of a core, threads of a warp */
};

/** The numbers of warps of a GPU: those of the next one begin in a window of their own (WMASK). */
static inline uint32_t wt_vortex_gpu_warps(const struct wt_vortex_gpu *gpu)
{
    return (gpu->cores * gpu->warps + 31) / 32 * 32;
}

/* Addresses of code have the number of the GPU, from 1, in the bits above (topology->gpu_bits). */
#define WT_VORTEX_GPU_SHIFT 56
#define WT_VORTEX_GPU_BITS ((uint64_t)0xff << WT_VORTEX_GPU_SHIFT)

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
    unsigned gpu_count; /**< GPUs behind the bus: their warps are numbered through, requests of
                           DCTRL go to all of them; 0: the one that PLATFORM describes */
    const struct wt_vortex_gpu *gpu; /**< these; of one XLEN and one profile */
};

/** The Vortex probe: VxDebug Debug Module registers over a register bus. */
extern const struct wt_probe_ops wt_probe_vortex;

#endif
