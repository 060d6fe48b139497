/*
 * Products of matrices (MFMA). The layout in registers is that of AMD's Matrix Instruction
 * Calculator; order, rounding and denormals are those that MMA-Sim (arXiv 2511.10909) found on
 * MI100 and MI250X: singles and doubles are a chain of fused sums, in the order of k; of halves and
 * bfloats the products of a group are rounded and added in pairs, then to the sum. On MI250X a
 * denormal half, bfloat or C is +0, and each denormal product and sum a zero of its sign. MODE does
 * not matter, nothing raises an exception. Which NaN a GPU gives is not published: here it is
 * 0x7fc00000. Sums of later GPUs: mfma_fused.c.
 */
#include "emulator/gcn/exec/mfma.h"

#include <string.h>

#include "base/bits.h"
#include "emulator/gcn/exec/cloned.h"
#include "emulator/gcn/exec/f8.h"
#include "emulator/gcn/isa.h"
#include "emulator/gcn/models.h"

/* By row: rows and columns, k, blocks, type of A, products of a group, passes, type of B, and what
 * the sum is. */
#define NUMBER(id) GCN_I_##id
#define ROW(id) (NUMBER(id) - NUMBER(v_mfma_f32_16x16x8_xf32))
#define MATRIX(id) [ROW(id)]
static const struct gcn_mfma table[ROW(v_smfmac_f32_32x32x32_fp8_fp8) + 1] = {
    MATRIX(v_mfma_f32_16x16x8_xf32) = {16, 8, 1, GCN_MATRIX_XF32, 4, 4, GCN_MATRIX_XF32,
                                       .fused = true},
    MATRIX(v_mfma_f32_32x32x4_xf32) = {32, 4, 1, GCN_MATRIX_XF32, 4, 8, GCN_MATRIX_XF32,
                                       .fused = true},
    MATRIX(v_mfma_f32_32x32x1f32) = {32, 1, 2, GCN_MATRIX_F32, 1, 16, GCN_MATRIX_F32,
                                     .fused = false},
    MATRIX(v_mfma_f32_32x32x1_2b_f32) = {32, 1, 2, GCN_MATRIX_F32, 1, 16, GCN_MATRIX_F32,
                                         .fused = false},
    MATRIX(v_mfma_f32_16x16x1f32) = {16, 1, 4, GCN_MATRIX_F32, 1, 8, GCN_MATRIX_F32,
                                     .fused = false},
    MATRIX(v_mfma_f32_16x16x1_4b_f32) = {16, 1, 4, GCN_MATRIX_F32, 1, 8, GCN_MATRIX_F32,
                                         .fused = false},
    MATRIX(v_mfma_f32_4x4x1f32) = {4, 1, 16, GCN_MATRIX_F32, 1, 2, GCN_MATRIX_F32, .fused = false},
    MATRIX(v_mfma_f32_4x4x1_16b_f32) = {4, 1, 16, GCN_MATRIX_F32, 1, 2, GCN_MATRIX_F32,
                                        .fused = false},
    MATRIX(v_mfma_f32_32x32x2f32) = {32, 2, 1, GCN_MATRIX_F32, 1, 16, GCN_MATRIX_F32,
                                     .fused = false},
    MATRIX(v_mfma_f32_32x32x2_f32) = {32, 2, 1, GCN_MATRIX_F32, 1, 16, GCN_MATRIX_F32,
                                      .fused = false},
    MATRIX(v_mfma_f32_16x16x4f32) = {16, 4, 1, GCN_MATRIX_F32, 1, 8, GCN_MATRIX_F32,
                                     .fused = false},
    MATRIX(v_mfma_f32_16x16x4_f32) = {16, 4, 1, GCN_MATRIX_F32, 1, 8, GCN_MATRIX_F32,
                                      .fused = false},
    MATRIX(v_mfma_f32_32x32x4f16) = {32, 4, 2, GCN_MATRIX_F16, 4, 16, GCN_MATRIX_F16,
                                     .fused = false},
    MATRIX(v_mfma_f32_32x32x4_2b_f16) = {32, 4, 2, GCN_MATRIX_F16, 4, 16, GCN_MATRIX_F16,
                                         .fused = true},
    MATRIX(v_mfma_f32_16x16x4f16) = {16, 4, 4, GCN_MATRIX_F16, 4, 8, GCN_MATRIX_F16,
                                     .fused = false},
    MATRIX(v_mfma_f32_16x16x4_4b_f16) = {16, 4, 4, GCN_MATRIX_F16, 4, 8, GCN_MATRIX_F16,
                                         .fused = true},
    MATRIX(v_mfma_f32_4x4x4f16) = {4, 4, 16, GCN_MATRIX_F16, 4, 2, GCN_MATRIX_F16, .fused = false},
    MATRIX(v_mfma_f32_4x4x4_16b_f16) = {4, 4, 16, GCN_MATRIX_F16, 4, 2, GCN_MATRIX_F16,
                                        .fused = true},
    MATRIX(v_mfma_f32_32x32x8f16) = {32, 8, 1, GCN_MATRIX_F16, 4, 16, GCN_MATRIX_F16,
                                     .fused = false},
    MATRIX(v_mfma_f32_32x32x8_f16) = {32, 8, 1, GCN_MATRIX_F16, 8, 8, GCN_MATRIX_F16,
                                      .fused = true},
    MATRIX(v_mfma_f32_16x16x16f16) = {16, 16, 1, GCN_MATRIX_F16, 4, 8, GCN_MATRIX_F16,
                                      .fused = false},
    MATRIX(v_mfma_f32_16x16x16_f16) = {16, 16, 1, GCN_MATRIX_F16, 8, 4, GCN_MATRIX_F16,
                                       .fused = true},
    MATRIX(v_mfma_i32_32x32x4i8) = {32, 4, 2, GCN_MATRIX_I8, 1, 16, GCN_MATRIX_I8, .fused = false},
    MATRIX(v_mfma_i32_32x32x4_2b_i8) = {32, 4, 2, GCN_MATRIX_I8, 1, 16, GCN_MATRIX_I8,
                                        .fused = false},
    MATRIX(v_mfma_i32_16x16x4i8) = {16, 4, 4, GCN_MATRIX_I8, 1, 8, GCN_MATRIX_I8, .fused = false},
    MATRIX(v_mfma_i32_16x16x4_4b_i8) = {16, 4, 4, GCN_MATRIX_I8, 1, 8, GCN_MATRIX_I8,
                                        .fused = false},
    MATRIX(v_mfma_i32_4x4x4i8) = {4, 4, 16, GCN_MATRIX_I8, 1, 2, GCN_MATRIX_I8, .fused = false},
    MATRIX(v_mfma_i32_4x4x4_16b_i8) = {4, 4, 16, GCN_MATRIX_I8, 1, 2, GCN_MATRIX_I8,
                                       .fused = false},
    MATRIX(v_mfma_i32_32x32x8i8) = {32, 8, 1, GCN_MATRIX_I8, 1, 16, GCN_MATRIX_I8, .fused = false},
    MATRIX(v_mfma_i32_16x16x16i8) = {16, 16, 1, GCN_MATRIX_I8, 1, 8, GCN_MATRIX_I8, .fused = false},
    MATRIX(v_mfma_i32_32x32x16_i8) = {32, 16, 1, GCN_MATRIX_I8, 1, 8, GCN_MATRIX_I8,
                                      .fused = false},
    MATRIX(v_mfma_i32_16x16x32_i8) = {16, 32, 1, GCN_MATRIX_I8, 1, 4, GCN_MATRIX_I8,
                                      .fused = false},
    MATRIX(v_mfma_f32_32x32x4_2b_bf16) = {32, 4, 2, GCN_MATRIX_BF16, 4, 16, GCN_MATRIX_BF16,
                                          .fused = true},
    MATRIX(v_mfma_f32_16x16x4_4b_bf16) = {16, 4, 4, GCN_MATRIX_BF16, 4, 8, GCN_MATRIX_BF16,
                                          .fused = true},
    MATRIX(v_mfma_f32_4x4x4_16b_bf16) = {4, 4, 16, GCN_MATRIX_BF16, 4, 2, GCN_MATRIX_BF16,
                                         .fused = true},
    MATRIX(v_mfma_f32_32x32x8_bf16) = {32, 8, 1, GCN_MATRIX_BF16, 8, 8, GCN_MATRIX_BF16,
                                       .fused = true},
    MATRIX(v_mfma_f32_16x16x16_bf16) = {16, 16, 1, GCN_MATRIX_BF16, 8, 4, GCN_MATRIX_BF16,
                                        .fused = true},
    MATRIX(v_smfmac_f32_16x16x32_f16) = {16, 32, 1, GCN_MATRIX_F16, 8, 4, GCN_MATRIX_F16,
                                         .fused = true, .sparse = true},
    MATRIX(v_mfma_f32_32x32x4bf16_1k) = {32, 4, 2, GCN_MATRIX_BF16, 4, 16, GCN_MATRIX_BF16,
                                         .fused = false},
    MATRIX(v_mfma_f32_16x16x4bf16_1k) = {16, 4, 4, GCN_MATRIX_BF16, 4, 8, GCN_MATRIX_BF16,
                                         .fused = false},
    MATRIX(v_smfmac_f32_32x32x16_f16) = {32, 16, 1, GCN_MATRIX_F16, 8, 8, GCN_MATRIX_F16,
                                         .fused = true, .sparse = true},
    MATRIX(v_mfma_f32_4x4x4bf16_1k) = {4, 4, 16, GCN_MATRIX_BF16, 4, 2, GCN_MATRIX_BF16,
                                       .fused = false},
    MATRIX(v_mfma_f32_32x32x8bf16_1k) = {32, 8, 1, GCN_MATRIX_BF16, 4, 16, GCN_MATRIX_BF16,
                                         .fused = false},
    MATRIX(v_smfmac_f32_16x16x32_bf16) = {16, 32, 1, GCN_MATRIX_BF16, 8, 4, GCN_MATRIX_BF16,
                                          .fused = true, .sparse = true},
    MATRIX(v_mfma_f32_16x16x16bf16_1k) = {16, 16, 1, GCN_MATRIX_BF16, 4, 8, GCN_MATRIX_BF16,
                                          .fused = false},
    MATRIX(v_mfma_f32_32x32x2bf16) = {32, 2, 2, GCN_MATRIX_BF16, 2, 16, GCN_MATRIX_BF16,
                                      .fused = false},
    MATRIX(v_smfmac_f32_32x32x16_bf16) = {32, 16, 1, GCN_MATRIX_BF16, 8, 8, GCN_MATRIX_BF16,
                                          .fused = true, .sparse = true},
    MATRIX(v_mfma_f32_16x16x2bf16) = {16, 2, 4, GCN_MATRIX_BF16, 2, 8, GCN_MATRIX_BF16,
                                      .fused = false},
    MATRIX(v_smfmac_i32_16x16x64_i8) = {16, 64, 1, GCN_MATRIX_I8, 1, 4, GCN_MATRIX_I8,
                                        .fused = false, .sparse = true},
    MATRIX(v_mfma_f32_4x4x2bf16) = {4, 2, 16, GCN_MATRIX_BF16, 2, 2, GCN_MATRIX_BF16,
                                    .fused = false},
    MATRIX(v_mfma_f32_32x32x4bf16) = {32, 4, 1, GCN_MATRIX_BF16, 2, 16, GCN_MATRIX_BF16,
                                      .fused = false},
    MATRIX(v_smfmac_i32_32x32x32_i8) = {32, 32, 1, GCN_MATRIX_I8, 1, 8, GCN_MATRIX_I8,
                                        .fused = false, .sparse = true},
    MATRIX(v_mfma_f32_16x16x8bf16) = {16, 8, 1, GCN_MATRIX_BF16, 2, 8, GCN_MATRIX_BF16,
                                      .fused = false},
    MATRIX(v_mfma_f64_16x16x4f64) = {16, 4, 1, GCN_MATRIX_F64, 1, 8, GCN_MATRIX_F64,
                                     .fused = false},
    MATRIX(v_mfma_f64_16x16x4_f64) = {16, 4, 1, GCN_MATRIX_F64, 1, 8, GCN_MATRIX_F64,
                                      .fused = false},
    MATRIX(v_mfma_f64_4x4x4f64) = {4, 4, 4, GCN_MATRIX_F64, 1, 4, GCN_MATRIX_F64, .fused = false},
    MATRIX(v_mfma_f64_4x4x4_4b_f64) = {4, 4, 4, GCN_MATRIX_F64, 1, 4, GCN_MATRIX_F64,
                                       .fused = false},
    MATRIX(v_mfma_f32_16x16x32_bf8_bf8) = {16, 32, 1, GCN_MATRIX_BF8, 16, 4, GCN_MATRIX_BF8,
                                           .fused = true},
    MATRIX(v_mfma_f32_16x16x32_bf8_fp8) = {16, 32, 1, GCN_MATRIX_BF8, 16, 4, GCN_MATRIX_FP8,
                                           .fused = true},
    MATRIX(v_mfma_f32_16x16x32_fp8_bf8) = {16, 32, 1, GCN_MATRIX_FP8, 16, 4, GCN_MATRIX_BF8,
                                           .fused = true},
    MATRIX(v_mfma_f32_16x16x32_fp8_fp8) = {16, 32, 1, GCN_MATRIX_FP8, 16, 4, GCN_MATRIX_FP8,
                                           .fused = true},
    MATRIX(v_mfma_f32_32x32x16_bf8_bf8) = {32, 16, 1, GCN_MATRIX_BF8, 16, 8, GCN_MATRIX_BF8,
                                           .fused = true},
    MATRIX(v_mfma_f32_32x32x16_bf8_fp8) = {32, 16, 1, GCN_MATRIX_BF8, 16, 8, GCN_MATRIX_FP8,
                                           .fused = true},
    MATRIX(v_mfma_f32_32x32x16_fp8_bf8) = {32, 16, 1, GCN_MATRIX_FP8, 16, 8, GCN_MATRIX_BF8,
                                           .fused = true},
    MATRIX(v_mfma_f32_32x32x16_fp8_fp8) = {32, 16, 1, GCN_MATRIX_FP8, 16, 8, GCN_MATRIX_FP8,
                                           .fused = true},
    MATRIX(v_smfmac_f32_16x16x64_bf8_bf8) = {16, 64, 1, GCN_MATRIX_BF8, 16, 4, GCN_MATRIX_BF8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_16x16x64_bf8_fp8) = {16, 64, 1, GCN_MATRIX_BF8, 16, 4, GCN_MATRIX_FP8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_16x16x64_fp8_bf8) = {16, 64, 1, GCN_MATRIX_FP8, 16, 4, GCN_MATRIX_BF8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_16x16x64_fp8_fp8) = {16, 64, 1, GCN_MATRIX_FP8, 16, 4, GCN_MATRIX_FP8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_32x32x32_bf8_bf8) = {32, 32, 1, GCN_MATRIX_BF8, 16, 8, GCN_MATRIX_BF8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_32x32x32_bf8_fp8) = {32, 32, 1, GCN_MATRIX_BF8, 16, 8, GCN_MATRIX_FP8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_32x32x32_fp8_bf8) = {32, 32, 1, GCN_MATRIX_FP8, 16, 8, GCN_MATRIX_BF8,
                                             .fused = true, .sparse = true},
    MATRIX(v_smfmac_f32_32x32x32_fp8_fp8) = {32, 32, 1, GCN_MATRIX_FP8, 16, 8, GCN_MATRIX_FP8,
                                             .fused = true, .sparse = true},
};

