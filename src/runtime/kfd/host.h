/*
 * A drop-in libhsakmt.so.1: the library through which AMD's runtime reaches the kernel driver, with
 * emulated GPUs in place of the driver. This header is private to its files.
 *
 * Locks, in the order in which they are taken: host->lock (allocations), gpu->running (a device and
 * its queues), host->events_lock or host->table_lock.
 */
#ifndef WT_RUNTIME_KFD_HOST_H
#define WT_RUNTIME_KFD_HOST_H

/* The kernel's, kfd_dbg_trap_args of kfd.h: Debian 13's header names it without a declaration. */
struct kfd_ioctl_dbg_trap_args;
#include <hsakmt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/memory.h"
#include "emulator/gcn/debug.h"
#include "emulator/gcn/host.h"
#include "emulator/translate/rows.h"
#include "object/kfd_debug.h"
#include "runtime/common/final_memory.h"
#include "runtime/common/host_core.h"
#include "runtime/common/planted.h"
#include "runtime/common/progress.h"
#include "runtime/common/watched.h"

#define HOST_MOST_GPUS 16
/** The number of the first GPU's render node. DRM's render nodes are 128 to 191: the first of them
 * are left to other families. */
#define HOST_FIRST_RENDER_NODE (192 - HOST_MOST_GPUS)
#define HOST_PAGE 4096u
#define HOST_EVENTS 4096u
#define HOST_DOORBELLS 8192u /* bytes of a GPU's doorbells */
#define HOST_GWS 64u         /* resources of global wave sync */

struct host;
struct wt_called_place;

/** Memory that the runtime has allocated, or registered as the program's own. */
struct host_allocation {
    uint64_t addr, size;
    uint64_t gpu_addr; /**< where GPUs find it; registered memory: elsewhere */
    HsaMemFlags flags;
    uint32_t node;
    HSA_POINTER_TYPE type;
    void *user;             /**< hsaKmtSetMemoryUserData */
    uint32_t registrations; /**< how often it was registered: the runtime registers the same
                               memory again before it has deregistered it */
    uint32_t mappings;      /**< how often registered memory is mapped */
    uint64_t reserved;      /**< bytes of address space at gpu_addr, with a page of no access */
    uint32_t shown;         /**< which GPUs may use it, as a bit set */
    uint32_t nodes[HOST_MOST_GPUS]; /**< the same as node numbers, for hsaKmtQueryPointerInfo */
    uint32_t node_count;
    bool is_file;             /**< it is shared with other processes (shared.h): */
    int file;                 /**< then its descriptor */
    struct host_range *range; /**< scratch arenas: the parts in use */
    size_t ranges, range_capacity;
};

struct host_range {
    uint64_t addr, size;
};

/** An event; its slot is its number. */
struct host_event {
    HsaEvent *event; /**< NULL: free */
    bool set, manual;
    uint64_t age; /**< 1, and one more each time that it is set */
    struct host_waiter *waiters;
};

/** A queue of AQL packets, or of the copy engine. Guarded by its GPU's lock. */
struct host_queue {
    struct host_queue *next;
    struct host_gpu *gpu;
    uint64_t id;
    uint8_t *ring;
    uint64_t ring_addr, queue_addr; /**< where GPUs have the ring and the amd_queue_t */
    bool copies;                    /**< it is the copy engine's: counts bytes, not packets */
    uint32_t rows_done;             /**< rows that are done of the box that the copy engine is at */
    uint64_t packets;               /**< a power of two */
    _Atomic uint64_t *read, *write;
    _Atomic uint64_t own[2];         /**< a copy engine's queue: where these two are */
    uint64_t begun;                  /**< packets that have begun: the number of the next one */
    uint64_t freed;                  /**< packets whose places are free again: the value of *read */
    uint8_t *queue;                  /**< the amd_queue_t around read and write */
    _Atomic int64_t *error;          /**< receives reasons of errors; NULL: they are dropped */
    HsaEvent *event;                 /**< set on errors */
    int32_t priority;                /**< HSA_QUEUE_PRIORITY */
    uint64_t barred[GCN_MASK_WORDS]; /**< compute units that are not for it, as a bit set */
    bool suspended;                  /**< by the runtime */
    bool stopped;                    /**< by an error, for good */
    bool waiting;                    /**< for the runtime to take an error code back */
    uint64_t given;                  /**< the first packet of the call that gives (order.c) */
    struct host_late *late;          /**< packets of calls that have come back (order.c) */
    struct packets *order;           /**< its packets (packets.c); NULL: nobody follows it */
    struct kfd_queue_entry entry;    /**< as the debug interface shows it */
    bool own_area;                   /**< its save area is ours, not the program's */
};

