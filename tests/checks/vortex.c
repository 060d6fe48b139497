/* Planted mistakes with a bare Vortex program's memory, and idioms. Its objects are the variables
 * of its file, sections, the threads' stacks and the cores' local memory. The argument that the
 * host leaves is the number of the case whose mistake is wanted, from 1; 0: all cases, without
 * mistakes. One core of two warps of four threads. host/vortex.h makes the oracle of it. */
#include <stdlib.h>
#include "vortex.h"
#include "cases.h"

enum { N = 8 };

static int words[N], out[N];
static short halves[N];
static char bytes[N - 3];
static float numbers[N];
static uint32_t sums[N];
static const int constants[N] = {8, 7, 6, 5, 4, 3, 2, 1};

/* What main() hands to all threads. */
static struct {
    int by, lane;
    int *p;
    const int *q;
    char *c;
} given;

static int me(void)
{
    return (int)vx_thread();
}

/* given.by in one lane of the first warp, 0 in all others. */
static int by_of_lane(void)
{
    return given.by * (me() == given.lane);
}

/* ---- kernels of the planted mistakes ---- */

static void put(void *a)
{
    (void)a;
    words[me() + given.by] = 3 * me(); /* BUG put */
}

static void get(void *a)
{
    (void)a;
    out[me()] = words[me() - given.by]; /* BUG get */
}

static void get_far(void *a)
{
    (void)a;
    out[me()] = words[me() + by_of_lane()]; /* BUG get_far */
}

static void put_byte(void *a)
{
    (void)a;
    VX_IF(me() < N - 3)
    bytes[me() + given.by] = (char)me(); /* BUG put_byte */
    VX_END
}

static void put_half(void *a)
{
    (void)a;
    halves[me() + given.by] = (short)(5 * me()); /* BUG put_half */
}

static void get_float(void *a)
{
    (void)a;
    const float number = numbers[me() + given.by]; /* BUG get_float */
    out[me()] = number > 0.5f;
}

static void add(void *a)
{
    (void)a;
    vx_atomic_add(&sums[me() + given.by], 2); /* BUG add */
}

static void read_only(void *a)
{
    (void)a;
    given.p[me()] = 4; /* BUG read_only */
}

static void stack_store(void *a)
{
    volatile int mine[8];
    (void)a;
    for (int k = 0; k < 8; k++)
        mine[k] = k;
    mine[7 + by_of_lane()] = me(); /* BUG stack_store */
    out[me()] = mine[me()];
}

static void stack_load(void *a)
{
    volatile int mine[8];
    (void)a;
    for (int k = 0; k < 8; k++)
        mine[k] = me() + k;
    out[me()] = mine[-by_of_lane()]; /* BUG stack_load */
}

static __attribute__((noinline)) void fill_array(volatile int *array, int count)
{
    for (int k = 0; k < count; k++)
        array[k] = k; /* BUG fill_array */
}

static void stack_of_caller(void *a)
{
    volatile int mine[8];
    (void)a;
    fill_array(mine, 8 + given.by);
    out[me()] = mine[me()];
}

static __attribute__((noinline)) int deeper(int depth)
{
    volatile int mine[256] __attribute__((unused));
    mine[0] = depth; /* BUG deeper */
    return depth == 0 ? 1 : deeper(depth - 1) + 1;
}

static void overflow(void *a)
{
    (void)a;
    out[me()] = deeper(3 + 4 * given.by);
}

static void local_store(void *a)
{
    int *local = vx_local_memory();
    (void)a;
    local[VX_LOCAL_MEMORY_SIZE / sizeof(int) - N + me() + given.by] = me(); /* BUG local_store */
    vx_barrier();
    out[me()] = local[VX_LOCAL_MEMORY_SIZE / sizeof(int) - 1 - me() * !given.by];
}

static void local_load(void *a)
{
    int *local = vx_local_memory();
    (void)a;
    local[me()] = me();
    out[me()] = local[me() - given.by]; /* BUG local_load */
}

static void misaligned(void *a)
{
    (void)a;
    out[me()] = *(const int *)(given.c + 4 * me()); /* BUG misaligned */
}

static void null_load(void *a)
{
    (void)a;
    const uintptr_t from =
        (uintptr_t)given.q * (me() != given.lane) + (uintptr_t)given.p * (me() == given.lane);
    out[me()] = *(const int *)from; /* BUG null_load */
}

/* ---- their cases ---- */

static void run(void (*kernel)(void *), int by)
{
    for (int i = 0; i < N; i++) {
        words[i] = 100 + i;
        out[i] = 0;
        numbers[i] = 0.25f * i;
        sums[i] = i;
    }
    given.by = by;
    vx_launch(kernel, 0);
}

#define CASE_OF(name, kernel, by, from)                                                            \
    static void name(int bad)                                                                      \
    {                                                                                              \
        run(kernel, by);                                                                           \
        result(from, sizeof from);                                                                 \
    }
CASE_OF(variable_after, put, bad, words)
CASE_OF(variable_before, get, bad, out)
CASE_OF(byte_after, put_byte, bad, bytes)
CASE_OF(half_after, put_half, bad, halves)
CASE_OF(float_after, get_float, bad, out)
CASE_OF(atomic_after, add, bad, sums)
CASE_OF(stack_passed, stack_of_caller, bad, out)
CASE_OF(stack_overflow, overflow, bad, out)
CASE_OF(local_after, local_store, bad, out)
CASE_OF(local_before, local_load, bad, out)

