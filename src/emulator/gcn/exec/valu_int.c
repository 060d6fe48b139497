/* Kernels of the integer, logic and move instructions (manual, sections 12.9 to 12.12). */
#include "emulator/gcn/exec/row_function.h"

#include <string.h>

static inline int32_t sext24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

static inline int64_t clamped(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static inline int64_t clamp32(int64_t x)
{
    return clamped(x, INT32_MIN, INT32_MAX);
}

static inline uint64_t at_most(uint64_t x, uint64_t limit)
{
    return x < limit ? x : limit;
}

#define S(x) ((int32_t)(x))
#define H(x) ((int32_t)(int16_t)(x))

void gcn_vop_v_nop(struct gcn_valu *v)
{
}

/* It clears the exceptions that the wave has had (section 12.10). */
void gcn_vop_v_clrexcp(struct gcn_valu *v)
{
    v->w->trapsts &= ~(uint32_t)0x7f;
}

ROW32(v_mov_b32, a[i])
ROW32(v_not_b32, ~a[i])
ROW32(v_and_b32, a[i] & b[i])
ROW32(v_or_b32, a[i] | b[i])
ROW32(v_xor_b32, a[i] ^ b[i])
ROW32(v_xnor_b32, ~(a[i] ^ b[i]))
ROW32(v_lshlrev_b32, b[i] << (a[i] & 31))
ROW32(v_lshrrev_b32, b[i] >> (a[i] & 31))
ROW32(v_ashrrev_i32, S(b[i]) >> (a[i] & 31))
ROW32_CLAMP(v_add_u32, a[i] + b[i], at_most((uint64_t)a[i] + b[i], UINT32_MAX))
ROW32_CLAMP(v_sub_u32, a[i] - b[i], a[i] > b[i] ? a[i] - b[i] : 0)
ROW32_CLAMP(v_subrev_u32, b[i] - a[i], b[i] > a[i] ? b[i] - a[i] : 0)
ROW32_CLAMP(v_add_i32, a[i] + b[i], clamp32((int64_t)S(a[i]) + S(b[i])))
ROW32_CLAMP(v_sub_i32, a[i] - b[i], clamp32((int64_t)S(a[i]) - S(b[i])))
ROW32(v_min_i32, S(a[i]) < S(b[i]) ? a[i] : b[i])
ROW32(v_max_i32, S(a[i]) > S(b[i]) ? a[i] : b[i])
ROW32(v_min_u32, a[i] < b[i] ? a[i] : b[i])
ROW32(v_max_u32, a[i] > b[i] ? a[i] : b[i])
ROW32(v_mul_lo_u32, a[i] * b[i])
ROW32(v_mul_hi_u32, ((uint64_t)a[i] * b[i]) >> 32)
ROW32(v_mul_hi_i32, ((int64_t)S(a[i]) * S(b[i])) >> 32)
ROW32(v_mul_i32_i24, sext24(a[i]) * (int64_t)sext24(b[i]))
ROW32(v_mul_hi_i32_i24, ((int64_t)sext24(a[i]) * sext24(b[i])) >> 32)
ROW32(v_mul_u32_u24, (uint64_t)(a[i] & 0xffffff) * (b[i] & 0xffffff))
ROW32(v_mul_hi_u32_u24, ((uint64_t)(a[i] & 0xffffff) * (b[i] & 0xffffff)) >> 32)
ROW32_CLAMP(v_mad_i32_i24, (int64_t)sext24(a[i]) * sext24(b[i]) + S(c[i]),
            clamp32((int64_t)sext24(a[i]) * sext24(b[i]) + S(c[i])))
ROW32_CLAMP(v_mad_u32_u24, (uint64_t)(a[i] & 0xffffff) * (b[i] & 0xffffff) + c[i],
            at_most((uint64_t)(a[i] & 0xffffff) * (b[i] & 0xffffff) + c[i], UINT32_MAX))
ROW32(v_bfe_u32, (a[i] >> (b[i] & 31)) & ((1u << (c[i] & 31)) - 1))
ROW32(v_bfi_b32, (a[i] & b[i]) | (~a[i] & c[i]))
ROW32(v_bfm_b32, ((1u << (a[i] & 31)) - 1) << (b[i] & 31))
ROW32(v_alignbit_b32, (((uint64_t)a[i] << 32) | b[i]) >> (c[i] & 31))
ROW32(v_alignbyte_b32, (((uint64_t)a[i] << 32) | b[i]) >> (8 * (c[i] & 3)))
ROW32(v_xad_u32, (a[i] ^ b[i]) + c[i])
CLONED gcn_vop_v_lshl_add_u64(struct gcn_valu *v)
{
    const uint64_t *a = v->a, *c = v->c;
    const uint32_t *b = v->b;
    uint64_t *d = v->d;
    LANES
        d[i] = (a[i] << (b[i] & 7)) + c[i];
}

CLONED gcn_vop_v_mov_b64(struct gcn_valu *v)
{
    memcpy(v->d, v->a, sizeof(uint64_t[GCN_LANES]));
}

ROW32(v_lshl_add_u32, (a[i] << (b[i] & 31)) + c[i])
ROW32(v_add_lshl_u32, (a[i] + b[i]) << (c[i] & 31))
ROW32(v_add3_u32, a[i] + b[i] + c[i])
ROW32(v_lshl_or_b32, (a[i] << (b[i] & 31)) | c[i])
ROW32(v_and_or_b32, (a[i] & b[i]) | c[i])
ROW32(v_or3_b32, a[i] | b[i] | c[i])
ROW32(v_xor3_b32, a[i] ^ b[i] ^ c[i])
ROW32(v_bcnt_u32_b32, (uint32_t)__builtin_popcount(a[i]) + b[i])
ROW32_CLAMP(v_sad_u32, (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + c[i],
            at_most((uint64_t)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + c[i], UINT32_MAX))
ROW32(v_cvt_pk_u16_u32, at_most(a[i], 0xffff) | at_most(b[i], 0xffff) << 16)
ROW32(v_cvt_pk_i16_i32,
      (clamped(S(a[i]), -32768, 32767) & 0xffff) | (uint32_t)clamped(S(b[i]), -32768, 32767) << 16)
ROW32(v_pack_b32_f16, (a[i] & 0xffff) | b[i] << 16)
ROW32(v_sat_pk_u8_i16, clamped(H(a[i]), 0, 255) | clamped(H(a[i] >> 16), 0, 255) << 8)

static inline uint32_t min32(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static inline uint32_t max32(uint32_t x, uint32_t y)
{
    return x > y ? x : y;
}

static inline int32_t mins(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

static inline int32_t maxs(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

ROW32(v_min3_u32, min32(min32(a[i], b[i]), c[i]))
ROW32(v_max3_u32, max32(max32(a[i], b[i]), c[i]))
ROW32(v_med3_u32, max32(min32(a[i], b[i]), min32(max32(a[i], b[i]), c[i])))
ROW32(v_min3_i32, mins(mins(S(a[i]), S(b[i])), S(c[i])))
ROW32(v_max3_i32, maxs(maxs(S(a[i]), S(b[i])), S(c[i])))
ROW32(v_med3_i32, maxs(mins(S(a[i]), S(b[i])), mins(maxs(S(a[i]), S(b[i])), S(c[i]))))
ROW32(v_min3_u16, min32(min32(a[i], b[i]), c[i]))
ROW32(v_max3_u16, max32(max32(a[i], b[i]), c[i]))
ROW32(v_med3_u16, max32(min32(a[i], b[i]), min32(max32(a[i], b[i]), c[i])))
ROW32(v_min3_i16, mins(mins(H(a[i]), H(b[i])), H(c[i])))
ROW32(v_max3_i16, maxs(maxs(H(a[i]), H(b[i])), H(c[i])))
ROW32(v_med3_i16, maxs(mins(H(a[i]), H(b[i])), mins(maxs(H(a[i]), H(b[i])), H(c[i]))))

/* 16 bits: the sources come zero-extended, of the result the low half counts. */
ROW32_CLAMP(v_add_u16, a[i] + b[i], at_most(a[i] + b[i], 0xffff))
ROW32_CLAMP(v_sub_u16, a[i] - b[i], a[i] > b[i] ? a[i] - b[i] : 0)
ROW32_CLAMP(v_subrev_u16, b[i] - a[i], b[i] > a[i] ? b[i] - a[i] : 0)
ROW32_CLAMP(v_add_i16, a[i] + b[i], clamped(H(a[i]) + H(b[i]), -32768, 32767))
ROW32_CLAMP(v_sub_i16, a[i] - b[i], clamped(H(a[i]) - H(b[i]), -32768, 32767))
ROW32(v_mul_lo_u16, a[i] * b[i])
ROW32(v_lshlrev_b16, b[i] << (a[i] & 15))
ROW32(v_lshrrev_b16, b[i] >> (a[i] & 15))
ROW32(v_ashrrev_i16, H(b[i]) >> (a[i] & 15))
ROW32(v_min_u16, min32(a[i], b[i]))
ROW32(v_max_u16, max32(a[i], b[i]))
ROW32(v_min_i16, mins(H(a[i]), H(b[i])))
ROW32(v_max_i16, maxs(H(a[i]), H(b[i])))
ROW32_CLAMP(v_mad_u16, a[i] * b[i] + c[i], at_most((uint64_t)a[i] * b[i] + c[i], 0xffff))
ROW32_CLAMP(v_mad_i16, a[i] * b[i] + c[i],
            clamped((int64_t)H(a[i]) * H(b[i]) + H(c[i]), -32768, 32767))
ROW32_CLAMP(v_mad_legacy_u16, a[i] * b[i] + c[i], at_most((uint64_t)a[i] * b[i] + c[i], 0xffff))
ROW32_CLAMP(v_mad_legacy_i16, a[i] * b[i] + c[i],
            clamped((int64_t)H(a[i]) * H(b[i]) + H(c[i]), -32768, 32767))
ROW32_CLAMP(v_mad_u32_u16, a[i] * b[i] + c[i], at_most((uint64_t)a[i] * b[i] + c[i], UINT32_MAX))
ROW32_CLAMP(v_mad_i32_i16, (uint32_t)(H(a[i]) * H(b[i])) + c[i],
            clamp32((int64_t)(H(a[i]) * H(b[i])) + S(c[i])))

static inline uint32_t bit_field(uint32_t x, unsigned offset, unsigned width)
{
    return width ? (uint32_t)((int32_t)(x >> offset << (32 - width)) >> (32 - width)) : 0;
}

static inline uint32_t reversed(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

ROW32(v_bfe_i32, c[i] & 31 ? bit_field((uint32_t)(S(a[i]) >> (b[i] & 31)), 0, c[i] & 31) : 0)
ROW32(v_bfrev_b32, reversed(a[i]))
ROW32(v_ffbh_u32, a[i] ? __builtin_clz(a[i]) : -1)
ROW32(v_ffbl_b32, a[i] ? __builtin_ctz(a[i]) : -1)
ROW32(v_ffbh_i32, a[i] == 0 || a[i] == UINT32_MAX ? -1 : __builtin_clrsb(S(a[i])) + 1)

/* Sums of absolute differences of bytes; masked: only where the second byte is not 0. */
static inline uint32_t sad_bytes(uint32_t x, uint32_t y, bool masked)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        const int p = x >> k & 0xff, q = y >> k & 0xff;
        if (!masked || q)
            sum += (uint32_t)(p > q ? p - q : q - p);
    }
    return sum;
}

static inline uint32_t sad_halves(uint32_t x, uint32_t y)
{
    const int low = (int)(x & 0xffff) - (int)(y & 0xffff), high = (int)(x >> 16) - (int)(y >> 16);
    return (uint32_t)((low < 0 ? -low : low) + (high < 0 ? -high : high));
}

ROW32_CLAMP(v_sad_u8, sad_bytes(a[i], b[i], false) + c[i],
            at_most((uint64_t)sad_bytes(a[i], b[i], false) + c[i], UINT32_MAX))
ROW32_CLAMP(v_sad_hi_u8, (sad_bytes(a[i], b[i], false) << 16) + c[i],
            at_most(((uint64_t)sad_bytes(a[i], b[i], false) << 16) + c[i], UINT32_MAX))
ROW32_CLAMP(v_sad_u16, sad_halves(a[i], b[i]) + c[i],
            at_most((uint64_t)sad_halves(a[i], b[i]) + c[i], UINT32_MAX))
ROW32_CLAMP(v_msad_u8, sad_bytes(a[i], b[i], true) + c[i],
            at_most((uint64_t)sad_bytes(a[i], b[i], true) + c[i], UINT32_MAX))

static inline uint32_t lerp_bytes(uint32_t x, uint32_t y, uint32_t round)
{
    uint32_t result = 0;
    for (unsigned k = 0; k < 32; k += 8)
        result |= (((x >> k & 0xff) + (y >> k & 0xff) + (round >> k & 1)) >> 1) << k;
    return result;
}

/* Section 12.12, V_PERM_B32: bytes of {a, b} by number; 8 to 11 repeat signs, then 0 and 0xff. */
static inline uint32_t permuted(uint32_t x, uint32_t y, uint32_t select)
{
    const uint64_t data = (uint64_t)x << 32 | y;
    uint32_t result = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        const unsigned s = select >> k & 0xff;
        uint32_t byte = 0xff;
        if (s < 8)
            byte = data >> (8 * s) & 0xff;
        else if (s < 12)
            byte = (data >> (16 * (s - 8) + 15) & 1) * 0xff;
        else if (s == 12)
            byte = 0;
        result |= byte << k;
    }
    return result;
}

ROW32(v_lerp_u8, lerp_bytes(a[i], b[i], c[i]))
ROW32(v_perm_b32, permuted(a[i], b[i], c[i]))
ROW32(v_mbcnt_lo_u32_b32,
      (uint32_t)__builtin_popcount(a[i] & (i < 32 ? (1u << (i & 31)) - 1 : UINT32_MAX)) + b[i])
ROW32(v_mbcnt_hi_u32_b32,
      (uint32_t)__builtin_popcount(a[i] & (i < 32 ? 0 : (1u << (i & 31)) - 1)) + b[i])

/* ---- with masks ---- */

/* For each lane i, with `bits` a mask's half of which lane i is bit i % 32: compilers know that as
 * vectors of 32 bits. */
#define LANES_BY_HALVES(mask)                                                                      \
    for (uint32_t half = 0, bits = (uint32_t)(mask); half < GCN_LANES;                             \
         half += 32, bits = (uint32_t)((mask) >> 32))                                              \
    _Pragma("GCC ivdep") for (unsigned i = half; i < half + 32; i++)

CLONED gcn_vop_v_cndmask_b32(struct gcn_valu *v)
{
    ROWS32;
    const uint64_t mask = v->mask;
    LANES_BY_HALVES(mask) d[i] = bits >> (i & 31) & 1 ? b[i] : a[i];
}

/* Sums and differences with a carry out, in 32 bits throughout: p plus or minus q and, with a
 * carry in, one more. CLAMP saturates. */
#define ROW_CARRY(name, first, second, with, sum, out, saturated)                                  \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        ROWS32;                                                                                    \
        const uint32_t clamp = v->u->clamp ? UINT32_MAX : 0;                                       \
        uint32_t *m = v->m;                                                                        \
        const uint64_t mask = (with) ? v->mask : 0;                                                \
        LANES_BY_HALVES(mask)                                                                      \
        {                                                                                          \
            const uint32_t p = (first), q = (second), one = (with) ? bits >> (i & 31) & 1 : 0;     \
            const uint32_t s = (sum), carry = (out);                                               \
            const uint32_t limit = (uint32_t)((int32_t)carry >> 31) & clamp;                       \
            d[i] = (s & ~limit) | ((saturated)&limit);                                             \
            m[i] = carry;                                                                          \
        }                                                                                          \
    }
#define ROW_SUM(name, with)                                                                        \
    ROW_CARRY(name, a[i], b[i], with, p + q + one, (p & q) | ((p | q) & ~s), UINT32_MAX)
#define ROW_DIFFERENCE(name, first, second, with)                                                  \
    ROW_CARRY(name, first, second, with, p - q - one, (~p & q) | ((~p | q) & s), 0u)

ROW_SUM(v_add_co_u32, false)
ROW_SUM(v_addc_co_u32, true)
ROW_DIFFERENCE(v_sub_co_u32, a[i], b[i], false)
ROW_DIFFERENCE(v_subb_co_u32, a[i], b[i], true)
ROW_DIFFERENCE(v_subrev_co_u32, b[i], a[i], false)
ROW_DIFFERENCE(v_subbrev_co_u32, b[i], a[i], true)

/* ---- 64 bits ---- */

#define ROW_MIXED64(name, atype, btype, ctype, expression)                                         \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        const atype *a = v->a;                                                                     \
        const btype *b = v->b;                                                                     \
        const ctype *c = v->c;                                                                     \
        uint64_t *d = v->d;                                                                        \
        (void)c;                                                                                   \
        LANES                                                                                      \
            d[i] = (uint64_t)(expression);                                                         \
    }

ROW_MIXED64(v_lshlrev_b64, uint32_t, uint64_t, uint64_t, b[i] << (a[i] & 63))
ROW_MIXED64(v_lshrrev_b64, uint32_t, uint64_t, uint64_t, b[i] >> (a[i] & 63))
ROW_MIXED64(v_ashrrev_i64, uint32_t, uint64_t, uint64_t, (int64_t)b[i] >> (a[i] & 63))

/* The mask is bit 64 of the sum. */
CLONED gcn_vop_v_mad_u64_u32(struct gcn_valu *v)
{
    const uint32_t *a = v->a, *b = v->b;
    const uint64_t *c = v->c;
    uint64_t *d = v->d;
    uint32_t *m = v->m;
    LANES {
        const uint64_t product = (uint64_t)a[i] * b[i], sum = product + c[i];
        d[i] = sum;
        m[i] = 0 - (uint32_t)(sum < product);
    }
}

CLONED gcn_vop_v_mad_i64_i32(struct gcn_valu *v)
{
    const uint32_t *a = v->a, *b = v->b;
    const uint64_t *c = v->c;
    uint64_t *d = v->d;
    uint32_t *m = v->m;
    LANES {
        const uint64_t product = (uint64_t)((int64_t)S(a[i]) * S(b[i])), sum = product + c[i];
        d[i] = sum;
        /* the carry into bit 64, and there the two signs */
        m[i] = (uint32_t)((sum < product) ^ (product >> 63) ^ (c[i] >> 63)) << 31;
    }
}

/* Four sums, each of the bytes one further. */
static void quad_sad(struct gcn_valu *v, bool masked)
{
    const uint64_t *a = v->a, *c = v->c;
    const uint32_t *b = v->b;
    uint64_t *d = v->d;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        uint64_t result = 0;
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t sum =
                sad_bytes((uint32_t)(a[i] >> (8 * k)), b[i], masked) + (c[i] >> (16 * k) & 0xffff);
            result |= (v->u->clamp ? at_most(sum, 0xffff) : sum & 0xffff) << (16 * k);
        }
        d[i] = result;
    }
}

