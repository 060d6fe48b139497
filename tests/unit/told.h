/*
 * What two machines tell observers and a judge, for tests that compare translated blocks with
 * handlers: the accesses, events and issues of both must be the same, one by one, and so must what
 * a judge is asked. choices.h and cmocka.h come before it.
 */
#ifndef WT_TESTS_TOLD_H
#define WT_TESTS_TOLD_H

#include "emulator/machine/groups.h"
#include "emulator/machine/judge.h"
#include "emulator/machine/observe.h"

/* Who listens: nobody, or somebody to accesses; to events, too; to each issue; to some issues; to
 * some that are in no piece, alone or beside somebody who listens to each; to accesses of a part of
 * memory; a judge, alone or with the others. */
enum listening {
    LISTEN_NOBODY,
    LISTEN_ACCESSES,
    LISTEN_EVENTS,
    LISTEN_ISSUES,
    LISTEN_SKIPS,
    LISTEN_STAYS,
    LISTEN_BESIDE,
    LISTEN_PART,
    LISTENINGS
};

enum told_kind { TOLD_ACCESS, TOLD_EVENT, TOLD_ISSUE, TOLD_BEFORE, TOLD_ASKED };

struct told {
    uint64_t time, id, pc;
    uint32_t what, kind; /* enum told_kind; of an access or event */
    uint64_t hash;       /* of all of it */
};

static struct listener {
    struct wt_machine *m;
    struct told *list;
    size_t count, room;
    struct wt_judge judge;
    uint64_t halts[WT_PIECE / 64];
    struct stay { /* in a piece: from an issue time up to another one */
        uint64_t from, to, halts[WT_PIECE / 64];
        struct wt_observed_piece piece;
    } * stay;
    size_t stays, stay_room;
    uint64_t attended; /* the issue behind this one must be told; 0: none must */
    struct beside {    /* who is beneath, and the last issue that it was told of */
        struct listener *l;
        bool there, told;
        uint64_t time;
    } beside;
} listener[2];

static enum listening listening;
static uint64_t told_issues, all_issues; /* of blocks: while somebody listened; of a device */

static uint64_t mixed_in(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t lanes_hash(uint64_t hash, wt_lanes lanes)
{
    return mixed_in(mixed_in(hash, (uint64_t)lanes), (uint64_t)(lanes >> 64));
}

static void tell(struct listener *l, struct told told)
{
    if ((listening == LISTEN_STAYS || listening == LISTEN_BESIDE) && told.what == TOLD_BEFORE)
        return; /* blocks are not told of all of them */
    if (l->count == l->room) {
        l->room = 2 * l->room + 1024;
        l->list = realloc(l->list, l->room * sizeof *l->list);
        assert_non_null(l->list);
    }
    l->list[l->count++] = told;
}

static void listen_access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    const uint64_t all[] = {a->wave,      a->launch,  a->group, a->kind,  a->space, a->home,
                            a->is_scalar, a->of_wave, a->owner, a->order, a->size,  a->scope};
    uint64_t hash = lanes_hash(0, a->lanes);
    for (size_t i = 0; i < sizeof all / sizeof all[0] - (a->order == WT_ORDER_PLAIN); i++)
        hash = mixed_in(hash, all[i]);
    for (unsigned i = 0; i < WT_MAX_LANES; i++) {
        if (!(a->lanes >> i & 1))
            continue;
        hash = mixed_in(hash, a->at[i]);
        assert_true(!a->is_row || !i || !(a->lanes >> (i - 1) & 1) ||
                    a->at[i] == a->at[i - 1] + a->size);
    }
    assert_true(!a->is_row || !(a->lanes & (a->lanes + (a->lanes & -a->lanes))));
    if (wt_observes_piece(m)) {
        struct listener *l = context;
        if (m->in_turn)
            assert_true(a->time == wt_issue_time(m, wt_machine_wave(m, a->wave)->left));
        if (hash % 8 == 0) {
            wt_observe_attend(m);
            l->attended = a->time;
        }
    }
    tell(context, (struct told){a->time, a->id, a->pc, TOLD_ACCESS, a->kind, hash});
}

