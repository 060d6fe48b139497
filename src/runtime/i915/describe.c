/* The buffer objects of a device as the report of gem.h has them, and their recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/i915/i915.h"
#include "runtime/i915/internal.h"

/* The text in the report for the driver's own address of an object. */
#define OBJECT_ADDRESS UINT64_C(0xffff888000000000)

static bool describe(const struct drm_object *object, size_t index, struct wt_gem_object *out)
{
    static const enum wt_gem_tiling tilings[] = {WT_GEM_TILING_NONE, WT_GEM_TILING_X,
                                                 WT_GEM_TILING_Y};
    *out = (struct wt_gem_object){
        .object = OBJECT_ADDRESS + index * 0x400,
        .active = object->active > 0,
        .mapped = !object->user,
        .dirty = object->written,
        .purgeable = object->purgeable,
        .tiling = tilings[object->tiling],
        .cache = object->caching == I915_CACHING_CACHED ? WT_GEM_CACHE_LLC : WT_GEM_CACHE_NONE,
        .size = object->size,
        .read_domains = object->read_domains,
        .write_domain = object->write_domain,
        .page_sizes = object->bound ? WT_GEM_PAGE_4K : 0,
    };
    if (object->active && object->written)
        strcpy(out->engine, "rcs0"); /* the one render engine */
    if (!object->bound)
        return true;
    out->vmas = calloc(1, sizeof *out->vmas);
    if (!out->vmas)
        return false;
    out->vma_count = 1;
    out->vmas[0] = (struct wt_gem_vma){.start = object->address,
                                       .size = object->size,
                                       .page_sizes = (uint32_t)object->page_sizes,
                                       .active = object->active > 0,
                                       .fence = -1};
    return true;
}

static size_t count_objects(const struct wt_i915 *device)
{
    size_t count = 0;
    for (const struct wt_i915_file *file = device->files; file; file = file->next)
        for (size_t i = 0; i < file->object_count; i++)
            count += file->objects[i].used;
    return count;
}

/* The program in the report. */
static struct wt_gem_owner owner_of(const struct wt_gem_state *state)
{
    struct wt_gem_owner p = {.objects = state->object_count};
    snprintf(p.name, sizeof p.name, "%s", program_invocation_short_name);
    for (size_t i = 0; i < state->object_count; i++) {
        const struct wt_gem_object *o = &state->objects[i];
        p.bytes += o->size;
        *(!o->vma_count ? &p.unbound : o->active ? &p.active : &p.inactive) += o->size;
    }
    return p;
}

/* The lock is held. */
static enum wt_status make_state(struct wt_i915 *device, struct wt_gem_state *state,
                                 struct wt_error *err)
{
    bool enough = true;
    *state = (struct wt_gem_state){
        .processes = calloc(1, sizeof *state->processes),
        .objects = calloc(count_objects(device) + 1, sizeof *state->objects),
        .has_totals = true,
        .gtt_total = (uint64_t)1 << 32,
        .mappable_end = (uint64_t)1 << 28,
        .page_sizes = WT_GEM_PAGE_4K | WT_GEM_PAGE_64K | WT_GEM_PAGE_2M,
        .has_llc = true,
    };
    for (const struct wt_i915_file *file = device->files; file && state->objects; file = file->next)
        for (size_t i = 0; i < file->object_count; i++)
            if (file->objects[i].used) {
                enough &= describe(&file->objects[i], state->object_count,
                                   &state->objects[state->object_count]);
                state->object_count++;
            }
    if (state->objects && state->processes && enough) {
        state->processes[state->process_count++] = owner_of(state);
        return WT_OK;
    }
    wt_gem_state_free(state);
    return wt_fail(err, WT_NO_MEMORY, "no host memory for the report");
}

enum wt_status wt_i915_gem_state(struct wt_i915 *device, struct wt_gem_state *state,
                                 struct wt_error *err)
{
    pthread_mutex_lock(&device->lock);
    enum wt_status status = make_state(device, state, err);
    pthread_mutex_unlock(&device->lock);
    return status;
}

void drm_record(struct wt_i915 *device)
{
    struct wt_gem_state state;
    struct wt_error ignored;
    device->batches++;
    if (!device->record || make_state(device, &state, &ignored) != WT_OK)
        return;
    state.batch = device->batches;
    wt_gem_state_write(device->record, &state);
    if (ferror(device->record) | fflush(device->record)) { /* the program may end in any way */
        fprintf(stderr, "wavetrap: --gem: the record cannot be written; it ends here\n");
        device->record = NULL; /* its owner closes it */
    }
    wt_gem_state_free(&state);
}

void wt_i915_record_gem(struct wt_i915 *device, FILE *file)
{
    device->record = file;
}
