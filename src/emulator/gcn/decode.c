/*
 * From words to decoded instructions. Sections are those of the "Vega" instruction set manual,
 * chapter 12 "Microcode formats".
 */
#include "emulator/gcn/decode.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* SGPRs of a mask of lanes. */
static unsigned mask_registers(const struct gcn_uop *u)
{
    return u->narrow ? 1 : 2;
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
        *why = gcn_cut_off;
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
        *why = gcn_no_such;
        return false;
    }
    u->imm = (int16_t)w;
    if (encoding == GCN_SOPP) { /* the counts of s_waitcnt, and no operands */
        u->src[0] = (uint16_t)(wt_field(w, 3, 0) | wt_field(w, 15, 14) << 4);
        u->src[1] = (uint16_t)wt_field(w, 6, 4);
        u->src[2] = (uint16_t)wt_field(w, gcn_is_gfx10(model) ? 13 : 11, 8);
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
            return gcn_sgprs_ok(model, u->src[0], gcn_registers_of(*sources), why);
    } else {
        bool literal = false;
        for (unsigned i = 0; sources[i] && i < 2; i++) {
            if (sources[i] == 'k') /* s_set_gpr_idx_on: four bits of mode */
                continue;
            if (!gcn_source_ok(model, u->src[i], sources[i], true, why))
                return false;
            literal |= u->src[i] == GCN_LITERAL;
        }
        if (literal && !take_literal(word, available, u, why))
            return false;
    }
    const char *results = results_of(u->row);
    return *results == ':' || gcn_sgprs_ok(model, u->dst, gcn_registers_of(*results), why);
}

/* ---- vector encodings, sections 12.3 and 12.4 ---- */

static bool decode_sdwa(const struct gcn_model *model, uint32_t w, struct gcn_uop *u,
                        const char **why)
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
            if (!gcn_sgprs_ok(model, u->sdst, mask_registers(u), why))
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
    if (gcn_is_gfx10(model)) /* no moves over the whole wave; row_share and row_xmask */
        return !wide && (ctrl < 0x100 || (ctrl < 0x130 && ctrl & 0xf) || ctrl == 0x140 ||
                         ctrl == 0x141 || (ctrl >= 0x150 && ctrl < 0x170));
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
    u->dpp = wt_field(w, 16, 8);
    u->src[0] = (uint16_t)(wt_field(w, 7, 0) + GCN_VGPR);
    u->bound_ctrl = wt_field(w, 19, 19);
    u->fetches_inactive = gcn_is_gfx10(model) && wt_field(w, 18, 18);
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

/* DPP8: the lane of its group of eight that each lane reads, 3 bits for each. */
static bool decode_dpp8(uint32_t w, bool fetches_inactive, struct gcn_uop *u, const char **why)
{
    u->form = GCN_FORM_DPP;
    u->src[0] = (uint16_t)(wt_field(w, 7, 0) + GCN_VGPR);
    u->dpp = GCN_DPP8 | w >> 8;
    u->bound_ctrl = true;
    u->fetches_inactive = fetches_inactive;
    *why = "it cannot have this data-parallel word";
    return u->row->forms & GCN_DPP;
}

/* Vector registers that M0 names, by the row's state: struct gcn_uop. */
static uint8_t relative_of(const struct gcn_row *row)
{
    const char *r = row->encoding == GCN_VOP1 ? strchr(row->state, 'r') : NULL,
               *colon = strchr(row->state, ':');
    if (!r)
        return 0;
    return (uint8_t)((r < colon) | (strchr(colon, 'r') ? 8 : 0) |
                     (strstr(row->name, "_2_") || strstr(row->name, "swaprel") ? 16 : 0));
}

