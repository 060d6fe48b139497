/*
 * Work-groups: where they start, the first registers of their waves (LLVM, "User Guide for AMDGPU
 * Backend": initial kernel execution state), their barrier, their end. Groups of several dispatches
 * share the compute units.
 */
#include "emulator/gcn/watch.h"
#include "emulator/machine/fill.h"
#include "object/kfd_debug.h"

#include <stdlib.h>
#include <string.h>

/* ---- waves ---- */

void gcn_update_ready(struct gcn_wave *w)
{
    const bool halted = gcn_halted(w);
    wt_turns_set_ready(&w->device->machine.turns, w->id,
                       w->active && !w->at_barrier && !w->gws && !halted &&
                           !gcn_dispatch_of(w)->suspended);
    if (w->active && halted && !wt_met(&w->device->machine))
        w->device->host->wave_halted(w->device->host->context, w->device, w->id);
}

/* Adds SGPRs in the order in which the hardware fills them; those beyond the last are dropped. */
static void add_sgpr(struct gcn_wave *w, unsigned *n, unsigned limit, uint32_t value)
{
    if (*n < limit)
        w->s[(*n)++] = value;
}

static void add_pair(struct gcn_wave *w, unsigned *n, unsigned limit, uint64_t value)
{
    add_sgpr(w, n, limit, (uint32_t)value);
    add_sgpr(w, n, limit, (uint32_t)(value >> 32));
}

/* FP_ROUND, FP_DENORM, DX10_CLAMP, IEEE, FP16_OVFL, EXCP_EN, as the descriptor says. */
uint32_t gcn_first_mode(const struct gcn_dispatch *k)
{
    return wt_field(k->rsrc1, 19, 12) | wt_field(k->rsrc1, 21, 21) << 8 |
           wt_field(k->rsrc1, 23, 23) << 9 | wt_field(k->rsrc1, 26, 26) << 23 |
           wt_field(k->rsrc2, 30, 24) << 12 | wt_field(k->rsrc2, 13, 13) << 19 |
           wt_field(k->rsrc2, 14, 14) << 20 | (uint32_t)k->origin.caught << 12;
}

static void initial_sgprs(struct gcn_wave *w, const struct gcn_dispatch *k)
{
    const unsigned users = wt_field(k->rsrc2, 5, 1) > 16 ? 16 : wt_field(k->rsrc2, 5, 1);
    const uint64_t wave_offset = (uint64_t)w->scratch * k->scratch_wave;
    assert(wave_offset + k->scratch_wave <= UINT32_MAX);
    unsigned n = 0;
    if (k->properties & 1 << 0)
        for (unsigned i = 0; i < 4; i++)
            add_sgpr(w, &n, users, k->scratch_resource[i]);
    if (k->properties & 1 << 1)
        add_pair(w, &n, users, k->packet);
    if (k->properties & 1 << 2)
        add_pair(w, &n, users, k->queue);
    if (k->properties & 1 << 3)
        add_pair(w, &n, users, k->kernarg);
    if (k->properties & 1 << 4)
        add_pair(w, &n, users, k->id);
    if (k->properties & 1 << 5)
        add_pair(w, &n, users, k->scratch);
    if (k->properties & 1 << 6)
        add_sgpr(w, &n, users, k->private_size);
    for (unsigned i = 0; i < wt_field(k->preload, 6, 0); i++) {
        uint8_t argument[4] = {0};
        gcn_read(w->device, k->kernarg + 4 * (wt_field(k->preload, 15, 7) + i), argument, 4);
        add_sgpr(w, &n, users, (uint32_t)wt_load_le(argument, 4));
    }
    n = users;
    for (unsigned i = 0; i < 3; i++)
        if (k->rsrc2 & 1u << (7 + i))
            add_sgpr(w, &n, GCN_FLAT_SCRATCH, w->group->coordinate[i]);
    if (k->rsrc2 & 1u << 10) /* work-group information: how many waves, and which is the first */
        add_sgpr(w, &n, GCN_FLAT_SCRATCH, k->waves_per_group | (w->index == 0 ? 1u << 31 : 0));
    if (k->rsrc2 & 1 && gcn_model_of(w->device)->private_registers)
        gcn_set_pair(&w->s[GCN_FLAT_SCRATCH], k->scratch + wave_offset);
    else if (k->rsrc2 & 1)
        add_sgpr(w, &n, GCN_FLAT_SCRATCH, (uint32_t)wave_offset);
}

