/*
 * The greater or lesser of sums, or of three numbers, of 32 bits or of two halves of 16 bits: the
 * functions that CUDA's documentation calls DPX ("CUDA Math API", "DPX"), written anew. Sums wrap.
 * Those with relu are never below 0.
 */
#ifndef WAVETRAP_EXTREMES_H
#define WAVETRAP_EXTREMES_H

#define WAVETRAP_OF_WORDS(op, better, name, type)                                                  \
    static inline WAVETRAP_BOTH type wavetrap_##op##_##name(type a, type b)                        \
    {                                                                                              \
        return a better b ? a : b;                                                                 \
    }                                                                                              \
    static inline WAVETRAP_BOTH type __viadd##op##_##name(type a, type b, type c)                  \
    {                                                                                              \
        return wavetrap_##op##_##name((type)((unsigned)a + (unsigned)b), c);                       \
    }                                                                                              \
    static inline WAVETRAP_BOTH type __vi##op##3_##name(type a, type b, type c)                    \
    {                                                                                              \
        return wavetrap_##op##_##name(wavetrap_##op##_##name(a, b), c);                            \
    }                                                                                              \
    static inline WAVETRAP_BOTH type __vib##op##_##name(type a, type b, bool *first)               \
    {                                                                                              \
        *first = a better b;                                                                       \
        return *first ? a : b;                                                                     \
    }
WAVETRAP_OF_WORDS(max, >=, s32, int)
WAVETRAP_OF_WORDS(min, <=, s32, int)
WAVETRAP_OF_WORDS(max, >=, u32, unsigned)
WAVETRAP_OF_WORDS(min, <=, u32, unsigned)
#undef WAVETRAP_OF_WORDS

/* Of each half of words: an expression of the halves at bit i. */
#define WAVETRAP_HALVES(type, expression)                                                          \
    unsigned d = 0;                                                                                \
    for (int i = 0; i < 32; i += 16) {                                                             \
        const type part = (type)(expression);                                                      \
        d |= (unsigned)(unsigned short)part << i;                                                  \
    }                                                                                              \
    return d
#define WAVETRAP_OF_HALVES(op, better, name, type)                                                 \
    static inline WAVETRAP_BOTH type wavetrap_##op##_##name(type a, type b)                        \
    {                                                                                              \
        return a better b ? a : b;                                                                 \
    }                                                                                              \
    static inline WAVETRAP_BOTH unsigned __viadd##op##_##name##x2(unsigned a, unsigned b,          \
                                                                  unsigned c)                      \
    {                                                                                              \
        WAVETRAP_HALVES(type,                                                                      \
                        wavetrap_##op##_##name((type)((a >> i) + (b >> i)), (type)(c >> i)));      \
    }                                                                                              \
    static inline WAVETRAP_BOTH unsigned __vi##op##3_##name##x2(unsigned a, unsigned b,            \
                                                                unsigned c)                        \
    {                                                                                              \
        WAVETRAP_HALVES(                                                                           \
            type, wavetrap_##op##_##name(wavetrap_##op##_##name((type)(a >> i), (type)(b >> i)),   \
                                         (type)(c >> i)));                                         \
    }                                                                                              \
    static inline WAVETRAP_BOTH unsigned __vib##op##_##name##x2(unsigned a, unsigned b,            \
                                                                bool *high, bool *low)             \
    {                                                                                              \
        *low = (type)a better(type) b;                                                             \
        *high = (type)(a >> 16) better(type)(b >> 16);                                             \
        WAVETRAP_HALVES(type, wavetrap_##op##_##name((type)(a >> i), (type)(b >> i)));             \
    }
WAVETRAP_OF_HALVES(max, >=, s16, short)
WAVETRAP_OF_HALVES(min, <=, s16, short)
WAVETRAP_OF_HALVES(max, >=, u16, unsigned short)
WAVETRAP_OF_HALVES(min, <=, u16, unsigned short)
#undef WAVETRAP_OF_HALVES
#undef WAVETRAP_HALVES

static inline WAVETRAP_BOTH unsigned wavetrap_relu_s16x2(unsigned a)
{
    return __vimax3_s16x2(a, 0, 0);
}
static inline WAVETRAP_BOTH int wavetrap_relu_s32(int a)
{
    return a < 0 ? 0 : a;
}
#define WAVETRAP_RELU(op, name, type)                                                              \
    static inline WAVETRAP_BOTH type __viadd##op##_##name##_relu(type a, type b, type c)           \
    {                                                                                              \
        return wavetrap_relu_##name(__viadd##op##_##name(a, b, c));                                \
    }                                                                                              \
    static inline WAVETRAP_BOTH type __vi##op##3_##name##_relu(type a, type b, type c)             \
    {                                                                                              \
        return wavetrap_relu_##name(__vi##op##3_##name(a, b, c));                                  \
    }                                                                                              \
    static inline WAVETRAP_BOTH type __vi##op##_##name##_relu(type a, type b)                      \
    {                                                                                              \
        return wavetrap_relu_##name(__vi##op##3_##name(a, b, b));                                  \
    }
WAVETRAP_RELU(max, s32, int)
WAVETRAP_RELU(min, s32, int)
WAVETRAP_RELU(max, s16x2, unsigned)
WAVETRAP_RELU(min, s16x2, unsigned)
#undef WAVETRAP_RELU

#endif
