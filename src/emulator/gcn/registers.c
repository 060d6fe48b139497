/*
 * The registers of gfx900's debug hardware as a table (linux gc_9_0_sh_mask.h; manual, section 3;
 * the wave message is amdkfd's HsaDbgWaveMsgAMDGen2). See debug.h.
 */
#include "emulator/gcn/debug.h"

#define R WT_HW_R
#define W WT_HW_W
#define RW WT_HW_RW

static const char *const commands[] = {"NULL", "HALT", "RESUME", "KILL", "DEBUG", "TRAP", NULL};
static const char *const modes[] = {"SINGLE",     "BROADCAST", "BCAST_QUEUE",
                                    "BCAST_PIPE", "BCAST_ME",  NULL};
static const char *const watch_modes[] = {"READ", "NONREAD", "ATOMIC", "ALL", NULL};
static const char *const launch_modes[] = {"NORMAL", "HALT", "KILL", "DEBUG", NULL};
static const char *const encodings[] = {"AUTO", "INST", "ERROR", NULL};
static const char *const message_types[] = {"AUTO", "USER", "ERROR", NULL};

/* ---- on the bus ---- */

static const struct wt_hw_field gfx_cntl[] = {
    WT_HW_FIELD("PIPEID", 1, 0, RW, NULL, "pipe that BCAST_PIPE means"),
    WT_HW_FIELD("MEID", 3, 2, RW, NULL,
                "micro engine that BCAST_PIPE and BCAST_ME mean; compute is 1"),
    WT_HW_FIELD("VMID", 7, 4, RW, NULL, "no effect here"),
    WT_HW_FIELD("QUEUEID", 10, 8, RW, NULL, "no effect here"),
};

static const struct wt_hw_field gfx_index[] = {
    WT_HW_FIELD("INSTANCE_INDEX", 7, 0, RW, NULL, "compute unit within its shader array"),
    WT_HW_FIELD("SH_INDEX", 15, 8, RW, NULL, "shader array"),
    WT_HW_FIELD("SE_INDEX", 23, 16, RW, NULL, "shader engine"),
    WT_HW_FIELD("SH_BROADCAST_WRITES", 29, 29, RW, NULL, "all shader arrays; reads: the first"),
    WT_HW_FIELD("INSTANCE_BROADCAST_WRITES", 30, 30, RW, NULL,
                "all compute units; reads: the first"),
    WT_HW_FIELD("SE_BROADCAST_WRITES", 31, 31, RW, NULL, "all shader engines; reads: the first"),
};

static const struct wt_hw_field status_global[] = {
    WT_HW_FIELD("BUSY", 0, 0, R, NULL, "a selected compute unit has waves"),
    WT_HW_FIELD("WAVE_LEVEL_SH0", 15, 4, R, NULL, "waves of shader array 0"),
    WT_HW_FIELD("WAVE_LEVEL_SH1", 27, 16, R, NULL, "waves of shader array 1"),
};

static const struct wt_hw_field address_low[] = {
    WT_HW_FIELD("ADDR_LO", 31, 0, RW, NULL, "address bits 39:8"),
};

static const struct wt_hw_field address_high[] = {
    WT_HW_FIELD("ADDR_HI", 7, 0, RW, NULL, "address bits 47:40"),
};

static const struct wt_hw_field ind_index[] = {
    WT_HW_FIELD("WAVE_ID", 3, 0, RW, NULL, "wave slot of the SIMD"),
    WT_HW_FIELD("SIMD_ID", 5, 4, RW, NULL, "SIMD of the compute unit that GRBM_GFX_INDEX selects"),
    WT_HW_FIELD("THREAD_ID", 11, 6, RW, NULL, "lane, for vector registers"),
    WT_HW_FIELD("AUTO_INCR", 12, 12, RW, NULL, "each access of SQ_IND_DATA increments INDEX"),
    WT_HW_FIELD("FORCE_READ", 13, 13, RW, NULL, "no effect here: reads never wait for the wave"),
    WT_HW_FIELD("READ_TIMEOUT", 14, 14, RW, NULL, "no effect here"),
    WT_HW_FIELD("UNINDEXED", 15, 15, RW, NULL, "no effect here"),
    WT_HW_FIELD("INDEX", 31, 16, RW, NULL,
                "register of the wave; 0x200 + n: scalar operand n, 0x400 + n: vector register n"),
};

