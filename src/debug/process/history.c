/* See history.h. */
#include "debug/process/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static struct wt_process_link *link_of(struct wt_process_history *h)
{
    return (struct wt_process_link *)h;
}

/* A request for travel. The bytes that follow its answer are stored at h->answer. */
static enum wt_status ask(struct wt_process_history *h, enum wt_travel what, uint64_t *argument,
                          const void *more, size_t length, struct wt_wire_answer *answer,
                          struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_HISTORY,
                                            .number = what,
                                            .value = argument ? *argument : 0,
                                            .follows = (uint32_t)length};
    if (length > WT_TRAVEL_REQUEST_BYTES)
        return wt_fail(err, WT_INVALID, "too many breakpoints to search the past for");
    link_of(h)->changes++;
    const enum wt_status status =
        wt_process_link_ask(link_of(h), &request, more, answer, h->answer, WT_TRAVEL_BYTES, err);
    if (status != WT_OK)
        return status;
    if (answer->result < 0) {
        h->answer[answer->size ? answer->size - 1 : 0] = 0;
        return wt_fail(err, WT_INVALID, "%.200s", (const char *)h->answer);
    }
    if (argument)
        *argument = answer->value[0];
    return WT_OK;
}

static enum wt_status do_it(struct wt_process_history *h, enum wt_travel what, uint64_t argument,
                            const void *more, size_t length, struct wt_error *err)
{
    struct wt_wire_answer answer;
    return ask(h, what, &argument, more, length, &answer, err);
}

/* Asks for one struct; false if there is none. */
static bool ask_struct(struct wt_process_history *h, enum wt_travel what, void *to, size_t size)
{
    struct wt_wire_answer answer;
    if (ask(h, what, NULL, NULL, 0, &answer, WT_IGNORED) != WT_OK || answer.size != size)
        return false;
    memcpy(to, h->answer, size);
    return true;
}

static uint64_t issue_time(void *context)
{
    struct wt_process_history *h = context;
    struct wt_wire_answer answer;
    if (wt_process_link_tell(context, (struct wt_wire_request){.verb = WT_WIRE_TIME}, &answer,
                             WT_IGNORED) == WT_OK)
        h->now = answer.value[0];
    return h->now;
}

/* If nothing is recorded, the run begins and ends now. */
static void look(struct wt_process_history *h)
{
    if (!ask_struct(h, WT_TRAVEL_STATE, &h->extent, sizeof h->extent)) {
        const uint64_t now = issue_time(h);
        h->extent = (struct wt_travel_extent){.start = now, .end = now, .now = now};
    }
}

static void extent(void *context, uint64_t *start, uint64_t *end)
{
    const struct wt_process_history *h = context;
    look(context);
    *start = h->extent.start;
    *end = h->extent.end;
}

static bool in_past(void *context)
{
    look(context);
    return ((struct wt_process_history *)context)->extent.in_past;
}

static enum wt_status go(void *context, uint64_t time, struct wt_error *err)
{
    return do_it(context, WT_TRAVEL_GO, time, NULL, 0, err);
}

static uint64_t saved_before(void *context, uint64_t time)
{
    struct wt_wire_answer answer;
    struct wt_process_history *h = context;
    uint64_t saved = time;
    if (ask(context, WT_TRAVEL_SAVED_BEFORE, &saved, NULL, 0, &answer, WT_IGNORED) == WT_OK)
        h->saved = saved;
    return h->saved;
}

static enum wt_status branch(void *context, struct wt_error *err)
{
    return do_it(context, WT_TRAVEL_BRANCH, 0, NULL, 0, err);
}

static enum wt_status search(void *context, const struct wt_history_query *query,
                             struct wt_error *err)
{
    struct wt_process_history *h = context;
    const size_t most = query->code_count + 1 + query->watchpoints;
    struct wt_wire_watch *list = calloc(most, sizeof *list);
    size_t count = 0;
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    for (size_t i = 0; i < query->code_count; i++)
        list[count++] = wt_process_link_watched(&query->code[i], query->code[i].addr.offset);
    if (query->wave != WT_NO_HANDLE)
        list[count++] = (struct wt_wire_watch){.kind = WT_WIRE_WATCH_ISSUE, .wave = query->wave};
    for (size_t i = 0; i < query->watchpoints; i++)
        list[count++] =
            wt_process_link_watched(&query->watchpoint[i], query->watchpoint[i].addr.offset);
    h->hits = 0;
    const enum wt_status status =
        do_it(context, WT_TRAVEL_SEARCH, query->backwards, list, count * sizeof *list, err);
    free(list);
    return status;
}

