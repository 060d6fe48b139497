/* The set of a machine's watched ranges and instructions. See watch_set.h. */
#include "emulator/machine/watch_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/mapped.h"

/* ---- the set ---- */

static bool add_watch(struct wt_machine *m, struct wt_watch_set *set, const struct wt_watch *watch,
                      wt_watch_range_fn range)
{
    assert(watch->kind <= WT_WATCH_ISSUE);
    assert(!watch->holds || watch->kind != WT_WATCH_ISSUE);
    assert(!watch->changes || watch->kind == WT_WATCH_WRITE);
    const uint64_t first = watch->addr, span = watch->size ? watch->size - 1 : 0;
    const uint64_t last = span > UINT64_MAX - first ? UINT64_MAX : first + span;
    if (watch->kind <= WT_WATCH_ACCESS) {
        set->memory[set->memory_count++] =
            (struct wt_watch_memory){.kind = watch->kind,
                                     .first = first,
                                     .last = last,
                                     .home = watch->home,
                                     .owner = watch->owner,
                                     .everywhere = watch->home == WT_HOME_NOW,
                                     .changes = watch->changes,
                                     .holds = watch->holds,
                                     .context = watch->context};
        set->judges |= watch->holds || watch->changes || watch->owner;
    }
    switch (watch->kind) {
    case WT_WATCH_WRITE:
        return range(m, watch, first, last, &set->write);
    case WT_WATCH_READ:
        return range(m, watch, first, last, &set->read);
    case WT_WATCH_ACCESS:
        return range(m, watch, first, last, &set->read) &&
               range(m, watch, first, last, &set->write);
    case WT_WATCH_MISTAKE:
        set->mistakes |= watch->addr;
        return true;
    case WT_WATCH_EXECUTE: /* fetched from global memory, whoever does it */
        set->code[set->code_count++] =
            (struct wt_watch_code){first, last, watch->holds, watch->context};
        return true;
    case WT_WATCH_ISSUE:
        if (!set->issue)
            set->issue = calloc((m->waves + 63) / 64, sizeof *set->issue);
        if (set->issue && watch->wave < m->waves)
            set->issue[watch->wave / 64] |= (uint64_t)1 << (watch->wave % 64);
        return set->issue != NULL;
    }
    return true;
}

static void free_set(struct wt_watch_set *set)
{
    if (!set)
        return;
    wt_spans_free(&set->read);
    wt_spans_free(&set->write);
    wt_spans_free(&set->observed);
    free(set->observed_list);
    free(set->code);
    free(set->memory);
    free(set->issue);
    wt_turns_free(&set->turns);
    free(set);
}

