/* A program for tests of time travel within its kernels: recording WORD. What it prints says whether all results are right.
 * sums: two kernels in turn, the second one's result from the first one's. talk: waves print, add to a counter in host memory,
 * and wait for a thread of the host, which adds to the same counter, and answers. streams: three streams with kernels and
 * copies beside each other, while a thread allocates memory. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <thread>

constexpr int N = 512;

__global__ void scale(int *out, const int *in, int n)
{
    __shared__ int tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of scale */
    int sum = 0;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        sum += tile[(threadIdx.x + k) % 64] * (k + 1);
        out[i] = sum; /* scaled */
    }
    if (i >= n)
        out[0] = -1;
}

__global__ void flip(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of flip */
    const int mine = out[i], other = out[i ^ 1];
    __syncthreads();
    out[i] = mine - other; /* flipped */
}

__global__ void talk(int *out, volatile int *flag, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of talk */
    if (threadIdx.x < 2)
        printf("group %d lane %d says %d\n", (int)blockIdx.x, (int)threadIdx.x, i * 3);
    out[i] = i; /* stored */
    atomicAdd_system(count, 1);
    __threadfence_system();
    while (!*flag) /* wait */
        ;
    out[i] += *flag; /* answered */
}

__global__ void churn(int *out, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = out[i];
    for (int k = 0; k < rounds; k++)
        value = value * 3 + k;
    out[i] = value; /* churned */
}

static int expected_scale(const int *in, int i)
{
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += in[i / 64 * 64 + (i % 64 + k) % 64] * (k + 1);
    return sum;
}

static int sums()
{
    int in[N], host[N], *device, *out, wrong = 0;
    for (int i = 0; i < N; i++)
        in[i] = i * i % 1009;
    if (hipMalloc(&device, sizeof in) || hipMalloc(&out, sizeof in) || hipMemcpy(device, in, sizeof in, hipMemcpyHostToDevice))
        return 1;
    scale<<<N / 64, 64>>>(out, device, N);
    flip<<<N / 64, 64>>>(out);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < N; i++)
        wrong += host[i] != expected_scale(in, i) - expected_scale(in, i ^ 1);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

static int talk()
{
    int host[256], *out, *shared, wrong = 0;
    if (hipMalloc(&out, sizeof host) || hipHostMalloc(&shared, 4096, hipHostMallocCoherent))
        return 1;
    memset(shared, 0, 4096);
    std::thread other([=] {
        int rounds = 0;
        while (__atomic_load_n(&shared[16], __ATOMIC_SEQ_CST) - 1000 * rounds < 256)
            if (rounds < 100) { /* as waves add to it, too */
                __atomic_fetch_add(&shared[16], 1000, __ATOMIC_SEQ_CST);
                rounds++;
                std::this_thread::yield();
            }
        shared[32] = rounds;
        __atomic_store_n(&shared[0], 5, __ATOMIC_SEQ_CST);
    });
    talk<<<4, 64>>>(out, shared, shared + 16);
    if (hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost))
        return 1;
    other.join();
    for (int i = 0; i < 256; i++)
        wrong += host[i] != i + 5;
    printf("%d wrong, counted %d\n", wrong, shared[16] - 1000 * shared[32]);
    return wrong != 0;
}

static int streams()
{
    enum { STREAMS = 3, ROUNDS = 4 };
    static int in[STREAMS][N], host[STREAMS][N];
    int *out[STREAMS], wrong = 0;
    bool end = false;
    hipStream_t stream[STREAMS];
    /* Two threads whose first calls come together crash in HIP 5.2.3's own code, without a debugger, too. */
    if (hipFree(nullptr))
        return 1;
    std::thread other([&] {
        void *memory[64];
        for (int i = 0; i < 64 && !__atomic_load_n(&end, __ATOMIC_SEQ_CST); i++)
            if (hipMalloc(&memory[i], 65536))
                puts("no memory");
    });
    for (int s = 0; s < STREAMS; s++) {
        if (hipStreamCreate(&stream[s]) || hipMalloc(&out[s], sizeof in[s]))
            return 1;
        for (int i = 0; i < N; i++)
            in[s][i] = s * N + i;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int s = 0; s < STREAMS; s++) {
            if (hipMemcpyAsync(out[s], in[s], sizeof in[s], hipMemcpyHostToDevice, stream[s]))
                return 1;
            churn<<<N / 64, 64, 0, stream[s]>>>(out[s], 20 + 50 * s);
            if (hipMemcpyAsync(host[s], out[s], sizeof host[s], hipMemcpyDeviceToHost, stream[s]))
                return 1;
        }
    if (hipDeviceSynchronize())
        return 1;
    __atomic_store_n(&end, true, __ATOMIC_SEQ_CST);
    other.join();
    for (int s = 0; s < STREAMS; s++)
        for (int i = 0; i < N; i++) {
            unsigned value = in[s][i];
            for (int k = 0; k < 20 + 50 * s; k++)
                value = value * 3 + k;
            wrong += host[s][i] != (int)value;
        }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    return strcmp(word, "sums") == 0 ? sums() : strcmp(word, "talk") == 0 ? talk() : strcmp(word, "streams") == 0 ? streams() : 2;
}
