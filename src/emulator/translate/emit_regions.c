/*
 * Instructions on regions: rows of 1 to 16 dwords that begin at any byte of the frame, for channels
 * from any one on. Registers have parts of 32 bytes, each by where it begins. See emit.h.
 *
 * All parts of a result are computed before the first one is stored: sources may overlap it.
 */
#include <assert.h>

#include "emulator/translate/emit.h"

static const struct wt_rows_insn *insn_of(const struct emitter *e)
{
    return &e->insn[e->at];
}

/* Lanes of a part of 32 bytes. */
static unsigned part_lanes(const struct wt_rows_insn *n)
{
    return n->wide ? 4 : 8;
}

static unsigned parts_of(const struct wt_rows_insn *n)
{
    return n->lanes > part_lanes(n) ? 2 : 1;
}

static int32_t lane_bits(const struct wt_rows_insn *n)
{
    return (int32_t)((1u << n->lanes) - 1);
}

/* Whether the mask says which channels execute it. */
static bool is_masked(const struct emitter *e)
{
    return e->some && !insn_of(e)->unmasked;
}

bool emit_is_partial_region(const struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    return is_masked(e) || (n->conditional && n->op != WT_ROWS_SELECT);
}

/* ---- sources ---- */

/* Loads 1, 2, 4 dwords, or 8. */
static void load_part(struct emitter *e, unsigned to, unsigned lanes, struct x86_place from)
{
    e->code.narrow = lanes < 8;
    emit_vector(e, lanes == 1 ? VMOVD : lanes == 2 ? VMOVQ : VMOVDQU, to, 0, from);
    e->code.narrow = false;
}

/* A source in a place as its modifiers have it. */
static struct x86_place modified(struct emitter *e, unsigned k, struct x86_place part)
{
    const struct wt_rows_source *s = &insn_of(e)->s[k];
    const unsigned to = SOURCE + k;
    const bool wide = insn_of(e)->wide;
    unsigned from = to;
    if (!s->sign_off && !s->sign_over && !s->absolute && !s->negated && !s->complemented)
        return part;
    from = emit_loaded(e, part, to);
    const uint64_t sign = wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    if (s->sign_off) {
        emit_vector(e, VPAND, to, from, emit_literal(e, sign - 1, wide));
        from = to;
    }
    if (s->sign_over) {
        emit_vector(e, VPXOR, to, from, emit_literal(e, sign, wide));
        from = to;
    }
    if (s->absolute) {
        emit_vector(e, VPABSD, to, 0, x86_reg(from));
        from = to;
    }
    if (s->negated) {
        emit_vector(e, VPXOR, T4, T4, x86_reg(T4));
        emit_vector(e, VPSUBD, to, T4, x86_reg(from));
        from = to;
    }
    if (s->complemented)
        emit_vector(e, VPXOR, to, from, emit_literal(e, UINT32_MAX, false));
    return x86_reg(to);
}

/* Sources that all lanes have alike come into registers. */
static void spread_sources(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    for (unsigned k = 0; k < 3; k++) {
        const struct wt_rows_source *s = &n->s[k];
        const struct x86_place at = x86_mem(FRAME, s->slot);
        if (s->constant || !s->spread)
            continue;
        if (s->spread < 4) {
            x86_load_part(&e->code, s->spread, s->is_signed, false, X86_AX, at);
            load_part(e, SOURCE + k, 1, x86_reg(X86_AX));
        }
        emit_vector(e, n->wide ? VPBROADCASTQ : VPBROADCASTD, SOURCE + k, 0,
                    s->spread < 4 ? x86_reg(SOURCE + k) : at);
        modified(e, k, x86_reg(SOURCE + k));
    }
}

/* Dwords in a register of which the lower bits count. */
static void cut_bits(struct emitter *e, const struct wt_rows_source *s, unsigned reg)
{
    if (s->bits && s->is_signed) {
        x86_vector_number(&e->code, VPSHIFTD, 6, reg, x86_reg(reg), 32 - s->bits);
        x86_vector_number(&e->code, VPSHIFTD, 4, reg, x86_reg(reg), 32 - s->bits);
    } else if (s->bits) {
        emit_vector(e, VPAND, reg, reg, emit_literal(e, (UINT64_C(1) << s->bits) - 1, false));
    }
}

