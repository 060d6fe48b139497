/* Scalar arithmetic: SOP2, SOP1, SOPC, SOPK (manual, sections 12.1 to 12.4). */
#include "emulator/gcn/internal.h"

/*
 * S2_32(name, result): d = result of a and b, all of 32 bits. S2_64 the same with 64; S2_SHIFT has
 * a second source of 32 bits. Inside, `scc` may be set.
 */
#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)
#define S2_32(name, result, condition)                                                             \
    OP(name)                                                                                       \
    {                                                                                              \
        const uint32_t a = gcn_scalar32(w, u, u->src[0]), b = gcn_scalar32(w, u, u->src[1]);       \
        const uint32_t d = (uint32_t)(result);                                                     \
        w->scc = condition;                                                                        \
        gcn_write_scalar(w, u->dst, d);                                                            \
        return gcn_next(u);                                                                        \
    }
#define S2_64(name, result, condition)                                                             \
    OP(name)                                                                                       \
    {                                                                                              \
        const uint64_t a = gcn_scalar64(w, u, u->src[0], false);                                   \
        const uint64_t b = gcn_scalar64(w, u, u->src[1], false);                                   \
        const uint64_t d = (uint64_t)(result);                                                     \
        w->scc = condition;                                                                        \
        gcn_write_pair(w, u->dst, d);                                                              \
        return gcn_next(u);                                                                        \
    }
#define S2_SHIFT(name, result)                                                                     \
    OP(name)                                                                                       \
    {                                                                                              \
        const uint64_t a = gcn_scalar64(w, u, u->src[0], false);                                   \
        const uint32_t b = gcn_scalar32(w, u, u->src[1]);                                          \
        const uint64_t d = (uint64_t)(result);                                                     \
        w->scc = d != 0;                                                                           \
        gcn_write_pair(w, u->dst, d);                                                              \
        return gcn_next(u);                                                                        \
    }
#define SI(x) ((int32_t)(x))

/* Section 4.4: SCC is the carry of unsigned, the overflow of signed sums. */
S2_32(s_add_u32, a + b, (uint64_t)a + b > UINT32_MAX)
S2_32(s_sub_u32, a - b, b > a)
S2_32(s_add_i32, a + b, ((a ^ d) & (b ^ d)) >> 31)
S2_32(s_sub_i32, a - b, ((a ^ b) & (a ^ d)) >> 31)
S2_32(s_addc_u32, (uint64_t)a + b + w->scc, (uint64_t)a + b + w->scc > UINT32_MAX)
S2_32(s_subb_u32, a - b - w->scc, (uint64_t)b + w->scc > a)
S2_32(s_min_i32, SI(a) < SI(b) ? a : b, SI(a) < SI(b))
S2_32(s_min_u32, a < b ? a : b, a < b)
S2_32(s_max_i32, SI(a) > SI(b) ? a : b, SI(a) > SI(b))
S2_32(s_max_u32, a > b ? a : b, a > b)
S2_32(s_cselect_b32, w->scc ? a : b, w->scc)
S2_64(s_cselect_b64, w->scc ? a : b, w->scc)
S2_32(s_and_b32, a &b, d != 0)
S2_64(s_and_b64, a &b, d != 0)
S2_32(s_or_b32, a | b, d != 0)
S2_64(s_or_b64, a | b, d != 0)
S2_32(s_xor_b32, a ^ b, d != 0)
S2_64(s_xor_b64, a ^ b, d != 0)
S2_32(s_andn2_b32, a & ~b, d != 0)
S2_64(s_andn2_b64, a & ~b, d != 0)
S2_32(s_orn2_b32, a | ~b, d != 0)
S2_64(s_orn2_b64, a | ~b, d != 0)
S2_32(s_nand_b32, ~(a &b), d != 0)
S2_64(s_nand_b64, ~(a &b), d != 0)
S2_32(s_nor_b32, ~(a | b), d != 0)
S2_64(s_nor_b64, ~(a | b), d != 0)
S2_32(s_xnor_b32, ~(a ^ b), d != 0)
S2_64(s_xnor_b64, ~(a ^ b), d != 0)
S2_32(s_lshl_b32, a << (b & 31), d != 0)
S2_SHIFT(s_lshl_b64, a << (b & 63))
S2_32(s_lshr_b32, a >> (b & 31), d != 0)
S2_SHIFT(s_lshr_b64, a >> (b & 63))
S2_32(s_ashr_i32, SI(a) >> (b & 31), d != 0)
S2_SHIFT(s_ashr_i64, (int64_t)a >> (b & 63))
S2_32(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31), w->scc)
S2_32(s_mul_i32, a *b, w->scc)
S2_32(s_mul_hi_u32, ((uint64_t)a * b) >> 32, w->scc)
S2_32(s_mul_hi_i32, ((int64_t)SI(a) * SI(b)) >> 32, w->scc)
S2_32(s_absdiff_i32, SI(a - b) < 0 ? b - a : a - b, d != 0)
S2_32(s_lshl1_add_u32, (a << 1) + b, ((uint64_t)a << 1) + b > UINT32_MAX)
S2_32(s_lshl2_add_u32, (a << 2) + b, ((uint64_t)a << 2) + b > UINT32_MAX)
S2_32(s_lshl3_add_u32, (a << 3) + b, ((uint64_t)a << 3) + b > UINT32_MAX)
S2_32(s_lshl4_add_u32, (a << 4) + b, ((uint64_t)a << 4) + b > UINT32_MAX)
S2_32(s_pack_ll_b32_b16, (a & 0xffff) | b << 16, w->scc)
S2_32(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000), w->scc)
S2_32(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000), w->scc)

