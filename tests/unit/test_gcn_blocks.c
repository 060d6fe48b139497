/*
 * Translated blocks of gfx900 beside its handlers: random programs on two devices, of which one
 * translates from the first visit on, with the same states at the same issue times, hits of
 * watches, and faults. WAVETRAP_LONG=N takes N times as many programs, WAVETRAP_SEED other ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "emulator/machine/state.h"
#include "emulator/translate/rows.h"
#include "choices.h"
#include "gcn_rig.h"
#include "told.h"

enum { PROGRAMS = 200, WORDS = 1700 };

/* Vector registers: v0 is the lane, up to VALUES there are values, then addresses. Scalar ones: s2
 * and s3 have DATA, s4 to s7 and s8 to s11 resources of private memory, s12 an offset; there are
 * values from SCALAR on, then counters of loops. */
enum { VALUES = 24, AT = 40, RESOURCES = 4, OFFSET = 12, SCALAR = 20, SCALARS = 24, TURNS = 60 };

struct program {
    uint32_t word[WORDS + 200];
    size_t size;
};

static uint32_t bits32(void)
{
    return below(1 << 16) << 16 | below(1 << 16);
}

static void put_word(struct program *p, uint32_t w)
{
    assert_true(p->size < sizeof p->word / sizeof p->word[0]);
    p->word[p->size++] = w;
}

/* ---- encodings (manual, chapter 12) ---- */

static void sopp(struct program *p, unsigned op, unsigned imm)
{
    put_word(p, 0xbf800000 | op << 16 | (imm & 0xffff));
}

static void sopk(struct program *p, unsigned op, unsigned d, unsigned imm)
{
    put_word(p, 0xb0000000 | op << 23 | d << 16 | (imm & 0xffff));
}

static void move(struct program *p, unsigned d, uint32_t value)
{
    put_word(p, 0xbe8000ff | d << 16);
    put_word(p, value);
}

static void move_vector(struct program *p, unsigned d, uint32_t value)
{
    put_word(p, 0x7e0002ff | d << 17);
    put_word(p, value);
}

static void vop2(struct program *p, unsigned op, unsigned d, unsigned a, unsigned b)
{
    put_word(p, op << 25 | d << 17 | b << 9 | a);
}

/* A scalar source: a register of those with values, or another one, or a number. */
static unsigned scalar_source(bool literal)
{
    static const uint8_t others[] = {106, 107, 124, 126, 127, 2, 253, 251, 252, 108};
    const unsigned kind = below(16);
    return kind < 9    ? SCALAR + below(SCALARS)
           : kind < 11 ? others[below(sizeof others)]
           : kind < 14 ? 128 + below(81)
           : kind < 15 ? 240 + below(9)
           : literal   ? 255
                       : 128u;
}

static unsigned scalar_result(void)
{
    static const uint8_t others[] = {106, 106, 107, 124, 126, 127, 106};
    return below(10) ? SCALAR + below(SCALARS) / 2 * 2 : others[below(sizeof others)];
}

static unsigned vector_source(bool literal)
{
    return below(4) ? 256 + below(VALUES) : scalar_source(literal);
}

