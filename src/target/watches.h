/* Watchpoints of a target on an emulated device: a debugger's list as the machine's watches, and
 * its hits as the debugger's. */
#ifndef WT_TARGET_WATCHES_H
#define WT_TARGET_WATCHES_H

#include "target/emulated.h"

/** The service set_watchpoints; its context is a struct wt_emulated. */
enum wt_status wt_emulated_set_watchpoints(void *context, const struct wt_watchpoint *list,
                                           size_t count, struct wt_error *err);

/** The service watchpoint_hits; its context is a struct wt_emulated, which owns the list. */
size_t wt_emulated_watchpoint_hits(void *context, const struct wt_watchpoint_hit **list);

/** The machine's watch for a watchpoint. */
struct wt_watch wt_emulated_watch_of(const struct wt_watchpoint *watchpoint,
                                     struct wt_emulated_condition *condition);

/** Sets the debugger's watches in the machine; false, and nothing is watched, without memory. */
bool wt_emulated_watch_again(struct wt_emulated *e);

/** Allocates room for hits; false without host memory. */
bool wt_emulated_watch_room(struct wt_emulated *e);

#endif
