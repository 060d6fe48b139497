/* Handles of the program: numbers that no two objects share, also one after the other, so that a
 * stale one is known for what it is. */
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
    struct slot *slot;
    size_t slots, room;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

void state_lock(void)
{
    pthread_mutex_lock(&table.lock);
}

void state_unlock(void)
{
    pthread_mutex_unlock(&table.lock);
}

static void *handle_of(size_t i)
{
    const uint64_t count = table.slot[i].count;
    return (void *)(uintptr_t)(TAG | (count & (((uint64_t)1 << COUNT_BITS) - 1)) << SLOT_BITS | i);
}

void *handle_new(enum handle_kind kind, void *object)
{
    size_t i = 0;
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
}
