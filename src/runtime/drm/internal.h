/* Shared by the files of the i915 driver. */
#ifndef WT_DRM_INTERNAL_H
#define WT_DRM_INTERNAL_H

#include <i915_drm.h>
#include <pthread.h>
#include <stdio.h>

#include "runtime/drm/i915_ops.h"
#include "runtime/drm/tables.h"

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
    bool closed;      /* its handle is gone; its memory follows when it is idle */
    uint32_t active;  /* batches under way that use it */
    bool written, purgeable, read_only;
    uint64_t page_sizes; /* of its pages in the tables of that batch, each a bit */
    uint32_t tiling, stride;
    uint32_t read_domains, write_domain;
};

enum { MOST_REGISTERS = 64, MOST_DESCRIPTORS = 64, DESCRIPTOR_BYTES = 32 };

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
    } registers[MOST_REGISTERS]; /* that commands have written */
    unsigned register_count;
};

struct drm_context {
    uint32_t id;
    bool used, lost; /* lost: a batch failed, as after a hang */
    uint32_t active; /* batches of it under way */
    uint32_t resets;
    uint32_t vm;
    struct drm_tables tables; /* of its address space */
    struct drm_gpu_state gpu;
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
    pthread_mutex_t lock; /* of everything below */
    /* A batch runs without the lock, one at a time: the emulator, the tables and the state of
     * its context are its own meanwhile. */
    bool running;
    pthread_cond_t idle; /* a batch has ended */
    struct wt_i915_file *files;
    uint64_t batches; /* that have begun */
    FILE *record;     /* gets the state of the objects as each begins; NULL: none does */
};

/* A batch begins: the record gets a line. The lock is held. */
void drm_record(struct wt_i915 *device);
/* The object of a handle, or NULL. */
struct drm_object *drm_object(struct wt_i915_file *file, uint32_t handle);
/* The context of an id, or NULL. */
struct drm_context *drm_context(struct wt_i915_file *file, uint32_t id);

/* ---- objects.c: each takes the argument of its ioctl; 0 or a negative errno ---- */

int drm_create(struct wt_i915_file *file, struct drm_i915_gem_create *args);
int drm_userptr(struct wt_i915_file *file, struct drm_i915_gem_userptr *args);
int drm_close(struct wt_i915_file *file, struct drm_gem_close *args);
int drm_mmap(struct wt_i915_file *file, struct drm_i915_gem_mmap *args);
int drm_mmap_offset(struct wt_i915_file *file, struct drm_i915_gem_mmap_offset *args);
int drm_pwrite(struct wt_i915_file *file, struct drm_i915_gem_pwrite *args);
int drm_pread(struct wt_i915_file *file, struct drm_i915_gem_pread *args);
int drm_set_domain(struct wt_i915_file *file, struct drm_i915_gem_set_domain *args);
int drm_set_tiling(struct wt_i915_file *file, struct drm_i915_gem_set_tiling *args);
int drm_get_tiling(struct wt_i915_file *file, struct drm_i915_gem_get_tiling *args);
int drm_madvise(struct wt_i915_file *file, struct drm_i915_gem_madvise *args);
/* Frees the memory of an object that is not active, and its place in the table. */
void drm_object_free(struct wt_i915_file *file, struct drm_object *object);

/* ---- contexts.c ---- */

int drm_context_create(struct wt_i915_file *file, struct drm_i915_gem_context_create_ext *args);
int drm_context_destroy(struct wt_i915_file *file, struct drm_i915_gem_context_destroy *args);
int drm_context_getparam(struct wt_i915_file *file, struct drm_i915_gem_context_param *args);
int drm_context_setparam(struct wt_i915_file *file, struct drm_i915_gem_context_param *args);
int drm_reset_stats(struct wt_i915_file *file, struct drm_i915_reset_stats *args);

/* ---- execbuffer.c ---- */

int drm_execbuffer(struct wt_i915_file *file, struct drm_i915_gem_execbuffer2 *args);

/* ---- streamer.c ---- */

/* A batch being run. */
struct drm_batch {
    struct wt_i915 *device;
    struct drm_gpu_state *gpu;
    const struct wt_i915_mapping *mappings; /* sorted by address */
    size_t mapping_count;
    uint64_t root; /* of the context's page tables */
};

/* Where @p size bytes at a GPU address are in this process; NULL if no mapping has all of them. */
uint8_t *drm_batch_host(const struct drm_batch *batch, uint64_t address, uint64_t size);
/* Executes commands from @p address on, up to the end of the batch. */
enum wt_status drm_stream(struct drm_batch *batch, uint64_t address, struct wt_error *err);

/* ---- walker.c ---- */

/* GPGPU_WALKER: its dwords, the header first. Fills *walk from them and from the state they name.
 */
enum wt_status drm_walk(const struct drm_batch *batch, const uint32_t walker[15],
                        struct gen_walk *walk, struct wt_error *err);

/* ---- math.c ---- */

/* MI_MATH's dwords behind the header, on registers 0x2600 and up. */
enum wt_status drm_math(struct drm_gpu_state *gpu, const uint32_t *dwords, unsigned count,
                        struct wt_error *err);

/* Registers that commands have written; others read as 0. */
uint32_t drm_register_get(const struct drm_gpu_state *gpu, uint32_t at);
/* False: there are too many. */
bool drm_register_set(struct drm_gpu_state *gpu, uint32_t at, uint32_t value);

#endif
