/* See heap.h. */
#include "check/heap.h"

#include <pthread.h>
#include <stddef.h>

#include "base/array.h"
#include "base/fork_lock.h"

struct function {
    const void *space;
    uint64_t addr, size;
    enum wt_allocator what;
};

static struct {
    pthread_mutex_t lock;
    struct function *list;
    size_t count, room;
} functions = {.lock = PTHREAD_MUTEX_INITIALIZER};

WT_LOCK_OVER_FORKS(functions, functions.lock)

void wt_allocator_at(const void *space, uint64_t addr, uint64_t size, enum wt_allocator what)
{
    const struct function f = {space, addr, size, what};
    pthread_mutex_lock(&functions.lock);
    size_t at = 0;
    while (at < functions.count &&
           (functions.list[at].space != space || functions.list[at].addr != addr))
        at++;
    struct function *grown =
        wt_array_grow(functions.list, &functions.room, functions.count + 1, sizeof *grown);
    if (grown) {
        functions.list = grown;
        functions.count += at == functions.count;
        grown[at] = f;
    }
    pthread_mutex_unlock(&functions.lock);
}

enum wt_allocator wt_allocator_of(const void *space, uint64_t pc, bool *begins)
{
    enum wt_allocator what = WT_NO_ALLOCATOR;
    *begins = false;
    pthread_mutex_lock(&functions.lock);
    for (size_t i = 0; i < functions.count; i++) {
        const struct function *f = &functions.list[i];
        if (f->space != space || pc - f->addr >= f->size)
            continue;
        what = f->what;
        *begins = pc == f->addr;
    }
    pthread_mutex_unlock(&functions.lock);
    return what;
}
