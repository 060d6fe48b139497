/* Sources and results of instructions, and the ways out of the code. See emit.h. */
#include "emulator/translate/emit.h"

void emit_vector(struct emitter *e, unsigned op, unsigned a, unsigned b, struct x86_place c)
{
    x86_vector(&e->code, op, a, b, c);
}

static void add_exit(struct emitter *e, int condition, bool calls)
{
    e->unseen_fails |= e->unseen_stored && !e->insn[e->at].ends;
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

/* Bytes of a row. Of regions, registers have parts one by one. */
static unsigned row_bytes(const struct emitter *e, bool wide)
{
    return e->shape->regions ? 32 : e->shape->lanes * (wide ? 8 : 4);
}

/* Bytes of a row that instructions are about. */
static unsigned used_bytes(const struct emitter *e, bool wide)
{
    return e->few ? e->few * (wide ? 8 : 4) : row_bytes(e, wide);
}

static unsigned parts_of(const struct emitter *e, bool wide)
{
    const unsigned bytes = used_bytes(e, wide);
    return bytes > 32 ? bytes / 32 : 1;
}

unsigned emit_parts(struct emitter *e, bool wide)
{
    e->code.narrow = used_bytes(e, wide) <= 16;
    return e->looping ? 1 : parts_of(e, wide);
}

unsigned emit_part_lanes(const struct emitter *e, bool wide)
{
    const unsigned most = wide ? 4 : 8;
    return e->shape->lanes < most ? e->shape->lanes : most;
}

void emit_forget(struct emitter *e)
{
    e->alone.number = 0;
    e->cache.next = 0;
    for (unsigned i = 0; i < CACHED; i++)
        e->cache.slot[i] = NOTHING;
    for (unsigned i = 0; i < BANKS; i++)
        e->cache.row[i] = NOTHING;
}

/* Part `strip` of a row. */
static struct x86_place row_part(const struct emitter *e, uint32_t slot, bool wide, unsigned strip)
{
    for (unsigned i = 0; i < CACHED; i++)
        if (e->cache.slot[i] == slot && e->cache.wide[i] == wide)
            return x86_reg(i + strip);
    return x86_mem(FRAME, slot + 32 * strip);
}

/* Which one of the instruction's sources it is. */
static unsigned number_of(const struct emitter *e, const struct wt_rows_source *s)
{
    return (unsigned)(s - e->insn[e->at].s);
}

static bool is_changed(const struct wt_rows_source *s)
{
    return s->bits || s->sign_off || s->sign_over;
}

/* A part as a source has it that is not all of a row, or has another sign: in its register. */
static struct x86_place changed(struct emitter *e, const struct wt_rows_source *s,
                                struct x86_place part)
{
    const unsigned to = SOURCE + number_of(e, s), above = 32 - s->first - s->bits;
    unsigned from = part.number;
    if (part.kind != X86_REGISTER) {
        emit_vector(e, VMOVDQU, to, 0, part);
        from = to;
    }
    if (s->bits && above) {
        x86_vector_number(&e->code, VPSHIFTD, 6, to, x86_reg(from), above);
        from = to;
    }
    if (s->bits)
        x86_vector_number(&e->code, VPSHIFTD, s->is_signed ? 4 : 2, to, x86_reg(from),
                          32 - s->bits);
    if (s->sign_off) {
        emit_vector(e, VPAND, to, from, emit_literal(e, INT32_MAX, false));
        from = to;
    }
    if (s->sign_over)
        emit_vector(e, VPXOR, to, from, emit_literal(e, UINT32_C(1) << 31, false));
    return x86_reg(to);
}

/* Part `strip`, 32 bytes, of the row of a source: in a register, or in memory. */
struct x86_place emit_part(struct emitter *e, const struct wt_rows_source *s, bool wide,
                           unsigned strip)
{
    if (s->constant)
        return emit_literal(e, s->value, wide);
    if (s->scalar)
        return x86_reg(SOURCE + number_of(e, s));
    const struct x86_place part = row_part(e, s->slot, wide, strip);
    if (is_changed(s))
        return changed(e, s, part);
    if (!e->few || part.kind == X86_REGISTER)
        return part;
    emit_load_few(e, SOURCE + number_of(e, s), FRAME, s->slot, wide);
    return x86_reg(SOURCE + number_of(e, s));
}

void emit_scalars(struct emitter *e)
{
    if (e->looping) /* they are there already */
        return;
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool others = n->op == WT_ROWS_SELECT || n->op == WT_ROWS_ADD_CARRY ||
                        n->op == WT_ROWS_SUBTRACT_CARRY || n->op == WT_ROWS_PAIR_MULTIPLY_ADD;
    e->code.narrow = false;
    for (unsigned i = 0; i < (others ? 2 : 3); i++) /* source 2 has 64 bits, or lanes' bits */
        if (n->s[i].scalar) {
            emit_vector(e, VPBROADCASTD, SOURCE + i, 0, x86_mem(SCALARS, n->s[i].slot));
            if (is_changed(&n->s[i]))
                changed(e, &n->s[i], x86_reg(SOURCE + i));
        }
}

/* Likewise in a register: @p into, if it is not in one yet. */
unsigned emit_loaded(struct emitter *e, struct x86_place place, unsigned into)
{
    if (place.kind == X86_REGISTER)
        return place.number;
    emit_vector(e, VMOVDQU, into, 0, place);
    return into;
}

struct x86_place emit_half(struct emitter *e, const struct wt_rows_source *s, unsigned strip,
                           unsigned into)
{
    if (!e->few)
        return x86_mem(FRAME, s->slot + 16 * strip);
    const struct x86_place part = row_part(e, s->slot, false, 0);
    if (part.kind != X86_REGISTER)
        emit_load_few(e, into, FRAME, s->slot, false);
    return part.kind == X86_REGISTER ? part : x86_reg(into);
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
        emit_vector(e, is_signed ? VPMOVSXDQ : VPMOVZXDQ, into, 0, emit_half(e, s, strip, into));
}

bool emit_is_wide_result(const struct wt_rows_insn *n)
{
    return n->wide || n->op == WT_ROWS_WIDEN || n->op == WT_ROWS_MULTIPLY_WIDE ||
           n->op == WT_ROWS_MULTIPLY_ADD_WIDE;
}

/* Whether a row of a cache of `parts` parts that begins at register `first` is in one of [from,
 * to). */
static bool overlaps(unsigned first, unsigned parts, unsigned from, unsigned to)
{
    return first < to && from < first + parts;
}

/* Forgets rows that registers [from, to) have a part of, but one that begins at `except`. */
static void release(struct emitter *e, unsigned from, unsigned to, unsigned except)
{
    for (unsigned i = 0; i < CACHED; i++)
        if (i != except && e->cache.slot[i] != NOTHING &&
            overlaps(i, parts_of(e, e->cache.wide[i]), from, to))
            e->cache.slot[i] = NOTHING;
}

/*
 * A source may be in the very registers of the result: part i of it is read before part i of the
 * result is written, or it has twice as many parts. One that begins elsewhere is read from memory.
 */
void emit_choose(struct emitter *e)
{
    const unsigned parts = emit_parts(e, emit_is_wide_result(&e->insn[e->at]));
    if (parts > CACHED)
        return;
    e->result = (e->cache.next + parts - 1) / parts * parts % CACHED;
    release(e, e->result, e->result + parts, e->result);
}

/* The register for part `strip` of the result. */
unsigned emit_result(const struct emitter *e, unsigned strip)
{
    return e->looping || parts_of(e, emit_is_wide_result(&e->insn[e->at])) > CACHED
               ? T2
               : e->result + strip;
}

unsigned emit_idle(struct emitter *e, bool wide, unsigned strip, unsigned into)
{
    const size_t idle = offsetof(struct wt_rows_state, idle);
    if (e->conditional) {
        uint32_t bits[8];
        const unsigned first = strip * (wide ? 4 : 8);
        for (unsigned i = 0; i < 8; i++)
            bits[i] = 1u << (first + (wide ? i / 2 : i));
        emit_vector(e, VPBROADCASTD, into, 0, FIELD(executing));
        emit_vector(e, VPAND, into, into, x86_literal(&e->code, bits, sizeof bits));
        emit_vector(e, VPCMPEQD, into, into, emit_literal(e, 0, false));
        return into;
    }
    if (e->looping) {
        emit_vector(e, VMOVDQU, into, 0, x86_scaled(STATE, idle, X86_R10, 0));
        return into;
    }
    if (!wide && e->shape->lanes <= 32)
        return IDLE + strip;
    emit_vector(e, wide ? VPMOVSXDQ : VMOVDQU, into, 0,
                emit_field(idle + (wide ? 16 : 32) * (size_t)strip));
    return into;
}

/* Part `strip` of the result is in a register: it is stored for the lanes that execute. */
void emit_store(struct emitter *e, unsigned strip, unsigned from)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct x86_place to = x86_mem(FRAME, n->d + 32 * strip);
    const unsigned d = emit_result(e, strip);
    if (e->few) {
        if (d != from)
            emit_vector(e, VMOVDQU, d, 0, x86_reg(from));
        emit_store_few(e, n->d, emit_is_wide_result(n), d);
        return;
    }
    if (emit_is_partial(e))
        x86_vector_number(&e->code, VPBLENDVB, d, from, to,
                          emit_idle(e, emit_is_wide_result(n), strip, T3) << 4);
    else if (d != from)
        emit_vector(e, VMOVDQU, d, 0, x86_reg(from));
    emit_vector(e, VMOVDQU_TO, d, 0, to);
}

