/* Lists of threads and lanes, and commands that are executed for each of them. Threads that are
 * alike share a line, where there are many. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/console.h"
#include "frontend/console/internal.h"

enum {
    MOST_APART = 16, /* threads of `thread apply all` */
    RANGES = 60      /* bytes of a list of threads */
};

/* ---- threads that are alike ---- */

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
    const enum wt_frame_arguments before = c->how.arguments;
    struct wt_alikes all = {.count = 0};
    enum wt_status status = WT_OK;
    c->how.arguments = WT_ARGUMENTS_NONE;
    for (size_t i = 0; i < count && !status && !c->script.interrupted; i++) {
        char *said;
        wt_program_select(c->program, list[i].id);
        status = keep_one(c, text, &said, err);
        if (!status)
            status = wt_alikes_add(&all, &list[i], said, err);
        else
            free(said);
    }
    c->how.arguments = before;
    for (size_t i = 0; i < all.count; i++) {
        char threads[WT_ALIKE_TEXT];
        fprintf(c->out, "\nThread%s %s (%zu):\n%s", all.list[i]->count == 1 ? "" : "s",
                wt_alike_list(all.list[i], threads, sizeof threads), all.list[i]->count,
                all.list[i]->text);
    }
    if (all.count < count && !status)
        fprintf(c->out,
                "\n(Threads with the same text are together, without values of arguments: "
                "'thread apply 1-%u %s' shows each.)\n",
                (unsigned)list[count - 1].id, text);
    wt_alikes_free(&all);
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

enum wt_status do_info_threads(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_ranges wanted = {.count = 0};
    text += strcmp(text, "-all") == 0; /* as "all" */
    enum wt_status status = *text ? wt_take_ranges(&text, &wanted, err) : WT_OK;
    if (!status && *text)
        status = wt_fail(err, WT_INVALID, "info threads takes numbers of threads, or -all");
    if (status)
        return status;
    if (c->program->started)
        return wt_words_threads(&c->words, &wanted, err);
    fputs("No threads.\n", c->out);
    return WT_OK;
}
