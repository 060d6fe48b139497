/*
 * The save area of a queue: its waves as records in memory, written when it is suspended and read
 * back when it is resumed (object/kfd_debug.h has the layout). The kernel driver's trap handler
 * does this on hardware; here the emulated driver does, and the waves keep their places.
 */
#include "emulator/gcn/internal.h"

#include <stdlib.h>
#include <string.h>

#define CONTROL_OFFSET 256u
#define ALIGNMENT 256u

static bool is_gfx10(const struct gcn_wave *w)
{
    return gcn_is_gfx10(gcn_model_of(w->device));
}

static uint32_t sgprs_of(const struct gcn_wave *w)
{
    return is_gfx10(w) ? KFD_GFX10_SGPRS : w->sgprs < KFD_MOST_SGPRS ? w->sgprs : KFD_MOST_SGPRS;
}

/* The bytes of a vector register. */
static uint32_t row_bytes(const struct gcn_wave *w)
{
    return 4 * gcn_lanes_of(w);
}

static uint32_t lds_bytes(const struct gcn_group *g)
{
    return (g->local_size + KFD_LDS_UNIT - 1) / KFD_LDS_UNIT * KFD_LDS_UNIT;
}

static uint32_t rows_of(const struct gcn_wave *w)
{
    return gcn_model_saved(gcn_model_of(w->device), w->vgprs, w->agprs);
}

static uint32_t record_bytes(const struct gcn_wave *w, bool first)
{
    return rows_of(w) * row_bytes(w) + sgprs_of(w) * 4 + KFD_RECORD_REGISTERS +
           (first ? lds_bytes(w->group) : 0);
}

uint32_t gcn_kfd_area_size(const struct gcn_device *d)
{
    const struct gcn_model *model = gcn_model_of(d);
    const uint32_t unit =
        model->simds * (gcn_model_simd_rows(model) * 4 * model->target.lanes + model->sgprs * 4u) +
        gcn_cu_waves(d) * (KFD_RECORD_REGISTERS + KFD_RECORD_GAP) + model->lds_bytes;
    const uint32_t control = KFD_CONTROL_HEADER + d->machine.waves * 8;
    const uint32_t size = CONTROL_OFFSET + control + ALIGNMENT + d->config.cu * unit;
    return (size + (uint32_t)WT_PAGE_MASK) & ~(uint32_t)WT_PAGE_MASK;
}

bool gcn_kfd_record_fits(const struct gcn_device *d, const struct gcn_wave *w)
{
    const uint32_t bytes = record_bytes(w, true), size = gcn_kfd_area_size(d);
    return bytes <= size && w->record <= size - bytes;
}

uint8_t *gcn_kfd_area(const struct gcn_device *d, const struct gcn_kfd_queue *q)
{
    return d->machine.process.memory ? (uint8_t *)(uintptr_t)q->entry.ctx_save_restore_address
                                     : d->kfd_area[q - d->kfd.queue];
}

/* Likewise in a host process, where the areas lie in its memory. */
static uint8_t *process_area_at(const struct gcn_device *d, uint64_t addr, uint64_t *room)
{
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++) {
        const struct kfd_queue_entry *e = &d->kfd.queue[i].entry;
        const uint64_t offset = addr - e->ctx_save_restore_address;
        if (!d->kfd.queue[i].used || offset >= e->ctx_save_restore_area_size)
            continue;
        *room = e->ctx_save_restore_area_size - offset;
        return (uint8_t *)(uintptr_t)addr;
    }
    return NULL;
}

uint8_t *gcn_kfd_area_at(const struct gcn_device *d, uint64_t addr, uint64_t *room)
{
    if (d->machine.process.memory)
        return process_area_at(d, addr, room);
    const uint64_t n = (addr - GCN_KFD_AREA) / GCN_KFD_AREA_STEP;
    const uint64_t offset = (addr - GCN_KFD_AREA) % GCN_KFD_AREA_STEP;
    if (addr < GCN_KFD_AREA || n >= KFD_DEBUG_QUEUES || !d->kfd_area[n] ||
        offset >= gcn_kfd_area_size(d))
        return NULL;
    *room = gcn_kfd_area_size(d) - offset;
    return d->kfd_area[n] + offset;
}

