/* Requests of LLDB beyond GDB's protocol (LLDB's docs, "GDB Remote Protocol Extensions"). */
#include "frontend/rsp/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void wt_rsp_thread_suffix(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    s->lldb = true;
    wt_rsp_ok(s);
}

void wt_rsp_list_threads(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    s->lldb = s->list_threads = true;
    wt_rsp_ok(s);
}

void wt_rsp_error_strings(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    s->error_strings = true;
    wt_rsp_ok(s);
}

static void put_triple(struct wt_rsp_session *s)
{
    const char *triple = s->topology->triple;
    wt_put_text(&s->out, "triple:");
    wt_put_hex(&s->out, triple, strlen(triple));
    wt_put_format(&s->out, ";endian:little;ptrsize:%u;", s->topology->address_bits / 8);
}

void wt_rsp_host_info(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    put_triple(s);
    wt_put_text(&s->out, "watchpoint_exceptions_received:after;");
}

void wt_rsp_process_info(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (s->killed)
        return;
    wt_put_format(&s->out, "pid:%x;", WT_RSP_PROCESS);
    put_triple(s);
}

void wt_rsp_region_info(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (s->topology->address_bits == 32) {
        if (args->arg[0].number >> 32)
            wt_rsp_refuse(s, WT_INVALID, "addresses have 32 bits");
        else
            wt_put_text(&s->out, "start:0;size:100000000;permissions:rwx;");
        return;
    }
    /* LLDB keeps its own values at addresses that the program does not use, and evaluates no
     * expression if there are none. No program lies in the upper half of the address space, so LLDB
     * gets addresses there. */
    wt_put_text(&s->out, args->arg[0].number >> 63
                             ? "start:8000000000000000;size:8000000000000000;"
                             : "start:0;size:8000000000000000;permissions:rwx;");
}

void wt_rsp_watchpoint_info(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    /* As many as anybody wants, or none. */
    const bool some = wt_debugger_target(s->debugger)->services->set_watchpoints != NULL;
    wt_put_format(&s->out, "num:%u;", some ? INT32_MAX : 0);
}

/* One thread of jThreadsInfo. */
static void put_thread(struct wt_rsp_session *s, const struct wt_thread_info *t)
{
    const struct wt_register *pc = &s->topology->registers[s->topology->pc_index];
    char name[WT_THREAD_NAME];
    bool stopped = s->last.kind == WT_EVENT_STOPPED && s->last.thread == t->id;
    wt_debugger_thread_name(s->debugger, t->id, name, sizeof name);
    wt_put_format(&s->out, "{\"tid\":%" PRIu32 ",\"name\":\"", t->id);
    wt_rsp_put_json(&s->out, name);
    wt_put_format(&s->out, "\",\"reason\":\"%s\"", stopped ? wt_rsp_lldb_reason(&s->last) : "none");
    if (stopped && wt_rsp_is_watchpoint(&s->last)) {
        wt_put_format(&s->out, ",\"description\":\"%" PRIu64 " 0\"", s->last.addr.offset);
    } else if (stopped && s->last.text[0]) {
        wt_put_text(&s->out, ",\"description\":\"");
        wt_rsp_put_json(&s->out, s->last.text);
        wt_put_char(&s->out, '"');
    }
    wt_put_format(&s->out, ",\"registers\":{\"%u\":\"", pc->number);
    wt_put_value(&s->out, t->pc, (pc->bits + 7) / 8);
    /* The braces of JSON are the protocol's escape character. */
    wt_put_char(&s->out, '"');
    wt_put_binary(&s->out, "}}", 2);
}

void wt_rsp_threads_json(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_rsp_load_threads(s);
    wt_put_char(&s->out, '[');
    for (size_t i = 0; i < s->thread_count; i++) {
        if (i)
            wt_put_char(&s->out, ',');
        put_thread(s, &s->threads[i]);
    }
    wt_put_char(&s->out, ']');
}

void wt_rsp_thread_stop_info(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    if (!wt_rsp_thread_of(s, &args->arg[0].id, &thread))
        return;
    struct wt_event event = s->last;
    if (event.thread != thread)
        event = (struct wt_event){
            .kind = WT_EVENT_STOPPED, .thread = thread, .reason = WT_STOP_REQUESTED};
    wt_rsp_put_stop(s, &event);
}
