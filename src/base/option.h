/* One option of a command line, as a row of a table: from it come the parser and the help. */
#ifndef WT_BASE_OPTION_H
#define WT_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Where an option's value goes. */
struct wt_option_field {
    enum { WT_OPTION_NOWHERE, WT_OPTION_IS_TEXT, WT_OPTION_IS_FLAG, WT_OPTION_IS_NUMBER } kind;
    size_t offset; /**< in the context */
};

/** A member of @p type, and that it has the type @p is. */
#define WT_OPTION_FIELD(kind, type, is, member)                                                    \
    NULL,                                                                                          \
    {                                                                                              \
        kind, offsetof(type, member) + 0 * sizeof(char[_Generic(((type *)0)->member, is : 1)])     \
    }
/** Ends a row: a function takes the option. */
#define WT_OPTION_SET(function)                                                                    \
    function,                                                                                      \
    {                                                                                              \
        0                                                                                          \
    }
/** Ends a row: a function takes the option, whose context is a member of @p type. */
#define WT_OPTION_PART(function, type, member)                                                     \
    function,                                                                                      \
    {                                                                                              \
        WT_OPTION_NOWHERE, offsetof(type, member)                                                  \
    }
/** Ends a row: the option's argument, a number or nothing (true) goes into a member. */
#define WT_OPTION_TEXT(type, member) WT_OPTION_FIELD(WT_OPTION_IS_TEXT, type, const char *, member)
#define WT_OPTION_NUMBER(type, member) WT_OPTION_FIELD(WT_OPTION_IS_NUMBER, type, uint64_t, member)
#define WT_OPTION_FLAG(type, member) WT_OPTION_FIELD(WT_OPTION_IS_FLAG, type, bool, member)

/** Takes an option; @p value is NULL if it has no argument. */
typedef enum wt_status wt_option_set_fn(void *context, const char *value, struct wt_error *err);

/** One option of a subcommand. A table of them ends with a row whose name is NULL. */
struct wt_option {
    const char *name;     /**< long name, without dashes */
    char letter;          /**< short name, or 0 */
    const char *argument; /**< what stands for its argument in the help; NULL: it takes none */
    const char *help;     /**< what it does; lines after the first begin after a '\n' */
    wt_option_set_fn *set;
    struct wt_option_field field; /**< without @p set: where it goes; else the context of @p set */
};

#endif
