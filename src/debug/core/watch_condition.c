/*
 * Conditions of watchpoints. A wave may access watched memory anywhere, and variables of the
 * condition lie elsewhere from one instruction to the next. So the client gives an expression for
 * each pc at which a wave goes on after an access, when the first one comes there.
 *
 * The state after the access counts, forwards and backwards. The engine evaluates the expression if
 * the target has ports for it; else it is evaluated on the halted wave.
 */
#include "debug/core/watch_condition.h"

#include <stdlib.h>

#include "base/array.h"
#include "debug/core/conditions.h"
#include "debug/core/known.h"

struct wt_watch_condition *wt_watch_condition_new(struct wt_debugger *d, wt_condition_at_fn *at,
                                                  void *context)
{
    struct wt_watch_condition *c = calloc(1, sizeof *c);
    assert(at);
    if (c)
        *c = (struct wt_watch_condition){
            .owners = 1, .number = ++d->conditions, .d = d, .at = at, .context = context};
    return c;
}

void wt_watch_condition_end(struct wt_watch_condition *condition)
{
    if (condition)
        condition->at = NULL;
    dbg_free_watch_condition(condition);
}

struct wt_watch_condition *dbg_share_watch_condition(struct wt_watch_condition *condition)
{
    if (condition)
        condition->owners++;
    return condition;
}

void dbg_free_watch_condition(struct wt_watch_condition *condition)
{
    assert(!condition || condition->owners);
    if (!condition || --condition->owners)
        return;
    for (size_t i = 0; i < condition->place_count; i++)
        dbg_free_code(condition->place[i].code);
    free(condition->place);
    free(condition);
}

/* The code to evaluate for a wave that goes on at @p pc; NULL: nothing can be evaluated. */
static struct bp_code *code_at(struct wt_watch_condition *c, uint64_t pc)
{
    for (size_t i = 0; i < c->place_count; i++)
        if (c->place[i].pc == pc)
            return c->place[i].code;
    struct watch_code *grown =
        wt_array_grow(c->place, &c->place_capacity, c->place_count + 1, sizeof *grown);
    if (grown)
        c->place = grown;
    struct wt_expr *expr = grown && c->at ? c->at(c->context, pc) : NULL;
    const struct claim claim = {.condition = &expr, .condition_count = 1};
    const struct claim *const claims = &claim;
    struct bp_code *code = NULL;
    if (expr && dbg_new_code(c->d, &claims, 1, NULL, &code, WT_IGNORED) != WT_OK)
        code = NULL;
    wt_expr_free(expr);
    if (grown)
        grown[c->place_count++] = (struct watch_code){pc, code};
    c->d->judged_stale |= code != NULL;
    return code;
}

bool dbg_judges_in_engine(const struct wt_watch_condition *condition)
{
    return dbg_has_engine(condition->d);
}

wt_lanes dbg_watch_holds_in_engine(void *context, uint32_t wave, uint64_t pc, wt_lanes mask,
                                   uint64_t time)
{
    struct bp_code *code = code_at(context, pc);
    return code && code->in_engine ? dbg_holds_in_engine(code, wave, pc, mask, time) : mask;
}

/* Where the wave goes on, and its enabled lanes. */
static bool find_wave(struct wt_debugger *d, uint32_t wave, bool halted, uint64_t *pc,
                      wt_lanes *mask)
{
    const struct wt_target_services *services = d->target->services;
    struct wt_wave_detail detail;
    if (!halted && dbg_has_engine(d) && services->wave_detail && services->wave_id &&
        services->wave_detail(d->target->context, wave, services->wave_id(d->target->context, wave),
                              &detail)) {
        *pc = detail.view.pc;
        *mask = detail.view.mask;
        return true;
    }
    if (!halted || dbg_need_pc(d, wave, WT_IGNORED) != WT_OK ||
        dbg_need_mask(d, wave, WT_IGNORED) != WT_OK)
        return false;
    *pc = d->wave[wave].pc;
    *mask = d->wave[wave].mask;
    return true;
}

wt_lanes dbg_judge_watch(struct wt_debugger *d, const struct watchpoint *w, uint32_t wave,
                         wt_lanes lanes, bool halted, bool *undecided, wt_lanes *unread)
{
    uint64_t pc;
    wt_lanes mask, holds = 0;
    assert(lanes);
    *undecided = false;
    *unread = 0;
    if (!w->condition)
        return lanes;
    *undecided = true;
    if (!find_wave(d, wave, halted, &pc, &mask))
        return lanes;
    struct bp_code *code = code_at(w->condition, pc);
    if (!code)
        return lanes;
    /* Other lanes are evaluated, too, since a condition may use reductions over lanes. */
    mask |= lanes;
    if (!halted)
        holds = dbg_holds_in_engine(code, wave, pc, mask,
                                    d->target->services->time(d->target->context));
    else if (dbg_evaluate_halted(d, code, wave, mask, false, &holds, WT_IGNORED) != WT_OK)
        return lanes;
    *undecided = false;
    *unread = code->unread & holds & lanes;
    return holds & lanes;
}
