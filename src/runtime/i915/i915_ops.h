/* The operations that the i915 driver needs from the owner of the emulator. */
#ifndef WT_RUNTIME_I915_I915_OPS_H
#define WT_RUNTIME_I915_I915_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct gen_walk;

/** A buffer object of a batch, at the address at which the GPU sees it. */
struct wt_i915_mapping {
    uint64_t address; /**< 48 bits, a multiple of 4096 */
    uint64_t size;    /**< bytes, a multiple of 4096 */
    uint8_t *host;    /**< the same bytes in this process */
    uint64_t asked;   /**< bytes that the program asked for, by wt_i915_ask(); 0: unknown */
    uint32_t handle;
    bool read_only;      /**< the GPU may not write it */
    bool shared;         /**< the program may use it while a batch runs */
    uint64_t page_sizes; /**< page sizes of its pages in the context's tables, each a bit */
};

/**
 * Copies the sizes of @p walk into *out: work-items of a group (block) and of the whole walk
 * (grid), where they are known from its payload, of @p room bytes at @p payload in this process
 * (NULL: there is none).
 */
void drm_walk_sizes(const struct gen_walk *walk, const uint8_t *payload, size_t room,
                    struct gen_walk *out);

/** Operations of the emulator's owner; none is NULL. */
struct wt_i915_ops {
    /**
     * Runs a walk of an opening of the device, @p file, whose memory objects are its space
     * (check/objects.h), to its end. The GPU sees memory through the table (PPGTT of 48 bits) whose
     * PML4 is at @p root; physical addresses are those of this process. It maps the @p count
     * mappings and nothing else; they are sorted by address, and serve messages. A failure is the
     * GPU's: the context is lost, as after a hang. Called by one thread of the device.
     */
    enum wt_status (*run)(void *context, const void *file, uint64_t root,
                          const struct wt_i915_mapping *mappings, size_t count,
                          const struct gen_walk *walk, struct wt_error *err);
    /** The GPU's clock: ticks of WT_I915_CLOCK_HZ. */
    uint64_t (*ticks)(void *context);
    /** A batch reads register @p number of the debug hardware's bus (emulator/gen/gen.h). No walk
     * is under way. */
    uint32_t (*read_register)(void *context, uint32_t number);
    /** Likewise for writing. */
    void (*write_register)(void *context, uint32_t number, uint32_t value);
    /** Tells the user what went wrong; @p text has no newline. @p failed: a batch has, maybe in
     * `run`, and it is the thread that has called that. */
    void (*say)(void *context, const char *text, bool failed);
    /** Sets what @p size bytes of new memory of the program hold. @p is_zero: they are zero; else
     * they hold anything. @p place identifies the memory, and is the same in each run. */
    void (*fill)(void *context, uint64_t place, uint8_t *bytes, uint64_t size, bool is_zero);
};

#endif
