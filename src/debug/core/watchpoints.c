/* The table of watchpoints. The target gets the list when waves are set going (sync.c). */
#include "debug/core/watchpoints.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "debug/core/numbering.h"
#include "debug/core/watch_condition.h"

bool dbg_same_watchpoint(const struct watchpoint *w, const struct wt_watchpoint *at, bool changes)
{
    return w->at.kind == at->kind && wt_address_equal(w->at.addr, at->addr) &&
           w->at.size == at->size && w->at.wave == at->wave && w->at.lane == at->lane &&
           w->at.home == at->home && w->at.owner == at->owner && w->changes == changes;
}

struct watchpoint *dbg_find_watchpoint(struct wt_debugger *d, const struct wt_watchpoint_request *r)
{
    for (size_t i = 0; i < d->watchpoints.count; i++) {
        struct watchpoint *w = &d->watchpoints.list[i];
        if (w->at.kind == r->kind && wt_address_equal(w->at.addr, r->addr) &&
            w->at.size == r->size && w->thread == r->thread && w->changes == r->changes &&
            w->at.owner == r->holder && (!r->home || w->at.home == r->home) &&
            w->owner == r->owner && w->tag == r->tag && w->condition == r->condition)
            return w;
    }
    return NULL;
}

/* The group's memory to which an address leads the wave that the last scan found in the slot. */
static uint64_t find_home(struct wt_debugger *d, uint32_t wave, struct wt_address addr)
{
    return d->target->services->home
               ? d->target->services->home(d->target->context, wave, d->wave[wave].self.id, addr)
               : 0;
}

enum wt_status dbg_resolve_watchpoint(struct wt_debugger *d, const struct wt_watchpoint_request *r,
                                      struct wt_watchpoint *at, struct wt_error *err)
{
    if (!d->target->services->set_watchpoints && !d->ops->set_watchpoints)
        return wt_fail(err, WT_UNSUPPORTED, "this device has no watchpoints");
    if (r->kind == WT_WATCHPOINT_MISTAKE) {
        *at = (struct wt_watchpoint){.kind = r->kind, .addr = r->addr, .size = 1};
        return WT_OK;
    }
    if (r->size == 0)
        return wt_fail(err, WT_INVALID, "a watchpoint of no bytes");
    if (r->addr.space >= d->topology->space_count)
        return wt_fail(err, WT_INVALID, "there is no address space %u", (unsigned)r->addr.space);
    const unsigned bits = d->topology->spaces[r->addr.space].address_bits;
    const uint64_t last = (r->addr.offset & ~d->topology->gpu_bits) + (r->size - 1);
    if (last < r->size - 1 || (bits < 64 && last >> bits))
        return wt_fail(err, WT_INVALID,
                       "%" PRIu64 " bytes at 0x%" PRIx64 " reach past the end of the address space",
                       r->size, r->addr.offset);
    *at = (struct wt_watchpoint){.kind = r->kind, .addr = r->addr, .size = r->size};
    /* If there is no thread yet, all threads see the same memory. */
    unsigned lane = 0;
    enum wt_status status = r->thread ? dbg_locate(d, r->thread, &at->wave, &lane, err) : WT_OK;
    if (d->topology->spaces[r->addr.space].scope == WT_SCOPE_LANE)
        at->lane = lane;
    at->owner = r->holder;
    at->home = r->home || !r->thread || status ? r->home : find_home(d, at->wave, r->addr);
    return status;
}

void wt_debugger_bind_watch(struct wt_debugger *d, struct wt_watchpoint_request *r, bool is_private)
{
    uint32_t wave;
    unsigned lane;
    if (dbg_locate(d, r->thread, &wave, &lane, WT_IGNORED))
        return;
    r->home = find_home(d, wave, r->addr);
    r->holder = is_private && !r->home ? d->wave[wave].self.id : WT_NO_WAVE;
}

struct wt_watchpoint dbg_watched_memory(const struct watchpoint *w)
{
    struct wt_watchpoint at = w->at;
    at.changes = w->changes;
    at.rule = w->condition ? w->condition->number : 0;
    if (w->condition && dbg_judges_in_engine(w->condition)) {
        at.holds = dbg_watch_holds_in_engine;
        at.context = w->condition;
    }
    return at;
}

static void free_watchpoint(struct watchpoint *w)
{
    dbg_free_watch_condition(w->condition);
    free(w->other);
}

void dbg_drop_watchpoints(struct wt_debugger *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->watchpoints.count; i++) {
        if (d->watchpoints.list[i].inserted || d->watchpoints.list[i].active)
            d->watchpoints.list[kept++] = d->watchpoints.list[i];
        else
            free_watchpoint(&d->watchpoints.list[i]);
    }
    d->watchpoints.count = kept;
}

enum wt_status dbg_list_watchpoints(struct wt_debugger *d, struct wt_watchpoint **list,
                                    size_t *count, struct wt_error *err)
{
    *count = 0;
    *list = calloc(d->watchpoints.count ? d->watchpoints.count : 1, sizeof **list);
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu watchpoints",
                       d->watchpoints.count);
    for (size_t i = 0; i < d->watchpoints.count; i++)
        if (d->watchpoints.list[i].inserted)
            (*list)[(*count)++] = dbg_watched_memory(&d->watchpoints.list[i]);
    return WT_OK;
}

/* Makes room for one more watchpoint, and for a report of each: a stop must not be lost for want of
 * memory. */
bool dbg_reserve_watchpoint(struct wt_debugger *d)
{
    struct reports *const both[] = {&d->hits.reports, &d->hits.spare};
    struct watchpoint *more = wt_array_grow(d->watchpoints.list, &d->watchpoints.capacity,
                                            d->watchpoints.count + 1, sizeof *more);
    if (more)
        d->watchpoints.list = more;
    for (size_t i = 0; i < 2 && more; i++) {
        struct report *report = wt_array_grow(both[i]->report, &both[i]->capacity,
                                              d->watchpoints.count + 1, sizeof *report);
        if (!report)
            return false;
        both[i]->report = report;
    }
    return more != NULL;
}

void dbg_free_watchpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->watchpoints.count; i++)
        free_watchpoint(&d->watchpoints.list[i]);
    free(d->watchpoints.list);
    free(d->hits.reports.report);
    free(d->hits.spare.report);
    free(d->hits.list);
}
