/* Translated code of PTX (emulator/translate/blocks.h). All records up to the end of the page or an
 * unconditional branch are a block. */
#include "base/bits.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/know/block.h"
#include "emulator/translate/blocks.h"

/* The handler of records that have code. */
static const struct sm_uop *sm_run_block(struct sm_warp *w, const struct sm_uop *u);

struct sm_blocks {
    struct wt_paged all;
    struct sm_warp *warp; /* that executes code */
    uint32_t patience;    /* the state's, when branches were last counted */
    bool barred;          /* the state bars branches */
    bool gave;            /* the state has what is given to this warp */
    /* tid.x, .y, .z and laneid of the warps of a CTA, by their index, for this size of it */
    uint32_t size[3], known; /* a bit for each warp whose rows are there */
    uint32_t given[32][GIVEN_ROWS][SM_LANES];
};

/* ---- blocks ---- */

/* Numbers of the records of a page, without those of control words. */
static uint32_t number_of(size_t slot)
{
    return (uint32_t)(slot / 4 * 3 + slot % 4 - 1);
}

/* The record behind another one. */
static size_t behind(size_t slot)
{
    return slot % 4 == 3 ? slot + 2 : slot + 1;
}

static inline struct sm_blocks *blocks_of(const struct sm_device *d)
{
    return (struct sm_blocks *)d->blocks;
}

/* The record of an instruction of a block of the page that is executed. */
static inline struct sm_uop *record_of(const struct sm_warp *w, const struct wt_paged_block *block,
                                       uint32_t insn)
{
    return &w->code->uop[block->slot[insn]];
}

/* Describes the flow of a branch to @p to, or of a label, which leads to the next instruction.
 * Returns the index of the record there. */
static int32_t lead(const struct sm_warp *w, const struct sm_uop *u, uint64_t to,
                    struct wt_rows_insn *insn)
{
    const uint64_t offset = to - w->code->page.base;
    insn->branch.comes_to = (uint8_t)ptx_run_at(w->device, to);
    insn->branch.parted = ptx_has_ways(w->device);
    if (insn->combine)
        insn->branch.passes_to = (uint8_t)ptx_run_at(w->device, sm_next_pc(sm_pc_of(w, u)));
    return offset < WT_PAGE_SIZE ? (int32_t)(offset / 8) : INT32_MAX;
}

/*
 * Lists the instructions from a record on, up to one that leads elsewhere and behind which no
 * branch leads. What is not decoded yet is left to its handler; 0 if it would be, but the first one
 * has not been visited so often that this does not matter.
 */
static size_t list(void *warp, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *block)
{
    struct sm_warp *w = warp;
    const bool soon = w->code->uop[first].visits < w->device->config.jit;
    int32_t most = first; /* the last one to which a branch leads */
    size_t count = 0, slot = first;
    bool on = true;
    for (; count < WT_ROWS_MOST && slot < SM_SLOTS && (on || most >= (int32_t)slot);
         slot = behind(slot), count++) {
        struct sm_uop *u = &w->code->uop[slot];
        const uint64_t pc = sm_pc_of(w, u);
        uint32_t index;
        const struct sm_ptx *image = ptx_image_at(w->device, pc, &index);
        const struct ptx_op *o = image ? &image->op[index] : NULL;
        if (!o)
            break;
        block->slot[count] = (uint16_t)slot;
        on = o->guard != PTX_NO_SLOT ||
             (o->run != ptx_op_exit && o->run != ptx_op_ret && o->run != ptx_op_bra);
        if (u->ptx != o || (u->run != o->run && u->run != sm_run_block)) {
            if (soon)
                return 0;
            insn[count] = (struct wt_rows_insn){.op = WT_ROWS_HANDLER};
            on = false;
            continue;
        }
        if (!ptx_as_rows(o, &insn[count]))
            insn[count] = (struct wt_rows_insn){
                .op = ptx_is_called(o) ? WT_ROWS_CALL : WT_ROWS_HANDLER,
                .ends = o->guard == PTX_NO_SLOT && (o->run == ptx_op_exit || o->run == ptx_op_ret)};
        if (o->run == ptx_op_bra)
            target[count] = lead(w, u, pc + (uint64_t)o->offset, &insn[count]);
        else if (o->run == ptx_op_join)
            target[count] = lead(w, u, sm_next_pc(pc), &insn[count]);
        if (o->run == ptx_op_bra && target[count] != INT32_MAX && target[count] > most)
            most = target[count];
    }
    block->slot[count] = (uint16_t)(slot < SM_SLOTS ? slot : SM_SLOTS);
    return count;
}

