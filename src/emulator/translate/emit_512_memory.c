/*
 * Loads and stores of 64 lanes in vectors of 512 bits: one place behind the other, anywhere in one
 * page or in the group's memory, or lane by lane. See emit_512.h.
 */
#include "emulator/machine/memory.h"
#include "emulator/translate/emit_512.h"

/* Registers: addresses are looked at with those of sources, which no access has. */
enum { UPPER = SOURCE, OFFSET, OTHER };
enum { OR_DIFFERENCE = 0xf6 }; /* VPTERNLOGD: a | b ^ c */

static unsigned log_of(unsigned bytes)
{
    return bytes == 4 ? 2 : bytes == 2;
}

/* Of the first lane that executes, which is lane r10 if not all do: a dword of a row. */
static struct x86_place first_of(const struct emitter *e, uint32_t slot)
{
    return e->some ? x86_scaled(FRAME, slot, X86_R10, 2) : x86_mem(FRAME, slot);
}

/* Likewise in all lanes. */
static struct x86_place first_in_all(const struct emitter *e, uint32_t slot)
{
    struct x86_place p = first_of(e, slot);
    p.each = true;
    return p;
}

/* Whether it is in the group's memory. */
static bool is_shared(const struct emitter *e)
{
    return e->insn[e->at].access.space == WT_ROWS_GROUP || e->windowed;
}

/* Whether a scalar is added to the dwords of addresses. */
static bool is_based(const struct emitter *e)
{
    return e->insn[e->at].access.split && e->insn[e->at].s[2].scalar;
}

/* Whether addresses have upper dwords in a row of their own, which count. */
static bool has_upper(const struct emitter *e)
{
    return e->insn[e->at].access.split && !is_based(e) && !e->windowed;
}

/* Whether addresses are qwords in one row. */
static bool has_qwords(const struct emitter *e)
{
    return !e->shape->scalars && !e->insn[e->at].access.short_address;
}

void emit_512_first_address(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (has_qwords(e)) {
        emit_first_address(e);
        return;
    }
    x86_integer(code, X86_LOAD, false, X86_AX, first_of(e, n->s[0].slot));
    if (has_upper(e)) {
        x86_integer(code, X86_LOAD, false, X86_DX, first_of(e, n->s[0].slot + row_of(e)));
        x86_shift(code, true, X86_DX, 32);
        x86_integer(code, X86_OR, true, X86_AX, x86_reg(X86_DX));
    } else if (is_based(e)) {
        x86_integer(code, X86_ADD, true, X86_AX, x86_mem(SCALARS, n->s[2].slot));
    }
    if (e->windowed)
        x86_integer_number(code, X86_ADD, false, X86_AX, (int32_t)n->access.offset);
    else
        emit_add_offset(e);
    if (n->access.bytes > 1) {
        x86_integer_number(code, X86_TEST, false, X86_AX, n->access.bytes - 1);
        emit_call(e, X86_NOT_ZERO);
    }
}

/* ---- one place behind the other ---- */

