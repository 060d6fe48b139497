/* Control and status registers, by meaning (profile.h). */
#include <string.h>

#include "emulator/vortex/internal.h"

/* misa: MXL, extensions A C D F I M, user mode, and X for Vortex's own (privileged ISA 3.1.1). */
static uint64_t misa(const struct vx_device *d)
{
    const uint64_t extensions =
        1u << 0 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 8 | 1u << 12 | 1u << 20 | 1u << 23;
    return d->config.xlen == 32 ? (uint64_t)1 << 30 | extensions : (uint64_t)2 << 62 | extensions;
}

static uint64_t active_warps(const struct vx_warp *w)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < w->device->config.warps && i < 64; i++)
        if (w->device->warp[w->core->first_warp + i].active)
            mask |= (uint64_t)1 << i;
    return mask;
}

/* Issues of this core so far: the slice that runs belongs to the core of w. */
static uint64_t core_issues(const struct vx_warp *w)
{
    const struct vx_device *d = w->device;
    return w->core->issues + (vx_now(w) - d->machine.time);
}

/* Of a CSR that comes as x, y and z: which one the number is. */
static unsigned axis_of(const struct vx_device *d, unsigned number)
{
    unsigned axis = 0;
    while (axis < 2 && d->csr[number - axis - 1] == d->csr[number])
        axis++;
    return axis;
}

/* threadIdx of a lane: lane 0's, and so many threads behind it in the CTA. */
static uint32_t thread_id(const struct vx_warp *w, unsigned axis, unsigned lane)
{
    const uint32_t *dim = w->device->kmu.launch.block;
    uint32_t thread[3] = {w->thread[0] + lane, w->thread[1], w->thread[2]};
    for (unsigned i = 0; i < 2 && dim[i]; i++) {
        thread[i + 1] += thread[i] / dim[i];
        thread[i] %= dim[i];
    }
    return thread[axis];
}

/* A CSR of the CTA that the warp is of, or was of last; 0 if it has been of none since the launch.
 */
static uint64_t read_cta(const struct vx_warp *w, enum vx_csr csr, unsigned number, unsigned lane)
{
    const struct vx_launch *l = &w->device->kmu.launch;
    const unsigned axis = axis_of(w->device, number);
    if (!w->begun)
        return 0;
    switch (csr) {
    case VX_CSR_CTA_ID:
        return w->place;
    case VX_CSR_CTA_RANK:
        return w->rank;
    case VX_CSR_CTA_SIZE:
        return w->size;
    case VX_CSR_CTA_THREAD_ID:
        return thread_id(w, axis, lane);
    case VX_CSR_CTA_BLOCK_ID:
        return w->block[axis];
    case VX_CSR_CTA_BLOCK_DIM:
        return l->block[axis];
    case VX_CSR_CTA_GRID_DIM:
        return l->grid[axis];
    case VX_CSR_CTA_LMEM_ADDR:
        return vx_launch_local(w->device, w->place);
    case VX_CSR_CTA_CLUSTER_SIZE:
        return (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2];
    default:
        assert(csr == VX_CSR_CTA_ENTRY);
        return l->entry;
    }
}

void vx_csr_init(struct vx_device *d)
{
    assert(d->profile);
    memset(d->csr, VX_NO_CSR, sizeof d->csr);
    for (const struct vx_csr_row *row = NULL; (row = vx_profile_next_csr(d->profile, row));)
        memset(&d->csr[row->first], row->csr, row->last - row->first + 1u);
}

/* A register that holds what was written to it; NULL: another one. */
static uint64_t *kept(struct vx_warp *w, enum vx_csr csr)
{
    switch (csr) {
    case VX_CSR_MSCRATCH:
        return w->device->profile->traps ? &w->mscratch : &w->core->mscratch;
    case VX_CSR_MSTATUS:
        return &w->mstatus;
    case VX_CSR_MTVEC:
        return &w->mtvec;
    case VX_CSR_MEPC:
        return &w->mepc;
    case VX_CSR_MCAUSE:
        return &w->mcause;
    case VX_CSR_MTVAL:
        return &w->mtval;
    default:
        return NULL;
    }
}

