// A kernel that uses memory of the process which no call has given to GPUs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#include <hip/hip_runtime.h>

static int global[64];
static const int constant[64] = {5, 7};

__global__ void add(const int *a, const int *b, int *out)
{
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; // store
}

__global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

static bool run(const int *a, const int *b, int *out)
{
    add<<<1, 64>>>(a, b, out);
    if (hipDeviceSynchronize() != hipSuccess)
        return false;
    for (int i = 0; i < 64; i++)
        if (out[i] != a[i] + b[i])
            return false;
    return true;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int gpus = 0, stack[64];
    hipGetDeviceCount(&gpus);
    for (int gpu = 0; gpu < gpus; gpu++) {
        hipDeviceProp_t is;
        hipSetDevice(gpu);
        hipGetDeviceProperties(&is, gpu);
        printf("%s: pageable %d\n", is.gcnArchName, is.pageableMemoryAccess);
        fflush(stdout);
    }
    int *heap = (int *)malloc(sizeof stack), *device;
    for (int i = 0; i < 64; i++)
        stack[i] = 3 * i, heap[i] = -i, global[i] = 0;
    if (!strcmp(what, "constant")) // a page that the program may not write itself
        return !run(stack, heap, const_cast<int *>(constant));
    if (!strcmp(what, "freed")) { // what is not mapped any longer is not lent any longer
        int *pages = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        const bool good = run(stack, heap, pages);
        printf("mapped: %d\n", good);
        fflush(stdout);
        munmap(pages, 4096);
        return !run(stack, heap, pages);
    }
    if (!strcmp(what, "groups")) { // nothing orders their stores
        add<<<3, 64>>>(stack, heap, global);
        return hipDeviceSynchronize() != hipSuccess;
    }
    if (hipMalloc(&device, sizeof stack) != hipSuccess)
        return 1;
    printf("stack, heap, global: %d\n", run(stack, heap, global));
    printf("constants, global, stack: %d\n", run(constant, global, stack));
    hipMemcpy(device, heap, sizeof stack, hipMemcpyDefault);
    add<<<1, 64>>>(device, stack, heap);
    int *more = NULL, *counter = (int *)calloc(1, sizeof *counter);
    bool good = hipDeviceSynchronize() == hipSuccess;
    for (int i = 0; i < 64; i++)
        good &= heap[i] == -i + stack[i];
    printf("device, stack, heap: %d\n", good);
    for (int i = 0; i < 20; i++) { // memory that the runtime allocates between what was lent
        good &= hipMalloc(&more, 1 << 20) == hipSuccess && hipMemset(more, i, 1 << 20) == hipSuccess;
        count<<<4, 64>>>(counter);
        good &= hipDeviceSynchronize() == hipSuccess && hipFree(more) == hipSuccess;
    }
    printf("counted: %d, %d\n", *counter, good);
    (void)hipFree(device);
    free(heap);
    free(counter);
    return 0;
}