unsigned gcn_first_sgprs(const struct gcn_wave *w)
{
    const struct gcn_dispatch *k = gcn_dispatch_of(w);
    const unsigned users = wt_field(k->rsrc2, 5, 1) > 16 ? 16 : wt_field(k->rsrc2, 5, 1);
    const uint32_t offset = !gcn_model_of(w->device)->private_registers;
    return users + (unsigned)wt_count_ones(k->rsrc2 & (0x780 | offset)); /* as initial_sgprs() */
}

unsigned gcn_first_vgprs(const struct gcn_wave *w)
{
    const unsigned coordinates = wt_field(gcn_dispatch_of(w)->rsrc2, 12, 11) + 1u;
    return gcn_model_of(w->device)->packed_items ? 1 : coordinates < 3 ? coordinates : 3;
}

/* Coordinates of @p count work-items of one row, the first of which is lane @p lane's. */
static inline void row_of_items(struct gcn_wave *w, unsigned coordinates, unsigned lane,
                                unsigned count, const uint32_t *at)
{
    if (gcn_model_of(w->device)->packed_items) {
        const uint32_t first =
            at[0] | (coordinates > 1 ? at[1] << 10 : 0) | (coordinates > 2 ? at[2] << 20 : 0);
        for (unsigned i = 0; i < count; i++)
            w->v[0][lane + i] = first + i;
        return;
    }
    for (unsigned k = 0; k < coordinates; k++) {
        const uint32_t first = at[k], step = k == 0;
        uint32_t *to = w->v[k] + lane;
        for (unsigned i = 0; i < count; i++)
            to[i] = first + step * i;
    }
}

/* Which lanes have a work-item, and their coordinates within the group. */
static uint64_t initial_vgprs(struct gcn_wave *w, const struct gcn_dispatch *k)
{
    unsigned coordinates = wt_field(k->rsrc2, 12, 11) + 1u;
    uint32_t size[3];
    if (coordinates > 3)
        coordinates = 3;
    assert(w->vgprs >= 3);
    for (unsigned i = 0; i < 3; i++) { /* the last group of a row may be smaller */
        const uint32_t first = w->group->coordinate[i] * k->size[i];
        size[i] = k->grid[i] - first < k->size[i] ? k->grid[i] - first : k->size[i];
    }
    const uint32_t lanes = gcn_dispatch_lanes(k), items = size[0] * size[1] * size[2],
                   first = w->index * lanes;
    uint32_t at[3] = {first % size[0], first / size[0] % size[1], first / size[0] / size[1]};
    const unsigned count = items - first < lanes ? items - first : lanes;
    if (size[0] - at[0] >= GCN_LANES && count == GCN_LANES) {
        row_of_items(w, coordinates, 0, GCN_LANES, at); /* most waves: a fixed number of lanes */
        return UINT64_MAX;
    }
    for (unsigned lane = 0; lane < count;) {
        const unsigned row = size[0] - at[0] < count - lane ? size[0] - at[0] : count - lane;
        row_of_items(w, coordinates, lane, row, at);
        lane += row;
        at[0] = 0;
        if (++at[1] < size[1])
            continue;
        at[1] = 0;
        at[2]++;
    }
    return UINT64_MAX >> (GCN_LANES - count);
}

/* Counts the registers of an active wave, or (sign -1) counts them no longer. */
static void count_registers(struct gcn_device *d, const struct gcn_wave *w, int sign)
{
    assert(w->active && w->group);
    const uint32_t simd = gcn_simd_of(gcn_model_of(d), w->id);
    struct gcn_cu *cu = &d->cu[w->group->head.core];
    cu->vgprs[simd] =
        (uint16_t)(cu->vgprs[simd] + sign * (int)gcn_model_taken(gcn_model_of(d), gcn_lanes_of(w),
                                                                 w->vgprs, w->agprs));
    cu->sgprs[simd] = (uint16_t)(cu->sgprs[simd] + sign * w->sgprs);
    gcn_dispatch_of(w)->running += (uint32_t)sign;
}

void gcn_count_taken(struct gcn_device *d)
{
    wt_groups_count(&d->machine);
    memset(d->cu, 0, d->config.cu * sizeof *d->cu);
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        d->dispatch[i].running = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].active)
            count_registers(d, &d->wave[i], 1);
}

/* ---- scratch memory ---- */

/* Whether it has room for fewer waves than there can be. */
static bool scratch_is_short(const struct gcn_device *d, const struct gcn_dispatch *k)
{
    return k->scratch_waves && k->scratch_waves < d->machine.waves;
}

