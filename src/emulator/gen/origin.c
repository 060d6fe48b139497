/*
 * The effect of Gen9's code on addresses (machine/origin.h). The registers are followed by words of
 * two bytes; a longer value is the first word's, and those behind are its tail.
 *
 * Branches are those of a channel: it goes on, or to where it waits for the others. Instructions
 * leave the channels alone that are off, so each word has two values: that of the channels that are
 * on, and that of the others, which is not known behind a branch where it may differ. Operands that
 * are not a channel's own (a scalar, a region that begins elsewhere) may be of either.
 *
 * A kernel's arguments, and where its surfaces begin, are those of the launch at hand: addresses of
 * variables are the same in all launches.
 */
#include "base/bits.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/origin.h"

#include "emulator/gen/lanes.h"
#include "emulator/gen/operands.h"

enum {
    WORDS = GEN_REGISTER_FILE / 2,
    ON = 0,
    OFF = WORDS,
    REGISTERS = 2 * WORDS,
    MOST_WORDS = 4, /* words of a value */
};

typedef wt_origin_value value;

struct gen_flow_code {
    struct gen_device *device;
    struct gen_thread *thread;
    value number;           /* the value of which nothing is known */
    value tail[MOST_WORDS]; /* marks of the second word of a value, and of those behind */
};

/* ---- registers ---- */

static void forget(struct gen_flow_code *c, struct wt_flow *f, value *reg)
{
    for (unsigned i = 1; i < MOST_WORDS; i++)
        c->tail[i] = wt_flow_constant(f, INT64_MIN + i);
    c->number = wt_flow_number(f);
    for (unsigned i = 0; i < REGISTERS; i++)
        reg[i] = c->number;
}

/* The place of a word in its value; 0: it is the first one. */
static unsigned tail_of(const struct gen_flow_code *c, value v)
{
    for (unsigned i = 1; i < MOST_WORDS; i++)
        if (v == c->tail[i])
            return i;
    return 0;
}

/* The value of some bytes; @p half: of the channels that are on, or of the others. */
static value read(const struct gen_flow_code *c, struct wt_flow *f, const value *half,
                  unsigned byte, unsigned size)
{
    const unsigned first = byte / 2, words = (size + 1) / 2;
    if (byte + size > GEN_REGISTER_FILE || words > MOST_WORDS)
        return wt_flow_unknown(f);
    const value *w = &half[first];
    bool is_whole = size > 1 && !tail_of(c, *w), is_number = true;
    value all = w[0];
    for (unsigned i = 0; i < words; i++) {
        is_whole &= !i || w[i] == c->tail[i];
        is_number &= w[i] == c->number;
    }
    const bool ends = first + words == WORDS || w[words] != c->tail[words % MOST_WORDS];
    if (is_number || (is_whole && (words == MOST_WORDS || ends)))
        return w[0];
    if (is_whole && words == 2) /* the lower half of a quadword */
        return wt_flow_word(f, w[0]);
    if (tail_of(c, all))
        all = tail_of(c, all) <= first ? w[-(int)tail_of(c, all)] : c->number;
    all = wt_flow_mixed(f, all, all);
    for (unsigned i = 1; i < words; i++)
        if (!tail_of(c, w[i]))
            all = wt_flow_mixed(f, all, w[i]);
    return all;
}

static void write(const struct gen_flow_code *c, struct wt_flow *f, value *half, unsigned byte,
                  unsigned size, value v)
{
    const unsigned first = byte / 2, words = (size + 1) / 2;
    if (byte + size > GEN_REGISTER_FILE || words > MOST_WORDS)
        return;
    value *w = &half[first];
    const unsigned tail = tail_of(c, *w);
    if (tail && tail <= first) /* of a value that keeps its other bytes */
        w[-(int)tail] = wt_flow_picked(f, w[-(int)tail], v);
    for (unsigned i = words; first + i < WORDS && tail_of(c, w[i]); i++)
        w[i] = c->number;
    w[0] = size > 1 ? v : wt_flow_picked(f, tail ? c->number : w[0], v);
    for (unsigned i = 1; i < words; i++)
        w[i] = c->tail[i];
}

