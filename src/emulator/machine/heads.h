/*
 * The heads of waves, work-groups and kernels: the members that those of every family have. The
 * lanes that are enabled are not among a wave's: AMD's GPUs have them in a register, EXEC
 * (wt_engine_ops.issue_at tells them).
 */
#ifndef WT_EMULATOR_MACHINE_HEADS_H
#define WT_EMULATOR_MACHINE_HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"

/* ---- waves ---- */

/*
 * pc: of the next instruction, between turns.
 * wait_pc: of the instruction that it waits at, while it waits.
 * left: issues left of its turn, the one being executed not counted.
 * incarnation: how many waves its slot has had; no part of the hashes.
 * id: flat index of its slot.
 * active: a wave is in the slot.
 * index: of it in its group; in its core, where a family has no groups.
 * group: its work-group (groups.h); NULL: none, as where a family has no groups.
 */
#define WT_WAVE_MEMBERS(group_type, group)                                                         \
    uint64_t pc;                                                                                   \
    uint64_t wait_pc;                                                                              \
    uint64_t left;                                                                                 \
    uint64_t incarnation;                                                                          \
    uint32_t id;                                                                                   \
    bool active;                                                                                   \
    uint16_t index;                                                                                \
    group_type *group;

struct wt_group_head;

struct wt_wave_head {
    WT_WAVE_MEMBERS(struct wt_group_head, group)
};

/** The first member of a family's wave: the members of its head, by name and as `head`. A family
 * says which structure its groups are, and what it calls them. */
#define WT_WAVE_HEAD(group_type, group)                                                            \
    union {                                                                                        \
        struct wt_wave_head head;                                                                  \
        struct {                                                                                   \
            WT_WAVE_MEMBERS(group_type, group)                                                     \
        };                                                                                         \
    }

/* ---- kernels ---- */

/*
 * active: it has groups that have not ended.
 * next: groups that have started.
 * total: groups of the grid.
 * done: groups that have ended.
 */
#define WT_LAUNCH_MEMBERS                                                                          \
    bool active;                                                                                   \
    uint64_t next, total, done;

/** How far a kernel is. Once it has ended it stays as it was until another one takes its place. */
struct wt_launch_head {
    WT_LAUNCH_MEMBERS
};

/** The first member of a family's structure for a kernel: its members, and `head`. */
#define WT_LAUNCH_HEAD                                                                             \
    union {                                                                                        \
        struct wt_launch_head head;                                                                \
        struct {                                                                                   \
            WT_LAUNCH_MEMBERS                                                                      \
        };                                                                                         \
    }

/* ---- work-groups (groups.h) ---- */

/*
 * local: its memory, of which local_size bytes count; NULL until a group was in this place.
 * place: where it is among the machine's places, core by core.
 * core: on which it runs.
 * launch: the number of its kernel, as the family counts them.
 * waves: of it that have not ended.
 * used: there is a group in this place.
 * home: of its memory (wt_watch.home), where `used`; wt_group_ops.home says it.
 */
#define WT_GROUP_MEMBERS                                                                           \
    uint8_t *local;                                                                                \
    uint32_t local_size;                                                                           \
    uint32_t place;                                                                                \
    uint32_t core;                                                                                 \
    uint32_t coordinate[3];                                                                        \
    uint32_t launch;                                                                               \
    uint32_t waves;                                                                                \
    bool used;                                                                                     \
    uint64_t home;

/** A group that runs, as every family has it. */
struct wt_group_head {
    WT_GROUP_MEMBERS
};

/** The first member of a family's group: its members, and `head`. */
#define WT_GROUP_HEAD                                                                              \
    union {                                                                                        \
        struct wt_group_head head;                                                                 \
        struct {                                                                                   \
            WT_GROUP_MEMBERS                                                                       \
        };                                                                                         \
    }

/** Waves that a core has slots for, and groups that it has places for, at most. */
#define WT_CORE_SLOTS 64

struct wt_machine;

/** Whether something without code orders lanes of a wave between two of its accesses. */
enum wt_step_order {
    WT_STEP_NONE,
    WT_STEP_MAYBE,   /**< something does, it is not known where */
    WT_STEP_UNKNOWN, /**< it is not known whether anything does */
    WT_STEP_ORDERED
};
/** The last access of a wave, for that. */
struct wt_lane_step {
    uint64_t pc, time; /**< pc 0: there is none */
    wt_lanes wrote;    /**< that have stored at its source line since the wave came there */
};
struct wt_observed;

