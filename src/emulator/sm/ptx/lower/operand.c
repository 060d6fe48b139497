/* Operands of the statements of a body. See sm/ptx/lower/body.h. */
#include "emulator/sm/ptx/lower/body.h"

#include <string.h>

#include "emulator/machine/softfloat.h"
#include "emulator/sm/ptx/special.h"

/* How many the opcode has at least. */
unsigned body_operands_of(const struct body *b)
{
    static const uint8_t count[] = {
#define P(name, lowering, operation, operands, fields) operands,
#include "emulator/sm/ptx/ptx.def"
#undef P
    };
    return count[b->form.row];
}

const struct ptx_operand *body_operand(const struct body *b, unsigned n)
{
    return &b->text->item[b->s->operand + n];
}

unsigned body_operand_count(const struct body *b)
{
    return b->s->operand_count;
}

bool body_register_operand(struct body *b, const struct ptx_operand *o, const struct ptx_entry **e,
                           uint32_t *slot)
{
    uint32_t number;
    *e = o->kind == PTX_OPERAND_NAME ? body_find(b, o->name, &number) : NULL;
    if (!*e || (*e)->kind != ENTRY_REGISTER)
        return body_fail_at(b, o, "'%.*s' is not a register", (int)o->name.length,
                            o->name.length ? o->name.at : "");
    const struct ptx_variable *v = (*e)->variable;
    uint32_t element = 0;
    if (o->indexed)
        return body_fail_at(b, o, "'%.*s' is not an array", (int)o->name.length, o->name.at);
    if (o->minus)
        return body_fail_at(b, o, "'-' before a register, which only vmad has");
    if (o->component.length) {
        const char *at = o->component.length == 1 ? strchr("xrygzbwa", o->component.at[0]) : NULL;
        element = at ? (uint32_t)(at - "xrygzbwa") / 2 : NONE;
        if (element >= v->vector)
            return body_fail_at(b, o, "'%.*s' has no component '%.*s'", (int)o->name.length,
                                o->name.at, (int)o->component.length, o->component.at);
    }
    *slot = v->type == PTX_PRED ? (*e)->slot + 4 * (number * v->vector + element)
                                : (*e)->slot + (number * v->vector + element) *
                                                   body_register_bytes(v) / 4 * PTX_ROW_BYTES;
    return true;
}

static bool check_width(struct body *b, const struct ptx_operand *o, const struct ptx_variable *v,
                        enum ptx_type type)
{
    const bool predicate = type == PTX_PRED;
    if (predicate != (v->type == PTX_PRED))
        return body_fail_at(b, o, predicate ? "'%.*s' is not a predicate" : "'%.*s' is a predicate",
                            (int)o->name.length, o->name.at);
    if (!predicate && body_register_bytes(v) != ptx_type_class(type))
        return body_fail_at(b, o, "'%.*s' has %u bits, and the instruction wants %u",
                            (int)o->name.length, o->name.at, 8 * ptx_type_bytes(v->type),
                            8 * ptx_type_bytes(type));
    return true;
}

static bool has_no_offset(struct body *b, const struct ptx_operand *o)
{
    return !o->offset || body_fail_at(b, o, "a destination with an offset");
}

bool body_destination(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                      uint32_t *slot)
{
    const struct ptx_entry *e;
    if (o->kind == PTX_OPERAND_SINK) {
        *slot = body_dump(b);
        return true;
    }
    return has_no_offset(b, o) && body_register_operand(b, o, &e, slot) &&
           check_width(b, o, e->variable, type);
}

/* A destination for which a sink is NONE. */
bool body_optional_destination(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                               uint32_t *slot)
{
    if (o->kind == PTX_OPERAND_SINK) {
        *slot = NONE;
        return true;
    }
    return body_destination(b, o, type, slot);
}

static uint64_t number_bits(const struct ptx_operand *o, enum ptx_type type)
{
    struct wt_fp fp = {.propagate_nan = true};
    if (o->kind == PTX_OPERAND_DOUBLE && ptx_type_bytes(type) != 8)
        return type == PTX_F16 ? wt_f64_to_f16(o->value, &fp) : wt_f64_to_f32(o->value, &fp);
    if (o->kind == PTX_OPERAND_SINGLE && ptx_type_bytes(type) == 8)
        return wt_f32_to_f64((uint32_t)o->value, &fp);
    if (o->kind == PTX_OPERAND_INTEGER && (type == PTX_F32 || type == PTX_F64)) {
        const int64_t value = (int64_t)o->value;
        return type == PTX_F32 ? wt_i64_to_f32(value, &fp) : wt_i64_to_f64(value, &fp);
    }
    return o->value;
}

