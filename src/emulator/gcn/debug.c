/*
 * The debug registers on the register bus: GRBM selects a compute unit, the SQ's index and data
 * registers reach the registers of one wave in it. See debug.h.
 */
#include "emulator/gcn/internal.h"

#include <string.h>

/* Indices behind SQ_IND_INDEX (linux gc_9_0 header: ixSQ_WAVE_…, SQIND_WAVE_SGPRS_OFFSET,
 * SQIND_WAVE_VGPRS_OFFSET; from 0x100 on those of the gc_10_3_0 header). Those of hardware
 * registers are in the order of s_getreg's ids. */
enum {
    IND_DEBUG_STS_LOCAL = 0x08,
    IND_ACTIVE = 0x0a, /* gfx10 */
    IND_HWREG = 0x10,
    IND_HWREG_GFX10 = 0x100,
    IND_SGPR = 0x200,
    IND_VGPR = 0x400,
};

/* Registers behind those indices, by their distance from IND_HWREG. */
enum { AT_MODE = 1, AT_STATUS = 2, AT_IB_STS = 7, AT_PC_LO, AT_PC_HI, AT_INST_DW0, AT_INST_DW1 };
enum { AT_FLUSH_IB = 0x0e, AT_LAST_GFX10 = 0x1d };
/* The SQ's answer if there is nothing to read. */
#define NOTHING 0xbebebeefu

/* ---- SQ_IND_INDEX ---- */

static bool is_gfx10(const struct gcn_device *d)
{
    return gcn_is_gfx10(gcn_model_of(d));
}

/* The lane, for vector registers. */
static unsigned lane_of(const struct gcn_device *d)
{
    return d->debug.ind_index >> (is_gfx10(d) ? 5 : 6) & 63;
}

static void next_index(struct gcn_device *d)
{
    if (d->debug.ind_index >> (is_gfx10(d) ? 11 : 12) & 1)
        d->debug.ind_index += 1u << 16;
}

/* The distance of a hardware register's index from the first one's; 0: it is none. */
static unsigned hardware_register(const struct gcn_device *d, uint32_t index)
{
    const uint32_t at = index - (is_gfx10(d) ? IND_HWREG_GFX10 : IND_HWREG);
    return at <= (is_gfx10(d) ? AT_LAST_GFX10 : AT_FLUSH_IB) ? at : 0;
}

/* Whether it is one that s_getreg has by that number. */
static bool by_number(const struct gcn_device *d, unsigned at)
{
    return at >= AT_MODE && (at <= AT_IB_STS || (is_gfx10(d) && at > AT_FLUSH_IB));
}

/* ---- the wave that SQ_IND_INDEX names ---- */

/* A wave of the first compute unit (gfx10: SIMD) that GRBM_GFX_INDEX selects: reads come from one
 * even where writes go to all. UINT32_MAX if there is no such place. */
