// Parts of the HIP API, one for each word that the program may be called with. Each says "right", or what
// was not.
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <hip/hip_cooperative_groups.h> // which needs the other one
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t error = (call);                                                                 \
        if (error != hipSuccess) {                                                                 \
            printf("line %d: %s: %s\n", __LINE__, #call, hipGetErrorName(error));                  \
            fflush(stdout);                                                                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define EXPECT(truth)                                                                              \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            printf("line %d: not true: %s\n", __LINE__, #truth);                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FAILS_WITH(code, call) EXPECT((call) == (code) && hipGetLastError() == (code))

__global__ void add(int *p, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&p[i], k);
}

static void launch_add(int *p, int k, int n, hipStream_t stream = 0)
{
    add<<<(n + 255) / 256, 256, 0, stream>>>(p, k, n);
    CHECK(hipGetLastError());
}

template <typename T> static std::vector<T> read(const T *p, size_t n)
{
    std::vector<T> values(n);
    CHECK(hipMemcpy(values.data(), p, n * sizeof(T), hipMemcpyDefault));
    return values;
}

// ---- memory ----

static void registered()
{
    // Two that share a page, one of them on the stack; GPUs have other addresses for them.
    static int words[3000];
    char stack[9000];
    int *host[2] = {words + 1, (int *)(void *)(stack + 64)}, *device[2];
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 1000; k++)
            host[i][k] = k;
        CHECK(hipHostRegister(host[i], 4000, hipHostRegisterMapped));
        CHECK(hipHostGetDevicePointer((void **)&device[i], host[i], 0));
        EXPECT(device[i] != host[i]);
        launch_add(device[i], 5, 1000);
    }
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 1000; k++)
            EXPECT(host[i][k] == k + 5);
        CHECK(hipHostUnregister(host[i]));
        FAILS_WITH(hipErrorHostMemoryNotRegistered, hipHostUnregister(host[i]));
    }
}

static void pinned()
{
    for (unsigned flags : std::initializer_list<unsigned>{
             hipHostMallocDefault, hipHostMallocPortable, hipHostMallocMapped,
             hipHostMallocWriteCombined, hipHostMallocNumaUser, hipHostMallocCoherent,
             hipHostMallocNonCoherent}) {
        int *host, *device;
        CHECK(hipHostMalloc((void **)&host, 4000, flags));
        CHECK(hipHostGetDevicePointer((void **)&device, host, 0));
        EXPECT(device == host);
        host[999] = 1;
        launch_add(device, 2, 1000);
        CHECK(hipDeviceSynchronize());
        EXPECT(host[999] == 3);
        CHECK(hipHostFree(host));
    }
}

__managed__ int managed_word = 11;

static void managed()
{
    int *p, counted[1000];
    CHECK(hipMallocManaged(&p, 40000));
    std::iota(p, p + 10000, 0);
    launch_add(p, 1, 10000);
    launch_add(&managed_word, 22, 1);
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < 10000; i++)
        EXPECT(p[i] == i + 1);
    EXPECT(managed_word == 33);
    CHECK(hipFree(p));
    // An allocation that gets the addresses of managed memory that is no more.
    for (int i = 0; i < 8; i++) {
        int *other;
        CHECK(hipMallocManaged(&p, 12 << 20));
        CHECK(hipFree(p));
        CHECK(hipMalloc((void **)&other, 6 << 20));
        CHECK(hipMemset(other, 0, 4000));
        launch_add(other, 3, 1000);
        CHECK(hipMemcpy(counted, other, sizeof counted, hipMemcpyDeviceToHost));
        EXPECT(counted[999] == 3);
        CHECK(hipFree(other));
    }
}

__constant__ int table[256];
__device__ int word = 7, counts[100];

__global__ void use_symbols(int *out)
{
    out[threadIdx.x] = table[threadIdx.x] * 2 + word;
    if (threadIdx.x < 100)
        counts[threadIdx.x] += threadIdx.x;
}

