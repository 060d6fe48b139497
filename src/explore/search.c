/* See search.h. */
#include "explore/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"

static bool is_bounded(const struct search *s)
{
    return s->limits->preemptions != EXPLORE_UNBOUNDED;
}

enum wt_status search_no_memory(struct wt_error *err)
{
    return wt_fail(err, WT_NO_MEMORY, "no host memory");
}

/* ---- nodes ---- */

static void free_node(struct node *n)
{
    for (size_t i = 0; i < n->done_count; i++)
        free(n->done[i].access);
    free(n->done);
    free(n->sleeper);
}

void search_pop(struct search *s)
{
    free_node(&s->node[--s->count]);
}

static explore_waves asleep(const struct node *n)
{
    explore_waves all = {{0}};
    for (size_t i = 0; i < n->sleepers; i++)
        waves_add(&all, n->sleeper[i].wave);
    return all;
}

static bool add_sleeper(struct node *n, uint32_t wave, const struct explore_access *access,
                        size_t count)
{
    struct sleeper *grown =
        wt_array_grow(n->sleeper, &n->sleeper_capacity, n->sleepers + 1, sizeof *grown);
    if (!grown)
        return false;
    n->sleeper = grown;
    n->sleeper[n->sleepers++] = (struct sleeper){wave, access, count};
    return true;
}

/* Those that still sleep behind the step of a node: it does not conflict with theirs. */
static bool inherit(const struct search *s, struct node *n, const struct node *parent,
                    const struct explore_step *step)
{
    const struct explore_access *own = s->steps.access + step->access;
    const size_t count = step->access_end - step->access;
    bool good = true;
    for (size_t i = 0; i < parent->sleepers && good; i++) {
        const struct sleeper *one = &parent->sleeper[i];
        if (one->wave != step->wave && !explore_lists_conflict(own, count, one->access, one->count))
            good = add_sleeper(n, one->wave, one->access, one->count);
    }
    for (size_t i = 0; i < parent->done_count && good; i++) {
        const struct tried *one = &parent->done[i];
        if (one->wave != step->wave && !explore_lists_conflict(own, count, one->access, one->count))
            good = add_sleeper(n, one->wave, one->access, one->count);
    }
    return good;
}

/* Whether a wave takes the turn from one that could go on. */
static bool is_preemption(const struct node *n, uint32_t wave)
{
    return n->last != UINT32_MAX && n->last != wave && waves_have(&n->enabled, n->last);
}

/* The waves that a node may still try. */
static explore_waves open_waves(const struct search *s, const struct node *n)
{
    explore_waves waves = waves_less(waves_and(n->backtrack, n->enabled), n->tried);
    if (!is_bounded(s))
        return waves_less(waves, asleep(n));
    for (uint32_t i = 0; (i = waves_next(&waves, i)) != UINT32_MAX; i++)
        if (n->preemptions + is_preemption(n, i) > s->limits->preemptions)
            waves_drop(&waves, i);
    return waves;
}

enum wt_status search_push(struct search *s, explore_waves enabled, bool *blocked,
                           struct wt_error *err)
{
    struct node *grown = wt_array_grow(s->node, &s->capacity, s->count + 1, sizeof *grown);
    if (!grown)
        return search_no_memory(err);
    s->node = grown;
    const struct node *parent = s->count ? &s->node[s->count - 1] : NULL;
    struct node *n = &s->node[s->count];
    *n = (struct node){.enabled = enabled, .last = UINT32_MAX, .serial = s->serial++};
    if (parent) {
        n->last = parent->chosen;
        n->preemptions = parent->preemptions + is_preemption(parent, parent->chosen);
        if (!is_bounded(s) && !inherit(s, n, parent, &s->steps.step[s->count - 1])) {
            free_node(n);
            return search_no_memory(err);
        }
    }
    const explore_waves may = waves_less(enabled, asleep(n));
    *blocked = waves_are_none(&may);
    if (*blocked) {
        free_node(n);
        return WT_OK;
    }
    n->chosen = n->last != UINT32_MAX && waves_have(&may, n->last) ? n->last : waves_next(&may, 0);
    waves_add(&n->backtrack, n->chosen);
    waves_add(&n->tried, n->chosen);
    s->count++;
    return WT_OK;
}

/* ---- races ---- */

