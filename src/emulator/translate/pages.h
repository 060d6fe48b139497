/*
 * Blocks of translated code (rows.h) whose instructions are records of decoded pages
 * (machine/code_pages.h), for families of which a record is at each granule: a record that has code
 * has the family's handler that runs it, and its own one is kept beside the page.
 *
 * Blocks of a page hold as long as none of its records is forgotten: the last record of its tail
 * has that handler, too, until then, and no block of the page is entered afterwards.
 */
#ifndef WT_EMULATOR_TRANSLATE_PAGES_H
#define WT_EMULATOR_TRANSLATE_PAGES_H

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
    uint16_t slot[WT_ROWS_MOST + 1]; /**< of the records of its instructions, and behind them */
};

/** What a record was, where it has code. */
struct wt_paged_entry {
    wt_code_handler run;
    struct wt_paged_block *block;
    uint16_t number; /**< of the instruction in the block */
    bool given_up;   /**< for the family: no block begins here any more */
};

/** Of a page that has been translated: an entry for each record but those of the tail. */
struct wt_paged_page {
    uint64_t base;
    struct wt_paged_page *next;
    struct wt_paged_entry entry[];
};

/** The blocks of a device. All zeros: there are none. */
struct wt_paged {
    struct wt_rows_memory *memory; /**< NULL: this host does not execute translated code */
    struct wt_paged_block *block;
    struct wt_paged_page *page;
    struct wt_rows_totals totals; /**< bytes apart: wt_paged_totals() */
    bool observed;                /**< the blocks are for observers: wt_paged_observed() */
};

/**
 * Forgets the blocks of a page: records whose handler is @p run are undecoded again, and the page
 * holds no blocks.
 */
void wt_paged_forget(const struct wt_code_format *format, struct wt_code_page *page,
                     wt_code_handler run);

/** The same for all pages of a cache, whose code in @p memory is dropped. */
void wt_paged_drop(const struct wt_code_cache *code, wt_code_handler run,
                   struct wt_rows_memory *memory);

/** Drops all blocks of a cache, none of which may run: those to come are for observers, or those
 * before were. */
void wt_paged_turn(struct wt_paged *p, const struct wt_code_cache *code, wt_code_handler run);

/** The same if blocks are not for those who observe the machine now, or for nobody; whether it has.
 */
static inline bool wt_paged_turns(struct wt_paged *p, const struct wt_machine *m,
                                  wt_code_handler run)
{
    if (__builtin_expect(p->observed == wt_paged_observed(m), true))
        return false;
    wt_paged_turn(p, &m->code, run);
    return true;
}

/** The entries of the page at @p base: those of an earlier page there, too, which was forgotten.
 * NULL without host memory. */
struct wt_paged_page *wt_paged_page(struct wt_paged *p, const struct wt_code_format *format,
                                    uint64_t base);

/**
 * Translates the instructions of @p block, which has their slots, from the record @p first on, and
 * puts it into @p page, whose entries are @p entries: the records of instructions that the code
 * executes or calls get @p run. Where there is no room, all code of the cache is dropped first.
 * False: it does not pay, or there is no memory; then the block is freed.
 */
bool wt_paged_add(struct wt_paged *p, const struct wt_code_cache *code, wt_code_handler run,
                  struct wt_code_page *page, struct wt_paged_page *entries,
                  const struct wt_rows_shape *shape, struct wt_paged_block *block,
                  struct wt_rows_insn *insn, uint16_t first, size_t count);

/** What a piece has of its block: how many instructions, and which are called. */
static inline void wt_paged_begin_piece(const struct wt_rows_block *block,
                                        struct wt_observed_piece *piece)
{
    static_assert((int)WT_PIECE == (int)WT_ROWS_MOST, "a piece has all instructions of a block");
    piece->count = block->count;
    memcpy(piece->called, block->called, sizeof piece->called);
}

/** The operation `piece` (machine.h) of the blocks @p p, which may be NULL. */
uint64_t wt_paged_piece(const struct wt_paged *p, const struct wt_code_cache *code,
                        wt_code_handler run, uint64_t pc, struct wt_observed_piece *piece);

/** Before code for observers calls the handler of instruction s->at: whether the wave must not go
 * on there. Then the code is left before it. */
static inline bool wt_paged_halts(const struct wt_machine *m, struct wt_rows_state *s)
{
    const uint64_t *halts = m->observer ? m->observer->halts : NULL;
    if (!halts || !(halts[s->at / 64] >> s->at % 64 & 1))
        return false;
    s->left++;
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

/** Frees the code, the blocks and the entries. */
void wt_paged_free(struct wt_paged *p);

/** What has been translated; @p p may be NULL. */
struct wt_rows_totals wt_paged_totals(const struct wt_paged *p);

#endif
