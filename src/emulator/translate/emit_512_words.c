/* Accesses of several dwords a lane in vectors of 512 bits. See emit_512.h. */
#include "emulator/translate/emit_512.h"

/* Where a lane's place is noted. */
static struct x86_place place_of(unsigned lane)
{
    return emit_field(offsetof(struct wt_rows_state, place) + 4 * (size_t)lane);
}

/* ---- four dwords side by side, of 16 lanes ---- */

static bool are_four(const struct wt_rows_insn *n)
{
    bool are = n->access.words == 4;
    for (unsigned k = 0; k < n->access.words; k++)
        are &= n->access.place[k] == 4 * k;
    return are;
}

/* Dwords of T0 to T3, 4 by 4 in each 128 bits, change places: T0 to T3 have the others then. */
static void transpose(struct emitter *e)
{
    enum { LOW = T4, LOW_2, HIGH, HIGH_2 };
    z(e, VPUNPCKLDQ, LOW, T0, x86_reg(T1));
    z(e, VPUNPCKLDQ, LOW_2, T2, x86_reg(T3));
    z(e, VPUNPCKHDQ, HIGH, T0, x86_reg(T1));
    z(e, VPUNPCKHDQ, HIGH_2, T2, x86_reg(T3));
    z(e, ZPUNPCKLQDQ, T0, LOW, x86_reg(LOW_2));
    z(e, ZPUNPCKHQDQ, T1, LOW, x86_reg(LOW_2));
    z(e, ZPUNPCKLQDQ, T2, HIGH, x86_reg(HIGH_2));
    z(e, ZPUNPCKHQDQ, T3, HIGH, x86_reg(HIGH_2));
}

/* Register T0 + k has 16 bytes each of lanes k, k + 4, k + 8 and k + 12 of a part. */
static void load_four(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const struct x86_place memory = x86_sum(X86_DX, X86_AX);
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned to = T0 + lane % 4;
        x86_integer(&e->code, X86_LOAD, false, X86_AX, place_of(LANES * strip + lane));
        e->code.narrow = true;
        if (lane < 4)
            emit_vector(e, VMOVDQU, to, 0, memory);
        else
            x86_512_number(&e->code, ZINSERTI32X4, to, to, memory, 0, lane / 4);
        e->code.narrow = false;
    }
    transpose(e);
    for (unsigned i = 0; i < 4; i++)
        z(e, VMOVDQU_TO, T0 + i, 0, x86_mem(FRAME, n->access.row[i] + 64 * strip));
}

/* Lanes store in their order. */
static void store_four(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < 4; i++)
        z(e, VMOVDQU, T0 + i, 0, emit_512_row(e, n->access.row[i], strip));
    transpose(e);
    for (unsigned lane = 0; lane < LANES; lane++) {
        x86_integer(&e->code, X86_LOAD, false, X86_AX, place_of(LANES * strip + lane));
        x86_512_number(&e->code, ZEXTRACTI32X4, T0 + lane % 4, 0, x86_sum(X86_DX, X86_AX), 0,
                       lane / 4);
    }
}

/* ---- any ---- */

/* Each dword of a part's lanes. */
static void gather_words(struct emitter *e, unsigned places, unsigned strip)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned k = 0; k < n->access.words; k++) {
        struct x86_place by = emit_literal(e, n->access.place[k], false);
        by.each = true;
        z(e, VPADDD, T1, places + strip, by);
        if (e->some)
            x86_mask(&e->code, KNOTW, K7, 0, x86_reg(K_IDLE + strip));
        else
            x86_mask(&e->code, KXNORW, K7, K7, x86_reg(K7));
        z(e, VPXOR, T0, T0, x86_reg(T0));
        x86_512_gather(&e->code, T0, K7, X86_DX, T1);
        const struct x86_place row = x86_mem(FRAME, n->access.row[k] + 64 * strip);
        if (e->some)
            x86_512(&e->code, ZPBLENDMD, T0, T0, row, K_IDLE + strip);
        z(e, VMOVDQU_TO, T0, 0, row);
    }
}

/* The dwords of lane r10, which dx and its place lead to. */
static void copy_lane(struct emitter *e)
{
    x86_integer(&e->code, X86_LOAD, false, X86_AX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, place), X86_R10, 2));
    emit_copy_words(e, x86_sum(X86_DX, X86_AX), X86_R10);
}