/** A kernel that the device runs. Its place in the array is the number of the device's dispatch. */
struct host_dispatch {
    struct host_queue *queue; /**< NULL: none */
    uint64_t packet;          /**< its number in the queue */
    uint64_t begun;           /**< clock */
    uint32_t told;            /**< interrupts of its trap handlers: bits of HOST_TOLD */
};

#define HOST_TOLD                                                                                  \
    0xfffc00u /**< M0 of a trap handler's interrupt: bit 10 is the first host_reason */

/** An interrupt of a wave of a recorded GPU. */
struct host_interrupt {
    uint32_t data;
    bool handler; /**< the trap handler has sent it */
    unsigned dispatch;
};

/** Libdrm's handle of a GPU's render node. */
struct host_handle {
    void *device; /**< NULL: none */
    int file;     /**< its descriptor */
};

/** A kernel that the tally has seen. */
struct host_counted {
    uint64_t entry; /**< 0: none */
    bool own;       /**< it is the runtime's, not the program's */
};
enum { HOST_COUNTED = 32 };

/** How messages name a GPU: a format, and its arguments. */
#define HOST_GPU "%s (node %u)"
#define HOST_GPU_IS(gpu) (gpu)->config.model->target.name, (gpu)->node

struct host_gpu {
    WT_HOSTED; /**< watched: local_watch.h; recording: recording.h */
    struct host *host;
    uint32_t index, node;
    struct gcn_config config;
    struct gcn_target target; /**< the model's, or HSA_OVERRIDE_GFX_VERSION's, as the process has
                                   chosen XNACK */
    uint32_t version;         /**< gfx_target_version of that */
    uint64_t memory;          /**< bytes that the program may allocate on it */
    struct host_handle handle;
    struct gcn_device *device;
    struct gcn_host driver;
    pthread_t thread;
    bool started;
    pthread_mutex_t running;
    atomic_uint waiters; /**< threads that want `running` */
    atomic_bool stop;
    struct host_queue *queues; /**< a list; `turn` goes round it */
    struct host_queue *turn;
    struct host_dispatch dispatch[GCN_DISPATCHES];
    uint64_t turns;    /**< turns of its thread */
    bool rests;        /**< no wave can go on by itself, and no queue has a packet */
    unsigned kernels;  /**< how many of them there are */
    uint64_t launches; /**< how many there have been on this one */
    struct host_counted counted[HOST_COUNTED]; /**< for the tally: kernels seen, in turn */
    unsigned counted_next;
    struct wt_rows_totals translated; /**< as it was last counted */
    uint32_t ended;      /**< dispatches that have ended and are not retired yet, as a bit set */
    uint32_t trapped;    /**< dispatches whose trap handler has sent an interrupt, as a bit set */
    uint64_t *doorbells; /**< HOST_DOORBELLS; see host_queue_doorbell() */
    bool told_debugger;  /**< the debugger's descriptor has been written to */
    bool debugger;       /**< someone is registered for wave control and address watch */
    bool debugged;       /**< somebody was: halted waves are then no mistake */
    struct host_watch *watch; /**< an address to be explained, or NULL */
    struct host_interrupt
        *interrupt; /**< interrupts of waves, while recorded: the program is told later */
    size_t interrupt_count, interrupt_capacity;
    struct wt_progress progress;
    uint64_t progress_entry; /**< the kernel whose name progress_kernel is; 0: none */
    char progress_kernel[128];
};