/* Part `strip` of a source. */
static struct x86_place source(struct emitter *e, unsigned k, unsigned strip)
{
    const struct wt_rows_insn *n = insn_of(e);
    const struct wt_rows_source *s = &n->s[k];
    const unsigned to = SOURCE + k;
    if (s->constant)
        return emit_literal(e, s->value, n->wide);
    if (s->spread)
        return x86_reg(to);
    if (s->words) {
        e->code.narrow = n->lanes <= 4;
        emit_vector(e, s->is_signed ? VPMOVSXWD : VPMOVSXWD + (0x10 << 8), to, 0,
                    x86_mem(FRAME, s->slot + 16 * strip));
        e->code.narrow = false;
        return modified(e, k, x86_reg(to));
    }
    if (s->bits || n->lanes < part_lanes(n)) {
        load_part(e, to, n->lanes, x86_mem(FRAME, s->slot + 32 * strip));
        cut_bits(e, s, to);
        return modified(e, k, x86_reg(to));
    }
    const struct wt_rows_source part = {.slot = s->slot + 32 * strip};
    return modified(e, k, emit_part(e, &part, false, 0));
}

static unsigned loaded(struct emitter *e, unsigned k, unsigned strip, unsigned into)
{
    return emit_loaded(e, source(e, k, strip), into);
}

/* ---- which lanes ---- */

/* Its own bit of a word of flags for each lane of a part. */
static struct x86_place flag_bits(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = insn_of(e);
    const unsigned first = n->channel % 16u + part_lanes(n) * strip;
    uint64_t wide[4];
    uint32_t bits[8];
    for (unsigned i = 0; i < 8; i++) {
        bits[i] = 1u << (first + i) % 16;
        wide[i / 2] = 1u << (first + i / 2) % 16;
    }
    return n->wide ? x86_literal(&e->code, wide, sizeof wide)
                   : x86_literal(&e->code, bits, sizeof bits);
}

void emit_idle_region(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = insn_of(e);
    const size_t first = n->channel + (size_t)part_lanes(n) * strip;
    const struct x86_place idle = emit_field(offsetof(struct wt_rows_state, idle) + 4 * first);
    if (!n->conditional || n->op == WT_ROWS_SELECT) {
        emit_vector(e, n->wide ? VPMOVSXDQ : VMOVDQU, T3, 0, idle);
        return;
    }
    const struct x86_place each = flag_bits(e, strip);
    emit_vector(e, VPBROADCASTW, T3, 0, x86_mem(FRAME, n->condition.slot));
    emit_vector(e, VPAND, T3, T3, each);
    emit_vector(e, n->wide ? VPCMPEQQ : VPCMPEQD, T3, T3,
                n->condition.negated ? each : emit_literal(e, 0, n->wide));
    if (!is_masked(e))
        return;
    if (n->wide)
        emit_vector(e, VPMOVSXDQ, T2, 0, idle);
    emit_vector(e, VPOR, T3, T3, n->wide ? x86_reg(T2) : idle);
}

void emit_enabled_region(struct emitter *e, unsigned reg)
{
    const struct wt_rows_insn *n = insn_of(e);
    struct x86_code *code = &e->code;
    x86_set(code, reg, (uint32_t)lane_bits(n));
    if (is_masked(e)) {
        x86_integer(code, X86_LOAD, false, X86_R8, FIELD(mask));
        if (n->channel)
            x86_shift(code, false, X86_R8, n->channel);
        x86_integer(code, X86_AND, false, reg, x86_reg(X86_R8));
    }
    if (n->conditional) {
        x86_load_part(code, 2, false, false, X86_R8, x86_mem(FRAME, n->condition.slot));
        if (n->condition.negated)
            x86_integer_number(code, X86_XOR, false, X86_R8, -1);
        if (n->channel % 16)
            x86_shift(code, false, X86_R8, n->channel % 16);
        x86_integer(code, X86_AND, false, reg, x86_reg(X86_R8));
    }
}

/* The flags of ax, a bit for each lane, are put where they belong, of lanes that execute. */
static void put_flags(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    struct x86_code *code = &e->code;
    const struct x86_place at = x86_mem(FRAME, n->alu.flags);
    const unsigned first = n->channel % 16;
    if (n->lanes == 16 && !emit_is_partial_region(e)) {
        x86_store_part(code, 2, X86_AX, at);
        return;
    }
    emit_enabled_region(e, X86_DX);
    if (first) {
        x86_shift(code, true, X86_AX, first);
        x86_shift(code, true, X86_DX, first);
    }
    x86_load_part(code, 2, false, false, X86_R8, at);
    x86_integer(code, X86_XOR, false, X86_AX, x86_reg(X86_R8));
    x86_integer(code, X86_AND, false, X86_AX, x86_reg(X86_DX));
    x86_integer(code, X86_XOR, false, X86_AX, x86_reg(X86_R8));
    x86_store_part(code, 2, X86_AX, at);
}

