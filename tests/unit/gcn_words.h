/* Words of any row of gfx900's table, and numbers to try instructions with. gcn_rig.h comes before
 * it.
 */
#ifndef TESTS_GCN_WORDS_H
#define TESTS_GCN_WORDS_H

enum { REGISTERS = 36 /* vector registers that words name */ };

static uint32_t number(void)
{
    static const uint32_t odd[] = {0,          1,          2,          0xffffffff, 0x80000000,
                                   31,         0x3f800000, 0x40490fdb, 0x7fc00000, 0x7f800001,
                                   0x00000001, 0x3ff00000, 0x7ff00000, 0x3c003c00, 0x7c010001,
                                   0x41700000, 0xff7fffff, 0x00800001};
    return (uint32_t)(any(4) ? odd[any(sizeof odd / sizeof *odd)] : any(UINT32_MAX));
}

enum { PLAIN, LONG, SDWA, DPP, FORMS };
static const uint8_t form_bits[FORMS] = {0, GCN_E64, GCN_SDWA, GCN_DPP};

static uint32_t vector_source(bool literal)
{
    switch (any(literal ? 6 : 5)) {
    case 0:
    case 1:
        return (uint32_t)any(25) * 4;
    case 2:
        return GCN_INLINE + (uint32_t)any(81);
    case 5:
        return GCN_LITERAL;
    default:
        return GCN_VGPR + (uint32_t)any(REGISTERS - 4);
    }
}

static uint32_t scalar_source(void)
{
    switch (any(5)) {
    case 0:
        return GCN_INLINE + (uint32_t)any(81);
    case 1:
        return GCN_HALF + (uint32_t)any(9);
    case 2:
        return any(2) ? GCN_LITERAL : GCN_VCC;
    default:
        return (uint32_t)any(25) * 4;
    }
}