static const struct wt_hw_field ind_data[] = {
    WT_HW_FIELD("DATA", 31, 0, RW, NULL, "the register that SQ_IND_INDEX names; 0xbebebeef: none"),
};

static const struct wt_hw_field sq_cmd[] = {
    WT_HW_FIELD("CMD", 2, 0, W, commands, "what the waves do"),
    WT_HW_FIELD("MODE", 6, 4, W, modes,
                "which waves of the compute units that GRBM_GFX_INDEX selects"),
    WT_HW_FIELD("CHECK_VMID", 7, 7, W, NULL, "only waves of VM_ID"),
    WT_HW_FIELD("DATA", 11, 8, W, NULL, "number of the trap, for TRAP"),
    WT_HW_FIELD("WAVE_ID", 19, 16, W, NULL, "wave slot, for SINGLE"),
    WT_HW_FIELD("SIMD_ID", 21, 20, W, NULL, "SIMD, for SINGLE"),
    WT_HW_FIELD("QUEUE_ID", 26, 24, W, NULL, "queue, for BCAST_QUEUE"),
    WT_HW_FIELD("VM_ID", 31, 28, W, NULL, "with CHECK_VMID"),
};

static const struct wt_hw_field wave_cntl[] = {
    WT_HW_FIELD("STALL_RA", 0, 0, RW, NULL, "no wave starts"),
    WT_HW_FIELD("STALL_VMID", 16, 1, RW, NULL, "no wave of these VMIDs starts, a bit each"),
};

static const struct wt_hw_field trap_config[] = {
    WT_HW_FIELD("ME_SEL", 1, 0, RW, NULL, "micro engine, with ME_MATCH"),
    WT_HW_FIELD("PIPE_SEL", 3, 2, RW, NULL, "pipe, with PIPE_MATCH"),
    WT_HW_FIELD("QUEUE_SEL", 6, 4, RW, NULL, "queue, with QUEUE_MATCH"),
    WT_HW_FIELD("ME_MATCH", 7, 7, RW, NULL, "only waves of ME_SEL"),
    WT_HW_FIELD("PIPE_MATCH", 8, 8, RW, NULL, "only waves of PIPE_SEL"),
    WT_HW_FIELD("QUEUE_MATCH", 9, 9, RW, NULL, "only waves of QUEUE_SEL"),
    WT_HW_FIELD("TRAP_EN", 15, 15, RW, NULL,
                "SPI_GDBG_TRAP_MASK holds for the waves selected here only; 0: for all"),
    WT_HW_FIELD("VMID_SEL", 31, 16, RW, NULL, "waves of these VMIDs, a bit each"),
};

static const struct wt_hw_field trap_mask[] = {
    WT_HW_FIELD("EXCP_EN", 8, 0, RW, NULL,
                "exceptions that new waves enable, in the order of MODE"),
    WT_HW_FIELD("REPLACE", 9, 9, RW, NULL,
                "instead of those of the kernel descriptor, else beside them"),
};

static const struct wt_hw_field wave_cntl2[] = {
    WT_HW_FIELD("VMID_MASK", 15, 0, RW, NULL, "VMIDs whose waves start as MODE says, a bit each"),
    WT_HW_FIELD("MODE", 17, 16, RW, launch_modes, "how they start"),
};

static const struct wt_hw_field trap_data[] = {
    WT_HW_FIELD("DATA", 31, 0, RW, NULL, "kept; no effect here"),
};

static const struct wt_hw_field watch_high[] = {
    WT_HW_FIELD("ADDR", 15, 0, RW, NULL, "address bits 47:32"),
};

