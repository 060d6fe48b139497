/* Planted uses of values that nothing has written in a bare Vortex program, and idioms: init.txt
 * names them. The argument that the host leaves is the number of the case whose mistake is wanted,
 * from 1; 0: all cases, without mistakes. What a bare program leaves in its variables is its
 * result. One core of two warps of four threads. host/vortex.h makes the oracle of it. */
#include <stdlib.h>
#include "vortex.h"
#include "cases.h"

enum { N = 8 };

static int out[N], words[N];
static uint32_t sums[2];
static int by; /* of the case that runs: 1 if it has its mistake */

static int me(void)
{
    return (int)vx_thread();
}

/* What a bad case leaves is not compared. */
static void run(void (*kernel)(void *), int bad)
{
    static const int zeros[N];
    by = bad;
    for (int i = 0; i < N; i++) {
        words[i] = 3 * i;
        out[i] = 0;
    }
    vx_launch(kernel, NULL);
#ifndef __riscv
    int use = 0; /* for the oracle */
    for (int i = 0; i < N; i++)
        use |= out[i] == 12345;
    if (use)
        puts("");
#endif
    result(bad ? zeros : out, sizeof out);
}

/* ---- stacks ---- */

static void own_sum(void *a)
{
    volatile int own[8];
    (void)a;
    for (int k = by; k < 8; k++)
        own[k] = words[me()] + k;
    out[me()] = own[0] + own[3]; /* BUG own_sum */
}

static void sum_of_a_part(int bad)
{
    run(own_sum, bad);
}

static void own_float(void *a)
{
    volatile float own[8];
    (void)a;
    for (int k = by; k < 8; k++)
        own[k] = (float)(words[me()] + k);
    out[me()] = (int)(own[0] * 1.5f); /* BUG own_float */
}

static void float_of_a_part(int bad)
{
    run(own_float, bad);
}

static void own_branch(void *a)
{
    volatile int own[8];
    (void)a;
    for (int k = by; k < 8; k++)
        own[k] = words[me()] + k;
    VX_IF(own[0] > 5) /* BUG own_branch */
    out[me()] = 5;
    VX_END
}

static void branch_on_own(int bad)
{
    run(own_branch, bad);
}

static void own_index(void *a)
{
    volatile int own[8];
    (void)a;
    for (int k = by; k < 8; k++)
        own[k] = me() + k;
    out[own[0] & (N - 1)] = 1; /* BUG own_index */
}

static void index_of_a_store(int bad)
{
    run(own_index, bad);
}

static void own_atomic(void *a)
{
    volatile uint32_t own[8];
    (void)a;
    for (int k = by; k < 8; k++)
        own[k] = (uint32_t)(me() + k);
    vx_atomic_add(&sums[0], own[0]); /* BUG own_atomic */
}

static void atomic_of_a_part(int bad)
{
    run(own_atomic, bad);
}

/* ---- local memory ---- */

static void local_sum(void *a)
{
    int *local = vx_local_memory();
    (void)a;
    VX_IF(!by | (me() < N / 2))
    local[me()] = words[me()];
    VX_END
    vx_barrier();
    out[me()] = local[me()] + local[N - 1 - me()]; /* BUG local_sum */
}

static void local_of_a_part(int bad)
{
    run(local_sum, bad);
}

static void local_branch(void *a)
{
    int *local = (int *)vx_local_memory() + 256;
    (void)a;
    VX_IF(!by | (me() != 3))
    local[me()] = words[me()];
    VX_END
    vx_barrier();
    VX_IF(local[me() ^ 1] < 9) /* BUG local_branch */
    out[me()] = 5;
    VX_END
}

static void branch_on_local(int bad)
{
    run(local_branch, bad);
}

/* ---- idioms ---- */

struct padded {
    char tag;
    int number;
};

static void copy_padded(void *a)
{
    volatile struct padded mine;
    (void)a;
    mine.tag = (char)me();
    mine.number = words[me()];
    struct padded copy = *(struct padded *)&mine, *local = vx_local_memory();
    local[me()] = copy;
    vx_barrier();
    out[me()] = local[N - 1 - me()].tag + local[N - 1 - me()].number;
}

static void padding_is_copied(int bad)
{
    run(copy_padded, bad & 0);
}

static void one_byte(void *a)
{
    volatile union {
        unsigned word;
        unsigned char byte[4];
    } mine;
    (void)a;
    mine.byte[1] = (unsigned char)(words[me()] + 1);
    out[me()] = (int)(mine.word >> 8 & 0xff);
}

static void byte_of_a_word(int bad)
{
    run(one_byte, bad & 0);
}

static void where_used(void *a)
{
    volatile int mine[2];
    (void)a;
    VX_IF(me() & 1)
    mine[1] = words[me()] * 3;
    VX_END
    VX_IF(me() & 1)
    out[me()] = mine[1] + 1;
    VX_END
}

static void written_where_used(int bad)
{
    run(where_used, bad & 0);
}

static void rounds(void *a)
{
    int *local = (int *)vx_local_memory() + 512;
    (void)a;
    local[me()] = words[me()];
    vx_barrier();
    for (int step = N / 2; step; step /= 2) {
        VX_IF(me() < step)
        local[me()] += local[me() + step];
        VX_END
        vx_barrier();
    }
    VX_IF(me() == 0)
    out[0] = local[0];
    VX_END
}

static void tree_in_local_memory(int bad)
{
    run(rounds, bad & 0);
}

/* The sign of a word fills what is above it: on RV64 by each operation on words. */
static void wide_sum(void *a)
{
    union {
        volatile int word;
        volatile unsigned char byte[4];
    } mine;
    (void)a;
    for (int k = 0; k < 4 - by; k++)
        mine.byte[k] = (unsigned char)(k + me());
    const int64_t wide = mine.word + words[me()];
    VX_IF(wide >> 40) /* BUG sign_of_sum */
    out[me()] = 1;
    VX_END
}

static void sign_of_a_sum(int bad)
{
    run(wide_sum, bad);
}

/* The sign alone is written. */
static void wide_sign(void *a)
{
    union {
        volatile int word;
        volatile unsigned char byte[4];
    } mine;
    (void)a;
    mine.byte[3] = (unsigned char)(me() << 6);
    const int64_t wide = mine.word;
    VX_IF(wide >> 40)
    out[me()] = 1;
    VX_END
}

static void sign_of_a_part(int bad)
{
    run(wide_sign, bad & 0);
}

CASES(CASE(sum_of_a_part), CASE(float_of_a_part), CASE(branch_on_own), CASE(index_of_a_store),
      CASE(atomic_of_a_part), CASE(local_of_a_part), CASE(branch_on_local), CASE(sign_of_a_sum),
      CASE(padding_is_copied), CASE(byte_of_a_word), CASE(written_where_used),
      CASE(tree_in_local_memory), CASE(sign_of_a_part))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
