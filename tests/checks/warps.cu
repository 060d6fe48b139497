/* Planted mistakes with what lanes of a warp do together, with barriers that have numbers and
 * counts, and with asynchronous copies, and idioms, in CUDA C++ and PTX; of them, on a gfx900, the
 * shuffles. sync.txt says what each case's mistake is. */
#include "gpu.h"
#include "cases.h"

enum { N = 128, HALF = N / 2 };
#define ALL 0xffffffffu

static int *device(size_t count)
{
    int *p;
    (void)API(Malloc)(&p, count * sizeof *p);
    (void)API(Memset)(p, 0, count * sizeof *p);
    return p;
}

/* A kernel that writes out; the numbers of a bad case are not its result. */
template <class Kernel> static void run(Kernel kernel, int threads, int bad)
{
    static int here[N];
    int *out = device(N);
    LAUNCH(kernel, 1, threads, 0, 0, out, bad);
    (void)API(DeviceSynchronize)();
    (void)API(Memcpy)(here, out, sizeof here, API(MemcpyDeviceToHost));
    if (bad)
        memset(here, 0, sizeof here);
    result(here, sizeof here);
    (void)API(Free)(out);
}

#define RUN(name, threads, kernel)                                                                 \
    static void name(int bad)                                                                      \
    {                                                                                              \
        run(kernel, threads, bad);                                                                 \
    }
#define RUN_GOOD(name, threads, kernel)                                                            \
    static void name(int)                                                                          \
    {                                                                                              \
        run(kernel, threads, 0);                                                                   \
    }

#ifdef __HIP__
#define SHUFFLE(value, from) __shfl(value, from)
#define SHUFFLE_XOR(value, by) __shfl_xor(value, by)
#else
#define SHUFFLE(value, from) __shfl_sync(__activemask(), value, from)
#define SHUFFLE_XOR(value, by) __shfl_xor_sync(__activemask(), value, by)
#endif

/* ---- lanes that do not take part ---- */

__global__ void broadcast(int *out, int bad)
{
    const int i = threadIdx.x;
    int value = 3 * i + 1;
    if (i % 32 < 16)
        value = SHUFFLE(value, bad ? 20 : 5); /* BUG broadcast_shuffle */
    out[i] = value;
}
RUN(value_of_inactive, 32, broadcast)

__global__ void halves(int *out, int bad)
{
    const int i = threadIdx.x;
    int value = 5 * i;
    if (i < 24)
        value += SHUFFLE_XOR(value, bad ? 8 : 4); /* BUG halves_shuffle */
    out[i] = value;
}
RUN(pairs_of_inactive, 32, halves)

__global__ void all_lanes(int *out, int)
{
    int value = threadIdx.x;
    for (int by = 16; by; by /= 2)
        value += SHUFFLE_XOR(value, by);
    out[threadIdx.x] = value;
}
RUN_GOOD(butterfly, 32, all_lanes)

__global__ void whole_waves(int *out, int)
{
    const int i = threadIdx.x;
    if (i < HALF)
        out[i] = SHUFFLE(2 * i, 7);
    else
        out[i] = SHUFFLE(3 * i, 9);
}
RUN_GOOD(shuffle_of_waves, N, whole_waves)

#ifndef __HIP__
/* ---- masks ---- */

__global__ void own_lane(int *out, int bad)
{
    const int i = threadIdx.x;
    out[i] = __shfl_sync(bad && i == 3 ? ALL & ~8u : ALL, i, 4); /* BUG own_shuffle */
}
RUN(mask_without_caller, 32, own_lane)

__global__ void absent(int *out, int bad)
{
    const int i = threadIdx.x;
    int value = i;
    if (i < 16)
        value = __shfl_xor_sync(bad ? ALL : 0xffffu, value, 2); /* BUG absent_shuffle */
    out[i] = value; /* BUG absent_store */
}
RUN(mask_of_absent, 32, absent)

__global__ void vote_of_some(int *out, int bad)
{
    const int i = threadIdx.x;
    if (i % 4)
        out[i] = __ballot_sync(bad ? ALL : 0xeeeeeeeeu, i % 3 == 0); /* BUG some_vote */
    out[i] += i; /* BUG some_store */
}
RUN(vote_of_absent, 32, vote_of_some)

__global__ void waits_elsewhere(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    if (bad ? i % 32 < 8 : 1)
        out[i] = __any_sync(ALL, s[i] == 5); /* BUG elsewhere_vote */
    __syncthreads(); /* BUG elsewhere_barrier */
    out[i] += s[i];
}
RUN(absent_at_barrier, HALF, waits_elsewhere)

__global__ void two_masks(int *out, int bad)
{
    const int i = threadIdx.x;
    const unsigned mask = i < 16 ? 0xffffu : bad ? ALL : 0xffff0000u;
    out[i] = __shfl_xor_sync(mask, i, 1); /* BUG masks_shuffle */
}
RUN(masks_differ, 32, two_masks)

