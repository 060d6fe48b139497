/* The examples' library as far as vortex.c uses it, for the host: two warps of four threads, each a
 * host thread that is named by its lane ("lane3"). */
#ifndef VORTEX_H
#define VORTEX_H
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>

#define VX_LOCAL_MEMORY_SIZE 16384u
#define VX_IF(condition) if (condition) {
#define VX_ELSE                                                                                    \
    }                                                                                              \
    else                                                                                           \
    {
#define VX_END }

enum { HOST_THREADS = 8, HOST_LANES = 4 };

static __thread unsigned host_thread;
/* Two in turn: pthread_barrier_wait() acquires what threads release that are at the next round. */
static pthread_barrier_t host_even, host_odd;
static pthread_barrier_t *const host_barriers[2] = {&host_even, &host_odd};
static __thread unsigned host_round;
static char host_local_memory[VX_LOCAL_MEMORY_SIZE] __attribute__((aligned(64)));

static inline unsigned vx_thread(void)
{
    return host_thread;
}

static inline void *vx_local_memory(void)
{
    return host_local_memory;
}

static inline void vx_barrier(void)
{
    pthread_barrier_wait(host_barriers[host_round++ % 2]);
}

static inline void vx_fence(void)
{
    static int word;
    __atomic_fetch_add(&word, 0, __ATOMIC_ACQ_REL);
}

static inline uint32_t vx_atomic_add(uint32_t *p, uint32_t n)
{
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}

struct host_one {
    unsigned thread;
    void (*kernel)(void *);
    void *arg;
};

static void *host_run(void *p)
{
    const struct host_one *one = p;
    char name[16];
    snprintf(name, sizeof name, "lane%u", one->thread % HOST_LANES);
    prctl(PR_SET_NAME, name);
    host_thread = one->thread;
    one->kernel(one->arg);
    return NULL;
}

static inline void vx_launch(void (*kernel)(void *), void *arg)
{
    pthread_t thread[HOST_THREADS];
    struct host_one one[HOST_THREADS];
    for (int i = 0; i < 2; i++)
        pthread_barrier_init(host_barriers[i], NULL, HOST_THREADS);
    for (unsigned i = 0; i < HOST_THREADS; i++) {
        one[i] = (struct host_one){i, kernel, arg};
        pthread_create(&thread[i], NULL, host_run, &one[i]);
    }
    for (unsigned i = 0; i < HOST_THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_barrier_destroy(host_barriers[i]);
}

#endif