/* Of the steps from @p first on, of those that do not follow step @p before, and step @p last: the
 * waves whose first one needs none of the others. */
static explore_waves initials(const struct search *s, size_t before, size_t last)
{
    explore_waves seen = {{0}}, result = {{0}};
    for (size_t i = before + 1; i <= last; i++) {
        const uint32_t wave = s->steps.step[i].wave;
        if (waves_have(&seen, wave) ||
            (i < last && explore_follows(&s->clocks, &s->steps, i, before)))
            continue;
        waves_add(&seen, wave);
        bool first = true;
        for (size_t k = before + 1; k < i && first; k++)
            first = explore_follows(&s->clocks, &s->steps, k, before) ||
                    !explore_follows(&s->clocks, &s->steps, i, k);
        if (first)
            waves_add(&result, wave);
    }
    return result;
}

bool search_add_reversal(struct search *s, const struct reversal *of)
{
    struct reversal *grown =
        wt_array_grow(s->reversal, &s->reversal_capacity, s->reversals + 1, sizeof *grown);
    if (!grown)
        return false;
    s->reversal = grown;
    grown[s->reversals++] = *of;
    return true;
}

/* The steps @p before and @p after conflict, and nothing orders them. */
static bool find_reversal(struct search *s, size_t before, size_t after)
{
    struct reversal of;
    memset(&of, 0, sizeof of);
    of.before = before;
    of.wave = s->steps.step[after].wave;
    if (!is_bounded(s))
        of.first = waves_and(initials(s, before, after), s->node[before].enabled);
    return search_add_reversal(s, &of);
}

/* The wave, or all where it cannot go on. */
static void try_wave(struct node *n, uint32_t wave)
{
    if (waves_have(&n->enabled, wave))
        waves_add(&n->backtrack, wave);
    else
        n->backtrack = waves_or(n->backtrack, n->enabled);
}

static void reverse(struct search *s, const struct reversal *of)
{
    struct node *n = &s->node[of->before];
    const uint32_t wave = of->wave;
    if (!is_bounded(s)) {
        const explore_waves known = waves_and(of->first, n->backtrack);
        if (!waves_are_none(&known))
            return;
        if (waves_are_none(&of->first))
            n->backtrack = waves_or(n->backtrack, n->enabled);
        else
            waves_add(&n->backtrack,
                      waves_have(&of->first, wave) ? wave : waves_next(&of->first, 0));
        return;
    }
    try_wave(n, wave);
    /* The wave may be had without a preemption where the other's turn began. */
    size_t turn = of->before;
    while (turn && s->node[turn - 1].chosen == s->node[turn].chosen)
        turn--;
    try_wave(&s->node[turn], wave);
}

/* Handles the last step: finds its place in the order of all steps, and the steps that it races
 * with. */
static enum wt_status order(struct search *s, struct wt_error *err)
{
    const size_t last = s->steps.count - 1;
    size_t race[EXPLORE_WAVES];
    size_t races = 0;
    if (!explore_clocks_step(&s->clocks, &s->steps, race, &races))
        return search_no_memory(err);
    /* Those of the steps that are repeated have been found before. */
    for (size_t i = 0; i < races && last + 1 >= s->fixed; i++)
        if (!find_reversal(s, race[i], last))
            return search_no_memory(err);
    return WT_OK;
}

/* ---- runs ---- */

static enum wt_status finish(struct search *s, enum explore_end end, struct wt_error *err)
{
    return s->subject->end(s->subject->context, end, &s->choices, err);
}

static enum wt_status make_step(struct search *s, enum wt_run *result, struct wt_error *err)
{
    const struct node *n = &s->node[s->steps.count];
    const uint64_t time = s->steps.machine->time;
    const uint32_t slot = s->steps.slot[n->chosen];
    if (n->last != n->chosen && !wt_choices_add(&s->choices, time, slot))
        return search_no_memory(err);
    const size_t before = s->steps.count;
    const bool made = explore_steps_issue(&s->steps, n->chosen, result);
    if (s->steps.failed || s->spins.failed)
        return search_no_memory(err);
    if (s->steps.too_many)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the program has more than %d waves at a time: --systematic is for fewer",
                       EXPLORE_WAVES);
    if (!made || s->steps.step[before].wave != n->chosen)
        return wt_fail(err, WT_UNSUPPORTED,
                       "at issue time %llu the wave in slot %u has not issued, though it could: "
                       "--systematic cannot follow the program",
                       (unsigned long long)time, slot);
    return order(s, err);
}