void gcn_vop_v_qsad_pk_u16_u8(struct gcn_valu *v)
{
    quad_sad(v, false);
}

void gcn_vop_v_mqsad_pk_u16_u8(struct gcn_valu *v)
{
    quad_sad(v, true);
}

/* Likewise with sums of 32 bits, in four registers. */
void gcn_vop_v_mqsad_u32_u8(struct gcn_valu *v)
{
    const uint64_t *a = v->a;
    const uint32_t *b = v->b;
    const uint32_t(*c)[GCN_LANES] = v->c;
    uint32_t(*d)[GCN_LANES] = v->d;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < GCN_LANES; i++) {
            const uint64_t sum =
                (uint64_t)sad_bytes((uint32_t)(a[i] >> (8 * k)), b[i], true) + c[k][i];
            d[k][i] = (uint32_t)(v->u->clamp ? at_most(sum, UINT32_MAX) : sum);
        }
}

/* ---- between lanes and scalar registers ---- */

void gcn_vop_v_readfirstlane_b32(struct gcn_valu *v)
{
    const uint32_t *a = v->a;
    v->scalar = a[v->exec ? __builtin_ctzll(v->exec) : 0];
}

void gcn_vop_v_readlane_b32(struct gcn_valu *v)
{
    const uint32_t *a = v->a, *b = v->b;
    v->scalar = a[b[0] & (v->w->narrow ? 31 : 63)];
}

