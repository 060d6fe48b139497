// Kernels that last long enough to be dealt out to processes (`-g FAMILY:processes=N`), for CUDA C++ and HIP. Each part compares
// what a kernel leaves with what the host computes: "PART right" or "PART wrong".
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define gpu(call) hip##call
#else
#define gpu(call) cuda##call
#endif

typedef unsigned u32;

static __host__ __device__ u32 stir(u32 x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + i;
    return x;
}

__global__ void words(u32 *out, int rounds)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = stir(i, rounds);
}

// Blocks of a page of `out`, in which each thread has a byte.
__global__ void bytes(unsigned char *out, int rounds)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned char)stir(i, rounds);
}

// Later blocks take longer.
__global__ void uneven(u32 *out, int rounds)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = stir(i, rounds * (int)(blockIdx.x + 1) / 16);
}

// Threads of a block exchange their numbers, with two barriers each time.
enum { TURNS = 32 };

__global__ void turned(u32 *out, int rounds)
{
    __shared__ u32 part[128];
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x = out[i];
    for (int k = 0; k < TURNS; k++) {
        part[threadIdx.x] = x;
        __syncthreads();
        x = stir(part[(threadIdx.x + 1) % 128], rounds / TURNS * (1 + threadIdx.x / 64));
        __syncthreads();
    }
    out[i] = x;
}

// out[0] counts threads, and each has its number from it.
__global__ void tickets(u32 *out, int rounds)
{
    const u32 mine = atomicAdd(out, stir(threadIdx.x, rounds) ? 1 : 2); // no thread has 0
    out[1 + mine] = mine;
}

// The last thread says so.
__global__ void prints(u32 *out, int rounds)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = stir(i, rounds);
    if (i == gridDim.x * blockDim.x - 1)
        printf("the last thread has %u\n", out[i]);
}

// The last block waits for one in the middle.
__global__ void waits(volatile u32 *out, int rounds)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 value = stir(i, rounds);
    if (blockIdx.x == gridDim.x * 9 / 20)
        out[gridDim.x * blockDim.x] = 1;
    else if (blockIdx.x == gridDim.x - 1)
        while (!out[gridDim.x * blockDim.x])
            ;
    out[i] = value;
}

// The last block stores where nothing is.
__global__ void fails(u32 *out, int rounds)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 value = stir(i, rounds);
    *(blockIdx.x == gridDim.x - 1 ? (u32 *)16 : out + i) = value;
}

static bool good(const char *part, const std::vector<u32> &out, u32 n, u32 group, int rounds)
{
    bool all = true;
    if (!strcmp(part, "tickets")) {
        std::vector<bool> seen(n);
        for (u32 i = 0; i < n; i++)
            all &= out[1 + i] == i;
        return all && out[0] == n;
    }
    std::vector<u32> turns(n), before(n);
    for (u32 i = 0; i < n; i++)
        turns[i] = i;
    for (int k = 0; k < TURNS && !strcmp(part, "turned"); k++) {
        before = turns;
        for (u32 i = 0; i < n; i++)
            turns[i] = stir(before[i / group * group + (i + 1) % group], rounds / TURNS * (1 + (int)(i % group / 64)));
    }
    for (u32 i = 0; i < n; i++) {
        u32 is = out[i], must = stir(i, rounds);
        if (!strcmp(part, "bytes"))
            is = ((const unsigned char *)out.data())[i], must &= 255;
        else if (!strcmp(part, "uneven"))
            must = stir(i, rounds * (int)(i / group + 1) / 16);
        else if (!strcmp(part, "turned"))
            must = turns[i];
        all &= is == must;
    }
    return all;
}

int main(int argc, char **argv)
{
    const char *part = argv[1];
    const u32 groups = (u32)atoi(argv[2]), group = 128, n = groups * group;
    const int rounds = atoi(argv[3]);
    std::vector<u32> out(n + 64);
    u32 *at;
    for (u32 i = 0; i < n; i++)
        out[i] = strcmp(part, "turned") ? 0 : i;
    if (gpu(Malloc)((void **)&at, out.size() * 4) || gpu(Memcpy)(at, out.data(), out.size() * 4, gpu(MemcpyHostToDevice)))
        return 2;
    if (!strcmp(part, "words"))
        words<<<groups, group>>>(at, rounds);
    else if (!strcmp(part, "bytes"))
        bytes<<<groups, group>>>((unsigned char *)at, rounds);
    else if (!strcmp(part, "uneven"))
        uneven<<<groups, group>>>(at, rounds);
    else if (!strcmp(part, "turned"))
        turned<<<groups, group>>>(at, rounds);
    else if (!strcmp(part, "tickets"))
        tickets<<<groups, group>>>(at, rounds);
    else if (!strcmp(part, "prints"))
        prints<<<groups, group>>>(at, rounds);
    else if (!strcmp(part, "waits"))
        waits<<<groups, group>>>(at, rounds);
    else
        fails<<<groups, group>>>(at, rounds);
    const int result = gpu(Memcpy)(out.data(), at, out.size() * 4, gpu(MemcpyDeviceToHost));
    if (result)
        printf("the kernel failed\n");
    else
        printf("%s %s\n", part, good(part, out, n, group, rounds) ? "right" : "wrong");
    return 0;
}
