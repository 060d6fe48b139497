/* Compiles expression trees to the core's form. */
#include <assert.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "debug/source/source_internal.h"
#include "debug/source/symbols.h"

#define MOST_DEPTH 450
/* Nodes of one text: the types of `?:` and Fortran's functions compile parts of it more than once.
 */
#define MOST_WORK 200000

static enum wt_status compile(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                              struct wt_error *err);
static enum wt_status compile_found(struct compiler *c, struct wt_found *f, const char *name,
                                    struct wt_operand *o, struct wt_error *err);

static const struct wt_type *basic(struct compiler *c, const char *name)
{
    return wt_types_basic(c->build.types, name);
}

static const struct wt_type *integer(struct compiler *c, unsigned size, bool is_signed)
{
    return wt_types_integer(c->build.types, size, is_signed);
}

static const struct wt_type *truth_type(struct compiler *c)
{
    const bool has_bool = wt_source_is_cplusplus(c->scope) || wt_source_is_fortran(c->scope);
    return basic(c, has_bool ? "bool" : "int");
}

/* The type of data that is known only by an ELF symbol. */
static const struct wt_type no_type = {
    .kind = WT_TYPE_VOID, .name = "<data variable, no debug info>", .size = 4, .read = true};
static const struct wt_type no_function_type = {
    .kind = WT_TYPE_FUNCTION, .name = "<text variable, no debug info>", .size = 1, .read = true};

/* ---- variables ---- */

static enum wt_status constant_value(struct compiler *c, Dwarf_Attribute *attribute,
                                     const struct wt_type *type, struct wt_operand *o,
                                     struct wt_error *err)
{
    int64_t word;
    Dwarf_Block block;
    const uint64_t size = wt_type_size(type);
    if (size <= 8 && wt_attribute_number(attribute, &word)) {
        *o = wt_operand_cell(type, wt_build_constant(&c->build, (uint64_t)word));
        return WT_OK;
    }
    if (dwarf_formblock(attribute, &block) != 0)
        return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
    *o = (struct wt_operand){.type = type};
    for (uint64_t at = 0; at < size && o->piece_count < WT_PIECES; at += 8) {
        uint64_t value = 0;
        const uint64_t take = size - at < 8 ? size - at : 8;
        for (uint64_t i = 0; i < take && at + i < block.length; i++)
            value |= (uint64_t)block.data[at + i] << (8 * i);
        o->piece[o->piece_count++] =
            (struct wt_piece){.kind = WT_PIECE_CELL,
                              .vector = wt_build_constant(&c->build, value),
                              .reg = -1,
                              .size = take};
    }
    return WT_OK;
}

static struct wt_operand lost(const struct wt_type *type)
{
    return (struct wt_operand){
        .type = type,
        .piece_count = 1,
        .piece = {{.kind = WT_PIECE_LOST, .reg = -1, .size = wt_type_size(type)}}};
}

static bool has_lost_part(const struct wt_operand *o)
{
    for (unsigned i = 0; i < o->piece_count; i++)
        if (o->piece[i].kind == WT_PIECE_LOST)
            return true;
    return false;
}

static bool is_lost(const struct wt_operand *o)
{
    for (unsigned i = 0; i < o->piece_count; i++)
        if (o->piece[i].kind != WT_PIECE_LOST)
            return false;
    return true;
}

/* The space into which a pointer of a type points, from the type's address class. */
static uint32_t space_of_type(const struct compiler *c, const struct wt_type *plain)
{
    const struct wt_topology *t = c->build.topology;
    for (uint32_t i = 0; plain->address_class && i < t->space_count; i++)
        if ((unsigned)t->spaces[i].clang == plain->address_class)
            return i;
    return 0;
}

/* Turns a pointer into a space that space 0 can also reach into a pointer of space 0, as the
 * program uses it. */
static enum wt_status make_generic(struct compiler *c, struct wt_operand *pointer,
                                   struct wt_error *err)
{
    struct wt_piece *p = &pointer->piece[0];
    const struct wt_space *space = &c->build.topology->spaces[p->space];
    if (!p->space || !space->aperture)
        return WT_OK;
    p->space = 0;
    return wt_build_op(&c->build, WT_EXPR_ADD, 0, p->vector,
                       wt_build_constant(&c->build, space->aperture), &p->vector, err);
}

/* A reference stands for the variable that it refers to. */
static enum wt_status follow_reference(struct compiler *c, struct wt_operand *o,
                                       struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    wt_expr_vector address;
    const struct wt_type *reference = o->type;
    if (plain->kind != WT_TYPE_REFERENCE)
        return WT_OK;
    if (is_lost(o)) {
        *o = lost(wt_type_target(plain));
        o->reference = reference;
        return WT_OK;
    }
    enum wt_status status = wt_operand_cell_of(&c->build, o, &address, err);
    if (!status)
        *o = wt_operand_memory(wt_type_target(plain), space_of_type(c, plain), address);
    o->reference = reference;
    return status;
}

/*
 * A variable of a work-group's memory, for which clang writes 0 whatever its address is: where it
 * really lies, or why that is not known.
 */
static enum wt_status place_in_group(struct compiler *c, Dwarf_Die *die, struct wt_info *info,
                                     struct wt_operand *o, struct wt_error *err)
{
    const struct wt_space *spaces = c->build.topology->spaces;
    const struct wt_space *space = &spaces[o->piece[0].space];
    uint64_t address;
    if (c->types_only || o->piece[0].kind != WT_PIECE_MEMORY || !space->clang ||
        !wt_expr_is_constant(c->build.expr, o->piece[0].vector, &address) || address)
        return WT_OK;
    if (o->piece_count == 1 && wt_compile_group_address(c, die, info, &address)) {
        o->piece[0].vector = wt_build_constant(&c->build, address);
        return WT_OK;
    }
    const struct wt_type *plain = wt_type_plain(o->type);
    const bool is_array = plain->kind == WT_TYPE_ARRAY && !plain->is_vector;
    char *name = NULL;
    size_t length;
    FILE *out = open_memstream(&name, &length);
    if (!out)
        return wt_fail(err, WT_NO_MEMORY, "out of memory");
    wt_type_print(out, is_array ? wt_type_target(plain) : o->type);
    fclose(out);
    wt_fail(err, WT_UNSUPPORTED,
            "the debug information does not say where %s lies: the compiler writes 0 for each "
            "variable in %s memory; with its address, (%s *)ADDRESS points to it",
            dwarf_diename(die), space->name, name);
    free(name);
    return WT_UNSUPPORTED;
}

struct described {
    Dwarf_Die *die;
    struct wt_info *info;
    uint64_t bias;
    bool is_local;
};

/* The location of a variable that is known only from the debug information. */
static enum wt_status compile_described(struct compiler *c, const void *what, struct wt_operand *o,
                                        struct wt_error *err)
{
    const struct described *v = what;
    c->as_described = true;
    enum wt_status status = wt_compile_variable(c, v->die, v->info, v->bias, v->is_local, o, err);
    if (status)
        return status;
    if (!wt_operand_in_memory(o))
        return wt_fail(err, WT_UNSUPPORTED, "value has been optimized out");
    wt_expr_vector address = o->piece[0].vector;
    const struct wt_space *space = &c->build.topology->spaces[o->piece[0].space];
    if (o->piece[0].space && space->aperture)
        status = wt_build_op(&c->build, WT_EXPR_ADD, 0, address,
                             wt_build_constant(&c->build, space->aperture), &address, err);
    *o = wt_operand_cell(integer(c, 8, true), address);
    return status;
}

/* No place of a variable is known. A parameter may stand where the launch or the call put it. */
static enum wt_status without_place(struct compiler *c, Dwarf_Die *die, const struct wt_type *type,
                                    bool is_local, struct wt_operand *o, struct wt_error *err)
{
    if (!is_local || !c->parameter(c, die, type, o))
        *o = lost(type);
    return follow_reference(c, o, err);
}

enum wt_status wt_compile_variable(struct compiler *c, Dwarf_Die *die, struct wt_info *info,
                                   uint64_t bias, bool is_local, struct wt_operand *o,
                                   struct wt_error *err)
{
    const struct wt_frame *frame = c->scope->frame;
    const struct wt_type *type = wt_types_of(wt_info_types(info), die);
    const uint64_t size = wt_type_size(type);
    Dwarf_Attribute attribute;
    Dwarf_Op *ops, *own = NULL;
    size_t count;
    c->names_local |= is_local;
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
        return constant_value(c, &attribute, type, o, err);
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
        return without_place(c, die, type, is_local, o, err);
    int found = 0;
    const uint64_t at = frame && is_local ? frame->inside - bias : UINT64_MAX;
    if (frame && is_local)
        found = dwarf_getlocation_addr(&attribute, at, &ops, &count, 1);
    else
        found = dwarf_getlocation(&attribute, &ops, &count) == 0 ? 1 : -1;
    if (found < 0) {
        const enum wt_status read = wt_dwarf_operations(&attribute, at, &own, &count, err);
        if (read)
            return read;
        found = own ? 1 : found;
        ops = own;
    }
    if (found != 1 || count == 0)
        return without_place(c, die, type, is_local, o, err);
    *o = lost(type);
    struct wt_error why;
    c->build.variable = die;
    if (!wt_dwarf_named(&attribute, at, &c->build.named, &c->build.named_end))
        c->build.named_end = 0;
    enum wt_status status = wt_build_location(&c->build, &attribute, ops, count,
                                              is_local ? frame : NULL, bias, size, o, &why);
    c->build.variable = NULL;
    free(own);
    o->type = type;
    if (status == WT_UNSUPPORTED && strstr(why.text, "optimized out"))
        return without_place(c, die, type, is_local, o, err);
    if (status) {
        *err = why;
        return status;
    }
    if (is_local && has_lost_part(o) && c->parameter(c, die, type, o))
        return follow_reference(c, o, err);
    if (wt_compile_is_of_group(die) && (status = place_in_group(c, die, info, o, err)) != WT_OK)
        return status;
    /* A register may be wider than the value in it. */
    if (o->piece_count == 1 && o->piece[0].size > size && size)
        o->piece[0].size = size;
    status = follow_reference(c, o, err);
    const struct described described = {die, info, bias, is_local};
    return status ? status
                  : wt_compile_dynamic(c, die, is_local ? frame : NULL, bias, compile_described,
                                       &described, o, err);
}

/* ---- members ---- */

static enum wt_status take_member(struct compiler *c, const struct wt_operand *record,
                                  uint64_t base, const struct wt_member *m, struct wt_operand *o,
                                  struct wt_error *err)
{
    enum wt_status status;
    if (!m->bit_size)
        return wt_operand_part(&c->build, record, base + m->offset, m->type, o, err);
    const unsigned bytes = (m->bit_offset + m->bit_size + 7) / 8;
    struct wt_type storage = {.kind = WT_TYPE_INT, .size = bytes, .read = true};
    status = wt_operand_part(&c->build, record, base + m->offset, &storage, o, err);
    o->type = m->type;
    o->bit_offset = m->bit_offset;
    o->bit_size = m->bit_size;
    return status;
}

#define MOST_STEPS 32

/* The base classes and anonymous members on the way to a member. */
struct way {
    const struct wt_member *step[MOST_STEPS];
    unsigned count;
};

/* The member of this name, also in anonymous members and base classes; false if there is none. */
static bool find_member(const struct wt_type *record, const char *name, struct way *way,
                        const struct wt_member **found)
{
    size_t count;
    const struct wt_member *m = wt_type_members(record, &count);
    for (size_t i = 0; i < count; i++)
        if (m[i].name && !m[i].is_static && !m[i].is_base && strcmp(m[i].name, name) == 0) {
            *found = &m[i];
            return true;
        }
    for (size_t i = 0; i < count && way->count < MOST_STEPS; i++) {
        const struct wt_type *inner = wt_type_plain(m[i].type);
        if (m[i].is_static || !(m[i].is_base || !m[i].name) || !wt_type_is_record(inner))
            continue;
        way->step[way->count++] = &m[i];
        if (find_member(inner, name, way, found))
            return true;
        way->count--;
    }
    return false;
}

