/*
 * Translated code (emulator/translate/rows.h). From a record on that turns and jumps come to often,
 * all records up to the end of the page or of the thread are a block; those that are the code's own
 * get the handler gen_run_block, and so do those that it calls; the others keep theirs, and the
 * code is left before them. The handlers decide what an instruction does; the code does the same.
 *
 * Channels that wait for the thread to come to their IP execute from there on: the code is left
 * before that, and jumps back to no code with such a place. Behind a branch that not all channels
 * take, its handler has been before.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/gen/block.h"
#include "emulator/gen/message.h"
#include "emulator/gen/vectors.h"
#include "emulator/machine/watch_set.h"
#include "emulator/translate/pages.h"

enum { CODE_BYTES = 8 << 20 };

struct block {
    struct wt_paged_block is;
    uint16_t branch[WT_ROWS_MOST]; /* of each: the next branch of the code from it on */
    uint16_t target[WT_ROWS_MOST]; /* of branches */
    struct gen_block_message message[WT_ROWS_MOST];
    unsigned windows;             /* that its code has */
    uint8_t bti[WT_ROWS_WINDOWS]; /* of each */
    bool doubles;                 /* it computes with them */
    bool shares;                  /* it accesses the group's memory, or has a barrier */
    bool accesses;                /* windows, it did so last */
};

struct gen_blocks {
    struct wt_paged all;
    struct wt_rows_state state;
    struct gen_thread *thread;    /* that executes code; NULL: none */
    const struct block *executed; /* the code */
    uint64_t kept;                /* issues of the turn that are not for the code */
    struct gen_known_surfaces known;
    const struct gen_uop *next; /* behind a called handler that does not go on in the code */
};

/* ---- a page's blocks ---- */

/* See pages.h: whether no record of the page has been forgotten since it was translated. */
static inline bool holds(const struct gen_code *code)
{
    return code->uop[GEN_SLOTS + GEN_TAIL - 1].run == gen_run_block;
}

static void forget(struct gen_code *code)
{
    wt_paged_forget(&gen_code_format, &code->page, (wt_code_handler)gen_run_block);
}

static inline struct block *block_of(const struct gen_code *code, const struct gen_uop *u)
{
    return (struct block *)code->blocks->entry[u - code->uop].block;
}

/* The handler of a record that has code. */
static inline gen_op handler_of(const struct gen_code *code, const struct gen_uop *u)
{
    return (gen_op)code->blocks->entry[u - code->uop].run;
}

/* Finds where branches lead, and which one comes next. */
static void find_branches(struct block *block, struct wt_rows_insn *insn, const int32_t *to,
                          size_t count)
{
    uint16_t next = UINT16_MAX;
    for (size_t i = count; i-- > 0;) {
        insn[i].target = WT_ROWS_ELSEWHERE;
        for (uint32_t k = 0; k <= i && insn[i].op == WT_ROWS_BRANCH; k++)
            if (block->is.slot[k] == to[i])
                insn[i].target = k;
        if (insn[i].op == WT_ROWS_BRANCH && insn[i].target == WT_ROWS_ELSEWHERE)
            insn[i].op = WT_ROWS_HANDLER;
        if (insn[i].op == WT_ROWS_BRANCH) {
            next = (uint16_t)i;
            block->target[i] = (uint16_t)insn[i].target;
        }
        block->branch[i] = next;
    }
}

/* Chooses a window for the surface of a message. */
static void choose_window(struct block *block, struct gen_block_message *x)
{
    unsigned i = 0;
    while (i < block->windows && block->bti[i] != x->bti)
        i++;
    x->window = (uint8_t)i;
    if (i == block->windows && i < WT_ROWS_WINDOWS)
        block->bti[block->windows++] = x->bti;
}

/* A message as the code has it, where it is so simple. */
static void take_message(struct block *block, const struct gen_uop *u, struct gen_block_message *x,
                         struct wt_rows_insn *insn)
{
    struct wt_rows_insn access;
    gen_block_message(u, x);
    if (x->windowed)
        choose_window(block, x);
    if (x->barrier)
        insn->op = WT_ROWS_ARRIVE;
    block->shares |= x->barrier;
    if (!gen_block_access(u, x, &access))
        return;
    *insn = access;
    block->shares |= access.space == WT_ROWS_GROUP;
}