/* All kernels of a queue have the same memory. */
static bool same_scratch(const struct gcn_dispatch *a, const struct gcn_dispatch *b)
{
    return a->private_size && b->private_size && a->scratch == b->scratch;
}

/* How many of its places are taken. */
static uint32_t scratch_taken(const struct gcn_device *d, const struct gcn_dispatch *k)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        count += same_scratch(&d->dispatch[i], k) ? d->dispatch[i].running : 0;
    return count;
}

/* The first place that is free, where there are fewer than waves. */
static uint16_t free_scratch_place(const struct gcn_device *d, const struct gcn_dispatch *k)
{
    uint64_t taken[GCN_MOST_WAVES / 64] = {0};
    uint32_t word = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const struct gcn_wave *w = &d->wave[i];
        if (w->active && same_scratch(gcn_dispatch_of(w), k))
            taken[w->scratch / 64] |= (uint64_t)1 << (w->scratch % 64);
    }
    while (!~taken[word])
        word++;
    return (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(~taken[word]));
}

/* ---- starting ---- */

/* The state of a wave before its first instruction, from the kernel descriptor. */
static bool prepare_wave(struct gcn_device *d, struct gcn_wave *w, struct gcn_group *g,
                         unsigned index)
{
    const struct gcn_dispatch *k = &d->dispatch[g->launch];
    uint32_t(*v)[GCN_LANES] = w->v;
    if (!v && !(v = aligned_alloc(64, gcn_model_rows(gcn_model_of(d)) * sizeof *v)))
        return false;
    memset(v, 0, k->vgprs * sizeof *v);
    if (k->agprs)
        memset(v[GCN_AGPR], 0, k->agprs * sizeof *v);
    /* The slot may be that of the wave whose last instruction is being executed: its turn goes on.
     */
    const uint64_t left = w->left;
    *w = (struct gcn_wave){.v = v,
                           .device = d,
                           .id = w->id,
                           .index = (uint16_t)index,
                           .scratch = w->scratch,
                           .incarnation = w->incarnation + 1,
                           .left = left,
                           .pc = k->entry,
                           .vgprs = (uint16_t)k->vgprs,
                           .agprs = (uint16_t)k->agprs,
                           .sgprs = (uint16_t)k->sgprs,
                           .narrow = gcn_dispatch_lanes(k) < GCN_LANES};
    w->mode = gcn_first_mode(k);
    w->tba = d->tba;
    w->tma = d->tma;
    w->status = wt_field(k->rsrc1, 11, 10) << 1 | (d->tba ? GCN_STATUS_TRAP_EN : 0u) |
                (wt_field(k->rsrc1, 20, 20) ? GCN_STATUS_PRIV : 0u);
    wt_group_wave_begins(&d->machine, &w->head, &g->head);
    count_registers(d, w, 1);
    return true;
}

/* Fills a new wave's registers and private memory with the values of memory that nobody has written
 * (machine/fill.h). */
static void fill_wave(struct gcn_device *d, struct gcn_wave *w, const struct gcn_dispatch *k)
{
    const struct wt_fill *fill = &d->config.fill;
    const uint64_t id = wt_machine_wave_id(&d->machine, w->id);
    if (fill->kind == WT_FILL_ZERO)
        return;
    for (unsigned file = 0; file < GCN_FILES; file++)
        wt_fill_bytes(fill, wt_fill_place(WT_FILLED_REGISTERS, id) + file * GCN_AGPR * GCN_LANES,
                      w->v[file * GCN_AGPR], gcn_rows_of(w, file) * sizeof *w->v);
    wt_fill_bytes(fill, wt_fill_place(WT_FILLED_SCALARS, id), w->s,
                  GCN_FLAT_SCRATCH * sizeof *w->s);
    wt_fill_bytes(fill, wt_fill_place(WT_FILLED_FLAGS, id), &w->s[GCN_VCC], 2 * sizeof *w->s);
    wt_machine_fill_range(&d->machine, wt_fill_place(WT_FILLED_PRIVATE, id),
                          k->scratch + (uint64_t)w->scratch * k->scratch_wave, k->scratch_wave);
}

