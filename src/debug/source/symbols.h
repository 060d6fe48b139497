/* Names and source lines for addresses, from a program's ELF symbols and DWARF (libdw). */
#ifndef WT_DEBUG_SOURCE_SYMBOLS_H
#define WT_DEBUG_SOURCE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wt_symbols;
struct wt_info;

/** Whoever waits for debug information to be read: it may show how far that is, and give up. */
struct wt_loading {
    /** @p done of @p total bytes have been read. False: give up, and read nothing at the next
     * question either until it says true. */
    bool (*go_on)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/** The whole ELF file, as it was when it was opened; valid as long as @p symbols. NULL without host
 * memory. */
const uint8_t *wt_symbols_image(struct wt_symbols *symbols, size_t *length);
/** @p size bytes of code as the file has them, at an address of the file; false if it has none
 * there. */
bool wt_symbols_code(struct wt_symbols *symbols, uint64_t addr, void *out, size_t size);

/** Opens the symbols of an ELF file. A file without any is no error; one that is no ELF is. */
enum wt_status wt_symbols_open(const char *path, struct wt_symbols **symbols, struct wt_error *err);
/** The same of an ELF image in memory, which is copied; @p name is for messages. */
enum wt_status wt_symbols_open_bytes(const char *name, const uint8_t *bytes, size_t length,
                                     struct wt_symbols **symbols, struct wt_error *err);
/** One owner more: it stays until each of them has closed it. */
struct wt_symbols *wt_symbols_share(struct wt_symbols *symbols);
/** One owner less; with the last one they are freed. NULL is allowed. */
void wt_symbols_close(struct wt_symbols *symbols);

/**
 * The debug information of @p symbols, which keeps it; NULL if there is none. Names and ranges are
 * collected at the first call (info.h).
 */
struct wt_info *wt_symbols_info(struct wt_symbols *symbols);

/** Says who waits for debug information; NULL: nobody. @p loading must stay as long. What was given
 *  up is read anew at the next question. */
void wt_symbols_set_loading(struct wt_symbols *symbols, const struct wt_loading *loading);

/** The addresses [*start, *end) that the file's segments occupy; 0 and 0 if it has none. */
void wt_symbols_range(const struct wt_symbols *symbols, uint64_t *start, uint64_t *end);

/** The symbol whose range holds @p addr: its name and the offset into it; false if none. */
bool wt_symbols_function(struct wt_symbols *symbols, uint64_t addr, const char **name,
                         uint64_t *offset);

/** Bits of addresses in the file: 32 or 64. */
unsigned wt_symbols_bits(const struct wt_symbols *symbols);
/** Its e_flags; 0: it has none that can be read. */
uint32_t wt_symbols_flags(const struct wt_symbols *symbols);

/**
 * Where programs of Vortex 3.0 have the thread-local variables of @p threads threads: behind their
 * image, at _end, __tls_block_size bytes for each. False: the file does not say, or has none.
 */
bool wt_symbols_thread_variables(struct wt_symbols *symbols, uint64_t threads, uint64_t *addr,
                                 uint64_t *size);

/** Whether a symbol at @p addr says itself that it is a kernel, as those of NVIDIA's
 * files do, or is that of a section .text.NAME of Intel's. */
bool wt_symbols_is_entry(const struct wt_symbols *symbols, uint64_t addr);

/** Whether the function that holds @p addr is launched, not called: its symbol says so, or, as in
 * AMD's code objects, a symbol NAME.kd describes it. */
bool wt_symbols_is_kernel(struct wt_symbols *symbols, uint64_t addr);

/** The addresses [*start, *end) of that symbol; up to the next one if it has no size. */
bool wt_symbols_extent(struct wt_symbols *symbols, uint64_t addr, uint64_t *start, uint64_t *end);

/** How functions return values. */
enum wt_abi {
    WT_ABI_UNKNOWN,
    WT_ABI_RISCV,
    WT_ABI_AMDGPU,
};

/**
 * The convention of calls, by the ELF header; *float_bytes: the longest float that RISC-V code
 * returns in a floating-point register, 0: none (RISC-V ELF specification, e_flags).
 */
enum wt_abi wt_symbols_abi(const struct wt_symbols *symbols, unsigned *float_bytes);

/** The source line of @p addr; false if there is no line information. */
bool wt_symbols_line(struct wt_symbols *symbols, uint64_t addr, const char **file, unsigned *line);

/**
 * The address of a symbol; false if there is none of that name. A C++ function is found by its
 * plain name, too.
 */
bool wt_symbols_address(struct wt_symbols *symbols, const char *name, uint64_t *addr);

/**
 * Where the body of the function that begins at @p addr starts: behind its prologue, as its line
 * table marks it or, without a mark, at the function's second row. @p addr without line
 * information, and for code that GCC has optimised, whose rows are in no order.
 */
uint64_t wt_symbols_body(struct wt_symbols *symbols, uint64_t addr);

/** Whether @p wanted is the path of a file, or the last components of it. */
bool wt_symbols_is_file(const char *path, const char *wanted);

/**
 * The line of @p file, a path or its last parts, at which the code for @p line begins: that line,
 * or the next one that has some. UINT_MAX if there is none, or @p symbols is NULL.
 */
unsigned wt_symbols_code_line(struct wt_symbols *symbols, const char *file, unsigned line);

/**
 * The addresses at which the statement of @p line of @p file begins: one for each block of the
 * source and for each copy of it that was inlined, ascending; behind the prologue of a function.
 * @p file is a path or its last parts. *list, which the caller frees, is NULL and *count 0 if the
 * line has no code.
 */
enum wt_status wt_symbols_statements(struct wt_symbols *symbols, const char *file, unsigned line,
                                     uint64_t **list, size_t *count, struct wt_error *err);

/** A row of the line table: addresses [start, end) belong to this line. */
struct wt_line_row {
    uint64_t start, end;
    const char *file; /**< the whole path, as far as DWARF tells */
    unsigned line;
    bool statement; /**< it begins at `start` */
};

/**
 * The row of the line table that holds @p addr; false if there is none. Of several at one address
 * it is one that begins a statement, if there is such a one.
 */
bool wt_symbols_row(struct wt_symbols *symbols, uint64_t addr, struct wt_line_row *row);

/** Calls @p found for the source files of the line table, some more than once, until it is false.
 */
void wt_symbols_files(struct wt_symbols *symbols, bool (*found)(void *context, const char *file),
                      void *context);

/** Calls @p found for each symbol of code or data, by address. */
void wt_symbols_each(struct wt_symbols *symbols,
                     bool (*found)(void *context, const char *name, uint64_t addr, uint64_t size,
                                   bool code),
                     void *context);

/** Describes an address of the file as wt_modules_describe() does; @p symbols may be NULL. */
void wt_symbols_describe(struct wt_symbols *symbols, uint64_t addr, char *text, size_t size);

#endif
