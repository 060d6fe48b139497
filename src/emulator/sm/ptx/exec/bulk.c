/*
 * PTX: cp, and of it cp.async.bulk without tensors (manual 9.7.9.25). A copy is done at once; one
 * that completes at an mbarrier is followed by a record that completes its bytes there. Of groups
 * an observer is told.
 */
#include "emulator/machine/observe_copies.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/exec/bulk.h"

static uint64_t address(const struct ptx_op *o, const uint8_t *frame, unsigned which, unsigned lane)
{
    const void *row = ptx_in(frame, &o->s[which]);
    return which ? ptx_get(row, o->element, lane) + (uint64_t)(int32_t)o->index
                 : ptx_get(row, o->from_type, lane) + (uint64_t)o->offset;
}

/* 16 bytes of each lane that has so many left. False: *next. */
static bool copy_piece(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes, uint32_t at,
                       const struct sm_uop **next)
{
    const struct ptx_op *o = u->ptx;
    const bool loads_shared = o->how != TO_SHARED, stores_shared = o->how != TO_GLOBAL;
    struct sm_access loads, stores;
    uint64_t source[SM_LANES], target[SM_LANES];
    sm_access_begin(&loads, lanes, PIECE, WT_WATCH_READ);
    sm_access_begin(&stores, lanes, PIECE, WT_WATCH_WRITE);
    PTX_LEFT(k, lanes)
    {
        target[k] = address(o, ptx_frame(w), 0, k) + at;
        source[k] = address(o, ptx_frame(w), 1, k) + at;
    }
    if (sm_has_judge(w)) {
        sm_access_judge(w, u, loads_shared ? SM_JUDGED_SHARED : SM_JUDGED_GLOBAL, &loads, source);
        sm_access_judge(w, u, stores_shared ? SM_JUDGED_SHARED : SM_JUDGED_GLOBAL, &stores, target);
    }
    PTX_LEFT(i, lanes)
    {
        if (loads_shared)
            sm_reach_shared(w, i, source[i], &loads);
        else
            sm_reach_global(w, i, source[i], false, &loads);
        if (stores_shared)
            sm_reach_shared(w, i, target[i], &stores);
        else
            sm_reach_global(w, i, target[i], false, &stores);
    }
    if (loads.stray || stores.stray) {
        *next = sm_stray(w, u, loads.stray ? &loads : &stores);
        return false;
    }
    PTX_LEFT(i, loads.lanes & stores.lanes)
    {
        uint8_t bytes[PIECE];
        sm_load_bytes(w, u, &loads, i, bytes);
        if (!sm_store_bytes(w, u, &stores, i, WT_WATCH_WRITE, bytes)) {
            *next = sm_no_memory(w, u, stores.addr[i]);
            return false;
        }
    }
    return true;
}

/* s[0], offset: to; s[1], index: from; s[2]: bytes. */
PTX_EXECUTOR(ptx_op_bulk_copy)
{
    const struct ptx_op *o = u->ptx;
    const uint8_t *frame = ptx_frame(w);
    const uint32_t *size = ptx_in(frame, &o->s[2]), lanes = ptx_lanes(w, o);
    const struct sm_uop *next = sm_next(u);
    uint32_t most = 0, wrong = 0;
    PTX_LEFT(i, lanes)
    {
        const uint64_t places = address(o, frame, 0, i) | address(o, frame, 1, i);
        wrong |= (uint32_t)((places | size[i]) % PIECE != 0) << i;
        most = size[i] > most ? size[i] : most;
    }
    if (wrong)
        return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, wrong, 0,
                        "a bulk copy of %u bytes; addresses and bytes are multiples of %u",
                        size[__builtin_ctz(wrong)], PIECE);
    ptx_tell_copies(w, u, WT_SEEN_COPY, lanes, WT_COPIES_BULK);
    for (uint32_t at = 0; at < most; at += PIECE) {
        uint32_t left = 0;
        PTX_LEFT(i, lanes)
        left |= (uint32_t)(at < size[i]) << i;
        if (!copy_piece(w, u, left, at, &next))
            return next;
    }
    return next;
}
