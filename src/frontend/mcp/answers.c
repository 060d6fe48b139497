/* Answers of the session, as results of tools: a page of text, and the same as members. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/mcp/internal.h"

#define PAGE_BYTES 6000 /* bytes of an answer's text */
#define PAGE_LINES 80
#define MOST_OUTPUT 2000 /* bytes of output in an answer: the last ones */
#define MOST_PLACES 12

void mcp_add(struct mcp_text *text, const char *more, size_t size)
{
    char *grown = wt_array_grow(text->at, &text->capacity, text->size + size + 1, 1);
    if (!grown)
        return;
    text->at = grown;
    memcpy(grown + text->size, more, size);
    text->size += size;
    grown[text->size] = 0;
}

static void add(struct mcp_text *text, const char *more)
{
    mcp_add(text, more, strlen(more));
}

void wt_mcp_output(struct wt_mcp *m, const char *category, const char *text)
{
    const bool program = strcmp(category, "stdout") == 0 || strcmp(category, "stderr") == 0;
    struct mcp_text *to = program ? &m->output : &m->said;
    if (strcmp(category, "telemetry") == 0)
        return;
    add(to, text);
    /* A program that writes much: what came last stays. */
    if (to->size > 8 * MOST_OUTPUT) {
        memmove(to->at, to->at + to->size - MOST_OUTPUT, MOST_OUTPUT + 1);
        to->size = MOST_OUTPUT;
    }
}

/* ---- the session ---- */

enum wt_status mcp_need_session(struct wt_mcp *m, struct wt_error *err)
{
    if (m->begun)
        return WT_OK;
    const enum wt_status status = m->session.begin(m->session.context, err);
    m->begun = !status;
    return status;
}

enum wt_status mcp_command(struct wt_mcp *m, const char *line, struct mcp_text *out,
                           struct wt_error *err)
{
    struct json_object *arguments = json_object_new_object(), *body = NULL;
    char *command = dap_format("-exec %s", line);
    dap_put_text(arguments, "expression", command);
    dap_put_text(arguments, "context", "repl");
    free(command);
    const enum wt_status status =
        m->session.ask(m->session.context, "evaluate", arguments, &body, err);
    const char *text = dap_text(body, "result");
    if (!status && text && *text) {
        add(out, text);
        add(out, "\n");
    }
    json_object_put(body);
    return status;
}

struct json_object *mcp_where(struct wt_mcp *m)
{
    struct json_object *body = NULL;
    if (m->session.ask(m->session.context, "wavetrap/where", json_object_new_object(), &body,
                       WT_IGNORED))
        return NULL;
    return body;
}

void mcp_say_where(struct json_object *where, struct mcp_text *out)
{
    const char *state = dap_text(where, "state"), *text;
    int64_t number;
    char *line;
    if (!state || strcmp(state, "stopped") != 0) {
        line = dap_number(where, "exitCode", &number)
                   ? dap_format("The program has ended with status %" PRId64 ".\n", number)
                   : dap_format("%s\n", state && strcmp(state, "ended") == 0
                                            ? "The program has ended."
                                            : "The program has not begun.");
        add(out, line ? line : "");
        free(line);
        return;
    }
    if ((text = dap_text(where, "text")) != NULL) {
        add(out, text);
        add(out, text[0] && text[strlen(text) - 1] == '\n' ? "" : "\n");
    }
    const char *file = dap_text(where, "file"), *function = dap_text(where, "function");
    const char *source = dap_text(where, "source"), *name = dap_text(where, "name");
    const char *reason = dap_text(where, "reason");
    line = dap_format("Stopped (%s)", reason ? reason : "as asked");
    add(out, line ? line : "");
    free(line);
    line = function ? dap_format(" in %s", function) : NULL;
    add(out, line ? line : "");
    free(line);
    line = file && dap_number(where, "line", &number)
               ? dap_format(" at %s:%" PRId64 ": %s", file, number, source ? source : "")
               : NULL;
    add(out, line ? line : "");
    free(line);
    line = name && dap_number(where, "lane", &number)
               ? dap_format("\n%s, lane %" PRId64 "\n", name, number)
               : NULL;
    add(out, line ? line : "\n");
    free(line);
}

