/* How executors of PTX go over the lanes of their rows. */
#ifndef WT_EMULATOR_SM_PTX_ROWS_H
#define WT_EMULATOR_SM_PTX_ROWS_H

#include "emulator/sm/ptx_image.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The lanes whose dword is negative. */
static inline uint32_t ptx_signs(const int32_t row[SM_LANES])
{
    uint32_t mask = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < SM_LANES; i += 4)
        mask |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(row + i))) << i;
#else
    for (unsigned i = 0; i < SM_LANES; i++)
        mask |= (uint32_t)row[i] >> 31 << i;
#endif
    return mask;
}

/*
 * An executor whose result is one expression of a lane's operands a, b, c, of type V; rows have
 * elements of type E, results of type R. A result may be one of the operands, element by element.
 */
#define PTX_LANE_BY_LANE(name, E, V, R, expression)                                                \
    static const struct sm_uop *name(struct sm_warp *w, const struct sm_uop *u)                    \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]),                        \
                *C = ptx_in(frame, &o->s[2]);                                                      \
        R *D = (R *)(frame + o->d);                                                                \
        if (exec == 0xffffffffu) {                                                                 \
            _Pragma("GCC ivdep") for (unsigned i = 0; i < SM_LANES; i++)                           \
            {                                                                                      \
                const V a = (V)A[i], b = (V)B[i], c = (V)C[i];                                     \
                (void)a, (void)b, (void)c;                                                         \
                D[i] = (R)(expression);                                                            \
            }                                                                                      \
            return sm_next(w, u);                                                                  \
        }                                                                                          \
        for (uint32_t left = exec; left; left &= left - 1) {                                       \
            const unsigned i = (unsigned)__builtin_ctz(left);                                      \
            const V a = (V)A[i], b = (V)B[i], c = (V)C[i];                                         \
            (void)a, (void)b, (void)c;                                                             \
            D[i] = (R)(expression);                                                                \
        }                                                                                          \
        return sm_next(w, u);                                                                      \
    }

#endif
