/* Lowers instructions on the CTA and the warp: barriers, shuffles, votes. */
#include "emulator/sm/ptx/lower/body.h"

#include <string.h>

enum { SYNC, ARRIVE, REDUCE, CLUSTER_ARRIVE, CLUSTER_WAIT };

/* barrier.cluster.arrive{.release,.relaxed}{.aligned}, .wait{.acquire}{.aligned} */
static bool lower_cluster_barrier(struct body *b)
{
    const struct ptx_form *f = &b->form;
    struct ptx_op record = body_blank();
    const bool arrives = ptx_has(f, PTX_WORD_arrive), ordered = f->fields & SEM;
    if (arrives == ptx_has(f, PTX_WORD_wait) || ptx_has(f, PTX_WORD_sync) ||
        ptx_has(f, PTX_WORD_red) ||
        (ordered && (arrives ? f->order != WT_ORDER_RELEASE && f->order != WT_ORDER_RELAXED
                             : f->order != WT_ORDER_ACQUIRE)))
        return body_unsupported(b);
    if (body_operand_count(b))
        return body_fail(b, "the number of operands is wrong");
    record.how = arrives ? CLUSTER_ARRIVE : CLUSTER_WAIT;
    record.flag = !ptx_has(f, PTX_WORD_aligned);
    b->image->clusters = true;
    return body_put_record(b, ptx_op_barrier, &record);
}

bool ptx_lower_barrier(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    struct ptx_op record = body_blank();
    unsigned at = 0;
    uint32_t d = NONE;
    const unsigned count = body_operand_count(b);
    if (ptx_has(f, PTX_WORD_warp)) {
        record.flag = true;
        return body_source(b, body_operand(b, 0), PTX_U32, &record.s[3]) &&
               body_put_record(b, ptx_op_warp_barrier, &record);
    }
    if (strncmp(b->s->name.at, "barrier.cluster.", 16) == 0)
        return lower_cluster_barrier(b);
    if (!count)
        return body_fail(b, "the number of operands is wrong");
    const bool reduces = ptx_has(f, PTX_WORD_red);
    record.how = reduces ? REDUCE : ptx_has(f, PTX_WORD_arrive) ? ARRIVE : SYNC;
    record.combine = f->combine;
    record.flag = !ptx_has(f, PTX_WORD_aligned) && memcmp(b->s->name.at, "barr", 4) == 0;
    if (!reduces && record.how == SYNC && !ptx_has(f, PTX_WORD_sync) && count)
        return body_unsupported(b);
    if (reduces) {
        if (!(f->fields & BOOL) || f->combine == 2 || count < 3)
            return body_unsupported(b);
        if (!body_destination(b, body_operand(b, at++), f->combine == 3 ? PTX_U32 : PTX_PRED, &d))
            return false;
    }
    if (!body_source(b, body_operand(b, at++), PTX_U32, &record.s[0]) ||
        !body_constant(b, PTX_U32, 0, &record.s[1]))
        return false;
    if (count > at + reduces && !body_source(b, body_operand(b, at++), PTX_U32, &record.s[1]))
        return false;
    if (reduces && !body_source(b, body_operand(b, at++), PTX_PRED, &record.s[2]))
        return false;
    if (at != count)
        return body_fail(b, "the number of operands is wrong");
    const uint32_t *number = record.s[0].constant, *threads = record.s[1].constant;
    if (record.how == SYNC && number && *number < SM_BARRIERS && threads && !*threads)
        record.index = *number + 1; /* it is known, and all threads of the CTA come to it */
    if (!body_put_record(b, ptx_op_barrier, &record))
        return false;
    if (!reduces)
        return true;
    struct ptx_op *o = body_emit_guarded(b, ptx_op_barrier_result);
    if (!o)
        return false;
    o->d = d;
    o->flag = f->combine != 3;
    return true;
}

/* Operand n, if it is there, is the mask of members. */
static bool member_mask(struct body *b, unsigned n, struct ptx_op *record)
{
    record->flag = ptx_has(&b->form, PTX_WORD_sync);
    if (record->flag != (body_operand_count(b) > n))
        return body_fail(b, "the number of operands is wrong");
    return !record->flag || body_source(b, body_operand(b, n), PTX_U32, &record->s[3]);
}

