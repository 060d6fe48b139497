/* The tables of a file: read by symbols_read.c, searched by symbols.c. */
#ifndef WT_DEBUG_SOURCE_SYMBOLS_INTERNAL_H
#define WT_DEBUG_SOURCE_SYMBOLS_INTERNAL_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_info;
struct wt_loading;

/** A symbol of the ELF file, or a function of the debug information. */
struct wt_symbol {
    uint64_t addr, size;
    const char *name;
    bool code;
    bool entry;   /**< the symbol itself says that it is a kernel */
    uint8_t rank; /**< rank of two at one address the lower is the better name */
};

/** A row of the line tables. */
struct wt_row {
    uint64_t addr;
    const char *file;
    unsigned line;
    bool end;       /**< nothing is known from here on */
    bool statement; /**< a statement begins here */
    bool body;      /**< the prologue ends here */
    bool part;      /**< it continues the statement of the row before */
    size_t order;
};

struct wt_symbols {
    uint8_t *bytes; /**< the file */
    Elf *elf;
    Dwarf *dwarf;
    struct wt_symbol *symbol;
    size_t symbols, symbol_capacity;
    struct wt_row *line;
    size_t lines, line_capacity;
    bool lines_read;
    char **path; /**< path of files that line tables name relative to a folder */
    size_t path_count, path_capacity;
    struct wt_info *info; /**< once it was asked for */
    bool info_read;
    unsigned owners;                  /**< beside the first */
    const struct wt_loading *loading; /**< NULL: nobody waits */
    uint64_t unit_bytes;              /**< bytes of .debug_info */
};

/** Reads the symbol table. Symbols that no memory is left for are missing. */
void wt_symbols_read_names(struct wt_symbols *s);
/**
 * Adds the functions of the debug information if the symbol table names no code (as in files that
 * Intel's runtime gives to debuggers).
 */
void wt_symbols_read_functions(struct wt_symbols *s);
/** Opens the debug information and reads the line tables. If the user breaks that off, it is as if
 * nothing had been read. */
void wt_symbols_read_lines(struct wt_symbols *s);
/** Whether to go on reading names, for struct wt_info_loading. */
bool wt_symbols_names_go_on(void *context, uint64_t done);
/** Likewise for sorting. */
bool wt_symbols_sorting_goes_on(void *context, unsigned percent);

#endif