bool body_constant(struct body *b, enum ptx_type type, uint64_t value, struct ptx_source *s)
{
    if (type == PTX_PRED)
        value = value ? UINT32_MAX : 0;
    s->constant = ptx_constant(b->l, ptx_type_class(type), value);
    return s->constant != NULL;
}

static const struct {
    const char *name;
    uint8_t number, bytes;
} specials[] = {
#define S(name, bytes) {#name, PTX_SR_##name, bytes},
#include "emulator/sm/ptx/special.def"
#undef S
};

static bool find_special(const struct ptx_operand *o, unsigned *number, unsigned *bytes)
{
    char name[32];
    if (o->name.length < 2 || o->name.at[0] != '%' ||
        o->name.length + o->component.length + 2 > sizeof name)
        return false;
    const int used = snprintf(name, sizeof name, "%.*s%s%.*s", (int)o->name.length - 1,
                              o->name.at + 1, o->component.length ? "_" : "",
                              (int)o->component.length, o->component.length ? o->component.at : "");
    if (used > 6 && strncmp(name, "envreg", 6) == 0 && strcmp(name, "envreg1") != 0 &&
        strcmp(name, "envreg2") != 0)
        name[6] = 0;
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(name, specials[i].name) == 0) {
            *number = specials[i].number;
            *bytes = specials[i].bytes;
            return true;
        }
    return false;
}

/* reg + n, %tid.x + n: the sum of a value of `bytes` bytes goes to a temporary. */
static bool add_offset(struct body *b, const struct ptx_operand *o, unsigned bytes,
                       struct ptx_source *s)
{
    const enum ptx_type t = bytes == 8 ? PTX_U64 : PTX_U32;
    struct ptx_source number = {0};
    if (!o->offset)
        return true;
    if (!body_constant(b, t, (uint64_t)o->offset, &number))
        return false;
    struct ptx_op *sum = body_emit(b, ptx_integer(PTX_OP_add, t));
    if (!sum)
        return false;
    sum->s[0] = *s;
    sum->s[1] = number;
    s->constant = NULL;
    s->slot = sum->d = body_temporary(b, bytes);
    return true;
}

/* A register plus a constant offset. */
static bool register_source(struct body *b, const struct ptx_operand *o,
                            const struct ptx_variable *v, struct ptx_source *s)
{
    const char *why = v->type == PTX_PRED ? "'%.*s' is a predicate, to which no number is added"
                      : ptx_type_is_float(v->type)
                          ? "'%.*s' is a register of a floating-point type, "
                            "to which no number is added"
                          : NULL;
    if (o->offset && why)
        return body_fail_at(b, o, why, (int)o->name.length, o->name.at);
    s->negated = o->negated;
    return add_offset(b, o, body_register_bytes(v), s);
}

/* An address that is known only when the record runs goes to a temporary. */
static bool address_later(struct body *b, unsigned how, int64_t offset, unsigned bytes,
                          uint16_t variable, struct ptx_source *s)
{
    struct ptx_op *o = body_emit(b, ptx_op_address);
    if (!o)
        return false;
    s->constant = NULL;
    s->slot = o->d = body_temporary(b, bytes);
    o->size = (uint8_t)bytes;
    o->how = (uint8_t)how;
    o->offset = offset;
    o->s[0].variable = variable;
    return true;
}

/* The address of a variable in its own space, or of a function. */
static bool symbol_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                          const struct ptx_entry *e, struct ptx_source *s)
{
    const struct ptx_symbol *symbol = e ? e->symbol : ptx_find_symbol(b->l, b->module, o->name);
    if (!symbol)
        return body_fail_at(b, o, "'%.*s' is not declared", (int)o->name.length, o->name.at);
    if (!ptx_check_defined(b->l, b->module, o->place, symbol))
        return false;
    if (ptx_type_class(type) != 8 &&
        !(symbol->variable && symbol->variable->space == PTX_SPACE_SHARED))
        return body_fail_at(b, o, "the address of '%.*s' has 64 bits", (int)o->name.length,
                            o->name.at);
    if (symbol->function) {
        if (o->offset)
            return body_fail_at(b, o, "the address of a function with an offset");
        /* Its records may come later: sm/ptx/lower/link.c fills its address in. */
        s->constant = ptx_constant(b->l, PTX_FUNCTION, symbol->info);
        return s->constant != NULL;
    }
    if (symbol->dynamic)
        return address_later(b, PTX_SHARED_ADDRESS, o->offset, ptx_type_class(type), 0, s);
    s->variable =
        ptx_origin_number(b->l, symbol->variable, symbol->variable->space, symbol->address);
    return body_constant(b, type, symbol->address + (uint64_t)o->offset, s);
}

