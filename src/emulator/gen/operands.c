/* The operands of an instruction, by its row (isa.def), its regions and its message. */
#include "emulator/gen/operands.h"

#include "base/bits.h"

#include <stdio.h>
#include <string.h>

#include "emulator/gen/message.h"

typedef struct wt_insn_operands list;

/* An instruction whose operands are being listed. */
struct gen_listing {
    list *o;
    const struct gen_insn *insn;
    gen_address_fn *address;
    const void *context;
    int only; /* the channel that alone has results; -1: several may */
    bool complete;
};

static bool is(const struct gen_insn *insn, enum gen_insn_id id)
{
    return insn->row == &gen_rows[id];
}

static struct wt_insn_operand *put(struct gen_listing *l, enum wt_operand_kind kind,
                                   enum gen_operand_file file, unsigned byte, unsigned bytes,
                                   bool writes)
{
    return wt_operands_add(l->o, (struct wt_insn_operand){.kind = kind,
                                                          .reads = !writes,
                                                          .writes = writes,
                                                          .file = (uint8_t)file,
                                                          .bits = (uint16_t)(8 * bytes),
                                                          .number = (uint16_t)byte});
}

/* Bytes of registers as a whole, whatever channels are enabled. */
static struct wt_insn_operand *put_whole(struct gen_listing *l, enum gen_operand_file file,
                                         unsigned byte, unsigned bytes, bool writes)
{
    return put(l, WT_OPERAND_SCALAR, file, byte, bytes, writes);
}

static void put_aside(struct gen_listing *l, enum gen_operand_file file, unsigned byte,
                      unsigned bytes)
{
    put_whole(l, file, byte, bytes, false)->aside = true;
}

/* ---- regions ---- */

/* Where an address register leads; false: it is not known, or outside the registers. */
static bool follow(struct gen_listing *l, const struct gen_operand *o, unsigned subreg,
                   unsigned *byte)
{
    uint16_t address;
    l->o->indirect = true;
    if (!l->address || !l->address(l->context, subreg, &address)) {
        l->complete = false;
        return false;
    }
    *byte = (unsigned)(address + o->offset);
    return *byte < GEN_REGISTER_FILE;
}

/* The file and the first byte of an operand in it; false: it is none, or not known. */
static bool place_of(struct gen_listing *l, const struct gen_operand *o,
                     enum gen_operand_file *file, unsigned *byte)
{
    *file = GEN_FILE_R;
    if (o->indirect) {
        put_aside(l, GEN_FILE_A, 2 * (o->subreg & 15), 2);
        return follow(l, o, o->subreg, byte);
    }
    *byte = o->subreg;
    if (o->file == GEN_GRF) {
        *byte += o->reg * GEN_GRF_BYTES;
        return true;
    }
    switch ((enum gen_arf)(o->reg >> 4)) {
    case GEN_ARF_NULL:
        return false;
    case GEN_ARF_ACC:
        *file = GEN_FILE_ACC;
        *byte += (o->reg & 15u) * GEN_GRF_BYTES;
        return true;
    case GEN_ARF_A:
        *file = GEN_FILE_A;
        return true;
    case GEN_ARF_F:
        *file = GEN_FILE_F;
        *byte += (o->reg & 15u) * 4;
        return true;
    default:
        *file = GEN_FILE_STATE;
        *byte = o->reg;
        return true;
    }
}

/* A region whose rows begin where address registers say. */
static void put_rows(struct gen_listing *l, const struct gen_operand *o)
{
    const unsigned elements = l->insn->exec_size < o->width ? l->insn->exec_size : o->width;
    unsigned byte;
    put_aside(l, GEN_FILE_A, 0, GEN_GRF_BYTES);
    for (unsigned i = 0; i * o->width < l->insn->exec_size; i++)
        if (follow(l, o, o->subreg + i, &byte))
            put_whole(l, GEN_FILE_R, byte,
                      ((elements - 1) * o->hstride + 1) * gen_type_size(o->type), false)
                ->value = i;
}

