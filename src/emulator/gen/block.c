/*
 * Translated code (emulator/translate/blocks.h). All records up to the end of the page or of the
 * thread are a block.
 *
 * Channels that wait for the thread to come to their IP execute from there on: the code is left
 * before that, and jumps back to no code with such a place. Behind a branch that not all channels
 * take, its handler has been before.
 */
#include <string.h>

#include "emulator/gen/block.h"
#include "emulator/gen/vectors.h"
#include "emulator/translate/blocks.h"

struct gen_block {
    struct wt_paged_block is;
    uint16_t branch[WT_ROWS_MOST]; /* branch of each: the next branch of the code from it on */
    uint16_t target[WT_ROWS_MOST]; /* target of branches */
    struct gen_block_message message[WT_ROWS_MOST];
    unsigned windows;             /* that its code has */
    uint8_t bti[WT_ROWS_WINDOWS]; /* bti of each */
    bool doubles;                 /* it computes with them */
    bool shares;                  /* it accesses the group's memory, or has a barrier */
    bool accesses;                /* windows, it did so last */
};

struct gen_blocks {
    struct wt_paged all;
    struct gen_thread *thread; /* that executes code */
    uint64_t kept;             /* issues of the turn that are not for the code */
    struct gen_known_surfaces known;
};

static size_t list(void *thread, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *block);
static void find_branches(struct wt_paged_block *is, struct wt_rows_insn *insn, size_t count);
static bool call_handler(struct wt_rows_state *s);

static const struct wt_paged_kind kind = {
    .format = &gen_code_format,
    .first = offsetof(struct gen_code, uop),
    .record = sizeof(struct gen_uop),
    .witness = GEN_SLOTS + GEN_TAIL - 1,
    .run = (wt_code_handler)gen_run_block,
    .code_bytes = 8 << 20,
    .block_bytes = sizeof(struct gen_block),
    .bytes = sizeof(struct gen_blocks),
    .page = offsetof(struct gen_code, blocks),
    .loops = true,
    .list = list,
    .listed = find_branches,
    .call = call_handler,
};

static inline struct gen_block *block_of(const struct gen_code *code, const struct gen_uop *u)
{
    return (struct gen_block *)code->blocks->entry[u - code->uop].block;
}

/* The handler of a record that has code. */
static inline gen_op handler_of(const struct gen_code *code, const struct gen_uop *u)
{
    return (gen_op)code->blocks->entry[u - code->uop].run;
}

/* Finds the branch that comes next. One that leads out of the list is left to its handler. */
static void find_branches(struct wt_paged_block *is, struct wt_rows_insn *insn, size_t count)
{
    struct gen_block *block = (struct gen_block *)is;
    uint16_t next = UINT16_MAX;
    for (size_t i = count; i-- > 0;) {
        if (insn[i].op == WT_ROWS_BRANCH && insn[i].branch.target == WT_ROWS_ELSEWHERE)
            insn[i].op = WT_ROWS_HANDLER;
        if (insn[i].op == WT_ROWS_BRANCH) {
            next = (uint16_t)i;
            block->target[i] = (uint16_t)insn[i].branch.target;
        }
        block->branch[i] = next;
    }
}

/* Chooses a window for the surface of a message. */
static void choose_window(struct gen_block *block, struct gen_block_message *x)
{
    unsigned i = 0;
    while (i < block->windows && block->bti[i] != x->bti)
        i++;
    x->window = (uint8_t)i;
    if (i == block->windows && i < WT_ROWS_WINDOWS)
        block->bti[block->windows++] = x->bti;
}

/* A message as the code has it, where it is so simple. */
static void take_message(struct gen_block *block, const struct gen_uop *u,
                         struct gen_block_message *x, struct wt_rows_insn *insn)
{
    struct wt_rows_insn access;
    gen_block_message(u, x);
    if (x->windowed)
        choose_window(block, x);
    if (x->barrier)
        insn->op = WT_ROWS_ARRIVE;
    block->shares |= x->barrier;
    if (!gen_block_access(u, x, &access)) {
        if (insn->op == WT_ROWS_CALL)
            insn->how = x->lanes && x->bytes < 4;
        return;
    }
    *insn = access;
    block->shares |= access.access.space == WT_ROWS_GROUP;
}

