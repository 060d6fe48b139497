// Where a private variable lies: its address in the private aperture, and FLAT_SCRATCH, with which
// the hardware finds its place in memory (docs/hip.md works it out).
#include <hip/hip_runtime.h>
#include <stdio.h>

// Not inlined, so that flat instructions are used, and a place to stop at.
__device__ __noinline__ bool isPrivate(const __attribute__((address_space(0))) void *addr)
{
    return __builtin_amdgcn_is_private(addr);
}

__global__ void test(int *in, int *out)
{
    long long A = 0x12345678deadbeaf; // two elements of four bytes
    long long private_base;
    long long private_size;
    long long scratch;
    asm volatile("s_mov_b64 %0, src_private_base" : "=rr"(private_base));
    asm volatile("s_mov_b64 %0, src_private_limit" : "=rr"(private_size));
    asm volatile("s_mov_b64 %0, flat_scratch" : "=rr"(scratch));
    if (threadIdx.x == 0) {
        printf("private base %llx limit %llx flat scratch %llx\n", private_base, private_size,
               scratch);
        printf("&A is %p\n", &A);
    }
    *out = isPrivate((const __attribute__((address_space(0))) void *)&A);
}

int main()
{
    int *d_in, *d_out;
    hipMalloc((void **)&d_in, sizeof(int) * 10);
    hipMalloc((void **)&d_out, sizeof(int) * 10);
    test<<<1, 64>>>(d_in, d_out);
    int v;
    hipMemcpy(&v, d_out, sizeof(int), hipMemcpyDeviceToHost);
    printf("v is %d\n", v);
}
