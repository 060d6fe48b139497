/* Decoded instructions as rows and scalars (emulator/translate/rows.h). See block.h. */
#include <string.h>

#include "emulator/gcn/know/block.h"
#include "emulator/machine/meaning.h"
#include "emulator/translate/match.h"

/* Bytes of a vector register. */
enum { ROW_BYTES = 4 * GCN_LANES };

static uint32_t scalar_slot(unsigned n)
{
    return (uint32_t)(offsetof(struct gcn_wave, s) + sizeof(uint32_t) * n);
}

static unsigned id_of(const struct gcn_uop *u)
{
    return (unsigned)(u->row - gcn_rows);
}

/* ---- operands ---- */

/* A scalar source by its operand number; false: it is one that code does not read. */
static bool scalar_source(struct gcn_wave *w, const struct gcn_uop *u, unsigned n, bool wide,
                          struct wt_rows_source *to)
{
    const bool number =
        (n >= GCN_INLINE && n <= 208) || (n >= GCN_HALF && n < GCN_HALF + 9) || n == GCN_LITERAL;
    *to = (struct wt_rows_source){.scalar = !number, .constant = number};
    if (number)
        to->value = wide ? gcn_other_scalar64(w, u, n, false) : gcn_other_scalar32(w, u, n);
    else
        to->slot = scalar_slot(n);
    return number || n + wide < GCN_TTMP || (n == GCN_M0 && !wide) || n == GCN_EXEC ||
           (n == GCN_EXEC + 1 && !wide);
}

/* A scalar result likewise; EXEC only as a whole. */
static bool scalar_result(unsigned n, bool wide, uint32_t *slot)
{
    *slot = scalar_slot(n);
    return n + wide < GCN_TTMP || (n == GCN_M0 && !wide) || (n == GCN_EXEC && wide);
}

static bool vector_source(struct gcn_wave *w, const struct gcn_uop *u, unsigned i, char type,
                          struct wt_rows_source *to)
{
    const unsigned n = u->src[i];
    if (type == 'd' || n >= GCN_VGPR)
        *to = (struct wt_rows_source){.slot = ROW_BYTES * (type == 'd' ? u->dst : n - GCN_VGPR)};
    else if (type == 'U' || !scalar_source(w, u, n, false, to))
        return false;
    if (u->form == GCN_FORM_SDWA && i < 2 && u->sel[i] != 6) {
        const bool byte = u->sel[i] < 4;
        to->first = (uint8_t)(byte ? 8 * u->sel[i] : 16 * (u->sel[i] - 4));
        to->bits = byte ? 8 : 16;
        to->is_signed = u->sext >> i & 1;
    }
    if (type == 'f') {
        to->sign_off = u->abs >> i & 1;
        to->sign_over = u->neg >> i & 1;
    }
    return !to->constant || (!to->bits && !to->sign_off && !to->sign_over);
}

/* ---- vector instructions ---- */

/* Bits of a source by its letter. */
static unsigned bits_of(char letter)
{
    return letter == 'm' ? 1 : strchr("sh", letter) ? 16 : strchr("UF", letter) ? 64 : 32;
}

/* The operation that the row's meaning is; a source that is no part of it chooses lanes. */
static bool operation_of(const struct gcn_uop *u, struct wt_rows_match *m)
{
    const char *types = strchr(u->row->operands, ':') + 1;
    uint8_t bits[3] = {0};
    unsigned sources = 0;
    for (unsigned i = 0; i < 3 && types[i]; i++) {
        bits[i] = (uint8_t)bits_of(types[i]);
        sources += bits[i] > 1;
    }
    return *u->row->operands != 'S' && wt_rows_match(u->row->meaning, bits, false, m) &&
           m->sources == sources;
}

/* Operations on floats that code does in any mode. */
static bool is_unguarded(unsigned op)
{
    return op == WT_ROWS_FLOAT_MIN || op == WT_ROWS_FLOAT_MAX || op == WT_ROWS_FLOAT_ROOT ||
           op == WT_ROWS_FLOAT_INVERSE || op == WT_ROWS_FLOAT_CLASS ||
           op == WT_ROWS_DIVISION_SCALE || op == WT_ROWS_DIVISION_FIX;
}

