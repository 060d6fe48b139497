/* Rows in banks of registers of 512 bits, masks and predicates in k registers. See emit_512.h. */
#include <assert.h>

#include "emulator/translate/emit_512.h"

/* ---- rows and masks ---- */

void emit_512_masks(struct emitter *e)
{
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned idle = K_IDLE + i;
        x86_mask(&e->code, KMOVW, idle, 0,
                 emit_field(offsetof(struct wt_rows_state, mask) + 2 * (size_t)i));
        k(e, KNOTW, idle, 0, idle);
    }
    for (unsigned i = 0; i < parts_of(e) && e->has_idle; i++) {
        z(e, ZPMOVM2D, T0, 0, x86_reg(K_IDLE + i));
        z(e, VMOVDQU_TO, T0, 0, emit_field(offsetof(struct wt_rows_state, idle) + 64 * (size_t)i));
    }
}

/* The first register of a bank, by its number in the cache, and the other way round. */
static unsigned register_of(unsigned bank)
{
    return (BANK + bank) & 31;
}

static unsigned bank_of(unsigned first)
{
    return (first - BANK) & 31;
}

/* A row comes into a bank from memory. */
static void load_bank(struct emitter *e, unsigned bank, uint32_t slot)
{
    for (unsigned i = 0; i < parts_of(e); i++)
        z(e, VMOVDQU, register_of(bank) + i, 0, x86_mem(FRAME, slot + 64 * i));
}

void emit_512_enter(struct emitter *e, const struct cache *c)
{
    for (unsigned i = 0; i < BANKS && e->is_512; i++)
        if (c->row[i] != NOTHING)
            load_bank(e, i, c->row[i]);
}

struct x86_place emit_512_row(const struct emitter *e, uint32_t slot, unsigned strip)
{
    for (unsigned i = 0; i < BANKS; i++)
        if (e->cache.row[i] == slot)
            return x86_reg(register_of(i) + strip);
    return x86_mem(FRAME, slot + 64 * strip);
}

static bool is_changed(const struct wt_rows_source *s)
{
    return s->bits || s->sign_off || s->sign_over;
}

static unsigned number_of(const struct emitter *e, const struct wt_rows_source *s)
{
    return (unsigned)(s - e->insn[e->at].s);
}

/* A part as a source has it, in its register. */
static struct x86_place changed(struct emitter *e, const struct wt_rows_source *s,
                                struct x86_place part)
{
    const unsigned to = SOURCE + number_of(e, s), above = 32 - s->first - s->bits;
    if (s->bits && above) {
        zn(e, VPSHIFTD, 6, to, part, 0, above);
        part = x86_reg(to);
    }
    if (s->bits) {
        zn(e, VPSHIFTD, s->is_signed ? 4 : 2, to, part, 0, 32 - s->bits);
        part = x86_reg(to);
    }
    if (s->sign_off) {
        z(e, VPAND, to, emit_512_loaded(e, part, to), in_all(e, INT32_MAX));
        part = x86_reg(to);
    }
    if (s->sign_over)
        z(e, VPXOR, to, emit_512_loaded(e, part, to), in_all(e, UINT32_C(1) << 31));
    return x86_reg(to);
}

struct x86_place emit_512_source(struct emitter *e, unsigned i, unsigned strip)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[i];
    if (s->constant)
        return in_all(e, (uint32_t)s->value);
    struct x86_place part;
    if (s->scalar) {
        part = x86_mem(SCALARS, s->slot);
        part.each = true;
    } else {
        part = emit_512_row(e, s->slot, strip);
    }
    return is_changed(s) ? changed(e, s, part) : part;
}

unsigned emit_512_loaded(struct emitter *e, struct x86_place place, unsigned into)
{
    if (place.kind == X86_REGISTER)
        return place.number;
    const bool each = place.each;
    place.each = false;
    z(e, each ? ZPBROADCASTD : VMOVDQU, into, 0, place);
    return into;
}

