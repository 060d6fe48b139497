/* Decoded instructions as rows and scalars (emulator/translate/rows.h). See block.h. */
#include "emulator/gcn/know/block.h"

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

/* The operation of each. `order`: which sources of the instruction the operation takes. `low`: how
 * many bits of them count. */
static const struct operation {
    uint16_t id;
    uint8_t op;
    char order[4];
    uint8_t how, second, low;
    bool is_signed, carries, unguarded; /* MODE does not count for those that are done */
} operations[] = {
#define OPERATION(insn, op_, order_, ...)                                                          \
    {                                                                                              \
        .id = GCN_I_##insn, .op = WT_ROWS_##op_, .order = order_, __VA_ARGS__                      \
    }
    OPERATION(v_nop, NOTHING, ""),
    OPERATION(v_mov_b32, MOVE, "0"),
    OPERATION(v_not_b32, NOT, "0"),
    OPERATION(v_and_b32, AND, "01"),
    OPERATION(v_or_b32, OR, "01"),
    OPERATION(v_xor_b32, XOR, "01"),
    OPERATION(v_add_u32, ADD, "01"),
    OPERATION(v_sub_u32, SUBTRACT, "01"),
    OPERATION(v_subrev_u32, SUBTRACT, "10"),
    OPERATION(v_add_i32, ADD, "01"),
    OPERATION(v_sub_i32, SUBTRACT, "01"),
    OPERATION(v_lshlrev_b32, SHIFT_LEFT, "10"),
    OPERATION(v_lshrrev_b32, SHIFT_RIGHT, "10"),
    OPERATION(v_ashrrev_i32, SHIFT_SIGNED, "10"),
    OPERATION(v_min_i32, MIN_SIGNED, "01"),
    OPERATION(v_max_i32, MAX_SIGNED, "01"),
    OPERATION(v_min_u32, MIN, "01"),
    OPERATION(v_max_u32, MAX, "01"),
    OPERATION(v_mul_lo_u32, MULTIPLY, "01"),
    OPERATION(v_mul_hi_u32, MULTIPLY_HIGH, "01"),
    OPERATION(v_mul_hi_i32, MULTIPLY_HIGH, "01", .is_signed = true),
    OPERATION(v_mul_u32_u24, MULTIPLY, "01", .low = 24),
    OPERATION(v_mul_i32_i24, MULTIPLY, "01", .low = 24, .is_signed = true),
    OPERATION(v_mad_u32_u24, MULTIPLY_ADD, "012", .low = 24),
    OPERATION(v_mad_i32_i24, MULTIPLY_ADD, "012", .low = 24, .is_signed = true),
    OPERATION(v_bfe_u32, FIELD, "012"),
    OPERATION(v_bfe_i32, FIELD, "012", .is_signed = true),
    OPERATION(v_bfi_b32, LOGIC, "012", .how = 0xca),
    OPERATION(v_xad_u32, TWO, "012", .how = WT_ROWS_XOR, .second = WT_ROWS_ADD),
    OPERATION(v_lshl_add_u32, TWO, "012", .how = WT_ROWS_SHIFT_LEFT, .second = WT_ROWS_ADD),
    OPERATION(v_add_lshl_u32, TWO, "012", .how = WT_ROWS_ADD, .second = WT_ROWS_SHIFT_LEFT),
    OPERATION(v_add3_u32, TWO, "012", .how = WT_ROWS_ADD, .second = WT_ROWS_ADD),
    OPERATION(v_lshl_or_b32, TWO, "012", .how = WT_ROWS_SHIFT_LEFT, .second = WT_ROWS_OR),
    OPERATION(v_and_or_b32, TWO, "012", .how = WT_ROWS_AND, .second = WT_ROWS_OR),
    OPERATION(v_or3_b32, TWO, "012", .how = WT_ROWS_OR, .second = WT_ROWS_OR),
    OPERATION(v_cndmask_b32, SELECT, "10"),
    OPERATION(v_add_co_u32, ADD_CARRY, "01"),
    OPERATION(v_addc_co_u32, ADD_CARRY, "01", .carries = true),
    OPERATION(v_sub_co_u32, SUBTRACT_CARRY, "01"),
    OPERATION(v_subrev_co_u32, SUBTRACT_CARRY, "10"),
    OPERATION(v_subb_co_u32, SUBTRACT_CARRY, "01", .carries = true),
    OPERATION(v_subbrev_co_u32, SUBTRACT_CARRY, "10", .carries = true),
    OPERATION(v_mad_u64_u32, PAIR_MULTIPLY_ADD, "012"),
    OPERATION(v_lshlrev_b64, PAIR_LEFT, "10"),
    OPERATION(v_lshrrev_b64, PAIR_RIGHT, "10"),
    OPERATION(v_add_f32, FLOAT_ADD, "01"),
    OPERATION(v_sub_f32, FLOAT_SUBTRACT, "01"),
    OPERATION(v_subrev_f32, FLOAT_SUBTRACT, "10"),
    OPERATION(v_mul_f32, FLOAT_MULTIPLY, "01"),
    OPERATION(v_fma_f32, FLOAT_MULTIPLY_ADD, "012"),
    OPERATION(v_min_f32, FLOAT_MIN, "01", .unguarded = true),
    OPERATION(v_max_f32, FLOAT_MAX, "01", .unguarded = true),
    OPERATION(v_sqrt_f32, FLOAT_ROOT, "0", .unguarded = true),
    OPERATION(v_rcp_f32, FLOAT_INVERSE, "0", .unguarded = true),
    OPERATION(v_rcp_iflag_f32, FLOAT_INVERSE, "0", .unguarded = true),
    OPERATION(v_cvt_f32_i32, FLOAT_OF_SIGNED, "0"),
    OPERATION(v_cvt_f32_u32, FLOAT_OF_UNSIGNED, "0"),
    OPERATION(v_cvt_i32_f32, FLOAT_TRUNCATE, "0", .is_signed = true),
    OPERATION(v_cvt_u32_f32, FLOAT_TRUNCATE, "0"),
    OPERATION(v_cmp_class_f32, FLOAT_CLASS, "01", .unguarded = true),
    OPERATION(v_div_scale_f32, DIVISION_SCALE, "012", .unguarded = true),
    OPERATION(v_div_fmas_f32, FLOAT_MULTIPLY_ADD, "012", .carries = true),
    OPERATION(v_div_fixup_f32, DIVISION_FIX, "012", .unguarded = true),
#define COMPARISON(insn, how_) OPERATION(v_cmp_##insn, COMPARE, "01", .how = how_)
#define INTEGERS(name, how_)                                                                       \
    COMPARISON(name##_u32, how_),                                                                  \
        OPERATION(v_cmp_##name##_i32, COMPARE, "01", .how = how_, .is_signed = true)
    INTEGERS(lt, WT_ROWS_LESS),
    INTEGERS(eq, WT_ROWS_EQUAL),
    INTEGERS(le, WT_ROWS_LESS | WT_ROWS_EQUAL),
    INTEGERS(gt, WT_ROWS_GREATER),
    INTEGERS(ne, WT_ROWS_LESS | WT_ROWS_GREATER),
    INTEGERS(ge, WT_ROWS_GREATER | WT_ROWS_EQUAL),
#define FLOATS(name, how_) OPERATION(v_cmp_##name##_f32, FLOAT_COMPARE, "01", .how = how_)
    FLOATS(lt, WT_ROWS_LESS),
    FLOATS(eq, WT_ROWS_EQUAL),
    FLOATS(le, WT_ROWS_LESS | WT_ROWS_EQUAL),
    FLOATS(gt, WT_ROWS_GREATER),
    FLOATS(lg, WT_ROWS_LESS | WT_ROWS_GREATER),
    FLOATS(ge, WT_ROWS_GREATER | WT_ROWS_EQUAL),
    FLOATS(o, WT_ROWS_LESS | WT_ROWS_EQUAL | WT_ROWS_GREATER),
    FLOATS(u, WT_ROWS_UNORDERED),
    FLOATS(nlt, WT_ROWS_EQUAL | WT_ROWS_GREATER | WT_ROWS_UNORDERED),
    FLOATS(neq, WT_ROWS_LESS | WT_ROWS_GREATER | WT_ROWS_UNORDERED),
    FLOATS(nle, WT_ROWS_GREATER | WT_ROWS_UNORDERED),
    FLOATS(ngt, WT_ROWS_LESS | WT_ROWS_EQUAL | WT_ROWS_UNORDERED),
    FLOATS(nlg, WT_ROWS_EQUAL | WT_ROWS_UNORDERED),
    FLOATS(nge, WT_ROWS_LESS | WT_ROWS_UNORDERED),
};

static const struct operation *operation_of(unsigned id)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (operations[i].id == id)
            return &operations[i];
    return NULL;
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

/* Whether two sources are the same. */
static bool is_same(const struct gcn_uop *u, unsigned i, unsigned k)
{
    const unsigned bits = u->abs | u->neg << 8;
    return u->src[i] == u->src[k] && ((bits >> i ^ bits >> k) & 0x101) == 0;
}

static bool vector(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                   unsigned *vgprs)
{
    const struct operation *o = operation_of(id_of(u));
    if (!o || !is_plain(u) || u->cmpx)
        return false;
    const char *types = strchr(u->row->operands, ':') + 1;
    const bool floats = *types == 'f' || *u->row->operands == 'f';
    const bool fused = o->op == WT_ROWS_FLOAT_MULTIPLY_ADD,
               mask = o->op == WT_ROWS_SELECT || (o->carries && !fused);
    *to = (struct wt_rows_insn){.op = o->op,
                                .how = o->how,
                                .combine = o->second,
                                .is_signed = o->is_signed,
                                .modulo = true,
                                .carries = o->carries,
                                .raises = floats,
                                .guarded = floats && !o->unguarded,
                                .carry = scalar_slot(GCN_VCC),
                                .d = ROW_BYTES * u->dst};
    for (unsigned k = 0; o->order[k]; k++) {
        const unsigned from = (unsigned)(o->order[k] - '0');
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
        *(*u->row->operands == 'm' ? &to->d : &to->carry) = scalar_slot(u->sdst);
    }
    if (o->op == WT_ROWS_DIVISION_SCALE && !is_same(u, 0, 1) && !is_same(u, 0, 2))
        return false; /* it might be denormal */
    *vgprs = u->last_vgpr + 1;
    return o->op != WT_ROWS_FIELD || field(to);
}

/* Sums and products of doubles: pairs of rows, if the code has vectors of 512 bits. */
static bool doubles(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                    unsigned *vgprs)
{
    const unsigned id = id_of(u);
    *to = (struct wt_rows_insn){.op = id == GCN_I_v_add_f64   ? WT_ROWS_FLOAT_ADD
                                      : id == GCN_I_v_mul_f64 ? WT_ROWS_FLOAT_MULTIPLY
                                                              : WT_ROWS_FLOAT_MULTIPLY_ADD,
                                .wide = true,
                                .raises = true,
                                .guarded = true,
                                .d = ROW_BYTES * u->dst};
    if ((to->op == WT_ROWS_FLOAT_MULTIPLY_ADD && id != GCN_I_v_fma_f64) || u->clamp || u->omod ||
        u->op_sel || !gcn_block_has_512(w->device))
        return false;
    for (unsigned i = 0; i < (id == GCN_I_v_fma_f64 ? 3 : 2); i++) {
        struct wt_rows_source *s = &to->s[i];
        const bool off = u->abs >> i & 1, over = u->neg >> i & 1;
        if (u->src[i] >= GCN_VGPR)
            s->slot = ROW_BYTES * (u->src[i] - GCN_VGPR);
        else if (!scalar_source(w, u, u->src[i], true, s))
            return false;
        s->sign_off = off && !s->constant;
        s->sign_over = over && !s->constant;
        if (s->constant)
            s->value = (gcn_other_scalar64(w, u, u->src[i], true) & (UINT64_MAX >> off)) ^
                       (uint64_t)over << 63;
    }
    *vgprs = u->last_vgpr + 1;
    return true;
}

/* ---- scalar instructions ---- */

static const struct scalar {
    uint16_t id;
    uint8_t how, sets, outcome;
    bool wide, carries, inverts_1, inverts, saves, is_signed;
} scalars[] = {
#define SCALAR(insn, how_, ...)                                                                    \
    {                                                                                              \
        .id = GCN_I_##insn, .how = WT_ROWS_##how_, __VA_ARGS__                                     \
    }
    SCALAR(s_mov_b32, MOVE),
    SCALAR(s_mov_b64, MOVE, .wide = true),
    SCALAR(s_movk_i32, MOVE),
    SCALAR(s_not_b32, NOT, .sets = WT_ROWS_NONZERO),
    SCALAR(s_not_b64, NOT, .sets = WT_ROWS_NONZERO, .wide = true),
    SCALAR(s_add_u32, ADD, .sets = WT_ROWS_CARRY),
    SCALAR(s_sub_u32, SUBTRACT, .sets = WT_ROWS_CARRY),
    SCALAR(s_addc_u32, ADD, .sets = WT_ROWS_CARRY, .carries = true),
    SCALAR(s_subb_u32, SUBTRACT, .sets = WT_ROWS_CARRY, .carries = true),
    SCALAR(s_add_i32, ADD, .sets = WT_ROWS_OVERFLOW),
    SCALAR(s_sub_i32, SUBTRACT, .sets = WT_ROWS_OVERFLOW),
    SCALAR(s_addk_i32, ADD, .sets = WT_ROWS_OVERFLOW),
    SCALAR(s_mul_i32, MULTIPLY),
    SCALAR(s_mulk_i32, MULTIPLY),
    SCALAR(s_lshl_b32, SHIFT_LEFT, .sets = WT_ROWS_NONZERO),
    SCALAR(s_lshl_b64, SHIFT_LEFT, .sets = WT_ROWS_NONZERO, .wide = true),
    SCALAR(s_lshr_b32, SHIFT_RIGHT, .sets = WT_ROWS_NONZERO),
    SCALAR(s_lshr_b64, SHIFT_RIGHT, .sets = WT_ROWS_NONZERO, .wide = true),
    SCALAR(s_min_u32, MIN),
    SCALAR(s_max_u32, MAX),
    SCALAR(s_min_i32, MIN_SIGNED),
    SCALAR(s_max_i32, MAX_SIGNED),
    SCALAR(s_cselect_b32, SELECT),
    SCALAR(s_cselect_b64, SELECT, .wide = true),
#define LOGIC(name, how_, ...)                                                                     \
    SCALAR(s_##name##_b32, how_, .sets = WT_ROWS_NONZERO, __VA_ARGS__),                            \
        SCALAR(s_##name##_b64, how_, .sets = WT_ROWS_NONZERO, .wide = true, __VA_ARGS__),          \
        SCALAR(s_##name##_saveexec_b64, how_, .sets = WT_ROWS_NONZERO, .wide = true,               \
               .saves = true, __VA_ARGS__)
    LOGIC(and, AND),
    LOGIC(or, OR),
    LOGIC(xor, XOR),
    LOGIC(andn2, AND, .inverts_1 = true),
    LOGIC(orn2, OR, .inverts_1 = true),
    LOGIC(nand, AND, .inverts = true),
    LOGIC(nor, OR, .inverts = true),
    LOGIC(xnor, XOR, .inverts = true),
#define TOLD(name, out, ...) SCALAR(name, COMPARE, .outcome = out, __VA_ARGS__)
#define EITHER(name, out)                                                                          \
    TOLD(s_cmp_##name##_u32, out), TOLD(s_cmp_##name##_i32, out, .is_signed = true),               \
        TOLD(s_cmpk_##name##_u32, out), TOLD(s_cmpk_##name##_i32, out, .is_signed = true)
    EITHER(lt, WT_ROWS_LESS),
    EITHER(eq, WT_ROWS_EQUAL),
    EITHER(le, WT_ROWS_LESS | WT_ROWS_EQUAL),
    EITHER(gt, WT_ROWS_GREATER),
    EITHER(lg, WT_ROWS_LESS | WT_ROWS_GREATER),
    EITHER(ge, WT_ROWS_GREATER | WT_ROWS_EQUAL),
    TOLD(s_cmp_eq_u64, WT_ROWS_EQUAL, .wide = true),
    TOLD(s_cmp_lg_u64, WT_ROWS_LESS | WT_ROWS_GREATER, .wide = true),
};

static struct wt_rows_source immediate(const struct gcn_uop *u, bool is_signed)
{
    return (struct wt_rows_source){.constant = true,
                                   .value = is_signed ? (uint32_t)u->imm : (uint16_t)u->imm};
}

/* The sources of an instruction with an immediate. */
static bool with_immediate(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to)
{
    const bool moves = to->how == WT_ROWS_MOVE;
    to->s[!moves] = immediate(u, to->how != WT_ROWS_COMPARE || to->is_signed);
    return moves || scalar_source(w, u, u->dst, false, &to->s[0]);
}

static bool scalar(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to)
{
    const struct scalar *o = scalars, *end = o + sizeof scalars / sizeof scalars[0];
    while (o < end && o->id != id_of(u))
        o++;
    if (o == end)
        return false;
    const bool shifts = o->how == WT_ROWS_SHIFT_LEFT || o->how == WT_ROWS_SHIFT_RIGHT;
    const bool one = o->how == WT_ROWS_MOVE || o->how == WT_ROWS_NOT || o->saves;
    *to = (struct wt_rows_insn){.op = WT_ROWS_SCALAR,
                                .wide = o->wide,
                                .is_signed = o->is_signed,
                                .how = o->how,
                                .sets = o->sets,
                                .outcome = o->outcome,
                                .carries = o->carries,
                                .inverts_1 = o->inverts_1,
                                .inverts = o->inverts,
                                .saves = o->saves};
    if (u->row->encoding == GCN_SOPK) {
        if (!with_immediate(w, u, to))
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
                                .bytes = (uint8_t)bytes,
                                .s[0] = {.scalar = true, .slot = slot, .negated = zero}};
    return true;
}

static bool flow(const struct gcn_uop *u, struct wt_rows_insn *to)
{
    const uint32_t scc = offsetof(struct gcn_wave, scc);
    *to = (struct wt_rows_insn){.op = WT_ROWS_NOTHING};
    switch (id_of(u)) {
    case GCN_I_s_nop:
        return true;
    case GCN_I_s_waitcnt:
        to->op =
            WT_ROWS_AT_MOST; /* vmcnt, expcnt, lgkmcnt: no counter is greater than they can be */
        to->counter[0].slot = offsetof(struct gcn_wave, vm_cnt);
        to->counter[0].most = (uint8_t)(u->src[0] == 63 ? UINT8_MAX : u->src[0]);
        to->counter[1].slot = offsetof(struct gcn_wave, exp_cnt);
        to->counter[1].most = (uint8_t)(u->src[1] == 7 ? UINT8_MAX : u->src[1]);
        to->counter[2].slot = offsetof(struct gcn_wave, lgkm_cnt);
        to->counter[2].most = (uint8_t)(u->src[2] == 15 ? UINT8_MAX : u->src[2]);
        return true;
    case GCN_I_s_branch:
        to->op = WT_ROWS_BRANCH;
        return true;
    case GCN_I_s_cbranch_scc0:
        return branch_when(to, scc, 1, true);
    case GCN_I_s_cbranch_scc1:
        return branch_when(to, scc, 1, false);
    case GCN_I_s_cbranch_vccz:
        return branch_when(to, scalar_slot(GCN_VCC), 8, true);
    case GCN_I_s_cbranch_vccnz:
        return branch_when(to, scalar_slot(GCN_VCC), 8, false);
    case GCN_I_s_cbranch_execz:
        return branch_when(to, scalar_slot(GCN_EXEC), 8, true);
    case GCN_I_s_cbranch_execnz:
        return branch_when(to, scalar_slot(GCN_EXEC), 8, false);
    default:
        return false;
    }
}

/* ---- memory ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names;
}

/* The counters of accesses that an access of the encoding counts. */
static void count(struct wt_rows_insn *to, unsigned encoding)
{
    unsigned counters = 0;
    if (encoding != GCN_DS) {
        to->counter[counters].slot = offsetof(struct gcn_wave, vm_cnt);
        to->counter[counters++].most = 63;
    }
    if (encoding == GCN_DS || encoding == GCN_FLAT) {
        to->counter[counters].slot = offsetof(struct gcn_wave, lgkm_cnt);
        to->counter[counters++].most = 15;
    }
}

/* Loads and stores of whole dwords, and of less, of which loads fill all of a register. In *twice:
 * at two offsets. */
static bool is_access(const struct gcn_uop *u, bool *store, bool *twice)
{
    static const char *const loads[] = {"flat_load_dword",
                                        "flat_load_ubyte",
                                        "flat_load_sbyte",
                                        "flat_load_ushort",
                                        "flat_load_sshort",
                                        "flat_load_dwordx2",
                                        "flat_load_dwordx3",
                                        "flat_load_dwordx4",
                                        "global_load_dword",
                                        "global_load_ubyte",
                                        "global_load_sbyte",
                                        "global_load_ushort",
                                        "global_load_sshort",
                                        "global_load_dwordx2",
                                        "global_load_dwordx3",
                                        "global_load_dwordx4",
                                        "ds_read_b32",
                                        "ds_read_u8",
                                        "ds_read_i8",
                                        "ds_read_u16",
                                        "ds_read_i16",
                                        "ds_read_b64",
                                        "ds_read_b96",
                                        "ds_read_b128",
                                        "buffer_load_dword",
                                        "buffer_load_dwordx2",
                                        "buffer_load_dwordx3",
                                        "buffer_load_dwordx4",
                                        NULL};
    static const char *const stores[] = {"flat_store_dword",
                                         "flat_store_byte",
                                         "flat_store_short",
                                         "flat_store_dwordx2",
                                         "flat_store_dwordx3",
                                         "flat_store_dwordx4",
                                         "global_store_dword",
                                         "global_store_byte",
                                         "global_store_short",
                                         "global_store_dwordx2",
                                         "global_store_dwordx3",
                                         "global_store_dwordx4",
                                         "ds_write_b32",
                                         "ds_write_b8",
                                         "ds_write_b16",
                                         "ds_write_b64",
                                         "ds_write_b96",
                                         "ds_write_b128",
                                         "buffer_store_dword",
                                         "buffer_store_dwordx2",
                                         "buffer_store_dwordx3",
                                         "buffer_store_dwordx4",
                                         NULL};
    static const char *const twos[] = {"ds_read2_b32",      "ds_read2_b64",      "ds_read2st64_b32",
                                       "ds_read2st64_b64",  "ds_write2_b32",     "ds_write2_b64",
                                       "ds_write2st64_b32", "ds_write2st64_b64", NULL};
    *twice = is_one_of(u->row->name, twos);
    *store = *twice ? u->row->operands[0] == 'w' : is_one_of(u->row->name, stores);
    return (*twice || *store || is_one_of(u->row->name, loads)) && !u->gds && !u->lds && !u->half;
}

/* The dwords of an access from register @p data on, side by side. */
static void words(struct wt_rows_insn *to, unsigned number, unsigned data)
{
    for (unsigned k = 0; k < number; k++) {
        to->place[to->words] = 4 * k;
        to->row[to->words++] = ROW_BYTES * (data + k);
    }
}

/* Those of an access at two offsets. */
static void two(const struct gcn_uop *u, struct wt_rows_insn *to)
{
    const unsigned number = u->size / 4;
    const bool store = to->op == WT_ROWS_STORE;
    const uint32_t unit = u->size * (strstr(u->row->name, "st64") ? 64u : 1u);
    const uint32_t at[2] = {((uint32_t)u->imm & 0xff) * unit,
                            ((uint32_t)u->imm >> 8 & 0xff) * unit};
    to->offset = at[0] < at[1] ? at[0] : at[1];
    words(to, number, store ? u->src[1] : u->dst);
    words(to, number, store ? u->src[2] : u->dst + number);
    for (unsigned k = 0; k < 2 * number; k++)
        to->place[k] += at[k / number] - (uint32_t)to->offset;
}

/* Buffers: those of private memory, if their resource says so when it is used. */
static bool buffer(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                   unsigned *vgprs)
{
    const unsigned data = to->op == WT_ROWS_STORE ? u->src[1] : u->dst, number = u->size / 4;
    if (u->idxen || u->tfe || u->base + 3 >= GCN_TTMP || u->imm % 4 ||
        !scalar_source(w, u, u->soffset, false, &to->condition))
        return false;
    to->space = WT_ROWS_SWIZZLED;
    to->split = false;
    to->s[0] = (struct wt_rows_source){.constant = !u->offen, .slot = ROW_BYTES * u->src[0]};
    to->s[2] = (struct wt_rows_source){.scalar = true, .slot = scalar_slot(u->base)};
    words(to, number, data);
    to->words = number > 1 ? to->words : 0;
    *vgprs = data + number;
    if (u->offen && *vgprs <= u->src[0])
        *vgprs = u->src[0] + 1;
    return true;
}

static bool access_of(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                      unsigned *vgprs)
{
    bool store, twice;
    if (!is_access(u, &store, &twice))
        return false;
    const unsigned encoding = u->row->encoding, data = store ? u->src[1] : u->dst;
    const bool share = encoding == GCN_DS, based = encoding == GCN_GLOBAL && u->base != 0x7f;
    *to = (struct wt_rows_insn){.op = store ? WT_ROWS_STORE : WT_ROWS_LOAD,
                                .bytes = u->size < 4 ? u->size : 4,
                                .extend = u->extend == 's' ? WT_ROWS_SIGN : WT_ROWS_ZEROS,
                                .space = share ? WT_ROWS_GROUP : WT_ROWS_GLOBAL,
                                .short_address = share,
                                .wraps = share,
                                .split = !share,
                                .windowed = encoding == GCN_FLAT,
                                .offset = (uint64_t)(int64_t)u->imm,
                                .d = ROW_BYTES * data,
                                .s = {{.slot = ROW_BYTES * u->src[0]},
                                      {.slot = ROW_BYTES * data},
                                      {.scalar = based, .slot = scalar_slot(based ? u->base : 0)}}};
    count(to, encoding);
    if (encoding == GCN_MUBUF)
        return buffer(w, u, to, vgprs);
    if (based && u->base + 1 >= GCN_TTMP)
        return false;
    if (twice)
        two(u, to);
    else if (u->size > 4)
        words(to, u->size / 4, data);
    *vgprs = u->src[0] + (!share && !based) + 1u;
    for (unsigned k = 0; k < (to->words ? to->words : 1u); k++) {
        const unsigned last = to->words ? to->row[k] / ROW_BYTES : data;
        *vgprs = *vgprs > last ? *vgprs : last + 1;
    }
    return true;
}

/* s_load. */
static bool fetch(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to)
{
    *to = (struct wt_rows_insn){.op = WT_ROWS_FETCH,
                                .words = u->size / 4,
                                .offset = (uint64_t)(int64_t)u->imm,
                                .d = scalar_slot(u->dst),
                                .s[0] = {.scalar = true, .slot = scalar_slot(u->base)},
                                .counter[0] = {offsetof(struct gcn_wave, lgkm_cnt), 15}};
    if (strncmp(u->row->name, "s_load_dword", 12) != 0 || u->dst + u->size / 4 > GCN_TTMP ||
        u->base + 1 >= GCN_TTMP)
        return false;
    return !u->has_soffset ||
           (scalar_source(w, u, u->soffset, false, &to->s[1]) && to->s[1].scalar);
}

bool gcn_block_insn(struct gcn_wave *w, const struct gcn_uop *u, struct wt_rows_insn *to,
                    unsigned *vgprs)
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
        return vector(w, u, to, vgprs) || doubles(w, u, to, vgprs);
    case GCN_SMEM:
        return fetch(w, u, to);
    case GCN_DS:
    case GCN_FLAT:
    case GCN_GLOBAL:
    case GCN_MUBUF:
        return access_of(w, u, to, vgprs);
    default:
        return false;
    }
}
