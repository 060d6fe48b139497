/*
 * Translated code of PTX (emulator/translate/rows.h). From a record on that turns and jumps come to
 * often, all records up to the end of the page or an unconditional branch are a block; those that
 * rows have an operation for get the handler sm_run_block, the others keep theirs, and the code is
 * left before them. The handlers decide what an instruction does; the code does the same.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/know/block.h"
#include "emulator/sm/watch.h"
#include "emulator/translate/pages.h"

enum { CODE_BYTES = 4 << 20 };

struct sm_blocks {
    struct wt_rows_memory *memory; /* NULL: this host does not execute translated code */
    struct wt_rows_state state;
    struct sm_warp *warp;              /* that executes code; NULL: none */
    const struct wt_rows_block *block; /* the code */
    const struct sm_uop *next;         /* behind a called handler that does not go on in the code */
    uint32_t patience;                 /* of the state, since branches were last counted */
    bool barred;                       /* the state bars branches */
    bool gave;                         /* the state has what is given to this warp */
    bool observed;                     /* the blocks are for observers: wt_paged_observed() */
    struct wt_rows_totals translated;  /* bytes apart */
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

static inline size_t slot_of(uint32_t number)
{
    const size_t slot = number + number / 3 + 1;
    return slot < SM_SLOTS ? slot : SM_SLOTS;
}

/* The record of an instruction of a block of the page that is executed. */
static inline struct sm_uop *record_of(const struct sm_warp *w, const struct wt_rows_block *block,
                                       uint32_t insn)
{
    const uint32_t number = block->first + insn;
    return &w->code->uop[number + number / 3 + 1];
}

/* How a branch, or a label, which leads to what is behind it, is done. */
static void lead(const struct sm_warp *w, const struct sm_uop *u, uint64_t to,
                 struct wt_rows_insn *insn)
{
    const uint64_t offset = to - w->code->page.base;
    insn->target = offset < WT_PAGE_SIZE ? number_of(offset / 8) : WT_ROWS_ELSEWHERE;
    insn->comes_to = (uint8_t)ptx_run_at(w->device, to);
    insn->parted = ptx_has_ways(w->device);
    if (insn->combine)
        insn->passes_to = (uint8_t)ptx_run_at(w->device, sm_next_pc(sm_pc_of(w, u)));
}

/*
 * Lists the instructions from a record on, up to one that leads elsewhere and behind which no
 * branch leads. What is not decoded yet is left to its handler; 0 if it would be, but the first one
 * has not been visited so often that this does not matter.
 */
static size_t list(struct sm_warp *w, uint32_t first, struct wt_rows_insn *insn)
{
    const bool soon = w->code->uop[slot_of(first)].visits < w->device->config.jit;
    uint32_t index, most = first; /* the last one to which a branch leads */
    size_t count = 0;
    for (bool on = true; count < WT_ROWS_MOST && slot_of(first + (uint32_t)count) < SM_SLOTS &&
                         (on || most >= first + count);
         count++) {
        struct sm_uop *u = &w->code->uop[slot_of(first + (uint32_t)count)];
        const uint64_t pc = sm_pc_of(w, u);
        const struct sm_ptx *image = ptx_image_at(w->device, pc, &index);
        const struct ptx_op *o = image ? &image->op[index] : NULL;
        if (!o)
            break;
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
            lead(w, u, pc + (uint64_t)o->offset, &insn[count]);
        else if (o->run == ptx_op_join)
            lead(w, u, sm_next_pc(pc), &insn[count]);
        if (o->run == ptx_op_bra && insn[count].target != WT_ROWS_ELSEWHERE &&
            insn[count].target > most)
            most = insn[count].target;
    }
    for (size_t i = 0; i < count; i++)
        if (insn[i].op == WT_ROWS_BRANCH) {
            const uint32_t to = insn[i].target - first;
            insn[i].target =
                insn[i].target != WT_ROWS_ELSEWHERE && to < count ? to : WT_ROWS_ELSEWHERE;
        }
    return count;
}

/* See pages.h: whether no record of the page has been forgotten since it was translated. */
static inline bool holds(const struct sm_code *code)
{
    return code->uop[SM_SLOTS + SM_TAIL - 1].run == sm_run_block;
}