/* The part of an object that is one of its base classes. */
static enum wt_status take_base(struct compiler *c, const struct wt_member *base,
                                struct wt_operand *o, struct wt_error *err)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Die die = base->die;
    wt_expr_vector address = 0;
    if (!base->is_virtual)
        return wt_operand_part(&c->build, o, base->offset, base->type, o, err);
    if (!wt_operand_in_memory(o))
        return wt_fail(err, WT_UNSUPPORTED,
                       "the object is not in memory: where its base lies is unknown");
    if (!dwarf_attr(&die, DW_AT_data_member_location, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &count) != 0)
        return wt_fail(err, WT_INVALID, "the debug information is damaged");
    enum wt_status status = wt_build_member_address(&c->build, &attribute, ops, count,
                                                    o->piece[0].vector, &address, err);
    if (!status)
        *o = wt_operand_memory(base->type, o->piece[0].space, address);
    return status;
}

static enum wt_status take_way(struct compiler *c, const struct way *way, struct wt_operand *o,
                               struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (unsigned i = 0; i < way->count && !status; i++)
        status = take_base(c, way->step[i], o, err);
    return status;
}

/* Members of a class that its objects do not contain: a static member, a method. */
static enum wt_status compile_class_member(struct compiler *c, const struct wt_type *record,
                                           const char *name, unsigned depth, struct wt_operand *o,
                                           struct wt_error *err)
{
    struct wt_found f;
    char whole[512];
    size_t count;
    const struct wt_member *m = wt_type_members(record, &count);
    if (record->name &&
        (size_t)snprintf(whole, sizeof whole, "%s::%s", record->name, name) < sizeof whole &&
        wt_source_find(c->scope, whole, &f))
        return compile_found(c, &f, whole, o, err);
    for (size_t i = 0; i < count && depth < 32; i++)
        if (m[i].is_base &&
            compile_class_member(c, wt_type_plain(m[i].type), name, depth + 1, o, err) == WT_OK)
            return WT_OK;
    return wt_fail(err, WT_INVALID, "There is no member named %s.", name);
}

static enum wt_status compile_member(struct compiler *c, const struct wt_operand *record,
                                     const char *name, struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(record->type);
    const struct wt_member *m;
    struct way way = {.count = 0};
    if (wt_operand_is_component(record, name))
        return wt_operand_components(&c->build, record, name, o, err);
    if (!wt_type_is_record(plain))
        return wt_fail(err, WT_INVALID,
                       "Attempt to extract a component of a value that is not a structure.");
    if (!find_member(plain, name, &way, &m))
        return compile_class_member(c, plain, name, 0, o, err);
    struct wt_operand part = *record;
    enum wt_status status = take_way(c, &way, &part, err);
    if (!status)
        status = take_member(c, &part, 0, m, o, err);
    return status ? status : follow_reference(c, o, err);
}

/* ---- pointers ---- */

/* A pointer's target type, address and space; an array counts as a pointer to its first element. */
static enum wt_status pointer_of(struct compiler *c, const struct wt_operand *o,
                                 const struct wt_type **target, wt_expr_vector *address,
                                 uint32_t *space, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    *space = 0;
    if (plain->kind == WT_TYPE_ARRAY || plain->kind == WT_TYPE_FUNCTION) {
        if (!wt_operand_in_memory(o))
            return wt_fail(err, WT_INVALID,
                           "Attempt to take address of value not located in "
                           "memory.");
        *target = plain->kind == WT_TYPE_FUNCTION ? o->type : wt_type_target(plain);
        *address = o->piece[0].vector;
        *space = o->piece[0].space;
        return WT_OK;
    }
    *target = wt_type_target(plain);
    if (o->piece_count == 1 && o->piece[0].kind == WT_PIECE_CELL)
        *space = o->piece[0].space;
    if (!*space)
        *space = space_of_type(c, plain);
    return wt_operand_cell_of(&c->build, o, address, err);
}

static bool is_pointer(const struct wt_operand *o)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    return plain->kind == WT_TYPE_POINTER || (plain->kind == WT_TYPE_ARRAY && !plain->is_vector) ||
           plain->kind == WT_TYPE_FUNCTION;
}

static enum wt_status dereference(struct compiler *c, const struct wt_operand *pointer,
                                  struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(pointer->type), *target;
    wt_expr_vector address;
    uint32_t space;
    if (wt_type_is_integral(plain))
        target = integer(c, 8, true), plain = NULL; /* as GDB has it: a long there */
    enum wt_status status;
    if (!plain) {
        if ((status = wt_operand_cell_of(&c->build, pointer, &address, err)) != WT_OK)
            return status;
        *o = wt_operand_memory(target, 0, address);
        return WT_OK;
    }
    if (!is_pointer(pointer))
        return wt_fail(err, WT_INVALID, "Attempt to take contents of a non-pointer value.");
    if ((status = pointer_of(c, pointer, &target, &address, &space, err)) != WT_OK)
        return status;
    if (wt_type_plain(target)->kind == WT_TYPE_VOID)
        return wt_fail(err, WT_INVALID,
                       "Attempt to take contents of a pointer to void; cast it "
                       "first.");
    *o = wt_operand_memory(target, space, address);
    return follow_reference(c, o, err);
}

static enum wt_status address_of(struct compiler *c, const struct wt_operand *o,
                                 struct wt_operand *pointer, struct wt_error *err)
{
    if (o->bit_size)
        return wt_fail(err, WT_INVALID, "Attempt to take address of a bit field.");
    if (!wt_operand_in_memory(o))
        return wt_fail(err, WT_INVALID,
                       o->piece_count == 1 && o->piece[0].reg >= 0
                           ? "Attempt to take address of value in a register."
                           : "Attempt to take address of value not located in "
                             "memory.");
    *pointer = wt_operand_cell(wt_types_pointer(c->build.types, o->type), o->piece[0].vector);
    pointer->piece[0].space = o->piece[0].space;
    pointer->piece[0].size = wt_types_address_size(c->build.types);
    return make_generic(c, pointer, err);
}

static enum wt_status scaled(struct compiler *c, const struct wt_operand *index, uint64_t size,
                             int64_t lower, wt_expr_vector *offset, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(index->type);
    if (!wt_type_is_integral(plain))
        return wt_fail(err, WT_INVALID, "an index must be an integer");
    enum wt_status status = wt_operand_cell_of(&c->build, index, offset, err);
    if (!status && lower)
        status = wt_build_op(&c->build, WT_EXPR_SUB, 0, *offset,
                             wt_build_constant(&c->build, (uint64_t)lower), offset, err);
    if (!status && size != 1)
        status = wt_build_op(&c->build, WT_EXPR_MUL, 0, *offset, wt_build_constant(&c->build, size),
                             offset, err);
    return status;
}

static enum wt_status untyped(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "the variable has unknown type; cast it to its declared type");
}

static enum wt_status element(struct compiler *c, const struct wt_operand *array,
                              const struct wt_operand *index, struct wt_operand *o,
                              struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(array->type), *target;
    wt_expr_vector address, offset;
    uint32_t space;
    uint64_t at;
    enum wt_status status;
    if (array->type == &no_type)
        return untyped(err);
    if (plain->kind != WT_TYPE_POINTER && plain->kind != WT_TYPE_ARRAY)
        return wt_fail(err, WT_INVALID, "cannot subscript something of that type");
    const uint64_t size = wt_type_size(wt_type_target(plain));
    const int64_t lower = plain->kind == WT_TYPE_ARRAY ? plain->lower : 0;
    const bool strided = plain->kind == WT_TYPE_ARRAY && plain->stride;
    const uint64_t step = strided ? (uint64_t)plain->stride : size ? size : 1;
    if ((status = scaled(c, index, step, lower, &offset, err)) != WT_OK)
        return status;
    if (strided && (status = wt_build_op(&c->build, WT_EXPR_ADD, 0, offset,
                                         wt_build_constant(&c->build, wt_type_element_at(plain, 0)),
                                         &offset, err)) != WT_OK)
        return status;
    if (plain->kind == WT_TYPE_ARRAY && !wt_operand_in_memory(array)) {
        if (is_lost(array)) {
            *o = lost(wt_type_target(plain));
            return WT_OK;
        }
        if (!wt_expr_is_constant(c->build.expr, offset, &at))
            return wt_fail(err, WT_UNSUPPORTED,
                           "the array is in registers: its index must be a "
                           "constant");
        if (at / (size ? size : 1) >= plain->count)
            return wt_fail(err, WT_INVALID, "no such vector element");
        return wt_operand_part(&c->build, array, at, wt_type_target(plain), o, err);
    }
    if ((status = pointer_of(c, array, &target, &address, &space, err)) != WT_OK)
        return status;
    if (plain->kind == WT_TYPE_ARRAY)
        target = wt_type_target(plain);
    if ((status = wt_build_op(&c->build, WT_EXPR_ADD, 0, address, offset, &address, err)) != WT_OK)
        return status;
    *o = wt_operand_memory(target, space, address);
    return follow_reference(c, o, err);
}

/* ---- arithmetic ---- */

static const struct wt_type *promoted(struct compiler *c, const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    const uint64_t size = wt_type_size(plain);
    if (plain->kind == WT_TYPE_FLOAT)
        return size == 2 ? basic(c, "float") : plain;
    if (plain->kind == WT_TYPE_POINTER || plain->kind == WT_TYPE_REFERENCE)
        return integer(c, (unsigned)size, false);
    if (size < 4)
        return integer(c, 4, true);
    if (plain->kind == WT_TYPE_ENUM)
        return integer(c, size > 4 ? 8 : 4, plain->is_signed);
    return plain;
}

/* The type in which two numbers are computed, as in C. */
static const struct wt_type *common(struct compiler *c, const struct wt_type *a,
                                    const struct wt_type *b)
{
    a = promoted(c, a);
    b = promoted(c, b);
    if (a->kind == WT_TYPE_FLOAT || b->kind == WT_TYPE_FLOAT) {
        if (a->kind != WT_TYPE_FLOAT)
            return b;
        if (b->kind != WT_TYPE_FLOAT)
            return a;
        return wt_type_size(a) >= wt_type_size(b) ? a : b;
    }
    if (wt_type_size(a) != wt_type_size(b))
        return wt_type_size(a) > wt_type_size(b) ? a : b;
    return wt_type_is_signed(a) ? b : a;
}

static enum wt_status need_number(const struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    if (wt_type_is_scalar(plain))
        return WT_OK;
    if (o->type == &no_type)
        return untyped(err);
    return wt_fail(err, WT_INVALID, "Argument to arithmetic operation not a number or boolean.");
}

enum wt_status wt_compile_truth(struct compiler *c, const struct wt_operand *o,
                                wt_expr_vector *cell, struct wt_error *err)
{
    struct wt_operand truth;
    enum wt_status status;
    if (is_pointer(o) && wt_type_plain(o->type)->kind != WT_TYPE_POINTER) {
        *cell = wt_build_constant(&c->build, 1); /* the address of something */
        return WT_OK;
    }
    if ((status = need_number(o, err)) != WT_OK)
        return status;
    if (wt_type_plain(o->type)->kind != WT_TYPE_FLOAT && !wt_type_is_wide(o->type))
        return wt_operand_cell_of(&c->build, o, cell, err);
    status = wt_operand_convert(&c->build, o, basic(c, "bool"), &truth, err);
    if (!status)
        *cell = truth.piece[0].vector;
    return status;
}

