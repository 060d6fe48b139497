/* Reports the debugger's events to the client. */
#include "frontend/rsp/session.h"

#include <string.h>

/*
 * The lanes of a wave run together even if the client resumed only one of them, and GDB 13 fails an
 * assertion of its own if it is told of a thread that it did not resume. So an event of the wave is
 * reported for the lane that was resumed.
 */
static void name_resumed_thread(struct wt_rsp_session *s, struct wt_event *event)
{
    if (event->kind != WT_EVENT_STOPPED || !event->thread)
        return;
    wt_thread same_wave = 0;
    for (size_t i = 0; i < s->resumed_count; i++) {
        if (s->resumed[i] == event->thread)
            return;
        if (wt_rsp_same_wave(s, s->resumed[i], event->thread))
            same_wave = s->resumed[i];
    }
    if (same_wave)
        event->thread = same_wave;
}

/* Likewise in non-stop: a thread that the client takes for running. */
static void name_running_thread(struct wt_rsp_session *s, struct wt_event *event)
{
    struct wt_wave wave;
    if (event->kind != WT_EVENT_STOPPED || event->reason == WT_STOP_REQUESTED ||
        !wt_rsp_knows_stopped(s, event->thread) ||
        wt_debugger_thread_mode(s->debugger) != WT_THREADS_LANES ||
        !wt_debugger_thread_wave(s->debugger, event->thread, &wave))
        return;
    for (unsigned lane = 0; lane < wave.lanes; lane++) {
        const wt_thread thread = wt_debugger_thread_of_lane(s->debugger, event->thread, lane);
        if (thread && !wt_rsp_knows_stopped(s, thread)) {
            event->thread = thread;
            return;
        }
    }
}

/*
 * GDB cannot look at a program without threads. Where a host program stops while no kernel runs,
 * the program goes on to its next launch, and the stop is reported there.
 */
static bool put_off(struct wt_rsp_session *s, const struct wt_event *event)
{
    static const char text[] =
        "No kernel runs: the stop is before the first instruction of the next launch.\n";
    if (event->kind != WT_EVENT_STOPPED || event->thread || event->reason == WT_STOP_LOST ||
        !s->topology->host_launches || wt_client_begin_run(s->client, WT_IGNORED) ||
        wt_debugger_run_to_launch(s->debugger, WT_IGNORED))
        return false;
    if (!s->put_off)
        wt_rsp_session_output(s, text, strlen(text));
    if (!s->put_off || event->reason == WT_STOP_INTERRUPTED)
        s->put_off_for = event->reason;
    s->put_off = s->waiting = true;
    return true;
}

/* The stop at the launch, as what was put off. */
static void take_up(struct wt_rsp_session *s, struct wt_event *event)
{
    if (s->put_off && event->kind == WT_EVENT_STOPPED && event->reason == WT_STOP_STEP &&
        s->put_off_for == WT_STOP_INTERRUPTED)
        event->reason = WT_STOP_INTERRUPTED;
    s->put_off = false;
}

void wt_rsp_session_event(struct wt_rsp_session *s, const struct wt_event *what)
{
    struct wt_event event = *what;
    s->settling = false;
    /* GDB wants a thread in each stop: of a wave that has ended it is told in words. */
    if (event.kind == WT_EVENT_STOPPED && event.wave_ended && !event.thread)
        event.thread = wt_debugger_current_thread(s->debugger);
    if (event.kind == WT_EVENT_ARRIVED || event.kind == WT_EVENT_SEARCHED) {
        wt_rsp_forget_followed(s);
        if (s->errand.end)
            wt_rsp_end_errand(s, &event);
        return;
    }
    if (s->waiting && !s->nonstop && put_off(s, &event))
        return;
    take_up(s, &event);
    s->last = event;
    if (s->nonstop) {
        name_running_thread(s, &event);
        wt_rsp_note_held(s, &event);
        wt_rsp_note_stop(s, &event);
        return;
    }
    if (!s->waiting) {
        /* Another client's run has ended: state kept from an earlier stop is void. */
        wt_rsp_close_hits(s);
        wt_rsp_forget_followed(s);
        wt_rsp_forget_shown(s, 0);
        return;
    }
    wt_rsp_tell_notice(s);
    s->waiting = false;
    wt_rsp_tell_text(s, &event);
    name_resumed_thread(s, &event);
    s->seen = false;
    wt_rsp_note_hits(s, &event);
    wt_put_begin(&s->out, '$');
    /* All-stop has no requested stops; it reports instead that no resumed thread is left. */
    if (event.reason == WT_STOP_REQUESTED && event.kind == WT_EVENT_STOPPED && s->no_resumed)
        wt_put_char(&s->out, 'N');
    else
        wt_rsp_reply_stop(s, &event);
    wt_put_end(&s->out);
}

void wt_rsp_session_settle(struct wt_rsp_session *s)
{
    wt_rsp_tell_progress(s);
    if (s->nonstop)
        wt_rsp_notify(s);
    if (wt_debugger_running(s->debugger))
        return;
    if (s->lifting) {
        wt_rsp_remove_breakpoints(s, false);
        wt_rsp_undo_call(s);
    }
    s->lifting = s->settling = false;
    /* Nothing runs, and no event came: the threads that were resumed are gone. */
    if (s->waiting) {
        s->waiting = false;
        struct wt_event event = wt_rsp_standing(s);
        wt_put_begin(&s->out, '$');
        if (event.kind == WT_EVENT_STOPPED && s->no_resumed)
            wt_put_char(&s->out, 'N');
        else
            wt_rsp_reply_stop(s, &event);
        wt_put_end(&s->out);
    }
}

void wt_rsp_question(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (s->killed) {
        wt_put_text(&s->out, "W00");
        return;
    }
    if (!s->nonstop) {
        if (wt_debugger_running(s->debugger)) {
            wt_debugger_interrupt(s->debugger, WT_IGNORED);
            s->waiting = true;
            return;
        }
        struct wt_event event = wt_rsp_standing(s);
        if (put_off(s, &event))
            return;
        bool same = s->last.kind == event.kind && event.kind == WT_EVENT_STOPPED &&
                    wt_debugger_thread_alive(s->debugger, s->last.thread);
        if (same)
            event = s->last;
        wt_rsp_reply_stop(s, &event);
        return;
    }
    /* Non-stop: all stopped threads are reported, the first in this reply, the rest by vStopped. */
    struct wt_event event = wt_rsp_standing(s);
    s->notice_count = 0;
    s->notified = false;
    if (event.kind == WT_EVENT_EXITED) {
        wt_rsp_push_notice(s, &event);
    } else if (!wt_rsp_load_threads(s)) {
        wt_rsp_refuse(s, WT_IO, "the threads cannot be listed");
        return;
    } else {
        for (size_t i = 0; i < s->thread_count; i++) {
            struct wt_event standing = {
                .kind = WT_EVENT_STOPPED, .thread = s->threads[i].id, .reason = WT_STOP_REQUESTED};
            if (!s->threads[i].running)
                wt_rsp_push_notice(s, &standing);
        }
    }
    if (s->notice_count == 0) {
        wt_rsp_ok(s);
        return;
    }
    s->notified = true;
    /* GDB up to 15 fails an assertion of its own if this reply reports more than one
     * thread: remote_target::queued_stop_reply() marks an event handler although the
     * target is not asynchronous yet. The other threads are reported afterwards, as if
     * they had stopped just now. */
    s->first_alone = !s->error_message;
    wt_rsp_put_stop(s, &s->notices[0]);
}
