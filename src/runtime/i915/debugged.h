/*
 * A GPU whose program may have a debugger: which thread owns the device, and what a walk waits for.
 * The thread that runs a walk gives the device up between slices, for the endpoint's thread.
 */
#ifndef WT_RUNTIME_I915_DEBUGGED_H
#define WT_RUNTIME_I915_DEBUGGED_H

#include <pthread.h>
#include <stdatomic.h>

#include "emulator/gen/gen.h"
#include "emulator/gen/host.h"
#include "object/gen_wire.h"
#include "runtime/common/watched.h"
#include "runtime/common/recording.h"
#include "runtime/i915/i915_ops.h"

struct wt_fault;

struct drm_debugged {
    WT_HOSTED;
    uint32_t number; /**< number of the GPU in its process, from 0 */
    struct gen_device *device;
    pthread_mutex_t lock;   /**< lock of the device, and of what follows */
    pthread_cond_t changed; /**< signalled at each change of what follows */
    atomic_uint wanted;     /**< threads of debuggers that wait for the device */
    bool held;              /**< walks wait for a debugger to come */
    bool attached;          /**< a debugger is there */
    bool walking;           /**< a walk is under way */
    uint64_t slice;         /**< … and the issues after which the device may be wanted */
    bool stopped;           /**< … and waits for the debugger to write TD_CTL or TD_CLR */
    bool unasked;    /**< … and has not asked since a thread has stopped: it may still be letting
                          others go */
    uint32_t td_ctl; /**< TD_CTL as the program's batches have written it */
    uint64_t known;  /**< the state of the list of kernels that it knows */
    uint64_t launch; /**< number of the last walk in its process, from 1 */
    bool
        faulted; /**< … and that is for a fault: m->fault, which the debugger has not had retried */
    uint64_t fault_time; /**< issue time of the last one that it was told, and one more; 0: none */
    bool lost_memory;    /**< the program has given back memory since the walk that is recorded */
    uint64_t lost_addr;  /**< then: an address of it */
    uint64_t names;      /**< the state of the list of kernels that checks know, */
    const void *names_space; /**< … and of which space */
    bool judged;             /**< its accesses are checked: it is no kernel of the runtime's own */
    const struct wt_i915_mapping *mappings; /**< mappings of the walk under way */
    size_t mapping_count;
    struct drm_own {
        uint64_t address, size; /* the GPU's */
    } own[2];       /**< own memory of the walk's threads: scratch memory, private arrays */
    bool stands;    /**< its thread waits while the walk stands for the debugger */
    bool attention; /**< a thread has entered the routine since the debugger asked; protected by
                         news.lock, which is never held while waiting for the device's lock */
    bool busy;      /**< a thread of the walk can go on by itself; protected likewise */
};

/** Sets up the state of GPU @p number without a debugger. */
void drm_debugged_init(struct drm_debugged *debugged, uint32_t number, struct gen_device *device,
                       const struct wt_host_core_ops *core);
/** Sets it up anew in the child of a fork, which has one thread. */
void drm_debugged_after_fork(struct drm_debugged *debugged, struct gen_device *device);
/** Frees what the state has; no debugger is there any more, and no walk. */
void drm_debugged_free(struct drm_debugged *debugged);

/* ---- for the thread that runs a walk ---- */

/**
 * Takes the device for a walk of the kernel at @p address, whose code (drm_code_runs) is added to
 * the list of kernels. Waits first while walks are held, or the debugger does not know the list.
 */
void drm_debugged_begin(struct drm_debugged *debugged, uint64_t address, uint8_t *code,
                        size_t room);
/**
 * Begins @p walk, which sees memory through the table at @p root, with @p count @p mappings that
 * live until drm_debugged_end(); it is recorded if the debugger wants that. Returns as
 * gen_device_walk does.
 */
enum wt_status drm_debugged_walk(struct drm_debugged *debugged, uint64_t root,
                                 const struct wt_i915_mapping *mappings, size_t count,
                                 const struct gen_walk *walk, struct wt_error *err);
/** Runs the device for a slice: about a millisecond. */
enum wt_run drm_debugged_run(struct drm_debugged *debugged);
/**
 * After memory of the program at @p addr has gone in the midst of drm_debugged_run(), or of a
 * request of the debugger: a walk that is recorded cannot go on. Nothing of it is copied back, so
 * the program's memory keeps what it has.
 */
void drm_debugged_lost_memory(struct drm_debugged *debugged, uint64_t addr);
/** The walk has ended, or failed: the program's memory has all that it has stored. */
void drm_debugged_walked(struct drm_debugged *debugged);
/**
 * After a slice: lets the debugger have the device, and waits while threads are stopped. Returns
 * whether the walk goes on.
 */
bool drm_debugged_continue(struct drm_debugged *debugged, enum wt_run why);
/** Ends the walk and gives the device back. */
void drm_debugged_end(struct drm_debugged *debugged);

/** A batch reads a register of the bus; the device is not taken. While a debugger is attached,
 * TD_CTL is the debugger's, and the program sees what it has written there itself. */
uint32_t drm_debugged_batch_reads(struct drm_debugged *debugged, uint32_t addr);
/** A batch writes a register of the bus; the device is not taken. While a debugger is attached, the
 * registers are the debugger's, and TD_CTL gets the program's value when it has gone. */
void drm_debugged_batch_writes(struct drm_debugged *debugged, uint32_t addr, uint32_t value);
/** Resets the device after a walk that has failed. The device is taken. */
void drm_debugged_reset(struct drm_debugged *debugged);

/* ---- for the endpoint's thread ---- */

/** Takes the device, between two slices of a walk, too. */
void drm_debugged_enter(struct drm_debugged *debugged);
/** Gives the device back. */
void drm_debugged_leave(struct drm_debugged *debugged);
/** Turns the driver's debug support on or off. The device is taken. */
void drm_debugged_attach(struct drm_debugged *debugged, bool on);
/** Writes a register of the bus (emulator/gen/gen.h). The device is taken. */
void drm_debugged_write(struct drm_debugged *debugged, uint32_t addr, uint32_t value);
/** Says in a fault's record what is at its address, by the memory of the walk under way. */
void drm_debugged_note_memory(const struct drm_debugged *debugged, struct wt_fault *fault);
/** The fault for which the walk waits; NULL: none. The device is taken. */
const struct wt_fault *drm_debugged_fault(const struct drm_debugged *debugged);
/** The instruction that has made the fault is tried again. The device is taken. */
void drm_debugged_retry(struct drm_debugged *debugged);
/** Notes the state of the list of kernels that the debugger knows. The device is taken. */
void drm_debugged_know(struct drm_debugged *debugged, uint64_t state);
/** Holds walks until a debugger comes, or releases them. */
void drm_debugged_hold(struct drm_debugged *debugged, bool held);
/** The debugger asks for events: it has dealt with those that it was told. The device is not taken.
 */
void drm_debugged_asked(struct drm_debugged *debugged);
/** Waits up to @p ms for an attention of one of @p count GPUs, and clears theirs; returns whether
 * there was one. The devices are not taken. */
bool drm_debugged_attention(struct drm_debugged *const *gpus, size_t count, uint64_t ms);

/* ---- recording.c ---- */

/** The operations of a recording whose GPU is a struct drm_debugged. */
extern const struct wt_recording_ops drm_recording_ops;

#endif
