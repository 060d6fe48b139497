/* Grids: where CTAs start, the first state of their warps, their barriers, their end. */
#include <sys/mman.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/fill.h"
#include "emulator/sm/watch.h"
#include "emulator/sm/ptx/image.h"

/* Of a launch of MANY warps an instruction is translated at the latest at its visit number SOON: to
 * translate one takes as long as some 50 executions by its handler. */
enum { MANY = 1024, SOON = 32 };

/* ---- memory for the registers of warps ---- */

static size_t bytes_of_rows(uint32_t rows)
{
    return (size_t)rows * SM_LANES * sizeof(uint32_t) + WT_PAGE_SIZE;
}

/* Pages come as they are touched: a warp of PTX hardly ever touches the registers of machine code.
 * Rows of one number begin at different places of a page, so that the host's caches have room for
 * those of many warps. */
uint32_t (*sm_rows_new(uint32_t warp, uint32_t rows))[SM_LANES]
{
    const size_t row = SM_LANES * sizeof(uint32_t);
    uint8_t *at =
        mmap(NULL, bytes_of_rows(rows), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : (uint32_t(*)[SM_LANES])(at + warp * row % WT_PAGE_SIZE);
}

void sm_rows_free(uint32_t (*r)[SM_LANES], uint32_t rows)
{
    if (r)
        munmap((uint8_t *)r - ((uintptr_t)r & WT_PAGE_MASK), bytes_of_rows(rows));
}

/* ---- what an SM has room for ---- */

static uint32_t warp_registers(const struct sm_launch *l)
{
    return (l->registers + 7) / 8 * 8 * SM_LANES;
}

struct sm_shared sm_shared_of(unsigned cc)
{
    static const struct {
        unsigned since, sm, cta, reserved; /* KiB */
    } sizes[] = {{90, 228, 227, 1}, {88, 100, 99, 1}, {87, 164, 163, 1}, {86, 100, 99, 1},
                 {80, 164, 163, 1}, {75, 64, 64, 0},  {70, 96, 96, 0},   {62, 64, 48, 0},
                 {61, 96, 48, 0},   {53, 64, 48, 0},  {52, 96, 48, 0},   {0, 64, 48, 0}};
    unsigned i = 0;
    while (sizes[i].since > cc)
        i++;
    return (struct sm_shared){sizes[i].sm << 10, sizes[i].cta << 10, sizes[i].reserved << 10};
}

/* Bytes of shared memory that a CTA takes. */
static uint32_t cta_shared(const struct sm_shared *has, const struct sm_launch *l)
{
    return (l->shared + has->reserved + 255) / 256 * 256;
}

static uint32_t cta_warps(const struct sm_launch *l)
{
    return (l->block[0] * l->block[1] * l->block[2] + SM_LANES - 1) / SM_LANES;
}

uint32_t sm_launch_resident(const struct sm_device *d, const struct sm_launch *l)
{
    const struct sm_shared has = sm_shared_of(d->config.cc);
    const uint32_t warps = cta_warps(l), shared = cta_shared(&has, l);
    assert(warps && l->registers);
    if (l->shared > has.cta)
        return 0;
    uint32_t most = SM_WARPS / warps < SM_CTAS ? SM_WARPS / warps : SM_CTAS;
    if (shared && has.sm / shared < most)
        most = has.sm / shared;
    const uint32_t by_registers = SM_FILE / (warps * warp_registers(l));
    return by_registers < most ? by_registers : most;
}

enum wt_status sm_device_launch(struct sm_device *d, const struct sm_launch *l,
                                struct wt_error *err)
{
    assert(d && l && err);
    struct sm_grid g = {.launch = *l, .active = true, .total = 1};
    if (d->grid.active)
        return wt_fail(err, WT_STATE, "a kernel is running already");
    for (unsigned i = 0; i < 3; i++) {
        if (!l->grid[i] || !l->block[i])
            return wt_fail(err, WT_INVALID, "a %s without threads", l->grid[i] ? "CTA" : "grid");
        if (__builtin_mul_overflow(g.total, (uint64_t)l->grid[i], &g.total))
            return wt_fail(err, WT_INVALID, "more than 2^64 CTAs");
    }
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64 || threads > 1024)
        return wt_fail(err, WT_INVALID,
                       "a CTA of %ux%ux%u threads; at most 1024 in all, 64 in the third dimension",
                       l->block[0], l->block[1], l->block[2]);
    if (l->shared > sm_shared_of(d->config.cc).cta)
        return wt_fail(err, WT_INVALID, "%u bytes of shared memory for a CTA; %u are the most",
                       l->shared, sm_shared_of(d->config.cc).cta);
    if (l->registers < 1 || l->registers > 255)
        return wt_fail(err, WT_INVALID, "%u registers for a thread; there are 255", l->registers);
    g.warps_per_cta = cta_warps(l);
    if (g.warps_per_cta * warp_registers(l) > SM_FILE)
        return wt_fail(err, WT_INVALID,
                       "a CTA of %u warps with %u registers a thread does not fit an SM",
                       g.warps_per_cta, l->registers);
    if (l->rows > PTX_MOST_ROWS)
        return wt_fail(err, WT_INVALID, "%u rows of registers for a warp", l->rows);
    if (!d->code_ops->launch_fits(d, l))
        return wt_fail(err, WT_INVALID,
                       "%u rows of registers are not those of the kernel at 0x%llx", l->rows,
                       (unsigned long long)l->entry);
    if (!sm_mapped(d, l->entry, SM_BUNDLE, false))
        return wt_fail(err, WT_INVALID, "no memory is mapped at the kernel's entry 0x%llx",
                       (unsigned long long)l->entry);
    d->grid = g;
    d->jit = d->config.jit > SOON && g.total > MANY / g.warps_per_cta ? SOON : d->config.jit;
    d->fresh = NULL;
    d->unknown = d->has_unseen = true;
    wt_turns_begin(&d->machine.turns, l->number);
    wt_groups_pump(&d->machine);
    if (d->machine.fault.kind == WT_FAULT_HOST) {
        d->grid.active = false;
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for the kernel's warps");
    }
    return WT_OK;
}

