/* Planted mistakes with the order of operations: kernels, copies and fills in streams, and the
 * host's own accesses; and idioms without one. races.txt has the labels, as of races.cu. A case
 * without its mistake executes the same operations with the calls that order them. To the oracle,
 * ThreadSanitizer, a stream is a thread (streams.h). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined __HIP__ || defined __CUDA__
#include "gpu.h"
#else
#include "streams.h"
#endif
#include "cases.h"

enum { N = 256, BYTES = N * sizeof(int) };

/* Two streams, device memory, and memory of both sides. */
struct things {
    API(Stream_t) a, b;
    int *p, *q, *out, *pinned, *managed;
};

static void begin(things *t)
{
    (void)API(StreamCreateWithFlags)(&t->a, API(StreamNonBlocking));
    (void)API(StreamCreateWithFlags)(&t->b, API(StreamNonBlocking));
    (void)API(Malloc)(&t->p, BYTES);
    (void)API(Malloc)(&t->q, BYTES);
    (void)API(Malloc)(&t->out, BYTES);
    (void)API(MallocHost)((void **)&t->pinned, BYTES);
    (void)API(MallocManaged)(&t->managed, BYTES, API(MemAttachGlobal));
    (void)API(Memset)(t->p, 0, BYTES);
    (void)API(Memset)(t->q, 0, BYTES);
    (void)API(Memset)(t->out, 0, BYTES);
    (void)API(DeviceSynchronize)();
    for (int i = 0; i < N; i++)
        t->pinned[i] = t->managed[i] = i;
}

static void end(things *t, int sum)
{
    int here[N];
    (void)API(DeviceSynchronize)();
    (void)API(Memcpy)(here, t->out, BYTES, API(MemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        sum = sum * 3 + here[i];
    result(&sum, sizeof sum);
    (void)API(StreamDestroy)(t->a);
    (void)API(StreamDestroy)(t->b);
    (void)API(Free)(t->p);
    (void)API(Free)(t->q);
    (void)API(Free)(t->out);
    (void)API(FreeHost)(t->pinned);
    (void)API(Free)(t->managed);
}

/* What is given to one stream from now on waits for what was given to the other one. */
static void order(API(Stream_t) after, API(Stream_t) before)
{
    API(Event_t) e;
    (void)API(EventCreate)(&e);
    (void)API(EventRecord)(e, before);
    (void)API(StreamWaitEvent)(after, e, 0);
    (void)API(EventDestroy)(e);
}

__global__ void put(int *to)
{
    to[threadIdx.x] = threadIdx.x + 1; /* BUG put_store */
}
__global__ void get(int *to, const int *from)
{
    to[threadIdx.x] += from[threadIdx.x]; /* BUG get_load */
}
__global__ void put_bytes(char *to, int odd)
{
    to[2 * threadIdx.x + odd] = (char)threadIdx.x; /* BUG byte_store */
}

/* ---- kernels of two streams ---- */

static void streams_unordered(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.p);
    if (!bad)
        order(t.b, t.a);
    LAUNCH(get, 1, N, 0, t.b, t.out, t.p);
    end(&t, 0);
}

static void event_too_early(int bad)
{
    things t;
    API(Event_t) e;
    begin(&t);
    (void)API(EventCreate)(&e);
    if (bad)
        (void)API(EventRecord)(e, t.a);
    LAUNCH(put, 1, N, 0, t.a, t.p);
    if (!bad)
        (void)API(EventRecord)(e, t.a);
    (void)API(StreamWaitEvent)(t.b, e, 0);
    LAUNCH(get, 1, N, 0, t.b, t.out, t.p);
    end(&t, 0);
    (void)API(EventDestroy)(e);
}

static void wrong_stream_waits(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.p);
    order(bad ? t.a : t.b, bad ? t.b : t.a);
    LAUNCH(get, 1, N, 0, t.b, t.out, t.p);
    end(&t, 0);
}

static void read_then_overwritten(int bad)
{
    things t;
    begin(&t);
    LAUNCH(get, 1, N, 0, t.a, t.out, t.p);
    if (!bad)
        order(t.b, t.a);
    LAUNCH(put, 1, N, 0, t.b, t.p);
    end(&t, 0);
}

static void one_of_bytes(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put_bytes, 1, N, 0, t.a, (char *)t.p, 0);
    LAUNCH(put_bytes, 1, N, 0, t.b, (char *)t.p, !bad);
    end(&t, 0);
}

