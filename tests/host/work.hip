// What ordinary programs do, one thing for each word that the program may be called with.
#include <hip/hip_runtime.h>
#include <sys/resource.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t error = (call);                                                                 \
        if (error != hipSuccess) {                                                                 \
            fprintf(stderr, "line %d: %s\n", __LINE__, hipGetErrorString(error));                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void hello(int k)
{
    printf("hello from %d of %d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x), k);
}

__global__ void add(int *p, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += k;
}

__global__ void sum(const int *p, unsigned long long *total, int n)
{
    __shared__ unsigned long long part[256];
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += p[i];
    part[threadIdx.x] = mine;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(total, part[0]);
}

// Answers the host's questions until it says that there are no more.
__global__ void talk(volatile int *question, volatile int *answer)
{
    int asked = 0, q;
    do {
        while ((q = *question) == asked)
            __builtin_amdgcn_s_sleep(1);
        asked = q;
        *answer = q * q;
        __threadfence_system();
    } while (q >= 0);
}

__global__ void __launch_bounds__(64) much_private(int *out, int n)
{
    int kept[2000];
    for (int i = 0; i < 2000; i++)
        kept[i] = i * n;
    for (int i = 0; i < 2000; i++)
        kept[i] += kept[(i * 7 + n) % 2000];
    out[blockIdx.x * blockDim.x + threadIdx.x] = kept[n + threadIdx.x];
}

static void properties()
{
    int count;
    CHECK(hipGetDeviceCount(&count));
    for (int i = 0; i < count; i++) {
        hipDeviceProp_t p;
        size_t free_bytes, total;
        CHECK(hipGetDeviceProperties(&p, i));
        CHECK(hipSetDevice(i));
        CHECK(hipMemGetInfo(&free_bytes, &total));
        printf("%d: %s|%s|cu %d|warp %d|lds %zu|threads %d|memory %zu %zu\n", i, p.name,
               p.gcnArchName, p.multiProcessorCount, p.warpSize, p.sharedMemPerBlock,
               p.maxThreadsPerBlock, p.totalGlobalMem, total);
    }
}

static void copies()
{
    const size_t sizes[] = {1, 7, 4096, 100003, 16 << 20};
    for (size_t size : sizes) {
        std::vector<unsigned char> from(size), to(size);
        unsigned char *a, *b;
        for (size_t i = 0; i < size; i++)
            from[i] = (unsigned char)(i * 31 + (i >> 8));
        CHECK(hipMalloc(&a, size));
        CHECK(hipMalloc(&b, size));
        CHECK(hipMemcpy(a, from.data(), size, hipMemcpyHostToDevice));
        CHECK(hipMemcpy(b, a, size, hipMemcpyDeviceToDevice));
        CHECK(hipMemcpy(to.data(), b, size, hipMemcpyDeviceToHost));
        printf("%zu: %s\n", size, from == to ? "same" : "different");
        CHECK(hipMemset(a, 0x5a, size));
        CHECK(hipMemcpy(to.data(), a, size, hipMemcpyDeviceToHost));
        printf("%zu: %s\n", size, to == std::vector<unsigned char>(size, 0x5a) ? "set" : "not set");
        CHECK(hipFree(a));
        CHECK(hipFree(b));
    }
}

static void streams()
{
    const int n = 1 << 18;
    hipStream_t s[2];
    hipEvent_t first, last;
    int *d[2], wrong = 0;
    std::vector<int> h[2];
    float ms = -1;
    CHECK(hipEventCreate(&first));
    CHECK(hipEventCreate(&last));
    for (int i = 0; i < 2; i++) {
        CHECK(hipStreamCreate(&s[i]));
        CHECK(hipMalloc(&d[i], n * 4));
        h[i].assign(n, i);
        CHECK(hipMemcpyAsync(d[i], h[i].data(), n * 4, hipMemcpyHostToDevice, s[i]));
    }
    CHECK(hipEventRecord(first, s[0]));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            add<<<n / 256, 256, 0, s[i]>>>(d[i], 10 * (i + 1), n);
    /* Stream 1 waits for stream 0, and then reads what that one has written. */
    CHECK(hipEventRecord(last, s[0]));
    CHECK(hipStreamWaitEvent(s[1], last, 0));
    for (int i = 0; i < 2; i++)
        CHECK(hipMemcpyAsync(h[i].data(), d[i], n * 4, hipMemcpyDeviceToHost, s[1]));
    CHECK(hipStreamSynchronize(s[1]));
    CHECK(hipEventElapsedTime(&ms, first, last));
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < n; k++)
            wrong += h[i][k] != i + 30 * (i + 1);
    printf("wrong %d, time %s\n", wrong, ms > 0 ? "passes" : "stands");
}

static void reduction()
{
    const int n = 100000;
    std::vector<int> h(n);
    int *d;
    unsigned long long *total, result = 0, expected = 0;
    for (int i = 0; i < n; i++)
        expected += h[i] = i * 7 % 1000;
    CHECK(hipMalloc(&d, n * 4));
    CHECK(hipMalloc(&total, 8));
    CHECK(hipMemset(total, 0, 8));
    CHECK(hipMemcpy(d, h.data(), n * 4, hipMemcpyHostToDevice));
    sum<<<20, 256>>>(d, total, n);
    CHECK(hipMemcpy(&result, total, 8, hipMemcpyDeviceToHost));
    printf("sum %s\n", result == expected ? "right" : "wrong");
}

static void conversation()
{
    volatile int *box;
    CHECK(hipHostMalloc((void **)&box, 4096, hipHostMallocCoherent));
    box[0] = box[1] = 0;
    talk<<<1, 1>>>(&box[0], &box[1]);
    for (int q = 1; q <= 5; q++) {
        box[0] = q;
        while (box[1] != q * q)
            continue;
        printf("%d\n", box[1]);
    }
    box[0] = -1;
    CHECK(hipDeviceSynchronize());
    printf("%d\n", box[1]);
}

static void private_memory()
{
    const int n = 64 * 64;
    std::vector<int> h(n);
    int *d, wrong = 0;
    CHECK(hipMalloc(&d, n * 4));
    much_private<<<64, 64>>>(d, 3);
    CHECK(hipMemcpy(h.data(), d, n * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        std::vector<int> kept(2000);
        for (int k = 0; k < 2000; k++)
            kept[k] = k * 3;
        for (int k = 0; k < 2000; k++)
            kept[k] += kept[(k * 7 + 3) % 2000];
        wrong += h[i] != kept[3 + i % 64];
    }
    printf("wrong %d\n", wrong);
}

static void too_much()
{
    void *p;
    printf("%s\n", hipGetErrorName(hipMalloc(&p, (size_t)1 << 40)));
    printf("%s\n", hipGetErrorName(hipMalloc(&p, (size_t)1 << 20)));
}

__global__ void spin(int *p, int n)
{
    int v = threadIdx.x;
    for (int i = 0; i < n; i++)
        v = v * 3 + i;
    *p = v;
}

static long microseconds(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

/* CPU time of this thread, and of the others, while it waits for a kernel. */
static void wait_for_kernel()
{
    int *p;
    CHECK(hipMalloc(&p, 4));
    spin<<<1, 64>>>(p, 1);
    CHECK(hipDeviceSynchronize());
    const long own = microseconds(RUSAGE_THREAD), all = microseconds(RUSAGE_SELF);
    spin<<<64, 64>>>(p, 200000);
    CHECK(hipDeviceSynchronize());
    const long mine = microseconds(RUSAGE_THREAD) - own;
    printf("%ld %ld\n", mine, microseconds(RUSAGE_SELF) - all - mine);
}

static void half_a_gigabyte_twice()
{
    void *p;
    for (size_t size : {(size_t)1 << 29, (size_t)1 << 29, (size_t)1 << 20})
        printf("%s\n", hipGetErrorName(hipMalloc(&p, size)));
}

__global__ void add_one(int *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i]++;
}

/* Managed memory as programs use it that ask for it first. */
static void managed()
{
    const int n = 100000;
    int has[2], *p, wrong = 0, preferred = -1;
    CHECK(hipDeviceGetAttribute(&has[0], hipDeviceAttributeManagedMemory, 0));
    CHECK(hipDeviceGetAttribute(&has[1], hipDeviceAttributeConcurrentManagedAccess, 0));
    for (int round = 0; round < 3; round++) {
        CHECK(hipMallocManaged(reinterpret_cast<void **>(&p), n * sizeof *p));
        for (int i = 0; i < n; i++)
            p[i] = i;
        CHECK(hipMemAdvise(p, n * sizeof *p, hipMemAdviseSetPreferredLocation, 0));
        CHECK(hipMemPrefetchAsync(p, n * sizeof *p, 0, 0));
        add_one<<<(n + 63) / 64, 64>>>(p, n);
        CHECK(hipDeviceSynchronize());
        for (int i = 0; i < n; i++)
            wrong += p[i] != i + 1;
        CHECK(hipMemRangeGetAttribute(&preferred, sizeof preferred, hipMemRangeAttributePreferredLocation, p,
                                      n * sizeof *p));
        CHECK(hipFree(p));
    }
    printf("managed %d concurrent %d, wrong %d, preferred %d\n", has[0], has[1], wrong, preferred);
}

/* How often the process's threads were woken in a pause of three seconds. */
static void idle()
{
    rusage before, after;
    int *data; // a kernel with printf would have a thread of the runtime's look for its calls
    CHECK(hipMalloc(&data, 4096));
    CHECK(hipMemset(data, 1, 4096));
    CHECK(hipDeviceSynchronize());
    getrusage(RUSAGE_SELF, &before);
    sleep(3);
    getrusage(RUSAGE_SELF, &after);
    printf("%ld\n", after.ru_nvcsw - before.ru_nvcsw);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "properties"))
        properties();
    else if (!strcmp(what, "copies"))
        copies();
    else if (!strcmp(what, "streams"))
        streams();
    else if (!strcmp(what, "reduction"))
        reduction();
    else if (!strcmp(what, "conversation"))
        conversation();
    else if (!strcmp(what, "private"))
        private_memory();
    else if (!strcmp(what, "too-much"))
        too_much();
    else if (!strcmp(what, "managed"))
        managed();
    else if (!strcmp(what, "idle"))
        idle();
    else if (!strcmp(what, "wait"))
        wait_for_kernel();
    else if (!strcmp(what, "half-a-gigabyte-twice"))
        half_a_gigabyte_twice();
    else if (!strcmp(what, "print")) {
        hello<<<2, 3>>>(6);
        CHECK(hipDeviceSynchronize());
        printf("done\n");
    } else {
        fprintf(stderr, "what?\n");
        return 2;
    }
    return argc > 2 ? atoi(argv[2]) : 0;
}