/* ---- the waves of a queue, group by group ---- */

static bool of_queue(const struct gcn_device *d, const struct gcn_group *g,
                     const struct gcn_kfd_queue *q)
{
    return g->used && d->dispatch[g->launch].origin.queue == q->entry.queue_id;
}

/* The wave of a group with the lowest index from *index on; NULL if there is none. */
static struct gcn_wave *next_wave(struct gcn_device *d, const struct gcn_group *g, uint32_t *index)
{
    struct gcn_wave *wave = &d->wave[g->core * gcn_cu_waves(d)], *best = NULL;
    for (uint32_t i = 0; i < gcn_cu_waves(d); i++)
        if (wave[i].active && wave[i].group == g && wave[i].index >= *index &&
            (!best || wave[i].index < best->index))
            best = &wave[i];
    if (best)
        *index = best->index + 1u;
    return best;
}

/* ---- saving ---- */

/* The scalar registers of a record: those that follow each other from s0 on, then those with names.
 */
static void copy_scalars(struct gcn_wave *w, uint8_t *at, bool save)
{
    const uint32_t special = is_gfx10(w) ? KFD_GFX10_VCC + 2 : sgprs_of(w) - KFD_RECORD_SPECIAL;
    uint32_t *const named = &w->s[GCN_FLAT_SCRATCH];
    memcpy(save ? at : (uint8_t *)w->s, save ? (uint8_t *)w->s : at, special * 4);
    at += special * 4;
    if (!is_gfx10(w))
        memcpy(save ? at : (uint8_t *)named, save ? (uint8_t *)named : at, KFD_RECORD_SPECIAL * 4);
}

static void save_registers(struct gcn_wave *w, uint8_t *at)
{
    const uint32_t sgprs = sgprs_of(w), row = row_bytes(w);
    const uint64_t pc = w->at_barrier || w->gws ? w->wait_pc : w->pc;
    const uint64_t launch = gcn_dispatch_of(w)->origin.launch;
    const uint64_t wave = wt_machine_wave_id(&w->device->machine, w->id);
    uint32_t hw[KFD_HW_COUNT] = {
        [KFD_HW_M0] = w->s[GCN_M0],
        [KFD_HW_PC_LO] = (uint32_t)pc,
        [KFD_HW_PC_HI] = (uint32_t)(pc >> 32),
        [KFD_HW_EXEC_LO] = w->s[GCN_EXEC],
        [KFD_HW_EXEC_HI] = w->s[GCN_EXEC + 1],
        [KFD_HW_STATUS] = gcn_status(w),
        [KFD_HW_TRAPSTS] = w->trapsts,
        [KFD_HW_XNACK_LO] = w->s[GCN_XNACK_MASK],
        [KFD_HW_XNACK_HI] = w->s[GCN_XNACK_MASK + 1],
        [KFD_HW_MODE] = w->mode,
        [KFD_HW_SLOT] = w->id + 1,
        [KFD_HW_LAUNCH_LO] = (uint32_t)launch,
        [KFD_HW_LAUNCH_HI] = (uint32_t)(launch >> 32),
        [KFD_HW_WAVE_LO] = (uint32_t)wave,
        [KFD_HW_WAVE_HI] = (uint32_t)(wave >> 32),
    };
    if (is_gfx10(w)) {
        hw[KFD_HW_GFX10_MODE] = w->mode;
        hw[KFD_HW_GFX10_FLAT_LO] = (uint32_t)w->flat_scratch;
        hw[KFD_HW_GFX10_FLAT_HI] = (uint32_t)(w->flat_scratch >> 32);
    }
    for (unsigned file = 0; file < GCN_FILES; file++)
        for (unsigned i = 0; i < gcn_rows_of(w, file); i++, at += row)
            memcpy(at, w->v[file * GCN_AGPR + i], row);
    at += (rows_of(w) - w->vgprs - w->agprs) * row;
    copy_scalars(w, at, true);
    at += sgprs * 4;
    memcpy(at, hw, sizeof hw);
    memcpy(at + sizeof hw, &w->s[GCN_TTMP], 64);
}