struct host {
    uint32_t opened;
    uint32_t handles; /**< libdrm's, each of which is an opening, too */
    struct host_gpu gpu[HOST_MOST_GPUS];
    uint32_t gpus;
    pthread_mutex_t lock;
    pthread_mutex_t table_lock;          /**< taken last, too, where the next two change */
    struct host_allocation **allocation; /**< by address */
    size_t allocations, allocation_capacity;
    uint64_t next_place; /**< where the next allocation goes: memory.c */
    struct host_place {
        uint64_t at, end;
    } freed[16]; /**< places that were freed, in turn */
    unsigned freed_next;
    bool xnack;                        /**< on, for all GPUs: xnack.c */
    uint64_t used[HOST_MOST_GPUS + 1]; /**< bytes, by node */
    struct host_svm_range *svm;        /**< by address: see svm.c */
    size_t svm_count, svm_capacity;
    atomic_bool svm_stale; /**< the program has given back memory of these */
    pthread_mutex_t events_lock;
    struct host_event event[HOST_EVENTS];
    uint64_t *event_page;        /**< a mailbox for each event, which waves write */
    uint64_t program_page;       /**< the GPUs' address of such mailboxes that a program has made */
    void *program_pages;         /**< where they are here; NULL: none */
    _Atomic(const void *) debug; /**< the runtime's struct r_debug */
    atomic_bool runtime_enabled; /**< the runtime has said that it is there */
    _Atomic uint64_t accesses;   /**< to what a debugger watches: the number of the last one */
    _Atomic uint64_t launches;   /**< how many there have been: the number of the last one */
    atomic_bool held;            /**< launches wait for a debugger to come */
    pid_t holder;                /**< the process that is to become it; 0: any */
    atomic_bool code_followed;   /**< a debugger is connected, which follows code objects */
    _Atomic uint64_t code_known; /**< the state of their list that it knows */
    _Atomic uint64_t code_freed; /**< how often memory that can hold code was freed */
    uint64_t
        variables_known; /**< state of the list of code objects when their variables were read */
    int debug_fd;        /**< written to at exceptions; 0: no debugger (debug-trap operations) */
    struct host_buffer *buffers; /**< memory allocated by ioctls: kfd_memory.c */
    uint32_t next_buffer;
    struct wt_final_memory final;   /**< for a debugger */
    struct wt_planted_list planted; /**< a debugger's breakpoints */
    pthread_t debugger_thread;      /**< that serves them, once there is one: */
    atomic_bool debugger_thread_is;
    uint64_t next_queue;
    uint16_t caught; /**< exceptions that end the program: struct gcn_origin */
    struct wt_core_on_fault core_on_fault;
    /** host_memory_is_shared, which recordings reach only through here: they lie below it. */
    bool (*is_shared)(struct host *host, uint64_t addr);
    char explain[1024];    /**< what to explain: see explain.c */
    atomic_bool explained; /**< a wave came there */
};

/** The open driver; NULL before hsaKmtOpenKFD. The library's interface has no handle for it. */
struct host *host_get(void);
/** The number of GPUs that the driver has or, before it is opened, would have. */
uint32_t host_gpu_count(void);
/** The GPU of a node; NULL where the node is no GPU. */
struct host_gpu *host_gpu_of(struct host *host, uint32_t node);

/** The gpu_id of a GPU: the driver's number, which is not that of its node. */
uint32_t host_gpu_id(const struct host_gpu *gpu);

/** Takes a GPU's lock; the GPU's thread yields to waiters. While a debugger is in the GPU's past
 * (recording.h) only the debugger's own thread gets it, and others wait. */
void host_enter(struct host_gpu *gpu);
/** As host_enter, before the device is changed in a way that is not recorded: ends a recording.
 * @p why: a literal that says what the program has done. */