/* ---- comparisons ---- */

/* Ones in a register where a and b compare as outcomes say; false: where they do not. */
static bool compare(struct emitter *e, unsigned how, unsigned a, struct x86_place b, unsigned to)
{
    const struct wt_rows_insn *n = insn_of(e);
    enum { LESS = WT_ROWS_LESS, EQUAL = WT_ROWS_EQUAL, GREATER = WT_ROWS_GREATER };
    static const uint8_t singles[8] = {
        [EQUAL] = 0x00,           [LESS | GREATER] = 0x04, [GREATER] = 0x1e,
        [GREATER | EQUAL] = 0x1d, [LESS] = 0x11,           [LESS | EQUAL] = 0x12};
    if (n->alu.real) {
        x86_vector_number(&e->code, VCMPPS, to, a, b, singles[how & 7]);
        return true;
    }
    if (how == EQUAL || how == (LESS | GREATER)) {
        emit_vector(e, VPCMPEQD, to, a, b);
        return how == EQUAL;
    }
    if (n->is_signed) {
        if (how == GREATER || how == (LESS | EQUAL))
            emit_vector(e, VPCMPGTD, to, a, b);
        else
            emit_vector(e, VPCMPGTD, to, emit_loaded(e, b, T2), x86_reg(a));
        return how == GREATER || how == LESS;
    }
    const bool greater = how == (GREATER | EQUAL) || how == LESS;
    emit_vector(e, greater ? VPMAXUD : VPMINUD, to, a, b);
    emit_vector(e, VPCMPEQD, to, to, x86_reg(a));
    return how & EQUAL;
}

/* The bits of T0 of part `strip` come to ax. */
static void gather_signs(struct emitter *e, unsigned strip)
{
    emit_vector(e, VMOVMSKPS, strip ? X86_DX : X86_AX, 0, x86_reg(T0));
    if (!strip)
        return;
    x86_shift(&e->code, true, X86_DX, 8);
    x86_integer(&e->code, X86_OR, false, X86_AX, x86_reg(X86_DX));
}

static void compare_rows(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    bool holds = true;
    for (unsigned i = 0; i < parts_of(n); i++) {
        const unsigned a = loaded(e, 0, i, T1);
        holds = compare(e, n->how, a, source(e, 1, i), T0);
        gather_signs(e, i);
    }
    if (!holds)
        x86_integer_number(&e->code, X86_XOR, false, X86_AX, -1);
    put_flags(e);
}

/* Compares the result with 0. */
static void test(struct emitter *e, const unsigned *d)
{
    const struct wt_rows_insn *n = insn_of(e);
    bool holds = true;
    for (unsigned i = 0; i < parts_of(n); i++) {
        holds = compare(e, n->alu.outcome, d[i], emit_literal(e, 0, false), T0);
        gather_signs(e, i);
    }
    if (!holds)
        x86_integer_number(&e->code, X86_XOR, false, X86_AX, -1);
    put_flags(e);
}

/* Source 0 where the condition holds, or where the sources compare so, else source 1. */
static void select_part(struct emitter *e, unsigned strip, unsigned d)
{
    const struct wt_rows_insn *n = insn_of(e);
    const unsigned a = loaded(e, 0, strip, T1);
    struct x86_place b = source(e, 1, strip);
    bool first = true;
    if (n->how) {
        b = x86_reg(emit_loaded(e, b, T2));
        first = compare(e, n->how, a, b, T0);
        if (n->alu.real) { /* and where source 1 is no number */
            x86_vector_number(&e->code, VCMPPS, T3, b.number, b, 3);
            emit_vector(e, VPOR, T0, T0, x86_reg(T3));
        }
    } else {
        const struct x86_place each = flag_bits(e, strip);
        emit_vector(e, VPBROADCASTW, T0, 0, x86_mem(FRAME, n->condition.slot));
        emit_vector(e, VPAND, T0, T0, each);
        emit_vector(e, VPCMPEQD, T0, T0, each);
        first = !n->condition.negated;
    }
    if (first)
        x86_vector_number(&e->code, VPBLENDVB, d, emit_loaded(e, b, T2), x86_reg(a), T0 << 4);
    else
        x86_vector_number(&e->code, VPBLENDVB, d, a, b, T0 << 4);
}