OP(s_bfm_b64)
{
    const uint32_t a = gcn_scalar32(w, u, u->src[0]), b = gcn_scalar32(w, u, u->src[1]);
    gcn_write_pair(w, u->dst, (((uint64_t)1 << (a & 63)) - 1) << (b & 63));
    return gcn_next(u);
}

/* Bit fields: offset in the low bits of b, width in b[22:16]. Wider than what is left: all of it.
 */
static uint64_t field(uint64_t a, uint32_t b, unsigned bits, bool is_signed)
{
    const unsigned offset = b & (bits - 1), wide = b >> 16 & 0x7f;
    if (wide == 0)
        return 0;
    if (is_signed && bits == 32)
        a = (uint64_t)(int64_t)SI(a);
    a = is_signed ? (uint64_t)((int64_t)a >> offset) : a >> offset;
    if (wide >= 64)
        return a;
    return is_signed ? (uint64_t)wt_sign_extend(a, wide) : a & (((uint64_t)1 << wide) - 1);
}

S2_32(s_bfe_u32, field(a, b, 32, false), d != 0)
S2_32(s_bfe_i32, field(a, b, 32, true), d != 0)
S2_SHIFT(s_bfe_u64, field(a, b, 64, false))
S2_SHIFT(s_bfe_i64, field(a, b, 64, true))

/* ---- one source ---- */

#define S1(name, from, to, result, condition)                                                      \
    OP(name)                                                                                       \
    {                                                                                              \
        const uint##from##_t a = SOURCE_##from;                                                    \
        const uint##to##_t d = (uint##to##_t)(result);                                             \
        w->scc = condition;                                                                        \
        WRITE_##to;                                                                                \
        return gcn_next(u);                                                                        \
    }
#define SOURCE_32 gcn_scalar32(w, u, u->src[0])
#define SOURCE_64 gcn_scalar64(w, u, u->src[0], false)
#define WRITE_32 gcn_write_scalar(w, u->dst, d)
#define WRITE_64 gcn_write_pair(w, u->dst, d)

static uint64_t reversed(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}

/* Whole quads: four bits become ones where one of them is. */
static uint64_t whole_quads(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    return (x & 0x1111111111111111) * 15;
}

static uint64_t quad_mask(uint64_t x)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 16; i++)
        result |= (uint64_t)((x >> (4 * i) & 15) != 0) << i;
    return result;
}

static uint64_t replicated(uint32_t x)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= (uint64_t)(x >> i & 1) * 3 << (2 * i);
    return result;
}

static int32_t first_unlike_sign(uint64_t x, unsigned bits)
{
    const int64_t value = wt_sign_extend(x, bits);
    return value == 0 || value == -1 ? -1 : __builtin_clrsbll(value) + 1 - (int)(64 - bits);
}

