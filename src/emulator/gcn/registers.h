/*
 * Rows and fields that the tables of gfx9's and gfx10's registers have both (registers.c,
 * registers_gfx10.c).
 */
#ifndef WT_EMULATOR_GCN_REGISTERS_H
#define WT_EMULATOR_GCN_REGISTERS_H

#include "emulator/gcn/bus.h"

static const char *const commands[] = {"NULL", "HALT", "RESUME", "KILL", "DEBUG", "TRAP", NULL};
static const char *const modes[] = {"SINGLE",     "BROADCAST", "BCAST_QUEUE",
                                    "BCAST_PIPE", "BCAST_ME",  NULL};
static const char *const watch_modes[] = {"READ", "NONREAD", "ATOMIC", "ALL", NULL};
static const char *const launch_modes[] = {"NORMAL", "HALT", "KILL", "DEBUG", NULL};
static const char *const encodings[] = {"AUTO", "INST", "ERROR", NULL};
static const char *const message_types[] = {"AUTO", "USER", "ERROR", NULL};

#define INDEX_FIELD                                                                                \
    WT_HW_FIELD("INDEX", 31, 16, RW,                                                               \
                "register of the wave; 0x200 + n: scalar operand n, 0x400 + n: vector register n")
#define ADDRESS_LOW_FIELD WT_HW_FIELD("ADDR_LO", 31, 0, RW, "address bits 39:8")
#define ADDRESS_HIGH_FIELD WT_HW_FIELD("ADDR_HI", 7, 0, RW, "address bits 47:40")
#define TRAP_DATA_FIELD WT_HW_FIELD("DATA", 31, 0, RW, "kept; no effect here")
#define WORD_FIELD WT_HW_FIELD("VALUE", 31, 0, RW, "the whole register")
#define READ_WORD_FIELD WT_HW_FIELD("VALUE", 31, 0, R, "the whole register")
#define TTMP(n) WT_HW_INDIRECT(0x26c + (n), "TTMP" #n, "trap temporary", WORD_FIELD)

#define GFX_CNTL_ROW                                                                               \
    WT_HW_REGISTER(GCN_GRBM_GFX_CNTL, "GRBM_GFX_CNTL", "pipe and micro engine of commands",        \
                   WT_HW_FIELD("PIPEID", 1, 0, RW, "pipe that BCAST_PIPE means"),                  \
                   WT_HW_FIELD("MEID", 3, 2, RW,                                                   \
                               "micro engine that BCAST_PIPE and BCAST_ME mean; compute is 1"),    \
                   WT_HW_FIELD("VMID", 7, 4, RW, "no effect here"),                                \
                   WT_HW_FIELD("QUEUEID", 10, 8, RW, "no effect here"))

#define LAUNCH_ROW                                                                                 \
    WT_HW_REGISTER(                                                                                \
        GCN_SPI_GDBG_WAVE_CNTL, "SPI_GDBG_WAVE_CNTL", "whether waves start",                       \
        WT_HW_FIELD("STALL_RA", 0, 0, RW, "no wave starts"),                                       \
        WT_HW_FIELD("STALL_VMID", 16, 1, RW, "no wave of these VMIDs starts, a bit each"))

#define LAUNCH_MODE_ROWS                                                                           \
    WT_HW_REGISTER(GCN_SPI_GDBG_TRAP_MASK, "SPI_GDBG_TRAP_MASK", "exceptions of new waves",        \
                   WT_HW_FIELD("EXCP_EN", 8, 0, RW,                                                \
                               "exceptions that new waves enable, in the order of MODE"),          \
                   WT_HW_FIELD("REPLACE", 9, 9, RW,                                                \
                               "instead of those of the kernel descriptor, else beside them")),    \
        WT_HW_REGISTER(GCN_SPI_GDBG_WAVE_CNTL2, "SPI_GDBG_WAVE_CNTL2", "how waves start",          \
                       WT_HW_FIELD("VMID_MASK", 15, 0, RW,                                         \
                                   "VMIDs whose waves start as MODE says, a bit each"),            \
                       WT_HW_FIELD("MODE", 17, 16, RW, "how they start", .values = launch_modes))

