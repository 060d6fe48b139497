/* Instructions of PTX as rows, of which sm/ptx/know/block.c makes blocks of translated code. */
#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/know/block.h"
#include "emulator/sm/ptx/know/meaning.h"
#include "emulator/sm/ptx/special.h"
#include "emulator/translate/match.h"
#include "emulator/translate/rows.h"

static bool is_rows_constant(const void *row, unsigned size)
{
    for (unsigned i = 1; i < SM_LANES; i++)
        if (ptx_get(row, size, i) != ptx_get(row, size, 0))
            return false;
    return true;
}

/* A source of registers of `size` bytes; false: it is a constant that differs from lane to lane. */
static bool source(const struct ptx_source *from, unsigned size, struct wt_rows_source *to)
{
    if (from->constant && !is_rows_constant(from->constant, size))
        return false;
    *to = (struct wt_rows_source){.constant = from->constant,
                                  .slot = from->slot,
                                  .value = from->constant ? ptx_get(from->constant, size, 0) : 0};
    return true;
}

static struct wt_rows_source predicate(const struct ptx_source *from)
{
    return (struct wt_rows_source){.constant = from->constant,
                                   .negated = from->negated,
                                   .slot = from->slot,
                                   .value = from->constant ? *(const uint32_t *)from->constant : 0};
}

/* Operations on qwords or doubles, too. */
static bool is_for_qwords(unsigned op, bool real)
{
    if (real)
        return op <= WT_ROWS_FLOAT_DIVIDE || op == WT_ROWS_FLOAT_COMPARE;
    return (op != WT_ROWS_ABSOLUTE && op <= WT_ROWS_SHIFT_RIGHT && op != WT_ROWS_MULTIPLY &&
            op != WT_ROWS_MULTIPLY_ADD) ||
           op == WT_ROWS_NARROW || op == WT_ROWS_SELECT || op == WT_ROWS_COMPARE;
}

/* Whether all bits of the registers count. */
static bool is_whole(const struct ptx_meaning *m)
{
    bool whole = !m->packed;
    for (unsigned k = 0; k < 4; k++)
        whole &=
            (k && !ptx_meaning_uses(m, k - 1)) || !m->bytes[k] || 8 * m->bytes[k] == m->width[k];
    return whole;
}

/* Finds the operation of a meaning; a comparison may be combined with a predicate. */
static bool operation_of(const struct ptx_op *o, const struct ptx_meaning *m,
                         struct wt_rows_match *is)
{
    const bool compares = m->code[1] == WT_RESULT_MASK, wide = m->width[1] == 64,
               combines = compares && ptx_meaning_uses(m, 2);
    if (compares ? !wt_rows_match_condition(m->code + 2 + combines, m->width + 1, wide, is)
                 : !wt_rows_match(m->code, m->width + 1, wide, is))
        return false;
    const bool of_floats = is->op >= WT_ROWS_FLOAT_ADD && is->op <= WT_ROWS_FLOAT_OF_UNSIGNED;
    return !is->low && !ptx_is_carrying(o->run) && m->real == of_floats &&
           (!wide || is_for_qwords(is->op, m->real)) &&
           (!compares || (o->d != PTX_NO_SLOT && o->d2 == PTX_NO_SLOT));
}

/* Limits of operations: numbers that they are for. */
static bool limits(const struct ptx_op *o, struct wt_rows_insn *to)
{
    struct wt_rows_source *s = to->s;
    switch (to->op) {
    case WT_ROWS_DIVIDE:
    case WT_ROWS_REMAINDER:
        return !s[1].constant || s[1].value;
    case WT_ROWS_FIELD:
        s[1].value &= 0xff;
        s[2].value &= 0xff;
        return s[1].constant && s[2].constant && s[2].value && s[1].value + s[2].value <= 32;
    case WT_ROWS_COMPARE: /* unsigned qwords: equality alone */
        return !to->wide || to->is_signed || to->how == WT_ROWS_EQUAL ||
               to->how == (WT_ROWS_LESS | WT_ROWS_GREATER);
    case WT_ROWS_FLOAT_MIN:
    case WT_ROWS_FLOAT_MAX:
        to->how = o->flag;
        return !o->combine;
    case WT_ROWS_FLOAT_OF_SIGNED:
    case WT_ROWS_FLOAT_OF_UNSIGNED:
        return !o->ftz && !o->how && !o->flag;
    case WT_ROWS_FLOAT_DIVIDE: /* approximate quotients have a way of their own */
        if (!to->how)
            return !o->flag;
        s[1] = s[0];
        s[0] = (struct wt_rows_source){.constant = true, .value = 0x3f800000};
        to->how = 0;
        return true;
    default:
        return true;
    }
}

