/*
 * Tests of EXECUTE watches with a condition, for any family: a condition that does not hold changes
 * nothing, neither states nor the order of issues; one that holds tells its lanes, forwards and in
 * searches. cmocka.h comes before it.
 */
#ifndef TESTS_CONDITIONS_H
#define TESTS_CONDITIONS_H

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/explain.h"
#include "emulator/machine/search.h"
#include "emulator/machine/trace.h"

struct condition_case {
    /* A new machine before its first issue, with schedule 0 .. schedules-1; and its end. */
    struct wt_machine *(*make)(void *context, size_t schedule);
    void (*end)(void *context);
    void *context;
    size_t schedules;
    uint64_t first, last; /* all code that is executed */
    uint64_t pc;          /* an instruction that is executed often */
    unsigned number;      /* a register of 4 or 8 bytes a lane that changes and differs by lane */
    unsigned wave_number; /* a register that is not a lane's own */
    bool any_mask;        /* instructions without an enabled lane count for EXECUTE, too */
};

/* A condition: some bits of a register of the lane are so. */
struct condition {
    unsigned number;
    uint64_t mask, value;
    uint64_t calls;
    wt_lanes asked; /* of the last call */
};

static uint64_t element(struct wt_machine *m, uint32_t wave, unsigned number, unsigned lane)
{
    struct wt_register_shape reg;
    uint8_t row[WT_ROW_BYTES];
    assert_true(m->ops->describe_register(m, number, &reg));
    assert_true(m->ops->read_row(m, wave, number, row));
    return wt_load_le(row + (reg.per_lane ? (size_t)lane * reg.bytes : 0), reg.bytes);
}

/* Says yes for lanes that are not enabled, too: they do not count. */
static wt_lanes condition_holds(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                                wt_lanes mask, uint64_t time)
{
    struct condition *c = context;
    wt_lanes lanes = ~mask;
    c->calls++;
    c->asked = mask;
    for (unsigned lane = 0; lane < m->lanes; lane++)
        if ((element(m, wave, c->number, lane) & c->mask) == c->value)
            lanes |= wt_lane_bit(lane);
    (void)pc, (void)time;
    return lanes;
}

struct issue_count {
    const struct condition_case *t;
    uint64_t issues;
};

static void count_issue(void *context, const struct wt_trace *trace)
{
    struct issue_count *c = context;
    c->issues += c->t->any_mask || trace->mask;
}

/* In one run, in pieces, and traced, the machine passes through the states that it has without. */
static void check_false_conditions(const struct condition_case *t)
{
    for (size_t k = 0; k < t->schedules; k++) {
        uint64_t end_time = 0, end_hash = 0, half_hash = 0;
        struct issue_count count = {t, 0};
        for (unsigned how = 0; how < 4; how++) {
            /* Never: the bits that are asked for are no part of the mask. */
            struct condition never = {.number = t->number, .mask = 1, .value = 2};
            struct condition neither = {.number = t->wave_number, .mask = 0, .value = 1};
            const struct wt_watch list[] = {
                {.kind = WT_WATCH_EXECUTE,
                 .addr = t->first,
                 .size = t->last - t->first + 1,
                 .holds = condition_holds,
                 .context = &never},
                {.kind = WT_WATCH_EXECUTE,
                 .addr = t->pc,
                 .size = 1,
                 .holds = condition_holds,
                 .context = &neither},
            };
            struct wt_machine *m = t->make(t->context, k);
            if (how)
                assert_true(wt_set_watches(m, list, 2));
            enum wt_run run = WT_RUN_BUDGET;
            while (run == WT_RUN_BUDGET && m->time < 300)
                run = how == 2 ? m->ops->run(m, 7) : m->ops->run(m, 301 - m->time);
            if (how == 2 && m->time < 301)
                run = m->ops->run(m, 301 - m->time);
            assert_int_equal(run, WT_RUN_BUDGET);
            const uint64_t half = m->ops->hash(m);
            while (run == WT_RUN_BUDGET)
                run = how == 3   ? m->ops->run_traced(m, 100000, count_issue, &count)
                      : how == 2 ? m->ops->run(m, 13)
                                 : m->ops->run(m, UINT64_MAX / 2);
            assert_int_equal(run, WT_RUN_ENDED);
            assert_int_equal(m->hits, 0);
            if (!how) {
                end_time = m->time;
                end_hash = m->ops->hash(m);
                half_hash = half;
            }
            assert_true(m->time == end_time && half == half_hash);
            assert_true(m->ops->hash(m) == end_hash);
            if (how == 3) {
                /* Each issue was asked about once: those of the trace, and those before it. */
                assert_true(count.issues > 100 && never.calls >= count.issues &&
                            never.calls <= count.issues + 301);
                assert_true(neither.calls > 0 && neither.calls < never.calls);
            }
            t->end(t->context);
        }
    }
}

