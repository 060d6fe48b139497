/*
 * Products of matrices by a warp ("CUDA C++ Programming Guide", "Warp Matrix Functions"): each
 * function is one instruction of PTX (9.7.14). Names are those of NVIDIA's public documentation.
 */
#ifndef WAVETRAP_MMA_H
#define WAVETRAP_MMA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if defined __cplusplus && defined __CUDA__ && (!defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 700)

namespace nvcuda
{
namespace wmma
{
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
}
namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* Elements that a lane has, as x[]; of less than a byte, several in one of x[]. */
template <typename T, int count, int stored = count> struct __frag_base {
    enum { num_elements = count, num_storage_elements = stored };
    typedef T element_type;
    typedef T storage_element_type;
    T x[stored];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void> class fragment;

template <typename T, int count, int stored>
static inline __attribute__((device)) void
fill_fragment(__frag_base<T, count, stored> &f,
              const typename __frag_base<T, count, stored>::element_type &value)
{
    for (int i = 0; i < stored; i++)
        f.x[i] = value;
}

static inline __attribute__((device)) float __float_to_tf32(float value)
{
    unsigned bits;
    __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __uint_as_float(bits);
}

/* clang-format off */

/* Lists of registers x[0], x[1], …: as operands, as results, as text. */
#define WT_IN1(x, c) [x##0] c(x[0])
#define WT_IN2(x, c) WT_IN1(x, c), [x##1] c(x[1])
#define WT_IN4(x, c) WT_IN2(x, c), [x##2] c(x[2]), [x##3] c(x[3])
#define WT_IN8(x, c) WT_IN4(x, c), [x##4] c(x[4]), [x##5] c(x[5]), [x##6] c(x[6]), [x##7] c(x[7])
#define WT_LIST1(x) "%[" #x "0]"
#define WT_LIST2(x) WT_LIST1(x) ", %[" #x "1]"
#define WT_LIST4(x) WT_LIST2(x) ", %[" #x "2], %[" #x "3]"
#define WT_LIST8(x) WT_LIST4(x) ", %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]"

#define WT_SHAPE(m, n, k) ".m" #m "n" #n "k" #k
#define WT_FUNCTION static inline __attribute__((device, always_inline)) void

/* An instruction's registers: R of one type, by the letter of inline assembly. */
#define WT_LOAD(letter, use, m, n, k, T, layout, words, Memory, kind, count, R, c)                 \
    WT_FUNCTION load_matrix_sync(fragment<use, m, n, k, T, layout> &f, const Memory *p,            \
                                 unsigned stride)                                                  \
    {                                                                                              \
        R d[count];                                                                                \
        __asm__ volatile("wmma.load." letter ".sync.aligned." words WT_SHAPE(m, n, k) "." kind     \
                         " {" WT_LIST##count(d) "}, [%[p]], %[s];"                                 \
                         : WT_IN##count(d, "=" c)                                                  \
                         : [p] "l"(p), [s] "r"(stride)                                             \
                         : "memory");                                                              \
        __builtin_memcpy(f.x, d, sizeof f.x);                                                      \
    }
#define WT_LOAD_C(m, n, k, T, kind, count, R, c)                                                   \
    template <> class fragment<accumulator, m, n, k, T> : public __frag_base<T, m * n / 32> {};     \
    WT_LOAD_LAYOUT(m, n, k, T, kind, count, R, c)                                                  \
    WT_STORE_LAYOUT(m, n, k, T, kind, count, R, c)
#define WT_LOAD_LAYOUT(m, n, k, T, kind, count, R, c)                                              \
    WT_FUNCTION load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p,                 \
                                 unsigned stride, layout_t layout)                                 \
    {                                                                                              \
        R d[count];                                                                                \
        if (layout == mem_row_major)                                                               \
            __asm__ volatile("wmma.load.c.sync.aligned.row" WT_SHAPE(m, n, k) "." kind             \
                             " {" WT_LIST##count(d) "}, [%[p]], %[s];"                             \
                             : WT_IN##count(d, "=" c) : [p] "l"(p), [s] "r"(stride) : "memory");   \
        else                                                                                       \
            __asm__ volatile("wmma.load.c.sync.aligned.col" WT_SHAPE(m, n, k) "." kind             \
                             " {" WT_LIST##count(d) "}, [%[p]], %[s];"                             \
                             : WT_IN##count(d, "=" c) : [p] "l"(p), [s] "r"(stride) : "memory");   \
        __builtin_memcpy(f.x, d, sizeof f.x);                                                      \
    }
#define WT_STORE_LAYOUT(m, n, k, T, kind, count, R, c)                                             \
    WT_FUNCTION store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f,                \
                                  unsigned stride, layout_t layout)                                \
    {                                                                                              \
        R d[count];                                                                                \
        __builtin_memcpy(d, f.x, sizeof f.x);                                                      \
        if (layout == mem_row_major)                                                               \
            __asm__ volatile("wmma.store.d.sync.aligned.row" WT_SHAPE(m, n, k) "." kind            \
                             " [%[p]], {" WT_LIST##count(d) "}, %[s];"                             \
                             : : [p] "l"(p), [s] "r"(stride), WT_IN##count(d, c) : "memory");      \
        else                                                                                       \
            __asm__ volatile("wmma.store.d.sync.aligned.col" WT_SHAPE(m, n, k) "." kind            \
                             " [%[p]], {" WT_LIST##count(d) "}, %[s];"                             \
                             : : [p] "l"(p), [s] "r"(stride), WT_IN##count(d, c) : "memory");      \
    }

/* Fragments of A (rows x k) and B: type, type in memory, elements, how many of x[], registers. */
#define WT_AB(use, letter, m, n, k, T, X, elements, stored, Memory, kind, count, R, c)             \
    template <typename Layout>                                                                     \
    class fragment<use, m, n, k, T, Layout> : public __frag_base<X, elements, stored> {};           \
    WT_LOAD(letter, use, m, n, k, T, row_major, "row", Memory, kind, count, R, c)                  \
    WT_LOAD(letter, use, m, n, k, T, col_major, "col", Memory, kind, count, R, c)
/* … of less than a byte: A is row_major, B is col_major. */
#define WT_SMALL(use, letter, k, T, X, elements, layout, words, kind)                              \
    template <> class fragment<use, 8, 8, k, experimental::precision::T, layout>                   \
        : public __frag_base<X, elements, 1> {};                                                    \
    WT_LOAD(letter, use, 8, 8, k, experimental::precision::T, layout, words, void, kind, 1,        \
            unsigned, "r")

/* A product: D (of DC registers), A, B (AC, BC), C (CC). */
#define WT_MMA(name, m, n, k, AB, LA, LB, la, lb, DT, CT, DC, AC, BC, CC, R, c, words, types, sat) \
    WT_FUNCTION name(fragment<accumulator, m, n, k, DT> &d_, const fragment<matrix_a, m, n, k, AB, LA> &a_, \
                     const fragment<matrix_b, m, n, k, AB, LB> &b_,                                \
                     const fragment<accumulator, m, n, k, CT> &c_ WT_SATURATES_##sat)              \
    {                                                                                              \
        R d[DC], a[AC], b[BC], c0[CC];                                                             \
        __builtin_memcpy(a, a_.x, sizeof a);                                                       \
        __builtin_memcpy(b, b_.x, sizeof b);                                                       \
        __builtin_memcpy(c0, c_.x, sizeof c0);                                                     \
        WT_DO_##sat("wmma.mma" words ".sync.aligned." la "." lb WT_SHAPE(m, n, k) "." types,       \
                    DC, AC, BC, CC, c)                                                             \
        __builtin_memcpy(d_.x, d, sizeof d);                                                       \
    }
#define WT_PRODUCT(text, DC, AC, BC, CC, c)                                                        \
    __asm__ volatile(text " {" WT_LIST##DC(d) "}, {" WT_LIST##AC(a) "}, {" WT_LIST##BC(b) "}, {"   \
                     WT_LIST##CC(c0) "};"                                                          \
                     : WT_IN##DC(d, "=" c) : WT_IN##AC(a, c), WT_IN##BC(b, c), WT_IN##CC(c0, c));
#define WT_SATURATES_NO
#define WT_SATURATES_YES , bool satf = false
#define WT_DO_NO(text, DC, AC, BC, CC, c) WT_PRODUCT(text, DC, AC, BC, CC, c)
#define WT_DO_YES(text, DC, AC, BC, CC, c)                                                         \
    if (satf)                                                                                      \
        WT_PRODUCT(text ".satfinite", DC, AC, BC, CC, c)                                           \
    else                                                                                           \
        WT_PRODUCT(text, DC, AC, BC, CC, c)
#define WT_LAYOUTS4(m, n, k, AB, DT, CT, DC, AC, BC, CC, R, c, types, sat)                         \
    WT_MMA(mma_sync, m, n, k, AB, row_major, row_major, "row", "row", DT, CT, DC, AC, BC, CC, R, c, , types, sat) \
    WT_MMA(mma_sync, m, n, k, AB, row_major, col_major, "row", "col", DT, CT, DC, AC, BC, CC, R, c, , types, sat) \
    WT_MMA(mma_sync, m, n, k, AB, col_major, row_major, "col", "row", DT, CT, DC, AC, BC, CC, R, c, , types, sat) \
    WT_MMA(mma_sync, m, n, k, AB, col_major, col_major, "col", "col", DT, CT, DC, AC, BC, CC, R, c, , types, sat)

/* All of one shape with k = 16; registers of A and B of 8 bits, of 16 bits. */
#define WT_TILE(m, n, A8, B8, A16, B16)                                                            \
    WT_LOAD_C(m, n, 16, __half, "f16", 4, unsigned, "r")                                           \
    WT_LOAD_C(m, n, 16, float, "f32", 8, unsigned, "r")                                            \
    WT_LOAD_C(m, n, 16, int, "s32", 8, unsigned, "r")                                              \
    WT_AB(matrix_a, "a", m, n, 16, __half, __half, 16, 16, __half, "f16", 8, unsigned, "r")        \
    WT_AB(matrix_b, "b", m, n, 16, __half, __half, 16, 16, __half, "f16", 8, unsigned, "r")        \
    WT_AB(matrix_a, "a", m, n, 16, __nv_bfloat16, __nv_bfloat16, m / 2, m / 2, __nv_bfloat16, "bf16", A16, unsigned, "r") \
    WT_AB(matrix_b, "b", m, n, 16, __nv_bfloat16, __nv_bfloat16, n / 2, n / 2, __nv_bfloat16, "bf16", B16, unsigned, "r") \
    WT_AB(matrix_a, "a", m, n, 16, signed char, signed char, m / 2, m / 2, signed char, "s8", A8, unsigned, "r") \
    WT_AB(matrix_b, "b", m, n, 16, signed char, signed char, n / 2, n / 2, signed char, "s8", B8, unsigned, "r") \
    WT_AB(matrix_a, "a", m, n, 16, unsigned char, unsigned char, m / 2, m / 2, unsigned char, "u8", A8, unsigned, "r") \
    WT_AB(matrix_b, "b", m, n, 16, unsigned char, unsigned char, n / 2, n / 2, unsigned char, "u8", B8, unsigned, "r") \
    WT_LAYOUTS4(m, n, 16, __half, __half, __half, 4, 8, 8, 4, unsigned, "r", "f16.f16", YES)       \
    WT_LAYOUTS4(m, n, 16, __half, float, float, 8, 8, 8, 8, unsigned, "r", "f32.f32", YES)         \
    WT_LAYOUTS4(m, n, 16, __half, float, __half, 8, 8, 8, 4, unsigned, "r", "f32.f16", YES)        \
    WT_LAYOUTS4(m, n, 16, __half, __half, float, 4, 8, 8, 8, unsigned, "r", "f16.f32", YES)        \
    WT_LAYOUTS4(m, n, 16, __nv_bfloat16, float, float, 8, A16, B16, 8, unsigned, "r", "f32.bf16.bf16.f32", NO) \
    WT_LAYOUTS4(m, n, 16, signed char, int, int, 8, A8, B8, 8, unsigned, "r", "s32.s8.s8.s32", YES) \
    WT_LAYOUTS4(m, n, 16, unsigned char, int, int, 8, A8, B8, 8, unsigned, "r", "s32.u8.u8.s32", YES)

WT_TILE(16, 16, 2, 2, 4, 4)
WT_TILE(32, 8, 4, 1, 8, 2)
WT_TILE(8, 32, 1, 4, 2, 8)

WT_LOAD_C(16, 16, 8, float, "f32", 8, unsigned, "r")
WT_AB(matrix_a, "a", 16, 16, 8, precision::tf32, float, 4, 4, float, "tf32", 4, unsigned, "r")
WT_AB(matrix_b, "b", 16, 16, 8, precision::tf32, float, 4, 4, float, "tf32", 4, unsigned, "r")
WT_LAYOUTS4(16, 16, 8, precision::tf32, float, float, 8, 4, 4, 8, unsigned, "r", "f32.tf32.tf32.f32", NO)

WT_LOAD_C(8, 8, 4, double, "f64", 2, double, "d")
WT_AB(matrix_a, "a", 8, 8, 4, double, double, 1, 1, double, "f64", 1, double, "d")
WT_AB(matrix_b, "b", 8, 8, 4, double, double, 1, 1, double, "f64", 1, double, "d")
WT_LAYOUTS4(8, 8, 4, double, double, double, 2, 1, 1, 2, double, "d", "f64.f64.f64.f64", NO)

WT_LOAD_C(8, 8, 32, int, "s32", 2, unsigned, "r")
WT_SMALL(matrix_a, "a", 32, s4, int, 8, row_major, "row", "s4")
WT_SMALL(matrix_b, "b", 32, s4, int, 8, col_major, "col", "s4")
WT_SMALL(matrix_a, "a", 32, u4, unsigned, 8, row_major, "row", "u4")
WT_SMALL(matrix_b, "b", 32, u4, unsigned, 8, col_major, "col", "u4")
WT_MMA(mma_sync, 8, 8, 32, experimental::precision::s4, row_major, col_major, "row", "col", int, int, 2, 1, 1, 2, unsigned, "r", , "s32.s4.s4.s32", YES)
WT_MMA(mma_sync, 8, 8, 32, experimental::precision::u4, row_major, col_major, "row", "col", int, int, 2, 1, 1, 2, unsigned, "r", , "s32.u4.u4.s32", YES)

WT_LOAD_C(8, 8, 128, int, "s32", 2, unsigned, "r")
WT_SMALL(matrix_a, "a", 128, b1, unsigned, 32, row_major, "row", "b1")
WT_SMALL(matrix_b, "b", 128, b1, unsigned, 32, col_major, "col", "b1")
WT_MMA(__bmma_xor, 8, 8, 128, experimental::precision::b1, row_major, col_major, "row", "col", int, int, 2, 1, 1, 2, unsigned, "r", ".xor.popc", "s32.b1.b1.s32", NO)
WT_MMA(__bmma_and, 8, 8, 128, experimental::precision::b1, row_major, col_major, "row", "col", int, int, 2, 1, 1, 2, unsigned, "r", ".and.popc", "s32.b1.b1.s32", NO)

/* clang-format on */

WT_FUNCTION
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    if (op == experimental::bmmaBitOpAND)
        __bmma_and(d, a, b, c);
    else
        __bmma_xor(d, a, b, c);
}

#undef WT_IN1
#undef WT_IN2
#undef WT_IN4
#undef WT_IN8
#undef WT_LIST1
#undef WT_LIST2
#undef WT_LIST4
#undef WT_LIST8
#undef WT_SHAPE
#undef WT_FUNCTION
#undef WT_LOAD
#undef WT_LOAD_C
#undef WT_LOAD_LAYOUT
#undef WT_STORE_LAYOUT
#undef WT_AB
#undef WT_SMALL
#undef WT_MMA
#undef WT_PRODUCT
#undef WT_SATURATES_NO
#undef WT_SATURATES_YES
#undef WT_DO_NO
#undef WT_DO_YES
#undef WT_LAYOUTS4
#undef WT_TILE
} // namespace wmma
} // namespace nvcuda

#endif

#endif
