/* The checks of one machine together. */
#ifndef WT_CHECK_SET_H
#define WT_CHECK_SET_H

#include "check/advice.h"
#include "check/hazard.h"
#include "check/init.h"
#include "check/race.h"
#include "check/stale.h"
#include "check/start.h"
#include "check/sync.h"

/** Those that look at a machine; NULL: that one does not. */
struct wt_check_set {
#define CHECK_OF_CALLS(...)
#define CHECK_OF_MACHINE(ID, name, ...) struct wt_check_##name *name;
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
};

/** OpenMP's target regions, and whose code they are. */
enum wt_check_openmp { WT_OPENMP_NONE, WT_OPENMP_GCC, WT_OPENMP_LLVM };

/**
 * Begins those of @p checks (bits of enum wt_check) that are there for the machine and the program;
 * @p say takes what is to be said of the others. False without host memory: those that have begun
 * are to be ended.
 */
bool wt_check_set_begin(struct wt_check_set *set, const struct wt_check_start *how, unsigned checks,
                        enum wt_check_openmp openmp, wt_check_say_fn *say);
/** Other addresses are valid from now on. */
void wt_check_set_space(const struct wt_check_set *set, const void *space);
/** Ends all of them, in the order in which they need each other; then there is none. */
void wt_check_set_end(struct wt_check_set *set);
/** Frees those of a machine that has ended; then there is none. */
void wt_check_set_free(struct wt_check_set *set);

#endif