static bool take_match(struct wt_process_history *h, const struct wt_wire_answer *answer,
                       struct wt_history_match *match)
{
    static const enum wt_history_kind kinds[] = {[WT_TRAVEL_MATCH_CODE] = WT_HISTORY_PC,
                                                 [WT_TRAVEL_MATCH_ISSUE] = WT_HISTORY_ISSUE,
                                                 [WT_TRAVEL_MATCH_MEMORY] = WT_HISTORY_WATCH};
    struct wt_travel_match m;
    if (answer->size < sizeof m)
        return false;
    memcpy(&m, h->answer, sizeof m);
    if (m.kind > WT_TRAVEL_MATCH_MEMORY || m.id == WT_NO_WAVE ||
        m.hits > WT_TRAVEL_BYTES / sizeof(struct wt_wire_hit) ||
        answer->size != sizeof m + m.hits * sizeof(struct wt_wire_hit))
        return false;
    struct wt_watchpoint_hit *more =
        wt_array_grow(h->hit, &h->hit_room, (size_t)m.hits + 1, sizeof *more);
    if (!more)
        return false;
    h->hit = more;
    for (h->hits = 0; h->hits < m.hits; h->hits++) {
        struct wt_wire_hit hit;
        memcpy(&hit, h->answer + sizeof m + h->hits * sizeof hit, sizeof hit);
        if (hit.id == WT_NO_WAVE || hit.size > sizeof hit.before || hit.lane >= h->lanes)
            return false;
        h->hit[h->hits] = wt_process_link_hit(&hit);
    }
    *match = (struct wt_history_match){.kind = kinds[m.kind],
                                       .issue = m.issue,
                                       .time = m.time,
                                       .wave = m.wave,
                                       .id = m.id,
                                       .mask = m.mask,
                                       .pc = m.pc};
    return true;
}

static enum wt_history_step search_on(void *context, uint64_t budget,
                                      struct wt_history_match *match, struct wt_error *err)
{
    struct wt_process_history *h = context;
    struct wt_wire_answer answer;
    h->hits = 0;
    if (ask(context, WT_TRAVEL_SEARCH_ON, &budget, NULL, 0, &answer, err) != WT_OK)
        return WT_HISTORY_FAILED;
    switch (answer.result) {
    case WT_TRAVEL_STEP_ON:
        return WT_HISTORY_ON;
    case WT_TRAVEL_STEP_MATCH:
        if (take_match(h, &answer, match))
            return WT_HISTORY_MATCH;
        break;
    case WT_TRAVEL_STEP_FOUND:
        return WT_HISTORY_FOUND;
    case WT_TRAVEL_STEP_EDGE:
        return WT_HISTORY_EDGE;
    default:
        break;
    }
    wt_fail(err, WT_IO, "the process reports an impossible past");
    return WT_HISTORY_FAILED;
}

static void accept(void *context, bool pass)
{
    do_it(context, WT_TRAVEL_ACCEPT, pass, NULL, 0, WT_IGNORED);
}

static enum wt_status inspect(void *context, struct wt_error *err)
{
    return do_it(context, WT_TRAVEL_INSPECT, 0, NULL, 0, err);
}

