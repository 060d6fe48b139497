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