static bool start_wave(struct wt_machine *m, uint32_t wave, struct wt_group_head *group,
                       unsigned index)
{
    struct gcn_device *d = (struct gcn_device *)m;
    struct gcn_wave *w = &d->wave[wave];
    struct gcn_group *g = (struct gcn_group *)group;
    assert(g->used && index < gcn_cu_waves(d));
    const struct gcn_dispatch *k = &d->dispatch[g->launch];
    w->scratch =
        scratch_is_short(d, k) ? free_scratch_place(d, k) : (uint16_t)w->id; /* its place */
    if (!prepare_wave(d, w, g, index))
        return false;
    fill_wave(d, w, k);
    initial_sgprs(w, k);
    /* The driver makes the hardware leave these for trap handlers and debuggers. */
    const bool own = gcn_model_of(d)->private_registers; /* linux, cwsr_trap_handler_gfx9.asm */
    const uint32_t packet = k->origin.packet & KFD_TTMP6_PACKET;
    w->s[GCN_TTMP + 6] = own ? 0 : packet;
    for (unsigned i = 0; i < 3; i++)
        w->s[GCN_TTMP + 8 + i] = g->coordinate[i];
    w->s[GCN_TTMP + 11] = index | (own ? packet << KFD_TTMP11_PACKET_SHIFT : 0);
    w->s[GCN_TTMP + 13] = own ? 0 : (uint32_t)((uint64_t)w->scratch * k->scratch_wave);
    const uint64_t exec = initial_vgprs(w, k);
    gcn_set_pair(&w->s[GCN_EXEC], exec);
    gcn_launch_wave(d, w);
    gcn_update_ready(w);
    return true;
}

void gcn_restart_wave(struct gcn_device *d, struct gcn_wave *w)
{
    assert(!w->active && w->saved);
    struct gcn_group *g = &d->group[w->place];
    const uint64_t saved = w->saved;
    if (!g->used) { /* the first of its waves: nothing is left of LDS */
        memset(g->local, 0, g->local_size);
        wt_group_take(&d->machine, &g->head);
        g->home = gcn_group_home(&d->machine, &g->head);
        g->saved = false;
        wt_group_tell(&d->machine, &g->head, WT_SEEN_GROUP);
        g->waves = 0;
        g->waiting = 0;
    }
    prepare_wave(d, w, g, w->index); /* it has had registers before */
    w->pc = w->tba + 4;
    w->status |= GCN_STATUS_PRIV;
    gcn_set_pair(&w->s[GCN_EXEC], saved);
    gcn_update_ready(w);
    wt_wave_tell_begin(&d->machine, &w->head);
}

/* ---- work-groups ---- */

/* The slots of compute unit cu that a group's waves can have; false if there are too few. */
static bool find_slots(const struct gcn_device *d, const struct gcn_dispatch *k, uint32_t cu,
                       uint32_t *slot)
{
    const struct gcn_model *model = gcn_model_of(d);
    const struct wt_core_room *room = &d->machine.groups.room[cu];
    const uint32_t slots = gcn_cu_waves(d), lds = room->local + k->lds;
    assert(cu < d->config.cu && k->waves_per_group <= slots);
    if (room->wave_count + k->waves_per_group > slots || lds > model->lds_bytes ||
        (k->origin.barred[cu / 64] >> cu % 64 & 1) ||
        (d->config.xcc > 1 && k->next % d->config.xcc != gcn_xcc_of(d, cu)) ||
        (scratch_is_short(d, k) && scratch_taken(d, k) + k->waves_per_group > k->scratch_waves))
        return false;
    const uint32_t rows = gcn_model_taken(model, gcn_dispatch_lanes(k), k->vgprs, k->agprs);
    uint64_t left = ~room->waves & (UINT64_MAX >> (64 - slots));
    struct gcn_cu c = d->cu[cu];
    uint32_t found = 0;
    /* Neighbouring slots are on different SIMDs. */
    for (; left && found < k->waves_per_group; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left), simd = gcn_simd_of(model, i);
        if (c.vgprs[simd] + rows > model->vgpr_rows || c.sgprs[simd] + k->sgprs > model->sgprs)
            continue;
        c.vgprs[simd] = (uint16_t)(c.vgprs[simd] + rows);
        c.sgprs[simd] = (uint16_t)(c.sgprs[simd] + k->sgprs);
        slot[found++] = i;
    }
    return found == k->waves_per_group;
}

/* The last groups of a grid may need fewer waves. */
static uint32_t waves_of(const struct gcn_dispatch *k, const uint32_t coordinate[3])
{
    uint32_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t left = k->grid[i] - coordinate[i] * k->size[i];
        items *= left < k->size[i] ? left : k->size[i];
    }
    return gcn_dispatch_lanes(k) == GCN_LANES ? (items + GCN_LANES - 1) / GCN_LANES
                                              : (items + 31) / 32;
}

