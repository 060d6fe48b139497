/* Planted races and idioms without one, in HIP and CUDA C++: gpu.h says how the oracle,
 * ThreadSanitizer, compiles this file. races.txt says what each case's mistake is: the lines of its
 * two accesses have the comment BUG and the label's marks. A case without its mistake (bad = 0)
 * executes the same code with the missing order. Lanes of one wave are in lockstep on gfx900 and on
 * this SM: so the two accesses are those of different waves, of 32 or 64 lanes, or groups. */
#define GROUPS_AT_ONCE
#include "gpu.h"
#include "cases.h"

enum { N = 128, HALF = N / 2 };

template <class T> static T *device(size_t count)
{
    T *p;
    (void)API(Malloc)(&p, count * sizeof(T));
    (void)API(Memset)(p, 0, count * sizeof(T));
    return p;
}

template <class T> static void end(T *p, size_t count)
{
    static T here[4 * N];
    (void)API(DeviceSynchronize)();
    (void)API(Memcpy)(here, p, count * sizeof(T), API(MemcpyDeviceToHost));
    result(here, count * sizeof(T));
    (void)API(Free)(p);
}

/* The result of a case whose numbers depend on the order, which is the mistake. */
static void end_with(int *p, int number)
{
    (void)API(DeviceSynchronize)();
    (void)API(Free)(p);
    result(&number, sizeof number);
}

/* The barrier that is missing in a bad case. */
__device__ __forceinline__ void barrier_unless(int bad)
{
    if (!bad)
        __syncthreads();
}

__device__ __forceinline__ void fence_unless(int bad)
{
    if (!bad)
        __threadfence();
}

/* A load that no compiler leaves out, which other threads' atomic operations do not race with. */
__device__ __forceinline__ int look(int *p)
{
    return atomicAdd(p, 0);
}

/* What tells a compiler that other lanes of the wave access memory; hardware in lockstep needs
 * nothing, the host's threads do. */
#if defined __HIP__ || defined __CUDA__
#define LOCKSTEP() asm volatile("" ::: "memory")
#else
#define LOCKSTEP() __syncthreads()
#endif

/* ---- one group: barriers ---- */

__global__ void reverse_shared(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 3 * i; /* BUG reverse_store */
    barrier_unless(bad);
    out[i] = s[N - 1 - i]; /* BUG reverse_load */
}

static void shared_missing(int bad)
{
    int *out = device<int>(N);
    LAUNCH(reverse_shared, 1, N, 0, 0, out, bad);
    end(out, N);
}

__global__ void rounds_shared(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    int sum = 0;
    for (int k = 1; k <= 3; k++) {
        s[i] = k * i; /* BUG rounds_store */
        __syncthreads();
        sum += s[N - 1 - i]; /* BUG rounds_load */
        barrier_unless(bad);
    }
    out[i] = sum;
}

static void shared_again(int bad)
{
    int *out = device<int>(N);
    LAUNCH(rounds_shared, 1, N, 0, 0, out, bad);
    end(out, N);
}

__global__ void reverse_global(int *out, int *p, int bad)
{
    const int i = threadIdx.x;
    p[i] = 5 * i; /* BUG global_store */
    barrier_unless(bad);
    out[i] = p[N - 1 - i]; /* BUG global_load */
}

static void global_missing(int bad)
{
    int *out = device<int>(N), *p = device<int>(N);
    LAUNCH(reverse_global, 1, N, 0, 0, out, p, bad);
    end(out, N);
    (void)API(Free)(p);
}

__global__ void reverse_dynamic(int *out, int bad)
{
    DYNAMIC_SHARED(int, s);
    const int i = threadIdx.x;
    s[i] = 3 * i; /* BUG dynamic_store */
    barrier_unless(bad);
    out[i] = s[N - 1 - i]; /* BUG dynamic_load */
}

static void dynamic_missing(int bad)
{
    int *out = device<int>(N);
    LAUNCH(reverse_dynamic, 1, N, N * sizeof(int), 0, out, bad);
    end(out, N);
}