enum wt_status wt_compile_number(struct compiler *c, const struct wt_operand *o,
                                 const struct wt_type *type, wt_expr_vector *cell,
                                 struct wt_error *err)
{
    struct wt_operand converted;
    enum wt_status status = need_number(o, err);
    if (!status)
        status = wt_operand_convert(&c->build, o, type, &converted, err);
    if (!status)
        *cell = converted.piece[0].vector;
    return status;
}

/* The result of arithmetic, truncated to its type. */
static enum wt_status finish_number(struct compiler *c, const struct wt_type *type,
                                    wt_expr_vector cell, struct wt_operand *o, struct wt_error *err)
{
    const unsigned bits = (unsigned)wt_type_size(type) * 8;
    enum wt_status status = WT_OK;
    uint64_t value;
    if (type->kind != WT_TYPE_FLOAT && bits < 64) {
        if (wt_expr_is_constant(c->build.expr, cell, &value)) {
            const unsigned by = 64 - bits;
            cell = wt_build_constant(&c->build, wt_type_is_signed(type)
                                                    ? (uint64_t)((int64_t)(value << by) >> by)
                                                    : value << by >> by);
        } else {
            status =
                wt_build_op(&c->build, wt_type_is_signed(type) ? WT_EXPR_EXT : WT_EXPR_ZERO_EXT,
                            bits, cell, cell, &cell, err);
        }
    }
    *o = wt_operand_cell(type, cell);
    return status;
}

static enum wt_status invert(struct compiler *c, wt_expr_vector *cell, struct wt_error *err)
{
    return wt_build_op(&c->build, WT_EXPR_LOGIC_NOT, 0, *cell, *cell, cell, err);
}

static enum wt_status compare(struct compiler *c, int op, bool is_float, bool is_signed,
                              unsigned bits, wt_expr_vector a, wt_expr_vector b,
                              struct wt_operand *o, struct wt_error *err)
{
    wt_expr_vector cell;
    enum wt_status status;
    const bool swap = op == '>' || op == WT_OP_GE;
    if (op == WT_OP_EQ || op == WT_OP_NE) {
        status = wt_build_op(&c->build, is_float ? WT_EXPR_F_EQUAL : WT_EXPR_EQUAL, bits, a, b,
                             &cell, err);
        if (!status && op == WT_OP_NE)
            status = invert(c, &cell, err);
    } else if (is_float) {
        status =
            wt_build_op(&c->build, op == '<' || op == '>' ? WT_EXPR_F_LESS : WT_EXPR_F_LESS_EQUAL,
                        bits, swap ? b : a, swap ? a : b, &cell, err);
    } else {
        /* a <= b is !(b < a) */
        const bool reversed = swap != (op == WT_OP_LE || op == WT_OP_GE);
        status = wt_build_op(&c->build, is_signed ? WT_EXPR_LESS_SIGNED : WT_EXPR_LESS_UNSIGNED, 64,
                             reversed ? b : a, reversed ? a : b, &cell, err);
        if (!status && (op == WT_OP_LE || op == WT_OP_GE))
            status = invert(c, &cell, err);
    }
    if (!status)
        *o = wt_operand_cell(truth_type(c), cell);
    return status;
}

static bool is_comparison(int op)
{
    return op == '<' || op == '>' || op == WT_OP_LE || op == WT_OP_GE || op == WT_OP_EQ ||
           op == WT_OP_NE;
}

static enum wt_status pointer_arithmetic(struct compiler *c, int op, const struct wt_operand *a,
                                         const struct wt_operand *b, struct wt_operand *o,
                                         struct wt_error *err)
{
    const struct wt_type *target, *other;
    wt_expr_vector address, offset;
    uint32_t space, space_b;
    enum wt_status status;
    const bool pointers = is_pointer(a) && is_pointer(b);
    if (is_comparison(op)) {
        if (is_pointer(a))
            status = pointer_of(c, a, &target, &address, &space, err);
        else
            status = wt_compile_number(c, a, integer(c, 8, false), &address, err);
        if (!status && is_pointer(b))
            status = pointer_of(c, b, &other, &offset, &space_b, err);
        else if (!status)
            status = wt_compile_number(c, b, integer(c, 8, false), &offset, err);
        return status ? status : compare(c, op, false, false, 64, address, offset, o, err);
    }
    if (op == '+' && is_pointer(b) && !is_pointer(a)) {
        const struct wt_operand *swap = a;
        a = b;
        b = swap;
    }
    if ((op != '+' && op != '-') || (pointers && op == '+') || !is_pointer(a))
        return wt_fail(err, WT_INVALID,
                       "Argument to arithmetic operation not a number or "
                       "boolean.");
    if ((status = pointer_of(c, a, &target, &address, &space, err)) != WT_OK)
        return status;
    uint64_t size = wt_type_size(target);
    if (size == 0)
        size = 1;
    if (pointers) {
        if ((status = pointer_of(c, b, &other, &offset, &space_b, err)) != WT_OK)
            return status;
        status = wt_build_op(&c->build, WT_EXPR_SUB, 0, address, offset, &offset, err);
        const unsigned bits = wt_types_address_size(c->build.types) * 8;
        if (!status && bits < 64)
            status = wt_build_op(&c->build, WT_EXPR_EXT, bits, offset, offset, &offset, err);
        if (!status && size > 1)
            status = wt_build_op(&c->build, WT_EXPR_DIV_SIGNED, 0, offset,
                                 wt_build_constant(&c->build, size), &offset, err);
        if (!status)
            *o = wt_operand_cell(basic(c, "long"), offset);
        return status;
    }
    if ((status = scaled(c, b, size, 0, &offset, err)) != WT_OK ||
        (status = wt_build_op(&c->build, op == '+' ? WT_EXPR_ADD : WT_EXPR_SUB, 0, address, offset,
                              &address, err)) != WT_OK)
        return status;
    const struct wt_type *type = wt_type_plain(a->type)->kind == WT_TYPE_POINTER
                                     ? a->type
                                     : wt_types_pointer(c->build.types, target);
    status =
        finish_number(c, integer(c, wt_types_address_size(c->build.types), false), address, o, err);
    o->type = type;
    o->piece[0].space = space;
    return status;
}

static enum wt_status result_temporary(struct compiler *c, wt_expr_vector *to, struct wt_error *err)
{
    if (c->build.next >= WT_EXPR_MOST_TEMPORARIES)
        return wt_fail(err, WT_UNSUPPORTED, "the expression is too long; split it");
    *to = wt_expr_temporary(c->build.expr, c->build.next++);
    return WT_OK;
}

/* The operation on both halves of 128 bits. */
static enum wt_status on_halves(struct compiler *c, enum wt_expr_op op, wt_expr_vector x,
                                wt_expr_vector y, wt_expr_vector *to, struct wt_error *err)
{
    const struct wt_type *type = basic(c, "unsigned __int128");
    const struct wt_operand a = wt_operand_of_pair(&c->build, type, x);
    const struct wt_operand b = wt_operand_of_pair(&c->build, type, y);
    enum wt_status status = wt_build_pair(&c->build, to, err);
    if (status)
        return status;
    const struct wt_operand result = wt_operand_of_pair(&c->build, type, *to);
    for (unsigned i = 0; i < 2; i++)
        wt_expr_add(c->build.expr, op, 64, result.piece[i].vector, a.piece[i].vector,
                    b.piece[i].vector);
    return WT_OK;
}

static enum wt_status compare_wide(struct compiler *c, int op, bool is_signed, wt_expr_vector x,
                                   wt_expr_vector y, struct wt_operand *o, struct wt_error *err)
{
    wt_expr_vector cell = 0, pair = 0;
    enum wt_status status;
    const bool swap = op == '>' || op == WT_OP_LE;
    bool inverted = op == WT_OP_NE || op == WT_OP_LE || op == WT_OP_GE;
    if (op == WT_OP_EQ || op == WT_OP_NE) {
        if ((status = on_halves(c, WT_EXPR_XOR, x, y, &pair, err)) != WT_OK)
            return status;
        const struct wt_operand differ =
            wt_operand_of_pair(&c->build, basic(c, "unsigned __int128"), pair);
        status = wt_build_op(&c->build, WT_EXPR_OR, 0, differ.piece[0].vector,
                             differ.piece[1].vector, &cell, err);
        inverted = !inverted;
        if (!status && !inverted)
            status = invert(c, &cell, err);
        inverted = true;
    } else if ((status = result_temporary(c, &cell, err)) == WT_OK) {
        wt_expr_add(c->build.expr,
                    is_signed ? WT_EXPR_WIDE_LESS_SIGNED : WT_EXPR_WIDE_LESS_UNSIGNED, 0, cell,
                    swap ? y : x, swap ? x : y);
    }
    if (!status && inverted)
        status = invert(c, &cell, err);
    if (!status)
        *o = wt_operand_cell(truth_type(c), cell);
    return status;
}

/* Numbers of which one has 128 bits. */
static enum wt_status arithmetic_wide(struct compiler *c, int op, const struct wt_operand *a,
                                      const struct wt_operand *b, const struct wt_type *type,
                                      struct wt_operand *o, struct wt_error *err)
{
    static const struct {
        int op;
        enum wt_expr_op of_signed, of_unsigned;
    } table[] = {{'+', WT_EXPR_WIDE_ADD, WT_EXPR_WIDE_ADD},
                 {'-', WT_EXPR_WIDE_SUB, WT_EXPR_WIDE_SUB},
                 {'*', WT_EXPR_WIDE_MUL, WT_EXPR_WIDE_MUL},
                 {'/', WT_EXPR_WIDE_DIV_SIGNED, WT_EXPR_WIDE_DIV_UNSIGNED},
                 {'%', WT_EXPR_WIDE_REM_SIGNED, WT_EXPR_WIDE_REM_UNSIGNED},
                 {WT_OP_SHL, WT_EXPR_WIDE_SHL, WT_EXPR_WIDE_SHL},
                 {WT_OP_SHR, WT_EXPR_WIDE_SHR_SIGNED, WT_EXPR_WIDE_SHR_UNSIGNED},
                 {'&', WT_EXPR_AND, WT_EXPR_AND},
                 {'|', WT_EXPR_OR, WT_EXPR_OR},
                 {'^', WT_EXPR_XOR, WT_EXPR_XOR}};
    const bool is_signed = wt_type_is_signed(type), shift = op == WT_OP_SHL || op == WT_OP_SHR;
    wt_expr_vector x = 0, y = 0;
    enum wt_status status = wt_operand_pair_of(&c->build, a, &x, err);
    if (!status)
        status = wt_operand_pair_of(&c->build, b, &y, err); /* a count of bits: its low half */
    if (status)
        return status;
    if (is_comparison(op))
        return compare_wide(c, op, is_signed, x, y, o, err);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].op != op)
            continue;
        const enum wt_expr_op code = is_signed ? table[i].of_signed : table[i].of_unsigned;
        status = !shift && strchr("&|^", op) ? on_halves(c, code, x, y, &x, err)
                                             : wt_build_wide(&c->build, code, x, y, &x, err);
        if (!status)
            *o = wt_operand_of_pair(&c->build, type, x);
        return status;
    }
    return wt_fail(err, WT_UNSUPPORTED, "that operation is not for integers of 128 bits");
}