/* The number that an immediate is; floats and packed vectors as they are encoded. A word stands in
 * both halves of its dword. */
static int64_t number_of(const struct gen_operand *o)
{
    const bool plain = o->type < GEN_UV && !gen_type_is_float(o->type);
    const unsigned bits = o->type < GEN_UV ? 8 * gen_type_size(o->type) : 32;
    if (plain && gen_type_is_signed(o->type))
        return wt_sign_extend(o->immediate, bits);
    return (int64_t)(o->immediate & wt_low_bits(bits));
}

static bool mixes_channels(const struct gen_insn *insn)
{
    return is(insn, GEN_DP4) || is(insn, GEN_DPH) || is(insn, GEN_DP3) || is(insn, GEN_DP2) ||
           is(insn, GEN_SAD2) || is(insn, GEN_SADA2);
}

bool gen_reads_accumulator(const struct gen_insn *insn)
{
    return is(insn, GEN_MAC) || is(insn, GEN_MACH) || is(insn, GEN_SADA2);
}

/* The only channel that has results: smov's, and that of Align16's write mask (`mad (4|M0)
 * r126.0<1>.x:f` is how Intel's compiler computes with what all channels share); -1: there are
 * more, or it is not looked for. */
static int only_channel(const struct gen_insn *insn)
{
    const bool moves = is(insn, GEN_SMOV);
    const uint32_t all = UINT32_MAX >> (32 - insn->exec_size),
                   mask = all & (moves ? (uint32_t)insn->src[1].immediate
                                       : gen_written_channels(&insn->dst));
    if (moves == insn->align16 || insn->accumulate || insn->row->format == GEN_FORMAT_MATH ||
        mixes_channels(insn) || gen_reads_accumulator(insn) || is(insn, GEN_LINE) ||
        is(insn, GEN_PLN) || !mask || mask & (mask - 1))
        return -1;
    return __builtin_ctz(mask);
}

/* An operand of one channel begins with its element. */
static void begin_with(struct gen_listing *l, struct wt_insn_operand *x, unsigned element)
{
    if (l->only < 0)
        return;
    x->number +=
        (x->row ? element / x->row * x->row_step + element % x->row * x->step : element * x->step) /
        8;
    x->crosses = false;
}

/* The elements of a source lie as its region says; those that a swizzle mixes cross channels. */
static void put_source(struct gen_listing *l, unsigned index)
{
    const struct gen_operand *o = &l->insn->src[index];
    const unsigned size = gen_type_size(o->type);
    enum gen_operand_file file;
    unsigned byte;
    if (o->file == GEN_IMMEDIATE) {
        wt_operands_add_constant(l->o, number_of(o));
        return;
    }
    if (o->vstride == GEN_STRIDE_VXH && !l->insn->align16) {
        put_rows(l, o);
        return;
    }
    if (!place_of(l, o, &file, &byte))
        return;
    if (file == GEN_FILE_STATE) {
        put(l, WT_OPERAND_SCALAR, file, byte, 4, false)->aside = true;
        return;
    }
    struct wt_insn_operand *x = put(l, WT_OPERAND_ROW, file, byte, size, false);
    x->type = gen_type_is_float(o->type)    ? WT_OPERAND_FLOAT
              : gen_type_is_signed(o->type) ? WT_OPERAND_SIGNED
                                            : WT_OPERAND_UNSIGNED;
    if (o->replicate)
        return;
    if (l->insn->align16) {
        x->step = (uint16_t)(8 * size);
        x->row = 4;
        x->row_step = (uint16_t)(8 * size * o->vstride);
        x->crosses = o->swizzle != GEN_SWIZZLE_XYZW;
        if (l->only >= 0 || (x->crosses && size == 8)) /* its groups of two lie side by side */
            x->row = 0;
        begin_with(l, x, gen_swizzled(o, (unsigned)l->only & 31));
        return;
    }
    x->step = (uint16_t)(8 * size * o->hstride);
    x->row = o->width;
    x->row_step = (uint16_t)(8 * size * o->vstride);
    begin_with(l, x, (unsigned)l->only);
}

