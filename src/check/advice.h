/*
 * Advice: barriers and fences across which a run has had no conflict. It is no mistake: another run
 * may have one. docs/check-rules.md has the rules.
 */
#ifndef WT_CHECK_ADVICE_H
#define WT_CHECK_ADVICE_H

#include "check/memory.h"

struct wt_check_advice;
struct wt_check_start;

/** Looks at what the machine's waves do from now on. */
struct wt_check_advice *wt_check_advice_begin(const struct wt_check_start *start);
/** Tells of barriers and fences, at the end of the run; nothing is looked at any more. */
void wt_check_advice_tell(struct wt_check_advice *c);
/** Tells of barriers and fences; nothing is looked at any more; frees it. NULL is allowed. */
void wt_check_advice_end(struct wt_check_advice *c);
/** Frees that of a machine that has ended. NULL is allowed. */
void wt_check_advice_free(struct wt_check_advice *c);

#endif