void host_enter_to_change(struct host_gpu *gpu, const char *why);
#define HOST_DEBUG_USED "nothing is recorded now: the program has used its GPU's debug interface"
/** Notes that the calling thread is the debugger's. */
void host_enter_as_debugger(struct host *host);
/** Gives a GPU's lock back. */
void host_leave(struct host_gpu *gpu);
/** Takes every GPU's lock, in the order of their numbers. */
void host_enter_all(struct host *host);
/** Gives every GPU's lock back. */
void host_leave_all(struct host *host);

/**
 * Ends the process with @p status, from any thread, without running anything more of the program.
 * Flushes stdout unless another thread holds it, and removes our files.
 */
_Noreturn void host_end_program(int status);
/** Removes what the driver has put into the file system, before the process ends. */
void host_leave_nothing(void);

/** Nanoseconds of the clock that GPUs count with. */
uint64_t host_clock(void);

/* ---- functions of ROCm 6's library, which ROCm 5's header lacks ---- */

/** Waits as hsaKmtWaitOnEvent. @p age: of the event as the caller has seen it last, or 0: one that
 * was set since is over at once. NULL: the caller knows none. It becomes the event's. */
HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent *event, HSAuint32 milliseconds, uint64_t *age);
/** Likewise for several events, with an age of each. */
HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent *events[], HSAuint32 count, bool all,
                                             HSAuint32 milliseconds, uint64_t *age);
/** Says how many bytes the program may still allocate on a GPU. */
HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64 *bytes);
/** Allocates as hsaKmtAllocMemory, at a multiple of 0 or a power of two that is no less than a
 * page. */
HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 node, HSAuint64 size, HSAuint64 alignment,
                                     HsaMemFlags flags, void **address);
/** Gives a descriptor of the allocation that holds these bytes, which the caller closes, and where
 * they are in it. */
HSAKMT_STATUS hsaKmtExportDMABufHandle(void *address, HSAuint64 size, int *fd, HSAuint64 *offset);
/** Gives libdrm's handle of a GPU's render node, which is the library's. */
HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(HSAuint32 node, void **handle);
/** Whether the runtime may say that it is there. */
HSAKMT_STATUS hsaKmtCheckRuntimeDebugSupport(void);
/** Gives no capability: the only one there is lets the runtime write core files of GPUs. */
HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(HSAuint32 *mask);
/** Debugs this process; *info, struct kfd_runtime, is the caller's to free. */
HSAKMT_STATUS hsaKmtDbgEnable(void **info, HSAuint32 *size);
/** Ends that. */
HSAKMT_STATUS hsaKmtDbgDisable(void);
/** Gives the GPUs, meanwhile, as struct kfd_device_entry, which the caller frees. */
HSAKMT_STATUS hsaKmtDbgGetDeviceData(void **data, HSAuint32 *count, HSAuint32 *size);
/** Gives the queues as struct kfd_queue_entry, with @p suspend as they are once they have stopped.
 */
HSAKMT_STATUS hsaKmtDbgGetQueueData(void **data, HSAuint32 *count, HSAuint32 *size, bool suspend);
/** AMDKFD_IOC_DBG_TRAP; @p queues: the library's numbers of those that it names, or NULL. */
HSAKMT_STATUS hsaKmtDebugTrapIoctl(struct kfd_ioctl_dbg_trap_args *args, HSA_QUEUEID *queues,
                                   HSAuint64 *result);
/** Fails: nothing tells of the system's events. */
HSAKMT_STATUS hsaKmtOpenSMI(HSAuint32 node, int *fd);
/** Fails: AddressSanitizer does not run on these GPUs. */
HSAKMT_STATUS hsaKmtReplaceAsanHeaderPage(void *address);
/** Fails likewise. */
HSAKMT_STATUS hsaKmtReturnAsanHeaderPage(void *address);
#ifndef HSA_RUNTIME_ENABLE_CAPS_SUPPORTS_CORE_DUMP_MASK
typedef void HsaPcSamplingInfo;
#endif
/** Fails: no PCs are sampled. So do the following. */
HSAKMT_STATUS hsaKmtPcSamplingSupport(void);
/** Fails. */
HSAKMT_STATUS hsaKmtPcSamplingQueryCapabilities(HSAuint32 node, void *info, HSAuint32 size,
                                                HSAuint32 *needed);
