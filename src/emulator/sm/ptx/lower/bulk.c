/* Lowering of cp.async and cp.async.bulk (exec/bulk.c). */
#include <string.h>

#include "emulator/machine/observe_copies.h"
#include "emulator/sm/ptx/exec/bulk.h"
#include "emulator/sm/ptx/lower/body.h"

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
