/*
 * Kernels of the comparisons. V_CMP and V_CMPX share them: that EXEC is written, too, is no part of
 * the comparison.
 */
#include "emulator/gcn/fp.h"

/* One kernel: m[i] says how x and y, the converted sources, compare. */
#define K_COMPARE(name, source, type, expression)      \
    KERNEL gcn_k_##name(struct gcn_valu *v)            \
    {                                                  \
        const source *a = v->a, *b = v->b;             \
        uint8_t *m = v->m;                             \
        LANES                                          \
        {                                              \
            const type x = (type)a[i], y = (type)b[i]; \
            (void)x, (void)y;                          \
            m[i] = (uint8_t)(expression);              \
        }                                              \
    }
#define K_INTEGERS(suffix, source, type)               \
    K_COMPARE(v_cmp_f_##suffix, source, type, 0)       \
    K_COMPARE(v_cmp_lt_##suffix, source, type, x < y)  \
    K_COMPARE(v_cmp_eq_##suffix, source, type, x == y) \
    K_COMPARE(v_cmp_le_##suffix, source, type, x <= y) \
    K_COMPARE(v_cmp_gt_##suffix, source, type, x > y)  \
    K_COMPARE(v_cmp_ne_##suffix, source, type, x != y) \
    K_COMPARE(v_cmp_ge_##suffix, source, type, x >= y) \
    K_COMPARE(v_cmp_t_##suffix, source, type, 1)

K_INTEGERS(i16, uint32_t, int16_t)
K_INTEGERS(u16, uint32_t, uint16_t)
K_INTEGERS(i32, uint32_t, int32_t)
K_INTEGERS(u32, uint32_t, uint32_t)
K_INTEGERS(i64, uint64_t, int64_t)
K_INTEGERS(u64, uint64_t, uint64_t)

/*
 * Floating point: less, equal, or unordered (o: ordered), on bits, so that the host's exceptions
 * play no part. A signalling NaN is an invalid operation.
 */
#define K_FLOAT(name, source, bits, single, order, expression)                           \
    KERNEL gcn_k_##name(struct gcn_valu *v)                                              \
    {                                                                                    \
        const source *a = v->a, *b = v->b;                                               \
        uint8_t *m = v->m;                                                               \
        const bool flush = !(v->w->mode >> (single ? 4 : 6) & 1);                        \
        source some = 0;                                                                 \
        LANES                                                                            \
        {                                                                                \
            const source p = flushed##bits(a[i], flush), q = flushed##bits(b[i], flush); \
            const source x = nan##bits(p), y = nan##bits(q), o = (x | y) ^ 1;            \
            const source magnitude = (source)(p | q) << (8 * sizeof p - bits + 1);       \
            const source zeros = magnitude == 0, same = p == q;                          \
            const source below = order(p) < order(q);                                    \
            const source eq = o & (same | zeros), lt = o & (zeros ^ 1) & below;          \
            (void)eq, (void)lt;                                                          \
            some |= x | y;                                                               \
            m[i] = (uint8_t)((expression)&1);                                            \
        }                                                                                \
        for (unsigned i = 0; some && i < GCN_LANES; i++)                                 \
            if ((snan##bits(a[i]) | snan##bits(b[i])) && (v->exec >> i & 1))             \
                v->w->trapsts |= GCN_EXCP_INVALID;                                       \
    }
#define K_FLOATS(suffix, source, bits, single, order)                          \
    K_FLOAT(v_cmp_f_##suffix, source, bits, single, order, 0)                  \
    K_FLOAT(v_cmp_lt_##suffix, source, bits, single, order, lt)                \
    K_FLOAT(v_cmp_eq_##suffix, source, bits, single, order, eq)                \
    K_FLOAT(v_cmp_le_##suffix, source, bits, single, order, lt | eq)           \
    K_FLOAT(v_cmp_gt_##suffix, source, bits, single, order, o & ~lt & ~eq)     \
    K_FLOAT(v_cmp_lg_##suffix, source, bits, single, order, o & ~eq)           \
    K_FLOAT(v_cmp_ge_##suffix, source, bits, single, order, o & ~lt)           \
    K_FLOAT(v_cmp_o_##suffix, source, bits, single, order, o)                  \
    K_FLOAT(v_cmp_u_##suffix, source, bits, single, order, ~o)                 \
    K_FLOAT(v_cmp_nge_##suffix, source, bits, single, order, ~(o & ~lt))       \
    K_FLOAT(v_cmp_nlg_##suffix, source, bits, single, order, ~(o & ~eq))       \
    K_FLOAT(v_cmp_ngt_##suffix, source, bits, single, order, ~(o & ~lt & ~eq)) \
    K_FLOAT(v_cmp_nle_##suffix, source, bits, single, order, ~(lt | eq))       \
    K_FLOAT(v_cmp_neq_##suffix, source, bits, single, order, ~eq)              \
    K_FLOAT(v_cmp_nlt_##suffix, source, bits, single, order, ~lt)              \
    K_FLOAT(v_cmp_tru_##suffix, source, bits, single, order, 1)

static inline int32_t key16(uint32_t x)
{
    return key32(x << 16);
}

K_FLOATS(f16, uint32_t, 16, false, key16)
K_FLOATS(f32, uint32_t, 32, true, key32)
K_FLOATS(f64, uint64_t, 64, false, key64)

/* V_CMP_CLASS: whether the first source is of one of the classes that the second one's bits name:
 * signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, 0, denormal, normal, inf. */
#define CLASS(name, source, bits, fraction)                                                \
    static inline unsigned name(source x)                                                  \
    {                                                                                      \
        const bool negative = x >> (bits - 1) & 1;                                         \
        const source rest = x & (((source)1 << (bits - 1)) - 1);                           \
        const source infinity = (((source)1 << (bits - 1 - fraction)) - 1) << fraction;    \
        if (rest > infinity)                                                               \
            return rest >> (fraction - 1) & 1 ? 2 : 1;                                     \
        const unsigned which = rest == infinity ? 3 : rest >> fraction ? 2 : rest ? 1 : 0; \
        return negative ? 1u << (5 - which) : 1u << (6 + which);                           \
    }
CLASS(class16, uint32_t, 16, 10)
CLASS(class32, uint32_t, 32, 23)
CLASS(class64, uint64_t, 64, 52)

#define K_CLASS(name, source, class)             \
    void gcn_k_##name(struct gcn_valu *v)        \
    {                                            \
        const source *a = v->a;                  \
        const uint32_t *b = v->b;                \
        for (unsigned i = 0; i < GCN_LANES; i++) \
            v->m[i] = (class(a[i]) & b[i]) != 0; \
    }
K_CLASS(v_cmp_class_f16, uint32_t, class16)
K_CLASS(v_cmp_class_f32, uint32_t, class32)
K_CLASS(v_cmp_class_f64, uint64_t, class64)
