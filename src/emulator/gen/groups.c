/*
 * Walks and thread groups: where groups start, the first registers of their threads (Skylake PRM
 * volume 7, "GPGPU Thread Payload"), their barrier, their end. Groups of several walks share the
 * subslices.
 */
#include "emulator/gen/internal.h"
#include "emulator/machine/fill.h"
#include "object/gen_steps.h"

#include <stdlib.h>
#include <string.h>

static uint32_t subslice_of(uint32_t thread)
{
    return thread / GEN_SUBSLICE_THREADS;
}

/* ---- starting ---- */

/* Channels that a thread starts with: all, but for a group's last one. */
static uint32_t dispatch_mask(const struct gen_walk *w, unsigned index)
{
    const uint32_t all = w->simd == 32 ? UINT32_MAX : ((uint32_t)1 << w->simd) - 1;
    return index + 1u == w->threads ? all & w->last_mask : all;
}

/* r0: the hardware's description of the group, for each thread. */
static void fill_header(struct gen_thread *t, const struct gen_walk *w)
{
    const struct gen_group *g = t->group;
    const uint32_t header[8] = {
        [1] = g->coordinate[0],
        [2] = (uint32_t)(g - t->device->group) % 16 << 24, /* barrier */
        [3] = (w->samplers & ~31u) | (w->has_scratch ? w->scratch_code : 0u),
        [4] = w->binding_table & ~31u,
        /* The scratch memory of this thread, and its number for other per-thread memory: FFTID. */
        [5] = (w->has_scratch ? w->scratch + (t->id << (10 + w->scratch_code)) : 0u) | t->id,
        [6] = g->coordinate[1],
        [7] = g->coordinate[2],
    };
    for (unsigned i = 0; i < 8; i++)
        wt_store_le(t->g->r + 4 * i, header[i], 4);
}

/* r1 on: the thread's own block, then the block that all threads share. */
static bool fill_payload(struct gen_thread *t, const struct gen_walk *w)
{
    struct gen_device *d = t->device;
    uint8_t *to = t->g->r + GEN_GRF_BYTES;
    return gen_device_read(d, w->payload + w->cross_bytes + (uint64_t)t->index * w->thread_bytes,
                           to, w->thread_bytes) &&
           gen_device_read(d, w->payload, to + w->thread_bytes, w->cross_bytes);
}

/* Control and state registers as a thread finds them. */
static void fill_state(struct gen_thread *t, const struct gen_walk *w)
{
    struct gen_registers *g = t->g;
    const unsigned slot = t->id % GEN_SUBSLICE_THREADS;
    const unsigned eu = slot / GEN_EU_THREADS, thread = slot % GEN_EU_THREADS;
    const unsigned subslice = subslice_of(t->id);
    g->cr[0] = (w->enables >> 16 & 1) | (w->enables >> 18 & 1) << 2;
    if (w->enables & GEN_ENABLE_ILLEGAL)
        g->cr[1] |= GEN_CR1_ENABLE_ILLEGAL;
    if (w->enables & GEN_ENABLE_SOFTWARE)
        g->cr[1] |= GEN_CR1_ENABLE_SOFTWARE;
    if (w->enables & GEN_ENABLE_STACK)
        g->cr[1] |= GEN_CR1_ENABLE_STACK;
    /* Thread, EU, subslice, slice; the number that r0.5 has, too. */
    g->sr[0] = thread | eu << 8 | subslice % 3 << 12 | subslice / 3 << 14 | (t->id & 0xff) << 24;
    g->sr[2] = t->mask; /* dispatch mask */
    g->ce = t->mask;
}

/* The beginning of the memory for arrays of work-items, where unoptimised code has all variables;
 * false: the kernel has none. */
