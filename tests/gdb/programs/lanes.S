# All lanes of all warps: a branch on which they disagree, a loop that all take, a result each.
#include "vortex.inc"
        .text
        .globl  _start
_start: csrr    t0, 0xfc1               # warps of the core
        la      t1, every_warp
        wspawn  t0, t1
every_warp:
        li      t0, -1
        tmc     t0
        csrr    s0, 0xcc0               # lane
        csrr    s1, 0xcc1               # warp
        csrr    s2, 0xf14               # number of this thread among all
        li      s3, 0
        andi    s4, s0, 1
divide: split   s5, s4
branch: beqz    s4, even
odd:    addi    s3, s3, 100
        addi    s3, s3, 1
        j       meet
even:   addi    s3, s3, 200
        addi    s3, s3, 2
meet:   join    s5
        li      s6, 5
again:  addi    s3, s3, 1000            # the loop that all lanes take together
count:  addi    s6, s6, -1
        bnez    s6, again
        la      t0, results
        slli    t1, s2, 2
        add     t0, t0, t1
store:  sw      s3, 0(t0)
        bnez    s1, leave
        li      t0, 1
        tmc     t0
        wspawn  t0, x0                  # waits for the other warps' end
        la      t0, status
        lw      a0, 0(t0)
last:   sw      a0, EXIT_WORD(x0)
leave:  tmc     x0

        .data
        .globl  results, status
        .align  2
status: .word   42
        .size   status, 4
        .type   status, @object
        .type   results, @object
        .size   results, 8192
results:
        .space  8192
