/* See memory.h. */
#include "check/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/decisions.h"
#include "check/heap.h"
#include "emulator/machine/engine.h"

enum { NULL_BYTES = 1 << 16, CACHED = 8 };

/* The lanes of an instruction and their addresses, of which the judge is asked. */
struct question {
    const struct wt_wave_head *wave;
    const struct wt_lane_access *access;
    wt_lanes lanes;
    const uint64_t *at;
    wt_lanes told; /* lanes whose refusal was noted */
};

struct wt_check_memory {
    struct wt_judge judge; /* first */
    struct wt_machine *machine;
    const void *space;
    wt_check_allows_fn *allows; /* NULL: nothing else is allowed */
    void *allows_context;
    wt_found_fn *found;
    void *context;
    struct question now;
    uint64_t last, last_pc, last_address; /* the latest mistake: issue time, … */
    struct wt_decisions decisions;        /* of the recorded run */
    uint64_t resets;                      /* of the machine, in the run that they are of */
    bool only_repeats;                    /* the run is that of a core file */
    uint64_t first_launch, last_launch;   /* that are judged */
    struct wt_good good[CACHED];          /* ranges that were found good, in turn */
    unsigned next;
    struct call *call; /* of the kernels' allocator */
    size_t calls, call_room;
};

/* Whether the machine repeats a recorded run. */
static bool repeats(const struct wt_check_memory *c)
{
    return c->only_repeats || c->machine->time < c->machine->known;
}

/* ---- good memory ---- */

static bool is_in(const struct wt_good *g, uint64_t first, uint64_t last, bool write)
{
    return first >= g->first && last >= first && last <= g->last && (g->writable || !write);
}

/* Whether all of a range was found good since objects have changed. */
static bool known_good(struct wt_check_memory *c, uint64_t first, uint64_t last, bool write)
{
    const uint64_t state = wt_objects_state();
    for (unsigned i = 0; i < CACHED; i++)
        if (is_in(&c->good[i], first, last, write) && c->good[i].state == state)
            return true;
    return false;
}

static bool holds(void *context, uint64_t first, uint64_t size, bool write)
{
    struct wt_check_memory *c = context;
    struct wt_object object;
    struct wt_good good;
    if (repeats(c))
        return !c->decisions.count;
    if (known_good(c, first, first + size - 1, write))
        return true;
    if (wt_objects_judge(c->space, first, size, write, &object, &good) != WT_GOOD)
        return false;
    c->good[c->next++ % CACHED] = good;
    return true;
}

/* ---- accesses of kernels ---- */

static enum wt_access access_of(enum wt_watch_kind kind)
{
    return kind == WT_WATCH_READ    ? WT_ACCESS_LOAD
           : kind == WT_WATCH_WRITE ? WT_ACCESS_STORE
                                    : WT_ACCESS_ATOMIC;
}

/* One mistake of an instruction: that of its lowest lane, and of those like it. */
struct mistake {
    enum wt_finding_kind kind;
    struct wt_object object; /* size 0: none */
    uint64_t at;
    wt_lanes lanes;
    const char *what; /* NULL: there is nothing else to say */
    bool frees;       /* it is no access */
};

static uint64_t launch_of(struct wt_machine *m, const struct wt_wave_head *w)
{
    return w->group ? m->groups.ops->launch(m, w->group) : wt_machine_launch(m, 0);
}

/* A call of a wave's that has not returned yet. */
struct call {
    uint32_t wave;
    uint64_t incarnation, returns;
    wt_lanes lanes;
    uint64_t size[128]; /* of each lane */
};

/* ---- the recorded run ---- */

static uint64_t mixed(uint64_t key, uint64_t number)
{
    return (key ^ number) * UINT64_C(0x9e3779b97f4a7c15) ^ key >> 29;
}

