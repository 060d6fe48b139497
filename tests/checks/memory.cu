/* Planted mistakes with memory, and idioms that look like them, in HIP and CUDA C++: gpu.h says how
 * the oracle compiles this file. labels.txt says what each case's mistake is; its line has the
 * comment BUG and the label's mark. A case without a mistake (bad = 0) executes the same
 * instructions with other numbers. */
#include "gpu.h"
#include "cases.h"

enum { N = 32 };

/* ---- the kernels of the planted mistakes: by, bad, lane come from the command line ---- */

__global__ void put(int *p, int by)
{
    p[(int)threadIdx.x + by] = 3 * threadIdx.x; /* BUG put */
}

__global__ void get(int *out, const int *p, int by)
{
    out[threadIdx.x] = p[(int)threadIdx.x + by] + 1; /* BUG get */
}

__global__ void get_of_lane(int *out, const int *p, int lane, int by)
{
    const int i = threadIdx.x;
    out[i] = p[i + (i == lane ? by : 0)]; /* BUG get_of_lane */
}

__global__ void put_byte(char *p, int by)
{
    p[(int)threadIdx.x + by] = (char)threadIdx.x; /* BUG put_byte */
}

__global__ void get_byte(char *out, const char *p, int by)
{
    out[threadIdx.x] = p[(int)threadIdx.x + by]; /* BUG get_byte */
}

__global__ void put_vector(int4 *p)
{
    const int i = threadIdx.x;
    p[i] = int4{i, 2 * i, 3 * i, 4 * i}; /* BUG put_vector */
}

__global__ void get_vector(int4 *out, const int4 *p, int by)
{
    out[threadIdx.x] = p[(int)threadIdx.x + by]; /* BUG get_vector */
}

/* As compilers for gfx900 make one load of two neighbours. */
typedef long long two __attribute__((aligned(4)));
__global__ void get_two(int *out, const int *p)
{
    const long long both = *(const two *)(p + (int)threadIdx.x - 1); /* BUG get_two */
    out[threadIdx.x] = (int)both + 2 * (int)(both >> 32);
}

__global__ void put_double(double *p)
{
    p[threadIdx.x] = 0.5 * threadIdx.x; /* BUG put_double */
}

__global__ void add(int *p, int by)
{
    atomicAdd(p + (int)threadIdx.x + by, 2); /* BUG add */
}

__global__ void exchange(unsigned long long *p, int by)
{
    atomicCAS(p + (int)threadIdx.x + by, 0ull, 5ull); /* BUG exchange */
}

__device__ __noinline__ void called(int *p, int i, int value)
{
    p[i] = value; /* BUG called */
}

__global__ void calls(int *p, int by)
{
    called(p, (int)threadIdx.x + by, 7);
}

__device__ __forceinline__ int inlined(const int *p, int i)
{
    return p[i]; /* BUG inlined */
}

__global__ void inlines(int *out, const int *p, int by)
{
    out[threadIdx.x] = inlined(p, (int)threadIdx.x + by);
}

__global__ void put_of_odd(int *p, int by)
{
    const int i = threadIdx.x;
    if (i % 2)
        p[i + by] = i; /* BUG put_of_odd */
}

__global__ void put_of_group(int *p, int group, int by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i + ((int)blockIdx.x == group ? by : 0)] = i; /* BUG put_of_group */
}

__global__ void shared_static(int *out, int by)
{
    __shared__ int words[N];
    words[((int)threadIdx.x + by)] = 5 * threadIdx.x; /* BUG shared_static */
    __syncthreads();
    out[threadIdx.x] = words[N - 1 - threadIdx.x];
}

__global__ void shared_load(int *out, int by)
{
    __shared__ int words[N];
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[(int)threadIdx.x - by]; /* BUG shared_load */
}

__global__ void shared_bytes(int *out, int by)
{
    __shared__ char bytes[N - 3];
    bytes[(int)threadIdx.x + by] = (char)threadIdx.x; /* BUG shared_bytes */
    __syncthreads();
    out[threadIdx.x] = bytes[threadIdx.x];
}

__global__ void shared_atomic(int *out, int by)
{
    __shared__ int sums[N];
    sums[threadIdx.x] = 1;
    __syncthreads();
    atomicAdd(&sums[(int)threadIdx.x + by], 4); /* BUG shared_atomic */
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x];
}

