/* Conversions of OpenCL C's printf (section 6.12.13): what families do alike with their records. */
#ifndef WT_RUNTIME_CONVERSION_H
#define WT_RUNTIME_CONVERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** A conversion specification: "%-8.3v4hlx". */
struct wt_conversion {
    char flags[8];
    unsigned width, precision;
    bool has_precision;
    unsigned elements; /**< elements of a vector; 1 without v */
    char length[3];    /**< "", hh, h, hl, l, ll */
    char kind;         /**< 0: it is none */
};

/**
 * Finds the next conversion of a format that takes an argument, and prints the text before it
 * unless @p out is NULL. Returns what follows the conversion; NULL at the end of the text.
 */
const char *wt_conversion_next(const char *at, struct wt_conversion *c, FILE *out);

/** Prints one value of 1, 2, 4 or 8 bytes, little-endian, by any conversion but 's'. */
void wt_conversion_print(const struct wt_conversion *c, const uint8_t *bytes, size_t size,
                         FILE *out);

/** Prints a text of at most @p size bytes by the conversion 's'. */
void wt_conversion_print_text(const struct wt_conversion *c, const char *text, size_t size,
                              FILE *out);

#endif
