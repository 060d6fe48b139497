/* Lists of threads and lanes, and commands that are executed for each of them. Threads that are
 * alike share a line, where there are many. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

enum {
    MOST_THREAD_LINES = 256, /* of `info threads` */
    MOST_APART = 16,         /* of `thread apply all` */
    MOST_RANGES = 60         /* bytes of a list of threads */
};

/* ---- threads that are alike ---- */

/** Threads with the same text. */
struct alike {
    char *text;
    FILE *ranges; /**< writes into: */
    char *list;
    size_t list_size, count;
    struct wt_thread_info example; /**< the first of them */
    wt_thread first, last;         /**< of the range at hand */
    size_t waves;
    wt_wave_id wave; /**< the last one */
};

struct alikes {
    struct alike **list; /**< each stays where it is: a stream writes into it */
    size_t count, capacity;
};

static void end_range(struct alike *a)
{
    fprintf(a->ranges, "%s%u", ftell(a->ranges) ? ", " : "", (unsigned)a->first);
    if (a->last != a->first)
        fprintf(a->ranges, "-%u", (unsigned)a->last);
}

static struct alike *new_alike(struct alikes *all, const struct wt_thread_info *thread, char *text)
{
    struct alike **grown =
        wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof(struct alike *));
    struct alike *a = grown ? malloc(sizeof *a) : NULL;
    if (grown)
        all->list = grown;
    if (!a)
        return NULL;
    *a = (struct alike){.text = text, .example = *thread, .first = thread->id, .waves = 1};
    a->ranges = open_memstream(&a->list, &a->list_size);
    if (!a->ranges) {
        free(a);
        return NULL;
    }
    return grown[all->count++] = a;
}

/* Adds a thread to those of its text, which is taken over. */
static enum wt_status add_alike(struct alikes *all, const struct wt_thread_info *thread, char *text,
                                struct wt_error *err)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->list[i]->text, text) != 0)
        i++;
    struct alike *a = i < all->count ? all->list[i] : new_alike(all, thread, text);
    if (!a || a->text != text)
        free(text);
    if (!a)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (a->count && thread->id != a->last + 1) {
        end_range(a);
        a->first = thread->id;
    }
    a->waves += a->count && a->wave != thread->wave;
    a->last = thread->id;
    a->wave = thread->wave;
    a->count++;
    return WT_OK;
}

/* The threads of a text, "1-64, 70"; a long list ends with "…". */
static const char *list_of(struct alike *a, char *text, size_t size)
{
    end_range(a);
    fflush(a->ranges);
    size_t length = strlen(a->list);
    if (length > MOST_RANGES)
        for (length = MOST_RANGES; length && a->list[length] != ','; length--)
            ;
    snprintf(text, size, "%.*s%s", (int)length, a->list, a->list[length] ? ", …" : "");
    return text;
}

static void free_alikes(struct alikes *all)
{
    for (size_t i = 0; i < all->count; i++) {
        fclose(all->list[i]->ranges);
        free(all->list[i]->list);
        free(all->list[i]->text);
        free(all->list[i]);
    }
    free(all->list);
}

/* ---- apply ---- */

/* Executes a command for one lane or thread. Ctrl-C ends the command, and `apply` with it. */
static enum wt_status apply_one(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_shell_options *user = &c->options;
    c->script.interrupted = false;
    enum wt_status status = wt_shell_execute(c, text, err);
    c->script.interrupted |= c->pager.quit;
    if (!status && !c->script.interrupted && user->interrupted && user->interrupted(user->context))
        return wt_fail(err, WT_STATE, "Interrupted.");
    return status;
}

/* Commands whose texts of threads are compared: those that leave the program as it is. */
static bool folds(const char *text)
{
    static const char *const list[] = {"backtrace", "bt", "where", "frame", "f",
                                       "output",    "x",  "info",  "i"};
    const size_t length = wt_language_word(text);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strlen(list[i]) == length && strncmp(list[i], text, length) == 0)
            return true;
    return false;
}

/* Executes a command for one thread and keeps what it prints. */
static enum wt_status keep_one(struct wt_shell *c, const char *text, char **said,
                               struct wt_error *err)
{
    FILE *out = c->out;
    size_t size;
    *said = NULL;
    FILE *kept = open_memstream(said, &size);
    if (!kept)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    c->out = kept;
    const enum wt_status status = apply_one(c, text, err);
    c->out = out;
    fclose(kept);
    return status;
}

/* `thread apply all`: a text that is that of several threads is printed once. Values of arguments
 * differ between all lanes, so that stacks are compared without them. */
