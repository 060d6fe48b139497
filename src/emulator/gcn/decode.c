/*
 * From words to decoded instructions. Sections are those of the "Vega" instruction set manual,
 * chapter 12 "Microcode formats".
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/gcn/isa.h"
#include "emulator/gcn/models.h"

static const char no_such[] = "there is no such instruction";
static const char bad_operand[] = "it has an operand that does not exist";
static const char odd_operand[] = "an SGPR pair or group begins at a register that is not aligned";
static const char cut_off[] = "it is cut off";
static const char no_result[] = "it returns nothing on this GPU";
static const char odd_vgpr[] =
    "a group of vector registers begins at an odd one, which this GPU does not have";

/* Whether a scalar operand number below 128 can hold so many registers; they must be aligned. */
static bool sgprs_ok(unsigned n, unsigned count, const char **why)
{
    if (n > 127 || n == 125 || n + count > 128 || (count > 1 && n + count > 124 && n != GCN_EXEC) ||
        (count > 2 && n < GCN_TTMP && n + count > 102)) {
        *why = bad_operand;
        return false;
    }
    const unsigned align = count > 2 ? 4 : count;
    *why = odd_operand;
    return n % align == 0;
}

unsigned gcn_registers_of(char type)
{
    switch (type) {
    case 'U':
    case 'F':
    case 'm':
    case 'w':
    case 'b':
    case 'B':
    case 'W':
        return 2;
    case 'Q':
    case 'y':
    case 'X':
        return 4;
    case 'T':
        return 8;
    case 'Y':
        return 16;
    case 'Z':
        return 32;
    default:
        return 1;
    }
}

/* Whether a group of vector registers may begin here. That hardware refuses odd ones of a unified
 * file is what LLVM's assembler does; it is not published. */
static bool vgprs_ok(const struct gcn_model *model, unsigned first, unsigned count,
                     const char **why)
{
    const unsigned n = first % GCN_AGPR;
    *why = n + count > GCN_AGPR ? bad_operand : odd_vgpr;
    return n + count <= GCN_AGPR && (count < 2 || n % 2 == 0 || !model->unified);
}

/* Whether operand n can be a source of this type. */
static bool source_ok(const struct gcn_model *model, unsigned n, char type, bool literal,
                      const char **why)
{
    const unsigned count = gcn_registers_of(type);
    if (n >= GCN_VGPR)
        return vgprs_ok(model, n - GCN_VGPR, count, why);
    *why = bad_operand;
    if (type == 'Q') /* four vector registers, never scalar ones */
        return false;
    if (n < GCN_INLINE)
        return sgprs_ok(n, count, why);
    if ((n > 208 && n < GCN_SHARED_BASE) || n == 249 || n == 250)
        return false;
    if (n == GCN_LITERAL)
        return literal;
    return n != GCN_LDS_DIRECT || (count == 1 && model->lds_direct);
}

/* The types of a row's results and sources. */
static const char *results_of(const struct gcn_row *row)
{
    return row->operands;
}

static const char *sources_of(const struct gcn_row *row)
{
    const char *colon = strchr(row->operands, ':');
    return colon ? colon + 1 : "";
}

static bool take_literal(const uint32_t *word, unsigned available, struct gcn_uop *u,
                         const char **why)
{
    if (available < u->length + 1u) {
        *why = cut_off;
        return false;
    }
    u->literal = word[u->length++];
    return true;
}

/* ---- scalar encodings, sections 12.1 and 12.2 ---- */

static bool decode_scalar(const struct gcn_model *model, const uint32_t *word, unsigned available,
                          enum gcn_encoding encoding, unsigned opcode, struct gcn_uop *u,
                          const char **why)
{
    const uint32_t w = word[0];
    u->row = gcn_row_find(model, encoding, opcode);
    if (!u->row) {
        *why = no_such;
        return false;
    }
    u->imm = (int16_t)w;
    if (encoding == GCN_SOPP) { /* the counts of s_waitcnt, and no operands */
        u->src[0] = (uint16_t)(wt_field(w, 3, 0) | wt_field(w, 15, 14) << 4);
        u->src[1] = (uint16_t)wt_field(w, 6, 4);
        u->src[2] = (uint16_t)wt_field(w, 11, 8);
        return true;
    }
    u->dst = (uint16_t)wt_field(w, 22, 16);
    u->src[0] = (uint16_t)wt_field(w, 7, 0);
    u->src[1] = (uint16_t)wt_field(w, 15, 8);
    const char *sources = sources_of(u->row);
    if (encoding == GCN_SOPK) {
        /* The register field is a source where the row has no result. */
        u->src[0] = u->dst;
        if (u->row->forms & GCN_LIT)
            return take_literal(word, available, u, why);
        if (*sources == 'u' || *sources == 'U')
            return sgprs_ok(u->src[0], gcn_registers_of(*sources), why);
    } else {
        bool literal = false;
        for (unsigned i = 0; sources[i] && i < 2; i++) {
            if (sources[i] == 'k') /* s_set_gpr_idx_on: four bits of mode */
                continue;
            if (!source_ok(model, u->src[i], sources[i], true, why))
                return false;
            literal |= u->src[i] == GCN_LITERAL;
        }
        if (literal && !take_literal(word, available, u, why))
            return false;
    }
    const char *results = results_of(u->row);
    return *results == ':' || sgprs_ok(u->dst, gcn_registers_of(*results), why);
}