__global__ void shared_dynamic(int *out)
{
    DYNAMIC_SHARED(int, asked);
    asked[threadIdx.x] = 9 * threadIdx.x; /* BUG shared_dynamic */
    __syncthreads();
    out[threadIdx.x] = asked[threadIdx.x / 2];
}

__global__ void shared_neighbour(int *out, int by)
{
    __shared__ int one[N], two[N];
    one[threadIdx.x] = 1;
    two[threadIdx.x] = 2;
    __syncthreads();
    one[(int)threadIdx.x + by] = 3; /* BUG shared_neighbour */
    __syncthreads();
    out[threadIdx.x] = one[threadIdx.x] + two[threadIdx.x];
}

__global__ void shared_member(int *out, int by)
{
    __shared__ struct {
        int first[N], second[N];
    } both;
    both.first[threadIdx.x] = both.second[threadIdx.x] = 1;
    __syncthreads();
    both.first[(int)threadIdx.x + by] = 3; /* BUG shared_member */
    __syncthreads();
    out[threadIdx.x] = both.first[threadIdx.x];
}

__global__ void private_store(int *out, int lane, int by)
{
    volatile int mine[8];
    const int i = threadIdx.x;
    for (int k = 0; k < 8; k++)
        mine[k] = k;
    mine[7 + (i == lane ? by : 0)] = i; /* BUG private_store */
    out[i] = mine[i % 8];
}

__global__ void private_load(int *out, int lane, int by)
{
    volatile int mine[8];
    const int i = threadIdx.x;
    for (int k = 0; k < 8; k++)
        mine[k] = i + k;
    out[i] = mine[i == lane ? -by : 0]; /* BUG private_load */
}

__device__ __noinline__ void fill_array(volatile int *array, int count)
{
    for (int k = 0; k < count; k++)
        array[k] = k; /* BUG fill_array */
}

__global__ void private_of_caller(int *out, int count)
{
    volatile int mine[8];
    fill_array(mine, count);
    out[threadIdx.x] = mine[threadIdx.x % 8];
}

__constant__ int constants[16];
__device__ int variables[16];
__device__ char small_variable[3];
__device__ const int read_only[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

__global__ void constant_load(int *out, int lane, int by)
{
    const int i = threadIdx.x;
    out[i] = constants[i == lane ? by : i]; /* BUG constant_load */
}

__global__ void variable_store(int by)
{
    variables[(int)threadIdx.x + by] = threadIdx.x; /* BUG variable_store */
}

__global__ void variable_byte(char *out, int by)
{
    out[threadIdx.x] = small_variable[(int)threadIdx.x + by]; /* BUG variable_byte */
}

__global__ void read_only_store(int *out, int bad)
{
    int *p = bad ? const_cast<int *>(read_only) : out;
    if (threadIdx.x == 2)
        p[2] = 5; /* BUG read_only_store */
}

struct arguments {
    int array[4];
};

__global__ void argument_load(int *out, arguments given, int lane, int by)
{
    const int i = threadIdx.x;
    out[i] = given.array[i == lane ? by : i % 4]; /* BUG argument_load */
}

__global__ void misaligned_load(int *out, const char *p, int by)
{
    out[threadIdx.x] = *(const int *)(p + 8 * threadIdx.x + by); /* BUG misaligned_load */
}

__global__ void misaligned_vector(int *p, int by)
{
    *(int2 *)(p + 2 * threadIdx.x + by) = int2{1, 2}; /* BUG misaligned_vector */
}

struct node {
    int value, pad[3], next;
};

__global__ void null_load(int *out, const int *p, const int *other, int lane)
{
    const int i = threadIdx.x;
    const int *from = i == lane ? other : p;
    out[i] = from[0]; /* BUG null_load */
}

__global__ void null_member(node *n, node *other, int lane)
{
    const int i = threadIdx.x;
    node *to = i == lane ? other : n;
    to[0].next = i; /* BUG null_member */
}

__global__ void heap_store(int *out, int size, int index)
{
    if (threadIdx.x != 0)
        return;
    int *p = (int *)malloc(size);
    p[0] = 1;
    p[index] = 2; /* BUG heap_store */
    out[0] = p[0];
    free(p);
}

__global__ void heap_freed(int *out, int bad)
{
    if (threadIdx.x != 0)
        return;
    int *p = (int *)malloc(40);
    p[3] = 4;
    if (bad)
        free(p);
    out[0] = p[3]; /* BUG heap_freed */
    if (!bad)
        free(p);
}

__global__ void heap_twice(int *out, int bad)
{
    if (threadIdx.x != 0)
        return;
    volatile int *p = (int *)malloc(40);
    p[0] = 5; /* without it compilers leave out the allocation and both frees */
    out[0] = p[0];
    free((void *)p);
    if (bad)
        free((void *)p); /* BUG heap_twice */
}

__global__ void heap_keep(int *out, int bad)
{
    if (threadIdx.x != 0)
        return;
    int *p = (int *)malloc(40); /* BUG heap_keep */
    p[0] = 6;
    out[0] = p[0] + (int)((size_t)p & 1); /* as a number it must be there */
    if (!bad)
        free(p);
}

/* ---- the host's part ---- */

template <class T> static T *device(size_t count)
{
    T *p;
    if (API(Malloc)(&p, count * sizeof(T)))
        exit(3);
    static char pattern[1 << 14];
    for (size_t i = 0; i < count * sizeof(T); i++)
        pattern[i] = (char)(7 * i + 1);
    API(Memcpy)(p, pattern, count * sizeof(T), API(MemcpyHostToDevice));
    return p;
}

/* The first @p count elements are the case's result. */
template <class T> static void end(T *p, size_t count)
{
    static char bytes[1 << 14];
    API(DeviceSynchronize)();
    API(Memcpy)(bytes, p, count * sizeof(T), API(MemcpyDeviceToHost));
    result(bytes, count * sizeof(T));
    API(Free)(p);
}

static void global_after(int bad)
{
    int *p = device<int>(N);
    LAUNCH(put, 1, N, 0, 0, p, bad);
    end(p, N);
}

static void global_before(int bad)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(get, 1, N, 0, 0, out, p, -bad);
    end(out, N);
    API(Free)(p);
}

