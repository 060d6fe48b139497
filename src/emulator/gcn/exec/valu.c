/*
 * Vector instructions: fetches the sources of all 64 lanes with their modifiers, calls the row's
 * function to compute, and writes back the lanes that EXEC enables (manual, chapter 6).
 */
#include "emulator/gcn/exec/fp.h"
#include "emulator/gcn/exec/mfma.h"

#include <string.h>

/* A source or result of any width. */
union row {
    _Alignas(64) uint32_t w[GCN_LANES];
    uint64_t d[GCN_LANES];
    uint32_t q[4][GCN_LANES]; /* Q: register by register */
};

static inline const uint32_t *fetch_plain(struct gcn_wave *w, const struct gcn_uop *u, unsigned n,
                                          uint32_t *room)
{
    if (n >= GCN_VGPR)
        return w->v[n - GCN_VGPR];
    const uint32_t value = gcn_scalar32(w, u, n);
    for (unsigned i = 0; i < GCN_LANES; i++)
        room[i] = value;
    return room;
}

static const struct gcn_uop *no_vgpr(struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                     "%s uses register %c%u, but its wave has %u vector registers and %u "
                     "accumulation registers",
                     u->row->name, u->agprs > w->agprs ? 'a' : 'v',
                     u->agprs > w->agprs ? u->agprs - 1u : u->last_vgpr, w->vgprs, w->agprs);
}

CLONED gcn_spread_mask(uint32_t *on, uint64_t mask)
{
    for (unsigned half = 0; half < 2; half++) {
        const uint32_t bits = (uint32_t)(mask >> (32 * half));
        for (unsigned i = 0; i < 32; i++)
            on[32 * half + i] = 0 - (bits >> i & 1);
    }
}

/* Rows of 64 bits lie in two registers. */
static CLONED join(uint64_t *to, const uint32_t *low, const uint32_t *high)
{
    LANES
        to[i] = low[i] | (uint64_t)high[i] << 32;
}

static CLONED split(uint32_t *low, uint32_t *high, const uint64_t *from, const uint32_t *on)
{
    for (unsigned i = 0; i < GCN_LANES; i++) {
        low[i] = (low[i] & ~on[i]) | ((uint32_t)from[i] & on[i]);
        high[i] = (high[i] & ~on[i]) | ((uint32_t)(from[i] >> 32) & on[i]);
    }
}

static CLONED split_all(uint32_t *low, uint32_t *high, const uint64_t *from)
{
    for (unsigned i = 0; i < GCN_LANES; i++) {
        low[i] = (uint32_t)from[i];
        high[i] = (uint32_t)(from[i] >> 32);
    }
}

CLONED gcn_blend(uint32_t *to, const uint32_t *from, const uint32_t *on)
{
    for (unsigned i = 0; i < GCN_LANES; i++)
        to[i] = (to[i] & ~on[i]) | (from[i] & on[i]);
}

static bool skipped(const struct gcn_wave *w)
{
    return w->mode & GCN_MODE_VSKIP;
}

/* Modes in which the short ways do not do. */
#define SPECIAL_MODES (GCN_MODE_GPR_IDX_EN | GCN_MODE_VSKIP | GCN_MODE_EXCP_EN)

static __attribute__((noinline)) const struct gcn_uop *valu_any(struct gcn_wave *w,
                                                                const struct gcn_uop *u);

/* The shortest way: whole registers of 32 bits, no modifiers. */
static const struct gcn_uop *valu_plain(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (w->mode & SPECIAL_MODES)
        return valu_any(w, u);
    if (u->last_vgpr >= w->vgprs)
        return no_vgpr(w, u);
    const uint64_t exec = gcn_exec(w);
    _Alignas(64) uint32_t room[3][GCN_LANES], result[GCN_LANES];
    uint32_t *to = w->v[u->dst];
    struct gcn_valu v = {.w = w, .u = u, .exec = exec, .d = ~exec ? result : to};
    v.a = fetch_plain(w, u, u->src[0], room[0]);
    if (u->sources > 1)
        v.b = fetch_plain(w, u, u->src[1], room[1]);
    if (u->sources > 2)
        v.c = fetch_plain(w, u, u->src[2], room[2]);
    u->row->function(&v);
    if (~exec)
        gcn_blend(to, result, gcn_lanes_on(w, exec));
    return gcn_next(u);
}

