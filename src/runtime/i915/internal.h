/* Shared by the files of the i915 driver. */
#ifndef WT_RUNTIME_I915_INTERNAL_H
#define WT_RUNTIME_I915_INTERNAL_H

#include <i915_drm.h>
#include <pthread.h>
#include <stdio.h>

#include "runtime/common/final_memory.h"
#include "runtime/common/planted.h"
#include "runtime/common/own_memory.h"
#include "runtime/i915/i915_ops.h"
#include "runtime/i915/tables.h"

#define DRM_PAGE ((uint64_t)4096)
#define DRM_ADDRESS_BITS 48

/* A buffer object. Its handle is its place in the file's table, counted from 1. */
struct drm_object {
    bool used;
    bool user;        /* a userptr object: the program's own memory */
    uint8_t *host;    /* where it is in this process */
    uint64_t size;    /* bytes, a multiple of pages */
    uint64_t asked;   /* bytes that the program asked for; 0: unknown */
    uint64_t offset;  /* in the device's descriptor, unless `user` */
    uint64_t address; /* where the GPU saw it last */
    bool bound;       /* a batch has used it */
    bool placed;      /* checks know it at `address` */
    const char *by;   /* the function that has made it, of an object of checks; NULL: it is none */
    uint64_t lead, own;          /* then: where the object of that begins, and its bytes */
    bool kept_from_writes;       /* then: kernels must not write it */
    struct wt_call_stack *calls; /* then: who has called the function; NULL: not known */
    bool mapped;                 /* by the program, or soon */
    bool closed;                 /* its handle is gone; its memory follows when it is idle */
    uint32_t active;             /* batches that use it and have not ended */
    bool written, purgeable, read_only;
    uint64_t page_sizes; /* page sizes of its pages in the tables of that batch, each a bit */
    uint32_t tiling, stride;
    uint32_t caching; /* I915_CACHING_CACHED or _NONE */
    uint32_t read_domains, write_domain;
};

enum { MOST_REGISTERS = 64, MOST_DESCRIPTORS = 64, DESCRIPTOR_BYTES = 32 };

/* MMIO offsets: sixteen registers of 64 bits; x, y, z of an indirect walker. */
enum { DRM_GENERAL_REGISTERS = 0x2600, DRM_DISPATCH_DIMENSIONS = 0x2500 };

/* The state of the command streamer, which a context keeps between batches. */
struct drm_gpu_state {
    uint64_t general, surface, dynamic, indirect, instruction, bindless; /* base addresses */
    uint64_t sip;
    bool has_sip;
    uint64_t scratch; /* relative to `general` */
    unsigned scratch_code;
    bool has_scratch;
    uint8_t descriptors[MOST_DESCRIPTORS * DESCRIPTOR_BYTES];
    uint32_t descriptor_bytes; /* loaded of them */
    struct {
        uint32_t at, value;
    } registers[MOST_REGISTERS]; /* registers.c: that have the value that was written */
    unsigned register_count;
};

struct drm_context {
    uint32_t id;
    bool used, lost; /* lost: a batch failed, as after a hang */
    uint32_t active; /* batches of it that have not ended */
    uint32_t resets;
    uint32_t vm;
    struct drm_tables tables; /* tables of its address space */
    struct drm_gpu_state gpu;
};

/* A batch that was submitted. Its objects and its context are active until it has ended. */
/* The comparison of MI_SEMAPHORE_WAIT. */
struct drm_semaphore {
    uint64_t address;
    unsigned how; /* its "Compare Operation" */
    uint32_t value, now;
};

struct drm_submission {
    struct drm_submission *next;
    struct wt_i915_file *file;
    struct drm_context *context;
    struct wt_i915_mapping *mappings; /* sorted by address */
    size_t mapping_count;
    uint64_t start;       /* address of its next command */
    uint64_t first_level; /* of struct drm_batch: it waits at `start`, after it has begun */
    bool second_level, waits, begun;
    struct drm_semaphore semaphore; /* if it waits */
};

struct wt_i915_file {
    struct wt_i915 *device;
    struct wt_i915_file *next;
    struct drm_object *objects;
    size_t object_count, object_capacity;
    struct drm_context **contexts; /* the first one is the default context, id 0 */
    size_t context_count, context_capacity;
};

struct wt_i915 {
    const struct wt_i915_ops *ops;
    void *context;
    unsigned subslices;
    int descriptor;       /* holds created objects */
    uint64_t used;        /* bytes of it that have been given out */
    pthread_mutex_t lock; /* lock of everything below */
    /* Batches run one at a time, in the order in which they were submitted, in a thread of the
     * device. A batch runs without the lock: the emulator, the tables and the state of its context
     * are its own meanwhile. */
    struct drm_submission *first, *last; /* that have not begun */
    bool running;                        /* a batch is under way, which is in the list no more */
    bool ends;                           /* the thread ends when the list is empty */
    bool has_thread;
    bool stands; /* all batches wait */
    pthread_t thread;
    pthread_cond_t submitted; /* there is a batch, or `ends` is set */
    pthread_cond_t idle;      /* a batch has ended */
    struct wt_i915_file *files;
    uint64_t batches; /* that have begun */
    FILE *record;     /* gets the state of the objects as each begins; NULL: none does */
    struct wt_final_memory final;   /* for a debugger */
    struct wt_planted_list planted; /* its breakpoints */
};

