/* The past of a run: findings of checks, the stores to a value, and the instructions that made it.
 */
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/called_place.h"
#include "debug/core/touches.h"
#include "debug/source/described.h"

/* Fills in where an instruction is. */
static struct wavetrap_event event_at(struct wavetrap *w, uint64_t time, uint64_t wave, uint64_t pc,
                                      wt_lanes lanes, const struct wt_calls *calls)
{
    const struct wt_called_place place = wt_place_in_calls(pc, calls);
    const char *file;
    struct wavetrap_event event = {.time = time, .wave = wave, .pc = pc, .lanes = api_lanes(lanes)};
    if (wt_described_line(api_program(w)->modules, &place, &file, &event.line))
        snprintf(event.file, sizeof event.file, "%s", file);
    return event;
}

/* Room for events in the session; NULL: WT_NO_MEMORY. */
static struct wavetrap_event *room_for(struct wavetrap *w, size_t count, struct wt_error *err)
{
    struct wavetrap_event *grown = realloc(w->event, (count + 1) * sizeof *grown);
    if (grown)
        w->event = grown;
    else
        wt_fail(err, WT_NO_MEMORY, "no host memory for %zu events", count);
    return grown;
}

static enum wt_status put_touches(struct wavetrap *w, const struct wt_touch *touch, size_t count,
                                  struct wt_error *err)
{
    struct wavetrap_event *list = room_for(w, count, err);
    for (size_t i = 0; list && i < count; i++) {
        list[i] = event_at(w, touch[i].time, touch[i].by.id, touch[i].pc, touch[i].lanes,
                           &touch[i].calls);
        wt_debugger_name_wave(api_program(w)->debugger, &touch[i].by, list[i].name,
                              sizeof list[i].name);
    }
    return list ? WT_OK : WT_NO_MEMORY;
}

enum wavetrap_status wavetrap_who_wrote(struct wavetrap *w, const char *expression, bool loads,
                                        unsigned most, const struct wavetrap_event **list,
                                        size_t *count, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_home home;
    struct wt_touch *touch = NULL;
    bool more;
    *count = 0;
    enum wt_status status = wt_program_find_home(api_program(w), expression, &home, err);
    if (status)
        return api_end(status, err, error);
    home.where.kind = loads ? WT_WATCHPOINT_READ : WT_WATCHPOINT_WRITE;
    home.where.changes &= !loads;
    status = wt_program_touches(api_program(w), &home, most ? most : 1, &touch, count, &more, err);
    if (!status)
        status = put_touches(w, touch, *count, err);
    free(touch);
    wt_home_free(&home);
    *list = w->event;
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_where_from(struct wavetrap *w, const char *expression, unsigned most,
                                         const struct wavetrap_event **list, size_t *count,
                                         struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_slice_limits limits = {.depth = 64, .steps = most ? most : 1};
    struct wt_where_from from = {.unwritten = 0};
    *count = 0;
    enum wt_status status = wt_program_where_from(api_program(w), expression, &limits, &from, err);
    struct wavetrap_event *event = status ? NULL : room_for(w, from.found.steps, err);
    if (!status && !event)
        status = WT_NO_MEMORY;
    for (size_t i = 0; event && i < from.found.steps; i++) {
        const struct wt_slice_step *step = &from.found.step[i];
        event[i] = event_at(w, step->time, step->id, step->pc, step->lanes, &step->calls);
        event[i].depth = step->depth;
        snprintf(event[i].name, sizeof event[i].name, "%s", step->name);
    }
    *count = event ? from.found.steps : 0;
    *list = event;
    wt_slice_found_free(&from.found);
    return api_end(status, err, error);
}

/* Finding @p number; false: there is none, or no memory. */
static bool take_finding(struct wavetrap *w, unsigned number, struct wavetrap_finding *finding)
{
    struct wt_check_place place[2];
    struct wt_error ignored;
    *finding = (struct wavetrap_finding){.number = number};
    FILE *out = fmemopen(finding->text, sizeof finding->text, "w");
    if (!out)
        return false;
    const enum wt_status status =
        w->checks->print(w->checks->context, out, number, false, place, &ignored);
    fclose(out);
    if (status)
        return false;
    finding->time = place[0].time;
    finding->wave = place[0].wave == WT_NO_WAVE ? 0 : place[0].wave;
    finding->lane = place[0].lane;
    finding->other_time = place[1].time;
    finding->other_wave = place[1].wave == WT_NO_WAVE ? 0 : place[1].wave;
    return true;
}

enum wavetrap_status wavetrap_findings(struct wavetrap *w, const struct wavetrap_finding **list,
                                       size_t *count, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    enum wt_status status = wt_checks_need(w->checks, err);
    *count = 0;
    while (!status) {
        struct wavetrap_finding *grown = realloc(w->finding, (*count + 1) * sizeof *grown);
        if (!grown) {
            status = wt_fail(err, WT_NO_MEMORY, "no host memory for the findings");
            break;
        }
        w->finding = grown;
        if (!take_finding(w, (unsigned)*count + 1, &grown[*count]))
            break;
        ++*count;
    }
    *list = w->finding;
    return api_end(status, err, error);
}
