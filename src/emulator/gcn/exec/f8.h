/* Numbers of 8 bits: of exponents of 4 bits, with a bias of 8, or (bf8) 5 bits, with a bias of 16;
 * 0x80 is no number, nothing is infinite or -0 (OCP's "fnuz" kind, which gfx942 has). */
#ifndef WT_EMULATOR_GCN_EXEC_F8_H
#define WT_EMULATOR_GCN_EXEC_F8_H

#include "base/bits.h"

/* Such a number as a single: exact. */
static inline uint32_t gcn_f32_of_f8(uint32_t x, bool bf8)
{
    const uint32_t magnitude = x & 0x7f;
    if (x == 0x80)
        return 0x7fc00000;
    return wt_float_bits(wt_float_of_bits(magnitude << (bf8 ? 21 : 20)) *
                         (bf8 ? 0x1p111f : 0x1p119f)) |
           (x & 0x80) << 24;
}

#endif
