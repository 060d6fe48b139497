/* Time travel within the kernels of a host process: the target's history service, which sends every
 * request to the process (object/kfd_wire.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/gcn/process_ask.h"

#define SEVERAL_GPUS                                                                               \
    "nothing is recorded of a program with several GPUs: what they do has no common order"

/* A request for travel. The answer's bytes are stored at travel.answer, *size of them. */
static enum wt_status ask(struct wt_gcn_process *p, enum kfd_wire_travel what, uint64_t *argument,
                          const void *more, size_t length, struct kfd_wire_answer *answer,
                          struct wt_error *err)
{
    struct gcnp_travel *t = gcnp_travel_of(p);
    struct kfd_wire_request request = {
        .kind = KFD_WIRE_HISTORY,
        .size = (uint32_t)length,
        .call = {.op = KFD_DEBUG_QUERY_EVENT, .arg = {what, argument ? *argument : 0}}};
    if (length > KFD_WIRE_MOST)
        return wt_fail(err, WT_INVALID, "too many breakpoints to search the past for");
    const enum wt_status status =
        gcnp_ask(p, &request, more, answer, t->answer, KFD_WIRE_MOST, err);
    if (status != WT_OK)
        return status;
    if (answer->result < 0) {
        t->answer[answer->size ? answer->size - 1 : 0] = 0;
        return wt_fail(err, WT_INVALID, "%.200s", (const char *)t->answer);
    }
    if (argument)
        *argument = answer->call.arg[1];
    return WT_OK;
}

static enum wt_status do_it(struct wt_gcn_process *p, enum kfd_wire_travel what, uint64_t argument,
                            const void *more, size_t length, struct wt_error *err)
{
    struct kfd_wire_answer answer;
    return ask(p, what, &argument, more, length, &answer, err);
}

/* Asks for one struct; false if there is none. */
static bool ask_struct(struct wt_gcn_process *p, enum kfd_wire_travel what, void *to, size_t size)
{
    struct kfd_wire_answer answer;
    if (ask(p, what, NULL, NULL, 0, &answer, WT_IGNORED) != WT_OK || answer.size != size)
        return false;
    memcpy(to, gcnp_travel_of(p)->answer, size);
    return true;
}

static uint64_t issue_time(void *context)
{
    struct gcnp_travel *t = gcnp_travel_of(context);
    struct kfd_wire_request request = {.kind = KFD_WIRE_TIME};
    struct kfd_wire_answer answer;
    if (gcnp_ask(context, &request, NULL, &answer, NULL, 0, WT_IGNORED) == WT_OK)
        t->now = answer.call.arg[0];
    return t->now;
}

/* If nothing is recorded, the run begins and ends now. */
static void look(struct wt_gcn_process *p)
{
    struct gcnp_travel *t = gcnp_travel_of(p);
    if (!ask_struct(p, KFD_TRAVEL_STATE, &t->extent, sizeof t->extent)) {
        const uint64_t now = issue_time(p);
        t->extent = (struct kfd_wire_extent){.start = now, .end = now, .now = now};
    }
}

static void extent(void *context, uint64_t *start, uint64_t *end)
{
    const struct gcnp_travel *t = gcnp_travel_of(context);
    look(context);
    *start = t->extent.start;
    *end = t->extent.end;
}

static bool in_past(void *context)
{
    look(context);
    return gcnp_travel_of(context)->extent.in_past;
}

static enum wt_status go(void *context, uint64_t time, struct wt_error *err)
{
    return do_it(context, KFD_TRAVEL_GO, time, NULL, 0, err);
}

static uint64_t saved_before(void *context, uint64_t time)
{
    struct kfd_wire_answer answer;
    struct gcnp_travel *t = gcnp_travel_of(context);
    uint64_t saved = time;
    if (ask(context, KFD_TRAVEL_SAVED_BEFORE, &saved, NULL, 0, &answer, WT_IGNORED) == WT_OK)
        t->saved = saved;
    return t->saved;
}

static enum wt_status branch(void *context, struct wt_error *err)
{
    return do_it(context, KFD_TRAVEL_BRANCH, 0, NULL, 0, err);
}

