/* HIP's arrays between two streams: copies and textures. array_orders CASE [ordered] */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>

enum { W = 16, H = 4 };

__global__ void look(hipTextureObject_t from, int *out)
{
    out[W * threadIdx.y + threadIdx.x] = tex2D<int>(from, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

int main(int argc, char **argv)
{
    const bool ordered = argc > 2;
    const char *what = argv[1];
    const hipChannelFormatDesc one = hipCreateChannelDesc<int>();
    hipResourceDesc resource = {};
    hipTextureDesc how = {};
    hipTextureObject_t texture;
    hipStream_t a, b;
    hipEvent_t e;
    int *pinned, *other, *out;
    hipArray *array;
    hipStreamCreateWithFlags(&a, hipStreamNonBlocking);
    hipStreamCreateWithFlags(&b, hipStreamNonBlocking);
    hipEventCreate(&e);
    hipHostMalloc((void **)&pinned, W * H * 4, 0);
    hipHostMalloc((void **)&other, W * H * 4, 0);
    hipMalloc((void **)&out, W * H * 4);
    memset(pinned, 0, W * H * 4);
    if (hipMallocArray(&array, &one, W, H, 0))
        return 3;
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    if (hipCreateTextureObject(&texture, &resource, &how, nullptr))
        return 4;
    hipMemcpy2DToArray(array, 0, 0, pinned, W * 4, W * 4, H, hipMemcpyHostToDevice);
    hipDeviceSynchronize();
    if (!strcmp(what, "seen"))
        look<<<1, dim3(W, H), 0, a>>>(texture, out);
    else if (!strcmp(what, "rows"))
        hipMemcpy2DToArrayAsync(array, 0, 0, pinned, W * 4, W * 4, H / 2, hipMemcpyHostToDevice, a);
    else
        hipMemcpy2DToArrayAsync(array, 0, 0, pinned, W * 4, W * 4, H, hipMemcpyHostToDevice, a);
    hipEventRecord(e, a);
    if (ordered)
        hipStreamWaitEvent(b, e, 0);
    if (!strcmp(what, "read"))
        hipMemcpy2DFromArrayAsync(other, W * 4, array, 0, 0, W * 4, H, hipMemcpyDeviceToHost, b);
    else if (!strcmp(what, "rows"))
        hipMemcpy2DToArrayAsync(array, 0, H / 2, other, W * 4, W * 4, H / 2, hipMemcpyHostToDevice, b);
    else if (!strcmp(what, "seen"))
        hipMemcpy2DToArrayAsync(array, 0, 0, pinned, W * 4, W * 4, H, hipMemcpyHostToDevice, b);
    else
        look<<<1, dim3(W, H), 0, b>>>(texture, out);
    hipDeviceSynchronize();
    hipDestroyTextureObject(texture);
    hipFreeArray(array);
    hipHostFree(pinned);
    hipHostFree(other);
    hipFree(out);
    hipStreamDestroy(a);
    hipStreamDestroy(b);
    hipEventDestroy(e);
    printf("%s\n", hipGetErrorString(hipGetLastError()));
}
