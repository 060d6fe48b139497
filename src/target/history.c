/* Time travel of an emulated device, as the service of its target. See debug/core/target.h. */
#include "target/history.h"

#include <inttypes.h>
#include <stdlib.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/slice.h"
#include "emulator/machine/state.h"
#include "target/watches.h"

enum wt_status wt_emulated_history_start(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    if ((status = wt_timeline_new(e->machine, e->options->history_memory, &e->timeline, err)) !=
        WT_OK)
        return status;
    e->services.history = &wt_emulated_history;
    return WT_OK;
}

void wt_emulated_history_stop(struct wt_emulated *e)
{
    wt_slice_free(e->slice);
    e->slice = NULL;
    wt_timeline_free(e->timeline);
    e->timeline = NULL;
    free(e->query_watch);
    free(e->query_condition);
    e->query_watch = NULL;
    e->query_condition = NULL;
}

enum wt_run wt_emulated_run(struct wt_emulated *e, uint64_t issues)
{
    return e->timeline ? wt_timeline_run(e->timeline, issues)
                       : e->machine->ops->run(e->machine, issues);
}

uint32_t wt_emulated_input(struct wt_emulated *e, const struct wt_input *input)
{
    return e->timeline ? wt_timeline_input(e->timeline, input) : wt_input_apply(e->machine, input);
}

enum wt_status wt_emulated_history_restart(struct wt_emulated *e, struct wt_error *err)
{
    return e->timeline ? wt_timeline_restart(e->timeline, err) : WT_OK;
}

/* ---- the service ---- */

/* A slice that was given up ends where the device is wanted for something else. */
static void drop_slice(struct wt_emulated *e)
{
    if (e->slice)
        wt_emulated_watch_again(e);
    wt_slice_free(e->slice);
    e->slice = NULL;
}

static void extent(void *context, uint64_t *start, uint64_t *end)
{
    const struct wt_emulated *e = context;
    *start = wt_timeline_start(e->timeline);
    *end = wt_timeline_end(e->timeline);
}

static bool in_past(void *context)
{
    return !wt_timeline_at_end(((struct wt_emulated *)context)->timeline);
}

static enum wt_status inspect(void *context, struct wt_error *err)
{
    struct wt_emulated *e = context;
    /* In the present a debugger's changes are made, as on a device that is not recorded. */
    if (wt_timeline_at_end(e->timeline))
        return WT_OK;
    const enum wt_status status = wt_timeline_look(e->timeline, true, err);
    if (!status && e->core_file && e->family->core_file.make_ready)
        e->family->core_file.make_ready(e);
    return status;
}

static enum wt_status go(void *context, uint64_t time, struct wt_error *err)
{
    struct wt_emulated *e = context;
    e->fault_reported = true; /* of the present */
    drop_slice(e);
    return wt_timeline_goto(e->timeline, time, err);
}

static uint64_t saved_before(void *context, uint64_t time)
{
    return wt_timeline_saved_before(((const struct wt_emulated *)context)->timeline, time);
}

static enum wt_status branch(void *context, struct wt_error *err)
{
    struct wt_emulated *e = context;
    e->fault_reported = false;
    return wt_timeline_commit(e->timeline, err);
}

static enum wt_status search(void *context, const struct wt_history_query *query,
                             struct wt_error *err)
{
    enum wt_status status;
    struct wt_emulated *e = context;
    const size_t count = query->code_count + (query->wave != WT_NO_HANDLE) + query->watchpoints;
    struct wt_watch *list = calloc(count ? count : 1, sizeof *list);
    struct wt_emulated_condition *conditions = calloc(count ? count : 1, sizeof *conditions);
    if (!list || !conditions || !wt_emulated_watch_room(e)) {
        free(list);
        free(conditions);
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    }
    struct wt_watch *to = list;
    struct wt_emulated_condition *condition = conditions;
    for (size_t i = 0; i < query->code_count; i++)
        *to++ = wt_emulated_watch_of(&query->code[i], condition++);
    if (query->wave != WT_NO_HANDLE)
        *to++ = (struct wt_watch){.kind = WT_WATCH_ISSUE, .wave = query->wave};
    for (size_t i = 0; i < query->watchpoints; i++)
        *to++ = wt_emulated_watch_of(&query->watchpoint[i], condition++);
    free(e->query_watch);
    free(e->query_condition);
    e->query_watch = list;
    e->query_condition = conditions;
    /* The search starts at the state before the debugger inspected the device. */
    if ((status = wt_timeline_look(e->timeline, false, err)) != WT_OK)
        return status;
    wt_search_begin(&e->search, e->timeline, e->machine, query->backwards, list, count);
    return WT_OK;
}

