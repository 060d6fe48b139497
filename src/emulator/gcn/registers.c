/*
 * The registers of gfx9's debug hardware as a table (linux gc_9_0_sh_mask.h; manual, section 3;
 * the wave message is amdkfd's HsaDbgWaveMsgAMDGen2). See debug.h.
 */
#include "emulator/gcn/models.h"
#include "emulator/gcn/registers.h"

#define WATCH_CNTL_FIELDS                                                                          \
    WT_HW_FIELD("MASK", 23, 0, RW, "address bits 29:6 that are compared; bit 0 is address bit 6"), \
        WT_HW_FIELD("VMID", 27, 24, RW, "waves of this VMID"),                                     \
        WT_HW_FIELD("ATC", 28, 28, RW, "no effect here: there is one translation of addresses"),   \
        WT_HW_FIELD("MODE", 30, 29, RW, "accesses: NONREAD is stores and atomics",                 \
                    .values = watch_modes),                                                        \
        WT_HW_FIELD("VALID", 31, 31, RW, "the watch is on")

#define WATCH(n)                                                                                   \
    WT_HW_REGISTER(GCN_TCP_WATCH0_ADDR_H + 3 * (n), "TCP_WATCH" #n "_ADDR_H", "address watch",     \
                   WT_HW_FIELD("ADDR", 15, 0, RW, "address bits 47:32")),                          \
        WT_HW_REGISTER(GCN_TCP_WATCH0_ADDR_L + 3 * (n), "TCP_WATCH" #n "_ADDR_L", "address watch", \
                       WT_HW_FIELD("ADDR", 31, 6, RW, "address bits 31:6")),                       \
        WT_HW_REGISTER(GCN_TCP_WATCH0_CNTL + 3 * (n), "TCP_WATCH" #n "_CNTL", "address watch",     \
                       WATCH_CNTL_FIELDS)