__global__ void reverse_bytes(int *out, int bad)
{
    __shared__ unsigned char s[N];
    const int i = threadIdx.x;
    s[i] = (unsigned char)(3 * i); /* BUG bytes_store */
    barrier_unless(bad);
    out[i] = s[N - 1 - i]; /* BUG bytes_load */
}

static void bytes_missing(int bad)
{
    int *out = device<int>(N);
    LAUNCH(reverse_bytes, 1, N, 0, 0, out, bad);
    end(out, N);
}

__global__ void words_of_longs(int *out, int bad)
{
    __shared__ union {
        long long whole[N];
        int half[2 * N];
    } s;
    const int i = threadIdx.x;
    s.whole[i] = 0x100000003ll * i; /* BUG long_store */
    barrier_unless(bad);
    out[i] = s.half[2 * (N - 1 - i) + 1]; /* BUG half_load */
}

static void parts_missing(int bad)
{
    int *out = device<int>(N);
    LAUNCH(words_of_longs, 1, N, 0, 0, out, bad);
    end(out, N);
}

__global__ void reduce(int *out, const int *p, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = p[i] + i; /* BUG tree_first */
    barrier_unless(bad);
    for (int step = HALF; step; step /= 2) {
        if (i < step)
            s[i] += s[i + step]; /* BUG tree_load */
        __syncthreads();
    }
    if (i == 0)
        *out = s[0];
}

static void tree_first_step(int bad)
{
    int *out = device<int>(1), *p = device<int>(N);
    LAUNCH(reduce, 1, N, 0, 0, out, p, bad);
    end(out, 1);
    (void)API(Free)(p);
}

__global__ void scan(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    __syncthreads();
    for (int step = 1; step < N; step *= 2) {
        const int add = i >= step ? s[i - step] : 0; /* BUG scan_load */
        barrier_unless(bad);
        s[i] += add; /* BUG scan_store */
        __syncthreads();
    }
    out[i] = s[i];
}

static void scan_between(int bad)
{
    int *out = device<int>(N);
    LAUNCH(scan, 1, N, 0, 0, out, bad);
    end(out, N);
}

__global__ void stencil(int *p, int bad)
{
    const int i = threadIdx.x;
    const int next = p[(i + 1) % N]; /* BUG stencil_load */
    barrier_unless(bad);
    p[i] = next + 1; /* BUG stencil_store */
}

static void stencil_in_place(int bad)
{
    int *p = device<int>(N);
    LAUNCH(stencil, 1, N, 0, 0, p, bad);
    end(p, N);
}

__global__ void tile(int *out, const int *p, int bad)
{
    __shared__ int t[8][17];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    t[y][x] = p[threadIdx.x] + x - y; /* BUG tile_store */
    barrier_unless(bad);
    out[threadIdx.x] = t[threadIdx.x % 8][threadIdx.x / 8]; /* BUG tile_load */
}

static void tile_missing(int bad)
{
    int *out = device<int>(N), *p = device<int>(N);
    LAUNCH(tile, 1, N, 0, 0, out, p, bad);
    end(out, N);
    (void)API(Free)(p);
}

__global__ void two_buffers(int *out, const int *p, int bad)
{
    __shared__ int s[2][N];
    const int i = threadIdx.x;
    int sum = 0;
    s[0][i] = p[i] + i;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        if (k < 3)
            s[bad ? k % 2 : (k + 1) % 2][i] = p[i] + k + i; /* BUG buffer_store */
        sum += s[k % 2][N - 1 - i]; /* BUG buffer_load */
        __syncthreads();
    }
    out[i] = sum;
}

static void wrong_buffer(int bad)
{
    int *out = device<int>(N), *p = device<int>(N);
    LAUNCH(two_buffers, 1, N, 0, 0, out, p, bad);
    end(out, N);
    (void)API(Free)(p);
}

__global__ void broadcast(int *out, int bad)
{
    __shared__ int s;
    if (threadIdx.x == N - 1)
        s = 7; /* BUG one_store */
    barrier_unless(bad);
    out[threadIdx.x] = s; /* BUG all_load */
}

