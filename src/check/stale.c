/* See stale.h. A line of a cache is kept as its bytes were when a load brought it there; a later
 * load through that cache compares them with what memory has now. */
#include "check/stale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "check/followed.h"
#include "check/start.h"
#include "emulator/machine/groups.h"
#include "emulator/machine/memory_model.h"
#include "emulator/machine/observe.h"

enum { LINE = 64, PAGE = 4096, CELLS = PAGE / 4, MOST_STORES = 1 << 22, SCALAR_TRIPLE = 16 };

/* What a cache holds of a line; bytes that are not `valid` may be any. */
struct line {
    uint64_t valid, since; /* a bit for each byte; issue time */
    uint8_t byte[LINE];
};

/* One that a group's waves share. */
struct stale_cache {
    struct wt_map map; /* number of a line + 1 -> index in `line` */
    struct line *line;
    size_t count, room;
    uint64_t emptied; /* issue time */
};

/* An instruction that stores. */
struct stale_store {
    uint64_t time, pc, id, home;
    wt_lanes lanes;
    uint32_t size, wave, die;
    bool is_scalar, through; /* THROUGH: the die's cache, to memory */
};

/* The cache that the groups of a die share, and when it was last written back. */
struct die {
    struct stale_cache cache;
    uint64_t written; /* issue time */
};

/* A scalar store that is in the cache only. */
struct dirty {
    uint64_t at;
    struct stale_store by;
};

struct group {
    uint64_t home;
    struct stale_cache scalar, vector;
    struct dirty *dirty;
    size_t dirties, room;
};

struct stale_page {
    uint32_t store[CELLS]; /* number of the last one to each cell of 4 bytes; 0: none is known */
};

struct wt_check_stale {
    struct wt_machine *machine;
    const void *space;
    wt_found_fn *found;
    void *context;
    struct wt_followed run;
    struct wt_map groups;   /* home + 1: struct group */
    struct stale_cache any; /* what the first scalar load of any group has brought */
    struct die die[WT_MOST_DIES];
    uint32_t dies;
    struct wt_map pages;       /* number + 1: struct stale_page */
    struct stale_store *store; /* by number, from 1 */
    size_t stores, store_room;
    uint64_t *waited;              /* for each slot: the issue time of its last wait for stores */
    struct wt_decisions decisions; /* what was reported in the recorded run */
};

/* ---- memory ---- */

static void empty(struct stale_cache *c, uint64_t time)
{
    wt_map_free(&c->map);
    c->count = 0;
    c->emptied = time;
}

static void free_group(void *group)
{
    struct group *g = group;
    empty(&g->scalar, 0);
    empty(&g->vector, 0);
    free(g->scalar.line);
    free(g->vector.line);
    free(g->dirty);
    free(g);
}

static void forget_stores(struct wt_check_stale *s)
{
    wt_map_free_blocks(&s->pages, free);
    s->stores = 0;
}

static void forget_all(struct wt_check_stale *s)
{
    wt_map_free_blocks(&s->groups, free_group);
    empty(&s->any, 0);
    for (unsigned i = 0; i < WT_MOST_DIES; i++) {
        empty(&s->die[i].cache, 0);
        s->die[i].written = 0;
    }
    forget_stores(s);
}

static void forget(void *context, uint64_t time)
{
    struct wt_check_stale *s = context;
    forget_all(s);
    memset(s->waited, 0, s->machine->waves * sizeof *s->waited);
    wt_decisions_drop(&s->decisions, time, NULL, NULL);
}

static void tell_lost(struct wt_check_stale *s)
{
    struct wt_finding f = {.kind = WT_FOUND_STALE,
                           .severity = wt_finding_severity(WT_FOUND_STALE, true),
                           .space = WT_FOUND_HOST,
                           .access = WT_NO_ACCESS,
                           .times = 1};
    snprintf(f.text, sizeof f.text,
             "the host has no memory: stale memory is not looked for from here on");
    s->run.lost = true;
    s->found(s->context, &f);
}