/* What tells questions of one issue apart. */
static uint64_t key_of(const struct question *q)
{
    const struct wt_lane_access *a = q->access;
    uint64_t key = mixed(mixed(a->pc, (uint64_t)a->space << 32 | a->kind), a->size);
    key = mixed(mixed(key, (uint64_t)q->lanes), (uint64_t)(q->lanes >> 64));
    for (wt_lanes left = q->lanes; left; left &= left - 1)
        key = mixed(key, q->at[wt_lanes_lowest(left)]);
    return key;
}

/* What has happened to the heap in a future that was dropped has not happened. */
static void take_back(void *context, const struct wt_decision *one)
{
    struct wt_check_memory *c = context;
    if (one->takes)
        wt_object_freed(c->space, one->address, "free");
    else if (one->frees)
        wt_object_made(c->space, one->address, one->size, WT_CHECK_HEAP);
}

static void nothing(void *context, const struct wt_decision *one)
{
}

/* Notes a decision of the machine's run, of which @p w does the issue. */
static void decide(struct wt_check_memory *c, const struct wt_wave_head *w,
                   struct wt_decision decision)
{
    struct wt_machine *m = c->machine;
    decision.time = wt_issue_time(m, w->left);
    if (m->recorded)
        wt_decisions_add(&c->decisions, &decision);
}

/* Before a question of @p w is decided anew: drops what has not happened. */
static void begin_question(struct wt_check_memory *c, const struct wt_wave_head *w)
{
    const struct wt_machine *m = c->machine;
    const size_t count = c->decisions.count;
    if (count && c->resets != m->resets)
        wt_decisions_drop(&c->decisions, 0, nothing, NULL);
    else if (count && c->decisions.list[count - 1].time >= m->time)
        wt_decisions_drop(&c->decisions, wt_issue_time(m, w->left) + 1, take_back, c);
    c->resets = m->resets;
}

/* The lanes that were refused when the question was asked the first time. */
static wt_lanes decided(struct wt_check_memory *c)
{
    const struct question *q = &c->now;
    const uint64_t time = wt_issue_time(c->machine, q->wave->left);
    size_t i = wt_decisions_at(&c->decisions, time);
    if (i == c->decisions.count || c->decisions.list[i].time != time)
        return 0;
    const uint64_t key = key_of(q);
    wt_lanes refused = 0;
    for (; i < c->decisions.count && c->decisions.list[i].time == time; i++) {
        const struct wt_decision *one = &c->decisions.list[i];
        if (one->key != key || one->takes || one->frees)
            continue;
        refused |= one->lanes;
        if (one->kind != WT_DECISION_MORE)
            wt_engine_mistake(c->machine, q->wave, one->kind, q->access->pc, one->lanes,
                              one->address, (unsigned)one->size);
    }
    return refused;
}

/* ---- mistakes ---- */

/* Whether a mistake is not one that is executed again: since the instruction faults, or on another
 * way into the same future. */
static bool is_new(struct wt_check_memory *c, const struct wt_finding *f,
                   const struct wt_decision *decision)
{
    const bool again =
        (f->time == c->last && f->pc == c->last_pc && f->address == c->last_address) ||
        wt_decisions_has(&c->decisions, decision);
    c->last = f->time;
    c->last_pc = f->pc;
    c->last_address = f->address;
    return !again;
}