static enum wt_status apply_alike(struct wt_shell *c, const char *text,
                                  const struct wt_thread_info *list, size_t count,
                                  struct wt_error *err)
{
    const enum frame_arguments before = c->settings.frame_arguments;
    struct alikes all = {.count = 0};
    enum wt_status status = WT_OK;
    c->settings.frame_arguments = ARGUMENTS_NONE;
    for (size_t i = 0; i < count && !status && !c->script.interrupted; i++) {
        char *said;
        wt_program_select(c->program, list[i].id);
        status = keep_one(c, text, &said, err);
        if (!status)
            status = add_alike(&all, &list[i], said, err);
        else
            free(said);
    }
    c->settings.frame_arguments = before;
    for (size_t i = 0; i < all.count; i++) {
        char threads[2 * MOST_RANGES];
        fprintf(c->out, "\nThread%s %s (%zu):\n%s", all.list[i]->count == 1 ? "" : "s",
                list_of(all.list[i], threads, sizeof threads), all.list[i]->count,
                all.list[i]->text);
    }
    if (all.count < count && !status)
        fprintf(c->out,
                "\n(Threads with the same text are together, without values of arguments: "
                "'thread apply 1-%u %s' tells of each.)\n",
                (unsigned)list[count - 1].id, text);
    free_alikes(&all);
    return status;
}

static enum wt_status apply_apart(struct wt_shell *c, const char *text,
                                  const struct wt_thread_info *list, size_t count,
                                  struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status && !c->script.interrupted; i++) {
        char name[WT_THREAD_NAME];
        wt_program_select(c->program, list[i].id);
        wt_debugger_thread_name(c->program->debugger, list[i].id, name, sizeof name);
        fprintf(c->out, "\nThread %u (%s):\n", (unsigned)list[i].id, name);
        status = apply_one(c, text, err);
    }
    return status;
}

static enum wt_status apply_to_lanes(struct wt_shell *c, const char *text,
                                     const struct wt_ranges *ranges, bool *any,
                                     struct wt_error *err)
{
    enum wt_status status = WT_OK;
    struct wt_wave wave;
    if (!wt_debugger_thread_wave(c->program->debugger, c->program->thread, &wave))
        return wt_fail(err, WT_STATE, "No thread selected");
    for (unsigned lane = 0; lane < wave.lanes && !status && !c->script.interrupted; lane++) {
        if (!wt_ranges_have(ranges, lane))
            continue;
        *any = true;
        if ((status = wt_program_select_lane(c->program, lane, err)) != WT_OK)
            break;
        fprintf(c->out, "\n%s %u:\n", c->program->topology->lane_word, lane);
        status = apply_one(c, text, err);
    }
    return status;
}

static enum wt_status apply_to_threads(struct wt_shell *c, const char *text, bool together,
                                       const struct wt_ranges *ranges, bool *any,
                                       struct wt_error *err)
{
    const struct wt_thread_info *list;
    size_t count, chosen = 0;
    enum wt_status status = wt_debugger_threads(c->program->debugger, &list, &count, err);
    if (status)
        return status;
    struct wt_thread_info *copy = malloc(count * sizeof *copy + 1);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t i = 0; i < count; i++)
        if (wt_ranges_have(ranges, list[i].id))
            copy[chosen++] = list[i];
    *any = chosen;
    status = together && chosen > MOST_APART && folds(text)
                 ? apply_alike(c, text, copy, chosen, err)
                 : apply_apart(c, text, copy, chosen, err);
    free(copy);
    return status;
}

enum wt_status apply(struct wt_shell *c, const char *text, bool lanes, struct wt_error *err)
{
    const wt_thread before = c->program->thread;
    struct wt_ranges ranges = {.count = 0};
    bool any = false;
    c->script.interrupted = false;
    enum wt_status status = wt_take_ranges(&text, &ranges, err);
    if (!status && !*text)
        status = wt_fail(err, WT_INVALID, "Please specify a command at the end of 'apply'");
    if (!status && !before)
        status = wt_fail(err, WT_STATE, "No thread selected");
    if (status)
        return status;
    status = lanes ? apply_to_lanes(c, text, &ranges, &any, err)
                   : apply_to_threads(c, text, ranges.last[0] == UINT64_MAX, &ranges, &any, err);
    if (c->program->started)
        wt_program_select(c->program, before);
    if (!status && !any)
        return wt_fail(err, WT_INVALID, "There is no such %s.",
                       lanes ? c->program->topology->lane_word : "thread");
    return status;
}

/* "thread find REGEX": threads of that name or place. */
enum wt_status find_threads(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_thread_info *list;
    size_t count, found = 0;
    regex_t wanted;
    enum wt_status status = take_pattern(text, "thread find", 0, &wanted, err);
    if (status)
        return status;
    status = wt_debugger_threads(c->program->debugger, &list, &count, err);
    for (size_t i = 0; !status && i < count; i++) {
        char name[WT_THREAD_NAME], place[300];
        wt_debugger_thread_name(c->program->debugger, list[i].id, name, sizeof name);
        wt_modules_describe(c->program->modules, 0, list[i].pc, place, sizeof place);
        if (regexec(&wanted, name, 0, NULL, 0) != 0 && regexec(&wanted, place, 0, NULL, 0) != 0)
            continue;
        fprintf(c->out, "Thread %u is %s, at %s\n", (unsigned)list[i].id, name, place);
        found++;
    }
    regfree(&wanted);
    if (!status && !found)
        fprintf(c->out, "No threads match '%s'\n", text);
    return status;
}

