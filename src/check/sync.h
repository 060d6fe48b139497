/*
 * The check of synchronisation: barriers that not all lanes of a group reach, or at which they do
 * not wait for the same, masks of lanes that are not those of an instruction, values of lanes that
 * take no part, asynchronous copies that nobody has waited for, deadlocks. docs/check-races.md has
 * the rules of each family.
 */
#ifndef WT_CHECK_SYNC_H
#define WT_CHECK_SYNC_H

#include "check/memory.h"

struct wt_check_sync;
struct wt_check_start;

/** Looks at what the machine's waves do from now on. */
struct wt_check_sync *wt_check_sync_begin(const struct wt_check_start *start);
/** Nothing is looked at any more; frees the check. NULL is allowed. */
void wt_check_sync_end(struct wt_check_sync *s);
/** Frees the check of a machine that has ended. NULL is allowed. */
void wt_check_sync_free(struct wt_check_sync *s);

#endif
