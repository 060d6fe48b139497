/*
 * Arithmetic of shapes with 64 lanes and scalars in vectors of 512 bits. See emit_512.h.
 */
#include "emulator/translate/emit_512.h"

/* Part `strip` of a predicate in a k register. */
static void load_predicate(struct emitter *e, unsigned to, uint32_t slot, unsigned strip)
{
    if (emit_512_is_wide(e)) {
        x86_mask(&e->code, KMOVB, to, 0, x86_mem(FRAME, slot + strip));
        return;
    }
    x86_mask(&e->code, KMOVW, to, 0,
             x86_mem(e->shape->scalars ? SCALARS : FRAME, slot + 2 * strip));
}

/* ---- integers ---- */

/* The lower dwords of qwords in a register become qwords, by their sign, if the instruction is of
 * these. */
static void extend_lower(struct emitter *e, unsigned reg)
{
    if (!e->insn[e->at].alu.lower)
        return;
    zn(e, ZPSHIFTQ, 6, reg, x86_reg(reg), 0, 32);
    zn(e, VPSHIFTD | Z_QWORDS, 4, reg, x86_reg(reg), 0, 32);
}

/* d = a op b */
static void binary(struct emitter *e, unsigned op)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        const unsigned a = loaded(e, 0, i, T0), d = emit_512_target(e, bank, i);
        z(e, op, d, a, emit_512_source(e, 1, i));
        extend_lower(e, d);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

static void move(struct emitter *e)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++)
        store(e, bank, i, loaded(e, 0, i, emit_512_target(e, bank, i)));
    keep(e, bank);
}

static void complement(struct emitter *e)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        const unsigned d = emit_512_target(e, bank, i);
        z(e, VPXOR, d, loaded(e, 0, i, T0), in_all(e, UINT32_MAX));
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* to = a shifted by the lower 5 bits of source number `by`: left 6, right 2, signed 4. T2 is free.
 */
static void shift_part(struct emitter *e, unsigned how, unsigned to, unsigned a, unsigned by,
                       unsigned strip)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[by];
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool modulo = e->shape->scalars || n->alu.modulo,
               wide = emit_512_is_wide(e) && !n->alu.lower;
    const unsigned of_dwords = how == 6   ? VPSLLVD
                               : how == 4 ? VPSRAVD
                                          : VPSRLVD,
                   op = of_dwords | (wide ? Z_QWORDS : 0);
    if (s->constant) {
        const uint32_t value = (uint32_t)s->value, least = value < 255 ? value : 255;
        zn(e,
           !wide      ? VPSHIFTD
           : how == 4 ? VPSHIFTD | Z_QWORDS
                      : ZPSHIFTQ,
           how, to, x86_reg(a), 0, modulo ? value & (wide ? 63 : 31) : least);
        return;
    }
    if (!modulo && wide) {
        z(e, ZPMOVZXDQ, T2, 0, x86_mem(FRAME, s->slot + 32 * strip));
        z(e, op, to, a, x86_reg(T2));
        return;
    }
    if (!modulo) {
        z(e, op, to, a, emit_512_source(e, by, strip));
        return;
    }
    struct x86_place most = emit_literal(e, wide ? 63 : 31, wide);
    most.each = true;
    z(e, VPAND | (wide ? Z_QWORDS : 0), T2, loaded(e, by, strip, T2), most);
    z(e, op, to, a, x86_reg(T2));
}

static void shift(struct emitter *e, unsigned how)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        const unsigned a = loaded(e, 0, i, T0), d = emit_512_target(e, bank, i);
        shift_part(e, how, d, a, 1, i);
        extend_lower(e, d);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* T1: the upper halves of the products of T0 and T1, dwords; T2 and T3 are free for it. */
static void high_products(struct emitter *e, bool is_signed)
{
    const unsigned op = is_signed ? ZPMULDQ : ZPMULUDQ;
    z(e, op, T2, T0, x86_reg(T1));
    zn(e, ZPSHIFTQ, 2, T2, x86_reg(T2), 0, 32);
    zn(e, ZPSHIFTQ, 2, T3, x86_reg(T0), 0, 32);
    zn(e, ZPSHIFTQ, 2, T1, x86_reg(T1), 0, 32);
    z(e, op, T1, T3, x86_reg(T1));
    zn(e, ZPSHIFTQ, 2, T1, x86_reg(T1), 0, 32);
    zn(e, ZPSHIFTQ, 6, T1, x86_reg(T1), 0, 32);
    z(e, VPOR, T1, T1, x86_reg(T2));
}

static void multiply_high(struct emitter *e)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load(e, 0, i, T0);
        load(e, 1, i, T1);
        high_products(e, e->insn[e->at].is_signed);
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

