# Lane 1 of warp 2 loads from an odd address.
#include "vortex.inc"
        .text
        .globl  _start
_start: li      t0, 3
        la      t1, work
        wspawn  t0, t1
        j       done
work:   csrr    t0, 0xcc1
        li      t1, 2
        bne     t0, t1, done
        tmc     t1                      # lane 1
        la      t2, _start
        lw      t3, 1(t2)
done:   tmc     x0
