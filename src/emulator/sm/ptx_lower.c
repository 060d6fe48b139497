/*
 * Lowers the bodies of PTX functions to records. Each instruction becomes one record or a few: what
 * an operand needs (a special register, the address of a local variable) comes before it. The row
 * of ptx.def says which function here lowers it.
 */
#include "emulator/sm/ptx_lower.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/softfloat.h"
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx_special.h"
#include "object/cubin.h"

#define NONE UINT32_MAX
#define BUCKETS 256

enum entry_kind {
    REGISTER,
    KERNEL_PARAMETER, /* number: bytes from the first one */
    ROWS,             /* a parameter of a function: slot */
    LOCAL,            /* number: bytes into the frame's local memory */
    STATIC,           /* a variable of another space that is declared in the body */
    TARGETS,          /* number: index of the image's targets, once they are complete */
    PROTOTYPE,
};

/* What a name means in a function, or in a block of it. */
struct entry {
    struct ptx_name name;
    enum entry_kind kind;
    const struct ptx_variable *variable;
    const struct ptx_symbol *symbol; /* of a STATIC */
    uint32_t slot;
    uint64_t number;
    uint32_t next; /* in its bucket */
    uint32_t bucket;
};

struct label {
    struct ptx_name name;
    uint32_t record; /* NONE: not met yet */
    uint32_t next;
    struct ptx_place place;
};

/* A function that is being lowered. */
struct body {
    struct ptx_linker *l;
    struct sm_ptx *image;
    uint32_t module;
    const struct ptx_module *text;
    const struct ptx_function *f;
    const struct ptx_statement *s; /* the statement */
    struct ptx_form form;
    struct entry *entry;
    size_t entry_count, entry_room;
    uint32_t bucket[BUCKETS], label_bucket[BUCKETS];
    struct label *label;
    size_t label_count, label_room;
    uint32_t scope[80]; /* entry_count where each open block begins */
    unsigned depth;
    uint32_t rows; /* so far */
    uint32_t predicate_slot, predicates_left;
    uint32_t dump; /* slot of two rows that nobody reads; NONE: none yet */
    uint64_t local;
    uint32_t first_record;
    uint32_t info; /* index of its ptx_function_info */
};

static bool fail(struct body *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for an operand. */
static bool fail_at(struct body *b, const struct ptx_operand *o, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct body *b, const char *format, ...)
{
    char text[250];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ptx_mistake(b->l, b->module, b->s->place, WT_INVALID, "%s", text);
}

static bool fail_at(struct body *b, const struct ptx_operand *o, const char *format, ...)
{
    char text[250];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ptx_mistake(b->l, b->module, o->place.line ? o->place : b->s->place, WT_INVALID, "%s",
                       text);
}

static bool unsupported(struct body *b)
{
    return ptx_mistake(b->l, b->module, b->s->place, WT_UNSUPPORTED,
                       "there is no instruction '%.*s'",
                       (int)(b->s->name.length > 80 ? 80 : b->s->name.length), b->s->name.at);
}

/* ---- names ---- */

static uint32_t hash_of(struct ptx_name name)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < name.length; i++)
        h = (h ^ (uint8_t)name.at[i]) * 16777619u;
    return h % BUCKETS;
}