void emit_store_from(struct emitter *e, uint32_t slot, unsigned strip, unsigned from)
{
    const struct x86_place to = x86_mem(FRAME, slot + 32 * strip);
    if (e->few) {
        emit_store_few(e, slot, false, from);
        return;
    }
    if (emit_is_partial(e))
        x86_vector_number(&e->code, VPBLENDVB, from, from, to, emit_idle(e, false, strip, T3) << 4);
    emit_vector(e, VMOVDQU_TO, from, 0, to);
}

/* Forgets rows of the cache that overlap [slot, slot + size). */
void emit_evict(struct emitter *e, uint32_t slot, uint32_t size)
{
    struct cache *c = &e->cache;
    if (e->alone.slot < slot + size && slot < e->alone.slot + row_bytes(e, e->alone.wide))
        e->alone.number = 0;
    for (unsigned i = 0; i < CACHED; i++)
        if (c->slot[i] != NOTHING && c->slot[i] < slot + size &&
            slot < c->slot[i] + (c->ones[i] ? 4 : row_bytes(e, c->wide[i])))
            c->slot[i] = NOTHING;
    for (unsigned i = 0; i < BANKS && e->is_512; i++)
        if (c->row[i] != NOTHING && c->row[i] < slot + size &&
            slot < c->row[i] + row_bytes(e, c->qwords >> i & 1))
            c->row[i] = NOTHING;
}