static void report(struct wt_check_memory *c, const struct wt_wave_head *w,
                   const struct wt_lane_access *a, const struct mistake *bad,
                   enum wt_finding_space space)
{
    struct wt_machine *m = c->machine;
    struct wt_finding f = {.kind = bad->kind,
                           .severity = WT_ERROR,
                           .space = space,
                           .access = a->size ? access_of(a->kind) : WT_NO_ACCESS,
                           .bytes = a->size,
                           .address = bad->at,
                           .pc = a->pc,
                           .time = wt_issue_time(m, w->left),
                           .lanes = {(uint64_t)bad->lanes, (uint64_t)(bad->lanes >> 64)},
                           .device = m->device,
                           .times = 1,
                           .lanes_of = wt_lanes_count(bad->lanes)};
    f.wave_id = wt_machine_wave_id(m, w->id);
    f.launch = launch_of(m, w);
    f.entry = w->group ? m->groups.ops->entry(m, w->group) : 0;
    f.groups = w->group ? m->groups.ops->home(m, w->group) : 0;
    wt_machine_name_wave(m, w->id, f.wave, sizeof f.wave);
    if (bad->object.size)
        wt_finding_of_object(&f, &bad->object);
    snprintf(f.text, sizeof f.text, "%s", bad->what ? bad->what : "");
    if (bad->frees)
        f.access = WT_NO_ACCESS;
    const struct wt_decision decision = {.time = f.time,
                                         .key = key_of(&c->now),
                                         .lanes = bad->lanes,
                                         .address = bad->at,
                                         .size = a->size,
                                         .kind = bad->kind};
    if (is_new(c, &f, &decision))
        c->found(c->context, &f);
    decide(c, w, decision);
    c->now.told |= bad->lanes;
    wt_engine_mistake(m, w, bad->kind, a->pc, bad->lanes, bad->at, a->size);
}

/* Whether an access outside of the objects is allowed nevertheless: then so are others around it
 * from now on, where no object is near. */
static bool is_allowed(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t at,
                       const struct wt_object *near)
{
    const uint64_t around = (UINT64_C(1) << 20) - 1;
    struct wt_good good = {at & ~around, at | around, true, wt_objects_state()};
    if (!c->allows || !c->allows(c->allows_context, at, a->size, a->kind != WT_WATCH_READ, near))
        return false;
    if (!near->size || near->addr > good.last || near->addr + near->size <= good.first)
        c->good[c->next++ % CACHED] = good;
    return true;
}

static bool is_misaligned(const struct wt_lane_access *a, uint64_t at)
{
    return a->align && at & (a->align - 1);
}

/* Compilers widen loads; and of an atomic operation on a byte they make one on its word. */
static bool must_be_whole(const struct wt_lane_access *a)
{
    return a->kind == WT_WATCH_WRITE;
}

/* The mistake of one lane's access to global memory; false: it is none. */
static bool is_global_mistake(struct wt_check_memory *c, const struct wt_lane_access *a,
                              uint64_t at, struct mistake *bad)
{
    struct wt_good good;
    const bool write = a->kind != WT_WATCH_READ;
    if (!is_misaligned(a, at) && known_good(c, at, at + a->size - 1, write))
        return false;
    const enum wt_object_verdict verdict =
        wt_objects_judge(c->space, at, a->size, write, &bad->object, &good);
    bad->at = at;
    switch (verdict) {
    case WT_GOOD:
        c->good[c->next++ % CACHED] = good;
        bad->kind = WT_FOUND_MISALIGNED;
        /* Private memory in a block of the runtime's is accessed as the compiler wants to. */
        return is_misaligned(a, at) && bad->object.size;
    case WT_PARTLY:
        bad->kind = WT_FOUND_OUT_OF_BOUNDS;
        return must_be_whole(a);
    case WT_FREED:
        bad->kind = WT_FOUND_USE_AFTER_FREE;
        return true;
    case WT_READ_ONLY:
        bad->kind = WT_FOUND_READ_ONLY;
        return true;
    default:
        if (is_allowed(c, a, at, &bad->object)) {
            bad->kind = WT_FOUND_MISALIGNED;
            bad->object.size = 0;
            return is_misaligned(a, at);
        }
        bad->kind = at < NULL_BYTES ? WT_FOUND_NULL : WT_FOUND_OUT_OF_BOUNDS;
        if (at < NULL_BYTES)
            bad->object.size = 0;
        return true;
    }
}

static bool same_mistake(const struct mistake *a, const struct mistake *b)
{
    return a->kind == b->kind && a->object.number == b->object.number &&
           !a->object.size == !b->object.size;
}

