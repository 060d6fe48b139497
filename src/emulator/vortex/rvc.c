/*
 * The C extension: each 16-bit instruction stands for one 32-bit instruction (unprivileged ISA,
 * chapter 16), which is what the decoder runs. The operand letters here serve the disassembler:
 *   d s t   rd and rs1 in [11:7], rs2 in [6:2]    x y z   rd'/rs1' in [9:7], rs2' and rd' in [4:2]
 *   D T Z   the floating point registers at d, t, z
 *   i u 6   immediate of c.addi, of c.lui, shift amount
 *   other letters: see vx_disassemble's table of compressed operands
 */
#include "emulator/vortex/isa.h"

#include <assert.h>

#include "base/bits.h"

/* 32-bit encodings that compressed ones stand for. */
static uint32_t r_type(uint32_t base, unsigned rd, unsigned rs1, unsigned rs2)
{
    return base | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t i_type(uint32_t base, unsigned rd, unsigned rs1, int32_t imm)
{
    return base | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t s_type(uint32_t base, unsigned rs1, unsigned rs2, uint32_t imm)
{
    return base | rs1 << 15 | rs2 << 20 | wt_field(imm, 4, 0) << 7 | wt_field(imm, 11, 5) << 25;
}

enum {
    LW = 0x2003,
    LD = 0x3003,
    SW = 0x2023,
    SD = 0x3023,
    FLW = 0x2007,
    FLD = 0x3007,
    FSW = 0x2027,
    FSD = 0x3027,
    ADDI = 0x13,
    ADDIW = 0x1b,
    ADD = 0x33,
    JALR = 0x67
};

static unsigned rd_of(uint16_t h)
{
    return wt_field(h, 11, 7);
}

static unsigned rs2_of(uint16_t h)
{
    return wt_field(h, 6, 2);
}

static unsigned rs1_short(uint16_t h)
{
    return 8 + wt_field(h, 9, 7);
}

static unsigned rs2_short(uint16_t h)
{
    return 8 + wt_field(h, 4, 2);
}

static int32_t imm6(uint16_t h)
{
    return (int32_t)wt_sign_extend(wt_field(h, 12, 12) << 5 | wt_field(h, 6, 2), 6);
}

static uint32_t offset_w(uint16_t h)
{
    return wt_field(h, 12, 10) << 3 | wt_field(h, 6, 6) << 2 | wt_field(h, 5, 5) << 6;
}

static uint32_t offset_d(uint16_t h)
{
    return wt_field(h, 12, 10) << 3 | wt_field(h, 6, 5) << 6;
}

static uint32_t offset_lwsp(uint16_t h)
{
    return wt_field(h, 12, 12) << 5 | wt_field(h, 6, 4) << 2 | wt_field(h, 3, 2) << 6;
}

static uint32_t offset_ldsp(uint16_t h)
{
    return wt_field(h, 12, 12) << 5 | wt_field(h, 6, 5) << 3 | wt_field(h, 4, 2) << 6;
}

static uint32_t offset_swsp(uint16_t h)
{
    return wt_field(h, 12, 9) << 2 | wt_field(h, 8, 7) << 6;
}

static uint32_t offset_sdsp(uint16_t h)
{
    return wt_field(h, 12, 10) << 3 | wt_field(h, 9, 7) << 6;
}

static int32_t offset_j(uint16_t h)
{
    return (int32_t)wt_sign_extend(wt_field(h, 12, 12) << 11 | wt_field(h, 11, 11) << 4 |
                                       wt_field(h, 10, 9) << 8 | wt_field(h, 8, 8) << 10 |
                                       wt_field(h, 7, 7) << 6 | wt_field(h, 6, 6) << 7 |
                                       wt_field(h, 5, 3) << 1 | wt_field(h, 2, 2) << 5,
                                   12);
}

static int32_t offset_b(uint16_t h)
{
    return (int32_t)wt_sign_extend(wt_field(h, 12, 12) << 8 | wt_field(h, 11, 10) << 3 |
                                       wt_field(h, 6, 5) << 6 | wt_field(h, 4, 3) << 1 |
                                       wt_field(h, 2, 2) << 5,
                                   9);
}

static uint32_t jal(unsigned rd, int32_t imm)
{
    uint32_t i = (uint32_t)imm;
    return 0x6f | rd << 7 | wt_field(i, 19, 12) << 12 | wt_field(i, 11, 11) << 20 |
           wt_field(i, 10, 1) << 21 | wt_field(i, 20, 20) << 31;
}

static uint32_t branch(uint32_t base, unsigned rs1, int32_t imm)
{
    uint32_t i = (uint32_t)imm;
    return base | rs1 << 15 | wt_field(i, 11, 11) << 7 | wt_field(i, 4, 1) << 8 |
           wt_field(i, 10, 5) << 25 | wt_field(i, 12, 12) << 31;
}

#define EXPAND(name) static uint32_t expand_##name(uint16_t h, unsigned xlen)

/* Quadrant 0 */
EXPAND(addi4spn)
{
    uint32_t imm = wt_field(h, 12, 11) << 4 | wt_field(h, 10, 7) << 6 | wt_field(h, 6, 6) << 2 |
                   wt_field(h, 5, 5) << 3;
    return imm ? i_type(ADDI, rs2_short(h), 2, (int32_t)imm) : 0;
}
/* clang-format off */
EXPAND(fld) { return i_type(FLD, rs2_short(h), rs1_short(h), (int32_t)offset_d(h)); }
EXPAND(lw) { return i_type(LW, rs2_short(h), rs1_short(h), (int32_t)offset_w(h)); }
EXPAND(flw) { return i_type(FLW, rs2_short(h), rs1_short(h), (int32_t)offset_w(h)); }
EXPAND(ld) { return i_type(LD, rs2_short(h), rs1_short(h), (int32_t)offset_d(h)); }
EXPAND(fsd) { return s_type(FSD, rs1_short(h), rs2_short(h), offset_d(h)); }
EXPAND(sw) { return s_type(SW, rs1_short(h), rs2_short(h), offset_w(h)); }
EXPAND(fsw) { return s_type(FSW, rs1_short(h), rs2_short(h), offset_w(h)); }
EXPAND(sd) { return s_type(SD, rs1_short(h), rs2_short(h), offset_d(h)); }
/* clang-format on */

/* Quadrant 1 */
/* clang-format off */
EXPAND(addi) { return i_type(ADDI, rd_of(h), rd_of(h), imm6(h)); }
EXPAND(jal) { return jal(1, offset_j(h)); }
EXPAND(addiw) { return rd_of(h) ? i_type(ADDIW, rd_of(h), rd_of(h), imm6(h)) : 0; }
EXPAND(li) { return i_type(ADDI, rd_of(h), 0, imm6(h)); }
EXPAND(addi16sp)
/* clang-format on */
{
    int32_t imm = (int32_t)wt_sign_extend(wt_field(h, 12, 12) << 9 | wt_field(h, 6, 6) << 4 |
                                              wt_field(h, 5, 5) << 6 | wt_field(h, 4, 3) << 7 |
                                              wt_field(h, 2, 2) << 5,
                                          10);
    return imm ? i_type(ADDI, 2, 2, imm) : 0;
}
/* clang-format off */
EXPAND(lui) { return imm6(h) ? 0x37 | rd_of(h) << 7 | (uint32_t)imm6(h) << 12 : 0; }
/* clang-format on */
static uint32_t shift(uint32_t base, unsigned rd, uint16_t h, unsigned xlen)
{
    uint32_t amount = (uint32_t)imm6(h) & 63;
    return amount < xlen ? base | rd << 7 | rd << 15 | amount << 20 : 0;
}
/* clang-format off */
EXPAND(srli) { return shift(0x5013, rs1_short(h), h, xlen); }
EXPAND(srai) { return shift(0x40005013, rs1_short(h), h, xlen); }
EXPAND(andi) { return i_type(0x7013, rs1_short(h), rs1_short(h), imm6(h)); }
EXPAND(sub) { return r_type(0x40000033, rs1_short(h), rs1_short(h), rs2_short(h)); }
EXPAND(xor) { return r_type(0x4033, rs1_short(h), rs1_short(h), rs2_short(h)); }
EXPAND(or) { return r_type(0x6033, rs1_short(h), rs1_short(h), rs2_short(h)); }
EXPAND(and) { return r_type(0x7033, rs1_short(h), rs1_short(h), rs2_short(h)); }
EXPAND(subw) { return r_type(0x4000003b, rs1_short(h), rs1_short(h), rs2_short(h)); }
EXPAND(addw) { return r_type(0x3b, rs1_short(h), rs1_short(h), rs2_short(h)); }
EXPAND(j) { return jal(0, offset_j(h)); }
EXPAND(beqz) { return branch(0x63, rs1_short(h), offset_b(h)); }
EXPAND(bnez) { return branch(0x1063, rs1_short(h), offset_b(h)); }
/* clang-format on */

/* Quadrant 2 */
/* clang-format off */
EXPAND(slli) { return shift(0x1013, rd_of(h), h, xlen); }
EXPAND(fldsp) { return i_type(FLD, rd_of(h), 2, (int32_t)offset_ldsp(h)); }
EXPAND(lwsp) { return rd_of(h) ? i_type(LW, rd_of(h), 2, (int32_t)offset_lwsp(h)) : 0; }
EXPAND(flwsp) { return i_type(FLW, rd_of(h), 2, (int32_t)offset_lwsp(h)); }
EXPAND(ldsp) { return rd_of(h) ? i_type(LD, rd_of(h), 2, (int32_t)offset_ldsp(h)) : 0; }
EXPAND(jr) { return rd_of(h) ? i_type(JALR, 0, rd_of(h), 0) : 0; }
EXPAND(mv) { return r_type(ADD, rd_of(h), 0, rs2_of(h)); }
EXPAND(ebreak) { return 0x00100073; }
EXPAND(jalr) { return i_type(JALR, 1, rd_of(h), 0); }
EXPAND(add) { return r_type(ADD, rd_of(h), rd_of(h), rs2_of(h)); }
EXPAND(fsdsp) { return s_type(FSD, 2, rs2_of(h), offset_sdsp(h)); }
EXPAND(swsp) { return s_type(SW, 2, rs2_of(h), offset_swsp(h)); }
EXPAND(fswsp) { return s_type(FSW, 2, rs2_of(h), offset_swsp(h)); }
EXPAND(sdsp) { return s_type(SD, 2, rs2_of(h), offset_sdsp(h)); }
/* clang-format on */

/* Rows in order of precedence: special encodings stand before the general ones they overlap. */
const struct vx_rvc vx_rvcs[] = {
    {"c.addi4spn", 0, 0x0000, 0xe003, "zS", expand_addi4spn},
    {"c.fld", 0, 0x2000, 0xe003, "Zx", expand_fld},
    {"c.lw", 0, 0x4000, 0xe003, "zx", expand_lw},
    {"c.flw", 32, 0x6000, 0xe003, "Zx", expand_flw},
    {"c.ld", 64, 0x6000, 0xe003, "zx", expand_ld},
    {"c.fsd", 0, 0xa000, 0xe003, "Zx", expand_fsd},
    {"c.sw", 0, 0xc000, 0xe003, "zx", expand_sw},
    {"c.fsw", 32, 0xe000, 0xe003, "Zx", expand_fsw},
    {"c.sd", 64, 0xe000, 0xe003, "zx", expand_sd},
    {"c.nop", 0, 0x0001, 0xef83, "", expand_addi},
    {"c.addi", 0, 0x0001, 0xe003, "di", expand_addi},
    {"c.jal", 32, 0x2001, 0xe003, "j", expand_jal},
    {"c.addiw", 64, 0x2001, 0xe003, "di", expand_addiw},
    {"c.li", 0, 0x4001, 0xe003, "di", expand_li},
    {"c.addi16sp", 0, 0x6101, 0xef83, "Si", expand_addi16sp},
    {"c.lui", 0, 0x6001, 0xe003, "du", expand_lui},
    {"c.srli", 0, 0x8001, 0xec03, "x6", expand_srli},
    {"c.srai", 0, 0x8401, 0xec03, "x6", expand_srai},
    {"c.andi", 0, 0x8801, 0xec03, "xi", expand_andi},
    {"c.sub", 0, 0x8c01, 0xfc63, "xz", expand_sub},
    {"c.xor", 0, 0x8c21, 0xfc63, "xz", expand_xor},
    {"c.or", 0, 0x8c41, 0xfc63, "xz", expand_or},
    {"c.and", 0, 0x8c61, 0xfc63, "xz", expand_and},
    {"c.subw", 64, 0x9c01, 0xfc63, "xz", expand_subw},
    {"c.addw", 64, 0x9c21, 0xfc63, "xz", expand_addw},
    {"c.j", 0, 0xa001, 0xe003, "j", expand_j},
    {"c.beqz", 0, 0xc001, 0xe003, "xb", expand_beqz},
    {"c.bnez", 0, 0xe001, 0xe003, "xb", expand_bnez},
    {"c.slli", 0, 0x0002, 0xe003, "d6", expand_slli},
    {"c.fldsp", 0, 0x2002, 0xe003, "Dp", expand_fldsp},
    {"c.lwsp", 0, 0x4002, 0xe003, "dp", expand_lwsp},
    {"c.flwsp", 32, 0x6002, 0xe003, "Dp", expand_flwsp},
    {"c.ldsp", 64, 0x6002, 0xe003, "dp", expand_ldsp},
    {"c.jr", 0, 0x8002, 0xf07f, "d", expand_jr},
    {"c.mv", 0, 0x8002, 0xf003, "dt", expand_mv},
    {"c.ebreak", 0, 0x9002, 0xffff, "", expand_ebreak},
    {"c.jalr", 0, 0x9002, 0xf07f, "d", expand_jalr},
    {"c.add", 0, 0x9002, 0xf003, "dt", expand_add},
    {"c.fsdsp", 0, 0xa002, 0xe003, "Tp", expand_fsdsp},
    {"c.swsp", 0, 0xc002, 0xe003, "tp", expand_swsp},
    {"c.fswsp", 32, 0xe002, 0xe003, "Tp", expand_fswsp},
    {"c.sdsp", 64, 0xe002, 0xe003, "tp", expand_sdsp},
};
const size_t vx_rvc_count = sizeof vx_rvcs / sizeof vx_rvcs[0];

const struct vx_rvc *vx_rvc_find(uint16_t half, unsigned xlen, uint32_t *word)
{
    assert(word && (xlen == 32 || xlen == 64));
    for (size_t i = 0; i < vx_rvc_count; i++) {
        const struct vx_rvc *row = &vx_rvcs[i];
        if ((half & row->mask) != row->match || (row->xlen && row->xlen != xlen))
            continue;
        *word = row->expand(half, xlen);
        return *word ? row : NULL;
    }
    return NULL;
}