/* They have handlers of their own (valu.c); these are never called. */
void gcn_vop_v_writelane_b32(struct gcn_valu *v)
{
}

void gcn_vop_v_swap_b32(struct gcn_valu *v)
{
}

void gcn_vop_v_permlane16_b32(struct gcn_valu *v)
{
}

/* The halves that OP_SEL and OP_SEL_HI choose, of source 0 or 1. */
static CLONED choose_halves(const struct gcn_uop *u, uint32_t *to, const uint32_t *from,
                            unsigned source)
{
    const unsigned low = u->op_sel >> source & 1 ? 16 : 0,
                   high = u->op_sel_hi >> source & 1 ? 16 : 0;
    LANES
        to[i] = (from[i] >> low & 0xffff) | from[i] >> high << 16;
}

static void of_halves(struct gcn_valu *v, gcn_row_function function)
{
    uint32_t a[GCN_LANES], b[GCN_LANES];
    choose_halves(v->u, a, v->a, 0);
    choose_halves(v->u, b, v->b, 1);
    v->a = a;
    v->b = b;
    function(v);
}

/* ---- packed pairs of 16 bits: OP_SEL and OP_SEL_HI choose the halves (section 12.11) ---- */

static inline uint32_t half_of(uint32_t x, bool high)
{
    return high ? x >> 16 : x & 0xffff;
}

