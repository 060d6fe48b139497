/* Loads and stores. See emit.h. */
#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

/*
 * All lanes access one page, or the group's memory; else they are done one by one, and the handler
 * is called for what neither the TLB nor the group's memory has.
 */

/* Part `strip` of the sources of the addresses. */
struct x86_place emit_base_part(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->access.split)
        return emit_field(offsetof(struct wt_rows_state, address) + 32 * (size_t)strip);
    return emit_part(e, &n->s[0], !n->access.short_address, strip);
}

/* The upper dwords of split ones; without them a scalar is the base. */
static struct wt_rows_source upper_of(const struct emitter *e)
{
    return (struct wt_rows_source){.slot = e->insn[e->at].s[0].slot + 4 * e->shape->lanes};
}

/* Those that are split become qwords of the state. */
void emit_join_addresses(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const size_t to = offsetof(struct wt_rows_state, address);
    if (!n->access.split)
        return;
    if (n->s[2].scalar)
        emit_vector(e, VPBROADCASTQ, T3, 0, x86_mem(SCALARS, n->s[2].slot));
    for (unsigned i = 0; n->s[2].scalar && i < emit_parts(e, true); i++) {
        emit_vector(e, VPMOVZXDQ, T0, 0, x86_mem(FRAME, n->s[0].slot + 16 * i));
        emit_vector(e, VPADDQ, T0, T0, x86_reg(T3));
        emit_vector(e, VMOVDQU_TO, T0, 0, emit_field(to + 32 * (size_t)i));
    }
    for (unsigned i = 0; !n->s[2].scalar && i < emit_parts(e, false); i++) {
        const struct wt_rows_source upper = upper_of(e);
        const unsigned low = emit_loaded(e, emit_part(e, &n->s[0], false, i), T0),
                       high = emit_loaded(e, x86_mem(FRAME, upper.slot + 32 * i), T1);
        emit_vector(e, VPUNPCKLDQ, T2, low, x86_reg(high)); /* 0, 1, 4, 5 */
        emit_vector(e, VPUNPCKHDQ, T3, low, x86_reg(high)); /* 2, 3, 6, 7 */
        x86_vector_number(code, VPERM2I128, T0, T2, x86_reg(T3), 0x20);
        x86_vector_number(code, VPERM2I128, T1, T2, x86_reg(T3), 0x31);
        emit_vector(e, VMOVDQU_TO, T0, 0, emit_field(to + 64 * (size_t)i));
        emit_vector(e, VMOVDQU_TO, T1, 0, emit_field(to + 64 * (size_t)i + 32));
    }
}

/* The address of the first lane in ax, which must be aligned. */
void emit_first_address(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->access.split && !e->some) {
        x86_integer(&e->code, X86_LOAD, false, X86_AX, x86_mem(FRAME, n->s[0].slot));
        if (n->s[2].scalar) {
            x86_integer(&e->code, X86_ADD, true, X86_AX, x86_mem(SCALARS, n->s[2].slot));
        } else {
            x86_integer(&e->code, X86_LOAD, false, X86_DX, x86_mem(FRAME, upper_of(e).slot));
            x86_shift(&e->code, true, X86_DX, 32);
            x86_integer(&e->code, X86_OR, true, X86_AX, x86_reg(X86_DX));
        }
    } else {
        x86_integer(&e->code, X86_LOAD, !n->access.short_address, X86_AX, emit_first_base(e));
    }
    emit_add_offset(e);
    if (n->access.bytes > 1) {
        x86_integer_number(&e->code, X86_TEST, false, X86_AX, n->access.bytes - 1);
        emit_call(e, X86_NOT_ZERO);
    }
}

/* The upper half of a qword of T0 for a load of 4 bytes. */
static void put_ones(struct emitter *e)
{
    if (e->insn[e->at].access.extend == WT_ROWS_ONES)
        emit_vector(e, VPOR, T0, T0, emit_literal(e, (uint64_t)UINT32_MAX << 32, true));
}

/* Part `strip` of the register of a load comes from memory at a place. */
static void load_part(struct emitter *e, unsigned strip, struct x86_place memory)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    static const unsigned wider[2][5] = {{0, VPMOVSXBD, VPMOVSXWD, 0, VMOVDQU},
                                         {0, VPMOVSXBQ, VPMOVSXWQ, 0, VPMOVSXDQ}};
    const unsigned op = n->access.bytes == 8 ? VMOVDQU : wider[n->wide][n->access.bytes];
    const bool zeros = op != VMOVDQU && n->access.extend != WT_ROWS_SIGN;
    emit_vector(e, op + (zeros ? 0x10 << 8 : 0), T0, 0, memory);
    put_ones(e);
    emit_store(e, strip, T0);
}

