/* The device: its openings, its parameters, and which function answers which ioctl. */
#include "runtime/i915/i915.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "emulator/gen/gen.h"
#include "runtime/i915/internal.h"

/* ---- parameters ---- */

static int get_param(struct wt_i915_file *file, struct drm_i915_getparam *args)
{
    const unsigned subslices = file->device->subslices;
    int value;
    switch (args->param) {
    case I915_PARAM_CHIPSET_ID:
        value = WT_I915_CHIP;
        break;
    case I915_PARAM_REVISION:
        value = WT_I915_REVISION;
        break;
    case I915_PARAM_SUBSLICE_TOTAL:
        value = (int)subslices;
        break;
    case I915_PARAM_EU_TOTAL:
        value = (int)(subslices * GEN_EUS);
        break;
    case I915_PARAM_SLICE_MASK:
        value = (1 << (subslices + 2) / 3) - 1;
        break;
    case I915_PARAM_SUBSLICE_MASK:
        value = (1 << (subslices < 3 ? subslices : 3)) - 1;
        break;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY:
        value = WT_I915_CLOCK_HZ;
        break;
    case I915_PARAM_HAS_GEM:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_LLC:
    case I915_PARAM_HAS_RELAXED_FENCING:
    case I915_PARAM_HAS_RELAXED_DELTA:
    case I915_PARAM_HAS_COHERENT_RINGS:
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_EXEC_NO_RELOC:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_USERPTR_PROBE:
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
    case I915_PARAM_MMAP_VERSION:
        value = 1;
        break;
    case I915_PARAM_MMAP_GTT_VERSION:
        value = 4; /* DRM_IOCTL_I915_GEM_MMAP_OFFSET */
        break;
    case I915_PARAM_HAS_ALIASING_PPGTT:
        value = 3; /* full PPGTT of 48 bits */
        break;
    case I915_PARAM_HAS_SCHEDULER: /* no preemption */
    case I915_PARAM_HAS_BSD:
    case I915_PARAM_HAS_BLT:
    case I915_PARAM_HAS_VEBOX:
    case I915_PARAM_HAS_BSD2:
    case I915_PARAM_HAS_POOLED_EU:
    case I915_PARAM_MIN_EU_IN_POOL:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_HANDLE_LUT:
    case I915_PARAM_HAS_RESOURCE_STREAMER:
    case I915_PARAM_HAS_GPU_RESET:
    case I915_PARAM_HUC_STATUS:
    case I915_PARAM_CMD_PARSER_VERSION:
    case I915_PARAM_NUM_FENCES_AVAIL:
    case I915_PARAM_HAS_OVERLAY:
    case I915_PARAM_HAS_WT:
        value = 0;
        break;
    default:
        return -EINVAL;
    }
    return drm_copy_out((uintptr_t)args->value, &value, sizeof value) ? 0 : -EFAULT;
}

static int version(struct wt_i915_file *file, struct drm_version *args)
{
    static const char name[] = "i915";
    static const char date[] = "20201103";
    static const char description[] = "Intel Graphics";
    const struct {
        char *to;
        __kernel_size_t *room;
        const char *text;
    } texts[] = {{args->name, &args->name_len, name},
                 {args->date, &args->date_len, date},
                 {args->desc, &args->desc_len, description}};
    args->version_major = 1;
    args->version_minor = 6;
    args->version_patchlevel = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const size_t length = strlen(texts[i].text);
        if (texts[i].to && !drm_copy_out((uintptr_t)texts[i].to, texts[i].text,
                                         *texts[i].room < length ? *texts[i].room : length))
            return -EFAULT;
        *texts[i].room = length;
    }
    return 0;
}

static int reg_read(struct wt_i915_file *file, struct drm_i915_reg_read *args)
{
    /* The only register that programs may read: the render engine's time. */
    if ((args->offset & ~UINT64_C(1)) != 0x2358)
        return -EINVAL;
    args->val = file->device->ops->ticks(file->device->context) & UINT64_C(0xfffffffff);
    return 0;
}

/* ---- queries ---- */