#define ROW_PACKED(name, expression, saturated)                                                    \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        const uint32_t *pa = v->a, *pb = v->b, *pc = v->c ? v->c : v->a;                           \
        uint32_t *d = v->d, result[2];                                                             \
        const unsigned sel[2] = {v->u->op_sel, v->u->op_sel_hi};                                   \
        const bool clamp = v->u->clamp;                                                            \
        for (unsigned i = 0; i < GCN_LANES; i++) {                                                 \
            for (unsigned k = 0; k < 2; k++) {                                                     \
                const uint32_t a = half_of(pa[i], sel[k] & 1), b = half_of(pb[i], sel[k] & 2),     \
                               c = half_of(pc[i], sel[k] & 4);                                     \
                (void)c;                                                                           \
                result[k] = (uint32_t)(clamp ? (saturated) : (expression)) & 0xffff;               \
            }                                                                                      \
            d[i] = result[0] | result[1] << 16;                                                    \
        }                                                                                          \
    }
#define ROW_PACKED_SAME(name, expression) ROW_PACKED(name, expression, expression)

ROW_PACKED(v_pk_mad_i16, a *b + c, clamped((int64_t)H(a) * H(b) + H(c), -32768, 32767))
ROW_PACKED(v_pk_mad_u16, a *b + c, at_most((uint64_t)a *b + c, 0xffff))
ROW_PACKED(v_pk_add_i16, a + b, clamped(H(a) + H(b), -32768, 32767))
ROW_PACKED(v_pk_sub_i16, a - b, clamped(H(a) - H(b), -32768, 32767))
ROW_PACKED(v_pk_add_u16, a + b, at_most(a + b, 0xffff))
ROW_PACKED(v_pk_sub_u16, a - b, a > b ? a - b : 0)
ROW_PACKED_SAME(v_pk_mul_lo_u16, a *b)
ROW_PACKED_SAME(v_pk_lshlrev_b16, b << (a & 15))
ROW_PACKED_SAME(v_pk_lshrrev_b16, b >> (a & 15))
ROW_PACKED_SAME(v_pk_ashrrev_i16, (uint32_t)(H(b) >> (a & 15)))
ROW_PACKED_SAME(v_pk_max_i16, (uint32_t)maxs(H(a), H(b)))
ROW_PACKED_SAME(v_pk_min_i16, (uint32_t)mins(H(a), H(b)))
ROW_PACKED_SAME(v_pk_max_u16, max32(a, b))
ROW_PACKED_SAME(v_pk_min_u16, min32(a, b))