uint64_t sm_device_local_size(const struct sm_device *d, uint32_t local)
{
    return (uint64_t)d->machine.waves * SM_LANES * ((local + 7) / 8 * 8);
}

/* The slots of an SM that a CTA's warps can have; false if there are too few. */
static bool find_slots(const struct sm_device *d, uint32_t sm, uint32_t *slot)
{
    const struct sm_grid *g = &d->grid;
    const struct wt_core_room *room = &d->machine.groups.room[sm];
    const uint32_t ctas = room->group_count, warps = room->wave_count + g->warps_per_cta;
    if (warps > SM_WARPS)
        return false;
    const struct sm_shared has = sm_shared_of(d->config.cc);
    if (ctas == SM_CTAS || (ctas + 1) * cta_shared(&has, &g->launch) > has.sm ||
        warps * warp_registers(&g->launch) > SM_FILE)
        return false;
    uint64_t open = ~room->waves;
    for (uint32_t i = 0; i < g->warps_per_cta; i++, open &= open - 1)
        slot[i] = (uint32_t)__builtin_ctzll(open);
    return true;
}

/* ---- starting ---- */

/* Fills a new warp's registers and local memory with the values of memory that nobody has written
 * (machine/fill.h). */
static void fill_warp(struct sm_device *d, struct sm_warp *w, const struct sm_launch *l)
{
    const struct wt_fill *fill = &d->config.fill;
    const uint64_t id = wt_machine_wave_id(&d->machine, w->id);
    const uint64_t size = (uint64_t)SM_LANES * ((l->local + 7) / 8 * 8);
    if (!l->rows)
        wt_fill_bytes(fill, wt_fill_place(WT_FILLED_REGISTERS, id), w->r, 255 * sizeof *w->r);
    wt_machine_fill_range(&d->machine, wt_fill_place(WT_FILLED_PRIVATE, id), w->local, size);
}

static uint64_t local_of(const struct sm_launch *l, const struct sm_warp *w)
{
    return l->local_base + (uint64_t)w->id * SM_LANES * ((l->local + 7) / 8 * 8);
}

/* The work of start_warp() for PTX where nobody sees the warp before it begins, and its slot has
 * had such a one before. */
