/*
 * PTX: operations that lanes of a warp do together (manual 9.7.9.5 ff., 9.7.13), special registers
 * (10), predicates, vectors of registers.
 */
#include <string.h>

#include "emulator/sm/ptx/image.h"
#include "emulator/sm/ptx/special.h"

PTX_EXECUTOR(ptx_op_nop)
{
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_fence)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    if (lanes)
        wt_wave_tell_fence(&w->device->machine, &w->head, sm_pc_of(w, u), lanes,
                           (enum wt_observed_order)o->order, (enum wt_observed_scope)o->scope);
    return sm_next(u);
}

/* ---- predicates: how is a truth table of two ---- */

PTX_EXECUTOR(ptx_op_predicate)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t a = ptx_mask(frame, &o->s[0]), b = ptx_mask(frame, &o->s[1]);
    uint32_t r = 0;
    if (o->how & 1)
        r |= ~a & ~b;
    if (o->how & 2)
        r |= ~a & b;
    if (o->how & 4)
        r |= a & ~b;
    if (o->how & 8)
        r |= a & b;
    ptx_set_mask(frame, o->d, r, ptx_lanes(w, o));
    return sm_next(u);
}

/* ---- vectors: mov.b64 d, {a, b} and back; elements of o->size bytes, o->count of them ---- */

PTX_EXECUTOR(ptx_op_pack)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        uint64_t value = 0;
        const uint64_t mask = ((uint64_t)1 << 8 * o->size) - 1;
        for (unsigned k = 0; k < o->count; k++) {
            const void *from = o->vector_constant[k] ? o->vector_constant[k] : frame + o->vector[k];
            value |= (((const uint32_t *)from)[i] & mask) << 8 * o->size * k;
        }
        ptx_put(frame + o->d, o->element, i, value);
    }
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_unpack)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const void *from = ptx_in(frame, &o->s[0]);
    const uint64_t mask = ((uint64_t)1 << 8 * o->size) - 1;
    PTX_LEFT(i, ptx_lanes(w, o))
    {
        const uint64_t value = ptx_get(from, o->element, i);
        for (unsigned k = 0; k < o->count; k++)
            if (o->vector[k] != PTX_NO_SLOT)
                ((uint32_t *)(frame + o->vector[k]))[i] =
                    (uint32_t)(value >> 8 * o->size * k & mask);
    }
    return sm_next(u);
}

/* ---- special registers ---- */

/* Whether a register is another one in each lane. */
static bool is_of_lane(unsigned number)
{
    return number <= PTX_SR_tid_z || number == PTX_SR_laneid ||
           (number >= PTX_SR_lanemask_eq && number <= PTX_SR_lanemask_ge);
}