static uint64_t read_csr(const struct vx_warp *w, enum vx_csr csr, unsigned number, unsigned lane)
{
    const struct vx_device *d = w->device;
    switch (csr) {
    case VX_CSR_ZERO:
        return 0;
    case VX_CSR_FFLAGS:
        return w->fflags;
    case VX_CSR_FRM:
        return w->frm;
    case VX_CSR_FCSR:
        return (uint64_t)w->frm << 5 | w->fflags;
    case VX_CSR_MISA:
        return misa(d);
    case VX_CSR_DSCRATCH0:
    case VX_CSR_DSCRATCH1:
    case VX_CSR_DSCRATCH2:
    case VX_CSR_DSCRATCH3:
        return w->dscratch[(csr - VX_CSR_DSCRATCH0) * d->machine.lanes + lane];
    case VX_CSR_MCYCLE:
        return vx_now(w);
    case VX_CSR_MCYCLEH:
        return vx_now(w) >> 32;
    case VX_CSR_MINSTRET:
        return core_issues(w);
    case VX_CSR_MINSTRETH:
        return core_issues(w) >> 32;
    case VX_CSR_THREAD_ID:
        return lane;
    case VX_CSR_WARP_ID:
        return w->index;
    case VX_CSR_CORE_ID:
        return w->core->id;
    case VX_CSR_ACTIVE_WARPS:
        return active_warps(w);
    case VX_CSR_ACTIVE_THREADS:
        /* An injected instruction asks for the warp's own mask, not that of the injection. */
        return (uint64_t)(d->injecting ? d->inject_mask : w->mask);
    case VX_CSR_NUM_THREADS:
        return d->config.threads;
    case VX_CSR_NUM_WARPS:
        return d->config.warps;
    case VX_CSR_NUM_CORES:
        return d->core_count;
    case VX_CSR_LOCAL_MEM_BASE:
        return d->profile->local_mem_base[d->config.xlen == 64];
    case VX_CSR_MHARTID:
        return (uint64_t)w->id * d->config.threads + lane;
    case VX_CSR_NUM_BARRIERS:
        return d->profile->slot_barriers;
    default:
        return read_cta(w, csr, number, lane);
    }
}

bool vx_csr_read(struct vx_warp *w, unsigned number, unsigned lane, uint64_t *value)
{
    assert(number < 4096 && lane < w->device->machine.lanes && value);
    const enum vx_csr csr = w->device->csr[number];
    if (csr == VX_NO_CSR)
        return false;
    const uint64_t *own = kept(w, csr);
    *value = own ? *own : read_csr(w, csr, number, lane);
    if (w->device->config.xlen == 32)
        *value = (uint32_t)*value;
    return true;
}

bool vx_csr_write(struct vx_warp *w, unsigned number, unsigned lane, uint64_t value)
{
    assert(number < 4096 && lane < w->device->machine.lanes);
    const struct vx_device *d = w->device;
    const uint8_t csr = d->csr[number];
    /* Numbers 0xC00-0xFFF are read-only (privileged ISA 2.1), and so are Vortex's there. */
    if (csr == VX_NO_CSR || number >> 10 == 3)
        return false;
    uint64_t *own = kept(w, csr);
    switch ((enum vx_csr)csr) {
    case VX_CSR_FFLAGS:
        w->fflags = value & 31;
        break;
    case VX_CSR_FRM:
        w->frm = value & 7;
        break;
    case VX_CSR_FCSR:
        w->fflags = value & 31;
        w->frm = value >> 5 & 7;
        break;
    case VX_CSR_DSCRATCH0:
    case VX_CSR_DSCRATCH1:
    case VX_CSR_DSCRATCH2:
    case VX_CSR_DSCRATCH3:
        w->dscratch[(csr - VX_CSR_DSCRATCH0) * d->machine.lanes + lane] = (uint32_t)value;
        break;
    default: /* the rest can be written, without effect */
        if (own)
            *own = value;
        break;
    }
    return true;
}
