/*
 * What the assembly files of the library share: the Vortex instructions by their encodings (no
 * Debian assembler knows their names), the CSRs by number, and register-sized loads and stores.
 *
 * All Vortex instructions are R-type with opcode 0x0b (CUSTOM-0) and funct7 0; funct3 distinguishes
 * these.
 */
#ifndef VORTEX_ASM_H
#define VORTEX_ASM_H

#define CSR_THREAD_ID 0xcc0
#define CSR_WARP_ID 0xcc1
#define CSR_CORE_ID 0xcc2
#define CSR_ACTIVE_THREADS 0xcc4
#define CSR_NUM_THREADS 0xfc0
#define CSR_NUM_WARPS 0xfc1
#define CSR_NUM_CORES 0xfc2
#define CSR_LOCAL_MEM_BASE 0xfc3
#define CSR_MSCRATCH 0x340
#define CSR_MHARTID 0xf14

#define EXIT_WORD 0x88
#define STACK_LOG2_SIZE 13

#if __riscv_xlen == 64
#define STACK_BASE 0x1ffff0000
#define REG 8
#define LREG ld
#define SREG sd
#else
#define STACK_BASE 0xffff0000
#define REG 4
#define LREG lw
#define SREG sw
#endif

#ifdef __ASSEMBLER__
        .cfi_sections .debug_frame              /* for debuggers; nothing unwinds at run time */

        /*
         * The linker does not shorten this code. The assembler writes the ranges of its functions
         * and of the file into the debug information; code that shrinks afterwards would leave them
         * too long, over the first functions of the program, which debuggers then take for ours.
         */
        .option norelax

        /* The lanes set in \mask run, the others stop. Mask 0 ends the warp. */
        .macro vx_tmc mask
        .insn r 0x0b, 0, 0, x0, \mask, x0
        .endm

        /*
         * Waits until this warp is the only active one of its core, then starts warps 1 .. count-1
         * at \pc, each with lane 0 only.
         */
        .macro vx_wspawn count, pc
        .insn r 0x0b, 1, 0, x0, \count, \pc
        .endm

        /* Lanes whose \pred has bit 0 set go one way, the others the other way, one after the other. */
        .macro vx_split token, pred
        .insn r 0x0b, 2, 0, \token, \pred, x0
        .endm

        /* The end of what vx_split began: first switches to the other lanes, then joins both. */
        .macro vx_join token
        .insn r 0x0b, 3, 0, x0, \token, x0
        .endm

        /* Only lanes whose \pred has bit 0 set continue; when there are none, those of \mask do. */
        .macro vx_pred pred, mask
        .insn r 0x0b, 5, 0, x0, \pred, \mask
        .endm

        /*
         * \out := the mask of all lanes that the library uses: all, if a register has a bit for
         * each; else half as many as it has bits (what bit XLEN-1 means for lanes beyond it is not
         * laid down). 2 << (lanes - 1) is 0 for XLEN lanes, 1 << lanes would be 1.
         */
        .macro vx_all_lanes out, scratch
        csrr    \out, CSR_NUM_THREADS
        li      \scratch, __riscv_xlen
        bgeu    \scratch, \out, 99f
        li      \out, __riscv_xlen / 2
99:     addi    \scratch, \out, -1
        li      \out, 2
        sll     \out, \out, \scratch
        addi    \out, \out, -1
        .endm
#endif

#endif
