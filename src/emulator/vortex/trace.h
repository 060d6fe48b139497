/* What the trace looks at before and after an issue. */
#ifndef WT_EMULATOR_VORTEX_TRACE_H
#define WT_EMULATOR_VORTEX_TRACE_H

#include "emulator/vortex/internal.h"

/* A warp as it stands before it issues. */
struct vx_trace_point {
    uint64_t time, pc;
    wt_lanes mask;
    uint8_t bytes[4];
    unsigned length;
    uint32_t word; /* the 32-bit instruction (what a compressed one stands for) */
    enum vx_insn_id id;
    uint64_t addr[WT_MAX_LANES]; /* of memory instructions, per lane */
};

void vx_trace_before(const struct vx_warp *w, struct vx_trace_point *point);
void vx_trace_after(const struct vx_warp *w, const struct vx_trace_point *point, vx_trace_fn fn,
                    void *context);

/* Names of the integer and floating point registers ("a0", "fa0"). */
const char *vx_x_name(unsigned r);
const char *vx_f_name(unsigned r);

#endif