static enum wt_status arithmetic(struct compiler *c, int op, const struct wt_operand *a,
                                 const struct wt_operand *b, struct wt_operand *o,
                                 struct wt_error *err)
{
    enum wt_status status;
    wt_expr_vector x, y;
    if (is_pointer(a) || is_pointer(b))
        return pointer_arithmetic(c, op, a, b, o, err);
    if ((status = need_number(a, err)) != WT_OK || (status = need_number(b, err)) != WT_OK)
        return status;
    const bool shift = op == WT_OP_SHL || op == WT_OP_SHR;
    const struct wt_type *type = shift ? promoted(c, a->type) : common(c, a->type, b->type);
    const bool is_float = type->kind == WT_TYPE_FLOAT;
    const bool is_signed = wt_type_is_signed(type);
    const unsigned bits = (unsigned)wt_type_size(type) * 8;
    if (wt_type_is_wide(type))
        return arithmetic_wide(c, op, a, b, type, o, err);
    if ((status = wt_compile_number(c, a, type, &x, err)) != WT_OK ||
        (status = wt_compile_number(c, b, shift ? promoted(c, b->type) : type, &y, err)) != WT_OK)
        return status;
    if (is_comparison(op))
        return compare(c, op, is_float, is_signed, bits, x, y, o, err);
    enum wt_expr_op code;
    switch (op) {
    case '+':
        code = is_float ? WT_EXPR_F_ADD : WT_EXPR_ADD;
        break;
    case '-':
        code = is_float ? WT_EXPR_F_SUB : WT_EXPR_SUB;
        break;
    case '*':
        code = is_float ? WT_EXPR_F_MUL : WT_EXPR_MUL;
        break;
    case '/':
        code = is_float ? WT_EXPR_F_DIV : is_signed ? WT_EXPR_DIV_SIGNED : WT_EXPR_DIV_UNSIGNED;
        break;
    case WT_OP_POWER:
        code = is_float ? WT_EXPR_F_POWER : WT_EXPR_POWER;
        break;
    case WT_OP_F_REM:
        code = is_float ? WT_EXPR_F_REM : is_signed ? WT_EXPR_REM_SIGNED : WT_EXPR_REM_UNSIGNED;
        break;
    case '%':
        code = is_signed ? WT_EXPR_REM_SIGNED : WT_EXPR_REM_UNSIGNED;
        break;
    case '&':
        code = WT_EXPR_AND;
        break;
    case '|':
        code = WT_EXPR_OR;
        break;
    case '^':
        code = WT_EXPR_XOR;
        break;
    case WT_OP_SHL:
        code = WT_EXPR_SHL;
        break;
    default:
        code = is_signed ? WT_EXPR_SHR_SIGNED : WT_EXPR_SHR_UNSIGNED;
        break;
    }
    if (is_float &&
        (code == WT_EXPR_AND || code == WT_EXPR_OR || code == WT_EXPR_XOR || op == '%' || shift))
        return wt_fail(err, WT_INVALID,
                       "Integer expected: that operation is not for "
                       "floating-point numbers.");
    uint64_t divisor;
    if ((op == '/' || op == '%') && !is_float && wt_expr_is_constant(c->build.expr, y, &divisor) &&
        divisor == 0)
        return wt_fail(err, WT_INVALID, "Division by zero");
    if ((status = wt_build_op(&c->build, code, bits, x, y, &x, err)) != WT_OK)
        return status;
    return finish_number(c, type, x, o, err);
}

/* ---- operators that need branches ---- */

/* a && b, a
 *
 * b: b is not evaluated for lanes in which a already decides the result. */
static enum wt_status logic(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                            struct wt_error *err)
{
    struct wt_operand a, b;
    wt_expr_vector result = 0, cell = 0;
    enum wt_status status = result_temporary(c, &result, err);
    const unsigned mark = c->build.next;
    struct wt_expr *expr = c->build.expr;
    if (status || (status = compile(c, n->a, &a, err)) != WT_OK ||
        (status = wt_compile_truth(c, &a, &cell, err)) != WT_OK)
        return status;
    const bool is_and = n->op == WT_OP_AND;
    wt_expr_add(expr, WT_EXPR_COPY, 0, result, wt_expr_constant(expr, !is_and),
                wt_expr_constant(expr, 0));
    if (is_and) {
        if ((status = invert(c, &cell, err)) != WT_OK)
            return status;
    }
    const size_t branch = wt_expr_add(expr, WT_EXPR_BRANCH, 0, result, cell, cell);
    c->build.next = mark;
    if ((status = compile(c, n->b, &b, err)) != WT_OK ||
        (status = wt_compile_truth(c, &b, &cell, err)) != WT_OK ||
        (status = invert(c, &cell, err)) != WT_OK || (status = invert(c, &cell, err)) != WT_OK)
        return status;
    wt_expr_add(expr, WT_EXPR_COPY, 0, result, cell, cell);
    wt_expr_set_target(expr, branch, wt_expr_here(expr));
    c->build.next = mark;
    *o = wt_operand_cell(truth_type(c), result);
    return WT_OK;
}

/* The type of a node; generates no code for it. */
static enum wt_status type_of(struct compiler *c, const struct wt_node *n,
                              const struct wt_type **type, struct wt_error *err)
{
    struct compiler aside = *c;
    struct wt_operand o;
    aside.types_only = true;
    aside.build.expr = wt_expr_new();
    aside.build.next = 0;
    if (!aside.build.expr)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an expression");
    enum wt_status status = compile(&aside, n, &o, err);
    wt_expr_free(aside.build.expr);
    *type = o.type;
    return status;
}

/* Copies a number to a temporary, or one of 128 bits to a pair. */
static void copy_result(struct compiler *c, const struct wt_type *type, const struct wt_operand *o,
                        wt_expr_vector result)
{
    const struct wt_operand pair = wt_operand_of_pair(&c->build, type, result);
    const unsigned count = wt_type_is_wide(type) ? 2 : 1;
    for (unsigned i = 0; i < count; i++)
        wt_expr_add(c->build.expr, WT_EXPR_COPY, 0, pair.piece[i].vector, o->piece[i].vector,
                    o->piece[i].vector);
}

static enum wt_status conditional(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                                  struct wt_error *err)
{
    struct wt_operand a;
    const struct wt_type *left = NULL, *right = NULL;
    wt_expr_vector result = 0, cell = 0;
    struct wt_expr *expr = c->build.expr;
    enum wt_status status;
    if ((status = type_of(c, n->b, &left, err)) != WT_OK ||
        (status = type_of(c, n->c, &right, err)) != WT_OK ||
        (status = wt_build_pair(&c->build, &result, err)) != WT_OK)
        return status;
    const unsigned mark = c->build.next;
    const struct wt_type *plain = wt_type_plain(left);
    const struct wt_type *type = wt_type_is_scalar(plain) && plain->kind != WT_TYPE_POINTER &&
                                         wt_type_is_scalar(wt_type_plain(right))
                                     ? common(c, left, right)
                                     : left;
    if (!wt_type_is_scalar(wt_type_plain(type)))
        return wt_fail(err, WT_UNSUPPORTED, "'?' chooses between numbers or pointers only");
    if ((status = compile(c, n->a, &a, err)) != WT_OK ||
        (status = wt_compile_truth(c, &a, &cell, err)) != WT_OK)
        return status;
    const size_t branch = wt_expr_add(expr, WT_EXPR_BRANCH, 0, result, cell, cell);
    c->build.next = mark;
    if ((status = compile(c, n->c, &a, err)) != WT_OK ||
        (status = wt_operand_convert(&c->build, &a, type, &a, err)) != WT_OK)
        return status;
    copy_result(c, type, &a, result);
    const size_t end = wt_expr_add(expr, WT_EXPR_GOTO, 0, result, result, result);
    wt_expr_set_target(expr, branch, wt_expr_here(expr));
    c->build.next = mark;
    if ((status = compile(c, n->b, &a, err)) != WT_OK ||
        (status = wt_operand_convert(&c->build, &a, type, &a, err)) != WT_OK)
        return status;
    copy_result(c, type, &a, result);
    wt_expr_set_target(expr, end, wt_expr_here(expr));
    c->build.next = mark;
    *o = wt_type_is_wide(type) ? wt_operand_of_pair(&c->build, type, result)
                               : wt_operand_cell(type, result);
    return WT_OK;
}

/* ---- lanes ---- */

static struct wt_operand constant_bytes(struct compiler *c, const struct wt_type *type,
                                        const uint8_t *bytes, uint64_t size)
{
    struct wt_operand o = {.type = type};
    for (uint64_t at = 0; at < size && o.piece_count < WT_PIECES; at += 8) {
        uint64_t value = 0;
        const uint64_t take = size - at < 8 ? size - at : 8;
        for (uint64_t i = 0; i < take; i++)
            value |= (uint64_t)bytes[at + i] << (8 * i);
        o.piece[o.piece_count++] = (struct wt_piece){.kind = WT_PIECE_CELL,
                                                     .vector = wt_build_constant(&c->build, value),
                                                     .reg = -1,
                                                     .size = take};
    }
    return o;
}

static int register_index(const struct wt_topology *t, const char *name);

/* A cell that is not 0 in exactly these lanes. */
static enum wt_status is_among(struct compiler *c, wt_lanes lanes, wt_expr_vector *among,
                               struct wt_error *err)
{
    const int index = register_index(c->build.topology, "_lane");
    if (index < 0 || lanes >> 64)
        return wt_fail(err, WT_UNSUPPORTED, "a condition can ask for lanes 0 to 63");
    if (lanes >> c->build.topology->lanes)
        return wt_fail(err, WT_INVALID, "there is no lane %u: a %s has lanes 0 to %u",
                       wt_lanes_highest(lanes), c->build.topology->wave_word,
                       c->build.topology->lanes - 1);
    enum wt_status status = wt_build_op(
        &c->build, WT_EXPR_SHR_UNSIGNED, 0, wt_build_constant(&c->build, (uint64_t)lanes),
        wt_expr_register(c->build.expr, (unsigned)index), among, err);
    return status ? status
                  : wt_build_op(&c->build, WT_EXPR_AND, 0, *among, wt_build_constant(&c->build, 1),
                                among, err);
}

static bool selects_one(const struct wt_node *n)
{
    return n->kind == WT_NODE_LANES && !n->all_lanes && !(n->lanes & (n->lanes - 1));
}

/* Finds the value of a node that was computed before the lanes diverged. */
static bool find_reduced(const struct compiler *c, const struct wt_node *n, struct wt_operand *o)
{
    for (unsigned i = 0; i < c->reduced_count; i++)
        if (c->reduced[i].node == n) {
            *o = wt_operand_cell(c->reduced[i].type, c->reduced[i].vector);
            return true;
        }
    return false;
}

/* x@3 and x@0..7 in a condition: for one lane, all lanes get its value; for several, all lanes get
 * their reduction. */
static enum wt_status lanes_beside(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    const bool one = selects_one(n);
    wt_expr_vector cell, there;
    struct wt_operand value;
    if (find_reduced(c, n, o))
        return WT_OK;
    if (!one && !c->in_reduction)
        return wt_fail(err, WT_INVALID,
                       "a condition is one for each lane: take the lanes together, as in any(…), "
                       "all(…) or sum(…)");
    if (!one) {
        c->over |= n->all_lanes ? 0 : n->lanes;
        return compile(c, n->a, o, err);
    }
    enum wt_status status = compile(c, n->a, &value, err);
    if (status)
        return status;
    if (!wt_type_is_scalar(wt_type_plain(value.type)))
        return wt_fail(err, WT_UNSUPPORTED, "a condition can ask other lanes for numbers only");
    if ((status = wt_operand_cell_of(&c->build, &value, &cell, err)) != WT_OK ||
        (status = is_among(c, n->lanes, &there, err)) != WT_OK ||
        (status = wt_build_op(&c->build, WT_EXPR_OVER_MAX_UNSIGNED, 0, cell, there, &cell, err)) !=
            WT_OK)
        return status;
    *o = wt_operand_cell(value.type, cell);
    return WT_OK;
}

/* Lane number `k` among `lanes` has no value. */
static enum wt_status no_value(const struct wt_values *values, unsigned k, wt_lanes lanes,
                               struct wt_error *err)
{
    char text[WT_VALUE_REASON];
    const char *why = wt_values_reason(values, k, text);
    for (unsigned i = 0; i < k; i++)
        lanes &= lanes - 1;
    if (!why)
        why = values->state[k] == WT_VALUE_LOST ? "value has been optimized out"
                                                : "it waits where the expression means nothing";
    return wt_fail(err, WT_INVALID, "the value of lane %u cannot be read: %s",
                   wt_lanes_lowest(lanes), why);
}

