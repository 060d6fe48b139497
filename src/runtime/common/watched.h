/* Memory that a debugger watches on a device of the process, and the accesses that it has yet to
 * hear of. The device is taken for all of it. */
#ifndef WT_RUNTIME_COMMON_WATCHED_H
#define WT_RUNTIME_COMMON_WATCHED_H

#include "emulator/machine/watch.h"
#include "object/watch_wire.h"
#include "runtime/common/live.h"

/** Zeros: nothing is watched. */
struct watched {
    struct wt_watch *watch; /**< memory, then breakpoints that are armed */
    struct live_rule *rule; /**< the conditions of memory, by entry of `watch` */
    size_t memory;          /**< how many of them are memory */
    size_t count;
    struct live_points live; /**< breakpoints that are judged here */
    struct wt_wire_hit *hit; /**< the oldest first */
    size_t hits, room;
};

/** Translates an entry of a debugger's list; false: there is no such watch. */
bool watched_find(const struct wt_wire_watch *from, struct wt_watch *to);
/**
 * Watches this list and no other; forgets accesses that were not given. Entries that make no sense
 * are left out. @p list NULL: the debugger has gone, and its breakpoints are forgotten. @p changes:
 * writes that change nothing do not count. Returns 0, or -ENOMEM: nothing is watched then.
 */
int watched_set(struct watched *watched, struct wt_machine *m, const struct wt_wire_watch *list,
                size_t count, bool changes);
/** Watches what has changed: breakpoints were armed, or are no longer. False without host memory:
 * nothing is watched. */
bool watched_apply(struct watched *watched, struct wt_machine *m);
/** Takes the instructions out of the hits of the machine's run; false: there were none. *others: an
 * access is left. */
bool watched_take_place(struct wt_machine *m, struct wt_watch_hit *place, bool *others);
/** An access as the wire has it; its order is not set. */
struct wt_wire_hit watched_hit(const struct wt_watch_hit *hit);
/** Takes the hits of the machine's run, numbered on from *order, which may be NULL. False without
 * host memory: they are lost. */
bool watched_take(struct watched *watched, struct wt_machine *m, _Atomic uint64_t *order);
/** Gives the oldest accesses, @p room at most, and forgets them; returns how many. */
size_t watched_give(struct watched *watched, struct wt_wire_hit *out, size_t room);
/** Frees what it has, without a word to the machine. */
void watched_forget(struct watched *watched);

#endif
