/* The meaning of a stop: its points, and the state of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

/* Deletes watchpoints on variables of a frame that has returned. True if there were any. */
static bool end_scopes(struct wt_program *g, uint64_t pc)
{
    bool any = false;
    for (size_t i = g->point_count; i-- > 0;) {
        struct wt_point *p = g->point[i];
        if (!p->scope_condition || !p->enabled || p->scope.addr != pc ||
            !pg_holds_for(g, p->scope_condition, g->thread))
            continue;
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_SCOPE_LEFT, .point = p, .is_first = !any});
        wt_program_delete_point(g, p);
        any = true;
    }
    return any;
}

/* Whether a point has stopped here, or may: what the target does by itself is done. */
static bool may_stop(struct wt_program *g, struct wt_point *p)
{
    if (!p->own_owner || g->by_step)
        return true;
    if (p->format)
        return false;
    wt_program_count_logs(g, p);
    return !p->ignore;
}

/* Finds the breakpoints at a stop. *again: all of them were to be ignored. */
static void report_breakpoints(struct wt_program *g, bool *again)
{
    struct wt_thread_position place;
    bool any = false, here = false, silent = false;
    if (wt_debugger_thread_position(g->debugger, g->thread, &place, WT_IGNORED) != WT_OK)
        return;
    for (size_t i = 0; i < g->internal_count; i++)
        here |= g->internal[i].addr == place.pc;
    struct wt_point *gone[64];
    size_t gone_count = 0;
    const struct wt_point *shown = NULL;
    for (size_t i = 0; i < g->point_count; i++) {
        struct wt_point *p = g->point[i];
        if (!wt_point_has_addresses(p) || !p->enabled || !may_stop(g, p))
            continue;
        for (size_t k = 0; p->thread && k < p->addr_count; k++)
            here |= p->addr[k] == place.pc;
        if (!pg_condition_holds(g, p, place.pc, g->thread))
            continue;
        here = true;
        if (p->kind == WT_POINT_CATCH && (!pg_catch_at(g, p, place.pc) || !pg_catch_holds(g, p, 0)))
            continue;
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            continue;
        }
        if (p->format) {
            pg_log_lanes(g, p, place.pc);
            continue;
        }
        any = true;
        if (!shown) {
            pg_enter_calls(g, pg_line_wanted(g, p, place.pc), 0);
            shown = p;
            silent = p->silent;
        }
        pg_stopped_at(g, p);
        if (p->temporary && gone_count < sizeof gone / sizeof gone[0])
            gone[gone_count++] = p;
    }
    bool internal = end_scopes(g, place.pc);
    for (size_t i = 0; i < g->internal_count; i++)
        internal |= g->internal[i].addr == place.pc;
    *again = here && !any && !internal;
    if (*again)
        return;
    g->stopped_silently = silent;
    if (shown && g->event.undecided && !g->by_step)
        pg_tell(
            g, &(struct wt_news){.kind = WT_NEWS_UNDECIDED, .point = shown, .text = g->event.text});
    if (shown) {
        g->hit_wave = wt_program_own_wave(g);
        g->hit_number = shown->number;
    }
    if (shown && !silent)
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_HIT, .point = shown});
    g->stop_number = shown ? shown->number : 0;
    for (size_t i = 0; i < gone_count; i++)
        wt_program_delete_point(g, gone[i]);
}

/* Whether a stop is for a watchpoint that this program layer has set in the device. */
static bool is_own(struct wt_program *g, const struct wt_event *event)
{
    return event->tag && event->owner == wt_client_number(g->client);
}

/* The watchpoint of a stop; NULL: there is none. */
static struct wt_point *watched_at(struct wt_program *g, const struct wt_event *event)
{
    if (is_own(g, event))
        return wt_program_point(g, event->tag);
    for (size_t i = 0; i < g->point_count; i++) {
        struct wt_point *p = g->point[i];
        if (!p->enabled || !p->part_count || p->watch != event->watch)
            continue;
        for (size_t k = 0; k < p->part_count; k++)
            if (wt_ranges_meet(p->part[k].addr, p->part[k].size, event->addr, 1))
                return p;
    }
    return NULL;
}

