/* Non-stop: stops are announced one at a time (GDB manual, E.11 "Notification Packets"). */
#include "frontend/rsp/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The index of a thread, or the index at which to insert it, in the sorted list of threads that the
 * client knows to be stopped. */
static size_t known_position(const struct wt_rsp_session *s, wt_thread thread)
{
    WT_BISECT(low, s->known.count, s->known.thread[middle] < thread);
    return low;
}

bool wt_rsp_knows_stopped(const struct wt_rsp_session *s, wt_thread thread)
{
    const size_t at = known_position(s, thread);
    return at < s->known.count && s->known.thread[at] == thread;
}

/* False without host memory. */
bool wt_rsp_set_known(struct wt_rsp_session *s, wt_thread thread, bool stopped)
{
    if (!s->nonstop || wt_rsp_knows_stopped(s, thread) == stopped)
        return true;
    const size_t at = known_position(s, thread);
    wt_thread *list = s->known.thread;
    assert(at <= s->known.count && s->known.count <= s->known.capacity);
    if (!stopped) {
        memmove(list + at, list + at + 1, (--s->known.count - at) * sizeof *list);
        return true;
    }
    list = wt_array_grow(list, &s->known.capacity, s->known.count + 1, sizeof *list);
    if (!list)
        return false;
    s->known.thread = list;
    memmove(list + at + 1, list + at, (s->known.count++ - at) * sizeof *list);
    list[at] = thread;
    return true;
}

void wt_rsp_forget_known(struct wt_rsp_session *s)
{
    s->known.count = s->held_count = 0;
}

void wt_rsp_forget_notices(struct wt_rsp_session *s)
{
    s->notice_count = 0;
    s->notified = s->first_alone = false;
    wt_rsp_forget_known(s);
}

/* If memory runs out the connection is closed: a client that is not told of a stop would wait for
 * ever. */
void wt_rsp_push_notice(struct wt_rsp_session *s, const struct wt_event *event)
{
    struct wt_event *notices =
        wt_array_grow(s->notices, &s->notice_capacity, s->notice_count + 1, sizeof *notices);
    if (notices)
        s->notices = notices;
    if (!notices || !wt_rsp_set_known(s, event->thread, true)) {
        s->out.failed = true;
        return;
    }
    s->notices[s->notice_count++] = *event;
}

/* The client must be told of each thread that it takes for running, but of no other thread that
 * stopped merely because its wave did. */
void wt_rsp_note_stop(struct wt_rsp_session *s, const struct wt_event *event)
{
    bool known = event->kind == WT_EVENT_STOPPED && event->reason == WT_STOP_REQUESTED &&
                 wt_rsp_knows_stopped(s, event->thread);
    if (!known)
        wt_rsp_push_notice(s, event);
}

void wt_rsp_notify(struct wt_rsp_session *s)
{
    if (s->notified || s->notice_count == 0)
        return;
    wt_put_begin(&s->out, '%');
    wt_put_text(&s->out, "Stop:");
    wt_rsp_put_stop(s, &s->notices[0]);
    wt_put_end(&s->out);
    s->notified = true;
}

void wt_rsp_vstopped(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (s->notified && s->notice_count) {
        memmove(s->notices, s->notices + 1, --s->notice_count * sizeof *s->notices);
        s->notified = s->notice_count > 0 && !s->first_alone;
        s->first_alone = false;
        if (s->notified) {
            wt_rsp_put_stop(s, &s->notices[0]);
            return;
        }
    }
    wt_rsp_ok(s);
}

void wt_rsp_set_nonstop(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (args->arg[0].number > 1) {
        wt_rsp_refuse(s, WT_INVALID, "QNonStop takes 0 or 1");
        return;
    }
    bool nonstop = args->arg[0].number == 1;
    if (nonstop != s->nonstop && !wt_client_is_alone(s->client)) {
        wt_rsp_refuse(s, WT_STATE, "busy: another client is connected, and all use the same mode");
        return;
    }
    wt_rsp_forget_notices(s);
    s->nonstop = nonstop;
    wt_debugger_set_nonstop(s->debugger, nonstop);
    wt_rsp_ok(s);
}
