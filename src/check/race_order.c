/* See race_order.h. */
#include "check/race_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/race.h"
#include "emulator/machine/groups.h"

/* ---- memory ---- */

static void drop_clocks(void *clocks)
{
    wt_clocks_drop(clocks);
}

static void forget_sync(struct race_sync *sync)
{
    wt_map_free_blocks(&sync->of_group, drop_clocks);
    wt_clocks_drop(sync->all);
    race_hints_drop(sync->hints);
    sync->all = NULL;
    sync->hints = NULL;
}

static void free_syncs(struct race_space *space)
{
    for (size_t i = 0; i < space->syncs.room; i++) {
        struct race_sync *sync = (void *)(uintptr_t)space->syncs.entry[i].value;
        if (!space->syncs.entry[i].key || !sync)
            continue;
        forget_sync(sync);
        free(sync);
    }
    wt_map_free(&space->syncs);
}

static void free_group(struct wt_check_race *r, struct race_group *g)
{
    for (size_t i = 0; i < g->barriers; i++) {
        wt_clocks_drop(g->barrier[i].arrived);
        race_handed_drop(&g->barrier[i].handed);
    }
    free(g->barrier);
    free(g->user);
    free_syncs(&g->space);
    race_space_free(&r->shadow, &g->space);
    *g = (struct race_group){.home = 0};
}

static void free_slot(struct race_slot *w)
{
    for (unsigned i = 0; i < RACE_SCOPES; i++) {
        wt_clocks_drop(w->read[i]);
        wt_clocks_drop(w->known[i]);
        wt_clocks_drop(w->handed[i]);
    }
    race_hint_drop(&w->hint);
    memset(w, 0, sizeof *w);
}

static void free_past(struct race_wave *w)
{
    for (unsigned i = 0; w->past && i < RACE_PASTS; i++)
        wt_clocks_drop(w->past->was[i].known);
    free(w->past);
    w->past = NULL;
}

static void drop_known(struct wt_check_race *r)
{
    for (size_t i = 0; i < r->waves; i++) {
        wt_clocks_drop(r->wave[i].known);
        r->wave[i].known = NULL;
        free_past(&r->wave[i]);
    }
}

/* All that was recorded is forgotten. */
static void begin_anew(struct wt_check_race *r)
{
    struct wt_machine *m = r->machine;
    for (uint32_t i = 0; i < m->waves; i++) {
        if (r->slot[i].id)
            free_slot(&r->slot[i]);
        wt_clocks_drop(r->ended[i]);
        r->ended[i] = NULL;
    }
    drop_known(r);
    for (size_t i = 0; i < r->calls; i++) {
        wt_order_operation_drop(r->call[i]);
        free(r->call[i]);
    }
    r->calls = 0;
    r->newest = 0;
    for (size_t i = 0; i < r->groups.room; i++)
        if (r->groups.entry[i].key) {
            free_group(r, (void *)(uintptr_t)r->groups.entry[i].value);
            free((void *)(uintptr_t)r->groups.entry[i].value);
        }
    wt_map_free(&r->groups);
    free_group(r, &r->others);
    free_syncs(&r->global);
    for (size_t i = 0; i < r->global.pages.room; i++)
        if (r->global.pages.entry[i].key) {
            struct race_page *page = (void *)(uintptr_t)r->global.pages.entry[i].value;
            if (page->syncs)
                memset(page->sync, 0, sizeof page->sync);
            page->syncs = 0;
            page->tells = false;
            page->owner = 0;
        }
    memset(r->last_group, 0, sizeof r->last_group);
    r->waits = 0;
    wt_map_free(&r->proved);
    r->waves = 0;
    r->active = 0;
    r->several = false;
    for (unsigned i = 0; i < RACE_TOLD; i++)
        r->told[i].reason = NULL;
    r->launches = 0;
    race_forget(&r->shadow);
    if (r->shadow.first > RACE_SPLIT / 2) { /* numbers begin anew */
        race_space_free(&r->shadow, &r->global);
        r->shadow.first = 1;
    }
}

void race_free_all(struct wt_check_race *r)
{
    begin_anew(r);
    race_space_free(&r->shadow, &r->global);
    race_shadow_free(&r->shadow);
    free(r->wave);
    free(r->home);
    free(r->call);
    free(r->launch);
    free(r->copy);
}

void race_begin_anew(void *context, uint64_t time)
{
    (void)time;
    begin_anew(context);
}

