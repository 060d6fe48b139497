/* Which instructions vectors of 512 bits do, and which rows have banks of their own. See
 * emit_512.h.
 */
#include "emulator/translate/emit_512.h"

/* Of a shape without scalars. */
static bool is_plain(const struct wt_rows_insn *n)
{
    if (n->conditional)
        return false;
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
        return !n->alu.boxed;
    case WT_ROWS_NOT:
    case WT_ROWS_NEGATE:
    case WT_ROWS_ADD:
    case WT_ROWS_SUBTRACT:
    case WT_ROWS_MULTIPLY:
    case WT_ROWS_AND:
    case WT_ROWS_OR:
    case WT_ROWS_XOR:
    case WT_ROWS_SHIFT_LEFT:
    case WT_ROWS_SHIFT_RIGHT:
    case WT_ROWS_SHIFT_SIGNED:
    case WT_ROWS_WIDEN:
    case WT_ROWS_MULTIPLY_WIDE:
    case WT_ROWS_MULTIPLY_ADD_WIDE:
    case WT_ROWS_NARROW:
    case WT_ROWS_COMPARE:
    case WT_ROWS_SET:
    case WT_ROWS_BRANCH_IF:
    case WT_ROWS_GIVEN:
    case WT_ROWS_PARAMETER:
        return true;
    case WT_ROWS_ABSOLUTE:
    case WT_ROWS_MULTIPLY_ADD:
    case WT_ROWS_MULTIPLY_HIGH:
    case WT_ROWS_DIVIDE:
    case WT_ROWS_REMAINDER:
    case WT_ROWS_MIN:
    case WT_ROWS_MAX:
    case WT_ROWS_MIN_SIGNED:
    case WT_ROWS_MAX_SIGNED:
    case WT_ROWS_FIELD:
    case WT_ROWS_LOGIC:
    case WT_ROWS_FLOAT_OF_SIGNED:
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        return !n->wide;
    case WT_ROWS_SELECT:
        return !n->s[2].constant;
    case WT_ROWS_FLOAT_ADD:
    case WT_ROWS_FLOAT_SUBTRACT:
    case WT_ROWS_FLOAT_MULTIPLY:
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
    case WT_ROWS_FLOAT_DIVIDE:
    case WT_ROWS_FLOAT_ROOT:
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
    case WT_ROWS_FLOAT_ABSOLUTE:
    case WT_ROWS_FLOAT_NEGATE:
    case WT_ROWS_FLOAT_COMPARE:
        return !n->wide && !n->alu.flushes && !n->alu.saturates && !n->raises;
    case WT_ROWS_LOAD:
    case WT_ROWS_STORE:
        return (n->access.space == WT_ROWS_GLOBAL ||
                (n->access.space == WT_ROWS_GROUP && !n->access.short_address)) &&
               !n->wide && !n->access.words && !(n->op == WT_ROWS_STORE && n->s[1].constant);
    default:
        return false;
    }
}

bool emit_is_512(const struct emitter *e, const struct wt_rows_insn *n)
{
    if (!e->shape->scalars)
        return is_plain(n);
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
    case WT_ROWS_NOT:
    case WT_ROWS_ADD:
    case WT_ROWS_SUBTRACT:
    case WT_ROWS_MULTIPLY:
    case WT_ROWS_MULTIPLY_ADD:
    case WT_ROWS_MULTIPLY_HIGH:
    case WT_ROWS_AND:
    case WT_ROWS_OR:
    case WT_ROWS_XOR:
    case WT_ROWS_MIN:
    case WT_ROWS_MAX:
    case WT_ROWS_MIN_SIGNED:
    case WT_ROWS_MAX_SIGNED:
    case WT_ROWS_COMPARE:
    case WT_ROWS_FIELD:
    case WT_ROWS_LOGIC:
    case WT_ROWS_TWO:
    case WT_ROWS_ADD_CARRY:
    case WT_ROWS_SUBTRACT_CARRY:
    case WT_ROWS_PAIR_LEFT:
    case WT_ROWS_PAIR_RIGHT:
    case WT_ROWS_PAIR_MULTIPLY_ADD:
    case WT_ROWS_FLOAT_ADD:
    case WT_ROWS_FLOAT_SUBTRACT:
    case WT_ROWS_FLOAT_MULTIPLY:
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
    case WT_ROWS_FLOAT_COMPARE:
    case WT_ROWS_FLOAT_OF_SIGNED:
    case WT_ROWS_FLOAT_OF_UNSIGNED:
    case WT_ROWS_FLOAT_ROOT:
    case WT_ROWS_FLOAT_INVERSE:
    case WT_ROWS_FLOAT_TRUNCATE:
    case WT_ROWS_FLOAT_CLASS:
    case WT_ROWS_DIVISION_SCALE:
    case WT_ROWS_DIVISION_FIX:
        return true;
    case WT_ROWS_SHIFT_LEFT:
    case WT_ROWS_SHIFT_RIGHT:
    case WT_ROWS_SHIFT_SIGNED:
        return n->alu.modulo;
    case WT_ROWS_SELECT:
        return n->s[2].scalar;
    case WT_ROWS_LOAD:
    case WT_ROWS_STORE:
        return n->access.space == WT_ROWS_GROUP || n->access.space == WT_ROWS_GLOBAL;
    default:
        return false;
    }
}

