/* Runs and their stops; breakpoints, watchpoints and catchpoints. */
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"

/* ---- what happens ---- */

/* The words of the console for it, without the lines' ends around them; where it happened is on the
 * same line. */
static void put_words(struct wt_program *g, const struct wt_news *n, char text[WAVETRAP_TEXT])
{
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return;
    const struct wt_words words = {.out = out, .program = g};
    wt_words_news(&words, n);
    fclose(out);
    if (!all)
        return;
    const char *from = all + strspn(all, "\n");
    const char *rest = *from == '[' ? strstr(from, "]\n\n") : NULL;
    const int where = rest ? (int)(rest + 1 - from) : 0;
    rest = rest ? rest + 3 : from;
    size_t length = strlen(rest);
    while (length && strchr("\n, ", rest[length - 1]))
        length--;
    snprintf(text, WAVETRAP_TEXT, "%.*s%s%.*s", where, from, where ? " " : "", (int)length, rest);
    free(all);
}

/* Which stop news are; false: they are no stop. */
static bool kind_of(const struct wt_news *n, enum wavetrap_stop_kind *kind)
{
    switch (n->kind) {
    case WT_NEWS_HIT:
    case WT_NEWS_UNDECIDED:
        *kind = n->point->kind == WT_POINT_CATCH ? WAVETRAP_CATCHPOINT : WAVETRAP_BREAKPOINT;
        return true;
    case WT_NEWS_WATCH:
    case WT_NEWS_ACCESS:
    case WT_NEWS_SCOPE_LEFT:
        *kind = WAVETRAP_WATCHPOINT;
        return true;
    case WT_NEWS_FAULT:
        *kind = WAVETRAP_FAULT;
        return true;
    case WT_NEWS_MODULES:
    case WT_NEWS_MISTAKE:
        *kind = WAVETRAP_CATCHPOINT;
        return true;
    case WT_NEWS_INTERRUPTED:
        *kind = WAVETRAP_INTERRUPTED;
        return true;
    case WT_NEWS_TRAP:
        *kind = WAVETRAP_TRAP;
        return true;
    case WT_NEWS_HISTORY_BEGIN:
        *kind = WAVETRAP_HISTORY_BEGIN;
        return true;
    case WT_NEWS_HISTORY_END:
        *kind = WAVETRAP_HISTORY_END;
        return true;
    case WT_NEWS_STEP_OVER:
        *kind = WAVETRAP_STEPPED;
        return true;
    case WT_NEWS_EXITED:
    case WT_NEWS_SIGNALLED:
    case WT_NEWS_PROCESS:
    case WT_NEWS_FAULT_ENDED:
        *kind = WAVETRAP_ENDED;
        return true;
    default:
        return false;
    }
}

bool api_news(void *context, const struct wt_news *n)
{
    struct wavetrap *w = context;
    enum wavetrap_stop_kind kind;
    if (w->stop && (n->kind == WT_NEWS_ALL_RUN || n->kind == WT_NEWS_PASSED)) {
        put_words(api_program(w), n, w->stop->text);
        return true;
    }
    if (!w->stop || !kind_of(n, &kind))
        return n->kind == WT_NEWS_STARTING || (w->stop && n->kind == WT_NEWS_FINISHING);
    w->stop->kind = kind;
    w->stop->point = n->point ? n->point->number : 0;
    w->stop->status = n->kind == WT_NEWS_EXITED || n->kind == WT_NEWS_SIGNALLED ? (int)n->code : -1;
    put_words(api_program(w), n, w->stop->text);
    return true;
}

/* ---- runs ---- */

/* Where the program stands now. */
static void fill_place(struct wavetrap *w, struct wavetrap_stop *stop)
{
    struct wt_program *g = api_program(w);
    struct wt_thread_position place;
    struct wt_debugger_time time;
    struct wt_wave wave;
    if (wt_debugger_time(g->debugger, &time, WT_IGNORED) == WT_OK)
        stop->time = time.now;
    if (!g->started || !g->thread || !wt_debugger_thread_wave(g->debugger, g->thread, &wave) ||
        wt_debugger_thread_position(g->debugger, g->thread, &place, WT_IGNORED))
        return;
    stop->wave = wave.id;
    stop->lane = place.lane;
    stop->pc = place.pc;
}

static void begin_stop(struct wavetrap *w, struct wavetrap_stop *stop)
{
    *stop = (struct wavetrap_stop){.kind = WAVETRAP_STEPPED, .status = -1};
    w->stop = stop;
}

