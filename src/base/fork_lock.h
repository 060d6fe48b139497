/*
 * Locks that are kept over fork(): the child of a process that forks while another thread holds one
 * would wait for it for ever.
 */
#ifndef WT_BASE_FORK_LOCK_H
#define WT_BASE_FORK_LOCK_H

#include <pthread.h>

/**
 * Takes @p mutex, one of this file, before each fork(), and releases it in the parent and in the
 * child; @p name is its own in the file. No other lock may be taken under it: handlers that are
 * registered first take their locks last (pthread_atfork(3)), and this one is registered before
 * those of the library's other constructors.
 */
#define WT_LOCK_OVER_FORKS(name, mutex)                                                            \
    static void lock_##name(void)                                                                  \
    {                                                                                              \
        pthread_mutex_lock(&(mutex));                                                              \
    }                                                                                              \
    static void unlock_##name(void)                                                                \
    {                                                                                              \
        pthread_mutex_unlock(&(mutex));                                                            \
    }                                                                                              \
    static __attribute__((constructor(101))) void keep_##name(void)                                \
    {                                                                                              \
        pthread_atfork(lock_##name, unlock_##name, unlock_##name);                                 \
    }

#endif
