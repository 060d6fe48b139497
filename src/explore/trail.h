/*
 * The trail of a run: each access to memory that several waves can reach, by lane, with its value,
 * in the order of issue; and what in two trails of a program differs.
 */
#ifndef WT_EXPLORE_TRAIL_H
#define WT_EXPLORE_TRAIL_H

#include "base/map.h"
#include "emulator/machine/observe.h"

/** An access of a lane. */
struct explore_mark {
    uint64_t wave;   /**< which wave it is, in any run: not 0 */
    uint32_t number; /**< number of the access among those of its wave, from 0 on */
    uint32_t store;  /**< store of a store: its number among the stores of its wave */
    uint64_t time, pc;
    uint64_t id;             /**< the wave's in this run, wt_machine_wave_id() */
    uint32_t slot, group[3]; /**< the group's place in the grid, with `has_group` */
    uint16_t index;          /**< index of the wave in its group */
    bool has_group;
    uint8_t lane;
    bool loads, stores; /**< an atomic does both */
    uint64_t home, addr;
    unsigned size;
    uint64_t value;    /**< after it; of more than 8 bytes a hash */
    uint64_t bytes[2]; /**< the first 16 bytes of that */
    uint64_t item;     /**< the work-item, in any run and on any GPU; 0: nobody says */
    size_t writer;     /**< for a load: the mark that has written its first byte; SIZE_MAX: none */
};

/** The coordinates in the grid of the work-item that a lane is; false: it is none. */
typedef bool explore_item_fn(const void *context, uint32_t slot, unsigned lane, uint64_t item[3]);

struct explore_trail {
    struct wt_machine *machine;
    explore_item_fn *item; /**< may be set before the machine runs */
    const void *context;
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

/* ---- runs of two programs, or on two GPUs ---- */

/** A place of both runs: an argument of the kernel, or a variable. */
struct explore_range {
    const char *name; /**< name of a variable; NULL: an argument */
    uint64_t addr[2], length;
};

/** Parts of two runs that were not compared: stores of lanes, by the run. */
struct explore_left_out {
    uint64_t groups[2];      /**< to memory of groups */
    uint64_t elsewhere[2];   /**< to global memory that is in no range */
    uint64_t wide[2];        /**< a value of more than 16 bytes */
    uint64_t overwritten[2]; /**< which the same work-item has overwritten */
    size_t first[2];         /**< the first one of `elsewhere` */
};

/**
 * Compares two runs byte by byte: the last value that each work-item has stored to a place, and the
 * contents of the ranges at the end. The runs are of two programs with the same arguments, or of
 * one program on two GPUs: their waves, addresses and instructions need not be the same. Fills in
 * `store` or `final`, as explore_compare(). The machines have not run on. False without host
 * memory.
 */
bool explore_compare_ranges(const struct explore_trail *a, const struct explore_trail *b,
                            const struct explore_range *range, size_t ranges,
                            struct explore_difference *difference,
                            struct explore_left_out *left_out);

#endif
