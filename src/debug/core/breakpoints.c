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

static void free_expressions(struct expr_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        wt_expr_free(list->expr[i].expr);
        free(list->expr[i].row);
    }
    free(list->expr);
    *list = (struct expr_list){0};
}

static void free_claim(struct claim *c)
{
    free(c->index);
    free_expressions(&c->conditions);
    free_expressions(&c->commands);
    *c = (struct claim){0};
}

static void free_claims(struct breakpoint *bp)
{
    while (bp->claim_count)
        free_claim(&bp->claim[--bp->claim_count]);
    free(bp->claim);
    bp->claim = NULL;
    bp->claim_capacity = 0;
}

static struct claim *find_claim(const struct breakpoint *bp, uint32_t owner)
{
    for (size_t i = 0; i < bp->claim_count; i++)
        if (bp->claim[i].owner == owner)
            return &bp->claim[i];
    return NULL;
}

/* Nobody but other clients wants it any more. */
static void drop_claim(struct breakpoint *bp, struct claim *c)
{
    free_claim(c);
    *c = bp->claim[--bp->claim_count];
    bp->inserted = bp->claim_count > 0;
}

bool dbg_has_expressions(const struct breakpoint *bp)
{
    for (size_t i = 0; i < bp->claim_count; i++)
        if (bp->claim[i].conditions.count || bp->claim[i].commands.count)
            return true;
    return false;
}

bool dbg_only_prints(const struct breakpoint *bp)
{
    bool prints = bp->claim_count > 0;
    for (size_t i = 0; i < bp->claim_count; i++)
        prints &= bp->claim[i].commands.count > 0;
    return prints;
}

void dbg_free_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++)
        free_claims(&d->bp[i]);
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

static void drop_unused(struct wt_debugger *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->bps; i++) {
        if (d->bp[i].inserted || d->bp[i].planted || d->bp[i].doubtful)
            d->bp[kept++] = d->bp[i];
        else
            free_claims(&d->bp[i]);
    }
    d->bps = kept;
}

/* ---- planting ---- */

enum wt_status dbg_sync_breakpoints(struct wt_debugger *d, struct wt_error *err)
{
    uint32_t wave = UINT32_MAX;
    enum wt_status status = WT_OK;
    bool lifted = false;
    /* Lift first: two that overlap may trade places. */
    for (int plant = 0; plant < 2; plant++) {
        for (size_t i = 0; i < d->bps; i++) {
            struct breakpoint *bp = &d->bp[i];
            if (plant ? !bp->inserted || bp->planted
                      : bp->inserted || (!bp->planted && !bp->doubtful))
                continue;
            if (wave == UINT32_MAX)
                wave = dbg_memory_wave(d);
            enum wt_status one = plant ? dbg_plant(d, bp, wave, status ? NULL : err)
                                       : dbg_lift(d, bp, wave, status ? NULL : err);
            status = status ? status : one;
            lifted |= !plant;
        }
    }
    if (lifted)
        drop_unused(d);
    return status;
}

/* ---- what clients ask for ---- */

static enum wt_status share_list(struct wt_expr *const *expr, size_t count, struct expr_list *list,
                                 struct wt_error *err)
{
    list->expr = calloc(count ? count : 1, sizeof *list->expr);
    if (!list->expr)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    for (; list->count < count; list->count++)
        list->expr[list->count].expr = wt_expr_share(expr[list->count]);
    return WT_OK;
}

/* Notes which registers the expressions of a list name, each once for the claim. */
static enum wt_status link_registers(struct wt_debugger *d, struct claim *c, struct expr_list *list,
                                     struct wt_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t count;
        const unsigned *named = wt_expr_registers(list->expr[i].expr, &count);
        list->expr[i].row = calloc(count + 1, sizeof *list->expr[i].row);
        if (!list->expr[i].row)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
        for (size_t k = 0; k < count; k++) {
            size_t at = 0;
            if (named[k] >= d->topology->register_count)
                return wt_fail(err, WT_INVALID, "there is no register %u", named[k]);
            while (at < c->index_count && c->index[at] != named[k])
                at++;
            if (at == c->index_count)
                c->index[c->index_count++] = named[k];
            list->expr[i].row[k] = at;
        }
    }
    return WT_OK;
}

