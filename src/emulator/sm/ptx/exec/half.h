/*
 * Halves (f16) and bfloat16 as singles and back, in plain C of which compilers make vectors.
 * Results are those of softfloat: rounded once to nearest even, a NaN is 0x7fff (PTX manual 9.7.4).
 */
#ifndef WT_EMULATOR_SM_PTX_EXEC_HALF_H
#define WT_EMULATOR_SM_PTX_EXEC_HALF_H

#include "base/bits.h"

struct ptx_op;

/* Flags of arithmetic in ptx_op.combine. */
enum { RELU = 1, XORSIGN = 2 };

/* The value of a half. */
static inline float ptx_half_value(uint32_t half)
{
    const uint32_t rest = half & 0x7fff;
    const uint32_t small = wt_float_bits((float)(int32_t)rest * 0x1p-24f);
    const uint32_t size = rest < 0x400    ? small
                          : rest < 0x7c00 ? (rest << 13) + (112u << 23)
                                          : rest << 13 | 0x7f800000;
    return wt_float_of_bits((half & 0x8000) << 16 | size);
}

/* The half next to a single, given by its bits. */
static inline uint32_t ptx_half_of(uint32_t bits)
{
    const uint32_t size = bits & 0x7fffffff;
    /* between 0.5 and 1 a single's last bit is that of the least half */
    const uint32_t small = wt_float_bits(wt_float_of_bits(size) + 0.5f) - 0x3f000000;
    const uint32_t normal = (size + 0xfff + (size >> 13 & 1) - (112u << 23)) >> 13;
    const uint32_t near = size < 0x38800000 ? small : size < 0x47800000 ? normal : 0x7c00;
    return size > 0x7f800000 ? 0x7fff : (bits >> 16 & 0x8000) | near;
}

/* The bfloat16 next to a single, given by its bits. */
static inline uint32_t ptx_brain_of(uint32_t bits)
{
    const bool nan = (bits & 0x7fffffff) > 0x7f800000;
    return nan ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/*
 * Computes add, sub, mul, fma, min, max, abs or neg of f16, bf16 or pairs of them in all lanes,
 * into r; frame has the operands. False: the operation is another one, or it flushes a result, and
 * only lanes by themselves can (sm/ptx/exec/float.c).
 */
bool ptx_half_rows(const struct ptx_op *o, const uint8_t *frame, uint32_t *r);

/* The result of one lane, of any operation on halves, by softfloat. */
uint16_t ptx_half_lane(const struct ptx_op *o, uint16_t a, uint16_t b, uint16_t c);

#endif
