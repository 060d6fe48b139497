/*
 * The common part of arithmetic instructions: channel enables, predicates and flags, loading
 * sources into rows, storing results with saturation and conversion (Skylake PRM volume 7, "EU
 * Execution Environment" and "Numeric Data Type Conversions").
 */
#include "emulator/gen/internal.h"

#include <math.h>
#include <string.h>

static uint32_t first_bits(unsigned n)
{
    return n >= 32 ? UINT32_MAX : ((uint32_t)1 << n) - 1;
}

/* ---- masks ---- */

/* The flags of an instruction's first flag register, from its subregister on: 32 bits, round. */
static uint32_t flag_bits(const struct gen_thread *t, unsigned flag)
{
    const uint32_t f = t->g->f[flag >> 1];
    return flag & 1 ? f >> 16 | f << 16 : f;
}

/* For each group of `size` channels: whether any of its bits is set, or all are. */
static uint32_t horizontal(uint32_t bits, unsigned size, bool all)
{
    uint32_t result = 0;
    for (unsigned at = 0; at < 32; at += size) {
        const uint32_t group = first_bits(size) << at;
        if (all ? (bits & group) == group : bits & group)
            result |= group;
    }
    return result;
}

/* Align16: one channel of each group of four decides for all. */
static uint32_t spread_channel(uint32_t bits, unsigned channel)
{
    const uint32_t chosen = bits >> channel & 0x11111111;
    return chosen | chosen << 1 | chosen << 2 | chosen << 3;
}

uint32_t gen_predicate(const struct gen_thread *t, const struct gen_insn *insn)
{
    const unsigned control = insn->predicate;
    uint32_t bits = flag_bits(t, insn->flag);
    if (!control)
        return UINT32_MAX;
    if (insn->align16 && control >= 2) {
        bits = control < 6 ? spread_channel(bits, control - 2) : horizontal(bits, 4, control == 7);
    } else if (control == 2 || control == 3) { /* anyv, allv: the same place of f0 and f1 */
        const uint32_t other = flag_bits(t, insn->flag ^ 2);
        bits = control == 2 ? bits | other : bits & other;
    } else if (control >= 4) {
        bits = horizontal(bits, 1u << (control / 2 - 1), control % 2);
    }
    if (insn->predicate_inverted)
        bits = ~bits;
    return bits >> insn->channel;
}

uint32_t gen_unpredicated(const struct gen_thread *t, const struct gen_insn *insn)
{
    const uint32_t enabled = insn->no_mask ? UINT32_MAX : t->mask;
    return enabled >> insn->channel & first_bits(insn->exec_size);
}

uint32_t gen_enabled(const struct gen_thread *t, const struct gen_insn *insn)
{
    const uint32_t on = gen_unpredicated(t, insn);
    return insn->predicate ? on & gen_predicate(t, insn) : on;
}

void gen_set_flags(struct gen_thread *t, const struct gen_insn *insn, uint32_t on, uint32_t bits)
{
    uint32_t *f = &t->g->f[insn->flag >> 1];
    const unsigned by = (insn->channel + (insn->flag & 1) * 16) % 32;
    const uint32_t mask = by ? on << by | on >> (32 - by) : on;
    const uint32_t set = by ? bits << by | bits >> (32 - by) : bits;
    *f = (*f & ~mask) | (set & mask);
}

/* ---- sources ---- */

/* A value of any register type as the domain has it; floats are handled apart. */
static int64_t integer_at(const uint8_t *at, enum gen_type type)
{
    const unsigned size = gen_type_size(type);
    const uint64_t bits = wt_load_le(at, size);
    return gen_type_is_signed(type) ? wt_sign_extend(bits, size * 8) : (int64_t)bits;
}

static float float_at(const struct gen_alu *x, const uint8_t *at, enum gen_type type)
{
    struct wt_fp fp = x->fp;
    const uint64_t bits = wt_load_le(at, gen_type_size(type));
    uint32_t single;
    float value;
    if (type == GEN_HF)
        single = wt_f16_to_f32((uint16_t)bits, &fp);
    else if (type == GEN_F)
        single = (uint32_t)bits;
    else
        return (float)integer_at(at, type);
    memcpy(&value, &single, sizeof value);
    return value;
}

