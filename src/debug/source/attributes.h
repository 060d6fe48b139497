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

#endif