static void broadcast_early(int bad)
{
    int *out = device<int>(N);
    LAUNCH(broadcast, 1, N, 0, 0, out, bad);
    end(out, N);
}

__global__ void take_then_clear(int *out, int *p, int bad)
{
    out[threadIdx.x] = *p; /* BUG clear_load */
    barrier_unless(bad);
    if (threadIdx.x == 0)
        *p = 0; /* BUG clear_store */
}

static void cleared_early(int bad)
{
    int *out = device<int>(N), *p = device<int>(1);
    LAUNCH(take_then_clear, 1, N, 0, 0, out, p, bad);
    end(out, N);
    (void)API(Free)(p);
}

__device__ __noinline__ void put_called(int *p, int i, int value)
{
    p[i] = value; /* BUG called_store */
}

__device__ __forceinline__ int get_inlined(const int *p, int i)
{
    return p[i]; /* BUG inlined_load */
}

__global__ void calls(int *out, int *p, int bad)
{
    put_called(p, threadIdx.x, 9 * threadIdx.x);
    barrier_unless(bad);
    out[threadIdx.x] = get_inlined(p, N - 1 - threadIdx.x);
}

static void in_functions(int bad)
{
    int *out = device<int>(N), *p = device<int>(N);
    LAUNCH(calls, 1, N, 0, 0, out, p, bad);
    end(out, N);
    (void)API(Free)(p);
}

/* ---- atomic operations ---- */

__global__ void count_shared(int *out, int bad)
{
    __shared__ int bins[8];
    const int i = threadIdx.x;
    if (i < 8)
        bins[i] = 0;
    __syncthreads();
    if (bad)
        bins[i % 8]++; /* BUG bins_plain */
    else
        atomicAdd(&bins[i % 8], 1);
    __syncthreads();
    if (i < 8)
        out[i] = bad ? 0 : bins[i];
}

static void histogram_shared(int bad)
{
    int *out = device<int>(8);
    LAUNCH(count_shared, 1, N, 0, 0, out, bad);
    end(out, 8);
}

__global__ void count_global(int *bins, int bad)
{
    if (bad)
        bins[threadIdx.x % 8] += 2; /* BUG groups_plain */
    else
        atomicAdd(&bins[threadIdx.x % 8], 2);
}

static void histogram_groups(int bad)
{
    int *p = device<int>(8);
    LAUNCH(count_global, 2, 64, 0, 0, p, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 8);
}

__global__ void sum_and_read(int *out, int bad)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 3); /* BUG sum_atomic */
    barrier_unless(bad);
    if (threadIdx.x == 0)
        *out = sum; /* BUG sum_load */
}

static void atomic_then_load(int bad)
{
    int *p = device<int>(1);
    LAUNCH(sum_and_read, 1, N, 0, 0, p, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 1);
}

__global__ void clear_and_sum(int *out, int *sum, int bad)
{
    if (threadIdx.x == N - 1)
        *sum = 1; /* BUG init_store */
    barrier_unless(bad);
    atomicAdd(sum, 3); /* BUG init_atomic */
    __syncthreads();
    if (threadIdx.x == 0)
        *out = bad ? 0 : *sum;
}

static void cleared_late(int bad)
{
    int *out = device<int>(1), *p = device<int>(1);
    LAUNCH(clear_and_sum, 1, N, 0, 0, out, p, bad);
    end(out, 1);
    (void)API(Free)(p);
}

__global__ void clear_bins(int *out, int bad)
{
    __shared__ int bins[HALF];
    const int i = threadIdx.x;
    if (i >= HALF)
        bins[i - HALF] = 0; /* BUG bins_cleared */
    barrier_unless(bad);
    if (i < HALF)
        atomicAdd(&bins[i], i); /* BUG bins_atomic */
    __syncthreads();
    out[i] = bad ? 0 : bins[i % HALF];
}

