/*
 * PTX: integers, bits, moves (manual 9.7.1, 9.7.2, 9.7.7, 9.7.8, 9.7.16). Operands of 8 and 16 bits
 * stand in the low bits of a dword, and only those are read.
 */
#include "emulator/sm/lane_bits.h"
#include "emulator/sm/ptx/exec/rows.h"

/* Expressions serve signed and unsigned operands. */
#pragma GCC diagnostic ignored "-Wtype-limits"

/* ---- one lane ---- */

/* By 0: all ones, as NVIDIA's GPUs have it. */
#define DIV(U, V, a, b)                                                                            \
    ((b) == 0 ? (U) ~(U)0 : (V)-1 < (V)0 && (b) == (V)-1 ? (U)(0 - (U)(a)) : (U)((a) / (b)))
#define REM(U, V, a, b)                                                                            \
    ((b) == 0 ? (U) ~(U)0 : (V)-1 < (V)0 && (b) == (V)-1 ? (U)0 : (U)((a) % (b)))

static inline uint32_t clamp_add(int32_t a, int32_t b)
{
    int32_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? 0x80000000u : 0x7fffffffu;
    return (uint32_t)sum;
}

static inline uint32_t clamp_sub(int32_t a, int32_t b)
{
    int32_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return a < 0 ? 0x80000000u : 0x7fffffffu;
    return (uint32_t)difference;
}

/* 24 bits of each; the high form has bits 47..16 (9.7.1.5). */
static inline int64_t product24(int64_t a, int64_t b, bool is_signed)
{
    if (is_signed)
        return wt_sign_extend((uint64_t)a, 24) * wt_sign_extend((uint64_t)b, 24);
    return (a & 0xffffff) * (b & 0xffffff);
}

static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t n, bool right)
{
    const uint64_t both = (uint64_t)high << 32 | low;
    return (uint32_t)(right ? both >> n : both << n >> 32);
}

static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, unsigned types)
{
    for (unsigned i = 0; i < 4; i++) {
        const int32_t x = types & 1 ? (int8_t)(a >> 8 * i) : (uint8_t)(a >> 8 * i);
        const int32_t y = types & 2 ? (int8_t)(b >> 8 * i) : (uint8_t)(b >> 8 * i);
        c += (uint32_t)(x * y);
    }
    return c;
}

/* ---- the executors: OPS(type, element, value, unsigned, wide, bits) ---- */

