/* Addresses of code in words: the one place of reports, whose lines are the user's. */
#ifndef WT_DEBUG_SOURCE_DESCRIBED_H
#define WT_DEBUG_SOURCE_DESCRIBED_H

#include <stdbool.h>
#include <stddef.h>

struct wt_called_place;
struct wt_inlined;
struct wt_modules;

/**
 * Calls @p take for the calls of a place, inlined ones and others, from the innermost on that is in
 * the user's code (wt_is_foreign, with the folders of @p modules), or, if none is, from the
 * innermost on. The texts stay with the symbols.
 */
void wt_described_calls(const struct wt_modules *modules, const struct wt_called_place *place,
                        void (*take)(void *context, const struct wt_inlined *call), void *context);

/** wt_modules_describe() with the calls that the address is in. */
void wt_described_place(const struct wt_modules *modules, const struct wt_called_place *place,
                        char *text, size_t size);
/** The first of these calls, in @p call; without a path or a line where they are unknown. */
void wt_described_call(const struct wt_modules *modules, const struct wt_called_place *place,
                       struct wt_inlined *call);
/** The first line of that; false if it is unknown. */
bool wt_described_line(const struct wt_modules *modules, const struct wt_called_place *place,
                       const char **file, unsigned *line);
/** wt_described_place() with the address that the place has in the module's file. */
void wt_described_in_file(const struct wt_modules *modules, const struct wt_called_place *place,
                          char *text, size_t size);

#endif