static void multiply_add(struct emitter *e)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned a = loaded(e, 0, i, T0);
        z(e, VPMULLD, T1, a, emit_512_source(e, 1, i));
        z(e, VPADDD, T1, T1, emit_512_source(e, 2, i));
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

/* T1 = a op source number s */
static void one_of_two(struct emitter *e, unsigned op, unsigned a, unsigned s, unsigned strip)
{
    if (op == WT_ROWS_SHIFT_LEFT)
        shift_part(e, 6, T1, a, s, strip);
    else
        z(e,
          op == WT_ROWS_ADD   ? VPADDD
          : op == WT_ROWS_AND ? VPAND
          : op == WT_ROWS_OR  ? VPOR
                              : VPXOR,
          T1, a, emit_512_source(e, s, strip));
}

static void two(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        one_of_two(e, n->how, loaded(e, 0, i, T0), 1, i);
        one_of_two(e, n->combine, T1, 2, i);
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

static void field(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned first = (unsigned)n->s[1].value, count = (unsigned)n->s[2].value;
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned d = emit_512_target(e, bank, i);
        zn(e, VPSHIFTD, 6, d, emit_512_source(e, 0, i), 0, 32 - first - count);
        zn(e, VPSHIFTD, n->is_signed ? 4 : 2, d, x86_reg(d), 0, 32 - count);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

static void logic(struct emitter *e)
{
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load(e, 0, i, T1);
        zn(e, ZPTERNLOGD, T1, loaded(e, 1, i, T0), emit_512_source(e, 2, i), 0, e->insn[e->at].how);
        store(e, bank, i, T1);
    }
    keep(e, bank);
}

static void select_rows(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned no = !n->s[2].negated, bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        const unsigned other = loaded(e, no, i, T0), d = emit_512_target(e, bank, i);
        load_predicate(e, K7, n->s[2].slot, i);
        x86_512(&e->code, ZPBLENDMD | (emit_512_is_wide(e) ? Z_QWORDS : 0), d, other,
                emit_512_source(e, !no, i), K7);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

/* A k register gets the outcomes of a comparison of a part of sources 0 and 1. */
static void compare_part(struct emitter *e, unsigned to, unsigned strip, unsigned mask)
{
    static const uint8_t numbers[8] = {IS_NEVER,   IS_LESS,      IS_EQUAL,    IS_NOT_GREATER,
                                       IS_GREATER, IS_NOT_EQUAL, IS_NOT_LESS, IS_ALWAYS};
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned a = loaded(e, 0, strip, T0);
    const unsigned wide = emit_512_is_wide_source(e, 0) ? Z_QWORDS : 0;
    zn(e, (n->is_signed ? ZPCMPD : ZPCMPUD) | wide, to, a, emit_512_source(e, 1, strip), mask,
       numbers[n->how & 7]);
}

/* ax becomes those of all parts; of lanes that execute alone if `executing`, in code for some. */
static void compare_parts(struct emitter *e, bool executing)
{
    const bool wide = emit_512_is_wide_source(e, 0);
    for (unsigned i = 0; i < parts_of_row(e, wide); i++) {
        compare_part(e, emit_512_bits(i), i, executing ? emit_512_executing_of(e, wide, i) : 0);
        if (wide)
            emit_512_join_wide(e, i);
        else
            emit_512_join(e, i);
    }
}

static void compare(struct emitter *e)
{
    compare_parts(e, false);
    emit_512_store_predicate(e, e->insn[e->at].d);
}

/* A row of ones and zeros. */
static void set(struct emitter *e)
{
    const bool wide = emit_512_is_wide(e);
    const unsigned bank = emit_512_choose_home(e);
    for (unsigned i = 0; i < parts_of_result(e); i++) {
        const unsigned d = emit_512_target(e, bank, i);
        compare_part(e, K7, i, 0);
        x86_512(&e->code, wide ? ZPBROADCASTQ : ZPBROADCASTD, d, 0, emit_literal(e, 1, wide),
                K7 | X86_ZEROS);
        store(e, bank, i, d);
    }
    keep(e, bank);
}

size_t emit_512_decide(struct emitter *e)
{
    compare_parts(e, true);
    x86_integer(&e->code, X86_TEST, false, X86_AX, x86_reg(X86_AX));
    const size_t past = x86_jump(&e->code, X86_ZERO);
    x86_integer(&e->code, X86_CMP, false, X86_AX, FIELD(mask));
    emit_leave(e, X86_NOT_ZERO);
    return past;
}

/* ---- carries and pairs of rows ---- */

/* The carry of T1, to which k7 is added, or from which it is taken: `to` has that of T1 before. */
static void carry_on(struct emitter *e, bool adds, unsigned to)
{
    x86_512(&e->code, adds ? VPSUBD : VPADDD, T1, T1, in_all(e, UINT32_MAX), K7);
    zn(e, ZPCMPUD, K7, T1, in_all(e, adds ? 0 : UINT32_MAX), K7, IS_EQUAL);
    k(e, KORW, to, to, K7);
}

static void carry(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool adds = n->op == WT_ROWS_ADD_CARRY;
    const unsigned bank = emit_512_choose(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned a = loaded(e, 0, i, T0);
        const struct x86_place b = emit_512_source(e, 1, i);
        z(e, adds ? VPADDD : VPSUBD, T1, a, b);
        zn(e, ZPCMPUD, emit_512_bits(i), adds ? T1 : a, adds ? x86_reg(a) : b, 0, IS_LESS);
        if (n->alu.carries) {
            load_predicate(e, K7, n->s[2].slot, i);
            carry_on(e, adds, emit_512_bits(i));
        }
        store(e, bank, i, T1);
        emit_512_join(e, i);
    }
    emit_512_store_predicate(e, n->alu.carry);
    keep(e, bank);
}

/*
 * The half of a pair in T1, and that in T2 into which bits of it move, are shifted by T0; T3 and T4
 * are free. Of three terms, those that are shifted by 32 or more (or, seen so, below 0) are 0.
 */
static void shift_pair(struct emitter *e, unsigned op, unsigned back)
{
    z(e, op, T2, T2, x86_reg(T0));
    z(e, VPSUBD, T4, T0, x86_reg(emit_512_loaded(e, in_all(e, 32), T3)));
    z(e, VPSUBD, T3, T3, x86_reg(T0));
    z(e, back, T3, T1, x86_reg(T3));
    z(e, op, T4, T1, x86_reg(T4));
    zn(e, ZPTERNLOGD, T2, T3, x86_reg(T4), 0, 0xfe); /* any of the three */
    z(e, op, T1, T1, x86_reg(T0));
}

/* Likewise by a number below 32: T3 is free for it. */
static void shift_pair_by(struct emitter *e, bool left, unsigned by)
{
    zn(e, VPSHIFTD, left ? 6 : 2, T2, x86_reg(T2), 0, by);
    zn(e, VPSHIFTD, left ? 2 : 6, T3, x86_reg(T1), 0, 32 - by);
    z(e, VPOR, T2, T2, x86_reg(T3));
    zn(e, VPSHIFTD, left ? 6 : 2, T1, x86_reg(T1), 0, by);
}

static void load_row(struct emitter *e, uint32_t slot, unsigned strip, unsigned into)
{
    z(e, VMOVDQU, into, 0, emit_512_row(e, slot, strip));
}

/* The halves of a pair are in rows from the result's on, in two banks. */
static void keep_pair(struct emitter *e, unsigned low, unsigned high)
{
    keep(e, low);
    emit_512_keep(e, e->insn[e->at].d + row_of(e), high);
}

static void pair(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool left = n->op == WT_ROWS_PAIR_LEFT;
    const unsigned by = (unsigned)n->s[1].value & 63;
    const unsigned low = emit_512_choose(e), high = emit_512_choose(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        if (!n->s[1].constant || by >= 32)
            z(e, VPAND, T0, loaded(e, 1, i, T0), in_all(e, 63));
        load_row(e, n->s[0].slot + (left ? 0 : row_of(e)), i, T1);
        load_row(e, n->s[0].slot + (left ? row_of(e) : 0), i, T2);
        if (n->s[1].constant && by < 32)
            shift_pair_by(e, left, by);
        else
            shift_pair(e, left ? VPSLLVD : VPSRLVD, left ? VPSRLVD : VPSLLVD);
        emit_512_store(e, n->d, low, i, left ? T1 : T2);
        emit_512_store(e, n->d + row_of(e), high, i, left ? T2 : T1);
    }
    keep_pair(e, low, high);
}

/* Half of source 2, a pair: a row, or what all lanes have. */
static struct x86_place addend(struct emitter *e, bool upper, unsigned strip)
{
    const struct wt_rows_source *s = &e->insn[e->at].s[2];
    if (s->constant)
        return in_all(e, (uint32_t)(upper ? s->value >> 32 : s->value));
    if (!s->scalar)
        return emit_512_row(e, s->slot + (upper ? row_of(e) : 0), strip);
    struct x86_place p = x86_mem(SCALARS, s->slot + (upper ? 4 : 0));
    p.each = true;
    return p;
}

/* The product's lower half is in T4, the upper one in T1. */
static void pair_multiply_add(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool adds = !n->s[2].constant || n->s[2].value;
    const unsigned low = emit_512_choose(e), high = emit_512_choose(e);
    for (unsigned i = 0; i < parts_of(e); i++) {
        load(e, 0, i, T0);
        load(e, 1, i, T1);
        z(e, VPMULLD, T4, T0, x86_reg(T1));
        high_products(e, false);
        if (adds) {
            const unsigned a = emit_512_loaded(e, addend(e, false, i), T0),
                           b = emit_512_loaded(e, addend(e, true, i), T2);
            z(e, VPADDD, T4, T4, x86_reg(a));
            zn(e, ZPCMPUD, K7, T4, x86_reg(a), 0, IS_LESS);
            z(e, VPADDD, T1, T1, x86_reg(b));
            zn(e, ZPCMPUD, emit_512_bits(i), T1, x86_reg(b), 0, IS_LESS);
            carry_on(e, true, emit_512_bits(i));
            emit_512_join(e, i);
        }
        emit_512_store(e, n->d, low, i, T4);
        emit_512_store(e, n->d + row_of(e), high, i, T1);
    }
    if (!adds)
        x86_set(&e->code, X86_AX, 0);
    emit_512_store_predicate(e, n->alu.carry);
    keep_pair(e, low, high);
}

/* ---- an instruction ---- */

/* The instruction of an operation on dwords, or, wide, on qwords. */
static unsigned plain(unsigned op, bool wide)
{
    static const unsigned ops[] = {
        [WT_ROWS_ADD] = VPADDD,         [WT_ROWS_SUBTRACT] = VPSUBD, [WT_ROWS_MULTIPLY] = VPMULLD,
        [WT_ROWS_AND] = VPAND,          [WT_ROWS_OR] = VPOR,         [WT_ROWS_XOR] = VPXOR,
        [WT_ROWS_MIN] = VPMINUD,        [WT_ROWS_MAX] = VPMAXUD,     [WT_ROWS_MIN_SIGNED] = VPMINSD,
        [WT_ROWS_MAX_SIGNED] = VPMAXSD,
    };
    if (wide && op == WT_ROWS_ADD)
        return ZPADDQ;
    if (wide && op == WT_ROWS_SUBTRACT)
        return ZPSUBQ;
    return op < sizeof ops / sizeof ops[0] ? ops[op] | (wide ? Z_QWORDS : 0) : 0;
}

static void integers(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    switch ((enum wt_rows_op)n->op) {
    case WT_ROWS_MOVE:
        move(e);
        break;
    case WT_ROWS_NOT:
        complement(e);
        break;
    case WT_ROWS_MULTIPLY_ADD:
        multiply_add(e);
        break;
    case WT_ROWS_MULTIPLY_HIGH:
        multiply_high(e);
        break;
    case WT_ROWS_SHIFT_LEFT:
        shift(e, 6);
        break;
    case WT_ROWS_SHIFT_RIGHT:
        shift(e, 2);
        break;
    case WT_ROWS_SHIFT_SIGNED:
        shift(e, 4);
        break;
    case WT_ROWS_COMPARE:
        compare(e);
        break;
    case WT_ROWS_SET:
        set(e);
        break;
    case WT_ROWS_FIELD:
        field(e);
        break;
    case WT_ROWS_LOGIC:
        logic(e);
        break;
    case WT_ROWS_TWO:
        two(e);
        break;
    case WT_ROWS_SELECT:
        select_rows(e);
        break;
    case WT_ROWS_ADD_CARRY:
    case WT_ROWS_SUBTRACT_CARRY:
        carry(e);
        break;
    case WT_ROWS_PAIR_LEFT:
    case WT_ROWS_PAIR_RIGHT:
        pair(e);
        break;
    case WT_ROWS_PAIR_MULTIPLY_ADD:
        pair_multiply_add(e);
        break;
    case WT_ROWS_NEGATE:
    case WT_ROWS_ABSOLUTE:
    case WT_ROWS_DIVIDE:
    case WT_ROWS_REMAINDER:
    case WT_ROWS_GIVEN:
    case WT_ROWS_PARAMETER:
    case WT_ROWS_WIDEN:
    case WT_ROWS_MULTIPLY_WIDE:
    case WT_ROWS_MULTIPLY_ADD_WIDE:
    case WT_ROWS_NARROW:
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
    case WT_ROWS_FLOAT_OF_SIGNED:
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        emit_512_plain(e);
        break;
    default:
        binary(e, plain(n->op, emit_512_is_wide(e)));
        break;
    }
}

void emit_512(struct emitter *e)
{
    if (e->shape->scalars) {
        emit_guard(e);
        if (emit_512_real(e))
            return;
    }
    integers(e);
}
