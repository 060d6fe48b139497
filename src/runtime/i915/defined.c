/* See defined.h. A buffer has no address until a kernel uses it. Writes before that are listed
 * under the number of its object. */
#include "runtime/i915/defined.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "check/init.h"
#include "runtime/common/checked.h"

/* A part of memory. */
struct defined_part {
    struct drm_part is;
    struct drm_place at;
    const char *by; /* the function that gets it */
    struct wt_call_stack calls;
};

struct defined_parts {
    struct defined_part *list;
    size_t count, room;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const void *space; /* of addresses: the opening of the driver; NULL: no object has one */
static struct defined_parts written; /* written of objects without an address */
static struct defined_parts reads;   /* that have not been waited for */

static bool begins(void)
{
    return wt_check_wants(WT_CHECK_INIT) && !pthread_mutex_lock(&lock);
}

static void ends(void)
{
    pthread_mutex_unlock(&lock);
}

/* Without host memory less is known. */
static void add(struct defined_parts *p, const struct defined_part *one)
{
    struct defined_part *grown = wt_array_grow(p->list, &p->room, p->count + 1, sizeof *grown);
    if (!grown)
        return;
    p->list = grown;
    grown[p->count++] = *one;
}

/* Hands each row of a part to @p fn, where it is now. */
static void each_row(const struct defined_part *p, uint64_t base, bool gets)
{
    const struct drm_part *a = &p->is;
    struct wt_init_read read = {.size = 0};
    if (gets)
        wt_check_init_read_begins(&read);
    for (uint64_t slice = 0; slice < (a->slices ? a->slices : 1); slice++)
        for (uint64_t row = 0; row < (a->rows ? a->rows : 1); row++) {
            const uint64_t at = base + p->at.offset + slice * a->slice_pitch + row * a->row_pitch;
            if (gets)
                wt_check_init_got(&read, space, at, a->size, p->by, &p->calls);
            else
                wt_check_init_filled(space, at, a->size);
        }
    if (gets)
        wt_check_init_read_ended(&read);
}

static void write_part(const struct drm_part *a)
{
    struct defined_part one = {.is = *a};
    if (!a->size || !drm_buffer_find(a, &one.at))
        return;
    if (one.at.object && !one.at.address)
        add(&written, &one);
    else if (space)
        each_row(&one, one.at.address, false);
}

/* A part that no kernel has used has no address: nothing is computed there. */
static void judge(const struct defined_part *p)
{
    struct drm_place now;
    if (drm_buffer_find(&p->is, &now) && (now.address || !now.object))
        each_row(p, now.address, true);
}

void drm_defined_buffer(const void *buffer, uint64_t size)
{
    const struct drm_part all = {.buffer = buffer, .size = size};
    if (!begins())
        return;
    write_part(&all);
    ends();
}

void drm_defined_placed(const void *file, uint32_t number, uint64_t address)
{
    size_t kept = 0;
    if (!begins())
        return;
    const uint64_t object = drm_buffer_object(file, number);
    space = file;
    for (size_t i = 0; i < written.count; i++)
        if (written.list[i].at.object != object)
            written.list[kept++] = written.list[i];
        else if (address)
            each_row(&written.list[i], address, false);
    written.count = kept;
    ends();
}

void drm_defined_waited(void)
{
    if (!begins())
        return;
    for (size_t i = 0; i < reads.count; i++)
        judge(&reads.list[i]);
    reads.count = 0;
    ends();
}

void drm_defined_command(const struct drm_part *from, const struct drm_part *to, const char *by,
                         const struct wt_call_stack *calls, bool waits)
{
    if (waits)
        drm_defined_waited();
    if (from->is_image || to->is_image || !begins())
        return;
    struct defined_part one = {.is = *from, .by = by};
    if (from->size && !to->size && drm_buffer_find(from, &one.at)) {
        if (calls)
            one.calls = *calls;
        else
            wt_call_stack_take(&one.calls);
        if (waits)
            judge(&one);
        else
            add(&reads, &one);
    }
    if (!from->size)
        write_part(to);
    ends();
}
