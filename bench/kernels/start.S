# Start-up of the measured kernels. On a Vortex (VORTEX defined) all lanes of warp 0 run; under
# QEMU user mode the one thread does.
    .option norelax
    .globl _start
_start:
#ifdef VORTEX
    csrr t0, 0xfc0              # NUM_THREADS
    li t1, -1
    .insn r 0x0b, 0, 0, x0, t1, x0   # vx_tmc: all lanes
    csrr a0, 0xcc0              # THREAD_ID
    csrr a1, 0xfc0
    li sp, 0x90000000
    slli t0, a0, 13
    sub sp, sp, t0
    call run
    .insn r 0x0b, 0, 0, x0, x0, x0   # vx_tmc zero: the end
#else
    li a0, 0
    li a1, 1
    call run
    li a0, 0
    li a7, 93                   # exit
    ecall
#endif