/*
 * Counts a batch that begins, and writes a line to the record, if there is one. The lock is held.
 */
void drm_record(struct wt_i915 *device);
/* Copies the program's memory at an address that it gave, or to there; false (-EFAULT) where some
 * of it is not there. */
static inline bool drm_copy_in(void *to, uint64_t from, size_t size)
{
    return wt_own_memory_read(from, to, size);
}

/* Likewise, to the program's memory. */
static inline bool drm_copy_out(uint64_t to, const void *from, size_t size)
{
    /* The source is only read. */
    return wt_own_memory_copy(to, (uint8_t *)(uintptr_t)from, size, false) == size;
}

/* The object of a handle; NULL if there is none, or it was closed. */
struct drm_object *drm_object(struct wt_i915_file *file, uint32_t handle);
/* The context of an id; NULL if there is none. */
struct drm_context *drm_context(struct wt_i915_file *file, uint32_t id);

/* ---- objects.c, contexts.c, execbuffer.c: ioctls (linux drm/i915_drm.h). Each takes the argument
 * of its own, with the lock held, and returns 0 or a negative errno ---- */

/*
 * I915_GEM_CREATE: makes an object of up to 1 TiB, rounded up to pages. -EINVAL, -ENOSPC, -ENOMEM.
 */
int drm_create(struct wt_i915_file *file, struct drm_i915_gem_create *args);
/*
 * I915_GEM_USERPTR: makes an object of whole pages of the program's own memory. -EINVAL, -EFAULT,
 * -ENOMEM.
 */
int drm_userptr(struct wt_i915_file *file, struct drm_i915_gem_userptr *args);
/*
 * GEM_CLOSE: frees a handle; the memory of an object that a batch uses stays until that has ended.
 * -EINVAL.
 */
int drm_close(struct wt_i915_file *file, struct drm_gem_close *args);
/*
 * I915_GEM_MMAP: maps a part of an object into the process. -ENOENT, -EINVAL, -ENOMEM; -ENXIO for
 * userptr objects.
 */
int drm_mmap(struct wt_i915_file *file, struct drm_i915_gem_mmap *args);
/*
 * I915_GEM_MMAP_OFFSET: gives the offset at which mmap of the descriptor maps an object. -ENOENT,
 * -EINVAL; -ENODEV for userptr objects.
 */
int drm_mmap_offset(struct wt_i915_file *file, struct drm_i915_gem_mmap_offset *args);
/* I915_GEM_PWRITE: writes to an object. -ENOENT; -EINVAL beyond its end. */
int drm_pwrite(struct wt_i915_file *file, struct drm_i915_gem_pwrite *args);
/* I915_GEM_PREAD: reads from an object. -ENOENT; -EINVAL beyond its end. */
int drm_pread(struct wt_i915_file *file, struct drm_i915_gem_pread *args);
/*
 * I915_GEM_SET_DOMAIN: notes the domains, which the report shows; memory is coherent anyway.
 * -ENOENT; -EINVAL for domains of the GPU.
 */
int drm_set_domain(struct wt_i915_file *file, struct drm_i915_gem_set_domain *args);
/* I915_GEM_SET_TILING: notes tiling and stride, which the report shows. -ENOENT, -EINVAL. */
int drm_set_tiling(struct wt_i915_file *file, struct drm_i915_gem_set_tiling *args);
/* I915_GEM_GET_TILING: gives what drm_set_tiling has noted; nothing is swizzled. -ENOENT. */
int drm_get_tiling(struct wt_i915_file *file, struct drm_i915_gem_get_tiling *args);
/* I915_GEM_MADVISE: notes whether the object may be purged; none ever is. -ENOENT, -EINVAL. */
int drm_madvise(struct wt_i915_file *file, struct drm_i915_gem_madvise *args);
/* I915_GEM_SET_CACHING: notes the cache level, which the report shows. -ENOENT, -EINVAL. */
int drm_set_caching(struct wt_i915_file *file, struct drm_i915_gem_caching *args);
/* I915_GEM_GET_CACHING: gives what drm_set_caching has noted; LLC at first. -ENOENT. */
int drm_get_caching(struct wt_i915_file *file, struct drm_i915_gem_caching *args);
/* Tells checks that the GPU sees an object at object->address from now on. */
void drm_object_place(struct wt_i915_file *file, struct drm_object *object);
/* Tells checks that it does not any more. */
void drm_object_unplace(struct wt_i915_file *file, struct drm_object *object);
/* Frees the memory of an object that no batch uses, and its place in the table. */
void drm_object_free(struct wt_i915_file *file, struct drm_object *object);

/* ---- final_memory.c ---- */

/* Keeps the memory of an object at @p address of the GPU, which is about to be freed, if a debugger
 * wants that. The lock is held. */
void drm_final_unmap(struct wt_i915 *device, uint64_t address, const uint8_t *host, uint64_t size);

