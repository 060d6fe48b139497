/* See events.c. */
#ifndef WT_DEBUG_CORE_EVENTS_H
#define WT_DEBUG_CORE_EVENTS_H

#include "debug/core/state.h"

/** Room for so many events; false without host memory. One at least is reserved at opening. */
bool dbg_reserve_events(struct wt_debugger *d, size_t count);
/** Puts an event into the queue. Without host memory the queue says that events are missing. */
void dbg_push_event(struct wt_debugger *d, const struct wt_event *event);
/** Queues an event of the probe that is no stop for the clients. */
void dbg_push_news(struct wt_debugger *d, const struct wt_probe_event *event);
/** Notes for the user that news are missing. */
void dbg_lose_news(struct wt_debugger *d);
/** Whether the queue has an event that clients have not taken. */
bool dbg_has_event(const struct wt_debugger *d);
/** All-stop: a stop is reported, or will be once every wave has halted. */
bool dbg_is_over(const struct wt_debugger *d);

#endif
