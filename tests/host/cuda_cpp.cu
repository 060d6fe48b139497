// CUDA C++ as clang compiles it: `cuda_cpp` runs every part and compares each with the host; each
// prints a line.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_) {                                                                              \
            std::printf("%s: %s (%d)\n", #call, cudaGetErrorString(error_), error_);               \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

static void say(const char *what, bool right)
{
    std::printf("%s %s\n", what, right ? "right" : "wrong");
}

template <class T> struct buffer {
    T *at;
    explicit buffer(size_t n)
    {
        CHECK(cudaMalloc(&at, n * sizeof(T)));
    }
    ~buffer()
    {
        CHECK(cudaFree(at));
    }
};

// ---- vectors ----

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static void vectors()
{
    const int n = 1000;
    std::vector<float> a(n), b(n), c(n, -1);
    for (int i = 0; i < n; i++)
        a[i] = i * 0.5f, b[i] = 7.25f - i;
    buffer<float> da(n), db(n), dc(n);
    CHECK(cudaMemcpy(da.at, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db.at, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    vadd<<<(n + 127) / 128, 128>>>(da.at, db.at, dc.at, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc.at, n * sizeof(float), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= c[i] == a[i] + b[i];
    say("vectors", right);
}

// ---- templates, shared memory, shuffles ----

template <class T, int SIZE> __global__ void sum(const T *in, T *out, int n)
{
    __shared__ T part[SIZE];
    T mine = 0;
    for (int i = blockIdx.x * SIZE + threadIdx.x; i < n; i += SIZE * gridDim.x)
        mine += in[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int step = SIZE / 2; step >= 32; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        T value = part[threadIdx.x];
        for (int step = 16; step; step /= 2)
            value += __shfl_down_sync(0xffffffff, value, step);
        if (threadIdx.x == 0)
            out[blockIdx.x] = value;
    }
}

template <class T> static bool sum_of()
{
    const int n = 5000, blocks = 4;
    std::vector<T> in(n), out(blocks);
    T expected = 0;
    for (int i = 0; i < n; i++)
        expected += in[i] = T(i % 17);
    buffer<T> din(n), dout(blocks);
    CHECK(cudaMemcpy(din.at, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    sum<T, 128><<<blocks, 128>>>(din.at, dout.at, n);
    CHECK(cudaMemcpy(out.data(), dout.at, blocks * sizeof(T), cudaMemcpyDeviceToHost));
    T total = 0;
    for (T v : out)
        total += v;
    return total == expected;
}

// ---- atomics ----

__global__ void histogram(const unsigned char *text, int n, unsigned *bins, float *total,
                          unsigned long long *largest)
{
    extern __shared__ unsigned local[];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[text[i]], 1u);
        atomicAdd(total, 1.0f);
        atomicMax(largest, (unsigned long long)text[i] << 32);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}

static void atomics()
{
    const int n = 3000;
    std::vector<unsigned char> text(n);
    std::vector<unsigned> bins(256), expected(256);
    float total = 0;
    unsigned long long largest = 0;
    for (int i = 0; i < n; i++)
        expected[text[i] = (unsigned char)(i * i % 251)]++;
    buffer<unsigned char> dtext(n);
    buffer<unsigned> dbins(256);
    buffer<float> dtotal(1);
    buffer<unsigned long long> dlargest(1);
    CHECK(cudaMemcpy(dtext.at, text.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dbins.at, 0, 1024));
    CHECK(cudaMemset(dtotal.at, 0, sizeof total));
    CHECK(cudaMemset(dlargest.at, 0, sizeof largest));
    histogram<<<5, 96, 1024>>>(dtext.at, n, dbins.at, dtotal.at, dlargest.at);
    CHECK(cudaMemcpy(bins.data(), dbins.at, 1024, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&total, dtotal.at, sizeof total, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&largest, dlargest.at, sizeof largest, cudaMemcpyDeviceToHost));
    say("atomics", bins == expected && total == n &&
                       largest >> 32 == *std::max_element(text.begin(), text.end()));
}

// ---- streams and events ----

__global__ void scale(int *data, int n, int factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

static void count(void *data)
{
    ++*(int *)data;
}

static void streams()
{
    enum { N = 512, STREAMS = 3 };
    cudaStream_t stream[STREAMS];
    cudaEvent_t begin, end;
    int *host, called = 0;
    float time = -1;
    bool right = true;
    buffer<int> data(N * STREAMS);
    CHECK(cudaMallocHost(&host, N * STREAMS * sizeof(int)));
    for (int i = 0; i < N * STREAMS; i++)
        host[i] = i;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreateWithFlags(&end, cudaEventDefault));
    CHECK(cudaEventRecord(begin));
    for (int s = 0; s < STREAMS; s++) {
        int *part = data.at + N * s;
        CHECK(cudaStreamCreate(&stream[s]));
        CHECK(cudaMemcpyAsync(part, host + N * s, N * 4, cudaMemcpyHostToDevice, stream[s]));
        scale<<<N / 64, 64, 0, stream[s]>>>(part, N, s + 2);
        CHECK(cudaMemcpyAsync(host + N * s, part, N * 4, cudaMemcpyDeviceToHost, stream[s]));
        CHECK(cudaLaunchHostFunc(stream[s], count, &called));
    }
    CHECK(cudaEventRecord(end, stream[2]));
    CHECK(cudaStreamWaitEvent(stream[0], end, 0));
    for (cudaStream_t s : stream) {
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaStreamDestroy(s));
    }
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&time, begin, end));
    for (int i = 0; i < N * STREAMS; i++)
        right &= host[i] == i * (i / N + 2);
    CHECK(cudaFreeHost(host));
    say("streams", right && time >= 0 && called == STREAMS);
}

// ---- variables, functions by address, virtual functions, recursion ----

__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int counter;
__device__ unsigned ackermann(unsigned m, unsigned n)
{
    return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ float twice(float x)
{
    return 2 * x;
}
__device__ float square(float x)
{
    return x * x;
}
struct shape {
    __device__ virtual float area() const = 0;
};
struct disc : shape {
    float r;
    __device__ disc(float r) : r(r)
    {
    }
    __device__ float area() const override
    {
        return 3 * r * r;
    }
};
struct box : shape {
    float a, b;
    __device__ box(float a, float b) : a(a), b(b)
    {
    }
    __device__ float area() const override
    {
        return a * b;
    }
};

__global__ void language(float *out, int which)
{
    float (*table[])(float) = {twice, square};
    disc d(2);
    box b(3, 5);
    const shape *s = which & 1 ? (const shape *)&b : &d;
    const int i = threadIdx.x;
    out[i] = coefficients[i % 4] + table[i % 2]((float)i) + s->area() + ackermann(2, i % 3);
    atomicAdd(&counter, i);
}

static void variables()
{
    const float changed[] = {10, 20, 30, 40};
    float out[32];
    int total, start = 100;
    size_t size;
    bool right = true;
    buffer<float> dout(32);
    for (int pass = 0; pass < 2; pass++) {
        CHECK(cudaMemcpyToSymbol(counter, &start, sizeof start));
        language<<<1, 32>>>(dout.at, pass);
        CHECK(cudaMemcpy(out, dout.at, sizeof out, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpyFromSymbol(&total, counter, sizeof total));
        for (int i = 0; i < 32; i++)
            right &= out[i] == (pass ? changed[i % 4] : i % 4 + 1) + (i % 2 ? i * i : 2 * i) +
                                   (pass ? 15 : 12) + 2 * (i % 3) + 3;
        right &= total == 100 + 31 * 16;
        CHECK(cudaMemcpyToSymbol(coefficients, changed, sizeof changed));
    }
    CHECK(cudaGetSymbolSize(&size, coefficients));
    say("variables", right && size == 16);
}

// ---- managed memory, several dimensions, printf, mathematics ----

__global__ void grid(int *cells, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        cells[y * width + x] += 1000 * y + x;
    if (x == 3 && y == 2)
        printf("cell %d %d of %s: %.2f\n", x, y, "grid", x / 4.0);
}

static void managed()
{
    const int width = 37, height = 19;
    int *cells;
    bool right = true;
    CHECK(cudaMallocManaged(&cells, width * height * sizeof(int)));
    std::fill(cells, cells + width * height, 5);
    grid<<<dim3(5, 5), dim3(8, 4)>>>(cells, width, height);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < width * height; i++)
        right &= cells[i] == 1000 * (i / width) + i % width + 5;
    CHECK(cudaFree(cells));
    say("managed", right);
}

__global__ void mathematics(const float *in, float *out, double *wide)
{
    const int i = threadIdx.x;
    const float x = in[i];
    out[i] = sinf(x) + expf(-x) + sqrtf(x) + fmaxf(x, 1) + powf(x, 1.5f) + fabsf(x) + floorf(x);
    wide[i] = exp((double)x) + log(1.0 + x) + rsqrt(1.0 + x) + __popc(i) + __clz(i + 1) + __ffs(i);
}

static void functions()
{
    float in[64], out[64];
    double wide[64];
    bool right = true;
    buffer<float> din(64), dout(64);
    buffer<double> dwide(64);
    for (int i = 0; i < 64; i++)
        in[i] = 0.1f * (float)i;
    CHECK(cudaMemcpy(din.at, in, sizeof in, cudaMemcpyHostToDevice));
    mathematics<<<1, 64>>>(din.at, dout.at, dwide.at);
    CHECK(cudaMemcpy(out, dout.at, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(wide, dwide.at, sizeof wide, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        const float x = in[i];
        const double near = sin(x) + exp(-x) + sqrt(x) + fmax(x, 1) + pow(x, 1.5) + fabs(x) + floor(x);
        const double other = exp((double)x) + log(1.0 + x) + 1 / sqrt(1.0 + x) +
                             __builtin_popcount(i) + __builtin_clz(i + 1) + __builtin_ffs(i);
        right &= fabs(out[i] - near) < 1e-4 && fabs(wide[i] - other) < 1e-9;
    }
    say("functions", right);
}

// ---- roundings: the host's own are the oracle ----

struct rounded {
    float add, mul, div, root, narrow, wide;
    double product, quotient;
    int integer;
    long long large;
};

#define ROUNDED(r, x, y)                                                                           \
    rounded                                                                                        \
    {                                                                                              \
        __fadd_##r((float)x, (float)y), __fmul_##r((float)x, (float)y),                            \
            __fdiv_##r((float)x, (float)y), __fsqrt_##r((float)x), __double2float_##r(x),          \
            __ll2float_##r((long long)(x * 1e12)), __dmul_##r(x, y), __ddiv_##r(x, y),             \
            __float2int_##r((float)x), __double2ll_##r(x * 1e9)                                    \
    }

__global__ void roundings(const double *in, rounded *out)
{
    const int i = threadIdx.x;
    const double x = in[i], y = in[(i + 1) % 32];
    out[4 * i] = ROUNDED(rn, x, y);
    out[4 * i + 1] = ROUNDED(rz, x, y);
    out[4 * i + 2] = ROUNDED(rd, x, y);
    out[4 * i + 3] = ROUNDED(ru, x, y);
}

static rounded rounded_here(int mode, double a, double b)
{
    volatile double x = a, y = b;
    volatile float fx = (float)a, fy = (float)b;
    rounded r;
    std::fesetround(mode);
    volatile long long whole = (long long)(a * 1e12);
    r.add = fx + fy, r.mul = fx * fy, r.div = fx / fy;
    r.root = __builtin_sqrtf(fx);
    r.narrow = (float)x, r.wide = (float)whole;
    r.product = x * y, r.quotient = x / y;
    r.integer = (int)std::nearbyint(fx);
    std::fesetround(FE_TONEAREST);
    volatile double scaled = x * 1e9;
    std::fesetround(mode);
    r.large = (long long)std::nearbyint(scaled);
    std::fesetround(FE_TONEAREST);
    return r;
}

static void rounding()
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    double in[32];
    rounded out[128];
    int wrong = 0;
    buffer<double> din(32);
    buffer<rounded> dout(128);
    for (int i = 0; i < 32; i++)
        in[i] = (i % 5 + 1) * 1.7320508075688772 + i / 3.0;
    CHECK(cudaMemcpy(din.at, in, sizeof in, cudaMemcpyHostToDevice));
    roundings<<<1, 32>>>(din.at, dout.at);
    CHECK(cudaMemcpy(out, dout.at, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++) {
        const rounded here = rounded_here(modes[i % 4], in[i / 4], in[(i / 4 + 1) % 32]);
        const rounded &r = out[i];
        wrong += r.add != here.add || r.mul != here.mul || r.div != here.div ||
                 r.root != here.root || r.narrow != here.narrow || r.wide != here.wide ||
                 r.product != here.product || r.quotient != here.quotient ||
                 r.integer != here.integer || r.large != here.large;
    }
    say("roundings", !wrong);
}

// ---- textures ----

__global__ void sample(cudaTextureObject_t linear, cudaTextureObject_t array, float *out, uchar4 *texels)
{
    const int i = threadIdx.x;
    out[i] = tex2D<float>(array, i * 0.5f + 0.5f, 1.5f) + tex1Dfetch<float>(linear, i);
    texels[i] = make_uchar4(i, 2, 3, 4);
}

static void textures()
{
    const int width = 16, height = 4;
    float in[height][width], out[width];
    bool right = true;
    cudaArray_t array;
    cudaTextureObject_t linear, picture;
    buffer<float> line(width), dout(width);
    buffer<uchar4> texels(width);
    for (int i = 0; i < width * height; i++)
        in[i / width][i % width] = (float)(i * i);
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &one, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], height, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(line.at, in[3], sizeof in[3], cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = line.at;
    resource.res.linear.desc = one;
    resource.res.linear.sizeInBytes = sizeof in[3];
    CHECK(cudaCreateTextureObject(&linear, &resource, &texture, nullptr));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    texture.filterMode = cudaFilterModeLinear;
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&picture, &resource, &texture, nullptr));
    sample<<<1, width>>>(linear, picture, dout.at, texels.at);
    CHECK(cudaMemcpy(out, dout.at, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < width; i++) {
        const float a = in[1][i / 2], b = in[1][i / 2 + 1];
        right &= out[i] == (i % 2 ? (a + b) / 2 : a) + in[3][i];
    }
    CHECK(cudaDestroyTextureObject(linear));
    CHECK(cudaDestroyTextureObject(picture));
    CHECK(cudaFreeArray(array));
    say("textures", right);
}

// ---- surfaces: every shape, size of texel and boundary mode ----

template <class T> __device__ T texel_of(int i);
template <> __device__ unsigned char texel_of(int i) { return i * 3; }
template <> __device__ short2 texel_of(int i) { return make_short2(-i, i * 7); }
template <> __device__ ushort1 texel_of(int i) { return make_ushort1(i * 1000); }
template <> __device__ float2 texel_of(int i) { return make_float2(i * 0.5f, -i); }
template <> __device__ int4 texel_of(int i) { return make_int4(i, -i, 5, i * i); }

// Each thread writes its texel of each surface, and takes the one beside it, beyond the edge too.
template <class T>
__global__ void paint(cudaSurfaceObject_t line, cudaSurfaceObject_t plane, cudaSurfaceObject_t box, cudaSurfaceObject_t lines,
                      cudaSurfaceObject_t planes, T *out)
{
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, size = sizeof(T);
    const int i = (z * blockDim.y + y) * blockDim.x + x, all = blockDim.x * blockDim.y * blockDim.z;
    if (!y && !z)
        surf1Dwrite(texel_of<T>(i), line, x * size);
    if (!z)
        surf2Dwrite(texel_of<T>(i), plane, x * size, y);
    surf3Dwrite(texel_of<T>(i), box, x * size, y, z);
    if (!y)
        surf1DLayeredwrite(texel_of<T>(i), lines, x * size, z);
    surf2DLayeredwrite(texel_of<T>(i), planes, x * size, y, z);
    surf2DLayeredwrite(texel_of<T>(77), planes, 1000, y, z, cudaBoundaryModeZero); // nowhere
    __syncthreads();
    out[i] = surf1Dread<T>(line, (x + 1) * size, cudaBoundaryModeClamp);
    out[i + all] = surf2Dread<T>(plane, (x + 1) * size, y, cudaBoundaryModeZero);
    surf3Dread(&out[i + 2 * all], box, x * size, y + 1, z, cudaBoundaryModeClamp);
    out[i + 3 * all] = surf1DLayeredread<T>(lines, x * size, z);
    surf2DLayeredread(&out[i + 4 * all], planes, x * size, y, z);
}

template <class T, class F> static bool painted(const cudaChannelFormatDesc &desc, F same)
{
    const int w = 4, h = 3, d = 2, all = w * h * d;
    const struct { size_t w, h, d; unsigned flags; } shapes[5] = {
        {w, 0, 0, 0}, {w, h, 0, 0}, {w, h, d, 0}, {w, 0, d, cudaArrayLayered}, {w, h, d, cudaArrayLayered}};
    cudaArray_t array[5];
    cudaSurfaceObject_t surface[5];
    T back[all];
    buffer<T> out(5 * all);
    T got[5 * all];
    bool right = true;
    for (int k = 0; k < 5; k++) {
        cudaResourceDesc resource = {};
        CHECK(cudaMalloc3DArray(&array[k], &desc, make_cudaExtent(shapes[k].w, shapes[k].h, shapes[k].d),
                                shapes[k].flags | cudaArraySurfaceLoadStore));
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array[k];
        CHECK(cudaCreateSurfaceObject(&surface[k], &resource));
    }
    paint<T><<<1, dim3(w, h, d)>>>(surface[0], surface[1], surface[2], surface[3], surface[4], out.at);
    CHECK(cudaMemcpy(got, out.at, sizeof got, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array[2];
    copy.dstPtr = make_cudaPitchedPtr(back, w * sizeof(T), w, h);
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < all; i++) {
        const int x = i % w, y = i / w % h, z = i / w / h;
        right &= same(got[i], x + 1 < w ? x + 1 : w - 1);
        right &= x + 1 < w ? same(got[i + all], y * w + x + 1) : same(got[i + all], 0);
        right &= same(got[i + 2 * all], (z * h + (y + 1 < h ? y + 1 : h - 1)) * w + x);
        right &= same(got[i + 3 * all], z * w * h + x) && same(got[i + 4 * all], i) && same(back[i], i);
    }
    for (int k = 0; k < 5; k++) {
        CHECK(cudaDestroySurfaceObject(surface[k]));
        CHECK(cudaFreeArray(array[k]));
    }
    return right;
}

static void surfaces()
{
    const bool right =
        painted<unsigned char>(cudaCreateChannelDesc<unsigned char>(), [](unsigned char v, int i) { return v == (unsigned char)(i * 3); }) &
        painted<short2>(cudaCreateChannelDesc<short2>(), [](short2 v, int i) { return v.x == -i && v.y == i * 7; }) &
        painted<ushort1>(cudaCreateChannelDesc<ushort1>(), [](ushort1 v, int i) { return v.x == (unsigned short)(i * 1000); }) &
        painted<float2>(cudaCreateChannelDesc<float2>(), [](float2 v, int i) { return v.x == i * 0.5f && v.y == -i; }) &
        painted<int4>(cudaCreateChannelDesc<int4>(),
                      [](int4 v, int i) { return v.x == i && v.y == -i && (v.z == 5 || !i) && v.w == i * i; });
    say("surfaces", right);
}

// ---- the device, mistakes ----

static void device()
{
    cudaDeviceProp p;
    cudaFuncAttributes a;
    int count, blocks, grid_size, block_size;
    size_t left, all;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaMemGetInfo(&left, &all));
    CHECK(cudaFuncGetAttributes(&a, sum<float, 128>));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, vadd, 256, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid_size, &block_size, vadd));
    std::printf("device %s %d.%d, %d of %d, %s, shared %zu, blocks %d, %d of %d\n", p.name, p.major,
                p.minor, p.multiProcessorCount, count, left <= all ? "memory" : "no memory",
                a.sharedSizeBytes, blocks, grid_size, block_size);
}

static void mistakes()
{
    int *p, here = 0;
    vadd<<<1, 2000>>>(nullptr, nullptr, nullptr, 0);
    std::printf("mistakes %d", cudaPeekAtLastError());
    std::printf(" %d %d", cudaGetLastError(), cudaGetLastError());
    std::printf(" %d", cudaMalloc(&p, (size_t)1 << 50));
    std::printf(" %d", cudaMemcpy(&here, &here, 4, cudaMemcpyDeviceToHost));
    std::printf(" %d", cudaMemcpy(&here, &here, 4, (cudaMemcpyKind)9));
    std::printf(" %d", cudaSetDevice(7));
    std::printf(" %d", cudaFree(&here));
    std::printf(" %d", cudaMemcpyToSymbol((const void *)&here, &here, 4, 0, cudaMemcpyHostToDevice));
    std::printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
}

__global__ void stray(int *p)
{
    p[threadIdx.x] = 1;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        stray<<<1, 32>>>(nullptr);
        const cudaError_t first = cudaDeviceSynchronize(), again = cudaDeviceSynchronize();
        std::printf("stray %d %d, %s\n", first, again, cudaGetErrorString(cudaGetLastError()));
        return 0;
    }
    vectors();
    say("sums", sum_of<int>() && sum_of<float>() && sum_of<double>() && sum_of<long long>());
    atomics();
    streams();
    variables();
    managed();
    functions();
    rounding();
    textures();
    surfaces();
    device();
    mistakes();
}
