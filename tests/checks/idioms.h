/* Idioms that look like mistakes with memory and are none: none of them may have a finding. */

struct bytes_and_padding {
    char c;
    int i;
    char tail;
};

__global__ void load_vectors_of_three(float3 *out, const float3 *p)
{
    const float3 v = p[threadIdx.x];
    out[threadIdx.x] = float3{v.z, v.x, v.y};
}

static void vectors_of_three(int)
{
    float3 *p = device<float3>(N - 1), *out = device<float3>(N - 1);
    LAUNCH(load_vectors_of_three, 1, N - 1, 0, 0, out, p);
    end(out, N - 1);
    API(Free)(p);
}

struct pointer_and_number {
    int *p;
    int n;
};

/* Compilers load neighbours, also those of 12 bytes, with one instruction. */
__global__ void load_neighbours(int *out, const int *p, const pointer_and_number *pair)
{
    out[threadIdx.x] = p[0] + p[1] + p[2] + pair->n + (pair->p == p);
}

static void widened_loads(int)
{
    int *p = device<int>(3), *out = device<int>(N);
    pointer_and_number *pair = (pointer_and_number *)device<char>(12);
    API(Memset)(pair, 0, 12);
    LAUNCH(load_neighbours, 1, N, 0, 0, out, p, pair);
    end(out, N);
    API(Free)(p);
    API(Free)(pair);
}

__global__ void copy_structs(bytes_and_padding *out, const bytes_and_padding *p)
{
    out[threadIdx.x] = p[threadIdx.x];
}

