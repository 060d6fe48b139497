/*
 * Watchpoints. The target gets the list of what clients want watched when waves are set going. One
 * instruction may hit many watchpoints with many lanes: each stop reports one watchpoint, and the
 * next resumes report the others before anything runs.
 */
#include "debug/core/internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/text.h"

static bool same(const struct watchpoint *w, const struct wt_watchpoint *at, bool changes)
{
    return w->at.kind == at->kind && wt_address_equal(w->at.addr, at->addr) &&
           w->at.size == at->size && w->at.wave == at->wave && w->at.lane == at->lane &&
           w->changes == changes;
}

static struct watchpoint *find(struct wt_debugger *d, const struct wt_watchpoint *at,
                               const struct wt_watchpoint_request *r)
{
    for (size_t i = 0; i < d->wps; i++)
        if (same(&d->wp[i], at, r->changes) && d->wp[i].owner == r->owner)
            return &d->wp[i];
    return NULL;
}

enum wt_status dbg_resolve_watchpoint(struct wt_debugger *d, const struct wt_watchpoint_request *r,
                                      struct wt_watchpoint *at, struct wt_error *err)
{
    if (!d->target->services->watch)
        return wt_fail(err, WT_UNSUPPORTED,
                       "this device has no watchpoints; GDB can watch by single steps ('set "
                       "can-use-hw-watchpoints 0')");
    if (r->size == 0)
        return wt_fail(err, WT_INVALID, "a watchpoint of no bytes");
    if (r->addr.space >= d->topology->space_count)
        return wt_fail(err, WT_INVALID, "there is no address space %u", (unsigned)r->addr.space);
    const unsigned bits = d->topology->spaces[r->addr.space].address_bits;
    const uint64_t last = r->addr.offset + (r->size - 1);
    if (last < r->addr.offset || (bits < 64 && last >> bits))
        return wt_fail(err, WT_INVALID,
                       "%" PRIu64 " bytes at 0x%" PRIx64 " reach past the end of the address space",
                       r->size, r->addr.offset);
    *at = (struct wt_watchpoint){.kind = r->kind, .addr = r->addr, .size = r->size};
    /* Where there is no thread yet, all see the same. */
    unsigned lane = 0;
    enum wt_status status = r->thread ? dbg_locate(d, r->thread, &at->wave, &lane, err) : WT_OK;
    if (d->topology->spaces[r->addr.space].scope == WT_SCOPE_LANE)
        at->lane = lane;
    return status;
}

static void drop_unused(struct wt_debugger *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->wps; i++)
        if (d->wp[i].inserted || d->wp[i].active)
            d->wp[kept++] = d->wp[i];
    d->wps = kept;
}

enum wt_status dbg_list_watchpoints(struct wt_debugger *d, struct wt_watchpoint **list,
                                    size_t *count, struct wt_error *err)
{
    *count = 0;
    *list = calloc(d->wps ? d->wps : 1, sizeof **list);
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu watchpoints", d->wps);
    for (size_t i = 0; i < d->wps; i++)
        if (d->wp[i].inserted)
            (*list)[(*count)++] = d->wp[i].at;
    return WT_OK;
}

/* What the target is to have of a breakpoint; NULL: nothing. */
static struct bp_code *wanted_code(const struct breakpoint *bp)
{
    return bp->inserted && bp->code->in_engine ? bp->code : NULL;
}

struct wt_watchpoint dbg_watched_code(const struct breakpoint *bp)
{
    struct wt_watchpoint w = {
        .kind = WT_WATCHPOINT_EXECUTE, .addr = wt_address_of(bp->addr), .size = 1};
    if (bp->code->in_engine) {
        w.holds = dbg_holds_in_engine;
        w.context = bp->code;
    }
    return w;
}

/* A list, to be freed, of all that the target is to watch: code, then memory. */
static enum wt_status list_all(struct wt_debugger *d, struct wt_watchpoint **list, size_t *count,
                               struct wt_error *err)
{
    *list = calloc(d->bps + d->wps + 1, sizeof **list);
    *count = 0;
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu watchpoints", d->bps + d->wps);
    for (size_t i = 0; i < d->bps; i++)
        if (wanted_code(&d->bp[i]))
            (*list)[(*count)++] = dbg_watched_code(&d->bp[i]);
    for (size_t i = 0; i < d->wps; i++)
        if (d->wp[i].inserted)
            (*list)[(*count)++] = d->wp[i].at;
    return WT_OK;
}

