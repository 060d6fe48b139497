/* The launch unit of Vortex 3.0: grids, CTAs and their places in the cores. See launch.h. */
#include "emulator/machine/groups.h"
#include "emulator/vortex/internal.h"

#include <inttypes.h>
#include <string.h>

#include "object/vortex_wire.h"

/* Local memory of a CTA comes in units of a memory block (VX_CFG_MEM_BLOCK_SIZE). */
enum { BLOCK_BYTES = 64, REWIND = 20 };

static bool all(const uint32_t three[3])
{
    return three[0] && three[1] && three[2];
}

void vx_launch_complete(struct vx_launch *l, unsigned threads)
{
    assert(l && threads);
    const uint64_t x = l->block[0], y = l->block[1], z = l->block[2];
    l->block_size = (uint32_t)(x * y * z);
    memset(l->warp_step, 0, sizeof l->warp_step);
    if (!all(l->block))
        return;
    l->warp_step[0] = (uint32_t)(threads % x);
    l->warp_step[1] = (uint32_t)(threads / x % y);
    l->warp_step[2] = (uint32_t)(threads / (x * y) % z);
}

void vx_launch_defaults(struct vx_config *c)
{
    struct vx_launch *l = &c->launch;
    if (!(l->grid[0] | l->grid[1] | l->grid[2]))
        memcpy(l->grid, (uint32_t[]){c->clusters * c->cores, 1, 1}, sizeof l->grid);
    if (!(l->block[0] | l->block[1] | l->block[2]))
        memcpy(l->block, (uint32_t[]){c->threads, 1, 1}, sizeof l->block);
    if (!(l->cluster[0] | l->cluster[1] | l->cluster[2]))
        memcpy(l->cluster, (uint32_t[]){1, 1, 1}, sizeof l->cluster);
    vx_launch_complete(l, c->threads);
}

/* ---- what a driver calls ---- */

void vx_device_launch_registers(const struct vx_device *d, struct vx_launch *launch)
{
    *launch = d->config.launch;
    launch->startup = d->config.startup;
    launch->argument = d->config.argument;
}

static enum wt_status check(const struct vx_device *d, const struct vx_launch *l,
                            struct wt_error *err)
{
    static const char axis[] = "xyz";
    if (l->local_size > d->profile->local_mem_size)
        return wt_fail(err, WT_INVALID,
                       "a CTA wants %" PRIu32 " bytes of local memory; a core has %" PRIu64,
                       l->local_size, d->profile->local_mem_size);
    for (unsigned i = 0; i < 3 && all(l->grid) && all(l->cluster); i++)
        if (l->grid[i] % l->cluster[i])
            return wt_fail(err, WT_INVALID,
                           "a cluster of %" PRIu32 " CTAs does not divide the grid's %" PRIu32
                           " (%c): the launch would never end",
                           l->cluster[i], l->grid[i], axis[i]);
    return WT_OK;
}

enum wt_status vx_device_start(struct vx_device *d, struct wt_error *err)
{
    assert(d && err);
    struct vx_launch launch;
    enum wt_status status;
    vx_device_launch_registers(d, &launch);
    if (d->machine.active)
        return wt_fail(err, WT_INVALID, "a launch has not ended: %" PRIu32 " warps are active",
                       d->machine.active);
    if (d->machine.fault.kind)
        return wt_fail(err, WT_INVALID, "the fault of an earlier launch has not been cleared");
    if (d->profile->launch_unit && (status = check(d, &launch, err)) != WT_OK)
        return status;
    vx_launch_clear(d);
    d->profile->launch(d);
    return WT_OK;
}

enum wt_status vx_device_launch(struct vx_device *d, const struct vx_launch *launch,
                                struct wt_error *err)
{
    assert(d && launch && err);
    if (!d->profile->launch_unit)
        return wt_fail(err, WT_UNSUPPORTED, "profile %s has no launch unit (-g vortex:profile=v3)",
                       d->profile->name);
    d->config.launch = *launch;
    d->config.startup = launch->startup;
    d->config.argument = launch->argument;
    return vx_device_start(d, err);
}