#define MODE_FIELDS                                                                                \
    WT_HW_FIELD("FP_ROUND", 3, 0, RW, "rounding: [1:0] of 32 bits, [3:2] of 16 and 64"),           \
        WT_HW_FIELD("FP_DENORM", 7, 4, RW, "denormals: [5:4] of 32 bits, [7:6] of 16 and 64"),     \
        WT_HW_FIELD("DX10_CLAMP", 8, 8, RW, "clamping makes 0 of NaN"),                            \
        WT_HW_FIELD("IEEE", 9, 9, RW, "signalling NaNs are quieted"),                              \
        WT_HW_FIELD("LOD_CLAMPED", 10, 10, RW, "graphics"),                                        \
        WT_HW_FIELD("DEBUG_EN", 11, 11, RW, "single step: a trap after each instruction"),         \
        WT_HW_FIELD(                                                                               \
            "EXCP_EN", 20, 12, RW,                                                                 \
            "exceptions that trap: invalid, denormal, float_div0, overflow, underflow, inexact, "  \
            "int_div0, addr_watch, mem_viol"),                                                     \
        WT_HW_FIELD("FP16_OVFL", 23, 23, RW, "16-bit overflow gives the largest number")

#define STATUS_FIELDS                                                                              \
    WT_HW_FIELD("SCC", 0, 0, RW, "scalar condition"),                                              \
        WT_HW_FIELD("SPI_PRIO", 2, 1, RW, "priority by the SPI"),                                  \
        WT_HW_FIELD("USER_PRIO", 4, 3, RW, "priority by s_setprio"),                               \
        WT_HW_FIELD("PRIV", 5, 5, RW, "privileged: in the trap handler"),                          \
        WT_HW_FIELD("TRAP_EN", 6, 6, RW, "there is a trap handler"),                               \
        WT_HW_FIELD("TTRACE_EN", 7, 7, RW, "thread trace; no effect here"),                        \
        WT_HW_FIELD("EXPORT_RDY", 8, 8, RW, "graphics"),                                           \
        WT_HW_FIELD("EXECZ", 9, 9, R, "EXEC is 0"), WT_HW_FIELD("VCCZ", 10, 10, R, "VCC is 0"),    \
        WT_HW_FIELD("IN_TG", 11, 11, R, "in a work-group"),                                        \
        WT_HW_FIELD("IN_BARRIER", 12, 12, R, "waits at s_barrier"),                                \
        WT_HW_FIELD("HALT", 13, 13, RW, "halted; has no effect while PRIV is set"),                \
        WT_HW_FIELD("TRAP", 14, 14, RW, "no effect here: traps are taken at once")

#define STATUS_FIELDS_16                                                                           \
    WT_HW_FIELD("VALID", 16, 16, R, "there is a wave"),                                            \
        WT_HW_FIELD("ECC_ERR", 17, 17, RW, "never set by this emulator"),                          \
        WT_HW_FIELD("SKIP_EXPORT", 18, 18, RW, "graphics"),                                        \
        WT_HW_FIELD("PERF_EN", 19, 19, RW, "no effect here")

#define STATUS_FIELDS_23                                                                           \
    WT_HW_FIELD("FATAL_HALT", 23, 23, RW, "halted by an illegal instruction without a handler"),   \
        WT_HW_FIELD("MUST_EXPORT", 27, 27, RW, "graphics")