static void default_stream(int bad)
{
    things t;
    begin(&t);
    API(Stream_t) s = t.a, blocking;
    (void)API(StreamCreate)(&blocking);
    LAUNCH(put, 1, N, 0, 0, t.p);
    LAUNCH(get, 1, N, 0, bad ? s : blocking, t.out, t.p);
    end(&t, 0);
    (void)API(StreamDestroy)(blocking);
}

/* ---- copies and fills ---- */

static void filled_beside(int bad)
{
    things t;
    begin(&t);
    (void)API(Memset)(t.p, 1, BYTES); /* BUG beside_fill */
    if (!bad)
        (void)API(DeviceSynchronize)();
    LAUNCH(get, 1, N, 0, t.a, t.out, t.p);
    end(&t, 0);
}

static void copied_too_early(int bad)
{
    things t;
    int here[N];
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.p);
    if (!bad)
        (void)API(StreamSynchronize)(t.a);
    (void)API(Memcpy)(here, t.p, BYTES, API(MemcpyDeviceToHost)); /* BUG early_copy */
    end(&t, bad ? 0 : here[N - 1]);
}

static void copied_in_another_stream(int bad)
{
    things t;
    begin(&t);
    (void)API(MemcpyAsync)(t.p, t.pinned, BYTES, API(MemcpyHostToDevice), t.a); /* BUG to_device */
    LAUNCH(get, 1, N, 0, bad ? t.b : t.a, t.out, t.p);
    end(&t, 0);
}

static void source_overwritten_by_kernel(int bad)
{
    things t;
    begin(&t);
    (void)API(MemcpyAsync)(t.q, t.p, BYTES, API(MemcpyDeviceToDevice), t.a); /* BUG copy_within */
    if (!bad)
        order(t.b, t.a);
    LAUNCH(put, 1, N, 0, t.b, t.p);
    end(&t, 0);
}

static void two_copies(int bad)
{
    things t;
    begin(&t);
    (void)API(MemcpyAsync)(t.q, t.p, BYTES, API(MemcpyDeviceToDevice), t.a); /* BUG first_copy */
    if (!bad)
        order(t.b, t.a);
    (void)API(MemcpyAsync)(t.out, t.q, BYTES, API(MemcpyDeviceToDevice), t.b); /* BUG second_copy */
    end(&t, 0);
}

static void part_is_copied(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N / 2, 0, t.a, t.p);
    (void)API(MemsetAsync)(t.p + N / 2 - bad, 1, 21, t.b); /* BUG part_fill */
    end(&t, 0);
}

static void freed_too_early(int bad)
{
    things t;
    int *own;
    begin(&t);
    (void)API(MallocAsync)(&own, BYTES, t.a);
    LAUNCH(put, 1, N, 0, t.a, own);
    order(t.b, t.a);
    LAUNCH(get, 1, N, 0, t.b, t.out, own);
    if (!bad)
        order(t.a, t.b);
    (void)API(FreeAsync)(own, t.a); /* BUG early_free */
    end(&t, 0);
}

static void allocated_in_another_stream(int bad)
{
    things t;
    int *own;
    begin(&t);
    (void)API(MallocAsync)(&own, BYTES, t.a); /* BUG other_allocation */
    if (!bad)
        order(t.b, t.a);
    LAUNCH(put, 1, N, 0, t.b, own);
    (void)API(FreeAsync)(own, t.b);
    end(&t, 0);
}

/* ---- accesses of the host ---- */

static void managed_read(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.managed);
    if (!bad)
        (void)API(DeviceSynchronize)();
    const int had = ((volatile int *)t.managed)[7]; /* BUG host_load */
    end(&t, had);
}

static void managed_overwritten(int bad)
{
    things t;
    begin(&t);
    LAUNCH(get, 1, N, 0, t.a, t.out, t.managed);
    if (!bad)
        (void)API(StreamSynchronize)(t.a);
    ((volatile int *)t.managed)[0] = 1; /* BUG host_store */
    end(&t, 0);
}

static void other_stream_waited(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.pinned);
    (void)API(StreamSynchronize)(bad ? t.b : t.a);
    const int had = ((volatile int *)t.pinned)[N - 1]; /* BUG pinned_load */
    end(&t, had);
}

/* A page of the program's own. */
static void registered_read(int bad)
{
    int *page = (int *)aligned_alloc(4 * BYTES, 4 * BYTES);
    int *there = page;
    things t;
    begin(&t);
    (void)API(HostRegister)(page, 4 * BYTES, 0);
    (void)API(HostGetDevicePointer)((void **)&there, page, 0);
    for (int k = 0; k < 4; k++)
        LAUNCH(put, 1, N, 0, t.a, there + k * N);
    if (!bad)
        (void)API(StreamSynchronize)(t.a);
    const int had = ((volatile int *)page)[N - 1]; /* BUG registered_load */
    (void)API(DeviceSynchronize)();
    (void)API(HostUnregister)(page);
    free(page);
    end(&t, had);
}