static void listen_event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    const uint64_t all[] = {e->kind,   e->wave,     e->launch,   e->home,    e->barrier,
                            e->number, e->expected, e->apart,    e->shifts,  e->order,
                            e->scope,  e->count[0], e->count[1], e->count[2]};
    uint64_t hash =
        lanes_hash(lanes_hash(lanes_hash(lanes_hash(0, e->lanes), e->named), e->present), e->live);
    (void)m;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        hash = mixed_in(hash, all[i]);
    tell(context, (struct told){e->time, e->id, e->pc, TOLD_EVENT, e->kind, hash});
}

static void listen_issue(struct listener *l, const struct wt_issue *i, enum told_kind what)
{
    const uint64_t hash = lanes_hash(mixed_in(i->executes, i->issues), i->mask);
    tell(l, (struct told){i->time, wt_machine_wave_id(l->m, i->wave), i->pc, what, 0, hash});
}

/* The wave stays in a piece, but for some of its instructions. */
static void stay(struct listener *l, const struct wt_issue *i)
{
    if (l->stays == l->stay_room) {
        l->stay_room = 2 * l->stay_room + 64;
        l->stay = realloc(l->stay, l->stay_room * sizeof *l->stay);
        assert_non_null(l->stay);
    }
    struct stay *s = &l->stay[l->stays++];
    *s = (struct stay){.from = i->time, .to = UINT64_MAX};
    assert_true(l->m->ops->piece(l->m, i->wave, i->pc, &s->piece));
    for (unsigned n = 0; n < s->piece.count; n++)
        if (s->piece.pc[n] != i->pc && mixed_in(s->piece.pc[n], i->time / 256) % 4 == 0)
            s->halts[n / 64] |= (uint64_t)1 << n % 64;
    memcpy(l->halts, s->halts, sizeof l->halts);
    wt_observe_stay(l->m, l, l->halts);
}

static void listen_before(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct listener *l = context;
    const uint64_t choice = mixed_in(i->time, i->pc);
    if (l->stays && l->stay[l->stays - 1].to == UINT64_MAX)
        l->stay[l->stays - 1].to = i->time;
    assert_true(!l->attended || i->time <= l->attended + 1);
    l->attended = 0;
    if ((listening == LISTEN_STAYS || listening == LISTEN_BESIDE) &&
        m->ops->piece(m, i->wave, i->pc, NULL))
        stay(l, i);
    listen_issue(context, i, TOLD_BEFORE);
    if (listening == LISTEN_SKIPS && choice % 4)
        wt_observe_skip(m, context, 1 + choice / 4 % 70);
}

static void listen_after(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    (void)m;
    if (listening != LISTEN_BESIDE)
        listen_issue(context, i, TOLD_ISSUE);
}

/* Who is beneath is told of each issue, whatever the other one says. */
static void beside_access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    (void)context, (void)m, (void)a;
}

static void beside_after(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct beside *b = context;
    assert_true(!b->told || i->time <= b->time + 1); /* the machine may have gone back */
    b->told = true;
    b->time = i->time;
    listen_issue(b->l, i, TOLD_ISSUE);
    (void)m;
}

static void set_beside(struct listener *l, bool on)
{
    l->beside.told = false;
    if (l->beside.there == on)
        return;
    assert_true(wt_observe(l->m, NULL, NULL, NULL, 0));
    assert_true(wt_observe_beneath(l->m, on ? beside_access : NULL, NULL, on ? beside_after : NULL,
                                   &l->beside));
    l->beside = (struct beside){.l = l, .there = on};
}

static bool is_refused(uint64_t at)
{
    return mixed_in(at, 7) % 512 == 0;
}

