/*
 * Meanings as bytes (meaning.h): with these macros the last arguments of a row become the elements
 * of an array. Arguments are expanded before they are substituted, so that expressions nest. Files
 * that have tables include it after all other headers: its names are short.
 */
#include "emulator/machine/meaning.h"

/* Statements */
#define OUT(to, ...) WT_M_OUT, WT_RESULT_##to, __VA_ARGS__,
#define LOAD(address) WT_M_LOAD, address,
#define STORE(address) WT_M_STORE, address,
#define ATOMIC(address, value) WT_M_ATOMIC, address, value,
#define JUMP(condition, address) WT_M_JUMP, condition, address,
#define LANES(decides) WT_M_LANES, decides,
#define NOTHING
#define UNSAID(why) WT_M_UNSAID, WT_UNSAID_##why,
/* The result, and whether it is 0, in SCC */
#define OUT_SCC(x) OUT(D, x) OUT(SCC, NONZERO(RESULT))
#define LESS WT_M_LESS
#define EQUAL WT_M_EQUAL
#define GREATER WT_M_GREATER
#define UNORDERED WT_M_UNORDERED
/* Nodes */
#define K(n, m) WT_M_K, (n)&255, (m)&255
#define A WT_M_A
#define B WT_M_B
#define C WT_M_C
#define FOURTH WT_M_FOURTH
#define OLD WT_M_OLD
#define SCC WT_M_SCC
#define EXEC WT_M_EXEC
#define VCC WT_M_VCC
#define M0 WT_M_M0
#define BASE WT_M_BASE
#define INDEX WT_M_INDEX
#define OFFSET WT_M_OFFSET
#define MEMORY WT_M_MEMORY
#define LANE WT_M_LANE
#define NEXT WT_M_NEXT
#define TARGET WT_M_TARGET
#define STATE WT_M_STATE
#define RESULT WT_M_RESULT
#define NOT(x) WT_M_NOT, x
#define AND(x, y) WT_M_AND, x, y
#define OR(x, y) WT_M_OR, x, y
#define XOR(x, y) WT_M_XOR, x, y
#define LOGIC(n, x, y, z) WT_M_LOGIC, (n)&255, x, y, z
#define SELECT(x, y, z) WT_M_SELECT, x, y, z
#define PART(n, m, x) WT_M_PART, (n)&255, (m)&255, x
#define JOIN(x, y) WT_M_JOIN, x, y
#define ZEXT(n, x) WT_M_ZEXT, (n)&255, x
#define SEXT(n, x) WT_M_SEXT, (n)&255, x
#define NONZERO(x) WT_M_NONZERO, x
#define FNEG(x) WT_M_FNEG, x
#define REVERSE(x) WT_M_REVERSE, x
#define PERMUTE(x, y, z) WT_M_PERMUTE, x, y, z
#define PICK(x, y, z) WT_M_PICK, x, y, z
#define ONES(x) WT_M_ONES, x
#define HIGHEST(x) WT_M_HIGHEST, x
#define LOWEST(x) WT_M_LOWEST, x
#define UNLIKE(x) WT_M_UNLIKE, x
#define QUADS(x) WT_M_QUADS, x
#define QUAD_ANY(x) WT_M_QUAD_ANY, x
#define TWICE(x) WT_M_TWICE, x
#define SHL(x, y) WT_M_SHL, x, y
#define SHR(x, y) WT_M_SHR, x, y
#define SAR(x, y) WT_M_SAR, x, y
#define SHL_OUT(x, y) WT_M_SHL_OUT, x, y
#define SHR_OUT(x, y) WT_M_SHR_OUT, x, y
#define SAR_OUT(x, y) WT_M_SAR_OUT, x, y
#define FIELD(x, y, z) WT_M_FIELD, x, y, z
#define FIELD_S(x, y, z) WT_M_FIELD_S, x, y, z
#define ADD(x, y) WT_M_ADD, x, y
#define SUB(x, y) WT_M_SUB, x, y
#define ADDC(x, y, z) WT_M_ADDC, x, y, z
#define SUBC(x, y, z) WT_M_SUBC, x, y, z
#define CARRY(x, y, z) WT_M_CARRY, x, y, z
#define BORROW(x, y, z) WT_M_BORROW, x, y, z
#define OVERFLOW_ADD(x, y) WT_M_OVERFLOW_ADD, x, y
#define OVERFLOW_SUB(x, y) WT_M_OVERFLOW_SUB, x, y
#define MUL(x, y) WT_M_MUL, x, y
#define MUL_HIGH(x, y) WT_M_MUL_HIGH, x, y
#define MUL_HIGH_S(x, y) WT_M_MUL_HIGH_S, x, y
#define MUL_HIGH_SU(x, y) WT_M_MUL_HIGH_SU, x, y
#define DIV(x, y) WT_M_DIV, x, y
#define DIV_S(x, y) WT_M_DIV_S, x, y
#define REM(x, y) WT_M_REM, x, y
#define REM_S(x, y) WT_M_REM_S, x, y
#define DIFFERENCE(x, y) WT_M_DIFFERENCE, x, y
#define CLAMP(n, x) WT_M_CLAMP, (n)&255, x
#define CLAMP_S(n, x) WT_M_CLAMP_S, (n)&255, x
#define CLAMP_SU(n, x) WT_M_CLAMP_SU, (n)&255, x
#define SAT(n, x) WT_M_SAT, (n)&255, x
#define SAT_S(n, x) WT_M_SAT_S, (n)&255, x
#define SAT_SU(n, x) WT_M_SAT_SU, (n)&255, x
#define EQ(x, y) WT_M_EQ, x, y
#define NE(x, y) WT_M_NE, x, y
#define LT(x, y) WT_M_LT, x, y
#define LE(x, y) WT_M_LE, x, y
#define LT_S(x, y) WT_M_LT_S, x, y
#define LE_S(x, y) WT_M_LE_S, x, y
#define MIN(x, y) WT_M_MIN, x, y
#define MAX(x, y) WT_M_MAX, x, y
#define MIN_S(x, y) WT_M_MIN_S, x, y
#define MAX_S(x, y) WT_M_MAX_S, x, y
#define MED(x, y, z) WT_M_MED, x, y, z
#define MED_S(x, y, z) WT_M_MED_S, x, y, z
#define FADD(x, y) WT_M_FADD, x, y
#define FSUB(x, y) WT_M_FSUB, x, y
#define FMUL(x, y) WT_M_FMUL, x, y
#define FMUL_0(x, y) WT_M_FMUL_0, x, y
#define FMA(x, y, z) WT_M_FMA, x, y, z
#define FDIV(x, y) WT_M_FDIV, x, y
#define FMIN(x, y) WT_M_FMIN, x, y
#define FMAX(x, y) WT_M_FMAX, x, y
#define FMED(x, y, z) WT_M_FMED, x, y, z
#define FSQRT(x) WT_M_FSQRT, x
#define FINVERSE(x) WT_M_FINVERSE, x
#define FINVERSE_SQRT(x) WT_M_FINVERSE_SQRT, x
#define FEXP2(x) WT_M_FEXP2, x
#define FLOG2(x) WT_M_FLOG2, x
#define FSIN(x) WT_M_FSIN, x
#define FCOS(x) WT_M_FCOS, x
#define FTRUNC(x) WT_M_FTRUNC, x
#define FCEIL(x) WT_M_FCEIL, x
#define FFLOOR(x) WT_M_FFLOOR, x
#define FROUND(x) WT_M_FROUND, x
#define FFRACT(x) WT_M_FFRACT, x
#define FSCALE(x, y) WT_M_FSCALE, x, y
#define FMANTISSA(x) WT_M_FMANTISSA, x
#define FEXPONENT(n, x) WT_M_FEXPONENT, (n)&255, x
#define FCOMPARE(n, x, y) WT_M_FCOMPARE, (n)&255, x, y
#define FCLASS(x, y) WT_M_FCLASS, x, y
#define FKIND(n, x) WT_M_FKIND, (n)&255, x
#define FLOAT(n, x) WT_M_FLOAT, (n)&255, x
#define FLOAT_S(n, x) WT_M_FLOAT_S, (n)&255, x
#define FLOAT_F(n, x) WT_M_FLOAT_F, (n)&255, x
#define FIXED(n, x) WT_M_FIXED, (n)&255, x
#define FIXED_S(n, x) WT_M_FIXED_S, (n)&255, x
#define ROUNDED(n, x) WT_M_ROUNDED, (n)&255, x
#define ROUNDED_S(n, x) WT_M_ROUNDED_S, (n)&255, x
#define DIVISION_SCALE(x, y, z) WT_M_DIVISION_SCALE, x, y, z
#define DIVISION_SCALED(x, y, z) WT_M_DIVISION_SCALED, x, y, z
#define DIVISION_FIX(x, y, z) WT_M_DIVISION_FIX, x, y, z
#define OPAQUE1(n, x) WT_M_OPAQUE1, (n)&255, x
#define OPAQUE2(n, x, y) WT_M_OPAQUE2, (n)&255, x, y
#define OPAQUE3(n, x, y, z) WT_M_OPAQUE3, (n)&255, x, y, z
