/* Variables of PTX as data that debuggers can read. */
#ifndef WT_EMULATOR_SM_PTX_KNOW_DATA_H
#define WT_EMULATOR_SM_PTX_KNOW_DATA_H

#include "object/line_elf.h"
#include "object/ptx.h"

/** Whether a type of PTX does not say what the source's type was: compilers write structures and
 * arrays of any type as bytes, and integers of either sign as unsigned ones. */
bool sm_ptx_is_guess(enum ptx_type type, bool is_compiled);
/** Describes a variable's type; false: a debugger could not read it. */
bool sm_ptx_datum(const struct ptx_variable *variable, struct line_elf_datum *datum);
/** A variable's name as the source has it: without a mangled one's types, and of a function's own
 * the last part, where none of the @p count in @p list is called so. */
void sm_ptx_name_datum(const struct line_elf_datum *list, size_t count, struct ptx_name name,
                       char *out, size_t size);

#endif
