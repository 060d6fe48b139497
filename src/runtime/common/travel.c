/* Time travel in the recording of a GPU, for its debugger. See recording.h. */
#include "runtime/common/recording_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "emulator/machine/state.h"
#include "runtime/common/watched.h"

/* A request that is being served. */
struct travel_asked {
    struct wt_recording *recording;
    struct wt_timeline *timeline;
    struct wt_machine *machine;
    const struct wt_travel_request *request;
    struct wt_travel_answer *answer;
    uint8_t *bytes;
};

static void answer_bytes(const struct travel_asked *a, const void *from, size_t size)
{
    memcpy(a->bytes + a->answer->size, from, size);
    a->answer->size += (uint32_t)size;
}

static void refuse(const struct travel_asked *a, const char *why)
{
    a->answer->result = -EINVAL;
    a->answer->size = 0;
    answer_bytes(a, why, strlen(why) + 1);
}

static void answer_status(const struct travel_asked *a, enum wt_status status,
                          const struct wt_error *err)
{
    if (status != WT_OK)
        refuse(a, err->text);
}

static void tell_state(const struct travel_asked *a)
{
    const struct wt_travel_extent extent = {.start = wt_timeline_start(a->timeline),
                                            .end = wt_timeline_end(a->timeline),
                                            .now = a->machine->time,
                                            .in_past = !wt_timeline_at_end(a->timeline)};
    answer_bytes(a, &extent, sizeof extent);
}

static void tell_stats(const struct travel_asked *a)
{
    struct wt_timeline_stats t;
    wt_timeline_stats(a->timeline, &t);
    const struct wt_travel_stats stats = {.saved = t.snapshots,
                                          .bytes = t.bytes,
                                          .budget = a->recording->budget,
                                          .log = t.log,
                                          .lost = t.lost,
                                          .widest_gap = t.widest_gap,
                                          .branches = t.branches};
    answer_bytes(a, &stats, sizeof stats);
}

static void branch(const struct travel_asked *a)
{
    struct wt_error err;
    if (a->machine->time < a->recording->fixed) {
        refuse(a, "the program has seen what this kernel did: nothing can be changed before the "
                  "kernel that runs");
        return;
    }
    const enum wt_status status = wt_timeline_commit(a->timeline, &err);
    if (status == WT_OK)
        recording_branched(a->recording);
    answer_status(a, status, &err);
}

/* In the present a debugger's changes are made, as where nothing is recorded. */
static void inspect(const struct travel_asked *a)
{
    struct wt_error err;
    if (!wt_timeline_at_end(a->timeline))
        answer_status(a, wt_timeline_look(a->timeline, true, &err), &err);
}

/* ---- searching ---- */

/* Watches of code come first: a search relies on that. */
static bool take_watches(const struct travel_asked *a, struct wt_watch *to, size_t count)
{
    bool memory = false;
    for (size_t i = 0; i < count; i++) {
        struct wt_wire_watch w;
        memcpy(&w, a->bytes + i * sizeof w, sizeof w);
        const bool code = w.kind >= WT_WIRE_WATCH_MEMORY;
        if (!watched_find(&w, &to[i]) || (code && memory) ||
            (w.kind == WT_WIRE_WATCH_ISSUE && w.wave >= a->machine->waves))
            return false;
        memory |= !code;
    }
    return true;
}

static void search(const struct travel_asked *a)
{
    struct wt_recording *r = a->recording;
    struct wt_error err;
    const size_t count = a->request->size / sizeof(struct wt_wire_watch);
    struct wt_watch *list = calloc(count ? count : 1, sizeof *list);
    if (!list || a->request->size % sizeof(struct wt_wire_watch) || !take_watches(a, list, count)) {
        refuse(a, list ? "a search for what there cannot be" : "no host memory to search the past");
        free(list);
        return;
    }
    /* The search starts at the state before the debugger inspected it. */
    const enum wt_status status = wt_timeline_look(a->timeline, false, &err);
    if (status != WT_OK) {
        free(list);
        answer_status(a, status, &err);
        return;
    }
    free(r->watch);
    r->watch = list;
    r->searching = true;
    wt_search_begin(&r->search, a->timeline, a->machine, a->request->argument != 0, list, count);
}

