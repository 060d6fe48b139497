/* Scalar operands: registers, inline constants, special sources (manual, section 12.1). */
#include "emulator/gcn/internal.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Section 3.4: the inline constants 0.5, -0.5, 1, -1, 2, -2, 4, -4 and 1/(2 pi), by format. */
static const uint16_t half_constants[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                          0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t single_constants[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                            0xbf800000, 0x40000000, 0xc0000000,
                                            0x40800000, 0xc0800000, 0x3e22f983};
static const uint64_t double_constants[] = {
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static bool is_integer_constant(unsigned n)
{
    return n >= GCN_INLINE && n <= 208;
}

static int32_t integer_constant(unsigned n)
{
    return n <= 192 ? (int32_t)n - 128 : 192 - (int32_t)n;
}

/* The value of an LDS direct operand: the value at M0[15:0] of the type M0[18:16]
 * (section 10.2). */
static uint32_t lds_direct(struct gcn_wave *w)
{
    const uint32_t m0 = w->s[GCN_M0];
    static const uint8_t sizes[8] = {1, 2, 4, 4, 1, 2, 4, 4};
    const unsigned type = m0 >> 16 & 7, size = sizes[type];
    const uint32_t at = m0 & 0xffff & ~(size - 1);
    if (at + size > w->group->local_size)
        return 0;
    const uint64_t value = wt_load_le(w->group->local + at, size);
    return type >= 4 ? (uint32_t)wt_sign_extend(value, size * 8) : (uint32_t)value;
}

static uint64_t special(struct gcn_wave *w, const struct gcn_uop *u, unsigned n)
{
    switch (n) {
    case GCN_SHARED_BASE:
        return GCN_SHARED_APERTURE;
    case GCN_SHARED_LIMIT:
        return GCN_SHARED_APERTURE + GCN_APERTURE_SIZE - 1;
    case GCN_PRIVATE_BASE:
        return GCN_PRIVATE_APERTURE;
    case GCN_PRIVATE_LIMIT:
        return GCN_PRIVATE_APERTURE + GCN_APERTURE_SIZE - 1;
    case GCN_VCCZ:
        return gcn_vcc(w) == 0;
    case GCN_EXECZ:
        return gcn_exec(w) == 0;
    case GCN_SCC:
        return w->scc;
    case GCN_LDS_DIRECT:
        return lds_direct(w);
    case GCN_LITERAL:
        return u->literal;
    default: /* GCN_POPS_WAVE_ID: of pixel waves; 0 in others */
        return 0;
    }
}

uint32_t gcn_other_scalar32(struct gcn_wave *w, const struct gcn_uop *u, unsigned n)
{
    if (n < GCN_INLINE)
        return gcn_hidden(w, n) ? 0 : w->s[n];
    if (is_integer_constant(n))
        return (uint32_t)integer_constant(n);
    if (n >= GCN_HALF && n < GCN_HALF + 9)
        return single_constants[n - GCN_HALF];
    /* The apertures are 64 bits wide; a source of 32 bits is the high half, the one that differs
     * (LLVM reads src_shared_base so). */
    if (n >= GCN_SHARED_BASE && n <= GCN_PRIVATE_LIMIT)
        return (uint32_t)(special(w, u, n) >> 32);
    return (uint32_t)special(w, u, n);
}

uint64_t gcn_other_scalar64(struct gcn_wave *w, const struct gcn_uop *u, unsigned n, bool floating)
{
    if (n < GCN_INLINE)
        return gcn_hidden(w, n) || n == GCN_NULL ? 0 : gcn_pair(&w->s[n]);
    if (is_integer_constant(n))
        return (uint64_t)(int64_t)integer_constant(n);
    if (n >= GCN_HALF && n < GCN_HALF + 9)
        return double_constants[n - GCN_HALF];
    /* A literal is the high half of a floating point number. */
    if (n == GCN_LITERAL && floating)
        return (uint64_t)u->literal << 32;
    return special(w, u, n);
}

uint16_t gcn_inline16(unsigned n, bool floating, uint32_t whole)
{
    if (floating && n >= GCN_HALF && n < GCN_HALF + 9)
        return half_constants[n - GCN_HALF];
    return (uint16_t)whole;
}

uint64_t gcn_pack(const uint32_t *row)
{
    uint64_t mask = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < GCN_LANES; i += 16) {
        const __m128i *from = (const __m128i *)(const void *)(row + i);
        const __m128i low = _mm_packs_epi32(_mm_loadu_si128(from), _mm_loadu_si128(from + 1));
        const __m128i high = _mm_packs_epi32(_mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high)) << i;
    }
#else
    for (unsigned i = 0; i < GCN_LANES; i++)
        mask |= (uint64_t)(row[i] >> 31) << i;
#endif
    return mask;
}

const uint32_t *gcn_lanes_on(struct gcn_wave *w, uint64_t mask)
{
    if (w->on_mask != mask) {
        w->on_mask = mask;
        gcn_spread_mask(w->on, mask);
    }
    return w->on;
}
