/* See added_registers.c. */
#ifndef WT_DEBUG_CORE_ADDED_REGISTERS_H
#define WT_DEBUG_CORE_ADDED_REGISTERS_H

#include "debug/core/state.h"

struct wt_expr_source;

/** Whether a register is one of these. */
static inline bool dbg_is_added(const struct wt_debugger *d, unsigned index)
{
    return index >= d->added.probe_count;
}

/** Makes the debugger's topology: the probe's, and registers that say where a lane is. */
enum wt_status dbg_add_registers(struct wt_debugger *d, const struct wt_topology *of_probe,
                                 struct wt_error *err);
/** Whether it is the issue time. */
bool dbg_is_time(const struct wt_debugger *d, unsigned index);
/** Whether it is of the work that a wave does: what the probe knows of it since its last scan. */
bool dbg_is_of_work(const struct wt_debugger *d, unsigned index);
/** The value of one of them, but the time, for a lane of a wave with enabled lanes @p mask. */
uint64_t dbg_added_value(const struct wt_debugger *d, unsigned index, uint32_t wave, unsigned lane,
                         wt_lanes mask);
/** Reads the row of one of them; the wave must be stopped. */
enum wt_status dbg_read_added(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                              uint8_t *row, struct wt_error *err);

/** Describes an added register to a target that judges breakpoints itself; false: it cannot tell.
 */
bool dbg_added_source(const struct wt_debugger *d, unsigned index, struct wt_expr_source *source);

#endif