static void byte_after(int bad)
{
    char *p = device<char>(N - 3);
    LAUNCH(put_byte, 1, N - 3, 0, 0, p, bad);
    end(p, N - 3);
}

static void byte_before(int bad)
{
    char *p = device<char>(N - 3), *out = device<char>(N);
    LAUNCH(get_byte, 1, N - 3, 0, 0, out, p, -bad);
    end(out, N);
    API(Free)(p);
}

static void global_far(int bad)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(get_of_lane, 1, N, 0, 0, out, p, 7, bad << 24);
    end(out, N);
    API(Free)(p);
}

static void vector_store(int bad)
{
    int *p = device<int>(N - 2 * bad);
    LAUNCH(put_vector, 1, N / 4, 0, 0, (int4 *)p);
    end(p, N - 2 * bad);
}

static void vector_outside(int bad)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(get_vector, 1, N / 4, 0, 0, (int4 *)out, (const int4 *)p, bad);
    end(out, N);
    API(Free)(p);
}

static void vector_partly(int bad)
{
    int *p = device<int>(N - 2 * bad), *out = device<int>(N);
    LAUNCH(get_vector, 1, N / 4, 0, 0, (int4 *)out, (const int4 *)p, 0);
    end(out, N);
    API(Free)(p);
}

static void two_before(int bad)
{
    int *p = device<int>(N + 2), *out = device<int>(N);
    LAUNCH(get_two, 1, N, 0, 0, out, p + !bad);
    end(out, N);
    API(Free)(p);
}

static void two_after(int bad)
{
    int *p = device<int>(N + 2), *out = device<int>(N);
    LAUNCH(get_two, 1, N, 0, 0, out, p + 2 + bad);
    end(out, N);
    API(Free)(p);
}

static void double_store(int bad)
{
    char *p = device<char>(N * 8 - 4 * bad);
    LAUNCH(put_double, 1, N, 0, 0, (double *)p);
    end(p, N * 8 - 4 * bad);
}

static void atomic_after(int bad)
{
    int *p = device<int>(N);
    LAUNCH(add, 1, N, 0, 0, p, bad);
    end(p, N);
}

static void atomic_before(int bad)
{
    unsigned long long *p = device<unsigned long long>(N);
    LAUNCH(exchange, 1, N, 0, 0, p, -bad);
    end(p, N);
}