/* Whether a predicate may leave channels out, which then keep what they have. */
static bool is_predicated(const struct gen_insn *insn)
{
    return insn->predicate && !is(insn, GEN_SEL);
}

/* … or something else may. */
static bool leaves_out(const struct gen_listing *l)
{
    const struct gen_insn *insn = l->insn;
    return l->only < 0 && (is(insn, GEN_SMOV) || is(insn, GEN_SAD2) || is(insn, GEN_SADA2) ||
                           (insn->align16 && (insn->dst.swizzle & 15) != 15));
}

/* A row in acc0 and acc1, an element a channel. */
static struct wt_insn_operand *put_accumulator(struct gen_listing *l, bool writes)
{
    const enum gen_type type = (enum gen_type)l->insn->dst.type;
    const unsigned size = gen_type_size(type), read = size < 4                  ? 2
                                                      : gen_type_is_float(type) ? size
                                                                                : 4;
    struct wt_insn_operand *x =
        put(l, WT_OPERAND_ROW, GEN_FILE_ACC, 0, writes ? size : read, writes);
    x->step = x->bits;
    if (writes) { /* channels beyond acc1 have none; */
        x->keeps = is_predicated(l->insn);
        x->reads = leaves_out(l) || l->insn->exec_size * size > 2 * GEN_GRF_BYTES;
    } else { /* … they read the first ones' */
        x->row = (uint8_t)(2 * 8 * GEN_GRF_BYTES / x->bits);
    }
    return x;
}

static struct wt_insn_operand *put_flags(struct gen_listing *l, unsigned flag, bool writes)
{
    struct wt_insn_operand *x = put_whole(l, GEN_FILE_F, 2u * flag, 2, writes);
    x->by_lane = true;
    return x;
}

/* The flags that a condition sets. */
static void put_kept_flags(struct gen_listing *l)
{
    struct wt_insn_operand *x = put_flags(l, l->insn->flag, true);
    x->reads = leaves_out(l);
    x->keeps = is_predicated(l->insn);
}

/* Flags of other channels, too, decide where the predicate is any or all of several. */
static void put_predicate(struct gen_listing *l)
{
    const struct gen_insn *insn = l->insn;
    const bool vertical = !insn->align16 && (insn->predicate == 2 || insn->predicate == 3);
    const bool chooses = is(insn, GEN_SEL);
    if (!insn->predicate)
        return;
    const unsigned first = l->o->count;
    if (insn->predicate == 1 || vertical) {
        put_flags(l, insn->flag, false);
        if (vertical)
            put_flags(l, insn->flag ^ 2, false);
    } else {
        put_whole(l, GEN_FILE_F, insn->flag / 2 * 4u, 4, false);
    }
    for (unsigned i = first; i < l->o->count; i++)
        l->o->list[i].aside = !chooses; /* else it says which channels are written */
}

static void put_destination(struct gen_listing *l)
{
    const struct gen_insn *insn = l->insn;
    const struct gen_operand *o = &insn->dst;
    const unsigned size = gen_type_size(o->type);
    enum gen_operand_file file;
    unsigned byte;
    if (!place_of(l, o, &file, &byte))
        return;
    if (file == GEN_FILE_STATE) {
        put(l, WT_OPERAND_SCALAR, file, byte, 4, true)->reads = true;
        return;
    }
    struct wt_insn_operand *x = put(l, WT_OPERAND_ROW, file, byte, size, true);
    x->step = (uint16_t)(8 * size * (insn->align16 ? 1u : o->hstride));
    x->reads = leaves_out(l);
    x->keeps = is_predicated(insn);
    begin_with(l, x, (unsigned)l->only);
}

/* ---- arithmetic ---- */

