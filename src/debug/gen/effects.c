/* Effects of instructions. See effects.h. (Skylake PRM volume 7, "EU Instruction Formats".) */
#include "debug/gen/effects.h"

#include <string.h>

#include "base/bits.h"

enum { SHORT = 8, NATIVE = 16 };
enum { ARF = 0, GRF = 1, IMMEDIATE = 3 };
enum {
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

/* The format's bits. */
struct word {
    uint64_t low, high;
};

static uint64_t field(const struct word *w, unsigned last, unsigned first)
{
    const uint64_t part = first >= 64 ? w->high >> (first - 64) : w->low >> first;
    return part & (UINT64_MAX >> (63 - (last - first)));
}

/* Opcodes with three sources have another place for the destination: bfe, bfi2, mad, lrp, madm. */
static bool has_three_sources(unsigned opcode)
{
    return opcode == 0x18 || opcode == 0x1a || (opcode >= 0x5b && opcode <= 0x5e);
}

/* Bytes of an element; 0: it is no integer. */
static unsigned size_of_type(unsigned type)
{
    static const uint8_t size[16] = {
        [0] = 4, [1] = 4, [2] = 2, [3] = 2, [4] = 1, [5] = 1, [8] = 8, [9] = 8};
    return size[type];
}

static void decode_source(const struct word *w, unsigned index, struct genp_operand *o)
{
    const unsigned at = index ? 96 : 64;
    const unsigned file = (unsigned)(index ? field(w, 90, 89) : field(w, 42, 41));
    const unsigned type = (unsigned)(index ? field(w, 94, 91) : field(w, 46, 43));
    enum { PACKED_UNSIGNED = 4, PACKED_FLOATS = 5, PACKED = 6 };
    if (file == IMMEDIATE) {
        const uint32_t value = (uint32_t)field(w, 127, 96);
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
    const bool indirect = field(w, at + 15, at + 15), changed = field(w, at + 14, at + 13) != 0;
    const unsigned hstride = (unsigned)field(w, at + 17, at + 16);
    const unsigned width = 1u << field(w, at + 20, at + 18);
    const unsigned vstride = (unsigned)field(w, at + 24, at + 21);
    o->size = size_of_type(type);
    o->from = GENP_GRF * (unsigned)field(w, at + 12, at + 5) + (unsigned)field(w, at + 4, at);
    o->is_scalar = vstride == 0 && width == 1 && hstride == 0;
    /* Rows of neighbours, the rows side by side: vertical stride 2^(n - 1). */
    const bool rows = hstride == 1 && vstride && 1u << (vstride - 1) == width;
    o->is_known = file == GRF && o->size && !indirect && !changed && (o->is_scalar || rows);
}

static void decode_destination(const struct word *w, struct genp_effects *e)
{
    const unsigned type = (unsigned)field(w, 40, 37);
    const unsigned hstride = (unsigned)field(w, 62, 61);
    static const uint8_t any_size[16] = {4, 4, 2, 2, 1, 1, 8, 4, 8, 8, 2, 8, 8, 8, 8, 8};
    if (field(w, 36, 35) != GRF)
        return;
    if (field(w, 63, 63)) {
        e->writes_any = true;
        return;
    }
    const unsigned size = any_size[type], step = hstride ? 1u << (hstride - 1) : 1;
    e->first = GENP_GRF * (unsigned)field(w, 60, 53) + (unsigned)field(w, 52, 48);
    e->count = size * (step * (e->channels - 1) + 1);
    e->to = (struct genp_operand){.is_known = size_of_type(type) && (step == 1 || e->channels == 1),
                                  .from = e->first,
                                  .size = size};
}

/* A message's response: so many registers, as its descriptor says. */
static void decode_send(const struct word *w, struct genp_effects *e)
{
    const bool split = e->opcode >= OPCODE_SENDS;
    const bool to_register = split ? field(w, 35, 35) : field(w, 36, 35) == GRF;
    const bool in_register = split ? field(w, 77, 77) : field(w, 90, 89) != IMMEDIATE;
    e->goes_on = !field(w, 127, 127); /* End of Thread */
    e->is_message = !field(w, 79, 79);
    e->payload = GENP_GRF * (unsigned)field(w, 76, 69);
    if (!to_register)
        return;
    e->writes_any = in_register || field(w, 63, 63);
    e->first = GENP_GRF * (unsigned)field(w, 60, 53);
    e->count = GENP_GRF * (unsigned)(field(w, 126, 96) >> 20 & 31);
}

static void add_target(struct genp_effects *e, uint64_t from, int64_t offset)
{
    e->target[e->targets++] = from + (uint64_t)offset;
}

static void decode_branch(uint64_t addr, const struct word *w, struct genp_effects *e)
{
    const int32_t jip = (int32_t)field(w, 127, 96), uip = (int32_t)field(w, 95, 64);
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
        e->leaves = field(w, 90, 89) != IMMEDIATE;
        e->goes_on = !e->is_plain;
        add_target(e, addr + e->length, jip);
        return;
    case OPCODE_BRD:
    case OPCODE_BRC:
        e->leaves = field(w, 42, 41) != IMMEDIATE && field(w, 90, 89) != IMMEDIATE;
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
    struct word w = {.low = wt_load_le(bytes, 8)};
    *e = (struct genp_effects){.opcode = (unsigned)field(&w, 6, 0), .goes_on = true};
    e->is_compact = field(&w, 29, 29);
    e->length = e->is_compact ? SHORT : NATIVE;
    if (size < e->length || e->opcode == 0) {
        e->opcode = 0;
        e->goes_on = false;
        return;
    }
    const bool flow = e->opcode >= OPCODE_JMPI && e->opcode <= OPCODE_JOIN;
    if (e->is_compact) {
        e->leaves = flow;
        e->writes_any = e->opcode >= OPCODE_SEND && e->opcode <= OPCODE_SENDSC;
        const unsigned number =
            (unsigned)(has_three_sources(e->opcode) ? field(&w, 18, 12) : field(&w, 47, 40));
        e->first = GENP_GRF * number;
        e->count = 2 * GENP_GRF; /* the most that an instruction without a message writes */
        return;
    }
    w.high = wt_load_le(bytes + 8, 8);
    e->channels = 1u << field(&w, 23, 21);
    e->channel = 8 * (unsigned)field(&w, 13, 12) + 4 * (unsigned)field(&w, 11, 11);
    e->all_channels = field(&w, 34, 34);
    e->is_plain = field(&w, 19, 16) == 0 && !field(&w, 31, 31) && !field(&w, 8, 8);
    if (flow) {
        decode_branch(addr, &w, e);
    } else if (e->opcode >= OPCODE_SEND && e->opcode <= OPCODE_SENDSC) {
        decode_send(&w, e);
    } else if (has_three_sources(e->opcode)) {
        e->first = GENP_GRF * (unsigned)field(&w, 63, 56);
        e->count = 2 * GENP_GRF;
    } else {
        decode_destination(&w, e);
        decode_source(&w, 0, &e->source[0]);
        decode_source(&w, 1, &e->source[1]);
    }
}
