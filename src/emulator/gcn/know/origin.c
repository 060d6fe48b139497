/*
 * The effect of AMD's code on addresses (machine/origin.h). An address of 64 bits is followed by
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
#include "emulator/machine/meaning.h"

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

static wt_origin_value mixed(struct wt_flow *f, const wt_origin_value *reg,
                             const struct wt_insn_operands *o)
{
    wt_origin_value all = wt_flow_index(f);
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].reads && o->list[i].kind != WT_OPERAND_MEMORY)
            all = wt_flow_picked(f, all, value_of(f, reg, &o->list[i]));
    return all;
}

/* The leaves of an instruction's meaning; of a value of 64 bits the lower register. */
static void leaves_of(struct wt_flow *f, const struct gcn_uop *u, uint64_t pc,
                      const wt_origin_value *reg, const struct wt_insn_operands *o,
                      wt_origin_value leaf[WT_M_LEAVES])
{
    for (unsigned i = 0; i < WT_M_LEAVES; i++)
        leaf[i] = wt_flow_index(f);
    for (unsigned i = o->count; i-- > 0;)
        if (o->list[i].reads && o->list[i].leaf)
            leaf[o->list[i].leaf] = value_of(f, reg, &o->list[i]);
    leaf[WT_M_NEXT] = wt_flow_constant(f, (int64_t)(pc + 4u * u->length));
}

/* LLVM makes an address of generic memory of one of LDS or private memory: "v_cmp_ne_u32 vcc, -1,
 * X" and "v_cndmask_b32 …, 0, X, vcc"; the null pointer of the one is -1, of the other 0. */
static bool is_converted(const struct wt_flow *f, const struct gcn_uop *u, const uint8_t *code,
                         const wt_origin_value *reg, const wt_origin_value *leaf)
{
    static const uint8_t choice[] = {WT_M_SELECT, WT_M_C, WT_M_B, WT_M_A};
    int64_t zero;
    return wt_meaning_begins(code, choice, sizeof choice) && u->smask == GCN_VCC &&
           wt_flow_is_constant(f, leaf[WT_M_A], &zero) && !zero && leaf[WT_M_B] == reg[TESTED];
}

/* A result of 32 bits or more, as far as it says where addresses come from. */
static wt_origin_value result(struct wt_flow *f, const struct gcn_uop *u,
                              const wt_origin_value *reg, const struct wt_insn_operands *o,
                              unsigned which, const wt_origin_value *leaf)
{
    const uint8_t *code = wt_meaning_result(o->meaning, which);
    if (o->operation != WT_DOES_MEANT || !code || o->packed || o->clamp || o->mixes ||
        u->form == GCN_FORM_SDWA || u->form == GCN_FORM_DPP)
        return mixed(f, reg, o);
    return is_converted(f, u, code, reg, leaf) ? leaf[WT_M_B] : wt_flow_meaning(f, &code, leaf);
}

/* ---- lanes that are on, and off ---- */

/* Whether lanes that it switches on were on: "and" with EXEC, as a leaf or in a register. */
static bool switches_off(const struct gcn_uop *u, const struct wt_insn_operands *o)
{
    uint32_t lanes = 0; /* leaves that EXEC is */
    const uint8_t *code = NULL;
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        const bool is_exec =
            x->kind == WT_OPERAND_SCALAR && x->file == GCN_FILE_S && x->number == GCN_EXEC;
        lanes |= is_exec && x->reads ? UINT32_C(1) << x->leaf : 0;
        code = is_exec && x->writes && x->result ? wt_meaning_result(o->meaning, x->result) : code;
    }
    if (u->cmpx || !code || *code != WT_M_AND)
        return u->cmpx;
    code++;
    for (unsigned i = 0; i < 2; i++) {
        if (*code < WT_M_LEAVES && lanes >> *code & 1)
            return true;
        wt_meaning_skip(&code);
    }
    return false;
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
    const bool part = o->reads || o->keeps || o->first || o->bits < 32 || o->whose != WT_LANE_OWN;
    for (unsigned i = 0; i < count && o->number + i < room; i++) {
        wt_origin_value *r = &reg[base + o->number + i];
        const wt_origin_value now = i ? wt_flow_number(f) : value;
        *r = part ? wt_flow_picked(f, *r, now) : now;
    }
}

/* ---- accesses ---- */

static wt_origin_value scalar(struct wt_flow *f, const wt_origin_value *reg, unsigned n)
{
    return n < SCALARS                   ? reg[n]
           : n >= GCN_INLINE && n <= 192 ? wt_flow_constant(f, (int)n - GCN_INLINE)
                                         : wt_flow_number(f);
}

