/* Instructions of PTX as rows, of which sm/ptx/know/block.c makes blocks of translated code. */
#include "emulator/machine/softfloat.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/know/block.h"
#include "emulator/sm/ptx/special.h"
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

static const struct {
    enum ptx_math math;
    enum ptx_type type;
    enum wt_rows_op op;
    bool wide, is_signed;
    uint8_t size[3]; /* bytes of the sources' registers; 0: there is none */
} operations[] = {
#define OF_DWORDS(math, type, op, ...)                                                             \
    {                                                                                              \
        PTX_OP_##math, PTX_##type, WT_ROWS_##op, .size = { __VA_ARGS__ }                           \
    }
#define OF_EITHER(math, op, ...)                                                                   \
    OF_DWORDS(math, U32, op, __VA_ARGS__), OF_DWORDS(math, S32, op, __VA_ARGS__)
#define OF_QWORDS(math, type, op, ...)                                                             \
    {                                                                                              \
        PTX_OP_##math, PTX_##type, WT_ROWS_##op, true, .size = { __VA_ARGS__ }                     \
    }
#define OF_ALL(math, op, count, ...)                                                               \
    OF_EITHER(math, op, 4, __VA_ARGS__), OF_QWORDS(math, U64, op, 8, count),                       \
        OF_QWORDS(math, S64, op, 8, count)
    OF_ALL(mov, MOVE, 0, 0),
    OF_ALL(not, NOT, 0, 0),
    OF_ALL(neg, NEGATE, 0, 0),
    OF_ALL(add, ADD, 8, 4),
    OF_ALL(sub, SUBTRACT, 8, 4),
    OF_ALL(and, AND, 8, 4),
    OF_ALL(or, OR, 8, 4),
    OF_ALL(xor, XOR, 8, 4),
    OF_ALL(shl, SHIFT_LEFT, 4, 4),
    OF_EITHER(mul_lo, MULTIPLY, 4, 4),
    OF_EITHER(mad_lo, MULTIPLY_ADD, 4, 4, 4),
    OF_DWORDS(abs, S32, ABSOLUTE, 4),
    OF_DWORDS(shr, U32, SHIFT_RIGHT, 4, 4),
    OF_DWORDS(shr, S32, SHIFT_SIGNED, 4, 4),
    OF_QWORDS(shr, U64, SHIFT_RIGHT, 8, 4),
    OF_DWORDS(min, U32, MIN, 4, 4),
    OF_DWORDS(max, U32, MAX, 4, 4),
    OF_DWORDS(min, S32, MIN_SIGNED, 4, 4),
    OF_DWORDS(max, S32, MAX_SIGNED, 4, 4),
    OF_DWORDS(mul_hi, U32, MULTIPLY_HIGH, 4, 4),
    {PTX_OP_mul_hi, PTX_S32, WT_ROWS_MULTIPLY_HIGH, .is_signed = true, .size = {4, 4}},
    OF_DWORDS(mul_wide, U32, MULTIPLY_WIDE, 4, 4),
    OF_DWORDS(mad_wide, U32, MULTIPLY_ADD_WIDE, 4, 4, 8),
    {PTX_OP_mul_wide, PTX_S32, WT_ROWS_MULTIPLY_WIDE, .is_signed = true, .size = {4, 4}},
    {PTX_OP_mad_wide, PTX_S32, WT_ROWS_MULTIPLY_ADD_WIDE, .is_signed = true, .size = {4, 4, 8}},
    OF_DWORDS(div, U32, DIVIDE, 4, 4),
    OF_DWORDS(rem, U32, REMAINDER, 4, 4),
    {PTX_OP_div, PTX_S32, WT_ROWS_DIVIDE, .is_signed = true, .size = {4, 4}},
    {PTX_OP_rem, PTX_S32, WT_ROWS_REMAINDER, .is_signed = true, .size = {4, 4}},
    OF_DWORDS(add, F32, FLOAT_ADD, 4, 4),
    OF_DWORDS(sub, F32, FLOAT_SUBTRACT, 4, 4),
    OF_DWORDS(mul, F32, FLOAT_MULTIPLY, 4, 4),
    OF_DWORDS(fma, F32, FLOAT_MULTIPLY_ADD, 4, 4, 4),
    OF_DWORDS(div, F32, FLOAT_DIVIDE, 4, 4),
    OF_QWORDS(add, F64, FLOAT_ADD, 8, 8),
    OF_QWORDS(sub, F64, FLOAT_SUBTRACT, 8, 8),
    OF_QWORDS(mul, F64, FLOAT_MULTIPLY, 8, 8),
    OF_QWORDS(fma, F64, FLOAT_MULTIPLY_ADD, 8, 8, 8),
    OF_QWORDS(div, F64, FLOAT_DIVIDE, 8, 8),
};

