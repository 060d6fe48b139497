# Stores, loads and atomics for watchpoints: of all lanes, of one, in local memory of each core.
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
        csrr    s2, 0xcc2               # core
        csrr    s3, 0xf14               # number of this thread among all
        csrr    s4, 0xfc3               # local memory
        la      s5, shared
        la      s6, results
        slli    t1, s3, 2
        add     s6, s6, t1
        # In local memory: 0, then 100 + the core's number, by all lanes of all its warps.
        sw      x0, 0(s4)
        addi    t0, s2, 100
local:  sw      t0, 0(s4)
        # A word for each thread: five times the same, then other values.
        li      s7, 5
same:   sw      x0, 0(s6)
        addi    s7, s7, -1
        bnez    s7, same
        li      s7, 3
again:  addi    t0, s3, 1000
        mul     t0, t0, s7
result: sw      t0, 0(s6)
        addi    s7, s7, -1
        bnez    s7, again
        # A store, and then a wait for the other warps.
        la      t1, shared
arrive: sw      s1, 0(t1)
        csrr    t0, 0xfc1
wait:   bar     x0, t0
        # All lanes add to one word, and read another.
        la      t1, sum
        li      t0, 1
add:    amoadd.w x0, t0, (t1)
look:   lw      t0, 4(t1)
        bnez    s1, leave
        li      t0, 1
        tmc     t0
        wspawn  t0, x0                  # waits for the other warps' end
        la      t0, status
        lw      a0, 0(t0)
last:   sw      a0, EXIT_WORD(x0)
leave:  tmc     x0

        .data
        .globl  results, status, shared, sum, constant
        .align  2
status: .word   42
shared: .word   -1
        .type   sum, @object
        .size   sum, 4
sum:    .word   0
        .type   constant, @object
        .size   constant, 4
constant: .word 7
        .type   results, @object
        .size   results, 8192
results:
        .space  8192