/* Whether the code knows the form and its modifiers: parts of sources, and their signs. */
static bool is_plain(const struct gcn_uop *u)
{
    if (u->path != GCN_PATH_ANY)
        return true;
    const char *types = strchr(u->row->operands, ':') + 1;
    for (unsigned i = 0; i < 3; i++)
        if ((u->abs | u->neg) >> i & 1 && (i >= strlen(types) || types[i] != 'f'))
            return false;
    return u->form != GCN_FORM_DPP && !u->clamp && !u->omod && !u->op_sel &&
           (u->form != GCN_FORM_SDWA || u->sel[2] == 6) &&
           strcspn(types, "hsFQpPx") == strlen(types);
}

/* Bit-fields whose offset and width are constants, and lie within the dword. */
static bool field(struct wt_rows_insn *to)
{
    if (!to->s[1].constant || !to->s[2].constant)
        return false;
    to->s[1].value &= 31;
    to->s[2].value &= 31;
    const uint64_t room = 32 - to->s[1].value;
    to->s[2].value = to->s[2].value < room ? to->s[2].value : room;
    return to->s[2].value;
}

static bool is_double(const struct wt_rows_match *m)
{
    return m->bits == 64 && (m->op == WT_ROWS_FLOAT_ADD || m->op == WT_ROWS_FLOAT_MULTIPLY ||
                             m->op == WT_ROWS_FLOAT_MULTIPLY_ADD);
}

/* Whether two sources are the same. */
static bool is_same(const struct gcn_uop *u, unsigned i, unsigned k)
{
    const unsigned bits = u->abs | u->neg << 8;
    return u->src[i] == u->src[k] && ((bits >> i ^ bits >> k) & 0x101) == 0;
}

/* Registers of one file that an instruction uses. */
static void take_rows(uint16_t *rows, unsigned first, unsigned count)
{
    uint16_t *most = &rows[first / GCN_AGPR];
    const unsigned end = first % GCN_AGPR + count;
    *most = (uint16_t)(end > *most ? end : *most);
}

static bool vector(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                   uint16_t *rows)
{
    struct wt_rows_match match;
    const struct wt_rows_match *o = &match;
    if (!is_plain(u) || u->cmpx || !operation_of(u, &match) || is_double(&match))
        return false;
    const char *types = strchr(u->row->operands, ':') + 1;
    const bool floats = *types == 'f' || *u->row->operands == 'f';
    const bool fused = o->op == WT_ROWS_FLOAT_MULTIPLY_ADD,
               mask = o->op == WT_ROWS_SELECT || (o->carries && !fused);
    *to = (struct wt_rows_insn){.op = o->op,
                                .how = o->how,
                                .combine = o->combine,
                                .is_signed = o->is_signed,
                                .alu.modulo = true,
                                .alu.carries = o->carries,
                                .raises = floats,
                                .guarded = floats && !is_unguarded(o->op),
                                .alu.carry = scalar_slot(GCN_VCC),
                                .d = ROW_BYTES * u->dst};
    for (unsigned k = 0; k < o->sources; k++) {
        const unsigned from = o->source[k];
        const bool pair = o->op == WT_ROWS_PAIR_MULTIPLY_ADD && k == 2 && u->src[k] < GCN_VGPR;
        if (pair ? !scalar_source(w, u, u->src[k], true, &to->s[k])
                 : !vector_source(w, u, from, types[from], &to->s[k]))
            return false;
        if (o->low && k < 2) {
            if (to->s[k].bits)
                return false;
            if (to->s[k].constant)
                to->s[k].value = o->is_signed ? (uint32_t)((int32_t)(to->s[k].value << 8) >> 8)
                                              : to->s[k].value & 0xffffff;
            else
                to->s[k].bits = o->low;
            to->s[k].is_signed = o->is_signed;
        }
    }
    if (mask && (u->smask >= GCN_TTMP || !scalar_source(w, u, u->smask, true, &to->s[2])))
        return false;
    if (u->mask_result || *u->row->operands == 'm' || u->row->operands[1] == 'm') {
        if (u->sdst + 1 >= GCN_TTMP)
            return false;
        *(*u->row->operands == 'm' ? &to->d : &to->alu.carry) = scalar_slot(u->sdst);
    }
    if (o->op == WT_ROWS_DIVISION_SCALE && !is_same(u, 0, 1) && !is_same(u, 0, 2))
        return false; /* it might be denormal */
    take_rows(rows, 0, u->last_vgpr + 1u);
    return o->op != WT_ROWS_FIELD || field(to);
}