static void write_mask(struct gcn_wave *w, const struct gcn_uop *u, const uint32_t *row,
                       uint64_t exec)
{
    const uint64_t mask = gcn_pack(row) & exec;
    gcn_write_mask(w, u, u->sdst, mask);
    if (u->cmpx)
        gcn_set_exec(w, mask);
}

static inline const uint64_t *fetch_wide(struct gcn_wave *w, const struct gcn_uop *u, unsigned i,
                                         uint64_t *room)
{
    const unsigned n = u->src[i];
    if (n >= GCN_VGPR) {
        join(room, w->v[n - GCN_VGPR], w->v[n - GCN_VGPR + 1]);
        return room;
    }
    const uint64_t value = gcn_scalar64(w, u, n, u->wide_float >> i & 1);
    for (unsigned l = 0; l < GCN_LANES; l++)
        room[l] = value;
    return room;
}

/* The short way of the other instructions without modifiers: values of 64 bits, masks. */
static const struct gcn_uop *valu_whole(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (w->mode & SPECIAL_MODES)
        return valu_any(w, u);
    if (u->last_vgpr >= w->vgprs)
        return no_vgpr(w, u);
    const uint64_t exec = gcn_exec(w);
    union wide_row {
        _Alignas(64) uint64_t d[GCN_LANES];
        uint32_t w[GCN_LANES];
    } room[3], result;
    _Alignas(64) uint32_t mask[GCN_LANES];
    struct gcn_valu v = {.w = w, .u = u, .exec = exec, .d = &result, .m = mask};
    const void **source[3] = {&v.a, &v.b, &v.c};
    for (unsigned i = 0; i < u->sources; i++) {
        if (u->wide >> i & 1)
            *source[i] = fetch_wide(w, u, i, room[i].d);
        else if (u->mask >> i & 1)
            v.mask = gcn_mask(w, u, u->smask);
        else
            *source[i] = fetch_plain(w, u, u->src[i], room[i].w);
    }
    uint32_t *to = u->result ? w->v[u->dst] : NULL;
    if (u->result == 1 && !~exec)
        v.d = to;
    u->row->function(&v);
    if (u->result == 2 && !~exec)
        split_all(to, to + GCN_LANES, result.d);
    else if (u->result == 2)
        split(to, to + GCN_LANES, result.d, gcn_lanes_on(w, exec));
    else if (u->result && ~exec)
        gcn_blend(to, result.w, gcn_lanes_on(w, exec));
    if (u->mask_result)
        write_mask(w, u, mask, exec);
    return gcn_next(u);
}

/* ---- the general way ---- */

/* VGPR indexing: M0[7:0] is added to the operands that M0[15:12] names (section 6.4). v_movrel adds
 * M0, or one half of it to its source, the other one to its result. */
static unsigned indexed(const struct gcn_wave *w, const struct gcn_uop *u, unsigned number,
                        unsigned which)
{
    const uint32_t m0 = w->s[GCN_M0];
    if (u->relative >> which & 1)
        return number + (!(u->relative & 16) ? m0 : which ? m0 >> 16 & 0x3ff : m0 & 0x3ff);
    if ((w->mode & GCN_MODE_GPR_IDX_EN) && (w->s[GCN_M0] >> (12 + which) & 1))
        return number + (w->s[GCN_M0] & 0xff);
    return number;
}

/* Modifiers of a source: a part of each value, zero- or sign-extended, then abs and neg. */
static CLONED take_part(uint32_t *to, const uint32_t *from, unsigned at, unsigned bits, bool sext)
{
    const unsigned above = 32 - bits;
    if (sext) {
        LANES
            to[i] = (uint32_t)((int32_t)(from[i] >> at << above) >> above);
    } else {
        LANES
            to[i] = from[i] >> at << above >> above;
    }
}

