/* Accesses of several dwords a lane, and of lanes side by side in memory. See emit.h. */
#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

enum { ROW = 4 * WT_ROWS_LANES, PARTS = ROW / 32 };

/* Results of rows: no register has them. */
static void evict(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned k = 0; k < n->access.words && n->op == WT_ROWS_LOAD; k++)
        emit_evict(e, n->access.row[k], ROW);
}

/* ---- several dwords a lane ---- */

void emit_copy_words(struct emitter *e, struct x86_place memory, unsigned lane)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const int32_t first = memory.offset;
    for (unsigned k = 0; k < n->access.words; k++) {
        const struct x86_place row = x86_scaled(FRAME, n->access.row[k], lane, n->wide ? 3 : 2);
        const bool store = n->op == WT_ROWS_STORE;
        memory.offset = first + (int32_t)n->access.place[k];
        if (n->access.constants >> k & 1)
            x86_set(&e->code, X86_R8, n->access.value[k]);
        else
            x86_integer(&e->code, X86_LOAD, n->wide, X86_R8, store ? row : memory);
        x86_integer(&e->code, X86_STORE, n->wide, X86_R8, store ? memory : row);
    }
}

bool emit_has_rows(const struct wt_rows_insn *n)
{
    bool apart = n->access.space == WT_ROWS_GROUP;
    for (unsigned k = 0; k < n->access.words; k++)
        for (unsigned i = 0; i < k; i++)
            apart &= n->op == WT_ROWS_LOAD || n->access.place[k] >= n->access.place[i] + ROW ||
                     n->access.place[i] >= n->access.place[k] + ROW;
    return apart;
}

/* Each dword of all lanes is a row in the group's memory. */
static void copy_rows(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_first_address(e);
    emit_reach_group_rows(e);
    for (unsigned k = 0; k < n->access.words; k++)
        for (unsigned i = 0; i < PARTS; i++) {
            const struct x86_place row = x86_mem(FRAME, n->access.row[k] + 32 * i),
                                   memory = x86_mem(X86_AX, n->access.place[k] + 32 * i);
            emit_vector(e, VMOVDQU, T0, 0, n->op == WT_ROWS_STORE ? row : memory);
            emit_vector(e, VMOVDQU_TO, T0, 0, n->op == WT_ROWS_STORE ? memory : row);
        }
}

/* Bits of T1: those in which addresses, of first and last dwords, differ from T0. Of vectors that
 * are aligned as a whole the first ones say enough. */
static void find_bits(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool wide = !n->access.short_address, last = emit_span(n) > n->access.bytes;
    const unsigned add = wide ? VPADDQ : VPADDD;
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < emit_parts(e, wide); i++) {
        emit_vector(e, add, T2, emit_loaded(e, emit_base_part(e, i), T2),
                    emit_literal(e, n->access.offset, wide));
        if (last)
            emit_vector(e, add, T3, T2, emit_literal(e, emit_span(n) - 4, wide));
        emit_vector(e, VPXOR, T2, T2, x86_reg(T0));
        if (last) {
            emit_vector(e, VPXOR, T3, T3, x86_reg(T0));
            emit_vector(e, VPOR, T2, T2, x86_reg(T3));
        }
        if (!wide && !n->access.wraps &&
            !e->shape->scalars) /* so great that the sum would have wrapped */
            emit_vector(e, VPOR, T2, T2, emit_part(e, &n->s[0], false, i));
        if (e->some)
            emit_vector(e, VPANDN, T2, emit_idle(e, wide, i, T3), x86_reg(T2));
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
}

void emit_find_common(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool wide = !n->access.short_address;
    struct x86_code *code = &e->code;
    if (n->access.space == WT_ROWS_GROUP) {
        emit_vector(e, VPXOR, T0, T0, x86_reg(T0));
        find_bits(e);
        emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T2, 0, FIELD(group_outside));
        emit_vector(e, VPOR, T2, T2, emit_literal(e, n->access.bytes - 1, wide));
        emit_vector(e, VPTEST, T1, 0, x86_reg(T2));
        emit_detour(e, X86_NOT_ZERO);
        x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
        x86_integer_number(code, X86_CMP, false, X86_DX, (int32_t)emit_span(n));
        emit_detour(e, X86_BELOW);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
        return;
    }
    emit_vector(e, VPBROADCASTQ, T0, 0, emit_first_base(e));
    emit_vector(e, VPADDQ, T0, T0, emit_literal(e, n->access.offset, true));
    find_bits(e);
    emit_vector(e, VPTEST, T1, 0, emit_literal(e, ~WT_PAGE_MASK | (n->access.bytes - 1), true));
    emit_detour(e, X86_NOT_ZERO);
    emit_first_address(e);
    emit_find_page(e, n->op == WT_ROWS_STORE);
    x86_integer(code, X86_SUB, true, X86_DX, x86_reg(X86_R8));
}