void emit_512_find_row(struct emitter *e, size_t scattered[3])
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const uint32_t low = n->s[0].slot, size = n->access.bytes;
    uint8_t lanes[LANES];
    for (unsigned i = 0; i < LANES; i++)
        lanes[i] = (uint8_t)(i * size);
    x86_integer(code, X86_LOAD, false, X86_R9, first_of(e, low));
    if (e->some) {
        x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R10));
        x86_shift(code, true, X86_AX, log_of(size));
        x86_integer(code, X86_SUB, true, X86_R9, x86_reg(X86_AX));
        scattered[0] = x86_jump(code, X86_BELOW);
    } else { /* the last lane's address says soon that they are not in a row */
        x86_integer(code, X86_LOAD, false, X86_DX, x86_mem(FRAME, low + row_of(e) - 4));
        x86_integer(code, X86_SUB, false, X86_DX, x86_reg(X86_R9));
        x86_integer_number(code, X86_CMP, false, X86_DX, (int32_t)((e->shape->lanes - 1) * size));
        scattered[0] = x86_jump(code, X86_NOT_ZERO);
    }
    x86_integer_number(code, X86_CMP, false, X86_R9, (int32_t)(0 - e->shape->lanes * size));
    scattered[1] = x86_jump(code, X86_ABOVE);
    z(e, ZPMOVZXBD, T0, 0, x86_literal(code, lanes, sizeof lanes));
    z(e, ZPBROADCAST, T1, 0, x86_reg(X86_R9));
    z(e, VPADDD, T0, T0, x86_reg(T1));
    z(e, VPXOR, T1, T1, x86_reg(T1));
    if (has_upper(e))
        emit_512_loaded(e, first_in_all(e, low + row_of(e)), UPPER);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned mask = emit_512_executing(e, i);
        if (i)
            z(e, VPADDD, T0, T0, in_all(e, LANES * size));
        x86_512_number(code, ZPTERNLOGD, T1, T0, emit_512_row(e, low, i), mask, OR_DIFFERENCE);
        if (has_upper(e))
            x86_512_number(code, ZPTERNLOGD, T1, UPPER, emit_512_row(e, low + row_of(e), i), mask,
                           OR_DIFFERENCE);
    }
    z(e, ZPTESTMD, K5, T1, x86_reg(T1));
    x86_mask(code, KORTESTW, K5, 0, x86_reg(K5));
    scattered[2] = x86_jump(code, X86_NOT_ZERO);
}

/* A qword that all lanes have. */
static struct x86_place qword_in_all(struct emitter *e, uint64_t value)
{
    struct x86_place p = emit_literal(e, value, true);
    p.each = true;
    return p;
}

/* Likewise of qwords. */
static void find_row_of_qwords(struct emitter *e, size_t scattered[2])
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const uint32_t slot = n->s[0].slot, size = n->access.bytes, last = e->shape->lanes - 1;
    uint8_t lanes[8];
    for (unsigned i = 0; i < 8; i++)
        lanes[i] = (uint8_t)(i * size);
    if (e->some) {
        x86_integer(code, X86_LOAD, true, X86_R9, x86_scaled(FRAME, slot, X86_R10, 3));
        x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R10));
        x86_shift(code, true, X86_AX, log_of(size));
        x86_integer(code, X86_SUB, true, X86_R9, x86_reg(X86_AX));
        z(e, ZPBROADCAST | Z_QWORDS, T1, 0, x86_reg(X86_R9));
    } else if (e->unseen) { /* emit_first_base() finds it there */
        z(e, ZPBROADCASTQ, T1, 0, emit_512_part(e, slot, true, 0));
        code->narrow = true;
        x86_vector_number(code, VPEXTRQ, T1, 0, x86_reg(X86_R9), 0);
        code->narrow = false;
    } else {
        x86_integer(code, X86_LOAD, true, X86_DX, x86_mem(FRAME, slot + 8 * last));
        x86_integer(code, X86_SUB, true, X86_DX, x86_mem(FRAME, slot));
        x86_integer_number(code, X86_CMP, true, X86_DX, (int32_t)(last * size));
        scattered[0] = x86_jump(code, X86_NOT_ZERO);
        z(e, ZPBROADCASTQ, T1, 0, x86_mem(FRAME, slot));
    }
    z(e, ZPMOVZXBQ, T0, 0, x86_literal(code, lanes, sizeof lanes));
    z(e, ZPADDQ, T0, T0, x86_reg(T1));
    z(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < 2 * parts_of(e); i++) {
        if (i)
            z(e, ZPADDQ, T0, T0, qword_in_all(e, 8 * size));
        zn(e, ZPTERNLOGD | Z_QWORDS, T1, T0, emit_512_part(e, slot, true, i),
           emit_512_executing_of(e, true, i), OR_DIFFERENCE);
    }
    z(e, ZPTESTMD, K5, T1, x86_reg(T1));
    k(e, KORTESTW, K5, 0, K5);
    scattered[1] = x86_jump(code, X86_NOT_ZERO);
}

