/*
 * An AMD GPU in a host process: its memory is the process's own, and it works with the process's
 * threads through signals and queues. What a drop-in driver library needs beyond gcn.h.
 */
#ifndef WT_EMULATOR_GCN_HOST_H
#define WT_EMULATOR_GCN_HOST_H

#include "emulator/gcn/gcn.h"
#include "emulator/gcn/models.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/run.h"
#include "object/aql.h"

/** The inputs and results of the first-level trap handler. */
struct gcn_trap {
    uint32_t *ttmp;    /**< the wave's trap temporaries, 16 of them */
    uint32_t status;   /**< STATUS as the wave was, with PRIV */
    uint64_t tba, tma; /**< those of the second-level handler, which runs next */
};

/**
 * The surroundings of a device: the driver and its packet processor. Each is called while the
 * device runs, or within gcn_device_begin, gcn_device_abandon and writes of debug registers
 * (debug.h); none may be NULL, none may call them.
 */
struct gcn_host {
    /** s_sendmsg of an interrupt: the wave, and M0. */
    void (*interrupt)(void *context, struct gcn_device *device, uint32_t wave, uint32_t data);
    /** A dispatch has started its last work-group. */
    void (*launched)(void *context, struct gcn_device *device, unsigned dispatch);
    /** The last work-group of a dispatch has ended. @p completion is its signal, or 0. */
    void (*dispatch_done)(void *context, struct gcn_device *device, unsigned dispatch,
                          uint64_t completion);
    /** A wave has been halted. */
    void (*wave_halted)(void *context, struct gcn_device *device, uint32_t wave);
    /** A wave has met a page fault: true if that stops the run (WT_RUN_FAULT) whether there is a
     * trap handler or not. */
    bool (*page_fault)(void *context, struct gcn_device *device, const struct wt_fault *fault);
    /** A wave enters the trap handler: what a handler that runs before it does. */
    void (*first_level_trap)(void *context, struct gcn_device *device, const struct gcn_trap *trap);
    void *context;
};

/**
 * A driver's defaults, of which a host replaces what it wants: the run returns for launched,
 * dispatch_done and wave_halted, page faults are taken, first_level_trap leaves for the
 * second-level trap handler what the kernel driver's handler does, and interrupts are ignored.
 */
extern const struct gcn_host gcn_driver;

/** For a host's callback: makes the run return WT_RUN_EVENT behind this instruction. */
void gcn_device_come_back(struct gcn_device *device);

/** Where a dispatch comes from. */
struct gcn_origin {
    uint64_t launch;   /**< its number among the launches of its process, from 1; 0: no driver */
    uint32_t packet;   /**< which packet of its queue it is: trap handlers may ask */
    uint32_t doorbell; /**< what s_sendmsg tells as the doorbell of its queue */
    int32_t priority;  /**< where there is room, work-groups of a higher one start first */
    uint32_t queue;    /**< the queue's id in the driver's debug interface (kfd.h) */
    uint64_t barred[GCN_MASK_WORDS]; /**< compute units that it may not have, as a bit set */
    uint8_t vmid; /**< vmid of its process: HW_ID.VM_ID; 0: GCN_KFD_VMID (debug.h) */
    uint8_t pipe; /**< HW_ID.PIPE_ID, 0 to 3 */
    uint8_t slot; /**< slot of its queue in the pipe: HW_ID.QUEUE_ID, 0 to 7 */
    /** Exceptions, in the order of MODE[20:12], that its waves enable beside their own. One of them
     * ends the run (WT_RUN_FAULT) before any trap handler; a debugger has it before that. */
    uint16_t caught;
};

/**
 * Makes a device whose memory is this process's: an address is the same for both, and what
 * gcn_device_map has mapped is used in place. Nothing else is ever touched. It has no snapshots. @p
 * host must live as long as the device. The caller frees it with gcn_device_free.
 */
enum wt_status gcn_device_new_in_host(const struct gcn_config *config, const struct gcn_host *host,
                                      struct gcn_device **device, struct wt_error *err);

/** Takes a wave that its trap handler has halted for good out of the handler, to @p pc. */
void gcn_wave_leave_handler(struct gcn_device *device, uint32_t wave, uint64_t pc);

