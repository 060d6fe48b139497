/* Bugs that people really had (known.txt), with the same fault and shape of launch, and their fixed
 * twins, in CUDA C++ and HIP: "known NAME" and "known NAME good". B is whether the bug is there. */
#include "../checks/gpu.h"

enum { N = 100, BLOCK = 64, WARP = 32 };

static void *made(size_t size)
{
    void *p = NULL;
    API(Malloc)(&p, size);
    API(Memset)(p, 0, size);
    return p;
}
static int *ints(size_t count)
{
    return (int *)made(count * sizeof(int));
}
static void done(void *a = NULL, void *b = NULL, void *c = NULL)
{
    int one[1];
    if (a)
        API(Memcpy)(one, a, sizeof one, API(MemcpyDeviceToHost));
    API(DeviceSynchronize)();
    API(Free)(a);
    API(Free)(b);
    API(Free)(c);
}
#define CASE(name) template <bool B> static void name()
#define KERNEL template <bool B> __global__ void

/* ---- memory ---- */

KERNEL k_memory_1(int *out, int count)
{
    int set[4] = {1, 2, 3, 4};
    const int last = B ? count - 1 : count ? count - 1 : 0;
    out[threadIdx.x] = set[last]; /* bug memory_1 */
}
CASE(memory_1)
{
    int *out = ints(1);
    LAUNCH(k_memory_1<B>, 1, 1, 0, 0, out, 0);
    done(out);
}
KERNEL k_memory_2(int *out, const int *queue, int *taken, int count)
{
    int next = atomicAdd(taken, 1);
    if (!B && next >= count)
        return;
    int task = queue[next]; /* bug memory_2 */
    if (next < count)
        out[next] = task;
}
CASE(memory_2)
{
    int *out = ints(40), *queue = ints(40), *taken = ints(1);
    LAUNCH(k_memory_2<B>, 2, 32, 0, 0, out, queue, taken, 40);
    done(out, queue, taken);
}
KERNEL k_memory_3(int *out, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = B || i < n ? in[i] : 0; /* bug memory_3 */
    if (i < n)
        atomicAdd(out, sum);
}
CASE(memory_3)
{
    int *out = ints(1), *in = ints(N);
    LAUNCH(k_memory_3<B>, 2, BLOCK, 0, 0, out, in, N);
    done(out, in);
}
KERNEL k_memory_5(int *p, int value, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (B || i < n)
        p[i] += value; /* bug memory_5 */
}
CASE(memory_5)
{
    int *p = ints(N);
    LAUNCH(k_memory_5<B>, 2, BLOCK, 0, 0, p, 7, N);
    done(p);
}
KERNEL k_memory_6(int *to, const int *from, int n)
{
    for (int i = threadIdx.x; B ? i <= n : i < n; i += blockDim.x)
        to[i < n ? i : 0] = from[i]; /* bug memory_6 */
}
CASE(memory_6)
{
    int *to = ints(64), *from = ints(64);
    LAUNCH(k_memory_6<B>, 1, 32, 0, 0, to, from, 64);
    done(to, from);
}
KERNEL k_memory_7(int *out, int tiles)
{
    __shared__ int buffer[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        buffer[i] = i;
    __syncthreads();
    if (B || 32 * tiles < 256)
        out[threadIdx.x] = buffer[threadIdx.x + 32 * tiles]; /* bug memory_7 */
}
CASE(memory_7)
{
    int *out = ints(32);
    LAUNCH(k_memory_7<B>, 1, 32, 0, 0, out, 8);
    done(out);
}
KERNEL k_memory_8(int *out, const int *page, int count)
{
    const int i = threadIdx.x;
    if (i < count) {
        const int next = B || i + 1 < count ? page[i + 1] : 0; /* bug memory_8 */
        out[i] = next - page[i];
    }
}
CASE(memory_8)
{
    int *out = ints(32), *page = ints(32);
    LAUNCH(k_memory_8<B>, 1, 32, 0, 0, out, page, 32);
    done(out, page);
}
KERNEL k_memory_9(int *out, int n)
{
    DYNAMIC_SHARED(int, row);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        row[i] = i; /* bug memory_9 */
    __syncthreads();
    out[threadIdx.x] = row[threadIdx.x];
}
CASE(memory_9)
{
    int *out = ints(32);
    for (int n = 64; n <= 128; n *= 2) {
        static int first = n;
        LAUNCH(k_memory_9<B>, 1, 32, (B ? first : n) * sizeof(int), 0, out, n);
    }
    done(out);
}

/* ---- races in shared memory, missing barriers ---- */

KERNEL k_shared_race_1(int *out, const int *in)
{
    __shared__ int ids[128];
    ids[threadIdx.x] = in[threadIdx.x];
    if (!B)
        __syncthreads();
    out[threadIdx.x] = ids[127 - threadIdx.x]; /* bug shared_race_1 */
}
KERNEL k_shared_race_2(int *out, const int *in)
{
    __shared__ int tile[128];
    int sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        tile[threadIdx.x] = in[threadIdx.x] + turn; /* bug shared_race_2 */
        __syncthreads();
        sum += tile[127 - threadIdx.x];
        if (!B)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}
KERNEL k_shared_race_3(int *out, const int *in)
{
    __shared__ int carry;
    if (threadIdx.x == 0)
        carry = 0;
    __syncthreads();
    for (int turn = 0; turn < 2; turn++) {
        out[128 * turn + threadIdx.x] = carry + in[threadIdx.x];
        if (!B)
            __syncthreads();
        if (threadIdx.x == 127)
            carry += in[threadIdx.x] + 1; /* bug shared_race_3 */
        __syncthreads();
    }
}
KERNEL k_shared_race_4(float *out, const float *in)
{
    __shared__ float surfel[128];
    float sum = 0;
    for (int first = 0; first < 256; first += 128) {
        surfel[threadIdx.x] = in[first + threadIdx.x]; /* bug shared_race_4 */
        __syncthreads();
        for (int k = 0; k < 128; k++)
            sum += surfel[k];
        if (!B)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}
KERNEL k_shared_race_5(int *out, const int *in)
{
    __shared__ int sums[2];
    if (threadIdx.x == 0) {
        sums[0] = in[0];
        sums[1] = in[1];
    }
    if (!B)
        __syncthreads();
    out[threadIdx.x] = sums[0] + sums[1]; /* bug shared_race_5 */
}
KERNEL k_shared_race_6(int *out, const int *in)
{
    __shared__ int part[128];
    for (int row = 0; row < 2; row++) {
        part[threadIdx.x] = in[threadIdx.x] * row; /* bug shared_race_6 */
        __syncthreads();
        if (threadIdx.x == 0) {
            int sum = 0;
            for (int k = 0; k < 128; k++)
                sum += part[k];
            out[row] = sum;
        }
        if (!B)
            __syncthreads();
    }
}
KERNEL k_shared_race_7(int *out, const int *in)
{
    __shared__ int count[128];
    count[threadIdx.x] = 0;
    if (!B)
        __syncthreads();
    atomicAdd(&count[(in[threadIdx.x] + 77) % 128], 1); /* bug shared_race_7 */
    __syncthreads();
    out[threadIdx.x] = count[threadIdx.x];
}
#define SHARED_RACE(k, type)                                                                       \
    CASE(k)                                                                                        \
    {                                                                                              \
        type *out = (type *)made(1024), *in = (type *)made(1024);                                  \
        LAUNCH(k_##k<B>, 1, 128, 0, 0, out, in);                                                   \
        done(out, in);                                                                             \
    }
SHARED_RACE(shared_race_1, int)
SHARED_RACE(shared_race_2, int)
SHARED_RACE(shared_race_3, int)
SHARED_RACE(shared_race_4, float)
SHARED_RACE(shared_race_5, int)
SHARED_RACE(shared_race_6, int)
SHARED_RACE(shared_race_7, int)

/* ---- barriers ---- */

KERNEL k_barrier_3(int *out, const int *in)
{
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    if (B) {
        if (threadIdx.x < 100) {
            __syncthreads(); /* bug barrier_3 */
            out[threadIdx.x] = s[threadIdx.x + 20];
        }
    } else {
        __syncthreads();
        if (threadIdx.x < 100)
            out[threadIdx.x] = s[threadIdx.x + 20];
    }
    __syncthreads();
    s[threadIdx.x] = 0;
}
KERNEL k_barrier_4(int *out, const int *in)
{
    __shared__ int s[128];
    if (B && threadIdx.x >= 100)
        return;
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); /* bug barrier_4 */
    out[threadIdx.x] = s[threadIdx.x < 99 ? threadIdx.x + 1 : 0];
}
KERNEL k_barrier_5(int *out, const int *in)
{
    __shared__ int s[128];
    const bool active = threadIdx.x / 16 < 3;
    if (B && !active)
        return;
    s[threadIdx.x] = active ? in[threadIdx.x] : 0;
    __syncthreads(); /* bug barrier_5 */
    if (active)
        out[threadIdx.x] = s[threadIdx.x ^ 1];
}
KERNEL k_barrier_6(int *out, const int *in)
{
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    if (B && threadIdx.x < 64)
        __syncthreads(); /* bug barrier_6 */
    else if (!B)
        __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
    __syncthreads();
    s[threadIdx.x] = out[threadIdx.x];
}
KERNEL k_barrier_7(int *out, const int *in)
{
    __shared__ int frame;
    if (threadIdx.x == 0)
        frame = in[5] + 3;
    if (!B)
        __syncthreads();
    out[threadIdx.x] = in[frame]; /* bug barrier_7 */
}
SHARED_RACE(barrier_3, int)
SHARED_RACE(barrier_4, int)
SHARED_RACE(barrier_5, int)
SHARED_RACE(barrier_6, int)
SHARED_RACE(barrier_7, int)

/* ---- fences between blocks ---- */

KERNEL k_fence_1(int *sums, int *flags, int *out)
{
    if (threadIdx.x)
        return;
    int before = 0;
    if (blockIdx.x) {
        while (!atomicAdd(&flags[blockIdx.x - 1], 0))
            ;
        if (!B)
            __threadfence();
        before = sums[blockIdx.x - 1]; /* bug fence_1 */
    }
    sums[blockIdx.x] = before + 1;
    if (!B)
        __threadfence();
    atomicAdd(&flags[blockIdx.x], 1);
    out[blockIdx.x] = before;
}
KERNEL k_fence_2(int *parts, int *count, int *out)
{
    __shared__ bool last;
    parts[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(count, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last) {
        if (!B)
            __threadfence();
        out[threadIdx.x] = parts[threadIdx.x] + parts[blockDim.x + threadIdx.x]; /* bug fence_2 */
    }
}
KERNEL k_fence_3(int *data, int *semaphore, int *out)
{
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        if (!B)
            __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(semaphore, 1);
    } else {
        if (threadIdx.x == 0)
            while (!atomicAdd(semaphore, 0))
                ;
        __syncthreads();
        if (!B)
            __threadfence();
        out[threadIdx.x] = data[threadIdx.x]; /* bug fence_3 */
    }
}
KERNEL k_fence_4(int *data, int *count, int *out)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + 1;
    if (!B)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (B)
            __threadfence();
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < (int)gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        data[(1 - blockIdx.x) * blockDim.x + threadIdx.x]; /* bug fence_4 */
}
#define FENCE(k)                                                                                   \
    CASE(k)                                                                                        \
    {                                                                                              \
        int *data = ints(256), *flags = ints(16), *out = ints(256);                                \
        LAUNCH(k_##k<B>, 2, 64, 0, 0, data, flags, out);                                           \
        done(out, flags, data);                                                                    \
    }
FENCE(fence_1) FENCE(fence_2) FENCE(fence_3) FENCE(fence_4)

/* ---- lanes of one warp ---- */

#ifdef __HIP__
#define SYNCWARP()                                                                                 \
    if (!B)                                                                                        \
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront")
#else
#define SYNCWARP()                                                                                 \
    if (!B)                                                                                        \
    __syncwarp()
#endif
KERNEL k_warp_synchrony_1(int *out, const int *in)
{
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x] + 1;
    SYNCWARP();
    out[threadIdx.x] = s[(threadIdx.x + 1) % 32]; /* bug warp_synchrony_1 */
}
KERNEL k_warp_synchrony_2(int *out, const int *in)
{
    __shared__ int s[64];
    const int i = threadIdx.x + 32;
    s[threadIdx.x] = 0;
    s[i] = in[threadIdx.x];
    SYNCWARP();
    for (int by = 1; by < 32; by *= 2) {
        const int other = s[i - by]; /* bug warp_synchrony_2 */
        SYNCWARP();
        s[i] += other;
        SYNCWARP();
    }
    out[threadIdx.x] = s[i];
}
KERNEL k_warp_synchrony_3(int *out, const int *in)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    s[threadIdx.x + 32] = in[threadIdx.x + 32];
    SYNCWARP();
    for (int by = 32; by > 0; by /= 2) {
        const int other = s[threadIdx.x + by]; /* bug warp_synchrony_3 */
        SYNCWARP();
        s[threadIdx.x] += other;
        SYNCWARP();
    }
    out[threadIdx.x] = s[0];
}
KERNEL k_warp_synchrony_4(int *out, const int *in)
{
    __shared__ int tile[4][32];
    for (int k = 0; k < 4; k++)
        tile[k][threadIdx.x] = in[threadIdx.x] * k;
    SYNCWARP();
    for (int z = threadIdx.x; z < 128; z += 32)
        out[z] = tile[z % 4][z / 4]; /* bug warp_synchrony_4 */
}
KERNEL k_warp_synchrony_5(int *out, const int *in)
{
    __shared__ int ids[32];
    if (in[threadIdx.x] >= 0)
        ids[threadIdx.x ^ 1] = threadIdx.x;
    SYNCWARP();
    out[threadIdx.x] = ids[threadIdx.x]; /* bug warp_synchrony_5 */
}
#define ONE_WARP(k)                                                                                \
    CASE(k)                                                                                        \
    {                                                                                              \
        int *out = ints(256), *in = ints(256);                                                     \
        LAUNCH(k_##k<B>, 1, 32, 0, 0, out, in);                                                    \
        done(out, in);                                                                             \
    }
ONE_WARP(warp_synchrony_1) ONE_WARP(warp_synchrony_2) ONE_WARP(warp_synchrony_3)
ONE_WARP(warp_synchrony_4) ONE_WARP(warp_synchrony_5)

/* ---- shuffles and masks ---- */

#ifndef __HIP__
KERNEL k_shuffle_1(int *out, const int *in)
{
    int value = in[threadIdx.x];
    if (threadIdx.x < 8)
        value += __shfl_down_sync(B ? 0xffffffffu : 0xffu, value, 4, 8); /* bug shuffle_1 */
    out[threadIdx.x] = value;
}
KERNEL k_shuffle_2(int *out, const int *in)
{
    int value = in[threadIdx.x];
    const unsigned own = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    if (threadIdx.x >= 16)
        value += __shfl_xor_sync(B ? 0xffffu : own, value, 1); /* bug shuffle_2 */
    out[threadIdx.x] = value;
}
KERNEL k_shuffle_3(int *out, const int *in)
{
    int all = in[threadIdx.x];
    if (threadIdx.x % 2)
        all = __all_sync(B ? 0xffffffffu : 0xaaaaaaaau, all == 0); /* bug shuffle_3 */
    out[threadIdx.x] = all;
}
ONE_WARP(shuffle_1) ONE_WARP(shuffle_2) ONE_WARP(shuffle_3)
#else
KERNEL k_shuffle_4(int *out, const int *in)
{
    int value = in[threadIdx.x] + 1;
    for (int by = B ? 16 : 32; by > 0; by /= 2)
        value += __shfl_down(value, by); /* bug shuffle_4 */
    if (threadIdx.x == 0)
        out[0] = value;
}
KERNEL k_shuffle_5(int *out, const int *in)
{
    const unsigned long long all = __ballot(in[threadIdx.x] == 0);
    out[threadIdx.x] = B ? __popc((unsigned)all) : __popcll(all); /* bug shuffle_5 */
}
KERNEL k_shuffle_6(int *out, const int *in)
{
    out[threadIdx.x] = __shfl(in[threadIdx.x] + threadIdx.x, B ? 31 : 63); /* bug shuffle_6 */
}
#define ONE_WAVE(k)                                                                                \
    CASE(k)                                                                                        \
    {                                                                                              \
        int *out = ints(256), *in = ints(256);                                                     \
        LAUNCH(k_##k<B>, 1, 64, 0, 0, out, in);                                                    \
        done(out, in);                                                                             \
    }
ONE_WAVE(shuffle_4) ONE_WAVE(shuffle_5) ONE_WAVE(shuffle_6)
#endif

/* ---- streams, pinned and managed memory ---- */

__global__ void fill_by(int *p, int value)
{
    p[threadIdx.x] = value;
}
__global__ void take(int *out, const int *in, int name)
{
    out[threadIdx.x] = in[threadIdx.x] + name; /* bug stream_1 stream_2 stream_3 stream_4 */
}
template <bool B> static void two_streams(bool copies)
{
    API(Stream_t) one, two;
    API(Event_t) event;
    int *in = ints(64), *out = ints(64);
    API(StreamCreateWithFlags)(&one, API(StreamNonBlocking));
    API(StreamCreateWithFlags)(&two, API(StreamNonBlocking));
    API(EventCreate)(&event);
    API(DeviceSynchronize)();
    if (copies)
        API(MemsetAsync)(in, 1, 256, one);
    else
        LAUNCH(fill_by, 1, 64, 0, one, in, 3);
    if (!B) {
        API(EventRecord)(event, one);
        API(StreamWaitEvent)(two, event, 0);
    }
    LAUNCH(take, 1, 64, 0, two, out, in, 1);
    API(StreamSynchronize)(one);
    API(StreamSynchronize)(two);
    API(EventDestroy)(event);
    API(StreamDestroy)(one);
    API(StreamDestroy)(two);
    done(out, in);
}
CASE(stream_1) { two_streams<B>(false); }
template <bool B> static void default_stream(bool kernel_there)
{
    API(Stream_t) own;
    int *in = ints(64), *out = ints(64);
    API(StreamCreateWithFlags)(&own, API(StreamNonBlocking));
    API(DeviceSynchronize)();
    LAUNCH(fill_by, 1, 64, 0, kernel_there || !B ? own : 0, in, 3);
    LAUNCH(take, 1, 64, 0, !kernel_there || !B ? own : 0, out, in, 1);
    API(DeviceSynchronize)();
    API(StreamDestroy)(own);
    done(out, in);
}
CASE(stream_2) { default_stream<B>(true); }
CASE(stream_3) { default_stream<B>(false); }
CASE(stream_4) { two_streams<B>(true); }

CASE(pinned_1)
{
    API(Stream_t) stream;
    int *staging, *p = ints(1 << 16);
    API(StreamCreateWithFlags)(&stream, API(StreamNonBlocking));
    API(DeviceSynchronize)();
    API(HostAlloc)((void **)&staging, 4 << 16, 0);
    memset(staging, 1, 4 << 16);
    API(MemcpyAsync)(p, staging, 4 << 16, API(MemcpyHostToDevice), stream);
    if (!B)
        API(StreamSynchronize)(stream);
    staging[5] = 7; /* bug pinned_1 */
    API(StreamSynchronize)(stream);
    API(FreeHost)(staging);
    API(StreamDestroy)(stream);
    done(p);
}
template <bool B> static int read_back(int count)
{
    API(Stream_t) stream;
    int *there, *p = ints(count), sum = 0;
    API(StreamCreateWithFlags)(&stream, API(StreamNonBlocking));
    API(DeviceSynchronize)();
    API(HostAlloc)((void **)&there, 4 * count, 0);
    API(MemcpyAsync)(there, p, 4 * count, API(MemcpyDeviceToHost), stream);
    if (!B)
        API(StreamSynchronize)(stream);
    for (int i = 0; i < count; i++)
        sum += there[i]; /* bug pinned_2 pinned_3 */
    API(StreamSynchronize)(stream);
    API(FreeHost)(there);
    API(StreamDestroy)(stream);
    done(p);
    return sum;
}
CASE(pinned_2) { printf("%d\n", read_back<B>(64)); }
CASE(pinned_3) { printf("%d\n", read_back<B>(4096)); }
template <bool B> static void managed(int count)
{
    int *p, sum = 0;
    API(MallocManaged)((void **)&p, 4 * count, API(MemAttachGlobal));
    memset(p, 0, 4 * count);
    LAUNCH(fill_by, 1, 64, 0, 0, p, 5);
    if (!B)
        API(DeviceSynchronize)();
    for (int i = 0; i < 64; i++)
        sum += p[i]; /* bug managed_1 managed_2 managed_3 */
    API(DeviceSynchronize)();
    printf("%d\n", sum);
    API(Free)(p);
}
CASE(managed_1) { managed<B>(64); }
CASE(managed_2) { managed<B>(1024); }
CASE(managed_3) { managed<B>(1 << 16); }

/* ---- uninitialised values ---- */

__global__ void add_up(float *sum, const float *in)
{
    sum[threadIdx.x] += in[threadIdx.x]; /* bug uninitialised_1 */
    if (sum[threadIdx.x] > 1) /* bug uninitialised_1 */
        sum[threadIdx.x] = 1;
}
CASE(uninitialised_1)
{
    float *sum, *in = (float *)ints(64), sums[64];
    API(Malloc)((void **)&sum, 256);
    if (!B)
        API(Memset)(sum, 0, 256);
    LAUNCH(add_up, 1, 64, 0, 0, sum, in);
    API(Memcpy)(sums, sum, 256, API(MemcpyDeviceToHost));
    printf("%g\n", sums[0]);
    done(in, sum);
}
__global__ void count_bits(int *out, const unsigned *mask, int words)
{
    int bits = 0;
    for (int i = 0; i < words; i++)
        bits += __popc(mask[i]);
    if (bits > 3) /* bug uninitialised_2 */
        out[0] = bits;
}
CASE(uninitialised_2)
{
    unsigned *mask;
    int *out = ints(1);
    API(Malloc)((void **)&mask, 16);
    API(Memset)(mask, 0, B ? 12 : 16);
    LAUNCH(count_bits, 1, 1, 0, 0, out, mask, 4);
    done(out, mask);
}
__global__ void iterate(int *done_, int *turns)
{
    if (turns[threadIdx.x] < 10) /* bug uninitialised_3 */
        turns[threadIdx.x] = 11;
    done_[threadIdx.x] = 1;
}
CASE(uninitialised_3)
{
    int *turns, *out = ints(64);
    API(Malloc)((void **)&turns, 256);
    if (!B)
        API(Memset)(turns, 0, 256);
    LAUNCH(iterate, 1, 64, 0, 0, out, turns);
    done(out, turns);
}
KERNEL k_uninitialised_4(int *out, const int *in)
{
    __shared__ int window[70];
    const int i = threadIdx.x;
    window[i + 3] = in[i];
    if (i < 3) {
        window[i] = 0;
        if (!B)
            window[i + 67] = 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 7; k++)
        sum += window[i + k];
    if (sum > 100) /* bug uninitialised_4 */
        out[i] = sum;
}
KERNEL k_uninitialised_5(int *out, const int *in)
{
    int all;
    if (!B)
        all = 0;
    if (threadIdx.x == 0)
        all = in[0] + 5;
    if (all > 2) /* bug uninitialised_5 */
        out[threadIdx.x] = 1;
}
#define ONE_GROUP(k)                                                                               \
    CASE(k)                                                                                        \
    {                                                                                              \
        int *out = ints(256), *in = ints(256);                                                     \
        LAUNCH(k_##k<B>, 1, 64, 0, 0, out, in);                                                    \
        done(out, in);                                                                             \
    }
ONE_GROUP(uninitialised_4) ONE_GROUP(uninitialised_5)

/* ---- indices that overflow 32 bits; the numbers are the programs', the buffers are small ---- */

KERNEL k_overflow_1(int *p, int n, int stride)
{
    int row = threadIdx.x;
    for (int turn = 0; turn < 2 && row < n; turn++) {
        p[row < 64 ? row : 63] = 1; /* bug overflow_1 */
        if (!B && row > n - stride)
            break;
        row += stride;
    }
}
CASE(overflow_1)
{
    int *p = ints(64);
    LAUNCH(k_overflow_1<B>, 1, 1, 0, 0, p, 2147483600, 2147483600);
    LAUNCH(k_overflow_1<B>, 1, 64, 0, 0, p, 2147483647, 2147483647);
    done(p);
}
KERNEL k_overflow_2(int *p, int size, int step)
{
    int i = step - 64 + threadIdx.x;
    while (i < size) {
        p[i % 64] = 1; /* bug overflow_2 */
        if (!B && i > size - step)
            break;
        i += step;
    }
}
CASE(overflow_2)
{
    int *p = ints(64);
    LAUNCH(k_overflow_2<B>, 1, 64, 0, 0, p, 1200000001, 1200000000);
    done(p);
}
KERNEL k_product(float *p, int a, int b, int name)
{
    const long long at = B ? a * b : (long long)a * b;
    const long long base = 6000000000ll;
    if (at < base)
        p[at < 0 ? at : at % 64] = 1; /* bug overflow_3 overflow_4 overflow_5 */
}
CASE(overflow_3)
{
    float *p = (float *)ints(64);
    LAUNCH(k_product<B>, 1, 1, 0, 0, p, 2800, 1000000, 3);
    done(p);
}
CASE(overflow_4)
{
    float *p = (float *)ints(64);
    LAUNCH(k_product<B>, 1, 1, 0, 0, p, 22121216, 128, 4);
    done(p);
}
CASE(overflow_5)
{
    float *p = (float *)ints(64);
    LAUNCH(k_product<B>, 1, 1, 0, 0, p, 64000, 65536, 5);
    done(p);
}

/* ---- misaligned ---- */

KERNEL k_misaligned_1(float *out, int warps)
{
    DYNAMIC_SHARED(float, smem);
    float *row = smem + (B ? warps : (warps + 3) / 4 * 4);
    for (int i = threadIdx.x; i < 128; i += 32)
        row[i] = i;
    __syncthreads();
    const int4 four = ((const int4 *)row)[threadIdx.x]; /* bug misaligned_1 */
    out[threadIdx.x] = four.x + four.w;
}
CASE(misaligned_1)
{
    float *out = (float *)ints(32);
    LAUNCH(k_misaligned_1<B>, 1, 32, 1024, 0, out, 5);
    done(out);
}
KERNEL k_misaligned_2(unsigned *out, const unsigned short *in)
{
    const unsigned short *from = in + (B ? 1 : 2);
    out[threadIdx.x] = ((const unsigned *)from)[threadIdx.x]; /* bug misaligned_2 */
}
CASE(misaligned_2)
{
    unsigned *out = (unsigned *)ints(32);
    int *in = ints(64);
    LAUNCH(k_misaligned_2<B>, 1, 32, 0, 0, out, (unsigned short *)in);
    done(out, in);
}
KERNEL k_misaligned_3(float *out, const float *batch, int length)
{
    const float *sample = batch + (B ? length : length + length % 2) * blockIdx.x;
    const int2 two = ((const int2 *)sample)[threadIdx.x]; /* bug misaligned_3 */
    out[16 * blockIdx.x + threadIdx.x] = two.x + two.y;
}
CASE(misaligned_3)
{
    float *out = (float *)ints(32), *in = (float *)ints(512);
    LAUNCH(k_misaligned_3<B>, 2, 16, 0, 0, out, in, 35);
    done(out, in);
}
KERNEL k_misaligned_4(int *out, int odd)
{
    DYNAMIC_SHARED(float, sharedmem);
    int4 *gate = (int4 *)(sharedmem + (B ? odd : 4 * odd));
    gate[threadIdx.x] = int4{1, 2, 3, (int)threadIdx.x}; /* bug misaligned_4 */
    out[threadIdx.x] = gate[threadIdx.x].w;
}
CASE(misaligned_4)
{
    int *out = ints(32);
    LAUNCH(k_misaligned_4<B>, 1, 32, 2048, 0, out, 5);
    done(out);
}

/* ---- leaks ---- */

CASE(leak_1)
{
    int *colour = ints(64), *depth = ints(64); /* bug leak_1 */
    done(B ? NULL : colour, B ? NULL : depth);
}
CASE(leak_2)
{
    int *chi = ints(1000); /* bug leak_2 */
    if (!B)
        API(Free)(chi);
}
struct operator_of {
    int *data, *density;
    operator_of() : data(ints(64)), density(ints(64)) {} /* bug leak_3 */
};
CASE(leak_3)
{
    operator_of own;
    done(own.data, B ? NULL : own.density);
}
CASE(leak_4)
{
    API(Event_t) begin, end;
    API(EventCreate)(&begin); /* bug leak_4 */
    API(EventCreate)(&end);
    API(EventRecord)(begin, 0);
    API(EventDestroy)(end);
    API(EventSynchronize)(begin);
    if (!B)
        API(EventDestroy)(begin);
}

/* ---- wrong launches, whose error nobody looks at ---- */

__global__ void __launch_bounds__(256) bounded(int *p)
{
    p[threadIdx.x] = 1;
}
__global__ void with_dynamic(int *p)
{
    DYNAMIC_SHARED(int, s);
    s[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = s[threadIdx.x];
}
CASE(launch_1)
{
    const int keys = B ? 0 : 100;
    int *p = ints(1024);
    LAUNCH(bounded, (keys + 255) / 256, 256, 0, 0, p); /* bug launch_1 */
    done(p);
}
CASE(launch_2)
{
    int *p = ints(1024);
    LAUNCH(with_dynamic, 1, 64, B ? 512 << 10 : 16 << 10, 0, p); /* bug launch_2 */
    done(p);
}
CASE(launch_3)
{
    int *p = ints(1024);
    LAUNCH(bounded, 1, B ? 1024 : 256, 0, 0, p); /* bug launch_3 */
    done(p);
}
CASE(launch_4)
{
    int *p = ints(1024);
    LAUNCH(bounded, B ? 0 : 1, 128, 0, 0, p); /* bug launch_4 */
    done(p);
}

/* ---- the command ---- */

#define ROW(name) {#name, name<true>, name<false>}
static const struct {
    const char *name;
    void (*bad)(), (*good)();
} cases[] = {
    ROW(memory_1), ROW(memory_2), ROW(memory_3), ROW(memory_5), ROW(memory_6), ROW(memory_7),
    ROW(memory_8), ROW(memory_9), ROW(shared_race_1), ROW(shared_race_2), ROW(shared_race_3),
    ROW(shared_race_4), ROW(shared_race_5), ROW(shared_race_6), ROW(shared_race_7), ROW(barrier_3),
    ROW(barrier_4), ROW(barrier_5), ROW(barrier_6), ROW(barrier_7), ROW(fence_1), ROW(fence_2),
    ROW(fence_3), ROW(fence_4), ROW(warp_synchrony_1), ROW(warp_synchrony_2), ROW(warp_synchrony_3),
    ROW(warp_synchrony_4), ROW(warp_synchrony_5),
#ifdef __HIP__
    ROW(shuffle_4), ROW(shuffle_5), ROW(shuffle_6),
#else
    ROW(shuffle_1), ROW(shuffle_2), ROW(shuffle_3),
#endif
    ROW(stream_1), ROW(stream_2), ROW(stream_3), ROW(stream_4), ROW(pinned_1), ROW(pinned_2),
    ROW(pinned_3), ROW(managed_1), ROW(managed_2), ROW(managed_3), ROW(uninitialised_1),
    ROW(uninitialised_2), ROW(uninitialised_3), ROW(uninitialised_4), ROW(uninitialised_5),
    ROW(overflow_1), ROW(overflow_2), ROW(overflow_3), ROW(overflow_4), ROW(overflow_5),
    ROW(misaligned_1), ROW(misaligned_2), ROW(misaligned_3), ROW(misaligned_4), ROW(leak_1),
    ROW(leak_2), ROW(leak_3), ROW(leak_4), ROW(launch_1), ROW(launch_2), ROW(launch_3),
    ROW(launch_4)};

int main(int argc, char **argv)
{
    for (const auto &one : cases)
        if (argc < 2)
            puts(one.name);
        else if (strcmp(one.name, argv[1]) == 0)
            (argc > 2 ? one.good : one.bad)();
    return 0;
}
