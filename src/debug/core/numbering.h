/* See numbering.c. */
#ifndef WT_DEBUG_CORE_NUMBERING_H
#define WT_DEBUG_CORE_NUMBERING_H

#include "debug/core/state.h"

/** Chooses lanes or waves as threads, from the waves that are active. */
void dbg_choose_mode(struct wt_debugger *d);
/** The thread that shows @p lane of @p wave. */
wt_thread dbg_thread_of(struct wt_debugger *d, uint32_t wave, unsigned lane);
/**
 * The handle and lane of a thread (0: of the current one); WT_INVALID if there never was such a
 * thread. Its wave may have ended, and another one be bound to the handle: see dbg_is_there().
 */
enum wt_status dbg_locate(struct wt_debugger *d, wt_thread thread, uint32_t *wave, unsigned *lane,
                          struct wt_error *err);
/** Likewise of a thread whose wave is active now, as of the last scan; else WT_INVALID. */
enum wt_status dbg_locate_there(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                unsigned *lane, struct wt_error *err);
/** The wave and lane that a thread's number was given to; NULL: the number was never given. */
const struct dbg_numbered *dbg_find_numbered(struct wt_debugger *d, wt_thread thread);
/** Whether a thread's wave is active now, as of the last scan. */
bool dbg_is_there(struct wt_debugger *d, wt_thread thread);
/** The first thread of the first active wave; 0 where no wave is active. */
wt_thread dbg_first_thread(struct wt_debugger *d);

#endif
