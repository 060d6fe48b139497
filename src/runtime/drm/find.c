/* Finds the GPU's memory in this process, whether or not a batch runs. */
#include "runtime/drm/internal.h"

#include "runtime/drm/i915.h"

uint8_t *wt_i915_find(struct wt_i915 *device, uint64_t address, uint64_t *room)
{
    uint8_t *host = NULL;
    pthread_mutex_lock(&device->lock);
    for (const struct wt_i915_file *file = device->files; file && !host; file = file->next)
        for (size_t i = 0; i < file->object_count && !host; i++) {
            const struct drm_object *o = &file->objects[i];
            if (!o->used || !o->bound || address - o->address >= o->size)
                continue;
            host = o->host + (address - o->address);
            *room = o->size - (address - o->address);
        }
    pthread_mutex_unlock(&device->lock);
    return host;
}
