/* Hexadecimal text, by table in both directions. */
#ifndef WT_FRONTEND_RSP_HEX_H
#define WT_FRONTEND_RSP_HEX_H

#include <stddef.h>
#include <stdint.h>

/** The value of each hex digit, -1 for every other character. */
extern const int8_t wt_hex_value[256];

/** Writes 2 * @p size lower-case digits (no NUL) to @p out. */
void wt_hex_encode(char *out, const void *bytes, size_t size);

/**
 * Reads 2 * @p size digits into @p bytes, which may be the same memory as @p text. Returns how many
 * bytes were read before something that is no digit.
 */
size_t wt_hex_decode(void *bytes, const char *text, size_t size);

#endif