static void symbols()
{
    int values[256], *out, seen[100];
    void *at;
    size_t size;
    std::iota(values, values + 256, 0);
    CHECK(hipMalloc(&out, sizeof values));
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof values));
    use_symbols<<<1, 256>>>(out);
    const std::vector<int> used = read(out, 256);
    for (int i = 0; i < 256; i++)
        EXPECT(used[i] == 2 * i + 7);
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(counts), values + 50, 40, 80));
    CHECK(hipMemcpyFromSymbol(seen, HIP_SYMBOL(counts), sizeof seen));
    for (int i = 0; i < 100; i++)
        EXPECT(seen[i] == (i >= 20 && i < 30 ? i + 30 : i));
    CHECK(hipGetSymbolAddress(&at, HIP_SYMBOL(counts)));
    CHECK(hipGetSymbolSize(&size, HIP_SYMBOL(counts)));
    EXPECT(size == 400);
    CHECK(hipMemset(at, 0, size));
    CHECK(hipMemcpyFromSymbol(seen, HIP_SYMBOL(counts), sizeof seen));
    EXPECT(seen[99] == 0);
    FAILS_WITH(hipErrorInvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(word), values, 400));
}

static void pitched()
{
    const size_t w = 100, h = 50;
    std::vector<int> from(w * h), to(w * h);
    char *a, *b;
    size_t pa, pb;
    std::iota(from.begin(), from.end(), 1);
    int images = 1;
    CHECK(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
    if (images) {
        CHECK(hipMallocPitch((void **)&a, &pa, w * 4, h));
        CHECK(hipMallocPitch((void **)&b, &pb, 2 * w * 4, h + 7));
    } else { /* HIP has no pitch for a GPU without images */
        FAILS_WITH(hipErrorInvalidValue, hipMallocPitch((void **)&a, &pa, w * 4, h));
        pa = 512, pb = 1024;
        CHECK(hipMalloc((void **)&a, pa * h));
        CHECK(hipMalloc((void **)&b, pb * (h + 7)));
    }
    CHECK(hipMemcpy2D(a, pa, from.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
    CHECK(hipMemset2D(a, pa, 0x11, 40, 25));
    CHECK(hipMemcpy2DAsync(b + 8, pb, a, pa, w * 4, h, hipMemcpyDeviceToDevice, 0));
    CHECK(hipMemcpy2D(to.data(), w * 4, b + 8, pb, w * 4, h, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < w * h; i++)
        EXPECT(to[i] == (i / w < 25 && i % w < 10 ? 0x11111111 : from[i]));

    // A box within a box.
    const size_t x = 64, y = 20, z = 10;
    hipPitchedPtr box;
    std::vector<unsigned char> first(x * y * z), last(x * y * z, 0);
    std::iota(first.begin(), first.end(), 0);
    if (images) {
        CHECK(hipMalloc3D(&box, make_hipExtent(x, y, z)));
    } else {
        box = make_hipPitchedPtr(nullptr, 256, x, y);
        CHECK(hipMalloc(&box.ptr, box.pitch * y * z));
    }
    hipMemcpy3DParms p = {};
    p.srcPtr = make_hipPitchedPtr(first.data(), x, x, y);
    p.dstPtr = box;
    p.extent = make_hipExtent(x, y, z);
    p.kind = hipMemcpyHostToDevice;
    CHECK(hipMemcpy3D(&p));
    CHECK(hipMemset3D(box, 9, make_hipExtent(32, 10, 5)));
    p.srcPtr = box;
    p.srcPos = make_hipPos(5, 3, 2);
    p.dstPtr = make_hipPitchedPtr(last.data(), x, x, y);
    p.dstPos = make_hipPos(1, 2, 3);
    p.extent = make_hipExtent(40, 15, 6);
    p.kind = hipMemcpyDeviceToHost;
    CHECK(hipMemcpy3DAsync(&p, 0));
    CHECK(hipDeviceSynchronize());
    for (size_t k = 0; k < z; k++)
        for (size_t j = 0; j < y; j++)
            for (size_t i = 0; i < x; i++) {
                const bool in = i >= 1 && i < 41 && j >= 2 && j < 17 && k >= 3 && k < 9;
                const size_t u = i + 4, v = j + 1, t = k - 1; // where it is in the source
                const bool set = u < 32 && v < 10 && t < 5;
                EXPECT(last[(k * y + j) * x + i] == (!in ? 0 : set ? 9 : first[(t * y + v) * x + u]));
            }
}

static void filled()
{
    int *p;
    CHECK(hipMalloc(&p, 4000));
    CHECK(hipMemsetD32((hipDeviceptr_t)p, 0x12345678, 1000));
    CHECK(hipMemsetD16((hipDeviceptr_t)(p + 100), 0x4321, 20));
    CHECK(hipMemsetD8((hipDeviceptr_t)((char *)p + 801), 0xab, 8));
    CHECK(hipMemsetAsync(p + 900, 1, 13, 0));
    const std::vector<int> v = read(p, 1000);
    EXPECT(v[99] == 0x12345678 && v[100] == 0x43214321 && v[109] == 0x43214321 && v[110] == 0x12345678);
    EXPECT((unsigned)v[200] == 0xababab78 && (unsigned)v[201] == 0xabababab && v[202] == 0x123456ab);
    EXPECT(v[902] == 0x01010101 && v[903] == 0x12345601 && v[999] == 0x12345678);
}

static void pooled()
{
    int *p;
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipMallocAsync((void **)&p, 4000, stream));
    CHECK(hipMemsetAsync(p, 0, 4000, stream));
    launch_add(p, 3, 1000, stream);
    EXPECT(read(p, 1000)[999] == 3);
    CHECK(hipFreeAsync(p, stream));
    CHECK(hipStreamSynchronize(stream));
}

static void room()
{
    size_t before, after, total;
    char *big, *last;
    std::vector<void *> all;
    CHECK(hipMemGetInfo(&before, &total));
    CHECK(hipMalloc(&big, (size_t)2 << 30));
    CHECK(hipMemGetInfo(&after, &total));
    EXPECT(before - after == (size_t)2 << 30);
    CHECK(hipMemset(big + ((size_t)2 << 30) - 1, 5, 1)); // its last byte is there
    for (void *p; hipMalloc(&p, (size_t)512 << 20) == hipSuccess;)
        all.push_back(p);
    EXPECT(hipGetLastError() == hipErrorOutOfMemory);
    EXPECT(all.size() == 11); // of 8 GiB, 2 are taken, and less than half a one by the runtime
    for (void *p : all)
        CHECK(hipFree(p));
    CHECK(hipMalloc(&last, (size_t)5 << 30));
    FAILS_WITH(hipErrorInvalidValue, hipFree((void *)0x1234));
}

// ---- order ----

static void times()
{
    hipEvent_t a, b, untimed;
    hipStream_t stream;
    int *p;
    float ms = -1, back = 0, longer = -1;
    CHECK(hipMalloc(&p, 400000));
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK(hipEventCreate(&a));
    CHECK(hipEventCreateWithFlags(&b, hipEventBlockingSync));
    CHECK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
    CHECK(hipEventQuery(a)); // not recorded: done
    for (hipStream_t s : {(hipStream_t)0, stream}) {
        CHECK(hipEventRecord(a, s));
        CHECK(hipEventRecord(b, s));
        CHECK(hipEventSynchronize(b));
        CHECK(hipEventElapsedTime(&ms, a, b));
        EXPECT(ms >= 0);
        CHECK(hipEventRecord(a, s));
        for (int i = 0; i < 20; i++)
            launch_add(p, 1, 100000, s);
        CHECK(hipMemsetAsync(p, 0, 400000, s));
        CHECK(hipEventRecord(b, s));
        CHECK(hipEventSynchronize(b));
        CHECK(hipEventElapsedTime(&longer, a, b));
        CHECK(hipEventElapsedTime(&back, b, a));
        EXPECT(longer > ms && back == -longer);
    }
    CHECK(hipEventRecord(untimed, stream));
    CHECK(hipEventSynchronize(untimed));
    FAILS_WITH(hipErrorInvalidHandle, hipEventElapsedTime(&ms, a, untimed));
}

static void callback(hipStream_t, hipError_t error, void *data)
{
    if (error == hipSuccess)
        ++*(std::atomic<int> *)data;
}

static void callbacks()
{
    std::atomic<int> calls{0};
    hipStream_t stream;
    int *p;
    CHECK(hipStreamCreate(&stream));
    CHECK(hipHostMalloc((void **)&p, 400));
    for (int i = 0; i < 10; i++) {
        launch_add(p, 1, 100, stream);
        CHECK(hipStreamAddCallback(stream, callback, &calls, 0));
    }
    CHECK(hipStreamSynchronize(stream));
    EXPECT(calls == 10);
}

static void host_function(void *data)
{
    ++*(std::atomic<int> *)data;
}

static void graphs()
{
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t set, kernel, copy, host;
    int *p, out[64], five = 5, n = 64;
    std::atomic<int> calls{0};
    size_t nodes = 0;
    CHECK(hipMalloc(&p, 256));
    CHECK(hipMemset(p, 0, 256));
    CHECK(hipStreamCreate(&stream));
    CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    launch_add(p, 1, 64, stream);
    launch_add(p, 2, 64, stream);
    CHECK(hipStreamEndCapture(stream, &graph));
    CHECK(hipGraphGetNodes(graph, nullptr, &nodes));
    EXPECT(nodes == 2 && read(p, 64)[0] == 0);
    CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 5; i++)
        CHECK(hipGraphLaunch(exec, stream));
    CHECK(hipStreamSynchronize(stream));
    EXPECT(read(p, 64)[63] == 15);

    hipMemsetParams fill = {};
    fill.dst = p;
    fill.value = 3;
    fill.elementSize = 4;
    fill.width = 64;
    fill.height = 1;
    void *arguments[] = {&p, &five, &n};
    hipKernelNodeParams launch = {};
    launch.func = (void *)add;
    launch.gridDim = dim3(1);
    launch.blockDim = dim3(64);
    launch.kernelParams = arguments;
    hipHostNodeParams call = {host_function, &calls};
    CHECK(hipGraphCreate(&graph, 0));
    CHECK(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
    CHECK(hipGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
    CHECK(hipGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, out, p, 256, hipMemcpyDeviceToHost));
    CHECK(hipGraphAddHostNode(&host, graph, &copy, 1, &call));
    CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK(hipGraphLaunch(exec, stream));
    CHECK(hipStreamSynchronize(stream));
    EXPECT(out[0] == 8 && out[63] == 8 && calls == 1);
}

static void many_streams()
{
    std::vector<hipStream_t> streams(100);
    int *p;
    CHECK(hipMalloc(&p, 256));
    CHECK(hipMemset(p, 0, 256));
    for (hipStream_t &s : streams)
        CHECK(hipStreamCreate(&s));
    for (int i = 0; i < 5; i++)
        for (hipStream_t s : streams)
            launch_add(p, 1, 64, s);
    CHECK(hipDeviceSynchronize());
    EXPECT(read(p, 64)[0] == 500);
    for (hipStream_t s : streams)
        CHECK(hipStreamDestroy(s));
}

// One stream waits for a value that another one writes.
static void values()
{
    hipStream_t waits, writes;
    uint64_t *signal;
    int *p;
    CHECK(hipStreamCreateWithFlags(&waits, hipStreamNonBlocking));
    CHECK(hipStreamCreateWithFlags(&writes, hipStreamNonBlocking));
    CHECK(hipHostMalloc((void **)&p, 256));
    CHECK(hipExtMallocWithFlags((void **)&signal, 8, hipMallocSignalMemory));
    *signal = 0;
    CHECK(hipStreamWaitValue64(waits, signal, 5, hipStreamWaitValueGte, ~0ull));
    launch_add(p, 1, 64, waits);
    CHECK(hipStreamWriteValue64(writes, signal, 7, 0));
    CHECK(hipStreamSynchronize(waits));
    EXPECT(*signal == 7 && p[0] == 1);
}

static void threads()
{
    int gpus;
    std::vector<std::thread> all;
    std::atomic<int> wrong{0};
    CHECK(hipGetDeviceCount(&gpus));
    for (int t = 0; t < 8; t++)
        all.emplace_back([&wrong, t, gpus] {
            const int n = 10000;
            std::vector<int> out(n);
            hipStream_t stream;
            int *p;
            CHECK(hipSetDevice(t % gpus));
            CHECK(hipStreamCreate(&stream));
            CHECK(hipMalloc(&p, n * 4));
            CHECK(hipMemsetAsync(p, 0, n * 4, stream));
            for (int i = 0; i < 20; i++)
                launch_add(p, t, n, stream);
            CHECK(hipMemcpyAsync(out.data(), p, n * 4, hipMemcpyDeviceToHost, stream));
            CHECK(hipStreamSynchronize(stream));
            for (int i = 0; i < n; i++)
                wrong += out[i] != 20 * t;
            CHECK(hipFree(p));
            CHECK(hipStreamDestroy(stream));
        });
    for (std::thread &t : all)
        t.join();
    EXPECT(wrong == 0);
}

static void peers()
{
    int gpus, can = 0;
    int *p[2];
    hipEvent_t done;
    hipStream_t stream[2];
    const int n = 100000;
    CHECK(hipGetDeviceCount(&gpus));
    EXPECT(gpus == 2);
    for (int i = 0; i < 2; i++) {
        CHECK(hipSetDevice(i));
        CHECK(hipMalloc(&p[i], n * 4));
        CHECK(hipMemset(p[i], 0, n * 4));
        CHECK(hipStreamCreate(&stream[i]));
        CHECK(hipMemcpyToSymbol(HIP_SYMBOL(word), &i, 4)); // each GPU has its own
        launch_add(p[i], i + 1, n);
        CHECK(hipDeviceSynchronize());
        CHECK(hipDeviceCanAccessPeer(&can, i, 1 - i));
        EXPECT(can == 1);
    }
    for (int i = 0, seen = -1; i < 2; i++) {
        CHECK(hipSetDevice(i));
        CHECK(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(word), 4));
        EXPECT(seen == i);
    }
    CHECK(hipMemcpyPeer(p[0], 0, p[1], 1, n * 2)); // half of it
    EXPECT(read(p[0], n)[n / 2 - 1] == 2 && read(p[0], n)[n / 2] == 1);
    // GPU 1 changes memory of GPU 0, which GPU 0 then reads.
    CHECK(hipSetDevice(1));
    CHECK(hipDeviceEnablePeerAccess(0, 0));
    FAILS_WITH(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(0, 0));
    CHECK(hipEventCreate(&done));
    launch_add(p[0], 10, n, stream[1]);
    CHECK(hipEventRecord(done, stream[1]));
    CHECK(hipSetDevice(0));
    CHECK(hipStreamWaitEvent(stream[0], done, 0));
    CHECK(hipMemcpyPeerAsync(p[1], 1, p[0], 0, n * 4, stream[0]));
    CHECK(hipStreamSynchronize(stream[0]));
    EXPECT(read(p[1], n)[0] == 12 && read(p[1], n)[n - 1] == 11);
}

// ---- kernels ----

__global__ void meets(int *rounds, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int i = (int)grid.thread_rank();
    for (int r = 0; r < 4; r++) {
        rounds[(r + 1) * n + i] = rounds[r * n + (i * 7 + 300) % n] + 1; // written by another group
        grid.sync();
    }
}

static void cooperative()
{
    int n = 16 * 256, *p;
    CHECK(hipMalloc(&p, 5 * n * 4));
    CHECK(hipMemset(p, 0, 5 * n * 4));
    void *arguments[] = {&p, &n};
    for (int i = 0; i < 2; i++)
        CHECK(hipLaunchCooperativeKernel((void *)meets, dim3(16), dim3(256), arguments, 0, 0));
    for (int last : read(p + 4 * n, n))
        EXPECT(last == 4);
    FAILS_WITH(hipErrorCooperativeLaunchTooLarge,
               hipLaunchCooperativeKernel((void *)meets, dim3(4000), dim3(256), arguments, 0, 0));
}

__global__ void on_the_heap(int **kept, int *sums)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, n = 16 + t % 5;
    int *p = (int *)malloc(n * sizeof *p), sum = 0;
    for (int i = 0; p && i < n; i++)
        p[i] = t + i;
    for (int i = 0; p && i < n; i++)
        sum += p[i];
    if (t % 2)
        free(p);
    kept[t] = t % 2 ? nullptr : p;
    sums[t] = sum;
}

__global__ void from_the_heap(int **kept, int *words)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    words[t] = kept[t] ? kept[t][1] : -1;
    free(kept[t]);
}

