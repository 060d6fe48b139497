/*
 * Messages between a debugger and the emulated driver in a host process, over a Unix socket of the
 * process's own: one protocol for all families. A debugger sends a request and its bytes, the
 * process an answer and its bytes. Verbs below WT_WIRE_COMMON mean the same for all families; each
 * family has a range of its own behind them (object/kfd_wire.h is an example). Both ends are of one
 * version of this program and of one byte order: structs are sent as they lie in memory. A
 * struct wt_wire_greeting of each side comes before all else, the debugger's first.
 */
#ifndef WT_OBJECT_PROCESS_WIRE_H
#define WT_OBJECT_PROCESS_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lanes.h"
#include "object/watch_wire.h"

#define WT_WIRE_MAGIC 0x50575457u /* "WTWP" */
#define WT_WIRE_VERSION 12u
#define WT_WIRE_MOST (1u << 20) /* bytes that follow a request or an answer */
#define WT_WIRE_WAIT_MS 100u    /* the longest wait for an event */
#define WT_WIRE_DEVICES 16u     /* the most that a process has */
#define WT_WIRE_TOKEN 32u       /* bytes of a token */

enum wt_wire_verb {
    WT_WIRE_HELLO, /**< answered by a struct wt_wire_hello, and in value[0] by the state of the list
                      of code; 0: it is being changed, or there is none */
    WT_WIRE_ATTACH,     /**< a debugger has come to stay, not one that only looks */
    WT_WIRE_EVENT,      /**< value: waits so many milliseconds at most; the result is a set of enum
                           wt_wire_happened, value[0] the state of the list of code */
    WT_WIRE_CODE_KNOWN, /**< value: the state of the list of code that is known; launches wait while
                           it is another one */
    WT_WIRE_READ,       /**< wave, lane, addr, size: answered by the bytes; -EFAULT */
    WT_WIRE_WRITE,      /**< wave, lane, addr, followed by the bytes; -EFAULT */
    WT_WIRE_REGISTERS, /**< followed by struct wt_wire_register; answered by the same, with what was
                          read */
    WT_WIRE_WATCH,     /**< followed by struct wt_wire_watch: memory that is watched from now on,
                          instead of what was; -ENOMEM, -EBUSY */
    WT_WIRE_HOME,  /**< wave, value: its id, addr: answered in value[0] by a number of the memory
                      that the wave has there, which no other group's has; 0: it is the same memory
                      for all waves; -ENOENT: the wave has left the slot */
    WT_WIRE_HITS,  /**< size: answered by struct wt_wire_hit, in at most so many bytes: accesses to
                      watched memory, the oldest that were not given yet */
    WT_WIRE_WAITS, /**< wave, value: its id: answered by a struct wt_wave_view, then by what the
                      family has about it; -ENOENT: it has left the slot */
    WT_WIRE_FAULT, /**< likewise: answered by the struct wt_fault for which the wave stands where it
                      is; -ENOENT */
    WT_WIRE_OBJECTS, /**< addr: answered by struct wt_object_view (base/object_view.h): the memory
                        objects of the program there, or around it */
    WT_WIRE_DEFINED, /**< wave, followed by struct wt_defined_request (base/defined_view.h):
                        answered by struct wt_defined_view */
    WT_WIRE_RECORD,  /**< value: bytes of host memory for recording kernels; 0: none are. -ENOMEM */
    WT_WIRE_TIME,    /**< answered in value[0]: the issue time of the device */
    WT_WIRE_HISTORY, /**< number, value: a struct wt_travel_request (object/travel_wire.h), with
                        what follows it; answered in the result and value[0]. A negative result is
                        followed by a sentence for people */
    WT_WIRE_CORE,    /**< followed by a struct wt_core_wire and its breakpoints
                        (object/core_wire.h): the device's state goes to a core file. A negative
                        result is followed by a sentence for people */
    WT_WIRE_FINAL,   /**< memory is to be there for the debugger when the process ends */
    WT_WIRE_FINAL_NEXT, /**< addr: answered as object/final_wire.h has it */
    WT_WIRE_GATHER,     /**< number: reads so many pieces of memory; followed by struct
                           wt_wire_piece; answered by the same, then by the bytes of all: of those
                           that are absent, too */
    WT_WIRE_SCATTER,    /**< likewise, followed by the pieces and then the bytes to be written;
                           answered by the pieces */
    WT_WIRE_STATE, /**< wave, value: its id: answered in value[0] by a hash of what the wave's next
                      instructions depend on but memory and clocks; -ENOENT */
    WT_WIRE_LIVE,  /**< followed by struct wt_wire_live (object/live_wire.h), each with its code:
                      breakpoints that the process itself judges from now on, instead of those
                      before */
    WT_WIRE_ARRIVED,   /**< wave, value: its id, addr: answered by struct wt_wire_arrived, once;
                          -ENOENT: the wave has not halted there for the breakpoint's code */
    WT_WIRE_LIVE_NEWS, /**< answered by struct wt_wire_live_news and what follows it; value[0]:
                          there is more */
    WT_WIRE_STANDING, /**< answered by lines of text: the program's queues, what their commands wait
                         for, and who waits for them; value not 0: only launches that have not
                         begun. -ENOSYS: the family queues nothing */
    WT_WIRE_COMMON,
};

