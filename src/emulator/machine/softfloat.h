/*
 * IEEE 754 binary16, binary32 and binary64 arithmetic in integers: exact on any host, in every
 * rounding mode, with flags. Emulators use it where the host's arithmetic would not do (another
 * rounding mode, another host), and as the reference for where it would.
 */
#ifndef WT_EMULATOR_MACHINE_SOFTFLOAT_H
#define WT_EMULATOR_MACHINE_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>

/** Rounding modes, numbered as RISC-V's frm (unprivileged ISA, table "Rounding mode encoding"). */
enum wt_round {
    WT_RNE = 0, /**< to nearest, ties to even */
    WT_RTZ = 1, /**< towards zero */
    WT_RDN = 2, /**< down */
    WT_RUP = 3, /**< up */
    WT_RMM = 4, /**< to nearest, ties away from zero */
};

/** Exception flags, placed as in RISC-V's fflags. */
enum wt_fp_flags {
    WT_FP_INEXACT = 1,
    WT_FP_UNDERFLOW = 2,
    WT_FP_OVERFLOW = 4,
    WT_FP_DIVZERO = 8,
    WT_FP_INVALID = 16,
};

/** How an operation behaves, and what it raised. A zeroed struct is RISC-V's default. */
struct wt_fp {
    uint8_t round; /**< enum wt_round */
    uint8_t flags; /**< enum wt_fp_flags, accumulated, never cleared here */
    bool
        propagate_nan; /**< a NaN result is the first NaN operand, quieted (GCN, Gen, SM); else the
                            canonical quiet NaN: positive, only the top fraction bit set (RISC-V) */
    bool flush_input;  /**< denormal operands count as zeros of their sign */
    bool flush_output; /**< denormal results become zeros of their sign (underflow, inexact) */
};

/*
 * Arithmetic. The exact result is rounded once, by fp->round; tininess is detected after rounding.
 * Exceptions are added to fp->flags.
 */

/** a + b in binary16. */
uint16_t wt_f16_add(uint16_t a, uint16_t b, struct wt_fp *fp);
/** a - b in binary16. */
uint16_t wt_f16_sub(uint16_t a, uint16_t b, struct wt_fp *fp);
/** a * b in binary16. */
uint16_t wt_f16_mul(uint16_t a, uint16_t b, struct wt_fp *fp);
/** a / b in binary16. */
uint16_t wt_f16_div(uint16_t a, uint16_t b, struct wt_fp *fp);
/** The square root of a in binary16; invalid for numbers below -0. */
uint16_t wt_f16_sqrt(uint16_t a, struct wt_fp *fp);
/** a * b + c in binary16, rounded once. */
uint16_t wt_f16_fma(uint16_t a, uint16_t b, uint16_t c, struct wt_fp *fp);
/** a + b in binary32. */
uint32_t wt_f32_add(uint32_t a, uint32_t b, struct wt_fp *fp);
/** a - b in binary32. */
uint32_t wt_f32_sub(uint32_t a, uint32_t b, struct wt_fp *fp);
/** a * b in binary32. */
uint32_t wt_f32_mul(uint32_t a, uint32_t b, struct wt_fp *fp);
/** a / b in binary32. */
uint32_t wt_f32_div(uint32_t a, uint32_t b, struct wt_fp *fp);
/** The square root of a in binary32; invalid for numbers below -0. */
uint32_t wt_f32_sqrt(uint32_t a, struct wt_fp *fp);
/** a * b + c in binary32, rounded once. */
uint32_t wt_f32_fma(uint32_t a, uint32_t b, uint32_t c, struct wt_fp *fp);
/** a + b in binary64. */
uint64_t wt_f64_add(uint64_t a, uint64_t b, struct wt_fp *fp);
/** a - b in binary64. */
uint64_t wt_f64_sub(uint64_t a, uint64_t b, struct wt_fp *fp);
/** a * b in binary64. */
uint64_t wt_f64_mul(uint64_t a, uint64_t b, struct wt_fp *fp);
/** a / b in binary64. */
uint64_t wt_f64_div(uint64_t a, uint64_t b, struct wt_fp *fp);
/** The square root of a in binary64; invalid for numbers below -0. */
uint64_t wt_f64_sqrt(uint64_t a, struct wt_fp *fp);
/** a * b + c in binary64, rounded once. */
uint64_t wt_f64_fma(uint64_t a, uint64_t b, uint64_t c, struct wt_fp *fp);

/*
 * Comparison: false where an operand is a NaN. eq is quiet (invalid only for a signalling NaN); lt
 * and le raise invalid for any NaN.
 */

/** Whether a == b in binary16. */
bool wt_f16_eq(uint16_t a, uint16_t b, struct wt_fp *fp);
/** Whether a < b in binary16. */
bool wt_f16_lt(uint16_t a, uint16_t b, struct wt_fp *fp);
/** Whether a <= b in binary16. */
bool wt_f16_le(uint16_t a, uint16_t b, struct wt_fp *fp);
/** Whether a == b in binary32. */
bool wt_f32_eq(uint32_t a, uint32_t b, struct wt_fp *fp);
/** Whether a < b in binary32. */
bool wt_f32_lt(uint32_t a, uint32_t b, struct wt_fp *fp);
/** Whether a <= b in binary32. */
bool wt_f32_le(uint32_t a, uint32_t b, struct wt_fp *fp);
/** Whether a == b in binary64. */
bool wt_f64_eq(uint64_t a, uint64_t b, struct wt_fp *fp);
/** Whether a < b in binary64. */
bool wt_f64_lt(uint64_t a, uint64_t b, struct wt_fp *fp);
/** Whether a <= b in binary64. */
bool wt_f64_le(uint64_t a, uint64_t b, struct wt_fp *fp);