/* DRM_I915_QUERY_TOPOLOGY_INFO: which slices, subslices and EUs there are, each a bit. */
static size_t topology(const struct wt_i915 *device, uint8_t *out)
{
    enum { A_SLICE = 3 };
    const unsigned slices = (device->subslices + A_SLICE - 1) / A_SLICE;
    struct drm_i915_query_topology_info info = {
        .max_slices = (uint16_t)slices,
        .max_subslices = A_SLICE,
        .max_eus_per_subslice = GEN_EUS,
        .subslice_offset = 1,
        .subslice_stride = 1,
        .eu_offset = (uint16_t)(1 + slices),
        .eu_stride = 1,
    };
    const size_t size = sizeof info + 1 + slices + slices * A_SLICE;
    if (!out)
        return size;
    memset(out, 0, size);
    memcpy(out, &info, sizeof info);
    uint8_t *data = out + sizeof info;
    data[0] = (uint8_t)((1 << slices) - 1);
    for (unsigned i = 0; i < device->subslices; i++) {
        data[1 + i / A_SLICE] |= (uint8_t)(1 << i % A_SLICE);
        data[info.eu_offset + i] = 0xff;
    }
    return size;
}

static size_t engines(const struct wt_i915 *device, uint8_t *out)
{
    const struct drm_i915_query_engine_info head = {.num_engines = 1};
    const struct drm_i915_engine_info render = {.engine.engine_class = I915_ENGINE_CLASS_RENDER};
    if (out) {
        memcpy(out, &head, sizeof head);
        memcpy(out + sizeof head, &render, sizeof render);
    }
    return sizeof head + sizeof render;
}

/* False: there is no memory for the answer. */
static bool answer_item(const struct wt_i915 *device, struct drm_i915_query_item *item)
{
    uint8_t bytes[256];
    size_t (*answer)(const struct wt_i915 *, uint8_t *) =
        item->query_id == DRM_I915_QUERY_TOPOLOGY_INFO ? topology
        : item->query_id == DRM_I915_QUERY_ENGINE_INFO ? engines
                                                       : NULL;
    const int32_t room = item->length;
    const size_t size = answer ? answer(device, NULL) : 0;
    item->length = -EINVAL;
    if (!answer || item->flags || (room && room < (int32_t)size))
        return true;
    assert(size <= sizeof bytes);
    item->length = (int32_t)size;
    if (!room)
        return true;
    answer(device, bytes);
    return drm_copy_out(item->data_ptr, bytes, size);
}

static int query(struct wt_i915_file *file, struct drm_i915_query *args)
{
    if (args->flags)
        return -EINVAL;
    for (uint32_t i = 0; i < args->num_items; i++) {
        const uint64_t at = args->items_ptr + i * sizeof(struct drm_i915_query_item);
        struct drm_i915_query_item item;
        if (!drm_copy_in(&item, at, sizeof item) || !answer_item(file->device, &item) ||
            !drm_copy_out(at, &item, sizeof item))
            return -EFAULT;
    }
    return 0;
}

/* ---- ioctls ---- */

/* `ns` nanoseconds from now, on the clock of the device's condition. */
static struct timespec deadline(uint64_t ns)
{
    enum { SECOND = 1000000000 };
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ns / SECOND);
    t.tv_nsec += (long)(ns % SECOND);
    if (t.tv_nsec >= SECOND) {
        t.tv_sec++;
        t.tv_nsec -= SECOND;
    }
    return t;
}

/* A negative time is no limit. */
static int wait_for(struct wt_i915_file *file, struct drm_i915_gem_wait *args)
{
    const struct drm_object *object = drm_object(file, args->bo_handle);
    if (args->flags)
        return -EINVAL;
    if (!object)
        return -ENOENT;
    const uint64_t ns = args->timeout_ns < 0 ? 0 : (uint64_t)args->timeout_ns;
    const struct timespec until = deadline(ns);
    /* The table of objects may move meanwhile. */
    while ((object = drm_object(file, args->bo_handle)) != NULL && object->active) {
        const int error =
            args->timeout_ns < 0
                ? pthread_cond_wait(&file->device->idle, &file->device->lock)
                : pthread_cond_timedwait(&file->device->idle, &file->device->lock, &until);
        if (error == ETIMEDOUT) {
            args->timeout_ns = 0;
            return -ETIME;
        }
    }
    return 0;
}

static bool rests(const struct wt_i915 *device)
{
    const struct drm_submission *s = device->first;
    while (s && s->waits)
        s = s->next;
    return !s && !device->running;
}

bool wt_i915_await_rest(struct wt_i915 *device, uint64_t ns)
{
    const struct timespec until = deadline(ns);
    pthread_mutex_lock(&device->lock);
    while (!rests(device) &&
           pthread_cond_timedwait(&device->idle, &device->lock, &until) != ETIMEDOUT)
        continue;
    const bool all = rests(device);
    pthread_mutex_unlock(&device->lock);
    return all;
}

static int busy(struct wt_i915_file *file, struct drm_i915_gem_busy *args)
{
    const struct drm_object *object = drm_object(file, args->handle);
    if (!object)
        return -ENOENT;
    /* Bits 31:16 are readers, 15:0 the writer: linux numbers the class of the engine. */
    args->busy = object->active ? (uint32_t)1 << (16 + I915_ENGINE_CLASS_RENDER) : 0;
    return 0;
}

