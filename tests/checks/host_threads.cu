/* Operations of two host threads, by what orders the threads: to HIP and CUDA. Each case gives one
 * operation by each thread, to streams that nothing orders. */
#include <pthread.h>
#include <semaphore.h>
#include <atomic>
#include "gpu.h"

enum { N = 64, BYTES = N * sizeof(int) };

__global__ void add(int *p, int k) { p[threadIdx.x] += k; }

static int *p, *pinned;
static API(Stream_t) streams[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static bool ready;
static std::atomic<bool> seen; /* nobody sees that it orders anything */

static void give(int number) { LAUNCH(add, 1, N, 0, streams[number], p, number); }
static void wait(int number) { (void)API(StreamSynchronize)(streams[number]); }

struct work {
    void *(*first)(void *), *(*second)(void *);
    bool waits; /* the first one waits for its stream before the edge */
};
static bool waits;

static void give_first()
{
    give(0);
    if (waits)
        wait(0);
}

#define PAIR(name, a, b)                                                                           \
    static void *name##_first(void *) { a; return NULL; }                                          \
    static void *name##_second(void *) { b; return NULL; }

/* Without a call that orders them. */
PAIR(none, { give_first(); seen = true; }, { while (!seen); give(1); })
/* The lock is what both have; which of them is first belongs to the input. */
PAIR(mutex, { pthread_mutex_lock(&mutex); give_first(); pthread_mutex_unlock(&mutex); seen = true; },
     { while (!seen); pthread_mutex_lock(&mutex); give(1); pthread_mutex_unlock(&mutex); })
PAIR(condition, { give_first(); pthread_mutex_lock(&mutex); ready = true; pthread_cond_signal(&condition); pthread_mutex_unlock(&mutex); },
     { pthread_mutex_lock(&mutex); while (!ready) pthread_cond_wait(&condition, &mutex); pthread_mutex_unlock(&mutex); give(1); })
PAIR(barrier, { give_first(); pthread_barrier_wait(&barrier); }, { pthread_barrier_wait(&barrier); give(1); })
PAIR(semaphore, { give_first(); sem_post(&semaphore); }, { sem_wait(&semaphore); give(1); })
/* It waits after the edge, and before the other operation: no call says so to the second thread. */
PAIR(late, { give(0); pthread_barrier_wait(&barrier); wait(0); seen = true; }, { pthread_barrier_wait(&barrier); while (!seen); give(1); })
/* The second round of the barrier does not order what the first one orders. */
PAIR(round, { pthread_barrier_wait(&barrier); give(0); seen = true; }, { pthread_barrier_wait(&barrier); while (!seen); give(1); })
/* The host's own access, of memory of both sides. */
PAIR(access, { LAUNCH(add, 1, N, 0, streams[0], pinned, 1); if (waits) wait(0); pthread_barrier_wait(&barrier); while (!seen); },
     { pthread_barrier_wait(&barrier); pinned[3]++; seen = true; })
PAIR(access_none, { LAUNCH(add, 1, N, 0, streams[0], pinned, 1); seen = true; }, { while (!seen); pinned[3]++; })

static void *run(const char *name, int which)
{
#define CASE(is) if (!strcmp(name, #is)) return (void *)(which ? is##_second : is##_first);
    CASE(none) CASE(mutex) CASE(condition) CASE(barrier) CASE(semaphore) CASE(late) CASE(round) CASE(access) CASE(access_none)
    return NULL;
}

/* It runs for some seconds, and stores at its end. */
__global__ void late_store(int *p, int n)
{
    int x = threadIdx.x;
    for (int i = 0; i < n; i++)
        x = x * 1103515245 + 12345;
    p[threadIdx.x] = x;
}
/* It waits for the host, whose stores it loads in turn. */
__global__ void spin(volatile int *flag, int *p)
{
    while (!*flag)
        continue;
    p[threadIdx.x] = 1;
}

static void *give_in_thread(void *) { give(1); return NULL; }
static void *give_first_in_thread(void *) { give_first(); return NULL; }

int main(int count, char **words)
{
    const char *name = words[1];
    pthread_t one, two;
    waits = count > 2;
    (void)API(StreamCreateWithFlags)(&streams[0], API(StreamNonBlocking));
    (void)API(StreamCreateWithFlags)(&streams[1], API(StreamNonBlocking));
    (void)API(Malloc)(&p, BYTES);
    (void)API(MallocHost)((void **)&pinned, BYTES);
    (void)API(Memset)(p, 0, BYTES);
    (void)API(DeviceSynchronize)();
    memset(pinned, 0, BYTES);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    if (!strcmp(name, "long")) {
        LAUNCH(late_store, 1, N, 0, streams[0], pinned, atoi(words[2]));
        pinned[3]++;
    } else if (!strcmp(name, "spin")) {
        int *flag;
        (void)API(MallocHost)((void **)&flag, 4096);
        flag[0] = 0;
        (void)API(DeviceSynchronize)();
        LAUNCH(spin, 1, N, 0, streams[0], flag, p);
        flag[0] = 1;
    } else if (!strcmp(name, "create")) {
        give_first();
        pthread_create(&one, NULL, give_in_thread, NULL);
        pthread_join(one, NULL);
    } else if (!strcmp(name, "join")) {
        pthread_create(&one, NULL, give_first_in_thread, NULL);
        pthread_join(one, NULL);
        give(1);
    } else {
        pthread_create(&one, NULL, (void *(*)(void *))run(name, 0), NULL);
        pthread_create(&two, NULL, (void *(*)(void *))run(name, 1), NULL);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    (void)API(DeviceSynchronize)();
    printf("%d\n", 0);
}
