/*
 * PTX: control flow, calls, barriers (manual 9.7.12, 9.7.13).
 *
 * The lanes of a warp are in paths: those of one path stand at one place of one frame. One path
 * runs; the others are entries of the stack of kind PATH. Lanes that disagree at a branch become
 * two paths. Which path runs is settled where paths can meet, at labels and behind calls: the one
 * of the newest frame, and of those the first one in the order of sm/ptx/lower/order.c, so that the
 * lanes come together at the branch's post-dominator. Two paths of one frame at one place are one
 * again.
 *
 * Of the paths that could run, one has waited longest. When the others have branched backwards
 * ptx_patience() times since that one has, it runs, so that a lane that spins on a lock does not
 * keep the lane that holds it waiting.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/sm/ptx/exec/rows.h"

/* ---- the image ---- */

static const struct sm_ptx *own_image(const struct sm_warp *w, const struct sm_uop *u)
{
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(w->device, sm_pc_of(w, u), &index);
    assert(image);
    return image;
}

/* ---- paths ---- */

/* The path goes on at pc, together with those that stand there, or gives way to a better one. */
static const struct sm_uop *go(struct sm_warp *w, uint64_t pc)
{
    uint32_t best = 0;
    if (!w->depth)
        return sm_jump(w, pc);
    for (uint32_t i = w->depth; i-- > 0;) {
        const struct sm_entry *e = &w->stack[i];
        if (!ptx_can_run(e) || e->pc != pc || e->base != w->base)
            continue;
        w->mask |= e->mask;
        ptx_remove_entry(w, i);
    }
    if (!w->hold && ptx_find_best(w, PTX_RUNS, &best) &&
        ptx_before(w->device, w->stack[best].base, w->stack[best].pc, w->base, pc)) {
        ptx_put_away(w, pc, w->mask, w->base, PTX_RUNS, w->result);
        ptx_take_path(w, best);
        return sm_jump(w, w->pc);
    }
    return sm_jump(w, pc);
}

/* A backward branch while others wait. */
static const struct sm_uop *go_back(struct sm_warp *w, uint64_t pc)
{
    uint32_t oldest = 0;
    if (w->hold)
        w->hold--;
    if (++w->spins < ptx_patience(w))
        return go(w, pc);
    w->spins = 0;
    while (oldest < w->depth && !ptx_can_run(&w->stack[oldest]))
        oldest++;
    if (oldest == w->depth)
        return go(w, pc);
    ptx_put_away(w, pc, w->mask, w->base, PTX_RUNS, w->result);
    ptx_take_path(w, oldest);
    w->hold = ptx_patience(w);
    return sm_jump(w, w->pc);
}

bool ptx_is_plain_target(const struct sm_warp *w, uint64_t pc)
{
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct sm_entry *e = &w->stack[i];
        if (ptx_can_run(e) && ((e->pc == pc && e->base == w->base) ||
                               (!w->hold && ptx_before(w->device, e->base, e->pc, w->base, pc))))
            return false;
    }
    return true;
}

uint64_t ptx_plain_end(const struct sm_warp *w)
{
    uint64_t end = UINT64_MAX;
    for (uint32_t i = 0; i < w->depth; i++) {
        const struct sm_entry *e = &w->stack[i];
        if (!ptx_can_run(e) || e->base < w->base)
            continue;
        const uint64_t place = e->base > w->base ? 0 : ptx_order_of(w->device, e->pc);
        end = place < end ? place : end;
    }
    return end;
}

/* The path that ran is gone. */
static const struct sm_uop *another(struct sm_warp *w)
{
    if (!ptx_choose_path(w)) {
        sm_lanes_end(w, UINT32_MAX);
        sm_warp_end(w);
        return NULL;
    }
    if (w->wait > PTX_RUNS && w->wait < PTX_WAITS_SYNC)
        return NULL;
    return sm_jump(w, w->pc);
}

PTX_EXECUTOR(ptx_op_join)
{
    if (__builtin_expect(w->fresh, false))
        ptx_comes_to(w, sm_pc_of(w, u), sm_next_pc(sm_pc_of(w, u)));
    return w->depth ? go(w, sm_next_pc(sm_pc_of(w, u))) : sm_next(u);
}