const struct gcn_mfma *gcn_mfma_of(const struct gcn_row *row)
{
    const size_t n = (size_t)(row - gcn_rows) - NUMBER(v_mfma_f32_16x16x8_xf32);
    return n < sizeof table / sizeof *table && table[n].side ? &table[n] : NULL;
}

uint32_t gcn_matrix_products(const struct gcn_row *row)
{
    const struct gcn_mfma *m = gcn_mfma_of(row);
    return (uint32_t)m->side * m->side * m->k * m->blocks;
}

/* ---- elements of A and B ---- */

/* A half as a single: exact, denormals too. */
static inline uint32_t single_of_half(uint32_t x)
{
    const uint32_t magnitude = (x & 0x7fff) << 13, sign = (x & 0x8000) << 16,
                   number = wt_float_bits(wt_float_of_bits(magnitude) * 0x1p112f);
    return sign | ((x & 0x7c00) == 0x7c00 ? 0x7f800000 | magnitude : number);
}

/* The nth element of a lane, in a register that has it. */
static inline __attribute__((always_inline)) uint32_t element(enum gcn_matrix_type type,
                                                              uint32_t word, unsigned n)
{
    switch (type) {
    case GCN_MATRIX_F32:
        return word;
    case GCN_MATRIX_XF32:
        return word & ~UINT32_C(0x1fff);
    case GCN_MATRIX_FP8:
    case GCN_MATRIX_BF8:
        return gcn_f32_of_f8((uint8_t)(word >> 8 * (n % 4)), type == GCN_MATRIX_BF8);
    case GCN_MATRIX_F16:
        return single_of_half(word >> n % 2 * 16 & 0xffff);
    case GCN_MATRIX_BF16:
        return word >> n % 2 * 16 << 16;
    default:
        return (uint32_t)(int32_t)(int8_t)(word >> 8 * (n % 4));
    }
}

