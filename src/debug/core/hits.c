/*
 * Reports of watchpoints. One instruction may hit many watchpoints with many lanes. Each stop
 * reports one watchpoint; the next runs report the others before any wave moves.
 */
#include "debug/core/hits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/text.h"
#include "base/wave_name.h"
#include "debug/core/known.h"
#include "debug/core/memory.h"
#include "debug/core/past.h"
#include "debug/core/watch_condition.h"
#include "debug/core/watchpoints.h"

/* The first byte of the access that lies in the watchpoint. */
static uint64_t first_byte(const struct watchpoint *w, const struct wt_watchpoint_hit *hit)
{
    return hit->addr.offset > w->at.addr.offset ? hit->addr.offset : w->at.addr.offset;
}

/* The lanes that a hit tells of. */
static wt_lanes lanes_of(const struct wt_debugger *d, const struct wt_watchpoint_hit *hit)
{
    return hit->mistake ? hit->lanes & wt_lanes_first(d->topology->lanes) : wt_lane_bit(hit->lane);
}

static bool concerns(const struct watchpoint *w, const struct wt_watchpoint_hit *hit)
{
    if (w->at.kind == WT_WATCHPOINT_MISTAKE || hit->mistake)
        return w->inserted && wt_watchpoint_is_mistake(&w->at, hit);
    const bool kind = w->at.kind == WT_WATCHPOINT_WRITE  ? hit->write
                      : w->at.kind == WT_WATCHPOINT_READ ? hit->read
                                                         : true;
    if (!w->inserted || hit->execute || !kind || !wt_watchpoint_is_of(&w->at, hit->home, hit->id) ||
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

/* Describes for the user which lane made the access; `others` are lanes that made it, too. */
static void describe(struct wt_debugger *d, const struct wt_watchpoint_hit *hit, wt_lanes others,
                     char *text, size_t size)
{
    const struct wt_topology *t = d->topology;
    struct wt_wave wave;
    char slot[WT_WAVE_NAME];
    dbg_describe(d, hit->wave, &wave);
    /* In the past the probe may know another one in the slot. */
    wave.has_work &= wave.id == d->wave[hit->wave].self.id;
    wt_debugger_name_wave(d, &wave, slot, sizeof slot);
    snprintf(text, size, "%s, %s %u %s 0x%" PRIx64 ": ", slot, t->lane_word, hit->lane,
             hit->read && hit->write ? "wrote atomically to"
             : hit->write            ? "wrote to"
                                     : "read",
             hit->addr.offset);
    append_value(text, size, hit->before, (unsigned)hit->size);
    if (hit->write) {
        append(text, size, " -> ");
        append_value(text, size, hit->after, (unsigned)hit->size);
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
    for (size_t i = 0; i < d->watchpoints.count; i++)
        if (d->watchpoints.list[i].inserted &&
            dbg_same_watchpoint(&d->watchpoints.list[i], &report->at,
                                d->watchpoints.list[i].changes))
            return true;
    return false;
}

/* The lane whose access is reported: the lane that the user is stepping, if it made the access. */
static unsigned lane_to_tell(struct wt_debugger *d, uint32_t wave, wt_lanes lanes)
{
    const struct wave *w = &d->wave[wave];
    if (w->go == GO_PLAN && wt_has_lane(lanes, w->plan.lane))
        return w->plan.lane;
    if (d->threads.mode == WT_THREADS_WAVES && wt_has_lane(lanes, d->threads.chosen_lane))
        return d->threads.chosen_lane;
    if (w->focus && wt_has_lane(lanes, w->focus - 1u))
        return w->focus - 1u;
    return wt_lanes_lowest(lanes);
}

/* Keeps the memory of a watchpoint as it is now; false: it cannot be read. */
static bool keep_memory(struct wt_debugger *d, struct watchpoint *w, uint32_t wave, unsigned lane)
{
    if (!w->other)
        w->other = malloc(w->at.size);
    return w->other &&
           dbg_raw_read(d, wave, lane, w->at.addr, w->other, w->at.size, WT_IGNORED) == WT_OK;
}

/* The memory before the writes of an instruction, whose lanes wrote one after the other. */
static void undo_writes(const struct watchpoint *w, const struct wt_watchpoint_hit *list,
                        size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (list[i].execute || !list[i].write ||
            !wt_ranges_meet(w->at.addr, w->at.size, list[i].addr, list[i].size))
            continue;
        for (uint64_t k = 0; k < list[i].size; k++) {
            const uint64_t at = list[i].addr.offset + k - w->at.addr.offset;
            if (at < w->at.size)
                w->other[at] = list[i].before[k];
        }
    }
}

/*
 * For debug hardware, which does not tell what an access replaced: notes the memory of a watchpoint
 * with a condition after an access that does not count, or (@p reported) that one is reported.
 */
static void keep_other_side(struct wt_debugger *d, struct watchpoint *w, uint32_t wave,
                            unsigned lane, bool reported)
{
    if (!reported) {
        w->has_passed = keep_memory(d, w, wave, lane);
        return;
    }
    if (w->has_passed) /* else the client has seen it */
        w->other_told = d->hits.told;
    w->has_passed = false;
}

/* Makes the report of a watchpoint; false if none of the hits concerns it, or its condition holds
 * for none of the lanes. */
static bool tell(struct wt_debugger *d, struct watchpoint *w, const struct wt_watchpoint_hit *list,
                 size_t count, unsigned how, struct report *report)
{
    wt_lanes lanes = 0, unread;
    uint32_t wave = 0;
    bool undecided;
    for (size_t i = 0; i < count; i++) {
        if (!concerns(w, &list[i]) || (lanes && list[i].wave != wave))
            continue;
        wave = list[i].wave;
        lanes |= lanes_of(d, &list[i]);
    }
    if (!lanes ||
        !(lanes = dbg_judge_watch(d, w, wave, lanes, how & DBG_HITS_HALTED, &undecided, &unread)))
        return false;
    if (w->condition && keep_memory(d, w, wave, wt_lanes_lowest(lanes))) {
        if (!(how & DBG_HITS_BACKWARDS))
            undo_writes(w, list, count);
        w->other_told = d->hits.told + 1;
    }
    *report = (struct report){.at = w->at, .wave = wave, .id = d->wave[wave].self.id};
    report->lane = lane_to_tell(d, wave, lanes);
    size_t i = 0;
    while (list[i].wave != wave || !wt_has_lane(lanes_of(d, &list[i]), report->lane) ||
           !concerns(w, &list[i]))
        i++;
    if (list[i].mistake) {
        report->event = dbg_event_of_watched(&list[i]);
        report->event.tag = w->tag;
        report->event.owner = w->owner;
        return true;
    }
    report->event = (struct wt_event){.watch = w->at.kind,
                                      .addr = {w->at.addr.space, first_byte(w, &list[i])},
                                      .lanes = lanes,
                                      .unread = unread,
                                      .pc = list[i].pc,
                                      .tag = w->tag,
                                      .owner = w->owner,
                                      .undecided = undecided};
    describe(d, &list[i], lanes & ~wt_lane_bit(report->lane), report->event.text,
             sizeof report->event.text);
    return true;
}

/* Whether a report makes another one unnecessary. Clients identify a watchpoint by its tag, or by
 * its address: then one report covers all watchpoints that contain the address. */
static bool covers(const struct report *a, const struct report *b)
{
    const struct wt_event *x = &a->event, *y = &b->event;
    const bool mistakes = wt_event_is_mistake(x) && wt_event_is_mistake(y);
    if (mistakes || (x->tag && y->tag))
        return x->tag == y->tag && x->owner == y->owner;
    return wt_ranges_meet(x->addr, 1, b->at.addr, b->at.size);
}

/* Fills the spare reports with the hits of one instruction, those of the lane in focus first. */
static void collect(struct wt_debugger *d, const struct wt_watchpoint_hit *list, size_t count,
                    unsigned how)
{
    struct reports *to = &d->hits.spare;
    to->count = 0;
    for (size_t i = 0; i < d->watchpoints.count; i++) {
        struct report report;
        if (!tell(d, &d->watchpoints.list[i], list, count, how, &report))
            continue;
        bool told = false;
        for (size_t k = 0; k < to->count; k++)
            told |= covers(&to->report[k], &report);
        if (told)
            continue;
        assert(to->count < to->capacity); /* dbg_reserve_watchpoint() */
        to->report[to->count++] = report;
    }
    for (size_t i = 0; i < to->count; i++) {
        const struct report first = to->report[i];
        if (d->wave[first.wave].focus != first.lane + 1)
            continue;
        to->report[i] = to->report[0];
        to->report[0] = first;
        break;
    }
}

bool dbg_take_hits(struct wt_debugger *d, const struct wt_watchpoint_hit *list, size_t count,
                   unsigned how)
{
    if (!d->watchpoints.count)
        return false;
    collect(d, list, count, how);
    if (!d->hits.spare.count)
        return false;
    const struct reports now = d->hits.spare;
    d->hits.spare = d->hits.reports;
    d->hits.reports = now;
    d->hits.next = 0;
    d->hits.told++;
    d->hits.backwards = how & DBG_HITS_BACKWARDS;
    d->hits.in_past = d->history.in_past;
    struct wt_watchpoint_hit *more =
        wt_array_grow(d->hits.list, &d->hits.list_capacity, count, sizeof *more);
    d->hits.list_count = more ? count : 0;
    if (more)
        d->hits.list = memcpy(more, list, count * sizeof *list);
    return true;
}

bool wt_debugger_undo_access(const struct wt_debugger *d, struct wt_address at, uint64_t size,
                             void *bytes)
{
    const struct hits *h = &d->hits;
    for (size_t n = 0; n < h->list_count; n++) {
        /* Lanes write one after the other. */
        const struct wt_watchpoint_hit *hit = &h->list[h->backwards ? n : h->list_count - 1 - n];
        for (uint64_t k = 0; !hit->execute && hit->write && k < hit->size; k++) {
            const uint64_t to = hit->addr.offset + k - at.offset;
            if (hit->addr.space == at.space && to < size)
                ((uint8_t *)bytes)[to] = h->backwards ? hit->after[k] : hit->before[k];
        }
    }
    return h->list_count != 0;
}

/* ---- what debug hardware finds ---- */

void dbg_begin_watched(struct wt_debugger *d)
{
    d->hits.reports.count = d->hits.next = 0;
    d->hits.list_count = 0;
    d->hits.told++;
    d->hits.backwards = false;
    d->hits.in_past = d->history.in_past;
}

static bool is_reported(const struct reports *all, const struct report *report)
{
    for (size_t i = 0; i < all->count; i++)
        if (covers(&all->report[i], report))
            return true;
    return false;
}

static struct wt_event event_of_mistake(const struct wt_watchpoint_hit *hit)
{
    struct wt_event event = {.reason = WT_STOP_WATCHPOINT,
                             .watch = WT_WATCHPOINT_MISTAKE,
                             .addr = hit->addr,
                             .lanes = hit->lanes,
                             .pc = hit->pc,
                             .time = hit->time,
                             .mistake = hit->mistake_kind};
    snprintf(event.text, sizeof event.text,
             "a check refuses the access to 0x%" PRIx64 " at issue time %" PRIu64, hit->addr.offset,
             hit->time);
    return event;
}

struct wt_event dbg_event_of_watched(const struct wt_watchpoint_hit *hit)
{
    if (hit->mistake)
        return event_of_mistake(hit);
    struct wt_event event = {.reason = WT_STOP_WATCHPOINT,
                             .watch = !hit->read    ? WT_WATCHPOINT_WRITE
                                      : !hit->write ? WT_WATCHPOINT_READ
                                                    : WT_WATCHPOINT_ACCESS,
                             .addr = hit->addr,
                             .lanes = hit->lanes,
                             .pc = hit->pc};
    snprintf(event.text, sizeof event.text, "the instruction at 0x%" PRIx64 " has %s 0x%" PRIx64,
             hit->pc,
             !hit->read    ? "written to"
             : !hit->write ? "read"
                           : "accessed",
             hit->addr.offset);
    return event;
}

/* Adds the reports of a mistake; false: no client wants it any more. */
static bool add_mistake(struct wt_debugger *d, const struct wt_watchpoint_hit *hit)
{
    struct reports *to = &d->hits.reports;
    const wt_lanes lanes = lanes_of(d, hit);
    bool known = false;
    for (size_t i = 0; i < d->watchpoints.count && lanes; i++) {
        const struct watchpoint *w = &d->watchpoints.list[i];
        struct report report = {.at = w->at,
                                .wave = hit->wave,
                                .id = hit->id,
                                .lane = lane_to_tell(d, hit->wave, lanes),
                                .event = event_of_mistake(hit)};
        if (!concerns(w, hit))
            continue;
        known = true;
        report.event.tag = w->tag;
        report.event.owner = w->owner;
        if (dbg_was_told(d, hit->id, hit->time) || is_reported(to, &report))
            continue;
        assert(to->count < to->capacity); /* dbg_reserve_watchpoint() */
        to->report[to->count++] = report;
    }
    return known;
}

bool dbg_add_watched(struct wt_debugger *d, const struct wt_watchpoint_hit *hit)
{
    struct reports *to = &d->hits.reports;
    if (hit->mistake)
        return add_mistake(d, hit);
    const struct wt_event event = dbg_event_of_watched(hit);
    bool known = false;
    for (size_t i = 0; i < d->watchpoints.count; i++) {
        struct watchpoint *w = &d->watchpoints.list[i];
        if (!w->inserted || w->at.kind != event.watch || w->at.home != hit->home ||
            !wt_ranges_meet(w->at.addr, w->at.size, hit->addr, 1))
            continue;
        known = true;
        if (!wt_watchpoint_is_of(&w->at, hit->home, hit->id))
            continue;
        struct report report = {.at = w->at,
                                .wave = hit->wave,
                                .id = hit->id,
                                .lane = hit->lane,
                                .event = event,
                                .known = hit->known};
        report.event.tag = w->tag;
        report.event.owner = w->owner;
        if (hit->values)
            report.values = *hit->values;
        if (is_reported(to, &report))
            continue;
        if (hit->lanes) {
            report.event.lanes = dbg_judge_watch(d, w, hit->wave, hit->lanes, true,
                                                 &report.event.undecided, &report.event.unread);
            if (w->condition)
                keep_other_side(d, w, hit->wave, hit->lane, report.event.lanes != 0);
            if (!report.event.lanes)
                continue;
            report.lane = lane_to_tell(d, hit->wave, report.event.lanes);
        }
        assert(to->count < to->capacity); /* dbg_reserve_watchpoint() */
        to->report[to->count++] = report;
    }
    return known;
}

enum wt_watched_known wt_debugger_watched_values(const struct wt_debugger *d, struct wt_address at,
                                                 uint64_t size, void *before, void *after)
{
    const struct hits *h = &d->hits;
    const struct report *report = h->next ? &h->reports.report[h->next - 1] : NULL;
    if (!report || report->known == WT_WATCHED_NOW ||
        !wt_ranges_meet(report->at.addr, report->at.size, at, size))
        return WT_WATCHED_NOW;
    const uint64_t from = at.offset - report->at.addr.offset;
    if (report->known != WT_WATCHED_TOLD || at.offset < report->at.addr.offset ||
        from + size > report->values.size)
        return WT_WATCHED_MIXED;
    memcpy(before, report->values.before + from, size);
    memcpy(after, report->values.after + from, size);
    return WT_WATCHED_TOLD;
}

/* ---- giving them out ---- */

bool dbg_next_hit(struct wt_debugger *d, bool backwards, struct stop *stop)
{
    struct hits *h = &d->hits;
    if (h->backwards != backwards || h->in_past != d->history.in_past)
        return false;
    while (h->next < h->reports.count) {
        const struct report *report = &h->reports.report[h->next++];
        if (!is_wanted(d, report))
            continue;
        *stop = (struct stop){.wave = report->wave,
                              .id = report->id,
                              .lane = report->lane,
                              .event = report->event,
                              .choose_lane = true};
        stop->event.kind = WT_EVENT_STOPPED;
        stop->event.reason = WT_STOP_WATCHPOINT;
        return true;
    }
    return false;
}

void dbg_drop_hits(struct wt_debugger *d)
{
    d->hits.reports.count = d->hits.next = d->hits.list_count = 0;
}

bool dbg_is_watching(const struct wt_debugger *d)
{
    bool any = d->watchpoints.count != 0;
    for (size_t i = 0; i < d->breakpoints.count && !any; i++)
        any = d->breakpoints.list[i].watched != NULL;
    return any && d->target->services->watchpoint_hits;
}
