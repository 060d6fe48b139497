/* Places as people write them: "PLACE [thread N] [if CONDITION]", where PLACE may count from the
 * current line ("+1") or name its parts ("-function F"); and the lines of source that they ask for.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

char *wt_split_condition(char *text)
{
    for (char *at = text; *at; at++)
        if (strncmp(at, "if", 2) == 0 && (at == text || isspace((unsigned char)at[-1])) &&
            (isspace((unsigned char)at[2]) || at[2] == '(')) {
            char *condition = at + 2;
            while (isspace((unsigned char)*condition))
                condition++;
            *at = 0;
            while (at > text && isspace((unsigned char)at[-1]))
                *--at = 0;
            return condition;
        }
    return NULL;
}

static enum wt_status take_thread(struct wt_program *g, char *text, wt_thread *thread,
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
        !wt_debugger_thread_alive(g->debugger, (wt_thread)number))
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
static const char *default_line(struct wt_program *g, unsigned list_size, long *line)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK) {
        *line = frame->line;
        return frame->line ? frame->path : NULL;
    }
    if (!g->list_file)
        wt_program_default_source(g);
    *line = g->list_last ? (long)g->list_last + 1 : (long)g->list_first - ((long)list_size - 1);
    *line = *line < 1 ? 1 : *line;
    return g->list_file;
}

static enum wt_status relative_line(struct wt_program *g, const char *text, unsigned list_size,
                                    char **place, struct wt_error *err)
{
    long line;
    const size_t digits = strspn(text + (*text != 0), "0123456789");
    *place = NULL;
    if ((*text != '+' && *text != '-') || !digits || text[1 + digits])
        return WT_OK;
    const char *file = default_line(g, list_size, &line);
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

static enum wt_status explicit_place(const char *text, char **place, struct wt_error *err)
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

enum wt_status wt_program_take_place(struct wt_program *g, const char *text, unsigned list_size,
                                     struct wt_place_words *words, struct wt_error *err)
{
    char *relative = NULL;
    *words = (struct wt_place_words){.text = strdup(text)};
    if (!words->text)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
    words->place = words->text;
    words->condition = wt_split_condition(words->text);
    enum wt_status status = take_thread(g, words->text, &words->thread, err);
    if (!status)
        status = explicit_place(words->text, &words->made, err);
    if (words->made)
        words->place = words->made;
    if (!status)
        status = relative_line(g, words->place, list_size, &relative, err);
    if (relative) {
        free(words->made);
        words->place = words->made = relative;
    }
    return status;
}

void wt_place_words_free(struct wt_place_words *words)
{
    free(words->text);
    free(words->made);
}

/* The number that a text is; 0: it is none. */
static unsigned line_number(const char *text)
{
    char *end;
    const uint64_t number = isdigit((unsigned char)*text) ? strtoull(text, &end, 0) : 0;
    return number && !*end && number < UINT32_MAX ? (unsigned)number : 0;
}

/* The line that a location ends with; 0: it is a function or an address. */
static unsigned line_in(const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *number = colon ? colon + 1 : text;
    return isdigit((unsigned char)*number) ? (unsigned)strtoul(number, NULL, 10) : 0;
}

/* The address at which the line of a location begins: not the one behind a prologue where the
 * function itself is meant, or its line. */
static uint64_t line_begins(struct wt_program *g, const char *text, uint64_t addr)
{
    const char *file;
    struct wt_function f;
    unsigned line;
    const unsigned wanted = line_in(text);
    if (!*text || strpbrk(text, "*+-") ||
        wt_program_function_at(g, addr, &f, WT_IGNORED) != WT_OK ||
        (wanted && (!wt_modules_line(g->modules, 0, f.start, &file, &line) || line != wanted)))
        return addr;
    return f.start;
}

enum wt_status wt_program_resolve_lines(struct wt_program *g, const char *text, uint64_t **list,
                                        size_t *count, struct wt_error *err)
{
    const enum wt_status status = wt_program_resolve(g, text, list, count, err);
    for (size_t i = 0; !status && i < *count; i++)
        (*list)[i] = line_begins(g, text, (*list)[i]);
    return status;
}

/* The line of a location, "N", "FILE:N", a function's first one; its file becomes the current one.
 */