static void start_bare(struct sm_device *d, struct sm_warp *w, struct sm_cta *c, unsigned index)
{
    const struct sm_launch *l = &d->grid.launch;
    const uint32_t lanes = c->threads - index * SM_LANES;
    static_assert(offsetof(struct sm_warp, code) == 64 && offsetof(struct sm_warp, room) == 224,
                  "what is cleared; more at once is rep stos, whose start takes longer");
    memset((char *)w + 64, 0, 64);
    memset((char *)w + 128, 0, 64);
    memset((char *)w + 192, 0, 32);
    w->pc = l->entry;
    w->wait_pc = 0;
    w->incarnation++;
    w->index = (uint16_t)index;
    w->live = w->mask = lanes >= SM_LANES ? UINT32_MAX : (1u << lanes) - 1;
    w->p[7] = UINT32_MAX;
    w->base = PTX_FIRST_ROW;
    w->rows = PTX_FIRST_ROW + l->rows;
    w->local = local_of(l, w);
    w->bare = true;
    const uint64_t bit = (uint64_t)1 << w->id % SM_WARPS;
    c->slots |= bit;
    wt_group_slot_begins(&d->machine, &w->head, &c->head, bit);
    wt_turns_set_ready_bit(&d->machine.turns, c->core, bit, true);
}

/* A warp before its first instruction. */
static bool start_warp(struct wt_machine *m, uint32_t warp, struct wt_group_head *g, unsigned index)
{
    struct sm_device *d = (struct sm_device *)m;
    struct sm_warp *w = &d->warp[warp];
    const struct sm_launch *l = &d->grid.launch;
    if (d->starts_bare && w->clean && !w->marked && w->room >= PTX_FIRST_ROW + l->rows) {
        start_bare(d, w, (struct sm_cta *)g, index);
        return true;
    }
    uint32_t(*r)[SM_LANES] = w->r;
    uint32_t room = r ? w->room : 0;
    const bool clean = l->rows && (w->clean || !r); /* of PTX, ptx_start_warp() makes room */
    if (!l->rows && r)
        memset(r, 0, SM_ROWS * sizeof *r);
    else if (!l->rows && !(r = sm_rows_new(warp, room = SM_ROWS)))
        return false;
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2], first = index * SM_LANES;
    const uint32_t lanes = threads - first >= SM_LANES ? SM_LANES : threads - first;
    const uint32_t mask = lanes == SM_LANES ? 0xffffffffu : (1u << lanes) - 1;
    const uint64_t left = w->left; /* its turn may go on: a warp that has just ended there */
    const uint32_t id = w->id;
    const uint64_t incarnation = w->incarnation + 1;
    const bool marked = w->marked;
    size_t bytes = offsetof(struct sm_warp, error);
    __asm__("" : "+r"(bytes)); /* a size that GCC knows is rep stos, whose start takes longer */
    memset(w, 0, bytes);
    if (marked)
        memset(&w->error, 0, offsetof(struct sm_warp, stack) - offsetof(struct sm_warp, error));
    w->r = r;
    w->device = d;
    w->id = id;
    w->index = index;
    w->incarnation = incarnation;
    w->left = left;
    w->room = room;
    w->clean = clean;
    w->pc = l->entry;
    w->live = w->mask = mask;
    w->p[7] = UINT32_MAX;
    wt_group_wave_begins(m, &w->head, g);
    w->cta->slots |= (uint64_t)1 << w->id % SM_WARPS;
    if (l->rows && !w->device->code_ops->start_warp(w)) {
        w->cta->slots &= ~((uint64_t)1 << w->id % SM_WARPS);
        wt_group_wave_leaves(m, &w->head);
        g->waves--;
        return false;
    }
    w->local = local_of(l, w);
    if (d->config.fill.kind != WT_FILL_ZERO)
        fill_warp(d, w, l);
    sm_update_ready(w);
    sm_trap_warp_begins(w);
    return true;
}

static void begin_cta(struct wt_machine *m, struct wt_group_head *g,
                      const struct wt_group_plan *plan)
{
    struct sm_device *d = (struct sm_device *)m;
    struct sm_cta *c = (struct sm_cta *)g;
    const struct sm_launch *l = &d->grid.launch;
    c->threads = l->block[0] * l->block[1] * l->block[2];
    d->starts_bare = l->rows && d->code_ops->is_unseen(d) && !d->unit[c->core].stop;
    d->has_fresh |= d->starts_bare;
}

