/* The functions at an address: those that were inlined there, in each other, and the one that they
 * are in. */
#ifndef WT_DEBUG_SOURCE_INLINED_H
#define WT_DEBUG_SOURCE_INLINED_H

#include "debug/source/info.h"

/** One of them, and where in its source it is. */
struct wt_inlined {
    const char *function; /**< NULL: not known */
    uint64_t offset;      /**< into it, where only a symbol names it */
    const char *file;     /**< as the compiler was given it; NULL: not known */
    const char *path;     /**< the file's path, as far as DWARF tells */
    unsigned line;        /**< 0: not known */
    bool inlined;
    bool after;   /**< the line is a guess: it comes after this one */
    bool foreign; /**< wt_described_calls(): the file is no source of the user's */
    unsigned first_scope, scope_count; /**< the address's scopes */
};

/**
 * Those at an address of the file, the innermost first; scope[] becomes the scopes of the address
 * (wt_info_scopes). Returns how many there are, 1 or more. @p symbols NULL: nothing is known.
 */
unsigned wt_inlined_at(struct wt_symbols *symbols, uint64_t addr, Dwarf_Die scope[WT_SCOPES],
                       struct wt_inlined list[WT_SCOPES + 1]);

#endif