/* Whether an address refers to the same memory in all waves, or in all waves of the group that has
 * accessed it: it is the one that the watchpoint is for. */
static bool is_seen_alike(const struct wt_program *g, struct wt_address at)
{
    for (size_t i = 1; i < g->topology->space_count && at.space == 0; i++) {
        const struct wt_space *s = &g->topology->spaces[i];
        if (s->aperture && s->scope != WT_SCOPE_GROUP && s->address_bits < 64 &&
            at.offset - s->aperture < (uint64_t)1 << s->address_bits)
            return false;
    }
    return true;
}

/* Reads a watched value. The wave for which the watchpoint was set may have ended; memory that
 * they share is then read through another wave, the one that has accessed it. */
bool pg_read_watched(struct wt_program *g, const struct wt_point *p, uint8_t *to)
{
    struct wt_value_place place;
    const uint64_t size = p->value.size;
    uint64_t done = 0;
    bool known = true;
    for (unsigned i = 0; known && wt_values_place(&p->value, 0, i, &place); i++)
        known = wt_debugger_read_memory(g->debugger, p->owner, place.memory, to + place.at,
                                        place.size, WT_IGNORED) == WT_OK;
    for (size_t i = 0; !known && i < p->part_count && done < size; i++) {
        const struct wt_watchpoint_request *part = &p->part[i];
        if (part->size > size - done || !is_seen_alike(g, part->addr) ||
            wt_debugger_read_memory(g->debugger, g->thread, part->addr, to + done, part->size,
                                    WT_IGNORED) != WT_OK)
            return false;
        done += part->size;
    }
    return known || done == size;
}

/* Corrects what a watchpoint's value was by what accesses have done that were no stops. */
static void note_other_side(struct wt_program *g, struct wt_point *p, const uint8_t *now)
{
    uint64_t at = 0;
    for (size_t i = 0; i < p->part_count && at < p->value.size; at += p->part[i++].size) {
        const struct wt_watchpoint_request request = pg_watch_request(g, p, p->part[i]);
        if (request.size <= p->value.size - at &&
            !wt_debugger_other_side(g->debugger, &request, p->value.bytes + at) &&
            !wt_ranges_meet(request.addr, request.size, g->event.addr, 1))
            memcpy(p->value.bytes + at, now + at, request.size);
    }
}

/* A value may have become another one without a stop since it was last seen, by `goto`: what it was
 * on the other side of the access counts. */
static void correct_old_value(struct wt_program *g, struct wt_point *p, const uint8_t *now)
{
    uint8_t *bytes = malloc(p->value.size);
    uint64_t at = 0;
    bool known = bytes;
    if (known)
        memcpy(bytes, now, p->value.size);
    for (size_t i = 0; i < p->part_count && known && at < p->value.size; at += p->part[i++].size)
        known = p->part[i].size <= p->value.size - at &&
                wt_debugger_undo_access(g->debugger, p->part[i].addr, p->part[i].size, bytes + at);
    if (known)
        memcpy(p->value.bytes, bytes, p->value.size);
    free(bytes);
}

/* Corrects the values of an access that others have followed, as debug hardware reports them:
 * p->value.bytes and @p now, which has the present memory, become those at the access. False: they
 * are not known. */
static bool correct_values(struct wt_program *g, struct wt_point *p, uint8_t *now)
{
    bool known = true;
    uint64_t at = 0;
    for (size_t i = 0; i < p->part_count && at < p->value.size; at += p->part[i++].size)
        known &= p->part[i].size > p->value.size - at ||
                 wt_debugger_watched_values(g->debugger, p->part[i].addr, p->part[i].size,
                                            p->value.bytes + at, now + at) != WT_WATCHED_MIXED;
    return known;
}