/* line and pln: coefficients, of which line has the first and the last; and values, of which pln
 * has u and v in turn, a register each. */
static void put_plane(struct gen_listing *l)
{
    const struct gen_operand *a = &l->insn->src[0], *b = &l->insn->src[1];
    const bool line = is(l->insn, GEN_LINE);
    const unsigned first = a->reg * GEN_GRF_BYTES + (a->subreg & ~15u);
    for (unsigned i = 0; i < 4; i++)
        if (i != 2 && !(line && i == 1))
            put_whole(l, GEN_FILE_R, (first + 4 * i) % GEN_REGISTER_FILE, 4, false);
    if (line)
        put_source(l, 1);
    for (unsigned i = 0; i < 2 && !line; i++) {
        struct wt_insn_operand *x = put(l, WT_OPERAND_ROW, GEN_FILE_R,
                                        (b->reg + i) * GEN_GRF_BYTES % GEN_REGISTER_FILE, 4, false);
        x->step = 32;
        x->row = 8;
        x->row_step = 2 * 8 * GEN_GRF_BYTES;
    }
}

static void put_arithmetic(struct gen_listing *l)
{
    const struct gen_insn *insn = l->insn;
    const bool math = insn->row->format == GEN_FORMAT_MATH;
    l->only = only_channel(insn);
    if (l->only >= 0) {
        l->o->first_lane = (uint8_t)(l->o->first_lane + l->only);
        l->o->lanes = 1;
    }
    put_destination(l);
    if (math && insn->condition == GEN_MATH_IDIV && insn->dst.file == GEN_GRF &&
        !insn->dst.indirect) {
        const unsigned registers = (insn->exec_size * 4u + GEN_GRF_BYTES - 1) / GEN_GRF_BYTES;
        struct wt_insn_operand *x = put(l, WT_OPERAND_ROW, GEN_FILE_R,
                                        (insn->dst.reg + registers) * GEN_GRF_BYTES, 4, true);
        x->step = 32;
        x->keeps = insn->predicate;
    }
    if (insn->accumulate)
        put_accumulator(l, true);
    const bool compares = !math && insn->condition && !is(insn, GEN_SEL) && !is(insn, GEN_CSEL);
    const bool begins =
        math && (insn->condition == GEN_MATH_INVM || insn->condition == GEN_MATH_RSQTM);
    if (compares || begins || is(insn, GEN_CMP) || is(insn, GEN_CMPN))
        put_kept_flags(l);
    const unsigned first = l->o->count;
    if (is(insn, GEN_LINE) || is(insn, GEN_PLN))
        put_plane(l);
    else
        for (unsigned i = 0; i < insn->sources; i++)
            put_source(l, i);
    if (gen_reads_accumulator(insn))
        put_accumulator(l, false);
    for (unsigned i = first; i < l->o->count && mixes_channels(insn); i++)
        l->o->list[i].crosses |= l->o->list[i].kind == WT_OPERAND_ROW;
    put_predicate(l);
}

/* ---- messages ---- */

/* A value of each lane in registers from a byte on, `bytes` of it `step` bytes apart. */
static struct wt_insn_operand *put_lanes(struct gen_listing *l, unsigned byte, unsigned bytes,
                                         unsigned step, bool writes)
{
    struct wt_insn_operand *x = put(l, WT_OPERAND_ROW, GEN_FILE_R, byte, bytes, writes);
    x->step = (uint16_t)(8 * step);
    return x;
}

static void put_memory(struct gen_listing *l, bool reads, bool writes)
{
    wt_operands_add(l->o, (struct wt_insn_operand){.kind = WT_OPERAND_MEMORY,
                                                   .reads = reads,
                                                   .writes = writes,
                                                   .file = GEN_FILE_MEMORY});
}

/* Where the registers of a message are. */
struct payload {
    unsigned first, second, registers, more; /* bytes, and how many registers there are */
    unsigned response, back;                 /* likewise, of the response; back 0: there is none */
    bool header;
};

