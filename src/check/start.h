/* How a check of a machine begins, the same for all of them (set.h, checks.def). */
#ifndef WT_CHECK_START_H
#define WT_CHECK_START_H

#include "check/finding.h"

struct wt_machine;

/** Whether lanes of one wave are ordered by their instructions. */
enum wt_check_lanes {
    WT_LANES_BY_FAMILY,
    WT_LANES_LOCKSTEP,
    WT_LANES_INDEPENDENT,
    WT_LANES_AS_ONE /**< in lockstep, and a wave is one thread of the program: what its lanes do in
                         one instruction is one access */
};

/** What is reported beside uses of undefined bits. */
enum wt_init_level {
    WT_INIT_USE,  /**< nothing */
    WT_INIT_COPY, /**< copies to the host */
    WT_INIT_LOAD, /**< loads, too */
};

/** Takes a finding, whose counts are of one access; called on the thread that runs the machine. */
typedef void wt_found_fn(void *context, const struct wt_finding *finding);
/** Says to the user, once, what a check cannot see. */
typedef void wt_check_say_fn(const char *format, ...);

/**
 * What a check begins with: wt_check_NAME_begin(). That gives NULL without host memory; the caller
 * ends it before the machine ends, by wt_check_NAME_end().
 */
struct wt_check_start {
    struct wt_machine *machine;
    const void *space; /**< whose addresses those of its GLOBAL memory are (objects.h) */
    wt_found_fn *found;
    void *context;
    enum wt_check_lanes lanes; /**< of races */
    enum wt_init_level level;  /**< of uninitialised values */
};

#endif
