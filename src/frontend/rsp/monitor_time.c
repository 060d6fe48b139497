/* `monitor time`, goto, hash, mark: time travel for users of an unmodified client. */
#include "frontend/rsp/session.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"

void wt_rsp_time(struct wt_rsp_session *s, const char *args, FILE *out)
{
    const struct wt_target *target = wt_debugger_target(s->debugger);
    struct wt_debugger_time t;
    if (wt_debugger_time(s->debugger, &t, WT_IGNORED)) {
        if (target && target->services->time)
            fprintf(out, "issue time %" PRIu64 "; the run is not recorded\n",
                    target->services->time(target->context));
        else
            fprintf(out, "this device does not report its time\n");
        return;
    }
    fprintf(out, "issue time %" PRIu64 " of %" PRIu64 "-%" PRIu64 "%s\n", t.now, t.start, t.end,
            t.in_past ? ", in the past" : "");
    fprintf(out,
            "recorded: %" PRIu64 " states saved, %.1f MiB of %.1f MiB, at most %" PRIu64
            " issues apart\n",
            t.stats.saved, (double)t.stats.bytes / 1048576, (double)t.stats.budget / 1048576,
            t.stats.widest_gap);
    if (t.stats.lost)
        fprintf(out,
                "before issue time %" PRIu64
                ": lost, since the log of what the debugger did was too "
                "long; it takes %.1f MiB (--history-memory)\n",
                t.stats.lost, (double)t.stats.log / 1048576);
    if (t.stats.branches)
        fprintf(out, "futures dropped after a change in the past: %" PRIu64 "\n", t.stats.branches);
}

static struct wt_rsp_mark *find_mark(struct wt_rsp_session *s, const char *name)
{
    for (size_t i = 0; i < s->mark_count; i++)
        if (strcmp(s->marks[i].name, name) == 0)
            return &s->marks[i];
    return NULL;
}

/* Parses TIME: a number, +N, -N, start, end, or a mark. *early: the time is before the
 * run's begin. */
static bool parse_time(struct wt_rsp_session *s, const char *text, const struct wt_debugger_time *t,
                       uint64_t *time, bool *early)
{
    *early = false;
    const struct wt_rsp_mark *mark = find_mark(s, text);
    const char sign = *text == '+' || *text == '-' ? *text : 0;
    char *end;
    if (mark) {
        *time = mark->time;
        return true;
    }
    if (strcmp(text, "start") == 0 || strcmp(text, "end") == 0) {
        *time = *text == 's' ? t->start : t->end;
        return true;
    }
    text += sign != 0;
    errno = 0;
    const uint64_t number = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || errno)
        return false;
    *early = sign == '-' && number > t->now;
    if (*early)
        return true;
    *time = sign == '-' ? t->now - number : sign == '+' ? t->now + number : number;
    return sign != '+' || *time >= number;
}

/* Prints where the current thread is now. */
static void tell_place(struct wt_rsp_session *s, FILE *out)
{
    const unsigned pc_index = (unsigned)s->topology->pc_index;
    const wt_thread thread = wt_debugger_current_thread(s->debugger);
    char name[WT_THREAD_NAME];
    uint64_t pc;
    if (wt_debugger_ended(s->debugger, NULL)) {
        fprintf(out, ": the program has ended\n");
        return;
    }
    wt_debugger_thread_name(s->debugger, thread, name, sizeof name);
    fprintf(out, ": %s", name);
    if (wt_debugger_read_numbers(s->debugger, thread, &pc_index, 1, &pc, WT_IGNORED) == WT_OK)
        fprintf(out, " at 0x%" PRIx64, pc);
    fputc('\n', out);
}

static void end_goto(struct wt_rsp_session *s, const struct wt_event *event, FILE *out)
{
    struct wt_error ignored;
    struct wt_debugger_time t = {0};
    /* The client keeps its chosen thread, so the debugger keeps it, too, if it exists. */
    const bool there = s->general && wt_debugger_thread_alive(s->debugger, s->general);
    s->control = 0;
    wt_rsp_close_hits(s);
    wt_rsp_forget_shown(s, 0);
    s->last = wt_rsp_standing(s);
    if (!there)
        s->general = s->last.kind == WT_EVENT_STOPPED ? s->last.thread : 0;
    wt_debugger_time(s->debugger, &t, &ignored);
    if (event->reason == WT_STOP_INTERRUPTED)
        fprintf(out, "Interrupted on the way, at ");
    fprintf(out, "issue time %" PRIu64 "%s", t.now, t.in_past ? "" : " (the present)");
    tell_place(s, out);
    fputs(wt_rsp_stale(s), out);
}

