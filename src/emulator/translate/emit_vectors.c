/*
 * Loads and stores of vectors: of 2 or 4 dwords, or 2 qwords, that each lane has side by side in
 * memory, and whose elements are rows. Where all lanes access one page, or the group's memory,
 * those of a part are loaded, and transposed, together. See emit.h.
 */
#include "emulator/translate/emit.h"

/* Where the vector of a lane lies in memory of the host: its address plus dx. It uses ax. */
static struct x86_place memory_of(struct emitter *e, unsigned lane)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_place memory = x86_sum(X86_DX, X86_AX);
    memory.offset = (int32_t)n->access.offset;
    x86_integer(&e->code, X86_LOAD, !n->access.short_address, X86_AX,
                x86_mem(FRAME, n->s[0].slot + (n->access.short_address ? 4 : 8) * lane));
    return memory;
}

/* Part `strip` of the row of an element, or of the constant that it is. */
static struct x86_place row_of(struct emitter *e, unsigned element, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    if (n->access.constants >> element & 1)
        return emit_literal(e, n->access.value[element], n->wide);
    return x86_mem(FRAME, n->access.row[element] + 32 * (size_t)strip);
}

/* Two halves of a register are lanes' vectors of 16 bytes. */
static void load_halves(struct emitter *e, unsigned to, unsigned lane, unsigned other)
{
    e->code.narrow = true;
    emit_vector(e, VMOVDQU, to, 0, memory_of(e, lane));
    e->code.narrow = false;
    x86_vector_number(&e->code, VINSERTI128, to, to, memory_of(e, other), 1);
}

/* Four quarters are those of 8 bytes, of lanes `lane`, `lane` + 1, + 4, + 5. */
static void load_quarters(struct emitter *e, unsigned to, unsigned lane)
{
    struct x86_code *code = &e->code;
    code->narrow = true;
    for (unsigned i = 0; i < 2; i++) {
        emit_vector(e, VMOVQ, i ? T1 : to, 0, memory_of(e, lane + 4 * i));
        x86_vector_number(code, VPINSRQ, i ? T1 : to, i ? T1 : to, memory_of(e, lane + 4 * i + 1),
                          1);
    }
    code->narrow = false;
    x86_vector_number(code, VINSERTI128, to, to, x86_reg(T1), 1);
}

static void load_part(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    unsigned row[4] = {T2, T3};
    if (n->wide) {
        for (unsigned i = 0; i < 2; i++)
            load_halves(e, T0 + i, 4 * strip + i, 4 * strip + i + 2);
        emit_vector(e, VPUNPCKLQDQ, T2, T0, x86_reg(T1));
        emit_vector(e, VPUNPCKHQDQ, T3, T0, x86_reg(T1));
    } else if (n->access.words == 2) {
        load_quarters(e, T0, 8 * strip);
        load_quarters(e, T3, 8 * strip + 2);
        x86_vector_number(code, VSHUFPS, T2, T0, x86_reg(T3), 0x88);
        x86_vector_number(code, VSHUFPS, T3, T0, x86_reg(T3), 0xdd);
    } else {
        for (unsigned i = 0; i < 4; i++)
            load_halves(e, T0 + i, 8 * strip + i, 8 * strip + i + 4);
        for (unsigned i = 0; i < 4; i++) /* dwords 0, then 1, of two lanes; 2, then 3 */
            emit_vector(e, i % 2 ? VPUNPCKHDQ : VPUNPCKLDQ, IDLE + i, T0 + i / 2 * 2,
                        x86_reg(T1 + i / 2 * 2));
        for (unsigned i = 0; i < 4; i++) {
            emit_vector(e, i % 2 ? VPUNPCKHQDQ : VPUNPCKLQDQ, T0 + i, IDLE + i / 2,
                        x86_reg(IDLE + i / 2 + 2));
            row[i] = T0 + i;
        }
    }
    for (unsigned k = 0; k < n->access.words; k++)
        emit_vector(e, VMOVDQU_TO, row[k], 0, row_of(e, k, strip));
}

/* The upper half of a register goes to an operand. */
static void take_half(struct emitter *e, struct x86_place to, unsigned from)
{
    e->code.narrow = false;
    x86_vector_number(&e->code, VEXTRACTI128, from, 0, to, 1);
}

static void store_half(struct emitter *e, unsigned from, bool upper, unsigned lane)
{
    const struct x86_place memory = memory_of(e, lane);
    if (upper) {
        take_half(e, memory, from);
        return;
    }
    e->code.narrow = true;
    emit_vector(e, VMOVDQU_TO, from, 0, memory);
    e->code.narrow = false;
}

