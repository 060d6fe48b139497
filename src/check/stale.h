/*
 * The check of stale memory: loads that may get what one of an AMD GPU's caches held before a
 * store, and scalar stores that nothing writes back. The emulator has no caches, so that such a
 * program has the right results here. docs/check-rules.md has the rules.
 */
#ifndef WT_CHECK_STALE_H
#define WT_CHECK_STALE_H

#include "check/memory.h"

struct wt_check_stale;
struct wt_check_start;

/** Whether a family has caches that its programs keep coherent. */
bool wt_check_stale_knows(const struct wt_machine *m);
/** Looks at what the machine's waves do from now on. */
struct wt_check_stale *wt_check_stale_begin(const struct wt_check_start *start);
/** Other addresses are valid from now on. */
void wt_check_stale_set_space(struct wt_check_stale *s, const void *space);
/** Nothing is looked at any more; frees the check. NULL is allowed. */
void wt_check_stale_end(struct wt_check_stale *s);
/** Frees the check of a machine that has ended. NULL is allowed. */
void wt_check_stale_free(struct wt_check_stale *s);

#endif
