/*
 * Walks and thread groups: where groups start, the first registers of their threads (Skylake PRM
 * volume 7, "GPGPU Thread Payload"), their barrier, their end. Groups of several walks share the
 * subslices.
 */
#include "emulator/gen/internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t subslice_of(uint32_t thread)
{
    return thread / GEN_SUBSLICE_THREADS;
}

/* The bit of a thread's or a group's slot in its subslice. */
static uint64_t slot_bit(uint32_t slot)
{
    return (uint64_t)1 << slot % GEN_SUBSLICE_THREADS;
}

void gen_count_taken(struct gen_device *d)
{
    for (uint32_t i = 0; i < d->config.subslices; i++) {
        struct gen_room *room = &d->room[i];
        *room = (struct gen_room){0};
        for (uint32_t k = 0; k < GEN_SUBSLICE_THREADS; k++) {
            const struct gen_group *g = &d->group[i * GEN_SUBSLICE_THREADS + k];
            const struct gen_thread *t = &d->thread[i * GEN_SUBSLICE_THREADS + k];
            room->threads_free |= (uint64_t)!t->active << k;
            room->groups_free |= (uint64_t)!g->used << k;
            room->slm_taken += g->used ? g->slm_size : 0;
        }
    }
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

static bool start_thread(struct gen_device *d, struct gen_thread *t, struct gen_group *g,
                         unsigned index)
{
    const struct gen_walk *w = &d->walk[g->walk].walk;
    struct gen_registers *registers = t->g;
    if (!registers && !(registers = aligned_alloc(64, sizeof *registers)))
        return false;
    memset(registers, 0, sizeof *registers);
    /* The slot may be that of the thread whose last instruction is being executed: its turn goes
     * on. */
    const uint64_t left = t->left;
    *t = (struct gen_thread){.g = registers,
                             .device = d,
                             .group = g,
                             .id = t->id,
                             .index = (uint16_t)index,
                             .incarnation = t->incarnation + 1,
                             .active = true,
                             .left = left,
                             .base = w->instructions,
                             .pc = w->instructions + w->kernel};
    t->mask = t->dispatched = dispatch_mask(w, index);
    fill_state(t, w);
    fill_header(t, w);
    gen_thread_begins(t);
    d->machine.active++;
    d->room[subslice_of(t->id)].threads_free &= ~slot_bit(t->id);
    gen_update_ready(t);
    return fill_payload(t, w);
}

/* ---- groups ---- */

static bool has_room(const struct gen_device *d, const struct gen_running *k, uint32_t subslice)
{
    const struct gen_room *room = &d->room[subslice];
    return (unsigned)__builtin_popcountll(room->threads_free) >= k->walk.threads &&
           room->slm_taken + k->walk.slm_bytes <= GEN_SLM_BYTES;
}

static bool start_group(struct gen_device *d, struct gen_running *k, uint32_t subslice)
{
    assert(k->next < k->total);
    struct gen_room *room = &d->room[subslice];
    const uint32_t first = subslice * GEN_SUBSLICE_THREADS;
    struct gen_group *g = &d->group[first + (unsigned)__builtin_ctzll(room->groups_free)];
    const struct gen_walk *w = &k->walk;
    uint8_t *slm = g->slm ? g->slm : malloc(GEN_SLM_BYTES);
    if (!slm)
        return false;
    memset(slm, 0, w->slm_bytes);
    *g = (struct gen_group){.slm = slm,
                            .slm_size = w->slm_bytes,
                            .subslice = subslice,
                            .number = k->next,
                            .walk = (uint8_t)(k - d->walk),
                            .threads = w->threads,
                            .used = true};
    uint64_t n = k->next++;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t count = w->end[i] - w->start[i];
        g->coordinate[i] = w->start[i] + (uint32_t)(n % count);
        n /= count;
    }
    room->slm_taken += w->slm_bytes;
    room->groups_free &= room->groups_free - 1;
    for (unsigned i = 0; i < w->threads; i++)
        if (!start_thread(d, &d->thread[first + (unsigned)__builtin_ctzll(room->threads_free)], g,
                          i))
            return false;
    return true;
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

void gen_walk_pump(struct gen_device *d)
{
    bool started = true;
    while (started) {
        started = false;
        for (uint32_t i = 0; i < d->config.subslices; i++) {
            struct gen_running *k = choose(d, i);
            if (!k)
                continue;
            if (!start_group(d, k, i)) {
                d->machine.fault = (struct wt_fault){
                    .kind = WT_FAULT_HOST,
                    .time = d->machine.time,
                    .text = "a thread of the group cannot be started",
                };
                return;
            }
            started = true;
        }
    }
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
    gen_walk_pump(d);
    if (d->machine.fault.kind == WT_FAULT_HOST)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for the kernel's threads");
    return WT_OK;
}

/* ---- barrier ---- */

/* Each thread of the group has signalled: all are notified. */
static void release_barrier(struct gen_group *g, struct gen_device *d)
{
    struct gen_thread *t = &d->thread[g->subslice * GEN_SUBSLICE_THREADS];
    g->arrived = 0;
    for (unsigned i = 0; i < GEN_SUBSLICE_THREADS; i++, t++) {
        if (t->group != g)
            continue;
        t->g->n[0]++;
        t->waits = false;
        gen_update_ready(t);
    }
}

void gen_barrier(struct gen_thread *t)
{
    assert(t->active);
    if (++t->group->arrived >= t->group->threads)
        release_barrier(t->group, t->device);
}

void gen_thread_end(struct gen_thread *t)
{
    assert(t->active && t->group->threads > 0);
    struct gen_device *d = t->device;
    struct gen_group *g = t->group;
    struct gen_running *k = &d->walk[g->walk];
    t->active = t->waits = false;
    gen_update_ready(t);
    t->group = NULL;
    d->machine.active--;
    d->room[subslice_of(t->id)].threads_free |= slot_bit(t->id);
    if (--g->threads) {
        if (g->arrived && g->arrived >= g->threads)
            release_barrier(g, d);
        return;
    }
    g->used = false;
    d->room[g->subslice].slm_taken -= g->slm_size;
    d->room[g->subslice].groups_free |= slot_bit((uint32_t)(g - d->group));
    if (++k->done == k->total)
        k->active = false;
    gen_walk_pump(d);
}
