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

void emit_512_load_bank(struct emitter *e, unsigned bank, uint32_t slot)
{
    for (unsigned i = 0; i < parts_of(e); i++)
        z(e, VMOVDQU, register_of(bank) + i, 0, x86_mem(FRAME, slot + 64 * i));
}

void emit_512_enter(struct emitter *e, const struct cache *c)
{
    for (unsigned i = 0; i < BANKS && e->is_512; i++)
        if (c->row[i] != NOTHING)
            emit_512_load_bank(e, i, c->row[i]);
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

unsigned emit_512_home(const struct emitter *e, uint32_t slot)
{
    for (unsigned i = 0; i < e->banks; i++)
        if (e->home[i] == slot)
            return i;
    return NOTHING;
}

unsigned emit_512_choose_home(struct emitter *e)
{
    const unsigned home = emit_512_home(e, e->insn[e->at].d);
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
    const unsigned own = emit_512_home(e, slot), home = own == NOTHING ? bank_of(bank) : own;
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