#define MOST_CONDITION_HITS 20000

/* What a machine told, run to its end. */
static size_t run_to_end(struct wt_machine *m, struct wt_watch_hit *list)
{
    size_t n = 0;
    enum wt_run run;
    while ((run = m->ops->run(m, UINT64_MAX / 2)) == WT_RUN_WATCH) {
        assert_int_equal(m->hits, 1);
        assert_true(n < MOST_CONDITION_HITS);
        list[n++] = m->hit[0];
    }
    assert_int_equal(run, WT_RUN_ENDED);
    return n;
}

/* All hits that a condition should have: where an unconditional watch stops, it is asked. */
static size_t hits_by_hand(const struct condition_case *t, size_t k, struct condition *c,
                           struct wt_watch_hit *list)
{
    const struct wt_watch all = {.kind = WT_WATCH_EXECUTE, .addr = t->pc, .size = 1};
    struct wt_machine *m = t->make(t->context, k);
    size_t n = 0;
    assert_true(wt_set_watches(m, &all, 1));
    while (m->ops->run(m, UINT64_MAX / 2) == WT_RUN_WATCH) {
        const struct wt_watch_hit *hit = &m->hit[0];
        assert_true(hit->hits == hit->mask);
        const wt_lanes lanes =
            hit->mask & condition_holds(c, m, hit->wave, hit->pc, hit->mask, hit->time);
        if (!lanes)
            continue;
        assert_true(n < MOST_CONDITION_HITS);
        list[n] = *hit;
        list[n].hits = lanes;
        list[n++].lane = wt_lanes_lowest(lanes);
    }
    t->end(t->context);
    return n;
}

static void check_same_hits(const struct wt_watch_hit *a, size_t count,
                            const struct wt_watch_hit *b, size_t other)
{
    assert_int_equal(count, other);
    for (size_t i = 0; i < count; i++) {
        assert_true(a[i].time == b[i].time && a[i].wave == b[i].wave && a[i].pc == b[i].pc);
        assert_true(a[i].hits == b[i].hits && a[i].lane == b[i].lane && a[i].mask == b[i].mask);
        assert_true(a[i].kind == WT_WATCH_EXECUTE && a[i].addr == a[i].pc && !a[i].size);
    }
}

static void check_true_conditions(const struct condition_case *t)
{
    static struct wt_watch_hit told[MOST_CONDITION_HITS], wanted[MOST_CONDITION_HITS];
    uint64_t all = 0;
    for (size_t k = 0; k < t->schedules; k++) {
        for (uint64_t value = 0; value < 16; value += 4) {
            struct condition c = {.number = t->number, .mask = 28, .value = value};
            const size_t count = hits_by_hand(t, k, &c, wanted);
            struct wt_watch watch = {.kind = WT_WATCH_EXECUTE,
                                     .addr = t->pc,
                                     .size = 1,
                                     .holds = condition_holds,
                                     .context = &c};
            struct wt_machine *m = t->make(t->context, k);
            assert_true(wt_set_watches(m, &watch, 1));
            check_same_hits(told, run_to_end(m, told), wanted, count);
            t->end(t->context);
            all += count;
        }
    }
    assert_true(all > 20);
}

/* Two conditions at one place: the hits are the lanes of either. */
static void check_two_conditions(const struct condition_case *t)
{
    static struct wt_watch_hit told[MOST_CONDITION_HITS], wanted[MOST_CONDITION_HITS];
    struct condition either = {.number = t->number, .mask = 8, .value = 8};
    struct condition one = {.number = t->number, .mask = 24, .value = 8};
    struct condition other = {.number = t->number, .mask = 24, .value = 24};
    const size_t count = hits_by_hand(t, 1, &either, wanted);
    const struct wt_watch list[] = {
        {.kind = WT_WATCH_EXECUTE,
         .addr = t->pc,
         .size = 1,
         .holds = condition_holds,
         .context = &one},
        /* Begins before it, and holds it. */
        {.kind = WT_WATCH_EXECUTE,
         .addr = t->pc - 1,
         .size = 3,
         .holds = condition_holds,
         .context = &other},
    };
    struct wt_machine *m = t->make(t->context, 1);
    assert_true(wt_set_watches(m, list, 2));
    check_same_hits(told, run_to_end(m, told), wanted, count);
    assert_true(count > 0);
    t->end(t->context);
}

