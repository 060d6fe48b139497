/*
 * PTX: barriers in shared memory (manual 9.7.13.15). An object of 64 bits, whose layout is ours,
 * has the arrivals that are pending, those that each phase expects, the bytes of transactions that
 * are to come, and the phase. A wait looks once: the program repeats it.
 */
#include "emulator/machine/observe_copies.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/exec/mbarrier.h"

struct barrier {
    uint32_t pending, expected;
    int32_t bytes;
    bool phase;
};

enum { COUNT_BITS = 20, COUNT_MASK = (1 << COUNT_BITS) - 1, BYTES_BITS = 23 };

static struct barrier unpack(uint64_t object)
{
    return (struct barrier){
        .pending = object & COUNT_MASK,
        .expected = object >> COUNT_BITS & COUNT_MASK,
        .bytes = (int32_t)wt_sign_extend(object >> 2 * COUNT_BITS, BYTES_BITS),
        .phase = object >> 63,
    };
}

static uint64_t pack(const struct barrier *b)
{
    const uint64_t bytes = (uint64_t)(int64_t)b->bytes & ((1u << BYTES_BITS) - 1);
    return (b->pending & COUNT_MASK) | (uint64_t)(b->expected & COUNT_MASK) << COUNT_BITS |
           bytes << 2 * COUNT_BITS | (uint64_t)b->phase << 63;
}

/* One lane's operation on the object; the phase is complete when nothing is to come. */
static uint64_t changed(const struct ptx_op *o, uint64_t object, uint32_t operand)
{
    struct barrier b = unpack(object);
    switch ((enum mbarrier_operation)o->how) {
    case INIT:
        b = (struct barrier){.pending = operand, .expected = operand};
        return pack(&b);
    case ARRIVE:
    case DROP:
        b.bytes += o->combine ? (int32_t)operand : 0;
        operand = o->combine ? 1 : operand;
        b.pending -= operand;
        b.expected -= o->how == DROP ? operand : 0;
        break;
    case EXPECT:
        b.bytes += (int32_t)operand;
        break;
    case COMPLETE:
        b.bytes -= (int32_t)operand;
        break;
    default:
        return object;
    }
    if (!(b.pending & COUNT_MASK) && !b.bytes) {
        b.pending = b.expected;
        b.phase = !b.phase;
    }
    return pack(&b);
}

/* Copies that are done with a phase: they complete there (flag), or lanes have waited for it. */
static void tell_phases(const struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                        const uint32_t phase[static SM_LANES], enum wt_observed_event_kind kind,
                        uint32_t how)
{
    while (lanes) {
        const uint32_t number = phase[__builtin_ctz(lanes)];
        uint32_t same = 0;
        PTX_LEFT(i, lanes)
        same |= (uint32_t)(phase[i] == number) << i;
        ptx_tell_copies(w, u, kind, same, number | how);
        lanes &= ~same;
    }
}

PTX_EXECUTOR(ptx_op_mbarrier)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const void *row = ptx_in(frame, &o->s[0]), *operand = ptx_in(frame, &o->s[1]);
    const bool tests = o->how >= TEST;
    const enum wt_watch_kind kind = tests ? WT_WATCH_READ : WT_WATCH_ACCESS;
    const uint32_t lanes = ptx_lanes(w, o);
    uint32_t complete = 0, over = 0;
    struct sm_access a;
    sm_access_begin(&a, lanes, 8, kind);
    uint64_t at[SM_LANES];
    uint32_t phase[SM_LANES];
    for (unsigned i = 0; i < SM_LANES; i++)
        at[i] = ptx_get(row, o->from_type, i) + (uint64_t)o->offset;
    const bool shared = o->space == PTX_SPACE_SHARED;
    if (sm_has_judge(w))
        sm_access_judge(w, u, shared ? SM_JUDGED_SHARED : SM_JUDGED_GENERIC, &a, at);
    PTX_LEFT(i, a.lanes)
    {
        if (shared)
            sm_reach_shared(w, i, at[i], &a);
        else
            sm_reach_global(w, i, at[i], true, &a);
    }
    if (a.stray)
        return sm_stray(w, u, &a);
    PTX_LEFT(k, !tests && o->d != PTX_NO_SLOT ? a.refused : 0)
    ((uint64_t *)(frame + o->d))[k] = 0;
    complete |= a.refused; /* so that nobody waits for ever */
    PTX_LEFT(i, a.lanes)
    {
        uint8_t bytes[16];
        sm_load_bytes(w, u, &a, i, bytes);
        const uint64_t object = wt_load_le(bytes, 8);
        phase[i] = WT_COPIES_PHASE | (uint32_t)(a.addr[i] << 1 | (object >> 63 ^ tests));
        if (o->how == TEST)
            complete |= (uint32_t)((object ^ ((const uint64_t *)operand)[i]) >> 63) << i;
        else if (o->how == TEST_PARITY)
            complete |= (uint32_t)(object >> 63 ^ (((const uint32_t *)operand)[i] & 1)) << i;
        if (tests)
            continue;
        const uint64_t now = changed(o, object, ((const uint32_t *)operand)[i]);
        over |= (uint32_t)(o->how != INIT && (now ^ object) >> 63) << i;
        wt_store_le(bytes, now, 8);
        if (!sm_store_bytes(w, u, &a, i, kind, bytes))
            return sm_no_memory(w, u, a.addr[i]);
        if (o->d != PTX_NO_SLOT)
            ((uint64_t *)(frame + o->d))[i] = object;
    }
    tell_phases(w, u,
                a.shared & a.lanes &
                    (tests     ? complete
                     : o->flag ? lanes
                               : 0),
                phase, o->flag ? WT_SEEN_COMMIT : WT_SEEN_COPIED,
                o->how == COMPLETE ? WT_COPIES_BULK : 0);
    tell_phases(w, u, a.shared & a.lanes & over, phase, WT_SEEN_COPIED, WT_COPIES_UNSEEN);
    if (tests && o->d != PTX_NO_SLOT)
        ptx_set_mask(frame, o->d, complete, lanes);
    return sm_next(u);
}

PTX_EXECUTOR(ptx_op_pending_count)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint64_t *state = ptx_in(frame, &o->s[0]);
    PTX_LEFT(i, ptx_lanes(w, o))
    ((uint32_t *)(frame + o->d))[i] = state[i] & COUNT_MASK;
    return sm_next(u);
}
