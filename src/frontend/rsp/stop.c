/* Stop replies: report to GDB and LLDB why the program has stopped. */
#include "frontend/rsp/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "frontend/common/common.h"

static int signal_of(const struct wt_event *event)
{
    if (wt_event_is_mistake(event))
        return WT_RSP_SIGSEGV;
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

/* "watch:ADDR;": identifies the watchpoint by an address within it. */
static void put_watchpoint(struct wt_rsp_session *s, const struct wt_event *event)
{
    static const char *const keys[] = {[WT_WATCHPOINT_WRITE] = "watch",
                                       [WT_WATCHPOINT_READ] = "rwatch",
                                       [WT_WATCHPOINT_ACCESS] = "awatch"};
    wt_put_format(&s->out, "%s:", keys[event->watch]);
    wt_put_number(&s->out, event->addr.offset);
    wt_put_char(&s->out, ';');
}

/* Registers that every client reads at each stop. */
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

const char *wt_rsp_lldb_reason(const struct wt_event *event)
{
    if (wt_event_is_mistake(event))
        return "exception";
    switch (event->reason) {
    case WT_STOP_BREAKPOINT:
        return "breakpoint";
    case WT_STOP_WATCHPOINT:
        return "watchpoint";
    case WT_STOP_STEP:
        return "trace";
    case WT_STOP_FAULT:
    case WT_STOP_LOST:
        return "exception";
    default:
        return "signal";
    }
}

static void put_lldb_threads(struct wt_rsp_session *s, const struct wt_event *event)
{
    if (!wt_rsp_load_threads(s) || s->thread_count == 0)
        return;
    wt_put_text(&s->out, "threads:");
    for (size_t i = 0; i < s->thread_count; i++) {
        if (i)
            wt_put_char(&s->out, ',');
        wt_put_number(&s->out, s->threads[i].id);
    }
    wt_put_text(&s->out, ";thread-pcs:");
    for (size_t i = 0; i < s->thread_count; i++) {
        if (i)
            wt_put_char(&s->out, ',');
        wt_put_number(&s->out, s->threads[i].pc);
    }
    /* "jstopinfo": threads missing from it have no stop reason, so that LLDB need not ask for each
     * thread. */
    char json[128], address[48] = "";
    int length = 0;
    /* Its address, and a number that nobody uses. */
    if (wt_rsp_is_watchpoint(event))
        snprintf(address, sizeof address, ",\"description\":\"%" PRIu64 " 0\"", event->addr.offset);
    if (event->kind == WT_EVENT_STOPPED && event->thread)
        length = snprintf(json, sizeof json, "[{\"tid\":%" PRIu32 ",\"reason\":\"%s\"%s}]",
                          event->thread, wt_rsp_lldb_reason(event), address);
    else
        length = snprintf(json, sizeof json, "[]");
    wt_put_text(&s->out, ";jstopinfo:");
    wt_put_hex(&s->out, json, (size_t)length);
    wt_put_char(&s->out, ';');
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
    if (wt_rsp_is_watchpoint(event))
        put_watchpoint(s, event);
    if (s->lldb) {
        wt_put_format(&s->out, "reason:%s;", wt_rsp_lldb_reason(event));
        /* For a watchpoint LLDB expects only the address there. */
        if (event->text[0] && !wt_rsp_is_watchpoint(event)) {
            wt_put_text(&s->out, "description:");
            wt_put_hex(&s->out, event->text, strlen(event->text));
            wt_put_char(&s->out, ';');
        }
        if (s->list_threads)
            put_lldb_threads(s, event);
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
    /* A client that comes after a fault is told of it. */
    if (event.thread && wt_debugger_fault(s->debugger, event.thread, &event))
        return event;
    /* The program of a device that was already running may have ended before the first look. */
    const struct wt_thread_info *list;
    size_t count;
    if (!event.thread && s->options->attached && !s->topology->host_launches &&
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

/* Says for people for which mistake the program has stopped. */
static void describe_mistake(struct wt_rsp_session *s, const struct wt_event *event, FILE *out)
{
    const struct wt_checks *checks = s->options->checks;
    struct wt_debugger_time now;
    char text[400];
    if (!checks || checks->describe(checks->context, event, text, sizeof text))
        fprintf(out, "Check: %s\n", checks ? text : event->text);
    else
        fprintf(out, "Check: %s (suppressed)\n", text);
    if (wt_debugger_time(s->debugger, &now, WT_IGNORED) != WT_OK || now.now != event->time)
        fprintf(out,
                "The instruction at 0x%" PRIx64
                " is done, without that access: there is no recording to go back in.\n",
                event->pc);
}

/* The texts of an event; of a fault its whole report, without symbols, which the client has. */
static void put_text(struct wt_rsp_session *s, const struct wt_event *event)
{
    char *text = NULL;
    size_t length = 0;
    const bool faulted = event->reason == WT_STOP_FAULT && event->record.kind;
    FILE *out = faulted || wt_event_is_mistake(event) ? open_memstream(&text, &length) : NULL;
    if (out && wt_event_is_mistake(event))
        describe_mistake(s, event, out);
    else if (out)
        wt_report_fault(out, &(struct wt_fault_report){.debugger = s->debugger}, event->thread,
                        &event->record);
    if (out && fclose(out) == 0) {
        wt_put_hex(&s->out, text, length);
    } else {
        wt_put_hex(&s->out, event->text, strlen(event->text));
        wt_put_hex(&s->out, "\n", 1);
    }
    free(text);
}

/* A sentence that says what a signal number cannot: which instruction of which lanes did what. */
void wt_rsp_tell_text(struct wt_rsp_session *s, const struct wt_event *event)
{
    if (!event->text[0] || s->nonstop)
        return;
    /* For a single lane the client reports the hit by itself, and only if its condition holds. */
    if (wt_rsp_is_watchpoint(event) && wt_lanes_count(event->lanes) < 2)
        return;
    wt_put_begin(&s->out, '$');
    wt_put_char(&s->out, 'O');
    put_text(s, event);
    wt_put_end(&s->out);
}
