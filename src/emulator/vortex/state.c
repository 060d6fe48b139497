/* The parts of the device's state, for snapshots and core files. See machine/archive.h. */
#include "emulator/machine/archive.h"

#include <inttypes.h>
#include <string.h>

#include "emulator/vortex/fields.h"
#include "emulator/vortex/internal.h"

/* ---- the members of warps and cores: for files, hashes (device.c) and checks (check.c) ---- */

#define WARP(member, most, what, at) WT_FIELD(struct vx_warp, member, most, what, at)
const struct wt_field vx_warp_fields[] = {
    WARP(touched, 1, "a flag", WT_UNHASHED),
    WARP(active, 1, "a flag", WT_AT(1)),
    WARP(halted, 1, "a flag", WT_AT(VX_HASH_DEBUG)),
    WARP(stepping, 1, "a flag", WT_AT(VX_HASH_DEBUG + 1)),
    WARP(hacause, 15, "DCTRL.hacause", WT_AT(VX_HASH_DEBUG + 2)),
    WARP(pc, UINT64_MAX, "a PC", WT_AT(4)),
    {0}};
/* Between the two tables: the mask. */
const struct wt_field vx_warp_end[] = {
    WARP(frm, 7, "frm", WT_AT(2)),
    WARP(fflags, 31, "fflags", WT_AT(3)),
    WARP(incarnation, UINT64_MAX, "a number of warps", WT_UNHASHED),
    WARP(wait, VX_WAIT_PHASE, "what a warp waits for", WT_AT(6)),
    WARP(wait_id, UINT32_MAX, "a barrier", WT_AT(7)),
    WARP(wait_count, UINT32_MAX, "a number of warps", WT_AT(8)),
    WARP(wait_pc, UINT64_MAX, "an address", WT_AT(9)),
    WARP(wait_target, UINT64_MAX, "an address", WT_AT(10)),
    {0}};

/* Of profiles with traps and a launch unit. */
const struct wt_field vx_warp_later[] = {
    WARP(mscratch, UINT64_MAX, "mscratch", WT_AT(0)),
    WARP(mstatus, UINT64_MAX, "mstatus", WT_AT(1)),
    WARP(mtvec, UINT64_MAX, "mtvec", WT_AT(2)),
    WARP(mepc, UINT64_MAX, "mepc", WT_AT(3)),
    WARP(mcause, UINT64_MAX, "mcause", WT_AT(4)),
    WARP(mtval, UINT64_MAX, "mtval", WT_AT(5)),
    WARP(begun, 1, "a flag", WT_AT(6)),
    WARP(of_cta, 1, "a flag", WT_AT(7)),
    WARP(place, VX_MOST_WARPS - 1, "the place of a CTA", WT_AT(8)),
    WARP(rank, UINT32_MAX, "a number of warps", WT_AT(9)),
    WARP(size, UINT32_MAX, "a number of warps", WT_AT(10)),
    WARP(thread, UINT32_MAX, "a number of threads", WT_AT(11)),
    WARP(block, UINT32_MAX, "a number of CTAs", WT_AT(14)),
    {0}};

#define OF(type, member, what, at) WT_FIELD(struct type, member, UINT32_MAX, what, WT_AT(at))
const struct wt_field vx_dispatch_fields[] = {
    WT_FIELD(struct vx_dispatch, starts, 1, "a flag", WT_AT(0)),
    OF(vx_dispatch, tail, "the place of a CTA", 1),
    WT_FIELD(struct vx_dispatch, place, VX_MOST_WARPS - 1, "the place of a CTA", WT_AT(2)),
    OF(vx_dispatch, rank, "a number of warps", 3),
    OF(vx_dispatch, rest, "a number of threads", 4),
    OF(vx_dispatch, thread, "a number of threads", 5),
    OF(vx_dispatch, block, "a number of CTAs", 8),
    {0}};

const struct wt_field vx_kmu_fields[] = {WT_FIELD(struct vx_kmu, runs, 1, "a flag", WT_AT(0)),
                                         OF(vx_kmu, origin, "a number of CTAs", 1),
                                         OF(vx_kmu, inner, "a number of CTAs", 4),
                                         OF(vx_kmu, core, "a core", 7),
                                         OF(vx_kmu, owner, "a core", 8),
                                         {0}};

