/* Handles of the program: numbers that no two objects share, also one after the other, so that a
 * stale one is known for what it is. */
#include <errno.h>
#include <time.h>

#include "base/array.h"
#include "runtime/vortex/internal.h"

/* A handle: the tag, the count of objects that its slot has had, and the slot's number. No pointer
 * is such a number. */
#define TAG UINT64_C(0x5658000000000000)
enum { SLOT_BITS = 22, COUNT_BITS = 24 };

struct slot {
    enum handle_kind kind;
    uint32_t count;
    void *object;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_once_t once;
    struct slot *slot;
    size_t slots, room;
    size_t taken; /* the slots before are taken */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void begin(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&table.changed, &monotonic);
}

void state_lock(void)
{
    pthread_once(&table.once, begin);
    pthread_mutex_lock(&table.lock);
}

void state_unlock(void)
{
    pthread_mutex_unlock(&table.lock);
}

bool state_wait(uint64_t until_ns)
{
    const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    return pthread_cond_timedwait(&table.changed, &table.lock, &until) != ETIMEDOUT;
}

void state_changed(void)
{
    pthread_cond_broadcast(&table.changed);
}

static void *handle_of(size_t i)
{
    const uint64_t count = table.slot[i].count;
    return (void *)(uintptr_t)(TAG | (count & (((uint64_t)1 << COUNT_BITS) - 1)) << SLOT_BITS | i);
}

void *handle_new(enum handle_kind kind, void *object)
{
    size_t i = table.taken;
    while (i < table.slots && table.slot[i].kind)
        i++;
    if (i == table.slots) {
        struct slot *grown =
            i >> SLOT_BITS ? NULL : wt_array_grow(table.slot, &table.room, i + 1, sizeof *grown);
        if (!grown)
            return NULL;
        table.slot = grown;
        table.slot[table.slots++] = (struct slot){.count = 0};
    }
    table.slot[i] = (struct slot){kind, table.slot[i].count + 1, object};
    table.taken = i + 1;
    return handle_of(i);
}

static struct slot *slot_of(const void *handle)
{
    const size_t i = (uintptr_t)handle & (((size_t)1 << SLOT_BITS) - 1);
    return i < table.slots && table.slot[i].kind && handle_of(i) == handle ? &table.slot[i] : NULL;
}

void *handle_get(enum handle_kind kind, const void *handle)
{
    const struct slot *slot = slot_of(handle);
    return slot && slot->kind == kind ? slot->object : NULL;
}

void handle_end(const void *handle)
{
    struct slot *slot = slot_of(handle);
    slot->kind = HANDLE_FREE;
    slot->object = NULL;
    if ((size_t)(slot - table.slot) < table.taken)
        table.taken = (size_t)(slot - table.slot);
}

void *handle_need(enum handle_kind kind, const void *handle, struct wt_error *err)
{
    static const char *const names[] = {
        [HANDLE_DEVICE] = "device", [HANDLE_BUFFER] = "buffer", [HANDLE_MODULE] = "module",
        [HANDLE_KERNEL] = "kernel", [HANDLE_QUEUE] = "queue",   [HANDLE_EVENT] = "event"};
    void *object = handle_get(kind, handle);
    if (!object)
        call_fail(err, VX_ERR_INVALID_HANDLE, "%p is not the handle of a live %s", handle,
                  names[kind]);
    return object;
}
