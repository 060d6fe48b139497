/* Calls of the program, and which of them wrote what to a device's memory, for a debugger. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/machine.h"
#include "runtime/vortex/internal.h"

/* Of a device: when there are more, the older half goes. */
#define MOST_WRITES 65536

static atomic_uint_fast64_t calls; /* so far */
static atomic_bool kept;           /* somebody wants to know: those from now on have their stacks */
static _Thread_local struct call current;

void call_begin(const char *name)
{
    current.name = name;
    current.number = atomic_fetch_add(&calls, 1) + 1;
    current.calls.depth = 0;
}

void call_take(struct call *call)
{
    if (atomic_load(&kept) && !current.calls.depth)
        wt_call_stack_take(&current.calls);
    *call = current;
}

void call_resume(const struct call *call)
{
    current = *call;
}

static void make_room(struct host_writes *w)
{
    const size_t gone = MOST_WRITES / 2;
    if (w->count < MOST_WRITES)
        return;
    memmove(w->list, w->list + gone, (w->count - gone) * sizeof *w->list);
    w->count -= gone;
    w->lost = true;
}

void writes_note(struct gpu *g, uint64_t addr, uint64_t size)
{
    struct host_writes *w = &g->writes;
    struct call by;
    atomic_store(&kept, true);
    call_take(&by);
    make_room(w);
    struct wt_host_write *grown = wt_array_grow(w->list, &w->room, w->count + 1, sizeof *grown);
    if (!grown) {
        w->lost = true;
        return;
    }
    w->list = grown;
    struct wt_host_write *one = &grown[w->count++];
    *one = (struct wt_host_write){.time = g->machine->time,
                                  .addr = addr,
                                  .size = size,
                                  .call = by.number,
                                  .depth = by.calls.depth};
    snprintf(one->by, sizeof one->by, "%s", by.name ? by.name : "");
    for (unsigned i = 0; i < by.calls.depth; i++)
        one->calls[i] = (uintptr_t)by.calls.address[i];
}

size_t writes_list(const struct gpu *g, const struct wt_wire_request *r,
                   const struct vortex_wire_writes *asked, struct wt_host_write *list, bool *more)
{
    const struct host_writes *w = &g->writes;
    const size_t most = r->size / sizeof *list;
    size_t count = 0;
    *more = w->lost;
    for (size_t i = w->count; i-- > 0;) {
        const struct wt_host_write *one = &w->list[i];
        if (one->time > asked->until ||
            (one->addr - r->addr >= asked->size && r->addr - one->addr >= one->size))
            continue;
        if (count == most) {
            *more = true;
            break;
        }
        list[count++] = *one;
    }
    return count;
}
