/* The debugger of an AMD GPU that no program uses: front ends inspect it before a host program is
 * started and after its end. See process.h. */

#include "target/gcn_process.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "debug/gcn/gcn.h"
#include "emulator/gcn/models.h"
#include "object/code_object.h"
#include "object/contained.h"
#include "object/fatbin.h"
#include "runtime/gcn/launch.h"

#define CODE_ALIGNMENT ((uint64_t)1 << 20)

/* The whole chip of the model that the program asks for. */
uint32_t wt_gcn_answer_none(const void *of_file, const struct wt_wire_request *request,
                            const void *more, void *out)
{
    const struct gcn_model *model = of_file ? of_file : gcn_models;
    const struct kfd_device_entry chip = {.lds_base = GCN_SHARED_APERTURE,
                                          .lds_limit = GCN_SHARED_APERTURE + UINT32_MAX,
                                          .scratch_base = GCN_PRIVATE_APERTURE,
                                          .scratch_limit = GCN_PRIVATE_APERTURE + UINT32_MAX,
                                          .gfx_target_version = model->version,
                                          .simd_count = (uint32_t)model->cu * model->simds,
                                          .max_waves_per_simd = model->waves_per_simd};
    switch (request->verb) {
    case KFD_WIRE_CALL:
        memcpy(out, more, request->follows);
        ((struct kfd_debug_call *)out)->result = 0;
        return request->follows;
    case KFD_WIRE_DEVICES:
        memcpy(out, &chip, sizeof chip);
        return sizeof chip;
    default:
        return 0;
    }
}

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
                     const struct gcn_target *target, uint64_t *base)
{
    struct gcn_object object;
    if (gcn_object_parse(name, found->bytes, found->size, target, &object, WT_IGNORED) != WT_OK)
        return;
    if (place(&p->image, &object, *base) &&
        wt_modules_add_bytes(p->modules, name, found->bytes, found->size, *base, 0, NULL,
                             WT_IGNORED) == WT_OK)
        *base = (*base + object.size + CODE_ALIGNMENT - 1) & ~(CODE_ALIGNMENT - 1);
    gcn_object_free(&object);
}

enum wt_status wt_gcn_show_file(struct wt_process *p, const char *program, struct wt_error *err)
{
    struct gcn_contained found;
    uint64_t base = GCN_LAUNCH_CODE;
    uint8_t *bytes;
    size_t length, own, at = 0;
    if (!program || gcn_fatbin_read(program, &bytes, &length, &own, WT_IGNORED) != WT_OK)
        return WT_OK; /* reported when the program is started */
    char all[80];
    const struct gcn_model *model = gcn_model_of_code(bytes, length, all, sizeof all);
    p->none.of_file = model;
    while (model && gcn_contained_next(bytes, length, &model->target, &at, &found))
        if (found.usable)
            add_code(p, program, &found, &model->target, &base);
    free(bytes);
    return WT_OK;
}
