/*
 * Kernels of the comparisons. V_CMP and V_CMPX share them: that EXEC is written, too, is no part of
 * the comparison.
 */
#include "emulator/gcn/exec/fp.h"

/* One row function: m[i] says how x and y, the converted sources, compare. */
#define ROW_COMPARE(name, source, type, expression)                                                \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        const source *a = v->a, *b = v->b;                                                         \
        uint32_t *m = v->m;                                                                        \
        LANES {                                                                                    \
            const type x = (type)a[i], y = (type)b[i];                                             \
            (void)x, (void)y;                                                                      \
            m[i] = 0 - (uint32_t)(expression);                                                     \
        }                                                                                          \
    }
#define ROW_INTEGERS(suffix, source, type)                                                         \
    ROW_COMPARE(v_cmp_f_##suffix, source, type, 0)                                                 \
    ROW_COMPARE(v_cmp_lt_##suffix, source, type, x < y)                                            \
    ROW_COMPARE(v_cmp_eq_##suffix, source, type, x == y)                                           \
    ROW_COMPARE(v_cmp_le_##suffix, source, type, x <= y)                                           \
    ROW_COMPARE(v_cmp_gt_##suffix, source, type, x > y)                                            \
    ROW_COMPARE(v_cmp_ne_##suffix, source, type, x != y)                                           \
    ROW_COMPARE(v_cmp_ge_##suffix, source, type, x >= y)                                           \
    ROW_COMPARE(v_cmp_t_##suffix, source, type, 1)

ROW_INTEGERS(i16, uint32_t, int16_t)
ROW_INTEGERS(u16, uint32_t, uint16_t)
ROW_INTEGERS(i32, uint32_t, int32_t)
ROW_INTEGERS(u32, uint32_t, uint32_t)
ROW_INTEGERS(i64, uint64_t, int64_t)
ROW_INTEGERS(u64, uint64_t, uint64_t)

/* The exceptions of a comparison: it is invalid for signalling NaNs. */
#define RAISE(bits, source)                                                                        \
    static void raise##bits(struct gcn_valu *v, bool flush)                                        \
    {                                                                                              \
        const source *a = v->a, *b = v->b;                                                         \
        struct wt_fp fp = {.flush_input = flush};                                                  \
        uint8_t flags = 0;                                                                         \
        for (unsigned i = 0; i < GCN_LANES; i++) {                                                 \
            if (!(v->exec >> i & 1))                                                               \
                continue;                                                                          \
            fp.flags = (snan##bits(a[i]) | snan##bits(b[i])) ? WT_FP_INVALID : 0;                  \
            note_denormal##bits(&fp, a[i], b[i], 0);                                               \
            flags |= fp.flags;                                                                     \
        }                                                                                          \
        fp.flags = flags;                                                                          \
        gcn_fp_raise(v->w, &fp);                                                                   \
    }
RAISE(16, uint32_t)
RAISE(32, uint32_t)
RAISE(64, uint64_t)

/*
 * Floating point: less, equal, or unordered (o: ordered), on bits, so that the host's exceptions
 * play no part. Numbers alone, none of them denormal, raise nothing.
 */
#define ROW_FLOAT(name, source, bits, single, order, expression)                                   \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        const source *a = v->a, *b = v->b;                                                         \
        uint32_t *m = v->m;                                                                        \
        source special = 0;                                                                        \
        LANES {                                                                                    \
            const source p = a[i], q = b[i], o = 1;                                                \
            const source x = nan##bits(p), y = nan##bits(q);                                       \
            const source s = denormal##bits(p), t = denormal##bits(q);                             \
            const source magnitude = (source)(p | q) << (8 * sizeof p - bits + 1);                 \
            const source zeros = magnitude == 0, same = p == q, below = order(p) < order(q);       \
            const source eq = same | zeros, lt = (zeros ^ 1) & below;                              \
            (void)o, (void)eq, (void)lt;                                                           \
            special |= x | y | s | t;                                                              \
            m[i] = (uint32_t)(expression) << 31;                                                   \
        }                                                                                          \
        if (!special)                                                                              \
            return;                                                                                \
        const bool flush = !(v->w->mode >> (single ? 4 : 6) & 1);                                  \
        for (unsigned i = 0; i < GCN_LANES; i++) {                                                 \
            const source p = flushed##bits(a[i], flush), q = flushed##bits(b[i], flush);           \
            const source o = !nan##bits(p) & !nan##bits(q);                                        \
            const source zeros = (source)(p | q) << (8 * sizeof p - bits + 1) == 0;                \
            const source eq = o & ((p == q) | zeros);                                              \
            const source lt = o & (zeros ^ 1) & (order(p) < order(q));                             \
            (void)eq, (void)lt;                                                                    \
            m[i] = (uint32_t)(expression) << 31;                                                   \
        }                                                                                          \
        raise##bits(v, flush);                                                                     \
    }
#define ROW_FLOATS(suffix, source, bits, single, order)                                            \
    ROW_FLOAT(v_cmp_f_##suffix, source, bits, single, order, 0)                                    \
    ROW_FLOAT(v_cmp_lt_##suffix, source, bits, single, order, lt)                                  \
    ROW_FLOAT(v_cmp_eq_##suffix, source, bits, single, order, eq)                                  \
    ROW_FLOAT(v_cmp_le_##suffix, source, bits, single, order, lt | eq)                             \
    ROW_FLOAT(v_cmp_gt_##suffix, source, bits, single, order, o & ~lt & ~eq)                       \
    ROW_FLOAT(v_cmp_lg_##suffix, source, bits, single, order, o & ~eq)                             \
    ROW_FLOAT(v_cmp_ge_##suffix, source, bits, single, order, o & ~lt)                             \
    ROW_FLOAT(v_cmp_o_##suffix, source, bits, single, order, o)                                    \
    ROW_FLOAT(v_cmp_u_##suffix, source, bits, single, order, ~o)                                   \
    ROW_FLOAT(v_cmp_nge_##suffix, source, bits, single, order, ~(o & ~lt))                         \
    ROW_FLOAT(v_cmp_nlg_##suffix, source, bits, single, order, ~(o & ~eq))                         \
    ROW_FLOAT(v_cmp_ngt_##suffix, source, bits, single, order, ~(o & ~lt & ~eq))                   \
    ROW_FLOAT(v_cmp_nle_##suffix, source, bits, single, order, ~(lt | eq))                         \
    ROW_FLOAT(v_cmp_neq_##suffix, source, bits, single, order, ~eq)                                \
    ROW_FLOAT(v_cmp_nlt_##suffix, source, bits, single, order, ~lt)                                \
    ROW_FLOAT(v_cmp_tru_##suffix, source, bits, single, order, 1)

static inline int32_t key16(uint32_t x)
{
    return key32(x << 16);
}

ROW_FLOATS(f16, uint32_t, 16, false, key16)
ROW_FLOATS(f32, uint32_t, 32, true, key32)
ROW_FLOATS(f64, uint64_t, 64, false, key64)

/* V_CMP_CLASS: whether the first source is of one of the classes that the second one's bits name:
 * signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, 0, denormal, normal, inf. */
#define CLASS(name, source, bits, fraction)                                                        \
    static inline unsigned name(source x)                                                          \
    {                                                                                              \
        const bool negative = x >> (bits - 1) & 1;                                                 \
        const source rest = x & (((source)1 << (bits - 1)) - 1);                                   \
        const source infinity = (((source)1 << (bits - 1 - fraction)) - 1) << fraction;            \
        if (rest > infinity)                                                                       \
            return rest >> (fraction - 1) & 1 ? 2 : 1;                                             \
        const unsigned which = rest == infinity ? 3 : rest >> fraction ? 2 : rest ? 1 : 0;         \
        return negative ? 1u << (5 - which) : 1u << (6 + which);                                   \
    }
CLASS(class16, uint32_t, 16, 10)
CLASS(class32, uint32_t, 32, 23)
CLASS(class64, uint64_t, 64, 52)

#define ROW_CLASS(name, source, class)                                                             \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        const source *a = v->a;                                                                    \
        const uint32_t *b = v->b;                                                                  \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            v->m[i] = 0 - (uint32_t)((class(a[i]) & b[i]) != 0);                                   \
    }
ROW_CLASS(v_cmp_class_f16, uint32_t, class16)
ROW_CLASS(v_cmp_class_f32, uint32_t, class32)
ROW_CLASS(v_cmp_class_f64, uint64_t, class64)
