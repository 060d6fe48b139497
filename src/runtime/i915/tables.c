/* Page tables of a context. See tables.h. */
#include "runtime/i915/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/gen/gtt/tables.h"

static uint64_t read_entry(void *context, uint64_t physical)
{
    return wt_load_le((const void *)(uintptr_t)physical, 8);
}

static bool write_entry(void *context, uint64_t physical, uint64_t entry)
{
    wt_store_le((void *)(uintptr_t)physical, entry, 8);
    return true;
}

static uint64_t new_table(void *context)
{
    struct drm_tables *t = context;
    void **grown = wt_array_grow(t->page, &t->page_capacity, t->page_count + 1, sizeof *grown);
    if (!grown)
        return 0;
    t->page = grown;
    void *page = aligned_alloc(WT_PPGTT_TABLE_BYTES, WT_PPGTT_TABLE_BYTES);
    if (!page)
        return 0;
    memset(page, 0, WT_PPGTT_TABLE_BYTES);
    t->page[t->page_count++] = page;
    return (uintptr_t)page;
}

void drm_tables_free(struct drm_tables *t)
{
    for (size_t i = 0; i < t->page_count; i++)
        free(t->page[i]);
    free(t->page);
    free(t->bound);
    *t = (struct drm_tables){0};
}

/* Whether the tables map exactly these. */
static bool is_bound(const struct drm_tables *t, const struct wt_i915_mapping *m, size_t count)
{
    if (!t->root || t->bound_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (m[i].address != t->bound[i].address || m[i].size != t->bound[i].size ||
            m[i].host != t->bound[i].host || m[i].read_only != t->bound[i].read_only)
            return false;
    return true;
}

static enum wt_status map_all(struct drm_tables *t, struct wt_error *err)
{
    const struct wt_ppgtt_memory memory = {t, read_entry, write_entry, new_table};
    enum wt_status status = WT_OK;
    t->root = new_table(t);
    if (!t->root)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for page tables");
    for (size_t i = 0; i < t->bound_count && !status; i++) {
        struct wt_i915_mapping *m = &t->bound[i];
        status = wt_ppgtt_map(&memory, t->root, m->address, (uintptr_t)m->host, m->size,
                              !m->read_only, &m->page_sizes, err);
    }
    return status;
}

enum wt_status drm_tables_bind(struct drm_tables *t, const struct wt_i915_mapping *mappings,
                               size_t count, struct wt_error *err)
{
    if (is_bound(t, mappings, count))
        return WT_OK;
    drm_tables_free(t);
    t->bound = malloc((count + 1) * sizeof *t->bound);
    if (!t->bound)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    memcpy(t->bound, mappings, count * sizeof *t->bound);
    t->bound_count = count;
    enum wt_status status = map_all(t, err);
    if (status != WT_OK)
        drm_tables_free(t);
    return status;
}
