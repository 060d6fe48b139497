/* Names and source lines for addresses, from a program's ELF symbols and DWARF (libdw). */
#ifndef WT_DEBUG_SOURCE_SYMBOLS_H
#define WT_DEBUG_SOURCE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wavetrap/error.h"

struct wt_symbols;

/** Opens the symbols of an ELF file. A file without any is no error; one that is no ELF is. */
enum wt_status wt_symbols_open(const char *path, struct wt_symbols **symbols, struct wt_error *err);
void wt_symbols_close(struct wt_symbols *symbols);

/** The symbol whose range holds @p addr: its name and the offset into it; false if none. */
bool wt_symbols_function(struct wt_symbols *symbols, uint64_t addr, const char **name,
                         uint64_t *offset);

/** The source line of @p addr; false if there is no line information. */
bool wt_symbols_line(struct wt_symbols *symbols, uint64_t addr, const char **file, unsigned *line);

/**
 * The address of a symbol; false if there is none of that name. A C++ function is found by its
 * plain name, too.
 */
bool wt_symbols_address(struct wt_symbols *symbols, const char *name, uint64_t *addr);

/** "0x80000010 <main+16> at kernel.c:12", as much of it as is known; @p symbols may be NULL. */
void wt_symbols_describe(struct wt_symbols *symbols, uint64_t addr, char *text, size_t size);

#endif
