/* See memory.c. */
#ifndef WT_DEBUG_CORE_MEMORY_H
#define WT_DEBUG_CORE_MEMORY_H

#include "debug/core/state.h"

/** A stopped wave that memory can be reached through; may be inactive if there is no other. */
uint32_t dbg_memory_wave(struct wt_debugger *d);
/** Whether the target has a memory port, and the options allow its use. */
bool dbg_has_memory_port(struct wt_debugger *d);
/** Memory as it is, breakpoints and all. Halts a wave for a moment if it has to. */
enum wt_status dbg_raw_read(struct wt_debugger *d, uint32_t wave, unsigned lane,
                            struct wt_address addr, void *out, size_t size, struct wt_error *err);
/** Writes memory as it is; else as dbg_raw_read(). */
enum wt_status dbg_raw_write(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_address addr, const void *bytes, size_t size,
                             struct wt_error *err);

#endif
