/* The debugger of a gfx900 that no program uses: front ends inspect it before a host program is
 * started and after its end. See process.h. */

#include "target/gcn_process.h"
#include "target/no_process.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "debug/gcn/gcn.h"
#include "object/code_object.h"
#include "object/contained.h"
#include "runtime/gcn/launch.h"

#define CODE_ALIGNMENT ((uint64_t)1 << 20)

static enum wt_status no_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    call->result = 0;
    return WT_OK;
}

static enum wt_status no_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                uint32_t *count, struct wt_error *err)
{
    *count = 0;
    return WT_OK;
}

/* A Vega 10, of 64 compute units. */
static enum wt_status vega(void *context, struct kfd_device_entry *list, uint32_t room,
                           uint32_t *count, struct wt_error *err)
{
    *count = 1;
    *list = (struct kfd_device_entry){.lds_base = GCN_SHARED_APERTURE,
                                      .lds_limit = GCN_SHARED_APERTURE + UINT32_MAX,
                                      .scratch_base = GCN_PRIVATE_APERTURE,
                                      .scratch_limit = GCN_PRIVATE_APERTURE + UINT32_MAX,
                                      .gfx_target_version = 90000,
                                      .simd_count = 256,
                                      .max_waves_per_simd = 10};
    return WT_OK;
}

static const struct wt_gcn_link_ops no_link_ops = {
    .call = no_call, .queues = no_queues, .devices = vega};

/* ---- the code in the program's file ---- */

#define MOST_CODE ((uint64_t)256 << 20)

/* The segments at `base`, relocated. */
static bool place(struct wt_memory_image *image, const struct gcn_object *object, uint64_t base)
{
    uint8_t *bytes = object->size && object->size <= MOST_CODE ? calloc(1, object->size) : NULL;
    if (!bytes)
        return false;
    for (size_t i = 0; i < object->segments; i++)
        memcpy(bytes + object->segment[i].addr, object->segment[i].bytes,
               object->segment[i].length);
    for (size_t i = 0; i < object->relocations; i++)
        wt_store_le(bytes + object->relocation[i].at, base + object->relocation[i].addend, 8);
    return wt_memory_image_add(image, base, bytes, object->size);
}

/* A malformed code object, and one for which the host has no memory, is left out. */
static void add_code(struct wt_process *p, const char *name, const struct gcn_contained *found,
                     uint64_t *base)
{
    struct gcn_object object;
    if (gcn_object_parse(name, found->bytes, found->size, &object, WT_IGNORED) != WT_OK)
        return;
    if (place(&p->image, &object, *base) &&
        wt_modules_add_bytes(p->modules, name, found->bytes, found->size, *base, 0, NULL,
                             WT_IGNORED) == WT_OK)
        *base = (*base + object.size + CODE_ALIGNMENT - 1) & ~(CODE_ALIGNMENT - 1);
    gcn_object_free(&object);
}

static void add_program(struct wt_process *p, const char *program)
{
    struct gcn_contained found;
    uint64_t base = GCN_LAUNCH_CODE;
    uint8_t *bytes;
    size_t length, at = 0;
    if (wt_file_read(program, &bytes, &length, WT_IGNORED) != WT_OK)
        return; /* reported when the program is started */
    while (gcn_contained_next(bytes, length, &at, &found))
        if (found.usable)
            add_code(p, program, &found, &base);
    free(bytes);
}

enum wt_status wt_gcn_connect_none(struct wt_process *p, const char *program, struct wt_error *err)
{
    const struct wt_gcn_link link = {.ops = &no_link_ops};
    const enum wt_status status = wt_process_no_link(p, &link, sizeof link, err);
    if (program && !status)
        add_program(p, program);
    return status;
}
