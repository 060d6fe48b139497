/* Conversions between generic addresses and those of a space, by the functions of clang's. */
#ifndef WAVETRAP_DEVICE_FUNCTIONS_H
#define WAVETRAP_DEVICE_FUNCTIONS_H

#define WAVETRAP_SPACE(space)                                                                      \
    extern "C" __attribute__((device)) size_t __nv_cvta_generic_to_##space##_impl(const void *);   \
    extern "C" __attribute__((device)) void *__nv_cvta_##space##_to_generic_impl(size_t);          \
    static inline __attribute__((device)) size_t __cvta_generic_to_##space(const void *address)    \
    {                                                                                              \
        return __nv_cvta_generic_to_##space##_impl(address);                                       \
    }                                                                                              \
    static inline __attribute__((device)) void *__cvta_##space##_to_generic(size_t address)        \
    {                                                                                              \
        return __nv_cvta_##space##_to_generic_impl(address);                                       \
    }
WAVETRAP_SPACE(global)
WAVETRAP_SPACE(shared)
WAVETRAP_SPACE(constant)
WAVETRAP_SPACE(local)
#undef WAVETRAP_SPACE

#endif
