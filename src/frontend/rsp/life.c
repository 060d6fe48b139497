/* Starting and ending the program: vRun, vAttach, R, k, vKill, D. */
#include "frontend/rsp/session.h"

/* Starts the program afresh; replies with an error if that fails. */
static bool restart(struct wt_rsp_session *s)
{
    struct wt_error err = {0};
    wt_rsp_forget_call(s);
    if (s->options->kill) {
        wt_rsp_refuse(s, WT_UNSUPPORTED,
                      "the program is a process of its own: start it again where "
                      "it was started");
        return false;
    }
    if (wt_debugger_restart(s->debugger, &err)) {
        wt_rsp_error(s, &err);
        return false;
    }
    s->killed = s->detached = false;
    s->general = s->control = 0;
    wt_rsp_forget_shown(s, 0);
    wt_rsp_forget_followed(s);
    wt_rsp_close_hits(s);
    wt_rsp_see_stop(s);
    s->mark_count = 0;
    s->notice_count = 0;
    s->notified = false;
    s->last = wt_rsp_standing(s);
    return true;
}

void wt_rsp_extend(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    s->extended = true;
    wt_rsp_ok(s);
}

void wt_rsp_vrun(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (!restart(s))
        return;
    if (s->nonstop) {
        /* The thread list is new: what the client knows of threads is void. */
        wt_rsp_forget_known(s);
        wt_rsp_set_known(s, s->last.thread, true);
    }
    wt_rsp_reply_stop(s, &s->last);
}

void wt_rsp_R(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    restart(s);
    wt_put_restart(&s->out);
}

/*
 * A client attaches to a program that has ended, to inspect what it left. The program is shown as
 * it was before its last instruction: GDB 13 fails an assertion of its own (inferior_thread) if
 * vAttach is answered with an exit.
 */
static bool go_before_end(struct wt_rsp_session *s)
{
    struct wt_debugger_time time;
    struct wt_error err = {0};
    enum wt_status status = wt_debugger_time(s->debugger, &time, &err);
    if (!status && time.end > time.start)
        status = wt_debugger_goto(s->debugger, time.end - 1, &err);
    if (!status && !wt_debugger_ended(s->debugger, NULL)) {
        wt_rsp_close_hits(s);
        wt_rsp_forget_shown(s, 0);
        s->last = wt_rsp_standing(s);
        return true;
    }
    if (status)
        wt_rsp_refuse(s, WT_STATE, "the program has ended: use 'run' to start it again (%s)",
                      err.text);
    else
        wt_rsp_refuse(s, WT_STATE, "the program has ended: use 'run' to start it again");
    return false;
}

void wt_rsp_vattach(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (args->arg[0].number != WT_RSP_PROCESS) {
        wt_rsp_refuse(s, WT_INVALID, "the only process here is %d", WT_RSP_PROCESS);
        return;
    }
    if (s->killed && !restart(s))
        return;
    if (wt_debugger_ended(s->debugger, NULL) && !go_before_end(s))
        return;
    s->detached = false;
    if (s->nonstop)
        wt_rsp_ok(s);
    else
        wt_rsp_question(s, args);
}

static void halt_for_good(struct wt_rsp_session *s)
{
    if (wt_debugger_running(s->debugger) && !wt_client_is_waiting(s->client))
        wt_debugger_interrupt(s->debugger, WT_IGNORED);
    s->notice_count = 0;
    s->notified = false;
    wt_rsp_forget_known(s);
    s->killed = true;
    s->waiting = false;
    if (s->options->kill)
        s->options->kill(s->options->context);
}

void wt_rsp_kill(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    halt_for_good(s);
    /* "k" has no reply, and the client is disconnected unless it sent "!". LLDB waits for the end
     * of the program by the signal SIGKILL. */
    s->closing = !s->extended;
    if (s->lldb) {
        wt_put_text(&s->out, "X09");
        return;
    }
    if (s->extended)
        wt_rsp_ok(s);
}

void wt_rsp_vkill(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (args->arg[0].number != WT_RSP_PROCESS) {
        wt_rsp_refuse(s, WT_INVALID, "the only process here is %d", WT_RSP_PROCESS);
        return;
    }
    halt_for_good(s);
    wt_rsp_ok(s);
}

void wt_rsp_detach(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (args->count && args->arg[0].number != WT_RSP_PROCESS) {
        wt_rsp_refuse(s, WT_INVALID, "the only process here is %d", WT_RSP_PROCESS);
        return;
    }
    wt_rsp_remove_breakpoints(s, false);
    if (!wt_client_is_alone(s->client)) {
        /* Other clients continue with the program as it is. */
        s->closing = !s->extended;
        wt_rsp_ok(s);
        return;
    }
    wt_debugger_set_nonstop(s->debugger, false);
    /* The program that goes on without a debugger is the present one, not its past. */
    struct wt_debugger_time time;
    if (wt_debugger_time(s->debugger, &time, WT_IGNORED) == WT_OK && time.in_past)
        wt_debugger_goto(s->debugger, time.end, WT_IGNORED);
    wt_rsp_undo_call(s);
    if (!s->killed && !wt_debugger_ended(s->debugger, NULL)) {
        struct wt_error err = {0};
        struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
        if (wt_debugger_run(s->debugger, WT_FORWARDS, &all, 1, &err)) {
            wt_rsp_error(s, &err);
            return;
        }
        s->detached = true;
    }
    /* No client is left to be told of events. */
    s->nonstop = false;
    s->closing = !s->extended;
    wt_rsp_ok(s);
}