/* Backwards from the end, a search finds the last place where it holds. */
static void check_searched_conditions(const struct condition_case *t)
{
    static struct wt_watch_hit wanted[MOST_CONDITION_HITS];
    struct wt_error err;
    for (size_t k = 0; k < t->schedules; k++) {
        struct condition c = {.number = t->number, .mask = 12, .value = 4};
        const size_t count = hits_by_hand(t, k, &c, wanted);
        struct wt_watch watch = {.kind = WT_WATCH_EXECUTE,
                                 .addr = t->pc,
                                 .size = 1,
                                 .holds = condition_holds,
                                 .context = &c};
        struct wt_machine *m = t->make(t->context, k);
        struct wt_timeline *timeline;
        assert_int_equal(wt_timeline_new(m, UINT64_MAX, &timeline, &err), WT_OK);
        wt_timeline_set_interval(timeline, 500);
        while (wt_timeline_run(timeline, 10000) == WT_RUN_BUDGET)
            ;
        assert_true(count > 2);
        for (size_t i = count; i-- > (count > 3 ? count - 3 : 0);) {
            struct wt_search search;
            enum wt_search_step step;
            wt_search_begin(&search, timeline, m, true, &watch, 1);
            while ((step = wt_search_on(&search, 1000, &err)) == WT_SEARCH_ON ||
                   step == WT_SEARCH_PLACE)
                if (step == WT_SEARCH_PLACE) {
                    assert_true(search.place.hits && !(search.place.hits & ~search.place.mask));
                    wt_search_accept(&search);
                }
            assert_int_equal(step, WT_SEARCH_FOUND);
            assert_true(m->time == wanted[i].time);
        }
        wt_timeline_free(timeline);
        t->end(t->context);
    }
}

/* ---- the machine's operations ---- */

/* No operation is missing, and each does something for this family. */
static void check_operations(const struct condition_case *t)
{
    struct wt_machine *m = t->make(t->context, 0);
    typedef void (*operation)(void);
    operation op[sizeof *m->ops / sizeof(operation)];
    memcpy(op, m->ops, sizeof op);
    for (size_t i = 1; i < sizeof op / sizeof op[0]; i++) /* the first one is the name */
        assert_true(op[i] != NULL);
    assert_true(m->ops->family[0] != 0);
    const uint64_t before = m->ops->program_hash(m);
    m->ops->run(m, 200);
    assert_true(m->ops->program_hash(m) != before);
    struct wt_explanation e;
    assert_true(m->ops->explain(m, m->turns.current, 0, t->first, &e));
    assert_true(e.usable && e.landing == t->first);
    assert_false(m->ops->explain(m, m->waves, 0, t->first, &e));
    assert_false(m->ops->explain(m, m->turns.current, m->lanes, t->first, &e));
    assert_true(m->ops->home(m, 0, t->first) == WT_HOME_NOW);
    struct wt_register_shape reg;
    uint8_t row[WT_ROW_BYTES];
    assert_false(m->ops->describe_register(m, UINT32_MAX, &reg));
    assert_false(m->ops->read_row(m, m->turns.current, UINT32_MAX, row));
    /* All registers of the table are as they are described, and nothing beside them is written. */
    for (unsigned n = 0; n < 0x2000; n++) {
        memset(row, 0xa5, sizeof row);
        const bool known = m->ops->describe_register(m, n, &reg);
        const bool read = m->ops->read_row(m, m->turns.current, n, row);
        assert_true(known || !read);
        if (known)
            assert_true(reg.bytes >= 1 && reg.bytes <= WT_REGISTER_BYTES);
        for (size_t i = read ? wt_row_bytes(m, &reg) : 0; i < sizeof row; i++)
            assert_int_equal(row[i], 0xa5);
    }
    t->end(t->context);
}

#endif
