/* Pieces of PTX text, and where they stand. */
#ifndef WT_OBJECT_PTX_TEXT_H
#define WT_OBJECT_PTX_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Characters of the module's text. {NULL, 0}: none. */
struct ptx_name {
    const char *at;
    size_t length;
};

/** Where something stands in the text, from 1. */
struct ptx_place {
    uint32_t line, column;
};

/** Whether the characters are those of @p text. */
static inline bool ptx_name_is(struct ptx_name name, const char *text)
{
    return name.length == strlen(text) && (!name.length || memcmp(name.at, text, name.length) == 0);
}

/** Whether both have the same characters. */
static inline bool ptx_names_equal(struct ptx_name a, struct ptx_name b)
{
    return a.length == b.length && (!a.length || memcmp(a.at, b.at, a.length) == 0);
}

#endif
