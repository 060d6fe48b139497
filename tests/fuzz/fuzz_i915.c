/*
 * Fuzz target: the ioctls of the i915 driver. An input is a list of calls: the ioctl, the size that
 * its request claims, and the bytes of its arguments. What a program must give rightly lest it
 * breaks itself (pointers to its memory) is put in: linux would answer EFAULT. Bytes of the input
 * also fill the program's memory, in which lists of objects, batches and extensions lie. A call
 * comes when the batches before it have ended, or at once, as the fourth byte of the one before it
 * says. Whatever comes, the driver lives, and calls that are right are served afterwards.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "fuzz_i915.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = I915_FUZZ_PAGES * I915_FUZZ_PAGE, LARGEST = 128, NOTHING = 0xff };

/* Fields of 64 bits that are a pointer into the program's memory, or a size to keep small. */
struct call {
    unsigned long request;
    uint8_t pointer[3], size[2], handle;
};

#define AT(type, field) offsetof(struct type, field)
static const struct call calls[] = {
    {DRM_IOCTL_VERSION,
     {AT(drm_version, name), AT(drm_version, date), AT(drm_version, desc)},
     {AT(drm_version, name_len), AT(drm_version, date_len)},
     NOTHING},
    {DRM_IOCTL_GEM_CLOSE, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GETPARAM,
     {AT(drm_i915_getparam, value), NOTHING, NOTHING},
     {NOTHING, NOTHING},
     NOTHING},
    {DRM_IOCTL_I915_REG_READ, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, NOTHING},
    {DRM_IOCTL_I915_GEM_CREATE,
     {NOTHING, NOTHING, NOTHING},
     {AT(drm_i915_gem_create, size), NOTHING},
     NOTHING},
    {DRM_IOCTL_I915_GEM_USERPTR,
     {AT(drm_i915_gem_userptr, user_ptr), NOTHING, NOTHING},
     {AT(drm_i915_gem_userptr, user_size), NOTHING},
     NOTHING},
    {DRM_IOCTL_I915_GEM_MMAP,
     {NOTHING, NOTHING, NOTHING},
     {AT(drm_i915_gem_mmap, size), NOTHING},
     AT(drm_i915_gem_mmap, handle)},
    {DRM_IOCTL_I915_GEM_MMAP_OFFSET, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_PREAD,
     {AT(drm_i915_gem_pread, data_ptr), NOTHING, NOTHING},
     {AT(drm_i915_gem_pread, size), AT(drm_i915_gem_pread, offset)},
     0},
    {DRM_IOCTL_I915_GEM_PWRITE,
     {AT(drm_i915_gem_pwrite, data_ptr), NOTHING, NOTHING},
     {AT(drm_i915_gem_pwrite, size), AT(drm_i915_gem_pwrite, offset)},
     0},
    {DRM_IOCTL_I915_GEM_SET_DOMAIN, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_SET_TILING, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_GET_TILING, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_MADVISE, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_WAIT, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_BUSY, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_GET_APERTURE, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, NOTHING},
    {DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT,
     {AT(drm_i915_gem_context_create_ext, extensions), NOTHING, NOTHING},
     {NOTHING, NOTHING},
     NOTHING},
    {DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM,
     {AT(drm_i915_gem_context_param, value), NOTHING, NOTHING},
     {NOTHING, NOTHING},
     0},
    {DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM,
     {AT(drm_i915_gem_context_param, value), NOTHING, NOTHING},
     {NOTHING, NOTHING},
     0},
    {DRM_IOCTL_I915_GET_RESET_STATS, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_EXECBUFFER2,
     {AT(drm_i915_gem_execbuffer2, buffers_ptr), NOTHING, NOTHING},
     {AT(drm_i915_gem_execbuffer2, batch_start_offset), NOTHING},
     NOTHING},
    {DRM_IO(0x60), {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, NOTHING},
    {DRM_IOCTL_I915_GEM_SET_CACHING, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
    {DRM_IOCTL_I915_GEM_GET_CACHING, {NOTHING, NOTHING, NOTHING}, {NOTHING, NOTHING}, 0},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static uint64_t get(const uint8_t *args, unsigned at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, args + at, bytes);
    return value;
}

static void set(uint8_t *args, unsigned at, unsigned bytes, uint64_t value)
{
    memcpy(args + at, &value, bytes);
}

/* The program's pointers are right: they lie in the lower half of its memory, sizes in a quarter of
 * it. */
static void make_right(const struct call *call, uint8_t *args)
{
    const bool pages = call->request == DRM_IOCTL_I915_GEM_USERPTR;
    for (unsigned i = 0; i < 3; i++)
        if (call->pointer[i] != NOTHING) {
            const uint64_t at = get(args, call->pointer[i], 8) % (MEMORY / 2);
            set(args, call->pointer[i], 8,
                (uintptr_t)i915_fuzz_memory() +
                    (pages ? at & ~UINT64_C(0xfff) : at & ~UINT64_C(7)));
        }
    for (unsigned i = 0; i < 2; i++)
        if (call->size[i] != NOTHING)
            set(args, call->size[i], 8, get(args, call->size[i], 8) % (MEMORY / 4));
    if (call->request == DRM_IOCTL_VERSION)
        set(args, AT(drm_version, desc_len), 8, get(args, AT(drm_version, desc_len), 8) % 64);
    if (call->handle != NOTHING)
        set(args, call->handle, 4, get(args, call->handle, 4) % 12);
    if (call->request == DRM_IOCTL_I915_GEM_EXECBUFFER2)
        set(args, AT(drm_i915_gem_execbuffer2, buffer_count), 4,
            get(args, AT(drm_i915_gem_execbuffer2, buffer_count), 4) % 16);
}

/* A chain of extensions in memory: each leads on to an address of the program's. */
static void make_extensions_right(uint64_t at)
{
    const uint8_t *const memory = i915_fuzz_memory();
    for (unsigned depth = 0; depth < 4; depth++) {
        uint8_t *e = (uint8_t *)(uintptr_t)at;
        const uint64_t next = get(e, 0, 8);
        const uint64_t to = (uintptr_t)memory + (next % (MEMORY / 2) & ~UINT64_C(7));
        set(e, 0, 8, next && depth < 3 ? to : 0);
        if (!next)
            return;
        at = to;
    }
}

static void query(struct wt_i915_file *file, const uint8_t *data)
{
    struct drm_i915_query_item item = {.query_id = data[0] % 6,
                                       .length = data[1] % 64,
                                       .flags = data[2] == 0xff,
                                       .data_ptr = (uintptr_t)i915_fuzz_memory()};
    struct drm_i915_query args = {.num_items = data[3] % 2, .items_ptr = (uintptr_t)&item};
    wt_i915_ioctl(file, DRM_IOCTL_I915_QUERY, &args);
}

static void one_call(struct wt_i915_file *file, const struct call *call, unsigned claimed,
                     uint8_t *args)
{
    make_right(call, args);
    if (call->request == DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT && claimed > 8)
        make_extensions_right(get(args, AT(drm_i915_gem_context_create_ext, extensions), 8));
    /* A structure that is cut has zeros for what is not there: its pointers are NULL then. */
    unsigned least = 0;
    for (unsigned i = 0; i < 3; i++)
        if (call->pointer[i] != NOTHING && call->pointer[i] + 8u > least)
            least = call->pointer[i] + 8u;
    const unsigned given = claimed < least ? least : claimed;
    const unsigned long request = _IOC(_IOC_DIR(call->request), 'd', _IOC_NR(call->request), given);
    const int error = wt_i915_ioctl(file, request, args);
    if (error > 0)
        abort();
    if (call->request == DRM_IOCTL_I915_GEM_MMAP && !error && given >= 32)
        munmap((void *)(uintptr_t)get(args, AT(drm_i915_gem_mmap, addr_ptr), 8),
               get(args, AT(drm_i915_gem_mmap, size), 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wt_i915 *device;
    struct wt_gem_state state;
    struct wt_error err;
    uint64_t clock = 0;
    memset(i915_fuzz_memory(), 0, MEMORY);
    if (wt_i915_new(&i915_fuzz_ops, &clock, 3, &device, &err) != WT_OK)
        abort();
    struct wt_i915_file *file = wt_i915_open(device);
    if (!file)
        abort();
    /* Two objects are there: a batch and data. */
    i915_fuzz_userptr(file, 0, 4);
    i915_fuzz_userptr(file, 4, 4);
    while (size >= 4) {
        uint8_t args[LARGEST + 64] = {0};
        const unsigned what = data[0], claimed = data[1] % LARGEST, length = data[2] % LARGEST;
        const size_t taken = length < size - 4 ? length : size - 4;
        if (what == 0xfe && taken >= 4) {
            query(file, data + 4);
        } else if (what == 0xff) { /* bytes for the program's memory */
            memcpy(i915_fuzz_memory() + (size_t)data[3] * 256, data + 4, taken);
        } else {
            memcpy(args, data + 4, taken);
            one_call(file, &calls[what % CALLS], claimed, args);
            if (!(data[3] & 1))
                i915_fuzz_settle(device);
        }
        data += 4 + taken;
        size -= 4 + taken;
    }
    int chip = 0;
    struct drm_i915_getparam param = {.param = I915_PARAM_CHIPSET_ID, .value = &chip};
    if (wt_i915_ioctl(file, DRM_IOCTL_I915_GETPARAM, &param) || chip != WT_I915_CHIP ||
        !i915_fuzz_userptr(file, 8, 1) || wt_i915_gem_state(device, &state, &err) != WT_OK)
        abort();
    wt_gem_state_free(&state);
    wt_i915_free(device);
    return 0;
}