/* Arguments, which lie behind what each thread has for itself. */
static void put_arguments(struct gen_flow_code *c, struct wt_flow *f, value *reg)
{
    const struct gen_walk *walk = &gen_walk_of(c->thread)->walk;
    const unsigned at = GEN_GRF_BYTES + walk->thread_bytes;
    for (unsigned i = 0; i + 8 <= walk->cross_bytes; i += 8) {
        uint8_t bytes[8];
        if (!gen_device_read(c->device, walk->payload + i, bytes, sizeof bytes))
            return;
        const uint64_t v = wt_load_le(bytes, 8);
        if (!(v >> 32)) /* a number, or two */
            continue;
        write(c, f, reg + ON, at + i, 8, wt_flow_constant(f, (int64_t)v));
        write(c, f, reg + OFF, at + i, 8, wt_flow_constant(f, (int64_t)v));
    }
}

static void begin(void *context, struct wt_flow *f, value *reg)
{
    forget(context, f, reg);
    put_arguments(context, f, reg);
}

/* Channels may be switched off, or on. */
static void change_channels(struct wt_flow *f, value *reg)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (reg[ON + i] != reg[OFF + i])
            reg[OFF + i] = wt_flow_unknown(f);
}

/* ---- operands ---- */

static bool is(const struct gen_insn *insn, enum gen_insn_id id)
{
    return insn->row == &gen_rows[id];
}

/* Bytes from an element to the next one; 0: one for all channels. */
static unsigned step_of(const struct gen_insn *insn, const struct gen_operand *o)
{
    return o->replicate ? 0 : gen_type_size(o->type) * (insn->align16 ? 1u : o->hstride);
}

static unsigned element(const struct gen_insn *insn, const struct gen_operand *o, unsigned channel)
{
    const unsigned size = gen_type_size(o->type), width = insn->align16 ? 4 : o->width,
                   row = o->replicate ? 0 : channel / width * o->vstride * size;
    return o->reg * GEN_GRF_BYTES + o->subreg + row + channel % width * step_of(insn, o);
}

/* Whether each channel reads where it writes: its place in a register says which one it is. */
static bool is_own(const struct gen_insn *insn, const struct gen_operand *o)
{
    const unsigned step = step_of(insn, o), width = insn->align16 ? 4 : o->width;
    const unsigned row = gen_type_size(o->type) * o->vstride;
    return step && insn->exec_size > 1 && (insn->exec_size <= width || row == width * step) &&
           o->subreg / step == insn->channel * step % GEN_GRF_BYTES / step;
}

static value immediate(struct wt_flow *f, const struct gen_operand *o)
{
    const unsigned bits = 8 * gen_type_size(o->type);
    if (o->type >= GEN_UV) /* small numbers, one for each channel */
        return wt_flow_index(f);
    return wt_flow_constant(f, gen_type_is_signed(o->type)
                                   ? wt_sign_extend(o->immediate, bits)
                                   : (int64_t)(o->immediate & wt_low_bits(bits)));
}

static bool is_logic(const struct gen_insn *insn)
{
    return is(insn, GEN_AND) || is(insn, GEN_OR) || is(insn, GEN_XOR) || is(insn, GEN_NOT);
}

static value modified(struct wt_flow *f, const struct gen_insn *insn, const struct gen_operand *o,
                      value v)
{
    if (o->absolute)
        v = wt_flow_mixed(f, v, v);
    if (!o->negate)
        return v;
    return is_logic(insn) ? wt_flow_xor(f, v, wt_flow_constant(f, -1))
                          : wt_flow_difference(f, wt_flow_constant(f, 0), v);
}

