/* A program for the console's tests: session [WORD…]. It launches two kernels in turn, three times, and prints what they store.
 * WORD: "status=N" ends it with N, "loop" has a kernel that runs until it is ended, "fault" one whose lane 5 of group 1 stores
 * to nowhere, "both" has a kernel on two GPUs at once, of which the second stores to nowhere, "name" prints the environment variable SESSION, "input" prints its standard input, "host" uses no GPU,
 * "abort" ends it by a signal, "free" frees its memory at its end, "spread" frees memory
 * of which each second page has something. */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int first;
    float second;
};

static __device__ int table[4] = {3, 1, 4, 1};

__device__ __attribute__((noinline)) int weigh(int value, const pair *p)
{
    int sum = value * p->first; /* weigh */
    for (int i = 0; i < 4; i++)
        sum += table[i];
    return sum; /* weighed */
}

__global__ void fill(int *out, int round)
{
    __shared__ int tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of fill */
    pair mine = {round, i * 0.5f};
    tile[threadIdx.x] = i * 10;
    __syncthreads();
    out[i] = weigh(tile[63 - threadIdx.x], &mine); /* store */
}

__global__ void twice(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of twice */
    if (threadIdx.x & 1)
        out[i] *= 2; /* odd */
}

__global__ void spin(volatile int *out)
{
    while (!out[0]) /* spin */
        out[1]++;
}

__global__ void stray(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *where = i == 69 ? (int *)0x123456000 : out + i;
    *where = i; /* fault */
}

__global__ void both(int *come, int device)
{
    atomicAdd_system(come, 1);
    while (*(volatile int *)come < 2)
        ;
    if (device == 0)
        come[1] = 1; /* of the first GPU */
    else
        *(int *)0x123456000 = 1; /* of the second GPU */
}

__global__ void spread(int *pages)
{
    pages[(blockIdx.x * blockDim.x + threadIdx.x) * 2048] = blockIdx.x + 1;
}

int main(int argc, char **argv)
{
    const int n = 128;
    int host[n], *out, status = 0;
    for (int i = 1; i < argc; i++) {
        char text[100];
        if (strncmp(argv[i], "status=", 7) == 0)
            status = atoi(argv[i] + 7);
        else if (strcmp(argv[i], "name") == 0)
            printf("SESSION is %s\n", getenv("SESSION") ? getenv("SESSION") : "not set");
        else if (strcmp(argv[i], "input") == 0)
            printf("input is %s\n", fgets(text, sizeof text, stdin) ? text : "empty");
        else if (strcmp(argv[i], "host") == 0)
            return 3;
        else if (strncmp(argv[i], "say ", 4) == 0)
            puts(argv[i] + 4);
    }
    if (hipMalloc(&out, n * sizeof *out) != hipSuccess || hipMemset(out, 0, n * sizeof *out) != hipSuccess)
        return 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "loop") == 0) {
            puts("spinning");
            fflush(stdout);
            spin<<<1, 64>>>(out);
        }
        else if (strcmp(argv[i], "fault") == 0)
            stray<<<2, 64>>>(out);
        else if (strcmp(argv[i], "both") == 0) {
            int *come;
            if (hipHostMalloc(&come, 2 * sizeof *come, hipHostMallocCoherent | hipHostMallocPortable) != hipSuccess)
                return 1;
            come[0] = 0;
            for (int device = 1; device >= 0; device--)
                if (hipSetDevice(device) != hipSuccess)
                    return 1;
                else
                    both<<<1, 1>>>(come, device);
            if (hipSetDevice(1) != hipSuccess || hipDeviceSynchronize() != hipSuccess) /* the program does not end before its mistake */
                return 1;
        }
        else if (strcmp(argv[i], "abort") == 0)
            abort();
    }
    for (int round = 0; round < 3; round++) {
        fill<<<2, 64>>>(out, round);
        twice<<<2, 64>>>(out);
        if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost) != hipSuccess)
            return 1;
        printf("round %d: %d %d %d\n", round, host[0], host[1], host[127]);
        fflush(stdout);
    }
    for (int i = 1; i < argc; i++) {
        int *pages;
        if (strcmp(argv[i], "free") == 0 && hipFree(out) != hipSuccess)
            return 1;
        if (strcmp(argv[i], "spread") == 0) {
            if (hipMalloc(&pages, 64 << 20) != hipSuccess)
                return 1;
            spread<<<128, 64>>>(pages);
            if (hipFree(pages) != hipSuccess)
                return 1;
        }
    }
    return status;
}