#define EXCEPTION_FIELDS                                                                           \
    WT_HW_FIELD("INVALID", 0, 0, RW, "EXCP: invalid operation"),                                   \
        WT_HW_FIELD("DENORMAL", 1, 1, RW, "EXCP: denormal source"),                                \
        WT_HW_FIELD("FLOAT_DIV0", 2, 2, RW, "EXCP: floating-point division by 0"),                 \
        WT_HW_FIELD("OVERFLOW", 3, 3, RW, "EXCP: overflow"),                                       \
        WT_HW_FIELD("UNDERFLOW", 4, 4, RW, "EXCP: underflow"),                                     \
        WT_HW_FIELD("INEXACT", 5, 5, RW, "EXCP: inexact result"),                                  \
        WT_HW_FIELD("INT_DIV0", 6, 6, RW, "EXCP: integer division by 0"),                          \
        WT_HW_FIELD("ADDR_WATCH0", 7, 7, RW, "EXCP: address watch 0"),                             \
        WT_HW_FIELD("MEM_VIOL", 8, 8, RW, "EXCP: memory violation"),                               \
        WT_HW_FIELD("SAVECTX", 10, 10, RW,                                                         \
                    "the context is to be saved: by the host or the kernel"),                      \
        WT_HW_FIELD("ILLEGAL_INST", 11, 11, RW, "illegal instruction"),                            \
        WT_HW_FIELD("ADDR_WATCH1", 12, 12, RW, "EXCP_HI: address watch 1"),                        \
        WT_HW_FIELD("ADDR_WATCH2", 13, 13, RW, "EXCP_HI: address watch 2"),                        \
        WT_HW_FIELD("ADDR_WATCH3", 14, 14, RW, "EXCP_HI: address watch 3")

#define SCALAR_ROWS                                                                                \
    TTMP(0),                                                                                       \
        WT_HW_INDIRECT(                                                                            \
            0x26d, "TTMP1", "trap temporary: at a trap PC, number and origin",                     \
            WT_HW_FIELD("PC_HI", 15, 0, RW, "PC[47:32]; PC[31:0] is in TTMP0"),                    \
            WT_HW_FIELD("TRAP_ID", 23, 16, RW, "of s_trap or the host's trap; 0: an exception"),   \
            WT_HW_FIELD("HT", 24, 24, RW, "the host's trap"),                                      \
            WT_HW_FIELD("PC_REWIND", 28, 25, RW,                                                   \
                        "dwords: PC - 4 * this is the instruction's address")),                    \
        TTMP(2), TTMP(3), TTMP(4), TTMP(5), TTMP(6), TTMP(7), TTMP(8), TTMP(9), TTMP(10),          \
        TTMP(11), TTMP(12), TTMP(13), TTMP(14), TTMP(15),                                          \
        WT_HW_INDIRECT(0x26a, "VCC_LO", "vector condition, lanes 31:0", WORD_FIELD),               \
        WT_HW_INDIRECT(0x26b, "VCC_HI", "vector condition, lanes 63:32", WORD_FIELD),              \
        WT_HW_INDIRECT(0x27c, "M0", "scalar register for messages and indices", WORD_FIELD),       \
        WT_HW_INDIRECT(0x27e, "EXEC_LO", "lanes 31:0 that execute", WORD_FIELD),                   \
        WT_HW_INDIRECT(0x27f, "EXEC_HI", "lanes 63:32 that execute", WORD_FIELD)

#define MESSAGE_ROW                                                                                \
    WT_HW_LAYOUT("WAVE_MESSAGE", "the driver's HsaDbgWaveMsgAMDGen2",                              \
                 WT_HW_FIELD("UserData", 7, 0, RW, "no effect"),                                   \
                 WT_HW_FIELD("ShaderArray", 8, 8, RW, "shader array"),                             \
                 WT_HW_FIELD("Priv", 9, 9, RW, "no effect"),                                       \
                 WT_HW_FIELD("Reserved0", 13, 10, RW, "ignored"),                                  \
                 WT_HW_FIELD("WaveId", 17, 14, RW, "wave slot of the SIMD"),                       \
                 WT_HW_FIELD("SIMD", 19, 18, RW, "SIMD"),                                          \
                 WT_HW_FIELD("HSACU", 23, 20, RW, "compute unit within its shader array"),         \
                 WT_HW_FIELD("ShaderEngine", 25, 24, RW, "shader engine"),                         \
                 WT_HW_FIELD("MessageType", 27, 26, RW, "no effect", .values = message_types),     \
                 WT_HW_FIELD("Reserved1", 31, 28, RW, "ignored"))

#endif
