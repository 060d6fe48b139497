/* The reports of the check of races. See race_access.h. */
#include <stdio.h>
#include <string.h>

#include "check/heap.h"
#include "check/memory.h"
#include "check/names.h"
#include "check/race_access.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/regions.h"

static enum wt_access access_of(unsigned kind)
{
    return kind == WT_WATCH_READ    ? WT_ACCESS_LOAD
           : kind == WT_WATCH_WRITE ? WT_ACCESS_STORE
                                    : WT_ACCESS_ATOMIC;
}

/* The order that is missing between two accesses, in words. */
static const char *reason(const struct race_access *x, const struct race_conflict *c)
{
    struct race_slot *w = x->w;
    if (c->same == RACE_SAME_VALUE)
        return "lanes of one instruction store the same value to one place";
    if (c->same == RACE_SAME_DIFFERENT)
        return !c->weaker
                   ? "lanes of one instruction store different values to one place"
                   : "lanes of one instruction store different values to one place, unless they "
                     "are atomic stores, which have the same code";
    if (c->same)
        return "lanes of one instruction store to one place";
    if (c->other.wave == w->number && w->order == WT_STEP_UNKNOWN)
        return "nothing orders these lanes: an error, unless the kernel calls sub_group_barrier() "
               "between (--check-lanes=lockstep says so): that has no code, and the program no "
               "SPIR-V";
    if (c->other.wave == w->number && w->order == WT_STEP_MAYBE)
        return "nothing orders these lanes: an error, unless one of the kernel's calls of "
               "sub_group_barrier() is between, which have no code";
    if (c->in_step)
        return "lanes of a warp exchange a value through volatile shared memory, and no "
               "__syncwarp() is between: from capability 7.0 on they need not be in step";
    if (c->other.atomic && x->record.atomic)
        return "nothing orders them, and an atomic access whose scope is the group is none to "
               "other "
               "groups";
    if (race_is_store_beside(&c->other, &x->record))
        return !c->weaker
                   ? "nothing orders a plain store and the atomic operations in its place"
                   : "nothing orders a store and the atomic accesses in its place: an error, "
                     "unless "
                     "it is an atomic one, which has the same code";
    if (c->weaker && x->r->rules.locks)
        return "nothing but atomic operations orders them: an error, unless those are a lock that "
               "the compiler has made of 64-bit atomic functions";
    if (c->weaker)
        return "nothing orders two stores, unless they are atomic ones, which have the same code";
    if (c->other.wave == w->number)
        return "nothing orders these lanes";
    if (c->other.atomic || x->record.atomic ||
        race_hint_of(&w->hint, c->other.wave) < c->other.clock)
        return "nothing orders them";
    if (wt_clocks_of(w->read[RACE_DEVICE], c->other.wave) < c->other.clock)
        return wt_clocks_of(w->read[RACE_DEVICE], c->other.wave) ||
                       !race_hint_of(&w->hint, c->other.wave)
                   ? "nothing orders them: a release is missing before an atomic store"
                   : "nothing orders them: a release is missing, or is not for the whole device";
    return w->among_group
               ? "nothing orders them: an acquire is missing, or is not for the whole device"
               : "nothing orders them: an acquire is missing after an atomic load";
}

static void describe_object(const struct race_access *x, const struct race_conflict *c,
                            struct wt_finding *f)
{
    struct wt_machine *m = x->r->machine;
    const struct wt_wave_head *w = wt_machine_wave(m, x->a->wave);
    struct wt_object object;
    if (x->a->space == WT_OBSERVED_GLOBAL &&
        wt_object_find(x->r->space, c->at, &object, NULL, NULL)) {
        wt_variable_within(&object, c->at);
        wt_finding_of_object(f, &object);
    } else if (x->a->space == WT_OBSERVED_GROUP && w->group)
        wt_finding_of_object(
            f, &(struct wt_object){.size = m->groups.ops->asked(m, w->group), .by = ""});
}