static bool decode_smem(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                        const char **why)
{
    u->row = gcn_row_find(model, GCN_SMEM, wt_field(word[0], 25, 18));
    if (!u->row) {
        *why = no_such;
        return false;
    }
    const bool immediate = wt_field(word[0], 17, 17), soffset = wt_field(word[0], 14, 14);
    u->base = (uint8_t)(wt_field(word[0], 5, 0) * 2);
    u->dst = (uint16_t)wt_field(word[0], 12, 6);
    u->glc = wt_field(word[0], 16, 16);
    /* Section 12.2: OFFSET is signed, of 21 bits, with IMM; else its low bits name an SGPR. */
    if (immediate)
        u->imm = (int32_t)wt_sign_extend(wt_field(word[1], 20, 0), 21);
    u->has_soffset = soffset || !immediate;
    u->soffset = (uint8_t)(soffset ? wt_field(word[1], 31, 25) : wt_field(word[1], 6, 0));
    const unsigned opcode = u->row->opcode;
    if (opcode >= 0x20 && opcode <= 0x23)
        return true; /* the caches: no operands */
    if (opcode == 0x24 || opcode == 0x25) {
        u->size = 8;
        return sgprs_ok(u->dst, 2, why);
    }
    if (u->has_soffset && !sgprs_ok(u->soffset, 1, why))
        return false;
    if (opcode == 0x26 || opcode == 0x27 || opcode == 0x28 || opcode == 0x29)
        return true;
    sscanf(u->row->operands + 1, "%hhu", &u->size);
    unsigned count = u->size / 4;
    /* A compare-and-swap has both values in its data. */
    if (u->row->operands[0] == 'a' && (opcode & 0x1f) == 1)
        count *= 2;
    if (!sgprs_ok(u->dst, count, why))
        return false;
    const bool buffer = strstr(u->row->name, "_buffer_") != NULL;
    return sgprs_ok(u->base, buffer ? 4 : 2, why);
}

/* ---- vector encodings, sections 12.3 and 12.4 ---- */

static bool decode_sdwa(uint32_t w, struct gcn_uop *u, const char **why)
{
    u->form = GCN_FORM_SDWA;
    if (!(u->row->forms & GCN_SDWA)) {
        *why = "it cannot have a sub-dword word";
        return false;
    }
    u->src[0] = (uint16_t)(wt_field(w, 7, 0) + (wt_field(w, 23, 23) ? 0 : GCN_VGPR));
    if (wt_field(w, 31, 31))
        u->src[1] -= GCN_VGPR;
    u->sel[0] = (uint8_t)wt_field(w, 18, 16);
    u->sel[1] = (uint8_t)wt_field(w, 26, 24);
    u->sext = (uint8_t)(wt_field(w, 19, 19) | wt_field(w, 27, 27) << 1);
    u->neg = u->neg_hi = (uint8_t)(wt_field(w, 20, 20) | wt_field(w, 28, 28) << 1);
    u->abs = (uint8_t)(wt_field(w, 21, 21) | wt_field(w, 29, 29) << 1);
    if (u->row->encoding == GCN_VOPC) {
        u->sel[2] = 6;
        if (wt_field(w, 15, 15)) {
            u->sdst = (uint8_t)wt_field(w, 14, 8);
            if (!sgprs_ok(u->sdst, 2, why))
                return false;
        }
    } else {
        u->sel[2] = (uint8_t)wt_field(w, 10, 8);
        u->unused = (uint8_t)wt_field(w, 12, 11);
        u->clamp = wt_field(w, 13, 13);
        u->omod = (uint8_t)wt_field(w, 15, 14);
    }
    const unsigned sources = (unsigned)strlen(sources_of(u->row));
    if (u->sel[0] == 7 || (sources > 1 && u->sel[1] == 7) || u->sel[2] == 7 || u->unused == 3) {
        *why = "it selects a part of a dword that does not exist";
        return false;
    }
    return true;
}