static wt_lanes judge_global(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    enum { MOST = 4 }; /* different mistakes of an instruction that are reported at once */
    struct mistake bad[MOST], one;
    unsigned count = 0, i;
    wt_lanes refused = 0;
    one.what = NULL;
    one.frees = false;
    bool begins;
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        one.lanes = wt_lane_bit(lane);
        if (!is_global_mistake(c, a, at[lane], &one))
            continue;
        refused |= one.lanes;
        for (i = 0; i < count && !same_mistake(&bad[i], &one); i++)
            continue;
        if (i < count)
            bad[i].lanes |= one.lanes;
        else if (count < MOST)
            bad[count++] = one;
    }
    if (refused && wt_allocator_of(c->space, a->pc, &begins))
        return 0;
    for (i = 0; i < count; i++)
        report(c, w, a, &bad[i],
               a->space == WT_OBSERVED_CONSTANT ? WT_FOUND_CONSTANT : WT_FOUND_GLOBAL);
    return refused;
}

/* An access to memory that begins at 0 and has `room` bytes. */
static wt_lanes judge_own(struct wt_check_memory *c, const struct wt_wave_head *w,
                          const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                          uint64_t room, enum wt_finding_space space)
{
    struct mistake bad[] = {{.kind = WT_FOUND_OUT_OF_BOUNDS}, {.kind = WT_FOUND_MISALIGNED}};
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        const bool begins = at[lane] < room;
        const bool inside = begins && (a->size <= room - at[lane] || !must_be_whole(a));
        struct mistake *one = &bad[inside];
        if (inside && !is_misaligned(a, at[lane]))
            continue;
        if (!one->lanes)
            one->at = at[lane];
        one->lanes |= wt_lane_bit(lane);
    }
    for (unsigned i = 0; i < 2; i++)
        if (bad[i].lanes) {
            bad[i].object = (struct wt_object){.size = room, .by = ""};
            report(c, w, a, &bad[i], space);
        }
    return bad[0].lanes | bad[1].lanes;
}

/* How many bytes there are where a group's or a lane's own memory is accessed; 0: it is none. */
static uint64_t room_of(struct wt_machine *m, const struct wt_wave_head *w,
                        enum wt_observed_space space)
{
    const struct wt_group_ops *ops = m->groups.ops;
    return !w->group                      ? 0
           : space == WT_OBSERVED_GROUP   ? ops->asked(m, w->group)
           : space == WT_OBSERVED_PRIVATE ? ops->private_asked(m, w)
                                          : 0;
}

/* What it is to access memory at an address that comes from a variable and is outside of it. */
static enum wt_finding_kind kind_beside(struct wt_check_memory *c, const struct wt_wave_head *w,
                                        const struct wt_lane_access *a, uint64_t at)
{
    struct wt_object object;
    struct wt_good good;
    const bool write = a->kind != WT_WATCH_READ;
    const bool there =
        a->space == WT_OBSERVED_GLOBAL || a->space == WT_OBSERVED_CONSTANT
            ? wt_objects_judge(c->space, at, a->size, write, &object, &good) == WT_GOOD
            : at < room_of(c->machine, w, a->space);
    return there ? WT_FOUND_OUT_OF_OBJECT : WT_FOUND_OUT_OF_BOUNDS;
}

