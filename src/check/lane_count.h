/*
 * Code that counts on another number of lanes than its wave has (wave-size): x & 31 chooses a lane
 * where waves have 64. docs/check-rules.md has the rules.
 */
#ifndef WT_CHECK_LANE_COUNT_H
#define WT_CHECK_LANE_COUNT_H

#include "check/start.h"
#include "emulator/machine/observe.h"

struct wt_lane_count;

/** NULL without host memory. */
struct wt_lane_count *wt_lane_count_begin(const struct wt_check_start *start);
/** Forgets what registers hold; keeps findings. */
void wt_lane_count_forget(struct wt_lane_count *c);
/** A wave is about to execute an instruction, one that is no repetition. */
void wt_lane_count_issue(struct wt_lane_count *c, const struct wt_issue *i);
/** That instruction accesses memory. */
void wt_lane_count_access(struct wt_lane_count *c, const struct wt_observed *a);
/** The instruction has been executed. */
void wt_lane_count_issued(struct wt_lane_count *c);
/** An event of a wave. */
void wt_lane_count_event(struct wt_lane_count *c, const struct wt_observed_event *e);
/** Tells of what was found. */
void wt_lane_count_tell(struct wt_lane_count *c);
/** NULL is allowed. */
void wt_lane_count_free(struct wt_lane_count *c);

#endif