/* ---- dot products: exact, then CLAMP saturates ---- */

/* Part n of this width. */
#define SIGNED_PART(x, bits, n) ((int64_t)((int32_t)((x) << (32 - bits - n * bits)) >> (32 - bits)))
#define UNSIGNED_PART(x, bits, n) ((int64_t)((x) >> (n * bits) & ((1u << bits) - 1)))
#define PRODUCT(part, bits, n) (part(a[i], bits, n) * part(b[i], bits, n))
#define SUM2(part, bits, n) (PRODUCT(part, bits, n) + PRODUCT(part, bits, (n + 1)))
#define SUM4(part, bits, n) (SUM2(part, bits, n) + SUM2(part, bits, (n + 2)))
#define SUM8(part, bits) (SUM4(part, bits, 0) + SUM4(part, bits, 4))

ROW32_CLAMP(v_dot4_i32_i8, SUM4(SIGNED_PART, 8, 0) + S(c[i]),
            clamp32(SUM4(SIGNED_PART, 8, 0) + S(c[i])))
ROW32_CLAMP(v_dot4_u32_u8, SUM4(UNSIGNED_PART, 8, 0) + c[i],
            at_most((uint64_t)(SUM4(UNSIGNED_PART, 8, 0) + c[i]), UINT32_MAX))
