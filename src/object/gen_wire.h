/*
 * Messages between a debugger and the emulated i915 driver in a host process, over a Unix socket of
 * the process's own: registers of the GPU's debug hardware, memory, and the kernels that the
 * program runs. Both ends are of one machine and one version of this program: structs go as they
 * are, after a greeting that says so. A debugger sends a request and its bytes, the process an
 * answer and its bytes.
 */
#ifndef WT_OBJECT_GEN_WIRE_H
#define WT_OBJECT_GEN_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The kind of the socket (base/private_dir.h). */
#define GEN_WIRE_SOCKET "gen9"
#define GEN_WIRE_MAGIC 0x39394757u /* "WG99" */
#define GEN_WIRE_MOST (1u << 20)   /* bytes that follow a request or an answer */
#define GEN_WIRE_WAIT_MS 100u      /* the longest wait for an event */
#define GEN_WIRE_NAME 120          /* bytes of a name, its zero included */
#define GEN_WIRE_GPUS 8u           /* the most that a process has */
#define GEN_WIRE_THREADS 56u       /* of a subslice */

/**
 * GPUs have an address space each. Where there are several, the member `device` of a message says
 * to which GPU its address belongs. The debugger marks code addresses of GPU n: it puts n + 1 into
 * the bits from GEN_WIRE_GPU_BIT on.
 */
#define GEN_WIRE_GPU_BIT 52

/** What the file of source text N, from 1, is called in debug information. There is no such file:
 * GEN_WIRE_SOURCE gives the text. */
#define GEN_WIRE_SOURCE_PATH "/opencl/program-%u.cl"

enum gen_wire_kind {
    GEN_WIRE_HELLO,          /**< answered by a struct gen_wire_hello */
    GEN_WIRE_DEBUG,          /**< the debug support of all GPUs' driver is wanted, until the
                                debugger goes */
    GEN_WIRE_REGISTER_READ,  /**< addr: an offset in the GPU's registers; answered in value */
    GEN_WIRE_REGISTER_WRITE, /**< addr; value */
    GEN_WIRE_READ,           /**< thread, addr, size: answered by the bytes, or -EFAULT */
    GEN_WIRE_WRITE,          /**< thread, addr, size, followed by the bytes; or -EFAULT */
    GEN_WIRE_EVENT,      /**< waits up to value milliseconds for an attention of any GPU; the result
                            is a set of enum gen_wire_happened; value: the state of the list of
                            kernels */
    GEN_WIRE_CODE_KNOWN, /**< value: the state of that list that is known; walks wait while it
                            is another one */
    GEN_WIRE_KERNELS,    /**< answered by struct gen_wire_kernel, as many as there are, up to
                            GEN_WIRE_MOST bytes */
    GEN_WIRE_ELF,        /**< addr: a kernel's number; value: offset; size: answered by as many
                            bytes of its ELF file, fewer at its end */
    GEN_WIRE_SOURCE,     /**< addr: a source's number, from 1; likewise; -ENOENT: there is none
                          */
    GEN_WIRE_WATCH,      /**< size, followed by struct gen_wire_watch: memory that is watched
                            from now on. -ENOMEM */
    GEN_WIRE_WATCHED,    /**< size: answered by struct gen_wire_hit, the oldest that were not
                            given yet, in at most so many bytes */
    GEN_WIRE_CORE,       /**< size, followed by a struct wt_core_wire and its breakpoints
                            (object/core_wire.h): the GPU's state goes to a core file. A negative
                            result is followed by a sentence for people */
    GEN_WIRE_FAULT,      /**< answered by the struct wt_fault for which the walk waits, or by
                            nothing */
    GEN_WIRE_RETRY,      /**< when the walk goes on, its instruction is tried again; a fault that
                            comes again at once ends the walk */
    GEN_WIRE_RECORD, /**< value: bytes of host memory for recording kernels; 0: none are. -ENOMEM */
    GEN_WIRE_TIME,   /**< answered in value: the issue time of the GPU */
    GEN_WIRE_HISTORY,    /**< addr, value, size: a struct wt_travel_request (object/travel_wire.h)
                            about what is recorded now; answered in value and the result. A negative
                            result is followed by a sentence for people */
    GEN_WIRE_FINAL,      /**< memory is to be there for the debugger when the process ends */
    GEN_WIRE_FINAL_NEXT, /**< addr: answered as object/final_wire.h has it */
    GEN_WIRE_WAITS,      /**< thread, value: its id: answered by a struct wt_wave_view; -ENOENT: it
                            has left the slot */
    GEN_WIRE_KINDS,
};

