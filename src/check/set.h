/* The checks of one machine together. */
#ifndef WT_CHECK_SET_H
#define WT_CHECK_SET_H

#include "check/advice.h"
#include "check/hazard.h"
#include "check/init.h"
#include "check/race.h"
#include "check/stale.h"
#include "check/sync.h"

/** Those that look at a machine; NULL: that one does not. */
struct wt_check_set {
    struct wt_check_memory *memory;
    struct wt_check_race *race;
    struct wt_check_sync *sync;
    struct wt_check_init *init;
    struct wt_check_hazard *hazard;
    struct wt_check_stale *stale;
    struct wt_check_advice *advice;
};

/** Other addresses are valid from now on. */
void wt_check_set_space(const struct wt_check_set *set, const void *space);
/** Ends all of them, in the order in which they need each other; then there is none. */
void wt_check_set_end(struct wt_check_set *set);
/** Frees those of a machine that has ended; then there is none. */
void wt_check_set_free(struct wt_check_set *set);

#endif
