# Four warps meet at barrier 0; warp 0 comes late. At `stuck` they wait for a fifth one that there is not.
#include "vortex.inc"
        .text
        .globl  _start
_start: li      t0, 4
        la      t1, every_warp
        wspawn  t0, t1
every_warp:
        li      t0, -1
        tmc     t0
        csrr    s1, 0xcc1               # warp
        bnez    s1, first
        li      s6, 200
idle:   addi    s6, s6, -1
        bnez    s6, idle
late:   nop
first:  li      a0, 0
        li      a1, 4
meet:   bar     a0, a1
        li      a0, 1
        li      a1, 5
stuck:  bar     a0, a1
leave:  tmc     x0
