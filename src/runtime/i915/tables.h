/*
 * The page tables of a context: what its batches map. They lie in this process, whose addresses are
 * the GPU's physical ones, so that a page's frame is its page number here.
 */
#ifndef WT_RUNTIME_I915_TABLES_H
#define WT_RUNTIME_I915_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/i915/i915_ops.h"

struct drm_tables {
    uint64_t root; /**< address of the PML4; 0: there is none yet */
    void **page;   /**< all tables, the PML4 first */
    size_t page_count, page_capacity;
    struct wt_i915_mapping *bound; /**< what they map */
    size_t bound_count;
};

/**
 * Maps @p mappings, which are sorted and do not overlap, and nothing else. Tables that do so
 * already stay as they are. WT_NO_MEMORY leaves none.
 */
enum wt_status drm_tables_bind(struct drm_tables *tables, const struct wt_i915_mapping *mappings,
                               size_t count, struct wt_error *err);

/** Frees the tables; *tables is empty then. */
void drm_tables_free(struct drm_tables *tables);

#endif
