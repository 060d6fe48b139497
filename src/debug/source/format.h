/* Values as text: what format.c (structures, arrays) and format_scalar.c share. */
#ifndef WT_DEBUG_SOURCE_FORMAT_H
#define WT_DEBUG_SOURCE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/source/source_internal.h"

#define WT_FORMAT_ELEMENTS 200 /**< elements of an array or a string */
#define WT_FORMAT_REPEATS 10   /**< see wt_format_repeats */
#define WT_FORMAT_BASES 16     /**< virtual bases of an object */

/** A value that is being printed. */
struct wt_printer {
    FILE *out;
    const struct wt_view *scope;
    struct wt_format format;
    bool in_static;                              /**< within a static member */
    bool fortran;                                /**< GDB's notation of that language */
    unsigned parts;                              /**< that were printed */
    const struct wt_type *seen[WT_FORMAT_BASES]; /**< virtual bases of the object, which
                                                    has each once */
    unsigned seen_count;
};

/** Whether a type is one of characters: its arrays and pointers are strings. */
bool wt_format_is_textual(const struct wt_type *type);
/** Prints @p size characters as a string of C; @p more: "..." follows. Runs of equal characters are
 * printed as a count. */
void wt_format_string(struct wt_printer *p, const uint8_t *text, size_t size, bool more);
/** More equal elements than that are printed as a count. */
static inline uint64_t wt_format_repeats(const struct wt_printer *p)
{
    return p->format.repeats ? p->format.repeats : WT_FORMAT_REPEATS;
}
/** Prints a string of Fortran: quotes in it are doubled. */
void wt_format_fortran_string(FILE *out, const uint8_t *bytes, uint64_t length);
/** Prints a floating-point number of @p size bytes, by its bits. */
void wt_format_float(FILE *out, uint64_t bits, unsigned size);
/** Prints an address with the function or (@p data_too) variable that it is of. */
void wt_format_address(struct wt_printer *p, uint64_t address, bool data_too);
/**
 * Prints a number, character, enumerator or pointer; of a bit-field its @p bit_size bits (0: it is
 * none). @p top: it is the whole value, so a pointer's type is named.
 */
void wt_format_scalar(struct wt_printer *p, const struct wt_type *type, uint32_t bit_offset,
                      uint32_t bit_size, const uint8_t *bytes, bool top);

#endif
