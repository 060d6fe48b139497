/*
 * PTX: cp, and of it cp.async.bulk without tensors (manual 9.7.9.25). A copy is done at once; one
 * that completes at an mbarrier is followed by a record that completes its bytes there. Of groups
 * an observer is told.
 */
#include <string.h>

#include "emulator/machine/observe_copies.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/lower/body.h"
#include "emulator/sm/ptx/image.h"

enum { PIECE = 16 };

enum destination { TO_SHARED, TO_GLOBAL, OWN_SHARED };

static const struct bulk_form {
    const char *words;
    enum destination to;
    bool may_hint;
} forms[] = {
    {"shared::cluster.global.mbarrier::complete_tx::bytes", TO_SHARED, true},
    {"shared::cta.global.mbarrier::complete_tx::bytes", TO_SHARED, true},
    {"shared::cluster.shared::cta.mbarrier::complete_tx::bytes", OWN_SHARED, false},
    {"global.shared::cta.bulk_group", TO_GLOBAL, true},
};

/* The words behind "cp.async.bulk.", without a hint for caches at their end. */
static struct ptx_name words_of(struct ptx_name opcode, bool *hints)
{
    static const char begin[] = "cp.async.bulk.", hint[] = ".L2::cache_hint";
    struct ptx_name words = {opcode.at + strlen(begin), opcode.length - (uint32_t)strlen(begin)};
    *hints = words.length > strlen(hint) &&
             memcmp(words.at + words.length - strlen(hint), hint, strlen(hint)) == 0;
    words.length -= *hints ? (uint32_t)strlen(hint) : 0;
    return words;
}

/* An address; the record has where it is and its offset. */
static bool lower_place(struct body *b, unsigned n, enum ptx_space space, struct ptx_op *record)
{
    const struct ptx_operand *o = body_operand(b, n);
    return o->kind == PTX_OPERAND_MEMORY ? body_address(b, o, &space, record)
                                         : body_fail_at(b, o, "an address is wanted");
}

static bool lower_copy(struct body *b, enum destination to, bool hints)
{
    const bool completes = to != TO_GLOBAL;
    const enum ptx_space target = to == TO_GLOBAL ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED,
                         source = to == TO_SHARED ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
    struct ptx_op record = body_blank(), from = body_blank(), barrier = body_blank();
    struct ptx_source policy = {0};
    const unsigned count = 3u + completes + hints;
    if (body_operand_count(b) != count)
        return body_fail(b, "the number of operands is wrong");
    if (!lower_place(b, 0, target, &record) || !lower_place(b, 1, source, &from) ||
        !body_source(b, body_operand(b, 2), PTX_U32, &record.s[2]) ||
        (hints && !body_source(b, body_operand(b, count - 1), PTX_B64, &policy)))
        return false;
    record.s[1] = from.s[0];
    record.element = from.from_type;
    record.index = (uint32_t)from.offset;
    record.how = (uint8_t)to;
    record.size = PIECE;
    if (!completes)
        return body_put_record(b, ptx_op_bulk_copy, &record);
    if (!lower_place(b, 3, PTX_SPACE_SHARED, &barrier))
        return false;
    return body_put_record(b, ptx_op_bulk_copy, &record) &&
           ptx_put_completion(b, &barrier, &record.s[2]);
}

static bool lower_bulk(struct body *b)
{
    bool hints;
    const struct ptx_name words = words_of(b->s->name, &hints);
    const unsigned count = body_operand_count(b);
    const bool waits = ptx_name_is(words, "wait_group") || ptx_name_is(words, "wait_group.read");
    struct ptx_source unused = {0};
    struct ptx_op place = body_blank();
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (ptx_name_is(words, forms[i].words) && hints <= forms[i].may_hint)
            return lower_copy(b, forms[i].to, hints);
    if (ptx_name_is(words, "prefetch.L2.global"))
        return count != 2u + hints ? body_fail(b, "the number of operands is wrong")
                                   : lower_place(b, 0, PTX_SPACE_GLOBAL, &place) &&
                                         body_source(b, body_operand(b, 1), PTX_U32, &unused) &&
                                         body_emit_guarded(b, ptx_op_nop) != NULL;
    if ((!waits && !ptx_name_is(words, "commit_group")) || hints)
        return body_unsupported(b);
    if (count != waits || (waits && body_operand(b, 0)->kind != PTX_OPERAND_INTEGER))
        return body_fail(b, waits ? "a number of groups is wanted" : "there are no operands");
    place.flag = !waits;
    place.index = WT_COPIES_BULK | (waits ? (uint32_t)body_operand(b, 0)->value : 0);
    return body_put_record(b, ptx_op_copy_wait, &place);
}

bool ptx_lower_asynchronous(struct body *b, enum ptx_math op)
{
    if (!(b->form.fields & FREE))
        return ptx_lower_copy(b, op);
    if (strncmp(b->s->name.at, "cp.async.bulk.", 14) == 0)
        return lower_bulk(b);
    return strncmp(b->s->name.at, "cp.async.mbarrier.", 18) == 0 ? ptx_lower_mbarrier(b, op)
                                                                 : body_unsupported(b);
}

/* ---- execution ---- */

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
