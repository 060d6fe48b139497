/* How row functions (gcn_vop_X: the arithmetic of one vector instruction) are written. */
#ifndef WT_EMULATOR_GCN_EXEC_ROW_FUNCTION_H
#define WT_EMULATOR_GCN_EXEC_ROW_FUNCTION_H

#include "emulator/gcn/exec/cloned.h"
#include "emulator/gcn/internal.h"

#define ROWS32                                                                                     \
    const uint32_t *a = v->a, *b = v->b, *c = v->c;                                                \
    uint32_t *d = v->d;                                                                            \
    (void)a, (void)b, (void)c
#define ROWS64                                                                                     \
    const uint64_t *a = v->a, *b = v->b, *c = v->c;                                                \
    uint64_t *d = v->d;                                                                            \
    (void)a, (void)b, (void)c

/* Whether so few lanes count that each is computed by itself more quickly than all are at once. */
static inline bool gcn_few_lanes(uint64_t lanes)
{
    enum { FEW = 5 };
    return wt_count_ones(lanes) < FEW;
}

/* A row function whose values all have 32 (or, in 32 bits, 16) or all 64 bits: lane i is
 * `expression`. */
#define ROW32(name, expression)                                                                    \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        ROWS32;                                                                                    \
        LANES                                                                                      \
            d[i] = (uint32_t)(expression);                                                         \
    }

/* Likewise where CLAMP asks for saturation. */
#define ROW32_CLAMP(name, expression, saturated)                                                   \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        ROWS32;                                                                                    \
        if (v->u->clamp) {                                                                         \
            LANES                                                                                  \
                d[i] = (uint32_t)(saturated);                                                      \
        } else {                                                                                   \
            LANES                                                                                  \
                d[i] = (uint32_t)(expression);                                                     \
        }                                                                                          \
    }

#endif