/* Part `strip` of the register of a store goes to memory at a place. */
static void store_part(struct emitter *e, unsigned strip, struct x86_place memory)
{
    static const uint32_t even[8] = {0, 2, 4, 6, 0, 2, 4, 6};
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct x86_place part = emit_part(e, &n->s[1], n->wide, strip);
    if (n->access.bytes == (n->wide ? 8 : 4)) {
        emit_vector(e, VMOVDQU_TO, emit_loaded(e, part, T0), 0, memory);
        return;
    }
    emit_vector(e, VMOVDQU, T1, 0, x86_literal(&e->code, even, sizeof even));
    emit_vector(e, VPERMD, T0, T1, part);
    e->code.narrow = true;
    emit_vector(e, VMOVDQU_TO, T0, 0, memory);
    e->code.narrow = false;
}

/* ---- all lanes at once ---- */

/* The lanes that execute load from one address: that of the first one. */
static void load_uniform(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const struct x86_place memory = x86_mem(X86_AX, 0);
    emit_first_address(e);
    if (n->access.space == WT_ROWS_GROUP)
        emit_reach_group(e);
    else
        emit_reach_memory(e);
    emit_note_access(e);
    const unsigned parts = emit_parts(e, n->wide), spread = n->wide ? VPBROADCASTQ : VPBROADCASTD;
    if (n->access.bytes == (n->wide ? 8 : 4)) {
        emit_vector(e, spread, T0, 0, memory);
    } else {
        x86_load_part(code, n->access.bytes, n->access.extend == WT_ROWS_SIGN, n->wide, X86_R8,
                      memory);
        code->narrow = true;
        emit_vector(e, n->wide ? VMOVQ_FROM : VMOVD, T0, 0, x86_reg(X86_R8));
        emit_parts(e, n->wide);
        emit_vector(e, spread, T0, 0, x86_reg(T0));
        put_ones(e);
    }
    for (unsigned i = 0; i < parts; i++)
        emit_store(e, i, T0);
}

/* The lanes access one place behind the other. */
static void access_in_row(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const int32_t bytes = (int32_t)(n->access.bytes * e->shape->lanes);
    const unsigned parts = emit_parts(e, n->wide),
                   part_bytes = n->access.bytes * emit_part_lanes(e, n->wide);
    emit_first_address(e);
    if (n->access.space == WT_ROWS_GROUP) {
        x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
        x86_integer_number(code, X86_SUB, true, X86_DX, bytes);
        emit_call(e, X86_BELOW);
        x86_integer(code, X86_CMP, true, X86_AX, x86_reg(X86_DX));
        emit_call(e, X86_ABOVE);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
    } else {
        emit_find_page(e, n->op == WT_ROWS_STORE);
        x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
        x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)WT_PAGE_SIZE - bytes);
        emit_detour(e, X86_ABOVE);
    }
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    emit_note_access(e);
    for (unsigned i = 0; i < parts; i++)
        if (n->op == WT_ROWS_STORE)
            store_part(e, i, x86_mem(X86_DX, part_bytes * i));
        else
            load_part(e, i, x86_mem(X86_DX, part_bytes * i));
}

/*
 * The lanes of part `strip` of the sources of addresses load 4 or 8 bytes each, into T0 or T3
 * (`to`); dx: the memory. T1 and T2 are for the mask and for the places.
 */
