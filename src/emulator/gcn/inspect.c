/* The debuggers' view of a wave: its registers, and memory as one of its lanes sees it. */
#include "emulator/gcn/watch.h"

#include <string.h>

/* ---- registers ---- */

static struct gcn_wave *wave_of(struct gcn_device *d, uint32_t wave)
{
    return wave < d->machine.waves && d->wave[wave].active ? &d->wave[wave] : NULL;
}

bool gcn_wave_scalar(struct gcn_device *device, uint32_t wave, unsigned number, uint32_t *value)
{
    const struct gcn_wave *w = wave_of(device, wave);
    if (!w || number >= GCN_SCALARS)
        return false;
    *value = w->s[number];
    return true;
}

bool gcn_wave_hwreg(struct gcn_device *device, uint32_t wave, unsigned id, uint32_t *value)
{
    struct gcn_wave *w = wave_of(device, wave);
    return w && gcn_hwreg_read(w, id, value);
}

static const struct {
    unsigned number, operand;
    unsigned bytes;
} scalars[] = {
    {GCN_REGISTER_EXEC, GCN_EXEC, 8},
    {GCN_REGISTER_VCC, GCN_VCC, 8},
    {GCN_REGISTER_FLAT_SCRATCH, GCN_FLAT_SCRATCH, 8},
    {GCN_REGISTER_XNACK_MASK, GCN_XNACK_MASK, 8},
    {GCN_REGISTER_M0, GCN_M0, 4},
    {GCN_REGISTER_RA, 30, 8},
    {GCN_REGISTER_SP, 32, 4},
    {GCN_REGISTER_FP, 33, 4},
};

/* The operand number of an SGPR or a trap temporary; GCN_SCALARS if it is neither. */
static unsigned scalar_operand(unsigned number)
{
    if (number - GCN_REGISTER_S0 < 64)
        return number - GCN_REGISTER_S0;
    if (number - GCN_REGISTER_S64 < GCN_VCC - 64)
        return 64 + number - GCN_REGISTER_S64;
    if (number - GCN_REGISTER_TTMP0 < 16)
        return GCN_TTMP + number - GCN_REGISTER_TTMP0;
    return GCN_SCALARS;
}

/* The id by which s_getreg knows a hardware register; 0 if it is none. */
static unsigned hardware_id(unsigned number)
{
    switch (number) {
    case GCN_REGISTER_MODE:
        return 1;
    case GCN_REGISTER_STATUS:
        return 2;
    case GCN_REGISTER_TRAPSTS:
        return 3;
    default:
        return 0;
    }
}

/* The row of a vector register; GCN_MOST_ROWS: it is none of the model. */
static unsigned row_of(const struct gcn_model *model, unsigned number)
{
    return number - GCN_REGISTER_V0 < model->vgprs   ? number - GCN_REGISTER_V0
           : number - GCN_REGISTER_A0 < model->agprs ? GCN_AGPR + number - GCN_REGISTER_A0
                                                     : GCN_MOST_ROWS;
}

bool gcn_describe_register(struct wt_machine *m, unsigned number, struct wt_register_shape *reg)
{
    *reg = (struct wt_register_shape){.bytes = 4};
    if (row_of(gcn_model_of((struct gcn_device *)m), number) < GCN_MOST_ROWS) {
        reg->per_lane = true;
        return true;
    }
    if (number == GCN_REGISTER_PC) {
        reg->bytes = 8;
        return true;
    }
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        if (scalars[i].number == number) {
            reg->bytes = scalars[i].bytes;
            return true;
        }
    }
    return scalar_operand(number) < GCN_SCALARS || hardware_id(number) ||
           number == GCN_REGISTER_FRAME_LANES;
}

bool gcn_read_row(struct wt_machine *m, uint32_t wave, unsigned number, void *out)
{
    struct gcn_wave *w = wave_of((struct gcn_device *)m, wave);
    uint32_t value;
    assert(wave < m->waves);
    if (!w)
        return false;
    const unsigned row = row_of(gcn_model_of(w->device), number), operand = scalar_operand(number);
    if (row < GCN_MOST_ROWS) {
        if (!gcn_has_row(w, row))
            return false;
        memcpy(out, w->v[row], sizeof *w->v);
        return true;
    }
    if (number == GCN_REGISTER_PC) {
        wt_store_le(out, w->pc, 8);
        return true;
    }
    if (number == GCN_REGISTER_FLAT_SCRATCH) {
        wt_store_le(out, gcn_flat_scratch(w), 8);
        return true;
    }
    if (number == GCN_REGISTER_FRAME_LANES) {
        wt_store_le(out, gcn_frame_lanes(w), 4);
        return true;
    }
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        if (scalars[i].number != number)
            continue;
        memcpy(out, &w->s[scalars[i].operand], scalars[i].bytes);
        return true;
    }
    if (operand < GCN_SCALARS)
        value = w->s[operand];
    else if (!hardware_id(number) || !gcn_hwreg_read(w, hardware_id(number), &value))
        return false;
    wt_store_le(out, value, 4);
    return true;
}

/* ---- memory as a lane sees it ---- */

/* In a data share, in the area of the driver's debugger, or in memory: private memory has one dword
 * of each lane in turn. */
static bool find_piece(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                       struct wt_mapped_piece *piece)
{
    struct gcn_device *d = (struct gcn_device *)m;
    const struct gcn_wave *w = wave_of(d, wave);
    uint64_t offset = addr - GCN_REGION_APERTURE, room;
    if (offset < gcn_model_of(d)->gds_bytes) {
        piece->host = d->gds + offset;
        room = gcn_model_of(d)->gds_bytes - offset;
    } else if ((offset = addr - GCN_SHARED_APERTURE) < GCN_APERTURE_SIZE) {
        if (!w || offset >= w->group->local_size)
            return false;
        piece->host = w->group->local + offset;
        room = w->group->local_size - offset;
    } else if ((offset = addr - GCN_PRIVATE_APERTURE) < GCN_APERTURE_SIZE) {
        if (!w || lane >= GCN_LANES || !gcn_private_home(w, &piece->addr))
            return false;
        piece->addr += offset / 4 * 4 * gcn_lanes_of(w) + lane * 4u + offset % 4;
        room = 4 - offset % 4;
        piece->step = 4;
    } else if ((piece->host = gcn_kfd_area_at(d, addr, &room)) == NULL) {
        room = addr < GCN_SHARED_APERTURE ? GCN_SHARED_APERTURE - addr : 0;
    }
    if (piece->size > room)
        piece->size = (size_t)room;
    return room > 0 && (piece->host || gcn_is_there(d, piece->addr, piece->size));
}

static const uint64_t bounds[] = {
    GCN_SHARED_APERTURE,  GCN_SHARED_APERTURE + GCN_APERTURE_SIZE,
    GCN_PRIVATE_APERTURE, GCN_PRIVATE_APERTURE + GCN_APERTURE_SIZE,
    GCN_REGION_APERTURE,  GCN_REGION_APERTURE + GCN_MOST_GDS,
};

const struct wt_address_map gcn_address_map = {.piece = find_piece,
                                               .bound = bounds,
                                               .bounds = sizeof bounds / sizeof bounds[0],
                                               .watch = gcn_watch_part};
