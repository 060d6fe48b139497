/* Loads and stores. See emit.h. */
#include <assert.h>

#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

/* ---- memory: all lanes of one page, or of the group's memory; else the handler is called ---- */

/* For the address in ax: the host's page in dx, the GPU's address of it in r8. */
static void find_page(struct emitter *e, bool is_store)
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

/* Addresses in the windows of generic addresses are the handler's: that in ax. */
static void avoid_windows(struct emitter *e)
{
    for (unsigned i = 0; i < 2; i++) {
        x86_set(&e->code, X86_R8, 0 - e->window[i]);
        x86_integer(&e->code, X86_ADD, true, X86_R8, x86_reg(X86_AX));
        x86_set(&e->code, X86_DX, e->window_bytes);
        x86_integer(&e->code, X86_CMP, true, X86_R8, x86_reg(X86_DX));
        emit_call(e, X86_BELOW);
    }
}

/* The address of the first lane in ax, which must be aligned. */
static void first_address(struct emitter *e, unsigned size)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    x86_set(&e->code, X86_AX, n->offset);
    x86_integer(&e->code, X86_ADD, true, X86_AX, x86_mem(FRAME, n->s[0].slot));
    x86_integer_number(&e->code, X86_TEST, false, X86_AX, (int32_t)size - 1);
    emit_call(e, X86_NOT_ZERO);
    if (n->space == WT_ROWS_GENERIC)
        avoid_windows(e);
}

/* Who loses memory of the host while it is accessed finds out where. */
static void note_access(struct emitter *e)
{
    x86_integer(&e->code, X86_STORE, true, LEFT, FIELD(left));
    x86_store_number(&e->code, FIELD(at), e->at);
}

/* The lanes access one dword or qword behind the other. */
static void access_in_row(struct emitter *e, unsigned size)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const int32_t bytes = (int32_t)size * WT_ROWS_LANES;
    first_address(e, size);
    if (n->space == WT_ROWS_GROUP) {
        x86_integer(code, X86_LOAD, false, X86_DX, FIELD(group_bytes));
        x86_integer_number(code, X86_SUB, true, X86_DX, bytes);
        emit_call(e, X86_BELOW);
        x86_integer(code, X86_CMP, true, X86_AX, x86_reg(X86_DX));
        emit_call(e, X86_ABOVE);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
    } else {
        find_page(e, n->op == WT_ROWS_STORE);
        x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
        x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)WT_PAGE_SIZE - bytes);
        emit_call(e, X86_ABOVE);
    }
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    note_access(e);
    for (unsigned i = 0; i < size; i++) {
        const struct x86_place memory = x86_mem(X86_DX, 32 * i);
        if (n->op == WT_ROWS_STORE) {
            emit_vector(e, VMOVDQU_TO, emit_loaded(e, emit_part(e, &n->s[1], n->wide, i), T0), 0,
                        memory);
        } else {
            emit_vector(e, VMOVDQU, T0, 0, memory);
            emit_store(e, i, T0);
        }
    }
}

