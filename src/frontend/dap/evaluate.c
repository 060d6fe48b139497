/* Expressions, and the console's commands. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/common/common.h"
#include "frontend/dap/internal.h"

#define ALL_ELEMENTS 100000 /* elements of an array that is copied */

/* The frame that a request names, or the one that is selected. */
static enum wt_status enter(struct wt_dap *d, struct json_object *arguments, struct wt_error *err)
{
    int64_t id;
    return dap_number(arguments, "frameId", &id) ? dap_enter_id(d, id, err) : WT_OK;
}

/* Makes one line of rows of lanes, "0: 1; 1-3: 5": views of an editor show no more. */
static void join_rows(char *text)
{
    bool named = true; /* the lanes of this row have been copied */
    char *to = text;
    for (const char *from = text; *from;) {
        const bool begins = *from == '\n', names = !named && from[0] == ' ' && from[1] == ' ';
        if (!begins && !names) {
            *to++ = *from++;
            continue;
        }
        from += strspn(from, "\n ");
        if (names || to != text) {
            *to++ = names ? ':' : ';';
            *to++ = ' ';
        }
        named = names;
    }
    *to = 0;
}

static void put_lanes(struct wt_dap *d, struct json_object *o, struct wt_values *values,
                      struct dap_frame frame, const struct wt_format *format, bool rows)
{
    const struct wt_view *view = dap_view(d);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        wt_print_lanes(out, d->g->debugger, view, values, format, "", "");
        fclose(out);
    }
    while (size && text && text[size - 1] == '\n')
        text[--size] = 0;
    if (text && !rows)
        join_rows(text);
    dap_put_text(o, "result", text ? text : "");
    free(text);
    dap_put_number(o, "indexedVariables", values->lane_count);
    dap_put_number(o, "variablesReference", dap_hold(d, DAP_EACH_LANE, frame, -1, values, NULL));
}

/* The lane that ends an expression, "E@3"; -1: none. *length is that of E. */
static int lane_of(const char *text, size_t *length)
{
    const char *at = strrchr(text, '@');
    const char *digits = at ? wt_skip_blanks(at + 1) : "";
    const size_t count = strspn(digits, "0123456789");
    *length = strlen(text);
    if (!count || count > 3 || *wt_skip_blanks(digits + count))
        return -1;
    *length = (size_t)(at - text);
    return atoi(digits);
}

static enum wt_status evaluate(struct wt_dap *d, const char *text, const char *context,
                               struct json_object *arguments, struct json_object **body,
                               struct wt_error *err)
{
    const struct wt_view *view = dap_view(d);
    const struct dap_frame frame = {d->g->thread, d->g->level};
    struct wt_values values;
    size_t length;
    struct wt_format format = dap_format_of(arguments, true);
    if (strcmp(context, "clipboard") == 0)
        format.elements = ALL_ELEMENTS;
    if (strcmp(context, "hover") == 0 && dap_assigns(text))
        return wt_fail(err, WT_INVALID, "an assignment is not made by pointing at it");
    enum wt_status status = wt_source_evaluate_parts(view, text, &values, err);
    if (dap_assigns(text))
        dap_forget_view(d);
    if (status)
        return status;
    if ((status = wt_values_check(&values, err)) != WT_OK) {
        wt_values_free(&values);
        return status;
    }
    *body = json_object_new_object();
    if (values.selected && values.lane_count > 1) {
        put_lanes(d, *body, &values, frame, &format,
                  strcmp(context, "watch") != 0 && strcmp(context, "hover") != 0);
    } else {
        const int lane = lane_of(text, &length);
        char *expression = strchr(text, '@') && lane < 0 ? NULL : strndup(text, length);
        dap_put_value(d, *body, "result", &values, frame, lane, expression, &format);
    }
    if (dap_assigns(text))
        dap_changed(d);
    return WT_OK;
}

/* ---- the console ---- */

/* Whether a line of the console is an expression: a variable of the frame goes before a command
 * that is called so, or that begins so. */
static bool is_expression(struct wt_dap *d, const char *line)
{
    char word[128];
    struct wt_found found;
    const char *text = wt_skip_blanks(line);
    const struct wt_view *view = dap_view(d);
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    if (!length)
        return *text != '!';
    if (!d->owner.is_command(text))
        return true;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    /* "p x" and "x/4xw p" are commands, whatever p and x are. */
    const char *rest = wt_skip_blanks(text + length);
    const bool stands_alone = !*rest || strchr(".[=+-*%<>&|^?@", *rest) != NULL;
    return stands_alone && wt_source_find(view, word, &found) && found.kind == WT_FOUND_VARIABLE &&
           found.is_local;
}

