/* The buffer objects of the i915 driver (GEM), and the report on them that linux shows in
 * debugfs (i915_gem_objects, i915_gem_gtt). Source: linux drivers/gpu/drm/i915/i915_debugfs.c. */
#ifndef WT_RUNTIME_I915_GEM_H
#define WT_RUNTIME_I915_GEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum wt_gem_tiling { WT_GEM_TILING_NONE, WT_GEM_TILING_X, WT_GEM_TILING_Y };

enum wt_gem_cache { WT_GEM_CACHE_NONE, WT_GEM_CACHE_LLC, WT_GEM_CACHE_L3_LLC, WT_GEM_CACHE_WT };

/** Which pages of an object a mapping in the global table shows, and in which order. */
enum wt_gem_view {
    WT_GEM_VIEW_NORMAL,
    WT_GEM_VIEW_PARTIAL,
    WT_GEM_VIEW_ROTATED,
    WT_GEM_VIEW_REMAPPED,
};

/** The socket of a process in the folder of base/private_dir.h. Whoever connects sends the number
 * of a GPU as one byte and gets its state as JSON; nothing where there is no such GPU. */
#define WT_GEM_SOCKET "%d.gem"

/** The environment variable that names the file of `exec --gem`. */
#define WT_GEM_VARIABLE "WAVETRAP_GEM"

/** Page sizes are a set of these bits, as in linux. */
enum { WT_GEM_PAGE_4K = 1 << 12, WT_GEM_PAGE_64K = 1 << 16, WT_GEM_PAGE_2M = 1 << 21 };

/** A plane of a rotated or remapped view, in pages. */
struct wt_gem_plane {
    uint32_t width, height, stride, offset;
};

/** One mapping of an object into an address space. */
struct wt_gem_vma {
    bool global; /**< in the GGTT, else in a PPGTT */
    bool active; /**< the GPU uses it */
    uint64_t start, size;
    uint32_t page_sizes; /**< page sizes of its entries */
    enum wt_gem_view view;
    uint64_t partial_offset;       /**< partial offset of a partial view: bytes */
    uint32_t partial_size;         /**< bytes */
    struct wt_gem_plane planes[2]; /**< planes of a rotated or remapped view */
    int32_t fence;                 /**< fence register, -1: none */
    bool fence_active;
};

struct wt_gem_object {
    uint64_t object; /**< the driver's address of it */
    bool active, mapped, dirty, purgeable;
    uint32_t pin_global;      /**< how often it is pinned for display */
    uint32_t userfault_count; /**< mapped through the aperture */
    uint32_t pinned;          /**< how many of its mappings are pinned */
    enum wt_gem_tiling tiling;
    enum wt_gem_cache cache;
    uint64_t size;                       /**< bytes */
    uint32_t read_domains, write_domain; /**< I915_GEM_DOMAIN_* */
    uint32_t page_sizes;                 /**< page sizes of its backing memory */
    int32_t name;                        /**< global name, 0: none */
    bool shared;                         /**< exported as a dma-buf */
    bool is_stolen;
    uint64_t stolen; /**< offset in stolen memory */
    char engine[16]; /**< engine of the last write, "" where none */
    uint32_t frontbuffer;
    struct wt_gem_vma *vmas; /**< owned */
    size_t vma_count;
};

/** Objects that belong together in the summary: a process, the contexts, the batch pool. */
struct wt_gem_owner {
    char name[64];
    uint64_t objects, bytes, active, inactive, global, shared, unbound;
};

/** All data of the report. */
struct wt_gem_state {
    uint64_t batch;                /**< batch of a recording: the number of the batch; 0: none */
    struct wt_gem_object *objects; /**< owned */
    size_t object_count;
    bool has_totals;       /**< gtt_total and what follows were given */
    uint64_t gtt_total;    /**< bytes of the GGTT's address space */
    uint64_t mappable_end; /**< bytes of it that the CPU sees */
    uint32_t page_sizes;   /**< that the GPU supports */
    bool has_llc;          /**< CPU and GPU share the last-level cache */
    struct wt_gem_owner batch_pool, contexts;
    struct wt_gem_owner *processes; /**< owned */
    size_t process_count;
};

/** The driver's versions whose reports differ. */
enum wt_gem_format { WT_GEM_4_14, WT_GEM_4_16, WT_GEM_5_2 };

/** Prints one line about @p object, without a newline. */
void wt_gem_describe(FILE *out, const struct wt_gem_object *object, bool has_llc,
                     enum wt_gem_format format);

/** Prints the summary: i915_gem_objects. */
void wt_gem_summary(FILE *out, const struct wt_gem_state *state, enum wt_gem_format format);

/**
 * Prints a line for each bound object, and their sum: i915_gem_gtt; with @p stolen only those in
 * stolen memory, bound or not, by their offset there: i915_gem_stolen.
 */
enum wt_status wt_gem_list(FILE *out, const struct wt_gem_state *state, enum wt_gem_format format,
                           bool stolen, struct wt_error *err);

/** Prints what the flags and the domain bits of @p object mean, one a line, indented. */
void wt_gem_explain(FILE *out, const struct wt_gem_object *object, enum wt_gem_format format);

/**
 * Reads a state from JSON: an array of objects, or an object with "objects" and the summary's
 * numbers (docs/gem.md lists the fields). The caller frees *state with wt_gem_state_free, which a
 * failure leaves empty. WT_INVALID says which field of which object is wrong.
 */
enum wt_status wt_gem_state_parse(const char *json, size_t length, struct wt_gem_state *state,
                                  struct wt_error *err);

/** Writes a state as JSON that wt_gem_state_parse reads, in one line. */
void wt_gem_state_write(FILE *out, const struct wt_gem_state *state);

/** Frees what a state owns. */
void wt_gem_state_free(struct wt_gem_state *state);

#endif
