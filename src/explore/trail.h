/*
 * The trail of a run: each access to memory that several waves can reach, by lane, with its value,
 * in the order of issue; and what in two trails of a program differs.
 */
#ifndef WT_EXPLORE_TRAIL_H
#define WT_EXPLORE_TRAIL_H

#include "base/map.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/observe.h"

/** An access of a lane. */
struct explore_mark {
    uint64_t wave;   /**< which wave it is, in any run: not 0 */
    uint32_t number; /**< of the access among those of its wave, from 0 on */
    uint32_t store;  /**< of a store: its number among the stores of its wave */
    uint64_t time, pc;
    uint64_t id;             /**< of the wave in this run, wt_machine_wave_id() */
    uint32_t slot, group[3]; /**< the group's place in the grid, with `has_group` */
    uint16_t index;          /**< of the wave in its group */
    bool has_group;
    uint8_t lane;
    bool loads, stores; /**< an atomic does both */
    uint64_t home, addr;
    unsigned size;
    uint64_t value; /**< after it; of more than 8 bytes a hash */
    size_t writer;  /**< of a load: the mark that has written its first byte; SIZE_MAX: none */
};

struct explore_trail {
    struct wt_machine *machine;
    struct explore_mark *mark;
    size_t count, capacity;
    size_t begun;          /**< marks before the issue under way */
    struct wt_map numbers; /**< accesses of each wave, in the low half; stores in the high one */
    struct wt_map writers; /**< 1 and more: the mark that has written a byte last */
    bool failed;           /**< the host has no memory left */
    bool too_many;         /**< there are more than EXPLORE_MARKS; the rest is left out */
};

/** So many accesses of lanes are kept: some 2 GB. */
enum { EXPLORE_MARKS = 1 << 24 };

/** Follows a machine, which is about to run; false without host memory. */
bool explore_trail_begin(struct explore_trail *t, struct wt_machine *m);
/** Ends that; the marks stay. */
void explore_trail_end(struct explore_trail *t);
/** Frees the marks. */
void explore_trail_free(struct explore_trail *t);

#define EXPLORE_NONE SIZE_MAX

/** The mark that has written the first byte of a mark last; EXPLORE_NONE: none has. */
size_t explore_last_writer(const struct explore_trail *t, const struct explore_mark *mark);

/** Marks of two runs, by the run, 0 and 1; EXPLORE_NONE: there is none. */
struct explore_difference {
    size_t
        store[2]; /**< the first store that has another value or address, or is in one run only */
    size_t final[2]; /**< where no store differs: the last stores to an address, which differ */
    size_t load[2];  /**< the first load, by the first run, that has another value */
    /** Two accesses of the first run that came in the other order in the second one: `before`, then
     * `after`; and both in the second run, where `before` may be missing. */
    size_t before[2], after[2];
};

/** Compares two trails. @p same_code: addresses of instructions are the same in both; else only
 * stores are compared. False without host memory. */
bool explore_compare(const struct explore_trail *a, const struct explore_trail *b, bool same_code,
                     struct explore_difference *difference);

#endif