static bool call_handler(struct wt_rows_state *s);

static const struct wt_paged_kind kind = {
    .format = &sm_code_format,
    .first = offsetof(struct sm_code, uop),
    .record = sizeof(struct sm_uop),
    .witness = SM_SLOTS + SM_TAIL - 1,
    .run = (wt_code_handler)sm_run_block,
    .code_bytes = 4 << 20,
    .block_bytes = sizeof(struct wt_paged_block),
    .bytes = sizeof(struct sm_blocks),
    .page = offsetof(struct sm_code, blocks),
    .list = list,
    .call = call_handler,
};

/* Notes the runs that a warp has come to by code, which is left at a record. */
static inline void keep_runs(struct sm_warp *w, struct wt_rows_state *s, const struct sm_uop *u)
{
    if (!w->fresh)
        return;
    if (__builtin_expect(!w->ways, true)) {
        w->runs = s->runs;
    } else if (s->runs) {
        ptx_came(w, u, s->runs);
        s->runs = 0;
    }
}

/* Calls the handler of a record of the block that is executed. */
static bool call_handler(struct wt_rows_state *s)
{
    struct sm_blocks *b = (struct sm_blocks *)((char *)s - offsetof(struct sm_blocks, all.state));
    struct sm_warp *w = b->warp;
    struct sm_device *d = w->device;
    const struct sm_uop *u = record_of(w, b->all.executed, s->at);
    const uint32_t depth = w->depth;
    if (wt_paged_halts(&b->all, &d->machine, u, 0, &w->left))
        return false;
    ptx_took_branches(w, b->patience - s->patience);
    w->left = s->left;
    keep_runs(w, s, u);
    d->executing = u;
    const struct sm_uop *next = u->ptx->run(w, u);
    wt_paged_called(&d->machine, &w->left);
    s->left = w->left;
    b->all.totals.issues--; /* it is the handler's */
    b->patience = s->patience;
    b->all.next = next;
    if (!next)
        return false;
    b->patience = s->patience = ptx_plain_branches(w);
    return next == sm_next(u) && w->left && w->mask == s->mask && w->depth == depth &&
           (!depth || !ptx_meets(u->ptx)) && wt_paged_holds(&kind, &w->code->page) &&
           next->run == sm_run_block && next->entry->block == b->all.executed;
}

/* The address of an instruction of a block of the page that is executed. */
static uint64_t address_of(const struct sm_warp *w, const struct wt_paged_block *block,
                           uint32_t insn)
{
    return w->code->page.base + 8 * block->slot[insn];
}

void sm_translate(struct sm_warp *w, struct sm_uop *slot)
{
    struct sm_device *d = w->device;
    const size_t at = (size_t)(slot - w->code->uop);
    const struct wt_rows_shape shape = {.lanes = SM_LANES,
                                        .paths = true,
                                        .few = true,
                                        .vectors_512 = !d->config.vectors_256 && wt_rows_has_512(),
                                        .window = {SM_SHARED_WINDOW, SM_LOCAL_WINDOW},
                                        .window_bytes = SM_WINDOW_BYTES};
    if (slot->run == sm_run_block || at >= SM_SLOTS || at % 4 == 0)
        return;
    if (!d->blocks)
        d->blocks = wt_paged_new(&kind, &d->machine, true);
    const struct wt_paged_block *b =
        wt_paged_translate(d->blocks, &kind, &d->machine, w, &w->code->page, (uint16_t)at, &shape);
    if (!b)
        return;
    for (size_t i = 0; i < b->rows->count; i++)
        if (w->code->uop[b->slot[i]].run == sm_run_block)
            w->code->uop[b->slot[i]].entry = &w->code->blocks->entry[b->slot[i]];
    d->has_unseen |= b->rows->unseen != NULL;
    for (uint32_t i = 0; i < b->rows->targets; i++)
        b->rows->place[i] = ptx_order_of(d, address_of(w, b, b->rows->target[i]));
}

void sm_blocks_free(struct sm_device *d)
{
    wt_paged_free(&d->blocks);
}

/* The number of the first record at an address or behind it, of the page that is executed. */
static uint32_t number_at(const struct sm_warp *w, uint64_t pc)
{
    const uint64_t base = w->code->page.base, slot = pc < base ? 0 : (pc - base) / 8;
    return slot >= SM_SLOTS ? UINT32_MAX : (uint32_t)(slot / 4 * 3 + (slot % 4 ? slot % 4 - 1 : 0));
}

