/* Hardware registers that s_getreg and s_setreg reach (manual, section 5.8; gfx9 register headers).
 */
#include "emulator/gcn/internal.h"

enum hwreg {
    HW_MODE = 1,
    HW_STATUS = 2,
    HW_TRAPSTS = 3,
    HW_ID = 4,
    HW_GPR_ALLOC = 5,
    HW_LDS_ALLOC = 6,
    HW_IB_STS = 7,
    HW_SH_MEM_BASES = 15,
    HW_TBA_LO = 16,
    HW_TBA_HI = 17,
    HW_TMA_LO = 18,
    HW_TMA_HI = 19,
    HW_XCC_ID = 20, /* where there are dies: LLVM, "s_getreg" */
    /* from gfx10 on */
    HW_FLAT_SCR_LO = 20,
    HW_FLAT_SCR_HI = 21,
    HW_ID1 = 23,
    HW_ID2 = 24,
    HW_POPS_PACKER = 25,
    HW_IB_STS2 = 28,
    HW_SHADER_CYCLES = 29,
};

uint32_t gcn_status(const struct gcn_wave *w)
{
    return w->status | (uint32_t)w->scc | (uint32_t)(gcn_exec(w) == 0) << 9 |
           (uint32_t)(gcn_vcc(w) == 0) << 10 | 1u << 11 /* IN_TG */ |
           (uint32_t)w->at_barrier << 12 | (uint32_t)w->active << 16;
}

/* The wave's position in the chip. Compute queues belong to micro engine 1. */
static uint32_t hw_id(const struct gcn_wave *w)
{
    const struct gcn_location at = gcn_wave_location(w->device, w->id);
    const struct gcn_origin *origin = &gcn_dispatch_of(w)->origin;
    const uint32_t group = (uint32_t)(w->group - w->device->group) % gcn_cu_waves(w->device);
    const struct gcn_config *c = &w->device->config;
    const uint32_t of_die = c->se < c->xcc ? 1 : c->se / c->xcc; /* engines */
    return at.wave | at.simd << 4 | (uint32_t)origin->pipe << 6 | at.cu << 8 | at.sh << 12 |
           (at.se % of_die & 7) << 13 | (group & 15) << 16 | (uint32_t)origin->vmid << 20 |
           (uint32_t)origin->slot << 24 | 1u << 30;
}

/* Sizes less 1: of VGPRs in units of 4, of SGPRs in units of 16; of a unified file, of both kinds
 * in units of 8, and where accumulation registers begin, in units of 4. */
static uint32_t gpr_alloc(const struct gcn_wave *w)
{
    const uint32_t sgprs = (w->sgprs / 16u - 1) << 24;
    return gcn_model_of(w->device)->unified
               ? sgprs |
                     (gcn_model_taken(gcn_model_of(w->device), gcn_lanes_of(w), w->vgprs,
                                      w->agprs) /
                          8 -
                      1) << 6 |
                     (w->vgprs / 4u - 1) << 12
               : sgprs | (w->vgprs / 4u - 1) << 8;
}

/* Whether the registers of that number on gfx10 are others than on gfx9. */
static bool is_gfx10s(const struct gcn_wave *w, unsigned id)
{
    return gcn_is_gfx10(gcn_model_of(w->device)) && (id == HW_ID || id > HW_TMA_HI);
}

/* Registers from gfx10 on (linux, gc_10_3_0_sh_mask.h; LLVM, "Hwreg"). */
static bool read_gfx10(const struct gcn_wave *w, unsigned id, uint32_t *value)
{
    const struct gcn_location at = gcn_wave_location(w->device, w->id);
    const struct gcn_origin *origin = &gcn_dispatch_of(w)->origin;
    switch (id) {
    case HW_FLAT_SCR_LO:
        *value = (uint32_t)w->flat_scratch;
        return true;
    case HW_FLAT_SCR_HI:
        *value = (uint32_t)(w->flat_scratch >> 32);
        return true;
    case HW_ID1:
        *value =
            at.wave | at.simd << 8 | (at.cu & 1) << 9 | at.cu / 2 << 10 | at.sh << 16 | at.se << 18;
        return true;
    case HW_ID2:
        *value = (uint32_t)origin->slot | (uint32_t)origin->pipe << 4 | 1u << 8 |
                 ((uint32_t)(w->group - w->device->group) % gcn_cu_waves(w->device) & 31) << 16 |
                 (uint32_t)origin->vmid << 24;
        return true;
    case HW_POPS_PACKER:
        *value = 0;
        return true;
    case HW_IB_STS2:
        *value = (uint32_t)!w->narrow << 11 | 2u << 8;
        return true;
    case HW_SHADER_CYCLES:
        *value = (uint32_t)gcn_now(w) & 0xfffff;
        return true;
    default:
        return false;
    }
}