/* ---- pages ---- */

/* The end of the page that begins at @p at. */
static const char *page_end(const char *at)
{
    const char *end = at;
    for (unsigned lines = 0; *end && lines < PAGE_LINES; lines++) {
        const char *next = strchr(end, '\n');
        next = next ? next + 1 : end + strlen(end);
        if (end > at && next - at > PAGE_BYTES)
            break;
        end = next;
    }
    return end;
}

char *mcp_page(const char *text, int64_t page, int64_t *pages)
{
    char *found = NULL;
    *pages = 0;
    for (const char *at = text; *at || !*pages;) {
        const char *end = page_end(at);
        if (++*pages == page)
            found = strndup(at, (size_t)(end - at));
        at = end;
    }
    return found;
}

/* ---- results ---- */

/* Adds the places that a text names, "FILE.EXT:LINE", each once. */
static void put_places(struct json_object *o, const char *text)
{
    struct json_object *list = NULL, *same, *line;
    size_t count = 0;
    for (const char *at = strchr(text, ':'); at && count < MOST_PLACES; at = strchr(at + 1, ':')) {
        const char *from = at;
        if (!isdigit((unsigned char)at[1]))
            continue;
        while (from > text && !strchr(" \n\t'\"(,", from[-1]))
            from--;
        if (!memchr(from, '.', (size_t)(at - from)))
            continue;
        char *file = strndup(from, (size_t)(at - from));
        const int64_t number = strtoll(at + 1, NULL, 10);
        bool known = !file;
        for (size_t i = 0; i < count && !known; i++) {
            same = json_object_array_get_idx(list, i);
            known = json_object_object_get_ex(same, "line", &line) &&
                    json_object_get_int64(line) == number &&
                    strcmp(dap_text(same, "file"), file) == 0;
        }
        if (!known) {
            list = list ? list : dap_put_list(o, "places");
            struct json_object *place = dap_add_object(list);
            dap_put_text(place, "file", file);
            dap_put_number(place, "line", number);
            count++;
        }
        free(file);
    }
}

/* Calls that lead on from where the program is. */
static void put_next(struct wt_mcp *m, struct json_object *o, struct json_object *where)
{
    struct json_object *list = dap_put_list(o, "next");
    const char *state = dap_text(where, "state"), *reason = dap_text(where, "reason");
    int64_t findings = 0;
    const bool stopped = state && strcmp(state, "stopped") == 0;
    const bool checked = dap_number(where, "findings", &findings);
    const char *next[6];
    size_t count = 0;
    if (!stopped && !m->session.attaches)
        next[count++] = checked ? "break {\"catch\": \"check\"} and run stop before a mistake"
                                : "break {\"catch\": \"fault\"} or a place, then run";
    if (findings)
        next[count++] = "findings lists what the checks found; goto {\"finding\": N} goes there";
    if (stopped)
        next[count++] = "evaluate {\"expression\": E, \"lanes\": \"*\"} shows a value in all lanes";
    if (stopped && reason && strcmp(reason, "exception") == 0)
        next[count++] =
            "where-from {\"expression\": INDEX} names the instructions that made a value";
    if (stopped)
        next[count++] = "who-wrote {\"expression\": E} names who stored a variable last";
    if (stopped && !m->session.attaches)
        next[count++] = "continue, step or back move the program";
    for (size_t i = 0; i < count; i++)
        json_object_array_add(list, json_object_new_string(next[i]));
}

/* Moves what came since the last answer to it. */
static void put_output(struct json_object *o, const char *name, struct mcp_text *text)
{
    if (text->size)
        dap_put_text(o, name, text->at + (text->size > MOST_OUTPUT ? text->size - MOST_OUTPUT : 0));
    text->size = 0;
}

