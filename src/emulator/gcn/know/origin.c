/*
 * What gfx900's code does with addresses (machine/origin.h). An address of 64 bits is followed by
 * its lower register, which has the whole value here; nothing is known of upper ones.
 *
 * Vector instructions leave the lanes alone that are switched off. So each vector register has two
 * values: that of the lanes that are on, and that of the others. Where lanes are switched off, some
 * come to the others; where they may be switched on, both are one of the two.
 */
#include "emulator/machine/origin.h"

#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"

enum {
    SCALARS = 128,
    VECTORS = 256,
    ON = SCALARS,
    OFF = ON + VECTORS,
    TESTED = OFF + VECTORS, /* VCC says of which value that it is not -1 */
    REGISTERS,
};

static void begin(void *context, struct wt_flow *f, wt_origin_value *reg)
{
    for (unsigned r = 0; r < REGISTERS; r++)
        reg[r] = wt_flow_number(f);
    reg[TESTED] = wt_flow_constant(f, 0);
}

/* The value that an operand reads. */
static wt_origin_value value_of(struct wt_flow *f, const wt_origin_value *reg,
                                const struct wt_insn_operand *o)
{
    wt_origin_value v = wt_flow_index(f);
    if (o->kind == WT_OPERAND_CONSTANT)
        return wt_flow_constant(f, o->value);
    if (o->file == GCN_FILE_V)
        v = reg[ON + o->number % VECTORS];
    else if (o->file == GCN_FILE_S)
        v = reg[o->number % SCALARS];
    return o->first || o->bits < 32 || (o->crosses && o->file == GCN_FILE_V)
               ? wt_flow_mixed(f, v, v)
               : v;
}

/* An instruction's sources that are values, in the order of its row. */
struct sources {
    unsigned count;
    wt_origin_value value[4];
};

static struct sources sources_of(struct wt_flow *f, const wt_origin_value *reg,
                                 const struct wt_insn_operands *o)
{
    struct sources s = {0};
    for (unsigned i = 0; i < o->count && s.count < 4; i++)
        if (o->list[i].reads && !o->list[i].writes && !o->list[i].aside &&
            o->list[i].kind != WT_OPERAND_MEMORY && o->list[i].file != GCN_FILE_STATE)
            s.value[s.count++] = value_of(f, reg, &o->list[i]);
    while (s.count < 4)
        s.value[s.count++] = wt_flow_constant(f, 0);
    return s;
}

static wt_origin_value mixed(struct wt_flow *f, const wt_origin_value *reg,
                             const struct wt_insn_operands *o)
{
    wt_origin_value all = wt_flow_index(f);
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].reads && o->list[i].kind != WT_OPERAND_MEMORY)
            all = wt_flow_picked(f, all, value_of(f, reg, &o->list[i]));
    return all;
}

/* LLVM makes an address of generic memory of one of LDS or private memory: "v_cmp_ne_u32 vcc, -1,
 * X" and "v_cndmask_b32 …, 0, X, vcc"; the null pointer of the one is -1, of the other 0. */
static bool is_converted(struct wt_flow *f, const struct gcn_uop *u, const wt_origin_value *reg,
                         const struct sources *s)
{
    int64_t zero;
    return u->smask == GCN_VCC && wt_flow_is_constant(f, s->value[0], &zero) && !zero &&
           s->value[1] == reg[TESTED];
}

