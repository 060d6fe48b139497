/* CUDA's arrays between two streams: copies, surfaces and textures. array_orders CASE [ordered] */
#include <stdio.h>
#include <string.h>

enum { W = 16, H = 4 };

__global__ void draw(cudaSurfaceObject_t to, int first)
{
    surf2Dwrite(int(threadIdx.x), to, 4 * threadIdx.x, first + threadIdx.y);
}

__global__ void look(cudaTextureObject_t from, int *out, int first)
{
    out[W * threadIdx.y + threadIdx.x] = tex2D<int>(from, threadIdx.x + 0.5f, first + threadIdx.y + 0.5f);
}

int main(int argc, char **argv)
{
    const bool ordered = argc > 2;
    const char *what = argv[1];
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<int>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture;
    cudaStream_t a, b;
    cudaEvent_t e;
    int *pinned, *out;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaMallocHost((void **)&pinned, W * H * 4);
    cudaMalloc(&out, W * H * 4);
    memset(pinned, 0, W * H * 4);
    resource.resType = cudaResourceTypeArray;
    if (cudaMallocArray(&resource.res.array.array, &one, W, H, cudaArraySurfaceLoadStore) || cudaCreateSurfaceObject(&surface, &resource) ||
        cudaCreateTextureObject(&texture, &resource, &how, nullptr))
        return 3;
    cudaArray_t array = resource.res.array.array;
    cudaMemcpy2DToArray(array, 0, 0, pinned, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    if (!strcmp(what, "copied"))
        cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, W * 4, W * 4, H, cudaMemcpyHostToDevice, a);
    else
        draw<<<1, dim3(W, H / 2), 0, a>>>(surface, 0);
    cudaEventRecord(e, a);
    if (ordered)
        cudaStreamWaitEvent(b, e, 0);
    if (!strcmp(what, "read"))
        cudaMemcpy2DFromArrayAsync(pinned, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost, b);
    else if (!strcmp(what, "both"))
        draw<<<1, dim3(W, H / 2), 0, b>>>(surface, 1);
    else if (!strcmp(what, "rows"))
        draw<<<1, dim3(W, H / 2), 0, b>>>(surface, H / 2);
    else
        look<<<1, dim3(W, H / 2), 0, b>>>(texture, out, 0);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFreeHost(pinned);
    cudaFree(out);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(e);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
