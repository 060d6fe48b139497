/* Decoding: the fields of an instruction's 128 bits (Skylake PRM volume 7, "EU Instruction
 * Formats"). */
#include "emulator/gen/isa.h"

#include <string.h>

/* Types of immediates, as instructions encode them. */
static const uint8_t immediate_type[16] = {
    GEN_UD, GEN_D, GEN_UW, GEN_W,  GEN_UV,    GEN_VF,    GEN_V,     GEN_F,
    GEN_UQ, GEN_Q, GEN_DF, GEN_HF, GEN_TYPES, GEN_TYPES, GEN_TYPES, GEN_TYPES};
static const uint8_t three_type[8] = {GEN_F,  GEN_D,     GEN_UD,    GEN_DF,
                                      GEN_HF, GEN_TYPES, GEN_TYPES, GEN_TYPES};

static uint8_t register_type(uint64_t code)
{
    return code <= GEN_HF ? (uint8_t)code : GEN_TYPES;
}

/* Strides 0, 1, 2, 4 … 32; 15 is VxH. */
static uint8_t vertical_stride(uint64_t code)
{
    return code == 15 ? GEN_STRIDE_VXH : code ? (uint8_t)(1u << (code - 1)) : 0;
}

static uint8_t horizontal_stride(uint64_t code)
{
    return code ? (uint8_t)(1u << (code - 1)) : 0;
}