/* Section 12.4, DPP_CTRL. */
static bool dpp_exists(const struct gcn_model *model, unsigned ctrl, bool wide)
{
    if (wide || ctrl >= 0x150)
        return model->wide_dpp && ctrl >> 4 == 0x15;
    if (ctrl < 0x100)
        return true;
    if (ctrl < 0x130)
        return ctrl & 0xf;
    return ctrl == 0x130 || ctrl == 0x134 || ctrl == 0x138 || ctrl == 0x13c ||
           (ctrl >= 0x140 && ctrl <= 0x143);
}

static bool decode_dpp(const struct gcn_model *model, uint32_t w, struct gcn_uop *u,
                       const char **why)
{
    const bool wide = strpbrk(u->row->operands, u->row->encoding == GCN_VOP1 ? "FU" : "F");
    u->form = GCN_FORM_DPP;
    u->dpp = (uint16_t)wt_field(w, 16, 8);
    u->src[0] = (uint16_t)(wt_field(w, 7, 0) + GCN_VGPR);
    u->bound_ctrl = wt_field(w, 19, 19);
    u->neg = u->neg_hi = (uint8_t)(wt_field(w, 20, 20) | wt_field(w, 22, 22) << 1);
    u->abs = (uint8_t)(wt_field(w, 21, 21) | wt_field(w, 23, 23) << 1);
    u->bank_mask = (uint8_t)wt_field(w, 27, 24);
    u->row_mask = (uint8_t)wt_field(w, 31, 28);
    if ((!(u->row->forms & GCN_DPP) && (!wide || u->row->encoding == GCN_VOPC)) ||
        !dpp_exists(model, u->dpp, wide)) {
        *why = "it cannot have this data-parallel word";
        return false;
    }
    return true;
}

/* Chooses the way in which a vector instruction is executed. */
static void choose_path(struct gcn_uop *u)
{
    const char *results = results_of(u->row), *sources = sources_of(u->row);
    u->cmpx = u->row->encoding == GCN_VOPC &&
              u->row->opcode & (u->row->opcode < 0x20 ? 1 : 0x10); /* section 12.9 */
    u->path = GCN_PATH_ANY;
    if (u->form == GCN_FORM_SDWA || u->form == GCN_FORM_DPP || u->abs || u->neg || u->clamp ||
        u->omod || u->op_sel)
        return;
    u->path = GCN_PATH_PLAIN;
    for (unsigned i = 0; sources[i]; i++) {
        const bool wide = sources[i] == 'U' || sources[i] == 'F';
        u->wide |= (uint8_t)(wide << i);
        u->wide_float |= (uint8_t)((sources[i] == 'F') << i);
        u->mask |= (uint8_t)((sources[i] == 'm') << i);
        if (wide || sources[i] == 'm')
            u->path = GCN_PATH_WHOLE;
        else if (sources[i] != 'u' && sources[i] != 'f') {
            u->path = GCN_PATH_ANY;
            return;
        }
    }
    if (!strchr("ufUFm", *results)) {
        u->path = GCN_PATH_ANY;
        return;
    }
    u->result = *results == 'm' ? 0 : (uint8_t)gcn_registers_of(*results);
    u->mask_result = *results == 'm' || results[1] == 'm';
    if (u->result != 1 || u->mask_result)
        u->path = GCN_PATH_WHOLE;
}

static void note_row(struct gcn_uop *u, unsigned row)
{
    if (row >= GCN_AGPR && row - GCN_AGPR >= u->agprs)
        u->agprs = (uint16_t)(row - GCN_AGPR + 1);
    else if (row < GCN_AGPR && row > u->last_vgpr)
        u->last_vgpr = (uint8_t)row;
}

