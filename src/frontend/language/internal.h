/* Shared by the files of the language. */
#ifndef WT_FRONTEND_LANGUAGE_INTERNAL_H
#define WT_FRONTEND_LANGUAGE_INTERNAL_H

#include "frontend/language/language.h"

/** A command that the user has made: lines, or, an alias, the begin of one. */
struct defined {
    char *name, *help;
    struct wt_script body;
    bool is_alias;
};

/** Where the lines behind a command come from. */
struct source {
    char *const *line;
    size_t count, next;
};

enum flow { GOES_ON, NEXT_TURN, LEAVES }; /* outcomes of a loop's lines */

struct wt_language {
    struct wt_language_options options;
    struct defined *defined;
    size_t count, capacity;
    struct source source; /**< where `depth` is not 0 */
    unsigned depth, loops;
    enum flow flow;
    bool traces;
};

#endif
