/* Finding instructions in the table, and their immediates. */
#include "emulator/vortex/isa.h"

#include <assert.h>

#include "base/bits.h"

#include "emulator/machine/meaning_code.h"
#define I(id, name, xlen, match, mask, operands, ...)                                              \
    static const uint8_t MEANING(id)[] = {__VA_ARGS__ WT_M_END};                                   \
    static_assert(sizeof MEANING(id) <= WT_M_MOST, #id);
#define XLEN 32
#define MEANING(id) of_32_##id
#include "emulator/vortex/isa.def"
#undef XLEN
#undef MEANING
#define XLEN 64
#define MEANING(id) of_64_##id
#include "emulator/vortex/isa.def"
#undef I
#include "emulator/machine/meaning_end.h"

const struct vx_insn vx_insns[VX_INSN_COUNT] = {
#define I(id, name, xlen, match, mask, operands, ...)                                              \
    {name, xlen, match, mask, operands, {of_32_##id, of_64_##id}},
#include "emulator/vortex/isa.def"
#undef I
};

/* Matches and masks of the rows by themselves, compared in groups of sixteen; padded to whole
 * groups with rows that every word fits, and that no result is taken from. */
enum { BLOCK = 4, GROUP = 4 * BLOCK, GROUPS = (VX_INSN_COUNT + GROUP - 1) / GROUP };

typedef uint32_t block __attribute__((vector_size(BLOCK * sizeof(uint32_t))));

static const union {
    uint32_t row[GROUPS * GROUP];
    block block[GROUPS][4];
} matches = {.row =
                 {
#define I(id, name, xlen, match, mask, operands, ...) match,
#include "emulator/vortex/isa.def"
#undef I
                 }},
  masks = {.row = {
#define I(id, name, xlen, match, mask, operands, ...) mask,
#include "emulator/vortex/isa.def"
#undef I
           }};

const char *vx_unit_missing(enum vx_insn_id id)
{
    switch (id) {
    case VX_INSN_tcu:
        return "tensor unit (TCU)";
    case VX_INSN_dxa:
        return "DXA unit";
    case VX_INSN_om4:
        return "output merger (OM)";
    case VX_INSN_getws:
        return "graphics window (RASTER)";
    case VX_INSN_tex4:
        return "texture unit (TEX)";
    case VX_INSN_window:
        return "graphics window (RASTER, RTU)";
    case VX_INSN_rtu:
        return "ray tracing unit (RTU)";
    default:
        return NULL;
    }
}

enum vx_insn_id vx_insn_find(uint32_t word, unsigned xlen)
{
    for (unsigned g = 0; g < GROUPS; g++) {
        block fits = {0};
        for (unsigned b = 0; b < 4; b++)
            fits |= (block)((masks.block[g][b] & word) == matches.block[g][b]);
        if (!(fits[0] | fits[1] | fits[2] | fits[3]))
            continue;
        for (unsigned i = g * GROUP; i < (g + 1) * GROUP && i < VX_INSN_COUNT; i++)
            if ((word & masks.row[i]) == matches.row[i] &&
                (!vx_insns[i].xlen || vx_insns[i].xlen == xlen))
                return i;
    }
    return VX_INSN_COUNT;
}

/* Unprivileged ISA, section 2.3 "Immediate Encoding Variants". */
int32_t vx_imm_i(uint32_t word)
{
    return (int32_t)word >> 20;
}

int32_t vx_imm_s(uint32_t word)
{
    return (int32_t)wt_sign_extend(wt_field(word, 31, 25) << 5 | wt_field(word, 11, 7), 12);
}

int32_t vx_imm_b(uint32_t word)
{
    return (int32_t)wt_sign_extend(wt_field(word, 31, 31) << 12 | wt_field(word, 7, 7) << 11 |
                                       wt_field(word, 30, 25) << 5 | wt_field(word, 11, 8) << 1,
                                   13);
}

int32_t vx_imm_u(uint32_t word)
{
    return (int32_t)(word & 0xfffff000);
}

int32_t vx_imm_j(uint32_t word)
{
    return (int32_t)wt_sign_extend(wt_field(word, 31, 31) << 20 | wt_field(word, 19, 12) << 12 |
                                       wt_field(word, 20, 20) << 11 | wt_field(word, 30, 21) << 1,
                                   21);
}