static void bins_cleared_late(int bad)
{
    int *out = device<int>(N);
    LAUNCH(clear_bins, 1, N, 0, 0, out, bad);
    end(out, N);
}

/* Plain accesses beside atomic operations that are no race on GPUs: of who has seen by an atomic
 * operation of its own that all others have counted, and of who proves what it has guessed. */
#if defined __HIP__ || defined __CUDA__
#define STORE_AFTER_ATOMIC(p, n) (*(p) = (n))
#define GUESS(p) (*(p))
#else
#define STORE_AFTER_ATOMIC(p, n) __atomic_store_n(p, n, __ATOMIC_RELAXED)
#define GUESS(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#endif

__global__ void count_and_reset(int *out, int *count, int bad)
{
    if (threadIdx.x)
        return;
    const int got = atomicAdd(count, 1); /* BUG reset_atomic */
    if (bad ? blockIdx.x == 1 : got == (int)gridDim.x - 1) {
        STORE_AFTER_ATOMIC(count, 0); /* BUG reset_store */
        *out = 5;
    }
}

static void reset_too_early(int bad)
{
    int *out = device<int>(1), *count = device<int>(1);
    LAUNCH(count_and_reset, 4, 64, 0, 0, out, count, bad);
    end(out, 1);
    (void)API(Free)(count);
}

/* What only the atomic operations of a group count with. */
__device__ __forceinline__ void count_in_group(int *p)
{
#if defined __CUDA__ && defined __CUDA_ARCH__
    asm volatile("red.cta.global.add.s32 [%0], 1;" ::"l"(p) : "memory"); /* BUG group_atomic */
#else
    atomicAdd(p, 1);
#endif
}

__global__ void count_of_groups(int *count, int bad)
{
    if (threadIdx.x % 32 == 0)
        count_in_group(&count[bad ? 0 : blockIdx.x]);
}

static void counted_in_groups(int bad)
{
    int *count = device<int>(4);
    LAUNCH(count_of_groups, 4, 64, 0, 0, count, bad);
    if (bad)
        end_with(count, 0);
    else
        end(count, 4);
}

/* A load of a function that another place's compare-and-swap has proved a guess. */
__device__ __noinline__ int label_of(const int *label, int v)
{
    return label[v]; /* BUG hook_load */
}

__global__ void hook(int *label, int bad)
{
    const int e = blockIdx.x * 64 + threadIdx.x;
    const int a = bad ? label_of(label, e) : e, b = label_of(label, e + 3);
    atomicCAS(&label[e + 3], b, a); /* BUG hook_atomic */
}

static void guess_of_another(int bad)
{
    int *label = device<int>(3 * N);
    LAUNCH(hook, 2, 64, 0, 0, label, bad);
    if (bad)
        end_with(label, 0);
    else
        end(label, 3 * N);
}

/* A maximum, of which some waves find nothing to do. */
__global__ void maximum(int *max, const int *p)
{
    const int mine = 512 - p[threadIdx.x] - (int)(blockIdx.x * 64 + threadIdx.x);
    int old = GUESS(max), want;
    do {
        want = old;
        if (want >= mine)
            break;
        old = atomicCAS(max, want, mine);
    } while (old != want);
}

static void maximum_of_groups(int)
{
    int *max = device<int>(1), *p = device<int>(N);
    LAUNCH(maximum, 4, 64, 0, 0, max, p);
    end(max, 1);
    (void)API(Free)(p);
}

/* ---- one instruction, and stores alone ---- */

__global__ void all_store(int *p, int bad)
{
    const int i = threadIdx.x;
    p[bad ? i / 2 : i] = i; /* BUG lanes_store */
}

static void lanes_of_one(int bad)
{
    int *p = device<int>(32);
    LAUNCH(all_store, 1, 32, 0, 0, p, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 32);
}

__global__ void all_alike(int *p, int bad)
{
    const int i = threadIdx.x;
    p[bad ? i / 2 : i] = bad ? i / 2 : i; /* BUG alike_store */
}