static bool add_entry(struct body *b, struct entry e)
{
    struct entry *grown =
        wt_array_grow(b->entry, &b->entry_room, b->entry_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    b->entry = grown;
    e.bucket = hash_of(e.name);
    e.next = b->bucket[e.bucket];
    b->bucket[e.bucket] = (uint32_t)b->entry_count;
    b->entry[b->entry_count++] = e;
    return true;
}

static void close_scope(struct body *b)
{
    const uint32_t count = b->scope[--b->depth];
    while (b->entry_count > count) {
        const struct entry *e = &b->entry[--b->entry_count];
        b->bucket[e->bucket] = e->next;
    }
}

static const struct entry *find_exact(const struct body *b, struct ptx_name name)
{
    for (uint32_t i = b->bucket[hash_of(name)]; i != NONE; i = b->entry[i].next)
        if (ptx_names_equal(b->entry[i].name, name))
            return &b->entry[i];
    return NULL;
}

/* The entry of a name, and which one of its range: "%r12" of "%r<40>". */
static const struct entry *find(const struct body *b, struct ptx_name name, uint32_t *number)
{
    const struct entry *e = find_exact(b, name);
    *number = 0;
    if (e && !e->variable)
        return e;
    if (e && !e->variable->range)
        return e;
    uint64_t value = 0, power = 1;
    for (uint32_t n = 0; name.length > 1 && n < 8; n++) {
        const char c = name.at[name.length - 1];
        if (c < '0' || c > '9')
            break;
        value += (uint64_t)(c - '0') * power;
        power *= 10;
        name.length--;
        e = find_exact(b, name);
        /* "%r07" is not %r7. */
        if (e && e->variable && e->variable->range && value < e->variable->range &&
            (value >= power / 10 || power == 10)) {
            *number = (uint32_t)value;
            return e;
        }
    }
    return NULL;
}

/* ---- the frame ---- */

static unsigned register_bytes(const struct ptx_variable *v)
{
    return ptx_type_bytes(v->type) == 8 ? 8 : 4;
}

static uint32_t take_rows(struct body *b, uint32_t count)
{
    const uint32_t slot = b->rows * PTX_ROW_BYTES;
    b->rows += count;
    return slot;
}

static uint32_t take_predicates(struct body *b, uint32_t count)
{
    if (count > b->predicates_left) {
        const uint32_t rows = (count + SM_LANES - 1) / SM_LANES;
        b->predicate_slot = take_rows(b, rows);
        b->predicates_left = rows * SM_LANES;
    }
    const uint32_t slot = b->predicate_slot;
    b->predicate_slot += 4 * count;
    b->predicates_left -= count;
    return slot;
}

static bool too_large(struct body *b)
{
    return b->rows > PTX_MOST_ROWS && !fail(b, "registers of more than %u rows", PTX_MOST_ROWS);
}

static uint32_t temporary(struct body *b, unsigned bytes)
{
    return take_rows(b, bytes == 8 ? 2 : 1);
}

static uint32_t dump(struct body *b)
{
    if (b->dump == NONE)
        b->dump = take_rows(b, 2);
    return b->dump;
}

/* For people who look at the frame. */
static bool name_register(struct body *b, const struct entry *e)
{
    struct sm_ptx *image = b->image;
    struct ptx_register *grown =
        wt_array_grow(image->reg, &image->reg_room, image->reg_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->reg = grown;
    grown[image->reg_count++] = (struct ptx_register){
        .name = e->name,
        .function = b->info,
        .slot = e->slot,
        .range = e->variable->range,
        .bytes = e->variable->type == PTX_PRED ? 0 : (uint8_t)register_bytes(e->variable),
        .vector = e->variable->vector};
    return true;
}

static bool declare_register(struct body *b, const struct ptx_variable *v)
{
    const uint32_t count = v->range ? v->range : 1;
    struct entry e = {.name = v->name, .kind = REGISTER, .variable = v};
    if (v->type == PTX_B128 || v->is_array)
        return fail(b, "a register of that type");
    if (v->type == PTX_PRED)
        e.slot = take_predicates(b, count * v->vector);
    else
        e.slot = take_rows(b, count * v->vector * (register_bytes(v) / 4));
    return !too_large(b) && add_entry(b, e) && name_register(b, &e);
}

static bool declare(struct body *b, const struct ptx_variable *v)
{
    struct entry e = {.name = v->name, .variable = v};
    switch (v->space) {
    case PTX_SPACE_REG:
        return declare_register(b, v);
    case PTX_SPACE_PARAM:
        e.kind = ROWS;
        e.slot = take_rows(b, ptx_dwords(v) * (v->range ? v->range : 1));
        return !too_large(b) && add_entry(b, e);
    case PTX_SPACE_LOCAL:
        b->local = (b->local + v->align - 1) / v->align * v->align;
        e.kind = LOCAL;
        e.number = b->local;
        b->local += v->bytes;
        if (b->local > 1 << 20)
            return fail(b, "local memory of more than 1 MiB");
        return add_entry(b, e);
    case PTX_SPACE_SHARED:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        e.kind = STATIC;
        e.symbol = ptx_inner_symbol(b->l, v);
        return add_entry(b, e);
    default:
        return fail(b, "a variable of this space is declared outside of functions");
    }
}

/* ---- records ---- */

static struct ptx_op *emit(struct body *b, sm_op run)
{
    struct sm_ptx *image = b->image;
    struct ptx_op *grown =
        wt_array_grow(image->op, &image->op_room, image->op_count + 1, sizeof *grown);
    if (!grown) {
        ptx_out_of_memory(b->l);
        return NULL;
    }
    image->op = grown;
    struct ptx_op *o = &grown[image->op_count++];
    *o = (struct ptx_op){.run = run,
                         .d = NONE,
                         .d2 = NONE,
                         .guard = NONE,
                         .module = b->module,
                         .text = b->s->text,
                         .place = b->s->place,
                         .file = b->s->file,
                         .line = b->s->line,
                         .column = b->s->column};
    for (unsigned i = 0; i < 4; i++) {
        o->s[i].slot = PTX_LOCAL_ROW * PTX_ROW_BYTES;
        o->vector[i] = NONE;
    }
    return o;
}

static bool register_operand(struct body *b, const struct ptx_operand *o, const struct entry **e,
                             uint32_t *slot);

/* Emits the record of the statement: with its guard. NULL: an error was raised. */
static struct ptx_op *emit_guarded(struct body *b, sm_op run)
{
    uint32_t slot = NONE;
    if (b->s->guard.length) {
        const struct ptx_operand name = {
            .kind = PTX_OPERAND_NAME, .name = b->s->guard, .place = b->s->place};
        const struct entry *e;
        if (!register_operand(b, &name, &e, &slot))
            return NULL;
        if (e->variable->type != PTX_PRED) {
            fail(b, "'%.*s' is no predicate", (int)b->s->guard.length, b->s->guard.at);
            return NULL;
        }
    }
    struct ptx_op *o = emit(b, run);
    if (o) {
        o->guard = slot;
        o->guard_negated = b->s->guard_negated;
    }
    return o;
}

/* ---- operands ---- */

/* How many the opcode has at least. */
static unsigned operands_of(const struct body *b)
{
    static const uint8_t count[] = {
#define P(name, lowering, operation, operands, fields) operands,
#include "emulator/sm/ptx.def"
#undef P
    };
    return count[b->form.row];
}

static const struct ptx_operand *operand(const struct body *b, unsigned n)
{
    return &b->text->item[b->s->operand + n];
}

static unsigned operand_count(const struct body *b)
{
    return b->s->operand_count;
}

static bool register_operand(struct body *b, const struct ptx_operand *o, const struct entry **e,
                             uint32_t *slot)
{
    uint32_t number;
    *e = o->kind == PTX_OPERAND_NAME ? find(b, o->name, &number) : NULL;
    if (!*e || (*e)->kind != REGISTER)
        return fail_at(b, o, "'%.*s' is no register", (int)o->name.length,
                       o->name.length ? o->name.at : "");
    const struct ptx_variable *v = (*e)->variable;
    uint32_t element = 0;
    if (o->component.length) {
        const char *at = o->component.length == 1 ? strchr("xrygzbwa", o->component.at[0]) : NULL;
        element = at ? (uint32_t)(at - "xrygzbwa") / 2 : NONE;
        if (element >= v->vector)
            return fail_at(b, o, "'%.*s' has no component '%.*s'", (int)o->name.length, o->name.at,
                           (int)o->component.length, o->component.at);
    }
    *slot = v->type == PTX_PRED ? (*e)->slot + 4 * (number * v->vector + element)
                                : (*e)->slot + (number * v->vector + element) * register_bytes(v) /
                                                   4 * PTX_ROW_BYTES;
    return true;
}

static unsigned class_of(enum ptx_type type)
{
    return ptx_type_bytes(type) == 8 ? 8 : 4;
}

static bool check_width(struct body *b, const struct ptx_operand *o, const struct ptx_variable *v,
                        enum ptx_type type)
{
    const bool predicate = type == PTX_PRED;
    if (predicate != (v->type == PTX_PRED))
        return fail_at(b, o, predicate ? "'%.*s' is no predicate" : "'%.*s' is a predicate",
                       (int)o->name.length, o->name.at);
    if (!predicate && register_bytes(v) != class_of(type))
        return fail_at(b, o, "'%.*s' has %u bits, and the instruction wants %u",
                       (int)o->name.length, o->name.at, 8 * ptx_type_bytes(v->type),
                       8 * ptx_type_bytes(type));
    return true;
}

static bool destination(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                        uint32_t *slot)
{
    const struct entry *e;
    if (o->kind == PTX_OPERAND_SINK) {
        *slot = dump(b);
        return true;
    }
    return register_operand(b, o, &e, slot) && check_width(b, o, e->variable, type);
}

/* A destination for which a sink is NONE. */
static bool optional_destination(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                                 uint32_t *slot)
{
    if (o->kind == PTX_OPERAND_SINK) {
        *slot = NONE;
        return true;
    }
    return destination(b, o, type, slot);
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

static bool constant(struct body *b, enum ptx_type type, uint64_t value, struct ptx_source *s)
{
    if (type == PTX_PRED)
        value = value ? UINT32_MAX : 0;
    s->constant = ptx_constant(b->l, class_of(type), value);
    return s->constant != NULL;
}

static const struct {
    const char *name;
    uint8_t number, bytes;
} specials[] = {
#define S(name, bytes) {#name, PTX_SR_##name, bytes},
#include "emulator/sm/ptx_special.def"
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
    if (used > 6 && strncmp(name, "envreg", 6) == 0)
        name[6] = 0;
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(name, specials[i].name) == 0) {
            *number = specials[i].number;
            *bytes = specials[i].bytes;
            return true;
        }
    return false;
}

enum { LOCAL_ADDRESS, SHARED_ADDRESS, PARAMETER_ADDRESS };

/* An address that is known only when the record runs goes to a temporary. */
static bool address_later(struct body *b, unsigned how, int64_t offset, unsigned bytes,
                          struct ptx_source *s)
{
    struct ptx_op *o = emit(b, ptx_op_address);
    if (!o)
        return false;
    s->constant = NULL;
    s->slot = o->d = temporary(b, bytes);
    o->size = (uint8_t)bytes;
    o->how = (uint8_t)how;
    o->offset = offset;
    return true;
}

/* The address of a variable in its own space, or of a function. */
static bool symbol_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                          const struct entry *e, struct ptx_source *s)
{
    const struct ptx_symbol *symbol = e ? e->symbol : ptx_find_symbol(b->l, b->module, o->name);
    if (!symbol)
        return fail_at(b, o, "'%.*s' is not declared", (int)o->name.length, o->name.at);
    if (class_of(type) != 8 && !(symbol->variable && symbol->variable->space == PTX_SPACE_SHARED))
        return fail_at(b, o, "the address of '%.*s' has 64 bits", (int)o->name.length, o->name.at);
    if (symbol->function) {
        /* Its records may come later: ptx_link.c fills its address in. */
        s->constant = ptx_constant(b->l, PTX_FUNCTION, symbol->info);
        return s->constant != NULL;
    }
    if (symbol->dynamic)
        return address_later(b, SHARED_ADDRESS, o->offset, class_of(type), s);
    return constant(b, type, symbol->address + (uint64_t)o->offset, s);
}

static bool name_source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                        struct ptx_source *s)
{
    uint32_t number;
    unsigned special, bytes;
    const struct entry *e = find(b, o->name, &number);
    if (e && e->kind == REGISTER) {
        const struct entry *same;
        s->constant = NULL;
        if (!register_operand(b, o, &same, &s->slot) || !check_width(b, o, e->variable, type))
            return false;
        s->negated = o->negated;
        if (!o->offset)
            return true;
        return fail_at(b, o, "a register with an offset");
    }
    if (e && e->kind == LOCAL)
        return address_later(b, LOCAL_ADDRESS, (int64_t)e->number + o->offset, class_of(type), s);
    if (e && e->kind == KERNEL_PARAMETER)
        return address_later(b, PARAMETER_ADDRESS, (int64_t)e->number + o->offset, class_of(type),
                             s);
    if (e && e->kind == STATIC)
        return symbol_source(b, o, type, e, s);
    if (e)
        return fail_at(b, o, "the address of '%.*s' cannot be taken: it is in registers",
                       (int)o->name.length, o->name.at);
    if (find_special(o, &special, &bytes)) {
        struct ptx_op *op = emit(b, ptx_op_special);
        if (!op)
            return false;
        s->constant = NULL;
        s->slot = op->d = temporary(b, class_of(type));
        op->size = (uint8_t)class_of(type);
        op->how = (uint8_t)special;
        return true;
    }
    if (ptx_name_is(o->name, "WARP_SZ"))
        return constant(b, type, SM_LANES, s);
    if (o->name.at[0] == '%')
        return fail_at(b, o, "there is no register '%.*s'", (int)o->name.length, o->name.at);
    return symbol_source(b, o, type, NULL, s);
}

static bool source(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                   struct ptx_source *s)
{
    switch (o->kind) {
    case PTX_OPERAND_NAME:
        return name_source(b, o, type, s);
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_SINGLE:
    case PTX_OPERAND_DOUBLE:
        return constant(b, type, number_bits(o, type), s);
    default:
        return fail_at(b, o, "an operand that the instruction does not have");
    }
}

static bool is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_F32 || type == PTX_F64 ||
           type == PTX_BF16 || type == PTX_BF16X2;
}

static bool is_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
}

static enum ptx_type wider(enum ptx_type type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S32:
        return PTX_S64;
    default:
        return PTX_NO_TYPE;
    }
}

/* ---- arithmetic ---- */