static const struct wt_hw_register registers[] = {
    GFX_CNTL_ROW,
    WT_HW_REGISTER(
        GCN_GRBM_GFX_INDEX, "GRBM_GFX_INDEX",
        "compute units that SQ registers mean; its reset value broadcasts",
        WT_HW_FIELD("INSTANCE_INDEX", 7, 0, RW, "compute unit within its shader array"),
        WT_HW_FIELD("SH_INDEX", 15, 8, RW, "shader array"),
        WT_HW_FIELD("SE_INDEX", 23, 16, RW, "shader engine"),
        WT_HW_FIELD("SH_BROADCAST_WRITES", 29, 29, RW, "all shader arrays; reads: the first"),
        WT_HW_FIELD("INSTANCE_BROADCAST_WRITES", 30, 30, RW, "all compute units; reads: the first"),
        WT_HW_FIELD("SE_BROADCAST_WRITES", 31, 31, RW, "all shader engines; reads: the first")),
    WT_HW_REGISTER(GCN_SQ_DEBUG_STS_GLOBAL, "SQ_DEBUG_STS_GLOBAL",
                   "waves of the selected compute units",
                   WT_HW_FIELD("BUSY", 0, 0, R, "a selected compute unit has waves"),
                   WT_HW_FIELD("WAVE_LEVEL_SH0", 15, 4, R, "waves of shader array 0"),
                   WT_HW_FIELD("WAVE_LEVEL_SH1", 27, 16, R, "waves of shader array 1")),
    WT_HW_REGISTER(GCN_SQ_SHADER_TBA_LO, "SQ_SHADER_TBA_LO",
                   "trap handler of waves that start from now on", ADDRESS_LOW_FIELD),
    WT_HW_REGISTER(GCN_SQ_SHADER_TBA_HI, "SQ_SHADER_TBA_HI", "trap handler", ADDRESS_HIGH_FIELD),
    WT_HW_REGISTER(GCN_SQ_SHADER_TMA_LO, "SQ_SHADER_TMA_LO", "memory of the trap handler",
                   ADDRESS_LOW_FIELD),
    WT_HW_REGISTER(GCN_SQ_SHADER_TMA_HI, "SQ_SHADER_TMA_HI", "memory of the trap handler",
                   ADDRESS_HIGH_FIELD),
    WT_HW_REGISTER(
        GCN_SQ_IND_INDEX, "SQ_IND_INDEX", "register of a wave that SQ_IND_DATA is",
        WT_HW_FIELD("WAVE_ID", 3, 0, RW, "wave slot of the SIMD"),
        WT_HW_FIELD("SIMD_ID", 5, 4, RW, "SIMD of the compute unit that GRBM_GFX_INDEX selects"),
        WT_HW_FIELD("THREAD_ID", 11, 6, RW, "lane, for vector registers"),
        WT_HW_FIELD("AUTO_INCR", 12, 12, RW, "each access of SQ_IND_DATA increments INDEX"),
        WT_HW_FIELD("FORCE_READ", 13, 13, RW, "no effect here: reads never wait for the wave"),
        WT_HW_FIELD("READ_TIMEOUT", 14, 14, RW, "no effect here"),
        WT_HW_FIELD("UNINDEXED", 15, 15, RW, "no effect here"), INDEX_FIELD),
    WT_HW_REGISTER(
        GCN_SQ_IND_DATA, "SQ_IND_DATA", "that register",
        WT_HW_FIELD("DATA", 31, 0, RW, "the register that SQ_IND_INDEX names; 0xbebebeef: none")),
    WT_HW_REGISTER(GCN_SQ_CMD, "SQ_CMD", "a command to waves; reads 0",
                   WT_HW_FIELD("CMD", 2, 0, W, "what the waves do", .values = commands),
                   WT_HW_FIELD("MODE", 6, 4, W,
                               "which waves of the compute units that GRBM_GFX_INDEX selects",
                               .values = modes),
                   WT_HW_FIELD("CHECK_VMID", 7, 7, W, "only waves of VM_ID"),
                   WT_HW_FIELD("DATA", 11, 8, W, "number of the trap, for TRAP"),
                   WT_HW_FIELD("WAVE_ID", 19, 16, W, "wave slot, for SINGLE"),
                   WT_HW_FIELD("SIMD_ID", 21, 20, W, "SIMD, for SINGLE"),
                   WT_HW_FIELD("QUEUE_ID", 26, 24, W, "queue, for BCAST_QUEUE"),
                   WT_HW_FIELD("VM_ID", 31, 28, W, "with CHECK_VMID")),
    LAUNCH_ROW,
    WT_HW_REGISTER(
        GCN_SPI_GDBG_TRAP_CONFIG, "SPI_GDBG_TRAP_CONFIG", "waves that SPI_GDBG_TRAP_MASK holds for",
        WT_HW_FIELD("ME_SEL", 1, 0, RW, "micro engine, with ME_MATCH"),
        WT_HW_FIELD("PIPE_SEL", 3, 2, RW, "pipe, with PIPE_MATCH"),
        WT_HW_FIELD("QUEUE_SEL", 6, 4, RW, "queue, with QUEUE_MATCH"),
        WT_HW_FIELD("ME_MATCH", 7, 7, RW, "only waves of ME_SEL"),
        WT_HW_FIELD("PIPE_MATCH", 8, 8, RW, "only waves of PIPE_SEL"),
        WT_HW_FIELD("QUEUE_MATCH", 9, 9, RW, "only waves of QUEUE_SEL"),
        WT_HW_FIELD("TRAP_EN", 15, 15, RW,
                    "SPI_GDBG_TRAP_MASK holds for the waves selected here only; 0: for all"),
        WT_HW_FIELD("VMID_SEL", 31, 16, RW, "waves of these VMIDs, a bit each")),
    LAUNCH_MODE_ROWS,
    WT_HW_REGISTER(GCN_SPI_GDBG_TRAP_DATA0, "SPI_GDBG_TRAP_DATA0", "data for trap handlers",
                   TRAP_DATA_FIELD),
    WT_HW_REGISTER(GCN_SPI_GDBG_TRAP_DATA1, "SPI_GDBG_TRAP_DATA1", "data for trap handlers",
                   TRAP_DATA_FIELD),
    WATCH(0),
    WATCH(1),
    WATCH(2),
    WATCH(3),
    WT_HW_INDIRECT(0x08, "SQ_DEBUG_STS_LOCAL", "waves of the compute unit",
                   WT_HW_FIELD("BUSY", 0, 0, R, "the compute unit has waves"),
                   WT_HW_FIELD("WAVE_LEVEL", 9, 4, R, "how many")),
    WT_HW_INDIRECT(0x11, "MODE", "arithmetic, exceptions, single step", MODE_FIELDS,
                   WT_HW_FIELD("DISABLE_PERF", 26, 26, RW, "no effect here"),
                   WT_HW_FIELD("GPR_IDX_EN", 27, 27, RW, "indexing of vector registers"),
                   WT_HW_FIELD("VSKIP", 28, 28, RW, "vector instructions are skipped"),
                   WT_HW_FIELD("CSP", 31, 29, RW, "entries of the fork stack")),
    WT_HW_INDIRECT(0x12, "STATUS", "state of the wave", STATUS_FIELDS,
                   WT_HW_FIELD("TTRACE_CU_EN", 15, 15, RW, "thread trace; no effect here"),
                   STATUS_FIELDS_16, WT_HW_FIELD("COND_DBG_USER", 20, 20, RW, "s_cbranch_cdbguser"),
                   WT_HW_FIELD("COND_DBG_SYS", 21, 21, RW, "s_cbranch_cdbgsys"),
                   WT_HW_FIELD("ALLOW_REPLAY", 22, 22, RW, "no effect here"), STATUS_FIELDS_23),
    WT_HW_INDIRECT(
        0x13, "TRAPSTS", "exceptions that were raised; set until software clears them",
        EXCEPTION_FIELDS,
        WT_HW_FIELD(
            "EXCP_CYCLE", 21, 16, RW,
            "when the first lane raised it: [1:0] which 16 lanes, [5:2] the pass of doubles"),
        WT_HW_FIELD("XNACK_ERROR", 28, 28, RW, "never set by this emulator"),
        WT_HW_FIELD("DP_RATE", 31, 29, RW, "rate that EXCP_CYCLE counts in: 4 for doubles")),
    WT_HW_INDIRECT(0x14, "HW_ID", "where the wave is",
                   WT_HW_FIELD("WAVE_ID", 3, 0, R, "wave slot of the SIMD"),
                   WT_HW_FIELD("SIMD_ID", 5, 4, R, "SIMD"),
                   WT_HW_FIELD("PIPE_ID", 7, 6, R, "pipe of the queue"),
                   WT_HW_FIELD("CU_ID", 11, 8, R, "compute unit within its shader array"),
                   WT_HW_FIELD("SH_ID", 12, 12, R, "shader array"),
                   WT_HW_FIELD("SE_ID", 15, 13, R, "shader engine"),
                   WT_HW_FIELD("TG_ID", 19, 16, R, "work-group of the compute unit"),
                   WT_HW_FIELD("VM_ID", 23, 20, R, "of its process"),
                   WT_HW_FIELD("QUEUE_ID", 26, 24, R, "queue of the pipe"),
                   WT_HW_FIELD("STATE_ID", 29, 27, R, "0 here"),
                   WT_HW_FIELD("ME_ID", 31, 30, R, "micro engine: 1")),
    WT_HW_INDIRECT(
        0x15, "GPR_ALLOC", "its registers",
        WT_HW_FIELD(
            "VGPR_SIZE", 17, 6, R,
            "vector registers, less 1: [7:2] in fours; in a unified file: [11:6] in fours, and "
            "[5:0] with "
            "accumulation registers, in eights"),
        WT_HW_FIELD("SGPR_SIZE", 27, 24, R, "scalar registers, in sixteens, less 1")),
    WT_HW_INDIRECT(0x16, "LDS_ALLOC", "its work-group's LDS",
                   WT_HW_FIELD("LDS_BASE", 7, 0, R, "0 here"),
                   WT_HW_FIELD("LDS_SIZE", 20, 12, R, "of the work-group, in 64 dwords")),
    WT_HW_INDIRECT(
        0x17, "IB_STS", "its counters of outstanding accesses",
        WT_HW_FIELD("VM_CNT", 3, 0, R, "vector memory accesses that no s_waitcnt covers, [3:0]"),
        WT_HW_FIELD("EXP_CNT", 6, 4, R, "exports"),
        WT_HW_FIELD("LGKM_CNT", 11, 8, R, "LDS, GDS, constant and message accesses"),
        WT_HW_FIELD("VALU_CNT", 14, 12, R, "0 here"),
        WT_HW_FIELD("FIRST_REPLAY", 15, 15, R, "0 here"), WT_HW_FIELD("RCNT", 20, 16, R, "0 here"),
        WT_HW_FIELD("VM_CNT_HI", 23, 22, R, "vector memory accesses, [5:4]")),
    WT_HW_INDIRECT(0x18, "PC_LO", "program counter", WORD_FIELD),
    WT_HW_INDIRECT(0x19, "PC_HI", "program counter, bits 47:32", WORD_FIELD),
    WT_HW_INDIRECT(0x1a, "INST_DW0", "next instruction", READ_WORD_FIELD),
    WT_HW_INDIRECT(0x1b, "INST_DW1", "next instruction, its second dword", READ_WORD_FIELD),
    SCALAR_ROWS,
    WT_HW_LAYOUT("SQ_INTERRUPT_WORD_WAVE", "what the SQ sends about a wave, context word 0",
                 WT_HW_FIELD("DATA", 11, 0, R, "M0[11:0] of the message; of an error 0"),
                 WT_HW_FIELD("SH_ID", 12, 12, R, "shader array"),
                 WT_HW_FIELD("PRIV", 13, 13, R, "sent by the trap handler"),
                 WT_HW_FIELD("WAVE_ID", 17, 14, R, "wave slot of the SIMD"),
                 WT_HW_FIELD("SIMD_ID", 19, 18, R, "SIMD"),
                 WT_HW_FIELD("CU_ID", 23, 20, R, "compute unit within its shader array"),
                 WT_HW_FIELD("SE_ID", 25, 24, R, "shader engine"),
                 WT_HW_FIELD("ENCODING", 27, 26, R, "what the word is about", .values = encodings),
                 WT_HW_FIELD("DATA_MID", 31, 28, R, "M0[15:12] of the message")),
    WT_HW_LAYOUT(
        "SQ_INTERRUPT_WORD_WAVE_1", "the same, context word 1",
        WT_HW_FIELD(
            "DATA_HI", 7, 0,
            R,
            "M0[23:16] of the message; of an error its type in [7:4]: 1 illegal instruction, "
            "2 memory violation")),
    MESSAGE_ROW,
};

const struct wt_hw_table gcn_register_table = {
    .registers = registers,
    .count = WT_HW_COUNT(registers),
    .index = &registers[7],
    .index_field = &(const struct wt_hw_field)INDEX_FIELD,
    .data = GCN_SQ_IND_DATA,
    .models = gcn_before_gfx10,
    .other = &gcn_register_table_gfx10,
};