static uint64_t special(const struct sm_warp *w, unsigned number, unsigned lane)
{
    const struct sm_device *d = w->device;
    const struct sm_launch *l = &d->grid.launch;
    const uint32_t *block = l->block, thread = w->index * SM_LANES + lane, bit = 1u << lane;
    const uint64_t now = sm_now(w);
    switch (number) {
    case PTX_SR_tid_x:
        return thread % block[0];
    case PTX_SR_tid_y:
        return thread / block[0] % block[1];
    case PTX_SR_tid_z:
        return thread / block[0] / block[1];
    case PTX_SR_ntid_x:
    case PTX_SR_ntid_y:
    case PTX_SR_ntid_z:
        return block[number - PTX_SR_ntid_x];
    case PTX_SR_ctaid_x:
    case PTX_SR_ctaid_y:
    case PTX_SR_ctaid_z:
        return w->cta->coordinate[number - PTX_SR_ctaid_x];
    case PTX_SR_nctaid_x:
    case PTX_SR_nctaid_y:
    case PTX_SR_nctaid_z:
        return l->grid[number - PTX_SR_nctaid_x];
    case PTX_SR_clusterid_x:
    case PTX_SR_clusterid_y:
    case PTX_SR_clusterid_z:
        return w->cta->coordinate[number - PTX_SR_clusterid_x];
    case PTX_SR_nclusterid_x:
    case PTX_SR_nclusterid_y:
    case PTX_SR_nclusterid_z:
        return l->grid[number - PTX_SR_nclusterid_x];
    case PTX_SR_cluster_nctaid_x:
    case PTX_SR_cluster_nctaid_y:
    case PTX_SR_cluster_nctaid_z:
    case PTX_SR_cluster_nctarank:
        return 1;
    case PTX_SR_laneid:
        return lane;
    case PTX_SR_warpid:
        return w->id % SM_WARPS;
    case PTX_SR_nwarpid:
        return SM_WARPS;
    case PTX_SR_smid:
        return w->id / SM_WARPS;
    case PTX_SR_nsmid:
        return d->config.sms;
    case PTX_SR_lanemask_eq:
        return bit;
    case PTX_SR_lanemask_lt:
        return bit - 1;
    case PTX_SR_lanemask_le:
        return bit | (bit - 1);
    case PTX_SR_lanemask_gt:
        return ~(bit | (bit - 1));
    case PTX_SR_lanemask_ge:
        return ~(bit - 1);
    case PTX_SR_clock:
    case PTX_SR_globaltimer_lo:
        return (uint32_t)now;
    case PTX_SR_clock_hi:
    case PTX_SR_globaltimer_hi:
        return now >> 32;
    case PTX_SR_clock64:
    case PTX_SR_globaltimer:
        return now;
    case PTX_SR_dynamic_smem_size:
        return l->shared - l->dynamic;
    case PTX_SR_total_smem_size:
        return l->shared;
    case PTX_SR_aggr_smem_size: /* with what the system has of it */
        return l->shared + sm_shared_of(d->config.cc).reserved;
    case PTX_SR_envreg1:
        return l->together >> 32;
    case PTX_SR_envreg2:
        return (uint32_t)l->together;
    case PTX_SR_ntid_w:
    case PTX_SR_nctaid_w:
        return 1;
    default: /* gridid, the other envregs, reserved ones, performance counters, .w */
        return 0;
    }
}

PTX_EXECUTOR(ptx_op_special)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint32_t lanes = ptx_lanes(w, o);
    const uint32_t *block = w->device->grid.launch.block;
    if (!is_of_lane(o->how)) {
        ptx_fill(frame + o->d, o->size, lanes, special(w, o->how, 0));
    } else if (o->how == PTX_SR_tid_x && o->size == 4 && lanes == UINT32_MAX) {
        uint32_t *D = (uint32_t *)(frame + o->d), x = w->index * SM_LANES % block[0];
        for (unsigned i = 0; i < SM_LANES; i++, x = x + 1 == block[0] ? 0 : x + 1)
            D[i] = x;
    } else {
        PTX_LEFT(i, lanes)
        ptx_put(frame + o->d, o->size, i, special(w, o->how, i));
    }
    return sm_next(u);
}

/* ---- lanes together ---- */

/* Those of some lanes that have the member mask of the first one, and the members among them all.
 * Without .sync (o->flag) all lanes are one group. */
static uint32_t group(const struct sm_warp *w, const struct ptx_op *o, uint32_t left,
                      uint32_t *members)
{
    const uint32_t *row = ptx_in(ptx_frame(w), &o->s[3]);
    uint32_t same = 0;
    *members = ptx_lanes(w, o);
    if (!o->flag)
        return left;
    const uint32_t mask = row[__builtin_ctz(left)];
    for (unsigned i = 0; i < SM_LANES; i++)
        same |= (uint32_t)(row[i] == mask) << i;
    *members &= mask;
    return same & left;
}

/* Tells who observes the machine which lanes execute a .sync at once, for each mask of members. */
__attribute__((noinline)) static void tell_together(const struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t *row = ptx_in(ptx_frame(w), &u->ptx->s[3]);
    const uint32_t lanes = ptx_lanes(w, u->ptx),
                   of_kind = (uint32_t)((uintptr_t)u->ptx->run >> 4) * 16 + u->ptx->how;
    uint32_t members;
    for (uint32_t left = lanes, same; left; left &= ~same) {
        same = group(w, u->ptx, left, &members);
        wt_wave_tell(&w->device->machine, &w->head,
                     &(struct wt_observed_event){.kind = WT_SEEN_TOGETHER,
                                                 .pc = sm_pc_of(w, u),
                                                 .lanes = same,
                                                 .apart = u->ptx->run == ptx_op_warp_barrier,
                                                 .number = of_kind,
                                                 .named = row[__builtin_ctz(left)],
                                                 .present = lanes,
                                                 .live = w->live});
    }
}