/* A condition that cannot be read is a stop, which is said. */
static void tell_unread(struct wt_program *g, const struct wt_point *p)
{
    char text[sizeof g->event.text];
    wt_unread_text(g->topology, "watchpoint", g->event.unread, text, sizeof text);
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_UNDECIDED, .point = p, .text = text});
}

static void report_mistake(struct wt_program *g, bool *again)
{
    struct wt_point *p = wt_program_point(g, g->event.tag);
    const struct wt_checks *checks = g->options.checks;
    struct wt_debugger_time time;
    char text[400];
    *again = !p || !checks || !is_own(g, &g->event) ||
             !checks->describe(checks->context, &g->event, text, sizeof text) ||
             !pg_catch_holds(g, p, g->event.lanes);
    if (*again)
        return;
    p->hits++;
    if (p->ignore) {
        p->ignore--;
        *again = true;
        return;
    }
    const bool done =
        wt_debugger_time(g->debugger, &time, WT_IGNORED) != WT_OK || time.now != g->event.time;
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_MISTAKE,
                                 .point = p,
                                 .event = &g->event,
                                 .text = text,
                                 .is_there = done});
    pg_stopped_at(g, p);
    g->stop_number = p->number;
}

static void report_watchpoint(struct wt_program *g, bool *again)
{
    struct wt_point *p = watched_at(g, &g->event);
    const bool decided = is_own(g, &g->event) && !g->event.undecided;
    if (!p) {
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_ACCESS, .text = g->event.text});
        return;
    }
    uint8_t *now = malloc(p->value.size ? p->value.size : 1);
    const bool readable = now && pg_read_watched(g, p, now);
    if (readable && p->rule)
        note_other_side(g, p, now);
    else if (readable)
        correct_old_value(g, p, now);
    const bool known = !readable || correct_values(g, p, now);
    const bool changed = readable && !wt_values_equal(&p->value, now, p->value.bytes);
    /* An instruction that writes several parts of the value is reported once, and one that writes
     * a bit-field's neighbours in the same bytes is not. */
    const bool told = p->kind == WT_POINT_WATCH && (p->part_count > 1 || p->value.bit_size) &&
                      readable && !changed;
    if (told || (!decided && !pg_watch_condition_holds(g, p))) {
        *again = true;
    } else {
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            *again = true;
        }
    }
    if (!*again) {
        if (g->event.unread)
            tell_unread(g, p);
        const bool shows_old = p->kind == WT_POINT_WATCH || (p->kind == WT_POINT_ACCESS && changed);
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_WATCH,
                                     .point = p,
                                     .before = shows_old ? p->value.bytes : NULL,
                                     .is_mixed = !known,
                                     .after = readable ? now : NULL});
        pg_stopped_at(g, p);
        g->stop_number = p->number;
    }
    if (readable)
        memcpy(p->value.bytes, now, p->value.size);
    free(now);
}

void pg_refresh_watched(struct wt_program *g)
{
    for (size_t i = 0; i < g->point_count; i++) {
        struct wt_point *p = g->point[i];
        uint8_t *now = p->part_count ? malloc(p->value.size ? p->value.size : 1) : NULL;
        if (now && pg_read_watched(g, p, now))
            memcpy(p->value.bytes, now, p->value.size);
        free(now);
    }
}

static void report_exit(struct wt_program *g, uint32_t word)
{
    if (g->options.host) {
        pg_end_host(g);
        return;
    }
    g->started = false;
    g->ended = true;
    g->exit_word = word;
    wt_program_select(g, 0);
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_EXITED, .code = word});
}

void pg_end_by_fault(struct wt_program *g)
{
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_FAULT_ENDED, .text = g->fault_text});
    g->started = false;
    g->ended = true;
    g->fault_ended = true;
    wt_program_select(g, 0);
}