static void heap()
{
    const int n = 1024;
    int **kept, *out;
    CHECK(hipMalloc(&kept, n * sizeof *kept));
    CHECK(hipMalloc(&out, n * sizeof *out));
    on_the_heap<<<4, 256>>>(kept, out);
    const std::vector<int> sums = read(out, n);
    from_the_heap<<<4, 256>>>(kept, out);
    const std::vector<int> words = read(out, n);
    for (int t = 0; t < n; t++) {
        const int c = 16 + t % 5;
        EXPECT(sums[t] == c * t + c * (c - 1) / 2);
        EXPECT(words[t] == (t % 2 ? -1 : t + 1));
    }
}

struct shape {
    float x;
    __device__ shape(float x) : x(x) {}
    __device__ virtual float area() const = 0;
};
struct square : shape {
    using shape::shape;
    __device__ float area() const override { return x * x; }
};
struct triple : shape {
    using shape::shape;
    __device__ float area() const override { return 3 * x; }
};
__device__ int plus_one(int x) { return x + 1; }
__device__ int twice(int x) { return 2 * x; }
__device__ int (*functions[2])(int) = {plus_one, twice};
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void calls(float *areas, int *numbers, int *recursive)
{
    const int t = threadIdx.x;
    alignas(8) char place[16];
    shape *s = t % 2 ? (shape *)new (place) square(t) : new (place) triple(t);
    areas[t] = s->area();
    numbers[t] = functions[t / 3 % 2](t);
    recursive[t] = fibonacci(t % 13);
}