#define ALL(T, E, V, U, W, N)                                                                      \
    PTX_ROW(add_##T, E, V, E, (U)((U)a + (U)b))                                                    \
    PTX_ROW(sub_##T, E, V, E, (U)((U)a - (U)b))                                                    \
    PTX_ROW(mul_lo_##T, E, V, E, (U)((W)a * (W)b))                                                 \
    PTX_ROW(mul_hi_##T, E, V, E, (U)((W)a * (W)b >> N))                                            \
    PTX_ROW(mad_lo_##T, E, V, E, (U)((U)((W)a * (W)b) + (U)c))                                     \
    PTX_ROW(mad_hi_##T, E, V, E, (U)((U)((W)a * (W)b >> N) + (U)c))                                \
    PTX_ROW(sad_##T, E, V, E, (U)((U)c + (U)(a < b ? (U)b - (U)a : (U)a - (U)b)))                  \
    PTX_LANE_BY_LANE(div_##T, E, V, E, DIV(U, V, a, b))                                            \
    PTX_LANE_BY_LANE(rem_##T, E, V, E, REM(U, V, a, b))                                            \
    PTX_ROW(abs_##T, E, V, E, (U)(a < 0 ? (U)0 - (U)a : (U)a))                                     \
    PTX_ROW(neg_##T, E, V, E, (U)((U)0 - (U)a))                                                    \
    PTX_ROW(min_##T, E, V, E, (U)(a < b ? a : b))                                                  \
    PTX_ROW(max_##T, E, V, E, (U)(a > b ? a : b))                                                  \
    PTX_ROW(and_##T, E, V, E, (U)((U)a & (U)b))                                                    \
    PTX_ROW(or_##T, E, V, E, (U)((U)a | (U)b))                                                     \
    PTX_ROW(xor_##T, E, V, E, (U)((U)a ^ (U)b))                                                    \
    PTX_ROW(not_##T, E, V, E, (U) ~(U)a)                                                           \
    PTX_ROW(cnot_##T, E, V, E, (U)(a == 0))                                                        \
    PTX_ROW(mov_##T, E, U, E, a)

ALL(u16, uint32_t, uint16_t, uint16_t, uint32_t, 16)
ALL(s16, uint32_t, int16_t, uint16_t, int32_t, 16)
ALL(u32, uint32_t, uint32_t, uint32_t, uint64_t, 32)
ALL(s32, uint32_t, int32_t, uint32_t, int64_t, 32)
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;
ALL(u64, uint64_t, uint64_t, uint64_t, u128, 64)
ALL(s64, uint64_t, int64_t, uint64_t, s128, 64)

/* The third operand is as wide as the result, the others are not. */
#define WIDE(T, E, V, R, W)                                                                        \
    PTX_ROW(mul_wide_##T, E, V, R, (W)a *(W)b)                                                     \
    PTX_ROW_EXECUTOR(mad_wide_##T)                                                                 \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);                        \
        const R *C = ptx_in(frame, &o->s[2]);                                                      \
        R *D = (R *)(frame + o->d);                                                                \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        PTX_COMPUTE(R, D, exec, ptx_are_few(exec), (R)((W)(V)A[i] * (W)(V)B[i]) + C[i])            \
        return sm_next(u);                                                                         \
    }

WIDE(u16, uint32_t, uint16_t, uint32_t, uint32_t)
WIDE(s16, uint32_t, int16_t, uint32_t, int32_t)
WIDE(u32, uint32_t, uint32_t, uint64_t, uint64_t)
WIDE(s32, uint32_t, int32_t, uint64_t, int64_t)

/* Shifts: the amount is a dword, and what is beyond the width counts as the width. */
#define SHIFT(name, E, V, U, N, expression)                                                        \
    static inline __attribute__((always_inline)) E name##_of(V a, uint32_t n)                      \
    {                                                                                              \
        return (E)(U)(expression);                                                                 \
    }                                                                                              \
    PTX_ROW_EXECUTOR(name)                                                                         \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        const E *A = ptx_in(frame, &o->s[0]);                                                      \
        const uint32_t *B = ptx_in(frame, &o->s[1]);                                               \
        E *D = (E *)(frame + o->d);                                                                \
        PTX_COMPUTE(E, D, exec, ptx_are_few(exec), name##_of((V)A[i], B[i]))                       \
        return sm_next(u);                                                                         \
    }
#define SHIFTS(T, E, V, U, N)                                                                      \
    SHIFT(shl_##T, E, V, U, N, n >= N ? 0 : (U)((uint64_t)(U)a << (n & (N - 1))))                  \
    SHIFT(shr_##T, E, V, U, N, n >= N ? (U)(a < 0 ? -1 : 0) : (U)(a >> (n & (N - 1))))

SHIFTS(u16, uint32_t, uint16_t, uint16_t, 16)
SHIFTS(s16, uint32_t, int16_t, uint16_t, 16)
SHIFTS(u32, uint32_t, uint32_t, uint32_t, 32)
SHIFTS(s32, uint32_t, int32_t, uint32_t, 32)
SHIFTS(u64, uint64_t, uint64_t, uint64_t, 64)
SHIFTS(s64, uint64_t, int64_t, uint64_t, 64)

PTX_ROW(mad_hi_sat_s32, uint32_t, int32_t, uint32_t, clamp_add((int32_t)((int64_t)a *b >> 32), c))
PTX_ROW(mad24_hi_sat_s32, uint32_t, int32_t, uint32_t,
        clamp_add((int32_t)(product24(a, b, true) >> 16), c))
PTX_ROW(add_sat_s32, uint32_t, int32_t, uint32_t, clamp_add(a, b))
PTX_ROW(sub_sat_s32, uint32_t, int32_t, uint32_t, clamp_sub(a, b))
PTX_ROW(min_relu_s32, uint32_t, int32_t, uint32_t, a < 0 || b < 0 ? 0 : a < b ? a : b)
PTX_ROW(max_relu_s32, uint32_t, int32_t, uint32_t, a < 0 && b < 0 ? 0 : a > b ? a : b)
PTX_ROW(mul24_u32, uint32_t, uint32_t, uint32_t, product24(a, b, false))
PTX_ROW(mul24_s32, uint32_t, uint32_t, uint32_t, product24(a, b, true))
PTX_ROW(mul24_hi_u32, uint32_t, uint32_t, uint32_t, product24(a, b, false) >> 16)
PTX_ROW(mul24_hi_s32, uint32_t, uint32_t, uint32_t, product24(a, b, true) >> 16)
PTX_ROW(mad24_u32, uint32_t, uint32_t, uint32_t, (uint32_t)product24(a, b, false) + c)
PTX_ROW(mad24_s32, uint32_t, uint32_t, uint32_t, (uint32_t)product24(a, b, true) + c)
PTX_ROW(mad24_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)(product24(a, b, false) >> 16) + c)
PTX_ROW(mad24_hi_s32, uint32_t, uint32_t, uint32_t, (uint32_t)(product24(a, b, true) >> 16) + c)
PTX_ROW(popc_u32, uint32_t, uint32_t, uint32_t, __builtin_popcount(a))
PTX_ROW(popc_u64, uint64_t, uint64_t, uint32_t, __builtin_popcountll(a))
PTX_ROW(clz_u32, uint32_t, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
PTX_ROW(clz_u64, uint64_t, uint64_t, uint32_t, a ? __builtin_clzll(a) : 64)
PTX_ROW(brev_u32, uint32_t, uint32_t, uint32_t, sm_reverse_bits(a, 32))
PTX_ROW(brev_u64, uint64_t, uint64_t, uint64_t, sm_reverse_bits(a, 64))
PTX_ROW(bfind_u32, uint32_t, uint32_t, uint32_t, sm_find_bit(a, false, 32, false))
PTX_ROW(bfind_s32, uint32_t, uint32_t, uint32_t, sm_find_bit(a, true, 32, false))
PTX_ROW(bfind_u64, uint64_t, uint64_t, uint32_t, sm_find_bit(a, false, 64, false))
PTX_ROW(bfind_s64, uint64_t, uint64_t, uint32_t, sm_find_bit(a, true, 64, false))
PTX_ROW(bfind_shiftamt_u32, uint32_t, uint32_t, uint32_t, sm_find_bit(a, false, 32, true))
PTX_ROW(bfind_shiftamt_s32, uint32_t, uint32_t, uint32_t, sm_find_bit(a, true, 32, true))
PTX_ROW(bfind_shiftamt_u64, uint64_t, uint64_t, uint32_t, sm_find_bit(a, false, 64, true))
PTX_ROW(bfind_shiftamt_s64, uint64_t, uint64_t, uint32_t, sm_find_bit(a, true, 64, true))
PTX_ROW(shf_l_wrap_u32, uint32_t, uint32_t, uint32_t, funnel(a, b, c & 31, false))
PTX_ROW(shf_l_clamp_u32, uint32_t, uint32_t, uint32_t, funnel(a, b, c > 32 ? 32 : c, false))
PTX_ROW(shf_r_wrap_u32, uint32_t, uint32_t, uint32_t, funnel(a, b, c & 31, true))
PTX_ROW(shf_r_clamp_u32, uint32_t, uint32_t, uint32_t, funnel(a, b, c > 32 ? 32 : c, true))
PTX_ROW(prmt_u32, uint32_t, uint32_t, uint32_t, sm_permute(a, b, c, o->how))
/* The place of the n-th set bit of a mask from a base on, upwards or downwards (9.7.1.17). */
static uint32_t nth_set(uint32_t mask, uint32_t base, int32_t n)
{
    uint32_t left = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    if (base > 31)
        return UINT32_MAX;
    if (!n)
        return mask >> base & 1 ? base : UINT32_MAX;
    for (int at = (int)base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
        if (mask >> at & 1 && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

/* Two products of the halves of a with two bytes of b (9.7.1.25): bit 0 of how: a is signed, 1: so
 * is b, 2: the high bytes. */
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, unsigned how)
{
    b = how & 4 ? b >> 16 : b;
    for (unsigned i = 0; i < 2; i++, a >>= 16, b >>= 8)
        c += (how & 1 ? (uint32_t)(int16_t)a : a & 0xffff) *
             (how & 2 ? (uint32_t)(int8_t)b : b & 0xff);
    return c;
}

/* A number of bits for bmsk and szext: up to 32, or the low five bits of it (.wrap). */
static inline uint32_t bit_count(uint32_t n, bool wrap)
{
    return wrap ? n & 31 : n < 32 ? n : 32;
}

static inline uint32_t mask_of(uint32_t from, uint32_t count, bool wrap)
{
    const uint64_t ones = ((uint64_t)1 << bit_count(count, wrap)) - 1;
    return (uint32_t)(ones << bit_count(from, wrap));
}

static inline uint32_t extend(uint32_t a, uint32_t bits, bool is_signed)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    const bool ones = is_signed && bits && a >> (bits - 1) & 1;
    return (uint32_t)((a & mask) | (ones ? ~mask : 0));
}

PTX_LANE_BY_LANE(fns_u32, uint32_t, uint32_t, uint32_t, nth_set(a, b, (int32_t)c))
PTX_ROW(lop3_u32, uint32_t, uint32_t, uint32_t, sm_logic3(a, b, c, o->how))
PTX_ROW(dp4a_u32, uint32_t, uint32_t, uint32_t, dot4(a, b, c, o->how))
PTX_ROW(dp2a_u32, uint32_t, uint32_t, uint32_t, dot2(a, b, c, o->how))
PTX_ROW(bmsk_u32, uint32_t, uint32_t, uint32_t, mask_of(a, b, o->how))
PTX_ROW(szext_u32, uint32_t, uint32_t, uint32_t, extend(a, bit_count(b, o->how), false))
PTX_ROW(szext_s32, uint32_t, uint32_t, uint32_t, extend(a, bit_count(b, o->how), true))

/* Operands of other widths than the result. */
#define EXTRACT(T, E, is_signed, N)                                                                \
    PTX_ROW_EXECUTOR(bfe_##T)                                                                      \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]);                                                      \
        const uint32_t *B = ptx_in(frame, &o->s[1]), *C = ptx_in(frame, &o->s[2]);                 \
        E *D = (E *)(frame + o->d);                                                                \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        PTX_COMPUTE(E, D, exec, ptx_are_few(exec), sm_extract(A[i], B[i], C[i], is_signed, N))     \
        return sm_next(u);                                                                         \
    }
EXTRACT(u32, uint32_t, false, 32)
EXTRACT(s32, uint32_t, true, 32)
EXTRACT(u64, uint64_t, false, 64)
EXTRACT(s64, uint64_t, true, 64)

#define INSERT(T, E, N)                                                                            \
    PTX_ROW_EXECUTOR(bfi_##T)                                                                      \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);                        \
        const uint32_t *C = ptx_in(frame, &o->s[2]), *F = ptx_in(frame, &o->s[3]);                 \
        E *D = (E *)(frame + o->d);                                                                \
        const uint32_t exec = ptx_lanes(w, o);                                                     \
        PTX_COMPUTE(E, D, exec, ptx_are_few(exec), sm_insert(A[i], B[i], C[i], F[i], N))           \
        return sm_next(u);                                                                         \
    }
INSERT(u32, uint32_t, 32)
INSERT(u64, uint64_t, 64)

/* With carry in (how & 1) and, if flag, carry out (9.7.2). The carry is that of machine code: a
 * difference is a + ~b + 1, so it is 0 after a borrow. */
#define CARRY(T, E, W, N)                                                                          \
    static const struct sm_uop *carry_##T(struct sm_warp *w, const struct sm_uop *u)               \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]),                        \
                *C = ptx_in(frame, &o->s[2]);                                                      \
        E *D = (E *)(frame + o->d);                                                                \
        uint32_t out = 0;                                                                          \
        const uint32_t exec = ptx_lanes(w, o), in = w->carry;                                      \
        PTX_LEFT(i, exec)                                                                          \
        {                                                                                          \
            const W carry = o->how & 1 ? in >> i & 1 : 0;                                          \
            W r;                                                                                   \
            if (o->combine == 0)                                                                   \
                r = (W)A[i] + B[i] + carry;                                                        \
            else if (o->combine == 1)                                                              \
                r = (W)A[i] + (E)~B[i] + (o->how & 1 ? carry : 1);                                 \
            else if (o->combine == 2)                                                              \
                r = (W)(E)(A[i] * B[i]) + C[i] + carry;                                            \
            else                                                                                   \
                r = (W)(E)(o->is_signed ? signed_high_##T(A[i], B[i])                              \
                                        : (E)((W)A[i] * B[i] >> N)) +                              \
                    C[i] + carry;                                                                  \
            D[i] = (E)r;                                                                           \
            out |= (uint32_t)(r >> N & 1) << i;                                                    \
        }                                                                                          \
        if (o->flag)                                                                               \
            w->carry = (in & ~exec) | out;                                                         \
        return sm_next(u);                                                                         \
    }

static inline uint32_t signed_high_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
}

static inline uint64_t signed_high_u64(uint64_t a, uint64_t b)
{
    return (uint64_t)((s128)(int64_t)a * (int64_t)b >> 64);
}

CARRY(u32, uint32_t, uint64_t, 32)
CARRY(u64, uint64_t, u128, 64)

bool ptx_is_carrying(sm_op run)
{
    return run == carry_u32 || run == carry_u64;
}

/* ---- the choice ---- */

#define ROW(op)                                                                                    \
    [PTX_OP_##op] = {[PTX_U16] = op##_u16, [PTX_S16] = op##_s16, [PTX_U32] = op##_u32,             \
                     [PTX_S32] = op##_s32, [PTX_U64] = op##_u64, [PTX_S64] = op##_s64}
#define ROW_WIDE(op)                                                                               \
    [PTX_OP_##op] = {                                                                              \
        [PTX_U16] = op##_u16, [PTX_S16] = op##_s16, [PTX_U32] = op##_u32, [PTX_S32] = op##_s32}
#define ROW_LARGE(op)                                                                              \
    [PTX_OP_##op] = {                                                                              \
        [PTX_U32] = op##_u32, [PTX_S32] = op##_s32, [PTX_U64] = op##_u64, [PTX_S64] = op##_s64}
#define ROW_BITS(op) [PTX_OP_##op] = {[PTX_U32] = op##_u32, [PTX_U64] = op##_u64}
#define ROW_32(op) [PTX_OP_##op] = {[PTX_U32] = op##_u32, [PTX_S32] = op##_s32}
#define ROW_U32(op) [PTX_OP_##op] = {[PTX_U32] = op##_u32}
#define ROW_CARRY(op)                                                                              \
    [PTX_OP_##op] = {[PTX_U32] = carry_u32,                                                        \
                     [PTX_S32] = carry_u32,                                                        \
                     [PTX_U64] = carry_u64,                                                        \
                     [PTX_S64] = carry_u64}

static const sm_op executors[PTX_MATHS][PTX_TYPES] = {
    ROW(add),
    ROW(sub),
    ROW(mul_lo),
    ROW(mul_hi),
    ROW(mad_lo),
    ROW(mad_hi),
    ROW(sad),
    ROW(div),
    ROW(rem),
    ROW(abs),
    ROW(neg),
    ROW(min),
    ROW(max),
    ROW(and),
    ROW(or),
    ROW(xor),
    ROW(not ),
    ROW(cnot),
    ROW(mov),
    ROW(shl),
    ROW(shr),
    ROW_WIDE(mul_wide),
    ROW_WIDE(mad_wide),
    [PTX_OP_add_sat] = {[PTX_S32] = add_sat_s32},
    [PTX_OP_sub_sat] = {[PTX_S32] = sub_sat_s32},
    [PTX_OP_min_relu] = {[PTX_S32] = min_relu_s32},
    [PTX_OP_max_relu] = {[PTX_S32] = max_relu_s32},
    [PTX_OP_mad_hi_sat] = {[PTX_S32] = mad_hi_sat_s32},
    [PTX_OP_mad24_hi_sat] = {[PTX_S32] = mad24_hi_sat_s32},
    ROW_CARRY(addc),
    ROW_CARRY(subc),
    ROW_CARRY(madc_lo),
    ROW_CARRY(madc_hi),
    ROW_32(mul24),
    ROW_32(mul24_hi),
    ROW_32(mad24),
    ROW_32(mad24_hi),
    ROW_BITS(popc),
    ROW_BITS(clz),
    ROW_BITS(brev),
    ROW_LARGE(bfind),
    ROW_LARGE(bfind_shiftamt),
    ROW_LARGE(bfe),
    ROW_BITS(bfi),
    ROW_U32(shf_l_wrap),
    ROW_U32(shf_l_clamp),
    ROW_U32(shf_r_wrap),
    ROW_U32(shf_r_clamp),
    ROW_U32(prmt),
    ROW_U32(lop3),
    ROW_U32(fns),
    ROW_U32(dp4a),
    ROW_U32(dp2a),
    ROW_U32(bmsk),
    ROW_32(szext),
};

/* Bits are unsigned numbers; for moves floats are bits. */
static enum ptx_type plain(enum ptx_math op, enum ptx_type type)
{
    switch (type) {
    case PTX_B8:
    case PTX_U8:
    case PTX_S8:
        return op == PTX_OP_mov ? PTX_U32 : PTX_NO_TYPE;
    case PTX_B16:
        return PTX_U16;
    case PTX_B32:
        return PTX_U32;
    case PTX_B64:
        return PTX_U64;
    case PTX_F16:
    case PTX_BF16:
        return op == PTX_OP_mov ? PTX_U16 : PTX_NO_TYPE;
    case PTX_F16X2:
    case PTX_BF16X2:
    case PTX_F32:
        return op == PTX_OP_mov ? PTX_U32 : PTX_NO_TYPE;
    case PTX_F64:
        return op == PTX_OP_mov ? PTX_U64 : PTX_NO_TYPE;
    default:
        return type;
    }
}

sm_op ptx_integer(enum ptx_math op, enum ptx_type type)
{
    return executors[op][plain(op, type)];
}

bool ptx_integer_of(sm_op run, enum ptx_math *op, enum ptx_type *type)
{
    for (unsigned i = 0; i < PTX_MATHS; i++)
        for (unsigned k = 0; k < PTX_TYPES; k++)
            if (executors[i][k] == run) {
                *op = (enum ptx_math)i;
                *type = (enum ptx_type)k;
                return true;
            }
    return false;
}

/* ---- selection by a predicate, and by a sign ---- */

#define SELECT(T, E)                                                                               \
    PTX_ROW_EXECUTOR(select_##T)                                                                   \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);                        \
        const uint32_t mask = ptx_mask(frame, &o->s[2]), exec = ptx_lanes(w, o);                   \
        E *D = (E *)(frame + o->d);                                                                \
        PTX_COMPUTE(E, D, exec, ptx_are_few(exec), mask &ptx_lane_bit[i] ? A[i] : B[i])            \
        return sm_next(u);                                                                         \
    }                                                                                              \
    /* slct: by the sign of a third operand, which may be a float: -0 is not below 0 (9.7.7.3) */  \
    PTX_ROW_EXECUTOR(choose_##T)                                                                   \
    {                                                                                              \
        const struct ptx_op *o = u->ptx;                                                           \
        uint8_t *frame = ptx_frame(w);                                                             \
        const E *A = ptx_in(frame, &o->s[0]), *B = ptx_in(frame, &o->s[1]);                        \
        const uint32_t *C = ptx_in(frame, &o->s[2]);                                               \
        E *D = (E *)(frame + o->d);                                                                \
        PTX_LEFT(i, ptx_lanes(w, o))                                                               \
        {                                                                                          \
            const bool flushed = o->ftz && !(C[i] & 0x7f800000);                                   \
            const uint32_t c = flushed ? 0 : C[i];                                                 \
            const bool below = o->flag ? c > 0x80000000u && c <= 0xff800000u : c >> 31;            \
            const bool nan = o->flag && (c & 0x7fffffff) > 0x7f800000;                             \
            D[i] = below || nan ? B[i] : A[i];                                                     \
        }                                                                                          \
        return sm_next(u);                                                                         \
    }
SELECT(32, uint32_t)
SELECT(64, uint64_t)

sm_op ptx_select(enum ptx_type type)
{
    return ptx_type_bytes(type) == 8 ? select_64 : select_32;
}

sm_op ptx_choose(enum ptx_type type)
{
    return ptx_type_bytes(type) == 8 ? choose_64 : choose_32;
}

/* ---- addresses ---- */

PTX_CLONED void ptx_compare_addresses(const uint64_t row[SM_LANES], uint64_t offset, uint64_t size,
                                      struct ptx_addresses *to)
{
    const uint64_t first = row[0] + offset, last = row[SM_LANES - 1] + offset;
    const unsigned shift = (unsigned)__builtin_ctzll(size);
    uint64_t any = first | last, apart = first ^ last, from_row = 0;
    for (unsigned i = 0; i < SM_LANES; i++)
        from_row |= (row[i] - row[0]) ^ (uint64_t)i << shift;
    for (unsigned i = 0; i < SM_LANES && from_row; i++) {
        const uint64_t at = row[i] + offset;
        any |= at;
        apart |= at ^ first;
    }
    *to = (struct ptx_addresses){any, apart, !from_row};
}
