/* Matrices of PTX: the kinds of numbers of their elements (manual 9.7.14). */
#ifndef WT_EMULATOR_SM_PTX_EXEC_MATRIX_H
#define WT_EMULATOR_SM_PTX_EXEC_MATRIX_H

#include <stdint.h>

/** K(name, bits, bits of the exponent, bits of the fraction; 0: integers) */
#define PTX_KINDS(K)                                                                               \
    K(f16, 16, 5, 10)                                                                              \
    K(bf16, 16, 8, 7)                                                                              \
    K(tf32, 32, 8, 10)                                                                             \
    K(e4m3, 8, 4, 3)                                                                               \
    K(e5m2, 8, 5, 2)                                                                               \
    K(f32, 32, 8, 23)                                                                              \
    K(f64, 64, 11, 52)                                                                             \
    K(s8, 8, 0, 0)                                                                                 \
    K(u8, 8, 0, 0)                                                                                 \
    K(s4, 4, 0, 0)                                                                                 \
    K(u4, 4, 0, 0)                                                                                 \
    K(b1, 1, 0, 0)                                                                                 \
    K(s32, 32, 0, 0)

enum ptx_kind {
#define K(name, bits, exponent, fraction) PTX_KIND_##name,
    PTX_KINDS(K)
#undef K
        PTX_KIND_COUNT
};

/** Rows and columns of a matrix. */
struct ptx_tile {
    unsigned m, n, k;
};

#endif
