/* Operations that the command line lists, one a word, for test_order_model.py: letters and digits.
 * Streams: 0 the default one, 1 one that it waits for, 2 one that it does not wait for. Each kernel
 * and copy has code of its own for each pair of buffers, so that reports tell them apart.
 *     k STREAM TO FROM    a kernel           c STREAM TO FROM    an asynchronous copy
 *     f STREAM TO         a fill             e STREAM EVENT      the stream records the event
 *     w STREAM EVENT      it waits for it    s STREAM            the host waits for the stream
 *     v EVENT             … for the event    d                   … for all
 *     r BUFFER            the host loads     o BUFFER            the host stores
 * BUFFER, TO, FROM: 0 to 3, managed memory of a page. */
#include "gpu.h"

enum { N = 1024, BYTES = N * sizeof(int), BUFFERS = 4 };

static int *buffer[BUFFERS];
static API(Stream_t) stream[3];
static API(Event_t) event[2];
static int sum;

template <int TO, int FROM> __global__ void kernel(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x] + TO;
}

template <int TO, int FROM> __attribute__((noinline)) static void launch(int s)
{
    kernel<TO, FROM><<<1, N, 0, stream[s]>>>(buffer[TO], buffer[FROM]);
}
template <int TO, int FROM> __attribute__((noinline)) static void copy(int s)
{
    (void)API(MemcpyAsync)(buffer[TO], buffer[FROM], BYTES, API(MemcpyDeviceToDevice), stream[s]);
}
template <int TO, int FROM> __attribute__((noinline)) static void fill(int s)
{
    (void)API(MemsetAsync)(buffer[TO], 1, BYTES, stream[s]);
}
template <int AT, int NONE> __attribute__((noinline)) static void host_load(int)
{
    sum += *(volatile int *)buffer[AT];
}
template <int AT, int NONE> __attribute__((noinline)) static void host_store(int)
{
    *(volatile int *)buffer[AT] = 1;
}

#define ROW(of, to)                                                                                \
    {                                                                                              \
        of<to, 0>, of<to, 1>, of<to, 2>, of<to, 3>                                                 \
    }
#define ALL(of)                                                                                    \
    {                                                                                              \
        ROW(of, 0), ROW(of, 1), ROW(of, 2), ROW(of, 3)                                             \
    }

static void (*const launches[BUFFERS][BUFFERS])(int) = ALL(launch);
static void (*const copies[BUFFERS][BUFFERS])(int) = ALL(copy);
static void (*const fills[BUFFERS][BUFFERS])(int) = ALL(fill);
static void (*const loads[BUFFERS][BUFFERS])(int) = ALL(host_load);
static void (*const stores[BUFFERS][BUFFERS])(int) = ALL(host_store);

static void run(const char *word)
{
    const int a = word[1] ? word[1] - '0' : 0, b = a || word[1] ? word[2] - '0' : 0,
              c = word[1] && word[2] ? word[3] - '0' : 0;
    switch (word[0]) {
    case 'k':
        launches[b][c](a);
        break;
    case 'c':
        copies[b][c](a);
        break;
    case 'f':
        fills[b][0](a);
        break;
    case 'e':
        (void)API(EventRecord)(event[b], stream[a]);
        break;
    case 'w':
        (void)API(StreamWaitEvent)(stream[a], event[b], 0);
        break;
    case 's':
        (void)API(StreamSynchronize)(stream[a]);
        break;
    case 'v':
        (void)API(EventSynchronize)(event[a]);
        break;
    case 'd':
        (void)API(DeviceSynchronize)();
        break;
    case 'r':
        loads[a][0](0);
        break;
    case 'o':
        stores[a][0](0);
        break;
    }
}

int main(int argc, char **argv)
{
    (void)API(StreamCreate)(&stream[1]);
    (void)API(StreamCreateWithFlags)(&stream[2], API(StreamNonBlocking));
    for (API(Event_t) &e : event)
        (void)API(EventCreate)(&e);
    for (int *&b : buffer) {
        (void)API(MallocManaged)(&b, BYTES);
        printf("%p\n", (void *)b);
    }
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    (void)API(DeviceSynchronize)();
    return 0;
}