static const struct wt_hw_field watch_low[] = {
    WT_HW_FIELD("ADDR", 31, 6, RW, NULL, "address bits 31:6"),
};

static const struct wt_hw_field watch_cntl[] = {
    WT_HW_FIELD("MASK", 23, 0, RW, NULL,
                "address bits 29:6 that are compared; bit 0 is address bit 6"),
    WT_HW_FIELD("VMID", 27, 24, RW, NULL, "waves of this VMID"),
    WT_HW_FIELD("ATC", 28, 28, RW, NULL, "no effect here: there is one translation of addresses"),
    WT_HW_FIELD("MODE", 30, 29, RW, watch_modes, "accesses: NONREAD is stores and atomics"),
    WT_HW_FIELD("VALID", 31, 31, RW, NULL, "the watch is on"),
};

/* ---- of a wave ---- */

static const struct wt_hw_field unit_status[] = {
    WT_HW_FIELD("BUSY", 0, 0, R, NULL, "the compute unit has waves"),
    WT_HW_FIELD("WAVE_LEVEL", 9, 4, R, NULL, "how many"),
};

static const struct wt_hw_field mode[] = {
    WT_HW_FIELD("FP_ROUND", 3, 0, RW, NULL, "rounding: [1:0] of 32 bits, [3:2] of 16 and 64"),
    WT_HW_FIELD("FP_DENORM", 7, 4, RW, NULL, "denormals: [5:4] of 32 bits, [7:6] of 16 and 64"),
    WT_HW_FIELD("DX10_CLAMP", 8, 8, RW, NULL, "clamping makes 0 of NaN"),
    WT_HW_FIELD("IEEE", 9, 9, RW, NULL, "signalling NaNs are quieted"),
    WT_HW_FIELD("LOD_CLAMPED", 10, 10, RW, NULL, "graphics"),
    WT_HW_FIELD("DEBUG_EN", 11, 11, RW, NULL, "single step: a trap after each instruction"),
    WT_HW_FIELD(
        "EXCP_EN", 20, 12, RW, NULL,
        "exceptions that trap: invalid, denormal, float_div0, overflow, underflow, inexact, "
        "int_div0, addr_watch, mem_viol"),
    WT_HW_FIELD("FP16_OVFL", 23, 23, RW, NULL, "16-bit overflow gives the largest number"),
    WT_HW_FIELD("DISABLE_PERF", 26, 26, RW, NULL, "no effect here"),
    WT_HW_FIELD("GPR_IDX_EN", 27, 27, RW, NULL, "indexing of vector registers"),
    WT_HW_FIELD("VSKIP", 28, 28, RW, NULL, "vector instructions are skipped"),
    WT_HW_FIELD("CSP", 31, 29, RW, NULL, "entries of the fork stack"),
};