static enum wt_status select_lanes(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    if (c->beside)
        return lanes_beside(c, n, o, err);
    if (!c->all)
        return wt_fail(err, WT_STATE, "no wave is selected whose lanes could be meant");
    const wt_lanes lanes = n->all_lanes ? c->all : n->lanes;
    if (lanes & ~c->all)
        return wt_fail(err, WT_INVALID, "there is no lane %u: the %s has lanes 0 to %u",
                       wt_lanes_highest(lanes), c->scope->source->topology->wave_word,
                       wt_lanes_highest(c->all));
    /* Within an expression, one lane's value is the same for all lanes. */
    if (c->depth > 1 && !n->all_lanes && !(lanes & (lanes - 1)) && !c->types_only) {
        struct wt_values values;
        enum wt_status status = c->evaluate(c->scope, n->a, lanes, &values, err);
        if (status)
            return status;
        if (values.state[0] != WT_VALUE_GOOD)
            status = no_value(&values, 0, lanes, err);
        else if (values.size > 8 * WT_PIECES)
            status = wt_fail(err, WT_UNSUPPORTED, "the value is too large to be used here");
        else
            *o = constant_bytes(c, values.type, values.bytes, values.size);
        o->bit_offset = values.bit_offset;
        o->bit_size = values.bit_size;
        wt_values_free(&values);
        return status;
    }
    c->any_lanes = true;
    c->lanes |= lanes;
    return compile(c, n->a, o, err);
}

enum reduction { R_MIN, R_MAX, R_SUM, R_ANY, R_ALL, R_COUNT, R_NONE };

static enum reduction reduction_of(const char *name)
{
    static const char *const names[] = {"min", "max", "sum", "any", "all", "count"};
    for (int i = 0; i < R_NONE; i++)
        if (strcmp(names[i], name) == 0)
            return (enum reduction)i;
    return R_NONE;
}

static bool less(const struct wt_number *a, const struct wt_number *b)
{
    if (a->is_float)
        return a->real < b->real;
    return a->is_signed ? (int64_t)a->integer < (int64_t)b->integer : a->integer < b->integer;
}

static bool is_true(const struct wt_number *n)
{
    return n->is_float ? n->real != 0 : n->integer != 0;
}

static enum wt_status all_of(const struct wt_values *values, enum reduction kind,
                             struct wt_number *result, struct wt_error *err)
{
    unsigned count = 0;
    bool any = false;
    for (unsigned k = 0; k < values->lane_count; k++) {
        struct wt_number n;
        if (values->state[k] != WT_VALUE_GOOD)
            return no_value(values, k, values->lanes, err);
        if (!wt_number_of(values->type, values->bit_offset, values->bit_size,
                          values->bytes + k * values->size, &n))
            return wt_fail(err, WT_INVALID, "only numbers can be taken together over lanes");
        count += is_true(&n);
        if (!any) {
            *result = n;
        } else if (kind == R_SUM) {
            result->integer += n.integer;
            result->real += n.real;
        } else if (kind == R_MIN ? less(&n, result) : kind == R_MAX && less(result, &n)) {
            *result = n;
        }
        any = true;
    }
    if (kind == R_ANY || kind == R_ALL || kind == R_COUNT)
        *result = (struct wt_number){.integer = kind == R_ANY   ? count > 0
                                                : kind == R_ALL ? count == values->lane_count
                                                                : count};
    return WT_OK;
}

static enum wt_status reduce(struct compiler *c, const struct wt_node *n, enum reduction kind,
                             struct wt_operand *o, struct wt_error *err)
{
    const bool counts = kind == R_ANY || kind == R_ALL || kind == R_COUNT;
    const struct wt_type *type = basic(c, "int");
    struct wt_values values;
    struct wt_number result = {0};
    enum wt_status status;
    if (!n->b || n->b->next)
        return wt_fail(err, WT_INVALID, "%s() takes one value over lanes, as in %s(x@*)",
                       n->a->text, n->a->text);
    if (find_reduced(c, n, o))
        return WT_OK;
    if (c->beside && !c->types_only)
        return wt_fail(err, WT_UNSUPPORTED, "values over lanes cannot be taken together twice");
    if (c->types_only) {
        if ((status = type_of(c, n->b, &type, err)) != WT_OK)
            return status;
        *o = wt_operand_cell(counts ? basic(c, "int") : type, wt_build_constant(&c->build, 0));
        return WT_OK;
    }
    if (!c->all)
        return wt_fail(err, WT_STATE, "no wave is selected whose lanes could be meant");
    /* All lanes means the enabled ones: values in other lanes are left over from earlier. */
    struct wt_thread_position place = {.active = c->all};
    wt_debugger_thread_position(c->scope->source->debugger, c->scope->thread, &place, WT_IGNORED);
    const wt_lanes active = place.active ? place.active : c->all;
    if ((status = c->evaluate(c->scope, n->b, active, &values, err)) != WT_OK)
        return status;
    if (values.lanes == c->all && values.lanes != active) {
        wt_values_free(&values);
        struct wt_node inner = *n->b;
        while (inner.kind == WT_NODE_LANES && inner.all_lanes && inner.a)
            inner = *inner.a;
        if ((status = c->evaluate(c->scope, &inner, active, &values, err)) != WT_OK)
            return status;
    }
    status = all_of(&values, kind, &result, err);
    if (!counts)
        type = values.type;
    wt_values_free(&values);
    if (status)
        return status;
    if (!result.is_float) {
        *o = wt_operand_cell(type, wt_build_constant(&c->build, result.integer));
        return WT_OK;
    }
    uint64_t bits;
    memcpy(&bits, &result.real, sizeof bits);
    struct wt_operand wide =
        wt_operand_cell(basic(c, "double"), wt_build_constant(&c->build, bits));
    return wt_operand_convert(&c->build, &wide, type, o, err);
}

/* The result of a reduction, as a vector with the same value in all lanes: a holds the values, b
 * tells which lanes count. */
static enum wt_status combine(struct compiler *c, enum reduction kind, const struct wt_type **type,
                              wt_expr_vector a, wt_expr_vector b, wt_expr_vector *result,
                              struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(*type);
    const bool is_float = plain->kind == WT_TYPE_FLOAT, is_signed = wt_type_is_signed(plain);
    const unsigned bits = (unsigned)wt_type_size(plain) * 8;
    enum wt_status status = WT_OK;
    enum wt_expr_op op = WT_EXPR_OVER_SUM;
    if (kind == R_MIN)
        op = is_float    ? WT_EXPR_OVER_F_MIN
             : is_signed ? WT_EXPR_OVER_MIN_SIGNED
                         : WT_EXPR_OVER_MIN_UNSIGNED;
    else if (kind == R_MAX)
        op = is_float    ? WT_EXPR_OVER_F_MAX
             : is_signed ? WT_EXPR_OVER_MAX_SIGNED
                         : WT_EXPR_OVER_MAX_UNSIGNED;
    else if (kind == R_SUM && is_float)
        op = WT_EXPR_OVER_F_SUM;
    const bool counts = kind == R_ANY || kind == R_ALL || kind == R_COUNT;
    if (counts) {
        *type = basic(c, "int");
        if ((status = invert(c, &a, err)) != WT_OK ||
            (kind != R_ALL && (status = invert(c, &a, err)) != WT_OK))
            return status;
    }
    /* The result is in a temporary of its own: it outlives the intermediate values. */
    wt_expr_add(c->build.expr, op, is_float && !counts ? bits : 0, *result, a, b);
    if (kind == R_ANY || kind == R_ALL) {
        wt_expr_add(c->build.expr, WT_EXPR_LOGIC_NOT, 0, *result, *result, *result);
        if (kind == R_ANY)
            wt_expr_add(c->build.expr, WT_EXPR_LOGIC_NOT, 0, *result, *result, *result);
    }
    return WT_OK;
}

static enum wt_status reduce_beside(struct compiler *c, const struct wt_node *n,
                                    enum reduction kind, struct wt_error *err)
{
    struct wt_operand value;
    wt_expr_vector result = 0, cell, who = wt_build_constant(&c->build, 1);
    if (!n->b || n->b->next)
        return wt_fail(err, WT_INVALID, "%s() takes one value over lanes, as in %s(x@*)",
                       n->a->text, n->a->text);
    if (c->reduced_count == WT_MOST_REDUCTIONS)
        return wt_fail(err, WT_UNSUPPORTED, "a condition takes lanes together %d times at most",
                       WT_MOST_REDUCTIONS);
    enum wt_status status = result_temporary(c, &result, err);
    const unsigned mark = c->build.next;
    const bool one = n->b->kind == WT_NODE_LANES && !n->b->all_lanes;
    if (status)
        return status;
    c->in_reduction = true;
    c->over = one ? n->b->lanes : 0;
    status = compile(c, one ? n->b->a : n->b, &value, err);
    c->in_reduction = false;
    if (!status && !wt_type_is_scalar(wt_type_plain(value.type)))
        status = wt_fail(err, WT_INVALID, "only numbers can be taken together over lanes");
    const struct wt_type *type = value.type;
    if (!status && kind != R_MIN && kind != R_MAX && kind != R_SUM)
        status = wt_compile_truth(c, &value, &cell, err);
    else if (!status && wt_type_plain(type)->kind == WT_TYPE_FLOAT && wt_type_size(type) == 2)
        status = wt_compile_number(c, &value, type = basic(c, "float"), &cell, err);
    else if (!status)
        status = wt_operand_cell_of(&c->build, &value, &cell, err);
    if (!status && c->over)
        status = is_among(c, c->over, &who, err);
    if (!status)
        status = combine(c, kind, &type, cell, who, &result, err);
    c->build.next = mark;
    if (!status)
        c->reduced[c->reduced_count++] = (struct reduced){n, type, result};
    return status;
}

/* The value of one lane, for all. */
static enum wt_status lane_beside(struct compiler *c, const struct wt_node *n, struct wt_error *err)
{
    struct wt_operand value;
    wt_expr_vector result = 0;
    enum wt_status status = result_temporary(c, &result, err);
    const unsigned mark = c->build.next;
    if (!status)
        status = wt_compile_reductions(c, n->a, err);
    if (!status)
        status = lanes_beside(c, n, &value, err);
    if (status)
        return status;
    if (c->reduced_count == WT_MOST_REDUCTIONS)
        return wt_fail(err, WT_UNSUPPORTED, "a condition asks other lanes %d times at most",
                       WT_MOST_REDUCTIONS);
    const wt_expr_vector cell = value.piece[0].vector;
    wt_expr_add(c->build.expr, WT_EXPR_COPY, 0, result, cell, cell);
    c->build.next = mark;
    c->reduced[c->reduced_count++] = (struct reduced){n, value.type, result};
    return WT_OK;
}

enum wt_status wt_compile_reductions(struct compiler *c, const struct wt_node *n,
                                     struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (; n && !status; n = n->next) {
        const enum reduction kind = n->kind == WT_NODE_CALL && n->a->kind == WT_NODE_NAME
                                        ? reduction_of(n->a->text)
                                        : R_NONE;
        const bool of_fortran = n->b && n->b->next && wt_source_is_fortran(c->scope);
        if (kind != R_NONE && !of_fortran) {
            status = reduce_beside(c, n, kind, err);
            continue;
        }
        if (selects_one(n)) {
            status = lane_beside(c, n, err);
            continue;
        }
        if ((status = wt_compile_reductions(c, n->a, err)) == WT_OK &&
            (status = wt_compile_reductions(c, n->b, err)) == WT_OK)
            status = wt_compile_reductions(c, n->c, err);
    }
    return status;
}

/* ---- names ---- */

