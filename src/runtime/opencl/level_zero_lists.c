/*
 * Intercepts the program's Level Zero calls with command lists, queues, events and fences, for
 * checks: what a list's commands access, and for --check=race in which order (order.h). A list
 * keeps its commands, which are given to a queue's order each time that it is executed; those of an
 * immediate list at once, whose queue is the list itself.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "runtime/opencl/handles.h"
#include "runtime/i915/interposed.h"
#include "runtime/opencl/level_zero.h"
#include "runtime/i915/order.h"
#include "runtime/i915/waits.h"
#include "runtime/opencl/words.h"

/* No header declares what programs find here by its name. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define EXPORT __attribute__((visibility("default")))

static void *next(const char *name)
{
    return drm_next_function(DRM_ZE_LIBRARY, name);
}

/* ---- lists ---- */

struct ze_command {
    struct drm_order_command is;
    struct wt_call_stack calls;
};

struct ze_list {
    bool immediate, waits; /* an immediate one; its calls wait for their commands */
    bool in_order;         /* one command comes behind the other, as the program wants it */
    struct ze_command *command;
    size_t count, room;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wt_map lists, queues; /* handle: struct ze_list; whether its calls wait */

/* The program uses a list in one thread at a time. */
static struct ze_list *list_of(word handle)
{
    pthread_mutex_lock(&lock);
    struct ze_list *l = handle ? wt_map_block(&lists, handle, sizeof *l) : NULL;
    pthread_mutex_unlock(&lock);
    return l;
}

static void clear(struct ze_list *l)
{
    for (size_t i = 0; l && i < l->count; i++)
        free((void *)(uintptr_t)l->command[i].is.events);
    if (l)
        l->count = 0;
}

/* A list that is new, perhaps at the address of an older one. */
static void note_list(word handle, struct ze_list is)
{
    struct ze_list *l = wt_check_wants(WT_CHECK_RACE) ? list_of(handle) : NULL;
    clear(l);
    if (!l)
        return;
    is.command = l->command;
    is.room = l->room;
    *l = is;
}

/* Without host memory less is known. */
static void keep(struct ze_list *l, const struct drm_order_command *is)
{
    struct ze_command *grown = wt_array_grow(l->command, &l->room, l->count + 1, sizeof *grown);
    const size_t size = is->count * sizeof(void *);
    void *events = size && is->events ? malloc(size) : NULL;
    if (!grown || (size && !events)) {
        free(events);
        return;
    }
    l->command = grown;
    grown += l->count++;
    grown->is = *is;
    grown->is.events = events ? memcpy(events, is->events, size) : NULL;
    wt_call_stack_take(&grown->calls);
}

/* A command is about to be appended to a list; NULL: nobody wants to know. */
static struct ze_list *begin_append(word handle, struct drm_order_command *is)
{
    struct ze_list *l = wt_check_wants(WT_CHECK_RACE) ? list_of(handle) : NULL;
    is->queue = (void *)handle;
    if (l && l->in_order && !l->immediate)
        is->all = is->barrier = true;
    if (l && l->immediate)
        drm_order_enqueue(is);
    return l;
}

static int end_append(struct ze_list *l, const struct drm_order_command *is, int result)
{
    if (l && l->immediate)
        drm_order_enqueued(is, !result, NULL, l->waits);
    else if (l && !result)
        keep(l, is);
    return result;
}

/* A command of list `a` whose call is made by `call`; what kind of command it is, by members. */
#define APPEND(name, call, ...)                                                                    \
    struct drm_order_command command = {.by = #name, __VA_ARGS__};                                 \
    struct ze_list *const list = begin_append(a, &command);                                        \
    drm_waits_command(&command, __builtin_return_address(0));                                      \
    const int result = drm_ze_returned(#name, (call));                                             \
    if (result)                                                                                    \
        drm_waits_failed(&command, __builtin_return_address(0));                                   \
    return end_append(list, &command, result)
#define EVENTS(signal, number, list)                                                               \
    .signals = (void *)(signal), .count = (unsigned)(number), .events = (void *)(list)

#define COMMAND(count, name, signal, number, list, ...)                                            \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        if (!own)                                                                                  \
            return DRM_ZE_UNINITIALIZED;                                                           \
        APPEND(name, own(NAMES##count), EVENTS(signal, number, list), ##__VA_ARGS__);              \
    }

/* list, kernel, number of groups, … */
#define LAUNCH(name) COMMAND(6, name, d, e, f, .kernel = drm_ze_launching((void *)b))
LAUNCH(zeCommandListAppendLaunchKernel)
LAUNCH(zeCommandListAppendLaunchKernelIndirect)
LAUNCH(zeCommandListAppendLaunchCooperativeKernel)
COMMAND(8, zeCommandListAppendLaunchMultipleKernelsIndirect, f, g, h)

COMMAND(4, zeCommandListAppendBarrier, b, c, d, .all = true, .barrier = true)
COMMAND(7, zeCommandListAppendMemoryRangesBarrier, e, f, g, .all = true, .barrier = true)
COMMAND(3, zeCommandListAppendWaitOnEvents, 0, b, c, .barrier = true)
COMMAND(2, zeCommandListAppendSignalEvent, b, 0, 0, .all = true)
COMMAND(2, zeCommandListAppendEventReset, 0, 0, 0, .all = true, .resets = (void *)b)
COMMAND(5, zeCommandListAppendWriteGlobalTimestamp, c, d, e, .to = drm_memory_part((void *)b, 8))
COMMAND(8, zeCommandListAppendQueryKernelTimestamps, f, g, h)

COMMAND(6, zeCommandListAppendImageCopy, d, e, f, .to = drm_image_part((void *)b),
        .from = drm_image_part((void *)c))
COMMAND(8, zeCommandListAppendImageCopyRegion, f, g, h, .to = drm_image_part((void *)b),
        .from = drm_image_part((void *)c))
COMMAND(7, zeCommandListAppendImageCopyFromMemory, e, f, g, .to = drm_image_part((void *)b))
COMMAND(7, zeCommandListAppendImageCopyToMemory, e, f, g, .from = drm_image_part((void *)c))

/* ---- copies ---- */

/* A command that only has events. */
static int only_events(word list, word signal, word count, word events)
{
    int (*barrier)(WORDS4);
    *(void **)&barrier = next("zeCommandListAppendBarrier");
    return barrier(list, signal, count, events);
}

/* list, to, from, size, signal, waits for */
EXPORT int zeCommandListAppendMemoryCopy(WORDS7)
{
    static const char name[] = "zeCommandListAppendMemoryCopy";
    OWN(int, 7, zeCommandListAppendMemoryCopy)
    if (!own)
        return DRM_ZE_UNINITIALIZED;
    const uint64_t to = drm_memory_access((void *)b, d, WT_ACCESS_STORE, name),
                   from = drm_memory_access((void *)c, d, WT_ACCESS_LOAD, name),
                   part = to < from ? to : from;
    const bool nothing = !part && d;
    d = part;
    APPEND(zeCommandListAppendMemoryCopy, nothing ? only_events(a, e, f, g) : own(NAMES7),
           EVENTS(e, f, g), .to = drm_memory_part((void *)b, d),
           .from = drm_memory_part((void *)c, d));
}

/* list, to, context, from, size, signal, waits for */
COMMAND(8, zeCommandListAppendMemoryCopyFromContext, f, g, h, .to = drm_memory_part((void *)b, e),
        .from = drm_memory_part((void *)d, e))

struct ze_region { /* ze_copy_region_t: columns in bytes */
    uint32_t x, y, z, width, height, depth;
};

static struct drm_part box_of(word memory, const struct ze_region *r, word pitch, word slice)
{
    const uint32_t slices = r->depth ? r->depth : 1;
    const uint64_t offset = r->x + r->y * (uint64_t)pitch + r->z * (uint64_t)slice;
    struct drm_part box = drm_memory_part((void *)(memory + offset), r->width);
    box.rows = r->height;
    box.row_pitch = pitch;
    box.slices = slices;
    box.slice_pitch = slice;
    return box;
}

/* list, to, its region, pitches of row and slice, from, its region, pitches, signal, waits for */
COMMAND(12, zeCommandListAppendMemoryCopyRegion, j, k, l,
        .to = box_of(b, (const struct ze_region *)c, (uint32_t)d, (uint32_t)e),
        .from = box_of(f, (const struct ze_region *)g, (uint32_t)h, (uint32_t)i))

/* list, to, pattern, size of it, size, signal, waits for */
EXPORT int zeCommandListAppendMemoryFill(WORDS8)
{
    static const char name[] = "zeCommandListAppendMemoryFill";
    OWN(int, 8, zeCommandListAppendMemoryFill)
    if (!own)
        return DRM_ZE_UNINITIALIZED;
    const uint64_t part = drm_memory_access((void *)b, e, WT_ACCESS_STORE, name);
    const bool nothing = part < e && (!d || part < d);
    e = nothing ? 0 : part < e ? part / d * d : e;
    APPEND(zeCommandListAppendMemoryFill, nothing ? only_events(a, f, g, h) : own(NAMES8),
           EVENTS(f, g, h), .to = drm_memory_part((void *)b, e));
}

/* ---- queues and lists ---- */

enum { SYNCHRONOUS = 1, QUEUE_IN_ORDER = 1 << 1, LIST_IN_ORDER = 1 << 3 };

struct queue_desc {
    int type;
    const void *next;
    uint32_t ordinal, index, flags;
    int mode;
};

struct list_desc {
    int type;
    const void *next;
    uint32_t ordinal, flags;
};

/* context, device, description, queue */
EXPORT int zeCommandQueueCreate(WORDS4)
{
    OWN(int, 4, zeCommandQueueCreate)
    const int result =
        own ? drm_ze_returned("zeCommandQueueCreate", own(NAMES4)) : DRM_ZE_UNINITIALIZED;
    if (result || !wt_check_wants(WT_CHECK_RACE))
        return result;
    const word queue = *(word *)d;
    pthread_mutex_lock(&lock);
    uint64_t *waits = wt_map_add(&queues, queue);
    if (waits) /* also one at the address of an older one */
        *waits = ((const struct queue_desc *)c)->mode == SYNCHRONOUS;
    pthread_mutex_unlock(&lock);
    drm_order_queue((void *)queue, DRM_STARTS_IN_ORDER);
    return 0;
}

/* context, device, description, list */
EXPORT int zeCommandListCreate(WORDS4)
{
    OWN(int, 4, zeCommandListCreate)
    const int result =
        own ? drm_ze_returned("zeCommandListCreate", own(NAMES4)) : DRM_ZE_UNINITIALIZED;
    if (!result)
        note_list(*(word *)d, (struct ze_list){.in_order = ((const struct list_desc *)c)->flags &
                                                           LIST_IN_ORDER});
    return result;
}

/* context, device, description of a queue, list */
EXPORT int zeCommandListCreateImmediate(WORDS4)
{
    OWN(int, 4, zeCommandListCreateImmediate)
    const int result =
        own ? drm_ze_returned("zeCommandListCreateImmediate", own(NAMES4)) : DRM_ZE_UNINITIALIZED;
    const struct queue_desc *description = (const struct queue_desc *)c;
    if (result)
        return result;
    note_list(*(word *)d,
              (struct ze_list){.immediate = true, .waits = description->mode == SYNCHRONOUS});
    drm_order_queue(*(void **)d,
                    description->flags & QUEUE_IN_ORDER ? DRM_IN_ORDER : DRM_STARTS_IN_ORDER);
    return 0;
}

#define CLEARS(name)                                                                               \
    EXPORT int name(WORDS1)                                                                        \
    {                                                                                              \
        OWN(int, 1, name)                                                                          \
        const int result = own ? drm_ze_returned(#name, own(a)) : DRM_ZE_UNINITIALIZED;            \
        if (!result && wt_check_wants(WT_CHECK_RACE))                                              \
            clear(list_of(a));                                                                     \
        return result;                                                                             \
    }
CLEARS(zeCommandListReset)
CLEARS(zeCommandListDestroy)

/* Gives the commands of a list to a queue. */
static void enqueue(word queue, struct ze_list *l)
{
    for (size_t i = 0; l && i < l->count; i++) {
        struct drm_order_command *is = &l->command[i].is;
        is->queue = (void *)queue;
        is->calls = &l->command[i].calls;
        drm_order_enqueue(is);
    }
}

static void enqueued(const struct ze_list *l, bool good)
{
    for (size_t i = 0; l && i < l->count; i++)
        drm_order_enqueued(&l->command[i].is, good, NULL, false);
}

static bool waits(word queue)
{
    pthread_mutex_lock(&lock);
    const uint64_t *there = wt_map_find(&queues, queue);
    const bool so = there && *there;
    pthread_mutex_unlock(&lock);
    return so;
}

/* queue, how many lists, the lists, fence */
EXPORT int zeCommandQueueExecuteCommandLists(WORDS4)
{
    static const char name[] = "zeCommandQueueExecuteCommandLists";
    OWN(int, 4, zeCommandQueueExecuteCommandLists)
    if (!own)
        return DRM_ZE_UNINITIALIZED;
    const word *list = (const word *)c;
    const uint32_t count = c && wt_check_wants(WT_CHECK_RACE) ? (uint32_t)b : 0;
    struct drm_order_command end = {
        .queue = (void *)a, .by = name, .all = true, .signals = (void *)d};
    for (uint32_t i = 0; i < count; i++)
        enqueue(a, list_of(list[i]));
    if (d)
        drm_order_enqueue(&end);
    drm_waits_command(&end, __builtin_return_address(0));
    const int result = drm_ze_returned(name, own(NAMES4));
    if (result)
        drm_waits_failed(&end, __builtin_return_address(0));
    for (uint32_t i = 0; i < count; i++)
        enqueued(list_of(list[i]), !result);
    if (d)
        drm_order_enqueued(&end, !result, NULL, false);
    if (!result && count && waits(a))
        drm_order_finished((void *)a);
    return result;
}

/* ---- events, fences, waits ---- */

/* …, event or fence */
#define CREATES(name)                                                                              \
    EXPORT int name(WORDS3)                                                                        \
    {                                                                                              \
        OWN(int, 3, name)                                                                          \
        const int result = own ? drm_ze_returned(#name, own(NAMES3)) : DRM_ZE_UNINITIALIZED;       \
        if (!result) {                                                                             \
            drm_order_event(*(void **)c);                                                          \
            drm_waits_made(*(void **)c, DRM_WAITS_CALL(#name));                                    \
        }                                                                                          \
        return result;                                                                             \
    }
CREATES(zeEventCreate)
CREATES(zeFenceCreate)

/* Reports of standstills leave the event out from now on. */
EXPORT int zeEventDestroy(WORDS1)
{
    OWN(int, 1, zeEventDestroy)
    drm_waits_drop((void *)a);
    return own ? drm_ze_returned("zeEventDestroy", own(a)) : DRM_ZE_UNINITIALIZED;
}

/* Calls whose status says that something is done. */
#define TELLS(count, name, told, waits)                                                            \
    EXPORT int name(WORDS##count)                                                                  \
    {                                                                                              \
        OWN(int, count, name)                                                                      \
        DRM_WAITS((waits) ? #name : NULL, (void *)a);                                              \
        const int result = own ? drm_ze_returned(#name, own(NAMES##count)) : DRM_ZE_UNINITIALIZED; \
        if (!result)                                                                               \
            told;                                                                                  \
        return result;                                                                             \
    }
#define SEES(count, name, waits)                                                                   \
    TELLS(count, name, drm_order_waited(1, &(void *){(void *)a}), waits)
SEES(2, zeEventHostSynchronize, true)
SEES(1, zeEventQueryStatus, false)
SEES(2, zeEventQueryKernelTimestamp, false)
SEES(2, zeFenceHostSynchronize, true)
SEES(1, zeFenceQueryStatus, false)
TELLS(2, zeCommandQueueSynchronize, drm_order_finished((void *)a), true)
TELLS(2, zeCommandListHostSynchronize, drm_order_finished((void *)a), true)

static void reset(const void *event)
{
    drm_order_reset(event);
    drm_waits_set(event, false);
}
TELLS(1, zeEventHostReset, reset((void *)a), false)
TELLS(1, zeFenceReset, reset((void *)a), false)

/* Commands that wait for it may begin before the call is back. */
EXPORT int zeEventHostSignal(WORDS1)
{
    OWN(int, 1, zeEventHostSignal)
    if (!own)
        return DRM_ZE_UNINITIALIZED;
    drm_order_set((void *)a);
    drm_waits_set((void *)a, true);
    return drm_ze_returned("zeEventHostSignal", own(a));
}

EXPORT int zeCommandListClose(WORDS1)
{
    OWN(int, 1, zeCommandListClose)
    return own ? drm_ze_returned("zeCommandListClose", own(a)) : DRM_ZE_UNINITIALIZED;
}
