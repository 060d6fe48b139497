/*
 * Handles a device that does not answer, and one that answers again. Breakpoints and the chosen
 * thread and lane belong to the debugger and are kept; the device's state is read afresh before
 * anything else is done with it.
 */
#include "debug/core/lost.h"

#include <stdio.h>

#include "debug/core/dispatches.h"
#include "debug/core/events.h"
#include "debug/core/halt.h"
#include "debug/core/known.h"
#include "debug/core/patches.h"

/* The device did not answer: no wave counts as running, and the clients are told. */
void dbg_lose(struct wt_debugger *d, const struct wt_error *err)
{
    dbg_all_stopped(d);
    d->sets.active_known = false;
    d->run.lost = true;
    struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .reason = WT_STOP_LOST, .thread = d->threads.current};
    snprintf(event.text, sizeof event.text, "%.255s", err->text);
    dbg_push_event(d, &event);
}

enum wt_status dbg_regain(struct wt_debugger *d, struct wt_error *err)
{
    if (!d->run.lost)
        return WT_OK;
    bool was_reset = false;
    enum wt_status status = d->ops->reattach ? d->ops->reattach(d->probe, &was_reset, err) : WT_OK;
    if (was_reset) { /* a new run, whose threads are numbered anew */
        dbg_thread_table_clear(&d->threads.numbers);
        dbg_forget_dispatches(d);
    }
    if (!status)
        status = dbg_halt_everything(d, err);
    if (!status) {
        dbg_forget_all(d);
        status = dbg_verify_breakpoints(d, err);
    }
    /* A program that waits for its debugger may begin now: the device is halted. */
    if (!status && d->ops->start)
        status = d->ops->start(d->probe, err);
    d->run.lost = status != WT_OK;
    return status;
}