static bool check_vector(const struct gcn_model *model, struct gcn_uop *u, bool literal,
                         const char **why)
{
    const char *results = results_of(u->row), *sources = sources_of(u->row);
    for (unsigned i = 0; i < 3 && sources[i] && sources[i] != 'd'; i++) {
        if (sources[i] == 'm') {
            if (!sgprs_ok(u->smask, 2, why))
                return false;
        } else if (!source_ok(model, u->src[i], sources[i], literal, why)) {
            return false;
        }
    }
    for (; *results != ':'; results++) {
        const unsigned count = gcn_registers_of(*results);
        if (*results == 'm'   ? !sgprs_ok(u->sdst, 2, why)
            : *results == 'S' ? !sgprs_ok(u->dst, 1, why)
                              : !vgprs_ok(model, u->dst, count, why))
            return false;
    }
    for (unsigned i = 0; i < 3 && sources[i] && sources[i] != 'd'; i++) {
        const unsigned count = gcn_registers_of(sources[i]);
        u->sources++;
        if (sources[i] != 'm' && u->src[i] >= GCN_VGPR)
            note_row(u, u->src[i] - GCN_VGPR + count - 1);
    }
    results = results_of(u->row);
    if (*results != ':' && *results != 'm' && *results != 'S')
        note_row(u, u->dst + gcn_registers_of(*results) - 1);
    choose_path(u);
    return true;
}

/* Letters of operands that are accumulation registers or, of products on a GPU that has them behind
 * the VGPRs, all of one file. */
static const char accumulators[] = "aWXTYZ";

/* A register of 9 bits as the row of an operand; false: it is none of that file. */
static bool take_row(const struct gcn_model *model, uint16_t *number, char letter, bool accumulates,
                     bool result, const char **why)
{
    const unsigned first = result ? 0 : GCN_VGPR, n = *number - first;
    *why = bad_operand;
    if (*number < first || !vgprs_ok(model, n, gcn_registers_of(letter), why))
        return false;
    *number = (uint16_t)(first + n + (accumulates ? GCN_AGPR : 0));
    return true;
}

/* Moves and products of accumulation registers (LLVM, VOP3P-MAI): CBSZ, ABID and BLGP lie where
 * others have modifiers, and a bit for A and one for B say that it is an accumulation register;
 * where VGPRs may be C and D, too, one for both. */
static bool decode_accumulator(const struct gcn_model *model, const uint32_t *word,
                               struct gcn_uop *u, const char **why)
{
    const char *l = u->row->operands, *sources = sources_of(u->row);
    const bool moves = !sources[1], in_file = moves || !model->unified || wt_field(word[0], 15, 15);
    if (!take_row(model, &u->dst, *l, strchr(accumulators, *l) && in_file, true, why))
        return false;
    note_row(u, u->dst + gcn_registers_of(*l) - 1);
    for (unsigned i = 0; sources[i]; i++) {
        const bool sum = strchr(accumulators, sources[i]),
                   accumulates =
                       sum ? in_file
                           : !strchr("ui", sources[i]) && wt_field(word[1], 27 + i, 27 + i);
        u->sources++;
        if (u->src[i] < GCN_VGPR &&
            (sources[i] == 'u' || (!moves && sum && model->unified && u->src[i] >= GCN_INLINE))) {
            if (!source_ok(model, u->src[i], 'u', false, why))
                return false;
            continue;
        }
        if (!take_row(model, &u->src[i], sources[i], accumulates, false, why))
            return false;
        note_row(u, u->src[i] - GCN_VGPR + gcn_registers_of(sources[i]) - 1);
    }
    u->path = moves ? GCN_PATH_MOVE : GCN_PATH_MATRIX;
    u->result = (uint8_t)gcn_registers_of(*l);
    if (!moves) {
        u->cbsz = (uint8_t)wt_field(word[0], 10, 8);
        u->abid = (uint8_t)wt_field(word[0], 14, 11);
        u->blgp = (uint8_t)wt_field(word[1], 31, 29);
    }
    return true;
}

