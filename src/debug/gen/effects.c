/* Effects of instructions. See effects.h. (Skylake PRM volume 7, "EU Instruction Formats".) */
#include "debug/gen/effects.h"

#include "base/bits.h"
#include "object/gen_word.h"

enum { SHORT = 8, NATIVE = 16 };
enum { ARF = 0, GRF = 1, IMMEDIATE = 3 };
enum {
    OPCODE_SEL = 0x02,
    OPCODE_JMPI = 0x20,
    OPCODE_BRD = 0x21,
    OPCODE_IF = 0x22,
    OPCODE_BRC = 0x23,
    OPCODE_ELSE = 0x24,
    OPCODE_ENDIF = 0x25,
    OPCODE_WHILE = 0x27,
    OPCODE_BREAK = 0x28,
    OPCODE_CONT = 0x29,
    OPCODE_HALT = 0x2a,
    OPCODE_CALLA = 0x2b,
    OPCODE_CALL = 0x2c,
    OPCODE_RET = 0x2d,
    OPCODE_GOTO = 0x2e,
    OPCODE_JOIN = 0x2f,
    OPCODE_SEND = 0x31,
    OPCODE_SENDC = 0x32,
    OPCODE_SENDS = 0x33,
    OPCODE_SENDSC = 0x34,
};

/* Opcodes with three sources have another form: csel, bfe, bfi2, mad, lrp, madm. */
static bool has_three_sources(unsigned opcode)
{
    return opcode == 0x12 || opcode == 0x18 || opcode == 0x1a || (opcode >= 0x5b && opcode <= 0x5e);
}

/* mov, movi, not, bfrev, frc to rndz, lzd to cbit; math.inv to math.cos, math.rsqtm. */
static bool has_one_source(const struct gen_word *w, unsigned opcode)
{
    enum { MATH = 0x38, MATH_FDIV = 9, MATH_RSQTM = 15 };
    const unsigned function = (unsigned)gen_field(w, 27, 24);
    return opcode == GENP_MOV || opcode == 0x03 || opcode == 0x04 || opcode == 0x17 ||
           (opcode >= 0x43 && opcode <= 0x47) || (opcode >= 0x4a && opcode <= 0x4d) ||
           (opcode == MATH && (function < MATH_FDIV || function == MATH_RSQTM));
}

/* Bytes of an element; 0: it is no integer. */
static unsigned size_of_type(unsigned type)
{
    static const uint8_t size[16] = {
        [0] = 4, [1] = 4, [2] = 2, [3] = 2, [4] = 1, [5] = 1, [8] = 8, [9] = 8};
    return size[type];
}

/* Bytes of an element of any type in a register. */
static unsigned size_of_any(unsigned type)
{
    static const uint8_t size[16] = {4, 4, 2, 2, 1, 1, 8, 4, 8, 8, 2, 8, 8, 8, 8, 8};
    return size[type];
}

static void decode_source(const struct gen_word *w, unsigned index, struct genp_operand *o)
{
    const unsigned at = index ? 96 : 64;
    const unsigned file = (unsigned)(index ? gen_field(w, 90, 89) : gen_field(w, 42, 41));
    const unsigned type = (unsigned)(index ? gen_field(w, 94, 91) : gen_field(w, 46, 43));
    enum { PACKED_UNSIGNED = 4, PACKED_FLOATS = 5, PACKED = 6 };
    if (file == IMMEDIATE) {
        const uint32_t value = (uint32_t)gen_field(w, 127, 96);
        o->is_immediate = true;
        o->is_packed = type == PACKED;
        o->size = o->is_packed ? 2 : size_of_type(type);
        o->value = o->size == 8                    ? (int64_t)w->high
                   : type == 1                     ? (int32_t)value
                   : o->size == 2 && !o->is_packed ? (type == 3 ? (int16_t)value : (uint16_t)value)
                                                   : (int64_t)value;
        o->is_known = o->size > 1 && type != PACKED_UNSIGNED && type != PACKED_FLOATS;
        return;
    }
    const bool indirect = gen_field(w, at + 15, at + 15),
               changed = gen_field(w, at + 14, at + 13) != 0;
    const unsigned hstride = (unsigned)gen_field(w, at + 17, at + 16);
    const unsigned width = 1u << gen_field(w, at + 20, at + 18);
    const unsigned vstride = (unsigned)gen_field(w, at + 24, at + 21);
    o->size = size_of_type(type);
    o->from =
        GENP_GRF * (unsigned)gen_field(w, at + 12, at + 5) + (unsigned)gen_field(w, at + 4, at);
    o->is_scalar = vstride == 0 && width == 1 && hstride == 0;
    /* Rows of neighbours, the rows side by side: vertical stride 2^(n - 1). */
    const bool rows = hstride == 1 && vstride && 1u << (vstride - 1) == width;
    o->is_known = file == GRF && o->size && !indirect && !changed && (o->is_scalar || rows);
}