static unsigned elements_of_register(enum gcn_matrix_type type)
{
    return type == GCN_MATRIX_F32 || type == GCN_MATRIX_XF32   ? 1
           : type == GCN_MATRIX_F16 || type == GCN_MATRIX_BF16 ? 2
                                                               : 4;
}

/* The lane whose values a lane of B has (BLGP). */
static inline unsigned lane_of_b(unsigned blgp, unsigned lane)
{
    return blgp == 0   ? lane
           : blgp < 3  ? lane % 32 + 32 * (blgp - 1)
           : blgp == 3 ? (lane + 16) % 64
                       : lane % 16 + 16 * (blgp - 4);
}

#define COLUMNS _Pragma("GCC ivdep") for (unsigned j = 0; j < side; j++)

/* Those of a line of so many lanes, of one k. */
static inline __attribute__((always_inline)) void
take_line(enum gcn_matrix_type type, const uint32_t *from, unsigned n, unsigned side, uint32_t *to)
{
#define TAKE_AS(kind)                                                                              \
    case kind:                                                                                     \
        COLUMNS                                                                                    \
        to[j] = element(kind, from[j], n);                                                         \
        return;
    switch (type) {
        TAKE_AS(GCN_MATRIX_F16)
        TAKE_AS(GCN_MATRIX_BF16)
        TAKE_AS(GCN_MATRIX_I8)
    default:
        for (unsigned j = 0; j < side; j++)
            to[j] = element(type, from[j], n);
    }
#undef TAKE_AS
}