/* Sums and products of doubles: pairs of rows, if the code has vectors of 512 bits. */
static bool doubles(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                    uint16_t *rows)
{
    struct wt_rows_match m;
    const char *types = strchr(u->row->operands, ':') + 1;
    if (u->form == GCN_FORM_DPP || !operation_of(u, &m) || !is_double(&m) || u->clamp || u->omod ||
        u->op_sel || !gcn_block_has_512(w->device))
        return false;
    *to = (struct wt_rows_insn){
        .op = m.op, .wide = true, .raises = true, .guarded = true, .d = ROW_BYTES * u->dst};
    for (unsigned i = 0; i < m.sources; i++) {
        struct wt_rows_source *s = &to->s[i];
        const bool own = types[i] == 'F', /* D as a source has no signs of its own */
            off = own && u->abs >> i & 1, over = own && u->neg >> i & 1;
        if (types[i] == 'd' || u->src[i] >= GCN_VGPR)
            s->slot = ROW_BYTES * (types[i] == 'd' ? u->dst : u->src[i] - GCN_VGPR);
        else if (!scalar_source(w, u, u->src[i], true, s))
            return false;
        s->sign_off = off && !s->constant;
        s->sign_over = over && !s->constant;
        if (s->constant)
            s->value = (gcn_other_scalar64(w, u, u->src[i], true) & (UINT64_MAX >> off)) ^
                       (uint64_t)over << 63;
    }
    take_rows(rows, 0, u->last_vgpr + 1u);
    return true;
}

/* Whether an instruction on pairs of dwords moves them: its sources are dwords that OP_SEL chooses.
 */
static bool moves_pair(const struct gcn_uop *u)
{
    return strchr(u->row->operands, 'b');
}

/* Source i of half k of a packed instruction. */
static bool half_source(struct gcn_wave *w, const struct gcn_uop *u, unsigned i, unsigned k,
                        struct wt_rows_source *to)
{
    const bool moves = moves_pair(u), high = (k && !moves ? u->op_sel_hi : u->op_sel) >> i & 1,
               over = !moves && (k ? u->neg_hi : u->neg) >> i & 1;
    const unsigned n = u->src[i];
    if (n >= GCN_VGPR) {
        *to = (struct wt_rows_source){.slot = ROW_BYTES * (n + high - GCN_VGPR)};
    } else if (n < GCN_INLINE) {
        if (n + 1 >= GCN_TTMP || !scalar_source(w, u, n + high, false, to))
            return false;
    } else if (!scalar_source(w, u, n, false, to)) {
        return false;
    }
    if (to->constant)
        to->value = (high ? 0 : to->value) ^ (uint32_t)over << 31;
    to->sign_over = over && !to->constant;
    return true;
}

/* Half k of a packed instruction on dwords. */
static bool half(struct gcn_wave *w, const struct gcn_uop *u, const struct wt_rows_match *m,
                 unsigned k, struct wt_rows_insn *to)
{
    const bool moves = moves_pair(u);
    *to = (struct wt_rows_insn){.op = moves ? WT_ROWS_MOVE : m->op,
                                .alu.modulo = true,
                                .raises = !moves,
                                .d = ROW_BYTES * (u->dst + k)};
    for (unsigned i = 0; i < m->sources; i++)
        if (!half_source(w, u, moves ? k : i, k, &to->s[i]))
            return false;
    return true;
}

