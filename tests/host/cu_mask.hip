/* How many compute units the groups of a stream have run on that may have four of them, above number 64. */
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void where(unsigned *out)
{
    unsigned id;
    asm volatile("s_getreg_b32 %0, hwreg(HW_REG_HW_ID)" : "=s"(id));
    if (!threadIdx.x)
        out[blockIdx.x] = id >> 8 & 0xff; /* CU, SH and SE */
}

int main()
{
    const uint32_t mask[4] = {0, 0, 0xf0, 0};
    unsigned *out, seen[256] = {0}, units = 0;
    hipStream_t stream;
    if (hipMallocManaged(&out, 1000 * sizeof *out) || hipExtStreamCreateWithCUMask(&stream, 4, mask))
        return 1;
    where<<<1000, 64, 0, stream>>>(out);
    if (hipStreamSynchronize(stream))
        return 1;
    for (int i = 0; i < 1000; i++)
        units += !seen[out[i]]++;
    printf("%u compute units\n", units);
}
