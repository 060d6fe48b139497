/* Buffer objects: memory that the driver gives out, and memory of the program itself (userptr). */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/common/checked.h"
#include "runtime/common/own_memory.h"
#include "runtime/common/results.h"
#include "runtime/i915/order.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/internal.h"

static _Thread_local uint64_t asked;
static _Thread_local const char *asked_by; /* name of the next object, for checks; NULL: none */
static _Thread_local bool asked_read_only;
static _Thread_local struct wt_block asked_own; /* memory of the program that it is */
static _Thread_local struct wt_call_stack asked_calls;
static _Thread_local uint32_t asked_first; /* handle of the first object since; 0: none */
static struct wt_i915_file *_Atomic asked_of;

void wt_i915_ask(uint64_t bytes)
{
    asked = bytes;
    asked_first = 0;
    asked_by = NULL;
    asked_own = (struct wt_block){.size = 0};
}

void wt_i915_ask_own(uint64_t memory, uint64_t size, const char *by, bool read_only)
{
    wt_i915_ask_object(by, read_only);
    asked_own = (struct wt_block){memory, size};
    asked_by = by;
}

void wt_i915_ask_object(const char *by, bool read_only)
{
    asked_by = asked ? by : NULL;
    asked_read_only = read_only;
    wt_call_stack_take(&asked_calls);
}

const void *wt_i915_asked_of(void)
{
    return asked_of;
}

uint32_t wt_i915_asked_object(void)
{
    return asked_first;
}

/* Of the file whose objects are the program's (wt_results_read_fn). */
static bool read_object(const void *space, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct wt_i915_file *file = asked_of;
    if (space != file)
        return false;
    for (size_t i = 0; i < file->object_count; i++) {
        const struct drm_object *o = &file->objects[i];
        if (o->used && o->host && addr - o->address < o->size &&
            size <= o->size - (addr - o->address))
            return wt_own_memory_read((uintptr_t)o->host + (addr - o->address), bytes, size);
    }
    return wt_own_memory_read(addr, bytes, size);
}

static uint32_t handle_of(const struct wt_i915_file *file, const struct drm_object *object)
{
    return (uint32_t)(object - file->objects) + 1;
}

/* ---- checks ---- */

/* A new object is the one that the thread's call asks for. */
static void take_asked(struct wt_i915_file *file, struct drm_object *object)
{
    asked_of = file;
    wt_results_set_read(read_object);
    asked_first = asked_first ? asked_first : handle_of(file, object);
    const uint64_t lead = asked_own.addr - (uintptr_t)object->host;
    const bool own = object->user && lead < object->size && asked_own.size &&
                     asked_own.size <= object->size - lead;
    if (!asked_by || (!object->asked && !own))
        return;
    object->by = asked_by;
    object->lead = own ? lead : 0;
    object->own = own ? asked_own.size : object->asked;
    object->kept_from_writes = asked_read_only;
    if ((object->calls = malloc(sizeof *object->calls)))
        *object->calls = asked_calls;
    asked_by = NULL;
}

/* Another object may have been there, whose end comes later. */
static void tell_place(struct wt_i915_file *file, struct drm_object *object)
{
    if (!wt_check_wants(WT_CHECK_MEMORY)) {
        if (object->asked)
            wt_object_made(file, object->address, object->asked, "i915");
        return;
    }
    for (size_t i = 0; i < file->object_count; i++) {
        struct drm_object *other = &file->objects[i];
        if (other != object && other->placed && other->address < object->address + object->size &&
            object->address < other->address + other->size)
            drm_object_unplace(file, other);
    }
    wt_block_made(file, object->address, object->size);
    if (!object->by)
        return;
    const uint64_t at = object->address + object->lead;
    wt_object_made_before(file, at, object->own, object->by, object->calls);
    if (object->kept_from_writes)
        wt_object_set_read_only(file, at, true);
}

void drm_object_place(struct wt_i915_file *file, struct drm_object *object)
{
    object->placed = true;
    tell_place(file, object);
    drm_order_placed(file, handle_of(file, object), object->address, object->size);
}

enum wt_i915_texels wt_i915_image_made(const char *by, uint64_t memory, uint64_t *size,
                                       uint64_t *lead)
{
    struct wt_i915_file *file = (struct wt_i915_file *)asked_of;
    enum wt_i915_texels texels = WT_I915_NO_TEXELS;
    if (!wt_check_wants(WT_CHECK_MEMORY) || !file || !asked_first)
        return texels;
    pthread_mutex_lock(&file->device->lock);
    struct drm_object *o = drm_object(file, asked_first);
    const bool tiled = o && !o->user && o->tiling,
               own = o && o->user && memory - (uintptr_t)o->host < o->size;
    *lead = own ? memory - (uintptr_t)o->host : 0;
    if (o && !o->by && (tiled || *size <= o->size - *lead)) {
        texels = tiled ? WT_I915_TILED : WT_I915_LINEAR;
        *size = tiled || !*size ? o->size : *size;
        o->by = by;
        o->lead = *lead;
        o->own = *size - (*size == o->size ? *lead : 0);
        if ((o->calls = malloc(sizeof *o->calls)))
            wt_call_stack_take(o->calls);
        if (o->placed)
            wt_object_made_before(file, o->address + o->lead, o->own, o->by, o->calls);
    }
    pthread_mutex_unlock(&file->device->lock);
    return texels;
}