static bool decode_vop(const struct gcn_model *model, const uint32_t *word, unsigned available,
                       enum gcn_encoding encoding, unsigned opcode, struct gcn_uop *u,
                       const char **why)
{
    const uint32_t w = word[0];
    u->row = gcn_row_find(model, encoding, opcode);
    if (!u->row) {
        *why = no_such;
        return false;
    }
    u->dst = (uint16_t)wt_field(w, 24, 17);
    u->src[0] = (uint16_t)wt_field(w, 8, 0);
    u->src[1] = (uint16_t)(wt_field(w, 16, 9) + GCN_VGPR);
    u->sdst = u->smask = GCN_VCC;
    u->op_sel_hi = 7; /* packed pairs: both halves */
    /* The source field of an instruction without sources means nothing. */
    const bool any = *sources_of(u->row);
    const bool two = (u->src[0] == 249 && (any || (u->row->forms & GCN_SDWA))) ||
                     (u->src[0] == 250 && (any || (u->row->forms & GCN_DPP)));
    if (two) {
        if (available < 2) {
            *why = cut_off;
            return false;
        }
        u->length = 2;
        if (u->src[0] == 249 ? !decode_sdwa(word[1], u, why) : !decode_dpp(model, word[1], u, why))
            return false;
    } else if ((u->row->forms & GCN_LIT) || (u->src[0] == GCN_LITERAL && any)) {
        if (!take_literal(word, available, u, why))
            return false;
        if (u->row->forms & GCN_LIT) {
            /* v_madmk: src0 * K + src1; v_madak: src0 * src1 + K. Both put K where they want it. */
            const bool madmk = opcode == 0x17 || opcode == 0x24;
            u->src[2] = madmk ? u->src[1] : GCN_LITERAL;
            if (madmk)
                u->src[1] = GCN_LITERAL;
        }
    }
    if (strchr(u->row->operands, 'a'))
        return decode_accumulator(model, word, u, why);
    return check_vector(model, u, !two, why);
}

static bool decode_vop3(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                        const char **why)
{
    const unsigned opcode = wt_field(word[0], 25, 16);
    u->form = GCN_FORM_E64;
    if (opcode < 0x100)
        u->row = gcn_row_find(model, GCN_VOPC, opcode);
    else if (opcode < 0x140)
        u->row = gcn_row_find(model, GCN_VOP2, opcode - 0x100);
    else if (opcode < 0x1c0)
        u->row = gcn_row_find(model, GCN_VOP1, opcode - 0x140);
    else if ((u->row = gcn_row_find(model, GCN_VOP3, opcode)))
        u->form = GCN_FORM_NATIVE;
    if (!u->row || (u->form == GCN_FORM_E64 && !(u->row->forms & GCN_E64))) {
        u->row = NULL;
        *why = no_such;
        return false;
    }
    u->dst = (uint16_t)wt_field(word[0], 7, 0);
    u->sdst = GCN_VCC;
    u->op_sel_hi = 7; /* packed pairs: both halves */
    u->clamp = wt_field(word[0], 15, 15);
    for (unsigned i = 0; i < 3; i++)
        u->src[i] = (uint16_t)wt_field(word[1], 9 * i + 8, 9 * i);
    u->omod = (uint8_t)wt_field(word[1], 28, 27);
    u->neg = u->neg_hi = (uint8_t)wt_field(word[1], 31, 29);
    u->smask = (uint8_t)(u->src[2] > 255 ? 255 : u->src[2]);
    const char *results = results_of(u->row);
    if (results[0] == 'm') {
        u->sdst = (uint8_t)u->dst;
        u->abs = (uint8_t)wt_field(word[0], 10, 8);
    } else if (results[0] != ':' && results[1] == 'm') {
        u->sdst = (uint8_t)wt_field(word[0], 14, 8);
    } else {
        u->abs = (uint8_t)wt_field(word[0], 10, 8);
        u->op_sel = (uint8_t)wt_field(word[0], 14, 11);
    }
    /* The lane that is read or written, and the value written, are scalar. */
    const bool writes_lane = u->row == &gcn_rows[GCN_I_v_writelane_b32];
    if ((writes_lane && u->src[0] >= GCN_VGPR) ||
        ((writes_lane || u->row == &gcn_rows[GCN_I_v_readlane_b32]) && u->src[1] >= GCN_VGPR)) {
        *why = bad_operand;
        return false;
    }
    return check_vector(model, u, false, why);
}

static bool decode_vop3p(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                         const char **why)
{
    u->row = gcn_row_find(model, GCN_VOP3P, wt_field(word[0], 22, 16));
    if (!u->row) {
        *why = no_such;
        return false;
    }
    u->dst = (uint16_t)wt_field(word[0], 7, 0);
    for (unsigned i = 0; i < 3; i++)
        u->src[i] = (uint16_t)wt_field(word[1], 9 * i + 8, 9 * i);
    if (strpbrk(u->row->operands, accumulators))
        return decode_accumulator(model, word, u, why);
    u->neg_hi = (uint8_t)wt_field(word[0], 10, 8);
    u->op_sel = (uint8_t)wt_field(word[0], 13, 11);
    u->op_sel_hi = (uint8_t)(wt_field(word[1], 28, 27) | wt_field(word[0], 14, 14) << 2);
    u->clamp = wt_field(word[0], 15, 15);
    u->neg = (uint8_t)wt_field(word[1], 31, 29);
    return check_vector(model, u, false, why);
}