/* What a row of ptx.def and the words make of an integer operation. */
static enum ptx_math integer_operation(const struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool cc = f->fields & CC;
    switch (op) {
    case PTX_OP_add:
        return cc ? PTX_OP_addc : f->fields & SAT ? PTX_OP_add_sat : op;
    case PTX_OP_sub:
        return cc ? PTX_OP_subc : f->fields & SAT ? PTX_OP_sub_sat : op;
    case PTX_OP_mul:
        return f->half == PTX_LO     ? PTX_OP_mul_lo
               : f->half == PTX_HI   ? PTX_OP_mul_hi
               : f->half == PTX_WIDE ? PTX_OP_mul_wide
                                     : PTX_MATHS;
    case PTX_OP_mad_lo:
        if (f->fields & SAT)
            return PTX_MATHS;
        return f->half == PTX_LO     ? (cc ? PTX_OP_madc_lo : op)
               : f->half == PTX_HI   ? (cc ? PTX_OP_madc_hi : PTX_OP_mad_hi)
               : f->half == PTX_WIDE ? PTX_OP_mad_wide
                                     : PTX_MATHS;
    case PTX_OP_madc_lo:
        return f->half == PTX_LO ? op : f->half == PTX_HI ? PTX_OP_madc_hi : PTX_MATHS;
    case PTX_OP_mul24:
        return f->half == PTX_HI ? PTX_OP_mul24_hi : op;
    case PTX_OP_mad24:
        return f->half == PTX_HI ? PTX_OP_mad24_hi : op;
    case PTX_OP_bfind:
        return ptx_has(f, PTX_WORD_shiftamt) ? PTX_OP_bfind_shiftamt : op;
    case PTX_OP_shf_l_wrap: {
        const bool wrap = ptx_has(f, PTX_WORD_wrap);
        if (ptx_has(f, PTX_WORD_l))
            return wrap ? PTX_OP_shf_l_wrap : PTX_OP_shf_l_clamp;
        return wrap ? PTX_OP_shf_r_wrap : PTX_OP_shf_r_clamp;
    }
    default:
        return op;
    }
}

/* Types of the operands, the result first. */
static void operand_types(const struct ptx_form *f, enum ptx_math op, enum ptx_type types[5])
{
    const enum ptx_type t = f->type[0];
    for (unsigned i = 0; i < 5; i++)
        types[i] = t;
    switch (op) {
    case PTX_OP_mul_wide:
        types[0] = wider(t);
        break;
    case PTX_OP_mad_wide:
        types[0] = types[3] = wider(t);
        break;
    case PTX_OP_popc:
    case PTX_OP_clz:
    case PTX_OP_bfind:
    case PTX_OP_bfind_shiftamt:
        types[0] = PTX_U32;
        break;
    case PTX_OP_shl:
    case PTX_OP_shr:
        types[2] = PTX_U32;
        break;
    case PTX_OP_bfe:
        types[2] = types[3] = PTX_U32;
        break;
    case PTX_OP_bfi:
        types[3] = types[4] = PTX_U32;
        break;
    default:
        break;
    }
}

static unsigned carry_kind(enum ptx_math op)
{
    return op == PTX_OP_addc ? 0 : op == PTX_OP_subc ? 1 : op == PTX_OP_madc_lo ? 2 : 3;
}

static bool is_carry(enum ptx_math op)
{
    return op == PTX_OP_addc || op == PTX_OP_subc || op == PTX_OP_madc_lo || op == PTX_OP_madc_hi;
}

static unsigned permute_mode(const struct ptx_form *f)
{
    static const uint8_t words[] = {PTX_WORD_f4e, PTX_WORD_b4e, PTX_WORD_rc8,
                                    PTX_WORD_ecl, PTX_WORD_ecr, PTX_WORD_rc16};
    for (unsigned i = 0; i < sizeof words; i++)
        if (ptx_has(f, (enum ptx_word)words[i]))
            return i + 1;
    return 0;
}

static bool dword(enum ptx_type type)
{
    return type == PTX_U32 || type == PTX_S32;
}

/* Operands that the opcode has in ptx.def; the video instructions may add to a third one. */
static bool right_count(struct body *b, enum ptx_math op)
{
    const unsigned most = operands_of(b) + (op == PTX_OP_vadd || op == PTX_OP_vsub);
    return operand_count(b) <= most || fail(b, "an operand too many: there are %u", most);
}

static bool lower_arithmetic(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const enum ptx_type t = f->type[0];
    const bool floating = is_float(t);
    enum ptx_math chosen = op == PTX_OP_mad_lo && floating ? PTX_OP_fma : op;
    sm_op run;
    if (f->type_count == 0)
        return unsupported(b);
    if (floating) {
        const bool plain = f->round == WT_RNE && !(f->fields & (FTZ | SAT));
        run = f->fields & (HALF | CC) ? NULL : ptx_float(chosen, t, plain);
    } else {
        if (f->fields & (ROUND | FTZ | APPROX))
            return unsupported(b);
        chosen = integer_operation(b, op);
        run = chosen == PTX_MATHS ? NULL : ptx_integer(chosen, t);
        if (chosen == PTX_OP_dp4a)
            run = f->type_count == 2 && dword(t) && dword(f->type[1]) ? ptx_integer(op, PTX_U32)
                                                                      : NULL;
    }
    const unsigned last = chosen == PTX_OP_lop3 ? 4 : operand_count(b);
    if (!run)
        return unsupported(b);
    if (!right_count(b, op))
        return false;
    enum ptx_type types[5];
    struct ptx_source sources[4] = {{0}};
    uint32_t d;
    operand_types(f, chosen, types);
    if (!destination(b, operand(b, 0), types[0], &d))
        return false;
    for (unsigned i = 1; i < last; i++)
        if (!source(b, operand(b, i), types[i], &sources[i - 1]))
            return false;
    struct ptx_op *o = emit_guarded(b, run);
    if (!o)
        return false;
    o->d = d;
    for (unsigned i = 1; i < last; i++)
        o->s[i - 1] = sources[i - 1];
    o->type = (uint8_t)t;
    o->is_signed = is_signed(t);
    o->round = f->round;
    o->ftz = f->fields & FTZ;
    o->sat = f->fields & SAT;
    o->how = (uint8_t)chosen;
    o->flag = f->fields & APPROX;
    if (chosen == PTX_OP_min || chosen == PTX_OP_max)
        o->flag = ptx_has(f, PTX_WORD_NaN);
    if (!floating && is_carry(chosen)) {
        o->how = op == PTX_OP_addc || op == PTX_OP_subc || op == PTX_OP_madc_lo;
        o->flag = f->fields & CC;
        o->combine = (uint8_t)carry_kind(chosen);
    }
    if (chosen == PTX_OP_prmt)
        o->how = (uint8_t)permute_mode(f);
    if (chosen == PTX_OP_vadd || chosen == PTX_OP_vsub)
        o->flag = operand_count(b) == 4;
    if (chosen == PTX_OP_dp4a)
        o->how = (uint8_t)((f->type[0] == PTX_S32) | (f->type[1] == PTX_S32) << 1);
    if (chosen == PTX_OP_lop3) {
        const struct ptx_operand *table = operand(b, 4);
        if (table->kind != PTX_OPERAND_INTEGER || table->value > 255)
            return fail_at(b, table, "the truth table of lop3 is a number of 8 bits");
        o->how = (uint8_t)table->value;
    }
    return true;
}

static bool lower_test(struct body *b, enum ptx_math op)
{
    static const uint8_t words[] = {PTX_WORD_finite,     PTX_WORD_infinite, PTX_WORD_number,
                                    PTX_WORD_notanumber, PTX_WORD_normal,   PTX_WORD_subnormal};
    uint32_t d;
    struct ptx_source s = {0};
    const enum ptx_type t = b->form.type[0];
    if (t != PTX_F32 && t != PTX_F64)
        return unsupported(b);
    for (unsigned i = 0; i < sizeof words; i++) {
        if (!ptx_has(&b->form, (enum ptx_word)words[i]))
            continue;
        if (!destination(b, operand(b, 0), PTX_PRED, &d) || !source(b, operand(b, 1), t, &s))
            return false;
        struct ptx_op *o = emit_guarded(b, ptx_op_testp);
        if (!o)
            return false;
        o->d = d;
        o->s[0] = s;
        o->type = (uint8_t)t;
        o->how = (uint8_t)i;
        return true;
    }
    return unsupported(b);
}

/* Of predicates: a truth table of two. */
static bool predicate_logic(struct body *b, unsigned table)
{
    uint32_t d;
    struct ptx_source s[2] = {{0}};
    const unsigned count = operand_count(b);
    if (!destination(b, operand(b, 0), PTX_PRED, &d))
        return false;
    for (unsigned i = 1; i < count && i < 3; i++)
        if (!source(b, operand(b, i), PTX_PRED, &s[i - 1]))
            return false;
    if (count == 2)
        s[1] = s[0];
    struct ptx_op *o = emit_guarded(b, ptx_op_predicate);
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s[0];
    o->s[1] = s[1];
    o->how = (uint8_t)table;
    return true;
}

/* Bit 2a + b of the tables: a and b; a or b; a xor b; not a. */
enum { TABLE_AND = 8, TABLE_OR = 14, TABLE_XOR = 6, TABLE_NOT = 3, TABLE_FIRST = 12 };

static bool lower_logic(struct body *b, enum ptx_math op)
{
    if (b->form.type[0] != PTX_PRED)
        return lower_arithmetic(b, op);
    return predicate_logic(b, op == PTX_OP_and   ? TABLE_AND
                              : op == PTX_OP_or  ? TABLE_OR
                              : op == PTX_OP_xor ? TABLE_XOR
                                                 : TABLE_NOT);
}

/* ---- comparison and selection ---- */