/* Rows that hardly any program could go on behind, or that leave the wave. */
static bool is_left_out(const struct gcn_row *row)
{
    static const char *const names[] = {"s_setpc",          "s_swappc", "s_rfe",    "s_movrel",
                                        "s_cbranch",        "s_setreg", "s_call",   "s_setvskip",
                                        "s_set_gpr_idx_on", "v_interp", "s_getreg", "v_clrexcp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(row->name, names[i], strlen(names[i])) == 0)
            return true;
    return !rig_encodes(row) || !gcn_row_executes(row);
}

/* The rows of which blocks execute much themselves come oftener. */
static const struct gcn_row *any_row(void)
{
    static const uint16_t often[] = {
        GCN_I_v_mov_b32,        GCN_I_v_and_b32,       GCN_I_v_add_u32,       GCN_I_v_subrev_u32,
        GCN_I_v_lshlrev_b32,    GCN_I_v_lshrrev_b32,   GCN_I_v_ashrrev_i32,   GCN_I_v_mul_lo_u32,
        GCN_I_v_mul_hi_u32,     GCN_I_v_mul_hi_i32,    GCN_I_v_mul_i32_i24,   GCN_I_v_mad_u32_u24,
        GCN_I_v_bfe_u32,        GCN_I_v_bfe_i32,       GCN_I_v_bfi_b32,       GCN_I_v_lshl_add_u32,
        GCN_I_v_add_lshl_u32,   GCN_I_v_xad_u32,       GCN_I_v_lshl_or_b32,   GCN_I_v_cndmask_b32,
        GCN_I_v_add_co_u32,     GCN_I_v_addc_co_u32,   GCN_I_v_sub_co_u32,    GCN_I_v_subb_co_u32,
        GCN_I_v_subbrev_co_u32, GCN_I_v_lshlrev_b64,   GCN_I_v_lshrrev_b64,   GCN_I_v_add_f32,
        GCN_I_v_sub_f32,        GCN_I_v_mul_f32,       GCN_I_v_fma_f32,       GCN_I_v_fma_f32,
        GCN_I_v_min_f32,        GCN_I_v_max_f32,       GCN_I_v_cmp_lt_f32,    GCN_I_v_cmp_nge_f32,
        GCN_I_v_cmp_u_f32,      GCN_I_v_cmp_lg_f32,    GCN_I_v_cmp_lt_u32,    GCN_I_v_cmp_ge_i32,
        GCN_I_v_cmp_eq_u32,     GCN_I_s_add_u32,       GCN_I_s_addc_u32,      GCN_I_s_subb_u32,
        GCN_I_s_sub_i32,        GCN_I_s_and_b64,       GCN_I_s_orn2_b64,      GCN_I_s_xnor_b32,
        GCN_I_s_lshl_b32,       GCN_I_s_lshr_b64,      GCN_I_s_cselect_b32,   GCN_I_s_mul_i32,
        GCN_I_s_cmp_lt_i32,     GCN_I_s_cmp_ge_u32,    GCN_I_s_cmp_lg_u64,    GCN_I_s_cmpk_gt_i32,
        GCN_I_s_addk_i32,       GCN_I_s_not_b64,       GCN_I_v_mad_u64_u32,   GCN_I_v_sqrt_f32,
        GCN_I_v_rcp_f32,        GCN_I_v_rcp_iflag_f32, GCN_I_v_cvt_f32_i32,   GCN_I_v_cvt_f32_u32,
        GCN_I_v_cvt_i32_f32,    GCN_I_v_cvt_u32_f32,   GCN_I_v_cmp_class_f32, GCN_I_v_div_scale_f32,
        GCN_I_v_div_fmas_f32,   GCN_I_v_div_fixup_f32, GCN_I_v_sqrt_f32,      GCN_I_v_div_scale_f32,
        GCN_I_v_add_f64,        GCN_I_v_mul_f64,       GCN_I_v_fma_f64,       GCN_I_v_fma_f64,
        GCN_I_s_min_u32,        GCN_I_s_max_u32,       GCN_I_s_min_i32,       GCN_I_s_max_i32};
    const struct gcn_row *row;
    if (below(3))
        return &gcn_rows[often[below(sizeof often / sizeof often[0])]];
    do
        row = &gcn_rows[below(GCN_INSNS)];
    while (row->encoding > GCN_VOP3 || row->encoding == GCN_SOPP || row->encoding == GCN_SMEM ||
           is_left_out(row));
    return row;
}

/* The long form: modifiers of sources seldom, of the result more so. */
static unsigned vop3(const struct gcn_row *row, uint32_t word[3])
{
    const unsigned base = row->encoding == GCN_VOP2 ? 0x100 : row->encoding == GCN_VOP1 ? 0x140 : 0;
    const bool compares = *row->operands == 'm', carries = row->operands[1] == 'm';
    const unsigned d = compares || *row->operands == 'S' ? scalar_result() : below(VALUES);
    word[0] = 0xd0000000 | (row->opcode + base) << 16 | d;
    if (carries)
        word[0] |= scalar_result() << 8;
    else if (below(3) == 0)
        word[0] |= below(8) << 8;
    if (below(16) == 0)
        word[0] |= 1u << 15;
    const unsigned mask = below(2) ? 106 : SCALAR + below(SCALARS) / 2 * 2;
    word[1] =
        vector_source(false) | vector_source(false) << 9 |
        (strchr(row->operands, ':') && strstr(row->operands, "uum") ? mask : vector_source(false))
            << 18;
    if (below(3) == 0)
        word[1] |= below(8) << 29;
    if (below(16) == 0)
        word[1] |= below(4) << 27;
    return 2;
}

/* Parts of registers. */
static uint32_t sdwa(const struct gcn_row *row)
{
    const uint32_t result = *row->operands == 'm' ? (below(2) ? 0x80u | scalar_result() : 0) << 8
                            : below(4)            ? 6u << 8
                                                  : (below(7) | below(3) << 3) << 8;
    return below(VALUES) | result | below(7) << 16 | below(2) << 19 | below(8) / 7 << 20 |
           below(8) / 7 << 21 | below(7) << 24 | below(2) << 27 | below(8) / 7 << 28;
}

static unsigned encode(const struct gcn_row *row, uint32_t word[3])
{
    const uint32_t op = row->opcode, b = below(VALUES), d = below(VALUES);
    const bool part = row->forms & GCN_SDWA && below(5) == 0;
    const uint32_t a = part ? 249 : vector_source(true);
    word[1] = part ? sdwa(row) : bits32();
    word[2] = bits32();
    switch ((enum gcn_encoding)row->encoding) {
    case GCN_SOP2:
        word[0] = 0x80000000 | op << 23 | scalar_result() << 16 | scalar_source(true) << 8 |
                  scalar_source(true);
        return 2;
    case GCN_SOP1:
        word[0] = 0xbe800000 | scalar_result() << 16 | op << 8 | scalar_source(true);
        return 2;
    case GCN_SOPC:
        word[0] = 0xbf000000 | op << 16 | scalar_source(true) << 8 | scalar_source(true);
        return 2;
    case GCN_SOPK:
        word[0] = 0xb0000000 | op << 23 | scalar_result() << 16 | below(1 << 16);
        return 2;
    case GCN_VOP2:
        if (row->forms & GCN_E64 && below(4) == 0)
            return vop3(row, word);
        word[0] = op << 25 | d << 17 | b << 9 | a;
        return 2;
    case GCN_VOP1:
        if (row->forms & GCN_E64 && below(4) == 0)
            return vop3(row, word);
        word[0] = 0x7e000000 | (*row->operands == 'S' ? SCALAR : d) << 17 | op << 9 | a;
        return 2;
    case GCN_VOPC:
        if (row->forms & GCN_E64 && below(3) == 0)
            return vop3(row, word);
        word[0] = 0x7c000000 | op << 17 | b << 9 | a;
        return 2;
    default:
        return vop3(row, word);
    }
}

static void arithmetic(struct program *p)
{
    struct gcn_uop u = {0};
    uint32_t word[3];
    const char *why;
    do
        encode(any_row(), word);
    while (!gcn_decode(rig_model, GCN_LANES, word, 2, &u, &why) ||
           (u.last_vgpr >= VALUES + 8 && u.last_vgpr != 0));
    for (unsigned i = 0; i < u.length; i++)
        put_word(p, word[i]);
}

/* Doubles in few pairs of registers, so that registers of the host have most of the sources; with
 * signs, also of the third source of v_fmac_f64, which has none: they change nothing. */
static void some_doubles(struct program *p)
{
    static const uint16_t ids[] = {GCN_I_v_add_f64, GCN_I_v_mul_f64, GCN_I_v_fma_f64,
                                   GCN_I_v_fma_f64};
    const struct gcn_row *fmac = &gcn_rows[GCN_I_v_fmac_f64];
    for (unsigned left = 3 + below(6); left--;) {
        const unsigned d = 2 + below(4) * 2;
        const bool sums = fmac->models & rig_model->set && below(3) == 0;
        if (sums && below(2)) {
            vop2(p, fmac->opcode, d, 258 + below(4) * 2, 2 + below(4) * 2);
            continue;
        }
        put_word(p, 0xd0000000 | (below(4) ? 0 : below(8) << 8) | d |
                        (sums ? fmac->opcode + 0x100u : gcn_rows[ids[below(4)]].opcode) << 16);
        uint32_t sources = below(2) ? 0 : below(8) << 29;
        for (unsigned i = 0; i < 3; i++)
            sources |= (256 + 2 + below(4) * 2) << 9 * i;
        put_word(p, sources);
    }
}

/* Pairs of singles in few registers, with halves and signs of all kinds: results are sources, too.
 */
static void some_pairs(struct program *p)
{
    static const uint16_t ids[] = {GCN_I_v_pk_fma_f32, GCN_I_v_pk_mul_f32, GCN_I_v_pk_add_f32,
                                   GCN_I_v_pk_mov_b32};
    for (unsigned left = 3 + below(6); left--;) {
        const struct gcn_row *row = &gcn_rows[ids[below(4)]];
        uint32_t sources = 0;
        for (unsigned i = 0; i < 3; i++)
            sources |= (below(4)   ? 256 + 2 + below(4) * 2
                        : below(2) ? SCALAR + below(SCALARS) / 2 * 2
                                   : 240 + below(8))
                       << 9 * i;
        put_word(p, 0xd3800000 | row->opcode << 16 | (below(2) ? 0x4000 : below(2) << 14) |
                        (below(2) ? 0 : below(8) << 11) | (below(2) ? 0 : below(8) << 8) |
                        (below(32) == 0) << 15 | (2 + below(4) * 2));
        put_word(p, sources | (below(2) ? 3u : below(4)) << 27 | (below(2) ? 0 : below(8) << 29));
    }
}

/* AT becomes the lower half of addresses in LDS's aperture, or a little below, sometimes not of all
 * lanes. */
static void enter_aperture(struct program *p)
{
    move_vector(p, AT + 1, (uint32_t)(GCN_SHARED_APERTURE >> 32));
    const unsigned others = below(16);
    if (others < 3) { /* they are in memory, or nowhere */
        put_word(p, 0x7c000000 | 0xcc << 17 | (129 + below(64))); /* v_cmp_gt_u32 vcc, …, v0 */
        vop2(p, 0x34, AT + 2, 2, AT);                             /* v_add_u32 */
        if (others)
            vop2(p, 0, AT, 256 + AT + 2, AT); /* v_cndmask_b32 */
        vop2(p, 0, AT + 1, 3, AT + 1);
    }
    if (below(60) == 0)
        vop2(p, 0x1a, AT, 132, AT); /* v_sub_co_u32 */
}

/* An access whose addresses are in a row, one, scattered in a page or several, or sometimes wrong.
 */
static void access_memory(struct program *p)
{
    static const uint8_t loads[] = {0x14, 0x14, 0x14, 0x10, 0x11, 0x12, 0x13, 0x15, 0x17, 0x24},
                         stores[] = {0x1c, 0x1c, 0x18, 0x1a, 0x1d, 0x19};
    static const uint8_t ds_loads[] = {0x36, 0x36, 0x39, 0x3a, 0x3b, 0x3c, 0x76, 0x37},
                         ds_stores[] = {0x0d, 0x0d, 0x1e, 0x1f, 0x4d, 0x00};
    const bool store = below(3) == 0, share = below(3) == 0;
    const uint32_t most = share ? LDS / 2 : below(2) ? 0xfff : DATA_SIZE / 2 - 1;
    const uint32_t offset = below(2) ? 4 * below(64) : 0;
    switch (below(4)) {
    case 0:
    case 1:
        vop2(p, 0x12, AT, 130, 0); /* v_lshlrev_b32 */
        break;
    case 2:
        move_vector(p, AT, below(most) & ~3u);
        break;
    default:
        put_word(p, 0x13u << 25 | AT << 17 | below(VALUES) << 9 | 0xff); /* v_and_b32 */
        put_word(p, most & (below(50) ? ~3u : ~0u));
        break;
    }
    const unsigned data = below(VALUES - 4);
    if (share && below(3) == 0) { /* LDS by way of its aperture */
        enter_aperture(p);
        put_word(p, 0xdc000000 | (store ? stores[below(6)] : loads[below(10)]) << 18 | offset);
        put_word(p, AT | data << 8 | data << 24);
        return;
    }
    if (share) {
        const unsigned op = store ? ds_stores[below(6)] : ds_loads[below(8)];
        put_word(p, 0xd8000000 | op << 17 | offset);
        put_word(p, AT | data << 8 | data << 16 | data << 24);
        return;
    }
    const unsigned op = store ? stores[below(6)] : loads[below(10)], way = below(3);
    if (way) {                                    /* a pair, for GLOBAL or FLAT */
        vop2(p, 0x19, AT, 2, AT);                 /* v_add_co_u32 */
        put_word(p, 0x7e000203 | (AT + 1) << 17); /* v_mov_b32 */
        vop2(p, 0x1c, AT + 1, 128, AT + 1);       /* v_addc_co_u32 */
    }
    if (below(100) == 0)
        put_word(p, 0x7e000280 | (AT + 1) << 17 | below(4));
    put_word(p, 0xdc000000 | op << 18 | (way == 2 ? 0 : 2u << 14) | offset);
    put_word(p, AT | data << 8 | (way ? 0x7fu : 2u) << 16 | data << 24);
}

/* An access of several dwords, or of two places of LDS, as the address in AT says. */
static void access_words(struct program *p)
{
    static const uint8_t shared[] = {0x4d, 0x76, 0xde, 0xdf, 0xfe, 0xff, 0x0e, 0x0f,
                                     0x37, 0x38, 0x4e, 0x4f, 0x77, 0x78, 0x0e, 0x37};
    const unsigned data = below(VALUES - 4), other = below(VALUES - 4), way = below(3);
    const bool share = below(2);
    switch (below(4)) {
    case 0: /* side by side, of one to four dwords */
        vop2(p, 0x12, AT, 130 + below(3), 0);
        break;
    case 1:
        move_vector(p, AT, below(LDS / 2) & ~3u);
        break;
    default:
        put_word(p, 0x13u << 25 | AT << 17 | below(VALUES) << 9 | 0xff);
        put_word(p, (share ? LDS / 2 : 0xfff) & (below(50) ? ~(3u << below(3)) : ~0u));
        break;
    }
    if (share && below(3) == 0) {
        enter_aperture(p);
        put_word(p, 0xdc000000 | ((below(2) ? 0x15 : 0x1d) + below(3)) << 18 | 4 * below(16));
        put_word(p, AT | data << 8 | (below(8) ? data : AT - 1u) << 24);
        return;
    }
    if (share) {
        const unsigned op = shared[below(16)];
        put_word(p,
                 0xd8000000 | op << 17 | (below(3) ? below(16) | below(16) << 8 : bits32() >> 16));
        put_word(p, AT | data << 8 | other << 16 | (below(8) ? data : AT - 2u) << 24);
        return;
    }
    if (way) {
        vop2(p, 0x19, AT, 2, AT);
        put_word(p, 0x7e000203 | (AT + 1) << 17);
        vop2(p, 0x1c, AT + 1, 128, AT + 1);
    }
    put_word(p, 0xdc000000 | ((below(2) ? 0x15 : 0x1d) + below(3)) << 18 |
                    (way == 2 ? 0 : 2u << 14) | 4 * below(16));
    put_word(p, AT | data << 8 | (way ? 0x7fu : 2u) << 16 | (below(8) ? data : AT - 1u) << 24);
}

/* An access to private memory by a resource. */
static void access_private(struct program *p)
{
    static const uint8_t offsets[] = {128, 128, 128, 132, 192, OFFSET, 240};
    const unsigned data = below(VALUES - 4), words = below(3) ? 0 : below(4),
                   resource = below(8) ? RESOURCES : RESOURCES + 4;
    const bool chooses = below(2);
    if (chooses && below(2))
        move_vector(p, AT, below(PRIVATE - 16) & (below(30) ? ~3u : ~0u));
    else if (chooses) {
        put_word(p, 0x13u << 25 | AT << 17 | below(VALUES) << 9 | 0xff);
        put_word(p, below(30) ? 0x7c : 0xff);
    }
    put_word(p, 0xe0000000 | ((below(2) ? 0x14 : 0x1c) + words) << 18 | (unsigned)chooses << 12 |
                    (below(30) ? 4 * below(32) : below(1 << 12)) | (below(50) == 0) << 13);
    put_word(p, AT | data << 8 | resource / 4 << 16 | (uint32_t)offsets[below(7)] << 24);
}

static void masks(struct program *p)
{
    const unsigned pair = SCALAR + below(SCALARS) / 2 * 2;
    switch (below(7)) {
    case 0:
        put_word(p, 0xbefe01c1); /* s_mov_b64 exec, -1 */
        break;
    case 1:
        move(p, 126 + below(2), below(2) ? bits32() : 1u << below(32));
        break;
    case 2:
    case 3: { /* s_…_saveexec_b64 */
        put_word(p, 0xbe800000 | pair << 16 | (0x20 + below(8)) << 8 | (below(2) ? 106 : pair));
        break;
    }
    case 4: /* s_or_b64, s_xor_b64 or s_andn2_b64 exec, exec, … */
        put_word(p, 0x80000000 | (0x0f + 2 * below(3)) << 23 | 126u << 16 |
                        (below(2) ? 106 : pair) << 8 | 126);
        break;
    default: /* all again, if none is left */
        sopp(p, 9, 1);
        put_word(p, 0xbefe01c1);
        break;
    }
}

static void others(struct program *p)
{
    switch (below(8)) {
    case 0:
        sopp(p, 0, below(4));
        break;
    case 1:
    case 2:
    case 3: /* s_waitcnt */
        sopp(p, 12,
             (below(2) ? below(16) | below(4) << 14 : 0xc00f) | below(8) << 4 | below(16) << 8);
        break;
    case 4: /* s_setreg_imm32_b32 MODE: rounding and denormals */
        sopk(p, 0x14, 0, 1 | 7 << 11);
        put_word(p, below(3) ? 0xf0 : below(256));
        break;
    case 5: /* s_getreg_b32: MODE, STATUS, TRAPSTS, IB_STS */
        sopk(p, 0x11, SCALAR + below(SCALARS), (1 + below(3)) | below(8) << 6 | 15 << 11);
        break;
    case 6:
        sopp(p, 14, 1); /* s_sleep */
        break;
    default: /* s_load_dwordx2 */
        put_word(p, 0xc0040000 | 2u >> 1 | (SCALAR + below(SCALARS) / 4 * 4) << 6 | 1u << 17);
        put_word(p, 4 * below(64));
        break;
    }
}

static void body(struct program *p, unsigned depth, unsigned count)
{
    static const uint8_t conditions[] = {4, 5, 6, 7, 8, 9};
    for (unsigned i = 0; i < count && p->size < WORDS; i++) {
        size_t at;
        switch (below(depth < 3 ? 26 : 22)) {
        case 0:
        case 1:
            access_memory(p);
            break;
        case 2:
            access_words(p);
            break;
        case 3:
            access_private(p);
            break;
        case 4:
        case 5:
            masks(p);
            break;
        case 6:
            others(p);
            break;
        case 22:
        case 23: /* an if */
            at = p->size;
            put_word(p, 0);
            body(p, depth + 1, 1 + below(8));
            p->word[at] = 0xbf800000 | (below(8) ? conditions[below(6)] : 2u) << 16 |
                          (uint32_t)(p->size - at - 1);
            break;
        case 24:
        case 25: /* a loop */
            sopk(p, 0, TURNS + depth, 1 + below(below(2) ? 12 : 3));
            at = p->size;
            body(p, depth + 1, 1 + below(10));
            sopk(p, 0x0e, TURNS + depth, 0xffff); /* s_addk_i32 */
            sopk(p, 3, TURNS + depth, 0);         /* s_cmpk_lg_i32 */
            sopp(p, 5, (unsigned)(at - p->size - 1));
            break;
        default:
            if (below(16) == 0)
                some_doubles(p);
            else if (gcn_rows[GCN_I_v_pk_fma_f32].models & rig_model->set && below(8) == 0)
                some_pairs(p);
            else
                arithmetic(p);
            break;
        }
    }
}

static void write_program(struct program *p)
{
    p->size = 0;
    move(p, 2, (uint32_t)DATA);
    move(p, 3, 0);
    sopk(p, 0x14, 0, 1 | 7 << 11);
    put_word(p, below(4) ? 0xf0 : below(256));
    put_word(p, 0x8066ff01); /* s_add_u32 flat_scratch_lo, s1, SCRATCH */
    put_word(p, (uint32_t)SCRATCH);
    put_word(p, 0xbee70080);
    for (unsigned i = RESOURCES; i < RESOURCES + 8; i += 4) {
        const bool other = i > RESOURCES;
        put_word(p, 0x8000ff01 | i << 16); /* s_add_u32 */
        put_word(p, (uint32_t)SCRATCH + (other && below(4) == 0 ? below(256) : 0));
        move(p, i + 1, 1u << 31 ^ (other && below(2) ? 1u << (16 + below(16)) : 0));
        move(p, i + 2, other && below(2) ? below(1 << 14) : 1u << (16 + below(8)));
        move(p, i + 3, 0xe00fac ^ (other && below(2) ? 1u << (15 + below(9)) : 0));
    }
    move(p, OFFSET, 4 * below(32));
    for (unsigned i = 0; i < SCALARS; i++)
        move(p, SCALAR + i, below(3) ? bits32() : 0x3f800000 + below(1 << 24));
    for (unsigned i = 1; i < VALUES; i++) {
        if (i % 3 == 0) {                /* numbers of one to two, of either sign */
            put_word(p, 0xd2850000 | i); /* v_mul_lo_u32 */
            put_word(p, 256 | (SCALAR + i) << 9);
            vop2(p, 0x10, i, 137, i); /* v_lshrrev_b32 */
            put_word(p, 0x14u << 25 | i << 17 | i << 9 | 0xff);
            put_word(p, (below(2) ? 0xbf800000u : 0x3f800000u) ^
                            (below(4) ? 0 : bits32() & 0xff800000));
        } else {
            put_word(p, 0xd2850000 | i);
            put_word(p, 256 | (SCALAR + i % SCALARS) << 9);
            put_word(p, 0x15u << 25 | i << 17 | i << 9 | 0xff); /* v_xor_b32 */
            put_word(p, below(3) ? bits32() : 0);
        }
    }
    if (below(2)) { /* the page ends within what follows */
        const unsigned skipped = GCN_SLOTS - 2 - below(100) - (unsigned)p->size;
        sopp(p, 2, skipped);
        for (unsigned i = 0; i < skipped; i++)
            put_word(p, S_NOP);
    }
    sopk(p, 0, TURNS + 4, 3 + below(30));
    const size_t all = p->size;
    body(p, 0, 8 + below(30));
    sopk(p, 0x0e, TURNS + 4, 0xffff);
    sopk(p, 2, TURNS + 4, 0); /* s_cmpk_eq_i32 */
    sopp(p, 5, 1);
    sopp(p, 2, (unsigned)(all - p->size - 1));
    put_word(p, S_ENDPGM);
}

/* ---- two devices ---- */

/* Tells the first byte that differs. */
static void show_memory(struct rig r[2], uint64_t first, uint64_t size)
{
    for (uint64_t at = first; at < first + size; at++) {
        uint8_t byte[2];
        for (unsigned i = 0; i < 2; i++)
            if (!gcn_device_read(r[i].d, at, &byte[i], 1))
                return;
        if (byte[0] != byte[1]) {
            print_message("memory at %llx: %x %x\n", (unsigned long long)at, byte[0], byte[1]);
            return;
        }
    }
}

static void compare(struct rig r[2], const enum wt_run run[2], const char *about)
{
    struct wt_machine *const m[2] = {r[0].m, r[1].m};
    if (run[0] == run[1] && m[0]->time == m[1]->time && have_same_hits(m[0], m[1]) &&
        hash(&r[0]) == hash(&r[1]) && m[0]->fault.kind == m[1]->fault.kind &&
        m[0]->fault.pc == m[1]->fault.pc && m[0]->fault.addr == m[1]->fault.addr &&
        m[0]->fault.lanes == m[1]->fault.lanes && m[0]->fault.time == m[1]->fault.time &&
        strcmp(m[0]->fault.text, m[1]->fault.text) == 0)
        return;
    for (uint32_t i = 0; i < m[0]->waves; i++) {
        const struct gcn_wave *a = &r[0].d->wave[i], *b = &r[1].d->wave[i];
        if (!a->v || !b->v)
            continue;
        for (unsigned n = 0; n < GCN_SCALARS; n++)
            if (a->s[n] != b->s[n])
                print_message("wave %u, s%u: %x %x\n", i, n, a->s[n], b->s[n]);
        for (unsigned n = 0; n < 64; n++)
            for (unsigned lane = 0; lane < GCN_LANES; lane++)
                if (a->v[n][lane] != b->v[n][lane]) {
                    print_message("wave %u, v%u, lane %u: %x %x\n", i, n, lane, a->v[n][lane],
                                  b->v[n][lane]);
                    break;
                }
        if (a->vm_cnt != b->vm_cnt || a->lgkm_cnt != b->lgkm_cnt)
            print_message("wave %u: counters %u %u, %u %u\n", i, a->vm_cnt, b->vm_cnt, a->lgkm_cnt,
                          b->lgkm_cnt);
        if (a->pc != b->pc || a->scc != b->scc || a->trapsts != b->trapsts ||
            a->vm_cnt != b->vm_cnt || a->lgkm_cnt != b->lgkm_cnt || a->mode != b->mode)
            print_message("wave %u: pc %llx %llx, scc %d %d, trapsts %x %x, mode %x\n", i,
                          (unsigned long long)a->pc, (unsigned long long)b->pc, a->scc, b->scc,
                          a->trapsts, b->trapsts, a->mode);
    }
    show_memory(r, DATA, DATA_SIZE);
    show_memory(r, SCRATCH, gcn_device_scratch_size(r[0].d, PRIVATE));
    for (uint32_t i = 0; i < m[0]->waves; i++)
        for (unsigned n = 0; r[0].d->group[i].used && n < LDS; n++)
            if (r[0].d->group[i].local[n] != r[1].d->group[i].local[n]) {
                print_message("group %u, LDS %x\n", i, n);
                break;
            }
    fail_msg("runs %d and %d, at %llu and %llu, %s / %s: %s", run[0], run[1],
             (unsigned long long)m[0]->time, (unsigned long long)m[1]->time, m[0]->fault.text,
             m[1]->fault.text, about);
}

/* Sets the same watches on both, or none; others listen. */
static void set_watches(struct rig r[2], size_t words)
{
    const struct wt_watch list[3] = {
        {.kind = WT_WATCH_EXECUTE, .addr = CODE + 4 * below((uint32_t)words), .size = 4},
        {.kind = WT_WATCH_WRITE, .addr = DATA + below(0x2000), .size = 8},
        {.kind = WT_WATCH_READ, .addr = GCN_SHARED_APERTURE + below(256), .size = 4}};
    const unsigned kinds = below(5);
    for (unsigned i = 0; i < 2; i++)
        set(&r[i], list + (kinds < 4 ? kinds % 3 : 0), kinds == 4 ? 3 : kinds != 3);
    choose_listeners((struct wt_machine *const[2]){r[0].m, r[1].m}, DATA + below(0x2000));
}

static uint64_t run_both(struct rig r[2], size_t words, const char *about)
{
    struct wt_state *saved[2] = {NULL, NULL};
    enum wt_run result[2] = {WT_RUN_BUDGET, WT_RUN_BUDGET};
    for (unsigned step = 0; step < STEPS; step++) {
        const uint64_t issues = below(3) ? 1 + below(600) : 1 + below(70);
        for (unsigned i = 0; i < 2; i++)
            result[i] = run(&r[i], issues);
        compare(r, result, about);
        if (!have_told_the_same(gcn_device_translated(r[1].d).issues))
            fail_msg("%s", about);
        if (result[0] != WT_RUN_BUDGET && result[0] != WT_RUN_WATCH)
            break;
        if (below(16) == 0)
            set_watches(r, words);
        if (below(16) == 0 && !saved[0])
            for (unsigned i = 0; i < 2; i++)
                assert_non_null(saved[i] = wt_state_save(r[i].m));
        else if (below(16) == 0 && saved[0])
            for (unsigned i = 0; i < 2; i++) {
                wt_state_restore(r[i].m, saved[i]);
                wt_state_free(saved[i]);
                saved[i] = NULL;
            }
    }
    for (unsigned i = 0; i < 2; i++)
        if (saved[i])
            wt_state_free(saved[i]);
    listen_to_nobody((struct wt_machine *const[2]){r[0].m, r[1].m});
    return gcn_device_translated(r[1].d).issues;
}

/* A random program, with handlers alone and with blocks; returns the issues of these. */
static uint64_t compare_program(unsigned k)
{
    static const char *const orders[] = {"rr:64",    "rr:1",     "rr:7",
                                         "lockstep", "random:5", "rr:1000"};
    static struct program p;
    char about[200];
    struct rig r[2];
    rig_model = gcn_models + k % 5;
    while (rig_model->encodings == GCN_GFX10) /* which has no translated code */
        rig_model++;
    write_program(&p);
    const char *schedule = orders[below(6)];
    const unsigned groups = 1 + below(3), items = below(3) ? 128 : 1 + below(100);
    snprintf(about, sizeof about, "program %u, %u groups of %u, %s", k, groups, items, schedule);
    rig_jit = 0;
    r[0] = rig_new(schedule, groups, items, p.word, p.size);
    rig_jit = below(3) ? 1 : 3;
    rig_vectors_256 = below(3) == 0;
    r[1] = rig_new(schedule, groups, items, p.word, p.size);
    const uint64_t issues = run_both(r, p.size, about);
    for (unsigned i = 0; i < 2; i++)
        rig_free(&r[i]);
    return issues;
}

#ifdef FUZZED
void fuzz_gcn_blocks(const uint8_t *data, size_t size);

void fuzz_gcn_blocks(const uint8_t *data, size_t size)
{
    choose_by_seed(size);
    choices.input = data;
    choices.left = size;
    compare_program(0);
}
#else
static void test_blocks_do_what_handlers_do(void **unused)
{
    const char *longer = getenv("WAVETRAP_LONG"), *seed = getenv("WAVETRAP_SEED");
    const unsigned programs = PROGRAMS * (longer ? (unsigned)atoi(longer) : 1);
    uint64_t issues = 0;
    (void)unused;
    choose_by_seed(seed ? strtoull(seed, NULL, 0) : 0);
    for (unsigned k = 0; k < programs; k++)
        issues += compare_program(k);
    if (wt_rows_supported())
        assert_true(issues > 1000 * (uint64_t)programs && told_issues > 300 * (uint64_t)programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks_do_what_handlers_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
