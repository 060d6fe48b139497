/*
 * Translated code (emulator/translate/rows.h). From a record on that turns and jumps come to often,
 * all records up to the end of the page or of the code that is known to follow are a block; those
 * that are the code's own get the handler gcn_run_block, and so do those that it calls; the others
 * keep theirs, and the code is left before them. The handlers decide what an instruction does; the
 * code does the same.
 */
#include <stdlib.h>

#include "emulator/gcn/know/block.h"
#include "emulator/machine/meaning.h"
#include "emulator/gcn/exec/fp.h"
#include "emulator/gcn/watch.h"
#include "emulator/translate/pages.h"

enum { CODE_BYTES = 8 << 20 };

struct block {
    struct wt_paged_block is;
    bool floats;              /* its code raises exceptions of the host */
    bool doubles;             /* of doubles, too */
    bool shares;              /* it accesses the group's memory */
    uint16_t rows[GCN_FILES]; /* that a wave must have for it */
};

struct gcn_blocks {
    struct wt_paged all;
    struct wt_rows_state state;
    struct gcn_wave *wave;        /* that executes code; NULL: none */
    const struct block *executed; /* the code */
    uint32_t mode;                /* of the wave, while it does */
    const struct gcn_uop *next;   /* behind a called handler that does not go on in the code */
};

/* Modes in which handlers execute everything. */
#define SPECIAL_MODES (GCN_MODE_GPR_IDX_EN | GCN_MODE_VSKIP | GCN_MODE_EXCP_EN)

/* ---- a page's blocks ---- */

/* See pages.h: whether no record of the page has been forgotten since it was translated. */
static inline bool holds(const struct gcn_code *code)
{
    return code->uop[GCN_SLOTS + GCN_TAIL - 1].run == gcn_run_block;
}

static void forget(struct gcn_code *code)
{
    wt_paged_forget(&gcn_code_format, &code->page, (wt_code_handler)gcn_run_block);
}

static inline struct block *block_of(const struct gcn_code *code, const struct gcn_uop *u)
{
    return (struct block *)code->blocks->entry[u - code->uop].block;
}

/* The handler of a record that has code. */
static inline gcn_op handler_of(const struct gcn_code *code, const struct gcn_uop *u)
{
    return (gcn_op)code->blocks->entry[u - code->uop].run;
}

/* Whether the code leads on from an instruction to the next one. */
static bool leads_on(const struct gcn_uop *u)
{
    const uint8_t *condition = wt_meaning_jump(u->row->meaning);
    return !condition || *condition != WT_M_K;
}

/* Lists the instructions from a record on, and branches' targets among them. Behind a jump the list
 * goes on if a branch leads there, or beyond. *before becomes the first record that one leads to.
 */
static size_t list(struct gcn_wave *w, uint16_t first, struct wt_rows_insn *insn,
                   struct block *block, uint16_t *before)
{
    int32_t target[WT_ROWS_MOST], farthest = 0;
    size_t slot = first, count = 0;
    *block = (struct block){.floats = false};
    *before = first;
    for (; slot < GCN_SLOTS && count < WT_ROWS_MOST; count++) {
        struct gcn_uop *u = &w->code->uop[slot];
        const bool decoded = u->run != (gcn_op)gcn_code_format.undecoded;
        if (!(decoded || gcn_decode_record(w, u)) || !u->row || u->run != gcn_handler_of(u))
            break; /* it is nothing, or more than its handler */
        target[count] = INT32_MAX;
        if (!gcn_block_insn(w, u, &insn[count], block->rows))
            insn[count] = (struct wt_rows_insn){.op = u->row->encoding == GCN_SOPP ? WT_ROWS_HANDLER
                                                                                   : WT_ROWS_CALL};
        else if (insn[count].op == WT_ROWS_BRANCH || insn[count].op == WT_ROWS_BRANCH_WHEN)
            target[count] = (int32_t)slot + 1 + u->imm;
        block->floats |= insn[count].raises;
        block->doubles |= insn[count].raises && insn[count].wide;
        block->shares |= insn[count].space == WT_ROWS_GROUP || insn[count].windowed;
        block->is.slot[count] = (uint16_t)slot;
        if (target[count] < (int32_t)GCN_SLOTS && target[count] > farthest)
            farthest = target[count];
        if (target[count] >= 0 && target[count] < *before)
            *before = (uint16_t)target[count];
        slot += u->length;
        if (!leads_on(u) && farthest < (int32_t)slot) {
            count++;
            break;
        }
    }
    block->is.slot[count] = (uint16_t)slot;
    for (size_t i = 0; i < count; i++) {
        insn[i].target = WT_ROWS_ELSEWHERE;
        for (uint32_t k = 0; k < count; k++)
            if (block->is.slot[k] == target[i])
                insn[i].target = k;
    }
    return count;
}