unsigned emit_512_executing(struct emitter *e, unsigned strip)
{
    if (!e->some)
        return 0;
    k(e, KNOTW, K7, 0, K_IDLE + strip);
    return K7;
}

/* Whether a source of the instruction is in a bank. */
static bool is_source(const struct emitter *e, uint32_t row)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < 3; i++)
        if (!n->s[i].scalar && !n->s[i].constant &&
            (n->s[i].slot == row || (e->shape->scalars && n->s[i].slot + row_of(e) == row)))
            return true;
    return false;
}

unsigned emit_512_choose(struct emitter *e)
{
    struct cache *c = &e->cache;
    const unsigned step = parts_of(e), count = (e->banks_end - e->banks) / step;
    unsigned bank = c->bank >= e->banks && c->bank < e->banks_end ? c->bank : e->banks;
    const unsigned chosen = e->chosen;
    for (unsigned i = 0; i < count && ((chosen >> bank & 1) ||
                                       (c->row[bank] != NOTHING && is_source(e, c->row[bank])));
         i++)
        bank = bank + step < e->banks_end ? bank + step : e->banks;
    for (unsigned i = 0; chosen >> bank & 1; i++) { /* all others have sources */
        assert(i < count);
        bank = bank + step < e->banks_end ? bank + step : e->banks;
    }
    e->chosen |= 1u << bank;
    c->row[bank] = NOTHING;
    c->bank = bank + step;
    return register_of(bank);
}

/* The bank of a row that has one of its own, or NOTHING. */
static unsigned home_of(const struct emitter *e, uint32_t slot)
{
    for (unsigned i = 0; i < e->banks; i++)
        if (e->home[i] == slot)
            return i;
    return NOTHING;
}

unsigned emit_512_choose_home(struct emitter *e)
{
    const unsigned home = home_of(e, e->insn[e->at].d);
    return home == NOTHING ? emit_512_choose(e) : register_of(home);
}

void emit_512_store(struct emitter *e, uint32_t slot, unsigned bank, unsigned strip, unsigned from)
{
    const unsigned d = bank + strip;
    if (e->some)
        x86_512(&e->code, ZPBLENDMD, d, from, emit_512_row(e, slot, strip), K_IDLE + strip);
    else if (d != from)
        z(e, VMOVDQU, d, 0, x86_reg(from));
    z(e, VMOVDQU_TO, d, 0, x86_mem(FRAME, slot + 64 * strip));
}

void emit_512_keep(struct emitter *e, uint32_t slot, unsigned bank)
{
    emit_evict(e, slot, row_of(e));
    const unsigned own = home_of(e, slot), home = own == NOTHING ? bank_of(bank) : own;
    for (unsigned i = 0; i < parts_of(e) && home != bank_of(bank); i++)
        z(e, VMOVDQU, register_of(home) + i, 0, x86_reg(bank + i));
    e->cache.row[home] = slot;
}

/* ---- results ---- */

unsigned emit_512_target(const struct emitter *e, unsigned bank, unsigned strip)
{
    return e->some ? T1 : bank + strip;
}

unsigned emit_512_bits(unsigned strip)
{
    static const unsigned to[] = {K5, K6, K6, 0};
    return to[strip];
}

void emit_512_join(struct emitter *e, unsigned strip)
{
    if (strip == 1)
        k(e, KUNPCKWD, K5, K6, K5);
    if (strip == 3) {
        k(e, KUNPCKWD, K6, 0, K6);
        k(e, KUNPCKDQ, K5, K6, K5);
    }
    if (strip == parts_of(e) - 1)
        k(e, KMOVQ_TO, X86_AX, 0, K5);
}

void emit_512_store_predicate(struct emitter *e, uint32_t slot)
{
    if (!e->shape->scalars) {
        emit_store_predicate(e);
        return;
    }
    if (e->some)
        x86_integer(&e->code, X86_AND, true, X86_AX, FIELD(mask));
    x86_integer(&e->code, X86_STORE, true, X86_AX, x86_mem(SCALARS, slot));
}

/* ---- rows that have banks of their own ---- */

enum { ROWS = 64, MUCH = 1 << 20 };

