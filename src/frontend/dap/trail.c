/*
 * "wavetrap/trail": how a value came to be, as places in the recorded run, the earliest first: the
 * instructions that it was made of, or the stores to it, and at the end the value itself. A page
 * shows them as arrows from cell to cell and from line to line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/demangle.h"
#include "debug/core/touches.h"
#include "debug/source/described.h"
#include "debug/source/inlined.h"
#include "frontend/common/common.h"
#include "frontend/dap/internal.h"

/* An instruction of the trail. */
struct trail_step {
    uint64_t time, wave, pc;
    wt_lanes lanes;
    unsigned line;               /* 0: not known */
    const char *file, *function; /* NULL: not known */
    size_t fold;                 /* the turns of a loop that it is in; 0: none, it is shown */
};

struct trail {
    struct wt_dap *d;
    struct trail_step step[DAP_TRAIL_STEPS]; /* the latest first */
    size_t count;
    uint64_t pc; /* the latest step's, which may not be in the list */
    size_t folds;
    struct json_object *fold; /* texts */
};

static struct trail_step step_at(struct wt_dap *d, const struct wt_slice_step *s)
{
    const struct wt_called_place place = wt_place_in_calls(s->pc, &s->calls);
    struct trail_step step = {.time = s->time, .wave = s->id, .pc = s->pc, .lanes = s->lanes};
    struct wt_inlined call;
    wt_described_call(d->g->modules, &place, &call);
    step.file = call.path;
    step.line = call.path ? call.line : 0;
    step.function = call.function;
    return step;
}

static bool same_line(const struct trail_step *a, const struct trail_step *b)
{
    return a->wave == b->wave && a->fold == b->fold && a->line == b->line &&
           (a->line ? strcmp(a->file, b->file) == 0 : a->pc == b->pc);
}

/* Adds a step unless its line is shown already; in a fold, unless it is of the same turn and line
 * as the one after it in time. */
static void add_step(struct trail *t, const struct wt_slice_step *s, size_t fold)
{
    struct trail_step step = step_at(t->d, s);
    const bool goes_on = t->count && s->pc < t->pc;
    t->pc = s->pc;
    step.fold = fold;
    for (size_t i = t->count; i > 0; i--) {
        if (fold && (!goes_on || i < t->count))
            break;
        if (same_line(&step, &t->step[i - 1]))
            return;
    }
    if (t->count < DAP_TRAIL_STEPS)
        t->step[t->count++] = step;
}

static bool line_at(void *context, const struct wt_called_place *place, struct wt_slice_line *line)
{
    const struct trail *t = context;
    line->text = "";
    return wt_described_line(t->d->g->modules, place, &line->file, &line->number);
}

static void add_turns(void *context, const struct wt_slice_turns *turns)
{
    struct trail *t = context;
    const size_t others = turns->turns - 1;
    char lines[300];
    if (!wt_slice_lines(line_at, t, turns->first, turns->turn, lines, sizeof lines))
        snprintf(lines, sizeof lines, "a loop");
    char *text = dap_format("%zu more turn%s of %s", others, others == 1 ? "" : "s", lines);
    json_object_array_add(t->fold, json_object_new_string(text));
    free(text);
    t->folds++;
    for (size_t i = turns->turn; i < turns->all; i++)
        add_step(t, &turns->first[i], t->folds);
}

static void add_shown(void *context, const struct wt_slice_turns *turns)
{
    add_step(context, turns->first, 0);
    if (turns->turns > 1)
        add_turns(context, turns);
}

/* ---- searches ---- */

static int later_first(const void *a, const void *b)
{
    const struct wt_slice_step *x = a, *y = b;
    return x->time < y->time ? 1 : -(x->time > y->time);
}

