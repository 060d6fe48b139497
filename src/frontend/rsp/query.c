/* Queries about the server, its threads and its documents. */
#include "frontend/rsp/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- negotiation ---- */

static bool word_is(const char *word, size_t length, const char *what)
{
    return length == strlen(what) && memcmp(word, what, length) == 0;
}

void wt_rsp_supported(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    bool multiprocess = false;
    const char *at = args->count ? args->arg[0].text : "";
    const char *end = at + (args->count ? args->arg[0].length : 0);
    while (at < end) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (word_is(at, length, "multiprocess+"))
            multiprocess = true;
        else if (word_is(at, length, "swbreak+"))
            s->swbreak = true;
        else if (word_is(at, length, "hwbreak+"))
            s->hwbreak = true;
        else if (word_is(at, length, "error-message+"))
            s->error_message = true;
        else if (word_is(at, length, "no-resumed+"))
            s->no_resumed = true;
        else if (length > 18 && memcmp(at, "xmlRegisters=i386,", 18) == 0)
            s->lldb = true; /* GDB's list of that name has i386 alone */
        at += length + 1;
    }
    /* LLDB takes the parts of such ids for granted in some packets and not in others. */
    s->multiprocess = multiprocess && !s->lldb;
    wt_put_format(&s->out,
                  "PacketSize=%x;QStartNoAckMode+;swbreak+;hwbreak+;vContSupported+;%s"
                  "ConditionalBreakpoints+;BreakpointCommands+;QNonStop+;no-resumed+;"
                  "qXfer:features:read+;qXfer:threads:read+;qXfer:memory-map:read+;"
                  "qXfer:wavetrap-waves:read+;qXfer:wavetrap-lanes:read+;"
                  "binary-upload+;error-message+",
                  WT_PACKET_SIZE, s->multiprocess ? "multiprocess+;" : "");
    if (s->program)
        wt_put_text(&s->out, ";qXfer:exec-file:read+");
    if (wt_debugger_has_history(s->debugger) && !s->nonstop)
        wt_put_text(&s->out, ";ReverseStep+;ReverseContinue+");
}

void wt_rsp_no_ack(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    s->next_no_ack = true;
    wt_rsp_ok(s);
}

void wt_rsp_accept(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_rsp_ok(s);
}

/* ---- threads ---- */

void wt_rsp_set_thread(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const char *at = args->arg[0].text, *end = at + args->arg[0].length;
    struct wt_rsp_thread_id id;
    char operation = at < end ? *at++ : 0;
    if ((operation != 'g' && operation != 'c') || !wt_rsp_parse_thread(&at, end, &id) ||
        at != end) {
        wt_rsp_refuse(s, WT_INVALID, "H: malformed");
        return;
    }
    wt_thread thread = 0;
    if (id.thread > 0 && !wt_rsp_thread_of(s, &id, &thread))
        return;
    if (operation == 'g')
        s->general = thread;
    else
        s->control = thread;
    wt_rsp_ok(s);
}

void wt_rsp_alive(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    if (wt_rsp_thread_of(s, &args->arg[0].id, &thread))
        wt_rsp_ok(s);
}

void wt_rsp_qC(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread = s->killed ? 0 : wt_rsp_thread(s);
    if (!thread)
        return;
    wt_put_text(&s->out, "QC");
    wt_rsp_put_thread(s, thread);
}

void wt_rsp_attached(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    /* If the server started the program, a client that quits ends it. */
    wt_put_char(&s->out, s->options->attached ? '1' : '0');
}

static void put_thread_list(struct wt_rsp_session *s)
{
    if (s->thread_next == s->thread_count) {
        wt_put_char(&s->out, 'l');
        return;
    }
    char lead = 'm';
    while (s->thread_next < s->thread_count && wt_put_length(&s->out) < WT_PACKET_SIZE - 32) {
        wt_put_char(&s->out, lead);
        lead = ',';
        wt_rsp_put_thread(s, s->threads[s->thread_next++].id);
    }
}

void wt_rsp_first_threads(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_rsp_load_threads(s);
    s->thread_next = 0;
    put_thread_list(s);
}

void wt_rsp_more_threads(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    if (s->thread_next > s->thread_count)
        s->thread_next = s->thread_count;
    put_thread_list(s);
}

void wt_rsp_extra_info(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    wt_thread thread;
    char text[WT_THREAD_NAME];
    if (!wt_rsp_thread_of(s, &args->arg[0].id, &thread))
        return;
    wt_debugger_thread_name(s->debugger, thread, text, sizeof text);
    wt_put_hex(&s->out, text, strlen(text));
}

static void put_xml(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
    }
}

