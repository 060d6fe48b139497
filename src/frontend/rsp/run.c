/* Going and stopping: vCont and its elders, stop replies, non-stop notifications, the program's
 * life. */
#include "frontend/rsp/session.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* ---- why it stopped ---- */

static int signal_of(const struct wt_event *event)
{
    switch (event->reason) {
    case WT_STOP_INTERRUPTED:
        return WT_RSP_SIGINT;
    case WT_STOP_REQUESTED:
        return 0;
    case WT_STOP_LOST:
        return WT_RSP_SIGHUP;
    case WT_STOP_FAULT:
        switch (event->fault) {
        case WT_FAULT_ILLEGAL:
        case WT_FAULT_DIVERGENCE:
            return WT_RSP_SIGILL;
        case WT_FAULT_MISALIGNED:
            return WT_RSP_SIGBUS;
        case WT_FAULT_ACCESS:
            return WT_RSP_SIGSEGV;
        default:
            return WT_RSP_SIGABRT;
        }
    default:
        return WT_RSP_SIGTRAP;
    }
}

/* "swbreak:;" or "hwbreak:;": the client inserted a breakpoint where the thread stands. */
static void put_breakpoint_reason(struct wt_rsp_session *s, uint64_t pc)
{
    bool found = false, hardware = false;
    for (size_t i = 0; i < s->breakpoint_count; i++) {
        if (s->breakpoints[i].addr != pc)
            continue;
        found = true;
        hardware = s->breakpoints[i].type == 1;
    }
    if (!found)
        return;
    if (hardware ? s->hwbreak : s->swbreak)
        wt_put_text(&s->out, hardware ? "hwbreak:;" : "swbreak:;");
}

/* "watch:ADDR;": which watchpoint it was, by an address that lies in it. */
static void put_watchpoint(struct wt_rsp_session *s, const struct wt_event *event)
{
    static const char *const keys[] = {[WT_WATCHPOINT_WRITE] = "watch",
                                       [WT_WATCHPOINT_READ] = "rwatch",
                                       [WT_WATCHPOINT_ACCESS] = "awatch"};
    wt_put_format(&s->out, "%s:", keys[event->watch]);
    wt_put_number(&s->out, event->addr.offset);
    wt_put_char(&s->out, ';');
}

/* Registers that every client asks for at each stop. */
static void put_registers(struct wt_rsp_session *s, const struct wt_event *event)
{
    uint8_t value[WT_RSP_EXPEDITED * 8], *at = value;
    const struct wt_register *all = s->topology->registers;
    const unsigned *index = s->expedited;
    const size_t count = s->expedited_count;
    struct wt_error ignored;
    if (wt_debugger_read_registers(s->debugger, event->thread, index, count, value, &ignored))
        return;
    for (size_t i = 0; i < count; i++) {
        const size_t size = wt_register_size(&all[index[i]]);
        wt_rsp_show_register(s, event->thread, index[i], at);
        wt_put_padded(&s->out, all[index[i]].number);
        wt_put_char(&s->out, ':');
        wt_put_hex(&s->out, at, size);
        wt_put_char(&s->out, ';');
        at += size;
    }
    if (event->reason == WT_STOP_BREAKPOINT)
        put_breakpoint_reason(s, wt_load_le(value, wt_register_size(&all[index[0]])));
}

static void put_core(struct wt_rsp_session *s, wt_thread thread)
{
    struct wt_wave wave;
    if (!wt_debugger_thread_wave(s->debugger, thread, &wave))
        return;
    wt_put_text(&s->out, "core:");
    wt_put_number(&s->out, wave.core);
    wt_put_char(&s->out, ';');
}

static void put_exit(struct wt_rsp_session *s, const struct wt_event *event)
{
    /* LLDB reads two digits and no more. */
    wt_put_format(&s->out, "W%02x", s->lldb ? event->status & 0xff : event->status);
    if (s->multiprocess)
        wt_put_format(&s->out, ";process:%x", WT_RSP_PROCESS);
}

