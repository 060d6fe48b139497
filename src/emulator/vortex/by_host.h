/* Loops over lanes that are compiled twice: for all hosts, and for those with AVX2. */
#ifndef VX_BY_HOST_H
#define VX_BY_HOST_H

#include "emulator/vortex/internal.h"

/*
 * Defines NAME_by_host(), whose value is a `result`: what @p plain says, an expression of functions
 * that are always inlined, or on hosts with AVX2 what @p wide says, with its instructions.
 */
#ifdef VX_HAS_V3
#define VX_BY_HOST(result, name, parameters, arguments, plain, wide)                               \
    __attribute__((target("avx2"))) static result name##_v3 parameters                             \
    {                                                                                              \
        return wide;                                                                               \
    }                                                                                              \
    static inline __attribute__((always_inline)) result name##_by_host parameters                  \
    {                                                                                              \
        return __builtin_cpu_supports("avx2") ? name##_v3 arguments : plain;                       \
    }
#else
#define VX_BY_HOST(result, name, parameters, arguments, plain, wide)                               \
    static inline __attribute__((always_inline)) result name##_by_host parameters                  \
    {                                                                                              \
        return plain;                                                                              \
    }
#endif

#endif