void drm_object_unplace(struct wt_i915_file *file, struct drm_object *object)
{
    const bool checked = wt_check_wants(WT_CHECK_MEMORY);
    object->placed = false;
    drm_order_placed(file, handle_of(file, object), 0, object->size);
    if (checked ? object->by != NULL : object->asked != 0)
        wt_object_freed(file, object->address + object->lead, "i915");
    if (checked)
        wt_block_gone(file, object->address);
}

struct drm_object *drm_object(struct wt_i915_file *file, uint32_t handle)
{
    if (!handle || handle > file->object_count)
        return NULL;
    struct drm_object *object = &file->objects[handle - 1];
    return object->used && !object->closed ? object : NULL;
}

/* A free handle, 0 without host memory. */
static uint32_t new_handle(struct wt_i915_file *file)
{
    for (size_t i = 0; i < file->object_count; i++)
        if (!file->objects[i].used)
            return (uint32_t)i + 1;
    if (file->object_count == UINT32_MAX)
        return 0;
    struct drm_object *grown =
        wt_array_grow(file->objects, &file->object_capacity, file->object_count + 1, sizeof *grown);
    if (!grown)
        return 0;
    file->objects = grown;
    return (uint32_t)++file->object_count;
}

/* Fills an object that is new memory of the program. */
static void fill_new(struct wt_i915_file *file, uint32_t handle)
{
    const struct drm_object *object = &file->objects[handle - 1];
    if (object->asked)
        file->device->ops->fill(file->device->context, (uint64_t)handle << DRM_ADDRESS_BITS,
                                object->host, object->asked, !object->user);
}

int drm_create(struct wt_i915_file *file, struct drm_i915_gem_create *args)
{
    struct wt_i915 *device = file->device;
    if (!args->size || args->size > (uint64_t)1 << 40)
        return -EINVAL;
    const uint64_t size = (args->size + DRM_PAGE - 1) & ~(DRM_PAGE - 1);
    const uint64_t offset = device->used;
    if (ftruncate(device->descriptor, (off_t)(offset + size)) != 0)
        return -ENOSPC;
    uint8_t *host =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, device->descriptor, (off_t)offset);
    if (host == MAP_FAILED)
        return -ENOMEM;
    const uint32_t handle = new_handle(file);
    if (!handle) {
        munmap(host, size);
        return -ENOMEM;
    }
    device->used += size;
    file->objects[handle - 1] = (struct drm_object){
        .used = true,
        .host = host,
        .size = size,
        .asked = asked <= size ? asked : 0,
        .offset = offset,
        .caching = I915_CACHING_CACHED, /* as with every LLC */
        .read_domains = I915_GEM_DOMAIN_CPU,
        .write_domain = I915_GEM_DOMAIN_CPU,
    };
    fill_new(file, handle);
    take_asked(file, &file->objects[handle - 1]);
    args->size = size;
    args->handle = handle;
    return 0;
}

int drm_userptr(struct wt_i915_file *file, struct drm_i915_gem_userptr *args)
{
    const uint32_t known =
        I915_USERPTR_READ_ONLY | I915_USERPTR_PROBE | I915_USERPTR_UNSYNCHRONIZED;
    if (args->flags & ~known || !args->user_size || (args->user_ptr | args->user_size) % DRM_PAGE)
        return -EINVAL;
    if (args->user_ptr >> DRM_ADDRESS_BITS || args->user_size > (uint64_t)1 << DRM_ADDRESS_BITS)
        return -EFAULT;
    const uint32_t handle = new_handle(file);
    if (!handle)
        return -ENOMEM;
    file->objects[handle - 1] = (struct drm_object){
        .used = true,
        .user = true,
        .host = (uint8_t *)(uintptr_t)args->user_ptr,
        .size = args->user_size,
        .asked = asked <= args->user_size ? asked : 0,
        .read_only = args->flags & I915_USERPTR_READ_ONLY,
        .caching = I915_CACHING_CACHED, /* as with every LLC */
        .read_domains = I915_GEM_DOMAIN_CPU,
        .write_domain = I915_GEM_DOMAIN_CPU,
    };
    fill_new(file, handle);
    take_asked(file, &file->objects[handle - 1]);
    args->handle = handle;
    return 0;
}

void drm_object_free(struct wt_i915_file *file, struct drm_object *object)
{
    assert(object->used && !object->active);
    if (object->placed)
        drm_object_unplace(file, object);
    free(object->calls);
    if (object->bound)
        drm_final_unmap(file->device, object->address, object->host, object->size);
    if (!object->user) {
        munmap(object->host, object->size);
        /* The range is not given out again, so that a mapping of the program's stays what it is;
         * its memory goes back unless it is still mapped elsewhere. */
        (void)fallocate(file->device->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)object->offset, (off_t)object->size);
    }
    object->used = false;
}