void vx_device_stop(struct vx_device *d)
{
    assert(d && !d->machine.in_turn);
    d->kmu.runs = false;
    for (uint32_t i = 0; i < d->core_count; i++) {
        d->core[i].dispatch.starts = false;
        vx_stop_core(d, &d->core[i]);
    }
}

bool vx_device_work(const struct vx_device *d, uint32_t warp, struct vortex_work *work)
{
    assert(d && work && warp < d->machine.waves);
    const struct vx_warp *w = &d->warp[warp], *by = w;
    for (uint32_t i = 0; !by->of_cta && i < d->config.warps; i++)
        by = &d->warp[w->core->first_warp + i];
    if (!w->active || !by->of_cta)
        return false;
    const struct vx_launch *l = &d->kmu.launch;
    *work = (struct vortex_work){.rank = w->of_cta ? w->rank : warp - w->core->first_warp,
                                 .place = by->place,
                                 .local = vx_launch_local(d, by->place),
                                 .local_size = l->local_size};
    for (unsigned i = 0; i < 3; i++) {
        work->group[i] = by->block[i];
        work->block[i] = l->block[i];
        work->grid[i] = l->grid[i] * l->block[i];
    }
    return true;
}

/* ---- the launch unit ---- */

void vx_launch_clear(struct vx_device *d)
{
    assert(!d->machine.active);
    for (uint32_t i = 0; i < d->core_count; i++) {
        struct vx_core *core = &d->core[i];
        core->issues = 0;
        core->mscratch = vx_truncate(d, d->config.argument);
        memset(core->arrived, 0, d->barriers * sizeof *core->arrived);
        core->dispatch = (struct vx_dispatch){0};
        if (core->phase)
            memset(core->phase, 0, d->barriers * sizeof *core->phase);
        if (core->left)
            memset(core->left, 0, d->config.warps * sizeof *core->left);
    }
    d->kmu = (struct vx_kmu){0};
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        struct vx_warp *w = &d->warp[i];
        w->wait = VX_RUNS;
        w->depth = w->parts = 0;
        w->frm = w->fflags = 0;
        w->mscratch = w->mstatus = w->mtvec = w->mepc = w->mcause = w->mtval = 0;
        w->trap_mask = 0;
        w->begun = w->of_cta = false;
        w->place = w->rank = w->size = 0;
        memset(w->thread, 0, sizeof w->thread);
        memset(w->block, 0, sizeof w->block);
        vx_note_change(w);
        if (w->touched)
            memset(w->reserved_addr, 0, d->machine.lanes * sizeof *w->reserved_addr);
    }
}

bool vx_launch_pending(const struct vx_device *d)
{
    bool pending = d->kmu.runs;
    for (uint32_t i = 0; i < d->core_count && !pending && d->profile->launch_unit; i++)
        pending = d->core[i].dispatch.starts;
    return pending;
}

static uint32_t stride(const struct vx_device *d)
{
    return (d->kmu.launch.local_size + BLOCK_BYTES - 1) & ~(uint32_t)(BLOCK_BYTES - 1);
}

uint32_t vx_launch_places(const struct vx_device *d)
{
    const uint32_t pitch = stride(d), warps = d->config.warps;
    const uint64_t fit = pitch ? d->profile->local_mem_size / pitch : warps;
    return fit > warps ? warps : fit ? (uint32_t)fit : 1;
}

uint64_t vx_launch_local(const struct vx_device *d, uint32_t place)
{
    return vx_truncate(d, d->profile->local_mem_base[d->config.xlen == 64] +
                              (uint64_t)place * stride(d));
}

static uint32_t cluster_size(const struct vx_launch *l)
{
    return l->cluster[0] * l->cluster[1] * l->cluster[2];
}

/* Goes on to the next CTA: x, y, z in its cluster, then the next cluster in that order. */
static void next_cta(struct vx_kmu *kmu)
{
    const struct vx_launch *l = &kmu->launch;
    for (unsigned i = 0; i < 3; i++) {
        if (++kmu->inner[i] < l->cluster[i])
            return;
        kmu->inner[i] = 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        kmu->origin[i] += l->cluster[i];
        if (kmu->origin[i] < l->grid[i])
            return;
        kmu->origin[i] = 0;
    }
    kmu->runs = false;
}