/* Whether a finding may be the first of its kind, whose texts count. */
static bool is_new(struct wt_check_race *r, const struct wt_finding *f)
{
    uint64_t pair = (f->pc * 31 + f->other.pc) * 4 + f->severity;
    for (unsigned i = 0; i < WT_TRAIL; i++)
        pair = pair * 31 + f->back[i] * 7 + f->other.back[i];
    const uint64_t key = pair * UINT64_C(0x9e3779b97f4a7c15) ^ f->object_number;
    uint64_t *place = &r->told_pairs[key >> 60];
    const bool new = *place != key;
    *place = key;
    return new;
}

/* ---- reports ---- */

/* One of the two accesses of a race. */
struct side {
    const struct race_record *record; /* NULL: the host's own */
    const struct race_wave *wave;
    wt_lanes lanes;
};

static bool is_kernels(const struct side *s)
{
    return s->record && !s->wave->bytes && !(s->wave->call && s->wave->call->copies);
}

static void put_calls(const struct wt_check_race *r, uint16_t number, uint64_t back[WT_TRAIL])
{
    const struct race_calls none = {{0}};
    memcpy(back, number ? &r->trail[number - 1] : &none, sizeof none);
}

/* The accesses of a finding; the first one is a kernel's, if either is. */
static void describe_sides(const struct wt_check_race *r, const struct side *main,
                           const struct side *other, struct wt_finding *f)
{
    if (main->record) {
        f->access = access_of(main->record->kind);
        f->bytes = main->wave->bytes ? main->wave->bytes : main->record->size;
    }
    if (is_kernels(main)) {
        f->pc = main->record->pc;
        f->time = main->record->time;
        f->lanes[0] = (uint64_t)main->lanes;
        f->lanes[1] = (uint64_t)(main->lanes >> 64);
        f->wave_id = main->wave->id;
        f->launch = main->wave->launch;
        f->groups = main->wave->home;
        f->entry = main->wave->entry;
        put_calls(r, main->record->calls, f->back);
        f->lanes_of = wt_lanes_count(main->lanes);
    }
    const bool apart = !main->wave || !other->wave || main->wave->call != other->wave->call;
    if (apart && main->wave && main->wave->call)
        f->calls = main->wave->call->calls;
    if (other->record) {
        f->other.access = access_of(other->record->kind);
        f->other.bytes = other->wave->bytes ? other->wave->bytes : other->record->size;
    }
    if (is_kernels(other)) {
        f->other.pc = other->record->pc;
        f->other.time = other->record->time;
        f->other.lanes[0] = (uint64_t)other->lanes;
        f->other.lanes[1] = (uint64_t)(other->lanes >> 64);
        f->other.wave_id = other->wave->id;
        put_calls(r, other->record->calls, f->other.back);
    } else if (other->record) {
        snprintf(f->other.wave, sizeof f->other.wave, "%s", other->wave->call->by);
    }
    if (apart && other->wave && other->wave->call)
        f->other_calls = other->wave->call->calls;
}

static void name_waves(const struct side *main, const struct side *other, struct wt_finding *f)
{
    if (is_kernels(main))
        wt_wave_name(&main->wave->name, f->wave, sizeof f->wave);
    if (is_kernels(other))
        wt_wave_name(&other->wave->name, f->other.wave, sizeof f->other.wave);
}

/* The order that two accesses of different operations miss. */
static void describe_calls(const struct side *main, const struct side *other, char *text,
                           size_t size)
{
    const struct wt_order_operation *a = main->wave->call, *b = other->wave->call;
    const char *lacks = !a || !b                ? NULL
                        : a->number < b->number ? wt_order_lacks(a, b)
                                                : wt_order_lacks(b, a);
    if (lacks)
        snprintf(text, size, "%s", lacks);
    else if (is_kernels(other))
        snprintf(text, size, "no call orders the two launches");
    else if (is_kernels(main))
        snprintf(text, size, "no call orders the kernel and %s", other->wave->call->by);
    else
        snprintf(text, size, "no call orders %s and %s", main->wave->call->by,
                 other->wave->call->by);
}

/* The one of two places where a finding of two instructions is, or would be. */
static struct race_told *told_of(struct race_access *x, const struct race_conflict *c)
{
    const uint64_t pair = x->a->pc * 31 + c->other.pc;
    struct race_told *two =
        &x->r->told[(pair * UINT64_C(0x9e3779b97f4a7c15) >> 40) % RACE_TOLD / 2 * 2];
    const struct wt_finding *first = &two->finding;
    return two + (first->pc != x->a->pc || first->other.pc != c->other.pc);
}

