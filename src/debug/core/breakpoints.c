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

/* ---- what each client wants ---- */

static void free_claim(struct claim *c)
{
    for (size_t i = 0; i < c->condition_count; i++)
        wt_expr_free(c->condition[i]);
    for (size_t i = 0; i < c->command_count; i++)
        wt_expr_free(c->command[i]);
    free(c->condition);
    free(c->command);
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

static void drop_claim(struct breakpoint *bp, struct claim *c)
{
    free_claim(c);
    *c = bp->claim[--bp->claim_count];
}

static bool share_list(struct wt_expr *const *expr, size_t count, struct wt_expr ***list,
                       size_t *list_count)
{
    *list = calloc(count + 1, sizeof **list);
    for (*list_count = 0; *list && *list_count < count; ++*list_count)
        (*list)[*list_count] = wt_expr_share(expr[*list_count]);
    return *list != NULL;
}

/*
 * The code of all claims together. It stops if one of them does; where some stop and others only
 * print, nothing is printed. A claim without conditions makes those of the others void.
 */
static enum wt_status code_of_claims(struct wt_debugger *d, const struct claim *claim,
                                     size_t claim_count, struct bp_code **code,
                                     struct wt_error *err)
{
    struct claim all = {0};
    bool stops = false, always = false;
    size_t expressions = 0;
    for (size_t i = 0; i < claim_count; i++) {
        stops |= claim[i].command_count == 0;
        expressions += claim[i].condition_count + claim[i].command_count;
    }
    all.condition = calloc(expressions + 1, sizeof *all.condition);
    all.command = calloc(expressions + 1, sizeof *all.command);
    if (!all.condition || !all.command) {
        free_claim(&all);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    }
    for (size_t i = 0; i < claim_count; i++) {
        const struct claim *c = &claim[i];
        if (stops && c->command_count)
            continue;
        always |= c->condition_count == 0;
        for (size_t k = 0; k < c->condition_count; k++)
            all.condition[all.condition_count++] = wt_expr_share(c->condition[k]);
        for (size_t k = 0; k < c->command_count; k++)
            all.command[all.command_count++] = wt_expr_share(c->command[k]);
    }
    const enum wt_status status = dbg_new_code(d, all.condition, always ? 0 : all.condition_count,
                                               all.command, all.command_count, code, err);
    free_claim(&all);
    return status;
}

static void free_breakpoint(struct breakpoint *bp)
{
    free_claims(bp);
    dbg_free_code(bp->code);
    dbg_free_code(bp->watched);
}

void dbg_free_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++)
        free_breakpoint(&d->bp[i]);
    free(d->bp);
    d->bp = NULL;
    d->bps = d->bp_capacity = 0;
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
    struct breakpoint *grown = wt_array_grow(d->bp, &d->bp_capacity, d->bps + 1, sizeof *grown);
    if (!grown)
        return NULL;
    d->bp = grown;
    size_t at = position(d, addr);
    memmove(&d->bp[at + 1], &d->bp[at], (d->bps - at) * sizeof *d->bp);
    d->bps++;
    d->bp[at] = (struct breakpoint){.addr = addr};
    return &d->bp[at];
}

/* An instruction must be there to be replaced; better told now than when the program is resumed. */
static enum wt_status check_address(struct wt_debugger *d, uint64_t addr, struct wt_error *err)
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

/* One client does not want it any more; nobody, if it was the only one. */
static enum wt_status unclaim_breakpoint(struct wt_debugger *d, struct breakpoint *bp,
                                         struct claim *c, struct wt_error *err)
{
    const size_t at = (size_t)(c - bp->claim);
    if (bp->claim_count == 1) {
        drop_claim(bp, c);
        bp->inserted = false;
        dbg_drop_breakpoints(d);
        return WT_OK;
    }
    /* The code of the others first: this can fail. */
    struct bp_code *code;
    const struct claim gone = *c;
    *c = bp->claim[bp->claim_count - 1];
    enum wt_status status = code_of_claims(d, bp->claim, bp->claim_count - 1, &code, err);
    bp->claim[bp->claim_count - 1] = *c;
    bp->claim[at] = gone;
    if (status)
        return status;
    drop_claim(bp, &bp->claim[at]);
    dbg_free_code(bp->code);
    bp->code = code;
    return WT_OK;
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

/* Puts a claim in the place of its owner's, or adds it, and makes the code of all. */
static enum wt_status claim_breakpoint(struct wt_debugger *d, struct breakpoint *bp,
                                       const struct claim *new, struct wt_error *err)
{
    struct claim *more =
        wt_array_grow(bp->claim, &bp->claim_capacity, bp->claim_count + 1, sizeof *bp->claim);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    bp->claim = more;
    struct claim *c = find_claim(bp, new->owner);
    const size_t count = bp->claim_count;
    if (!c)
        c = &bp->claim[bp->claim_count++];
    const struct claim old = bp->claim_count == count ? *c : (struct claim){0};
    *c = *new;
    struct bp_code *code;
    enum wt_status status = code_of_claims(d, bp->claim, bp->claim_count, &code, err);
    if (status) {
        *c = old;
        bp->claim_count = count;
        return status;
    }
    struct claim replaced = old;
    free_claim(&replaced);
    dbg_free_code(bp->code);
    bp->code = code;
    bp->inserted = true;
    return WT_OK;
}

enum wt_status wt_debugger_insert_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_expr *const *conditions,
                                                size_t condition_count,
                                                struct wt_expr *const *commands,
                                                size_t command_count, struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct claim new = {.owner = owner};
    enum wt_status status = bp ? WT_OK : check_address(d, addr, err);
    if (!status &&
        (!share_list(conditions, condition_count, &new.condition, &new.condition_count) ||
         !share_list(commands, command_count, &new.command, &new.command_count) ||
         (!bp && !(bp = add_breakpoint(d, addr)))))
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    if (!status)
        status = claim_breakpoint(d, bp, &new, err);
    if (status) {
        free_claim(&new);
        dbg_drop_breakpoints(d);
        return status;
    }
    if (d->going && (status = sync_all(d, err))) {
        struct wt_error ignored;
        bp = dbg_find_breakpoint(d, addr);
        if (bp && !bp->planted)
            unclaim_breakpoint(d, bp, find_claim(bp, owner), &ignored);
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
    enum wt_status status;
    if ((status = unclaim_breakpoint(d, bp, c, err)) != WT_OK)
        return status;
    return d->going ? sync_all(d, err) : WT_OK;
}

void wt_debugger_remove_all_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->bps; i++) {
        free_claims(&d->bp[i]);
        d->bp[i].inserted = false;
    }
    dbg_drop_breakpoints(d);
    struct wt_error ignored;
    if (d->going)
        sync_all(d, &ignored);
}