static bool lower_compare(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool to_register = f->type_count == 2; /* set */
    const enum ptx_type t = f->type[to_register];
    const struct ptx_operand *target = operand(b, 0);
    struct ptx_source s[3] = {{0}};
    uint32_t d = NONE, d2 = NONE;
    enum ptx_type compared = t;
    /* lo, ls, hi, hs compare without signs; of bits there is equality only. */
    if (f->is_unsigned_comparison)
        compared = t == PTX_S32 ? PTX_U32 : t == PTX_S64 ? PTX_U64 : t == PTX_S16 ? PTX_U16 : t;
    sm_op run = ptx_set_predicate(compared);
    if (!(f->fields & CMP) || f->type_count < 1 || !run)
        return unsupported(b);
    if (f->fields & FTZ && t == PTX_F32)
        run = ptx_set_predicate_flushing();
    if (to_register) {
        if (f->type[0] != PTX_U32 && f->type[0] != PTX_S32 && f->type[0] != PTX_F32)
            return unsupported(b);
        if (!destination(b, target, f->type[0], &d))
            return false;
    } else if (target->kind == PTX_OPERAND_PAIR) {
        if (!optional_destination(b, &b->text->item[target->list], PTX_PRED, &d) ||
            !optional_destination(b, &b->text->item[target->list + 1], PTX_PRED, &d2))
            return false;
    } else if (!optional_destination(b, target, PTX_PRED, &d)) {
        return false;
    }
    if (!source(b, operand(b, 1), t, &s[0]) || !source(b, operand(b, 2), t, &s[1]))
        return false;
    const bool combines = f->fields & BOOL;
    if (combines != (operand_count(b) == 4))
        return fail(b, "the number of operands is wrong");
    s[2].slot = NONE;
    if (combines && !source(b, operand(b, 3), PTX_PRED, &s[2]))
        return false;
    struct ptx_op *o = emit_guarded(b, run);
    if (!o)
        return false;
    o->d = d;
    o->d2 = d2;
    memcpy(o->s, s, sizeof s);
    o->how = f->outcomes;
    o->combine = f->combine;
    o->flag = to_register;
    o->type = (uint8_t)f->type[0];
    o->from_type = (uint8_t)t;
    return true;
}

static bool lower_select(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    uint32_t d;
    struct ptx_source s[3] = {{0}};
    if (b->form.type_count != 1 || t == PTX_PRED)
        return unsupported(b);
    if (!destination(b, operand(b, 0), t, &d) || !source(b, operand(b, 1), t, &s[0]) ||
        !source(b, operand(b, 2), t, &s[1]) || !source(b, operand(b, 3), PTX_PRED, &s[2]))
        return false;
    struct ptx_op *o = emit_guarded(b, ptx_select(t));
    if (!o)
        return false;
    o->d = d;
    memcpy(o->s, s, sizeof s);
    return true;
}

static bool lower_slct(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0], by = b->form.type[1];
    uint32_t d;
    struct ptx_source s[3] = {{0}};
    if (b->form.type_count != 2 || (by != PTX_S32 && by != PTX_F32))
        return unsupported(b);
    if (!destination(b, operand(b, 0), t, &d) || !source(b, operand(b, 1), t, &s[0]) ||
        !source(b, operand(b, 2), t, &s[1]) || !source(b, operand(b, 3), by, &s[2]))
        return false;
    struct ptx_op *o = emit_guarded(b, ptx_choose(t));
    if (!o)
        return false;
    o->d = d;
    memcpy(o->s, s, sizeof s);
    o->flag = by == PTX_F32;
    return true;
}

/* ---- moves and conversions ---- */

static const struct ptx_operand *item(const struct body *b, const struct ptx_operand *o, unsigned n)
{
    return &b->text->item[o->list + n];
}

/* A register whose width is not that of the type: for memory and conversions. */
static bool loose_register(struct body *b, const struct ptx_operand *o, enum ptx_type type,
                           uint32_t *slot, unsigned *bytes)
{
    const struct entry *e;
    if (!register_operand(b, o, &e, slot))
        return false;
    *bytes = register_bytes(e->variable);
    if (e->variable->type == PTX_PRED || ptx_type_bytes(e->variable->type) < ptx_type_bytes(type))
        return fail_at(b, o, "'%.*s' is too narrow", (int)o->name.length, o->name.at);
    return true;
}

/* A register that was declared as a vector, as a whole; NULL: the operand is something else. */
static const struct entry *vector_register(struct body *b, const struct ptx_operand *o)
{
    uint32_t number;
    const struct entry *e = o->kind == PTX_OPERAND_NAME ? find(b, o->name, &number) : NULL;
    const bool whole = e && e->kind == REGISTER && e->variable->vector > 1;
    return whole && !o->component.length ? e : NULL;
}

/* Element i of {a, b} or of a vector register. */
static struct ptx_operand element_of(struct body *b, const struct ptx_operand *o, unsigned i)
{
    struct ptx_operand one = *o;
    if (o->kind == PTX_OPERAND_VECTOR)
        return *item(b, o, i);
    one.component = (struct ptx_name){&"xyzw"[i], 1};
    return one;
}

static unsigned elements_of(struct body *b, const struct ptx_operand *o)
{
    const struct entry *e = vector_register(b, o);
    return o->kind == PTX_OPERAND_VECTOR ? o->count : e ? e->variable->vector : 0;
}

static bool pack(struct body *b, const struct ptx_operand *vector, enum ptx_type t)
{
    const unsigned count = elements_of(b, vector), size = count ? ptx_type_bytes(t) / count : 0;
    const enum ptx_type element = size == 4 ? PTX_B32 : PTX_B16;
    struct ptx_source s[4] = {{0}};
    uint32_t d;
    if ((count != 2 && count != 4) || (size != 4 && size != 2 && size != 1))
        return unsupported(b);
    if (!destination(b, operand(b, 0), t, &d))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand one = element_of(b, vector, i);
        if (!source(b, &one, element, &s[i]))
            return false;
    }
    struct ptx_op *o = emit_guarded(b, ptx_op_pack);
    if (!o)
        return false;
    o->d = d;
    o->element = (uint8_t)class_of(t);
    o->size = (uint8_t)size;
    o->count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        o->vector[i] = s[i].slot;
        o->vector_constant[i] = s[i].constant;
    }
    return true;
}

static bool unpack(struct body *b, const struct ptx_operand *vector, enum ptx_type t)
{
    const unsigned count = elements_of(b, vector), size = count ? ptx_type_bytes(t) / count : 0;
    struct ptx_source s = {0};
    uint32_t d[4];
    if ((count != 2 && count != 4) || (size != 4 && size != 2 && size != 1))
        return unsupported(b);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand one = element_of(b, vector, i);
        if (!optional_destination(b, &one, size == 4 ? PTX_B32 : PTX_B16, &d[i]))
            return false;
    }
    if (!source(b, operand(b, 1), t, &s))
        return false;
    struct ptx_op *o = emit_guarded(b, ptx_op_unpack);
    if (!o)
        return false;
    o->s[0] = s;
    o->element = (uint8_t)class_of(t);
    o->size = (uint8_t)size;
    o->count = (uint8_t)count;
    memcpy(o->vector, d, count * sizeof *d);
    return true;
}

static bool move_one(struct body *b, uint32_t d, const struct ptx_source *s, enum ptx_type t)
{
    struct ptx_op *o = emit_guarded(b, ptx_integer(PTX_OP_mov, t));
    if (!o)
        return false;
    o->d = d;
    o->s[0] = *s;
    return true;
}

/* mov.v2.u32 %v, {a, b}: registers declared as vectors (GCC). */
static bool move_vector(struct body *b, enum ptx_type t)
{
    const struct entry *e;
    uint32_t d, from;
    const struct ptx_operand *to = operand(b, 0), *what = operand(b, 1);
    if (!register_operand(b, to, &e, &d))
        return false;
    if (e->variable->vector != b->form.vector)
        return fail(b, "'%.*s' is no vector of %u", (int)to->name.length, to->name.at,
                    b->form.vector);
    const uint32_t step = class_of(t) / 4 * PTX_ROW_BYTES;
    if (what->kind == PTX_OPERAND_VECTOR && what->count != b->form.vector)
        return fail(b, "a vector of %u elements", what->count);
    const struct entry *other = NULL;
    if (what->kind != PTX_OPERAND_VECTOR && !register_operand(b, what, &other, &from))
        return false;
    for (unsigned i = 0; i < b->form.vector; i++) {
        struct ptx_source s = {0};
        if (other)
            s.slot = from + i * step;
        else if (!source(b, item(b, what, i), t, &s))
            return false;
        if (!move_one(b, d + i * step, &s, t))
            return false;
    }
    return true;
}

static bool lower_move(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    uint32_t d;
    struct ptx_source s = {0};
    if (b->form.type_count != 1)
        return unsupported(b);
    if (t == PTX_PRED)
        return predicate_logic(b, TABLE_FIRST);
    if (!ptx_integer(PTX_OP_mov, t))
        return unsupported(b);
    if (b->form.vector > 1)
        return move_vector(b, t);
    if (elements_of(b, operand(b, 1)))
        return pack(b, operand(b, 1), t);
    if (elements_of(b, operand(b, 0)))
        return unpack(b, operand(b, 0), t);
    if (!destination(b, operand(b, 0), t, &d) || !source(b, operand(b, 1), t, &s))
        return false;
    return move_one(b, d, &s, t);
}