static void tell_match(const struct travel_asked *a, const struct wt_search *s)
{
    const struct wt_machine *m = a->machine;
    const struct wt_watch_hit *place = &s->place;
    struct wt_travel_match match = {.id = place->id,
                                    .time = place->time,
                                    .pc = place->pc,
                                    .mask = place->mask,
                                    .wave = place->wave,
                                    .kind = place->size ? WT_TRAVEL_MATCH_MEMORY
                                            : s->kinds & 1u << WT_WATCH_EXECUTE
                                                ? WT_TRAVEL_MATCH_CODE
                                                : WT_TRAVEL_MATCH_ISSUE,
                                    .issue = s->kinds >> WT_WATCH_ISSUE & 1};
    for (size_t i = 0; i < m->hits; i++)
        match.hits += m->hit[i].size != 0;
    answer_bytes(a, &match, sizeof match);
    for (size_t i = 0; i < m->hits; i++) {
        const struct wt_watch_hit *from = &m->hit[i];
        if (!from->size)
            continue;
        const struct wt_wire_hit hit = watched_hit(from);
        answer_bytes(a, &hit, sizeof hit);
    }
}

static void search_on(const struct travel_asked *a)
{
    struct wt_recording *r = a->recording;
    struct wt_error err;
    _Static_assert(sizeof(struct wt_travel_match) + WT_WATCH_HITS * sizeof(struct wt_wire_hit) <=
                       WT_TRAVEL_BYTES,
                   "an answer has room for all hits");
    switch (wt_search_on(&r->search, a->request->argument, &err)) {
    case WT_SEARCH_ON:
        a->answer->result = WT_TRAVEL_STEP_ON;
        return;
    case WT_SEARCH_PLACE:
        a->answer->result = WT_TRAVEL_STEP_MATCH;
        tell_match(a, &r->search);
        return;
    case WT_SEARCH_FOUND:
        a->answer->result = WT_TRAVEL_STEP_FOUND;
        break;
    case WT_SEARCH_EDGE:
        a->answer->result = WT_TRAVEL_STEP_EDGE;
        break;
    case WT_SEARCH_FAILED:
        refuse(a, err.text);
        break;
    }
    recording_end_search(r);
}

static void accept(const struct travel_asked *a)
{
    struct wt_recording *r = a->recording;
    if (a->request->argument) {
        wt_search_pass(&r->search);
        return;
    }
    wt_search_accept(&r->search);
    if (!r->search.backwards)
        recording_end_search(r);
}

/* ---- what a value was made of ---- */

static void slice(const struct travel_asked *a)
{
    struct wt_recording *r = a->recording;
    struct wt_slice_limits limits;
    struct wt_error err;
    const size_t size = a->request->size, one = sizeof(struct wt_slice_seed);
    const size_t seeds = size < sizeof limits ? 0 : (size - sizeof limits) / one;
    struct wt_slice_seed *seed = seeds ? calloc(seeds, one) : NULL;
    bool good = seed && size == sizeof limits + seeds * one;
    if (good) {
        memcpy(&limits, a->bytes, sizeof limits);
        memcpy(seed, a->bytes + sizeof limits, seeds * one);
        good = limits.steps > 0;
    }
    for (size_t i = 0; good && i < seeds; i++)
        good = memchr(seed[i].name, 0, sizeof seed[i].name);
    recording_end_search(r);
    if (!good) {
        refuse(a, "a question about values that makes no sense");
    } else {
        enum wt_status status = wt_timeline_look(a->timeline, false, &err);
        wt_set_watches(a->machine, NULL, 0);
        if (!status)
            status = wt_slice_begin(a->timeline, a->machine, seed, seeds, &limits, &r->slice, &err);
        answer_status(a, status, &err);
    }
    free(seed);
}

static void slice_on(const struct travel_asked *a)
{
    struct wt_error err;
    switch (
        wt_slice_on(a->recording->slice, a->request->argument ? a->request->argument : 1, &err)) {
    case WT_SLICE_ON:
        a->answer->result = WT_TRAVEL_STEP_ON;
        break;
    case WT_SLICE_DONE:
        a->answer->result = WT_TRAVEL_STEP_FOUND;
        break;
    case WT_SLICE_FAILED:
        recording_end_search(a->recording);
        refuse(a, err.text);
        break;
    }
}

static void slice_list(const struct travel_asked *a)
{
    const struct wt_slice_found *found = wt_slice_found(a->recording->slice);
    const struct wt_travel_slice all = {.steps = found->steps,
                                        .inputs = found->inputs,
                                        .more = found->more,
                                        .untold = found->untold};
    uint64_t next = a->request->argument;
    answer_bytes(a, &all, sizeof all);
    for (; next < found->steps && a->answer->size + sizeof *found->step <= WT_TRAVEL_BYTES; next++)
        answer_bytes(a, &found->step[next], sizeof *found->step);
    for (; next >= found->steps && next - found->steps < found->inputs &&
           a->answer->size + sizeof *found->input <= WT_TRAVEL_BYTES;
         next++)
        answer_bytes(a, &found->input[next - found->steps], sizeof *found->input);
    if (next >= found->steps + found->inputs)
        recording_end_search(a->recording);
}