/** Fails. */
HSAKMT_STATUS hsaKmtPcSamplingCreate(HSAuint32 node, HsaPcSamplingInfo *info, HSAuint32 *trace);
/** Fails. */
HSAKMT_STATUS hsaKmtPcSamplingDestroy(HSAuint32 node, HSAuint32 trace);
/** Fails. */
HSAKMT_STATUS hsaKmtPcSamplingStart(HSAuint32 node, HSAuint32 trace);
/** Fails. */
HSAKMT_STATUS hsaKmtPcSamplingStop(HSAuint32 node, HSAuint32 trace);

/* ---- render.c ---- */

/** Libdrm's handles that the library has given out: each holds the driver open. */
struct host_handles {
    uint32_t count;
    struct host_handle handle[HOST_MOST_GPUS];
};
/** Takes them from the GPUs, while nobody opens or closes the driver. */
void host_handles_take(struct host *host, struct host_handles *taken);
/** Closes what was taken; the driver closes with the last one that holds it. */
void host_handles_close(const struct host_handles *taken);

/* ---- memory.c ---- */

/** Frees all allocations of the runtime, at the end of the driver. */
void host_memory_free(struct host *host);
/**
 * The allocation that holds an address of the program or the GPUs; NULL: none. *before becomes the
 * one that ends below it on GPUs, or NULL. The caller holds host->lock.
 */
const struct host_allocation *host_memory_find(const struct host *host, uint64_t addr,
                                               const struct host_allocation **before);

/**
 * Whether the program's threads may use the page at an address while kernels run. The GPU is
 * entered.
 */
bool host_memory_is_shared(struct host *host, uint64_t addr);

/* ---- blocks.c, checks.c, variables.c ---- */

/** GPUs may have memory (wt_block_made), where it is checked. */
void host_block_made(uint64_t addr, uint64_t size);
/** They have not any more. */
void host_block_gone(uint64_t addr);
/** Whether the runtime of a language has called the HSA runtime, which has called us. */
bool host_called_by_runtime(void);
/** Part of the name of that library; NULL: it is none. */
const char *host_calling_runtime(void);
/** The runtime's pool has given memory to this thread: for wt_host_checks.allocated. */
void host_note_allocated(uint64_t addr, uint64_t size);
/** Notes the variables of code objects that have been loaded since as objects, where memory is
 * checked. */
void host_variables_list(void);

/* ---- order.c ---- */

/** For host_checks.h. */
struct wt_host_order;
extern const struct wt_host_order host_order;
/** Launch @p number, the packet @p packet of a queue, is about to begin; @p known: its queue is
 * followed, and it is the newest operation. Else the call that gave it is found. The GPU is
 * entered. */
void host_order_launch(struct host_queue *q, uint64_t packet, uint64_t number, bool known);
/** The GPU is about to access memory, whose pages may be protected. The GPU is entered. */
void host_order_accesses(void);
/** Queue @p q goes; its GPU is entered. */
void host_order_queue_gone(struct host_queue *q);

/* ---- unmap.c ---- */

/** Takes memory from a GPU, which is entered. Ends the recording of kernels that have used it. */
enum wt_status host_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size, struct wt_error *err);

/* ---- addresses.c ---- */

/** A mapping of the process, as /proc/self/maps has it. */
struct host_mapping {
    uint64_t first, end;
    bool readable, writable;
    bool usable;     /**< by the program in some way */
    char name[1024]; /**< name of a file, or "[heap]", or "" */
};
/** Finds the mapping that has an address; false: nothing is mapped there. */
bool host_mapping_at(uint64_t addr, struct host_mapping *mapping);
/**
 * Explains what an address is that this GPU may not use; @p text becomes "" if nothing is known of
 * it.
 */
