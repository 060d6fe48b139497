/*
 * Breakpoints that are planted, and conditions of watchpoints, that the target judges by itself:
 * the process of a program that runs on emulated GPUs. It has their code as bytes. A wave halts
 * where some client wants to stop, or where the code cannot be evaluated there.
 */
#include "debug/core/judged.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "debug/core/added_registers.h"
#include "debug/core/breakpoints.h"
#include "debug/core/conditions.h"
#include "debug/core/patches.h"
#include "expr/condition_wire.h"
#include "expr/wire.h"

/* Describes a register of an expression to the target. */
static bool find_source(const struct wt_debugger *d, unsigned named, struct wt_expr_source *source)
{
    const unsigned index = wt_expr_named_register(named), part = wt_expr_named_part(named);
    const struct wt_register *r = &d->topology->registers[index];
    *source = (struct wt_expr_source){.value = WT_EXPR_PC};
    if (index == d->topology->pc_index)
        return true;
    if (dbg_is_added(d, index))
        return dbg_added_source(d, index, source);
    *source = (struct wt_expr_source){.value = WT_EXPR_ROW,
                                      .number = r->number,
                                      .size = (uint16_t)wt_register_size(r),
                                      .part = (uint8_t)part,
                                      .per_lane = r->scope == WT_SCOPE_LANE};
    return !part || !source->per_lane;
}

static bool pack(const struct wt_debugger *d, const struct linked_expr *e, struct wt_buffer *to)
{
    struct wt_expr_source source[WT_EXPR_MOST_NAMES];
    size_t count;
    const unsigned *named = wt_expr_registers(e->expr, &count);
    if (count > WT_EXPR_MOST_NAMES)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!find_source(d, named[i], &source[i]))
            return false;
    const size_t at = to->length;
    uint32_t size = 0;
    wt_buffer_append(to, &size, sizeof size);
    wt_expr_pack(e->expr, source, to);
    if (to->failed)
        return false;
    size = (uint32_t)(to->length - at - sizeof size);
    memcpy(to->bytes + at, &size, sizeof size);
    return true;
}

static bool pack_list(const struct wt_debugger *d, const struct expr_list *list,
                      struct wt_buffer *to)
{
    for (size_t i = 0; i < list->count; i++)
        if (!pack(d, &list->expr[i], to))
            return false;
    return true;
}

/* The bytes of a breakpoint's code; false: the target cannot evaluate it, or it always stops. */
static bool pack_code(const struct bp_code *code, struct wt_buffer *to)
{
    const struct wt_debugger *d = code->d;
    const unsigned bits = d->topology->address_bits;
    struct wt_condition_head head = {.parts = (uint32_t)code->clause_count,
                                     .addresses =
                                         bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX};
    if (code->clause_count > WT_CONDITION_MOST)
        return false;
    wt_buffer_append(to, &head, sizeof head);
    for (size_t i = 0; i < code->clause_count; i++) {
        const struct clause *c = &code->clause[i];
        const struct wt_condition_part part = {.owner = c->owner,
                                               .conditions = (uint32_t)c->conditions.count,
                                               .messages = (uint32_t)c->commands.count,
                                               .ignored = c->ignored};
        if (c->conditions.count > WT_CONDITION_MOST || c->commands.count > 1 ||
            (!c->conditions.count && !c->commands.count && !c->ignored))
            return false;
        wt_buffer_append(to, &part, sizeof part);
        if (!pack_list(d, &c->conditions, to) || !pack_list(d, &c->commands, to))
            return false;
    }
    return !to->failed;
}

/* The code that the target is to have; NULL: none. */
static struct bp_code *wanted(const struct breakpoint *bp)
{
    return bp->inserted && bp->planted && !dbg_covers_trap(bp) ? bp->code : NULL;
}

static bool differ(const struct wt_debugger *d)
{
    if (d->judged_stale)
        return true;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (wanted(&d->breakpoints.list[i]) != d->breakpoints.list[i].judged)
            return true;
    return false;
}

/* The condition of watchpoint @p i; NULL: it has none, or another one before it has the same. */
static const struct wt_watch_condition *condition_of(const struct wt_debugger *d, size_t i)
{
    const struct watchpoint *list = d->watchpoints.list;
    for (size_t k = 0; k < i; k++)
        if (list[k].condition == list[i].condition)
            return NULL;
    return list[i].condition;
}

