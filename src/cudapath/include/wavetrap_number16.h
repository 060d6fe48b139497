/*
 * Sums, differences, products and quotients of a type of 16 bits and of pairs of it, for
 * cuda_fp16.h and cuda_bf16.h. By way of a float they are rounded rightly, since its 24 bits are at
 * least twice the type's 8 or 11, and two. The header that includes this one defines
 * WAVETRAP_NUMBER, the type; WAVETRAP_PAIR; and WAVETRAP_FUNCTION, what a function begins with.
 */
#define WAVETRAP_BINARY(name, op)                                                                  \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER __h##name(WAVETRAP_NUMBER a, WAVETRAP_NUMBER b)              \
    {                                                                                              \
        return WAVETRAP_NUMBER((float)a op(float) b);                                              \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR __h##name##2(WAVETRAP_PAIR a, WAVETRAP_PAIR b)                 \
    {                                                                                              \
        return WAVETRAP_PAIR(__h##name(a.x, b.x), __h##name(a.y, b.y));                            \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER operator op(const WAVETRAP_NUMBER &a,                        \
                                                  const WAVETRAP_NUMBER &b)                        \
    {                                                                                              \
        return __h##name(a, b);                                                                    \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_NUMBER &operator op##=(WAVETRAP_NUMBER &a,                          \
                                                      const WAVETRAP_NUMBER &b)                    \
    {                                                                                              \
        return a = __h##name(a, b);                                                                \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR operator op(const WAVETRAP_PAIR &a, const WAVETRAP_PAIR &b)    \
    {                                                                                              \
        return __h##name##2(a, b);                                                                 \
    }                                                                                              \
    WAVETRAP_FUNCTION WAVETRAP_PAIR &operator op##=(WAVETRAP_PAIR &a, const WAVETRAP_PAIR &b)      \
    {                                                                                              \
        return a = __h##name##2(a, b);                                                             \
    }
WAVETRAP_BINARY(add, +)
WAVETRAP_BINARY(sub, -)
WAVETRAP_BINARY(mul, *)
WAVETRAP_BINARY(div, /)
#undef WAVETRAP_BINARY
#undef WAVETRAP_NUMBER
#undef WAVETRAP_PAIR
#undef WAVETRAP_FUNCTION
