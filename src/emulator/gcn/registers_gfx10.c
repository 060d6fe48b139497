/*
 * The registers of gfx10's debug hardware as a table (linux gc_10_3_0_sh_mask.h and
 * gc_10_3_0_offset.h; SIMDs in INSTANCE_INDEX, and lanes in WORKITEM_ID: gfx_v10_0.c; words of
 * interrupts: kfd_int_process_v10.c). See debug.h.
 */
#include "emulator/gcn/models.h"
#include "emulator/gcn/registers.h"

#define WATCH_CNTL_FIELDS                                                                          \
    WT_HW_FIELD("MASK", 22, 0, RW, "address bits 29:7 that are compared; bit 0 is address bit 7"), \
        WT_HW_FIELD("VMID", 27, 24, RW, "waves of this VMID"),                                     \
        WT_HW_FIELD("MODE", 30, 29, RW, "accesses: NONREAD is stores and atomics",                 \
                    .values = watch_modes),                                                        \
        WT_HW_FIELD("VALID", 31, 31, RW, "the watch is on")

#define WATCH(n)                                                                                   \
    WT_HW_REGISTER(GCN_TCP_WATCH0_ADDR_H + 3 * (n), "TCP_WATCH" #n "_ADDR_H", "address watch",     \
                   WT_HW_FIELD("ADDR", 15, 0, RW, "address bits 47:32")),                          \
        WT_HW_REGISTER(GCN_TCP_WATCH0_ADDR_L + 3 * (n), "TCP_WATCH" #n "_ADDR_L", "address watch", \
                       WT_HW_FIELD("ADDR", 31, 7, RW, "address bits 31:7")),                       \
        WT_HW_REGISTER(GCN_TCP_WATCH0_CNTL + 3 * (n), "TCP_WATCH" #n "_CNTL", "address watch",     \
                       WATCH_CNTL_FIELDS)