/* Finds out which registers to fetch when the breakpoint is hit. */
static enum wt_status link_claim(struct wt_debugger *d, struct claim *c, struct wt_error *err)
{
    enum wt_status status;
    c->index = calloc(d->topology->register_count, sizeof *c->index);
    if (!c->index)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    if ((status = link_registers(d, c, &c->conditions, err)))
        return status;
    return link_registers(d, c, &c->commands, err);
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

/* Makes room for what one client more wants. */
static struct claim *add_claim(struct breakpoint *bp)
{
    struct claim *more =
        wt_array_grow(bp->claim, &bp->claim_capacity, bp->claim_count + 1, sizeof *bp->claim);
    if (!more)
        return NULL;
    bp->claim = more;
    bp->claim[bp->claim_count] = (struct claim){0};
    return &bp->claim[bp->claim_count++];
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
    return wt_debugger_insert_breakpoint_of(d, 0, addr, conditions, condition_count, commands,
                                            command_count, err);
}

enum wt_status wt_debugger_insert_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_expr *const *conditions,
                                                size_t condition_count,
                                                struct wt_expr *const *commands,
                                                size_t command_count, struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct claim new = {.owner = owner}, *c = bp ? find_claim(bp, owner) : NULL;
    enum wt_status status = bp ? WT_OK : check_place(d, addr, err);
    if (!status)
        status = share_list(conditions, condition_count, &new.conditions, err);
    if (!status)
        status = share_list(commands, command_count, &new.commands, err);
    if (!status)
        status = link_claim(d, &new, err);
    if (!status && ((!bp && !(bp = add_breakpoint(d, addr))) || (!c && !(c = add_claim(bp))))) {
        drop_unused(d);
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    }
    if (status) {
        free_claim(&new);
        return status;
    }
    free_claim(c);
    *c = new;
    bp->inserted = true;
    for (uint32_t w = 0; d->any_followed && w < d->topology->waves; w++)
        if (d->wave[w].followed && d->wave[w].left == addr)
            d->wave[w].came_back = true;
    if (d->going && (status = dbg_sync_breakpoints(d, err))) {
        bp = dbg_find_breakpoint(d, addr);
        if (bp && !bp->planted) {
            drop_claim(bp, find_claim(bp, owner));
            drop_unused(d);
        }
    }
    return status;
}

enum wt_status wt_debugger_remove_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_error *err)
{
    return wt_debugger_remove_breakpoint_of(d, 0, addr, err);
}

enum wt_status wt_debugger_remove_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct claim *c = bp ? find_claim(bp, owner) : NULL;
    if (!c)
        return wt_fail(err, WT_INVALID, "there is no breakpoint at 0x%" PRIx64, addr);
    drop_claim(bp, c);
    drop_unused(d);
    return d->going ? dbg_sync_breakpoints(d, err) : WT_OK;
}

void wt_debugger_remove_all_breakpoints(struct wt_debugger *d)
{
    struct wt_error ignored;
    for (size_t i = 0; i < d->bps; i++) {
        free_claims(&d->bp[i]);
        d->bp[i].inserted = false;
    }
    drop_unused(d);
    if (d->going)
        dbg_sync_breakpoints(d, &ignored);
}

/* ---- conditions and commands ---- */

/* Cells of all registers that a claim's expressions name, for lanes of a wave. */
static enum wt_status fetch(struct wt_debugger *d, const struct claim *c, uint32_t wave,
                            wt_lanes lanes, struct wt_error *err)
{
    const size_t cells = wt_lanes_count(lanes) * c->index_count + 1;
    if (cells > d->scratch_size) {
        uint64_t *more = realloc(d->scratch, cells * sizeof *more);
        if (!more)
            return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint's condition");
        d->scratch = more;
        d->scratch_size = cells;
    }
    return dbg_read_cells(d, wave, lanes, c->index, c->index_count, d->scratch, err);
}

/* The rows of one expression, for lanes from number `first` of those that were fetched. */
static void put_rows(const struct wt_debugger *d, const struct linked_expr *e, unsigned lane_count,
                     unsigned first, const uint64_t **row)
{
    size_t count;
    wt_expr_registers(e->expr, &count);
    for (size_t i = 0; i < count; i++)
        row[i] = d->scratch + e->row[i] * lane_count + first;
}