/* FLAT_SCRATCH alone keeps what is written. */
static bool write_gfx10(struct gcn_wave *w, unsigned id, uint32_t value, uint32_t mask)
{
    const unsigned shift = id == HW_FLAT_SCR_HI ? 32 : 0;
    uint32_t known;
    if (id == HW_FLAT_SCR_LO || id == HW_FLAT_SCR_HI)
        w->flat_scratch = (w->flat_scratch & ~((uint64_t)mask << shift)) | (uint64_t)(value & mask)
                                                                               << shift;
    return read_gfx10(w, id, &known);
}

/* Counters of outstanding accesses: gfx10 has one more, and two more bits of LGKM_CNT. */
static uint32_t ib_sts(const struct gcn_wave *w)
{
    const uint32_t lgkm = w->lgkm_cnt;
    return (w->vm_cnt & 15u) | (uint32_t)w->exp_cnt << 4 | (lgkm & 15) << 8 | (lgkm >> 4 & 1) << 7 |
           (lgkm >> 5 & 1) << 24 | (uint32_t)(w->vm_cnt >> 4) << 22 | (uint32_t)w->vs_cnt << 26;
}

bool gcn_hwreg_read(struct gcn_wave *w, unsigned id, uint32_t *value)
{
    assert(w->active && value);
    if (is_gfx10s(w, id))
        return read_gfx10(w, id, value);
    switch (id) {
    case HW_MODE:
        *value = w->mode;
        return true;
    case HW_STATUS:
        *value = gcn_status(w);
        return true;
    case HW_TRAPSTS:
        *value = w->trapsts;
        return true;
    case HW_ID:
        *value = hw_id(w);
        return true;
    case HW_GPR_ALLOC:
        *value = gpr_alloc(w);
        return true;
    case HW_LDS_ALLOC: /* counted in 64 dwords, given in 128 */
        *value = (w->group->local_size + 511) / 512 * 2 << 12;
        return true;
    case HW_IB_STS:
        *value = ib_sts(w);
        return true;
    case HW_SH_MEM_BASES: /* bits 63:48 of the apertures: private, shared */
        *value = (uint32_t)(GCN_PRIVATE_APERTURE >> 48 | GCN_SHARED_APERTURE >> 48 << 16);
        return true;
    case HW_TBA_LO:
        *value = (uint32_t)(w->tba >> 8);
        return true;
    case HW_TBA_HI:
        *value = (uint32_t)(w->tba >> 40);
        return true;
    case HW_TMA_LO:
        *value = (uint32_t)(w->tma >> 8);
        return true;
    case HW_TMA_HI:
        *value = (uint32_t)(w->tma >> 40);
        return true;
    case HW_XCC_ID:
        *value = gcn_xcc_of(w->device, w->group->core);
        return gcn_model_of(w->device)->xcc;
    default:
        return false;
    }
}

uint32_t gcn_mode_held(const struct gcn_device *d)
{
    const uint32_t without = 1u << 26 | 1u << 27 | 1u << 28 | 7u << 29;
    return gcn_is_gfx10(gcn_model_of(d)) ? ~without : UINT32_MAX;
}

uint32_t gcn_status_held(const struct gcn_wave *w)
{
    const uint32_t computed = 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 16;
    return ~(computed | (w->tba ? 0u : (uint32_t)GCN_STATUS_TRAP_EN));
}

/* The bits that a program may change: bits of MODE; of STATUS only in privileged mode; the
 * exceptions of TRAPSTS. Writes to registers that are only informative are dropped. */
bool gcn_hwreg_write(struct gcn_wave *w, unsigned id, uint32_t value, uint32_t mask,
                     bool privileged)
{
    assert(w->active);
    if (is_gfx10s(w, id))
        return write_gfx10(w, id, value, mask);
    switch (id) {
    case HW_MODE:
        mask &= gcn_mode_held(w->device);
        w->mode = (w->mode & ~mask) | (value & mask);
        return true;
    case HW_STATUS:
        if (privileged) {
            const uint32_t held = gcn_status_held(w);
            if (mask & 1)
                w->scc = value & 1;
            w->status = (w->status & ~(mask & held)) | (value & mask & held);
        }
        return true;
    case HW_TRAPSTS:
        w->trapsts = (w->trapsts & ~mask) | (value & mask);
        return true;
    case HW_ID:
    case HW_GPR_ALLOC:
    case HW_LDS_ALLOC:
    case HW_IB_STS:
    case HW_SH_MEM_BASES:
    case HW_TBA_LO:
    case HW_TBA_HI:
    case HW_TMA_LO:
    case HW_TMA_HI:
        return true;
    default:
        return false;
    }
}
