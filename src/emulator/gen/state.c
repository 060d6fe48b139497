/* The parts of the device's state, for snapshots and core files. See machine/archive.h. */
#include "emulator/machine/archive.h"
#include "emulator/machine/archive_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gen/host.h"
#include "emulator/gen/internal.h"
#include "emulator/machine/regions.h"

#define MOST_ADDRESS (((uint64_t)1 << WT_MEMORY_ADDRESS_BITS) - WT_PAGE_SIZE)

/* ---- the members of walks, groups and threads: for files, hashes (hash.c) and checks (check.c)
 * ---- */

#define WALK(member, most, what, at) WT_FIELD(struct gen_running, member, most, what, at)
#define PART(member, most) WALK(member, most, "a walk", WT_UNHASHED)
const struct wt_field gen_walk_first[] = {
    WALK(id, UINT64_MAX, "a walk", WT_AT(2)), WALK(active, 1, "a flag", WT_AT(1)), {0}};
const struct wt_field gen_walk_fields[] = {PART(walk.instructions, UINT64_MAX),
                                           PART(walk.kernel, UINT64_MAX),
                                           PART(walk.surfaces, UINT64_MAX),
                                           PART(walk.dynamic, UINT64_MAX),
                                           PART(walk.general, UINT64_MAX),
                                           PART(walk.payload, UINT64_MAX),
                                           PART(walk.sip, UINT64_MAX),
                                           PART(walk.launch, UINT64_MAX),
                                           WALK(total, UINT64_MAX, "a walk", WT_AT(4)),
                                           WALK(next, UINT64_MAX, "a walk", WT_AT(3)),
                                           WALK(done, UINT64_MAX, "a walk", WT_AT(5)),
                                           PART(walk.binding_table, UINT32_MAX),
                                           PART(walk.samplers, UINT32_MAX),
                                           PART(walk.scratch, UINT32_MAX),
                                           PART(walk.last_mask, UINT32_MAX),
                                           PART(walk.slm_bytes, GEN_SLM_BYTES),
                                           PART(walk.enables, UINT32_MAX),
                                           PART(walk.start[0], UINT32_MAX),
                                           PART(walk.end[0], UINT32_MAX),
                                           WALK(walk.block[0], UINT32_MAX, "a group", WT_UNHASHED),
                                           WALK(walk.grid[0], UINT32_MAX, "a grid", WT_UNHASHED),
                                           PART(walk.start[1], UINT32_MAX),
                                           PART(walk.end[1], UINT32_MAX),
                                           WALK(walk.block[1], UINT32_MAX, "a group", WT_UNHASHED),
                                           WALK(walk.grid[1], UINT32_MAX, "a grid", WT_UNHASHED),
                                           PART(walk.start[2], UINT32_MAX),
                                           PART(walk.end[2], UINT32_MAX),
                                           WALK(walk.block[2], UINT32_MAX, "a group", WT_UNHASHED),
                                           WALK(walk.grid[2], UINT32_MAX, "a grid", WT_UNHASHED),
                                           WALK(walk.has_scratch, 1, "a flag", WT_UNHASHED),
                                           {0}};
/* Between the two tables: scratch_code, of a walk that has scratch memory. */
const struct wt_field gen_walk_last[] = {
    WALK(walk.cross_bytes, GEN_REGISTER_FILE, "a payload", WT_UNHASHED),
    WALK(walk.thread_bytes, GEN_REGISTER_FILE, "a payload", WT_UNHASHED),
    WALK(walk.simd, GEN_CHANNELS, "the channels of a thread", WT_UNHASHED),
    WALK(walk.threads, GEN_SUBSLICE_THREADS, "the threads of a group", WT_UNHASHED),
    WALK(walk.barrier, 1, "a flag", WT_UNHASHED),
    {0}};

#define GROUP(member, most, what, at) WT_FIELD(struct gen_group, member, most, what, at)
const struct wt_field gen_group_fields[] = {
    GROUP(local_size, GEN_SLM_BYTES, "the shared memory of a group", WT_AT(2)),
    GROUP(coordinate, UINT32_MAX, "a group", WT_UNHASHED),
    GROUP(number, UINT64_MAX, "a group's number", WT_AT(3)),
    GROUP(arrived, GEN_SUBSLICE_THREADS, "the threads at a barrier", WT_AT(5)),
    GROUP(launch, GEN_WALKS - 1, "a group's walk", WT_AT(1)),
    {0}};

