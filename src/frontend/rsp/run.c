/* Resuming threads: vCont, the older packets, and backwards execution. */
#include "frontend/rsp/session.h"

#include <stdlib.h>

#include "base/array.h"

/* Notes which threads the client takes for running. */
static bool note_resumed(struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    s->resumed_count = 0;
    if (count == 0)
        return true;
    wt_thread *resumed = wt_array_grow(s->resumed, &s->resumed_capacity, count, sizeof *resumed);
    if (!resumed)
        return false;
    s->resumed = resumed;
    for (size_t i = 0; i < count; i++)
        if (!list[i].thread)
            return true;
    for (size_t i = 0; i < count; i++)
        s->resumed[s->resumed_count++] = list[i].thread;
    return true;
}

void wt_rsp_vcont_query(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_put_text(&s->out, "vCont;c;C;s;S;t;r");
}

/* A step that has already been done is reported at once. */
static void tell_step(struct wt_rsp_session *s, wt_thread thread)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_STEP, .thread = thread};
    if (s->nonstop) {
        wt_rsp_ok(s);
        wt_rsp_note_held(s, &event);
        wt_rsp_push_notice(s, &event);
    } else {
        wt_rsp_reply_stop(s, &event);
    }
}

/* A client that resumes all threads while another client's run is under way waits for that run's
 * end, too. */
static bool joins_run(const struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    return !s->nonstop && wt_client_is_waiting(s->client) && count == 1 &&
           list[0].kind == WT_RESUME_CONTINUE && list[0].thread == 0;
}

/* Resumes threads, and owes a stop reply (all-stop) or replies OK (non-stop). */
static void go(struct wt_rsp_session *s, struct wt_resume *list, size_t count)
{
    struct wt_error err = {0};
    if (s->killed || wt_debugger_ended(s->debugger, NULL)) {
        wt_rsp_refuse(s, WT_STATE, "the program is not running: use 'run' to start it again");
        return;
    }
    if (wt_rsp_next_hit(s, list, count))
        return;
    s->backwards = false;
    if (s->nonstop && count && !(count = wt_rsp_hold(s, list, count))) {
        wt_rsp_ok(s);
        return;
    }
    const bool steps = count && (list[0].kind == WT_RESUME_STEP ||
                                 (s->nonstop && list[0].kind == WT_RESUME_RANGE));
    if (steps && wt_rsp_take_shown(s, list[0].thread)) {
        tell_step(s, list[0].thread);
        return;
    }
    if (wt_rsp_went_along(s, list, count)) {
        tell_step(s, list[0].thread);
        return;
    }
    /* Non-stop: lanes that move along are shown where the client knows them to stand, until they
     * are resumed themselves. */
    for (size_t i = 0; i < count; i++)
        if (!s->nonstop || !list[i].thread)
            wt_rsp_forget_shown(s, 0);
        else
            wt_rsp_take_shown(s, list[i].thread);
    wt_rsp_show_held(s);
    /* The client reads through the thread that it selected just before it resumes. */
    if (s->general)
        wt_debugger_focus(s->debugger, s->general);
    if (!note_resumed(s, list, count)) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    wt_rsp_forget_watchpoints(s);
    if (joins_run(s, list, count)) {
        s->waiting = true;
        return;
    }
    wt_rsp_follow_resume(s, list, count);
    wt_rsp_note_returned(s);
    if (wt_client_run(s->client, WT_FORWARDS, list, count, &err)) {
        wt_rsp_error(s, &err);
        return;
    }
    if (!s->nonstop) {
        s->waiting = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].kind == WT_RESUME_STOP)
            continue;
        if (list[i].thread)
            wt_rsp_set_known(s, list[i].thread, false);
        else
            wt_rsp_forget_known(s);
    }
    wt_rsp_ok(s);
}

/* Reads one action: "c", "C05", "s", "S05", "t", "rSTART,END". */
static bool parse_action(const char **at, const char *end, struct wt_resume *resume)
{
    uint64_t signal;
    char action = *(*at)++;
    *resume = (struct wt_resume){0};
    switch (action) {
    case 'c':
        resume->kind = WT_RESUME_CONTINUE;
        return true;
    case 's':
        resume->kind = WT_RESUME_STEP;
        return true;
    case 't':
        resume->kind = WT_RESUME_STOP;
        return true;
    case 'C':
    case 'S':
        /* A GPU's waves have no signals: the thread continues without it. */
        resume->kind = action == 'C' ? WT_RESUME_CONTINUE : WT_RESUME_STEP;
        return wt_rsp_parse_number(at, end, &signal);
    case 'r':
        resume->kind = WT_RESUME_RANGE;
        if (!wt_rsp_parse_number(at, end, &resume->start) || *at == end || *(*at)++ != ',')
            return false;
        return wt_rsp_parse_number(at, end, &resume->end);
    default:
        return false;
    }
}

