/*
 * A debugger of the emulated SMs behind libcuda: whose turn it is, the program's or the debugger's;
 * kernels that wait for a debugger; the modules that it is told of. endpoint.c serves it.
 */
#ifndef WT_RUNTIME_CUDA_DEBUG_H
#define WT_RUNTIME_CUDA_DEBUG_H

#include "emulator/machine/machine.h"
#include "object/sm_wire.h"
#include "runtime/cuda/gpu.h"

/* ---- the library's side ---- */

/** The program enters or leaves a call of the driver: the debugger is kept out meanwhile, but for
 * what follows. */
void debug_enter(void);
void debug_leave(void);

/** A module was loaded; it is about to be freed. Entered. */
void debug_module_added(const struct gpu *gpu, const struct gpu_module *module);
void debug_module_removed(const struct gpu_module *module);

/** A kernel is to be launched: waits for a debugger, where that is wanted, and until it knows the
 * modules. Entered. */
void debug_launch_wait(void);
/** It was launched. Entered. */
void debug_launch_began(const struct gpu *gpu, const struct sm_launch *launch);
/** Issues until debug_turn() is to be called: few, where a debugger is there. Entered. */
uint64_t debug_budget(uint64_t without);
/**
 * A run of the device came back with @p result: lets the debugger in, and waits where it has
 * stopped all warps. True: the kernel is to be run on, with no other result; false: it came to its
 * end, or @p result became WT_RUN_FAULT, since the debugger let a mistake be. Entered.
 */
bool debug_turn(struct gpu *gpu, enum wt_run *result);
/** The kernel has ended. Entered. */
void debug_launch_ended(void);

/* ---- the debugger's side: endpoint.c ---- */

/** The debugger enters, for a request; it waits for a kernel to come back. */
void debug_enter_as_debugger(void);
void debug_leave_as_debugger(void);
/** Waits until the kernel has run for a moment; at most @p ms. Entered as the debugger. */
void debug_wait(unsigned ms);
/** The state of the debug hardware was changed: a kernel that stands looks again. */
void debug_poke(void);
/** A debugger is there from now on, or no longer. */
void debug_follow(bool follow);
bool debug_followed(void);
/** The debugger knows the modules in that state (debug_event()). */
void debug_known(uint64_t state);
/** What has happened since the last call: a set of enum sm_wire_happened. */
int debug_event(uint64_t *state);
/** Kernels wait for a debugger. */
void debug_hold(bool hold);
bool debug_held(void);
/** The launch that runs or ran last, and where its constant banks are. Entered. */
struct sm_wire_launch debug_launch(void);
bool debug_bank(unsigned bank, uint64_t *addr, uint32_t *size);
/** The kernel is to end with the mistake of a warp of its device. Entered. */
void debug_fail(const struct wt_fault *fault);

struct debug_module {
    struct sm_wire_module wire;
    const struct gpu_module *module;
};

/** The modules that there are. Entered. */
const struct debug_module *debug_modules(size_t *count, uint64_t *state);

/* ---- endpoint.c ---- */

/** Listens for debuggers of the GPUs, which stay. */
void endpoint_start(struct gpu *const *gpus, unsigned count);
/** The process ends without coming back: the socket is removed. */
void endpoint_forget(void);

#endif
