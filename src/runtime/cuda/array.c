/* libcuda: arrays, texture and surface objects ("CUDA Driver API": 6.13, 6.26, 6.27). */
#include "runtime/cuda/checks.h"
#include "runtime/cuda/array.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/sm/texture.h"

enum { MOST_TEXELS = 65536, MOST_WIDTH = 131072, MOST_LEVELS = 18 };

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

/* Forgets an array whose memory is another's. */
static void forget(struct CUarray_st **at, const char *by)
{
    struct CUarray_st *a = *at;
    *at = a->next;
    checks_handle_gone(a, by);
}

static void drop(struct CUarray_st **at)
{
    gpu_free((*at)->gpu, (*at)->address, "cuArrayDestroy");
    forget(at, "cuArrayDestroy");
}

/* The levels of an array, which are arrays themselves; the first one's address is that of all. */
struct CUmipmappedArray_st {
    CUarray level[MOST_LEVELS];
    unsigned count;
    CUmipmappedArray next;
};
static CUmipmappedArray mipmaps; /* all there are; under the lock */

static CUmipmappedArray *find_mipmap(CUmipmappedArray array)
{
    CUmipmappedArray *at = &mipmaps;
    while (*at && *at != array)
        at = &(*at)->next;
    return at;
}

static void drop_mipmap(CUmipmappedArray *at)
{
    CUmipmappedArray m = *at;
    *at = m->next;
    gpu_free(m->level[0]->gpu, m->level[0]->address, "cuMipmappedArrayDestroy");
    for (unsigned i = 0; i < m->count; i++)
        forget(find(m->level[i]), "cuMipmappedArrayDestroy");
    free(m);
}

void arrays_drop(uint64_t owner)
{
    for (CUmipmappedArray *at = &mipmaps; *at;)
        if ((*at)->level[0]->owner == owner) {
            checks_handle_lost((*at)->level[0]);
            drop_mipmap(at);
        } else {
            at = &(*at)->next;
        }
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

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *what)
{
    const unsigned known =
        CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    const unsigned all = 0x1ff; /* flags of CUDA 13.0 */
    const bool layered = what->Flags & CUDA_ARRAY3D_LAYERED;
    const bool cube = what->Flags & CUDA_ARRAY3D_CUBEMAP;
    if (!what->Width || what->Width > (what->Depth ? MOST_TEXELS : MOST_WIDTH) ||
        what->Height > MOST_TEXELS || what->Depth > MOST_TEXELS ||
        !good_texels(what->Format, what->NumChannels) ||
        (layered ? !what->Depth : what->Depth && !what->Height) || what->Flags & ~all ||
        (cube && (what->Width != what->Height || (layered ? what->Depth % 6 : what->Depth != 6))))
        return CUDA_ERROR_INVALID_VALUE;
    return what->Flags & ~known
               ? call_refused("arrays other than plain, layered ones and those for "
                              "surfaces: cube maps, depth, gathers, sparse ones")
               : CUDA_SUCCESS;
}

static unsigned half(size_t size, unsigned level)
{
    return !size ? 0 : size >> level ? (unsigned)(size >> level) : 1;
}

/*
 * Makes the arrays of `count` levels in one piece of memory. Checks know the first one as a handle,
 * and the texels as an allocation.
 */