static CLONED modify32(uint32_t *to, const uint32_t *from, uint32_t sign, bool abs, bool neg)
{
    const uint32_t keep = abs ? ~sign : UINT32_MAX, flip = neg ? sign : 0;
    LANES
        to[i] = (from[i] & keep) ^ flip;
}

static CLONED modify64(uint64_t *to, bool abs, bool neg)
{
    const uint64_t keep = abs ? ~F64_SIGN : UINT64_MAX, flip = neg ? F64_SIGN : 0;
    LANES
        to[i] = (to[i] & keep) ^ flip;
}

int gcn_dpp_lane(unsigned ctrl, int i)
{
    const int row = i & ~15, in = i & 15, n = (int)(ctrl & 15);
    if (ctrl & GCN_DPP8)
        return (i & ~7) | (int)(ctrl >> (3 * (i & 7)) & 7);
    if (ctrl < 0x100)
        return (i & ~3) | (int)(ctrl >> (2 * (i & 3)) & 3);
    switch (ctrl & 0x1f0) {
    case 0x150: /* row_newbcast, row_share */
        return row | n;
    case 0x160: /* row_xmask */
        return row | (in ^ n);
    case 0x100: /* row_shl */
        return in + n < 16 ? row | (in + n) : -1;
    case 0x110: /* row_shr */
        return in - n >= 0 ? row | (in - n) : -1;
    case 0x120: /* row_ror */
        return row | ((in - n) & 15);
    default:
        break;
    }
    switch (ctrl) {
    case 0x130: /* wave_shl */
        return i + 1 < 64 ? i + 1 : -1;
    case 0x134: /* wave_rol */
        return (i + 1) & 63;
    case 0x138: /* wave_shr */
        return i - 1;
    case 0x13c: /* wave_ror */
        return (i - 1) & 63;
    case 0x140: /* row_mirror */
        return row | (15 - in);
    case 0x141: /* row_half_mirror */
        return (i & ~7) | (7 - (i & 7));
    case 0x142: /* row_bcast15: the last lane of the row before */
        return row ? row - 1 : -1;
    default: /* row_bcast31 */
        return i >= 32 ? 31 : -1;
    }
}

/* The DPP permutation of a source; lanes that must not be written leave *exec. */
static void permute(const struct gcn_uop *u, const uint32_t *from, uint32_t *to, uint64_t *exec)
{
    const uint64_t active = *exec;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const int source = gcn_dpp_lane(u->dpp, (int)i);
        const bool enabled = (u->row_mask >> (i / 16) & 1) && (u->bank_mask >> (i / 4 % 4) & 1);
        /* A source lane that EXEC disables counts as out of bounds. */
        const bool valid = source >= 0 && (active >> source & 1 || u->fetches_inactive);
        to[i] = valid ? from[source] : 0;
        if (!enabled || (!valid && !u->bound_ctrl))
            *exec &= ~((uint64_t)1 << i);
    }
}

/* The values of 64 bits of source i; false where indexing leaves the wave's registers. */
static bool fetch64(struct gcn_wave *w, const struct gcn_uop *u, unsigned i, bool floating,
                    uint64_t *to, uint64_t *exec)
{
    const unsigned n = u->src[i];
    const bool abs = u->abs >> i & 1, neg = u->neg >> i & 1;
    if (n >= GCN_VGPR) {
        const unsigned r = indexed(w, u, n - GCN_VGPR, i);
        uint32_t low[GCN_LANES], high[GCN_LANES];
        uint64_t lanes = *exec;
        if (r + 1 >= w->vgprs)
            return false;
        if (i == 0 && u->form == GCN_FORM_DPP) {
            permute(u, w->v[r], low, exec);
            permute(u, w->v[r + 1], high, &lanes);
            join(to, low, high);
        } else {
            join(to, w->v[r], w->v[r + 1]);
        }
    } else {
        const uint64_t value = gcn_scalar64(w, u, n, floating);
        for (unsigned l = 0; l < GCN_LANES; l++)
            to[l] = value;
    }
    if (floating && (abs || neg))
        modify64(to, abs, neg);
    return true;
}

