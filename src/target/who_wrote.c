/* Finds the last write to an address. It searches the recording, for programs without a
 * debugger. */
#include <assert.h>

#include "debug/core/writes.h"
#include "target/history.h"

/* Issues of one step of the search. */
#define BUDGET ((uint64_t)1 << 20)

/* Facts known only when the writer is about to write. */
static enum wt_status describe(struct wt_emulated *e, struct wt_last_write *last,
                               struct wt_error *err)
{
    const struct wt_write *w = &last->write;
    enum wt_status status;
    if ((status = wt_timeline_goto(e->timeline, w->time, err)) != WT_OK)
        return status;
    wt_machine_name_wave(e->machine, w->wave, last->place, sizeof last->place);
    last->has_item =
        e->family->run.work_item && e->family->run.work_item(e, w->wave, w->last.lane, last->item);
    return WT_OK;
}

enum wt_status wt_emulated_who_wrote(struct wt_emulated *e, uint64_t addr, uint64_t size,
                                     struct wt_last_write *last, struct wt_error *err)
{
    const struct wt_watchpoint range = {
        .kind = WT_WATCHPOINT_WRITE, .addr = wt_address_of(addr), .size = size};
    struct wt_writes writes;
    enum wt_history_step step;
    enum wt_status status;
    assert(e->timeline && size > 0);
    const uint64_t now = e->machine->time;
    if ((status = wt_writes_begin(&writes, wt_emulated_target(e), &range, 1, true, err)) != WT_OK)
        return status;
    while ((step = wt_writes_on(&writes, BUDGET, err)) == WT_HISTORY_ON)
        continue;
    *last = (struct wt_last_write){.total = writes.total};
    if (step == WT_HISTORY_FAILED)
        status = err->status;
    else if (writes.count) {
        last->write = writes.list[0];
        status = describe(e, last, err);
    }
    wt_writes_free(&writes);
    if (!status)
        status = wt_timeline_goto(e->timeline, now, err);
    return status;
}