S1(s_mov_b32, 32, 32, a, w->scc)
S1(s_mov_b64, 64, 64, a, w->scc)
S1(s_not_b32, 32, 32, ~a, d != 0)
S1(s_not_b64, 64, 64, ~a, d != 0)
S1(s_wqm_b32, 32, 32, whole_quads(a), d != 0)
S1(s_wqm_b64, 64, 64, whole_quads(a), d != 0)
S1(s_brev_b32, 32, 32, reversed(a) >> 32, w->scc)
S1(s_brev_b64, 64, 64, reversed(a), w->scc)
S1(s_bcnt0_i32_b32, 32, 32, __builtin_popcount(~a), d != 0)
S1(s_bcnt0_i32_b64, 64, 32, __builtin_popcountll(~a), d != 0)
S1(s_bcnt1_i32_b32, 32, 32, __builtin_popcount(a), d != 0)
S1(s_bcnt1_i32_b64, 64, 32, __builtin_popcountll(a), d != 0)
S1(s_ff0_i32_b32, 32, 32, ~a ? __builtin_ctz(~a) : -1, w->scc)
S1(s_ff0_i32_b64, 64, 32, ~a ? __builtin_ctzll(~a) : -1, w->scc)
S1(s_ff1_i32_b32, 32, 32, a ? __builtin_ctz(a) : -1, w->scc)
S1(s_ff1_i32_b64, 64, 32, a ? __builtin_ctzll(a) : -1, w->scc)
S1(s_flbit_i32_b32, 32, 32, a ? __builtin_clz(a) : -1, w->scc)
S1(s_flbit_i32_b64, 64, 32, a ? __builtin_clzll(a) : -1, w->scc)
S1(s_flbit_i32, 32, 32, first_unlike_sign(a, 32), w->scc)
S1(s_flbit_i32_i64, 64, 32, first_unlike_sign(a, 64), w->scc)
S1(s_sext_i32_i8, 32, 32, (int8_t)a, w->scc)
S1(s_sext_i32_i16, 32, 32, (int16_t)a, w->scc)
S1(s_quadmask_b32, 32, 32, quad_mask(a), d != 0)
S1(s_quadmask_b64, 64, 64, quad_mask(a), d != 0)
S1(s_abs_i32, 32, 32, SI(a) < 0 ? 0 - a : a, d != 0)
S1(s_bitreplicate_b64_b32, 32, 64, replicated(a), w->scc)
S1(s_bitset0_b32, 32, 32, w->s[u->dst] & ~(1u << (a & 31)), w->scc)
S1(s_bitset0_b64, 32, 64, gcn_pair(&w->s[u->dst]) & ~((uint64_t)1 << (a & 63)), w->scc)
S1(s_bitset1_b32, 32, 32, w->s[u->dst] | 1u << (a & 31), w->scc)
S1(s_bitset1_b64, 32, 64, gcn_pair(&w->s[u->dst]) | (uint64_t)1 << (a & 63), w->scc)

OP(s_cmov_b32)
{
    if (w->scc)
        gcn_write_scalar(w, u->dst, gcn_scalar32(w, u, u->src[0]));
    return gcn_next(u);
}

OP(s_cmov_b64)
{
    if (w->scc)
        gcn_write_pair(w, u->dst, gcn_scalar64(w, u, u->src[0], false));
    return gcn_next(u);
}

