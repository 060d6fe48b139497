/* Scalars: numbers that all lanes share. See emit.h. */
#include <assert.h>

#include "emulator/translate/emit.h"

static struct x86_place scalar(uint32_t slot)
{
    return x86_mem(SCALARS, slot);
}

static void load(struct emitter *e, const struct wt_rows_source *s, unsigned reg)
{
    const bool wide = e->insn[e->at].wide;
    if (s->constant)
        x86_set(&e->code, reg, wide ? s->value : (uint32_t)s->value);
    else
        x86_integer(&e->code, X86_LOAD, wide, reg, scalar(s->slot));
}

static void load_condition(struct emitter *e, unsigned reg)
{
    x86_load_part(&e->code, 1, false, false, reg, scalar(e->shape->condition));
}

static void note_change(struct emitter *e, size_t at, unsigned to)
{
    e->change[e->changes].at = at;
    e->change[e->changes].insn = e->at + 1;
    e->change[e->changes++].to = to;
}

/* ax becomes the mask: the code goes on for other lanes. */
static void set_mask(struct emitter *e)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_STORE, true, X86_AX, scalar(e->shape->mask));
    x86_integer(code, X86_CMP, true, X86_AX, FIELD(mask));
    const size_t past = x86_jump(code, X86_ZERO); /* it is as it was */
    x86_integer(code, X86_STORE, true, X86_AX, FIELD(mask));
    if (e->at + 1 < e->count) {
        if (e->some) {
            x86_integer_number(code, X86_CMP, true, X86_AX, -1);
            note_change(e, x86_jump(code, X86_ZERO), TO_ALL);
        }
        if (e->shape->vectors_512)
            emit_512_masks(e);
        if (e->shape->vectors_512 && !e->some)
            note_change(e, x86_jump(code, X86_ALWAYS), TO_SOME);
    }
    if (e->at + 1 < e->count && !e->shape->vectors_512) {
        note_change(e, x86_address(code, X86_AX), TO_SOME);
        note_change(e, x86_address(code, X86_R8), TO_FEW);
        note_change(e, x86_jump(code, X86_ALWAYS), TO_READY);
    }
    x86_land(code, past, code->size);
}

/* A sum or difference of dwords in ax. */
static void sum(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const unsigned op = n->how == WT_ROWS_ADD ? X86_ADD : X86_SUB;
    load(e, &n->s[0], X86_AX);
    load(e, &n->s[1], X86_DX);
    if (n->scalar.sets == WT_ROWS_OVERFLOW) {
        /* the sign differs from both of those added, of which the second one is inverted in a
         * difference */
        x86_integer(code, X86_LOAD, false, X86_R8, x86_reg(X86_AX));
        x86_integer(code, op, false, X86_AX, x86_reg(X86_DX));
        x86_integer(code, X86_XOR, false, X86_DX, x86_reg(op == X86_ADD ? X86_AX : X86_R8));
        x86_integer(code, X86_XOR, false, X86_R8, x86_reg(X86_AX));
        x86_integer(code, X86_AND, false, X86_DX, x86_reg(X86_R8));
        x86_shift(code, false, X86_DX, 31);
        x86_store_part(code, 1, X86_DX, scalar(e->shape->condition));
        return;
    }
    x86_integer(code, op, true, X86_AX, x86_reg(X86_DX));
    if (n->scalar.carries) {
        load_condition(e, X86_R8);
        x86_integer(code, op, true, X86_AX, x86_reg(X86_R8));
    }
    if (n->scalar.sets == WT_ROWS_CARRY) {
        x86_integer(code, X86_LOAD, true, X86_DX, x86_reg(X86_AX));
        x86_shift(code, false, X86_DX, op == X86_ADD ? 32 : 63);
        x86_store_part(code, 1, X86_DX, scalar(e->shape->condition));
    }
}

static void logic(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    load(e, &n->s[0], X86_AX);
    load(e, &n->s[1], X86_DX);
    if (n->scalar.inverts_1)
        x86_integer_number(code, X86_XOR, n->wide, X86_DX, -1);
    x86_integer(code,
                n->how == WT_ROWS_AND  ? X86_AND
                : n->how == WT_ROWS_OR ? X86_OR
                                       : X86_XOR,
                n->wide, X86_AX, x86_reg(X86_DX));
    if (n->scalar.inverts)
        x86_integer_number(code, X86_XOR, n->wide, X86_AX, -1);
}

static void compare(struct emitter *e)
{
    static const int8_t conditions[2][8] = {
        {0, X86_BELOW, X86_ZERO, X86_NOT_ABOVE, X86_ABOVE, X86_NOT_ZERO, X86_NOT_BELOW, 0},
        {0, X86_LESS, X86_ZERO, X86_NOT_GREATER, X86_GREATER, X86_NOT_ZERO, X86_NOT_LESS, 0}};
    const struct wt_rows_insn *n = &e->insn[e->at];
    assert(n->scalar.outcome && n->scalar.outcome < 7);
    load(e, &n->s[0], X86_AX);
    load(e, &n->s[1], X86_DX);
    x86_integer(&e->code, X86_CMP, n->wide, X86_AX, x86_reg(X86_DX));
    x86_store_condition(&e->code, conditions[n->is_signed][n->scalar.outcome],
                        scalar(e->shape->condition));
}

