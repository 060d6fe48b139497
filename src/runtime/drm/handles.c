/* See handles.h. */
#include "runtime/drm/handles.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/drm/i915.h"
#include "runtime/drm/interposed.h"

/* ---- references ---- */

struct reference {
    const void *handle; /* NULL: the place is empty */
    uint64_t count;
};

/* The process's; the objects of the table that stand for handles have its address as their space.
 */
static struct {
    pthread_mutex_t lock;
    struct reference *place; /* a hash table, at most half full */
    size_t count, room;
    pid_t process; /* a child of fork() need not release what its parent has */
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t first_place(const void *handle)
{
    return (size_t)((uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (handles.room - 1);
}

/* Its place, or the empty one where it would be. */
static struct reference *place_of(const void *handle)
{
    size_t at = first_place(handle);
    while (handles.place[at].handle && handles.place[at].handle != handle)
        at = (at + 1) & (handles.room - 1);
    return &handles.place[at];
}

static bool make_room(void)
{
    const size_t old_room = handles.room;
    struct reference *old = handles.place;
    if (handles.count * 2 < old_room)
        return true;
    const size_t room = old_room ? 2 * old_room : 64;
    struct reference *larger = calloc(room, sizeof *larger);
    if (!larger)
        return false;
    handles.place = larger;
    handles.room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i].handle)
            *place_of(old[i].handle) = old[i];
    free(old);
    return true;
}

/* Takes a place out; those behind it move up. */
static void take_out(struct reference *gone)
{
    handles.count--;
    gone->handle = NULL;
    for (size_t at = (size_t)(gone - handles.place);;) {
        at = (at + 1) & (handles.room - 1);
        struct reference moved = handles.place[at];
        if (!moved.handle)
            return;
        handles.place[at].handle = NULL;
        *place_of(moved.handle) = moved;
    }
}

enum { MADE = 0 };

/* Changes the count of a handle that is known; MADE: makes it known. Returns whether it has come or
 * gone. */
static bool change(const void *handle, int by)
{
    bool changed = false;
    pthread_mutex_lock(&handles.lock);
    if (handles.process != getpid()) {
        handles.process = getpid();
        free(handles.place);
        handles.place = NULL;
        handles.count = handles.room = 0;
    }
    struct reference *r = make_room() ? place_of(handle) : NULL;
    if (r && by == MADE) {
        handles.count += !r->handle;
        *r = (struct reference){handle, 1};
        changed = true;
    } else if (r && r->handle) {
        r->count += (uint64_t)(int64_t)by;
        changed = !r->count;
        if (changed)
            take_out(r);
    }
    pthread_mutex_unlock(&handles.lock);
    return changed;
}

void drm_handle_made(const void *handle, uint64_t size, const char *by)
{
    if (handle && wt_checks_wanted() && change(handle, MADE))
        wt_object_made(&handles, (uintptr_t)handle, size, by);
}

void drm_handle_retained(const void *handle)
{
    if (handle && wt_checks_wanted())
        change(handle, 1);
}

void drm_handle_released(const void *handle, const char *by)
{
    if (handle && wt_checks_wanted() && change(handle, -1))
        wt_object_freed(&handles, (uintptr_t)handle, by);
}

bool drm_handle_find(const void *handle, struct wt_object *object)
{
    struct wt_object before, behind;
    return wt_checks_wanted() &&
           wt_object_find(&handles, (uintptr_t)handle, object, &before, &behind) &&
           !object->freed && object->addr == (uintptr_t)handle;
}

static bool is_leak(const struct wt_object *object)
{
    return object->space == &handles;
}

void drm_handles_report(void)
{
    if (handles.process == getpid())
        wt_checked_leaks(is_leak);
}

/* ---- memory ---- */

static bool is_checked(void)
{
    return wt_check_wants(WT_CHECK_MEMORY) && drm_has_one_gpu() && wt_i915_asked_of();
}

/* Of 48 bits, as messages have it; the runtimes' addresses are canonical. */
static uint64_t address_of(const void *memory)
{
    return (uintptr_t)memory & ((UINT64_C(1) << 48) - 1);
}

void drm_memory_made(const void *memory, uint64_t size, const char *by)
{
    if (!memory || !size)
        return;
    drm_handle_made(memory, size, by);
    if (is_checked())
        wt_object_made(wt_i915_asked_of(), address_of(memory), size, by);
}

enum drm_freed drm_memory_freed(const void *memory, const char *by)
{
    const bool checked = memory && is_checked();
    if (checked && !wt_checked_free(wt_i915_asked_of(), address_of(memory), by))
        return DRM_MISTAKE;
    drm_handle_released(memory, by);
    return checked ? DRM_KEEP : DRM_FREE;
}

void drm_memory_keep(const void *memory, wt_object_release_fn *release, void *context)
{
    struct wt_object object, before, behind;
    if (wt_object_find(wt_i915_asked_of(), address_of(memory), &object, &before, &behind))
        wt_object_keep(address_of(memory), object.size, release, context);
    else
        release(context, (uintptr_t)memory);
}

uint64_t drm_memory_access(const void *memory, uint64_t size, enum wt_access access, const char *by)
{
    struct wt_object object, before, behind;
    if (!is_checked() ||
        !wt_object_find(wt_i915_asked_of(), address_of(memory), &object, &before, &behind))
        return size;
    return wt_checked_access(wt_i915_asked_of(), address_of(memory), size, access, by);
}

/* ---- local memory ---- */

/* A local argument. */
struct local {
    const void *kernel;
    unsigned index;
    size_t size;
};

static struct {
    pthread_mutex_t lock;
    struct local *list;
    size_t count, room;
} locals = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Without host memory less is known. */
void drm_local_argument(const void *kernel, unsigned index, size_t size)
{
    size_t i = 0;
    pthread_mutex_lock(&locals.lock);
    while (i < locals.count && (locals.list[i].kernel != kernel || locals.list[i].index != index))
        i++;
    struct local *grown =
        wt_array_grow(locals.list, &locals.room, locals.count + 1, sizeof *locals.list);
    if (grown)
        locals.list = grown;
    if (grown && (size || i < locals.count)) {
        grown[i] = (struct local){kernel, index, size};
        locals.count += i == locals.count;
    }
    pthread_mutex_unlock(&locals.lock);
}

void drm_local_forget(const void *kernel)
{
    pthread_mutex_lock(&locals.lock);
    for (size_t i = locals.count; i-- > 0;)
        if (locals.list[i].kernel == kernel)
            locals.list[i] = locals.list[--locals.count];
    pthread_mutex_unlock(&locals.lock);
}

/* Each argument is aligned to the largest type: how much lies between them is not told. */
uint64_t drm_local_bytes(const void *kernel, uint64_t size)
{
    enum { LARGEST = 128 };
    pthread_mutex_lock(&locals.lock);
    for (size_t i = 0; i < locals.count; i++)
        if (locals.list[i].kernel == kernel && locals.list[i].size)
            size = (size + LARGEST - 1) / LARGEST * LARGEST + locals.list[i].size;
    pthread_mutex_unlock(&locals.lock);
    return size;
}

void drm_call_failed(const char *by, const char *status, int number)
{
    if (status)
        wt_checked_call(WT_FOUND_FAILED_CALL, WT_NOTE, NULL, "%s: %s (%d)", by, status, number);
    else
        wt_checked_call(WT_FOUND_FAILED_CALL, WT_NOTE, NULL, "%s: error 0x%x", by,
                        (unsigned)number);
}
