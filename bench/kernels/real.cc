/*
 * Eight small programs of the kinds that people run, for HIP, CUDA C++ and one thread of the host:
 *   real NAME SIZE REPEATS
 * prints the checksum of the result, which does not depend on the device, and the CPU time of the
 * process in seconds while the kernels ran.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define gpu(call) hip##call
#elif defined(__CUDA__)
#define gpu(call) cuda##call
#else
#define ON_HOST
#define __global__
#define __device__
#define __host__
#endif

typedef unsigned u32;

static void must(bool good, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "real: %s failed\n", what);
        std::exit(1);
    }
}

#ifdef ON_HOST
template <class T> struct Buffer {
    std::vector<T> values;
    explicit Buffer(size_t n) : values(n) {}
    T *data() { return values.data(); }
    void put(const std::vector<T> &from) { values = from; }
    std::vector<T> get() { return values; }
};
/* Calls a kernel for each index below n; on GPUs it is launched with groups of `group` threads. */
#define RUN(kernel, n, group, ...)                                                                 \
    for (u32 index_ = 0; index_ < (u32)(n); index_++)                                              \
    kernel(index_, __VA_ARGS__)
#define KERNEL(name, ...) static inline void name(u32 i, __VA_ARGS__)
#define FROM_HERE
static void wait_for_all() {}
#else
template <class T> struct Buffer {
    T *at;
    size_t count;
    explicit Buffer(size_t n) : at(nullptr), count(n)
    {
        must(gpu(Malloc)((void **)&at, n * sizeof(T)) == gpu(Success), "an allocation");
    }
    T *data() { return at; }
    void put(const std::vector<T> &from)
    {
        must(gpu(Memcpy)(at, from.data(), count * sizeof(T), gpu(MemcpyHostToDevice)) == gpu(Success), "a copy");
    }
    std::vector<T> get()
    {
        std::vector<T> to(count);
        must(gpu(Memcpy)(to.data(), at, count * sizeof(T), gpu(MemcpyDeviceToHost)) == gpu(Success), "a copy");
        return to;
    }
};
#define RUN(kernel, n, group, ...)                                                                 \
    kernel<<<((n) + (group)-1) / (group), group>>>((u32)(n), __VA_ARGS__)
#define KERNEL(name, ...) static __global__ void name(u32 n_, __VA_ARGS__)
#define FROM_HERE                                                                                  \
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
    if (i >= n_)                                                                                   \
        return;
static void wait_for_all() { must(gpu(DeviceSynchronize)() == gpu(Success), "a kernel"); }
#endif

static u32 checksum(const void *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    u32 sum = 2166136261u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 16777619u;
    return sum;
}

template <class T> static u32 checksum(const std::vector<T> &v) { return checksum(v.data(), v.size() * sizeof(T)); }