/* Arithmetic, comparisons, selections, conversions. */
static bool computes(const struct ptx_op *o, struct wt_rows_insn *to)
{
    struct ptx_meaning m;
    struct wt_rows_match is;
    if (!ptx_meaning_of(o, &m) || !is_whole(&m) || !operation_of(o, &m, &is))
        return false;
    const bool compares = m.code[1] == WT_RESULT_MASK,
               combines = compares && ptx_meaning_uses(&m, 2);
    *to = (struct wt_rows_insn){.op = is.op,
                                .how = is.how,
                                .wide = m.width[1] == 64 && is.op != WT_ROWS_NARROW,
                                .is_signed = is.is_signed,
                                .combine = combines ? (uint8_t)(WT_ROWS_WITH_AND + o->combine)
                                                    : WT_ROWS_ALONE,
                                .alu.flushes = m.real && o->ftz,
                                .alu.saturates = m.real && o->sat,
                                .d = o->d};
    for (unsigned k = 0; k < is.sources; k++)
        if (!source(&o->s[is.source[k]], m.bytes[is.source[k] + 1], &to->s[k]))
            return false;
    if (combines || is.op == WT_ROWS_SELECT)
        to->s[2] = predicate(&o->s[2]);
    const bool plain = !to->wide || (!to->alu.flushes && !to->alu.saturates);
    return (!m.real || (plain && (compares || o->round == WT_RNE))) && limits(o, to);
}

static bool predicates(const struct ptx_op *o, struct wt_rows_insn *to)
{
    /* and, or, xor, the first one, not the first one */
    static const uint8_t combine[16] = {
        [8] = WT_ROWS_WITH_AND, [14] = WT_ROWS_WITH_OR, [6] = WT_ROWS_WITH_XOR};
    if (o->run != ptx_op_predicate || (!combine[o->how & 15] && o->how != 12 && o->how != 3))
        return false;
    *to = (struct wt_rows_insn){.op = WT_ROWS_PREDICATE,
                                .combine = combine[o->how],
                                .d = o->d,
                                .s[0] = predicate(&o->s[0])};
    to->s[0].negated ^= o->how == 3;
    if (to->combine)
        to->s[2] = predicate(&o->s[1]);
    return true;
}

/* The elements of a vector, of which the code does dwords and two qwords. */
static bool elements(const struct ptx_op *o, struct wt_rows_insn *to)
{
    if (o->size != o->how || o->size < 4 || (o->size == 8 && o->count > 2) ||
        o->offset != (int32_t)o->offset)
        return false;
    to->access.words = o->count;
    for (unsigned k = 0; k < o->count; k++) {
        const struct ptx_source from = {.constant = o->vector_constant[k], .slot = o->vector[k]};
        struct wt_rows_source element;
        if ((!from.constant && from.slot == PTX_NO_SLOT) || !source(&from, o->size, &element))
            return false;
        to->access.place[k] = k * o->size;
        to->access.row[k] = element.slot;
        to->access.constants |= (uint8_t)(element.constant << k);
        to->access.value[k] = element.value;
    }
    return true;
}

static bool access_of(const struct ptx_op *o, struct wt_rows_insn *to)
{
    const bool store = o->run == ptx_op_store, several = o->count > 1;
    if ((!store && o->run != ptx_op_load) || o->size > o->how || o->s[0].constant)
        return false;
    const bool narrow = o->from_type == 4, local = o->space == PTX_SPACE_LOCAL,
               shared = o->space == PTX_SPACE_SHARED;
    if (narrow ? (!local && !shared) || o->offset != (int32_t)o->offset
               : !local && !shared && o->space != PTX_SPACE_GLOBAL && o->space != PTX_SPACE_NONE)
        return false;
    if (!several && (store ? o->vector_constant[0] != NULL : o->vector[0] == PTX_NO_SLOT))
        return false;
    *to = (struct wt_rows_insn){.op = store ? WT_ROWS_STORE : WT_ROWS_LOAD,
                                .wide = o->how == 8,
                                .access.bytes = (uint8_t)(o->size * o->count),
                                .access.extend = o->is_signed ? WT_ROWS_SIGN : WT_ROWS_ZEROS,
                                .access.short_address = narrow,
                                .access.space = local                          ? WT_ROWS_LOCAL
                                                : shared                       ? WT_ROWS_GROUP
                                                : o->space == PTX_SPACE_GLOBAL ? WT_ROWS_GLOBAL
                                                                               : WT_ROWS_GENERIC,
                                .access.offset = (uint64_t)o->offset,
                                .s[1] = {.slot = o->vector[0]}};
    to->d = o->vector[0];
    if (several && !elements(o, to))
        return false;
    return source(&o->s[0], narrow ? 4 : 8, &to->s[0]);
}

