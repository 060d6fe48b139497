# Never ends; counts.
        .text
        .globl  _start
_start: li      s0, 0
        la      s1, counter
loop:   addi    s0, s0, 1
        sw      s0, 0(s1)
        j       loop
        .data
        .globl  counter
        .type   counter, @object
        .size   counter, 4
        .align  2
counter: .word  0