static struct group *group_of(struct wt_check_stale *s, uint64_t home)
{
    struct group *g = wt_map_block(&s->groups, home + 1, sizeof *g);
    if (g)
        g->home = home;
    return g;
}

static struct line *line_at(const struct stale_cache *c, uint64_t addr)
{
    const uint64_t *there = wt_map_find(&c->map, addr / LINE + 1);
    return there ? &c->line[*there] : NULL;
}

static struct line *add_line(struct stale_cache *c, uint64_t addr)
{
    struct line *grown = wt_array_grow(c->line, &c->room, c->count + 1, sizeof *grown);
    uint64_t *there = grown ? wt_map_add(&c->map, addr / LINE + 1) : NULL;
    c->line = grown ? grown : c->line;
    if (!there)
        return NULL;
    *there = c->count;
    grown[c->count] = (struct line){.valid = 0};
    return &grown[c->count++];
}

/* ---- stores ---- */

static const struct stale_store *store_to(const struct wt_check_stale *s, uint64_t addr)
{
    const uint64_t *there = wt_map_find(&s->pages, addr / PAGE + 1);
    const struct stale_page *page = there ? (const void *)(uintptr_t)*there : NULL;
    const uint32_t number = page ? page->store[addr % PAGE / 4] : 0;
    return number ? &s->store[number - 1] : NULL;
}

/* Bytes from @p addr on, @p size of them, are no longer what a cache is known to hold. */
static void blur(struct stale_cache *c, uint64_t addr, unsigned size)
{
    for (uint64_t at = addr; at < addr + size; at++) {
        struct line *l = line_at(c, at);
        if (l)
            l->valid &= ~(UINT64_C(1) << at % LINE);
    }
}

static bool add_dirty(struct group *g, const struct wt_observed *a, const struct stale_store *by)
{
    struct dirty *grown = wt_array_grow(g->dirty, &g->room, g->dirties + 1, sizeof *grown);
    if (!grown)
        return false;
    g->dirty = grown;
    grown[g->dirties++] = (struct dirty){a->at[wt_lanes_lowest(a->lanes)], *by};
    return true;
}

static uint32_t die_of(const struct wt_check_stale *s, uint32_t wave)
{
    uint32_t (*die)(struct wt_machine * m, uint32_t wave) = wt_memory_model_of(s->machine)->die;
    return die ? die(s->machine, wave) : 0;
}

/* GLC, SC1: nothing of it is, or stays, in a cache. */
static bool goes_past(const struct wt_observed *a)
{
    return a->order != WT_ORDER_PLAIN && a->scope >= WT_AMONG_DEVICE;
}

/* Stores of the group's own waves change what its caches hold. */
static bool take_store(struct wt_check_stale *s, struct group *g, const struct wt_observed *a)
{
    const uint32_t die = die_of(s, a->wave);
    if (s->stores >= MOST_STORES)
        forget_stores(s);
    struct stale_store *grown =
        wt_array_grow(s->store, &s->store_room, s->stores + 1, sizeof *grown);
    if (!grown)
        return false;
    const struct stale_store by = {.time = a->time,
                                   .pc = a->pc,
                                   .id = a->id,
                                   .home = a->group,
                                   .lanes = a->lanes,
                                   .size = a->size,
                                   .wave = a->wave,
                                   .die = die,
                                   .is_scalar = a->is_scalar,
                                   .through = a->kind == WT_WATCH_ACCESS || goes_past(a)};
    s->store = grown;
    grown[s->stores++] = by;
    for (wt_lanes left = a->lanes; left; left &= left - 1) {
        const uint64_t addr = a->at[wt_lanes_lowest(left)];
        blur(a->is_scalar ? &g->scalar : &g->vector, addr, a->size);
        blur(&s->die[die].cache, addr, a->size);
        if (a->is_scalar)
            blur(&s->any, addr, a->size);
        for (uint64_t at = addr & ~UINT64_C(3); at < addr + a->size; at += 4) {
            struct stale_page *page = wt_map_block(&s->pages, at / PAGE + 1, sizeof *page);
            if (!page)
                return false;
            page->store[at % PAGE / 4] = (uint32_t)s->stores;
        }
    }
    return !a->is_scalar || a->kind != WT_WATCH_WRITE || add_dirty(g, a, &by);
}