/* Whether a finding that was reported is like a conflict of two waves of one launch. */
static bool is_like(const struct race_told *told, const struct race_access *x,
                    const struct race_conflict *c, const struct side *mine,
                    const struct side *theirs)
{
    const struct wt_finding *f = &told->finding;
    const bool global = x->a->space == WT_OBSERVED_GLOBAL;
    return f->pc == x->a->pc && f->other.pc == c->other.pc &&
           f->severity == wt_finding_severity(f->kind, c->weaker) &&
           told->calls == x->record.calls && told->other_calls == c->other.calls &&
           f->access == access_of(x->record.kind) && f->other.access == access_of(c->other.kind) &&
           told->size == x->record.size && told->other_size == c->other.size &&
           f->space == (global ? WT_FOUND_GLOBAL : WT_FOUND_GROUP) &&
           told->launch == mine->wave->launch && told->launch == theirs->wave->launch &&
           told->call == mine->wave->call && told->call == theirs->wave->call &&
           (!global || c->at - f->object < f->object_size) && told->objects == wt_objects_state() &&
           told->names == wt_names_state() && told->reason == reason(x, c);
}

/* Reports a finding once more, of other waves or at another time. */
static void tell_again(struct race_access *x, const struct race_conflict *c,
                       const struct side *mine, const struct side *theirs, struct wt_finding *f)
{
    f->address = x->a->space == WT_OBSERVED_GROUP ? c->at % WT_WINDOW : c->at;
    describe_sides(x->r, mine, theirs, f);
    f->groups = x->a->group;
    f->wave[0] = f->other.wave[0] = '\0';
    x->r->found(x->r->context, f);
}

/* Whether a place is in the process's own memory, which a GPU uses after a page fault. */
static bool is_lent(const struct race_access *x, uint64_t at)
{
    const struct wt_region *region = wt_regions_at(&x->r->machine->regions, at);
    return x->a->space == WT_OBSERVED_GLOBAL && region && region->lent;
}

static bool is_in_heap(const struct race_access *x, uint64_t at)
{
    struct wt_object object;
    return x->a->space == WT_OBSERVED_GLOBAL &&
           wt_object_find(x->r->space, at, &object, NULL, NULL) && object.by &&
           strcmp(object.by, WT_CHECK_HEAP) == 0;
}

static bool are_of_runtime(const struct race_access *x, const struct race_conflict *c)
{
    const void *space = x->r->space;
    const uint64_t pc = x->a->pc, other = c->other.pc;
    return wt_functions_are_of_runtime(space, pc, other, false) ||
           (wt_functions_are_of_runtime(space, pc, other, true) && is_in_heap(x, c->at));
}

/* Whether the program orders the calls that have given the two operations (order.h). */
static bool is_judged(const struct wt_check_race *r, const struct side *a, const struct side *b)
{
    return !a->wave->call || !b->wave->call || a->wave->call == b->wave->call ||
           wt_order_judges(r->order, a->wave->call, b->wave->call);
}