__global__ void warp_barrier(int *out, int bad)
{
    __shared__ int s[32];
    const int i = threadIdx.x;
    s[i] = i;
    __syncwarp(bad && i == 7 ? 1 : ALL); /* BUG warp_barrier */
    out[i] = s[i ^ 1];
}
RUN(barrier_of_other_lanes, 32, warp_barrier)

/* Its first instruction is of a header, as the mistake's is. */
__global__ void begins_in_header(int *out, int bad)
{
    const int i = threadIdx.x;
    const unsigned mask = __ballot_sync(ALL, i < 16);
    if (i <= 16) {
        if (i < 16 || bad)
            __syncwarp(mask); /* BUG header_barrier */
        out[i] = i;
    }
}
RUN(mistake_in_header, 32, begins_in_header)

__global__ void loop_of_some(int *out, int bad)
{
    const int i = threadIdx.x;
    int sum = 0;
    for (int k = i; k < (bad ? 80 : 96); k += 32)
        sum += __shfl_down_sync(ALL, k, 1); /* BUG loop_shuffle */
    out[i] = sum; /* BUG loop_store */
}
RUN(loop_leaves_some, 32, loop_of_some)

__global__ void branches(int *out, int bad)
{
    const int i = threadIdx.x;
    if (i < 16)
        out[i] = 1 + __shfl_xor_sync(bad ? ALL : 0xffffu, i, 1); /* BUG first_shuffle */
    else
        out[i] = 2 * __shfl_xor_sync(bad ? ALL : 0xffff0000u, 3 * i, 2); /* BUG second_shuffle */
}
RUN(branches_of_mask, 32, branches)

/* ---- barriers with numbers ---- */

__global__ void counts(int *out, int bad)
{
    const int i = threadIdx.x;
    out[i] = i;
    if (i < HALF)
        asm volatile("bar.sync 1, 128;" ::: "memory"); /* BUG count_all */
    else if (bad)
        asm volatile("bar.sync 1, 64;" ::: "memory"); /* BUG count_half */
    else
        asm volatile("bar.sync 1, 128;" ::: "memory");
    out[i] += 1;
}
RUN(different_counts, N, counts)

__global__ void too_many(int *out, int bad)
{
    const int i = threadIdx.x;
    out[i] = i;
    if (bad)
        asm volatile("bar.sync 2, 256;" ::: "memory"); /* BUG many_barrier */
    out[i] += 1;
}
RUN(count_beyond_group, N, too_many)

__global__ void crossed(int *out, int bad)
{
    const int i = threadIdx.x;
    out[i] = i;
    if (i < HALF)
        asm volatile("bar.sync 3, 128;" ::: "memory"); /* BUG crossed_three */
    else if (bad)
        asm volatile("bar.sync 4, 128;" ::: "memory"); /* BUG crossed_four */
    else
        asm volatile("bar.sync 3, 128;" ::: "memory");
    out[i] += 1;
}
RUN(wait_for_each_other, N, crossed)

/* ---- asynchronous copies ---- */

