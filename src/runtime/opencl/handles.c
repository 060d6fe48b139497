/* See handles.h. */
#include "runtime/opencl/handles.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fork_lock.h"
#include "base/map.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/interposed.h"

/* ---- references ---- */

/* The process's; the objects of the table that stand for handles have its address as their space.
 */
static struct {
    pthread_mutex_t lock;
    struct wt_map references; /* references of each handle */
    pid_t process;            /* a child of fork() need not release what its parent has */
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

WT_LOCK_OVER_FORKS(handles, handles.lock)

enum { MADE = 0, KIND_BITS = 62 }; /* the kind is beside the references */
static const uint64_t REFERENCES = (UINT64_C(1) << KIND_BITS) - 1;

static enum drm_handle_kind kind_of(uint64_t count)
{
    return (enum drm_handle_kind)(count >> KIND_BITS);
}

static enum drm_handle_kind kind_made_by(const char *by)
{
    static const struct {
        const char *begin;
        enum drm_handle_kind kind;
    } makers[] = {{"clCreateCommandQueue", DRM_QUEUE},
                  {"clCreateKernel", DRM_KERNEL},
                  {"clCloneKernel", DRM_KERNEL},
                  {"clCreateContext", DRM_SHARED},
                  {"clCreateSampler", DRM_SHARED}};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(by, makers[i].begin, strlen(makers[i].begin)) == 0)
            return makers[i].kind;
    return DRM_OBJECT;
}

/* Changes the count of a handle that is known; MADE: makes it known, of this kind. Returns whether
 * it has come or gone, and is the program's to release. What has gone is known until there is
 * another one at the address. */
static bool change(const void *handle, int by, enum drm_handle_kind kind)
{
    bool changed = false;
    pthread_mutex_lock(&handles.lock);
    if (handles.process != getpid()) {
        handles.process = getpid();
        wt_map_free(&handles.references);
    }
    const uint64_t key = (uintptr_t)handle;
    uint64_t *count =
        by == MADE ? wt_map_add(&handles.references, key) : wt_map_find(&handles.references, key);
    if (count && by == MADE) {
        *count = 1 | (uint64_t)kind << KIND_BITS;
        changed = true;
    } else if (count && (*count & REFERENCES || (by > 0 && kind_of(*count) == DRM_SHARED))) {
        *count += (uint64_t)(int64_t)by;
        changed = !(*count & REFERENCES);
    }
    changed = changed && kind_of(*count) <= DRM_QUEUE;
    pthread_mutex_unlock(&handles.lock);
    return changed;
}

void drm_handle_made(const void *handle, uint64_t size, const char *by)
{
    if (handle && wt_checks_wanted() && change(handle, MADE, kind_made_by(by)))
        wt_object_made(&handles, (uintptr_t)handle, size, by);
}

void drm_handle_retained(const void *handle)
{
    if (handle && wt_checks_wanted())
        change(handle, 1, DRM_ANY);
}

void drm_handle_released(const void *handle, const char *by)
{
    if (handle && wt_checks_wanted() && change(handle, -1, DRM_ANY))
        wt_object_freed(&handles, (uintptr_t)handle, by);
}

bool drm_handle_find(const void *handle, struct wt_object *object)
{
    return wt_checks_wanted() && wt_object_find(&handles, (uintptr_t)handle, object, NULL, NULL) &&
           !object->freed && object->addr == (uintptr_t)handle;
}

bool drm_handle_gone(const void *handle, enum drm_handle_kind kind)
{
    if (!handle || !wt_checks_wanted())
        return false;
    pthread_mutex_lock(&handles.lock);
    const uint64_t *count = wt_map_find(&handles.references, (uintptr_t)handle);
    const bool gone =
        count && !(*count & REFERENCES) && (kind == DRM_ANY || kind_of(*count) == kind);
    pthread_mutex_unlock(&handles.lock);
    return gone;
}

static bool is_leak(const struct wt_object *object)
{
    return object->space == &handles;
}

void drm_handles_report(void)
{
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

enum { PAGE = 4096 };

uint64_t drm_memory_asked(uint64_t size, bool of_host)
{
    const bool whole = of_host && wt_check_wants(WT_CHECK_INIT) && size <= UINT64_MAX - PAGE;
    return whole ? (size + PAGE - 1) / PAGE * PAGE : size;
}

/* New memory has nothing of what was there before, so that init knows what the host writes. */
static void empty(const void *memory, uint64_t size)
{
    const uintptr_t first = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE,
                    end = ((uintptr_t)memory + drm_memory_asked(size, true)) / PAGE * PAGE;
    if (first < end)
        madvise((void *)first, end - first, MADV_DONTNEED);
}

void drm_memory_made(const void *memory, uint64_t size, const char *by, bool of_host)
{
    if (!memory || !size)
        return;
    if (of_host && wt_check_wants(WT_CHECK_INIT))
        empty(memory, size);
    drm_handle_made(memory, size, by);
    if (is_checked())
        wt_object_made(wt_i915_asked_of(), address_of(memory), size, by);
    if (of_host)
        drm_order_shared(address_of(memory), size, true);
}

enum drm_freed drm_memory_freed(const void *memory, const char *by)
{
    const bool checked = memory && is_checked();
    if (checked && !wt_checked_free(wt_i915_asked_of(), address_of(memory), by))
        return DRM_MISTAKE;
    drm_handle_released(memory, by);
    if (memory)
        drm_order_unshared(address_of(memory));
    return checked ? DRM_KEEP : DRM_FREE;
}

void drm_memory_keep(const void *memory, wt_object_release_fn *release, void *context)
{
    struct wt_object object;
    if (wt_object_find(wt_i915_asked_of(), address_of(memory), &object, NULL, NULL))
        wt_object_keep(address_of(memory), object.size, release, context);
    else
        release(context, (uintptr_t)memory);
}

uint64_t drm_memory_access(const void *memory, uint64_t size, enum wt_access access, const char *by)
{
    struct wt_object object;
    if (!is_checked() ||
        !wt_object_find(wt_i915_asked_of(), address_of(memory), &object, NULL, NULL))
        return size;
    return wt_checked_access(wt_i915_asked_of(), address_of(memory), size, access, by);
}

struct drm_part drm_memory_part(const void *memory, uint64_t size)
{
    struct wt_object object;
    const bool known =
        is_checked() && wt_object_find(wt_i915_asked_of(), address_of(memory), &object, NULL, NULL);
    return (struct drm_part){.offset = address_of(memory), .size = known ? size : 0};
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

WT_LOCK_OVER_FORKS(locals, locals.lock)

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
        wt_checked_call(WT_FOUND_FAILED_CALL, NULL, "%s: %s (%d)", by, status, number);
    else
        wt_checked_call(WT_FOUND_FAILED_CALL, NULL, "%s: error 0x%x", by, (unsigned)number);
}