/* Notes the bytes that a source region covers. */
static void note_read(const struct gen_word *w, unsigned index, struct genp_effects *e)
{
    const unsigned at = index ? 96 : 64;
    const unsigned file = (unsigned)(index ? gen_field(w, 90, 89) : gen_field(w, 42, 41));
    const unsigned size =
        size_of_any((unsigned)(index ? gen_field(w, 94, 91) : gen_field(w, 46, 43)));
    const unsigned vertical = (unsigned)gen_field(w, at + 24, at + 21);
    unsigned width = 1u << gen_field(w, at + 20, at + 18), hstride = 0;
    if (file != GRF)
        return;
    if (gen_field(w, at + 15, at + 15)) {
        e->reads_any = true;
        return;
    }
    if (gen_field(w, at + 17, at + 16))
        hstride = 1u << (gen_field(w, at + 17, at + 16) - 1);
    if (gen_field(w, 8, 8)) { /* Align16: swizzles of four */
        width = 4;
        hstride = 1;
    }
    if (width > e->channels)
        width = e->channels;
    const unsigned rows = e->channels / width, vstride = vertical ? 1u << (vertical - 1) : 0;
    e->read[index] =
        (struct genp_bytes){.first = GENP_GRF * (unsigned)gen_field(w, at + 12, at + 5) +
                                     (gen_field(w, 8, 8) ? 0 : (unsigned)gen_field(w, at + 4, at)),
                            .count = size * ((rows - 1) * vstride + (width - 1) * hstride + 1)};
    if (gen_field(w, 8, 8))
        e->read[index].count += GENP_GRF / 2;
}

static void decode_three(const struct gen_word *w, struct genp_effects *e)
{
    static const uint8_t sizes[8] = {4, 4, 4, 8, 2, 8, 8, 8};
    const unsigned to = sizes[gen_field(w, 48, 46)], from = sizes[gen_field(w, 45, 43)];
    e->first = GENP_GRF * (unsigned)gen_field(w, 63, 56) + 4 * (unsigned)gen_field(w, 55, 53);
    e->count = to * e->channels;
    e->element = e->element_stride = to;
    for (unsigned i = 0; i < GENP_SOURCES; i++) {
        const unsigned at = 64 + 21 * i;
        const bool replicates = gen_field(w, at, at);
        e->read[i].first = GENP_GRF * (unsigned)(i == 2 ? gen_field(w, 125, 118)
                                                        : gen_field(w, at + 19, at + 12)) +
                           4 * (unsigned)gen_field(w, at + 11, at + 9);
        e->read[i].count = replicates ? from : from * e->channels;
    }
}

static void decode_destination(const struct gen_word *w, struct genp_effects *e)
{
    const unsigned type = (unsigned)gen_field(w, 40, 37);
    const unsigned hstride = (unsigned)gen_field(w, 62, 61);
    if (gen_field(w, 36, 35) != GRF)
        return;
    if (gen_field(w, 63, 63)) {
        e->writes_any = true;
        return;
    }
    const unsigned size = size_of_any(type), step = hstride ? 1u << (hstride - 1) : 1;
    e->first = GENP_GRF * (unsigned)gen_field(w, 60, 53) + (unsigned)gen_field(w, 52, 48);
    e->count = size * (step * (e->channels - 1) + 1);
    e->element = size;
    e->element_stride = size * step;
    e->to = (struct genp_operand){.is_known = size_of_type(type) && (step == 1 || e->channels == 1),
                                  .from = e->first,
                                  .size = size};
}

/* Blocks of scratch memory: an offset in registers, and how many (Skylake PRM volume 7, "Scratch
 * Block Read/Write"). */
static void decode_scratch(const struct gen_word *w, struct genp_effects *e)
{
    enum { DATA_PORT = 10 };
    if (gen_field(w, 27, 24) != DATA_PORT || !gen_field(w, 114, 114))
        return;
    e->scratch = (struct genp_bytes){.first = GENP_GRF * (unsigned)gen_field(w, 107, 96),
                                     .count = GENP_GRF << gen_field(w, 109, 108)};
    e->writes_scratch = gen_field(w, 113, 113);
}