/* How many of an instruction's sources are rows, or constants instead. */
static unsigned sources_of(const struct wt_rows_insn *n)
{
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
    case WT_ROWS_NOT:
    case WT_ROWS_FIELD:
    case WT_ROWS_LOAD:
        return 1;
    case WT_ROWS_MULTIPLY_ADD:
    case WT_ROWS_LOGIC:
        return 3;
    default:
        return 2;
    }
}

/* Whether it reads a row in vectors of 512 bits. */
static bool reads(const struct emitter *e, const struct wt_rows_insn *n, uint32_t slot)
{
    if (!emit_is_512(e, n))
        return false;
    for (unsigned i = 0; i < sources_of(n); i++)
        if (!n->s[i].constant && n->s[i].slot == slot)
            return true;
    return false;
}

/* The number of the last branch to an instruction, from it or from behind it; itself: none. */
static uint32_t last_branch_to(const struct emitter *e, uint32_t target)
{
    uint32_t last = target;
    for (uint32_t i = target; i < e->count; i++) {
        const unsigned op = e->insn[i].op;
        if ((op == WT_ROWS_BRANCH || op == WT_ROWS_BRANCH_IF) && e->insn[i].target == target)
            last = i;
    }
    return last;
}

/* How much rows are used. */
struct uses {
    unsigned count;
    uint32_t slot[ROWS], weight[ROWS];
};

static void add_use(struct uses *u, uint32_t slot, uint32_t weight)
{
    unsigned i = 0;
    while (i < u->count && u->slot[i] != slot)
        i++;
    if (i == ROWS)
        return;
    if (i == u->count) {
        u->slot[u->count] = slot;
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
                add_use(u, n->s[s].slot, weight[i]);
        if (n->op != WT_ROWS_STORE && n->op != WT_ROWS_BRANCH_IF && n->op != WT_ROWS_COMPARE)
            add_use(u, n->d, weight[i]);
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
    e->banks = 0;
    e->banks_end = BANK; /* registers 16 to 31 */
    if (e->shape->scalars || !e->shape->vectors_512)
        return;
    bool keeps = false;
    for (uint32_t i = 0; i < e->count; i++)
        keeps |= keeps_rows(e, &e->insn[i]);
    e->banks_end = keeps ? BANK : BANKS;
    e->banks = e->banks_end - 2 * step;
    find_uses(e, &u);
    for (unsigned bank = 0; bank < e->banks; bank += step) {
        unsigned most = 0;
        for (unsigned i = 1; i < u.count; i++)
            if (u.weight[i] > u.weight[most])
                most = i;
        if (!u.count || !u.weight[most])
            break;
        e->home[bank] = u.slot[most];
        u.weight[most] = 0;
    }
}

void emit_512_begin_loop(struct emitter *e)
{
    struct cache *c = &e->cache;
    const struct cache before = *c;
    const uint32_t last = last_branch_to(e, e->at);
    emit_forget(e);
    for (unsigned i = 0; i < e->banks; i++) {
        bool is_read = false;
        for (uint32_t at = e->at; at <= last && e->home[i] != NOTHING; at++)
            is_read |= reads(e, &e->insn[at], e->home[i]);
        if (!is_read)
            continue;
        if (before.row[i] != e->home[i])
            load_bank(e, i, e->home[i]);
        c->row[i] = e->home[i];
    }
}

void emit_512_end_loop(struct emitter *e, uint32_t target)
{
    const struct cache *to = &e->before[target];
    for (unsigned i = 0; i < e->banks; i++)
        if (to->row[i] != NOTHING && to->row[i] != e->cache.row[i])
            load_bank(e, i, to->row[i]);
}

void emit_512_fetch(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < sources_of(n); i++) {
        const unsigned home = n->s[i].constant ? NOTHING : home_of(e, n->s[i].slot);
        if (home == NOTHING || e->cache.row[home] != NOTHING)
            continue;
        load_bank(e, home, n->s[i].slot);
        e->cache.row[home] = n->s[i].slot;
    }
}
