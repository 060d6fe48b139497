// FLAT_SCRATCH of ten waves: how far apart their private memory lies.
#include <hip/hip_runtime.h>

// Not inlined, so that flat instructions are used, and the kernel sets FLAT_SCRATCH up for them.
__device__ __noinline__ void foo(void *x)
{
    int y = *(int *)x;
    printf("y is %d\n", y);
}

__global__ void test(int *in, int *out)
{
    foo(in);
    int buf[1000]; // a large private variable
    for (int i = 0; i < 1000; i++)
        buf[i] = in[i] * in[i] + out[i];
    for (int i = 0; i < 10; i++)
        out[i] = buf[i] + buf[i];
    long long flat_scratch;
    asm volatile("s_mov_b64 %0, flat_scratch" : "=rr"(flat_scratch));
    if (__lane_id() == 0) {
        printf("wave %d flat_scratch is 0x%llx\n", threadIdx.x / 64, flat_scratch);
    }
}

int main()
{
    int array[1000] = {0};
    int *d_in, *d_out;
    hipMalloc((void **)&d_in, sizeof(int) * 1000);
    hipMalloc((void **)&d_out, sizeof(int) * 1000);
    hipMemcpy(d_in, array, sizeof(array), hipMemcpyHostToDevice);
    test<<<1, 640>>>(d_in, d_out); // ten waves
    hipMemcpy(array, d_out, sizeof(array), hipMemcpyDeviceToHost);
}
