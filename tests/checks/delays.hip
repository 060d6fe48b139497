// Operations of two streams that nothing orders. The kernels have private memory, which the runtime provides by a thread of its own while the queue waits: each
// is late, and the program goes on.
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>

__device__ int stirred(int i, int k)
{
    volatile int mine[64];
    for (int j = 0; j < 64; j++)
        mine[j] = j * k;
    return mine[(i ^ k) & 63];
}
__global__ void set(int *p, int k) { p[threadIdx.x] = stirred(threadIdx.x, k); }
__global__ void add(int *p) { p[threadIdx.x] += 1; }
__global__ void sum(int *out, const int *p) { out[threadIdx.x] = p[threadIdx.x] + stirred(threadIdx.x, 1); }

int main(int count, char **words)
{
    int *p, *q, h[64];
    hipStream_t s, t;
    hipStreamCreateWithFlags(&s, hipStreamNonBlocking);
    hipStreamCreateWithFlags(&t, hipStreamNonBlocking);
    hipMalloc((void **)&p, 256);
    hipMalloc((void **)&q, 256);
    hipMemset(p, 0, 256);
    hipMemset(q, 0, 256);
    hipDeviceSynchronize();
    const char *what = words[2];
    if (!strcmp(what, "kernels")) {
        set<<<1, 64, 0, s>>>(p, 1);
        add<<<1, 64, 0, t>>>(p);
    } else if (!strcmp(what, "fill")) {
        sum<<<1, 64, 0, s>>>(q, p);
        hipMemsetAsync(p, 1, 256, t);
    } else if (!strcmp(what, "copy")) {
        set<<<1, 64, 0, s>>>(p, 1);
        hipMemcpyAsync(q, p, 256, hipMemcpyDeviceToDevice, t);
    } else { // "ordered": in one stream
        set<<<1, 64, 0, s>>>(p, 1);
        add<<<1, 64, 0, s>>>(p);
        hipMemcpyAsync(q, p, 256, hipMemcpyDeviceToDevice, s);
    }
    hipDeviceSynchronize();
    hipMemcpy(h, q, 256, hipMemcpyDeviceToHost);
    hipFree(p);
    hipFree(q);
    printf("%d\n", h[1] & 0);
}
