/* Planted uses of values that nothing has written, and idioms, in HIP and CUDA C++. init.txt says
 * what each case's mistake is: its lines have the comment BUG and the label's marks. A case without
 * its mistake (bad = 0) executes the same code as it should be. The oracle is MemorySanitizer on
 * this file, compiled for the host: gpu.h's threads. */
#include "gpu.h"
#include <sys/wait.h>
#include <unistd.h>
#include "cases.h"

enum { N = 64, HALF = N / 2 };

/* Memory of which the first @p written ints have values. */
static int *device(size_t count, size_t written)
{
    int *p, here[4 * N];
    (void)API(Malloc)(&p, count * sizeof *p);
    for (size_t i = 0; i < written; i++)
        here[i] = (int)(i * 7 % 61);
    if (written)
        (void)API(Memcpy)(p, here, written * sizeof *p, API(MemcpyHostToDevice));
    return p;
}

/* What the host gets of @p count ints; those of a bad case are not its result. */
static void take(int *out, size_t count, int bad)
{
    int here[4 * N];
    (void)API(Memcpy)(here, out, count * sizeof *out, API(MemcpyDeviceToHost));
    int sum = 0;
    for (size_t i = 0; i < count; i++)
        sum |= here[i] == 12345;
    if (sum)
        puts("");
    if (bad)
        memset(here, 0, sizeof here);
    result(here, count * sizeof *here);
    (void)API(Free)(out);
}

/* A kernel (out, in, bad), of whose N numbers `in` those from @p short_of on are missing in a bad
 * case. */
template <class Kernel> static void run(Kernel kernel, int bad, size_t short_of = 0)
{
    int *in = device(N, bad ? short_of : N), *out = device(N, N);
    LAUNCH(kernel, 1, N, 0, 0, out, in, bad);
    (void)API(DeviceSynchronize)();
    take(out, N, bad);
    (void)API(Free)(in);
}