static void lanes_alike(int bad)
{
    int *p = device<int>(32);
    LAUNCH(all_alike, 1, 32, 0, 0, p, bad);
    end(p, bad ? 16 : 32);
}

__global__ void last_wins(int *p, int bad)
{
    if (threadIdx.x % HALF == 5)
        p[bad ? 0 : threadIdx.x / HALF] = threadIdx.x; /* BUG stores_alone */
}

static void stores_alone(int bad)
{
    int *p = device<int>(2);
    LAUNCH(last_wins, 1, N, 0, 0, p, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 2);
}

/* ---- groups ---- */

__global__ void exchange_groups(int *out, int *p, int bad)
{
    const int i = threadIdx.x + 64 * blockIdx.x;
    p[i] = 2 * i; /* BUG groups_store */
    out[i] = p[bad ? i ^ 64 : i]; /* BUG groups_load */
}

static void across_groups(int bad)
{
    int *out = device<int>(N), *p = device<int>(N);
    LAUNCH(exchange_groups, 2, 64, 0, 0, out, p, bad);
    if (bad)
        end_with(out, 0);
    else
        end(out, N);
    (void)API(Free)(p);
}

__global__ void sum_groups(int *sum, int bad)
{
    if (threadIdx.x == 7) {
        if (bad)
            *sum = *sum + 4; /* BUG total_plain */
        else
            atomicAdd(sum, 4);
    }
}

static void sum_of_groups(int bad)
{
    int *p = device<int>(1);
    LAUNCH(sum_groups, 2, 64, 0, 0, p, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 1);
}

/* Group 0 hands 42 to group 1. */
__global__ void pass_message(int *out, int *data, int *flag, int no_release, int no_acquire)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 42; /* BUG message_store */
        fence_unless(no_release);
        atomicCAS(flag, 0, 1);
    } else {
        while (!look(flag))
            continue;
        fence_unless(no_acquire);
        *out = *data; /* BUG message_load */
    }
}

/* The same, by a load that passes caches. */
__global__ void pass_to_volatile(int *out, int *data, int *flag, int bad)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 42; /* BUG volatile_store */
        fence_unless(bad);
        atomicCAS(flag, 0, 1);
    } else {
        while (!look(flag))
            continue;
        __threadfence();
        *out = *(volatile int *)data; /* BUG volatile_load */
    }
}

static void message_to_volatile(int bad)
{
    int *out = device<int>(1), *p = device<int>(1), *flag = device<int>(1);
    LAUNCH(pass_to_volatile, 2, 1, 0, 0, out, p, flag, bad);
    end(out, 1);
    (void)API(Free)(p);
    (void)API(Free)(flag);
}

static void message(int no_release, int no_acquire)
{
    int *out = device<int>(1), *p = device<int>(1), *flag = device<int>(1);
    LAUNCH(pass_message, 2, 1, 0, 0, out, p, flag, no_release, no_acquire);
    end(out, 1);
    (void)API(Free)(p);
    (void)API(Free)(flag);
}

static void message_without_fences(int bad)
{
    message(bad, bad);
}

static void message_without_acquire(int bad)
{
    message(0, bad);
}

__global__ void pass_in_block(int *out, int *data, int *flag, int bad)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 42; /* BUG scope_store */
        if (bad)
            __threadfence_block();
        else
            __threadfence();
        atomicCAS(flag, 0, 1);
    } else {
        while (!look(flag))
            continue;
        if (bad)
            __threadfence_block();
        else
            __threadfence();
        *out = *data; /* BUG scope_load */
    }
}

static void scope_of_group(int bad)
{
    int *out = device<int>(1), *p = device<int>(1), *flag = device<int>(1);
    LAUNCH(pass_in_block, 2, 1, 0, 0, out, p, flag, bad);
    end(out, 1);
    (void)API(Free)(p);
    (void)API(Free)(flag);
}

