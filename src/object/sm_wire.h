/*
 * Messages between a debugger and the emulated driver in a host process that uses the CUDA driver
 * API, over a Unix socket of the process's own: the registers of the SM debugger, and what NVIDIA's
 * driver has for debuggers beside them. Both ends are of one machine and one version of this
 * program: structs go as they are, after a greeting that says so. A debugger sends a request and
 * its bytes, the process an answer and its bytes.
 */
#ifndef WT_OBJECT_SM_WIRE_H
#define WT_OBJECT_SM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

#define SM_WIRE_SOCKET "sm"       /* base/private_dir.h: the kind of socket */
#define SM_WIRE_MAGIC 0x384d5357u /* "WSM8" */
#define SM_WIRE_MOST (1u << 20)   /* bytes that follow a request or an answer */
#define SM_WIRE_WAIT_MS 100u      /* the longest WAIT */
#define SM_WIRE_DEVICES 16u
#define SM_WIRE_ROW 128u /* bytes of a row of 32 dwords */

enum sm_wire_kind {
    SM_WIRE_HELLO,  /**< answered by a struct sm_wire_hello */
    SM_WIRE_ATTACH, /**< kernels are no longer held for a debugger to come, but wait for KNOWN */
    SM_WIRE_EVENT,  /**< answered in the result, a set of enum sm_wire_happened, and value[0] */
    SM_WIRE_KNOWN,  /**< value: the state of the list of modules that is known; launches wait while
                       it is another one */
    SM_WIRE_REGISTERS, /**< followed by struct sm_wire_register; answered by the same, with what was
                          read */
    SM_WIRE_LAUNCH,    /**< answered by a struct sm_wire_launch */
    SM_WIRE_WARPS,     /**< answered by struct sm_wire_warp, one for each warp of the device */
    SM_WIRE_READ_ROW,  /**< warp, number: answered by SM_WIRE_ROW bytes */
    SM_WIRE_WRITE_ROW, /**< warp, number, lanes; followed by SM_WIRE_ROW bytes */
    SM_WIRE_READ_FILE, /**< warp, value: offset, size: answered by the bytes */
    SM_WIRE_READ,      /**< warp, lane, value: address, size: answered by the bytes */
    SM_WIRE_WRITE,     /**< warp, lane, value: address, size: followed by the bytes */
    SM_WIRE_BANK,      /**< number: answered in value[0], the address, and value[1], the size */
    SM_WIRE_LOCAL,     /**< warp, lane: answered likewise */
    SM_WIRE_WAIT,      /**< waits until the device has run for a moment */
    SM_WIRE_FAIL,      /**< warp: its mistake ends the kernel, as it does without a debugger */
    SM_WIRE_MODULES,   /**< answered by struct sm_wire_module, one for each; value[0]: the state */
    SM_WIRE_TEXT,      /**< value: a module's id, number: which of its texts, lanes: offset, size:
                          answered by the bytes, fewer at its end */
    SM_WIRE_WATCH,  /**< size, followed by struct sm_wire_watch: memory that is watched from now on,
                       instead of what was. The SM of a warp that accesses it stops behind the
                       instruction, as by the stop trigger */
    SM_WIRE_HITS,   /**< answered by struct sm_wire_hit, each once */
    SM_WIRE_CORE,   /**< size, followed by a struct wt_core_wire and its breakpoints
                       (object/core_wire.h): the device's state goes to a core file. A negative
                       result is followed by a sentence for people */
    SM_WIRE_RECORD, /**< value: bytes of host memory for recording kernels; 0: none are. -ENOMEM */
    SM_WIRE_TIME,   /**< answered in value[0]: the issue time of the device */
    SM_WIRE_HISTORY,    /**< number, value, size: a struct wt_travel_request (object/travel_wire.h)
                           about what is recorded now; answered in value[0] and the result. A negative
                           result is followed by a sentence for people */
    SM_WIRE_FINAL,      /**< memory is to be there for the debugger when the process ends */
    SM_WIRE_FINAL_NEXT, /**< value: an address; answered as object/final_wire.h has it */
    SM_WIRE_DETAIL,     /**< warp, value: its id: answered by a struct wt_wave_view, then by struct
                           sm_wire_waiters; -ENOENT: it has left the slot */
    SM_WIRE_FAULT,      /**< warp, value: its id: answered by the struct wt_fault for which it has
                           paused; -ENOENT */
    SM_WIRE_KINDS,
};

enum sm_wire_happened {
    SM_WIRE_STOPPED = 1, /**< the debug hardware has something to tell, or a kernel has begun or
                              ended, since the last EVENT */
    SM_WIRE_CODE = 2,    /**< the list of modules has another state than the known one: value[0] */
};

