/* Reads types from DWARF, and makes types. See types.h. */
#include "debug/source/types.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/language.h"

/* Chains of types in a damaged file may be long, or cyclic. */
#define MOST_DEPTH 100
#define MOST_PLAIN 64

struct type_block {
    struct type_block *next;
};

struct type_slot {
    const void *die; /* NULL: free */
    struct wt_type *type;
};

struct wt_types {
    wt_types_definition_fn *definition;
    wt_types_scope_fn *scope;
    void *context;
    unsigned address_size, class_size;
    struct type_block *blocks;
    struct type_slot *slot;
    size_t slot_count, used; /* a power of 2; 0 at first */
    unsigned depth;
};

static struct wt_type the_void = {.kind = WT_TYPE_VOID, .name = "void", .size = 1, .read = true};

struct wt_types *wt_types_new(wt_types_definition_fn *definition, wt_types_scope_fn *scope,
                              void *context, unsigned address_size)
{
    struct wt_types *t = calloc(1, sizeof *t);
    if (t) {
        t->definition = definition;
        t->scope = scope;
        t->context = context;
        t->address_size = t->class_size = address_size;
    }
    return t;
}

void wt_types_set_class_size(struct wt_types *t, unsigned bytes)
{
    t->class_size = bytes;
}

void wt_types_free(struct wt_types *t)
{
    if (!t)
        return;
    for (struct type_block *b = t->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(t->slot);
    free(t);
}

unsigned wt_types_address_size(const struct wt_types *types)
{
    return types->address_size;
}

static void *allocate(struct wt_types *t, size_t size)
{
    struct type_block *b = calloc(1, sizeof *b + size);
    if (!b)
        return NULL;
    b->next = t->blocks;
    t->blocks = b;
    return b + 1;
}

static struct wt_type *new_type(struct wt_types *t, enum wt_type_kind kind)
{
    struct wt_type *type = allocate(t, sizeof *type);
    if (type) {
        type->kind = kind;
        type->types = t;
        type->read = true;
    }
    return type;
}

/* ---- which DIEs have been read ---- */

static size_t place_of(const struct wt_types *t, const void *die)
{
    size_t at = (size_t)(((uintptr_t)die * 0x9e3779b97f4a7c15u) >> 20) & (t->slot_count - 1);
    while (t->slot[at].die && t->slot[at].die != die)
        at = (at + 1) & (t->slot_count - 1);
    return at;
}

static bool note(struct wt_types *t, const void *die, struct wt_type *type)
{
    if (t->used * 2 >= t->slot_count) {
        struct wt_types bigger = *t;
        bigger.slot_count = t->slot_count ? t->slot_count * 2 : 256;
        bigger.slot = calloc(bigger.slot_count, sizeof *bigger.slot);
        if (!bigger.slot)
            return false;
        for (size_t i = 0; i < t->slot_count; i++)
            if (t->slot[i].die)
                bigger.slot[place_of(&bigger, t->slot[i].die)] = t->slot[i];
        free(t->slot);
        *t = bigger;
    }
    t->slot[place_of(t, die)] = (struct type_slot){die, type};
    t->used++;
    return true;
}

/* ---- reading ---- */

/* GCC's names of integers, in the usual spelling. */
static const char *short_name(const char *name)
{
    static const char *const names[][2] = {{"short int", "short"},
                                           {"long int", "long"},
                                           {"long long int", "long long"},
                                           {"short unsigned int", "unsigned short"},
                                           {"long unsigned int", "unsigned long"},
                                           {"long long unsigned int", "unsigned long long"}};
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return name;
}

static void read_base(struct wt_type *type, Dwarf_Die *die)
{
    type->name = short_name(type->name);
    uint64_t encoding = DW_ATE_signed;
    wt_die_number(die, DW_AT_encoding, &encoding);
    switch (encoding) {
    case DW_ATE_boolean:
        type->kind = WT_TYPE_BOOL;
        break;
    case DW_ATE_float:
        type->kind = WT_TYPE_FLOAT;
        break;
    case DW_ATE_complex_float:
        type->kind = WT_TYPE_COMPLEX;
        break;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
        type->kind = type->size == 1 ? WT_TYPE_CHAR : WT_TYPE_INT;
        type->is_signed = encoding == DW_ATE_signed_char;
        break;
    case DW_ATE_UTF:
        type->kind = type->size == 1 ? WT_TYPE_CHAR : WT_TYPE_INT;
        break;
    default:
        type->kind = WT_TYPE_INT;
        type->is_signed = encoding == DW_ATE_signed;
        type->is_guess = encoding == DW_ATE_lo_user;
        break;
    }
}

/* The number of elements of a dimension; false if the program does not say, or computes it at run
 * time. */
static bool read_bounds(const struct wt_types *t, Dwarf_Die *range, int64_t *lower, uint64_t *count)
{
    int64_t upper;
    const bool has_lower = wt_die_signed_number(range, DW_AT_lower_bound, lower);
    if (!has_lower)
        *lower = wt_language_is_fortran(range);
    if (wt_die_number(range, DW_AT_count, count))
        return true;
    if (!wt_die_signed_number(range, DW_AT_upper_bound, &upper))
        return false;
    if (t->address_size == 4 && upper == UINT32_MAX) /* GCC's -1, of an array without elements */
        upper = -1;
    *count = upper >= *lower ? (uint64_t)upper - (uint64_t)*lower + 1 : 0;
    return true;
}

static uint64_t array_size(const struct wt_type *type)
{
    const uint64_t element = wt_type_size(type->target);
    if (!type->has_count || !element || type->count > UINT64_MAX / 4 / element)
        return 0;
    return element * type->count;
}

/* An array of several dimensions is an array of arrays. In C the first dimension is the outermost.
 * In Fortran the first index varies fastest, so it is the innermost. */
static void read_array(struct wt_types *t, struct wt_type *type, Dwarf_Die *die)
{
    struct {
        int64_t lower;
        uint64_t count;
        bool known;
    } dimension[16];
    unsigned count = 0;
    Dwarf_Die child;
    uint64_t ordering = DW_ORD_row_major;
    const bool column =
        (wt_die_number(die, DW_AT_ordering, &ordering) && ordering == DW_ORD_col_major) ||
        wt_language_is_fortran(die);
    type->is_vector = wt_die_flag(die, DW_AT_GNU_vector);
    if (dwarf_child(die, &child) == 0)
        do {
            const int tag = dwarf_tag(&child);
            if (tag != DW_TAG_subrange_type && tag != DW_TAG_enumeration_type)
                continue;
            if (count == sizeof dimension / sizeof dimension[0])
                break;
            dimension[count].count = dimension[count].lower = 0;
            dimension[count].known =
                read_bounds(t, &child, &dimension[count].lower, &dimension[count].count);
            count++;
        } while (dwarf_siblingof(&child, &child) == 0);
    const struct wt_type *element = wt_types_of(t, die);
    for (unsigned i = count; i-- > 0;) {
        const unsigned d = column ? count - 1 - i : i;
        struct wt_type *level = i == 0 ? type : new_type(t, WT_TYPE_ARRAY);
        if (!level)
            return;
        level->target = element;
        level->die = *die;
        level->lower = dimension[d].lower;
        level->count = dimension[d].count;
        level->has_count = dimension[d].known;
        level->size = array_size(level);
        element = level;
    }
    if (!count)
        type->target = element;
    /* A vector of three elements has the size of one of four. */
    uint64_t size;
    if (type->is_vector && count == 1 && wt_die_number(die, DW_AT_byte_size, &size) &&
        size > type->size)
        type->size = size;
}

/* LLVM writes no size beside DW_AT_address_class. */
static void read_pointer(struct wt_types *t, struct wt_type *type, Dwarf_Die *die)
{
    const unsigned class = wt_address_class(die, t->class_size != t->address_size);
    type->address_class = class;
    if (!type->size)
        type->size = class ? t->class_size : t->address_size;
    type->target = wt_types_of(t, die);
}

static void read_member_pointer(struct wt_types *t, struct wt_type *type, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die owner;
    type->kind = WT_TYPE_MEMBER;
    type->target = wt_types_of(t, die);
    type->owner = dwarf_attr_integrate(die, DW_AT_containing_type, &attribute) &&
                          dwarf_formref_die(&attribute, &owner)
                      ? wt_types_read(t, &owner)
                      : &the_void;
    if (!type->size)
        type->size = t->address_size * (type->target->kind == WT_TYPE_FUNCTION ? 2u : 1u);
}

/* The name of a structure, enumeration or typedef with its namespaces. */
static void qualify(struct wt_types *t, struct wt_type *type, Dwarf_Die *die)
{
    const char *scope = t->scope && type->name ? t->scope(t->context, die) : "";
    const size_t size = scope[0] ? strlen(scope) + strlen(type->name) + 3 : 0;
    char *whole = size ? allocate(t, size) : NULL;
    if (!whole)
        return;
    snprintf(whole, size, "%s::%s", scope, type->name);
    type->name = whole;
}

static void read_into(struct wt_types *t, struct wt_type *type, Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    type->name = dwarf_diename(die);
    wt_die_number(die, DW_AT_byte_size, &type->size);
    type->die = *die;
    switch (tag) {
    case DW_TAG_base_type:
        read_base(type, die);
        break;
    case DW_TAG_ptr_to_member_type:
        read_member_pointer(t, type, die);
        break;
    case DW_TAG_pointer_type:
        type->kind = WT_TYPE_POINTER;
        read_pointer(t, type, die);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        type->kind = WT_TYPE_REFERENCE;
        type->is_rvalue = tag == DW_TAG_rvalue_reference_type;
        read_pointer(t, type, die);
        break;
    case DW_TAG_array_type:
        type->kind = WT_TYPE_ARRAY;
        read_array(t, type, die);
        break;
    case DW_TAG_string_type:
        type->kind = WT_TYPE_ARRAY;
        type->target = wt_types_basic(t, "char");
        type->lower = wt_language_is_fortran(die);
        type->count = type->size;
        type->has_count = type->size != 0;
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
        type->kind = tag == DW_TAG_union_type   ? WT_TYPE_UNION
                     : tag == DW_TAG_class_type ? WT_TYPE_CLASS
                                                : WT_TYPE_STRUCT;
        type->is_incomplete = wt_die_flag(die, DW_AT_declaration);
        type->read = false;
        qualify(t, type, die);
        break;
    case DW_TAG_enumeration_type: {
        type->kind = WT_TYPE_ENUM;
        type->is_scoped = wt_die_flag(die, DW_AT_enum_class);
        qualify(t, type, die);
        type->read = false;
        Dwarf_Attribute attribute;
        if (dwarf_attr(die, DW_AT_type, &attribute))
            type->target = wt_types_of(t, die);
        type->is_signed = type->target && wt_type_is_signed(wt_type_plain(type->target));
        if (!type->size && type->target)
            type->size = wt_type_size(type->target);
        break;
    }
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        type->kind = WT_TYPE_FUNCTION;
        type->name = NULL;
        type->size = 1;
        type->target = wt_types_of(t, die);
        type->has_prototype = wt_die_flag(die, DW_AT_prototyped);
        type->read = false;
        break;
    case DW_TAG_typedef:
        type->kind = WT_TYPE_TYPEDEF;
        type->target = wt_types_of(t, die);
        qualify(t, type, die);
        break;
    case DW_TAG_const_type:
        type->kind = WT_TYPE_CONST;
        type->target = wt_types_of(t, die);
        break;
    case DW_TAG_volatile_type:
        type->kind = WT_TYPE_VOLATILE;
        type->target = wt_types_of(t, die);
        break;
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
    case DW_TAG_packed_type:
    case DW_TAG_immutable_type:
        type->kind = WT_TYPE_TYPEDEF; /* it is not shown: the name is the target's */
        type->name = NULL;
        type->target = wt_types_of(t, die);
        break;
    case DW_TAG_unspecified_type:
        /* The type of C++'s nullptr (DWARF 5, 5.2) has a pointer's size; other ones have none. */
        if (type->name && strcmp(type->name, "decltype(nullptr)") == 0) {
            type->kind = WT_TYPE_TYPEDEF;
            type->target = wt_types_pointer(t, &the_void);
            break;
        }
        /* fall through */
    default:
        type->kind = WT_TYPE_VOID;
        if (!type->name)
            type->name = "void";
        type->size = 1;
        break;
    }
}

const struct wt_type *wt_types_read(struct wt_types *t, Dwarf_Die *die)
{
    if (t->slot_count) {
        const size_t at = place_of(t, die->addr);
        if (t->slot[at].die)
            return t->slot[at].type;
    }
    struct wt_type *type = t->depth < MOST_DEPTH ? new_type(t, WT_TYPE_VOID) : NULL;
    if (!type || !note(t, die->addr, type))
        return &the_void;
    /* The type is entered in the list before the types that it refers to are read: references may
     * be cyclic. */
    t->depth++;
    read_into(t, type, die);
    t->depth--;
    return type;
}

const struct wt_type *wt_types_of(struct wt_types *t, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
        return &the_void;
    return wt_types_read(t, &type);
}

/* ---- members ---- */

static void read_place(struct wt_type *type, struct wt_member *m, Dwarf_Die *die)
{
    uint64_t bits, position, storage = wt_type_size(m->type);
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (wt_die_number(die, DW_AT_data_member_location, &m->offset)) {
        /* a constant */
    } else if (dwarf_attr(die, DW_AT_data_member_location, &attribute) &&
               dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
               ops[0].atom == DW_OP_plus_uconst) {
        m->offset = ops[0].number;
    }
    if (!wt_die_number(die, DW_AT_bit_size, &bits) || bits == 0 || bits > 64)
        return;
    m->bit_size = (uint32_t)bits;
    if (wt_die_number(die, DW_AT_data_bit_offset, &position)) {
        m->offset = position / 8;
        m->bit_offset = (uint32_t)(position % 8);
    } else if (wt_die_number(die, DW_AT_bit_offset, &position)) {
        /* DWARF 3: from the highest bit of the storage, which may have a size of its own. */
        wt_die_number(die, DW_AT_byte_size, &storage);
        const uint64_t low = storage * 8 - position - bits;
        m->offset += low / 8;
        m->bit_offset = (uint32_t)(low % 8);
    }
}

/* Whether the place of a base class is an expression rather than a number. */
static bool is_computed(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    uint64_t constant;
    return !wt_die_number(die, DW_AT_data_member_location, &constant) &&
           dwarf_attr(die, DW_AT_data_member_location, &attribute) &&
           dwarf_getlocation(&attribute, &ops, &count) == 0 &&
           !(count == 1 && ops[0].atom == DW_OP_plus_uconst);
}

static bool is_wanted(const struct wt_type *type, int tag)
{
    switch (type->kind) {
    case WT_TYPE_ENUM:
        return tag == DW_TAG_enumerator;
    case WT_TYPE_FUNCTION:
        return tag == DW_TAG_formal_parameter;
    default:
        return tag == DW_TAG_member || tag == DW_TAG_inheritance || tag == DW_TAG_variable;
    }
}

static void read_members(struct wt_type *type)
{
    Dwarf_Die child;
    size_t count = 0;
    type->read = true;
    if (!type->die.addr || dwarf_child(&type->die, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        count += is_wanted(type, tag);
        type->is_variadic |= tag == DW_TAG_unspecified_parameters;
    } while (dwarf_siblingof(&child, &child) == 0);
    type->member = count ? allocate(type->types, count * sizeof *type->member) : NULL;
    if (!type->member || dwarf_child(&type->die, &child) != 0)
        return;
    do {
        const int tag = dwarf_tag(&child);
        if (!is_wanted(type, tag) || type->member_count == count)
            continue;
        struct wt_member *m = &type->member[type->member_count++];
        m->name = dwarf_diename(&child);
        m->type = tag == DW_TAG_enumerator ? type : wt_types_of(type->types, &child);
        m->is_base = tag == DW_TAG_inheritance;
        m->is_virtual = m->is_base && is_computed(&child);
        m->die = child;
        uint64_t access = 0;
        wt_die_number(&child, DW_AT_accessibility, &access);
        m->access = (uint8_t)access;
        m->is_static = tag == DW_TAG_variable || wt_die_flag(&child, DW_AT_external);
        if (tag == DW_TAG_enumerator) {
            if (!wt_die_signed_number(&child, DW_AT_const_value, &m->value))
                wt_die_number(&child, DW_AT_const_value, (uint64_t *)&m->value);
        } else if (!m->is_static) {
            read_place(type, m, &child);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

const struct wt_member *wt_type_members(const struct wt_type *type, size_t *count)
{
    if (!type->read)
        read_members((struct wt_type *)(uintptr_t)type); /* read when it is first asked for */
    *count = type->member_count;
    return type->member;
}

/* ---- made types ---- */

struct basic {
    const char *name;
    enum wt_type_kind kind;
    uint8_t size; /* 0: of an address */
    bool is_signed;
};

static const struct basic basics[] = {
    {"char", WT_TYPE_CHAR, 1, false}, /* as RISC-V and amdgcn have it: RISC-V's is unsigned */
    {"signed char", WT_TYPE_CHAR, 1, true}, {"unsigned char", WT_TYPE_CHAR, 1, false},
    {"short", WT_TYPE_INT, 2, true},        {"unsigned short", WT_TYPE_INT, 2, false},
    {"int", WT_TYPE_INT, 4, true},          {"unsigned int", WT_TYPE_INT, 4, false},
    {"long", WT_TYPE_INT, 0, true},         {"unsigned long", WT_TYPE_INT, 0, false},
    {"long long", WT_TYPE_INT, 8, true},    {"unsigned long long", WT_TYPE_INT, 8, false},
    {"float", WT_TYPE_FLOAT, 4, true},      {"double", WT_TYPE_FLOAT, 8, true},
    {"_Float16", WT_TYPE_FLOAT, 2, true},   {"half", WT_TYPE_FLOAT, 2, true},
    {"bool", WT_TYPE_BOOL, 1, false},       {"_Bool", WT_TYPE_BOOL, 1, false},
    {"int8_t", WT_TYPE_CHAR, 1, true},      {"uint8_t", WT_TYPE_CHAR, 1, false},
    {"int16_t", WT_TYPE_INT, 2, true},      {"uint16_t", WT_TYPE_INT, 2, false},
    {"int32_t", WT_TYPE_INT, 4, true},      {"uint32_t", WT_TYPE_INT, 4, false},
    {"int64_t", WT_TYPE_INT, 8, true},      {"uint64_t", WT_TYPE_INT, 8, false},
    {"size_t", WT_TYPE_INT, 0, false},      {"ptrdiff_t", WT_TYPE_INT, 0, true},
    {"uintptr_t", WT_TYPE_INT, 0, false},   {"intptr_t", WT_TYPE_INT, 0, true},
    {"uint", WT_TYPE_INT, 4, false},        {"ulong", WT_TYPE_INT, 8, false},
    {"ushort", WT_TYPE_INT, 2, false},      {"uchar", WT_TYPE_CHAR, 1, false},
    {"__int128", WT_TYPE_INT, 16, true},    {"unsigned __int128", WT_TYPE_INT, 16, false},
};

const struct wt_type *wt_types_basic(struct wt_types *t, const char *name)
{
    if (strcmp(name, "void") == 0)
        return &the_void;
    for (size_t i = 0; i < sizeof basics / sizeof basics[0]; i++) {
        const struct basic *b = &basics[i];
        if (strcmp(b->name, name) != 0)
            continue;
        /* The row of the table is the key of the type made from it. */
        if (t->slot_count) {
            const size_t at = place_of(t, b);
            if (t->slot[at].die)
                return t->slot[at].type;
        }
        struct wt_type *type = new_type(t, b->kind);
        if (!type)
            return &the_void;
        type->name = b->name;
        type->size = b->size ? b->size : t->address_size;
        type->is_signed = b->is_signed;
        note(t, b, type);
        return type;
    }
    return NULL;
}

const struct wt_type *wt_types_integer(struct wt_types *t, unsigned size, bool is_signed)
{
    static const char *const names[2][4] = {
        {"unsigned char", "unsigned short", "unsigned int", "unsigned long long"},
        {"signed char", "short", "int", "long long"}};
    if (size == 8 && t->address_size == 8)
        return wt_types_basic(t, is_signed ? "long" : "unsigned long");
    return wt_types_basic(t, names[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3]);
}

const struct wt_type *wt_types_pointer(struct wt_types *t, const struct wt_type *target)
{
    struct wt_type *type = new_type(t, WT_TYPE_POINTER);
    if (!type)
        return &the_void;
    type->size = t->address_size;
    type->target = target;
    return type;
}

const struct wt_type *wt_types_member_pointer(struct wt_types *t, const struct wt_type *owner,
                                              const struct wt_type *target)
{
    struct wt_type *type = new_type(t, WT_TYPE_MEMBER);
    if (!type)
        return &the_void;
    type->size = t->address_size;
    type->target = target;
    type->owner = owner;
    return type;
}

const struct wt_type *wt_types_array_from(struct wt_types *t, const struct wt_type *element,
                                          int64_t lower, uint64_t count, const Dwarf_Die *die)
{
    struct wt_type *type = (struct wt_type *)(uintptr_t)wt_types_array(t, element, count);
    if (type->kind == WT_TYPE_ARRAY) {
        type->lower = lower;
        type->die = *die;
    }
    return type;
}

const struct wt_type *wt_types_vector(struct wt_types *t, const struct wt_type *vector,
                                      uint64_t count)
{
    const struct wt_type *plain = wt_type_plain(vector);
    struct wt_type *type = (struct wt_type *)(uintptr_t)wt_types_array_from(
        t, wt_type_target(plain), 0, count, &plain->die);
    if (type->kind == WT_TYPE_ARRAY)
        type->is_vector = true;
    return type;
}

uint64_t wt_type_element_at(const struct wt_type *array, uint64_t index)
{
    const uint64_t size = wt_type_size(wt_type_target(array));
    if (!array->stride)
        return index * size;
    return array->stride < 0 ? (array->count - 1 - index) * (uint64_t)-array->stride
                             : index * (uint64_t)array->stride;
}

const struct wt_type *wt_types_array_strided(struct wt_types *t, const struct wt_type *element,
                                             int64_t lower, uint64_t count, int64_t stride,
                                             const Dwarf_Die *die)
{
    struct wt_type *type =
        (struct wt_type *)(uintptr_t)wt_types_array_from(t, element, lower, count, die);
    const uint64_t size = wt_type_size(element),
                   apart = stride < 0 ? (uint64_t)-stride : (uint64_t)stride;
    if (type->kind == WT_TYPE_ARRAY && stride != (int64_t)size) {
        uint64_t span;
        type->stride = stride;
        if (__builtin_mul_overflow(count ? count - 1 : 0, apart, &span) ||
            __builtin_add_overflow(span, count ? size : 0, &type->size))
            type->size = UINT64_MAX;
    }
    return type;
}

const struct wt_type *wt_types_array(struct wt_types *t, const struct wt_type *element,
                                     uint64_t count)
{
    struct wt_type *type = new_type(t, WT_TYPE_ARRAY);
    if (!type)
        return &the_void;
    type->target = element;
    type->count = count;
    type->has_count = true;
    type->size = array_size(type);
    return type;
}

const struct wt_type *wt_types_function(struct wt_types *t)
{
    struct wt_type *type = new_type(t, WT_TYPE_FUNCTION);
    if (!type)
        return &the_void;
    type->size = 1;
    type->target = &the_void;
    return type;
}

const struct wt_type *wt_types_float_union(struct wt_types *t)
{
    struct wt_type *type = new_type(t, WT_TYPE_UNION);
    struct wt_member *member = type ? allocate(t, 2 * sizeof *member) : NULL;
    if (!member)
        return &the_void;
    member[0] = (struct wt_member){.name = "float", .type = wt_types_basic(t, "float")};
    member[1] = (struct wt_member){.name = "double", .type = wt_types_basic(t, "double")};
    type->name = "riscv_double";
    type->size = 8;
    type->member = member;
    type->member_count = 2;
    return type;
}

const struct wt_type *wt_types_triple(struct wt_types *t, const char *name,
                                      const struct wt_type *element)
{
    static const char *const names[] = {"x", "y", "z"};
    struct wt_type *type = new_type(t, WT_TYPE_STRUCT);
    struct wt_member *member = type ? allocate(t, 3 * sizeof *member) : NULL;
    if (!member)
        return &the_void;
    for (unsigned i = 0; i < 3; i++)
        member[i] = (struct wt_member){
            .name = names[i], .type = element, .offset = i * wt_type_size(element)};
    type->name = name;
    type->size = 3 * wt_type_size(element);
    type->member = member;
    type->member_count = 3;
    return type;
}

/* ---- questions ---- */

const struct wt_type *wt_type_plain(const struct wt_type *type)
{
    for (unsigned i = 0; type && i < MOST_PLAIN; i++) {
        if (type->kind == WT_TYPE_TYPEDEF || type->kind == WT_TYPE_CONST ||
            type->kind == WT_TYPE_VOLATILE) {
            type = type->target;
            continue;
        }
        if (type->is_incomplete && type->name && type->types->definition) {
            Dwarf_Die die = {0};
            if (type->types->definition(type->types->context, type->name, &die))
                return wt_types_read(type->types, &die);
        }
        return type;
    }
    return &the_void;
}

const struct wt_type *wt_type_target(const struct wt_type *type)
{
    type = wt_type_plain(type);
    return type->target ? type->target : &the_void;
}

uint64_t wt_type_size(const struct wt_type *type)
{
    if (!type)
        return 0;
    for (unsigned i = 0; type->kind == WT_TYPE_TYPEDEF || type->kind == WT_TYPE_CONST ||
                         type->kind == WT_TYPE_VOLATILE;
         i++) {
        if (i == MOST_PLAIN || !type->target)
            return 1;
        type = type->target;
    }
    if (type->is_incomplete)
        type = wt_type_plain(type);
    return type->size;
}

bool wt_type_is_integral(const struct wt_type *plain)
{
    return plain->kind == WT_TYPE_INT || plain->kind == WT_TYPE_CHAR ||
           plain->kind == WT_TYPE_BOOL || plain->kind == WT_TYPE_ENUM;
}

bool wt_type_is_scalar(const struct wt_type *plain)
{
    return wt_type_is_integral(plain) || plain->kind == WT_TYPE_FLOAT ||
           plain->kind == WT_TYPE_POINTER || plain->kind == WT_TYPE_REFERENCE;
}

bool wt_type_is_record(const struct wt_type *plain)
{
    return plain->kind == WT_TYPE_STRUCT || plain->kind == WT_TYPE_CLASS ||
           plain->kind == WT_TYPE_UNION;
}

bool wt_type_is_signed(const struct wt_type *plain)
{
    return plain->is_signed && wt_type_is_integral(plain);
}

bool wt_type_is_padding(const struct wt_type *type, uint64_t from, uint64_t size)
{
    size_t count = 0;
    const struct wt_type *plain = wt_type_plain(type);
    if (plain->kind != WT_TYPE_STRUCT && plain->kind != WT_TYPE_CLASS)
        return false;
    const struct wt_member *m = wt_type_members(plain, &count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t begin = m[i].offset, end = begin + wt_type_size(m[i].type);
        const uint64_t low = begin > from ? begin : from;
        const uint64_t high = end < from + size ? end : from + size;
        if (m[i].is_virtual || (!m[i].is_static && low < high &&
                                !wt_type_is_padding(m[i].type, low - begin, high - low)))
            return false;
    }
    return count != 0;
}