static uint32_t indexed_slot(const struct gcn_device *d)
{
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        struct gcn_location at = gcn_wave_location(d, i);
        if (at.wave || !gcn_selected(d, &at))
            continue;
        at.wave = d->debug.ind_index & (is_gfx10(d) ? 31 : 15);
        if (!is_gfx10(d)) /* there GRBM_GFX_INDEX has it */
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

/* SQ_WAVE_ACTIVE: which slots of the wave's SIMD have a wave. */
static uint32_t active_slots(const struct gcn_device *d, uint32_t slot)
{
    struct gcn_location at = gcn_wave_location(d, slot);
    uint32_t active = 0;
    for (at.wave = 0; at.wave < gcn_model_of(d)->waves_per_simd; at.wave++)
        active |= (uint32_t)d->wave[gcn_wave_at(d, &at)].active << at.wave;
    return active;
}

/* A hardware register of an active wave. */
static uint32_t read_hardware(struct gcn_wave *w, unsigned at)
{
    uint32_t value;
    if (by_number(w->device, at))
        return gcn_hwreg_read(w, at, &value) ? value : NOTHING;
    if (at == AT_PC_LO || at == AT_PC_HI)
        return (uint32_t)(w->pc >> (at == AT_PC_HI ? 32 : 0));
    if (at == AT_INST_DW0 || (at == AT_INST_DW1 && !is_gfx10(w->device)))
        return instruction(w, at - AT_INST_DW0);
    return 0; /* the instruction buffer's internal state: there is none here */
}

static uint32_t read_indexed(struct gcn_device *d)
{
    const uint32_t slot = indexed_slot(d), index = d->debug.ind_index >> 16;
    const unsigned at = hardware_register(d, index);
    if (slot == UINT32_MAX)
        return NOTHING;
    struct gcn_wave *w = &d->wave[slot];
    if (index == IND_DEBUG_STS_LOCAL)
        return unit_status(d, slot);
    if (index == IND_ACTIVE && is_gfx10(d))
        return active_slots(d, slot);
    if (!w->active) /* STATUS.VALID is clear */
        return at == AT_STATUS ? 0 : NOTHING;
    if (at)
        return read_hardware(w, at);
    if (index - IND_SGPR < GCN_SCALARS)
        return w->s[index - IND_SGPR];
    if (gcn_has_row(w, index - IND_VGPR) && lane_of(d) < gcn_lanes_of(w))
        return w->v[index - IND_VGPR][lane_of(d)];
    return NOTHING;
}

static void write_indexed(struct gcn_device *d, uint32_t value)
{
    const uint32_t slot = indexed_slot(d), index = d->debug.ind_index >> 16;
    const unsigned at = hardware_register(d, index);
    if (slot == UINT32_MAX || !d->wave[slot].active)
        return;
    struct gcn_wave *w = &d->wave[slot];
    const uint32_t before = w->trapsts;
    if (by_number(d, at)) {
        gcn_hwreg_write(w, at, value, UINT32_MAX, true);
        gcn_update_ready(w);
        if (gcn_calls_for_trap(w, w->trapsts & ~before))
            gcn_trap_from_outside(w, 0);
    } else if (at == AT_PC_LO) {
        w->pc = (w->pc & ~(uint64_t)UINT32_MAX) | (value & ~3u);
    } else if (at == AT_PC_HI) {
        w->pc = (w->pc & UINT32_MAX) | (uint64_t)(value & 0xffff) << 32;
    } else if (index - IND_SGPR < GCN_SCALARS) {
        w->s[index - IND_SGPR] = value;
    } else if (gcn_has_row(w, index - IND_VGPR) && lane_of(d) < gcn_lanes_of(w)) {
        w->v[index - IND_VGPR][lane_of(d)] = value;
    }
}

/* ---- plain registers ---- */

static uint32_t *of_watch(struct gcn_device *d, unsigned n, uint32_t *bits)
{
    struct gcn_debug *debug = &d->debug;
    switch (n % 3) {
    case 0:
        *bits = 0xffff;
        return &debug->watch[n / 3].high;
    case 1:
        *bits = ~(uint32_t)(gcn_watch_block(d) - 1);
        return &debug->watch[n / 3].low;
    default:
        *bits = is_gfx10(d) ? 0xef7fffff : UINT32_MAX;
        return &debug->watch[n / 3].cntl;
    }
}

/* The location of a register's value, and its bits; NULL if it is none of these registers. */
static uint32_t *plain(struct gcn_device *d, uint32_t addr, uint32_t *bits)
{
    struct gcn_debug *debug = &d->debug;
    *bits = UINT32_MAX;
    if (addr - GCN_TCP_WATCH0_ADDR_H < 3 * GCN_WATCHES)
        return of_watch(d, addr - GCN_TCP_WATCH0_ADDR_H, bits);
    switch (addr) {
    case GCN_GRBM_GFX_CNTL:
        *bits = 0x7ff;
        return &debug->gfx_cntl;
    case GCN_GRBM_GFX_INDEX:
        *bits = 0xe0ffffff;
        return &debug->gfx_index;
    case GCN_SQ_IND_INDEX:
        *bits = is_gfx10(d) ? 0xffff0fff : UINT32_MAX;
        return &debug->ind_index;
    case GCN_SPI_GDBG_WAVE_CNTL:
        *bits = 0x1ffff;
        return &debug->wave_cntl;
    case GCN_SPI_GDBG_TRAP_CONFIG:
        *bits = 0xffff83ff;
        return is_gfx10(d) ? NULL : &debug->trap_config;
    case GCN_SPI_GDBG_TRAP_MASK:
        *bits = 0x3ff;
        return &debug->trap_mask;
    case GCN_SPI_GDBG_WAVE_CNTL2:
        *bits = 0x3ffff;
        return &debug->wave_cntl2;
    case GCN_SPI_GDBG_TRAP_DATA0:
        return is_gfx10(d) ? NULL : &debug->trap_data[0];
    case GCN_SPI_GDBG_TRAP_DATA1:
        return is_gfx10(d) ? NULL : &debug->trap_data[1];
    default:
        return NULL;
    }
}

const struct wt_hw_table *gcn_register_table_of(const struct gcn_model *model)
{
    return gcn_is_gfx10(model) ? &gcn_register_table_gfx10 : &gcn_register_table;
}

uint32_t gcn_handler_registers(const struct gcn_device *d)
{
    return is_gfx10(d) ? GCN_SQ_SHADER_TBA_LO_GFX10 : GCN_SQ_SHADER_TBA_LO;
}

/* In the order of the registers. */
enum { TBA_LO, TBA_HI, TMA_LO, TMA_HI, HANDLER_REGISTERS };
#define TBA_TRAP_EN (1u << 31) /* gfx10 */

/* SQ_SHADER_TBA and TMA hold addresses shifted right by 8. */
static void write_handler(struct gcn_device *d, unsigned which, uint32_t value)
{
    uint64_t *at = which <= TBA_HI ? &d->tba : &d->tma;
    const bool high = which == TBA_HI || which == TMA_HI;
    const uint64_t shifted = *at >> 8;
    if (is_gfx10(d) && which == TBA_HI && !(value & TBA_TRAP_EN)) {
        d->tba = 0;
        return;
    }
    *at = (high ? (shifted & UINT32_MAX) | (uint64_t)(value & 0xff) << 32
                : (shifted & ~(uint64_t)UINT32_MAX) | value)
          << 8;
}

static uint32_t read_handler(const struct gcn_device *d, unsigned which)
{
    const uint64_t at = which <= TBA_HI ? d->tba : d->tma;
    const bool high = which == TBA_HI || which == TMA_HI;
    const uint32_t enabled = is_gfx10(d) && which == TBA_HI && d->tba ? TBA_TRAP_EN : 0;
    return ((uint32_t)(at >> (high ? 40 : 8)) & (high ? 0xff : UINT32_MAX)) | enabled;
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
    const uint32_t *at = plain(d, addr, &bits);
    if (at)
        return *at;
    if (addr - gcn_handler_registers(d) < HANDLER_REGISTERS)
        return read_handler(d, addr - gcn_handler_registers(d));
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
    uint32_t *at = plain(d, addr, &bits);
    if (at) {
        *at = value & bits;
        if (addr - GCN_TCP_WATCH0_ADDR_H < 3 * GCN_WATCHES)
            gcn_address_watch_changed(d);
        else if (addr == GCN_SPI_GDBG_WAVE_CNTL)
            gcn_dispatch_pump(d); /* what was stalled may start */
    } else if (addr - gcn_handler_registers(d) < HANDLER_REGISTERS) {
        write_handler(d, addr - gcn_handler_registers(d), value);
    } else if (addr == GCN_SQ_CMD) {
        gcn_sq_command(d, value);
    } else if (addr == GCN_SQ_IND_DATA) {
        write_indexed(d, value);
        next_index(d);
    }
}
