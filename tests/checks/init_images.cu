/* Planted uses of texels that nothing has written, and idioms, in HIP and CUDA C++ (init.txt). There is no oracle: a host has no arrays. */
#include "gpu.h"
#include "cases.h"
#ifdef __HIP__
enum { SURFACES = 0 };
#else
enum { SURFACES = cudaArraySurfaceLoadStore };
#endif
enum { W = 16, H = 8, HALF = H / 2 };
static int pattern[H][W];

struct picture {
    API(Array_t) array;
    API(SurfaceObject_t) surface;
    API(TextureObject_t) texture;
};

static void need(bool right, const char *what)
{
    if (!right) { printf("%s: %s\n", case_name, what); exit(3); }
}

template <class T> static picture make(int rows, bool linear = false)
{
    picture made;
    API(ResourceDesc) resource = {};
    API(TextureDesc) how = {};
    const API(ChannelFormatDesc) one = API(CreateChannelDesc)<T>();
    T list[H][W];
    for (int i = 0; i < W * H; i++)
        list[i / W][i % W] = (T)(i * 7 % 61);
    need(!API(MallocArray)(&made.array, &one, W, H, SURFACES), "no array");
    if (rows)
        need(!API(Memcpy2DToArray)(made.array, 0, 0, list, sizeof *list, sizeof *list, rows, API(MemcpyHostToDevice)), "no copy");
    resource.resType = API(ResourceTypeArray);
    resource.res.array.array = made.array;
    how.addressMode[0] = how.addressMode[1] = API(AddressModeClamp);
    how.readMode = API(ReadModeElementType);
    how.filterMode = linear ? API(FilterModeLinear) : API(FilterModePoint);
    need(!API(CreateSurfaceObject)(&made.surface, &resource), "no surface");
    need(!API(CreateTextureObject)(&made.texture, &resource, &how, nullptr), "no texture");
    return made;
}
static void drop(const picture &p)
{
    API(DestroyTextureObject)(p.texture);
    API(DestroySurfaceObject)(p.surface);
    (void)API(FreeArray)(p.array);
}
static int *memory(int rows)
{
    int *p, list[H * W];
    need(!API(Malloc)(&p, sizeof list), "no memory");
    for (int i = 0; i < W * H; i++)
        list[i] = i * 7 % 61;
    if (rows)
        (void)API(Memcpy)(p, list, rows * W * 4, API(MemcpyHostToDevice));
    return p;
}
static void end(int *out, int bad)
{
    int back[H * W];
    (void)API(Memcpy)(back, out, sizeof back, API(MemcpyDeviceToHost));
    if (bad) memset(back, 0, sizeof back);
    result(back, sizeof back);
    (void)API(Free)(out);
}
__global__ void texture_add(int *out, API(TextureObject_t) t)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<int>(t, x + 0.5f, y + 0.5f) + 1; /* BUG texture_sum */
}
static void texture_of_a_part(int bad)
{
    const picture p = make<int>(bad ? HALF : H);
    int *out = memory(0);
    texture_add<<<1, dim3(W, H)>>>(out, p.texture);
    end(out, bad);
    drop(p);
}
__global__ void texture_filter(int *out, API(TextureObject_t) t)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = (int)tex2D<float>(t, x + 0.75f, y + 0.25f); /* BUG texture_filter */
}
static void filter_of_a_part(int bad)
{
    const picture p = make<float>(bad ? HALF : H, true);
    int *out = memory(0);
    texture_filter<<<1, dim3(W, H)>>>(out, p.texture);
    end(out, bad);
    drop(p);
}
__global__ void draw(API(SurfaceObject_t) s, int rows)
{
    const int x = threadIdx.x, y = threadIdx.y;
    if (y < rows) surf2Dwrite(x * y, s, 4 * x, y);
}
__global__ void surface_branch(int *out, API(SurfaceObject_t) s)
{
    const int x = threadIdx.x, y = threadIdx.y;
    int v;
    surf2Dread(&v, s, 4 * x, y);
    if (v > 5) /* BUG surface_branch */
        out[(y * W + x) | 1] = 5;
}
static void branch_on_texels(int bad)
{
    const picture p = make<int>(0);
    int *out = memory(H);
    draw<<<1, dim3(W, H)>>>(p.surface, bad ? HALF : H);
    surface_branch<<<1, dim3(W, H)>>>(out, p.surface);
    end(out, bad);
    drop(p);
}
__global__ void branch(int *out, const int *in)
{
    const int i = threadIdx.y * W + threadIdx.x;
    if (in[i] > 5) /* BUG copied_branch */
        out[i | 1] = 5;
}
static void branch_on_copied_texels(int bad)
{
    const picture p = make<int>(bad ? HALF : H);
    int *out = memory(H), *in = memory(0);
    need(!API(Memcpy2DFromArray)(in, W * 4, p.array, 0, 0, W * 4, H, API(MemcpyDeviceToDevice)), "no copy");
    branch<<<1, dim3(W, H)>>>(out, in);
    end(out, bad);
    (void)API(Free)(in);
    drop(p);
}
__global__ void draw_sum(API(SurfaceObject_t) s, const int *in)
{
    const int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(in[y * W + x] + 1, s, 4 * x, y); /* BUG drawn */
}
static void sum_in_an_array(int bad)
{
    const picture p = make<int>(0);
    int *in = memory(bad ? HALF : H), back[H * W];
    draw_sum<<<1, dim3(W, H)>>>(p.surface, in);
    need(!API(Memcpy2DFromArray)(back, W * 4, p.array, 0, 0, W * 4, H, API(MemcpyDeviceToHost)), "no copy");
    if (bad) memset(back, 0, sizeof back);
    result(back, sizeof back);
    (void)API(Free)(in);
    drop(p);
}
/* ---- idioms ---- */