static struct kfd_wire_watch wire_of(const struct wt_watchpoint *w)
{
    static const enum kfd_wire_watched kinds[] = {[WT_WATCHPOINT_WRITE] = KFD_WATCHED_WRITE,
                                                  [WT_WATCHPOINT_READ] = KFD_WATCHED_READ,
                                                  [WT_WATCHPOINT_ACCESS] = KFD_WATCHED_ACCESS,
                                                  [WT_WATCHPOINT_EXECUTE] = KFD_WATCHED_EXECUTE};
    return (struct kfd_wire_watch){
        .kind = kinds[w->kind], .wave = w->wave, .addr = w->addr.offset, .size = w->size};
}

static enum wt_status search(void *context, const struct wt_history_query *query,
                             struct wt_error *err)
{
    struct gcnp_travel *t = gcnp_travel_of(context);
    const size_t most = query->code_count + 1 + query->watchpoints;
    struct kfd_wire_watch *list = calloc(most, sizeof *list);
    size_t count = 0;
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    for (size_t i = 0; i < query->code_count; i++)
        list[count++] = wire_of(&query->code[i]);
    if (query->wave != WT_NO_HANDLE)
        list[count++] = (struct kfd_wire_watch){.kind = KFD_WATCHED_ISSUE, .wave = query->wave};
    for (size_t i = 0; i < query->watchpoints; i++)
        list[count++] = wire_of(&query->watchpoint[i]);
    t->hits = 0;
    const enum wt_status status =
        do_it(context, KFD_TRAVEL_SEARCH, query->backwards, list, count * sizeof *list, err);
    free(list);
    return status;
}

static void take_hit(struct wt_watchpoint_hit *to, const struct kfd_wire_hit *from)
{
    *to = (struct wt_watchpoint_hit){.read = from->kind != KFD_WATCHED_WRITE,
                                     .write = from->kind != KFD_WATCHED_READ,
                                     .time = from->time,
                                     .wave = from->wave,
                                     .lane = from->lane,
                                     .pc = from->pc,
                                     .addr = wt_address_of(from->addr),
                                     .size = from->size};
    memcpy(to->before, from->before, sizeof to->before);
    memcpy(to->after, from->after, sizeof to->after);
}

static bool take_match(struct gcnp_travel *t, const struct kfd_wire_answer *answer,
                       struct wt_history_match *match)
{
    static const enum wt_history_kind kinds[] = {[KFD_MATCH_CODE] = WT_HISTORY_PC,
                                                 [KFD_MATCH_ISSUE] = WT_HISTORY_ISSUE,
                                                 [KFD_MATCH_MEMORY] = WT_HISTORY_WATCH};
    struct kfd_wire_match m;
    if (answer->size < sizeof m)
        return false;
    memcpy(&m, t->answer, sizeof m);
    if (m.kind > KFD_MATCH_MEMORY || m.hits > KFD_WIRE_MOST / sizeof(struct kfd_wire_hit) ||
        answer->size != sizeof m + m.hits * sizeof(struct kfd_wire_hit))
        return false;
    struct wt_watchpoint_hit *more =
        wt_array_grow(t->hit, &t->hit_room, (size_t)m.hits + 1, sizeof *more);
    if (!more)
        return false;
    t->hit = more;
    for (t->hits = 0; t->hits < m.hits; t->hits++) {
        struct kfd_wire_hit hit;
        memcpy(&hit, t->answer + sizeof m + t->hits * sizeof hit, sizeof hit);
        if (hit.size > sizeof hit.before || hit.lane >= 64)
            return false;
        take_hit(&t->hit[t->hits], &hit);
    }
    *match = (struct wt_history_match){.kind = kinds[m.kind],
                                       .issue = m.issue,
                                       .time = m.time,
                                       .wave = m.wave,
                                       .mask = m.mask,
                                       .pc = m.pc};
    return true;
}

