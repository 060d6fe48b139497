// The mean of each value and its two neighbours, by way of LDS. It has a mistake: docs/hip-debug.md finds it.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <vector>

#define BLOCK 128

__global__ void blur(const int *in, int *out, int n)
{
    __shared__ int tile[BLOCK + 2];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x + 1;
    tile[t] = in[i];
    if (t == 1)
        tile[0] = i > 0 ? in[i - 1] : in[i];
    if (t == BLOCK)
        tile[t] = i + 1 < n ? in[i + 1] : in[i];
    __syncthreads();
    out[i] = (tile[t - 1] + tile[t] + tile[t + 1]) / 3;
}

int main()
{
    const int n = 1024;
    std::vector<int> in(n), out(n);
    int *d_in, *d_out, wrong = 0, first = -1;
    for (int i = 0; i < n; i++)
        in[i] = 3 * i;
    if (hipMalloc(&d_in, n * sizeof(int)) != hipSuccess || hipMalloc(&d_out, n * sizeof(int)) != hipSuccess)
        return 2;
    hipMemcpy(d_in, in.data(), n * sizeof(int), hipMemcpyHostToDevice);
    blur<<<n / BLOCK, BLOCK>>>(d_in, d_out, n);
    hipMemcpy(out.data(), d_out, n * sizeof(int), hipMemcpyDeviceToHost);
    for (int i = 1; i < n - 1; i++)
        if (out[i] != 3 * i) {
            first = wrong++ ? first : i;
        }
    if (wrong)
        printf("%d values are wrong; the first is out[%d] = %d, not %d\n", wrong, first, out[first], 3 * first);
    return wrong != 0;
}