enum wt_status dbg_sync_watchpoints(struct wt_debugger *d, struct wt_error *err)
{
    size_t count;
    bool differ = false;
    for (size_t i = 0; i < d->wps; i++)
        differ |= d->wp[i].inserted != d->wp[i].active;
    for (size_t i = 0; i < d->bps; i++)
        differ |= wanted_code(&d->bp[i]) != d->bp[i].watched;
    if (!differ)
        return WT_OK;
    struct wt_watchpoint *list;
    enum wt_status status = list_all(d, &list, &count, err);
    if (status)
        return status;
    status = d->target->services->watch(d->target->context, list, count, err);
    free(list);
    for (size_t i = 0; i < d->wps; i++)
        d->wp[i].active = !status && d->wp[i].inserted;
    for (size_t i = 0; i < d->bps; i++) {
        struct bp_code *now = status ? NULL : dbg_share_code(wanted_code(&d->bp[i]));
        dbg_free_code(d->bp[i].watched);
        d->bp[i].watched = now;
    }
    drop_unused(d);
    dbg_drop_breakpoints(d);
    return status;
}

/* Room for a watchpoint more, and for a report of each: a stop must not be lost for want of memory.
 */
static bool reserve(struct wt_debugger *d)
{
    struct reports *const both[] = {&d->reports, &d->past};
    struct watchpoint *more = wt_array_grow(d->wp, &d->wp_capacity, d->wps + 1, sizeof *more);
    if (more)
        d->wp = more;
    for (size_t i = 0; i < 2 && more; i++) {
        struct report *report =
            wt_array_grow(both[i]->report, &both[i]->capacity, d->wps + 1, sizeof *report);
        if (!report)
            return false;
        both[i]->report = report;
    }
    return more != NULL;
}

enum wt_status wt_debugger_insert_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err)
{
    struct wt_watchpoint at;
    enum wt_status status = dbg_resolve_watchpoint(d, request, &at, err);
    if (status)
        return status;
    struct watchpoint *w = find(d, &at, request);
    if (!w && !reserve(d))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a watchpoint");
    if (!w) {
        w = &d->wp[d->wps++];
        *w = (struct watchpoint){.at = at, .changes = request->changes, .owner = request->owner};
    }
    w->inserted = true;
    if (d->going && (status = dbg_sync_watchpoints(d, err))) {
        w->inserted = false;
        drop_unused(d);
    }
    return status;
}

enum wt_status wt_debugger_remove_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err)
{
    struct wt_watchpoint at;
    enum wt_status status = dbg_resolve_watchpoint(d, request, &at, err);
    if (status)
        return status;
    struct watchpoint *w = find(d, &at, request);
    if (!w || !w->inserted)
        return wt_fail(err, WT_INVALID, "there is no such watchpoint at 0x%" PRIx64,
                       at.addr.offset);
    w->inserted = false;
    drop_unused(d);
    return d->going ? dbg_sync_watchpoints(d, err) : WT_OK;
}

void wt_debugger_remove_all_watchpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->wps; i++)
        d->wp[i].inserted = false;
    drop_unused(d);
    struct wt_error ignored;
    if (d->going)
        dbg_sync_watchpoints(d, &ignored);
}

void dbg_free_watchpoints(struct wt_debugger *d)
{
    free(d->wp);
    free(d->reports.report);
    free(d->past.report);
}

/* ---- reports of hits ---- */

/* The first byte of the watchpoint that the access got at. */
static uint64_t first_byte(const struct watchpoint *w, const struct wt_watchpoint_hit *hit)
{
    return hit->addr.offset > w->at.addr.offset ? hit->addr.offset : w->at.addr.offset;
}

static bool concerns(const struct watchpoint *w, const struct wt_watchpoint_hit *hit)
{
    const bool kind = w->at.kind == WT_WATCHPOINT_WRITE  ? hit->write
                      : w->at.kind == WT_WATCHPOINT_READ ? hit->read
                                                         : true;
    if (!w->inserted || hit->execute || !kind ||
        !wt_ranges_meet(w->at.addr, w->at.size, hit->addr, hit->size))
        return false;
    if (!w->changes)
        return true;
    const uint64_t begin = hit->addr.offset, watched = w->at.addr.offset;
    const uint64_t first = first_byte(w, hit) - begin;
    uint64_t count = hit->size - first;
    if (watched + (w->at.size - 1) < begin + (hit->size - 1))
        count = watched + w->at.size - begin - first;
    return memcmp(hit->before + first, hit->after + first, count) != 0;
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
}

