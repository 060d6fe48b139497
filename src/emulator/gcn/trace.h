/* The trace of a run: each instruction with its results. Private to the GCN emulator. */
#ifndef WT_EMULATOR_GCN_TRACE_H
#define WT_EMULATOR_GCN_TRACE_H

#include "emulator/gcn/internal.h"

/* Copies a wave's registers before it issues; false without host memory. */
bool gcn_trace_before(struct wt_wave_head *head);
/* Hands the issue that gcn_trace_before noted, which has had its effect, to fn. */
void gcn_trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context);
/* Frees what tracing has allocated; without a trace, nothing. */
void gcn_trace_free(struct gcn_device *d);

#endif