/* The lanes access places of one page, or of the group's memory, lane by lane. */
static void access_scattered(struct emitter *e, unsigned size)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const bool group = n->space == WT_ROWS_GROUP, wide = n->wide;
    struct x86_code *code = &e->code;
    emit_vector(e, VPXOR, T0, T0, x86_reg(T0));
    if (!group) { /* the last lane says soon that they are of several pages */
        x86_set(code, X86_AX, n->offset);
        x86_integer(code, X86_LOAD, true, X86_DX, x86_mem(FRAME, n->s[0].slot + 8 * 31));
        x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
        x86_integer(code, X86_ADD, true, X86_AX, x86_mem(FRAME, n->s[0].slot));
        x86_integer(code, X86_XOR, true, X86_DX, x86_reg(X86_AX));
        x86_integer_number(code, X86_CMP, true, X86_DX, (int32_t)WT_PAGE_SIZE);
        emit_call(e, X86_NOT_BELOW);
        emit_vector(e, VPBROADCASTQ, T0, 0, x86_mem(FRAME, n->s[0].slot));
        emit_vector(e, VPADDQ, T0, T0, emit_literal(e, n->offset, true));
    }
    /* The bits that lanes have, or in which they differ from the first one. */
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < 8; i++) {
        emit_vector(e, VPADDQ, T2, emit_loaded(e, emit_part(e, &n->s[0], true, i), T2),
                    emit_literal(e, n->offset, true));
        emit_vector(e, VPXOR, T2, T2, x86_reg(T0));
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    if (group) {
        emit_vector(e, VPBROADCASTQ, T2, 0, FIELD(group_outside));
        emit_vector(e, VPOR, T2, T2, emit_literal(e, size - 1, true));
        emit_vector(e, VPTEST, T1, 0, x86_reg(T2));
        emit_call(e, X86_NOT_ZERO);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
    } else {
        emit_vector(e, VPTEST, T1, 0, emit_literal(e, ~WT_PAGE_MASK | (size - 1), true));
        emit_call(e, X86_NOT_ZERO);
        first_address(e, size);
        find_page(e, n->op == WT_ROWS_STORE);
        x86_integer(code, X86_SUB, true, X86_DX, x86_reg(X86_R8));
    }
    x86_set(code, X86_R8, n->offset);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R8));
    note_access(e);
    for (unsigned i = 0; i < WT_ROWS_LANES; i++) {
        const struct x86_place memory = x86_sum(X86_DX, X86_AX),
                               row = x86_mem(FRAME, (n->op == WT_ROWS_STORE ? n->s[1].slot : n->d) +
                                                        size * i);
        x86_integer(code, X86_LOAD, true, X86_AX, x86_mem(FRAME, n->s[0].slot + 8 * i));
        x86_integer(code, X86_LOAD, wide, X86_R8, n->op == WT_ROWS_STORE ? row : memory);
        x86_integer(code, X86_STORE, wide, X86_R8, n->op == WT_ROWS_STORE ? memory : row);
    }
    for (unsigned i = 0; i < size && n->op == WT_ROWS_LOAD; i++)
        emit_vector(e, VMOVDQU, emit_result(e, i), 0, x86_mem(FRAME, n->d + 32 * i));
}

void emit_access(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned size = n->wide ? 8 : 4;
    struct x86_code *code = &e->code;
    if (e->some) {
        emit_call(e, X86_ALWAYS);
        e->cache = (struct cache){{NOTHING, NOTHING}, false, 0};
        return;
    }
    /* The last lane's address says soon that they are not in a row. */
    x86_integer(code, X86_LOAD, true, X86_DX, x86_mem(FRAME, n->s[0].slot + 8 * 31));
    x86_integer(code, X86_SUB, true, X86_DX, x86_mem(FRAME, n->s[0].slot));
    x86_integer_number(code, X86_CMP, true, X86_DX, (int32_t)(31 * size));
    const size_t soon = x86_jump(code, X86_NOT_ZERO);
    emit_vector(e, VPBROADCASTQ, T0, 0, x86_mem(FRAME, n->s[0].slot));
    for (unsigned i = 0; i < 8; i++) {
        uint64_t distance[4];
        for (unsigned k = 0; k < 4; k++)
            distance[k] = (4 * i + k) * size;
        const unsigned to = i ? T2 : T1;
        emit_vector(e, VPSUBQ, to, emit_loaded(e, emit_part(e, &n->s[0], true, i), T2),
                    x86_reg(T0));
        emit_vector(e, VPXOR, to, to, x86_literal(code, distance, sizeof distance));
        if (i)
            emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    const size_t scattered = x86_jump(code, X86_NOT_ZERO);
    access_in_row(e, size);
    const size_t done = x86_jump(code, X86_ALWAYS);
    x86_land(code, scattered, code->size);
    x86_land(code, soon, code->size);
    access_scattered(e, size);
    x86_land(code, done, code->size);
    if (n->op == WT_ROWS_LOAD)
        emit_keep(e);
}