static void gather_part(struct emitter *e, unsigned strip, unsigned to)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool wide = !n->access.short_address;
    const unsigned op = wide                   ? n->access.bytes == 8 ? VPGATHERQQ : VPGATHERQD
                        : n->access.bytes == 8 ? VPGATHERDQ
                                               : VPGATHERDD;
    /* dwords for a part of qwords are half a part */
    const struct x86_place part = wide == n->wide || wide
                                      ? emit_base_part(e, strip)
                                      : x86_mem(FRAME, n->s[0].slot + 16 * strip);
    emit_vector(e, wide ? VPADDQ : VPADDD, T2, emit_loaded(e, part, T2),
                emit_literal(e, n->access.offset, wide));
    if (n->access.space != WT_ROWS_GROUP)
        emit_vector(e, VPAND, T2, T2, emit_literal(e, WT_PAGE_MASK, wide));
    if (!e->some) {
        emit_vector(e, VPCMPEQD, T1, T1, x86_reg(T1));
    } else if ((wide || n->wide) && n->access.bytes == 4) { /* half a part of lanes */
        emit_vector(e, VMOVDQU, T1, 0,
                    emit_field(offsetof(struct wt_rows_state, idle) + 16 * (size_t)strip));
        emit_vector(e, VPXOR, T1, T1, emit_literal(e, UINT32_MAX, false));
    } else {
        const unsigned idle = emit_idle(e, n->wide && n->access.bytes == 8, strip, T1);
        emit_vector(e, VPXOR, T1, idle, emit_literal(e, UINT32_MAX, false));
    }
    x86_gather(&e->code, op, to, T1, X86_DX, T2);
}

/* All lanes load so; dx: the memory. */
static void gather(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool wide = !n->access.short_address;
    for (unsigned i = 0; i < emit_parts(e, n->wide); i++) {
        const size_t past = emit_skip_idle(e, n->wide, i);
        if (wide == n->wide || n->access.bytes == 8) {
            gather_part(e, i, T0);
        } else if (wide) { /* two parts of addresses are one of dwords */
            gather_part(e, 2 * i, T0);
            gather_part(e, 2 * i + 1, T3);
            x86_vector_number(&e->code, VINSERTI128, T0, T0, x86_reg(T3), 1);
        } else {
            e->code.narrow = true;
            gather_part(e, i, T0);
            e->code.narrow = false;
        }
        if (n->wide && n->access.bytes == 4) {
            emit_vector(e, n->access.extend == WT_ROWS_SIGN ? VPMOVSXDQ : VPMOVZXDQ, T0, 0,
                        x86_reg(T0));
            put_ones(e);
        }
        emit_store(e, i, T0);
        emit_skipped(e, past);
    }
}

/* A lane accesses its place, which `base` is the source of, and its part of a register; dx: what is
 * added to the source. */
static void access_lane(struct emitter *e, struct x86_place base, struct x86_place part)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const struct x86_place memory = x86_sum(X86_DX, X86_AX);
    x86_integer(code, X86_LOAD, !n->access.short_address, X86_AX, base);
    if (n->access.short_address && n->access.offset)
        x86_integer_number(code, X86_ADD, false, X86_AX, (int32_t)n->access.offset);
    if (n->op == WT_ROWS_STORE) {
        x86_integer(code, X86_LOAD, n->wide, X86_R8, part);
        x86_store_part(code, n->access.bytes, X86_R8, memory);
        return;
    }
    if (n->access.bytes == 8)
        x86_integer(code, X86_LOAD, true, X86_R8, memory);
    else
        x86_load_part(code, n->access.bytes, n->access.extend == WT_ROWS_SIGN, n->wide, X86_R8,
                      memory);
    x86_integer(code, X86_STORE, n->wide, X86_R8, part);
    part.offset += 4;
    if (n->access.extend == WT_ROWS_ONES)
        x86_store_number(code, part, UINT32_MAX);
}

/* Each lane that executes accesses its place so. */
static void access_lanes(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint32_t slot = n->op == WT_ROWS_STORE ? n->s[1].slot : n->d;
    for (unsigned i = 0; !e->some && i < e->shape->lanes; i++)
        access_lane(e, emit_base_of(n, i), x86_mem(FRAME, slot + (n->wide ? 8 : 4) * i));
    if (!e->some)
        return;
    const size_t loop = emit_begin_lanes(e);
    access_lane(e, emit_base_of_one(n), x86_scaled(FRAME, slot, X86_R10, n->wide ? 3 : 2));
    emit_end_lanes(e, loop);
}

/* The bits of T1, some of which were found in addresses, are within the group's memory, in dx. */
static void check_group(struct emitter *e, bool wide)
{
    struct x86_code *code = &e->code;
    const unsigned bytes = e->insn[e->at].access.bytes;
    emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T2, 0, FIELD(group_outside));
    emit_vector(e, VPOR, T2, T2, emit_literal(e, bytes - 1, wide));
    emit_vector(e, VPTEST, T1, 0, x86_reg(T2));
    emit_detour(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
    x86_integer_number(code, X86_CMP, false, X86_DX, (int32_t)bytes);
    emit_detour(e, X86_BELOW);
    x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
}

