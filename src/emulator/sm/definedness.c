/* Definedness: values of registers, those that a launch leaves without one, lanes of exchanges. */
#include "emulator/sm/operands.h"

#include "emulator/machine/operands.h"
#include "emulator/sm/ptx/image.h"

bool sm_read_cell(struct wt_machine *m, uint32_t wave, unsigned file, uint64_t cell,
                  uint32_t *value)
{
    const struct sm_warp *w = &((const struct sm_device *)m)->warp[wave];
    const uint32_t flags[] = {w->z, w->s, w->carry, w->o};
    const uint64_t rows = w->room < SM_ROWS ? SM_ROWS : w->room;
    *value = 0;
    if (file == SM_FILE_R && w->r && cell / SM_LANES < rows)
        *value = w->r[cell / SM_LANES][cell % SM_LANES];
    else if (file == SM_FILE_STATE && cell < SM_STATE_ZERO / 4)
        *value = w->p[cell];
    else if (file == SM_FILE_STATE && cell < SM_STATE_BARRIER / 4)
        *value = flags[cell - SM_STATE_ZERO / 4];
    else
        return false;
    return true;
}

/* PTX ISA, "Registers": "uninitialized"; a frame has a header, and places of its local memory. Of
 * machine code all registers, predicates and flags: drivers set none of them. */
size_t sm_unwritten(struct wt_machine *m, uint32_t wave, struct wt_unwritten *list)
{
    enum { FIRST = PTX_FIRST_ROW + PTX_PARAMETER_ROW };
    const struct sm_device *d = (const struct sm_device *)m;
    const struct sm_launch *l = &d->grid.launch;
    if (!d->grid.active)
        return 0;
    const bool ptx = l->rows;
    const uint32_t rows = !ptx                          ? l->registers
                          : l->rows > PTX_PARAMETER_ROW ? l->rows - PTX_PARAMETER_ROW
                                                        : 0;
    (void)wave;
    list[0] = (struct wt_unwritten){
        .file = SM_FILE_R, .first = ptx ? FIRST * PTX_ROW_BYTES : 0, .count = rows * PTX_ROW_BYTES};
    const uint32_t first = ptx ? SM_STATE_ZERO : 0;
    list[1] = (struct wt_unwritten){
        .file = SM_FILE_STATE, .first = first, .count = SM_STATE_BARRIER - first};
    return 2;
}

/* ---- lanes ---- */

enum { UP, DOWN, BUTTERFLY, INDEX }; /* PTX's; those of machine code are one further on */

/* The lane whose value lane i takes (PTX ISA, "shfl.sync"). */
static unsigned lane_of(unsigned how, unsigned i, uint32_t lane, uint32_t bound)
{
    const uint32_t b = lane & 31, c = bound & 31, segment = bound >> 8 & 31;
    const int least = (int)(i & segment), most = least | (int)(c & ~segment);
    const int from = how == UP          ? (int)(i - b)
                     : how == DOWN      ? (int)(i + b)
                     : how == BUTTERFLY ? (int)(i ^ b)
                                        : least | (int)(b & ~segment);
    return (how == UP ? from >= most : from <= most) ? (unsigned)from & 31 : i;
}

static bool of_word(const struct sm_warp *w, uint64_t pc, uint8_t *from)
{
    uint8_t bytes[8];
    if (!sm_device_read(w->device, pc, bytes, sizeof bytes))
        return false;
    const uint64_t word = wt_load_le(bytes, 8);
    struct sm_uop u;
    if (!sm_decode_uop(word, &u) || u.insn != SM_SHFL)
        return false;
    const uint32_t *lane = w->r[sm_bits(word, 20, 8)], *bound = w->r[sm_bits(word, 39, 8)];
    for (unsigned i = 0; i < SM_LANES; i++)
        from[i] = (uint8_t)lane_of((SM_FIELD(word, shfl30) + INDEX) % (INDEX + 1), i,
                                   sm_bit(word, 28) ? (uint32_t)sm_bits(word, 20, 5) : lane[i],
                                   sm_bit(word, 29) ? (uint32_t)sm_bits(word, 34, 13) : bound[i]);
    return true;
}

/* A lane that is no member, or that has ended, has no value: here it is 0. */
bool sm_lane_sources(struct wt_machine *m, uint32_t wave, uint64_t pc, uint8_t *from)
{
    const struct sm_device *d = (const struct sm_device *)m;
    const struct sm_warp *w = &d->warp[wave];
    uint32_t index;
    const struct sm_ptx *image = ptx_image_at(d, pc, &index);
    if (!image)
        return of_word(w, pc, from);
    const struct ptx_op *o = &image->op[index];
    if (o->run != ptx_op_shuffle)
        return false;
    const uint8_t *frame = ptx_frame(w);
    const uint32_t *lane = ptx_in(frame, &o->s[1]), *bound = ptx_in(frame, &o->s[2]),
                   *members = ptx_in(frame, &o->s[3]),
                   lanes = o->flag ? ptx_lanes_together(w, o) : ptx_lanes(w, o);
    for (unsigned i = 0; i < SM_LANES; i++) {
        const unsigned of = lane_of(o->how, i, lane[i], bound[i]);
        from[i] = o->flag && !((members[i] & lanes) >> of & 1) ? WT_ZERO_LANE : (uint8_t)of;
    }
    return true;
}