/* To which instructions branches are taken within a block, by a warp that has several paths: those
 * before the first path that could run instead. */
static __attribute__((noinline)) void bar_targets(struct sm_blocks *b, const struct sm_warp *w,
                                                  const struct wt_paged_block *block)
{
    const struct wt_rows_block *rows = block->rows;
    struct wt_rows_state *s = &b->all.state;
    b->barred = w->depth != 0;
    b->patience = s->patience = ptx_plain_branches(w);
    if (!b->barred) {
        memset(s->barred, 0, sizeof s->barred);
        return;
    }
    const bool ordered = ptx_is_ordered(w->device);
    const uint64_t place = ptx_plain_end(w);
    const uint32_t begin = number_of(block->slot[0]);
    const uint32_t end = ordered ? begin : number_at(w, place);
    const uint32_t first = end < begin ? 0 : end - begin;
    for (uint32_t i = 0; i < sizeof s->barred; i += 8) {
        const uint32_t before = first < 8 * i ? 0 : first - 8 * i;
        wt_store_le(s->barred + i, before < 64 ? UINT64_MAX << before : 0, 8);
    }
    for (uint32_t i = 0; (w->hold || (ordered && place)) && i < rows->targets; i++) {
        const uint32_t target = rows->target[i];
        if (w->hold ? ptx_is_plain_target(w, address_of(w, block, target)) : rows->place[i] < place)
            s->barred[target / 8] &= (uint8_t) ~(1u << target % 8);
    }
}

/* Fills the rows of a warp of a CTA. */
static __attribute__((noinline)) void number_threads(struct sm_blocks *b, uint32_t index)
{
    for (uint32_t i = 0; i < SM_LANES; i++) {
        const uint32_t thread = index * SM_LANES + i, line = thread / b->size[0];
        b->given[index][0][i] = thread % b->size[0];
        b->given[index][1][i] = line % b->size[1];
        b->given[index][2][i] = line / b->size[1];
        b->given[index][LANE_ROW][i] = i;
    }
    b->known |= 1u << index;
}

/* Values that WT_ROWS_GIVEN gives a warp. */
static inline void give(struct sm_blocks *b, const struct sm_warp *w)
{
    struct wt_rows_state *s = &b->all.state;
    if (__builtin_expect(!(b->known >> w->index & 1), false))
        number_threads(b, w->index);
    b->gave = true;
    s->given_rows = b->given[w->index][0];
    memcpy(s->given + FIRST_CTAID, w->cta->coordinate, sizeof w->cta->coordinate);
}

/* State that all blocks of a launch share. */
static __attribute__((noinline)) void prepare_launch(struct sm_blocks *b, const struct sm_warp *w)
{
    struct sm_device *d = w->device;
    const struct sm_launch *l = &d->grid.launch;
    struct wt_rows_state *s = &b->all.state;
    wt_paged_open_group(s, &d->machine, l->shared);
    s->local_bytes = sm_local_bytes(w);
    s->parameter_page = l->bank[0] & ~WT_PAGE_MASK;
    s->parameter_place = l->bank[0] & WT_PAGE_MASK;
    s->parameter_room = WT_PAGE_SIZE - s->parameter_place;
    if (s->parameter_room > l->bank_size[0])
        s->parameter_room = l->bank_size[0];
    s->parameter_entry = wt_tlb_entry_of(&d->machine.tlb, l->bank[0]);
    memcpy(s->given + FIRST_NTID, l->block, sizeof l->block);
    memcpy(s->given + FIRST_NCTAID, l->grid, sizeof l->grid);
    if (memcmp(b->size, l->block, sizeof b->size) != 0) {
        memcpy(b->size, l->block, sizeof b->size);
        b->known = 0;
    }
    d->prepared_launch = true;
}

/* … and for those of a turn. */
static inline void prepare(struct sm_blocks *b, struct sm_warp *w)
{
    struct sm_device *d = w->device;
    b->all.state.group = w->cta->local;
    b->all.state.local = w->local;
    b->gave = false;
    d->prepared = w;
    if (!d->prepared_launch)
        prepare_launch(b, w);
}