static inline __attribute__((always_inline)) void take(const struct gcn_mfma *m,
                                                       enum gcn_matrix_type type, unsigned k_count,
                                                       const uint32_t (*registers)[GCN_LANES],
                                                       unsigned blgp, union gcn_elements *to)
{
    const unsigned side = m->side, each = elements_of_register(type);
    if (type == GCN_MATRIX_F32 && !blgp) { /* each lane has one, in their order */
        memcpy(to->w, registers, sizeof(uint32_t[GCN_LANES]));
        return;
    }
    const unsigned groups = GCN_LANES / side, count = k_count * m->blocks / groups;
    uint32_t moved[GCN_MATRIX_ELEMENTS / GCN_LANES][GCN_LANES];
    for (unsigned n = 0; blgp && n < count / each; n++)
        LANES
            moved[n][i] = registers[n][lane_of_b(blgp, i)];
    if (blgp)
        registers = (const uint32_t(*)[GCN_LANES])moved;
    for (unsigned group = 0; group < groups; group++) {
        const unsigned block = group * m->blocks / groups,
                       first = block * k_count + group % (groups / m->blocks) * count;
        for (unsigned n = 0; n < count; n++)
            take_line(type, registers[n / each] + group * side, n, side,
                      to->w + (first + n) * side);
    }
}