/* The row, or predicate, that begins at a slot is in the result's registers from now on. */
static void keep(struct emitter *e, uint32_t slot, bool wide, bool ones)
{
    const unsigned parts = parts_of(e, wide);
    release(e, e->result, e->result + parts, NOTHING);
    e->cache.slot[e->result] = slot;
    e->cache.wide[e->result] = wide;
    e->cache.ones[e->result] = ones;
    e->cache.next = (e->result + parts) % CACHED;
}

/* The result's row is in its registers from now on. */
void emit_keep(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool wide = emit_is_wide_result(n);
    const unsigned parts = parts_of(e, wide);
    emit_evict(e, n->d, row_bytes(e, wide));
    if (parts <= CACHED && !e->sparse)
        keep(e, n->d, wide, false);
}

void emit_keep_ones(struct emitter *e)
{
    keep(e, e->insn[e->at].d, e->insn[e->at].wide, true);
}

unsigned emit_kept_ones(const struct emitter *e, uint32_t slot, bool wide)
{
    for (unsigned i = 0; i < CACHED; i++)
        if (e->cache.slot[i] == slot && e->cache.ones[i] && e->cache.wide[i] == wide)
            return i;
    return NOTHING;
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

/* ---- singles that may count as 0 ---- */

void emit_note_small(struct emitter *e, struct x86_place part, unsigned scratch)
{
    emit_vector(e, VMOVDQU, T2, 0, emit_literal(e, INT32_MAX, false));
    emit_vector(e, VPAND, T2, T2, part);
    emit_vector(e, VPADDD, T2, T2, emit_literal(e, UINT32_MAX, false));
    emit_vector(e, VPMINUD, scratch, T2, emit_literal(e, 0x7fffff, false));
    emit_vector(e, VPCMPEQD, T2, T2, x86_reg(scratch));
    emit_vector(e, VPOR, T3, T3, x86_reg(T2));
}

void emit_note_small_sources(struct emitter *e, unsigned strip, unsigned sources)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned k = 0; k < sources; k++)
        emit_note_small(e, emit_part(e, &n->s[k], false, strip), T1);
}

void emit_call_for_noted(struct emitter *e)
{
    emit_test_any(e, T3, false);
    emit_call(e, X86_NOT_ZERO);
}

void emit_call_for_small(struct emitter *e, unsigned parts, unsigned sources)
{
    emit_vector(e, VPXOR, T3, T3, x86_reg(T3));
    for (unsigned i = 0; i < parts; i++)
        emit_note_small_sources(e, i, sources);
    emit_call_for_noted(e);
}