/* Lists the instructions from a record on. */
static size_t list(void *thread, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *is)
{
    struct gen_thread *t = thread;
    struct gen_block *block = (struct gen_block *)is;
    size_t slot = first, count = 0;
    bool ends = false;
    for (; slot < GEN_SLOTS && count < WT_ROWS_MOST && !ends; count++) {
        struct gen_uop *u = &t->code->uop[slot];
        const bool decoded = u->run != (gen_op)gen_code_format.undecoded;
        int32_t jumps = 0;
        if (!(decoded || gen_decode_record(t, u)) || !u->real || u->run != u->real)
            break; /* it is nothing, or more than its handler */
        gen_block_insn(u, &insn[count], &jumps);
        take_message(block, u, &block->message[count], &insn[count]);
        block->doubles |= insn[count].wide && insn[count].guarded;
        target[count] = (int32_t)slot + jumps / GEN_GRANULE;
        is->slot[count] = (uint16_t)slot;
        slot += u->granules;
        ends = u->run == gen_op_send && u->insn.exdesc >> 5 & 1;
    }
    is->slot[count] = (uint16_t)slot;
    return count;
}

/* ---- execution ---- */

static void settle(struct gen_blocks *b, const struct gen_thread *t)
{
    const struct gen_block *block = (const struct gen_block *)b->all.executed;
    const uint32_t keep = GEN_CR0_KEEP_F | (block->doubles ? GEN_CR0_KEEP_DF : 0);
    b->all.state.guard = (t->g->cr[0] & (GEN_CR0_ROUNDING | keep)) != keep;
}

/* Calls the handler of a record of the block that is executed. */
static bool call_handler(struct wt_rows_state *s)
{
    struct gen_blocks *b =
        (struct gen_blocks *)((char *)s - offsetof(struct gen_blocks, all.state));
    struct gen_thread *t = b->thread;
    const struct gen_block *block = (const struct gen_block *)b->all.executed;
    struct gen_code *code = t->code;
    const struct gen_uop *u = &code->uop[block->is.slot[s->at]], *next;
    const uint64_t left = s->left + b->kept;
    const struct gen_block_message *x = &block->message[s->at];
    struct wt_machine *m = &t->device->machine;
    if (wt_paged_halts(&b->all, m, u, b->kept, &t->left))
        return false;
    t->left = left;
    if (x->lanes && !b->all.observed && gen_access_dwords(t, u, x, &b->known, s))
        return true;
    if (x->barrier && gen_walk_of(t)->walk.barrier) {
        gen_barrier(t, gen_pc_of(t, u));
        return true;
    }
    b->all.totals.issues--; /* it is the handler's */
    if (x->lanes && b->all.observed && gen_tell_dwords(t, u, x, &b->known, s)) {
        next = gen_next(u);
    } else {
        if (!u->alu && !x->reads)
            gen_close_windows(s);
        next = handler_of(code, u)(t, u);
    }
    b->all.next = next;
    wt_paged_called(m, &t->left);
    if (next != gen_next(u) || t->left != left || !s->left ||
        !wt_paged_goes_on(&b->all, &kind, &code->page, (size_t)(next - code->uop)) ||
        t->mask != s->mask || t->suppresses)
        return false;
    settle(b, t);
    return true;
}

const struct gen_uop *gen_blocks_lost(struct gen_device *d)
{
    struct gen_blocks *b = (struct gen_blocks *)d->blocks;
    const struct wt_paged_block *block = b ? b->all.executed : NULL;
    const struct gen_uop *u = d->sending;
    d->sending = NULL;
    if (block)
        b->all.executed = NULL;
    if (u || !block)
        return u;
    b->thread->left = b->all.state.left + b->kept;
    return &b->thread->code->uop[block->slot[b->all.state.at]];
}

void gen_blocks_free(struct gen_device *d)
{
    wt_paged_free(&d->blocks);
}

void gen_translate(struct gen_thread *t, const struct gen_uop *u)
{
    static const struct wt_rows_shape shape = {.lanes = GEN_CHANNELS, .regions = true};
    struct gen_device *d = t->device;
    if (!d->blocks)
        d->blocks = wt_paged_new(&kind, &d->machine, true);
    wt_paged_translate(d->blocks, &kind, &d->machine, t, &t->code->page,
                       (uint16_t)(u - t->code->uop), &shape);
}

/* The channels, of those given, that wait for the same IP as the first of them. */
static QUICK uint32_t companions(const struct gen_thread *t, uint32_t channels)
{
    const uint32_t ip = t->wake[__builtin_ctz(channels)];
    vector_ud same[GEN_CHANNELS / LANES];
    for (unsigned k = 0; k < GEN_CHANNELS / LANES; k++)
        same[k] = (vector_ud)(*(const vector_at *)(t->wake + LANES * k) == ip);
    return gather_bits(same, GEN_CHANNELS / LANES) & channels;
}

