/* libcudart: arrays, texture and surface objects. */
#include <string.h>

#include "runtime/cudart/cudart.h"

EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* The driver's format for a texel, and its channels; false: there is none. */
static bool format_of(const struct cudaChannelFormatDesc *d, CUarray_format *format,
                      unsigned *channels)
{
    static const struct {
        int bits;
        enum cudaChannelFormatKind kind;
        CUarray_format format;
    } formats[] = {{8, cudaChannelFormatKindUnsigned, CU_AD_FORMAT_UNSIGNED_INT8},
                   {16, cudaChannelFormatKindUnsigned, CU_AD_FORMAT_UNSIGNED_INT16},
                   {32, cudaChannelFormatKindUnsigned, CU_AD_FORMAT_UNSIGNED_INT32},
                   {8, cudaChannelFormatKindSigned, CU_AD_FORMAT_SIGNED_INT8},
                   {16, cudaChannelFormatKindSigned, CU_AD_FORMAT_SIGNED_INT16},
                   {32, cudaChannelFormatKindSigned, CU_AD_FORMAT_SIGNED_INT32},
                   {16, cudaChannelFormatKindFloat, CU_AD_FORMAT_HALF},
                   {32, cudaChannelFormatKindFloat, CU_AD_FORMAT_FLOAT}};
    const int part[] = {d->x, d->y, d->z, d->w};
    for (*channels = 0; *channels < 4 && part[*channels]; ++*channels)
        if (part[*channels] != d->x)
            return false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].bits == d->x && formats[i].kind == d->f) {
            *format = formats[i].format;
            return *channels == 1 || *channels == 2 || *channels == 4;
        }
    return false;
}

/* The driver's description of an array. */
static cudaError_t array_of(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                            unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *what)
{
    const CUresult result = cudart_enter();
    *what = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    if (result || !desc)
        return result ? (cudaError_t)result : cudaErrorInvalidValue;
    return format_of(desc, &what->Format, &what->NumChannels) ? cudaSuccess
                                                              : cudaErrorInvalidChannelDescriptor;
}

EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR what;
    const cudaError_t error = array_of(desc, extent, flags, &what);
    return error ? cudart_result(error) : cudart_of(cuArray3DCreate(array, &what));
}

EXPORT cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                            const struct cudaChannelFormatDesc *desc,
                                            struct cudaExtent extent, unsigned levels,
                                            unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR what;
    const cudaError_t error = array_of(desc, extent, flags, &what);
    return error ? cudart_result(error) : cudart_of(cuMipmappedArrayCreate(array, &what, levels));
}

FORWARD(cudaGetMipmappedArrayLevel,
        (cudaArray_t * level, cudaMipmappedArray_const_t array, unsigned number),
        cuMipmappedArrayGetLevel(level, (CUmipmappedArray)(uintptr_t)array, number))

EXPORT cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    const CUresult result = cudart_enter();
    return cudart_of(result || !array ? result : cuMipmappedArrayDestroy(array));
}

EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                   size_t width, size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

EXPORT cudaError_t cudaFreeArray(cudaArray_t array)
{
    const CUresult result = cudart_enter();
    return cudart_of(result || !array ? result : cuArrayDestroy(array));
}

EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array)
{
    static const struct {
        int bits;
        enum cudaChannelFormatKind kind;
    } texels[] = {[CU_AD_FORMAT_UNSIGNED_INT8] = {8, cudaChannelFormatKindUnsigned},
                  [CU_AD_FORMAT_UNSIGNED_INT16] = {16, cudaChannelFormatKindUnsigned},
                  [CU_AD_FORMAT_UNSIGNED_INT32] = {32, cudaChannelFormatKindUnsigned},
                  [CU_AD_FORMAT_SIGNED_INT8] = {8, cudaChannelFormatKindSigned},
                  [CU_AD_FORMAT_SIGNED_INT16] = {16, cudaChannelFormatKindSigned},
                  [CU_AD_FORMAT_SIGNED_INT32] = {32, cudaChannelFormatKindSigned},
                  [CU_AD_FORMAT_HALF] = {16, cudaChannelFormatKindFloat},
                  [CU_AD_FORMAT_FLOAT] = {32, cudaChannelFormatKindFloat}};
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUresult result = cuArray3DGetDescriptor(&d, array);
    if (result)
        return cudart_of(result);
    const int bits = texels[d.Format].bits;
    if (desc)
        *desc = (struct cudaChannelFormatDesc){bits, d.NumChannels > 1 ? bits : 0,
                                               d.NumChannels > 2 ? bits : 0,
                                               d.NumChannels > 3 ? bits : 0, texels[d.Format].kind};
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return desc ? cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array)
                : cudart_result(cudaErrorInvalidValue);
}

