/* Where lanes find memory: what loads and stores share. See emit.h. */
#include <assert.h>

#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

void emit_detour(struct emitter *e, int condition)
{
    assert(e->detours < DETOURS);
    e->detour[e->detours++] = x86_jump(&e->code, condition);
}

void emit_find_page(struct emitter *e, bool is_store)
{
    struct x86_code *code = &e->code;
    const size_t entry = offsetof(struct wt_tlb, entry);
    const size_t page = is_store ? offsetof(struct wt_tlb_entry, write_page)
                                 : offsetof(struct wt_tlb_entry, read_page);
    const size_t host = is_store ? offsetof(struct wt_tlb_entry, write_host)
                                 : offsetof(struct wt_tlb_entry, read_host);
    static_assert(sizeof(struct wt_tlb_entry) == 32, "an index is shifted by 5");
    x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_AX));
    x86_integer_number(code, X86_AND, true, X86_R8, (int32_t)~WT_PAGE_MASK);
    x86_integer(code, X86_LOAD, true, X86_DX, x86_reg(X86_R8));
    x86_shift(code, false, X86_DX, WT_PAGE_BITS - 5);
    x86_integer_number(code, X86_AND, false, X86_DX, (WT_TLB_ENTRIES - 1) << 5);
    x86_integer(code, X86_ADD, true, X86_DX, FIELD(tlb));
    x86_integer(code, X86_CMP, true, X86_R8, x86_mem(X86_DX, entry + page));
    emit_call(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, true, X86_DX, x86_mem(X86_DX, entry + host));
}

void emit_note_access(struct emitter *e)
{
    x86_integer(&e->code, X86_STORE, true, LEFT, FIELD(left));
    x86_store_number(&e->code, FIELD(at), e->at);
}

size_t emit_begin_lanes(struct emitter *e)
{
    x86_integer(&e->code, X86_LOAD, true, X86_R9, emit_executing(e));
    e->unless = 0;
    if (e->some && e->shape->scalars) {
        x86_integer(&e->code, X86_TEST, true, X86_R9, x86_reg(X86_R9));
        e->unless = x86_jump(&e->code, X86_ZERO);
    }
    const size_t loop = e->code.size;
    x86_find_one(&e->code, X86_R10, X86_R9);
    return loop;
}

void emit_end_lanes(struct emitter *e, size_t loop)
{
    x86_integer(&e->code, X86_LOAD, true, X86_R8, x86_reg(X86_R9));
    x86_integer_number(&e->code, X86_SUB, true, X86_R8, 1);
    x86_integer(&e->code, X86_AND, true, X86_R9, x86_reg(X86_R8));
    x86_land(&e->code, x86_jump(&e->code, X86_NOT_ZERO), loop);
    if (e->unless)
        x86_land(&e->code, e->unless, e->code.size);
}

size_t emit_skip_idle(struct emitter *e, bool wide, unsigned strip)
{
    const unsigned lanes = emit_part_lanes(e, wide), first = strip * lanes;
    if (!e->some || e->shape->scalars) /* which may have them execute behind the instruction */
        return 0;
    x86_test_byte(&e->code, emit_field(offsetof(struct wt_rows_state, mask) + first / 8),
                  ((1u << lanes) - 1) << first % 8);
    return x86_jump(&e->code, X86_ZERO);
}

size_t emit_begin_parts(struct emitter *e)
{
    struct x86_code *code = &e->code;
    if (!e->sparse)
        return 0;
    x86_integer(code, X86_LOAD, false, X86_R9, FIELD(parts));
    const size_t loop = code->size;
    x86_find_one(code, X86_R10, X86_R9);
    x86_shift(code, true, X86_R10, 5);
    x86_integer(code, X86_LOAD, true, FRAME, FIELD(frame));
    x86_integer(code, X86_ADD, true, FRAME, x86_reg(X86_R10));
    e->looping = true;
    return loop;
}

