/* Rows in banks of registers of 512 bits, masks and predicates in k registers. See emit_512.h. */
#include <assert.h>

#include "emulator/translate/emit_512.h"

/* ---- rows and masks ---- */

/* Ones for the lanes of a part that do not execute: the k register. */
static unsigned idle_of(bool wide, unsigned strip)
{
    /* of 16 lanes those of the lower 8; of the upper ones they are in the upper two registers */
    return K_IDLE + (wide ? strip / 2 + strip % 2 * 2 : strip);
}

void emit_512_masks(struct emitter *e)
{
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned idle = K_IDLE + i;
        x86_mask(&e->code, KMOVW, idle, 0,
                 emit_field(offsetof(struct wt_rows_state, mask) + 2 * (size_t)i));
        k(e, KNOTW, idle, 0, idle);
    }
    for (unsigned i = 0; i < parts_of(e) && !e->shape->scalars; i++) {
        const unsigned odd = idle_of(true, 2 * i + 1);
        x86_mask(&e->code, KMOVB, odd, 0,
                 emit_field(offsetof(struct wt_rows_state, mask) + 2 * (size_t)i + 1));
        k(e, KNOTW, odd, 0, odd);
    }
    for (unsigned i = 0; i < parts_of(e) && e->has_idle; i++) {
        z(e, ZPMOVM2D, T0, 0, x86_reg(K_IDLE + i));
        z(e, VMOVDQU_TO, T0, 0, emit_field(offsetof(struct wt_rows_state, idle) + 64 * (size_t)i));
    }
}

void emit_512_load_bank(struct emitter *e, unsigned bank, uint32_t slot, bool wide)
{
    for (unsigned i = 0; i < parts_of_row(e, wide); i++)
        z(e, VMOVDQU, register_of(bank) + i, 0, x86_mem(FRAME, slot + 64 * i));
}

void emit_512_note(struct cache *c, unsigned bank, uint32_t slot, bool wide)
{
    c->row[bank] = slot;
    c->qwords = (c->qwords & ~(1u << bank)) | (uint32_t)wide << bank;
}

void emit_512_enter(struct emitter *e, const struct cache *c)
{
    for (unsigned i = 0; i < BANKS && e->is_512; i++)
        if (c->row[i] != NOTHING)
            emit_512_load_bank(e, i, c->row[i], c->qwords >> i & 1);
}

struct x86_place emit_512_part(const struct emitter *e, uint32_t slot, bool wide, unsigned strip)
{
    for (unsigned i = 0; i < BANKS; i++)
        if (e->cache.row[i] == slot && (e->cache.qwords >> i & 1) == wide)
            return x86_reg(register_of(i) + strip);
    return x86_mem(FRAME, slot + 64 * strip);
}

struct x86_place emit_512_row(const struct emitter *e, uint32_t slot, unsigned strip)
{
    return emit_512_part(e, slot, false, strip);
}

bool emit_512_is_wide(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    return !e->shape->scalars && n->op != WT_ROWS_NARROW && emit_is_wide_result(n);
}

bool emit_512_has_wide_source(const struct wt_rows_insn *n, unsigned i)
{
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_LOAD:
    case WT_ROWS_STORE:
        return i ? n->wide : !n->access.short_address;
    case WT_ROWS_NARROW:
        return true;
    case WT_ROWS_WIDEN:
    case WT_ROWS_MULTIPLY_WIDE:
        return false;
    case WT_ROWS_MULTIPLY_ADD_WIDE:
        return i == 2;
    case WT_ROWS_SHIFT_LEFT:
    case WT_ROWS_SHIFT_RIGHT:
    case WT_ROWS_SHIFT_SIGNED:
        return n->wide && (!i || n->alu.modulo);
    default:
        return n->wide;
    }
}

bool emit_512_is_wide_source(const struct emitter *e, unsigned i)
{
    return !e->shape->scalars && emit_512_has_wide_source(&e->insn[e->at], i);
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
    const bool wide = emit_512_is_wide_source(e, i);
    if (s->constant && wide) {
        struct x86_place p = emit_literal(e, s->value, true);
        p.each = true;
        return p;
    }
    if (s->constant)
        return in_all(e, (uint32_t)s->value);
    struct x86_place part;
    if (s->scalar) {
        part = x86_mem(SCALARS, s->slot);
        part.each = true;
    } else {
        part = emit_512_part(e, s->slot, wide, strip);
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

unsigned emit_512_executing_of(struct emitter *e, bool wide, unsigned strip)
{
    if (!e->some)
        return 0;
    k(e, KNOTW, K7, 0, idle_of(wide, strip));
    return K7;
}

unsigned emit_512_executing(struct emitter *e, unsigned strip)
{
    return emit_512_executing_of(e, false, strip);
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

/* Banks that begin in [from, to), or go on there, have no rows. */
static void clear_banks(struct emitter *e, unsigned from, unsigned to)
{
    struct cache *c = &e->cache;
    for (unsigned i = 0; i < to; i++)
        if (i + parts_of_row(e, c->qwords >> i & 1) > from)
            c->row[i] = NOTHING;
}

unsigned emit_512_choose(struct emitter *e)
{
    struct cache *c = &e->cache;
    const unsigned step = parts_of_result(e), count = (e->banks_end - e->banks) / step;
    unsigned bank = (c->bank + step - 1) / step * step;
    if (bank < e->banks || bank >= e->banks_end)
        bank = e->banks;
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
    clear_banks(e, bank, bank + step);
    c->bank = bank + step;
    return register_of(bank);
}

unsigned emit_512_home(const struct emitter *e, uint32_t slot, bool wide)
{
    for (unsigned i = 0; i < e->banks; i++)
        if (e->home[i] == slot && (e->home_qwords >> i & 1) == wide)
            return i;
    return NOTHING;
}

unsigned emit_512_choose_home(struct emitter *e)
{
    const unsigned home = emit_512_home(e, e->insn[e->at].d, emit_512_is_wide(e));
    return home == NOTHING ? emit_512_choose(e) : register_of(home);
}

void emit_512_store(struct emitter *e, uint32_t slot, unsigned bank, unsigned strip, unsigned from)
{
    const unsigned d = bank + strip;
    const bool wide = emit_512_is_wide(e);
    if (e->some)
        x86_512(&e->code, ZPBLENDMD | (wide ? Z_QWORDS : 0), d, from,
                emit_512_part(e, slot, wide, strip), idle_of(wide, strip));
    else if (d != from)
        z(e, VMOVDQU, d, 0, x86_reg(from));
    z(e, VMOVDQU_TO, d, 0, x86_mem(FRAME, slot + 64 * strip));
}

void emit_512_keep(struct emitter *e, uint32_t slot, unsigned bank)
{
    const bool wide = emit_512_is_wide(e);
    emit_evict(e, slot, 4 * LANES * parts_of_result(e));
    const unsigned own = emit_512_home(e, slot, wide), home = own == NOTHING ? bank_of(bank) : own;
    for (unsigned i = 0; i < parts_of_result(e) && home != bank_of(bank); i++)
        z(e, VMOVDQU, register_of(home) + i, 0, x86_reg(bank + i));
    emit_512_note(&e->cache, home, slot, wide);
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

void emit_512_join_wide(struct emitter *e, unsigned strip)
{
    if (strip % 2)
        k(e, KUNPCKBW, strip == 1 ? K5 : K6, strip == 1 ? K6 : 0, strip == 1 ? K5 : K6);
    if (strip == 3)
        k(e, KUNPCKWD, K5, K6, K5);
    if (strip == 2 * parts_of(e) - 1)
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
