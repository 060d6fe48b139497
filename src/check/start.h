/* How a check of a machine begins, the same for all of them (set.h, checks.def). */
#ifndef WT_CHECK_START_H
#define WT_CHECK_START_H

#include "check/memory.h"

/** Takes a sentence for the user about what a check cannot see. */
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
    unsigned lanes;          /**< enum wt_check_lanes, of races */
    unsigned level;          /**< enum wt_init_level, of uninitialised values */
    bool leaks;              /**< wt_check_memory_tell_leaks() will be called */
    wt_check_say_fn *unseen; /**< takes what is not looked at; NULL: nobody has named the checks */
    bool no_access;          /**< the check of memory judges none: it is there for leaks alone */
};

#endif