bool ptx_lower_shuffle(struct body *b, enum ptx_math op)
{
    static const uint8_t modes[] = {PTX_WORD_up, PTX_WORD_down, PTX_WORD_bfly, PTX_WORD_idx};
    const struct ptx_operand *to = body_operand(b, 0);
    struct ptx_op record = body_blank();
    unsigned mode = 0;
    while (mode < sizeof modes && !ptx_has(&b->form, (enum ptx_word)modes[mode]))
        mode++;
    if (mode == sizeof modes || b->form.type[0] != PTX_B32)
        return body_unsupported(b);
    record.how = (uint8_t)mode;
    if (to->kind == PTX_OPERAND_PAIR) {
        if (!body_optional_destination(b, body_item(b, to, 0), PTX_B32, &record.d) ||
            !body_optional_destination(b, body_item(b, to, 1), PTX_PRED, &record.d2))
            return false;
    } else if (!body_optional_destination(b, to, PTX_B32, &record.d)) {
        return false;
    }
    return body_source(b, body_operand(b, 1), PTX_B32, &record.s[0]) &&
           body_source(b, body_operand(b, 2), PTX_B32, &record.s[1]) &&
           body_source(b, body_operand(b, 3), PTX_B32, &record.s[2]) &&
           member_mask(b, 4, &record) && body_put_record(b, ptx_op_shuffle, &record);
}

bool ptx_lower_vote(struct body *b, enum ptx_math op)
{
    static const uint8_t modes[] = {PTX_WORD_all, PTX_WORD_any, PTX_WORD_uni, PTX_WORD_ballot};
    struct ptx_op record = body_blank();
    unsigned mode = 0;
    while (mode < sizeof modes && !ptx_has(&b->form, (enum ptx_word)modes[mode]))
        mode++;
    const bool ballot = mode == 3;
    if (mode == sizeof modes || b->form.type[0] != (ballot ? PTX_B32 : PTX_PRED))
        return body_unsupported(b);
    record.how = (uint8_t)mode;
    return body_destination(b, body_operand(b, 0), b->form.type[0], &record.d) &&
           body_source(b, body_operand(b, 1), PTX_PRED, &record.s[0]) &&
           member_mask(b, 2, &record) && body_put_record(b, ptx_op_vote, &record);
}

bool ptx_lower_match(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *to = body_operand(b, 0);
    const enum ptx_type t = b->form.type[0];
    struct ptx_op record = body_blank();
    const bool all = ptx_has(&b->form, PTX_WORD_all);
    if ((!all && !ptx_has(&b->form, PTX_WORD_any)) || (t != PTX_B32 && t != PTX_B64))
        return body_unsupported(b);
    record.how = all ? 0 : 1;
    record.size = (uint8_t)ptx_type_class(t);
    if (to->kind == PTX_OPERAND_PAIR && all) {
        if (!body_optional_destination(b, body_item(b, to, 0), PTX_B32, &record.d) ||
            !body_optional_destination(b, body_item(b, to, 1), PTX_PRED, &record.d2))
            return false;
    } else if (!body_optional_destination(b, to, PTX_B32, &record.d)) {
        return false;
    }
    return body_source(b, body_operand(b, 1), t, &record.s[0]) && member_mask(b, 2, &record) &&
           body_put_record(b, ptx_op_match, &record);
}

bool ptx_lower_redux(struct body *b, enum ptx_math op)
{
    static const uint8_t order[] = {SM_ATOMIC_ADD, SM_ATOMIC_MIN, SM_ATOMIC_MAX,
                                    SM_ATOMIC_AND, SM_ATOMIC_OR,  SM_ATOMIC_XOR};
    struct ptx_op record = body_blank();
    unsigned how = 0;
    while (how < sizeof order && order[how] != b->form.atom)
        how++;
    if (how == sizeof order || !(b->form.fields & ATOM) || ptx_type_class(b->form.type[0]) != 4)
        return body_unsupported(b);
    record.how = (uint8_t)how;
    record.is_signed = ptx_type_is_signed(b->form.type[0]);
    return body_destination(b, body_operand(b, 0), PTX_B32, &record.d) &&
           body_source(b, body_operand(b, 1), PTX_B32, &record.s[0]) &&
           member_mask(b, 2, &record) && body_put_record(b, ptx_op_reduce, &record);
}

bool ptx_lower_elect(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *to = body_operand(b, 0);
    struct ptx_op record = body_blank();
    if (!ptx_name_is(b->s->name, "elect.sync") || to->kind != PTX_OPERAND_PAIR)
        return body_unsupported(b);
    record.flag = true;
    return body_optional_destination(b, body_item(b, to, 0), PTX_B32, &record.d) &&
           body_optional_destination(b, body_item(b, to, 1), PTX_PRED, &record.d2) &&
           body_source(b, body_operand(b, 1), PTX_U32, &record.s[3]) &&
           body_put_record(b, ptx_op_elect, &record);
}

bool ptx_lower_active(struct body *b, enum ptx_math op)
{
    struct ptx_op record = body_blank();
    return body_destination(b, body_operand(b, 0), PTX_B32, &record.d) &&
           body_put_record(b, ptx_op_active, &record);
}
