/* Words of `break` beside a place: offsets ("+1") and threads ("PLACE thread N"), and places that
 * are refused. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

enum wt_status take_thread_word(struct wt_shell *c, char *text, wt_thread *thread,
                                struct wt_error *err)
{
    size_t length = strlen(text);
    *thread = 0;
    while (length && isdigit((unsigned char)text[length - 1]))
        length--;
    const char *digits = text + length;
    size_t end = length;
    while (end && isspace((unsigned char)text[end - 1]))
        end--;
    if (!*digits || end == length || end < 6 || strncmp(text + end - 6, "thread", 6) != 0 ||
        (end > 6 && !isspace((unsigned char)text[end - 7])))
        return WT_OK;
    const unsigned long number = strtoul(digits, NULL, 10);
    if (number == 0 || number > UINT32_MAX ||
        !wt_debugger_thread_alive(c->program->debugger, (wt_thread)number))
        return wt_fail(err, WT_INVALID, "Unknown thread %s.", digits);
    for (end -= 6; end && isspace((unsigned char)text[end - 1]);)
        end--;
    text[end] = 0;
    *thread = (wt_thread)number;
    return WT_OK;
}

/*
 * The line that "+1" counts from, and its file. Without a frame GDB's rule: the line behind the
 * last one that was listed, and at first as far before main's as `list` would begin.
 */
static const char *default_line(struct wt_shell *c, long *line)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(c->program, &frame, WT_IGNORED) == WT_OK) {
        *line = frame->line;
        return frame->line ? frame->path : NULL;
    }
    if (!c->program->list_file)
        wt_program_default_source(c->program);
    *line = c->program->list_last ? (long)c->program->list_last + 1
                                  : (long)c->program->list_first - ((long)c->list_size - 1);
    *line = *line < 1 ? 1 : *line;
    return c->program->list_file;
}

enum wt_status relative_line(struct wt_shell *c, const char *text, char **place,
                             struct wt_error *err)
{
    long line;
    const size_t digits = strspn(text + (*text != 0), "0123456789");
    *place = NULL;
    if ((*text != '+' && *text != '-') || !digits || text[1 + digits])
        return WT_OK;
    const char *file = default_line(c, &line);
    if (!file)
        return wt_fail(err, WT_INVALID, "No line to count from: no source line is selected.");
    line += strtol(text, NULL, 10);
    if (line < 1)
        return wt_fail(err, WT_INVALID, "No line %ld in the current file.", line);
    return asprintf(place, "%s:%ld", file, line) < 0
               ? wt_fail(err, WT_NO_MEMORY, "no host memory for a location")
               : WT_OK;
}

enum { BY_SOURCE, BY_FUNCTION, BY_LINE, EXPLICIT };

/* "-function F" at @p text, whose words are cut off: the rest; NULL: *err says why. */
static char *take_explicit(char *text, char *value[EXPLICIT], struct wt_error *err)
{
    static const char *const words[EXPLICIT] = {"-source", "-function", "-line"};
    const size_t length = strcspn(text, " \t");
    char *at = text + length, *end;
    unsigned which = 0;
    while (which < EXPLICIT && (length < 2 || strncmp(words[which], text, length) != 0))
        which++;
    if (which == EXPLICIT) {
        wt_fail(err, WT_INVALID, "invalid explicit location argument, \"%.*s\"", (int)length, text);
        return NULL;
    }
    at += strspn(at, " \t");
    /* A name may hold blanks: it goes on until the next option. */
    for (end = at; *end && !(isspace((unsigned char)*end) && end[strspn(end, " \t")] == '-'); end++)
        ;
    if (end == at || (*at == '-' && which != BY_LINE)) {
        wt_fail(err, WT_INVALID, "missing argument for \"%s\"", words[which]);
        return NULL;
    }
    char *rest = end + strspn(end, " \t");
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    *end = 0;
    value[which] = at;
    return rest;
}

enum wt_status explicit_place(const char *text, char **place, struct wt_error *err)
{
    char *value[EXPLICIT] = {NULL};
    *place = NULL;
    if (*text != '-' || !isalpha((unsigned char)text[1]) ||
        strncmp(text, "-qualified", strcspn(text, " ")) == 0)
        return WT_OK;
    char *copy = strdup(text), *at = copy;
    while (at && *at)
        at = take_explicit(at, value, err);
    int made = at ? 0 : -2;
    if (at && value[BY_FUNCTION] && value[BY_LINE]) {
        wt_fail(err, WT_UNSUPPORTED, "-line beside -function is not supported: use FILE:LINE");
        made = -2;
    } else if (at && value[BY_LINE] &&
               strspn(value[BY_LINE], "0123456789") != strlen(value[BY_LINE]) &&
               (value[BY_SOURCE] || !strchr("+-", value[BY_LINE][0]))) {
        wt_fail(err, WT_INVALID, "malformed linespec error: unexpected string, \"%s\".",
                value[BY_LINE]);
        made = -2;
    } else if (at && value[BY_SOURCE] && !value[BY_FUNCTION] && !value[BY_LINE]) {
        wt_fail(err, WT_INVALID, "Source filename requires function, label, or line offset.");
        made = -2;
    } else if (at) {
        const char *name = value[BY_FUNCTION] ? value[BY_FUNCTION] : value[BY_LINE];
        const char *quote = value[BY_FUNCTION] && !strchr("'\"", *name) ? "'" : "";
        made = asprintf(place, "%s%s%s%s%s", value[BY_SOURCE] ? value[BY_SOURCE] : "",
                        value[BY_SOURCE] ? ":" : "", quote, name, quote);
    }
    free(copy);
    if (made == -1)
        *place = NULL;
    return made == -2   ? WT_INVALID
           : made == -1 ? wt_fail(err, WT_NO_MEMORY, "no host memory for a location")
                        : WT_OK;
}
