/* Atomics of many lanes, whose values all lie in memory of the host: loops for each operation and
 * size. */
#include "emulator/gcn/exec/row_function.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/machine/softfloat.h"

uint32_t gcn_atomic_add_f32(uint32_t old, uint32_t data, bool flush)
{
    struct wt_fp fp = {.flush_input = flush, .flush_output = flush, .propagate_nan = true};
    return wt_f32_add(old, data, &fp);
}

uint32_t gcn_atomic_pk_add_f16(uint32_t old, uint32_t data)
{
    struct wt_fp fp = {.propagate_nan = true};
    const uint32_t low = wt_f16_add((uint16_t)old, (uint16_t)data, &fp);
    return low | (uint32_t)wt_f16_add((uint16_t)(old >> 16), (uint16_t)(data >> 16), &fp) << 16;
}

/* The sum of bfloats: as of singles, which has all of its digits, rounded to nearest; a NaN keeps
 * its upper half, quieted. */
static uint32_t add_bf16(uint32_t old, uint32_t data)
{
    struct wt_fp fp = {.propagate_nan = true, .round = WT_RTZ};
    const uint32_t sum = wt_f32_add(old << 16, data << 16, &fp);
    const bool inexact = fp.flags & WT_FP_INEXACT;
    if ((sum & 0x7fffffff) > 0x7f800000)
        return sum >> 16;
    const uint32_t below = (sum & 0xffff) | inexact, up = below > 0x8000 - !!(sum >> 16 & 1);
    return (sum >> 16) + up;
}

uint32_t gcn_atomic_pk_add_bf16(uint32_t old, uint32_t data)
{
    return add_bf16(old & 0xffff, data & 0xffff) | add_bf16(old >> 16, data >> 16) << 16;
}

uint64_t gcn_atomic_float(enum gcn_atomic what, unsigned size, uint64_t old, uint64_t data,
                          uint64_t compare)
{
    struct wt_fp fp = {.propagate_nan = true};
    if (what == GCN_ATOMIC_ADD_F64)
        return wt_f64_add(old, data, &fp);
    if (what == GCN_ATOMIC_FCMPSWAP)
        return (size == 8 ? wt_f64_eq(old, compare, &fp)
                          : wt_f32_eq((uint32_t)old, (uint32_t)compare, &fp))
                   ? data
                   : old;
    const bool least = what == GCN_ATOMIC_MIN_F64;
    const uint64_t low = least ? data : old, high = least ? old : data;
    const bool better =
        size == 8 ? wt_f64_lt(low, high, &fp) : wt_f32_lt((uint32_t)low, (uint32_t)high, &fp);
    return better ? data : old;
}

/* The operands of an atomic of many lanes; of values of 4 bytes the upper halves do not count. */
struct atomic_lanes {
    const uint8_t *const *host; /* where each lane's value is */
    uint64_t lanes;
    const void *data, *compare; /* each lane's */
    void *old;                  /* results */
    bool in_place;              /* threads of the host may change the memory at the same time */
};

/*
 * For values of a size: at_one_place(): all lanes at one, one after the other; for the host's
 * threads they are one change. at_each_place(): each lane at its own.
 */