void emit_end_parts(struct emitter *e, size_t loop)
{
    struct x86_code *code = &e->code;
    if (!e->sparse)
        return;
    e->looping = false;
    x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_R9));
    x86_integer_number(code, X86_SUB, true, X86_R8, 1);
    x86_integer(code, X86_AND, true, X86_R9, x86_reg(X86_R8));
    x86_land(code, x86_jump(code, X86_NOT_ZERO), loop);
    x86_integer(code, X86_LOAD, true, FRAME, FIELD(frame));
}

void emit_skipped(struct emitter *e, size_t jump)
{
    if (jump)
        x86_land(&e->code, jump, e->code.size);
}

/* ---- addresses ---- */

/* The source of the address of a lane. */
struct x86_place emit_base_of(const struct wt_rows_insn *n, unsigned lane)
{
    if (n->access.split)
        return emit_field(offsetof(struct wt_rows_state, address) + 8 * (size_t)lane);
    return x86_mem(FRAME, n->s[0].slot + (n->access.short_address ? 4 : 8) * lane);
}

/* The offset is added to the source of an address in ax. */
void emit_add_offset(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool wide = !n->access.wraps;
    const int32_t near = (int32_t)n->access.offset;
    if (!n->access.offset)
        return;
    if (!wide || (uint64_t)near == n->access.offset) {
        x86_integer_number(&e->code, X86_ADD, wide, X86_AX, near);
        return;
    }
    x86_set(&e->code, X86_R8, n->access.offset);
    x86_integer(&e->code, X86_ADD, true, X86_AX, x86_reg(X86_R8));
}

/* The source of the address of lane r10. */
struct x86_place emit_base_of_one(const struct wt_rows_insn *n)
{
    if (n->access.split)
        return x86_scaled(STATE, offsetof(struct wt_rows_state, address), X86_R10, 3);
    return x86_scaled(FRAME, n->s[0].slot, X86_R10, n->access.short_address ? 2 : 3);
}

/* That of the first lane that executes, which is lane r10 if not all do. */
struct x86_place emit_first_base(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    return e->unseen ? x86_reg(X86_R9) : e->some ? emit_base_of_one(n) : emit_base_of(n, 0);
}

/* Whether the generic address in ax is in a window, as a comparison; r8 has that of the memory. */
static void compare_window(struct emitter *e, unsigned window)
{
    x86_set(&e->code, X86_R8, 0 - e->shape->window[window]);
    x86_integer(&e->code, X86_ADD, true, X86_R8, x86_reg(X86_AX));
    x86_set(&e->code, X86_DX, e->shape->window_bytes);
    x86_integer(&e->code, X86_CMP, true, X86_R8, x86_reg(X86_DX));
}

size_t emit_leave_windows(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    x86_integer(&e->code, X86_LOAD, !n->access.short_address, X86_AX, emit_first_base(e));
    emit_add_offset(e);
    compare_window(e, 0);
    emit_detour(e, X86_BELOW);
    compare_window(e, 1);
    return x86_jump(&e->code, X86_BELOW);
}

unsigned emit_span(const struct wt_rows_insn *n)
{
    unsigned last = 0;
    for (unsigned k = 0; k < n->access.words; k++)
        last = n->access.place[k] > last ? n->access.place[k] : last;
    return n->access.words ? last + (n->wide ? 8 : 4) : n->access.bytes;
}

/* The address in ax becomes one of the host: in the group's memory. */
void emit_reach_group(struct emitter *e)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
    x86_integer_number(code, X86_SUB, true, X86_DX, (int32_t)emit_span(&e->insn[e->at]));
    emit_call(e, X86_BELOW);
    x86_integer(code, X86_CMP, true, X86_AX, x86_reg(X86_DX));
    emit_call(e, X86_ABOVE);
    x86_integer(code, X86_ADD, true, X86_AX, FIELD(group));
}

/* An address of memory becomes one of the host. */
void emit_reach_memory(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    emit_find_page(e, n->op == WT_ROWS_STORE);
    x86_integer_number(&e->code, X86_AND, false, X86_AX, WT_PAGE_MASK);
    if (n->access.words) {
        x86_integer_number(&e->code, X86_CMP, false, X86_AX,
                           (int32_t)(WT_PAGE_SIZE - emit_span(n)));
        emit_call(e, X86_ABOVE);
    }
    x86_integer(&e->code, X86_ADD, true, X86_AX, x86_reg(X86_DX));
}