/* Whether a path comes together with the one that runs, which is at a .sync. */
static bool comes_here(const struct sm_warp *w, const struct sm_entry *e, uint64_t pc)
{
    return e->kind == SM_ENTRY_PATH && e->pc == pc && e->base == w->base &&
           (e->wait == PTX_WAITS_SYNC || e->wait == PTX_RUNS);
}

uint32_t ptx_lanes_together(const struct sm_warp *w, const struct ptx_op *o)
{
    uint32_t lanes = ptx_lanes(w, o), others = 0;
    for (uint32_t i = 0; w->wait != PTX_GOES_ON && i < w->depth; i++)
        others |= comes_here(w, &w->stack[i], w->pc) ? w->stack[i].mask : 0;
    if (!others || o->guard == PTX_NO_SLOT)
        return lanes | others;
    const uint32_t mask = *(const uint32_t *)(ptx_frame(w) + o->guard);
    return lanes | (others & (o->guard_negated ? ~mask : mask));
}

bool ptx_converge(struct sm_warp *w, const struct sm_uop *u, const uint32_t *members,
                  const struct sm_uop **next)
{
    const uint64_t pc = sm_pc_of(w, u);
    uint32_t best;
    if (w->wait == PTX_GOES_ON) {
        w->wait = PTX_RUNS;
        return true;
    }
    for (uint32_t i = w->depth; i-- > 0;) {
        const struct sm_entry *e = &w->stack[i];
        if (!comes_here(w, e, pc))
            continue;
        w->mask |= e->mask;
        ptx_remove_entry(w, i);
    }
    const uint32_t lanes = ptx_lanes(w, u->ptx), absent = w->live & ~w->mask;
    uint32_t waiting = 0;
    if (!absent)
        return true;
    PTX_LEFT(i, lanes)
    if (members[i] & absent)
        waiting |= 1u << i;
    if (!waiting || !ptx_find_best(w, PTX_RUNS, &best))
        return true;
    if (waiting != lanes) {
        ptx_put_away(w, pc, waiting, w->base, PTX_WAITS_SYNC, w->result);
        w->mask &= ~waiting;
        return true;
    }
    ptx_put_away(w, pc, w->mask, w->base, PTX_WAITS_SYNC, w->result);
    *next = another(w);
    return false;
}

/* ---- branches ---- */

PTX_EXECUTOR(ptx_op_bra)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    const uint64_t pc = sm_pc_of(w, u), next = sm_next_pc(pc);
    const uint64_t target = pc + (uint64_t)o->offset;
    if (__builtin_expect(w->fresh, false)) {
        if (lanes && lanes != w->mask)
            ptx_parts(w, pc, lanes, target, next);
        else
            ptx_comes_to(w, pc, lanes ? target : next);
    }
    if (!lanes)
        return sm_next(u);
    if (lanes != w->mask) {
        ptx_put_away(w, target, lanes, w->base, PTX_RUNS, w->result);
        w->mask &= ~lanes;
        if (target <= pc)
            return go_back(w, next);
        return go(w, next);
    }
    if (target <= pc && w->depth)
        return go_back(w, target);
    return go(w, target);
}

/* Lanes whose value is that of the first of them; the others come here again. */
static uint32_t agreeing(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes, const void *row,
                         unsigned size, uint64_t *value)
{
    const uint64_t pc = sm_pc_of(w, u);
    uint32_t same = 0;
    *value = ptx_get(row, size, (unsigned)__builtin_ctz(lanes));
    PTX_LEFT(i, lanes)
    if (ptx_get(row, size, i) == *value)
        same |= 1u << i;
    const uint32_t others = lanes & ~same, rest = w->mask & ~lanes;
    w->mask = same;
    if (others)
        ptx_put_away(w, pc, others, w->base, PTX_RUNS, w->result);
    if (rest)
        ptx_put_away(w, sm_next_pc(pc), rest, w->base, PTX_RUNS, w->result);
    return same;
}