ROW32_CLAMP(v_dot8_i32_i4, SUM8(SIGNED_PART, 4) + S(c[i]), clamp32(SUM8(SIGNED_PART, 4) + S(c[i])))
ROW32_CLAMP(v_dot8_u32_u4, SUM8(UNSIGNED_PART, 4) + c[i],
            at_most((uint64_t)(SUM8(UNSIGNED_PART, 4) + c[i]), UINT32_MAX))

static ROW32_CLAMP(
    halves_signed, SUM2(SIGNED_PART, 16, 0) + S(c[i]),
    clamp32(SUM2(SIGNED_PART, 16, 0) +
            S(c[i]))) static ROW32_CLAMP(halves_unsigned, SUM2(UNSIGNED_PART, 16, 0) + c[i],
                                         at_most((uint64_t)(SUM2(UNSIGNED_PART, 16, 0) + c[i]),
                                                 UINT32_MAX))

#define ROW_OF_HALVES(name, function)                                                              \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        of_halves(v, function);                                                                    \
    }
    ROW_OF_HALVES(v_dot2_i32_i16, gcn_vop_halves_signed)
        ROW_OF_HALVES(v_dot2_u32_u16, gcn_vop_halves_unsigned)

    /* One of two registers of each source: fetched as such. */
    CLONED gcn_vop_v_pk_mov_b32(struct gcn_valu *v)
{
    const uint32_t *a = v->a, *b = v->b;
    uint64_t *d = v->d;
    LANES
        d[i] = a[i] | (uint64_t)b[i] << 32;
}