static const struct wt_hw_field status[] = {
    WT_HW_FIELD("SCC", 0, 0, RW, NULL, "scalar condition"),
    WT_HW_FIELD("SPI_PRIO", 2, 1, RW, NULL, "priority by the SPI"),
    WT_HW_FIELD("USER_PRIO", 4, 3, RW, NULL, "priority by s_setprio"),
    WT_HW_FIELD("PRIV", 5, 5, RW, NULL, "privileged: in the trap handler"),
    WT_HW_FIELD("TRAP_EN", 6, 6, RW, NULL, "there is a trap handler"),
    WT_HW_FIELD("TTRACE_EN", 7, 7, RW, NULL, "thread trace; no effect here"),
    WT_HW_FIELD("EXPORT_RDY", 8, 8, RW, NULL, "graphics"),
    WT_HW_FIELD("EXECZ", 9, 9, R, NULL, "EXEC is 0"),
    WT_HW_FIELD("VCCZ", 10, 10, R, NULL, "VCC is 0"),
    WT_HW_FIELD("IN_TG", 11, 11, R, NULL, "in a work-group"),
    WT_HW_FIELD("IN_BARRIER", 12, 12, R, NULL, "waits at s_barrier"),
    WT_HW_FIELD("HALT", 13, 13, RW, NULL, "halted; has no effect while PRIV is set"),
    WT_HW_FIELD("TRAP", 14, 14, RW, NULL, "no effect here: traps are taken at once"),
    WT_HW_FIELD("TTRACE_CU_EN", 15, 15, RW, NULL, "thread trace; no effect here"),
    WT_HW_FIELD("VALID", 16, 16, R, NULL, "there is a wave"),
    WT_HW_FIELD("ECC_ERR", 17, 17, RW, NULL, "never set by this emulator"),
    WT_HW_FIELD("SKIP_EXPORT", 18, 18, RW, NULL, "graphics"),
    WT_HW_FIELD("PERF_EN", 19, 19, RW, NULL, "no effect here"),
    WT_HW_FIELD("COND_DBG_USER", 20, 20, RW, NULL, "s_cbranch_cdbguser"),
    WT_HW_FIELD("COND_DBG_SYS", 21, 21, RW, NULL, "s_cbranch_cdbgsys"),
    WT_HW_FIELD("ALLOW_REPLAY", 22, 22, RW, NULL, "no effect here"),
    WT_HW_FIELD("FATAL_HALT", 23, 23, RW, NULL,
                "halted by an illegal instruction without a handler"),
    WT_HW_FIELD("MUST_EXPORT", 27, 27, RW, NULL, "graphics"),
};

static const struct wt_hw_field trapsts[] = {
    WT_HW_FIELD("INVALID", 0, 0, RW, NULL, "EXCP: invalid operation"),
    WT_HW_FIELD("DENORMAL", 1, 1, RW, NULL, "EXCP: denormal source"),
    WT_HW_FIELD("FLOAT_DIV0", 2, 2, RW, NULL, "EXCP: floating-point division by 0"),
    WT_HW_FIELD("OVERFLOW", 3, 3, RW, NULL, "EXCP: overflow"),
    WT_HW_FIELD("UNDERFLOW", 4, 4, RW, NULL, "EXCP: underflow"),
    WT_HW_FIELD("INEXACT", 5, 5, RW, NULL, "EXCP: inexact result"),
    WT_HW_FIELD("INT_DIV0", 6, 6, RW, NULL, "EXCP: integer division by 0"),
    WT_HW_FIELD("ADDR_WATCH0", 7, 7, RW, NULL, "EXCP: address watch 0"),
    WT_HW_FIELD("MEM_VIOL", 8, 8, RW, NULL, "EXCP: memory violation"),
    WT_HW_FIELD("SAVECTX", 10, 10, RW, NULL,
                "the context is to be saved: by the host or the kernel"),
    WT_HW_FIELD("ILLEGAL_INST", 11, 11, RW, NULL, "illegal instruction"),
    WT_HW_FIELD("ADDR_WATCH1", 12, 12, RW, NULL, "EXCP_HI: address watch 1"),
    WT_HW_FIELD("ADDR_WATCH2", 13, 13, RW, NULL, "EXCP_HI: address watch 2"),
    WT_HW_FIELD("ADDR_WATCH3", 14, 14, RW, NULL, "EXCP_HI: address watch 3"),
    WT_HW_FIELD("EXCP_CYCLE", 21, 16, RW, NULL,
                "when the first lane raised it: [1:0] which 16 lanes, [5:2] the pass of doubles"),
    WT_HW_FIELD("XNACK_ERROR", 28, 28, RW, NULL, "never set by this emulator"),
    WT_HW_FIELD("DP_RATE", 31, 29, RW, NULL, "rate that EXCP_CYCLE counts in: 4 for doubles"),
};