static enum wt_status hash(void *context, const struct wt_patch *patch, size_t patches,
                           uint64_t *value, struct wt_error *err)
{
    struct wt_wire_answer answer;
    struct wt_travel_patch *list = calloc(patches ? patches : 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a hash");
    _Static_assert(sizeof list->bytes == WT_PATCH_BYTES, "a patch is one of the debugger's");
    for (size_t i = 0; i < patches; i++) {
        list[i] = (struct wt_travel_patch){.addr = patch[i].addr, .size = (uint32_t)patch[i].size};
        memcpy(list[i].bytes, patch[i].bytes, WT_PATCH_BYTES);
        memcpy(list[i].mask, patch[i].mask, WT_PATCH_BYTES);
    }
    *value = 0;
    const enum wt_status status =
        ask(context, WT_TRAVEL_HASH, value, list, patches * sizeof *list, &answer, err);
    free(list);
    return status;
}

static enum wt_status slice(void *context, const struct wt_slice_seed *seed, size_t seeds,
                            const struct wt_slice_limits *limits, struct wt_error *err)
{
    const size_t size = sizeof *limits + seeds * sizeof *seed;
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    memcpy(bytes, limits, sizeof *limits);
    memcpy(bytes + sizeof *limits, seed, seeds * sizeof *seed);
    const enum wt_status status = do_it(context, WT_TRAVEL_SLICE, 0, bytes, size, err);
    free(bytes);
    return status;
}

static enum wt_history_step slice_on(void *context, uint64_t budget, struct wt_error *err)
{
    struct wt_wire_answer answer;
    if (ask(context, WT_TRAVEL_SLICE_ON, &budget, NULL, 0, &answer, err) != WT_OK)
        return WT_HISTORY_FAILED;
    return answer.result == WT_TRAVEL_STEP_ON ? WT_HISTORY_ON : WT_HISTORY_FOUND;
}

/* Takes the next part of the list of steps, then inputs; false: it makes no sense. */
static bool take_sliced(const uint8_t *from, size_t size, struct wt_slice_found *found,
                        size_t *taken)
{
    const size_t began = *taken;
    for (; *taken < found->steps && size >= sizeof *found->step; ++*taken) {
        struct wt_slice_step *to = &found->step[*taken];
        memcpy(to, from, sizeof *to);
        to->name[sizeof to->name - 1] = 0;
        from += sizeof *to;
        size -= sizeof *to;
    }
    for (; *taken >= found->steps && *taken - found->steps < found->inputs &&
           size >= sizeof *found->input;
         ++*taken) {
        struct wt_slice_input *to = &found->input[*taken - found->steps];
        memcpy(to, from, sizeof *to);
        to->name[sizeof to->name - 1] = 0;
        if (to->space > WT_SLICE_DEVICE || to->lane >= WT_MAX_LANES)
            return false;
        from += sizeof *to;
        size -= sizeof *to;
    }
    return !size && (*taken > began || *taken == found->steps + found->inputs);
}

static enum wt_status slice_end(void *context, struct wt_slice_found *found, struct wt_error *err)
{
    enum { MOST = 4000000 }; /* records of each kind: more than the limits allow */
    struct wt_process_history *h = context;
    struct wt_travel_slice all;
    size_t taken = 0;
    bool good = true;
    *found = (struct wt_slice_found){.more = false};
    do {
        struct wt_wire_answer answer;
        uint64_t next = taken;
        const enum wt_status status = ask(h, WT_TRAVEL_SLICE_LIST, &next, NULL, 0, &answer, err);
        if (status) {
            wt_slice_found_free(found);
            return status;
        }
        good = answer.size >= sizeof all;
        if (good && !taken) {
            memcpy(&all, h->answer, sizeof all);
            good = all.steps <= MOST && all.inputs <= MOST;
            *found = (struct wt_slice_found){.more = all.more, .untold = all.untold};
            found->step = good ? calloc(all.steps + 1, sizeof *found->step) : NULL;
            found->input = good ? calloc(all.inputs + 1, sizeof *found->input) : NULL;
            good = found->step && found->input;
            found->steps = all.steps;
            found->inputs = all.inputs;
        }
        good = good && take_sliced(h->answer + sizeof all, answer.size - sizeof all, found, &taken);
    } while (good && taken < found->steps + found->inputs);
    if (good)
        return WT_OK;
    wt_slice_found_free(found);
    return wt_fail(err, WT_IO, "the process reports an impossible past");
}

static void stats(void *context, struct wt_history_stats *out)
{
    struct wt_travel_stats s = {.budget = ((struct wt_process_history *)context)->budget};
    ask_struct(context, WT_TRAVEL_STATS, &s, sizeof s);
    *out = (struct wt_history_stats){.saved = s.saved,
                                     .bytes = s.bytes,
                                     .budget = s.budget,
                                     .log = s.log,
                                     .lost = s.lost,
                                     .widest_gap = s.widest_gap,
                                     .branches = s.branches};
}

static const char *missing(void *context)
{
    struct wt_process_history *h = context;
    struct wt_wire_answer answer;
    if (h->refused)
        return h->refused;
    if (ask(context, WT_TRAVEL_MISSING, NULL, NULL, 0, &answer, WT_IGNORED) != WT_OK ||
        !answer.size)
        return NULL;
    h->answer[answer.size - 1] = 0;
    snprintf(h->missing, sizeof h->missing, "%s", (const char *)h->answer);
    return h->missing;
}

static size_t watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct wt_process_history *h = context;
    const size_t count = h->hits;
    h->hits = 0;
    *list = h->hit;
    return count;
}

static const struct wt_history_services history = {
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
    .missing = missing,
};

enum wt_status wt_process_history_begin(struct wt_process_link *link, uint64_t budget,
                                        struct wt_target_services *services, struct wt_error *err)
{
    const char *refused =
        link->hello.devices > 1
            ? "nothing is recorded of a program with several GPUs: their issues have no common "
              "order"
            : NULL;
    const struct wt_wire_request request = {.verb = WT_WIRE_RECORD, .value = budget};
    struct wt_process_history *h = &link->history;
    struct wt_wire_answer answer = {.result = 0};
    const enum wt_status status =
        refused ? WT_OK : wt_process_link_tell(link, request, &answer, err);
    if (status != WT_OK)
        return status;
    if (answer.result < 0)
        return wt_fail(err, WT_NO_MEMORY, "process %d has no host memory for a recording",
                       link->connection.pid);
    if (!h->answer && !(h->answer = malloc(WT_TRAVEL_BYTES)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for time travel");
    h->budget = budget;
    h->refused = refused;
    services->history = &history;
    services->time = issue_time;
    if (!services->watchpoint_hits) /* else the family's gives these, too */
        services->watchpoint_hits = watchpoint_hits;
    return WT_OK;
}