static bool private_base(struct gen_device *d, const struct gen_walk *w, uint64_t *base)
{
    const uint64_t address = (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1;
    uint8_t bytes[8];
    if (!w->private_bytes || !gen_device_read(d, w->payload + w->private_at, bytes, sizeof bytes))
        return false;
    *base = wt_load_le(bytes, sizeof bytes) & address;
    return true;
}

/* Fills a new thread's registers, scratch and private memory with the values of memory that nobody
 * has written (machine/fill.h). The memory for arrays is the host's, which its runtime has used
 * before: it is filled in any case. */
static void fill_thread(struct gen_device *d, struct gen_thread *t, const struct gen_walk *w)
{
    const struct wt_fill *fill = &d->config.fill;
    const uint64_t id = wt_machine_wave_id(&d->machine, t->id);
    uint64_t base;
    enum { BEHIND_SCRATCH = 1 << 24 };
    uint8_t bytes[1024];
    const uint64_t length = private_base(d, w, &base) ? w->private_bytes : 0;
    for (uint64_t at = 0; at < length; at += sizeof bytes) {
        const uint64_t left = length - at, part = left < sizeof bytes ? left : sizeof bytes;
        wt_fill_bytes(fill, wt_fill_place(WT_FILLED_PRIVATE, id) + BEHIND_SCRATCH + at, bytes,
                      part);
        gen_write_memory(&d->machine, d->machine.waves, 0,
                         base + (uint64_t)w->private_bytes * t->id + at, bytes, part);
    }
    if (fill->kind == WT_FILL_ZERO)
        return;
    wt_fill_bytes(fill, wt_fill_place(WT_FILLED_REGISTERS, id), t->g->r, sizeof t->g->r);
    wt_fill_bytes(fill, wt_fill_place(WT_FILLED_FLAGS, id), t->g->acc, sizeof t->g->acc);
    const uint64_t size = w->has_scratch ? UINT64_C(1) << (10 + w->scratch_code) : 0;
    wt_machine_fill_range(&d->machine, wt_fill_place(WT_FILLED_PRIVATE, id),
                          w->general + w->scratch + size * t->id, size);
}

static bool start_thread(struct wt_machine *m, uint32_t thread, struct wt_group_head *g,
                         unsigned index)
{
    struct gen_device *d = (struct gen_device *)m;
    struct gen_thread *t = &d->thread[thread];
    const struct gen_walk *w = &d->walk[g->launch].walk;
    struct gen_registers *registers = t->g;
    if (!registers && !(registers = aligned_alloc(64, sizeof *registers)))
        return false;
    memset(registers, 0, sizeof *registers);
    /* The slot may be that of the thread whose last instruction is being executed: its turn goes
     * on. */
    const uint64_t left = t->left;
    *t = (struct gen_thread){.g = registers,
                             .device = d,
                             .id = t->id,
                             .index = (uint16_t)index,
                             .incarnation = t->incarnation + 1,
                             .left = left,
                             .base = w->instructions,
                             .pc = w->instructions + w->kernel};
    wt_group_wave_begins(m, &t->head, g);
    fill_thread(d, t, w);
    t->mask = t->dispatched = dispatch_mask(w, index);
    fill_state(t, w);
    fill_header(t, w);
    gen_thread_begins(t);
    gen_update_ready(t);
    return fill_payload(t, w);
}

/* ---- groups ---- */

static bool has_room(const struct gen_device *d, const struct gen_running *k, uint32_t subslice)
{
    const struct wt_core_room *room = &d->machine.groups.room[subslice];
    return wt_count_ones(room->waves) + k->walk.threads <= GEN_SUBSLICE_THREADS &&
           room->local + k->walk.slm_bytes <= GEN_SLM_BYTES;
}

static void begin_group(struct wt_machine *m, struct wt_group_head *g,
                        const struct wt_group_plan *plan)
{
    ((struct gen_group *)g)->number = plan->launch->next;
}

/* The walk whose next group the subslice gets: the oldest one that has room there. */
static struct gen_running *choose(struct gen_device *d, uint32_t subslice)
{
    struct gen_running *chosen = NULL;
    for (unsigned i = 0; i < GEN_WALKS; i++) {
        struct gen_running *k = &d->walk[i];
        if (k->active && k->next < k->total && (!chosen || k->id < chosen->id) &&
            has_room(d, k, subslice))
            chosen = k;
    }
    return chosen;
}

static bool plan_group(struct wt_machine *m, uint32_t subslice, struct wt_group_plan *plan)
{
    struct gen_device *d = (struct gen_device *)m;
    struct gen_running *k = choose(d, subslice);
    if (!k)
        return false;
    const struct gen_walk *w = &k->walk;
    plan->launch = &k->head;
    plan->number = (uint32_t)(k - d->walk);
    plan->local_size = w->slm_bytes;
    uint64_t n = k->next;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t count = w->end[i] - w->start[i];
        plan->coordinate[i] = w->start[i] + (uint32_t)(n % count);
        n /= count;
    }
    plan->waves = w->threads;
    uint64_t open = ~m->groups.room[subslice].waves;
    for (unsigned i = 0; i < w->threads; i++, open &= open - 1)
        plan->slot[i] = (uint32_t)__builtin_ctzll(open);
    return true;
}

static bool groups_wait(struct wt_machine *m)
{
    const struct gen_device *d = (const struct gen_device *)m;
    for (unsigned i = 0; i < GEN_WALKS; i++)
        if (d->walk[i].active && d->walk[i].next < d->walk[i].total)
            return true;
    return false;
}

static uint64_t launch_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return ((const struct gen_device *)m)->walk[g->launch].walk.launch;
}

static uint64_t entry_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    const struct gen_walk *w = &((const struct gen_device *)m)->walk[g->launch].walk;
    return w->instructions + w->kernel;
}