/* dx becomes the host's place of lane 0. Jumps where not all of the row is in the group's memory,
 * or in a page. */
static void reach_row(struct emitter *e, size_t *outside)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const int32_t bytes = (int32_t)(n->access.bytes * e->shape->lanes);
    emit_512_first_address(e);
    if (e->some) {
        x86_integer(code, X86_LOAD, true, X86_R9, x86_reg(X86_R10));
        x86_shift(code, true, X86_R9, log_of(n->access.bytes));
        x86_integer(code, X86_SUB, !is_shared(e) || has_qwords(e), X86_AX, x86_reg(X86_R9));
    }
    if (is_shared(e)) {
        x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
        x86_integer_number(code, X86_SUB, true, X86_DX, bytes);
        *outside = x86_jump(code, X86_BELOW);
        x86_integer(code, X86_CMP, true, X86_AX, x86_reg(X86_DX));
        emit_detour(e, X86_ABOVE);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
    } else {
        emit_find_page(e, n->op == WT_ROWS_STORE);
        x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
        x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)WT_PAGE_SIZE - bytes);
        *outside = x86_jump(code, X86_ABOVE);
    }
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
}

/* The instruction that loads a part of the register. */
static unsigned load_of(const struct wt_rows_insn *n)
{
    const bool is_signed = n->access.extend == WT_ROWS_SIGN;
    return n->access.bytes == 4   ? VMOVDQU
           : n->access.bytes == 2 ? (is_signed ? ZPMOVSXWD : ZPMOVZXWD)
           : is_signed            ? ZPMOVSXBD
                                  : ZPMOVZXBD;
}

static void access_row(struct emitter *e, unsigned bank)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < parts_of(e); i++) {
        const struct x86_place memory = x86_mem(X86_DX, (size_t)LANES * n->access.bytes * i);
        const unsigned mask = emit_512_executing(e, i);
        if (n->op == WT_ROWS_STORE) {
            const unsigned op = n->access.bytes == 4   ? VMOVDQU_TO
                                : n->access.bytes == 2 ? ZPMOVDW
                                                       : ZPMOVDB;
            const unsigned from = emit_512_loaded(e, emit_512_row(e, n->s[1].slot, i), T0);
            x86_512(&e->code, op, from, 0, memory, mask);
            continue;
        }
        const unsigned to = e->some ? T0 : bank + i;
        x86_512(&e->code, load_of(n), to, 0, memory, mask ? mask | X86_ZEROS : 0);
        emit_512_store(e, n->d, bank, i, to);
    }
}

/* ---- anywhere in a page, or in the group's memory ---- */

/*
 * The places of a part's lanes, in a register: the lower dwords of addresses. T1 gets the bits in
 * which those of lanes that execute differ (of the group's memory, all their bits), T3 those in
 * which they do before the offset, or the scalar, is added: if the uppermost one is among these,
 * one may have overflown and another one not; OTHER gets those of the upper dwords.
 */
static void find_places(struct emitter *e, unsigned strip, unsigned to)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint32_t slot = n->s[0].slot;
    const unsigned low = emit_512_loaded(e, emit_512_row(e, slot, strip), T0),
                   mask = emit_512_executing(e, strip);
    if (is_based(e))
        z(e, VPADDD, to, low, x86_reg(OFFSET));
    else
        z(e, VPADDD, to, low, in_all(e, (uint32_t)n->access.offset));
    if (n->access.words) /* the last dword */
        z(e, VPADDD, T4, to, in_all(e, emit_span(n) - 4));
    if (is_shared(e)) {
        x86_512(&e->code, VPOR, T1, T1, x86_reg(to), mask);
        if (n->access.words)
            x86_512(&e->code, VPOR, T1, T1, x86_reg(T4), mask);
        return;
    }
    x86_512_number(&e->code, ZPTERNLOGD, T1, to, x86_reg(T2), mask, OR_DIFFERENCE);
    if (n->access.words)
        x86_512_number(&e->code, ZPTERNLOGD, T1, T4, x86_reg(T2), mask, OR_DIFFERENCE);
    x86_512_number(&e->code, ZPTERNLOGD, T3, low, first_in_all(e, slot), mask, OR_DIFFERENCE);
    if (has_upper(e))
        x86_512_number(&e->code, ZPTERNLOGD, OTHER, UPPER, emit_512_row(e, slot + row_of(e), strip),
                       mask, OR_DIFFERENCE);
}

