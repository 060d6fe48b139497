/* Atomics of CUDA C++ by the functions that clang's headers define. */
#ifndef WAVETRAP_DEVICE_ATOMIC_FUNCTIONS_H
#define WAVETRAP_DEVICE_ATOMIC_FUNCTIONS_H

#define WAVETRAP_ATOMIC(name, type, function)                                                      \
    static inline __attribute__((device, always_inline)) type name(type *address, type value)      \
    {                                                                                              \
        return function(address, value);                                                           \
    }
#define WAVETRAP_ATOMICS(op, suffix)                                                               \
    WAVETRAP_ATOMIC(atomic##op##suffix, int, __iAtomic##op##suffix)                                \
    WAVETRAP_ATOMIC(atomic##op##suffix, unsigned, __uAtomic##op##suffix)                           \
    WAVETRAP_ATOMIC(atomic##op##suffix, unsigned long long, __ullAtomic##op##suffix)
#define WAVETRAP_CAS(suffix, type, function)                                                       \
    static inline __attribute__((device, always_inline))                                           \
    type atomicCAS##suffix(type *address, type compare, type value)                                \
    {                                                                                              \
        return function##suffix(address, compare, value);                                          \
    }
#define WAVETRAP_SCOPE(suffix)                                                                     \
    WAVETRAP_ATOMICS(Add, suffix)                                                                  \
    WAVETRAP_ATOMICS(Exch, suffix)                                                                 \
    WAVETRAP_ATOMICS(Min, suffix)                                                                  \
    WAVETRAP_ATOMICS(Max, suffix)                                                                  \
    WAVETRAP_ATOMICS(And, suffix)                                                                  \
    WAVETRAP_ATOMICS(Or, suffix)                                                                   \
    WAVETRAP_ATOMICS(Xor, suffix)                                                                  \
    WAVETRAP_ATOMIC(atomicAdd##suffix, float, __fAtomicAdd##suffix)                                \
    WAVETRAP_ATOMIC(atomicExch##suffix, float, __fAtomicExch##suffix)                              \
    WAVETRAP_ATOMIC(atomicMin##suffix, long long, __illAtomicMin##suffix)                          \
    WAVETRAP_ATOMIC(atomicMax##suffix, long long, __illAtomicMax##suffix)                          \
    WAVETRAP_ATOMIC(atomicInc##suffix, unsigned, __uAtomicInc##suffix)                             \
    WAVETRAP_ATOMIC(atomicDec##suffix, unsigned, __uAtomicDec##suffix)                             \
    WAVETRAP_CAS(suffix, int, __iAtomicCAS)                                                        \
    WAVETRAP_CAS(suffix, unsigned, __uAtomicCAS)                                                   \
    WAVETRAP_CAS(suffix, unsigned long long, __ullAtomicCAS)

WAVETRAP_SCOPE()
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 600
WAVETRAP_SCOPE(_block)
WAVETRAP_SCOPE(_system)
WAVETRAP_ATOMIC(atomicAdd, double, __dAtomicAdd)
#endif

static inline __attribute__((device, always_inline)) int atomicSub(int *address, int value)
{
    return atomicAdd(address, -value);
}
static inline __attribute__((device, always_inline)) unsigned atomicSub(unsigned *address,
                                                                        unsigned value)
{
    return atomicAdd(address, -value);
}

#undef WAVETRAP_ATOMIC
#undef WAVETRAP_ATOMICS
#undef WAVETRAP_CAS
#undef WAVETRAP_SCOPE

#endif
