/* How executors of PTX go over the lanes of their rows. */
#ifndef WT_EMULATOR_SM_PTX_EXEC_ROWS_H
#define WT_EMULATOR_SM_PTX_EXEC_ROWS_H

#include "base/bits.h"
#include "emulator/sm/ptx/image.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define NAN32 0x7fffffffu

/* A result that is not a number is the only NaN that NVIDIA's GPUs have. */
static inline uint32_t one_nan(float r)
{
    return r == r ? wt_float_bits(r) : NAN32;
}

/* A NaN as a quiet one. */
static inline uint64_t quieted(uint64_t a)
{
    return a | UINT64_C(1) << 51;
}

/* Whether the bits of a double are a NaN. */
static inline bool is_nan_wide(uint64_t a)
{
    return (a & INT64_MAX) > UINT64_C(0x7ff) << 52;
}

/* The NaN that an operation on doubles has: the first of these that is one, or, of an invalid
 * operation on numbers, the GPU's own. */
static inline uint64_t nan_of(uint64_t first, uint64_t second, uint64_t third)
{
    return is_nan_wide(first)    ? quieted(first)
           : is_nan_wide(second) ? quieted(second)
           : is_nan_wide(third)  ? quieted(third)
                                 : UINT64_C(0xfff8) << 48;
}

/* A result, or the NaN that the GPU has in its place. */
static inline uint64_t settled(double r, double first, double second, double third)
{
    return r == r ? wt_double_bits(r)
                  : nan_of(wt_double_bits(first), wt_double_bits(second), wt_double_bits(third));
}

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

/* A function that on x86-64 is compiled twice, for hosts with and without AVX2 and FMA; the results
 * are the same. (Sanitizers start too late for what chooses between them.) */
#ifdef SM_CLONES
#define PTX_CLONED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define PTX_CLONED
#endif
/* The bits in which the addresses of all lanes agree. */
struct ptx_addresses {
    uint64_t any;   /* bits that one of them has; in a row: that the first or the last one has */
    uint64_t apart; /* bits in which one of them is not as the first lane's; in a row: the last */
    bool in_row;    /* a lane's bytes lie behind those of the lane before */
};

/* Of the addresses row[i] + offset, of size (a power of two) bytes each. */
void ptx_compare_addresses(const uint64_t row[SM_LANES], uint64_t offset, uint64_t size,
                           struct ptx_addresses *to);

#define PTX_ROW_EXECUTOR(name)                                                                     \
    static PTX_CLONED const struct sm_uop *name(struct sm_warp *w, const struct sm_uop *u)

static const uint32_t ptx_lane_bit[SM_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Whether so few lanes count that each is computed by itself more quickly than all are at once. */
static inline bool ptx_are_few(uint32_t lanes)
{
    enum { FEW = 6 };
    return wt_count_ones(lanes) <= FEW;
}

/*
 * D[i] = expression, of type R, for the lanes i of exec. `few` says whether each is to be computed
 * by itself; else all are, and the others keep what they have. An expression depends on its own
 * lane alone, so a result may lie where an operand was.
 */
#define PTX_COMPUTE(R, D, exec, few, expression)                                                   \
    if ((exec) == 0xffffffffu) {                                                                   \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < SM_LANES; i++) D[i] = (R)(expression);       \
    } else if (few) {                                                                              \
        PTX_LEFT(i, exec)                                                                          \
        D[i] = (R)(expression);                                                                    \
    } else {                                                                                       \
        _Pragma("GCC ivdep") for (unsigned i = 0; i < SM_LANES; i++)                               \
        {                                                                                          \
            const R result = (R)(expression);                                                      \
            D[i] = (exec)&ptx_lane_bit[i] ? result : D[i];                                         \
        }                                                                                          \
    }

/*
 * An executor whose result is one expression of a lane's operands a, b, c, of type V; rows have
 * elements of type E, results of type R.
 */
#define PTX_EXPRESSION(name, E, V, R, few, expression)                                             \
    static inline __attribute__((always_inline))                                                   \
    R name##_of(const struct ptx_op *o, V a, V b, V c)                                             \
    {                                                                                              \
        (void)o, (void)a, (void)b, (void)c;                                                        \
        return (R)(expression);                                                                    \
    }                                                                                              \
    PTX_ROW_EXECUTOR(name)                                                                         \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]),                        \
                *C = ptx_in(frame, &o->s[2]);                                                      \
        R *D = (R *)(frame + o->d);                                                                \
        PTX_COMPUTE(R, D, exec, few, name##_of(o, (V)A[i], (V)B[i], (V)C[i]))                      \
        return sm_next(u);                                                                         \
    }
#define PTX_ROW(name, E, V, R, expression)                                                         \
    PTX_EXPRESSION(name, E, V, R, ptx_are_few(exec), expression)
/* PTX_ROW for expensive operations: only enabled lanes are computed. */
#define PTX_LANE_BY_LANE(name, E, V, R, expression) PTX_EXPRESSION(name, E, V, R, true, expression)

#endif