static double double_at(const struct gen_alu *x, const uint8_t *at, enum gen_type type)
{
    const uint64_t bits = wt_load_le(at, gen_type_size(type));
    double value;
    if (type != GEN_DF)
        return gen_type_is_float(type) ? (double)float_at(x, at, type)
                                       : (double)integer_at(at, type);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The packed immediates: eight elements, over and over. v and uv are eight words, of which an
 * element of the destination gets the one at its own place: where it has 32 bits, every second one.
 * Intel's compiler counts on that (mov (2) r7.0<1>:ud 0x400:uv makes 0 and 4). */
static void unpack(const struct gen_operand *o, const struct gen_operand *dst, unsigned n,
                   enum gen_domain domain, union gen_values *row)
{
    const unsigned stride = gen_type_size(dst->type) * (dst->hstride ? dst->hstride : 1);
    const unsigned step = stride > 2 ? stride / 2 : 1;
    for (unsigned i = 0; i < n; i++) {
        const unsigned nibble = o->immediate >> (4 * (i * step % 8)) & 15;
        const unsigned byte = o->immediate >> (8 * (i % 4)) & 0xff;
        /* vf: sign, three bits of exponent with bias 3, four of fraction; zero if all are. */
        const float real = !(byte & 0x7f)
                               ? (byte & 0x80 ? -0.0f : 0.0f)
                               : ldexpf(1.0f + (float)(byte & 15) / 16, (int)(byte >> 4 & 7) - 3) *
                                     (byte & 0x80 ? -1.0f : 1.0f);
        const int32_t whole = o->type == GEN_V ? (int32_t)(nibble ^ 8) - 8 : (int32_t)nibble;
        switch (domain) {
        case GEN_INT32:
            row->d[i] = whole;
            break;
        case GEN_INT64:
            row->q[i] = whole;
            break;
        case GEN_FLOAT:
            row->f[i] = o->type == GEN_VF ? real : (float)whole;
            break;
        case GEN_DOUBLE:
            row->df[i] = o->type == GEN_VF ? (double)real : (double)whole;
            break;
        }
    }
}

static void fill(struct gen_alu *x, const uint8_t *file, const uint16_t *at, enum gen_type type,
                 union gen_values *row)
{
    const unsigned n = x->n;
    switch (x->domain) {
    case GEN_INT32:
        if (type == GEN_D || type == GEN_UD)
            for (unsigned i = 0; i < n; i++)
                memcpy(&row->d[i], file + at[i], 4);
        else
            for (unsigned i = 0; i < n; i++)
                row->d[i] = (int32_t)integer_at(file + at[i], type);
        break;
    case GEN_INT64:
        for (unsigned i = 0; i < n; i++)
            row->q[i] = integer_at(file + at[i], type);
        break;
    case GEN_FLOAT:
        if (type == GEN_F)
            for (unsigned i = 0; i < n; i++)
                memcpy(&row->f[i], file + at[i], 4);
        else
            for (unsigned i = 0; i < n; i++)
                row->f[i] = float_at(x, file + at[i], type);
        break;
    case GEN_DOUBLE:
        for (unsigned i = 0; i < n; i++)
            row->df[i] = double_at(x, file + at[i], type);
        break;
    }
}

/* Of floats both are of the sign bit alone. */
void gen_modify(const struct gen_alu *x, const struct gen_operand *o, union gen_values *row)
{
    const unsigned opcode = x->u->insn.row->opcode;
    const bool complement =
        opcode >= gen_rows[GEN_NOT].opcode && opcode <= gen_rows[GEN_XOR].opcode;
    for (unsigned i = 0; i < x->n; i++) {
        switch (x->domain) {
        case GEN_INT32:
            if (o->absolute && row->d[i] < 0)
                row->ud[i] = 0u - row->ud[i];
            if (o->negate)
                row->ud[i] = complement ? ~row->ud[i] : 0u - row->ud[i];
            break;
        case GEN_INT64:
            if (o->absolute && row->q[i] < 0)
                row->uq[i] = UINT64_C(0) - row->uq[i];
            if (o->negate)
                row->uq[i] = complement ? ~row->uq[i] : UINT64_C(0) - row->uq[i];
            break;
        case GEN_FLOAT:
            if (o->absolute)
                row->ud[i] &= 0x7fffffff;
            if (o->negate)
                row->ud[i] ^= 0x80000000;
            break;
        case GEN_DOUBLE:
            if (o->absolute)
                row->uq[i] &= INT64_MAX;
            if (o->negate)
                row->uq[i] ^= (uint64_t)1 << 63;
            break;
        }
    }
}

/* Whether rows of elements lie side by side, so that registers themselves can be the row. */
static bool is_linear(const struct gen_operand *o, unsigned n)
{
    return o->hstride == 1 && !o->replicate && (o->width >= n || o->vstride == o->width);
}

/* The elements of a source as a row: the registers' own bytes, or `row` filled with them. */
static bool load(struct gen_alu *x, unsigned index, union gen_values *row, const void **out)
{
    struct gen_thread *t = x->t;
    const struct gen_insn *insn = &x->u->insn;
    const struct gen_operand *o = &insn->src[index];
    const unsigned n = x->n, size = gen_type_size(o->type);
    const uint8_t *file = t->g->r;
    uint16_t at[GEN_CHANNELS];
    *out = row;
    if (o->file == GEN_IMMEDIATE && o->type >= GEN_UV) {
        unpack(o, &insn->dst, n, x->domain, row);
        return true;
    }
    const bool plain = !o->negate && !o->absolute && !x->soft;
    const bool same = x->domain == GEN_INT32   ? o->type == GEN_D || o->type == GEN_UD
                      : x->domain == GEN_INT64 ? o->type == GEN_Q || o->type == GEN_UQ
                      : x->domain == GEN_FLOAT ? o->type == GEN_F
                                               : o->type == GEN_DF;
    if (o->file == GEN_IMMEDIATE) {
        uint8_t bytes[8];
        wt_store_le(bytes, o->immediate, 8);
        memset(at, 0, n * sizeof *at);
        fill(x, bytes, at, o->type, row);
    } else if (o->file == GEN_GRF && !o->indirect && plain && same &&
               (!insn->align16 || o->swizzle == 0xe4) && is_linear(o, n) && o->subreg % size == 0 &&
               o->reg * GEN_GRF_BYTES + o->subreg + n * size <= GEN_REGISTER_FILE) {
        *out = file + o->reg * GEN_GRF_BYTES + o->subreg;
        return true;
    } else {
        unsigned room = GEN_REGISTER_FILE;
        if (!gen_region(t, o, insn->align16, false, n, at))
            return false;
        if (o->file == GEN_ARF && !o->indirect) {
            if (!(file = gen_arf(t, o->reg, &room)))
                return false;
            if (o->reg >> 4 == GEN_ARF_NULL)
                memset(at, 0, n * sizeof *at);
            for (unsigned i = 0; i < n; i++)
                if (at[i] + size > room)
                    return false;
        }
        fill(x, file, at, o->type, row);
    }
    if (o->negate || o->absolute)
        gen_modify(x, o, row);
    return true;
}

/* ---- results ---- */

/* The range of an integer type, for saturation. */
static int64_t least(enum gen_type type)
{
    return gen_type_is_signed(type) ? -((int64_t)1 << (gen_type_size(type) * 8 - 1)) : 0;
}

static int64_t most(enum gen_type type)
{
    const unsigned bits = gen_type_size(type) * 8;
    return (int64_t)((UINT64_C(1) << (bits - gen_type_is_signed(type))) - 1);
}

/* A floating-point number as an integer: towards zero, the nearest one if it is out of range, NaN
 * as 0 (PRM, "Float to Integer"). */
static uint64_t real_to_integer(double value, enum gen_type type)
{
    if (value != value)
        return 0;
    if (type == GEN_UQ)
        return value <= 0 ? 0 : value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
    if (type == GEN_Q)
        return value >= 0x1p63    ? INT64_MAX
               : value <= -0x1p63 ? (uint64_t)INT64_MIN
                                  : (uint64_t)(int64_t)value;
    const double low = (double)least(type), high = (double)most(type);
    return (uint64_t)(int64_t)(value <= low ? low : value >= high ? high : value);
}

static double clamp_unit(double value)
{
    return value > 0 ? value < 1 ? value : 1 : 0; /* NaN becomes 0 */
}

static uint64_t clamp_integer(int64_t value, enum gen_type from, enum gen_type type)
{
    if (gen_type_size(type) == 8) { /* operations have seen to overflow */
        if (type == GEN_Q && from == GEN_UQ && value < 0)
            return INT64_MAX;
        return type == GEN_UQ && from != GEN_UQ && value < 0 ? 0 : (uint64_t)value;
    }
    if (from == GEN_UQ && value < 0)
        return (uint64_t)most(type);
    return (uint64_t)(value < least(type) ? least(type) : value > most(type) ? most(type) : value);
}

/* Bits of an integer result as the destination's type has them. */
static uint64_t integer_bits(const struct gen_alu *x, int64_t value, bool is_unsigned)
{
    const struct gen_insn *insn = &x->u->insn;
    struct wt_fp fp = x->fp;
    switch ((enum gen_type)insn->dst.type) {
    case GEN_F:
        return is_unsigned ? wt_u64_to_f32((uint64_t)value, &fp) : wt_i64_to_f32(value, &fp);
    case GEN_DF:
        return is_unsigned ? wt_u64_to_f64((uint64_t)value, &fp) : wt_i64_to_f64(value, &fp);
    case GEN_HF:
        return is_unsigned ? wt_u64_to_f16((uint64_t)value, &fp) : wt_i64_to_f16(value, &fp);
    default:
        return insn->saturate ? clamp_integer(value, is_unsigned ? GEN_UQ : GEN_Q, insn->dst.type)
                              : (uint64_t)value;
    }
}

static uint64_t float_bits(const struct gen_alu *x, float value)
{
    const struct gen_insn *insn = &x->u->insn;
    struct wt_fp fp = x->fp;
    uint32_t bits;
    if (insn->saturate && gen_type_is_float(insn->dst.type))
        value = (float)clamp_unit((double)value);
    memcpy(&bits, &value, sizeof bits);
    switch ((enum gen_type)insn->dst.type) {
    case GEN_F:
        return bits;
    case GEN_HF:
        return wt_f32_to_f16(bits, &fp);
    case GEN_DF:
        return wt_f32_to_f64(bits, &fp);
    default:
        return real_to_integer((double)value, insn->dst.type);
    }
}

static uint64_t double_bits(const struct gen_alu *x, double value)
{
    const struct gen_insn *insn = &x->u->insn;
    struct wt_fp fp = x->fp;
    uint64_t bits;
    if (insn->saturate && gen_type_is_float(insn->dst.type))
        value = clamp_unit(value);
    memcpy(&bits, &value, sizeof bits);
    switch ((enum gen_type)insn->dst.type) {
    case GEN_DF:
        return bits;
    case GEN_F:
        return wt_f64_to_f32(bits, &fp);
    case GEN_HF:
        return wt_f64_to_f16(bits, &fp);
    default:
        return real_to_integer(value, insn->dst.type);
    }
}

/* Whether the sources are unsigned numbers of 64 bits. */
static bool sources_are_unsigned(const struct gen_insn *insn)
{
    for (unsigned i = 0; i < insn->sources; i++)
        if (insn->src[i].type == GEN_UQ && !insn->src[i].negate)
            return true;
    return false;
}

/* The results as bits of the destination's type, in the low bytes. */
static void convert(const struct gen_alu *x, uint64_t *bits)
{
    const bool is_unsigned = sources_are_unsigned(&x->u->insn);
    for (unsigned i = 0; i < x->n; i++) {
        switch (x->domain) {
        case GEN_INT32:
            bits[i] = integer_bits(x, x->r->d[i], false);
            break;
        case GEN_INT64:
            bits[i] = integer_bits(x, x->r->q[i], is_unsigned);
            break;
        case GEN_FLOAT:
            bits[i] = float_bits(x, x->r->f[i]);
            break;
        case GEN_DOUBLE:
            bits[i] = double_bits(x, x->r->df[i]);
            break;
        }
    }
}

static bool holds(enum gen_condition condition, bool less, bool equal, bool unordered)
{
    switch (condition) {
    case GEN_COND_EQ:
        return equal;
    case GEN_COND_NE:
        return !equal;
    case GEN_COND_GT:
        return !less && !equal && !unordered;
    case GEN_COND_GE:
        return !less && !unordered;
    case GEN_COND_LT:
        return less;
    case GEN_COND_LE:
        return less || equal;
    case GEN_COND_UN:
        return unordered;
    default:
        return false;
    }
}

/* Whether an integer result does not fit its destination. */
static bool overflows(const struct gen_alu *x, unsigned i)
{
    const enum gen_type type = x->u->insn.dst.type;
    if (x->domain != GEN_INT64 || gen_type_is_float(type) || gen_type_size(type) == 8)
        return false;
    return x->r->q[i] < least(type) || x->r->q[i] > most(type);
}

/* The condition of each channel, by its result as the destination gets it. */
static uint32_t conditions(const struct gen_alu *x, const uint64_t *bits)
{
    const struct gen_insn *insn = &x->u->insn;
    const enum gen_type type = insn->dst.type;
    const unsigned size = gen_type_size(type);
    struct wt_fp fp = x->fp;
    uint32_t flags = 0;
    for (unsigned i = 0; i < x->n; i++) {
        bool less, equal, unordered = false;
        if (gen_type_is_float(type)) {
            const uint64_t wide = type == GEN_DF  ? bits[i]
                                  : type == GEN_F ? wt_f32_to_f64((uint32_t)bits[i], &fp)
                                                  : wt_f16_to_f64((uint16_t)bits[i], &fp);
            double value;
            memcpy(&value, &wide, sizeof value);
            less = value < 0;
            equal = value == 0;
            unordered = value != value;
        } else {
            const int64_t value = gen_type_is_signed(type)
                                      ? wt_sign_extend(bits[i], size * 8)
                                      : (int64_t)(bits[i] << (64 - size * 8) >> (64 - size * 8));
            less = gen_type_is_signed(type) && value < 0;
            equal = value == 0;
        }
        const bool is = insn->condition == GEN_COND_OV
                            ? overflows(x, i)
                            : holds(insn->condition, less, equal, unordered);
        flags |= (uint32_t)is << i;
    }
    return flags;
}

/* Upper halves of integers in acc0 and acc1; `first` is the first element. */
static void set_acc_high(struct gen_alu *x, unsigned first)
{
    for (unsigned i = 0; i < x->n && first + i < 2 * GEN_GRF_BYTES / 4; i++) {
        const int64_t value = x->domain == GEN_INT64    ? x->r->q[i]
                              : x->domain == GEN_DOUBLE ? 0
                                                        : x->r->d[i];
        if (x->on >> i & 1)
            x->t->g->acc_high[first + i] = (uint32_t)((uint64_t)value >> 32);
    }
}

/* The value that AccWrEn writes: the result, or a carry, from acc0 on. */
static void accumulate(struct gen_alu *x, const uint64_t *bits)
{
    const unsigned size = gen_type_size(x->u->insn.dst.type);
    if (!x->has_carry)
        set_acc_high(x, 0);
    for (unsigned i = 0; i < x->n && (i + 1) * size <= 2 * GEN_GRF_BYTES; i++) {
        if (!(x->on >> i & 1))
            continue;
        uint64_t value = bits[i];
        if (x->u->insn.row == &gen_rows[GEN_MACH])
            value = x->r->uq[i];
        if (x->has_carry) {
            value = x->carry->uq[i];
            x->t->g->acc_high[i % (2 * GEN_GRF_BYTES / 4)] = 0;
        }
        wt_store_le((uint8_t *)x->t->g->acc + i * size, value, size);
    }
}

/* Writes the destination; false: it lies outside the registers. */
static bool store(struct gen_alu *x, const uint64_t *bits, uint32_t on)
{
    struct gen_thread *t = x->t;
    const struct gen_insn *insn = &x->u->insn;
    const struct gen_operand *o = &insn->dst;
    const unsigned size = gen_type_size(o->type);
    unsigned room = GEN_REGISTER_FILE;
    uint8_t *file = t->g->r;
    uint16_t at[GEN_CHANNELS];
    if (o->file == GEN_ARF && !o->indirect) {
        if (o->reg >> 4 == GEN_ARF_NULL)
            return true;
        if (!(file = gen_arf(t, o->reg, &room)))
            return false;
    }
    if (!gen_region(t, o, insn->align16, true, x->n, at))
        return false;
    for (unsigned i = 0; i < x->n; i++)
        if ((on >> i & 1) && at[i] + size > room)
            return false;
    for (unsigned i = 0; i < x->n; i++)
        if (on >> i & 1)
            wt_store_le(file + at[i], bits[i], size);
    if (o->file == GEN_ARF && o->reg >> 4 == GEN_ARF_ACC && (o->reg & 15) < 2 && size == 4)
        set_acc_high(x, (o->reg & 15) * 8u + o->subreg / 4);
    return true;
}

/* Results of 32 bits that go side by side into registers as they are. */
static bool store_quickly(struct gen_alu *x)
{
    const struct gen_operand *o = &x->u->insn.dst;
    const bool same = x->domain == GEN_INT32   ? o->type == GEN_D || o->type == GEN_UD
                      : x->domain == GEN_FLOAT ? o->type == GEN_F
                                               : false;
    if (!same || o->file != GEN_GRF || o->indirect || o->hstride != 1 || x->u->insn.saturate ||
        x->u->insn.condition || x->u->insn.accumulate ||
        o->reg * GEN_GRF_BYTES + o->subreg + x->n * 4 > GEN_REGISTER_FILE)
        return false;
    uint8_t *to = x->t->g->r + o->reg * GEN_GRF_BYTES + o->subreg;
    if (x->on == first_bits(x->n)) {
        memcpy(to, x->r->d, x->n * 4);
        return true;
    }
    for (unsigned i = 0; i < x->n; i++)
        if (x->on >> i & 1)
            memcpy(to + 4 * i, &x->r->d[i], 4);
    return true;
}

/* ---- the instruction ---- */

static const struct gen_uop *bad_region(struct gen_thread *t, const struct gen_uop *u, uint32_t on)
{
    char text[200];
    gen_text(&u->insn, text, sizeof text);
    return gen_fault(t, u, WT_FAULT_ILLEGAL, on << u->insn.channel, 0,
                     "an operand lies outside the registers: %.150s", text + strspn(text, " "));
}

/* Rounding and denormals as cr0.0 says. */
static void set_mode(struct gen_alu *x)
{
    static const uint8_t rounds[4] = {WT_RNE, WT_RUP, WT_RDN, WT_RTZ};
    const uint32_t cr0 = x->t->g->cr[0];
    const struct gen_insn *insn = &x->u->insn;
    bool half = insn->sources > 0;
    for (unsigned i = 0; i < insn->sources; i++)
        half = half && insn->src[i].type == GEN_HF;
    const uint32_t keep = x->domain == GEN_DOUBLE ? GEN_CR0_KEEP_DF
                          : half                  ? GEN_CR0_KEEP_HF
                                                  : GEN_CR0_KEEP_F;
    x->fp = (struct wt_fp){.round = rounds[cr0 >> 4 & 3], .propagate_nan = true};
    x->soft = false;
    if (x->domain < GEN_FLOAT)
        return;
    x->fp.flush_input = x->fp.flush_output = !(cr0 & keep);
    x->soft = x->fp.round != WT_RNE || x->fp.flush_input;
}

static const struct gen_uop *after_store(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_operand *o = &u->insn.dst;
    if (o->file != GEN_ARF || o->indirect)
        return gen_next(u);
    if (o->reg >> 4 == GEN_ARF_IP)
        return gen_jump(t, t->base + t->g->ip); /* a move to ip jumps */
    return o->reg >> 4 == GEN_ARF_CR ? gen_control_written(t, u) : gen_next(u);
}

/* A move of bits, whatever they mean: no conversion quiets a NaN. */
static bool move_bits(struct gen_alu *x, uint64_t *bits)
{
    const struct gen_insn *insn = &x->u->insn;
    const struct gen_operand *o = &insn->src[0];
    const unsigned size = gen_type_size(o->type);
    unsigned room = GEN_REGISTER_FILE;
    const uint8_t *file = x->t->g->r;
    uint16_t at[GEN_CHANNELS];
    if (o->file == GEN_IMMEDIATE) {
        for (unsigned i = 0; i < x->n; i++)
            bits[i] = o->immediate;
        return true;
    }
    if (!gen_region(x->t, o, insn->align16, false, x->n, at))
        return false;
    if (o->file == GEN_ARF && !o->indirect) {
        if (!(file = gen_arf(x->t, o->reg, &room)))
            return false;
        if (o->reg >> 4 == GEN_ARF_NULL)
            memset(at, 0, x->n * sizeof *at);
    }
    for (unsigned i = 0; i < x->n; i++) {
        if (at[i] + size > room)
            return false;
        bits[i] = wt_load_le(file + at[i], size);
    }
    return true;
}

const struct gen_uop *gen_run_raw(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    struct gen_alu x = {.t = t, .u = u, .n = insn->exec_size, .on = gen_enabled(t, insn)};
    union gen_values result;
    uint64_t bits[GEN_CHANNELS];
    if (!x.on)
        return gen_next(u);
    x.r = &result;
    x.domain = GEN_INT32;
    if (u->uses_ip)
        t->g->ip = (uint32_t)(gen_pc_of(t, u) - t->base);
    if (!move_bits(&x, bits))
        return bad_region(t, u, x.on);
    if (insn->dst.file == GEN_ARF)
        for (unsigned i = 0; i < x.n; i++)
            result.d[i] = gen_type_is_float(insn->dst.type) ? 0 : (int32_t)bits[i];
    uint32_t on = x.on;
    if (insn->align16)
        on &= gen_written_channels(&insn->dst);
    if (!store(&x, bits, on))
        return bad_region(t, u, x.on);
    return after_store(t, u);
}

const struct gen_uop *gen_run_alu(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    /* sel chooses by its predicate: all channels are written. */
    const bool chooses = insn->row == &gen_rows[GEN_SEL];
    struct gen_alu x = {.t = t,
                        .u = u,
                        .domain = u->domain,
                        .n = insn->exec_size,
                        .on = chooses ? gen_unpredicated(t, insn) : gen_enabled(t, insn)};
    union gen_values row[3], result, carry;
    const void *source[3] = {NULL, NULL, NULL};
    uint64_t bits[GEN_CHANNELS];
    if (insn->row == &gen_rows[GEN_SMOV]) /* a move of the channels in its second operand */
        x.on &= (uint32_t)insn->src[1].immediate;
    if (!x.on)
        return gen_next(u);
    if (u->uses_ip)
        t->g->ip = (uint32_t)(gen_pc_of(t, u) - t->base);
    set_mode(&x);
    x.r = &result;
    x.carry = &carry;
    for (unsigned i = 0; i < insn->sources; i++)
        if (!load(&x, i, &row[i], &source[i]))
            return bad_region(t, u, x.on);
    x.a = source[0];
    x.b = source[1];
    x.c = source[2];
    u->alu(&x);
    if (!x.has_flags && !insn->align16 && store_quickly(&x))
        return gen_next(u);
    convert(&x, bits);
    if (insn->row == &gen_rows[GEN_MACH]) /* the upper half of 64 bits */
        for (unsigned i = 0; i < x.n; i++)
            bits[i] = result.uq[i] >> 32;
    uint32_t on = x.on;
    if (insn->align16)
        on &= gen_written_channels(&insn->dst);
    if (!store(&x, bits, on))
        return bad_region(t, u, x.on);
    if (insn->accumulate)
        accumulate(&x, bits);
    if (x.has_flags)
        gen_set_flags(t, insn, on, x.flags);
    else if (insn->condition && insn->row->format != GEN_FORMAT_MATH && !chooses &&
             insn->row != &gen_rows[GEN_CSEL])
        gen_set_flags(t, insn, on, conditions(&x, bits));
    return after_store(t, u);
}