/* The lanes lie in it anywhere. */
static void access_common(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_first_lane(e);
    emit_join_addresses(e);
    emit_find_common(e);
    emit_note_access(e);
    const size_t loop = emit_begin_lanes(e);
    x86_integer(&e->code, X86_LOAD, !n->access.short_address, X86_AX, emit_base_of_one(n));
    if (n->access.space == WT_ROWS_GROUP)
        emit_add_offset(e);
    struct x86_place memory = x86_sum(X86_DX, X86_AX);
    memory.offset = n->access.space == WT_ROWS_GROUP ? 0 : (int32_t)n->access.offset;
    emit_copy_words(e, memory, X86_R10);
    emit_end_lanes(e, loop);
}

void emit_access_anywhere(struct emitter *e)
{
    emit_join_addresses(e);
    emit_find_lanes(e);
    emit_note_access(e);
    const size_t loop = emit_begin_lanes(e);
    x86_integer(&e->code, X86_LOAD, true, X86_AX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_R10, 3));
    emit_copy_words(e, x86_mem(X86_AX, 0), X86_R10);
    emit_end_lanes(e, loop);
}

void emit_access_words(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    size_t scattered[3] = {0}, done[2] = {0};
    e->detours = 0;
    code->narrow = false;
    if (e->sparse) {
        emit_access_anywhere(e);
        evict(e);
        return;
    }
    if (!e->some && emit_has_rows(n)) {
        emit_find_row(e, scattered);
        copy_rows(e);
        done[0] = x86_jump(code, X86_ALWAYS);
        for (unsigned i = 0; i < 3; i++)
            if (scattered[i])
                x86_land(code, scattered[i], code->size);
    }
    access_common(e);
    done[1] = x86_jump(code, X86_ALWAYS);
    for (size_t i = 0; i < e->detours; i++)
        x86_land(code, e->detour[i], code->size);
    emit_access_anywhere(e);
    for (unsigned i = 0; i < 2; i++)
        if (done[i])
            x86_land(code, done[i], code->size);
    evict(e);
}

/* ---- lanes side by side ---- */

static struct x86_place scalar(uint32_t slot)
{
    return x86_mem(SCALARS, slot);
}

/* The meaning of the four scalars: ax has where the first lane's first dword is, r8 how many bytes
 * are from there to the end. With a stride, which does not count for lanes below 64, the end is
 * that of lanes. The state keeps what the last four said. */
