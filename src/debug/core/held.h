/* See held.c. */
#ifndef WT_DEBUG_CORE_HELD_H
#define WT_DEBUG_CORE_HELD_H

#include "debug/core/state.h"

/**
 * Keeps what breakpoints and watchpoints evaluate now until the next search of the past has begun:
 * clients may change breakpoints while one is under way. False without host memory.
 */
bool dbg_hold_code(struct wt_debugger *d);
/** Lets all of that go: the target searches no more. */
void dbg_release_code(struct wt_debugger *d);

#endif