static CUresult create(struct gpu *g, CUarray *array, unsigned count, bool is_mipmap,
                       const CUDA_ARRAY3D_DESCRIPTOR *what)
{
    const bool layered = what->Flags & CUDA_ARRAY3D_LAYERED;
    const unsigned bytes = array_format_bytes(what->Format) * what->NumChannels;
    struct sm_texture t = {.width = (uint32_t)what->Width,
                           .height = what->Height ? (uint32_t)what->Height : 1,
                           .depth = what->Depth ? (uint32_t)what->Depth : 1,
                           .bytes = (uint8_t)bytes,
                           .channels = 1,
                           .dimensions = what->Depth && !layered ? 3
                                         : what->Height          ? 2
                                                                 : 1};
    const char *const by = is_mipmap ? "cuMipmappedArrayCreate" : "cuArrayCreate";
    struct wt_error err;
    uint64_t address;
    t.pitch = (what->Width * bytes + SM_TEXTURE_ROW - 1) / SM_TEXTURE_ROW * SM_TEXTURE_ROW;
    t.slice = t.pitch * t.height;
    unsigned made = 0;
    while (made < count && (array[made] = calloc(1, sizeof *array[made])) != NULL)
        made++;
    const uint64_t size = sm_texture_level(&t, count).address;
    if (made < count || gpu_allocate(g, size, checks_entry(by), &address, &err) != WT_OK) {
        while (made--)
            free(array[made]);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct sm_texture level = sm_texture_level(&t, i);
        *array[i] = (struct CUarray_st){.gpu = g,
                                        .owner = state_entered_id(),
                                        .next = arrays,
                                        .what = *what,
                                        .address = address + level.address,
                                        .pitch = level.pitch,
                                        .slice = level.slice,
                                        .is_level = is_mipmap};
        array[i]->what.Width = half(what->Width, i);
        array[i]->what.Height = half(what->Height, i);
        array[i]->what.Depth = layered ? what->Depth : half(what->Depth, i);
        arrays = array[i];
    }
    checks_handle_made(array[0], what->Width * bytes * t.height * t.depth, by);
    return CUDA_SUCCESS;
}

API_IN(state_enter(&g), cuArray3DCreate_v2, "*%p, %p", (CUarray *, array, HANDLE(array)),
       (const CUDA_ARRAY3D_DESCRIPTOR *, what))
{
    const CUresult result = array && what ? check(what) : CUDA_ERROR_INVALID_VALUE;
    return result ? result : create(g, array, 1, false, what);
}

API(cuArrayCreate_v2, "*%p, %p", (CUarray *, array, HANDLE(array)),
    (const CUDA_ARRAY_DESCRIPTOR *, what))
{
    struct gpu *g;
    if (!what) {
        const CUresult result = state_enter(&g);
        return result ? result : state_leave(CUDA_ERROR_INVALID_VALUE);
    }
    const CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = what->Width,
                                           .Height = what->Height,
                                           .Format = what->Format,
                                           .NumChannels = what->NumChannels};
    return do_cuArray3DCreate_v2(array, &whole);
}