/* ---- reports ---- */

static void describe_object(const struct wt_check_stale *s, struct wt_finding *f)
{
    struct wt_object object;
    if (wt_object_find(s->space, f->address, &object, NULL, NULL))
        wt_finding_of_object(f, &object);
}

static void report(struct wt_check_stale *s, const struct wt_observed *a, wt_lanes lanes,
                   uint64_t addr, const struct stale_store *by, bool weaker, const char *text)
{
    struct wt_finding f = {.kind = WT_FOUND_STALE,
                           .severity = wt_finding_severity(WT_FOUND_STALE, weaker),
                           .space = WT_FOUND_GLOBAL,
                           .access = WT_ACCESS_LOAD,
                           .bytes = a->size,
                           .address = addr,
                           .pc = a->pc,
                           .time = a->time,
                           .other.access = WT_NO_ACCESS,
                           .times = 1};
    wt_finding_of_wave(&f, s->machine, a->wave, lanes);
    if (by) {
        f.other = (struct wt_finding_other){.pc = by->pc,
                                            .time = by->time,
                                            .bytes = by->size,
                                            .lanes = WT_FINDING_LANES(by->lanes),
                                            .wave_id = by->id,
                                            .access = WT_ACCESS_STORE};
        if (wt_machine_wave_id(s->machine, by->wave) == by->id)
            wt_machine_name_wave(s->machine, by->wave, f.other.wave, sizeof f.other.wave);
    }
    describe_object(s, &f);
    snprintf(f.text, sizeof f.text, "%s", text);
    wt_mistake_note(&s->decisions, s->machine, &f);
    s->found(s->context, &f);
}

static void report_unwritten(struct wt_check_stale *s, uint32_t slot, const struct dirty *d)
{
    struct wt_finding f = {.kind = WT_FOUND_UNWRITTEN,
                           .severity = wt_finding_severity(WT_FOUND_UNWRITTEN, false),
                           .space = WT_FOUND_GLOBAL,
                           .access = WT_ACCESS_STORE,
                           .bytes = d->by.size,
                           .address = d->at,
                           .pc = d->by.pc,
                           .time = d->by.time,
                           .text = "the wave ends, and no s_dcache_wb has written the scalar cache "
                                   "back",
                           .times = 1};
    wt_finding_of_wave(&f, s->machine, slot, d->by.lanes);
    memset(f.back, 0, sizeof f.back); /* a wave's end is in no calls */
    f.other.access = WT_NO_ACCESS;
    describe_object(s, &f);
    s->found(s->context, &f);
}

/* ---- loads ---- */

/* The lowest address of [addr, addr + size), within a line, at which a cache may have another value
 * than memory, and that value and the one in memory; false: there is none. */
static bool differs(const struct wt_check_stale *s, const struct line *l, const uint8_t *now,
                    uint64_t addr, unsigned size, bool is_scalar, uint64_t *where)
{
    for (uint64_t at = addr; at < addr + size; at++) {
        const unsigned n = at % LINE;
        const struct stale_store *by;
        if (!(l->valid >> n & 1) || l->byte[n] == now[at - addr])
            continue;
        by = store_to(s, at);
        /* Compilers make a dword of a byte that is loaded. */
        if (is_scalar && by && by->size < 4)
            continue;
        *where = at;
        return true;
    }
    return false;
}

/* What of a load comes from memory stays in the cache. */
static bool keep(struct stale_cache *c, uint64_t addr, const uint8_t *now, unsigned size,
                 uint64_t time, bool anew)
{
    struct line *l = line_at(c, addr);
    if (!l && !(l = add_line(c, addr)))
        return false;
    if (!l->valid || anew)
        l->since = time;
    for (unsigned i = 0; i < size; i++) {
        const unsigned n = (addr + i) % LINE;
        if (!anew && l->valid >> n & 1)
            continue;
        l->byte[n] = now[i];
        l->valid |= UINT64_C(1) << n;
    }
    return true;
}

