/* See values.h. */
#include "check/values.h"

#include "emulator/machine/machine.h"

struct wt_stored wt_stored_by(struct wt_machine *m, uint32_t wave, uint64_t pc, unsigned size)
{
    struct wt_insn_operands all;
    struct wt_stored s = {.kind = WT_STORED_UNTOLD};
    unsigned constants = 0, registers = 0;
    if (!m->ops->operands(m, wave, pc, &all) || all.operation != WT_DOES_STORE || all.incomplete ||
        all.then == WT_DOES_UNTOLD)
        return s;
    for (unsigned i = 0; i < all.count; i++) {
        const struct wt_insn_operand *o = &all.list[i];
        const bool is_register = o->kind <= WT_OPERAND_SCALAR;
        if (o->aside || o->guards || !o->reads || o->kind == WT_OPERAND_MEMORY)
            continue;
        constants += !is_register;
        registers += is_register;
        s.from = is_register ? *o : s.from;
    }
    const unsigned of_file = m->ops->operand_files[s.from.file].bits,
                   bits = s.from.bits ? s.from.bits : of_file;
    if (!registers && constants == 1)
        s.kind = WT_STORED_SAME;
    if (registers != 1 || !of_file || s.from.crosses || s.from.inverted ||
        (all.element ? all.element != size || s.from.value : bits != 8 * size))
        return s;
    s.kind = s.from.kind == WT_OPERAND_SCALAR || s.from.whose != WT_LANE_OWN ? WT_STORED_SAME
                                                                             : WT_STORED_ROW;
    s.first_lane = all.first_lane;
    return s;
}

uint8_t wt_stored_byte(struct wt_machine *m, uint32_t wave, const struct wt_stored *stored,
                       unsigned lane, unsigned at)
{
    unsigned room;
    uint32_t value = 0;
    const uint64_t bit = wt_operand_bit(m->ops->operand_files, m->lanes, &stored->from, lane,
                                        lane - stored->first_lane, 8 * at, &room);
    m->ops->read_cell(m, wave, stored->from.file, bit / 32, &value);
    return (uint8_t)(value >> bit % 32);
}