/* Whether an instruction reads what another one writes. */
static bool reads(const struct wt_rows_insn *n, const struct wt_rows_insn *written)
{
    for (unsigned i = 0; i < 3; i++)
        if (!n->s[i].constant && !n->s[i].scalar && n->s[i].slot == written->d)
            return true;
    return false;
}

bool gcn_block_pair(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn to[2],
                    uint16_t *rows)
{
    struct wt_rows_match m = {.sources = 1};
    const bool moves = moves_pair(u);
    if (u->row->encoding != GCN_VOP3P || u->clamp || u->omod ||
        (!moves && (*u->row->operands != 'B' || !operation_of(u, &m))) ||
        !half(w, u, &m, 0, &to[0]) || !half(w, u, &m, 1, &to[1]))
        return false;
    if (reads(&to[1], &to[0])) { /* then the upper half comes first */
        const struct wt_rows_insn low = to[0];
        to[0] = to[1];
        to[1] = low;
    }
    to[0].guarded = !moves;
    to[1].follows = true;
    take_rows(rows, 0, u->last_vgpr + 1u);
    return !reads(&to[1], &to[0]);
}

/* The instruction on singles that computes what a packed one does of each half. */
static const struct gcn_row *single_of(const struct gcn_row *packed)
{
    const size_t letters = strlen(packed->operands);
    const struct gcn_row *row = gcn_rows;
    const uint8_t *end = packed->meaning + 2;
    wt_meaning_skip(&end);
    while ((row->encoding != GCN_VOP2 && row->encoding != GCN_VOP3) || row->forms & GCN_LIT ||
           strlen(row->operands) != letters || strspn(row->operands, "f:") != letters ||
           !wt_meaning_begins(row->meaning, packed->meaning, (unsigned)(end + 1 - packed->meaning)))
        row++;
    assert(row < gcn_rows + GCN_INSNS);
    return row;
}

const struct gcn_uop *gcn_block_run_rest(struct gcn_wave *w, const struct gcn_uop *u)
{
    struct wt_rows_insn part[2];
    struct gcn_uop rest;
    const char *why;
    uint16_t rows[GCN_FILES];
    gcn_block_pair(w, u, part, rows);
    const struct gcn_row *row = single_of(u->row);
    const unsigned vop2 = row->encoding == GCN_VOP2 ? 0x100 : 0, d = part[1].d / ROW_BYTES,
                   chosen = d != u->dst ? u->op_sel_hi : u->op_sel,
                   signs = d != u->dst ? u->neg_hi : u->neg;
    uint32_t word[2] = {0xd0000000 | (row->opcode + vop2) << 16 | d, (signs & (vop2 ? 3 : 7))
                                                                         << 29};
    for (unsigned i = 0; i < (vop2 ? 2 : 3); i++) {
        const bool high = chosen >> i & 1, number = u->src[i] >= GCN_INLINE && u->src[i] < GCN_VGPR;
        word[1] |= (high && number ? GCN_INLINE : u->src[i] + high) << 9 * i;
    }
    if (gcn_decode(gcn_model_of(w->device), GCN_LANES, word, 2, &rest, &why))
        gcn_handler_of (&rest)(w, &rest);
    return gcn_next(u);
}

/* ---- scalar instructions ---- */

/* The operation of a scalar instruction, as a row has it. */
struct scalar {
    uint8_t how, sets, outcome;
    bool wide, carries, inverts_1, inverts, saves, is_signed;
    bool narrow; /* the constant has no sign */
};

/* Operations of the code by those of meanings. */
static const uint8_t scalar_operations[WT_M_OPS] = {
    [WT_M_A] = WT_ROWS_MOVE,           [WT_M_NOT] = WT_ROWS_NOT,
    [WT_M_AND] = WT_ROWS_AND,          [WT_M_OR] = WT_ROWS_OR,
    [WT_M_XOR] = WT_ROWS_XOR,          [WT_M_ADD] = WT_ROWS_ADD,
    [WT_M_ADDC] = WT_ROWS_ADD,         [WT_M_SUB] = WT_ROWS_SUBTRACT,
    [WT_M_SUBC] = WT_ROWS_SUBTRACT,    [WT_M_MUL] = WT_ROWS_MULTIPLY,
    [WT_M_SHL] = WT_ROWS_SHIFT_LEFT,   [WT_M_SHR] = WT_ROWS_SHIFT_RIGHT,
    [WT_M_MIN] = WT_ROWS_MIN,          [WT_M_MAX] = WT_ROWS_MAX,
    [WT_M_MIN_S] = WT_ROWS_MIN_SIGNED, [WT_M_MAX_S] = WT_ROWS_MAX_SIGNED,
    [WT_M_SELECT] = WT_ROWS_SELECT};