/* A line is there as a whole from the first load on. */
static bool keep_line(struct wt_check_stale *s, struct stale_cache *c, const struct wt_observed *a,
                      uint64_t addr, bool anew)
{
    uint8_t now[LINE];
    const uint64_t first = addr & ~(uint64_t)(LINE - 1);
    const struct line *l = line_at(c, addr);
    if (l && !anew && l->valid == UINT64_MAX)
        return true;
    return !s->machine->ops->read_memory(s->machine, a->wave, 0, first, now, LINE) ||
           keep(c, first, now, LINE, a->time, anew);
}

struct found {
    wt_lanes lanes;
    uint64_t at, since;
    const struct stale_store *by;
};

static void note(struct found *f, unsigned lane, uint64_t at, uint64_t since,
                 const struct stale_store *by)
{
    if (!f->lanes)
        *f = (struct found){.at = at, .since = since, .by = by};
    f->lanes |= wt_lane_bit(lane);
}

/* A part of a load that lies within a line. */
struct stale_part {
    const struct wt_observed *a;
    struct group *g;
    unsigned lane, size;
    uint64_t addr;
    uint8_t now[LINE];
};

/* A scalar load. A compiler makes one of four dwords of a load of three, whose last one nobody
 * needs. */
static void look_at_scalar(struct wt_check_stale *s, const struct stale_part *p, struct found *own,
                           struct found *other, struct found *under_way)
{
    const struct wt_observed *a = p->a;
    const struct line *l = line_at(&p->g->scalar, p->addr), *any = line_at(&s->any, p->addr);
    const unsigned size = a->size == SCALAR_TRIPLE && p->size == a->size ? 12 : p->size;
    const struct stale_store *by;
    uint64_t at;
    if (l && differs(s, l, p->now, p->addr, size, true, &at))
        note(own, p->lane, at, l->since, store_to(s, at));
    else if (!l && any && any->since >= p->g->scalar.emptied &&
             differs(s, any, p->now, p->addr, size, true, &at))
        note(other, p->lane, at, any->since, store_to(s, at));
    for (at = p->addr & ~UINT64_C(3); at < p->addr + size; at += 4)
        if ((by = store_to(s, at)) && by->id == a->id && !by->is_scalar && by->size >= 4 &&
            by->time >= s->waited[a->wave]) {
            note(under_way, p->lane, at, by->time, by);
            return;
        }
}

/* A load whose group is on one of several dies. */
static void look_at_dies(const struct wt_check_stale *s, const struct stale_part *p,
                         const struct die *die, bool past, struct found *apart,
                         struct found *shared)
{
    const struct line *l = line_at(&die->cache, p->addr);
    const struct stale_store *by;
    uint64_t at;
    for (at = p->addr & ~UINT64_C(3); at < p->addr + p->size; at += 4)
        if ((by = store_to(s, at)) && &s->die[by->die] != die && !by->through &&
            s->die[by->die].written <= by->time) {
            note(apart, p->lane, at, by->time, by);
            return;
        }
    if (l && !past && differs(s, l, p->now, p->addr, p->size, p->a->is_scalar, &at))
        note(shared, p->lane, at, l->since, store_to(s, at));
}

static const struct dirty *dirty_at(const struct wt_check_stale *s, const struct wt_observed *a,
                                    uint64_t addr, unsigned size)
{
    for (size_t i = 0; i < s->groups.room; i++) {
        const struct group *g = (const void *)(uintptr_t)s->groups.entry[i].value;
        if (!s->groups.entry[i].key || (a->is_scalar && g->home == a->group))
            continue;
        for (size_t n = 0; n < g->dirties; n++)
            if (g->dirty[n].at < addr + size && addr < g->dirty[n].at + g->dirty[n].by.size)
                return &g->dirty[n];
    }
    return NULL;
}

static void tell(struct wt_check_stale *s, const struct wt_observed *a, const struct found *f,
                 bool weaker, const char *form)
{
    char text[200];
    if (!f->lanes)
        return;
    snprintf(text, sizeof text, form, (unsigned long long)f->since);
    report(s, a, f->lanes, f->at, f->by, weaker, text);
}