struct race_group *race_group_of(struct wt_check_race *r, uint64_t home)
{
    struct race_group **seen = &r->last_group[home % RACE_SEEN];
    if (*seen && (*seen)->home == home)
        return *seen;
    uint64_t *there = wt_map_add(&r->groups, home);
    struct race_group *g = there ? (void *)(uintptr_t)*there : NULL;
    if (there && !g && (g = calloc(1, sizeof *g))) {
        g->home = home;
        *there = (uint64_t)(uintptr_t)g;
    } else if (there && !g) {
        wt_map_remove(&r->groups, home);
    }
    r->run.lost |= !g;
    return *seen = g;
}

static void end_group(struct wt_check_race *r, uint64_t home)
{
    const uint64_t *there = home ? wt_map_find(&r->groups, home) : NULL;
    if (!there)
        return;
    struct race_group *g = (void *)(uintptr_t)*there;
    race_report_waiting(r, 0, &g->space);
    wt_map_remove(&r->groups, home);
    free_group(r, g);
    free(g);
    r->last_group[home % RACE_SEEN] = NULL;
}

bool race_group_used(struct race_group *g, struct race_slot *w)
{
    uint32_t i = w->user < g->users && g->user[w->user].wave == w->number ? w->user : 0;
    while (i < g->users && g->user[i].wave != w->number)
        i++;
    w->user = i;
    if (i == g->users) {
        struct race_user *grown =
            wt_array_grow(g->user, &g->user_room, g->users + 1, sizeof *grown);
        if (!grown)
            return false;
        g->user = grown;
        grown[g->users++].wave = w->number;
    }
    g->user[i].clock = w->clock;
    return true;
}

/* ---- waves ---- */

static struct race_wave *wave_of(const struct wt_check_race *r, uint32_t number)
{
    return &r->wave[number - 1];
}

/* The clock of a wave's last access. */
static uint32_t last_clock(const struct race_slot *w)
{
    return w->used ? w->clock : w->clock - 1;
}

/* Keeps what a wave knew at its last stores, before it learns more. */
static void keep_known(struct wt_check_race *r, struct race_slot *w, struct wt_clocks *known)
{
    struct race_wave *wave = wave_of(r, w->number);
    if (!wave->past && !(wave->past = calloc(1, sizeof *wave->past))) {
        r->run.lost = true;
        return;
    }
    race_tick(w);
    struct race_known *was = &wave->past->was[wave->past->count++ % RACE_PASTS];
    wt_clocks_drop(was->known);
    *was = (struct race_known){wt_clocks_hold(known), w->clock - 1};
    w->stored = false;
}

static void learn(struct wt_check_race *r, struct race_slot *w, struct wt_clocks *clocks)
{
    struct race_wave *wave = wave_of(r, w->number);
    struct wt_clocks *before = w->stored ? wt_clocks_hold(wave->known) : NULL;
    const struct wt_clocks *old = wave->known;
    r->run.lost |= !wt_clocks_join(&wave->known, clocks);
    if (wave->known != old)
        w->view = ++r->views;
    if (w->stored && before != wave->known)
        keep_known(r, w, before);
    wt_clocks_drop(before);
}

/* The clock of a wave at a store. */
static struct wt_clocks *known_at(const struct race_wave *w, uint32_t clock)
{
    const unsigned count = w->past ? w->past->count : 0;
    for (unsigned i = count < RACE_PASTS ? 0 : count - RACE_PASTS; i < count; i++)
        if (clock <= w->past->was[i % RACE_PASTS].upto)
            return w->past->was[i % RACE_PASTS].known;
    return w->known;
}

/* The accesses that are ordered before the next one of a wave, as clocks; among them its own up to
 * @p clock. The caller drops them. */
static struct wt_clocks *all_of(struct wt_check_race *r, const struct race_slot *w, uint32_t clock)
{
    struct wt_clocks *all = wt_clocks_hold(wave_of(r, w->number)->known);
    r->run.lost |= !wt_clocks_add(&all, w->number, clock);
    return all;
}