enum wt_status search_run(struct search *s, struct wt_error *err)
{
    struct wt_machine *m = s->steps.machine;
    enum wt_status status = s->subject->begin(s->subject->context, err);
    enum wt_run result = WT_RUN_BUDGET;
    explore_steps_clear(&s->steps);
    explore_spins_clear(&s->spins, s->steps.waves);
    explore_clocks_clear(&s->clocks, s->steps.waves);
    s->choices.count = s->reversals = 0;
    s->blocked = false;
    while (!status) {
        const size_t depth = s->steps.count;
        const explore_waves ready = explore_ready(&s->steps),
                            enabled = waves_less(ready, s->spins.waiting);
        const bool none = waves_are_none(&enabled);
        s->clocks.ready = ready;
        if (depth < s->count && !waves_are_equal(&s->node[depth].enabled, &enabled))
            return wt_fail(err, WT_UNSUPPORTED,
                           "at issue time %llu a repeated run is another one: --systematic needs a "
                           "program that depends on nothing but its schedule",
                           (unsigned long long)m->time);
        if (result == WT_RUN_FAULT)
            return finish(s, EXPLORE_FAULT, err);
        if (none && !waves_are_none(&s->spins.waiting))
            return finish(s, EXPLORE_SPINS, err);
        if (none) {
            result = m->ops->run(m, 1);
            return finish(s, result == WT_RUN_FAULT ? EXPLORE_FAULT : EXPLORE_ENDED, err);
        }
        if (m->time >= s->limits->issues)
            return finish(s, EXPLORE_LIMIT, err);
        if (depth == s->count)
            status = search_push(s, enabled, &s->blocked, err);
        if (s->blocked)
            return WT_OK;
        if (!status)
            status = make_step(s, &result, err);
        if (!status)
            explore_clocks_wake(&s->clocks, &s->steps, explore_spins_step(&s->spins, &s->steps));
    }
    return status;
}

/* Notes that all that follows the node's step has been seen. */
static bool retire(struct search *s, struct node *n, const struct explore_step *step)
{
    const size_t count = step->access_end - step->access;
    struct tried *grown =
        wt_array_grow(n->done, &n->done_capacity, n->done_count + 1, sizeof *grown);
    if (!grown)
        return false;
    n->done = grown;
    struct tried *one = &n->done[n->done_count];
    *one = (struct tried){n->chosen, malloc((count ? count : 1) * sizeof *one->access), count};
    if (!one->access)
        return false;
    memcpy(one->access, s->steps.access + step->access, count * sizeof *one->access);
    n->done_count++;
    return true;
}

uint32_t search_choice(const struct search *s, const struct node *n)
{
    const explore_waves open = open_waves(s, n);
    return waves_next(&open, 0);
}

enum wt_status search_commit(struct search *s, char *left, struct wt_error *err)
{
    for (size_t i = 0; i < s->reversals; i++)
        reverse(s, &s->reversal[i]);
    s->counts->stopped += s->blocked;
    s->counts->runs += !s->blocked;
    return s->blocked ? WT_OK : s->subject->take(s->subject->context, left, &s->choices, err);
}

enum wt_status search_next(struct search *s, size_t node, bool *more, struct wt_error *err)
{
    while (s->count > node + 1)
        search_pop(s);
    struct node *n = &s->node[node];
    if (!retire(s, n, &s->steps.step[node]))
        return search_no_memory(err);
    const uint32_t wave = search_choice(s, n);
    *more = wave != UINT32_MAX;
    if (*more) {
        n->chosen = wave;
        waves_add(&n->tried, wave);
        s->fixed = s->count;
    }
    return WT_OK;
}

bool search_begin(struct search *s)
{
    return explore_steps_begin(&s->steps, s->subject->machine);
}

void search_end(struct search *s)
{
    while (s->count)
        search_pop(s);
    free(s->node);
    free(s->reversal);
    explore_spins_free(&s->spins);
    explore_clocks_free(&s->clocks);
    explore_steps_end(&s->steps);
    wt_choices_free(&s->choices);
}
