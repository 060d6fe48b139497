// Parts of CUDA's headers that need a GPU of 7.0 and more: products of matrices, beside the host's; the generators of cuRAND's device API, whose
// numbers go to standard output for tests/host/test_cuda_headers.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <curand_kernel.h>
#include <initializer_list>
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

template <class T> static T *memory(size_t count)
{
    T *address;
    if (cudaMallocManaged(&address, count * sizeof(T)))
        std::abort();
    std::memset((void *)address, 0, count * sizeof(T));
    return address;
}

// ---- matrices: of small whole numbers, whose products are exact in each type ----

template <int m, int n, int k, class AB, class LA, class LB, class C, class M>
__global__ void multiply(const M *a, const M *b, const C *c, C *d, unsigned lda, unsigned ldb, unsigned ldc, wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, m, n, k, AB, LA> fa;
    wmma::fragment<wmma::matrix_b, m, n, k, AB, LB> fb;
    wmma::fragment<wmma::accumulator, m, n, k, C> fc, twice;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, layout);
    wmma::fill_fragment(twice, C(0));
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++)
        twice.x[i] = fc.x[i] + fc.x[i];
    wmma::store_matrix_sync(d, twice, ldc, layout);
}

template <class LA> static int at(int row, int column, int stride)
{
    return std::is_same<LA, wmma::row_major>::value ? row * stride + column : column * stride + row;
}

template <int m, int n, int k, class AB, class LA, class LB, class C, class M> static int differences(bool is_signed)
{
    enum { most = 48 };
    M *a = memory<M>(most * most), *b = memory<M>(most * most);
    C *c = memory<C>(most * most), *d = memory<C>(most * most);
    const unsigned stride = 48;
    int wrong = 0;
    for (int i = 0; i < most * most; i++) {
        a[i] = M(float(i * 7 % 9 - (is_signed ? 4 : 0)));
        b[i] = M(float(i * 5 % 11 - (is_signed ? 5 : 0)));
        c[i] = C(float(i % 13));
    }
    for (wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
        multiply<m, n, k, AB, LA, LB><<<1, 32>>>(a, b, c, d, stride, stride, stride, layout);
        wrong += cudaDeviceSynchronize() != cudaSuccess;
        for (int row = 0; row < m; row++)
            for (int column = 0; column < n; column++) {
                const int place = layout == wmma::mem_row_major ? row * stride + column : column * stride + row;
                double sum = double(float(c[place]));
                for (int i = 0; i < k; i++)
                    sum += double(float(a[at<LA>(row, i, stride)])) * double(float(b[at<LB>(i, column, stride)]));
                wrong += double(float(d[place])) != 2 * sum;
            }
    }
    return wrong;
}

template <class AB, class C, class M, int m = 16, int n = 16, int k = 16> static void try_matrices(const char *name, bool is_signed = true)
{
    using row = wmma::row_major;
    using column = wmma::col_major;
    const int wrong = differences<m, n, k, AB, row, row, C, M>(is_signed) + differences<m, n, k, AB, row, column, C, M>(is_signed) +
                      differences<m, n, k, AB, column, row, C, M>(is_signed) + differences<m, n, k, AB, column, column, C, M>(is_signed);
    std::printf("%s %s\n", name, wrong ? "wrong" : "right");
}

namespace small = wmma::experimental;
template <class T, int k>
__global__ void multiply_small(const unsigned *a, const unsigned *b, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, k, int> fc;
    wmma::fill_fragment(fc, 1000);
    wmma::load_matrix_sync(fa, a, k);
    wmma::load_matrix_sync(fb, b, k);
    if constexpr (std::is_same<T, small::precision::b1>::value)
        wmma::bmma_sync(fc, fa, fb, fc, small::bmmaBitOpAND);
    else
        wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
template <class T, int k, int bits> static void try_small(const char *name, bool is_signed)
{
    unsigned *a = memory<unsigned>(8 * k), *b = memory<unsigned>(8 * k);
    int *d = memory<int>(64), wrong = 0;
    for (int i = 0; i < 8 * k * bits / 32; i++) {
        a[i] = 2654435761u * (i + 1);
        b[i] = 2246822519u * (i + 7);
    }
    multiply_small<T, k><<<1, 32>>>(a, b, d);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    const auto number = [&](const unsigned *of, int i) {
        const int value = of[i * bits / 32] >> i * bits % 32 & ((1 << bits) - 1);
        return is_signed && value >> (bits - 1) ? value - (1 << bits) : value;
    };
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++) {
            int sum = 1000;
            for (int i = 0; i < k; i++)
                sum += number(a, row * k + i) * number(b, column * k + i);
            wrong += d[8 * row + column] != sum;
        }
    std::printf("%s %s\n", name, wrong ? "wrong" : "right");
}