/* ---- rows that have banks of their own ---- */

enum { ROWS = 64, MUCH = 1 << 20 };

/* How many of an instruction's sources are rows, or constants instead. */
static unsigned sources_of(const struct wt_rows_insn *n)
{
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_GIVEN:
    case WT_ROWS_PARAMETER:
        return 0;
    case WT_ROWS_MOVE:
    case WT_ROWS_NOT:
    case WT_ROWS_NEGATE:
    case WT_ROWS_ABSOLUTE:
    case WT_ROWS_FIELD:
    case WT_ROWS_WIDEN:
    case WT_ROWS_NARROW:
    case WT_ROWS_FLOAT_ROOT:
    case WT_ROWS_FLOAT_ABSOLUTE:
    case WT_ROWS_FLOAT_NEGATE:
    case WT_ROWS_FLOAT_OF_SIGNED:
    case WT_ROWS_FLOAT_OF_UNSIGNED:
    case WT_ROWS_LOAD:
        return 1;
    case WT_ROWS_MULTIPLY_ADD:
    case WT_ROWS_MULTIPLY_ADD_WIDE:
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
    case WT_ROWS_LOGIC:
        return 3;
    default:
        return 2;
    }
}

/* Whether it reads a row in vectors of 512 bits. */
static bool reads(const struct emitter *e, const struct wt_rows_insn *n, uint32_t slot, bool wide)
{
    if (!emit_is_512(e, n))
        return false;
    for (unsigned i = 0; i < sources_of(n); i++)
        if (!n->s[i].constant && n->s[i].slot == slot && emit_512_has_wide_source(n, i) == wide)
            return true;
    return false;
}

/* The number of the last branch to an instruction, from it or from behind it; itself: none. */
static uint32_t last_branch_to(const struct emitter *e, uint32_t target)
{
    uint32_t last = target;
    for (uint32_t i = target; i < e->count; i++) {
        const unsigned op = e->insn[i].op;
        if ((op == WT_ROWS_BRANCH || op == WT_ROWS_BRANCH_IF) && e->insn[i].branch.target == target)
            last = i;
    }
    return last;
}

/* How much rows are used. */
struct uses {
    unsigned count;
    uint32_t slot[ROWS], weight[ROWS];
    bool wide[ROWS];
};

static void add_use(struct uses *u, uint32_t slot, bool wide, uint32_t weight)
{
    unsigned i = 0;
    while (i < u->count && (u->slot[i] != slot || u->wide[i] != wide))
        i++;
    if (i == ROWS)
        return;
    if (i == u->count) {
        u->slot[u->count] = slot;
        u->wide[u->count] = wide;
        u->weight[u->count++] = 0;
    }
    u->weight[i] += weight;
}

static void find_uses(const struct emitter *e, struct uses *u)
{
    uint32_t weight[WT_ROWS_MOST];
    for (uint32_t i = 0; i < e->count; i++)
        weight[i] = 1;
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t k = i, last = e->begins_loop[i] ? last_branch_to(e, i) : 0; k <= last; k++)
            weight[k] = weight[k] < MUCH / ROWS ? 8 * weight[k] : weight[k];
    for (uint32_t i = 0; i < e->count; i++) {
        const struct wt_rows_insn *n = &e->insn[i];
        if (!emit_is_512(e, n))
            continue;
        for (unsigned s = 0; s < sources_of(n); s++)
            if (!n->s[s].constant)
                add_use(u, n->s[s].slot, emit_512_has_wide_source(n, s), weight[i]);
        if (n->op != WT_ROWS_STORE && n->op != WT_ROWS_BRANCH_IF && n->op != WT_ROWS_COMPARE &&
            n->op != WT_ROWS_FLOAT_COMPARE)
            add_use(u, n->d, n->op != WT_ROWS_NARROW && emit_is_wide_result(n), weight[i]);
    }
}