static void called()
{
    float *areas;
    int *numbers, *recursive, expected[13] = {0, 1};
    CHECK(hipMalloc(&areas, 256));
    CHECK(hipMalloc(&numbers, 256));
    CHECK(hipMalloc(&recursive, 256));
    calls<<<1, 64>>>(areas, numbers, recursive);
    const std::vector<float> a = read(areas, 64);
    const std::vector<int> f = read(numbers, 64), r = read(recursive, 64);
    for (int i = 2; i < 13; i++)
        expected[i] = expected[i - 1] + expected[i - 2];
    for (int t = 0; t < 64; t++) {
        EXPECT(a[t] == (t % 2 ? t * t : 3 * t));
        EXPECT(f[t] == (t / 3 % 2 ? 2 * t : t + 1));
        EXPECT(r[t] == expected[t % 13]);
    }
}

__global__ void local(int *out, int n)
{
    extern __shared__ int shared[];
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        shared[i] = i ^ blockIdx.x;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += shared[n - 1 - i] * (i + 1);
    atomicAdd(&out[blockIdx.x], sum);
}

static void launches()
{
    int *out;
    CHECK(hipMalloc(&out, 64));
    for (int n : {1, 1000, 16384}) { // up to all of the LDS
        CHECK(hipMemset(out, 0, 64));
        local<<<4, 256, n * 4>>>(out, n);
        const std::vector<int> sums = read(out, 4);
        for (int b = 0; b < 4; b++) {
            int sum = 0;
            for (int i = 0; i < n; i++)
                sum += ((n - 1 - i) ^ b) * (i + 1);
            EXPECT(sums[b] == sum);
        }
    }
    local<<<1, 256, 65540>>>(out, 1);
    /* HIP 5.7 gives one error for all that a GPU cannot have. */
    EXPECT(hipGetLastError() == (HIP_VERSION_MINOR < 7 ? hipErrorOutOfMemory : hipErrorInvalidValue));
    local<<<1, 1025>>>(out, 1);
    EXPECT(hipGetLastError() ==
           (HIP_VERSION_MINOR < 7 ? hipErrorInvalidConfiguration : hipErrorInvalidValue));
    local<<<0, 64>>>(out, 1);
    EXPECT(hipGetLastError() == hipErrorInvalidValue);
    CHECK(hipDeviceSynchronize());
}