static void choose(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    load_condition(e, X86_R8);
    load(e, &n->s[0], X86_AX);
    x86_integer(&e->code, X86_TEST, false, X86_R8, x86_reg(X86_R8));
    const size_t past = x86_jump(&e->code, X86_NOT_ZERO);
    load(e, &n->s[1], X86_AX);
    x86_land(&e->code, past, e->code.size);
}

/* The lesser or the greater one; the condition says whether that is the first one alone. */
static void extreme(struct emitter *e)
{
    static const int8_t conditions[4] = {X86_BELOW, X86_ABOVE, X86_LESS, X86_GREATER};
    const struct wt_rows_insn *n = &e->insn[e->at];
    const int condition = conditions[n->how - WT_ROWS_MIN];
    load(e, &n->s[0], X86_AX);
    load(e, &n->s[1], X86_DX);
    x86_integer(&e->code, X86_CMP, false, X86_AX, x86_reg(X86_DX));
    x86_store_condition(&e->code, condition, scalar(e->shape->condition));
    const size_t past = x86_jump(&e->code, condition);
    x86_integer(&e->code, X86_LOAD, false, X86_AX, x86_reg(X86_DX));
    x86_land(&e->code, past, e->code.size);
}

/* The result in ax. */
static void compute(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    switch ((enum wt_rows_op)n->how) {
    case WT_ROWS_MOVE:
    case WT_ROWS_NOT:
        load(e, &n->s[0], X86_AX);
        if (n->how == WT_ROWS_NOT)
            x86_integer_number(code, X86_XOR, n->wide, X86_AX, -1);
        break;
    case WT_ROWS_ADD:
    case WT_ROWS_SUBTRACT:
        sum(e);
        break;
    case WT_ROWS_MULTIPLY:
        load(e, &n->s[0], X86_AX);
        load(e, &n->s[1], X86_DX);
        x86_multiply(code, X86_AX, x86_reg(X86_DX));
        break;
    case WT_ROWS_SHIFT_LEFT:
    case WT_ROWS_SHIFT_RIGHT:
        load(e, &n->s[0], X86_AX);
        x86_shift(code, n->how == WT_ROWS_SHIFT_LEFT, X86_AX,
                  (unsigned)n->s[1].value & (n->wide ? 63 : 31));
        break;
    case WT_ROWS_SELECT:
        choose(e);
        break;
    case WT_ROWS_MIN:
    case WT_ROWS_MAX:
    case WT_ROWS_MIN_SIGNED:
    case WT_ROWS_MAX_SIGNED:
        extreme(e);
        break;
    default:
        logic(e);
        break;
    }
}

void emit_scalar(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (n->how == WT_ROWS_COMPARE) {
        compare(e);
        return;
    }
    compute(e);
    if (n->scalar.sets == WT_ROWS_NONZERO) {
        x86_integer(code, X86_TEST, n->wide, X86_AX, x86_reg(X86_AX));
        x86_store_condition(code, X86_NOT_ZERO, scalar(e->shape->condition));
    }
    if (n->scalar.saves) {
        x86_integer(code, X86_LOAD, true, X86_R8, scalar(e->shape->mask));
        x86_integer(code, X86_STORE, true, X86_R8, scalar(n->d));
    }
    if (n->scalar.saves || n->d == e->shape->mask)
        set_mask(e);
    else
        x86_integer(code, X86_STORE, n->wide, X86_AX, scalar(n->d));
}

size_t emit_decide_scalar(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->branch.bytes < 8)
        x86_load_part(&e->code, n->branch.bytes, false, false, X86_AX, scalar(n->s[0].slot));
    else
        x86_integer(&e->code, X86_LOAD, true, X86_AX, scalar(n->s[0].slot));
    x86_integer(&e->code, X86_TEST, true, X86_AX, x86_reg(X86_AX));
    return x86_jump(&e->code, n->s[0].negated ? X86_NOT_ZERO : X86_ZERO);
}

void emit_at_most(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    for (unsigned i = 0; i < 3; i++) {
        if (n->access.counter[i].most == UINT8_MAX)
            continue;
        x86_load_part(code, 1, false, false, X86_AX, scalar(n->access.counter[i].slot));
        x86_integer_number(code, X86_CMP, false, X86_AX, n->access.counter[i].most);
        const size_t past = x86_jump(code, X86_NOT_ABOVE);
        x86_set(code, X86_AX, n->access.counter[i].most);
        x86_store_part(code, 1, X86_AX, scalar(n->access.counter[i].slot));
        x86_land(code, past, code->size);
    }
}

static void count_once(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    for (unsigned i = 0; i < 3 && n->access.counter[i].most; i++) {
        x86_load_part(code, 1, false, false, X86_AX, scalar(n->access.counter[i].slot));
        x86_integer_number(code, X86_CMP, false, X86_AX, n->access.counter[i].most);
        const size_t past = x86_jump(code, X86_NOT_BELOW);
        x86_integer_number(code, X86_ADD, false, X86_AX, 1);
        x86_store_part(code, 1, X86_AX, scalar(n->access.counter[i].slot));
        x86_land(code, past, code->size);
    }
}

void emit_count(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0;
         i < (n->access.space == WT_ROWS_SWIZZLED && n->access.words ? n->access.words : 1u); i++)
        count_once(e);
}