static bool plan_cta(struct wt_machine *m, uint32_t sm, struct wt_group_plan *plan)
{
    struct sm_device *d = (struct sm_device *)m;
    struct sm_grid *g = &d->grid;
    if (g->next == g->total || sm_trap_holds_blocks(d, sm) || !find_slots(d, sm, plan->slot))
        return false;
    plan->launch = &g->head;
    plan->number = 0;
    plan->local_size = g->launch.shared; /* no access reaches what is behind it */
    plan->waves = g->warps_per_cta;
    uint64_t n = g->next;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t rest = n < g->launch.grid[i] ? 0 : n / g->launch.grid[i];
        plan->coordinate[i] = (uint32_t)(n - rest * g->launch.grid[i]);
        n = rest;
    }
    return true;
}

static bool ctas_wait(struct wt_machine *m)
{
    const struct sm_grid *g = &((struct sm_device *)m)->grid;
    return g->active && g->next < g->total;
}

static uint64_t launch_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return wt_machine_launch(m, ((const struct sm_device *)m)->grid.launch.number);
}

static uint64_t entry_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return ((const struct sm_device *)m)->grid.launch.entry;
}

static uint64_t private_asked(const struct wt_machine *m, const struct wt_wave_head *w)
{
    return ((const struct sm_device *)m)->grid.launch.local;
}

static struct wt_launch_head *alone(struct wt_machine *m, const struct wt_group_head *g)
{
    return &((struct sm_device *)m)->grid.head;
}

static void end_group(struct wt_machine *m, struct wt_group_head *g)
{
    struct sm_warp *warp = ((struct sm_device *)m)->warp;
    struct sm_cta *c = (struct sm_cta *)g;
    memset(c->barrier, 0, sizeof c->barrier);
    for (uint32_t i = 0; i < m->waves; i++)
        if (warp[i].active && warp[i].cta == c) {
            warp[i].depth = 0;
            sm_lanes_end(&warp[i], UINT32_MAX);
            sm_warp_end(&warp[i]);
        }
}

static void work_of(const struct wt_machine *m, const struct wt_group_head *g,
                    struct wt_group_work *work)
{
    const struct sm_launch *l = &((const struct sm_device *)m)->grid.launch;
    for (unsigned i = 0; i < 3; i++) {
        work->block[i] = l->block[i];
        work->grid[i] = l->block[i] * l->grid[i];
    }
    work->lanes = SM_LANES;
}

const struct wt_group_ops sm_group_ops = {
    .waiting = ctas_wait,
    .plan = plan_cta,
    .begin = begin_cta,
    .start_wave = start_warp,
    .home = sm_group_home,
    .asked = wt_group_local_size,
    .private_asked = private_asked,
    .launch = launch_of,
    .entry = entry_of,
    .alone = alone,
    .work = work_of,
    .end_group = end_group,
    .refusal = "the host has no memory left for the kernel's warps",
};

/* ---- barriers ---- */

static uint32_t expected_of(const struct sm_cta *c, const struct sm_barrier *b)
{
    return b->expected ? b->expected : c->waves;
}

/* The result of BAR.RED over the warps that wait at a barrier: a count, and in bit 31 the
 * predicate. */
static uint32_t reduce(const struct sm_device *d, const struct sm_cta *c, unsigned number)
{
    uint32_t count = 0, threads = 0, op = 0;
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        const struct sm_warp *w = &d->warp[c->core * SM_WARPS + i];
        if (!w->active || w->cta != c || w->at_barrier != number + 1)
            continue;
        count += w->bar_true;
        threads += w->bar_threads;
        op = w->bar_op;
    }
    const bool holds = op == 1 ? count == threads : count > 0; /* AND; OR and POPC */
    return count | (holds ? 1u << 31 : 0);
}