/* The lower dwords of two parts of qwords, of which a register has the first one, as one part. */
static void lower_halves(struct emitter *e, unsigned to, unsigned second)
{
    x86_vector_number(&e->code, VSHUFPS, to, to, x86_reg(second), 0x88);
    x86_vector_number(&e->code, VPERMQ, to, 0, x86_reg(to), 0xd8);
}

/* Whether load_group() is there for the instruction. */
static bool has_load_group(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    return n->op == WT_ROWS_LOAD && n->access.space == WT_ROWS_GROUP && n->access.bytes == 4 &&
           !n->wide && !n->access.short_address && !n->access.split && !e->some &&
           e->shape->lanes == 32;
}

/* All 32 lanes load dwords at addresses of 64 bits: these become dwords when they are checked. */
static void load_group(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    emit_parts(e, true);
    for (unsigned i = 0; i < 8; i++) {
        const unsigned to = i % 2 ? T2 : T0;
        unsigned from = emit_loaded(e, emit_part(e, &n->s[0], true, i), to);
        if (n->access.offset) {
            emit_vector(e, VPADDQ, to, from, emit_literal(e, n->access.offset, true));
            from = to;
        }
        emit_vector(e, i ? VPOR : VMOVDQU, T1, i ? T1 : 0, x86_reg(from));
        if (i % 2 == 0)
            emit_vector(e, VMOVDQU, IDLE + i / 2, 0, x86_reg(from));
        else
            lower_halves(e, IDLE + i / 2, from);
    }
    check_group(e, true);
    emit_note_access(e);
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        emit_vector(e, VPCMPEQD, T1, T1, x86_reg(T1));
        x86_gather(code, VPGATHERDD, T0, T1, X86_DX, IDLE + i);
        emit_store(e, i, T0);
    }
}

/* The lanes access places of one page, or of the group's memory, lane by lane. Those of a load from
 * memory may all be one: *uniform becomes the jump behind that, if it is not NULL. */
static void access_scattered(struct emitter *e, size_t *uniform)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool group = n->access.space == WT_ROWS_GROUP, wide = !n->access.short_address;
    const unsigned last = e->shape->lanes - 1;
    struct x86_code *code = &e->code;
    emit_join_addresses(e);
    const unsigned parts = emit_parts(e, wide);
    emit_vector(e, VPXOR, T0, T0, x86_reg(T0));
    if (!e->some && !group) { /* the last lane says soon that they are of several pages */
        x86_set(code, X86_AX, wide ? n->access.offset : (uint32_t)n->access.offset);
        x86_integer(code, X86_LOAD, wide, X86_DX, emit_base_of(n, last));
        x86_integer(code, X86_ADD, wide, X86_DX, x86_reg(X86_AX));
        x86_integer(code, X86_ADD, wide, X86_AX, emit_base_of(n, 0));
        x86_integer(code, X86_XOR, true, X86_DX, x86_reg(X86_AX));
        x86_integer_number(code, X86_CMP, true, X86_DX, (int32_t)WT_PAGE_SIZE);
        emit_detour(e, X86_NOT_BELOW);
    }
    if (!group) {
        emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T0, 0, emit_first_base(e));
        emit_vector(e, wide ? VPADDQ : VPADDD, T0, T0, emit_literal(e, n->access.offset, wide));
    }
    /* The bits that lanes have, or in which they differ from the first one. */
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < parts; i++) {
        const size_t past = emit_skip_idle(e, wide, i);
        emit_vector(e, wide ? VPADDQ : VPADDD, T2, emit_loaded(e, emit_base_part(e, i), T2),
                    emit_literal(e, n->access.offset, wide));
        emit_vector(e, VPXOR, T2, T2, x86_reg(T0));
        if (group && !wide && !n->access.wraps) /* so great that the sum would have wrapped */
            emit_vector(e, VPOR, T2, T2, emit_part(e, &n->s[0], false, i));
        if (e->some)
            emit_vector(e, VPANDN, T2, emit_idle(e, wide, i, T3), x86_reg(T2));
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
        emit_skipped(e, past);
    }
    if (uniform) {
        emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
        const size_t other = x86_jump(code, X86_NOT_ZERO);
        load_uniform(e);
        *uniform = x86_jump(code, X86_ALWAYS);
        x86_land(code, other, code->size);
        emit_parts(e, wide);
    }
    if (group) {
        check_group(e, wide);
    } else {
        emit_vector(e, VPTEST, T1, 0, emit_literal(e, ~WT_PAGE_MASK | (n->access.bytes - 1), wide));
        emit_detour(e, X86_NOT_ZERO);
        emit_first_address(e);
        emit_find_page(e, n->op == WT_ROWS_STORE);
    }
    if (n->op == WT_ROWS_LOAD && n->access.bytes >= 4) {
        emit_note_access(e);
        gather(e);
        return;
    }
    if (!group)
        x86_integer(code, X86_SUB, true, X86_DX, x86_reg(X86_R8));
    if (wide) { /* access_lane() adds it to short ones */
        x86_set(code, X86_R8, n->access.offset);
        x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R8));
    }
    emit_note_access(e);
    access_lanes(e);
    for (unsigned i = 0; n->op == WT_ROWS_LOAD && i < emit_parts(e, n->wide); i++)
        emit_vector(e, VMOVDQU, emit_result(e, i), 0, x86_mem(FRAME, n->d + 32 * i));
}

