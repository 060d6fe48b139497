/*
 * Code for one or two lanes: a register has their values side by side, and rows are accessed at
 * these lanes alone. See emit.h.
 */
#include "emulator/translate/emit.h"

/* A lane's place in a row. */
static struct x86_place place_of(unsigned base, uint32_t slot, bool wide, unsigned number)
{
    return x86_scaled(base, slot, number ? LANE_2 : LANE, wide ? 3 : 2);
}

void emit_load_few(struct emitter *e, unsigned to, unsigned base, uint32_t slot, bool wide)
{
    const bool narrow = e->code.narrow;
    e->code.narrow = true;
    x86_vector(&e->code, wide ? VMOVQ : VMOVD, to, 0, place_of(base, slot, wide, 0));
    if (e->few > 1)
        x86_vector_number(&e->code, wide ? VPINSRQ : VPINSRD, to, to, place_of(base, slot, wide, 1),
                          1);
    e->code.narrow = narrow;
}

void emit_store_few(struct emitter *e, uint32_t slot, bool wide, unsigned from)
{
    const bool narrow = e->code.narrow;
    e->code.narrow = true;
    x86_vector(&e->code, wide ? VMOVQ_TO : VMOVD_TO, from, 0, place_of(FRAME, slot, wide, 0));
    if (e->few > 1)
        x86_vector_number(&e->code, wide ? VPEXTRQ : VPEXTRD, from, 0,
                          place_of(FRAME, slot, wide, 1), 1);
    e->code.narrow = narrow;
}

struct x86_place emit_bits_of_few(bool wide)
{
    return emit_field(offsetof(struct wt_rows_state, idle) + (wide ? 16 : 0));
}

void emit_number_few(struct emitter *e)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, true, X86_R9, FIELD(mask));
    x86_find_one(code, LANE, X86_R9);
    if (e->few == 1)
        return;
    x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_R9));
    x86_integer_number(code, X86_SUB, true, X86_R8, 1);
    x86_integer(code, X86_AND, true, X86_R9, x86_reg(X86_R8)); /* the second one's bit */
    x86_find_one(code, LANE_2, X86_R9);
}

void emit_begin_few(struct emitter *e)
{
    struct x86_code *code = &e->code;
    code->narrow = true;
    emit_number_few(e);
    x86_vector(&e->code, VMOVD, T0, 0, FIELD(mask));
    if (e->few == 1) {
        x86_vector(&e->code, VPBROADCASTD, T1, 0, x86_reg(T0));
        x86_vector(&e->code, VMOVDQU_TO, T1, 0, emit_bits_of_few(false));
        x86_vector(&e->code, VMOVDQU_TO, T1, 0, emit_bits_of_few(true));
        return;
    }
    x86_vector(&e->code, VMOVD, T1, 0, x86_reg(X86_R9));
    x86_vector(&e->code, VPXOR, T0, T0, x86_reg(T1));
    x86_vector(&e->code, VPUNPCKLDQ, T0, T0, x86_reg(T1));
    x86_vector(&e->code, VMOVDQU_TO, T0, 0, emit_bits_of_few(false));
    x86_vector_number(code, VPSHUFD, T0, 0, x86_reg(T0), 0x50); /* each one twice */
    x86_vector(&e->code, VMOVDQU_TO, T0, 0, emit_bits_of_few(true));
}

void emit_test_any(struct emitter *e, unsigned reg, bool wide)
{
    const unsigned bytes = e->few * (wide ? 8 : 4);
    const uint64_t ones[4] = {bytes == 4 ? UINT32_MAX : UINT64_MAX, bytes == 16 ? UINT64_MAX : 0};
    x86_vector(&e->code, VPTEST, reg, 0,
               e->few ? x86_literal(&e->code, ones, sizeof ones) : x86_reg(reg));
}

void emit_signs_of_few(struct emitter *e, bool wide)
{
    if (e->few > 1) {
        x86_vector(&e->code, VPAND, T0, T0, emit_bits_of_few(wide));
        x86_vector_number(&e->code, VPSHUFD, T1, 0, x86_reg(T0), wide ? 2 : 1);
        x86_vector(&e->code, VPOR, T0, T0, x86_reg(T1));
    }
    x86_vector(&e->code, VMOVD_TO, T0, 0, x86_reg(X86_AX));
}