__device__ __forceinline__ void copy_async(int *to, const int *from)
{
    const unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory"); /* BUG copy */
}
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(groups) asm volatile("cp.async.wait_group " #groups ";" ::: "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")

__global__ void reads_early(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    out[i] = 7 * i;
    copy_async(&s[i], &out[i]);
    if (!bad)
        WAIT_ALL();
    out[i] = s[i] + 1; /* BUG early_load */
    WAIT_ALL();
}
RUN(copy_not_waited_for, N, reads_early)

__global__ void pipeline(int *out, int bad)
{
    __shared__ int s[2][32];
    const int i = threadIdx.x;
    out[i] = i;
    out[i + 32] = 3 * i;
    copy_async(&s[0][i], &out[i]);
    COMMIT();
    copy_async(&s[1][i], &out[i + 32]);
    COMMIT();
    WAIT(1);
    int sum = s[0][i];
    if (!bad)
        WAIT(0);
    sum += s[1][i]; /* BUG second_load */
    WAIT(0);
    out[i + 64] = sum;
}
RUN(group_not_waited_for, 32, pipeline)

__global__ void overwrites(int *out, int bad)
{
    __shared__ int s[32];
    const int i = threadIdx.x;
    out[i] = i;
    copy_async(&s[i], &out[i]);
    COMMIT();
    if (!bad)
        WAIT(0);
    s[i] = 5; /* BUG over_store */
    WAIT(0);
    out[i] = s[i];
}
RUN(store_into_copy, 32, overwrites)

__global__ void forgets(int *out, int bad)
{
    __shared__ int s[32];
    const int i = threadIdx.x;
    out[i] = i;
    copy_async(&s[i], &out[i]);
    if (!bad)
        WAIT_ALL();
}
RUN(copy_forgotten, 32, forgets)

/* ---- idioms ---- */

__global__ void reduce(int *out, int)
{
    const int i = threadIdx.x;
    int value = i;
    for (int by = 16; by; by /= 2)
        value += __shfl_down_sync(ALL, value, by);
    if (i % 32 == 0)
        out[i / 32] = value;
}
RUN_GOOD(warp_reduction, N, reduce)

__global__ void part_of_warp(int *out, int)
{
    const int i = threadIdx.x;
    const unsigned mask = __ballot_sync(ALL, i < 20);
    if (i < 20) {
        int value = i;
        for (int by = 16; by; by /= 2) {
            const int other = __shfl_sync(mask, value, i + by < 20 ? i + by : i);
            value += i + by < 20 ? other : 0;
        }
        out[i] = value;
    }
}
RUN_GOOD(mask_of_ballot, 32, part_of_warp)

__global__ void ends_early(int *out, int)
{
    const int i = threadIdx.x;
    if (i >= 100)
        return;
    out[i] = __any_sync(ALL, i == 5);
    __syncwarp();
    out[i] += 1;
}
RUN_GOOD(early_exit_of_lanes, N, ends_early)

__global__ void parts(int *out, int)
{
    const int i = threadIdx.x;
    const unsigned mask = 0xffu << (i & 24);
    int value = i;
    for (int k = 0; k <= i / 8; k++)
        value += __shfl_xor_sync(mask, value, 3);
    __syncwarp();
    out[i] = value;
}
RUN_GOOD(masks_of_parts, 32, parts)

__global__ void lock_step(int *out, int)
{
    __shared__ int s[32];
    const int i = threadIdx.x;
    s[i] = i;
    __syncwarp();
    if (i < 16) {
        s[i] += s[i + 16];
        __syncwarp(0xffff);
        if (i < 8)
            s[i] += s[i + 8];
        __syncwarp(0xffff);
    }
    __syncwarp();
    out[i] = s[i];
}
RUN_GOOD(barriers_of_parts, 32, lock_step)

/* Half of the warps produce, the others consume. */
__global__ void handshake(int *out, int)
{
    __shared__ int s[HALF];
    const int i = threadIdx.x;
    for (int k = 0; k < 3; k++)
        if (i < HALF) {
            asm volatile("bar.sync 5, 128;" ::: "memory");
            s[i] = i + k;
            asm volatile("bar.arrive 6, 128;" ::: "memory");
        } else {
            asm volatile("bar.arrive 5, 128;" ::: "memory");
            asm volatile("bar.sync 6, 128;" ::: "memory");
            out[i] += s[i - HALF];
        }
}
RUN_GOOD(produce_and_consume, N, handshake)

__global__ void named(int *out, int)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    asm volatile("bar.sync %0, 64;" ::"r"(7 + i / HALF) : "memory");
    out[i] = s[i ^ 33];
}
RUN_GOOD(barriers_of_halves, N, named)

__global__ void staged(int *out, int)
{
    __shared__ int s[2][32];
    const int i = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 4; k++)
        out[32 * (k % 2) + i] = k * i;
    copy_async(&s[0][i], &out[i]);
    COMMIT();
    for (int k = 1; k < 4; k++) {
        copy_async(&s[k % 2][i], &out[32 * (k % 2) + i]);
        COMMIT();
        WAIT(1);
        __syncthreads();
        sum += s[(k + 1) % 2][i ^ 1];
        __syncthreads();
    }
    WAIT_ALL();
    out[64 + i] = sum + s[1][i];
}
RUN_GOOD(double_buffer, 32, staged)

CASES(CASE(value_of_inactive), CASE(pairs_of_inactive), CASE(mask_without_caller),
      CASE(mask_of_absent), CASE(vote_of_absent), CASE(absent_at_barrier), CASE(masks_differ),
      CASE(barrier_of_other_lanes), CASE(mistake_in_header), CASE(loop_leaves_some), CASE(branches_of_mask),
      CASE(different_counts), CASE(count_beyond_group), CASE(wait_for_each_other),
      CASE(copy_not_waited_for), CASE(group_not_waited_for), CASE(store_into_copy),
      CASE(copy_forgotten), CASE(butterfly), CASE(shuffle_of_waves), CASE(warp_reduction),
      CASE(mask_of_ballot), CASE(early_exit_of_lanes), CASE(masks_of_parts),
      CASE(barriers_of_parts), CASE(produce_and_consume), CASE(barriers_of_halves),
      CASE(double_buffer))
#else
CASES(CASE(value_of_inactive), CASE(pairs_of_inactive), CASE(butterfly), CASE(shuffle_of_waves))
#endif

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