/* Chooses the way in which a vector instruction is executed. */
static void choose_path(struct gcn_uop *u)
{
    const char *results = results_of(u->row), *sources = sources_of(u->row);
    u->path = GCN_PATH_ANY;
    if (u->form >= GCN_FORM_SDWA || u->abs || u->neg || u->clamp || u->omod || u->op_sel ||
        u->relative)
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
    u->cmpx = u->row->encoding == GCN_VOPC &&
              u->row->opcode & (u->row->opcode < 0x20 ? 1 : 0x10); /* section 12.9 */
    if (u->cmpx && gcn_is_gfx10(model))                            /* EXEC is its only result */
        u->sdst = GCN_EXEC;
    u->keeps_half = gcn_is_gfx10(model);
    u->relative = relative_of(u->row);
    for (unsigned i = 0; i < 3 && sources[i] && sources[i] != 'd'; i++) {
        if (sources[i] == 'm') {
            if (!gcn_sgprs_ok(model, u->smask, mask_registers(u), why))
                return false;
        } else if (!gcn_source_ok(model, u->src[i], sources[i], literal, why)) {
            return false;
        }
    }
    for (; *results != ':'; results++) {
        const unsigned count = gcn_registers_of(*results);
        if (*results == 'm'   ? !gcn_sgprs_ok(model, u->sdst, mask_registers(u), why)
            : *results == 'S' ? !gcn_sgprs_ok(model, u->dst, 1, why)
                              : !gcn_vgprs_ok(model, u->dst, count, why))
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

/* A register of the file whose numbers begin at @p first as the row of an operand; false: it is
 * none of that file. */
static bool take_row(const struct gcn_model *model, uint16_t *number, unsigned first, char letter,
                     bool accumulates, const char **why)
{
    const unsigned n = *number - first;
    *why = gcn_bad_operand;
    if (*number < first || !gcn_vgprs_ok(model, n, gcn_registers_of(letter), why))
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
    if (!take_row(model, &u->dst, 0, *l, strchr(accumulators, *l) && in_file, why))
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
            if (!gcn_source_ok(model, u->src[i], 'u', false, why))
                return false;
            continue;
        }
        if (!take_row(model, &u->src[i], GCN_VGPR, sources[i], accumulates, why))
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
        *why = gcn_no_such;
        return false;
    }
    u->dst = (uint16_t)wt_field(w, 24, 17);
    u->src[0] = (uint16_t)wt_field(w, 8, 0);
    u->src[1] = (uint16_t)(wt_field(w, 16, 9) + GCN_VGPR);
    u->sdst = u->smask = GCN_VCC;
    u->op_sel_hi = 7; /* packed pairs: both halves */
    /* The source field of an instruction without sources means nothing. */
    const bool any = *sources_of(u->row);
    const unsigned source = u->src[0];
    const bool eight = gcn_is_gfx10(model) && (source == 233 || source == 234),
               two = (source == 249 && (any || (u->row->forms & GCN_SDWA))) ||
                     ((source == 250 || eight) && (any || (u->row->forms & GCN_DPP)));
    if (two) {
        if (available < 2) {
            *why = gcn_cut_off;
            return false;
        }
        u->length = 2;
        if (source == 249 ? !decode_sdwa(model, word[1], u, why)
            : eight       ? !decode_dpp8(word[1], source == 234, u, why)
                          : !decode_dpp(model, word[1], u, why))
            return false;
    } else if ((u->row->forms & GCN_LIT) || (u->src[0] == GCN_LITERAL && any)) {
        if (!take_literal(word, available, u, why))
            return false;
        if (u->row->forms & GCN_LIT) {
            /* v_madmk: src0 * K + src1; v_madak: src0 * src1 + K. Both put K where they want it. */
            const bool madmk = strstr(u->row->name, "mk_");
            u->src[2] = madmk ? u->src[1] : GCN_LITERAL;
            if (madmk)
                u->src[1] = GCN_LITERAL;
        }
    }
    if (strchr(u->row->operands, 'a'))
        return decode_accumulator(model, word, u, why);
    return check_vector(model, u, !two, why);
}

/* Checks the operands of an encoding of two dwords, which a literal may follow from gfx10 on. */
static bool check_long(const struct gcn_model *model, const uint32_t *word, unsigned available,
                       struct gcn_uop *u, const char **why)
{
    const char *sources = sources_of(u->row);
    bool literal = false;
    for (unsigned i = 0; i < 3 && sources[i] && sources[i] != 'd'; i++)
        literal |= sources[i] != 'm' && u->src[i] == GCN_LITERAL;
    return check_vector(model, u, gcn_is_gfx10(model), why) &&
           (!literal || take_literal(word, available, u, why));
}

