/* More planted mistakes of vortex.c: each width, each operation, each kind of object. */

#define KERNEL(name) static void name(void *a __attribute__((unused)))

static volatile signed char small[N];
static unsigned char unsigned_bytes[N + 3];
static unsigned short unsigned_halves[N];
static int large[32 * N], rows[N][4], initial[N] = {9, 8, 7, 6, 5, 4, 3, 2};
static int wide[2 * N], of_call[N];
static volatile int columns[4][N];
static int flags[N];
static float of_floats[N];
static struct pair {
    int first;
    float second;
} pairs[N];
static const short few[N] = {1, 2, 3, 4, 5, 6, 7, 8};
static const float ratios[N] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f};
static float *of_float;
static short *of_half;
static uint32_t *of_word;
static const struct pair *of_pair;

/* ---- variables ---- */

KERNEL(get_byte)
{
    out[me()] = small[me() - given.by]; /* BUG get_byte */
}

KERNEL(get_unsigned_byte)
{
    out[me()] = unsigned_bytes[me() + 3 + given.by]; /* BUG get_unsigned_byte */
}

KERNEL(get_half)
{
    out[me()] = halves[me() - given.by]; /* BUG get_half */
}

KERNEL(get_unsigned_half)
{
    out[me()] = unsigned_halves[me() + given.by]; /* BUG get_unsigned_half */
}

KERNEL(put_half_before)
{
    unsigned_halves[me() - given.by] = (unsigned short)me(); /* BUG put_half_before */
}

KERNEL(put_byte_before)
{
    unsigned_bytes[me() - given.by] = (unsigned char)me(); /* BUG put_byte_before */
}

KERNEL(put_float)
{
    of_floats[me() + given.by] = 0.5f; /* BUG put_float */
}

KERNEL(put_float_before)
{
    of_floats[me() - given.by] = 1.5f; /* BUG put_float_before */
}

KERNEL(get_member)
{
    out[me()] = pairs[me() + given.by].first; /* BUG get_member */
}

KERNEL(put_member)
{
    pairs[me() + given.by].second = 2.5f; /* BUG put_member */
}

KERNEL(put_row)
{
    rows[me() + given.by][2] = me(); /* BUG put_row */
}

KERNEL(get_column)
{
    out[me()] = columns[3][me() + given.by]; /* BUG get_column */
}

KERNEL(put_initial)
{
    initial[me() + given.by] = me(); /* BUG put_initial */
}

KERNEL(get_constant)
{
    out[me()] = constants[me() + given.by]; /* BUG get_constant */
}

KERNEL(get_half_constant)
{
    out[me()] = few[me() + given.by]; /* BUG get_half_constant */
}

KERNEL(put_large)
{
    large[32 * (me() + given.by)] = me(); /* BUG put_large */
}

KERNEL(put_every_second)
{
    wide[2 * me() + 2 * given.by] = me(); /* BUG put_every_second */
}

KERNEL(get_of_a_loop)
{
    int sum = 0;
    for (int k = 0; k < N + given.by; k++)
        sum += flags[k]; /* BUG get_of_a_loop */
    out[me()] = sum;
}

KERNEL(put_half_warp)
{
    VX_IF(me() & 1)
    flags[me() + 4 * given.by] = me(); /* BUG put_half_warp */
    VX_END
}

KERNEL(put_warp)
{
    flags[me() + 4 * given.by] = me(); /* BUG put_warp */
}

static __attribute__((noinline)) void put_of_call(int i)
{
    of_call[i] = i; /* BUG put_of_call */
}

KERNEL(calls)
{
    put_of_call(me() + given.by);
}

static inline __attribute__((always_inline)) int get_inlined(int i)
{
    return of_call[i]; /* BUG get_inlined */
}

KERNEL(inlines)
{
    out[me()] = get_inlined(me() + given.by);
}

KERNEL(exchange)
{
    out[me()] =
        __atomic_exchange_n(&flags[me() - given.by], 3, __ATOMIC_RELAXED); /* BUG exchange */
}

KERNEL(bits_or)
{
    __atomic_fetch_or(&flags[me() + given.by], 8, __ATOMIC_RELAXED); /* BUG bits_or */
}