static bool arithmetic(const struct ptx_op *o, struct wt_rows_insn *to)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const enum ptx_math math = operations[i].math;
        const enum ptx_type type = operations[i].type;
        const bool floats = type == PTX_F32 || type == PTX_F64;
        if (o->run != (floats ? ptx_float(math, type, true) : ptx_integer(math, type)))
            continue;
        *to = (struct wt_rows_insn){.op = (uint8_t)operations[i].op,
                                    .wide = operations[i].wide,
                                    .is_signed = operations[i].is_signed,
                                    .d = o->d};
        for (unsigned k = 0; k < 3 && operations[i].size[k]; k++)
            if (!source(&o->s[k], operations[i].size[k], &to->s[k]))
                return false;
        const bool divides = to->op == WT_ROWS_DIVIDE || to->op == WT_ROWS_REMAINDER;
        return !divides || !to->s[1].constant || to->s[1].value;
    }
    return false;
}

/* Singles otherwise than plainly: to nearest, with flushing and saturation, or those that always
 * are so. */
static bool single(const struct ptx_op *o, struct wt_rows_insn *to)
{
    static const uint8_t operation[PTX_MATHS] = {
        [PTX_OP_add] = WT_ROWS_FLOAT_ADD,      [PTX_OP_sub] = WT_ROWS_FLOAT_SUBTRACT,
        [PTX_OP_mul] = WT_ROWS_FLOAT_MULTIPLY, [PTX_OP_fma] = WT_ROWS_FLOAT_MULTIPLY_ADD,
        [PTX_OP_div] = WT_ROWS_FLOAT_DIVIDE,   [PTX_OP_rcp] = WT_ROWS_FLOAT_DIVIDE,
        [PTX_OP_sqrt] = WT_ROWS_FLOAT_ROOT,    [PTX_OP_min] = WT_ROWS_FLOAT_MIN,
        [PTX_OP_max] = WT_ROWS_FLOAT_MAX,      [PTX_OP_abs] = WT_ROWS_FLOAT_ABSOLUTE,
        [PTX_OP_neg] = WT_ROWS_FLOAT_NEGATE};
    const bool extreme = o->how == PTX_OP_min || o->how == PTX_OP_max;
    const bool one = o->how == PTX_OP_rcp || o->how == PTX_OP_sqrt || o->how == PTX_OP_abs ||
                     o->how == PTX_OP_neg;
    if (o->run != ptx_float(PTX_OP_rcp, PTX_F32, false) || o->type != PTX_F32 ||
        o->round != WT_RNE || o->how >= PTX_MATHS || !operation[o->how] ||
        (extreme && o->combine) ||
        (o->how == PTX_OP_div && o->flag)) /* approximate quotients have a way of their own */
        return false;
    *to = (struct wt_rows_insn){.op = operation[o->how],
                                .how = extreme && o->flag,
                                .flushes = o->ftz,
                                .saturates = o->sat,
                                .d = o->d};
    const bool quotient = o->how == PTX_OP_rcp;
    if (quotient)
        to->s[0] = (struct wt_rows_source){.constant = true, .value = 0x3f800000};
    return source(&o->s[0], 4, &to->s[quotient]) && (one || source(&o->s[1], 4, &to->s[1])) &&
           (o->how != PTX_OP_fma || source(&o->s[2], 4, &to->s[2]));
}