static void result_used_too_early(int bad)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.p);
    (void)API(MemcpyAsync)(t.pinned, t.p, BYTES, API(MemcpyDeviceToHost), t.a); /* BUG to_host */
    if (!bad)
        (void)API(StreamSynchronize)(t.a);
    const int had = ((volatile int *)t.pinned)[3]; /* BUG early_load */
    end(&t, had);
}

static void source_reused_too_early(int bad)
{
    things t;
    begin(&t);
    (void)API(MemcpyAsync)(t.p, t.pinned, BYTES, API(MemcpyHostToDevice), t.a); /* BUG from_host */
    if (!bad)
        (void)API(StreamSynchronize)(t.a);
    memset(t.pinned, 1, 8); /* BUG early_store */
    end(&t, 0);
}

static void event_before_the_copy(int bad)
{
    things t;
    API(Event_t) e;
    begin(&t);
    (void)API(EventCreate)(&e);
    LAUNCH(put, 1, N, 0, t.a, t.p);
    if (bad)
        (void)API(EventRecord)(e, t.a);
    (void)API(MemcpyAsync)(t.pinned, t.p, BYTES, API(MemcpyDeviceToHost), t.a); /* BUG late_copy */
    if (!bad)
        (void)API(EventRecord)(e, t.a);
    (void)API(EventSynchronize)(e);
    const int had = ((volatile int *)t.pinned)[3]; /* BUG event_load */
    end(&t, had);
    (void)API(EventDestroy)(e);
}

/* ---- idioms ---- */

static void halves(int)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N / 2, 0, t.a, t.p);
    LAUNCH(put, 1, N / 2, 0, t.b, t.p + N / 2);
    LAUNCH(put, 1, N / 2, 0, t.a, t.managed);
    ((volatile int *)t.managed)[N - 1] = 5;
    LAUNCH(get, 1, N / 2, 0, t.a, t.out, t.p);
    end(&t, 0);
}

static void read_by_both(int)
{
    things t;
    begin(&t);
    LAUNCH(get, 1, N, 0, t.a, t.out, t.managed);
    LAUNCH(get, 1, N, 0, t.b, t.q, t.managed);
    (void)API(MemcpyAsync)(t.p, t.managed, BYTES, API(MemcpyDeviceToDevice), t.b);
    end(&t, ((volatile int *)t.managed)[9]);
}

static void fork_and_join(int)
{
    things t;
    begin(&t);
    for (int k = 0; k < 3; k++) {
        LAUNCH(put, 1, N, 0, t.a, t.p);
        order(t.b, t.a);
        LAUNCH(get, 1, N, 0, t.b, t.q, t.p);
        LAUNCH(get, 1, N, 0, t.a, t.out, t.p);
        order(t.a, t.b);
    }
    end(&t, 0);
}

static void double_buffering(int)
{
    things t;
    int sum = 0;
    begin(&t);
    int *device[2] = {t.p, t.q};
    API(Stream_t) stream[2] = {t.a, t.b};
    for (int k = 0; k < 6; k++) {
        int *half = t.pinned + k % 2 * (N / 2);
        (void)API(StreamSynchronize)(stream[k % 2]);
        for (int i = 0; i < N / 2; i++)
            sum += half[i], half[i] = i * k;
        (void)API(MemcpyAsync)(device[k % 2], half, BYTES / 2, API(MemcpyHostToDevice),
                               stream[k % 2]);
        LAUNCH(put, 1, N / 4, 0, stream[k % 2], device[k % 2]);
        (void)API(MemcpyAsync)(half, device[k % 2], BYTES / 2, API(MemcpyDeviceToHost),
                               stream[k % 2]);
    }
    end(&t, sum);
}

static void default_orders_all(int)
{
    things t;
    API(Stream_t) s;
    begin(&t);
    (void)API(StreamCreate)(&s);
    LAUNCH(put, 1, N, 0, s, t.p);
    LAUNCH(get, 1, N, 0, 0, t.out, t.p);
    LAUNCH(put, 1, N, 0, s, t.p);
    end(&t, 0);
    (void)API(StreamDestroy)(s);
}

static int asked(API(Stream_t) s)
{
    while (API(StreamQuery)(s))
        continue;
    return 0;
}