/* Likewise of addresses that are split: the lower dwords are so far apart, and none overflows; the
 * upper ones are equal. */
static void find_split_row(struct emitter *e, size_t scattered[3])
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const struct wt_rows_source *low = &n->s[0], high = upper_of(e);
    const uint32_t size = n->access.bytes, last = e->shape->lanes - 1;
    x86_integer(code, X86_LOAD, false, X86_AX, x86_mem(FRAME, low->slot));
    x86_integer(code, X86_LOAD, false, X86_DX, x86_mem(FRAME, low->slot + 4 * last));
    x86_integer(code, X86_SUB, false, X86_DX, x86_reg(X86_AX));
    x86_integer_number(code, X86_CMP, false, X86_DX, (int32_t)(last * size));
    scattered[0] = x86_jump(code, X86_NOT_ZERO);
    x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)(0 - (last + 1) * size));
    scattered[2] = x86_jump(code, X86_ABOVE);
    emit_vector(e, VPBROADCASTD, T0, 0, x86_mem(FRAME, low->slot));
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    if (!n->s[2].scalar)
        emit_vector(e, VPBROADCASTD, T3, 0, x86_mem(FRAME, high.slot));
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        uint32_t near[8];
        for (unsigned k = 0; k < 8; k++)
            near[k] = (8 * i + k) * size;
        emit_vector(e, VPSUBD, T2, emit_loaded(e, emit_part(e, low, false, i), T2), x86_reg(T0));
        emit_vector(e, VPXOR, T2, T2, x86_literal(code, near, sizeof near));
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
        if (n->s[2].scalar)
            continue;
        emit_vector(e, VPXOR, T2, T3, x86_mem(FRAME, high.slot + 32 * i));
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    scattered[1] = x86_jump(code, X86_NOT_ZERO);
}

/* Jumps where the lanes do not access one place behind the other; returns the jumps, of which the
 * first and the last may be 0. */
void emit_find_row(struct emitter *e, size_t scattered[3])
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool wide = !n->access.short_address;
    const unsigned size = n->access.bytes, parts = emit_parts(e, wide),
                   part_lanes = emit_part_lanes(e, wide), last = e->shape->lanes - 1;
    scattered[0] = 0;
    if (parts > 1) { /* the last lane's address says soon that they are not in a row */
        x86_integer(code, X86_LOAD, wide, X86_DX, emit_base_of(n, last));
        x86_integer(code, X86_SUB, wide, X86_DX, emit_base_of(n, 0));
        x86_integer_number(code, X86_CMP, wide, X86_DX, (int32_t)(last * size));
        scattered[0] = x86_jump(code, X86_NOT_ZERO);
    }
    emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T0, 0, emit_base_of(n, 0));
    for (unsigned i = 0; i < parts; i++) {
        uint64_t far[4];
        uint32_t near[8];
        for (unsigned k = 0; k < 8; k++) {
            far[k / 2] = (part_lanes * i + k / 2) * size;
            near[k] = (part_lanes * i + k) * size;
        }
        const unsigned to = i ? T2 : T1;
        emit_vector(e, wide ? VPSUBQ : VPSUBD, to,
                    emit_loaded(e, emit_part(e, &n->s[0], wide, i), T2), x86_reg(T0));
        emit_vector(e, VPXOR, to, to,
                    wide ? x86_literal(code, far, sizeof far)
                         : x86_literal(code, near, sizeof near));
        if (i)
            emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    scattered[1] = x86_jump(code, X86_NOT_ZERO);
}

