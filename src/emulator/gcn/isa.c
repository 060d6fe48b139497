/* Rows of the instruction table, found by encoding and opcode. */
#include "emulator/gcn/isa.h"

#include <assert.h>
#include <string.h>

#include "emulator/gcn/internal.h"

#define GCN_OP(executor)                                                                           \
    {                                                                                              \
        .op = gcn_op_##executor                                                                    \
    }
#define GCN_VECTOR(executor)                                                                       \
    {                                                                                              \
        .function = gcn_vop_##executor                                                             \
    }

#include "emulator/machine/meaning_code.h"
/* The address of an access, by encoding. Of a buffer: within it. */
#define AT_SMEM ADD(ADD(BASE, SEXT(64, OFFSET)), ZEXT(64, INDEX))
#define AT_SBUFFER ADD(ADD(ZEXT(64, PART(0, 48, BASE)), SEXT(64, OFFSET)), ZEXT(64, INDEX))
#define AT_SSCRATCH ADD(ADD(BASE, SEXT(64, OFFSET)), SHL(ZEXT(64, INDEX), K(8, 6)))
#define AT_DS ADD(A, OFFSET)
#define AT_PAIR(from, shift) ADD(A, SHL(ZEXT(32, PART(from, 8, OFFSET)), K(8, shift)))
#define AT_LANE ADD(ADD(ZEXT(32, PART(0, 16, M0)), OFFSET), SHL(LANE, K(8, 2)))
#define AT_COUNTER ADD(ZEXT(32, PART(0, 16, M0)), OFFSET)
#define AT_FLAT ADD(A, SEXT(64, OFFSET))
#define AT_GLOBAL ADD(ADD(BASE, ZEXT(64, A)), SEXT(64, OFFSET))
#define AT_GLOBAL_LANE ADD(ADD(BASE, ZEXT(64, SHL(LANE, K(8, 2)))), SEXT(64, OFFSET))
#define AT_SCRATCH ADD(ADD(BASE, A), OFFSET)
#define AT_MUBUF ADD(ADD(A, INDEX), OFFSET)
#define AT_MIMG OPAQUE1(64, A)
/* Bytes of three sources */
#define SAD_PART(from, bits) ZEXT(64, DIFFERENCE(PART(from, bits, A), PART(from, bits, B)))
#define SAD_BYTES ADD(ADD(SAD_PART(0, 8), SAD_PART(8, 8)), ADD(SAD_PART(16, 8), SAD_PART(24, 8)))
#define MSAD_BYTE(from) SELECT(NONZERO(PART(from, 8, B)), SAD_PART(from, 8), K(64, 0))
#define MSAD_BYTES ADD(ADD(MSAD_BYTE(0), MSAD_BYTE(8)), ADD(MSAD_BYTE(16), MSAD_BYTE(24)))
/* Sums of products of parts of A and B, extended by SEXT or ZEXT. */
#define PRODUCT(extend, from, bits)                                                                \
    MUL(extend(64, PART(from, bits, A)), extend(64, PART(from, bits, B)))
#define DOT2(extend) ADD(PRODUCT(extend, 0, 16), PRODUCT(extend, 16, 16))
#define FOUR(extend, from, bits)                                                                   \
    ADD(ADD(PRODUCT(extend, from, bits), PRODUCT(extend, from + bits, bits)),                      \
        ADD(PRODUCT(extend, from + 2 * bits, bits), PRODUCT(extend, from + 3 * bits, bits)))
#define DOT4(extend) FOUR(extend, 0, 8)
#define DOT8(extend) ADD(FOUR(extend, 0, 4), FOUR(extend, 16, 4))
#define LERP(from)                                                                                 \
    PART(1, 8, ADDC(ZEXT(9, PART(from, 8, A)), ZEXT(9, PART(from, 8, B)), PART(from, 1, C)))