/* Those of a part's lanes, of which a word of the mask says which ones execute, 0 and all apart. */
static void copy_some(struct emitter *e, unsigned strip)
{
    struct x86_code *code = &e->code;
    x86_shift(code, true, X86_R9, LANES * strip);
    const size_t loop = code->size;
    x86_find_one(code, X86_R10, X86_R9);
    copy_lane(e);
    x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_R9));
    x86_integer_number(code, X86_SUB, true, X86_R8, 1);
    x86_integer(code, X86_AND, true, X86_R9, x86_reg(X86_R8));
    x86_land(code, x86_jump(code, X86_NOT_ZERO), loop);
}

/* Four dwords of the lanes of each part: at once where all 16 execute. */
static void access_four(struct emitter *e, unsigned places)
{
    struct x86_code *code = &e->code;
    const bool store = e->insn[e->at].op == WT_ROWS_STORE;
    for (unsigned i = 0; i < parts_of(e); i++) {
        size_t past = 0, some = 0, done = 0;
        if (e->some) {
            x86_load_part(code, 2, false, false, X86_R9,
                          emit_field(offsetof(struct wt_rows_state, mask) + 2 * (size_t)i));
            x86_integer(code, X86_TEST, false, X86_R9, x86_reg(X86_R9));
            past = x86_jump(code, X86_ZERO);
            x86_integer_number(code, X86_CMP, false, X86_R9, UINT16_MAX);
            some = x86_jump(code, X86_NOT_ZERO);
        }
        if (store)
            store_four(e, i);
        else
            load_four(e, i);
        if (!e->some)
            continue;
        done = x86_jump(code, X86_ALWAYS);
        x86_land(code, some, code->size);
        if (store)
            copy_some(e, i);
        else
            gather_words(e, places, i);
        x86_land(code, done, code->size);
        x86_land(code, past, code->size);
    }
}

/* The lanes' places are in registers from `places` on, and dx has what is added to them. */
static void access_common(struct emitter *e, unsigned places)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_note_access(e);
    for (unsigned i = 0; i < parts_of(e); i++)
        z(e, VMOVDQU_TO, places + i, 0, place_of(LANES * i));
    if (are_four(n)) {
        access_four(e, places);
    } else if (n->op == WT_ROWS_LOAD) {
        for (unsigned i = 0; i < parts_of(e); i++)
            gather_words(e, places, i);
    } else {
        const size_t loop = emit_begin_lanes(e);
        copy_lane(e);
        emit_end_lanes(e, loop);
    }
}

/* Each dword of all lanes is a row in the group's memory. */
static void copy_rows(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_512_first_address(e);
    emit_reach_group_rows(e);
    for (unsigned k = 0; k < n->access.words; k++)
        for (unsigned i = 0; i < parts_of(e); i++) {
            const struct x86_place memory = x86_mem(X86_AX, n->access.place[k] + 64 * i);
            if (n->op == WT_ROWS_STORE) {
                const unsigned from = emit_512_loaded(e, emit_512_row(e, n->access.row[k], i), T0);
                z(e, VMOVDQU_TO, from, 0, memory);
            } else {
                z(e, VMOVDQU, T0, 0, memory);
                z(e, VMOVDQU_TO, T0, 0, x86_mem(FRAME, n->access.row[k] + 64 * i));
            }
        }
}

void emit_512_access_words(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    size_t scattered[3], done[3] = {0};
    e->detours = 0;
    code->narrow = false;
    const unsigned places = emit_512_choose(e);
    emit_first_lane(e);
    if (!e->some && emit_has_rows(n)) {
        emit_512_find_row(e, scattered);
        copy_rows(e);
        done[0] = x86_jump(code, X86_ALWAYS);
        for (unsigned i = 0; i < 3; i++)
            x86_land(code, scattered[i], code->size);
    }
    const size_t window = emit_512_begin_window(e);
    emit_512_find_common(e, places);
    access_common(e, places);
    done[1] = x86_jump(code, X86_ALWAYS);
    if (window) {
        x86_land(code, window, code->size);
        emit_512_enter_window(e);
        emit_512_find_common(e, places);
        access_common(e, places);
        done[2] = x86_jump(code, X86_ALWAYS);
        e->windowed = false;
    }
    for (size_t i = 0; i < e->detours; i++)
        x86_land(code, e->detour[i], code->size);
    emit_access_anywhere(e);
    for (unsigned i = 0; i < 3; i++)
        if (done[i])
            x86_land(code, done[i], code->size);
    for (unsigned k = 0; k < n->access.words && n->op == WT_ROWS_LOAD; k++)
        emit_evict(e, n->access.row[k], row_of(e));
}
