/* Translated code (emulator/translate/blocks.h). All records up to the end of the page, or of the
 * code that is known to follow, are a block. */
#include "emulator/gcn/know/block.h"
#include "emulator/machine/meaning.h"
#include "emulator/gcn/exec/fp.h"
#include "emulator/translate/blocks.h"

struct block {
    struct wt_paged_block is;
    bool floats;              /* its code raises exceptions of the host */
    bool doubles;             /* its floats are doubles, too */
    bool shares;              /* it accesses the group's memory */
    bool pairs;               /* some of its records are two instructions */
    uint16_t rows[GCN_FILES]; /* that a wave must have for it */
};

struct gcn_blocks {
    struct wt_paged all;
    struct gcn_wave *wave; /* that executes code */
    uint32_t mode;         /* the wave's MODE, meanwhile */
};

/* Modes in which handlers execute everything. */
#define SPECIAL_MODES (GCN_MODE_GPR_IDX_EN | GCN_MODE_VSKIP | GCN_MODE_EXCP_EN)

static size_t list(void *wave, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *block);
static bool call_handler(struct wt_rows_state *s);

static const struct wt_paged_kind kind = {
    .format = &gcn_code_format,
    .first = offsetof(struct gcn_code, uop),
    .record = sizeof(struct gcn_uop),
    .witness = GCN_SLOTS + GCN_TAIL - 1,
    .run = (wt_code_handler)gcn_run_block,
    .code_bytes = 8 << 20,
    .block_bytes = sizeof(struct block),
    .bytes = sizeof(struct gcn_blocks),
    .page = offsetof(struct gcn_code, blocks),
    .loops = true,
    .list = list,
    .call = call_handler,
};

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

/* Lists the instructions from a record on. Behind a jump the list goes on if a branch leads there,
 * or beyond. */
static size_t list(void *wave, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *is)
{
    struct gcn_wave *w = wave;
    struct block *block = (struct block *)is;
    int32_t farthest = 0;
    size_t slot = first, count = 0;
    for (bool on = true; slot < GCN_SLOTS && count < WT_ROWS_MOST && on; count++) {
        struct gcn_uop *u = &w->code->uop[slot];
        const bool decoded = u->run != (gcn_op)gcn_code_format.undecoded;
        if (!(decoded || gcn_decode_record(w, u)) || !u->row || u->run != gcn_handler_of(u))
            break; /* it is nothing, or more than its handler */
        struct wt_rows_insn *n = &insn[count];
        target[count] = INT32_MAX;
        const bool pair = count + 1 < WT_ROWS_MOST && gcn_block_pair(w, u, n, block->rows);
        if (!pair && !gcn_block_insn(w, u, n, block->rows))
            *n = (struct wt_rows_insn){.op = u->row->encoding == GCN_SOPP ? WT_ROWS_HANDLER
                                                                          : WT_ROWS_CALL};
        else if (n->op == WT_ROWS_BRANCH || n->op == WT_ROWS_BRANCH_WHEN)
            target[count] = (int32_t)slot + 1 + u->imm;
        else if (n->op == WT_ROWS_LOAD || n->op == WT_ROWS_STORE)
            block->shares |= n->access.space == WT_ROWS_GROUP || n->access.windowed;
        block->floats |= n->raises;
        block->doubles |= n->raises && n->wide;
        is->slot[count] = (uint16_t)slot;
        block->pairs |= pair;
        if (pair) { /* in the place of the instruction's second dword, where none begins */
            is->slot[++count] = (uint16_t)(slot + 1);
            target[count] = INT32_MAX;
        }
        if (target[count] < (int32_t)GCN_SLOTS && target[count] > farthest)
            farthest = target[count];
        slot += u->length;
        on = leads_on(u) || farthest >= (int32_t)slot;
    }
    is->slot[count] = (uint16_t)slot;
    return count;
}

/* ---- execution ---- */

/* The host's exception flags belong to the wave from here on. */
static void begin_floats(struct gcn_blocks *b, struct gcn_wave *w)
{
    const struct block *block = (const struct block *)b->all.executed;
    b->all.state.guard = !gcn_fp_host(w, true) || (block->doubles && !gcn_fp_host(w, false));
    gcn_fp_begin(w);
}

/* Whether an instruction of a block is the second one of a record. */
static bool is_rest(const struct gcn_code *code, const struct block *block, uint32_t at)
{
    const uint16_t *slot = block->is.slot;
    return block->pairs && at && slot[at] < slot[at - 1] + code->uop[slot[at - 1]].length;
}