void wt_rsp_put_stop(struct wt_rsp_session *s, const struct wt_event *event)
{
    if (event->kind == WT_EVENT_EXITED) {
        put_exit(s, event);
        return;
    }
    wt_rsp_show_watchpoint(s, event);
    wt_put_char(&s->out, 'T');
    wt_put_padded(&s->out, (unsigned)signal_of(event));
    if (event->thread) {
        wt_put_text(&s->out, "thread:");
        wt_rsp_put_thread(s, event->thread);
        wt_put_char(&s->out, ';');
        put_core(s, event->thread);
        put_registers(s, event);
    }
    if (event->reason == WT_STOP_HISTORY_BEGIN || event->reason == WT_STOP_HISTORY_END)
        wt_put_format(&s->out, "replaylog:%s;",
                      event->reason == WT_STOP_HISTORY_BEGIN ? "begin" : "end");
    if (event->reason == WT_STOP_WATCHPOINT)
        put_watchpoint(s, event);
    if (s->lldb) {
        wt_put_format(&s->out, "reason:%s;", wt_rsp_lldb_reason(event));
        /* Of a watchpoint LLDB wants nothing but the address there. */
        if (event->text[0] && event->reason != WT_STOP_WATCHPOINT) {
            wt_put_text(&s->out, "description:");
            wt_put_hex(&s->out, event->text, strlen(event->text));
            wt_put_char(&s->out, ';');
        }
        if (s->list_threads)
            wt_rsp_put_lldb_threads(s, event);
    }
}

struct wt_event wt_rsp_standing(struct wt_rsp_session *s)
{
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_STEP};
    uint32_t status = 0;
    if (wt_debugger_ended(s->debugger, &status)) {
        event.kind = WT_EVENT_EXITED;
        event.status = status;
        return event;
    }
    event.thread = wt_debugger_current_thread(s->debugger);
    /* On a device that was running before, the program may have ended before anybody looked. */
    const struct wt_thread_info *list;
    size_t count;
    if (!event.thread && s->options->attached &&
        wt_debugger_threads(s->debugger, &list, &count, WT_IGNORED) == WT_OK && count == 0)
        event.kind = WT_EVENT_EXITED;
    return event;
}

void wt_rsp_reply_stop(struct wt_rsp_session *s, const struct wt_event *event)
{
    s->last = *event;
    if (event->kind == WT_EVENT_STOPPED && event->thread)
        s->general = event->thread;
    wt_rsp_put_stop(s, event);
}

/* Says in words what a signal cannot: which instruction of which lanes did what. */
static void tell(struct wt_rsp_session *s, const struct wt_event *event)
{
    if (!event->text[0] || s->nonstop)
        return;
    /* Of one lane the client says it all by itself, and only when its condition holds. */
    if (event->reason == WT_STOP_WATCHPOINT && wt_lanes_count(event->lanes) < 2)
        return;
    wt_put_begin(&s->out, '$');
    wt_put_char(&s->out, 'O');
    wt_put_hex(&s->out, event->text, strlen(event->text));
    wt_put_hex(&s->out, "\n", 1);
    wt_put_end(&s->out);
}

/* ---- non-stop: stops are announced one at a time ---- */