/* Lists the instructions from a record on. *before: where a branch leads before that, else it. */
static size_t list(struct gen_thread *t, uint16_t first, struct wt_rows_insn *insn,
                   struct block *block, uint16_t *before)
{
    int32_t to[WT_ROWS_MOST];
    size_t slot = first, count = 0;
    bool ends = false;
    *block = (struct block){.windows = 0};
    *before = first;
    for (; slot < GEN_SLOTS && count < WT_ROWS_MOST && !ends; count++) {
        struct gen_uop *u = &t->code->uop[slot];
        const bool decoded = u->run != (gen_op)gen_code_format.undecoded;
        int32_t jumps = 0;
        if (!(decoded || gen_decode_record(t, u)) || !u->real || u->run != u->real)
            break; /* it is nothing, or more than its handler */
        gen_block_insn(u, &insn[count], &jumps);
        take_message(block, u, &block->message[count], &insn[count]);
        block->doubles |= insn[count].wide && insn[count].guarded;
        to[count] = (int32_t)slot + jumps / GEN_GRANULE;
        if (insn[count].op == WT_ROWS_BRANCH && to[count] >= 0 && to[count] < *before)
            *before = (uint16_t)to[count];
        block->is.slot[count] = (uint16_t)slot;
        slot += u->granules;
        ends = u->run == gen_op_send && u->insn.exdesc >> 5 & 1;
    }
    block->is.slot[count] = (uint16_t)slot;
    find_branches(block, insn, to, count);
    return count;
}

/* ---- execution ---- */

static void settle(struct gen_blocks *b, const struct gen_thread *t)
{
    const uint32_t keep = GEN_CR0_KEEP_F | (b->executed->doubles ? GEN_CR0_KEEP_DF : 0);
    b->state.guard = (t->g->cr[0] & (GEN_CR0_ROUNDING | keep)) != keep;
}

/* Calls the handler of a record of the block that is executed. */
static bool call_handler(struct wt_rows_state *s)
{
    struct gen_blocks *b = (struct gen_blocks *)((char *)s - offsetof(struct gen_blocks, state));
    struct gen_thread *t = b->thread;
    const struct block *block = b->executed;
    struct gen_code *code = t->code;
    const struct gen_uop *u = &code->uop[block->is.slot[s->at]];
    const uint64_t left = s->left + b->kept;
    const struct gen_block_message *x = &block->message[s->at];
    struct wt_machine *m = &t->device->machine;
    if (wt_paged_halts(m, s)) {
        t->left = left + 1;
        b->next = u;
        return false;
    }
    t->left = left;
    if (x->lanes && !b->all.observed && gen_access_dwords(t, u, x, &b->known, s))
        return true;
    if (x->barrier && gen_walk_of(t)->walk.barrier) {
        gen_barrier(t, gen_pc_of(t, u));
        return true;
    }
    b->all.totals.issues--; /* it is the handler's */
    if (x->lanes && b->all.observed && gen_tell_dwords(t, u, x, &b->known, s)) {
        b->next = gen_next(u);
    } else {
        if (!u->alu && !x->reads)
            gen_close_windows(s);
        b->next = handler_of(code, u)(t, u);
    }
    wt_paged_called(m, &t->left);
    if (b->next != gen_next(u) || t->left != left || !s->left || !holds(code) ||
        b->next->run != gen_run_block || block_of(code, b->next) != block || t->mask != s->mask ||
        t->suppresses)
        return false;
    settle(b, t);
    return true;
}

static struct gen_blocks *blocks_of(struct gen_device *d)
{
    struct gen_blocks *b = d->blocks;
    if (b || !(b = d->blocks = calloc(1, sizeof *b)))
        return b;
    if (wt_rows_supported())
        b->all.memory = wt_rows_memory_new(CODE_BYTES);
    b->state.tlb = &d->machine.tlb;
    b->state.call = call_handler;
    return b;
}

const struct gen_uop *gen_blocks_lost(struct gen_device *d)
{
    struct gen_blocks *b = d->blocks;
    struct gen_thread *t = b ? b->thread : NULL;
    const struct gen_uop *u = d->sending;
    d->sending = NULL;
    if (t)
        b->thread = NULL;
    if (u || !t)
        return u;
    t->left = b->state.left + b->kept;
    return &t->code->uop[b->executed->is.slot[b->state.at]];
}

void gen_blocks_free(struct gen_device *d)
{
    if (d->blocks)
        wt_paged_free(&d->blocks->all);
    free(d->blocks);
    d->blocks = NULL;
}

/* Lists the instructions from a record on, and those of the loop that it is in: turns begin in
 * loops, too. *first becomes where the list begins. */
static size_t list_loop(struct gen_thread *t, uint16_t *first, struct wt_rows_insn *insn,
                        struct block *block)
{
    const uint16_t visited = *first;
    uint16_t before, none;
    size_t count = list(t, visited, insn, block, &before);
    if (before == visited)
        return count;
    count = list(t, *first = before, insn, block, &none);
    for (size_t i = 0; i < count; i++)
        if (block->is.slot[i] == visited)
            return count;
    return list(t, *first = visited, insn, block, &none);
}

