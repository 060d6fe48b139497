/*
 * Fuzz target: batch buffers. The first kilobyte of an input is the commands of a batch, the rest
 * is data: descriptors, further commands. Each has an object of the GPU's address space; a dword
 * 0xfa58… or 0xfa57… is replaced by the lower half of an address in the first or the second one.
 * The batch ends, walks keep what the emulator is promised, and the device serves a batch that is
 * right afterwards, by a context that the first one has not lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_i915.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the GPU sees the objects: commands, data, and one more. */
static const uint64_t places[] = {0x100000, 0x104000, 0x108000};
enum { OBJECTS = 3, OBJECT_PAGES = 4, COMMANDS = 1024 };

static void put(uint8_t *to, const uint8_t *data, size_t size)
{
    const size_t room = (size_t)OBJECT_PAGES * I915_FUZZ_PAGE;
    memset(to, 0, room);
    memcpy(to, data, size < room ? size : room);
    for (size_t at = 0; at + 4 <= size && at + 4 <= room; at += 4) {
        uint32_t dword;
        memcpy(&dword, to + at, 4);
        if (dword >> 16 != 0xfa57 && dword >> 16 != 0xfa58)
            continue;
        dword = (uint32_t)places[dword >> 16 & 1] + (dword & 0x3fff);
        memcpy(to + at, &dword, 4);
    }
}

static int submit(struct wt_i915_file *file, uint32_t context, uint64_t start)
{
    struct drm_i915_gem_exec_object2 list[OBJECTS] = {0};
    for (unsigned i = 0; i < OBJECTS; i++)
        list[i] = (struct drm_i915_gem_exec_object2){
            .handle = i + 1, .offset = places[i], .flags = EXEC_OBJECT_PINNED};
    struct drm_i915_gem_execbuffer2 args = {.buffers_ptr = (uintptr_t)list,
                                            .buffer_count = OBJECTS,
                                            .batch_start_offset = start,
                                            .flags = I915_EXEC_NO_RELOC | I915_EXEC_BATCH_FIRST,
                                            .rsvd1 = context};
    return wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_EXECBUFFER2, &args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t end[] = {0x05000000};
    struct drm_i915_gem_context_create_ext other = {0};
    struct drm_i915_reset_stats stats = {0};
    struct wt_i915 *device;
    struct wt_error err;
    uint64_t clock = 0;
    if (wt_i915_new(&i915_fuzz_ops, &clock, 3, &device, &err) != WT_OK)
        abort();
    struct wt_i915_file *file = wt_i915_open(device);
    if (!file || wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &other))
        abort();
    for (unsigned i = 0; i < OBJECTS; i++)
        if (i915_fuzz_userptr(file, i * OBJECT_PAGES, OBJECT_PAGES) != i + 1)
            abort();
    const size_t commands = size < COMMANDS ? size : COMMANDS;
    put(i915_fuzz_memory(), data, commands);
    put(i915_fuzz_memory() + (size_t)OBJECT_PAGES * I915_FUZZ_PAGE, data + commands,
        size - commands);
    if (submit(file, 0, 0))
        abort();
    i915_fuzz_settle(device);
    struct drm_i915_gem_wait wait = {.bo_handle = 1};
    if (wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_WAIT, &wait) == -ETIME) {
        wt_i915_free(device); /* it waits for a semaphore */
        return 0;
    }
    if (wt_i915_ioctl(file, DRM_IOCTL_I915_GET_RESET_STATS, &stats))
        abort();
    /* A batch that failed has lost its context, and says so; another context goes on. */
    memcpy(i915_fuzz_memory(), end, sizeof end);
    if ((submit(file, 0, 0) != 0) != (stats.reset_count != 0) || submit(file, other.ctx_id, 0))
        abort();
    wt_i915_free(device);
    return 0;
}
