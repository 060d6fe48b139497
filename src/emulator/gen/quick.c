/*
 * Arithmetic whose operands are known when it is decoded: registers side by side, one
 * element for all channels, elements at even distances, immediates. That is most of what compilers
 * emit. The results are those of exec.c, which executes all the rest.
 */
#include "emulator/gen/internal.h"

#include <string.h>

static unsigned element_bytes(enum gen_domain domain)
{
    return domain == GEN_INT32 || domain == GEN_FLOAT ? 4 : 8;
}

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

/* Whether elements of this type are those of the domain, or integers that only get longer or are
 * cut. */
static bool is_plain(enum gen_domain domain, enum gen_type type)
{
    return domain == GEN_FLOAT ? type == GEN_F
           : domain == GEN_DOUBLE
               ? type == GEN_DF
               : !gen_type_is_float(type) && gen_type_size(type) <= element_bytes(domain);
}

static bool prepare_source(const struct gen_uop *u, const struct gen_operand *o,
                           struct gen_quick_source *s)
{
    const unsigned size = gen_type_size(o->type);
    if (o->type >= GEN_UV || !is_plain(u->domain, o->type))
        return false;
    *s = (struct gen_quick_source){.size = (uint8_t)size,
                                   .is_signed = gen_type_is_signed(o->type),
                                   .modified = o->negate || o->absolute};
    if (o->file == GEN_IMMEDIATE) {
        s->kind = GEN_QUICK_VALUE;
        s->value = s->is_signed ? (uint64_t)wt_sign_extend(o->immediate, size * 8)
                   : size == 8  ? o->immediate
                                : o->immediate & ((UINT64_C(1) << size * 8) - 1);
        return true;
    }
    const int step = step_of(&u->insn, o);
    if (o->file != GEN_GRF || o->indirect || step < 0 || o->vstride == GEN_STRIDE_VXH)
        return false;
    s->at = (uint16_t)(o->reg * GEN_GRF_BYTES + o->subreg);
    s->step = (uint16_t)step;
    s->kind =
        size == element_bytes(u->domain) && step == (int)size ? GEN_QUICK_ROW : GEN_QUICK_STEPS;
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
    if (o->file != GEN_GRF || o->indirect || !is_plain(u->domain, o->type) ||
        (insn->align16 && o->swizzle != 0xf))
        return false;
    const unsigned step = size * (insn->align16 ? 1u : o->hstride);
    q->to = (uint16_t)(o->reg * GEN_GRF_BYTES + o->subreg);
    q->to_size = (uint8_t)size;
    q->to_step = (uint8_t)step;
    return q->to + (insn->exec_size - 1u) * step + size <= GEN_REGISTER_FILE;
}

/* Flags of a result that is as long as the row's elements. */
static bool can_test(const struct gen_uop *u)
{
    return u->insn.condition != GEN_COND_OV && u->insn.condition != GEN_COND_UN &&
           gen_type_size(u->insn.dst.type) == element_bytes(u->domain) &&
           gen_type_is_float(u->insn.dst.type) == (u->domain >= GEN_FLOAT);
}

/* Operations on accumulators, of several results, or on coefficients in a register. */
static bool uses_more(const struct gen_row *row)
{
    static const bool more[GEN_INSNS] = {
        [GEN_SMOV] = true, [GEN_MACH] = true, [GEN_ADDC] = true, [GEN_SUBB] = true,
        [GEN_MAC] = true,  [GEN_MADM] = true, [GEN_SAD2] = true, [GEN_SADA2] = true,
        [GEN_LINE] = true, [GEN_PLN] = true,  [GEN_DP2] = true,  [GEN_DP3] = true,
        [GEN_DP4] = true,  [GEN_DPH] = true,
    };
    return more[row - gen_rows];
}

bool gen_quick_prepare(struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    const struct gen_row *row = insn->row;
    const bool compares = row == &gen_rows[GEN_CMP] || row == &gen_rows[GEN_CMPN];
    const bool selects = row == &gen_rows[GEN_SEL] || row == &gen_rows[GEN_CSEL];
    struct gen_quick *q = &u->quick;
    *q = (struct gen_quick){.selects = row == &gen_rows[GEN_SEL]};
    if (insn->saturate || insn->accumulate || u->uses_ip || uses_more(row))
        return false;
    q->tests = insn->condition && !compares && !selects && row->format != GEN_FORMAT_MATH;
    if (q->tests && !can_test(u))
        return false;
    if (!prepare_destination(u, q) || (compares && !q->nowhere))
        return false;
    for (unsigned i = 0; i < insn->sources; i++)
        if (!prepare_source(u, &insn->src[i], &q->source[i]))
            return false;
    return true;
}

/* ---- execution ---- */

/* One value for all channels, by stores as long as a register (gen_copy_row). */
static void spread(const struct gen_alu *x, uint64_t value, union gen_values *row)
{
    const unsigned bytes = element_bytes(x->domain);
    if (bytes == 4)
        value = (value & UINT32_MAX) | value << 32;
    const uint64_t part[GEN_GRF_BYTES / 8] = {value, value, value, value};
    static_assert(sizeof *row % sizeof part == 0, "a row is whole parts");
    for (unsigned done = 0; done < x->n * bytes; done += sizeof part)
        memcpy((uint8_t *)row + done, part, sizeof part);
}

/* The elements of a source as a row: the registers themselves, or `row` filled with them. */
static const void *row_of(struct gen_alu *x, unsigned index, union gen_values *row)
{
    const struct gen_quick_source *s = &x->u->quick.source[index];
    const uint8_t *from = x->t->g->r + s->at;
    const unsigned n = x->n, bytes = element_bytes(x->domain);
    if (s->kind == GEN_QUICK_ROW && !s->modified)
        return from;
    if (s->kind == GEN_QUICK_ROW)
        gen_copy_row(row, from, n * bytes);
    else if (s->kind == GEN_QUICK_VALUE)
        spread(x, s->value, row);
    else if (s->step == 0)
        spread(x, gen_quick_element(from, s), row);
    else if (bytes == 4)
        for (unsigned i = 0; i < n; i++)
            row->ud[i] = (uint32_t)gen_quick_element(from + i * s->step, s);
    else
        for (unsigned i = 0; i < n; i++)
            row->uq[i] = gen_quick_element(from + i * s->step, s);
    if (s->modified)
        gen_modify(x, &x->u->insn.src[index], row);
    return row;
}

static void put(const struct gen_alu *x, const union gen_values *row)
{
    const struct gen_quick *q = &x->u->quick;
    const unsigned bytes = element_bytes(x->domain);
    uint8_t *to = x->t->g->r + q->to;
    const bool all = x->on == (x->n >= 32 ? UINT32_MAX : ((uint32_t)1 << x->n) - 1);
    if (q->to_step == bytes && q->to_size == bytes && all) {
        gen_copy_row(to, row, x->n * bytes);
        return;
    }
    for (unsigned i = 0; i < x->n; i++, to += q->to_step)
        if (x->on >> i & 1)
            wt_store_le(to, bytes == 4 ? row->ud[i] : row->uq[i], q->to_size);
}

const struct gen_uop *gen_run_quick(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    const uint32_t on = u->quick.selects ? gen_unpredicated(t, insn) : gen_enabled(t, insn);
    if (!on)
        return gen_next(u);
    if (!gen_is_as_host(t, u))
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
    if (!u->quick.nowhere)
        put(&x, &result);
    if (x.has_flags)
        gen_set_flags(t, insn, on, x.flags);
    else if (u->quick.tests)
        gen_set_flags(t, insn, on, gen_test_row(&x));
    return gen_next(u);
}