#define I(id, name, encoding, opcode, forms, operands, state, models, gfx10, executor, ...)        \
    static const uint8_t meaning_##id[] = {__VA_ARGS__ WT_M_END};                                  \
    static_assert(sizeof meaning_##id <= WT_M_MOST, #id);
#include "emulator/gcn/isa.def"
#undef I

const struct gcn_row gcn_rows[GCN_INSNS] = {
#define E64 GCN_E64
#define SDWA GCN_SDWA
#define DPP GCN_DPP
#define LIT GCN_LIT
#define NEAR GCN_NEAR
#define ALL GCN_ALL
#define NO GCN_NO_OPCODE
#define I(id, name, encoding, opcode, forms, operands, state, models, gfx10, executor, ...)        \
    [GCN_I_##id] = {name,         GCN_##encoding,                                                  \
                    forms,        opcode,                                                          \
                    gfx10,        GCN_ON_##models | (gfx10 == NO ? 0 : GCN_ON_GFX10),              \
                    operands,     state,                                                           \
                    meaning_##id, GCN_RUNS_##encoding(executor)},
#include "emulator/gcn/isa.def"
#undef I
};

/* Numbers of rows by encoding and opcode of gfx10, plus 1; the rest takes those that have none. */
enum { OPCODES = 0x400, PLACES = GCN_ENCODINGS * OPCODES };
static const uint16_t gfx10_rows[PLACES + GCN_INSNS] = {
#define I(id, name, encoding, opcode, forms, operands, state, models, gfx10, executor, ...)        \
    [gfx10 == NO ? PLACES + GCN_I_##id : GCN_##encoding * OPCODES + gfx10] = 1 + GCN_I_##id,
#include "emulator/gcn/isa.def"
#undef I
};

static unsigned key_of(const struct gcn_row *row)
{
    return (unsigned)row->encoding << 16 | row->opcode;
}

const struct gcn_row *gcn_row_find(const struct gcn_model *model, enum gcn_encoding encoding,
                                   unsigned opcode)
{
    if (gcn_is_gfx10(model)) {
        assert(opcode < OPCODES);
        const unsigned place = gfx10_rows[encoding * OPCODES + opcode];
        return place ? &gcn_rows[place - 1] : NULL;
    }
    const unsigned key = (unsigned)encoding << 16 | opcode;
    size_t low = 0, high = GCN_INSNS;
    while (low < high) { /* the first row of this opcode */
        const size_t middle = (low + high) / 2;
        if (key_of(&gcn_rows[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < GCN_INSNS && key_of(&gcn_rows[low]) == key; low++)
        if (gcn_rows[low].models & model->set)
            return &gcn_rows[low];
    return NULL;
}

bool gcn_row_executes(const struct gcn_row *row)
{
    if (row->encoding >= GCN_VOP2 && row->encoding <= GCN_VOP3P)
        return row->function != gcn_vop_none;
    return row->op != gcn_op_none;
}

bool gcn_row_is_near(const struct gcn_row *row)
{
    return row->forms & GCN_NEAR;
}

bool gcn_keeps_other_half(const struct gcn_uop *u)
{
    const struct gcn_row *row = u->row;
    if (u->keeps_half || row->encoding == GCN_VOP3P)
        return true;
    return row->encoding == GCN_VOP3 &&
           ((row->opcode >= 0x1f4 && row->opcode <= 0x1fc) ||
            (row->opcode >= 0x203 && row->opcode <= 0x207) || row->opcode == 0x29e ||
            row->opcode == 0x29f || row->opcode == 0x2a2 || row->opcode == 0x2a3);
}

bool gcn_writes_high_half(const struct gcn_uop *u)
{
    return u->op_sel >> 3 & 1 || (u->row->encoding == GCN_VOP3P && u->row->opcode == 0x22);
}

struct gcn_share_data gcn_share_data(const struct gcn_row *row)
{
    const char access = row->operands[0], *name = row->name;
    const unsigned what = row->opcode & 0x1f;
    const bool pair = strstr(name, "read2") || strstr(name, "write2") || strstr(name, "wrxchg2");
    const bool src2 = strstr(name, "_src2_"),
               counts = !strcmp(name, "ds_append") || !strcmp(name, "ds_consume"),
               swizzles = strstr(name, "swizzle"), moves = swizzles || strstr(name, "permute"),
               exchange = !strcmp(name, "ds_condxchg32_rtn_b64");
    const bool result = access == 'r' || moves || counts || exchange ||
                        (access == 'a' && !src2 && row->opcode & 0x20);
    const bool third = access == 'a' && !pair && !src2 && !moves && !exchange && !counts &&
                       (what == 12 || what == 16 || what == 17 || (what == 20 && result));
    return (struct gcn_share_data){.first = (access == 'w' || access == 'a') && !src2 && !counts &&
                                            !swizzles,
                                   .second = (access != 'r' && pair) || third,
                                   .result = access && result,
                                   .pair = pair};
}

const char *gcn_encoding_name(enum gcn_encoding encoding)
{
    static const char *const names[GCN_ENCODINGS] = {
        "SOP2", "SOPK",  "SOP1", "SOPC", "SOPP",   "SMEM",    "VOP2",  "VOP1",  "VOPC",
        "VOP3", "VOP3P", "DS",   "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG",
    };
    return names[encoding];
}
