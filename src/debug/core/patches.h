/* See patches.c. */
#ifndef WT_DEBUG_CORE_PATCHES_H
#define WT_DEBUG_CORE_PATCHES_H

#include "debug/core/state.h"

/** Puts the bits of a patch into @p size bytes that begin at @p addr, as far as they go. */
void dbg_apply(const struct wt_patch *patch, uint64_t addr, uint8_t *bytes, size_t size);
/** Whether a patch lies in a window. */
bool dbg_lies_in(const struct wt_patch *patch, const struct wt_window *window);
/** Whether its bits are in the window. */
bool dbg_is_planted(const struct wt_patch *patch, const struct wt_window *window);
/** The patch that undoes @p trap where memory is as in the window. */
struct wt_patch dbg_undoing(const struct wt_patch *trap, const struct wt_window *window);
/** Writes the bytes of a patch under its mask to memory as @p wave sees it. */
enum wt_status dbg_write_patch(struct wt_debugger *d, uint32_t wave, const struct wt_patch *patch,
                               struct wt_error *err);
/** The bytes that the probe wants to see of the instruction at @p addr. */
enum wt_status dbg_read_window(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                               struct wt_window *window, struct wt_error *err);
/** Length of a breakpoint instruction at @p addr of memory, 0 if there is none. */
unsigned dbg_trap_length(struct wt_debugger *d, uint32_t wave, uint64_t addr);
/** Likewise where going past it is to skip it; 0 where a step executes what else it is. */
unsigned dbg_skipped_length(struct wt_debugger *d, uint32_t wave, uint64_t addr);
/** Whether the instruction under the breakpoint is a breakpoint instruction itself. */
bool dbg_covers_trap(const struct breakpoint *bp);
/** Whether a breakpoint was planted at this address when the run was recorded. */
bool dbg_has_trace(const struct wt_debugger *d, uint64_t addr);
/** Whether it is in memory as @p wave sees it at this issue time. */
enum wt_status dbg_trace_is_planted(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                                    bool *planted, struct wt_error *err);
/** Drops the traces of breakpoints that were planted after this issue time. */
void dbg_drop_later_traces(struct wt_debugger *d);
/** Puts the program's own instructions in place of breakpoints in bytes read from @p addr. */
void dbg_show_original(struct wt_debugger *d, struct wt_address addr, void *bytes, size_t size);
/** Removes from memory every breakpoint that was ever planted. */
enum wt_status dbg_lift_traces(struct wt_debugger *d, struct wt_error *err);
/** Lists the patches that undo the breakpoints in memory at this issue time, @p most at most. */
size_t dbg_list_patches(struct wt_debugger *d, struct wt_patch *list, size_t most);
/** Puts a breakpoint into memory, and leaves a trace of it. Its error says why memory refused. */
enum wt_status dbg_plant(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                         struct wt_error *err);
/** Puts the program's own bits back in the place of a planted breakpoint. */
enum wt_status dbg_lift(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                        struct wt_error *err);
/** Finds out which planted breakpoints are still in memory (the device was out of reach). */
enum wt_status dbg_verify_breakpoints(struct wt_debugger *d, struct wt_error *err);

#endif