static enum wt_status find_stores(struct wt_dap *d, const char *text, struct wt_slice_found *to,
                                  struct wt_error *err)
{
    struct wt_touch *list = NULL;
    struct wt_home home;
    size_t found = 0;
    enum wt_status status = wt_program_find_home(d->g, text, &home, err);
    if (status)
        return status;
    home.where.kind = WT_WATCHPOINT_WRITE;
    status = wt_program_touches(d->g, &home, DAP_TRAIL_STEPS, &list, &found, &to->more, err);
    if (!status && !(to->step = calloc(found + 1, sizeof *to->step)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    for (size_t i = 0; !status && i < found && i < DAP_TRAIL_STEPS; i++)
        to->step[to->steps++] = (struct wt_slice_step){.time = list[i].time,
                                                       .id = list[i].by.id,
                                                       .pc = list[i].pc,
                                                       .lanes = list[i].lanes,
                                                       .calls = list[i].calls};
    if (to->steps)
        qsort(to->step, to->steps, sizeof *to->step, later_first);
    free(list);
    wt_home_free(&home);
    return status;
}

static enum wt_status find_origins(struct wt_dap *d, const char *text, struct wt_slice_found *to,
                                   struct wt_error *err)
{
    const struct wt_slice_limits limits = {.depth = 64, .steps = DAP_TRAIL_STEPS};
    struct wt_where_from from = {.unwritten = 0};
    const enum wt_status status = wt_program_where_from(d->g, text, &limits, &from, err);
    *to = from.found;
    return status;
}

/* ---- the answer ---- */

void dap_put_place(struct json_object *list, const struct wt_check_place *place)
{
    struct json_object *o = dap_add_object(list);
    char id[24], lanes[40], name[512];
    if (place->wave != WT_NO_WAVE) {
        snprintf(id, sizeof id, "%" PRIu64, place->wave);
        dap_put_text(o, "wave", id);
        wt_mask_text(place->lanes, lanes, sizeof lanes);
        dap_put_text(o, "lanes", lanes + strlen("0x"));
        dap_put_number(o, "time", (int64_t)place->time);
    }
    dap_put_text(o, "access", place->access);
    if (*place->function) {
        wt_demangle(place->function, name, sizeof name);
        dap_put_text(o, "function", name);
    }
    if (place->line) {
        dap_put_text(o, "path", place->file);
        dap_put_number(o, "line", place->line);
    }
}

static void put_step(struct wt_dap *d, struct json_object *places, const struct trail_step *s)
{
    struct wt_check_place place = {
        .time = s->time, .wave = s->wave, .lanes = s->lanes, .line = s->line};
    if (s->function)
        snprintf(place.function, sizeof place.function, "%s", s->function);
    if (s->line)
        snprintf(place.file, sizeof place.file, "%s", s->file);
    dap_put_place(places, &place);
    if (s->fold)
        dap_put_number(json_object_array_get_idx(places, json_object_array_length(places) - 1),
                       "fold", (int64_t)s->fold - 1);
}

/* Adds the selected lane, which has the value now. */
static void put_end(struct wt_dap *d, struct json_object *places)
{
    struct wt_thread_position position;
    struct wt_debugger_time time;
    struct wt_wave wave;
    uint64_t pc = 0;
    if (wt_program_wave(d->g, d->g->thread, &wave, &position, WT_IGNORED) != WT_OK ||
        wt_debugger_time(d->g->debugger, &time, WT_IGNORED) != WT_OK)
        return;
    const struct wt_view *view = dap_view(d);
    if (view->frame)
        pc = view->frame->pc;
    const struct trail_step end = step_at(
        d, &(struct wt_slice_step){
               .time = time.now, .id = wave.id, .pc = pc, .lanes = wt_lane_bit(position.lane)});
    put_step(d, places, &end);
}

static void put_trail(struct wt_dap *d, struct json_object *o, const struct wt_slice_found *found)
{
    struct trail t = {.d = d, .fold = dap_put_list(o, "folds")};
    struct json_object *places = dap_put_list(o, "places");
    wt_walk_slice(found,
                  &(struct wt_slice_walk){.context = &t, .step = add_shown, .turns = add_turns});
    while (t.count)
        put_step(d, places, &t.step[--t.count]);
    put_end(d, places);
}

/* "out[14] = 43", or the expression alone. */
static char *value_text(struct wt_dap *d, const char *expression)
{
    const struct wt_format format = {.elements = 16};
    const struct wt_view *view = dap_view(d);
    struct wt_values values;
    if (wt_source_evaluate(view, expression, &values, WT_IGNORED) != WT_OK)
        return strdup(expression);
    char *value = dap_value_text(view, &values, 0, &format);
    char *text = dap_format("%s = %s", expression, value ? value : "?");
    values.reference = NULL;
    wt_values_free(&values);
    free(value);
    return text;
}

enum wt_status dap_find_trail(struct wt_dap *d, struct json_object *arguments,
                              struct json_object **trail, struct wt_error *err)
{
    const char *expression;
    struct wt_slice_found found = {.more = false};
    const bool stores = dap_flag(arguments, "stores");
    enum wt_status status = dap_need_text(arguments, "expression", &expression, err);
    if (!status && dap_assigns(expression))
        status =
            wt_fail(err, WT_INVALID, "%s: an assignment is not made by showing it", expression);
    if (!status && !wt_debugger_has_history(d->g->debugger))
        status = wt_fail(err, WT_UNSUPPORTED, "nothing of the run is recorded");
    if (!status)
        status = wt_program_need_thread(d->g, err);
    if (status)
        return status;
    char *value = value_text(d, expression);
    d->travels = true;
    status = (stores ? find_stores : find_origins)(d, expression, &found, err);
    d->travels = false;
    d->runs = d->g->runs;
    if (!status && !found.steps)
        status = wt_fail(err, WT_STATE, "no instruction of the recorded run before now wrote to %s",
                         expression);
    if (!status) {
        char *text =
            dap_format("%s: %s%s", stores ? "who wrote" : "where from", value ? value : expression,
                       found.more ? ", the latest steps of more" : "");
        *trail = json_object_new_object();
        dap_put_text(*trail, "text", text);
        put_trail(d, *trail, &found);
        free(text);
    }
    free(value);
    wt_slice_found_free(&found);
    return status;
}

enum wt_status dap_trail(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                         struct wt_error *err)
{
    return dap_find_trail(d, arguments, body, err);
}
