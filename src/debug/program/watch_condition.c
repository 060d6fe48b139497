/*
 * Conditions of watchpoints. As in GDB, names of a condition are those of the function in which it
 * was set. It is compiled for each place in that function to which an access comes, so that it can
 * be evaluated beside the device; an access by another function is a stop here, where the frames
 * show the one that is meant.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

/* Frames in which the function is looked for. */
#define MOST_FRAMES 256

/** The condition of one watchpoint. */
struct wt_watch_rule {
    struct wt_program *program;
    char *text;
    bool names_local;         /**< it means something in one function only: */
    const void *function;     /**< … of this function or inlined call; NULL: none */
    struct wt_expr *anywhere; /**< else: compiled */
    struct wt_watch_condition *core;
};

/* An identifier of the function, or inlined call, of a frame. */
static const void *function_of(const struct wt_frame *frame)
{
    return frame->scope_count ? frame->scope[frame->inlined ? frame->first_scope : 0].addr : NULL;
}

/* The innermost frame of the function of a condition; NULL: there is none. */
static const struct wt_frame *find_frame(struct wt_frames *frames, const void *function)
{
    for (unsigned i = 0; i < MOST_FRAMES && function; i++) {
        const struct wt_frame *frame = wt_frames_get(frames, i);
        if (!frame || function_of(frame) == function)
            return frame;
    }
    return NULL;
}

/* The condition for lanes that come to @p pc in the function; NULL: it is another function, or the
 * condition means nothing there. */
static struct wt_expr *compile_at(const struct wt_watch_rule *r, uint64_t pc, bool *names_local,
                                  struct wt_error *err)
{
    struct wt_expr *expr = NULL;
    struct wt_frames *frames = wt_frames_at(r->program->debugger, r->program->modules, pc);
    const struct wt_view view = {.source = r->program->source,
                                 .frames = frames,
                                 .frame = !frames       ? NULL
                                          : r->function ? find_frame(frames, r->function)
                                                        : wt_frames_get(frames, 0)};
    if (view.frame || !r->function)
        wt_source_compile(&view, r->text, &expr, names_local, err);
    else
        wt_fail(err, WT_STATE, "another function");
    wt_frames_free(frames);
    return expr;
}

/* wt_condition_at_fn */
static struct wt_expr *condition_at(void *context, uint64_t pc)
{
    const struct wt_watch_rule *r = context;
    if (!r->names_local)
        return wt_expr_share(r->anywhere);
    return compile_at(r, pc, NULL, WT_IGNORED);
}

void pg_free_watch_rule(struct wt_watch_rule *r)
{
    if (!r)
        return;
    wt_watch_condition_end(r->core);
    wt_expr_free(r->anywhere);
    free(r->text);
    free(r);
}

/* Finds out what a condition names. */
static enum wt_status examine(struct wt_program *g, struct wt_watch_rule *r, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    r->function = view.frame ? function_of(view.frame) : NULL;
    r->anywhere = compile_at(r, view.frame ? view.frame->inside : 0, &r->names_local, err);
    if (!r->anywhere)
        return err->status;
    r->names_local &= r->function != NULL;
    if (r->names_local) {
        wt_expr_free(r->anywhere);
        r->anywhere = NULL;
    }
    return WT_OK;
}

enum wt_status pg_compile_watch_condition(struct wt_program *g, struct wt_point *p,
                                          struct wt_error *err)
{
    enum wt_status status = WT_OK;
    pg_free_watch_rule(p->rule);
    p->rule = NULL;
    if (!p->condition)
        return WT_OK;
    struct wt_watch_rule *r = calloc(1, sizeof *r);
    if (r) {
        r->program = g;
        r->text = strdup(p->condition);
        r->core = wt_watch_condition_new(g->debugger, condition_at, r);
    }
    if (!r || !r->text || !r->core)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for a condition");
    else
        status = examine(g, r, err);
    if (status) {
        pg_free_watch_rule(r);
        return status;
    }
    const struct wt_view view = wt_program_view(g);
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_CONDITION, .view = &view, .text = p->condition});
    p->rule = r;
    return WT_OK;
}

