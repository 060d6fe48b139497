/*
 * Breakpoints: a table of what the client wants and of what is in memory. The two are brought
 * together when waves are set going, so that clients that lift and insert all breakpoints around
 * every stop cost no memory traffic.
 */
#include "debug/core/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void free_breakpoint(struct breakpoint *bp)
{
    dbg_free_code(bp->code);
    dbg_free_code(bp->watched);
}

void dbg_free_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++)
        free_breakpoint(&d->bp[i]);
    free(d->bp);
    d->bp = NULL;
    d->bps = 0;
}

/* Where @p addr is in the table, or belongs. */
static size_t position(struct wt_debugger *d, uint64_t addr)
{
    size_t low = 0, high = d->bps;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d->bp[middle].addr < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct breakpoint *dbg_find_breakpoint(struct wt_debugger *d, uint64_t addr)
{
    size_t at = position(d, addr);
    return at < d->bps && d->bp[at].addr == addr ? &d->bp[at] : NULL;
}

void dbg_drop_breakpoints(struct wt_debugger *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->bps; i++) {
        const struct breakpoint *bp = &d->bp[i];
        if (bp->inserted || bp->planted || bp->doubtful || bp->watched)
            d->bp[kept++] = *bp;
        else
            free_breakpoint(&d->bp[i]);
    }
    d->bps = kept;
}

/* ---- planting ---- */

bool dbg_is_set(const struct breakpoint *bp)
{
    return bp && (bp->planted || (bp->inserted && bp->code->in_engine));
}

/* Whether its instruction is to be replaced in memory. */
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
    /* Lift first: two that overlap may trade places. */
    for (int plant = 0; plant < 2; plant++) {
        for (size_t i = 0; i < d->bps; i++) {
            struct breakpoint *bp = &d->bp[i];
            if (plant ? !is_to_plant(bp) || bp->planted
                      : is_to_plant(bp) || (!bp->planted && !bp->doubtful))
                continue;
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

/* ---- what clients ask for ---- */

static enum wt_status sync_all(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = dbg_sync_breakpoints(d, err);
    return status ? status : dbg_sync_watchpoints(d, err);
}

/* Makes room for a new entry at @p addr. */
static struct breakpoint *add_breakpoint(struct wt_debugger *d, uint64_t addr)
{
    if (d->bps == d->bp_capacity) {
        size_t capacity = d->bp_capacity ? 2 * d->bp_capacity : 16;
        struct breakpoint *more = realloc(d->bp, capacity * sizeof *more);
        if (!more)
            return NULL;
        d->bp = more;
        d->bp_capacity = capacity;
    }
    size_t at = position(d, addr);
    memmove(&d->bp[at + 1], &d->bp[at], (d->bps - at) * sizeof *d->bp);
    d->bps++;
    d->bp[at] = (struct breakpoint){.addr = addr};
    return &d->bp[at];
}

/* An instruction must be there to be replaced; better told now than when the program is resumed. */
static enum wt_status check_place(struct wt_debugger *d, uint64_t addr, struct wt_error *err)
{
    struct wt_window window;
    if (d->topology->address_bits < 64 && addr >> d->topology->address_bits)
        return wt_fail(err, WT_INVALID, "0x%" PRIx64 " is past the end of the address space", addr);
    enum wt_status status = d->ops->window(d->probe, addr, &window, err);
    if (status)
        return status;
    if ((status = dbg_read_window(d, dbg_memory_wave(d), addr, &window, err)))
        wt_fail_in(err, "no breakpoint can be set at 0x%" PRIx64, addr);
    return status;
}

enum wt_status wt_debugger_insert_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_expr *const *conditions,
                                             size_t condition_count,
                                             struct wt_expr *const *commands, size_t command_count,
                                             struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct bp_code *code;
    enum wt_status status = bp ? WT_OK : check_place(d, addr, err);
    if (!status)
        status = dbg_new_code(d, conditions, condition_count, commands, command_count, &code, err);
    if (status)
        return status;
    if (!bp && !(bp = add_breakpoint(d, addr))) {
        dbg_free_code(code);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    }
    dbg_free_code(bp->code);
    bp->code = code;
    bp->inserted = true;
    for (uint32_t w = 0; d->any_followed && w < d->topology->waves; w++)
        if (d->wave[w].followed && d->wave[w].left == addr)
            d->wave[w].came_back = true;
    if (d->going && (status = sync_all(d, err))) {
        bp = dbg_find_breakpoint(d, addr);
        if (bp && !bp->planted) {
            bp->inserted = false;
            dbg_drop_breakpoints(d);
        }
    }
    return status;
}

enum wt_status wt_debugger_remove_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    if (!bp || !bp->inserted)
        return wt_fail(err, WT_INVALID, "there is no breakpoint at 0x%" PRIx64, addr);
    bp->inserted = false;
    dbg_drop_breakpoints(d);
    return d->going ? sync_all(d, err) : WT_OK;
}

void wt_debugger_remove_all_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++)
        d->bp[i].inserted = false;
    dbg_drop_breakpoints(d);
    struct wt_error ignored;
    if (d->going)
        sync_all(d, &ignored);
}
