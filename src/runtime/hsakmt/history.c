/* Time travel in the recording of a GPU, for its debugger. See recording.h. */
#include "runtime/hsakmt/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/search.h"

struct host_history {
    struct wt_search search;
    bool searching;
    struct wt_watch *watch;
};

/* A request that is being served. */
struct asked {
    struct host_gpu *gpu;
    struct wt_timeline *timeline;
    struct wt_machine *machine;
    const struct kfd_wire_request *request;
    struct kfd_wire_answer *answer;
    uint8_t *bytes;
};

static void free_history(struct host_history *h)
{
    free(h->watch);
    free(h);
}

static void answer_bytes(const struct asked *a, const void *from, size_t size)
{
    memcpy(a->bytes + a->answer->size, from, size);
    a->answer->size += (uint32_t)size;
}

static void refuse(const struct asked *a, const char *why)
{
    a->answer->result = -EINVAL;
    a->answer->size = 0;
    answer_bytes(a, why, strlen(why) + 1);
}

static void answer_status(const struct asked *a, enum wt_status status, const struct wt_error *err)
{
    if (status != WT_OK)
        refuse(a, err->text);
}

static void tell_state(const struct asked *a)
{
    const struct kfd_wire_extent extent = {.start = wt_timeline_start(a->timeline),
                                           .end = wt_timeline_end(a->timeline),
                                           .now = a->machine->time,
                                           .in_past = !wt_timeline_at_end(a->timeline)};
    answer_bytes(a, &extent, sizeof extent);
}

static void tell_stats(const struct asked *a)
{
    struct wt_timeline_stats t;
    wt_timeline_stats(a->timeline, &t);
    const struct kfd_wire_stats stats = {.saved = t.snapshots,
                                         .bytes = t.bytes,
                                         .budget = host_recording_budget(a->gpu),
                                         .log = t.log,
                                         .lost = t.lost,
                                         .widest_gap = t.widest_gap,
                                         .branches = t.branches};
    answer_bytes(a, &stats, sizeof stats);
}

static void branch(const struct asked *a)
{
    struct wt_error err;
    const enum wt_status status = wt_timeline_commit(a->timeline, &err);
    if (status == WT_OK)
        host_recording_branched(a->gpu);
    answer_status(a, status, &err);
}

/* In the present a debugger's changes are made, as where nothing is recorded. */
static void inspect(const struct asked *a)
{
    struct wt_error err;
    if (!wt_timeline_at_end(a->timeline))
        answer_status(a, wt_timeline_look(a->timeline, true, &err), &err);
}

/* ---- searching ---- */

/* Watches of code come first: a search relies on that. */
static bool take_watches(const struct asked *a, struct wt_watch *to, size_t count)
{
    static const enum wt_watch_kind kinds[] = {[KFD_WATCHED_WRITE] = WT_WATCH_WRITE,
                                               [KFD_WATCHED_READ] = WT_WATCH_READ,
                                               [KFD_WATCHED_ACCESS] = WT_WATCH_ACCESS,
                                               [KFD_WATCHED_EXECUTE] = WT_WATCH_EXECUTE,
                                               [KFD_WATCHED_ISSUE] = WT_WATCH_ISSUE};
    bool memory = false;
    for (size_t i = 0; i < count; i++) {
        struct kfd_wire_watch w;
        memcpy(&w, a->bytes + i * sizeof w, sizeof w);
        if (w.kind >= KFD_WATCHED_KINDS)
            return false;
        to[i] = (struct wt_watch){
            .kind = kinds[w.kind], .addr = w.addr, .size = w.size, .wave = w.wave};
        const bool code = w.kind == KFD_WATCHED_EXECUTE || w.kind == KFD_WATCHED_ISSUE;
        if ((code && memory) || (w.kind == KFD_WATCHED_ISSUE && w.wave >= a->machine->waves) ||
            (w.kind != KFD_WATCHED_ISSUE && (!w.size || w.addr + w.size < w.addr)))
            return false;
        memory |= !code;
    }
    return true;
}

