# Writes a word into each page of 4 MiB, again and again, each time another one; then ends.
#include "vortex.inc"
#ifndef ROUNDS
#define ROUNDS 24000
#endif
#define PAGES 1024
        .text
        .globl  _start
_start: li      s0, ROUNDS
        li      s1, 4096
round:  la      t0, area
        li      t1, PAGES
write:  sw      s0, 0(t0)
        add     t0, t0, s1
        addi    t1, t1, -1
        bnez    t1, write
        addi    s0, s0, -1
        bnez    s0, round
        sw      x0, EXIT_WORD(x0)
        tmc     x0

        .bss
        .globl  area
        .align  12
area:   .space  4096 * PAGES