PTX_EXECUTOR(ptx_op_brx)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    const struct sm_ptx *image = own_image(w, u);
    const uint32_t *targets = &image->target[o->index];
    const uint32_t *row = ptx_in(ptx_frame(w), &o->s[0]);
    uint64_t n;
    if (!lanes)
        return sm_next(u);
    PTX_LEFT(i, lanes)
    if (row[i] >= targets[0])
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, 1u << i, 0,
                        "brx.idx with index %u; there are %u targets", row[i], targets[0]);
    agreeing(w, u, lanes, row, 4, &n);
    return go(w, ptx_pc(image, targets[1 + n]));
}

/* ---- calls ---- */

static const struct sm_uop *too_deep(struct sm_warp *w, const struct sm_uop *u, const char *what)
{
    return sm_error(w, u, SM_API_STACK_ERROR, w->mask, 0, "a call takes more %s than there are",
                    what);
}

/* Copies the dwords of some lanes. */
static inline void blend_row(uint32_t *restrict to, const uint32_t *restrict from, uint32_t lanes)
{
    for (unsigned i = 0; i < SM_LANES; i++)
        to[i] = lanes & ptx_lane_bit[i] ? from[i] : to[i];
}

/* Copies qwords, whose halves go into two rows. */
static inline void blend_halves(uint32_t *restrict to, const uint64_t *restrict from,
                                uint32_t lanes)
{
    uint32_t low[SM_LANES], high[SM_LANES];
    for (unsigned i = 0; i < SM_LANES; i++)
        low[i] = (uint32_t)from[i];
    for (unsigned i = 0; i < SM_LANES; i++)
        high[i] = (uint32_t)(from[i] >> 32);
    blend_row(to, low, lanes);
    blend_row(to + SM_LANES, high, lanes);
}

static inline __attribute__((always_inline)) void
pass_arguments(struct sm_warp *w, const struct ptx_call *c, uint32_t base, uint32_t lanes)
{
    const uint8_t *from = ptx_frame(w);
    uint8_t *to = (uint8_t *)(w->r + base);
    for (uint32_t k = 0; k < c->argument_count; k++) {
        const struct ptx_move *m = &c->argument[k];
        const uint8_t *source = ptx_in(from, &m->from);
        if (m->wide) {
            blend_halves((uint32_t *)(to + m->to), (const uint64_t *)source, lanes);
            continue;
        }
        for (uint32_t n = 0; n < m->dwords; n++)
            blend_row((uint32_t *)(to + m->to + n * PTX_ROW_BYTES),
                      (const uint32_t *)(source + n * PTX_ROW_BYTES), lanes);
    }
}

/* The lanes whose stack in local memory would end beyond @p limit with a frame of so many bytes. */
static uint32_t deep_stacks(const uint32_t stack[SM_LANES], uint32_t bytes, uint32_t limit)
{
    int32_t row[SM_LANES];
    for (unsigned i = 0; i < SM_LANES; i++)
        row[i] = -(((stack[i] + 15u) & ~15u) + bytes > limit);
    return ptx_signs(row);
}

/* Where the lanes' frames begin and end, of a caller whose frames end where `stack` says. */
static void place_frames(uint32_t *restrict begin, uint32_t *restrict end,
                         const uint32_t *restrict stack, uint32_t bytes)
{
    for (unsigned i = 0; i < SM_LANES; i++) {
        begin[i] = (stack[i] + 15u) & ~15u;
        end[i] = begin[i] + bytes;
    }
}