static void append_value(char *text, size_t size, const uint8_t *bytes, unsigned count)
{
    append(text, size, "0x");
    if (count > 8)
        append(text, size, "%" PRIx64 "%016" PRIx64, wt_load_le(bytes + 8, count - 8),
               wt_load_le(bytes, 8));
    else
        append(text, size, "%" PRIx64, wt_load_le(bytes, count));
}

/* Which lane did what, for people; `others` did it, too. */
static void describe(struct wt_debugger *d, const struct wt_watchpoint_hit *hit, wt_lanes others,
                     char *text, size_t size)
{
    const struct wt_topology *t = d->topology;
    struct wt_wave wave;
    char slot[64];
    d->ops->describe_wave(d->probe, hit->wave, &wave);
    dbg_slot_text(d, &wave, slot, sizeof slot);
    snprintf(text, size, "%s %s %u %s 0x%" PRIx64 ": ", slot, t->lane_word, hit->lane,
             hit->read && hit->write ? "wrote atomically to"
             : hit->write            ? "wrote to"
                                     : "read",
             hit->addr.offset);
    append_value(text, size, hit->before, hit->size);
    if (hit->write) {
        append(text, size, " -> ");
        append_value(text, size, hit->after, hit->size);
    }
    if (others) {
        char list[WT_LANES_TEXT];
        wt_lanes_list(others, ", ", list, sizeof list);
        append(text, size, "; so did %s%s %s", t->lane_word, wt_lanes_count(others) > 1 ? "s" : "",
               list);
    }
}

/* Whether the client still watches that. */
static bool is_wanted(const struct wt_debugger *d, const struct report *report)
{
    for (size_t i = 0; i < d->wps; i++)
        if (d->wp[i].inserted && same(&d->wp[i], &report->at, d->wp[i].changes))
            return true;
    return false;
}

/* The lane whose doing is told: the one that the user looks at, if it is among them. */
static unsigned lane_to_tell(struct wt_debugger *d, uint32_t wave, wt_lanes lanes)
{
    const struct wave *w = &d->wave[wave];
    if ((w->go == GO_STEP || w->go == GO_RANGE) && wt_has_lane(lanes, w->lane))
        return w->lane;
    if (d->mode == WT_THREADS_WAVES && wt_has_lane(lanes, d->chosen_lane))
        return d->chosen_lane;
    if (w->focus && wt_has_lane(lanes, w->focus - 1u))
        return w->focus - 1u;
    return wt_lanes_lowest(lanes);
}

/* What is to be told of a watchpoint; false if none of the hits concerns it. */
static bool tell(struct wt_debugger *d, const struct watchpoint *w,
                 const struct wt_watchpoint_hit *list, size_t count, struct report *report)
{
    wt_lanes lanes = 0;
    uint32_t wave = 0;
    for (size_t i = 0; i < count; i++) {
        if (!concerns(w, &list[i]) || (lanes && list[i].wave != wave))
            continue;
        wave = list[i].wave;
        lanes |= wt_lane_bit(list[i].lane);
    }
    if (!lanes)
        return false;
    report->at = w->at;
    report->wave = wave;
    report->lane = lane_to_tell(d, wave, lanes);
    size_t i = 0;
    while (list[i].wave != wave || list[i].lane != report->lane || !concerns(w, &list[i]))
        i++;
    report->event = (struct wt_event){.watch = w->at.kind,
                                      .addr = {w->at.addr.space, first_byte(w, &list[i])},
                                      .lanes = lanes,
                                      .pc = list[i].pc};
    describe(d, &list[i], lanes & ~wt_lane_bit(report->lane), report->event.text,
             sizeof report->event.text);
    return true;
}

static enum wt_status stop_for(struct wt_debugger *d, const struct report *report,
                               struct wt_error *err)
{
    if (d->mode == WT_THREADS_WAVES)
        d->chosen_lane = report->lane;
    return dbg_stop_for(d, report->wave, report->lane, WT_STOP_WATCHPOINT, &report->event, err);
}

/* Makes the reports of the hits of one instruction, that of the lane that the user looks at first.
 */
