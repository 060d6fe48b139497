/* Planted mistakes of a bare Vortex program with barriers, and idioms. The argument that the host
 * leaves is the number of the case whose mistake is wanted, from 1; 0: all cases, without. One core
 * of four warps of two threads. */
#include <stdlib.h>
#include "vortex.h"
#include "cases.h"

enum { N = 8 };

static int bad_one;
static int words[N], out[N];

static int me(void)
{
    return (int)vx_thread();
}

static unsigned warp(void)
{
    return (unsigned)me() / 2;
}

static void run(void (*kernel)(void *), int bad)
{
    bad_one = bad;
    memset(words, 0, sizeof words);
    memset(out, 0, sizeof out);
    vx_launch(kernel, NULL);
    if (bad)
        memset(out, 0, sizeof out);
    result(out, sizeof out);
}

static void differing(void *a)
{
    (void)a;
    words[me()] = 3 * me();
    if (warp() < 2)
        vx_barrier_of(1, 4); /* BUG count_four */
    else if (bad_one)
        vx_barrier_of(1, 3); /* BUG count_three */
    else
        vx_barrier_of(1, 4);
    out[me()] = words[me() ^ 1];
}

static void different_counts(int bad)
{
    run(differing, bad);
}

static void too_many(void *a)
{
    (void)a;
    words[me()] = me();
    if (bad_one)
        vx_barrier_of(1, 5); /* BUG count_five */
    else
        vx_barrier_of(1, 4);
    out[me()] = words[me() ^ 1];
}

static void count_beyond_core(int bad)
{
    run(too_many, bad);
}

static void skipping(void *a)
{
    (void)a;
    words[me()] = me();
    if (!(bad_one && warp() == 3))
        vx_barrier_of(1, 4); /* BUG skipped_barrier */
    out[me()] = words[me() ^ 1];
}

static void warp_missing(int bad)
{
    run(skipping, bad);
}

static void crossing(void *a)
{
    (void)a;
    words[me()] = me();
    if (bad_one && warp() < 2)
        vx_barrier_of(0, 4); /* BUG barrier_zero */
    else
        vx_barrier_of(1, 4); /* BUG barrier_one */
    out[me()] = words[me() ^ 1];
}

static void wait_for_each_other(int bad)
{
    run(crossing, bad);
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

/* Pairs of warps have a barrier of their own. */
static void in_pairs(void *a)
{
    (void)a;
    for (int k = 0; k < 2; k++) {
        words[me()] = k * me();
        vx_barrier_of(warp() / 2, 2);
        out[me()] += words[me() ^ 3];
        vx_barrier_of(warp() / 2, 2);
    }
    vx_barrier_of(0, 4);
    out[me()] += 1;
}

static void barriers_of_pairs(int bad)
{
    run(in_pairs, bad & 0);
}

/* One barrier, with another count each time. */
static void again(void *a)
{
    (void)a;
    vx_barrier_of(1, 4);
    if (warp() < 2)
        vx_barrier_of(1, 2);
    vx_barrier_of(0, 4);
    out[me()] = me();
}

static void another_count_later(int bad)
{
    run(again, bad & 0);
}

CASES(CASE(different_counts), CASE(count_beyond_core), CASE(warp_missing),
      CASE(wait_for_each_other), CASE(barriers), CASE(barriers_of_pairs), CASE(another_count_later))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
