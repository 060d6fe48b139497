/* State that the functions of libcuda share: one lock, the devices, contexts, the error that stays.
 */
#ifndef WT_RUNTIME_CUDA_STATE_H
#define WT_RUNTIME_CUDA_STATE_H

#include <stdbool.h>

#include "runtime/cuda/call.h"
#include "runtime/cuda/gpu.h"

enum { STATE_MOST_GPUS = 16 };
/** Priorities of streams go from 0, the least one, to this. */
enum { STATE_GREATEST_PRIORITY = -5 };

struct CUmod_st {
    struct gpu *gpu;
    uint64_t owner; /* id of its context; 0: of a library */
    struct gpu_module module;
    struct CUfunc_st *function; /* those that were asked for */
    struct CUmod_st *next;
};

struct CUfunc_st {
    struct CUmod_st *module;
    struct gpu_kernel kernel;
    int dynamic, carveout; /* what the program has set: bytes of shared memory, per cent */
    bool dynamic_set, carveout_set;
    struct CUfunc_st *next;
};

/* ---- functions.c ---- */

/** Bytes of shared memory that a launch of a function may add. */
unsigned functions_dynamic_limit(const struct CUfunc_st *function);

/* ---- state.c ---- */

/** Takes the lock. On any other result than CUDA_SUCCESS (3: before cuInit) it is not taken. */
CUresult state_lock(void);
/** Gives the lock back; returns @p result, for the call to return. */
CUresult state_leave(CUresult result);
/** Calls @p entered behind each taking of the lock, and at the end of the process, and @p leaving
 * before each giving back, from now on. The caller holds the lock. */
void state_set_hooks(void (*entered)(void), void (*leaving)(void));
/** The GPU of a device number; NULL: there is none. */
struct gpu *state_gpu(CUdevice number);
/**
 * The GPU in whose memory an address lies; NULL: none. *number becomes its device number, unless @p
 * number is NULL.
 */
struct gpu *state_owner(uint64_t address, CUdevice *number);

/* ---- host_memory.c ---- */

/** Whether an address lies in memory of the host that kernels can access: allocated by the driver,
 * or registered. The caller holds the lock. */
bool memory_is_seen(uint64_t address);
/** Whether the host has pages at all of a range, whoever made them. */
bool memory_is_mapped(uint64_t address, uint64_t size);
/** Whether it was allocated here, and not registered. */
bool memory_is_allocated(uint64_t address);
/** The range of such memory that an address lies in; false, both 0: there is none. */
bool memory_seen(uint64_t address, uint64_t *base, uint64_t *size);

/** The id of the context that such memory belongs to; 0: there is none. */
uint64_t memory_owner(uint64_t address);
/** Frees the memory that was allocated for a context, and forgets what was registered for it. */
void memory_drop(uint64_t owner);

/* ---- array.c ---- */

/** Frees the arrays of a context. */
void arrays_drop(uint64_t owner);

/* ---- context.c ---- */

/**
 * Takes the lock for a call that needs a context of the thread's; *gpu becomes the context's. On
 * any other result than CUDA_SUCCESS the lock is not taken: 3 before cuInit, 201 without a context,
 * 709 where another thread has destroyed it, or the error of an earlier kernel that has failed.
 */
CUresult state_enter(struct gpu **gpu);
/**
 * Goes on as state_enter for a call that names an object, which belongs to context @p owner (0: to
 * none, which takes the thread's). The caller holds the lock, and no longer on failure.
 */
CUresult state_enter_owner(uint64_t owner, struct gpu **gpu);
/** The thread's context; NULL: it has none. The caller holds the lock. */
CUcontext state_context(void);
/** Whether a call has entered a context since it was to be forgotten. The caller holds the lock. */
bool state_was_entered(bool forget);
/** The context that the call has entered. The caller holds the lock. */
CUcontext state_entered(void);
/** Its id, which no other context has had. */
uint64_t state_entered_id(void);
/** The context of an id; NULL: there is none, or no longer. */
CUcontext state_context_of(uint64_t id);
/** Whether there is such a context. The caller holds the lock. */
bool state_is_context(const struct CUctx_st *context);
/**
 * Whether @p context is one, or was. Anything else counts as the thread's in what CUDA 13 made of
 * functions without an argument for it: programs that take the last form of each name (Numba) call
 * it with the arguments of the first. It takes the lock.
 */
bool state_names_context(const struct CUctx_st *context);
/** Whether @p context is one: CUDA_SUCCESS, 201, or 3 before cuInit. It takes the lock. */
CUresult state_check_context(const struct CUctx_st *context);
/**
 * Notes that a kernel has failed: each call that needs the context returns @p result from now on.
 * The caller holds the lock. Returns @p result.
 */
CUresult state_fail(CUresult result);

/* ---- pointers.c ---- */

/**
 * As state_enter_owner(), with the lock, for a call that names memory by an address. Without a
 * context an address at which no memory is gives CUDA_ERROR_INVALID_VALUE.
 */
CUresult state_enter_memory(uint64_t address, struct gpu **gpu);

/* ---- streams.c, stream_list.c, events.c ---- */

/** Frees the streams of a context. The caller holds the lock. */
void streams_drop(uint64_t owner);
/** Frees its events. The caller holds the lock. */
void events_drop(uint64_t owner);

/** As state_enter, for a call that gives work to a stream: 400 where there is no such stream. */
CUresult state_enter_stream(CUstream stream, struct gpu **gpu);

/* ---- libraries.c ---- */

/**
 * Takes the lock for a call that names a function: that of a module, whose context it enters, or a
 * kernel of a library, which becomes the function of the thread's context. 400: there is none.
 */
CUresult state_enter_function(CUfunction *function, struct gpu **gpu);
/** Likewise for a launch: without such a function, an error of the thread's context comes first. */
CUresult state_enter_launched(CUfunction *function, struct gpu **gpu);
/** The function of the GPU that a handle stands for; NULL: none. The caller holds the lock. */
CUfunction state_function(CUfunction handle, const struct gpu *gpu);

/* ---- compiler.c ---- */

/** From now on: where the program's NVRTC has no code for the GPU's capability (times 10), and
 * nothing was loaded, the program's end says which capability to ask for. */
void compiler_tell_at_the_end(unsigned capability);
/** Notes that a module was loaded. The caller holds the lock. */
void compiler_module_came(void);

/* ---- pools.c ---- */

/**
 * Frees device memory, which may be of a pool, by function @p function of the driver, or of
 * libcudart where that was called. False: none begins at @p address, which is a mistake. The caller
 * holds the lock.
 */
bool pool_free(uint64_t address, const char *function);
/** The pool of the allocation that begins at @p address; NULL: it is of none. The caller holds the
 * lock. */
CUmemoryPool pool_of_memory(uint64_t address);

#endif
