/* Translates rows to machine code. See rows.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/translate/emit.h"

enum { EMITTED = 1 << 20 };

/* ---- branches ---- */

/* Sets a bit of the state's `runs`. */
static void come_to(struct emitter *e, uint8_t run)
{
    const bool all = !e->some && !e->few;
    if (!run || run == WT_ROWS_NO_RUN || e->unseen || (!all && !e->insn[e->at].branch.parted))
        return;
    x86_set(&e->code, X86_AX, UINT64_C(1) << (run - 1));
    x86_integer(&e->code, X86_OR, true, X86_AX, FIELD(runs));
    x86_integer(&e->code, X86_STORE, true, X86_AX, FIELD(runs)); /* all, as it is read next */
}

static void branch(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    size_t past = 0;
    if (n->op == WT_ROWS_BRANCH_IF) {
        past = e->is_512 && emit_is_512(e, n) ? emit_512_decide(e) : emit_decide(e);
    } else if (n->op == WT_ROWS_BRANCH_WHEN) {
        past = emit_decide_scalar(e);
    } else if (e->shape->regions) {
        emit_decide_region(e);
    } else if (n->combine) {
        emit_load_predicate(e, &n->s[0], X86_AX);
        x86_integer(code, X86_AND, false, X86_AX, FIELD(mask));
        past = x86_jump(code, X86_ZERO);
        x86_integer(code, X86_CMP, false, X86_AX, FIELD(mask));
        emit_leave(e, X86_NOT_ZERO);
    }
    if (n->branch.target >= e->count) {
        emit_leave(e, X86_ALWAYS);
    } else {
        if ((e->shape->paths && !e->unseen) || e->shape->regions) {
            x86_test_byte(code,
                          emit_field(offsetof(struct wt_rows_state, barred) + n->branch.target / 8),
                          1u << n->branch.target % 8);
            emit_leave(e, X86_NOT_ZERO);
        }
        if (e->shape->paths && n->branch.target <= e->at) {
            x86_integer(code, X86_LOAD, false, X86_AX, FIELD(patience));
            x86_integer_number(code, X86_SUB, false, X86_AX, 1);
            emit_leave(e, X86_BELOW);
            x86_integer(code, X86_STORE, false, X86_AX, FIELD(patience));
        }
        come_to(e, n->branch.comes_to);
        if (e->shape->paths && !n->combine && n->branch.target == e->at + 1)
            return; /* it goes on */
        if (e->is_512 && !e->shape->scalars && n->branch.target <= e->at) {
            emit_512_end_loop(e, n->branch.target);
            x86_land(code, x86_jump(code, X86_ALWAYS), e->body[n->branch.target]);
            if (past)
                x86_land(code, past, code->size);
            come_to(e, n->branch.passes_to);
            return;
        }
        e->branch[e->branches].target = n->branch.target;
        e->branch[e->branches++].jump = x86_jump(code, X86_ALWAYS);
    }
    if (past)
        x86_land(code, past, code->size);
    come_to(e, n->branch.passes_to);
}

/* ---- an instruction ---- */

static void operation(struct emitter *e)
{
    const bool is_512 = e->is_512 && emit_is_512(e, &e->insn[e->at]);
    if (is_512)
        emit_512_fetch(e);
    switch ((enum wt_rows_op)e->insn[e->at].op) {
    case WT_ROWS_HANDLER:
        emit_leave(e, X86_ALWAYS);
        break;
    case WT_ROWS_CALL:
        emit_call(e, X86_ALWAYS);
        emit_forget(e);
        break;
    case WT_ROWS_BRANCH:
    case WT_ROWS_BRANCH_IF:
    case WT_ROWS_BRANCH_WHEN:
        branch(e);
        break;
    case WT_ROWS_LOAD:
    case WT_ROWS_STORE:
        if (e->shape->regions)
            emit_access_region(e);
        else if (is_512 && e->insn[e->at].access.words)
            emit_512_access_words(e);
        else if (is_512)
            emit_512_access(e);
        else if (e->insn[e->at].access.space == WT_ROWS_SWIZZLED)
            emit_access_swizzled(e);
        else if (e->insn[e->at].access.words && !e->shape->scalars)
            emit_access_vectors(e);
        else if (e->insn[e->at].access.words)
            emit_access_words(e);
        else
            emit_access(e);
        emit_count(e);
        if (e->insn[e->at].op == WT_ROWS_STORE)
            e->alone.count = 0;
        e->unseen_fails |= e->unseen && e->unseen_stored;
        e->unseen_stored |= e->unseen && e->insn[e->at].op == WT_ROWS_STORE;
        break;
    case WT_ROWS_NOTHING:
        break;
    case WT_ROWS_WAIT:
        emit_wait_region(e);
        break;
    case WT_ROWS_ARRIVE:
        emit_arrive_region(e);
        break;
    case WT_ROWS_FETCH:
        emit_fetch(e);
        emit_count(e);
        break;
    case WT_ROWS_SCALAR:
        emit_scalar(e);
        break;
    case WT_ROWS_AT_MOST:
        emit_at_most(e);
        break;
    case WT_ROWS_DIVIDE:
    case WT_ROWS_REMAINDER:
    case WT_ROWS_GIVEN:
    case WT_ROWS_PARAMETER:
        if (is_512)
            emit_512(e);
        else
            emit_given(e);
        break;
    case WT_ROWS_SPLIT:
    case WT_ROWS_JOIN:
        emit_given(e);
        break;
    default:
        if (e->shape->regions)
            emit_region(e);
        else if (is_512)
            emit_512(e);
        else
            emit_alu(e);
        break;
    }
    if (e->is_512 && !is_512 && !e->some && !e->shape->scalars && !e->conditional)
        emit_512_join_parts(e);
}