const struct wt_field vx_launch_fields[] = {
    WT_FIELD(struct vx_launch, startup, UINT64_MAX, "STARTUP_ADDR", WT_AT(0)),
    WT_FIELD(struct vx_launch, entry, UINT64_MAX, "KERNEL_ENTRY", WT_AT(1)),
    WT_FIELD(struct vx_launch, argument, UINT64_MAX, "STARTUP_ARG", WT_AT(2)),
    OF(vx_launch, grid, "GRID_DIM", 3),
    OF(vx_launch, block, "BLOCK_DIM", 6),
    OF(vx_launch, cluster, "CLUSTER_DIM", 9),
    OF(vx_launch, local_size, "LMEM_SIZE", 12),
    OF(vx_launch, block_size, "BLOCK_SIZE", 13),
    OF(vx_launch, warp_step, "WARP_STEP", 14),
    {0}};

static void dm(struct wt_archive *a, struct vx_device *d)
{
    struct vx_dm *dm = &d->dm;
    const uint32_t last = d->machine.waves - 1;
    unsigned state = dm->inject_state;
    wt_archive_bool(a, &dm->active);
    wt_archive_u32(a, &dm->dconfig, UINT32_MAX, "DCONFIG");
    wt_archive_u32(a, &dm->dselect, UINT32_MAX, "DSELECT");
    wt_archive_u32(a, &dm->inject, UINT32_MAX, "INJECT");
    wt_archive_unsigned(a, &state, VX_DM_INFLIGHT, "DCTRL.injectstate");
    dm->inject_state = (enum vx_dm_state)state;
    wt_archive_u32(a, &dm->inject_warp, last, "the warp of an injection");
    wt_archive_unsigned(a, &dm->inject_thread, d->machine.lanes - 1, "the thread of an injection");
    state = dm->step_state;
    wt_archive_unsigned(a, &state, VX_DM_INFLIGHT, "DCTRL.stepstate");
    dm->step_state = (enum vx_dm_state)state;
    wt_archive_u32(a, &dm->step_warp, last, "the warp of a step");
    wt_archive_bool(a, &dm->reset_halt);
    wt_archive_u32(a, &dm->reset_left, UINT32_MAX, "the length of a reset");
    wt_archive_u32(a, &dm->halt_left, UINT32_MAX, "the length of a reset");
    for (uint32_t i = 0; i < (d->machine.waves + 31) / 32; i++)
        wt_archive_u32(a, &dm->wmask[i], UINT32_MAX, "WMASK");
    wt_archive_u32(a, &d->mpm_class, UINT32_MAX, "the class of performance counters");
    wt_archive_text(a, d->inject_fault, sizeof d->inject_fault);
}

/* Instructions begin at even addresses. */
static void check_pc(struct wt_archive *a, uint64_t pc)
{
    if (pc & 1)
        wt_archive_fail(a, "a PC is odd: 0x%" PRIx64, pc);
}

static void pc_of(struct wt_archive *a, uint64_t *pc)
{
    wt_archive_u64(a, pc, UINT64_MAX, "a PC");
    check_pc(a, *pc);
}

static void registers(struct wt_archive *a, struct vx_warp *w)
{
    const struct vx_device *d = w->device;
    const size_t lanes = d->machine.lanes, row = lanes * d->config.xlen / 8;
    wt_archive_bytes(a, w->x, 32 * row);
    memset(w->x, 0, row); /* x0 */
    wt_archive_bytes(a, w->f, 32 * lanes * sizeof *w->f);
    wt_archive_bytes(a, w->reserved_addr, lanes * sizeof *w->reserved_addr);
    wt_archive_bytes(a, w->reserved_value, lanes * sizeof *w->reserved_value);
    wt_archive_bytes(a, w->dscratch, 4 * lanes * sizeof *w->dscratch);
    wt_archive_unsigned(a, &w->depth, lanes > 1 ? (unsigned)lanes - 1 : 1,
                        "the depth of a divergence stack");
    for (unsigned i = 0; i < w->depth; i++) {
        struct vx_ipdom *entry = &w->ipdom[i];
        wt_archive_lanes(a, &entry->restore, d->all_lanes);
        wt_archive_lanes(a, &entry->other, d->all_lanes);
        pc_of(a, &entry->pc);
        wt_archive_bool(a, &entry->fallthrough);
    }
    if (!d->config.part_lanes)
        return;
    wt_archive_unsigned(a, &w->parts, (unsigned)lanes - 1, "a number of parted lanes");
    for (unsigned i = 0; i < w->parts; i++) {
        wt_archive_lanes(a, &w->part[i].mask, d->all_lanes);
        pc_of(a, &w->part[i].pc);
    }
}

