/*
 * Snapshots, the log of outside inputs, and replay. See timeline.h.
 *
 * The log also has an entry wherever a run returned before its issues were done with the state
 * changed: a wave halted, or a fault. Replay must reproduce that event at the same point, and
 * nowhere else: it may have happened with the last issue, or in an attempt that issued nothing.
 */
#include "emulator/machine/timeline_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/watch_set.h"
#include "emulator/machine/state.h"
#include "emulator/machine/observe.h"

/* Issues between snapshots at least, and for each byte that the last one took. An issue takes a
 * few nanoseconds, copying a byte far less than one: both keep the cost at a few percent. */
#define LEAST_INTERVAL ((uint64_t)1 << 20)
#define ISSUES_PER_BYTE 4
/* Replaying an entry of the log takes as long as so many issues, about: a debugger's accesses are
 * injected instructions, and each makes the run begin anew. */
#define ISSUES_PER_ENTRY 64
/* More snapshots than this make nothing faster. */
#define MOST_SNAPSHOTS 4096
/* The part of the budget that snapshots have, however long the log is. */
#define SNAPSHOTS_FLOOR(budget) ((budget) / 4)
/* A log of so many bytes is kept whole under the smallest budget. */
#define LEAST_LOG ((uint64_t)64 << 20)

/* ---- snapshots ---- */

static void drop_snapshot(struct wt_timeline *t, size_t i)
{
    assert(i < t->snapshots);
    t->state_bytes -= wt_state_bytes(t->snapshot[i].state);
    wt_state_free(t->snapshot[i].state);
    t->snapshots--;
    memmove(&t->snapshot[i], &t->snapshot[i + 1], (t->snapshots - i) * sizeof *t->snapshot);
}

/* How long it takes to come to a point of the run from its beginning, in issues. */
static uint64_t work_at(uint64_t time, size_t entries)
{
    return time + ISSUES_PER_ENTRY * (uint64_t)entries;
}

static uint64_t work_of(const struct snapshot *s)
{
    assert(s->state);
    return work_at(s->time, s->entries);
}

/* Host memory for @p size bytes that are allocated by themselves, as glibc's malloc does it. */
size_t timeline_heap_bytes(size_t size)
{
    const size_t whole = (size + sizeof(size_t) + 15) & ~(size_t)15;
    return size == 0 ? 0 : whole < 32 ? 32 : whole;
}

static uint64_t log_bytes(const struct wt_timeline *t)
{
    return t->entry_room * sizeof *t->entry + t->entry_bytes;
}

static uint64_t snapshot_budget(const struct wt_timeline *t)
{
    const uint64_t log = log_bytes(t), floor = SNAPSHOTS_FLOOR(t->budget);
    return t->budget > log + floor ? t->budget - log : floor;
}

static uint64_t log_budget(const struct wt_timeline *t)
{
    const uint64_t part = t->budget - SNAPSHOTS_FLOOR(t->budget);
    return part > LEAST_LOG ? part : LEAST_LOG;
}

/* Whether the snapshots take more than the budget allows. */
static bool over_budget(const struct wt_timeline *t)
{
    struct wt_machine *m = t->m;
    const uint64_t bytes = t->state_bytes, budget = snapshot_budget(t);
    if (t->snapshots > MOST_SNAPSHOTS || bytes > budget)
        return true;
    /* Only when all pages together are too many is it worth counting those in use now. */
    const uint64_t held = wt_state_held(m);
    if (bytes + held <= budget)
        return false;
    const uint64_t live = wt_state_live(m);
    return bytes + (held > live ? held - live : 0) > budget;
}

/*
 * Cheapest snapshot to drop: minimises (gap it would leave) / (distance from now). The snapshots
 * that remain get sparser with the distance, by powers.
 */
static size_t least_missed(const struct wt_timeline *t)
{
    assert(t->snapshots > 1);
    const uint64_t now = work_at(t->m->time, t->done), end = work_at(t->end, t->entries);
    size_t best = 0;
    double least = 0;
    for (size_t i = 1; i < t->snapshots; i++) {
        const uint64_t before = work_of(&t->snapshot[i - 1]), at = work_of(&t->snapshot[i]);
        const uint64_t after = i + 1 < t->snapshots ? work_of(&t->snapshot[i + 1])
                               : end > at           ? end
                                                    : at;
        const uint64_t distance = at > now ? at - now : now - at;
        const double missed = (double)(after - before) / ((double)distance + 1);
        if (!best || missed < least) {
            best = i;
            least = missed;
        }
    }
    return best;
}