API_IN(enter(array), cuArray3DGetDescriptor_v2, "%p, %p", (CUDA_ARRAY3D_DESCRIPTOR *, what),
       (CUarray, array))
{
    if (what)
        *what = array->what;
    return what ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_IN(enter(array), cuArrayGetDescriptor_v2, "%p, %p", (CUDA_ARRAY_DESCRIPTOR *, what),
       (CUarray, array))
{
    if (!what)
        return CUDA_ERROR_INVALID_VALUE;
    *what = (CUDA_ARRAY_DESCRIPTOR){.Width = array->what.Width,
                                    .Height = array->what.Height,
                                    .Format = array->what.Format,
                                    .NumChannels = array->what.NumChannels};
    return CUDA_SUCCESS;
}

API_IN(enter(array), cuArrayDestroy, "%p", (CUarray, array))
{
    if (array->is_level)
        return CUDA_ERROR_INVALID_HANDLE;
    drop(find(array));
    return CUDA_SUCCESS;
}

/* More levels than the largest size has halves of are not made. */
API_IN(state_enter(&g), cuMipmappedArrayCreate, "*%p, %p, %u",
       (CUmipmappedArray *, array, HANDLE(array)), (const CUDA_ARRAY3D_DESCRIPTOR *, what),
       (unsigned, levels))
{
    CUresult result = array && what ? check(what) : CUDA_ERROR_INVALID_VALUE;
    if (result)
        return result;
    const size_t sizes =
        what->Width | what->Height | (what->Flags & CUDA_ARRAY3D_LAYERED ? 0 : what->Depth);
    unsigned most = 0;
    while (sizes >> most)
        most++;
    CUmipmappedArray m = calloc(1, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->count = levels < 1 ? 1 : levels > most ? most : levels;
    result = create(g, m->level, m->count, true, what);
    if (result) {
        free(m);
        return result;
    }
    m->next = mipmaps;
    *array = mipmaps = m;
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuMipmappedArrayGetLevel, "*%p, %p, %u", (CUarray *, level, HANDLE(level)),
       (CUmipmappedArray, array), (unsigned, number))
{
    if (!array || !*find_mipmap(array))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!level || number >= array->count)
        return CUDA_ERROR_INVALID_VALUE;
    *level = array->level[number];
    return CUDA_SUCCESS;
}

API_IN(state_lock(), cuMipmappedArrayDestroy, "%p", (CUmipmappedArray, array))
{
    CUmipmappedArray *at = find_mipmap(array);
    if (!array || !*at)
        return CUDA_ERROR_INVALID_HANDLE;
    drop_mipmap(at);
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

/* CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, _TEXTURE_PITCH_ALIGNMENT. */
enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 32 };

static bool is_aligned(CUdeviceptr address)
{
    return address && address % ALIGNMENT == 0;
}

/* Describes a resource for a texture or surface: sizes and address only. */
static CUresult describe(const struct gpu *g, const CUDA_RESOURCE_DESC *r, struct sm_texture *t)
{
    CUarray_format format;
    unsigned channels;
    *t = (struct sm_texture){.height = 1, .depth = 1};
    switch (r->resType) {
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
    case CU_RESOURCE_TYPE_ARRAY: {
        const struct CUarray_st *a = r->res.array.hArray;
        if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
            const CUmipmappedArray m = r->res.mipmap.hMipmappedArray;
            if (!m || !*find_mipmap(m))
                return CUDA_ERROR_INVALID_HANDLE;
            a = m->level[0];
            t->levels = (uint8_t)m->count;
        } else if (!array_is(r->res.array.hArray)) {
            return CUDA_ERROR_INVALID_HANDLE;
        }
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
    case CU_RESOURCE_TYPE_LINEAR: {
        format = r->res.linear.format;
        channels = r->res.linear.numChannels;
        if (!good_texels(format, channels) || !is_aligned(r->res.linear.devPtr))
            return CUDA_ERROR_INVALID_VALUE;
        t->address = r->res.linear.devPtr;
        const size_t texels = r->res.linear.sizeInBytes / (array_format_bytes(format) * channels);
        if (texels > gpu_linear_width(g))
            return CUDA_ERROR_INVALID_VALUE;
        t->width = (uint32_t)texels;
        t->dimensions = 1;
        t->flags = SM_TEXTURE_BOUNDED;
        break;
    }
    case CU_RESOURCE_TYPE_PITCH2D:
        format = r->res.pitch2D.format;
        channels = r->res.pitch2D.numChannels;
        if (r->res.pitch2D.width > MOST_WIDTH || r->res.pitch2D.height > MOST_TEXELS ||
            !is_aligned(r->res.pitch2D.devPtr) || r->res.pitch2D.pitchInBytes % PITCH_ALIGNMENT ||
            r->res.pitch2D.pitchInBytes <
                r->res.pitch2D.width * array_format_bytes(format) * channels)
            return CUDA_ERROR_INVALID_VALUE;
        t->address = r->res.pitch2D.devPtr;
        t->pitch = r->res.pitch2D.pitchInBytes;
        t->width = (uint32_t)r->res.pitch2D.width;
        t->height = (uint32_t)r->res.pitch2D.height;
        t->dimensions = 2;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    t->texel = (uint8_t)texel_of(format);
    t->bytes = (uint8_t)array_format_bytes(format);
    t->channels = (uint8_t)channels;
    return good_texels(format, channels) && t->width && t->height ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

API_IN(state_lock(), cuDeviceGetTexture1DLinearMaxWidth, "*%llu, %d, %u, %d",
       (size_t *, texels, RESULT(texels)), (CUarray_format, format), (unsigned, channels),
       (CUdevice, number))
{
    const struct gpu *of = state_gpu(number);
    if (!texels || !good_texels(format, channels))
        return CUDA_ERROR_INVALID_VALUE;
    if (!of)
        return CUDA_ERROR_INVALID_DEVICE;
    *texels = gpu_linear_width(of);
    return CUDA_SUCCESS;
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
    const CUresult result = describe(g, resource, &t);
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES;
    const unsigned all = 0x73; /* flags of CUDA 13.0 */
    if (result)
        return result;
    if (texture->flags & ~all || texture->filterMode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    if (texture->flags & ~known)
        return call_refused("cuTexObjectCreate: textures of sRGB, cube maps that are seamless, "
                            "exact filters");
    for (unsigned i = 0; i < 3; i++) {
        if (texture->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        t.mode[i] = (uint8_t)texture->addressMode[i];
    }
    t.flags |= (texture->flags & CU_TRSF_READ_AS_INTEGER ? SM_TEXTURE_INTEGER : 0) |
               (texture->flags & CU_TRSF_NORMALIZED_COORDINATES ? SM_TEXTURE_NORMALIZED : 0) |
               (texture->filterMode == CU_TR_FILTER_MODE_LINEAR ? SM_TEXTURE_LINEAR : 0) |
               (texture->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR ? SM_TEXTURE_MIXED : 0);
    if (t.levels > 1 && !(t.flags & SM_TEXTURE_NORMALIZED))
        return CUDA_ERROR_INVALID_VALUE;
    t.bias = texture->mipmapLevelBias;
    t.least = texture->minMipmapLevelClamp;
    t.most = texture->maxMipmapLevelClamp;
    memcpy(t.border, texture->borderColor, sizeof t.border);
    return add_header(g, &t, object);
}

API_IN(state_enter(&g), cuTexObjectCreate, "*0x%llx, type %d, filter %d, flags %u",
       (CUtexObject *, object, RESULT(object)),
       (const CUDA_RESOURCE_DESC *, resource, resource ? (int)resource->resType : -1),
       (const CUDA_TEXTURE_DESC *, texture, texture ? (int)texture->filterMode : -1,
        texture ? texture->flags : 0),
       (const CUDA_RESOURCE_VIEW_DESC *, view, ))
{
    if (!object || !resource || !texture)
        return CUDA_ERROR_INVALID_VALUE;
    return view
               ? call_refused("cuTexObjectCreate: views of resources: make an array of that format")
               : create_texture(g, object, resource, texture);
}

API_IN(state_enter(&g), cuSurfObjectCreate, "*0x%llx, %p", (CUsurfObject *, object, RESULT(object)),
       (const CUDA_RESOURCE_DESC *, resource))
{
    struct sm_texture t;
    CUresult result = CUDA_SUCCESS;
    if (!object || !resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    if ((result = describe(g, resource, &t)) != CUDA_SUCCESS)
        return result;
    return add_header(g, &t, object);
}

/* NVIDIA's driver says nothing of an object that there is not; checks do. */
static CUresult destroy(unsigned long long object)
{
    struct gpu *g;
    const CUresult result = state_enter(&g);
    if (!result && !gpu_header_free(g, object))
        checks_handle_missed((const void *)(uintptr_t)object, "texture or surface object");
    return result ? result : state_leave(CUDA_SUCCESS);
}

API(cuTexObjectDestroy, "0x%llx", (CUtexObject, object))
{
    return destroy(object);
}

API(cuSurfObjectDestroy, "0x%llx", (CUsurfObject, object))
{
    return destroy(object);
}
