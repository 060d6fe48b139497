/*
 * A program as nvcc's host compiler makes it, without a header of CUDA: what is registered before
 * main(), the stubs of kernels, a
 * __managed__ variable that the host reaches by a pointer. VERSION: the major version of the
 * runtime. PER_THREAD: with nvcc's -default-stream per-thread. CONTAINERS: the fat binaries, as C
 * arrays; LINKED: nvlink has put them together.
 */
#include <stdio.h>
#include <string.h>

#include CONTAINERS

typedef struct {
    unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
int cudaMalloc(void **, size_t), cudaDeviceSynchronize(void), cudaFree(void *),
    cudaGetLastError(void), cudaRuntimeGetVersion(int *), cudaDriverGetVersion(int *),
    cudaPointerGetAttributes(void *, const void *), cudaFuncGetAttributes(void *, const void *);
#ifdef PER_THREAD
#define OF_STREAM(name) name##_ptsz
#define OF_THREAD(name) name##_ptds
#else
#define OF_STREAM(name) name
#define OF_THREAD(name) name
#endif
int OF_THREAD(cudaMemcpy)(void *, const void *, size_t, int),
    OF_THREAD(cudaMemcpyToSymbol)(const void *, const void *, size_t, size_t, int);
int OF_STREAM(cudaMemcpyAsync)(void *, const void *, size_t, int, void *),
    OF_STREAM(cudaStreamSynchronize)(void *);
#if VERSION >= 13
typedef struct {
    int type, id;
} location;
int OF_STREAM(cudaMemPrefetchAsync)(const void *, size_t, location, unsigned, void *);
int __cudaGetKernel(void **, const void *),
    OF_STREAM(__cudaLaunchKernel)(void *, dim3, dim3, void **, size_t, void *);
#else
int OF_STREAM(cudaMemPrefetchAsync)(const void *, size_t, int, void *);
int OF_STREAM(cudaLaunchKernel)(const void *, dim3, dim3, void **, size_t, void *);
#endif
int cudaStreamCreate(void **), cudaStreamDestroy(void *),
    OF_STREAM(cudaStreamBeginCapture)(void *, int),
    OF_STREAM(cudaStreamEndCapture)(void *, void **), cudaGraphExecDestroy(void *),
    cudaGraphDestroy(void *), OF_STREAM(cudaGraphLaunch)(void *, void *);
#if VERSION == 11
int cudaGraphInstantiate(void **, void *, void **, char *, size_t),
    cudaGraphExecUpdate(void *, void *, void **, int *);
#else
int cudaGraphInstantiate(void **, void *, unsigned long long),
    cudaGraphExecUpdate(void *, void *, void *);
#endif
#if VERSION >= 13
int OF_STREAM(cudaStreamGetCaptureInfo)(void *, int *, unsigned long long *, void **, void ***,
                                        void ***, size_t *);
int cudaGraphGetEdges(void *, void **, void **, long long *, size_t *);
#else
int cudaStreamGetCaptureInfo_v2(void *, int *, unsigned long long *, void **, void ***, size_t *);
int cudaGraphGetEdges(void *, void **, void **, size_t *);
#endif
#if VERSION == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif
int cudaGetDeviceProperties(void *, int);

static const struct {
    int magic, version;
    const void *container;
    const void *const *parts;
} wrapper = {0x466243b1, LINKED ? 2 : 1, part_0, LINKED ? parts : NULL};

static int scale, *counter; /* __constant__ and __managed__ */
static void **handle;

static void work(int *out, int n)
{
    dim3 grid, block;
    size_t shared;
    void *stream, *arguments[] = {&out, &n};
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream))
        return;
#if VERSION >= 13
    static void *kernel;
    if (!kernel)
        __cudaGetKernel(&kernel, (const void *)work);
    OF_STREAM(__cudaLaunchKernel)(kernel, grid, block, arguments, shared, stream);
#else
    OF_STREAM(cudaLaunchKernel)((const void *)work, grid, block, arguments, shared, stream);
#endif
}

__attribute__((destructor)) static void leave(void)
{
    __cudaUnregisterFatBinary(handle);
}

