/*
 * The i915 driver of an emulated Intel GPU, for a program that opens a render node and calls its
 * ioctls (linux include/uapi/drm/i915_drm.h). A file has buffer objects and contexts. Batches run
 * on the emulator one after the other, in a thread of the device; the call that submits one returns
 * at once.
 */
#ifndef WT_RUNTIME_I915_I915_H
#define WT_RUNTIME_I915_I915_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/common/final_memory.h"
#include "runtime/common/planted.h"
#include "runtime/i915/gem.h"
#include "runtime/i915/i915_ops.h"
#include "base/error.h"

struct wt_i915;      /**< the device */
struct wt_i915_file; /**< one opening of it */

enum { WT_I915_CLOCK_HZ = 12000000 };

/** The chip that programs see: HD Graphics 530, Skylake GT2. */
enum { WT_I915_CHIP = 0x1912, WT_I915_REVISION = 6 };

/**
 * Makes a device with @p subslices subslices, 1 to 9. @p ops and @p context must live as long as
 * the device. The caller frees it with wt_i915_free.
 */
enum wt_status wt_i915_new(const struct wt_i915_ops *ops, void *context, unsigned subslices,
                           struct wt_i915 **device, struct wt_error *err);
/** Frees a device and all its openings. NULL is allowed. */
void wt_i915_free(struct wt_i915 *device);

/** The descriptor that a program gets when it opens the node; it is duplicated for each opening.
 * Mappings of it at the offsets that DRM_IOCTL_I915_GEM_MMAP_OFFSET gives are objects. */
int wt_i915_descriptor(const struct wt_i915 *device);

/** Makes a new opening; NULL without host memory. wt_i915_close frees it. */
struct wt_i915_file *wt_i915_open(struct wt_i915 *device);
/** The device that a file is an opening of. */
struct wt_i915 *wt_i915_device(const struct wt_i915_file *file);
/** Closes an opening and frees all that belongs to it: batches that have not begun do not run, and
 * the one that has runs to its end. */
void wt_i915_close(struct wt_i915_file *file);

/**
 * Notes that the objects this thread creates from now on are for a buffer of @p bytes bytes of the
 * program, which begins where the object does; 0: for the runtime. The driver's own sizes are
 * multiples of pages.
 */
void wt_i915_ask(uint64_t bytes);
/**
 * Notes behind wt_i915_ask(), where memory is checked, that the first object that this thread
 * creates is the buffer, an object of its own for checks (check/objects.h): @p by is the function
 * that the program has called, constant text. @p read_only: kernels must not write it.
 */
void wt_i915_ask_object(const char *by, bool read_only);
enum wt_i915_texels {
    WT_I915_NO_TEXELS, /**< there is no such object */
    WT_I915_LINEAR,
    WT_I915_TILED,
};
/** The program has made an image by function @p by, from wt_i915_ask() on: the first object since
 * is one of checks, and has the image from byte *lead on. @p memory: the program's, which the image
 * uses, or has a copy of; 0: none. If it has no tiles, its texels are in *size bytes; 0: nobody
 * knows. *size becomes that of the object. */
enum wt_i915_texels wt_i915_image_made(const char *by, uint64_t memory, uint64_t *size,
                                       uint64_t *lead);
/** The opening that has created an object last: with one GPU, the space of the addresses of memory
 * that runtimes give programs; NULL: none has. */
const void *wt_i915_asked_of(void);
/** Likewise of memory of the program itself: the object is [memory, memory + size), if one object
 * of the driver has all of it. */
void wt_i915_ask_own(uint64_t memory, uint64_t size, const char *by, bool read_only);
/** The handle of the first object that this thread has created since wt_i915_ask(); 0: none. */
uint32_t wt_i915_asked_object(void);

/** Before fork(): waits until no ioctl is half done, by taking the lock. */
void wt_i915_before_fork(struct wt_i915 *device);
/**
 * After fork(), in the parent or the @p child: gives the lock back. In the child no batch is under
 * way; returns whether one of another thread was.
 */
bool wt_i915_after_fork(struct wt_i915 *device, bool child);

/**
 * Writes the state of the buffer objects to @p file as each batch begins, a line of JSON (gem.h);
 * NULL: no longer. The caller closes it after the device.
 */
void wt_i915_record_gem(struct wt_i915 *device, FILE *file);

/** Does an ioctl: 0, or a negative errno. @p argument is the program's. Any thread may call it. */
int wt_i915_ioctl(struct wt_i915_file *file, unsigned long request, void *argument);

/**
 * Finds the memory of the buffer object that the GPU has seen at @p address, and in *room how many
 * bytes of it follow; NULL: there is none. The program may free it at any time.
 */
uint8_t *wt_i915_find(struct wt_i915 *device, uint64_t address, uint64_t *room);

/** Waits until all batches have ended or wait for something, at most @p ns nanoseconds; false: then
 * one runs, or can. */
bool wt_i915_await_rest(struct wt_i915 *device, uint64_t ns);
/** Writes lines about batches that wait for a semaphore, or have not begun. */
void wt_i915_tell_waiting(struct wt_i915 *device, FILE *out);
/** The memory that kernels leave, for a debugger after the program's end. */
struct wt_final_memory *wt_i915_final_memory(struct wt_i915 *device);
/** The breakpoints of the debugger. */
struct wt_planted_list *wt_i915_planted(struct wt_i915 *device);
/** wt_final_next() of the buffer objects, at the addresses at which the GPU has seen them. */
size_t wt_i915_final_next(struct wt_i915 *device, uint64_t from, uint8_t *bytes, size_t room);

/**
 * Describes the buffer objects of all files, for the report of gem.h. The caller frees *state with
 * wt_gem_state_free.
 */
enum wt_status wt_i915_gem_state(struct wt_i915 *device, struct wt_gem_state *state,
                                 struct wt_error *err);

#endif
