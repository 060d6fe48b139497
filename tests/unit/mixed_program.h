/* A program that makes use of all that a Vortex has, for tests of what must not depend on it. */
#ifndef TESTS_MIXED_PROGRAM_H
#define TESTS_MIXED_PROGRAM_H

#include "rig.h"

#define LUI(rd, imm) (U32(imm) << 12 | U32(rd) << 7 | 0x37)
#define SB(rs2, rs1, imm) (SW(rs2, rs1, imm) & ~(7u << 12))
#define MUL(rd, rs1, rs2) (1u << 25 | R(0x33, rd, 0, rs1, rs2))
#define ADD(rd, rs1, rs2) R(0x33, rd, 0, rs1, rs2)
#define OR(rd, rs1, rs2) R(0x33, rd, 6, rs1, rs2)
#define SLLI(rd, rs, by) I(0x13, rd, 1, rs, by)
#define SRLI(rd, rs, by) I(0x13, rd, 5, rs, by)
#define AMOADD(rd, rs1, rs2) R(0x2f, rd, 2, rs1, rs2)
#define LR(rd, rs1) (0x10000000u | R(0x2f, rd, 2, rs1, 0))
#define SC(rd, rs1, rs2) (0x18000000u | R(0x2f, rd, 2, rs1, rs2))
#define FCVT_S_W(fd, rs) (0x68u << 25 | R(0x53, fd, 7, rs, 0))
#define FDIV(fd, fa, fb) (0x0cu << 25 | R(0x53, fd, 7, fa, fb))
#define FADD(fd, fa, fb) R(0x53, fd, 7, fa, fb)

/* All that a state may consist of: warps started and ended, divergence, local memory of each core,
 * barriers, atomics and reservations, floating point flags, a console with half lines, code that
 * overwrites itself, the clock. A loop of `rounds` in each warp of each core. */
static size_t mixed_program(uint32_t *code, unsigned rounds)
{
    size_t n = 0;
#define PUT(word) code[n++] = (word)
    PUT(CSRR(A0, 0xfc1)); /* warps of a core */
    PUT(AUIPC(A1, 0));
    PUT(ADDI(A1, A1, 3 * 4));
    PUT(WSPAWN(A0, A1)); /* the others begin at the next instruction */
    PUT(ADDI(T0, X0, -1));
    PUT(TMC(T0));
    PUT(CSRR(S1, 0xf14));  /* hart */
    PUT(CSRR(A3, 0xfc3));  /* local memory */
    PUT(LUI(A4, 0x10000)); /* global memory */
    PUT(CSRR(A0, 0xfc1));
    PUT(ADDI(S2, S1, 0x137));
    PUT(ADDI(S5, X0, rounds));
    const size_t loop = n;
    PUT(LUI(T1, 0x41c65));
    PUT(ADDI(T1, T1, 0x64d));
    PUT(MUL(S2, S2, T1));
    PUT(ADDI(S2, S2, 0x39));
    PUT(SRLI(T1, S2, 7));
    PUT(ANDI(T1, T1, 1));
    PUT(SPLIT(T2, T1));
    PUT(BEQZ(T1, 5 * 4));
    PUT(SLLI(T0, S1, 2));
    PUT(ADD(T0, T0, A3));
    PUT(SW(S2, T0, 0)); /* local memory */
    PUT(J(X0, 4 * 4));
    PUT(SLLI(T0, S1, 5));
    PUT(ADD(T0, T0, A4));
    PUT(SW(S2, T0, 64)); /* global memory */
    PUT(JOIN(T2));
    PUT(AMOADD(T0, A4, S2));
    PUT(ADDI(A5, A4, 4));
    PUT(LR(T0, A5));
    PUT(ADDI(T0, T0, 1));
    PUT(SC(A6, A5, T0));
    PUT(FCVT_S_W(1, S2));
    PUT(FCVT_S_W(2, S1));
    PUT(FDIV(3, 1, 2));
    PUT(FADD(4, 3, 4));
    PUT(SRLI(T0, S2, 9));
    PUT(ANDI(T0, T0, 15)); /* 10 ends a line */
    PUT(SB(T0, X0, 0x40));
    /* Writes the immediate of the instruction after it. */
    PUT(AUIPC(A7, 0));
    PUT(ANDI(T0, S2, 255));
    PUT(SLLI(T0, T0, 20));
    PUT(LUI(T1, 0x00099));
    PUT(ADDI(T1, T1, (int)ADDI(S3, S3, 0) - 0x99000));
    PUT(OR(T0, T0, T1));
    PUT(SW(T0, A7, 7 * 4));
    PUT(ADDI(S3, S3, 0));
    PUT(CSRR(T0, 0xb00)); /* the clock */
    PUT(ADD(S4, S4, T0));
    PUT(BAR(X0, A0));
    PUT(ADDI(S5, S5, -1));
    const int back = -(int)(n - loop) * 4;
    PUT(BNEZ(S5, back));
    PUT(TMC(X0));
#undef PUT
    return n;
}

#endif