/* Whether none is refused of some bytes, which need not be asked about then. */
static bool are_good(uint64_t first, uint64_t last)
{
    enum { MOST = 256 };
    for (uint64_t at = first; at <= last && last - first <= MOST; at++)
        if (is_refused(at))
            return false;
    return last - first <= MOST;
}

/* Refuses some lanes of some accesses, by what they access. */
static wt_lanes judge_some(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                           const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    uint64_t hash = lanes_hash(mixed_in(mixed_in(a->kind, a->space), a->size), lanes);
    wt_lanes refused = 0;
    for (unsigned i = 0; i < m->lanes; i++) {
        if (!(lanes >> i & 1))
            continue;
        hash = mixed_in(hash, at[i]);
        if (is_refused(at[i]))
            refused |= wt_lane_bit(i);
    }
    tell(context, (struct told){0, wt_machine_wave_id(m, w->id), a->pc, TOLD_ASKED, a->kind, hash});
    return refused;
}

static bool judge_holds(void *context, uint64_t first, uint64_t size, bool write)
{
    (void)context, (void)write;
    return are_good(first, first + size - 1);
}

/* Some instructions need not ask, where none is refused. */
static bool judge_passes(void *context, const struct wt_wave_head *w,
                         const struct wt_lane_access *access, uint64_t first, uint64_t last,
                         uint64_t bits)
{
    (void)context, (void)w, (void)bits;
    return access->space == WT_OBSERVED_GLOBAL && access->pc % 8 && are_good(first, last);
}

static void judge_outside(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                          const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                          uint64_t base, uint64_t size, const char *what)
{
    const uint64_t hash = lanes_hash(mixed_in(mixed_in(0, base), size), lanes);
    (void)at, (void)what;
    tell(context,
         (struct told){0, wt_machine_wave_id(m, w->id), a->pc, TOLD_ASKED, WT_WATCH_ISSUE, hash});
}

static bool judge_allocator(void *context, uint64_t pc)
{
    (void)context, (void)pc;
    return false;
}

/* Who listens from now on. `part`: of memory, 64 bytes from there on. */
static void listen(struct wt_machine *const m[2], enum listening how, bool judged, uint64_t part)
{
    const struct wt_watch list = {.kind = WT_WATCH_ACCESS, .addr = part, .size = 64};
    listening = how;
    for (unsigned i = 0; i < 2; i++) {
        struct listener *l = &listener[i];
        l->m = m[i];
        l->judge = (struct wt_judge){.fn = judge_some,
                                     .holds = judge_holds,
                                     .passes = judge_passes,
                                     .outside = judge_outside,
                                     .is_allocator = judge_allocator,
                                     .context = l};
        if (judged != (m[i]->judge != NULL)) {
            m[i]->judge = judged ? &l->judge : NULL;
            wt_machine_forget_code(m[i]); /* its handlers may be others */
        }
        set_beside(l, how == LISTEN_BESIDE);
        assert_true(wt_observe(m[i], how ? listen_access : NULL, l, &list, how == LISTEN_PART));
        l->stays = 0;
        l->attended = 0;
        if (how >= LISTEN_ISSUES && how <= LISTEN_BESIDE)
            wt_observe_issues(m[i], listen_before, listen_after);
        if (how > LISTEN_ACCESSES)
            wt_groups_observe(m[i], listen_event);
    }
}

static void listen_to_nobody(struct wt_machine *const m[2])
{
    listen(m, LISTEN_NOBODY, false, 0);
    all_issues = 0;
    for (unsigned i = 0; i < 2; i++) {
        free(listener[i].list);
        free(listener[i].stay);
        listener[i] = (struct listener){.list = NULL};
    }
}

/* Others listen. */
static void choose_listeners(struct wt_machine *const m[2], uint64_t part)
{
    listen(m, (enum listening)below(LISTENINGS), below(4) == 0, part);
}