/* A message's response: so many registers, as its descriptor says. */
static void decode_send(const struct gen_word *w, struct genp_effects *e)
{
    const bool split = e->opcode >= OPCODE_SENDS;
    const bool to_register = split ? gen_field(w, 35, 35) : gen_field(w, 36, 35) == GRF;
    const bool in_register = split ? gen_field(w, 77, 77) : gen_field(w, 90, 89) != IMMEDIATE;
    e->goes_on = !gen_field(w, 127, 127); /* End of Thread */
    e->is_message = !gen_field(w, 79, 79);
    e->payload = GENP_GRF * (unsigned)gen_field(w, 76, 69);
    e->reads_any = in_register || !e->is_message;
    e->read[0] = (struct genp_bytes){.first = e->payload,
                                     .count = GENP_GRF * (unsigned)gen_field(w, 124, 121)};
    if (!in_register)
        decode_scratch(w, e);
    if (split && gen_field(w, 36, 36))
        e->read[1] = (struct genp_bytes){.first = GENP_GRF * (unsigned)gen_field(w, 51, 44),
                                         .count = GENP_GRF * (unsigned)gen_field(w, 67, 64)};
    if (!to_register)
        return;
    e->writes_any = in_register || gen_field(w, 63, 63);
    e->first = GENP_GRF * (unsigned)gen_field(w, 60, 53);
    e->count = GENP_GRF * (unsigned)(gen_field(w, 126, 96) >> 20 & 31);
    e->element = e->element_stride = GENP_GRF;
}

static void add_target(struct genp_effects *e, uint64_t from, int64_t offset)
{
    e->target[e->targets++] = from + (uint64_t)offset;
}

static void decode_branch(uint64_t addr, const struct gen_word *w, struct genp_effects *e)
{
    const int32_t jip = (int32_t)gen_field(w, 127, 96), uip = (int32_t)gen_field(w, 95, 64);
    const bool has_uip = e->opcode != OPCODE_ENDIF && e->opcode != OPCODE_WHILE &&
                         e->opcode != OPCODE_JOIN && e->opcode != OPCODE_BRD;
    switch (e->opcode) {
    case OPCODE_RET:
        e->goes_on = false;
        e->leaves = true;
        return;
    case OPCODE_CALL:
    case OPCODE_CALLA:
        e->is_call = e->writes_any = true;
        return;
    case OPCODE_JMPI:
        e->leaves = gen_field(w, 90, 89) != IMMEDIATE;
        e->goes_on = !e->is_plain;
        add_target(e, addr + e->length, jip);
        return;
    case OPCODE_BRD:
    case OPCODE_BRC:
        e->leaves = gen_field(w, 42, 41) != IMMEDIATE && gen_field(w, 90, 89) != IMMEDIATE;
        break;
    default:
        break;
    }
    if (jip)
        add_target(e, addr, jip);
    if (has_uip && uip)
        add_target(e, addr, e->opcode == OPCODE_BREAK ? uip + NATIVE : uip);
    for (unsigned i = 0; i < e->targets; i++)
        if (e->target[i] > addr && e->target[i] > e->parts_until)
            e->parts_until = e->target[i];
}

void genp_effects_of(uint64_t addr, const uint8_t *bytes, unsigned size, struct genp_effects *e)
{
    struct gen_word w = {.low = wt_load_le(bytes, 8)};
    *e = (struct genp_effects){.opcode = (unsigned)gen_field(&w, 6, 0), .goes_on = true};
    const bool compact = gen_is_compact(&w);
    const bool flow = e->opcode >= OPCODE_JMPI && e->opcode <= OPCODE_JOIN;
    const bool message = e->opcode >= OPCODE_SEND && e->opcode <= OPCODE_SENDSC;
    const bool three = has_three_sources(e->opcode);
    e->length = compact ? SHORT : NATIVE;
    if (size < e->length || e->opcode == 0 || (compact && (flow || message))) {
        e->opcode = 0;
        e->goes_on = false;
        return;
    }
    if (compact)
        gen_word_expand(three ? GEN_WORD_THREE : GEN_WORD_BASIC, &(struct gen_word){.low = w.low},
                        &w);
    else
        w.high = wt_load_le(bytes + 8, 8);
    e->channels = 1u << gen_field(&w, 23, 21);
    e->channel = 8 * (unsigned)gen_field(&w, 13, 12) + 4 * (unsigned)gen_field(&w, 11, 11);
    e->all_channels = gen_field(&w, 34, 34);
    e->is_merged = gen_field(&w, 19, 16) != 0 && e->opcode != OPCODE_SEL;
    e->is_plain =
        gen_field(&w, 19, 16) == 0 && !gen_field(&w, 31, 31) && (three || !gen_field(&w, 8, 8));
    if (flow) {
        decode_branch(addr, &w, e);
    } else if (message) {
        decode_send(&w, e);
    } else if (three) {
        decode_three(&w, e);
    } else {
        decode_destination(&w, e);
        decode_source(&w, 0, &e->source[0]);
        decode_source(&w, 1, &e->source[1]);
        note_read(&w, 0, e);
        if (!e->source[0].is_immediate && !has_one_source(&w, e->opcode))
            note_read(&w, 1, e);
    }
}
