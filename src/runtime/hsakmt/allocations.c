/*
 * The program's allocations, with the sizes that it has asked for. The runtime cuts small buffers
 * out of blocks of 2 MiB, and the driver sees only the blocks; as a tool of the runtime (tool.h)
 * this library sees the requests. Reports of faults name them; nothing else depends on them.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "runtime/hsakmt/tool.h"

enum { FREED = 4096 }; /* how many of those that were freed are remembered: the last ones */

/* The runtime's functions and its memory are the process's, and so are these. */
static allocate_function *runtime_allocate;
static free_function *runtime_free, *runtime_pool_free;
static pool_allocate_function *runtime_pool_allocate;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* no other lock is taken under it */
static void *live; /* a tree of struct host_user_allocation, by address */
static struct host_user_allocation freed[FREED];
static size_t freed_count; /* ever: the newest is at freed_count - 1 */

static int compare(const void *a, const void *b)
{
    const struct host_user_allocation *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Without host memory it is not noted: a report then knows less. */
static void note(const void *address, size_t size)
{
    struct host_user_allocation *a = malloc(sizeof *a);
    if (!a)
        return;
    *a = (struct host_user_allocation){.addr = (uint64_t)(uintptr_t)address, .size = size};
    pthread_mutex_lock(&lock);
    struct host_user_allocation **at = tsearch(a, &live, compare);
    if (!at || *at != a) {
        if (at)
            (*at)->size = size;
        free(a);
    }
    pthread_mutex_unlock(&lock);
}

static void forget(const void *address)
{
    const struct host_user_allocation key = {.addr = (uint64_t)(uintptr_t)address};
    pthread_mutex_lock(&lock);
    struct host_user_allocation **at = tfind(&key, &live, compare), *a = at ? *at : NULL;
    if (a) {
        tdelete(&key, &live, compare);
        freed[freed_count++ % FREED] =
            (struct host_user_allocation){.addr = a->addr, .size = a->size, .freed = true};
        free(a);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- what the runtime's users call ---- */

static int allocate(uint64_t region, size_t size, void **address)
{
    const int status = runtime_allocate(region, size, address);
    if (!status)
        note(*address, size);
    return status;
}

static int pool_allocate(uint64_t pool, size_t size, uint32_t flags, void **address)
{
    const int status = runtime_pool_allocate(pool, size, flags, address);
    if (!status)
        note(*address, size);
    return status;
}

/* The entry is removed before the memory is freed: afterwards another thread may be given it. */
static int free_memory(void *address)
{
    forget(address);
    return runtime_free(address);
}

static int pool_free(void *address)
{
    forget(address);
    return runtime_pool_free(address);
}

void host_tool_allocations(struct core_table *core, struct ext_table *ext)
{
    runtime_allocate = core->allocate;
    runtime_free = core->free;
    runtime_pool_allocate = ext->allocate;
    runtime_pool_free = ext->free;
    core->allocate = allocate;
    core->free = free_memory;
    ext->allocate = pool_allocate;
    ext->free = pool_free;
}

/* ---- for reports ---- */

struct search {
    uint64_t addr;
    struct host_user_allocation *found, *before, *behind;
    bool holds;
};

static void consider(const struct host_user_allocation *a, struct search *s)
{
    if (s->addr - a->addr < a->size) {
        *s->found = *a;
        s->holds = true;
    } else if (a->addr > s->addr) {
        if (!s->behind->size || a->addr < s->behind->addr)
            *s->behind = *a;
    } else if (!s->before->size || a->addr + a->size > s->before->addr + s->before->size) {
        *s->before = *a;
    }
}

static void visit(const void *node, VISIT which, void *search)
{
    if (which == postorder || which == leaf)
        consider(*(struct host_user_allocation *const *)node, search);
}

bool host_user_find(uint64_t addr, struct host_user_allocation *found,
                    struct host_user_allocation *before, struct host_user_allocation *behind)
{
    struct search s = {addr, found, before, behind, false};
    *found = *before = *behind = (struct host_user_allocation){.addr = 0};
    pthread_mutex_lock(&lock);
    twalk_r(live, visit, &s);
    for (size_t i = 0; !s.holds && i < FREED && i < freed_count; i++) {
        const struct host_user_allocation *a = &freed[(freed_count - 1 - i) % FREED];
        if (addr - a->addr < a->size) {
            *found = *a;
            s.holds = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return s.holds;
}