/* Where a thread is, or belongs, in the sorted list of those that the client knows to stand. */
static size_t known_position(const struct wt_rsp_session *s, wt_thread thread)
{
    size_t low = 0, high = s->known.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->known.thread[middle] < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool knows_stopped(const struct wt_rsp_session *s, wt_thread thread)
{
    const size_t at = known_position(s, thread);
    return at < s->known.count && s->known.thread[at] == thread;
}

/* False without host memory. */
static bool set_known(struct wt_rsp_session *s, wt_thread thread, bool stopped)
{
    if (!s->nonstop || knows_stopped(s, thread) == stopped)
        return true;
    const size_t at = known_position(s, thread);
    wt_thread *list = s->known.thread;
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

static void forget_known(struct wt_rsp_session *s)
{
    s->known.count = 0;
}

void wt_rsp_forget_notices(struct wt_rsp_session *s)
{
    s->notice_count = 0;
    s->notified = s->first_alone = false;
    forget_known(s);
}

/* Without memory the connection ends: a client that is not told of a stop waits for ever. */
static void push_notice(struct wt_rsp_session *s, const struct wt_event *event)
{
    struct wt_event *notices =
        wt_array_grow(s->notices, &s->notice_capacity, s->notice_count + 1, sizeof *notices);
    if (notices)
        s->notices = notices;
    if (!notices || !set_known(s, event->thread, true)) {
        s->out.failed = true;
        return;
    }
    s->notices[s->notice_count++] = *event;
}

/* The client must hear of each thread that it takes for running, and of no other that merely
 * stopped since its wave did. */
static void note_stop(struct wt_rsp_session *s, const struct wt_event *event)
{
    bool known = event->kind == WT_EVENT_STOPPED && event->reason == WT_STOP_REQUESTED &&
                 knows_stopped(s, event->thread);
    if (!known)
        push_notice(s, event);
}

static void notify(struct wt_rsp_session *s)
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

/* ---- what happened ---- */

/* Remembers which threads the client takes for running. */
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

/*
 * The lanes of a wave run together even if the client set only one going, and GDB 13 fails an
 * assertion of its own when it is told of a thread that it did not resume: what happens to the wave
 * is told of the lane that it did.
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

void wt_rsp_session_event(struct wt_rsp_session *s, const struct wt_event *what)
{
    struct wt_event event = *what;
    s->settling = false;
    if (event.kind == WT_EVENT_ARRIVED || event.kind == WT_EVENT_SEARCHED) {
        wt_rsp_forget_followed(s);
        if (s->errand.end)
            wt_rsp_end_errand(s, &event);
        return;
    }
    s->last = event;
    if (s->nonstop) {
        note_stop(s, &event);
        return;
    }
    if (!s->waiting) {
        /* Another client's run has ended: what was kept of an earlier stop is void. */
        wt_rsp_close_hits(s);
        wt_rsp_forget_followed(s);
        wt_rsp_forget_shown(s, 0);
        return;
    }
    wt_rsp_tell_notice(s);
    s->waiting = false;
    tell(s, &event);
    name_resumed_thread(s, &event);
    s->seen = false;
    wt_rsp_note_hits(s, &event);
    wt_put_begin(&s->out, '$');
    /* All-stop knows no requested stops, but that nothing is left of what was resumed. */
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
        notify(s);
    if (wt_debugger_running(s->debugger))
        return;
    if (s->lifting)
        wt_rsp_remove_breakpoints(s, false);
    s->lifting = s->settling = false;
    /* Nothing runs, and nothing was said about it: the threads that were set going are gone. */
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
        bool same = s->last.kind == event.kind && event.kind == WT_EVENT_STOPPED &&
                    wt_debugger_thread_alive(s->debugger, s->last.thread);
        if (same)
            event = s->last;
        wt_rsp_reply_stop(s, &event);
        return;
    }
    /* Non-stop: all that stands is told, the first in this reply, the rest by vStopped. */
    struct wt_event event = wt_rsp_standing(s);
    s->notice_count = 0;
    s->notified = false;
    if (event.kind == WT_EVENT_EXITED) {
        push_notice(s, &event);
    } else if (wt_rsp_load_threads(s)) {
        for (size_t i = 0; i < s->thread_count; i++) {
            struct wt_event standing = {
                .kind = WT_EVENT_STOPPED, .thread = s->threads[i].id, .reason = WT_STOP_REQUESTED};
            if (!s->threads[i].running)
                push_notice(s, &standing);
        }
    }
    if (s->notice_count == 0) {
        wt_rsp_ok(s);
        return;
    }
    s->notified = true;
    /* GDB up to 15 fails an assertion of its own when it is told here of more than one thread:
     * remote_target::queued_stop_reply() marks an event handler although the target is not
     * asynchronous yet. The others can follow as if they had stopped just now. */
    s->first_alone = !s->error_message;
    wt_rsp_put_stop(s, &s->notices[0]);
}

/* ---- going ---- */

void wt_rsp_vcont_query(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_put_text(&s->out, "vCont;c;C;s;S;t;r");
}

/* A step that has been done already: it is told at once. */
static void tell_step(struct wt_rsp_session *s, wt_thread thread)
{
    const struct wt_event event = {
        .kind = WT_EVENT_STOPPED, .reason = WT_STOP_STEP, .thread = thread};
    if (s->nonstop) {
        wt_rsp_ok(s);
        push_notice(s, &event);
    } else {
        wt_rsp_reply_stop(s, &event);
    }
}

