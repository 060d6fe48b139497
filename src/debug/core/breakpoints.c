/*
 * The table of breakpoints: what each client wants at an address. Memory and the target are brought
 * up to date by sync.c, when waves are set going, so that clients that lift and insert all
 * breakpoints around every stop cost no memory traffic.
 */
#include "debug/core/breakpoints.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/core/conditions.h"

#define MOST_CLAIMS 256 /* clients that have a breakpoint at one address */

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

static void free_breakpoint(struct breakpoint *bp)
{
    free_claims(bp);
    dbg_free_code(bp->code);
    dbg_free_code(bp->watched);
    dbg_free_code(bp->judged);
}

void dbg_free_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->breakpoints.count; i++)
        free_breakpoint(&d->breakpoints.list[i]);
    free(d->breakpoints.list);
    d->breakpoints.list = NULL;
    d->breakpoints.count = d->breakpoints.capacity = 0;
}

/* ---- the table ---- */

/* The index in the table where @p addr is, or where it would be inserted. */
static size_t position(struct wt_debugger *d, uint64_t addr)
{
    WT_BISECT(low, d->breakpoints.count, d->breakpoints.list[middle].addr < addr);
    return low;
}

struct breakpoint *dbg_find_breakpoint(struct wt_debugger *d, uint64_t addr)
{
    size_t at = position(d, addr);
    return at < d->breakpoints.count && d->breakpoints.list[at].addr == addr
               ? &d->breakpoints.list[at]
               : NULL;
}

void dbg_drop_breakpoints(struct wt_debugger *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        const struct breakpoint *bp = &d->breakpoints.list[i];
        if (bp->inserted || bp->planted || bp->doubtful || bp->watched || bp->judged)
            d->breakpoints.list[kept++] = *bp;
        else
            free_breakpoint(&d->breakpoints.list[i]);
    }
    d->breakpoints.count = kept;
}

void wt_debugger_ignore(struct wt_debugger *d, uint32_t owner, uint64_t times)
{
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        const struct breakpoint *bp = &d->breakpoints.list[i];
        struct claim *claim = find_claim(bp, owner);
        struct clause *clause = bp->code ? dbg_find_clause(bp->code, owner) : NULL;
        if (claim && clause)
            claim->ignored = clause->ignored = times;
    }
    d->judged_stale = true;
}

bool dbg_is_set(const struct breakpoint *bp)
{
    return bp && (bp->planted || (bp->inserted && bp->code->in_engine));
}

/* Makes room for a new entry at @p addr. */
static struct breakpoint *add_breakpoint(struct wt_debugger *d, uint64_t addr)
{
    struct breakpoint *grown = wt_array_grow(d->breakpoints.list, &d->breakpoints.capacity,
                                             d->breakpoints.count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    d->breakpoints.list = grown;
    size_t at = position(d, addr);
    memmove(&d->breakpoints.list[at + 1], &d->breakpoints.list[at],
            (d->breakpoints.count - at) * sizeof *d->breakpoints.list);
    d->breakpoints.count++;
    d->breakpoints.list[at] = (struct breakpoint){.addr = addr};
    return &d->breakpoints.list[at];
}

/* ---- claims ---- */

/* The code of all claims but number @p without. */
static enum wt_status make_code(struct wt_debugger *d, const struct breakpoint *bp, size_t without,
                                struct bp_code **code, struct wt_error *err)
{
    const struct claim *claim[MOST_CLAIMS];
    size_t count = 0;
    assert(bp->claim_count <= MOST_CLAIMS);
    for (size_t i = 0; i < bp->claim_count; i++)
        if (i != without)
            claim[count++] = &bp->claim[i];
    return dbg_new_code(d, claim, count, bp->code, code, err);
}

/* Puts a claim in the place of its owner's, or adds it. */
static enum wt_status put_claim(struct wt_debugger *d, struct breakpoint *bp,
                                const struct claim *new, struct wt_error *err)
{
    struct claim *more =
        wt_array_grow(bp->claim, &bp->claim_capacity, bp->claim_count + 1, sizeof *bp->claim);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    bp->claim = more;
    struct claim *c = find_claim(bp, new->owner);
    const size_t count = bp->claim_count;
    if (!c && count == MOST_CLAIMS)
        return wt_fail(err, WT_NO_MEMORY, "%d clients have a breakpoint there already",
                       MOST_CLAIMS);
    if (!c)
        c = &bp->claim[bp->claim_count++];
    struct claim old = bp->claim_count == count ? *c : (struct claim){0};
    *c = *new;
    struct bp_code *code;
    enum wt_status status = make_code(d, bp, SIZE_MAX, &code, err);
    if (status) {
        *c = old;
        bp->claim_count = count;
        return status;
    }
    free_claim(&old);
    dbg_free_code(bp->code);
    bp->code = code;
    bp->inserted = true;
    return WT_OK;
}

enum wt_status dbg_claim_breakpoint(struct wt_debugger *d, uint32_t owner, uint64_t addr,
                                    struct wt_expr *const *conditions, size_t condition_count,
                                    struct wt_expr *const *commands, size_t command_count,
                                    struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct claim new = {.owner = owner};
    enum wt_status status = WT_OK;
    if (!share_list(conditions, condition_count, &new.condition, &new.condition_count) ||
        !share_list(commands, command_count, &new.command, &new.command_count) ||
        (!bp && !(bp = add_breakpoint(d, addr))))
        status = wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    if (!status)
        status = put_claim(d, bp, &new, err);
    if (status) {
        free_claim(&new);
        dbg_drop_breakpoints(d);
    }
    return status;
}

enum wt_status dbg_unclaim_breakpoint(struct wt_debugger *d, uint32_t owner, uint64_t addr,
                                      struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, addr);
    struct claim *c = bp ? find_claim(bp, owner) : NULL;
    if (!c)
        return wt_fail(err, WT_INVALID, "there is no breakpoint at 0x%" PRIx64, addr);
    if (bp->claim_count == 1) {
        drop_claim(bp, c);
        bp->inserted = false;
        dbg_drop_breakpoints(d);
        return WT_OK;
    }
    struct bp_code *code;
    enum wt_status status = make_code(d, bp, (size_t)(c - bp->claim), &code, err);
    if (status)
        return status;
    drop_claim(bp, c);
    dbg_free_code(bp->code);
    bp->code = code;
    return WT_OK;
}

void dbg_unclaim_all_breakpoints(struct wt_debugger *d)
{
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        free_claims(&d->breakpoints.list[i]);
        d->breakpoints.list[i].inserted = false;
    }
    dbg_drop_breakpoints(d);
}