/* Words of the row, or of none. */
static void make_words(const struct gcn_row *row, unsigned form, uint32_t word[3])
{
    const uint32_t op = row->opcode, random = (uint32_t)any(UINT32_MAX);
    const uint32_t d = (uint32_t)any(25) * 4, vd = (uint32_t)any(REGISTERS - 4),
                   v1 = (uint32_t)any(REGISTERS - 4), v2 = (uint32_t)any(REGISTERS - 4),
                   v3 = (uint32_t)any(REGISTERS - 4);
    const uint32_t first = form == SDWA ? 249 : form == DPP ? 250 : vector_source(true);
    word[1] = number();
    word[2] = number();
    if (form == SDWA)
        word[1] = (random & (row->encoding == GCN_VOPC ? 0x77770000 : 0x77777700)) | v2 |
                  ((random & 0x4000) && row->encoding == GCN_VOPC ? 0x8000 | (d & 0x7c) << 8 : 0);
    if (form == DPP)
        word[1] = (random & 0x00f80000) | v2 | (any(2) ? random & 0xff000000 : 0xff000000) |
                  (any(2)   ? (uint32_t)any(256)
                   : any(2) ? (uint32_t)any(0x144)
                            : 0x150 + (uint32_t)any(16))
                      << 8;
    if (form == SDWA || form == DPP)
        word[1] &= row->encoding == GCN_VOPC && form == SDWA ? UINT32_MAX
                   : any(2)                                  ? 0xff0fffffu
                                                             : UINT32_MAX;
    switch ((enum gcn_encoding)row->encoding) {
    case GCN_SOP2:
        word[0] = 2u << 30 | op << 23 | d << 16 | scalar_source() << 8 | scalar_source();
        break;
    case GCN_SOPK:
        word[0] =
            0xbu << 28 | op << 23 | d << 16 | (random >> 16 & 1 ? random & 0xffff : random & 3);
        break;
    case GCN_SOP1:
        word[0] = 0x17du << 23 | d << 16 | op << 8 | scalar_source();
        break;
    case GCN_SOPC:
        word[0] = 0x17eu << 23 | op << 16 | scalar_source() << 8 | scalar_source();
        break;
    case GCN_SOPP:
        word[0] = 0x17fu << 23 | op << 16 | (random & 0xf);
        break;
    case GCN_SMEM:
        word[0] = 0x30u << 26 | op << 18 | (random & 3) << 16 | 96u / 2 |
                  (16 * (random >> 2 & 3)) << 6 | (random & 0x4000);
        word[1] = (random & 0x4000 ? 80u << 25 : 0) | (random & 0x20000 ? 0 : 80);
        word[1] = word[0] >> 17 & 1 ? (word[1] & 0xfe000000) | 8 : word[1] | 80;
        break;
    case GCN_VOP2:
        word[0] = op << 25 | vd << 17 | v1 << 9 | first;
        break;
    case GCN_VOP1:
        word[0] = 0x3fu << 25 | vd << 17 | op << 9 | first;
        break;
    case GCN_VOPC:
        word[0] = 0x3eu << 25 | op << 17 | v1 << 9 | first;
        break;
    case GCN_VOP3P:
        word[0] = 0x34u << 26 | 7u << 23 | op << 16 | (random & 0xff00) | vd;
        break;
    case GCN_DS:
        word[0] = 0x36u << 26 | op << 17 | (random & 0x2010000) | (uint32_t)any(8) * 8;
        word[1] = vd << 24 | v3 << 16 | v2 << 8 | v1;
        break;
    case GCN_FLAT:
    case GCN_GLOBAL:
    case GCN_SCRATCH:
        word[0] = 0x37u << 26 | op << 18 | (random & 0x30000) |
                  (row->encoding == GCN_FLAT     ? 0u
                   : row->encoding == GCN_GLOBAL ? 2u
                                                 : 1u)
                      << 14 |
                  (row->encoding != GCN_FLAT && !any(4) ? 1u << 13 : 0) | 8;
        word[1] = vd << 24 |
                  (row->encoding == GCN_FLAT ? 0
                   : any(2)                  ? 0x7fu
                                             : d)
                      << 16 |
                  (random & 0x800000) | v2 << 8 | v1;
        break;
    case GCN_MUBUF:
        word[0] = 0x38u << 26 | op << 18 | (random & 0x27000) | (any(4) ? 0 : 0x10000) | 8;
        word[1] = (any(2) ? 80u : 128u + (uint32_t)any(8)) << 24 |
                  (random & 0x800000 & -(uint32_t)!any(4)) | 96u / 4 << 16 | v2 << 8 | v1;
        break;
    case GCN_MTBUF:
        word[0] = 0x3au << 26 | 7u << 23 | 14u << 19 | op << 15 | (random & 0x7000) | 8;
        word[1] = (any(2) ? 80u : 128u + (uint32_t)any(8)) << 24 | 96u / 4 << 16 | v2 << 8 | v1;
        break;
    case GCN_MIMG: /* resource s80, sampler s96 */
        word[0] = 0x3cu << 26 | op << 18 | (random & 0x7000) | (any(4) ? 0 : random & 0x10000) |
                  (row->operands[0] != 'a' ? 1 + (uint32_t)any(15)
                   : op == 0x11            ? any(2) ? 3 : 15
                   : any(2)                ? 1
                                           : 3)
                      << 8;
        if (row->operands[0] != 'r')
            word[0] &= ~0x10000u;
        word[1] = (row->operands[0] == 'a' ? 0 : random & 0x80000000) | 96u / 4 << 21 |
                  80u / 4 << 16 | v2 << 8 | v1 / 2;
        break;
    default:
        break;
    }
    if (row->encoding == GCN_VOP3 || form == LONG) {
        const uint32_t of[GCN_ENCODINGS] = {[GCN_VOP1] = 0x140, [GCN_VOP2] = 0x100};
        const bool mask = row->operands[0] == 'm' || row->operands[1] == 'm';
        word[0] = 0x34u << 26 | (op + of[row->encoding]) << 16 |
                  (row->operands[0] == 'm' || row->operands[0] == 'S' ? d : vd) |
                  (mask && row->operands[0] != 'm' ? d << 8
                   : any(2)                        ? random & 0xff00
                                                   : 0);
    }
    if (row->encoding == GCN_VOP3P && strpbrk(row->operands, "aWXTYZ")) {
        word[0] = (word[0] & ~0xffu) | (vd & 3);
        word[1] = (GCN_VGPR + (v1 & 31)) | (GCN_VGPR + (v2 & 31)) << 9 |
                  (GCN_VGPR + (v3 & 3)) << 18 | (random & 0xf8000000);
        return;
    }
    if (row->encoding == GCN_VOP3 || row->encoding == GCN_VOP3P || form == LONG) {
        const bool lane =
            row == &gcn_rows[GCN_I_v_readlane_b32] || row == &gcn_rows[GCN_I_v_writelane_b32];
        word[1] = vector_source(false) | (lane ? d : vector_source(false)) << 9 |
                  (strchr(row->operands, 'm') ? d : vector_source(false)) << 18 |
                  (any(2) ? random & 0xf8000000 : 0);
    }
}

#endif
