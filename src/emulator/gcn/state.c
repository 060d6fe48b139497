/* The parts of the device's state, for snapshots and core files. See machine/archive.h. */
#include "emulator/machine/archive.h"
#include "emulator/machine/archive_parts.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/watch.h"

#define MOST_ITEMS 1024 /* most items of a work-group */

/* ---- the members of waves and dispatches: for files, hashes (hash.c) and checks (check.c) ---- */

#define DISPATCH(member, most, what, at) WT_FIELD(struct gcn_dispatch, member, most, what, at)
const struct wt_field gcn_dispatch_fields[] = {
    DISPATCH(active, 1, "a flag", WT_AT(0)),
    DISPATCH(suspended, 1, "a flag", WT_UNHASHED),
    DISPATCH(origin.packet, UINT32_MAX, "a packet", WT_UNHASHED),
    DISPATCH(origin.doorbell, UINT32_MAX, "a doorbell", WT_UNHASHED),
    DISPATCH(origin.priority, UINT32_MAX, "a priority", WT_UNHASHED),
    DISPATCH(origin.queue, UINT32_MAX, "a queue", WT_UNHASHED),
    DISPATCH(origin.barred[0], UINT64_MAX, "compute units", WT_UNHASHED),
    DISPATCH(origin.vmid, 15, "a VMID", WT_UNHASHED),
    DISPATCH(origin.pipe, 3, "a pipe", WT_UNHASHED),
    DISPATCH(origin.slot, 7, "a queue's slot", WT_UNHASHED),
    DISPATCH(origin.caught, 0x1ff, "exceptions", WT_UNHASHED),
    WT_FIELD_SINCE(6, struct gcn_dispatch, origin.launch, UINT64_MAX, "a launch", WT_UNHASHED),
    WT_FIELD_SINCE(8, struct gcn_dispatch, origin.barred[1], UINT64_MAX, "compute units",
                   WT_UNHASHED),
    WT_FIELD_SINCE(9, struct gcn_dispatch, origin.barred[2], UINT64_MAX, "compute units",
                   WT_UNHASHED),
    WT_FIELD_SINCE(9, struct gcn_dispatch, origin.barred[3], UINT64_MAX, "compute units",
                   WT_UNHASHED),
    WT_FIELD_SINCE(9, struct gcn_dispatch, origin.barred[4], UINT64_MAX, "compute units",
                   WT_UNHASHED),
    DISPATCH(packet, UINT64_MAX, "a dispatch", WT_AT(1)),
    DISPATCH(queue, UINT64_MAX, "a dispatch", WT_AT(2)),
    DISPATCH(kernarg, UINT64_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(entry, UINT64_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(completion, UINT64_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(id, UINT64_MAX, "a dispatch", WT_AT(3)),
    DISPATCH(next, UINT64_MAX, "a dispatch", WT_AT(4)),
    DISPATCH(total, UINT64_MAX, "a dispatch", WT_AT(5)),
    DISPATCH(done, UINT64_MAX, "a dispatch", WT_AT(6)),
    DISPATCH(scratch, UINT64_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(grid[0], UINT32_MAX, "a grid", WT_UNHASHED),
    DISPATCH(size[0], MOST_ITEMS, "a work-group", WT_UNHASHED),
    DISPATCH(groups[0], UINT32_MAX, "a number of work-groups", WT_UNHASHED),
    DISPATCH(grid[1], UINT32_MAX, "a grid", WT_UNHASHED),
    DISPATCH(size[1], MOST_ITEMS, "a work-group", WT_UNHASHED),
    DISPATCH(groups[1], UINT32_MAX, "a number of work-groups", WT_UNHASHED),
    DISPATCH(grid[2], UINT32_MAX, "a grid", WT_UNHASHED),
    DISPATCH(size[2], MOST_ITEMS, "a work-group", WT_UNHASHED),
    DISPATCH(groups[2], UINT32_MAX, "a number of work-groups", WT_UNHASHED),
    DISPATCH(lds, GCN_MOST_LDS, "the LDS of a work-group", WT_UNHASHED),
    DISPATCH(private_size, UINT32_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(rsrc1, UINT32_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(rsrc2, UINT32_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(properties, UINT32_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(scratch_wave, UINT32_MAX, "a dispatch", WT_UNHASHED),
    DISPATCH(vgprs, GCN_MOST_VGPRS, "the VGPRs of a wave", WT_UNHASHED),
    WT_FIELD_SINCE(8, struct gcn_dispatch, agprs, GCN_MOST_VGPRS, "accumulation registers",
                   WT_UNHASHED),
    WT_FIELD_SINCE(8, struct gcn_dispatch, preload, UINT16_MAX, "arguments", WT_UNHASHED),
    DISPATCH(sgprs, GCN_SCALARS, "the SGPRs of a wave", WT_UNHASHED),
    DISPATCH(waves_per_group, GCN_MOST_CU_WAVES, "the waves of a work-group", WT_UNHASHED),
    DISPATCH(scratch_waves, UINT32_MAX, "a number of waves", WT_UNHASHED),
    DISPATCH(scratch_resource, UINT32_MAX, "a resource", WT_UNHASHED),
    {0}};

#define GROUP(member, most, what, at) WT_FIELD(struct gcn_group, member, most, what, at)
const struct wt_field gcn_group_fields[] = {
    GROUP(used, 1, "a flag", WT_UNHASHED),
    GROUP(saved, 1, "a flag", WT_UNHASHED),
    GROUP(coordinate, UINT32_MAX, "a work-group", WT_AT(2)),
    GROUP(launch, GCN_DISPATCHES - 1, "a work-group's dispatch", WT_UPPER(0)),
    GROUP(local_size, GCN_MOST_LDS, "the LDS of a work-group", WT_AT(1)),
    {0}};

#define WAVE(member, most, what, at) WT_FIELD(struct gcn_wave, member, most, what, at)
const struct wt_field gcn_wave_fields[] = {
    WAVE(pc, UINT64_MAX, "a PC", WT_AT(2)),
    WAVE(mode, UINT32_MAX, "MODE", WT_AT(3)),
    WAVE(trapsts, UINT32_MAX, "TRAPSTS", WT_AT(4)),
    WAVE(status, UINT32_MAX, "STATUS", WT_AT(5)),
    WAVE(scc, 1, "a flag", WT_AT(6)),
    WAVE(at_barrier, 1, "a flag", WT_AT(7)),
    WAVE(vgprs, GCN_MOST_VGPRS, "the VGPRs of a wave", WT_AT(8)),
    WT_FIELD_SINCE(8, struct gcn_wave, agprs, GCN_MOST_VGPRS, "accumulation registers",
                   WT_UPPER(8)),
    WAVE(sgprs, GCN_SCALARS, "the SGPRs of a wave", WT_AT(9)),
    WAVE(index, GCN_MOST_CU_WAVES - 1, "a wave's place in its group", WT_AT(1)),
    WAVE(vm_cnt, 63, "vmcnt", WT_AT(10)),
    WAVE(lgkm_cnt, 15, "lgkmcnt", WT_AT(11)),
    WAVE(exp_cnt, 7, "expcnt", WT_AT(12)),
    WAVE(wait_pc, UINT64_MAX, "an address", WT_AT(13)),
    WAVE(gws, GCN_GWS_SEMAPHORE, "a wave's wait", WT_AT(14)),
    WAVE(gws_resource, GCN_GWS - 1, "a resource of global wave sync", WT_AT(15)),
    WAVE(gws_since, UINT64_MAX, "an issue time", WT_AT(16)),
    WAVE(tba, UINT64_MAX, "TBA", WT_UNHASHED),
    WAVE(tma, UINT64_MAX, "TMA", WT_UNHASHED),
    WAVE(step_due, 1, "a flag", WT_AT(17)),
    WAVE(kill, 1, "a flag", WT_AT(18)),
    WAVE(save_entries, UINT16_MAX, "a number of traps", WT_AT(19)),
    WAVE(record, UINT32_MAX, "a wave's record", WT_UNHASHED),
    {0}};

/* ---- the debug hardware ---- */

static void debug(struct wt_archive *a, struct gcn_device *d)
{
    struct gcn_debug *r = &d->debug;
    uint32_t *const words[] = {&r->gfx_cntl,  &r->gfx_index,    &r->ind_index,
                               &r->wave_cntl, &r->wave_cntl2,   &r->trap_config,
                               &r->trap_mask, &r->trap_data[0], &r->trap_data[1]};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        wt_archive_u32(a, words[i], UINT32_MAX, "a register");
    for (unsigned i = 0; i < GCN_WATCHES; i++) {
        wt_archive_u32(a, &r->watch[i].high, UINT32_MAX, "a register");
        wt_archive_u32(a, &r->watch[i].low, UINT32_MAX, "a register");
        wt_archive_u32(a, &r->watch[i].cntl, UINT32_MAX, "a register");
    }
    wt_archive_u64(a, &d->tba, UINT64_MAX, "TBA");
    wt_archive_u64(a, &d->tma, UINT64_MAX, "TMA");
    wt_archive_u64(a, &d->interrupts, UINT64_MAX, "a number of interrupts");
    for (unsigned i = 0; i < GCN_INTERRUPTS; i++) {
        struct gcn_interrupt *in = &d->interrupt[i];
        wt_archive_u64(a, &in->time, UINT64_MAX, "an issue time");
        wt_archive_u32(a, &in->wave, d->machine.waves - 1, "an interrupt's wave");
        wt_archive_u32(a, &in->context0, UINT32_MAX, "an interrupt");
        wt_archive_u32(a, &in->context1, UINT32_MAX, "an interrupt");
        wt_archive_u32(a, &in->vmid, UINT32_MAX, "a VMID");
        wt_archive_u32(a, &in->queue, UINT32_MAX, "a queue");
    }
}

/* ---- the driver's debug interface ---- */

static void queue_members(struct wt_archive *a, struct gcn_device *d, unsigned n)
{
    struct gcn_kfd_queue *q = &d->kfd.queue[n];
    struct kfd_queue_entry *e = &q->entry;
    wt_archive_bool(a, &q->used);
    if (!q->used) {
        *q = (struct gcn_kfd_queue){0};
        return;
    }
    wt_archive_bool(a, &q->suspended);
    wt_archive_u64(a, &e->exception_status, UINT64_MAX, "exceptions");
    wt_archive_u64(a, &e->ring_base_address, UINT64_MAX, "an address");
    wt_archive_u64(a, &e->write_pointer_address, UINT64_MAX, "an address");
    wt_archive_u64(a, &e->read_pointer_address, UINT64_MAX, "an address");
    wt_archive_u32(a, &e->queue_id, UINT32_MAX, "a queue");
    wt_archive_u32(a, &e->gpu_id, UINT32_MAX, "a GPU");
    wt_archive_u32(a, &e->ring_size, UINT32_MAX, "a size");
    wt_archive_u32(a, &e->queue_type, UINT32_MAX, "a queue's type");
    wt_archive_u32(a, &q->area_used, gcn_kfd_area_size(d), "the size of a save area");
    if (wt_archive_reads(a)) {
        e->gpu_id = 0; /* a host process numbers its GPUs; here is one */
        e->ctx_save_restore_address = GCN_KFD_AREA + n * GCN_KFD_AREA_STEP;
        e->ctx_save_restore_area_size = gcn_kfd_area_size(d);
        for (unsigned i = 0; i < n; i++)
            if (d->kfd.queue[i].used && d->kfd.queue[i].entry.queue_id == e->queue_id)
                wt_archive_fail(a, "two queues have the same id");
    }
}

static void queue(struct wt_archive *a, struct gcn_device *d, unsigned n)
{
    struct gcn_kfd_queue *q = &d->kfd.queue[n];
    if (!wt_archive_whole(a, q, sizeof *q))
        queue_members(a, d, n);
    if (!q->suspended)
        return;
    if (wt_archive_reads_file(a) && !d->kfd_area[n] &&
        !(d->kfd_area[n] = calloc(1, gcn_kfd_area_size(d)))) {
        wt_archive_fail(a, "the host has no memory for a save area");
        return;
    }
    wt_archive_bytes(a, gcn_kfd_area(d, q), q->area_used);
}

static void driver(struct wt_archive *a, struct gcn_device *d)
{
    struct gcn_kfd *kfd = &d->kfd;
    wt_archive_bool(a, &kfd->enabled);
    wt_archive_u32(a, &kfd->flags, UINT32_MAX, "flags");
    wt_archive_u64(a, &kfd->exceptions, UINT64_MAX, "exceptions");
    wt_archive_u64(a, &kfd->status, UINT64_MAX, "exceptions");
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        queue(a, d, i);
}

/* ---- dispatches ---- */

/* Derives from grid and group the values that gcn_device_begin computes. */
static void check_shape(struct wt_archive *a, const struct gcn_dispatch *k)
{
    uint64_t total = 1, items = 1;
    const unsigned lanes = gcn_dispatch_lanes(k);
    for (unsigned i = 0; i < 3; i++) {
        if (!k->size[i] || !k->grid[i] ||
            k->groups[i] != ((uint64_t)k->grid[i] + k->size[i] - 1) / k->size[i] ||
            __builtin_mul_overflow(total, (uint64_t)k->groups[i], &total) ||
            __builtin_mul_overflow(items, (uint64_t)k->size[i], &items)) {
            wt_archive_fail(a, "a dispatch has a grid that there cannot be");
            return;
        }
    }
    if (total != k->total || items > MOST_ITEMS || k->done > k->next || k->next > k->total ||
        k->waves_per_group != (items + lanes - 1) / lanes || !k->vgprs || !k->sgprs)
        wt_archive_fail(a, "a dispatch has a grid that there cannot be");
    if ((uint64_t)k->scratch_wave * k->scratch_waves > UINT32_MAX)
        wt_archive_fail(a, "a dispatch has more scratch memory than there can be");
}

static void dispatch(struct wt_archive *a, const struct gcn_model *model, struct gcn_dispatch *k)
{
    if (wt_archive_whole(a, k, sizeof *k))
        return;
    wt_archive_fields(a, k, gcn_dispatch_fields);
    if (wt_archive_reads(a) && a->version <= 5)
        k->origin.launch = k->id;
    if (wt_archive_reads(a) && a->version <= 7)
        k->agprs = model->agprs ? k->vgprs : 0;
    if (wt_archive_reads(a) && k->id)
        check_shape(a, k);
    else if (wt_archive_reads(a))
        *k = (struct gcn_dispatch){0};
}

/* ---- work-groups and waves ---- */

static void group(struct wt_archive *a, struct wt_machine *m, struct wt_group_head *head)
{
    struct gcn_group *g = (struct gcn_group *)head;
    wt_archive_fields(a, g, gcn_group_fields);
    if (wt_archive_reads(a) && g->used && !((struct gcn_device *)m)->dispatch[g->launch].active)
        wt_archive_fail(a, "a work-group is of a dispatch that has ended");
}

const char *gcn_wave_flaw(const struct gcn_device *d, const struct gcn_wave *w)
{
    return !w->group->used || w->group->core != w->id / gcn_cu_waves(d)
               ? "a wave's work-group is not there"
           : !w->vgprs || !w->sgprs || w->agprs > gcn_model_of(d)->agprs
               ? "a wave has no registers, or more than there are"
           : w->at_barrier && w->gws ? "a wave waits at two barriers"
           : !w->tba && w->status & GCN_STATUS_TRAP_EN
               ? "a wave without a trap handler has STATUS.TRAP_EN"
           : !gcn_kfd_record_fits(d, w) ? "a wave's record is not in its save area"
                                        : NULL;
}

static void archive_gfx10(struct wt_archive *a, struct gcn_wave *w)
{
    uint32_t stores = w->vs_cnt;
    wt_archive_u64(a, &w->flat_scratch, UINT64_MAX, "FLAT_SCRATCH");
    wt_archive_u32(a, &stores, 63, "vscnt");
    w->vs_cnt = (uint8_t)stores;
}

static void registers(struct wt_archive *a, struct gcn_device *d, struct gcn_wave *w)
{
    uint32_t number = wt_archive_reads(a) ? 0 : (uint32_t)(w->group - d->group);
    wt_archive_u32(a, &number, d->machine.waves - 1, "a wave's work-group");
    w->group = &d->group[number];
    wt_archive_fields(a, w, gcn_wave_fields);
    if (wt_archive_reads(a) && a->version <= 7)
        w->agprs = gcn_model_of(d)->agprs ? w->vgprs : 0;
    wt_archive_bytes(a, w->s, sizeof w->s);
    if (gcn_is_gfx10(gcn_model_of(d)))
        archive_gfx10(a, w);
    w->narrow = gcn_lanes_of(w) < GCN_LANES;
}

static void vgprs(struct wt_archive *a, struct gcn_wave *w)
{
    if (!w->v &&
        !(w->v = aligned_alloc(64, gcn_model_rows(gcn_model_of(w->device)) * sizeof *w->v))) {
        wt_archive_fail(a, "the host has no memory for registers");
        return;
    }
    for (unsigned file = 0; file < GCN_FILES; file++)
        if (gcn_rows_of(w, file))
            wt_archive_sparse(a, w->v[file * GCN_AGPR], gcn_rows_of(w, file) * sizeof *w->v);
}

static void wave(struct wt_archive *a, struct gcn_device *d, uint32_t n)
{
    struct gcn_wave *w = &d->wave[n];
    if (wt_archive_slot(a, w, sizeof *w, &w->v, w->active)) {
        vgprs(a, w);
        return;
    }
    if (wt_archive_reads(a))
        *w = (struct gcn_wave){.v = w->v, .device = d, .id = n};
    wt_archive_bool(a, &w->active);
    wt_archive_u16(a, &w->scratch, GCN_MOST_WAVES - 1, "a wave's scratch memory");
    wt_archive_u64(a, &w->saved, UINT64_MAX, "a saved context");
    wt_archive_u16(a, &w->place, (uint16_t)(d->machine.waves - 1), "a saved wave's work-group");
    wt_archive_u64(a, &w->incarnation, UINT64_MAX, "a number of waves");
    if (d->config.imprecise)
        wt_archive_u32(a, &w->late, d->config.imprecise, "a wave's violation of memory");
    if (w->active) {
        registers(a, d, w);
        vgprs(a, w);
        const char *flaw = wt_archive_reads(a) ? gcn_wave_flaw(d, w) : NULL;
        if (flaw)
            wt_archive_fail(a, "%s", flaw);
    }
    if (wt_archive_reads(a) && (!w->active || a->failed))
        w->late = 0;
    if (wt_archive_reads(a) && a->failed) {
        w->active = false;
        w->group = NULL;
    }
}

/* Why a wave has stopped; a reader has the waves' ids only once all waves are there. */
static void exception(struct wt_archive *a, struct gcn_device *d, uint32_t n)
{
    struct wt_fault none = {.wave = n}, *f = NULL;
    if (!d->wave[n].active)
        return;
    if (!wt_archive_reads(a))
        f = gcn_noted_exception(d, n);
    else if (d->exception)
        d->exception[n].kind = WT_FAULT_NONE;
    f = f ? f : &none;
    if (wt_archive_reads(a) && a->version == 4) {
        d->wave[n].late = 0;
        return; /* reports say what the registers say */
    }
    wt_archive_fault(a, f, d->machine.waves, GCN_LANES);
    const uint32_t late = d->wave[n].late;
    if (wt_archive_reads(a) && !a->failed && f->kind && f->wave == n) {
        struct wt_fault *noted = gcn_note_exception(d, f);
        if (noted)
            noted->id = f->id;
        d->wave[n].late = late;
    }
    if (late && !gcn_noted_exception(d, n))
        wt_archive_fail(a, "a wave waits for a fault that is not there");
}

/* A snapshot has those of all slots. */
static void exceptions(struct wt_archive *a, struct gcn_device *d)
{
    const size_t size = d->machine.waves * sizeof *d->exception;
    bool there = d->exception;
    if (!a->snapshot) {
        for (uint32_t i = 0; i < d->machine.waves && !a->failed; i++)
            exception(a, d, i);
        return;
    }
    wt_archive_bool(a, &there);
    if (there)
        wt_archive_bytes(a, d->exception, size);
    else if (d->exception)
        memset(d->exception, 0, size);
}

/* ---- what follows from the parts ---- */

/* Whether the waves and groups of a compute unit use no more of a resource than it has. */
static bool unit_holds(const struct gcn_device *d, uint32_t unit)
{
    const struct gcn_model *model = gcn_model_of(d);
    const uint32_t slots = gcn_cu_waves(d);
    uint32_t vgprs[GCN_MOST_SIMDS] = {0}, sgprs[GCN_MOST_SIMDS] = {0}, lds = 0;
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct gcn_wave *w = &d->wave[unit * slots + slot];
        const struct gcn_group *g = &d->group[unit * slots + slot];
        vgprs[slot % model->simds] +=
            w->active ? gcn_model_taken(model, gcn_lanes_of(w), w->vgprs, w->agprs) : 0;
        sgprs[slot % model->simds] += w->active ? w->sgprs : 0;
        lds += g->used ? g->local_size : 0;
        if (g->used && (!g->waves || gcn_waiting(g) == g->waves))
            return false;
    }
    for (unsigned i = 0; i < model->simds; i++)
        if (vgprs[i] > model->vgpr_rows || sgprs[i] > model->sgprs)
            return false;
    return lds <= model->lds_bytes;
}

static void count(struct wt_archive *a, struct gcn_device *d)
{
    struct wt_machine *m = &d->machine;
    uint64_t groups[GCN_DISPATCHES] = {0};
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct gcn_wave *w = &d->wave[i];
        m->active += w->active;
        if (w->active) {
            w->group->waves++;
            w->group->waiting |= w->at_barrier ? gcn_slot_bit(w) : 0;
        }
        groups[d->group[i].launch] += d->group[i].used;
    }
    for (uint32_t i = 0; i < d->config.cu; i++)
        if (!unit_holds(d, i))
            wt_archive_fail(a, "compute unit %u holds more than there is room for", i);
    for (unsigned i = 0; i < GCN_DISPATCHES; i++) {
        const struct gcn_dispatch *k = &d->dispatch[i];
        if (k->done + groups[i] > k->next ||
            (d->launching >> i & 1 && (!k->active || k->next >= k->total)))
            wt_archive_fail(a, "a dispatch has other work-groups than it says");
    }
    if (a->failed)
        return;
    gcn_count_taken(d);
    for (uint32_t i = 0; i < m->waves; i++)
        if (d->wave[i].active)
            gcn_update_ready(&d->wave[i]);
}

void gcn_state(struct wt_machine *m, struct wt_archive *a)
{
    struct gcn_device *d = (struct gcn_device *)m;
    wt_archive_machine(a, m);
    if (!a->snapshot) {
        wt_archive_in_process(a, m);
        wt_archive_regions(a, &d->machine.regions);
        for (size_t i = 0; d->config.atomics_pcie && i < d->machine.regions.count; i++)
            wt_archive_u8(a, &d->machine.regions.region[i].grain, WT_GRAIN_FINE_HOST, "a grain");
    }
    if (wt_archive_reads_file(a))
        d->host = m->process.hosted ? &gcn_recorded_driver : &gcn_no_driver;
    debug(a, d);
    driver(a, d);
    wt_archive_u32(a, &d->launching, UINT32_MAX, "dispatches");
    wt_archive_u32(a, &d->served, GCN_DISPATCHES - 1, "a dispatch");
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        dispatch(a, gcn_model_of(d), &d->dispatch[i]);
    wt_archive_bool(a, &d->saving);
    wt_archive_u64(a, &d->save_end, UINT64_MAX, "an address");
    wt_archive_u64(a, &d->save_next, d->save_end, "an address");
    for (unsigned i = 0; i < GCN_GWS; i++)
        wt_archive_u32(a, &d->gws[i], UINT32_MAX, "a counter of global wave sync");
    wt_archive_sparse(a, d->gds, gcn_model_of(d)->gds_bytes);
    wt_groups_archive(m, a, group);
    for (uint32_t i = 0; i < m->waves && !a->failed; i++)
        wave(a, d, i);
    exceptions(a, d);
    if (!wt_archive_reads(a) || a->failed)
        return;
    gcn_address_watch_changed(d);
    if (a->snapshot)
        gcn_count_taken(d);
    else
        count(a, d);
}