static int get_aperture(struct wt_i915_file *file, struct drm_i915_gem_get_aperture *args)
{
    args->aper_size = args->aper_available_size = (uint64_t)1 << 32;
    return 0;
}

/* Each ioctl: its function, and the structure that its argument is. */
#define REQUESTS(X)                                                                                \
    X(DRM_IOCTL_VERSION, version, drm_version)                                                     \
    X(DRM_IOCTL_GEM_CLOSE, drm_close, drm_gem_close)                                               \
    X(DRM_IOCTL_I915_GETPARAM, get_param, drm_i915_getparam)                                       \
    X(DRM_IOCTL_I915_REG_READ, reg_read, drm_i915_reg_read)                                        \
    X(DRM_IOCTL_I915_QUERY, query, drm_i915_query)                                                 \
    X(DRM_IOCTL_I915_GEM_CREATE, drm_create, drm_i915_gem_create)                                  \
    X(DRM_IOCTL_I915_GEM_USERPTR, drm_userptr, drm_i915_gem_userptr)                               \
    X(DRM_IOCTL_I915_GEM_MMAP, drm_mmap, drm_i915_gem_mmap)                                        \
    X(DRM_IOCTL_I915_GEM_MMAP_OFFSET, drm_mmap_offset, drm_i915_gem_mmap_offset)                   \
    X(DRM_IOCTL_I915_GEM_PREAD, drm_pread, drm_i915_gem_pread)                                     \
    X(DRM_IOCTL_I915_GEM_PWRITE, drm_pwrite, drm_i915_gem_pwrite)                                  \
    X(DRM_IOCTL_I915_GEM_SET_DOMAIN, drm_set_domain, drm_i915_gem_set_domain)                      \
    X(DRM_IOCTL_I915_GEM_SET_TILING, drm_set_tiling, drm_i915_gem_set_tiling)                      \
    X(DRM_IOCTL_I915_GEM_GET_TILING, drm_get_tiling, drm_i915_gem_get_tiling)                      \
    X(DRM_IOCTL_I915_GEM_MADVISE, drm_madvise, drm_i915_gem_madvise)                               \
    X(DRM_IOCTL_I915_GEM_SET_CACHING, drm_set_caching, drm_i915_gem_caching)                       \
    X(DRM_IOCTL_I915_GEM_GET_CACHING, drm_get_caching, drm_i915_gem_caching)                       \
    X(DRM_IOCTL_I915_GEM_WAIT, wait_for, drm_i915_gem_wait)                                        \
    X(DRM_IOCTL_I915_GEM_BUSY, busy, drm_i915_gem_busy)                                            \
    X(DRM_IOCTL_I915_GEM_GET_APERTURE, get_aperture, drm_i915_gem_get_aperture)                    \
    X(DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, drm_context_create, drm_i915_gem_context_create_ext)  \
    X(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, drm_context_destroy, drm_i915_gem_context_destroy)       \
    X(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, drm_context_getparam, drm_i915_gem_context_param)       \
    X(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, drm_context_setparam, drm_i915_gem_context_param)       \
    X(DRM_IOCTL_I915_GET_RESET_STATS, drm_reset_stats, drm_i915_reset_stats)                       \
    X(DRM_IOCTL_I915_GEM_EXECBUFFER2, drm_execbuffer, drm_i915_gem_execbuffer2)

/* The functions take their structures; the table calls them all in one way. */
#define ADAPTER(request, function, type)                                                           \
    static int answer_##function(struct wt_i915_file *file, void *args)                            \
    {                                                                                              \
        return function(file, args);                                                               \
    }
REQUESTS(ADAPTER)
#undef ADAPTER

/* A row of the table: the structure's size is checked against the request's. */
#define ROW(request, function, type) {request, answer_##function, sizeof(struct type)},
static const struct {
    unsigned long request;
    int (*run)(struct wt_i915_file *file, void *args);
    size_t size;
} requests[] = {REQUESTS(ROW)};
#undef ROW

int wt_i915_ioctl(struct wt_i915_file *file, unsigned long request, void *argument)
{
    /* As linux's DRM core does: the number decides, and a shorter or longer structure is filled up
     * with zeros or cut. */
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (_IOC_TYPE(request) != 'd' || _IOC_NR(request) != _IOC_NR(requests[i].request))
            continue;
        uint64_t args[32] = {0};
        const size_t given = _IOC_SIZE(request);
        assert(requests[i].size <= sizeof args);
        const size_t size = given < requests[i].size ? given : requests[i].size;
        if (!drm_copy_in(args, (uintptr_t)argument, size))
            return -EFAULT;
        pthread_mutex_lock(&file->device->lock);
        const int error = requests[i].run(file, args);
        pthread_mutex_unlock(&file->device->lock);
        if (_IOC_DIR(request) & _IOC_READ && !drm_copy_out((uintptr_t)argument, args, size))
            return -EFAULT;
        return error;
    }
    return -ENOTTY;
}