#define RUN(name, kernel, ...)                                                                     \
    static void name(int bad)                                                                      \
    {                                                                                              \
        run(kernel, bad, ##__VA_ARGS__);                                                           \
    }
#define RUN_GOOD(name, kernel, ...)                                                                \
    static void name(int)                                                                          \
    {                                                                                              \
        run(kernel, 0, ##__VA_ARGS__);                                                             \
    }

/* ---- what the host gets ---- */

__global__ void add_one(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    out[i] = in[i] + 1; /* BUG sum */
}
RUN(sum_of_unwritten, add_one)
RUN(sum_of_a_part, add_one, 48)

__global__ void scale(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    out[i] = (int)((float)in[i] * 1.5f); /* BUG float */
}
RUN(float_of_unwritten, scale, HALF)

__device__ int twice(int x)
{
    return x * 3; /* BUG callee */
}

__global__ void in_function(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    out[i] = twice(in[i]);
}
RUN(product_in_a_function, in_function)

__device__ __noinline__ int next_of(const int *in, int at)
{
    return in[at] + 1; /* BUG called */
}

__global__ void calls(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    out[i] = next_of(in, i);
}
RUN(sum_in_a_call, calls, HALF)

__global__ void reduce(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    if (i)
        return;
    int sum = 0;
    for (int k = 0; k < N; k++)
        sum += in[k]; /* BUG reduce */
    out[0] = sum;
}
RUN(reduction_of_a_part, reduce, N - 1)

/* What the host gets by rows of some bytes, which a runtime may copy by itself. */
static void sum_by_rows(int bad)
{
    int *in = device(N, bad ? 0 : N), *out = device(N, N), here[2][2];
    LAUNCH(add_one, 1, N, 0, 0, out, in, bad);
    (void)API(DeviceSynchronize)();
    (void)API(Memcpy2D)(here, sizeof *here, out, 16 * sizeof *out, sizeof *here, 2, API(MemcpyDeviceToHost));
    if (here[0][0] == 12345 || here[1][1] == 12345)
        puts("");
    result(here, bad ? 0 : sizeof here);
    (void)API(Free)(in);
    (void)API(Free)(out);
}

/* ---- branches ---- */

__global__ void compare(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    if (in[i] > 5) /* BUG branch */
        out[i | 1] = 5;
    else
        atomicAdd(&out[0], 1);
}
RUN(branch_on_unwritten, compare, HALF)

__global__ void count_down(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    int n = 0;
    for (int k = in[i]; k % 64 > 3; k /= 2) /* BUG loop */
        n++;
    out[i] = n;
}
RUN(loop_on_unwritten, count_down, HALF)

/* ---- addresses ---- */

__global__ void gather(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    out[i] = in[in[i] & (HALF - 1)]; /* BUG gather */
}
RUN(index_of_unwritten, gather, HALF)

__global__ void scatter(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    out[(in[i] & 1) + 2 * (i / 2)] = i / 2; /* BUG scatter */
}
RUN(index_of_a_store, scatter, HALF)

/* ---- atomics ---- */

__global__ void total(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    atomicAdd(&out[0], in[i]); /* BUG atomic */
}
RUN(atomic_of_unwritten, total, HALF)

__global__ void counter(int *count, int)
{
    atomicAdd(count, (int)threadIdx.x & 1); /* BUG counter */
}

static void unwritten_counter(int bad)
{
    int *count = device(1, !bad);
    LAUNCH(counter, 1, N, 0, 0, count, bad);
    (void)API(DeviceSynchronize)();
    take(count, 1, bad);
}

/* What is added is a constant of the instruction, where the machine has such. */
__global__ void count_all(int *count, int)
{
    atomicAdd(count + threadIdx.x / N, 1); /* BUG by_one */
}

static void unwritten_counter_by_one(int bad)
{
    int *count = device(1, !bad);
    LAUNCH(count_all, 1, N, 0, 0, count, bad);
    (void)API(DeviceSynchronize)();
    take(count, 1, bad);
}

/* An atomic load of a pair, of which the upper half is not written, and not used. */
__global__ void put_status(int *pair)
{
    pair[0] = 3;
}

__global__ void get_status(int *out, int *pair, unsigned long long zero)
{
    out[0] = (int)atomicAdd((unsigned long long *)pair, zero);
}

static void atomic_load_of_a_half(int)
{
    int *out = device(1, 1), *pair = device(2, 0);
    LAUNCH(put_status, 1, 1, 0, 0, pair);
    LAUNCH(get_status, 1, 1, 0, 0, out, pair, 0ull);
    (void)API(DeviceSynchronize)();
    take(out, 1, 0);
    (void)API(Free)(pair);
}

__global__ void load_all(int *out, int *pair)
{
    out[0] = (int)atomicAdd((unsigned long long *)pair, 0ull);
}

static void atomic_load_by_none(int)
{
    int *out = device(1, 1), *pair = device(2, 0);
    LAUNCH(put_status, 1, 1, 0, 0, pair);
    LAUNCH(load_all, 1, 1, 0, 0, out, pair);
    (void)API(DeviceSynchronize)();
    take(out, 1, 0);
    (void)API(Free)(pair);
}

/* ---- shared and private memory ---- */

__global__ void neighbours(int *out, const int *in, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    if (!bad || i < HALF)
        s[i] = in[i];
    __syncthreads();
    out[i] = s[i] + s[(i + 1) % N]; /* BUG shared */
}
RUN(shared_of_a_part, neighbours, N)

__global__ void shared_branch(int *out, const int *in, int bad)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    if (!bad || i)
        s[i] = in[i];
    __syncthreads();
    if (s[i ^ 1] < 9) /* BUG shared_branch */
        out[i | 1] = 5;
    else
        atomicAdd(&out[0], 1);
}
RUN(branch_on_shared, shared_branch, N)

__global__ void own_array(int *out, const int *in, int bad)
{
    const int i = threadIdx.x;
    volatile int own[8];
    for (int k = bad; k < 8; k++)
        own[k] = in[i] + k;
    out[i] = own[in[i] & 7 ? 3 : 0] + own[0]; /* BUG own */
}
RUN(own_of_a_part, own_array, N)

/* ---- idioms ---- */

/* Bytes that are only copied may be undefined. */
struct padded {
    char tag;
    int number;
};

__global__ void copy_padded(padded *to, const padded *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

static void padding_is_copied(int)
{
    padded *from, *to, here[N];
    (void)API(Malloc)(&from, sizeof here);
    (void)API(Malloc)(&to, sizeof here);
    for (int i = 0; i < N; i++) {
        here[i].tag = (char)i;
        here[i].number = i * i;
    }
    (void)API(Memcpy)(from, here, sizeof here, API(MemcpyHostToDevice));
    LAUNCH(copy_padded, 1, N, 0, 0, to, from);
    (void)API(DeviceSynchronize)();
    padded back[N];
    (void)API(Memcpy)(back, to, sizeof back, API(MemcpyDeviceToHost));
    int sum[2] = {0, 0};
    for (int i = 0; i < N; i++) {
        sum[0] += back[i].tag;
        sum[1] += back[i].number;
    }
    result(sum, sizeof sum);
    (void)API(Free)(from);
    (void)API(Free)(to);
}

__global__ void copy_all(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

static void unused_tail_is_copied(int)
{
    int *from = device(N, HALF), *to = device(N, 0), here[N];
    LAUNCH(copy_all, 1, N, 0, 0, to, from);
    (void)API(DeviceSynchronize)();
    (void)API(Memcpy)(here, to, sizeof here, API(MemcpyDeviceToHost));
    result(here, HALF * sizeof *here);
    (void)API(Free)(from);
    (void)API(Free)(to);
}

/* A kernel copies unwritten bytes to memory that the host sees, and the host writes over them. */
static void host_writes_over(int)
{
    int *from = device(N, HALF), *out = device(N, N), *both;
    (void)API(MallocManaged)(&both, N * sizeof *both);
    LAUNCH(copy_all, 1, N, 0, 0, both, from);
    (void)API(DeviceSynchronize)();
    for (int i = 0; i < N; i++)
        both[i] = i * 5 % 61;
    LAUNCH(compare, 1, N, 0, 0, out, both, 0);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(from);
    (void)API(Free)(both);
}

/* Bits that a mask takes away, and bytes of which some are used. */
__global__ void low_byte(int *out, int *scratch, int)
{
    const int i = threadIdx.x;
    ((unsigned char *)scratch)[4 * i + 1] = (unsigned char)i;
    out[i] = (scratch[i] >> 8) & 0xff;
}

static void byte_of_a_word(int bad)
{
    int *scratch = device(N, 0), *out = device(N, N);
    LAUNCH(low_byte, 1, N, 0, 0, out, scratch, bad);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(scratch);
}

/* What a function takes and returns has padding. */
__device__ __noinline__ padded moved(padded from, int by)
{
    padded to;
    to.tag = (char)(from.tag + by);
    to.number = from.number - by;
    return to;
}

__global__ void through_calls(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    padded own;
    own.tag = (char)in[i];
    own.number = in[i] * 5;
    own = moved(own, i);
    own = moved(own, own.tag);
    out[i] = own.tag + own.number;
}
RUN_GOOD(padding_in_calls, through_calls, N)

/* Fields that are written in a word that nobody has written as a whole. */
struct fields {
    unsigned low : 3;
    int middle : 9;
    unsigned high : 20;
};

__global__ void some_fields(int *out, fields *scratch, int)
{
    const int i = threadIdx.x;
    scratch[i].middle = 3 * i - 90;
    out[i] = scratch[i].middle;
    if (i % 2) {
        scratch[i].low = i;
        out[i] += scratch[i].low * 1000;
    }
}

static void fields_of_a_word(int)
{
    int *scratch = device(N, 0), *out = device(N, N);
    LAUNCH(some_fields, 1, N, 0, 0, out, (fields *)scratch, 0);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(scratch);
}

/* Elements of a wide load, of which one is written; halves of a number of 64 bits. */
struct alignas(8) quarters {
    short a, b, c, d;
};

__global__ void some_quarters(int *out, quarters *scratch, int)
{
    const int i = threadIdx.x;
    scratch[i].b = (short)(i - 30);
    const quarters own = scratch[i];
    scratch[i + N] = own;
    const unsigned long long both = ((unsigned long long *)scratch)[i + N];
    out[i] = own.b * 2 + (int)((both >> 16) & 0xff);
}

static void quarters_of_a_number(int)
{
    int *scratch = device(4 * N, 0), *out = device(N, N);
    LAUNCH(some_quarters, 1, N, 0, 0, out, (quarters *)scratch, 0);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(scratch);
}

#if !defined(__HIP__) && !defined(__CUDA__) /* the oracle, on the host */
static unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
#endif

/* A product of 24 bits leaves the upper byte out: compilers drop the masks. */
__global__ void some_pixels(int *out, int *scratch, int factor)
{
    const int i = threadIdx.x;
    volatile unsigned char *const b = (volatile unsigned char *)&scratch[i];
    b[0] = i, b[1] = 1, b[2] = 2;
    const unsigned x = *(volatile unsigned *)&scratch[i];
    out[i] = (x & 0xffffff) * ((unsigned)factor & 0xffffff) + __umul24(x, (unsigned)factor);
}

static void pixels_of_three_bytes(int)
{
    int *scratch = device(N, 0), *out = device(N, N);
    LAUNCH(some_pixels, 1, N, 0, 0, out, scratch, 3);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(scratch);
}

/* Each lane uses what it has written alone. */
__global__ void partly(int *out, int *scratch, int)
{
    const int i = threadIdx.x;
    if (i % 3 == 0)
        scratch[i] = i;
    if (i % 3 == 0 && scratch[i] > 4)
        out[i] = scratch[i];
}

static void own_elements(int bad)
{
    int *scratch = device(N, 0), *out = device(N, N);
    LAUNCH(partly, 1, N, 0, 0, out, scratch, bad);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(scratch);
}

__global__ void tree(int *out, const int *in, int)
{
    __shared__ int s[N];
    const int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    for (int step = HALF; step; step /= 2) {
        if (i < step)
            s[i] += s[i + step];
        __syncthreads();
    }
    if (i == 0)
        out[0] = s[0];
}
RUN_GOOD(tree_of_shared, tree, N)

__global__ void conditional(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    int x;
    if (in[i] & 1)
        x = in[i] * 3;
    if (in[i] & 1)
        out[i] = x + 1;
}
RUN_GOOD(written_where_used, conditional, N)

__global__ void divergent(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    int n = 0;
    for (int k = in[i]; k > 0; k -= 5)
        n += k & 3;
    out[i] = n;
}
RUN_GOOD(loop_of_lanes, divergent, N)

__global__ void local_table(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    volatile int own[16];
    for (int k = 0; k < 16; k++)
        own[k] = k * k;
    out[i] = own[in[i] & 15];
}
RUN_GOOD(table_of_a_lane, local_table, N)

__global__ void wide(int4 *out, const int4 *in)
{
    const int4 x = in[threadIdx.x];
    int4 y;
    y.x = x.y;
    y.y = x.x;
    y.z = x.w;
    y.w = x.z;
    out[threadIdx.x] = y;
}

static void vectors(int)
{
    int *in = device(4 * N, 4 * N), *out = device(4 * N, 0);
    LAUNCH(wide, 1, N, 0, 0, (int4 *)out, (const int4 *)in);
    (void)API(DeviceSynchronize)();
    take(out, 4 * N, 0);
    (void)API(Free)(in);
}

/* Memory that is allocated anew, and is set. */
static void memory_is_set(int)
{
    int *in = device(N, 0), *out = device(N, N);
    (void)API(Memset)(in, 0, N * sizeof *in);
    LAUNCH(add_one, 1, N, 0, 0, out, in, 0);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(in);
}

static void one_buffer_of_another(int)
{
    int *in = device(N, N), *copy = device(N, 0), *out = device(N, N);
    (void)API(Memcpy)(copy, in, N * sizeof *in, API(MemcpyDeviceToDevice));
    LAUNCH(add_one, 1, N, 0, 0, out, copy, 0);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(in);
    (void)API(Free)(copy);
}

/* ---- memory that both sides see ---- */

enum { PAGE_INTS = 1024 };

/* A kernel (out, in, bad) of numbers that the host stores to memory of both sides, which it only
 * loads from in a bad case; @p from: of the first one, before which the host stores anything. */
template <class Kernel> static void run_both(Kernel kernel, int bad, int *both, size_t from)
{
    int *out = device(N, N);
    (void)*(volatile int *)&both[from];
    for (size_t i = 0; i < (bad ? from : from + N); i++)
        both[i] = (int)(i * 7 % 61);
    LAUNCH(kernel, 1, N, 0, 0, out, both + from, bad);
    (void)API(DeviceSynchronize)();
    take(out, N, bad);
}

static void managed_unwritten(int bad)
{
    int *both;
    (void)API(MallocManaged)(&both, N * sizeof *both);
    run_both(add_one, bad, both, 0);
    (void)API(Free)(both);
}

static void managed_page_unwritten(int bad)
{
    int *both;
    (void)API(MallocManaged)(&both, (PAGE_INTS + N) * sizeof *both);
    run_both(compare, bad, both, PAGE_INTS);
    (void)API(Free)(both);
}

static void pinned_unwritten(int bad)
{
    int *both;
    (void)API(MallocHost)((void **)&both, N * sizeof *both);
    run_both(gather, bad, both, 0);
    (void)API(FreeHost)(both);
}

static void managed_counter(int bad)
{
    int *both;
    (void)API(MallocManaged)(&both, sizeof *both);
    if (!bad)
        *both = 0;
    LAUNCH(counter, 1, N, 0, 0, both, bad);
    (void)API(DeviceSynchronize)();
    const int sum = bad ? 0 : *both;
    result(&sum, sizeof sum);
    (void)API(Free)(both);
}

/* Memory whose numbers 40 to 47, 50 and 60 to 63 are missing in a bad case, or each second one
 * before 40. */
static int *with_holes(int bad, int many)
{
    int *p = device(N, 0), here[N];
    for (int i = 0; i < N; i++)
        here[i] = i;
    for (int i = 0; i < N; i++)
        if (!bad || (many ? i >= 40 || i % 2 == 0 : i < 40 || (i > 47 && i < 60 && i != 50)))
            (void)API(Memcpy)(p + i, here + i, sizeof *p, API(MemcpyHostToDevice));
    return p;
}

/* The host sees @p out, which begins at byte 64 of its memory. */
static void see_holes(int *out, int bad)
{
    int *in = with_holes(bad, 0);
    LAUNCH(add_one, 1, N, 0, 0, out, in, bad);
    (void)API(DeviceSynchronize)();
    if (out[40] == 12345)
        puts("");
    result(out, bad ? 0 : N * sizeof *out);
    (void)API(Free)(in);
}

static void seen_in_managed(int bad)
{
    int *both;
    (void)API(MallocManaged)(&both, 2 * N * sizeof *both);
    see_holes(both + 16, bad);
    (void)API(Free)(both);
}

static void seen_in_pinned(int bad)
{
    int *both;
    (void)API(MallocHost)((void **)&both, 2 * N * sizeof *both);
    see_holes(both + 16, bad);
    (void)API(FreeHost)(both);
}

static void holes_are_copied(int bad)
{
    int *in = with_holes(bad, 1), *out = device(N, N);
    LAUNCH(add_one, 1, N, 0, 0, out, in, bad);
    (void)API(DeviceSynchronize)();
    take(out, N, bad);
    (void)API(Free)(in);
}

__global__ void add_halves(int *out, const int *in, int)
{
    const int i = threadIdx.x;
    if (i >= HALF)
        return;
    out[i] = in[i] + 1;
    out[i + HALF] = in[i + HALF] * 3; /* BUG second_half */
}
RUN(two_sums_of_unwritten, add_halves, 8)

/* By zeros, which are there before; by the system; by calls of the API; by another kernel. */
static void managed_is_written(int)
{
    int *both[5], *out = device(N, N), *from = device(N, N);
    for (int i = 0; i < 5; i++)
        (void)API(MallocManaged)(&both[i], N * sizeof **both);
    FILE *zeros = fopen("/dev/zero", "r");
    setvbuf(zeros, NULL, _IONBF, 0);
    memset(both[0], 0, N * sizeof **both);
    const size_t got = fread(both[1], sizeof **both, N, zeros);
    fclose(zeros);
    (void)API(Memset)(both[2], 0, N * sizeof **both);
    (void)API(Memcpy)(both[3], from, N * sizeof **both, API(MemcpyDeviceToDevice));
    LAUNCH(copy_all, 1, N, 0, 0, both[4], from);
    for (int i = 0; i < 5 && got == N; i++) {
        LAUNCH(compare, 1, N, 0, 0, out, both[i], 0);
        (void)API(DeviceSynchronize)();
    }
    for (int i = 0; i < 5; i++)
        (void)API(Free)(both[i]);
    take(out, N, 0);
    (void)API(Free)(from);
}

/* A process's pages are also its child's, which stores to its own ones. */
static void managed_over_a_fork(int bad)
{
    int *both, *late;
    (void)API(MallocManaged)(&both, N * sizeof *both);
    (void)API(MallocManaged)(&late, N * sizeof *late);
    for (int i = 0; i < N; i++)
        both[i] = i;
    const pid_t child = fork();
    if (!child) {
        memset(late, 0, N * sizeof *late);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    run_both(compare, bad, late, 0);
    int *out = device(N, N);
    LAUNCH(compare, 1, N, 0, 0, out, both, 0);
    (void)API(DeviceSynchronize)();
    take(out, N, 0);
    (void)API(Free)(both);
    (void)API(Free)(late);
}

CASES(CASE(sum_of_unwritten), CASE(sum_of_a_part), CASE(float_of_unwritten),
      CASE(product_in_a_function), CASE(sum_in_a_call), CASE(reduction_of_a_part), CASE(sum_by_rows), CASE(branch_on_unwritten),
      CASE(loop_on_unwritten), CASE(index_of_unwritten), CASE(index_of_a_store),
      CASE(atomic_of_unwritten), CASE(unwritten_counter), CASE(unwritten_counter_by_one), CASE(shared_of_a_part),
      CASE(branch_on_shared), CASE(own_of_a_part), CASE(padding_is_copied),
      CASE(unused_tail_is_copied), CASE(host_writes_over), CASE(byte_of_a_word), CASE(own_elements), CASE(tree_of_shared),
      CASE(written_where_used), CASE(loop_of_lanes), CASE(table_of_a_lane), CASE(vectors),
      CASE(memory_is_set), CASE(one_buffer_of_another), CASE(padding_in_calls),
      CASE(fields_of_a_word), CASE(quarters_of_a_number), CASE(pixels_of_three_bytes), CASE(atomic_load_of_a_half), CASE(atomic_load_by_none),
      CASE(managed_unwritten), CASE(managed_page_unwritten), CASE(pinned_unwritten), CASE(managed_counter),
      CASE(managed_is_written), CASE(managed_over_a_fork), CASE(seen_in_managed), CASE(seen_in_pinned),
      CASE(holes_are_copied), CASE(two_sums_of_unwritten))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