static void check_wait(struct wt_archive *a, const struct vx_warp *w)
{
    const struct vx_device *d = w->device;
    const bool barrier = w->wait == VX_WAIT_BARRIER || w->wait == VX_WAIT_GLOBAL_BARRIER;
    const bool phases = d->profile->slot_barriers != 0;
    if ((barrier && (w->wait_id >= d->barriers || w->wait_count < (phases ? 1 : 2))) ||
        (w->wait == VX_WAIT_PHASE && (!phases || w->wait_id >= d->barriers)))
        wt_archive_fail(a, "a warp waits at a barrier that there is not");
    if (w->wait != VX_RUNS && !w->active)
        wt_archive_fail(a, "a warp that is not active waits");
}

/* Each lane goes on at one place. */
static void check_parts(struct wt_archive *a, const struct vx_warp *w, wt_lanes mask)
{
    bool bad = w->parts && (!w->active || !mask);
    for (unsigned i = 0; i < w->parts; i++) {
        bad |= !w->part[i].mask || (w->part[i].mask & mask);
        mask |= w->part[i].mask;
    }
    if (bad)
        wt_archive_fail(a, "lanes have parted that are not there, or twice");
}

/* A warp in a snapshot, whose pointers never change. */
static void whole_warp(struct wt_archive *a, struct vx_warp *w)
{
    const struct vx_device *d = w->device;
    uint8_t *of_warp = d->registers + w->id * d->warp_bytes;
    const bool had = w->touched;
    wt_archive_bytes(a, w, sizeof *w);
    if (w->touched) {
        wt_archive_kept(a, &d->kept[w->id], of_warp, d->warp_bytes);
    } else if (had) {
        memset(of_warp, 0, d->warp_bytes);
        vx_note_change(w);
    }
}

static void warp(struct wt_archive *a, struct vx_warp *w)
{
    const struct vx_device *d = w->device;
    if (a->snapshot) {
        whole_warp(a, w);
        return;
    }
    wt_lanes mask = w->mask;
    wt_archive_fields(a, w, vx_warp_fields);
    wt_archive_lanes(a, &mask, d->all_lanes);
    wt_archive_fields(a, w, vx_warp_end);
    check_pc(a, w->pc);
    check_wait(a, w);
    if (d->profile->launch_unit) {
        wt_archive_fields(a, w, vx_warp_later);
        wt_archive_lanes(a, &w->trap_mask, d->all_lanes);
        if (w->place >= d->config.warps || (w->of_cta && !w->active))
            wt_archive_fail(a, "a warp is of a CTA that there is not");
    }
    if (!w->touched && (w->active || mask))
        wt_archive_fail(a, "a warp without registers is active");
    if (w->touched)
        registers(a, w);
    if (!wt_archive_reads(a))
        return;
    vx_note_change(w);
    check_parts(a, w, mask);
    w->left = 0;
    w->code = NULL;
    /* Reset has left a mask to warp 0, which may be without registers in the file. */
    if (w->touched || w->mask)
        vx_set_mask(w, a->failed ? 0 : mask);
}

static void core(struct wt_archive *a, struct vx_device *d, struct vx_core *core)
{
    wt_archive_u64(a, &core->mscratch, UINT64_MAX, "mscratch");
    wt_archive_u64(a, &core->issues, UINT64_MAX, "a number of issues");
    for (uint32_t i = 0; i < d->barriers; i++)
        wt_archive_u32(a, &core->arrived[i], core->phase ? UINT32_MAX : d->config.warps,
                       "the warps at a barrier");
    wt_archive_memory(a, core->local);
}

