/* Planted mistakes with barriers and with what lanes do together, and idioms, in HIP and CUDA C++.
 * sync.txt says what each case's mistake is: its lines have the comment BUG and the label's marks.
 * A case without its mistake (bad = 0) executes the same code as it should be. The oracle is this
 * file, compiled for the host: gpu.h's threads, whose barrier knows the lines. */
#define GROUPS_AT_ONCE
#include "gpu.h"
#include "cases.h"
#include "barriers.h"

enum { N = 128, HALF = N / 2, QUARTER = N / 4, WAVE_PART = 16 };

static int *device(size_t count)
{
    int *p;
    (void)API(Malloc)(&p, count * sizeof *p);
    (void)API(Memset)(p, 0, count * sizeof *p);
    return p;
}

/* A kernel that writes out; the numbers of a bad case are not its result. */
template <class Kernel> static void run(Kernel kernel, int bad)
{
    static int here[N];
    int *out = device(N);
    LAUNCH(kernel, 1, N, 0, 0, out, bad);
    (void)API(DeviceSynchronize)();
    (void)API(Memcpy)(here, out, sizeof here, API(MemcpyDeviceToHost));
    if (bad)
        memset(here, 0, sizeof here);
    result(here, sizeof here);
    (void)API(Free)(out);
}

#define RUN(name, kernel)                                                                          \
    static void name(int bad)                                                                      \
    {                                                                                              \
        run(kernel, bad);                                                                          \
    }
#define RUN_GOOD(name, kernel)                                                                     \
    static void name(int)                                                                          \
    {                                                                                              \
        run(kernel, 0);                                                                            \
    }

/* ---- barriers that not all reach ---- */

__global__ void part_of_waves(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 3 * i;
    if (!bad || i % QUARTER < WAVE_PART)
        BARRIER(); /* BUG part_barrier */
    out[i] = s[i ^ 1]; /* BUG part_store */
    AT_END();
}
RUN(lanes_missing, part_of_waves)

__global__ void some_waves(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 5 * i;
    if (!bad || i < HALF)
        BARRIER(); /* BUG waves_barrier */
    out[i] = s[i ^ 1]; /* BUG waves_store */
    AT_END();
}
RUN(waves_missing, some_waves)

__global__ void one_lane(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    for (int k = 0; k < 3; k++) {
        s[i] = k + i;
        if (!(bad && k == 1 && i == 3))
            BARRIER(); /* BUG one_barrier */
        out[i] += s[i ^ 1]; /* BUG one_store */
        BARRIER(); /* BUG one_second */
    }
    AT_END();
}
RUN(one_lane_missing, one_lane)

__device__ __noinline__ void exchange(int *out, const int *s, int i)
{
    BARRIER(); /* BUG called_barrier */
    out[i] = s[i ^ 1];
}

__global__ void calls(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 7 * i;
    if (!bad || i % 32 < WAVE_PART)
        exchange(out, s, i);
    out[i] += 1; /* BUG called_store */
    AT_END();
}
RUN(in_a_function, calls)

__global__ void nested(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 9 * i;
    if (!bad || i % 2)
        if (!bad || i < 100)
            BARRIER(); /* BUG nested_barrier */
    out[i] = s[i ^ 2]; /* BUG nested_store */
    AT_END();
}
RUN(nested_conditions, nested)

__global__ void tree(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    BARRIER();
    for (int k = HALF; k; k /= 2) {
        if (i < k)
            s[i] += s[i + k];
        if (!bad || i < k)
            BARRIER(); /* BUG tree_barrier */
    }
    if (i == 0)
        out[0] = s[0];
    AT_END();
}
RUN(tree_of_some, tree)

/* ---- different barriers ---- */

__global__ void branches_of_waves(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 2 * i;
    if (bad) {
        if (i < HALF) {
            BARRIER(); /* BUG first_branch */
            out[i] = s[i ^ 1];
        } else {
            out[i] = i;
            BARRIER(); /* BUG second_branch */
            out[i] -= s[i ^ 1];
        }
    } else {
        BARRIER();
        out[i] = s[i ^ 1];
    }
    AT_END();
}
RUN(branches, branches_of_waves)

__global__ void branches_of_lanes(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 2 * i;
    if (bad) {
        if (i % 2) {
            BARRIER(); /* BUG odd_branch */
            out[i] = s[i ^ 1];
        } else {
            out[i] = i;
            BARRIER(); /* BUG even_branch */
            out[i] -= s[i ^ 1];
        }
    } else {
        BARRIER();
        out[i] = s[i ^ 1];
    }
    AT_END();
}
RUN(branches_in_a_wave, branches_of_lanes)

__global__ void loops(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x, rounds = bad ? 1 + i / HALF : 2;
    for (int k = 0; k < rounds; k++) {
        s[i] = i + k;
        BARRIER(); /* BUG loop_barrier */
        out[i] += s[i];
    }
    BARRIER(); /* BUG behind_loop */
    out[i] += s[i];
    AT_END();
}
RUN(different_rounds, loops)

__global__ void loops_of_lanes(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x, rounds = bad ? 1 + i % 2 : 2;
    for (int k = 0; k < rounds; k++) {
        s[i] = i + k;
        BARRIER(); /* BUG lanes_loop */
        out[i] += s[i];
    }
    BARRIER(); /* BUG behind_lanes_loop */
    out[i] += s[i];
    AT_END();
}
RUN(different_rounds_of_lanes, loops_of_lanes)