/* Its results. */
struct parts {
    const uint8_t *main, *condition; /* NULL: none */
    bool saves;                      /* D gets the old EXEC, which becomes `main` */
};

static bool parts_of(const uint8_t *code, struct parts *p)
{
    const uint8_t *d = NULL;
    *p = (struct parts){NULL, NULL, false};
    while (*code == WT_M_OUT) {
        const uint8_t to = code[1];
        *(to == WT_RESULT_SCC ? &p->condition : to == WT_RESULT_EXEC ? &p->main : &d) = code + 2;
        code += 2;
        wt_meaning_skip(&code);
    }
    p->saves = p->main;
    if (p->saves && (!d || *d != WT_M_EXEC))
        return false;
    p->main = p->saves ? p->main : d;
    return *code == WT_M_END;
}

static unsigned set_by(const uint8_t *condition)
{
    switch (condition ? *condition : WT_M_END) {
    case WT_M_NONZERO:
        return WT_ROWS_NONZERO;
    case WT_M_CARRY:
    case WT_M_BORROW:
        return WT_ROWS_CARRY;
    case WT_M_OVERFLOW_ADD:
    case WT_M_OVERFLOW_SUB:
        return WT_ROWS_OVERFLOW;
    default:
        return WT_ROWS_KEEPS;
    }
}

/* A comparison of both sources; a constant without sign is one of 16 bits. */
static bool compares(const uint8_t *code, struct scalar *o)
{
    static const uint8_t narrow[] = {WT_M_ZEXT, 32, WT_M_PART, 0, 16, WT_M_B};
    const uint8_t op = *code++;
    if (op < WT_M_EQ || op > WT_M_LE_S)
        return false;
    const uint8_t less = WT_ROWS_LESS, equal = WT_ROWS_EQUAL, greater = WT_ROWS_GREATER;
    const bool turned = *code != WT_M_A, ordered = op >= WT_M_LT && op <= WT_M_LE_S;
    const uint8_t *b = turned ? code : code + 1;
    const bool small = wt_meaning_begins(b, narrow, sizeof narrow);
    const uint8_t *end = b + (small ? sizeof narrow : 1);
    if ((!small && *b != WT_M_B) || (turned && *end != WT_M_A))
        return false;
    o->how = WT_ROWS_COMPARE;
    o->is_signed = ordered && op >= WT_M_LT_S;
    o->narrow = small;
    o->outcome = op == WT_M_EQ ? equal
                 : op == WT_M_NE
                     ? less | greater
                     : (turned ? greater : less) | (op == WT_M_LE || op == WT_M_LE_S ? equal : 0);
    return true;
}

static bool scalar_of(const struct gcn_row *row, struct scalar *o)
{
    struct parts p;
    const char *sources = strchr(row->operands, ':') + 1;
    if (!parts_of(row->meaning, &p))
        return false;
    *o = (struct scalar){.wide = (p.main ? *row->operands : *sources) == 'U', .saves = p.saves};
    if (!p.main)
        return p.condition && compares(p.condition, o);
    const uint8_t *code = p.main;
    o->sets = (uint8_t)set_by(p.condition);
    o->inverts = *code == WT_M_NOT && code[1] >= WT_M_AND && code[1] <= WT_M_XOR;
    code += o->inverts;
    const uint8_t op = *code++, second = p.saves ? WT_M_EXEC : WT_M_B;
    o->how = op < WT_M_OPS ? scalar_operations[op] : 0;
    o->carries = op == WT_M_ADDC || op == WT_M_SUBC;
    if (!o->how || op == WT_M_A)
        return o->how;
    if (op == WT_M_SELECT && *code++ != WT_M_SCC)
        return false;
    if (*code++ != WT_M_A || op == WT_M_NOT)
        return code[-1] == WT_M_A;
    o->inverts_1 = *code == WT_M_NOT;
    return code[o->inverts_1] == second;
}

