/*
 * The numbers of threads. A thread is one lane of a wave; the lanes of a wave have consecutive
 * numbers, and no other wave ever gets them.
 *
 * A device with slots that never move (struct wt_topology, `fixed_slots`) gives the first wave that
 * is numbered in each slot the numbers 1 + slot * lanes and on, so that scripts find the same
 * numbers in every run. All other waves are numbered in the order in which they are asked for.
 */
#ifndef WT_DEBUG_CORE_THREAD_TABLE_H
#define WT_DEBUG_CORE_THREAD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/core/probe.h"

/** A wave that has numbers. */
struct dbg_numbered {
    struct wt_wave wave;   /**< as it was when it got them */
    wt_wave_handle handle; /**< the one to which it is, or was last, bound */
    uint32_t first;        /**< the number of its lane 0 */
};

struct dbg_thread_table {
    struct dbg_numbered *wave; /**< in the order in which they were numbered */
    size_t count, capacity;
    uint32_t *bucket; /**< by hash of the id: 1 + index in `wave`; 0: empty */
    size_t buckets;   /**< a power of two, at least twice `count`; 0: none yet */
    uint32_t *fixed;  /**< by slot: 1 + index of the wave that has its numbers; 0: none yet */
    uint32_t *later;  /**< indices of the waves without such numbers, in order of number */
    size_t later_count, later_capacity;
    uint32_t fixed_slots;
    unsigned lanes; /**< numbers that a fixed slot takes */
    uint64_t next;  /**< the next number that is free */
};

/** Makes an empty table; WT_NO_MEMORY without host memory. The caller frees it in either case. */
enum wt_status dbg_thread_table_init(struct dbg_thread_table *table, uint32_t fixed_slots,
                                     unsigned lanes, struct wt_error *err);
/** Frees what the table holds. */
void dbg_thread_table_free(struct dbg_thread_table *table);

/** Forgets every wave: numbers begin anew. */
void dbg_thread_table_clear(struct dbg_thread_table *table);

/**
 * The entry of a wave, which gets its numbers if it has none yet. NULL without host memory, or when
 * there is no 32-bit number left. The pointer is valid until the next call.
 */
struct dbg_numbered *dbg_thread_table_number(struct dbg_thread_table *table, wt_wave_handle handle,
                                             const struct wt_wave *wave);

/** The wave that a number belongs to; NULL if there is none. Valid as above. */
struct dbg_numbered *dbg_thread_table_find(struct dbg_thread_table *table, uint32_t number);

#endif