__global__ void visit(unsigned char *hit, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz)
        hit[(z * ny + y) * nx + x]++;
}

static void grids()
{
    const int nx = 37, ny = 23, nz = 11;
    unsigned char *hit;
    CHECK(hipMalloc(&hit, nx * ny * nz));
    CHECK(hipMemset(hit, 0, nx * ny * nz));
    visit<<<dim3(5, 4, 3), dim3(8, 6, 5)>>>(hit, nx, ny, nz);
    for (unsigned char h : read(hit, nx * ny * nz))
        EXPECT(h == 1);
}

__global__ void clocks(unsigned long long *t)
{
    t[0] = __builtin_amdgcn_s_memrealtime();
    t[1] = clock64();
    while (clock64() - t[1] < 1000)
        continue;
    t[2] = clock64();
    t[3] = __builtin_amdgcn_s_memrealtime();
}

static void clocked()
{
    unsigned long long *t;
    CHECK(hipHostMalloc((void **)&t, 64));
    clocks<<<1, 1>>>(t);
    CHECK(hipDeviceSynchronize());
    EXPECT(t[2] - t[1] >= 1000 && t[3] > t[0]);
}

__global__ void conversions(const char *name)
{
    printf("%d|%5d|%-5d|%05d|%+d|%u|%x|%#X|%o|%c|%%|%s|%6s|%-6s|%.2s\n", -5, 42, 42, 42, 42, 4000000000u,
           255, 255, 8, 'q', "text", "right", "left", "cut off");
    printf("%f|%.3f|%10.2f|%e|%g|%G|%a\n", 1.5, 3.14159, 2.71828, 12345.678, 0.0001, 1e20, 1.0);
    printf("%ld|%lld|%llu|%lx|%hd|%zu|%p\n", -1L, -2LL, ~0ull, 0xdeadbeefcafeL, (short)-3, (size_t)99,
           (void *)0x1234);
    printf("%*d|%-*d|%.*f\n", 6, 42, 6, 42, 2, 3.14159);
    printf("%d\n", printf("%s%s%s%s%s%s%s%s\n", "a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg", "h"));
    (void)name;
}

