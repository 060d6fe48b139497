/*
 * A per-process table (PPGTT) of 48 bits that is kept for an emulated GPU, in the formats of gen8
 * and gen9: making entries, and the walk of a TLB's miss. gtt.h has the walk that is told in words.
 */
#ifndef WT_GEN_TABLES_H
#define WT_GEN_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { WT_PPGTT_ENTRIES = 512, WT_PPGTT_TABLE_BYTES = 4096 };

/** The physical memory that holds the tables. */
struct wt_ppgtt_memory {
    void *context;
    uint64_t (*read)(void *context, uint64_t physical);
    /** False: there is no memory for it. */
    bool (*write)(void *context, uint64_t physical, uint64_t entry);
    /** A table of 512 entries of 0, at a multiple of 4096; 0: there is no memory for it. */
    uint64_t (*new_table)(void *context);
};

/**
 * Maps the pages [address, address + size) to those at @p physical, all multiples of 4096, with
 * pages of 2 MiB where they fit. *page_sizes gets the sizes of those pages, each a bit.
 * WT_INVALID where a part of it is mapped already or lies beyond 48 bits; then and on WT_NO_MEMORY
 * what lies before it may be mapped.
 */
enum wt_status wt_ppgtt_map(const struct wt_ppgtt_memory *memory, uint64_t root, uint64_t address,
                            uint64_t physical, uint64_t size, bool writable, uint64_t *page_sizes,
                            struct wt_error *err);

/** The place that an address is mapped to. */
struct wt_ppgtt_page {
    uint64_t physical; /**< physical of the address itself */
    bool writable;
};

/** Translates @p address, without a word about it: false if it is not mapped. */
bool wt_ppgtt_translate(uint64_t (*read)(void *context, uint64_t physical), void *context,
                        uint64_t root, uint64_t address, struct wt_ppgtt_page *page);

/** A table, or the memory of a page: @p size bytes of physical memory. */
typedef void wt_ppgtt_found(void *context, uint64_t physical, uint64_t size);
/** Calls @p found for all tables from the one at @p root on, and for all pages; some may come more
 * than once. The tables are no circle. */
void wt_ppgtt_each(uint64_t (*read)(void *context, uint64_t physical), void *context, uint64_t root,
                   wt_ppgtt_found *found, void *found_context);

#endif
