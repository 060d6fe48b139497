/*
 * Debugging of the emulated SMs behind libcuda: whether the program or the debugger uses the
 * devices, kernels that wait for a debugger, and the list of modules for it. endpoint.c serves
 * debuggers.
 */
#ifndef WT_RUNTIME_CUDA_DEBUG_H
#define WT_RUNTIME_CUDA_DEBUG_H

#include "emulator/machine/run.h"
#include "object/sm_wire.h"
#include "runtime/common/gate.h"
#include "runtime/cuda/gpu.h"

/** Whose turn it is to use the GPUs. "Entered" below: the caller has it. */
struct wt_gate *cuda_gate(void);

/** In a child after fork(): nobody has the gate, and no debugger is there. */
void debug_forget(void);

/** Adds a loaded module to the list. Without host memory the debugger does not see it. Entered. */
void debug_module_added(const struct gpu *gpu, struct gpu_module *module);
/**
 * Removes a module that is about to be freed from the list; ignored if it is not there. The list
 * has another state when the next module comes or the next kernel begins: until then, so after the
 * program's end, a debugger has the module of the latest kernels. Entered.
 */
void debug_module_removed(const struct gpu_module *module);

/**
 * Before a launch: waits for a debugger, where kernels are held, and until it knows the modules.
 * Ends early at Ctrl-C. Entered.
 */
void debug_launch_wait(void);
/** Notes a launch that has begun, for the debugger. Entered. */
void debug_launch_began(struct gpu *gpu, const struct sm_launch *launch);
/**
 * The number of issues until debug_turn() is to be called: few where a debugger is connected, else
 * @p without. Entered.
 */
uint64_t debug_budget(const struct gpu *gpu, uint64_t without);
/** Whether a debugger is connected. Entered. */
bool debug_follows(void);
/**
 * After a run of the device with @p result: lets the debugger in, and waits while it has stopped
 * all warps. True: the kernel is to be run on. False: it is over, by its own end or, with *result
 * WT_RUN_FAULT and the machine's fault set, by debug_fail. Entered.
 */
bool debug_turn(struct gpu *gpu, enum wt_run *result);
/** Notes that the kernel has ended. Entered. */
void debug_launch_ended(void);

/** The launch that runs, or ran last; number 0: there was none. Entered. */
struct sm_wire_launch debug_launch(void);
/**
 * Finds a constant bank of that launch: its address and bytes (0: it has none). False before the
 * first launch. Entered.
 */
bool debug_bank(unsigned bank, uint64_t *addr, uint32_t *size);
struct debug_module {
    struct sm_wire_module wire;
    struct gpu_module *module;
};

/** The list of loaded modules, valid while entered; *state becomes its state. */
const struct debug_module *debug_modules(size_t *count, uint64_t *state);

/* ---- endpoint.c ---- */

/** Listens for debuggers of the GPUs; the array must stay. */
void endpoint_start(struct gpu *const *gpus, unsigned count);

#endif