static const struct wt_hw_field hw_id[] = {
    WT_HW_FIELD("WAVE_ID", 3, 0, R, NULL, "wave slot of the SIMD"),
    WT_HW_FIELD("SIMD_ID", 5, 4, R, NULL, "SIMD"),
    WT_HW_FIELD("PIPE_ID", 7, 6, R, NULL, "pipe of the queue"),
    WT_HW_FIELD("CU_ID", 11, 8, R, NULL, "compute unit within its shader array"),
    WT_HW_FIELD("SH_ID", 12, 12, R, NULL, "shader array"),
    WT_HW_FIELD("SE_ID", 15, 13, R, NULL, "shader engine"),
    WT_HW_FIELD("TG_ID", 19, 16, R, NULL, "work-group of the compute unit"),
    WT_HW_FIELD("VM_ID", 23, 20, R, NULL, "of its process"),
    WT_HW_FIELD("QUEUE_ID", 26, 24, R, NULL, "queue of the pipe"),
    WT_HW_FIELD("STATE_ID", 29, 27, R, NULL, "0 here"),
    WT_HW_FIELD("ME_ID", 31, 30, R, NULL, "micro engine: 1"),
};

static const struct wt_hw_field gpr_alloc[] = {
    WT_HW_FIELD("VGPR_SIZE", 17, 6, R, NULL,
                "vector registers, less 1: [7:2] in fours; in a unified file: [11:6] in fours, and "
                "[5:0] with "
                "accumulation registers, in eights"),
    WT_HW_FIELD("SGPR_SIZE", 27, 24, R, NULL, "scalar registers, in sixteens, less 1"),
};

static const struct wt_hw_field lds_alloc[] = {
    WT_HW_FIELD("LDS_BASE", 7, 0, R, NULL, "0 here"),
    WT_HW_FIELD("LDS_SIZE", 20, 12, R, NULL, "of the work-group, in 64 dwords"),
};

static const struct wt_hw_field ib_sts[] = {
    WT_HW_FIELD("VM_CNT", 3, 0, R, NULL, "vector memory accesses that no s_waitcnt covers, [3:0]"),
    WT_HW_FIELD("EXP_CNT", 6, 4, R, NULL, "exports"),
    WT_HW_FIELD("LGKM_CNT", 11, 8, R, NULL, "LDS, GDS, constant and message accesses"),
    WT_HW_FIELD("VALU_CNT", 14, 12, R, NULL, "0 here"),
    WT_HW_FIELD("FIRST_REPLAY", 15, 15, R, NULL, "0 here"),
    WT_HW_FIELD("RCNT", 20, 16, R, NULL, "0 here"),
    WT_HW_FIELD("VM_CNT_HI", 23, 22, R, NULL, "vector memory accesses, [5:4]"),
};

static const struct wt_hw_field word[] = {
    WT_HW_FIELD("VALUE", 31, 0, RW, NULL, "the whole register"),
};

static const struct wt_hw_field read_word[] = {
    WT_HW_FIELD("VALUE", 31, 0, R, NULL, "the whole register"),
};

/* ---- layouts ---- */

static const struct wt_hw_field ttmp1[] = {
    WT_HW_FIELD("PC_HI", 15, 0, RW, NULL, "PC[47:32]; PC[31:0] is in TTMP0"),
    WT_HW_FIELD("TRAP_ID", 23, 16, RW, NULL, "of s_trap or the host's trap; 0: an exception"),
    WT_HW_FIELD("HT", 24, 24, RW, NULL, "the host's trap"),
    WT_HW_FIELD("PC_REWIND", 28, 25, RW, NULL,
                "dwords: PC - 4 * this is the instruction's address"),
};

static const struct wt_hw_field interrupt_word[] = {
    WT_HW_FIELD("DATA", 11, 0, R, NULL, "M0[11:0] of the message; of an error 0"),
    WT_HW_FIELD("SH_ID", 12, 12, R, NULL, "shader array"),
    WT_HW_FIELD("PRIV", 13, 13, R, NULL, "sent by the trap handler"),
    WT_HW_FIELD("WAVE_ID", 17, 14, R, NULL, "wave slot of the SIMD"),
    WT_HW_FIELD("SIMD_ID", 19, 18, R, NULL, "SIMD"),
    WT_HW_FIELD("CU_ID", 23, 20, R, NULL, "compute unit within its shader array"),
    WT_HW_FIELD("SE_ID", 25, 24, R, NULL, "shader engine"),
    WT_HW_FIELD("ENCODING", 27, 26, R, encodings, "what the word is about"),
    WT_HW_FIELD("DATA_MID", 31, 28, R, NULL, "M0[15:12] of the message"),
};

