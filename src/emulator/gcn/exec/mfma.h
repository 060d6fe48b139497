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
    GCN_MATRIX_F64,
    GCN_MATRIX_XF32, /* singles without their last 13 bits */
    GCN_MATRIX_FP8,  /* 4 bits of exponent, which have a bias of 8 ("fnuz") */
    GCN_MATRIX_BF8,  /* 5 bits, a bias of 16 */
};

/* D = A * B + C of so many blocks, each with `side` rows and columns. */
struct gcn_mfma {
    uint8_t side, k, blocks;
    uint8_t type;   /* enum gcn_matrix_type, A's; C and D are f32, i32 or f64 */
    uint8_t group;  /* products that are added to each other before they are added to the sum */
    uint8_t passes; /* four cycles each: LLVM's scheduling model */
    uint8_t b_type; /* B's */
    bool fused;     /* the sum of a group is that of mfma_fused.c */
    bool sparse;    /* A has two of each four k; a register says which, and D is C, too */
};

/* Elements of A and B, each line (row or column) of each k of each block. */
enum { GCN_MATRIX_ELEMENTS = 16 * 64 };
union gcn_elements {
    _Alignas(64) float f[GCN_MATRIX_ELEMENTS];
    int32_t i[GCN_MATRIX_ELEMENTS];
    uint32_t w[GCN_MATRIX_ELEMENTS];
};

/* Elements as whole numbers of 2^(exponent - 10), with the exponent that denormal ones of their
 * type have at least. */
struct gcn_fused_elements {
    int32_t digits[GCN_MATRIX_ELEMENTS], exponent[GCN_MATRIX_ELEMENTS];
    int32_t most; /* the largest exponent; 128: not all are finite */
};

/* mfma_fused.c: makes fused elements of @p count singles, of which @p type can be each. */
void gcn_fused_take(struct gcn_fused_elements *to, const union gcn_elements *from, unsigned count,
                    enum gcn_matrix_type type);
/* A row of A and columns of B: where their elements begin, each k m->side behind the one before; so
 * many products, of the k of B that from[n] names. */
struct gcn_fused_line {
    unsigned a, b, count;
    const uint8_t *from;
};
/* Adds their products to C, which is in @p d. */
void gcn_fused_row(const struct gcn_mfma *m, uint32_t *d, const struct gcn_fused_elements *of_a,
                   const struct gcn_fused_elements *of_b, const struct gcn_fused_line *line);

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
