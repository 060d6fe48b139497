/* Draws each texel of an array from another one, by a surface and a texture; then a lane faults.
 * argv[1]: what texel (5,2) has more. */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#define API(name) hip##name
#else
#define API(name) cuda##name
#endif
#include <stdio.h>
#include <stdlib.h>
__global__ void draw(API(SurfaceObject_t) to, API(TextureObject_t) from, int more, int *nowhere)
{
    const int x = threadIdx.x, y = threadIdx.y;
    int value = tex2D<int>(from, x, y) + (x == 5 && y == 2 ? more : 0);
    surf2Dwrite(value, to, x * 4, y);
    __syncthreads();
    int back;
    surf2Dread(&back, to, (15 - x) * 4, y);
    surf2Dwrite(back * 2, to, x * 4, y + 8);
    __syncthreads();
    if (x == 0 && y == 0)
        *nowhere = 1;
}
int main(int argc, char **argv)
{
    enum { W = 16, H = 8 };
    int list[H][W];
    for (int i = 0; i < W * H; i++)
        list[i / W][i % W] = i * 7 % 61;
    API(Array_t) a[2];
    API(SurfaceObject_t) s;
    API(TextureObject_t) t;
    const API(ChannelFormatDesc) one = API(CreateChannelDesc)<int>();
#ifdef __HIP__
    const int flags = 0;
#else
    const int flags = cudaArraySurfaceLoadStore;
#endif
    if (API(MallocArray)(&a[0], &one, W, 2 * H, flags) || API(MallocArray)(&a[1], &one, W, H, flags)) return 3;
    (void)API(Memcpy2DToArray)(a[1], 0, 0, list, sizeof *list, sizeof *list, H, API(MemcpyHostToDevice));
    API(ResourceDesc) r = {};
    API(TextureDesc) how = {};
    r.resType = API(ResourceTypeArray);
    r.res.array.array = a[0];
    if (API(CreateSurfaceObject)(&s, &r)) return 4;
    r.res.array.array = a[1];
    how.readMode = API(ReadModeElementType);
    if (API(CreateTextureObject)(&t, &r, &how, nullptr)) return 5;
    draw<<<1, dim3(W, H)>>>(s, t, atoi(argv[1]), (int *)0x40);
    printf("%d\n", API(DeviceSynchronize)() != 0);
}