/* An instruction for which a predicate says which lanes execute it, if there are any. */
static void conditional(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_load_predicate(e, &n->condition, X86_AX);
    x86_integer(&e->code, X86_AND, false, X86_AX, FIELD(mask));
    const size_t past = x86_jump(&e->code, X86_ZERO);
    if (e->few > 1) { /* both execute it, or the handler does it */
        x86_integer(&e->code, X86_CMP, false, X86_AX, FIELD(mask));
        emit_call(e, X86_NOT_ZERO);
    }
    if (!e->few)
        x86_integer(&e->code, X86_STORE, true, X86_AX, FIELD(executing));
    e->conditional = !e->few;
    operation(e);
    e->conditional = false;
    emit_evict(e, n->d, e->shape->lanes * 8); /* registers have it only where it was executed */
    x86_land(&e->code, past, e->code.size);
}

/* ---- a block ---- */

/* The parts of which lanes execute. The code goes on where r8 says, if they are few. */
static void choose_sparse(struct emitter *e)
{
    struct x86_code *code = &e->code;
    code->narrow = true;
    emit_vector(e, VMOVQ, T0, 0, FIELD(mask));
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    emit_vector(e, VPCMPEQB, T0, T0, x86_reg(T1));
    emit_vector(e, VPMOVMSKB, X86_DX, 0, x86_reg(T0));
    code->narrow = false;
    x86_not(code, X86_DX);
    x86_integer_number(code, X86_AND, false, X86_DX, 0xff);
    x86_integer(code, X86_STORE, false, X86_DX, FIELD(parts));
    x86_count_ones(code, X86_DX, X86_DX);
    x86_integer_number(code, X86_SUB, false, X86_DX, 1); /* none is not few */
    x86_integer_number(code, X86_CMP, false, X86_DX, WT_ROWS_SPARSE);
    const size_t past = x86_jump(code, X86_NOT_BELOW);
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R8));
    x86_land(code, past, code->size);
}

/* The code that comes first: registers, and, for some lanes, which ones do not execute. ax has
 * where the code goes on. */
static void begin(struct emitter *e)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_SI));
    x86_integer(code, X86_LOAD, true, FRAME, FIELD(frame));
    x86_integer(code, X86_LOAD, true, LEFT, FIELD(left));
    if (e->shape->scalars)
        x86_integer(code, X86_LOAD, true, SCALARS, FIELD(scalars));
    if (e->some && e->is_512)
        emit_512_masks(e);
    if (e->some && e->is_512 && e->shape->scalars) {
        x86_jump_register(code, X86_AX);
        return;
    }
    if (e->some && e->shape->scalars)
        x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_AX));
    e->ready = code->size;
    if (e->few)
        emit_begin_few(e);
    else if (e->shape->few)
        x86_integer(code, X86_XOR, false, KNOWN, x86_reg(KNOWN));
    code->narrow = false;
    for (unsigned i = 0; i < (e->shape->lanes + 7) / 8 && e->some && !e->spares_idle; i++) {
        const unsigned idle = emit_has_idle(e) ? IDLE + i : T2;
        emit_vector(e, VPBROADCASTD, T0, 0,
                    emit_field(offsetof(struct wt_rows_state, mask) + i / 4 * 4));
        emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
        emit_spread(e, idle, T0, false, i % 4);
        emit_vector(e, VPCMPEQD, idle, idle, x86_reg(T1));
        emit_vector(e, VMOVDQU_TO, idle, 0,
                    emit_field(offsetof(struct wt_rows_state, idle) + 32 * (size_t)i));
    }
    if (e->some && e->shape->scalars)
        choose_sparse(e);
    x86_jump_register(code, X86_AX);
}