/* Lanes that leave the variable whose address they use. */
static wt_lanes judge_variable(struct wt_check_memory *c, const struct wt_wave_head *w,
                               const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    static const enum wt_finding_space spaces[] = {[WT_OBSERVED_GLOBAL] = WT_FOUND_GLOBAL,
                                                   [WT_OBSERVED_GROUP] = WT_FOUND_GROUP,
                                                   [WT_OBSERVED_PRIVATE] = WT_FOUND_PRIVATE,
                                                   [WT_OBSERVED_CONSTANT] = WT_FOUND_CONSTANT,
                                                   [WT_OBSERVED_DEVICE] = WT_FOUND_GLOBAL};
    const struct wt_judged_variable *v = a->variable;
    struct mistake bad = {.lanes = 0};
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        const uint64_t offset = at[lane] - v->first;
        if (offset < v->size && (a->size <= v->size - offset || !must_be_whole(a)))
            continue;
        if (!bad.lanes)
            bad.at = at[lane];
        bad.lanes |= wt_lane_bit(lane);
    }
    if (!bad.lanes)
        return 0;
    bad.kind = kind_beside(c, w, a, bad.at);
    bad.object = (struct wt_object){.addr = v->first, .size = v->size, .by = ""};
    snprintf(bad.object.name, sizeof bad.object.name, "%s", v->name);
    report(c, w, a, &bad, spaces[a->space]);
    return bad.lanes;
}

/* The lowest and the highest address, and the bits that any of them has. */
static void extent_of(wt_lanes lanes, const uint64_t *at, unsigned count, uint64_t *first,
                      uint64_t *last, uint64_t *bits)
{
    uint64_t low = UINT64_MAX, high = 0, any = 0;
    if (lanes == wt_lanes_first(count)) {
        for (unsigned i = 0; i < count; i++) {
            low = at[i] < low ? at[i] : low;
            high = at[i] > high ? at[i] : high;
            any |= at[i];
        }
    } else {
        for (; lanes; lanes &= lanes - 1) {
            const uint64_t one = at[wt_lanes_lowest(lanes)];
            low = one < low ? one : low;
            high = one > high ? one : high;
            any |= one;
        }
    }
    *first = low;
    *last = high;
    *bits = any;
}

static wt_lanes judge_place(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                            const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    struct wt_check_memory *c = context;
    uint64_t first, last, bits, room;
    extent_of(lanes, at, m->lanes, &first, &last, &bits);
    const bool aligned = !is_misaligned(a, bits);
    switch (a->space) {
    case WT_OBSERVED_GROUP:
    case WT_OBSERVED_PRIVATE:
        if (!w->group)
            return 0;
        room = room_of(m, w, a->space);
        if (aligned && last < room && a->size <= room - last)
            return 0;
        return judge_own(c, w, a, lanes, at, room,
                         a->space == WT_OBSERVED_GROUP ? WT_FOUND_GROUP : WT_FOUND_PRIVATE);
    case WT_OBSERVED_GLOBAL:
    case WT_OBSERVED_CONSTANT:
        if (aligned && last + a->size > last &&
            known_good(c, first, last + a->size - 1, a->kind != WT_WATCH_READ))
            return 0;
        return judge_global(c, w, a, lanes, at);
    default:
        return 0;
    }
}

static wt_lanes judge(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                      const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    struct wt_check_memory *c = context;
    c->now = (struct question){w, a, lanes, at, 0};
    if (repeats(c))
        return decided(c);
    begin_question(c, w);
    if (c->last_launch != UINT64_MAX || c->first_launch > 1) {
        const uint64_t launch = launch_of(m, w);
        if (launch < c->first_launch || launch > c->last_launch)
            return 0;
    }
    wt_lanes refused = a->variable ? judge_variable(context, w, a, lanes, at) : 0;
    if (refused != lanes)
        refused |= judge_place(context, m, w, a, lanes & ~refused, at);
    if (refused & ~c->now.told)
        decide(c, w,
               (struct wt_decision){.key = key_of(&c->now),
                                    .lanes = refused & ~c->now.told,
                                    .kind = WT_DECISION_MORE});
    return refused;
}

/* The object of which a surface is: the one that begins there, whose size the surface may round
 * up; or a part of one, which is an object of its own. */