static const struct wt_hw_field interrupt_word1[] = {
    WT_HW_FIELD("DATA_HI", 7, 0, R, NULL,
                "M0[23:16] of the message; of an error its type in [7:4]: 1 illegal instruction, "
                "2 memory violation"),
};

static const struct wt_hw_field wave_message[] = {
    WT_HW_FIELD("UserData", 7, 0, RW, NULL, "no effect"),
    WT_HW_FIELD("ShaderArray", 8, 8, RW, NULL, "shader array"),
    WT_HW_FIELD("Priv", 9, 9, RW, NULL, "no effect"),
    WT_HW_FIELD("Reserved0", 13, 10, RW, NULL, "ignored"),
    WT_HW_FIELD("WaveId", 17, 14, RW, NULL, "wave slot of the SIMD"),
    WT_HW_FIELD("SIMD", 19, 18, RW, NULL, "SIMD"),
    WT_HW_FIELD("HSACU", 23, 20, RW, NULL, "compute unit within its shader array"),
    WT_HW_FIELD("ShaderEngine", 25, 24, RW, NULL, "shader engine"),
    WT_HW_FIELD("MessageType", 27, 26, RW, message_types, "no effect"),
    WT_HW_FIELD("Reserved1", 31, 28, RW, NULL, "ignored"),
};

#define BUS(addr, name, fields, about)                                                             \
    {                                                                                              \
        addr, name, fields, WT_HW_COUNT(fields), about, false, false                               \
    }
#define WAVE(index, name, fields, about)                                                           \
    {                                                                                              \
        index, name, fields, WT_HW_COUNT(fields), about, true, false                               \
    }
#define LAYOUT(name, fields, about)                                                                \
    {                                                                                              \
        0, name, fields, WT_HW_COUNT(fields), about, false, true                                   \
    }