/* ---- arithmetic ---- */

static void shift_part(struct emitter *e, unsigned strip, unsigned d)
{
    const struct wt_rows_insn *n = insn_of(e);
    const unsigned how = n->op == WT_ROWS_SHIFT_LEFT ? 6 : n->op == WT_ROWS_SHIFT_RIGHT ? 2 : 4;
    const unsigned by_row = how == 6 ? VPSLLVD : how == 2 ? VPSRLVD : VPSRAVD;
    const unsigned a = loaded(e, 0, strip, T0);
    if (n->s[1].constant) {
        x86_vector_number(&e->code, VPSHIFTD, how, d, x86_reg(a), n->s[1].value & 31);
        return;
    }
    emit_vector(e, VMOVDQU, T1, 0, emit_literal(e, 31, false));
    emit_vector(e, VPAND, T1, T1, source(e, 1, strip));
    emit_vector(e, by_row, d, a, x86_reg(T1));
}

static void compute_part(struct emitter *e, unsigned strip, unsigned d)
{
    static const unsigned binary[WT_ROWS_OPS] = {[WT_ROWS_ADD] = VPADDD,
                                                 [WT_ROWS_MULTIPLY] = VPMULLD,
                                                 [WT_ROWS_AND] = VPAND,
                                                 [WT_ROWS_OR] = VPOR,
                                                 [WT_ROWS_XOR] = VPXOR,
                                                 [WT_ROWS_FLOAT_ADD] = VADDPS,
                                                 [WT_ROWS_FLOAT_MULTIPLY] = VMULPS};
    const struct wt_rows_insn *n = insn_of(e);
    const unsigned of_doubles = n->op == WT_ROWS_FLOAT_ADD ? VADDPD : VMULPD;
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
        emit_vector(e, VMOVDQU, d, 0, source(e, 0, strip));
        break;
    case WT_ROWS_NOT:
        emit_vector(e, VPXOR, d, loaded(e, 0, strip, T0), emit_literal(e, UINT32_MAX, false));
        break;
    case WT_ROWS_SHIFT_LEFT:
    case WT_ROWS_SHIFT_RIGHT:
    case WT_ROWS_SHIFT_SIGNED:
        shift_part(e, strip, d);
        break;
    case WT_ROWS_MULTIPLY_ADD:
        emit_vector(e, VPMULLD, T1, loaded(e, 0, strip, T0), source(e, 1, strip));
        emit_vector(e, VPADDD, d, T1, source(e, 2, strip));
        break;
    case WT_ROWS_FLOAT_MULTIPLY_ADD:
        emit_vector(e, VMOVDQU, T0, 0, source(e, 0, strip));
        emit_vector(e, n->wide ? VFMADD132PD : VFMADD132PS, T0, loaded(e, 2, strip, T1),
                    source(e, 1, strip));
        emit_vector(e, VMOVDQU, d, 0, x86_reg(T0));
        break;
    case WT_ROWS_SELECT:
        select_part(e, strip, d);
        break;
    default:
        assert(binary[n->op]);
        emit_vector(e, n->wide ? of_doubles : binary[n->op], d, loaded(e, 0, strip, T0),
                    source(e, 1, strip));
        break;
    }
}

/* A result that is no number is the first source that is none, made quiet, or 0x7fc00000. */
static void choose_nan(struct emitter *e, unsigned strip, unsigned d)
{
    const struct wt_rows_insn *n = insn_of(e);
    const bool three = n->op == WT_ROWS_FLOAT_MULTIPLY_ADD;
    emit_vector(e, VMOVDQU, T1, 0, emit_literal(e, 0x7fc00000, false));
    for (unsigned k = three ? 3 : 2; k-- > 0;) {
        const unsigned from = loaded(e, k, strip, T2);
        x86_vector_number(&e->code, VCMPPS, T3, from, x86_reg(from), 3);
        emit_vector(e, VPOR, T2, from, emit_literal(e, 0x00400000, false));
        x86_vector_number(&e->code, VPBLENDVB, T1, T1, x86_reg(T2), T3 << 4);
    }
    x86_vector_number(&e->code, VCMPPS, T0, d, x86_reg(d), 3);
    x86_vector_number(&e->code, VPBLENDVB, d, d, x86_reg(T1), T0 << 4);
}

/* The handler knows which NaN a double is. */
static void leave_nans(struct emitter *e, const unsigned *d)
{
    x86_vector_number(&e->code, VCMPPD, T0, d[0], x86_reg(d[parts_of(insn_of(e)) - 1]), 3);
    emit_vector(e, VPTEST, T0, 0, x86_reg(T0));
    emit_call(e, X86_NOT_ZERO);
}