static struct wt_rows_source immediate(const struct gcn_uop *u, bool is_signed)
{
    return (struct wt_rows_source){.constant = true,
                                   .value = is_signed ? (uint32_t)u->imm : (uint16_t)u->imm};
}

/* The sources of an instruction with an immediate. */
static bool with_immediate(struct gcn_wave *w, const struct gcn_uop *u, bool narrow,
                           struct wt_rows_insn *to)
{
    const bool moves = to->how == WT_ROWS_MOVE;
    to->s[!moves] = immediate(u, !narrow);
    return moves || scalar_source(w, u, u->dst, false, &to->s[0]);
}

static bool scalar(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to)
{
    struct scalar own;
    const struct scalar *o = &own;
    if (!scalar_of(u->row, &own))
        return false;
    const bool shifts = o->how == WT_ROWS_SHIFT_LEFT || o->how == WT_ROWS_SHIFT_RIGHT;
    const bool one = o->how == WT_ROWS_MOVE || o->how == WT_ROWS_NOT || o->saves;
    *to = (struct wt_rows_insn){.op = WT_ROWS_SCALAR,
                                .wide = o->wide,
                                .is_signed = o->is_signed,
                                .how = o->how,
                                .scalar.sets = o->sets,
                                .scalar.outcome = o->outcome,
                                .scalar.carries = o->carries,
                                .scalar.inverts_1 = o->inverts_1,
                                .scalar.inverts = o->inverts,
                                .scalar.saves = o->saves};
    if (u->row->encoding == GCN_SOPK) {
        if (!with_immediate(w, u, o->narrow, to))
            return false;
    } else if (!scalar_source(w, u, u->src[0], o->wide, &to->s[0]) ||
               (!one && !scalar_source(w, u, u->src[1], o->wide && !shifts, &to->s[1]))) {
        return false;
    }
    if (o->saves)
        to->s[1] = (struct wt_rows_source){.scalar = true, .slot = scalar_slot(GCN_EXEC)};
    return (!shifts || to->s[1].constant) &&
           (o->how == WT_ROWS_COMPARE || scalar_result(u->dst, o->wide, &to->d));
}

/* ---- flow ---- */

static bool branch_when(struct wt_rows_insn *to, uint32_t slot, unsigned bytes, bool zero)
{
    *to = (struct wt_rows_insn){.op = WT_ROWS_BRANCH_WHEN,
                                .branch.bytes = (uint8_t)bytes,
                                .s[0] = {.scalar = true, .slot = slot, .negated = zero}};
    return true;
}

/* A jump to its own target, always or by SCC, VCC or EXEC. */
static bool branch(const uint8_t *condition, struct wt_rows_insn *to)
{
    const uint8_t *target = condition;
    wt_meaning_skip(&target);
    if (*target != WT_M_TARGET)
        return false;
    if (*condition == WT_M_K) {
        to->op = WT_ROWS_BRANCH;
        return true;
    }
    const bool zero = *condition == WT_M_NOT;
    condition += zero;
    if (*condition == WT_M_SCC)
        return branch_when(to, offsetof(struct gcn_wave, scc), 1, zero);
    if (*condition++ != WT_M_NONZERO || (*condition != WT_M_VCC && *condition != WT_M_EXEC))
        return false;
    return branch_when(to, scalar_slot(*condition == WT_M_VCC ? GCN_VCC : GCN_EXEC), 8, zero);
}