void host_explain_fault(struct host *host, uint32_t gpu, uint64_t addr, char *text, size_t size);

/* ---- xnack.c ---- */

/** Chooses XNACK as HSA_XNACK says, before queues are made. */
void host_xnack_begin(struct host *host);
/** Turns it on or off, as the driver does: 0; -EPERM where a GPU does not have it; -EBUSY where
 * there are queues. No lock is held. */
int host_xnack_set(struct host *host, bool on);
/** Takes memory back that was lent to a GPU, which is entered, as a kernel begins: the program may
 * have given it back. */
void host_xnack_take_back(struct host_gpu *gpu);

/* ---- svm.c ---- */

/** Whether GPUs may use shared virtual memory at an address. No lock is held. */
bool host_memory_is_svm(struct host *host, uint64_t addr);
/** Whether the program still has all shared virtual memory of that GPU, whose lock is held. */
bool host_svm_intact(const struct host_gpu *gpu);
/** Takes shared virtual memory that the program has given back from the GPUs. No lock is held. */
void host_svm_tidy(struct host *host);
/**
 * Takes what lies in [addr, end) from the GPUs, as the program has given it back: the addresses are
 * those of an allocation now. host->lock is held.
 */
void host_svm_replace(struct host *host, uint64_t addr, uint64_t end);
/** Frees the list of shared virtual memory; the memory is the program's. */
void host_svm_free(struct host *host);

/* ---- events.c ---- */

/** Sets up the events and their mailboxes; false, with an error, without host memory. */
bool host_events_open(struct host *host, struct wt_error *err);
/** Frees the events and their mailboxes. */
void host_events_close(struct host *host);
/** Sets the event of this number; other numbers are ignored. */
void host_event_set(struct host *host, uint32_t id);
/** The mailbox that GPUs have at an address; NULL: none is there. */
uint64_t *host_mailbox(struct host *host, uint64_t addr);
/** Sets each event whose number has these lower 8 bits: a wave's interrupt carries no more. */
void host_event_interrupt(struct host *host, uint32_t low);
/** Sets the events of memory faults, for a fault of the GPU of @p node at @p addr. */
void host_event_memory(struct host *host, uint32_t node, uint64_t addr);

/* ---- device.c, kfd_memory.c, kfd_debug.c ---- */

/** Removes the files that stand for /sys, if this process has made them: it ends. */
void host_files_remove(void);
/** Waits until nobody makes them; nobody does until host_files_after_fork(). */
void host_files_before_fork(void);
/** In the parent and in the child. */
void host_files_after_fork(void);

/** Frees the memory that ioctls have allocated, at the end of the driver. */
void host_buffers_free(struct host *host);
/** Disables the debug-trap operations, if a debugger that is gone had enabled them. */
void host_debug_close(struct host *host);

/* ---- queues.c and processor.c ---- */

/** A queue as a program asks the driver for it; addresses are those of GPUs or of the process. */
struct host_queue_request {
    bool copies; /**< it is the copy engine's */
    uint32_t percentage;
    int32_t priority;
    uint64_t ring, size;           /**< bytes, a power of two */
    uint64_t read, write;          /**< 0 for a copy engine's queue: the driver's own */
    uint64_t save_area, save_size; /**< for its waves; 0, or too little: the driver's own */
    volatile int64_t *error;       /**< receives reasons of errors; or NULL */
    HsaEvent *event;
};

/** The doorbell of a queue: the program's runtime and kernels store there the number of the last
 * packet. */
uint64_t *host_queue_doorbell(const struct host_queue *q);

/**
 * Makes a queue on a GPU; *id becomes its id. -EFAULT: the ring or a pointer is not in memory;
 * -ENOMEM.
 */
int host_queue_create(struct host_gpu *gpu, const struct host_queue_request *request, uint64_t *id);
/**
 * Adds exceptions (a mask) to a queue's error code and sets its event, as the driver does for the
 * runtime. -EINVAL: no such queue.
 */
int host_queue_send(struct host *host, uint32_t id, uint64_t exceptions);