static int by_address(const void *a, const void *b)
{
    const struct wt_watch_code *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Finds the memory of the ranges that are observed. */
static bool find_observed(struct wt_machine *m, struct wt_watch_set *set)
{
    bool ok = true;
    wt_spans_free(&set->observed);
    set->observes_all = set->observes && !set->observed_count;
    set->rows = set->observes_all && !set->read.count && !set->write.count;
    for (size_t i = 0; ok && i < set->observed_count; i++) {
        const struct wt_watch *w = &set->observed_list[i];
        assert(w->size && w->size - 1 <= UINT64_MAX - w->addr);
        ok = m->ops->watch_range(m, w, w->addr, w->addr + (w->size - 1), &set->observed);
    }
    wt_spans_sort(&set->observed);
    return ok;
}

static struct wt_watch_set *new_set(struct wt_machine *m, const struct wt_watch *list, size_t count,
                                    wt_watch_range_fn range)
{
    struct wt_watch_set *set = calloc(1, sizeof *set);
    bool ok = set && (set->code = calloc(count + 1, sizeof *set->code)) &&
              (set->memory = calloc(count + 1, sizeof *set->memory));
    for (size_t i = 0; ok && i < count; i++)
        ok = add_watch(m, set, &list[i], range);
    if (ok && (set->issue || set->code_count))
        ok = set->places = wt_turns_init(&set->turns, &m->turns.policy, m->waves);
    if (!ok) {
        free_set(set);
        return NULL;
    }
    wt_spans_sort(&set->read);
    wt_spans_sort(&set->write);
    qsort(set->code, set->code_count, sizeof *set->code, by_address);
    return set;
}

/* Watched instructions are decoded again: the watching handler comes into their records, or goes.
 */
static void redecode(const struct wt_watch_set *set, struct wt_code_cache *code)
{
    for (size_t i = 0; set && i < set->code_count; i++)
        wt_code_redecode(code, set->code[i].first, set->code[i].last);
}

/* The pinned part of a range is the one in which the range begins. */
static bool add_part(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                     uint64_t last, struct wt_spans *spans)
{
    const struct wt_address_map *map = m->ops->map;
    uint64_t home = m->ops->home(m, watch->wave, first);
    assert(first <= last);
    if (home != WT_HOME_NOW && first == watch->addr && watch->home != WT_HOME_NOW)
        home = watch->home;
    if (home == WT_HOME_NOWHERE)
        return true;
    return map->watch ? map->watch(m, home, first, last, spans)
                      : wt_spans_add(spans, home, first, last);
}

bool wt_watch_set_add_parts(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                            uint64_t last, struct wt_spans *spans)
{
    const struct wt_address_map *map = m->ops->map;
    static_assert(WT_HOME_NOW == WT_SPACE_GLOBAL, "memory that is the same at any time");
    for (size_t i = 0; i < map->bounds; i++) {
        assert(i == 0 || map->bound[i - 1] < map->bound[i]);
        if (map->bound[i] <= first || map->bound[i] > last)
            continue;
        if (!add_part(m, watch, first, map->bound[i] - 1, spans))
            return false;
        first = map->bound[i];
    }
    return add_part(m, watch, first, last, spans);
}

/* The instructions of old and new watches are decoded again, and the TLB is emptied, so that
 * accesses to watched pages miss it. */
bool wt_set_watches(struct wt_machine *m, const struct wt_watch *list, size_t count)
{
    assert(list || !count);
    struct wt_watch_set *old = m->watch;
    const bool observes = old && old->observes;
    bool ok = true;
    redecode(old, &m->code);
    m->watch = NULL;
    wt_watch_set_forget(m);
    if (count && !m->hit)
        ok = (m->hit = calloc(WT_WATCH_HITS, sizeof *m->hit));
    if (ok && (count || observes))
        ok = (m->watch = new_set(m, list, count, m->ops->watch_range));
    if (ok && observes)
        ok = wt_watch_set_observe(m, true, old->observed_list, old->observed_count);
    free_set(old);
    wt_tlb_clear(&m->tlb);
    redecode(m->watch, &m->code);
    return ok;
}

bool wt_watch_set_observe(struct wt_machine *m, bool on, const struct wt_watch *list, size_t count)
{
    assert(list || !count);
    wt_tlb_clear(&m->tlb);
    if (!m->watch && on)
        m->watch = new_set(m, NULL, 0, m->ops->watch_range);
    struct wt_watch_set *set = m->watch;
    if (!set)
        return !on;
    if (!on && !set->memory_count && !set->code_count && !set->issue && !set->mistakes) {
        /* Nothing is left to watch. */
        free_set(set);
        m->watch = NULL;
        return true;
    }
    struct wt_watch *copy = on && count ? malloc(count * sizeof *copy) : NULL;
    if (copy)
        memcpy(copy, list, count * sizeof *copy);
    free(set->observed_list);
    set->observed_list = copy;
    set->observed_count = copy ? count : 0;
    set->observes = on && (copy || !count);
    if (find_observed(m, set) && set->observes == on)
        return true;
    set->observes = set->observes_all = set->rows = false;
    wt_spans_free(&set->observed);
    return false;
}

void wt_watch_set_free(struct wt_machine *m)
{
    free_set(m->watch);
    free(m->hit);
    m->watch = NULL;
    m->hit = NULL;
}

void wt_watch_set_forget(struct wt_machine *m)
{
    m->hits = 0;
    if (m->watch)
        m->watch->told = false;
}

void wt_watch_pin(struct wt_machine *m, struct wt_watch *list, size_t count)
{
    assert(list || !count);
    for (size_t i = 0; m->ops->home && i < count; i++)
        if (list[i].kind <= WT_WATCH_ACCESS && list[i].home == WT_HOME_NOW)
            list[i].home = m->ops->home(m, list[i].wave, list[i].addr);
}

/* ---- watched instructions ---- */

const struct wt_watch_code *wt_watch_set_code(const struct wt_watch_set *set, uint64_t pc)
{
    for (size_t i = 0; set && i < set->code_count && set->code[i].first <= pc; i++)
        if (set->code[i].last >= pc)
            return &set->code[i];
    return NULL;
}

bool wt_watch_set_holds(struct wt_machine *m, const struct wt_watch_code *code, uint32_t wave,
                        uint64_t pc, wt_lanes mask, uint64_t time, wt_lanes *lanes)
{
    const struct wt_watch_code *end = m->watch->code + m->watch->code_count;
    bool hit = false;
    assert(code >= m->watch->code && code < end && code->first <= pc && code->last >= pc);
    *lanes = 0;
    for (; code < end && code->first <= pc; code++) {
        if (code->last < pc)
            continue;
        const wt_lanes holding =
            code->holds ? code->holds(code->context, m, wave, pc, mask, time) : mask;
        *lanes |= holding & mask;
        hit |= !code->holds || (holding & mask);
    }
    return hit;
}

/* ---- hits ---- */

/* Room for one more; NULL if there is none. */
static struct wt_watch_hit *add_hit(struct wt_machine *m, const struct wt_issue *issue,
                                    enum wt_watch_kind kind)
{
    assert(m->hit && m->hits <= WT_WATCH_HITS && issue->wave < m->waves);
    if (m->hits == WT_WATCH_HITS)
        return NULL;
    struct wt_watch_hit *hit = &m->hit[m->hits++];
    *hit = (struct wt_watch_hit){.kind = kind,
                                 .time = issue->time,
                                 .wave = issue->wave,
                                 .id = wt_machine_wave_id(m, issue->wave),
                                 .mask = issue->mask,
                                 .pc = issue->pc};
    return hit;
}

void wt_watch_set_access(struct wt_machine *m, const struct wt_issue *issue,
                         enum wt_watch_kind kind, unsigned lane, uint64_t space, uint64_t addr,
                         unsigned size, const uint8_t *before, const uint8_t *after)
{
    struct wt_watch_hit *hit = add_hit(m, issue, kind);
    if (!hit)
        return;
    assert(size >= 1 && size <= sizeof hit->before && lane < m->lanes);
    hit->lane = lane;
    hit->hits = wt_lane_bit(lane);
    hit->home = space;
    hit->addr = addr;
    hit->size = size;
    memcpy(hit->before, before, size);
    memcpy(hit->after, after, size);
}

void wt_watch_set_mistake(struct wt_machine *m, const struct wt_issue *issue, unsigned kind,
                          wt_lanes lanes, uint64_t addr, unsigned size)
{
    struct wt_watch_hit *hit = add_hit(m, issue, WT_WATCH_MISTAKE);
    assert(lanes && m->watch->mistakes >> kind & 1);
    if (!hit)
        return;
    hit->mistake = (uint8_t)kind;
    hit->hits = lanes;
    hit->lane = wt_lanes_lowest(lanes);
    hit->addr = addr;
    hit->size = size < 1 ? 1 : size > sizeof hit->before ? sizeof hit->before : size;
}

static void add_place(struct wt_machine *m, const struct wt_issue *issue, enum wt_watch_kind kind,
                      wt_lanes lanes)
{
    assert(kind == WT_WATCH_EXECUTE || kind == WT_WATCH_ISSUE);
    assert(!(lanes & ~issue->mask));
    struct wt_watch_hit *hit = add_hit(m, issue, kind);
    if (!hit)
        return;
    hit->hits = lanes;
    hit->lane = lanes ? wt_lanes_lowest(lanes) : 0;
    hit->addr = issue->pc;
}

/* Notes which watches an issue concerns; false if none. */
static bool note(struct wt_machine *m, const struct wt_issue *issue)
{
    const struct wt_watch_code *code = wt_watch_set_code(m->watch, issue->pc);
    const bool wave = issue->issues && wt_watch_set_issues(m->watch, issue->wave);
    wt_lanes lanes;
    const bool instruction =
        issue->executes && code &&
        wt_watch_set_holds(m, code, issue->wave, issue->pc, issue->mask, issue->time, &lanes);
    if (wave)
        add_place(m, issue, WT_WATCH_ISSUE, issue->mask);
    if (instruction)
        add_place(m, issue, WT_WATCH_EXECUTE, lanes);
    return wave || instruction;
}

static void set_told(struct wt_watch_set *set, const struct wt_issue *issue)
{
    set->told = true;
    set->told_time = issue->time;
    set->told_wave = issue->wave;
    set->told_pc = issue->pc;
}

bool wt_watch_set_before(struct wt_machine *m, const struct wt_issue *issue)
{
    assert(m->watch && issue->wave < m->waves);
    struct wt_watch_set *set = m->watch;
    if (set->told && set->told_time == issue->time && set->told_wave == issue->wave &&
        set->told_pc == issue->pc)
        return false;
    if (!note(m, issue))
        return false;
    set_told(set, issue);
    return true;
}

void wt_watch_set_step(struct wt_machine *m, const struct wt_issue *issue)
{
    assert(m->watch && issue->wave < m->waves);
    set_told(m->watch, issue);
    note(m, issue);
}

/* ---- what counts ---- */

/* Whether a watch concerns an access. One whose hits may have other addresses (local memory)
 * concerns each of its kind: who takes the hits knows more. */
static bool concerns(const struct wt_watch_memory *w, const struct wt_watch_hit *hit)
{
    const uint64_t last = hit->addr + (hit->size - 1);
    if ((w->kind == WT_WATCH_WRITE && hit->kind == WT_WATCH_READ) ||
        (w->kind == WT_WATCH_READ && hit->kind == WT_WATCH_WRITE) ||
        (w->owner && w->owner != hit->id))
        return false;
    if (!w->everywhere || last < hit->addr) /* it wraps at the end of the space */
        return !w->changes || memcmp(hit->before, hit->after, hit->size) != 0;
    if (hit->addr > w->last || last < w->first)
        return false;
    const uint64_t from = hit->addr > w->first ? 0 : w->first - hit->addr;
    const uint64_t to = (last < w->last ? last : w->last) - hit->addr;
    return !w->changes || memcmp(hit->before + from, hit->after + from, to - from + 1) != 0;
}

static bool watch_counts(struct wt_machine *m, const struct wt_watch_memory *w,
                         const struct wt_issue *next)
{
    wt_lanes lanes = 0;
    for (size_t i = 0; i < m->hits; i++)
        if (concerns(w, &m->hit[i]))
            lanes |= m->hit[i].hits;
    return lanes && (!w->holds || (w->holds(w->context, m, next->wave, next->pc, next->mask | lanes,
                                            next->time) &
                                   lanes));
}

bool wt_watch_set_counts(struct wt_machine *m, const struct wt_issue *next)
{
    const struct wt_watch_set *set = m->watch;
    bool counts = false;
    assert(set && m->hits);
    for (size_t i = 0; i < m->hits; i++) {
        assert(m->hit[i].wave == next->wave);
        /* An instruction, an issue, or a mistake: judged before it was noted. */
        counts |= m->hit[i].kind >= WT_WATCH_MISTAKE;
    }
    for (size_t i = 0; i < set->memory_count && !counts; i++)
        counts = watch_counts(m, &set->memory[i], next);
    if (!counts)
        m->hits = 0;
    return counts;
}

/* ---- around a run ---- */

void wt_watch_set_run(struct wt_machine *m, bool running)
{
    if (!m->watch)
        return;
    m->watch->running = running;
    if (running)
        m->hits = 0;
}

void wt_watch_set_keep_turns(struct wt_watch_set *set, const struct wt_turns *turns)
{
    wt_turns_copy(&set->turns, turns);
}

void wt_watch_set_undo_turns(const struct wt_watch_set *set, struct wt_turns *turns)
{
    wt_turns_copy(turns, &set->turns);
}
