/* See suppress.h. */
#include "report/suppress.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "report/found.h"

/* ---- reading ---- */

static void free_one(struct wt_report_suppression *s)
{
    free(s->kind);
    free(s->kernel);
    free(s->function);
    free(s->file);
    free(s->object);
    free(s->reason);
    free(s->from);
}

void wt_report_suppressions_free(struct wt_report_suppressions *all)
{
    for (size_t i = 0; i < all->count; i++)
        free_one(&all->list[i]);
    free(all->list);
    *all = (struct wt_report_suppressions){.count = 0};
}

/* Whether a pattern is for one of the kinds, at least. */
static bool is_of_kinds(const char *pattern)
{
    for (unsigned kind = 0; kind < WT_FINDING_KINDS; kind++)
        if (fnmatch(pattern, wt_finding_name((enum wt_finding_kind)kind), 0) == 0)
            return true;
    return false;
}

/* Takes ":LINE" off the end of a file's pattern. */
static enum wt_status take_line(struct wt_report_suppression *s, struct wt_error *err)
{
    char *colon = strrchr(s->file, ':');
    uint64_t line;
    if (!colon || !isdigit((unsigned char)colon[1]))
        return WT_OK;
    if (wt_parse_number(colon + 1, &line, err) || !line || line > INT32_MAX)
        return wt_fail(err, WT_INVALID, "'%.40s' is not a line", colon + 1);
    *colon = 0;
    s->line = (unsigned)line;
    return WT_OK;
}

/* Takes KEY=GLOB. */
static enum wt_status take_word(struct wt_report_suppression *s, const char *word, size_t length,
                                struct wt_error *err)
{
    const struct {
        const char *key;
        char **to;
    } keys[] = {{"kernel=", &s->kernel},
                {"function=", &s->function},
                {"file=", &s->file},
                {"object=", &s->object}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t key = strlen(keys[i].key);
        if (length <= key || strncmp(word, keys[i].key, key) != 0)
            continue;
        if (*keys[i].to)
            return wt_fail(err, WT_INVALID, "%.*s is given twice", (int)key - 1, word);
        if (!(*keys[i].to = strndup(word + key, length - key)))
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        return keys[i].to == &s->file ? take_line(s, err) : WT_OK;
    }
    return wt_fail(err, WT_INVALID,
                   "'%.*s' is not kernel=GLOB, function=GLOB, file=GLOB[:LINE] or object=GLOB",
                   (int)(length < 60 ? length : 60), word);
}

/* Takes what stands before the '#' of a line. */
static enum wt_status take_words(struct wt_report_suppression *s, const char *text,
                                 struct wt_error *err)
{
    size_t length = wt_word_length(text);
    enum wt_status status = WT_OK;
    if (length != 8 || strncmp(text, "suppress", 8) != 0)
        return wt_fail(err, WT_INVALID, "'%.*s' is not 'suppress'",
                       (int)(length < 60 ? length : 60), text);
    text = wt_skip_blanks(text + length);
    length = wt_word_length(text);
    if (!(s->kind = strndup(text, length)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!is_of_kinds(s->kind))
        return wt_fail(err, WT_INVALID, "'%.60s' is not a kind of findings", s->kind);
    for (text = wt_skip_blanks(text + length); *text && !status;
         text = wt_skip_blanks(text + length)) {
        length = wt_word_length(text);
        status = take_word(s, text, length, err);
    }
    return status;
}

/* A '#' begins the reason at the beginning of a line, or behind a blank. */
static char *find_reason(char *line)
{
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || c[-1] == ' ' || c[-1] == '\t'))
            return c;
    return NULL;
}

static enum wt_status take_line_of(struct wt_report_suppressions *all, const char *name,
                                   unsigned number, char *line, struct wt_error *err)
{
    struct wt_report_suppression s = {.line = 0};
    char *reason = find_reason(line);
    if (reason)
        *reason++ = 0;
    if (!*wt_skip_blanks(line))
        return WT_OK;
    enum wt_status status = take_words(&s, wt_skip_blanks(line), err);
    struct wt_report_suppression *grown = NULL;
    s.reason = strdup(reason ? wt_skip_blanks(reason) : "");
    if (!status &&
        (!s.reason || asprintf(&s.from, "%s:%u", name, number) < 0 ||
         !(grown = wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof *grown))))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (status) {
        free_one(&s);
        return status;
    }
    all->list = grown;
    grown[all->count++] = s;
    return WT_OK;
}

