// Reverses 64 numbers through shared memory. It has a mistake, which docs/sm-tutorial.md finds.
#include <cstdio>

__global__ void reverse(int *out, const int *in)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    out[t] = tile[63 - t];
}

int main()
{
    int *in, *out, wrong = 0;
    cudaMallocManaged(&in, 64 * sizeof *in);
    cudaMallocManaged(&out, 64 * sizeof *out);
    for (int i = 0; i < 64; i++)
        in[i] = i + 1;
    reverse<<<1, 64>>>(out, in);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        wrong += out[i] != 64 - i;
    cudaFree(in);
    cudaFree(out);
    printf("%d of 64 are wrong\n", wrong);
    return wrong != 0;
}