__attribute__((constructor)) static void enter(void)
{
    handle = __cudaRegisterFatBinary((void *)&wrapper);
    __cudaRegisterFunction(handle, (const char *)work, (char *)"work", "work", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(handle, (char *)&scale, (char *)"scale", "scale", 0, sizeof scale, 1, 0);
    __cudaRegisterManagedVar(handle, (void **)&counter, (char *)"counter", "counter", 0,
                             sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    __cudaInitModule(handle);
}

#define AT(bytes, offset) (*(int *)((bytes) + (offset)))

/* A captured stream, by the forms that this version's functions have. */
static void graphs(int *there, int n)
{
    void *stream, *graph, *exec, *known, **last, *from[2], *to[2], *result[3] = {0};
    int status = -1, how = -1, before = *counter;
    unsigned long long id;
    size_t count = 0, edges = 2;
    cudaStreamCreate(&stream);
    OF_STREAM(cudaStreamBeginCapture)(stream, 0);
    for (int i = 0; i < 3; i++)
        if (!__cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, stream))
            work(there, n);
#if VERSION >= 13
    void **plain = (void **)1;
    OF_STREAM(cudaStreamGetCaptureInfo)(stream, &status, &id, &known, &last, &plain, &count);
#else
    cudaStreamGetCaptureInfo_v2(stream, &status, &id, &known, &last, &count);
#endif
    OF_STREAM(cudaStreamEndCapture)(stream, &graph);
#if VERSION >= 13
    long long data[2] = {-1, -1};
    cudaGraphGetEdges(graph, from, to, data, &edges);
    printf("plain %d %lld %lld, ", plain == NULL, data[0], data[1]);
#else
    cudaGraphGetEdges(graph, from, to, &edges);
#endif
    printf("captured %d, last %zu %d, edges %zu %d, ", status, count, known == graph, edges,
           to[0] == from[1]);
#if VERSION == 11
    char log[10] = "x";
    cudaGraphInstantiate(&exec, graph, result, log, sizeof log);
    cudaGraphExecUpdate(exec, graph, result, &how);
#else
    cudaGraphInstantiate(&exec, graph, 0);
    *(int *)result = -1;
    cudaGraphExecUpdate(exec, graph, result);
    how = *(int *)result;
#endif
    printf("none ran %d, update %d", *counter == before, how);
    OF_STREAM(cudaGraphLaunch)(exec, stream);
    printf(", counter %+d\n", *counter - before);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
}

int main(void)
{
    enum { N = 1000, EDGE = 0x5a };
    static int out[N], got[N];
    int *there, wrong = 0, runtime, driver, times = 3;
    unsigned char bytes[2000];
    printf("counter %d\n", *counter);
    *counter = 10;
    cudaMalloc((void **)&there, sizeof out);
    OF_THREAD(cudaMemcpyToSymbol)(&scale, &times, sizeof times, 0, 1);
    if (!__cudaPushCallConfiguration((dim3){4, 1, 1}, (dim3){250, 1, 1}, 0, NULL))
        work(there, N);
    printf("launch %d\n", cudaGetLastError());
    OF_STREAM(cudaMemcpyAsync)(got, there, sizeof got, 2, NULL);
    OF_STREAM(cudaStreamSynchronize)(NULL);
    OF_THREAD(cudaMemcpy)(out, there, sizeof out, 2);
    for (int i = 0; i < N; i++)
        wrong += out[i] != 3 * i + 1 || got[i] != out[i];
    cudaRuntimeGetVersion(&runtime), cudaDriverGetVersion(&driver);
    printf("%d wrong, counter %d, runtime %d, driver %s\n", wrong, *counter, runtime / 1000,
           driver >= runtime ? "fits" : "is older");

    memset(bytes, EDGE, sizeof bytes);
    printf("properties %d", cudaGetDeviceProperties(bytes, 0));
    printf(" %.8s, warps %d, %d.%d, threads %d, SMs %d, in use %d %d\n", (char *)bytes,
           AT(bytes, 308), AT(bytes, 360), AT(bytes, 364), AT(bytes, MOST_THREADS), AT(bytes, SMS),
           bytes[PROPERTIES - 1] != EDGE, bytes[PROPERTIES] != EDGE);
    memset(bytes, EDGE, sizeof bytes);
    printf("pointer %d", cudaPointerGetAttributes(bytes, there));
    printf(" type %d, in use %d %d\n", AT(bytes, 0), bytes[POINTER - 1] != EDGE,
           bytes[POINTER] != EDGE);
    memset(bytes, EDGE, sizeof bytes);
    printf("function %d", cudaFuncGetAttributes(bytes, (const void *)work));
    printf(" threads %d, in use %d %d\n", AT(bytes, 24), bytes[FUNCTION - 5] != EDGE,
           bytes[FUNCTION] != EDGE);
#if VERSION >= 13
    printf("prefetch %d\n",
           OF_STREAM(cudaMemPrefetchAsync)(counter, sizeof *counter, (location){1, 0}, 0, NULL));
#else
    printf("prefetch %d\n", OF_STREAM(cudaMemPrefetchAsync)(counter, sizeof *counter, 0, NULL));
#endif
    graphs(there, N);
    return cudaFree(there);
}