/* Numbers below the least one that is not denormal become +0. Returns the lowest exponent of the
 * others. */
static inline unsigned drop_denormals(uint32_t *x, unsigned count, const uint32_t least)
{
    uint32_t lowest = UINT32_MAX, kept = UINT32_MAX; /* magnitudes but 0, less 1 */
    for (unsigned i = 0; i < count; i++) {
        const uint32_t below = (x[i] & 0x7fffffff) - 1;
        lowest = below < lowest ? below : lowest;
    }
    if (lowest >= least - 1)
        return lowest >> 23;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t below = (x[i] & 0x7fffffff) - 1;
        x[i] = below < least - 1 ? 0 : x[i];
        kept = below >= least - 1 && below < kept ? below : kept;
    }
    return kept >> 23;
}

/* Drops denormal numbers of A, B and C; whether a product or a sum of the others may be denormal:
 * not, if all are multiples of the least single that is not. */
static inline bool drop_all_denormals(const struct gcn_mfma *m, union gcn_elements *a,
                                      union gcn_elements *b, uint32_t *c, unsigned sums)
{
    const bool halves = m->type == GCN_MATRIX_F16;
    const uint32_t least = halves ? 0x38800000 : 0x00800000;
    const unsigned count = m->side * m->k * m->blocks, digits = halves ? 20 : 14,
                   of_a = drop_denormals(a->w, count, least),
                   of_b = drop_denormals(b->w, count, least),
                   of_c = drop_denormals(c, sums, 0x00800000);
    return of_a + of_b < 128 + digits || of_c < 24;
}

/* ---- sums ---- */

/* A product or a sum; a denormal one is a zero of its sign, if these are flushed. */
static inline __attribute__((always_inline)) float kept(float x, const bool flush)
{
    return flush && __builtin_fabsf(x) < 0x1p-126f ? x * 0.0f : x;
}

static inline __attribute__((always_inline)) float product(float x, float y, const bool flush)
{
    return kept(__builtin_fmaf(x, y, 0.0f), flush);
}

/* One row of D: the products of one row of A with all columns of B. */
static inline __attribute__((always_inline)) void sum_row(const struct gcn_mfma *m, uint32_t *d,
                                                          const uint32_t *a, const uint32_t *b,
                                                          const unsigned side, const bool flush)
{
    float *sum = (float *)(void *)d;
    const float *x = (const float *)(const void *)a, *y = (const float *)(const void *)b;
    for (unsigned k = 0; m->type == GCN_MATRIX_I8 && k < m->k; k++) {
        const uint32_t p = a[k * side];
        COLUMNS
        d[j] += p * b[k * side + j];
    }
    if (m->type == GCN_MATRIX_F32 && m->k == 2) {
        COLUMNS
        sum[j] = __builtin_fmaf(x[side], y[side + j], __builtin_fmaf(x[0], y[j], sum[j]));
        return;
    }
    for (unsigned k = 0; m->type == GCN_MATRIX_F32 && k < m->k; k++) {
        const float p = x[k * side];
        COLUMNS
        sum[j] = __builtin_fmaf(p, y[k * side + j], sum[j]);
    }
    for (unsigned k = 0; m->group == 2 && k < m->k; k += 2) {
        const float p = x[k * side], q = x[(k + 1) * side];
        COLUMNS
        sum[j] = kept(sum[j] + kept(product(p, y[k * side + j], flush) +
                                        product(q, y[(k + 1) * side + j], flush),
                                    flush),
                      flush);
    }
    for (unsigned k = 0; m->group == 4 && k < m->k; k += 4) {
        const float p = x[k * side], q = x[(k + 1) * side], r = x[(k + 2) * side],
                    s = x[(k + 3) * side];
        COLUMNS
        sum[j] = kept(sum[j] + kept(kept(product(p, y[k * side + j], flush) +
                                             product(q, y[(k + 1) * side + j], flush),
                                         flush) +
                                        kept(product(r, y[(k + 2) * side + j], flush) +
                                                 product(s, y[(k + 3) * side + j], flush),
                                             flush),
                                    flush),
                      flush);
    }
}

