/* Reads of texture objects, by clang's __nv_tex_surf_handler. */
#ifndef WAVETRAP_TEXTURE_INDIRECT_FUNCTIONS_H
#define WAVETRAP_TEXTURE_INDIRECT_FUNCTIONS_H

#if __cplusplus >= 201103L
#define WAVETRAP_TEXTURE(name, op, parameters, ...)                                                \
    template <class T> static inline __attribute__((device)) T name parameters                     \
    {                                                                                              \
        T texel;                                                                                   \
        __nv_tex_surf_handler(op, &texel, object, __VA_ARGS__);                                    \
        return texel;                                                                              \
    }                                                                                              \
    template <class T, class... P>                                                                 \
    static inline __attribute__((device)) void name(T *texel, cudaTextureObject_t object, P... at) \
    {                                                                                              \
        *texel = name<T>(object, at...);                                                           \
    }
WAVETRAP_TEXTURE(tex1Dfetch, "__itex1Dfetch", (cudaTextureObject_t object, int x), x)
WAVETRAP_TEXTURE(tex1D, "__itex1D", (cudaTextureObject_t object, float x), x)
WAVETRAP_TEXTURE(tex2D, "__itex2D", (cudaTextureObject_t object, float x, float y), x, y)
WAVETRAP_TEXTURE(tex3D, "__itex3D", (cudaTextureObject_t object, float x, float y, float z), x, y,
                 z)
WAVETRAP_TEXTURE(tex2DLayered, "__itex2DLayered",
                 (cudaTextureObject_t object, float x, float y, int layer), x, y, layer)
WAVETRAP_TEXTURE(tex1DLayered, "__itex1DLayered", (cudaTextureObject_t object, float x, int layer),
                 x, layer)

/* A level by its number, or by how far the coordinates go from one texel of the result to the next.
 */
#define WAVETRAP_LEVEL(name, form, gradient, by, at, ...)                                          \
    WAVETRAP_TEXTURE(name##Lod, "__i" #name "Lod",                                                 \
                     (cudaTextureObject_t object, WAVETRAP_WITH __VA_ARGS__, float level),         \
                     WAVETRAP_WITH at, level)                                                      \
    WAVETRAP_TEXTURE(                                                                              \
        name##Grad, "__i" #name "Grad" form,                                                       \
        (cudaTextureObject_t object, WAVETRAP_WITH __VA_ARGS__, gradient by_x, gradient by_y),     \
        WAVETRAP_WITH at, by by_x, by by_y)
#define WAVETRAP_WITH(...) __VA_ARGS__
WAVETRAP_LEVEL(tex1D, "", float, , (x), (float x))
WAVETRAP_LEVEL(tex2D, "_v2", float2, &, (x, y), (float x, float y))
WAVETRAP_LEVEL(tex3D, "_v2", float4, &, (x, y, z), (float x, float y, float z))
WAVETRAP_LEVEL(tex1DLayered, "", float, , (x, layer), (float x, int layer))
WAVETRAP_LEVEL(tex2DLayered, "_v2", float2, &, (x, y, layer), (float x, float y, int layer))
#undef WAVETRAP_WITH
#undef WAVETRAP_LEVEL
#undef WAVETRAP_TEXTURE
#endif

#include <surface_indirect_functions.h>

#endif
