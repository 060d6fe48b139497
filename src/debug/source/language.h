/* The language that an entry of the debug information was compiled from. */
#ifndef WT_DEBUG_SOURCE_LANGUAGE_H
#define WT_DEBUG_SOURCE_LANGUAGE_H

#include <stdbool.h>

#include <elfutils/libdw.h>

/** Whether an entry is of a unit that was compiled from C++, HIP included. */
bool wt_language_is_cplusplus(Dwarf_Die *die);
/** Whether an entry is of a unit that was compiled from Fortran. */
bool wt_language_is_fortran(Dwarf_Die *die);
/** Whether an entry is of a unit that was compiled from OpenCL C. */
bool wt_language_is_opencl(Dwarf_Die *die);

#endif