/* ---- vector memory and LDS, sections 12.5 to 12.8 ---- */

static void take_access(struct gcn_uop *u)
{
    const char *o = u->row->operands;
    if (!*o)
        return;
    unsigned size = 0;
    for (o++; *o == 'f' || *o == 'd'; o++)
        ;
    for (; *o >= '0' && *o <= '9'; o++)
        size = size * 10 + (unsigned)(*o - '0');
    u->size = (uint8_t)size;
    for (; *o; o++) {
        if (*o == 'u' || *o == 's')
            u->extend = *o;
        else if (*o != 'n')
            u->half = *o;
    }
}

/* Whether the data registers of the instruction exist; a bit may say that they are accumulation
 * registers. */
static bool take_data(const struct gcn_model *model, uint16_t *first, unsigned bytes,
                      bool accumulates, const char **why)
{
    if (!vgprs_ok(model, *first, (bytes + 3) / 4, why))
        return false;
    *first = (uint16_t)(*first + (model->unified && accumulates ? GCN_AGPR : 0));
    return true;
}

/* Whether the instruction has a result, if it asks for one. */
static bool glc_ok(const struct gcn_uop *u, const char **why)
{
    *why = no_result;
    return !u->glc || !strchr(u->row->operands, 'n');
}

static bool decode_ds(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                      const char **why)
{
    u->row = gcn_row_find(model, GCN_DS, wt_field(word[0], 24, 17));
    if (!u->row) {
        *why = no_such;
        return false;
    }
    u->imm = (int32_t)wt_field(word[0], 15, 0);
    u->gds = wt_field(word[0], 16, 16) && (model->gds || !*u->row->operands);
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->src[1] = (uint16_t)wt_field(word[1], 15, 8);
    u->src[2] = (uint16_t)wt_field(word[1], 23, 16);
    u->dst = (uint16_t)wt_field(word[1], 31, 24);
    take_access(u);
    const bool accumulates = wt_field(word[0], 25, 25), sync = !*u->row->operands;
    /* LLVM's assembler wants the register of a number that is brought to be even. */
    if (sync)
        return !(u->row->opcode & 1) || ((!model->unified || vgprs_ok(model, u->src[0], 2, why)) &&
                                         take_data(model, &u->src[0], 4, accumulates, why));
    const struct gcn_share_data data = gcn_share_data(u->row);
    const unsigned result = data.pair ? 2u * u->size : u->size;
    return (!data.first || take_data(model, &u->src[1], u->size, accumulates, why)) &&
           (!data.second || take_data(model, &u->src[2], u->size, accumulates, why)) &&
           (!data.result || take_data(model, &u->dst, result, accumulates, why));
}

static bool decode_flat(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                        const char **why)
{
    static const enum gcn_encoding segments[4] = {GCN_FLAT, GCN_SCRATCH, GCN_GLOBAL, GCN_ENCODINGS};
    const enum gcn_encoding encoding = segments[wt_field(word[0], 15, 14)];
    u->row =
        encoding == GCN_ENCODINGS ? NULL : gcn_row_find(model, encoding, wt_field(word[0], 24, 18));
    if (!u->row) {
        *why = no_such;
        return false;
    }
    /* Section 12.7: 13 bits signed; a FLAT offset is unsigned, of 12 bits. */
    u->imm = encoding == GCN_FLAT ? (int32_t)wt_field(word[0], 11, 0)
                                  : (int32_t)wt_sign_extend(wt_field(word[0], 12, 0), 13);
    u->glc = wt_field(word[0], 16, 16);
    u->slc = wt_field(word[0], 17, 17);
    u->scc = model->scoped_caches && wt_field(word[0], 25, 25);
    u->lds = model->private_registers ? strstr(u->row->name, "_load_lds_") != NULL
                                      : wt_field(word[0], 13, 13);
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->src[1] = (uint16_t)wt_field(word[1], 15, 8);
    u->base = (uint8_t)(encoding == GCN_FLAT ? 0x7f : wt_field(word[1], 22, 16));
    u->dst = (uint16_t)wt_field(word[1], 31, 24);
    take_access(u);
    u->vaddr = encoding != GCN_SCRATCH ||
               (model->private_registers ? wt_field(word[0], 13, 13) : u->base == 0x7f);
    const bool pair = encoding == GCN_FLAT || (encoding == GCN_GLOBAL && u->base == 0x7f);
    if (pair && !vgprs_ok(model, u->src[0], 2, why))
        return false;
    if (u->base != 0x7f && !sgprs_ok(u->base, encoding == GCN_GLOBAL ? 2 : 1, why))
        return false;
    if (!glc_ok(u, why))
        return false;
    const bool atomic = u->row->operands[0] == 'a';
    const unsigned given = atomic && (u->row->opcode & 0x1f) == 1 ? 2u * u->size : u->size;
    const bool accumulates = wt_field(word[1], 23, 23);
    if (u->lds)
        return true;
    return (u->row->operands[0] == 'r' || take_data(model, &u->src[1], given, accumulates, why)) &&
           (u->row->operands[0] == 'w' || (atomic && !u->glc) ||
            take_data(model, &u->dst, u->size, accumulates, why));
}