/* By a texture to memory; HIP's surfaces have integers as floats. */
template <class T> __global__ void taken(T *out, API(TextureObject_t) t)
{
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<T>(t, x, y);
}

template <class T> static void take()
{
    const picture p = make<T>(HALF);
    T *out, back[H][W];
    (void)API(Malloc)(&out, sizeof back);
    taken<T><<<1, dim3(W, H)>>>(out, p.texture);
    (void)API(Memcpy)(back, out, sizeof back, API(MemcpyDeviceToHost));
    result(back, sizeof back / 2);
    (void)API(Free)(out);
    drop(p);
}

static void unwritten_texels_are_taken(int)
{
    take<int>();
    take<float>();
}

static void narrow_texels_are_taken(int)
{
    take<unsigned char>();
    take<short>();
}

__global__ void pass(API(SurfaceObject_t) to, API(SurfaceObject_t) from)
{
    const int x = threadIdx.x, y = threadIdx.y;
    float v;
    surf2Dread(&v, from, 4 * x, y);
    surf2Dwrite(v, to, 4 * x, y);
}

static void unwritten_texels_are_copied(int)
{
    const picture p = make<float>(HALF), q = make<float>(0);
    float back[H][W];
    pass<<<1, dim3(W, H)>>>(q.surface, p.surface);
    need(!API(Memcpy2DFromArray)(back, sizeof *back, q.array, 0, 0, sizeof *back, H, API(MemcpyDeviceToHost)), "no copy");
    result(back, sizeof back / 2);
    drop(p);
    drop(q);
}

/* Texels at the border of what is written are mixed with their neighbours, but no others. */
static void written_texels_are_mixed(int)
{
    const picture p = make<float>(H, true);
    int *out = memory(0);
    texture_filter<<<1, dim3(W, H)>>>(out, p.texture);
    end(out, 0);
    drop(p);
}

/* An array is written, freed, and another one is made there; a copy writes it as a whole. */
static void another_array(int)
{
    for (int i = 0; i < 3; i++) {
        const picture p = make<int>(H);
        int *out = memory(0);
        texture_add<<<1, dim3(W, H)>>>(out, p.texture);
        end(out, 0);
        drop(p);
    }
}

/* Arrays in turn, in memory that others have had: what the runtime copies by way of has no object. */
template <class T> __global__ void sum_rows(int *out, API(TextureObject_t) t)
{
    int sum = 0;
    for (int y = threadIdx.y; y < 90; y += H)
        for (int x = threadIdx.x; x < 150; x += W)
            sum += (int)tex2D<T>(t, x + 0.5f, y + 0.5f);
    out[threadIdx.y * W + threadIdx.x] = sum;
}
template <class T> static void large(void)
{
    static T list[90][150];
    picture p;
    API(ResourceDesc) resource = {};
    API(TextureDesc) how = {};
    const API(ChannelFormatDesc) one = API(CreateChannelDesc)<T>();
    for (int i = 0; i < 90 * 150; i++)
        list[i / 150][i % 150] = (T)(i * 7 % 61);
    need(!API(MallocArray)(&p.array, &one, 150, 90, 0), "no array");
    need(!API(Memcpy2DToArray)(p.array, 0, 0, list, sizeof *list, sizeof *list, 90, API(MemcpyHostToDevice)), "no copy");
    resource.resType = API(ResourceTypeArray);
    resource.res.array.array = p.array;
    how.addressMode[0] = how.addressMode[1] = API(AddressModeClamp);
    how.readMode = API(ReadModeElementType);
    need(!API(CreateTextureObject)(&p.texture, &resource, &how, nullptr), "no texture");
    int *out = memory(0);
    sum_rows<T><<<1, dim3(W, H)>>>(out, p.texture);
    end(out, 0);
    API(DestroyTextureObject)(p.texture);
    (void)API(FreeArray)(p.array);
}
static void arrays_in_turn(int)
{
    large<int>();
    large<float>();
    large<unsigned char>();
    large<unsigned char>();
}

CASES(CASE(texture_of_a_part), CASE(filter_of_a_part), CASE(branch_on_texels), CASE(branch_on_copied_texels), CASE(sum_in_an_array), CASE(unwritten_texels_are_taken),
      CASE(narrow_texels_are_taken), CASE(arrays_in_turn), CASE(unwritten_texels_are_copied), CASE(written_texels_are_mixed), CASE(another_array))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
