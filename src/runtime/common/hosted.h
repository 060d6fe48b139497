/* A GPU of a host program, as all families have it: a family's own structure begins with it. */
#ifndef WT_RUNTIME_COMMON_HOSTED_H
#define WT_RUNTIME_COMMON_HOSTED_H

#include "runtime/common/final_memory.h"
#include "runtime/common/planted.h"
#include "runtime/common/watched.h"

struct wt_counted;
struct wt_hosted;
struct wt_host_core_ops;
struct wt_recording;
struct wt_recording_ops;

/** Kernels that are remembered as ones that are not dealt out. */
enum { WT_APART_REFUSED = 32 };

/** A GPU's launches, for apart.h; the rest 0 at first. */
struct wt_apart {
    uint32_t family; /**< family of the tally */
    /** Counts in exec's tally the code that the machine has executed since it last did, but no
     * issues. Not NULL. */
    void (*count_code)(struct wt_hosted *gpu);
    uint64_t launch;                    /**< the number of the one that runs alone; 0: none does */
    uint64_t due;                       /**< issue time at which it is dealt out */
    bool over;                          /**< it has been dealt out, or cannot be */
    uint64_t refused[WT_APART_REFUSED]; /**< entries of kernels, one after the other */
    unsigned refusals;
};

/*
 * machine: the device.
 * watched: by a debugger.
 * recording: for a debugger or a core file; NULL: none is wanted.
 * counts: for --profile (counted.h); NULL: nothing is.
 * observed: the machine whose accesses go to who observes (observed.h); NULL: none.
 * object_space: whose addresses the latest kernel had (check/objects.h).
 * core: how its core files are written (host_core.h).
 * recorded: how its recordings are made (recording.h).
 * independent_lanes: lanes of a wave are not ordered by their instructions (check/race.h).
 * records: kernels are recorded without a debugger, too: for the core file of a fault.
 * planted: the breakpoints in its memory.
 * final: the memory that kernels leave; NULL: it is not kept.
 * apart: launches that are dealt out to several processes.
 */
#define WT_HOSTED_MEMBERS                                                                          \
    struct wt_machine *machine;                                                                    \
    struct watched watched;                                                                        \
    struct wt_recording *recording;                                                                \
    struct wt_counted *counts;                                                                     \
    const struct wt_machine *observed;                                                             \
    const void *object_space;                                                                      \
    const struct wt_host_core_ops *core;                                                           \
    const struct wt_recording_ops *recorded;                                                       \
    bool independent_lanes, records;                                                               \
    struct wt_planted_list *planted;                                                               \
    struct wt_final_memory *final;                                                                 \
    struct wt_apart apart;

struct wt_hosted {
    WT_HOSTED_MEMBERS
};

/** The first member of a family's structure for a GPU: its members, and `hosted`. */
#define WT_HOSTED                                                                                  \
    union {                                                                                        \
        struct wt_hosted hosted;                                                                   \
        struct {                                                                                   \
            WT_HOSTED_MEMBERS                                                                      \
        };                                                                                         \
    }

#endif
