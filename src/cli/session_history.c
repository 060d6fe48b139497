/* Time travel of an emulated device, as its target's service. See debug/core/target.h. */
#include "cli/session_history.h"

#include <inttypes.h>
#include <stdlib.h>

enum wt_status cli_history_start(struct cli_session *s, struct wt_error *err)
{
    if (wt_timeline_new(s->machine, s->options->history_memory, &s->timeline, err))
        return err->status;
    s->services.history = &cli_history_services;
    return WT_OK;
}

void cli_history_stop(struct cli_session *s)
{
    wt_timeline_free(s->timeline);
    s->timeline = NULL;
    free(s->query_watch);
    s->query_watch = NULL;
}

enum wt_run cli_history_run(struct cli_session *s, uint64_t issues)
{
    return s->timeline ? wt_timeline_run(s->timeline, issues)
                       : s->machine->ops->run(s->machine, issues);
}

uint32_t cli_history_input(struct cli_session *s, const struct wt_input *input)
{
    return s->timeline ? wt_timeline_input(s->timeline, input) : wt_input_apply(s->machine, input);
}

enum wt_status cli_history_restart(struct cli_session *s, struct wt_error *err)
{
    return s->timeline ? wt_timeline_restart(s->timeline, err) : WT_OK;
}

/* ---- the service ---- */

static void extent(void *context, uint64_t *start, uint64_t *end)
{
    const struct cli_session *s = context;
    *start = wt_timeline_start(s->timeline);
    *end = wt_timeline_end(s->timeline);
}

static bool in_past(void *context)
{
    return !wt_timeline_at_end(((struct cli_session *)context)->timeline);
}

static enum wt_status look(void *context, struct wt_error *err)
{
    struct cli_session *s = context;
    /* In the present what a debugger does counts, as on a device that is not recorded. */
    return wt_timeline_at_end(s->timeline) ? WT_OK : wt_timeline_look(s->timeline, true, err);
}

static enum wt_status go(void *context, uint64_t time, struct wt_error *err)
{
    struct cli_session *s = context;
    s->fault_told = true; /* of the present */
    return wt_timeline_goto(s->timeline, time, err);
}

static enum wt_status branch(void *context, struct wt_error *err)
{
    struct cli_session *s = context;
    s->fault_told = false;
    return wt_timeline_commit(s->timeline, err);
}

static enum wt_status search(void *context, const struct wt_history_query *query,
                             struct wt_error *err)
{
    struct cli_session *s = context;
    const size_t count = query->pc_count + (query->wave != WT_NO_WAVE) + query->watchpoints;
    struct wt_watch *list = calloc(count ? count : 1, sizeof *list);
    if (!list || !cli_watch_room(s)) {
        free(list);
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    }
    struct wt_watch *to = list;
    for (size_t i = 0; i < query->pc_count; i++)
        *to++ = (struct wt_watch){.kind = WT_WATCH_EXECUTE, .addr = query->pcs[i], .size = 1};
    if (query->wave != WT_NO_WAVE)
        *to++ = (struct wt_watch){.kind = WT_WATCH_ISSUE, .wave = query->wave};
    for (size_t i = 0; i < query->watchpoints; i++)
        *to++ = cli_watch_of(&query->watchpoint[i]);
    free(s->query_watch);
    s->query_watch = list;
    /* The search is for places before where the debugger looked around, not after. */
    if (wt_timeline_look(s->timeline, false, err))
        return err->status;
    wt_search_begin(&s->search, s->timeline, s->machine, query->backwards, list, count);
    return WT_OK;
}

static enum wt_history_step search_on(void *context, uint64_t budget,
                                      struct wt_history_place *place, struct wt_error *err)
{
    struct cli_session *s = context;
    const enum wt_search_step step = wt_search_on(&s->search, budget, err);
    switch (step) {
    case WT_SEARCH_ON:
        return WT_HISTORY_ON;
    case WT_SEARCH_PLACE:
        break;
    default:
        cli_watch_again(s);
        return step == WT_SEARCH_FOUND  ? WT_HISTORY_FOUND
               : step == WT_SEARCH_EDGE ? WT_HISTORY_EDGE
                                        : WT_HISTORY_FAILED;
    }
    const struct wt_watch_hit *hit = &s->search.place;
    *place = (struct wt_history_place){
        .kind = hit->size                                  ? WT_HISTORY_WATCH
                : s->search.kinds & 1u << WT_WATCH_EXECUTE ? WT_HISTORY_PC
                                                           : WT_HISTORY_ISSUE,
        .issue = s->search.kinds & 1u << WT_WATCH_ISSUE,
        .time = hit->time,
        .wave = hit->wave,
        .mask = hit->mask,
        .pc = hit->pc,
    };
    return WT_HISTORY_PLACE;
}

static void accept(void *context, bool pass)
{
    struct cli_session *s = context;
    if (pass) {
        wt_search_pass(&s->search);
        return;
    }
    wt_search_accept(&s->search);
    if (!s->search.backwards)
        cli_watch_again(s);
}

static bool read_register(void *context, uint32_t wave, unsigned lane, unsigned number,
                          uint64_t *value)
{
    struct wt_machine *m = ((struct cli_session *)context)->machine;
    return m->ops->read_register(m, wave, lane, number, value);
}

static enum wt_status hash(void *context, const struct wt_patch *patch, size_t patches,
                           uint64_t *value, struct wt_error *err)
{
    struct cli_session *s = context;
    struct wt_machine *m = s->machine;
    if (wt_timeline_look(s->timeline, false, err))
        return err->status;
    struct wt_state *now = m->ops->save(m);
    if (!now)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a hash");
    bool fine = true;
    for (size_t i = 0; i < patches; i++)
        fine = fine && m->ops->write_memory(m, 0, patch[i].addr, patch[i].bytes, patch[i].size);
    *value = m->ops->program_hash(m);
    fine = m->ops->restore(m, now) && fine;
    m->ops->free_state(now);
    return fine ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory for a hash");
}

static void stats(void *context, struct wt_history_stats *out)
{
    const struct cli_session *s = context;
    struct wt_timeline_stats t;
    wt_timeline_stats(s->timeline, &t);
    *out = (struct wt_history_stats){.saved = t.snapshots,
                                     .bytes = t.bytes,
                                     .budget = s->options->history_memory,
                                     .widest_gap = t.widest_gap,
                                     .branches = t.branches};
}

const struct wt_history_services cli_history_services = {
    .extent = extent,
    .in_past = in_past,
    .go = go,
    .branch = branch,
    .search = search,
    .search_on = search_on,
    .accept = accept,
    .look = look,
    .read_register = read_register,
    .hash = hash,
    .stats = stats,
};