/* A rectangle of an array, and its lines in memory. */
struct texture_rectangle {
    cudaArray_const_t array;
    size_t x, y;
    const void *memory;
    size_t pitch, width, height; /* bytes, lines */
};

/* Copies a rectangle of an array to memory, or (`store`) from there. */
static cudaError_t copy_rectangle(bool store, struct texture_rectangle r, cudaStream_t stream)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .srcDevice = (uintptr_t)r.memory,
                          .srcPitch = r.pitch,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = (CUarray)(uintptr_t)r.array,
                          .dstXInBytes = r.x,
                          .dstY = r.y,
                          .WidthInBytes = r.width,
                          .Height = r.height};
    if (!store)
        copy = (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = copy.dstArray,
                               .srcXInBytes = r.x,
                               .srcY = r.y,
                               .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                               .dstDevice = copy.srcDevice,
                               .dstPitch = r.pitch,
                               .WidthInBytes = r.width,
                               .Height = r.height};
    const CUresult result = cudart_enter();
    return cudart_of(result ? result : cuMemcpy2DAsync(&copy, stream));
}

EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                            size_t pitch, size_t width, size_t height,
                                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rectangle(true, (struct texture_rectangle){to, x, y, from, pitch, width, height},
                          stream);
}

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
                                              size_t x, size_t y, size_t width, size_t height,
                                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_rectangle(false, (struct texture_rectangle){from, x, y, to, pitch, width, height},
                          stream);
}

EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                       size_t pitch, size_t width, size_t height,
                                       enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL);
}

EXPORT cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                         size_t y, size_t width, size_t height,
                                         enum cudaMemcpyKind kind)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL);
}

/* Bytes of a texel; 0: that is no array. */
static size_t texel_bytes(CUarray array)
{
    static const uint8_t bytes[] = {
        [CU_AD_FORMAT_UNSIGNED_INT8] = 1,  [CU_AD_FORMAT_SIGNED_INT8] = 1,
        [CU_AD_FORMAT_UNSIGNED_INT16] = 2, [CU_AD_FORMAT_SIGNED_INT16] = 2,
        [CU_AD_FORMAT_HALF] = 2,           [CU_AD_FORMAT_UNSIGNED_INT32] = 4,
        [CU_AD_FORMAT_SIGNED_INT32] = 4,   [CU_AD_FORMAT_FLOAT] = 4};
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!array || cuArray3DGetDescriptor(&d, array) || (size_t)d.Format >= sizeof bytes)
        return 0;
    return (size_t)bytes[d.Format] * d.NumChannels;
}

