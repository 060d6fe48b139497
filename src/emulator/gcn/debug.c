/*
 * The debug registers on the register bus: GRBM selects a compute unit, the SQ's index and data
 * registers reach the registers of one wave in it. See debug.h.
 */
#include "emulator/gcn/internal.h"

#include <string.h>

/* Indices behind SQ_IND_INDEX (linux gc_9_0 header: ixSQ_WAVE_…, SQIND_WAVE_SGPRS_OFFSET,
 * SQIND_WAVE_VGPRS_OFFSET). Those of hardware registers are in the order of s_getreg's ids. */
enum {
    IND_DEBUG_STS_LOCAL = 0x08,
    IND_MODE = 0x11,
    IND_IB_STS = 0x17,
    IND_PC_LO = 0x18,
    IND_PC_HI = 0x19,
    IND_INST_DW0 = 0x1a,
    IND_INST_DW1 = 0x1b,
    IND_FLUSH_IB = 0x1e,
    IND_SGPR = 0x200,
    IND_VGPR = 0x400,
};
/* The SQ's answer if there is nothing to read. */
#define NOTHING 0xbebebeefu
#define INDEX_AUTO_INCR (1u << 12)

/* ---- the wave that SQ_IND_INDEX names ---- */

/* The first compute unit that GRBM_GFX_INDEX selects: reads come from one even where writes go to
 * all. UINT32_MAX if there is no such place. */
static uint32_t indexed_slot(const struct gcn_device *d)
{
    for (uint32_t i = 0; i < d->machine.waves; i += gcn_cu_waves(d)) {
        struct gcn_location at = gcn_wave_location(d, i);
        if (!gcn_selected(d, &at))
            continue;
        at.wave = d->debug.ind_index & 15;
        at.simd = d->debug.ind_index >> 4 & 3;
        return gcn_wave_at(d, &at);
    }
    return UINT32_MAX;
}

static uint32_t instruction(struct gcn_wave *w, unsigned dword)
{
    uint8_t bytes[4];
    return gcn_device_read(w->device, w->pc + 4 * dword, bytes, 4) ? (uint32_t)wt_load_le(bytes, 4)
                                                                   : NOTHING;
}

/* SQ_DEBUG_STS_LOCAL: BUSY, and in WAVE_LEVEL how many waves the compute unit has. */
static uint32_t unit_status(const struct gcn_device *d, uint32_t slot)
{
    const uint32_t waves = wt_count_ones(d->machine.groups.room[slot / gcn_cu_waves(d)].waves);
    return (waves ? 1u : 0u) | waves << 4;
}

static uint32_t read_indexed(struct gcn_device *d)
{
    const uint32_t slot = indexed_slot(d), index = d->debug.ind_index >> 16;
    const unsigned lane = d->debug.ind_index >> 6 & 63;
    uint32_t value;
    if (slot == UINT32_MAX)
        return NOTHING;
    struct gcn_wave *w = &d->wave[slot];
    if (index == IND_DEBUG_STS_LOCAL)
        return unit_status(d, slot);
    if (!w->active) /* STATUS.VALID is clear */
        return index == IND_MODE + 1 ? 0 : NOTHING;
    if (index >= IND_MODE && index <= IND_IB_STS)
        return gcn_hwreg_read(w, index - IND_MODE + 1, &value) ? value : NOTHING;
    if (index == IND_PC_LO || index == IND_PC_HI)
        return (uint32_t)(w->pc >> (index == IND_PC_HI ? 32 : 0));
    if (index == IND_INST_DW0 || index == IND_INST_DW1)
        return instruction(w, index - IND_INST_DW0);
    if (index > IND_INST_DW1 && index <= IND_FLUSH_IB)
        return 0; /* the instruction buffer's internal state: there is none here */
    if (index - IND_SGPR < GCN_SCALARS)
        return w->s[index - IND_SGPR];
    if (gcn_has_row(w, index - IND_VGPR))
        return w->v[index - IND_VGPR][lane];
    return NOTHING;
}

static void write_indexed(struct gcn_device *d, uint32_t value)
{
    const uint32_t slot = indexed_slot(d), index = d->debug.ind_index >> 16;
    const unsigned lane = d->debug.ind_index >> 6 & 63;
    if (slot == UINT32_MAX || !d->wave[slot].active)
        return;
    struct gcn_wave *w = &d->wave[slot];
    const uint32_t before = w->trapsts;
    if (index >= IND_MODE && index <= IND_IB_STS) {
        gcn_hwreg_write(w, index - IND_MODE + 1, value, UINT32_MAX, true);
        gcn_update_ready(w);
        if (gcn_calls_for_trap(w, w->trapsts & ~before))
            gcn_trap_from_outside(w, 0);
    } else if (index == IND_PC_LO) {
        w->pc = (w->pc & ~(uint64_t)UINT32_MAX) | (value & ~3u);
    } else if (index == IND_PC_HI) {
        w->pc = (w->pc & UINT32_MAX) | (uint64_t)(value & 0xffff) << 32;
    } else if (index - IND_SGPR < GCN_SCALARS) {
        w->s[index - IND_SGPR] = value;
    } else if (gcn_has_row(w, index - IND_VGPR)) {
        w->v[index - IND_VGPR][lane] = value;
    }
}