static PTX_CLONED const struct sm_uop *call(struct sm_warp *w, const struct sm_uop *u,
                                            uint32_t lanes, const struct sm_ptx *image,
                                            uint32_t call_index, const struct ptx_function_info *f)
{
    const struct ptx_call *c = &image->call[call_index];
    const uint64_t back = sm_next_pc(sm_pc_of(w, u));
    const uint32_t limit = w->device->grid.launch.local, base = ptx_rows_in_use(w);
    const uint32_t rest = w->mask & ~lanes;
    if (f->parameter_rows != c->rows)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0,
                        "a call of %.*s with other parameters than it has", (int)f->name.length,
                        f->name.at);
    if (base + f->rows > PTX_MOST_ROWS || !ptx_make_room(w, base + f->rows))
        return too_deep(w, u, "registers");
    const uint32_t *stack = w->r[w->base + PTX_STACK_ROW];
    if (deep_stacks(stack, f->local, limit) & lanes)
        return too_deep(w, u, "bytes of local memory");
    if (lanes != UINT32_MAX || !ptx_begin_frame(w, base, image, f))
        ptx_clear_frame(w, base, f->rows);
    uint32_t *header = w->r[base];
    header[PTX_RETURN_LOW] = (uint32_t)back;
    header[PTX_RETURN_HIGH] = (uint32_t)(back >> 32);
    header[PTX_CALLER] = w->base;
    header[PTX_ROWS] = f->rows;
    header[PTX_CALL] = call_index;
    place_frames(w->r[base + PTX_LOCAL_ROW], w->r[base + PTX_STACK_ROW], stack, f->local);
    pass_arguments(w, c, base, lanes);
    wt_wave_tell_call(&w->device->machine, &w->head, WT_SEEN_CALL, sm_pc_of(w, u), lanes, back);
    if (rest)
        ptx_put_away(w, back, rest, w->base, PTX_RUNS, w->result);
    w->mask = lanes;
    w->base = base;
    w->rows = base + f->rows;
    return sm_jump(w, ptx_pc(image, f->entry));
}

PTX_EXECUTOR(ptx_op_call)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    if (!lanes)
        return sm_next(u);
    const struct sm_ptx *image = own_image(w, u);
    return call(w, u, lanes, image, o->index, &image->function[o->offset]);
}

static const struct ptx_function_info *function_at(const struct sm_ptx *image, uint64_t pc)
{
    uint32_t index;
    if (!ptx_index(image, pc, &index))
        return NULL;
    for (size_t i = 0; i < image->function_count; i++)
        if (image->function[i].entry == index)
            return &image->function[i];
    return NULL;
}

PTX_EXECUTOR(ptx_op_call_register)
{
    const struct ptx_op *o = u->ptx;
    uint32_t lanes = ptx_lanes(w, o);
    const uint64_t *row = ptx_in(ptx_frame(w), &o->s[0]);
    uint64_t target;
    if (!lanes)
        return sm_next(u);
    const struct sm_ptx *image = own_image(w, u);
    PTX_LEFT(i, lanes)
    if (!function_at(image, row[i]))
        return sm_error(w, u, SM_PC_WRAP, 1u << i, row[i],
                        "a call of 0x%llx, which is not a function", (unsigned long long)row[i]);
    lanes = agreeing(w, u, lanes, row, 8, &target);
    return call(w, u, lanes, image, o->index, function_at(image, target));
}

static PTX_CLONED void pass_results(struct sm_warp *w, uint32_t lanes)
{
    const uint32_t *header = ptx_header(w, w->base);
    const uint64_t back = header[PTX_RETURN_LOW] | (uint64_t)header[PTX_RETURN_HIGH] << 32;
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(w->device, back, &index);
    const struct ptx_call *c = &image->call[header[PTX_CALL]];
    const uint8_t *from = ptx_frame(w) + c->result_slot;
    uint8_t *to = (uint8_t *)(w->r + header[PTX_CALLER]);
    for (uint32_t k = 0; k < c->result_count; k++)
        if (c->result[k] != PTX_NO_SLOT)
            blend_row((uint32_t *)(to + c->result[k]), (const uint32_t *)(from + k * PTX_ROW_BYTES),
                      lanes);
}

PTX_EXECUTOR(ptx_op_ret)
{
    const uint32_t lanes = ptx_lanes(w, u->ptx);
    if (!lanes)
        return sm_next(u);
    if (w->base == PTX_FIRST_ROW)
        return ptx_op_exit(w, u);
    const uint32_t *header = ptx_header(w, w->base);
    const uint64_t back = header[PTX_RETURN_LOW] | (uint64_t)header[PTX_RETURN_HIGH] << 32;
    const uint32_t caller = header[PTX_CALLER];
    pass_results(w, lanes);
    wt_wave_tell_call(&w->device->machine, &w->head, WT_SEEN_RETURN, sm_pc_of(w, u), lanes, back);
    if (lanes != w->mask) {
        ptx_put_away(w, back, lanes, caller, PTX_RUNS, w->result);
        w->mask &= ~lanes;
        return go(w, sm_next_pc(sm_pc_of(w, u)));
    }
    w->base = caller;
    w->rows = ptx_rows_in_use(w);
    return go(w, back);
}