#define WATCH(n)                                                                                   \
    BUS(GCN_TCP_WATCH0_ADDR_H + 3 * (n), "TCP_WATCH" #n "_ADDR_H", watch_high, "address watch"),   \
        BUS(GCN_TCP_WATCH0_ADDR_L + 3 * (n), "TCP_WATCH" #n "_ADDR_L", watch_low,                  \
            "address watch"),                                                                      \
        BUS(GCN_TCP_WATCH0_CNTL + 3 * (n), "TCP_WATCH" #n "_CNTL", watch_cntl, "address watch")
#define TTMP(n) WAVE(0x26c + (n), "TTMP" #n, word, "trap temporary")

static const struct wt_hw_register registers[] = {
    BUS(GCN_GRBM_GFX_CNTL, "GRBM_GFX_CNTL", gfx_cntl, "pipe and micro engine of commands"),
    BUS(GCN_GRBM_GFX_INDEX, "GRBM_GFX_INDEX", gfx_index,
        "compute units that SQ registers mean; its reset value broadcasts"),
    BUS(GCN_SQ_DEBUG_STS_GLOBAL, "SQ_DEBUG_STS_GLOBAL", status_global,
        "waves of the selected compute units"),
    BUS(GCN_SQ_SHADER_TBA_LO, "SQ_SHADER_TBA_LO", address_low,
        "trap handler of waves that start from now on"),
    BUS(GCN_SQ_SHADER_TBA_HI, "SQ_SHADER_TBA_HI", address_high, "trap handler"),
    BUS(GCN_SQ_SHADER_TMA_LO, "SQ_SHADER_TMA_LO", address_low, "memory of the trap handler"),
    BUS(GCN_SQ_SHADER_TMA_HI, "SQ_SHADER_TMA_HI", address_high, "memory of the trap handler"),
    BUS(GCN_SQ_IND_INDEX, "SQ_IND_INDEX", ind_index, "register of a wave that SQ_IND_DATA is"),
    BUS(GCN_SQ_IND_DATA, "SQ_IND_DATA", ind_data, "that register"),
    BUS(GCN_SQ_CMD, "SQ_CMD", sq_cmd, "a command to waves; reads 0"),
    BUS(GCN_SPI_GDBG_WAVE_CNTL, "SPI_GDBG_WAVE_CNTL", wave_cntl, "whether waves start"),
    BUS(GCN_SPI_GDBG_TRAP_CONFIG, "SPI_GDBG_TRAP_CONFIG", trap_config,
        "waves that SPI_GDBG_TRAP_MASK holds for"),
    BUS(GCN_SPI_GDBG_TRAP_MASK, "SPI_GDBG_TRAP_MASK", trap_mask, "exceptions of new waves"),
    BUS(GCN_SPI_GDBG_WAVE_CNTL2, "SPI_GDBG_WAVE_CNTL2", wave_cntl2, "how waves start"),
    BUS(GCN_SPI_GDBG_TRAP_DATA0, "SPI_GDBG_TRAP_DATA0", trap_data, "data for trap handlers"),
    BUS(GCN_SPI_GDBG_TRAP_DATA1, "SPI_GDBG_TRAP_DATA1", trap_data, "data for trap handlers"),
    WATCH(0),
    WATCH(1),
    WATCH(2),
    WATCH(3),
    WAVE(0x08, "SQ_DEBUG_STS_LOCAL", unit_status, "waves of the compute unit"),
    WAVE(0x11, "MODE", mode, "arithmetic, exceptions, single step"),
    WAVE(0x12, "STATUS", status, "state of the wave"),
    WAVE(0x13, "TRAPSTS", trapsts, "exceptions that were raised; set until software clears them"),
    WAVE(0x14, "HW_ID", hw_id, "where the wave is"),
    WAVE(0x15, "GPR_ALLOC", gpr_alloc, "its registers"),
    WAVE(0x16, "LDS_ALLOC", lds_alloc, "its work-group's LDS"),
    WAVE(0x17, "IB_STS", ib_sts, "its counters of outstanding accesses"),
    WAVE(0x18, "PC_LO", word, "program counter"),
    WAVE(0x19, "PC_HI", word, "program counter, bits 47:32"),
    WAVE(0x1a, "INST_DW0", read_word, "next instruction"),
    WAVE(0x1b, "INST_DW1", read_word, "next instruction, its second dword"),
    TTMP(0),
    WAVE(0x26d, "TTMP1", ttmp1, "trap temporary: at a trap PC, number and origin"),
    TTMP(2),
    TTMP(3),
    TTMP(4),
    TTMP(5),
    TTMP(6),
    TTMP(7),
    TTMP(8),
    TTMP(9),
    TTMP(10),
    TTMP(11),
    TTMP(12),
    TTMP(13),
    TTMP(14),
    TTMP(15),
    WAVE(0x26a, "VCC_LO", word, "vector condition, lanes 31:0"),
    WAVE(0x26b, "VCC_HI", word, "vector condition, lanes 63:32"),
    WAVE(0x27c, "M0", word, "scalar register for messages and indices"),
    WAVE(0x27e, "EXEC_LO", word, "lanes 31:0 that execute"),
    WAVE(0x27f, "EXEC_HI", word, "lanes 63:32 that execute"),
    LAYOUT("SQ_INTERRUPT_WORD_WAVE", interrupt_word,
           "what the SQ sends about a wave, context word 0"),
    LAYOUT("SQ_INTERRUPT_WORD_WAVE_1", interrupt_word1, "the same, context word 1"),
    LAYOUT("WAVE_MESSAGE", wave_message, "the driver's HsaDbgWaveMsgAMDGen2"),
};

const struct wt_hw_table gcn_register_table = {
    .registers = registers,
    .count = WT_HW_COUNT(registers),
    .index = &registers[7],
    .index_field = &ind_index[7],
    .data = GCN_SQ_IND_DATA,
};