/* Whether an instruction from a number on may read what is in a row. */
static bool is_read_from(const struct emitter *e, uint32_t insn, uint32_t slot)
{
    for (uint32_t i = insn; i < e->count; i++) {
        const struct wt_rows_insn *n = &e->insn[i];
        for (unsigned k = 0; k < 3; k++)
            if (!n->s[k].constant && n->s[k].slot == slot)
                return true;
    }
    return false;
}

/* The rows that registers have before an instruction are loaded, for whoever comes to it from
 * elsewhere. Returns where that begins. */
static size_t enter(struct emitter *e, uint32_t insn)
{
    struct cache live = e->before[insn], *const c = &live;
    for (unsigned i = 0; i < CACHED && e->unseen; i++)
        if (c->slot[i] != NOTHING && !is_read_from(e, insn, c->slot[i]))
            c->slot[i] = NOTHING;
    for (unsigned i = 0; i < BANKS && e->unseen; i++)
        if (c->row[i] != NOTHING && !is_read_from(e, insn, c->row[i]))
            c->row[i] = NOTHING;
    const size_t first = e->code.size;
    for (unsigned i = 0; i < CACHED; i++)
        if (c->slot[i] != NOTHING && e->few && c->ones[i]) {
            e->code.narrow = true;
            emit_vector(e, VPBROADCASTD, i, 0, x86_mem(FRAME, c->slot[i]));
            emit_spread(e, i, i, c->wide[i], 0);
        } else if (c->slot[i] != NOTHING && e->few)
            emit_load_few(e, i, FRAME, c->slot[i], c->wide[i]);
        else if (c->slot[i] != NOTHING)
            for (unsigned k = 0, parts = emit_parts(e, c->wide[i]); k < parts; k++)
                emit_vector(e, VMOVDQU, i + k, 0, x86_mem(FRAME, c->slot[i] + 32 * k));
    emit_512_enter(e, c);
    if (e->code.size == first)
        return e->body[insn];
    x86_land(&e->code, x86_jump(&e->code, X86_ALWAYS), e->body[insn]);
    return first;
}

/* Where the code is left before an instruction. */
static size_t exit_stub(struct emitter *e, uint32_t insn, size_t out)
{
    const size_t first = e->code.size;
    if (e->unseen && !e->insn[insn].ends) {
        x86_set(&e->code, X86_AX, WT_ROWS_AGAIN);
        x86_land(&e->code, x86_jump(&e->code, X86_ALWAYS), out);
        return first;
    }
    x86_integer_number(&e->code, X86_ADD, true, LEFT, 1);
    x86_set(&e->code, X86_AX, insn);
    x86_land(&e->code, x86_jump(&e->code, X86_ALWAYS), out);
    return first;
}

/* Where the handler of an instruction is called; then the code goes on behind it. */
static size_t call_stub(struct emitter *e, uint32_t insn, size_t out)
{
    struct x86_code *code = &e->code;
    const size_t first = code->size;
    x86_integer(code, X86_STORE, true, LEFT, FIELD(left));
    x86_store_number(code, FIELD(at), insn);
    x86_vzeroupper(code);
    x86_push(code, STATE); /* the stack is aligned now */
    x86_call(code, FIELD(call));
    x86_pop(code, STATE);
    x86_integer(code, X86_LOAD, true, FRAME, FIELD(frame));
    x86_integer(code, X86_LOAD, true, LEFT, FIELD(left));
    if (e->shape->scalars)
        x86_integer(code, X86_LOAD, true, SCALARS, FIELD(scalars));
    if (e->few)
        emit_number_few(e);
    else if (e->shape->few)
        x86_integer(code, X86_XOR, false, KNOWN, x86_reg(KNOWN));
    x86_integer_number(code, X86_AND, false, X86_AX, 0xff);
    x86_integer_number(code, X86_SUB, false, X86_AX, 1); /* false: WT_ROWS_GONE */
    x86_land(code, x86_jump(code, X86_BELOW), out);
    code->narrow = false;
    if (e->some && e->is_512)
        emit_512_masks(e);
    for (unsigned i = 0; i < (e->shape->lanes + 7) / 8 && emit_has_idle(e) && e->some; i++)
        emit_vector(e, VMOVDQU, IDLE + i, 0,
                    emit_field(offsetof(struct wt_rows_state, idle) + 32 * i));
    e->behind[insn] = x86_jump(code, X86_ALWAYS);
    return first;
}