static enum wt_status apply_to_all(struct wt_shell *c, const char *how, const char *text,
                                   struct wt_error *err)
{
    char *line;
    if (!*text)
        return wt_fail(err, WT_INVALID, "Please specify a command to apply on all threads");
    if (asprintf(&line, "%s%s", how, text) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    const enum wt_status status = apply(c, line, false, err);
    free(line);
    return status;
}

enum wt_status do_taas(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return apply_to_all(c, "all ", text, err);
}

enum wt_status do_tfaas(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return apply_to_all(c, "all faas ", text, err);
}

/* ---- info threads ---- */

/* How many of the threads from the first one on share its line: lanes of one wave at one place. */
static size_t count_alike(const struct wt_shell *c, const struct wt_thread_info *list, size_t count)
{
    size_t n = 1;
    while (n < count && list[n].wave == list->wave && list[n].pc == list->pc &&
           list[n].running == list->running && list[n].id == list->id + n &&
           list[n].enabled == list->enabled && list[n].id != c->program->thread &&
           list->id != c->program->thread)
        n++;
    return n;
}

static void put_thread_place(struct wt_shell *c, const struct wt_thread_info *thread)
{
    if (thread->running)
        fputs("(running)", c->out);
    else
        put_code_place(c, thread->pc);
}

/* Lines for threads, of which lanes of a wave at one place share one (@p shares). */
static void print_threads(struct wt_shell *c, const struct wt_thread_info *list, size_t count,
                          const struct wt_ranges *wanted, bool shares)
{
    for (size_t i = 0, n; i < count; i += n) {
        char name[WT_THREAD_NAME + 16], number[32];
        n = shares ? count_alike(c, &list[i], count - i) : 1;
        if (!wt_ranges_have(wanted, list[i].id))
            continue;
        wt_debugger_thread_name(c->program->debugger, list[i].id, name, WT_THREAD_NAME);
        snprintf(number, sizeof number, n > 1 ? "%u..%u" : "%u", (unsigned)list[i].id,
                 (unsigned)list[i + n - 1].id);
        if (n > 1)
            snprintf(name + strlen(name), sizeof name - strlen(name), "..%u", list[i + n - 1].lane);
        fprintf(c->out, "%c %-*s %-40s ", list[i].id == c->program->thread ? '*' : ' ',
                shares ? 12 : 5, number, name);
        put_thread_place(c, &list[i]);
        fputc('\n', c->out);
    }
}

/* Lines for places, each with the threads that stand there. */
static enum wt_status print_places(struct wt_shell *c, const struct wt_thread_info *list,
                                   size_t count, struct wt_error *err)
{
    struct alikes all = {.count = 0};
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++) {
        char *place;
        if (list[i].id == c->program->thread)
            print_threads(c, &list[i], 1, &(struct wt_ranges){.count = 1, .last = {UINT64_MAX}},
                          true);
        else if (asprintf(&place, "%d %d %" PRIu64, list[i].running, list[i].enabled,
                          list[i].running ? 0 : list[i].pc) < 0)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        else
            status = add_alike(&all, &list[i], place, err);
    }
    for (size_t i = 0; i < all.count && !status; i++) {
        char threads[2 * MOST_RANGES], what[100];
        snprintf(what, sizeof what, "%zu threads of %zu %s%s%s", all.list[i]->count,
                 all.list[i]->waves, c->program->topology->wave_word,
                 all.list[i]->waves == 1 ? "" : "s",
                 all.list[i]->example.enabled ? "" : ", masked off");
        fprintf(c->out, "  %-24s %-40s ", list_of(all.list[i], threads, sizeof threads), what);
        put_thread_place(c, &all.list[i]->example);
        fputc('\n', c->out);
    }
    free_alikes(&all);
    return status;
}

enum wt_status do_info_threads(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_thread_info *list;
    struct wt_ranges wanted = {.count = 1, .last = {UINT64_MAX}};
    size_t count;
    enum wt_status status = WT_OK;
    const bool chosen = *text;
    if (chosen) {
        wanted.count = 0;
        status = wt_take_ranges(&text, &wanted, err);
    }
    if (!status && *text)
        status = wt_fail(err, WT_INVALID, "info threads takes numbers of threads, or \"all\"");
    if (status)
        return status;
    if (!c->program->started) {
        fputs("No threads.\n", c->out);
        return WT_OK;
    }
    if ((status = wt_debugger_threads(c->program->debugger, &list, &count, err)) != WT_OK)
        return status;
    if (chosen || count <= MOST_THREAD_LINES) {
        print_threads(c, list, count, &wanted, false);
        return WT_OK;
    }
    status = print_places(c, list, count, err);
    if (!status)
        fputs("('info threads all' has a line for each of them.)\n", c->out);
    return status;
}