/* The space that the queue's waves take: dwords of the control stack, bytes of records. */
static void measure(struct gcn_device *d, const struct gcn_kfd_queue *q, uint32_t *dwords,
                    uint32_t *bytes)
{
    *dwords = *bytes = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const struct gcn_group *g = &d->group[i];
        uint32_t index = 0;
        if (!of_queue(d, g, q))
            continue;
        bool first = true;
        *dwords += gcn_is_gfx10(gcn_model_of(d)) ? 2 : 1;
        for (const struct gcn_wave *w; (w = next_wave(d, g, &index)) != NULL; first = false) {
            ++*dwords;
            *bytes += record_bytes(w, first) + KFD_RECORD_GAP;
        }
    }
}

/* The shape of a group's waves; returns what follows it. */
static uint8_t *save_shape(const struct gcn_wave *w, uint8_t *control)
{
    const struct gcn_model *model = gcn_model_of(w->device);
    const uint32_t lds = lds_bytes(w->group) / KFD_LDS_UNIT;
    const uint32_t shape = KFD_RELAUNCH_STATE | sgprs_of(w) / 16 << 6 | lds << 9;
    if (is_gfx10(w)) {
        wt_store_le(control,
                    KFD_RELAUNCH_STATE |
                        (w->vgprs / gcn_model_granule(model, gcn_lanes_of(w)) - 1) | lds << 10 |
                        (w->narrow ? KFD_RELAUNCH_WAVE32 : 0),
                    4);
        wt_store_le(control + 4, 0, 4);
        return control + 8;
    }
    wt_store_le(control,
                model->unified ? shape | (rows_of(w) / 8 - 1) | (w->vgprs / 4u - 1) << 24
                               : shape | (w->vgprs / 4u - 1),
                4);
    return control + 4;
}

static uint8_t *save_group(struct gcn_device *d, struct gcn_group *g, uint8_t *area, uint32_t *top,
                           uint8_t *control)
{
    uint32_t index = 0;
    bool first = true;
    struct gcn_wave *w = next_wave(d, g, &index);
    const bool gfx10 = is_gfx10(w);
    const uint32_t first_one = gfx10 ? KFD_RELAUNCH_FIRST_GFX10 : KFD_RELAUNCH_FIRST,
                   last_one = gfx10 ? KFD_RELAUNCH_LAST_GFX10 : KFD_RELAUNCH_LAST;
    control = save_shape(w, control);
    while (w) {
        struct gcn_wave *next = next_wave(d, g, &index);
        const uint32_t size = record_bytes(w, first);
        wt_store_le(control, (first ? first_one : 0) | (next ? 0 : last_one), 4);
        control += 4;
        *top -= size;
        w->record = *top;
        save_registers(w, area + *top);
        if (first)
            memcpy(area + *top + record_bytes(w, false), g->local, g->local_size);
        *top -= KFD_RECORD_GAP;
        first = false;
        w = next;
    }
    return control;
}