/* A result of 32 bits or more, as far as it says where addresses come from. */
static wt_origin_value result(struct wt_flow *f, const struct gcn_uop *u, uint64_t pc,
                              const wt_origin_value *reg, const struct wt_insn_operands *o)
{
    const struct sources s = sources_of(f, reg, o);
    const wt_origin_value a = s.value[0], b = s.value[1], c = s.value[2];
    if (u->form == GCN_FORM_SDWA || u->form == GCN_FORM_DPP || u->clamp)
        return mixed(f, reg, o);
    switch ((enum gcn_id)(u->row - gcn_rows)) {
    case GCN_I_s_mov_b32:
    case GCN_I_s_mov_b64:
    case GCN_I_s_movk_i32:
    case GCN_I_v_mov_b32:
    case GCN_I_v_readfirstlane_b32:
        return a;
    case GCN_I_s_getpc_b64:
        return wt_flow_constant(f, (int64_t)(pc + 4u * u->length));
    case GCN_I_s_add_u32:
    case GCN_I_s_add_i32:
    case GCN_I_s_addk_i32:
    case GCN_I_v_add_u32:
    case GCN_I_v_add_i32:
    case GCN_I_v_add_co_u32:
        return wt_flow_sum(f, a, b);
    case GCN_I_s_sub_u32:
    case GCN_I_s_sub_i32:
    case GCN_I_v_sub_u32:
    case GCN_I_v_sub_i32:
    case GCN_I_v_sub_co_u32:
        return wt_flow_difference(f, a, b);
    case GCN_I_v_subrev_u32:
    case GCN_I_v_subrev_co_u32:
        return wt_flow_difference(f, b, a);
    case GCN_I_s_mul_i32:
    case GCN_I_s_mulk_i32:
    case GCN_I_v_mul_lo_u32:
    case GCN_I_v_mul_u32_u24:
    case GCN_I_v_mul_i32_i24:
        return wt_flow_product(f, a, b);
    case GCN_I_v_mad_u32_u24:
    case GCN_I_v_mad_i32_i24:
    case GCN_I_v_mad_u64_u32:
    case GCN_I_v_mad_i64_i32:
        return wt_flow_sum(f, wt_flow_product(f, a, b), c);
    case GCN_I_s_lshl_b32:
    case GCN_I_s_lshl_b64:
        return wt_flow_shifted(f, a, b);
    case GCN_I_v_lshlrev_b32:
    case GCN_I_v_lshlrev_b64:
        return wt_flow_shifted(f, b, a);
    case GCN_I_s_lshl1_add_u32:
    case GCN_I_s_lshl2_add_u32:
    case GCN_I_s_lshl3_add_u32:
    case GCN_I_s_lshl4_add_u32:
        return wt_flow_sum(
            f,
            wt_flow_shifted(
                f, a, wt_flow_constant(f, (int)(u->row - gcn_rows) - GCN_I_s_lshl1_add_u32 + 1)),
            b);
    case GCN_I_v_lshl_add_u32:
        return wt_flow_sum(f, wt_flow_shifted(f, a, b), c);
    case GCN_I_v_add_lshl_u32:
        return wt_flow_shifted(f, wt_flow_sum(f, a, b), c);
    case GCN_I_v_add3_u32:
        return wt_flow_sum(f, wt_flow_sum(f, a, b), c);
    case GCN_I_v_lshl_or_b32:
        return wt_flow_or(f, wt_flow_shifted(f, a, b), c);
    case GCN_I_v_and_or_b32:
        return wt_flow_or(f, wt_flow_and(f, a, b), c);
    case GCN_I_v_or3_b32:
        return wt_flow_or(f, wt_flow_or(f, a, b), c);
    case GCN_I_s_and_b32:
    case GCN_I_s_and_b64:
    case GCN_I_v_and_b32:
        return wt_flow_and(f, a, b);
    case GCN_I_s_or_b32:
    case GCN_I_s_or_b64:
    case GCN_I_v_or_b32:
        return wt_flow_or(f, a, b);
    case GCN_I_s_xor_b32:
    case GCN_I_s_xor_b64:
    case GCN_I_v_xor_b32:
        return wt_flow_xor(f, a, b);
    case GCN_I_s_cselect_b32:
    case GCN_I_s_cselect_b64:
        return wt_flow_choice(f, a, b);
    case GCN_I_v_cndmask_b32:
        return is_converted(f, u, reg, &s) ? b : wt_flow_choice(f, a, b);
    case GCN_I_s_lshr_b32:
    case GCN_I_s_lshr_b64:
    case GCN_I_s_ashr_i32:
    case GCN_I_s_ashr_i64:
    case GCN_I_s_mul_hi_u32:
    case GCN_I_s_mul_hi_i32:
    case GCN_I_v_lshrrev_b32:
    case GCN_I_v_lshrrev_b64:
    case GCN_I_v_ashrrev_i32:
    case GCN_I_v_ashrrev_i64:
    case GCN_I_v_mul_hi_u32:
    case GCN_I_v_mul_hi_i32:
        return wt_flow_mixed(f, a, b);
    default:
        return mixed(f, reg, o);
    }
}

