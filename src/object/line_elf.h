/*
 * ELF files for code that was made in memory: its bytes, symbols, and a line table with the least
 * DWARF 4 around it, so that debuggers know functions and source lines of it as of any file.
 */
#ifndef WT_OBJECT_LINE_ELF_H
#define WT_OBJECT_LINE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct line_elf_symbol {
    const char *name;
    uint64_t address, size;
    bool is_kernel;   /**< a function that is launched (st_other of NVIDIA's files) */
    bool is_function; /**< else a variable; its address is not that of a section */
};

/** From this address on, up to the next one's, code is of this line. */
struct line_elf_row {
    uint64_t address;
    uint32_t unit; /**< index in line_elf.unit */
    uint32_t file; /**< index in the unit's files */
    uint32_t line, column;
    bool is_statement; /**< a place for breakpoints: the line begins here */
    bool begins_body;  /**< a breakpoint on the function goes here; at most one row of each */
};

/** A compile unit, which has a line table of its own. */
struct line_elf_unit {
    const char *name; /**< its main source */
    const char *const *file;
    size_t file_count; /**< 1 at least */
    bool is_described; /**< line_elf.information is of it, too; else the least is made */
};

/** DW_AT_encoding of a type that its declaration only guesses at: bits of some number. */
#define LINE_ELF_GUESS DW_ATE_lo_user

/** A variable in memory that no debug information describes, with a type that says how to read it.
 */
struct line_elf_datum {
    const char *name, *type; /**< type: its own name */
    uint64_t address;
    uint8_t encoding, size; /**< DW_ATE_…; bytes of an element */
    uint64_t count;         /**< elements; 0: it is no array, or */
    bool is_open;           /**< … one of unknown length */
};

/** A parameter of a function of a unit that is not described, or its result. Debuggers find its
 * place out by its number in the function. */
struct line_elf_parameter {
    uint64_t function;         /**< address of the function's first instruction */
    struct line_elf_datum own; /**< its address is of no meaning */
    bool is_result;            /**< at most one of each function */
};

/** 4 bytes of line_elf.information that are where the line table of a unit begins. */
struct line_elf_reference {
    size_t at;
    uint32_t unit;
};

struct line_elf {
    const char *producer; /**< producer of the compile units: who made them */
    unsigned machine;     /**< e_machine */
    uint64_t address;     /**< address of the code's first byte */
    const uint8_t *code;
    size_t code_size;
    const struct line_elf_symbol *symbol;
    size_t symbol_count;
    const struct line_elf_unit *unit;
    size_t unit_count;              /**< 1 at least */
    const struct line_elf_row *row; /**< by address */
    size_t row_count;
    /** Debug information that there is, of the units that are described. */
    struct line_elf_bytes {
        const uint8_t *bytes;
        size_t size;
    } information, abbreviations, strings, locations;
    const struct line_elf_reference *reference;
    size_t reference_count;
    const struct line_elf_datum *datum; /**< a compile unit is made of them */
    size_t datum_count;
    const struct line_elf_parameter *parameter; /**< in the order of each function's parameters */
    size_t parameter_count;
};

/** Writes the file; the caller frees *bytes. WT_NO_MEMORY is the only failure. */
enum wt_status line_elf_write(const struct line_elf *from, uint8_t **bytes, size_t *length,
                              struct wt_error *err);

#endif