/* ---- the end ---- */

static void open_barriers(struct sm_device *d, struct sm_cta *c)
{
    for (unsigned n = 0; n < SM_BARRIERS; n++)
        if (c->barrier[n].arrived && !c->barrier[n].expected)
            ptx_open_barrier(d, c, n);
    ptx_open_cluster(d, c);
}

PTX_EXECUTOR(ptx_op_exit)
{
    const uint32_t lanes = ptx_lanes(w, u->ptx);
    if (!lanes)
        return sm_next(u);
    if (lanes == w->live) {
        if ((w->late_code[0] | w->late_code[1]) && !sm_trap_before_exit(w, u))
            return NULL;
        sm_lanes_end(w, lanes);
        w->mask = 0;
        w->depth = 0;
        sm_warp_end(w);
        return NULL;
    }
    if (__builtin_expect(w->fresh, false))
        ptx_settle(w, sm_pc_of(w, u));
    sm_lanes_end(w, lanes);
    w->mask &= ~lanes;
    if (w->mask) {
        open_barriers(w->device, w->cta);
        return go(w, sm_next_pc(sm_pc_of(w, u)));
    }
    ptx_choose_path(w);
    w->rows = ptx_rows_in_use(w);
    open_barriers(w->device, w->cta);
    if (w->wait > PTX_RUNS && w->wait < PTX_WAITS_SYNC)
        return NULL;
    return sm_jump(w, w->pc);
}

/* trap and brkpt are BPT.TRAP 1 (docs/ptx.md). */
PTX_EXECUTOR(ptx_op_trap)
{
    const uint32_t lanes = ptx_lanes(w, u->ptx);
    if (!lanes)
        return sm_next(u);
    return sm_take_program_trap(w, u, lanes, u->ptx->flag ? "brkpt" : "trap");
}

/* ---- barriers of the CTA, in threads ---- */

enum { SYNC, ARRIVE, REDUCE, CLUSTER_ARRIVE, CLUSTER_WAIT };

static void wait_here(struct sm_warp *w, uint64_t pc, uint32_t rest, uint32_t wait, uint32_t result)
{
    if (rest)
        ptx_put_away(w, sm_next_pc(pc), rest, w->base, PTX_RUNS, w->result);
    w->mask &= ~rest;
    w->wait = wait;
    w->result = result;
    w->pc = pc;
}

/* The path waits: another one of the warp, if there is one. */
static const struct sm_uop *leave_path(struct sm_warp *w, uint64_t pc)
{
    if (!w->depth) { /* it is the only path */
        w->spins = w->hold = 0;
        sm_update_ready(w);
        return NULL;
    }
    ptx_put_away(w, pc, w->mask, w->base, w->wait, w->result);
    return another(w);
}

/* barrier.cluster, of the one CTA that a cluster is: who has arrived waits no longer than till all
 * live threads have. */
static const struct sm_uop *cluster(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes)
{
    const uint64_t pc = sm_pc_of(w, u);
    uint32_t *header = ptx_header(w, PTX_FIRST_ROW);
    const bool arrives = u->ptx->how == CLUSTER_ARRIVE;
    const uint32_t wrong = lanes & (arrives ? header[PTX_CLUSTER_CAME] : ~header[PTX_CLUSTER_CAME]);
    if (wrong)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, wrong, 0,
                        arrives ? "barrier.cluster.arrive again, without a wait"
                                : "barrier.cluster.wait without an arrive before it");
    if (arrives) {
        if (wt_observes_events(&w->device->machine))
            wt_wave_tell(&w->device->machine, &w->head,
                         &(struct wt_observed_event){.kind = WT_SEEN_ARRIVE,
                                                     .pc = pc,
                                                     .lanes = lanes,
                                                     .number = SM_BARRIERS,
                                                     .apart = u->ptx->flag});
        header[PTX_CLUSTER_DUE] |= lanes;
        w->cta->meets = true;
        header[PTX_CLUSTER_CAME] |= lanes;
        ptx_open_cluster(w->device, w->cta);
        return sm_next(u);
    }
    header[PTX_CLUSTER_CAME] &= ~lanes;
    if (!(lanes & header[PTX_CLUSTER_DUE]))
        return sm_next(u);
    wait_here(w, pc, w->mask & ~lanes, PTX_WAITS_CLUSTER, 0);
    return leave_path(w, pc);
}