#define THREAD(member, most, what, at) WT_FIELD(struct gen_thread, member, most, what, at)
const struct wt_field gen_thread_fields[] = {
    THREAD(index, GEN_SUBSLICE_THREADS - 1, "a thread's place in its group", WT_AT(1)),
    THREAD(pc, UINT64_MAX, "an address", WT_AT(2)),
    THREAD(base, UINT64_MAX, "an address", WT_AT(3)),
    THREAD(wait_pc, UINT64_MAX, "an address", WT_AT(8)),
    THREAD(mask, UINT32_MAX, "channels", WT_AT(4)),
    THREAD(waiting, UINT32_MAX, "channels", WT_AT(5)),
    THREAD(dispatched, UINT32_MAX, "channels", WT_AT(6)),
    {0}};
/* Between the two tables: the IPs of the channels that wait. */
const struct wt_field gen_thread_last[] = {THREAD(waits, 1, "a flag", WT_AT(7)),
                                           THREAD(suppresses, 1, "a flag", WT_AT(9)),
                                           THREAD(held, 1, "a flag", WT_UNHASHED),
                                           THREAD(steps, 1, "a flag", WT_UNHASHED),
                                           THREAD(suppress, 1, "a flag", WT_UNHASHED),
                                           THREAD(status, UINT32_MAX, "requests", WT_UNHASHED),
                                           {0}};

/* ---- walks ---- */

/* Refuses the walks that gen_device_walk() refuses. */
static void check_walk(struct wt_archive *a, const struct gen_running *k)
{
    const struct gen_walk *w = &k->walk;
    uint64_t total = 1;
    bool good = (w->simd == 8 || w->simd == 16 || w->simd == 32) && w->threads &&
                w->cross_bytes + w->thread_bytes <= GEN_REGISTER_FILE - GEN_GRF_BYTES &&
                !((w->cross_bytes | w->thread_bytes) % GEN_GRF_BYTES);
    for (unsigned i = 0; i < 3; i++)
        good = good && w->end[i] > w->start[i] &&
               !__builtin_mul_overflow(total, (uint64_t)(w->end[i] - w->start[i]), &total);
    if (!good || total != k->total || k->done > k->next || k->next > k->total)
        wt_archive_fail(a, "a walk has a form that there cannot be");
}

static void running(struct wt_archive *a, struct gen_running *k)
{
    struct gen_walk *w = &k->walk;
    if (wt_archive_whole(a, k, sizeof *k))
        return;
    wt_archive_fields(a, k, gen_walk_first);
    if (!k->id) {
        if (k->active)
            wt_archive_fail(a, "a walk that never began is under way");
        *k = (struct gen_running){.active = false};
        return;
    }
    wt_archive_fields(a, k, gen_walk_fields);
    if (w->has_scratch)
        wt_archive_u8(a, &w->scratch_code, GEN_MOST_SCRATCH_CODE, "the scratch memory of a thread");
    wt_archive_fields(a, k, gen_walk_last);
    if (wt_archive_reads(a))
        check_walk(a, k);
}

/* ---- groups and threads ---- */

static void group(struct wt_archive *a, struct wt_machine *m, struct wt_group_head *head)
{
    struct gen_group *g = (struct gen_group *)head;
    wt_archive_bool(a, &g->used);
    if (!g->used)
        return;
    wt_archive_fields(a, g, gen_group_fields);
    if (wt_archive_reads(a) && !((struct gen_device *)m)->walk[g->launch].active)
        wt_archive_fail(a, "a group is of a walk that has ended");
}

static void registers(struct wt_archive *a, struct gen_thread *t)
{
    if (!t->g && !(t->g = aligned_alloc(64, sizeof *t->g))) {
        wt_archive_fail(a, "the host has no memory for registers");
        return;
    }
    struct gen_registers *g = t->g;
    if (wt_archive_whole(a, g, sizeof *g))
        return;
    if (wt_archive_reads(a))
        memset(g, 0, sizeof *g);
    wt_archive_sparse(a, g->r, sizeof g->r);
    wt_archive_sparse(a, g->acc, sizeof g->acc);
    wt_archive_sparse(a, g->acc_high, sizeof g->acc_high);
    wt_archive_bytes(a, g->a0, sizeof g->a0);
    wt_archive_bytes(a, g->fc, sizeof g->fc);
    uint32_t *const rows[] = {g->f, g->sp, g->sr, g->cr, g->n, g->tdr, g->dbg, g->msg};
    static const unsigned words[] = {2, 4, 4, 4, 4, 4, 4, 8};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < words[i]; k++)
            wt_archive_u32(a, &rows[i][k], UINT32_MAX, "a register");
    t->in_system = g->cr[0] & GEN_CR0_MASTER;
}

