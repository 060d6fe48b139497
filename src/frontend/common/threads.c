/* Threads in words: lists in which those that are alike share a line. See words.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/common/words.h"

enum {
    MOST_THREAD_LINES = 16, /* lines of a list of threads, unless asked for */
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

static void put_thread_place(const struct wt_words *w, const struct wt_thread_info *thread)
{
    char text[600] = "(running)";
    if (!thread->running)
        wt_frames_describe(w->program->debugger, w->program->modules, thread->id, thread->pc, false,
                           text, sizeof text);
    fputs(text, w->out);
}

/* A line for each thread that is wanted. */
static void print_threads(const struct wt_words *w, const struct wt_thread_info *list, size_t count,
                          const struct wt_ranges *wanted)
{
    for (size_t i = 0; i < count; i++) {
        char name[WT_THREAD_NAME];
        if (!wt_ranges_have(wanted, list[i].id))
            continue;
        wt_debugger_thread_name(w->program->debugger, list[i].id, name, sizeof name);
        fprintf(w->out, "%c %-5u %-40s ", list[i].id == w->program->thread ? '*' : ' ',
                (unsigned)list[i].id, name);
        put_thread_place(w, &list[i]);
        fputc('\n', w->out);
    }
}

/* Who stands at one place: "…, warp 2, lane 0..31" of one wave's lanes side by side; else counts.
 */
static void name_alike(const struct wt_words *w, const struct wt_alike *a, char *text, size_t size)
{
    const struct wt_thread_info *first = &a->example;
    const struct wt_topology *t = w->program->topology;
    const char *after = first->enabled ? "" : " (masked off)";
    struct wt_wave wave;
    if (a->waves > 1 || a->last - first->id != a->count - 1) {
        snprintf(text, size, "%zu %ss of %zu %s%s%s", a->count, t->lane_word, a->waves,
                 t->wave_word, a->waves == 1 ? "" : "s", after);
    } else if (a->count > 1 && wt_debugger_thread_wave(w->program->debugger, first->id, &wave)) {
        wt_debugger_name_wave(w->program->debugger, &wave, text, size);
        snprintf(text + strlen(text), size - strlen(text), ", %s %u..%zu%s", t->lane_word,
                 first->lane, first->lane + a->count - 1, after);
    } else {
        wt_debugger_thread_name(w->program->debugger, first->id, text, size);
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
            print_threads(w, &list[i], 1, &all_of_them);
        else if (asprintf(&place, "%d %d %" PRIu64, list[i].running, list[i].enabled,
                          list[i].running ? 0 : list[i].pc) < 0)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        else
            status = wt_alikes_add(&all, &list[i], place, err);
    }
    for (size_t i = 0; i < all.count && !status; i++) {
        char threads[WT_ALIKE_TEXT], name[WT_THREAD_NAME + 16];
        name_alike(w, all.list[i], name, sizeof name);
        fprintf(w->out, "  %-5s %-40s ", wt_alike_list(all.list[i], threads, sizeof threads), name);
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
        print_threads(w, list, count, wanted->count ? wanted : &all_of_them);
        return WT_OK;
    }
    status = print_places(w, list, count, err);
    if (!status)
        fputs("('info threads -all' has a line for each of them.)\n", w->out);
    return status;
}