static void read_resource(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint32_t v = n->s[2].slot;
    struct x86_code *code = &e->code;
    code->narrow = true;
    emit_vector(e, VMOVDQU, T0, 0, scalar(v));
    emit_vector(e, VPXOR, T1, T0, FIELD(resource));
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    x86_integer(code, X86_LOAD, true, X86_AX, FIELD(resource_base));
    x86_integer(code, X86_LOAD, true, X86_R8, FIELD(resource_bytes));
    const size_t known = x86_jump(code, X86_ZERO);
    x86_integer(code, X86_LOAD, false, X86_AX, scalar(v + 12));
    x86_integer(code, X86_LOAD, false, X86_DX, x86_reg(X86_AX));
    x86_integer_number(code, X86_AND, false, X86_DX, 7 << 21); /* ADD_TID, an index stride of 64 */
    x86_integer_number(code, X86_CMP, false, X86_DX, 7 << 21);
    emit_call(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, false, X86_R8, scalar(v + 4));
    x86_integer(code, X86_LOAD, false, X86_DX, x86_reg(X86_R8));
    x86_shift(code, false, X86_DX, 31); /* SWIZZLE */
    emit_call(e, X86_ZERO);
    x86_integer_number(code, X86_AND, false, X86_AX, 15 << 15); /* the stride */
    x86_integer(code, X86_LOAD, false, X86_DX, x86_reg(X86_R8));
    x86_integer_number(code, X86_AND, false, X86_DX, 0x3fff0000);
    x86_integer(code, X86_OR, false, X86_DX, x86_reg(X86_AX));
    x86_integer_number(code, X86_AND, false, X86_R8, 0xffff);
    x86_shift(code, true, X86_R8, 32);
    x86_integer(code, X86_LOAD, false, X86_AX, scalar(v));
    x86_integer(code, X86_OR, true, X86_AX, x86_reg(X86_R8));
    x86_integer_number(code, X86_TEST, false, X86_AX, 3);
    emit_call(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, false, X86_R8, scalar(v + 8));
    x86_integer(code, X86_TEST, false, X86_DX, x86_reg(X86_DX));
    const size_t linear = x86_jump(code, X86_ZERO);
    x86_integer_number(code, X86_CMP, false, X86_R8, WT_ROWS_LANES);
    emit_call(e, X86_BELOW);
    x86_set(code, X86_R8, UINT64_C(1) << 40);
    x86_land(code, linear, code->size);
    emit_vector(e, VMOVDQU_TO, T0, 0, FIELD(resource));
    x86_integer(code, X86_STORE, true, X86_AX, FIELD(resource_base));
    x86_integer(code, X86_STORE, true, X86_R8, FIELD(resource_bytes));
    x86_land(code, known, code->size);
    code->narrow = false;
    if (n->condition.constant && !n->condition.value)
        return;
    if (n->condition.constant)
        x86_set(code, X86_DX, (uint32_t)n->condition.value);
    else
        x86_integer(code, X86_LOAD, false, X86_DX, scalar(n->condition.slot));
    x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_DX));
    x86_integer(code, X86_SUB, true, X86_R8, x86_reg(X86_DX));
    emit_call(e, X86_BELOW);
    x86_integer_number(code, X86_TEST, false, X86_AX, 3);
    emit_call(e, X86_NOT_ZERO);
}

static unsigned rows_of(const struct wt_rows_insn *n)
{
    return n->access.words ? n->access.words : 1;
}

/* All lanes access the same dwords of theirs; dx: where the host has the row. */
static void find_swizzled_row(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const int32_t bytes = (int32_t)(ROW * rows_of(n)), first = (int32_t)n->access.offset * 64;
    read_resource(e);
    if (n->s[0].constant) {
        x86_integer_number(code, X86_CMP, true, X86_R8, first + bytes - 4);
        emit_call(e, X86_NOT_ABOVE);
        x86_integer_number(code, X86_ADD, true, X86_AX, first);
    } else {
        x86_integer(code, X86_STORE, true, X86_AX, FIELD(base));
        x86_integer(code, X86_STORE, true, X86_R8, FIELD(room));
        if (e->sparse) { /* one by one */
            emit_detour(e, X86_ALWAYS);
            return;
        }
        emit_first_lane(e);
        const struct x86_place base =
            e->some ? x86_scaled(FRAME, n->s[0].slot, X86_R10, 2) : x86_mem(FRAME, n->s[0].slot);
        emit_vector(e, VPBROADCASTD, T0, 0, base);
        for (unsigned i = 0; i < PARTS; i++) {
            emit_vector(e, VPXOR, i ? T2 : T1, T0, emit_part(e, &n->s[0], false, i));
            if (e->some)
                emit_vector(e, VPANDN, i ? T2 : T1, emit_idle(e, false, i, T3),
                            x86_reg(i ? T2 : T1));
            if (i)
                emit_vector(e, VPOR, T1, T1, x86_reg(T2));
        }
        emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
        emit_detour(e, X86_NOT_ZERO);
        x86_integer(code, X86_LOAD, false, X86_DX, base);
        x86_integer_number(code, X86_ADD, false, X86_DX, (int32_t)n->access.offset);
        x86_integer_number(code, X86_TEST, false, X86_DX, 3);
        emit_call(e, X86_NOT_ZERO);
        x86_shift(code, true, X86_DX, 6);
        x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_DX));
        x86_integer_number(code, X86_ADD, true, X86_DX, bytes - 4);
        x86_integer(code, X86_CMP, true, X86_R8, x86_reg(X86_DX));
        emit_call(e, X86_NOT_ABOVE);
    }
    emit_find_page(e, n->op == WT_ROWS_STORE);
    x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
    x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)WT_PAGE_SIZE - bytes);
    emit_call(e, X86_ABOVE);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    emit_note_access(e);
}

