// Kernels for 64 lanes, on warps of 32; and their twins.
__global__ void rotate(int *p) { p[threadIdx.x] = __shfl_sync(~0u, threadIdx.x * 3, (threadIdx.x + 1) & 63); }
__global__ void leader(int *p, int *q) { int n = __shfl_down_sync(~0u, p[threadIdx.x], 16) + p[threadIdx.x]; if ((threadIdx.x & 63) == 0) q[threadIdx.x / 64] = n; }
__global__ void rotate_right(int *p) { p[threadIdx.x] = __shfl_sync(~0u, threadIdx.x * 3, (threadIdx.x + 1) & 31); }
__global__ void leader_right(int *p, int *q) { int n = __shfl_down_sync(~0u, p[threadIdx.x], 16) + p[threadIdx.x]; if ((threadIdx.x & 31) == 0) q[threadIdx.x / 32] = n; }
__global__ void tile(int *p) { __shared__ int t[64]; t[threadIdx.x & 63] = threadIdx.x; __syncthreads(); p[threadIdx.x] = t[(threadIdx.x + 1) & 63]; }
int main()
{
    int *p, *q;
    cudaMalloc(&p, 512), cudaMalloc(&q, 512), cudaMemset(p, 0, 512);
    rotate<<<1, 128>>>(p), leader<<<1, 128>>>(p, q), rotate_right<<<1, 128>>>(p), leader_right<<<1, 128>>>(p, q), tile<<<1, 64>>>(p);
    cudaFree(p), cudaFree(q);
}