static void next_index(struct gcn_device *d)
{
    if (d->debug.ind_index & INDEX_AUTO_INCR)
        d->debug.ind_index += 1u << 16;
}

/* ---- plain registers ---- */

/* The location of a register's value, and its bits; NULL if it is none of these registers. */
static uint32_t *plain(struct gcn_debug *debug, uint32_t addr, uint32_t *bits)
{
    *bits = UINT32_MAX;
    if (addr - GCN_TCP_WATCH0_ADDR_H < 3 * GCN_WATCHES) {
        const unsigned n = (addr - GCN_TCP_WATCH0_ADDR_H) / 3;
        switch ((addr - GCN_TCP_WATCH0_ADDR_H) % 3) {
        case 0:
            *bits = 0xffff;
            return &debug->watch[n].high;
        case 1:
            *bits = ~0x3fu;
            return &debug->watch[n].low;
        default:
            return &debug->watch[n].cntl;
        }
    }
    switch (addr) {
    case GCN_GRBM_GFX_CNTL:
        *bits = 0x7ff;
        return &debug->gfx_cntl;
    case GCN_GRBM_GFX_INDEX:
        *bits = 0xe0ffffff;
        return &debug->gfx_index;
    case GCN_SQ_IND_INDEX:
        return &debug->ind_index;
    case GCN_SPI_GDBG_WAVE_CNTL:
        *bits = 0x1ffff;
        return &debug->wave_cntl;
    case GCN_SPI_GDBG_TRAP_CONFIG:
        *bits = 0xffff83ff;
        return &debug->trap_config;
    case GCN_SPI_GDBG_TRAP_MASK:
        *bits = 0x3ff;
        return &debug->trap_mask;
    case GCN_SPI_GDBG_WAVE_CNTL2:
        *bits = 0x3ffff;
        return &debug->wave_cntl2;
    case GCN_SPI_GDBG_TRAP_DATA0:
        return &debug->trap_data[0];
    case GCN_SPI_GDBG_TRAP_DATA1:
        return &debug->trap_data[1];
    default:
        return NULL;
    }
}

/* SQ_SHADER_TBA and TMA hold addresses shifted right by 8. */
static void write_handler(struct gcn_device *d, uint32_t addr, uint32_t value)
{
    uint64_t *at = addr <= GCN_SQ_SHADER_TBA_HI ? &d->tba : &d->tma;
    const bool high = addr == GCN_SQ_SHADER_TBA_HI || addr == GCN_SQ_SHADER_TMA_HI;
    const uint64_t shifted = *at >> 8;
    *at = (high ? (shifted & UINT32_MAX) | (uint64_t)(value & 0xff) << 32
                : (shifted & ~(uint64_t)UINT32_MAX) | value)
          << 8;
}

static uint32_t read_handler(const struct gcn_device *d, uint32_t addr)
{
    const uint64_t at = addr <= GCN_SQ_SHADER_TBA_HI ? d->tba : d->tma;
    const bool high = addr == GCN_SQ_SHADER_TBA_HI || addr == GCN_SQ_SHADER_TMA_HI;
    return (uint32_t)(at >> (high ? 40 : 8)) & (high ? 0xff : UINT32_MAX);
}

/* BUSY, and how many waves each array of the selected shader engine has. */
static uint32_t global_status(const struct gcn_device *d)
{
    uint32_t level[2] = {0};
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const struct gcn_location at = gcn_wave_location(d, i);
        if (d->wave[i].active && gcn_selected(d, &at))
            level[at.sh]++;
    }
    return (level[0] + level[1] ? 1u : 0u) | level[0] << 4 | level[1] << 16;
}

uint32_t gcn_debug_read(struct gcn_device *d, uint32_t addr)
{
    assert(!d->machine.in_turn);
    uint32_t bits, value;
    const uint32_t *at = plain(&d->debug, addr, &bits);
    if (at)
        return *at;
    if (addr - GCN_SQ_SHADER_TBA_LO < 4)
        return read_handler(d, addr);
    switch (addr) {
    case GCN_SQ_IND_DATA:
        value = read_indexed(d);
        next_index(d);
        return value;
    case GCN_SQ_DEBUG_STS_GLOBAL:
        return global_status(d);
    default:
        return 0;
    }
}

void gcn_debug_write(struct gcn_device *d, uint32_t addr, uint32_t value)
{
    assert(!d->machine.in_turn);
    uint32_t bits;
    uint32_t *at = plain(&d->debug, addr, &bits);
    if (at) {
        *at = value & bits;
        if (addr - GCN_TCP_WATCH0_ADDR_H < 3 * GCN_WATCHES)
            gcn_address_watch_changed(d);
        else if (addr == GCN_SPI_GDBG_WAVE_CNTL)
            gcn_dispatch_pump(d); /* what was stalled may start */
    } else if (addr - GCN_SQ_SHADER_TBA_LO < 4) {
        write_handler(d, addr, value);
    } else if (addr == GCN_SQ_CMD) {
        gcn_sq_command(d, value);
    } else if (addr == GCN_SQ_IND_DATA) {
        write_indexed(d, value);
        next_index(d);
    }
}
