/* See attributes.h. */
#include "debug/source/attributes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

bool wt_die_number(Dwarf_Die *die, unsigned name, uint64_t *value)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &word) != 0)
        return false;
    *value = word;
    return true;
}

bool wt_attribute_number(Dwarf_Attribute *attribute, int64_t *value)
{
    const unsigned form = dwarf_whatform(attribute);
    Dwarf_Word word;
    Dwarf_Sword number;
    if (form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4) {
        if (dwarf_formudata(attribute, &word) != 0)
            return false;
        *value = (int64_t)word;
        return true;
    }
    if (dwarf_formsdata(attribute, &number) != 0)
        return false;
    *value = number;
    return true;
}

bool wt_die_signed_number(Dwarf_Die *die, unsigned name, int64_t *value)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, name, &attribute) && wt_attribute_number(&attribute, value);
}

const char *wt_die_file(Dwarf_Die *die, unsigned name, Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Half version;
    Dwarf_Files *files;
    size_t count;
    if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &number) != 0 ||
        !dwarf_cu_die(attribute.cu, unit, &version, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count ||
        (number == 0 && version < 5))
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

bool wt_die_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool set = false;
    return dwarf_attr_integrate(die, name, &attribute) && dwarf_formflag(&attribute, &set) == 0 &&
           set;
}

bool wt_dwarf_register(const Dwarf_Op *op, unsigned *number)
{
    /* Registers 0 to 31 have operations of their own; others stand in an operand. */
    const bool is_numbered = op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31;
    if (number)
        *number = is_numbered ? op->atom - (unsigned)DW_OP_reg0 : (unsigned)op->number;
    return is_numbered || op->atom == DW_OP_regx;
}

const char *wt_unit_producer(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    const char *producer =
        dwarf_attr(unit, DW_AT_producer, &attribute) ? dwarf_formstring(&attribute) : NULL;
    return producer ? producer : "";
}

unsigned wt_clang_version(Dwarf_Die *unit)
{
    const char *version = strstr(wt_unit_producer(unit), "clang version ");
    return version ? (unsigned)strtoul(version + strlen("clang version "), NULL, 10) : 0;
}

unsigned wt_address_class(Dwarf_Die *pointer, bool of_amd)
{
    enum { GENERIC = 1, LOCAL = 3, PRIVATE_LANE = 5, OLD_PRIVATE = 1, OLD_LOCAL = 2 };
    Dwarf_Die unit;
    uint64_t class = 0;
    wt_die_number(pointer, DW_AT_address_class, &class);
    if (!of_amd || !dwarf_diecu(pointer, &unit, NULL, NULL) || wt_clang_version(&unit) < 22)
        return (unsigned)class;
    return class == GENERIC        ? 0
           : class == LOCAL        ? OLD_LOCAL
           : class == PRIVATE_LANE ? OLD_PRIVATE
                                   : (unsigned)class;
}

void wt_info_origin(const Dwarf_Die *die, Dwarf_Die *origin)
{
    *origin = *die;
    for (unsigned i = 0; i < 8; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (!dwarf_attr(origin, DW_AT_abstract_origin, &attribute) &&
            !dwarf_attr(origin, DW_AT_specification, &attribute))
            return;
        if (!dwarf_formref_die(&attribute, &next))
            return;
        *origin = next;
    }
}

/* ---- bodies of OpenCL kernels ---- */

const char *wt_info_kernel_of_body(Dwarf_Die *function)
{
    static const char prefix[] = "__clang_ocl_kern_imp_";
    Dwarf_Attribute attribute;
    const char *name = dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute)
                           ? dwarf_formstring(&attribute)
                           : NULL;
    return name && strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : NULL;
}

bool wt_info_is_inlined_call(Dwarf_Die *scope)
{
    return dwarf_tag(scope) == DW_TAG_inlined_subroutine && !wt_info_kernel_of_body(scope);
}

/* Whether a scope has an entry of its own for a child of its function. */
static bool has_copy(Dwarf_Die *scope, Dwarf_Die *wanted)
{
    Dwarf_Die child, origin;
    bool any = false;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        wt_info_origin(&child, &origin);
        any = dwarf_dieoffset(&origin) == dwarf_dieoffset(wanted);
    } while (!any && dwarf_siblingof(&child, &child) == 0);
    return any;
}

/* The inlined body of a kernel, which is a child of it. */
static bool find_body(Dwarf_Die *kernel, Dwarf_Die *body)
{
    if (dwarf_tag(kernel) != DW_TAG_subprogram || dwarf_child(kernel, body) != 0)
        return false;
    do
        if (dwarf_tag(body) == DW_TAG_inlined_subroutine && wt_info_kernel_of_body(body))
            return true;
    while (dwarf_siblingof(body, body) == 0);
    return false;
}

/* The code of a kernel's body outside of the kernel, whose entry has the variables that are no
 * frame's; false: there is none. */
static bool find_code_of_body(Dwarf_Die *body, Dwarf_Die *code)
{
    Dwarf_Die unit, wanted, origin;
    wt_info_origin(body, &wanted);
    if (!dwarf_diecu(body, &unit, NULL, NULL) || dwarf_child(&unit, code) != 0)
        return false;
    do {
        wt_info_origin(code, &origin);
        if (dwarf_tag(code) == DW_TAG_subprogram &&
            dwarf_dieoffset(code) != dwarf_dieoffset(&wanted) &&
            dwarf_dieoffset(&origin) == dwarf_dieoffset(&wanted))
            return true;
    } while (dwarf_siblingof(code, code) == 0);
    return false;
}

/* The next inherited child: from this one on, or of the next function. */
static bool find_inherited(struct wt_child *at, bool any)
{
    for (;; any = dwarf_child(&at->next, &at->die) == 0) {
        for (; any; any = dwarf_siblingof(&at->die, &at->die) == 0)
            if (dwarf_tag(&at->die) == DW_TAG_variable && !has_copy(&at->body, &at->die) &&
                !dwarf_hasattr(&at->die, DW_AT_abstract_origin))
                return true;
        if (at->inherited++ == 0)
            wt_info_origin(&at->body, &at->next);
        else if (at->inherited > 2 || !find_code_of_body(&at->body, &at->next))
            return false;
    }
}

bool wt_info_first_child(Dwarf_Die *scope, struct wt_child *child)
{
    *child = (struct wt_child){.inherited = 0};
    return dwarf_child(scope, &child->die) == 0;
}

bool wt_info_next_child(Dwarf_Die *scope, struct wt_child *child)
{
    const bool any = dwarf_siblingof(&child->die, &child->die) == 0;
    if (!child->inherited && (any || !find_body(scope, &child->body)))
        return any;
    return find_inherited(child, any);
}
