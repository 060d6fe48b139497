/* See memory.h. */
#include "check/memory_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/heap.h"
#include "check/rows.h"
#include "check/start.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/judge.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/regions.h"

enum { NULL_BYTES = 1 << 16 };

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

/* Whether a decision of the run is ahead: it is to be repeated, or is one of a future that was
 * dropped. */
static bool has_decisions_ahead(const struct wt_check_memory *c)
{
    const size_t count = c->decisions.count;
    return count && c->decisions.list[count - 1].time >= c->machine->time;
}

static bool holds(void *context, uint64_t first, uint64_t size, bool write)
{
    struct wt_check_memory *c = context;
    struct wt_object object;
    struct wt_good good;
    if (c->no_access)
        return true;
    if (has_decisions_ahead(c))
        return false;
    if (memory_repeats(c))
        return true;
    if (memory_may_have_variables(c, first, first + size - 1))
        return false;
    if (known_good(c, first, first + size - 1, write))
        return true;
    if (wt_objects_judge(c->space, first, size, write, &object, &good) != WT_GOOD)
        return false;
    c->good[c->next++ % CACHED] = good;
    return true;
}

static bool passes(void *context, const struct wt_wave_head *w, const struct wt_lane_access *a,
                   uint64_t first, uint64_t last, uint64_t bits)
{
    struct wt_check_memory *c = context;
    if (c->no_access)
        return true;
    const bool may =
        !memory_repeats(c) && !has_decisions_ahead(c) && !(a->align && bits & (a->align - 1));
    if (a->space == WT_OBSERVED_GROUP)
        return may && (!c->variable || memory_uses_no_variable(c, w, a) ||
                       memory_is_recent(c, w, a, first, last));
    return may && (memory_is_recent(c, w, a, first, last) ||
                   (memory_uses_no_variable(c, w, a) && last + a->size > last &&
                    known_good(c, first, last + a->size - 1, a->kind != WT_WATCH_READ)));
}

/* ---- accesses of kernels ---- */

static struct allowed *allowed_page(struct wt_check_memory *c, uint64_t page)
{
    return &c->allowed[page / WT_PAGE_SIZE % PAGES];
}

/* Notes that a page may be accessed as an access in it, which is allowed, if all of it may. */
static void note_page(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t at)
{
    const uint64_t page = at & ~(uint64_t)WT_PAGE_MASK, last = page | WT_PAGE_MASK;
    const bool write = a->kind != WT_WATCH_READ;
    struct wt_object found, before, behind;
    struct allowed *one = allowed_page(c, page);
    if (wt_object_find(c->space, page, &found, &before, &behind) ||
        (behind.size && behind.addr <= last) ||
        !c->allows(c->allows_context, page, WT_PAGE_SIZE, write, before.size ? &before : &behind))
        return;
    if (one->page != page)
        *one = (struct allowed){.page = page};
    *(write ? &one->stores : &one->loads) = wt_objects_state();
}

/* Whether all lanes access such pages. */
static bool are_in_allowed_pages(struct wt_check_memory *c, const struct wt_lane_access *a,
                                 wt_lanes lanes, const uint64_t *at)
{
    const uint64_t state = wt_objects_state();
    const bool write = a->kind != WT_WATCH_READ, both = a->kind == WT_WATCH_ACCESS;
    WT_EACH_LANE(lane, lanes)
    {
        const uint64_t first = at[lane], page = first & ~(uint64_t)WT_PAGE_MASK;
        const struct allowed *one = allowed_page(c, page);
        if (one->page != page || (first & WT_PAGE_MASK) + a->size > WT_PAGE_SIZE ||
            (write ? one->stores : one->loads) != state || (both && one->loads != state))
            return false;
    }
    return true;
}

/* Whether an access outside of the objects is allowed nevertheless: then so are others around it
 * from now on, where no object is near. */
static bool is_allowed(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t at,
                       const struct wt_object *near)
{
    const uint64_t around = (UINT64_C(1) << 20) - 1;
    struct wt_good good = {at & ~around, at | around, true, wt_objects_state()};
    const struct wt_region *r = wt_regions_at(&c->machine->regions, at);
    if (r && r->lent && at + a->size <= r->addr + r->size) { /* the host's own memory */
        c->good[c->next++ % CACHED] =
            (struct wt_good){r->addr, r->addr + r->size - 1, r->writable, good.state};
        return true;
    }
    if (!c->allows || !c->allows(c->allows_context, at, a->size, a->kind != WT_WATCH_READ, near))
        return false;
    if (!near->size || near->addr > good.last || near->addr + near->size <= good.first)
        c->good[c->next++ % CACHED] = good;
    else
        note_page(c, a, at);
    return true;
}

static bool is_misaligned(const struct wt_lane_access *a, uint64_t at)
{
    return a->align && at & (a->align - 1);
}

/* Whether a load that is partly outside has more there than compilers widen it by: an aligned unit
 * that has no byte of an object. */