/* The value that a channel reads, of those that are on (@p half) or of the others. */
static value source(const struct gen_flow_code *c, struct wt_flow *f, const struct gen_insn *insn,
                    unsigned index, unsigned channel, const value *reg, unsigned half)
{
    const struct gen_operand *o = &insn->src[index];
    const unsigned size = gen_type_size(o->type);
    if (o->file == GEN_IMMEDIATE)
        return modified(f, insn, o, immediate(f, o));
    if (o->file != GEN_GRF || o->indirect || o->vstride == GEN_STRIDE_VXH)
        return c->number;
    const unsigned at = element(insn, o, channel);
    value v = read(c, f, reg + half, at, size);
    if (!is_own(insn, o))
        v = wt_flow_choice(f, v, read(c, f, reg + (half == ON ? OFF : ON), at, size));
    if (insn->align16 && !o->replicate && o->swizzle != GEN_SWIZZLE_XYZW)
        v = wt_flow_mixed(f, v, v);
    return modified(f, insn, o, v);
}

/* ---- arithmetic ---- */

static bool computes_floats(const struct gen_insn *insn)
{
    const bool moves = is(insn, GEN_MOV) || is(insn, GEN_SEL);
    bool any = gen_type_is_float(insn->dst.type), all = any;
    for (unsigned i = 0; i < insn->sources; i++) {
        any |= gen_type_is_float(insn->src[i].type);
        all &= gen_type_is_float(insn->src[i].type) &&
               gen_type_size(insn->src[i].type) == gen_type_size(insn->dst.type);
    }
    return any && !(moves && all);
}

/* A remainder is below the divisor: it is no address. */
static value divided(struct wt_flow *f, const struct gen_insn *insn, value a, value b)
{
    enum { SMALL = 1 << 12 };
    int64_t divisor;
    if (insn->condition == GEN_MATH_IREM && wt_flow_is_constant(f, b, &divisor) && divisor > 0 &&
        divisor <= SMALL)
        return wt_flow_index(f);
    return wt_flow_mixed(f, a, b);
}

static value result(const struct gen_flow_code *c, struct wt_flow *f, const struct gen_insn *insn,
                    const value src[3])
{
    value all = c->number, leaf[WT_M_LEAVES];
    const uint8_t *code = insn->row->meaning[0];
    if (is(insn, GEN_MATH) && !computes_floats(insn))
        return divided(f, insn, src[0], src[1]);
    for (unsigned i = 0; i < WT_M_LEAVES; i++)
        leaf[i] = i >= WT_M_A && i <= WT_M_C ? src[i - WT_M_A] : c->number;
    if (!computes_floats(insn) && !insn->saturate && *code == WT_M_OUT) {
        code += 2;
        return wt_flow_meaning(f, &code, leaf);
    }
    for (unsigned i = 0; i < insn->sources; i++)
        all = wt_flow_picked(f, all, src[i]);
    return all;
}

static void write_result(const struct gen_flow_code *c, struct wt_flow *f,
                         const struct gen_insn *insn, unsigned channel, value *half, value v)
{
    const struct gen_operand *o = &insn->dst;
    const unsigned size = gen_type_size(o->type),
                   at = o->reg * GEN_GRF_BYTES + o->subreg + channel * step_of(insn, o);
    const bool keeps = (insn->predicate && !is(insn, GEN_SEL)) ||
                       (insn->align16 && (o->swizzle & 15) != 15) || is(insn, GEN_SMOV);
    if (size == 4 && !gen_type_is_float(o->type))
        v = wt_flow_word(f, v);
    if (size < 2)
        v = wt_flow_mixed(f, v, v);
    write(c, f, half, at, size, keeps ? wt_flow_choice(f, read(c, f, half, at, size), v) : v);
}

/* Results are written when all channels have read: regions may overlap. */
static void compute(struct gen_flow_code *c, struct wt_flow *f, const struct gen_insn *insn,
                    value *reg)
{
    value out[2][GEN_CHANNELS];
    const unsigned halves = insn->no_mask ? 2 : 1;
    if (insn->dst.indirect) { /* anywhere in the registers */
        forget(c, f, reg);
        return;
    }
    if (insn->dst.file != GEN_GRF)
        return;
    for (unsigned h = 0; h < halves; h++)
        for (unsigned i = 0; i < insn->exec_size; i++) {
            value src[3] = {c->number, c->number, c->number};
            for (unsigned k = 0; k < insn->sources; k++)
                src[k] = source(c, f, insn, k, i, reg, h ? OFF : ON);
            out[h][i] = result(c, f, insn, src);
        }
    for (unsigned h = 0; h < halves; h++)
        for (unsigned i = 0; i < insn->exec_size; i++)
            write_result(c, f, insn, i, reg + (h ? OFF : ON), out[h][i]);
    if (is(insn, GEN_MATH)) /* integer division has two results */
        for (unsigned i = 0; i < 4 * GEN_GRF_BYTES && insn->condition == GEN_MATH_IDIV; i += 4)
            write(c, f, reg + ON, insn->dst.reg * GEN_GRF_BYTES + i, 4, c->number);
}

