/* Compiles where values are: variables, members. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/compile.h"
#include "debug/source/symbols.h"

const struct wt_type *wt_compile_basic(struct compiler *c, const char *name)
{
    return wt_types_basic(c->build.types, name);
}

const struct wt_type *wt_compile_integer(struct compiler *c, unsigned size, bool is_signed)
{
    return wt_types_integer(c->build.types, size, is_signed);
}

const struct wt_type *wt_compile_truth_type(struct compiler *c)
{
    const bool has_bool = wt_source_is_cplusplus(c->scope) || wt_source_is_fortran(c->scope);
    return wt_compile_basic(c, has_bool ? "bool" : "int");
}

/* The type of data that is known only by an ELF symbol. */
const struct wt_type wt_compile_no_type = {
    .kind = WT_TYPE_VOID, .name = "<data variable, no debug info>", .size = 4, .read = true};

/* ---- variables ---- */

/* Whether a type is a scalar, or nothing but one. */
static bool is_one_scalar(const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    const uint64_t size = wt_type_size(plain);
    for (unsigned depth = 0; depth < 16 && !wt_type_is_scalar(plain); depth++) {
        size_t count = 0;
        const struct wt_member *member =
            wt_type_is_record(plain) ? wt_type_members(plain, &count) : NULL;
        if (count != 1 && plain->kind != WT_TYPE_ARRAY)
            return false;
        plain = wt_type_plain(member ? member->type : wt_type_target(plain));
    }
    return wt_type_is_scalar(plain) && wt_type_size(plain) == size;
}

/* Clang gives the constant of one member, where all others have been removed, as the number of the
 * whole structure or array. It does not say of which member. */
static bool is_number_of_a_part(Dwarf_Die *die, const struct wt_type *type)
{
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, NULL, NULL) && wt_clang_version(&unit) && !is_one_scalar(type);
}