static bool decode_vop3(const struct gcn_model *model, const uint32_t *word, unsigned available,
                        struct gcn_uop *u, const char **why)
{
    const unsigned opcode = wt_field(word[0], 25, 16), one = gcn_is_gfx10(model) ? 0x180 : 0x140;
    u->form = GCN_FORM_E64;
    if (opcode < 0x100)
        u->row = gcn_row_find(model, GCN_VOPC, opcode);
    else if (opcode < 0x140)
        u->row = gcn_row_find(model, GCN_VOP2, opcode - 0x100);
    else if (opcode >= one && opcode < one + 0x80)
        u->row = gcn_row_find(model, GCN_VOP1, opcode - one);
    else if ((u->row = gcn_row_find(model, GCN_VOP3, opcode)))
        u->form = GCN_FORM_NATIVE;
    if (!u->row || (u->form == GCN_FORM_E64 && !(u->row->forms & GCN_E64))) {
        u->row = NULL;
        *why = gcn_no_such;
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
        *why = gcn_bad_operand;
        return false;
    }
    return check_long(model, word, available, u, why);
}

static bool decode_vop3p(const struct gcn_model *model, const uint32_t *word, unsigned available,
                         struct gcn_uop *u, const char **why)
{
    u->row = gcn_row_find(model, GCN_VOP3P, wt_field(word[0], 22, 16));
    if (!u->row) {
        *why = gcn_no_such;
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
    return check_long(model, word, available, u, why);
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

/* Encodings of two or more dwords. */
static bool decode_long(const struct gcn_model *model, const uint32_t *word, unsigned available,
                        struct gcn_uop *u, const char **why)
{
    const unsigned kind = wt_field(word[0], 31, 26);
    u->length = 2;
    switch (gcn_is_gfx10(model) ? kind : kind + 0x100) {
    case 0x3d:
    case 0x130:
        return gcn_decode_smem(model, word, u, why);
    case 0x33:
        return wt_field(word[0], 25, 23) == 0 && decode_vop3p(model, word, available, u, why);
    case 0x35:
        return decode_vop3(model, word, available, u, why);
    case 0x134:
        return wt_field(word[0], 25, 23) == 7 ? decode_vop3p(model, word, available, u, why)
                                              : decode_vop3(model, word, available, u, why);
    case 0x36:
    case 0x136:
        return gcn_decode_ds(model, word, u, why);
    case 0x37:
    case 0x137:
        return gcn_decode_flat(model, word, u, why);
    case 0x38:
    case 0x138:
        return gcn_decode_buffer(model, word, GCN_MUBUF, u, why);
    case 0x3a:
    case 0x13a:
        return gcn_decode_buffer(model, word, GCN_MTBUF, u, why);
    case 0x3c:
    case 0x13c:
        return gcn_decode_image(model, word, available, u, why);
    case 0x32:
    case 0x3e:
    case 0x131:
    case 0x135:
        *why = "an instruction of graphics: it exports or interpolates";
        return false;
    default:
        u->length = 1;
        return false;
    }
}

bool gcn_decode(const struct gcn_model *model, unsigned lanes, const uint32_t *word,
                unsigned available, struct gcn_uop *u, const char **why)
{
    assert(model && available >= 1 && u && why && (lanes == 64 || lanes == model->target.lanes));
    const uint32_t w = word[0];
    const gcn_op run = u->run;
    *u = (struct gcn_uop){.run = run,
                          .word = {w, available > 1 ? word[1] : 0},
                          .length = 1,
                          .narrow = lanes < 64,
                          .sel = {6, 6, 6},
                          .row_mask = 0xf,
                          .bank_mask = 0xf};
    if (wt_field(w, 31, 30) != 3)
        return decode_short(model, word, available, u, why);
    *why = available < 2 ? gcn_cut_off : gcn_no_such;
    return available >= 2 && decode_long(model, word, available, u, why);
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
