/*
 * The driver of translated code (rows.h), for all families: blocks of instructions that are records
 * of decoded pages (machine/code_pages.h). A record that has code has the family's handler that
 * runs it, and its own one is kept beside the page. The handlers decide what an instruction does;
 * the code does the same.
 *
 * From a record on that turns and jumps come to often, the records that follow are a block, as a
 * family lists them; those that are the code's own get the family's handler, and so do those that
 * the code calls; the others keep theirs, and the code is left before them. Blocks of a page hold
 * as long as none of its records is forgotten: the last record of its tail has that handler, too,
 * until then, and no block of the page is entered afterwards.
 */
#ifndef WT_EMULATOR_TRANSLATE_BLOCKS_H
#define WT_EMULATOR_TRANSLATE_BLOCKS_H

#include <assert.h>
#include <string.h>

#include "emulator/machine/code_pages.h"
#include "emulator/machine/engine.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/watch_set.h"
#include "emulator/translate/rows.h"

/**
 * Whether somebody observes or judges what instructions access, or observes what orders that. Then
 * blocks leave all that has accesses or events to handlers (wt_rows_leave_observed()); those that
 * were made otherwise are dropped. Watched pages are not in the TLB: handlers access them in any
 * case.
 */
static inline bool wt_paged_observed(const struct wt_machine *m)
{
    return (m->watch && m->watch->observes) || m->judge;
}

/** Lets code access the @p bytes of the group's memory itself: none while memory is watched, which
 * may be this one. */
static inline void wt_paged_open_group(struct wt_rows_state *s, const struct wt_machine *m,
                                       uint32_t bytes)
{
    s->group_bytes = m->watch && m->watch->memory_count ? 0 : bytes;
    s->group_outside =
        s->group_bytes ? UINT64_MAX << (31 - __builtin_clz(s->group_bytes)) : UINT64_MAX;
}

/** A block; a family's type begins with it. */
struct wt_paged_block {
    const struct wt_rows_block *rows;
    struct wt_paged_block *next;
    uint16_t slot[WT_ROWS_MOST + 1]; /**< the records of its instructions, and the one after them */
};

/** A record as it was, where it has code. */
struct wt_paged_entry {
    wt_code_handler run;
    struct wt_paged_block *block;
    uint16_t number; /**< number of the instruction in the block */
    bool given_up;   /**< for the family: no block begins here any more */
};

/** Of a page that has been translated: an entry for each record but those of the tail. */
struct wt_paged_page {
    uint64_t base;
    struct wt_paged_page *next;
    struct wt_paged_entry entry[];
};

/** A family's part of the driver; it is constant, so that inline functions are made for it. */
struct wt_paged_kind {
    const struct wt_code_format *format;
    size_t first, record; /**< as `format` has them */
    size_t witness;       /**< the last record of the tail */
    wt_code_handler run;  /**< run of records that have code */
    size_t code_bytes;    /**< memory for code */
    size_t block_bytes;   /**< block bytes of the family's type of blocks */
    size_t bytes;         /**< bytes of its type that begins with struct wt_paged */
    size_t page;          /**< where its pages have their struct wt_paged_page *, NULL at first */
    bool loops;           /**< a block begins where the loop does that it is in */
    /** Lists the instructions of the wave's page from record @p first on: slots in @p block, of
     * which all else is 0; in @p target the record to which each branch leads (one out of the page
     * has no such number), INT32_MAX for others. Returns how many. */
    size_t (*list)(void *wave, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *block);
    /** Goes through a list whose branches have their targets; NULL: nothing is to be done. */
    void (*listed)(struct wt_paged_block *block, struct wt_rows_insn *insn, size_t count);
    bool (*call)(struct wt_rows_state *s); /**< wt_rows_state's */
};

