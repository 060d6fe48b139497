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
#undef WAVETRAP_TEXTURE
#endif

#include <surface_indirect_functions.h>

#endif