/* The two singles of source i; of a constant the second one is 0; false likewise. */
static bool fetch_pair(struct gcn_wave *w, const struct gcn_uop *u, unsigned i, union row *to)
{
    const unsigned n = u->src[i], r = indexed(w, u, n - GCN_VGPR, i);
    if (n >= GCN_VGPR) {
        if (r + 1 >= w->vgprs)
            return false;
        memcpy(to->q, w->v[r], 2 * sizeof to->q[0]);
        return true;
    }
    const uint64_t value = n < GCN_INLINE ? gcn_scalar64(w, u, n, false) : gcn_scalar32(w, u, n);
    for (unsigned l = 0; l < GCN_LANES; l++) {
        to->q[0][l] = (uint32_t)value;
        to->q[1][l] = (uint32_t)(value >> 32);
    }
    return true;
}

/* The values of 128 bits of source i, which are registers; false likewise. */
static bool fetch128(struct gcn_wave *w, const struct gcn_uop *u, unsigned i, union row *to)
{
    const unsigned n = u->src[i], r = indexed(w, u, n - GCN_VGPR, i);
    if (n < GCN_VGPR || r + 3 >= w->vgprs)
        return false;
    memcpy(to->q, w->v[r], sizeof to->q);
    return true;
}

/* A scalar source of 32 bits. Of a constant, halves of mixed-precision and packed instructions see
 * the 16-bit one. */
static uint32_t scalar_of_type(struct gcn_wave *w, const struct gcn_uop *u, unsigned i, char type)
{
    const unsigned n = u->src[i];
    const uint32_t value = gcn_scalar32(w, u, n);
    const bool constant = n >= GCN_HALF && n < GCN_HALF + 9;
    if ((type == 'h' && n >= GCN_INLINE) || (type == 'P' && constant) ||
        (type == 'x' && constant && (u->op_sel_hi >> i & 1)))
        return gcn_inline16(n, true, value);
    return value;
}

/* The values of 32 bits of source i before modifiers: the register itself or `to`; NULL where
 * indexing leaves the wave's registers. */
static inline __attribute__((always_inline)) const uint32_t *fetch32(struct gcn_wave *w,
                                                                     const struct gcn_uop *u,
                                                                     unsigned i, char type,
                                                                     uint32_t *to, uint64_t *exec)
{
    const unsigned n = u->src[i];
    if (n < GCN_VGPR) {
        const uint32_t value = scalar_of_type(w, u, i, type);
        for (unsigned l = 0; l < GCN_LANES; l++)
            to[l] = value;
        return to;
    }
    const unsigned r = indexed(w, u, n - GCN_VGPR, i);
    if (r >= w->vgprs)
        return NULL;
    if (i != 0 || u->form != GCN_FORM_DPP)
        return w->v[r];
    permute(u, w->v[r], to, exec);
    return to;
}

/*
 * Source i as the row function wants it, by the type of its operand, in *source: the register
 * itself or its values in `to`. False where indexing leaves the wave's registers. Inlined because
 * general() calls it for each source.
 */