/* A part of the lanes of a register of D has one row of one block. */
struct part_of_d {
    unsigned block, row;
};

static inline struct part_of_d place_of(unsigned reg, unsigned part, unsigned side)
{
    const unsigned parts = GCN_LANES / side, each = side * side / GCN_LANES;
    return (struct part_of_d){each ? reg / each : part,
                              each ? reg % each / 4 * 4 * parts + 4 * part + reg % 4 : reg};
}

/* The block of A that is multiplied by a block of B (CBSZ, ABID). */
static inline unsigned block_of_a(const struct gcn_mfma *m, const struct gcn_uop *u, unsigned block)
{
    const unsigned broadcast = (1u << u->cbsz) - 1;
    return ((block & ~broadcast) | (u->abid & broadcast)) & (m->blocks - 1u);
}

/* Doubles: 16 lanes have one k of the rows or columns of all blocks, or every fourth row of D. This
 * is the row of A, among its lanes, of which a lane has D in its nth pair of registers. */
static inline unsigned row_of_double(const struct gcn_mfma *m, unsigned n, unsigned lane)
{
    return 4 * n + lane / 16 + (m->side == 4 ? lane % 16 & ~3u : 0);
}

uint64_t gcn_matrix_lanes(const struct gcn_uop *u, unsigned n, unsigned lane, bool of_b)
{
    const struct gcn_mfma *m = gcn_mfma_of(u->row);
    if (m->type == GCN_MATRIX_F64)
        return UINT64_C(0x0001000100010001) << (of_b ? lane % 16 : row_of_double(m, n, lane));
    const struct part_of_d d = place_of(n, lane / m->side, m->side);
    const unsigned block = of_b ? d.block : block_of_a(m, u, d.block),
                   line = of_b ? lane % m->side : d.row;
    uint64_t all = 0;
    for (unsigned i = line; i < GCN_LANES; i += m->side)
        if (i / m->side * m->blocks / (GCN_LANES / m->side) == block)
            all |= UINT64_C(1) << lane_of_b(of_b ? u->blgp : 0, i);
    return all;
}

/* The rows of D in a register: each part of its lanes has one row of one block. */
static inline __attribute__((always_inline)) void
sum_register(const struct gcn_mfma *m, const struct gcn_uop *u, uint32_t *d, unsigned reg,
             const union gcn_elements *a, const union gcn_elements *b, const unsigned side,
             const bool flush)
{
    for (unsigned part = 0; part < GCN_LANES / side; part++) {
        const struct part_of_d to = place_of(reg, part, side);
        sum_row(m, d + part * side, a->w + block_of_a(m, u, to.block) * m->k * side + to.row,
                b->w + to.block * m->k * side, side, flush);
    }
}

