/*
 * Who wrote there? The writes to a range of memory in the recorded run, found by searching it
 * backwards; the device stands after it where it stood before.
 */
#include <stdlib.h>

#include "debug/core/internal.h"
#include "debug/core/writes.h"

/* Issues between two looks at what the search has found. */
#define SLICE ((uint64_t)1 << 20)

/* Collects the newest writes, the latest first; *list goes to the caller. */
static enum wt_status collect(struct wt_debugger *d, const struct wt_watchpoint *range, size_t most,
                              struct wt_write **list, size_t *count, bool *more,
                              struct wt_error *err)
{
    struct wt_writes writes;
    enum wt_status status;
    if ((status = wt_writes_begin(&writes, d->target, range, most, false, err)) != WT_OK)
        return status;
    enum wt_history_step step;
    while ((step = wt_writes_on(&writes, SLICE, err)) == WT_HISTORY_ON)
        continue;
    if (step == WT_HISTORY_FAILED) {
        status = err->status;
    } else {
        *list = writes.list;
        *count = writes.count;
        *more = writes.more;
        writes.list = NULL;
        for (size_t i = 0; i < *count; i++) {
            struct wt_wave wave;
            d->ops->describe_wave(d->probe, (*list)[i].wave, &wave);
            (*list)[i].core = wave.core;
            (*list)[i].slot = wave.slot;
        }
    }
    wt_writes_free(&writes);
    return status;
}

enum wt_status wt_debugger_who_wrote(struct wt_debugger *d,
                                     const struct wt_watchpoint_request *where, size_t most,
                                     struct wt_write **list, size_t *count, bool *more,
                                     struct wt_error *err)
{
    struct wt_watchpoint range;
    struct wt_watchpoint_request request = *where;
    *list = NULL;
    *count = 0;
    *more = false;
    request.kind = WT_WATCHPOINT_WRITE;
    enum wt_status status = dbg_need_history(d, err);
    if (!status)
        status = dbg_resolve_watchpoint(d, &request, &range, err);
    if (status)
        return status;
    /* What is known of where the device is now: it will be there again. */
    const uint64_t now = d->target->services->time(d->target->context);
    const bool in_past = d->in_past;
    const size_t size = d->topology->waves * sizeof *d->wave;
    struct wave *waves = malloc(size);
    const wt_thread current = d->current;
    if (!waves) {
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for what was written");
    } else {
        memcpy(waves, d->wave, size);
        status = dbg_leave_present(d, err);
        if (!status)
            status = collect(d, &range, most ? most : 1, list, count, more, err);
        const enum wt_status back = in_past ? dbg_go(d, now, status ? WT_IGNORED : err)
                                            : dbg_to_present(d, status ? WT_IGNORED : err);
        status = status ? status : back;
        for (uint32_t w = 0; !back && w < d->topology->waves; w++) {
            d->wave[w].has_met = waves[w].has_met;
            d->wave[w].met = waves[w].met;
            d->wave[w].met_trap = waves[w].met_trap;
            d->wave[w].focus = waves[w].focus;
        }
        d->current = current;
    }
    free(waves);
    if (status) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}
