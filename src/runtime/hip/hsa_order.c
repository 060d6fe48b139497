/*
 * Functions of the HSA runtime that say in which order a program wants its packets and copies, for
 * --check=race (packets.h): those that make queues, change signals or look at them, and copy. What
 * the runtime of a language gives is not followed here.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/common/checked.h"
#include "runtime/common/host_checks.h"
#include "runtime/kfd/packets.h"
#include "runtime/kfd/tool.h"

/* The runtime's functions, or those of this library before them, are the process's. */
static struct core_table core;
static struct ext_table ext;
static struct ext_later later;

/* ---- queues ---- */

struct queue_of_program { /* hsa_queue_t */
    uint32_t type, features;
    uint64_t ring, doorbell;
};

static int queue_create(uint64_t agent, uint32_t size, uint32_t type, void *callback, void *data,
                        uint32_t private_size, uint32_t group_size, struct queue_of_program **queue)
{
    const int status =
        core.queue_create(agent, size, type, callback, data, private_size, group_size, queue);
    if (!status && !host_called_by_runtime())
        host_packets_follow((*queue)->ring, (*queue)->doorbell);
    return status;
}

/* ---- signals ---- */

static int signal_destroy(uint64_t signal)
{
    host_signal_gone(signal);
    return core.signal_destroy(signal);
}

static int64_t seen(uint64_t signal, int64_t value)
{
    host_signal_seen(signal);
    return value;
}

#define LOADS(name)                                                                                \
    static int64_t name(uint64_t signal)                                                           \
    {                                                                                              \
        return seen(signal, core.name(signal));                                                    \
    }
LOADS(load_relaxed)
LOADS(load_scacquire)

#define WAITS(name)                                                                                \
    static int64_t name(uint64_t signal, int condition, int64_t value, uint64_t timeout, int how)  \
    {                                                                                              \
        return seen(signal, core.name(signal, condition, value, timeout, how));                    \
    }
WAITS(wait_relaxed)
WAITS(wait_scacquire)

#define STORES(name)                                                                               \
    static void name(uint64_t signal, int64_t value)                                               \
    {                                                                                              \
        host_signal_stores(signal, true);                                                          \
        core.name(signal, value);                                                                  \
        host_signal_stored();                                                                      \
    }
STORES(store_relaxed)
STORES(store_screlease)

#define CHANGES(name, is)                                                                          \
    static void name(uint64_t signal, int64_t value)                                               \
    {                                                                                              \
        host_signal_stores(signal, false);                                                         \
        core.is(signal, value);                                                                    \
        host_signal_stored();                                                                      \
        host_signal_seen(signal);                                                                  \
    }
#define EXCHANGES(name, is)                                                                        \
    static int64_t name(uint64_t signal, int64_t value)                                            \
    {                                                                                              \
        host_signal_stores(signal, false);                                                         \
        const int64_t was = core.is(signal, value);                                                \
        host_signal_stored();                                                                      \
        return seen(signal, was);                                                                  \
    }
#define COMPARES(name, is)                                                                         \
    static int64_t name(uint64_t signal, int64_t expected, int64_t value)                          \
    {                                                                                              \
        host_signal_stores(signal, false);                                                         \
        const int64_t was = core.is(signal, expected, value);                                      \
        host_signal_stored();                                                                      \
        return seen(signal, was);                                                                  \
    }