/* Where there is an array, the extent counts its texels. */
cudaError_t cudart_copy(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *copy)
{
    const CUresult result = cudart_enter();
    if (result || !p)
        return result ? (cudaError_t)result : cudaErrorInvalidValue;
    const size_t from = texel_bytes(p->srcArray), to = texel_bytes(p->dstArray);
    if ((p->srcArray && (!from || p->srcPtr.ptr)) || (p->dstArray && (!to || p->dstPtr.ptr)) ||
        (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    const size_t texel = from ? from : to ? to : 1;
    *copy = (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcPos.x * (from ? from : 1),
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = from ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
        .srcDevice = (uintptr_t)p->srcPtr.ptr,
        .srcArray = p->srcArray,
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x * (to ? to : 1),
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = to ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED,
        .dstDevice = (uintptr_t)p->dstPtr.ptr,
        .dstArray = p->dstArray,
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width * texel,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
    return cudaSuccess;
}

EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    CUDA_MEMCPY3D copy;
    const cudaError_t error = cudart_copy(p, &copy);
    return error ? cudart_result(error) : cudart_of(cuMemcpy3D(&copy));
}

static cudaError_t resource_of(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *to)
{
    *to = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)r->resType};
    switch (r->resType) {
    case cudaResourceTypeArray:
        to->res.array.hArray = r->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = r->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        to->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        to->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return format_of(&r->res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    case cudaResourceTypePitch2D:
        to->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        to->res.pitch2D.width = r->res.pitch2D.width;
        to->res.pitch2D.height = r->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return format_of(&r->res.pitch2D.desc, &to->res.pitch2D.format,
                         &to->res.pitch2D.numChannels)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    default:
        return cudaErrorInvalidValue;
    }
}

EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                           const struct cudaResourceDesc *resource,
                                           const struct cudaTextureDesc *t,
                                           const struct cudaResourceViewDesc *view)
{
    CUDA_RESOURCE_DESC r;
    const CUresult result = cudart_enter();
    if (result)
        return cudart_of(result);
    if (!object || !resource || !t)
        return cudart_result(cudaErrorInvalidValue);
    const cudaError_t error = view ? cudaErrorNotSupported : resource_of(resource, &r);
    if (error)
        return cudart_result(error);
    CUDA_TEXTURE_DESC texture = {
        .filterMode = (CUfilter_mode)t->filterMode,
        .flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
                 (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
                 (t->sRGB ? CU_TRSF_SRGB : 0),
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    for (unsigned i = 0; i < 3; i++)
        texture.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    memcpy(texture.borderColor, t->borderColor, sizeof texture.borderColor);
    return cudart_of(cuTexObjectCreate(object, &r, &texture, NULL));
}

FORWARD(cudaDestroyTextureObject, (cudaTextureObject_t object), cuTexObjectDestroy(object))

EXPORT cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                           const struct cudaResourceDesc *resource)
{
    CUDA_RESOURCE_DESC r;
    const CUresult result = cudart_enter();
    if (result || !object || !resource)
        return cudart_of(result ? result : CUDA_ERROR_INVALID_VALUE);
    const cudaError_t error = resource_of(resource, &r);
    return error ? cudart_result(error) : cudart_of(cuSurfObjectCreate(object, &r));
}

FORWARD(cudaDestroySurfaceObject, (cudaSurfaceObject_t object), cuSurfObjectDestroy(object))

EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    CUDA_MEMCPY3D copy;
    const cudaError_t error = cudart_copy(p, &copy);
    return error ? cudart_result(error) : cudart_of(cuMemcpy3DAsync(&copy, stream));
}

/* ---- bytes that run on from one row of an array into the next ---- */

static cudaError_t copy_rows(bool store, cudaArray_const_t array, size_t x, size_t y,
                             const char *memory, size_t bytes, cudaStream_t stream)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUarray a = (CUarray)(uintptr_t)array;
    const size_t texel = texel_bytes(a);
    if (!texel || cuArray3DGetDescriptor(&d, a) || x >= d.Width * texel)
        return cudart_result(cudaErrorInvalidValue);
    const size_t row = d.Width * texel;
    cudaError_t error = cudaSuccess;
    for (size_t part; bytes && !error; bytes -= part, memory += part, x = 0, y++) {
        part = bytes < row - x ? bytes : row - x;
        error = copy_rectangle(
            store, (struct texture_rectangle){array, x, y, memory, part, part, 1}, stream);
    }
    return cudart_result(error);
}

EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                          size_t bytes, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return copy_rows(true, to, x, y, from, bytes, stream);
}

EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                            size_t bytes, enum cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    return copy_rows(false, from, x, y, to, bytes, stream);
}

EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, NULL);
}

EXPORT cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                       size_t bytes, enum cudaMemcpyKind kind)
{
    return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, NULL);
}

/* Version 11.8 has it for descriptions with one member more at the end. */
EXPORT cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *object,
                                              const struct cudaResourceDesc *resource,
                                              const struct cudaTextureDesc *texture,
                                              const struct cudaResourceViewDesc *view)
{
    return cudaCreateTextureObject(object, resource, texture, view);
}