static void collect(struct wt_debugger *d, const struct wt_watchpoint_hit *list, size_t count)
{
    d->reports.count = d->reports.next = 0;
    for (size_t i = 0; i < d->wps; i++) {
        struct report report;
        if (!tell(d, &d->wp[i], list, count, &report))
            continue;
        /* Clients go by the address: it tells of all watchpoints that it lies in. */
        bool told = false;
        for (size_t k = 0; k < d->reports.count; k++)
            told |=
                wt_ranges_meet(d->reports.report[k].event.addr, 1, report.at.addr, report.at.size);
        if (told)
            continue;
        assert(d->reports.count < d->reports.capacity); /* reserve_reports() */
        d->reports.report[d->reports.count++] = report;
    }
    if (!d->reports.count)
        return;
    size_t first = 0;
    while (first < d->reports.count &&
           d->wave[d->reports.report[first].wave].focus != d->reports.report[first].lane + 1)
        first++;
    first = first < d->reports.count ? first : 0;
    const struct report swapped = d->reports.report[first];
    d->reports.report[first] = d->reports.report[0];
    d->reports.report[0] = swapped;
    d->reports.next = 1;
}

/* Whether the target watches anything. */
static bool is_watching(const struct wt_debugger *d)
{
    bool any = d->wps != 0;
    for (size_t i = 0; i < d->bps && !any; i++)
        any = d->bp[i].watched != NULL;
    return any && d->target->services->watch_hits;
}

/* A wave that runs freely has come to a breakpoint that the target watches for us. */
static enum wt_status meet_code(struct wt_debugger *d, const struct wt_watchpoint_hit *hit,
                                bool *stopped, struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, hit->pc);
    struct wave *w = &d->wave[hit->wave];
    /* Where a step arrives is looked at when it is done. */
    if (!bp || !bp->watched || w->go != GO_FREE)
        return WT_OK;
    if (bp->watched->commands.count) {
        dbg_print_in_engine(bp->watched, hit->wave, hit->pc, hit->lanes);
        return WT_OK;
    }
    *stopped = true;
    const unsigned lane = dbg_lane_to_stop(d, hit->wave, hit->lanes);
    dbg_forget(d, hit->wave);
    w->has_met = true;
    w->met_trap = false;
    w->met = hit->pc;
    d->chosen_lane = lane;
    return dbg_stop_for(d, hit->wave, lane, WT_STOP_BREAKPOINT, NULL, err);
}

enum wt_status dbg_check_watchpoints(struct wt_debugger *d, bool *met, bool *stopped,
                                     struct wt_error *err)
{
    const struct wt_target_services *services = d->target->services;
    const struct wt_watchpoint_hit *list;
    *met = *stopped = false;
    if (!is_watching(d))
        return WT_OK;
    const size_t count = services->watch_hits(d->target->context, &list);
    if (!count)
        return WT_OK;
    *met = true;
    for (size_t i = 0; i < count; i++)
        dbg_identify(d, list[i].wave);
    for (size_t i = 0; i < count && !*stopped; i++) {
        enum wt_status status = list[i].execute ? meet_code(d, &list[i], stopped, err) : WT_OK;
        if (status)
            return status;
    }
    if (*stopped)
        return WT_OK;
    collect(d, list, count);
    *stopped = d->reports.count != 0;
    return *stopped ? stop_for(d, &d->reports.report[0], err) : WT_OK;
}

bool dbg_watch_event(struct wt_debugger *d, struct wt_event *event, uint32_t *wave, unsigned *lane)
{
    const struct wt_target_services *services = d->target->services;
    const struct wt_watchpoint_hit *list;
    if (!services->watch_hits || !d->wps)
        return false;
    const size_t count = services->watch_hits(d->target->context, &list);
    collect(d, list, count);
    if (!d->reports.count)
        return false;
    const struct reports now = d->reports;
    d->reports = d->past;
    d->reports.count = d->reports.next = 0;
    d->past = now;
    d->past.next = 0;
    return dbg_next_watch_event(d, event, wave, lane);
}

bool dbg_next_watch_event(struct wt_debugger *d, struct wt_event *event, uint32_t *wave,
                          unsigned *lane)
{
    while (d->past.next < d->past.count) {
        const struct report *report = &d->past.report[d->past.next++];
        if (!is_wanted(d, report))
            continue;
        *event = report->event;
        event->kind = WT_EVENT_STOPPED;
        event->reason = WT_STOP_WATCHPOINT;
        *wave = report->wave;
        *lane = report->lane;
        return true;
    }
    return false;
}

bool dbg_tell_next_watchpoint(struct wt_debugger *d)
{
    struct wt_error ignored;
    while (!d->nonstop && d->reports.next < d->reports.count) {
        const struct report *report = &d->reports.report[d->reports.next++];
        if (is_wanted(d, report) && dbg_is_active(d, report->wave))
            return stop_for(d, report, &ignored) == WT_OK;
    }
    d->reports.count = d->reports.next = 0;
    return false;
}