KERNEL(bits_and)
{
    out[me()] = __atomic_fetch_and(&flags[me() + given.by], 3, __ATOMIC_RELAXED); /* BUG bits_and */
}

KERNEL(put_far)
{
    flags[me() + by_of_lane()] = 2; /* BUG put_far */
}

KERNEL(get_far_before)
{
    out[me()] = flags[me() - by_of_lane()]; /* BUG get_far_before */
}

KERNEL(put_byte_far)
{
    unsigned_bytes[me() + by_of_lane()] = 2; /* BUG put_byte_far */
}

KERNEL(add_far)
{
    vx_atomic_add(&sums[me() + by_of_lane()], 2); /* BUG add_far */
}

CASE_OF(byte_before, get_byte, bad, out)
CASE_OF(unsigned_byte_after, get_unsigned_byte, bad, out)
CASE_OF(half_before, get_half, bad, out)
CASE_OF(unsigned_half_after, get_unsigned_half, bad, out)
CASE_OF(half_store_before, put_half_before, bad, unsigned_halves)
CASE_OF(byte_store_before, put_byte_before, bad, unsigned_bytes)
CASE_OF(float_store_after, put_float, bad, of_floats)
CASE_OF(float_store_before, put_float_before, bad, of_floats)
CASE_OF(member_after, get_member, bad, out)
CASE_OF(member_store_after, put_member, bad, pairs)
CASE_OF(row_after, put_row, bad, rows)
CASE_OF(column_after, get_column, bad, out)
CASE_OF(initial_after, put_initial, bad, initial)
CASE_OF(constant_after, get_constant, bad, out)
CASE_OF(half_constant_after, get_half_constant, bad, out)
CASE_OF(large_after, put_large, bad, large)
CASE_OF(every_second_after, put_every_second, bad, wide)
CASE_OF(loop_after, get_of_a_loop, bad, out)
CASE_OF(half_warp, put_half_warp, bad, flags)
CASE_OF(one_warp, put_warp, bad, flags)
CASE_OF(in_called, calls, bad, of_call)
CASE_OF(in_inlined, inlines, bad, out)
CASE_OF(exchange_before, exchange, bad, flags)
CASE_OF(or_after, bits_or, bad, flags)
CASE_OF(and_after, bits_and, bad, out)

#define OF_LANE(name, number, kernel, by, from)                                                    \
    static void name(int bad)                                                                      \
    {                                                                                              \
        given.lane = number;                                                                       \
        run(kernel, by);                                                                           \
        result(from, sizeof from);                                                                 \
    }
OF_LANE(far_store, 1, put_far, bad << 26, flags)
OF_LANE(far_before, 3, get_far_before, bad << 28, out)
OF_LANE(far_byte, 0, put_byte_far, bad << 28, unsigned_bytes)
OF_LANE(far_atomic, 2, add_far, bad << 26, sums)

/* ---- what must not be written ---- */

KERNEL(write_byte)
{
    given.c[me()] = 'x'; /* BUG write_byte */
}

KERNEL(write_half)
{
    of_half[me()] = 4; /* BUG write_half */
}

KERNEL(write_float)
{
    of_float[me()] = 0.5f; /* BUG write_float */
}

KERNEL(write_atomic)
{
    __atomic_fetch_add(&given.p[me()], 4, __ATOMIC_RELAXED); /* BUG write_atomic */
}

static void byte_to_read_only(int bad)
{
    static char text[] = "a text that may be written";
    given.c = bad ? (char *)"and one that may not be" : text;
    run(write_byte, 0);
    result(text, sizeof text);
}

static void half_to_read_only(int bad)
{
    of_half = bad ? (short *)few : halves;
    run(write_half, 0);
    result(halves, sizeof halves);
}

static void float_to_read_only(int bad)
{
    of_float = bad ? (float *)ratios : numbers;
    run(write_float, 0);
    result(numbers, sizeof numbers);
}

static void atomic_on_read_only(int bad)
{
    given.p = bad ? (int *)constants : flags;
    run(write_atomic, 0);
    result(flags, sizeof flags);
}

/* ---- null ---- */

KERNEL(null_put)
{
    given.p[me()] = 3; /* BUG null_put */
}

KERNEL(null_get_byte)
{
    out[me()] = given.c[me() + 1000]; /* BUG null_get_byte */
}

