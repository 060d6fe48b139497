/*
 * Functions of POSIX threads and semaphores, which stand before those of libc in a program that is
 * checked. What the program's own threads do orders them (host_edges.h): making and joining a
 * thread, mutexes, conditions, barriers, semaphores. Calls of GPU runtimes and of OpenMP's are none
 * of the program's, and their threads are none of its threads: when those take a lock is not up to
 * the program.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/common/host_edges.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

enum { DRIVERS = 4 };
static const struct wt_host_edges *_Atomic driver[DRIVERS];
static _Atomic unsigned drivers;
static _Atomic uint32_t threads;
static _Thread_local uint32_t number; /* the calling thread's */

static uint32_t this_thread(void)
{
    return number;
}

EXPORT wt_host_thread_fn *wavetrap_host_threads(const struct wt_host_edges *edges)
{
    const unsigned at = atomic_load(&drivers);
    if (at == DRIVERS)
        return NULL;
    atomic_store(&driver[at], edges);
    atomic_store(&drivers, at + 1);
    return this_thread;
}

/* ---- who calls ---- */

static bool is_of_runtime(const char *path)
{
    static const char *const prefixes[] = {"libamd",    "libhsa", "libcuda", "libwavetrap",
                                           "libOpenCL", "libigd", "libigc",  "libze_",
                                           "libgomp",   "libomp", "libpocl", "libigfx"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    bool is = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && !is; i++)
        is = strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    return is;
}

/* Whether an address is in code of the program, or of a library that works for it alone. */
static bool is_of_program(void *address)
{
    struct dl_find_object found;
    return _dl_find_object(address, &found) == 0 && found.dlfo_link_map &&
           !is_of_runtime(found.dlfo_link_map->l_name);
}

/* Whether a call from @p caller may order threads. */
static bool orders(void *caller)
{
    return atomic_load_explicit(&drivers, memory_order_relaxed) && is_of_program(caller);
}

#define SAYS(name)                                                                                 \
    static void name(const void *object)                                                           \
    {                                                                                              \
        for (unsigned i = 0; i < atomic_load(&drivers); i++)                                       \
            atomic_load(&driver[i])->name(object);                                                 \
    }
SAYS(leave_at)
SAYS(take_from)
SAYS(forget_at)

/* libc has older functions of some names, too. */
static void *real_of(void *_Atomic *function, const char *name)
{
    void *f = atomic_load(function);
    if (f)
        return f;
    f = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    f = f ? f : dlsym(RTLD_NEXT, name);
    atomic_store(function, f);
    return f;
}

/* Declares `real`: the function that stands behind this one. */
#define REAL(name)                                                                                 \
    static void *_Atomic found;                                                                    \
    __typeof__(&(name)) real;                                                                      \
    *(void **)&real = real_of(&found, #name)

/* ---- threads ---- */

struct thread_start {
    void *(*function)(void *);
    void *argument;
    uint32_t number;
};

static void end(void *unused)
{
    (void)unused;
    leave_at((const void *)pthread_self()); /* NOLINT */
    for (unsigned i = 0; i < atomic_load(&drivers); i++)
        atomic_load(&driver[i])->thread_ends();
}

static void *begin(void *context)
{
    const struct thread_start start = *(struct thread_start *)context;
    void *result;
    number = start.number;
    take_from(context);
    forget_at(context);
    forget_at((const void *)pthread_self()); /* that of an older thread */
    free(context);
    pthread_cleanup_push(end, NULL);
    result = start.function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    REAL(pthread_create);
    struct thread_start *start = is_of_program(CALLER) ? malloc(sizeof *start) : NULL;
    if (!start)
        return real(thread, attributes, function, argument);
    *start = (struct thread_start){function, argument, atomic_fetch_add(&threads, 1) + 1};
    leave_at(start);
    const int wrong = real(thread, attributes, begin, start);
    if (wrong) {
        forget_at(start);
        free(start);
    }
    return wrong;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    REAL(pthread_join);
    const int wrong = real(thread, result);
    if (!wrong && orders(CALLER))
        take_from((const void *)thread); /* NOLINT */
    return wrong;
}

/* ---- mutexes, semaphores ---- */

/* A function that may take something over from an object. */
#define TAKES(name, type, parameters, ...)                                                         \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        REAL(name);                                                                                \
        const int wrong = real(__VA_ARGS__);                                                       \
        if (!wrong && orders(CALLER))                                                              \
            take_from(object);                                                                     \
        return wrong;                                                                              \
    }