static void in_called(int bad)
{
    int *p = device<int>(N);
    LAUNCH(calls, 1, N, 0, 0, p, bad);
    end(p, N);
}

static void in_inlined(int bad)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(inlines, 1, N, 0, 0, out, p, bad);
    end(out, N);
    API(Free)(p);
}

static void many_lanes(int bad)
{
    int *p = device<int>(N);
    LAUNCH(put_of_odd, 1, N, 0, 0, p, 4 * bad);
    end(p, N);
}

static void one_group(int bad)
{
    int *p = device<int>(4 * N);
    LAUNCH(put_of_group, 4, N, 0, 0, p, 3, 2 * bad);
    end(p, 4 * N);
}

static void freed_load(int bad)
{
    int *p = device<int>(N), *out = device<int>(N);
    if (bad)
        API(Free)(p);
    LAUNCH(get, 1, N, 0, 0, out, p, 0);
    end(out, N);
    if (!bad)
        API(Free)(p);
}

static void freed_store(int bad)
{
    int *p = device<int>(N), *other = device<int>(N);
    API(Free)(p);
    LAUNCH(put, 1, N - 4, 0, 0, bad ? p : other, 4); /* the oracle keeps notes in the first bytes */
    end(other, N);
}

static void freed_twice(int bad)
{
    int *p = device<int>(N), *q = device<int>(N);
    API(Free)(p);
    API(Free)(bad ? p : nullptr); /* BUG freed_twice */
    end(q, N);
}

static void freed_inside(int bad)
{
    int *p = device<int>(2 * N), *q = device<int>(N);
    API(Free)(p + (bad ? N : 0)); /* BUG freed_inside */
    if (bad)
        API(Free)(p);
    end(q, N);
}

static void freed_never_allocated(int bad)
{
    static int mine[N];
    int *p = device<int>(N), *q = device<int>(N);
    API(Free)(bad ? mine : p); /* BUG freed_never_allocated */
    if (bad)
        API(Free)(p);
    end(q, N);
}

/* Of the host, to which GPUs have access; CUDA refuses to free it, HIP does not. */
static void freed_as_device(int bad)
{
    int *p, *q = device<int>(N);
    API(MallocHost)((void **)&p, N * sizeof(int));
    if (bad)
        (void)API(Free)(p); /* BUG freed_as_device */
#ifndef __CUDA__
    if (!bad)
#endif
        API(FreeHost)(p);
    end(q, N);
}

static void freed_as_host(int bad)
{
    int *p = device<int>(N), *q = device<int>(N);
    if (bad)
        (void)API(FreeHost)(p); /* BUG freed_as_host */
#ifndef __CUDA__
    if (!bad)
#endif
        API(Free)(p);
    end(q, N);
}

static void copy_to_device(int bad)
{
    static int from[2 * N];
    int *p = device<int>(N);
    API(Memcpy)(p, from, (N + bad) * sizeof(int), API(MemcpyHostToDevice)); /* BUG copy_to_device */
    end(p, N);
}

static void copy_to_host(int bad)
{
    static int to[2 * N];
    int *p = device<int>(N);
    API(Memcpy)(to, p, N * sizeof(int) + bad, API(MemcpyDeviceToHost)); /* BUG copy_to_host */
    result(to, N * sizeof(int));
    API(Free)(p);
}

static void copy_within(int bad)
{
    int *p = device<int>(N), *q = device<int>(2 * N);
    const size_t size = (N - 4 + 2 * bad) * sizeof(int);
    API(Memcpy)(p + 4, q, size, API(MemcpyDeviceToDevice)); /* BUG copy_within */
    end(p, N);
    API(Free)(q);
}

static void copy_freed(int bad)
{
    static int to[N];
    int *p = device<int>(N), *q = device<int>(N);
    API(Free)(p);
    API(Memcpy)(to, bad ? p : q, sizeof to, API(MemcpyDeviceToHost)); /* BUG copy_freed */
    result(to, sizeof to);
    API(Free)(q);
}

static void copy_rows(int bad)
{
    static char from[64 * 4];
    char *p = device<char>(64 * 4 - 16);
    API(Memcpy2D)(p, 64, from, 64, 48 + bad, 4, API(MemcpyHostToDevice)); /* BUG copy_rows */
    end(p, 64 * 4 - 16);
}

