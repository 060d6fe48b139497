// Kernels that run at once, in one way for each word that the program may be called with.
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const hipError_t error_ = (call);                                                          \
        if (error_) {                                                                              \
            printf("%s: %s\n", #call, hipGetErrorName(error_));                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void wait_for(int *flag, int value, int *seen)
{
    while (atomicAdd(flag, 0) < value)
        __builtin_amdgcn_s_sleep(1);
    if (seen)
        atomicAdd(seen, 1);
}

__global__ void set(int *flag, int value)
{
    atomicMax(flag, value);
}

__global__ void next(int *number, int before)
{
    if (*number == before)
        *number = before + 1; // else it is not its turn
}

__global__ void add(int *numbers, int n, int value, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int sum[256];
    sum[threadIdx.x] = 0;
    for (int k = 0; k < rounds; k++) {
        sum[threadIdx.x] += value;
        __syncthreads();
    }
    if (i < n)
        numbers[i] += sum[threadIdx.x];
}

__global__ void illegal(int *out)
{
    asm volatile(".long 0xbeff7fff"); // SOP1 has no such operation
    *out = 1;
}

__global__ void store_nowhere(int *out)
{
    out[threadIdx.x] = 1;
}

template <typename T> static T *zeros(size_t count)
{
    T *at;
    CHECK(hipMalloc(&at, count * sizeof *at));
    CHECK(hipMemset(at, 0, count * sizeof *at));
    CHECK(hipDeviceSynchronize());
    return at;
}

static hipStream_t stream()
{
    hipStream_t s;
    CHECK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    return s;
}

static int value_of(const int *at)
{
    int value;
    CHECK(hipMemcpy(&value, at, sizeof value, hipMemcpyDeviceToHost));
    return value;
}

// Kernels of some streams wait for one that is launched later, in another stream.
static void flag(int streams)
{
    int *flag = zeros<int>(2);
    for (int i = 0; i < streams; i++)
        wait_for<<<3, 256, 0, stream()>>>(flag, 1, flag + 1);
    set<<<1, 1, 0, stream()>>>(flag, 1);
    CHECK(hipDeviceSynchronize());
    printf("%d waited\n", value_of(flag + 1));
}

// Two kernels that hand a number to and fro.
__global__ void partner(int *number, int first, int turns)
{
    for (int i = 0; i < turns; i++) {
        while (atomicAdd(number, 0) != 2 * i + first)
            __builtin_amdgcn_s_sleep(1);
        atomicAdd(number, 1);
    }
}

static void partners()
{
    int *number = zeros<int>(1);
    hipStream_t one = stream(), other = stream();
    partner<<<1, 1, 0, one>>>(number, 0, 100);
    partner<<<1, 1, 0, other>>>(number, 1, 100);
    CHECK(hipDeviceSynchronize());
    printf("%d turns\n", value_of(number));
}

// Kernels of one stream come one after the other, unless they are launched in any order.
static void any_order()
{
    int *flag = zeros<int>(2);
    hipStream_t s = stream();
    hipExtLaunchKernelGGL(wait_for, dim3(3), dim3(64), 0, s, nullptr, nullptr, hipExtAnyOrderLaunch, flag,
                          1, flag + 1);
    hipExtLaunchKernelGGL(set, dim3(1), dim3(1), 0, s, nullptr, nullptr, hipExtAnyOrderLaunch, flag, 1);
    CHECK(hipStreamSynchronize(s));
    printf("%d waited\n", value_of(flag + 1));
}

// Kernels that keep numbers in private memory until all of their waves have come so far.
template <int N> __global__ void keep(int *arrived, int total, int *wrong)
{
    volatile int kept[N];
    const int mine = N * 100000 + blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < N; i++)
        kept[i] = mine + 1000000 * i;
    if (threadIdx.x % 64 == 0)
        atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < total)
        __builtin_amdgcn_s_sleep(1);
    for (int i = 0; i < N; i++)
        if (kept[i] != mine + 1000000 * i)
            atomicAdd(wrong, 1);
}