static const struct wt_type *register_type(struct compiler *c, const struct wt_register *r)
{
    struct wt_types *types = c->build.types;
    switch (r->type) {
    case WT_REG_CODE_PTR:
        return wt_types_pointer(types, wt_types_function(types));
    case WT_REG_DATA_PTR:
        return wt_types_pointer(types, basic(c, "void"));
    case WT_REG_FLOAT:
        return basic(c, r->bits == 32 ? "float" : r->bits == 16 ? "_Float16" : "double");
    case WT_REG_FLOAT_UNION:
        return wt_types_float_union(types);
    default:
        break;
    }
    if (r->bits > 64)
        return wt_types_array(types, basic(c, "unsigned int"), (r->bits + 31) / 32);
    const unsigned size = r->bits <= 8 ? 1 : r->bits <= 16 ? 2 : r->bits <= 32 ? 4 : 8;
    return integer(c, size, r->type == WT_REG_INT);
}

static int register_index(const struct wt_topology *t, const char *name)
{
    for (size_t i = 0; i < t->register_count; i++)
        if (strcmp(t->registers[i].name, name) == 0 ||
            (t->registers[i].alt_name && strcmp(t->registers[i].alt_name, name) == 0))
            return (int)i;
    static const struct {
        const char *name;
        enum wt_register_role role;
    } roles[] = {{"pc", WT_ROLE_PC}, {"sp", WT_ROLE_SP}, {"fp", WT_ROLE_FP}};
    for (size_t k = 0; k < sizeof roles / sizeof roles[0]; k++)
        for (size_t i = 0; i < t->register_count; i++)
            if (strcmp(roles[k].name, name) == 0 && t->registers[i].role == roles[k].role)
                return (int)i;
    return -1;
}

static bool is_number_after(const char *name, size_t letters)
{
    return name[letters] && strspn(name + letters, "0123456789") == strlen(name + letters);
}

/* "rd9" as PTX's %rd1. */
static bool is_like_code_register(struct compiler *c, const char *name, size_t letters)
{
    struct wt_code_register reg;
    for (size_t n = 0; wt_source_code_register(c->scope, n, &reg); n++)
        if (!reg.parameter && reg.name[0] == '%' && strncasecmp(reg.name + 1, name, letters) == 0 &&
            is_number_after(reg.name + 1, letters))
            return true;
    return false;
}

/*
 * Whether a name is made as those of the device's registers or of the code's own are, in letters of
 * either case ("v300" as "v0", "r999" as "R0", "rd9" as "%rd1"), or names a file of registers.
 */
static bool is_like_register(struct compiler *c, const char *name)
{
    static const char *const files[] = {"agpr", "gpr", "grf", "sgpr", "vgpr"};
    const struct wt_topology *t = c->scope->source->topology;
    const size_t letters = strcspn(name, "0123456789");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strlen(files[i]) == letters && strncasecmp(files[i], name, letters) == 0 &&
            strspn(name + letters, "0123456789") == strlen(name + letters))
            return true;
    if (!letters || !is_number_after(name, letters))
        return false;
    for (size_t i = 0; t && i < t->register_count; i++) {
        const char *own = t->registers[i].name, *other = t->registers[i].alt_name;
        if ((strncasecmp(own, name, letters) == 0 && is_number_after(own, letters)) ||
            (other && strncasecmp(other, name, letters) == 0 && is_number_after(other, letters)))
            return true;
    }
    return is_like_code_register(c, name, letters);
}

/* A register that code names itself: what stands for its value. *found: there is one. */
static enum wt_status compile_code_register(struct compiler *c, const char *name, bool *found,
                                            struct wt_operand *o, struct wt_error *err)
{
    struct wt_code_register reg;
    struct wt_node *root;
    size_t n = 0;
    while ((*found = wt_source_code_register(c->scope, n, &reg)) &&
           (reg.parameter || strcmp(reg.name, name) != 0))
        n++;
    if (!*found)
        return WT_OK;
    c->names_local = true;
    enum wt_status status = wt_source_parse(c->scope, reg.expression, &root, err);
    if (status)
        return status;
    status = compile(c, root, o, err);
    wt_node_free(root);
    return status;
}

static enum wt_status compile_dollar(struct compiler *c, const struct wt_node *n,
                                     struct wt_operand *o, struct wt_error *err)
{
    struct wt_source *s = c->scope->source;
    const char *name = n->text;
    const struct kept_value *kept = NULL;
    if (!name[0] || name[0] == '$' || (name[0] >= '0' && name[0] <= '9')) {
        kept = wt_source_kept(s, name);
        if (!kept && (name[0] >= '0' && name[0] <= '9'))
            return wt_fail(err, WT_INVALID, "History has not yet reached $%s.", name);
    }
    const int index = kept ? -1 : register_index(s->topology, name);
    if (index >= 0) {
        const struct wt_register *r = &s->topology->registers[index];
        if (!c->scope->thread && !c->beside)
            return wt_fail(err, WT_STATE, "No registers.");
        enum wt_status status =
            wt_frames_register(&c->build, c->scope->frame, (unsigned)index, o, err);
        o->type = register_type(c, r);
        return status;
    }
    bool found = false;
    if (!kept) {
        enum wt_status status = compile_code_register(c, name, &found, o, err);
        if (status || found)
            return status;
        if (name[0] == '%')
            return c->scope->frame
                       ? wt_fail(err, WT_INVALID, "this function has no register %s", name)
                       : wt_fail(err, WT_STATE, "No registers.");
        kept = wt_source_variable(s, name);
    }
    if (!kept && is_like_register(c, name))
        return wt_fail(err, WT_INVALID, "there is no register %s: 'info registers' lists them",
                       name);
    if (!kept && name[0] == '_')
        return wt_fail(err, WT_INVALID,
                       "This device has no $%s: 'info registers' lists what there is.", name);
    if (!kept) {
        *o = lost(basic(c, "void")); /* as GDB: a variable that was never set is void */
        o->piece_count = 0;
        return WT_OK;
    }
    if (kept->size > 8 * WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "$%s is too large to be used in an expression", name);
    *o = constant_bytes(c, kept->type, kept->bytes, kept->size);
    o->bit_offset = kept->bit_offset;
    o->bit_size = kept->bit_size;
    return WT_OK;
}

static enum wt_status compile_function(struct compiler *c, struct wt_found *f, const char *name,
                                       struct wt_operand *o, struct wt_error *err)
{
    uint64_t start, end;
    if (!wt_info_entry(&f->die, &start, &end))
        return wt_fail(err, WT_INVALID, "the function %s has no code of its own: it was inlined",
                       name);
    const struct wt_type *type = wt_types_read(wt_info_types(f->info), &f->die);
    *o = wt_operand_memory(type, 0, wt_build_constant(&c->build, start + f->bias));
    return WT_OK;
}

static enum wt_status compile_found(struct compiler *c, struct wt_found *f, const char *name,
                                    struct wt_operand *o, struct wt_error *err)
{
    Dwarf_Attribute attribute;
    int64_t value;
    switch (f->kind) {
    case WT_FOUND_VARIABLE:
        return wt_compile_variable(c, &f->die, f->info, f->bias, f->is_local, o, err);
    case WT_FOUND_FUNCTION:
        return compile_function(c, f, name, o, err);
    case WT_FOUND_ENUMERATOR:
        if (!dwarf_attr(&f->die, DW_AT_const_value, &attribute) ||
            !wt_attribute_number(&attribute, &value))
            return wt_fail(err, WT_INVALID, "the enumerator %s has no value", name);
        *o = wt_operand_cell(f->type.addr ? wt_types_read(wt_info_types(f->info), &f->type)
                                          : basic(c, "int"),
                             wt_build_constant(&c->build, (uint64_t)value));
        return WT_OK;
    default:
        *o = wt_operand_memory(f->is_code ? &no_function_type : &no_type, 0,
                               wt_build_constant(&c->build, f->address));
        return WT_OK;
    }
}

static enum wt_status compile_name(struct compiler *c, const char *name, struct wt_operand *o,
                                   struct wt_error *err)
{
    struct wt_found f;
    const bool found = wt_source_find(c->scope, name, &f);
    /* A method's code names members of its object without a prefix. */
    if ((!found || !f.is_local) && c->scope->frame && strcmp(name, "this") != 0 &&
        wt_source_is_cplusplus(c->scope)) {
        struct wt_operand object;
        struct wt_found self;
        const bool before = c->names_local;
        if (wt_source_find(c->scope, "this", &self) && self.is_local &&
            wt_compile_variable(c, &self.die, self.info, self.bias, true, &object, err) == WT_OK &&
            dereference(c, &object, &object, err) == WT_OK &&
            compile_member(c, &object, name, o, err) == WT_OK)
            return WT_OK;
        c->names_local = before;
    }
    if (found)
        return compile_found(c, &f, name, o, err);
    if (wt_source_is_cplusplus(c->scope) &&
        (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)) {
        *o = wt_operand_cell(basic(c, "bool"), wt_build_constant(&c->build, name[0] == 't'));
        return WT_OK;
    }
    if (c->named_parameter(c, name, o))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "No symbol \"%s\" in current context.", name);
}

/* ---- what a language calls the coordinates of work-items ---- */

/* A number of the lane's work: a register that the debugger adds, or a number computed from such
 * registers. */
enum work_number { WORK_ITEM, WORK_GROUP, WORK_BLOCK, WORK_GRID, WORK_GROUPS, WORK_GLOBAL_ITEM };

static enum wt_status work_register(struct compiler *c, const char *kind, unsigned axis,
                                    wt_expr_vector *v, struct wt_error *err)
{
    char name[20];
    struct wt_operand o;
    snprintf(name, sizeof name, "_%s_%c", kind, 'x' + (int)axis);
    const int index = register_index(c->build.topology, name);
    if (index < 0)
        return wt_fail(err, WT_UNSUPPORTED, "the device does not tell which work-item a lane is");
    if (!c->scope->thread && !c->beside)
        return wt_fail(err, WT_STATE, "No registers.");
    enum wt_status status =
        wt_frames_register(&c->build, c->scope->frame, (unsigned)index, &o, err);
    o.type = integer(c, 4, false);
    return status ? status : wt_operand_cell_of(&c->build, &o, v, err);
}

static enum wt_status compile_work(struct compiler *c, enum work_number number, unsigned axis,
                                   const struct wt_type *type, struct wt_operand *o,
                                   struct wt_error *err)
{
    static const char *const kinds[] = {
        [WORK_ITEM] = "item", [WORK_GROUP] = "group", [WORK_BLOCK] = "block",
        [WORK_GRID] = "grid", [WORK_GROUPS] = "grid", [WORK_GLOBAL_ITEM] = "group"};
    wt_expr_vector v = 0, block = 0, item = 0;
    enum wt_status status = work_register(c, kinds[number], axis, &v, err);
    if (!status && number >= WORK_GROUPS)
        status = work_register(c, "block", axis, &block, err);
    if (!status && number == WORK_GROUPS) {
        const wt_expr_vector one = wt_build_constant(&c->build, 1);
        if ((status = wt_build_op(&c->build, WT_EXPR_ADD, 0, v, block, &v, err)) == WT_OK &&
            (status = wt_build_op(&c->build, WT_EXPR_SUB, 0, v, one, &v, err)) == WT_OK)
            status = wt_build_op(&c->build, WT_EXPR_DIV_UNSIGNED, 0, v, block, &v, err);
    } else if (!status && number == WORK_GLOBAL_ITEM) {
        if ((status = work_register(c, "item", axis, &item, err)) == WT_OK &&
            (status = wt_build_op(&c->build, WT_EXPR_MUL, 0, v, block, &v, err)) == WT_OK)
            status = wt_build_op(&c->build, WT_EXPR_ADD, 0, v, item, &v, err);
    }
    if (!status)
        *o = wt_operand_cell(type, v);
    return status;
}

