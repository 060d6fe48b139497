/* Conversions between generic addresses and those of a space, by the functions of clang's, and what
 * clang declares alone: nan() and nanf(). */
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

/* The payload that a tag of nan() names: a number of C, or 0. */
static inline __attribute__((device)) unsigned long long wavetrap_payload(const char *tag)
{
    unsigned long long value = 0;
    unsigned base = 10;
    if (*tag == '0') {
        tag++;
        base = (*tag | 32) == 'x' ? 16 : 8;
        tag += base == 16;
    }
    for (; *tag; tag++) {
        const unsigned letter = (unsigned)(*tag | 32) - 'a';
        const unsigned digit = letter < 6 ? letter + 10 : (unsigned)*tag - '0';
        if (digit >= base)
            return 0;
        value = value * base + digit;
    }
    return value;
}

static inline __attribute__((device)) double nan(const char *tag)
{
    return __builtin_bit_cast(double, wavetrap_payload(tag) & 0x7ffffffffffff | 0x7ffull << 52 | 1ull << 51);
}

static inline __attribute__((device)) float nanf(const char *tag)
{
    return __builtin_bit_cast(float, (unsigned)wavetrap_payload(tag) & 0x3fffff | 0x7fc00000);
}

#endif