enum gen_wire_happened {
    GEN_WIRE_ATTENTION = 1, /**< a thread has entered the system routine */
    GEN_WIRE_FAULTED = 4,   /**< the walk waits for a fault of the program */
    GEN_WIRE_CODE = 2,      /**< the list of kernels has another state than the known one */
};

/**
 * An answer's result: the process says of its own accord, or instead of an answer, that it ends
 * with status value; or (closed) that it goes on without its GPUs. Nothing follows. After
 * GEN_WIRE_FINAL it answers yet when it ends, for some seconds or until the debugger closes the
 * connection.
 */
#define GEN_WIRE_ENDED INT32_MIN

struct gen_wire_request {
    uint32_t kind;   /**< enum gen_wire_kind */
    uint32_t size;   /**< bytes asked for, or that follow */
    uint32_t thread; /**< of the GPU: whose memory */
    uint32_t device; /**< which of the process's GPUs, from 0 */
    uint64_t addr, value;
};

struct gen_wire_answer {
    int32_t result; /**< 0 or more; or a negative errno */
    uint32_t size;  /**< bytes that follow */
    uint32_t closed, reserved;
    uint64_t value;
};

struct gen_wire_hello {
    uint32_t magic;
    uint32_t request_bytes; /**< sizeof(struct gen_wire_request) of the process's side */
    uint32_t pid;
    uint32_t gpus;                     /**< 1 to GEN_WIRE_GPUS */
    uint32_t subslices[GEN_WIRE_GPUS]; /**< of each */
    uint64_t saved, slm, file;         /**< struct wt_gen_info */
};

/** A kernel that has run, or is about to. */
struct gen_wire_kernel {
    uint64_t number;    /**< from 1; never another one's */
    uint64_t address;   /**< of its first instruction */
    uint64_t code_size; /**< bytes */
    uint64_t elf_size;  /**< of its ELF file with debug information; 0: there is none */
    uint32_t device;    /**< in whose memory it is */
    uint32_t reserved;
    char name[GEN_WIRE_NAME];
};

enum gen_wire_watched { GEN_WATCH_WRITE, GEN_WATCH_READ, GEN_WATCH_ACCESS, GEN_WATCH_KINDS };

/** Memory as a thread sees it. */
struct gen_wire_watch {
    uint32_t kind; /**< enum gen_wire_watched */
    uint32_t thread;
    uint64_t addr, size;
};

/** A thread has accessed watched memory, and has entered the system routine behind the instruction.
 * Each channel's access is one. */
struct gen_wire_hit {
    uint64_t id; /**< of the thread that has done it: another one may come into its slot */
    uint32_t thread;
    uint32_t lanes;   /**< channels that have done it */
    uint32_t kind;    /**< enum gen_wire_watched: of the access */
    uint32_t changed; /**< not 0: it has changed the memory */
    uint64_t pc, addr, size;
};

/** Whether a request is well-formed: its kind exists, and its size is at most GEN_WIRE_MOST. */
static inline bool gen_wire_sound(const struct gen_wire_request *request)
{
    return request->kind < GEN_WIRE_KINDS && request->size <= GEN_WIRE_MOST;
}

/** The number of bytes that follow a request. */
static inline size_t gen_wire_follows(const struct gen_wire_request *request)
{
    return request->kind == GEN_WIRE_WRITE || request->kind == GEN_WIRE_WATCH ||
                   request->kind == GEN_WIRE_CORE || request->kind == GEN_WIRE_HISTORY
               ? request->size
               : 0;
}

#endif