static inline __attribute__((always_inline)) bool fetch(struct gcn_wave *w, const struct gcn_uop *u,
                                                        unsigned i, char type, union row *to,
                                                        const void **source, uint64_t *exec)
{
    const bool abs = u->abs >> i & 1, neg = u->neg >> i & 1, high = u->op_sel >> i & 1;
    if (type == 'U' || type == 'F')
        return fetch64(w, u, i, type == 'F', to->d, exec);
    if (type == 'Q')
        return fetch128(w, u, i, to);
    if (type == 'B' || type == 'b') {
        *source = to->q[type == 'b' && high];
        return fetch_pair(w, u, i, to);
    }
    const uint32_t *from = fetch32(w, u, i, type, to->w, exec);
    if (!from)
        return false;
    if (u->form == GCN_FORM_SDWA && i < 2 && u->sel[i] != 6) {
        const bool byte = u->sel[i] < 4;
        take_part(to->w, from, byte ? 8u * u->sel[i] : 16 * (u->sel[i] - 4u), byte ? 8 : 16,
                  u->sext >> i & 1);
        from = to->w;
    }
    if (type == 'h' || type == 's') {
        take_part(to->w, from, high ? 16 : 0, 16, false);
        from = to->w;
    }
    /* v_cndmask_b32 chooses between values of either kind and takes the modifiers. */
    if ((abs || neg) &&
        (type == 'f' || type == 'h' || (type == 'u' && u->row == &gcn_rows[GCN_I_v_cndmask_b32]))) {
        modify32(to->w, from, type == 'h' ? F16_SIGN : F32_SIGN, abs, neg);
        from = to->w;
    }
    *source = from;
    return true;
}

/* The low bits of each value at a place of the register, whose bits in `keep` stay; those above the
 * value become its sign (sext) or 0. */
static CLONED place(uint32_t *to, const uint32_t *from, const uint32_t *on, unsigned at,
                    unsigned bits, bool sext, uint32_t keep)
{
    const unsigned above = 32 - bits;
    LANES {
        const uint32_t value =
            sext ? (uint32_t)((int32_t)(from[i] << above) >> above) : from[i] << above >> above;
        const uint32_t placed = (to[i] & keep) | value << at;
        to[i] = (to[i] & ~on[i]) | (placed & on[i]);
    }
}

/* Puts a 32-bit result into the part that SDWA or OP_SEL chooses. */
static void write_part(const struct gcn_uop *u, char type, uint32_t *to, const uint32_t *from,
                       const uint32_t *on)
{
    if (u->form == GCN_FORM_SDWA && u->sel[2] < 6) {
        const bool byte = u->sel[2] < 4;
        const unsigned at = byte ? 8 * u->sel[2] : 16 * (u->sel[2] - 4u), bits = byte ? 8 : 16;
        const uint32_t part = (byte ? 0xffu : 0xffffu) << at;
        /* UNUSED_SEXT: what lies above is the sign, below zero; UNUSED_PRESERVE: it stays */
        place(to, from, on, at, bits, u->unused == 1, u->unused == 2 ? ~part : 0);
    } else if (type == 'h' || type == 's') {
        const bool high = gcn_writes_high_half(u);
        place(to, from, on, high ? 16 : 0, 16, false,
              high                      ? 0xffff
              : gcn_keeps_other_half(u) ? 0xffff0000
                                        : 0);
    } else {
        gcn_blend(to, from, on);
    }
}

static void write_back(struct gcn_wave *w, const struct gcn_uop *u, char type, unsigned r,
                       const union row *result, uint64_t exec)
{
    if (type == 'U' || type == 'F') {
        split(w->v[r], w->v[r + 1], result->d, gcn_lanes_on(w, exec));
        return;
    }
    if (type == 'Q' || type == 'B') {
        for (unsigned k = 0; k < gcn_registers_of(type); k++)
            gcn_blend(w->v[r + k], result->q[k], gcn_lanes_on(w, exec));
        return;
    }
    write_part(u, type, w->v[r], result->w, gcn_lanes_on(w, exec));
}

