/* Planted races of a bare Vortex program, and idioms. The argument that the host leaves is the
 * number of the case whose race is wanted, from 1; 0: all cases, without races. One core of two
 * warps of four threads, which are in lockstep: the two accesses are those of both warps.
 * host/vortex.h makes the oracle of it. */
#include <stdlib.h>
#include "vortex.h"
#include "cases.h"

enum { N = 8 };

static int bad_one;
static int words[N], out[N], one;
static signed char bytes[N];
static uint32_t sums[2];

static int me(void)
{
    return (int)vx_thread();
}

static void barrier_unless_bad(void)
{
    if (!bad_one)
        vx_barrier();
}

/* Runs a kernel; where it is bad, its numbers are not the case's result. */
static void run(void (*kernel)(void *), int bad)
{
    bad_one = bad;
    memset(words, 0, sizeof words);
    memset(out, 0, sizeof out);
    memset(bytes, 0, sizeof bytes);
    one = 0;
    sums[0] = sums[1] = 0;
    vx_launch(kernel, NULL);
    if (bad)
        memset(out, 0, sizeof out);
    result(out, sizeof out);
}

static void reverse(void *a)
{
    (void)a;
    words[me()] = 3 * me(); /* BUG reverse_store */
    barrier_unless_bad();
    out[me()] = words[N - 1 - me()]; /* BUG reverse_load */
}

static void global_missing(int bad)
{
    run(reverse, bad);
}

static void reverse_local(void *a)
{
    int *const local = vx_local_memory();
    (void)a;
    local[me()] = 5 * me(); /* BUG local_store */
    barrier_unless_bad();
    out[me()] = local[N - 1 - me()]; /* BUG local_load */
}

static void local_missing(int bad)
{
    run(reverse_local, bad);
}

static void reverse_bytes(void *a)
{
    (void)a;
    bytes[me()] = (signed char)me(); /* BUG bytes_store */
    barrier_unless_bad();
    out[me()] = bytes[N - 1 - me()]; /* BUG bytes_load */
}

static void bytes_missing(int bad)
{
    run(reverse_bytes, bad);
}

static void shift(void *a)
{
    (void)a;
    const int next = words[(me() + 1) % N]; /* BUG shift_load */
    barrier_unless_bad();
    words[me()] = next + 1; /* BUG shift_store */
    vx_barrier();
    out[me()] = words[me()];
}

static void shift_in_place(int bad)
{
    run(shift, bad);
}

static void count(void *a)
{
    (void)a;
    if (bad_one)
        one += 2; /* BUG count_plain */
    else
        vx_atomic_add(&sums[0], 2);
    vx_barrier();
    out[me()] = (int)sums[0];
}

static void counter(int bad)
{
    run(count, bad);
}

static void sum_then_load(void *a)
{
    (void)a;
    vx_atomic_add(&sums[1], 3); /* BUG sum_atomic */
    barrier_unless_bad();
    out[me()] = (int)sums[1]; /* BUG sum_load */
}

static void atomic_then_load(int bad)
{
    run(sum_then_load, bad);
}

/* ---- idioms ---- */

static void rounds(void *a)
{
    (void)a;
    for (int k = 0; k < 3; k++) {
        words[me()] = k + me();
        vx_barrier();
        out[me()] += words[N - 1 - me()];
        vx_barrier();
    }
}

static void barriers(int bad)
{
    run(rounds, bad & 0);
}

static void own_bytes(void *a)
{
    (void)a;
    VX_IF(me() % 3)
    bytes[me()] = (signed char)me();
    VX_END
    out[me()] = bytes[me()];
}

static void masked_neighbours(int bad)
{
    run(own_bytes, bad & 0);
}

/* What one kernel has stored the next one, and main(), read. */
static void kernel_after_kernel(int bad)
{
    run(reverse, bad & 0);
    vx_launch(own_bytes, NULL);
    for (int i = 0; i < N; i++)
        words[i] = out[i];
    result(words, sizeof words);
}

CASES(CASE(global_missing), CASE(local_missing), CASE(bytes_missing), CASE(shift_in_place),
      CASE(counter), CASE(atomic_then_load), CASE(barriers), CASE(masked_neighbours),
      CASE(kernel_after_kernel))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