/* HIP's and CUDA's variables of work; a local variable of the name hides one. */
static const struct work_name {
    const char *name, *type;
    enum work_number number;
} work_names[] = {{"threadIdx", "uint3", WORK_ITEM},
                  {"blockIdx", "uint3", WORK_GROUP},
                  {"blockDim", "dim3", WORK_BLOCK},
                  {"gridDim", "dim3", WORK_GROUPS}};

static const struct work_name *find_work(struct compiler *c, const char *name)
{
    struct wt_found found;
    for (size_t i = 0; i < sizeof work_names / sizeof work_names[0]; i++)
        if (c->build.topology->has_grid && strcmp(work_names[i].name, name) == 0 &&
            !(wt_source_find(c->scope, name, &found) && found.is_local))
            return &work_names[i];
    return NULL;
}

/* threadIdx.x and the like; *is_work: it is one of them. */
static enum wt_status compile_coordinate(struct compiler *c, const struct wt_node *n,
                                         struct wt_operand *o, bool *is_work, struct wt_error *err)
{
    const bool is_axis = strlen(n->text) == 1 && *n->text >= 'x' && *n->text <= 'z';
    const struct work_name *w =
        n->a->kind == WT_NODE_NAME && is_axis ? find_work(c, n->a->text) : NULL;
    *is_work = w != NULL;
    return w ? compile_work(c, w->number, (unsigned)(*n->text - 'x'), integer(c, 4, false), o, err)
             : WT_OK;
}

/* threadIdx and the like as a whole, and warpSize; *is_work: it is one of them. */
static enum wt_status compile_work_name(struct compiler *c, const char *name, struct wt_operand *o,
                                        bool *is_work, struct wt_error *err)
{
    const struct work_name *w = find_work(c, name);
    const struct wt_type *element = integer(c, 4, false);
    enum wt_status status = WT_OK;
    struct wt_found found;
    const bool is_size = c->build.topology->has_grid && strcmp(name, "warpSize") == 0 &&
                         !(wt_source_find(c->scope, name, &found) && found.is_local);
    *is_work = w || is_size;
    if (is_size)
        *o = wt_operand_cell(integer(c, 4, true),
                             wt_build_constant(&c->build, c->build.topology->lanes));
    if (!w)
        return WT_OK;
    struct wt_operand whole = {.type = wt_types_triple(c->build.types, w->type, element),
                               .piece_count = 3};
    for (unsigned axis = 0; axis < 3 && !status; axis++) {
        struct wt_operand one;
        status = compile_work(c, w->number, axis, element, &one, err);
        if (!status)
            whole.piece[axis] = one.piece[0];
    }
    if (!status)
        *o = whole;
    return status;
}

/* OpenCL's get_global_id(0) and the like. */
static enum wt_status compile_work_call(struct compiler *c, const struct wt_node *n,
                                        struct wt_operand *o, bool *is_work, struct wt_error *err)
{
    static const struct {
        const char *name;
        enum work_number number;
    } names[] = {{"get_local_id", WORK_ITEM},        {"get_group_id", WORK_GROUP},
                 {"get_local_size", WORK_BLOCK},     {"get_enqueued_local_size", WORK_BLOCK},
                 {"get_global_size", WORK_GRID},     {"get_num_groups", WORK_GROUPS},
                 {"get_global_id", WORK_GLOBAL_ITEM}};
    struct wt_operand axis;
    wt_expr_vector cell = 0;
    uint64_t value;
    *is_work = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && c->build.topology->has_grid; i++) {
        if (n->a->kind != WT_NODE_NAME || strcmp(names[i].name, n->a->text) != 0)
            continue;
        *is_work = true;
        enum wt_status status =
            n->b && !n->b->next ? compile(c, n->b, &axis, err)
                                : wt_fail(err, WT_INVALID, "%s() takes a dimension, as in %s(0)",
                                          n->a->text, n->a->text);
        if (!status)
            status = wt_compile_number(c, &axis, integer(c, 8, false), &cell, err);
        if (status)
            return status;
        if (!wt_expr_is_constant(c->build.expr, cell, &value) || value > 2)
            return wt_fail(err, WT_INVALID, "a dimension is 0, 1 or 2");
        return compile_work(c, names[i].number, (unsigned)value, basic(c, "unsigned long"), o, err);
    }
    return WT_OK;
}

static enum wt_status compile_space(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand *o, struct wt_error *err)
{
    const struct wt_topology *t = c->scope->source->topology;
    wt_expr_vector address;
    for (size_t i = 0; i < t->space_count; i++) {
        if (strcmp(t->spaces[i].name, n->text) != 0)
            continue;
        enum wt_status status = compile(c, n->a, o, err);
        if (!status)
            status = wt_compile_number(c, o, integer(c, 8, false), &address, err);
        if (status)
            return status;
        *o = wt_operand_cell(wt_types_pointer(c->build.types, basic(c, "int")), address);
        o->piece[0].space = (uint32_t)i;
        return make_generic(c, o, err);
    }
    char names[128] = "";
    for (size_t i = 0; i < t->space_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 t->spaces[i].name);
    return wt_fail(err, WT_INVALID, "there is no address space '%s': the device has %s", n->text,
                   names);
}

/* ---- the tree ---- */

static bool member_pointer(struct compiler *c, const struct wt_node *n, struct wt_operand *o);

static enum wt_status compile_unary(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand *o, struct wt_error *err)
{
    struct wt_operand a;
    wt_expr_vector cell;
    if (n->op == '&' && wt_source_is_cplusplus(c->scope) && member_pointer(c, n, o))
        return WT_OK;
    enum wt_status status = compile(c, n->a, &a, err);
    if (status)
        return status;
    switch (n->op) {
    case '*':
        if (wt_type_plain(a.type)->kind == WT_TYPE_MEMBER)
            return wt_fail(err, WT_INVALID,
                           "Attempt to dereference pointer to member without an object");
        return dereference(c, &a, o, err);
    case '&':
        return address_of(c, &a, o, err);
    case '!':
        if ((status = wt_compile_truth(c, &a, &cell, err)) != WT_OK ||
            (status = invert(c, &cell, err)) != WT_OK)
            return status;
        *o = wt_operand_cell(truth_type(c), cell);
        return WT_OK;
    default:
        break;
    }
    if ((status = need_number(&a, err)) != WT_OK)
        return status;
    const struct wt_type *type = promoted(c, a.type);
    if (wt_type_is_wide(type)) {
        const struct wt_operand other = wt_operand_cell(
            integer(c, 8, true), wt_build_constant(&c->build, n->op == '-' ? 0 : UINT64_MAX));
        /* -x is 0 - x, and ~x is -1 ^ x. */
        if (n->op == '-' || n->op == '~')
            return arithmetic_wide(c, n->op == '-' ? '-' : '^', &other, &a, type, o, err);
        *o = a;
        return WT_OK;
    }
    if ((status = wt_compile_number(c, &a, type, &cell, err)) != WT_OK)
        return status;
    const unsigned bits = (unsigned)wt_type_size(type) * 8;
    const bool is_float = type->kind == WT_TYPE_FLOAT;
    if (n->op == '-')
        status = is_float ? wt_build_op(&c->build, WT_EXPR_F_NEGATE, bits, cell, cell, &cell, err)
                          : wt_build_op(&c->build, WT_EXPR_SUB, 0, wt_build_constant(&c->build, 0),
                                        cell, &cell, err);
    else if (n->op == '~')
        status = is_float ? wt_fail(err, WT_INVALID,
                                    "Argument to complement operation not an "
                                    "integer, boolean.")
                          : wt_build_op(&c->build, WT_EXPR_NOT, 0, cell, cell, &cell, err);
    return status ? status : finish_number(c, type, cell, o, err);
}

static enum wt_status compile_integer(struct compiler *c, const void *what, struct wt_operand *o,
                                      struct wt_error *err)
{
    const struct wt_type *type = integer(c, 8, true);
    wt_expr_vector cell = 0;
    enum wt_status status = compile(c, what, o, err);
    if (!status && !wt_type_is_integral(wt_type_plain(o->type)))
        return wt_fail(err, WT_INVALID, "a bound must be an integer");
    if (!status)
        status = wt_compile_number(c, o, type, &cell, err);
    *o = wt_operand_cell(type, cell);
    return status;
}

enum wt_status wt_compile_bound(struct compiler *c, const struct wt_node *n, int64_t *bound,
                                struct wt_error *err)
{
    struct wt_operand o;
    uint64_t constant;
    enum wt_status status = compile_integer(c, n, &o, err);
    if (status)
        return status;
    if (wt_expr_is_constant(c->build.expr, o.piece[0].vector, &constant)) {
        *bound = (int64_t)constant;
        return WT_OK;
    }
    if (c->beside)
        return wt_fail(err, WT_UNSUPPORTED, "in a condition the bounds of a slice are constants");
    return c->number(c->scope, compile_integer, n, c->lanes, bound, err);
}

static enum wt_status compile_slice(struct compiler *c, const struct wt_node *n,
                                    struct wt_operand array, struct wt_operand *o,
                                    struct wt_error *err)
{
    int64_t a, b;
    enum wt_status status;
    if ((status = wt_compile_bound(c, n->b, &a, err)) != WT_OK ||
        (status = wt_compile_bound(c, n->c, &b, err)) != WT_OK)
        return status;
    const struct wt_operand first =
        wt_operand_cell(integer(c, 8, true), wt_build_constant(&c->build, (uint64_t)a));
    if (b < a || (uint64_t)b - (uint64_t)a >= 1u << 20)
        return wt_fail(err, WT_INVALID, "a slice has from 1 to 1048576 elements");
    if (wt_type_plain(array.type)->stride)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the array's elements do not lie one behind the other: write a(%" PRId64
                       ":%" PRId64 ")",
                       a, b);
    if ((status = element(c, &array, &first, o, err)) != WT_OK)
        return status;
    const struct wt_type *type =
        wt_types_array(c->build.types, o->type, (uint64_t)b - (uint64_t)a + 1);
    if (!wt_operand_in_memory(o)) {
        const uint64_t size = wt_type_size(o->type);
        const struct wt_type *plain = wt_type_plain(array.type);
        if ((uint64_t)b - (uint64_t)plain->lower >= plain->count)
            return wt_fail(err, WT_INVALID, "no such vector element");
        return wt_operand_part(&c->build, &array, ((uint64_t)a - (uint64_t)plain->lower) * size,
                               type, o, err);
    }
    *o = wt_operand_memory(type, o->piece[0].space, o->piece[0].vector);
    return WT_OK;
}

/* The way from a class to one of its base classes; false: it is none. */
static bool find_base(const struct wt_type *derived, const struct wt_type *base, struct way *way)
{
    size_t count;
    const struct wt_member *m = wt_type_members(derived, &count);
    for (size_t i = 0; i < count && way->count < MOST_STEPS; i++) {
        const struct wt_type *plain = wt_type_plain(m[i].type);
        if (!m[i].is_base || !wt_type_is_record(plain))
            continue;
        way->step[way->count++] = &m[i];
        if (plain == base || find_base(plain, base, way))
            return true;
        way->count--;
    }
    return false;
}

/* A pointer that is converted to one to a base class, or to a derived class, moves. */
static enum wt_status move_pointer(struct compiler *c, const struct wt_type *from,
                                   const struct wt_type *to, uint32_t space,
                                   wt_expr_vector *address, struct wt_error *err)
{
    const struct wt_type *a = wt_type_plain(wt_type_target(from));
    const struct wt_type *b = wt_type_plain(wt_type_target(to));
    struct way way = {.count = 0};
    if (!wt_type_is_record(a) || !wt_type_is_record(b) || a == b)
        return WT_OK;
    if (find_base(a, b, &way)) {
        struct wt_operand object = wt_operand_memory(a, space, *address);
        enum wt_status status = take_way(c, &way, &object, err);
        *address = object.piece[0].vector;
        return status;
    }
    if (!find_base(b, a, &way))
        return WT_OK;
    uint64_t offset = 0;
    for (unsigned i = 0; i < way.count; i++) {
        if (way.step[i]->is_virtual)
            return wt_fail(err, WT_UNSUPPORTED,
                           "a pointer to a virtual base does not tell where the object begins");
        offset += way.step[i]->offset;
    }
    return wt_build_op(&c->build, WT_EXPR_SUB, 0, *address, wt_build_constant(&c->build, offset),
                       address, err);
}

