/*
 * Conditions and commands of breakpoints. For a wave that has halted at a breakpoint, registers are
 * read through the debug hardware. Where the target can watch instructions and hand out registers,
 * no breakpoint is planted: the engine evaluates the condition before it issues the instruction,
 * both in the present and in searches of the past.
 */
#include "debug/core/conditions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/text.h"
#include "debug/core/added_registers.h"
#include "debug/core/known.h"
#include "debug/core/lanes.h"
#include "debug/core/rows.h"

/* ---- what a breakpoint evaluates ---- */

static void free_expressions(struct expr_list *list)
{
    for (size_t i = 0; list->expr && i < list->count; i++) {
        wt_expr_free(list->expr[i].expr);
        free(list->expr[i].row);
    }
    free(list->expr);
}

struct bp_code *dbg_share_code(struct bp_code *code)
{
    if (code)
        code->owners++;
    return code;
}

void dbg_free_code(struct bp_code *code)
{
    assert(!code || code->owners);
    if (!code || --code->owners)
        return;
    for (size_t i = 0; code->clause && i < code->clause_count; i++) {
        free_expressions(&code->clause[i].conditions);
        free_expressions(&code->clause[i].commands);
    }
    free(code->clause);
    free(code->index);
    free(code->row);
    free(code->cell);
    free(code->bytes);
    free(code);
}

/* Notes the registers that an expression names, each once for the breakpoint. */
static enum wt_status link_registers(struct bp_code *code, struct linked_expr *e,
                                     struct wt_error *err)
{
    size_t count;
    const unsigned *named = wt_expr_registers(e->expr, &count);
    e->row = calloc(count + 1, sizeof *e->row);
    if (!e->row)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    for (size_t k = 0; k < count; k++) {
        size_t at = 0;
        if (wt_expr_named_register(named[k]) >= code->d->topology->register_count)
            return wt_fail(err, WT_INVALID, "there is no register %u",
                           wt_expr_named_register(named[k]));
        while (at < code->index_count && code->index[at] != named[k])
            at++;
        if (at == code->index_count) {
            unsigned *grown =
                wt_array_grow(code->index, &code->index_capacity, at + 1, sizeof *grown);
            if (!grown)
                return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
            code->index = grown;
            code->index[code->index_count++] = named[k];
        }
        e->row[k] = at;
    }
    return WT_OK;
}