/* ---- lanes that are on, and off ---- */

static bool switches_off(const struct gcn_uop *u, const struct wt_insn_operands *o)
{
    const enum gcn_id id = (enum gcn_id)(u->row - gcn_rows);
    bool reads = false;
    for (unsigned i = 0; i < o->count; i++)
        reads |= o->list[i].reads && o->list[i].file == GCN_FILE_S &&
                 o->list[i].kind == WT_OPERAND_SCALAR && o->list[i].number == GCN_EXEC;
    return u->cmpx || id == GCN_I_s_and_saveexec_b64 ||
           (reads && (id == GCN_I_s_and_b64 || (id == GCN_I_s_andn2_b64 && u->src[0] == GCN_EXEC)));
}

static void change_lanes(struct wt_flow *f, wt_origin_value *reg, bool off)
{
    for (unsigned r = 0; r < VECTORS; r++) {
        const wt_origin_value either = wt_flow_choice(f, reg[OFF + r], reg[ON + r]);
        reg[OFF + r] = either;
        if (!off)
            reg[ON + r] = either;
    }
}

static void write(struct wt_flow *f, wt_origin_value *reg, const struct wt_insn_operand *o,
                  wt_origin_value value)
{
    const unsigned count = (o->first + o->bits + 31u) / 32, base = o->file == GCN_FILE_V ? ON : 0,
                   room = o->file == GCN_FILE_V ? VECTORS : SCALARS;
    const bool part = o->reads || o->keeps || o->first || o->bits < 32;
    for (unsigned i = 0; i < count && o->number + i < room; i++) {
        wt_origin_value *r = &reg[base + o->number + i];
        const wt_origin_value now = i ? wt_flow_number(f) : value;
        *r = part ? wt_flow_picked(f, *r, now) : now;
    }
}

/* ---- accesses ---- */

static wt_origin_value plus(struct wt_flow *f, wt_origin_value a, int64_t constant)
{
    return wt_flow_sum(f, a, wt_flow_constant(f, constant));
}

static wt_origin_value scalar(struct wt_flow *f, const wt_origin_value *reg, unsigned n)
{
    return n < SCALARS                   ? reg[n]
           : n >= GCN_INLINE && n <= 192 ? wt_flow_constant(f, (int)n - GCN_INLINE)
                                         : wt_flow_number(f);
}

static void note_accesses(struct wt_flow *f, const struct gcn_uop *u, const wt_origin_value *reg,
                          struct wt_flow_step *s)
{
    const wt_origin_value v = reg[ON + u->src[0] % VECTORS];
    const char *name = u->row->name;
    wt_origin_value at;
    switch ((enum gcn_encoding)u->row->encoding) {
    case GCN_SMEM:
        at = plus(f, reg[u->base % SCALARS], u->imm);
        if (u->has_soffset)
            at = wt_flow_sum(f, at, scalar(f, reg, u->soffset));
        break;
    case GCN_DS:
        if (strstr(name, "read2") || strstr(name, "write2") || strstr(name, "wrxchg2")) {
            const int64_t unit = u->size * (strstr(name, "st64") ? 64 : 1);
            s->address[s->accesses++] = plus(f, v, (u->imm & 0xff) * unit);
            at = plus(f, v, (u->imm >> 8 & 0xff) * unit);
        } else
            at = plus(f, v, u->imm);
        break;
    case GCN_FLAT:
        at = plus(f, v, u->imm);
        break;
    case GCN_GLOBAL:
        at = plus(f, u->base == 0x7f ? v : wt_flow_sum(f, reg[u->base % SCALARS], v), u->imm);
        break;
    case GCN_MUBUF:
        at = u->idxen ? wt_flow_unknown(f) : u->offen ? v : wt_flow_constant(f, 0);
        at = plus(f, wt_flow_sum(f, at, scalar(f, reg, u->soffset)), u->imm);
        break;
    default:
        return;
    }
    s->address[s->accesses++] = at;
}

/* ---- instructions ---- */