static bool flow(const struct gcn_uop *u, struct wt_rows_insn *to)
{
    *to = (struct wt_rows_insn){.op = WT_ROWS_NOTHING};
    switch (id_of(u)) {
    case GCN_I_s_nop:
        return true;
    case GCN_I_s_waitcnt:
        to->op =
            WT_ROWS_AT_MOST; /* vmcnt, expcnt, lgkmcnt: no counter is greater than they can be */
        to->access.counter[0].slot = offsetof(struct gcn_wave, vm_cnt);
        to->access.counter[0].most = (uint8_t)(u->src[0] == 63 ? UINT8_MAX : u->src[0]);
        to->access.counter[1].slot = offsetof(struct gcn_wave, exp_cnt);
        to->access.counter[1].most = (uint8_t)(u->src[1] == 7 ? UINT8_MAX : u->src[1]);
        to->access.counter[2].slot = offsetof(struct gcn_wave, lgkm_cnt);
        to->access.counter[2].most = (uint8_t)(u->src[2] == 15 ? UINT8_MAX : u->src[2]);
        return true;
    default:
        return *u->row->meaning == WT_M_JUMP && branch(u->row->meaning + 1, to);
    }
}

/* ---- memory ---- */

/* The counters of accesses that an access of the encoding counts. */
static void count(struct wt_rows_insn *to, unsigned encoding)
{
    unsigned counters = 0;
    if (encoding != GCN_DS) {
        to->access.counter[counters].slot = offsetof(struct gcn_wave, vm_cnt);
        to->access.counter[counters++].most = 63;
    }
    if (encoding == GCN_DS || encoding == GCN_FLAT) {
        to->access.counter[counters].slot = offsetof(struct gcn_wave, lgkm_cnt);
        to->access.counter[counters++].most = 15;
    }
}

/* Loads and stores of whole dwords, and of less, of which loads fill all of a register. In *twice:
 * at two offsets. */
static bool is_access(const struct gcn_uop *u, bool *store, bool *twice)
{
    const uint8_t *code = u->row->meaning, statement = *code++;
    *store = statement == WT_M_STORE;
    if ((!*store && statement != WT_M_LOAD) || strchr("fd", u->row->operands[1]) ||
        wt_meaning_has(code, WT_M_LANE))
        return false;
    wt_meaning_skip(&code);
    *twice = *code == statement;
    return !u->gds && !u->lds && !u->half && (u->size >= 4 || u->row->encoding != GCN_MUBUF);
}

/* The dwords of an access from register @p data on, side by side. */
static void words(struct wt_rows_insn *to, unsigned number, unsigned data)
{
    for (unsigned k = 0; k < number; k++) {
        to->access.place[to->access.words] = 4 * k;
        to->access.row[to->access.words++] = ROW_BYTES * (data + k);
    }
}

/* Those of an access at two offsets. */
static void two(const struct gcn_uop *u, struct wt_rows_insn *to)
{
    const unsigned number = u->size / 4;
    const bool store = to->op == WT_ROWS_STORE;
    const uint8_t *code = u->row->meaning;
    const struct wt_meaning_operands in = {
        .leaf = {[WT_M_A] = {0, 32}, [WT_M_OFFSET] = {(uint16_t)u->imm, 32}}};
    uint32_t at[2];
    for (unsigned k = 0; k < 2; k++) {
        code++;
        at[k] = (uint32_t)wt_meaning_evaluate(&code, &in).value;
    }
    to->access.offset = at[0] < at[1] ? at[0] : at[1];
    words(to, number, store ? u->src[1] : u->dst);
    words(to, number, store ? u->src[2] : u->dst + number);
    for (unsigned k = 0; k < 2 * number; k++)
        to->access.place[k] += at[k / number] - (uint32_t)to->access.offset;
}

/* Buffers: those of private memory, if their resource says so when it is used. */
static bool buffer(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                   uint16_t *rows)
{
    const unsigned data = to->op == WT_ROWS_STORE ? u->src[1] : u->dst, number = u->size / 4;
    if (u->idxen || u->tfe || u->base + 3 >= GCN_TTMP || u->imm % 4 ||
        !scalar_source(w, u, u->soffset, false, &to->condition))
        return false;
    to->access.space = WT_ROWS_SWIZZLED;
    to->access.split = false;
    to->s[0] = (struct wt_rows_source){.constant = !u->offen, .slot = ROW_BYTES * u->src[0]};
    to->s[2] = (struct wt_rows_source){.scalar = true, .slot = scalar_slot(u->base)};
    words(to, number, data);
    to->access.words = number > 1 ? to->access.words : 0;
    take_rows(rows, data, number);
    if (u->offen)
        take_rows(rows, u->src[0], 1);
    return true;
}