/* The leaves of an address. */
static void address_of(struct wt_flow *f, const struct gcn_uop *u, const wt_origin_value *reg,
                       wt_origin_value leaf[WT_M_LEAVES])
{
    const bool buffer = u->row->encoding == GCN_MUBUF,
               based = u->row->encoding == GCN_SMEM ||
                       (u->row->encoding == GCN_GLOBAL && u->base != GCN_NO_BASE);
    const wt_origin_value zero = wt_flow_constant(f, 0);
    for (unsigned i = 0; i < WT_M_LEAVES; i++)
        leaf[i] = wt_flow_index(f);
    leaf[WT_M_A] = !buffer    ? reg[ON + u->src[0] % VECTORS]
                   : u->idxen ? wt_flow_unknown(f)
                   : u->offen ? reg[ON + u->src[0] % VECTORS]
                              : zero;
    leaf[WT_M_BASE] = based ? reg[u->base % SCALARS] : zero;
    leaf[WT_M_INDEX] = buffer || u->has_soffset ? scalar(f, reg, u->soffset) : zero;
    leaf[WT_M_OFFSET] = wt_flow_constant(f, u->imm);
}

static void note_accesses(struct wt_flow *f, const struct gcn_uop *u, const wt_origin_value *reg,
                          struct wt_flow_step *s)
{
    const enum gcn_encoding encoding = (enum gcn_encoding)u->row->encoding;
    wt_origin_value leaf[WT_M_LEAVES];
    if (encoding == GCN_SCRATCH || encoding == GCN_MIMG || encoding == GCN_MTBUF)
        return;
    for (const uint8_t *code = u->row->meaning; *code >= WT_M_LOAD && *code <= WT_M_ATOMIC;) {
        const uint8_t statement = *code++;
        address_of(f, u, reg, leaf);
        s->address[s->accesses++] = wt_flow_meaning(f, &code, leaf);
        if (statement == WT_M_ATOMIC)
            wt_meaning_skip(&code);
    }
}

/* ---- instructions ---- */

/* Where it goes, and whether it is a call. */
static bool flow(struct wt_flow *f, const struct gcn_uop *u, uint64_t pc,
                 const wt_origin_value *reg, struct wt_flow_step *s)
{
    enum { RETURN = 30 }; /* s[30:31] */
    const uint8_t *code = u->row->meaning;
    const char *written = strchr(u->row->state, ':');
    const bool links = *code == WT_M_OUT;
    int64_t constant;
    s->target = pc + 4 + (uint64_t)((int64_t)u->imm * 4);
    if (*code == WT_M_UNSAID) { /* it goes on elsewhere, or changes a register that nobody knows */
        s->loses = code[1] == WT_UNSAID_FORK || (code[1] == WT_UNSAID_TRAP && *u->row->operands) ||
                   (code[1] == WT_UNSAID_NAMED && strpbrk(written, "ro"));
        return false;
    }
    code = wt_meaning_jump(code);
    if (!code || links)
        return code;
    s->falls = *code != WT_M_K;
    wt_meaning_skip(&code);
    s->branches = *code == WT_M_TARGET;
    if (*code != WT_M_A)
        return false;
    s->branches = wt_flow_is_constant(f, reg[u->src[0] % SCALARS], &constant);
    s->loses = !s->branches && u->src[0] != RETURN;
    s->target = (uint64_t)constant;
    return false;
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
    const bool calls = flow(f, &u, pc, reg, s);
    note_accesses(f, &u, reg, s);
    if (calls) {
        begin(context, f, reg);
        return true;
    }
    static const uint8_t differ[] = {WT_M_NE, WT_M_A, WT_M_B};
    wt_origin_value leaf[WT_M_LEAVES], tested = 0;
    const uint8_t *mask = wt_meaning_result(o.meaning, WT_RESULT_MASK);
    leaves_of(f, &u, pc, reg, &o, leaf);
    const bool tests = mask && wt_meaning_begins(mask, differ, sizeof differ) &&
                       wt_flow_is_constant(f, leaf[WT_M_A], &minus) && minus == -1;
    if (tests)
        tested = leaf[WT_M_B];
    bool first = true, lanes = false;
    for (unsigned i = 0; i < o.count; i++) {
        const struct wt_insn_operand *x = &o.list[i];
        if (!x->writes || x->kind == WT_OPERAND_MEMORY || x->file > GCN_FILE_S)
            continue;
        wt_origin_value value = wt_flow_number(f);
        if (first && s->accesses && u.size == 1) /* perhaps a bool */
            value = wt_flow_sum(f, value, wt_flow_bit(f));
        else if (first && !s->accesses)
            value = result(f, &u, reg, &o, x->result, leaf);
        write(f, reg, x, value);
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
