/*
 * The drop-in host library of Vortex (libvortex.so): what its files share. GPUs live as long as the
 * process. Whoever uses a GPU's machine has the turn (gpu_enter), and within that the gate.
 * Handles, allocations, queues and events have a lock of their own (state_lock), which is taken
 * last. One thread (queue.c) runs the commands of all queues.
 */
#ifndef WT_RUNTIME_VORTEX_INTERNAL_H
#define WT_RUNTIME_VORTEX_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/object_view.h"
#include "check/objects.h"
#include "emulator/translate/rows.h"
#include "emulator/vortex/host.h"
#include "emulator/vortex/profile.h"
#include "object/image.h"
#include "object/process_wire.h"
#include "object/vortex_wire.h"
#include "runtime/common/call_log.h"
#include "runtime/common/gate.h"
#include "runtime/common/host_core.h"
#include "runtime/common/hosted.h"
#define VORTEX_API 0 /* declares the functions whose parameters differ */
#include "runtime/vortex/vortex.h"
#include "base/error.h"

enum {
    MOST_GPUS = WT_WIRE_DEVICES,
    MEMORY_FIRST = 0x10000, /* the first address of the allocator */
    MEMORY_ALIGNMENT = 4096,
    STACK_LOG2_SIZE = 13,
    MEMORY_FLAGS = VX_MEM_READ_WRITE | VX_MEM_PIN_MEMORY | VX_MEM_PHYS | VX_MEM_HOST,
};

/** A kernel's file that was uploaded. */
struct program {
    uint64_t id;    /**< the process's; 0: the buffer has no program */
    char *path;     /**< whole; NULL: it came as bytes */
    char *elf;      /**< the ELF file beside it, from which lines come; NULL: there is none */
    uint64_t entry; /**< entry of the first instruction */
    uint64_t
        threads; /**< where its thread-local variables begin, an object of their own; 0: nowhere */
};

struct buffer {
    struct buffer *next; /**< next of the GPU, by address */
    struct gpu *gpu;
    void *handle;
    unsigned refs; /**< refs of the program; 0: the handle has ended */
    unsigned uses; /**< uses of commands and modules. Both 0: it goes */
    bool staged; /**< no allocation of the program's: arguments of a launch; a program that a driver
                    has found */
    uint64_t addr, size;
    struct program program;
    /** The part that is mapped, of `mapped_size` bytes; NULL: none. */
    void *mapped;
    uint64_t mapped_offset, mapped_size;
    uint32_t mapped_flags;
};

/** A program that was loaded by vx_module_load_…. */
struct module {
    struct gpu *gpu;
    struct buffer *image;
    void *handle;
    unsigned refs, uses; /**< as a buffer's */
    struct wt_image_kernel *kernel;
    size_t kernels;
};

struct kernel {
    struct module *module;
    void *handle;
    unsigned refs, uses;
    uint64_t addr;
    char name[256];
};

/** A call of the program. */
struct call {
    const char *name;           /**< name of the function; NULL: none */
    uint64_t number;            /**< number of the process's, from 1 */
    struct wt_call_stack calls; /**< calls of the host, where they were taken */
};

/** The host's writes to a device's memory, while a debugger is there or awaited. */
struct host_writes {
    struct wt_host_write *list; /**< by time */
    size_t count, room;
    bool lost; /**< there were others before */
};

struct gpu {
    WT_HOSTED; /* first */
    struct vx_config config;
    struct vx_device *device;
    unsigned number;
    struct wt_core_on_fault on_fault;
    struct wt_planted_list own_planted;
    /* under state_lock */
    struct buffer *buffers;
    uint64_t in_use;
    uint64_t programs; /**< states of the list of programs so far */
    unsigned opened;
    void *handle;       /**< NULL: it is not open */
    bool startup_given; /**< the program has written STARTUP_ADDR itself */
    /* of who has the turn */
    atomic_bool started;   /**< a kernel was, and has not ended */
    char kernel_name[256]; /**< kernel name of the latest one */
    bool ran;              /**< one has begun */
    bool begun;            /**< it has issued */
    bool lost;             /**< the latest kernel has ended by a fault */
    struct wt_order
        *order;            /**< order of the queues that the latest kernel belongs to; NULL: none */
    uint64_t slice;        /**< issues that the debugger lets it run at most */
    enum wt_run came_back; /**< why it stands, for the debugger */
    uint64_t began;        /**< issue time when the latest kernel began */
    uint64_t cycles;       /**< issues of the latest kernel */
    struct wt_rows_totals translated; /**< as it was last counted */
    bool printed;
    struct host_writes writes;
};

/* ---- call.c: how functions of the library are written ---- */