/* ---- messages ---- */

/* The sum that the channels' addresses are: of one, or of several. */
static value addresses(const struct gen_flow_code *c, struct wt_flow *f, const value *reg,
                       const struct wt_insn_operand *x, unsigned lanes)
{
    const unsigned size = x->bits / 8;
    value all = read(c, f, reg + ON, x->number, size);
    for (unsigned i = 1; i < lanes; i++)
        all = wt_flow_choice(f, all, read(c, f, reg + ON, x->number + i * x->step / 8, size));
    return all;
}

static value based(const struct gen_flow_code *c, struct wt_flow *f, uint32_t desc, bool is_wide,
                   value v)
{
    const unsigned bti = desc & 0xff;
    uint64_t base;
    if (is_wide || bti == GEN_BTI_SLM)
        return v;
    if (!gen_surface_base(c->thread, bti, &base))
        return wt_flow_unknown(f);
    return wt_flow_sum(f, v, wt_flow_constant(f, (int64_t)base));
}

/* The contents of a response were in memory. Of a byte it is perhaps a bool. */
static void respond(const struct gen_flow_code *c, struct wt_flow *f,
                    const struct wt_insn_operands *o, bool is_bytes, value *reg)
{
    value v = c->number;
    if (is_bytes)
        v = wt_flow_sum(f, v, wt_flow_bit(f));
    for (unsigned k = 0; k < o->count; k++) {
        const struct wt_insn_operand *x = &o->list[k];
        const unsigned lanes = x->kind == WT_OPERAND_ROW ? o->lanes : 1;
        if (!x->writes || x->file != GEN_FILE_R)
            continue;
        for (unsigned i = 0; i < lanes && x->kind == WT_OPERAND_ROW; i++)
            write(c, f, reg + ON, x->number + i * x->step / 8, x->bits / 8, v);
    }
}

static void send(struct gen_flow_code *c, struct wt_flow *f, const struct gen_insn *insn,
                 value *reg, struct wt_flow_step *s)
{
    const unsigned response = insn->desc >> 20 & 31, first = insn->dst.reg * GEN_GRF_BYTES;
    struct gen_message_shape shape = {.loads = false};
    struct wt_insn_operands o;
    const bool is_known = !insn->desc_in_register && !insn->exdesc_in_register &&
                          !insn->dst.indirect && gen_operands(insn, NULL, NULL, &o);
    const enum gen_message_form form =
        is_known ? gen_message_shape(insn->exdesc & 15, insn->desc, &shape) : GEN_MESSAGE_OTHER;
    for (unsigned i = 0; form == GEN_MESSAGE_SCATTERED && i < o.count; i++)
        if (o.list[i].kind == WT_OPERAND_ROW && o.list[i].aside) {
            const value v = addresses(c, f, reg, &o.list[i], o.lanes),
                        bytes = wt_flow_product(f, v, wt_flow_constant(f, shape.unit));
            s->address[s->accesses++] = based(c, f, insn->desc, shape.wide_addresses, bytes);
            break;
        }
    if (!is_known) {
        forget(c, f, reg);
        return;
    }
    for (unsigned i = 0; insn->dst.file == GEN_GRF && i < response * GEN_GRF_BYTES; i += 2)
        write(c, f, reg + ON, first + i, 2, c->number);
    if (form == GEN_MESSAGE_SCATTERED)
        respond(c, f, &o, shape.stored == 1, reg);
}

/* ---- control ---- */

static void jump(struct wt_flow_step *s, uint64_t pc, int32_t offset)
{
    s->branches = true;
    s->target = pc + (uint64_t)(int64_t)offset;
}