#define EACH(define, name, is)                                                                     \
    define(name##0, is[0]) define(name##1, is[1]) define(name##2, is[2]) define(name##3, is[3])
#define LIST(name)                                                                                 \
    {                                                                                              \
        name##0, name##1, name##2, name##3                                                         \
    }
EACH(CHANGES, and, and_or_xor[0])
EACH(CHANGES, or, and_or_xor[1])
EACH(CHANGES, xor, and_or_xor[2])
EACH(EXCHANGES, exchange, exchange)
EACH(CHANGES, add, add_subtract[0])
EACH(CHANGES, subtract, add_subtract[1])
EACH(COMPARES, cas, cas)

static uint32_t wait_any(uint32_t count, uint64_t *signals, int *conditions, int64_t *values,
                         uint64_t timeout, int how, int64_t *value)
{
    const uint32_t which = ext.wait_any(count, signals, conditions, values, timeout, how, value);
    if (which < count)
        host_signal_seen(signals[which]);
    return which;
}

/* A function of the program's that a thread of the runtime calls. */
struct handler {
    signal_handler *function;
    void *argument;
    uint64_t signal;
};

static bool handle(int64_t value, void *argument)
{
    struct handler *h = argument;
    host_signal_seen(h->signal);
    const bool again = h->function(value, h->argument);
    if (!again)
        free(h);
    return again;
}

static int async_handler(uint64_t signal, int condition, int64_t value, signal_handler *function,
                         void *argument)
{
    struct handler *h = function && !host_called_by_runtime() ? malloc(sizeof *h) : NULL;
    if (!h)
        return ext.async_handler(signal, condition, value, function, argument);
    *h = (struct handler){function, argument, signal};
    const int status = ext.async_handler(signal, condition, value, handle, h);
    if (status)
        free(h);
    return status;
}

static int value_pointer(uint64_t signal, volatile int64_t **value)
{
    if (!host_called_by_runtime())
        host_signal_escapes();
    return later.value_pointer(signal, value);
}

/* ---- copies ---- */

/* hsa_pitched_ptr_t and hsa_dim3_t, of which x is in bytes */
struct pitched_memory {
    char *base;
    size_t row, slice;
};
struct box {
    uint32_t x, y, z;
};

static uint64_t place_in(const struct pitched_memory *m, const struct box *at)
{
    return (uint64_t)(uintptr_t)m->base + at->z * m->slice + at->y * m->row + at->x;
}

static void note_copy(struct host_async_copy c, uint32_t count, const uint64_t *dependencies,
                      const char *by)
{
    if (!host_packets_are_followed() || host_called_by_runtime())
        return;
    if (count > HOST_MOST_DEPENDENCIES) {
        host_signal_escapes();
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        c.dependency[c.dependencies++] = dependencies[i];
    host_packets_copy(&c, by);
}

/* The call that note_copy() has begun ends. */
static int noted(int status)
{
    if (host_packets_are_followed())
        host_order.leave();
    return status;
}

/* A linear copy, by which engine or any. */
#define COPIES(name, more, ...)                                                                    \
    static int name(void *to, uint64_t to_agent, const void *from, uint64_t from_agent,            \
                    size_t size, uint32_t count, const uint64_t *dependencies,                     \
                    uint64_t completion more)                                                      \
    {                                                                                              \
        note_copy((struct host_async_copy){.to = (uint64_t)(uintptr_t)to,                          \
                                           .from = (uint64_t)(uintptr_t)from,                      \
                                           .size = size,                                           \
                                           .completion = completion},                              \
                  count, dependencies, "hsa_amd_memory_" #name);                                   \
        return noted(ext.name(to, to_agent, from, from_agent, size, count, dependencies,           \
                              completion __VA_ARGS__));                                            \
    }
#define BY_ENGINE , int engine, bool force
COPIES(async_copy, )
COPIES(async_copy_on_engine, BY_ENGINE, , engine, force)

static int async_copy_rect(const struct pitched_memory *to, const struct box *to_offset,
                           const struct pitched_memory *from, const struct box *from_offset,
                           const struct box *range, uint64_t agent, int direction, uint32_t count,
                           const uint64_t *dependencies, uint64_t completion)
{
    note_copy((struct host_async_copy){.to = place_in(to, to_offset),
                                       .from = place_in(from, from_offset),
                                       .size = range->x,
                                       .rows = range->y,
                                       .slices = range->z,
                                       .of_to = {to->row, to->slice},
                                       .of_from = {from->row, from->slice},
                                       .completion = completion},
              count, dependencies, "hsa_amd_memory_async_copy_rect");
    return noted(later.async_copy_rect(to, to_offset, from, from_offset, range, agent, direction,
                                       count, dependencies, completion));
}

static int copy(void *to, const void *from, size_t size)
{
    if (host_packets_are_followed() && !host_called_by_runtime())
        host_packets_copied((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size,
                            "hsa_memory_copy");
    return core.copy(to, from, size);
}

static int fill(void *to, uint32_t value, size_t count)
{
    if (host_packets_are_followed() && !host_called_by_runtime())
        host_packets_copied((uint64_t)(uintptr_t)to, 0, count * 4, "hsa_amd_memory_fill");
    return later.fill(to, value, count);
}

/* ---- memory ---- */

static void made(void *address, size_t size)
{
    struct host *host = host_get();
    if (!host || host_called_by_runtime())
        return;
    const struct host_allocation *before;
    pthread_mutex_lock(&host->lock);
    const struct host_allocation *a = host_memory_find(host, (uint64_t)(uintptr_t)address, &before);
    const bool shared = a && !host_gpu_of(host, a->node);
    pthread_mutex_unlock(&host->lock);
    host_order.memory_made((uint64_t)(uintptr_t)address, size, shared);
}

static int allocate(uint64_t region, size_t size, void **address)
{
    const int status = core.allocate(region, size, address);
    if (!status)
        made(*address, size);
    return status;
}

static int pool_allocate(uint64_t pool, size_t size, uint32_t flags, void **address)
{
    const int status = ext.allocate(pool, size, flags, address);
    if (!status)
        made(*address, size);
    return status;
}

/* It waits for nothing. */
static void gone(void *address)
{
    if (address && !host_called_by_runtime())
        host_packets_freed((uint64_t)(uintptr_t)address);
}

static int free_memory(void *address)
{
    gone(address);
    return core.free(address);
}

static int pool_free(void *address)
{
    gone(address);
    return ext.free(address);
}

void host_tool_order(struct core_table *c, struct ext_table *e, struct ext_later *l)
{
    static store_function *const changes[5][TOOL_FORMS] = {LIST(and), LIST(or), LIST(xor),
                                                           LIST(add), LIST(subtract)};
    static exchange_function *const exchanges[TOOL_FORMS] = LIST(exchange);
    static cas_function *const compares[TOOL_FORMS] = LIST(cas);
    if (!wt_check_wants(WT_CHECK_RACE))
        return;
    core = *c;
    ext = *e;
    later = *l;
    c->queue_create = queue_create;
    c->signal_destroy = signal_destroy;
    c->load_relaxed = load_relaxed;
    c->load_scacquire = load_scacquire;
    c->store_relaxed = store_relaxed;
    c->store_screlease = store_screlease;
    c->wait_relaxed = wait_relaxed;
    c->wait_scacquire = wait_scacquire;
    memcpy(c->and_or_xor, changes[0], sizeof c->and_or_xor);
    memcpy(c->add_subtract, changes[3], sizeof c->add_subtract);
    memcpy(c->exchange, exchanges, sizeof c->exchange);
    memcpy(c->cas, compares, sizeof c->cas);
    c->allocate = allocate;
    c->free = free_memory;
    c->copy = copy;
    e->wait_any = wait_any;
    e->async_handler = async_handler;
    l->value_pointer = value_pointer;
    e->async_copy = async_copy;
    if (e->version.major > 1)
        e->async_copy_on_engine = async_copy_on_engine;
    l->async_copy_rect = async_copy_rect;
    l->fill = fill;
    e->allocate = pool_allocate;
    e->free = pool_free;
}
