/* Submitting a batch: its objects become the memory that the GPU sees while its commands run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/i915/internal.h"

#define ADDRESS_MASK (((uint64_t)1 << DRM_ADDRESS_BITS) - 1)

static void say(const struct wt_i915 *device, const char *text)
{
    device->ops->say(device->context, text, false);
}

/* Whether the program's memory behind a userptr object is mapped. */
static bool is_mapped(const struct drm_object *object)
{
    return msync(object->host, object->size, MS_ASYNC) == 0 || errno != ENOMEM;
}

/* The address at which the batch wants an object. */
static int map_object(struct wt_i915_file *file, const struct drm_i915_gem_exec_object2 *entry,
                      struct wt_i915_mapping *mapping)
{
    struct drm_object *object = drm_object(file, entry->handle);
    if (!object)
        return -ENOENT;
    if (!(entry->flags & EXEC_OBJECT_PINNED)) {
        say(file->device,
            "a batch leaves the address of a buffer object to the driver: this driver needs "
            "EXEC_OBJECT_PINNED");
        return -EINVAL;
    }
    if (entry->relocation_count) {
        say(file->device, "a batch has relocations, which this driver does not apply");
        return -EINVAL;
    }
    if (object->user && !is_mapped(object))
        return -EFAULT;
    const uint64_t address = entry->offset & ADDRESS_MASK; /* it is in canonical form */
    if (address % DRM_PAGE || object->size > ADDRESS_MASK + 1 - address)
        return -EINVAL;
    *mapping = (struct wt_i915_mapping){.address = address,
                                        .size = object->size,
                                        .host = object->host,
                                        .asked = object->asked,
                                        .handle = entry->handle,
                                        .read_only = object->read_only,
                                        .shared = object->user || object->mapped};
    return 0;
}

static int by_address(const void *a, const void *b)
{
    const struct wt_i915_mapping *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Sorts the mappings; false if two overlap. */
static bool sort(struct wt_i915_mapping *mappings, size_t count)
{
    qsort(mappings, count, sizeof *mappings, by_address);
    for (size_t i = 1; i < count; i++)
        if (mappings[i].address - mappings[i - 1].address < mappings[i - 1].size)
            return false;
    return true;
}

static void note_use(struct wt_i915_file *file, const struct drm_i915_gem_exec_object2 *entry)
{
    struct drm_object *object = drm_object(file, entry->handle);
    const uint64_t address = entry->offset & ADDRESS_MASK;
    if (object->placed && object->address != address)
        drm_object_unplace(file, object);
    object->bound = true;
    object->active++;
    object->address = address;
    if (!object->placed)
        drm_object_place(file, object);
    object->read_domains = I915_GEM_DOMAIN_RENDER;
    object->write_domain = entry->flags & EXEC_OBJECT_WRITE ? I915_GEM_DOMAIN_RENDER : 0;
    object->written |= (entry->flags & EXEC_OBJECT_WRITE) != 0;
}

/* Checks the batch of *submission, whose members but `context` and `file` it fills. */
static int prepare(const struct drm_i915_gem_execbuffer2 *args,
                   const struct drm_i915_gem_exec_object2 *list, struct drm_submission *submission)
{
    struct wt_i915_file *file = submission->file;
    const size_t count = args->buffer_count;
    const struct drm_i915_gem_exec_object2 *last =
        &list[args->flags & I915_EXEC_BATCH_FIRST ? 0 : count - 1];
    int error;
    for (size_t i = 0; i < count; i++)
        if ((error = map_object(file, &list[i], &submission->mappings[i])) != 0)
            return error;
    if (!sort(submission->mappings, count))
        return -EINVAL;
    const struct drm_object *batch_object = drm_object(file, last->handle);
    if (args->batch_start_offset % 8 || args->batch_start_offset >= batch_object->size ||
        args->batch_len > batch_object->size - args->batch_start_offset)
        return -EINVAL;
    submission->mapping_count = count;
    submission->start = (last->offset & ADDRESS_MASK) + args->batch_start_offset;
    return 0;
}

static int submit(struct wt_i915_file *file, struct drm_context *context,
                  const struct drm_i915_gem_execbuffer2 *args,
                  const struct drm_i915_gem_exec_object2 *list)
{
    struct drm_submission *s = calloc(1, sizeof *s);
    int error = -ENOMEM;
    if (s) {
        *s = (struct drm_submission){
            .file = file,
            .context = context,
            .mappings = calloc(args->buffer_count, sizeof *s->mappings),
        };
        if (s->mappings && (error = prepare(args, list, s)) == 0 &&
            (error = drm_queue_submit(file->device, s)) == 0) {
            for (size_t i = 0; i < args->buffer_count; i++)
                note_use(file, &list[i]);
            return 0;
        }
        free(s->mappings);
    }
    free(s);
    return error;
}

int drm_execbuffer(struct wt_i915_file *file, struct drm_i915_gem_execbuffer2 *args)
{
    const uint64_t known = I915_EXEC_RING_MASK | I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT |
                           I915_EXEC_BATCH_FIRST | I915_EXEC_BSD_MASK | I915_EXEC_CONSTANTS_MASK;
    struct drm_context *context = drm_context(file, args->rsvd1 & I915_EXEC_CONTEXT_ID_MASK);
    if (!context)
        return -ENOENT;
    if (context->lost)
        return -EIO;
    if (args->flags & I915_EXEC_HANDLE_LUT || args->flags & ~known || args->num_cliprects ||
        !args->buffer_count || args->buffer_count > 1 << 20) {
        char text[128];
        snprintf(text, sizeof text,
                 "a batch with flags 0x%" PRIx64 " and %" PRIu32 " objects is refused",
                 (uint64_t)args->flags, args->buffer_count);
        say(file->device, text);
        return -EINVAL;
    }
    /* A copy of the list: the program may write its own meanwhile. */
    const size_t size = args->buffer_count * sizeof(struct drm_i915_gem_exec_object2);
    struct drm_i915_gem_exec_object2 *list = malloc(size);
    if (!list)
        return -ENOMEM;
    const int error =
        drm_copy_in(list, args->buffers_ptr, size) ? submit(file, context, args, list) : -EFAULT;
    free(list);
    return error;
}
