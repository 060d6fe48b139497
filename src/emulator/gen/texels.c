/*
 * The effect of messages on texels, for definedness: which bytes of a texel each register of data
 * has, and which coordinates are looked at. The surface, its format and the sampler say so, which
 * are known when the message is about to be executed.
 */
#include <limits.h>

#include "emulator/gen/message.h"
#include "emulator/gen/operands.h"
#include "emulator/gen/texel.h"

/* Whether all components that the format has are numbers of whole bytes, all of one size. *bytes
 * becomes it. */
static bool has_bytes(const struct gen_texel_format *f, unsigned *bytes)
{
    unsigned bits = 0;
    for (unsigned c = 0; c < 4; c++) {
        const unsigned own = f->component[c].bits;
        if (own && (own % 8 || f->component[c].shift % 8 || (bits && own != bits)))
            return false;
        bits = own ? own : bits;
    }
    *bytes = bits / 8;
    return bits;
}

/* Whether a register has the bits of its component. */
static bool copies_bits(const struct gen_texel_format *f, unsigned bytes, unsigned slot)
{
    return slot == 4 && (gen_texel_is_integer(f) || (f->kind == GEN_COMPONENT_FLOAT && bytes == 4));
}

/* Whether two registers have the same component, as with luminance. */
static bool has_twins(const struct gen_texels *x)
{
    uint32_t seen = 0;
    for (unsigned i = 0; i < x->components; i++) {
        const unsigned c = x->component[i];
        if (c == GEN_NO_COMPONENT || !x->format->component[c].bits)
            continue;
        const uint32_t bit = UINT32_C(1) << x->format->component[c].shift / 8;
        if (seen & bit)
            return true;
        seen |= bit;
    }
    return false;
}

/* The part of a texel in a register of data: with which byte it begins, or, as another form, bits.
 */
static int64_t part_of(const struct gen_texels *x, unsigned which, bool copies)
{
    const unsigned c = which < x->components ? x->component[which] : GEN_NO_COMPONENT;
    if (c == GEN_NO_COMPONENT || !x->format->component[c].bits)
        return INT_MAX;
    return copies ? x->format->component[c].shift / 8
                  : WT_OPERAND_FIELD(x->format->component[c].shift, x->format->component[c].bits);
}

/* Drops registers that the message does not look at, and tells where the others' data lies. */
static void part(struct wt_insn_operands *o, const struct gen_texels *x, bool copies)
{
    unsigned kept = 0, parameter = 0, data = 0;
    for (unsigned i = 0; i < o->count; i++) {
        struct wt_insn_operand one = o->list[i];
        const bool row = one.kind == WT_OPERAND_ROW && one.file == GEN_FILE_R;
        if (row && one.aside && !(x->used >> parameter++ & 1))
            continue;
        if (row && !one.aside)
            one.value = part_of(x, data++, copies);
        o->list[kept++] = one;
    }
    o->count = kept;
}

void gen_list_texels(struct gen_thread *t, const struct gen_uop *u, struct wt_insn_operands *o)
{
    struct gen_message m;
    struct gen_message_shape s;
    struct gen_texels x;
    unsigned bytes = 0;
    if (gen_read_message(t, u, &m) || gen_message_shape(m.sfid, m.desc, &s) != GEN_MESSAGE_TEXELS ||
        !(m.sfid == GEN_SFID_SAMPLER ? gen_sampler_texels : gen_typed_texels)(&m, &x))
        return;
    const bool parted = has_bytes(x.format, &bytes),
               copies = parted && copies_bits(x.format, bytes, s.slot) && !has_twins(&x);
    o->indirect = true;
    part(o, &x, copies);
    if (s.changes) {
        o->operation = (m.desc >> 8 & 15) == GEN_ATOMIC_MOV ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC;
        return;
    }
    o->operation = x.mixes                                          ? WT_DOES_OTHER
                   : !s.loads                                       ? WT_DOES_STORE
                   : copies && x.format->kind == GEN_COMPONENT_SINT ? WT_DOES_LOAD_SIGNED
                                                                    : WT_DOES_LOAD;
    if (x.mixes)
        return;
    o->element = (uint8_t)(copies ? bytes : x.format->bytes);
    o->then = copies ? WT_DOES_OTHER : WT_DOES_UNTOLD;
}