static enum wt_status constant_value(struct compiler *c, Dwarf_Die *die, Dwarf_Attribute *attribute,
                                     const struct wt_type *type, struct wt_operand *o,
                                     struct wt_error *err)
{
    int64_t word;
    Dwarf_Block block;
    const uint64_t size = wt_type_size(type);
    if (size <= 8 && wt_attribute_number(attribute, &word)) {
        if (is_number_of_a_part(die, type)) {
            *o = wt_compile_lost(type);
            return WT_OK;
        }
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

struct wt_operand wt_compile_lost(const struct wt_type *type)
{
    return (struct wt_operand){
        .type = type,
        .piece_count = 1,
        .piece = {{.kind = WT_PIECE_LOST, .reg = -1, .size = wt_type_size(type)}}};
}

/*
 * Intel's compiler gives the registers of some members of a structure, but not where in the
 * structure they are: the pieces are then fewer than the structure has bytes.
 */
static bool is_too_short(const struct compiler *c, const struct wt_operand *o, uint64_t size)
{
    uint64_t known = 0;
    for (unsigned i = 0; i < o->piece_count; i++) {
        known += o->piece[i].size;
        if (o->piece[i].kind != WT_PIECE_CELL)
            return false;
    }
    return c->build.topology && c->build.topology->file_space && known < size;
}

/*
 * Intel's compiler gives a member's constant, widened to 8 bytes, as the value of the whole
 * structure or array: of which member is not said.
 */
static bool is_constant_of_a_part(const struct compiler *c, const Dwarf_Op *ops, size_t count,
                                  const struct wt_type *type)
{
    return count == 1 && ops->atom == DW_OP_implicit_value && ops->number <= 8 &&
           c->build.topology && c->build.topology->file_space &&
           !wt_type_is_scalar(wt_type_plain(type));
}

/* Bytes of an object behind its last piece have no place. A location without DW_OP_piece has one
 * piece of the object's size, or of a register's. */
static void end_with_lost_part(struct wt_operand *o, uint64_t size)
{
    uint64_t known = 0;
    for (unsigned i = 0; i < o->piece_count; i++)
        known += o->piece[i].size;
    if (known < size && o->piece_count && o->piece_count < WT_PIECES)
        o->piece[o->piece_count++] =
            (struct wt_piece){.kind = WT_PIECE_LOST, .reg = -1, .size = size - known};
}

static bool has_lost_part(const struct wt_operand *o)
{
    for (unsigned i = 0; i < o->piece_count; i++)
        if (o->piece[i].kind == WT_PIECE_LOST)
            return true;
    return false;
}

bool wt_compile_is_lost(const struct wt_operand *o)
{
    for (unsigned i = 0; i < o->piece_count; i++)
        if (o->piece[i].kind != WT_PIECE_LOST)
            return false;
    return true;
}

uint32_t wt_source_space_of(const struct wt_topology *t, const struct wt_type *plain)
{
    for (uint32_t i = 0; plain->address_class && i < t->space_count; i++)
        if ((unsigned)t->spaces[i].clang == plain->address_class)
            return i;
    return 0;
}

/* Turns a pointer into a space that space 0 can also reach into a pointer of space 0, as the
 * program uses it. */
enum wt_status wt_compile_make_generic(struct compiler *c, struct wt_operand *pointer,
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
enum wt_status wt_compile_follow_reference(struct compiler *c, struct wt_operand *o,
                                           struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    wt_expr_vector address;
    const struct wt_type *reference = o->type;
    if (plain->kind != WT_TYPE_REFERENCE)
        return WT_OK;
    if (wt_compile_is_lost(o)) {
        *o = wt_compile_lost(wt_type_target(plain));
        o->reference = reference;
        return WT_OK;
    }
    enum wt_status status = wt_operand_cell_of(&c->build, o, &address, err);
    if (!status)
        *o = wt_operand_memory(wt_type_target(plain), wt_source_space_of(c->build.topology, plain),
                               address);
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
    char *name = wt_type_text(is_array ? wt_type_target(plain) : o->type);
    if (!name)
        return wt_fail(err, WT_NO_MEMORY, "out of memory");
    wt_fail(err, WT_UNSUPPORTED,
            "the debug information does not say where %s lies: the compiler writes %s for each "
            "variable in %s memory; with its address, (%s *)ADDRESS points to it",
            dwarf_diename(die), wt_compile_is_without_address(die) ? "no address" : "0",
            space->name, name);
    free(name);
    return WT_UNSUPPORTED;
}

/* Likewise of a variable that has no location at all. */
static enum wt_status without_address(struct compiler *c, Dwarf_Die *die, struct wt_info *info,
                                      const struct wt_type *type, struct wt_operand *o,
                                      struct wt_error *err)
{
    uint32_t space;
    *o = wt_compile_lost(type);
    if (!wt_compile_group_space(c, &space))
        return WT_OK;
    *o = wt_operand_memory(type, space, wt_build_constant(&c->build, 0));
    return place_in_group(c, die, info, o, err);
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
    *o = wt_operand_cell(wt_compile_integer(c, 8, true), address);
    return status;
}

/* No place of a variable is known. A parameter may stand where the launch or the call put it. */
static enum wt_status without_place(struct compiler *c, Dwarf_Die *die, const struct wt_type *type,
                                    bool is_local, struct wt_operand *o, struct wt_error *err)
{
    if (!is_local || !c->parameter(c, die, type, o))
        *o = wt_compile_lost(type);
    return wt_compile_follow_reference(c, o, err);
}

/* A pointer without a place of its own whose debug information names the variable it points to. */
static bool points_to_variable(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t count,
                               const struct wt_type *type, struct wt_operand *o)
{
    if (count != 1 ||
        (ops->atom != DW_OP_implicit_pointer && ops->atom != DW_OP_GNU_implicit_pointer))
        return false;
    *o = wt_compile_lost(type);
    o->pointee_offset = (int64_t)ops->number2;
    return dwarf_getlocation_die(attribute, ops, &o->pointee) == 0;
}

/* Marks what lies in the frame, of a variable with that location. */
static void mark_frame(const struct compiler *c, const Dwarf_Op *ops, size_t count,
                       struct wt_operand *o)
{
    bool looks = !c->build.uses_frame;
    for (size_t i = 0; i < count; i++)
        looks |= ops[i].atom == DW_OP_deref || ops[i].atom == DW_OP_deref_size;
    for (unsigned i = 0; i < o->piece_count; i++)
        o->piece[i].in_frame = !looks && o->piece[i].kind == WT_PIECE_MEMORY;
}

/*
 * Unoptimised code stores the parameters in its prologue; what a caller has put on a stack that
 * grows downwards is there before.
 */
static bool is_unstored(const struct compiler *c, Dwarf_Die *die, Dwarf_Attribute *attribute,
                        const Dwarf_Op *ops, size_t count)
{
    const struct wt_frame *frame = c->scope->frame;
    Dwarf_Die function;
    Dwarf_Block block;
    Dwarf_Addr start;
    if (dwarf_tag(die) != DW_TAG_formal_parameter || !frame || frame->inlined ||
        !frame->scope_count || dwarf_formblock(attribute, &block) != 0)
        return false;
    function = frame->scope[0];
    return dwarf_lowpc(&function, &start) == 0 &&
           frame->pc < wt_symbols_body(frame->symbols, start) + frame->bias &&
           (c->build.topology->begins_at_kernel || count != 1 || ops->atom != DW_OP_fbreg ||
            (int64_t)ops->number < 0);
}

/* Notes a variable whose declaration does not tell its type. */
static void note_guess(struct compiler *c, Dwarf_Die *die, const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    if (plain->kind == WT_TYPE_ARRAY)
        plain = wt_type_plain(wt_type_target(plain));
    if (!plain->is_guess)
        return;
    c->guess = dwarf_diename(die);
    c->guess_type = type;
}

enum wt_status wt_compile_check_guess(const struct compiler *c, const char *who,
                                      struct wt_error *err)
{
    const struct wt_values v = {.guess = c->guess, .guess_type = c->guess_type};
    char text[WT_VALUE_REASON];
    const char *guess = wt_values_guess(&v, text);
    if (!guess || wt_type_is_scalar(wt_type_plain(c->guess_type)))
        return WT_OK;
    return wt_fail(err, WT_INVALID, "the type of %s is not known, and %s cannot say so: %s",
                   c->guess, who, guess);
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
    note_guess(c, die, type);
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
        return constant_value(c, die, &attribute, type, o, err);
    if (wt_compile_is_without_address(die))
        return without_address(c, die, info, type, o, err);
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
    if (points_to_variable(&attribute, ops, count, type, o)) {
        free(own);
        return WT_OK;
    }
    const bool unstored = is_local && is_unstored(c, die, &attribute, ops, count);
    if (unstored && c->parameter(c, die, type, o)) {
        free(own);
        return wt_compile_follow_reference(c, o, err);
    }
    *o = wt_compile_lost(type);
    const bool of_a_part = is_constant_of_a_part(c, ops, count, type);
    struct wt_error why;
    const bool used = c->build.uses_frame;
    c->build.uses_frame = false;
    c->build.variable = die;
    if (!wt_dwarf_named(&attribute, at, &c->build.named, &c->build.named_end))
        c->build.named_end = 0;
    enum wt_status status = wt_build_location(&c->build, &attribute, ops, count,
                                              is_local ? frame : NULL, bias, size, o, &why);
    c->build.variable = NULL;
    mark_frame(c, ops, count, o);
    c->build.uses_frame |= used;
    free(own);
    o->type = type;
    for (unsigned i = 0; i < o->piece_count; i++)
        o->piece[i].unstored = unstored && o->piece[i].kind == WT_PIECE_MEMORY;
    if (status == WT_UNSUPPORTED && strstr(why.text, "optimized out"))
        return without_place(c, die, type, is_local, o, err);
    if (status) {
        *err = why;
        return status;
    }
    if (of_a_part || is_too_short(c, o, size))
        *o = wt_compile_lost(type);
    end_with_lost_part(o, size);
    if (is_local && has_lost_part(o) && c->parameter(c, die, type, o))
        return wt_compile_follow_reference(c, o, err);
    if (wt_compile_is_of_group(die) && (status = place_in_group(c, die, info, o, err)) != WT_OK)
        return status;
    /* A register may be wider than the value in it. */
    if (o->piece_count == 1 && o->piece[0].size > size && size)
        o->piece[0].size = size;
    status = wt_compile_follow_reference(c, o, err);
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

/* The member of this name, also in anonymous members and base classes; false if there is none. */
bool wt_compile_find_member(const struct wt_type *record, const char *name, struct way *way,
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
        if (wt_compile_find_member(inner, name, way, found))
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

enum wt_status wt_compile_take_way(struct compiler *c, const struct way *way, struct wt_operand *o,
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
        return wt_compile_found(c, &f, whole, o, err);
    for (size_t i = 0; i < count; i++)
        if (m[i].is_static && m[i].name && strcmp(m[i].name, name) == 0) {
            *o = wt_compile_lost(m[i].type); /* a constant that nothing has needed in memory */
            return WT_OK;
        }
    for (size_t i = 0; i < count && depth < 32; i++)
        if (m[i].is_base &&
            compile_class_member(c, wt_type_plain(m[i].type), name, depth + 1, o, err) == WT_OK)
            return WT_OK;
    return wt_fail(err, WT_INVALID, "There is no member named %s.", name);
}

/* The last "::" of a name, outside of templates' arguments; NULL: there is none. */
static const char *last_scope(const char *name)
{
    const char *last = NULL;
    unsigned depth = 0;
    for (; *name; name++) {
        depth += *name == '<';
        depth -= *name == '>' && depth;
        if (!depth && name[0] == ':' && name[1] == ':')
            last = name;
    }
    return last;
}

/* Whether a class is the one of a name: with some of its namespaces, and the arguments of its
 * template or none. */
static bool is_class(const struct wt_type *plain, const char *name, size_t length)
{
    for (const char *own = plain->name; own; own = strstr(own, "::")) {
        own += own != plain->name ? 2 : 0;
        if (strncmp(own, name, length) == 0 && (!own[length] || own[length] == '<'))
            return true;
    }
    return false;
}

/* The way from a class to itself or the base class of a name; false: none has it. */
static bool find_class(const struct wt_type *record, const char *name, size_t length,
                       struct way *way)
{
    size_t count;
    if (is_class(record, name, length))
        return true;
    const struct wt_member *m = wt_type_members(record, &count);
    for (size_t i = 0; i < count && way->count < MOST_STEPS; i++) {
        const struct wt_type *base = wt_type_plain(m[i].type);
        if (!m[i].is_base || !wt_type_is_record(base))
            continue;
        way->step[way->count++] = &m[i];
        if (find_class(base, name, length, way))
            return true;
        way->count--;
    }
    return false;
}

bool wt_compile_static(struct compiler *c, const char *name, struct wt_operand *o)
{
    const char *scope = last_scope(name);
    char *class = scope ? strndup(name, (size_t)(scope - name)) : NULL;
    const struct wt_type *type =
        class ? wt_source_find_type((void *)(uintptr_t)c->scope, class) : NULL;
    const struct wt_type *plain = type ? wt_type_plain(type) : NULL;
    free(class);
    return plain && wt_type_is_record(plain) &&
           compile_class_member(c, plain, scope + 2, 0, o, WT_IGNORED) == WT_OK;
}

enum wt_status wt_compile_member(struct compiler *c, const struct wt_operand *record,
                                 const char *name, struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(record->type);
    const struct wt_member *m;
    struct way way = {.count = 0};
    const char *scope = last_scope(name);
    if (wt_operand_is_component(record, name))
        return wt_operand_components(&c->build, record, name, o, err);
    if (!wt_type_is_record(plain))
        return wt_fail(err, WT_INVALID,
                       "Attempt to extract a component of a value that is not a structure.");
    struct wt_operand part = *record;
    if (scope && find_class(plain, name, (size_t)(scope - name), &way)) { /* Base::member */
        const enum wt_status taken = wt_compile_take_way(c, &way, &part, err);
        return taken ? taken : wt_compile_member(c, &part, scope + 2, o, err);
    }
    if (!wt_compile_find_member(plain, name, &way, &m))
        return compile_class_member(c, plain, name, 0, o, err);
    enum wt_status status = wt_compile_take_way(c, &way, &part, err);
    if (!status)
        status = take_member(c, &part, 0, m, o, err);
    return status ? status : wt_compile_follow_reference(c, o, err);
}

/* ---- lanes ---- */

struct wt_operand wt_compile_constant_bytes(struct compiler *c, const struct wt_type *type,
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
