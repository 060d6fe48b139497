/*
 * The check of hazards: registers that are used while a result is still under way to them, since
 * nothing has waited for it, and wait states that are missing between two instructions. Compilers
 * see to both; whoever writes or generates machine code has to. docs/check-rules.md has the rules.
 */
#ifndef WT_CHECK_HAZARD_H
#define WT_CHECK_HAZARD_H

#include "check/memory.h"

struct wt_check_hazard;
struct wt_check_start;

/** Whether a family's programs have to wait by themselves. */
bool wt_check_hazard_knows(const struct wt_machine *m);
/** Looks at what the machine's waves do from now on. */
struct wt_check_hazard *wt_check_hazard_begin(const struct wt_check_start *start);
/** Nothing is looked at any more; frees the check. NULL is allowed. */
void wt_check_hazard_end(struct wt_check_hazard *h);
/** Frees the check of a machine that has ended. NULL is allowed. */
void wt_check_hazard_free(struct wt_check_hazard *h);

#endif
