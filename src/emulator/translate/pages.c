/* Blocks of translated code in decoded pages. See pages.h. */
#include "emulator/translate/pages.h"

#include <stdlib.h>

static size_t records_of(const struct wt_code_format *format)
{
    return WT_PAGE_SIZE / format->granule;
}

/* A record begins with its handler. */
static wt_code_handler *handler(const struct wt_code_format *format, struct wt_code_page *page,
                                size_t record)
{
    return (wt_code_handler *)(void *)((char *)page + format->first + record * format->record);
}

/* The handler that says whether a page's blocks hold. */
static wt_code_handler *witness(const struct wt_code_format *format, struct wt_code_page *page)
{
    return handler(format, page, records_of(format) + format->tail - 1);
}

void wt_paged_forget(const struct wt_code_format *format, struct wt_code_page *page,
                     wt_code_handler run)
{
    for (size_t i = 0; i < records_of(format); i++)
        if (*handler(format, page, i) == run)
            *handler(format, page, i) = format->undecoded;
    *witness(format, page) = format->next_page;
}

void wt_paged_drop(const struct wt_code_cache *code, wt_code_handler run,
                   struct wt_rows_memory *memory)
{
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++)
        for (struct wt_code_page *page = code->bucket[i]; page; page = page->next)
            wt_paged_forget(code->format, page, run);
    wt_rows_memory_clear(memory);
}

struct wt_paged_page *wt_paged_page(struct wt_paged *p, const struct wt_code_format *format,
                                    uint64_t base)
{
    struct wt_paged_page *page = p->page;
    while (page && page->base != base)
        page = page->next;
    if (!page &&
        (page = calloc(1, sizeof *page + records_of(format) * sizeof(struct wt_paged_entry)))) {
        page->base = base;
        page->next = p->page;
        p->page = page;
    }
    return page;
}

/* Frees the blocks, whose code is there no more. */
static void free_blocks(struct wt_paged *p)
{
    while (p->block) {
        struct wt_paged_block *block = p->block;
        p->block = block->next;
        free(block);
    }
}

/* Drops all blocks. */
static void drop(struct wt_paged *p, const struct wt_code_cache *code, wt_code_handler run)
{
    wt_paged_drop(code, run, p->memory);
    free_blocks(p);
    for (struct wt_paged_page *page = p->page; page; page = page->next)
        for (size_t i = 0; i < records_of(code->format); i++)
            page->entry[i].given_up = false;
}

void wt_paged_turn(struct wt_paged *p, const struct wt_code_cache *code, wt_code_handler run)
{
    p->observed = !p->observed;
    if (p->memory)
        drop(p, code, run);
}

bool wt_paged_add(struct wt_paged *p, const struct wt_code_cache *code, wt_code_handler run,
                  struct wt_code_page *page, struct wt_paged_page *entries,
                  const struct wt_rows_shape *shape, struct wt_paged_block *block,
                  struct wt_rows_insn *insn, uint16_t first, size_t count)
{
    const bool pays = wt_rows_leave_short(insn, count);
    block->rows = pays ? wt_rows_translate(p->memory, shape, insn, first, count) : NULL;
    if (pays && !block->rows && wt_rows_memory_used(p->memory)) {
        drop(p, code, run);
        block->rows = wt_rows_translate(p->memory, shape, insn, first, count);
    }
    if (!block->rows) {
        free(block);
        return false;
    }
    block->next = p->block;
    p->block = block;
    p->totals.blocks++;
    *witness(code->format, page) = run;
    for (size_t i = 0; i < block->rows->count; i++) {
        wt_code_handler *of = handler(code->format, page, block->slot[i]);
        if (insn[i].op == WT_ROWS_HANDLER)
            continue;
        entries->entry[block->slot[i]].run = *of;
        entries->entry[block->slot[i]].block = block;
        entries->entry[block->slot[i]].number = (uint16_t)i;
        *of = run;
    }
    return true;
}

uint64_t wt_paged_piece(const struct wt_paged *p, const struct wt_code_cache *code,
                        wt_code_handler run, uint64_t pc, struct wt_observed_piece *piece)
{
    const struct wt_code_format *format = code->format;
    struct wt_code_page *page = p && p->observed ? wt_code_find(code, pc) : NULL;
    const size_t first = (pc & WT_PAGE_MASK) / format->granule;
    if (!page || pc % format->granule || *witness(format, page) != run ||
        *handler(format, page, first) != run)
        return 0;
    const struct wt_paged_page *entries = p->page;
    while (entries->base != page->base)
        entries = entries->next;
    const struct wt_paged_block *block = entries->entry[first].block;
    if (piece)
        wt_paged_begin_piece(block->rows, piece);
    for (size_t i = 0; piece && i < block->rows->count; i++)
        piece->pc[i] = *handler(format, page, block->slot[i]) == run
                           ? page->base + block->slot[i] * format->granule
                           : 0;
    return block->rows->number;
}

void wt_paged_free(struct wt_paged *p)
{
    free_blocks(p);
    while (p->page) {
        struct wt_paged_page *page = p->page;
        p->page = page->next;
        free(page);
    }
    wt_rows_memory_free(p->memory);
}

struct wt_rows_totals wt_paged_totals(const struct wt_paged *p)
{
    struct wt_rows_totals t = {0};
    if (!p)
        return t;
    t = p->totals;
    t.bytes = p->memory ? wt_rows_memory_used(p->memory) : 0;
    return t;
}
