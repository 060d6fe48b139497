/*
 * Start-up: from reset to main(), and the code that brings a whole core to work.
 *
 * After reset, warp 0 of every core runs at _start with lane 0 only, and no register but the PC has
 * a value. Core 0 becomes the one that runs main(); the other cores wait for launches.
 */
#include "asm.h"

        .section .text.start, "ax", @progbits
        .globl  _start
        .type   _start, @function
_start:
        .cfi_startproc
        .cfi_undefined ra                       /* a backtrace ends here */
        csrr    s0, CSR_MSCRATCH                /* at reset: the address of the host's arguments */
        jal     t6, vx_thread_setup
        csrr    t0, CSR_CORE_ID
        bnez    t0, 2f

        la      t0, __bss_start                 /* formats other than ELF do not clear it */
        la      t1, __bss_end
1:      bgeu    t0, t1, 1f
        SREG    zero, 0(t0)
        addi    t0, t0, REG
        j       1b
1:      la      t0, vx_startup_argument
        SREG    s0, 0(t0)
        li      a0, 0                           /* argc */
        la      a1, vx_no_arguments             /* argv: argv[argc] is NULL */
        call    main
        call    exit
2:      call    vx_worker                       /* does not return */
        .cfi_endproc
        .size   _start, . - _start

/*
 * Gives the lanes that call it gp, tp and a stack of their own: sp = STACK_BASE - (mhartid << 13).
 * The thread-local variables are a block at the top of the stack. The return address is in t6;
 * uses t0 to t3. All lanes take the same way through it.
 */
        .type   vx_thread_setup, @function
vx_thread_setup:
        .cfi_startproc
        .cfi_return_column t6
        la      gp, __global_pointer$
        csrr    t0, CSR_MHARTID
        slli    t0, t0, STACK_LOG2_SIZE
        li      sp, STACK_BASE
        sub     sp, sp, t0
        la      t0, __tdata_start
        la      t1, __tbss_end
        sub     t2, t1, t0
        sub     sp, sp, t2
        andi    sp, sp, -16
        mv      tp, sp
        mv      t2, sp
        la      t1, __tdata_end
1:      bgeu    t0, t1, 2f                      /* initialised ones: copy */
        LREG    t3, 0(t0)
        SREG    t3, 0(t2)
        addi    t0, t0, REG
        addi    t2, t2, REG
        j       1b
2:      la      t1, __tbss_end                  /* the others: clear */
3:      bgeu    t0, t1, 4f
        SREG    zero, 0(t2)
        addi    t0, t0, REG
        addi    t2, t2, REG
        j       3b
4:      jr      t6
        .cfi_endproc
        .size   vx_thread_setup, . - vx_thread_setup

        .text
/* Where warps other than warp 0 begin: lane 0 only, registers undefined. Global for LLDB's sake. */
        .globl  vx_warp_entry; .type vx_warp_entry, @function
vx_warp_entry:
        .cfi_startproc
        .cfi_undefined ra
        vx_all_lanes t0, t1
        vx_tmc  t0
        jal     t6, vx_thread_setup
        call    vx_run_job
        vx_tmc  zero                            /* this warp has done its part */
        .cfi_endproc
        .size   vx_warp_entry, . - vx_warp_entry

/*
 * void vx_run_core(void): lane 0 of warp 0 calls it; runs vx_run_job() on all lanes of all warps
 * of this core and returns, as lane 0 of warp 0 alone, when all have finished.
 */
        .globl  vx_run_core
        .type   vx_run_core, @function
vx_run_core:
        .cfi_startproc
        addi    sp, sp, -16
        .cfi_def_cfa_offset 16
        SREG    ra, 16-REG(sp)
        .cfi_offset ra, -REG
        csrr    t0, CSR_NUM_WARPS
        la      t1, vx_warp_entry
        vx_wspawn t0, t1
        vx_all_lanes t0, t1
        vx_tmc  t0
        /* Lanes that have just come alive have no stack; lane 0 must keep its own. */
        csrr    t4, CSR_THREAD_ID
        snez    t4, t4
        vx_split t5, t4
        beqz    t4, 1f
        jal     t6, vx_thread_setup
        addi    sp, sp, -16                     /* the frame that lane 0 has, … */
        SREG    zero, 16-REG(sp)                /* … returning to nowhere: backtraces end */
1:      vx_join t5
        call    vx_run_job
        li      t0, 1
        vx_tmc  t0                              /* back to lane 0 */
        vx_wspawn t0, zero                      /* spawns none, but waits for the other warps' end */
        LREG    ra, 16-REG(sp)
        .cfi_restore ra
        addi    sp, sp, 16
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   vx_run_core, . - vx_run_core

        .bss
        .balign REG
vx_no_arguments:
        .zero   REG