void gen_translate(struct gen_thread *t, const struct gen_uop *u)
{
    static const struct wt_rows_shape shape = {.lanes = GEN_CHANNELS, .regions = true};
    struct wt_rows_insn insn[WT_ROWS_MOST];
    struct gen_code *code = t->code;
    struct gen_blocks *b = blocks_of(t->device);
    uint16_t first = (uint16_t)(u - code->uop);
    if (first >= GEN_SLOTS || !b || !b->all.memory || b->thread)
        return;
    if (!code->blocks)
        code->blocks = wt_paged_page(&b->all, &gen_code_format, code->page.base);
    struct block *block = code->blocks ? calloc(1, sizeof *block) : NULL;
    if (!block)
        return;
    wt_paged_turns(&b->all, &t->device->machine, (wt_code_handler)gen_run_block);
    if (!holds(code))
        forget(code);
    size_t count = list_loop(t, &first, insn, block), from = 0;
    while (b->all.observed && block->is.slot[from] != (uint16_t)(u - code->uop))
        from++;
    if (b->all.observed)
        count = wt_rows_leave_observed(insn, count, from);
    wt_paged_add(&b->all, &t->device->machine.code, (wt_code_handler)gen_run_block, &code->page,
                 code->blocks, &shape, &block->is, insn, first, count);
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
                           const struct block *block, uint32_t first)
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
            if (at - first < b->state.left)
                b->state.left = at - first;
        } else if (at <= first && branch < block->is.rows->count && at >= block->target[branch]) {
            b->state.barred[block->target[branch] / 8] |= (uint8_t)(1 << block->target[branch] % 8);
        }
    }
}

/* Lets code access the memory that it is for. */
static void open_memory(struct gen_blocks *b, struct gen_thread *t, const struct gen_uop *u,
                        const struct block *block)
{
    struct wt_rows_state *s = &b->state;
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
static const struct gen_uop *run(struct gen_blocks *b, struct gen_thread *t,
                                 const struct gen_uop *u, bool *stays)
{
    struct gen_code *code = t->code;
    struct wt_rows_state *s = &b->state;
    struct block *block = block_of(code, u);
    const uint32_t first = code->blocks->entry[u - code->uop].number;
    const uint64_t left = t->left + 1;
    s->frame = (uint8_t *)t->g;
    s->left = left;
    s->mask = t->mask;
    memset(s->barred, 0, sizeof s->barred);
    if (t->waiting)
        attend_waiting(b, t, block, first);
    const uint64_t most = s->left;
    b->kept = left - most;
    b->thread = t;
    b->executed = block;
    s->at = WT_ROWS_MOST;
    open_memory(b, t, u, block);
    settle(b, t);
    const uint32_t next = wt_rows_run(block->is.rows, first, s);
    b->thread = NULL;
    block->accesses = s->at != WT_ROWS_MOST && block->message[s->at].windowed;
    *stays = true;
    if (s->left == most && next == first) {
        wt_paged_leaves(&t->device->machine, &t->left);
        return u;
    }
    b->all.totals.issues += most - s->left;
    if (next != WT_ROWS_GONE)
        t->left = s->left + b->kept;
    wt_paged_leaves(&t->device->machine, &t->left);
    if (next == WT_ROWS_GONE) {
        *stays = false;
        return b->next;
    }
    const struct gen_uop *v = &code->uop[block->is.slot[next]];
    const bool ended = next == block->is.rows->count;
    if (ended && block->is.slot[next] < GEN_SLOTS)
        gen_visit(t, v);
    *stays = !ended && s->left && t->left && v->run == gen_run_block && holds(code);
    t->left -= *stays;
    return v;
}

const struct gen_uop *gen_run_block(struct gen_thread *t, const struct gen_uop *u)
{
    struct gen_code *code = t->code;
    if (wt_paged_turns(&t->device->blocks->all, &t->device->machine,
                       (wt_code_handler)gen_run_block))
        return u->run(t, u);
    if (__builtin_expect(!holds(code), false)) {
        forget(code);
        return u->run(t, u);
    }
    if (!t->left || !t->mask || t->suppresses || t->device->blocks->thread ||
        wt_observes_issue(&t->device->machine)) {
        wt_paged_leaves(&t->device->machine, &t->left);
        return handler_of(code, u)(t, u);
    }
    bool stays;
    const struct gen_uop *next = run(t->device->blocks, t, u, &stays);
    return stays ? handler_of(code, next)(t, next) : next;
}

uint64_t gen_piece(struct wt_machine *m, uint32_t wave, uint64_t pc,
                   struct wt_observed_piece *piece)
{
    const struct gen_blocks *b = ((const struct gen_device *)m)->blocks;
    return wt_paged_piece(b ? &b->all : NULL, &m->code, (wt_code_handler)gen_run_block, pc, piece);
}

struct wt_rows_totals gen_device_translated(const struct gen_device *d)
{
    return wt_paged_totals(d->blocks ? &d->blocks->all : NULL);
}
