/* Planted mistakes with CUDA's arrays, surfaces and textures, and idioms. The host says what each
 * case's numbers are: a wrong one ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"

enum { W = 8, H = 4 };

static int pattern[H][W];

struct picture {
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture;
};

static void need(bool right, const char *what)
{
    if (!right) {
        printf("%s: %s\n", case_name, what);
        exit(3);
    }
}

/* Of W x H numbers, in which column x of row y has 10 y + x. */
static picture make(cudaTextureAddressMode mode)
{
    picture made;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<int>();
    for (int i = 0; i < W * H; i++)
        pattern[i / W][i % W] = 10 * (i / W) + i % W;
    need(!cudaMallocArray(&made.array, &one, W, H, cudaArraySurfaceLoadStore), "no array");
    cudaMemcpy2DToArray(made.array, 0, 0, pattern, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = made.array;
    how.addressMode[0] = how.addressMode[1] = mode;
    how.readMode = cudaReadModeElementType;
    need(!cudaCreateSurfaceObject(&made.surface, &resource), "no surface");
    need(!cudaCreateTextureObject(&made.texture, &resource, &how, nullptr), "no texture");
    return made;
}

static void release(const picture &p)
{
    cudaDestroyTextureObject(p.texture);
    cudaDestroySurfaceObject(p.surface);
    cudaFreeArray(p.array);
}

/* The result is the array's; @p bad: it is not looked at. */
static void end(const picture &p, int bad, int first)
{
    int back[H][W];
    cudaDeviceSynchronize();
    cudaMemcpy2DFromArray(back, W * 4, p.array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost);
    need(bad || (back[0][0] == first && back[H - 1][W - 1] == pattern[H - 1][W - 1]),
         "a wrong number");
    result(back, sizeof back);
    release(p);
}

__global__ void store(cudaSurfaceObject_t surface, int lane, int by)
{
    const int x = threadIdx.x;
    surf2Dwrite(100 + x, surface, 4 * (x + (x == lane ? by : 0)), 0); /* BUG store */
}

__global__ void load(int *out, cudaSurfaceObject_t surface, int by)
{
    out[threadIdx.x] = surf2Dread<int>(surface, 4 * threadIdx.x, by); /* BUG load */
}

static void surface_store(int bad)
{
    const picture p = make(cudaAddressModeClamp);
    store<<<1, W>>>(p.surface, 6, 2 * bad);
    end(p, bad, 100);
}

static void surface_load(int bad)
{
    int *out, back[W];
    const picture p = make(cudaAddressModeClamp);
    cudaMalloc((void **)&out, W * 4);
    load<<<1, W>>>(out, p.surface, bad ? H : 1);
    cudaMemcpy(back, out, W * 4, cudaMemcpyDeviceToHost);
    need(bad || (back[0] == 10 && back[W - 1] == 10 + W - 1), "a wrong number");
    cudaFree(out);
    end(p, bad, 0);
}

static void copy_to_array(int bad)
{
    static int from[2 * H][W];
    const picture p = make(cudaAddressModeClamp);
    memcpy(from, pattern, sizeof pattern);
    /* BUG copy_to_array */
    (void)cudaMemcpy2DToArray(p.array, 0, 0, from, W * 4, W * 4, H + bad, cudaMemcpyHostToDevice);
    end(p, bad, 0);
}

static void leak_array(int bad)
{
    cudaArray_t other;
    const picture p = make(cudaAddressModeClamp);
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    cudaMallocArray(&other, &one, 5, 3); /* BUG leak_array */
    if (!bad)
        cudaFreeArray(other);
    end(p, bad, 0);
}

/* ---- idioms: coordinates outside, which the language defines ---- */

__global__ void sample(int *out, cudaTextureObject_t texture)
{
    const int x = threadIdx.x;
    out[x] = tex2D<int>(texture, 4 * x - 10 + 0.5f, x - 2 + 0.5f);
}

static void sampled(cudaTextureAddressMode mode, int low, int high)
{
    int *out, back[W];
    const picture p = make(mode);
    cudaMalloc((void **)&out, W * 4);
    sample<<<1, W>>>(out, p.texture);
    cudaMemcpy(back, out, W * 4, cudaMemcpyDeviceToHost);
    need(back[0] == low && back[W - 1] == high, "a wrong number");
    cudaFree(out);
    end(p, 0, 0);
}

static void clamped_texture(int)
{
    sampled(cudaAddressModeClamp, 0, 10 * (H - 1) + W - 1);
}

static void texture_with_border(int)
{
    sampled(cudaAddressModeBorder, 0, 0);
}

__global__ void beyond(int *out, cudaSurfaceObject_t surface)
{
    surf2Dwrite(7, surface, 4 * (W + (int)threadIdx.x), 0, cudaBoundaryModeZero);
    out[threadIdx.x] =
        surf2Dread<int>(surface, 4 * (W + (int)threadIdx.x), 1, cudaBoundaryModeZero);
}

static void surface_with_zeros(int)
{
    int *out, back[W];
    const picture p = make(cudaAddressModeClamp);
    cudaMalloc((void **)&out, W * 4);
    beyond<<<1, W>>>(out, p.surface);
    cudaMemcpy(back, out, W * 4, cudaMemcpyDeviceToHost);
    need(!back[0] && !back[W - 1], "a wrong number");
    cudaFree(out);
    end(p, 0, 0);
}

CASES(CASE(surface_store), CASE(surface_load), CASE(copy_to_array), CASE(leak_array),
      CASE(clamped_texture), CASE(texture_with_border), CASE(surface_with_zeros))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