static void copy_to_variable(int bad)
{
    static int from[N];
    int *out = device<int>(N);
    const size_t size = (16 + 4 * bad) * sizeof(int);
    API(MemcpyToSymbol)(SYMBOL(variables), from, size); /* BUG copy_to_variable */
    API(MemcpyFromSymbol)(from, SYMBOL(variables), 16 * sizeof(int));
    result(from, 16 * sizeof(int));
    API(Free)(out);
}

static void copy_to_constant(int bad)
{
    static int from[N];
    int *out = device<int>(N);
    API(MemcpyToSymbol)(SYMBOL(constants), from, (16 + bad) * sizeof(int)); /* BUG copy_to_constant */
    end(out, N);
}

static void fill(int bad)
{
    int *p = device<int>(N);
    API(Memset)(p, 7, (N + 2 * bad) * sizeof(int)); /* BUG fill */
    end(p, N);
}

static void of_shared(void (*run)(int *, int), int bad)
{
    int *out = device<int>(N);
    run(out, bad);
    end(out, N);
}
#define OF_SHARED(name, kernel, block)                                                             \
    static void name(int bad)                                                                      \
    {                                                                                              \
        of_shared([](int *out, int by) { LAUNCH(kernel, 1, block, 0, 0, out, by); }, bad);         \
    }
OF_SHARED(shared_after, shared_static, N)
OF_SHARED(shared_before, shared_load, N)
OF_SHARED(shared_byte, shared_bytes, N - 3)
OF_SHARED(shared_sum, shared_atomic, N)
OF_SHARED(shared_other, shared_neighbour, N)
OF_SHARED(shared_inner, shared_member, N)

static void shared_asked(int bad)
{
    int *out = device<int>(N);
    LAUNCH(shared_dynamic, 1, N, (N - bad) * sizeof(int), 0, out);
    end(out, N);
}

static void private_after(int bad)
{
    int *out = device<int>(N);
    LAUNCH(private_store, 1, N, 0, 0, out, 5, bad);
    end(out, N);
}

static void private_before(int bad)
{
    int *out = device<int>(N);
    LAUNCH(private_load, 1, N, 0, 0, out, 6, bad);
    end(out, N);
}

static void private_passed(int bad)
{
    int *out = device<int>(N);
    LAUNCH(private_of_caller, 1, N, 0, 0, out, 8 + bad);
    end(out, N);
}

static void constant_after(int bad)
{
    static const int values[16] = {5, 6, 7};
    int *out = device<int>(16);
    API(MemcpyToSymbol)(SYMBOL(constants), values, sizeof values);
    LAUNCH(constant_load, 1, 16, 0, 0, out, 3, bad ? 16 : 3);
    end(out, 16);
}

static void variable_after(int bad)
{
    static int values[16];
    LAUNCH(variable_store, 1, 16, 0, 0, bad);
    API(DeviceSynchronize)();
    API(MemcpyFromSymbol)(values, SYMBOL(variables), sizeof values);
    result(values, sizeof values);
}

static void variable_before(int bad)
{
    char *out = device<char>(3);
    LAUNCH(variable_byte, 1, 3, 0, 0, out, -bad);
    end(out, 3);
}

static void store_to_read_only(int bad)
{
    int *out = device<int>(N);
    LAUNCH(read_only_store, 1, N, 0, 0, out, bad);
    end(out, N);
}

static void argument_after(int bad)
{
    const arguments given = {{1, 2, 3, 4}};
    int *out = device<int>(N);
    LAUNCH(argument_load, 1, N, 0, 0, out, given, 2, bad ? 1 << 12 : 2);
    end(out, N);
}

static void misaligned_word(int bad)
{
    int *out = device<int>(N);
    char *p = device<char>(8 * N);
    LAUNCH(misaligned_load, 1, N, 0, 0, out, p, 2 * bad);
    end(out, N);
    API(Free)(p);
}

static void misaligned_pair(int bad)
{
    int *p = device<int>(2 * N + 2);
    LAUNCH(misaligned_vector, 1, N, 0, 0, p, bad);
    end(p, 2 * N + 2);
}

static void null_of_lane(int bad)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(null_load, 1, N, 0, 0, out, p, bad ? nullptr : p, 4);
    end(out, N);
    API(Free)(p);
}

