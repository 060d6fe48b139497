/*
 * The addresses that a program may use: sorted ranges of whole pages, each read-only or writable.
 * An access outside of them is a mistake of the program.
 */
#ifndef WT_EMULATOR_MACHINE_REGIONS_H
#define WT_EMULATOR_MACHINE_REGIONS_H

#include "emulator/machine/machine.h"

/** Who sees what is done to memory while a kernel runs: that GPU alone, or others, too; then some
 * hardware drops atomic operations (wt_lane_access.lost). */
enum wt_grain {
    WT_GRAIN_COARSE,
    WT_GRAIN_FINE,      /**< memory of the GPU's */
    WT_GRAIN_FINE_HOST, /**< the host's memory */
};

/** Of wt_lane_access.lost, beside a grain: the GPU does the atomic there, but the host's threads
 * may see it in two steps. */
enum { WT_TORN = 4 };

struct wt_region {
    uint64_t addr, size;
    bool writable;
    bool lent;     /**< it gives way to a region that is added there */
    uint8_t grain; /**< enum wt_grain; COARSE until wt_regions_set_grain() */
};

/** Adds [addr, addr + size), rounded to pages. WT_INVALID where a part of it is there already, or
 * lies beyond 48 bits. */
enum wt_status wt_regions_add(struct wt_regions *r, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err);
/** Adds what of [addr, end), whole pages that hold @p around, lies between regions, as fine-grained
 * memory of the host that is lent. False: there is no host memory. */
bool wt_regions_lend(struct wt_regions *r, uint64_t addr, uint64_t end, uint64_t around,
                     bool writable);
/** Removes all regions that are lent. Returns whether there were some. */
bool wt_regions_take_back(struct wt_regions *r);
/**
 * Removes [addr, addr + size), rounded to pages; parts of it that are in no region are ignored.
 * WT_NO_MEMORY is the only failure.
 */
enum wt_status wt_regions_remove(struct wt_regions *r, uint64_t addr, uint64_t size,
                                 struct wt_error *err);
/** Sets the grain of the regions in [addr, addr + size), rounded to pages. Returns false without
 * host memory; then nothing has changed. */
bool wt_regions_set_grain(struct wt_regions *r, uint64_t addr, uint64_t size, enum wt_grain grain);
/** The region that holds @p addr; NULL if none does. */
const struct wt_region *wt_regions_at(const struct wt_regions *r, uint64_t addr);
/**
 * Finds the first region at or behind @p from, or the rest of the one that @p from lies in; false
 * if there is none.
 */
bool wt_regions_next(const struct wt_regions *r, uint64_t from, uint64_t *addr, uint64_t *size);
/** Whether all of [addr, addr + size) may be read, or written. */
bool wt_regions_hold(const struct wt_regions *r, uint64_t addr, uint64_t size, bool write);
/** Asserts that the regions are sorted and do not overlap. */
void wt_regions_check(const struct wt_regions *r);
/** Frees the regions; *r is empty then. */
void wt_regions_free(struct wt_regions *r);

#endif