void emit_512_find_common(struct emitter *e, unsigned places)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool share = is_shared(e);
    if (!share) {
        emit_512_first_address(e);
        z(e, ZPBROADCAST, T2, 0, x86_reg(X86_AX));
    }
    if (is_based(e)) {
        x86_integer(code, X86_LOAD, false, X86_R9, x86_mem(SCALARS, n->s[2].slot));
        x86_integer_number(code, X86_ADD, false, X86_R9, (int32_t)n->access.offset);
        z(e, ZPBROADCAST, OFFSET, 0, x86_reg(X86_R9));
    }
    if (has_upper(e))
        emit_512_loaded(e, first_in_all(e, n->s[0].slot + row_of(e)), UPPER);
    z(e, VPXOR, T1, T1, x86_reg(T1));
    z(e, VPXOR, T3, T3, x86_reg(T3));
    if (has_upper(e)) /* else this register may have ones for lanes that do not execute */
        z(e, VPXOR, OTHER, OTHER, x86_reg(OTHER));
    for (unsigned i = 0; i < parts_of(e); i++)
        find_places(e, i, places + i);
    if (share) {
        struct x86_place outside = FIELD(group_outside);
        outside.each = true;
        z(e, ZPTESTMD, K5, T1, outside);
        z(e, ZPTESTMD, K6, T1, in_all(e, n->access.bytes - 1));
    } else {
        z(e, ZPTESTMD, K5, T1, in_all(e, (uint32_t)~WT_PAGE_MASK | (n->access.bytes - 1)));
        z(e, ZPTESTMD, K6, T3, in_all(e, UINT32_C(1) << 31));
        if (has_upper(e)) {
            z(e, ZPTESTMD, K7, OTHER, x86_reg(OTHER));
            x86_mask(code, KORW, K6, K6, x86_reg(K7));
        }
    }
    x86_mask(code, KORTESTW, K5, 0, x86_reg(K6));
    emit_detour(e, X86_NOT_ZERO);
    if (share) {
        x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
        x86_integer_number(code, X86_CMP, false, X86_DX,
                           n->access.words ? (int32_t)emit_span(n) : 4);
        emit_detour(e, X86_BELOW);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
        return;
    }
    emit_find_page(e, n->op == WT_ROWS_STORE);
    for (unsigned i = 0; i < parts_of(e); i++)
        z(e, VPAND, places + i, places + i, in_all(e, WT_PAGE_MASK));
}

/* The lanes are done one by one where the bits of a register, which addresses have, are not all
 * within the group's memory, which dx becomes. */