/* ---- one lane after the other ---- */

/* Nothing is accessed before all lanes' places have been found. */
void emit_access_by_lanes(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool store = n->op == WT_ROWS_STORE;
    const struct x86_place memory = x86_mem(X86_AX, 0);
    const uint32_t slot = store ? n->s[1].slot : n->d;
    const unsigned scale = n->wide ? 3 : 2;
    emit_join_addresses(e);
    emit_find_lanes(e);
    emit_note_access(e);
    const size_t loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, true, X86_AX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_R10, 3));
    if (store) {
        x86_integer(code, X86_LOAD, n->wide, X86_R8, x86_scaled(FRAME, slot, X86_R10, scale));
        x86_store_part(code, n->access.bytes, X86_R8, memory);
    } else {
        if (n->access.bytes == 8)
            x86_integer(code, X86_LOAD, true, X86_R8, memory);
        else
            x86_load_part(code, n->access.bytes, n->access.extend == WT_ROWS_SIGN, n->wide, X86_R8,
                          memory);
        x86_integer(code, X86_STORE, n->wide, X86_R8, x86_scaled(FRAME, slot, X86_R10, scale));
        if (n->access.extend == WT_ROWS_ONES)
            x86_store_number(code, x86_scaled(FRAME, slot + 4, X86_R10, scale), UINT32_MAX);
    }
    emit_end_lanes(e, loop);
}

/* All lanes load from one address, as the first one and the last one do if dx is 0; jumps on else.
 * Returns the jump behind it. */
static size_t load_if_uniform(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool wide = !n->access.short_address;
    x86_integer(code, X86_TEST, wide, X86_DX, x86_reg(X86_DX));
    const size_t differ = x86_jump(code, X86_NOT_ZERO);
    const unsigned parts = emit_parts(e, wide);
    emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T0, 0, emit_base_of(n, 0));
    for (unsigned i = 0; i < parts; i++) {
        emit_vector(e, VPXOR, i ? T2 : T1, T0, emit_part(e, &n->s[0], wide, i));
        if (i)
            emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    const size_t between = x86_jump(code, X86_NOT_ZERO);
    load_uniform(e);
    const size_t done = x86_jump(code, X86_ALWAYS);
    x86_land(code, differ, code->size);
    x86_land(code, between, code->size);
    return done;
}

/* Those of all lanes at once, where that can be had. */
static void access_at_once(struct emitter *e)
{
    size_t scattered[3] = {0, 0, 0}, done[2] = {0, 0};
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool load = n->op == WT_ROWS_LOAD;
    struct x86_code *code = &e->code;
    if (!e->some && (load || n->access.bytes >= 4)) { /* no vectors of others are stored */
        if (n->access.split)
            find_split_row(e, scattered);
        else
            emit_find_row(e, scattered);
        access_in_row(e);
        done[0] = x86_jump(code, X86_ALWAYS);
    }
    if (load && scattered[0] && !n->access.split) {
        x86_land(code, scattered[0], code->size);
        scattered[0] = 0;
        done[1] = load_if_uniform(e);
    }
    for (unsigned i = 0; i < 3; i++)
        if (scattered[i])
            x86_land(code, scattered[i], code->size);
    if (has_load_group(e))
        load_group(e);
    else
        access_scattered(e, load && e->some && n->access.space != WT_ROWS_GROUP ? &done[1] : NULL);
    for (unsigned i = 0; i < 2; i++)
        if (done[i])
            x86_land(code, done[i], code->size);
}

/* Places are looked for lane by lane; the result is in its registers afterwards. */
static void access_each(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_access_by_lanes(e);
    for (unsigned i = 0; n->op == WT_ROWS_LOAD && i < emit_parts(e, n->wide); i++)
        emit_vector(e, VMOVDQU, emit_result(e, i), 0, x86_mem(FRAME, n->d + 32 * i));
}