/* Waits for the members of a .sync (o->flag). False: *next is to be returned. */
static bool together(struct sm_warp *w, const struct sm_uop *u, const struct sm_uop **next)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    *next = sm_next(u);
    if (!lanes)
        return false;
    if (!o->flag)
        return true;
    if (!ptx_converge(w, u, ptx_in(ptx_frame(w), &o->s[3]), next))
        return false;
    if (wt_observes_events(&w->device->machine))
        tell_together(w, u);
    return true;
}

/* An observer is told of those that have come together. */
PTX_EXECUTOR(ptx_op_warp_barrier)
{
    const struct sm_uop *next;
    if (!together(w, u, &next))
        return next;
    if (!wt_observes_events(&w->device->machine))
        return sm_next(u);
    struct wt_observed_event event = {.kind = WT_SEEN_ARRIVE,
                                      .pc = sm_pc_of(w, u),
                                      .lanes = ptx_lanes(w, u->ptx),
                                      .barrier = WT_BARRIER_LANES};
    wt_wave_tell(&w->device->machine, &w->head, &event);
    event.kind = WT_SEEN_RELEASE;
    event.pc = 0;
    wt_wave_tell(&w->device->machine, &w->head, &event);
    return sm_next(u);
}

enum { UP, DOWN, BUTTERFLY, INDEX };

PTX_EXECUTOR(ptx_op_shuffle)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next;
    if (!together(w, u, &next))
        return next;
    uint8_t *frame = ptx_frame(w);
    const uint32_t *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]),
                   *C = ptx_in(frame, &o->s[2]), *members = ptx_in(frame, &o->s[3]);
    const uint32_t lanes = ptx_lanes(w, o);
    uint32_t result[SM_LANES], holds = 0, readers = 0, sources = 0;
    PTX_LEFT(i, lanes)
    {
        const uint32_t b = B[i] & 31, c = C[i] & 31, mask = C[i] >> 8 & 31;
        const int most = (int)((i & mask) | (c & ~mask)), least = (int)(i & mask);
        int j;
        bool inside;
        switch (o->how) {
        case UP:
            j = (int)i - (int)b;
            inside = j >= most;
            break;
        case DOWN:
            j = (int)(i + b);
            inside = j <= most;
            break;
        case BUTTERFLY:
            j = (int)(i ^ b);
            inside = j <= most;
            break;
        default:
            j = least | (int)(b & ~mask);
            inside = j <= most;
            break;
        }
        j = inside ? j : (int)i;
        /* A lane that is no member, or that has ended, has no value (9.7.9.6): NVIDIA's GPUs give
         * 0. Without .sync the register of a lane that is not there is read. */
        const uint32_t there = o->flag ? members[i] & lanes : lanes;
        result[i] = !o->flag || there >> j & 1 ? A[j] : 0;
        holds |= (uint32_t)inside << i;
        if (!(there >> j & 1)) {
            readers |= 1u << i;
            sources |= 1u << j;
        }
    }
    if (readers && wt_observes_events(&w->device->machine))
        wt_wave_tell(&w->device->machine, &w->head,
                     &(struct wt_observed_event){.kind = WT_SEEN_EXCHANGE,
                                                 .pc = sm_pc_of(w, u),
                                                 .lanes = readers,
                                                 .shifts = o->how == UP || o->how == DOWN,
                                                 .named = sources});
    if (o->d2 != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d2, holds, lanes);
    if (o->d != PTX_NO_SLOT)
        PTX_LEFT(i, lanes)
    ((uint32_t *)(frame + o->d))[i] = result[i];
    return sm_next(u);
}

enum { ALL, ANY, UNIFORM, BALLOT };