static enum wt_status end_stop(struct wavetrap *w, enum wt_status status)
{
    struct wavetrap_stop *stop = w->stop;
    w->stop = NULL;
    api_observed_drain(&w->observed);
    if (!status)
        fill_place(w, stop);
    return status;
}

/* Starts a program that is not being run. *came: it has ended, or stands at a stop, by that. */
static enum wt_status need_start(struct wavetrap *w, bool *came, struct wt_error *err)
{
    struct wt_program *g = api_program(w);
    *came = false;
    if (g->started || w->d.core_path)
        return WT_OK;
    const enum wt_status status = wt_program_begin(g, err);
    *came = !status && !g->started;
    return status;
}

enum wavetrap_status wavetrap_continue(struct wavetrap *w, bool backwards,
                                       struct wavetrap_stop *stop, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_stepped end;
    bool came;
    begin_stop(w, stop);
    enum wt_status status = need_start(w, &came, err);
    if (!status && !came)
        status = wt_program_continue(api_program(w), backwards, &end, err);
    return api_end(end_stop(w, status), err, error);
}

enum wavetrap_status wavetrap_step(struct wavetrap *w, const struct wavetrap_step *how,
                                   struct wavetrap_stop *stop, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_stepped end;
    const struct wt_step step = {.instructions = how->instructions,
                                 .over = how->over,
                                 .back = how->backwards,
                                 .count = how->count ? how->count : 1};
    begin_stop(w, stop);
    return api_end(end_stop(w, wt_program_step(api_program(w), &step, &end, err)), err, error);
}

enum wavetrap_status wavetrap_finish(struct wavetrap *w, bool backwards, struct wavetrap_stop *stop,
                                     struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_stepped end;
    const struct wt_type *type;
    begin_stop(w, stop);
    return api_end(end_stop(w, wt_program_finish(api_program(w), backwards, &end, &type, err)), err,
                   error);
}

enum wavetrap_status wavetrap_goto(struct wavetrap *w, uint64_t time, struct wavetrap_stop *stop,
                                   struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    begin_stop(w, stop);
    return api_end(end_stop(w, wt_program_goto(api_program(w), time, err)), err, error);
}

enum wavetrap_status wavetrap_time(struct wavetrap *w, uint64_t *now, uint64_t *first,
                                   uint64_t *last, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_debugger_time time;
    const enum wt_status status = wt_debugger_time(api_program(w)->debugger, &time, err);
    if (!status) {
        *now = time.now;
        *first = time.start;
        *last = time.end;
    }
    return api_end(status, err, error);
}

/* ---- points ---- */

enum wavetrap_status wavetrap_break(struct wavetrap *w, const char *place, const char *condition,
                                    unsigned *number, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_point *point;
    char *text = strdup(place);
    struct wt_break what = {.place = text, .condition = condition};
    if (text && !condition)
        what.condition = wt_split_condition(text);
    const enum wt_status status =
        text ? wt_program_set_break(api_program(w), &what, &point, err)
             : wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
    *number = status ? 0 : point->number;
    free(text);
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_watch(struct wavetrap *w, enum wavetrap_watch_kind kind,
                                    const char *expression, const char *condition, unsigned *number,
                                    struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    static const enum wt_point_kind kinds[] = {[WAVETRAP_CHANGES] = WT_POINT_WATCH,
                                               [WAVETRAP_READS] = WT_POINT_READ,
                                               [WAVETRAP_ACCESSES] = WT_POINT_ACCESS};
    struct wt_point *point;
    if ((unsigned)kind >= sizeof kinds / sizeof *kinds)
        return api_end(
            wt_fail(err, WT_INVALID, "there is no watchpoint of kind %u", (unsigned)kind), err,
            error);
    const enum wt_status status = wt_program_set_watch(api_program(w), kinds[kind], expression,
                                                       condition, false, &point, err);
    *number = status ? 0 : point->number;
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_catch(struct wavetrap *w, const char *what, const char *condition,
                                    unsigned *number, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_point *point;
    const enum wt_status status =
        wt_program_set_catch(api_program(w), what, condition, &point, err);
    *number = status ? 0 : point->number;
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_delete(struct wavetrap *w, unsigned number,
                                     struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_point *point = wt_program_point(api_program(w), number);
    if (!point)
        return api_end(wt_fail(err, WT_INVALID, "there is no point number %u", number), err, error);
    wt_program_delete_point(api_program(w), point);
    return api_end(WT_OK, err, error);
}