__global__ void last_group(int *out, int *part, int *count, int bad)
{
    if (threadIdx.x)
        return;
    part[blockIdx.x] = 10 + blockIdx.x; /* BUG part_store */
    fence_unless(bad);
    if (atomicAdd(count, 1) == (int)gridDim.x - 1) {
        fence_unless(bad);
        int sum = 0;
        for (int b = 0; b < (int)gridDim.x; b++)
            sum += part[b]; /* BUG part_load */
        *out = sum;
    }
}

static void last_group_sums(int bad)
{
    int *out = device<int>(1), *part = device<int>(4), *count = device<int>(1);
    LAUNCH(last_group, 4, 32, 0, 0, out, part, count, bad);
    end(out, 1);
    (void)API(Free)(part);
    (void)API(Free)(count);
}

/* Fences of all threads before a barrier, and behind one; one thread of a group stores the flag, and
 * one waits for it. */
__global__ void fence_of_all(int *out, int *p, int *flag, int no_release, int no_acquire)
{
    const int i = threadIdx.x;
    if (blockIdx.x == 0) {
        p[i] = 6 * i; /* BUG all_fence_store */
        fence_unless(no_release);
        __syncthreads();
        if (i == 0)
            atomicExch(flag, 1);
    } else {
        while (i == 0 && !look(flag))
            continue;
        __syncthreads();
        fence_unless(no_acquire);
        out[i] = p[blockDim.x - 1 - i]; /* BUG all_fence_load */
    }
}

static void fences_of_all(int no_release, int no_acquire)
{
    int *out = device<int>(96), *p = device<int>(96), *flag = device<int>(1);
    LAUNCH(fence_of_all, 2, 96, 0, 0, out, p, flag, no_release, no_acquire);
    end(out, no_release || no_acquire ? 0 : 96);
    (void)API(Free)(p);
    (void)API(Free)(flag);
}

static void barrier_without_release(int bad)
{
    fences_of_all(bad, 0);
}

static void barrier_without_acquire(int bad)
{
    fences_of_all(0, bad);
}

__global__ void under_lock(int *sum, int *lock, int bad)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(lock, 0, 1))
        continue;
    fence_unless(bad);
    *sum += 5; /* BUG locked_plain */
    fence_unless(bad);
    atomicExch(lock, 0);
}

static void lock_without_fences(int bad)
{
    int *p = device<int>(1), *lock = device<int>(1);
    LAUNCH(under_lock, 4, 32, 0, 0, p, lock, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 1);
    (void)API(Free)(lock);
}

__global__ void two_locks(int *sum, int *lock, int bad)
{
    if (threadIdx.x)
        return;
    int *mine = lock + (bad ? blockIdx.x % 2 : 0);
    while (atomicCAS(mine, 0, 1))
        continue;
    __threadfence();
    *sum += 5; /* BUG other_lock */
    __threadfence();
    atomicExch(mine, 0);
}

static void different_locks(int bad)
{
    int *p = device<int>(1), *lock = device<int>(2);
    LAUNCH(two_locks, 2, 32, 0, 0, p, lock, bad);
    if (bad)
        end_with(p, 0);
    else
        end(p, 1);
    (void)API(Free)(lock);
}

/* A barrier of all groups that the kernel makes of atomic operations. */
__global__ void grid_barrier(int *out, int *p, int *count, int bad)
{
    const int i = threadIdx.x + 32 * blockIdx.x;
    p[i] = 6 * i; /* BUG grid_store */
    __syncthreads();
    if (!bad && threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (look(count) < (int)gridDim.x)
            continue;
        __threadfence();
    }
    __syncthreads();
    const int got = p[i ^ 32]; /* BUG grid_load */
    out[i] = bad ? 0 : got;
}

static void grid_without_barrier(int bad)
{
    int *out = device<int>(64), *p = device<int>(64), *count = device<int>(1);
    LAUNCH(grid_barrier, 2, 32, 0, 0, out, p, count, bad);
    end(out, 64);
    (void)API(Free)(p);
    (void)API(Free)(count);
}

/* ---- idioms ---- */

__global__ void add_all(int *sums)
{
    atomicAdd(&sums[threadIdx.x % 4], (int)threadIdx.x);
    atomicMax(&sums[4], (int)threadIdx.x);
}