/* qXfer:threads:read. */
static char *threads_xml(struct wt_rsp_session *s, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out)
        return NULL;
    wt_rsp_load_threads(s);
    fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
    for (size_t i = 0; i < s->thread_count; i++) {
        const struct wt_thread_info *t = &s->threads[i];
        char name[WT_THREAD_NAME], note[128];
        wt_rsp_thread_text(s, t->id, name, sizeof name, note, sizeof note);
        fputs("<thread id=\"", out);
        if (s->multiprocess)
            fprintf(out, "p%x.", WT_RSP_PROCESS);
        fprintf(out, "%x\" core=\"%u\" name=\"", t->id, t->core);
        put_xml(out, name);
        fputs(note[0] ? "\">" : "\"/>\n", out);
        if (note[0]) {
            put_xml(out, note);
            fputs("</thread>\n", out);
        }
    }
    fputs("</threads>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH ---- */

static char *copy_text(const char *text, size_t *length)
{
    *length = strlen(text);
    return strdup(text);
}

static bool text_is(const struct wt_rsp_arg *arg, const char *what)
{
    return word_is(arg->text, arg->length, what);
}

enum lookup { LOOKUP_FINE, LOOKUP_NO_OBJECT, LOOKUP_NO_ANNEX, LOOKUP_FAILED };

/* Generates the document. */
static enum lookup make(struct wt_rsp_session *s, const struct wt_rsp_arg *object,
                        const struct wt_rsp_arg *annex, char **text, size_t *length,
                        struct wt_error *err)
{
    if (text_is(object, "features")) {
        if (!text_is(annex, "target.xml"))
            return LOOKUP_NO_ANNEX;
        *text = wt_rsp_target_xml(s->topology, s->lldb, length);
    } else if (text_is(object, "threads")) {
        if (annex->length)
            return LOOKUP_NO_ANNEX;
        wt_rsp_see_stop(s);
        *text = threads_xml(s, length);
    } else if (text_is(object, "memory-map")) {
        if (annex->length)
            return LOOKUP_NO_ANNEX;
        *text = wt_rsp_memory_map(s->topology, length);
    } else if (text_is(object, "exec-file") && s->program) {
        /* The annex is a process id; there is one process. */
        *text = copy_text(s->program, length);
    } else if (text_is(object, "wavetrap-waves")) {
        *text = wt_rsp_waves_json(s, annex->text, annex->length, length, err);
    } else if (text_is(object, "wavetrap-lanes")) {
        *text = wt_rsp_lanes_json(s, annex->text, annex->length, length, err);
    } else {
        return LOOKUP_NO_OBJECT;
    }
    return *text ? LOOKUP_FINE : LOOKUP_FAILED;
}

void wt_rsp_xfer(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const struct wt_rsp_arg *object = &args->arg[0], *rest = &args->arg[2];
    struct wt_rsp_args range;
    if (!text_is(&args->arg[1], "read"))
        return;
    if (!wt_rsp_parse("%s:%x,%x", rest->text, rest->length, &range)) {
        wt_rsp_refuse(s, WT_INVALID, "qXfer: malformed");
        return;
    }
    const struct wt_rsp_arg *annex = &range.arg[0];
    uint64_t offset = range.arg[1].number, size = range.arg[2].number;
    /* A document is made when its reading begins, and kept until another one is read. */
    char *name = NULL;
    if (asprintf(&name, "%.*s:%.*s", (int)object->length, object->text, (int)annex->length,
                 annex->text) < 0) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    const bool same = s->document.name && strcmp(s->document.name, name) == 0;
    if (offset == 0 || !same) {
        char *text = NULL;
        size_t length = 0;
        struct wt_error err = {.status = WT_NO_MEMORY, .text = "out of memory"};
        const enum lookup found = make(s, object, annex, &text, &length, &err);
        /* GDB manual, "qXfer": E00 is for an annex that does not exist. */
        if (found == LOOKUP_NO_ANNEX)
            wt_put_text(&s->out, "E00");
        else if (found == LOOKUP_FAILED)
            wt_rsp_error(s, &err);
        if (found != LOOKUP_FINE) {
            free(name);
            return;
        }
        free(s->document.text);
        free(s->document.name);
        s->document.text = text;
        s->document.length = length;
        s->document.name = name;
    } else {
        free(name);
    }
    if (offset > s->document.length) {
        wt_rsp_refuse(s, WT_INVALID, "qXfer: the offset is beyond the document's end");
        return;
    }
    size_t left = s->document.length - (size_t)offset;
    if (size > WT_PACKET_SIZE - 8)
        size = WT_PACKET_SIZE - 8;
    bool last = left <= size;
    wt_put_char(&s->out, last ? 'l' : 'm');
    wt_put_binary(&s->out, s->document.text + offset, last ? left : (size_t)size);
}