static void null_struct(int bad)
{
    node *p = device<node>(1);
    LAUNCH(null_member, 1, 4, 0, 0, p, bad ? nullptr : p, 1);
    API(DeviceSynchronize)();
    end((int *)p, 4);
}

static void heap_after(int bad)
{
    int *out = device<int>(1);
    LAUNCH(heap_store, 1, N, 0, 0, out, 40, 9 + bad);
    end(out, 1);
}

static void heap_after_free(int bad)
{
    int *out = device<int>(1);
    LAUNCH(heap_freed, 1, N, 0, 0, out, bad);
    end(out, 1);
}

static void heap_freed_twice(int bad)
{
    int *out = device<int>(1);
    LAUNCH(heap_twice, 1, N, 0, 0, out, bad);
    end(out, 1);
}

static void heap_kept(int bad)
{
    int *out = device<int>(1);
    LAUNCH(heap_keep, 1, N, 0, 0, out, bad);
    end(out, 1);
}

/* HIP 5.2.3's hipStreamDestroy() never returns after hipFreeAsync() in that stream. */
#ifdef __HIP__
#define FREE_ASYNC(p, stream) hipFree(p)
#else
#define FREE_ASYNC(p, stream) API(FreeAsync)(p, stream)
#endif

static void pool_after(int bad)
{
    API(Stream_t) stream;
    int *p;
    API(StreamCreate)(&stream);
    API(MallocAsync)((void **)&p, 100, stream);
    LAUNCH(put, 1, 25, 0, stream, p, bad);
    API(StreamSynchronize)(stream);
    API(StreamDestroy)(stream);
    end(p, 25);
}

static void pool_freed(int bad)
{
    API(Stream_t) stream;
    int *p, *q = device<int>(N);
    API(StreamCreate)(&stream);
    API(MallocAsync)((void **)&p, N * sizeof(int), stream);
    FREE_ASYNC(p, stream);
    LAUNCH(put, 1, N - 4, 0, stream, bad ? p : q, 4);
    API(StreamSynchronize)(stream);
    API(StreamDestroy)(stream);
    end(q, N);
}

static void pool_freed_twice(int bad)
{
    API(Stream_t) stream;
    int *p, *q = device<int>(N);
    API(StreamCreate)(&stream);
    API(MallocAsync)((void **)&p, N * sizeof(int), stream);
    FREE_ASYNC(p, stream);
    if (bad)
        FREE_ASYNC(p, stream); /* BUG pool_freed_twice */
    API(StreamSynchronize)(stream);
    API(StreamDestroy)(stream);
    end(q, N);
}

static void managed_after(int bad)
{
    int *p;
    API(MallocManaged)(&p, N * sizeof(int));
    LAUNCH(put, 1, N, 0, 0, p, bad);
    end(p, N);
}

static void pinned_after(int bad)
{
    int *p;
    API(MallocHost)((void **)&p, N * sizeof(int));
    LAUNCH(put, 1, N, 0, 0, p, bad);
    API(DeviceSynchronize)();
    result(p, N * sizeof(int));
    API(FreeHost)(p);
}

static void registered_after(int bad)
{
    int *p = (int *)malloc(N * sizeof(int)), *there;
    API(HostRegister)(p, N * sizeof(int), 0);
    API(HostGetDevicePointer)((void **)&there, p, 0);
    LAUNCH(put, 1, N, 0, 0, there, bad);
    API(DeviceSynchronize)();
    result(p, N * sizeof(int));
    API(HostUnregister)(p);
    free(p);
}

/* ---- leak ---- */

static void leak_memory(int bad)
{
    int *p, *q = device<int>(N);
    API(Malloc)((void **)&p, 200); /* BUG leak_memory */
    if (!bad)
        API(Free)(p);
    p = nullptr;
    end(q, N);
}

static void leak_pinned(int bad)
{
    int *p, *q = device<int>(N);
    API(MallocHost)((void **)&p, 72); /* BUG leak_pinned */
    if (!bad)
        API(FreeHost)(p);
    p = nullptr;
    end(q, N);
}

static void leak_managed(int bad)
{
    int *p, *q = device<int>(N);
    API(MallocManaged)((void **)&p, 76); /* BUG leak_managed */
    if (!bad)
        API(Free)(p);
    p = nullptr;
    end(q, N);
}

