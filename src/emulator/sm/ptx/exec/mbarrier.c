/*
 * PTX: barriers in shared memory (manual 9.7.13.15). An object of 64 bits, whose layout is ours,
 * has the arrivals that are pending, those that each phase expects, the bytes of transactions that
 * are to come, and the phase. A wait looks once: the program repeats it.
 */
#include <stdio.h>
#include <string.h>

#include "emulator/machine/observe_copies.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/lower/body.h"
#include "emulator/sm/ptx/image.h"

enum operation { INIT, INVALIDATE, ARRIVE, DROP, EXPECT, COMPLETE, TEST, TEST_PARITY };

/* Operations by their words. The letters of `operands` are the result d, the address a, a count of
 * arrivals c, bytes t, a state s, a parity p. An operand in brackets is optional. */
static const struct mbarrier_form {
    const char *words;
    enum operation how;
    const char *operands;
    bool no_complete;
} forms[] = {
    {"init", INIT, "ac", false},
    {"inval", INVALIDATE, "a", false},
    {"arrive", ARRIVE, "da(c", false},
    {"arrive.noComplete", ARRIVE, "dac", true},
    {"arrive.expect_tx", ARRIVE, "dat", false},
    {"arrive_drop", DROP, "da(c", false},
    {"arrive_drop.noComplete", DROP, "dac", true},
    {"arrive_drop.expect_tx", DROP, "dat", false},
    {"expect_tx", EXPECT, "at", false},
    {"complete_tx", COMPLETE, "at", false},
    {"test_wait", TEST, "das", false},
    {"test_wait.parity", TEST_PARITY, "dap", false},
    {"try_wait", TEST, "das(h", false},
    {"try_wait.parity", TEST_PARITY, "dap(h", false},
    /* cp: its copies are done, so that one arrival more is expected and comes at once */
    {"async.mbarrier.arrive", EXPECT, "a", false},
    {"async.mbarrier.arrive.noinc", ARRIVE, "a", false},
};

/* The words of an opcode that are neither of order nor of a place, which mean nothing here. */
static bool read_words(struct ptx_name opcode, char words[static 64])
{
    static const char *const silent[] = {"acquire", "release",     "relaxed",
                                         "cta",     "cluster",     "shared",
                                         "b64",     "shared::cta", "shared::cluster"};
    char text[100], *rest = NULL;
    snprintf(text, sizeof text, "%.*s", (int)opcode.length, opcode.at);
    *words = 0;
    strtok_r(text, ".", &rest);
    for (const char *word; (word = strtok_r(NULL, ".", &rest));) {
        bool is_silent = false;
        for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
            is_silent = is_silent || strcmp(word, silent[i]) == 0;
        if (is_silent)
            continue;
        if (strlen(words) + strlen(word) + 2 > 64)
            return false;
        strcat(words, *words ? "." : "");
        strcat(words, word);
    }
    return true;
}

static PTX_EXECUTOR(ptx_op_pending_count);

static bool lower_pending_count(struct body *b)
{
    struct ptx_op record = body_blank();
    return body_destination(b, body_operand(b, 0), PTX_B32, &record.d) &&
           body_source(b, body_operand(b, 1), PTX_B64, &record.s[0]) &&
           body_put_record(b, ptx_op_pending_count, &record);
}

bool ptx_lower_mbarrier(struct body *b, enum ptx_math op)
{
    const struct mbarrier_form *form = NULL;
    enum ptx_space space = b->form.space;
    struct ptx_op record = body_blank();
    char words[64];
    if (b->form.type_count != 1 || b->form.type[0] != PTX_B64 || !read_words(b->s->name, words))
        return body_unsupported(b);
    if (strcmp(words, "pending_count") == 0 && body_operand_count(b) == 2)
        return lower_pending_count(b);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(words, forms[i].words) == 0)
            form = &forms[i];
    if (!form)
        return body_unsupported(b);
    const bool tests = form->how >= TEST;
    record.how = (uint8_t)form->how;
    record.flag = strncmp(words, "async.", 6) == 0;
    record.combine = strstr(words, "expect_tx") && form->how != EXPECT; /* and expects bytes */
    if (!body_constant(b, PTX_U32, !record.combine && form->how != EXPECT, &record.s[1]))
        return false;
    unsigned at = 0;
    bool is_needed = true;
    for (const char *o = form->operands; *o; o++) {
        if (*o == '(') {
            is_needed = false;
            continue;
        }
        if (at >= body_operand_count(b)) {
            if (!is_needed)
                continue;
            return body_fail(b, "the number of operands is wrong");
        }
        const struct ptx_operand *operand = body_operand(b, at++);
        bool good = true;
        if (*o == 'd')
            good = body_optional_destination(b, operand, tests ? PTX_PRED : PTX_B64, &record.d);
        else if (*o == 'a')
            good = operand->kind == PTX_OPERAND_MEMORY
                       ? body_address(b, operand, &space, &record)
                       : body_fail_at(b, operand, "an address is wanted");
        else
            good = body_source(b, operand, *o == 's' ? PTX_B64 : PTX_U32,
                               &record.s[*o == 'h' ? 2 : 1]);
        if (!good)
            return false;
    }
    if (at != body_operand_count(b))
        return body_fail(b, "the number of operands is wrong");
    record.space = (uint8_t)space;
    /* Without words of their own arrivals release, and tests acquire, in the CTA. */
    record.order = (uint8_t)(b->form.fields & SEM                       ? b->form.order
                             : tests                                    ? WT_ORDER_ACQUIRE
                             : form->how == ARRIVE || form->how == DROP ? WT_ORDER_RELEASE
                                                                        : WT_ORDER_RELAXED);
    record.scope = (uint8_t)(b->form.fields & SCOPE ? b->form.scope : WT_AMONG_GROUP);
    return body_put_record(b, ptx_op_mbarrier, &record);
}

bool ptx_put_completion(struct body *b, const struct ptx_op *at, const struct ptx_source *bytes)
{
    struct ptx_op record = *at;
    record.how = COMPLETE;
    record.flag = true;
    record.s[1] = *bytes;
    record.space = PTX_SPACE_SHARED;
    record.order = WT_ORDER_RELEASE;
    record.scope = WT_AMONG_GROUP;
    return body_put_record(b, ptx_op_mbarrier, &record);
}

/* ---- execution ---- */

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
    switch ((enum operation)o->how) {
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

static PTX_EXECUTOR(ptx_op_pending_count)
{
    const struct ptx_op *o = u->ptx;
    uint8_t *frame = ptx_frame(w);
    const uint64_t *state = ptx_in(frame, &o->s[0]);
    PTX_LEFT(i, ptx_lanes(w, o))
    ((uint32_t *)(frame + o->d))[i] = state[i] & COUNT_MASK;
    return sm_next(u);
}
