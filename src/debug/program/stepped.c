/* Watchpoints on a device that has none: the selected lane is stepped by instructions, and the
 * values are compared after each. Other waves run meanwhile, as in GDB. */
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

static bool is_compared(const struct wt_point *p)
{
    return p->enabled && p->part_count;
}

bool pg_needs_steps(const struct wt_program *g)
{
    for (size_t i = 0; i < g->point_count && g->options.steps_to_watch; i++)
        if (is_compared(g->point[i]))
            return true;
    return false;
}

/* A watchpoint whose value is another one than before; NULL: there is none. */
static const struct wt_point *find_changed(struct wt_program *g)
{
    const struct wt_point *changed = NULL;
    for (size_t i = 0; i < g->point_count && !changed; i++) {
        const struct wt_point *p = g->point[i];
        uint8_t *now = is_compared(p) ? malloc(p->value.size) : NULL;
        if (now && pg_read_watched(g, p, now) && !wt_values_equal(&p->value, now, p->value.bytes))
            changed = p;
        free(now);
    }
    return changed;
}

/* Whether a thread stands where a breakpoint holds. A step does not report that it ends at one. */
static bool stands_at_breakpoint(struct wt_program *g, wt_thread thread, uint64_t pc)
{
    for (size_t i = 0; i < g->internal_count; i++)
        if (g->internal[i].addr == pc &&
            (!g->internal[i].condition || pg_holds_for(g, g->internal[i].condition, thread)))
            return true;
    for (size_t i = 0; i < g->point_count; i++) {
        const struct wt_point *p = g->point[i];
        if (p->scope_condition && p->enabled && p->scope.addr == pc &&
            pg_holds_for(g, p->scope_condition, thread))
            return true;
    }
    return pg_user_breakpoint_at(g, pc, thread, true);
}

/* Whether a step of `thread` ends the wait, with its event; false: another step follows. */
static bool is_stop(struct wt_program *g, const struct wt_resume *wanted, wt_thread thread)
{
    struct wt_event *e = &g->event;
    struct wt_thread_position place;
    const struct wt_point *p = find_changed(g);
    if (p) {
        e->reason = WT_STOP_WATCHPOINT;
        e->watch = p->watch;
        e->addr = p->part[0].addr;
        return true;
    }
    if (wt_debugger_thread_position(g->debugger, e->thread, &place, WT_IGNORED) != WT_OK)
        return true;
    if (stands_at_breakpoint(g, e->thread, place.pc)) {
        e->reason = WT_STOP_BREAKPOINT;
        g->by_step = true;
        wt_debugger_pass_breakpoint(g->debugger, e->thread);
        return true;
    }
    if (pg_was_interrupted(g)) {
        e->reason = WT_STOP_INTERRUPTED;
        return true;
    }
    /* The wave has ended, and another one is shown: only `continue` goes on. */
    if (wanted->kind == WT_RESUME_STEP || (wanted->kind == WT_RESUME_RANGE && e->thread != thread))
        return true;
    return wanted->kind == WT_RESUME_RANGE && (place.pc < wanted->start || place.pc >= wanted->end);
}

enum wt_status pg_step_and_compare(struct wt_program *g, const struct wt_resume *wanted,
                                   struct wt_error *err)
{
    for (;;) {
        enum wt_status status = wt_program_need_thread(g, err);
        if (status)
            return status;
        const wt_thread thread = g->thread;
        const struct wt_resume list[2] = {{.thread = thread, .kind = WT_RESUME_STEP},
                                          {.kind = WT_RESUME_CONTINUE}};
        if ((status = wt_client_run(g->client, WT_FORWARDS, list, 2, err)) != WT_OK ||
            (status = pg_wait_for_stop(g, err)) != WT_OK)
            return status;
        if (g->event.kind != WT_EVENT_STOPPED || g->event.reason != WT_STOP_STEP)
            return WT_OK;
        if (is_stop(g, wanted, thread))
            return WT_OK;
        if (g->event.thread)
            g->thread = g->event.thread;
    }
}