/** The blocks of a device. */
struct wt_paged {
    struct wt_rows_memory *memory; /**< NULL: this host does not execute translated code */
    struct wt_paged_block *block;
    struct wt_paged_page *page;
    struct wt_rows_totals totals;          /**< bytes apart: wt_paged_totals() */
    bool observed;                         /**< the blocks are for observers: wt_paged_observed() */
    const struct wt_paged_block *executed; /**< NULL: none is */
    const void *next; /**< record behind a called handler that does not go on in the code */
    struct wt_rows_state state;
};

/** The blocks of a machine, made where there are none; NULL without host memory. */
struct wt_paged *wt_paged_new(const struct wt_paged_kind *kind, struct wt_machine *m,
                              bool supported);

/** The handler of a record, with which it begins. */
static inline wt_code_handler *wt_paged_handler(const struct wt_paged_kind *kind,
                                                const struct wt_code_page *page, size_t slot)
{
    return (wt_code_handler *)((uintptr_t)page + kind->first + slot * kind->record);
}

/** Whether no record of a page has been forgotten since it was translated. */
static inline bool wt_paged_holds(const struct wt_paged_kind *kind, const struct wt_code_page *page)
{
    return *wt_paged_handler(kind, page, kind->witness) == kind->run;
}

/** The entries of a page that has been translated. */
static inline struct wt_paged_page *wt_paged_entries(const struct wt_paged_kind *kind,
                                                     const struct wt_code_page *page)
{
    return *(struct wt_paged_page *const *)((const char *)page + kind->page);
}

/**
 * Forgets the blocks of a page: records that have code are undecoded again, and the page holds no
 * blocks.
 */
void wt_paged_forget(const struct wt_paged_kind *kind, struct wt_code_page *page);

/** Drops all blocks of a cache, none of which may run: those to come are for observers, or those
 * before were. */
void wt_paged_turn(struct wt_paged *p, const struct wt_paged_kind *kind,
                   const struct wt_code_cache *code);

/** Likewise if blocks are not for those who observe the machine now, or for nobody; whether it has.
 */
static inline bool wt_paged_turns(struct wt_paged *p, const struct wt_paged_kind *kind,
                                  const struct wt_machine *m)
{
    if (__builtin_expect(p->observed == wt_paged_observed(m), true))
        return false;
    wt_paged_turn(p, kind, &m->code);
    return true;
}

/** Whether code may run from a record on; else the record's handler, which may be another one now,
 * must. */
static inline bool wt_paged_enters(struct wt_paged *p, const struct wt_paged_kind *kind,
                                   const struct wt_machine *m, struct wt_code_page *page)
{
    if (wt_paged_turns(p, kind, m))
        return false;
    if (__builtin_expect(wt_paged_holds(kind, page), true))
        return true;
    wt_paged_forget(kind, page);
    return false;
}

/**
 * Translates the code of @p wave, which is in @p page, from record @p first on. Where there is no
 * room, all code of the cache is dropped first. NULL: it does not pay, or there is no memory.
 */
struct wt_paged_block *wt_paged_translate(struct wt_paged *p, const struct wt_paged_kind *kind,
                                          struct wt_machine *m, void *wave,
                                          struct wt_code_page *page, uint16_t first,
                                          const struct wt_rows_shape *shape);

/** The operation `piece` (machine.h) of the blocks @p p, which may be NULL. */
uint64_t wt_paged_piece(const struct wt_paged *p, const struct wt_paged_kind *kind,
                        const struct wt_code_cache *code, uint64_t pc,
                        struct wt_observed_piece *piece);

/** Before code for observers calls the handler of record @p u: whether the wave must not go on
 * there. Then the code is left before it; @p left is what is left of the turn, of which @p kept is
 * not the code's. */
static inline bool wt_paged_halts(struct wt_paged *p, const struct wt_machine *m, const void *u,
                                  uint64_t kept, uint64_t *left)
{
    const uint64_t *halts = m->observer ? m->observer->halts : NULL;
    if (!halts || !(halts[p->state.at / 64] >> p->state.at % 64 & 1))
        return false;
    *left = ++p->state.left + kept;
    p->next = u;
    return true;
}

