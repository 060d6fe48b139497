/*
 * Messages between a debugger and the emulated driver in a host process, over a Unix socket of the
 * process's own: the driver's debug operations, and the process's memory. Both ends are of one
 * machine and one version of this program: structs go as they are, after a greeting that says so.
 * A debugger sends a request and its bytes, the process an answer and its bytes.
 */
#ifndef WT_OBJECT_KFD_WIRE_H
#define WT_OBJECT_KFD_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/kfd_debug.h"

#define KFD_WIRE_SOCKET "gpu"      /* base/private_dir.h: the kind of socket */
#define KFD_WIRE_MAGIC 0x42444b57u /* "WKDB" */
#define KFD_WIRE_MOST (1u << 20)   /* bytes that follow a request or an answer */
#define KFD_WIRE_WAIT_MS 100u      /* the longest wait for an exception */

enum kfd_wire_kind {
    KFD_WIRE_HELLO, /**< answered by a struct kfd_wire_hello, and in call.arg[0] by the state of the
                       list of code objects; 0: it is being changed, or there is none */
    KFD_WIRE_CALL,  /**< `call` is done: on its GPU, or on all of the process */
    KFD_WIRE_QUEUES,  /**< answered by struct kfd_queue_entry, as many as all GPUs have; or -ENOSPC:
                         more than KFD_DEBUG_QUEUES */
    KFD_WIRE_DEVICES, /**< answered by struct kfd_device_entry, one for each GPU */
    KFD_WIRE_READ,    /**< addr, size: answered by the bytes, or -EFAULT */
    KFD_WIRE_WRITE,   /**< addr, size, followed by the bytes */
    KFD_WIRE_EVENT,   /**< waits up to addr milliseconds for an exception; the result is a set of
                         enum kfd_wire_happened */
    KFD_WIRE_REGISTER_READ,  /**< addr: a debug register; answered in call.arg[0] */
    KFD_WIRE_REGISTER_WRITE, /**< addr: a debug register; call.arg[0]: its value */
    KFD_WIRE_CODE_KNOWN, /**< addr: the state of the list of code objects that is known; launches
                            wait while it is another one */
    KFD_WIRE_RECORD,  /**< addr: bytes of host memory for recording kernels; 0: none are. -ENOMEM */
    KFD_WIRE_TIME,    /**< answered in call.arg[0]: issue time */
    KFD_WIRE_HISTORY, /**< call.arg[0], call.arg[1], size: a struct wt_travel_request
                         (object/travel_wire.h) about what is recorded now; answered likewise */
    KFD_WIRE_FINAL,   /**< memory is to be there for the debugger when the process ends */
    KFD_WIRE_FINAL_NEXT, /**< addr: answered as object/final_wire.h has it */
    KFD_WIRE_CORE,  /**< followed by a struct wt_core_wire and its breakpoints (object/core_wire.h):
                       the GPU's state goes to a core file. A negative result is followed by a
                       sentence for people */
    KFD_WIRE_WAITS, /**< addr: the slot of a wave, counted through all GPUs; call.arg[0]: its id:
                       answered by a struct wt_wave_view; -ENOENT: it has left the slot */
    KFD_WIRE_FAULT, /**< addr: likewise: answered by the struct wt_fault for which the wave stands
                       where it is; -ENOENT */
    KFD_WIRE_WATCH, /**< size, followed by struct kfd_wire_watch: LDS that is watched from now on,
                       instead of what was; -ENOMEM, -EBUSY */
    KFD_WIRE_HITS, /**< answered by struct kfd_wire_hit: the accesses since the last such request */
    KFD_WIRE_KINDS,
};

enum kfd_wire_happened {
    KFD_WIRE_EXCEPTION = 1, /**< one is there */
    KFD_WIRE_CODE = 2,      /**< the list of code objects has another state than the known one:
                                call.arg[0] of the answer */
};

/**
 * An answer's result: the process says of its own accord, or instead of an answer, that it ends
 * with status call.arg[0]; or (call.arg[1] not 0) that it goes on without its GPUs. Nothing
 * follows. After KFD_WIRE_FINAL it answers yet when it ends, for some seconds or until the debugger
 * closes the connection.
 */
#define KFD_WIRE_ENDED INT32_MIN

struct kfd_wire_request {
    uint32_t kind; /**< enum kfd_wire_kind */
    uint32_t gpu;  /**< of registers: which of the process's GPUs, from 0 */
    uint32_t size; /**< bytes asked for, or that follow */
    uint32_t reserved;
    uint64_t addr;
    struct kfd_debug_call call;
};

struct kfd_wire_answer {
    int32_t result; /**< 0 or more; or a negative errno */
    uint32_t size;  /**< bytes that follow */
    struct kfd_debug_call call;
};

struct kfd_wire_hello {
    uint32_t magic;
    uint32_t request_bytes; /**< sizeof(struct kfd_wire_request) of the process's side */
    uint32_t pid;
    uint32_t gpus;
    uint64_t debug; /**< address of the runtime's struct r_debug; 0: it has not begun */
};

enum kfd_wire_watched { KFD_WATCH_WRITE, KFD_WATCH_READ, KFD_WATCH_ACCESS, KFD_WATCH_KINDS };

/** LDS to be watched: of the group of a wave, which is named by its slot, counted through all GPUs.
 * A write counts if it changes a byte of it. */
struct kfd_wire_watch {
    uint32_t kind; /**< enum kfd_wire_watched */
    uint32_t wave;
    uint64_t addr; /**< generic: in the LDS aperture */
    uint64_t size;
};

/** A lane's access to watched LDS. Its wave has stopped behind the instruction. */
struct kfd_wire_hit {
    uint64_t id;   /**< of its wave: another one may come into the slot */
    uint64_t pc;   /**< of the instruction */
    uint64_t addr; /**< generic: of the access, which may be wider than what is watched */
    uint32_t size;
    uint32_t wave; /**< its slot, counted through all GPUs */
    uint32_t lane;
    uint16_t read, write; /**< which it does; an atomic does both */
};

/** Whether a request is well-formed: its kind exists, and its sizes and counts fit their arrays. */
static inline bool kfd_wire_sound(const struct kfd_wire_request *request)
{
    return request->kind < KFD_WIRE_KINDS && request->size <= KFD_WIRE_MOST &&
           request->call.queue_count <= KFD_DEBUG_QUEUES;
}

/** The number of bytes that follow a request. */
static inline size_t kfd_wire_follows(const struct kfd_wire_request *request)
{
    return request->kind == KFD_WIRE_WRITE || request->kind == KFD_WIRE_HISTORY ||
                   request->kind == KFD_WIRE_CORE || request->kind == KFD_WIRE_WATCH
               ? request->size
               : 0;
}

#endif
