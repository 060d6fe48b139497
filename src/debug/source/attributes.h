/* Attributes of DIEs and registers of location descriptions as numbers. */
#ifndef WT_DEBUG_SOURCE_ATTRIBUTES_H
#define WT_DEBUG_SOURCE_ATTRIBUTES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/** The unsigned constant of attribute @p name (DW_AT_…) of a DIE or of what it is an instance of;
 * false, and *value stays, if it has none. */
bool wt_die_number(Dwarf_Die *die, unsigned name, uint64_t *value);
/** The signed constant, likewise, as wt_attribute_number() reads it. */
bool wt_die_signed_number(Dwarf_Die *die, unsigned name, int64_t *value);
/** The file of attribute @p name (DW_AT_decl_file, DW_AT_call_file) of a DIE or of what it is an
 * instance of, as the unit's line table has it; NULL: it has none. In DWARF version 5 a file has
 * number 0, which libdw's dwarf_decl_file() takes for none. @p unit becomes the table's unit. */
const char *wt_die_file(Dwarf_Die *die, unsigned name, Dwarf_Die *unit);
/** Whether a DIE, or what it is an instance of, has a flag that is set. */
bool wt_die_flag(Dwarf_Die *die, unsigned name);
/** The number of an attribute. Forms of data have no sign: compilers use them for numbers that are
 *  not negative, in as many bytes as those need. False: it is none. */
bool wt_attribute_number(Dwarf_Attribute *attribute, int64_t *value);
/** The DWARF number of the register that an operation is the location of (DWARF version 5, section
 *  2.6.1.1.3); false: it is another operation. @p number may be NULL. */
bool wt_dwarf_register(const Dwarf_Op *op, unsigned *number);
/** Which compiler has made a unit, in its own words; "" if it does not say. */
const char *wt_unit_producer(Dwarf_Die *unit);
/** The major version of the clang that has compiled a unit; 0: another compiler has. */
unsigned wt_clang_version(Dwarf_Die *unit);
/** The number of the space that a pointer's type names; 0: that of plain pointers. For AMD's GPUs
 *  clang had numbers of its own for private and local memory, which struct wt_space has; version 22
 *  writes those that LLVM documents. */
unsigned wt_address_class(Dwarf_Die *pointer, bool of_amd);

/** Follows DW_AT_abstract_origin and DW_AT_specification to the DIE that is neither. */
void wt_info_origin(const Dwarf_Die *die, Dwarf_Die *origin);
/** Whether a scope is an inlined call with a frame of its own. The body of an OpenCL kernel has
 * none: clang 22 compiles it to a function of another name, which the kernel calls. */
bool wt_info_is_inlined_call(Dwarf_Die *scope);
/** The name of the OpenCL kernel of which a function, or an inlined call, is the body; NULL: it is
 * no such. */
const char *wt_info_kernel_of_body(Dwarf_Die *function);

/** A child of a scope. */
struct wt_child {
    Dwarf_Die die;
    Dwarf_Die body, next; /**< an inherited one's: the inlined body; the function after this one */
    unsigned inherited;   /**< how many functions they come from, up to this one */
};
/** The first child of a scope; false: it has none. Those of an OpenCL
 * kernel end with the variables of its inlined body that this has no entry for. */
bool wt_info_first_child(Dwarf_Die *scope, struct wt_child *child);
/** The next one; false: there are no more. */
bool wt_info_next_child(Dwarf_Die *scope, struct wt_child *child);

#endif