/* D = EXEC; EXEC = result of the source and EXEC; SCC = whether a lane is left. */
#define SAVEEXEC(name, result)                                                                     \
    OP(s_##name##_saveexec_b64)                                                                    \
    {                                                                                              \
        const uint64_t a = gcn_scalar64(w, u, u->src[0], false), exec = gcn_exec(w);               \
        const uint64_t d = (result);                                                               \
        gcn_write_pair(w, u->dst, exec);                                                           \
        gcn_set_exec(w, d);                                                                        \
        w->scc = d != 0;                                                                           \
        return gcn_next(u);                                                                        \
    }                                                                                              \
    OP(s_##name##_saveexec_b32)                                                                    \
    {                                                                                              \
        const uint32_t a = gcn_scalar32(w, u, u->src[0]), exec = (uint32_t)gcn_exec(w);            \
        const uint32_t d = (uint32_t)(result);                                                     \
        gcn_write_scalar(w, u->dst, exec);                                                         \
        gcn_write_scalar(w, GCN_EXEC, d);                                                          \
        w->scc = d != 0;                                                                           \
        return gcn_next(u);                                                                        \
    }
SAVEEXEC(and, a &exec)
SAVEEXEC(or, a | exec)
SAVEEXEC(xor, a ^ exec)
SAVEEXEC(andn2, a & ~exec)
SAVEEXEC(orn2, a | ~exec)
SAVEEXEC(nand, ~(a &exec))
SAVEEXEC(nor, ~(a | exec))
SAVEEXEC(xnor, ~(a ^ exec))
SAVEEXEC(andn1, ~a &exec)
SAVEEXEC(orn1, ~a | exec)

/* EXEC and D get the same. */
#define WREXEC(name, result)                                                                       \
    OP(s_##name##_wrexec_b64)                                                                      \
    {                                                                                              \
        const uint64_t a = gcn_scalar64(w, u, u->src[0], false), exec = gcn_exec(w);               \
        const uint64_t d = (result);                                                               \
        gcn_set_exec(w, d);                                                                        \
        gcn_write_pair(w, u->dst, d);                                                              \
        w->scc = d != 0;                                                                           \
        return gcn_next(u);                                                                        \
    }                                                                                              \
    OP(s_##name##_wrexec_b32)                                                                      \
    {                                                                                              \
        const uint32_t a = gcn_scalar32(w, u, u->src[0]), exec = (uint32_t)gcn_exec(w);            \
        const uint32_t d = (uint32_t)(result);                                                     \
        gcn_write_scalar(w, u->dst, d);                                                            \
        gcn_write_scalar(w, GCN_EXEC, d);                                                          \
        w->scc = d != 0;                                                                           \
        return gcn_next(u);                                                                        \
    }
WREXEC(andn1, ~a &exec)
WREXEC(andn2, a & ~exec)

/*
 * s_movrel: registers by number M0 plus the one named; they must be the wave's (section 4.5). Of
 * those, the last six are FLAT_SCRATCH, XNACK_MASK and VCC, which have operand numbers of their
 * own; where a program has them not, for it needs none of the three, they are its last SGPRs. (The
 * driver's trap handler saves and restores them so.)
 */
struct gcn_place {
    uint32_t *named, *other; /* other: NULL if there is only one */
};

bool gcn_relative(const struct gcn_wave *w, unsigned n, unsigned count, int *named, int *other)
{
    enum { SPECIALS = 6 };
    const unsigned at = n + w->s[GCN_M0];
    *named = *other = -1;
    if (w->s[GCN_M0] >= GCN_SCALARS || at % count || at + count > GCN_SCALARS)
        return false;
    const bool special = at + SPECIALS >= w->sgprs && at < w->sgprs;
    const int plain = at + count <= GCN_FLAT_SCRATCH ? (int)at : -1;
    *named = special ? (int)(GCN_FLAT_SCRATCH + at + SPECIALS - w->sgprs) : plain;
    *other = special ? plain : -1;
    /* 112 registers are given where 108 have a name. */
    return *named >= 0 || at + count <= w->sgprs;
}

static bool relative(struct gcn_wave *w, unsigned n, unsigned count, struct gcn_place *p)
{
    int named, other;
    const bool there = gcn_relative(w, n, count, &named, &other);
    *p = (struct gcn_place){named < 0 ? NULL : &w->s[named], other < 0 ? NULL : &w->s[other]};
    return there;
}

static uint32_t look(const struct gcn_place *p, unsigned i)
{
    if (!p->named)
        return 0;
    return p->named[i] || !p->other ? p->named[i] : p->other[i];
}

static void put(const struct gcn_place *p, unsigned i, uint32_t value)
{
    if (p->named)
        p->named[i] = value;
    if (p->other)
        p->other[i] = value;
}

static const struct gcn_uop *outside(struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                     "%s: M0 is %u, which leads beyond the scalar registers", u->row->name,
                     w->s[GCN_M0]);
}

OP(s_movrels_b32)
{
    struct gcn_place p;
    if (u->src[0] >= 102 || !relative(w, u->src[0], 1, &p))
        return outside(w, u);
    gcn_write_scalar(w, u->dst, look(&p, 0));
    return gcn_next(u);
}

OP(s_movrels_b64)
{
    struct gcn_place p;
    if (u->src[0] >= 102 || !relative(w, u->src[0], 2, &p))
        return outside(w, u);
    gcn_write_pair(w, u->dst, look(&p, 0) | (uint64_t)look(&p, 1) << 32);
    return gcn_next(u);
}

OP(s_movreld_b32)
{
    struct gcn_place p;
    if (u->dst >= 102 || !relative(w, u->dst, 1, &p))
        return outside(w, u);
    put(&p, 0, gcn_scalar32(w, u, u->src[0]));
    return gcn_next(u);
}

OP(s_movreld_b64)
{
    struct gcn_place p;
    if (u->dst >= 102 || !relative(w, u->dst, 2, &p))
        return outside(w, u);
    const uint64_t value = gcn_scalar64(w, u, u->src[0], false);
    put(&p, 0, (uint32_t)value);
    put(&p, 1, (uint32_t)(value >> 32));
    return gcn_next(u);
}

/* The source by the low half of M0, the result by the upper one. */
OP(s_movrelsd_2_b32)
{
    const unsigned from = u->src[0] + (w->s[GCN_M0] & 0x3ff),
                   to = u->dst + (w->s[GCN_M0] >> 16 & 0x3ff);
    if (from >= GCN_VCC || to >= GCN_VCC)
        return outside(w, u);
    w->s[to] = w->s[from];
    return gcn_next(u);
}

/* ---- comparisons ---- */

#define SC(name, bits, condition)                                                                  \
    OP(name)                                                                                       \
    {                                                                                              \
        const uint##bits##_t a = SOURCE_##bits, b = SECOND_##bits;                                 \
        w->scc = condition;                                                                        \
        return gcn_next(u);                                                                        \
    }
#define SECOND_32 gcn_scalar32(w, u, u->src[1])
#define SECOND_64 gcn_scalar64(w, u, u->src[1], false)
SC(s_cmp_eq_i32, 32, a == b)
SC(s_cmp_lg_i32, 32, a != b)
SC(s_cmp_gt_i32, 32, SI(a) > SI(b))
SC(s_cmp_ge_i32, 32, SI(a) >= SI(b))
SC(s_cmp_lt_i32, 32, SI(a) < SI(b))
SC(s_cmp_le_i32, 32, SI(a) <= SI(b))
SC(s_cmp_eq_u32, 32, a == b)
SC(s_cmp_lg_u32, 32, a != b)
SC(s_cmp_gt_u32, 32, a > b)
SC(s_cmp_ge_u32, 32, a >= b)
SC(s_cmp_lt_u32, 32, a < b)
SC(s_cmp_le_u32, 32, a <= b)
SC(s_bitcmp0_b32, 32, !(a >> (b & 31) & 1))
SC(s_bitcmp1_b32, 32, a >> (b & 31) & 1)
SC(s_cmp_eq_u64, 64, a == b)
SC(s_cmp_lg_u64, 64, a != b)

OP(s_bitcmp0_b64)
{
    w->scc = !(gcn_scalar64(w, u, u->src[0], false) >> (gcn_scalar32(w, u, u->src[1]) & 63) & 1);
    return gcn_next(u);
}

OP(s_bitcmp1_b64)
{
    w->scc = gcn_scalar64(w, u, u->src[0], false) >> (gcn_scalar32(w, u, u->src[1]) & 63) & 1;
    return gcn_next(u);
}

/* With the immediate; sign-extended for signed comparisons, else zero-extended. */
#define SK(name, type, operator)                                                                   \
    OP(name)                                                                                       \
    {                                                                                              \
        w->scc = (type##32_t)gcn_scalar32(w, u, u->dst) operator(type##32_t)(type##16_t) u->imm;   \
        return gcn_next(u);                                                                        \
    }
SK(s_cmpk_eq_i32, int, ==)
SK(s_cmpk_lg_i32, int, !=)
SK(s_cmpk_gt_i32, int, >)
SK(s_cmpk_ge_i32, int, >=)
SK(s_cmpk_lt_i32, int, <)
SK(s_cmpk_le_i32, int, <=)
SK(s_cmpk_eq_u32, uint, ==)
SK(s_cmpk_lg_u32, uint, !=)
SK(s_cmpk_gt_u32, uint, >)
SK(s_cmpk_ge_u32, uint, >=)
SK(s_cmpk_lt_u32, uint, <)
SK(s_cmpk_le_u32, uint, <=)

OP(s_movk_i32)
{
    gcn_write_scalar(w, u->dst, (uint32_t)u->imm);
    return gcn_next(u);
}

OP(s_cmovk_i32)
{
    if (w->scc)
        gcn_write_scalar(w, u->dst, (uint32_t)u->imm);
    return gcn_next(u);
}

OP(s_addk_i32)
{
    const uint32_t a = gcn_scalar32(w, u, u->dst), b = (uint32_t)u->imm, d = a + b;
    w->scc = ((a ^ d) & (b ^ d)) >> 31;
    gcn_write_scalar(w, u->dst, d);
    return gcn_next(u);
}

OP(s_mulk_i32)
{
    gcn_write_scalar(w, u->dst, gcn_scalar32(w, u, u->dst) * (uint32_t)u->imm);
    return gcn_next(u);
}

/* ---- hardware registers: id in [5:0], first bit in [10:6], width - 1 in [15:11] ---- */

static const struct gcn_uop *no_register(struct gcn_wave *w, const struct gcn_uop *u, unsigned id)
{
    return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                     "%s: there is no hardware register %u that it may use", u->row->name, id);
}

static const struct gcn_uop *set_register(struct gcn_wave *w, const struct gcn_uop *u,
                                          uint32_t value)
{
    const uint32_t imm = (uint16_t)u->imm, id = imm & 63, first = imm >> 6 & 31;
    const unsigned bits = (imm >> 11 & 31) + 1;
    const uint32_t mask = (uint32_t)((((uint64_t)1 << bits) - 1) << first);
    const uint32_t before = w->trapsts, mode = w->mode;
    if (!gcn_hwreg_write(w, id, value << first, mask, w->status & GCN_STATUS_PRIV))
        return no_register(w, u, id);
    if ((w->mode ^ mode) & GCN_MODE_DEBUG_EN)
        wt_end_turn(&w->device->machine, &w->left); /* single step begins or ends */
    /* A program may raise an exception itself, and ask for its own context to be saved. */
    if (gcn_calls_for_trap(w, w->trapsts & ~before)) {
        const bool save = w->trapsts & ~before & GCN_TRAPSTS_SAVECTX;
        return gcn_enter_trap(w, gcn_pc_of(w, u) + 4u * u->length, 0, save ? 0 : u->length);
    }
    return gcn_next(u);
}

OP(s_getreg_b32)
{
    const uint32_t imm = (uint16_t)u->imm, id = imm & 63, first = imm >> 6 & 31;
    const unsigned bits = (imm >> 11 & 31) + 1;
    uint32_t value;
    if (!gcn_hwreg_read(w, id, &value))
        return no_register(w, u, id);
    gcn_write_scalar(w, u->dst, (uint32_t)(value >> first & (((uint64_t)1 << bits) - 1)));
    return gcn_next(u);
}

OP(s_setreg_b32)
{
    return set_register(w, u, gcn_scalar32(w, u, u->dst));
}

OP(s_setreg_imm32_b32)
{
    return set_register(w, u, u->literal);
}

/* ---- indexing of vector registers, and VSKIP (sections 3.6 and 6.4) ---- */

OP(s_set_gpr_idx_on)
{
    w->mode |= GCN_MODE_GPR_IDX_EN;
    w->s[GCN_M0] = (w->s[GCN_M0] & 0xffff0f00) | (gcn_scalar32(w, u, u->src[0]) & 0xff) |
                   (uint32_t)(u->src[1] & 15) << 12;
    return gcn_next(u);
}

OP(s_set_gpr_idx_off)
{
    w->mode &= ~(uint32_t)GCN_MODE_GPR_IDX_EN;
    return gcn_next(u);
}

OP(s_set_gpr_idx_mode)
{
    w->s[GCN_M0] = (w->s[GCN_M0] & 0xffff0fff) | (uint32_t)(u->imm & 15) << 12;
    return gcn_next(u);
}

OP(s_set_gpr_idx_idx)
{
    w->s[GCN_M0] = (w->s[GCN_M0] & 0xffffff00) | (gcn_scalar32(w, u, u->src[0]) & 0xff);
    return gcn_next(u);
}

OP(s_setvskip)
{
    const bool skip = gcn_scalar32(w, u, u->src[0]) >> (gcn_scalar32(w, u, u->src[1]) & 31) & 1;
    w->mode = (w->mode & ~(uint32_t)GCN_MODE_VSKIP) | (skip ? GCN_MODE_VSKIP : 0u);
    return gcn_next(u);
}
