/* libcuda: arrays, texture and surface objects ("CUDA Driver API": 6.13, 6.26, 6.27). */
#include "runtime/cuda/checks.h"
#include "runtime/cuda/array.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sm/texture.h"

enum { MOST_TEXELS = 65536, ROW_ALIGNMENT = 512 };

unsigned array_format_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    }
    return 0;
}

static bool good_texels(CUarray_format format, unsigned channels)
{
    return array_format_bytes(format) && (channels == 1 || channels == 2 || channels == 4);
}

/* ---- arrays ---- */

static struct CUarray_st *arrays; /* all there are; under the lock */

static struct CUarray_st **find(CUarray array)
{
    struct CUarray_st **at = &arrays;
    while (*at && *at != array)
        at = &(*at)->next;
    return at;
}

bool array_is(CUarray array)
{
    return array && *find(array);
}

static void drop(struct CUarray_st **at)
{
    struct CUarray_st *a = *at;
    *at = a->next;
    gpu_free(a->gpu, a->address, "cuArrayDestroy");
    checks_handle_gone(a, "cuArrayDestroy");
}

void arrays_drop(uint64_t owner)
{
    for (struct CUarray_st **at = &arrays; *at;)
        if ((*at)->owner == owner) {
            checks_handle_lost(*at);
            drop(at);
        } else {
            at = &(*at)->next;
        }
}

/* Takes the lock for a call that names an array. */
static CUresult enter(CUarray array)
{
    const CUresult result = state_lock();
    return result || array_is(array) ? result : state_leave(CUDA_ERROR_INVALID_HANDLE);
}

static CUresult create(struct gpu *g, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *what)
{
    const unsigned known =
        CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    struct wt_error err;
    if (!what->Width || what->Width > MOST_TEXELS || what->Height > MOST_TEXELS ||
        what->Depth > MOST_TEXELS || !good_texels(what->Format, what->NumChannels) ||
        (what->Depth && !what->Height && !(what->Flags & CUDA_ARRAY3D_LAYERED)))
        return CUDA_ERROR_INVALID_VALUE;
    if (what->Flags & ~known)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct CUarray_st *a = calloc(1, sizeof *a);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const uint64_t row = what->Width * array_format_bytes(what->Format) * what->NumChannels;
    a->gpu = g;
    a->what = *what;
    a->pitch = (row + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    a->slice = a->pitch * (what->Height ? what->Height : 1);
    const uint64_t size = a->slice * (what->Depth ? what->Depth : 1);
    /* To checks the array is the object, and its texels are the driver's memory. */
    if (gpu_allocate(g, size, wt_checks_wanted() ? NULL : "cuArrayCreate", &a->address, &err) !=
        WT_OK) {
        free(a);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    a->owner = state_entered_id();
    checks_handle_made(a, row * (what->Height ? what->Height : 1) * (what->Depth ? what->Depth : 1),
                       "cuArrayCreate");
    a->next = arrays;
    *array = arrays = a;
    return CUDA_SUCCESS;
}

API_IN(state_enter(&g), cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *what),
       (array, what), "*%p, %p", HANDLE(array), what)
{
    return array && what ? create(g, array, what) : CUDA_ERROR_INVALID_VALUE;
}

API(cuArrayCreate_v2, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *what), (array, what),
    "*%p, %p", HANDLE(array), what)
{
    if (!what)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = what->Width,
                                           .Height = what->Height,
                                           .Format = what->Format,
                                           .NumChannels = what->NumChannels};
    return do_cuArray3DCreate_v2(array, &whole);
}

API_IN(enter(array), cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * what, CUarray array),
       (what, array), "%p, %p", what, array)
{
    if (what)
        *what = array->what;
    return what ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter(array), cuArrayGetDescriptor_v2, (CUDA_ARRAY_DESCRIPTOR * what, CUarray array),
       (what, array), "%p, %p", what, array)
{
    if (!what)
        return CUDA_ERROR_INVALID_VALUE;
    *what = (CUDA_ARRAY_DESCRIPTOR){.Width = array->what.Width,
                                    .Height = array->what.Height,
                                    .Format = array->what.Format,
                                    .NumChannels = array->what.NumChannels};
    return CUDA_SUCCESS;
}

API_IN(enter(array), cuArrayDestroy, (CUarray array), (array), "%p", array)
{
    drop(find(array));
    return CUDA_SUCCESS;
}

/* ---- objects ---- */

static enum sm_texel texel_of(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        return SM_TEXEL_FLOAT;
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        return SM_TEXEL_SIGNED;
    default:
        return SM_TEXEL_UNSIGNED;
    }
}

