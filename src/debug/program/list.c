/* The list of points. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/program/internal.h"

bool wt_point_has_addresses(const struct wt_point *p)
{
    return p->kind == WT_POINT_BREAK ||
           (p->kind == WT_POINT_CATCH &&
            (p->caught == WT_CATCH_DISPATCHES || p->caught == WT_CATCH_ENDS));
}

static unsigned line_named(const struct wt_point *p)
{
    const char *colon = strrchr(p->text, ':');
    const char *number = colon ? colon + 1 : p->text;
    return *number && !number[strspn(number, "0123456789")] ? (unsigned)strtoul(number, NULL, 10)
                                                            : 0;
}

void pg_free_compiled(struct wt_point *p)
{
    for (size_t k = 0; p->compiled && k < p->addr_count; k++)
        wt_expr_free(p->compiled[k]);
    free(p->compiled);
    p->compiled = NULL;
}

static void free_point(struct wt_point *p)
{
    pg_free_compiled(p);
    wt_expr_free(p->scope_condition);
    pg_free_watch_rule(p->rule);
    wt_script_free(&p->commands);
    free(p->text);
    free(p->addr);
    free(p->condition);
    free(p->format);
    wt_values_free(&p->value);
    free(p->part);
    free(p->ending);
    free(p);
}

void pg_free_points(struct wt_program *g)
{
    for (size_t i = 0; i < g->point_count; i++)
        free_point(g->point[i]);
    free(g->point);
    g->point = NULL;
    g->point_count = g->point_capacity = 0;
    wt_script_free(&g->queued);
}

struct wt_point *wt_program_point(struct wt_program *g, unsigned number)
{
    for (size_t i = 0; i < g->point_count; i++)
        if (g->point[i]->number == number)
            return g->point[i];
    return NULL;
}

void wt_program_count_logs(struct wt_program *g, struct wt_point *p)
{
    unsigned runs = 0;
    for (size_t k = 0; p->own_owner && k < p->addr_count; k++)
        runs += (unsigned)wt_debugger_take_command_runs(g->debugger, p->own_owner, p->addr[k]);
    p->hits += runs;
    p->ignore -= runs < p->ignore ? runs : p->ignore;
}

void pg_remove_logs(struct wt_program *g, struct wt_point *p)
{
    wt_program_count_logs(g, p);
    for (size_t k = 0; p->own_owner && k < p->addr_count; k++)
        wt_debugger_remove_breakpoint_of(g->debugger, p->own_owner, p->addr[k], WT_IGNORED);
    p->own_owner = 0;
}

void wt_program_delete_point(struct wt_program *g, struct wt_point *p)
{
    size_t i = 0;
    pg_remove_logs(g, p);
    while (g->point[i] != p)
        i++;
    memmove(&g->point[i], &g->point[i + 1], (--g->point_count - i) * sizeof(struct wt_point *));
    free_point(p);
}

struct wt_point *pg_add_point(struct wt_program *g, enum wt_point_kind kind, const char *text,
                              struct wt_error *err)
{
    struct wt_point **grown =
        wt_array_grow(g->point, &g->point_capacity, g->point_count + 1, sizeof(struct wt_point *));
    if (grown)
        g->point = grown;
    struct wt_point *p = grown ? calloc(1, sizeof *p) : NULL;
    if (p)
        p->text = strdup(text);
    if (!p || !p->text) {
        free(p);
        wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
        return NULL;
    }
    p->kind = kind;
    p->enabled = true;
    p->number = ++g->last_number;
    return grown[g->point_count++] = p;
}

void pg_forget_watchpoints(struct wt_program *g)
{
    for (size_t i = g->point_count; i-- > 0;) {
        struct wt_point *p = g->point[i];
        if (!p->part_count)
            continue;
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_WATCH_LOST, .point = p});
        wt_program_delete_point(g, p);
    }
}

unsigned pg_line_wanted(struct wt_program *g, const struct wt_point *p, uint64_t addr)
{
    unsigned line = line_named(p);
    struct wt_frames *frames = line ? NULL : wt_frames_at(g->debugger, g->modules, addr);
    const unsigned begun = frames ? wt_frames_begun(frames, 0) : 0;
    for (unsigned i = 0; i < begun && !line; i++) {
        const struct wt_frame *frame = wt_frames_get(frames, i);
        if (pg_names_function(p->text, frame->function))
            line = frame->line;
    }
    wt_frames_free(frames);
    return line;
}

struct wt_frames *wt_program_frames_at(struct wt_program *g, const struct wt_point *p,
                                       uint64_t addr)
{
    struct wt_frames *frames = wt_frames_at(g->debugger, g->modules, addr);
    if (frames)
        wt_frames_hide(frames, wt_frames_begun(frames, pg_line_wanted(g, p, addr)));
    return frames;
}

void pg_set_addresses(struct wt_point *p, uint64_t *list, size_t count)
{
    pg_free_compiled(p);
    free(p->addr);
    p->addr = list;
    p->addr_count = count;
}

void pg_stopped_at(struct wt_program *g, struct wt_point *p)
{
    if (p->stops_left && !--p->stops_left)
        p->enabled = false;
    for (size_t i = 0; i < p->commands.count; i++)
        if (!wt_script_add(&g->queued, strdup(p->commands.line[i])))
            return;
}