/**
 * Begins a function of 2.x: API(name, format, (TYPE, NAME)…) { body }. The
 * body returns an enum vx_result, and says in `err` why it is not VX_SUCCESS. With --log-calls each
 * call is logged with its values.
 */
#define API(name, format, ...)                                                                     \
    static enum vx_result do_##name(struct wt_error *err, CALL_PARAMETERS(__VA_ARGS__));           \
    EXPORT int name(CALL_PARAMETERS(__VA_ARGS__))                                                  \
    {                                                                                              \
        struct wt_error err_ = {.text = ""};                                                       \
        call_begin(#name);                                                                         \
        const enum vx_result result_ = do_##name(&err_, CALL_NAMES(__VA_ARGS__));                  \
        if (result_ || call_logged())                                                              \
            call_done(#name, result_, &err_, format CALL_VALUES(__VA_ARGS__));                     \
        return result_ ? -1 : 0;                                                                   \
    }                                                                                              \
    static enum vx_result do_##name(struct wt_error *err, CALL_PARAMETERS(__VA_ARGS__))

/** Likewise of 3.0, whose functions return the result itself. */
#define API3(name, format, ...)                                                                    \
    static vx_result_t do_##name(struct wt_error *err, CALL_PARAMETERS(__VA_ARGS__));              \
    EXPORT vx_result_t name(CALL_PARAMETERS(__VA_ARGS__))                                          \
    {                                                                                              \
        struct wt_error err_ = {.text = ""};                                                       \
        call_begin(#name);                                                                         \
        const vx_result_t result_ = do_##name(&err_, CALL_NAMES(__VA_ARGS__));                     \
        if (result_ || call_logged())                                                              \
            call_done(#name, result_, &err_, format CALL_VALUES(__VA_ARGS__));                     \
        return result_;                                                                            \
    }                                                                                              \
    static vx_result_t do_##name(struct wt_error *err, CALL_PARAMETERS(__VA_ARGS__))

/* ---- writes.c ---- */

/** Notes that the thread calls a function of the library. */
void call_begin(const char *name);
/** Copies the thread's call, with the calls of the host where a debugger wants to know. */
void call_take(struct call *call);
/** What the thread does from now on, it does for this call. */
void call_resume(const struct call *call);
/** Notes that the call writes memory of the device. Entered. */
void writes_note(struct gpu *g, uint64_t addr, uint64_t size);
/** Lists writes as VORTEX_WIRE_WRITES has it; *more: there are, or were, others before. Entered. */
size_t writes_list(const struct gpu *g, const struct wt_wire_request *r,
                   const struct vortex_wire_writes *asked, struct wt_host_write *list, bool *more);

/** Logs a call, and tells checks of one that has failed. The values are formatted as by printf. */
void call_done(const char *name, enum vx_result result, const struct wt_error *err,
               const char *format, ...) __attribute__((format(printf, 4, 5)));
/** Says why a function fails, in a sentence; returns @p result. */
enum vx_result call_fail(struct wt_error *err, enum vx_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** The name of a result; of any other number, too. */
const char *call_result_name(enum vx_result result);
/** The result for a status of ours, whose sentence is there. */
enum vx_result call_result(enum wt_status status);

/* ---- handles.c ---- */

enum handle_kind {
    HANDLE_FREE,
    HANDLE_DEVICE,
    HANDLE_BUFFER,
    HANDLE_MODULE,
    HANDLE_KERNEL,
    HANDLE_QUEUE,
    HANDLE_EVENT
};

/** Takes the lock of handles and allocations. */
void state_lock(void);
/** Gives it back. */
void state_unlock(void);
/** A handle that was never given before; NULL without host memory. Locked. */
void *handle_new(enum handle_kind kind, void *object);
/** The object of a handle; NULL: it is no handle of that kind, or none any longer. Locked. */
void *handle_get(enum handle_kind kind, const void *handle);
/** Ends a handle, which is one. Locked. */
void handle_end(const void *handle);
/** Waits for state_changed(), until a time of the monotonic clock; false: it is over. Locked. */
bool state_wait(uint64_t until_ns);
/** Wakes all who wait. Locked. */
void state_changed(void);
/** As handle_get, with a sentence where it is none. Locked. */
void *handle_need(enum handle_kind kind, const void *handle, struct wt_error *err);

/** A function of 3.0 that counts one more holder of what a handle stands for. */
#define RETAINS(name, type, kind, object, count)                                                   \
    API3(name, "%p", (type, handle))                                                               \
    {                                                                                              \
        state_lock();                                                                              \
        object *held = handle_need(kind, handle, err);                                             \
        if (held)                                                                                  \
            held->count++;                                                                         \
        state_unlock();                                                                            \
        return held ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;                                          \
    }

/* ---- gpu.c ---- */

/** How many GPUs the process has; 0 before gpus_open(). */
unsigned gpu_count(void);
/** Adds a GPU that was made. */
void gpu_add(struct gpu *g);
/** Forgets them: not all could be made. */
void gpus_none(void);
/** GPU @p number, below gpu_count(). */
struct gpu *gpu_at(unsigned number);
/** The GPU of a device's handle; NULL, and a sentence: it is none. */
struct gpu *gpu_of(const void *handle, struct wt_error *err);
/** Whose turn it is to use GPUs: the program's or its debugger's. */
struct wt_gate *gpu_gate(void);
/** The memory that kernels leave. */
struct wt_final_memory *gpu_final(void);
/** Reads memory of the device without the debugger's breakpoints, between gpu_enter and gpu_leave;
 * false: it has none there. */
bool gpu_read(struct gpu *g, uint64_t addr, void *to, uint64_t size);
/** Writes it. */
bool gpu_write(struct gpu *g, uint64_t addr, const void *from, uint64_t size);
/** Copies device memory; the GPU is entered. False: no host memory. */
bool gpu_copy(struct gpu *g, uint64_t to, uint64_t from, uint64_t size);
/** Does something to the machine (emulator/vortex/host.h); false: it makes no sense. */
bool gpu_do(struct gpu *g, wt_input_operation operation, const void *bytes, size_t size);
/** Writes a device configuration register; false: there is none. */
bool gpu_write_dcr(struct gpu *g, uint32_t addr, uint32_t value);
/** Reads a device configuration register; false: there is none. @p tag: of MPM_VALUE, which counter
 * of which core, else it counts for nothing. Entered. */
bool gpu_read_dcr(struct gpu *g, uint32_t addr, uint32_t tag, uint32_t *value);
/** Numbers of counters are those of CSRs. */
enum { VX_COUNTER_CYCLE = 0xb00, VX_COUNTER_INSTRET = 0xb02, VX_COUNTER_LAST = 0xb1f };
/** A counter of a core: issue time of the latest kernel, instructions; others are 0. */
uint64_t gpu_counter(const struct gpu *g, uint32_t counter, uint32_t core);
/** The instruction set as VX_CAPS_ISA_FLAGS of 2.x has it. */
uint64_t gpu_isa_flags(const struct gpu *g);
/** Writes a register by its meaning, and which of x, y and z it is. */
void gpu_set_dcr(struct gpu *g, enum vx_dcr dcr, uint32_t axis, uint32_t value);
/** Writes the two halves of an address, whose first is @p low. */
void gpu_set_address(struct gpu *g, enum vx_dcr low, uint64_t value);
/** Notes that the program writes a register itself. Locked. */
void gpu_note_dcr(struct gpu *g, uint32_t addr);
/** The end of the memory that buffers may have. */
uint64_t gpu_memory_end(const struct gpu *g);

/** The buffer of a program that covers an address; NULL: none does. Locked. */
struct buffer *buffer_of_code(const struct gpu *g, uint64_t addr);

/* ---- memory.c ---- */

/**
 * Makes a buffer at a free place, or (@p fixed) at @p addr, by function @p by. *buffer is listed,
 * and has a handle.
 */
enum vx_result buffer_new(struct gpu *g, bool fixed, uint64_t addr, uint64_t size, int flags,
                          const char *by, struct buffer **buffer, struct wt_error *err);
/** Gives a holder's share of a buffer back, by its handle. */
enum vx_result buffer_end(const void *handle, const char *by, struct wt_error *err);
/** Has somebody of ours use a buffer. Locked. */
void buffer_use(struct buffer *b);
/** Ends that. Not locked. */
void buffer_unuse(struct buffer *b, const char *by);
/** Where the arguments of a launch are: a buffer that buffer_unuse ends. */
enum vx_result buffer_stage(struct gpu *g, uint64_t size, struct buffer **buffer,
                            struct wt_error *err);
/** Whether a part is one of a buffer. */
enum vx_result part_check(const struct buffer *b, uint64_t offset, uint64_t size,
                          struct wt_error *err);
/** A part of a buffer: its GPU and address. The buffer may be freed later. */
struct part {
    struct gpu *gpu;
    uint64_t addr, size;
    uint64_t whole; /**< bytes of the buffer */
};
/** Finds @p size bytes at an offset of a buffer. */
enum vx_result buffer_part(const void *handle, uint64_t offset, uint64_t size, struct part *part,
                           struct wt_error *err);
/** Frees all buffers of a device that is closed: they were leaked. */
void buffers_end(struct gpu *g);

/* ---- run.c ---- */

/** Takes the GPU for work of the program's: a kernel that was started ends first. */
void gpu_enter(struct gpu *g);
/** Gives the GPU back. */
void gpu_leave(struct gpu *g);

/** Takes the turn alone, and lets a kernel that was started be. */
void turn_take(void);
/** Gives it back. */
void turn_give(void);
/** Begins a kernel, or goes on with it, for at most @p ms milliseconds. The caller has the turn. */
enum vx_result run_kernel(struct gpu *g, uint64_t ms, struct wt_error *err);
/** Notes that a kernel is started, under its name. Entered. */
void start_kernel(struct gpu *g, const char *name);
/** Runs the kernel that was started to its end, and gives the GPU back as gpu_leave does. */
enum vx_result gpu_run_and_leave(struct gpu *g, struct wt_error *err);

/* ---- open.c ---- */

/** Opens the GPUs of WAVETRAP_VORTEX_GPUS, once for the process. */
enum vx_result gpus_open(struct wt_error *err);
/** Makes a GPU that has run nothing yet one of Vortex 3.0, unless its configuration names a
 * profile; false: it has run kernels of 2.x. */
bool gpu_become_later(struct gpu *g);

/* ---- version.c, or plugin_config.c in the library that is a driver of another libvortex.so ----
 */

/** Completes the configuration of a GPU that is to be made: by the program's version of Vortex. */
enum wt_status door_configure(struct gpu *g, struct wt_error *err);

/* ---- plugin_config.c ---- */

/** GPU_DEV_CAPS of a GPU, as the command processor has it. */
uint64_t plugin_caps(const struct vx_config *config);

/* ---- plugin_program.c ---- */

/** Finds the program of which @p startup is the first instruction, for reports and debuggers.
 * Entered. */
void plugin_program_find(struct gpu *g, uint64_t startup);
/** Forgets it. Entered. */
void plugin_program_forget(struct gpu *g);

/* ---- version.c ---- */

/** Whether the signatures of 3.0 hold, else those of 2.x. */
bool version_is_later(void);

/* ---- program.c ---- */

/** Uploads a .vxbin file for function @p by: *buffer holds it. @p image NULL, or it becomes what
 * was read. */
enum vx_result program_load(struct gpu *g, const char *by, const char *path, const uint8_t *bytes,
                            size_t size, struct wt_image *image, struct buffer **buffer,
                            struct wt_error *err);
/** Reads a file whole; its bytes are freed by the caller. */
enum vx_result program_read(const char *by, const char *path, uint8_t **bytes, size_t *size,
                            struct wt_error *err);

/* ---- legacy.c: what functions of 2.x and 3.0 have in common ---- */

/** Opens a GPU by its number. */
enum vx_result device_open(unsigned index, vx_device_h *device, struct wt_error *err);
/** Takes one from those who have opened it. */
enum vx_result device_close(vx_device_h device, struct wt_error *err);
/** Tells a capability. */
enum vx_result device_caps(vx_device_h device, uint32_t id, uint64_t *value, struct wt_error *err);
/** Tells what memory is free and in use. */
enum vx_result device_memory(vx_device_h device, uint64_t *free, uint64_t *used,
                             struct wt_error *err);
/** Prints counters. */
enum vx_result device_perf(vx_device_h device, FILE *out, struct wt_error *err);
/** Tells a counter. */
enum vx_result device_counter(vx_device_h device, uint32_t counter, uint32_t core, uint64_t *value,
                              struct wt_error *err);
/** Tells grid and block. */
enum vx_result device_grid(vx_device_h device, uint32_t ndim, const uint32_t *global_dim,
                           uint32_t *grid_dim, uint32_t *block_dim, struct wt_error *err);
/** Allocates a buffer, for function @p by. */
enum vx_result device_allocate(const void *device, bool fixed, uint64_t addr, uint64_t size,
                               int flags, const char *by, vx_buffer_h *buffer,
                               struct wt_error *err);
/** Sets how kernels access a part. */
enum vx_result device_access(vx_buffer_h buffer, uint64_t offset, uint64_t size, int flags,
                             struct wt_error *err);
/** Tells a buffer's address. */
enum vx_result buffer_where(vx_buffer_h buffer, uint64_t *address, struct wt_error *err);

/* ---- report.c ---- */

/** Reports the machine's fault on stderr, and leaves a core file where one is wanted. */
void report_fault(struct gpu *g);
/** Tells where the waves are, and ends the process: Ctrl-C, or its time is over. */
_Noreturn void report_interrupted(struct gpu *g);

/* ---- endpoint.c ---- */

/** Listens for debuggers. */
void endpoint_start(void);
/** Says what tells debuggers of the program's queues, in lines: commands in order, what they wait
 * for, and who waits for them; or (`launches`) of the launches that have not begun. */
void endpoint_queues_by(void (*tell)(bool launches, FILE *out));
extern const struct wt_host_core_ops vortex_core_ops;
extern const struct wt_recording_ops vortex_recording_ops;

#endif
