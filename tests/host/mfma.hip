// Products of matrices by V_MFMA_F32_32X32X1F32 and V_MFMA_F32_16X16X16F16, compared with the host's.
#include <cmath>
#include <cstdio>
#include <cstring>

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

typedef float many __attribute__((ext_vector_type(32)));
typedef float four __attribute__((ext_vector_type(4)));
typedef _Float16 halves __attribute__((ext_vector_type(4)));

enum { SIDE = 32, DEPTH = 24, SMALL = 16 };

// Two blocks: rows 0 to 31 and 32 to 63 of A by the same B's columns of each block.
__global__ void multiply(const float *a, const float *b, float *c)
{
#if defined(__gfx908__) || defined(__gfx90a__)
    const int lane = threadIdx.x;
    many sum = {0};
    for (int k = 0; k < DEPTH; k++)
        sum = __builtin_amdgcn_mfma_f32_32x32x1f32(a[k * 64 + lane], b[k * 64 + lane], sum, 0, 0, 0); // product
    for (int i = 0; i < 32; i++) {
        const int block = i / 16, row = 8 * (i / 4 % 4) + 4 * (lane / 32) + i % 4;
        c[(block * SIDE + row) * SIDE + lane % 32] = sum[i]; // result
    }
#endif
}

__global__ void halve(const _Float16 *a, const _Float16 *b, float *c)
{
#if defined(__gfx908__) || defined(__gfx90a__)
    const int lane = threadIdx.x;
    halves x, y;
    for (int k = 0; k < 4; k++) {
        x[k] = a[lane % 16 * SMALL + lane / 16 * 4 + k];
        y[k] = b[(lane / 16 * 4 + k) * SMALL + lane % 16];
    }
    four sum = {1, 2, 3, 4};
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, sum, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        c[(4 * (lane / 16) + i) * SMALL + lane % 16] = sum[i];
#endif
}

static int singles()
{
    float *a, *b, *c;
    hipMallocManaged(&a, sizeof(float) * 64 * DEPTH);
    hipMallocManaged(&b, sizeof(float) * 64 * DEPTH);
    hipMallocManaged(&c, sizeof(float) * 2 * SIDE * SIDE);
    for (int i = 0; i < 64 * DEPTH; i++)
        a[i] = (i * 37 % 101 - 50) / 7.0f, b[i] = (i * 53 % 89 - 44) / 3.0f;
    hipLaunchKernelGGL(multiply, dim3(1), dim3(64), 0, 0, a, b, c);
    if (hipDeviceSynchronize() != hipSuccess)
        return -1;
    int wrong = 0;
    for (int block = 0; block < 2; block++)
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++) {
                float sum = 0;
                for (int k = 0; k < DEPTH; k++)
                    sum = fmaf(a[k * 64 + block * SIDE + row], b[k * 64 + block * SIDE + column], sum);
                wrong += sum != c[(block * SIDE + row) * SIDE + column];
            }
    hipFree(a), hipFree(b), hipFree(c);
    return wrong;
}

static int of_halves()
{
    _Float16 *a, *b;
    float *c;
    hipMallocManaged(&a, 2 * SMALL * SMALL);
    hipMallocManaged(&b, 2 * SMALL * SMALL);
    hipMallocManaged(&c, sizeof(float) * SMALL * SMALL);
    for (int i = 0; i < SMALL * SMALL; i++)
        a[i] = (_Float16)(i % 7 - 3), b[i] = (_Float16)(i % 5 - 2);
    hipLaunchKernelGGL(halve, dim3(1), dim3(64), 0, 0, a, b, c);
    if (hipDeviceSynchronize() != hipSuccess)
        return -1;
    int wrong = 0;
    for (int row = 0; row < SMALL; row++)
        for (int column = 0; column < SMALL; column++) {
            float sum = row % 4 + 1;
            for (int k = 0; k < SMALL; k++)
                sum += (float)a[row * SMALL + k] * (float)b[k * SMALL + column];
            wrong += sum != c[row * SMALL + column];
        }
    hipFree(a), hipFree(b), hipFree(c);
    return wrong;
}

int main()
{
    printf("singles: %d wrong\n", singles());
    printf("halves: %d wrong\n", of_halves());
    return 0;
}
