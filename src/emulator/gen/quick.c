/*
 * Arithmetic whose operands are known when it is decoded: registers of 32 bits side by side, one
 * element for all channels, elements at even distances, immediates. That is most of what compilers
 * emit. The results are those of exec.c, which executes all the rest.
 */
#include "emulator/gen/internal.h"

#include <string.h>

/* cr0.0 for which the host's arithmetic is the GPU's: to nearest, and denormals are kept. */
enum { MODE_MASK = 3 << 4 | GEN_CR0_KEEP_F, MODE_OF_HOST = GEN_CR0_KEEP_F };

/* ---- decoding ---- */

/* The distance in bytes between an operand's elements; -1: it varies. */
static int step_of(const struct gen_insn *insn, const struct gen_operand *o)
{
    const int size = (int)gen_type_size(o->type);
    if (o->replicate)
        return 0;
    if (insn->align16)
        return o->swizzle == 0xe4 && o->vstride == 4 ? size : -1;
    if (o->width == 1)
        return o->vstride * size;
    if (o->width >= insn->exec_size || o->vstride == o->width * o->hstride)
        return o->hstride * size;
    return -1;
}

/* Whether elements of this type can be taken as they are for 32 bits of the domain. */
static bool is_narrow(enum gen_domain domain, enum gen_type type)
{
    return domain == GEN_FLOAT ? type == GEN_F
                               : !gen_type_is_float(type) && gen_type_size(type) <= 4;
}

static bool prepare_source(const struct gen_uop *u, const struct gen_operand *o,
                           struct gen_quick_source *s)
{
    const unsigned size = gen_type_size(o->type);
    if (o->type >= GEN_UV || !is_narrow(u->domain, o->type))
        return false;
    *s = (struct gen_quick_source){.size = (uint8_t)size,
                                   .is_signed = gen_type_is_signed(o->type),
                                   .modified = o->negate || o->absolute};
    if (o->file == GEN_IMMEDIATE) {
        s->kind = GEN_QUICK_VALUE;
        s->value = (uint32_t)(s->is_signed ? (uint64_t)wt_sign_extend(o->immediate, size * 8)
                              : size == 4  ? o->immediate
                                           : o->immediate & ((1u << size * 8) - 1));
        return true;
    }
    const int step = step_of(&u->insn, o);
    if (o->file != GEN_GRF || o->indirect || step < 0 || o->vstride == GEN_STRIDE_VXH)
        return false;
    s->at = (uint16_t)(o->reg * GEN_GRF_BYTES + o->subreg);
    s->step = (uint8_t)step;
    s->kind = step == 4 && size == 4 ? GEN_QUICK_ROW : GEN_QUICK_STEPS;
    return s->at + (u->insn.exec_size - 1u) * (unsigned)step + size <= GEN_REGISTER_FILE;
}

static bool prepare_destination(const struct gen_uop *u, struct gen_quick *q)
{
    const struct gen_insn *insn = &u->insn;
    const struct gen_operand *o = &insn->dst;
    const unsigned size = gen_type_size(o->type);
    q->nowhere = o->file == GEN_ARF && !o->indirect && o->reg >> 4 == GEN_ARF_NULL;
    if (q->nowhere)
        return true;
    if (o->file != GEN_GRF || o->indirect || !is_narrow(u->domain, o->type) ||
        (insn->align16 && o->swizzle != 0xf))
        return false;
    const unsigned step = size * (insn->align16 ? 1u : o->hstride);
    q->to = (uint16_t)(o->reg * GEN_GRF_BYTES + o->subreg);
    q->to_size = (uint8_t)size;
    q->to_step = (uint8_t)step;
    return q->to + (insn->exec_size - 1u) * step + size <= GEN_REGISTER_FILE;
}