static bool lower_convert(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const enum ptx_type to = f->type[0], from = f->type[1];
    uint32_t d;
    struct ptx_source s[2] = {{0}};
    unsigned to_bytes = class_of(to), from_bytes = class_of(from);
    const bool pair = to == PTX_F16X2 || to == PTX_BF16X2;
    if (f->type_count != 2 || to == PTX_PRED || from == PTX_PRED || from == PTX_F16X2 ||
        from == PTX_BF16X2 || (pair && (from != PTX_F32 || operand_count(b) != 3)))
        return unsupported(b);
    const struct ptx_operand *source_operand = operand(b, 1);
    uint32_t number;
    const struct entry *e =
        source_operand->kind == PTX_OPERAND_NAME ? find(b, source_operand->name, &number) : NULL;
    if (operand(b, 0)->kind == PTX_OPERAND_SINK)
        d = dump(b);
    else if (!loose_register(b, operand(b, 0), to, &d, &to_bytes))
        return false;
    if (e && e->kind == REGISTER) {
        if (!loose_register(b, source_operand, from, &s[0].slot, &from_bytes))
            return false;
    } else if (!source(b, source_operand, from, &s[0])) {
        return false;
    }
    if (pair && !source(b, operand(b, 2), PTX_F32, &s[1]))
        return false;
    struct ptx_op choice = {.type = (uint8_t)to,
                            .from_type = (uint8_t)from,
                            .round = f->round,
                            .ftz = f->fields & FTZ,
                            .sat = f->fields & SAT,
                            .flag = f->fields & IROUND && is_float(to),
                            .size = (uint8_t)from_bytes,
                            .element = (uint8_t)to_bytes};
    struct ptx_op *o = emit_guarded(b, ptx_convert(&choice));
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s[0];
    o->s[1] = s[1];
    o->type = choice.type;
    o->from_type = choice.from_type;
    o->round = choice.round;
    o->ftz = choice.ftz;
    o->sat = choice.sat;
    o->flag = choice.flag;
    o->size = choice.size;
    o->element = choice.element;
    return true;
}

/* cvta: generic addresses of shared and local memory are those of their windows; others are the
 * same in both ways. */
static bool lower_generic(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    const enum ptx_space space = b->form.space;
    uint32_t d;
    struct ptx_source s[2] = {{0}};
    if (t != PTX_U64 || b->form.type_count != 1)
        return unsupported(b);
    const uint64_t window = space == PTX_SPACE_SHARED  ? SM_SHARED_WINDOW
                            : space == PTX_SPACE_LOCAL ? SM_LOCAL_WINDOW
                                                       : 0;
    if (!destination(b, operand(b, 0), t, &d) || !source(b, operand(b, 1), t, &s[0]) ||
        !constant(b, t, window, &s[1]))
        return false;
    struct ptx_op *o = emit_guarded(
        b, ptx_integer(ptx_has(&b->form, PTX_WORD_to) ? PTX_OP_sub : PTX_OP_add, PTX_U64));
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s[0];
    o->s[1] = s[1];
    return true;
}

static bool lower_isspacep(struct body *b, enum ptx_math op)
{
    uint32_t d;
    struct ptx_source s = {0};
    if (!(b->form.fields & SPACE))
        return unsupported(b);
    if (!destination(b, operand(b, 0), PTX_PRED, &d) || !source(b, operand(b, 1), PTX_U64, &s))
        return false;
    struct ptx_op *o = emit_guarded(b, ptx_op_space);
    if (!o)
        return false;
    o->d = d;
    o->s[0] = s;
    o->size = 8;
    o->space = (uint8_t)b->form.space;
    return true;
}

/* ---- memory ---- */

/* The registers of a load or store: {a, b}, a vector register, or one. */
static bool elements(struct body *b, const struct ptx_operand *o, enum ptx_type t, bool stores,
                     struct ptx_op *record)
{
    const unsigned count = b->form.vector;
    uint32_t number;
    const struct entry *e = o->kind == PTX_OPERAND_NAME ? find(b, o->name, &number) : NULL;
    record->how = (uint8_t)class_of(t);
    record->count = (uint8_t)count;
    record->size = (uint8_t)ptx_type_bytes(t);
    record->element = (uint8_t)(record->size * count);
    record->is_signed = is_signed(t);
    record->type = (uint8_t)t;
    if (record->element > 16)
        return unsupported(b);
    const bool whole = e && e->kind == REGISTER && e->variable->vector > 1 && !o->component.length;
    if (o->kind == PTX_OPERAND_VECTOR ? o->count != count : count > 1 && !whole)
        return fail(b, "a vector of %u elements is wanted", count);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *one = o->kind == PTX_OPERAND_VECTOR ? item(b, o, i) : o;
        unsigned bytes = class_of(t);
        const struct entry *own =
            one->kind == PTX_OPERAND_NAME ? find(b, one->name, &number) : NULL;
        if (one->kind == PTX_OPERAND_SINK && !stores)
            continue;
        if (own && own->kind == REGISTER) {
            if (!loose_register(b, one, t, &record->vector[i], &bytes))
                return false;
            if (whole)
                record->vector[i] += i * (bytes / 4 * PTX_ROW_BYTES);
        } else {
            struct ptx_source s = {0};
            if (!stores)
                return fail(b, "a load needs registers");
            if (!source(b, one, t, &s))
                return false;
            record->vector[i] = s.slot;
            record->vector_constant[i] = s.constant;
        }
        if (i && own && bytes != record->how)
            return fail(b, "registers of different widths");
        record->how = (uint8_t)bytes;
    }
    return true;
}

/* What an address names, if it is no register: the space that it implies. */
static bool address(struct body *b, const struct ptx_operand *memory, enum ptx_space *space,
                    struct ptx_op *record)
{
    const struct ptx_operand *base = item(b, memory, 0);
    uint32_t number;
    const struct entry *e;
    record->from_type = 8;
    if (memory->count != 1)
        return fail(b, "an address of more than one part");
    if (base->kind == PTX_OPERAND_INTEGER) {
        record->offset = (int64_t)base->value;
        return constant(b, PTX_U64, 0, &record->s[0]);
    }
    if (base->kind != PTX_OPERAND_NAME)
        return fail(b, "an address that is none");
    record->offset = base->offset;
    e = find(b, base->name, &number);
    if (e && e->kind == REGISTER) {
        record->from_type = (uint8_t)register_bytes(e->variable);
        record->s[0].constant = NULL;
        return register_operand(b, base, &e, &record->s[0].slot);
    }
    struct ptx_operand plain = *base;
    plain.offset = 0;
    if (e && (e->kind == LOCAL || e->kind == STATIC) && *space == PTX_SPACE_NONE)
        *space = e->variable->space;
    if (!e) {
        const struct ptx_symbol *symbol = ptx_find_symbol(b->l, b->module, base->name);
        if (symbol && symbol->variable && *space == PTX_SPACE_NONE)
            *space = symbol->variable->space;
    }
    return source(b, &plain, PTX_U64, &record->s[0]);
}

/* Where parameter n of a range ("%P<2>") is in the frame. */
static uint32_t parameter_slot(const struct entry *e, uint32_t n)
{
    return e->slot + n * ptx_dwords(e->variable) * PTX_ROW_BYTES;
}

/* ld.param and st.param of a function's parameters: rows of the frame. */
static bool parameter_rows(struct body *b, const struct ptx_operand *memory, const struct entry *e,
                           uint32_t number, struct ptx_op *record)
{
    const struct ptx_operand *base = item(b, memory, 0);
    const uint64_t end = (uint64_t)base->offset + record->element;
    if (base->offset < 0 || end > ((e->variable->bytes + 3) & ~UINT64_C(3)) ||
        base->offset % record->size)
        return fail(b, "%u bytes at %lld of a parameter of %llu bytes", record->element,
                    (long long)base->offset, (unsigned long long)e->variable->bytes);
    record->offset = base->offset;
    record->s[0] = (struct ptx_source){.slot = parameter_slot(e, number)};
    return true;
}

/* *number: which one of a range. */
static const struct entry *named(struct body *b, const struct ptx_operand *memory,
                                 enum entry_kind kind, uint32_t *number)
{
    const struct ptx_operand *base = item(b, memory, 0);
    const struct entry *e = base->kind == PTX_OPERAND_NAME ? find(b, base->name, number) : NULL;
    return e && e->kind == kind ? e : NULL;
}