static const struct sm_uop *sm_run_block(struct sm_warp *w, const struct sm_uop *u)
{
    struct sm_device *d = w->device;
    struct sm_blocks *b = blocks_of(d);
    struct wt_rows_state *s = &b->all.state;
    const struct wt_paged_entry *entry = u->entry;
    const struct wt_paged_block *block = entry->block;
    if (!d->prepared_launch && __builtin_expect(wt_paged_turns(&b->all, &kind, &d->machine), false))
        return u->run(w, u);
    if (__builtin_expect(!wt_paged_holds(&kind, &w->code->page), false)) {
        wt_paged_forget(&kind, &w->code->page);
        return u->run(w, u);
    }
    if (!w->left || !w->mask || wt_observes_issue(&d->machine)) {
        wt_paged_leaves(&d->machine, &w->left);
        return u->ptx->run(w, u);
    }
    const struct wt_paged_run run = wt_paged_begin(&b->all, &kind, &w->code->page, block, w->left);
    s->frame = ptx_frame(w);
    s->mask = w->mask;
    if (w->fresh && !block->rows->tells)
        ptx_settle(w, sm_pc_of(w, u));
    s->runs = w->runs;
    s->patience = UINT32_MAX;
    if (__builtin_expect(w->depth | b->barred, false))
        bar_targets(b, w, block);
    if (d->prepared != w)
        prepare(b, w);
    if (block->rows->gives && !b->gave)
        give(b, w);
    b->warp = w;
    const uint32_t next = wt_rows_run(block->rows, entry->number, s);
    if (w->fresh && !w->ways)
        w->runs = s->runs;
    if (s->left != run.entered && w->depth)
        ptx_took_branches(w, b->patience - s->patience);
    const enum wt_paged_end end =
        wt_paged_ended(&b->all, run, &d->machine, next, s->left == run.entered, &w->left);
    if (end == WT_PAGED_NOWHERE)
        return u->ptx->run(w, u);
    if (end == WT_PAGED_GONE)
        return b->all.next;
    struct sm_uop *v = record_of(w, block, next);
    if (w->ways)
        keep_runs(w, s, v);
    if (end == WT_PAGED_BEHIND)
        sm_visit(w, v);
    if (end != WT_PAGED_STAYS)
        return v;
    d->executing = v; /* what the code is left for is its handler's */
    return v->ptx->run(w, v);
}

bool sm_run_unseen(struct sm_warp *w, struct sm_code *code)
{
    struct sm_device *d = w->device;
    struct sm_blocks *b = blocks_of(d);
    const uint64_t pc = w->pc, left = w->left;
    const struct sm_uop *u = &code->uop[(pc & WT_PAGE_MASK) / 8];
    if (!b || b->barred || !d->prepared_launch || !d->hidden || w->mask != UINT32_MAX ||
        (pc & ~WT_PAGE_MASK) != code->page.base || pc % 8 || !wt_paged_holds(&kind, &code->page) ||
        u->run != sm_run_block)
        return false;
    const struct wt_paged_entry *entry = u->entry;
    const struct wt_rows_block *rows = entry->block->rows;
    d->has_unseen = !entry->number && wt_rows_has_unseen(rows);
    if (!d->has_unseen || left + 1 < rows->unseen->longest)
        return false;
    ptx_take_rows(w);
#ifdef WT_CHECK_INVARIANTS
    memset(w->r + w->base, 0xa5, (w->rows - w->base) * sizeof *w->r);
#endif
    w->code = code;
    b->all.state.frame = ptx_frame(w);
    b->all.state.left = left + 1;
    b->all.state.mask = w->mask;
    prepare(b, w);
    if (rows->gives)
        give(b, w);
    b->warp = w;
    b->all.executed = entry->block;
    const uint32_t next = wt_rows_run_unseen(rows, &b->all.state);
    b->all.executed = NULL;
    if (next == WT_ROWS_AGAIN)
        return false;
    b->all.totals.issues += left + 1 - b->all.state.left;
    b->all.totals.unseen += left + 1 - b->all.state.left;
    w->left = b->all.state.left - 1;
    u = record_of(w, entry->block, next);
    d->executing = u;
    u->ptx->run(w, u);
    return true;
}

uint64_t sm_piece(struct wt_machine *m, uint32_t wave, uint64_t pc, struct wt_observed_piece *piece)
{
    return wt_paged_piece(((const struct sm_device *)m)->blocks, &kind, &m->code, pc, piece);
}

void sm_blocks_lost(struct sm_warp *w)
{
    struct sm_blocks *b = blocks_of(w->device);
    if (!b || !b->all.executed || b->warp != w)
        return;
    const struct sm_uop *u = record_of(w, b->all.executed, b->all.state.at);
    b->all.executed = NULL;
    keep_runs(w, &b->all.state, u);
    w->left = b->all.state.left;
    w->device->executing = u;
}

struct wt_rows_totals sm_device_translated(const struct sm_device *d)
{
    return wt_paged_totals(d->blocks);
}