/* Part `strip` of a row, in memory at a place; jumps past it where no lane executes. */
static void copy_part(struct emitter *e, uint32_t row, unsigned strip, struct x86_place memory)
{
    const bool store = e->insn[e->at].op == WT_ROWS_STORE;
    const struct x86_place part = x86_mem(FRAME, row + 32 * strip);
    struct x86_code *code = &e->code;
    size_t past = 0;
    if (e->some && !e->sparse) {
        x86_test_byte(code, emit_field(offsetof(struct wt_rows_state, mask) + strip), 0xff);
        past = x86_jump(code, X86_ZERO);
    }
    emit_vector(e, VMOVDQU, T0, 0, store ? part : memory);
    if (e->some) {
        const unsigned idle = emit_idle(e, false, strip, T3);
        if (store) {
            emit_vector(e, VPXOR, T1, idle, emit_literal(e, UINT32_MAX, false));
            emit_vector(e, VPMASKMOVD_TO, T0, T1, memory);
        } else {
            x86_vector_number(code, VPBLENDVB, T0, T0, part, idle << 4);
        }
    }
    if (!e->some || !store)
        emit_vector(e, VMOVDQU_TO, T0, 0, store ? memory : part);
    if (past)
        x86_land(code, past, code->size);
}

/* Each lane accesses a dword of its own choice. */
static void access_each(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool store = n->op == WT_ROWS_STORE;
    const struct x86_place host =
        x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_R10, 3);
    const struct x86_place own = x86_scaled(FRAME, n->access.row[0], X86_R10, 2);
    size_t loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, false, X86_AX, x86_scaled(FRAME, n->s[0].slot, X86_R10, 2));
    x86_integer_number(code, X86_ADD, false, X86_AX, (int32_t)n->access.offset);
    x86_integer_number(code, X86_TEST, false, X86_AX, 3);
    emit_call(e, X86_NOT_ZERO);
    x86_shift(code, true, X86_AX, 4);
    x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_R10));
    x86_shift(code, true, X86_AX, 2);
    x86_integer(code, X86_CMP, true, X86_AX, FIELD(room));
    emit_call(e, X86_NOT_BELOW);
    x86_integer(code, X86_ADD, true, X86_AX, FIELD(base));
    emit_reach_memory(e);
    x86_integer(code, X86_STORE, true, X86_AX, host);
    emit_end_lanes(e, loop);
    emit_note_access(e);
    loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, true, X86_AX, host);
    x86_integer(code, X86_LOAD, false, X86_R8, store ? own : x86_mem(X86_AX, 0));
    x86_integer(code, X86_STORE, false, X86_R8, store ? x86_mem(X86_AX, 0) : own);
    emit_end_lanes(e, loop);
}

void emit_access_swizzled(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    e->detours = 0;
    code->narrow = false;
    if (e->some && n->access.words) { /* the handler has another number of accesses to count */
        x86_integer(code, X86_LOAD, true, X86_AX, FIELD(mask));
        x86_integer(code, X86_TEST, true, X86_AX, x86_reg(X86_AX));
        emit_call(e, X86_ZERO);
    }
    find_swizzled_row(e);
    if (e->shape->vectors_512)
        emit_512_copy_swizzled(e, !e->detours);
    for (unsigned k = 0; k < rows_of(n) && !(e->sparse && e->detours) && !e->shape->vectors_512;
         k++)
        for (unsigned i = 0; i < (e->sparse ? 1 : PARTS); i++) {
            const size_t loop = emit_begin_parts(e);
            copy_part(e, n->access.row[k], i,
                      e->sparse ? x86_scaled(X86_DX, ROW * k, X86_R10, 0)
                                : x86_mem(X86_DX, ROW * k + 32 * i));
            emit_end_parts(e, loop);
        }
    if (e->detours) {
        const size_t done = x86_jump(code, X86_ALWAYS);
        for (size_t i = 0; i < e->detours; i++)
            x86_land(code, e->detour[i], code->size);
        if (n->access.words)
            emit_call(e, X86_ALWAYS);
        else
            access_each(e);
        x86_land(code, done, code->size);
    }
    if (n->op == WT_ROWS_LOAD && !(e->shape->vectors_512 && !e->detours))
        for (unsigned k = 0; k < rows_of(n); k++)
            emit_evict(e, n->access.row[k], ROW);
}
