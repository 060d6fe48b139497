/* Products of matrices (MFMA): what each instruction multiplies. */
#ifndef WT_EMULATOR_GCN_EXEC_MFMA_H
#define WT_EMULATOR_GCN_EXEC_MFMA_H

#include <stdbool.h>
#include <stdint.h>

struct gcn_row;
struct gcn_uop;

enum gcn_matrix_type {
    GCN_MATRIX_F32,
    GCN_MATRIX_F16,
    GCN_MATRIX_BF16,
    GCN_MATRIX_I8,
    GCN_MATRIX_F64
};

/* D = A * B + C of so many blocks, each with `side` rows and columns. */
struct gcn_mfma {
    uint8_t side, k, blocks;
    uint8_t type;   /* enum gcn_matrix_type, A's and B's; C and D are f32, i32 or f64 */
    uint8_t group;  /* products that are added to each other before they are added to the sum */
    uint8_t passes; /* four cycles each: LLVM's scheduling model */
};

/* NULL: the row is another instruction. */
const struct gcn_mfma *gcn_mfma_of(const struct gcn_row *row);

/* The multiplications of the row, each with an addition. */
uint32_t gcn_matrix_products(const struct gcn_row *row);

/* The lanes whose elements of A (of_b: of B) are part of what a lane gets in the nth register of D,
 * of doubles the nth pair. The last members of @p u say which blocks and lanes are exchanged. */
uint64_t gcn_matrix_lanes(const struct gcn_uop *u, unsigned n, unsigned lane, bool of_b);

/* Does the row of @p u; the registers of the result may be those of a source. @p flush: halves and
 * bfloats have no denormals. */
void gcn_multiply_matrices(const struct gcn_uop *u, bool flush, void *d, const void *a,
                           const void *b, const void *c);

#endif
