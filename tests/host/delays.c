/*
 * Preloaded: delays each thread but the program's first one at random points, where it takes a
 * lock, as a busy machine may: drivers' threads, handlers of vendors' runtimes, completions. DELAYS
 * is the seed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ONE_IN = 16, MOST_NS = 4000000 };

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*real)(pthread_mutex_t *);
    static _Thread_local uint64_t state;
    static _Atomic uint64_t threads;
    if (!real)
        real = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    if (gettid() == getpid())
        return real(mutex);
    if (!state)
        state = (strtoull(getenv("DELAYS") ? getenv("DELAYS") : "1", NULL, 0) * 64 + ++threads) *
                0x9e3779b97f4a7c15;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    if ((state >> 40) % ONE_IN == 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)((state >> 8) % MOST_NS)}, NULL);
    return real(mutex);
}
