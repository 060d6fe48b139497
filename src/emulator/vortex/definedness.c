/* Definedness: values of registers, those that a start leaves without one, lanes of exchanges. */
#include "base/bits.h"
#include "emulator/machine/operands.h"
#include "emulator/vortex/internal.h"
#include "emulator/vortex/isa.h"
#include "emulator/vortex/operands.h"
#include "emulator/vortex/trace.h"

bool vx_read_cell(struct wt_machine *m, uint32_t wave, unsigned file, uint64_t cell,
                  uint32_t *value)
{
    const struct vx_warp *w = (const struct vx_warp *)wt_machine_wave(m, wave);
    const unsigned bytes = w->device->config.xlen / 8;
    const size_t at = cell / 2;
    const bool upper = cell % 2;
    *value = 0;
    if (file > VX_FILE_F || at >= (size_t)32 * m->lanes)
        return false;
    if (file == VX_FILE_F)
        *value = (uint32_t)(w->f[at] >> (upper ? 32 : 0));
    else if (!upper || bytes == 8)
        *value = (uint32_t)wt_load_le(w->x + bytes * at + (upper ? 4 : 0), 4);
    return true;
}

/* The ISA does not say what registers have after a reset, and no start-up code sets all of them. */
size_t vx_unwritten(struct wt_machine *m, uint32_t wave, struct wt_unwritten *list)
{
    (void)m, (void)wave;
    list[0] = (struct wt_unwritten){.file = VX_FILE_X, .first = 1, .count = 31};
    list[1] = (struct wt_unwritten){.file = VX_FILE_F, .first = 0, .count = 32};
    return 2;
}

/* The fields of the second source: exec.c, shuffle(). */
bool vx_lane_sources(struct wt_machine *m, uint32_t wave, uint64_t pc, uint8_t *from)
{
    const struct vx_warp *w = (const struct vx_warp *)wt_machine_wave(m, wave);
    const uint32_t word = vx_fetch_word(w->device, pc);
    const enum vx_insn_id id = vx_insn_find(word, w->device->config.xlen);
    const unsigned bytes = w->device->config.xlen / 8;
    const uint8_t *row = w->x + bytes * wt_field(word, 24, 20) * m->lanes;
    if (id < VX_INSN_shfl_up || id > VX_INSN_shfl_idx)
        return false;
    for (unsigned l = 0; l < m->lanes; l++) {
        const uint32_t how = (uint32_t)wt_load_le(row + bytes * l, 4);
        const int b = how & 63, c = how >> 6 & 63, segment = how >> 12 & 63;
        const int lane = l & 63, high = (int)(l & ~63u), least = lane & segment,
                  most = least | (c & ~segment);
        const int of = id == VX_INSN_shfl_up     ? lane - b
                       : id == VX_INSN_shfl_down ? lane + b
                       : id == VX_INSN_shfl_bfly ? lane ^ b
                                                 : least | (b & ~segment);
        const bool inside = (id == VX_INSN_shfl_up ? of >= least : of <= most) && of >= 0 &&
                            of + high < (int)m->lanes;
        from[l] = (uint8_t)(inside ? of + high : (int)l);
    }
    return true;
}