static enum wt_history_step search_on(void *context, uint64_t budget,
                                      struct wt_history_match *place, struct wt_error *err)
{
    struct wt_emulated *e = context;
    const enum wt_search_step step = wt_search_on(&e->search, budget, err);
    switch (step) {
    case WT_SEARCH_ON:
        return WT_HISTORY_ON;
    case WT_SEARCH_PLACE:
        break;
    default:
        wt_emulated_watch_again(e);
        return step == WT_SEARCH_FOUND  ? WT_HISTORY_FOUND
               : step == WT_SEARCH_EDGE ? WT_HISTORY_EDGE
                                        : WT_HISTORY_FAILED;
    }
    const struct wt_watch_hit *hit = &e->search.place;
    *place = (struct wt_history_match){
        .kind = hit->size                                  ? WT_HISTORY_WATCH
                : e->search.kinds & 1u << WT_WATCH_EXECUTE ? WT_HISTORY_PC
                                                           : WT_HISTORY_ISSUE,
        .issue = e->search.kinds & 1u << WT_WATCH_ISSUE,
        .time = hit->time,
        .wave = hit->wave,
        .id = hit->id,
        .mask = hit->mask,
        .pc = hit->pc,
    };
    return WT_HISTORY_MATCH;
}

static void accept(void *context, bool pass)
{
    struct wt_emulated *e = context;
    if (pass) {
        wt_search_pass(&e->search);
        return;
    }
    wt_search_accept(&e->search);
    if (!e->search.backwards)
        wt_emulated_watch_again(e);
}

/* Makes a change of memory that a debugger made (planted or undid) when the run was recorded. */
static bool apply(struct wt_machine *m, const struct wt_patch *patch)
{
    uint8_t bytes[WT_PATCH_BYTES];
    if (!m->ops->read_memory(m, 0, 0, patch->addr, bytes, patch->size))
        return false;
    for (size_t i = 0; i < patch->size; i++)
        bytes[i] = (uint8_t)((bytes[i] & ~patch->mask[i]) | (patch->bytes[i] & patch->mask[i]));
    return m->ops->write_memory(m, 0, 0, patch->addr, bytes, patch->size);
}

static enum wt_status hash(void *context, const struct wt_patch *patch, size_t patches,
                           uint64_t *value, struct wt_error *err)
{
    enum wt_status status;
    struct wt_emulated *e = context;
    struct wt_machine *m = e->machine;
    if ((status = wt_timeline_look(e->timeline, false, err)) != WT_OK)
        return status;
    struct wt_state *now = wt_state_save(m);
    if (!now)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a hash");
    bool fine = true;
    for (size_t i = 0; i < patches; i++)
        fine = fine && apply(m, &patch[i]);
    *value = m->ops->program_hash(m);
    wt_state_restore(m, now);
    wt_state_free(now);
    return fine ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory for a hash");
}

static enum wt_status slice(void *context, const struct wt_slice_seed *seed, size_t seeds,
                            const struct wt_slice_limits *limits, struct wt_error *err)
{
    struct wt_emulated *e = context;
    drop_slice(e);
    const enum wt_status status = wt_timeline_look(e->timeline, false, err);
    if (status)
        return status;
    wt_set_watches(e->machine, NULL, 0);
    return wt_slice_begin(e->timeline, e->machine, seed, seeds, limits, &e->slice, err);
}

static enum wt_history_step slice_on(void *context, uint64_t budget, struct wt_error *err)
{
    struct wt_emulated *e = context;
    switch (wt_slice_on(e->slice, budget, err)) {
    case WT_SLICE_ON:
        return WT_HISTORY_ON;
    case WT_SLICE_DONE:
        return WT_HISTORY_FOUND;
    case WT_SLICE_FAILED:
        break;
    }
    return WT_HISTORY_FAILED;
}

static enum wt_status slice_end(void *context, struct wt_slice_found *found, struct wt_error *err)
{
    struct wt_emulated *e = context;
    wt_slice_take(e->slice, found);
    drop_slice(e);
    return WT_OK;
}

static void stats(void *context, struct wt_history_stats *out)
{
    const struct wt_emulated *e = context;
    struct wt_timeline_stats t;
    wt_timeline_stats(e->timeline, &t);
    *out = (struct wt_history_stats){.saved = t.snapshots,
                                     .bytes = t.bytes,
                                     .budget = e->options->history_memory,
                                     .log = t.log,
                                     .lost = t.lost,
                                     .widest_gap = t.widest_gap,
                                     .branches = t.branches};
}

const struct wt_history_services wt_emulated_history = {
    .extent = extent,
    .in_past = in_past,
    .go = go,
    .saved_before = saved_before,
    .branch = branch,
    .search = search,
    .search_on = search_on,
    .accept = accept,
    .inspect = inspect,
    .hash = hash,
    .slice = slice,
    .slice_on = slice_on,
    .slice_end = slice_end,
    .stats = stats,
};
