/* Sources and results of instructions, and the ways out of the code. See emit.h. */
#include "emulator/translate/emit.h"

void emit_vector(struct emitter *e, unsigned op, unsigned a, unsigned b, struct x86_place c)
{
    x86_vector(&e->code, op, a, b, c);
}

static void add_exit(struct emitter *e, int condition, bool calls)
{
    const size_t jump = x86_jump(&e->code, condition);
    if (e->exits == EXITS)
        e->code.overflow = true;
    else
        e->exit[e->exits++] = (struct exit){jump, e->at, calls};
}

/* Leaves before the instruction if a condition holds. */
void emit_leave(struct emitter *e, int condition)
{
    add_exit(e, condition, false);
}

/* Calls the instruction's handler instead. */
void emit_call(struct emitter *e, int condition)
{
    add_exit(e, condition, true);
}

/* ---- sources and results ---- */

struct x86_place emit_literal(struct emitter *e, uint64_t value, bool wide)
{
    return x86_literal(&e->code, &value, wide ? 8 : 4);
}

/* Part `strip`, 32 bytes, of the row of a source: in a register, or in memory. */
struct x86_place emit_part(struct emitter *e, const struct wt_rows_source *s, bool wide,
                           unsigned strip)
{
    if (s->constant)
        return emit_literal(e, s->value, wide);
    if (e->cache.wide && wide && e->cache.slot[0] == s->slot)
        return x86_reg(strip);
    for (unsigned bank = 0; bank < 2 && !wide && !e->cache.wide; bank++)
        if (e->cache.slot[bank] == s->slot)
            return x86_reg(bank * BANK + strip);
    return x86_mem(FRAME, s->slot + 32 * strip);
}

/* The same in a register: @p into, if it is not in one yet. */
unsigned emit_loaded(struct emitter *e, struct x86_place place, unsigned into)
{
    if (place.kind == X86_REGISTER)
        return place.number;
    emit_vector(e, VMOVDQU, into, 0, place);
    return into;
}

/* 16 bytes of dwords as qwords; those of memory, also where a bank has them: qwords of the result
 * may be there. */
void emit_widened(struct emitter *e, const struct wt_rows_source *s, bool is_signed, unsigned strip,
                  unsigned into)
{
    const uint64_t value =
        is_signed ? (uint64_t)(int64_t)(int32_t)(uint32_t)s->value : (uint32_t)s->value;
    if (s->constant)
        emit_vector(e, VMOVDQU, into, 0, emit_literal(e, value, true));
    else
        emit_vector(e, is_signed ? VPMOVSXDQ : VPMOVZXDQ, into, 0,
                    x86_mem(FRAME, s->slot + 16 * strip));
}

bool emit_is_wide_result(const struct wt_rows_insn *n)
{
    return n->wide || n->op == WT_ROWS_WIDEN || n->op == WT_ROWS_MULTIPLY_WIDE ||
           n->op == WT_ROWS_MULTIPLY_ADD_WIDE;
}

/* The register for part `strip` of the result. */
unsigned emit_result(const struct emitter *e, unsigned strip)
{
    return emit_is_wide_result(&e->insn[e->at]) ? strip : e->cache.next * BANK + strip;
}

/* Part `strip` of the result is in a register: it is stored for the lanes that execute. */
void emit_store(struct emitter *e, unsigned strip, unsigned from)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct x86_place to = x86_mem(FRAME, n->d + 32 * strip);
    const unsigned d = emit_result(e, strip);
    if (e->some && emit_is_wide_result(n)) {
        emit_vector(e, VPMOVSXDQ, T3, 0,
                    emit_field(offsetof(struct wt_rows_state, idle) + 16 * strip));
        x86_vector_number(&e->code, VPBLENDVB, d, from, to, T3 << 4);
    } else if (e->some) {
        x86_vector_number(&e->code, VPBLENDVB, d, from, to, (IDLE + strip) << 4);
    } else if (d != from) {
        emit_vector(e, VMOVDQU, d, 0, x86_reg(from));
    }
    emit_vector(e, VMOVDQU_TO, d, 0, to);
}

/* Forgets rows of the cache that overlap [slot, slot + size). */
void emit_evict(struct cache *c, uint32_t slot, uint32_t size)
{
    for (unsigned i = 0; i < 2; i++)
        if (c->slot[i] != NOTHING && c->slot[i] < slot + size &&
            slot < c->slot[i] + (c->wide ? 256 : 128))
            c->slot[i] = NOTHING;
    if (c->slot[0] == NOTHING)
        c->wide = false;
}

/* The result's row is in its bank from now on. */
void emit_keep(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct cache *c = &e->cache;
    if (emit_is_wide_result(n)) {
        *c = (struct cache){{n->d, NOTHING}, true, 0};
        return;
    }
    if (c->wide)
        *c = (struct cache){{NOTHING, NOTHING}, false, c->next};
    emit_evict(c, n->d, 128);
    c->slot[c->next] = n->d;
    c->next ^= 1;
}

/* A predicate in a register. */
void emit_load_predicate(struct emitter *e, const struct wt_rows_source *s, unsigned reg)
{
    if (s->constant)
        x86_set(&e->code, reg, (uint32_t)s->value);
    else
        x86_integer(&e->code, X86_LOAD, false, reg, x86_mem(FRAME, s->slot));
    if (s->negated)
        x86_not(&e->code, reg);
}
