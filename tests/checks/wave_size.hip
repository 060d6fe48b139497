#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
__global__ void rotate(int *out, const int *in) { int v = in[threadIdx.x]; out[threadIdx.x] = __shfl(v, (threadIdx.x + 1) & (OTHER - 1)); }
__global__ void rotate_right(int *out, const int *in) { int v = in[threadIdx.x]; out[threadIdx.x] = __shfl(v, (threadIdx.x + 1) & (warpSize - 1)); }
__global__ void rotate_within(int *out, const int *in) { int v = in[threadIdx.x]; out[threadIdx.x] = __shfl(v, (threadIdx.x + 1) & 31, 32); }
__global__ void bit(int *out, const int *in) { unsigned long long m = __ballot(in[threadIdx.x] & 1); out[threadIdx.x] = (int)(m >> (threadIdx.x & (OTHER - 1)) & 1); }
__global__ void bit_right(int *out, const int *in) { unsigned long long m = __ballot(in[threadIdx.x] & 1); out[threadIdx.x] = (int)(m >> (threadIdx.x & (warpSize - 1)) & 1); }
__global__ void below(int *out, const int *in) { unsigned m = (unsigned)__ballot(in[threadIdx.x] & 1); out[threadIdx.x] = __popc(m & ((1ull << (threadIdx.x & (OTHER - 1))) - 1)); }
__global__ void leader(int *out, const int *in) { int n = __popcll(__ballot(in[threadIdx.x] & 1)); if ((threadIdx.x & (OTHER - 1)) == 0) atomicAdd(out, n); }
__global__ void leader_right(int *out, const int *in) { int n = __popcll(__ballot(in[threadIdx.x] & 1)); if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, n); }
__global__ void sum(int *out, const int *in) { __shared__ int part[8]; int v = in[threadIdx.x]; for (int o = OTHER / 2; o; o /= 2) v += __shfl_down(v, o); if (threadIdx.x % OTHER == 0) part[threadIdx.x / OTHER] = v; __syncthreads(); if (threadIdx.x < 128 / OTHER) out[threadIdx.x] = part[threadIdx.x]; }
__global__ void sum_right(int *out, const int *in) { __shared__ int part[8]; int v = in[threadIdx.x]; for (int o = warpSize / 2; o; o /= 2) v += __shfl_down(v, o); if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v; __syncthreads(); if (threadIdx.x < 128 / warpSize) out[threadIdx.x] = part[threadIdx.x]; }
__global__ void sum_within(int *out, const int *in) { __shared__ int part[8]; int v = in[threadIdx.x]; for (int o = 16; o; o /= 2) v += __shfl_down(v, o, 32); if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; __syncthreads(); if (threadIdx.x < 4) out[threadIdx.x] = part[threadIdx.x]; }
__global__ void tile(int *out, const int *in) { __shared__ int t[4][33]; t[threadIdx.x / 32][threadIdx.x & 31] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = t[threadIdx.x & 3][threadIdx.x / 4]; }
int main(int, char **argv)
{
    int *in, *out, here[128];
    for (int i = 0; i < 128; i++) here[i] = i * 7 % 31;
    hipMalloc(&in, sizeof here); hipMalloc(&out, sizeof here);
    hipMemcpy(in, here, sizeof here, hipMemcpyHostToDevice);
    hipMemset(out, 0, sizeof here);
    rotate<<<1, 128>>>(out, in); rotate_right<<<1, 128>>>(out, in); rotate_within<<<1, 128>>>(out, in);
    bit<<<1, 128>>>(out, in); bit_right<<<1, 128>>>(out, in); below<<<1, 128>>>(out, in);
    leader<<<1, 128>>>(out, in); leader_right<<<1, 128>>>(out, in);
    sum<<<1, 128>>>(out, in); sum_right<<<1, 128>>>(out, in); sum_within<<<1, 128>>>(out, in); tile<<<1, 128>>>(out, in);
    hipDeviceSynchronize();
    hipFree(in); hipFree(out);
}
