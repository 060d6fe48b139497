/*
 * Arrays whose address and bounds are known only at run time: Fortran's allocatable and
 * assumed-shape arrays, whose descriptor the type reads (DWARF 5, 5.18), and arrays of a length
 * that a function computes.
 */
#include <dwarf.h>

#include "debug/source/attributes.h"
#include "debug/source/language.h"
#include "debug/source/source_internal.h"

#define MOST_DIMENSIONS 16

/* Evaluates an attribute given by an expression, which may use the object's address. */
struct bound {
    Dwarf_Attribute *attribute;
    const struct wt_frame *frame;
    uint64_t bias, object;
};

static enum wt_status compile_bound(struct compiler *c, const void *what, struct wt_operand *o,
                                    struct wt_error *err)
{
    const struct bound *b = what;
    Dwarf_Op *ops;
    size_t count;
    wt_expr_vector v = 0;
    if (dwarf_getlocation(b->attribute, &ops, &count) != 0 || count == 0)
        return wt_fail(err, WT_INVALID, "the debug information is damaged");
    c->build.object = wt_build_constant(&c->build, b->object);
    c->build.has_object = true;
    enum wt_status status =
        wt_build_address(&c->build, b->attribute, ops, count, b->frame, b->bias, NULL, &v, err);
    c->build.has_object = false;
    *o = wt_operand_cell(wt_types_integer(c->build.types, 8, true), v);
    return status;
}

/* A constant, or the value of an expression in the scope's lane; *known: the attribute
 * has a value. */
static enum wt_status number_of(struct compiler *c, Dwarf_Die *die, unsigned name,
                                struct bound *how, int64_t *value, bool *known,
                                struct wt_error *err)
{
    Dwarf_Attribute attribute;
    Dwarf_Die variable;
    *known = dwarf_attr(die, name, &attribute) != NULL;
    if (!*known)
        return WT_OK;
    if (dwarf_whatform(&attribute) != DW_FORM_exprloc && dwarf_formref_die(&attribute, &variable)) {
        /* The attribute refers to a variable that the compiler added. */
        *known = false;
        return WT_OK;
    }
    if (wt_attribute_number(&attribute, value))
        return WT_OK;
    how->attribute = &attribute;
    return c->number(c->scope, compile_bound, how, 0, value, err);
}

struct dimension {
    int64_t lower;
    uint64_t count;
    int64_t stride; /* bytes */
};

static enum wt_status read_dimension(struct compiler *c, Dwarf_Die *range, struct bound *how,
                                     struct dimension *d, int64_t *stride, bool *known,
                                     struct wt_error *err)
{
    int64_t upper = 0, count = 0;
    bool has_lower, has_stride;
    d->lower = wt_language_is_fortran(range);
    enum wt_status status = number_of(c, range, DW_AT_lower_bound, how, &d->lower, &has_lower, err);
    if (!status)
        status = number_of(c, range, DW_AT_byte_stride, how, stride, &has_stride, err);
    if (!status)
        status = number_of(c, range, DW_AT_count, how, &count, known, err);
    if (status || *known) {
        d->count = count > 0 ? (uint64_t)count : 0;
        return status;
    }
    status = number_of(c, range, DW_AT_upper_bound, how, &upper, known, err);
    d->count = upper >= d->lower ? (uint64_t)upper - (uint64_t)d->lower + 1 : 0;
    return status;
}

/* Resolves an array at run time: *type with bounds, *data is the address of its elements. */
static enum wt_status resolve(struct compiler *c, struct bound *how, const struct wt_type **type,
                              int64_t *data, struct wt_error *err)
{
    struct dimension dimension[MOST_DIMENSIONS];
    unsigned count = 0;
    Dwarf_Die array = wt_type_plain(*type)->die, child;
    bool known;
    int64_t there = 1;
    const struct wt_type *element = wt_types_of((*type)->types, &array);
    uint64_t apart = wt_type_size(element);
    enum wt_status status = number_of(
        c, &array, dwarf_hasattr(&array, DW_AT_allocated) ? DW_AT_allocated : DW_AT_associated, how,
        &there, &known, err);
    if (!status && !there)
        return wt_fail(err, WT_INVALID, "the array is not allocated");
    if (!status)
        status = number_of(c, &array, DW_AT_data_location, how, data, &known, err);
    if (!status && !known)
        *data = (int64_t)how->object;
    if (status || dwarf_child(&array, &child) != 0)
        return status;
    do {
        int64_t stride = (int64_t)apart;
        if (dwarf_tag(&child) != DW_TAG_subrange_type || count == MOST_DIMENSIONS)
            continue;
        if ((status = read_dimension(c, &child, how, &dimension[count], &stride, &known, err)) !=
            WT_OK)
            return status;
        if (!known)
            return WT_OK;
        /* The first element may be the one with the highest address. */
        if (stride < 0 && dimension[count].count)
            *data = (int64_t)((uint64_t)*data + (dimension[count].count - 1) * (uint64_t)stride);
        dimension[count].stride = stride;
        apart = (stride < 0 ? (uint64_t)-stride : (uint64_t)stride) * dimension[count].count;
        count++;
    } while (dwarf_siblingof(&child, &child) == 0);
    const bool column = wt_language_is_fortran(&array);
    for (unsigned i = 0; i < count; i++) {
        const struct dimension *d = &dimension[column ? i : count - 1 - i];
        element =
            wt_types_array_strided(c->build.types, element, d->lower, d->count, d->stride, &array);
    }
    *type = element;
    return WT_OK;
}

enum wt_status wt_compile_dynamic(struct compiler *c, Dwarf_Die *die, const struct wt_frame *frame,
                                  uint64_t bias, wt_compile_fn *find, const void *what,
                                  struct wt_operand *o, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type), *type = o->type;
    struct bound how = {.frame = frame, .bias = bias};
    int64_t address, data = 0;
    if (c->as_described || plain->kind != WT_TYPE_ARRAY || plain->has_count || !plain->die.addr ||
        !wt_operand_in_memory(o))
        return WT_OK;
    if (c->beside)
        return wt_fail(err, WT_UNSUPPORTED,
                       "the bounds of %s are found at run time: conditions cannot use it",
                       dwarf_diename(die));
    enum wt_status status = c->number(c->scope, find, what, 0, &address, err);
    how.object = (uint64_t)address;
    if (!status)
        status = resolve(c, &how, &type, &data, err);
    if (status && c->types_only)
        return WT_OK; /* the type is known all the same */
    if (!status && type != o->type)
        *o = wt_operand_memory(type, 0, wt_build_constant(&c->build, (uint64_t)data));
    return status;
}