void wt_rsp_vcont(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const char *at = args->arg[0].text, *end = at + args->arg[0].length;
    size_t capacity = 1;
    for (const char *c = at; c < end; c++)
        capacity += *c == ';';
    struct wt_resume *list = malloc(capacity * sizeof *list);
    if (!list) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    size_t count = 0;
    bool fine = at < end;
    while (fine && at < end) {
        struct wt_resume *resume = &list[count];
        struct wt_rsp_thread_id id = {.thread = -1};
        fine = parse_action(&at, end, resume);
        if (fine && at < end && *at == ':') {
            at++;
            fine = wt_rsp_parse_thread(&at, end, &id);
        }
        if (fine && at < end) {
            fine = *at == ';';
            at++;
        }
        if (fine && id.has_process && id.process != WT_RSP_PROCESS && id.process > 0)
            continue; /* another process: there is none, so there is nothing to do */
        if (id.thread > (int64_t)UINT32_MAX)
            fine = false;
        resume->thread = id.thread > 0 ? (wt_thread)id.thread : 0;
        count++;
    }
    if (!fine)
        wt_rsp_refuse(s, WT_INVALID, "vCont: an action is malformed");
    else
        go(s, list, count);
    free(list);
}

/* c, C, s, S: thread of Hc, or all. */
static void go_on(struct wt_rsp_session *s, enum wt_resume_kind kind, bool has_addr, uint64_t addr)
{
    struct wt_error err = {0};
    wt_thread thread = s->control ? s->control : wt_rsp_thread(s);
    if (has_addr && wt_debugger_write_number(s->debugger, thread, (unsigned)s->topology->pc_index,
                                             addr, &err)) {
        wt_rsp_error(s, &err);
        return;
    }
    struct wt_resume list[2] = {{.thread = thread, .kind = kind}, {.kind = WT_RESUME_CONTINUE}};
    if (s->control)
        go(s, list, 1);
    else if (kind == WT_RESUME_CONTINUE)
        go(s, list + 1, 1);
    else
        go(s, list, 2);
}

/* bc, bs: the thread of Hc, or the one that was selected last. */
static void go_back(struct wt_rsp_session *s, enum wt_resume_kind kind)
{
    struct wt_error err = {0};
    const struct wt_resume resume = {.thread = s->control ? s->control : wt_rsp_thread(s),
                                     .kind = kind};
    if (s->killed) {
        wt_rsp_refuse(s, WT_STATE, "the program is not running: use 'run' to start it again");
        return;
    }
    if (s->nonstop) {
        /* GDB does not ask whether there is a way back before it chooses the mode. It prints this
         * text, and waits for the thread's stop. */
        const struct wt_event event = {
            .kind = WT_EVENT_STOPPED, .reason = WT_STOP_HISTORY_BEGIN, .thread = resume.thread};
        wt_put_text(&s->out, "E.there is no way back in non-stop mode");
        wt_rsp_push_notice(s, &event);
        return;
    }
    if (wt_rsp_next_hit_back(s, &resume))
        return;
    if (kind == WT_RESUME_STEP && wt_rsp_take_shown(s, resume.thread)) {
        tell_step(s, resume.thread);
        return;
    }
    wt_rsp_forget_shown(s, 0);
    wt_rsp_forget_followed(s);
    s->backwards = true;
    wt_rsp_forget_watchpoints(s);
    if (s->general)
        wt_debugger_focus(s->debugger, s->general);
    s->resumed_count = 0;
    if (wt_client_run(s->client, WT_BACKWARDS, &resume, 1, &err))
        wt_rsp_error(s, &err);
    else
        s->waiting = true;
}

void wt_rsp_reverse_continue(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    go_back(s, WT_RESUME_CONTINUE);
}

void wt_rsp_reverse_step(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    go_back(s, WT_RESUME_STEP);
}

void wt_rsp_continue(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    go_on(s, WT_RESUME_CONTINUE, args->count == 1, args->arg[0].number);
}

void wt_rsp_continue_signal(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    go_on(s, WT_RESUME_CONTINUE, args->count == 2, args->arg[1].number);
}

void wt_rsp_step(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    go_on(s, WT_RESUME_STEP, args->count == 1, args->arg[0].number);
}

void wt_rsp_step_signal(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    go_on(s, WT_RESUME_STEP, args->count == 2, args->arg[1].number);
}

void wt_rsp_vctrlc(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    struct wt_error err = {0};
    if (wt_debugger_running(s->debugger) && wt_debugger_interrupt(s->debugger, &err))
        wt_rsp_error(s, &err);
    else
        wt_rsp_ok(s);
}
