/*
 * The shadow memory of the check of races: for each cell of 4 bytes the last write and two more
 * accesses that nothing orders with each other, as numbers of records. A cell whose bytes were
 * accessed apart has a cell for each byte. Numbers below `first` are of kernels that have ended:
 * nothing is there.
 */
#ifndef WT_CHECK_RACE_SHADOW_H
#define WT_CHECK_RACE_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "emulator/machine/observe.h"

enum {
    RACE_PAGE = 4096,
    RACE_CELLS = RACE_PAGE / 4,
    RACE_SLOTS = 3, /* accesses that a cell remembers: the last write, and others */
    RACE_SEEN = 64,
    RACE_WAVE = 0x80, /* in the lane of an access that the wave makes as a whole */
};
#define RACE_SPLIT (UINT32_C(1) << 31) /* in slot 0: the number of a split cell follows */

/** An access of one instruction, by its issue. */
struct race_record {
    uint64_t time;
    uint64_t pc : 48, calls : 16; /**< a number, 0: in none */
    uint32_t wave;                /**< number of the wave */
    uint32_t clock;               /**< the wave's */
    uint32_t released;            /**< the clock up to which the wave had released to the device */
    uint32_t kind : 2;            /**< enum wt_watch_kind */
    uint32_t size : 8;
    uint32_t value : 18;   /**< a hash of what a Gen9's thread stores to its group's memory */
    bool of_group : 1;     /**< it is atomic among its group alone */
    bool told : 1;         /**< it is known */
    bool atomic : 1;       /**< it does not race with others that are atomic */
    bool maybe_atomic : 1; /**< it may be a relaxed atomic one, whose code is that of a plain one */
};

/** Beside the number of a record's wave: it is a load. */
#define RACE_LOADS (UINT32_C(1) << 31)

/** One slot of all cells of a page. */
struct race_plane {
    uint32_t slot[RACE_CELLS];
    uint8_t lane[]; /* race_page.per of each cell */
};

/** A page: most have no accesses for one of the slots. What `slot` has is changed behind
 * race_own(), or where it is not 0. */
struct race_page {
    uint64_t number;                      /**< address / RACE_PAGE */
    struct race_plane *plane[RACE_SLOTS]; /**< NULL: `slot` and `lane` are zeros of all pages */
    uint32_t *slot[RACE_SLOTS];
    uint8_t *lane[RACE_SLOTS];
    unsigned per;    /**< lanes of a cell: 1, or 4, one of each byte */
    uint32_t owner;  /**< the only wave that has accessed it; 0: none; RACE_MANY */
    bool tells;      /**< a store that may be a flag for the host was made there */
    bool is_split;   /**< cells are, or were */
    bool is_nobodys; /**< in this state of the objects none had any of it: */
    uint64_t objects;
    uint32_t syncs;                 /**< cells with a bit in `sync` */
    uint64_t sync[RACE_CELLS / 64]; /**< an atomic access has used it */
};

#define RACE_MANY UINT32_MAX
/** A wave accesses a page. */
static inline void race_page_used(struct race_page *page, uint32_t wave)
{
    page->owner = page->owner && page->owner != wave ? RACE_MANY : wave;
}

/** Where a cell's slots are; they are changed behind race_own_slot(), or where they are not 0.
 * There are race_page.per lanes, which are equal. */
struct race_cell {
    uint32_t *slot[RACE_SLOTS];
    uint8_t *lane[RACE_SLOTS];
    struct race_page *page; /**< that has the slots; NULL: they are the cell's own */
    unsigned number;        /**< in the page */
};

struct race_split {
    uint32_t slot[RACE_SLOTS][4];
    uint8_t lane[RACE_SLOTS][4];
};

/** Pages of one space: global memory, or a group's. */
struct race_space {
    struct wt_map pages;               /**< number + 1: the page */
    struct race_page *seen[RACE_SEEN]; /**< that were looked up last: race_seen_at() */
    struct wt_map syncs; /**< cell + 1: what atomic accesses there have released (race_order.h) */
};