/* ---- contexts.c ---- */

/*
 * I915_GEM_CONTEXT_CREATE_EXT: makes a context with an address space of its own. -EINVAL for
 * unknown flags and parameters, -E2BIG, -ENOMEM.
 */
int drm_context_create(struct wt_i915_file *file, struct drm_i915_gem_context_create_ext *args);
/*
 * I915_GEM_CONTEXT_DESTROY: frees a context other than the default one, at the end of its batch.
 * -ENOENT.
 */
int drm_context_destroy(struct wt_i915_file *file, struct drm_i915_gem_context_destroy *args);
/*
 * I915_GEM_CONTEXT_GETPARAM: gives a parameter, most of which are constant here. -ENOENT; -EINVAL
 * for unknown ones.
 */
int drm_context_getparam(struct wt_i915_file *file, struct drm_i915_gem_context_param *args);
/*
 * I915_GEM_CONTEXT_SETPARAM: accepts parameters that have no effect here. -ENOENT; -EINVAL for
 * others.
 */
int drm_context_setparam(struct wt_i915_file *file, struct drm_i915_gem_context_param *args);
/*
 * I915_GET_RESET_STATS: tells whether the context is lost, and how often one of its batches has
 * failed. -ENOENT, -EINVAL.
 */
int drm_reset_stats(struct wt_i915_file *file, struct drm_i915_reset_stats *args);

/* ---- execbuffer.c ---- */

/*
 * I915_GEM_EXECBUFFER2: submits a batch. -EIO: the context is lost; -ENOENT, -EINVAL, -ENOMEM. A
 * batch that fails loses its context, which later calls tell.
 */
int drm_execbuffer(struct wt_i915_file *file, struct drm_i915_gem_execbuffer2 *args);

/* ---- queue.c: batches that were submitted. The lock is held ---- */

/*
 * Appends a batch, which belongs to the queue then, and marks its context as active; the caller has
 * marked the objects. Starts the device's thread if there is none. -ENOMEM: the host gives no
 * thread, and nothing was done.
 */
int drm_queue_submit(struct wt_i915 *device, struct drm_submission *submission);
/* Ends those batches of a file that have not begun, or wait for a semaphore; waits for the one that
 * runs. */
void drm_queue_drop(struct wt_i915_file *file);
/* Lets the thread end, and waits for that. The list is empty; the lock is not held. */
void drm_queue_end(struct wt_i915 *device);
/* In the child of a fork, which has no such thread: the queue is empty. */
void drm_queue_forget(struct wt_i915 *device);

/* ---- streamer.c ---- */

/* A batch being run. */
struct drm_batch {
    struct wt_i915 *device;
    const struct wt_i915_file *file;
    struct drm_gpu_state *gpu;
    const struct wt_i915_mapping *mappings; /* sorted by address */
    size_t mapping_count;
    uint64_t root; /* root of the context's page tables */
    uint64_t at;   /* address of the command that is executed */
    /* MI_BATCH_BUFFER_START may begin a batch of the second level, whose end returns here. There is
     * no third level (Skylake PRM volume 2a). */
    uint64_t first_level;
    bool second_level;
    bool waits; /* drm_stream() has stopped at MI_SEMAPHORE_WAIT, whose condition does not hold */
    struct drm_semaphore semaphore; /* then */
};

/*
 * Executes commands from @p *address on, up to the end of the batch, or to a semaphore that it has
 * to wait for: batch->waits, and *address is that command's. WT_INVALID: a command is malformed or
 * not emulated; other failures are those of wt_i915_ops.run.
 */
enum wt_status drm_stream(struct drm_batch *batch, uint64_t *address, struct wt_error *err);

/* ---- walker.c ---- */

/*
 * Decodes GPGPU_WALKER: its dwords, the header first. Fills *walk from them and from the state they
 * name.
 */
enum wt_status drm_walk(const struct drm_batch *batch, const uint32_t walker[15],
                        struct gen_walk *walk, struct wt_error *err);

/* ---- math.c ---- */

/*
 * Executes MI_MATH: @p count dwords behind the header, on the general-purpose registers from 0x2600
 * on. WT_INVALID for an unknown operation.
 */
enum wt_status drm_math(struct drm_gpu_state *gpu, const uint32_t *dwords, unsigned count,
                        struct wt_error *err);

/* ---- registers.c: registers by their MMIO offsets ---- */

/* A command reads a register. WT_INVALID: MOST_REGISTERS others are used already. */
enum wt_status drm_register_read(struct drm_batch *batch, uint32_t at, uint32_t *value,
                                 struct wt_error *err);
/* A command writes a register. WT_INVALID: MOST_REGISTERS others are used already. */
enum wt_status drm_register_write(struct drm_batch *batch, uint32_t at, uint32_t value,
                                  struct wt_error *err);
/* The value of a register of the context's own, as commands have written it; 0 if they have not. */
uint32_t drm_register_get(const struct drm_gpu_state *gpu, uint32_t at);
/* Writes a register of the context's own; false: MOST_REGISTERS others are used already. */
bool drm_register_set(struct drm_gpu_state *gpu, uint32_t at, uint32_t value);

#endif