/* A copy of an operation that stays; NULL without host memory. */
static struct wt_order_operation *note_call(struct wt_check_race *r,
                                            const struct wt_order_operation *o)
{
    if (r->calls && o->number && r->call[r->calls - 1]->number == o->number)
        return r->call[r->calls - 1];
    struct wt_order_operation **grown =
        wt_array_grow(r->call, &r->call_room, r->calls + 1, sizeof *grown);
    struct wt_order_operation *new = grown ? malloc(sizeof *new) : NULL;
    r->call = grown ? grown : r->call;
    r->run.lost |= !new;
    if (!new)
        return NULL;
    *new = wt_order_operation_copy(o);
    r->newest = o->number > r->newest ? o->number : r->newest;
    return grown[r->calls++] = new;
}

/* The newest operation; NULL: nobody asks for the order of calls, or without host memory. */
static struct wt_order_operation *call_now(struct wt_check_race *r)
{
    return r->order ? note_call(r, &r->order->newest) : NULL;
}

/* The operation that a launch is of; one that nobody has seen begin is the newest one. */
static struct wt_order_operation *call_of(struct wt_check_race *r, uint64_t launch)
{
    for (size_t i = 0; i < r->launches; i++)
        if (launch && r->launch[i].number == launch)
            return r->launch[i].call;
    return call_now(r);
}

/* Begins to record accesses of what @p wave is; its number becomes that of @p w. */
static bool begin_slot(struct wt_check_race *r, struct race_slot *w, const struct race_wave *wave)
{
    struct race_wave *grown = wt_array_grow(r->wave, &r->wave_room, r->waves + 1, sizeof *grown);
    uint64_t *home =
        grown ? wt_array_grow(r->home, &r->home_room, r->waves + 1, sizeof *home) : NULL;
    r->wave = grown ? grown : r->wave;
    if (!home) {
        r->run.lost = true;
        return false;
    }
    r->home = home;
    home[r->waves] = wave->home;
    free_slot(w);
    w->id = wave->id;
    w->clock = 1;
    grown[r->waves] = *wave;
    grown[r->waves].call = call_of(r, wave->launch);
    r->several |= r->waves && (grown[r->waves].call != grown[0].call ||
                               grown[r->waves].launch != grown[0].launch);
    w->view = ++r->views;
    w->number = (uint32_t)++r->waves;
    return true;
}

struct race_slot *race_begin_slot(struct wt_check_race *r, uint32_t slot, uint64_t id,
                                  uint64_t launch, uint64_t home)
{
    struct race_slot *w = &r->slot[slot];
    const bool begins = !w->id;
    if (!begin_slot(r, w, &(struct race_wave){.id = id, .launch = launch, .home = home}))
        return NULL;
    r->active += begins;
    struct race_wave *made = wave_of(r, w->number);
    wt_machine_wave_name(r->machine, slot, &made->name);
    const struct wt_wave_head *head = wt_machine_wave(r->machine, slot);
    const struct wt_group_ops *ops = head->group ? r->machine->groups.ops : NULL;
    if (r->order && ops)
        made->entry = ops->entry(r->machine, head->group);
    w->steps =
        r->rules.independent && ops && ops->step && ops->step(r->machine, head->group, NULL, NULL);
    return w;
}

struct race_slot *race_copy(struct wt_check_race *r, uint64_t bytes)
{
    if (!r->copy && !(r->copy = calloc(1, sizeof *r->copy))) {
        r->run.lost = true;
        return NULL;
    }
    return begin_slot(r, r->copy, &(struct race_wave){.bytes = bytes}) ? r->copy : NULL;
}

/* The wave that is executing an instruction, where waves start others; NULL: none. */
static struct race_slot *parent(struct wt_check_race *r, const struct race_slot *child)
{
    const struct wt_machine *m = r->machine;
    struct race_slot *w = m->in_turn ? &r->slot[m->turns.current] : NULL;
    return w && w->id && w != child ? w : NULL;
}

static void begin_wave(struct wt_check_race *r, const struct wt_observed_event *e)
{
    const bool known = r->slot[e->wave].id == e->id;
    struct race_slot *w = race_slot_of(r, e->wave, e->id, e->launch, e->home);
    struct race_slot *from = w && !known && r->rules.spawns ? parent(r, w) : NULL;
    if (!from)
        return;
    struct wt_clocks *all = all_of(r, from, last_clock(from));
    learn(r, w, all);
    wt_clocks_drop(all);
    race_tick(from);
}

static struct wt_clocks **ended_on(struct wt_check_race *r, uint32_t slot)
{
    return &r->ended[slot / r->machine->groups.waves_per_core];
}