/** The next group of a kernel, and where it starts. */
struct wt_group_plan {
    struct wt_launch_head *launch;
    uint32_t number; /**< number of the launch, as the family counts them */
    uint32_t coordinate[3];
    uint32_t local_size;
    uint32_t waves;
    uint32_t slot[WT_CORE_SLOTS]; /**< slot of the core, for each wave */
};

/** The work of a group. */
struct wt_group_work {
    uint32_t block[3], grid[3]; /**< work-items of a group, and of the launch */
    unsigned lanes;             /**< work-items of a wave */
};

/** The operations of a family for groups. No operation is NULL. */
struct wt_group_ops {
    /** Whether a kernel has groups that may start now. */
    bool (*waiting)(struct wt_machine *m);
    /** Plans the next group that a core gets; false if there is none, or no room for it. */
    bool (*plan)(struct wt_machine *m, uint32_t core, struct wt_group_plan *plan);
    /** Fills in the family's members of a group, which are 0, before its waves start. */
    void (*begin)(struct wt_machine *m, struct wt_group_head *g, const struct wt_group_plan *plan);
    /** Starts wave @p wave of the machine as wave @p index of a group, with wt_group_wave_begins().
     * False without host memory. */
    bool (*start_wave)(struct wt_machine *m, uint32_t wave, struct wt_group_head *g,
                       unsigned index);
    /** The number of the launch that a group is of (wt_machine_launch). */
    uint64_t (*launch)(const struct wt_machine *m, const struct wt_group_head *g);
    /** The address of the first instruction of its kernel. */
    uint64_t (*entry)(const struct wt_machine *m, const struct wt_group_head *g);
    /** What orders the lanes of a wave of it, though no instruction does, between its accesses so
     * far and @p access; @p access NULL: whether anything ever may. NULL: nothing, of any group. */
    enum wt_step_order (*step)(struct wt_machine *m, const struct wt_group_head *g,
                               struct wt_lane_step *step, const struct wt_observed *access);
    /** The home of the memory of one that begins, or was read (wt_group_head.home). */
    uint64_t (*home)(const struct wt_machine *m, const struct wt_group_head *g);
    /** The @p n-th asynchronous copy of the kernel for which no code of it waits: *pc is its first
     * instruction, or the kernel's. False: there are no more. NULL: the family knows of none. */
    bool (*unwaited)(struct wt_machine *m, const struct wt_group_head *g, size_t n, uint64_t *pc);
    /** Bytes of its memory that the launch has asked for; the group may have more. */
    uint64_t (*asked)(const struct wt_machine *m, const struct wt_group_head *g);
    /** Bytes of private memory that the launch has asked for a lane of a wave. */
    uint64_t (*private_asked)(const struct wt_machine *m, const struct wt_wave_head *w);
    /** The launch of group @p g, if the machine has no other, and its groups need not run at the
     * same time; else NULL. */
    struct wt_launch_head *(*alone)(struct wt_machine *m, const struct wt_group_head *g);
    /** Tells of the work of a wave of group @p g; sizes of 0: it is not known. NULL: it never is.
     */
    void (*work)(const struct wt_machine *m, const struct wt_group_head *g,
                 struct wt_group_work *work);
    /** Ends group @p g and all its waves, wherever they stand or wait. */
    void (*end_group)(struct wt_machine *m, struct wt_group_head *g);
    /** Tells whoever waits for the launch of that number that its last group has ended; NULL:
     * nobody does. */
    void (*launch_ended)(struct wt_machine *m, uint32_t launch);
    /** The text of the machine's fault then. */
    const char *refusal;
};

/** The slots, places and memory of a core that are taken. The waves and groups say so, too, but not
 * as quickly. */
struct wt_core_room {
    uint64_t waves, groups;           /**< slots and places, as bit sets */
    uint32_t wave_count, group_count; /**< how many they are */
    uint32_t local;                   /**< bytes */
};

struct wt_groups {
    const struct wt_group_ops *ops; /**< NULL: the family has no groups */
    uint32_t cores, waves_per_core, groups_per_core;
    size_t group_bytes; /**< size of the family's structure */
    size_t local_bytes; /**< that a place's memory has */
    void *group;        /**< the places, core by core */
    struct wt_core_room *room;
    uint64_t stop; /**< in a child that runs a part of a launch (wt_machine.apart): the first group
                        that it does not start; else 0 */
};

#endif