static const struct gcn_uop *general(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (skipped(w))
        return gcn_next(u);
    if (u->last_vgpr >= w->vgprs)
        return no_vgpr(w, u);
    union row room[3], result;
    _Alignas(64) uint32_t mask[GCN_LANES];
    uint64_t exec = gcn_exec(w);
    struct gcn_valu v = {.w = w, .u = u, .d = &result, .m = mask};
    const void **source[3] = {&v.a, &v.b, &v.c};
    const char *results = u->row->operands, *types = results;
    while (*types++ != ':')
        ;
    const unsigned dst = *results == 'S' ? u->dst : indexed(w, u, u->dst, 3);
    for (unsigned i = 0; i < 3 && types[i]; i++) {
        *source[i] = &room[i];
        if (types[i] == 'm') {
            v.mask = gcn_mask(w, u, u->smask);
        } else if (types[i] == 'd') {
            if (dst + (*results == 'F') >= w->vgprs)
                return no_vgpr(w, u);
            if (*results == 'F')
                join(room[i].d, w->v[dst], w->v[dst + 1]);
            else
                memcpy(room[i].w, w->v[dst], sizeof room[i].w);
        } else if (!fetch(w, u, i, types[i], &room[i], source[i], &exec)) {
            return no_vgpr(w, u);
        }
    }
    v.exec = exec;
    u->row->function(&v);
    if (*results == 'm') {
        write_mask(w, u, mask, exec);
    } else if (*results == 'S') {
        gcn_write_scalar(w, u->dst, v.scalar);
    } else if (*results != ':') {
        if ((u->clamp || u->omod) && strchr("fhF", *results))
            gcn_fp_output(w, u, *results, &result);
        if (dst + gcn_registers_of(*results) > w->vgprs)
            return no_vgpr(w, u);
        write_back(w, u, *results, dst, &result, exec);
        if (results[1] == 'm')
            write_mask(w, u, mask, exec);
    }
    return gcn_next(u);
}

/* The registers that an instruction may have changed: scalar registers and its destination. */
struct effect {
    uint32_t s[GCN_SCALARS];
    uint32_t v[4][GCN_LANES];
};

static void copy_effect(struct effect *e, struct gcn_wave *w, unsigned dst, bool back)
{
    const unsigned rows = dst >= w->vgprs ? 0 : w->vgprs - dst < 4 ? w->vgprs - dst : 4;
    memcpy(back ? w->s : e->s, back ? e->s : w->s, sizeof e->s);
    if (rows)
        memcpy(back ? w->v[dst] : e->v[0], back ? e->v[0] : w->v[dst], rows * sizeof e->v[0]);
}

/* Notes the sources of a lane, for the report of its exception. */
static void note_operands(struct gcn_wave *w, const struct gcn_uop *u, unsigned dst, unsigned lane)
{
    struct gcn_raise *raise = gcn_raise_of(w);
    if (!raise)
        return;
    char *text = raise->operands;
    const size_t size = sizeof raise->operands;
    const char *results = u->row->operands, *types = strchr(results, ':') + 1;
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < 3 && types[i]; i++) {
        union row room;
        const void *source = &room;
        uint64_t exec = gcn_exec(w), value = 0;
        char one[80];
        const bool wide = types[i] == 'U' || types[i] == 'F';
        if (types[i] == 'd' && dst < w->vgprs) /* the destination's old value, of its type */
            snprintf(one, sizeof one, "v%u = 0x%08x", dst, w->v[dst][lane]);
        else if (strchr("mdQB", types[i]) || !fetch(w, u, i, types[i], &room, &source, &exec))
            continue;
        else {
            value = wide ? ((const uint64_t *)source)[lane] : ((const uint32_t *)source)[lane];
            gcn_operand_text(u, i, types[i], value, one, sizeof one);
        }
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", one);
    }
}

/* The lanes that raise one of the exceptions: each lane is tried alone on the earlier values. */
static uint64_t raising(struct gcn_wave *w, const struct gcn_uop *u, struct effect *before,
                        unsigned dst, uint32_t enabled)
{
    struct effect after;
    const uint32_t trapsts = w->trapsts;
    const uint64_t exec = gcn_pair(&before->s[GCN_EXEC]);
    uint64_t lanes = 0;
    copy_effect(&after, w, dst, false);
    for (uint64_t left = exec; left; left &= left - 1) {
        copy_effect(before, w, dst, true);
        gcn_set_pair(&w->s[GCN_EXEC], left & (0 - left));
        w->trapsts &= ~(uint32_t)0x7f;
        general(w, u);
        lanes |= w->trapsts & enabled ? left & (0 - left) : 0;
    }
    if (lanes) {
        copy_effect(before, w, dst, true);
        note_operands(w, u, dst, (unsigned)__builtin_ctzll(lanes));
    }
    copy_effect(&after, w, dst, true);
    w->trapsts = trapsts;
    return lanes;
}

