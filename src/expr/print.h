/* The text that an expression prints for one lane: a format of printf(3) over 64-bit cells. */
#ifndef WT_EXPR_PRINT_H
#define WT_EXPR_PRINT_H

#include <stdbool.h>

#include "expr/world.h"

#define WT_PRINT_ARGUMENTS 64 /**< arguments of one format, at most */

struct wt_print_argument {
    uint64_t value;
    unsigned bits; /**< 32: as floating point it is a binary32, else a binary64 */
};

/**
 * Prints; strings are read as the world's lane number @p lane sees them. False if a conversion is
 * unknown or lacks its argument: what stands before it has been printed.
 */
bool wt_print(const struct wt_expr_world *world, unsigned lane, const char *format, size_t length,
              const struct wt_print_argument *argument, size_t count);

/** The floating-point number of a cell: of 16 or 32 bits in its low part, or 64. */
double wt_print_double(uint64_t cell, unsigned bits);

#endif
