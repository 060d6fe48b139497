/*
 * __managed__ variables, which host and GPUs have in common: initial values, stores of both sides,
 * structures, arrays, templates, members, pointers to others. With a file of another program's
 * part (OTHER): linked by -fgpu-rdc, it uses variables of this one.
 */
#include <cstdio>

struct point {
    int x;
    double y;
    char name[8];
};
struct holder {
    static __managed__ short member;
};

#ifdef OTHER
extern __managed__ int counter;
extern __managed__ point origin;
__managed__ int own = 1000;
__device__ int add_own()
{
    counter += 10000;
    origin.x += 10;
    return ++own;
}
int other(void)
{
    return own + counter;
}
#else

__managed__ int counter = 5;
__device__ __managed__ float table[4] = {1, 2, 3, 4};
__managed__ point origin = {1, 2.5, "here"};
__managed__ int zeroed[3200];
static __device__ int plain = 70;
namespace deep
{
__managed__ long long big = -1;
}
template <class T> __managed__ T typed = 3;
__managed__ short holder::member = 9;
__managed__ int *pointer = &counter;

__global__ void work()
{
    const int i = threadIdx.x;
    atomicAdd(&counter, 1);
    zeroed[100 * i] += i;
    if (i < 4)
        table[i] += plain;
    if (i)
        return;
    origin.x++;
    origin.y *= 2;
    origin.name[0] = 'H';
    deep::big--;
    typed<int> += 4;
    holder::member++;
    *pointer += 100;
}

__global__ void through(int *p)
{
    *p += 1;
}

static void show(const char *when)
{
    std::printf("%s: %d, %g %g %g %g, %d %g %s, %d %d, %lld %d %d\n", when, counter, table[0],
                table[1], table[2], table[3], origin.x, origin.y, origin.name, zeroed[1],
                zeroed[2900], deep::big, typed<int>, holder::member);
}

static void advice()
{
    int *allocated, *plain_memory;
    cudaMallocManaged(&allocated, 40);
    cudaMalloc(&plain_memory, 40);
    std::printf("advice %d %d, attached %d, prefetched %d; wrong %d %d %d\n",
                cudaMemAdvise(&counter, 4, cudaMemAdviseSetReadMostly, 0),
                cudaMemAdvise(allocated, 40, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId),
                cudaStreamAttachMemAsync(nullptr, allocated),
                cudaMemPrefetchAsync(&counter, 4, 0, nullptr),
                cudaMemAdvise(plain_memory, 40, cudaMemAdviseSetReadMostly, 0),
                cudaMemAdvise(allocated, 40, (cudaMemoryAdvise)9, 0),
                cudaStreamAttachMemAsync(nullptr, plain_memory));
    cudaFree(allocated);
    cudaFree(plain_memory);
    cudaGetLastError();
}

static void of_the_runtime()
{
    int value = 1000, got = 0, registered[2] = {1, 2};
    void *address;
    size_t size;
    cudaPointerAttributes of;
    cudaMemcpyToSymbol(counter, &value, sizeof value);
    counter++;
    cudaMemcpyFromSymbol(&got, counter, sizeof got);
    cudaGetSymbolAddress(&address, table);
    cudaGetSymbolSize(&size, table);
    cudaPointerGetAttributes(&of, &table[1]);
    std::printf("runtime %d, %d %zu, %d %d, ", got, address == table, size,
                of.type == cudaMemoryTypeManaged, of.devicePointer == &table[1]);
    cudaMemset(zeroed, 1, 8);
    std::printf("%x %x %d, ", zeroed[0], zeroed[1], zeroed[2]);
    cudaHostRegister(&registered[0], 4, 0); // of one page, each alone
    cudaHostRegister(&registered[1], 4, 0);
    cudaHostUnregister(&registered[0]);
    through<<<1, 1>>>(&registered[1]);
    std::printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), registered[1]);
}

#ifdef LINKED
__device__ int add_own();
int other(void);
__global__ void both(int *sum)
{
    *sum = add_own();
}
static void with_the_other()
{
    std::printf("other %d, ", other());
    both<<<1, 1>>>(&counter);
    std::printf("%s %d %d %d\n", cudaGetErrorName(cudaDeviceSynchronize()), counter, origin.x,
                other());
}
#endif

int main()
{
    int gpus;
    show("before");
#ifdef LINKED
    with_the_other();
    counter = 5;
#endif
    counter += 5;
    table[2] = 30;
    zeroed[2900] = 1;
    cudaGetDeviceCount(&gpus);
    for (int i = 0; i < gpus; i++) { // the second one's module finds the values as they are
        cudaSetDevice(i);
        work<<<1, 32>>>();
        std::printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
        show(i ? "second" : "first");
    }
    through<<<1, 1>>>(&counter);
    cudaDeviceSynchronize();
    std::printf("through %d %d\n", counter, pointer == &counter);
    advice();
    of_the_runtime();
}
#endif
