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