/* Lists the instructions from a record on, and those of the loop that it is in: turns begin in
 * loops, too. *first becomes where the list begins. */
static size_t list_loop(struct gcn_wave *w, uint16_t *first, struct wt_rows_insn *insn,
                        struct block *block)
{
    const uint16_t visited = *first;
    uint16_t before, none;
    size_t count = list(w, visited, insn, block, &before);
    if (before == visited)
        return count;
    count = list(w, *first = before, insn, block, &none);
    for (size_t i = 0; i < count; i++)
        if (block->is.slot[i] == visited)
            return count;
    return list(w, *first = visited, insn, block, &none);
}

/* ---- execution ---- */

/* The host's exception flags belong to the wave from here on. */
static void begin_floats(struct gcn_blocks *b, struct gcn_wave *w)
{
    b->state.guard = !gcn_fp_host(w, true) || (b->executed->doubles && !gcn_fp_host(w, false));
    gcn_fp_begin(w);
}

/* Calls the handler of a record of the block that is executed. */
static bool call_handler(struct wt_rows_state *s)
{
    struct gcn_blocks *b = (struct gcn_blocks *)((char *)s - offsetof(struct gcn_blocks, state));
    struct gcn_wave *w = b->wave;
    struct gcn_code *code = w->code;
    const struct gcn_uop *u = &code->uop[b->executed->is.slot[s->at]];
    struct wt_machine *m = &w->device->machine;
    if (wt_paged_halts(m, s)) {
        b->next = u;
        return false;
    }
    if (b->executed->floats)
        gcn_fp_end(w);
    w->left = s->left;
    b->next = handler_of(code, u)(w, u);
    wt_paged_called(m, &w->left);
    s->left = w->left;
    b->all.totals.issues--; /* it is the handler's */
    if (b->executed->floats)
        begin_floats(b, w);
    return b->next == gcn_next(u) && w->left && holds(code) && b->next->run == gcn_run_block &&
           block_of(code, b->next) == b->executed && gcn_exec(w) == s->mask && w->mode == b->mode;
}

static struct gcn_blocks *blocks_of(struct gcn_device *d)
{
    struct gcn_blocks *b = d->blocks;
    if (b || !(b = d->blocks = calloc(1, sizeof *b)))
        return b;
    if (wt_rows_supported())
        b->all.memory = wt_rows_memory_new(CODE_BYTES);
    b->state.tlb = &d->machine.tlb;
    b->state.call = call_handler;
    return b;
}

void gcn_blocks_free(struct gcn_device *d)
{
    if (d->blocks)
        wt_paged_free(&d->blocks->all);
    free(d->blocks);
    d->blocks = NULL;
}