__global__ void lines(int n)
{
    printf("line %d of %d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x), n);
}

static void prints()
{
    conversions<<<1, 1>>>("");
    CHECK(hipDeviceSynchronize());
    lines<<<10, 100>>>(1000);
    CHECK(hipDeviceSynchronize());
}

// Loads the code object or the bundle in each file.
static void modules(int count, char **files)
{
    for (int i = 0; i < count; i++) {
        hipModule_t module;
        hipFunction_t function;
        hipDeviceptr_t global;
        int *p, k = 4, n = 64, blocks = 0;
        size_t size;
        void *arguments[] = {&p, &k, &n};
        CHECK(hipMalloc(&p, 256));
        CHECK(hipMemset(p, 0, 256));
        CHECK(hipModuleLoad(&module, files[i]));
        FAILS_WITH(hipErrorNotFound, hipModuleGetFunction(&function, module, "no_such_kernel"));
        CHECK(hipModuleGetFunction(&function, module, "_Z3addPiii"));
        CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, nullptr));
        struct {
            int *p;
            int k, n;
        } packed = {p, 30, 32};
        size_t bytes = sizeof packed;
        void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                         HIP_LAUNCH_PARAM_END};
        CHECK(hipModuleLaunchKernel(function, 2, 1, 1, 16, 1, 1, 0, 0, nullptr, extra));
        EXPECT(read(p, 64)[31] == 34 && read(p, 64)[32] == 4);
        CHECK(hipModuleGetGlobal(&global, &size, module, "word"));
        EXPECT(size == 4 && read((int *)global, 1)[0] == 7);
        CHECK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
        EXPECT(blocks == 8); // as far as the runtime counts: 32 waves
        CHECK(hipModuleUnload(module));
    }
    hipModule_t none;
    FAILS_WITH(hipErrorInvalidKernelFile, hipModuleLoad(&none, "/etc/passwd"));
}