static void forget(struct sm_code *code)
{
    wt_paged_forget(&sm_code_format, &code->page, (wt_code_handler)sm_run_block);
}

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
    struct sm_blocks *b = (struct sm_blocks *)((char *)s - offsetof(struct sm_blocks, state));
    struct sm_warp *w = b->warp;
    struct sm_device *d = w->device;
    const struct sm_uop *u = record_of(w, b->block, s->at);
    const uint32_t depth = w->depth;
    if (wt_paged_halts(&d->machine, s)) {
        b->next = u;
        return false;
    }
    ptx_took_branches(w, b->patience - s->patience);
    w->left = s->left;
    keep_runs(w, s, u);
    d->executing = u;
    const struct sm_uop *next = u->ptx->run(w, u);
    wt_paged_called(&d->machine, &w->left);
    s->left = w->left;
    b->translated.issues--; /* it is the handler's */
    b->patience = s->patience;
    b->next = next;
    if (!next)
        return false;
    b->patience = s->patience = ptx_plain_branches(w);
    return next == sm_next(u) && w->left && w->mask == s->mask && w->depth == depth &&
           (!depth || !ptx_meets(u->ptx)) && holds(w->code) && next->run == sm_run_block &&
           next->block == b->block;
}

static struct sm_blocks *blocks_of(struct sm_device *d)
{
    if (d->blocks || !(d->blocks = calloc(1, sizeof *d->blocks)))
        return d->blocks;
    if (wt_rows_supported())
        d->blocks->memory = wt_rows_memory_new(CODE_BYTES);
    d->blocks->state.tlb = &d->machine.tlb;
    d->blocks->state.call = call_handler;
    return d->blocks;
}

/* The address of an instruction of a block of the page that is executed. */
static uint64_t address_of(const struct sm_warp *w, const struct wt_rows_block *block,
                           uint32_t insn)
{
    return w->code->page.base + 8 * slot_of(block->first + insn);
}

static const struct wt_rows_block *translate(struct sm_device *d, const struct wt_rows_insn *insn,
                                             uint32_t first, size_t count)
{
    const struct wt_rows_shape shape = {.lanes = SM_LANES,
                                        .paths = true,
                                        .few = true,
                                        .vectors_512 = !d->config.vectors_256 && wt_rows_has_512(),
                                        .window = {SM_SHARED_WINDOW, SM_LOCAL_WINDOW},
                                        .window_bytes = SM_WINDOW_BYTES};
    struct wt_rows_memory *m = d->blocks->memory;
    const struct wt_rows_block *b = wt_rows_translate(m, &shape, insn, first, count);
    if (b || !wt_rows_memory_used(m))
        return b;
    wt_paged_drop(&d->machine.code, (wt_code_handler)sm_run_block, m);
    return wt_rows_translate(m, &shape, insn, first, count);
}

/* Whether blocks have been dropped, since they were not for those who observe the machine now. */
static inline bool turns(struct sm_device *d)
{
    const bool observed = wt_paged_observed(&d->machine), drops = d->blocks->observed != observed;
    if (__builtin_expect(drops, false) && d->blocks->memory)
        wt_paged_drop(&d->machine.code, (wt_code_handler)sm_run_block, d->blocks->memory);
    d->blocks->observed = observed;
    return drops;
}

void sm_translate(struct sm_warp *w, struct sm_uop *slot)
{
    struct wt_rows_insn insn[WT_ROWS_MOST];
    struct sm_device *d = w->device;
    const size_t at = (size_t)(slot - w->code->uop);
    if (at >= SM_SLOTS || at % 4 == 0 || (d->blocks && d->blocks->warp))
        return;
    const struct sm_blocks *blocks = blocks_of(d);
    const uint32_t first = number_of(at);
    if (blocks)
        turns(d);
    size_t count = blocks && blocks->memory ? list(w, first, insn) : 0;
    if (blocks && blocks->observed)
        count = wt_rows_leave_observed(insn, count, 0);
    if (!wt_rows_leave_short(insn, count))
        return;
    const struct wt_rows_block *b = translate(d, insn, first, count);
    if (!b)
        return;
    d->blocks->translated.blocks++;
    d->has_unseen |= b->unseen != NULL;
    for (uint32_t i = 0; i < b->targets; i++)
        b->place[i] = ptx_order_of(d, address_of(w, b, b->target[i]));
    if (!holds(w->code))
        forget(w->code);
    w->code->uop[SM_SLOTS + SM_TAIL - 1].run = sm_run_block;
    for (uint32_t i = 0; i < b->count; i++) {
        struct sm_uop *u = &w->code->uop[slot_of(first + i)];
        if (insn[i].op == WT_ROWS_HANDLER)
            continue;
        u->run = sm_run_block;
        u->block = b;
        u->offset = (uint16_t)i;
    }
}

