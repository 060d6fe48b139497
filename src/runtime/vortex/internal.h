/*
 * The drop-in host library of Vortex (libvortex.so): what its files share. GPUs live as long as the
 * process. Whoever uses a GPU's machine holds its `turn`, and within that the gate; the list of
 * handles and the allocations have a lock of their own (state_lock), which is taken last.
 */
#ifndef WT_RUNTIME_VORTEX_INTERNAL_H
#define WT_RUNTIME_VORTEX_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emulator/vortex/host.h"
#include "object/process_wire.h"
#include "runtime/common/gate.h"
#include "runtime/common/host_core.h"
#include "runtime/common/hosted.h"
#define VORTEX_API 2 /* declares the functions whose parameters differ */
#include "runtime/vortex/vortex.h"
#include "wavetrap/error.h"

/** Results, as 3.0 numbers them. Functions of 2.x have -1 for all but the first. */
enum vx_result {
    VX_SUCCESS,
    VX_ERR_INVALID_HANDLE,
    VX_ERR_INVALID_INFO,
    VX_ERR_INVALID_VALUE,
    VX_ERR_OUT_OF_HOST_MEMORY,
    VX_ERR_OUT_OF_DEVICE_MEMORY,
    VX_ERR_DEVICE_LOST,
    VX_ERR_TIMEOUT,
    VX_ERR_EVENT_FAILED,
    VX_ERR_NOT_SUPPORTED,
    VX_ERR_INTERNAL,
};

enum {
    MOST_GPUS = WT_WIRE_DEVICES,
    MEMORY_FIRST = 0x10000, /* the first address of the allocator */
    MEMORY_ALIGNMENT = 4096,
    STACK_LOG2_SIZE = 13,
};

/** A kernel's file that was uploaded. */
struct program {
    uint64_t id;    /**< of the process; 0: the buffer has no program */
    char *path;     /**< whole; NULL: it came as bytes */
    char *elf;      /**< the ELF file beside it, from which lines come; NULL: there is none */
    uint64_t entry; /**< of the first instruction */
};

struct buffer {
    struct buffer *next; /**< of the GPU, by address */
    struct gpu *gpu;
    void *handle;
    uint64_t addr, size;
    struct program program;
};

struct gpu {
    WT_HOSTED; /* first */
    struct vx_config config;
    struct vx_device *device;
    unsigned number;
    struct wt_core_on_fault on_fault;
    pthread_mutex_t turn; /**< see above */
    /* under state_lock */
    struct buffer *buffers;
    uint64_t in_use;
    uint64_t programs; /**< states of the list of programs so far */
    unsigned opened;
    void *handle; /**< NULL: it is not open */
    /* under `turn` */
    struct buffer *kernel; /**< started, and not waited for yet; NULL: none */
    char kernel_name[256]; /**< of the latest one */
    bool begun;            /**< it has issued */
    bool lost;             /**< the latest kernel has ended by a fault */
    uint64_t slice;        /**< issues that the debugger lets it run at most */
    enum wt_run came_back; /**< why it stands, for the debugger */
    uint64_t began;        /**< issue time when the latest kernel began */
    uint64_t cycles;       /**< issues of the latest kernel */
    bool printed;
};

/* ---- call.c: how functions of the library are written ---- */

#define EXPORT __attribute__((visibility("default")))
#define CALL_LIST(...) __VA_ARGS__

/**
 * Begins a function of 2.x: API(name, (parameters), (arguments), format, values…) { body }. The
 * body returns an enum vx_result, and says in `err` why it is not VX_SUCCESS. With --log-calls each
 * call is logged with its values.
 */
#define API(name, parameters, arguments, ...)                                                      \
    static enum vx_result do_##name(struct wt_error *err, CALL_LIST parameters);                   \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct wt_error err_ = {.text = ""};                                                       \
        const enum vx_result result_ = do_##name(&err_, CALL_LIST arguments);                      \
        if (result_ || call_logged())                                                              \
            call_done(#name, result_, &err_, __VA_ARGS__);                                         \
        return result_ ? -1 : 0;                                                                   \
    }                                                                                              \
    static enum vx_result do_##name(struct wt_error *err, CALL_LIST parameters)

/** The number that a pointer for a result points to; 0 for NULL. */
#define RESULT(pointer) ((unsigned long long)((pointer) ? *(pointer) : 0))
/** The same of a pointer to a handle. */
#define HANDLE(pointer) ((const void *)((pointer) ? *(pointer) : NULL))

/** Whether calls are logged: WAVETRAP_LOG_CALLS is set. */
bool call_logged(void);
/** Logs a call, and tells checks of one that has failed. The values are formatted as by printf. */
void call_done(const char *name, enum vx_result result, const struct wt_error *err,
               const char *format, ...) __attribute__((format(printf, 4, 5)));
/** Logs another line, indented. */
void call_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Says why a function fails, in a sentence; returns @p result. */
enum vx_result call_fail(struct wt_error *err, enum vx_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** The result for a status of ours, whose sentence is there. */
enum vx_result call_result(enum wt_status status);

/* ---- handles.c ---- */

enum handle_kind { HANDLE_FREE, HANDLE_DEVICE, HANDLE_BUFFER };

/** Takes the lock of handles and allocations. */
void state_lock(void);
/** Gives it back. */
void state_unlock(void);
/** A handle that was never given before; NULL without host memory. Locked. */
void *handle_new(enum handle_kind kind, void *object);
/** What a handle stands for; NULL: it is no handle of that kind, or none any longer. Locked. */
void *handle_get(enum handle_kind kind, const void *handle);
/** Ends a handle, which is one. Locked. */
void handle_end(const void *handle);

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
/** Does something of the family's own to the device (vx_operations). */
bool gpu_do(struct gpu *g, wt_input_operation operation, const void *bytes, size_t size);
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
/** Frees a buffer by its handle. */
enum vx_result buffer_end(const void *handle, const char *by, struct wt_error *err);
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

/** Begins a kernel, or goes on with it, for at most @p ms milliseconds. The caller holds `turn`. */
enum vx_result run_kernel(struct gpu *g, uint64_t ms, struct wt_error *err);

/* ---- open.c ---- */

/** Opens the GPUs of WAVETRAP_VORTEX_GPUS, once for the process. */
enum vx_result gpus_open(struct wt_error *err);

/* ---- report.c ---- */

/** Reports the machine's fault on stderr, and leaves a core file where one is wanted. */
void report_fault(struct gpu *g);
/** Tells where the waves are, and ends the process: Ctrl-C, or its time is over. */
_Noreturn void report_interrupted(struct gpu *g);

/* ---- endpoint.c ---- */

/** Listens for debuggers. */
void endpoint_start(void);
/** Before the process ends without destructors. */
void endpoint_forget(void);
extern const struct wt_host_core_ops vortex_core_ops;
extern const struct wt_recording_ops vortex_recording_ops;

#endif