static bool find_payload(struct gen_listing *l, uint32_t desc, uint32_t exdesc, struct payload *p)
{
    const struct gen_insn *insn = l->insn;
    enum gen_operand_file file;
    *p = (struct payload){.registers = desc >> 25 & 15,
                          .more = insn->row->format == GEN_FORMAT_SENDS ? exdesc >> 6 & 15 : 0,
                          .back = desc >> 20 & 31,
                          .header = desc >> 19 & 1};
    if (p->registers && !place_of(l, &insn->src[0], &file, &p->first))
        return false;
    if (p->more && !place_of(l, &insn->src[1], &file, &p->second))
        return false;
    if (insn->dst.file != GEN_GRF && !insn->dst.indirect)
        p->back = 0;
    if (p->back && !place_of(l, &insn->dst, &file, &p->response))
        return false;
    p->first &= ~(GEN_GRF_BYTES - 1u);
    p->second &= ~(GEN_GRF_BYTES - 1u);
    p->response &= ~(GEN_GRF_BYTES - 1u);
    return p->first + p->registers * GEN_GRF_BYTES <= GEN_REGISTER_FILE &&
           p->second + p->more * GEN_GRF_BYTES <= GEN_REGISTER_FILE &&
           p->response + p->back * GEN_GRF_BYTES <= GEN_REGISTER_FILE;
}

/* Scattered and untyped accesses: addresses of the lanes, then the elements, one behind the other.
 */
static void put_scattered(struct gen_listing *l, const struct payload *p,
                          const struct gen_message_shape *s)
{
    const unsigned width = s->wide_addresses ? 8 : 4, block = s->lanes * s->slot,
                   padded = block < GEN_GRF_BYTES ? GEN_GRF_BYTES : block,
                   head = (p->header ? GEN_GRF_BYTES : 0) + s->lanes * width;
    const unsigned data = p->more ? p->second : p->first + head;
    l->o->lanes = (uint8_t)(s->lanes < l->insn->exec_size ? s->lanes : l->insn->exec_size);
    for (unsigned k = 0; s->loads && p->back && k < s->elements; k++)
        put_lanes(l, p->response + k * padded, s->slot, s->slot, true)->keeps = l->insn->predicate;
    put_lanes(l, p->first + (p->header ? GEN_GRF_BYTES : 0), width, width, false)->aside = true;
    for (unsigned k = 0; k < s->sources; k++)
        put_lanes(l, data + k * padded, s->stored, s->slot, false);
    put_memory(l, s->loads || s->changes, !s->loads || s->changes);
}

/* Blocks: whole registers, whatever channels are enabled. */
static void put_block(struct gen_listing *l, const struct payload *p,
                      const struct gen_message_shape *s)
{
    const unsigned source = p->more ? p->second : p->first + GEN_GRF_BYTES,
                   sent = (p->more ? p->more : p->registers - 1) * GEN_GRF_BYTES;
    unsigned bytes = s->block;
    if (!s->loads && sent < s->within + bytes)
        bytes = sent > s->within ? sent - s->within : 0;
    if (s->loads)
        put_whole(l, GEN_FILE_R, p->response + s->within, bytes, true)->keeps = l->insn->predicate;
    put_aside(l, GEN_FILE_R, p->first, GEN_GRF_BYTES);
    if (!s->loads && bytes)
        put_whole(l, GEN_FILE_R, source + s->within, bytes, false);
    put_memory(l, s->loads, !s->loads);
}