static void atomic_reduction(int)
{
    int *p = device<int>(8);
    LAUNCH(add_all, 2, N, 0, 0, p);
    end(p, 8);
}

__global__ void warp_reduce(int *out)
{
    __shared__ int s[64];
    const int i = threadIdx.x;
    s[i] = i;
    LOCKSTEP();
    for (int step = 16; step; step /= 2) {
        const int sum = s[i] + s[(i + step) % 32];
        LOCKSTEP();
        s[i] = sum;
        LOCKSTEP();
    }
    out[i] = s[i];
}

static void warp_synchronous(int)
{
    int *out = device<int>(32);
    LAUNCH(warp_reduce, 1, 32, 0, 0, out);
    end(out, 32);
}

__global__ void neighbours(unsigned char *p)
{
    if (threadIdx.x % 3)
        p[threadIdx.x] = (unsigned char)threadIdx.x;
}

static void masked_neighbours(int)
{
    unsigned char *p = device<unsigned char>(N);
    LAUNCH(neighbours, 1, N, 0, 0, p);
    end(p, N);
}

__global__ void leave_early(int *out, int n)
{
    __shared__ int s[N];
    if ((int)threadIdx.x >= n)
        return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}

static void early_exit(int)
{
    int *out = device<int>(N);
#if defined __HIP__ || defined __CUDA__
    LAUNCH(leave_early, 1, N, 0, 0, out, HALF);
#else /* a host's barrier counts threads that have gone */
    LAUNCH(leave_early, 1, HALF, 0, 0, out, HALF);
#endif
    end(out, N);
}

__global__ void put_own(int *p, int add)
{
    p[threadIdx.x] += add;
}

__global__ void get_other(int *out, const int *p)
{
    out[threadIdx.x] = p[N - 1 - threadIdx.x];
}

static void kernel_after_kernel(int)
{
    int *out = device<int>(N), *p = device<int>(N);
    LAUNCH(put_own, 1, N, 0, 0, p, 3);
    LAUNCH(get_other, 1, N, 0, 0, out, p);
    LAUNCH(put_own, 1, N, 0, 0, p, 5);
    end(out, N);
    (void)API(Free)(p);
}

__global__ void count_and_merge(int *bins)
{
    __shared__ int own[8];
    if (threadIdx.x < 8)
        own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

static void histogram_merged(int)
{
    int *p = device<int>(8);
    LAUNCH(count_and_merge, 1, N, 0, 0, p);
    end(p, 8);
}

__global__ void tickets(int *sum, int *next, int *turn)
{
    if (threadIdx.x)
        return;
    const int mine = atomicAdd(next, 1);
    while (look(turn) != mine)
        continue;
    __threadfence();
    *sum = *sum * 2 + 1;
    __threadfence();
    atomicAdd(turn, 1);
}

static void ticket_lock(int)
{
    int *p = device<int>(1), *next = device<int>(1), *turn = device<int>(1);
    LAUNCH(tickets, 4, 32, 0, 0, p, next, turn);
    end(p, 1);
    (void)API(Free)(next);
    (void)API(Free)(turn);
}

/* Waves hand a value on within a group. */
__global__ void within_group(int *out, int *data, int *flag)
{
    const int wave = threadIdx.x / HALF;
    if (threadIdx.x % HALF)
        return;
    if (wave == 0) {
        *data = 13;
        __threadfence_block();
        atomicCAS(flag, 0, 1);
    } else {
        while (!look(flag))
            continue;
        __threadfence_block();
        *out = *data;
    }
}

static void flag_in_group(int)
{
    int *out = device<int>(1), *p = device<int>(1), *flag = device<int>(1);
    LAUNCH(within_group, 1, N, 0, 0, out, p, flag);
    end(out, 1);
    (void)API(Free)(p);
    (void)API(Free)(flag);
}

/* A chain: group 0 hands on to group 1, which hands on to group 2. */
__global__ void chain(int *out, int *data, int *flag)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 17;
    } else {
        while (look(flag) != (int)blockIdx.x)
            continue;
        __threadfence();
    }
    if (blockIdx.x == 2)
        *out = *data;
    __threadfence();
    atomicAdd(flag, 1);
}