enum wt_status wt_report_suppressions_parse(struct wt_report_suppressions *all, const char *name,
                                            const char *text, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (unsigned number = 1; *text && !status; number++) {
        const size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (!line)
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        if (length && line[length - 1] == '\r')
            line[length - 1] = 0;
        if ((status = take_line_of(all, name, number, line, err)))
            wt_fail_in(err, "%.200s:%u", name, number);
        free(line);
        text += length + (text[length] == '\n');
    }
    return status;
}

enum wt_status wt_report_suppressions_read(struct wt_report_suppressions *all, const char *path,
                                           struct wt_error *err)
{
    uint8_t *bytes;
    size_t length;
    enum wt_status status = wt_file_read(path, &bytes, &length, err);
    if (status)
        return status;
    status = strlen((const char *)bytes) == length
                 ? wt_report_suppressions_parse(all, path, (const char *)bytes, err)
                 : wt_fail(err, WT_INVALID, "%.400s: it is not text", path);
    free(bytes);
    return status;
}

/* ---- findings ---- */

static bool matches(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text, 0) == 0;
}

/* A pattern of a file may be that of its last folders. */
static bool matches_file(const char *pattern, const char *path)
{
    if (matches(pattern, path))
        return true;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (matches(pattern, slash + 1))
            return true;
    return false;
}

/* A name of C++ may be given without its parameters. */
static bool matches_function(const char *pattern, const char *function)
{
    char plain[512];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(function, "("), function);
    return matches(pattern, function) || matches(pattern, plain);
}

static bool matches_calls(const struct wt_report_suppression *s,
                          const struct wt_report_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct wt_report_call *c = &calls->list[i];
        if (matches_function(s->function, c->function) && matches_file(s->file, c->file) &&
            (!s->line || s->line == c->line))
            return true;
    }
    return false;
}

static bool matches_place(const struct wt_report_suppression *s, const struct wt_report_found *f)
{
    return (!s->function && !s->file) || matches_calls(s, &f->calls) || matches_calls(s, &f->other);
}

bool wt_report_suppressions_hold(struct wt_report_suppressions *all,
                                 const struct wt_report_found *f)
{
    for (size_t i = 0; i < all->count; i++) {
        struct wt_report_suppression *s = &all->list[i];
        if (!matches(s->kind, wt_finding_name(f->finding.kind)) ||
            !matches_function(s->kernel, f->kernel) ||
            !matches(s->object, f->finding.object_name) || !matches_place(s, f))
            continue;
        s->used++;
        return true;
    }
    return false;
}

/* Prints a pattern for one text: a blank ends a word. */
static void print_pattern(FILE *out, const char *key, const char *text)
{
    fprintf(out, " %s=", key);
    for (; *text; text++) {
        if (strchr("*?[]\\", *text))
            fputc('\\', out);
        fputc(isspace((unsigned char)*text) ? '?' : *text, out);
    }
}

void wt_report_suppression_print(FILE *out, const struct wt_report_found *f,
                                 const struct wt_report_call *place)
{
    if (!place && !*f->kernel)
        return; /* the line would be for all of its kind */
    fprintf(out, "suppress %s", wt_finding_name(f->finding.kind));
    if (*f->kernel)
        print_pattern(out, "kernel", f->kernel);
    if (place && *place->function)
        print_pattern(out, "function", place->function);
    if (place && *place->file)
        print_pattern(out, "file", place->file);
    if (place && *place->file && place->line && !place->after)
        fprintf(out, ":%u", place->line);
    if (*f->finding.object_name)
        print_pattern(out, "object", f->finding.object_name);
    fputs("  # why?\n", out);
}