/*
 * IEEE 754-2019 minimumNumber and maximumNumber, -0 < +0 (RISC-V F 2.2: FMIN, FMAX): the result
 * is a NaN only where both operands are. A signalling NaN raises invalid.
 */

/** The smaller of a and b in binary16. */
uint16_t wt_f16_min(uint16_t a, uint16_t b, struct wt_fp *fp);
/** The larger of a and b in binary16. */
uint16_t wt_f16_max(uint16_t a, uint16_t b, struct wt_fp *fp);
/** The smaller of a and b in binary32. */
uint32_t wt_f32_min(uint32_t a, uint32_t b, struct wt_fp *fp);
/** The larger of a and b in binary32. */
uint32_t wt_f32_max(uint32_t a, uint32_t b, struct wt_fp *fp);
/** The smaller of a and b in binary64. */
uint64_t wt_f64_min(uint64_t a, uint64_t b, struct wt_fp *fp);
/** The larger of a and b in binary64. */
uint64_t wt_f64_max(uint64_t a, uint64_t b, struct wt_fp *fp);

/** RISC-V FCLASS of binary16: a mask of ten bits, of which one is set. */
unsigned wt_f16_class(uint16_t a);
/** RISC-V FCLASS of binary32: a mask of ten bits, of which one is set. */
unsigned wt_f32_class(uint32_t a);
/** RISC-V FCLASS of binary64: a mask of ten bits, of which one is set. */
unsigned wt_f64_class(uint64_t a);

/*
 * Between formats. A conversion to a narrower format rounds by fp->round; one to a wider format is
 * exact.
 */

/** Binary16 to binary32. */
uint32_t wt_f16_to_f32(uint16_t a, struct wt_fp *fp);
/** Binary16 to binary64. */
uint64_t wt_f16_to_f64(uint16_t a, struct wt_fp *fp);
/** Binary32 to binary16. */
uint16_t wt_f32_to_f16(uint32_t a, struct wt_fp *fp);
/** Binary32 to binary64. */
uint64_t wt_f32_to_f64(uint32_t a, struct wt_fp *fp);
/** Binary64 to binary16. */
uint16_t wt_f64_to_f16(uint64_t a, struct wt_fp *fp);
/** Binary64 to binary32. */
uint32_t wt_f64_to_f32(uint64_t a, struct wt_fp *fp);

/*
 * To integers, rounded by fp->round. Out of range and NaN give RISC-V's values (NaN and +inf the
 * maximum, -inf the minimum) and only the invalid flag.
 */

/** Binary16 to a signed integer of 32 bits. */
int32_t wt_f16_to_i32(uint16_t a, struct wt_fp *fp);
/** Binary16 to an unsigned integer of 32 bits. */
uint32_t wt_f16_to_u32(uint16_t a, struct wt_fp *fp);
/** Binary16 to a signed integer of 64 bits. */
int64_t wt_f16_to_i64(uint16_t a, struct wt_fp *fp);
/** Binary16 to an unsigned integer of 64 bits. */
uint64_t wt_f16_to_u64(uint16_t a, struct wt_fp *fp);
/** Binary32 to a signed integer of 32 bits. */
int32_t wt_f32_to_i32(uint32_t a, struct wt_fp *fp);
/** Binary32 to an unsigned integer of 32 bits. */
uint32_t wt_f32_to_u32(uint32_t a, struct wt_fp *fp);
/** Binary32 to a signed integer of 64 bits. */
int64_t wt_f32_to_i64(uint32_t a, struct wt_fp *fp);
/** Binary32 to an unsigned integer of 64 bits. */
uint64_t wt_f32_to_u64(uint32_t a, struct wt_fp *fp);
/** Binary64 to a signed integer of 32 bits. */
int32_t wt_f64_to_i32(uint64_t a, struct wt_fp *fp);
/** Binary64 to an unsigned integer of 32 bits. */
uint32_t wt_f64_to_u32(uint64_t a, struct wt_fp *fp);
/** Binary64 to a signed integer of 64 bits. */
int64_t wt_f64_to_i64(uint64_t a, struct wt_fp *fp);
/** Binary64 to an unsigned integer of 64 bits. */
uint64_t wt_f64_to_u64(uint64_t a, struct wt_fp *fp);

/* From integers, rounded by fp->round. */

/** Signed integer of 64 bits to binary16. */
uint16_t wt_i64_to_f16(int64_t a, struct wt_fp *fp);
/** Unsigned integer of 64 bits to binary16. */
uint16_t wt_u64_to_f16(uint64_t a, struct wt_fp *fp);
/** Signed integer of 64 bits to binary32. */
uint32_t wt_i64_to_f32(int64_t a, struct wt_fp *fp);
/** Unsigned integer of 64 bits to binary32. */
uint32_t wt_u64_to_f32(uint64_t a, struct wt_fp *fp);
/** Signed integer of 64 bits to binary64. */
uint64_t wt_i64_to_f64(int64_t a, struct wt_fp *fp);
/** Unsigned integer of 64 bits to binary64. */
uint64_t wt_u64_to_f64(uint64_t a, struct wt_fp *fp);

#endif