/* Finds the instructions to which branches lead; and branches backwards: there registers have no
 * rows, if vectors have 512 bits. */
static void find_targets(struct emitter *e)
{
    memset(e->begins_loop, 0, sizeof e->begins_loop);
    memset(e->met, 0, sizeof e->met);
    for (uint32_t i = 0; i < e->count; i++) {
        const struct wt_rows_insn *n = &e->insn[i];
        const bool branches =
            n->op == WT_ROWS_BRANCH || n->op == WT_ROWS_BRANCH_IF || n->op == WT_ROWS_BRANCH_WHEN;
        if (branches && n->branch.target < e->count)
            e->met[n->branch.target] = true;
        if (branches && n->branch.target <= i)
            e->begins_loop[n->branch.target] = true;
    }
}

/* Whether instructions of a block need what the state says of lanes that do not execute. */
static bool needs_idle(const struct emitter *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        switch ((enum wt_rows_op)e->insn[i].op) {
        case WT_ROWS_HANDLER:
        case WT_ROWS_CALL:
        case WT_ROWS_NOTHING:
        case WT_ROWS_SCALAR:
        case WT_ROWS_FETCH:
        case WT_ROWS_AT_MOST:
        case WT_ROWS_BRANCH:
        case WT_ROWS_BRANCH_WHEN:
        case WT_ROWS_PREDICATE:
            break;
        default:
            if (!emit_is_512(e, &e->insn[i]) && !emit_is_swizzled_row(&e->insn[i]))
                return true;
        }
    return false;
}

/* Whether the code never goes on behind the instruction. */
static bool leads_away(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    return n->op == WT_ROWS_HANDLER || (e->shape->paths && n->op == WT_ROWS_BRANCH && !n->combine &&
                                        n->branch.target != e->at + 1);
}

/* Code for all lanes, for some, for few, or for those of a few parts, which begins as that for
 * some; entry[i] becomes where instruction i begins. */
static void emit(struct emitter *e, bool some, bool sparse, unsigned few, uint32_t *entry)
{
    struct x86_code *code = &e->code;
    e->some = some;
    e->sparse = sparse;
    e->few = few;
    e->is_512 = e->shape->vectors_512 && !few;
    e->exits = e->branches = 0;
    emit_forget(e);
    memset(e->behind, 0, sizeof e->behind);
    if (!sparse)
        begin(e);
    for (e->at = 0; e->at < e->count; e->at++) {
        if (e->is_512 && e->begins_loop[e->at])
            emit_512_begin_loop(e);
        if (e->met[e->at])
            e->alone.number = 0;
        e->before[e->at] = e->cache;
        e->body[e->at] = code->size;
        e->chosen = 0;
        if (!e->insn[e->at].follows) {
            x86_integer_number(code, X86_SUB, true, LEFT, 1);
            if (!e->unseen)
                emit_leave(e, X86_BELOW);
        }
        if (e->insn[e->at].conditional && !e->shape->regions)
            conditional(e);
        else
            operation(e);
        if (sparse || leads_away(e))
            emit_forget(e);
        e->unseen_fails |= e->unseen_stored && e->at + 1 == e->count && !leads_away(e);
    }
    const size_t end = code->size;
    x86_set(code, X86_AX, e->unseen ? WT_ROWS_AGAIN : e->count);
    const size_t out = code->size;
    x86_integer(code, X86_STORE, true, LEFT, FIELD(left));
    x86_vzeroupper(code);
    x86_return(code);
    for (size_t i = 0; i < e->exits;) {
        const uint32_t insn = e->exit[i].insn;
        size_t stub[2] = {exit_stub(e, insn, out), 0};
        for (; i < e->exits && e->exit[i].insn == insn; i++) {
            const bool calls = e->exit[i].calls && !e->unseen;
            if (calls && !stub[1])
                stub[1] = call_stub(e, insn, out);
            x86_land(code, e->exit[i].jump, stub[calls]);
        }
    }
    for (uint32_t i = 0; i < e->count; i++)
        entry[i] = (uint32_t)(e->unseen && i && !e->met[i] ? 0 : enter(e, i));
    for (uint32_t i = 0; i < e->count; i++) {
        const uint32_t next = i + 1 + (i + 1 < e->count && e->insn[i + 1].follows);
        if (e->behind[i])
            x86_land(code, e->behind[i], next < e->count ? entry[next] : end);
    }
    for (size_t i = 0; i < e->branches; i++)
        x86_land(code, e->branch[i].jump, entry[e->branch[i].target]);
}