int drm_close(struct wt_i915_file *file, struct drm_gem_close *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -EINVAL;
    object->closed = true;
    if (!object->active)
        drm_object_free(file, object);
    return 0;
}

int drm_mmap(struct wt_i915_file *file, struct drm_i915_gem_mmap *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (object->user)
        return -ENXIO;
    if (args->flags & ~(uint64_t)I915_MMAP_WC || args->offset % DRM_PAGE || !args->size ||
        args->offset > object->size || args->size > object->size - args->offset)
        return -EINVAL;
    void *at = mmap(NULL, args->size, PROT_READ | PROT_WRITE, MAP_SHARED, file->device->descriptor,
                    (off_t)(object->offset + args->offset));
    if (at == MAP_FAILED)
        return -ENOMEM;
    object->mapped = true;
    args->addr_ptr = (uintptr_t)at;
    return 0;
}

int drm_mmap_offset(struct wt_i915_file *file, struct drm_i915_gem_mmap_offset *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (object->user)
        return -ENODEV;
    if (args->extensions || args->flags > I915_MMAP_OFFSET_UC)
        return -EINVAL;
    object->mapped = true;
    args->offset = object->offset;
    return 0;
}

/* The part of an object that a copy is about; NULL with *error set. */
static uint8_t *part(struct wt_i915_file *file, uint32_t handle, uint64_t offset, uint64_t size,
                     int *error)
{
    struct drm_object *object = drm_object(file, handle);
    *error = !object ? -ENOENT : -EINVAL;
    if (!object || offset > object->size || size > object->size - offset)
        return NULL;
    return object->host + offset;
}

/* A program's own memory may be the object, so the two may overlap. */
static int transfer(uint64_t to, uint64_t from, size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        return -ENOMEM;
    const bool done = drm_copy_in(bytes, from, size) && drm_copy_out(to, bytes, size);
    free(bytes);
    return done ? 0 : -EFAULT;
}

int drm_pwrite(struct wt_i915_file *file, struct drm_i915_gem_pwrite *args)
{
    int error;
    uint8_t *to = part(file, args->handle, args->offset, args->size, &error);
    if (!to)
        return error;
    return transfer((uintptr_t)to, args->data_ptr, args->size);
}

int drm_pread(struct wt_i915_file *file, struct drm_i915_gem_pread *args)
{
    int error;
    const uint8_t *from = part(file, args->handle, args->offset, args->size, &error);
    if (!from)
        return error;
    return transfer(args->data_ptr, (uintptr_t)from, args->size);
}

int drm_set_domain(struct wt_i915_file *file, struct drm_i915_gem_set_domain *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    const uint32_t host = I915_GEM_DOMAIN_CPU | I915_GEM_DOMAIN_GTT | I915_GEM_DOMAIN_WC;
    if (!object)
        return -ENOENT;
    if ((args->read_domains | args->write_domain) & ~host ||
        (args->write_domain && args->read_domains != args->write_domain))
        return -EINVAL;
    object->read_domains = args->read_domains;
    object->write_domain = args->write_domain;
    return 0;
}

int drm_set_tiling(struct wt_i915_file *file, struct drm_i915_gem_set_tiling *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (args->tiling_mode > I915_TILING_Y || (args->tiling_mode && !args->stride))
        return -EINVAL;
    object->tiling = args->tiling_mode;
    object->stride = args->tiling_mode ? args->stride : 0;
    args->swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    return 0;
}

int drm_get_tiling(struct wt_i915_file *file, struct drm_i915_gem_get_tiling *args)
{
    const struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    args->tiling_mode = object->tiling;
    args->swizzle_mode = args->phys_swizzle_mode = I915_BIT_6_SWIZZLE_NONE;
    return 0;
}

int drm_madvise(struct wt_i915_file *file, struct drm_i915_gem_madvise *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    if (args->madv != I915_MADV_WILLNEED && args->madv != I915_MADV_DONTNEED)
        return -EINVAL;
    object->purgeable = args->madv == I915_MADV_DONTNEED;
    args->retained = 1; /* nothing is ever purged */
    return 0;
}

int drm_set_caching(struct wt_i915_file *file, struct drm_i915_gem_caching *args)
{
    struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    switch (args->caching) {
    case I915_CACHING_NONE:
    case I915_CACHING_DISPLAY: /* without an eLLC (I915_PARAM_HAS_WT) that is the same */
        object->caching = I915_CACHING_NONE;
        return 0;
    case I915_CACHING_CACHED:
        object->caching = I915_CACHING_CACHED;
        return 0;
    default:
        return -EINVAL;
    }
}

int drm_get_caching(struct wt_i915_file *file, struct drm_i915_gem_caching *args)
{
    const struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    args->caching = object->caching;
    return 0;
}
