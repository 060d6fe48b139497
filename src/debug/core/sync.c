/* Brings memory and the target up to date with the tables of breakpoints and watchpoints. */
#include "debug/core/sync.h"

#include <stdlib.h>

#include "debug/core/breakpoints.h"
#include "debug/core/conditions.h"
#include "debug/core/judged.h"
#include "debug/core/memory.h"
#include "debug/core/patches.h"
#include "debug/core/watchpoints.h"

/* Whether the breakpoint's instruction is to be replaced in memory. */
static bool is_to_plant(const struct breakpoint *bp)
{
    return bp->inserted && !bp->code->in_engine;
}

enum wt_status dbg_sync_breakpoints(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t wave = UINT32_MAX;
    enum wt_status status = WT_OK;
    struct wt_error ignored;
    bool lifted = false;
    /* Breakpoints are lifted before others are planted: two that overlap may trade places. */
    for (int plant = 0; plant < 2; plant++) {
        for (size_t i = 0; i < d->breakpoints.count; i++) {
            struct breakpoint *bp = &d->breakpoints.list[i];
            if (plant ? !is_to_plant(bp) || bp->planted
                      : is_to_plant(bp) || (!bp->planted && !bp->doubtful))
                continue;
            assert(!bp->inserted == !bp->claim_count && (!bp->inserted || bp->code));
            if (wave == UINT32_MAX)
                wave = dbg_memory_wave(d);
            enum wt_status one = plant ? dbg_plant(d, bp, wave, status ? &ignored : err)
                                       : dbg_lift(d, bp, wave, status ? &ignored : err);
            status = status ? status : one;
            lifted |= !plant;
        }
    }
    if (lifted)
        dbg_drop_breakpoints(d);
    return status;
}

/* The code of a breakpoint that the target evaluates; NULL: none. */
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

/* A list of all that the target is to watch: code, then memory. The caller frees it. */
static enum wt_status list_all(struct wt_debugger *d, struct wt_watchpoint **list, size_t *count,
                               struct wt_error *err)
{
    *list = calloc(d->breakpoints.count + d->watchpoints.count + 1, sizeof **list);
    *count = 0;
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %zu watchpoints",
                       d->breakpoints.count + d->watchpoints.count);
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (wanted_code(&d->breakpoints.list[i]))
            (*list)[(*count)++] = dbg_watched_code(&d->breakpoints.list[i]);
    for (size_t i = 0; i < d->watchpoints.count; i++)
        if (d->watchpoints.list[i].inserted)
            (*list)[(*count)++] = dbg_watched_memory(&d->watchpoints.list[i]);
    return WT_OK;
}

enum wt_status dbg_sync_watchpoints(struct wt_debugger *d, struct wt_error *err)
{
    size_t count;
    bool differ = false;
    for (size_t i = 0; i < d->watchpoints.count; i++)
        differ |= d->watchpoints.list[i].inserted != d->watchpoints.list[i].active;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        differ |= wanted_code(&d->breakpoints.list[i]) != d->breakpoints.list[i].watched;
    if (!differ)
        return WT_OK;
    struct wt_watchpoint *list;
    enum wt_status status = list_all(d, &list, &count, err);
    if (status)
        return status;
    if (d->target->services->set_watchpoints)
        status = d->target->services->set_watchpoints(d->target->context, list, count, err);
    else
        status = d->ops->set_watchpoints(d->probe, list, count, err);
    free(list);
    for (size_t i = 0; i < d->watchpoints.count; i++)
        d->watchpoints.list[i].active = !status && d->watchpoints.list[i].inserted;
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct bp_code *now = status ? NULL : dbg_share_code(wanted_code(&d->breakpoints.list[i]));
        dbg_free_code(d->breakpoints.list[i].watched);
        d->breakpoints.list[i].watched = now;
    }
    dbg_drop_watchpoints(d);
    dbg_drop_breakpoints(d);
    return status;
}

enum wt_status dbg_sync_all(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = dbg_sync_breakpoints(d, err);
    if (!status)
        status = dbg_sync_judged(d, err);
    return status ? status : dbg_sync_watchpoints(d, err);
}
