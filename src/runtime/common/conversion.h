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
    unsigned elements; /**< of a vector; 1 without v */
    char length[3];    /**< "", hh, h, hl, l, ll */
    char kind;         /**< 0: it is none */
};

/**
 * The next conversion of a format that takes an argument: what stands behind it; NULL at the end of
 * the text. Prints what comes before it if @p out is not NULL.
 */
const char *wt_conversion_next(const char *at, struct wt_conversion *c, FILE *out);

/** Prints one value of 1, 2, 4 or 8 bytes; not for 's'. */
void wt_conversion_print(const struct wt_conversion *c, const uint8_t *bytes, size_t size,
                         FILE *out);

/** Prints a text of at most @p size bytes; for 's'. */
void wt_conversion_print_text(const struct wt_conversion *c, const char *text, size_t size,
                              FILE *out);

#endif