// HW_ID says on which compute unit a wave is.
__global__ void units(unsigned *seen)
{
    atomicOr(seen, 1u << (__builtin_amdgcn_s_getreg((31 << 11) | 4) >> 8 & 15));
}

static void masked()
{
    unsigned *seen;
    CHECK(hipHostMalloc((void **)&seen, 4));
    for (uint32_t mask : {0xfu, 0x2u, 0x9u}) { // of the 4 that there are
        hipStream_t stream;
        CHECK(hipExtStreamCreateWithCUMask(&stream, 1, &mask));
        *seen = 0;
        units<<<100, 256, 0, stream>>>(seen);
        CHECK(hipStreamSynchronize(stream));
        EXPECT(*seen == mask);
    }
}

// ---- the end of a program, and others that it begins ----

static void forks()
{
    int *p, status;
    CHECK(hipMalloc(&p, 256));
    CHECK(hipMemset(p, 0, 256));
    launch_add(p, 1, 64);
    CHECK(hipDeviceSynchronize());
    fflush(stdout);
    if (fork() == 0) {
        signal(SIGSEGV, SIG_DFL); // a sanitizer would report it
        launch_add(p, 1, 64);     // as with the kernel driver: a child has no GPU
        _exit(0);
    }
    EXPECT(wait(&status) > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    EXPECT(system("exit 3") >> 8 == 3);
    if (fork() == 0)
        execlp("true", "true", nullptr);
    EXPECT(wait(&status) > 0 && status == 0);
    launch_add(p, 1, 64);
    EXPECT(read(p, 64)[63] == 2);
}

__global__ void spin(volatile int *until)
{
    while (!*until)
        continue;
}

static int *start_spinning()
{
    int *until;
    CHECK(hipHostMalloc((void **)&until, 4));
    *until = 0;
    spin<<<1, 64>>>(until);
    puts("spins");
    fflush(stdout);
    return until;
}

int main(int argc, char **argv)
{
    const std::map<std::string, std::function<void()>> parts = {
        {"registered", registered}, {"pinned", pinned},       {"managed", managed},
        {"symbols", symbols},       {"pitched", pitched},     {"filled", filled},
        {"pooled", pooled},         {"room", room},           {"times", times},
        {"callbacks", callbacks},   {"graphs", graphs},       {"many-streams", many_streams},
        {"values", values},         {"threads", threads},     {"peers", peers},
        {"cooperative", cooperative}, {"heap", heap},         {"called", called},
        {"launches", launches},     {"grids", grids},         {"clocked", clocked},
        {"prints", prints},           {"masked", masked},     {"forks", forks},
        {"modules", [&] { modules(argc - 2, argv + 2); }},
        {"reset", [] { CHECK(hipDeviceReset()); registered(); CHECK(hipDeviceReset()); symbols(); }},
        {"exit-while-running", [] { start_spinning(); exit(4); }},
        {"wait-for-ever", [] { start_spinning(); CHECK(hipDeviceSynchronize()); }},
    };
    const auto part = parts.find(argc > 1 ? argv[1] : "");
    if (part == parts.end()) {
        fprintf(stderr, "what?\n");
        return 2;
    }
    part->second();
    puts("right");
}