static bool take_load(struct wt_check_stale *s, struct group *g, const struct wt_observed *a)
{
    struct found own = {.lanes = 0}, other = own, under_way = own, unwritten = own, apart = own,
                 shared = own;
    struct stale_cache *c = a->is_scalar ? &g->scalar : &g->vector;
    struct die *die = &s->die[die_of(s, a->wave)];
    const bool past = goes_past(a);
    for (wt_lanes left = a->lanes; left; left &= left - 1) {
        struct stale_part p = {.a = a, .g = g, .lane = wt_lanes_lowest(left)};
        const uint64_t end = a->at[p.lane] + a->size;
        for (p.addr = a->at[p.lane]; p.addr < end; p.addr += p.size) {
            const uint64_t room = LINE - p.addr % LINE;
            p.size = (unsigned)(end - p.addr < room ? end - p.addr : room);
            if (!s->machine->ops->read_memory(s->machine, a->wave, 0, p.addr, p.now, p.size))
                continue;
            const struct line *l = line_at(c, p.addr);
            const struct dirty *d = dirty_at(s, a, p.addr, p.size);
            uint64_t at;
            if (d)
                note(&unwritten, p.lane, d->at, d->by.time, &d->by);
            else if (a->is_scalar)
                look_at_scalar(s, &p, &own, &other, &under_way);
            else if (l && !past && differs(s, l, p.now, p.addr, p.size, false, &at))
                note(&own, p.lane, at, l->since, store_to(s, at));
            if (!d && s->dies > 1)
                look_at_dies(s, &p, die, past, &apart, &shared);
            if ((s->dies > 1 && !keep_line(s, &die->cache, a, p.addr, past)) ||
                !keep_line(s, c, a, p.addr, past) ||
                (a->is_scalar && !keep_line(s, &s->any, a, p.addr, false)))
                return false;
        }
    }
    if (!unwritten.lanes && (own.lanes || other.lanes) &&
        s->machine->ops->guesses(s->machine, a->wave, a->pc))
        return true; /* an old value is no mistake */
    tell(s, a, &apart, true,
         "the store may be in the L2 cache of another die: no buffer_wbl2 sc1 there follows it");
    if (!apart.lanes && !own.lanes)
        tell(s, a, &shared, true,
             "the L2 cache of the die may hold what was there at issue time %llu: no buffer_inv "
             "sc1 follows the store");
    tell(s, a, &unwritten, false, "no s_dcache_wb has written the scalar cache back since");
    if (a->is_scalar) {
        tell(s, a, &own, false,
             "the scalar cache may hold what was there at issue time %llu: no s_dcache_inv follows "
             "the store");
        tell(s, a, &other, true,
             "the scalar cache, if it is that of another group, may hold what was there at issue "
             "time %llu: no s_dcache_inv follows the store");
        if (!own.lanes)
            tell(s, a, &under_way, false,
                 "the store may be under way: no s_waitcnt vmcnt(0) waits for it");
    } else {
        tell(s, a, &own, true,
             "the L1 cache may hold what was there at issue time %llu: no buffer_wbinvl1 (gfx942: "
             "buffer_inv sc1) "
             "follows the store");
    }
    return true;
}

/* ---- what the observer is told ---- */

static void access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_check_stale *s = context;
    const bool global =
        a->space == WT_OBSERVED_GLOBAL || (a->space == WT_OBSERVED_CONSTANT && a->is_scalar);
    if (!global || wt_followed_is_past(&s->run, m->resets, m->known, a->time, forget, s) ||
        !wt_machine_checks(m, a->launch))
        return;
    struct group *g = group_of(s, a->group);
    const bool loads = a->kind == WT_WATCH_READ;
    if (!g || !(loads ? take_load(s, g, a) : take_store(s, g, a)))
        tell_lost(s);
}

static void after(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_check_stale *s = context;
    wt_mistakes_tell(&s->decisions, m, i);
}