static void check_group(struct emitter *e, unsigned bits)
{
    struct x86_code *code = &e->code;
    struct x86_place outside = FIELD(group_outside);
    const uint32_t bytes = e->insn[e->at].access.bytes;
    outside.each = true;
    z(e, ZPTESTMD | Z_QWORDS, K5, bits, outside);
    z(e, ZPTESTMD | Z_QWORDS, K6, bits, qword_in_all(e, bytes - 1));
    k(e, KORTESTW, K5, 0, K6);
    emit_detour(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
    x86_integer_number(code, X86_CMP, false, X86_DX, 4);
    emit_detour(e, X86_BELOW);
    x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
}

/* Likewise of qwords: T1 has the bits in which places differ from the first one. */
static void find_common_of_qwords(struct emitter *e, unsigned places)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool share = is_shared(e);
    uint8_t even[LANES];
    for (unsigned i = 0; i < LANES; i++)
        even[i] = (uint8_t)(2 * i);
    emit_512_first_address(e);
    z(e, ZPBROADCAST | Z_QWORDS, T2, 0, x86_reg(X86_AX));
    z(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < 2 * parts_of(e); i++) {
        const unsigned to = i % 2 ? T3 : T0,
                       from = emit_512_loaded(e, emit_512_part(e, n->s[0].slot, true, i), to);
        if (n->access.offset)
            z(e, ZPADDQ, to, from, qword_in_all(e, n->access.offset));
        else if (to != from)
            z(e, VMOVDQU, to, 0, x86_reg(from));
        zn(e, ZPTERNLOGD | Z_QWORDS, T1, to, x86_reg(T2), emit_512_executing_of(e, true, i),
           OR_DIFFERENCE);
        if (i % 2 == 0)
            continue;
        z(e, ZPMOVZXBD, places + i / 2, 0, x86_literal(&e->code, even, sizeof even));
        z(e, ZPERMT2D, T0, places + i / 2, x86_reg(T3)); /* the lower dwords */
        if (share)
            z(e, VMOVDQU, places + i / 2, 0, x86_reg(T0));
        else
            z(e, VPAND, places + i / 2, T0, in_all(e, WT_PAGE_MASK));
    }
    if (share) { /* the bits that the first one has, and those in which others differ */
        z(e, VPOR, T2, T2, x86_reg(T1));
        check_group(e, T2);
        return;
    }
    z(e, ZPTESTMD | Z_QWORDS, K5, T1, qword_in_all(e, ~WT_PAGE_MASK | (n->access.bytes - 1)));
    k(e, KORTESTW, K5, 0, K5);
    emit_detour(e, X86_NOT_ZERO);
    emit_find_page(e, n->op == WT_ROWS_STORE);
}

/* A part is loaded from there: the dwords in which the places are. */
static void gather_part(struct emitter *e, unsigned bank, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    unsigned places = bank + strip;
    if (n->access.bytes < 4) {
        z(e, VPAND, T2, places, in_all(e, UINT32_MAX - 3));
        z(e, VPAND, T3, places, in_all(e, 3));
        x86_512_number(code, VPSHIFTD, 6, T3, x86_reg(T3), 0, 3);
        places = T2;
    }
    if (e->some)
        x86_mask(code, KNOTW, K7, 0, x86_reg(K_IDLE + strip));
    else
        x86_mask(code, KXNORW, K7, K7, x86_reg(K7));
    z(e, VPXOR, T0, T0, x86_reg(T0));
    x86_512_gather(code, T0, K7, X86_DX, places);
    if (n->access.bytes < 4) {
        const unsigned above = 32 - 8 * n->access.bytes;
        z(e, VPSRLVD, T0, T0, x86_reg(T3));
        x86_512_number(code, VPSHIFTD, 6, T0, x86_reg(T0), 0, above);
        x86_512_number(code, VPSHIFTD, n->access.extend == WT_ROWS_SIGN ? 4 : 2, T0, x86_reg(T0), 0,
                       above);
    }
    emit_512_store(e, n->d, bank, strip, T0);
}

/* Where no lane's place differs from the first one's, of which the first register from `places` on
 * has that of lane 0: all load from there. Jumps on else; *done becomes the jump behind it. */
static void load_uniform(struct emitter *e, unsigned bank, size_t *done)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    z(e, ZPTESTMD, K5, T1, x86_reg(T1));
    k(e, KORTESTW, K5, 0, K5);
    const size_t differ = x86_jump(code, X86_NOT_ZERO);
    if (!is_shared(e))
        x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
    x86_load_part(code, n->access.bytes, n->access.extend == WT_ROWS_SIGN, false, X86_R8,
                  x86_sum(X86_DX, X86_AX));
    z(e, ZPBROADCAST, T0, 0, x86_reg(X86_R8));
    for (unsigned i = 0; i < parts_of(e); i++)
        emit_512_store(e, n->d, bank, i, T0);
    *done = x86_jump(code, X86_ALWAYS);
    x86_land(code, differ, code->size);
}