/* With EXCP_EN, an instruction that raises one of its exceptions traps once it is done. */
static __attribute__((noinline)) const struct gcn_uop *may_trap(struct gcn_wave *w,
                                                                const struct gcn_uop *u)
{
    const uint32_t enabled = (w->mode & GCN_MODE_EXCP_EN) >> 12, earlier = w->trapsts & 0x7f;
    struct effect before;
    const unsigned dst = indexed(w, u, u->dst, 3);
    copy_effect(&before, w, dst, false);
    w->trapsts &= ~(uint32_t)0x7f;
    const struct gcn_uop *next = general(w, u);
    const uint32_t raised = w->trapsts & enabled;
    const bool traps = next && raised && !(w->status & GCN_STATUS_PRIV);
    const uint64_t lanes = traps ? raising(w, u, &before, dst, enabled) : 0;
    w->trapsts |= earlier;
    return traps ? gcn_raised(w, u, raised, lanes) : next;
}

/* The handler of all other vector instructions: every form and modifier, GPR indexing, enabled
 * exceptions. */
static const struct gcn_uop *valu_any(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (w->mode & GCN_MODE_EXCP_EN && u->row != &gcn_rows[GCN_I_v_clrexcp])
        return may_trap(w, u);
    return general(w, u);
}

/* v_writelane_b32 does not look at EXEC. */
static const struct gcn_uop *valu_writelane(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (skipped(w))
        return gcn_next(u);
    if (u->last_vgpr >= w->vgprs)
        return no_vgpr(w, u);
    const uint32_t value = gcn_scalar32(w, u, u->src[0]);
    w->v[u->dst][gcn_scalar32(w, u, u->src[1]) & (gcn_lanes_of(w) - 1)] = value;
    return gcn_next(u);
}

/* The handler of v_swap_b32 and v_swaprel_b32, which write both registers. */
static const struct gcn_uop *valu_swap(struct gcn_wave *w, const struct gcn_uop *u)
{
    const bool named = u->relative;
    const unsigned first = named ? indexed(w, u, u->dst, 3) : u->dst,
                   second = (named ? indexed(w, u, u->src[0], 0) : u->src[0]) - GCN_VGPR;
    if (skipped(w))
        return gcn_next(u);
    if (first >= w->vgprs || second >= w->vgprs)
        return no_vgpr(w, u);
    const uint64_t exec = gcn_exec(w);
    uint32_t *a = w->v[first], *b = w->v[second];
    for (unsigned l = 0; l < GCN_LANES; l++) {
        if (exec >> l & 1) {
            const uint32_t old = a[l];
            a[l] = b[l];
            b[l] = old;
        }
    }
    return gcn_next(u);
}

/*
 * The handler of v_permlane16_b32 and v_permlanex16_b32: each lane reads the lane of its row of 16,
 * or of the other row of its pair, that its 4 bits of two scalars name. OP_SEL has FI, whether
 * lanes that EXEC disables are read, then BOUND_CTRL, whether they read as 0; else the result
 * stays.
 */
static const struct gcn_uop *valu_permlane(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (u->last_vgpr >= w->vgprs || u->src[0] < GCN_VGPR)
        return no_vgpr(w, u);
    const uint64_t exec = gcn_exec(w), select = gcn_scalar32(w, u, u->src[1]) |
                                                (uint64_t)gcn_scalar32(w, u, u->src[2]) << 32;
    const unsigned cross = u->row == &gcn_rows[GCN_I_v_permlanex16_b32] ? 16 : 0;
    const bool inactive = u->op_sel & 1, zero = u->op_sel & 2;
    const uint32_t *from = w->v[u->src[0] - GCN_VGPR];
    uint32_t result[GCN_LANES];
    uint64_t lanes = exec;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const unsigned source = ((i & ~15u) ^ cross) | (select >> 4 * (i & 15) & 15);
        const bool valid = inactive || exec >> source & 1;
        result[i] = valid ? from[source] : 0;
        lanes &= ~((uint64_t)(!valid && !zero) << i);
    }
    gcn_blend(w->v[u->dst], result, gcn_lanes_on(w, lanes));
    return gcn_next(u);
}