/** When it has been called: tells what has been accessed; the turn, of which @p left is left, may
 * end. */
static inline void wt_paged_called(struct wt_machine *m, uint64_t *left)
{
    if (wt_observes_piece(m) && wt_observe_called(m))
        wt_end_turn(m, left);
}

/** Where a wave has left a block, or executes an instruction of one otherwise: the turn may end.
 */
static inline void wt_paged_leaves(struct wt_machine *m, uint64_t *left)
{
    if (wt_observes_piece(m))
        wt_end_turn(m, left);
}

/** Whether the code of the block that is executed goes on with record @p slot of its page, behind a
 * called handler. */
static inline bool wt_paged_goes_on(const struct wt_paged *p, const struct wt_paged_kind *kind,
                                    const struct wt_code_page *page, size_t slot)
{
    return wt_paged_holds(kind, page) && *wt_paged_handler(kind, page, slot) == kind->run &&
           wt_paged_entries(kind, page)->entry[slot].block == p->executed;
}

/** An execution of code. */
struct wt_paged_run {
    const struct wt_paged_kind *kind;
    const struct wt_code_page *page;
    const struct wt_paged_block *block;
    uint64_t entered; /**< the state's `left` when it began */
    uint64_t kept;    /**< issues of the turn that are not for the code */
};

/** Begins code of a block with @p left of the turn behind its first instruction. A family may set
 * the state's `left`, `entered` and `kept` otherwise then. */
static inline struct wt_paged_run wt_paged_begin(struct wt_paged *p,
                                                 const struct wt_paged_kind *kind,
                                                 const struct wt_code_page *page,
                                                 const struct wt_paged_block *block, uint64_t left)
{
    p->state.left = left + 1;
    p->executed = block;
    return (struct wt_paged_run){kind, page, block, left + 1, 0};
}

/** How code has ended. */
enum wt_paged_end {
    WT_PAGED_NOWHERE, /**< it has executed nothing */
    WT_PAGED_GONE,    /**< `next` is the record that comes, or NULL */
    WT_PAGED_BEHIND,  /**< at the end of the block */
    WT_PAGED_STAYS,   /**< before an instruction that its handler must execute, which counts */
    WT_PAGED_PASSES   /**< before one that the turn goes on with, if any is left */
};

/** When code has ended with @p next (wt_rows_run()): counts, and says in @p left what is left of
 * the turn, unless a handler has. @p nowhere: nothing was executed. */
static inline enum wt_paged_end wt_paged_ended(struct wt_paged *p, struct wt_paged_run run,
                                               struct wt_machine *m, uint32_t next, bool nowhere,
                                               uint64_t *left)
{
    p->executed = NULL;
    if (nowhere) {
        *left = run.entered + run.kept - 1;
        wt_paged_leaves(m, left);
        return WT_PAGED_NOWHERE;
    }
    p->totals.issues += run.entered - p->state.left;
    if (next != WT_ROWS_GONE)
        *left = p->state.left + run.kept;
    wt_paged_leaves(m, left);
    if (next == WT_ROWS_GONE)
        return WT_PAGED_GONE;
    if (next == run.block->rows->count)
        return WT_PAGED_BEHIND;
    if (!p->state.left || !*left ||
        *wt_paged_handler(run.kind, run.page, run.block->slot[next]) != run.kind->run ||
        !wt_paged_holds(run.kind, run.page))
        return WT_PAGED_PASSES;
    --*left;
    return WT_PAGED_STAYS;
}

/** Frees the code, the blocks and the entries; *p becomes NULL. */
void wt_paged_free(struct wt_paged **p);

/** Counts of translated code; @p p may be NULL. */
struct wt_rows_totals wt_paged_totals(const struct wt_paged *p);

#endif