static void end_wave(struct wt_check_race *r, const struct wt_observed_event *e)
{
    struct race_slot *w = &r->slot[e->wave];
    if (!w->id || w->id != e->id)
        return;
    if (r->rules.spawns) {
        struct wt_clocks *all = all_of(r, w, w->clock);
        r->run.lost |= !wt_clocks_join(ended_on(r, e->wave), all);
        wt_clocks_drop(all);
    }
    race_report_waiting(r, w->number, NULL);
    wave_of(r, w->number)->ended = true;
    free_slot(w);
    r->active--;
}

/* ---- barriers ---- */

static struct race_barrier *barrier_of(struct wt_check_race *r, const struct wt_observed_event *e)
{
    struct race_group *g =
        e->barrier == WT_BARRIER_GROUP && e->home ? race_group_of(r, e->home) : &r->others;
    const uint32_t core =
        e->barrier == WT_BARRIER_CORE ? e->wave / r->machine->groups.waves_per_core : 0;
    if (!g)
        return NULL;
    for (size_t i = 0; i < g->barriers; i++) {
        struct race_barrier *b = &g->barrier[i];
        if (b->kind == e->barrier && b->number == e->number && b->core == core)
            return b;
    }
    struct race_barrier *grown =
        wt_array_grow(g->barrier, &g->room, g->barriers + 1, sizeof *grown);
    if (!grown) {
        r->run.lost = true;
        return NULL;
    }
    g->barrier = grown;
    grown[g->barriers] =
        (struct race_barrier){.kind = e->barrier, .number = e->number, .core = core};
    return &grown[g->barriers++];
}

static void order_lanes(struct race_slot *w, wt_lanes lanes, uint32_t clock)
{
    w->floored = lanes;
    w->floor = UINT32_MAX;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t *own = &w->lane[wt_lanes_lowest(lanes)];
        *own = *own > clock ? *own : clock;
        w->floor = *own < w->floor ? *own : w->floor;
    }
}

static void arrive(struct wt_check_race *r, struct race_slot *w, const struct wt_observed_event *e)
{
    struct race_barrier *b = barrier_of(r, e);
    if (!b)
        return;
    if (b->opened) {
        wt_clocks_drop(b->arrived);
        race_handed_drop(&b->handed);
        b->arrived = NULL;
        b->opened = false;
    }
    if (race_barriers_hand_on(&r->rules))
        r->run.lost |= !race_hand_on(&b->handed, w);
    r->run.lost |= !wt_clocks_join(&b->arrived, wave_of(r, w->number)->known) ||
                   !wt_clocks_add(&b->arrived, w->number, w->clock);
    w->waited = false; /* it was for the barrier */
    w->used = true; /* also where it has made none: the clock of the barrier is no later access's */
    race_tick(w);
}

/* The records so far, if what the users of a group's memory have accessed there is among these
 * clocks. */
static struct race_behind behind_all(const struct wt_check_race *r, uint64_t home,
                                     const struct wt_clocks *clocks)
{
    const uint64_t *there = home ? wt_map_find(&r->groups, home) : NULL;
    const struct race_group *g = there ? (const void *)(uintptr_t)*there : NULL;
    for (size_t i = 0; g && i < g->users; i++)
        if (wt_clocks_of(clocks, g->user[i].wave) < g->user[i].clock)
            return (struct race_behind){0};
    return (struct race_behind){r->shadow.first + (uint32_t)r->shadow.count, r->shadow.numbering,
                                home};
}

static void release(struct wt_check_race *r, struct race_slot *w, const struct wt_observed_event *e)
{
    struct race_barrier *b = barrier_of(r, e);
    if (!b)
        return;
    if (!b->opened)
        b->behind = behind_all(r, e->home, b->arrived);
    b->opened = true;
    learn(r, w, b->arrived);
    if (race_barriers_hand_on(&r->rules))
        r->run.lost |= !race_take(w, &b->handed);
    w->behind = b->behind;
    w->behind_lanes = e->lanes;
    w->behind_view = w->view;
    if (r->rules.independent)
        order_lanes(w, e->lanes, wt_clocks_of(b->arrived, w->number));
}

/* ---- fences ---- */

static void acquire(struct wt_check_race *r, struct race_slot *w, wt_lanes lanes,
                    enum race_scope scope)
{
    for (unsigned i = RACE_GROUP; i <= scope; i++) {
        learn(r, w, w->read[i]);
        if (r->rules.independent)
            order_lanes(w, lanes, wt_clocks_of(w->read[i], w->number));
    }
    w->among_group |= scope == RACE_GROUP;
}