/* The declaration of a variable in memory; NULL: the name is none. */
static const struct ptx_variable *variable_of(struct body *b, struct ptx_name name)
{
    uint32_t number;
    const struct ptx_entry *e = body_find(b, name, &number);
    if (e)
        return e->kind == ENTRY_REGISTER ? NULL : e->variable;
    const struct ptx_symbol *symbol = ptx_find_symbol(b->l, b->module, name);
    return symbol ? symbol->variable : NULL;
}

bool body_index(struct body *b, const struct ptx_operand *o, struct ptx_operand *plain,
                const struct ptx_operand **index, uint64_t *size)
{
    const struct ptx_operand *i = body_item(b, o, 0);
    const struct ptx_variable *v = variable_of(b, o->name);
    *plain = *o;
    plain->indexed = false;
    *index = NULL;
    if (!v || !v->is_array)
        return body_fail_at(b, o, "'%.*s' is not an array", (int)o->name.length, o->name.at);
    *size = (uint64_t)ptx_type_bytes(v->type) * v->vector;
    if (i->kind == PTX_OPERAND_INTEGER)
        plain->offset += (int64_t)(i->value * *size);
    else
        *index = i;
    return true;
}

/* Address + index * size, of an element of an array (6.4.2). */
static bool element_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                           struct ptx_source *s)
{
    struct ptx_operand plain;
    const struct ptx_operand *index;
    uint32_t number;
    uint64_t size;
    struct ptx_source factor[3] = {{0}};
    if (!body_index(b, o, &plain, &index, &size))
        return false;
    if (!index)
        return body_source(b, &plain, type, s);
    const struct ptx_entry *e =
        index->kind == PTX_OPERAND_NAME ? body_find(b, index->name, &number) : NULL;
    if (!e || e->kind != ENTRY_REGISTER)
        return body_fail_at(b, index, "an index that is neither a number nor a register");
    const bool wide = ptx_type_class(type) == 8, narrow = body_register_bytes(e->variable) == 4;
    const enum ptx_type t = !narrow                                 ? PTX_U64
                            : ptx_type_is_signed(e->variable->type) ? PTX_S32
                                                                    : PTX_U32;
    if (!wide && !narrow)
        return body_fail_at(b, index, "an index of 64 bits for an address of 32 bits");
    if (!body_source(b, index, t, &factor[0]) || !body_constant(b, t, size, &factor[1]) ||
        !body_source(b, &plain, type, &factor[2]))
        return false;
    struct ptx_op *sum =
        body_emit(b, ptx_integer(wide && narrow ? PTX_OP_mad_wide : PTX_OP_mad_lo, t));
    if (!sum)
        return false;
    for (unsigned i = 0; i < 3; i++)
        sum->s[i] = factor[i];
    s->constant = NULL;
    s->slot = sum->d = body_temporary(b, ptx_type_class(type));
    return true;
}

static bool name_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                        struct ptx_source *s)
{
    uint32_t number;
    unsigned special, bytes;
    const struct ptx_entry *e = body_find(b, o->name, &number);
    if (e && e->kind == ENTRY_REGISTER) {
        const struct ptx_entry *same;
        s->constant = NULL;
        if (!body_register_operand(b, o, &same, &s->slot) || !check_width(b, o, e->variable, type))
            return false;
        return register_source(b, o, e->variable, s);
    }
    if (o->indexed)
        return element_source(b, o, type, s);
    if (e && (e->kind == ENTRY_LOCAL || e->kind == ENTRY_KERNEL_PARAMETER)) {
        const bool local = e->kind == ENTRY_LOCAL;
        return address_later(b, local ? PTX_LOCAL_ADDRESS : PTX_PARAMETER_ADDRESS,
                             (int64_t)e->number + o->offset, ptx_type_class(type),
                             ptx_origin_number(b->l, e->variable,
                                               local ? PTX_SPACE_LOCAL : PTX_SPACE_PARAM,
                                               e->number),
                             s);
    }
    if (e && e->kind == ENTRY_STATIC)
        return symbol_source(b, o, type, e, s);
    if (e)
        return body_fail_at(b, o, "the address of '%.*s' cannot be taken: it is in registers",
                            (int)o->name.length, o->name.at);
    if (find_special(o, &special, &bytes)) {
        if (special == PTX_SR_is_explicit_cluster) /* launches have no clusters but of one CTA */
            return type == PTX_PRED ? body_constant(b, type, 0, s)
                                    : body_fail_at(b, o, "it is a predicate");
        struct ptx_op *op = body_emit(b, ptx_op_special);
        if (!op)
            return false;
        s->constant = NULL;
        s->slot = op->d = body_temporary(b, ptx_type_class(type));
        op->size = (uint8_t)ptx_type_class(type);
        op->how = (uint8_t)special;
        return add_offset(b, o, ptx_type_class(type), s);
    }
    if (o->name.at[0] == '%')
        return body_fail_at(b, o, "there is no register '%.*s'", (int)o->name.length, o->name.at);
    return symbol_source(b, o, type, NULL, s);
}

