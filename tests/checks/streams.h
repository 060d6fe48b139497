/* What orders.cu needs of HIP's and CUDA's API, for ThreadSanitizer: a stream is a thread of the
 * host, to which operations are given by a queue whose writer learns nothing of its reader; who
 * waits for a stream learns all that it has done. A kernel is a loop over its threads. */
#ifndef STREAMS_H
#define STREAMS_H
#include <sched.h>
#include <atomic>
#include <functional>
#include <list>
#include <thread>

#define API(name) host##name
#define LAUNCH(kernel, grid, block, shared, stream, ...)                                           \
    host_give(stream, [=] {                                                                        \
        for (unsigned i_ = 0; i_ < (grid) * (block); i_++) {                                       \
            blockIdx.x = i_ / (block);                                                             \
            threadIdx.x = i_ % (block);                                                            \
            kernel(__VA_ARGS__);                                                                   \
        }                                                                                          \
    })
#define __global__ static

struct host_index {
    unsigned x;
};
static thread_local host_index threadIdx, blockIdx;

struct host_stream {
    bool blocking = true;
    enum { MOST = 1000 };
    std::function<void()> queue[MOST];
    std::atomic<int> given{0}, done[MOST + 1]{}; /* who waits for one learns of no later one */
    std::thread thread{[this] { run(); }};
    void run()
    {
        for (int next = 0;; done[++next].store(1, std::memory_order_release)) {
            while (given.load(std::memory_order_acquire) == next)
                sched_yield();
            if (!queue[next])
                return;
            queue[next]();
        }
    }
    void give(std::function<void()> what)
    {
        const int next = given.load(std::memory_order_relaxed);
        queue[next] = what;
        given.store(next + 1, std::memory_order_release);
    }
    void wait(int upto)
    {
        while (upto && !done[upto].load(std::memory_order_acquire))
            sched_yield();
    }
    ~host_stream()
    {
        give(nullptr);
        thread.join();
    }
};
typedef host_stream *hostStream_t;
struct host_event {
    host_stream *stream;
    int upto;
};
typedef host_event *hostEvent_t;
enum {
    hostMemcpyHostToDevice,
    hostMemcpyDeviceToHost,
    hostMemcpyDeviceToDevice,
    hostMemAttachGlobal,
    hostStreamNonBlocking
};

static std::list<host_stream> host_streams(1); /* the first one is the default stream */

static inline void host_order(host_stream *after, host_stream *before)
{
    const int upto = before->given.load(std::memory_order_relaxed);
    after->give([=] { before->wait(upto); });
}

/* The default stream waits for those that are no NonBlocking ones, and they for it. */
static inline void host_give(host_stream *stream, std::function<void()> what)
{
    host_stream *usual = &host_streams.front();
    for (host_stream &other : host_streams)
        if ((!stream && other.blocking && &other != usual) ||
            (stream && stream->blocking && &other == usual))
            host_order(stream ? stream : usual, &other);
    (stream ? stream : usual)->give(what);
}
static inline void hostStreamSynchronize(host_stream *s)
{
    s = s ? s : &host_streams.front();
    s->wait(s->given.load(std::memory_order_relaxed));
}
static inline void hostDeviceSynchronize()
{
    for (host_stream &s : host_streams)
        hostStreamSynchronize(&s);
}
static inline void hostStreamCreate(host_stream **s)
{
    host_streams.emplace_back();
    *s = &host_streams.back();
}
static inline void hostStreamCreateWithFlags(host_stream **s, int)
{
    hostStreamCreate(s);
    (*s)->blocking = false;
}
static inline void hostStreamDestroy(host_stream *s)
{
    host_streams.remove_if([=](host_stream &one) { return &one == s; });
}
static inline int hostStreamQuery(host_stream *s)
{
    const int upto = s->given.load(std::memory_order_relaxed);
    return upto && !s->done[upto].load(std::memory_order_acquire);
}
static inline void hostEventCreate(host_event **e)
{
    *e = new host_event{};
}
static inline void hostEventRecord(host_event *e, host_stream *s)
{
    *e = {s, s->given.load(std::memory_order_relaxed)};
}
static inline void hostEventSynchronize(host_event *e)
{
    e->stream->wait(e->upto);
}
static inline void hostEventDestroy(host_event *e)
{
    delete e;
}
static inline void hostStreamWaitEvent(host_stream *s, host_event *e, int)
{
    const host_event is = *e;
    s->give([=] { is.stream->wait(is.upto); });
}
static inline void hostLaunchHostFunc(host_stream *s, void (*call)(void *), void *data)
{
    host_give(s, [=] { call(data); });
}
template <class T> static inline void hostMalloc(T **p, size_t size)
{
    *p = (T *)malloc(size);
}
static inline void hostMallocHost(void **p, size_t size)
{
    hostMalloc(p, size);
}
template <class T> static inline void hostMallocManaged(T **p, size_t size, int)
{
    hostMalloc(p, size);
}
static inline void hostHostRegister(void *, size_t, int)
{
}
static inline void hostHostUnregister(void *)
{
}
static inline void hostHostGetDevicePointer(void **, void *, int)
{
}
static inline void hostFree(void *p)
{
    hostDeviceSynchronize();
    free(p);
}
static inline void hostFreeHost(void *p)
{
    hostFree(p);
}
template <class T> static inline void hostMallocAsync(T **p, size_t size, host_stream *s)
{
    hostMalloc(p, size);
    T *const made = *p;
    host_give(s, [=] { memset(made, 0, size); });
}
static inline void hostFreeAsync(void *p, host_stream *s)
{
    host_give(s, [=] { *(char *)p = 0; }); /* its memory stays */
}
static inline void hostMemcpyAsync(void *to, const void *from, size_t size, int, host_stream *s)
{
    host_give(s, [=] { memcpy(to, from, size); });
}
static inline void hostMemcpy(void *to, const void *from, size_t size, int kind)
{
    hostMemcpyAsync(to, from, size, kind, NULL);
    hostStreamSynchronize(NULL);
}
static inline void hostMemsetAsync(void *p, int value, size_t size, host_stream *s)
{
    host_give(s, [=] { memset(p, value, size); });
}
static inline void hostMemset(void *p, int value, size_t size)
{
    hostMemsetAsync(p, value, size, NULL);
}
static inline int atomicAdd(int *p, int n)
{
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}
#endif