/* ---- code_list.c ---- */

#define HOST_CODE_UNKNOWN UINT64_MAX

/**
 * *state becomes a number for the list of code objects that the runtime has loaded: another one
 * after each change, 0 before the runtime has begun. False while the list is being changed.
 */
bool host_code_state(struct host *host, uint64_t *state);
/** A code object in the runtime's list. */
struct host_code {
    char uri[512]; /**< for host_code_object() */
    uint64_t bias;
    const void *next; /**< NULL: this is the last one */
    unsigned count;
};
/** Goes to the beginning of the list, before its first code object. False: there is no list, or the
 * runtime is changing it. */
bool host_code_begin(struct host *host, struct host_code *code);
/** Goes on to the `next` code object. False: there is none, or (`next` remains) it has gone. */
bool host_code_next(struct host_code *code);
/**
 * Notes that a debugger has come, which knows no list yet, or has gone; launches are held no
 * longer.
 */
void host_code_follow(struct host *host, bool follow);
/** Whether launches must wait: for a debugger to come, or until it knows the code objects. */
bool host_launches_wait(struct host *host);

/** Abandons the running kernels of a queue. The GPU is entered. */
void host_queue_abandon(struct host_queue *queue);
/**
 * Makes the GPU's device and starts its thread; false, with an error, where that fails.
 * host_gpu_stop follows in either case.
 */
bool host_gpu_start(struct host_gpu *gpu, struct wt_error *err);
/** Ends the GPU's thread and frees its device and queues. */
void host_gpu_stop(struct host_gpu *gpu);
/** The main function of a GPU's thread; @p gpu is a struct host_gpu. */
void *host_processor(void *gpu);

/**
 * Stops all queues of that GPU for good, as the driver does after a page fault at @p addr. The GPU
 * is entered.
 */
void host_page_fault(struct host_gpu *gpu, uint64_t addr);
/**
 * Does what host_page_fault does for a debugger, at the address of the latest exception. The GPU is
 * not entered. -EINVAL for another exception than KFD_EC_DEVICE_MEMORY_VIOLATION.
 */
int host_gpu_send(struct host_gpu *gpu, uint64_t exceptions);

/* ---- copies.c ---- */

/** Executes the next packet of a copy engine's queue; false if there is none, or it must wait. */
bool host_copy(struct host_queue *queue);

/** Reasons of a queue's error, by the driver's numbers. */
enum host_reason {
    HOST_REASON_ABORT = 1,
    HOST_REASON_TRAP = 2,
    HOST_REASON_MATH = 3,
    HOST_REASON_ILLEGAL = 4,
    HOST_REASON_MEMORY = 5,
    HOST_REASON_APERTURE = 6,
    HOST_REASON_DIMENSIONS = 16,
    HOST_REASON_GROUP_MEMORY = 17,
    HOST_REASON_CODE = 18,
    HOST_REASON_PACKET = 20,
    HOST_REASON_GROUP_SIZE = 21,
    HOST_REASON_REGISTERS = 22,
    HOST_REASON_VENDOR_PACKET = 23,
};

/* ---- debug.c: the driver's functions, which return 0 or a negative errno ---- */

/** Registers for wave control and address watch; -EINVAL: somebody is registered already. */
int host_debug_register(struct host_gpu *gpu);
/** Ends the registration and what was set by it; -EINVAL: nobody is registered. */
int host_debug_unregister(struct host_gpu *gpu);
/**
 * As gcn_driver_wave_control; -EINVAL also where nobody is registered. Reserved bits of the message
 * are reported on stderr.
 */
int host_debug_wave_control(struct host_gpu *gpu, const struct gcn_wave_control *control);
/** As gcn_driver_address_watch; -EINVAL also where nobody is registered. */
int host_debug_address_watch(struct host_gpu *gpu, const struct gcn_watch_request *request);

/* ---- report.c ---- */

