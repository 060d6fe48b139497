/*
 * The base of a called function's frame. Qword 2 of the register that holds a thread's stack (see
 * unwind.c) is the address that the function's variables are counted from, in private memory; qword
 * 3 is the top of that memory. A function's prologue sets qword 2 to qword 3; its epilogue sets
 * qword 3 to qword 2, and restores the caller's qword 2. Behind that qword 3 still has the base.
 */
#include <stdlib.h>

#include "debug/gen/flow.h"

enum { QWORD = 8 };

/* The values that qword 2 may have at a place: a set. */
enum { CALLERS = 1, OWN = 2, RESTORED = 4 };

struct base {
    unsigned from; /* byte of the file */
    struct genp_code code;
    uint8_t *begin; /* begin of each instruction that begins a block */
    uint8_t now;
    bool is_set; /* the function has code that sets the base */
};

static bool overlaps(const struct genp_effects *e, unsigned from)
{
    return !e->is_call && e->count && e->first < from + QWORD && from < e->first + e->count;
}

/* `mov` of a qword from another. */
static bool is_copy(const struct genp_effects *e, unsigned to, unsigned from)
{
    const struct genp_operand *source = &e->source[0];
    return e->opcode == GENP_MOV && e->all_channels && e->channels == 1 && e->is_plain &&
           e->first == to && e->count == QWORD && source->is_known && !source->is_immediate &&
           source->size == QWORD && source->from == from;
}

static uint8_t after(struct base *b, const struct genp_effects *e, uint8_t before)
{
    if (!overlaps(e, b->from))
        return before;
    const bool sets = is_copy(e, b->from, b->from + QWORD);
    b->is_set |= sets;
    return sets ? OWN : RESTORED;
}

static bool arrive(size_t block, void *context)
{
    struct base *b = context;
    const uint8_t before = b->begin[block];
    b->begin[block] |= b->now;
    return b->begin[block] != before;
}

static void follow(struct base *b)
{
    b->begin[0] = CALLERS;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t block = 0, end; block < b->code.count; block = end) {
            end = genp_end_of_block(&b->code, block);
            b->now = b->begin[block];
            if (!b->now)
                continue;
            for (size_t i = block; i < end; i++)
                b->now = after(b, &b->code.insn[i].e, b->now);
            changed |= genp_go_on(&b->code, end - 1, arrive, b);
        }
    }
}

static void answer_at(struct base *b, size_t here, struct wt_kept_answer *answer)
{
    const size_t block = genp_block_of(&b->code, here);
    const unsigned top = b->from + QWORD;
    uint8_t now = b->begin[block];
    bool in_top = false;
    for (size_t i = block; i < here; i++) {
        const struct genp_effects *e = &b->code.insn[i].e;
        if (overlaps(e, top) || e->is_call)
            in_top = now == OWN && is_copy(e, top, b->from);
        else if (overlaps(e, b->from) && is_copy(e, b->from, top))
            in_top = true;
        now = after(b, e, now);
    }
    if (now == CALLERS)
        answer->state = WT_KEPT_NOT_YET;
    else if (now && now != OWN && in_top)
        *answer = (struct wt_kept_answer){
            .state = WT_KEPT_COMPUTED, .count = 1, .term = {{-1, top, QWORD, 0}}};
    else if (now && now != OWN)
        answer->state = WT_KEPT_GONE;
}

enum wt_status genp_find_base(struct genp_functions *functions, const struct wt_kept_address *asked,
                              struct wt_kept_answer *answer, struct wt_error *err)
{
    const struct genp_function *function = genp_read_function(functions, asked);
    struct base b = {.from = asked->from};
    enum wt_status status = WT_OK;
    *answer = (struct wt_kept_answer){.state = WT_KEPT_IN_PLACE};
    if (function) {
        b.code = function->code;
        const size_t here = genp_find_instruction(&b.code, asked->pc);
        b.begin = calloc(b.code.count, 1);
        if (!b.begin)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory to follow a function");
        else if (here != SIZE_MAX)
            follow(&b);
        if (b.is_set)
            answer_at(&b, here, answer);
    }
    free(b.begin);
    return status;
}
