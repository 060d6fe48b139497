/*
 * A product of two matrices, SIDE by SIDE, by the matrix instructions of AMD's GPUs and by one loop of
 * the host:
 *   matrices KIND SIDE
 * prints a checksum and the CPU time of the process in seconds while the product was computed. KIND: f16, f32, i8, and
 * f64 where the GPU has it. Elements are small whole numbers, so that the order of sums does not matter.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

static double cpu_time()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int value(unsigned row, unsigned column)
{
    return (int)((row * 37 + column * 101) % 13) - 6;
}

#ifdef __HIP__
#include <hip/hip_runtime.h>

typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef int i32x16 __attribute__((ext_vector_type(16)));
typedef double f64x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));

/* A is by rows, B by columns: what a lane needs lies side by side, 16 bytes of which are loaded at once: k of PACK instructions, which they share in this order.
   A wave makes a tile of 64 by 64, as the host's loop does. PER: k of a lane, OF: k of an instruction, TILE: its rows and columns. */
template <class Word> struct alignas(16) Words {
    enum { PACK = 16 / sizeof(Word) };
    Word word[PACK];
};
#define KERNEL(name, Part, Sum, Word, PER, OF, TILE, multiply, row_of)                                        \
    __global__ void __launch_bounds__(64) name(const Part *a, const Part *b, decltype(Sum()[0] + 0) *c, int side) \
    {                                                                                                         \
        constexpr int N = 64 / TILE, PACK = Words<Word>::PACK;                                                \
        const int lane = threadIdx.x, left = blockIdx.x * 64, top = blockIdx.y * 64;                          \
        const int line = lane % TILE, first = lane / TILE * PER * PACK;                                       \
        Sum sum[N][N] = {};                                                                                   \
        for (int k = 0; k < side; k += OF * PACK) {                                                           \
            Words<Word> x[N], y[N];                                                                           \
            for (int t = 0; t < N; t++) {                                                                     \
                x[t] = *(const Words<Word> *)&a[(top + t * TILE + line) * side + k + first];                  \
                y[t] = *(const Words<Word> *)&b[(left + t * TILE + line) * side + k + first];                 \
            }                                                                                                 \
            for (int p = 0; p < PACK; p++)                                                                    \
                for (int t = 0; t < N * N; t++)                                                               \
                    sum[t / N][t % N] = multiply(x[t / N].word[p], y[t % N].word[p], sum[t / N][t % N], 0, 0, 0); \
        }                                                                                                     \
        for (int t = 0; t < N * N; t++)                                                                       \
            for (int i = 0; i < TILE * TILE / 64; i++)                                                        \
                c[(top + t / N * TILE + (row_of)) * side + left + t % N * TILE + line] = sum[t / N][t % N][i]; \
    }
#if defined(__gfx908__) || defined(__gfx90a__)
KERNEL(of_f16, _Float16, f32x16, f16x4, 4, 8, 32, __builtin_amdgcn_mfma_f32_32x32x8f16, 8 * (i / 4) + 4 * (lane / 32) + i % 4)
KERNEL(of_f32, float, f32x16, float, 1, 2, 32, __builtin_amdgcn_mfma_f32_32x32x2f32, 8 * (i / 4) + 4 * (lane / 32) + i % 4)
KERNEL(of_i8, int8_t, i32x16, int, 4, 8, 32, __builtin_amdgcn_mfma_i32_32x32x8i8, 8 * (i / 4) + 4 * (lane / 32) + i % 4)
#else
__global__ void of_f16(const _Float16 *, const _Float16 *, float *, int) {}
__global__ void of_f32(const float *, const float *, float *, int) {}
__global__ void of_i8(const int8_t *, const int8_t *, int *, int) {}
#endif
#ifdef __gfx90a__
KERNEL(of_f64, double, f64x4, double, 1, 4, 16, __builtin_amdgcn_mfma_f64_16x16x4f64, 4 * i + lane / 16)
#else
__global__ void of_f64(const double *, const double *, double *, int) {}
#endif

template <class Part, class Sum> static double multiply(void (*kernel)(const Part *, const Part *, Sum *, int), int side)
{
    const size_t all = (size_t)side * side;
    std::vector<Part> x(all), y(all);
    std::vector<Sum> z(all);
    Part *a, *b;
    Sum *c;
    for (size_t i = 0; i < all; i++)
        x[i] = (Part)value(i / side, i % side), y[i] = (Part)value(i % side + 7, i / side); /* B by columns */
    if (hipMalloc((void **)&a, all * sizeof(Part)) || hipMalloc((void **)&b, all * sizeof(Part)) || hipMalloc((void **)&c, all * sizeof(Sum)) ||
        hipMemcpy(a, x.data(), all * sizeof(Part), hipMemcpyHostToDevice) || hipMemcpy(b, y.data(), all * sizeof(Part), hipMemcpyHostToDevice))
        std::exit(1);
    const double begun = cpu_time();
    hipLaunchKernelGGL(kernel, dim3(side / 64, side / 64), dim3(64), 0, 0, a, b, c, side);
    if (hipDeviceSynchronize())
        std::exit(1);
    const double seconds = cpu_time() - begun;
    double sum = 0;
    if (hipMemcpy(z.data(), c, all * sizeof(Sum), hipMemcpyDeviceToHost))
        std::exit(1);
    for (size_t i = 0; i < all; i++)
        sum += (double)z[i] * (double)(i % 1009);
    std::printf("%.0f %f\n", sum, seconds);
    return seconds;
}

static void run(const char *kind, int side)
{
    if (!std::strcmp(kind, "f16"))
        multiply(of_f16, side);
    else if (!std::strcmp(kind, "f32"))
        multiply(of_f32, side);
    else if (!std::strcmp(kind, "i8"))
        multiply(of_i8, side);
    else
        multiply(of_f64, side);
}
#else
/* Halves have been widened to singles, bytes to integers of 32 bits. */
template <class T> static void multiply(int side)
{
    enum { TILE = 64 };
    const size_t all = (size_t)side * side;
    std::vector<T> x(all), y(all), z(all);
    for (size_t i = 0; i < all; i++)
        x[i] = (T)value(i / side, i % side), y[i] = (T)value(i / side + 7, i % side);
    const T *a = x.data(), *b = y.data();
    T *c = z.data();
    const double begun = cpu_time();
    for (int top = 0; top < side; top += TILE)
        for (int left = 0; left < side; left += TILE)
            for (int k0 = 0; k0 < side; k0 += TILE)
                for (int i = top; i < top + TILE; i++)
                    for (int k = k0; k < k0 + TILE; k++) {
                        const T p = a[i * side + k];
                        for (int j = left; j < left + TILE; j++)
                            c[i * side + j] += p * b[k * side + j];
                    }
    const double seconds = cpu_time() - begun;
    double sum = 0;
    for (size_t i = 0; i < all; i++)
        sum += (double)c[i] * (double)(i % 1009);
    std::printf("%.0f %f\n", sum, seconds);
}

static void run(const char *kind, int side)
{
    if (!std::strcmp(kind, "f64"))
        multiply<double>(side);
    else if (!std::strcmp(kind, "i8"))
        multiply<int>(side);
    else
        multiply<float>(side);
}
#endif

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    run(argv[1], std::atoi(argv[2]));
    return 0;
}
