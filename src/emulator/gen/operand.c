/*
 * Operands: regions of registers (Skylake PRM volume 7, "Register Region Restrictions" and "Region
 * Parameters"), architecture registers, scalars.
 */
#include "emulator/gen/internal.h"

/* Address register `n` of a0: sixteen of 16 bits. */
static unsigned address_register(const struct gen_thread *t, unsigned n)
{
    return (unsigned)wt_load_le(t->g->a0 + 2 * (n & 15), 2);
}

/* Elements are numbered by rows of `width`; each row begins vstride elements behind the last one.
 */
static void source_offsets(const struct gen_thread *t, const struct gen_operand *o, bool align16,
                           int32_t base, unsigned n, int32_t *at)
{
    const unsigned size = gen_type_size(o->type);
    if (o->replicate) {
        for (unsigned i = 0; i < n; i++)
            at[i] = base;
    } else if (align16) {
        for (unsigned i = 0; i < n; i++)
            at[i] = base + (int32_t)(gen_swizzled(o, i) * size);
    } else if (o->vstride == GEN_STRIDE_VXH) {
        for (unsigned i = 0; i < n; i++)
            at[i] = (int32_t)(address_register(t, o->subreg + i / o->width) +
                              i % o->width * o->hstride * size) +
                    o->offset;
    } else {
        for (unsigned row = 0, i = 0; i < n; row++)
            for (unsigned column = 0; column < o->width && i < n; column++, i++)
                at[i] = base + (int32_t)((row * o->vstride + column * o->hstride) * size);
    }
}

bool gen_region(const struct gen_thread *t, const struct gen_operand *o, bool align16, bool is_dst,
                unsigned n, uint16_t *at)
{
    const unsigned size = gen_type_size(o->type);
    const int32_t limit = GEN_REGISTER_FILE - (int32_t)size;
    int32_t base = o->subreg, offset[GEN_CHANNELS];
    if (o->indirect)
        base = (int32_t)address_register(t, o->subreg) + o->offset;
    else if (o->file == GEN_GRF)
        base += o->reg * GEN_GRF_BYTES;
    else if (o->file == GEN_ARF && o->reg >> 4 == GEN_ARF_FC)
        base *= GEN_GRF_BYTES; /* its subregister numbers are those of elements, not bytes */
    if (is_dst)
        for (unsigned i = 0; i < n; i++)
            offset[i] = base + (int32_t)(i * (align16 ? 1 : o->hstride) * size);
    else
        source_offsets(t, o, align16, base, n, offset);
    bool good = true;
    for (unsigned i = 0; i < n; i++) {
        good = good && offset[i] >= 0 && offset[i] <= limit;
        at[i] = (uint16_t)offset[i];
    }
    return good;
}

/* fc0 to fc4 have 39 elements in all. Intel's own system routine reads and writes eight dwords at
 * each, so each has a row. */
static uint8_t *flow_control(struct gen_registers *g, unsigned number, unsigned *size)
{
    static const uint8_t first[] = {0, 32, 33, 34, 38, GEN_FC_ELEMENTS};
    if (number + 1 >= sizeof first)
        return NULL;
    *size = (unsigned)(first[number + 1] - first[number]) * GEN_GRF_BYTES;
    return g->fc[first[number]];
}

uint8_t *gen_arf(struct gen_thread *t, unsigned reg, unsigned *size)
{
    struct gen_registers *g = t->g;
    const unsigned number = reg & 15;
    const enum gen_arf kind = reg >> 4;
    *size = 16;
    if (number && kind != GEN_ARF_NULL && kind != GEN_ARF_ACC && kind != GEN_ARF_F &&
        kind != GEN_ARF_FC)
        return NULL;
    switch (kind) {
    case GEN_ARF_NULL:
        *size = sizeof g->zero;
        return (uint8_t *)g->zero;
    case GEN_ARF_A:
        *size = sizeof g->a0;
        return g->a0;
    case GEN_ARF_ACC:
        if (number >= GEN_ACCS)
            return NULL;
        *size = (GEN_ACCS - number) * GEN_GRF_BYTES;
        return g->acc[number];
    case GEN_ARF_F:
        *size = (2 - number) * 4;
        return number < 2 ? (uint8_t *)&g->f[number] : NULL;
    case GEN_ARF_CE:
        *size = 4;
        g->ce = t->mask;
        return (uint8_t *)&g->ce;
    case GEN_ARF_MSG:
        *size = sizeof g->msg;
        return (uint8_t *)g->msg;
    case GEN_ARF_SP:
        return (uint8_t *)g->sp;
    case GEN_ARF_SR:
        return (uint8_t *)g->sr;
    case GEN_ARF_CR:
        return (uint8_t *)g->cr;
    case GEN_ARF_N:
        return (uint8_t *)g->n;
    case GEN_ARF_IP:
        *size = 4;
        return (uint8_t *)&g->ip;
    case GEN_ARF_TDR:
        return (uint8_t *)g->tdr;
    case GEN_ARF_TM:
        /* The clock is the issue time: the same in every run. Its register is read as a whole, too.
         */
        *size = sizeof g->tm;
        g->tm[0] = (uint32_t)gen_now(t);
        g->tm[1] = (uint32_t)(gen_now(t) >> 32);
        return (uint8_t *)g->tm;
    case GEN_ARF_FC:
        return flow_control(g, number, size);
    case GEN_ARF_DBG:
        return (uint8_t *)g->dbg;
    case GEN_ARF_RESERVED:
        return NULL;
    }
    return NULL;
}

bool gen_scalar(struct gen_thread *t, const struct gen_operand *o, uint64_t *value)
{
    const unsigned size = gen_type_size(o->type);
    uint16_t at;
    unsigned room = GEN_REGISTER_FILE;
    const uint8_t *file = t->g->r;
    if (o->file == GEN_IMMEDIATE) {
        *value = o->immediate;
        return true;
    }
    if (!gen_region(t, o, false, true, 1, &at))
        return false;
    if (o->file == GEN_ARF && !o->indirect && !(file = gen_arf(t, o->reg, &room)))
        return false;
    if (at + size > room)
        return false;
    *value = wt_load_le(file + at, size);
    return true;
}

bool gen_payload(const struct gen_thread *t, const struct gen_operand *o, unsigned registers,
                 unsigned *at)
{
    const int32_t first =
        o->indirect ? (int32_t)address_register(t, o->subreg) + o->offset : o->reg * GEN_GRF_BYTES;
    *at = (unsigned)first & ~(unsigned)(GEN_GRF_BYTES - 1);
    return first >= 0 && *at + registers * GEN_GRF_BYTES <= GEN_REGISTER_FILE;
}