/* Calls the handler of a record of the block that is executed. */
static bool call_handler(struct wt_rows_state *s)
{
    struct gcn_blocks *b =
        (struct gcn_blocks *)((char *)s - offsetof(struct gcn_blocks, all.state));
    struct gcn_wave *w = b->wave;
    struct gcn_code *code = w->code;
    const struct block *block = (const struct block *)b->all.executed;
    const bool rest = is_rest(code, block, s->at);
    const struct gcn_uop *u = &code->uop[block->is.slot[s->at - rest]], *next;
    struct wt_machine *m = &w->device->machine;
    if (!rest && wt_paged_halts(&b->all, m, u, 0, &w->left))
        return false;
    if (block->floats)
        gcn_fp_end(w);
    w->left = s->left;
    next = rest ? gcn_block_run_rest(w, u) : handler_of(code, u)(w, u);
    b->all.next = next;
    wt_paged_called(m, &w->left);
    s->left = w->left;
    b->all.totals.issues -= !rest; /* it is the handler's */
    if (block->floats)
        begin_floats(b, w);
    return next == gcn_next(u) && w->left &&
           wt_paged_goes_on(&b->all, &kind, &code->page, (size_t)(next - code->uop)) &&
           gcn_exec(w) == s->mask && w->mode == b->mode;
}

void gcn_blocks_free(struct gcn_device *d)
{
    wt_paged_free(&d->blocks);
}

void gcn_translate(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct gcn_device *d = w->device;
    const struct wt_rows_shape shape = {
        .lanes = GCN_LANES,
        .scalars = true,
        .vectors_512 = gcn_block_has_512(d),
        .window = {GCN_SHARED_APERTURE},
        .condition = offsetof(struct gcn_wave, scc),
        .exceptions = offsetof(struct gcn_wave, trapsts),
        .mask = offsetof(struct gcn_wave, s) + sizeof(uint32_t) * GCN_EXEC,
    };
    if (gcn_is_gfx10(gcn_model_of(d))) /* handlers execute all of it */
        return;
    if (!d->blocks)
        d->blocks = wt_paged_new(&kind, &d->machine, true);
    wt_paged_translate(d->blocks, &kind, &d->machine, w, &w->code->page,
                       (uint16_t)(u - w->code->uop), &shape);
}

/* Runs code; the record that is next, or NULL. Then *stays says whether the code was left before
 * that, which its handler must execute. */
static const struct gcn_uop *execute(struct gcn_blocks *b, struct gcn_wave *w,
                                     const struct gcn_uop *u, bool *stays)
{
    struct gcn_code *code = w->code;
    struct wt_rows_state *s = &b->all.state;
    struct wt_machine *m = &w->device->machine;
    const struct block *block = block_of(code, u);
    const struct wt_paged_run run =
        wt_paged_begin(&b->all, &kind, &code->page, &block->is, w->left);
    s->frame = (uint8_t *)w->v;
    s->scalars = (uint8_t *)w;
    s->mask = gcn_exec(w);
    if (block->shares) {
        s->group = w->group->local;
        wt_paged_open_group(s, m, w->group->local_size);
    }
    b->wave = w;
    b->mode = w->mode;
    if (block->floats)
        begin_floats(b, w);
    const uint32_t next = wt_rows_run(block->is.rows, code->blocks->entry[u - code->uop].number, s);
    if (block->floats)
        gcn_fp_end(w);
    const enum wt_paged_end end =
        wt_paged_ended(&b->all, run, m, next, s->left == run.entered, &w->left);
    *stays = end == WT_PAGED_NOWHERE || end == WT_PAGED_STAYS;
    if (end == WT_PAGED_NOWHERE)
        return u;
    if (end == WT_PAGED_GONE)
        return b->all.next;
    const struct gcn_uop *v = &code->uop[block->is.slot[next]];
    if (end == WT_PAGED_BEHIND && block->is.slot[next] < GCN_SLOTS)
        gcn_visit(w, v);
    return v;
}

const struct gcn_uop *gcn_run_block(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct gcn_code *code = w->code;
    if (!wt_paged_enters(w->device->blocks, &kind, &w->device->machine, &code->page))
        return u->run(w, u);
    if (!w->left || w->mode & SPECIAL_MODES || wt_observes_issue(&w->device->machine) ||
        block_of(code, u)->rows[0] > w->vgprs || block_of(code, u)->rows[1] > w->agprs) {
        wt_paged_leaves(&w->device->machine, &w->left);
        return handler_of(code, u)(w, u);
    }
    bool stays;
    const struct gcn_uop *next = execute((struct gcn_blocks *)w->device->blocks, w, u, &stays);
    return stays ? handler_of(code, next)(w, next) : next;
}

uint64_t gcn_piece(struct wt_machine *m, uint32_t wave, uint64_t pc,
                   struct wt_observed_piece *piece)
{
    return wt_paged_piece(((const struct gcn_device *)m)->blocks, &kind, &m->code, pc, piece);
}

struct wt_rows_totals gcn_device_translated(const struct gcn_device *d)
{
    return wt_paged_totals(d->blocks);
}
