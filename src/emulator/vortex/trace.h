/* The trace of issues: what each one was, and what it wrote. */
#ifndef WT_EMULATOR_VORTEX_TRACE_H
#define WT_EMULATOR_VORTEX_TRACE_H

#include "emulator/vortex/internal.h"

/* Notes a warp before it issues; false without host memory. */
bool vx_trace_before(struct wt_wave_head *head);
/* Hands the issue that was noted last, which has had its effect, to fn. */
void vx_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context);

/* The 32-bit instruction at pc, or what a compressed one stands for; 0: there is none. */
uint32_t vx_fetch_word(struct vx_device *d, uint64_t pc);

/* Names of the integer and floating point registers ("a0", "fa0"). */
const char *vx_x_name(unsigned r);
/* The name of a floating point register. */
const char *vx_f_name(unsigned r);

#endif