static struct json_object *result_of(struct json_object *structured)
{
    struct json_object *result = json_object_new_object();
    struct json_object *content = dap_add_object(dap_put_list(result, "content"));
    struct mcp_text all = {.at = NULL};
    const char *output = dap_text(structured, "output"), *said = dap_text(structured, "messages");
    add(&all, dap_text(structured, "text"));
    if (said) {
        add(&all, "\n");
        add(&all, said);
    }
    if (output) {
        add(&all, "\nThe program wrote:\n");
        add(&all, output);
    }
    dap_put_text(content, "type", "text");
    dap_put_text(content, "text", all.at);
    free(all.at);
    json_object_object_add(result, "structuredContent", structured);
    return result;
}

/* Output of the debugger that the text has already is not said twice. */
static void drop_repeated(struct wt_mcp *m, const char *text)
{
    if (m->said.size && strstr(text, m->said.at))
        m->said.size = 0;
}

struct json_object *mcp_result(struct wt_mcp *m, const char *tool, const char *text, int64_t page,
                               struct json_object *more)
{
    int64_t pages;
    struct json_object *o = more ? more : json_object_new_object();
    struct json_object *where = mcp_where(m);
    char *part = mcp_page(text, page, &pages);
    if (!part) {
        struct wt_error err;
        wt_fail(&err, WT_INVALID, "there is no page %" PRId64 ": the last one is %" PRId64, page,
                pages);
        json_object_put(o);
        json_object_put(where);
        return mcp_failure(m, &err);
    }
    struct mcp_text all = {.at = NULL};
    add(&all, part);
    put_places(o, part);
    free(part);
    if (page < pages) {
        char *line = dap_format("[page %" PRId64 " of %" PRId64 ": %s with \"page\": %" PRId64
                                " has the next]\n",
                                page, pages, tool, page + 1);
        add(&all, line ? line : "");
        free(line);
    }
    if (pages > 1) {
        dap_put_number(o, "page", page);
        dap_put_number(o, "pages", pages);
    }
    drop_repeated(m, text);
    dap_put_text(o, "text", all.at);
    free(all.at);
    put_output(o, "messages", &m->said);
    put_output(o, "output", &m->output);
    put_next(m, o, where);
    json_object_object_add(o, "program", where ? where : json_object_new_object());
    return result_of(o);
}

/* Advice after an error. */
static const char *advice(struct wt_mcp *m, struct json_object *where, const char *why)
{
    const char *state = dap_text(where, "state");
    if (!state)
        return "The session is gone: the server must be started again.";
    if (strcmp(state, "stopped") == 0 && strstr(why, "No symbol"))
        return "Names are those of code that is compiled with -g and without -O, in the selected "
               "frame: source shows it, disassemble its registers (evaluate {\"expression\": "
               "\"$NAME\"}).";
    if (m->session.attaches)
        return "";
    if (strcmp(state, "new") == 0)
        return "The program has not begun: call run, before it break where it is to stop.";
    if (strcmp(state, "ended") == 0)
        return "The program has ended: call break where it is to stop, then run.";
    return "";
}

struct json_object *mcp_failure(struct wt_mcp *m, const struct wt_error *err)
{
    struct json_object *o = json_object_new_object(), *where = m->begun ? mcp_where(m) : NULL;
    const char *what = m->begun ? advice(m, where, err->text) : "";
    char *text = dap_format("%s%s%s", err->text, *what ? "\n" : "", what);
    dap_put_text(o, "text", text ? text : err->text);
    free(text);
    put_output(o, "messages", &m->said);
    put_output(o, "output", &m->output);
    put_next(m, o, where);
    json_object_object_add(o, "program", where ? where : json_object_new_object());
    struct json_object *result = result_of(o);
    dap_put_flag(result, "isError", true);
    return result;
}