/* Where all places are among the dwords of two parts of memory, one behind the other, that begin at
 * a multiple of their size: both are loaded, and the lanes' dwords taken from registers. The rest
 * is as above, of code for all lanes. */
static void load_near(struct emitter *e, unsigned bank, size_t *done)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const int32_t inside = 2 * 64 - 1;
    z(e, ZPTESTMD | Z_QWORDS, K5, T1, qword_in_all(e, ~(uint64_t)inside));
    k(e, KORTESTW, K5, 0, K5);
    const size_t apart = x86_jump(code, X86_NOT_ZERO);
    x86_integer_number(code, X86_AND, true, X86_AX, ~inside);
    if (!is_shared(e))
        x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    for (unsigned i = 0; i < parts_of(e); i++) {
        zn(e, VPSHIFTD, 2, T2, x86_reg(bank + i), 0, 2);
        z(e, VMOVDQU, T0, 0, x86_mem(X86_DX, 0));
        z(e, ZPERMT2D, T0, T2, x86_mem(X86_DX, 64));
        emit_512_store(e, n->d, bank, i, T0);
    }
    *done = x86_jump(code, X86_ALWAYS);
    x86_land(code, apart, code->size);
}

/* A lane's value goes to the memory at dx. */
static void scatter_lane(struct emitter *e, struct x86_place place, struct x86_place value)
{
    x86_integer(&e->code, X86_LOAD, false, X86_AX, place);
    x86_integer(&e->code, X86_LOAD, false, X86_R8, value);
    x86_store_part(&e->code, e->insn[e->at].access.bytes, X86_R8, x86_sum(X86_DX, X86_AX));
}

/* Lanes store one after the other: the last one of those that store to one place counts. */
static void scatter(struct emitter *e, unsigned places)
{
    const uint32_t slot = e->insn[e->at].s[1].slot;
    const size_t place = offsetof(struct wt_rows_state, place);
    for (unsigned i = 0; i < parts_of(e); i++)
        z(e, VMOVDQU_TO, places + i, 0, emit_field(place + 64 * (size_t)i));
    for (unsigned i = 0; !e->some && i < e->shape->lanes; i++)
        scatter_lane(e, emit_field(place + 4 * (size_t)i), x86_mem(FRAME, slot + 4 * i));
    if (!e->some)
        return;
    const size_t loop = emit_begin_lanes(e);
    scatter_lane(e, x86_scaled(STATE, place, X86_R10, 2), x86_scaled(FRAME, slot, X86_R10, 2));
    emit_end_lanes(e, loop);
}

/* ---- windows ---- */

size_t emit_512_begin_window(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (!n->access.windowed)
        return 0;
    x86_integer(&e->code, X86_LOAD, false, X86_AX, first_of(e, n->s[0].slot + row_of(e)));
    x86_integer_number(&e->code, X86_CMP, false, X86_AX, (int32_t)(e->shape->window[0] >> 32));
    return x86_jump(&e->code, X86_ZERO);
}

void emit_512_enter_window(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    z(e, VPXOR, T1, T1, x86_reg(T1));
    z(e, VPXOR, T3, T3, x86_reg(T3));
    emit_512_loaded(e, in_all(e, (uint32_t)(e->shape->window[0] >> 32)), UPPER);
    for (unsigned i = 0; i < parts_of(e); i++) {
        const unsigned mask = emit_512_executing(e, i);
        x86_512_number(&e->code, ZPTERNLOGD, T1, UPPER,
                       emit_512_row(e, n->s[0].slot + row_of(e), i), mask, OR_DIFFERENCE);
        x86_512(&e->code, VPOR, T3, T3, emit_512_row(e, n->s[0].slot, i), mask);
    }
    z(e, ZPTESTMD, K5, T1, x86_reg(T1));
    z(e, ZPTESTMD, K6, T3, in_all(e, UINT32_C(1) << 31));
    k(e, KORTESTW, K5, 0, K6);
    emit_detour(e, X86_NOT_ZERO);
    e->windowed = true;
}

/* ---- an access ---- */

