/*
 * Messages about time travel between a debugger and the emulated driver in a host process: the
 * number, the argument and the bytes of a request WT_WIRE_HISTORY (object/process_wire.h) and of
 * its answer.
 */
#ifndef WT_OBJECT_TRAVEL_WIRE_H
#define WT_OBJECT_TRAVEL_WIRE_H

#include <stdint.h>

#include "base/slice_view.h"
#include "object/watch_wire.h"

/** Time travel: what debug/core/target.h has in struct wt_history_services, by these names. */
enum wt_travel {
    WT_TRAVEL_STATE,        /**< answered by a struct wt_travel_extent */
    WT_TRAVEL_MISSING,      /**< answered by a sentence: why nothing is recorded; or by nothing */
    WT_TRAVEL_GO,           /**< argument: the issue time */
    WT_TRAVEL_SAVED_BEFORE, /**< argument: an issue time; answered in the argument */
    WT_TRAVEL_BRANCH,
    WT_TRAVEL_SEARCH,    /**< argument: whether backwards; followed by struct wt_wire_watch: code,
                              then a wave's issue, then memory */
    WT_TRAVEL_SEARCH_ON, /**< argument: issues; the result is an enum wt_travel_step; of a match
                            follow a struct wt_travel_match and its hits */
    WT_TRAVEL_ACCEPT,    /**< argument: whether to pass */
    WT_TRAVEL_INSPECT,
    WT_TRAVEL_HASH,  /**< followed by struct wt_travel_patch; answered in the argument */
    WT_TRAVEL_STATS, /**< answered by a struct wt_travel_stats */
    WT_TRAVEL_SLICE, /**< what a value was made of: followed by struct wt_slice_limits, then struct
                          wt_slice_seed */
    WT_TRAVEL_SLICE_ON,   /**< argument: issues; the result is WT_TRAVEL_STEP_ON or _FOUND */
    WT_TRAVEL_SLICE_LIST, /**< argument: how many steps and inputs have been told; answered by a
                               struct wt_travel_slice and those that follow, as many as there is
                               room for, steps before inputs; of the last ones the search ends */
    WT_TRAVELS,
};

/** A request, of which @p size bytes follow. */
struct wt_travel_request {
    uint64_t what; /**< enum wt_travel */
    uint64_t argument;
    uint32_t size;
};

/** An answer, of which @p size bytes follow. Of a negative result they are a sentence for people.
 */
struct wt_travel_answer {
    int32_t result; /**< 0 or more; or a negative errno */
    uint32_t size;
    uint64_t argument;
};

#define WT_TRAVEL_BYTES (64u << 10)        /**< that follow an answer, at most */
#define WT_TRAVEL_REQUEST_BYTES (1u << 20) /**< that follow a request, at most */

enum wt_travel_step {
    WT_TRAVEL_STEP_ON,
    WT_TRAVEL_STEP_MATCH,
    WT_TRAVEL_STEP_FOUND,
    WT_TRAVEL_STEP_EDGE
};
enum wt_travel_match_kind { WT_TRAVEL_MATCH_CODE, WT_TRAVEL_MATCH_ISSUE, WT_TRAVEL_MATCH_MEMORY };

struct wt_travel_extent {
    uint64_t start, end, now;
    uint64_t in_past;
};

struct wt_travel_match {
    uint64_t id; /**< the wave's, as in struct wt_history_match: never 0 */
    uint64_t time, pc, mask;
    uint32_t wave;
    uint32_t kind;  /**< enum wt_travel_match_kind */
    uint32_t issue; /**< code: it is the wave's issue, too */
    uint32_t hits;  /**< struct wt_wire_hit that follow */
};

struct wt_travel_patch {
    uint64_t addr;
    uint32_t size, reserved;
    uint8_t bytes[16], mask[16];
};

struct wt_travel_slice {
    uint64_t steps, inputs; /**< in all */
    uint64_t more, untold;
};

struct wt_travel_stats {
    uint64_t saved, bytes, budget, log, lost, widest_gap, branches;
};

#endif