static const struct wt_hw_register registers[] = {
    GFX_CNTL_ROW,
    WT_HW_REGISTER(
        GCN_GRBM_GFX_INDEX, "GRBM_GFX_INDEX",
        "SIMDs that SQ registers mean; its reset value broadcasts",
        WT_HW_FIELD("INSTANCE_INDEX", 7, 0, RW,
                    "[1:0] SIMD of the four of a work-group processor, [7:2] which one of those of "
                    "the shader array"),
        WT_HW_FIELD("SA_INDEX", 15, 8, RW, "shader array"),
        WT_HW_FIELD("SE_INDEX", 23, 16, RW, "shader engine"),
        WT_HW_FIELD("SA_BROADCAST_WRITES", 29, 29, RW, "all shader arrays; reads: the first"),
        WT_HW_FIELD("INSTANCE_BROADCAST_WRITES", 30, 30, RW, "all SIMDs; reads: the first"),
        WT_HW_FIELD("SE_BROADCAST_WRITES", 31, 31, RW, "all shader engines; reads: the first")),
    WT_HW_REGISTER(GCN_SQ_DEBUG_STS_GLOBAL, "SQ_DEBUG_STS_GLOBAL", "waves of the selected SIMDs",
                   WT_HW_FIELD("BUSY", 0, 0, R, "a selected SIMD has waves"),
                   WT_HW_FIELD("WAVE_LEVEL_SA0", 15, 4, R, "waves of shader array 0"),
                   WT_HW_FIELD("WAVE_LEVEL_SA1", 27, 16, R, "waves of shader array 1")),
    WT_HW_REGISTER(GCN_SQ_SHADER_TBA_LO_GFX10, "SQ_SHADER_TBA_LO",
                   "trap handler of waves that start from now on", ADDRESS_LOW_FIELD),
    WT_HW_REGISTER(GCN_SQ_SHADER_TBA_LO_GFX10 + 1, "SQ_SHADER_TBA_HI", "trap handler",
                   ADDRESS_HIGH_FIELD,
                   WT_HW_FIELD("TRAP_EN", 31, 31, RW,
                               "there is one; a write of 0 takes the address away here")),
    WT_HW_REGISTER(GCN_SQ_SHADER_TBA_LO_GFX10 + 2, "SQ_SHADER_TMA_LO", "memory of the trap handler",
                   ADDRESS_LOW_FIELD),
    WT_HW_REGISTER(GCN_SQ_SHADER_TBA_LO_GFX10 + 3, "SQ_SHADER_TMA_HI", "memory of the trap handler",
                   ADDRESS_HIGH_FIELD),
    WT_HW_REGISTER(
        GCN_SQ_IND_INDEX, "SQ_IND_INDEX", "register of a wave that SQ_IND_DATA is",
        WT_HW_FIELD("WAVE_ID", 4, 0, RW, "wave slot of the SIMD that GRBM_GFX_INDEX selects"),
        WT_HW_FIELD("WORKITEM_ID", 10, 5, RW, "lane, for vector registers"),
        WT_HW_FIELD("AUTO_INCR", 11, 11, RW, "each access of SQ_IND_DATA increments INDEX"),
        INDEX_FIELD),
    WT_HW_REGISTER(
        GCN_SQ_IND_DATA, "SQ_IND_DATA", "that register",
        WT_HW_FIELD("DATA", 31, 0, RW, "the register that SQ_IND_INDEX names; 0xbebebeef: none")),
    WT_HW_REGISTER(GCN_SQ_CMD, "SQ_CMD", "a command to waves; reads 0",
                   WT_HW_FIELD("CMD", 3, 0, W, "what the waves do", .values = commands),
                   WT_HW_FIELD("MODE", 6, 4, W,
                               "which waves of the SIMDs that GRBM_GFX_INDEX selects",
                               .values = modes),
                   WT_HW_FIELD("CHECK_VMID", 7, 7, W, "only waves of VM_ID"),
                   WT_HW_FIELD("DATA", 11, 8, W, "number of the trap, for TRAP"),
                   WT_HW_FIELD("WAVE_ID", 20, 16, W, "wave slot, for SINGLE"),
                   WT_HW_FIELD("QUEUE_ID", 26, 24, W, "queue, for BCAST_QUEUE"),
                   WT_HW_FIELD("VM_ID", 31, 28, W, "with CHECK_VMID")),
    LAUNCH_ROW,
    LAUNCH_MODE_ROWS,
    WATCH(0),
    WATCH(1),
    WATCH(2),
    WATCH(3),
    WT_HW_INDIRECT(0x08, "SQ_DEBUG_STS_LOCAL", "waves of the SIMD's compute unit",
                   WT_HW_FIELD("BUSY", 0, 0, R, "the compute unit has waves"),
                   WT_HW_FIELD("WAVE_LEVEL", 9, 4, R, "how many")),
    WT_HW_INDIRECT(0x0a, "SQ_WAVE_ACTIVE", "waves of the SIMD",
                   WT_HW_FIELD("WAVE_SLOT", 19, 0, R, "slots that have a wave, a bit each")),
    WT_HW_INDIRECT(0x101, "MODE", "arithmetic, exceptions, single step", MODE_FIELDS,
                   WT_HW_FIELD("DISABLE_PERF", 27, 27, R, "0 here")),
    WT_HW_INDIRECT(0x102, "STATUS", "state of the wave", STATUS_FIELDS,
                   WT_HW_FIELD("TTRACE_SIMD_EN", 15, 15, RW, "thread trace; no effect here"),
                   STATUS_FIELDS_16, STATUS_FIELDS_23),
    WT_HW_INDIRECT(
        0x103, "TRAPSTS", "exceptions that were raised; set until software clears them",
        EXCEPTION_FIELDS, WT_HW_FIELD("BUFFER_OOB", 15, 15, RW, "never set by this emulator"),
        WT_HW_FIELD("EXCP_CYCLE", 19, 16, RW,
                    "when the first lane raised it; of doubles here: which two of 32 lanes"),
        WT_HW_FIELD("EXCP_GROUP_MASK", 23, 20, RW,
                    "which groups of 8 of these 32 lanes raised it at that time"),
        WT_HW_FIELD("EXCP_WAVE64HI", 24, 24, RW, "the first lane is one of 63:32"),
        WT_HW_FIELD("UTC_ERROR", 28, 28, RW, "never set by this emulator"),
        WT_HW_FIELD("DP_RATE", 31, 29, RW, "rate that EXCP_CYCLE counts in: 4 for doubles")),
    WT_HW_INDIRECT(0x105, "GPR_ALLOC", "its registers", WT_HW_FIELD("VGPR_BASE", 7, 0, R, "0 here"),
                   WT_HW_FIELD("VGPR_SIZE", 15, 8, R, "vector registers, in fours, less 1"),
                   WT_HW_FIELD("SGPR_BASE", 23, 16, R, "0 here"),
                   WT_HW_FIELD("SGPR_SIZE", 27, 24, R, "scalar registers, in sixteens, less 1")),
    WT_HW_INDIRECT(0x106, "LDS_ALLOC", "its work-group's LDS",
                   WT_HW_FIELD("LDS_BASE", 8, 0, R, "0 here"),
                   WT_HW_FIELD("LDS_SIZE", 20, 12, R, "of the work-group, in 64 dwords"),
                   WT_HW_FIELD("VGPR_SHARED_SIZE", 27, 24, R, "0 here")),
    WT_HW_INDIRECT(
        0x107, "IB_STS", "its counters of outstanding accesses",
        WT_HW_FIELD("VM_CNT", 3, 0, R, "vector memory loads that no s_waitcnt covers, [3:0]"),
        WT_HW_FIELD("EXP_CNT", 6, 4, R, "exports"),
        WT_HW_FIELD("LGKM_CNT_BIT4", 7, 7, R, "LDS, GDS, constant and message accesses, [4]"),
        WT_HW_FIELD("LGKM_CNT", 11, 8, R, "likewise, [3:0]"),
        WT_HW_FIELD("VALU_CNT", 14, 12, R, "0 here"),
        WT_HW_FIELD("VM_CNT_HI", 23, 22, R, "vector memory loads, [5:4]"),
        WT_HW_FIELD("LGKM_CNT_BIT5", 24, 24, R, "LDS, GDS, constant and message accesses, [5]"),
        WT_HW_FIELD("VS_CNT", 31, 26, R, "stores that no s_waitcnt_vscnt covers")),
    WT_HW_INDIRECT(0x108, "PC_LO", "program counter", WORD_FIELD),
    WT_HW_INDIRECT(0x109, "PC_HI", "program counter, bits 47:32", WORD_FIELD),
    WT_HW_INDIRECT(0x10a, "INST_DW0", "next instruction", READ_WORD_FIELD),
    WT_HW_INDIRECT(0x114, "FLAT_SCRATCH_LO", "where its private memory is", WORD_FIELD),
    WT_HW_INDIRECT(0x115, "FLAT_SCRATCH_HI", "where its private memory is, bits 63:32", WORD_FIELD),
    WT_HW_INDIRECT(0x117, "HW_ID1", "where the wave is",
                   WT_HW_FIELD("WAVE_ID", 4, 0, R, "wave slot of the SIMD"),
                   WT_HW_FIELD("SIMD_ID", 9, 8, R, "SIMD of the work-group processor's four"),
                   WT_HW_FIELD("WGP_ID", 13, 10, R, "work-group processor of the shader array"),
                   WT_HW_FIELD("SA_ID", 16, 16, R, "shader array"),
                   WT_HW_FIELD("SE_ID", 19, 18, R, "shader engine")),
    WT_HW_INDIRECT(0x118, "HW_ID2", "whose the wave is",
                   WT_HW_FIELD("QUEUE_ID", 3, 0, R, "queue of the pipe"),
                   WT_HW_FIELD("PIPE_ID", 5, 4, R, "pipe of the queue"),
                   WT_HW_FIELD("ME_ID", 9, 8, R, "micro engine: 1"),
                   WT_HW_FIELD("STATE_ID", 14, 12, R, "0 here"),
                   WT_HW_FIELD("WG_ID", 20, 16, R, "work-group of the compute unit"),
                   WT_HW_FIELD("VM_ID", 27, 24, R, "of its process")),
    WT_HW_INDIRECT(0x11c, "IB_STS2", "how it runs", WT_HW_FIELD("INST_PREFETCH", 1, 0, R, "0 here"),
                   WT_HW_FIELD("RESOURCE_OVERRIDE", 7, 7, R, "0 here"),
                   WT_HW_FIELD("MEM_ORDER", 9, 8, R, "2 here: loads come back in order"),
                   WT_HW_FIELD("FWD_PROGRESS", 10, 10, R, "0 here"),
                   WT_HW_FIELD("WAVE64", 11, 11, R, "it has 64 lanes")),
    WT_HW_INDIRECT(0x11d, "SHADER_CYCLES", "time", WT_HW_FIELD("CYCLES", 19, 0, R, "issues here")),
    SCALAR_ROWS,
    WT_HW_LAYOUT("SQ_INTERRUPT_WORD_WAVE", "what the SQ sends about a wave, context word 0",
                 WT_HW_FIELD("DATA", 22, 0, R,
                             "M0[22:0] of the message; of an error 0, its type in [22:19]: 1 "
                             "illegal instruction, 2 memory violation"),
                 WT_HW_FIELD("SA_ID", 23, 23, R, "shader array"),
                 WT_HW_FIELD("PRIV", 24, 24, R, "sent by the trap handler"),
                 WT_HW_FIELD("WAVE_ID", 29, 25, R, "wave slot of the SIMD"),
                 WT_HW_FIELD("SIMD_ID", 31, 30, R, "SIMD of the work-group processor's four")),
    WT_HW_LAYOUT("SQ_INTERRUPT_WORD_WAVE_1", "the same, context word 1",
                 WT_HW_FIELD("WGP_ID", 3, 0, R, "work-group processor of the shader array"),
                 WT_HW_FIELD("SE_ID", 5, 4, R, "shader engine"),
                 WT_HW_FIELD("ENCODING", 7, 6, R, "what the word is about", .values = encodings)),
    MESSAGE_ROW,
};

const struct wt_hw_table gcn_register_table_gfx10 = {
    .registers = registers,
    .count = WT_HW_COUNT(registers),
    .index = &registers[7],
    .index_field = &(const struct wt_hw_field)INDEX_FIELD,
    .data = GCN_SQ_IND_DATA,
    .models = gcn_since_gfx10,
};
