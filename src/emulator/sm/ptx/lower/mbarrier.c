/* Lowering of barriers in shared memory (exec/mbarrier.c). */
#include <stdio.h>
#include <string.h>

#include "emulator/sm/ptx/exec/mbarrier.h"
#include "emulator/sm/ptx/lower/body.h"

/* Operations by their words. The letters of `operands` are the result d, the address a, a count of
 * arrivals c, bytes t, a state s, a parity p. An operand in brackets is optional. */
static const struct mbarrier_form {
    const char *words;
    enum mbarrier_operation how;
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