__global__ void loops_to_the_end(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x, rounds = bad ? 1 + i % 2 : 2;
    int sum = 0;
    for (int k = 0; k < rounds; k++) {
        s[i] = i + k;
        BARRIER(); /* BUG to_the_end */
        sum += s[i];
    }
    out[i] = sum; /* BUG end_store */
    AT_END();
}
RUN(rounds_to_the_end, loops_to_the_end)

__global__ void leaves_early(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        s[i] = i * k;
        if (bad && k == 2 && i >= 100)
            break;
        BARRIER(); /* BUG break_barrier */
        sum += s[i ^ 1];
        BARRIER();
    }
    out[i] = sum; /* BUG break_store */
    AT_END();
}
RUN(break_before_barrier, leaves_early)

__global__ void goes_round(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        s[i] = i * k; /* BUG continue_store */
        if (bad && k == 1 && i % 8 == 0)
            continue;
        BARRIER(); /* BUG continue_barrier */
        out[i] += s[i ^ 1];
        BARRIER();
    }
    AT_END();
}
RUN(continue_before_barrier, goes_round)

__global__ void three_ways(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    switch (bad ? i / QUARTER : 0) {
    case 0:
        out[i] = 1;
        BARRIER(); /* BUG way_one */
        out[i] += s[i ^ 1];
        break;
    case 1:
        out[i] = 2;
        BARRIER(); /* BUG way_two */
        out[i] -= s[i ^ 1];
        break;
    default:
        BARRIER(); /* BUG way_three */
        out[i] = s[i ^ 3];
    }
    AT_END();
}
RUN(ways_of_a_switch, three_ways)

/* ---- idioms ---- */

__global__ void ends_early(int *out, int)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    if (i >= 100)
        return;
    s[i] = 3 * i;
    BARRIER();
    out[i] = s[99 - i];
    BARRIER();
    out[i] += s[i];
    AT_END();
}
RUN_GOOD(early_exit, ends_early)

__device__ __noinline__ void turn(int *out, const int *s, int i, int by)
{
    BARRIER(); /* BUG turn_barrier */
    out[i] = s[i ^ by];
}

__global__ void two_calls(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 2 * i;
    if (!bad)
        turn(out, s, i, 1);
    else if (i < HALF) {
        turn(out, s, i, 2);
        out[i] += 3;
    } else {
        turn(out, s, i, 4);
    }
    AT_END();
}
RUN(calls_in_branches, two_calls)

__global__ void waves_end_early(int *out, int)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = 3 * i;
    BARRIER();
    if (i >= HALF)
        return;
    out[i] = s[N - 1 - i];
    BARRIER();
    out[i] += s[i];
    AT_END();
}
RUN_GOOD(early_exit_of_waves, waves_end_early)

__global__ void stores_and_ends(int *out, int)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    if (i >= 100) {
        out[i] = -1;
        return;
    }
    BARRIER();
    out[i] = 2 * s[i ^ 1];
    BARRIER();
    out[i] += s[i];
    AT_END();
}
RUN_GOOD(early_exit_with_store, stores_and_ends)

__global__ void uniform_condition(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = i;
    if (blockIdx.x == 0 && !bad)
        BARRIER();
    else
        out[i] = 1;
    out[i] += s[i ^ 1];
    AT_END();
}
RUN_GOOD(uniform_branch, uniform_condition)

__global__ void uniform_loop(int *out, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    for (int k = 0; k < 3 + bad; k++) {
        s[i] = k * i;
        BARRIER();
        if (i % 2)
            out[i] += s[i ^ 1];
        else
            out[i] -= s[i ^ 1];
        BARRIER();
    }
    AT_END();
}
RUN_GOOD(uniform_rounds, uniform_loop)

__global__ void shared_exit(int *out, int)
{
    __shared__ int s[N], more;
    const int i = threadIdx.x;
    s[i] = i;
    for (int k = 0;; k++) {
        if (i == 0)
            more = k < 5;
        BARRIER();
        const int go_on = more;
        BARRIER();
        if (!go_on)
            break;
        s[i] += k;
    }
    out[i] = s[i];
    AT_END();
}
RUN_GOOD(exit_that_is_common, shared_exit)

__global__ void one_works(int *out, int)
{
    __shared__ int sum;
    const int i = threadIdx.x;
    if (i == 0) {
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum += k;
    }
    BARRIER();
    out[i] = sum + i;
    if (i < 10)
        out[i] *= 2;
    BARRIER();
    out[i] += 1;
    AT_END();
}
RUN_GOOD(divergent_between, one_works)

CASES(CASE(lanes_missing), CASE(waves_missing), CASE(one_lane_missing), CASE(in_a_function),
      CASE(nested_conditions), CASE(tree_of_some), CASE(branches), CASE(branches_in_a_wave),
      CASE(different_rounds), CASE(different_rounds_of_lanes), CASE(rounds_to_the_end),
      CASE(break_before_barrier), CASE(continue_before_barrier), CASE(ways_of_a_switch), CASE(calls_in_branches),
      CASE(early_exit), CASE(early_exit_of_waves), CASE(early_exit_with_store),
      CASE(uniform_branch), CASE(uniform_rounds), CASE(exit_that_is_common),
      CASE(divergent_between))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
