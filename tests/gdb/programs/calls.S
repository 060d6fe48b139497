# All lanes of all warps call a function in a loop, which calls another one.
#include "vortex.inc"
        .option norelax                 # there is no gp
        .text
        .globl  _start, twice, once
        .type   _start, @function
        .type   twice, @function
        .type   once, @function
_start: csrr    t0, 0xfc1               # warps of the core
        la      t1, every_warp
        wspawn  t0, t1
every_warp:
        li      t0, -1
        tmc     t0
        csrr    s1, 0xcc1               # warp
        csrr    t1, 0xf14               # number of this thread among all
        slli    t1, t1, 8               # 256 bytes of stack each
        la      sp, stacks + 240
        add     sp, sp, t1
        li      s6, 5
again:  mv      a0, s6
place:  call    twice
back:   addi    s3, s3, 1
count:  addi    s6, s6, -1
        bnez    s6, again
        bnez    s1, leave
        li      t0, 1
        tmc     t0
        wspawn  t0, x0                  # waits for the other warps' end
        li      a0, 42
last:   sw      a0, EXIT_WORD(x0)
leave:  tmc     x0
        .size   _start, .-_start

        .cfi_startproc
twice:  addi    sp, sp, -16
        .cfi_def_cfa_offset 16
        sw      ra, 12(sp)
        .cfi_offset ra, -4
        call    once
inside: call    once
        lw      ra, 12(sp)
        addi    sp, sp, 16
        ret
        .cfi_endproc
        .size   twice, .-twice

        .cfi_startproc
once:   addi    s4, s4, 1
        ret
        .cfi_endproc
        .size   once, .-once

        .bss
        .balign 16
stacks: .space  256 * 32
