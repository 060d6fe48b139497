/*
 * The registers of AMD's debug hardware on the register bus: where they are, and their tables.
 * debug.h has what reads and writes them, and the sources.
 */
#ifndef WT_EMULATOR_GCN_BUS_H
#define WT_EMULATOR_GCN_BUS_H

#include "base/hw_registers.h"

/** Word addresses of registers on the bus: the register's MMIO byte address divided by 4. Those of
 * gfx10 are at the same places, but for the trap handler's. */
enum gcn_debug_register {
    GCN_GRBM_GFX_CNTL = 0x2022,
    GCN_SQ_DEBUG_STS_GLOBAL = 0x2309,
    GCN_SQ_SHADER_TBA_LO_GFX10 = 0x2312, /**< likewise, on gfx10 */
    GCN_SQ_SHADER_TBA_LO = 0x231c,       /**< then TBA_HI, TMA_LO, TMA_HI */
    GCN_SQ_SHADER_TBA_HI = 0x231d,
    GCN_SQ_SHADER_TMA_LO = 0x231e,
    GCN_SQ_SHADER_TMA_HI = 0x231f,
    GCN_SQ_IND_INDEX = 0x2378,
    GCN_SQ_IND_DATA = 0x2379,
    GCN_SQ_CMD = 0x237b,
    GCN_SPI_GDBG_WAVE_CNTL = 0x31d1,
    GCN_SPI_GDBG_TRAP_CONFIG = 0x31d2,
    GCN_SPI_GDBG_TRAP_MASK = 0x31d3,
    GCN_SPI_GDBG_WAVE_CNTL2 = 0x31d4,
    GCN_SPI_GDBG_TRAP_DATA0 = 0x31d8,
    GCN_SPI_GDBG_TRAP_DATA1 = 0x31d9,
    GCN_TCP_WATCH0_ADDR_H = 0x32a0, /**< watch n: + 3 * n for ADDR_H, then ADDR_L, CNTL */
    GCN_TCP_WATCH0_ADDR_L = 0x32a1,
    GCN_TCP_WATCH0_CNTL = 0x32a2,
    GCN_GRBM_GFX_INDEX = 0xc200,
};

/** Address watches of a device. */
#define GCN_WATCHES 4

/** All of gfx9 with their fields; the wave's registers behind SQ_IND_INDEX; the layouts of
 * TTMP1:TTMP0 at a trap, of the SQ's interrupt words, and of the driver's wave message. */
extern const struct wt_hw_table gcn_register_table;
/** Likewise of gfx10. */
extern const struct wt_hw_table gcn_register_table_gfx10;

#endif
