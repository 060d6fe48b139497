// A kernel that stops where it divides by zero, instead of going on with infinity:
//   wavetrap exec build/examples/gcn/division
#include <hip/hip_runtime.h>
#include <stdio.h>

// The exceptions of MODE.EXCP_EN: bit 12 and on are invalid operation, denormal source, division by
// zero, overflow, underflow, inexact result, and integer division by zero.
#define DIVISION_BY_ZERO 14

__global__ void mean_speed(const float *metres, const float *seconds, float *speed)
{
    asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, %0, 1), 1" ::"n"(DIVISION_BY_ZERO) : "memory");
    int i = threadIdx.x;
    speed[i] = metres[i] / seconds[i];
}

int main()
{
    float *metres, *seconds, *speed;
    hipMallocManaged(&metres, 64 * sizeof *metres);
    hipMallocManaged(&seconds, 64 * sizeof *seconds);
    hipMallocManaged(&speed, 64 * sizeof *speed);
    for (int i = 0; i < 64; i++) {
        metres[i] = 10 * i;
        seconds[i] = i % 21; // 0 in lanes 21, 42 and 63; in lane 0, 0 / 0 is another exception
    }
    mean_speed<<<1, 64>>>(metres, seconds, speed);
    hipDeviceSynchronize();
    printf("lane 1: %g metres a second\n", speed[1]); // it does not come here
}