static void flow(struct wt_flow *f, const struct gcn_uop *u, uint64_t pc,
                 const wt_origin_value *reg, struct wt_flow_step *s)
{
    int64_t constant;
    const enum gcn_id id = (enum gcn_id)(u->row - gcn_rows);
    s->target = pc + 4 + (uint64_t)((int64_t)u->imm * 4);
    switch (id) {
    case GCN_I_s_endpgm:
    case GCN_I_s_endpgm_saved:
        s->falls = false;
        break;
    case GCN_I_s_branch:
        s->falls = false;
        s->branches = true;
        break;
    case GCN_I_s_cbranch_scc0:
    case GCN_I_s_cbranch_scc1:
    case GCN_I_s_cbranch_vccz:
    case GCN_I_s_cbranch_vccnz:
    case GCN_I_s_cbranch_execz:
    case GCN_I_s_cbranch_execnz:
        s->branches = true;
        break;
    case GCN_I_s_setpc_b64: /* s[30:31]: a function's return */
        s->falls = false;
        s->branches = wt_flow_is_constant(f, reg[u->src[0] % SCALARS], &constant);
        s->loses = !s->branches && u->src[0] != 30;
        s->target = (uint64_t)constant;
        break;
    case GCN_I_s_cbranch_g_fork:
    case GCN_I_s_cbranch_i_fork:
    case GCN_I_s_cbranch_join:
    case GCN_I_s_rfe_b64:
    case GCN_I_s_rfe_restore_b64:
    case GCN_I_s_set_gpr_idx_on:
    case GCN_I_s_movreld_b32:
    case GCN_I_s_movreld_b64:
        s->loses = true;
        break;
    default:
        break;
    }
}

static bool is_call(const struct gcn_uop *u)
{
    return u->row == &gcn_rows[GCN_I_s_swappc_b64] || u->row == &gcn_rows[GCN_I_s_call_b64];
}

static bool step(void *context, struct wt_flow *f, uint64_t pc, wt_origin_value *reg,
                 struct wt_flow_step *s)
{
    struct gcn_device *d = context;
    struct gcn_uop u;
    struct wt_insn_operands o;
    int64_t minus;
    if (!gcn_uop_at(d, pc, &u) || !gcn_operands(&u, &o))
        return false;
    s->bytes = 4u * u.length;
    s->falls = true;
    flow(f, &u, pc, reg, s);
    note_accesses(f, &u, reg, s);
    if (is_call(&u)) {
        begin(context, f, reg);
        return true;
    }
    const bool loads = s->accesses;
    wt_origin_value value = loads ? wt_flow_number(f) : result(f, &u, pc, reg, &o), tested = 0;
    if (loads && u.size == 1) /* perhaps a bool */
        value = wt_flow_sum(f, value, wt_flow_bit(f));
    const struct sources from = sources_of(f, reg, &o);
    const bool tests = u.row == &gcn_rows[GCN_I_v_cmp_ne_u32] &&
                       wt_flow_is_constant(f, from.value[0], &minus) && minus == -1;
    if (tests)
        tested = from.value[1];
    bool first = true, lanes = false;
    for (unsigned i = 0; i < o.count; i++) {
        const struct wt_insn_operand *x = &o.list[i];
        if (!x->writes || x->kind == WT_OPERAND_MEMORY || x->file > GCN_FILE_S)
            continue;
        write(f, reg, x, first ? value : wt_flow_number(f));
        first = false;
        lanes |= x->file == GCN_FILE_S && x->number <= GCN_EXEC + 1 &&
                 x->number + (x->bits + 31u) / 32 > GCN_EXEC;
        if (x->file == GCN_FILE_S && x->number <= GCN_VCC + 1 &&
            x->number + (x->bits + 31u) / 32 > GCN_VCC)
            reg[TESTED] = tests ? tested : wt_flow_constant(f, 0);
    }
    if (lanes)
        change_lanes(f, reg, switches_off(&u, &o));
    return true;
}

struct wt_origin *gcn_origins(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t end,
                              size_t *count)
{
    static const struct wt_flow_family family = {
        .registers = REGISTERS, .stack = WT_ORIGIN_NO_BASE, .begin = begin, .step = step};
    return wt_origins_find(&family, m, first, end, count);
}
