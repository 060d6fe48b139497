/*
 * Divergent loops. A loop that lanes leave at different times cannot be written as a C loop (the
 * compiler takes every branch to be one for the whole warp), so it is written here, once.
 */
#include "asm.h"

/*
 * void vx_while(int (*step)(void *), void *state): calls step(state) again and again; a lane for
 * which it returned 0 waits until all lanes have left. PRED switches the lanes off one by one and,
 * when none is left, switches all those back on that were active in the beginning.
 */
        .text
        .globl  vx_while
        .type   vx_while, @function
vx_while:
        .cfi_startproc
        addi    sp, sp, -4*REG
        .cfi_def_cfa_offset 4*REG
        SREG    ra, 3*REG(sp)
        .cfi_offset ra, -REG
        SREG    s0, 2*REG(sp)
        .cfi_offset s0, -2*REG
        SREG    s1, 1*REG(sp)
        .cfi_offset s1, -3*REG
        SREG    s2, 0*REG(sp)
        .cfi_offset s2, -4*REG
        mv      s0, a0
        mv      s1, a1
        csrr    s2, CSR_ACTIVE_THREADS
1:      mv      a0, s1
        jalr    s0
        snez    a0, a0
        vx_pred a0, s2
        /*
         * Either some lanes continue: those that run now have a 1. Or all have left, and all that
         * run again have the 0 with which they left. So the branch is the same for all lanes.
         */
        bnez    a0, 1b
        LREG    ra, 3*REG(sp)
        .cfi_restore ra
        LREG    s0, 2*REG(sp)
        .cfi_restore s0
        LREG    s1, 1*REG(sp)
        .cfi_restore s1
        LREG    s2, 0*REG(sp)
        .cfi_restore s2
        addi    sp, sp, 4*REG
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   vx_while, . - vx_while