static void handed_on(int)
{
    int *out = device<int>(1), *p = device<int>(1), *flag = device<int>(1);
    LAUNCH(chain, 3, 1, 0, 0, out, p, flag);
    end(out, 1);
    (void)API(Free)(p);
    (void)API(Free)(flag);
}

__global__ void read_all(int *out, const int *p)
{
    int sum = 0;
    for (int k = 0; k < 8; k++)
        sum += p[(threadIdx.x * 5 + k) % N];
    out[threadIdx.x + N * blockIdx.x] = sum;
}

static void read_by_all(int)
{
    int *out = device<int>(2 * N), *p = device<int>(N);
    LAUNCH(read_all, 2, N, 0, 0, out, p);
    end(out, 2 * N);
    (void)API(Free)(p);
}

__global__ void reuse(int *out)
{
    __shared__ int s[N];
    for (int k = 0; k < 3; k++) {
        s[threadIdx.x] = threadIdx.x + k;
        __syncthreads();
        out[threadIdx.x] += s[(threadIdx.x + HALF) % N];
        __syncthreads();
    }
}

static void reused_memory(int)
{
    int *out = device<int>(N);
    LAUNCH(reuse, 1, N, 0, 0, out);
    end(out, N);
}

/* A word with its own flag, past the caches, as scans that look back have it. */
#ifdef __CUDA__
#define PUT_PAST_CACHES(p, n) __stcg(p, n)
#define GET_PAST_CACHES(p) __ldcg(p)
#elif defined __HIP__ /* where a plain store and a loop that waits are a flag */
#define PUT_PAST_CACHES(p, n) (*(volatile int *)(p) = (n))
#define GET_PAST_CACHES(p) (*(volatile int *)(p))
#else
#define PUT_PAST_CACHES(p, n) atomicExch(p, n)
#define GET_PAST_CACHES(p) look(p)
#endif
__global__ void hand_word(int *out, int *word)
{
    int w;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        PUT_PAST_CACHES(word, 17 << 1 | 1);
    } else {
        while (!((w = GET_PAST_CACHES(word)) & 1))
            continue;
        *out = w >> 1;
    }
}

static void past_caches(int)
{
    int *out = device<int>(1), *word = device<int>(1);
    LAUNCH(hand_word, 2, 1, 0, 0, out, word);
    end(out, 1);
    (void)API(Free)(word);
}

CASES(CASE(shared_missing), CASE(shared_again), CASE(global_missing), CASE(dynamic_missing),
      CASE(bytes_missing), CASE(parts_missing), CASE(tree_first_step), CASE(scan_between),
      CASE(stencil_in_place), CASE(tile_missing), CASE(wrong_buffer), CASE(broadcast_early),
      CASE(cleared_early), CASE(in_functions), CASE(histogram_shared), CASE(histogram_groups),
      CASE(atomic_then_load), CASE(cleared_late), CASE(bins_cleared_late), CASE(reset_too_early), CASE(counted_in_groups),
      CASE(guess_of_another), CASE(message_to_volatile), CASE(lanes_of_one), CASE(lanes_alike), CASE(stores_alone),
      CASE(across_groups), CASE(sum_of_groups), CASE(message_without_fences),
      CASE(message_without_acquire), CASE(scope_of_group), CASE(last_group_sums), CASE(barrier_without_release), CASE(barrier_without_acquire),
      CASE(lock_without_fences), CASE(different_locks), CASE(grid_without_barrier),
      CASE(maximum_of_groups), CASE(atomic_reduction), CASE(warp_synchronous), CASE(masked_neighbours), CASE(early_exit),
      CASE(kernel_after_kernel), CASE(histogram_merged), CASE(ticket_lock), CASE(flag_in_group),
      CASE(handed_on), CASE(read_by_all), CASE(reused_memory), CASE(past_caches))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