static enum wt_status share_list(struct bp_code *code, struct wt_expr *const *expr, size_t count,
                                 struct expr_list *list, struct wt_error *err)
{
    enum wt_status status;
    list->expr = calloc(count ? count : 1, sizeof *list->expr);
    if (!list->expr)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    for (size_t i = 0; i < count; i++) {
        list->expr[list->count++].expr = wt_expr_share(expr[i]);
        if ((status = link_registers(code, &list->expr[i], err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

bool dbg_has_engine(const struct wt_debugger *d)
{
    const struct wt_target_services *services = d->target->services;
    return !d->options.dm_only && services->set_watchpoints && services->read_row &&
           services->read_memory && services->write_memory;
}

/* Whether there is something to evaluate, and the engine can supply everything that the expressions
 * name. */
static bool fits_engine(const struct bp_code *code)
{
    const struct wt_debugger *d = code->d;
    if (!dbg_has_engine(d))
        return false;
    for (size_t i = 0; i < code->clause_count; i++)
        if (!code->clause[i].conditions.count && !code->clause[i].commands.count)
            return false;
    /* The probe has not yet seen the work of a wave that has begun since the last scan. */
    for (size_t i = 0; i < code->index_count; i++)
        if (dbg_is_of_work(d, wt_expr_named_register(code->index[i])))
            return false;
    return true;
}

struct clause *dbg_find_clause(const struct bp_code *code, uint32_t owner)
{
    for (size_t i = 0; i < code->clause_count; i++)
        if (code->clause[i].owner == owner)
            return &code->clause[i];
    return NULL;
}

void dbg_count_ignored(struct wt_debugger *d, uint32_t owner, uint64_t times)
{
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        const struct bp_code *code = d->breakpoints.list[i].code;
        struct clause *clause = code ? dbg_find_clause(code, owner) : NULL;
        if (!clause || !clause->ignored)
            continue;
        clause->ignored -= times < clause->ignored ? times : clause->ignored;
        d->judged_stale = true;
    }
}

static enum wt_status fill(struct bp_code *code, const struct claim *const *claim,
                           size_t claim_count, const struct bp_code *old, struct wt_error *err)
{
    const struct wt_topology *t = code->d->topology;
    size_t widest = 1;
    enum wt_status status;
    code->clause = calloc(claim_count, sizeof *code->clause);
    if (!code->clause)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    for (; code->clause_count < claim_count; code->clause_count++) {
        const struct claim *c = claim[code->clause_count];
        struct clause *clause = &code->clause[code->clause_count];
        const struct clause *before = old ? dbg_find_clause(old, c->owner) : NULL;
        clause->owner = c->owner;
        clause->runs = before ? before->runs : 0;
        clause->ignored = before ? before->ignored : c->ignored;
        if ((status =
                 share_list(code, c->condition, c->condition_count, &clause->conditions, err)) ||
            (status = share_list(code, c->command, c->command_count, &clause->commands, err))) {
            code->clause_count++;
            return status;
        }
    }
    for (size_t i = 0; i < code->index_count; i++) {
        const struct wt_register *r = &t->registers[wt_expr_named_register(code->index[i])];
        const size_t size = wt_register_row(r, wt_lanes_first(t->lanes));
        widest = size > widest ? size : widest;
    }
    code->row = calloc(code->index_count + 1, sizeof *code->row);
    code->cell = calloc((code->index_count + 1) * t->lanes, sizeof *code->cell);
    code->bytes = malloc(widest);
    if (!code->row || !code->cell || !code->bytes)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    code->by_port = dbg_has_engine(code->d);
    code->in_engine = fits_engine(code);
    return WT_OK;
}

enum wt_status dbg_new_code(struct wt_debugger *d, const struct claim *const *claim,
                            size_t claim_count, const struct bp_code *old, struct bp_code **code,
                            struct wt_error *err)
{
    assert(claim_count);
    *code = calloc(1, sizeof **code);
    if (!*code)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a breakpoint");
    (*code)->owners = 1;
    (*code)->d = d;
    enum wt_status status = fill(*code, claim, claim_count, old, err);
    if (status) {
        dbg_free_code(*code);
        *code = NULL;
    }
    return status;
}

/* ---- evaluating, once the cells of the registers are there ---- */

static struct wt_expr_world world_of(struct dbg_lanes *lanes, wt_lanes silent)
{
    return (struct wt_expr_world){.context = lanes,
                                  .read = dbg_read_for_lanes,
                                  .print = dbg_print_for_lanes,
                                  .silent = silent};
}

/* The rows of one expression, for lanes from number `first` on. */
static void put_rows(struct bp_code *code, const struct linked_expr *e, unsigned lane_count,
                     unsigned first)
{
    size_t count;
    assert(first < lane_count && lane_count <= code->d->topology->lanes);
    wt_expr_registers(e->expr, &count);
    for (size_t i = 0; i < count; i++)
        code->row[i] = code->cell + e->row[i] * lane_count + first;
}

static wt_lanes as_lanes(const struct dbg_lanes *lanes, wt_lanes numbers);

/*
 * The lanes, by their numbers in `lanes`, for which some condition of a clause holds or cannot be
 * evaluated: the user should see such a failure.
 */
static wt_lanes check_conditions(struct bp_code *code, const struct clause *clause,
                                 struct dbg_lanes *lanes)
{
    const struct wt_expr_world world = world_of(lanes, 0);
    const struct expr_list *conditions = &clause->conditions;
    const wt_lanes all = wt_lanes_first(lanes->count);
    wt_lanes holds = conditions->count ? 0 : all;
    for (size_t i = 0; i < conditions->count && holds != all; i++) {
        uint64_t value[WT_MAX_LANES];
        put_rows(code, &conditions->expr[i], lanes->count, 0);
        const wt_lanes known =
            wt_expr_run(conditions->expr[i].expr, code->row, lanes->count, &world, value);
        holds |= all & ~known;
        code->unread |= as_lanes(lanes, all & ~known);
        holds |= wt_expr_true(value, lanes->count) & known;
    }
    return holds;
}

/* Lanes that print nothing since a value of theirs cannot be had. */
static void tell_failed(const struct dbg_lanes *lanes, wt_lanes numbers)
{
    char list[WT_LANES_TEXT], text[WT_LANES_TEXT + 100];
    wt_lanes_list(as_lanes(lanes, numbers), ", ", list, sizeof list);
    const int n =
        snprintf(text, sizeof text, "A value to be printed cannot be read in %s%s %s.\n",
                 lanes->d->topology->lane_word, wt_lanes_count(numbers) > 1 ? "s" : "", list);
    dbg_print_for_lanes((void *)(uintptr_t)lanes, text, (size_t)n);
}

/* One command, for all lanes at once: each value may ask other lanes. */
static wt_lanes run_command(struct bp_code *code, const struct linked_expr *command,
                            struct dbg_lanes *lanes, wt_lanes numbers)
{
    uint64_t ignored[WT_MAX_LANES];
    const struct wt_expr_world world = world_of(lanes, ~numbers);
    put_rows(code, command, lanes->count, 0);
    return numbers & wt_expr_run(command->expr, code->row, lanes->count, &world, ignored);
}

/* Runs the commands for lanes, by their numbers in `lanes`; several commands run lane by lane. */
static void run_commands(struct bp_code *code, struct clause *clause, struct dbg_lanes *lanes,
                         wt_lanes numbers)
{
    const struct expr_list *commands = &clause->commands;
    wt_lanes done = 0;
    if (!numbers)
        return;
    clause->runs++;
    if (commands->count == 1)
        done = run_command(code, &commands->expr[0], lanes, numbers);
    for (wt_lanes rest = commands->count > 1 ? numbers : 0; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        struct dbg_lanes one = *lanes;
        one.count = 1;
        one.lane[0] = lanes->lane[k];
        const struct wt_expr_world world = world_of(&one, 0);
        bool all = true;
        for (size_t i = 0; i < commands->count; i++) {
            uint64_t ignored;
            put_rows(code, &commands->expr[i], lanes->count, k);
            all &= wt_expr_run(commands->expr[i].expr, code->row, 1, &world, &ignored) != 0;
        }
        if (all)
            done |= wt_lane_bit(k);
    }
    if (done != numbers)
        tell_failed(lanes, numbers & ~done);
}

/* Prints (@p print), and returns the lanes, by their numbers, for which some client
 * wants to stop. */
static wt_lanes run_clauses(struct bp_code *code, struct dbg_lanes *lanes, bool print)
{
    wt_lanes stop = 0;
    code->unread = 0;
    for (size_t i = 0; i < code->clause_count; i++) {
        struct clause *clause = &code->clause[i];
        if (clause->commands.count && !print)
            continue;
        const wt_lanes holds = check_conditions(code, clause, lanes);
        if (holds && clause->ignored) {
            clause->runs++;
            dbg_count_ignored(code->d, clause->owner, 1);
        } else if (clause->commands.count) {
            run_commands(code, clause, lanes, holds);
        } else {
            stop |= holds;
        }
    }
    return stop;
}

/* A set of numbers in `lanes` as a set of lanes. */
static wt_lanes as_lanes(const struct dbg_lanes *lanes, wt_lanes numbers)
{
    wt_lanes set = 0;
    for (; numbers; numbers &= numbers - 1)
        set |= wt_lane_bit(lanes->lane[wt_lanes_lowest(numbers)]);
    return set;
}

unsigned dbg_lane_to_stop(const struct wt_debugger *d, uint32_t wave, wt_lanes lanes)
{
    const unsigned focus = d->wave[wave].focus;
    if (focus && wt_has_lane(lanes, focus - 1))
        return focus - 1;
    return lanes ? wt_lanes_lowest(lanes) : 0;
}

bool dbg_has_conditions(const struct bp_code *code)
{
    bool any = false;
    for (size_t i = 0; i < code->clause_count; i++)
        any |= code->clause[i].conditions.count != 0;
    return any;
}

bool dbg_needs_registers(const struct bp_code *code)
{
    bool any = dbg_has_conditions(code);
    for (size_t i = 0; i < code->clause_count; i++)
        any |= code->clause[i].commands.count || code->clause[i].ignored;
    return any;
}

/* ---- of a halted wave ---- */

enum wt_status dbg_evaluate_halted(struct wt_debugger *d, struct bp_code *code, uint32_t wave,
                                   wt_lanes mask, bool print, wt_lanes *stop, struct wt_error *err)
{
    struct dbg_lanes lanes;
    enum wt_status status =
        dbg_read_cells(d, wave, mask, code->index, code->index_count, code->cell, err);
    if (status)
        return status;
    dbg_list_lanes(d, wave, mask, &lanes);
    *stop = as_lanes(&lanes, run_clauses(code, &lanes, print));
    return WT_OK;
}

enum wt_status dbg_evaluate(struct wt_debugger *d, const struct breakpoint *bp, uint32_t wave,
                            bool print, bool *stops, wt_lanes *stop, struct wt_error *err)
{
    enum wt_status status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    const wt_lanes mask = *stop = d->wave[wave].mask;
    *stops = true;
    if (!mask || !dbg_needs_registers(bp->code))
        return WT_OK;
    status = dbg_evaluate_halted(d, bp->code, wave, mask, print, stop, err);
    *stops = *stop != 0;
    return status;
}

/* ---- within the engine ---- */

static void fill_cells(uint64_t *cell, unsigned count, uint64_t value)
{
    for (unsigned k = 0; k < count; k++)
        cell[k] = value;
}

/* Cells of a row of all lanes. */
static void take_row(uint64_t *cell, const struct dbg_lanes *lanes, const uint8_t *row, size_t size,
                     bool first_lanes)
{
    const unsigned count = lanes->count; /* so that the usual loops are vectorised */
    if (first_lanes && size == 4) {
        for (unsigned k = 0; k < count; k++)
            cell[k] = wt_load_le(row + 4 * k, 4);
    } else if (first_lanes && size == 8) {
        for (unsigned k = 0; k < count; k++)
            cell[k] = wt_load_le(row + 8 * k, 8);
    } else {
        for (unsigned k = 0; k < count; k++)
            cell[k] = wt_load_le(row + size * lanes->lane[k], size < 8 ? size : 8);
    }
}

/* Reads all registers of a wave that is about to issue the instruction at @p pc. */
static bool fetch_in_engine(struct bp_code *code, const struct dbg_lanes *lanes, uint64_t pc,
                            wt_lanes mask, uint64_t time)
{
    struct wt_debugger *d = code->d;
    const bool first_lanes = !(mask & (mask + 1));
    uint64_t *cell = code->cell;
    for (size_t i = 0; i < code->index_count; i++, cell += lanes->count) {
        const unsigned index = wt_expr_named_register(code->index[i]);
        const size_t from = 8 * (size_t)wt_expr_named_part(code->index[i]);
        const struct wt_register *r = &d->topology->registers[index];
        const size_t size = wt_register_size(r), rest = size - from;
        if (index == d->topology->pc_index) {
            fill_cells(cell, lanes->count, pc);
        } else if (dbg_is_time(d, index)) {
            fill_cells(cell, lanes->count, time);
        } else if (dbg_is_added(d, index)) {
            for (unsigned k = 0; k < lanes->count; k++)
                cell[k] = dbg_added_value(d, index, lanes->wave, lanes->lane[k], mask);
        } else if (!d->target->services->read_row(d->target->context, lanes->wave, r->number,
                                                  r->scope == WT_SCOPE_LANE, (unsigned)size,
                                                  code->bytes)) {
            return false;
        } else if (r->scope == WT_SCOPE_LANE) {
            take_row(cell, lanes, code->bytes, size, first_lanes);
        } else {
            fill_cells(cell, lanes->count, wt_load_le(code->bytes + from, rest < 8 ? rest : 8));
        }
    }
    return true;
}

wt_lanes dbg_holds_in_engine(void *context, uint32_t wave, uint64_t pc, wt_lanes mask,
                             uint64_t time)
{
    struct bp_code *code = context;
    struct dbg_lanes lanes;
    assert(code->owners && code->by_port && !(mask & ~wt_lanes_first(code->d->topology->lanes)));
    if (!mask || !dbg_has_conditions(code))
        return mask;
    dbg_list_lanes(code->d, wave, mask, &lanes);
    if (!fetch_in_engine(code, &lanes, pc, mask, time))
        return mask;
    const wt_lanes all = wt_lanes_first(lanes.count);
    wt_lanes holds = 0;
    for (size_t i = 0; i < code->clause_count && holds != all; i++)
        holds |= check_conditions(code, &code->clause[i], &lanes);
    return holds == all ? mask : as_lanes(&lanes, holds);
}

wt_lanes dbg_evaluate_in_engine(struct bp_code *code, uint32_t wave, uint64_t pc, wt_lanes mask,
                                uint64_t time, bool print)
{
    struct dbg_lanes lanes;
    assert(code->owners && code->in_engine);
    if (!mask)
        return 0;
    dbg_list_lanes(code->d, wave, mask, &lanes);
    if (!fetch_in_engine(code, &lanes, pc, mask, time))
        return code->unread = mask;
    return as_lanes(&lanes, run_clauses(code, &lanes, print));
}