/* Loads a lane's value into its part of T0, from where a register points to. */
static void load_few(struct emitter *e, unsigned number, unsigned from)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (n->access.bytes == 8)
        x86_integer(code, X86_LOAD, true, X86_R8, x86_mem(from, 0));
    else
        x86_load_part(code, n->access.bytes, n->access.extend == WT_ROWS_SIGN, n->wide, X86_R8,
                      x86_mem(from, 0));
    if (number)
        x86_vector_number(code, n->wide ? VPINSRQ : VPINSRD, T0, T0, x86_reg(X86_R8), number);
    else
        emit_vector(e, n->wide ? VMOVQ_FROM : VMOVD, T0, 0, x86_reg(X86_R8));
}

/* An access of few lanes; their places are in r9 and ax. */
static void access_few(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool load = n->op == WT_ROWS_LOAD;
    emit_reach_few(e);
    emit_parts(e, n->wide);
    code->narrow = true;
    for (unsigned i = 0; i < e->few; i++) {
        const unsigned place = i + 1 < e->few ? X86_R9 : X86_AX;
        if (load) {
            load_few(e, i, place);
            continue;
        }
        x86_integer(code, X86_LOAD, n->wide, X86_R8,
                    x86_scaled(FRAME, n->s[1].slot, i ? LANE_2 : LANE, n->wide ? 3 : 2));
        x86_store_part(code, n->access.bytes, X86_R8, x86_mem(place, 0));
    }
    if (load) {
        emit_choose(e);
        emit_store(e, 0, T0);
        emit_keep(e);
    }
}

void emit_access(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (e->few) {
        access_few(e);
        return;
    }
    const bool load = n->op == WT_ROWS_LOAD, local = n->access.space == WT_ROWS_LOCAL;
    size_t done[5] = {0}, windowed = 0;
    e->detours = 0;
    if (e->sparse) {
        emit_access_by_lanes(e);
        return;
    }
    if (load)
        emit_choose(e);
    if (e->some) {
        x86_integer(code, X86_LOAD, true, X86_R9, FIELD(mask));
        x86_find_one(code, X86_R10, X86_R9);
    }
    if (e->some && e->shape->scalars) {
        x86_integer(code, X86_TEST, true, X86_R9, x86_reg(X86_R9));
        emit_detour(e, X86_ZERO);
    }
    const uint64_t window = local ? 0 : e->shape->window[1];
    if (local || n->access.space == WT_ROWS_GENERIC)
        emit_access_alone(e, window, done + 2);
    if (n->access.space == WT_ROWS_GENERIC && !e->conditional)
        windowed = emit_leave_windows(e);
    if (!e->conditional && !local) {
        access_at_once(e);
        done[0] = x86_jump(code, X86_ALWAYS);
    }
    if (windowed)
        x86_land(code, windowed, code->size);
    if (!e->conditional && (local || windowed) && emit_has_local(e)) {
        emit_access_local(e, window);
        done[1] = x86_jump(code, X86_ALWAYS);
    }
    for (size_t i = 0; i < e->detours; i++)
        x86_land(code, e->detour[i], code->size);
    access_each(e);
    for (unsigned i = 0; i < 5; i++)
        if (done[i])
            x86_land(code, done[i], code->size);
    if (load)
        emit_keep(e);
}

struct x86_place emit_find_parameter(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, true, X86_AX, FIELD(parameter_room));
    x86_integer_number(code, X86_CMP, true, X86_AX, (int32_t)n->access.offset + n->access.bytes);
    emit_call(e, X86_BELOW);
    x86_integer(code, X86_LOAD, true, X86_DX, FIELD(parameter_entry));
    x86_integer(code, X86_LOAD, true, X86_AX, FIELD(parameter_page));
    x86_integer(code, X86_CMP, true, X86_AX,
                x86_mem(X86_DX, offsetof(struct wt_tlb_entry, read_page)));
    emit_call(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, true, X86_DX,
                x86_mem(X86_DX, offsetof(struct wt_tlb_entry, read_host)));
    x86_integer(code, X86_ADD, true, X86_DX, FIELD(parameter_place));
    emit_note_access(e);
    return x86_mem(X86_DX, n->access.offset);
}

void emit_parameter(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned parts = emit_parts(e, n->wide);
    const struct x86_place memory = emit_find_parameter(e);
    emit_vector(e, n->wide ? VPBROADCASTQ : VPBROADCASTD, T0, 0, memory);
    for (unsigned i = 0; i < parts; i++)
        emit_store(e, i, T0);
    emit_keep(e);
}