/** Whether @p addr lies in the save area of a queue. */
bool gcn_device_saves_at(const struct gcn_device *device, uint64_t addr);

/**
 * Lets kernels use the process's pages at @p host, by addresses from @p addr on. Both are whole
 * pages.
 */
enum wt_status gcn_device_map_alias(struct gcn_device *device, uint64_t addr, uint64_t size,
                                    void *host, struct wt_error *err);

/** Says whether memory that is mapped is fine-grained, at first it is not; and @p of_host: memory
 * of the host's (enum wt_grain). False: there is no host memory. */
bool gcn_device_set_grain(struct gcn_device *device, uint64_t addr, uint64_t size, bool fine,
                          bool of_host);

/** Says who is asked for memory that is not mapped (struct wt_regions); NULL: nobody. */
void gcn_device_set_lender(struct gcn_device *device, bool (*lends)(void *context, uint64_t addr),
                           void *context);
/** Lends what of [addr, end) lies around @p at and is not mapped (wt_regions_lend). */
bool gcn_device_lend(struct gcn_device *device, uint64_t addr, uint64_t end, uint64_t at,
                     bool writable);
/** Takes back all that was lent. */
void gcn_device_take_back(struct gcn_device *device);

/**
 * Unmaps [addr, addr + size), rounded to pages; parts of it that are not mapped are ignored.
 * Decoded instructions are forgotten if they may be there. WT_NO_MEMORY is the only failure.
 */
enum wt_status gcn_device_unmap(struct gcn_device *device, uint64_t addr, uint64_t size,
                                struct wt_error *err);

/**
 * Finds the process's memory at the GPU's @p addr; *room becomes the bytes that follow in one
 * piece. NULL where the GPU may not write.
 */
void *gcn_device_pointer(const struct gcn_device *device, uint64_t addr, uint64_t *room);

/** Forgets the decoded instructions of [addr, addr + size), which the host has written. */
void gcn_device_changed(struct gcn_device *device, uint64_t addr, uint64_t size);

/** Forgets all decoded instructions and empties the TLB: the host may have written code. */
void gcn_device_flush_code(struct gcn_device *device);

/**
 * As gcn_device_dispatch, of a packet that has been decoded; @p packet is the address at which the
 * kernel finds it. *dispatch is its number, below GCN_DISPATCHES, until it has ended.
 */
enum wt_status gcn_device_begin(struct gcn_device *device, const struct gcn_aql_dispatch *asked,
                                uint64_t packet, uint64_t queue, const struct gcn_origin *origin,
                                unsigned *dispatch, struct wt_error *err);

/** Whether all work-groups of a dispatch have been started. */
bool gcn_device_launched(const struct gcn_device *device, unsigned dispatch);

/** How far a dispatch is: work-groups. */
struct gcn_progress {
    uint64_t entry; /**< where the kernel begins */
    uint64_t begun, done, total;
};
/** Fills in how far a dispatch is that has begun and not ended. */
void gcn_device_progress(const struct gcn_device *device, unsigned dispatch,
                         struct gcn_progress *progress);

/**
 * The dispatch of an active wave, and in *entry where its kernel begins; false if there is no such
 * wave.
 */
bool gcn_wave_dispatch(const struct gcn_device *device, uint32_t wave, unsigned *dispatch,
                       uint64_t *entry);

#define GCN_ANY_WAVE UINT32_MAX
#define GCN_EACH_WAVE (UINT32_MAX - 1)

/** A look-out for waves that are about to issue the instruction at `pc`. */
struct gcn_watch {
    uint64_t pc;
    uint32_t wave;        /**< that one; GCN_ANY_WAVE; GCN_EACH_WAVE: each once */
    uint8_t met[64 * 40]; /**< GCN_EACH_WAVE: which ones have been there */
};

/**
 * Runs until a wave reaches the watched instruction, which *met becomes; or for at most @p issues,
 * and *met becomes GCN_ANY_WAVE. Other watches of the device are removed.
 */
enum wt_run gcn_watch_run(struct gcn_device *device, struct gcn_watch *watch, uint64_t issues,
                          uint32_t *met);

/**
 * Abandons a dispatch with its work-groups and waves, and clears the device's fault, whoever made
 * it.
 */
void gcn_device_abandon(struct gcn_device *device, unsigned dispatch);

#endif
