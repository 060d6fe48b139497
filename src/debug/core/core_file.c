/* Core files: adds the debugger's own state to that of the device, and takes it out again on
 * loading. */
#include <stdlib.h>

#include "base/array.h"
#include "debug/core/halt.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/past.h"
#include "debug/core/patches.h"
#include "debug/core/stop.h"

enum wt_status wt_debugger_save_core_file(struct wt_debugger *d, const char *path, uint64_t issues,
                                          wt_thread thread, const char *text, struct wt_error *err)
{
    enum wt_status status;
    const struct wt_target_services *services = d->target->services;
    struct wt_core_file_request request = {
        .path = path, .issues = issues, .wave = WT_NO_HANDLE, .text = text};
    if (!services->save_core_file)
        return wt_fail(err, WT_UNSUPPORTED, "this target cannot be written to a core file");
    if (d->run.going || d->travel.going || d->run.stopping.on)
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    if (thread && (status = dbg_locate(d, thread, &request.wave, &request.lane, err)) != WT_OK)
        return status;
    const size_t count = d->history.trace_count;
    struct wt_planted *planted = calloc(count ? count : 1, sizeof *planted);
    if (!planted)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a core file");
    for (size_t i = 0; i < count; i++) {
        const struct trace *t = &d->history.trace[i];
        planted[i] = (struct wt_planted){t->addr, t->time, t->trap, t->original};
    }
    request.planted = planted;
    request.planted_count = count;
    status = services->save_core_file(d->target->context, &request, err);
    free(planted);
    return status || !d->history.in_past ? status : dbg_inspect_here(d, err);
}

static enum wt_status take_planted(struct wt_debugger *d, const struct wt_planted *planted,
                                   size_t count, struct wt_error *err)
{
    struct trace *list =
        wt_array_grow(d->history.trace, &d->history.trace_capacity, count + 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for breakpoints of the recorded run");
    d->history.trace = list;
    for (size_t i = 0; i < count; i++)
        list[i] = (struct trace){.addr = planted[i].addr,
                                 .time = planted[i].time,
                                 .trap = planted[i].trap,
                                 .original = planted[i].original};
    d->history.trace_count = count;
    return dbg_lift_traces(d, err);
}

static enum wt_status take(struct wt_debugger *d, const struct wt_planted *planted, size_t count,
                           uint32_t wave, unsigned lane, struct wt_error *err)
{
    enum wt_status status;
    bool ended = false;
    assert(!d->history.trace_count);
    if ((status = dbg_halt_everything(d, err)) != WT_OK ||
        (status = take_planted(d, planted, count, err)) != WT_OK ||
        (status = dbg_take_events(d, &ended, err)) != WT_OK || ended ||
        (status = dbg_check_fault(d, err)) != WT_OK || d->events.count)
        return status;
    if (wave < d->topology->waves && dbg_is_active(d, wave) && lane < d->wave[wave].self.lanes) {
        d->threads.current = dbg_thread_of(d, wave, lane);
        d->threads.chosen_lane = lane;
    }
    return WT_OK;
}

enum wt_status wt_debugger_take_core_file(struct wt_debugger *d, const struct wt_planted *planted,
                                          size_t count, uint32_t wave, unsigned lane,
                                          struct wt_error *err)
{
    const enum wt_status status = take(d, planted, count, wave, lane, err);
    d->post_mortem = true;
    return status;
}
