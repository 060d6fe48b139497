/* Operands for executors of PTX. */
#ifndef TESTS_PTX_RIG_H
#define TESTS_PTX_RIG_H

#include <stdint.h>

#include "emulator/machine/softfloat.h"

static uint64_t random64(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

/* Any bits, or a number at an edge of what the type can do, or one of ordinary size. */
static uint64_t operand(unsigned bytes)
{
    static const uint32_t edges[] = {
        0,          1,          0x7fffff,   0x800000,   0x800001,   0xffffff,   0x1000000,
        0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x4b000000, 0x4effffff,
        0x4f000000, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x5f800000, 0x7f7fffff, 0x7f800000,
        0x7f800001, 0x7fc00000, 0x7fffffff, 31,         32,         63,         255};
    static const uint16_t halves[] = {0,      1,      0x3ff,  0x400,  0x401,  0x7bff,
                                      0x7c00, 0x7c01, 0x7e00, 0x3c00, 0x3bff, 0x3f80,
                                      0x7f7f, 0x7f80, 0x7f81, 0x80};
    const uint64_t r = random64();
    const uint64_t sign = r >> 8 & 1;
    if (bytes == 2) { /* two of them */
        const uint32_t low = halves[r >> 48 & 15] | (uint32_t)(r >> 40 & 0x8000);
        const uint32_t high = halves[r >> 52 & 15] | (uint32_t)(r >> 41 & 0x8000);
        return (r & 3 ? r >> 2 & 0xffff : low) |
               (r >> 60 & 3 ? (uint32_t)(r >> 20) << 16 : high << 16);
    }
    const uint32_t edge = edges[(r >> 9) % (sizeof edges / sizeof *edges)];
    if (bytes == 4)
        switch (r & 3) {
        case 0:
            return edge | (uint32_t)sign << 31;
        case 1:
            return (uint32_t)sign << 31 | (0x38000000 + (uint32_t)(r >> 20 & 0xfffffff));
        case 2:
            return (uint32_t)(r >> 20 & 0x1ffffff) | (uint32_t)sign << 31;
        default:
            return (uint32_t)(r >> 16);
        }
    switch (r & 3) {
    case 0: {
        struct wt_fp fp = {.propagate_nan = true};
        return wt_f32_to_f64(edge, &fp) | sign << 63;
    }
    case 1:
        return sign << 63 | ((UINT64_C(0x3fe) << 52) + (random64() & 0x3fffffffffffff));
    case 2:
        return sign << 63 | (random64() >> 11);
    default:
        return random64();
    }
}

#endif
