# One mistake each, chosen by MISTAKE: what a program can do wrong that stops it.
#include "vortex.inc"
        .text
        .globl  _start, bad
_start: li      t0, -1
        tmc     t0
        li      t0, -1                  # for the lanes that are on only now
        csrr    s0, 0xcc0               # lane
        andi    s1, s0, 1
        li      s2, 7
#if MISTAKE == 1                        /* lanes disagree, and no SPLIT came before */
bad:    beqz    s1, _start
#elif MISTAKE == 2                      /* more branches than the IPDOM stack has entries */
bad:    split   s5, s1
        tmc     t0
        j       bad
#elif MISTAKE == 3                      /* an entry that nobody has pushed */
        li      s4, 1
bad:    join    s4
#elif MISTAKE == 4                      /* a barrier for two warps, of which there is one */
        li      s3, 0
        li      s4, 2
bad:    bar     s3, s4
#endif
last:   tmc     x0
