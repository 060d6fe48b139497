/* The driver of translated code. See blocks.h. */
#include "emulator/translate/blocks.h"

#include <stdlib.h>

static size_t records_of(const struct wt_paged_kind *kind)
{
    return WT_PAGE_SIZE / kind->format->granule;
}

/* The handler that says whether a page's blocks hold. */
static wt_code_handler *witness(const struct wt_paged_kind *kind, struct wt_code_page *page)
{
    return wt_paged_handler(kind, page, kind->witness);
}

struct wt_paged *wt_paged_new(const struct wt_paged_kind *kind, struct wt_machine *m,
                              bool supported)
{
    struct wt_paged *p = calloc(1, kind->bytes);
    if (!p)
        return NULL;
    if (supported && wt_rows_supported())
        p->memory = wt_rows_memory_new(kind->code_bytes);
    p->state.tlb = &m->tlb;
    p->state.call = kind->call;
    return p;
}

void wt_paged_forget(const struct wt_paged_kind *kind, struct wt_code_page *page)
{
    struct wt_paged_page *entries = wt_paged_entries(kind, page);
    for (size_t i = 0; i < records_of(kind); i++) {
        if (*wt_paged_handler(kind, page, i) == kind->run)
            *wt_paged_handler(kind, page, i) = kind->format->undecoded;
        if (entries)
            entries->entry[i].given_up = false;
    }
    *witness(kind, page) = kind->format->next_page;
}

/* Makes the entries of a page, or finds those of an earlier page there, which was forgotten. */
static struct wt_paged_page *enter_page(struct wt_paged *p, const struct wt_paged_kind *kind,
                                        struct wt_code_page *of)
{
    struct wt_paged_page **entries = (struct wt_paged_page **)((uintptr_t)of + kind->page);
    struct wt_paged_page *page = *entries ? *entries : p->page;
    while (page && page->base != of->base)
        page = page->next;
    if (!page &&
        (page = calloc(1, sizeof *page + records_of(kind) * sizeof(struct wt_paged_entry)))) {
        page->base = of->base;
        page->next = p->page;
        p->page = page;
    }
    return *entries = page;
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
static void drop(struct wt_paged *p, const struct wt_paged_kind *kind,
                 const struct wt_code_cache *code)
{
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++)
        for (struct wt_code_page *page = code->bucket[i]; page; page = page->next)
            wt_paged_forget(kind, page);
    wt_rows_memory_clear(p->memory);
    free_blocks(p);
    for (struct wt_paged_page *page = p->page; page; page = page->next)
        for (size_t i = 0; i < records_of(kind); i++)
            page->entry[i].given_up = false;
}

void wt_paged_turn(struct wt_paged *p, const struct wt_paged_kind *kind,
                   const struct wt_code_cache *code)
{
    p->observed = !p->observed;
    if (p->memory)
        drop(p, kind, code);
}

static bool branches(const struct wt_rows_insn *insn)
{
    return insn->op == WT_ROWS_BRANCH || insn->op == WT_ROWS_BRANCH_IF ||
           insn->op == WT_ROWS_BRANCH_WHEN;
}

/* Lists the instructions from a record on. Returns the first record that a branch leads to, if that
 * is before, else @p first. */
static uint16_t list(const struct wt_paged_kind *kind, void *wave, uint16_t first,
                     struct wt_rows_insn *insn, struct wt_paged_block *block, size_t *count)
{
    int32_t target[WT_ROWS_MOST], before = first;
    memset(block, 0, kind->block_bytes);
    *count = kind->list(wave, first, insn, target, block);
    for (size_t i = 0; i < *count; i++) {
        if (!branches(&insn[i]))
            continue;
        if (target[i] >= 0 && target[i] < before)
            before = target[i];
        insn[i].branch.target = WT_ROWS_ELSEWHERE;
        for (uint32_t k = 0; k < *count; k++)
            if (block->slot[k] == target[i] && !insn[k].follows)
                insn[i].branch.target = k;
    }
    if (kind->listed)
        kind->listed(block, insn, *count);
    return (uint16_t)before;
}

/* The number of a record's instruction in a list; the count: it is none of it. */
static size_t number_of(const struct wt_paged_block *block, size_t count, uint16_t slot)
{
    size_t i = 0;
    while (i < count && block->slot[i] != slot)
        i++;
    return i;
}

/* Lists the instructions from a record on, and those of the loop that it is in: turns begin in
 * loops, too. Returns where the list begins. */