static void thin(struct wt_timeline *t)
{
    while (t->snapshots > 1 && over_budget(t))
        drop_snapshot(t, least_missed(t));
}

static inline bool is_after(const struct snapshot *s, uint64_t time, size_t entries)
{
    return s->time > time || (s->time == time && s->entries > entries);
}

/* The last snapshot that is not after this point. */
static size_t snapshot_before(const struct wt_timeline *t, uint64_t time, size_t entries)
{
    assert(t->snapshots > 0);
    size_t low = 0, high = t->snapshots;
    /* Mostly the point is the end of the run. */
    if (!is_after(&t->snapshot[high - 1], time, entries))
        return high - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (!is_after(&t->snapshot[middle], time, entries))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Takes a snapshot here. Without host memory there is none, and this part is reached from afar. */
bool timeline_take_snapshot(struct wt_timeline *t)
{
    assert(t->snapshots <= t->snapshot_capacity && t->done <= t->entries);
    struct wt_machine *m = t->m;
    size_t at = 0;
    t->tried = work_at(m->time, t->done);
    if (t->snapshots) {
        const struct snapshot *s = &t->snapshot[at = snapshot_before(t, m->time, t->done)];
        if (s->time == m->time && s->entries == t->done)
            return true;
        at++;
    }
    struct snapshot *grown =
        wt_array_grow(t->snapshot, &t->snapshot_capacity, t->snapshots + 1, sizeof *grown);
    if (!grown)
        return false;
    t->snapshot = grown;
    struct wt_state *state = wt_state_save(m);
    if (!state)
        return false;
    memmove(&t->snapshot[at + 1], &t->snapshot[at], (t->snapshots - at) * sizeof *t->snapshot);
    t->snapshot[at] = (struct snapshot){m->time, t->done, state};
    t->snapshots++;
    const uint64_t bytes = wt_state_bytes(state), held = wt_state_held(m);
    t->state_bytes += bytes;
    if (t->fixed_interval) {
        t->interval = t->fixed_interval;
    } else {
        /* The pages that were copied since the last one will be so again before the next. */
        const uint64_t copied = held > t->held ? held - t->held : 0;
        t->interval = ISSUES_PER_BYTE * (bytes + copied);
        if (t->interval < LEAST_INTERVAL)
            t->interval = LEAST_INTERVAL;
    }
    thin(t);
    t->held = wt_state_held(m);
    return true;
}

/* How many issues until a snapshot is due; one that is due is taken. */
static uint64_t until_snapshot(struct wt_timeline *t)
{
    assert(t->snapshots > 0 && t->interval > 0);
    const uint64_t now = work_at(t->m->time, t->done);
    const uint64_t before = work_of(&t->snapshot[snapshot_before(t, t->m->time, t->done)]);
    /* Under a small budget a snapshot is dropped again at once: not a reason for the next one. */
    const uint64_t from = t->tried <= now && t->tried > before ? t->tried : before;
    const uint64_t gap = now - from;
    if (gap < t->interval)
        return t->interval - gap;
    timeline_take_snapshot(t);
    return t->interval;
}

/* ---- the log ---- */

static void free_bytes(struct wt_timeline *t, size_t from, size_t to)
{
    assert(from <= to && to <= t->entries);
    for (size_t i = from; i < to; i++) {
        t->entry_bytes -= timeline_heap_bytes(t->entry[i].input.size);
        free((void *)(uintptr_t)t->entry[i].input.bytes);
    }
}

static void free_entries(struct wt_timeline *t, size_t from)
{
    assert(from <= t->entries);
    free_bytes(t, from, t->entries);
    t->entries = from;
}

static void free_seen(struct wt_timeline *t)
{
    for (size_t i = 0; i < t->seen_count; i++)
        free((void *)(uintptr_t)t->seen[i].input.bytes);
    t->seen_count = 0;
}

static void end_looking(struct wt_timeline *t)
{
    if (t->looking)
        wt_state_free(t->looking);
    t->looking = NULL;
    free_seen(t);
}

static void forget(struct wt_timeline *t)
{
    free_entries(t, 0);
    while (t->snapshots)
        drop_snapshot(t, t->snapshots - 1);
    end_looking(t);
    t->done = 0;
    t->lost = 0;
    t->late = false;
}

static bool restart(struct wt_timeline *t)
{
    forget(t);
    t->restarts++;
    t->resets = t->m->resets;
    t->end = t->m->known = t->m->time;
    t->held = wt_state_held(t->m);
    t->broken = !timeline_take_snapshot(t);
    return !t->broken;
}

/*
 * Appends a copy of an entry to a list; false without host memory. The list grows by an eighth, not
 * by its own size (base/array.h), since its room counts against the history's budget.
 */
bool timeline_add_entry(struct entry **list, size_t *count, size_t *room, const struct entry *entry)
{
    assert(*count <= *room);
    if (*count == *room) {
        const size_t more = *room < 4096 ? *room + 256 : *room + *room / 8;
        struct entry *grown = realloc(*list, more * sizeof *grown);
        if (!grown)
            return false;
        *list = grown;
        *room = more;
    }
    void *bytes = NULL;
    if (entry->input.size) {
        bytes = malloc(entry->input.size);
        if (!bytes)
            return false;
        memcpy(bytes, entry->input.bytes, entry->input.size);
    }
    (*list)[*count] = *entry;
    (*list)[(*count)++].input.bytes = bytes;
    return true;
}

/* Adds an entry at the end. Without host memory for it, the past cannot be exact: it goes. */
static void append(struct wt_timeline *t, const struct entry *entry)
{
    if (!timeline_add_entry(&t->entry, &t->entries, &t->entry_room, entry)) {
        restart(t);
        return;
    }
    t->entry_bytes += timeline_heap_bytes(entry->input.size);
    t->done = t->entries;
    t->end = t->m->time;
}

/* The past before snapshot @p i is no more. */
static void drop_past(struct wt_timeline *t, size_t i)
{
    assert(i > 0 && i < t->snapshots);
    const size_t entries = t->snapshot[i].entries;
    const uint64_t work = ISSUES_PER_ENTRY * (uint64_t)entries;
    free_bytes(t, 0, entries);
    t->entries -= entries;
    t->done -= entries;
    memmove(t->entry, t->entry + entries, t->entries * sizeof *t->entry);
    while (i-- > 0)
        drop_snapshot(t, 0);
    for (size_t k = 0; k < t->snapshots; k++)
        t->snapshot[k].entries -= entries;
    t->tried = t->tried > work ? t->tried - work : 0;
    t->lost = t->snapshot[0].time;
    const size_t room = t->entries + t->entries / 8 + 256;
    struct entry *smaller = realloc(t->entry, room * sizeof *t->entry);
    if (smaller) {
        t->entry = smaller;
        t->entry_room = room;
    }
}

/*
 * A log that has outgrown its part of the budget loses its oldest quarter at least. Only at the end
 * of the run, when the machine's state is the one behind the log.
 */
static void shorten_log(struct wt_timeline *t)
{
    if (t->broken || log_bytes(t) <= log_budget(t))
        return;
    const size_t least = t->entries / 4;
    if (t->snapshot[t->snapshots - 1].entries < least)
        timeline_take_snapshot(t);
    for (size_t i = 1; i < t->snapshots; i++) {
        if (t->snapshot[i].entries >= least) {
            drop_past(t, i);
            return;
        }
    }
    /* No state but that of the beginning could be kept: the run begins here. */
    forget(t);
    t->tried = 0;
    t->end = t->lost = t->m->time;
    t->broken = !timeline_take_snapshot(t);
}

/*
 * Memory that is written twice with nothing in between: the first write need not be recorded. (A
 * debugger may write any amount; only the amount of memory covered matters.)
 */
static bool replace_last(struct wt_timeline *t, const struct entry *entry)
{
    assert(t->snapshots > 0);
    struct entry *last = t->entries ? &t->entry[t->entries - 1] : NULL;
    const struct snapshot *s = &t->snapshot[t->snapshots - 1];
    if (!last || !entry->input.size || last->ran || last->input.kind != WT_INPUT_MEMORY ||
        entry->input.kind != WT_INPUT_MEMORY || last->after != entry->time ||
        last->input.wave != entry->input.wave || last->input.lane != entry->input.lane ||
        last->input.addr != entry->input.addr || last->input.size != entry->input.size ||
        s->entries == t->entries)
        return false;
    memcpy((void *)(uintptr_t)last->input.bytes, entry->input.bytes, entry->input.size);
    return true;
}

/* Drops what was recorded after this point. */
static void drop_future(struct wt_timeline *t)
{
    assert(t->done <= t->entries);
    const uint64_t now = t->looking ? t->look_time : t->m->time;
    if (wt_timeline_at_end(t))
        return;
    free_entries(t, t->done);
    while (t->snapshots > 1 && (t->snapshot[t->snapshots - 1].time > now ||
                                t->snapshot[t->snapshots - 1].entries > t->done))
        drop_snapshot(t, t->snapshots - 1);
    t->end = t->m->known = now;
    t->branches++;
}

uint32_t wt_input_apply(struct wt_machine *m, const struct wt_input *input)
{
    assert(input->kind <= WT_INPUT_RESET && (input->bytes || !input->size));
    switch (input->kind) {
    case WT_INPUT_MEMORY:
        wt_observe_change(m, input->wave, input->lane, input->addr, input->bytes, input->size);
        return m->ops->write_memory(m, input->wave, input->lane, input->addr, input->bytes,
                                    input->size);
    case WT_INPUT_DEBUG_READ:
        return m->ops->debug_read(m, (uint32_t)input->addr);
    case WT_INPUT_DEBUG_WRITE:
        m->ops->debug_write(m, (uint32_t)input->addr, input->value);
        break;
    case WT_INPUT_CLEAR_FAULT:
        wt_machine_clear_fault(m);
        break;
    case WT_INPUT_FLUSH_CONSOLE:
        m->ops->flush_console(m);
        break;
    case WT_INPUT_OPERATION:
        return input->operation(m, input->bytes, input->size);
    case WT_INPUT_RESET:
        m->ops->reset(m);
        break;
    }
    return 1;
}

/*
 * A run that has returned a watch hit would return the event that came with it when it is next
 * called. Whether it does so depends on the watches, which are another set when the past is
 * replayed. So the machine forgets such an event; it returns it if @p untold.
 */
static bool take_late_event(struct wt_machine *m, enum wt_run run, bool untold)
{
    const bool late = run == WT_RUN_WATCH && m->event;
    if (late)
        m->event = false;
    return late && untold;
}

/* ---- replay: from a recorded state onwards, along what was recorded ---- */

/* Runs to `time`; what a run came back with, if before or at that time it had more to say. */
static enum wt_run run_to(struct wt_timeline *t, uint64_t time)
{
    struct wt_machine *m = t->m;
    enum wt_run run = WT_RUN_BUDGET;
    assert(t->foreign || time >= m->time);
    while (m->time < time && run == WT_RUN_BUDGET) {
        const uint64_t due = until_snapshot(t), left = time - m->time;
        run = m->ops->run(m, left < due ? left : due);
    }
    return run;
}

/*
 * To the last state at `time`, which is not before now and not after the end. Comes back earlier,
 * with WT_RUN_WATCH, where a watched place is met; to be called again then.
 */
static enum wt_run replay_to(struct wt_timeline *t, uint64_t time)
{
    struct wt_machine *m = t->m;
    const wt_console_fn console = m->console;
    enum wt_run run = WT_RUN_BUDGET;
    m->console = NULL; /* it was printed the first time */
    m->known = t->end;
    while (t->done < t->entries && t->entry[t->done].after <= time) {
        const struct entry *e = &t->entry[t->done];
        run = run_to(t, e->time);
        /* An attempt that issued nothing; or a watch was told when it happened, and it is to come.
         */
        if (e->ran && run != WT_RUN_EVENT && run != WT_RUN_FAULT && run != WT_RUN_WATCH &&
            e->until >= m->time)
            run = m->ops->run(m, e->until - m->time);
        if (run == WT_RUN_WATCH)
            break;
        if (!e->ran) {
            wt_watch_set_forget(m); /* a wave that was halted may come to the place once more */
            wt_input_apply(m, &e->input);
            /* The debug hardware may have stepped a wave. */
            if (m->hits)
                run = WT_RUN_WATCH;
        }
        t->done++;
        if (run == WT_RUN_WATCH)
            break;
    }
    if (run != WT_RUN_WATCH) {
        /* An input that lets issues pass cannot be divided. */
        if (t->done < t->entries && t->entry[t->done].time < time)
            time = t->entry[t->done].time;
        run = run_to(t, time);
    }
    m->console = console;
    t->late = take_late_event(m, run, wt_timeline_at_end(t));
    return run == WT_RUN_WATCH ? run : WT_RUN_BUDGET;
}

/* ---- the interface ---- */

enum wt_status wt_timeline_new(struct wt_machine *machine, uint64_t budget,
                               struct wt_timeline **timeline, struct wt_error *err)
{
    assert(machine && timeline && err);
    struct wt_timeline *t = calloc(1, sizeof *t);
    if (!t)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a history");
    t->m = machine;
    t->budget = budget;
    if (!restart(t)) {
        wt_timeline_free(t);
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a history");
    }
    t->restarts = 0;
    machine->recorded = true;
    *timeline = t;
    return WT_OK;
}

void wt_timeline_free(struct wt_timeline *t)
{
    if (!t)
        return;
    t->m->recorded = false;
    t->m->known = 0;
    forget(t);
    free(t->entry);
    free(t->seen);
    free(t->snapshot);
    free(t);
}

enum wt_status wt_timeline_restart(struct wt_timeline *t, struct wt_error *err)
{
    if (!restart(t))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a history");
    return WT_OK;
}

/*
 * The timeline of a core file ends with the state that was read from it. A debugger may have
 * changed that state since. Neither can be had by running the recorded past, so the state is
 * restored.
 */
static void arrive_in_foreign_present(struct wt_timeline *t)
{
    const struct snapshot *last = &t->snapshot[t->snapshots - 1];
    if (t->foreign && wt_timeline_at_end(t) && last->time == t->end && last->entries == t->entries)
        wt_state_restore(t->m, last->state);
}

enum wt_run wt_timeline_run(struct wt_timeline *t, uint64_t issues)
{
    assert(t->done <= t->entries);
    struct wt_machine *m = t->m;
    if (t->broken || t->looking) {
        t->strayed = true;
        const enum wt_run run = m->ops->run(m, issues);
        if (m->resets != t->resets)
            restart(t);
        return run;
    }
    if (!wt_timeline_at_end(t)) {
        const uint64_t left = t->end - m->time, part = left < issues ? left : issues;
        uint64_t to = m->time + part;
        if (t->done < t->entries && t->entry[t->done].time == m->time &&
            t->entry[t->done].after > to)
            to = t->entry[t->done].after;
        if (replay_to(t, to) == WT_RUN_WATCH)
            return WT_RUN_WATCH;
        arrive_in_foreign_present(t);
        issues -= part;
        if (!issues || m->fault.kind)
            return m->fault.kind ? WT_RUN_FAULT : WT_RUN_BUDGET;
    }
    enum wt_run run;
    if (t->late) {
        t->late = false;
        return WT_RUN_EVENT;
    }
    do {
        const uint64_t due = until_snapshot(t), part = issues < due ? issues : due;
        const uint64_t before = m->time;
        const bool faulted = m->fault.kind != WT_FAULT_NONE;
        run = m->ops->run(m, part);
        if (m->resets != t->resets) {
            restart(t);
            return run;
        }
        t->end = m->time;
        t->late = take_late_event(m, run, true);
        if (run == WT_RUN_EVENT || (run == WT_RUN_FAULT && !faulted))
            append(t, &(struct entry){
                          .time = m->time, .after = m->time, .ran = true, .until = before + part});
        shorten_log(t);
        issues -= part;
    } while (issues && run == WT_RUN_BUDGET);
    return run;
}

uint32_t wt_timeline_input(struct wt_timeline *t, const struct wt_input *input)
{
    assert(input && input->kind <= WT_INPUT_RESET);
    struct wt_machine *m = t->m;
    if (!t->broken && !t->looking) {
        drop_future(t);
        until_snapshot(t);
    }
    const uint64_t before = m->time;
    const uint32_t result = wt_input_apply(m, input);
    const struct entry entry = {.time = before, .after = m->time, .input = *input};
    if (m->resets != t->resets)
        restart(t);
    else if (t->looking)
        t->strayed |= !timeline_add_entry(&t->seen, &t->seen_count, &t->seen_room, &entry);
    else if (!t->broken && !replace_last(t, &entry))
        append(t, &entry);
    if (!t->looking)
        shorten_log(t);
    return result;
}

enum wt_status wt_timeline_goto(struct wt_timeline *t, uint64_t time, struct wt_error *err)
{
    assert(err);
    enum wt_status status;
    struct wt_machine *m = t->m;
    if (t->broken)
        return wt_fail(err, WT_NO_MEMORY, "there is no history: the host had no memory left");
    if ((status = wt_timeline_look(t, false, err)) != WT_OK)
        return status;
    const uint64_t start = wt_timeline_start(t);
    if (time < start || time > t->end)
        return wt_fail(err, WT_INVALID,
                       "issue time %" PRIu64 " is not recorded: history reaches from %" PRIu64
                       " to %" PRIu64,
                       time, start, t->end);
    const struct snapshot *s = &t->snapshot[snapshot_before(t, time, SIZE_MAX)];
    if (time < m->time || s->time > m->time) {
        /* The way back should not be longer than the way here. */
        if (m->time == t->end)
            timeline_take_snapshot(t);
        s = &t->snapshot[snapshot_before(t, time, SIZE_MAX)];
        wt_state_restore(m, s->state);
        t->done = s->entries;
    }
    while (replay_to(t, time) == WT_RUN_WATCH)
        continue;
    return WT_OK;
}

enum wt_status wt_timeline_look(struct wt_timeline *t, bool looking, struct wt_error *err)
{
    assert(err);
    struct wt_machine *m = t->m;
    if (looking == (t->looking != NULL) || t->broken)
        return WT_OK;
    if (looking) {
        t->looking = wt_state_save(m);
        t->look_time = m->time;
        t->strayed = false;
        return t->looking ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory to save the state");
    }
    wt_state_restore(m, t->looking);
    end_looking(t);
    return WT_OK;
}

bool wt_timeline_is_looking(const struct wt_timeline *t)
{
    return t->looking != NULL;
}

enum wt_status wt_timeline_commit(struct wt_timeline *t, struct wt_error *err)
{
    assert(err);
    if (!t->looking)
        return WT_OK;
    if (t->strayed)
        return wt_fail(err, WT_STATE, "the machine has run since: it can only go back");
    drop_future(t);
    const uint64_t restarts = t->restarts;
    /* append() may restart, which frees what was seen. */
    for (size_t i = 0; i < t->seen_count && t->restarts == restarts; i++)
        append(t, &t->seen[i]);
    end_looking(t);
    return WT_OK;
}

void wt_timeline_keep(struct wt_timeline *t)
{
    if (!t->broken && !t->looking)
        timeline_take_snapshot(t);
}

uint64_t wt_timeline_saved_before(const struct wt_timeline *t, uint64_t time)
{
    assert(t->snapshots > 0);
    return t->snapshots ? t->snapshot[snapshot_before(t, time, SIZE_MAX)].time : t->m->time;
}

uint64_t wt_timeline_start(const struct wt_timeline *t)
{
    return t->snapshots ? t->snapshot[0].time : t->m->time;
}

uint64_t wt_timeline_end(const struct wt_timeline *t)
{
    return t->end;
}

bool wt_timeline_at_end(const struct wt_timeline *t)
{
    return t->done == t->entries && (t->looking ? t->look_time : t->m->time) == t->end;
}

void wt_timeline_stats(const struct wt_timeline *t, struct wt_timeline_stats *stats)
{
    assert(stats && t->snapshots > 0);
    const uint64_t held = wt_state_held(t->m), live = wt_state_live(t->m);
    *stats = (struct wt_timeline_stats){
        .snapshots = t->snapshots,
        .bytes = t->state_bytes + log_bytes(t) + (held > live ? held - live : 0),
        .log = log_bytes(t),
        .lost = t->lost,
        .branches = t->branches,
        .restarts = t->restarts,
    };
    for (size_t i = 0; i < t->snapshots; i++) {
        const uint64_t next = i + 1 < t->snapshots ? t->snapshot[i + 1].time : t->end;
        if (next - t->snapshot[i].time > stats->widest_gap)
            stats->widest_gap = next - t->snapshot[i].time;
    }
}

void wt_timeline_set_interval(struct wt_timeline *t, uint64_t issues)
{
    t->fixed_interval = issues;
    if (issues)
        t->interval = issues;
}