/* Moves of accumulation registers, which can be indexed (the kernel driver's handler for Arcturus
 * does that); MODE's other fields and exceptions do not matter. */
static const struct gcn_uop *valu_move(struct gcn_wave *w, const struct gcn_uop *u)
{
    uint32_t room[GCN_LANES];
    const unsigned dst = indexed(w, u, u->dst, 3),
                   src = u->src[0] < GCN_VGPR ? u->src[0] : indexed(w, u, u->src[0], 0);
    if (skipped(w))
        return gcn_next(u);
    if (!gcn_has_row(w, dst) || dst / GCN_AGPR != u->dst / GCN_AGPR ||
        (src >= GCN_VGPR &&
         (!gcn_has_row(w, src - GCN_VGPR) || src / GCN_AGPR != u->src[0] / GCN_AGPR)))
        return no_vgpr(w, u);
    gcn_blend(w->v[dst], fetch_plain(w, u, src, room), gcn_lanes_on(w, gcn_exec(w)));
    return gcn_next(u);
}

enum { MOST_SUMS = 32 }; /* registers of C and D */

/* All values of C are one constant; doubles have theirs in two registers. */
static const void *constant_sums(struct gcn_wave *w, const struct gcn_uop *u,
                                 uint32_t (*room)[GCN_LANES])
{
    const bool wide = gcn_mfma_of(u->row)->type == GCN_MATRIX_F64;
    const uint64_t value =
        wide ? gcn_scalar64(w, u, u->src[2], true) : gcn_scalar32(w, u, u->src[2]);
    for (unsigned i = 0; i < u->result; i++)
        for (unsigned l = 0; l < GCN_LANES; l++)
            room[i][l] = (uint32_t)(value >> (wide && i % 2 ? 32 : 0));
    return room;
}

void gcn_vop_mfma(struct gcn_valu *v)
{
    gcn_multiply_matrices(v->u, gcn_model_of(v->w->device)->flushes_matrices, v->d, v->a, v->b,
                          v->c);
}

/* Products of matrices: EXEC does not matter. C may be a constant. */
static const struct gcn_uop *valu_matrix(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (skipped(w))
        return gcn_next(u);
    if (u->last_vgpr >= w->vgprs || u->agprs > w->agprs)
        return no_vgpr(w, u);
    struct gcn_valu v = {.w = w,
                         .u = u,
                         .d = w->v[u->dst],
                         .a = w->v[u->src[0] - GCN_VGPR],
                         .b = w->v[u->src[1] - GCN_VGPR]};
    uint32_t room[MOST_SUMS][GCN_LANES];
    v.c = u->src[2] < GCN_VGPR ? constant_sums(w, u, room) : w->v[u->src[2] - GCN_VGPR];
    u->row->function(&v);
    return gcn_next(u);
}

gcn_op gcn_handler_of(const struct gcn_uop *u)
{
    if (!gcn_row_executes(u->row))
        return gcn_illegal;
    if (u->row->encoding < GCN_VOP2 || u->row->encoding > GCN_VOP3P)
        return u->row->op;
    if (u->row == &gcn_rows[GCN_I_v_writelane_b32])
        return valu_writelane;
    if (u->row->function == gcn_vop_v_permlane16_b32)
        return valu_permlane;
    if (u->row->function == gcn_vop_v_swap_b32)
        return u->src[0] >= GCN_VGPR ? valu_swap : gcn_illegal;
    static const gcn_op path[] = {[GCN_PATH_ANY] = valu_any,
                                  [GCN_PATH_PLAIN] = valu_plain,
                                  [GCN_PATH_WHOLE] = valu_whole,
                                  [GCN_PATH_MOVE] = valu_move,
                                  [GCN_PATH_MATRIX] = valu_matrix};
    return path[u->path];
}