static bool access_of(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                      uint16_t *rows)
{
    bool store, twice;
    if (!is_access(u, &store, &twice))
        return false;
    const unsigned encoding = u->row->encoding, data = store ? u->src[1] : u->dst;
    const bool share = encoding == GCN_DS, based = encoding == GCN_GLOBAL && u->base != GCN_NO_BASE;
    *to = (struct wt_rows_insn){.op = store ? WT_ROWS_STORE : WT_ROWS_LOAD,
                                .access.bytes = u->size < 4 ? u->size : 4,
                                .access.extend = u->extend == 's' ? WT_ROWS_SIGN : WT_ROWS_ZEROS,
                                .access.space = share ? WT_ROWS_GROUP : WT_ROWS_GLOBAL,
                                .access.short_address = share,
                                .access.wraps = share,
                                .access.split = !share,
                                .access.windowed = encoding == GCN_FLAT,
                                .access.offset = (uint64_t)(int64_t)u->imm,
                                .d = ROW_BYTES * data,
                                .s = {{.slot = ROW_BYTES * u->src[0]},
                                      {.slot = ROW_BYTES * data},
                                      {.scalar = based, .slot = scalar_slot(based ? u->base : 0)}}};
    count(to, encoding);
    if (encoding == GCN_MUBUF)
        return buffer(w, u, to, rows);
    if (based && u->base + 1 >= GCN_TTMP)
        return false;
    if (twice)
        two(u, to);
    else if (u->size > 4)
        words(to, u->size / 4, data);
    take_rows(rows, u->src[0], share || based ? 1 : 2);
    for (unsigned k = 0; k < (to->access.words ? to->access.words : 1u); k++)
        take_rows(rows, to->access.words ? to->access.row[k] / ROW_BYTES : data, 1);
    return true;
}

/* s_load: at the sum of scalars. */
static bool fetch(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to)
{
    static const uint8_t plain[] = {WT_M_LOAD,   WT_M_ADD,  WT_M_ADD, WT_M_BASE,  WT_M_SEXT, 64,
                                    WT_M_OFFSET, WT_M_ZEXT, 64,       WT_M_INDEX, WT_M_END};
    *to = (struct wt_rows_insn){.op = WT_ROWS_FETCH,
                                .access.words = u->size / 4,
                                .access.offset = (uint64_t)(int64_t)u->imm,
                                .d = scalar_slot(u->dst),
                                .s[0] = {.scalar = true, .slot = scalar_slot(u->base)},
                                .access.counter[0] = {offsetof(struct gcn_wave, lgkm_cnt), 15}};
    if (!wt_meaning_begins(u->row->meaning, plain, sizeof plain) ||
        u->dst + u->size / 4 > GCN_TTMP || u->base + 1 >= GCN_TTMP)
        return false;
    return !u->has_soffset ||
           (scalar_source(w, u, u->soffset, false, &to->s[1]) && to->s[1].scalar);
}

bool gcn_block_insn(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                    uint16_t *rows)
{
    switch ((enum gcn_encoding)u->row->encoding) {
    case GCN_SOP2:
    case GCN_SOP1:
    case GCN_SOPC:
    case GCN_SOPK:
        return scalar(w, u, to);
    case GCN_SOPP:
        return flow(u, to);
    case GCN_VOP2:
    case GCN_VOP1:
    case GCN_VOPC:
    case GCN_VOP3:
        return vector(w, u, to, rows) || doubles(w, u, to, rows);
    case GCN_SMEM:
        return fetch(w, u, to);
    case GCN_DS:
    case GCN_FLAT:
    case GCN_GLOBAL:
    case GCN_MUBUF:
        return access_of(w, u, to, rows);
    default:
        return false;
    }
}