bool gcn_kfd_save(struct gcn_device *d, struct gcn_kfd_queue *q)
{
    uint32_t dwords, bytes;
    measure(d, q, &dwords, &bytes);
    const uint32_t control_size = KFD_CONTROL_HEADER + 4 * dwords;
    const uint32_t waves = (CONTROL_OFFSET + control_size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (waves + bytes > q->entry.ctx_save_restore_area_size)
        return false;
    if (!d->machine.process.memory && !gcn_kfd_area(d, q))
        d->kfd_area[q - d->kfd.queue] = calloc(1, gcn_kfd_area_size(d));
    uint8_t *area = gcn_kfd_area(d, q);
    if (!area)
        return false;
    const struct kfd_save_header header = {.control_stack_offset = CONTROL_OFFSET,
                                           .control_stack_size = control_size,
                                           .wave_state_offset = waves,
                                           .wave_state_size = bytes};
    memcpy(area, &header, sizeof header);
    memset(area + CONTROL_OFFSET, 0, KFD_CONTROL_HEADER);
    uint8_t *control = area + CONTROL_OFFSET + KFD_CONTROL_HEADER;
    uint32_t top = waves + bytes;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (of_queue(d, &d->group[i], q))
            control = save_group(d, &d->group[i], area, &top, control);
    assert(top == waves && control == area + CONTROL_OFFSET + control_size);
    q->area_used = waves + bytes;
    return true;
}

/* ---- loading ---- */

static void load_registers(struct gcn_wave *w, const uint8_t *at)
{
    const uint32_t sgprs = sgprs_of(w), row = row_bytes(w);
    uint32_t hw[KFD_HW_COUNT];
    for (unsigned file = 0; file < GCN_FILES; file++)
        for (unsigned i = 0; i < gcn_rows_of(w, file); i++, at += row)
            memcpy(w->v[file * GCN_AGPR + i], at, row);
    at += (rows_of(w) - w->vgprs - w->agprs) * row;
    copy_scalars(w, (uint8_t *)(uintptr_t)at, false);
    at += sgprs * 4;
    memcpy(hw, at, sizeof hw);
    if (is_gfx10(w))
        w->flat_scratch = hw[KFD_HW_GFX10_FLAT_LO] | (uint64_t)hw[KFD_HW_GFX10_FLAT_HI] << 32;
    memcpy(&w->s[GCN_TTMP], at + sizeof hw, 64);
    w->s[GCN_M0] = hw[KFD_HW_M0];
    w->s[GCN_EXEC] = hw[KFD_HW_EXEC_LO];
    w->s[GCN_EXEC + 1] = w->narrow ? 0 : hw[KFD_HW_EXEC_HI];
    w->trapsts = hw[KFD_HW_TRAPSTS];
    w->mode = hw[is_gfx10(w) ? KFD_HW_GFX10_MODE : KFD_HW_MODE] & gcn_mode_held(w->device);
    w->step_due = w->step_due && w->mode & GCN_MODE_DEBUG_EN;
    w->scc = hw[KFD_HW_STATUS] & 1;
    const uint32_t held = gcn_status_held(w);
    w->status = (w->status & ~held) | (hw[KFD_HW_STATUS] & held);
    const uint64_t pc = (hw[KFD_HW_PC_LO] | (uint64_t)hw[KFD_HW_PC_HI] << 32) & 0xfffffffffffc;
    if (!w->at_barrier && !w->gws) {
        w->pc = pc;
    } else if (pc != w->wait_pc) { /* it waits no longer: it was sent elsewhere */
        gcn_leave_wait(w);
        w->pc = pc;
    }
}

void gcn_kfd_load(struct gcn_device *d, struct gcn_kfd_queue *q)
{
    const uint8_t *area = gcn_kfd_area(d, q);
    assert(q->suspended && area);
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        struct gcn_group *g = &d->group[i];
        uint32_t index = 0;
        bool first = true;
        if (!of_queue(d, g, q))
            continue;
        for (struct gcn_wave *w; (w = next_wave(d, g, &index)) != NULL; first = false) {
            if (!w->record) /* it began after the queue was suspended: none does */
                continue;
            load_registers(w, area + w->record);
            if (first)
                memcpy(g->local, area + w->record + record_bytes(w, false), g->local_size);
            w->record = 0;
        }
    }
}