/**
 * A family is known by a number: its range of verbs begins there, and the tally of `exec`
 * (runtime/common/tally.h) has a place for it. @p n is 1 to WT_WIRE_FAMILIES, and of one family
 * only. The family's own header names its number.
 */
#define WT_WIRE_FAMILY(n) (0x100 * (n))
#define WT_WIRE_FAMILIES 15

enum wt_wire_happened {
    WT_WIRE_STOPPED = 1, /**< the debug hardware has something to report */
    WT_WIRE_CODE = 2,    /**< the list of code has another state than the known one */
    WT_WIRE_FAULTED = 4, /**< a kernel waits for a fault of the program */
    WT_WIRE_NEWS = 8,    /**< there is something for WT_WIRE_LIVE_NEWS */
};

/**
 * An answer's result: the process says of its own accord, or instead of an answer, that it ends
 * with status value[0]; or (value[1] not 0) that it goes on without its GPUs. Nothing follows.
 * After WT_WIRE_FINAL it still answers when it ends, for some seconds or until the debugger closes
 * the connection.
 */
#define WT_WIRE_ENDED INT32_MIN

struct wt_wire_request {
    uint32_t verb;    /**< enum wt_wire_verb, or one of the family's */
    uint32_t follows; /**< bytes that follow */
    uint32_t size;    /**< bytes that are asked for */
    uint32_t device;  /**< which of the process's GPUs, from 0 */
    uint32_t wave;    /**< its slot */
    uint32_t lane;
    uint32_t number;
    uint32_t lanes;
    uint64_t addr, value;
};

struct wt_wire_answer {
    int32_t result; /**< 0 or more; or a negative errno */
    uint32_t size;  /**< bytes that follow */
    uint64_t value[2];
};

/**
 * The greeting, which each side sends first. This struct is the same in all versions from 2 on. A
 * connection that begins with another magic is closed without a word. To a debugger of another
 * version or other sizes the process answers with its own greeting, then closes.
 */
struct wt_wire_greeting {
    uint32_t magic, version;
    uint32_t request_bytes, answer_bytes; /**< sizeof of the structs of this side */
    uint32_t family;                      /**< WT_WIRE_FAMILY(): the first verb of its range */
    uint32_t pid;                         /**< this side's, as it knows itself */
    int32_t result;                       /**< the process's: 0; -EBUSY: it has a debugger */
    uint32_t reserved;
    uint8_t
        token[WT_WIRE_TOKEN]; /**< the debugger's, at an address that wants one (base/token.h) */
};

struct wt_wire_hello {
    uint32_t devices; /**< up to WT_WIRE_DEVICES */
    uint32_t reserved;
    uint32_t
        units[WT_WIRE_DEVICES]; /**< units of each device, in the family's measure; 0: not told */
    uint64_t place[4];          /**< addresses, as the family has them */
};

/** Follow the view of a wave (WT_WIRE_WAITS), of families whose machines tell where lanes wait that
 * are not enabled: where those go on, innermost first, WT_MAX_LANES at most. */
struct wt_wire_waiters {
    uint64_t pc;
    uint64_t lanes[2]; /**< the lower ones first */
};

/** A piece of memory as the wave in a slot sees it, in its first lane. */
struct wt_wire_piece {
    uint64_t addr;
    uint32_t wave;
    uint32_t size; /**< in an answer, 0: there is no such memory */
};

/** A register of a device's debug hardware. */
struct wt_wire_register {
    uint32_t addr; /**< on the device's register bus, in words */
    uint32_t write;
    uint32_t value;
};

/** This version's greeting, of a side with GPUs of @p family. */
static inline struct wt_wire_greeting wt_wire_greeting(uint32_t family, uint32_t pid)
{
    return (struct wt_wire_greeting){.magic = WT_WIRE_MAGIC,
                                     .version = WT_WIRE_VERSION,
                                     .request_bytes = sizeof(struct wt_wire_request),
                                     .answer_bytes = sizeof(struct wt_wire_answer),
                                     .family = family,
                                     .pid = pid};
}

/** Whether two sides that greet each other so understand each other. */
static inline bool wt_wire_agree(const struct wt_wire_greeting *one,
                                 const struct wt_wire_greeting *other)
{
    return one->magic == other->magic && one->version == other->version &&
           one->request_bytes == other->request_bytes && one->answer_bytes == other->answer_bytes;
}

/** Whether a request's numbers are in their ranges. */
static inline bool wt_wire_sound(const struct wt_wire_request *request)
{
    return request->follows <= WT_WIRE_MOST && request->size <= WT_WIRE_MOST &&
           request->lane < WT_MAX_LANES;
}

#endif