/* A field that constants tell, a truth table of three. */
static bool bits(const struct ptx_op *o, struct wt_rows_insn *to)
{
    const bool is_signed = o->run == ptx_integer(PTX_OP_bfe, PTX_S32);
    if (o->run == ptx_integer(PTX_OP_lop3, PTX_U32)) {
        *to = (struct wt_rows_insn){.op = WT_ROWS_LOGIC, .how = o->how, .d = o->d};
    } else if (is_signed || o->run == ptx_integer(PTX_OP_bfe, PTX_U32)) {
        *to = (struct wt_rows_insn){.op = WT_ROWS_FIELD, .is_signed = is_signed, .d = o->d};
        if (!o->s[1].constant || !o->s[2].constant)
            return false;
    } else {
        return false;
    }
    for (unsigned k = 0; k < 3; k++)
        if (!source(&o->s[k], 4, &to->s[k]))
            return false;
    if (to->op == WT_ROWS_LOGIC)
        return true;
    to->s[1].value &= 0xff;
    to->s[2].value &= 0xff;
    return to->s[2].value && to->s[1].value + to->s[2].value <= 32;
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

static bool comparison(const struct ptx_op *o, struct wt_rows_insn *to)
{
    static const enum ptx_type types[] = {PTX_U32, PTX_S32, PTX_U64, PTX_S64, PTX_F32, PTX_F64};
    unsigned i = 0;
    const bool flushes = o->run == ptx_set_predicate_flushing() && o->from_type == PTX_F32;
    while (i < 6 && o->run != ptx_set_predicate(types[i]) && !(flushes && types[i] == PTX_F32))
        i++;
    if (i == 6 || o->flag || o->d == PTX_NO_SLOT || o->d2 != PTX_NO_SLOT)
        return false;
    const bool floats = types[i] == PTX_F32 || types[i] == PTX_F64,
               wide = ptx_type_bytes(types[i]) == 8;
    const bool combines = o->s[2].constant || o->s[2].slot != PTX_NO_SLOT;
    const unsigned equal = WT_ROWS_EQUAL, other = WT_ROWS_LESS | WT_ROWS_GREATER;
    if (types[i] == PTX_U64 && (o->how & 7) != equal && (o->how & 7) != other)
        return false;
    *to = (struct wt_rows_insn){.op = floats ? WT_ROWS_FLOAT_COMPARE : WT_ROWS_COMPARE,
                                .wide = wide,
                                .is_signed = types[i] == PTX_S32 || types[i] == PTX_S64,
                                .how = o->how,
                                .flushes = flushes,
                                .combine = combines ? (uint8_t)(WT_ROWS_WITH_AND + o->combine)
                                                    : WT_ROWS_ALONE,
                                .d = o->d};
    if (combines)
        to->s[2] = predicate(&o->s[2]);
    return source(&o->s[0], wide ? 8 : 4, &to->s[0]) && source(&o->s[1], wide ? 8 : 4, &to->s[1]);
}

static bool selection(const struct ptx_op *o, struct wt_rows_insn *to)
{
    const bool wide = o->run == ptx_select(PTX_U64);
    if (!wide && o->run != ptx_select(PTX_U32))
        return false;
    *to = (struct wt_rows_insn){
        .op = WT_ROWS_SELECT, .wide = wide, .d = o->d, .s[2] = predicate(&o->s[2])};
    return source(&o->s[0], wide ? 8 : 4, &to->s[0]) && source(&o->s[1], wide ? 8 : 4, &to->s[1]);
}

static bool is_dword(unsigned type)
{
    return type == PTX_U32 || type == PTX_S32 || type == PTX_B32;
}

static bool is_qword(unsigned type)
{
    return type == PTX_U64 || type == PTX_S64 || type == PTX_B64;
}

static bool conversion(const struct ptx_op *o, struct wt_rows_insn *to)
{
    if (o->run != ptx_convert(o) || o->sat || o->ftz || o->how || o->flag)
        return false;
    *to = (struct wt_rows_insn){.d = o->d, .is_signed = o->from_type == PTX_S32};
    if (is_dword(o->from_type) && o->size == 4 && is_qword(o->type) && o->element == 8)
        to->op = WT_ROWS_WIDEN;
    else if (is_qword(o->from_type) && o->size == 8 && is_dword(o->type) && o->element == 4)
        to->op = WT_ROWS_NARROW;
    else if (is_dword(o->from_type) && o->size == 4 && o->type == PTX_F32 && o->round == WT_RNE)
        to->op = o->from_type == PTX_S32 ? WT_ROWS_FLOAT_OF_SIGNED : WT_ROWS_FLOAT_OF_UNSIGNED;
    else
        return false;
    return source(&o->s[0], o->size, &to->s[0]);
}

/* The elements of a vector, of which the code does dwords and two qwords. */
static bool elements(const struct ptx_op *o, struct wt_rows_insn *to)
{
    if (o->size != o->how || o->size < 4 || (o->size == 8 && o->count > 2) ||
        o->offset != (int32_t)o->offset)
        return false;
    to->words = o->count;
    for (unsigned k = 0; k < o->count; k++) {
        const struct ptx_source from = {.constant = o->vector_constant[k], .slot = o->vector[k]};
        struct wt_rows_source element;
        if ((!from.constant && from.slot == PTX_NO_SLOT) || !source(&from, o->size, &element))
            return false;
        to->place[k] = k * o->size;
        to->row[k] = element.slot;
        to->constants |= (uint8_t)(element.constant << k);
        to->value[k] = element.value;
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
                                .bytes = (uint8_t)(o->size * o->count),
                                .extend = o->is_signed ? WT_ROWS_SIGN : WT_ROWS_ZEROS,
                                .short_address = narrow,
                                .space = local                          ? WT_ROWS_LOCAL
                                         : shared                       ? WT_ROWS_GROUP
                                         : o->space == PTX_SPACE_GLOBAL ? WT_ROWS_GLOBAL
                                                                        : WT_ROWS_GENERIC,
                                .offset = (uint64_t)o->offset,
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
                                .bytes = o->size,
                                .offset = (uint64_t)o->offset,
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
    if (!arithmetic(o, to) && !single(o, to) && !bits(o, to) && !predicates(o, to) &&
        !comparison(o, to) && !selection(o, to) && !conversion(o, to) && !access_of(o, to) &&
        !parameter(o, to) && !special(o, to))
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