static inline void settle_nans(uint32_t (*d)[GCN_LANES], unsigned registers)
{
    const float *x = (const float *)(const void *)d;
    int32_t unordered = 0;
    for (unsigned i = 0; i < registers * GCN_LANES; i++)
        unordered |= x[i] != x[i] ? -1 : 0;
    for (unsigned reg = 0; unordered && reg < registers; reg++)
        LANES
            d[reg][i] = (d[reg][i] & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : d[reg][i];
}

static inline __attribute__((always_inline)) void
multiply(const struct gcn_mfma *m, const struct gcn_uop *u, uint32_t (*d)[GCN_LANES],
         const union gcn_elements *a, const union gcn_elements *b, const unsigned side,
         const bool flush)
{
    for (unsigned reg = 0; reg < u->result; reg++)
        sum_register(m, u, d[reg], reg, a, b, side, flush);
    if (m->type != GCN_MATRIX_I8)
        settle_nans(d, u->result);
}

static inline __attribute__((always_inline)) void
multiply_as(const struct gcn_mfma *m, const struct gcn_uop *u, uint32_t (*d)[GCN_LANES],
            const union gcn_elements *a, const union gcn_elements *b, const unsigned side,
            bool flush)
{
    if (flush)
        multiply(m, u, d, a, b, side, true);
    else
        multiply(m, u, d, a, b, side, false);
}

/* Doubles of 8 lanes are in the order in which AVX2 makes them of two registers, and takes them
 * apart: 0, 1, 4, 5, 2, 3, 6, 7. */
#define MERGED(lane) (((lane) & ~7u) | ((lane)&1) | ((lane)&2) << 1 | ((lane)&4) >> 1)
typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
typedef float singles __attribute__((vector_size(32), aligned(4), may_alias));

/* Those of @p count lanes from a multiple of 8 on. */
static inline __attribute__((always_inline)) void
take_doubles(const uint32_t (*pair)[GCN_LANES], unsigned lane, double *to, const unsigned count)
{
    _Pragma("GCC unroll 2") for (unsigned i = 0; i < count; i += 8)
    {
        const words low = *(const words *)&pair[0][lane + i],
                    high = *(const words *)&pair[1][lane + i];
        *(words *)&to[i] = __builtin_shufflevector(low, high, 0, 8, 1, 9, 4, 12, 5, 13);
        *(words *)&to[i + 4] = __builtin_shufflevector(low, high, 2, 10, 3, 11, 6, 14, 7, 15);
    }
}

enum { OF_K = 16 }; /* lanes that have one k of doubles */

/* As singles, which AVX2 shuffles in one step. */
static inline __attribute__((always_inline)) void give_doubles(const double *from, unsigned lane,
                                                               uint32_t (*pair)[GCN_LANES])
{
    _Pragma("GCC unroll 2") for (unsigned i = 0; i < OF_K; i += 8)
    {
        const singles x = *(const singles *)&from[i], y = *(const singles *)&from[i + 4];
        *(singles *)&pair[0][lane + i] = __builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14);
        *(singles *)&pair[1][lane + i] = __builtin_shufflevector(x, y, 1, 3, 9, 11, 5, 7, 13, 15);
    }
}

/* Replaces each NaN by the quiet NaN of the hardware. */
static void settle_doubles(uint32_t (*pair)[GCN_LANES])
{
    LANES {
        const bool is_nan = (pair[1][i] & 0x7fffffff) > 0x7ff00000;
        pair[0][i] = is_nan ? 0 : pair[0][i];
        pair[1][i] = is_nan ? 0x7ff80000 : pair[1][i];
    }
}

static inline __attribute__((always_inline)) void
multiply_doubles(const struct gcn_mfma *m, uint32_t (*d)[GCN_LANES], const void *a, const void *b,
                 const uint32_t (*c)[GCN_LANES], const unsigned side)
{
    const unsigned step = side == 4; /* its lanes have four rows, others one */
    _Alignas(64) double x[GCN_LANES], y[GCN_LANES], rows[GCN_LANES];
    take_doubles(a, 0, x, GCN_LANES);
    take_doubles(b, 0, y, GCN_LANES);
    for (unsigned n = 0; n < (side == 16 ? 4 : 1); n++) {
        int64_t unordered = 0;
        for (unsigned lane = 0; lane < GCN_LANES; lane += OF_K) {
            _Alignas(32) double sum[OF_K];
            const double *of_a = side == 4 ? rows : x + MERGED(row_of_double(m, n, lane));
            take_doubles(c + 2 * n, lane, sum, OF_K);
            for (unsigned i = 0; side == 4 && i < GCN_LANES; i++)
                rows[MERGED(i)] = x[i / OF_K * OF_K + MERGED(row_of_double(m, 0, lane + i % OF_K))];
            _Pragma("GCC ivdep") for (unsigned j = 0; j < OF_K; j++)
            {
                for (unsigned k = 0; k < 4; k++)
                    sum[j] = __builtin_fma(of_a[OF_K * k + step * j], y[OF_K * k + j], sum[j]);
                unordered |= sum[j] != sum[j] ? -1 : 0;
            }
            give_doubles(sum, lane, d + 2 * n);
        }
        if (unordered)
            settle_doubles(d + 2 * n);
    }
}

/* BLGP of products of doubles (LLVM: NEG): signs of A, B and C. */
static void negate_doubles(const struct gcn_mfma *m, const struct gcn_uop *u,
                           uint32_t (*d)[GCN_LANES], const void *a, const void *b, const void *c)
{
    const void *from[3] = {a, b, c};
    uint32_t changed[3][8][GCN_LANES];
    for (unsigned n = 0; n < 3; n++) {
        const unsigned count = n < 2 ? 2 : u->result;
        memcpy(changed[n], from[n], count * sizeof changed[n][0]);
        for (unsigned r = 1; r < count && u->blgp >> n & 1; r += 2)
            LANES
                changed[n][r][i] ^= 0x80000000;
    }
    multiply_doubles(m, d, changed[0], changed[1], (const uint32_t(*)[GCN_LANES])changed[2],
                     m->side);
}