PTX_EXECUTOR(ptx_op_vote)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next;
    if (!together(w, u, &next))
        return next;
    uint8_t *frame = ptx_frame(w);
    const uint32_t lanes = ptx_lanes(w, o);
    uint32_t voters, holds = 0;
    for (uint32_t left = lanes, same; left; left &= ~same) {
        same = group(w, o, left, &voters);
        const uint32_t yes = ptx_mask(frame, &o->s[0]) & voters;
        if (o->how == BALLOT) {
            PTX_LEFT(i, same)
            ((uint32_t *)(frame + o->d))[i] = yes;
        } else if (o->how == ANY ? yes != 0 : yes == voters || (o->how == UNIFORM && yes == 0)) {
            holds |= same;
        }
    }
    if (o->how != BALLOT)
        ptx_set_mask(frame, o->d, holds, lanes);
    return sm_next(u);
}

/* match.any: who has my value; match.all: everyone, if all have it. */
PTX_EXECUTOR(ptx_op_match)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next;
    if (!together(w, u, &next))
        return next;
    uint8_t *frame = ptx_frame(w);
    const void *A = ptx_in(frame, &o->s[0]);
    const uint32_t lanes = ptx_lanes(w, o);
    uint32_t result[SM_LANES], all = 0, voters;
    for (uint32_t left = lanes, of; left; left &= ~of) {
        of = group(w, o, left, &voters);
        PTX_LEFT(i, of)
        {
            uint32_t same = 0;
            PTX_LEFT(k, voters)
            if (ptx_get(A, o->size, k) == ptx_get(A, o->size, i))
                same |= 1u << k;
            result[i] = o->how == ALL && same != voters ? 0 : same;
            all |= (uint32_t)(same == voters) << i;
        }
    }
    if (o->d2 != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d2, all, lanes);
    if (o->d != PTX_NO_SLOT)
        PTX_LEFT(i, lanes)
    ((uint32_t *)(frame + o->d))[i] = result[i];
    return sm_next(u);
}

enum { ADD, MIN, MAX, AND, OR, XOR };

static uint32_t reduced(const struct ptx_op *o, const uint32_t *A, uint32_t voters)
{
    uint32_t r = voters ? A[__builtin_ctz(voters)] : 0;
    PTX_LEFT(i, voters & (voters - 1))
    {
        const uint32_t a = A[i];
        const bool less = o->is_signed ? (int32_t)a < (int32_t)r : a < r;
        switch (o->how) {
        case ADD:
            r += a;
            break;
        case MIN:
            r = less ? a : r;
            break;
        case MAX:
            r = less ? r : a;
            break;
        case AND:
            r &= a;
            break;
        case OR:
            r |= a;
            break;
        default:
            r ^= a;
            break;
        }
    }
    return r;
}

PTX_EXECUTOR(ptx_op_reduce)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next;
    if (!together(w, u, &next))
        return next;
    uint8_t *frame = ptx_frame(w);
    uint32_t A[SM_LANES], voters; /* the destination may be the source */
    memcpy(A, ptx_in(frame, &o->s[0]), sizeof A);
    for (uint32_t left = ptx_lanes(w, o), same; left; left &= ~same) {
        same = group(w, o, left, &voters);
        const uint32_t r = reduced(o, A, voters);
        PTX_LEFT(k, same)
        ((uint32_t *)(frame + o->d))[k] = r;
    }
    return sm_next(u);
}

/* The lowest of the members is elected: any would do, always the same (9.7.13.15). */
PTX_EXECUTOR(ptx_op_elect)
{
    const struct ptx_op *o = u->ptx;
    const struct sm_uop *next;
    if (!together(w, u, &next))
        return next;
    uint8_t *frame = ptx_frame(w);
    const uint32_t lanes = ptx_lanes(w, o);
    uint32_t voters, leaders = 0;
    for (uint32_t left = lanes, same; left; left &= ~same) {
        same = group(w, o, left, &voters);
        const uint32_t leader = voters ? (uint32_t)__builtin_ctz(voters) : 0;
        leaders |= voters & 1u << leader;
        if (o->d != PTX_NO_SLOT)
            ptx_fill(frame + o->d, 4, same, leader);
    }
    if (o->d2 != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d2, leaders, lanes);
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_active)
{
    const struct ptx_op *o = u->ptx;
    PTX_LEFT(i, ptx_lanes(w, o))
    ((uint32_t *)(ptx_frame(w) + o->d))[i] = w->mask;
    return sm_next(u);
}
