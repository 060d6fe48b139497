/* See report.h. */
#include "base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/* ---- files ---- */

enum wt_status wt_report_add(char **files, const char *value, struct wt_error *err)
{
    static const char *const formats[] = {"json", "sarif", "junit"};
    char whole[PATH_MAX], *all;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(value, formats[i]) == 0)
            return wt_fail(err, WT_INVALID, "the name of a file is missing: %s:FILE", value);
    if (strncmp(value, "json:", 5) != 0 || strchr(value, '\n'))
        return wt_fail(err, WT_INVALID,
                       "takes json:FILE, and with --check=LIST sarif:FILE and junit:FILE, not "
                       "'%.100s'",
                       value);
    const enum wt_status status = wt_file_make(value + 5, whole, err);
    if (status)
        return status;
    if (asprintf(&all, "%s%s%s", *files ? *files : "", *files ? "\n" : "", whole) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    free(*files);
    *files = all;
    return WT_OK;
}

/* Notes that a report could not be written; whether one could not before. */
static bool note_failure(bool failed)
{
    static atomic_bool has_failed;
    return failed ? atomic_exchange(&has_failed, true) : atomic_load(&has_failed);
}

bool wt_report_has_failed(void)
{
    return note_failure(false);
}

static void append(const char *pattern, long process, const char *text, size_t size)
{
    char name[PATH_MAX];
    struct wt_error err;
    if (wt_file_name_of(pattern, process, 1, name, sizeof name, &err)) {
        fprintf(stderr, "wavetrap: --report: %s\n", err.text);
        note_failure(true);
        return;
    }
    errno = ENOSPC; /* a write that is cut short says no reason */
    const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    /* One write: lines of several processes do not mix. */
    if ((fd < 0 || write(fd, text, size) != (ssize_t)size) && !note_failure(true))
        fprintf(stderr, "wavetrap: %s: cannot be written: %s\n", name, strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* ---- objects ---- */

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const unsigned size = wt_utf8_length(text);
        if (!size)
            fputs("\\ufffd", out);
        else if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
    }
    fputc('"', out);
}

void wt_report_begin(struct wt_report_object *o, const char *files, const char *kind)
{
    wt_report_begin_of(o, files, kind, (long)getpid());
}

void wt_report_begin_of(struct wt_report_object *o, const char *files, const char *kind,
                        long process)
{
    *o = (struct wt_report_object){.files = files, .process = process};
    if (!files || !(o->out = open_memstream(&o->text, &o->size)))
        return;
    fprintf(o->out, "{\"wavetrap\":%d,\"kind\":\"%s\",\"process\":%ld", WT_REPORT_VERSION, kind,
            process);
}

/* Writes what stands before a value; false: nothing is built. */
static bool begin_value(struct wt_report_object *o, const char *name)
{
    if (!o->out)
        return false;
    if (!o->first)
        fputc(',', o->out);
    o->first = false;
    if (name)
        fprintf(o->out, "\"%s\":", name);
    return true;
}

void wt_report_text(struct wt_report_object *o, const char *name, const char *value)
{
    if (begin_value(o, name))
        put_text(o->out, value);
}

void wt_report_number(struct wt_report_object *o, const char *name, uint64_t value)
{
    if (begin_value(o, name))
        fprintf(o->out, "%" PRIu64, value);
}

void wt_report_true(struct wt_report_object *o, const char *name)
{
    if (begin_value(o, name))
        fputs("true", o->out);
}

void wt_report_signed(struct wt_report_object *o, const char *name, int64_t value)
{
    if (begin_value(o, name))
        fprintf(o->out, "%" PRId64, value);
}

void wt_report_address(struct wt_report_object *o, const char *name, uint64_t value)
{
    if (begin_value(o, name))
        fprintf(o->out, "\"0x%" PRIx64 "\"", value);
}

static void begin_nested(struct wt_report_object *o, const char *name, char bracket)
{
    if (!begin_value(o, name))
        return;
    fputc(bracket, o->out);
    o->first = true;
}

static void end_nested(struct wt_report_object *o, char bracket)
{
    o->first = false;
    if (o->out)
        fputc(bracket, o->out);
}

void wt_report_begin_member(struct wt_report_object *o, const char *name)
{
    begin_nested(o, name, '{');
}

void wt_report_end_member(struct wt_report_object *o)
{
    end_nested(o, '}');
}

void wt_report_begin_list(struct wt_report_object *o, const char *name)
{
    begin_nested(o, name, '[');
}

void wt_report_end_list(struct wt_report_object *o)
{
    end_nested(o, ']');
}

void wt_report_end(struct wt_report_object *o)
{
    if (!o->out)
        return;
    fputs("}\n", o->out);
    const bool whole = fclose(o->out) == 0;
    for (const char *at = o->files; whole && *at;) {
        char pattern[PATH_MAX];
        const size_t length = strcspn(at, "\n");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, at);
        append(pattern, o->process, o->text, o->size);
        at += length + (at[length] == '\n');
    }
    free(o->text);
}
