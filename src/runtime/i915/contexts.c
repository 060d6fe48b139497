/* Contexts: the GPU's state of one stream of batches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gen/gen.h"
#include "runtime/i915/internal.h"

struct drm_context *drm_context(struct wt_i915_file *file, uint32_t id)
{
    return id < file->context_count && file->contexts[id]->used ? file->contexts[id] : NULL;
}

/* A parameter that is accepted and has no effect here: priorities, persistence, the choice of
 * engines (each of them is the one render engine). */
static bool is_harmless(uint64_t param)
{
    switch (param) {
    case I915_CONTEXT_PARAM_BAN_PERIOD:
    case I915_CONTEXT_PARAM_NO_ZEROMAP:
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
    case I915_CONTEXT_PARAM_BANNABLE:
    case I915_CONTEXT_PARAM_PRIORITY:
    case I915_CONTEXT_PARAM_SSEU:
    case I915_CONTEXT_PARAM_RECOVERABLE:
    case I915_CONTEXT_PARAM_VM:
    case I915_CONTEXT_PARAM_ENGINES:
    case I915_CONTEXT_PARAM_PERSISTENCE:
        return true;
    default:
        return false;
    }
}

int drm_context_setparam(struct wt_i915_file *file, struct drm_i915_gem_context_param *args)
{
    if (!drm_context(file, args->ctx_id))
        return -ENOENT;
    return is_harmless(args->param) ? 0 : -EINVAL;
}

/* The parameters that a context is created with. */
static int take_extensions(uint64_t at)
{
    for (unsigned depth = 0; at; depth++) {
        const struct i915_user_extension *e = (const void *)(uintptr_t)at;
        if (depth == 512)
            return -E2BIG;
        if (e->name != I915_CONTEXT_CREATE_EXT_SETPARAM)
            return -EINVAL;
        const struct drm_i915_gem_context_create_ext_setparam *set = (const void *)e;
        if (!is_harmless(set->param.param))
            return -EINVAL;
        at = e->next_extension;
    }
    return 0;
}

int drm_context_create(struct wt_i915_file *file, struct drm_i915_gem_context_create_ext *args)
{
    int error = 0;
    size_t id = 0;
    if (args->flags & I915_CONTEXT_CREATE_FLAGS_UNKNOWN)
        return -EINVAL;
    if (args->flags & I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS &&
        (error = take_extensions(args->extensions)) != 0)
        return error;
    while (id < file->context_count && (file->contexts[id]->used || file->contexts[id]->active))
        id++;
    if (id == file->context_count) {
        struct drm_context **grown =
            wt_array_grow(file->contexts, &file->context_capacity, id + 1, sizeof *grown);
        if (!grown)
            return -ENOMEM;
        file->contexts = grown;
        if (!(grown[id] = malloc(sizeof **grown)))
            return -ENOMEM;
        file->context_count++;
    }
    *file->contexts[id] =
        (struct drm_context){.id = (uint32_t)id, .used = true, .vm = (uint32_t)id + 1};
    args->ctx_id = (uint32_t)id;
    return 0;
}

int drm_context_destroy(struct wt_i915_file *file, struct drm_i915_gem_context_destroy *args)
{
    struct drm_context *context = drm_context(file, args->ctx_id);
    if (!context || !args->ctx_id) /* the default context stays */
        return -ENOENT;
    context->used = false;
    if (!context->active)
        drm_tables_free(&context->tables);
    return 0;
}

int drm_context_getparam(struct wt_i915_file *file, struct drm_i915_gem_context_param *args)
{
    const struct drm_context *context = drm_context(file, args->ctx_id);
    if (!context)
        return -ENOENT;
    switch (args->param) {
    case I915_CONTEXT_PARAM_GTT_SIZE:
        args->value = (uint64_t)1 << DRM_ADDRESS_BITS;
        break;
    case I915_CONTEXT_PARAM_VM:
        args->value = context->vm;
        break;
    case I915_CONTEXT_PARAM_PERSISTENCE:
    case I915_CONTEXT_PARAM_BANNABLE:
    case I915_CONTEXT_PARAM_RECOVERABLE:
        args->value = 1;
        break;
    case I915_CONTEXT_PARAM_PRIORITY:
    case I915_CONTEXT_PARAM_NO_ERROR_CAPTURE:
    case I915_CONTEXT_PARAM_BAN_PERIOD:
        args->value = 0;
        break;
    case I915_CONTEXT_PARAM_SSEU: {
        struct drm_i915_gem_context_param_sseu sseu;
        if (!args->size) {
            args->size = sizeof sseu;
            return 0;
        }
        if (args->size < sizeof sseu)
            return -EINVAL;
        if (!drm_copy_in(&sseu, args->value, sizeof sseu))
            return -EFAULT;
        if (sseu.flags & ~1u)
            return -EINVAL;
        sseu.slice_mask = 1;
        sseu.subslice_mask = (1u << file->device->subslices) - 1;
        sseu.min_eus_per_subslice = sseu.max_eus_per_subslice = GEN_EUS;
        if (!drm_copy_out(args->value, &sseu, sizeof sseu))
            return -EFAULT;
        args->size = sizeof sseu;
        return 0;
    }
    default:
        return -EINVAL;
    }
    args->size = 0;
    return 0;
}

int drm_reset_stats(struct wt_i915_file *file, struct drm_i915_reset_stats *args)
{
    const struct drm_context *context = drm_context(file, args->ctx_id);
    if (args->flags || args->pad)
        return -EINVAL;
    if (!context)
        return -ENOENT;
    args->reset_count = context->resets;
    args->batch_active = context->lost;
    args->batch_pending = 0;
    return 0;
}