void wt_rsp_goto(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err = {0};
    struct wt_debugger_time t;
    uint64_t time;
    if (wt_debugger_time(s->debugger, &t, &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    bool early = false;
    if (!*args || !parse_time(s, args, &t, &time, &early)) {
        fprintf(out,
                "'%s' is not an issue time: a number, +N, -N, start, end, or the name of a mark "
                "('monitor mark' lists them)\n",
                args);
        return;
    }
    if (early) {
        fprintf(out,
                "'%s' is not an issue time: it is before the beginning (now it is %" PRIu64
                ", and %" PRIu64 " to %" PRIu64 " is recorded)\n",
                args, t.now, t.start, t.end);
        return;
    }
    if (wt_client_begin_run(s->client, &err) || wt_debugger_begin_goto(s->debugger, time, &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    wt_rsp_begin_errand(s, &(struct wt_rsp_errand){.end = end_goto});
}

void wt_rsp_hash(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err = {0};
    struct wt_debugger_time t;
    uint64_t hash;
    if (wt_debugger_hash(s->debugger, &hash, &err) || wt_debugger_time(s->debugger, &t, &err))
        fprintf(out, "%s\n", err.text);
    else
        fprintf(out, "%016" PRIx64 " at issue time %" PRIu64 "\n", hash, t.now);
}

static void list_marks(struct wt_rsp_session *s, FILE *out)
{
    if (!s->mark_count)
        fprintf(out, "There are no marks: 'monitor mark NAME' sets one here.\n");
    for (size_t i = 0; i < s->mark_count; i++)
        fprintf(out, "%-20s %" PRIu64 "\n", s->marks[i].name, s->marks[i].time);
}

void wt_rsp_mark(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_error err = {0};
    struct wt_debugger_time t;
    if (!*args) {
        list_marks(s, out);
        return;
    }
    if (wt_debugger_time(s->debugger, &t, &err)) {
        fprintf(out, "%s\n", err.text);
        return;
    }
    struct wt_rsp_mark *mark = find_mark(s, args);
    if (!isalpha((unsigned char)*args) || strlen(args) >= sizeof mark->name ||
        strpbrk(args, " \t") || strcmp(args, "start") == 0 || strcmp(args, "end") == 0) {
        fprintf(out,
                "'%s' cannot name a mark: a word of at most %zu characters that begins with a "
                "letter, other than start and end\n",
                args, sizeof mark->name - 1);
        return;
    }
    if (!mark) {
        struct wt_rsp_mark *grown =
            wt_array_grow(s->marks, &s->mark_capacity, s->mark_count + 1, sizeof *grown);
        if (!grown) {
            fprintf(out, "out of memory for a mark\n");
            return;
        }
        s->marks = grown;
        mark = &s->marks[s->mark_count++];
        strcpy(mark->name, args);
    }
    mark->time = t.now;
    fprintf(out, "%s is issue time %" PRIu64 "\n", mark->name, mark->time);
}

void wt_rsp_unmark(struct wt_rsp_session *s, const char *args, FILE *out)
{
    struct wt_rsp_mark *mark = find_mark(s, args);
    if (!mark) {
        fprintf(out, "there is no mark '%s'\n", args);
        return;
    }
    memmove(mark, mark + 1, (size_t)(s->marks + s->mark_count - mark - 1) * sizeof *mark);
    s->mark_count--;
    fprintf(out, "%s is forgotten\n", args);
}

void wt_rsp_stop_at_end(struct wt_rsp_session *s, const char *args, FILE *out)
{
    const bool on = strcmp(args, "on") == 0;
    if (*args && !on && strcmp(args, "off") != 0) {
        fprintf(out, "'%s' is neither on nor off\n", args);
        return;
    }
    if (on && !wt_debugger_has_history(s->debugger)) {
        fprintf(out, "the run is not recorded, so its end cannot be gone back from\n");
        return;
    }
    if (*args)
        wt_debugger_set_stop_at_end(s->debugger, on);
    fprintf(out, "The program %s before its end.\n",
            wt_debugger_stops_at_end(s->debugger) ? "is stopped" : "is not stopped");
}

static bool is_in_working_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    struct stat here, there;
    if (!slash)
        return true;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash == path ? 1 : slash - path), path);
    return stat(".", &here) == 0 && stat(folder, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/*
 * Makes an empty file that is to be replaced: whoever can connect to a port is not thereby somebody
 * who may overwrite files. False, with a reason, where it would not be a new file of the working
 * folder.
 */
static bool make_new_file(const char *name, FILE *out)
{
    int fd = -1;
    if (!is_in_working_folder(name))
        fprintf(out,
                "%s: clients of this server write new files in its working folder only, unless it "
                "is started with --allow-files\n",
                name);
    else if ((fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0)
        fprintf(out, "%s: cannot create: %s%s\n", name, strerror(errno),
                errno == EEXIST
                    ? "; clients of this server write new files only (it was not started with "
                      "--allow-files)"
                    : "");
    else
        close(fd);
    return fd >= 0;
}

void wt_rsp_generate_core(struct wt_rsp_session *s, const char *args, FILE *out)
{
    char path[4096];
    struct wt_error err;
    struct wt_debugger_time time;
    uint64_t issues = 0;
    const size_t length = strcspn(args, " ");
    const char *rest = args + length + strspn(args + length, " ");
    if (!length || length >= sizeof path ||
        (*rest && strcmp(rest, "all") && wt_parse_number(rest, &issues, &err) != WT_OK)) {
        fprintf(out, "'monitor generate-core FILE', followed by a number of issues or 'all' for "
                     "what was recorded.\n");
        return;
    }
    const bool recorded =
        wt_debugger_time(s->debugger, &time, WT_IGNORED) == WT_OK && time.start < time.end;
    if (strcmp(rest, "all") == 0 || (!*rest && recorded))
        issues = UINT64_MAX;
    snprintf(path, sizeof path, "%.*s", (int)length, args);
    const bool there = s->general && wt_debugger_thread_alive(s->debugger, s->general);
    const wt_thread thread = there ? s->general : wt_debugger_current_thread(s->debugger);
    if (!s->options->allow_files && !make_new_file(path, out))
        return;
    if (wt_debugger_save_core_file(s->debugger, path, issues, thread, "", &err) == WT_OK) {
        fprintf(out, "Saved corefile %s\n", path);
        return;
    }
    fprintf(out, "%s\n", err.text);
    if (!s->options->allow_files)
        unlink(path);
}