/* Whether so many places are free from @p first on. */
static bool are_free(const struct vx_core *core, uint32_t first, uint32_t count)
{
    bool are = true;
    for (uint32_t i = first; i < first + count; i++)
        are = are && !core->left[i];
    return are;
}

/* Gives a core the next CTA, if that is for it and has a place there. The CTAs of a cluster get
 * consecutive places, which must all be free for the first one. */
static bool take_cta(struct vx_device *d, struct vx_core *core)
{
    struct vx_kmu *kmu = &d->kmu;
    struct vx_dispatch *x = &core->dispatch;
    const struct vx_launch *l = &kmu->launch;
    const bool first = !(kmu->inner[0] | kmu->inner[1] | kmu->inner[2]);
    const uint32_t places = vx_launch_places(d), cluster = cluster_size(l);
    uint32_t place = x->tail < places ? x->tail : 0, wanted = 1;
    if (!kmu->runs || core->id != (first ? kmu->core : kmu->owner))
        return false;
    if (first) {
        place = (uint64_t)place + cluster > places ? 0 : place;
        wanted = cluster < places ? cluster : places;
    }
    if (!are_free(core, place, wanted))
        return false;
    const uint32_t lanes = d->machine.lanes;
    *x = (struct vx_dispatch){
        .starts = true, .place = place, .rest = l->block_size, .tail = (place + 1) % places};
    for (unsigned i = 0; i < 3; i++)
        x->block[i] = kmu->origin[i] + kmu->inner[i];
    core->left[place] = (uint32_t)(((uint64_t)l->block_size + lanes - 1) / lanes);
    if (first) {
        kmu->owner = core->id;
        kmu->core = (core->id + 1) % d->core_count;
    }
    next_cta(kmu);
    return true;
}

/* The first thread of the next warp. */
static void advance(uint32_t thread[3], const struct vx_launch *l)
{
    bool carry = false;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t to = (uint64_t)thread[i] + l->warp_step[i] + carry;
        carry = i < 2 && to >= l->block[i];
        thread[i] = (uint32_t)(carry ? to - l->block[i] : to);
    }
}

static void start_warp(struct vx_device *d, struct vx_core *core, struct vx_warp *w)
{
    struct vx_dispatch *x = &core->dispatch;
    const struct vx_launch *l = &d->kmu.launch;
    const uint32_t lanes = d->machine.lanes, threads = x->rest < lanes ? x->rest : lanes;
    const uint64_t pc = w->begun ? w->pc - REWIND : l->startup;
    w->begun = w->of_cta = true;
    w->mscratch = vx_truncate(d, l->argument);
    w->place = x->place;
    w->rank = x->rank;
    w->size = (uint32_t)(((uint64_t)l->block_size + lanes - 1) / lanes);
    memcpy(w->thread, x->thread, sizeof w->thread);
    memcpy(w->block, x->block, sizeof w->block);
    advance(x->thread, l);
    x->rank++;
    x->rest -= threads;
    x->starts = x->rest > 0;
    vx_warp_start(w, pc, wt_lanes_first(threads));
}

/* A core takes a CTA, and starts a warp, if it can; false: neither. */
static bool step(struct vx_device *d, struct vx_core *core)
{
    const bool takes = !core->dispatch.starts && take_cta(d, core);
    const bool starts = core->dispatch.starts && core->active < d->config.warps;
    if (starts) {
        struct vx_warp *w = &d->warp[core->first_warp];
        while (w->active)
            w++;
        start_warp(d, core, w);
    }
    return takes || starts;
}

void vx_launch_pump(struct vx_device *d)
{
    assert(d->profile->launch_unit);
    for (bool started = vx_launch_pending(d); started;) {
        started = false;
        for (uint32_t i = 0; i < d->core_count; i++)
            started |= step(d, &d->core[i]);
    }
}

void vx_launch_grid(struct vx_device *d)
{
    struct vx_kmu *kmu = &d->kmu;
    *kmu = (struct vx_kmu){0};
    vx_device_launch_registers(d, &kmu->launch);
    const struct vx_launch *l = &kmu->launch;
    kmu->runs = l->block_size && all(l->grid) && all(l->cluster);
    if (!kmu->runs)
        return;
    wt_group_tell(&d->machine, NULL, WT_SEEN_LAUNCH);
    vx_launch_pump(d);
}