/* Describes a resource for a texture or surface: sizes and address only. */
static CUresult describe(const CUDA_RESOURCE_DESC *r, struct sm_texture *t)
{
    CUarray_format format;
    unsigned channels;
    *t = (struct sm_texture){.height = 1, .depth = 1};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
        const struct CUarray_st *a = r->res.array.hArray;
        if (!array_is(r->res.array.hArray))
            return CUDA_ERROR_INVALID_HANDLE;
        const bool layered = a->what.Flags & CUDA_ARRAY3D_LAYERED;
        t->address = a->address;
        t->pitch = a->pitch;
        t->slice = a->slice;
        t->width = (uint32_t)a->what.Width;
        t->height = a->what.Height ? (uint32_t)a->what.Height : 1;
        t->depth = a->what.Depth ? (uint32_t)a->what.Depth : 1;
        t->dimensions = a->what.Depth && !layered ? 3 : a->what.Height ? 2 : 1;
        t->flags = layered ? SM_TEXTURE_LAYERED : 0;
        format = a->what.Format;
        channels = a->what.NumChannels;
        break;
    }
    case CU_RESOURCE_TYPE_LINEAR:
        format = r->res.linear.format;
        channels = r->res.linear.numChannels;
        if (!good_texels(format, channels))
            return CUDA_ERROR_INVALID_VALUE;
        t->address = r->res.linear.devPtr;
        t->width = (uint32_t)(r->res.linear.sizeInBytes / (array_format_bytes(format) * channels));
        t->dimensions = 1;
        t->flags = SM_TEXTURE_BOUNDED;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        format = r->res.pitch2D.format;
        channels = r->res.pitch2D.numChannels;
        if (r->res.pitch2D.width > MOST_TEXELS || r->res.pitch2D.height > MOST_TEXELS)
            return CUDA_ERROR_INVALID_VALUE;
        t->address = r->res.pitch2D.devPtr;
        t->pitch = r->res.pitch2D.pitchInBytes;
        t->width = (uint32_t)r->res.pitch2D.width;
        t->height = (uint32_t)r->res.pitch2D.height;
        t->dimensions = 2;
        break;
    default:
        return CUDA_ERROR_NOT_SUPPORTED; /* levels of textures */
    }
    t->texel = (uint8_t)texel_of(format);
    t->bytes = (uint8_t)array_format_bytes(format);
    t->channels = (uint8_t)channels;
    return good_texels(format, channels) && t->width && t->height ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

static CUresult add_header(struct gpu *g, const struct sm_texture *t, unsigned long long *object)
{
    uint8_t bytes[SM_TEXTURE_BYTES];
    uint64_t handle;
    sm_texture_store(t, bytes);
    if (!gpu_header_new(g, bytes, &handle))
        return CUDA_ERROR_OUT_OF_MEMORY;
    gpu_own(g, handle, state_entered_id());
    *object = handle;
    return CUDA_SUCCESS;
}

static CUresult create_texture(struct gpu *g, CUtexObject *object,
                               const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture)
{
    struct sm_texture t;
    const CUresult result = describe(resource, &t);
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES;
    if (result)
        return result;
    if (texture->flags & ~known)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (unsigned i = 0; i < 3; i++) {
        if (texture->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t.mode[i] = (uint8_t)texture->addressMode[i];
    }
    t.flags |= (texture->flags & CU_TRSF_READ_AS_INTEGER ? SM_TEXTURE_INTEGER : 0) |
               (texture->flags & CU_TRSF_NORMALIZED_COORDINATES ? SM_TEXTURE_NORMALIZED : 0) |
               (texture->filterMode == CU_TR_FILTER_MODE_LINEAR ? SM_TEXTURE_LINEAR : 0);
    memcpy(t.border, texture->borderColor, sizeof t.border);
    return add_header(g, &t, object);
}

API_IN(state_enter(&g), cuTexObjectCreate,
       (CUtexObject * object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
        const CUDA_RESOURCE_VIEW_DESC *view),
       (object, resource, texture, view), "*0x%llx, type %d, filter %d, flags %u", RESULT(object),
       resource ? (int)resource->resType : -1, texture ? (int)texture->filterMode : -1,
       texture ? texture->flags : 0)
{
    if (!object || !resource || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    return view ? CUDA_ERROR_NOT_SUPPORTED : create_texture(g, object, resource, texture);
}

API_IN(state_enter(&g), cuSurfObjectCreate,
       (CUsurfObject * object, const CUDA_RESOURCE_DESC *resource), (object, resource),
       "*0x%llx, %p", RESULT(object), resource)
{
    struct sm_texture t;
    CUresult result = CUDA_SUCCESS;
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    if ((result = describe(resource, &t)) != CUDA_SUCCESS)
        return result;
    return add_header(g, &t, object);
}

static CUresult destroy(unsigned long long object)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (result)
        return result;
    return state_leave(gpu_header_free(g, object) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

API(cuTexObjectDestroy, (CUtexObject object), (object), "0x%llx", object)
{
    return destroy(object);
}

API(cuSurfObjectDestroy, (CUsurfObject object), (object), "0x%llx", object)
{
    return destroy(object);
}