#define LEAVES(name, type)                                                                         \
    EXPORT int name(type *object)                                                                  \
    {                                                                                              \
        REAL(name);                                                                                \
        if (orders(CALLER))                                                                        \
            leave_at(object);                                                                      \
        return real(object);                                                                       \
    }
TAKES(pthread_mutex_lock, pthread_mutex_t, (pthread_mutex_t * object), object)
TAKES(pthread_mutex_trylock, pthread_mutex_t, (pthread_mutex_t * object), object)
TAKES(pthread_mutex_timedlock, pthread_mutex_t,
      (pthread_mutex_t *restrict object, const struct timespec *restrict until), object, until)
LEAVES(pthread_mutex_unlock, pthread_mutex_t)
TAKES(sem_wait, sem_t, (sem_t * object), object)
TAKES(sem_trywait, sem_t, (sem_t * object), object)
TAKES(sem_timedwait, sem_t, (sem_t *restrict object, const struct timespec *restrict until), object,
      until)
LEAVES(sem_post, sem_t)

/* ---- conditions ---- */

LEAVES(pthread_cond_signal, pthread_cond_t)
LEAVES(pthread_cond_broadcast, pthread_cond_t)

/* The mutex is left, and taken again. */
#define WAITS(name, parameters, ...)                                                               \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        REAL(name);                                                                                \
        const bool is = orders(CALLER);                                                            \
        if (is)                                                                                    \
            leave_at(mutex);                                                                       \
        const int wrong = real(__VA_ARGS__);                                                       \
        if (is)                                                                                    \
            take_from(mutex);                                                                      \
        if (is && !wrong)                                                                          \
            take_from(condition);                                                                  \
        return wrong;                                                                              \
    }
WAITS(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),
      condition, mutex)
WAITS(pthread_cond_timedwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
       const struct timespec *restrict until),
      condition, mutex, until)
WAITS(pthread_cond_clockwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
       const struct timespec *restrict until),
      condition, mutex, clock, until)

/* ---- barriers ---- */

/* Barriers whose number of threads is known. Threads that come for the next round leave what they
 * know elsewhere: nobody of this round takes it. */
struct known_barrier {
    pthread_barrier_t *is;
    unsigned count, come;
};
enum { BARRIERS = 64 };
static struct known_barrier barrier[BARRIERS];
static pthread_mutex_t barriers = PTHREAD_MUTEX_INITIALIZER;

static struct known_barrier *barrier_of(pthread_barrier_t *is)
{
    unsigned i = 0;
    while (i < BARRIERS && barrier[i].is != is)
        i++;
    return i < BARRIERS ? &barrier[i] : NULL;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict is,
                                const pthread_barrierattr_t *restrict attributes, unsigned count)
{
    REAL(pthread_barrier_init);
    pthread_mutex_lock(&barriers);
    struct known_barrier *b = barrier_of(is);
    b = b ? b : barrier_of(NULL);
    if (b)
        *b = (struct known_barrier){is, count, 0};
    pthread_mutex_unlock(&barriers);
    return real(is, attributes, count);
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *is)
{
    REAL(pthread_barrier_destroy);
    pthread_mutex_lock(&barriers);
    struct known_barrier *b = barrier_of(is);
    if (b)
        *b = (struct known_barrier){.is = NULL};
    pthread_mutex_unlock(&barriers);
    return real(is);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *is)
{
    REAL(pthread_barrier_wait);
    const char *round = orders(CALLER) ? (const char *)is : NULL;
    pthread_mutex_lock(&barriers);
    struct known_barrier *b = round ? barrier_of(is) : NULL;
    if (b) {
        round += b->come / b->count % 2;
        if (b->come++ % b->count == 0)
            forget_at(round);
        leave_at(round);
    }
    pthread_mutex_unlock(&barriers);
    const int result = real(is);
    if (b)
        take_from(round);
    return result;
}