/* ---- sums of groups, sparse matrices ---- */

/* The k of B by which each element of a line of A is multiplied: of a sparse matrix two bits of the
 * index's set say it (CBSZ 0: that which ABID names, else the first), for two of each four k. */
static void choose_k(const struct gcn_mfma *m, const struct gcn_uop *u, const uint32_t *index,
                     unsigned line, uint8_t *from)
{
    const unsigned groups = GCN_LANES / m->side, dense = m->k / groups, stored = dense / 2;
    for (unsigned k = 0; !m->sparse && k < m->k; k++)
        from[k] = (uint8_t)k;
    for (unsigned n = 0; m->sparse && n < m->k / 2u; n++) {
        const unsigned group = n / stored, in = n % stored,
                       set = (u->cbsz & 3 ? 0 : u->abid % (32 / (2 * stored))) * 2 * stored;
        from[n] = (uint8_t)(group * dense + in / 2 * 4 +
                            (index[group * m->side + line] >> (set + 2 * in) & 3));
    }
}

/* Likewise of whole numbers. */
static void sum_whole(const struct gcn_mfma *m, uint32_t *d, const uint32_t *a, const uint32_t *b,
                      const uint8_t *from, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        for (unsigned j = 0; j < m->side; j++)
            d[j] += a[n * m->side] * b[from[n] * m->side + j];
}

static void multiply_groups(const struct gcn_mfma *m, const struct gcn_uop *u,
                            uint32_t (*d)[GCN_LANES], const union gcn_elements *x,
                            const union gcn_elements *y, const uint32_t *index)
{
    const unsigned side = m->side, count = m->sparse ? m->k / 2u : m->k;
    struct gcn_fused_elements a, b;
    uint8_t from[GCN_LANES];
    if (m->fused) {
        gcn_fused_take(&a, x, side * count * m->blocks, (enum gcn_matrix_type)m->type);
        gcn_fused_take(&b, y, side * m->k * m->blocks, (enum gcn_matrix_type)m->b_type);
    }
    for (unsigned reg = 0; reg < u->result; reg++)
        for (unsigned part = 0; part < GCN_LANES / side; part++) {
            const struct part_of_d to = place_of(reg, part, side);
            const unsigned line = block_of_a(m, u, to.block) * count * side + to.row,
                           first = to.block * m->k * side;
            choose_k(m, u, index, to.row, from);
            const struct gcn_fused_line lines = {line, first, count, from};
            if (m->fused)
                gcn_fused_row(m, d[reg] + part * side, &a, &b, &lines);
            else
                sum_whole(m, d[reg] + part * side, x->w + line, y->w + first, from, count);
        }
    if (m->fused)
        settle_nans(d, u->result);
}

CLONED gcn_multiply_matrices(const struct gcn_uop *u, bool flush, void *d, const void *a,
                             const void *b, const void *c)
{
    const struct gcn_mfma *m = gcn_mfma_of(u->row);
    union gcn_elements x, y;
    if (m->type == GCN_MATRIX_F64 && !(u->row->models & GCN_ON_GFX90A) && u->blgp) {
        negate_doubles(m, u, d, a, b, c);
        return;
    }
    if (m->type == GCN_MATRIX_F64) {
        if (m->side == 16)
            multiply_doubles(m, d, a, b, c, 16);
        else
            multiply_doubles(m, d, a, b, c, 4);
        return;
    }
    flush &= m->type == GCN_MATRIX_F16 || m->type == GCN_MATRIX_BF16;
    take(m, (enum gcn_matrix_type)m->type, m->sparse ? m->k / 2 : m->k, a, 0, &x);
    take(m, (enum gcn_matrix_type)m->b_type, m->k, b, m->sparse ? 0 : u->blgp, &y);
    if (m->sparse || m->fused) {
        uint32_t index[GCN_LANES];
        memcpy(index, c, sizeof index);
        if (!m->sparse && d != c)
            memmove(d, c, u->result * sizeof(uint32_t[GCN_LANES]));
        multiply_groups(m, u, d, &x, &y, index);
        return;
    }
    if (d != c)
        memmove(d, c, u->result * sizeof(uint32_t[GCN_LANES]));
    flush = flush && drop_all_denormals(m, &x, &y, d, u->result * (unsigned)GCN_LANES);
    if (m->side == 32)
        multiply_as(m, u, d, &x, &y, 32, flush);
    else if (m->side == 16)
        multiply_as(m, u, d, &x, &y, 16, flush);
    else
        multiply_as(m, u, d, &x, &y, 4, flush);
}