static bool has_unit_outside(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t at)
{
    const uint64_t unit = a->unit ? a->unit : WT_PAGE_SIZE, end = at + a->size - a->spare;
    for (uint64_t next; at < end; at = next) {
        struct wt_object near;
        struct wt_good good;
        next = (at | (unit - 1)) + 1;
        const enum wt_object_verdict verdict =
            wt_objects_judge(c->space, at, (next < end ? next : end) - at, false, &near, &good);
        if (verdict == WT_FREED || (verdict == WT_OUTSIDE && !is_allowed(c, a, at, &near)))
            return true;
    }
    return false;
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
        /* At an aligned address it would be inside. */
        bad->kind = is_misaligned(a, at) ? WT_FOUND_MISALIGNED : WT_FOUND_OUT_OF_BOUNDS;
        return is_misaligned(a, at) || memory_must_be_whole(a) || has_unit_outside(c, a, at);
    case WT_FREED:
        bad->kind = WT_FOUND_USE_AFTER_FREE;
        return true;
    case WT_READ_ONLY:
        bad->kind = WT_FOUND_READ_ONLY;
        return true;
    default:
        /* Intel's compiler accesses packed structures in private memory by dwords. */
        if (is_allowed(c, a, at, &bad->object))
            return false;
        bad->kind = at < NULL_BYTES ? WT_FOUND_NULL : WT_FOUND_OUT_OF_BOUNDS;
        if (at < NULL_BYTES)
            bad->object.size = 0;
        return true;
    }
}

/* The mistake of one lane's atomic operation that hardware drops; false: it does not. */
static bool is_lost(struct wt_check_memory *c, const struct wt_lane_access *a, uint64_t at,
                    struct mistake *bad)
{
    const struct wt_region *r = wt_regions_at(&c->machine->regions, at);
    if (!r || r->grain < (a->lost & ~(unsigned)WT_TORN))
        return false;
    bad->kind = WT_FOUND_LOST_ATOMIC;
    bad->at = at;
    bad->what = r->grain == WT_GRAIN_FINE_HOST
                    ? "fine-grained memory of the host, where the hardware drops it"
                    : "fine-grained memory, where the hardware drops it";
    if (!wt_object_find(c->space, at, &bad->object, NULL, NULL))
        bad->object.size = 0;
    return true;
}

/* Such an atomic is made, and told once an instruction. */
static void tell_torn(struct wt_check_memory *c, const struct wt_wave_head *w,
                      const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    struct mistake bad, all = {.lanes = 0};
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        bad = (struct mistake){.lanes = all.lanes | wt_lane_bit(lane)};
        if (is_lost(c, a, at[lane], &bad)) {
            bad.at = all.lanes ? all.at : bad.at;
            all = bad;
        }
    }
    if (!all.lanes)
        return;
    all.what = "memory of the host, where PCI Express has no such atomic: the host's threads may "
               "see it in two steps";
    struct wt_finding f = memory_finding(c, w, a, &all, WT_FOUND_GLOBAL);
    f.severity = wt_finding_severity(all.kind, true);
    c->found(c->context, &f);
}

static bool same_mistake(const struct mistake *a, const struct mistake *b)
{
    return a->kind == b->kind && a->object.number == b->object.number &&
           !a->object.size == !b->object.size;
}

/* `is`: of a lane. */
static wt_lanes judge_global(struct wt_check_memory *c, const struct wt_wave_head *w,
                             const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                             bool (*is)(struct wt_check_memory *c, const struct wt_lane_access *a,
                                        uint64_t at, struct mistake *bad))
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
        if (!is(c, a, at[lane], &one))
            continue;
        if (!refused && wt_allocator_of(c->space, a->pc, &begins))
            return 0;
        refused |= one.lanes;
        for (i = 0; i < count && !same_mistake(&bad[i], &one); i++)
            continue;
        if (i < count)
            bad[i].lanes |= one.lanes;
        else if (count < MOST)
            bad[count++] = one;
    }
    for (i = 0; i < count; i++)
        memory_report(c, w, a, &bad[i],
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
        const bool inside = at[lane] < room &&
                            (a->size <= room - at[lane] || memory_is_widened(a, at[lane], 0, room));
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
            memory_report(c, w, a, &bad[i], space);
        }
    return bad[0].lanes | bad[1].lanes;
}

/* Lanes that leave the variable whose address they use, as their family says. */
static wt_lanes judge_variable(struct wt_check_memory *c, const struct wt_wave_head *w,
                               const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    const struct wt_judged_variable *v = a->variable;
    enum wt_finding_space space;
    uint64_t first[WT_MAX_LANES];
    for (wt_lanes left = lanes; left; left &= left - 1)
        first[wt_lanes_lowest(left)] = v->first;
    const struct mistake bad = memory_beside(
        c, w, a, lanes, at, &(struct variable_of_lanes){v->name, first, v->size}, &space);
    if (bad.lanes)
        memory_report(c, w, a, &bad, space);
    return bad.lanes;
}