/* Where channels go on (flow.c). */
static void flow(struct gen_flow_code *c, struct wt_flow *f, const struct gen_insn *insn,
                 uint64_t pc, value *reg, struct wt_flow_step *s)
{
    enum { WHILE_BYTES = 16 };
    change_channels(f, reg);
    s->loses = insn->sources && insn->src[0].file != GEN_IMMEDIATE && !is(insn, GEN_RET);
    switch ((enum gen_insn_id)(insn->row - gen_rows)) {
    case GEN_IF:
    case GEN_WHILE:
    case GEN_BRD:
        jump(s, pc, insn->jip);
        break;
    case GEN_ELSE:
    case GEN_CONT:
    case GEN_HALT:
    case GEN_GOTO:
        jump(s, pc, insn->uip);
        break;
    case GEN_BREAK:
        jump(s, pc, insn->uip + WHILE_BYTES);
        break;
    case GEN_JMPI:
        jump(s, pc + insn->length, insn->jip);
        s->falls = insn->predicate;
        break;
    case GEN_CALL:
        jump(s, pc, insn->jip);
        forget(c, f, reg);
        break;
    case GEN_RET:
        s->falls = insn->predicate;
        break;
    case GEN_BRC:
    case GEN_CALLA:
        s->loses = true;
        break;
    default:
        break;
    }
}

static bool decode(struct gen_device *d, uint64_t pc, struct gen_insn *insn)
{
    uint8_t bytes[16] = {0};
    const char *why;
    if (!gen_device_read(d, pc, bytes, 16) && !gen_device_read(d, pc, bytes, 8))
        return false;
    const struct gen_word word = {wt_load_le(bytes, 8), wt_load_le(bytes + 8, 8)};
    return gen_decode(&word, insn, &why);
}

static bool step(void *context, struct wt_flow *f, uint64_t pc, value *reg, struct wt_flow_step *s)
{
    struct gen_flow_code *c = context;
    struct gen_insn insn;
    if (!decode(c->device, pc, &insn))
        return false;
    s->bytes = insn.length;
    s->falls = true;
    switch ((enum gen_format)insn.row->format) {
    case GEN_FORMAT_PLAIN:
        s->falls = !is(&insn, GEN_ILLEGAL);
        break;
    case GEN_FORMAT_ONE:
    case GEN_FORMAT_TWO:
    case GEN_FORMAT_THREE:
    case GEN_FORMAT_MATH:
        compute(c, f, &insn, reg);
        break;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        send(c, f, &insn, reg, s);
        s->falls = !(insn.exdesc >> 5 & 1); /* the end of the thread */
        break;
    case GEN_FORMAT_WAIT:
        break;
    default:
        flow(c, f, &insn, pc, reg, s);
        break;
    }
    return true;
}

/* The constant as judges have addresses: of shared local memory it is an offset. */
static int64_t settled(struct gen_device *d, const struct wt_origin *o)
{
    const uint64_t address = (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1;
    struct gen_message_shape shape;
    struct gen_insn insn;
    const bool is_local =
        decode(d, o->pc, &insn) && (insn.desc & 0xff) == GEN_BTI_SLM &&
        gen_message_shape(insn.exdesc & 15, insn.desc, &shape) == GEN_MESSAGE_SCATTERED &&
        !shape.wide_addresses;
    return is_local ? wt_sign_extend((uint64_t)o->constant & GEN_SLM_OFFSET, 28)
                    : (int64_t)((uint64_t)o->constant & address);
}

struct wt_origin *gen_origins(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t end,
                              size_t *count)
{
    static const struct wt_flow_family family = {
        .registers = REGISTERS, .stack = WT_ORIGIN_NO_BASE, .begin = begin, .step = step};
    struct gen_device *d = (struct gen_device *)m;
    struct gen_flow_code c = {.device = d, .thread = &d->thread[wave]};
    struct wt_origin *list = wt_origins_find(&family, &c, first, end, count);
    for (size_t i = 0; i < *count; i++)
        list[i].constant = settled(d, &list[i]);
    return list;
}
