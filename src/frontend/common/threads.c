/* Threads in words: lists in which those that are alike share a line. See words.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/common/words.h"

enum {
    MOST_THREAD_LINES = 256, /* of a list of all threads */
    RANGES = WT_ALIKE_TEXT / 2
};

static const struct wt_ranges all_of_them = {.count = 1, .last = {UINT64_MAX}};

static void end_range(struct wt_alike *a)
{
    fprintf(a->ranges, "%s%u", ftell(a->ranges) ? ", " : "", (unsigned)a->first);
    if (a->last != a->first)
        fprintf(a->ranges, "-%u", (unsigned)a->last);
}

static struct wt_alike *new_alike(struct wt_alikes *all, const struct wt_thread_info *thread,
                                  char *text)
{
    struct wt_alike **grown =
        wt_array_grow(all->list, &all->capacity, all->count + 1, sizeof(struct wt_alike *));
    struct wt_alike *a = grown ? malloc(sizeof *a) : NULL;
    if (grown)
        all->list = grown;
    if (!a)
        return NULL;
    *a = (struct wt_alike){.text = text, .example = *thread, .first = thread->id, .waves = 1};
    a->ranges = open_memstream(&a->list, &a->list_size);
    if (!a->ranges) {
        free(a);
        return NULL;
    }
    return grown[all->count++] = a;
}

/* Adds a thread to those of its text, which is taken over. */
enum wt_status wt_alikes_add(struct wt_alikes *all, const struct wt_thread_info *thread, char *text,
                             struct wt_error *err)
{
    size_t i = 0;
    while (i < all->count && strcmp(all->list[i]->text, text) != 0)
        i++;
    struct wt_alike *a = i < all->count ? all->list[i] : new_alike(all, thread, text);
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
const char *wt_alike_list(struct wt_alike *a, char *text, size_t size)
{
    end_range(a);
    fflush(a->ranges);
    size_t length = strlen(a->list);
    if (length > RANGES)
        for (length = RANGES; length && a->list[length] != ','; length--)
            ;
    snprintf(text, size, "%.*s%s", (int)length, a->list, a->list[length] ? ", …" : "");
    return text;
}

void wt_alikes_free(struct wt_alikes *all)
{
    for (size_t i = 0; i < all->count; i++) {
        fclose(all->list[i]->ranges);
        free(all->list[i]->list);
        free(all->list[i]->text);
        free(all->list[i]);
    }
    free(all->list);
}

/* How many of the threads from the first one on share its line: lanes of one wave at one place. */
static size_t count_alike(const struct wt_words *w, const struct wt_thread_info *list, size_t count)
{
    size_t n = 1;
    while (n < count && list[n].wave == list->wave && list[n].pc == list->pc &&
           list[n].running == list->running && list[n].id == list->id + n &&
           list[n].enabled == list->enabled && list[n].id != w->program->thread &&
           list->id != w->program->thread)
        n++;
    return n;
}

static void put_thread_place(const struct wt_words *w, const struct wt_thread_info *thread)
{
    if (thread->running)
        fputs("(running)", w->out);
    else
        wt_words_place(w, thread->pc);
}

/* Lines for threads, of which lanes of a wave at one place share one (@p shares). */
static void print_threads(const struct wt_words *w, const struct wt_thread_info *list, size_t count,
                          const struct wt_ranges *wanted, bool shares)
{
    for (size_t i = 0, n; i < count; i += n) {
        char name[WT_THREAD_NAME + 16], number[32];
        n = shares ? count_alike(w, &list[i], count - i) : 1;
        if (!wt_ranges_have(wanted, list[i].id))
            continue;
        wt_debugger_thread_name(w->program->debugger, list[i].id, name, WT_THREAD_NAME);
        snprintf(number, sizeof number, n > 1 ? "%u..%u" : "%u", (unsigned)list[i].id,
                 (unsigned)list[i + n - 1].id);
        if (n > 1)
            snprintf(name + strlen(name), sizeof name - strlen(name), "..%u", list[i + n - 1].lane);
        fprintf(w->out, "%c %-*s %-40s ", list[i].id == w->program->thread ? '*' : ' ',
                shares ? 12 : 5, number, name);
        put_thread_place(w, &list[i]);
        fputc('\n', w->out);
    }
}

/* Lines for places, each with the threads that stand there. */
static enum wt_status print_places(const struct wt_words *w, const struct wt_thread_info *list,
                                   size_t count, struct wt_error *err)
{
    struct wt_alikes all = {.count = 0};
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++) {
        char *place;
        if (list[i].id == w->program->thread)
            print_threads(w, &list[i], 1, &all_of_them, true);
        else if (asprintf(&place, "%d %d %" PRIu64, list[i].running, list[i].enabled,
                          list[i].running ? 0 : list[i].pc) < 0)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        else
            status = wt_alikes_add(&all, &list[i], place, err);
    }
    for (size_t i = 0; i < all.count && !status; i++) {
        char threads[WT_ALIKE_TEXT], what[100];
        snprintf(what, sizeof what, "%zu threads of %zu %s%s%s", all.list[i]->count,
                 all.list[i]->waves, w->program->topology->wave_word,
                 all.list[i]->waves == 1 ? "" : "s",
                 all.list[i]->example.enabled ? "" : ", masked off");
        fprintf(w->out, "  %-24s %-40s ", wt_alike_list(all.list[i], threads, sizeof threads),
                what);
        put_thread_place(w, &all.list[i]->example);
        fputc('\n', w->out);
    }
    wt_alikes_free(&all);
    return status;
}

enum wt_status wt_words_threads(const struct wt_words *w, const struct wt_ranges *wanted,
                                struct wt_error *err)
{
    const struct wt_thread_info *list;
    size_t count;
    enum wt_status status = wt_debugger_threads(w->program->debugger, &list, &count, err);
    if (status)
        return status;
    if (wanted->count || count <= MOST_THREAD_LINES) {
        print_threads(w, list, count, wanted->count ? wanted : &all_of_them, false);
        return WT_OK;
    }
    status = print_places(w, list, count, err);
    if (!status)
        fputs("('info threads all' has a line for each of them.)\n", w->out);
    return status;
}