bool body_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                 struct ptx_source *s)
{
    switch (o->kind) {
    case PTX_OPERAND_NAME:
        return name_source(b, o, type, s);
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_SINGLE:
    case PTX_OPERAND_DOUBLE:
        return body_constant(b, type, number_bits(o, type), s);
    default:
        return body_fail_at(b, o, "an operand that the instruction does not have");
    }
}

/* ---- vectors ---- */

const struct ptx_operand *body_item(const struct body *b, const struct ptx_operand *o, unsigned n)
{
    return &b->text->item[o->list + n];
}

/* A register whose width is not that of the type: for memory and conversions. */
static bool wide_enough(struct body *b, const struct ptx_operand *o, const struct ptx_entry *e,
                        enum ptx_type type, unsigned *bytes)
{
    *bytes = body_register_bytes(e->variable);
    if (e->variable->type == PTX_PRED || ptx_type_bytes(e->variable->type) < ptx_type_bytes(type))
        return body_fail_at(b, o, "'%.*s' is too narrow", (int)o->name.length, o->name.at);
    return true;
}

bool body_loose_register(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                         uint32_t *slot, unsigned *bytes)
{
    const struct ptx_entry *e;
    return has_no_offset(b, o) && body_register_operand(b, o, &e, slot) &&
           wide_enough(b, o, e, type, bytes);
}

bool body_loose_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                       struct ptx_source *s, unsigned *bytes)
{
    const struct ptx_entry *e;
    s->constant = NULL;
    return body_register_operand(b, o, &e, &s->slot) && wide_enough(b, o, e, type, bytes) &&
           register_source(b, o, e->variable, s);
}

/* A register that was declared as a vector, as a whole; NULL: the operand is something else. */
static const struct ptx_entry *vector_register(struct body *b, const struct ptx_operand *o)
{
    uint32_t number;
    const struct ptx_entry *e = o->kind == PTX_OPERAND_NAME ? body_find(b, o->name, &number) : NULL;
    const bool whole = e && e->kind == ENTRY_REGISTER && e->variable->vector > 1;
    return whole && !o->component.length ? e : NULL;
}

/* Element i of {a, b} or of a vector register. */
struct ptx_operand body_element_of(struct body *b, const struct ptx_operand *o, unsigned i)
{
    struct ptx_operand one = *o;
    if (o->kind == PTX_OPERAND_VECTOR)
        return *body_item(b, o, i);
    one.component = (struct ptx_name){&"xyzw"[i], 1};
    return one;
}

unsigned body_elements_of(struct body *b, const struct ptx_operand *o)
{
    const struct ptx_entry *e = vector_register(b, o);
    return o->kind == PTX_OPERAND_VECTOR ? o->count : e ? e->variable->vector : 0;
}

/* ---- records with operands ---- */

/* Emits the record of the statement: with its guard. NULL: an error was raised. */
struct ptx_op *body_emit_guarded(struct body *b, sm_op run)
{
    uint32_t slot = NONE;
    if (b->s->guard.length) {
        const struct ptx_operand name = {
            .kind = PTX_OPERAND_NAME, .name = b->s->guard, .place = b->s->place};
        const struct ptx_entry *e;
        if (!body_register_operand(b, &name, &e, &slot))
            return NULL;
        if (e->variable->type != PTX_PRED) {
            body_fail(b, "'%.*s' is not a predicate", (int)b->s->guard.length, b->s->guard.at);
            return NULL;
        }
    }
    struct ptx_op *o = body_emit(b, run);
    if (o) {
        o->guard = slot;
        o->guard_negated = b->s->guard_negated;
    }
    return o;
}

/* Where parameter n of a range ("%P<2>") is in the frame. */
uint32_t body_parameter_slot(const struct ptx_entry *e, uint32_t n)
{
    return e->slot + n * ptx_dwords(e->variable) * PTX_ROW_BYTES;
}

bool body_put_record(struct body *b, sm_op run, const struct ptx_op *record)
{
    struct ptx_op *o = body_emit_guarded(b, run);
    if (!o)
        return false;
    struct ptx_op whole = *record;
    whole.run = o->run;
    whole.guard = o->guard;
    whole.guard_negated = o->guard_negated;
    whole.text = o->text;
    whole.place = o->place;
    whole.module = o->module;
    whole.file = o->file;
    whole.line = o->line;
    whole.column = o->column;
    *o = whole;
    return true;
}

struct ptx_op body_blank(void)
{
    struct ptx_op o = {.d = NONE, .d2 = NONE, .guard = NONE};
    for (unsigned i = 0; i < 4; i++) {
        o.s[i].slot = PTX_LOCAL_ROW * PTX_ROW_BYTES;
        o.vector[i] = NONE;
    }
    return o;
}