/* Texels: a register for each coordinate of eight channels, and each component. */
static void put_texels(struct gen_listing *l, const struct payload *p,
                       const struct gen_message_shape *s)
{
    const unsigned first = l->o->first_lane, all = p->registers + p->more;
    const unsigned lanes = s->lanes, each = lanes * 4 / GEN_GRF_BYTES,
                   given = lanes * s->slot / GEN_GRF_BYTES;
    const unsigned exec = l->insn->exec_size;
    if (exec <= s->first_lane) /* the message is for channels that the instruction has not */
        return;
    l->o->first_lane = (uint8_t)(first + s->first_lane);
    l->o->lanes = (uint8_t)(lanes < exec - s->first_lane ? lanes : exec - s->first_lane);
    for (unsigned k = 0; s->loads && k < s->elements && (k + 1) * given <= p->back; k++)
        put_lanes(l, p->response + k * given * GEN_GRF_BYTES, s->slot, s->slot, true)->keeps =
            l->insn->predicate;
    for (unsigned r = p->header; r + each <= all; r += each) {
        const unsigned at = r < p->registers ? p->first + r * GEN_GRF_BYTES
                                             : p->second + (r - p->registers) * GEN_GRF_BYTES;
        const bool data = r + s->sources * each >= all;
        put_lanes(l, at, 4, 4, false)->aside = !data;
    }
    if (p->header)
        put_aside(l, GEN_FILE_R, p->first, GEN_GRF_BYTES);
    put_memory(l, s->loads || s->changes, !s->loads || s->changes);
}

static bool descriptor(struct gen_listing *l, unsigned subreg, uint32_t *value)
{
    uint16_t low, high;
    l->o->indirect = true;
    put_aside(l, GEN_FILE_A, 4 * subreg, 4);
    if (!l->address || !l->address(l->context, 2 * subreg, &low) ||
        !l->address(l->context, 2 * subreg + 1, &high))
        return false;
    *value = low | (uint32_t)high << 16;
    return true;
}

static void put_message(struct gen_listing *l)
{
    const struct gen_insn *insn = l->insn;
    uint32_t desc = insn->desc, exdesc = insn->exdesc, value;
    struct gen_message_shape s;
    struct payload p;
    put_predicate(l);
    bool known = true;
    l->o->any_lane = true;
    if (insn->desc_in_register)
        known = descriptor(l, 0, &desc);
    if (known && insn->exdesc_in_register && (known = descriptor(l, insn->exdesc_subreg, &value)))
        exdesc = (value & ~UINT32_C(0x20)) | (exdesc & 0x20);
    if (!known) {
        l->complete = false;
        return;
    }
    if (!find_payload(l, desc, exdesc, &p))
        return;
    switch (gen_message_shape(exdesc & 15, desc, &s)) {
    case GEN_MESSAGE_SCATTERED:
        put_scattered(l, &p, &s);
        break;
    case GEN_MESSAGE_BLOCK:
        if (p.registers)
            put_block(l, &p, &s);
        break;
    case GEN_MESSAGE_TEXELS:
        put_texels(l, &p, &s);
        break;
    case GEN_MESSAGE_OTHER:
        break;
    }
}

/* ---- control ---- */

static void put_control(struct gen_listing *l)
{
    const struct gen_insn *insn = l->insn;
    if (insn->row->format == GEN_FORMAT_CALL && insn->dst.file == GEN_GRF)
        put_whole(l, GEN_FILE_R, insn->dst.reg * GEN_GRF_BYTES + (insn->dst.subreg & ~7u), 8, true)
            ->reads = true; /* it stays where no channel calls */
    enum gen_operand_file file;
    unsigned byte;
    if (insn->sources && insn->src[0].file != GEN_IMMEDIATE &&
        place_of(l, &insn->src[0], &file, &byte)) /* one target, of brc two */
        put_aside(l, file, byte, gen_type_size(insn->src[0].type) + (is(insn, GEN_BRC) ? 4 : 0));
    if (!is(insn, GEN_ELSE) && !is(insn, GEN_ENDIF) && !is(insn, GEN_JOIN))
        put_predicate(l);
}

