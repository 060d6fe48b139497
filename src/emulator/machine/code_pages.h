/*
 * Decoded code: pages of records, one record for each address at which an instruction may begin.
 * A record begins with the handler that executes it; the rest is the family's. Records are filled
 * in as execution reaches them, and are forgotten when the bytes behind them change.
 *
 * The cache knows no instruction set. A family says how its records lie (struct wt_code_format),
 * embeds struct wt_code_page as the first member of its typed page, and decodes.
 */
#ifndef WT_EMULATOR_MACHINE_CODE_PAGES_H
#define WT_EMULATOR_MACHINE_CODE_PAGES_H

#include "emulator/machine/memory.h"

/** The handler of a record, as the cache stores it; a family casts it to its own type. */
typedef void (*wt_code_handler)(void);

struct wt_code_format {
    unsigned granule; /**< bytes between two records: a power of two, 2 to 16 */
    unsigned bundle;  /**< bytes that are decoded together, aligned to their size: a power of two,
                           granule to 64. A write to any of them changes all their instructions */
    unsigned longest; /**< bytes of the longest instruction: granule to 32, a multiple of granule */
    size_t first;     /**< offset of record 0 in the family's page */
    size_t record;    /**< bytes of a record, its handler first */
    unsigned tail;    /**< records behind the last one of the page, which lead to the next page: as
                           many as an instruction has granules, or more */
    wt_code_handler undecoded; /**< decodes the record, then executes it */
    wt_code_handler next_page; /**< next page of the records behind the last one */
};

/** The data of the handler of a watched record: see wt_code_watch. */
struct wt_code_watched {
    wt_code_handler original; /**< executes the instruction */
    const void *what;         /**< what watches it (watch_set.h) */
};

/** One decoded page. The family's page type has it as its first member. */
struct wt_code_page {
    uint64_t base;                   /**< address of the page */
    struct wt_code_page *next;       /**< in its bucket */
    struct wt_code_watched *watched; /**< one for each record; NULL until one is watched */
    const uint8_t
        *memory[2]; /**< wt_code_note_pages: the memory of this page and of the next one */
    uint8_t *bytes; /**< that its instructions may have, as they were when it was made; NULL: they
                       were not read */
};

#define WT_CODE_BUCKETS 256

struct wt_code_cache {
    const struct wt_code_format *format;
    struct wt_tlb *tlb; /**< tlb of the memory that code is fetched from */
    struct wt_code_page *bucket[WT_CODE_BUCKETS];
    /** Reads bytes of code, for wt_code_recheck; NULL: nobody does. */
    bool (*read)(void *context, uint64_t addr, void *bytes, size_t size);
    void *context; /**< that `read` gets */
};

/** Makes an empty cache. @p format and @p tlb must live as long as it. */
void wt_code_init(struct wt_code_cache *code, const struct wt_code_format *format,
                  struct wt_tlb *tlb);

/** Frees all pages. */
void wt_code_clear(struct wt_code_cache *code);

/**
 * Makes a page of undecoded records that is in no cache; NULL without host memory. The caller frees
 * it with wt_code_page_free.
 */
struct wt_code_page *wt_code_page_new(const struct wt_code_format *format, uint64_t base);
/** Frees a page that is in no cache; NULL is allowed. */
void wt_code_page_free(struct wt_code_page *page);

/** The decoded page that holds @p addr; NULL if there is none. */
static inline struct wt_code_page *wt_code_find(const struct wt_code_cache *code, uint64_t addr)
{
    struct wt_code_page *page = code->bucket[(addr >> WT_PAGE_BITS) % WT_CODE_BUCKETS];
    while (page && page->base != (addr & ~WT_PAGE_MASK))
        page = page->next;
    return page;
}

/** Makes the page of @p addr, which is not there yet: wt_code_page_of. */
struct wt_code_page *wt_code_add_page(struct wt_code_cache *code, uint64_t addr);

/**
 * The decoded page that holds @p addr, made if there is none; NULL without host memory. From then
 * on stores to that page and to the next one, which its last instruction may reach into, miss the
 * TLB, so that the family can call wt_code_invalidate.
 */
static inline struct wt_code_page *wt_code_page_of(struct wt_code_cache *code, uint64_t addr)
{
    struct wt_code_page *page = wt_code_find(code, addr);
    return page ? page : wt_code_add_page(code, addr);
}

/** Whether decoded instructions lie in the page of @p addr, or may reach into it. */
bool wt_code_on_page(const struct wt_code_cache *code, uint64_t addr);

/** Forgets every record that depends on a byte of [addr, addr + size). */
void wt_code_invalidate(struct wt_code_cache *code, uint64_t addr, uint64_t size);

/** Forgets the records of the instructions that begin in [first, last]. */
void wt_code_redecode(struct wt_code_cache *code, uint64_t first, uint64_t last);

/**
 * Notes that the record of the instruction at @p addr of @p page is watched: @p original executes
 * it, @p what is the watch. The family then puts its watching handler into the record, whose
 * operands stay. False without host memory.
 */
bool wt_code_watch(const struct wt_code_cache *code, struct wt_code_page *page, uint64_t addr,
                   wt_code_handler original, const void *what);

/** The watch that wt_code_watch has noted of record @p index of @p page. */
static inline const struct wt_code_watched *wt_code_watched(const struct wt_code_page *page,
                                                            size_t index)
{
    return &page->watched[index];
}

/**
 * Before the memory @p from of the code is replaced: notes the host pages behind each decoded page,
 * for wt_code_keep_pages.
 */
void wt_code_note_pages(struct wt_code_cache *code, const struct wt_memory *from);
/**
 * After the replacement: frees the decoded pages whose memory is not the same host page in @p from,
 * the new memory, as it was in the old one; the others stay. The old memory must exist until then:
 * so a page at the same place is the same page.
 */
void wt_code_keep_pages(struct wt_code_cache *code, const struct wt_memory *from);

/**
 * Frees the decoded pages whose bytes are others than when they were made, and those whose bytes
 * nobody has read: memory may have changed, or its addresses may mean other memory.
 */
void wt_code_recheck(struct wt_code_cache *code);

#endif