static void report_fault(struct wt_program *g, bool *again)
{
    struct wt_point *caught;
    struct wt_thread_position place = {0};
    wt_debugger_thread_position(g->debugger, g->thread, &place, WT_IGNORED);
    const bool same = g->faulted && g->fault_pc == place.pc && g->fault_thread == g->thread;
    g->fault = (int)g->event.fault;
    g->fault_pc = place.pc;
    g->fault_thread = g->thread;
    g->faulted = true;
    pg_enter_calls(g, 0, WT_SCOPES); /* the instruction is that of the innermost */
    /* An instruction that the PC has passed will not be tried again. */
    g->fault_is_past = g->event.gives_up || (g->event.pc && g->event.pc != place.pc);
    snprintf(g->fault_text, sizeof g->fault_text, "%s", g->event.text);
    if (same) { /* The instruction was tried again, and failed again: that ends the program. */
        pg_end_by_fault(g);
        return;
    }
    *again = !pg_catch_fault(g, &caught);
    if (*again)
        return;
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_FAULT, .point = caught, .event = &g->event});
    if (caught)
        g->stop_number = caught->number;
}

/* The wait has ended without an event. */
static void report_nothing(struct wt_program *g)
{
    uint32_t word;
    if (wt_debugger_ended(g->debugger, &word))
        report_exit(g, word);
    else
        wt_program_select(g, wt_debugger_current_thread(g->debugger));
}

/* Intel's compiler gives variables of optimised code registers in lists of addresses, of which some
 * are too long. Said once. */
static void tell_doubts(struct wt_program *g)
{
    if (g->told_doubts || !g->topology->file_space || !g->thread)
        return;
    const struct wt_view view = wt_program_view(g);
    if (!view.frame || !wt_frame_has_lists(view.frame))
        return;
    g->told_doubts = true;
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_DOUBTFUL});
}

enum wt_status wt_program_report(struct wt_program *g, bool *again, struct wt_error *err)
{
    const struct wt_event *e = &g->event;
    *again = false;
    g->stop_number = 0;
    g->stopped_silently = false;
    g->opened_again = false;
    if (e->kind == WT_EVENT_EXITED) {
        report_exit(g, e->status);
        return WT_OK;
    }
    if (e->kind == WT_EVENT_NONE) {
        report_nothing(g);
        return WT_OK;
    }
    if (e->thread || e->wave_ended)
        wt_program_select(g, e->thread ? e->thread : wt_debugger_current_thread(g->debugger));
    tell_doubts(g);
    const bool gives_up = e->reason == WT_STOP_TRAP && e->gives_up;
    if (e->reason != WT_STOP_FAULT && !gives_up)
        g->faulted = false;
    switch (e->reason) {
    case WT_STOP_BREAKPOINT:
        report_breakpoints(g, again);
        break;
    case WT_STOP_WATCHPOINT:
        if (wt_event_is_mistake(e))
            report_mistake(g, again);
        else
            report_watchpoint(g, again);
        break;
    case WT_STOP_INTERRUPTED:
    case WT_STOP_REQUESTED:
        if (pg_report_catch(g))
            break;
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_INTERRUPTED,
                                     .text = e->reason == WT_STOP_REQUESTED ? e->text : ""});
        break;
    case WT_STOP_FAULT:
        report_fault(g, again);
        break;
    case WT_STOP_TRAP:
        if (gives_up) {
            report_fault(g, again);
            break;
        }
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_TRAP, .text = e->text});
        break;
    case WT_STOP_LOST:
        return wt_fail(err, WT_IO, "%s", e->text[0] ? e->text : "the device does not answer");
    case WT_STOP_HISTORY_BEGIN:
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_HISTORY_BEGIN});
        break;
    case WT_STOP_HISTORY_END:
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_HISTORY_END});
        break;
    case WT_STOP_STEP:
        /* The step of a wave that has ended stops at another wave. */
        if (e->text[0])
            pg_tell(g, &(struct wt_news){.kind = WT_NEWS_STEP_OVER, .text = e->text});
        break;
    }
    return WT_OK;
}
