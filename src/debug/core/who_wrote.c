/*
 * Finds who wrote to a range of memory: searches the recorded run backwards for the writes. The
 * device is afterwards where it was before. errand.c does the search.
 */
#include "debug/core/state.h"

#include <assert.h>

#include "debug/core/errand.h"
#include "debug/core/events.h"

/* Runs a replay to its end, without clients. The last event of the queue tells how it ended. */
static enum wt_status finish(struct wt_debugger *d, struct wt_error *err)
{
    while (d->errand.kind != ERRAND_NONE)
        dbg_run_errand(d);
    assert(dbg_has_event(d));
    const struct wt_event event = d->events.list[--d->events.count];
    return event.reason == WT_STOP_LOST ? wt_fail(err, WT_IO, "%s", event.text) : WT_OK;
}

enum wt_status wt_debugger_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    enum wt_status status = wt_debugger_begin_goto(d, time, err);
    return status ? status : finish(d, err);
}