static __host__ __device__ inline u32 mixed(u32 x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Floats of a result to a relative 2^-10: fused or not, the sum is the same. */
static std::vector<int> rounded(const std::vector<float> &v, float unit)
{
    std::vector<int> r(v.size());
    for (size_t i = 0; i < v.size(); i++)
        r[i] = (int)std::floor(v[i] / unit);
    return r;
}

/* ---- bodies that attract each other ---- */

KERNEL(attract, const float *p, float *v, u32 bodies)
{
    FROM_HERE
    float ax = 0, ay = 0, az = 0;
    for (u32 k = 0; k < bodies; k++) {
        const float x = p[3 * k] - p[3 * i], y = p[3 * k + 1] - p[3 * i + 1], z = p[3 * k + 2] - p[3 * i + 2];
        const float inverse = 1.0f / sqrtf(x * x + y * y + z * z + 0.01f);
        const float pull = inverse * inverse * inverse;
        ax += x * pull;
        ay += y * pull;
        az += z * pull;
    }
    v[3 * i] += 0.001f * ax;
    v[3 * i + 1] += 0.001f * ay;
    v[3 * i + 2] += 0.001f * az;
}

KERNEL(move, float *p, const float *v, float step)
{
    FROM_HERE
    p[i] += step * v[i];
}

static u32 bodies(u32 n, u32 repeats)
{
    std::vector<float> start(3 * n);
    for (u32 i = 0; i < 3 * n; i++)
        start[i] = (float)(mixed(i) >> 8) / (1 << 23) - 1;
    Buffer<float> p(3 * n), v(3 * n);
    p.put(start);
    v.put(std::vector<float>(3 * n));
    for (u32 r = 0; r < repeats; r++) {
        RUN(attract, n, 256, p.data(), v.data(), n);
        RUN(move, 3 * n, 256, p.data(), v.data(), 0.001f);
    }
    wait_for_all();
    return checksum(rounded(p.get(), 0.25f));
}

/* ---- how much of the sky points of a plane with spheres see: calls, divisions, divergence ---- */

struct Ray {
    float ox, oy, oz, dx, dy, dz;
};

static __device__ __attribute__((noinline)) float meets(const Ray &r, float cx, float cy, float cz, float radius)
{
    const float x = r.ox - cx, y = r.oy - cy, z = r.oz - cz;
    const float b = x * r.dx + y * r.dy + z * r.dz, c = x * x + y * y + z * z - radius * radius, d = b * b - c;
    if (d <= 0)
        return -1;
    const float t = -b - sqrtf(d);
    return t > 0.001f ? t : -1;
}

KERNEL(occlude, u32 *seen, u32 width, u32 samples)
{
    FROM_HERE
    const float ox = (float)(i % width) / (float)width * 4 - 2, oz = -(float)(i / width) / (float)width * 4 - 1;
    u32 free = 0;
    for (u32 s = 0; s < samples; s++) {
        float x = (float)(mixed(2 * s) >> 8) / 16777216.0f * 2 - 1, z = (float)(mixed(2 * s + 1) >> 8) / 16777216.0f * 2 - 1;
        const float length = sqrtf(x * x + z * z + 0.25f);
        const Ray r = {ox, -0.5f, oz, x / length, 0.5f / length, z / length};
        free += meets(r, -1, 0, -2.2f, 0.5f) < 0 && meets(r, 0, 0, -3.5f, 0.5f) < 0 && meets(r, 1, 0, -2.2f, 0.5f) < 0;
    }
    seen[i] = free;
}

static u32 ambient(u32 width, u32 repeats)
{
    Buffer<u32> seen(width * width);
    for (u32 r = 0; r < repeats; r++)
        RUN(occlude, width * width, 128, seen.data(), width, 16u);
    wait_for_all();
    u32 sum = 0;
    for (u32 x : seen.get())
        sum += x; /* a sample on an edge may fall on either side */
    return sum / 256 / width;
}

/* ---- shortest paths between all nodes ---- */

KERNEL(relax, u32 *d, u32 nodes, u32 k)
{
    FROM_HERE
    const u32 row = i / nodes, column = i % nodes, through = d[row * nodes + k] + d[k * nodes + column];
    if (through < d[i])
        d[i] = through;
}

static u32 paths(u32 nodes, u32 repeats)
{
    std::vector<u32> start(nodes * nodes);
    for (u32 i = 0; i < nodes * nodes; i++)
        start[i] = i / nodes == i % nodes ? 0 : 1 + mixed(i) % 1000;
    Buffer<u32> d(nodes * nodes);
    for (u32 r = 0; r < repeats; r++) {
        d.put(start);
        for (u32 k = 0; k < nodes; k++)
            RUN(relax, nodes * nodes, 64, d.data(), nodes, k);
    }
    wait_for_all();
    return checksum(d.get());
}

/* ---- heat in a plate ---- */

KERNEL(spread, const float *from, float *to, u32 width)
{
    FROM_HERE
    const u32 x = i % width, y = i / width;
    if (x == 0 || y == 0 || x == width - 1 || y == width - 1)
        to[i] = from[i];
    else
        to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
}

static u32 heat(u32 width, u32 repeats)
{
    std::vector<float> start(width * width);
    for (u32 i = 0; i < width; i++)
        start[i] = start[i * width] = 1;
    Buffer<float> a(width * width), b(width * width);
    a.put(start);
    for (u32 r = 0; r < repeats; r++) {
        RUN(spread, width * width, 256, a.data(), b.data(), width);
        RUN(spread, width * width, 256, b.data(), a.data(), width);
    }
    wait_for_all();
    return checksum(a.get());
}

/* ---- sorting by digits: shared memory, barriers, scattered stores ---- */

enum { DIGIT = 16, TILE = 256 };

#ifdef ON_HOST
static void sort_pass(const u32 *from, u32 *to, u32 *, u32 n, u32 shift)
{
    u32 at[DIGIT] = {0};
    for (u32 i = 0; i < n; i++)
        at[from[i] >> shift & 15]++;
    for (u32 d = 0, sum = 0; d < DIGIT; d++) {
        const u32 own = at[d];
        at[d] = sum;
        sum += own;
    }
    for (u32 i = 0; i < n; i++)
        to[at[from[i] >> shift & 15]++] = from[i];
}
#else
static __global__ void count_digits(const u32 *from, u32 *counts, u32 tiles, u32 shift)
{
    __shared__ u32 sums[DIGIT];
    const u32 t = threadIdx.x;
    if (t < DIGIT)
        sums[t] = 0;
    __syncthreads();
    atomicAdd(&sums[from[blockIdx.x * TILE + t] >> shift & 15], 1u);
    __syncthreads();
    if (t < DIGIT)
        counts[t * tiles + blockIdx.x] = sums[t];
}

static __global__ void scan_counts(u32 *counts, u32 n)
{
    __shared__ u32 sums[TILE];
    const u32 t = threadIdx.x, own = (n + TILE - 1) / TILE;
    u32 sum = 0;
    for (u32 k = t * own; k < (t + 1) * own && k < n; k++)
        sum += counts[k];
    sums[t] = sum;
    __syncthreads();
    for (u32 step = 1; step < TILE; step *= 2) {
        const u32 other = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    u32 at = sums[t] - sum;
    for (u32 k = t * own; k < (t + 1) * own && k < n; k++) {
        const u32 here = counts[k];
        counts[k] = at;
        at += here;
    }
}

static __global__ void scatter(const u32 *from, u32 *to, const u32 *counts, u32 tiles, u32 shift)
{
    __shared__ u32 ranks[DIGIT][TILE];
    const u32 t = threadIdx.x, value = from[blockIdx.x * TILE + t], digit = value >> shift & 15;
    for (u32 d = 0; d < DIGIT; d++)
        ranks[d][t] = d == digit;
    __syncthreads();
    if (t < DIGIT)
        for (u32 k = 0, sum = 0; k < TILE; k++) {
            const u32 own = ranks[t][k];
            ranks[t][k] = sum;
            sum += own;
        }
    __syncthreads();
    to[counts[digit * tiles + blockIdx.x] + ranks[digit][t]] = value;
}

static void sort_pass(const u32 *from, u32 *to, u32 *counts, u32 n, u32 shift)
{
    const u32 tiles = n / TILE;
    count_digits<<<tiles, TILE>>>(from, counts, tiles, shift);
    scan_counts<<<1, TILE>>>(counts, tiles * DIGIT);
    scatter<<<tiles, TILE>>>(from, to, counts, tiles, shift);
}
#endif

static u32 sorted_by(void (*pass)(const u32 *, u32 *, u32 *, u32, u32), u32 tiles, u32 repeats)
{
    const u32 n = tiles * TILE;
    std::vector<u32> start(n);
    for (u32 i = 0; i < n; i++)
        start[i] = mixed(i);
    Buffer<u32> a(n), b(n), counts(tiles * DIGIT);
    for (u32 r = 0; r < repeats; r++) {
        a.put(start);
        for (u32 shift = 0; shift < 32; shift += 8) {
            pass(a.data(), b.data(), counts.data(), n, shift);
            pass(b.data(), a.data(), counts.data(), n, shift + 4);
        }
    }
    wait_for_all();
    return checksum(a.get());
}

static u32 sorting(u32 tiles, u32 repeats)
{
    return sorted_by(sort_pass, tiles, repeats);
}

/* ---- splits: the same order by one bit after the other within a tile, with sums over warps in lockstep ---- */

#ifdef ON_HOST
static void split_pass(const u32 *from, u32 *to, u32 *counts, u32 n, u32 shift)
{
    const u32 tiles = n / TILE;
    std::memset(counts, 0, tiles * DIGIT * sizeof *counts);
    for (u32 i = 0; i < n; i++)
        counts[(from[i] >> shift & 15) * tiles + i / TILE]++;
    for (u32 k = 0, sum = 0; k < tiles * DIGIT; k++) {
        const u32 own = counts[k];
        counts[k] = sum;
        sum += own;
    }
    for (u32 tile = 0; tile < tiles; tile++) {
        u32 keys[TILE], sorted[TILE], rank[TILE], starts[DIGIT];
        std::memcpy(keys, from + tile * TILE, sizeof keys);
        for (u32 bit = shift; bit < shift + 4; bit++) {
            u32 zeros = 0;
            for (u32 t = 0; t < TILE; t++) {
                rank[t] = zeros;
                zeros += !(keys[t] >> bit & 1);
            }
            for (u32 t = 0; t < TILE; t++)
                sorted[keys[t] >> bit & 1 ? zeros + t - rank[t] : rank[t]] = keys[t];
            std::memcpy(keys, sorted, sizeof keys);
        }
        for (u32 t = TILE; t--;)
            starts[keys[t] >> shift & 15] = t;
        for (u32 t = 0; t < TILE; t++) {
            const u32 digit = keys[t] >> shift & 15;
            to[counts[digit * tiles + tile] + t - starts[digit]] = keys[t];
        }
    }
}
#else
static __global__ void split(const u32 *from, u32 *to, const u32 *counts, u32 tiles, u32 shift)
{
    __shared__ volatile u32 sums[2 * TILE];
    __shared__ u32 keys[TILE], totals[TILE / 32], starts[DIGIT];
    const u32 t = threadIdx.x;
    u32 key = from[blockIdx.x * TILE + t];
    for (u32 bit = shift; bit < shift + 4; bit++) {
        const u32 zero = !(key >> bit & 1), at = 2 * t - t % 32 + 32;
        u32 before = 0, zeros = 0;
        sums[at - 32] = 0;
        sums[at] = zero;
        for (u32 step = 1; step < 32; step *= 2)
            sums[at] += sums[at - step];
        if (t % 32 == 31)
            totals[t / 32] = sums[at];
        __syncthreads();
        for (u32 w = 0; w < TILE / 32; w++) {
            before += w < t / 32 ? totals[w] : 0;
            zeros += totals[w];
        }
        const u32 rank = before + sums[at] - zero;
        keys[zero ? rank : zeros + t - rank] = key;
        __syncthreads();
        key = keys[t];
    }
    const u32 digit = key >> shift & 15;
    if (t == 0 || (keys[t - 1] >> shift & 15) != digit)
        starts[digit] = t;
    __syncthreads();
    to[counts[digit * tiles + blockIdx.x] + t - starts[digit]] = key;
}

static void split_pass(const u32 *from, u32 *to, u32 *counts, u32 n, u32 shift)
{
    const u32 tiles = n / TILE;
    count_digits<<<tiles, TILE>>>(from, counts, tiles, shift);
    scan_counts<<<1, TILE>>>(counts, tiles * DIGIT);
    split<<<tiles, TILE>>>(from, to, counts, tiles, shift);
}
#endif

static u32 splits(u32 tiles, u32 repeats)
{
    return sorted_by(split_pass, tiles, repeats);
}

/* ---- queens: deep, divergent, few lanes ---- */

KERNEL(place, u32 *found, u32 size)
{
    FROM_HERE
    const u32 all = (1u << size) - 1;
    u32 columns[16], left[16], right[16], open[16], sum = 0;
    const u32 first = 1u << i % size, second = 1u << i / size % size;
    found[i] = 0;
    if ((first | first << 1 | first >> 1) & second)
        return;
    columns[0] = first | second;
    left[0] = (first << 1 | second) << 1;
    right[0] = (first >> 1 | second) >> 1;
    open[0] = all & ~(columns[0] | left[0] | right[0]);
    for (int depth = 0; depth >= 0;) {
        if (!open[depth]) {
            depth--;
            continue;
        }
        const u32 bit = open[depth] & (0 - open[depth]);
        open[depth] ^= bit;
        if ((columns[depth] | bit) == all) {
            sum++;
            continue;
        }
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        open[depth + 1] = all & ~(columns[depth + 1] | left[depth + 1] | right[depth + 1]);
        depth++;
    }
    found[i] = sum;
}

static u32 queens(u32 size, u32 repeats)
{
    Buffer<u32> found(size * size);
    for (u32 r = 0; r < repeats; r++)
        RUN(place, size * size, 64, found.data(), size);
    wait_for_all();
    u32 sum = 0;
    for (u32 x : found.get())
        sum += x;
    return sum;
}

/* ---- the Mandelbrot set ---- */

KERNEL(iterate, u32 *count, u32 width, u32 most)
{
    FROM_HERE
    const float cx = (float)(i % width) / (float)width * 3 - 2, cy = (float)(i / width) / (float)width * 2 - 1;
    float x = 0, y = 0;
    u32 n = 0;
    while (n < most && x * x + y * y <= 4) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        n++;
    }
    count[i] = n;
}

static u32 mandelbrot(u32 width, u32 repeats)
{
    Buffer<u32> count(width * width);
    for (u32 r = 0; r < repeats; r++)
        RUN(iterate, width * width, 256, count.data(), width, 500u);
    wait_for_all();
    u32 inside = 0;
    for (u32 n : count.get())
        inside += n == 500;
    return inside / (width / 8); /* points on the edge depend on the rounding */
}

KERNEL(nothing, u32 *at)
{
    FROM_HERE
    at[0] = i;
}

static double cpu_time()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        u32 (*run)(u32, u32);
    } programs[] = {{"bodies", bodies},   {"ambient", ambient}, {"paths", paths},          {"heat", heat},
                    {"sorting", sorting}, {"splits", splits}, {"queens", queens},   {"mandelbrot", mandelbrot}};
    for (const auto &p : programs)
        if (argc == 4 && !std::strcmp(argv[1], p.name)) {
            Buffer<u32> first(1); /* starts the GPU and loads the program there */
            RUN(nothing, 1, 1, first.data());
            wait_for_all();
            const double begun = cpu_time();
            const u32 sum = p.run((u32)std::atoi(argv[2]), (u32)std::atoi(argv[3]));
            std::printf("%u %f\n", sum, cpu_time() - begun);
            return 0;
        }
    std::fprintf(stderr, "real: NAME SIZE REPEATS\n");
    return 2;
}
