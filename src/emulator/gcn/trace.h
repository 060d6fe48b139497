/* The trace of a run: what stood before each instruction, and what it changed. Private to the GCN
 * emulator. */
#ifndef WT_EMULATOR_GCN_TRACE_H
#define WT_EMULATOR_GCN_TRACE_H

#include "emulator/gcn/internal.h"

/* Notes a wave before it issues; false without host memory. */
bool gcn_trace_before(struct gcn_wave *w);
/* Hands the issue that was noted last, which has had its effect, to fn. */
void gcn_trace_after(struct gcn_wave *w, wt_trace_fn fn, void *context);
void gcn_trace_free(struct gcn_device *d);

#endif
