/*
 * Functions by the names that people give them, as GDB's linespecs have them: without namespaces,
 * classes, arguments of templates or parameters, or with them; blanks and the spelling of C's own
 * types ("unsigned" and "unsigned int", "long int" and "long") do not count.
 */
#ifndef WT_DEBUG_SOURCE_CALLED_H
#define WT_DEBUG_SOURCE_CALLED_H

#include "debug/source/info.h"

struct wt_called;

/** The text of a typedef's type, which the caller frees; NULL: @p name is no typedef. */
typedef char *wt_typedef_fn(void *context, const char *name);

/**
 * Takes a name apart: "f", "ns::f(int)", "twice<int>", "::f", "operator()".
 * @p is_whole: all of its namespaces and classes are said. Parameters that are typedefs are
 * resolved by @p resolve (NULL: none are). NULL without host memory. The caller frees it.
 */
struct wt_called *wt_called_new(const char *name, bool is_whole, wt_typedef_fn *resolve,
                                void *context);
/** NULL is allowed. */
void wt_called_free(struct wt_called *called);

/** Calls @p found with each function of that name, until it returns false. */
void wt_called_functions(const struct wt_called *called, struct wt_info *info,
                         bool (*found)(void *context, const struct wt_name *name), void *context);

#endif
