/* Classes of C++ that functions take and return in memory. See types.h. */
#include <dwarf.h>
#include <string.h>

#include "debug/source/attributes.h"
#include "debug/source/types.h"

/* Classes in classes, and arrays of arrays, of a damaged file. */
#define MOST_DEPTH 100
#define MOST_DIMENSIONS 64

static bool is_passed_so(const struct wt_type *type, unsigned depth);

/* The constructors that a class declares, of those that copy or move it. */
struct copying {
    bool usable, deleted, moving_assignment;
};

/* Whether the first parameter that is written, if there is one, is a reference to the class. */
static bool takes_itself(const struct wt_type *type, Dwarf_Die *function, bool *is_rvalue)
{
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0)
        return false;
    do {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter || wt_die_flag(&child, DW_AT_artificial))
            continue;
        const struct wt_type *plain = wt_type_plain(wt_types_of(type->types, &child));
        *is_rvalue = plain->is_rvalue;
        return plain->kind == WT_TYPE_REFERENCE && wt_type_plain(wt_type_target(plain)) == type;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Whether a function of a class, by itself, has the class passed by address. */
static bool is_by_address(const struct wt_type *type, Dwarf_Die *function, struct copying *copying)
{
    Dwarf_Die die = type->die;
    const char *name = dwarf_diename(function), *class = dwarf_diename(&die);
    uint64_t number = DW_VIRTUALITY_none;
    bool is_rvalue = false;
    if (wt_die_number(function, DW_AT_virtuality, &number) && number != DW_VIRTUALITY_none)
        return true;
    if (!name || !class || wt_die_flag(function, DW_AT_artificial))
        return false;
    const size_t length = strcspn(class, "<"); /* functions have the name without arguments */
    const bool is_destructor = name[0] == '~';
    const bool is_constructor = strncmp(name, class, length) == 0 && !name[length];
    const bool is_deleted = wt_die_flag(function, DW_AT_deleted);
    number = DW_DEFAULTED_no;
    wt_die_number(function, DW_AT_defaulted, &number);
    if (is_destructor)
        return number != DW_DEFAULTED_in_class;
    if (strcmp(name, "operator=") == 0 && takes_itself(type, function, &is_rvalue))
        copying->moving_assignment |= is_rvalue;
    if (!is_constructor || !takes_itself(type, function, &is_rvalue))
        return false;
    copying->deleted |= is_deleted;
    copying->usable |= !is_deleted;
    return !is_deleted && number != DW_DEFAULTED_in_class;
}

/* Whether a class is passed by address, by the compiler's attribute or else (GCC) by its functions,
 * bases and members. */
static bool find_by_address(const struct wt_type *type, unsigned depth)
{
    struct copying copying = {0};
    Dwarf_Die child, die = type->die;
    Dwarf_Attribute attribute;
    uint64_t number;
    size_t count;
    if (!die.addr)
        return false;
    if (wt_die_number(&die, DW_AT_calling_convention, &number) &&
        (number == DW_CC_pass_by_reference || number == DW_CC_pass_by_value))
        return number == DW_CC_pass_by_reference;
    if (dwarf_attr(&die, DW_AT_containing_type, &attribute)) /* it has virtual functions */
        return true;
    if (dwarf_child(&die, &child) == 0)
        do {
            const int tag = dwarf_tag(&child);
            if ((tag == DW_TAG_subprogram && is_by_address(type, &child, &copying)) ||
                (tag == DW_TAG_inheritance && wt_die_number(&child, DW_AT_virtuality, &number) &&
                 number != DW_VIRTUALITY_none))
                return true;
        } while (dwarf_siblingof(&child, &child) == 0);
    if (!copying.usable && (copying.deleted || copying.moving_assignment))
        return true;
    const struct wt_member *m = wt_type_members(type, &count);
    for (size_t i = 0; i < count; i++)
        if (!m[i].is_static &&
            ((m[i].name && strncmp(m[i].name, "_vptr", 5) == 0) || is_passed_so(m[i].type, depth)))
            return true;
    return false;
}

static bool is_passed_so(const struct wt_type *type, unsigned depth)
{
    const struct wt_type *plain = wt_type_plain(type);
    for (unsigned i = 0; i < MOST_DIMENSIONS && plain->kind == WT_TYPE_ARRAY; i++)
        plain = wt_type_plain(wt_type_target(plain));
    if (!wt_type_is_record(plain))
        return false;
    struct wt_type *record = (struct wt_type *)(uintptr_t)plain; /* found when first asked for */
    if (record->passed == WT_PASSED_NOT_READ) {
        if (depth >= MOST_DEPTH)
            return true;
        record->passed = WT_PASSED_BY_VALUE; /* in damaged files a class may be its own member */
        if (find_by_address(record, depth + 1))
            record->passed = WT_PASSED_BY_ADDRESS;
    }
    return record->passed == WT_PASSED_BY_ADDRESS;
}

bool wt_type_is_passed_by_address(const struct wt_type *type)
{
    return is_passed_so(type, 0);
}