bool gen_operands(const struct gen_insn *insn, gen_address_fn *address, const void *context,
                  struct wt_insn_operands *o)
{
    struct gen_listing l = {
        .only = -1, .o = o, .insn = insn, .address = address, .context = context, .complete = true};
    *o = (struct wt_insn_operands){
        .first_lane = insn->channel, .lanes = insn->exec_size, .unmasked = insn->no_mask};
    switch ((enum gen_format)insn->row->format) {
    case GEN_FORMAT_PLAIN:
        break;
    case GEN_FORMAT_ONE:
    case GEN_FORMAT_TWO:
    case GEN_FORMAT_THREE:
    case GEN_FORMAT_MATH:
        put_arithmetic(&l);
        break;
    case GEN_FORMAT_SEND:
    case GEN_FORMAT_SENDS:
        put_message(&l);
        break;
    default:
        put_control(&l);
        break;
    }
    return l.complete;
}

/* ---- names ---- */

const struct wt_operand_file gen_operand_files[] = {[GEN_FILE_R] = {8, false},
                                                    [GEN_FILE_ACC] = {8, false},
                                                    [GEN_FILE_A] = {8, false},
                                                    [GEN_FILE_F] = {8, false},
                                                    [GEN_FILE_STATE] = {0, false}};

bool gen_find_operand(const char *name, struct wt_insn_operand *o)
{
    unsigned number;
    int end = 0;
    *o = (struct wt_insn_operand){
        .kind = WT_OPERAND_SCALAR, .file = GEN_FILE_R, .bits = 8 * GEN_GRF_BYTES};
    if (!*name)
        return true;
    if (sscanf(name, "r%u%n", &number, &end) == 1 && !name[end] && number < GEN_GRFS) {
        o->number = (uint16_t)(number * GEN_GRF_BYTES);
        return true;
    }
    if (sscanf(name, "acc%u%n", &number, &end) == 1 && !name[end] && number < GEN_ACCS) {
        o->file = GEN_FILE_ACC;
        o->number = (uint16_t)(number * GEN_GRF_BYTES);
        return true;
    }
    if (!strcmp(name, "a0")) {
        o->file = GEN_FILE_A;
        return true;
    }
    if (!strcmp(name, "f0") || !strcmp(name, "f1")) {
        o->file = GEN_FILE_F;
        o->number = name[1] == '1' ? 4 : 0;
        o->bits = 32;
        return true;
    }
    return false;
}

void gen_operand_name(const struct wt_insn_operand *x, char *text, size_t size)
{
    static const char *const states[16] = {
        [GEN_ARF_CE] = "ce",  [GEN_ARF_MSG] = "msg", [GEN_ARF_SP] = "sp",   [GEN_ARF_SR] = "sr0",
        [GEN_ARF_CR] = "cr0", [GEN_ARF_N] = "n0",    [GEN_ARF_IP] = "ip",   [GEN_ARF_TDR] = "tdr0",
        [GEN_ARF_TM] = "tm0", [GEN_ARF_FC] = "fc",   [GEN_ARF_DBG] = "dbg0"};
    const unsigned byte = x->number % GEN_GRF_BYTES, reg = x->number / GEN_GRF_BYTES,
                   last = (x->number + (x->bits + 7u) / 8 - 1) / GEN_GRF_BYTES;
    if (x->kind == WT_OPERAND_MEMORY)
        snprintf(text, size, "memory");
    else if (x->file == GEN_FILE_STATE)
        snprintf(text, size, "%s", states[x->number >> 4 & 15] ? states[x->number >> 4 & 15] : "?");
    else if (x->file == GEN_FILE_F)
        snprintf(text, size, "f%u.%u", x->number / 4, x->number / 2 % 2);
    else if (x->file == GEN_FILE_A)
        snprintf(text, size, "a0.%u", x->number / 2);
    else if (x->kind == WT_OPERAND_SCALAR && last > reg)
        snprintf(text, size, "r%u to r%u", reg, last);
    else
        snprintf(text, size, byte ? "%s%u from byte %u on" : "%s%u",
                 x->file == GEN_FILE_R ? "r" : "acc", reg, byte);
}
