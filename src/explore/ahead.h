/*
 * Runs of a systematic search that other processes make: the one that comes next, and ahead of it
 * those that come next where nodes farther down have nothing more to try. A run depends on nothing
 * but the nodes before it, so that it is the same whenever it is made; one that does not come is
 * dropped.
 */
#ifndef WT_EXPLORE_AHEAD_H
#define WT_EXPLORE_AHEAD_H

#include "explore/search_record.h"

struct ahead;

/** Up to @p jobs processes at a time; NULL without host memory. */
struct ahead *ahead_begin(unsigned jobs);
/** Makes the next run of the search, which has nodes: what it has found goes to *record. */
enum wt_status ahead_run(struct ahead *a, struct search *s, struct explore_record *record,
                         struct wt_error *err);
/** Ends the processes. NULL is allowed. */
void ahead_end(struct ahead *a);

#endif