/* Lets the warps that wait at a barrier go on, if all have arrived. */
static bool open_barrier(struct sm_device *d, struct sm_cta *c, unsigned number)
{
    struct sm_barrier *b = &c->barrier[number];
    if (!b->arrived || b->arrived < expected_of(c, b))
        return false;
    const uint32_t result = reduce(d, c, number);
    for (uint32_t i = 0; i < SM_WARPS; i++) {
        struct sm_warp *w = &d->warp[c->core * SM_WARPS + i];
        if (!w->active || w->cta != c || w->at_barrier != number + 1)
            continue;
        w->at_barrier = 0;
        w->bar_result = result;
        sm_update_ready(w);
        wt_wave_tell_release(&d->machine, &w->head, w->mask, number);
    }
    *b = (struct sm_barrier){0};
    return true;
}

bool sm_barrier_arrive(struct sm_warp *w, uint32_t lanes, unsigned number, uint32_t threads,
                       bool waits)
{
    struct sm_barrier *b = &w->cta->barrier[number];
    if (wt_observes_events(&w->device->machine))
        wt_wave_tell(&w->device->machine, &w->head,
                     &(struct wt_observed_event){.kind = WT_SEEN_ARRIVE,
                                                 .pc = w->wait_pc,
                                                 .lanes = lanes,
                                                 .number = number,
                                                 .expected = threads});
    b->arrived++;
    w->cta->meets = true;
    b->expected = threads / SM_LANES;
    if (waits)
        w->at_barrier = (uint8_t)(number + 1);
    if (open_barrier(w->device, w->cta, number))
        return true;
    sm_update_ready(w);
    return !waits;
}

/* ---- the end ---- */

/* A warp's slot is free. */
static inline void leave(struct sm_warp *w)
{
    const uint64_t bit = (uint64_t)1 << w->id % SM_WARPS;
    struct sm_device *d = w->device;
    const uint32_t sm = w->cta->core;
    static_assert(SM_WARPS == 64, "a word of the ready set is an SM's");
    w->cta->slots &= ~bit;
    wt_group_slot_leaves(&d->machine, &w->head, bit);
    wt_turns_set_ready_bit(&d->machine.turns, sm, bit, false);
    w->trapped = w->must_enter = w->held = false;
    w->paused = SM_RUNS;
    w->esr = 0;
    w->fresh = w->opens = w->bare = false;
    w->ways = 0;
    d->ended = w;
    w->runs = 0;
}

void sm_warp_end(struct sm_warp *w)
{
    WT_CHECK(w->active && w->cta->waves > 0);
    struct sm_device *d = w->device;
    struct sm_cta *c = w->cta;
    const uint32_t sm = c->core;
    struct sm_unit *unit = &d->unit[sm];
    const uint64_t others = ~((uint64_t)1 << w->id % SM_WARPS);
    leave(w);
    unit->pause_mask &= others;
    unit->trap_mask &= others;
    const bool ended = wt_group_wave_ended(&d->machine, &c->head);
    const bool meets = c->meets && !ended;
    for (unsigned i = 0; meets && i < SM_BARRIERS; i++)
        if (c->barrier[i].arrived && !c->barrier[i].expected) {
            if (d->grid.launch.rows)
                d->code_ops->open_barrier(d, c, i);
            else
                open_barrier(d, c, i);
        }
    if (meets && d->grid.launch.rows)
        d->code_ops->open_cluster(d, c);
    if (ended)
        wt_launch_done(&d->machine, &d->grid.head, &c->head);
    if (unit->in_trap)
        sm_trap_settle(d, sm);
    if (d->machine.waves - d->machine.active >= d->grid.warps_per_cta) /* else no SM has room */
        wt_groups_pump(&d->machine);
}

void sm_device_abandon(struct sm_device *d)
{
    /* No CTA takes the place of one that goes. */
    d->grid.next = d->grid.total;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->warp[i].active)
            leave(&d->warp[i]);
    wt_groups_abandon(&d->machine, 0);
    for (uint32_t i = 0; i < d->config.sms; i++) {
        struct sm_unit *u = &d->unit[i];
        u->in_trap = u->loud = false;
        u->global_esr = 0;
        u->pause_mask = u->trap_mask = 0;
    }
    d->grid.done = d->grid.total;
    d->grid.active = false;
    d->machine.fault.kind = WT_FAULT_NONE;
}

bool sm_device_runs(const struct sm_device *d)
{
    return d->grid.active;
}