/* The lanes for which some condition holds, or cannot be evaluated: then the user had better look.
 */
static wt_lanes check_conditions(struct wt_debugger *d, const struct claim *c,
                                 struct dbg_lanes *lanes, const uint64_t **row)
{
    const struct wt_expr_world world = {lanes, dbg_read_for_lanes, dbg_print_for_lanes};
    const wt_lanes all = wt_lanes_first(lanes->count);
    wt_lanes holds = c->conditions.count ? 0 : all;
    for (size_t i = 0; i < c->conditions.count && holds != all; i++) {
        uint64_t value[WT_MAX_LANES];
        put_rows(d, &c->conditions.expr[i], lanes->count, 0, row);
        const wt_lanes known =
            wt_expr_run(c->conditions.expr[i].expr, row, lanes->count, &world, value);
        holds |= all & ~known;
        for (wt_lanes rest = known; rest; rest &= rest - 1)
            if (value[wt_lanes_lowest(rest)])
                holds |= wt_lane_bit(wt_lanes_lowest(rest));
    }
    return holds;
}

/* What the commands print for one lane, number @p k of those that were fetched. */
static void run_commands(struct wt_debugger *d, const struct claim *c,
                         const struct dbg_lanes *lanes, unsigned k, const uint64_t **row)
{
    struct dbg_lanes one = {.d = d, .wave = lanes->wave, .count = 1, .lane = {lanes->lane[k]}};
    const struct wt_expr_world world = {&one, dbg_read_for_lanes, dbg_print_for_lanes};
    for (size_t i = 0; i < c->commands.count; i++) {
        uint64_t ignored;
        put_rows(d, &c->commands.expr[i], lanes->count, k, row);
        wt_expr_run(c->commands.expr[i].expr, row, 1, &world, &ignored);
    }
}

/* The lane to stop for among those in @p holds: the one that the user looks at, else the lowest. */
static unsigned lane_to_stop(const struct dbg_lanes *lanes, wt_lanes holds, unsigned focus)
{
    for (unsigned k = 0; k < lanes->count; k++)
        if (focus && lanes->lane[k] == focus - 1 && wt_has_lane(holds, k))
            return focus - 1;
    return lanes->lane[wt_lanes_lowest(holds)];
}

/* Runs one client's conditions and commands. *stops: a lane wants to stop, *lane. */
static enum wt_status evaluate_claim(struct wt_debugger *d, const struct claim *c,
                                     struct dbg_lanes *lanes, wt_lanes mask, unsigned focus,
                                     bool *stops, unsigned *lane, struct wt_error *err)
{
    enum wt_status status;
    if ((status = fetch(d, c, lanes->wave, mask, err)) != WT_OK)
        return status;
    const uint64_t **row = calloc(c->index_count + 1, sizeof *row);
    if (!row)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint's condition");
    const wt_lanes holds = check_conditions(d, c, lanes, row);
    *stops = holds && c->commands.count == 0;
    if (*stops)
        *lane = lane_to_stop(lanes, holds, focus);
    for (wt_lanes rest = holds; rest && c->commands.count; rest &= rest - 1)
        run_commands(d, c, lanes, wt_lanes_lowest(rest), row);
    free(row);
    return WT_OK;
}

enum wt_status dbg_evaluate(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                            bool *stops, unsigned *lane, struct wt_error *err)
{
    enum wt_status status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    const wt_lanes mask = d->wave[wave].mask;
    const unsigned focus = d->wave[wave].focus;
    *stops = true;
    *lane = focus && wt_has_lane(mask, focus - 1) ? focus - 1 : mask ? wt_lanes_lowest(mask) : 0;
    if (!mask || !dbg_has_expressions(bp))
        return WT_OK;
    struct dbg_lanes lanes;
    dbg_list_lanes(d, wave, mask, &lanes);
    *stops = false;
    /* Each client's expressions are run, since they may print. */
    for (size_t i = 0; i < bp->claim_count && !status; i++) {
        const struct claim *c = &bp->claim[i];
        bool wants = true;
        unsigned which = *lane;
        if (c->conditions.count || c->commands.count)
            status = evaluate_claim(d, c, &lanes, mask, focus, &wants, &which, err);
        if (!status && wants && !*stops)
            *lane = which;
        *stops |= !status && wants;
    }
    return status;
}