// Of one stream, whose queue has one piece of memory for both; or of two streams.
static void private_memory(bool same)
{
    int *arrived = zeros<int>(2), *wrong = arrived + 1;
    hipStream_t one = stream(), other = same ? one : stream();
    keep<100><<<1, 64, 0, one>>>(arrived, 0, wrong); // the queues have enough from now on
    keep<100><<<1, 64, 0, other>>>(arrived, 0, wrong);
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemset(arrived, 0, sizeof *arrived));
    CHECK(hipDeviceSynchronize());
    hipExtLaunchKernelGGL(keep<20>, dim3(6), dim3(256), 0, one, nullptr, nullptr, hipExtAnyOrderLaunch,
                          arrived, 48, wrong);
    hipExtLaunchKernelGGL(keep<100>, dim3(6), dim3(256), 0, other, nullptr, nullptr,
                          hipExtAnyOrderLaunch, arrived, 48, wrong);
    CHECK(hipDeviceSynchronize());
    printf("%d arrived, %d wrong\n", value_of(arrived), value_of(wrong));
}

// Events take the streams' kernels in turn. The host looks on, and lets the first one go.
static void events()
{
    enum { STREAMS = 3, ROUNDS = 20 };
    int *number, *flag;
    hipStream_t s[STREAMS];
    CHECK(hipHostMalloc(&number, sizeof *number));
    CHECK(hipHostMalloc(&flag, sizeof *flag));
    *number = *flag = 0;
    for (hipStream_t &one : s)
        one = stream();
    wait_for<<<1, 1, 0, s[0]>>>(flag, 1, nullptr);
    for (int i = 0; i < ROUNDS * STREAMS; i++) {
        hipEvent_t done;
        CHECK(hipEventCreateWithFlags(&done, hipEventDisableTiming));
        next<<<1, 1, 0, s[i % STREAMS]>>>(number, i);
        CHECK(hipEventRecord(done, s[i % STREAMS]));
        CHECK(hipStreamWaitEvent(s[(i + 1) % STREAMS], done, 0));
        CHECK(hipEventDestroy(done));
    }
    printf("%d before\n", __atomic_load_n(number, __ATOMIC_ACQUIRE));
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    CHECK(hipDeviceSynchronize());
    printf("%d after\n", *number);
}

// Many streams at once with kernels, copies and memory of their own.
static void many(int streams)
{
    enum { N = 5000, KERNELS = 12 };
    int wrong = 0;
    int **numbers = new int *[streams], **back = new int *[streams];
    hipStream_t *s = new hipStream_t[streams];
    for (int i = 0; i < streams; i++) {
        CHECK(hipStreamCreateWithPriority(&s[i], hipStreamNonBlocking, i % 3 - 1));
        numbers[i] = zeros<int>(N);
        CHECK(hipHostMalloc(&back[i], N * sizeof *back[i]));
    }
    for (int k = 0; k < KERNELS; k++)
        for (int i = 0; i < streams; i++)
            add<<<(N + 255) / 256, 256, 0, s[i]>>>(numbers[i], N, i + 1, k + 1);
    for (int i = 0; i < streams; i++)
        CHECK(hipMemcpyAsync(back[i], numbers[i], N * sizeof *back[i], hipMemcpyDeviceToHost, s[i]));
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < streams; i++) {
        for (int k = 0; k < N; k++)
            wrong += back[i][k] != (i + 1) * KERNELS * (KERNELS + 1) / 2;
        CHECK(hipStreamDestroy(s[i]));
        CHECK(hipHostFree(back[i]));
        CHECK(hipFree(numbers[i]));
    }
    printf("%d wrong\n", wrong);
}

// A kernel of one stream makes a mistake while that of another one runs.
static void mistake(bool memory)
{
    int *flag = zeros<int>(1);
    hipStream_t one = stream(), other = stream();
    wait_for<<<2, 64, 0, one>>>(flag, 1, nullptr);
    if (memory)
        store_nowhere<<<1, 64, 0, other>>>((int *)0x123456000);
    else
        illegal<<<1, 64, 0, other>>>(flag);
    CHECK(hipStreamSynchronize(other));
    printf("it went on\n");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "flag"))
        flag(argc > 2 ? atoi(argv[2]) : 1);
    else if (!strcmp(what, "partners"))
        partners();
    else if (!strcmp(what, "any-order"))
        any_order();
    else if (!strcmp(what, "private"))
        private_memory(!strcmp(argv[2], "same"));
    else if (!strcmp(what, "events"))
        events();
    else if (!strcmp(what, "many"))
        many(argc > 2 ? atoi(argv[2]) : 16);
    else if (!strcmp(what, "illegal"))
        mistake(false);
    else if (!strcmp(what, "store"))
        mistake(true);
    else
        return 2;
}
