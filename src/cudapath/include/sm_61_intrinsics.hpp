/*
 * Scalar products of bytes, and loads and stores that say what caches may keep: there are none
 * here, so these are accesses that the compiler neither moves nor joins.
 */
#ifndef WAVETRAP_SM_61_INTRINSICS_HPP
#define WAVETRAP_SM_61_INTRINSICS_HPP

#define WAVETRAP_DOT(name, op, type, letter, A, B)                                                 \
    static inline __attribute__((device)) type name(A a, B b, type c)                              \
    {                                                                                              \
        type d;                                                                                    \
        __asm__(op "." letter "32." letter "32 %0, %1, %2, %3;"                                    \
                : "=r"(d)                                                                          \
                : "r"(__builtin_bit_cast(unsigned, a)), "r"(__builtin_bit_cast(unsigned, b)),      \
                  "r"(c));                                                                         \
        return d;                                                                                  \
    }
#define WAVETRAP_DOTS(name, op, of_a, of_ua)                                                       \
    WAVETRAP_DOT(name, op, int, "s", int, int)                                                     \
    WAVETRAP_DOT(name, op, unsigned, "u", unsigned, unsigned)                                      \
    WAVETRAP_DOT(name, op, int, "s", of_a, char4)                                                  \
    WAVETRAP_DOT(name, op, unsigned, "u", of_ua, uchar4)
WAVETRAP_DOTS(__dp4a, "dp4a", char4, uchar4)
WAVETRAP_DOTS(__dp2a_lo, "dp2a.lo", short2, ushort2)
WAVETRAP_DOTS(__dp2a_hi, "dp2a.hi", short2, ushort2)
#undef WAVETRAP_DOTS
#undef WAVETRAP_DOT

#define WAVETRAP_LOAD(name)                                                                        \
    template <class T> static inline __attribute__((device)) T name(const T *address)              \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
        const T value = *address;                                                                  \
        __asm__ volatile("" ::: "memory");                                                         \
        return value;                                                                              \
    }
#define WAVETRAP_STORE(name)                                                                       \
    template <class T> static inline __attribute__((device)) void name(T *address, T value)        \
    {                                                                                              \
        __asm__ volatile("" ::: "memory");                                                         \
        *address = value;                                                                          \
        __asm__ volatile("" ::: "memory");                                                         \
    }

/* The same past caches: words of 4 and 8 bytes are accessed by one instruction, which says so. */
#define WAVETRAP_BITS(to, from)                                                                    \
    __builtin_memcpy(&(to), &(from), sizeof(to) < sizeof(from) ? sizeof(to) : sizeof(from))
#define WAVETRAP_LOAD_PAST(name, operator)                                                         \
    template <class T> static inline __attribute__((device)) T name(const T *address)              \
    {                                                                                              \
        unsigned word;                                                                             \
        unsigned long long both;                                                                   \
        T value;                                                                                   \
        if (sizeof value == sizeof word) {                                                         \
            __asm__ volatile("ld." operator".u32 %0, [%1];"                                        \
                             : "=r"(word)                                                          \
                             : "l"(address)                                                        \
                             : "memory");                                                          \
            WAVETRAP_BITS(value, word);                                                            \
        } else if (sizeof value == sizeof both) {                                                  \
            __asm__ volatile("ld." operator".u64 %0, [%1];"                                        \
                             : "=l"(both)                                                          \
                             : "l"(address)                                                        \
                             : "memory");                                                          \
            WAVETRAP_BITS(value, both);                                                            \
        } else {                                                                                   \
            __asm__ volatile("" ::: "memory");                                                     \
            value = *address;                                                                      \
            __asm__ volatile("" ::: "memory");                                                     \
        }                                                                                          \
        return value;                                                                              \
    }
#define WAVETRAP_STORE_PAST(name, operator)                                                        \
    template <class T> static inline __attribute__((device)) void name(T *address, T value)        \
    {                                                                                              \
        unsigned word = 0;                                                                         \
        unsigned long long both = 0;                                                               \
        if (sizeof value == sizeof word) {                                                         \
            WAVETRAP_BITS(word, value);                                                            \
            __asm__ volatile("st." operator".u32 [%0], %1;" ::"l"(address), "r"(word)              \
                             : "memory");                                                          \
        } else if (sizeof value == sizeof both) {                                                  \
            WAVETRAP_BITS(both, value);                                                            \
            __asm__ volatile("st." operator".u64 [%0], %1;" ::"l"(address), "l"(both)              \
                             : "memory");                                                          \
        } else {                                                                                   \
            __asm__ volatile("" ::: "memory");                                                     \
            *address = value;                                                                      \
            __asm__ volatile("" ::: "memory");                                                     \
        }                                                                                          \
    }
WAVETRAP_LOAD_PAST(__ldcg, "cg")
WAVETRAP_LOAD(__ldca)
WAVETRAP_LOAD(__ldcs)
WAVETRAP_LOAD(__ldlu)
WAVETRAP_LOAD_PAST(__ldcv, "cv")
WAVETRAP_STORE(__stwb)
WAVETRAP_STORE_PAST(__stcg, "cg")
WAVETRAP_STORE(__stcs)
WAVETRAP_STORE_PAST(__stwt, "wt")
#undef WAVETRAP_LOAD
#undef WAVETRAP_STORE
#undef WAVETRAP_LOAD_PAST
#undef WAVETRAP_STORE_PAST
#undef WAVETRAP_BITS

#endif