static enum wt_status find_line(struct wt_program *g, const char *text, unsigned *line,
                                struct wt_error *err)
{
    uint64_t *list;
    size_t count;
    struct wt_line_row row;
    const char *colon = strrchr(text, ':');
    if ((*line = line_number(text)) != 0)
        return WT_OK;
    const unsigned number = colon ? line_number(colon + 1) : 0;
    enum wt_status status = wt_program_resolve(g, text, &list, &count, err);
    if (status)
        return status;
    struct wt_frames *frames = count ? wt_frames_at(g->debugger, g->modules, list[0]) : NULL;
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    free(list);
    if (frame && frame->path) {
        free(g->list_file);
        g->list_file = strdup(frame->path);
        *line = frame->line;
        /* For a function, its first line is used, not that of its first statement. */
        const uint64_t start = wt_frame_function_start(frame);
        if (*text != '*' && start && wt_symbols_row(frame->symbols, start - frame->bias, &row) &&
            row.line)
            *line = row.line;
    } else if (!number) {
        status = wt_fail(err, WT_INVALID, "No line number known for %s.", text);
    }
    if (number) /* without code: its file is found by the next line that has code */
        *line = number;
    wt_frames_free(frames);
    return status;
}

/* ---- the lines to show next ---- */

static enum wt_status set_lines(struct wt_program *g, unsigned first, unsigned last,
                                const struct wt_text_file **file, struct wt_error *err)
{
    const struct wt_text_file *f = *file = wt_program_open_source(g, g->list_file);
    first = first < 1 ? 1 : first;
    if (!f || !f->path)
        return wt_fail(err, WT_IO,
                       "%s: No such file or directory. ('set substitute-path FROM TO' "
                       "says where sources are.)",
                       g->list_file);
    if (first > f->line_count)
        return wt_fail(err, WT_INVALID, "Line number %u out of range; \"%s\" has %zu lines.", first,
                       g->list_file, f->line_count);
    g->list_first = first;
    g->list_last = last > f->line_count ? (unsigned)f->line_count : last;
    return WT_OK;
}

/* "FIRST,LAST", either of which may be missing. */
static enum wt_status set_range(struct wt_program *g, const char *text, const char *comma,
                                unsigned size, const struct wt_text_file **file,
                                struct wt_error *err)
{
    unsigned first = 0, last;
    char *from = strndup(text, (size_t)(comma - text));
    const char *to = wt_skip_blanks(comma + 1);
    const bool has_first = comma != text;
    enum wt_status status = !from       ? wt_fail(err, WT_NO_MEMORY, "no host memory")
                            : has_first ? find_line(g, from, &first, err)
                                        : WT_OK;
    free(from);
    if (!status && !*to)
        return set_lines(g, first, first + size - 1, file, err);
    if (!status)
        status = find_line(g, to, &last, err);
    if (status)
        return status;
    return set_lines(g, has_first ? first : last > size ? last - size + 1 : 1, last, file, err);
}

enum wt_status wt_program_list(struct wt_program *g, const char *text, unsigned size,
                               const struct wt_text_file **file, struct wt_error *err)
{
    const struct wt_frame *frame;
    unsigned first;
    if (!g->list_set && wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK && frame->path) {
        free(g->list_file);
        g->list_file = strdup(frame->path);
        g->list_first = frame->line;
        g->list_last = 0;
        g->list_set = true;
    }
    if (!g->list_file)
        wt_program_default_source(g);
    if (!g->list_file && !strchr(text, ':'))
        return wt_fail(err, WT_INVALID, "No symbol table is loaded: there are no lines to list.");
    const char *comma = strchr(text, ',');
    if (comma)
        return set_range(g, text, comma, size, file, err);
    if (strcmp(text, "-") == 0) {
        if (g->list_first <= 1)
            return wt_fail(err, WT_INVALID, "Already at the start of %s.", g->list_file);
        const unsigned last = g->list_first - 1;
        return set_lines(g, last > size ? last - size + 1 : 1, last, file, err);
    }
    if (!*text || strcmp(text, "+") == 0) {
        if (g->list_last)
            return set_lines(g, g->list_last + 1, g->list_last + size, file, err);
        first = g->list_first; /* around the current line */
    } else {
        const enum wt_status status = find_line(g, text, &first, err);
        if (status)
            return status;
    }
    first = first > size / 2 ? first - size / 2 : 1;
    return set_lines(g, first, first + size - 1, file, err);
}
