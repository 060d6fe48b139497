/*
 * The encodings of memory. Sections are those of the "Vega" instruction set manual; the places of
 * fields on gfx10 are those of LLVM (SIInstrFormats, FLATInstructions, BUFInstructions).
 */
#include "emulator/gcn/decode.h"

#include <stdio.h>
#include <string.h>

static const char no_result[] = "it returns nothing on this GPU";

bool gcn_decode_smem(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                     const char **why)
{
    u->row = gcn_row_find(model, GCN_SMEM, wt_field(word[0], 25, 18));
    if (!u->row) {
        *why = gcn_no_such;
        return false;
    }
    /* On gfx10 both are there, and one of them may be the null register. */
    const bool gfx10 = gcn_is_gfx10(model), immediate = gfx10 || wt_field(word[0], 17, 17),
               soffset = gfx10 ? wt_field(word[1], 31, 25) != GCN_NULL : wt_field(word[0], 14, 14);
    u->base = (uint8_t)(wt_field(word[0], 5, 0) * 2);
    u->dst = (uint16_t)wt_field(word[0], 12, 6);
    u->glc = wt_field(word[0], 16, 16);
    /* Section 12.2: OFFSET is signed, of 21 bits, with IMM; else its low bits name an SGPR. */
    if (immediate)
        u->imm = (int32_t)wt_sign_extend(wt_field(word[1], 20, 0), 21);
    u->has_soffset = soffset || !immediate;
    u->soffset = (uint8_t)(soffset ? wt_field(word[1], 31, 25) : wt_field(word[1], 6, 0));
    const unsigned opcode = u->row->opcode;
    if (opcode == 0x1f || (opcode >= 0x20 && opcode <= 0x23))
        return true; /* the caches: no operands */
    if (opcode == 0x24 || opcode == 0x25) {
        u->size = 8;
        return gcn_sgprs_ok(model, u->dst, 2, why);
    }
    if (u->has_soffset && !gcn_sgprs_ok(model, u->soffset, 1, why))
        return false;
    if (opcode == 0x26 || opcode == 0x27 || opcode == 0x28 || opcode == 0x29)
        return true;
    sscanf(u->row->operands + 1, "%hhu", &u->size);
    unsigned count = u->size / 4;
    /* A compare-and-swap has both values in its data. */
    if (u->row->operands[0] == 'a' && gcn_atomic_compares(u->row))
        count *= 2;
    if (!gcn_sgprs_ok(model, u->dst, count, why))
        return false;
    const bool buffer = strstr(u->row->name, "_buffer_") != NULL;
    return gcn_sgprs_ok(model, u->base, buffer ? 4 : 2, why);
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
    if (!gcn_vgprs_ok(model, *first, (bytes + 3) / 4, why))
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

bool gcn_decode_ds(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                   const char **why)
{
    const bool gfx10 = gcn_is_gfx10(model);
    u->row = gcn_row_find(model, GCN_DS, wt_field(word[0], 24 + gfx10, 17 + gfx10));
    if (!u->row) {
        *why = gcn_no_such;
        return false;
    }
    u->imm = (int32_t)wt_field(word[0], 15, 0);
    u->gds = wt_field(word[0], 16 + gfx10, 16 + gfx10) && (model->gds || !*u->row->operands);
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->src[1] = (uint16_t)wt_field(word[1], 15, 8);
    u->src[2] = (uint16_t)wt_field(word[1], 23, 16);
    u->dst = (uint16_t)wt_field(word[1], 31, 24);
    take_access(u);
    const bool accumulates = !gfx10 && wt_field(word[0], 25, 25), sync = !*u->row->operands;
    /* LLVM's assembler wants the register of a number that is brought to be even. */
    if (sync)
        return !(u->row->opcode & 1) ||
               ((!model->unified || gcn_vgprs_ok(model, u->src[0], 2, why)) &&
                take_data(model, &u->src[0], 4, accumulates, why));
    const struct gcn_share_data data = gcn_share_data(u->row);
    const unsigned result = data.pair ? 2u * u->size : u->size;
    return (!data.first || take_data(model, &u->src[1], u->size, accumulates, why)) &&
           (!data.second || take_data(model, &u->src[2], u->size, accumulates, why)) &&
           (!data.result || take_data(model, &u->dst, result, accumulates, why));
}

bool gcn_decode_flat(const struct gcn_model *model, const uint32_t *word, struct gcn_uop *u,
                     const char **why)
{
    static const enum gcn_encoding segments[4] = {GCN_FLAT, GCN_SCRATCH, GCN_GLOBAL, GCN_ENCODINGS};
    const enum gcn_encoding encoding = segments[wt_field(word[0], 15, 14)];
    u->row =
        encoding == GCN_ENCODINGS ? NULL : gcn_row_find(model, encoding, wt_field(word[0], 24, 18));
    if (!u->row) {
        *why = gcn_no_such;
        return false;
    }
    /* Section 12.7: 13 bits signed; a FLAT offset is unsigned, of 12 bits. A bit less on gfx10. */
    const bool gfx10 = gcn_is_gfx10(model);
    u->imm = encoding == GCN_FLAT
                 ? (int32_t)wt_field(word[0], 11u - gfx10, 0)
                 : (int32_t)wt_sign_extend(wt_field(word[0], 12u - gfx10, 0), 13u - gfx10);
    u->glc = wt_field(word[0], 16, 16);
    u->slc = wt_field(word[0], 17, 17);
    u->scc = model->scoped_caches && wt_field(word[0], 25, 25);
    u->lds = model->private_registers ? strstr(u->row->name, "_load_lds_") != NULL
                                      : wt_field(word[0], 13, 13);
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->src[1] = (uint16_t)wt_field(word[1], 15, 8);
    u->base = (uint8_t)(encoding == GCN_FLAT ? GCN_NO_BASE : wt_field(word[1], 22, 16));
    /* Of scratch, 0x7f says on gfx10 that there is no VGPR either. */
    const bool nothing = gfx10 && u->base == GCN_NO_BASE;
    if (gfx10 && u->base == GCN_NULL)
        u->base = GCN_NO_BASE;
    u->dst = (uint16_t)wt_field(word[1], 31, 24);
    take_access(u);
    u->vaddr = encoding != GCN_SCRATCH
                   ? !strstr(u->row->name, "addtid")
                   : (model->private_registers ? wt_field(word[0], 13, 13)
                                               : u->base == GCN_NO_BASE && !nothing);
    const bool pair = encoding == GCN_FLAT || (encoding == GCN_GLOBAL && u->base == GCN_NO_BASE);
    if (pair && u->vaddr && !gcn_vgprs_ok(model, u->src[0], 2, why))
        return false;
    if (u->base != GCN_NO_BASE &&
        !gcn_sgprs_ok(model, u->base, encoding == GCN_GLOBAL ? 2 : 1, why))
        return false;
    if (!glc_ok(u, why))
        return false;
    const bool atomic = u->row->operands[0] == 'a';
    const unsigned given = atomic && gcn_atomic_compares(u->row) ? 2u * u->size : u->size;
    const bool accumulates = !gfx10 && wt_field(word[1], 23, 23);
    if (u->lds)
        return true;
    return (u->row->operands[0] == 'r' || take_data(model, &u->src[1], given, accumulates, why)) &&
           (u->row->operands[0] == 'w' || (atomic && !u->glc) ||
            take_data(model, &u->dst, u->size, accumulates, why));
}

bool gcn_decode_buffer(const struct gcn_model *model, const uint32_t *word,
                       enum gcn_encoding encoding, struct gcn_uop *u, const char **why)
{
    const bool typed = encoding == GCN_MTBUF;
    const bool gfx10 = gcn_is_gfx10(model);
    u->row =
        gcn_row_find(model, encoding,
                     gfx10 && typed ? wt_field(word[0], 18, 16) | wt_field(word[1], 21, 21) << 3
                     : typed        ? wt_field(word[0], 18, 15)
                                    : wt_field(word[0], 24u + gfx10, 18));
    if (!u->row) {
        *why = gcn_no_such;
        return false;
    }
    u->imm = (int32_t)wt_field(word[0], 11, 0);
    u->offen = wt_field(word[0], 12, 12);
    u->idxen = wt_field(word[0], 13, 13);
    u->glc = wt_field(word[0], 14, 14);
    if (gfx10) {
        u->lds = !typed && wt_field(word[0], 16, 16);
        u->dfmt = typed ? (uint8_t)wt_field(word[0], 25, 19) : 0; /* FORMAT */
        u->slc = wt_field(word[1], 22, 22);
    } else if (typed) {
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
    if (!gcn_sgprs_ok(model, u->base, 4, why) || u->soffset == GCN_LITERAL ||
        !gcn_source_ok(model, u->soffset, 'u', false, why))
        return false;
    const bool atomic = u->row->operands[0] == 'a';
    const unsigned bytes = atomic && gcn_atomic_compares(u->row) ? 2u * u->size : u->size;
    if (!glc_ok(u, why))
        return false;
    const char second = u->row->operands[1];
    const unsigned data = u->lds          ? 0
                          : second == 'f' ? 4u * bytes
                          : second == 'd' ? 2u * bytes
                                          : bytes;
    if ((u->offen && u->idxen && !gcn_vgprs_ok(model, u->src[0], 2, why)) ||
        !take_data(model, &u->dst, data, wt_field(word[1], 23, 23), why))
        return false;
    u->src[1] = u->dst;
    return true;
}

/* Section 12.8. The resource says which coordinates there are, when the instruction executes. */
bool gcn_decode_image(const struct gcn_model *model, const uint32_t *word, unsigned available,
                      struct gcn_uop *u, const char **why)
{
    const bool gfx10 = gcn_is_gfx10(model);
    u->row = gcn_row_find(model, GCN_MIMG,
                          wt_field(word[0], 24, 18) | (gfx10 ? wt_field(word[0], 0, 0) << 7 : 0));
    if (!u->row) {
        *why = gcn_no_such;
        return false;
    }
    const char *o = u->row->operands;
    const unsigned more = gfx10 ? wt_field(word[0], 2, 1) : 0; /* dwords with addresses */
    if (available < 2 + more) {
        *why = gcn_cut_off;
        return false;
    }
    u->length = (uint8_t)(2 + more);
    u->dmask = (uint8_t)wt_field(word[0], 11, 8);
    u->unorm = wt_field(word[0], 12, 12);
    u->glc = wt_field(word[0], 13, 13);
    u->array = !gfx10 && wt_field(word[0], 14, 14);
    u->tfe = model->tfe && wt_field(word[0], 16, 16);
    u->slc = wt_field(word[0], 25, 25);
    u->src[0] = (uint16_t)wt_field(word[1], 7, 0);
    u->dst = (uint16_t)wt_field(word[1], 15, 8);
    u->base = (uint8_t)(wt_field(word[1], 20, 16) * 4);
    u->sampler = (uint8_t)(wt_field(word[1], 25, 21) * 4);
    u->d16 = wt_field(word[1], 31, 31);
    const bool a16 = gfx10 ? wt_field(word[1], 30, 30) : wt_field(word[0], 15, 15);
    if (a16 || wt_field(word[0], 17, 17)) {
        *why = a16 ? "its coordinates have 16 bits (A16), which this emulator does not execute"
                   : "it warns of levels of detail (LWE), which this emulator does not execute";
        return false;
    }
    const unsigned one = u->dmask ? (unsigned)wt_count_ones(u->dmask) : 1;
    const bool swaps = o[0] == 'a' && u->row->opcode == 0x11;
    u->size = (uint8_t)(o[1] == 'g' ? 4 : o[0] == 'a' ? (one + swaps) / (1u + swaps) * 4 : one);
    const unsigned registers = o[0] == 'a' ? u->size / 4u * (1u + swaps)
                               : u->d16    ? (u->size + 1u) / 2
                                           : u->size;
    if (!gcn_sgprs_ok(model, u->base, 4, why) || !gcn_sgprs_ok(model, u->base + 4u, 4, why) ||
        ((o[1] == 's' || o[1] == 'g') && !gcn_sgprs_ok(model, u->sampler, 4, why)) ||
        !take_data(model, &u->dst, 4 * (registers + u->tfe), wt_field(word[0], 16, 16), why))
        return false;
    u->src[1] = u->dst;
    return true;
}
