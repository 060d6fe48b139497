/* The language that an entry of the debug information was compiled from. See language.h. */
#include "debug/source/language.h"

#include <dwarf.h>

bool wt_language_is_cplusplus(Dwarf_Die *die)
{
    /* DWARF 6's numbers, which compilers write in version 5 already. */
    enum { CPLUSPLUS_17 = 0x2a, CPLUSPLUS_20 = 0x2b, HIP = 0x30 };
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case CPLUSPLUS_17:
    case CPLUSPLUS_20:
    case HIP:
        return true;
    default:
        return false;
    }
}

bool wt_language_is_fortran(Dwarf_Die *die)
{
    Dwarf_Die unit;
    const int language = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
    return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 ||
           language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
           language == DW_LANG_Fortran08;
}

bool wt_language_is_opencl(Dwarf_Die *die)
{
    enum { OPENCL = 0x15 };
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, NULL, NULL) && dwarf_srclang(&unit) == OPENCL;
}
