/* What a kernel's file of Vortex 3.0 needs: the prologue that the launch unit expects, and names
 * for its table. */
#ifndef VORTEX3_START_H
#define VORTEX3_START_H
#include <stdint.h>

__asm__(".section .start, \"ax\", @progbits\n"
        ".option norelax\n"
        ".option norvc\n"
        ".globl _start\n"
        "_start:\n"
        "    csrr t0, 0xf14\n"
        "    slli t0, t0, 13\n"
        "    csrr sp, 0xfc3\n"
        "    sub sp, sp, t0\n"
        "    csrr s11, 0xce1\n"
        "    csrr a0, 0x340\n"
        "    jalr ra, s11\n"
        "    .insn r 0x0b, 7, 0, x0, x0, x0\n"
        "    .insn r 0x0b, 0, 0, x0, x0, x0\n"
        ".text\n");

#define CSR(number)                                                                                \
    ({                                                                                             \
        uintptr_t value_;                                                                          \
        __asm__("csrr %0, " #number : "=r"(value_));                                               \
        value_;                                                                                    \
    })
#define KERNEL_NAME(name) extern void __vx_kentry_##name(const void *) __attribute__((alias(#name)))
#endif