/* Whether AVX2 code may keep a result of the instruction in registers 0 to 7. */
static bool keeps_rows(const struct emitter *e, const struct wt_rows_insn *n)
{
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_HANDLER:
    case WT_ROWS_CALL:
    case WT_ROWS_NOTHING:
    case WT_ROWS_BRANCH:
    case WT_ROWS_BRANCH_IF:
    case WT_ROWS_STORE:
    case WT_ROWS_PREDICATE:
        return false;
    default:
        return !emit_is_512(e, n);
    }
}

void emit_512_settle(struct emitter *e)
{
    struct uses u = {.count = 0};
    const unsigned step = e->shape->vectors_512 ? parts_of(e) : 1;
    for (unsigned i = 0; i < BANKS; i++)
        e->home[i] = NOTHING;
    e->home_qwords = 0;
    e->banks = 0;
    e->banks_end = BANK; /* registers 16 to 31 */
    if (e->shape->scalars || !e->shape->vectors_512)
        return;
    bool keeps = false, wide = false;
    find_uses(e, &u);
    for (uint32_t i = 0; i < e->count; i++)
        keeps |= keeps_rows(e, &e->insn[i]);
    for (unsigned i = 0; i < u.count; i++)
        wide |= u.wide[i];
    e->banks_end = keeps ? BANK : BANKS;
    e->banks = e->banks_end - (wide ? 4 : 2) * step;
    for (unsigned bank = 0; bank < e->banks;) {
        unsigned most = ROWS;
        for (unsigned i = 0; i < u.count; i++) /* qwords begin at even banks */
            if (u.weight[i] && (most == ROWS || u.weight[i] > u.weight[most]) &&
                !(u.wide[i] && bank / step % 2))
                most = i;
        if (most == ROWS)
            break;
        e->home[bank] = u.slot[most];
        e->home_qwords |= (uint32_t)u.wide[most] << bank;
        u.weight[most] = 0;
        bank += parts_of_row(e, u.wide[most]);
    }
}

void emit_512_begin_loop(struct emitter *e)
{
    struct cache *c = &e->cache;
    const struct cache before = *c;
    uint32_t last = last_branch_to(e, e->at);
    for (uint32_t at = e->at; at < last; at++) /* no register keeps a row over a call */
        if (e->insn[at].op == WT_ROWS_CALL)
            last = at;
    emit_forget(e);
    for (unsigned i = 0; i < e->banks; i++) {
        const bool wide = e->home_qwords >> i & 1;
        bool is_read = false;
        for (uint32_t at = e->at; at <= last && e->home[i] != NOTHING; at++)
            is_read |= reads(e, &e->insn[at], e->home[i], wide);
        if (!is_read)
            continue;
        if (before.row[i] != e->home[i])
            emit_512_load_bank(e, i, e->home[i], wide);
        emit_512_note(c, i, e->home[i], wide);
    }
}

void emit_512_end_loop(struct emitter *e, uint32_t target)
{
    const struct cache *to = &e->before[target];
    for (unsigned i = 0; i < e->banks; i++)
        if (to->row[i] != NOTHING && to->row[i] != e->cache.row[i])
            emit_512_load_bank(e, i, to->row[i], to->qwords >> i & 1);
}

void emit_512_join_parts(struct emitter *e)
{
    enum { SOON = 24 };
    const uint32_t slot = e->insn[e->at].d;
    const bool wide = emit_512_is_wide(e);
    const struct cache *c = &e->cache;
    if (!keeps_rows(e, &e->insn[e->at]) || c->slot[e->result] != slot || c->ones[e->result] ||
        c->wide[e->result] != wide)
        return;
    uint32_t i = e->at + 1;
    while (i < e->count && i < e->at + SOON && e->insn[i].op != WT_ROWS_CALL &&
           !reads(e, &e->insn[i], slot, wide))
        i++;
    if (i == e->count || !reads(e, &e->insn[i], slot, wide) || e->banks_end != BANK)
        return;
    const unsigned first = emit_512_choose_home(e);
    for (unsigned k = 0; k < parts_of_result(e); k++)
        zn(e, ZINSERT, first + k, emit_result(e, 2 * k), x86_reg(emit_result(e, 2 * k + 1)), 0, 1);
    emit_512_note(&e->cache, bank_of(first), slot, wide);
}

void emit_512_fetch(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < sources_of(n); i++) {
        const bool wide = emit_512_is_wide_source(e, i);
        const unsigned home = n->s[i].constant ? NOTHING : emit_512_home(e, n->s[i].slot, wide);
        if (e->shape->scalars || home == NOTHING || e->cache.row[home] != NOTHING)
            continue;
        emit_512_load_bank(e, home, n->s[i].slot, wide);
        emit_512_note(&e->cache, home, n->s[i].slot, wide);
    }
}