bool gen_quick_prepare(struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    const struct gen_row *row = insn->row;
    const bool compares = row == &gen_rows[GEN_CMP] || row == &gen_rows[GEN_CMPN];
    const bool selects = row == &gen_rows[GEN_SEL] || row == &gen_rows[GEN_CSEL];
    struct gen_quick *q = &u->quick;
    *q = (struct gen_quick){.selects = row == &gen_rows[GEN_SEL]};
    if ((u->domain != GEN_INT32 && u->domain != GEN_FLOAT) || insn->saturate || insn->accumulate ||
        u->uses_ip || row == &gen_rows[GEN_SMOV] || row == &gen_rows[GEN_MACH] ||
        row == &gen_rows[GEN_ADDC] || row == &gen_rows[GEN_SUBB] || row == &gen_rows[GEN_MAC])
        return false;
    if (insn->condition && !compares && !selects && row->format != GEN_FORMAT_MATH)
        return false;
    if (!prepare_destination(u, q) || (compares && !q->nowhere))
        return false;
    for (unsigned i = 0; i < insn->sources; i++)
        if (!prepare_source(u, &insn->src[i], &q->source[i]))
            return false;
    return true;
}

/* ---- execution ---- */

static uint32_t element(const uint8_t *at, const struct gen_quick_source *s)
{
    const uint64_t bits = wt_load_le(at, s->size);
    return (uint32_t)(s->is_signed ? (uint64_t)wt_sign_extend(bits, s->size * 8u) : bits);
}

/* The elements of a source as a row: the registers themselves, or `row` filled with them. */
static const void *row_of(struct gen_alu *x, unsigned index, union gen_values *row)
{
    const struct gen_quick_source *s = &x->u->quick.source[index];
    const uint8_t *from = x->t->g->r + s->at;
    const unsigned n = x->n;
    if (s->kind == GEN_QUICK_ROW && !s->modified)
        return from;
    if (s->kind == GEN_QUICK_ROW) {
        memcpy(row, from, n * 4);
    } else if (s->kind == GEN_QUICK_VALUE || s->step == 0) {
        const uint32_t value = s->kind == GEN_QUICK_VALUE ? s->value : element(from, s);
        for (unsigned i = 0; i < n; i++)
            row->ud[i] = value;
    } else {
        for (unsigned i = 0; i < n; i++)
            row->ud[i] = element(from + i * s->step, s);
    }
    if (s->modified)
        gen_modify(x, &x->u->insn.src[index], row);
    return row;
}

static void put(const struct gen_alu *x, const union gen_values *row)
{
    const struct gen_quick *q = &x->u->quick;
    uint8_t *to = x->t->g->r + q->to;
    const bool all = x->on == (x->n >= 32 ? UINT32_MAX : ((uint32_t)1 << x->n) - 1);
    if (q->to_step == 4 && q->to_size == 4 && all) {
        memcpy(to, row, x->n * 4);
        return;
    }
    for (unsigned i = 0; i < x->n; i++, to += q->to_step)
        if (x->on >> i & 1)
            wt_store_le(to, row->ud[i], q->to_size);
}

const struct gen_uop *gen_run_quick(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    const uint32_t on = u->quick.selects ? gen_unpredicated(t, insn) : gen_enabled(t, insn);
    if (!on)
        return gen_next(u);
    if (u->domain == GEN_FLOAT && (t->g->cr[0] & MODE_MASK) != MODE_OF_HOST)
        return u->general(t, u);
    union gen_values row[3], result;
    struct gen_alu x = {.t = t, .u = u, .domain = u->domain, .n = insn->exec_size, .on = on};
    x.fp = (struct wt_fp){.propagate_nan = true};
    x.r = &result;
    x.only_flags = u->quick.nowhere;
    x.a = row_of(&x, 0, &row[0]);
    if (insn->sources > 1)
        x.b = row_of(&x, 1, &row[1]);
    if (insn->sources > 2)
        x.c = row_of(&x, 2, &row[2]);
    u->alu(&x);
    if (x.has_flags)
        gen_set_flags(t, insn, on, x.flags);
    if (!u->quick.nowhere)
        put(&x, &result);
    return gen_next(u);
}
