/* Breakpoints and watchpoints: how one is made. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

#define MOST_PARTS 64 /* most parts of a watched variable */

/* The first wave of a dispatch, at its first instruction. */
#define FIRST_WAVE                                                                                 \
    "$_group_x == 0 && $_group_y == 0 && $_group_z == 0 && $_item_x == 0 && $_item_y == 0 && "     \
    "$_item_z == 0"

/* Checks a catchpoint's condition as far as that can be done before it is evaluated. */
static enum wt_status check_catch_condition(struct wt_program *g, const struct wt_point *p,
                                            struct wt_error *err)
{
    if (!p->condition)
        return WT_OK;
    if (p->caught == WT_CATCH_MODULES)
        return wt_fail(err, WT_UNSUPPORTED,
                       "catch %s takes no condition: no wave is stopped where code is loaded",
                       p->text);
    const struct wt_view view = wt_program_view(g);
    const enum wt_status status = wt_source_check(&view, p->condition, err);
    if (!status)
        pg_tell(g,
                &(struct wt_news){.kind = WT_NEWS_CONDITION, .view = &view, .text = p->condition});
    return status;
}

enum wt_status pg_compile_condition(struct wt_program *g, struct wt_point *p, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    pg_free_compiled(p);
    if (p->part_count)
        return pg_compile_watch_condition(g, p, err);
    if (p->kind == WT_POINT_CATCH && (status = check_catch_condition(g, p, err)) != WT_OK)
        return status;
    /* A catchpoint's own condition is evaluated at the stop. */
    const char *condition = p->kind == WT_POINT_CATCH ? FIRST_WAVE : p->condition;
    if ((!condition && !p->thread) || !wt_point_has_addresses(p) || !p->addr_count)
        return WT_OK;
    struct wt_expr **compiled = calloc(p->addr_count, sizeof(struct wt_expr *));
    if (!compiled)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a condition");
    /* Breakpoints at kernels' ends have no condition. */
    const size_t count = p->entries ? p->entries : p->addr_count;
    const struct wt_stop_at of_thread = {.thread = p->thread};
    for (size_t k = 0; k < count && !status && !condition; k++)
        status = pg_thread_condition(g, &of_thread, &compiled[k], err);
    for (size_t k = 0; k < count && !status && condition; k++) {
        struct wt_frames *frames = wt_program_frames_at(g, p, p->addr[k]);
        const struct wt_view view = {.source = g->source,
                                     .frames = frames,
                                     .frame = frames ? wt_frames_get(frames, 0) : NULL};
        status = wt_source_compile(&view, condition, &compiled[k], NULL, err);
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_CONDITION, .view = &view, .text = condition});
        wt_frames_free(frames);
    }
    p->compiled = compiled;
    if (status)
        pg_free_compiled(p);
    return status;
}

/* Whether code that is loaded later may have such a place: a number cannot; a line alone is one
 * of the first file that there will be. */
static bool comes_later(struct wt_program *g, const char *text)
{
    if (!g->options.host || !*text)
        return false;
    if (*text == '*')
        return pg_names_code(text + 1);
    return !isdigit((unsigned char)*text) || !pg_current_file(g);
}

void pg_take_back(struct wt_program *g, struct wt_point *p)
{
    wt_program_delete_point(g, p);
    g->last_number--;
}

/* A copy of a text; NULL of NULL. */
static char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

enum wt_status wt_program_set_break(struct wt_program *g, const struct wt_break *what,
                                    struct wt_point **point, struct wt_error *err)
{
    struct wt_error unknown;
    uint64_t *list = NULL;
    size_t count = 0;
    enum wt_status status = wt_program_resolve(g, what->place, &list, &count, &unknown);
    if (status && !(comes_later(g, what->place) &&
                    g->options.user.accept_pending(g->options.user.context, unknown.text))) {
        *err = unknown;
        return status;
    }
    /* A host program that does not run yet may bring code that no module has. */
    const bool is_there = g->started || !g->options.host;
    for (size_t i = 0; i < count && is_there && !status; i++)
        if (!wt_modules_at(g->modules, 0, list[i]))
            status = wt_debugger_check_breakpoint(g->debugger, list[i], err);
    if (status && count) {
        free(list);
        return status;
    }
    struct wt_point *p = pg_add_point(g, WT_POINT_BREAK, what->place, err);
    if (!p) {
        free(list);
        return WT_NO_MEMORY;
    }
    p->is_code = what->place[0] == '*' && (status || pg_is_code(g, what->place + 1));
    p->thread = what->thread;
    p->temporary = what->temporary;
    p->format = copy_of(what->format);
    p->addr = list;
    p->addr_count = count;
    p->condition = copy_of(what->condition);
    status = pg_compile_condition(g, p, err);
    if (!status && p->format && (status = pg_check_names(g, p, err)) != WT_OK) {
        wt_program_delete_point(g, p);
        return status;
    }
    if (status)
        pg_take_back(g, p);
    else
        *point = p;
    return status;
}