/* State of the launch unit and of the barriers of its CTAs in a core. */
static void core_later(struct wt_archive *a, struct vx_device *d, struct vx_core *core)
{
    wt_archive_fields(a, &core->dispatch, vx_dispatch_fields);
    if (core->dispatch.place >= vx_launch_places(d))
        wt_archive_fail(a, "a core starts a CTA in a place that there is not");
    for (uint32_t i = 0; i < d->config.warps; i++)
        wt_archive_u32(a, &core->left[i], UINT32_MAX, "the warps of a CTA");
    for (uint32_t i = 0; i < d->barriers; i++) {
        wt_archive_u32(a, &core->phase[i].pending, UINT32_MAX, "transactions");
        wt_archive_u8(a, &core->phase[i].phase, 1, "a phase");
        wt_archive_bool(a, &core->phase[i].reported);
    }
}

static void launch_unit(struct wt_archive *a, struct vx_device *d)
{
    wt_archive_fields(a, &d->config.launch, vx_launch_fields);
    wt_archive_fields(a, &d->kmu, vx_kmu_fields);
    wt_archive_fields(a, &d->kmu.launch, vx_launch_fields);
    if (d->kmu.core >= d->core_count || d->kmu.owner >= d->core_count)
        wt_archive_fail(a, "the launch unit has a core that there is not");
    const struct vx_launch *l = &d->kmu.launch;
    for (unsigned i = 0; i < 3 && d->kmu.runs; i++)
        if (!l->grid[i] || !l->cluster[i] || !l->block_size)
            wt_archive_fail(a, "the launch unit runs a grid of nothing");
    for (uint32_t i = 0; i < d->core_count && !a->failed; i++)
        core_later(a, d, &d->core[i]);
}

/* Whether each CTA has the warps that it says: those that are there, and those to come. */
static void check_places(struct wt_archive *a, const struct vx_device *d)
{
    for (uint32_t i = 0; i < d->core_count && !a->failed; i++) {
        const struct vx_core *core = &d->core[i];
        const struct vx_dispatch *x = &core->dispatch;
        uint32_t active = 0;
        for (uint32_t k = 0; k < d->config.warps; k++)
            active += d->warp[core->first_warp + k].active;
        if (x->starts && (!x->rest || active < d->config.warps))
            wt_archive_fail(a, "a core has not started a warp that it could");
        for (uint32_t place = 0; place < d->config.warps; place++) {
            const uint64_t lanes = d->machine.lanes;
            uint64_t left = x->starts && x->place == place ? (x->rest + lanes - 1) / lanes : 0;
            for (uint32_t k = 0; k < d->config.warps; k++) {
                const struct vx_warp *w = &d->warp[core->first_warp + k];
                left += w->of_cta && w->place == place;
            }
            if (left != core->left[place])
                wt_archive_fail(a, "a CTA has another number of warps than it says");
        }
    }
}

/* Recomputes the values that depend on the parts. */
static void count(struct vx_device *d)
{
    struct wt_machine *m = &d->machine;
    d->halted = d->halted_active = m->active = 0;
    for (uint32_t i = 0; i < d->core_count; i++)
        d->core[i].active = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        struct vx_warp *w = &d->warp[i];
        m->active += w->active;
        w->core->active += w->active;
        d->halted += w->halted;
        d->halted_active += w->halted && w->active;
        vx_update_ready(w);
    }
}

void vx_state(struct wt_machine *m, struct wt_archive *a)
{
    struct vx_device *d = (struct vx_device *)m;
    wt_archive_machine(a, m);
    wt_archive_u64(a, &d->config.startup, UINT64_MAX, "STARTUP_ADDR");
    wt_archive_u64(a, &d->config.argument, UINT64_MAX, "STARTUP_ARG");
    dm(a, d);
    for (uint32_t i = 0; i < m->waves && !a->failed; i++)
        warp(a, &d->warp[i]);
    for (uint32_t i = 0; i < d->core_count && !a->failed; i++)
        core(a, d, &d->core[i]);
    wt_console_archive(a, &d->console);
    if (d->profile->launch_unit)
        launch_unit(a, d);
    if (d->profile->launch_unit && wt_archive_reads_file(a))
        check_places(a, d);
    if (wt_archive_reads(a))
        count(d);
}