/* Of a row at dx: what a warp behind this one will access, if threads access one place behind the
 * other, comes from the host's outer caches meanwhile. */
static void fetch_ahead(struct emitter *e)
{
    enum { AHEAD = 1024, LINE = 64 };
    for (unsigned i = 0; i < parts_of(e); i++)
        x86_prefetch(&e->code, x86_mem(X86_DX, AHEAD + LINE * (size_t)i));
}

/* That of all lanes at once; jumps behind it, where it is done. */
static void access_at_once(struct emitter *e, unsigned bank, size_t *done)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool loads = n->op == WT_ROWS_LOAD;
    size_t scattered[4] = {0};
    if (!has_qwords(e))
        emit_512_find_row(e, scattered);
    else
        find_row_of_qwords(e, scattered);
    reach_row(e, &scattered[3]);
    emit_note_access(e);
    if (has_qwords(e))
        fetch_ahead(e);
    access_row(e, bank);
    done[0] = x86_jump(code, X86_ALWAYS);
    for (unsigned i = 0; i < 4; i++)
        if (scattered[i])
            x86_land(code, scattered[i], code->size);
    if (has_qwords(e))
        find_common_of_qwords(e, bank);
    else
        emit_512_find_common(e, bank);
    emit_note_access(e);
    if (loads && !e->shape->scalars)
        load_uniform(e, bank, &done[2]);
    if (loads && has_qwords(e) && !e->some && n->access.bytes == 4)
        load_near(e, bank, &done[3]);
    for (unsigned i = 0; i < parts_of(e) && loads; i++)
        gather_part(e, bank, i);
    if (!loads && e->unseen) {
        emit_leave(e, X86_ALWAYS);
        return;
    }
    if (!loads)
        scatter(e, bank);
    done[1] = x86_jump(code, X86_ALWAYS);
}

void emit_512_access(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool loads = n->op == WT_ROWS_LOAD;
    size_t done[4] = {0};
    e->detours = 0;
    code->narrow = false;
    const unsigned bank = emit_512_choose(e);
    emit_first_lane(e);
    const size_t window = emit_512_begin_window(e);
    access_at_once(e, bank, done);
    if (window) {
        x86_land(code, window, code->size);
        emit_512_enter_window(e);
        access_at_once(e, bank, done + 2);
        e->windowed = false;
    }
    for (size_t i = 0; i < e->detours; i++)
        x86_land(code, e->detour[i], code->size);
    if (e->unseen)
        emit_leave(e, X86_ALWAYS);
    else
        emit_access_by_lanes(e);
    for (unsigned i = 0; i < parts_of(e) && loads && !e->unseen; i++)
        z(e, VMOVDQU, bank + i, 0, x86_mem(FRAME, n->d + 64 * i));
    for (unsigned i = 0; i < 4; i++)
        if (done[i])
            x86_land(code, done[i], code->size);
    if (loads)
        emit_512_keep(e, n->d, bank);
}

/* ---- lanes side by side ---- */

void emit_512_copy_swizzled(struct emitter *e, bool kept)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned k = 0; k < (n->access.words ? n->access.words : 1u); k++) {
        const unsigned bank = kept && n->op == WT_ROWS_LOAD ? emit_512_choose(e) : T0;
        for (unsigned i = 0; i < parts_of(e); i++) {
            const struct x86_place memory = x86_mem(X86_DX, (size_t)row_of(e) * k + 64 * i);
            if (n->op == WT_ROWS_STORE) {
                const unsigned mask = emit_512_executing(e, i),
                               from = emit_512_loaded(e, emit_512_row(e, n->access.row[k], i), T0);
                x86_512(&e->code, VMOVDQU_TO, from, 0, memory, mask);
                continue;
            }
            const unsigned to = e->some ? T4 : bank + i;
            z(e, VMOVDQU, to, 0, memory);
            emit_512_store(e, n->access.row[k], bank, i, to);
        }
        if (kept && n->op == WT_ROWS_LOAD)
            emit_512_keep(e, n->access.row[k], bank);
    }
}
