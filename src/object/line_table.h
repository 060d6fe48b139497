/*
 * Finds the source line of an address in the .debug_line section of an ELF file of 64 bits (DWARF 2
 * to 4): for libraries in other people's programs, which do not link a reader of DWARF.
 */
#ifndef WT_OBJECT_LINE_TABLE_H
#define WT_OBJECT_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Room for a file's name, its zero included; longer names are cut. */
#define LINE_TABLE_NAME 200

struct line_place {
    unsigned line;              /**< from 1 */
    char file[LINE_TABLE_NAME]; /**< as the compiler was given it, without its folder */
};

/**
 * The line of @p address, as the section has it: relocations are not applied. False where the file
 * has no line for it, or is malformed.
 */
bool line_table_find(const uint8_t *elf, size_t size, uint64_t address, struct line_place *place);

/** Takes a row: instructions from @p address on are of this line, up to the next row of a higher
 * address; 0: they are of none. */
typedef void line_table_fn(void *context, uint64_t address, unsigned line, const char *file);
/** Hands over all rows of the section, in its order. False where it is not there, or malformed. */
bool line_table_each(const uint8_t *elf, size_t size, line_table_fn *take, void *context);

#endif