/**
 * An answer's result: the process says of its own accord, or instead of an answer, that it ends
 * with status value[0]; or (value[1] not 0) that it goes on without its GPUs. Nothing follows.
 * After SM_WIRE_FINAL it answers yet when it ends, for some seconds or until the debugger closes
 * the connection.
 */
#define SM_WIRE_ENDED INT32_MIN

struct sm_wire_request {
    uint32_t kind;   /**< enum sm_wire_kind */
    uint32_t device; /**< which of the process's GPUs, from 0 */
    uint32_t warp;   /**< of the device */
    uint32_t lane;
    uint32_t number;
    uint32_t lanes;
    uint32_t size; /**< bytes asked for, or that follow */
    uint32_t reserved;
    uint64_t value;
};

struct sm_wire_answer {
    int32_t result; /**< 0 or more; or a negative errno */
    uint32_t size;  /**< bytes that follow */
    uint64_t value[2];
};

struct sm_wire_hello {
    uint32_t magic;
    uint32_t request_bytes; /**< sizeof(struct sm_wire_request) of the process's side */
    uint32_t pid;
    uint32_t devices;
    uint32_t sms[SM_WIRE_DEVICES];
};

struct sm_wire_register {
    uint16_t addr; /**< word address on the device's bus */
    uint16_t write;
    uint32_t value;
};

struct sm_wire_launch {
    uint64_t number; /**< of the process, from 1; 0: there was none yet */
    uint32_t runs;   /**< it has yet to end */
    uint32_t device;
    uint32_t block[3], grid[3];
};

enum { SM_WIRE_MOST_WAITERS = 64 };

/** Lanes of a warp that are not enabled, and where they go on. Innermost first. */
struct sm_wire_waiters {
    uint64_t pc;
    uint32_t lanes, reserved;
};

struct sm_wire_warp {
    uint64_t id; /**< no other warp of the process has it or had it */
    uint64_t pc;
    uint32_t present, steps, active, index;
    uint32_t block[3];
    uint32_t lanes; /**< that made the error */
    uint32_t kind;  /**< of its error, enum wt_fault_kind; SM_WIRE_FAULT has all of it */
    uint32_t reserved;
    uint64_t error_pc;
};

enum sm_wire_access { SM_ACCESS_WRITE, SM_ACCESS_READ, SM_ACCESS_ANY, SM_ACCESSES };

/** Memory that is watched. */
struct sm_wire_watch {
    uint32_t kind; /**< enum sm_wire_access */
    uint32_t warp; /**< of the device: shared memory is that of its block */
    uint64_t addr; /**< generic */
    uint64_t size; /**< bytes, 1 or more */
};

/** A lane's access to watched memory, which has been done. Local memory is told by its address in
 * global memory. */
struct sm_wire_hit {
    uint64_t id; /**< of the warp that has done it: another one may come into its slot */
    uint64_t pc; /**< of the instruction */
    uint64_t addr;
    uint32_t warp, lane;
    uint32_t kind; /**< enum sm_wire_access; ANY: an atomic, which does both */
    uint32_t size; /**< of the access, 1 to 16 bytes; it may be wider than what is watched */
    uint8_t before[16], after[16];
};

struct sm_wire_module {
    uint64_t id; /**< never used again */
    uint64_t code, data;
    uint32_t device;
    uint32_t texts;    /**< of PTX */
    uint32_t is_cubin; /**< it has one text, the cubin */
    uint32_t reserved;
};

/** Writes what people call text @p i of a module of PTX with @p texts of them. */
static inline void sm_wire_text_name(char *name, size_t size, uint64_t module, uint32_t i,
                                     uint32_t texts)
{
    if (texts == 1)
        snprintf(name, size, "PTX module %llu", (unsigned long long)module);
    else
        snprintf(name, size, "PTX module %llu, object %u", (unsigned long long)module, (unsigned)i);
}

/**
 * Whether a request is well-formed: its kind and lane exist, and its size is at most SM_WIRE_MOST.
 */
static inline bool sm_wire_sound(const struct sm_wire_request *request)
{
    return request->kind < SM_WIRE_KINDS && request->size <= SM_WIRE_MOST &&
           request->lane < WT_MAX_LANES;
}

/** The number of bytes that follow a request. */
static inline size_t sm_wire_follows(const struct sm_wire_request *request)
{
    switch (request->kind) {
    case SM_WIRE_WRITE:
    case SM_WIRE_REGISTERS:
    case SM_WIRE_CORE:
    case SM_WIRE_WATCH:
    case SM_WIRE_HISTORY:
        return request->size;
    case SM_WIRE_WRITE_ROW:
        return SM_WIRE_ROW;
    default:
        return 0;
    }
}

#endif
