/*
 * The memory of an emulated GPU: sparse, paged, zero until written, copy-on-write.
 *
 * Pages hang in a radix tree whose nodes and pages are reference counted. A fork of a memory
 * shares everything and costs nothing until one side writes; snapshots of time travel are forks.
 * An emulator reaches pages through a small software TLB (struct wt_tlb), whose entries it drops
 * whenever a page may have moved (a fork, a restore, a write that bypasses the TLB).
 */
#ifndef WT_EMULATOR_MACHINE_MEMORY_H
#define WT_EMULATOR_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_PAGE_BITS 12
#define WT_PAGE_SIZE ((uint64_t)1 << WT_PAGE_BITS)
#define WT_PAGE_MASK (WT_PAGE_SIZE - 1)
#define WT_MEMORY_ADDRESS_BITS 48

struct wt_memory;

/**
 * Makes a memory of 2^48 bytes of zeros; NULL without host memory. The caller frees it with
 * wt_memory_free.
 */
struct wt_memory *wt_memory_new(void);

/**
 * Makes a memory that is this process's own: each address means the same to host and GPU. The
 * caller must know that an address is mapped before using it. It has no history: it cannot be
 * forked, its hash is 0, and it must not be cleared or limited. NULL without host memory.
 */
struct wt_memory *wt_memory_new_host(void);

/**
 * Gives the page that holds @p addr, for a memory in which it was not written: the same bytes each
 * time, for as long as the memory or a fork of it exists. Never NULL.
 */
typedef const uint8_t *(*wt_memory_source_fn)(void *context, uint64_t addr);

/**
 * Makes a memory whose pages are those of a source until they are written. It can be forked; its
 * hash is that of the written pages. NULL without host memory.
 */
struct wt_memory *wt_memory_new_over(wt_memory_source_fn source, void *context);

/**
 * In a memory that is the process's own: maps the pages [addr, addr + size), which no other alias
 * covers, to those at @p host. False when the host has no memory left.
 */
bool wt_memory_alias(struct wt_memory *m, uint64_t addr, uint64_t size, void *host);

/** Forgets the alias that begins at @p addr, if there is one. */
void wt_memory_unalias(struct wt_memory *m, uint64_t addr);

/** Frees a memory and its share of the pages. NULL is allowed. */
void wt_memory_free(struct wt_memory *m);

/**
 * Makes a copy of @p m that shares all its pages until one of the two is written; NULL without host
 * memory, or where @p m is the host's own.
 */
struct wt_memory *wt_memory_fork(struct wt_memory *m);

/** Makes @p m equal to @p from (shares its pages). Pointers into pages of @p m become invalid. */
void wt_memory_become(struct wt_memory *m, const struct wt_memory *from);

/** Sets all of @p m to zero and gives its pages back. */
void wt_memory_clear(struct wt_memory *m);

/**
 * The page that holds @p addr (bits 47..12 count), for reading; a page of zeros where nothing was
 * written. Valid until @p m is written at this page, forked into by wt_memory_become, or freed.
 */
const uint8_t *wt_memory_page(const struct wt_memory *m, uint64_t addr);

/** The page that holds @p addr, private to @p m, for writing; NULL when the host has no memory. */
uint8_t *wt_memory_page_for_write(struct wt_memory *m, uint64_t addr);

/** Copies @p size bytes at @p addr out of the memory; addresses wrap at 2^48. */
void wt_memory_read(const struct wt_memory *m, uint64_t addr, void *out, size_t size);

/** Copies @p size bytes into the memory; false when the host has no memory left. */
bool wt_memory_write(struct wt_memory *m, uint64_t addr, const void *bytes, size_t size);

/**
 * Limits the pages that @p m itself may have, those that it shares included, to @p bytes; at first
 * there is no limit. Pages that are there already stay. Forks have no limit of their own making:
 * they take over that of @p m; wt_memory_become leaves the limit as it is.
 */
void wt_memory_set_limit(struct wt_memory *m, uint64_t bytes);

/** Writes why a page for writing was refused, for people: a sentence without a period. */
void wt_memory_refusal(const struct wt_memory *m, char *text, size_t size);

/**
 * Whether a write of @p bytes, which lie in one page, can be skipped: they are zeros, and nothing
 * was written to that page yet.
 */
bool wt_memory_is_zero(const struct wt_memory *m, uint64_t addr, const void *bytes, size_t size);

/** Calls @p fn for each page that was written, by address. The memory must not change meanwhile,
 * and is not the host's. */
void wt_memory_each(const struct wt_memory *m,
                    void (*fn)(void *context, uint64_t addr, const uint8_t *bytes), void *context);

/** A 64-bit hash of the contents; memories of equal contents have equal hashes. */
uint64_t wt_memory_hash(const struct wt_memory *m);

/** Bytes of the pages that @p m has (shared ones too). */
uint64_t wt_memory_resident(const struct wt_memory *m);

/** Host memory that @p m and all memories forked from it, or from the same one, hold together. */
uint64_t wt_memory_held(const struct wt_memory *m);

/* ---- the software TLB ---- */

#define WT_TLB_ENTRIES 1024
#define WT_TLB_NONE UINT64_MAX

/** One direct-mapped entry: the page's address where the access may go straight to `host`. */
struct wt_tlb_entry {
    uint64_t read_page;  /**< page address, or WT_TLB_NONE */
    uint64_t write_page; /**< page address, or WT_TLB_NONE */
    const uint8_t *read_host;
    uint8_t *write_host;
};

struct wt_tlb {
    struct wt_tlb_entry entry[WT_TLB_ENTRIES];
};

/** The one entry that the page of @p addr may have; it may hold another page. */
static inline struct wt_tlb_entry *wt_tlb_entry_of(struct wt_tlb *tlb, uint64_t addr)
{
    return &tlb->entry[(addr >> WT_PAGE_BITS) & (WT_TLB_ENTRIES - 1)];
}

/** Forgets every entry. */
void wt_tlb_clear(struct wt_tlb *tlb);

/** Forgets the entry of the page that holds @p addr. */
static inline void wt_tlb_drop(struct wt_tlb *tlb, uint64_t addr)
{
    struct wt_tlb_entry *e = wt_tlb_entry_of(tlb, addr);
    e->read_page = e->write_page = WT_TLB_NONE;
}

/** Lets reads of the page of @p addr go to @p page; returns where addr is in it. */
static inline const uint8_t *wt_tlb_fill_read(struct wt_tlb *tlb, uint64_t addr,
                                              const uint8_t *page)
{
    struct wt_tlb_entry *e = wt_tlb_entry_of(tlb, addr);
    if (e->write_page != (addr & ~WT_PAGE_MASK))
        e->write_page = WT_TLB_NONE;
    e->read_page = addr & ~WT_PAGE_MASK;
    e->read_host = page;
    return page + (addr & WT_PAGE_MASK);
}

/**
 * Lets reads and writes of the page of @p addr go to @p page, as far as `read` and `write` say;
 * returns where addr is in it.
 */
static inline uint8_t *wt_tlb_fill_write(struct wt_tlb *tlb, uint64_t addr, uint8_t *page,
                                         bool read, bool write)
{
    struct wt_tlb_entry *e = wt_tlb_entry_of(tlb, addr);
    e->read_page = read ? addr & ~WT_PAGE_MASK : WT_TLB_NONE;
    e->write_page = write ? addr & ~WT_PAGE_MASK : WT_TLB_NONE;
    e->read_host = e->write_host = page;
    return page + (addr & WT_PAGE_MASK);
}

#endif
