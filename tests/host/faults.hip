// Mistakes of a kernel, one for each word that the program may be called with.
#include <assert.h>
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void store_nowhere(int *out)
{
    out[threadIdx.x] = 1; // nothing is mapped there
}

__global__ void load_nowhere(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x]; // nothing is mapped there
}

__global__ void past_the_end(int *out)
{
    out[threadIdx.x << 20] = 1; // only lane 0's place is in the buffer
}

__global__ void no_instruction(int *out)
{
    asm volatile(".long 0xbeff7fff"); // SOP1 has no such operation
    *out = 1;
}

__global__ void gives_up(int *out)
{
    if (threadIdx.x == 5)
        __builtin_trap(); // in lane 5 alone
    *out = 1;
}

__global__ void asserts(unsigned least)
{
    assert(threadIdx.x >= least); // fails in lanes 0 and 1
}

__global__ void breaks(int *out)
{
    __builtin_debugtrap(); // nobody debugs: nothing happens
    *out = 5;
}

__global__ void divides(int *out)
{
    asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 14, 1), 1"); // EXCP_EN: division by zero
    out[threadIdx.x] = (int)(1.0f / (float)((int)threadIdx.x % 64 - 5)); // in lane 5 of two waves
}

__global__ void overflows(int *out, int n)
{
    volatile int own[16];
    for (int i = 0; i < n; i++)
        own[i << 16] = i; // far beyond its 16 elements
    out[threadIdx.x] = own[0];
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
    out[threadIdx.x] = 1;
}

int main(int argc, char **argv)
{
    int *buffer, value = 0;
    const char *what = argc > 1 ? argv[1] : "";
    if (hipMalloc(&buffer, 4096))
        return 2;
    if (!strcmp(what, "store"))
        store_nowhere<<<1, 64>>>((int *)0x123456000);
    else if (!strcmp(what, "load"))
        load_nowhere<<<1, 64>>>((int *)0x123456000, buffer);
    else if (!strcmp(what, "end"))
        past_the_end<<<1, 64>>>(buffer);
    else if (!strcmp(what, "illegal"))
        no_instruction<<<1, 64>>>(buffer);
    else if (!strcmp(what, "divide"))
        divides<<<1, 128>>>(buffer);
    else if (!strcmp(what, "trap"))
        gives_up<<<1, 64>>>(buffer);
    else if (!strcmp(what, "assert"))
        asserts<<<1, 64>>>(2);
    else if (!strcmp(what, "debugtrap"))
        breaks<<<1, 64>>>(buffer);
    else if (!strcmp(what, "page"))
        store_nowhere<<<1, 64>>>(buffer + 1024); // it has so many
    else if (!strcmp(what, "null"))
        store_nowhere<<<1, 64>>>(nullptr);
    else if (!strcmp(what, "host"))
        store_nowhere<<<1, 64>>>(new int[64]);
    else if (!strcmp(what, "registered")) {
        static int words[64];
        if (hipHostRegister(words, sizeof words, 0))
            return 4;
        store_nowhere<<<1, 64>>>(words);
    } else if (!strcmp(what, "peer")) {
        int *other;
        if (hipSetDevice(1) || hipMalloc(&other, 4096) || hipSetDevice(0))
            return 4;
        store_nowhere<<<1, 64>>>(other);
    } else if (!strcmp(what, "behind")) {
        int *big;
        if (hipMalloc(&big, 4 << 20))
            return 4;
        store_nowhere<<<1, 64>>>(big + (1 << 20) + 5);
    } else if (!strcmp(what, "far")) {
        int *block;
        if (hipMalloc(&block, 4 << 20))
            return 4;
        store_nowhere<<<1, 64>>>(block + (250 << 20));
    } else if (!strcmp(what, "reserved")) { // where the runtime maps private memory: the largest piece
        // Below lies AddressSanitizer's shadow, which is larger.
        const unsigned long lowest = 1UL << 45;
        unsigned long first, end, middle = 0, size = 0;
        char line[1000], access[5];
        FILE *maps = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, maps))
            if (sscanf(line, "%lx-%lx %4s", &first, &end, access) == 3 && !strchr(line, '/') && access[1] == 'w' && first > lowest && end - first > size) {
                size = end - first;
                middle = first + size / 2 & ~0xfff;
            }
        fclose(maps);
        overflows<<<1, 64>>>(buffer, 1);
        store_nowhere<<<1, 64>>>((int *)middle);
    } else if (!strcmp(what, "small")) {
        int *small;
        if (hipMalloc(&small, 400)) // in a block of 2 MiB, as its last allocation
            return 4;
        store_nowhere<<<1, 64>>>((int *)(((uintptr_t)small | 0x1fffff) + 1));
    } else if (!strcmp(what, "freed")) {
        int *gone;
        if (hipMalloc(&gone, 5 << 20) || hipFree(gone))
            return 4;
        store_nowhere<<<1, 64>>>(gone + 1000);
    } else if (!strcmp(what, "libc"))
        store_nowhere<<<1, 64>>>((int *)stdout);
    else if (!strcmp(what, "stack"))
        store_nowhere<<<1, 64>>>(&value);
    else if (!strcmp(what, "private"))
        overflows<<<1, 64>>>(buffer, 200);
    else if (!strcmp(what, "bounds"))
        bounded<<<1, dim3(16, 8)>>>(buffer);
    else if (!strcmp(what, "too many"))
        store_nowhere<<<1, 2048>>>(buffer);
    else
        return 2;
    if (hipMemcpy(&value, buffer, sizeof value, hipMemcpyDeviceToHost))
        return 3;
    printf("value %d\n", value);
}