#define ATOMICS_OF(type, size)                                                                     \
    static inline __attribute__((always_inline)) void at_one_place##size(                          \
        const struct atomic_lanes *a, const enum gcn_atomic what)                                  \
    {                                                                                              \
        const type *data = a->data, *compare = a->compare;                                         \
        type *old = a->old, *host = (type *)(uintptr_t)a->host[__builtin_ctzll(a->lanes)], value;  \
        type before = __atomic_load_n(host, __ATOMIC_RELAXED);                                     \
        do {                                                                                       \
            value = before;                                                                        \
            for (uint64_t left = a->lanes; left; left &= left - 1) {                               \
                const unsigned lane = (unsigned)__builtin_ctzll(left);                             \
                old[lane] = value;                                                                 \
                value = (type)gcn_atomic(what, size, value, data[lane], compare[lane]);            \
            }                                                                                      \
        } while (!__atomic_compare_exchange_n(host, &before, value, false, __ATOMIC_SEQ_CST,       \
                                              __ATOMIC_SEQ_CST));                                  \
    }                                                                                              \
    static inline __attribute__((always_inline)) void at_each_place##size(                         \
        const struct atomic_lanes *a, const enum gcn_atomic what)                                  \
    {                                                                                              \
        const type *data = a->data, *compare = a->compare;                                         \
        type *old = a->old, before;                                                                \
        for (uint64_t left = a->lanes; left; left &= left - 1) {                                   \
            const unsigned lane = (unsigned)__builtin_ctzll(left);                                 \
            type *host = (type *)(uintptr_t)a->host[lane];                                         \
            if (!a->in_place) {                                                                    \
                before = *host;                                                                    \
                *host = (type)gcn_atomic(what, size, before, data[lane], compare[lane]);           \
            } else if (what == GCN_ATOMIC_ADD || what == GCN_ATOMIC_SUB) {                         \
                before = __atomic_fetch_add(                                                       \
                    host, what == GCN_ATOMIC_ADD ? data[lane] : 0 - data[lane], __ATOMIC_SEQ_CST); \
            } else {                                                                               \
                before = __atomic_load_n(host, __ATOMIC_RELAXED);                                  \
                while (!__atomic_compare_exchange_n(                                               \
                    host, &before,                                                                 \
                    (type)gcn_atomic(what, size, before, data[lane], compare[lane]), false,        \
                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                                           \
                    continue;                                                                      \
            }                                                                                      \
            old[lane] = before;                                                                    \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline)) void change##size(                                \
        const struct atomic_lanes *a, bool one, const enum gcn_atomic what)                        \
    {                                                                                              \
        if (one)                                                                                   \
            at_one_place##size(a, what);                                                           \
        else                                                                                       \
            at_each_place##size(a, what);                                                          \
    }                                                                                              \
    static void change_all##size(const struct atomic_lanes *a, bool one, enum gcn_atomic what)     \
    {                                                                                              \
        switch (what) {                                                                            \
            EACH_ATOMIC(size)                                                                      \
        }                                                                                          \
    }
#define ONE_ATOMIC(name, size)                                                                     \
    case GCN_ATOMIC_##name:                                                                        \
        change##size(a, one, GCN_ATOMIC_##name);                                                   \
        break;
#define EACH_ATOMIC(size)                                                                          \
    ONE_ATOMIC(SWAP, size)                                                                         \
    ONE_ATOMIC(CMPSWAP, size)                                                                      \
    ONE_ATOMIC(ADD, size)                                                                          \
    ONE_ATOMIC(SUB, size)                                                                          \
    ONE_ATOMIC(SMIN, size)                                                                         \
    ONE_ATOMIC(UMIN, size)                                                                         \
    ONE_ATOMIC(SMAX, size)                                                                         \
    ONE_ATOMIC(UMAX, size)                                                                         \
    ONE_ATOMIC(AND, size)                                                                          \
    ONE_ATOMIC(OR, size)                                                                           \
    ONE_ATOMIC(XOR, size)                                                                          \
    ONE_ATOMIC(INC, size)                                                                          \
    ONE_ATOMIC(DEC, size)                                                                          \
    ONE_ATOMIC(ADD_F32, size)                                                                      \
    ONE_ATOMIC(PK_ADD_F16, size)                                                                   \
    ONE_ATOMIC(ADD_F64, size)                                                                      \
    ONE_ATOMIC(MIN_F64, size)                                                                      \
    ONE_ATOMIC(MAX_F64, size)                                                                      \
    ONE_ATOMIC(PK_ADD_BF16, size)                                                                  \
    ONE_ATOMIC(ADD_F32_ALL, size)                                                                  \
    ONE_ATOMIC(FCMPSWAP, size)                                                                     \
    ONE_ATOMIC(CSUB, size)
ATOMICS_OF(uint32_t, 4)
ATOMICS_OF(uint64_t, 8)
#undef ATOMICS_OF
#undef EACH_ATOMIC
#undef ONE_ATOMIC

/* Two rows as one of 64 bits, and back. */
static CLONED join_rows(uint64_t *to, const uint32_t *low, const uint32_t *high)
{
    LANES
        to[i] = low[i] | (uint64_t)high[i] << 32;
}

static CLONED split_rows(uint32_t *low, uint32_t *high, const uint64_t *from)
{
    LANES {
        low[i] = (uint32_t)from[i];
        high[i] = (uint32_t)(from[i] >> 32);
    }
}

static void change_quads(struct gcn_wave *w, const struct gcn_uop *u, struct atomic_lanes a,
                         bool one, enum gcn_atomic what)
{
    uint64_t data[GCN_LANES], compare[GCN_LANES], old[GCN_LANES];
    uint32_t low[GCN_LANES], high[GCN_LANES];
    const uint32_t(*from)[GCN_LANES] = (const uint32_t(*)[GCN_LANES]) & w->v[u->src[1]];
    join_rows(data, from[0], from[1]);
    if (gcn_compares(what))
        join_rows(compare, from[2], from[3]);
    a.data = data;
    a.compare = gcn_compares(what) ? compare : data;
    a.old = old;
    change_all8(&a, one, what);
    if (!u->glc)
        return;
    split_rows(low, high, old);
    gcn_blend(w->v[u->dst], low, gcn_lanes_on(w, a.lanes));
    gcn_blend(w->v[u->dst + 1], high, gcn_lanes_on(w, a.lanes));
}

static void change_dwords(struct gcn_wave *w, const struct gcn_uop *u, struct atomic_lanes a,
                          bool one, enum gcn_atomic what)
{
    uint32_t old[GCN_LANES];
    a.data = w->v[u->src[1]];
    a.compare = w->v[u->src[1] + gcn_compares(what)];
    a.old = old;
    change_all4(&a, one, what);
    if (u->glc)
        gcn_blend(w->v[u->dst], old, gcn_lanes_on(w, a.lanes));
}

void gcn_vmem_change(struct gcn_wave *w, const struct gcn_uop *u, const uint8_t *const *host,
                     uint64_t lanes, bool one, bool in_place, enum gcn_atomic what)
{
    const struct atomic_lanes a = {.host = host, .lanes = lanes, .in_place = in_place};
    if (u->size == 8)
        change_quads(w, u, a, one, what);
    else
        change_dwords(w, u, a, one, what);
}
