// Adds two vectors; says what the GPU is called.
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <vector>

__global__ void vecadd(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

int main()
{
    const int n = 100000;
    std::vector<float> a(n), b(n), sum(n);
    float *d_a, *d_b, *d_sum;
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess) {
        fprintf(stderr, "there is no GPU\n");
        return 1;
    }
    printf("%s (%s), %d compute units\n", properties.name, properties.gcnArchName,
           properties.multiProcessorCount);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    hipMalloc(&d_a, n * sizeof(float));
    hipMalloc(&d_b, n * sizeof(float));
    hipMalloc(&d_sum, n * sizeof(float));
    hipMemcpy(d_a, a.data(), n * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(d_b, b.data(), n * sizeof(float), hipMemcpyHostToDevice);
    vecadd<<<(n + 255) / 256, 256>>>(d_a, d_b, d_sum, n);
    hipMemcpy(sum.data(), d_sum, n * sizeof(float), hipMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += sum[i] != 3.0f * i;
    printf("%d of %d sums are wrong\n", wrong, n);
    return wrong != 0;
}
