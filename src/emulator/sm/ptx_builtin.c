/* PTX: functions that the driver provides, and those that nobody does (docs/ptx.md). */
#include "emulator/sm/ptx_image.h"

PTX_EXECUTOR(ptx_op_builtin)
{
    const struct ptx_op *o = u->ptx;
    const uint32_t lanes = ptx_lanes(w, o);
    uint32_t index;
    if (!lanes)
        return sm_next(w, u);
    const struct sm_ptx *image = ptx_image_at(w->device, sm_pc_of(w, u), &index);
    assert(image);
    const struct ptx_function_info *f = &image->function[o->offset];
    return sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, lanes, 0,
                    "a call of %.*s, which is defined nowhere", (int)f->name.length, f->name.at);
}