static void leak_stream(int bad)
{
    API(Stream_t) stream;
    int *q = device<int>(N);
    API(StreamCreate)(&stream); /* BUG leak_stream */
    LAUNCH(put, 1, N, 0, stream, q, 0);
    API(StreamSynchronize)(stream);
    if (!bad)
        API(StreamDestroy)(stream);
    stream = nullptr;
    end(q, N);
}

static void leak_event(int bad)
{
    API(Event_t) event;
    int *q = device<int>(N);
    API(EventCreate)(&event); /* BUG leak_event */
    API(EventRecord)(event, 0);
    API(EventSynchronize)(event);
    if (!bad)
        API(EventDestroy)(event);
    event = nullptr;
    end(q, N);
}

/* ---- api ---- */

static void api_failed_call(int bad)
{
    int *q = device<int>(N);
    (void)API(SetDevice)(99 * bad); /* BUG api_failed_call */
    end(q, N);
}

static void api_stream_destroyed(int bad)
{
    API(Stream_t) stream;
    int *q = device<int>(N);
    API(StreamCreate)(&stream);
    if (bad)
        API(StreamDestroy)(stream);
    (void)API(StreamSynchronize)(stream); /* BUG api_stream_destroyed */
    if (!bad)
        API(StreamDestroy)(stream);
    end(q, N);
}

static void api_event_destroyed(int bad)
{
    API(Event_t) event;
    int *q = device<int>(N);
    API(EventCreate)(&event);
    if (bad)
        API(EventDestroy)(event);
    (void)API(EventRecord)(event, 0); /* BUG api_event_destroyed */
    if (!bad)
        API(EventDestroy)(event);
    end(q, N);
}

static void api_direction(int bad)
{
    static int from[N];
    int *q = device<int>(N);
    const auto kind = bad ? API(MemcpyDeviceToHost) : API(MemcpyHostToDevice);
    (void)API(Memcpy)(q, from, sizeof from, kind); /* BUG api_direction */
    end(q, N);
}

#if defined __HIP__ || defined __CUDA__
static void api_launch(int bad)
{
    int *q = device<int>(4096);
    LAUNCH(put, 1, bad ? 4096 : N, 0, 0, q, 0); /* BUG api_launch */
    (void)API(GetLastError)();
    end(q, N);
}
#else /* The oracle has no limit of a block. */
static void api_launch(int)
{
    int *q = device<int>(4096);
    LAUNCH(put, 1, N, 0, 0, q, 0);
    end(q, N);
}
#endif

#include "idioms.h"

#define LEAKS                                                                                      \
    CASE(leak_memory), CASE(leak_pinned), CASE(leak_managed), CASE(leak_stream), CASE(leak_event)
CASES(CASE(global_after), CASE(global_before), CASE(byte_after), CASE(byte_before),
      CASE(global_far), CASE(vector_store), CASE(vector_outside), CASE(vector_partly),
      CASE(two_before), CASE(two_after), CASE(double_store), CASE(atomic_after), CASE(atomic_before), CASE(in_called),
      CASE(in_inlined), CASE(many_lanes), CASE(one_group), CASE(freed_load), CASE(freed_store),
      CASE(freed_twice), CASE(freed_inside), CASE(freed_never_allocated),
      CASE(freed_as_device), CASE(freed_as_host),
      CASE(copy_to_device), CASE(copy_to_host), CASE(copy_within), CASE(copy_freed), CASE(copy_rows),
      CASE(copy_to_variable), CASE(copy_to_constant), CASE(fill), CASE(shared_after), CASE(shared_before),
      CASE(shared_byte), CASE(shared_sum), CASE(shared_other), CASE(shared_inner),
      CASE(shared_asked), CASE(private_after), CASE(private_before), CASE(private_passed),
      CASE(constant_after), CASE(variable_after), CASE(variable_before), CASE(store_to_read_only),
      CASE(argument_after), CASE(misaligned_word), CASE(misaligned_pair), CASE(null_of_lane),
      CASE(null_struct), CASE(heap_after), CASE(heap_after_free), CASE(heap_freed_twice),
      CASE(heap_kept), CASE(pool_after), CASE(pool_freed), CASE(pool_freed_twice), CASE(managed_after),
      CASE(pinned_after), CASE(registered_after), LEAKS, CASE(api_failed_call),
      CASE(api_stream_destroyed), CASE(api_event_destroyed), CASE(api_direction), CASE(api_launch),
      IDIOMS)

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
