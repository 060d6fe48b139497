/*
 * Reads and writes of surface objects, whose x counts bytes: suld.b and sust.b of PTX, with clang's
 * registers of 16 and 32 bits. The boundary mode is a word of the instruction.
 */
#ifndef WAVETRAP_SURFACE_INDIRECT_FUNCTIONS_H
#define WAVETRAP_SURFACE_INDIRECT_FUNCTIONS_H

#if __cplusplus >= 201103L

#define WAVETRAP_SURFACE_READ(shape, place, mode, ...)                                             \
    {                                                                                              \
        if (sizeof(T) == 1)                                                                        \
            asm volatile("suld.b." shape ".b8." mode " %0, [%[s], " place "];"                     \
                         : "=h"(half)                                                              \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
        else if (sizeof(T) == 2)                                                                   \
            asm volatile("suld.b." shape ".b16." mode " %0, [%[s], " place "];"                    \
                         : "=h"(half)                                                              \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
        else if (sizeof(T) == 4)                                                                   \
            asm volatile("suld.b." shape ".b32." mode " %0, [%[s], " place "];"                    \
                         : "=r"(word[0])                                                           \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
        else if (sizeof(T) == 8)                                                                   \
            asm volatile("suld.b." shape ".v2.b32." mode " {%0, %1}, [%[s], " place "];"           \
                         : "=r"(word[0]), "=r"(word[1])                                            \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
        else                                                                                       \
            asm volatile("suld.b." shape ".v4.b32." mode " {%0, %1, %2, %3}, [%[s], " place "];"   \
                         : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])              \
                         : [s] "l"(surface), __VA_ARGS__                                           \
                         : "memory");                                                              \
    }
#define WAVETRAP_SURFACE_WRITE(shape, place, mode, ...)                                            \
    {                                                                                              \
        if (sizeof(T) == 1)                                                                        \
            asm volatile("sust.b." shape ".b8." mode " [%[s], " place "], %0;" ::"h"(half),        \
                         [s] "l"(surface), __VA_ARGS__                                             \
                         : "memory");                                                              \
        else if (sizeof(T) == 2)                                                                   \
            asm volatile("sust.b." shape ".b16." mode " [%[s], " place "], %0;" ::"h"(half),       \
                         [s] "l"(surface), __VA_ARGS__                                             \
                         : "memory");                                                              \
        else if (sizeof(T) == 4)                                                                   \
            asm volatile("sust.b." shape ".b32." mode " [%[s], " place "], %0;" ::"r"(word[0]),    \
                         [s] "l"(surface), __VA_ARGS__                                             \
                         : "memory");                                                              \
        else if (sizeof(T) == 8)                                                                   \
            asm volatile("sust.b." shape ".v2.b32." mode " [%[s], " place                          \
                         "], {%0, %1};" ::"r"(word[0]),                                            \
                         "r"(word[1]), [s] "l"(surface), __VA_ARGS__                               \
                         : "memory");                                                              \
        else                                                                                       \
            asm volatile("sust.b." shape ".v4.b32." mode " [%[s], " place                          \
                         "], {%0, %1, %2, %3};" ::"r"(word[0]),                                    \
                         "r"(word[1]), "r"(word[2]), "r"(word[3]), [s] "l"(surface), __VA_ARGS__   \
                         : "memory");                                                              \
    }

/* NAMEread<T>(surface, ...), NAMEread(&texel, surface, ...), NAMEwrite(texel, surface, ...). */
#define WAVETRAP_SURFACE(name, shape, place, parameters, arguments, ...)                           \
    template <class T>                                                                             \
    static inline __attribute__((device))                                                          \
    T name##read(cudaSurfaceObject_t surface, WAVETRAP_LIST parameters,                            \
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                              \
    {                                                                                              \
        static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "1, 2, 4, 8, 16 bytes");  \
        T texel;                                                                                   \
        unsigned short half = 0;                                                                   \
        unsigned word[4] = {0, 0, 0, 0};                                                           \
        if (mode == cudaBoundaryModeClamp)                                                         \
            WAVETRAP_SURFACE_READ(shape, place, "clamp", __VA_ARGS__)                              \
        else if (mode == cudaBoundaryModeZero)                                                     \
            WAVETRAP_SURFACE_READ(shape, place, "zero", __VA_ARGS__)                               \
        else                                                                                       \
            WAVETRAP_SURFACE_READ(shape, place, "trap", __VA_ARGS__)                               \
        __builtin_memcpy(&texel, sizeof(T) < 4 ? (const void *)&half : (const void *)word,         \
                         sizeof(T));                                                               \
        return texel;                                                                              \
    }                                                                                              \
    template <class T>                                                                             \
    static inline __attribute__((device)) void name##read(                                         \
        T *texel, cudaSurfaceObject_t surface, WAVETRAP_LIST parameters,                           \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                       \
    {                                                                                              \
        *texel = name##read<T>(surface, WAVETRAP_LIST arguments, mode);                            \
    }                                                                                              \
    template <class T>                                                                             \
    static inline __attribute__((device)) void name##write(                                        \
        T texel, cudaSurfaceObject_t surface, WAVETRAP_LIST parameters,                            \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                       \
    {                                                                                              \
        static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "1, 2, 4, 8, 16 bytes");  \
        unsigned short half = 0;                                                                   \
        unsigned word[4] = {0, 0, 0, 0};                                                           \
        __builtin_memcpy(sizeof(T) < 4 ? (void *)&half : (void *)word, &texel, sizeof(T));         \
        if (mode == cudaBoundaryModeClamp)                                                         \
            WAVETRAP_SURFACE_WRITE(shape, place, "clamp", __VA_ARGS__)                             \
        else if (mode == cudaBoundaryModeZero)                                                     \
            WAVETRAP_SURFACE_WRITE(shape, place, "zero", __VA_ARGS__)                              \
        else                                                                                       \
            WAVETRAP_SURFACE_WRITE(shape, place, "trap", __VA_ARGS__)                              \
    }
#define WAVETRAP_LIST(...) __VA_ARGS__

WAVETRAP_SURFACE(surf1D, "1d", "{%[x]}", (int x), (x), [x] "r"(x))
WAVETRAP_SURFACE(surf2D, "2d", "{%[x], %[y]}", (int x, int y), (x, y), [x] "r"(x), [y] "r"(y))
WAVETRAP_SURFACE(surf3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z),
                 (x, y, z), [x] "r"(x), [y] "r"(y), [z] "r"(z))
WAVETRAP_SURFACE(surf1DLayered, "a1d", "{%[l], %[x]}", (int x, int layer),
                 (x, layer), [x] "r"(x), [l] "r"(layer))
WAVETRAP_SURFACE(surf2DLayered, "a2d", "{%[l], %[x], %[y], %[y]}", (int x, int y, int layer),
                 (x, y, layer), [x] "r"(x), [y] "r"(y), [l] "r"(layer))

#undef WAVETRAP_SURFACE
#undef WAVETRAP_SURFACE_READ
#undef WAVETRAP_SURFACE_WRITE
#undef WAVETRAP_LIST
#endif

#endif
