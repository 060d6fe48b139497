# An instruction that does not exist.
        .text
        .globl  _start
_start: li      s0, 7
bad:    .word   0xffffffff
        j       _start