static uint16_t list_loop(const struct wt_paged_kind *kind, void *wave, uint16_t visited,
                          struct wt_rows_insn *insn, struct wt_paged_block *block, size_t *count)
{
    const uint16_t before = list(kind, wave, visited, insn, block, count);
    if (!kind->loops || before == visited)
        return visited;
    list(kind, wave, before, insn, block, count);
    if (number_of(block, *count, visited) < *count)
        return before;
    list(kind, wave, visited, insn, block, count);
    return visited;
}

/* Translates a list; NULL: it does not pay, or there is no room. */
static const struct wt_rows_block *translate(struct wt_paged *p, const struct wt_paged_kind *kind,
                                             const struct wt_code_cache *code,
                                             const struct wt_rows_shape *shape,
                                             struct wt_rows_insn *insn, uint16_t first,
                                             size_t count)
{
    if (!wt_rows_leave_short(insn, count))
        return NULL;
    const struct wt_rows_block *rows = wt_rows_translate(p->memory, shape, insn, first, count);
    if (rows || !wt_rows_memory_used(p->memory))
        return rows;
    drop(p, kind, code);
    return wt_rows_translate(p->memory, shape, insn, first, count);
}

struct wt_paged_block *wt_paged_translate(struct wt_paged *p, const struct wt_paged_kind *kind,
                                          struct wt_machine *m, void *wave,
                                          struct wt_code_page *page, uint16_t first,
                                          const struct wt_rows_shape *shape)
{
    struct wt_rows_insn insn[WT_ROWS_MOST];
    if (first >= records_of(kind) || !p || !p->memory || p->executed)
        return NULL;
    struct wt_paged_page *entries = enter_page(p, kind, page);
    if (!entries)
        return NULL;
    wt_paged_turns(p, kind, m);
    if (!wt_paged_holds(kind, page))
        wt_paged_forget(kind, page);
    struct wt_paged_block *block =
        entries->entry[first].given_up ? NULL : calloc(1, kind->block_bytes);
    if (!block)
        return NULL;
    size_t count;
    const uint16_t begin = list_loop(kind, wave, first, insn, block, &count);
    if (p->observed)
        count = wt_rows_leave_observed(insn, count, number_of(block, count, first));
    block->rows = translate(p, kind, &m->code, shape, insn, begin, count);
    if (!block->rows) {
        free(block);
        return NULL;
    }
    block->next = p->block;
    p->block = block;
    p->totals.blocks++;
    *witness(kind, page) = kind->run;
    for (size_t i = 0; i < block->rows->count; i++) {
        wt_code_handler *of = wt_paged_handler(kind, page, block->slot[i]);
        struct wt_paged_entry *entry = &entries->entry[block->slot[i]];
        if (insn[i].op == WT_ROWS_HANDLER || insn[i].follows)
            continue;
        if (*of != kind->run)
            entry->run = *of;
        entry->block = block;
        entry->number = (uint16_t)i;
        *of = kind->run;
    }
    return block;
}

uint64_t wt_paged_piece(const struct wt_paged *p, const struct wt_paged_kind *kind,
                        const struct wt_code_cache *code, uint64_t pc,
                        struct wt_observed_piece *piece)
{
    static_assert((int)WT_PIECE == (int)WT_ROWS_MOST, "a piece has all instructions of a block");
    struct wt_code_page *page = p && p->observed ? wt_code_find(code, pc) : NULL;
    const unsigned granule = kind->format->granule;
    const size_t first = (pc & WT_PAGE_MASK) / granule;
    if (!page || pc % granule || !wt_paged_holds(kind, page) ||
        *wt_paged_handler(kind, page, first) != kind->run)
        return 0;
    const struct wt_paged_block *block = wt_paged_entries(kind, page)->entry[first].block;
    const struct wt_rows_block *rows = block->rows;
    if (!piece)
        return rows->number;
    piece->count = rows->count;
    memcpy(piece->called, rows->called, sizeof piece->called);
    for (size_t i = 0; i < rows->count; i++)
        piece->pc[i] = *wt_paged_handler(kind, page, block->slot[i]) == kind->run
                           ? page->base + block->slot[i] * granule
                           : 0;
    return rows->number;
}

void wt_paged_free(struct wt_paged **of)
{
    struct wt_paged *p = *of;
    if (!p)
        return;
    free_blocks(p);
    while (p->page) {
        struct wt_paged_page *page = p->page;
        p->page = page->next;
        free(page);
    }
    wt_rows_memory_free(p->memory);
    free(p);
    *of = NULL;
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