static void padding(int)
{
    bytes_and_padding *p = device<bytes_and_padding>(N), *out = device<bytes_and_padding>(N);
    LAUNCH(copy_structs, 1, N, 0, 0, out, p);
    API(DeviceSynchronize)();
    static bytes_and_padding there[N];
    static int members[N];
    API(Memcpy)(there, out, sizeof there, API(MemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        members[i] = there[i].c + there[i].i + there[i].tail;
    result(members, sizeof members);
    API(Free)(p);
    API(Free)(out);
}

__global__ void pun(unsigned *out)
{
    union {
        float f;
        unsigned u;
        unsigned char bytes[4];
    } both;
    both.f = 1.5f * threadIdx.x;
    out[threadIdx.x] = both.u + both.bytes[3];
}

static void union_punning(int)
{
    unsigned *out = device<unsigned>(N);
    LAUNCH(pun, 1, N, 0, 0, out);
    end(out, N);
}

static void negative_index(int)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(get, 1, N, 0, 0, out, p + N / 2, -N / 2);
    end(out, N);
    API(Free)(p);
}

__global__ void sum_to_end(int *out, const int *p, int n)
{
    int sum = 0;
    for (const int *at = p, *end = p + n; at != end; at++)
        sum += *at;
    out[threadIdx.x] = sum;
}

static void one_past_the_end(int)
{
    int *p = device<int>(N), *out = device<int>(N);
    LAUNCH(sum_to_end, 1, N, 0, 0, out, p, (int)N);
    end(out, N);
    API(Free)(p);
}

/* Odd sizes one behind the other, as a program's own allocator gives them out. */
static void program_allocator(int)
{
    char *arena = device<char>(7 * 29);
    for (int i = 0; i < 7; i++)
        LAUNCH(put_byte, 1, 29, 0, 0, arena + 29 * i, 0);
    end(arena, 7 * 29);
}

struct with_array {
    int count;
    int values[];
};

__global__ void fill_flexible(with_array *p)
{
    if (threadIdx.x == 0)
        p->count = blockDim.x;
    p->values[threadIdx.x] = threadIdx.x;
}

static void flexible_array(int)
{
    with_array *p = (with_array *)device<int>(N + 1);
    LAUNCH(fill_flexible, 1, N, 0, 0, p);
    end((int *)p, N + 1);
}

static void sizes_of_zero(int)
{
    int *p = nullptr, *q = device<int>(N);
    API(Malloc)(&p, 0);
    API(Memset)(q + N, 0, 0);
    API(Memcpy)(q + N, q, 0, API(MemcpyDeviceToDevice));
    API(Free)(p);
    end(q, N);
}

__global__ void two_arrays(int *out)
{
    DYNAMIC_SHARED(int, words);
    unsigned char *bytes = (unsigned char *)(words + blockDim.x);
    words[threadIdx.x] = 100 * threadIdx.x;
    bytes[threadIdx.x] = (unsigned char)(200 + threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x] + bytes[(threadIdx.x + 1) % blockDim.x];
}

static void dynamic_shared_in_two(int)
{
    int *out = device<int>(N);
    LAUNCH(two_arrays, 1, N - 1, (N - 1) * 5, 0, out);
    end(out, N - 1);
}

__global__ void reuse(int *out)
{
    __shared__ union {
        int words[N];
        unsigned char bytes[4 * N];
    } scratch;
    scratch.words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int mine = scratch.words[N - 1 - threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        scratch.bytes[4 * threadIdx.x + i] = (unsigned char)(mine + i);
    __syncthreads();
    out[threadIdx.x] = scratch.words[threadIdx.x];
}

static void shared_union(int)
{
    int *out = device<int>(N);
    LAUNCH(reuse, 1, N, 0, 0, out);
    end(out, N);
}

__device__ __noinline__ int recursive(int depth, int from)
{
    volatile int mine[4];
    for (int i = 0; i < 4; i++)
        mine[i] = from + i;
    return depth == 0 ? mine[from & 3] : recursive(depth - 1, from + 1) + mine[depth & 3];
}

__global__ void recurse(int *out)
{
    out[threadIdx.x] = recursive(threadIdx.x % 5, threadIdx.x);
}

static void recursion(int)
{
    int *out = device<int>(N);
    LAUNCH(recurse, 1, N, 0, 0, out);
    end(out, N);
}

__global__ void say(int *out)
{
    if (threadIdx.x == 3)
        printf("lane %d says %s\n", (int)threadIdx.x, "a word");
    out[threadIdx.x] = threadIdx.x;
}

static void print(int)
{
    int *out = device<int>(N);
    LAUNCH(say, 1, N, 0, 0, out);
    API(DeviceSynchronize)();
    end(out, N);
}

__global__ void heap_give(int **slots)
{
    int *p = (int *)malloc(12);
    p[0] = threadIdx.x;
    p[1] = 2;
    p[2] = p[0] + p[1];
    slots[threadIdx.x] = p;
}

__global__ void heap_take(int *out, int **slots)
{
    out[threadIdx.x] = slots[threadIdx.x][2];
    free(slots[threadIdx.x]);
}

/* What one kernel allocates another one frees. */
static void heap_across_kernels(int)
{
    int **slots = device<int *>(8), *out = device<int>(8);
    LAUNCH(heap_give, 1, 8, 0, 0, slots);
    LAUNCH(heap_take, 1, 8, 0, 0, out, slots);
    end(out, 8);
    API(Free)(slots);
}

__global__ void heap_free_null(int *out)
{
    free(nullptr);
    out[threadIdx.x] = 1;
}

static void free_of_null(int)
{
    int *out = device<int>(N);
    API(Free)(nullptr);
    LAUNCH(heap_free_null, 1, N, 0, 0, out);
    end(out, N);
}

static void fill_then_free(int)
{
    API(Stream_t) stream;
    int *p = device<int>(N), *q = device<int>(N);
    API(StreamCreate)(&stream);
    API(MemsetAsync)(p, 0, N * sizeof(int), stream);
    API(Free)(p);
    API(StreamSynchronize)(stream);
    API(StreamDestroy)(stream);
    end(q, N);
}

static void pinned_memory(int)
{
    int *p, *there;
    API(MallocHost)((void **)&p, N * sizeof(int));
    API(HostGetDevicePointer)((void **)&there, p, 0);
    LAUNCH(put, 1, N, 0, 0, there, 0);
    API(DeviceSynchronize)();
    result(p, N * sizeof(int));
    API(FreeHost)(p);
}

/* The host writes between kernels; no copy is needed. */
static void managed_memory(int)
{
    int *p, *out = device<int>(N);
    API(MallocManaged)(&p, N * sizeof(int));
    for (int i = 0; i < N; i++)
        p[i] = 11 * i;
    LAUNCH(get, 1, N, 0, 0, out, p, 0);
    end(out, N);
    API(Free)(p);
}

static void allocated_again(int)
{
    int *p = device<int>(N);
    API(Free)(p);
    p = device<int>(N);
    LAUNCH(put, 1, N, 0, 0, p, 0);
    end(p, N);
}

/* An address that is no multiple of the size is none of the language's mistakes here: bytes are
 * copied. */
__global__ void copy_odd(int *out, const char *p)
{
    int value;
    memcpy(&value, p + 5 * threadIdx.x + 1, sizeof value);
    out[threadIdx.x] = value;
}

static void odd_addresses(int)
{
    char *p = device<char>(5 * N);
    int *out = device<int>(N);
    LAUNCH(copy_odd, 1, N, 0, 0, out, p);
    end(out, N);
    API(Free)(p);
}

/* One of two addresses is good: compilers may make one load of a selected address, or load before
 * the condition. */
__global__ void guarded(int *out, const int *p, int n)
{
    const int i = threadIdx.x;
    const int left = i > 0 ? p[i - 1] : 0, right = i + 1 < n ? p[i + 1] : 0;
    if (i < n)
        out[i] = left + right;
}

static void guards(int)
{
    int *p = device<int>(N - 5), *out = device<int>(N - 5);
    LAUNCH(guarded, 1, N - 5, 0, 0, out, p, N - 5);
    end(out, N - 5);
    API(Free)(p);
}

__global__ void strides(int *p, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = i * i;
}

static void grid_stride(int)
{
    int *p = device<int>(101);
    LAUNCH(strides, 2, N, 0, 0, p, 101);
    end(p, 101);
}

static void address_of_variable(int)
{
    void *there;
    static int values[16];
    int *out = device<int>(16);
    API(GetSymbolAddress)(&there, SYMBOL(variables));
    LAUNCH(put, 1, 16, 0, 0, (int *)there, 0);
    API(DeviceSynchronize)();
    API(Memcpy)(values, there, sizeof values, API(MemcpyDeviceToHost));
    result(values, sizeof values);
    API(Free)(out);
}

/* An atomic operation on one byte is one on the word that has it. */
__global__ void count_bytes(unsigned char *p, int count)
{
    unsigned *word = (unsigned *)((uintptr_t)(p + threadIdx.x % count) & ~(uintptr_t)3);
    const unsigned one = 1u << 8 * (threadIdx.x % count);
    for (unsigned seen = *(volatile unsigned *)word, before = ~seen; seen != before;) {
        before = seen;
        seen = atomicCAS(word, before, before + one);
    }
}

static void bytes_of_a_word(int)
{
    unsigned char *p = device<unsigned char>(4);
    API(Memset)(p, 0, 4);
    LAUNCH(count_bytes, 1, 8, 0, 0, p, 4);
    end(p, 4);
}

/* Compilers make of it an operation on the word, of which only three bytes are the program's. HIP's
 * has none for bytes. */
#ifndef __HIP__
__global__ void count_in_bytes(unsigned char *p)
{
    __atomic_fetch_add(p + threadIdx.x % 3, 1, __ATOMIC_RELAXED);
}
#endif

static void atomic_bytes(int)
{
    unsigned char *p = device<unsigned char>(3);
    API(Memset)(p, 0, 3);
#ifdef __HIP__
    LAUNCH(count_bytes, 1, 8, 0, 0, p, 3);
#else
    LAUNCH(count_in_bytes, 1, 8, 0, 0, p);
#endif
    end(p, 3);
}

static void registered_memory(int)
{
    char *p = (char *)malloc(101), *there;
    memset(p, 3, 101);
    API(HostRegister)(p, 101, 0);
    API(HostGetDevicePointer)((void **)&there, p, 0);
    LAUNCH(put_byte, 1, 29, 0, 0, there + 72, 0);
    API(DeviceSynchronize)();
    API(HostUnregister)(p);
    result(p, 101);
    free(p);
}

#define IDIOMS                                                                                     \
    CASE(vectors_of_three), CASE(widened_loads), CASE(padding), CASE(union_punning),               \
        CASE(negative_index), CASE(one_past_the_end), CASE(program_allocator),                     \
        CASE(flexible_array), CASE(sizes_of_zero), CASE(dynamic_shared_in_two),                    \
        CASE(shared_union), CASE(recursion), CASE(print), CASE(heap_across_kernels),               \
        CASE(free_of_null), CASE(fill_then_free), CASE(pinned_memory), CASE(managed_memory),       \
        CASE(allocated_again), CASE(odd_addresses), CASE(guards), CASE(grid_stride),               \
        CASE(address_of_variable), CASE(bytes_of_a_word), CASE(atomic_bytes),                      \
        CASE(registered_memory)
