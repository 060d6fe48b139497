/* Finds the GPU's memory in this process, whether or not a batch runs. */
#include "runtime/common/own_memory.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/internal.h"

/* ---- the lock is held ---- */

/* The object that has an address, or the first one behind it; NULL: there is none. */
static const struct drm_object *object_from(const struct wt_i915 *device, uint64_t from)
{
    const struct drm_object *best = NULL;
    for (const struct wt_i915_file *file = device->files; file; file = file->next)
        for (size_t i = 0; i < file->object_count; i++) {
            const struct drm_object *o = &file->objects[i];
            if (o->used && o->bound && o->address + o->size > from &&
                (!best || o->address < best->address))
                best = o;
        }
    return best;
}

static bool next_used(void *context, unsigned gpu, uint64_t from, uint64_t *addr, uint64_t *size)
{
    const struct drm_object *o = object_from(context, from);
    if (!o)
        return false;
    *addr = o->address < from ? from : o->address;
    *size = o->address + o->size - *addr;
    return true;
}

/* Memory of a range that next_used() has found: of one object. */
static bool read_used(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct wt_i915 *device = context;
    const struct drm_object *o = object_from(device, addr);
    if (!o || addr < o->address ||
        !wt_own_memory_read((uintptr_t)o->host + (addr - o->address), bytes, size))
        return false;
    wt_planted_lift(&device->planted, addr, bytes, size);
    return true;
}

/* ---- the lock is not held ---- */

uint8_t *wt_i915_find(struct wt_i915 *device, uint64_t address, uint64_t *room)
{
    uint8_t *host = NULL;
    pthread_mutex_lock(&device->lock);
    const struct drm_object *o = object_from(device, address);
    if (o && address >= o->address) {
        host = o->host + (address - o->address);
        *room = o->size - (address - o->address);
    }
    pthread_mutex_unlock(&device->lock);
    return host;
}

size_t wt_i915_final_next(struct wt_i915 *device, uint64_t from, uint8_t *bytes, size_t room)
{
    static const struct wt_final_ops memory = {1, next_used, read_used};
    pthread_mutex_lock(&device->lock);
    const size_t size = wt_final_next(&device->final, &memory, device, from, bytes, room);
    pthread_mutex_unlock(&device->lock);
    return size;
}