/* Lanes are stored in their order: the last one of those at one place counts. */
static void store_part(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    for (unsigned k = 0; k < n->access.words; k++)
        emit_vector(e, VMOVDQU, T0 + k, 0, row_of(e, k, strip));
    if (n->wide) {
        emit_vector(e, VPUNPCKLQDQ, T2, T0, x86_reg(T1));
        emit_vector(e, VPUNPCKHQDQ, T3, T0, x86_reg(T1));
        for (unsigned i = 0; i < 4; i++)
            store_half(e, T2 + i % 2, i > 1, 4 * strip + i);
        return;
    }
    if (n->access.words == 2) {
        emit_vector(e, VPUNPCKLDQ, T2, T0, x86_reg(T1));
        emit_vector(e, VPUNPCKHDQ, T3, T0, x86_reg(T1));
        take_half(e, x86_reg(T0), T2);
        take_half(e, x86_reg(T1), T3);
        code->narrow = true;
        for (unsigned i = 0; i < 8; i++) {
            const unsigned from = (i < 4 ? T2 : T0) + i / 2 % 2;
            const struct x86_place memory = memory_of(e, 8 * strip + i);
            if (i % 2)
                x86_vector_number(code, VPEXTRQ, from, 0, memory, 1);
            else
                emit_vector(e, VMOVQ_TO, from, 0, memory);
        }
        code->narrow = false;
        return;
    }
    for (unsigned i = 0; i < 4; i++) /* dwords 0 and 1 of lanes 0, 1; 2, 3; dwords 2 and 3 */
        emit_vector(e, i % 2 ? VPUNPCKHDQ : VPUNPCKLDQ, IDLE + i, T0 + i / 2 * 2,
                    x86_reg(T1 + i / 2 * 2));
    for (unsigned i = 0; i < 4; i++)
        emit_vector(e, i % 2 ? VPUNPCKHQDQ : VPUNPCKLQDQ, T0 + i, IDLE + i / 2,
                    x86_reg(IDLE + i / 2 + 2));
    for (unsigned i = 0; i < 8; i++)
        store_half(e, T0 + i % 4, i > 3, 8 * strip + i);
}

/* Vectors of all lanes; or those of some, one after the other. */
static void access_found(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_note_access(e);
    if (e->some) {
        const size_t loop = emit_begin_lanes(e);
        struct x86_place memory = x86_sum(X86_DX, X86_AX);
        memory.offset = (int32_t)n->access.offset;
        x86_integer(&e->code, X86_LOAD, !n->access.short_address, X86_AX, emit_base_of_one(n));
        emit_copy_words(e, memory, X86_R10);
        emit_end_lanes(e, loop);
        return;
    }
    for (unsigned i = 0, parts = emit_parts(e, n->wide); i < parts; i++)
        if (n->op == WT_ROWS_LOAD)
            load_part(e, i);
        else
            store_part(e, i);
}

/* Of one lane, or of two. */
static void access_few(struct emitter *e)
{
    emit_reach_few(e);
    for (unsigned i = 0; i < e->few; i++)
        emit_copy_words(e, x86_mem(i + 1 < e->few ? X86_R9 : X86_AX, 0), i ? LANE_2 : LANE);
}

/* Of some lanes, or all. */
static void access_many(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    size_t done = 0;
    if (!e->conditional && n->access.space != WT_ROWS_LOCAL) {
        if (e->some) {
            x86_integer(code, X86_LOAD, true, X86_R9, FIELD(mask));
            x86_find_one(code, X86_R10, X86_R9);
        }
        const size_t local = n->access.space == WT_ROWS_GENERIC ? emit_leave_windows(e) : 0;
        emit_find_common(e);
        access_found(e);
        done = x86_jump(code, X86_ALWAYS);
        if (local)
            x86_land(code, local, code->size);
    }
    for (size_t i = 0; i < e->detours; i++)
        x86_land(code, e->detour[i], code->size);
    emit_access_anywhere(e);
    if (done)
        x86_land(code, done, code->size);
}

void emit_access_vectors(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    e->detours = 0;
    e->code.narrow = false;
    if (e->few)
        access_few(e);
    else
        access_many(e);
    for (unsigned k = 0; k < n->access.words && n->op == WT_ROWS_LOAD; k++)
        emit_evict(e, n->access.row[k], e->shape->lanes * (n->wide ? 8 : 4));
}
