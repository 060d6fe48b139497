/* See journal.h. */
#include "explore/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"

#define FIRST "wavetrap explore 1 %016" PRIx64 "\n"
enum { FIRST_BYTES = 36 };

/* ---- lines ---- */

/* Prints a text whose line ends are "\n"; a backslash is two. */
static void print_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\\')
            fputs("\\\\", out);
        else
            fputc(*text, out);
    }
}

/* Undoes that, in place; false: it is no such text. */
static bool read_text(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from != 'n' && *from != '\\')
            return false;
        *to++ = *from == 'n' ? '\n' : '\\';
    }
    *to = 0;
    return true;
}

/* A line is "SEAL RUN STATUS OUTPUT MEMORY FOUND"; the seal is a hash of what is behind it. */
enum wt_status explore_journal_read(char *line, explore_journal_fn *take, void *context,
                                    struct wt_error *err)
{
    struct explore_outcome o = {0};
    uint64_t seal, run;
    int at = 0;
    if (sscanf(line, "%16" SCNx64 " %n", &seal, &at) != 1 || at != 17 ||
        XXH3_64bits(line + at, strlen(line + at)) != seal)
        return wt_fail(err, WT_INVALID, "the line is damaged");
    char *rest = line + at;
    at = 0; /* it stays 0 where the bar is missing */
    if (sscanf(rest, "%" SCNu64 " %d %16" SCNx64 " %16" SCNx64 " |%n", &run, &o.status, &o.output,
               &o.memory, &at) != 4 ||
        !at || !read_text(rest + at))
        return wt_fail(err, WT_INVALID, "the line is not that of a run");
    o.found = rest + at;
    return take(context, run, &o, err);
}

enum wt_status explore_journal_line(uint64_t run, const struct explore_outcome *o, char **whole,
                                    struct wt_error *err)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    *whole = NULL;
    if (out) {
        fprintf(out, "%" PRIu64 " %d %016" PRIx64 " %016" PRIx64 " |", run, o->status, o->output,
                o->memory);
        print_text(out, o->found);
    }
    if (!out || fclose(out) ||
        asprintf(whole, "%016" PRIx64 " %s", (uint64_t)XXH3_64bits(line, size), line) < 0)
        *whole = NULL;
    free(line);
    return *whole ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* Hands all whole lines over; *good: bytes of these. */
static enum wt_status take_lines(char *text, explore_journal_fn *take, void *context, size_t *good,
                                 struct wt_error *err)
{
    enum wt_status status = WT_OK;
    char *line = text + FIRST_BYTES;
    for (unsigned number = 2; !status; number++) {
        char *end = strchr(line, '\n');
        *good = (size_t)(line - text);
        if (!end)
            break;
        *end = 0;
        if ((status = explore_journal_read(line, take, context, err)) == WT_INVALID)
            wt_fail_in(err, "line %u", number);
        line = end + 1;
    }
    return status;
}

/* ---- the file ---- */

static enum wt_status write_all(struct explore_journal *j, const char *text, size_t size,
                                struct wt_error *err)
{
    const ssize_t done = write(j->fd, text, size);
    if (done == (ssize_t)size)
        return WT_OK;
    return wt_fail(err, WT_IO, "%s: cannot write: %s", j->path,
                   done < 0 ? strerror(errno) : "the disk is full");
}

/* Reads what the file has, and cuts a piece of a line at its end off. */
static enum wt_status read_file(struct explore_journal *j, uint64_t command,
                                explore_journal_fn *take, void *context, struct wt_error *err)
{
    char first[FIRST_BYTES + 1];
    uint8_t *bytes = NULL;
    size_t length, good = 0;
    enum wt_status status = wt_file_read_fd(j->fd, j->path, &bytes, &length, err);
    if (status)
        return status;
    char *text = (char *)bytes;
    snprintf(first, sizeof first, FIRST, command);
    const size_t part = length < FIRST_BYTES ? length : FIRST_BYTES;
    if (strncmp(text, first, part) != 0)
        status = wt_fail(err, WT_INVALID, "%s: it is %s", j->path,
                         strncmp(text, first, part < 19 ? part : 19) == 0
                             ? "the state of another command, or of another program: give another "
                               "file, or remove it"
                             : "no state file of 'wavetrap explore'");
    else if (length >= FIRST_BYTES && (status = take_lines(text, take, context, &good, err)))
        wt_fail_in(err, "%s", j->path);
    free(bytes);
    if (!status && good < length && ftruncate(j->fd, (off_t)good))
        status = wt_fail(err, WT_IO, "%s: cannot write: %s", j->path, strerror(errno));
    return status || good ? status : write_all(j, first, FIRST_BYTES, err);
}

enum wt_status explore_journal_open(struct explore_journal *j, const char *path, uint64_t command,
                                    explore_journal_fn *take, void *context, struct wt_error *err)
{
    *j = (struct explore_journal){open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), path};
    if (j->fd < 0)
        return wt_fail(err, WT_IO, "%s: cannot open: %s", path, strerror(errno));
    enum wt_status status = WT_OK;
    /* A lock of this process alone, not of children that outlive it for a moment. */
    if (fcntl(j->fd, F_SETLK, &(struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET}))
        status = wt_fail(err, WT_INVALID, "%s: another process uses it", path);
    if (!status)
        status = read_file(j, command, take, context, err);
    if (status)
        explore_journal_close(j);
    return status;
}

enum wt_status explore_journal_add(struct explore_journal *j, uint64_t run,
                                   const struct explore_outcome *o, struct wt_error *err)
{
    char *line;
    enum wt_status status = explore_journal_line(run, o, &line, err);
    if (status)
        return status;
    const size_t length = strlen(line);
    line[length] = '\n'; /* the file has no zeros */
    status = write_all(j, line, length + 1, err);
    free(line);
    return status;
}

void explore_journal_close(struct explore_journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    j->fd = -1;
}