struct wt_watch_condition *pg_watch_condition(const struct wt_point *p)
{
    return p->rule ? p->rule->core : NULL;
}

/* ---- at a stop ---- */

/* The lanes of the selected wave, among @p lanes, for which an expression holds or fails. */
static wt_lanes lanes_of_expression(struct wt_program *g, const struct wt_expr *expr,
                                    const struct wt_wave *wave, wt_lanes active, wt_lanes lanes)
{
    struct wt_lane_value value[WT_MAX_LANES];
    wt_lanes holds = 0;
    unsigned k = 0;
    if (wt_debugger_evaluate(g->debugger, wave->id, active | lanes, expr, 0, value, NULL,
                             WT_IGNORED) != WT_OK) {
        g->event.unread = lanes;
        return lanes;
    }
    for (wt_lanes rest = active | lanes; rest; rest &= rest - 1, k++) {
        const wt_lanes lane = rest & -rest;
        if (!value[k].known)
            g->event.unread |= lane & lanes;
        if (!value[k].known || value[k].value)
            holds |= lane;
    }
    return holds & lanes;
}

enum wt_status pg_is_true(const struct wt_view *view, const char *text, bool *holds,
                          struct wt_error *err)
{
    struct wt_values values;
    enum wt_status status = wt_source_evaluate(view, text, &values, err);
    *holds = false;
    if (status)
        return status;
    if ((status = wt_values_check_first(&values, err)) == WT_OK && values.state[0] != WT_VALUE_GOOD)
        status = wt_fail(err, WT_INVALID, "%s has no value here", text);
    for (uint64_t i = 0; i < values.size && !status; i++)
        *holds |= values.bytes[i] != 0;
    wt_values_free(&values);
    return status;
}

/* Whether the condition holds for one lane, or cannot be evaluated, in the frame that it means. */
static bool holds_in_frames(struct wt_program *g, const struct wt_watch_rule *r, unsigned lane)
{
    struct wt_view view = {.source = g->source,
                           .thread = wt_debugger_thread_of_lane(g->debugger, g->thread, lane)};
    bool holds = true;
    view.frames = wt_frames_new(g->debugger, g->modules, view.thread);
    if (view.frames)
        view.frame =
            r->names_local ? find_frame(view.frames, r->function) : wt_frames_get(view.frames, 0);
    if (r->names_local && !view.frame) {
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_CONDITION_OTHER, .text = r->text});
    } else if (pg_is_true(&view, r->text, &holds, WT_IGNORED) != WT_OK) {
        g->event.unread |= wt_lane_bit(lane);
        holds = true;
    }
    wt_frames_free(view.frames);
    return holds;
}

bool pg_watch_condition_holds(struct wt_program *g, const struct wt_point *p)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    wt_lanes holds = 0;
    if (!p->rule || wt_program_wave(g, g->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return true;
    const wt_lanes own = wt_lane_bit(place.lane);
    const wt_lanes lanes = g->event.lanes ? g->event.lanes : own;
    struct wt_expr *expr = condition_at(p->rule, place.pc);
    if (expr) {
        holds = lanes_of_expression(g, expr, &wave, place.active, lanes);
        wt_expr_free(expr);
    } else if ((lanes & own) && holds_in_frames(g, p->rule, place.lane)) {
        return true;
    } else {
        for (wt_lanes rest = lanes & ~own; rest && !holds; rest &= rest - 1)
            if (holds_in_frames(g, p->rule, wt_lanes_lowest(rest)))
                holds = rest & -rest;
    }
    if (holds && !(holds & own))
        wt_program_select_lane_of(g, wave.id, wt_lanes_lowest(holds), WT_IGNORED);
    return holds != 0;
}
