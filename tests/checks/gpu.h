/* One language for HIP, CUDA and the oracle. API(Malloc) is hipMalloc, cudaMalloc or a function of
 * this file; LAUNCH starts a kernel. The oracle is the host's compiler with AddressSanitizer: each
 * GPU thread is a host thread that is named by its lane ("lane5"), a device's memory is malloc's,
 * __shared__ variables are static ones, and streams, events are blocks of memory, so that a use
 * after their destruction is a use of freed memory. With GROUPS_AT_ONCE, for ThreadSanitizer,
 * groups run at once; then only one group of a kernel may have __shared__ variables. */
#ifndef GPU_H
#define GPU_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __HIP__ || defined __CUDA__
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define API(name) hip##name
#define SYMBOL(name) HIP_SYMBOL(name)
#else
#define API(name) cuda##name
#define SYMBOL(name) name
#endif
#define LAUNCH(kernel, grid, block, shared, stream, ...)                                           \
    kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]

#else
#include <pthread.h>
#include <sys/prctl.h>
#include <functional>

#define API(name) host##name
#define SYMBOL(name) name
#define LAUNCH(kernel, grid, block, shared, stream, ...)                                           \
    host_launch(grid, block, shared, stream, [=] { kernel(__VA_ARGS__); })
#define DYNAMIC_SHARED(type, name) type *const name = (type *)host_dynamic
#define __global__ static
#define __device__
#define __host__
#define __constant__
#define __shared__ static
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline

struct host_index {
    unsigned x;
};
struct alignas(8) int2 {
    int x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct float3 {
    float x, y, z;
};
typedef int hostError_t;
/* Streams and events are blocks of memory. */
typedef int *hostStream_t, *hostEvent_t;
enum {
    hostSuccess,
    hostMemcpyHostToDevice = 1,
    hostMemcpyDeviceToHost,
    hostMemcpyDeviceToDevice,
    hostMemAttachGlobal = 1
};

static thread_local host_index threadIdx, blockIdx;
static host_index blockDim, gridDim;
static void *host_dynamic;

#ifdef GROUPS_AT_ONCE
enum { HOST_BLOCKS = 4, HOST_THREADS = 128 };
#else
enum { HOST_BLOCKS = 1, HOST_THREADS = 64 };
#endif

/* Two barriers in turn: pthread_barrier_wait() acquires what threads release that are at the next
 * round already. */
struct host_barriers {
    pthread_barrier_t of[2];
};
static host_barriers host_barrier[HOST_BLOCKS];
static thread_local host_barriers *host_own_barrier;
static thread_local unsigned host_round;

static inline void __syncthreads()
{
    pthread_barrier_wait(&host_own_barrier->of[host_round++ % 2]);
}

#ifdef GROUPS_AT_ONCE
/* ThreadSanitizer knows no fences: each is an operation on one word of its scope. */
static int host_fence_word, host_block_word[HOST_BLOCKS];
static inline void __threadfence()
{
    __atomic_fetch_add(&host_fence_word, 0, __ATOMIC_ACQ_REL);
}
static inline void __threadfence_block()
{
    __atomic_fetch_add(&host_block_word[blockIdx.x], 0, __ATOMIC_ACQ_REL);
}
static inline int atomicExch(int *p, int n)
{
    return __atomic_exchange_n(p, n, __ATOMIC_RELAXED);
}
static inline int atomicCAS(int *p, int expected, int n)
{
    __atomic_compare_exchange_n(p, &expected, n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
static inline int atomicMax(int *p, int n)
{
    int was = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (was < n &&
           !__atomic_compare_exchange_n(p, &was, n, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    return was;
}
#endif
static inline int atomicAdd(int *p, int n)
{
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}
static inline unsigned long long atomicAdd(unsigned long long *p, unsigned long long n)
{
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}
static inline unsigned long long atomicCAS(unsigned long long *p, unsigned long long expected,
                                           unsigned long long n)
{
    __atomic_compare_exchange_n(p, &expected, n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
static inline unsigned atomicCAS(unsigned *p, unsigned expected, unsigned n)
{
    __atomic_compare_exchange_n(p, &expected, n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

struct host_thread {
    unsigned lane, block;
    const std::function<void()> *body;
};

static void *host_run(void *argument)
{
    const host_thread *one = (const host_thread *)argument;
    char name[16];
    snprintf(name, sizeof name, "lane%u", one->lane);
    prctl(PR_SET_NAME, name);
    threadIdx.x = one->lane;
    blockIdx.x = one->block;
    host_own_barrier = &host_barrier[one->block % HOST_BLOCKS];
    (*one->body)();
    return NULL;
}

/* 0 is the default stream. */
static inline void host_use(hostStream_t stream)
{
    if (stream)
        ++*stream;
}

struct host_group {
    pthread_t thread[HOST_THREADS];
    host_thread one[HOST_THREADS];
};

static inline void host_begin(host_group *g, unsigned b, unsigned block,
                              const std::function<void()> &body)
{
    for (pthread_barrier_t &barrier : host_barrier[b % HOST_BLOCKS].of)
        pthread_barrier_init(&barrier, NULL, block);
    for (unsigned i = 0; i < block; i++) {
        g->one[i] = {i, b, &body};
        pthread_create(&g->thread[i], NULL, host_run, &g->one[i]);
    }
}

static inline void host_end(host_group *g, unsigned b, unsigned block)
{
    for (unsigned i = 0; i < block; i++)
        pthread_join(g->thread[i], NULL);
    for (pthread_barrier_t &barrier : host_barrier[b % HOST_BLOCKS].of)
        pthread_barrier_destroy(&barrier);
}

/* HOST_BLOCKS groups run at once. */
static inline void host_launch(unsigned grid, unsigned block, size_t shared, hostStream_t stream,
                               const std::function<void()> &body)
{
    static host_group group[HOST_BLOCKS];
    host_use(stream);
    blockDim.x = block;
    gridDim.x = grid;
    for (unsigned b = 0; b < grid; b += HOST_BLOCKS) {
        const unsigned end = b + HOST_BLOCKS < grid ? b + HOST_BLOCKS : grid;
        host_dynamic = malloc(shared);
        for (unsigned i = b; i < end; i++)
            host_begin(&group[i - b], i, block, body);
        for (unsigned i = b; i < end; i++)
            host_end(&group[i - b], i, block);
        free(host_dynamic);
    }
}

template <class T> static inline int hostMalloc(T **p, size_t size)
{
    return !(*p = (T *)malloc(size));
}
/* What is made by one pair of functions must not be freed by the other's. */
template <class T> static inline int hostMallocHost(T **p, size_t size)
{
    *p = (T *)new char[size];
    return 0;
}
template <class T> static inline int hostMallocManaged(T **p, size_t size)
{
    return hostMalloc(p, size);
}
template <class T> static inline int hostMallocAsync(T **p, size_t size, hostStream_t stream)
{
    host_use(stream);
    return hostMalloc(p, size);
}
static inline int hostFree(void *p)
{
    free(p);
    return 0;
}
static inline int hostFreeHost(void *p)
{
    delete[](char *) p;
    return 0;
}
static inline int hostFreeAsync(void *p, hostStream_t stream)
{
    host_use(stream);
    return hostFree(p);
}
static inline int hostMemcpy(void *to, const void *from, size_t size, int)
{
    memcpy(to, from, size);
    return 0;
}
static inline int hostMemcpyAsync(void *to, const void *from, size_t size, int kind,
                                  hostStream_t stream)
{
    host_use(stream);
    return hostMemcpy(to, from, size, kind);
}
static inline int hostMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t width, size_t height, int)
{
    for (size_t y = 0; y < height; y++)
        memcpy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width);
    return 0;
}
static inline int hostMemset(void *p, int value, size_t size)
{
    memset(p, value, size);
    return 0;
}
static inline int hostMemsetAsync(void *p, int value, size_t size, hostStream_t stream)
{
    host_use(stream);
    return hostMemset(p, value, size);
}
template <class T> static inline int hostMemcpyToSymbol(T &symbol, const void *from, size_t size)
{
    memcpy((void *)&symbol, from, size);
    return 0;
}
template <class T> static inline int hostMemcpyFromSymbol(void *to, T &symbol, size_t size)
{
    memcpy(to, &symbol, size);
    return 0;
}
template <class T> static inline int hostGetSymbolAddress(void **p, T &symbol)
{
    *p = (void *)&symbol;
    return 0;
}
static inline int hostHostRegister(void *, size_t, int)
{
    return 0;
}
static inline int hostHostUnregister(void *)
{
    return 0;
}
static inline int hostHostGetDevicePointer(void **device, void *host, int)
{
    *device = host;
    return 0;
}
static inline int hostStreamCreate(hostStream_t *stream)
{
    return !(*stream = (int *)calloc(1, sizeof(int)));
}
static inline int hostStreamSynchronize(hostStream_t stream)
{
    host_use(stream);
    return 0;
}
static inline int hostStreamDestroy(hostStream_t stream)
{
    free(stream);
    return 0;
}
#define hostEventCreate hostStreamCreate
#define hostEventDestroy hostStreamDestroy
static inline int hostEventRecord(hostEvent_t event, hostStream_t)
{
    host_use(event);
    return 0;
}
static inline int hostEventSynchronize(hostEvent_t event)
{
    host_use(event);
    return 0;
}
static inline int hostDeviceSynchronize()
{
    return 0;
}
static inline int hostSetDevice(int device)
{
    return device != 0;
}
static inline int hostGetLastError()
{
    return 0;
}
#endif
#endif
