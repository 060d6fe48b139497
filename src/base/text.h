/* Numbers and sets of lanes as people read and write them; texts put together from pieces. */
#ifndef WT_BASE_TEXT_H
#define WT_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "base/error.h"

/**
 * Parses an unsigned number of at most 64 bits: decimal, 0x… or octal 0…. Nothing may stand before
 * or after it. WT_INVALID, with *value unchanged, for anything else.
 */
enum wt_status wt_parse_number(const char *text, uint64_t *value, struct wt_error *err);

/**
 * Parses an amount of memory: a number of bytes, 1 or more, with K, M or G behind it. @p hint ends
 * the message if it is none.
 */
enum wt_status wt_parse_size(const char *text, const char *hint, uint64_t *bytes,
                             struct wt_error *err);

/** Parses bytes written as two hexadecimal digits each, one at least. The caller frees *bytes. */
enum wt_status wt_parse_bytes(const char *text, uint8_t **bytes, size_t *length,
                              struct wt_error *err);

/** Bytes that hold any set of lanes as text, the NUL included. */
#define WT_LANES_TEXT 512

/** "s", or "" for one: the end of a noun behind a number. */
static inline const char *wt_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/** Writes a set of lanes as "0-3,5"; "" for the empty set. */
void wt_lanes_text(wt_lanes lanes, char *text, size_t size);

/** Likewise with another separator than ",". */
void wt_lanes_list(wt_lanes lanes, const char *separator, char *text, size_t size);

/** Writes a set of lanes as a hexadecimal mask, "0xf"; at most 35 bytes with the NUL. */
void wt_mask_text(wt_lanes lanes, char *text, size_t size);

/** Behind the blanks at the beginning of a text. */
const char *wt_skip_blanks(const char *text);
/** A word's length, up to a blank. */
size_t wt_word_length(const char *text);

/** Bytes of the UTF-8 character (RFC 3629) that a text begins with; 0: it begins with none. */
unsigned wt_utf8_length(const char *text);
/** A copy in which bytes that are no UTF-8 are U+FFFD; the caller frees it. NULL without host
 * memory. */
char *wt_text_utf8(const char *text);

enum { WT_OFFSET_TEXT = 64 };

/** Where offset @p at is in something of @p object bytes, before "an allocation": "byte 3 of",
 * "8 bytes past the end of". Of an access of @p bytes (0: not known) at its end: "the 4 bytes just
 * past the end of". */
void wt_offset_text(uint64_t at, uint64_t bytes, uint64_t object, char *text, size_t size);

/** Lines of commands, which belong to whoever executes them. */
struct wt_script {
    char **line;
    size_t count, capacity;
};

/** Appends a line, which the script owns, or frees on failure; false without host memory, which a
 * NULL tells, too. */
bool wt_script_add(struct wt_script *script, char *line);
/** Frees the lines; the script is empty then. */
void wt_script_free(struct wt_script *script);

/** A text that is put together in a buffer: where the next piece goes, and the room from there on.
 */
struct wt_text {
    char *at;
    size_t left;
};

/** Appends a piece as printf writes it; one that does not fit is left out. */
void wt_text_add(struct wt_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