static wt_lanes judge_place(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                            const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at,
                            const struct wt_extent *e)
{
    struct wt_check_memory *c = context;
    const uint64_t first = e->low, last = e->high;
    uint64_t room;
    const bool aligned = !is_misaligned(a, e->any);
    switch (a->space) {
    case WT_OBSERVED_GROUP:
    case WT_OBSERVED_PRIVATE:
        if (!w->group)
            return 0;
        room = memory_room_of(m, w, a->space);
        if (aligned && last < room && a->size <= room - last)
            return 0;
        return judge_own(c, w, a, lanes, at, room,
                         a->space == WT_OBSERVED_GROUP ? WT_FOUND_GROUP : WT_FOUND_PRIVATE);
    case WT_OBSERVED_GLOBAL:
    case WT_OBSERVED_CONSTANT:
        if (aligned && last + a->size > last &&
            known_good(c, first, last + a->size - 1, a->kind != WT_WATCH_READ))
            return 0;
        if (aligned && are_in_allowed_pages(c, a, lanes, at))
            return 0;
        return judge_global(c, w, a, lanes, at, is_global_mistake);
    default:
        return 0;
    }
}

static wt_lanes judge(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                      const struct wt_lane_access *a, wt_lanes lanes, const uint64_t *at)
{
    struct wt_check_memory *c = context;
    if (c->no_access)
        return 0;
    c->now = (struct question){w, a, lanes, at, 0};
    if (memory_repeats(c))
        return memory_decided(c);
    memory_begin_question(c, w);
    if ((m->last_checked != UINT64_MAX || m->first_checked > 1) &&
        !wt_machine_checks(m, wt_machine_launch_of(m, w)))
        return 0;
    struct wt_extent e = wt_extent_of(lanes, at);
    if (!a->lost && !a->variable && !is_misaligned(a, e.any) &&
        memory_is_recent(c, w, a, e.low, e.high))
        return 0;
    wt_lanes refused = a->variable ? judge_variable(context, w, a, lanes, at)
                                   : memory_judge_origin(c, w, a, lanes, at, e.low, e.high);
    if (refused && refused != lanes)
        e = wt_extent_of(lanes & ~refused, at);
    if (refused != lanes)
        refused |= judge_place(context, m, w, a, lanes & ~refused, at, &e);
    if (a->lost & WT_TORN && refused != lanes)
        tell_torn(c, w, a, lanes & ~refused, at);
    else if (a->lost && refused != lanes)
        refused |= judge_global(c, w, a, lanes & ~refused, at, is_lost);
    if (!refused)
        memory_note_good(c, a, e.low, e.high);
    if (refused & ~c->now.told)
        memory_decide(
            c, w, (struct wt_decision){.lanes = refused & ~c->now.told, .kind = WT_DECISION_MORE});
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
    if (memory_repeats(c)) {
        memory_decided(c);
        return;
    }
    memory_begin_question(c, w);
    if (size)
        bad.object = object_of(c, base, size);
    memory_report(c, w, a, &bad, what ? WT_FOUND_IMAGE : WT_FOUND_GLOBAL);
}

/* ---- begin and end ---- */

static void archive(void *context, struct wt_archive *a)
{
    struct wt_check_memory *c = context;
    wt_decisions_archive(&c->decisions, a);
}

struct wt_check_memory *wt_check_memory_begin(const struct wt_check_start *start)
{
    struct wt_machine *m = start->machine;
    struct wt_check_memory *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct wt_check_memory){.judge = {.fn = judge,
                                            .holds = holds,
                                            .passes = passes,
                                            .outside = outside,
                                            .taken = memory_taken,
                                            .given_back = memory_given_back,
                                            .archive = archive,
                                            .is_allocator = memory_is_allocator,
                                            .allocator = memory_allocator,
                                            .context = c},
                                  .machine = m,
                                  .space = start->space,
                                  .last = UINT64_MAX,
                                  .names = UINT64_MAX,
                                  .tells_leaks = start->leaks,
                                  .no_access = start->no_access,
                                  .found = start->found,
                                  .context = start->context};
    m->judge = &c->judge;
    wt_machine_forget_code(m); /* its handlers may be others */
    return c;
}

struct wt_check_memory *wt_check_memory_repeat(struct wt_machine *m, struct wt_archive *a)
{
    struct wt_check_memory *c =
        wt_check_memory_begin(&(struct wt_check_start){.machine = m, .space = m});
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
    if (c->space != space) {
        memset(c->good, 0, sizeof c->good);
        c->names = UINT64_MAX;
    }
    c->space = space;
    c->machine->judge = &c->judge;
}

void wt_check_memory_set_allows(struct wt_check_memory *c, wt_check_allows_fn *allows,
                                void *context)
{
    c->allows = allows;
    c->allows_context = context;
}

void wt_check_memory_set_variables(struct wt_check_memory *c, wt_check_variable_fn *variable,
                                   void *context)
{
    c->variable = variable;
    c->variable_context = context;
}

void wt_check_memory_set_stacks(struct wt_check_memory *c, const struct wt_check_stacks *stacks)
{
    free(c->on_stack);
    c->on_stack = calloc(c->machine->waves, sizeof *c->on_stack);
    c->stacks = *stacks;
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
    free(c->leak);
    wt_map_free_blocks(&c->taken, free);
    free(c->on_stack);
    memory_free_sites(c);
    wt_decisions_free(&c->decisions);
    free(c);
}