KERNEL(null_put_half)
{
    of_half[me()] = 3; /* BUG null_put_half */
}

KERNEL(null_get_float)
{
    out[me()] = of_float[me()] > 1; /* BUG null_get_float */
}

KERNEL(null_add)
{
    vx_atomic_add(&of_word[me()], 3); /* BUG null_add */
}

KERNEL(null_member)
{
    out[me()] = of_pair[me()].second > 1; /* BUG null_member */
}

#define OF_NULL(name, pointer, value, kernel, from)                                                \
    static void name(int bad)                                                                      \
    {                                                                                              \
        pointer = bad ? 0 : (value);                                                               \
        run(kernel, 0);                                                                            \
        result(from, sizeof from);                                                                 \
    }
static char many_bytes[1024];
OF_NULL(null_store, given.p, flags, null_put, flags)
OF_NULL(null_byte, given.c, many_bytes, null_get_byte, out)
OF_NULL(null_half, of_half, halves, null_put_half, halves)
OF_NULL(null_of_float, of_float, numbers, null_get_float, out)
OF_NULL(null_atomic, of_word, sums, null_add, sums)
OF_NULL(null_struct, of_pair, pairs, null_member, out)

/* ---- addresses that are not aligned ---- */

KERNEL(misaligned_get_half)
{
    out[me()] = *(const short *)(given.c + 2 * me()); /* BUG misaligned_get_half */
}

KERNEL(misaligned_put)
{
    *(int *)(given.c + 4 * me()) = me(); /* BUG misaligned_put */
}

KERNEL(misaligned_put_half)
{
    *(short *)(given.c + 2 * me()) = (short)me(); /* BUG misaligned_put_half */
}

KERNEL(misaligned_get_float)
{
    const float number = *(const float *)(given.c + 4 * me()); /* BUG misaligned_get_float */
    out[me()] = number > 0.5f;
}

KERNEL(misaligned_of_lane)
{
    *(int *)(given.c + 4 * me() + by_of_lane()) = 7; /* BUG misaligned_of_lane */
}

static int aligned[N + 1];
#define OF_ODD(name, kernel, by, from)                                                             \
    static void name(int bad)                                                                      \
    {                                                                                              \
        for (int i = 0; i < N + 1; i++)                                                            \
            aligned[i] = 3 * i;                                                                    \
        given.lane = 1;                                                                            \
        given.c = (char *)aligned + (by);                                                          \
        run(kernel, 2 * bad);                                                                      \
        result(from, sizeof from);                                                                 \
    }
OF_ODD(misaligned_half, misaligned_get_half, bad, out)
OF_ODD(misaligned_store, misaligned_put, 2 * bad, aligned)
OF_ODD(misaligned_half_store, misaligned_put_half, bad, aligned)
OF_ODD(misaligned_float, misaligned_get_float, 2 * bad, out)
OF_ODD(misaligned_one_lane, misaligned_of_lane, 0, aligned)

/* ---- the threads' stacks ---- */

KERNEL(stack_put_byte)
{
    volatile char mine[11];
    for (int k = 0; k < 11; k++)
        mine[k] = (char)k;
    mine[10 + by_of_lane()] = (char)me(); /* BUG stack_put_byte */
    out[me()] = mine[me()];
}

KERNEL(stack_get_half)
{
    volatile short mine[8];
    for (int k = 0; k < 8; k++)
        mine[k] = (short)k;
    out[me()] = mine[me() * (me() != given.lane) - by_of_lane()]; /* BUG stack_get_half */
}

KERNEL(stack_put_float)
{
    volatile float mine[8];
    for (int k = 0; k < 8; k++)
        mine[k] = 0.5f;
    mine[7 + by_of_lane()] = 1.5f; /* BUG stack_put_float */
    out[me()] = mine[me()] > 1;
}

KERNEL(stack_of_two)
{
    volatile int one[8], two[8];
    for (int k = 0; k < 8; k++)
        one[k] = two[k] = k;
    one[7 + by_of_lane()] = 100; /* BUG stack_of_two */
    out[me()] = one[me()] + two[me()];
}