void sm_blocks_free(struct sm_device *d)
{
    if (d->blocks)
        wt_rows_memory_free(d->blocks->memory);
    free(d->blocks);
    d->blocks = NULL;
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
                                                  const struct wt_rows_block *block)
{
    struct wt_rows_state *s = &b->state;
    b->barred = w->depth != 0;
    b->patience = s->patience = ptx_plain_branches(w);
    if (!b->barred) {
        memset(s->barred, 0, sizeof s->barred);
        return;
    }
    const bool ordered = ptx_is_ordered(w->device);
    const uint64_t place = ptx_plain_end(w);
    const uint32_t end = ordered ? block->first : number_at(w, place);
    const uint32_t first = end < block->first ? 0 : end - block->first;
    for (uint32_t i = 0; i < sizeof s->barred; i += 8) {
        const uint32_t before = first < 8 * i ? 0 : first - 8 * i;
        wt_store_le(s->barred + i, before < 64 ? UINT64_MAX << before : 0, 8);
    }
    for (uint32_t i = 0; (w->hold || (ordered && place)) && i < block->targets; i++) {
        const uint32_t target = block->target[i];
        if (w->hold ? ptx_is_plain_target(w, address_of(w, block, target))
                    : block->place[i] < place)
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

/* What WT_ROWS_GIVEN gives of a warp. */
static inline void give(struct sm_blocks *b, const struct sm_warp *w)
{
    struct wt_rows_state *s = &b->state;
    if (__builtin_expect(!(b->known >> w->index & 1), false))
        number_threads(b, w->index);
    b->gave = true;
    s->given_rows = b->given[w->index][0];
    memcpy(s->given + FIRST_CTAID, w->cta->coordinate, sizeof w->cta->coordinate);
}

/* What stays the same for all blocks of a launch. */
static __attribute__((noinline)) void prepare_launch(struct sm_blocks *b, const struct sm_warp *w)
{
    struct sm_device *d = w->device;
    const struct sm_launch *l = &d->grid.launch;
    struct wt_rows_state *s = &b->state;
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
    b->state.group = w->cta->local;
    b->state.local = w->local;
    b->gave = false;
    d->prepared = w;
    if (!d->prepared_launch)
        prepare_launch(b, w);
}

const struct sm_uop *sm_run_block(struct sm_warp *w, const struct sm_uop *u)
{
    struct sm_device *d = w->device;
    struct sm_blocks *blocks = d->blocks;
    struct wt_rows_state *s = &blocks->state;
    const struct wt_rows_block *block = u->block;
    const uint64_t left = w->left;
    if (!d->prepared_launch && __builtin_expect(turns(d), false))
        return u->run(w, u);
    if (__builtin_expect(!holds(w->code), false)) {
        forget(w->code);
        return u->run(w, u);
    }
    if (!left || !w->mask || wt_observes_issue(&d->machine)) {
        wt_paged_leaves(&d->machine, &w->left);
        return u->ptx->run(w, u);
    }
    s->frame = ptx_frame(w);
    s->left = left + 1;
    s->mask = w->mask;
    if (w->fresh && !block->tells)
        ptx_settle(w, sm_pc_of(w, u));
    s->runs = w->runs;
    s->patience = UINT32_MAX;
    if (__builtin_expect(w->depth | blocks->barred, false))
        bar_targets(blocks, w, block);
    if (d->prepared != w)
        prepare(blocks, w);
    if (block->gives && !blocks->gave)
        give(blocks, w);
    blocks->warp = w;
    blocks->block = block;
    const uint32_t next = wt_rows_run(block, u->offset, s);
    blocks->warp = NULL;
    if (w->fresh && !w->ways)
        w->runs = s->runs;
    if (s->left > left) {
        wt_paged_leaves(&d->machine, &w->left);
        return u->ptx->run(w, u);
    }
    if (w->depth)
        ptx_took_branches(w, blocks->patience - s->patience);
    blocks->translated.issues += left + 1 - s->left;
    w->left = s->left;
    wt_paged_leaves(&d->machine, &w->left);
    if (next == WT_ROWS_GONE)
        return blocks->next;
    struct sm_uop *v = next < block->count ? record_of(w, block, next)
                                           : &w->code->uop[slot_of(block->first + next)];
    if (w->ways)
        keep_runs(w, s, v);
    if (next == block->count)
        sm_visit(w, v);
    if (!w->left || v->run != sm_run_block)
        return v;
    w->left--; /* what the code is left for is its handler's */
    d->executing = v;
    return v->ptx->run(w, v);
}

bool sm_run_unseen(struct sm_warp *w, struct sm_code *code)
{
    struct sm_device *d = w->device;
    struct sm_blocks *b = d->blocks;
    const uint64_t pc = w->pc, left = w->left;
    const struct sm_uop *u = &code->uop[(pc & WT_PAGE_MASK) / 8];
    if (!b || b->barred || !d->prepared_launch || !d->hidden || w->mask != UINT32_MAX ||
        (pc & ~WT_PAGE_MASK) != code->page.base || pc % 8 || !holds(code) || u->run != sm_run_block)
        return false;
    d->has_unseen = !u->offset && wt_rows_has_unseen(u->block);
    if (!d->has_unseen || left + 1 < u->block->unseen->longest)
        return false;
    ptx_take_rows(w);
#ifdef WT_CHECK_INVARIANTS
    memset(w->r + w->base, 0xa5, (w->rows - w->base) * sizeof *w->r);
#endif
    w->code = code;
    b->state.frame = ptx_frame(w);
    b->state.left = left + 1;
    b->state.mask = w->mask;
    prepare(b, w);
    if (u->block->gives)
        give(b, w);
    b->warp = w;
    b->block = u->block;
    const uint32_t next = wt_rows_run_unseen(u->block, &b->state);
    b->warp = NULL;
    if (next == WT_ROWS_AGAIN)
        return false;
    b->translated.issues += left + 1 - b->state.left;
    b->translated.unseen += left + 1 - b->state.left;
    w->left = b->state.left - 1;
    u = record_of(w, u->block, next);
    d->executing = u;
    u->ptx->run(w, u);
    return true;
}

uint64_t sm_piece(struct wt_machine *m, uint32_t wave, uint64_t pc, struct wt_observed_piece *piece)
{
    const struct sm_code *code = (const struct sm_code *)wt_code_find(&m->code, pc);
    const struct sm_uop *u = code ? &code->uop[(pc & WT_PAGE_MASK) / 8] : NULL;
    if (!u || pc % 8 || !holds(code) || u->run != sm_run_block ||
        !((const struct sm_device *)m)->blocks->observed)
        return 0;
    const struct wt_rows_block *block = u->block;
    if (piece)
        wt_paged_begin_piece(block, piece);
    for (uint32_t i = 0; piece && i < block->count; i++)
        piece->pc[i] = code->page.base + 8 * slot_of(block->first + i);
    return block->number;
}

void sm_blocks_lost(struct sm_warp *w)
{
    struct sm_blocks *b = w->device->blocks;
    if (!b || b->warp != w)
        return;
    b->warp = NULL;
    const struct sm_uop *u = record_of(w, b->block, b->state.at);
    keep_runs(w, &b->state, u);
    w->left = b->state.left;
    w->device->executing = u;
}

struct wt_rows_totals sm_device_translated(const struct sm_device *d)
{
    struct wt_rows_totals t = {0};
    if (!d->blocks)
        return t;
    t = d->blocks->translated;
    t.bytes = d->blocks->memory ? wt_rows_memory_used(d->blocks->memory) : 0;
    return t;
}