static void begin_group(struct wt_machine *m, struct wt_group_head *g,
                        const struct wt_group_plan *plan)
{
    ((struct gcn_device *)m)->served = plan->number;
}

/*
 * The dispatch whose next group compute unit cu gets, with its waves' slots: one that has room
 * there, of the highest priority; of several, the next one behind that which was served last. NULL
 * if none.
 */
static struct gcn_dispatch *choose(struct gcn_device *d, uint32_t cu, uint32_t *slot)
{
    struct gcn_dispatch *chosen = NULL;
    uint32_t found[GCN_MOST_CU_WAVES];
    const unsigned first = (d->served + 1) % GCN_DISPATCHES;
    const uint64_t twice = d->launching | (uint64_t)d->launching << GCN_DISPATCHES;
    for (uint32_t left = (uint32_t)(twice >> first); left; left &= left - 1) {
        const unsigned n = (first + (unsigned)__builtin_ctz(left)) % GCN_DISPATCHES;
        struct gcn_dispatch *k = &d->dispatch[n];
        if (k->suspended || k->next == k->total ||
            (chosen && k->origin.priority <= chosen->origin.priority) || gcn_launch_stalled(d, k) ||
            !find_slots(d, k, cu, found))
            continue;
        chosen = k;
        memcpy(slot, found, k->waves_per_group * sizeof *slot);
    }
    return chosen;
}

static bool plan_group(struct wt_machine *m, uint32_t cu, struct wt_group_plan *plan)
{
    struct gcn_device *d = (struct gcn_device *)m;
    struct gcn_dispatch *k = choose(d, cu, plan->slot);
    if (!k)
        return false;
    plan->launch = &k->head;
    plan->number = (uint32_t)(k - d->dispatch);
    plan->local_size = k->lds;
    uint64_t n = k->next;
    for (unsigned i = 0; i < 3; i++) {
        plan->coordinate[i] = n < k->groups[i] ? (uint32_t)n : (uint32_t)(n % k->groups[i]);
        n = n < k->groups[i] ? 0 : n / k->groups[i];
    }
    plan->waves = waves_of(k, plan->coordinate);
    return true;
}

static bool groups_wait(struct wt_machine *m)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    return d->launching && !d->saving;
}

static uint64_t launch_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return ((const struct gcn_device *)m)->dispatch[g->launch].origin.launch;
}

static uint64_t entry_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return ((const struct gcn_device *)m)->dispatch[g->launch].entry;
}

/*
 * The private memory of a kernel holds its own frame and those of the functions that it calls,
 * but not those of recursion, which only newer code objects tell of (AMDGPUUsage, "Kernel
 * Descriptor"). There a lane's stack pointer, s32 (/ 64, where that counts all lanes), comes to the
 * end of it, and the lane may use all of its scratch memory.
 */
static uint64_t private_asked(const struct wt_machine *m, const struct wt_wave_head *head)
{
    enum { USES_DYNAMIC_STACK = 1 << 11, STACK_POINTER = 32, SAVED = 256 /* before it moves */ };
    const struct gcn_wave *w = (const struct gcn_wave *)head;
    const struct gcn_dispatch *k = gcn_dispatch_of(w);
    const uint32_t pointer = w->s[STACK_POINTER];
    const uint32_t lanes = gcn_frame_lanes(w);
    const bool calls =
        pointer && pointer % lanes == 0 && pointer / lanes + SAVED >= k->private_size;
    return calls || k->properties & USES_DYNAMIC_STACK ? UINT64_MAX / 2 : k->private_size;
}

static struct wt_launch_head *alone(struct wt_machine *m, const struct wt_group_head *g)
{
    struct gcn_device *d = (struct gcn_device *)m;
    bool other = d->saving;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        other |= d->dispatch[i].active && i != g->launch;
    return other || d->dispatch[g->launch].suspended ? NULL : &d->dispatch[g->launch].head;
}

static void end_group(struct wt_machine *m, struct wt_group_head *group)
{
    struct gcn_group *g = (struct gcn_group *)group;
    struct gcn_wave *wave = ((struct gcn_device *)m)->wave;
    g->waiting = 0;
    for (uint32_t i = 0; i < m->waves; i++)
        if (wave[i].active && wave[i].group == g) {
            wave[i].at_barrier = false;
            gcn_wave_end(&wave[i]);
        }
}

static void launch_ended(struct wt_machine *m, uint32_t launch)
{
    struct gcn_device *d = (struct gcn_device *)m;
    d->host->dispatch_done(d->host->context, d, launch, d->dispatch[launch].completion);
}

