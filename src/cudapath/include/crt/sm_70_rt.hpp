/* Matches within a warp, by the functions of clang's, __nanosleep and compare-and-swap of 16 bits: of
 * sm_70 and above. */
#ifndef WAVETRAP_SM_70_RT_H
#define WAVETRAP_SM_70_RT_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/* The lanes of the mask are compared by their bits, also those of numbers with a fraction. */
#define WAVETRAP_MATCH(type, bits, word)                                                           \
    static inline __attribute__((device)) unsigned __match_any_sync(unsigned mask, type value)     \
    {                                                                                              \
        return __match##bits##_any_sync(mask, __builtin_bit_cast(word, value));                    \
    }                                                                                              \
    static inline __attribute__((device)) unsigned __match_all_sync(unsigned mask, type value,     \
                                                                    int *all)                      \
    {                                                                                              \
        return __match##bits##_all_sync(mask, __builtin_bit_cast(word, value), all);               \
    }
WAVETRAP_MATCH(int, 32, unsigned)
WAVETRAP_MATCH(unsigned, 32, unsigned)
WAVETRAP_MATCH(float, 32, unsigned)
WAVETRAP_MATCH(long, 64, unsigned long long)
WAVETRAP_MATCH(unsigned long, 64, unsigned long long)
WAVETRAP_MATCH(long long, 64, unsigned long long)
WAVETRAP_MATCH(unsigned long long, 64, unsigned long long)
WAVETRAP_MATCH(double, 64, unsigned long long)
#undef WAVETRAP_MATCH

static inline __attribute__((device)) void __nanosleep(unsigned ns)
{
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns));
}

#define WAVETRAP_CAS16(suffix, scope)                                                              \
    static inline __attribute__((device)) unsigned short atomicCAS##suffix(                        \
        unsigned short *address, unsigned short compare, unsigned short value)                     \
    {                                                                                              \
        unsigned short old;                                                                        \
        __asm__ volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                 \
                         : "=h"(old)                                                               \
                         : "l"(address), "h"(compare), "h"(value)                                  \
                         : "memory");                                                              \
        return old;                                                                                \
    }
WAVETRAP_CAS16(, "")
WAVETRAP_CAS16(_block, ".cta")
WAVETRAP_CAS16(_system, ".sys")
#undef WAVETRAP_CAS16
#endif

#endif