/* Channels wait for their IPs: limits the code that is entered at instruction `first`. */
static void attend_waiting(struct gen_blocks *b, const struct gen_thread *t,
                           const struct gen_block *block, uint32_t first)
{
    const struct gen_code *code = t->code;
    const uint32_t branch = block->branch[first];
    for (uint32_t channels = t->waiting; channels; channels &= ~companions(t, channels)) {
        const uint64_t pc = t->base + t->wake[__builtin_ctz(channels)];
        const size_t slot = (pc & WT_PAGE_MASK) / GEN_GRANULE;
        if ((pc & ~WT_PAGE_MASK) != code->page.base ||
            code->blocks->entry[slot].block != &block->is)
            continue;
        const uint32_t at = code->blocks->entry[slot].number;
        if (at > first && at <= branch) {
            if (at - first < b->all.state.left)
                b->all.state.left = at - first;
        } else if (at <= first && branch < block->is.rows->count && at >= block->target[branch]) {
            b->all.state.barred[block->target[branch] / 8] |=
                (uint8_t)(1 << block->target[branch] % 8);
        }
    }
}

/* Lets code access the memory that it is for. */
static void open_memory(struct gen_blocks *b, struct gen_thread *t, const struct gen_uop *u,
                        const struct gen_block *block)
{
    struct wt_rows_state *s = &b->all.state;
    if (b->known.open)
        gen_close_windows(s);
    b->known.open = false;
    for (unsigned i = 0; i < block->windows && block->accesses && !b->all.observed; i++)
        gen_open_window(t, u, block->bti[i], i, &b->known, s);
    if (!block->shares)
        return;
    s->arrived = &t->group->arrived;
    s->last = gen_walk_of(t)->walk.barrier ? t->group->waves : 0;
    s->group = t->group->local;
    wt_paged_open_group(s, &t->device->machine, t->group->local_size);
}

/* Runs code; the record that is next, or NULL. Then *stays says whether the code was left before
 * that, which its handler must execute. */
static const struct gen_uop *execute(struct gen_blocks *b, struct gen_thread *t,
                                     const struct gen_uop *u, bool *stays)
{
    struct gen_code *code = t->code;
    struct wt_rows_state *s = &b->all.state;
    struct gen_block *block = block_of(code, u);
    const uint32_t first = code->blocks->entry[u - code->uop].number;
    struct wt_paged_run run = wt_paged_begin(&b->all, &kind, &code->page, &block->is, t->left);
    s->frame = (uint8_t *)t->g;
    s->mask = t->mask;
    memset(s->barred, 0, sizeof s->barred);
    if (t->waiting)
        attend_waiting(b, t, block, first);
    b->kept = run.kept = run.entered - s->left;
    run.entered = s->left;
    b->thread = t;
    s->at = WT_ROWS_MOST;
    open_memory(b, t, u, block);
    settle(b, t);
    const uint32_t next = wt_rows_run(block->is.rows, first, s);
    block->accesses = s->at != WT_ROWS_MOST && block->message[s->at].windowed;
    const enum wt_paged_end end = wt_paged_ended(&b->all, run, &t->device->machine, next,
                                                 s->left == run.entered && next == first, &t->left);
    *stays = end == WT_PAGED_NOWHERE || end == WT_PAGED_STAYS;
    if (end == WT_PAGED_NOWHERE)
        return u;
    if (end == WT_PAGED_GONE)
        return b->all.next;
    const struct gen_uop *v = &code->uop[block->is.slot[next]];
    if (end == WT_PAGED_BEHIND && block->is.slot[next] < GEN_SLOTS)
        gen_visit(t, v);
    return v;
}

const struct gen_uop *gen_run_block(struct gen_thread *t, const struct gen_uop *u)
{
    struct gen_code *code = t->code;
    struct gen_blocks *b = (struct gen_blocks *)t->device->blocks;
    if (!wt_paged_enters(&b->all, &kind, &t->device->machine, &code->page))
        return u->run(t, u);
    if (!t->left || !t->mask || t->suppresses || b->all.executed ||
        wt_observes_issue(&t->device->machine)) {
        wt_paged_leaves(&t->device->machine, &t->left);
        return handler_of(code, u)(t, u);
    }
    bool stays;
    const struct gen_uop *next = execute(b, t, u, &stays);
    return stays ? handler_of(code, next)(t, next) : next;
}

uint64_t gen_piece(struct wt_machine *m, uint32_t wave, uint64_t pc,
                   struct wt_observed_piece *piece)
{
    return wt_paged_piece(((const struct gen_device *)m)->blocks, &kind, &m->code, pc, piece);
}

struct wt_rows_totals gen_device_translated(const struct gen_device *d)
{
    return wt_paged_totals(d->blocks);
}