static void release_to(struct wt_check_race *r, struct race_slot *w, enum race_scope scope)
{
    for (unsigned i = RACE_GROUP; i <= scope; i++) {
        w->released[i] = last_clock(w);
        wt_clocks_drop(w->known[i]);
        w->known[i] = wt_clocks_hold(wave_of(r, w->number)->known);
    }
    race_tick(w);
}

static enum race_scope scope_of(enum wt_observed_scope scope)
{
    return scope <= WT_AMONG_GROUP ? RACE_GROUP : RACE_DEVICE;
}

static bool acquires(enum wt_observed_order order)
{
    return order == WT_ORDER_ACQUIRE || order >= WT_ORDER_BOTH;
}

static bool releases(enum wt_observed_order order)
{
    return order >= WT_ORDER_RELEASE;
}

static void fence(struct wt_check_race *r, struct race_slot *w, const struct wt_observed_event *e)
{
    const enum race_scope scope = scope_of(e->scope);
    const bool in_order = r->rules.one_order && e->order == WT_ORDER_SEQUENTIAL;
    if (acquires(e->order) || e->order == WT_ORDER_PLAIN) {
        acquire(r, w, e->lanes, scope);
        for (unsigned i = RACE_GROUP; i <= scope && (in_order || r->rules.hands_on); i++)
            learn(r, w, w->handed[i]);
    }
    if (releases(e->order) || e->order == WT_ORDER_PLAIN)
        release_to(r, w, scope);
    w->in_order |= in_order && releases(e->order);
    w->fenced |= scope == RACE_DEVICE && w->wrote;
}

/* AMD's GPUs: s_waitcnt with vmcnt(0) releases to the device, since the wave's stores are then in
 * the L2 cache. It acquires from the group alone, which shares the L1 cache that loads read (LLVM,
 * "User Guide for AMDGPU Backend", "Memory Model gfx6-gfx9"). */
static void wait(struct wt_check_race *r, struct race_slot *w, const struct wt_observed_event *e)
{
    if (!r->rules.waits || w->settled)
        return;
    /* From gfx10 on stores have a counter of their own. */
    const bool stored = e->count[r->rules.stores_apart ? 3 : 0] == 0;
    if (stored)
        release_to(r, w, RACE_DEVICE);
    w->waited |= stored && w->wrote_last;
    if (e->count[0] == 0 || e->count[2] == 0)
        acquire(r, w, e->lanes, RACE_GROUP);
    w->settled = stored && !r->rules.stores_apart && !r->rules.independent;
}

void race_forget_ordered(struct wt_check_race *r)
{
    enum { MOST_WAVES = 1 << 18 }; /* with more waves, records are forgotten sooner */
    if (r->order && r->calls && !r->launches && !r->active &&
        (r->newest <= r->order->calm || r->waves >= MOST_WAVES))
        begin_anew(r);
}

/* Accesses of other streams, and of the host, may race with those of a kernel that has ended. */
static void end_launch(struct wt_check_race *r, uint64_t number)
{
    for (size_t i = 0; i < r->launches; i++)
        if (r->launch[i].number == number)
            r->launch[i--] = r->launch[--r->launches];
    if (r->launches || r->active)
        return;
    race_report_waiting(r, 0, NULL);
    if (r->order)
        drop_known(r);
    else
        begin_anew(r);
}

/* Launch @p number is of operation @p call. */
static void note_launch(struct wt_check_race *r, uint64_t number, struct wt_order_operation *call)
{
    struct race_launch *grown =
        wt_array_grow(r->launch, &r->launch_room, r->launches + 1, sizeof *grown);
    r->run.lost |= !grown;
    if (!grown)
        return;
    r->launch = grown;
    grown[r->launches++] = (struct race_launch){number, call};
    r->begun = r->machine->time;
    r->repeated = 0;
    memset(r->kind, 0, sizeof r->kind); /* another module's code may be at an address */
    memset(r->loop, 0, sizeof r->loop);
}

void wt_check_race_launch(struct wt_check_race *r, uint64_t number,
                          const struct wt_order_operation *of)
{
    race_forget_ordered(r);
    note_launch(r, number, note_call(r, of));
}

