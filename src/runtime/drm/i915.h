/*
 * The i915 driver of an emulated Intel GPU: what a program gets that opens a render node and calls
 * its ioctls (linux include/uapi/drm/i915_drm.h). A file has buffer objects and contexts; a batch
 * runs on the emulator within the call that submits it.
 */
#ifndef WT_DRM_I915_H
#define WT_DRM_I915_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/drm/gem.h"
#include "runtime/drm/i915_ops.h"
#include "wavetrap/error.h"

struct wt_i915;      /**< the device */
struct wt_i915_file; /**< one opening of it */

enum { WT_I915_CLOCK_HZ = 12000000 };

/** The chip that programs are told: HD Graphics 530, Skylake GT2. */
enum { WT_I915_CHIP = 0x1912, WT_I915_REVISION = 6 };

/** A device with @p subslices subslices. @p ops and @p context live as long as the device. */
enum wt_status wt_i915_new(const struct wt_i915_ops *ops, void *context, unsigned subslices,
                           struct wt_i915 **device, struct wt_error *err);
void wt_i915_free(struct wt_i915 *device);

/** The descriptor that a program gets when it opens the node; it is duplicated for each opening.
 * Mappings of it at the offsets that DRM_IOCTL_I915_GEM_MMAP_OFFSET gives are objects. */
int wt_i915_descriptor(const struct wt_i915 *device);

/** A new opening; NULL without host memory. */
struct wt_i915_file *wt_i915_open(struct wt_i915 *device);
/** Frees all that belongs to it. */
void wt_i915_close(struct wt_i915_file *file);

/**
 * What this thread creates from now on is for a buffer of @p bytes bytes of the program, beginning
 * where the buffer object does; 0: for the runtime. The driver's own sizes are multiples of pages.
 */
void wt_i915_ask(uint64_t bytes);

/** Around fork(): no ioctl is half done in the child, and no batch of the parent's is under way. In
 * the child: whether one was, in another thread. */
void wt_i915_before_fork(struct wt_i915 *device);
bool wt_i915_after_fork(struct wt_i915 *device, bool child);

/** From now on the state of the buffer objects is written to @p file as each batch begins: a line
 * of JSON (gem.h). The caller closes it after the device. NULL: no longer. */
void wt_i915_record_gem(struct wt_i915 *device, FILE *file);

/** An ioctl: 0, or a negative errno. @p argument is the program's. Any thread may call it. */
int wt_i915_ioctl(struct wt_i915_file *file, unsigned long request, void *argument);

/** Where the memory of a buffer object is that the GPU has seen at @p address, and how many bytes
 * (*room) of it follow; NULL: there is none. The program may give it back at any time. */
uint8_t *wt_i915_find(struct wt_i915 *device, uint64_t address, uint64_t *room);

/** The buffer objects of all files, for the report of gem.h. The caller frees *state. */
enum wt_status wt_i915_gem_state(struct wt_i915 *device, struct wt_gem_state *state,
                                 struct wt_error *err);

#endif