/* A number of so many bits as a signed one. */
static int32_t signed_bits(uint64_t value, unsigned bits)
{
    return (int32_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* Whether a math function or madm works on extended accumulators. */
static bool has_mme(const struct gen_insn *insn)
{
    return insn->row == &gen_rows[GEN_MADM] ||
           (insn->row == &gen_rows[GEN_MATH] &&
            (insn->condition == GEN_MATH_INVM || insn->condition == GEN_MATH_RSQTM));
}

static void decode_dst(const struct gen_word *w, struct gen_insn *insn)
{
    struct gen_operand *o = &insn->dst;
    o->file = (uint8_t)gen_field(w, 36, 35);
    o->type = register_type(gen_field(w, 40, 37));
    o->hstride = horizontal_stride(gen_field(w, 62, 61));
    o->indirect = gen_field(w, 63, 63);
    o->mme = GEN_NO_MME;
    if (o->indirect) {
        const unsigned low = insn->align16 ? 52 : 48;
        uint64_t offset = gen_field(w, 47, 47) << 9 | gen_field(w, 56, low) << (low - 48);
        o->offset = (int16_t)signed_bits(offset, 10);
        o->subreg = (uint8_t)gen_field(w, 60, 57);
    } else {
        o->reg = (uint8_t)gen_field(w, 60, 53);
        o->subreg =
            insn->align16 ? (uint8_t)(gen_field(w, 52, 52) << 4) : (uint8_t)gen_field(w, 52, 48);
    }
    if (insn->align16) {
        o->swizzle = (uint8_t)gen_field(w, 51, 48);
        o->hstride = 1;
        if (has_mme(insn)) {
            o->mme = o->swizzle;
            o->swizzle = 15;
        }
    }
}

/* Source 0 begins at bit 64, source 1 at bit 96; their files and types stand elsewhere. */
static void decode_source(const struct gen_word *w, struct gen_insn *insn, unsigned index)
{
    struct gen_operand *o = &insn->src[index];
    const unsigned at = index ? 96 : 64;
    const uint64_t type = index ? gen_field(w, 94, 91) : gen_field(w, 46, 43);
    o->file = (uint8_t)(index ? gen_field(w, 90, 89) : gen_field(w, 42, 41));
    o->mme = GEN_NO_MME;
    if (o->file == GEN_IMMEDIATE) {
        o->type = immediate_type[type];
        o->immediate = gen_type_size(o->type) == 8 ? w->high : gen_field(w, 127, 96);
        return;
    }
    o->type = register_type(type);
    o->indirect = gen_field(w, at + 15, at + 15);
    o->negate = gen_field(w, at + 14, at + 14);
    o->absolute = gen_field(w, at + 13, at + 13);
    o->vstride = vertical_stride(gen_field(w, at + 24, at + 21));
    if (o->indirect) {
        const unsigned low = insn->align16 ? 4 : 0, top = index ? 121 : 95;
        const uint64_t offset = gen_field(w, top, top) << 9 | gen_field(w, at + 8, at + low) << low;
        o->offset = (int16_t)signed_bits(offset, 10);
        o->subreg = (uint8_t)gen_field(w, at + 12, at + 9);
    } else {
        o->reg = (uint8_t)gen_field(w, at + 12, at + 5);
        o->subreg = insn->align16 ? (uint8_t)(gen_field(w, at + 4, at + 4) << 4)
                                  : (uint8_t)gen_field(w, at + 4, at);
    }
    if (!insn->align16) {
        o->hstride = horizontal_stride(gen_field(w, at + 17, at + 16));
        o->width = (uint8_t)(1u << gen_field(w, at + 20, at + 18));
        return;
    }
    o->swizzle = (uint8_t)(gen_field(w, at + 3, at) | gen_field(w, at + 19, at + 16) << 4);
    o->hstride = 1;
    o->width = 4;
    if (has_mme(insn)) {
        o->mme = o->swizzle & 15;
        o->swizzle = 0xe4;
    }
}

static void decode_three_source(const struct gen_word *w, struct gen_operand *o, unsigned at,
                                bool mme)
{
    /* Replicate, swizzle, subregister, register, and the subregister's half of a dword. */
    o->file = GEN_GRF;
    o->replicate = gen_field(w, at, at);
    o->swizzle = (uint8_t)gen_field(w, at + 8, at + 1);
    o->subreg = (uint8_t)(gen_field(w, at + 11, at + 9) * 4 + gen_field(w, at + 20, at + 20) * 2);
    o->reg = (uint8_t)gen_field(w, at + 19, at + 12);
    o->mme = GEN_NO_MME;
    o->vstride = 4;
    o->width = 4;
    o->hstride = 1;
    if (mme) {
        o->mme = o->swizzle & 15;
        o->swizzle = 0xe4;
    }
}

static void decode_three(const struct gen_word *w, struct gen_insn *insn)
{
    const bool mme = has_mme(insn);
    struct gen_operand *dst = &insn->dst;
    dst->file = GEN_GRF;
    dst->type = three_type[gen_field(w, 48, 46)];
    dst->reg = (uint8_t)gen_field(w, 63, 56);
    dst->subreg = (uint8_t)(gen_field(w, 55, 53) * 4);
    dst->swizzle = (uint8_t)gen_field(w, 52, 49);
    dst->hstride = 1;
    dst->mme = GEN_NO_MME;
    if (mme) {
        dst->mme = dst->swizzle;
        dst->swizzle = 15;
    }
    for (unsigned i = 0; i < 3; i++) {
        struct gen_operand *o = &insn->src[i];
        decode_three_source(w, o, i == 0 ? 64 : i == 1 ? 85 : 106, mme);
        o->type = three_type[gen_field(w, 45, 43)];
        o->absolute = gen_field(w, 37 + 2 * i, 37 + 2 * i);
        o->negate = gen_field(w, 38 + 2 * i, 38 + 2 * i);
    }
    /* f and hf may be mixed: two bits say which of the last sources is hf. */
    if (insn->src[0].type == GEN_F || insn->src[0].type == GEN_HF) {
        insn->src[1].type = gen_field(w, 36, 36) ? GEN_HF : GEN_F;
        insn->src[2].type = gen_field(w, 35, 35) ? GEN_HF : GEN_F;
    }
    insn->sources = 3;
}

static void decode_branch(const struct gen_word *w, struct gen_insn *insn)
{
    insn->jip = (int32_t)gen_field(w, 127, 96);
    insn->uip = (int32_t)gen_field(w, 95, 64);
}

static void decode_send(const struct gen_word *w, struct gen_insn *insn)
{
    const bool split = insn->row->format == GEN_FORMAT_SENDS;
    insn->desc = (uint32_t)gen_field(w, 126, 96);
    insn->exdesc = insn->condition | (uint32_t)gen_field(w, 127, 127) << 5;
    if (!split) {
        decode_dst(w, insn);
        decode_source(w, insn, 0);
        insn->src[0].offset &= ~15;
        insn->sources = 1;
        insn->desc_in_register = gen_field(w, 90, 89) != GEN_IMMEDIATE;
        insn->exdesc |= (uint32_t)(gen_field(w, 94, 91) << 28 | gen_field(w, 88, 85) << 24 |
                                   gen_field(w, 83, 80) << 20 | gen_field(w, 67, 64) << 16);
        return;
    }
    struct gen_operand *dst = &insn->dst, *first = &insn->src[0], *second = &insn->src[1];
    dst->file = gen_field(w, 35, 35) ? GEN_GRF : GEN_ARF;
    dst->type = register_type(gen_field(w, 40, 37));
    dst->reg = (uint8_t)gen_field(w, 60, 53);
    dst->hstride = 1;
    dst->indirect = gen_field(w, 63, 63);
    if (dst->indirect) {
        dst->subreg = (uint8_t)gen_field(w, 60, 57);
        dst->offset =
            (int16_t)signed_bits(gen_field(w, 62, 62) << 9 | gen_field(w, 56, 52) << 4, 10);
    }
    first->file = GEN_GRF;
    first->reg = (uint8_t)gen_field(w, 76, 69);
    first->indirect = gen_field(w, 79, 79);
    if (first->indirect) {
        first->subreg = (uint8_t)gen_field(w, 76, 73);
        first->offset =
            (int16_t)signed_bits(gen_field(w, 78, 78) << 9 | gen_field(w, 72, 68) << 4, 10);
    }
    second->file = gen_field(w, 36, 36) ? GEN_GRF : GEN_ARF;
    second->reg = (uint8_t)gen_field(w, 51, 44);
    insn->sources = 2;
    insn->desc_in_register = gen_field(w, 77, 77);
    insn->exdesc_in_register = gen_field(w, 61, 61);
    insn->exdesc_subreg = (uint8_t)gen_field(w, 82, 80);
    if (!insn->exdesc_in_register)
        insn->exdesc |= (uint32_t)(gen_field(w, 67, 64) << 6 | gen_field(w, 95, 80) << 16);
}

static void decode_operands(const struct gen_word *w, struct gen_insn *insn)
{
    switch (insn->row->format) {
    case GEN_FORMAT_PLAIN:
        break;
    case GEN_FORMAT_ONE:
        decode_dst(w, insn);
        decode_source(w, insn, 0);
        insn->sources = 1;
        break;
    case GEN_FORMAT_TWO:
        decode_dst(w, insn);
        decode_source(w, insn, 0);
        decode_source(w, insn, 1);
        insn->sources = 2;
        break;
    case GEN_FORMAT_MATH: {
        const bool two = insn->condition >= GEN_MATH_FDIV && insn->condition != GEN_MATH_RSQTM;
        decode_dst(w, insn);
        decode_source(w, insn, 0);
        if (two)
            decode_source(w, insn, 1);
        insn->sources = two ? 2 : 1;
        break;
    }
    case GEN_FORMAT_THREE:
        decode_three(w, insn);
        break;
    case GEN_FORMAT_JIP:
    case GEN_FORMAT_JIP_UIP:
        decode_branch(w, insn);
        /* brd and brc may take their targets from a register. */
        if ((insn->row == &gen_rows[GEN_BRD] || insn->row == &gen_rows[GEN_BRC]) &&
            gen_field(w, 42, 41) != GEN_IMMEDIATE && gen_field(w, 90, 89) != GEN_IMMEDIATE) {
            decode_source(w, insn, 0);
            insn->sources = 1;
        }
        break;
    case GEN_FORMAT_JMPI:
    case GEN_FORMAT_CALL:
        decode_dst(w, insn);
        insn->jip = (int32_t)gen_field(w, 127, 96);
        if (gen_field(w, 90, 89) != GEN_IMMEDIATE) {
            decode_source(w, insn, 1);
            insn->src[0] = insn->src[1];
            insn->sources = 1;
        }
        break;
    case GEN_FORMAT_RET:
    case GEN_FORMAT_WAIT:
        decode_source(w, insn, 0);
        insn->sources = 1;
        break;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        decode_send(w, insn);
        break;
    }
}

static void drop_modifiers(struct gen_insn *insn)
{
    for (unsigned i = 0; i < insn->sources && !(insn->row->allows & GEN_ALLOWS_M); i++)
        insn->src[i].negate = insn->src[i].absolute = false;
}

static const char *source_mistake(const struct gen_insn *insn, unsigned index)
{
    const struct gen_operand *o = &insn->src[index];
    if (o->file == GEN_GRF && !o->indirect && o->reg > 127)
        return "there is no such register: r0 to r127 are all";
    if (insn->row->format == GEN_FORMAT_SEND || insn->row->format == GEN_FORMAT_SENDS)
        return NULL; /* whole registers: they have neither type nor region */
    if (o->type == GEN_TYPES)
        return "a source's type is reserved";
    if (o->file == 2)
        return "a source's register file is reserved";
    if (o->file == GEN_IMMEDIATE)
        return index + 1 < insn->sources ? "only the last source can be an immediate" : NULL;
    if (!insn->align16 && o->width > 16)
        return "a region's width is reserved";
    return o->vstride != GEN_STRIDE_VXH && o->vstride > 32
               ? "a region's vertical stride is reserved"
               : NULL;
}

/* The mistake in an operand of the instruction, in words; NULL: there is none. */
static const char *operand_mistake(const struct gen_insn *insn)
{
    const bool writes =
        insn->row->format <= GEN_FORMAT_MATH && insn->row->format != GEN_FORMAT_PLAIN;
    const struct gen_operand *dst = &insn->dst;
    const char *why = NULL;
    if (writes && dst->type == GEN_TYPES)
        return "the destination's type is reserved";
    if (writes && dst->file > GEN_GRF)
        return "the destination is neither in the GRF nor in the ARF";
    if (writes && !insn->align16 && !dst->hstride)
        return "the destination's stride is 0";
    if (dst->file == GEN_GRF && !dst->indirect && dst->reg > 127)
        return "there is no such register: r0 to r127 are all";
    for (unsigned i = 0; i < insn->sources && !why; i++)
        why = source_mistake(insn, i);
    return why;
}

bool gen_decode(const struct gen_word *word, struct gen_insn *insn, const char **why)
{
    struct gen_word w = *word;
    *insn = (struct gen_insn){.length = 16, .dst.mme = GEN_NO_MME};
    for (unsigned i = 0; i < 3; i++)
        insn->src[i].mme = GEN_NO_MME;
    *why = NULL;
    insn->row = gen_row_of((unsigned)gen_field(&w, 6, 0));
    if (gen_is_compact(word)) {
        insn->length = 8;
        if (!gen_expand(word, &w)) {
            *why = insn->row ? "it has no compact form" : "there is no such opcode";
            insn->row = NULL;
            return false;
        }
    }
    if (!insn->row) {
        *why = "there is no such opcode";
        return false;
    }
    const uint64_t size = gen_field(&w, 23, 21);
    insn->align16 = gen_field(&w, 8, 8);
    insn->exec_size = size > 5 ? 0 : (uint8_t)(1u << size);
    insn->channel = (uint8_t)(gen_field(&w, 13, 12) * 8 + gen_field(&w, 11, 11) * 4);
    insn->no_dd_clear = gen_field(&w, 9, 9);
    insn->no_dd_check = gen_field(&w, 10, 10);
    insn->thread_control = (uint8_t)gen_field(&w, 15, 14);
    insn->predicate = (uint8_t)gen_field(&w, 19, 16);
    insn->predicate_inverted = gen_field(&w, 20, 20);
    insn->condition = (uint8_t)gen_field(&w, 27, 24);
    insn->accumulate = insn->branch = gen_field(&w, 28, 28);
    insn->breakpoint = gen_field(&w, 30, 30);
    insn->saturate = gen_field(&w, 31, 31);
    insn->flag = (uint8_t)gen_field(&w, 33, 32);
    insn->no_mask = gen_field(&w, 34, 34);
    if (!(insn->row->allows & GEN_ALLOWS_C) && insn->row->format <= GEN_FORMAT_THREE)
        insn->condition = GEN_COND_NONE;
    if (!(insn->row->allows & GEN_ALLOWS_S))
        insn->saturate = false;
    if (insn->row == &gen_rows[GEN_CSEL]) /* the flag is of its condition */
        insn->predicate = 0;
    if (insn->row->format == GEN_FORMAT_PLAIN) /* their other bits mean nothing */
        return true;
    if (!insn->exec_size)
        *why = "its execution size is reserved";
    else if (insn->predicate > (insn->align16 ? 7 : 13))
        *why = "its predicate control is reserved";
    else if (insn->row->format == GEN_FORMAT_THREE && !insn->align16)
        *why = "three sources are for Align16 only";
    else if (insn->row->format == GEN_FORMAT_MATH &&
             (insn->condition == 0 || insn->condition == GEN_MATH_COS + 1))
        *why = "its math function is reserved";
    else if (insn->row->format <= GEN_FORMAT_THREE &&
             (insn->condition == 7 || insn->condition > GEN_COND_UN))
        *why = "its condition modifier is reserved";
    if (*why)
        return false;
    decode_operands(&w, insn);
    drop_modifiers(insn);
    *why = operand_mistake(insn);
    return !*why;
}