/* ---- the device and its openings ---- */

static bool make_locks(struct wt_i915 *d)
{
    pthread_condattr_t clock;
    if (pthread_condattr_init(&clock))
        return false;
    const bool made = !pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) &&
                      !pthread_cond_init(&d->idle, &clock) &&
                      !pthread_cond_init(&d->submitted, &clock) &&
                      !pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_destroy(&clock);
    return made;
}

void wt_i915_before_fork(struct wt_i915 *device)
{
    pthread_mutex_lock(&device->lock);
}

bool wt_i915_after_fork(struct wt_i915 *device, bool child)
{
    const bool was_running = device->running;
    pthread_mutex_unlock(&device->lock);
    if (!child)
        return false;
    make_locks(device);
    drm_queue_forget(device);
    device->record = NULL; /* the file is the parent's */
    device->final = (struct wt_final_memory)WT_FINAL_MEMORY_NONE;
    device->planted = (struct wt_planted_list)WT_PLANTED_NONE;
    for (struct wt_i915_file *f = device->files; f; f = f->next) {
        for (size_t i = 0; i < f->object_count; i++)
            f->objects[i].active = 0;
        for (size_t i = 0; i < f->context_count; i++)
            f->contexts[i]->active = 0;
    }
    return was_running;
}

enum wt_status wt_i915_new(const struct wt_i915_ops *ops, void *context, unsigned subslices,
                           struct wt_i915 **device, struct wt_error *err)
{
    assert(ops->run && ops->ticks && ops->read_register && ops->write_register && ops->say);
    assert(subslices >= 1 && subslices <= 9);
    struct wt_i915 *d = calloc(1, sizeof *d);
    const int descriptor = memfd_create("i915", MFD_CLOEXEC);
    if (!d || descriptor < 0 || !make_locks(d)) {
        if (descriptor >= 0)
            close(descriptor);
        free(d);
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a device");
    }
    d->ops = ops;
    d->context = context;
    d->subslices = subslices;
    d->descriptor = descriptor;
    d->final = (struct wt_final_memory)WT_FINAL_MEMORY_NONE;
    d->planted = (struct wt_planted_list)WT_PLANTED_NONE;
    *device = d;
    return WT_OK;
}

void wt_i915_free(struct wt_i915 *device)
{
    if (!device)
        return;
    while (device->files)
        wt_i915_close(device->files);
    drm_queue_end(device);
    wt_final_want(&device->final, false);
    wt_planted_forget(&device->planted);
    close(device->descriptor);
    pthread_mutex_destroy(&device->lock);
    pthread_cond_destroy(&device->idle);
    pthread_cond_destroy(&device->submitted);
    free(device);
}

int wt_i915_descriptor(const struct wt_i915 *device)
{
    return device->descriptor;
}

struct wt_i915_file *wt_i915_open(struct wt_i915 *device)
{
    struct wt_i915_file *file = calloc(1, sizeof *file);
    struct drm_i915_gem_context_create_ext context = {0};
    if (!file)
        return NULL;
    file->device = device;
    if (drm_context_create(file, &context) != 0) {
        free(file->contexts);
        free(file);
        return NULL;
    }
    assert(context.ctx_id == 0);
    pthread_mutex_lock(&device->lock);
    file->next = device->files;
    device->files = file;
    pthread_mutex_unlock(&device->lock);
    return file;
}

struct wt_i915 *wt_i915_device(const struct wt_i915_file *file)
{
    return file->device;
}

void wt_i915_close(struct wt_i915_file *file)
{
    struct wt_i915 *device = file->device;
    pthread_mutex_lock(&device->lock);
    drm_queue_drop(file);
    struct wt_i915_file **link = &device->files;
    while (*link != file)
        link = &(*link)->next;
    *link = file->next;
    for (size_t i = 0; i < file->object_count; i++)
        if (file->objects[i].used)
            drm_object_free(file, &file->objects[i]);
    for (size_t i = 0; i < file->context_count; i++) {
        drm_tables_free(&file->contexts[i]->tables);
        free(file->contexts[i]);
    }
    pthread_mutex_unlock(&device->lock);
    free(file->objects);
    free(file->contexts);
    free(file);
}