/* Whether an access is one to the arrays of work-items. */
static bool is_private(struct gen_device *d, const struct gen_walk *w, const struct wt_observed *a)
{
    uint64_t base;
    return a->space == WT_OBSERVED_GLOBAL && private_base(d, w, &base) &&
           a->at[wt_lanes_lowest(a->lanes)] - base < (uint64_t)w->private_bytes * d->machine.waves;
}

/* Barriers of sub-groups have no code: by lines. Instructions of one line are of one statement, as
 * long as no lane accesses it again that has stored there. */
static enum wt_step_order step(struct wt_machine *m, const struct wt_group_head *g,
                               struct wt_lane_step *step, const struct wt_observed *a)
{
    struct gen_device *d = (struct gen_device *)m;
    const struct gen_steps *steps = d->steps;
    const struct gen_walk *w = &d->walk[g->launch].walk;
    const uint64_t entry = w->instructions + w->kernel;
    if (w->in_step)
        return WT_STEP_ORDERED;
    if (!gen_steps_has_barriers(steps))
        return WT_STEP_NONE;
    if (!gen_steps_knows(steps))
        return WT_STEP_UNKNOWN;
    if (!a || !gen_steps_has_lines(steps))
        return WT_STEP_MAYBE;
    if ((step->pc == a->pc && step->time == a->time) || is_private(d, w, a))
        return WT_STEP_NONE;
    struct gen_thread *t = &d->thread[a->wave];
    const struct gen_step from = gen_steps_at(steps, step->pc - entry),
                          to = gen_steps_at(steps, a->pc - entry);
    const bool same = from.line == to.line, back = a->pc <= step->pc ||
                                                   (t->back_to && t->back_to <= step->pc) ||
                                                   (same && step->wrote & a->lanes);
    const bool orders =
        step->pc && (gen_steps_between(steps, from, to, back) ||
                     (!back && gen_steps_go_back(steps, step->pc - entry, a->pc - entry) &&
                      gen_steps_between(steps, from, to, true)));
    t->back_to = 0;
    *step = (struct wt_lane_step){a->pc, a->time, same && !orders ? step->wrote : 0};
    if (a->kind != WT_WATCH_READ)
        step->wrote |= a->lanes;
    return orders ? WT_STEP_ORDERED : WT_STEP_NONE;
}

static bool unwaited(struct wt_machine *m, const struct wt_group_head *g, size_t n, uint64_t *pc)
{
    const struct gen_device *d = (const struct gen_device *)m;
    const struct gen_walk *w = &d->walk[g->launch].walk;
    uint64_t at;
    const bool there = gen_steps_unwaited(d->steps, n, &at);
    *pc = there ? w->instructions + w->kernel + at : 0;
    return there;
}

static uint64_t asked(const struct wt_machine *m, const struct wt_group_head *g)
{
    const uint32_t bytes = ((const struct gen_device *)m)->walk[g->launch].walk.slm_asked;
    return bytes && bytes < g->local_size ? bytes : g->local_size;
}

static uint64_t private_asked(const struct wt_machine *m, const struct wt_wave_head *w)
{
    const struct gen_walk *walk = &gen_walk_of((const struct gen_thread *)w)->walk;
    return walk->has_scratch ? UINT64_C(1024) << walk->scratch_code : 0;
}

static struct wt_launch_head *alone(struct wt_machine *m, const struct wt_group_head *g)
{
    struct gen_device *d = (struct gen_device *)m;
    bool other = false;
    for (unsigned i = 0; i < GEN_WALKS; i++)
        other |= d->walk[i].active && i != g->launch;
    return other ? NULL : &d->walk[g->launch].head;
}

static void end_group(struct wt_machine *m, struct wt_group_head *group)
{
    struct gen_group *g = (struct gen_group *)group;
    struct gen_thread *thread = ((struct gen_device *)m)->thread;
    g->arrived = 0;
    for (uint32_t i = 0; i < m->waves; i++)
        if (thread[i].active && thread[i].group == g)
            gen_thread_end(&thread[i]);
}

static void work_of(const struct wt_machine *m, const struct wt_group_head *g,
                    struct wt_group_work *work)
{
    const struct gen_walk *w = &((const struct gen_device *)m)->walk[g->launch].walk;
    memcpy(work->block, w->block, sizeof work->block);
    memcpy(work->grid, w->grid, sizeof work->grid);
    work->lanes = w->simd;
}

const struct wt_group_ops gen_group_ops = {
    .waiting = groups_wait,
    .plan = plan_group,
    .begin = begin_group,
    .start_wave = start_thread,
    .home = gen_group_home,
    .asked = asked,
    .private_asked = private_asked,
    .launch = launch_of,
    .entry = entry_of,
    .step = step,
    .unwaited = unwaited,
    .alone = alone,
    .work = work_of,
    .end_group = end_group,
    .refusal = "a thread of the group cannot be started",
};