/* A client that lets all go while another one's run is under way waits for its end, too. */
static bool joins_run(const struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    return !s->nonstop && wt_client_is_waiting(s->client) && count == 1 &&
           list[0].kind == WT_RESUME_CONTINUE && list[0].thread == 0;
}

/* Sets threads going, and owes a stop reply (all-stop) or says OK (non-stop). */
static void go(struct wt_rsp_session *s, const struct wt_resume *list, size_t count)
{
    struct wt_error err = {0};
    if (s->killed || wt_debugger_ended(s->debugger, NULL)) {
        wt_rsp_refuse(s, WT_STATE, "the program is not running: use 'run' to start it again");
        return;
    }
    if (wt_rsp_next_hit(s, list, count))
        return;
    s->backwards = false;
    if (count && list[0].kind == WT_RESUME_STEP && wt_rsp_take_shown(s, list[0].thread)) {
        tell_step(s, list[0].thread);
        return;
    }
    if (wt_rsp_went_along(s, list, count)) {
        tell_step(s, list[0].thread);
        return;
    }
    for (size_t i = 0; i < count; i++)
        wt_rsp_forget_shown(s, s->nonstop ? list[i].thread : 0);
    /* The client reads through the thread that it has selected just before it lets go. */
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
            set_known(s, list[i].thread, false);
        else
            forget_known(s);
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
        /* A GPU's waves have no signals: it goes on as without. */
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
            continue; /* another process: there is none, so nothing to do for it */
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

/* bc, bs: the thread of Hc, or the one that was looked at last. */
static void go_back(struct wt_rsp_session *s, enum wt_resume_kind kind)
{
    struct wt_error err = {0};
    const struct wt_resume resume = {.thread = s->control ? s->control : wt_rsp_thread(s),
                                     .kind = kind};
    if (s->killed) {
        wt_rsp_refuse(s, WT_STATE, "the program is not running: use 'run' to start it again");
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

/* ---- the program's life ---- */

bool wt_rsp_restart(struct wt_rsp_session *s)
{
    struct wt_error err = {0};
    if (wt_debugger_restart(s->debugger, &err)) {
        wt_rsp_error(s, &err);
        return false;
    }
    /* What happened before the restart is of no interest any more. */
    while (wt_debugger_next_event(s->debugger).kind != WT_EVENT_NONE)
        continue;
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
    if (!wt_rsp_restart(s))
        return;
    if (s->nonstop) {
        /* The thread list is new: what the client knew of threads is void. */
        forget_known(s);
        set_known(s, s->last.thread, true);
    }
    wt_rsp_reply_stop(s, &s->last);
}

void wt_rsp_R(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_rsp_restart(s);
    wt_put_restart(&s->out);
}

/*
 * A client attaches to a program that has ended, to look at what it left: it gets the program as it
 * was before its last instruction. GDB 13 fails an assertion of its own (inferior_thread) when
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
    if (s->killed && !wt_rsp_restart(s))
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
    forget_known(s);
    s->killed = true;
    s->waiting = false;
}

void wt_rsp_kill(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    halt_for_good(s);
    /* "k" has no reply, and no client stays after it unless it said "!". */
    s->closing = !s->extended;
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
        /* The others go on with the program as it is. */
        s->closing = !s->extended;
        wt_rsp_ok(s);
        return;
    }
    wt_debugger_set_nonstop(s->debugger, false);
    /* What goes on without a debugger is the program as it is now, not its past. */
    struct wt_debugger_time time;
    if (wt_debugger_time(s->debugger, &time, WT_IGNORED) == WT_OK && time.in_past)
        wt_debugger_goto(s->debugger, time.end, WT_IGNORED);
    if (!s->killed && !wt_debugger_ended(s->debugger, NULL)) {
        struct wt_error err = {0};
        struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
        if (wt_debugger_run(s->debugger, WT_FORWARDS, &all, 1, &err)) {
            wt_rsp_error(s, &err);
            return;
        }
        s->detached = true;
    }
    /* Nobody is there to be told what happens from now on. */
    s->nonstop = false;
    s->closing = !s->extended;
    wt_rsp_ok(s);
}
