/* Queues of events for clients, in the order in which they happened, and notices for the user. */
#include "debug/core/events.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"

/* Notes for the user that the beginning of the recorded run has been forgotten, if it has. */
static void note_history(struct wt_debugger *d)
{
    struct wt_history_stats stats = {.lost = 0};
    uint64_t start, end;
    if (!dbg_history(d))
        return;
    dbg_history(d)->extent(d->target->context, &start, &end);
    if (start > d->history.start) /* or another recording has begun */
        dbg_history(d)->stats(d->target->context, &stats);
    if (stats.lost > d->history.start)
        snprintf(d->notice[NOTICE_LOST_PAST], sizeof d->notice[0],
                 "The recorded run begins at issue time %" PRIu64
                 " now: what was before it is lost, since the log of what was done through the "
                 "debug hardware has outgrown its part of the memory for it (--history-memory).\n",
                 start);
    d->history.start = start;
}

bool wt_debugger_take_notice(struct wt_debugger *d, char *text, size_t size)
{
    for (size_t i = 0; i < NOTICES; i++) {
        if (!d->notice[i][0])
            continue;
        snprintf(text, size, "%s", d->notice[i]);
        d->notice[i][0] = 0;
        return true;
    }
    return false;
}

bool dbg_reserve_events(struct wt_debugger *d, size_t count)
{
    struct wt_event *more = wt_array_grow(d->events.list, &d->events.capacity, count, sizeof *more);
    if (more)
        d->events.list = more;
    return more != NULL;
}

void dbg_push_event(struct wt_debugger *d, const struct wt_event *event)
{
    note_history(d);
    if (d->events.first == d->events.count)
        d->events.first = d->events.count = 0;
    if (dbg_reserve_events(d, d->events.count + 1)) {
        d->events.list[d->events.count++] = *event;
        return;
    }
    assert(d->events.count > d->events.first); /* room for one is kept from the beginning */
    struct wt_event *last = &d->events.list[d->events.count - 1];
    /* The event of the program's end makes all stops before it unnecessary. */
    if (event->kind == WT_EVENT_EXITED)
        *last = *event;
    if (last->kind == WT_EVENT_EXITED)
        return;
    /* Clients that wait must not wait for ever: the last stop in the queue reports that others were
     * lost. */
    *last =
        (struct wt_event){.kind = WT_EVENT_STOPPED, .reason = WT_STOP_LOST, .thread = last->thread};
    snprintf(last->text, sizeof last->text,
             "out of memory: threads have stopped without being reported");
}

void dbg_lose_news(struct wt_debugger *d)
{
    snprintf(d->notice[NOTICE_LOST_NEWS], sizeof d->notice[0],
             "Out of memory: kernels, waves or code have come or gone without being reported.\n");
}

void dbg_push_news(struct wt_debugger *d, const struct wt_probe_event *event)
{
    struct news *n = &d->news;
    if (n->next == n->count)
        n->next = n->count = 0;
    struct wt_probe_event *more = wt_array_grow(n->list, &n->capacity, n->count + 1, sizeof *more);
    if (!more) {
        dbg_lose_news(d);
        return;
    }
    n->list = more;
    n->list[n->count++] = *event;
}

bool wt_debugger_next_news(struct wt_debugger *d, struct wt_probe_event *event)
{
    struct news *n = &d->news;
    if (n->next == n->count)
        return false;
    *event = n->list[n->next++];
    return true;
}

bool dbg_has_event(const struct wt_debugger *d)
{
    return d->events.first < d->events.count;
}

bool dbg_is_over(const struct wt_debugger *d)
{
    return !d->run.nonstop && (dbg_has_event(d) || d->run.stopping.on);
}

struct wt_event wt_debugger_next_event(struct wt_debugger *d)
{
    if (!dbg_has_event(d))
        return (struct wt_event){.kind = WT_EVENT_NONE};
    return d->events.list[d->events.first++];
}