void gen_device_set_steps(struct gen_device *d, const struct gen_steps *steps)
{
    d->steps = steps;
}

enum wt_status gen_device_walk(struct gen_device *d, const struct gen_walk *walk,
                               struct wt_error *err)
{
    assert(walk && err);
    struct gen_running *k = NULL;
    uint64_t last = 0, total = 1;
    for (unsigned i = GEN_WALKS; i--;) {
        if (!d->walk[i].active)
            k = &d->walk[i];
        last = d->walk[i].id > last ? d->walk[i].id : last;
    }
    if (!k)
        return wt_fail(err, WT_STATE, "%u walks are under way already", GEN_WALKS);
    if (walk->simd != 8 && walk->simd != 16 && walk->simd != 32)
        return wt_fail(err, WT_INVALID, "threads of %u channels; 8, 16 and 32 are possible",
                       walk->simd);
    if (!walk->threads || walk->threads > GEN_SUBSLICE_THREADS)
        return wt_fail(err, WT_INVALID, "a group of %u threads; a subslice has %u", walk->threads,
                       GEN_SUBSLICE_THREADS);
    if (walk->has_scratch && walk->scratch_code > GEN_MOST_SCRATCH_CODE)
        return wt_fail(err, WT_INVALID, "scratch memory of size code %u; %u is the most",
                       walk->scratch_code, GEN_MOST_SCRATCH_CODE);
    if (walk->slm_bytes > GEN_SLM_BYTES)
        return wt_fail(err, WT_INVALID,
                       "%u bytes of shared local memory for a group; a subslice has %u",
                       walk->slm_bytes, GEN_SLM_BYTES);
    if (walk->cross_bytes + walk->thread_bytes > GEN_REGISTER_FILE - GEN_GRF_BYTES ||
        (walk->cross_bytes | walk->thread_bytes) % GEN_GRF_BYTES)
        return wt_fail(err, WT_INVALID,
                       "a payload of %u and %u bytes does not fit a thread's registers",
                       walk->cross_bytes, walk->thread_bytes);
    if (!gen_mapped(d, walk->payload,
                    walk->cross_bytes + (uint64_t)walk->thread_bytes * walk->threads, false))
        return wt_fail(err, WT_INVALID,
                       "no memory is mapped at 0x%llx, where the payload should be",
                       (unsigned long long)walk->payload);
    for (unsigned i = 0; i < 3; i++) {
        if (walk->end[i] <= walk->start[i])
            return wt_fail(err, WT_INVALID, "a walk without groups");
        if (__builtin_mul_overflow(total, (uint64_t)(walk->end[i] - walk->start[i]), &total))
            return wt_fail(err, WT_INVALID, "a walk of more than 2^64 groups");
    }
    *k = (struct gen_running){.active = true, .walk = *walk, .id = last + 1, .total = total};
    k->walk.launch = wt_machine_launch(&d->machine, walk->launch);
    if (!d->machine.active)
        wt_turns_begin(&d->machine.turns, walk->launch);
    wt_groups_pump(&d->machine);
    if (d->machine.fault.kind == WT_FAULT_HOST)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for the kernel's threads");
    return WT_OK;
}

/* ---- barrier ---- */

/* Each thread of the group has signalled: all are notified. */
static void release_barrier(struct gen_group *g, struct gen_device *d)
{
    struct gen_thread *t = &d->thread[g->core * GEN_SUBSLICE_THREADS];
    g->arrived = 0;
    for (uint32_t left = g->waves; left; t++) {
        if (t->group != g)
            continue;
        left--;
        t->g->n[0]++;
        if (t->waits) {
            t->waits = false;
            gen_update_ready(t);
        }
        wt_wave_tell_release(&d->machine, &t->head, t->mask, 0);
    }
}

void gen_barrier(struct gen_thread *t, uint64_t pc)
{
    assert(t->active);
    wt_wave_tell_arrival(&t->device->machine, &t->head, pc, t->mask, 0);
    if (++t->group->arrived >= t->group->waves)
        release_barrier(t->group, t->device);
}

void gen_thread_end(struct gen_thread *t)
{
    assert(t->active && t->group->waves > 0);
    struct gen_device *d = t->device;
    struct gen_group *g = t->group;
    struct gen_running *k = &d->walk[g->launch];
    wt_group_wave_leaves(&d->machine, &t->head);
    t->waits = false;
    gen_update_ready(t);
    if (!wt_group_wave_ended(&d->machine, &g->head)) {
        if (g->arrived && g->arrived >= g->waves)
            release_barrier(g, d);
        return;
    }
    wt_launch_done(&d->machine, &k->head, &g->head);
    wt_groups_pump(&d->machine);
}