/* Whether it is a pointer to a member that is no method: a number of bytes. */
static bool is_offset(const struct wt_operand *o)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    return plain->kind == WT_TYPE_MEMBER &&
           wt_type_plain(wt_type_target(plain))->kind != WT_TYPE_FUNCTION;
}

/* a.*b, a->*b: the class of the member may be a base of the object's. */
static enum wt_status pointed_member(struct compiler *c, bool arrow, const struct wt_operand *a,
                                     const struct wt_operand *b, struct wt_operand *o,
                                     struct wt_error *err)
{
    struct wt_operand object = *a, offset = *b;
    wt_expr_vector place;
    struct way way = {.count = 0};
    enum wt_status status = arrow ? dereference(c, a, &object, err) : WT_OK;
    if (status)
        return status;
    if (wt_type_plain(b->type)->kind != WT_TYPE_MEMBER)
        return wt_fail(err, WT_INVALID, "Not a pointer-to-member value.");
    if (!is_offset(b))
        return wt_fail(err, WT_UNSUPPORTED, "a method is called: that cannot be done here");
    const struct wt_type *class = wt_type_plain(object.type);
    const struct wt_type *owner = wt_type_plain(wt_type_plain(b->type)->owner);
    if (class != owner && (!wt_type_is_record(class) || !find_base(class, owner, &way)))
        return wt_fail(err, WT_INVALID, "the pointer is to a member of another class");
    if ((status = take_way(c, &way, &object, err)) != WT_OK)
        return status;
    if (!wt_operand_in_memory(&object))
        return wt_fail(err, WT_UNSUPPORTED, "the object is not in memory");
    offset.type = integer(c, wt_types_address_size(c->build.types), true);
    if ((status = wt_operand_cell_of(&c->build, &offset, &place, err)) != WT_OK ||
        (status = wt_build_op(&c->build, WT_EXPR_ADD, 0, object.piece[0].vector, place, &place,
                              err)) != WT_OK)
        return status;
    *o = wt_operand_memory(wt_type_target(wt_type_plain(b->type)), object.piece[0].space, place);
    return WT_OK;
}

/* &Class::member; false: the name is none of a class's members. */
static bool member_pointer(struct compiler *c, const struct wt_node *n, struct wt_operand *o)
{
    const char *name = n->a->kind == WT_NODE_NAME ? strrchr(n->a->text, ':') : NULL;
    struct wt_found found;
    struct way way = {.count = 0};
    const struct wt_member *member = NULL;
    uint64_t offset = 0;
    if (!name || name - n->a->text < 2 || wt_source_find(c->scope, n->a->text, &found))
        return false;
    char *class = strndup(n->a->text, (size_t)(name - n->a->text) - 1);
    const struct wt_type *type =
        class ? wt_source_find_type((void *)(uintptr_t)c->scope, class) : NULL;
    free(class);
    if (!type || !wt_type_is_record(wt_type_plain(type)) ||
        !find_member(wt_type_plain(type), name + 1, &way, &member) || member->bit_size)
        return false;
    for (unsigned i = 0; i < way.count; i++) {
        if (way.step[i]->is_virtual)
            return false;
        offset += way.step[i]->offset;
    }
    *o = wt_operand_cell(wt_types_member_pointer(c->build.types, type, member->type),
                         wt_build_constant(&c->build, offset + member->offset));
    return true;
}

static enum wt_status compile_cast(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    struct wt_operand a;
    const struct wt_type *plain = wt_type_plain(n->type);
    enum wt_status status = compile(c, n->a, &a, err);
    if (status)
        return status;
    const struct wt_type *from = wt_type_plain(a.type);
    if (a.type == &no_type || (plain == from && plain->kind != WT_TYPE_VOID) ||
        (!wt_type_is_scalar(plain) && wt_operand_in_memory(&a) &&
         wt_type_size(plain) == wt_type_size(from))) {
        *o = a;
        o->type = n->type;
        o->reference = NULL;
        if (wt_operand_in_memory(o))
            o->piece[0].size = wt_type_size(n->type);
        return WT_OK;
    }
    struct way way = {.count = 0};
    if (wt_type_is_record(plain) && wt_type_is_record(from) && find_base(from, plain, &way)) {
        *o = a;
        if ((status = take_way(c, &way, o, err)) == WT_OK)
            o->type = n->type;
        return status;
    }
    if (is_pointer(&a) && wt_type_is_scalar(plain)) {
        const struct wt_type *target;
        wt_expr_vector address;
        uint32_t space;
        if ((status = pointer_of(c, &a, &target, &address, &space, err)) != WT_OK)
            return status;
        if (plain->kind == WT_TYPE_POINTER && from->kind == WT_TYPE_POINTER &&
            (status = move_pointer(c, from, plain, space, &address, err)) != WT_OK)
            return status;
        a = wt_operand_cell(integer(c, wt_types_address_size(c->build.types), false), address);
        status = wt_operand_convert(&c->build, &a, n->type, o, err);
        o->piece[0].space = plain->kind == WT_TYPE_POINTER ? space : 0;
        return status;
    }
    if (!wt_type_is_scalar(plain) || !wt_type_is_scalar(from))
        return wt_fail(err, WT_INVALID, "Invalid cast.");
    return wt_operand_convert(&c->build, &a, n->type, o, err);
}

static enum wt_status compile_call(struct compiler *c, const struct wt_node *n,
                                   struct wt_operand *o, struct wt_error *err)
{
    const enum reduction kind = n->a->kind == WT_NODE_NAME ? reduction_of(n->a->text) : R_NONE;
    struct wt_operand function;
    bool is_work;
    /* With several values, min and max are Fortran's. */
    if (kind != R_NONE && !(n->b && n->b->next && wt_source_is_fortran(c->scope)))
        return reduce(c, n, kind, o, err);
    enum wt_status status = compile_work_call(c, n, o, &is_work, err);
    if (!status && !is_work)
        status = c->intrinsic(c, n, o, &is_work, err);
    if (status || is_work)
        return status;
    status = compile(c, n->a, &function, err);
    if (status)
        return status;
    const struct wt_type *plain = wt_type_plain(function.type);
    if (plain->kind == WT_TYPE_ARRAY && !plain->is_vector)
        return c->section(c, n, &function, o, err);
    return wt_fail(err, WT_UNSUPPORTED,
                   "functions of the program cannot be called from an expression: a wave has one "
                   "pc for all of its lanes. Set a breakpoint in the function instead");
}

static enum wt_status compile_string(struct compiler *c, const struct wt_node *n,
                                     struct wt_operand *o, struct wt_error *err)
{
    const uint64_t size = n->value + 1;
    if (size > 8 * WT_PIECES)
        return wt_fail(err, WT_UNSUPPORTED, "a string of more than %d characters is not supported",
                       8 * WT_PIECES - 1);
    *o = constant_bytes(c, wt_types_array(c->build.types, basic(c, "char"), size),
                        (const uint8_t *)n->text, size);
    return WT_OK;
}

static enum wt_status compile(struct compiler *c, const struct wt_node *n, struct wt_operand *o,
                              struct wt_error *err)
{
    struct wt_operand a, b;
    bool is_work;
    enum wt_status status = WT_OK;
    if (++c->depth > MOST_DEPTH)
        return wt_fail(err, WT_INVALID, "the expression is nested too deeply");
    if (++c->scope->source->work > MOST_WORK)
        return wt_fail(err, WT_UNSUPPORTED, "the expression is too long; split it");
    switch (n->kind) {
    case WT_NODE_NUMBER:
        *o = wt_operand_cell(n->type, wt_build_constant(&c->build, n->value));
        break;
    case WT_NODE_STRING:
        status = compile_string(c, n, o, err);
        break;
    case WT_NODE_NAME:
        status = compile_work_name(c, n->text, o, &is_work, err);
        if (!status && !is_work)
            status = compile_name(c, n->text, o, err);
        break;
    case WT_NODE_DOLLAR:
        status = compile_dollar(c, n, o, err);
        break;
    case WT_NODE_MEMBER:
        status = compile_coordinate(c, n, o, &is_work, err);
        if (status || is_work)
            break;
        /* fall through */
    case WT_NODE_ARROW:
        status = compile(c, n->a, &a, err);
        /* Both operators apply to both kinds, as in GDB. */
        if (!status && wt_type_plain(a.type)->kind == WT_TYPE_POINTER)
            status = dereference(c, &a, &a, err);
        if (!status)
            status = compile_member(c, &a, n->text, o, err);
        break;
    case WT_NODE_INDEX:
        status = compile(c, n->a, &a, err);
        if (!status)
            status = compile(c, n->b, &b, err);
        if (!status)
            status = element(c, &a, &b, o, err);
        break;
    case WT_NODE_SLICE:
        status = compile(c, n->a, &a, err);
        if (!status)
            status = compile_slice(c, n, a, o, err);
        break;
    case WT_NODE_SECTION:
        status = wt_fail(err, WT_INVALID, "a range stands behind an array only");
        break;
    case WT_NODE_CALL:
        status = compile_call(c, n, o, err);
        break;
    case WT_NODE_CAST:
        status = compile_cast(c, n, o, err);
        break;
    case WT_NODE_SIZEOF: {
        const struct wt_type *type = n->a->type;
        if (n->a->kind != WT_NODE_TYPE)
            status = type_of(c, n->a, &type, err);
        if (!status)
            *o = wt_operand_cell(basic(c, "unsigned long"),
                                 wt_build_constant(&c->build, wt_type_size(type)));
        break;
    }
    case WT_NODE_UNARY:
        status = compile_unary(c, n, o, err);
        break;
    case WT_NODE_BINARY:
        if (n->op == WT_OP_AND || n->op == WT_OP_OR) {
            status = logic(c, n, o, err);
            break;
        }
        status = compile(c, n->a, &a, err);
        if (!status)
            status = compile(c, n->b, &b, err);
        if (!status && (n->op == WT_OP_MEMBER || n->op == WT_OP_ARROW_MEMBER)) {
            status = pointed_member(c, n->op == WT_OP_ARROW_MEMBER, &a, &b, o, err);
            break;
        }
        if (!status && is_offset(&a) && is_offset(&b) && (n->op == WT_OP_EQ || n->op == WT_OP_NE))
            a.type = b.type = integer(c, wt_types_address_size(c->build.types), true);
        if (!status)
            status = arithmetic(c, n->op, &a, &b, o, err);
        break;
    case WT_NODE_CONDITION:
        status = conditional(c, n, o, err);
        break;
    case WT_NODE_ASSIGN:
        status = wt_fail(err, WT_UNSUPPORTED,
                         "an assignment must stand by itself, not within an "
                         "expression");
        break;
    case WT_NODE_COMMA:
        status = compile(c, n->a, &a, err);
        if (!status)
            status = compile(c, n->b, o, err);
        break;
    case WT_NODE_LANES:
        status = select_lanes(c, n, o, err);
        break;
    case WT_NODE_SPACE:
        status = compile_space(c, n, o, err);
        break;
    case WT_NODE_TYPE:
        if (!c->types_only)
            status = wt_fail(err, WT_INVALID, "Attempt to use a type name as an expression.");
        *o = lost(n->type);
        break;
    }
    c->depth--;
    return status;
}

bool wt_compile_is_untyped(const struct wt_operand *o)
{
    return o->type == &no_type;
}

enum wt_status wt_compile_node(struct compiler *c, const struct wt_node *node, struct wt_operand *o,
                               struct wt_error *err)
{
    return compile(c, node, o, err);
}