static void work_of(const struct wt_machine *m, const struct wt_group_head *g,
                    struct wt_group_work *work)
{
    const struct gcn_dispatch *k = &((const struct gcn_device *)m)->dispatch[g->launch];
    memcpy(work->block, k->size, sizeof work->block);
    memcpy(work->grid, k->grid, sizeof work->grid);
    work->lanes = gcn_dispatch_lanes(k);
}

const struct wt_group_ops gcn_group_ops = {
    .waiting = groups_wait,
    .plan = plan_group,
    .begin = begin_group,
    .start_wave = start_wave,
    .home = gcn_group_home,
    .asked = wt_group_local_size,
    .private_asked = private_asked,
    .launch = launch_of,
    .entry = entry_of,
    .alone = alone,
    .work = work_of,
    .end_group = end_group,
    .launch_ended = launch_ended,
    .refusal = "the host has no memory left for the kernel's waves",
};

void gcn_dispatch_pump(struct gcn_device *d)
{
    wt_groups_pump(&d->machine);
    for (uint32_t left = d->launching; left; left &= left - 1) {
        const unsigned n = (unsigned)__builtin_ctz(left);
        if (d->dispatch[n].next < d->dispatch[n].total)
            continue;
        d->launching &= ~((uint32_t)1 << n);
        d->host->launched(d->host->context, d, n);
    }
}

static void release_barrier(struct gcn_group *g, struct gcn_device *d)
{
    assert(g->used);
    struct gcn_wave *wave = &d->wave[g->core * gcn_cu_waves(d)];
    const bool told = wt_observes_events(&d->machine);
    uint64_t waiting = g->waiting;
    for (g->waiting = 0; waiting; waiting &= waiting - 1) {
        struct gcn_wave *w = &wave[__builtin_ctzll(waiting)];
        assert(w->group == g && w->at_barrier);
        w->at_barrier = false;
        gcn_update_ready(w);
        if (told)
            wt_wave_tell_release(&d->machine, &w->head, gcn_exec(w), 0);
    }
}

void gcn_barrier(struct gcn_wave *w)
{
    assert(w->active && !w->at_barrier);
    struct gcn_group *g = w->group;
    struct wt_machine *m = &w->device->machine;
    wt_wave_tell_arrival(m, &w->head, w->wait_pc, gcn_exec(w), 0);
    if (gcn_waiting(g) + 1 == g->waves) {
        release_barrier(g, w->device);
        wt_wave_tell_release(m, &w->head, gcn_exec(w), 0);
        return;
    }
    g->waiting |= gcn_slot_bit(w);
    w->at_barrier = true;
    wt_turns_set_ready(&w->device->machine.turns, w->id, false); /* it runs, so it is not halted */
}

/* The wave's slot is free. */
static void vacate(struct gcn_wave *w)
{
    assert(w->active && w->device->machine.active > 0);
    struct gcn_device *d = w->device;
    count_registers(d, w, -1);
    wt_group_wave_leaves(&d->machine, &w->head);
    w->late = 0;
    gcn_update_ready(w);
}

void gcn_wave_end(struct gcn_wave *w)
{
    assert(w->active && w->group->waves > 0);
    struct gcn_device *d = w->device;
    struct gcn_group *g = w->group;
    struct gcn_dispatch *k = gcn_dispatch_of(w);
    w->place = (uint16_t)(g - d->group);
    vacate(w);
    if (!wt_group_wave_ended(&d->machine, &g->head)) {
        /* A wave that has ended counts as arrived (section 4.3). */
        if (gcn_waiting(g) == g->waves)
            release_barrier(g, d);
        return;
    }
    if (!g->saved && wt_launch_done(&d->machine, &k->head, &g->head))
        launch_ended(&d->machine, g->launch);
    gcn_dispatch_pump(d);
}

void gcn_device_abandon(struct gcn_device *d, unsigned dispatch)
{
    assert(dispatch < GCN_DISPATCHES);
    struct gcn_dispatch *k = &d->dispatch[dispatch];
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].active && d->wave[i].group->launch == dispatch)
            vacate(&d->wave[i]);
        else if (d->wave[i].saved && d->group[d->wave[i].place].launch == dispatch)
            d->wave[i].saved = 0;
    wt_groups_abandon(&d->machine, dispatch);
    k->active = false;
    d->launching &= ~((uint32_t)1 << dispatch);
    d->machine.fault.kind = WT_FAULT_NONE;
    gcn_dispatch_pump(d);
}