static void settle_nans(struct emitter *e, const unsigned *d)
{
    const unsigned parts = parts_of(insn_of(e));
    x86_vector_number(&e->code, VCMPPS, T0, d[0], x86_reg(d[parts - 1]), 3);
    emit_vector(e, VPTEST, T0, 0, x86_reg(T0));
    const size_t past = x86_jump(&e->code, X86_ZERO);
    for (unsigned i = 0; i < parts; i++)
        choose_nan(e, i, d[i]);
    x86_land(&e->code, past, e->code.size);
}

void emit_store_region(struct emitter *e, uint32_t slot, unsigned strip, unsigned d)
{
    const struct wt_rows_insn *n = insn_of(e);
    const struct x86_place to = x86_mem(FRAME, slot + 32 * strip);
    struct x86_place old = to;
    if (emit_is_partial_region(e)) {
        emit_idle_region(e, strip);
        if (n->lanes < part_lanes(n)) {
            load_part(e, T2, n->lanes, to);
            old = x86_reg(T2);
        }
        x86_vector_number(&e->code, VPBLENDVB, d, d, old, T3 << 4);
    }
    e->code.narrow = n->lanes < part_lanes(n);
    emit_vector(e, n->lanes == 1 ? VMOVD_TO : n->lanes == 2 ? VMOVQ_TO : VMOVDQU_TO, d, 0, to);
    e->code.narrow = false;
}

void emit_choose_region(struct emitter *e, unsigned d[2])
{
    for (unsigned i = 0; i < parts_of(insn_of(e)); i++) {
        d[i] = (e->cache.next + i) % CACHED;
        e->cache.slot[d[i]] = NOTHING;
    }
    e->cache.next = (e->cache.next + parts_of(insn_of(e))) % CACHED;
}

void emit_keep_region(struct emitter *e, const unsigned d[2])
{
    const struct wt_rows_insn *n = insn_of(e);
    emit_evict(e, n->d, (n->wide ? 8u : 4u) * n->lanes);
    for (unsigned i = 0; i < parts_of(n) && n->lanes >= part_lanes(n); i++)
        e->cache.slot[d[i]] = n->d + 32 * i;
}

void emit_region(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    const unsigned parts = parts_of(n);
    unsigned d[2];
    e->code.narrow = false;
    if (n->guarded) {
        x86_test_byte(&e->code, FIELD(guard), 1);
        emit_call(e, X86_NOT_ZERO);
    }
    spread_sources(e);
    if (n->op == WT_ROWS_COMPARE) {
        compare_rows(e);
        return;
    }
    emit_choose_region(e, d);
    for (unsigned i = 0; i < parts; i++)
        compute_part(e, i, d[i]);
    if (n->raises && n->wide)
        leave_nans(e, d);
    else if (n->raises)
        settle_nans(e, d);
    /* the flags may be the condition, too */
    for (unsigned i = 0; i < parts && !n->alu.nowhere; i++)
        emit_store_region(e, n->d, i, d[i]);
    if (n->alu.tests)
        test(e, d);
    if (n->alu.nowhere)
        return;
    emit_keep_region(e, d);
}

void emit_decide_region(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    struct x86_code *code = &e->code;
    if (n->how) { /* the first channel's flag is for the whole wave */
        if (n->conditional) {
            x86_test_byte(code, x86_mem(FRAME, n->condition.slot), 1);
            emit_leave(e, n->condition.negated ? X86_NOT_ZERO : X86_ZERO);
        }
        return;
    }
    x86_integer(code, X86_LOAD, false, X86_DX, FIELD(mask));
    x86_integer(code, X86_LOAD, false, X86_AX, x86_reg(X86_DX));
    if (n->lanes < 32)
        x86_integer_number(code, X86_AND, false, X86_AX, lane_bits(n));
    if (n->conditional) {
        x86_load_part(code, n->lanes > 16 ? 4 : 2, false, false, X86_R8,
                      x86_mem(FRAME, n->condition.slot));
        if (n->condition.negated)
            x86_integer_number(code, X86_XOR, false, X86_R8, -1);
        x86_integer(code, X86_AND, false, X86_AX, x86_reg(X86_R8));
    }
    x86_integer(code, X86_CMP, false, X86_AX, x86_reg(X86_DX));
    emit_leave(e, X86_NOT_ZERO);
}