static void far_away(int bad)
{
    given.lane = 2;
    run(get_far, bad << 26);
    result(out, sizeof out);
}

static void stack_after(int bad)
{
    given.lane = 1;
    run(stack_store, bad);
    result(out, sizeof out);
}

static void stack_before(int bad)
{
    given.lane = 3;
    run(stack_load, bad);
    result(out, sizeof out);
}

static void store_to_read_only(int bad)
{
    given.p = bad ? (int *)constants : out;
    run(read_only, 0);
    result(out, sizeof out);
}

/* Of a function that this case does not call. */
static void store_to_code(int bad)
{
    given.p = bad ? (int *)((uintptr_t)add & ~(uintptr_t)3) : out;
    run(read_only, 0);
    result(out, sizeof out);
}

static void misaligned_word(int bad)
{
    static int from[N + 1] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    given.c = (char *)from + 2 * bad;
    run(misaligned, 0);
    result(out, sizeof out);
}

static void null_of_lane(int bad)
{
    given.lane = 2;
    given.p = bad ? 0 : words;
    given.q = words;
    run(null_load, 0);
    result(out, sizeof out);
}

/* ---- idioms ---- */

static void through_middle(void *a)
{
    (void)a;
    out[me()] = given.q[me() - N / 2];
}

static void negative_index(int bad)
{
    given.q = words + N / 2;
    run(through_middle, bad);
    result(out, sizeof out);
}

static void to_the_end(void *a)
{
    int sum = 0;
    (void)a;
    for (const int *at = words, *end = words + N; at != end; at++)
        sum += *at;
    out[me()] = sum;
}
CASE_OF(one_past_the_end, to_the_end, bad, out)

static void pun(void *a)
{
    union {
        float f;
        int i;
        unsigned char bytes[4];
    } both;
    (void)a;
    both.f = 1.5f * me();
    out[me()] = both.i + both.bytes[3];
}
CASE_OF(union_punning, pun, bad, out)

static void cut(void *a)
{
    int *first = vx_local_memory();
    unsigned char *second = (unsigned char *)(first + N);
    (void)a;
    first[me()] = 100 * me();
    second[me()] = (unsigned char)(200 + me());
    vx_barrier();
    out[me()] = first[N - 1 - me()] + second[(me() + 1) % N];
}

/* A barrier needs all threads at once; the oracle has them, the examples' library for the host has
 * one. */
CASE_OF(local_in_two, cut, bad, out)

static __attribute__((noinline)) int recursive(int depth)
{
    volatile int mine[4];
    for (int i = 0; i < 4; i++)
        mine[i] = depth + i;
    return depth == 0 ? mine[1] : recursive(depth - 1) + mine[depth & 3];
}

static void recurse(void *a)
{
    (void)a;
    out[me()] = recursive(6);
}
CASE_OF(recursion, recurse, bad, out)

static __thread int own[3], own_with_value = 5;

static void of_thread(void *a)
{
    (void)a;
    own[2] = me();
    own_with_value += own[2];
    out[me()] = own[2] + own[0];
}
CASE_OF(thread_local_variables, of_thread, bad, out)

struct flexible {
    int count;
    int values[];
};

static void fill_flexible(void *a)
{
    struct flexible *f = a;
    f->values[me()] = f->count * me();
}

/* The library's heap, which no symbol describes. */
static void heap(int bad)
{
    struct flexible *f = malloc(sizeof *f + N * sizeof(int));
    (void)bad;
    f->count = 3;
    vx_launch(fill_flexible, f);
    result(f, sizeof *f + N * sizeof(int));
    free(f);
    free(NULL);
}

static struct padded {
    signed char c;
    int i;
    signed char tail;
} from_struct[N], to_struct[N];

static void copy_structs(void *a)
{
    (void)a;
    to_struct[me()] = from_struct[me()];
}

static void padding(int bad)
{
    for (int i = 0; i < N; i++)
        from_struct[i] = (struct padded){(signed char)i, 3 * i, (signed char)-i};
    run(copy_structs, bad);
    for (int i = 0; i < N; i++)
        out[i] = to_struct[i].c + to_struct[i].i + to_struct[i].tail;
    result(out, sizeof out);
}

static void odd(void *a)
{
    (void)a;
    struct __attribute__((packed)) {
        char c;
        int i;
    } const *packed = (const void *)(given.c + 5 * me());
    out[me()] = packed->i;
}

static void odd_addresses(int bad)
{
    static char from[5 * N];
    for (int i = 0; i < 5 * N; i++)
        from[i] = (char)i;
    given.c = from;
    run(odd, bad);
    result(out, sizeof out);
}

#include "vortex_mistakes.h"
#include "vortex_idioms.h"

CASES(CASE(variable_after), CASE(variable_before), CASE(byte_after), CASE(half_after),
      CASE(float_after), CASE(atomic_after), CASE(far_away), CASE(store_to_read_only),
      CASE(store_to_code), CASE(stack_after), CASE(stack_before), CASE(stack_passed),
      CASE(stack_overflow), CASE(local_after), CASE(local_before), CASE(misaligned_word),
      CASE(null_of_lane), CASE(negative_index), CASE(one_past_the_end), CASE(union_punning),
      CASE(local_in_two), CASE(recursion), CASE(thread_local_variables), CASE(heap), CASE(padding),
      CASE(odd_addresses), MORE_MISTAKES, MORE_IDIOMS)

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