static bool decode_buffer(const struct gcn_model *model, const uint32_t *word,
                          enum gcn_encoding encoding, struct gcn_uop *u, const char **why)
{
    const bool typed = encoding == GCN_MTBUF;
    u->row = gcn_row_find(model, encoding,
                          typed ? wt_field(word[0], 18, 15) : wt_field(word[0], 24, 18));
    if (!u->row) {
        *why = no_such;
        return false;
    }
    u->imm = (int32_t)wt_field(word[0], 11, 0);
    u->offen = wt_field(word[0], 12, 12);
    u->idxen = wt_field(word[0], 13, 13);
    u->glc = wt_field(word[0], 14, 14);
    if (typed) {
        u->dfmt = (uint8_t)wt_field(word[0], 22, 19);
        u->nfmt = (uint8_t)wt_field(word[0], 25, 23);
        u->slc = wt_field(word[1], 22, 22);
    } else {
        u->lds = wt_field(word[0], 16, 16);
        u->slc = wt_field(word[0], 17, 17);
        u->scc = model->scoped_caches && wt_field(word[0], 15, 15);
    }
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->dst = (uint16_t)wt_field(word[1], 15, 8);
    u->base = (uint8_t)(wt_field(word[1], 20, 16) * 4);
    u->tfe = model->tfe && wt_field(word[1], 23, 23);
    u->soffset = (uint8_t)wt_field(word[1], 31, 24);
    if (!*u->row->operands) /* the caches */
        return true;
    take_access(u);
    if (!sgprs_ok(u->base, 4, why) || u->soffset == GCN_LITERAL ||
        !source_ok(model, u->soffset, 'u', false, why))
        return false;
    const bool atomic = u->row->operands[0] == 'a';
    const unsigned bytes = atomic && (u->row->opcode & 0x1f) == 1 ? 2u * u->size : u->size;
    if (!glc_ok(u, why))
        return false;
    const char second = u->row->operands[1];
    const unsigned data = u->lds          ? 0
                          : second == 'f' ? 4u * bytes
                          : second == 'd' ? 2u * bytes
                                          : bytes;
    if ((u->offen && u->idxen && !vgprs_ok(model, u->src[0], 2, why)) ||
        !take_data(model, &u->dst, data, wt_field(word[1], 23, 23), why))
        return false;
    u->src[1] = u->dst;
    return true;
}

/* Section 12.8. The resource says which coordinates there are, when the instruction executes. */
static bool decode_image(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                         const char **why)
{
    u->row = gcn_row_find(model, GCN_MIMG, wt_field(word[0], 24, 18));
    if (!u->row) {
        *why = no_such;
        return false;
    }
    const char *o = u->row->operands;
    u->dmask = (uint8_t)wt_field(word[0], 11, 8);
    u->unorm = wt_field(word[0], 12, 12);
    u->glc = wt_field(word[0], 13, 13);
    u->array = wt_field(word[0], 14, 14);
    u->tfe = model->tfe && wt_field(word[0], 16, 16);
    u->slc = wt_field(word[0], 25, 25);
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->dst = (uint16_t)wt_field(word[1], 15, 8);
    u->base = (uint8_t)(wt_field(word[1], 20, 16) * 4);
    u->sampler = (uint8_t)(wt_field(word[1], 25, 21) * 4);
    u->d16 = wt_field(word[1], 31, 31);
    if (wt_field(word[0], 15, 15) || wt_field(word[0], 17, 17)) {
        *why = wt_field(word[0], 15, 15)
                   ? "its coordinates have 16 bits (A16), which this emulator does not execute"
                   : "it warns of levels of detail (LWE), which this emulator does not execute";
        return false;
    }
    const unsigned one = u->dmask ? (unsigned)wt_count_ones(u->dmask) : 1;
    const bool swaps = o[0] == 'a' && u->row->opcode == 0x11;
    u->size = (uint8_t)(o[1] == 'g' ? 4 : o[0] == 'a' ? (one + swaps) / (1u + swaps) * 4 : one);
    const unsigned registers = o[0] == 'a' ? u->size / 4u * (1u + swaps)
                               : u->d16    ? (u->size + 1u) / 2
                                           : u->size;
    if (!sgprs_ok(u->base, 4, why) || !sgprs_ok(u->base + 4u, 4, why) ||
        ((o[1] == 's' || o[1] == 'g') && !sgprs_ok(u->sampler, 4, why)) ||
        !take_data(model, &u->dst, 4 * (registers + u->tfe), wt_field(word[0], 16, 16), why))
        return false;
    u->src[1] = u->dst;
    return true;
}

