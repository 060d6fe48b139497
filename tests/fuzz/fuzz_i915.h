/* A device of the i915 driver without an emulator, for fuzz targets: its walks are checked, not
 * run. */
#ifndef TESTS_FUZZ_FUZZ_I915_H
#define TESTS_FUZZ_FUZZ_I915_H

#include <i915_drm.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emulator/gen/gen.h"
#include "emulator/gen/gtt/gtt.h"
#include "runtime/i915/i915.h"

enum { I915_FUZZ_PAGE = 4096, I915_FUZZ_PAGES = 32 };

static bool i915_read_physical(void *context, uint64_t physical, void *bytes, size_t size)
{
    (void)context;
    memcpy(bytes, (const void *)(uintptr_t)physical, size);
    return true;
}

/* What i915_ops.h promises of a walk and its mappings: sorted, apart, and in the page tables. */
static enum wt_status i915_check_walk(void *context, const void *file, uint64_t root,
                                      const struct wt_i915_mapping *mappings, size_t count,
                                      const struct gen_walk *walk, struct wt_error *err)
{
    const struct wt_gtt table = {
        .gen = 9, .kind = WT_GTT_PROCESS48, .enabled = true, .root = {root}, .root_count = 1};
    for (size_t i = 0; i < count; i++) {
        const struct wt_i915_mapping *m = &mappings[i];
        struct wt_gtt_walk found;
        if (!m->size || (m->address | m->size) % I915_FUZZ_PAGE ||
            (i && mappings[i - 1].address + mappings[i - 1].size > m->address))
            abort();
        wt_gtt_walk(&table, i915_read_physical, NULL, m->address + m->size - 1, &found);
        if (!found.mapped || found.physical != (uintptr_t)m->host + m->size - 1)
            abort();
    }
    if ((walk->simd != 8 && walk->simd != 16 && walk->simd != 32) || !walk->threads ||
        walk->threads > 64 || walk->cross_bytes % 32 || walk->thread_bytes % 32 ||
        walk->slm_bytes > GEN_SLM_BYTES)
        abort();
    for (unsigned i = 0; i < 3; i++)
        if (walk->start[i] >= walk->end[i])
            abort();
    __atomic_add_fetch((uint64_t *)context, 1, __ATOMIC_RELAXED);
    return walk->last_mask == 1 ? wt_fail(err, WT_INVALID, "a kernel that makes a mistake") : WT_OK;
}

static uint64_t i915_ticks(void *context)
{
    return __atomic_add_fetch((uint64_t *)context, 1, __ATOMIC_RELAXED);
}

static void i915_say(void *context, const char *text, bool failed)
{
    (void)context;
    if (!*text)
        abort();
}

static uint32_t i915_read_register(void *context, uint32_t number)
{
    (void)context;
    return number;
}

static void i915_write_register(void *context, uint32_t number, uint32_t value)
{
    (void)context, (void)number, (void)value;
}

static void i915_fill(void *context, uint64_t place, uint8_t *bytes, uint64_t size, bool is_zero)
{
    (void)context, (void)place, (void)bytes, (void)size, (void)is_zero;
}

static const struct wt_i915_ops i915_fuzz_ops = {
    i915_check_walk, i915_ticks, i915_read_register, i915_write_register, i915_say, i915_fill};

/* The memory of the program, which a batch may write. */
static inline uint8_t *i915_fuzz_memory(void)
{
    static uint8_t *memory;
    if (!memory)
        memory = mmap(NULL, (size_t)I915_FUZZ_PAGES * I915_FUZZ_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

/* A buffer object of the program's own memory; 0: refused. */
static inline uint32_t i915_fuzz_userptr(struct wt_i915_file *file, unsigned page, unsigned pages)
{
    struct drm_i915_gem_userptr args = {
        .user_ptr = (uintptr_t)(i915_fuzz_memory() + (size_t)page * I915_FUZZ_PAGE),
        .user_size = (uint64_t)pages * I915_FUZZ_PAGE};
    return wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_USERPTR, &args) ? 0 : args.handle;
}

/*
 * Waits until all batches that were submitted have ended: they run in the order in which they came,
 * so that an empty one, of an opening of its own, ends last.
 */
static inline void i915_fuzz_settle(struct wt_i915 *device)
{
    static _Alignas(I915_FUZZ_PAGE) uint32_t batch[I915_FUZZ_PAGE / 4] = {0x05000000};
    struct wt_i915_file *file = wt_i915_open(device);
    struct drm_i915_gem_userptr object = {.user_ptr = (uintptr_t)batch, .user_size = sizeof batch};
    if (!file || wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_USERPTR, &object))
        abort();
    struct drm_i915_gem_exec_object2 list = {
        .handle = object.handle, .offset = I915_FUZZ_PAGE, .flags = EXEC_OBJECT_PINNED};
    struct drm_i915_gem_execbuffer2 args = {.buffers_ptr = (uintptr_t)&list, .buffer_count = 1};
    struct drm_i915_gem_wait wait = {.bo_handle = object.handle, .timeout_ns = -1};
    if (wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_EXECBUFFER2, &args) ||
        wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_WAIT, &wait))
        abort();
    wt_i915_close(file);
}

#endif