/* Takes the issues out of a list; those while the other one stays in a piece must be of it. */
static void check_stays(struct listener *l, const struct listener *other)
{
    size_t left = 0, k = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct told *t = &l->list[i];
        if (t->what != TOLD_ISSUE) {
            l->list[left++] = *t;
            continue;
        }
        while (k < other->stays && other->stay[k].to <= t->time)
            k++;
        const struct stay *s = k < other->stays ? &other->stay[k] : NULL;
        if (!s || t->time < s->from)
            continue;
        unsigned n = 0;
        while (n < s->piece.count && s->piece.pc[n] != t->pc)
            n++;
        assert_true(n < s->piece.count);
        const uint64_t bits = s->halts[n / 64] & s->piece.called[n / 64];
        assert_true(!(bits >> n % 64 & 1));
    }
    l->count = left;
}

/* Takes the issues out of a list that the other one has not. A turn ends behind a store that lanes
 * do one by one, and listeners that skip issues are told of each turn's first. */
static void keep_common(struct listener *l, const struct listener *other)
{
    const size_t others = other->count;
    size_t left = 0, k = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct told *t = &l->list[i];
        while (k < others && other->list[k].time < t->time)
            k++;
        bool both = t->what != TOLD_BEFORE && t->what != TOLD_ISSUE;
        for (size_t n = k; n < others && !both && other->list[n].time <= t->time; n++)
            both = other->list[n].what == t->what && other->list[n].time == t->time;
        if (both)
            l->list[left++] = *t;
    }
    l->count = left;
}

/* The first one from `i` on that a judge was asked, or that observers were told. */
static size_t next_told(const struct listener *l, size_t i, bool asked)
{
    while (i < l->count && (l->list[i].what == TOLD_ASKED) != asked)
        i++;
    return i;
}

/* Whether observers were told the same, or a judge was asked the same. Which of the two comes first
 * does not count: accesses may be handed over together. */
static bool are_same(bool asked)
{
    static const char *const names[] = {"access", "event", "issue", "next", "asked"};
    const struct listener *const l = listener;
    size_t i[2] = {next_told(&l[0], 0, asked), next_told(&l[1], 0, asked)};
    while (i[0] < l[0].count && i[1] < l[1].count &&
           memcmp(&l[0].list[i[0]], &l[1].list[i[1]], sizeof *l->list) == 0)
        for (unsigned n = 0; n < 2; n++)
            i[n] = next_told(&l[n], i[n] + 1, asked);
    const bool same = i[0] == l[0].count && i[1] == l[1].count;
    for (unsigned n = 0; n < 2 && !same; n++)
        if (i[n] < l[n].count) {
            const struct told *t = &l[n].list[i[n]];
            print_message("%s: %s of kind %u at %llu, wave %llu, pc %llx, %016llx\n",
                          n ? "blocks" : "handlers", names[t->what], t->kind,
                          (unsigned long long)t->time, (unsigned long long)t->id,
                          (unsigned long long)t->pc, (unsigned long long)t->hash);
        } else {
            print_message("%s: nothing more\n", n ? "blocks" : "handlers");
        }
    return same;
}

/* Whether both have told the same; then it is forgotten. @p issues: those of blocks till now. */
static bool have_told_the_same(uint64_t issues)
{
    if (listening == LISTEN_STAYS) {
        check_stays(&listener[0], &listener[1]);
        check_stays(&listener[1], &listener[0]);
    }
    if (listening == LISTEN_SKIPS) {
        keep_common(&listener[0], &listener[1]);
        keep_common(&listener[1], &listener[0]);
    }
    listener[0].stays = listener[1].stays = 0;
    const bool same = are_same(false) && are_same(true);
    if (listening)
        told_issues += issues - all_issues;
    all_issues = issues;
    listener[0].count = listener[1].count = 0;
    return same;
}

#endif