static struct wt_object object_of(const struct wt_check_memory *c, uint64_t base, uint64_t size)
{
    struct wt_object found;
    if (!wt_object_find(c->space, base, &found, NULL, NULL) || found.freed)
        found = (struct wt_object){.by = ""};
    if (found.addr != base || found.size > size) {
        found.addr = base;
        found.size = size;
    }
    return found;
}

static void outside(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                    const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                    uint64_t base, uint64_t size, const char *what)
{
    struct wt_check_memory *c = context;
    struct mistake bad = {.kind = base || size || what ? WT_FOUND_OUT_OF_BOUNDS : WT_FOUND_NULL,
                          .at = at[wt_lanes_lowest(lanes)],
                          .lanes = lanes,
                          .what = what};
    c->now = (struct question){w, a, lanes, at, 0};
    if (repeats(c)) {
        decided(c);
        return;
    }
    begin_question(c, w);
    if (size)
        bad.object = object_of(c, base, size);
    report(c, w, a, &bad, what ? WT_FOUND_IMAGE : WT_FOUND_GLOBAL);
}

/* ---- the device's heap ---- */

static void taken(void *context, const struct wt_wave_head *w, uint64_t addr, uint64_t size)
{
    struct wt_check_memory *c = context;
    if (repeats(c))
        return;
    begin_question(c, w);
    decide(c, w, (struct wt_decision){.address = addr, .size = size, .takes = true});
    wt_object_made(c->space, addr, size, WT_CHECK_HEAP);
}

static bool given_back(void *context, const struct wt_wave_head *w,
                       const struct wt_lane_access *call, uint64_t addr)
{
    struct wt_check_memory *c = context;
    struct mistake bad = {.kind = WT_FOUND_BAD_FREE,
                          .at = addr,
                          .lanes = wt_lane_bit(call->lane),
                          .what = "free of what malloc has not returned",
                          .frees = true};
    uint64_t at[WT_MAX_LANES];
    at[call->lane] = addr;
    c->now = (struct question){w, call, bad.lanes, at, 0};
    if (repeats(c))
        return !decided(c);
    begin_question(c, w);
    const bool there = wt_object_find(c->space, addr, &bad.object, NULL, NULL);
    if (there && bad.object.addr == addr && strcmp(bad.object.by, WT_CHECK_HEAP) == 0) {
        if (!bad.object.freed) {
            decide(c, w,
                   (struct wt_decision){.address = addr, .size = bad.object.size, .frees = true});
            return wt_object_freed(c->space, addr, "free");
        }
        bad.kind = WT_FOUND_DOUBLE_FREE;
        bad.what = "free: the memory was freed before";
    }
    report(c, w, call, &bad, WT_FOUND_GLOBAL);
    return false;
}

/* ---- the allocator of kernels ---- */

static struct call *call_of(struct wt_check_memory *c, const struct wt_wave_head *w, uint64_t pc)
{
    for (size_t i = 0; i < c->calls; i++)
        if (c->call[i].returns == pc &&
            (!w || (c->call[i].wave == w->id && c->call[i].incarnation == w->incarnation)))
            return &c->call[i];
    return NULL;
}

static bool is_allocator(void *context, uint64_t pc)
{
    struct wt_check_memory *c = context;
    bool begins;
    return (wt_allocator_of(c->space, pc, &begins) && begins) || call_of(c, NULL, pc);
}

static void allocates(struct wt_check_memory *c, const struct wt_wave_head *w, uint64_t returns,
                      wt_lanes lanes, const uint64_t *size)
{
    struct call *grown = wt_array_grow(c->call, &c->call_room, c->calls + 1, sizeof *grown);
    if (!grown)
        return;
    c->call = grown;
    grown = &grown[c->calls++];
    *grown = (struct call){w->id, w->incarnation, returns, lanes, {0}};
    for (; lanes; lanes &= lanes - 1)
        grown->size[wt_lanes_lowest(lanes)] = size[wt_lanes_lowest(lanes)];
}

