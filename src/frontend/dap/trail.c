/*
 * "wavetrap/trail": how a value came to be, as places in the recorded run, the earliest first: the
 * instructions that it was made of, or the stores to it, and at the end the value itself. A page
 * shows them as arrows from cell to cell and from line to line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "frontend/dap/internal.h"

/* An instruction of the trail. */
struct trail_step {
    uint64_t time, wave, pc;
    wt_lanes lanes;
    unsigned line; /* 0: not known */
    const char *file;
};

static int by_time(const void *a, const void *b)
{
    const struct trail_step *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

static struct trail_step step_at(struct wt_dap *d, uint64_t time, uint64_t wave, uint64_t pc,
                                 wt_lanes lanes)
{
    struct trail_step step = {.time = time, .wave = wave, .pc = pc, .lanes = lanes};
    if (!wt_modules_user_line(d->g->modules, 0, pc, &step.file, &step.line))
        step.line = 0;
    return step;
}

static bool same_line(const struct trail_step *a, const struct trail_step *b)
{
    return a->wave == b->wave && a->line == b->line &&
           (a->line ? strcmp(a->file, b->file) == 0 : a->pc == b->pc);
}

/* Leaves one step of each line of a wave, the last in time; the list stays in the order of time. */
static size_t fold(struct trail_step *step, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t k = i + 1; k < count && !again; k++)
            again = same_line(&step[i], &step[k]);
        if (!again)
            step[kept++] = step[i];
    }
    return kept;
}

/* ---- searches ---- */

static enum wt_status find_stores(struct wt_dap *d, const char *text, struct trail_step *step,
                                  size_t most, size_t *count, bool *more, struct wt_error *err)
{
    struct wt_touch *list = NULL;
    struct wt_home home;
    size_t found = 0;
    enum wt_status status = wt_program_find_home(d->g, text, &home, err);
    if (status)
        return status;
    home.where.kind = WT_WATCHPOINT_WRITE;
    status = wt_program_touches(d->g, &home, most, &list, &found, more, err);
    for (size_t i = 0; !status && i < found && i < most; i++)
        step[(*count)++] = step_at(d, list[i].time, list[i].by.id, list[i].pc, list[i].lanes);
    free(list);
    wt_home_free(&home);
    return status;
}

static enum wt_status find_origins(struct wt_dap *d, const char *text, struct trail_step *step,
                                   size_t most, size_t *count, bool *more, struct wt_error *err)
{
    const struct wt_slice_limits limits = {.depth = 64, .steps = (uint32_t)most};
    struct wt_where_from from = {.unwritten = 0};
    const enum wt_status status = wt_program_where_from(d->g, text, &limits, &from, err);
    for (size_t i = 0; !status && i < from.found.steps && i < most; i++) {
        const struct wt_slice_step *s = &from.found.step[i];
        step[(*count)++] = step_at(d, s->time, s->id, s->pc, s->lanes);
    }
    *more = from.found.more;
    wt_slice_found_free(&from.found);
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
    struct wt_frames *frames = wt_frames_at(d->g->debugger, d->g->modules, s->pc);
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    struct wt_check_place place = {
        .time = s->time, .wave = s->wave, .lanes = s->lanes, .line = s->line};
    if (frame && frame->function)
        snprintf(place.function, sizeof place.function, "%s", frame->function);
    if (s->line)
        snprintf(place.file, sizeof place.file, "%s", s->file);
    wt_frames_free(frames);
    dap_put_place(places, &place);
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
    const struct trail_step end = step_at(d, time.now, wave.id, pc, wt_lane_bit(position.lane));
    put_step(d, places, &end);
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
    struct trail_step *step = NULL;
    size_t count = 0;
    bool more = false;
    const bool stores = dap_flag(arguments, "stores");
    enum wt_status status = dap_need_text(arguments, "expression", &expression, err);
    if (!status && dap_assigns(expression))
        status =
            wt_fail(err, WT_INVALID, "%s: an assignment is not made by showing it", expression);
    if (!status && !wt_debugger_has_history(d->g->debugger))
        status = wt_fail(err, WT_UNSUPPORTED, "nothing of the run is recorded");
    if (!status)
        status = wt_program_need_thread(d->g, err);
    if (!status && !(step = calloc(DAP_TRAIL_STEPS, sizeof *step)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    if (status)
        return status;
    char *value = value_text(d, expression);
    d->travels = true;
    status = (stores ? find_stores : find_origins)(d, expression, step, DAP_TRAIL_STEPS, &count,
                                                   &more, err);
    d->travels = false;
    d->runs = d->g->runs;
    if (!status && !count)
        status = wt_fail(err, WT_STATE, "no instruction of the recorded run before now wrote to %s",
                         expression);
    if (!status) {
        qsort(step, count, sizeof *step, by_time);
        count = fold(step, count);
        char *text =
            dap_format("%s: %s%s", stores ? "who wrote" : "where from", value ? value : expression,
                       more ? ", the latest steps of more" : "");
        *trail = json_object_new_object();
        dap_put_text(*trail, "text", text);
        struct json_object *places = dap_put_list(*trail, "places");
        for (size_t i = 0; i < count; i++)
            put_step(d, places, &step[i]);
        put_end(d, places);
        free(text);
    }
    free(value);
    free(step);
    return status;
}

enum wt_status dap_trail(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                         struct wt_error *err)
{
    return dap_find_trail(d, arguments, body, err);
}
