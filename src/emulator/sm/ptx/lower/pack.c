/* Lowering of conversions to and from numbers of less than 16 bits (exec/pack.c), which are known
 * by their whole opcodes. */
#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/exec/pack.h"
#include "emulator/sm/ptx/lower/body.h"

static const struct pack_form {
    const char *opcode;
    uint8_t how, bits; /* PACK: bits of a part */
    bool
        is_signed; /* PACK: a part's sign; TF32: .satfinite; else: the source is a pair of halves */
    bool relu;
    uint8_t round;
    enum ptx_type d, s[3];
} forms[] = {
#define EIGHT(name, how, back, relu, word)                                                           \
    {"cvt.rn.satfinite" word "." name ".f32",                                                        \
     how,                                                                                            \
     0,                                                                                              \
     false,                                                                                          \
     relu,                                                                                           \
     WT_RNE,                                                                                         \
     PTX_B16,                                                                                        \
     {PTX_F32, PTX_F32}},                                                                            \
        {"cvt.rn.satfinite" word "." name ".f16x2", how, 0, true, relu, WT_RNE, PTX_B16, {PTX_B32}}, \
        {"cvt.rn" word ".f16x2." name, back, 0, false, relu, WT_RNE, PTX_B32, {PTX_B16}},
    EIGHT("e4m3x2", TO_E4M3, FROM_E4M3, false, "") EIGHT(
        "e4m3x2", TO_E4M3, FROM_E4M3, true, ".relu") EIGHT("e5m2x2", TO_E5M2, FROM_E5M2, false, "")
        EIGHT("e5m2x2", TO_E5M2, FROM_E5M2, true, ".relu")
#undef EIGHT
#define TF32(words, round, relu)                                                                   \
    {"cvt." words ".tf32.f32", TO_TF32, 0, false, relu, round, PTX_B32, {PTX_F32}},
            {"cvt.rna.satfinite.tf32.f32", TO_TF32, 0, true, false, WT_RMM, PTX_B32, {PTX_F32}},
    TF32("rna", WT_RMM, false) TF32("rn", WT_RNE, false) TF32("rn.relu", WT_RNE, true)
        TF32("rz", WT_RTZ, false) TF32("rz.relu", WT_RTZ, true)
#undef TF32
#define PACKED(type, bits, is_signed)                                                              \
    {"cvt.pack.sat." type ".s32.b32", PACK, bits, is_signed, false, 0, PTX_B32,                    \
     {PTX_S32, PTX_S32, PTX_B32}},
            {"cvt.pack.sat.s16.s32", PACK, 16, true, false, 0, PTX_B32, {PTX_S32, PTX_S32}},
    {"cvt.pack.sat.u16.s32", PACK, 16, false, false, 0, PTX_B32, {PTX_S32, PTX_S32}},
    PACKED("s8", 8, true) PACKED("u8", 8, false) PACKED("s4", 4, true) PACKED("u4", 4, false)
        PACKED("s2", 2, true) PACKED("u2", 2, false)
#undef PACKED
};

bool ptx_lower_pack(struct body *b)
{
    struct ptx_op record = body_blank();
    const struct pack_form *form = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (ptx_name_is(b->s->name, forms[i].opcode))
            form = &forms[i];
    if (!form)
        return body_unsupported(b);
    while (count < 3 && form->s[count] != PTX_NO_TYPE)
        count++;
    if (body_operand_count(b) != count + 1)
        return body_fail(b, "the number of operands is wrong");
    record.how = form->how;
    record.size = form->bits;
    record.is_signed = record.flag = form->is_signed;
    record.combine = form->relu;
    record.round = form->round;
    for (unsigned i = 0; i < count; i++)
        if (!body_source(b, body_operand(b, i + 1), form->s[i], &record.s[i]))
            return false;
    return body_destination(b, body_operand(b, 0), form->d, &record.d) &&
           body_put_record(b, ptx_op_pack_numbers, &record);
}