/** Where a page is among those that were looked up last: pages far apart, as those of stacks, have
 * places of their own. */
static inline unsigned race_seen_at(uint64_t number)
{
    return (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 40) % RACE_SEEN;
}

struct race_shadow {
    uint32_t first; /**< the number of the first record */
    struct race_record *record;
    uint32_t
        *wave; /**< of each record, with RACE_LOADS: what most are looked up for, close together */
    size_t count, room, limit; /**< at `limit` records are looked for that nobody needs */
    uint32_t numbering;        /**< another one when numbers are others */
    struct race_split *split;
    size_t splits, split_room;
    uint32_t
        free_split; /**< number + 1 of the first one that is not used; slot[0][0]: of the next */
};

/** What race_page() does with a page that was not looked up last. */
struct race_page *race_find_page(struct race_space *space, uint64_t number, bool made);
/** The page of an address; NULL: without host memory, or, where it is not to be @p made, it is not
 * there. */
static inline struct race_page *race_page(struct race_space *space, uint64_t addr, bool made)
{
    const uint64_t number = addr / RACE_PAGE;
    struct race_page *seen = space->seen[race_seen_at(number)];
    return seen && seen->number == number ? seen : race_find_page(space, number, made);
}
/** Makes a slot of a page's cells its own. False without host memory. */
bool race_own(struct race_page *page, unsigned slot);
/** The same for a cell. */
static inline bool race_own_slot(struct race_cell *cell, unsigned slot)
{
    if (!cell->page || cell->page->plane[slot])
        return true;
    if (!race_own(cell->page, slot))
        return false;
    cell->slot[slot] = &cell->page->slot[slot][cell->number];
    cell->lane[slot] = &cell->page->lane[slot][cell->number * cell->page->per];
    return true;
}
/** Gives each byte of the page a lane of its own. False without host memory. */
bool race_own_bytes(struct race_page *page);
/** Frees the pages; `syncs` is the caller's. */
void race_space_free(struct race_shadow *s, struct race_space *space);

/** The cells, from 4-byte cell @p cell of a page: split into bytes if @p apart, or if it is
 * already. Returns how many there are, 1 or 4; 0: without host memory. */
unsigned race_cells(struct race_shadow *s, struct race_page *page, unsigned cell, bool apart,
                    struct race_cell list[4]);

/** The record of a slot; NULL: none, or one of a kernel that has ended. */
static inline const struct race_record *race_record(const struct race_shadow *s, uint32_t slot)
{
    return slot >= s->first ? &s->record[slot - s->first] : NULL;
}

/** Whether the numbers of @p count slots, 1 or more, are equal. */
static inline bool race_are_equal(const uint32_t *slot, unsigned count)
{
    return memcmp(slot, slot + 1, (count - 1) * sizeof *slot) == 0;
}

/** Makes room for one more record. False without host memory. */
bool race_grow(struct race_shadow *s);
/** Adds a record; returns its number; 0: without host memory. */
static inline uint32_t race_add_record(struct race_shadow *s, const struct race_record *record)
{
    if (s->count == s->room && !race_grow(s))
        return 0;
    s->record[s->count] = *record;
    s->wave[s->count] = record->wave | (record->kind == WT_WATCH_READ ? RACE_LOADS : 0);
    return s->first + (uint32_t)s->count++;
}
/** Whether records are to be looked for that nobody needs. */
static inline bool race_is_full(const struct race_shadow *s)
{
    enum { FEW = 1 << 15 }; /* 1 MiB, which caches hold */
    return s->count >= FEW && s->count >= s->limit;
}

/** Forgets the records that no slot of the spaces, which are all, refers to. False without host
 * memory. */
bool race_collect(struct race_shadow *s, struct race_space **spaces, size_t count);
/** All that was recorded is over: nothing races with it any more. */
void race_forget(struct race_shadow *s);
/** Frees it. */
void race_shadow_free(struct race_shadow *s);

#endif
