/* The recording of a Gen9 GPU: a recording is of one walk. Addresses of the copy are physical ones,
 * which are those of this process. See debugged.h. */
#include "runtime/i915/debugged.h"

#include "emulator/machine/memory.h"

static struct gen_device *device_of(void *gpu)
{
    return ((struct drm_debugged *)gpu)->device;
}

/* The buffer object that has an address of the process; NULL: none of the batch has. */
static const struct wt_i915_mapping *mapping_at(const struct drm_debugged *g, uint64_t addr)
{
    for (size_t i = 0; i < g->mapping_count; i++)
        if (addr - (uintptr_t)g->mappings[i].host < g->mappings[i].size)
            return &g->mappings[i];
    return NULL;
}

static bool maps(void *gpu, uint64_t addr)
{
    return mapping_at(gpu, addr) != NULL;
}

/* Whether a page, which the GPU sees there, has own memory of threads and nothing else: an object
 * that begins with such memory is for that alone. */
static bool is_own(const struct drm_debugged *g, const struct wt_i915_mapping *m, uint64_t page)
{
    bool own = false;
    for (size_t i = 0; i < sizeof g->own / sizeof *g->own; i++) {
        const uint64_t begin = g->own[i].address, end = begin + g->own[i].size;
        own |= page >= begin && page < end && (end - page >= WT_PAGE_SIZE || m->address == begin);
    }
    return own;
}

static bool is_shared(void *gpu, uint64_t addr)
{
    const struct wt_i915_mapping *m = mapping_at(gpu, addr);
    return m && m->shared && !is_own(gpu, m, m->address + (addr - (uintptr_t)m->host));
}

static bool has_kernels(void *gpu)
{
    struct gen_progress progress;
    for (unsigned i = 0; i < GEN_WALKS; i++)
        if (gen_device_progress(device_of(gpu), i, &progress))
            return true;
    return false;
}

static bool has_exception(void *gpu)
{
    const struct drm_debugged *g = gpu;
    return g->stopped || g->unasked;
}

static void name(void *gpu, char *text, size_t size)
{
    snprintf(text, size, "gen9");
}

const struct wt_recording_ops drm_recording_ops = {
    .write_copy = gen_do_write_copy,
    .maps = maps,
    .is_shared = is_shared,
    .has_kernels = has_kernels,
    .has_exception = has_exception,
    .name = name,
};