static void wakes(struct wt_archive *a, struct gen_thread *t)
{
    t->waiting &= ~t->mask;
    for (uint32_t left = t->waiting; left; left &= left - 1) {
        const unsigned channel = (unsigned)__builtin_ctz(left);
        wt_archive_u32(a, &t->wake[channel], UINT32_MAX, "an IP");
        t->wake_set |= gen_wake_bit(t->wake[channel]);
    }
}

static void thread(struct wt_archive *a, struct gen_device *d, uint32_t n)
{
    struct gen_thread *t = &d->thread[n];
    const uint32_t first = n / GEN_SUBSLICE_THREADS * GEN_SUBSLICE_THREADS;
    uint32_t place = t->group ? (uint32_t)(t->group - d->group) - first : 0;
    if (wt_archive_slot(a, t, sizeof *t, &t->g, t->active)) {
        registers(a, t);
        return;
    }
    if (wt_archive_reads(a))
        *t = (struct gen_thread){.g = t->g, .device = d, .id = n};
    wt_archive_bool(a, &t->active);
    wt_archive_u64(a, &t->incarnation, UINT64_MAX, "a number of threads");
    if (!t->active)
        return;
    wt_archive_u32(a, &place, GEN_SUBSLICE_THREADS - 1, "a thread's group");
    t->group = &d->group[first + place];
    wt_archive_fields(a, t, gen_thread_fields);
    wakes(a, t);
    wt_archive_fields(a, t, gen_thread_last);
    registers(a, t);
    if (wt_archive_reads(a) && !a->failed && (!t->group->used || (t->held && !d->debugged)))
        wt_archive_fail(a, "a thread is where it cannot be");
    if (wt_archive_reads(a) && a->failed) {
        t->active = t->held = false;
        t->group = NULL;
    }
}

/* ---- what follows from the parts ---- */

static void count(struct wt_archive *a, struct gen_device *d)
{
    struct wt_machine *m = &d->machine;
    uint64_t groups[GEN_WALKS] = {0};
    for (uint32_t i = 0; i < m->waves; i++) {
        m->active += d->thread[i].active;
        if (d->thread[i].active)
            d->thread[i].group->waves++;
    }
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct gen_group *g = &d->group[i];
        groups[g->launch] += g->used;
        if (g->used && g->arrived >= g->waves)
            wt_archive_fail(a, "a group has more threads at its barrier than it has");
    }
    for (unsigned i = 0; i < GEN_WALKS; i++)
        if (d->walk[i].done + groups[i] > d->walk[i].next)
            wt_archive_fail(a, "a walk has more groups than it has begun");
    wt_groups_count(&d->machine);
    for (uint32_t i = 0; i < d->config.subslices; i++)
        if (d->machine.groups.room[i].local > GEN_SLM_BYTES)
            wt_archive_fail(a, "subslice %u holds more than there is room for", i);
    for (uint32_t i = 0; i < m->waves && !a->failed; i++)
        gen_update_ready(&d->thread[i]);
}

static void page_tables(struct wt_archive *a, struct gen_device *d)
{
    wt_archive_u64(a, &d->root, MOST_ADDRESS, "the address of a page table");
    wt_archive_u64(a, &d->next_table, (uint64_t)1 << WT_MEMORY_ADDRESS_BITS,
                   "the address of a page table");
    if ((d->root | d->next_table) & WT_PAGE_MASK)
        wt_archive_fail(a, "a page table is not at the beginning of a page");
}