/* A kernel's parameter; those and results of functions, which are rows of dwords in the frame. */
static bool parameter(const struct ptx_op *o, struct wt_rows_insn *to)
{
    const bool stores = o->run == ptx_op_store_parameter, wide = o->size == 8;
    if ((!stores && o->run != ptx_op_load_parameter && o->run != ptx_op_load_argument) ||
        o->count != 1 || o->size != o->how || o->size < 4 || o->offset < 0 || o->offset >= 1 << 20)
        return false;
    if (!stores && o->vector[0] == PTX_NO_SLOT)
        return false;
    *to = (struct wt_rows_insn){.op = WT_ROWS_PARAMETER,
                                .wide = wide,
                                .access.bytes = o->size,
                                .access.offset = (uint64_t)o->offset,
                                .d = o->vector[0]};
    if (o->run == ptx_op_load_parameter)
        return true;
    const struct ptx_source from = {.constant = o->vector_constant[0], .slot = o->vector[0]};
    const uint32_t rows = o->s[0].slot + (uint32_t)o->offset / 4 * PTX_ROW_BYTES;
    *to = (struct wt_rows_insn){.op = !wide    ? WT_ROWS_MOVE
                                      : stores ? WT_ROWS_SPLIT
                                               : WT_ROWS_JOIN,
                                .wide = wide && !stores,
                                .d = stores ? rows : o->vector[0],
                                .s[0] = {.slot = rows}};
    return o->offset % 4 == 0 && (!stores || source(&from, o->size, &to->s[0]));
}

/* A special register, which is the same while a warp runs; the address of a local variable. */
static bool special(const struct ptx_op *o, struct wt_rows_insn *to)
{
    static const struct {
        unsigned first, last, number;
        bool is_row;
    } known[] = {{PTX_SR_tid_x, PTX_SR_tid_z, 0, true},
                 {PTX_SR_laneid, PTX_SR_laneid, LANE_ROW, true},
                 {PTX_SR_ntid_x, PTX_SR_ntid_z, FIRST_NTID, false},
                 {PTX_SR_ctaid_x, PTX_SR_ctaid_z, FIRST_CTAID, false},
                 {PTX_SR_nctaid_x, PTX_SR_nctaid_z, FIRST_NCTAID, false}};
    if (o->run == ptx_op_address && o->how == PTX_LOCAL_ADDRESS && o->size == 8) {
        const uint64_t base = (o->flag ? SM_LOCAL_WINDOW : 0) + (uint64_t)o->offset;
        *to = (struct wt_rows_insn){.op = WT_ROWS_MULTIPLY_ADD_WIDE,
                                    .d = o->d,
                                    .s = {{.slot = PTX_LOCAL_ROW * PTX_ROW_BYTES},
                                          {.constant = true, .value = 1},
                                          {.constant = true, .value = base}}};
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (o->run == ptx_op_special && o->size == 4 && o->how >= known[i].first &&
            o->how <= known[i].last) {
            const uint64_t number = known[i].number + o->how - known[i].first;
            *to = (struct wt_rows_insn){
                .op = WT_ROWS_GIVEN, .how = known[i].is_row, .d = o->d, .s[0].value = number};
            return true;
        }
    return false;
}

bool ptx_as_rows(const struct ptx_op *o, struct wt_rows_insn *to)
{
    const bool guarded = o->guard != PTX_NO_SLOT;
    const struct wt_rows_source guard = {.slot = o->guard, .negated = o->guard_negated};
    if (o->run == ptx_op_bra || o->run == ptx_op_join) {
        *to = (struct wt_rows_insn){.op = WT_ROWS_BRANCH, .combine = guarded, .s[0] = guard};
        return true;
    }
    if (!computes(o, to) && !predicates(o, to) && !access_of(o, to) && !parameter(o, to) &&
        !special(o, to))
        return false;
    to->conditional = guarded;
    to->condition = guard;
    return true;
}

bool ptx_is_called(const struct ptx_op *o)
{
    static const sm_op others[] = {ptx_op_bra,       ptx_op_brx,           ptx_op_call,
                                   ptx_op_ret,       ptx_op_call_register, ptx_op_exit,
                                   ptx_op_trap,      ptx_op_join,          ptx_op_mbarrier,
                                   ptx_op_matrix,    ptx_op_load_matrix,   ptx_op_store_matrix,
                                   ptx_op_transpose, ptx_op_load_fragment, ptx_op_store_fragment,
                                   ptx_op_builtin,   ptx_op_alloca,        ptx_op_stack};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (o->run == others[i])
            return false;
    return true;
}

bool ptx_meets(const struct ptx_op *o)
{
    return o->run == ptx_op_barrier || o->run == ptx_op_warp_barrier || o->run == ptx_op_shuffle ||
           o->run == ptx_op_vote || o->run == ptx_op_match || o->run == ptx_op_reduce ||
           o->run == ptx_op_active || o->run == ptx_op_elect;
}