static enum wt_history_step search_on(void *context, uint64_t budget,
                                      struct wt_history_match *match, struct wt_error *err)
{
    struct gcnp_travel *t = gcnp_travel_of(context);
    struct kfd_wire_answer answer;
    t->hits = 0;
    if (ask(context, KFD_TRAVEL_SEARCH_ON, &budget, NULL, 0, &answer, err) != WT_OK)
        return WT_HISTORY_FAILED;
    switch (answer.result) {
    case KFD_STEP_ON:
        return WT_HISTORY_ON;
    case KFD_STEP_MATCH:
        if (take_match(t, &answer, match))
            return WT_HISTORY_MATCH;
        break;
    case KFD_STEP_FOUND:
        return WT_HISTORY_FOUND;
    case KFD_STEP_EDGE:
        return WT_HISTORY_EDGE;
    default:
        break;
    }
    wt_fail(err, WT_IO, "the process tells of its past what makes no sense");
    return WT_HISTORY_FAILED;
}

static void accept(void *context, bool pass)
{
    do_it(context, KFD_TRAVEL_ACCEPT, pass, NULL, 0, WT_IGNORED);
}

static enum wt_status inspect(void *context, struct wt_error *err)
{
    return do_it(context, KFD_TRAVEL_INSPECT, 0, NULL, 0, err);
}

static enum wt_status hash(void *context, const struct wt_patch *patch, size_t patches,
                           uint64_t *value, struct wt_error *err)
{
    struct kfd_wire_answer answer;
    struct kfd_wire_patch *list = calloc(patches ? patches : 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a hash");
    _Static_assert(sizeof list->bytes == WT_PATCH_BYTES, "a patch is one of the debugger's");
    for (size_t i = 0; i < patches; i++) {
        list[i] = (struct kfd_wire_patch){.addr = patch[i].addr, .size = (uint32_t)patch[i].size};
        memcpy(list[i].bytes, patch[i].bytes, WT_PATCH_BYTES);
        memcpy(list[i].mask, patch[i].mask, WT_PATCH_BYTES);
    }
    *value = 0;
    const enum wt_status status =
        ask(context, KFD_TRAVEL_HASH, value, list, patches * sizeof *list, &answer, err);
    free(list);
    return status;
}

static void stats(void *context, struct wt_history_stats *out)
{
    struct kfd_wire_stats s = {.budget = gcnp_travel_of(context)->budget};
    ask_struct(context, KFD_TRAVEL_STATS, &s, sizeof s);
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
    struct gcnp_travel *t = gcnp_travel_of(context);
    struct kfd_wire_answer answer;
    if (t->refused)
        return t->refused;
    if (ask(context, KFD_TRAVEL_MISSING, NULL, NULL, 0, &answer, WT_IGNORED) != WT_OK ||
        !answer.size)
        return NULL;
    t->answer[answer.size - 1] = 0;
    snprintf(t->missing, sizeof t->missing, "%s", (const char *)t->answer);
    return t->missing;
}

static size_t watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct gcnp_travel *t = gcnp_travel_of(context);
    const size_t count = t->hits;
    t->hits = 0;
    *list = t->hit;
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
    .stats = stats,
    .missing = missing,
};

enum wt_status wt_gcn_process_record(struct wt_gcn_process *p, uint64_t budget,
                                     struct wt_target_services *services, struct wt_error *err)
{
    struct gcnp_travel *t = gcnp_travel_of(p);
    struct kfd_wire_request request = {.kind = KFD_WIRE_RECORD, .addr = budget};
    struct kfd_wire_answer answer = {.result = 0};
    if (!t->answer && !(t->answer = malloc(KFD_WIRE_MOST)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for time travel");
    t->budget = budget;
    t->refused = wt_gcn_process_gpus(p) > 1 ? SEVERAL_GPUS : NULL;
    if (!t->refused) {
        const enum wt_status status = gcnp_ask(p, &request, NULL, &answer, NULL, 0, err);
        if (status != WT_OK)
            return status;
    }
    if (answer.result < 0)
        return wt_fail(err, WT_NO_MEMORY, "process %d has no host memory for a recording",
                       wt_gcn_process_id(p));
    services->history = &history;
    services->time = issue_time;
    services->watchpoint_hits = watchpoint_hits;
    return WT_OK;
}