void gen_state(struct wt_machine *m, struct wt_archive *a)
{
    struct gen_device *d = (struct gen_device *)m;
    wt_archive_machine(a, m);
    if (!a->snapshot) {
        wt_archive_in_process(a, m);
        page_tables(a, d);
    }
    wt_archive_u32(a, &d->td_ctl, GEN_TD_CTL_MASK, "TD_CTL");
    wt_archive_u32(a, &d->mcr_selector, UINT32_MAX, "MCR_SELECTOR");
    wt_archive_bool(a, &d->debugged);
    for (unsigned i = 0; i < GEN_WALKS; i++)
        running(a, &d->walk[i]);
    wt_groups_archive(m, a, group);
    for (uint32_t i = 0; i < m->waves && !a->failed; i++)
        thread(a, d, i);
    if (!wt_archive_reads(a) || a->failed)
        return;
    if (!a->snapshot) {
        count(a, d);
        return;
    }
    wt_groups_count(&d->machine);
    if (m->process.hosted) /* its pages go by other addresses than code does */
        wt_code_clear(&m->code);
}

/* ---- in a host process ---- */

struct gen_ranges {
    struct wt_region *list;
    size_t count, capacity;
    bool failed;
};

static void add_range(void *context, uint64_t physical, uint64_t size)
{
    struct gen_ranges *r = context;
    struct wt_region *last = r->count ? &r->list[r->count - 1] : NULL;
    if (last && last->addr + last->size == physical) {
        last->size += size;
        return;
    }
    struct wt_region *grown = wt_array_grow(r->list, &r->capacity, r->count + 1, sizeof *grown);
    r->failed |= !grown;
    if (!grown)
        return;
    r->list = grown;
    grown[r->count++] = (struct wt_region){.addr = physical, .size = size};
}

static int by_address(const void *a, const void *b)
{
    const struct wt_region *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* In order, and none over another one: several addresses may mean the same memory. */
static void order(struct gen_ranges *r)
{
    size_t kept = 0;
    if (r->count)
        qsort(r->list, r->count, sizeof *r->list, by_address);
    for (size_t i = 0; i < r->count; i++) {
        struct wt_region *last = kept ? &r->list[kept - 1] : NULL;
        const uint64_t end = r->list[i].addr + r->list[i].size;
        if (!last || r->list[i].addr > last->addr + last->size)
            r->list[kept++] = r->list[i];
        else if (end > last->addr + last->size)
            last->size = end - last->addr;
    }
    r->count = kept;
}

bool gen_archive_in_host(struct wt_machine *m, struct wt_archive *a,
                         const struct wt_host_archive *in_host)
{
    struct gen_ranges ranges = {.count = 0};
    gen_each_memory((struct gen_device *)m, add_range, &ranges);
    order(&ranges);
    const bool good =
        !ranges.failed && wt_archive_in_host(a, m, in_host, ranges.list, ranges.count);
    free(ranges.list);
    return good;
}

/* ---- invariants, for sanitizer builds and fuzzers (machine/engine.h) ---- */

static void check_thread(const struct gen_device *d, uint32_t id)
{
    const struct gen_thread *t = &d->thread[id];
    assert(t->device == d && t->id == id);
    assert(wt_turns_is_ready(&d->machine.turns, id) == (t->active && !t->waits && !t->held));
    assert(!t->held || (t->active && d->debugged));
    if (!t->active) {
        assert(!t->group);
        return;
    }
    wt_check_fields(t, gen_thread_fields);
    assert(t->group && t->group->used && t->g);
    assert(t->group->core == id / GEN_SUBSLICE_THREADS);
    wt_check_fields(t->group, gen_group_fields);
    assert(d->walk[t->group->launch].active);
    assert(!(t->mask & t->waiting));
    assert(t->in_system == ((t->g->cr[0] & GEN_CR0_MASTER) != 0));
}

void gen_check(struct wt_machine *m)
{
    const struct gen_device *d = (const struct gen_device *)m;
    assert(m->waves == d->config.subslices * GEN_SUBSLICE_THREADS && m->lanes == GEN_CHANNELS);
    wt_groups_check(m);
    for (uint32_t i = 0; i < m->waves; i++) {
        check_thread(d, i);
        assert(!d->group[i].used || d->group[i].arrived < d->group[i].waves);
    }
    for (unsigned i = 0; i < GEN_WALKS; i++) {
        wt_check_fields(&d->walk[i], gen_walk_fields);
        wt_check_fields(&d->walk[i], gen_walk_last);
        assert(d->walk[i].done <= d->walk[i].next && d->walk[i].next <= d->walk[i].total);
    }
}