/* ---- a hash ---- */

static bool apply(struct wt_machine *m, const struct wt_travel_patch *patch)
{
    uint8_t bytes[sizeof patch->bytes];
    if (patch->size > sizeof bytes ||
        !m->ops->read_memory(m, 0, 0, patch->addr, bytes, patch->size))
        return false;
    for (size_t i = 0; i < patch->size; i++)
        bytes[i] = (uint8_t)((bytes[i] & ~patch->mask[i]) | (patch->bytes[i] & patch->mask[i]));
    return m->ops->write_memory(m, 0, 0, patch->addr, bytes, patch->size);
}

static void hash(const struct travel_asked *a)
{
    struct wt_machine *m = a->machine;
    struct wt_error err;
    const enum wt_status status = wt_timeline_look(a->timeline, false, &err);
    if (status != WT_OK) {
        answer_status(a, status, &err);
        return;
    }
    struct wt_state *now = wt_state_save(m);
    bool fine = now;
    for (size_t at = 0; fine && at < a->request->size; at += sizeof(struct wt_travel_patch)) {
        struct wt_travel_patch patch;
        fine = a->request->size - at >= sizeof patch;
        if (fine)
            memcpy(&patch, a->bytes + at, sizeof patch);
        fine = fine && apply(m, &patch);
    }
    a->answer->argument = m->ops->program_hash(m);
    if (now)
        wt_state_restore(m, now);
    wt_state_free(now);
    if (!fine)
        refuse(a, "no hash can be had here");
}

/* ---- requests ---- */

/* Whether the device is wanted somewhere else, or for another search. */
static bool moves_device(uint64_t what)
{
    return what == WT_TRAVEL_GO || what == WT_TRAVEL_BRANCH || what == WT_TRAVEL_SEARCH ||
           what == WT_TRAVEL_SEARCH_ON || what == WT_TRAVEL_ACCEPT || what == WT_TRAVEL_INSPECT ||
           what == WT_TRAVEL_HASH;
}

static void serve(const struct travel_asked *a)
{
    const uint64_t argument = a->request->argument;
    struct wt_error err;
    if (a->recording->slice && moves_device(a->request->what)) /* it was given up */
        recording_end_search(a->recording);
    switch ((enum wt_travel)a->request->what) {
    case WT_TRAVEL_STATE:
        tell_state(a);
        break;
    case WT_TRAVEL_MISSING:
        break;
    case WT_TRAVEL_GO:
        answer_status(a, recording_goto(a->recording, argument, &err), &err);
        break;
    case WT_TRAVEL_SAVED_BEFORE:
        a->answer->argument = wt_timeline_saved_before(a->timeline, argument);
        break;
    case WT_TRAVEL_BRANCH:
        branch(a);
        break;
    case WT_TRAVEL_SEARCH:
        search(a);
        break;
    case WT_TRAVEL_SEARCH_ON:
    case WT_TRAVEL_ACCEPT:
        if (!a->recording->searching)
            refuse(a, "nothing is being searched");
        else if (a->request->what == WT_TRAVEL_ACCEPT)
            accept(a);
        else
            search_on(a);
        break;
    case WT_TRAVEL_INSPECT:
        inspect(a);
        break;
    case WT_TRAVEL_HASH:
        hash(a);
        break;
    case WT_TRAVEL_STATS:
        tell_stats(a);
        break;
    case WT_TRAVEL_SLICE:
        slice(a);
        break;
    case WT_TRAVEL_SLICE_ON:
    case WT_TRAVEL_SLICE_LIST:
        if (!a->recording->slice)
            refuse(a, "nobody has asked what a value was made of");
        else if (a->request->what == WT_TRAVEL_SLICE_ON)
            slice_on(a);
        else
            slice_list(a);
        break;
    default:
        refuse(a, "no such request");
        break;
    }
}

void wt_recording_serve(struct wt_recording *recording, const struct wt_travel_request *request,
                        struct wt_travel_answer *answer, uint8_t *bytes)
{
    const struct travel_asked asked = {.recording = recording,
                                       .timeline = recording ? recording->timeline : NULL,
                                       .machine = recording ? recording->machine : NULL,
                                       .request = request,
                                       .answer = answer,
                                       .bytes = bytes};
    *answer = (struct wt_travel_answer){.argument = request->argument};
    if (asked.timeline) {
        serve(&asked);
        recording_moved(recording);
        return;
    }
    const char *why = wt_recording_missing(recording);
    if (request->what == WT_TRAVEL_MISSING)
        answer_bytes(&asked, why, strlen(why) + 1);
    else
        refuse(&asked, why);
}