KERNEL(stack_of_structs)
{
    volatile struct pair mine[4];
    for (int k = 0; k < 4; k++)
        mine[k].first = k;
    mine[3 + by_of_lane()].first = 100; /* BUG stack_of_structs */
    out[me()] = mine[me() & 3].first;
}

static __attribute__((noinline)) int with_array(int i)
{
    volatile int own[6];
    for (int k = 0; k < 6; k++)
        own[k] = 5 * k;
    return own[5 + i]; /* BUG with_array */
}

KERNEL(stack_in_called)
{
    out[me()] = with_array(by_of_lane());
}

KERNEL(stack_in_loop)
{
    volatile int mine[8];
    for (int k = 0; k < 8 + given.by; k++)
        mine[k] = 2 * k; /* BUG stack_in_loop */
    out[me()] = mine[me()];
}

OF_LANE(stack_byte_after, 2, stack_put_byte, bad, out)
OF_LANE(stack_half_before, 0, stack_get_half, bad, out)
OF_LANE(stack_float_after, 3, stack_put_float, bad, out)
OF_LANE(stack_other, 1, stack_of_two, bad, out)
OF_LANE(stack_struct_after, 2, stack_of_structs, bad, out)
OF_LANE(stack_of_called, 3, stack_in_called, bad, out)
OF_LANE(stack_loop_after, 0, stack_in_loop, bad, out)

/* ---- the core's local memory ---- */

enum { LAST = VX_LOCAL_MEMORY_SIZE };

KERNEL(local_put_byte)
{
    signed char *local = vx_local_memory();
    local[LAST - N + me() + given.by] = (signed char)me(); /* BUG local_put_byte */
    vx_barrier();
    out[me()] = local[LAST - 1 - me() * !given.by];
}

KERNEL(local_put_half)
{
    short *local = vx_local_memory();
    local[me()] = (short)me();
    local[me() - given.by] = (short)me(); /* BUG local_put_half */
    out[me()] = local[me()];
}

KERNEL(local_get_float)
{
    float *local = vx_local_memory();
    local[LAST / 4 - N + me()] = 1.5f;
    out[me()] = local[LAST / 4 - N + me() + given.by] > 1; /* BUG local_get_float */
}

KERNEL(local_add)
{
    uint32_t *local = vx_local_memory();
    local[LAST / 4 - N + me()] = 5;
    vx_atomic_add(&local[LAST / 4 - N + me() + given.by], 2); /* BUG local_add */
    out[me()] = (int)local[LAST / 4 - N + me()];
}

CASE_OF(local_byte_after, local_put_byte, bad, out)
CASE_OF(local_half_before, local_put_half, bad, out)
CASE_OF(local_float_after, local_get_float, bad, out)
CASE_OF(local_atomic_after, local_add, bad, out)

#define MORE_MISTAKES                                                                              \
    CASE(byte_before), CASE(unsigned_byte_after), CASE(half_before), CASE(unsigned_half_after),    \
        CASE(half_store_before), CASE(byte_store_before), CASE(float_store_after),                 \
        CASE(float_store_before), CASE(member_after), CASE(member_store_after), CASE(row_after),   \
        CASE(column_after), CASE(initial_after), CASE(constant_after), CASE(half_constant_after),  \
        CASE(large_after), CASE(every_second_after), CASE(loop_after), CASE(half_warp),            \
        CASE(one_warp), CASE(in_called), CASE(in_inlined), CASE(exchange_before), CASE(or_after),  \
        CASE(and_after), CASE(far_store), CASE(far_before), CASE(far_byte), CASE(far_atomic),      \
        CASE(byte_to_read_only), CASE(half_to_read_only), CASE(float_to_read_only),                \
        CASE(atomic_on_read_only), CASE(null_store), CASE(null_byte), CASE(null_half),             \
        CASE(null_of_float), CASE(null_atomic), CASE(null_struct), CASE(misaligned_half),          \
        CASE(misaligned_store), CASE(misaligned_half_store), CASE(misaligned_float),               \
        CASE(misaligned_one_lane), CASE(stack_byte_after), CASE(stack_half_before),                \
        CASE(stack_float_after), CASE(stack_other), CASE(stack_struct_after),                      \
        CASE(stack_of_called), CASE(stack_loop_after), CASE(local_byte_after),                     \
        CASE(local_half_before), CASE(local_float_after), CASE(local_atomic_after)