static void begin_launch(struct wt_check_race *r, uint64_t number)
{
    for (size_t i = 0; i < r->launches; i++)
        if (number && r->launch[i].number == number)
            return;
    race_forget_ordered(r);
    note_launch(r, number, call_now(r));
}

void race_event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    struct wt_check_race *r = context;
    if (wt_followed_is_past(&r->run, m->resets, m->known, e->time, race_begin_anew, r))
        return;
    if (e->kind == WT_SEEN_LAUNCH)
        begin_launch(r, e->launch);
    else if (e->kind == WT_SEEN_LAUNCH_END)
        end_launch(r, e->launch);
    else if (e->kind == WT_SEEN_GROUP_END)
        end_group(r, e->home);
    else if (e->kind == WT_SEEN_WAVE)
        begin_wave(r, e);
    else if (e->kind == WT_SEEN_WAVE_END)
        end_wave(r, e);
    if (e->kind == WT_SEEN_WAVE_END)
        r->repeated = 0;
    if (!e->id || e->kind == WT_SEEN_WAVE || e->kind == WT_SEEN_WAVE_END)
        return;
    struct race_slot *w = race_slot_of(r, e->wave, e->id, e->launch, e->home);
    if (!w)
        return;
    w->settled &= e->kind == WT_SEEN_WAIT;
    if (e->kind == WT_SEEN_ALONE)
        learn(r, w, *ended_on(r, e->wave));
    else if (e->kind == WT_SEEN_FENCE)
        fence(r, w, e);
    else if (e->kind == WT_SEEN_WAIT)
        wait(r, w, e);
    else if (e->kind == WT_SEEN_ARRIVE && e->barrier == WT_BARRIER_LANES)
        race_tick(w);
    else if (e->kind == WT_SEEN_RELEASE && e->barrier == WT_BARRIER_LANES)
        order_lanes(w, e->lanes, last_clock(w));
    else if (e->kind == WT_SEEN_ARRIVE)
        arrive(r, w, e);
    else if (e->kind == WT_SEEN_RELEASE)
        release(r, w, e);
}

/* ---- atomic accesses ---- */

static struct race_sync *sync_at(struct wt_check_race *r, struct race_space *space, uint64_t addr)
{
    uint64_t *there = wt_map_add(&space->syncs, addr / 4 + 1);
    struct race_sync *sync = there ? (void *)(uintptr_t)*there : NULL;
    if (there && !sync && (sync = calloc(1, sizeof *sync)))
        *there = (uint64_t)(uintptr_t)sync;
    r->run.lost |= !sync;
    return sync;
}

/* The clocks that a store publishes, to the group and to the device: the wave's own clock, and the
 * clocks of others that it knows. `all` and `all_known`, the hint, go up to the store itself. */
struct release {
    uint32_t wave, clock[RACE_SCOPES], all;
    struct wt_clocks *known[RACE_SCOPES], *all_known;
};

/* Adds what a wave knew, and its accesses up to a clock, to a set. */
static void add_released(struct wt_check_race *r, struct wt_clocks **set, const struct release *of,
                         enum race_scope scope)
{
    r->run.lost |= !wt_clocks_join(set, of->known[scope]) ||
                   (of->clock[scope] && !wt_clocks_add(set, of->wave, of->clock[scope]));
}

static void publish(struct wt_check_race *r, struct race_sync *sync, const struct release *of)
{
    if (of->known[RACE_GROUP] || of->clock[RACE_GROUP]) {
        uint64_t *there = wt_map_add(&sync->of_group, wave_of(r, of->wave)->home + 1);
        struct wt_clocks *set = there ? (void *)(uintptr_t)*there : NULL;
        if (there) {
            add_released(r, &set, of, RACE_GROUP);
            *there = (uintptr_t)set;
        }
        r->run.lost |= !there;
    }
    add_released(r, &sync->all, of, RACE_DEVICE);
    r->run.lost |= !race_hint_add(&sync->hints, of->wave, of->all, of->all_known);
}

static bool may_be_atomic(const struct wt_check_race *r, const struct race_record *one)
{
    return one->maybe_atomic ||
           (r->rules.loads_hide && one->kind == WT_WATCH_WRITE && !one->atomic);
}

/* Publishes a store that was not taken for an atomic one when it was made. Of OpenMP's warps fences
 * may be for the group alone, which the record does not say: it is taken to have released what has
 * the clock before. */