/* The list that is sent, with room for all that there is. */
struct judged_list {
    struct wt_judged *one;
    struct wt_buffer *code;
    size_t count, room;
};

static void add(struct judged_list *list, const struct bp_code *code, struct wt_judged one)
{
    struct wt_buffer *bytes = &list->code[list->count];
    assert(list->count < list->room);
    if (!pack_code(code, bytes)) {
        free(bytes->bytes);
        *bytes = (struct wt_buffer){0};
        return;
    }
    one.code = bytes->bytes;
    one.size = bytes->length;
    list->one[list->count++] = one;
}

static void add_condition(struct judged_list *list, const struct wt_watch_condition *c)
{
    for (size_t i = 0; c && i < c->place_count; i++)
        if (c->place[i].code)
            add(list, c->place[i].code,
                (struct wt_judged){.pc = c->place[i].pc, .rule = c->number});
}

static enum wt_status send_all(struct wt_debugger *d, struct wt_error *err)
{
    struct judged_list list = {.room = d->breakpoints.count};
    for (size_t i = 0; i < d->watchpoints.count; i++)
        list.room += condition_of(d, i) ? condition_of(d, i)->place_count : 0;
    list.one = calloc(list.room + 1, sizeof *list.one);
    list.code = calloc(list.room + 1, sizeof *list.code);
    enum wt_status status =
        list.one && list.code ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for breakpoints");
    for (size_t i = 0; i < d->breakpoints.count && !status; i++) {
        const struct breakpoint *bp = &d->breakpoints.list[i];
        if (wanted(bp))
            add(&list, bp->code,
                (struct wt_judged){.pc = bp->addr, .trap = bp->trap, .original = bp->original});
    }
    for (size_t i = 0; i < d->watchpoints.count && !status; i++)
        add_condition(&list, condition_of(d, i));
    if (!status)
        status = d->target->services->judge(d->target->context, list.one, list.count, err);
    for (size_t i = 0; i < list.count; i++)
        free(list.code[i].bytes);
    free(list.code);
    free(list.one);
    return status;
}

enum wt_status dbg_sync_judged(struct wt_debugger *d, struct wt_error *err)
{
    if (!d->target->services->judge || d->options.dm_only || !differ(d))
        return WT_OK;
    dbg_take_judged(d, true);
    const enum wt_status status = send_all(d, err);
    d->judged_stale = false;
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct breakpoint *bp = &d->breakpoints.list[i];
        struct bp_code *now = status ? NULL : dbg_share_code(wanted(bp));
        dbg_free_code(bp->judged);
        bp->judged = now;
    }
    dbg_drop_breakpoints(d);
    return status;
}

/* ---- what has happened ---- */

bool wt_debugger_can_ignore(const struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    return services->judge && services->judges(d->target->context) && !d->options.dm_only;
}

static void print(void *context, const char *text, size_t length)
{
    const struct wt_debugger *d = context;
    if (d->options.output)
        d->options.output(d->options.context, text, length);
}

static void count(void *context, uint32_t owner, uint64_t times)
{
    struct wt_debugger *d = context;
    const bool stale = d->judged_stale;
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        const struct breakpoint *bp = &d->breakpoints.list[i];
        struct clause *clause = bp->code ? dbg_find_clause(bp->code, owner) : NULL;
        if (clause) {
            clause->runs += times;
            dbg_count_ignored(d, owner, times);
            d->judged_stale = stale; /* the target knows */
            return;
        }
    }
}

void dbg_take_judged(struct wt_debugger *d, bool ask)
{
    const struct wt_judged_news to = {.context = d, .print = print, .count = count};
    if (d->target->services->judged)
        d->target->services->judged(d->target->context, ask, &to);
}

bool dbg_judged(struct wt_debugger *d, const struct breakpoint *bp, uint32_t wave, wt_lanes *stop)
{
    bp->code->unread = 0;
    return bp->judged && bp->judged == bp->code && d->target->services->arrived &&
           d->target->services->arrived(d->target->context, wave, d->wave[wave].self.id, bp->addr,
                                        stop);
}