__global__ void saturate(float *out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(a, half(1.0f));
    wmma::fill_fragment(b, half(2.0f));
    wmma::fill_fragment(c, 0);
    wmma::fill_fragment(c, __uint_as_float(0x7f800000));
    wmma::mma_sync(c, a, b, c, true);
    wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
    out[256] = wmma::__float_to_tf32(__uint_as_float(0x3f801000));
}

static int all_matrices()
{
    try_matrices<half, float, half>("half");
    try_matrices<half, half, half, 32, 8>("half-narrow");
    try_matrices<half, float, half, 8, 32>("half-wide");
    try_matrices<__nv_bfloat16, float, __nv_bfloat16>("bfloat");
    try_matrices<__nv_bfloat16, float, __nv_bfloat16, 8, 32>("bfloat-wide");
    try_matrices<signed char, int, signed char>("signed");
    try_matrices<unsigned char, int, unsigned char, 32, 8>("unsigned-narrow", false);
    try_matrices<signed char, int, signed char, 8, 32>("signed-wide");
    try_matrices<wmma::precision::tf32, float, float, 16, 16, 8>("tf32");
    try_matrices<double, double, double, 8, 8, 4>("double");
    try_small<small::precision::s4, 32, 4>("s4", true);
    try_small<small::precision::u4, 32, 4>("u4", false);
    try_small<small::precision::b1, 128, 1>("b1", false);
    float *out = memory<float>(257);
    saturate<<<1, 32>>>(out);
    std::printf("%s %d %a %a\n", "finite", cudaDeviceSynchronize(), out[0], out[256]);
    return 0;
}

// ---- random numbers ----

struct start {
    unsigned long long seed, subsequence, offset;
};

template <class State> static __device__ void fill(start from, double *out)
{
    State s;
    curand_init(from.seed, from.subsequence, from.offset, &s);
    for (int i = 0; i < 8; i++)
        *out++ = curand(&s);
    *out++ = curand_uniform(&s);
    *out++ = curand_uniform_double(&s);
    for (int i = 0; i < 2; i++)
        *out++ = curand_normal(&s);
    for (int i = 0; i < 2; i++)
        *out++ = curand_normal_double(&s);
    *out++ = curand_log_normal(&s, 0.5f, 0.25f);
    skipahead(1000, &s);
    *out++ = curand(&s);
    skipahead_sequence(3, &s);
    *out++ = curand(&s);
}
__global__ void numbers(const start *from, double *out)
{
    const int i = threadIdx.x;
    fill<curandState>(from[i], out + i * 51);
    fill<curandStatePhilox4_32_10_t>(from[i], out + i * 51 + 17);
    fill<curandStateMRG32k3a_t>(from[i], out + i * 51 + 34);
}
__global__ void marsaglia(unsigned *out)
{
    curandState s = {};
    const unsigned first[5] = {123456789, 362436069, 521288629, 88675123, 5783321};
    memcpy(s.v, first, sizeof first);
    s.d = 6615241;
    for (int i = 0; i < 5; i++)
        out[i] = curand(&s);
    curandStatePhilox4_32_10_t p;
    curand_init(0x299f31d0a4093822, 0x0370734413198a2e, 0, &p);
    p.ctr = make_uint4(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344);
    skipahead(0, &p);
    const uint4 four = curand4(&p);
    out[5] = four.x, out[6] = four.y, out[7] = four.z, out[8] = four.w;
}

int main(int count, char **word)
{
    if (count == 1)
        return all_matrices();
    const int starts = (count - 1) / 3;
    start *from = memory<start>(starts);
    double *out = memory<double>(51 * starts);
    unsigned *published = memory<unsigned>(9);
    for (int i = 0; i < starts; i++)
        from[i] = {std::strtoull(word[1 + 3 * i], 0, 0), std::strtoull(word[2 + 3 * i], 0, 0), std::strtoull(word[3 + 3 * i], 0, 0)};
    numbers<<<1, starts>>>(from, out);
    marsaglia<<<1, 1>>>(published);
    if (cudaDeviceSynchronize())
        return 1;
    for (int i = 0; i < 51 * starts; i++)
        std::printf("%.17g\n", out[i]);
    for (int i = 0; i < 9; i++)
        std::printf("%u\n", published[i]);
}
