/* Memory that a debugger watches on a device of the process, and the accesses that it has yet to
 * hear of. The device is taken for all of it. */
#ifndef WT_RUNTIME_COMMON_WATCHED_H
#define WT_RUNTIME_COMMON_WATCHED_H

#include "emulator/machine/watch.h"
#include "object/watch_wire.h"

/** Zeros: nothing is watched. */
struct watched {
    struct wt_watch *watch;
    size_t count;
    struct wt_wire_hit *hit; /**< the oldest first */
    size_t hits, room;
};

/** Translates an entry of a debugger's list; false: there is no such watch. */
bool watched_find(const struct wt_wire_watch *from, struct wt_watch *to);
/**
 * Watches this list and no other; forgets accesses that were not given. Entries that make no sense
 * are left out. @p changes: writes that change nothing do not count. Returns 0, or -ENOMEM: nothing
 * is watched then.
 */
int watched_set(struct watched *watched, struct wt_machine *m, const struct wt_wire_watch *list,
                size_t count, bool changes);
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
