/* CUDA's vector types and dim3, as NVIDIA's documentation names, sizes and aligns them. */
#ifndef WAVETRAP_VECTOR_TYPES_H
#define WAVETRAP_VECTOR_TYPES_H

#ifdef __CUDA__
#define WAVETRAP_BOTH __attribute__((host)) __attribute__((device))
#else
#define WAVETRAP_BOTH
#endif

#define WAVETRAP_VECTOR(name, part, align2, align4)                                                \
    typedef struct name##1                                                                         \
    {                                                                                              \
        part x;                                                                                    \
    }                                                                                              \
    name##1;                                                                                       \
    typedef struct __attribute__((aligned(align2))) name##2                                        \
    {                                                                                              \
        part x, y;                                                                                 \
    }                                                                                              \
    name##2;                                                                                       \
    typedef struct name##3                                                                         \
    {                                                                                              \
        part x, y, z;                                                                              \
    }                                                                                              \
    name##3;                                                                                       \
    typedef struct __attribute__((aligned(align4))) name##4                                        \
    {                                                                                              \
        part x, y, z, w;                                                                           \
    }                                                                                              \
    name##4;                                                                                       \
    static inline WAVETRAP_BOTH name##1 make_##name##1(part x)                                     \
    {                                                                                              \
        name##1 v = {x};                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    static inline WAVETRAP_BOTH name##2 make_##name##2(part x, part y)                             \
    {                                                                                              \
        name##2 v = {x, y};                                                                        \
        return v;                                                                                  \
    }                                                                                              \
    static inline WAVETRAP_BOTH name##3 make_##name##3(part x, part y, part z)                     \
    {                                                                                              \
        name##3 v = {x, y, z};                                                                     \
        return v;                                                                                  \
    }                                                                                              \
    static inline WAVETRAP_BOTH name##4 make_##name##4(part x, part y, part z, part w)             \
    {                                                                                              \
        name##4 v = {x, y, z, w};                                                                  \
        return v;                                                                                  \
    }

WAVETRAP_VECTOR(char, signed char, 2, 4)
WAVETRAP_VECTOR(uchar, unsigned char, 2, 4)
WAVETRAP_VECTOR(short, short, 4, 8)
WAVETRAP_VECTOR(ushort, unsigned short, 4, 8)
WAVETRAP_VECTOR(int, int, 8, 16)
WAVETRAP_VECTOR(uint, unsigned, 8, 16)
WAVETRAP_VECTOR(long, long, 16, 16)
WAVETRAP_VECTOR(ulong, unsigned long, 16, 16)
WAVETRAP_VECTOR(longlong, long long, 16, 16)
WAVETRAP_VECTOR(ulonglong, unsigned long long, 16, 16)
WAVETRAP_VECTOR(float, float, 8, 16)
WAVETRAP_VECTOR(double, double, 16, 16)
#undef WAVETRAP_VECTOR

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    WAVETRAP_BOTH constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    WAVETRAP_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    WAVETRAP_BOTH constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
} dim3;

#endif