void gcn_translate(struct gcn_wave *w, const struct gcn_uop *u)
{
    const struct wt_rows_shape shape = {
        .lanes = GCN_LANES,
        .scalars = true,
        .vectors_512 = gcn_block_has_512(w->device),
        .window = {GCN_SHARED_APERTURE},
        .condition = offsetof(struct gcn_wave, scc),
        .exceptions = offsetof(struct gcn_wave, trapsts),
        .mask = offsetof(struct gcn_wave, s) + sizeof(uint32_t) * GCN_EXEC,
    };
    struct wt_rows_insn insn[WT_ROWS_MOST];
    struct gcn_code *code = w->code;
    struct gcn_blocks *b = blocks_of(w->device);
    uint16_t first = (uint16_t)(u - code->uop);
    if (first >= GCN_SLOTS || !b || !b->all.memory || b->wave)
        return;
    if (!code->blocks)
        code->blocks = wt_paged_page(&b->all, &gcn_code_format, code->page.base);
    struct block *block = code->blocks ? calloc(1, sizeof *block) : NULL;
    if (!block)
        return;
    wt_paged_turns(&b->all, &w->device->machine, (wt_code_handler)gcn_run_block);
    if (!holds(code))
        forget(code);
    size_t count = list_loop(w, &first, insn, block), from = 0;
    while (b->all.observed && block->is.slot[from] != (uint16_t)(u - code->uop))
        from++;
    if (b->all.observed)
        count = wt_rows_leave_observed(insn, count, from);
    wt_paged_add(&b->all, &w->device->machine.code, (wt_code_handler)gcn_run_block, &code->page,
                 code->blocks, &shape, &block->is, insn, first, count);
}

/* Runs code; the record that is next, or NULL. Then *stays says whether the code was left before
 * that, which its handler must execute. */
static const struct gcn_uop *run(struct gcn_blocks *b, struct gcn_wave *w, const struct gcn_uop *u,
                                 bool *stays)
{
    struct gcn_code *code = w->code;
    struct wt_rows_state *s = &b->state;
    const struct block *block = block_of(code, u);
    const uint64_t left = w->left;
    s->frame = (uint8_t *)w->v;
    s->scalars = (uint8_t *)w;
    s->left = left + 1;
    s->mask = gcn_exec(w);
    if (block->shares) {
        s->group = w->group->local;
        wt_paged_open_group(s, &w->device->machine, w->group->local_size);
    }
    b->wave = w;
    b->executed = block;
    b->mode = w->mode;
    if (block->floats)
        begin_floats(b, w);
    const uint32_t next = wt_rows_run(block->is.rows, code->blocks->entry[u - code->uop].number, s);
    b->wave = NULL;
    if (block->floats)
        gcn_fp_end(w);
    *stays = true;
    if (s->left > left) {
        wt_paged_leaves(&w->device->machine, &w->left);
        return u;
    }
    b->all.totals.issues += left + 1 - s->left;
    w->left = s->left;
    wt_paged_leaves(&w->device->machine, &w->left);
    if (next == WT_ROWS_GONE) {
        *stays = false;
        return b->next;
    }
    const struct gcn_uop *v = &code->uop[block->is.slot[next]];
    const bool ended = next == block->is.rows->count;
    if (ended && block->is.slot[next] < GCN_SLOTS)
        gcn_visit(w, v);
    *stays = !ended && w->left && v->run == gcn_run_block && holds(code);
    w->left -= *stays;
    return v;
}

const struct gcn_uop *gcn_run_block(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct gcn_code *code = w->code;
    if (wt_paged_turns(&w->device->blocks->all, &w->device->machine,
                       (wt_code_handler)gcn_run_block))
        return u->run(w, u);
    if (__builtin_expect(!holds(code), false)) {
        forget(code);
        return u->run(w, u);
    }
    if (!w->left || w->mode & SPECIAL_MODES || wt_observes_issue(&w->device->machine) ||
        block_of(code, u)->rows[0] > w->vgprs || block_of(code, u)->rows[1] > w->agprs) {
        wt_paged_leaves(&w->device->machine, &w->left);
        return handler_of(code, u)(w, u);
    }
    bool stays;
    const struct gcn_uop *next = run(w->device->blocks, w, u, &stays);
    return stays ? handler_of(code, next)(w, next) : next;
}

uint64_t gcn_piece(struct wt_machine *m, uint32_t wave, uint64_t pc,
                   struct wt_observed_piece *piece)
{
    const struct gcn_blocks *b = ((const struct gcn_device *)m)->blocks;
    return wt_paged_piece(b ? &b->all : NULL, &m->code, (wt_code_handler)gcn_run_block, pc, piece);
}

struct wt_rows_totals gcn_device_translated(const struct gcn_device *d)
{
    return wt_paged_totals(d->blocks ? &d->blocks->all : NULL);
}
