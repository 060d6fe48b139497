/* Objects that kernels make and free: of the device's heap, and of the kernels' own allocator. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/heap.h"
#include "check/memory_state.h"
#include "emulator/machine/heads.h"

/* Memory of the device's heap that a kernel has taken. */
struct taken {
    uint64_t launch, group;
    size_t finding; /* its number in `leak` */
};

static void note_taken(struct wt_check_memory *c, const struct wt_wave_head *w,
                       const struct wt_lane_access *call, uint64_t addr)
{
    const struct mistake leak = {.kind = WT_FOUND_LEAK,
                                 .lanes = wt_lane_bit(call->lane),
                                 .what = WT_CHECK_HEAP,
                                 .frees = true};
    const struct wt_finding now = memory_finding(c, w, call, &leak, WT_FOUND_GLOBAL);
    size_t at = 0;
    while (at < c->leaks && c->leak[at].pc != call->pc)
        at++;
    struct wt_finding *grown = wt_array_grow(c->leak, &c->leak_room, at + 1, sizeof *grown);
    struct taken *taken = wt_map_block(&c->taken, addr, sizeof *taken);
    if (grown)
        c->leak = grown;
    if (!grown || !taken)
        return;
    if (at == c->leaks)
        grown[c->leaks++] = now;
    *taken = (struct taken){now.launch, now.groups, at};
}

void memory_taken(void *context, const struct wt_wave_head *w, const struct wt_lane_access *call,
                  uint64_t addr, uint64_t size)
{
    struct wt_check_memory *c = context;
    if (memory_repeats(c))
        return;
    memory_begin_question(c, w);
    memory_decide(c, w, (struct wt_decision){.address = addr, .size = size, .takes = true});
    /* Which thread of the host runs the machine says nothing of the object. */
    wt_object_made_before(c->space, addr, size, WT_CHECK_HEAP, &(struct wt_call_stack){.depth = 0});
    if (c->tells_leaks)
        note_taken(c, w, call, addr);
}

struct heap_left {
    struct wt_check_memory *check;
    struct wt_object *list; /* the table is locked while they are looked for */
    size_t count, room;
};

static bool add_left(void *context, const struct wt_object *object)
{
    struct heap_left *l = context;
    if (object->freed || strcmp(object->by, WT_CHECK_HEAP) != 0 ||
        !wt_map_find(&l->check->taken, object->addr))
        return true;
    struct wt_object *grown = wt_array_grow(l->list, &l->room, l->count + 1, sizeof *grown);
    if (!grown)
        return false;
    l->list = grown;
    grown[l->count++] = *object;
    return true;
}

void wt_check_memory_tell_leaks(struct wt_check_memory *c)
{
    struct heap_left l = {.check = c};
    if (c->taken.count)
        wt_objects_of(c->space, add_left, &l);
    for (size_t i = 0; i < l.count; i++) {
        const struct taken *taken = wt_map_block(&c->taken, l.list[i].addr, sizeof *taken);
        struct wt_finding f = c->leak[taken->finding];
        f.launch = taken->launch;
        f.groups = taken->group;
        wt_finding_of_object(&f, &l.list[i]);
        c->found(c->context, &f);
    }
    free(l.list);
    wt_map_free_blocks(&c->taken, free);
}

bool memory_given_back(void *context, const struct wt_wave_head *w,
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
    if (memory_repeats(c))
        return !memory_decided(c);
    memory_begin_question(c, w);
    const bool there = wt_object_find(c->space, addr, &bad.object, NULL, NULL);
    if (there && bad.object.addr == addr && strcmp(bad.object.by, WT_CHECK_HEAP) == 0) {
        if (!bad.object.freed) {
            memory_decide(
                c, w,
                (struct wt_decision){.address = addr, .size = bad.object.size, .frees = true});
            return wt_object_freed(c->space, addr, "free");
        }
        bad.kind = WT_FOUND_DOUBLE_FREE;
        bad.what = "free: the memory was freed before";
    }
    memory_report(c, w, call, &bad, WT_FOUND_GLOBAL);
    return false;
}

/* ---- the allocator of kernels ---- */

enum { CALL = 4 }; /* bytes of an instruction that calls it */

/* A call of a wave's that has not returned yet. */
struct heap_call {
    uint32_t wave;
    uint64_t incarnation, returns;
    wt_lanes lanes;
    uint64_t size[128]; /* size of each lane */
};

static struct heap_call *call_of(struct wt_check_memory *c, const struct wt_wave_head *w,
                                 uint64_t pc)
{
    for (size_t i = 0; i < c->calls; i++)
        if (c->call[i].returns == pc &&
            (!w || (c->call[i].wave == w->id && c->call[i].incarnation == w->incarnation)))
            return &c->call[i];
    return NULL;
}

bool memory_is_allocator(void *context, uint64_t pc)
{
    struct wt_check_memory *c = context;
    bool begins;
    return (wt_allocator_of(c->space, pc, &begins) && begins) || call_of(c, NULL, pc);
}

static void allocates(struct wt_check_memory *c, const struct wt_wave_head *w, uint64_t returns,
                      wt_lanes lanes, const uint64_t *size)
{
    /* Those of a wave that has ended, or of a future that was dropped, do not return. */
    for (size_t i = c->calls; i-- > 0;)
        if (c->call[i].wave == w->id &&
            (c->call[i].incarnation != w->incarnation || c->call[i].returns == returns))
            c->call[i] = c->call[--c->calls];
    struct heap_call *grown = wt_array_grow(c->call, &c->call_room, c->calls + 1, sizeof *grown);
    if (!grown)
        return;
    c->call = grown;
    grown = &grown[c->calls++];
    *grown = (struct heap_call){w->id, w->incarnation, returns, lanes, {0}};
    for (; lanes; lanes &= lanes - 1)
        grown->size[wt_lanes_lowest(lanes)] = size[wt_lanes_lowest(lanes)];
}

static void allocated(struct wt_check_memory *c, const struct wt_wave_head *w,
                      struct heap_call *call, const uint64_t *addr)
{
    for (wt_lanes left = call->lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        if (addr[lane] && call->size[lane])
            memory_taken(c, w, &(struct wt_lane_access){.pc = call->returns - CALL, .lane = lane},
                         addr[lane], call->size[lane]);
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
        const struct wt_lane_access call = {.pc = returns - CALL, .lane = lane};
        if (addr[lane] &&
            (memory_repeats(c) || wt_object_find(c->space, addr[lane], &o, NULL, NULL)) &&
            !memory_given_back(c, w, &call, addr[lane]))
            refused |= wt_lane_bit(lane);
    }
    return refused;
}

wt_lanes memory_allocator(void *context, struct wt_machine *m, const struct wt_wave_head *w,
                          uint64_t pc, uint64_t returns, wt_lanes lanes, const uint64_t *value)
{
    struct wt_check_memory *c = context;
    struct heap_call *call = call_of(c, w, pc);
    bool begins;
    if (call)
        allocated(c, w, call, value);
    const enum wt_allocator what = wt_allocator_of(c->space, pc, &begins);
    if (begins && what == WT_ALLOCATES)
        allocates(c, w, returns, lanes, value);
    return begins && what == WT_FREES ? frees(c, w, returns, lanes, value) : 0;
}
