/* Values that instructions store: those of their operands, as registers have them. */
#ifndef WT_CHECK_VALUES_H
#define WT_CHECK_VALUES_H

#include "emulator/machine/operands.h"

struct wt_machine;

/** The bit of its file, of @p files, at which bit @p from of a lane's value is (of rows that lanes
 * share: of value @p element of them); *room: how many lie behind it in one piece. @p lanes: of a
 * wave. */
static inline uint64_t wt_operand_bit(const struct wt_operand_file *files, unsigned lanes,
                                      const struct wt_insn_operand *o, unsigned lane,
                                      unsigned element, unsigned from, unsigned *room)
{
    const struct wt_operand_file *f = &files[o->file];
    const unsigned at = o->first + from;
    if (f->per_lane) {
        const unsigned within = at % f->bits;
        *room = f->bits - within;
        return ((uint64_t)(o->number + at / f->bits) * lanes + lane) * f->bits + within;
    }
    *room = 64;
    const uint64_t bit = (uint64_t)o->number * f->bits + at;
    if (o->by_lane)
        return bit + lane;
    if (o->kind != WT_OPERAND_ROW)
        return bit;
    const unsigned row = o->row ? o->row : WT_MAX_LANES;
    return bit + (uint64_t)(element / row) * o->row_step + (uint64_t)(element % row) * o->step;
}

/** Where a store has its data from. */
struct wt_stored {
    enum {
        WT_STORED_UNTOLD,
        WT_STORED_SAME, /**< all lanes store one value */
        WT_STORED_ROW   /**< `from` has it, from its lowest byte on */
    } kind;
    unsigned first_lane;
    struct wt_insn_operand from;
};

/** Where the store at @p pc of wave @p wave, of @p size bytes, has its data from. UNTOLD where that
 * is not one operand of this size. */
struct wt_stored wt_stored_by(struct wt_machine *m, uint32_t wave, uint64_t pc, unsigned size);
/** Byte @p at, below that size, of what a lane stores, of a ROW; the wave's registers are as the
 * store has left them. */
uint8_t wt_stored_byte(struct wt_machine *m, uint32_t wave, const struct wt_stored *stored,
                       unsigned lane, unsigned at);

#endif