/* Encodings of one dword: vector, then scalar ones. */
static bool decode_short(const struct gcn_model *model, const uint32_t *word, unsigned available,
                         struct gcn_uop *u, const char **why)
{
    const uint32_t w = word[0];
    enum gcn_encoding encoding = GCN_SOP2;
    unsigned opcode = wt_field(w, 29, 23);
    if (!(w >> 31)) {
        const unsigned kind = wt_field(w, 30, 25);
        encoding = kind == 0x3f ? GCN_VOP1 : kind == 0x3e ? GCN_VOPC : GCN_VOP2;
        opcode = kind == 0x3f ? wt_field(w, 16, 9) : kind == 0x3e ? wt_field(w, 24, 17) : kind;
        return decode_vop(model, word, available, encoding, opcode, u, why);
    }
    switch (wt_field(w, 31, 23)) {
    case 0x17d:
        encoding = GCN_SOP1;
        opcode = wt_field(w, 15, 8);
        break;
    case 0x17e:
    case 0x17f:
        encoding = wt_field(w, 23, 23) ? GCN_SOPP : GCN_SOPC;
        opcode = wt_field(w, 22, 16);
        break;
    default:
        if (wt_field(w, 31, 28) == 0xb) {
            encoding = GCN_SOPK;
            opcode = wt_field(w, 27, 23);
        }
        break;
    }
    return decode_scalar(model, word, available, encoding, opcode, u, why);
}

bool gcn_decode(const struct gcn_model *model, const uint32_t *word, unsigned available,
                struct gcn_uop *u, const char **why)
{
    assert(model && available >= 1 && u && why);
    const uint32_t w = word[0];
    const gcn_op run = u->run;
    *u = (struct gcn_uop){.run = run,
                          .word = {w, available > 1 ? word[1] : 0},
                          .length = 1,
                          .sel = {6, 6, 6},
                          .row_mask = 0xf,
                          .bank_mask = 0xf};
    if (wt_field(w, 31, 30) != 3)
        return decode_short(model, word, available, u, why);
    if (available < 2) {
        *why = cut_off;
        return false;
    }
    u->length = 2;
    switch (wt_field(w, 31, 26)) {
    case 0x30:
        return decode_smem(model, word, u, why);
    case 0x34:
        return wt_field(w, 25, 23) == 7 ? decode_vop3p(model, word, u, why)
                                        : decode_vop3(model, word, u, why);
    case 0x36:
        return decode_ds(model, word, u, why);
    case 0x37:
        return decode_flat(model, word, u, why);
    case 0x38:
        return decode_buffer(model, word, GCN_MUBUF, u, why);
    case 0x3a:
        return decode_buffer(model, word, GCN_MTBUF, u, why);
    case 0x3c:
        return decode_image(model, word, u, why);
    case 0x31:
    case 0x35:
        *why = "an instruction of graphics: it exports or interpolates";
        return false;
    default:
        u->length = 1;
        *why = no_such;
        return false;
    }
}

void gcn_mnemonic(const struct gcn_uop *u, char *text, size_t size)
{
    assert(size > 0);
    static const char *const suffixes[] = {"", "_e64", "_sdwa", "_dpp"};
    if (!u->row) {
        snprintf(text, size, ".long 0x%08x", u->word[0]);
        return;
    }
    const char *suffix = suffixes[u->form];
    /* As LLVM writes them: no suffix where there is nothing to tell apart. */
    if (!strchr(u->row->operands, ':') || u->row->operands[1] == 0)
        suffix = "";
    else if (u->form == GCN_FORM_NATIVE && (u->row->forms & GCN_E64))
        suffix = "_e32";
    snprintf(text, size, "%s%s", u->row->name, suffix);
}