static enum wt_status command(struct wt_dap *d, const char *line, struct json_object **body,
                              struct wt_error *err)
{
    d->captured = calloc(1, 1);
    d->captured_size = 0;
    d->captured_room = 1;
    const uint64_t runs = d->g->runs;
    const bool started = d->g->started;
    d->reason = "step";
    const enum wt_status status = d->owner.command(d->owner.context, line, err);
    char *text = d->captured;
    size_t size = d->captured_size;
    d->captured = NULL;
    while (size && text && text[size - 1] == '\n')
        text[--size] = 0;
    /* It has stopped at another place, by a run or without one, or was ended. */
    const bool moved = d->running || d->g->runs != runs || (started && !d->g->started);
    if (!status && d->current) {
        *body = json_object_new_object();
        dap_put_text(*body, "result", text ? text : "");
        dap_put_number(*body, "variablesReference", 0);
        if (moved) { /* the answer comes before the stop */
            dap_answer(d, *body);
            *body = NULL;
        }
    } else if (text && *text) {
        dap_say(d, WT_DAP_CONSOLE, text);
    }
    free(text);
    if (moved && !d->running) {
        d->runs = d->g->runs;
        dap_begin_run(d);
    }
    if (!status && !moved && strchr(line, '='))
        dap_changed(d);
    return status;
}

enum wt_status dap_evaluate(struct wt_dap *d, struct json_object *arguments,
                            struct json_object **body, struct wt_error *err)
{
    const char *text, *context = dap_text(arguments, "context");
    enum wt_status status = dap_need_text(arguments, "expression", &text, err);
    if (!status)
        status = enter(d, arguments, err);
    if (status)
        return status;
    if (context && strcmp(context, "repl") == 0) {
        const char *line = wt_skip_blanks(text);
        if (strncmp(line, "-exec ", 6) == 0)
            return command(d, wt_skip_blanks(line + 6), body, err);
        if (!is_expression(d, line))
            return command(d, line, body, err);
    }
    return evaluate(d, text, context ? context : "", arguments, body, err);
}

enum wt_status dap_set_expression(struct wt_dap *d, struct json_object *arguments,
                                  struct json_object **body, struct wt_error *err)
{
    const char *text, *value;
    const struct wt_format format = dap_format_of(arguments, true);
    enum wt_status status = dap_need_text(arguments, "expression", &text, err);
    if (!status)
        status = dap_need_text(arguments, "value", &value, err);
    if (!status)
        status = enter(d, arguments, err);
    if (!status)
        status = dap_assign(d, text, value, &format, body, err);
    if (!status)
        dap_changed(d);
    return status;
}

/* ---- completions ---- */

static void offer(struct json_object *targets, char **list, size_t count, int64_t start,
                  size_t length)
{
    for (size_t i = 0; i < count; i++) {
        struct json_object *o = dap_add_object(targets);
        dap_put_text(o, "label", list[i]);
        dap_put_number(o, "start", start);
        dap_put_number(o, "length", (int64_t)length);
        free(list[i]);
    }
    free(list);
}

enum wt_status dap_completions(struct wt_dap *d, struct json_object *arguments,
                               struct json_object **body, struct wt_error *err)
{
    const char *text;
    int64_t column;
    enum wt_status status = dap_need_text(arguments, "text", &text, err);
    if (!status)
        status = dap_need_number(arguments, "column", &column, err);
    if (!status)
        status = enter(d, arguments, err);
    if (status)
        return status;
    column -= !d->client.columns_from_0;
    if (column < 0 || (size_t)column > strlen(text))
        return wt_fail(err, WT_INVALID, "\"column\" is not in the text");
    char *line = strndup(text, (size_t)column);
    const char *end = line + column, *word = end;
    while (word > line && (isalnum((unsigned char)word[-1]) || strchr("_:.$-", word[-1])))
        word--;
    const int64_t start = word - line;
    *body = json_object_new_object();
    struct json_object *targets = dap_put_list(*body, "targets");
    size_t count;
    char **list = d->owner.complete(d->owner.context, line, &count);
    offer(targets, list, count, start, (size_t)(end - word));
    /* Expressions may stand without a command. */
    char *printed = d->owner.is_command(line) && word > line ? NULL : dap_format("print %s", line);
    if (printed) {
        list = d->owner.complete(d->owner.context, printed, &count);
        offer(targets, list, count, start, (size_t)(end - word));
    }
    free(printed);
    free(line);
    return WT_OK;
}