static void allocated(struct wt_check_memory *c, const struct wt_wave_head *w, struct call *call,
                      const uint64_t *addr)
{
    for (wt_lanes left = call->lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        if (addr[lane] && call->size[lane])
            taken(c, w, addr[lane], call->size[lane]);
    }
    *call = c->call[--c->calls];
}

/* The call before @p returns frees: what nobody has seen being allocated is no mistake. */
static wt_lanes frees(struct wt_check_memory *c, const struct wt_wave_head *w, uint64_t returns,
                      wt_lanes lanes, const uint64_t *addr)
{
    struct wt_object o;
    wt_lanes refused = 0;
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        const struct wt_lane_access call = {.pc = returns - 1, .lane = lane};
        if (addr[lane] && (repeats(c) || wt_object_find(c->space, addr[lane], &o, NULL, NULL)) &&
            !given_back(c, w, &call, addr[lane]))
            refused |= wt_lane_bit(lane);
    }
    return refused;
}

static wt_lanes allocator(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                          uint64_t pc, uint64_t returns, wt_lanes lanes, const uint64_t *value)
{
    struct wt_check_memory *c = context;
    struct call *call = call_of(c, w, pc);
    bool begins;
    if (call && !repeats(c))
        allocated(c, w, call, value);
    const enum wt_allocator what = wt_allocator_of(c->space, pc, &begins);
    if (begins && what == WT_ALLOCATES && !repeats(c))
        allocates(c, w, returns, lanes, value);
    return begins && what == WT_FREES ? frees(c, w, returns, lanes, value) : 0;
}

/* ---- begin and end ---- */

static void archive(void *context, struct wt_archive *a)
{
    struct wt_check_memory *c = context;
    wt_decisions_archive(&c->decisions, a);
}

struct wt_check_memory *wt_check_memory_begin(struct wt_machine *m, const void *space,
                                              wt_found_fn *found, void *context)
{
    struct wt_check_memory *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_check_memory){.judge = {.fn = judge,
                                            .holds = holds,
                                            .outside = outside,
                                            .taken = taken,
                                            .given_back = given_back,
                                            .archive = archive,
                                            .is_allocator = is_allocator,
                                            .allocator = allocator,
                                            .context = c},
                                  .machine = m,
                                  .space = space,
                                  .last_launch = UINT64_MAX,
                                  .last = UINT64_MAX,
                                  .found = found,
                                  .context = context};
    m->judge = &c->judge;
    wt_machine_forget_code(m); /* its handlers may be others */
    return c;
}

struct wt_check_memory *wt_check_memory_repeat(struct wt_machine *m, struct wt_archive *a)
{
    struct wt_check_memory *c = wt_check_memory_begin(m, m, NULL, NULL);
    if (!c)
        return NULL;
    c->only_repeats = true;
    wt_decisions_archive(&c->decisions, a);
    if (!a->failed)
        return c;
    wt_check_memory_end(c);
    return NULL;
}

void wt_check_memory_set_space(struct wt_check_memory *c, const void *space)
{
    if (c->space != space)
        memset(c->good, 0, sizeof c->good);
    c->space = space;
    c->machine->judge = &c->judge;
}

void wt_check_memory_set_allows(struct wt_check_memory *c, wt_check_allows_fn *allows,
                                void *context)
{
    c->allows = allows;
    c->allows_context = context;
}

void wt_check_memory_only(struct wt_check_memory *c, uint64_t first, uint64_t last)
{
    c->first_launch = first;
    c->last_launch = last;
}

void wt_check_memory_end(struct wt_check_memory *c)
{
    if (c && c->machine->judge == &c->judge) {
        c->machine->judge = NULL;
        wt_machine_forget_code(c->machine);
    }
    wt_check_memory_free(c);
}

void wt_check_memory_free(struct wt_check_memory *c)
{
    if (!c)
        return;
    free(c->call);
    wt_decisions_free(&c->decisions);
    free(c);
}
