/*
 * divergence=auto: lanes that a branch or an indirect jump sends to different places part, and meet
 * again. Those at the lowest PC issue next. An instruction of the whole warp (a barrier, a change
 * of the mask) waits until all lanes have come to it; the same holds for a breakpoint. No Vortex
 * does this: it is for kernels of compilers that know no SPLIT and JOIN.
 */
#include "emulator/vortex/isa.h"
#include "emulator/vortex/trace.h"

#include <string.h>

#include "base/bits.h"

/* Whether the instruction at @p pc is one of the whole warp. */
static bool is_of_warp(const struct vx_warp *w, uint64_t pc)
{
    uint8_t bytes[4] = {0};
    if (!vx_read_bytes(w->core, w->device, pc, bytes, sizeof bytes))
        return false;
    switch (vx_insn_find((uint32_t)wt_load_le(bytes, sizeof bytes), w->device->config.xlen)) {
    case VX_INSN_tmc:
    case VX_INSN_wspawn:
    case VX_INSN_split:
    case VX_INSN_split_n:
    case VX_INSN_join:
    case VX_INSN_bar:
    case VX_INSN_bar_arrive:
    case VX_INSN_pred:
    case VX_INSN_pred_n:
    case VX_INSN_wsync:
    case VX_INSN_ecall:
    case VX_INSN_ebreak:
    case VX_INSN_mret:
    case VX_INSN_sret:
        return true;
    default:
        return false;
    }
}

/* Lanes go on at @p pc, with those that are there. */
static void put_aside(struct vx_warp *w, wt_lanes lanes, uint64_t pc)
{
    unsigned i = 0;
    while (i < w->parts && w->part[i].pc != pc)
        i++;
    if (i == w->parts)
        w->part[w->parts++] = (struct vx_part){.pc = pc};
    w->part[i].mask |= lanes;
}

void vx_meet(struct vx_warp *w)
{
    unsigned best = 0;
    bool waits = false;
    assert(w->parts && w->mask);
    put_aside(w, w->mask, w->pc);
    for (unsigned i = 0; i < w->parts; i++) {
        const bool of_warp = w->parts > 1 && is_of_warp(w, w->part[i].pc);
        if (!i || of_warp < waits || (of_warp == waits && w->part[i].pc < w->part[best].pc)) {
            best = i;
            waits = of_warp;
        }
    }
    const struct vx_part next = w->part[best];
    w->part[best] = w->part[--w->parts];
    w->pc = next.pc;
    vx_set_mask(w, next.mask);
}

const struct vx_uop *vx_part_lanes(struct vx_warp *w, const uint64_t *target)
{
    const wt_lanes mask = w->mask;
    for (wt_lanes left = mask; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        put_aside(w, wt_lane_bit(lane), vx_truncate(w->device, target[lane]));
    }
    /* vx_meet() puts them aside once more, and takes the best. */
    w->pc = vx_truncate(w->device, target[wt_lanes_lowest(mask)]);
    vx_set_mask(w, wt_lane_bit(wt_lanes_lowest(mask)));
    return NULL;
}

const struct vx_uop *vx_parted(struct vx_warp *w, const struct vx_uop *u)
{
    return vx_fault(w, u, WT_FAULT_DIVERGENCE, w->mask, 0,
                    "an instruction of the whole warp, which its other lanes cannot reach: they "
                    "wait at others");
}
