/* A program for tests of time travel within its kernels: recording WORD. What it prints says whether all results are right.
 * sums: two kernels in turn, the second one's result from the first one's; with another word it frees their memory. talk: threads print, add to a counter in managed
 * memory, and wait for a thread of the host, which adds to the same counter, and answers. */
#include <cstdio>
#include <cstring>
#include <thread>

constexpr int N = 512;

__global__ void scale(int *out, const int *in, int n)
{
    __shared__ int tile[64];
    const int t = threadIdx.x; /* first line of scale */
    const int i = blockIdx.x * blockDim.x + t;
    int sum = 0;
    tile[t] = in[i];
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        sum += tile[(t + k) % 64] * (k + 1);
        out[i] = sum; /* scaled */
    }
    if (i >= n)
        out[0] = -1;
}

__global__ void flip(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of flip */
    const int mine = out[i];
    const int other = out[i ^ 1];
    __syncthreads();
    out[i] = mine - other; /* flipped */
}

__global__ void talk(int *out, volatile int *flag, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x; /* first line of talk */
    if (threadIdx.x < 2)
        printf("group %d lane %d says %d\n", (int)blockIdx.x, (int)threadIdx.x, i * 3);
    out[i] = i; /* stored */
    atomicAdd(count, 1);
    __threadfence_system();
    while (!*flag) /* wait */
        ;
    out[i] += *flag; /* answered */
}

static int expected_scale(const int *in, int i)
{
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += in[i / 64 * 64 + (i % 64 + k) % 64] * (k + 1);
    return sum;
}

static int sums(bool frees)
{
    int in[N], host[N], *device, *out, wrong = 0;
    for (int i = 0; i < N; i++)
        in[i] = i * i % 1009;
    if (cudaMalloc(&device, sizeof in) || cudaMalloc(&out, sizeof in) || cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice))
        return 1;
    scale<<<N / 64, 64>>>(out, device, N);
    flip<<<N / 64, 64>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost))
        return 1;
    for (int i = 0; i < N; i++)
        wrong += host[i] != expected_scale(in, i) - expected_scale(in, i ^ 1);
    if (frees && (cudaFree(device) || cudaFree(out)))
        return 1;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}

static int talk()
{
    int host[256], *out, *shared, wrong = 0;
    if (cudaMalloc(&out, sizeof host) || cudaMallocManaged(&shared, 4096))
        return 1;
    memset(shared, 0, 4096);
    std::thread other([=] {
        int rounds = 0;
        while (__atomic_load_n(&shared[16], __ATOMIC_SEQ_CST) - 1000 * rounds < 256)
            if (rounds < 100) { /* as the kernel's threads add to it, too */
                __atomic_fetch_add(&shared[16], 1000, __ATOMIC_SEQ_CST);
                rounds++;
                std::this_thread::yield();
            }
        shared[32] = rounds;
        __atomic_store_n(&shared[0], 5, __ATOMIC_SEQ_CST);
    });
    talk<<<4, 64>>>(out, shared, shared + 16);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost))
        return 1;
    other.join();
    for (int i = 0; i < 256; i++)
        wrong += host[i] != i + 5;
    printf("%d wrong, counted %d\n", wrong, shared[16] - 1000 * shared[32]);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    return strcmp(word, "sums") == 0 ? sums(argc > 2) : strcmp(word, "talk") == 0 ? talk() : 2;
}