/* An aligned address of local memory becomes one of memory. */
static void reach_local(struct emitter *e, unsigned lane)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_AX));
    x86_integer_number(code, X86_ADD, true, X86_R8, (int32_t)emit_span(&e->insn[e->at]) - 1);
    x86_integer(code, X86_CMP, true, X86_R8, FIELD(local_bytes));
    emit_call(e, X86_NOT_BELOW);
    x86_integer(code, X86_LOAD, true, X86_R8, FIELD(local_bytes));
    x86_multiply(code, X86_R8, x86_reg(lane));
    x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_R8));
    x86_integer(code, X86_ADD, true, X86_AX, FIELD(local));
}

/* A generic address becomes one of the host. */
static void reach_generic(struct emitter *e, unsigned lane)
{
    struct x86_code *code = &e->code;
    compare_window(e, 0);
    const size_t other = x86_jump(code, X86_NOT_BELOW);
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R8));
    emit_reach_group(e);
    const size_t done = x86_jump(code, X86_ALWAYS);
    x86_land(code, other, code->size);
    compare_window(e, 1);
    const size_t global = x86_jump(code, X86_NOT_BELOW);
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R8));
    reach_local(e, lane);
    x86_land(code, global, code->size);
    emit_reach_memory(e);
    x86_land(code, done, code->size);
}

/* The address of a lane in ax becomes one of the host; a register has the lane's number. */
static void reach(struct emitter *e, unsigned lane)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    emit_add_offset(e);
    if (n->access.bytes > 1) {
        x86_integer_number(code, X86_TEST, false, X86_AX, n->access.bytes - 1);
        emit_call(e, X86_NOT_ZERO);
    }
    if (n->access.space == WT_ROWS_GROUP) {
        emit_reach_group(e);
    } else if (n->access.space == WT_ROWS_GENERIC) {
        reach_generic(e, lane);
    } else {
        if (n->access.space == WT_ROWS_LOCAL)
            reach_local(e, lane);
        emit_reach_memory(e);
    }
}

/* Where each lane accesses memory of the host. */
void emit_find_lanes(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const size_t loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, !n->access.short_address, X86_AX, emit_base_of_one(n));
    reach(e, X86_R10);
    x86_integer(code, X86_STORE, true, X86_AX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_R10, 3));
    emit_end_lanes(e, loop);
}

void emit_first_lane(struct emitter *e)
{
    if (!e->some)
        return;
    x86_integer(&e->code, X86_LOAD, true, X86_R9, FIELD(mask));
    x86_find_one(&e->code, X86_R10, X86_R9);
    x86_integer(&e->code, X86_TEST, true, X86_R9, x86_reg(X86_R9));
    emit_detour(e, X86_ZERO);
}

void emit_reach_group_rows(struct emitter *e)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
    x86_integer_number(code, X86_SUB, true, X86_DX,
                       (int32_t)(emit_span(&e->insn[e->at]) - 4 + 4 * WT_ROWS_LANES));
    emit_call(e, X86_BELOW);
    x86_integer(code, X86_CMP, true, X86_AX, x86_reg(X86_DX));
    emit_call(e, X86_ABOVE);
    x86_integer(code, X86_ADD, true, X86_AX, FIELD(group));
    emit_note_access(e);
}

void emit_reach_few(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    for (unsigned i = 0; i < e->few; i++) {
        const unsigned lane = i ? LANE_2 : LANE;
        x86_integer(code, X86_LOAD, !n->access.short_address, X86_AX,
                    x86_scaled(FRAME, n->s[0].slot, lane, n->access.short_address ? 2 : 3));
        reach(e, lane);
        if (i + 1 < e->few)
            x86_integer(code, X86_LOAD, true, X86_R9, x86_reg(X86_AX));
    }
    emit_note_access(e);
}
