/* Inserting and removing breakpoints and watchpoints, for clients. */
#include "debug/core/state.h"

#include <inttypes.h>

#include "debug/core/breakpoints.h"
#include "debug/core/conditions.h"
#include "debug/core/judged.h"
#include "debug/core/memory.h"
#include "debug/core/patches.h"
#include "debug/core/sync.h"
#include "debug/core/watch_condition.h"
#include "debug/core/watchpoints.h"

/* ---- breakpoints ---- */

enum wt_status wt_debugger_check_breakpoint(struct wt_debugger *d, uint64_t addr,
                                            struct wt_error *err)
{
    struct wt_window window;
    if (d->topology->address_bits < 64 &&
        (addr & ~d->topology->gpu_bits) >> d->topology->address_bits)
        return wt_fail(err, WT_INVALID, "0x%" PRIx64 " is past the end of the address space", addr);
    enum wt_status status = d->ops->window(d->probe, addr, &window, err);
    if (status)
        return status;
    if ((status = dbg_read_window(d, dbg_memory_wave(d), addr, &window, err)))
        wt_fail_in(err, "no breakpoint can be set at 0x%" PRIx64, addr);
    return status;
}

/* Whether a change is to be in memory, and in the target, at once. */
static bool is_due(const struct wt_debugger *d)
{
    return d->run.going && !d->run.changes;
}

void wt_debugger_begin_changes(struct wt_debugger *d)
{
    d->run.changes++;
}

enum wt_status wt_debugger_end_changes(struct wt_debugger *d, struct wt_error *err)
{
    assert(d->run.changes);
    d->run.changes--;
    /* New modules are settled before anything of them runs. */
    return is_due(d) && !d->news.modules ? dbg_sync_all(d, err) : WT_OK;
}

enum wt_status wt_debugger_insert_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_expr *const *conditions,
                                                size_t condition_count,
                                                struct wt_expr *const *commands,
                                                size_t command_count, struct wt_error *err)
{
    enum wt_status status =
        dbg_find_breakpoint(d, addr) ? WT_OK : wt_debugger_check_breakpoint(d, addr, err);
    if (status || (status = dbg_claim_breakpoint(d, owner, addr, conditions, condition_count,
                                                 commands, command_count, err)))
        return status;
    if (is_due(d) && (status = dbg_sync_all(d, err))) {
        struct wt_error ignored;
        const struct breakpoint *bp = dbg_find_breakpoint(d, addr);
        if (bp && !bp->planted)
            dbg_unclaim_breakpoint(d, owner, addr, &ignored);
    }
    return status;
}

enum wt_status wt_debugger_insert_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_expr *const *conditions,
                                             size_t condition_count,
                                             struct wt_expr *const *commands, size_t command_count,
                                             struct wt_error *err)
{
    return wt_debugger_insert_breakpoint_of(d, 0, addr, conditions, condition_count, commands,
                                            command_count, err);
}

uint64_t wt_debugger_take_command_runs(struct wt_debugger *d, uint32_t owner, uint64_t addr)
{
    const struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct clause *clause = bp && bp->code ? dbg_find_clause(bp->code, owner) : NULL;
    if (bp && bp->judged)
        dbg_take_judged(d, true);
    const uint64_t runs = clause ? clause->runs : 0;
    if (clause)
        clause->runs = 0;
    return runs;
}

enum wt_status wt_debugger_remove_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_error *err)
{
    enum wt_status status;
    if ((status = dbg_unclaim_breakpoint(d, owner, addr, err)) != WT_OK)
        return status;
    return is_due(d) ? dbg_sync_all(d, err) : WT_OK;
}

enum wt_status wt_debugger_remove_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_error *err)
{
    return wt_debugger_remove_breakpoint_of(d, 0, addr, err);
}

void wt_debugger_remove_all_breakpoints(struct wt_debugger *d)
{
    dbg_unclaim_all_breakpoints(d);
    struct wt_error ignored;
    if (is_due(d))
        dbg_sync_all(d, &ignored);
}

/* ---- watchpoints ---- */

enum wt_status wt_debugger_insert_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err)
{
    struct wt_watchpoint at;
    enum wt_status status = dbg_resolve_watchpoint(d, request, &at, err);
    if (status)
        return status;
    struct watchpoint *w = dbg_find_watchpoint(d, request);
    if (!w && !dbg_reserve_watchpoint(d))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a watchpoint");
    if (!w) {
        w = &d->watchpoints.list[d->watchpoints.count++];
        *w = (struct watchpoint){.at = at,
                                 .thread = request->thread,
                                 .changes = request->changes,
                                 .owner = request->owner,
                                 .tag = request->tag,
                                 .condition = dbg_share_watch_condition(request->condition)};
    }
    w->inserted = true;
    if (is_due(d) && (status = dbg_sync_watchpoints(d, err))) {
        w->inserted = false;
        dbg_drop_watchpoints(d);
    }
    return status;
}

enum wt_status wt_debugger_try_watchpoints(struct wt_debugger *d, struct wt_error *err)
{
    const bool asked = !d->target->services->set_watchpoints && !d->run.going &&
                       !d->run.stopping.on && !d->run.lost && !d->run.ended &&
                       !d->history.in_past && !d->post_mortem;
    return asked ? dbg_sync_watchpoints(d, err) : WT_OK;
}

enum wt_status wt_debugger_remove_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err)
{
    struct watchpoint *w = dbg_find_watchpoint(d, request);
    if (!w || !w->inserted)
        return wt_fail(err, WT_INVALID, "there is no such watchpoint at 0x%" PRIx64,
                       request->addr.offset);
    w->inserted = false;
    dbg_drop_watchpoints(d);
    return is_due(d) ? dbg_sync_watchpoints(d, err) : WT_OK;
}

bool wt_debugger_other_side(struct wt_debugger *d, const struct wt_watchpoint_request *request,
                            void *bytes)
{
    const struct watchpoint *w = dbg_find_watchpoint(d, request);
    if (!w || !w->other || w->other_told != d->hits.told)
        return false;
    memcpy(bytes, w->other, w->at.size);
    return true;
}

void wt_debugger_remove_all_watchpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->watchpoints.count; i++)
        d->watchpoints.list[i].inserted = false;
    dbg_drop_watchpoints(d);
    struct wt_error ignored;
    if (is_due(d))
        dbg_sync_watchpoints(d, &ignored);
}