/* bar.sync for all threads of the CTA by a whole warp, of which nobody knows: what barrier() does.
 */
static const struct sm_uop *sync_whole(struct sm_warp *w, const struct sm_uop *u, unsigned n)
{
    struct sm_cta *c = w->cta;
    struct sm_barrier *b = &c->barrier[n];
    b->arrived += SM_LANES;
    c->meets = true;
    b->expected = 0;
    b->op = u->ptx->combine;
    w->wait = PTX_WAITS_BARRIER + n;
    w->result = SM_LANES << 16;
    w->pc = sm_pc_of(w, u);
    if (b->arrived >= c->threads) {
        ptx_open_barrier(w->device, c, n);
        return sm_jump(w, w->pc);
    }
    w->spins = w->hold = 0;
    wt_turns_set_ready(&w->device->machine.turns, w->id, false);
    return NULL;
}

__attribute__((noinline)) static const struct sm_uop *
barrier(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes)
{
    const struct ptx_op *o = u->ptx;
    const uint8_t *frame = ptx_frame(w);
    const uint32_t rest = w->mask & ~lanes;
    const uint64_t pc = sm_pc_of(w, u);
    if (!lanes)
        return sm_next(u);
    if (o->how >= CLUSTER_ARRIVE)
        return cluster(w, u, lanes);
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const uint32_t n = ((const uint32_t *)ptx_in(frame, &o->s[0]))[first];
    const uint32_t threads = ((const uint32_t *)ptx_in(frame, &o->s[1]))[first];
    if (n >= SM_BARRIERS || threads % SM_LANES || threads > 1024)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0,
                        "barrier %u with %u threads; there are %u, and threads come in warps", n,
                        threads, SM_BARRIERS);
    struct sm_barrier *b = &w->cta->barrier[n];
    /* With a count, a warp counts as one whole (9.7.13.1). */
    const uint32_t count = lanes == UINT32_MAX || (threads && lanes == w->live)
                               ? SM_LANES
                               : (uint32_t)__builtin_popcount(lanes);
    const uint32_t holds =
        o->how == REDUCE ? (uint32_t)__builtin_popcount(ptx_mask(frame, &o->s[2]) & lanes) : 0;
    if (wt_observes_events(&w->device->machine))
        wt_wave_tell(&w->device->machine, &w->head,
                     &(struct wt_observed_event){.kind = WT_SEEN_ARRIVE,
                                                 .pc = pc,
                                                 .lanes = lanes,
                                                 .number = n,
                                                 .expected = threads,
                                                 .apart = o->flag});
    b->arrived += count;
    w->cta->meets = true;
    b->expected = threads;
    b->holds += holds;
    b->op = o->combine;
    if (o->how == ARRIVE) {
        ptx_open_barrier(w->device, w->cta, n);
        return sm_next(u);
    }
    wait_here(w, pc, rest, PTX_WAITS_BARRIER + n, count << 16 | holds);
    if (b->arrived < (threads ? threads : w->cta->threads))
        return leave_path(w, pc);
    return ptx_open_barrier(w->device, w->cta, n) ? go(w, w->pc) : leave_path(w, pc);
}

PTX_EXECUTOR(ptx_op_barrier)
{
    const struct ptx_op *o = u->ptx;
    if (o->index && o->guard == PTX_NO_SLOT && w->mask == UINT32_MAX && !w->depth &&
        !w->device->machine.observer)
        return sync_whole(w, u, o->index - 1);
    return barrier(w, u, ptx_lanes(w, o));
}

PTX_EXECUTOR(ptx_op_barrier_result)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    if (o->flag) /* a predicate */
        ptx_set_mask(frame, o->d, w->result >> 31 ? UINT32_MAX : 0, ptx_lanes(w, o));
    else
        PTX_LEFT(i, ptx_lanes(w, o))
    ptx_put(frame + o->d, 4, i, w->result & 0xffff);
    return sm_next(u);
}
