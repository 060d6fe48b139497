/* Watchpoints on a device that has none: the selected lane is stepped by instructions, and the
 * values are compared after each. Other waves run meanwhile, as in GDB. */
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

static bool is_compared(const struct point *p)
{
    return p->enabled && p->part_count;
}

bool needs_steps(const struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count && c->options.steps_to_watch; i++)
        if (is_compared(c->point[i]))
            return true;
    return false;
}

/* A watchpoint whose value is another one than before; NULL: there is none. */
static const struct point *find_changed(struct wt_shell *c)
{
    const struct point *changed = NULL;
    for (size_t i = 0; i < c->point_count && !changed; i++) {
        const struct point *p = c->point[i];
        uint8_t *now = is_compared(p) ? malloc(p->size) : NULL;
        if (now && read_watched(c, p, now) && memcmp(now, p->old, p->size) != 0)
            changed = p;
        free(now);
    }
    return changed;
}

/* Whether a thread stands where a breakpoint holds. A step does not report that it ends at one. */
static bool stands_at_breakpoint(struct wt_shell *c, wt_thread thread, uint64_t pc)
{
    for (size_t i = 0; i < c->internal_count; i++)
        if (c->internal[i].addr == pc &&
            (!c->internal[i].condition || holds_for(c, c->internal[i].condition, thread)))
            return true;
    for (size_t i = 0; i < c->point_count; i++) {
        const struct point *p = c->point[i];
        if (p->scope_condition && p->enabled && p->scope.addr == pc &&
            holds_for(c, p->scope_condition, thread))
            return true;
    }
    return user_breakpoint_at(c, pc, thread, true);
}

/* What a step of `thread` is for whoever waits; false: nothing, there is another step to do. */
static bool is_stop(struct wt_shell *c, const struct wt_resume *wanted, wt_thread thread)
{
    struct wt_event *e = &c->event;
    struct wt_thread_position place;
    const struct point *p = find_changed(c);
    if (p) {
        e->reason = WT_STOP_WATCHPOINT;
        e->watch = p->watch;
        e->addr = p->part[0].addr;
        return true;
    }
    if (wt_debugger_thread_position(c->debugger, e->thread, &place, WT_IGNORED) != WT_OK)
        return true;
    if (stands_at_breakpoint(c, e->thread, place.pc)) {
        e->reason = WT_STOP_BREAKPOINT;
        c->by_step = true;
        wt_debugger_pass_breakpoint(c->debugger, e->thread);
        return true;
    }
    if (was_interrupted(c)) {
        e->reason = WT_STOP_INTERRUPTED;
        return true;
    }
    /* The wave has ended, and another one is shown: only `continue` goes on. */
    if (wanted->kind == WT_RESUME_STEP || (wanted->kind == WT_RESUME_RANGE && e->thread != thread))
        return true;
    return wanted->kind == WT_RESUME_RANGE && (place.pc < wanted->start || place.pc >= wanted->end);
}

enum wt_status step_and_compare(struct wt_shell *c, const struct wt_resume *wanted,
                                struct wt_error *err)
{
    for (;;) {
        enum wt_status status = need_thread(c, err);
        if (status)
            return status;
        const wt_thread thread = c->thread;
        const struct wt_resume list[2] = {{.thread = thread, .kind = WT_RESUME_STEP},
                                          {.kind = WT_RESUME_CONTINUE}};
        if ((status = wt_client_run(c->client, WT_FORWARDS, list, 2, err)) != WT_OK ||
            (status = wait_for_stop(c, err)) != WT_OK)
            return status;
        if (c->event.kind != WT_EVENT_STOPPED || c->event.reason != WT_STOP_STEP)
            return WT_OK;
        if (is_stop(c, wanted, thread))
            return WT_OK;
        if (c->event.thread)
            c->thread = c->event.thread;
    }
}