void race_report(struct race_access *x, const struct race_conflict *c)
{
    struct wt_check_race *r = x->r;
    const struct wt_observed *a = x->a;
    const struct side mine = {&x->record, &r->wave[x->w->number - 1], c->lanes},
                      theirs = {&c->other, &r->wave[c->other.wave - 1], c->others};
    struct race_told *told = told_of(x, c);
    const bool turned = !is_kernels(&mine) && is_kernels(&theirs);
    const struct side *main = turned ? &theirs : &mine, *other = turned ? &mine : &theirs;
    const bool of_host = !is_kernels(other);
    bool begins;
    if ((a->pc && r->told_time == a->time && r->told_pc == a->pc && r->told_at == c->at) ||
        !is_judged(r, &mine, &theirs))
        return;
    if (told->reason && is_like(told, x, c, &mine, &theirs)) {
        tell_again(x, c, &mine, &theirs, &told->finding);
        return;
    }
    if (wt_allocator_of(r->space, a->pc, &begins) ||
        wt_allocator_of(r->space, c->other.pc, &begins) || are_of_runtime(x, c))
        return;
    const enum wt_finding_kind kind = of_host      ? WT_FOUND_HOST_RACE
                                      : c->in_step ? WT_FOUND_MISSING_WARP_SYNC
                                                   : WT_FOUND_RACE;
    struct wt_finding f = {.kind = kind,
                           .severity = wt_finding_severity(kind, c->weaker),
                           .space = !is_kernels(main)               ? WT_FOUND_HOST
                                    : a->space == WT_OBSERVED_GROUP ? WT_FOUND_GROUP
                                                                    : WT_FOUND_GLOBAL,
                           .address = a->space == WT_OBSERVED_GROUP ? c->at % WT_WINDOW : c->at,
                           .device = r->machine->device,
                           .times = 1};
    describe_sides(r, main, other, &f);
    if (!turned && is_kernels(main)) {
        const struct wt_wave_head *w = wt_machine_wave(r->machine, a->wave);
        f.entry = w->group ? r->machine->groups.ops->entry(r->machine, w->group) : 0;
        f.groups = a->group;
    }
    describe_object(x, c, &f);
    if (is_new(r, &f))
        name_waves(main, other, &f);
    if (main->wave->call != other->wave->call)
        describe_calls(main, other, f.text, sizeof f.text);
    else
        snprintf(f.text, sizeof f.text, "%s", reason(x, c));
    if (!f.has_object && !r->rules.spawns && !is_lent(x, c->at))
        return; /* memory of the runtime's. No object is known in a Vortex program's stacks, either,
                   nor in what the process lends its GPUs */
    if (race_wait_with(x, c, &f))
        return;
    r->found(r->context, &f);
    if (is_kernels(&mine) && !of_host && f.has_object && mine.wave->call == theirs.wave->call)
        *told = (struct race_told){.objects = wt_objects_state(),
                                   .names = wt_names_state(),
                                   .launch = mine.wave->launch,
                                   .call = mine.wave->call,
                                   .reason = reason(x, c),
                                   .calls = x->record.calls,
                                   .other_calls = c->other.calls,
                                   .size = x->record.size,
                                   .other_size = c->other.size,
                                   .finding = f};
}

void race_report_host(struct wt_check_race *r, const struct race_record *record, unsigned lane,
                      uint64_t addr, const struct wt_host_access *by)
{
    const struct side host = {.record = NULL}, theirs = {record, &r->wave[record->wave - 1],
                                                         wt_lane_bit(lane & ~(unsigned)RACE_WAVE)};
    const bool kernel = is_kernels(&theirs);
    const enum wt_access access = by->store ? WT_ACCESS_STORE : WT_ACCESS_LOAD;
    struct wt_object object;
    if (!wt_order_judges_host(r->order, by->thread, theirs.wave->call))
        return;
    struct wt_finding f = {.kind = WT_FOUND_HOST_RACE,
                           .severity = wt_finding_severity(WT_FOUND_HOST_RACE, false),
                           .space = kernel ? WT_FOUND_GLOBAL : WT_FOUND_HOST,
                           .access = access,
                           .address = addr,
                           .device = r->machine->device,
                           .calls = by->calls,
                           .times = 1};
    describe_sides(r, kernel ? &theirs : &host, kernel ? &host : &theirs, &f);
    if (kernel) {
        f.other.access = access;
        f.other_calls = by->calls;
        snprintf(f.other.wave, sizeof f.other.wave, "the host");
        const struct wt_order_operation *of = theirs.wave->call;
        snprintf(f.text, sizeof f.text,
                 wt_clocks_of(r->order->ended.done, of->stream) >= of->number
                     ? "no release fence for the system follows the kernel's packet"
                     : "the host has not waited for the kernel");
    } else {
        snprintf(f.text, sizeof f.text, "the host has not waited for %s", theirs.wave->call->by);
    }
    name_waves(&theirs, &host, &f);
    if (wt_object_find(r->space, addr, &object, NULL, NULL)) {
        wt_variable_within(&object, addr);
        wt_finding_of_object(&f, &object);
    }
    r->found(r->context, &f);
}