static void asks_until_done(int)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.managed);
    asked(t.a);
    end(&t, t.managed[5]);
}

__global__ void count(int *p)
{
    atomicAdd(p, 1);
}

static void counted_by_both(int)
{
    things t;
    begin(&t);
    LAUNCH(count, 1, N, 0, t.a, t.out);
    LAUNCH(count, 1, N, 0, t.b, t.out);
    end(&t, 0);
}

static void memory_again(int)
{
    things t;
    begin(&t);
    for (int k = 0; k < 4; k++) {
        int *own;
        (void)API(MallocAsync)(&own, BYTES, k % 2 ? t.a : t.b);
        LAUNCH(put, 1, N, 0, k % 2 ? t.a : t.b, own);
        (void)API(FreeAsync)(own, k % 2 ? t.a : t.b);
    }
    for (int k = 0; k < 4; k++) {
        int *own;
        (void)API(Malloc)(&own, BYTES);
        LAUNCH(put, 1, N, 0, k % 2 ? t.a : t.b, own);
        (void)API(Free)(own);
    }
    end(&t, 0);
}

/* Memory that is not pinned is copied when the call returns. */
static void not_pinned(int)
{
    things t;
    static int here[N];
    begin(&t);
    (void)API(Memcpy)(t.p, here, BYTES, API(MemcpyHostToDevice));
    for (int i = 0; i < N; i++)
        here[i] = i;
    LAUNCH(put, 1, N, 0, t.a, t.p);
    (void)API(StreamSynchronize)(t.a);
    end(&t, here[4]);
}

static void host_function(void *p)
{
    ((int *)p)[1] += 3;
}

#ifdef __HIP__ /* Debian's HIP 5.2 declares hipLaunchHostFunc(), and does not have it */
static void host_callback(hipStream_t, hipError_t, void *p)
{
    host_function(p);
}
#define hipLaunchHostFunc(stream, function, p) hipStreamAddCallback(stream, host_callback, p, 0)
#endif

static void in_stream_order(int)
{
    things t;
    begin(&t);
    LAUNCH(put, 1, N, 0, t.a, t.managed);
    (void)API(LaunchHostFunc)(t.a, host_function, t.managed);
    LAUNCH(get, 1, N, 0, t.a, t.out, t.managed);
    end(&t, 0);
}

/* The host waits for a flag, behind which there is the data. */
#if defined __HIP__ || defined __CUDA__
#define RAISE(flag) (__threadfence_system(), *(volatile int *)(flag) = 1)
#define IS_RAISED(flag) (*(volatile int *)(flag))
#else
#define RAISE(flag) __atomic_store_n(flag, 1, __ATOMIC_RELEASE)
#define IS_RAISED(flag) __atomic_load_n(flag, __ATOMIC_ACQUIRE)
#endif
__global__ void put_and_tell(int *to, int *flag)
{
    for (int i = 0; i < N; i++)
        to[i] = 3 * i;
    RAISE(flag);
}

static void flag_for_the_host(int)
{
    things t;
    int *flag, sum = 0;
    begin(&t);
    (void)API(MallocHost)((void **)&flag, sizeof *flag);
    *flag = 0;
    LAUNCH(put_and_tell, 1, 1, 0, t.a, t.pinned, flag);
    while (!IS_RAISED(flag))
        continue;
    for (int i = 0; i < N; i++)
        sum += t.pinned[i];
    end(&t, sum);
    (void)API(FreeHost)(flag);
}

CASES(CASE(streams_unordered), CASE(event_too_early), CASE(wrong_stream_waits),
      CASE(read_then_overwritten), CASE(one_of_bytes), CASE(default_stream), CASE(filled_beside),
      CASE(copied_too_early), CASE(copied_in_another_stream), CASE(source_overwritten_by_kernel),
      CASE(two_copies), CASE(part_is_copied), CASE(freed_too_early),
      CASE(allocated_in_another_stream), CASE(managed_read), CASE(managed_overwritten),
      CASE(other_stream_waited), CASE(registered_read), CASE(result_used_too_early),
      CASE(source_reused_too_early), CASE(event_before_the_copy), CASE(halves), CASE(read_by_both),
      CASE(fork_and_join), CASE(double_buffering), CASE(default_orders_all), CASE(asks_until_done),
      CASE(counted_by_both), CASE(memory_again), CASE(not_pinned), CASE(in_stream_order),
      CASE(flag_for_the_host))

int main(int argc, char **argv)
{
    run_cases(argc, argv);
    return 0;
}