static void search(const struct asked *a)
{
    struct host_travel *travel = host_recording_travel(a->gpu);
    struct wt_error err;
    const size_t count = a->request->size / sizeof(struct kfd_wire_watch);
    struct wt_watch *list = calloc(count ? count : 1, sizeof *list);
    if (!travel->of)
        *travel = (struct host_travel){calloc(1, sizeof *travel->of), free_history};
    struct host_history *h = travel->of;
    if (!h || !list || a->request->size % sizeof(struct kfd_wire_watch) ||
        !take_watches(a, list, count)) {
        refuse(a, list && h ? "a search for what there cannot be"
                            : "no host memory to search the past");
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
    free(h->watch);
    h->watch = list;
    h->searching = true;
    wt_search_begin(&h->search, a->timeline, a->machine, a->request->call.arg[1] != 0, list, count);
}

static void tell_match(const struct asked *a, const struct wt_search *s)
{
    const struct wt_machine *m = a->machine;
    const struct wt_watch_hit *place = &s->place;
    struct kfd_wire_match match = {.time = place->time,
                                   .pc = place->pc,
                                   .mask = place->mask,
                                   .wave = place->wave,
                                   .kind = place->size                         ? KFD_MATCH_MEMORY
                                           : s->kinds & 1u << WT_WATCH_EXECUTE ? KFD_MATCH_CODE
                                                                               : KFD_MATCH_ISSUE,
                                   .issue = s->kinds >> WT_WATCH_ISSUE & 1};
    for (size_t i = 0; i < m->hits; i++)
        match.hits += m->hit[i].size != 0;
    answer_bytes(a, &match, sizeof match);
    for (size_t i = 0; i < m->hits; i++) {
        const struct wt_watch_hit *from = &m->hit[i];
        if (!from->size)
            continue;
        struct kfd_wire_hit hit = {.time = from->time,
                                   .pc = from->pc,
                                   .addr = from->addr,
                                   .wave = from->wave,
                                   .lane = from->lane,
                                   .size = from->size,
                                   .kind = from->kind == WT_WATCH_WRITE  ? KFD_WATCHED_WRITE
                                           : from->kind == WT_WATCH_READ ? KFD_WATCHED_READ
                                                                         : KFD_WATCHED_ACCESS};
        memcpy(hit.before, from->before, sizeof hit.before);
        memcpy(hit.after, from->after, sizeof hit.after);
        answer_bytes(a, &hit, sizeof hit);
    }
}

static void search_on(const struct asked *a, struct host_history *h)
{
    struct wt_error err;
    _Static_assert(sizeof(struct kfd_wire_match) + WT_WATCH_HITS * sizeof(struct kfd_wire_hit) <=
                       HOST_HISTORY_BYTES,
                   "an answer has room for all hits");
    switch (wt_search_on(&h->search, a->request->call.arg[1], &err)) {
    case WT_SEARCH_ON:
        a->answer->result = KFD_STEP_ON;
        return;
    case WT_SEARCH_PLACE:
        a->answer->result = KFD_STEP_MATCH;
        tell_match(a, &h->search);
        return;
    case WT_SEARCH_FOUND:
        a->answer->result = KFD_STEP_FOUND;
        break;
    case WT_SEARCH_EDGE:
        a->answer->result = KFD_STEP_EDGE;
        break;
    case WT_SEARCH_FAILED:
        refuse(a, err.text);
        break;
    }
    h->searching = false;
    a->machine->ops->set_watches(a->machine, NULL, 0);
}

static void accept(const struct asked *a, struct host_history *h)
{
    if (a->request->call.arg[1]) {
        wt_search_pass(&h->search);
        return;
    }
    wt_search_accept(&h->search);
    if (!h->search.backwards) {
        h->searching = false;
        a->machine->ops->set_watches(a->machine, NULL, 0);
    }
}

/* ---- a hash ---- */

static bool apply(struct wt_machine *m, const struct kfd_wire_patch *patch)
{
    uint8_t bytes[sizeof patch->bytes];
    if (patch->size > sizeof bytes ||
        !m->ops->read_memory(m, 0, 0, patch->addr, bytes, patch->size))
        return false;
    for (size_t i = 0; i < patch->size; i++)
        bytes[i] = (uint8_t)((bytes[i] & ~patch->mask[i]) | (patch->bytes[i] & patch->mask[i]));
    return m->ops->write_memory(m, 0, 0, patch->addr, bytes, patch->size);
}

static void hash(const struct asked *a)
{
    struct wt_machine *m = a->machine;
    struct wt_error err;
    const enum wt_status status = wt_timeline_look(a->timeline, false, &err);
    if (status != WT_OK) {
        answer_status(a, status, &err);
        return;
    }
    struct wt_state *now = m->ops->save(m);
    bool fine = now;
    for (size_t at = 0; fine && at < a->request->size; at += sizeof(struct kfd_wire_patch)) {
        struct kfd_wire_patch patch;
        fine = a->request->size - at >= sizeof patch;
        if (fine)
            memcpy(&patch, a->bytes + at, sizeof patch);
        fine = fine && apply(m, &patch);
    }
    a->answer->call.arg[1] = m->ops->program_hash(m);
    fine = now && m->ops->restore(m, now) && fine;
    if (now)
        m->ops->free_state(now);
    if (!fine)
        refuse(a, "no hash can be had here");
}

/* ---- requests ---- */

static void serve(const struct asked *a)
{
    struct host_history *h = host_recording_travel(a->gpu)->of;
    const uint64_t argument = a->request->call.arg[1];
    struct wt_error err;
    switch ((enum kfd_wire_travel)a->request->call.arg[0]) {
    case KFD_TRAVEL_STATE:
        tell_state(a);
        break;
    case KFD_TRAVEL_MISSING:
        break;
    case KFD_TRAVEL_GO:
        answer_status(a, wt_timeline_goto(a->timeline, argument, &err), &err);
        break;
    case KFD_TRAVEL_SAVED_BEFORE:
        a->answer->call.arg[1] = wt_timeline_saved_before(a->timeline, argument);
        break;
    case KFD_TRAVEL_BRANCH:
        branch(a);
        break;
    case KFD_TRAVEL_SEARCH:
        search(a);
        break;
    case KFD_TRAVEL_SEARCH_ON:
    case KFD_TRAVEL_ACCEPT:
        if (!h || !h->searching)
            refuse(a, "nothing is being searched");
        else if (a->request->call.arg[0] == KFD_TRAVEL_ACCEPT)
            accept(a, h);
        else
            search_on(a, h);
        break;
    case KFD_TRAVEL_INSPECT:
        inspect(a);
        break;
    case KFD_TRAVEL_HASH:
        hash(a);
        break;
    case KFD_TRAVEL_STATS:
        tell_stats(a);
        break;
    default:
        refuse(a, "no such request");
        break;
    }
}

void host_history_serve(struct host_gpu *gpu, const struct kfd_wire_request *request,
                        struct kfd_wire_answer *answer, uint8_t *bytes)
{
    const struct asked asked = {.gpu = gpu,
                                .timeline = host_recording_timeline(gpu),
                                .machine = gcn_machine(gpu->device),
                                .request = request,
                                .answer = answer,
                                .bytes = bytes};
    if (asked.timeline) {
        serve(&asked);
        host_recording_moved(gpu);
        return;
    }
    const char *why = host_recording_missing(gpu);
    if (request->call.arg[0] == KFD_TRAVEL_MISSING)
        answer_bytes(&asked, why, strlen(why) + 1);
    else
        refuse(&asked, why);
}