/*
 * The memory ranges of a part of a variable that is to be watched. Where the GPU runs work-items a
 * variable of a frame is private memory of its wave, as what an address space of lanes has is.
 */
static enum wt_status find_parts(struct wt_program *g, struct wt_point *p, wt_thread thread,
                                 const struct wt_value_place *place, struct wt_error *err)
{
    const struct wt_topology *t = g->topology;
    for (uint64_t done = 0, part; done < place->size; done += part) {
        const struct wt_address seen = wt_address_plus(place->memory, done);
        struct wt_address at;
        enum wt_status status =
            wt_debugger_find_home(g->debugger, thread, seen, place->size - done, &at, &part, err);
        if (status)
            return status;
        if (p->part_count == MOST_PARTS)
            return wt_fail(err, WT_UNSUPPORTED,
                           "it lies in more than %d places of memory: watch a part of it",
                           MOST_PARTS);
        p->part[p->part_count] =
            (struct wt_watchpoint_request){.kind = p->watch,
                                           .addr = at,
                                           .size = part,
                                           .thread = thread,
                                           .changes = p->kind == WT_POINT_WATCH};
        wt_debugger_bind_watch(g->debugger, &p->part[p->part_count++],
                               (p->value.in_frame && t->begins_at_kernel) ||
                                   at.offset != wt_address_generic(t, seen).offset);
    }
    return WT_OK;
}

static enum wt_status fill_watch(struct wt_program *g, struct wt_point *p, const char *expression,
                                 bool location, struct wt_error *err)
{
    static const enum wt_watchpoint_kind kinds[] = {[WT_POINT_WATCH] = WT_WATCHPOINT_WRITE,
                                                    [WT_POINT_READ] = WT_WATCHPOINT_READ,
                                                    [WT_POINT_ACCESS] = WT_WATCHPOINT_ACCESS};
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    enum wt_status status = wt_source_evaluate(&view, expression, &v, err);
    if (status)
        return status;
    if ((status = wt_values_check_first(&v, err)) == WT_OK &&
        (v.lane_count != 1 || !wt_values_in_memory(&v)))
        status = wt_fail(err, WT_INVALID,
                         v.reg >= 0 ? "%s is in a register here: registers cannot be watched"
                         : v.as_of  ? "Cannot watch %s: here it is known only as it was %s."
                                    : "Cannot watch constant value `%s'.",
                         expression, v.as_of);
    else if (!status && v.state[0] != WT_VALUE_GOOD)
        status = wt_fail(err, WT_INVALID, "%s has no value here", expression);
    p->value = v;
    p->owner = view.thread;
    p->watch = kinds[p->kind];
    if (!status && !(p->part = calloc(MOST_PARTS, sizeof *p->part)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for a watchpoint");
    struct wt_value_place place;
    for (unsigned i = 0; !status && wt_values_place(&v, 0, i, &place); i++)
        status = find_parts(g, p, view.thread, &place, err);
    const bool ends = v.uses_frame && !location;
    if (!status && ends && pg_find_way_out(g, view.frame, &p->scope))
        status = pg_thread_condition(g, &p->scope, &p->scope_condition, err);
    return status;
}

enum wt_status wt_program_set_watch(struct wt_program *g, enum wt_point_kind kind,
                                    const char *expression, const char *condition, bool location,
                                    struct wt_point **point, struct wt_error *err)
{
    if (g->options.steps_to_watch && kind != WT_POINT_WATCH)
        return wt_fail(
            err, WT_UNSUPPORTED,
            "this device has no watchpoints: 'watch' sees changes, by single steps; reads "
            "cannot be watched");
    if (g->options.host && !g->started)
        return wt_fail(err, WT_STATE,
                       "The program is not being run: its memory is watched once it is there.");
    struct wt_point *p = pg_add_point(g, kind, expression, err);
    if (!p)
        return WT_NO_MEMORY;
    enum wt_status status = fill_watch(g, p, expression, location, err);
    if (!status && condition) {
        p->condition = strdup(condition);
        status = pg_compile_condition(g, p, err);
    }
    /* Debug hardware that cannot watch it says so now. */
    if (!status && g->started && !g->options.steps_to_watch && !wt_debugger_running(g->debugger) &&
        (status = pg_insert_points(g, err)) == WT_OK)
        status = wt_debugger_try_watchpoints(g->debugger, err);
    if (status)
        pg_take_back(g, p);
    else
        *point = p;
    return status;
}

enum wt_status wt_program_set_condition(struct wt_program *g, struct wt_point *p,
                                        const char *condition, struct wt_error *err)
{
    char *before = p->condition;
    p->condition = *condition ? strdup(condition) : NULL;
    const enum wt_status status = pg_compile_condition(g, p, err);
    if (status) {
        free(p->condition);
        p->condition = before;
        pg_compile_condition(g, p, WT_IGNORED);
        return status;
    }
    free(before);
    return WT_OK;
}