/* Emits the code whose rows nobody sees (emit_unseen.c): twice, since the first time says which of
 * them it reads itself. */
static void emit_unseen(struct emitter *e, struct wt_rows_code *to)
{
    struct x86_code *code = &e->code;
    const size_t first = code->size, fixups = code->fixup_count;
    uint32_t entry[WT_ROWS_MOST];
    const uint32_t longest = emit_longest_unseen(e);
    if (!longest)
        return;
    e->notes = (struct x86_notes){.base = FRAME};
    code->notes = &e->notes;
    e->unseen = true;
    e->unseen_fails = false;
    for (unsigned i = 0; i < 2; i++) {
        code->size = first;
        code->fixup_count = fixups;
        e->unseen_stored = false;
        e->notes.drops = i;
        emit(e, false, false, 0, entry);
    }
    for (size_t i = 0; i < sizeof e->notes.read / sizeof *e->notes.read; i++)
        e->notes.lost |= (e->notes.read[i] & ~e->notes.stored[i]) != 0;
    code->notes = NULL;
    e->unseen = e->unseen_stored = false;
    if (e->unseen_fails || e->notes.lost) {
        code->size = first;
        code->fixup_count = fixups;
        return;
    }
    to->unseen = first;
    to->unseen_first = entry[0] - (uint32_t)first;
    to->unseen_longest = longest;
}

struct emitter *wt_rows_emitter_new(void)
{
    struct emitter *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->code.bytes = malloc(e->code.room = EMITTED);
    e->code.literal = malloc(X86_LITERALS * sizeof *e->code.literal);
    e->code.fixup = malloc(X86_FIXUPS * sizeof *e->code.fixup);
    if (e->code.bytes && e->code.literal && e->code.fixup)
        return e;
    wt_rows_emitter_free(e);
    return NULL;
}

void wt_rows_emitter_free(struct emitter *e)
{
    if (!e)
        return;
    free(e->code.bytes);
    free(e->code.literal);
    free(e->code.fixup);
    free(e);
}

bool wt_rows_emit(struct emitter *e, const struct wt_rows_shape *shape,
                  const struct wt_rows_insn *insn, size_t count, struct wt_rows_code *to)
{
    struct x86_code *code = &e->code;
    assert(count >= 1 && count <= WT_ROWS_MOST && shape->lanes <= WT_ROWS_LANES);
    *to = (struct wt_rows_code){.bytes = code->bytes,
                                .entry = malloc((WT_ROWS_CODES + 1) * count * sizeof *to->entry)};
    if (!to->entry)
        return false;
    e->insn = insn;
    e->count = (uint32_t)count;
    e->shape = shape;
    code->size = code->literal_count = code->fixup_count = 0;
    code->overflow = false;
    e->changes = 0;
    const size_t codes = shape->few ? WT_ROWS_CODES : shape->scalars && !shape->vectors_512 ? 3 : 2;
    to->kinds = codes;
    find_targets(e);
    e->has_idle = shape->vectors_512 && shape->scalars && needs_idle(e);
    e->spares_idle = shape->vectors_512 && !shape->scalars && !needs_idle(e);
    emit_512_settle(e);
    for (size_t i = 0; i < codes; i++) {
        const bool sparse = shape->scalars && i == 2;
        to->first[i] = code->size;
        emit(e, i == 1 || sparse, sparse, i < 2 || sparse ? 0 : (unsigned)i - 1,
             to->entry + i * count);
    }
    emit_unseen(e, to);
    for (size_t i = 0; i < e->changes; i++)
        x86_land(code, e->change[i].at,
                 e->change[i].to == TO_READY
                     ? e->ready
                     : to->entry[e->change[i].insn + count * e->change[i].to]);
    for (uint32_t i = 0; i < count; i++)
        if (e->met[i])
            to->entry[codes * count + to->targets++] = i;
    x86_finish(code);
    to->size = code->size;
    return !code->overflow;
}