static void take_store(struct wt_check_race *r, struct race_sync *sync,
                       const struct race_record *store)
{
    const uint32_t before = store->clock - 1;
    const uint32_t among_group = r->rules.waits ? store->clock : store->released;
    struct wt_clocks *known = known_at(wave_of(r, store->wave), store->clock);
    publish(r, sync,
            &(struct release){.wave = store->wave,
                              .clock = {r->lanes_are_one ? before : among_group,
                                        r->lanes_are_one ? before : store->released},
                              .all = store->clock,
                              .known = {known, known},
                              .all_known = known});
}

static void read_sync(struct wt_check_race *r, struct race_slot *w, struct race_sync *sync)
{
    const uint64_t *own = wt_map_find(&sync->of_group, wave_of(r, w->number)->home + 1);
    r->run.lost |= !wt_clocks_join(&w->read[RACE_DEVICE], sync->all) ||
                   !race_hint_read(&w->hint, sync->hints) ||
                   (own && !wt_clocks_join(&w->read[RACE_GROUP], (void *)(uintptr_t)*own));
}

static void write_sync(struct wt_check_race *r, struct race_slot *w, struct race_sync *sync,
                       const struct wt_observed *a)
{
    struct wt_clocks *known = wave_of(r, w->number)->known;
    struct release of = {.wave = w->number, .all = last_clock(w), .all_known = known};
    const enum race_scope scope = r->rules.waits ? RACE_GROUP : scope_of(a->scope);
    const bool now = releases(a->order) || r->rules.waits;
    for (unsigned i = RACE_GROUP; i < RACE_SCOPES; i++) {
        const bool is_now = now && i <= scope;
        of.clock[i] = is_now ? last_clock(w) : w->released[i];
        of.known[i] = is_now || r->rules.hands_on ? known : w->known[i];
    }
    if (a->kind == WT_WATCH_WRITE)
        forget_sync(sync);
    publish(r, sync, &of);
    if (now || r->rules.locks)
        race_tick(w);
}

void race_is_polled(struct wt_check_race *r, struct race_space *space, uint64_t addr)
{
    struct race_sync *sync = sync_at(r, space, addr);
    if (sync)
        sync->polled = true;
}

void race_synchronise(struct wt_check_race *r, struct race_slot *w, const struct wt_observed *a,
                      unsigned lane, struct race_space *space, uint64_t addr,
                      const struct race_record *last)
{
    struct race_sync *sync = sync_at(r, space, addr);
    struct race_page *page = race_page(space, addr, true);
    const unsigned cell = addr % RACE_PAGE / 4;
    const uint64_t bit = UINT64_C(1) << cell % 64;
    if (!sync || !page)
        return;
    if (!(page->sync[cell / 64] & bit)) {
        page->sync[cell / 64] |= bit;
        page->syncs++;
        if (last && may_be_atomic(r, last) && wave_of(r, last->wave)->launch == a->launch)
            take_store(r, sync, last);
    }
    if (r->rules.places && a->kind == WT_WATCH_ACCESS && !sync->swapped)
        sync->swapped = race_swaps(r, a->wave, a->pc);
    if (a->kind != WT_WATCH_WRITE)
        read_sync(r, w, sync);
    if (acquires(a->order)) /* a store does so for what was read before, as `sc.w.aq` */
        acquire(r, w, wt_lane_bit(lane), scope_of(a->scope));
    if (a->kind != WT_WATCH_READ)
        write_sync(r, w, sync, a);
}

/* Whether the accesses of two waves are ordered by calls, in whichever order the emulator does
 * them. */
static bool are_ordered_by_calls(const struct race_wave *first, const struct race_wave *then)
{
    if (!first->call || !then->call)
        return first->launch != then->launch;
    if (first->call == then->call) /* parts of one copy, or launches of one list of commands */
        return first->bytes || first->launch != then->launch;
    return wt_order_is_before(first->call, then->call) ||
           wt_order_is_before(then->call, first->call);
}

uint32_t race_look(struct wt_check_race *r, const struct race_slot *w, uint32_t wave,
                   struct race_view *view)
{
    const struct race_wave *own = wave_of(r, w->number), *other = wave_of(r, wave);
    const bool copies = own->call && own->call->copies && own->call == other->call;
    *view = (struct race_view){
        w->view, wave,
        copies || are_ordered_by_calls(other, own) ? UINT32_MAX : wt_clocks_of(own->known, wave)};
    return view->upto;
}