static void end_wave(struct wt_check_stale *s, const struct wt_observed_event *e)
{
    struct group *g = group_of(s, e->home);
    size_t kept = 0;
    for (size_t i = 0; g && i < g->dirties; i++)
        if (g->dirty[i].by.id == e->id)
            report_unwritten(s, e->wave, &g->dirty[i]);
        else
            g->dirty[kept++] = g->dirty[i];
    if (g)
        g->dirties = kept;
}

static void end_group(struct wt_check_stale *s, uint64_t home)
{
    const uint64_t *there = wt_map_find(&s->groups, home + 1);
    if (!there)
        return;
    free_group((void *)(uintptr_t)*there);
    wt_map_remove(&s->groups, home + 1);
}

/* A launch begins with empty caches. */
static void begin_launch(struct wt_check_stale *s, uint64_t time)
{
    empty(&s->any, time);
    for (unsigned i = 0; i < WT_MOST_DIES; i++) {
        empty(&s->die[i].cache, time);
        s->die[i].written = time;
    }
    for (size_t i = 0; i < s->groups.room; i++)
        if (s->groups.entry[i].key) {
            struct group *g = (void *)(uintptr_t)s->groups.entry[i].value;
            empty(&g->scalar, time);
            empty(&g->vector, time);
        }
}

static void take_cache(struct wt_check_stale *s, const struct wt_observed_event *e)
{
    struct group *g = group_of(s, e->home);
    if (!g)
        return;
    if (e->kind == WT_SEEN_FENCE) { /* buffer_wbinvl1, buffer_inv */
        struct die *die = &s->die[die_of(s, e->wave)];
        if (e->scope < WT_AMONG_DEVICE)
            return;
        if (e->order == WT_ORDER_ACQUIRE) {
            empty(&g->vector, e->time);
            empty(&die->cache, e->time);
        } else if (e->order == WT_ORDER_RELEASE) {
            die->written = e->time;
        }
    } else if (e->number & WT_CACHE_FORGETS)
        empty(&g->scalar, e->time);
    else
        g->dirties = 0;
}

static void event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    struct wt_check_stale *s = context;
    if (wt_followed_is_past(&s->run, m->resets, m->known, e->time, forget, s))
        return;
    switch (e->kind) {
    case WT_SEEN_LAUNCH:
        begin_launch(s, e->time);
        break;
    case WT_SEEN_FENCE:
    case WT_SEEN_CACHE:
        take_cache(s, e);
        break;
    case WT_SEEN_WAIT:
        if (e->count[0] != WT_NO_COUNT)
            s->waited[e->wave] = e->time;
        break;
    case WT_SEEN_WAVE_END:
        end_wave(s, e);
        break;
    case WT_SEEN_GROUP_END:
        end_group(s, e->home);
        break;
    default:
        break;
    }
}

/* ---- beginning and end ---- */

bool wt_check_stale_knows(const struct wt_machine *m)
{
    return wt_memory_model_of(m)->caches_go_stale;
}

struct wt_check_stale *wt_check_stale_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_stale *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (struct wt_check_stale){.machine = m,
                                 .space = start->space,
                                 .found = start->found,
                                 .context = start->context,
                                 .run.resets = m->resets};
    s->dies = die_of(s, m->waves - 1) + 1;
    s->waited = calloc(m->waves, sizeof *s->waited);
    if (s->waited && wt_observe_beneath(m, access, NULL, after, s)) {
        wt_groups_observe(m, event);
        return s;
    }
    wt_check_stale_free(s);
    return NULL;
}

void wt_check_stale_set_space(struct wt_check_stale *s, const void *space)
{
    s->space = space;
}

void wt_check_stale_free(struct wt_check_stale *s)
{
    if (!s)
        return;
    forget_all(s);
    free(s->any.line);
    for (unsigned i = 0; i < WT_MOST_DIES; i++)
        free(s->die[i].cache.line);
    free(s->store);
    free(s->waited);
    wt_decisions_free(&s->decisions);
    free(s);
}

void wt_check_stale_end(struct wt_check_stale *s)
{
    if (s)
        wt_observe_beneath(s->machine, NULL, NULL, NULL, s);
    wt_check_stale_free(s);
}