/** The fault for which a wave stands where it is, with what is at its address; NULL: none. */
const struct wt_fault *host_wave_fault(struct host_gpu *gpu, uint32_t wave);
/** Reports the device's fault on stderr. */
void host_report_fault(struct host_gpu *gpu);
/** The reason for which a trap handler has stopped a wave. */
struct host_trap {
    char text[256];
    uint64_t lanes; /**< that it is about */
    uint64_t pc;    /**< the instruction's */
};
/** Reports on stderr why a trap handler has stopped a wave, and fills in *trap. */
void host_report_trap(struct host_gpu *gpu, uint32_t wave, struct host_trap *trap);
/**
 * Describes an address by the code objects that the runtime has loaded: "0x… <function+16> at
 * file.hip:12".
 */
bool host_describe(struct host *host, uint64_t pc, char *text, size_t size);
/** host_describe() of a place with the calls that it is in. */
bool host_describe_place(struct host *host, const struct wt_called_place *place, char *text,
                         size_t size);
/** Finds the address of a function in the loaded code objects; false if there is none (yet). */
bool host_symbol(struct host *host, const char *name, uint64_t *addr);
/** The variable of a group's memory, or of a lane's own, from whose address the code at @p pc makes
 * that of an access (check/memory.h); @p context: the host. */
wt_check_variable_fn host_variable;

/* ---- code_objects.c ---- */

/**
 * Makes a file in memory that holds the code object that a URI names. Returns its descriptor, which
 * the caller closes; -1 if it cannot be had.
 */
int host_code_object(const char *uri);
/** Where a part of a file, from an offset on, is mapped in this process; 0: nowhere. */
uint64_t host_code_mapped(const char *path, uint64_t offset);

/* ---- core_file.c ---- */

/** How a GPU's state and its program's code objects are written. */
extern const struct wt_host_core_ops host_core_ops;
/**
 * Writes a core file at the program's first fault, where exec --core-on-fault wants one, and
 * reports that on stderr. The GPU is entered.
 */
void host_core_on_fault(struct host_gpu *gpu, const char *reason, uint32_t wave, uint64_t lanes);

/* ---- places.c ---- */

/** Writes to @p out, for each queue of a GPU, how many packets have not begun, and the signal for
 * which the first of them waits. The caller has entered the GPU. */
void host_tell_queues(const struct host_gpu *gpu, FILE *out);
/** Writes to @p out the signal for which the first packet of a queue that has not begun waits. It
 * writes nothing where that packet is not there yet, or waits for packets before it. */
void host_tell_first(const struct host_queue *q, FILE *out);
/**
 * After Ctrl-C: reports where the waves are and ends the process; else nothing. No GPU is entered.
 */
void host_end_if_interrupted(struct host *host);
/** Counts a launch in exec's tally, if there is one. The GPU is entered. */
void host_count_launch(struct host_gpu *gpu, unsigned dispatch);
/** Operation count_code of struct wt_apart. The GPU is entered. */
void host_count_code(struct wt_hosted *gpu);
/** Counts issues since issue time @p before in exec's tally, if there is one. */
void host_count_issues(struct host_gpu *gpu, uint64_t before);
/** Shows how far the oldest kernel is, if it is time for that. The GPU is entered. */
void host_show_progress(struct host_gpu *gpu);

/* ---- fatbins.c ---- */

/** Reports on stderr the loaded files that have device code, but none that can run here. */
void host_check_fatbins(void);
/** The program's file, which the caller unmaps; NULL: it cannot be read. */
const uint8_t *host_program_map(size_t *size);

/* ---- explain.c ---- */

/**
 * Sets up the look-out that host->explain describes; WT_INVALID if that names nothing.
 * host_watch_stop frees it.
 */
enum wt_status host_watch_start(struct host_gpu *gpu, struct wt_error *err);
/** Frees the look-out, if there is one. */
void host_watch_stop(struct host_gpu *gpu);
/**
 * Runs the device for @p issues at most, or until a wave comes to the function; explains the
 * address there.
 */
enum wt_run host_watch_run(struct host_gpu *gpu, uint64_t issues);

#endif
