/* See rows.c. */
#ifndef WT_DEBUG_CORE_ROWS_H
#define WT_DEBUG_CORE_ROWS_H

#include "debug/core/state.h"

/** Makes room for the rows that are kept, when the debugger opens. */
enum wt_status dbg_open_registers(struct wt_debugger *d, struct wt_error *err);
/** Frees them. */
void dbg_close_registers(struct wt_debugger *d);
/** Whether registers can be had past the debug hardware on the way through the recorded run. */
bool dbg_has_register_port(const struct wt_debugger *d);
/** As the probe's read_rows(), for any registers of a stopped wave, kept ones included. */
enum wt_status dbg_read_rows(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                             const unsigned *index, size_t count, uint8_t *out,
                             struct wt_error *err);
/**
 * Reads the registers that wt_expr_registers() names, as cells of 64 bits: an array for each name,
 * with a cell for each of @p lanes, the lowest first, also of registers that the lanes share.
 */
enum wt_status dbg_read_cells(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                              const unsigned *named, size_t count, uint64_t *cell,
                              struct wt_error *err);
/** As the probe's write_row(). */
enum wt_status dbg_write_row(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                             const uint8_t *row, struct wt_error *err);
/** Sets the pc of a wave within a step; the cached state of the wave stays. */
enum wt_status dbg_write_pc(struct wt_debugger *d, uint32_t wave, uint64_t pc,
                            struct wt_error *err);

#endif