static bool put_record(struct body *b, sm_op run, const struct ptx_op *record)
{
    struct ptx_op *o = emit_guarded(b, run);
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

static struct ptx_op blank(void)
{
    struct ptx_op o = {.d = NONE, .d2 = NONE, .guard = NONE};
    for (unsigned i = 0; i < 4; i++) {
        o.s[i].slot = PTX_LOCAL_ROW * PTX_ROW_BYTES;
        o.vector[i] = NONE;
    }
    return o;
}

/* Whether the instruction is a load or a store of elements of one type that registers hold. */
static bool moves_elements(const struct body *b, const struct ptx_operand *memory)
{
    return b->form.type_count == 1 && b->form.type[0] != PTX_PRED && b->form.type[0] != PTX_B128 &&
           memory->kind == PTX_OPERAND_MEMORY;
}

static bool lower_load(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *memory = operand(b, 1);
    enum ptx_space space = b->form.space;
    struct ptx_op record = blank();
    const struct entry *e;
    uint32_t number;
    if (!moves_elements(b, memory))
        return unsupported(b);
    if (!elements(b, operand(b, 0), b->form.type[0], false, &record))
        return false;
    if ((e = named(b, memory, ROWS, &number)))
        return parameter_rows(b, memory, e, number, &record) &&
               put_record(b, ptx_op_load_argument, &record);
    if ((e = named(b, memory, KERNEL_PARAMETER, &number))) {
        record.offset = (int64_t)e->number + item(b, memory, 0)->offset;
        return put_record(b, ptx_op_load_parameter, &record);
    }
    if (!address(b, memory, &space, &record))
        return false;
    record.space = (uint8_t)space;
    return put_record(b, ptx_op_load, &record);
}

static bool lower_store(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *memory = operand(b, 0);
    enum ptx_space space = b->form.space;
    struct ptx_op record = blank();
    const struct entry *e;
    uint32_t number;
    if (!moves_elements(b, memory))
        return unsupported(b);
    if (!elements(b, operand(b, 1), b->form.type[0], true, &record))
        return false;
    if ((e = named(b, memory, ROWS, &number)))
        return parameter_rows(b, memory, e, number, &record) &&
               put_record(b, ptx_op_store_parameter, &record);
    if (!address(b, memory, &space, &record))
        return false;
    record.space = (uint8_t)space;
    return put_record(b, ptx_op_store, &record);
}

static bool lower_atomic(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool reduces = op == PTX_OP_add; /* red: no result */
    const enum ptx_type t = f->type[0];
    const unsigned first = reduces ? 0 : 1, count = operand_count(b);
    const struct ptx_operand *memory = operand(b, first);
    enum ptx_space space = f->space;
    struct ptx_op record = blank();
    const bool cas = f->atom == SM_ATOMIC_CAS, floating = is_float(t);
    if (!(f->fields & ATOM) || f->type_count != 1 || memory->kind != PTX_OPERAND_MEMORY ||
        ptx_type_bytes(t) == 1 || (floating && f->atom != SM_ATOMIC_ADD) || t == PTX_BF16 ||
        t == PTX_BF16X2 || t == PTX_B128 || count != first + 2 + cas)
        return unsupported(b);
    if (!reduces && !optional_destination(b, operand(b, 0), t, &record.d))
        return false;
    if (!source(b, operand(b, first + 1), t, &record.s[1]) ||
        (cas && !source(b, operand(b, first + 2), t, &record.s[2])) ||
        !address(b, memory, &space, &record))
        return false;
    record.space = (uint8_t)space;
    record.how = f->atom;
    record.size = record.element = (uint8_t)ptx_type_bytes(t);
    record.type = (uint8_t)t;
    record.is_signed = is_signed(t);
    record.flag = floating;
    return put_record(b, ptx_op_atomic, &record);
}

static bool lower_alloca(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    struct ptx_op record = blank();
    record.index = 8;
    if (operand_count(b) > 2) {
        const struct ptx_operand *align = operand(b, 2);
        if (align->kind != PTX_OPERAND_INTEGER || !align->value || align->value > 4096 ||
            align->value & (align->value - 1))
            return fail(b, "an alignment that is none");
        record.index = (uint32_t)align->value;
    }
    record.size = (uint8_t)class_of(t);
    return destination(b, operand(b, 0), t, &record.d) &&
           source(b, operand(b, 1), t, &record.s[0]) && put_record(b, ptx_op_alloca, &record);
}

static bool lower_stack(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    struct ptx_op record = blank();
    record.size = (uint8_t)class_of(t);
    record.flag = op == PTX_OP_add;
    return (record.flag ? source(b, operand(b, 0), t, &record.s[0])
                        : destination(b, operand(b, 0), t, &record.d)) &&
           put_record(b, ptx_op_stack, &record);
}

/* Caches, fences: every access is done in order and seen by all at once. */
static bool lower_nothing(struct body *b, enum ptx_math op)
{
    return emit_guarded(b, ptx_op_nop) != NULL;
}

/* ---- control flow ---- */

static bool label_index(struct body *b, struct ptx_name name, uint32_t *index)
{
    const uint32_t bucket = hash_of(name);
    for (uint32_t i = b->label_bucket[bucket]; i != NONE; i = b->label[i].next)
        if (ptx_names_equal(b->label[i].name, name)) {
            *index = i;
            return true;
        }
    struct label *grown =
        wt_array_grow(b->label, &b->label_room, b->label_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    b->label = grown;
    *index = (uint32_t)b->label_count;
    b->label[b->label_count++] = (struct label){
        .name = name, .record = NONE, .next = b->label_bucket[bucket], .place = b->s->place};
    b->label_bucket[bucket] = *index;
    return true;
}

/* Behind a record of its own, at which a path that comes from above meets the others. */
static bool define_label(struct body *b)
{
    uint32_t index;
    if (!label_index(b, b->s->name, &index))
        return false;
    if (b->label[index].record != NONE)
        return fail(b, "the label '%.*s' is defined twice", (int)b->s->name.length, b->s->name.at);
    struct ptx_op *o = emit(b, ptx_op_join);
    if (!o)
        return false;
    o->text = b->s->name;
    b->label[index].record = (uint32_t)b->image->op_count;
    return true;
}

static bool lower_branch(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *target = operand(b, 0);
    uint32_t index;
    if (target->kind != PTX_OPERAND_NAME || !label_index(b, target->name, &index))
        return fail(b, "a branch without a label");
    struct ptx_op *o = emit_guarded(b, ptx_op_bra);
    if (!o)
        return false;
    o->index = index;
    return true;
}

static bool add_target(struct body *b, uint32_t value)
{
    struct sm_ptx *image = b->image;
    uint32_t *grown =
        wt_array_grow(image->target, &image->target_room, image->target_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->target = grown;
    grown[image->target_count++] = value;
    return true;
}

/* name: .branchtargets a, b; until the body ends they are numbers of labels. */
static bool define_targets(struct body *b)
{
    struct entry e = {.name = b->s->name, .kind = TARGETS, .number = b->image->target_count};
    if (!add_target(b, b->s->operand_count))
        return false;
    for (uint32_t i = 0; i < b->s->operand_count; i++) {
        const struct ptx_operand *o = operand(b, i);
        uint32_t index = 0;
        /* .calltargets names functions: the call looks for itself. */
        const bool function =
            o->kind == PTX_OPERAND_NAME && ptx_find_symbol(b->l, b->module, o->name) != NULL;
        if (o->kind != PTX_OPERAND_NAME || (!function && !label_index(b, o->name, &index)))
            return fail(b, "a target that is no label");
        if (!add_target(b, function ? NONE : index))
            return false;
    }
    return add_entry(b, e);
}

static bool lower_table(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *targets = operand(b, 1);
    uint32_t number;
    const struct entry *e =
        targets->kind == PTX_OPERAND_NAME ? find(b, targets->name, &number) : NULL;
    struct ptx_op record = blank();
    if (!ptx_has(&b->form, PTX_WORD_idx))
        return unsupported(b);
    if (!e || e->kind != TARGETS)
        return fail(b, "brx.idx without .branchtargets");
    record.index = (uint32_t)e->number;
    return source(b, operand(b, 0), PTX_U32, &record.s[0]) && put_record(b, ptx_op_brx, &record);
}

/* ---- calls ---- */

struct call_parts {
    const struct ptx_operand *results, *arguments, *target, *prototype;
};

static bool split_call(struct body *b, struct call_parts *p)
{
    *p = (struct call_parts){0};
    for (unsigned i = 0; i < operand_count(b); i++) {
        const struct ptx_operand *o = operand(b, i);
        if (o->kind == PTX_OPERAND_GROUP && !p->target && !p->results)
            p->results = o;
        else if (o->kind == PTX_OPERAND_GROUP && p->target && !p->arguments)
            p->arguments = o;
        else if (o->kind == PTX_OPERAND_NAME && !p->target)
            p->target = o;
        else if (o->kind == PTX_OPERAND_NAME && !p->prototype)
            p->prototype = o;
        else
            return fail(b,
                        "a call of another form than (results), function, (arguments), prototype");
    }
    return p->target || fail(b, "a call of nothing");
}

static bool add_result(struct body *b, struct ptx_call *c, size_t *room, uint32_t slot)
{
    uint32_t *grown = wt_array_grow(c->result, room, c->result_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    c->result = grown;
    grown[c->result_count++] = slot;
    return true;
}

/* Registers of 64 bits get their results by way of rows. */
struct late_move {
    uint32_t rows, slot;
};

static bool call_results(struct body *b, const struct ptx_operand *list, struct ptx_call *c,
                         struct late_move *late, size_t *late_count)
{
    size_t room = 0;
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct ptx_operand *o = item(b, list, i);
        uint32_t number, slot;
        const struct entry *e = o->kind == PTX_OPERAND_NAME ? find(b, o->name, &number) : NULL;
        if (e && e->kind == ROWS) {
            for (uint32_t k = 0; k < ptx_dwords(e->variable); k++)
                if (!add_result(b, c, &room, parameter_slot(e, number) + k * PTX_ROW_BYTES))
                    return false;
        } else if (e && e->kind == REGISTER) {
            if (!register_operand(b, o, &e, &slot))
                return false;
            if (register_bytes(e->variable) == 4) {
                if (!add_result(b, c, &room, slot))
                    return false;
                continue;
            }
            if (*late_count == 16)
                return fail(b, "more than 16 results");
            late[*late_count].rows = take_rows(b, 2);
            late[*late_count].slot = slot;
            for (unsigned k = 0; k < 2; k++)
                if (!add_result(b, c, &room, late[*late_count].rows + k * PTX_ROW_BYTES))
                    return false;
            ++*late_count;
        } else {
            return fail(b, "a result that is no parameter");
        }
    }
    return true;
}

/* Types of an argument that is a number or an address: those of the declaration. */
static enum ptx_type declared_type(struct body *b, const struct call_parts *p, uint32_t n)
{
    const struct ptx_function *f = NULL;
    const struct ptx_module *text = b->text;
    const struct ptx_symbol *s = ptx_find_symbol(b->l, b->module, p->target->name);
    if (s && s->function) {
        f = s->function;
        text = b->l->module[s->module].text;
    } else if (p->prototype) {
        uint32_t number;
        const struct entry *e = find(b, p->prototype->name, &number);
        if (e && e->kind == PROTOTYPE)
            f = &b->text->function[e->number];
    }
    return f && n < f->parameter_count ? text->variable[f->parameter + n].type : PTX_NO_TYPE;
}

static bool call_arguments(struct body *b, const struct call_parts *p, struct ptx_call *c)
{
    const uint32_t count = p->arguments ? p->arguments->count : 0;
    uint32_t row = PTX_PARAMETER_ROW + c->result_count;
    c->argument = calloc(count + 1, sizeof *c->argument);
    if (!c->argument)
        return ptx_out_of_memory(b->l);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = item(b, p->arguments, i);
        struct ptx_move *m = &c->argument[c->argument_count++];
        uint32_t number;
        const struct entry *e = o->kind == PTX_OPERAND_NAME ? find(b, o->name, &number) : NULL;
        m->to = row * PTX_ROW_BYTES;
        if (e && e->kind == ROWS) {
            m->from.slot = parameter_slot(e, number);
            m->dwords = ptx_dwords(e->variable);
        } else {
            enum ptx_type t = e && e->kind == REGISTER ? e->variable->type : declared_type(b, p, i);
            if (t == PTX_NO_TYPE || t == PTX_PRED)
                return fail(b, "an argument whose type is not known");
            if (!source(b, o, t, &m->from))
                return false;
            m->dwords = class_of(t) / 4;
            m->wide = class_of(t) == 8;
        }
        row += m->dwords;
    }
    c->rows = row - PTX_PARAMETER_ROW;
    return true;
}

static bool lower_call(struct body *b, enum ptx_math op)
{
    struct call_parts p;
    struct ptx_call c = {.result_slot = PTX_PARAMETER_ROW * PTX_ROW_BYTES};
    struct late_move late[16];
    size_t late_count = 0;
    uint32_t number;
    struct sm_ptx *image = b->image;
    if (!split_call(b, &p))
        return false;
    struct ptx_call *grown =
        wt_array_grow(image->call, &image->call_room, image->call_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->call = grown;
    if (!call_results(b, p.results, &c, late, &late_count) || !call_arguments(b, &p, &c)) {
        free(c.result);
        free(c.argument);
        return false;
    }
    const uint32_t index = (uint32_t)image->call_count;
    image->call[image->call_count++] = c;
    const struct entry *e = find(b, p.target->name, &number);
    struct ptx_op record = blank();
    record.index = index;
    if (e && e->kind == REGISTER) {
        if (!source(b, p.target, PTX_U64, &record.s[0]) ||
            !put_record(b, ptx_op_call_register, &record))
            return false;
    } else {
        const struct ptx_symbol *s = ptx_find_symbol(b->l, b->module, p.target->name);
        if (!s || !s->function || s->function->is_entry)
            return fail(b, "'%.*s' is no function", (int)p.target->name.length, p.target->name.at);
        if (s->function->has_body && image->function[s->info].parameter_rows != c.rows)
            return fail(b, "a call of '%.*s' with other parameters than it has",
                        (int)p.target->name.length, p.target->name.at);
        record.offset = s->info;
        const bool builtin = image->function[s->info].builtin != PTX_NO_BUILTIN;
        if (!put_record(b, builtin ? ptx_op_builtin : ptx_op_call, &record))
            return false;
    }
    for (size_t i = 0; i < late_count; i++) {
        struct ptx_op take = blank();
        take.s[0].slot = late[i].rows;
        take.vector[0] = late[i].slot;
        take.count = 1;
        take.size = take.how = 8;
        if (!put_record(b, ptx_op_load_argument, &take))
            return false;
    }
    return true;
}

/* Results that are registers go to their rows before the function returns. */
static bool lower_ret(struct body *b, enum ptx_math op)
{
    uint32_t row = PTX_PARAMETER_ROW;
    for (uint32_t i = 0; !b->f->is_entry && i < b->f->result_count; i++) {
        const struct ptx_variable *v = &b->text->variable[b->f->result + i];
        if (v->space == PTX_SPACE_REG) {
            const struct ptx_operand name = {.kind = PTX_OPERAND_NAME, .name = v->name};
            struct ptx_op record = blank();
            const struct entry *e;
            if (!register_operand(b, &name, &e, &record.vector[0]))
                return false;
            record.s[0].slot = row * PTX_ROW_BYTES;
            record.count = 1;
            record.size = record.how = (uint8_t)register_bytes(v);
            if (!put_record(b, ptx_op_store_parameter, &record))
                return false;
        }
        row += ptx_dwords(v);
    }
    return emit_guarded(b, ptx_op_ret) != NULL;
}

static bool lower_exit(struct body *b, enum ptx_math op)
{
    return emit_guarded(b, ptx_op_exit) != NULL;
}

static bool lower_trap(struct body *b, enum ptx_math op)
{
    struct ptx_op *o = emit_guarded(b, ptx_op_trap);
    if (o)
        o->flag = op == PTX_OP_add; /* brkpt */
    return o != NULL;
}

/* ---- the CTA and the warp ---- */

enum { SYNC, ARRIVE, REDUCE };

static bool lower_barrier(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    struct ptx_op record = blank();
    unsigned at = 0;
    uint32_t d = NONE;
    const unsigned count = operand_count(b);
    if (ptx_has(f, PTX_WORD_warp)) {
        record.flag = true;
        return source(b, operand(b, 0), PTX_U32, &record.s[3]) &&
               put_record(b, ptx_op_warp_barrier, &record);
    }
    const bool reduces = ptx_has(f, PTX_WORD_red);
    record.how = reduces ? REDUCE : ptx_has(f, PTX_WORD_arrive) ? ARRIVE : SYNC;
    record.combine = f->combine;
    if (!reduces && record.how == SYNC && !ptx_has(f, PTX_WORD_sync) && count)
        return unsupported(b);
    if (reduces) {
        if (!(f->fields & BOOL) || f->combine == 2 || count < 3)
            return unsupported(b);
        if (!destination(b, operand(b, at++), f->combine == 3 ? PTX_U32 : PTX_PRED, &d))
            return false;
    }
    if (!source(b, operand(b, at++), PTX_U32, &record.s[0]) ||
        !constant(b, PTX_U32, 0, &record.s[1]))
        return false;
    if (count > at + reduces && !source(b, operand(b, at++), PTX_U32, &record.s[1]))
        return false;
    if (reduces && !source(b, operand(b, at++), PTX_PRED, &record.s[2]))
        return false;
    if (at != count)
        return fail(b, "the number of operands is wrong");
    if (!put_record(b, ptx_op_barrier, &record))
        return false;
    if (!reduces)
        return true;
    struct ptx_op *o = emit_guarded(b, ptx_op_barrier_result);
    if (!o)
        return false;
    o->d = d;
    o->flag = f->combine != 3;
    return true;
}

/* Operand n, if it is there, is the mask of members. */
static bool member_mask(struct body *b, unsigned n, struct ptx_op *record)
{
    record->flag = ptx_has(&b->form, PTX_WORD_sync);
    if (record->flag != (operand_count(b) > n))
        return fail(b, "the number of operands is wrong");
    return !record->flag || source(b, operand(b, n), PTX_U32, &record->s[3]);
}

static bool lower_shuffle(struct body *b, enum ptx_math op)
{
    static const uint8_t modes[] = {PTX_WORD_up, PTX_WORD_down, PTX_WORD_bfly, PTX_WORD_idx};
    const struct ptx_operand *to = operand(b, 0);
    struct ptx_op record = blank();
    unsigned mode = 0;
    while (mode < sizeof modes && !ptx_has(&b->form, (enum ptx_word)modes[mode]))
        mode++;
    if (mode == sizeof modes || b->form.type[0] != PTX_B32)
        return unsupported(b);
    record.how = (uint8_t)mode;
    if (to->kind == PTX_OPERAND_PAIR) {
        if (!optional_destination(b, item(b, to, 0), PTX_B32, &record.d) ||
            !optional_destination(b, item(b, to, 1), PTX_PRED, &record.d2))
            return false;
    } else if (!optional_destination(b, to, PTX_B32, &record.d)) {
        return false;
    }
    return source(b, operand(b, 1), PTX_B32, &record.s[0]) &&
           source(b, operand(b, 2), PTX_B32, &record.s[1]) &&
           source(b, operand(b, 3), PTX_B32, &record.s[2]) && member_mask(b, 4, &record) &&
           put_record(b, ptx_op_shuffle, &record);
}

static bool lower_vote(struct body *b, enum ptx_math op)
{
    static const uint8_t modes[] = {PTX_WORD_all, PTX_WORD_any, PTX_WORD_uni, PTX_WORD_ballot};
    struct ptx_op record = blank();
    unsigned mode = 0;
    while (mode < sizeof modes && !ptx_has(&b->form, (enum ptx_word)modes[mode]))
        mode++;
    const bool ballot = mode == 3;
    if (mode == sizeof modes || b->form.type[0] != (ballot ? PTX_B32 : PTX_PRED))
        return unsupported(b);
    record.how = (uint8_t)mode;
    return destination(b, operand(b, 0), b->form.type[0], &record.d) &&
           source(b, operand(b, 1), PTX_PRED, &record.s[0]) && member_mask(b, 2, &record) &&
           put_record(b, ptx_op_vote, &record);
}

static bool lower_match(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *to = operand(b, 0);
    const enum ptx_type t = b->form.type[0];
    struct ptx_op record = blank();
    const bool all = ptx_has(&b->form, PTX_WORD_all);
    if ((!all && !ptx_has(&b->form, PTX_WORD_any)) || (t != PTX_B32 && t != PTX_B64))
        return unsupported(b);
    record.how = all ? 0 : 1;
    record.size = (uint8_t)class_of(t);
    if (to->kind == PTX_OPERAND_PAIR && all) {
        if (!optional_destination(b, item(b, to, 0), PTX_B32, &record.d) ||
            !optional_destination(b, item(b, to, 1), PTX_PRED, &record.d2))
            return false;
    } else if (!optional_destination(b, to, PTX_B32, &record.d)) {
        return false;
    }
    return source(b, operand(b, 1), t, &record.s[0]) && member_mask(b, 2, &record) &&
           put_record(b, ptx_op_match, &record);
}

static bool lower_redux(struct body *b, enum ptx_math op)
{
    static const uint8_t order[] = {SM_ATOMIC_ADD, SM_ATOMIC_MIN, SM_ATOMIC_MAX,
                                    SM_ATOMIC_AND, SM_ATOMIC_OR,  SM_ATOMIC_XOR};
    struct ptx_op record = blank();
    unsigned how = 0;
    while (how < sizeof order && order[how] != b->form.atom)
        how++;
    if (how == sizeof order || !(b->form.fields & ATOM) || class_of(b->form.type[0]) != 4)
        return unsupported(b);
    record.how = (uint8_t)how;
    record.is_signed = is_signed(b->form.type[0]);
    return destination(b, operand(b, 0), PTX_B32, &record.d) &&
           source(b, operand(b, 1), PTX_B32, &record.s[0]) && member_mask(b, 2, &record) &&
           put_record(b, ptx_op_reduce, &record);
}

static bool lower_active(struct body *b, enum ptx_math op)
{
    struct ptx_op record = blank();
    return destination(b, operand(b, 0), PTX_B32, &record.d) &&
           put_record(b, ptx_op_active, &record);
}

/* ---- the body ---- */

static const struct {
    const char *name;
    bool (*lower)(struct body *b, enum ptx_math op);
    enum ptx_math op;
} table_rows[] = {
#define P(name, lowering, operation, operands, fields)                                             \
    {#name, lower_##lowering, PTX_OP_##operation},
#include "emulator/sm/ptx.def"
#undef P
};

static bool instruction(struct body *b)
{
    struct ptx_name bad;
    if (!ptx_form_of(b->s->name, &b->form, &bad)) {
        if (b->form.row >= 0)
            return ptx_mistake(b->l, b->module, b->s->place, WT_UNSUPPORTED,
                               "there is no instruction '%.*s': '%.*s' of %s is not known",
                               (int)b->s->name.length, b->s->name.at, (int)bad.length, bad.at,
                               table_rows[b->form.row].name);
        return unsupported(b);
    }
    if (operand_count(b) < operands_of(b))
        return fail(b, "%s has more operands", table_rows[b->form.row].name);
    return table_rows[b->form.row].lower(b, table_rows[b->form.row].op) && !too_large(b);
}

static bool statement(struct body *b)
{
    switch (b->s->kind) {
    case PTX_STATEMENT_INSTRUCTION:
        return instruction(b);
    case PTX_STATEMENT_LABEL:
        return define_label(b);
    case PTX_STATEMENT_OPEN:
        b->scope[b->depth++] = (uint32_t)b->entry_count;
        return true;
    case PTX_STATEMENT_CLOSE:
        close_scope(b);
        return true;
    case PTX_STATEMENT_VARIABLE:
        return declare(b, &b->text->variable[b->s->index]);
    case PTX_STATEMENT_TARGETS:
        return define_targets(b);
    case PTX_STATEMENT_PROTOTYPE:
        return add_entry(
            b, (struct entry){.name = b->s->name, .kind = PROTOTYPE, .number = b->s->index});
    }
    return false;
}

static bool declare_parameters(struct body *b)
{
    uint64_t at = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        const uint32_t first = pass ? b->f->parameter : b->f->result;
        const uint32_t count = pass ? b->f->parameter_count : b->f->result_count;
        for (uint32_t i = 0; i < count; i++) {
            const struct ptx_variable *v = &b->text->variable[first + i];
            struct entry e = {.name = v->name, .variable = v};
            if (v->range)
                return fail(b, "a range of parameters");
            if (b->f->is_entry) {
                at = (at + v->align - 1) / v->align * v->align;
                e.kind = KERNEL_PARAMETER;
                e.number = at + CUBIN_PARAMETERS;
                at += v->bytes;
            } else {
                e.kind = ROWS;
                e.slot = take_rows(b, ptx_dwords(v));
            }
            if (v->space == PTX_SPACE_PARAM && !add_entry(b, e))
                return false;
        }
    }
    return !too_large(b);
}

/* Parameters that are registers are taken out of their rows at the function's entry. */
static bool take_register_parameters(struct body *b)
{
    uint32_t row = PTX_PARAMETER_ROW;
    for (uint32_t pass = 0; !b->f->is_entry && pass < 2; pass++) {
        const uint32_t first = pass ? b->f->parameter : b->f->result;
        const uint32_t count = pass ? b->f->parameter_count : b->f->result_count;
        for (uint32_t i = 0; i < count; i++) {
            const struct ptx_variable *v = &b->text->variable[first + i];
            const uint32_t slot = row * PTX_ROW_BYTES;
            row += ptx_dwords(v);
            if (v->space != PTX_SPACE_REG)
                continue;
            struct ptx_op record = blank();
            const struct ptx_operand name = {.kind = PTX_OPERAND_NAME, .name = v->name};
            const struct entry *e;
            if (!declare_register(b, v))
                return false;
            if (!pass)
                continue;
            if (!register_operand(b, &name, &e, &record.vector[0]))
                return false;
            record.s[0].slot = slot;
            record.count = 1;
            record.size = record.how = (uint8_t)register_bytes(v);
            if (!put_record(b, ptx_op_load_argument, &record))
                return false;
        }
    }
    return true;
}

/* Branches know numbers of labels so far. */
static bool settle_labels(struct body *b)
{
    for (size_t i = 0; i < b->label_count; i++)
        if (b->label[i].record == NONE)
            return ptx_mistake(b->l, b->module, b->label[i].place, WT_INVALID,
                               "there is no label '%.*s'", (int)b->label[i].name.length,
                               b->label[i].name.at);
    for (uint32_t i = b->first_record; i < b->image->op_count; i++) {
        struct ptx_op *o = &b->image->op[i];
        if (o->run == ptx_op_bra)
            o->offset =
                (int64_t)(ptx_pc(b->image, b->label[o->index].record) - ptx_pc(b->image, i));
    }
    return true;
}

static void settle_targets(struct body *b, size_t first)
{
    struct sm_ptx *image = b->image;
    while (first < image->target_count) {
        const uint32_t count = image->target[first];
        for (uint32_t i = 1; i <= count; i++)
            if (image->target[first + i] != NONE)
                image->target[first + i] = b->label[image->target[first + i]].record;
        first += 1 + count;
    }
}

static bool lower_body(struct body *b)
{
    const size_t first_target = b->image->target_count;
    if (!declare_parameters(b) || !take_register_parameters(b))
        return false;
    for (uint32_t i = 0; i < b->f->statement_count; i++) {
        b->s = &b->text->statement[b->f->statement + i];
        if (!statement(b))
            return false;
    }
    /* Whoever comes here returns. */
    struct ptx_statement end = {.place = b->f->place, .text = {"ret", 3}};
    b->s = &end;
    if (!lower_ret(b, PTX_OP_mov) || !settle_labels(b))
        return false;
    settle_targets(b, first_target);
    return true;
}

bool ptx_lower(struct ptx_linker *l, const struct ptx_symbol *function)
{
    struct sm_ptx *image = l->image;
    struct ptx_function_info *info = &image->function[function->info];
    struct ptx_statement begin = {.place = function->function->place, .text = function->name};
    struct body b = {.l = l,
                     .image = image,
                     .module = function->module,
                     .text = l->module[function->module].text,
                     .f = function->function,
                     .info = function->info,
                     .s = &begin,
                     .rows = PTX_PARAMETER_ROW,
                     .dump = NONE,
                     .first_record = (uint32_t)image->op_count};
    memset(b.bucket, 0xff, sizeof b.bucket);
    memset(b.label_bucket, 0xff, sizeof b.label_bucket);
    info->entry = b.first_record;
    const bool good = lower_body(&b);
    if (good)
        image->op[b.first_record].begins = true;
    info = &image->function[function->info];
    info->end = (uint32_t)image->op_count;
    info->rows = b.rows;
    info->local = (uint32_t)((b.local + 15) & ~UINT64_C(15));
    free(b.entry);
    free(b.label);
    return good;
}

void sm_ptx_list(FILE *out)
{
    for (size_t i = 0; i < sizeof table_rows / sizeof table_rows[0]; i++)
        fprintf(out, "ptx %s\n", table_rows[i].name);
}
